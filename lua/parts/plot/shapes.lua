-- shapes.lua: draws lines and areas that are given one by one: vlines, hlines, stem, pie, quiver, pcolormesh.
local torch = ...
local support = torch._part "support"
local data, marks, color = torch._part "plot.data", torch._part "plot.marks", torch._part "plot.color"

local pi, cos, sin, sqrt, max, min = math.pi, math.cos, math.sin, math.sqrt, math.max, math.min

-- --- segments -------------------------------------------------------------------------------------------

-- Draws lines from (x0, y0) to (x1, y1): lists of numbers.
local function draw_segments(artist, canvas, view)
  local paths = {}
  for i = 1, #artist.x0 do
    paths[i] = {view.x(artist.x0[i]), view.y(artist.y0[i]), view.x(artist.x1[i]), view.y(artist.y1[i])}
    for k = 1, 4 do paths[i][k] = max(-1e6, min(1e6, paths[i][k])) end
  end
  local rgb, alpha = marks.paint(artist.color, artist.alpha)
  local dash = marks.dash(artist.linestyle, artist.linewidth)
  canvas:draw{paths = paths, stroke = rgb, stroke_alpha = alpha, width = artist.linewidth, dash = dash, clip = view.clip, cap = "butt"}
end

local function segment_handle(artist, canvas, x0, x1, y)
  local rgb, alpha = marks.paint(artist.color, artist.alpha)
  local dash = marks.dash(artist.linestyle, artist.linewidth)
  canvas:draw{paths = {{x0, y, x1, y}}, stroke = rgb, stroke_alpha = alpha, width = artist.linewidth, dash = dash, cap = "butt"}
end

local function add_segments(axes, lists, a)
  local x0, x1 = data.range(lists.x0, lists.x1)
  local y0, y1 = data.range(lists.y0, lists.y1)
  local fields = {draw = draw_segments, handle = segment_handle, extent = {x0, x1, y0, y1}, color = a.color or "C0", linewidth = a.linewidth or 1.5,
    linestyle = a.linestyle, alpha = a.alpha, label = a.label, zorder = a.zorder or 2}
  color.parse(fields.color)
  marks.dash(fields.linestyle, 1)
  for key, list in pairs(lists) do fields[key] = list end
  return axes:add(fields)
end

local function parallel(name, positions)
  return function(axes, ...)
    local a = data.read("Axes." .. name, positions, "color linestyle linewidth alpha label zorder", ...)
    data.need("Axes." .. name, a, table.unpack(positions))
    local at = data.list(a[positions[1]], positions[1])
    local from, to = data.repeated(a[positions[2]], #at), data.repeated(a[positions[3]], #at)
    data.same_length(at, from)
    data.same_length(at, to)
    if name == "vlines" then return add_segments(axes, {x0 = at, x1 = at, y0 = from, y1 = to}, a) end
    return add_segments(axes, {x0 = from, x1 = to, y0 = at, y1 = at}, a)
  end
end

-- --- stem -----------------------------------------------------------------------------------------------

local stem_positions = {"locs", "heads", "linefmt", "markerfmt", "basefmt"}

local function stem(axes, ...)
  local a = data.read("Axes.stem", stem_positions, "bottom label orientation", ...)
  if a.heads == nil then a.locs, a.heads = nil, a.locs end
  if a.heads == nil then data.need("Axes.stem", a, "heads") end
  local heads, at = data.list(a.heads, "heads"), {}
  for i = 1, #heads do at[i] = i - 1.0 end
  if a.locs ~= nil then at = axes:places("x", data.list(a.locs, "locs")) end
  data.same_length(at, heads)
  local line = marks.format(a.linefmt or "C0-")
  local paint = line.color or "C0"
  local bottom = data.repeated(a.bottom, #at, 0)
  add_segments(axes, {x0 = at, x1 = at, y0 = bottom, y1 = heads}, {color = paint, linestyle = line.linestyle})
  local format = marks.format(a.markerfmt or "o")
  axes:plot(at, heads, {color = format.color or paint, marker = format.marker or "o", linestyle = "None", label = a.label})
  local base = marks.format(a.basefmt or "C3-")
  local low, high = data.range(at)
  axes:plot({low or 0, high or 0}, {bottom[1] or 0, bottom[1] or 0}, {color = base.color or "C3", linestyle = base.linestyle or "-"})
end

-- --- polygons, pie --------------------------------------------------------------------------------------

-- Draws areas whose corners are in the axes' coordinates.
local function draw_polygon(artist, canvas, view)
  local path, clip = {closed = true}, artist.clip_on ~= false and view.clip or nil
  for i = 1, #artist.corners, 2 do path[i], path[i + 1] = view.x(artist.corners[i]), view.y(artist.corners[i + 1]) end
  local rgb, alpha = marks.paint(artist.color, artist.alpha)
  local edge, edge_alpha = marks.paint(artist.edgecolor, artist.alpha)
  canvas:draw{paths = {path}, fill = rgb, fill_alpha = alpha, stroke = edge, stroke_alpha = edge_alpha, width = artist.linewidth or 1, clip = clip,
    join = "miter"}
end

local function wedge(cx, cy, radius, width, from, to)
  local corners, steps = {}, max(2, math.ceil(math.abs(to - from) / (pi / 90)))
  for i = 0, steps do
    local angle = from + (to - from) * i / steps
    corners[#corners + 1], corners[#corners + 2] = cx + radius * cos(angle), cy + radius * sin(angle)
  end
  if not width or width >= radius then
    corners[#corners + 1], corners[#corners + 2] = cx, cy
    return corners
  end
  for i = steps, 0, -1 do
    local angle = from + (to - from) * i / steps
    corners[#corners + 1], corners[#corners + 2] = cx + (radius - width) * cos(angle), cy + (radius - width) * sin(angle)
  end
  return corners
end

local function percent(autopct, part)
  if type(autopct) == "function" then return tostring(autopct(100 * part)) end
  return support.number(autopct, 100 * part)
end

local pie_positions = {"x", "explode", "labels", "color", "autopct", "pctdistance"}

local function pie(axes, ...)
  local a = data.read("Axes.pie", pie_positions,
    "shadow labeldistance startangle radius counterclock wedgeprops textprops center frame rotatelabels normalize", ...)
  data.need("Axes.pie", a, "x")
  local x, total = data.list(a.x, "x"), 0
  for _, value in ipairs(x) do
    if value < 0 then support.fail("ValueError", "Wedge sizes 'x' must be non negative values") end
    total = total + value
  end
  if total ~= total or total <= 0 then support.fail("ValueError", "All wedge sizes are zero") end
  local explode, labels = data.repeated(a.explode, #x, 0), a.labels or {}
  if #explode ~= #x then support.fail("ValueError", "'explode' must be of length 'x', not %d", #explode) end
  if a.labels and #labels ~= #x then support.fail("ValueError", "'labels' must be of length 'x', not %d", #labels) end
  local paints = type(a.color) == "string" and {a.color} or a.color
  local wedges, words = a.wedgeprops or {}, a.textprops or {}
  local center, radius, angle = a.center or {0, 0}, a.radius or 1, (a.startangle or 0) * pi / 180
  local turn = a.counterclock == false and -1 or 1
  for i, value in ipairs(x) do
    local stop = angle + turn * 2 * pi * value / (a.normalize == false and 1 or total)
    local middle = (angle + stop) / 2
    local cx, cy = center[1] + explode[i] * cos(middle), center[2] + explode[i] * sin(middle)
    local paint = paints and paints[(i - 1) % #paints + 1] or "C" .. (i - 1) % 10
    color.parse(paint)
    axes:add{draw = draw_polygon, handle = axes.patch_handle, corners = wedge(cx, cy, radius, wedges.width, angle, stop), color = paint, clip_on = false,
      label = labels[i] and tostring(labels[i]), alpha = wedges.alpha, edgecolor = wedges.edgecolor, linewidth = wedges.linewidth, zorder = 1}
    local function write(text, distance, ha)
      axes:text(cx + distance * radius * cos(middle), cy + distance * radius * sin(middle), text, {ha = ha, va = "center", size = words.fontsize or words.size,
        color = words.color})
    end
    if labels[i] and a.labeldistance ~= false then write(tostring(labels[i]), a.labeldistance or 1.1, cos(middle) > 0 and "left" or "right") end
    if a.autopct then write(percent(a.autopct, value / total), a.pctdistance or 0.6, "center") end
    angle = stop
  end
  if not a.frame then
    axes.off = true
    axes:set_xlim(center[1] - 1.25, center[1] + 1.25)
    axes:set_ylim(center[2] - 1.25, center[2] + 1.25)
  end
  axes:set_aspect "equal"
end

-- --- arrows ---------------------------------------------------------------------------------------------

-- Returns an arrow from (x, y) by (dx, dy), in units of its shaft's width, as in matplotlib: a head of three by five with its
-- notch at 4.5.
local function arrow(x, y, dx, dy, width)
  local length = sqrt(dx * dx + dy * dy)
  if length ~= length or length <= 0 then return nil end
  local ux, uy = dx / length, dy / length
  local long = length / width
  local part = min(1, long / 6) -- a short arrow is scaled down: its shaft stays as long as it is wide
  local head, notch, half, shaft = 5 * part, 4.5 * part, 1.5 * part, 0.5 * min(1, part)
  local path = {closed = true}
  for _, p in ipairs{{0, shaft}, {long - notch, shaft}, {long - head, half}, {long, 0}, {long - head, -half}, {long - notch, -shaft}, {0, -shaft}} do
    local along, across = p[1] * width, p[2] * width
    path[#path + 1], path[#path + 2] = x + ux * along - uy * across, y + uy * along + ux * across
  end
  return path
end

local function draw_arrows(artist, canvas, view)
  local n, mean, wide = #artist.x, 0, view.clip[3] - view.clip[1]
  for i = 1, n do mean = mean + sqrt(artist.u[i] ^ 2 + artist.v[i] ^ 2) / n end
  local width = (artist.width or 0.06 / max(8, min(25, sqrt(n)))) * wide
  local scale = artist.scale or 1.8 * mean * max(10, sqrt(n))
  for i = 1, n do
    local dx, dy = artist.u[i], artist.v[i]
    local unit = wide / scale
    if artist.scale_units == "xy" then unit = math.abs(view.x(1) - view.x(0)) / (artist.scale or 1) end
    if artist.xy then dx, dy = view.x(artist.x[i] + dx) - view.x(artist.x[i]), view.y(artist.y[i]) - view.y(artist.y[i] + dy) end
    if artist.xy then unit = 1 / (artist.scale or 1) end
    local x, y = view.x(artist.x[i]), view.y(artist.y[i])
    if artist.pivot == "mid" or artist.pivot == "middle" then x, y = x - dx * unit / 2, y + dy * unit / 2 end
    if artist.pivot == "tip" then x, y = x - dx * unit, y + dy * unit end
    local path = arrow(x, y, dx * unit, -dy * unit, width)
    local rgb, alpha = marks.paint(artist.colors and artist.colors[i] or artist.color, artist.alpha)
    if path and path[1] == path[1] then canvas:draw{paths = {path}, fill = rgb, fill_alpha = alpha, clip = view.clip} end
  end
end

-- Returns a grid's numbers, or those of a vector repeated for its columns or rows.
local function spread(value, rows, columns, along, what)
  local list = data.list(value, what)
  if #list == rows * columns then return list end
  local result = {}
  for r = 1, rows do
    for c = 1, columns do result[#result + 1] = list[along == "x" and c or r] end
  end
  if #list ~= (along == "x" and columns or rows) then support.fail("ValueError", "quiver: %s has %d numbers for %d arrows", what, #list, rows * columns) end
  return result
end

local quiver_positions, short_positions = {"X", "Y", "U", "V", "C"}, {"U", "V", "C"}
local QUIVER = "color alpha scale scale_units angles width pivot cmap vmin vmax label zorder units headwidth"

local function quiver(axes, ...)
  local a = data.read("Axes.quiver", quiver_positions, QUIVER, ...)
  if a.count == 2 or a.count == 3 then a = data.read("Axes.quiver", short_positions, QUIVER, ...) end
  data.need("Axes.quiver", a, "U", "V")
  local tensor = data.tensor(a.U) or torch.tensor(a.U)
  local grid = tensor:dim() == 2
  local rows, columns = grid and tensor.shape[0] or 1, grid and tensor.shape[1] or tensor:numel()
  local u, v = data.list(a.U, "U"), data.list(a.V, "V")
  data.same_length(u, v)
  local function counted(n)
    local list = {}
    for i = 1, n do list[i] = i - 1.0 end
    return list
  end
  local x = spread(a.X == nil and counted(columns) or a.X, rows, columns, "x", "X")
  local y = spread(a.Y == nil and counted(rows) or a.Y, rows, columns, "y", "Y")
  local x0, x1 = data.range(x)
  local y0, y1 = data.range(y)
  local fields = {draw = draw_arrows, x = x, y = y, u = u, v = v, extent = {x0, x1, y0, y1}, color = a.color or "k", alpha = a.alpha, scale = a.scale,
    scale_units = a.scale_units, xy = a.angles == "xy" and a.scale_units == "xy", width = a.width, pivot = a.pivot, label = a.label, zorder = a.zorder or 2}
  color.parse(fields.color)
  if a.C ~= nil then
    local values = data.list(a.C, "C")
    local low, high = data.range(values)
    fields.cmap, fields.vmin, fields.vmax, fields.colors = color.map(a.cmap), a.vmin or low or 0, a.vmax or high or 1, {}
    for i, value in ipairs(values) do
      fields.colors[i] = fields.cmap:at(fields.vmax > fields.vmin and (value - fields.vmin) / (fields.vmax - fields.vmin) or 0)
    end
  end
  return axes:add(fields)
end

-- --- pcolormesh -----------------------------------------------------------------------------------------

-- Returns the limits between n cells, from n + 1 limits, from n middles, or counted.
local function limits_of(value, n, axis, what)
  if value == nil then
    local list = {}
    for i = 0, n do list[i + 1] = i + 0.0 end
    return list
  end
  local tensor = data.tensor(value) or torch.tensor(value, {dtype = torch.float64})
  if tensor:dim() == 2 then tensor = axis == "x" and tensor:select(0, 0) or tensor:select(1, 0) end
  local list = data.list(tensor)
  if #list == n + 1 then return list end
  if #list ~= n then support.fail("TypeError", "Dimensions of C (%d) are incompatible with %s (%d)", n, what, #list) end
  if n == 1 then return {list[1] - 0.5, list[1] + 0.5} end
  local edges = {list[1] - (list[2] - list[1]) / 2}
  for i = 1, n - 1 do edges[i + 1] = (list[i] + list[i + 1]) / 2 end
  edges[n + 1] = list[n] + (list[n] - list[n - 1]) / 2
  return edges
end

-- Returns true if positions are equally far from each other on the canvas.
local function is_even(list, along)
  local first, last = along(list[1]), along(list[#list])
  for i, value in ipairs(list) do
    if math.abs(along(value) - (first + (last - first) * (i - 1) / (#list - 1))) > 1e-3 then return false end
  end
  return true
end

-- Draws a mesh of equal cells as an image.
local function draw_even(artist, canvas, view, color_at)
  local rows, height, width = {}, #artist.rows, #artist.rows[1]
  local x0, x1 = view.x(artist.x[1]), view.x(artist.x[width + 1])
  local y0, y1 = view.y(artist.y[1]), view.y(artist.y[height + 1])
  for r, row in ipairs(artist.rows) do
    local line = {}
    for c, value in ipairs(row) do line[x0 < x1 and c or width + 1 - c] = color_at(value) end
    rows[y0 < y1 and r or height + 1 - r] = line
  end
  canvas:image{x0 = min(x0, x1), x1 = max(x0, x1), y0 = min(y0, y1), y1 = max(y0, y1), rows = rows, columns = width, clip = view.clip, alpha = artist.alpha}
end

local function draw_mesh(artist, canvas, view)
  local base = artist.vmax > artist.vmin and artist.vmax - artist.vmin or 1
  local function color_at(value) return value == value and artist.cmap:at(max(0, min(1, (value - artist.vmin) / base))) end
  if is_even(artist.x, view.x) and is_even(artist.y, view.y) then return draw_even(artist, canvas, view, color_at) end
  for r, row in ipairs(artist.rows) do
    local y0, y1 = view.y(artist.y[r]), view.y(artist.y[r + 1])
    for c, value in ipairs(row) do
      local rgb = color_at(value)
      if rgb then
        local x0, x1 = view.x(artist.x[c]), view.x(artist.x[c + 1])
        canvas:image{x0 = min(x0, x1), x1 = max(x0, x1), y0 = min(y0, y1), y1 = max(y0, y1), rows = {{rgb}}, columns = 1, clip = view.clip,
          alpha = artist.alpha}
      end
    end
  end
end

local mesh_positions, one_positions = {"X", "Y", "C"}, {"C"}
local MESH = "cmap vmin vmax alpha shading edgecolor linewidth label zorder norm rasterized"

local function pcolormesh(axes, ...)
  local a = data.read("Axes.pcolormesh", mesh_positions, MESH, ...)
  if a.count == 1 then a = data.read("Axes.pcolormesh", one_positions, MESH, ...) end
  data.need("Axes.pcolormesh", a, "C")
  local rows = data.matrix(a.C, "C")
  if #rows == 0 or #rows[1] == 0 then support.fail("TypeError", "C needs at least one number") end
  local x, y = limits_of(a.X, #rows[1], "x", "X"), limits_of(a.Y, #rows, "y", "Y")
  local low, high = data.range(table.unpack(rows))
  local x0, x1 = data.range(x)
  local y0, y1 = data.range(y)
  return axes:add{draw = draw_mesh, rows = rows, x = x, y = y, cmap = color.map(a.cmap), vmin = a.vmin or low or 0, vmax = a.vmax or high or 1,
    alpha = a.alpha, label = a.label, zorder = a.zorder or 0, extent = {x0, x1, y0, y1}, sticky_x = {x0, x1}, sticky_y = {y0, y1}}
end

return function(Axes)
  Axes.vlines, Axes.hlines = parallel("vlines", {"x", "ymin", "ymax"}), parallel("hlines", {"y", "xmin", "xmax"})
  Axes.stem, Axes.pie, Axes.quiver, Axes.pcolormesh = stem, pie, quiver, pcolormesh
  Axes.segments = add_segments
  function Axes:polygon(fields)
    fields.draw, fields.handle = draw_polygon, self.patch_handle
    return self:add(fields)
  end
end
