-- bars.lua: bars and histograms.
local torch = ...
local support = torch._part "support"
local data, marks, color, outline = torch._part "plot.data", torch._part "plot.marks", torch._part "plot.color", torch._part "plot.outline"

local BAR = "align color facecolor edgecolor linewidth alpha label zorder yerr xerr tick_label ecolor capsize log"

-- Returns the rectangle of bar `i` in points.
local function rectangle(artist, i, view)
  local a, b = artist.from[i], artist.to[i]
  local low, high = artist.base[i], artist.base[i] + artist.length[i]
  if artist.upright then return outline.rectangle(view.x(a), view.y(low), view.x(b), view.y(high)) end
  return outline.rectangle(view.x(low), view.y(a), view.x(high), view.y(b))
end

local function draw_bars(artist, canvas, view)
  local edge, edge_alpha = marks.paint(artist.edgecolor, artist.alpha)
  for i = 1, #artist.from do
    local rgb, alpha = marks.paint(artist.colors and artist.colors[(i - 1) % #artist.colors + 1] or artist.color, artist.alpha)
    local path = rectangle(artist, i, view)
    for k = 1, #path do path[k] = math.max(-1e6, math.min(1e6, path[k])) end
    canvas:draw{paths = {path}, fill = rgb, fill_alpha = alpha, stroke = edge, stroke_alpha = edge_alpha, width = artist.linewidth or 1, clip = view.clip,
      join = "miter", snap = true}
  end
end

-- Adds bars {from, to, base, length} to axes.
local function add_bars(axes, fields, a, upright)
  fields.draw, fields.handle, fields.upright, fields.zorder, fields.label = draw_bars, axes.patch_handle, upright, a.zorder or 1, a.label
  fields.edgecolor, fields.linewidth, fields.alpha = a.edgecolor, a.linewidth, a.alpha
  color.parse(a.edgecolor)
  local paint = a.color or a.facecolor
  if type(paint) == "table" and type(paint[1]) ~= "number" then
    fields.colors = {}
    for i, value in ipairs(paint) do fields.colors[i] = value == "none" and value or color.parse(value) end
    fields.color = paint[1]
  else
    fields.color = paint or axes:next_color "areas"
    color.parse(fields.color)
  end
  local ends = {}
  for i, base in ipairs(fields.base) do ends[i] = base + fields.length[i] end
  local x0, x1 = data.range(fields.from, fields.to)
  local y0, y1 = data.range(fields.base, ends)
  if upright then
    fields.extent, fields.sticky_y = {x0, x1, y0, y1, positive = {}}, fields.base
  else
    fields.extent, fields.sticky_x = {y0, y1, x0, x1, positive = {}}, fields.base
  end
  return axes:add(fields)
end

local bar_positions, barh_positions = {"x", "height", "width", "bottom"}, {"y", "width", "height", "left"}

local function bar(axes, upright, name, positions, ...)
  local a = data.read("Axes." .. name, positions, BAR, ...)
  data.need("Axes." .. name, a, positions[1], positions[2])
  local at = axes:places(upright and "x" or "y", data.list(a[positions[1]], positions[1]) or {})
  local n = #at
  local length, width = data.repeated(a[positions[2]], n, 0), data.repeated(a[positions[3]], n, 0.8)
  local base = data.repeated(a[positions[4]], n, 0)
  if #length ~= n or #width ~= n or #base ~= n then
    support.fail("ValueError", "shape mismatch: objects cannot be broadcast to a single shape.  Mismatch is between arg 0 with shape (%d,) and "
      .. "arg 1 with shape (%d,).", n, #length)
  end
  local fields = {from = {}, to = {}, base = base, length = length}
  for i = 1, n do
    local shift = a.align == "edge" and 0 or width[i] / 2
    fields.from[i], fields.to[i] = at[i] - shift, at[i] - shift + width[i]
  end
  local bars = add_bars(axes, fields, a, upright)
  bars.composed = true
  if a.tick_label then axes["set_" .. (upright and "x" or "y") .. "ticks"](axes, at, a.tick_label) end
  if a.yerr or a.xerr then
    local tops = {}
    for i = 1, n do tops[i] = base[i] + length[i] end
    axes:errorbar{upright and at or tops, upright and tops or at, yerr = a.yerr, xerr = a.xerr, fmt = "none", ecolor = a.ecolor or "k", capsize = a.capsize,
      color = "k", zorder = bars.zorder}
  end
  return bars
end

-- --- texts on bars --------------------------------------------------------------------------------------

local label_positions = {"container", "labels"}

local function bar_label(axes, ...)
  local a = data.read("Axes.bar_label", label_positions, "fmt padding label_type size color", ...)
  local bars = a.container
  for i = 1, #bars.from do
    local value = bars.length[i]
    local text = a.labels and tostring(a.labels[i]) or support.number(a.fmt or "%g", value)
    local middle, top = (bars.from[i] + bars.to[i]) / 2, bars.base[i] + value
    if a.label_type == "center" then top = bars.base[i] + value / 2 end
    local pad, centered = a.padding or 0, a.label_type == "center"
    local keywords = {text, bars.upright and {middle, top} or {top, middle}, textcoords = "offset points", size = a.size, color = a.color}
    keywords.xytext = bars.upright and {0, centered and 0 or pad + 2} or {centered and 0 or pad + 2, 0}
    keywords.ha = (bars.upright or centered) and "center" or "left"
    keywords.va = (bars.upright and not centered) and "baseline" or "center"
    axes:annotate(keywords)
  end
end

-- --- histograms -----------------------------------------------------------------------------------------

local hist_positions = {"x", "bins", "range"}

local function edges_of(a, lists)
  local low, high = data.range(table.unpack(lists))
  if a.range then low, high = a.range[1], a.range[2] end
  if type(a.bins) == "table" or data.tensor(a.bins) then return data.list(a.bins, "bins") end
  return data.edges(low, high, a.bins or 10, 1e6)
end

-- Returns the bin of a value by bisection. The last bin is closed.
local function bin_of(value, edges)
  local low, high = 1, #edges
  if value ~= value or value < edges[1] or value > edges[high] then return nil end
  while high - low > 1 do
    local middle = (low + high) // 2
    if value >= edges[middle] then low = middle else high = middle end
  end
  return low
end

local function count(list, edges, a)
  local counts, total = {}, 0
  for i = 1, #edges - 1 do counts[i] = 0.0 end
  local weights = a.weights and data.list(a.weights, "weights")
  for i, value in ipairs(list) do
    local k = bin_of(value, edges)
    if k then
      local weight = weights and weights[i] or 1
      counts[k], total = counts[k] + weight, total + weight
    end
  end
  return counts, total
end

-- Changes the counts to a density, to cumulative counts, or to both, if `a` asks for that. Returns them.
local function finished(counts, total, edges, a)
  if a.density then
    for i = 1, #counts do counts[i] = counts[i] / total / (edges[i + 1] - edges[i]) end
  end
  if a.cumulative then
    local sum = 0
    for i = 1, #counts do
      sum = sum + counts[i] * (a.density and edges[i + 1] - edges[i] or 1)
      counts[i] = sum
    end
  end
  return counts
end

-- Returns the counts of each list; stacked, each includes those of the lists before it.
local function counts_of(lists, edges, a)
  local all, totals = {}, {}
  for k, list in ipairs(lists) do
    all[k], totals[k] = count(list, edges, a)
    if a.stacked and k > 1 then
      for i, value in ipairs(all[k - 1]) do all[k][i] = all[k][i] + value end
      totals[k] = totals[k] + totals[k - 1]
    end
  end
  for k, counts in ipairs(all) do finished(counts, a.stacked and totals[#totals] or totals[k], edges, a) end
  return all
end

-- Draws a histogram's outline.
local function draw_steps(axes, counts, edges, a)
  local x, y = {edges[1]}, {0.0}
  for i, value in ipairs(counts) do
    x[#x + 1], y[#y + 1] = edges[i], value
    x[#x + 1], y[#y + 1] = edges[i + 1], value
  end
  x[#x + 1], y[#y + 1] = edges[#edges], 0.0
  local line = axes:plot{x, y, color = a.color, label = a.label, alpha = a.alpha, linewidth = a.linewidth or 1}
  line.sticky_y = {0}
  return line
end

local function hist(axes, ...)
  local a = data.read("Axes.hist", hist_positions, "density weights cumulative bottom histtype align orientation rwidth log color label stacked alpha edgecolor"
    .. " facecolor linewidth zorder", ...)
  data.need("Axes.hist", a, "x")
  local lists = {}
  if support.is_plain(a.x) and type(a.x[1]) ~= "number" and #a.x > 0 and not (torch.is_tensor(a.x[1]) and a.x[1]:dim() == 0) then
    for i, values in ipairs(a.x) do lists[i] = data.list(values, "x") end
  else
    lists[1] = data.list(a.x, "x")
  end
  local edges = edges_of(a, lists)
  a.stacked = (a.stacked or a.histtype == "barstacked") and #lists > 1
  local all, bars = counts_of(lists, edges, a), nil
  for k, counts in ipairs(all) do
    local words = {edgecolor = a.edgecolor, linewidth = a.linewidth, alpha = a.alpha, zorder = a.zorder, facecolor = a.facecolor,
      color = type(a.color) == "table" and #lists > 1 and a.color[k] or a.color, label = type(a.label) == "table" and a.label[k] or a.label}
    if a.histtype == "step" then
      bars = draw_steps(axes, counts, edges, words)
    else
      local from, to, base = {}, {}, {}
      local beside = a.stacked and 1 or #lists
      local share, length = beside > 1 and 0.8 or a.rwidth or 1, {}
      for i = 1, #counts do
        local width = edges[i + 1] - edges[i]
        from[i] = edges[i] + width * (1 - share) / 2 + (a.stacked and 0 or width * share * (k - 1) / #lists)
        to[i], base[i] = from[i] + width * share / beside, a.stacked and k > 1 and all[k - 1][i] or 0.0
        length[i] = counts[i] - base[i]
      end
      bars = add_bars(axes, {from = from, to = to, base = base, length = length}, words, a.orientation ~= "horizontal")
    end
  end
  if a.log then axes.y.scale = "log" end
  return #all == 1 and all[1] or all, edges, bars
end

return function(Axes)
  Axes.bin_of = bin_of
  function Axes:bar(...) return bar(self, true, "bar", bar_positions, ...) end
  function Axes:barh(...) return bar(self, false, "barh", barh_positions, ...) end
  Axes.hist, Axes.bar_label = hist, bar_label
end
