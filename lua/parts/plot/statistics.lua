-- statistics.lua: draws samples on axes: boxplot, violinplot, hist2d.
local torch = ...
local support = torch._part "support"
local data, color = torch._part "plot.data", torch._part "plot.color"

-- Returns the samples: a vector, the columns of a matrix, or a list of vectors.
local function samples_of(value, name)
  if value == nil then support.fail("TypeError", "Axes.%s() missing 1 required positional argument: 'x'", name) end
  if support.is_plain(value) and type(value[1]) ~= "number" and value[1] ~= nil and not (torch.is_tensor(value[1]) and value[1]:dim() == 0) then
    local lists = {}
    for i, list in ipairs(value) do lists[i] = data.list(list, "x") end
    return lists
  end
  return data.columns(value)
end

local function sorted(list)
  local out = {}
  for _, value in ipairs(list) do
    if value == value then out[#out + 1] = value end
  end
  table.sort(out)
  return out
end

-- Returns the value below which the fraction `part` of a sorted list is, interpolated linearly.
local function quantile(list, part)
  local at = part * (#list - 1) + 1
  local low = math.floor(at)
  local below, above = list[low], list[math.min(low + 1, #list)]
  return below + (above - below) * (at - low)
end

local function mean_of(list)
  local sum = 0
  for _, value in ipairs(list) do sum = sum + value end
  return sum / #list
end

-- Returns positions and widths of n samples side by side.
local function layout(a, n, share, minimum, maximum)
  local positions = a.positions and data.list(a.positions, "positions") or nil
  if not positions then
    positions = {}
    for i = 1, n do positions[i] = i + 0.0 end
  end
  if #positions ~= n then support.fail("ValueError", "List of boxplot statistics and `positions` values must have same the length") end
  local low, high = data.range(positions)
  return positions, data.repeated(a.widths, n, math.max(minimum, math.min(maximum, share * (high - low))))
end

-- --- boxes ----------------------------------------------------------------------------------------------

-- Returns drawing functions that exchange x and y if the samples are along x.
local function turned(axes, upright)
  local draw = {}
  function draw.line(x, y, words)
    if upright then axes:plot(x, y, words) else axes:plot(y, x, words) end
  end
  function draw.area(x0, y0, x1, y1, fields)
    fields.corners = upright and {x0, y0, x1, y0, x1, y1, x0, y1} or {y0, x0, y0, x1, y1, x1, y1, x0}
    fields.extent = upright and {x0, x1, y0, y1} or {y0, y1, x0, x1}
    axes:polygon(fields)
  end
  return draw
end

local function statistics_of(list, whis)
  local values = sorted(list)
  if #values == 0 then return nil end
  local q1, median, q3 = quantile(values, 0.25), quantile(values, 0.5), quantile(values, 0.75)
  local low, high, fliers = q1, q3, {}
  for _, value in ipairs(values) do
    if value < q1 - whis * (q3 - q1) or value > q3 + whis * (q3 - q1) then
      fliers[#fliers + 1] = value
    else
      low, high = math.min(low, value), math.max(high, value)
    end
  end
  return {q1 = q1, median = median, q3 = q3, low = low, high = high, fliers = fliers, mean = mean_of(values)}
end

local function draw_box(draw, at, half, s, a)
  local black, thin = "k", 1
  local function line(x, y, words)
    words.linewidth, words.zorder = words.linewidth or thin, words.zorder or 2
    draw.line(x, y, words)
  end
  if a.patch_artist then
    draw.area(at - half, s.q1, at + half, s.q3, {color = a.facecolor or "C0", edgecolor = black, zorder = 1.5})
  else
    line({at - half, at + half, at + half, at - half, at - half}, {s.q1, s.q1, s.q3, s.q3, s.q1}, {color = black})
  end
  for _, ends in ipairs{{s.q1, s.low}, {s.q3, s.high}} do
    line({at, at}, ends, {color = black})
    if a.showcaps ~= false then line({at - half / 2, at + half / 2}, {ends[2], ends[2]}, {color = black}) end
  end
  line({at - half, at + half}, {s.median, s.median}, {color = "C1", zorder = 2.1})
  if a.showmeans then line({at}, {s.mean}, {color = "C2", marker = "^", linestyle = "None"}) end
  if a.showfliers ~= false and #s.fliers > 0 then
    local x = {}
    for i = 1, #s.fliers do x[i] = at end
    line(x, s.fliers, {marker = a.sym or "o", linestyle = "None", markerfacecolor = "none", markeredgecolor = black, color = black})
  end
end

local box_positions = {"x", "notch", "sym", "vert", "whis", "positions", "widths", "patch_artist"}

local function boxplot(axes, ...)
  local a = data.read("Axes.boxplot", box_positions, "labels tick_labels showmeans showcaps showfliers showbox orientation facecolor label zorder", ...)
  local lists = samples_of(a.x, "boxplot")
  local positions, widths = layout(a, #lists, 0.15, 0.15, 0.5)
  local upright = a.vert ~= false and a.orientation ~= "horizontal"
  local draw = turned(axes, upright)
  for i, list in ipairs(lists) do
    local s = statistics_of(list, a.whis or 1.5)
    if s then draw_box(draw, positions[i], widths[i] / 2, s, a) end
  end
  local low, high = data.range(positions)
  local ends = {low - 0.5, high + 0.5}
  axes:add{draw = function() end, extent = upright and ends or {nil, nil, ends[1], ends[2]}, [upright and "sticky_x" or "sticky_y"] = ends}
  local labels = a.tick_labels or a.labels
  if not labels then
    labels = {}
    for i, at in ipairs(positions) do labels[i] = ("%g"):format(at) end
  end
  axes[upright and "set_xticks" or "set_yticks"](axes, positions, labels)
end

-- --- violins --------------------------------------------------------------------------------------------

-- Returns the density of a sample at positions, by a Gaussian kernel of Scott's width.
local function density(list, places)
  local n, mean, variance = #list, mean_of(list), 0
  for _, value in ipairs(list) do variance = variance + (value - mean) ^ 2 / math.max(1, n - 1) end
  local h = math.sqrt(variance) * n ^ (-1 / 5)
  local out = {}
  for i, at in ipairs(places) do
    local sum = 0
    for _, value in ipairs(list) do sum = sum + math.exp(-0.5 * ((at - value) / h) ^ 2) end
    out[i] = h > 0 and sum / (n * h * math.sqrt(2 * math.pi)) or 1
  end
  return out
end

local function body_of(list, at, half, points)
  local low, high = data.range(list)
  local places, corners = {}, {}
  for i = 0, points - 1 do places[i + 1] = low + (high - low) * i / (points - 1) end
  local heights = density(list, places)
  local _, maximum = data.range(heights)
  for i = 1, points do corners[#corners + 1], corners[#corners + 2] = at - half * heights[i] / maximum, places[i] end
  for i = points, 1, -1 do corners[#corners + 1], corners[#corners + 2] = at + half * heights[i] / maximum, places[i] end
  return corners, low, high
end

local violin_positions = {"dataset", "positions", "vert", "widths", "showmeans", "showextrema", "showmedians"}

local function violinplot(axes, ...)
  local a = data.read("Axes.violinplot", violin_positions, "points orientation quantiles bw_method side color alpha", ...)
  local lists = samples_of(a.dataset, "violinplot")
  local positions, widths = layout(a, #lists, 0, 0.5, 0.5)
  local upright = a.vert ~= false and a.orientation ~= "horizontal"
  local paint = a.color or axes:next_color()
  color.parse(paint)
  local function line(x0, y0, x1, y1)
    local lists_ = upright and {x0 = {x0}, x1 = {x1}, y0 = {y0}, y1 = {y1}} or {x0 = {y0}, x1 = {y1}, y0 = {x0}, y1 = {x1}}
    axes:segments(lists_, {color = paint})
  end
  for i, list in ipairs(lists) do
    local values, at, half = sorted(list), positions[i], widths[i] / 2
    if #values == 0 then support.fail("ValueError", "violinplot: sample %d has no number", i) end
    local corners, low, high = body_of(values, at, half, a.points or 100)
    if not upright then
      for k = 1, #corners, 2 do corners[k], corners[k + 1] = corners[k + 1], corners[k] end
    end
    axes:polygon{corners = corners, color = paint, alpha = a.alpha or 0.3, zorder = 1,
      extent = upright and {at - half, at + half, low, high} or {low, high, at - half, at + half}}
    local function across(value) line(at - half / 2, value, at + half / 2, value) end
    if a.showextrema ~= false then
      across(low)
      across(high)
      line(at, low, at, high)
    end
    if a.showmeans then across(mean_of(values)) end
    if a.showmedians then across(quantile(values, 0.5)) end
  end
end

-- --- counts in two directions ---------------------------------------------------------------------------

local function edges_of(list, bins, range)
  if type(bins) == "table" or data.tensor(bins) then return data.list(bins, "bins") end
  local low, high = data.range(list)
  if range then low, high = range[1], range[2] end
  return data.edges(low, high, bins, 1e4)
end

local plane_positions = {"x", "y", "bins", "range", "density"}

local function hist2d(axes, ...)
  local a = data.read("Axes.hist2d", plane_positions, "weights cmin cmap vmin vmax alpha label zorder norm", ...)
  data.need("Axes.hist2d", a, "x", "y")
  local x, y = data.list(a.x, "x"), data.list(a.y, "y")
  if #x ~= #y then support.fail("ValueError", "x and y must have the same length.") end
  local bins = a.bins == nil and 10 or a.bins
  local both = support.is_plain(bins) and #bins == 2
  local range = a.range or {}
  local xedges, yedges = edges_of(x, both and bins[1] or bins, range[1]), edges_of(y, both and bins[2] or bins, range[2])
  local weights = a.weights and data.list(a.weights, "weights")
  local counts, total = {}, 0
  for r = 1, #yedges - 1 do
    counts[r] = {}
    for c = 1, #xedges - 1 do counts[r][c] = 0.0 end
  end
  for i = 1, #x do
    local c, r = axes.bin_of(x[i], xedges), axes.bin_of(y[i], yedges)
    if c and r then
      counts[r][c] = counts[r][c] + (weights and weights[i] or 1)
      total = total + (weights and weights[i] or 1)
    end
  end
  for r, row in ipairs(counts) do
    for c, value in ipairs(row) do
      if a.density then row[c] = value / total / (xedges[c + 1] - xedges[c]) / (yedges[r + 1] - yedges[r]) end
      if a.cmin and value < a.cmin then row[c] = torch.nan end
    end
  end
  local grid = torch.tensor(counts, {dtype = torch.float64})
  local mesh = axes:pcolormesh(xedges, yedges, grid, {cmap = a.cmap, vmin = a.vmin, vmax = a.vmax, alpha = a.alpha, label = a.label, zorder = a.zorder})
  return grid:t(), xedges, yedges, mesh
end

return function(Axes)
  Axes.boxplot, Axes.violinplot, Axes.hist2d = boxplot, violinplot, hist2d
end
