-- fields.lua: draws two-dimensional values on axes: imshow, contour, contourf, and the colour bar beside them.
local torch = ...
local support = torch._part "support"
local data, marks, color, ticks, contour = torch._part "plot.data", torch._part "plot.marks", torch._part "plot.color", torch._part "plot.ticks",
  torch._part "plot.contour"

-- --- imshow ---------------------------------------------------------------------------------------------

-- Returns the rows of an image as colours; numbers are coloured by the map.
local function colored(rows, channels, map, low, high)
  local result, base = {}, high > low and high - low or 1
  for y, row in ipairs(rows) do
    local line = {}
    for x, value in ipairs(row) do
      if channels then
        local r, g, b = math.tointeger(value[1]), math.tointeger(value[2]), math.tointeger(value[3])
        line[x] = r << 16 | g << 8 | b
        if value[4] and value[4] < 255 then line[x] = color.blend(0xffffff, line[x], value[4] / 255) end
      else
        line[x] = value == value and map:at(math.max(0, math.min(1, (value - low) / base)))
      end
    end
    result[y] = line
  end
  return result
end

local function flipped(rows)
  local result = {}
  for i = #rows, 1, -1 do result[#result + 1] = rows[i] end
  return result
end

local function draw_image(artist, canvas, view)
  local e = artist.bounds
  local x0, x1, y0, y1 = view.x(e[1]), view.x(e[2]), view.y(e[4]), view.y(e[3])
  local rows = artist.rows
  if y0 > y1 then
    y0, y1, rows = y1, y0, flipped(rows)
  end
  canvas:image{x0 = x0, x1 = x1, y0 = y0, y1 = y1, rows = rows, columns = #rows[1], clip = view.clip, alpha = artist.alpha}
end

local imshow_positions = {"X", "cmap"}

local function imshow(axes, ...)
  local a = data.read("Axes.imshow", imshow_positions, "norm aspect interpolation alpha vmin vmax origin extent label zorder", ...)
  data.need("Axes.imshow", a, "X")
  local values, channels = data.picture(a.X)
  local flat_low, flat_high = a.vmin, a.vmax
  if not channels and not (flat_low and flat_high) then
    local low, high = data.range(table.unpack(values))
    flat_low, flat_high = flat_low or low or 0, flat_high or high or 1
  end
  local map = color.map(a.cmap)
  local rows = colored(values, channels, map, flat_low or 0, flat_high or 1)
  local height, width = #values, #values[1]
  local lower = a.origin == "lower"
  local bounds = a.extent or {-0.5, width - 0.5, lower and -0.5 or height - 0.5, lower and height - 0.5 or -0.5}
  if lower then rows = flipped(rows) end -- the first of `rows` is at bounds[4]
  local artist = axes:add{draw = draw_image, rows = rows, bounds = bounds, cmap = map, vmin = flat_low, vmax = flat_high, alpha = a.alpha,
    zorder = a.zorder or 0, label = a.label, extent = {table.unpack(bounds)}, sticky_x = {bounds[1], bounds[2]}, sticky_y = {bounds[3], bounds[4]}}
  axes.aspect, axes.adjustable = a.aspect ~= "auto" and (tonumber(a.aspect) or 1) or nil, "box"
  axes.y.inverted = bounds[3] > bounds[4]
  return artist
end

-- --- contours -------------------------------------------------------------------------------------------

-- Returns the positions of columns or rows, from a vector or from a grid that meshgrid made.
local function places(value, n, axis, what)
  if value == nil then
    local list = {}
    for i = 1, n do list[i] = i - 1.0 end
    return list
  end
  local tensor = data.tensor(value) or torch.tensor(value, {dtype = torch.float64})
  local list
  if tensor:dim() == 2 then
    list = data.list(axis == "x" and tensor:select(0, 0) or tensor:select(1, 0))
    if #list == n and n > 1 and list[1] == list[n] then
      support.fail("ValueError", "contour needs %s that grows along its %s; meshgrid{x, y, indexing = \"xy\"} makes it", what,
        axis == "x" and "columns" or "rows")
    end
  else
    list = data.list(tensor)
  end
  if #list ~= n then support.fail("TypeError", "Length of %s (%d) must match number of %s in z (%d)", what, #list, axis == "x" and "columns" or "rows", n) end
  return list
end

-- Returns at most ten of the levels, evenly spaced, including the one nearest to 0: the ticks of a colour bar.
local function some_of(levels)
  local step, first = math.ceil(#levels / 10), 1
  local function smallest(from)
    local found = math.huge
    for i = from, #levels, step do found = math.min(found, math.abs(levels[i])) end
    return found
  end
  for i = 2, step do
    if smallest(i) < smallest(first) then first = i end
  end
  local some = {}
  for i = first, #levels, step do some[#some + 1] = levels[i] end
  return some
end

local function levels_of(given, low, high, filled)
  local levels
  if type(given) == "table" or data.tensor(given) then
    levels = data.list(given, "levels")
  else
    levels = ticks.locate(low, high, (given or 7) + 1, 1, ticks.FINE)
    local first, last = 1, #levels
    for i, level in ipairs(levels) do
      if level < low then first = i end
    end
    for i = #levels, 1, -1 do
      if levels[i] > high then last = i end
    end
    if last - first + 1 >= 3 then levels = table.move(levels, first, last, 1, {}) end
  end
  if filled and #levels < 2 then support.fail("ValueError", "Filled contours require at least 2 levels.") end
  for i = 2, #levels do
    if levels[i] <= levels[i - 1] then support.fail("ValueError", "Contour levels must be increasing") end
  end
  return levels
end

-- Returns the colour of area or line `k`.
local function color_of(artist, k, value)
  if artist.colors then return color.parse(artist.colors[(k - 1) % #artist.colors + 1]) end
  local base = artist.vmax - artist.vmin
  return artist.cmap:at(base > 0 and (value - artist.vmin) / base or 0.5)
end

local function moved(paths, view)
  local result = {}
  for k, path in ipairs(paths) do
    local new = {closed = path.closed}
    for i = 1, #path, 2 do new[i], new[i + 1] = view.x(path[i]), view.y(path[i + 1]) end
    result[k] = new
  end
  return result
end

-- Draws the areas. Opaque areas overlap, so that no seam is seen between them; transparent areas are side by side.
local function draw_areas(artist, canvas, view)
  local levels = artist.levels
  for k = 1, #levels - 1 do
    local low = k == 1 and levels[1] == artist.minimum and levels[1] - 1e-9 * (levels[2] - levels[1]) or levels[k]
    local opaque = not artist.alpha or artist.alpha == 1
    local beyond = levels[#levels] < artist.maximum
    local paths = contour.areas(artist.x, artist.y, artist.z, low, (not opaque or beyond) and levels[k + 1] or nil)
    canvas:draw{paths = moved(paths, view), fill = color_of(artist, k, (levels[k] + levels[k + 1]) / 2), fill_alpha = artist.alpha, clip = view.clip}
  end
end

-- Returns the length along a path from its first point to each point.
local function lengths_of(path)
  local lengths = {0}
  for i = 3, #path, 2 do
    lengths[#lengths + 1] = lengths[#lengths] + math.sqrt((path[i] - path[i - 2]) ^ 2 + (path[i + 1] - path[i - 1]) ^ 2)
  end
  return lengths
end

-- Returns the point of a path at a length.
local function point_at(path, lengths, at)
  local i = 1
  while i < #lengths - 1 and lengths[i + 1] < at do i = i + 1 end
  local part = (at - lengths[i]) / math.max(1e-12, lengths[i + 1] - lengths[i])
  local k = 2 * i - 1
  return path[k] + (path[k + 2] - path[k]) * part, path[k + 1] + (path[k + 3] - path[k + 1]) * part
end

-- Returns `width`, a penalty, if a text at (x, y) is close to another one, else 0.
local function crowding(taken, x, y, width)
  for _, place in ipairs(taken) do
    if math.abs(place[1] - x) < 1.2 * width and math.abs(place[2] - y) < 1.2 * width then return width end
  end
  return 0
end

-- Returns true if a path is long enough for a text.
local function is_long(path, width)
  local x0, x1, y0, y1 = math.huge, -math.huge, math.huge, -math.huge
  for i = 1, #path, 2 do
    x0, x1, y0, y1 = math.min(x0, path[i]), math.max(x1, path[i]), math.min(y0, path[i + 1]), math.max(y1, path[i + 1])
  end
  return math.max(x1 - x0, y1 - y0) > 1.2 * width
end

-- Returns the best place on a path for a text of width `width`: the length at which the path is straightest, away from other
-- texts.
local function straightest(path, lengths, width, taken)
  local best, longest, total = nil, -math.huge, lengths[#lengths]
  for i = 0, 40 do
    local from = (total - width) * i / 40
    local x0, y0 = point_at(path, lengths, from)
    local x1, y1 = point_at(path, lengths, from + width)
    local chord = math.sqrt((x1 - x0) ^ 2 + (y1 - y0) ^ 2) - math.abs(i - 20) * 1e-3 - crowding(taken, (x0 + x1) / 2, (y0 + y1) / 2, width)
    if chord > longest then best, longest = from, chord end
  end
  return best
end

-- Returns the parts of a path before and after a gap.
local function without(path, lengths, from, to)
  local before, behind = {}, {point_at(path, lengths, to)}
  for i = 1, #lengths do
    if lengths[i] < from then before[#before + 1], before[#before + 2] = path[2 * i - 1], path[2 * i] end
    if lengths[i] > to then behind[#behind + 1], behind[#behind + 2] = path[2 * i - 1], path[2 * i] end
  end
  before[#before + 1], before[#before + 2] = point_at(path, lengths, from)
  return before, behind
end

-- Writes a level on its lines, in a gap of each, and returns the remaining lines.
local function label_lines(artist, canvas, view, paths, level, rgb, taken)
  local labels, kept = artist.labels, {}
  local text = type(labels.fmt) == "function" and labels.fmt(level) or support.number(labels.fmt, level)
  local layout = view.axes:write(nil, {text = text, x = 0, y = 0, size = labels.size, ha = "center", va = "center", rotation = 0, color = "k"})
  local width = layout.right - layout.left + 8
  for _, path in ipairs(paths) do
    local lengths = lengths_of(path)
    if not is_long(path, width) then
      kept[#kept + 1] = path
    else
      local from = straightest(path, lengths, width, taken)
      local x0, y0 = point_at(path, lengths, from)
      local x1, y1 = point_at(path, lengths, from + width)
      taken[#taken + 1] = {(x0 + x1) / 2, (y0 + y1) / 2}
      local angle = math.deg(math.atan(y0 - y1, x1 - x0))
      if angle > 90 then angle = angle - 180 elseif angle < -90 then angle = angle + 180 end
      view.axes:write(canvas, {text = text, x = (x0 + x1) / 2, y = (y0 + y1) / 2, size = labels.size, ha = "center", va = "center", rotation = angle,
        color = labels.color or ("#%06x"):format(rgb)})
      if labels.inline then kept[#kept + 1], kept[#kept + 2] = without(path, lengths, from, from + width) else kept[#kept + 1] = path end
    end
  end
  return kept
end

local label_positions = {"CS", "levels"}

--- Writes the levels of contour lines on them.
local function clabel(axes, ...)
  local a = data.read("Axes.clabel", label_positions, "size inline inline_spacing fmt color zorder", ...)
  if type(a.CS) ~= "table" or not a.CS.levels or a.CS.banded then
    support.fail("TypeError", "clabel() needs the lines that contour() returned")
  end
  a.CS.labels = {size = torch._part "plot.style".size(a.size, 10), inline = a.inline ~= false, fmt = a.fmt or "%1.3f", color = a.color,
    levels = a.levels and data.list(a.levels)}
  if not a.fmt then
    local texts, by_level = ticks.labels(a.CS.levels, a.CS.levels[1], a.CS.levels[#a.CS.levels]), {}
    for k, level in ipairs(a.CS.levels) do by_level[level] = texts[k] end
    a.CS.labels.fmt = function(level) return by_level[level] or ("%g"):format(level) end
  end
  return axes
end

local function is_labelled(artist, level)
  if not artist.labels or not artist.labels.levels then return artist.labels ~= nil end
  for _, wanted in ipairs(artist.labels.levels) do
    if wanted == level then return true end
  end
  return false
end

local function draw_contours(artist, canvas, view)
  local taken = {} -- the places that texts occupy
  for k, level in ipairs(artist.levels) do
    local style = artist.linestyle or (artist.colors and level < 0 and #artist.colors == 1 and "--") or "-"
    local dash = marks.dash(style, artist.linewidth)
    local paths = moved(contour.lines(artist.x, artist.y, artist.z, level), view)
    if is_labelled(artist, level) then paths = label_lines(artist, canvas, view, paths, level, color_of(artist, k, level), taken) end
    canvas:draw{paths = paths, stroke = color_of(artist, k, level), stroke_alpha = artist.alpha,
      width = artist.linewidth, dash = dash, cap = "butt", clip = view.clip}
  end
end

local three_positions, one_positions = {"X", "Y", "Z", "levels"}, {"Z", "levels"}
local WORDS = "levels cmap color alpha vmin vmax linewidth linestyle extend antialiased zorder origin"

local function contours(name, filled)
  return function(axes, ...)
    local a = data.read("Axes." .. name, three_positions, WORDS, ...)
    if a.count <= 2 then a = data.read("Axes." .. name, one_positions, WORDS, ...) end
    data.need("Axes." .. name, a, "Z")
    local z = data.matrix(a.Z)
    if #z < 2 or #z[1] < 2 then support.fail("TypeError", "Input z must be at least a (2, 2) shaped array, but has shape (%d, %d)", #z, #z[1] or 0) end
    local x, y = places(a.X, #z[1], "x", "x"), places(a.Y, #z, "y", "y")
    local low, high = data.range(table.unpack(z))
    if not low then support.fail("ValueError", "z has no finite value") end
    local levels = levels_of(a.levels, low, high, filled)
    local x0, x1 = data.range(x)
    local y0, y1 = data.range(y)
    local colors = a.color
    if type(colors) == "string" then colors = {colors} end
    return axes:add{draw = filled and draw_areas or draw_contours, x = x, y = y, z = z, levels = levels, minimum = low, maximum = high, colors = colors,
      cmap = color.map(a.cmap), vmin = a.vmin or levels[1], vmax = a.vmax or levels[#levels], alpha = a.alpha, linewidth = a.linewidth or 1.5,
      linestyle = a.linestyle, zorder = a.zorder or (filled and 1 or 2), extent = {x0, x1, y0, y1}, sticky_x = {x0, x1}, sticky_y = {y0, y1},
      banded = filled}
  end
end

-- --- the colour bar -------------------------------------------------------------------------------------

-- Returns the colours of a colour bar's rows, from its top.
local function bar_rows(mappable)
  local rows = {}
  if mappable.banded then
    for k = #mappable.levels - 1, 1, -1 do
      rows[#rows + 1] = {color_of(mappable, k, (mappable.levels[k] + mappable.levels[k + 1]) / 2)}
    end
    return rows
  end
  for i = 255, 0, -1 do rows[#rows + 1] = {mappable.cmap:at((i + 0.5) / 256)} end
  return rows
end

local function draw_bar(artist, canvas, view)
  local box, mappable = view.clip, artist.mappable
  local rows = bar_rows(mappable)
  if mappable.banded then -- each area is as high as the distance between its levels
    local n = #mappable.levels
    for k, row in ipairs(rows) do
      canvas:image{x0 = box[1], x1 = box[3], y0 = view.y(mappable.levels[n - k + 1]), y1 = view.y(mappable.levels[n - k]), rows = {row}, columns = 1,
        alpha = mappable.alpha}
    end
  else
    canvas:image{x0 = box[1], x1 = box[3], y0 = box[2], y1 = box[4], rows = rows, columns = 1, alpha = mappable.alpha}
  end
end

local bar_positions = {"mappable", "cax", "ax"}

--- Adds a colour bar for an artist with a colormap, in a cell taken from its axes.
local function colorbar(figure, ...)
  local a = data.read("Figure.colorbar", bar_positions, "label fraction pad shrink aspect ticks orientation", ...)
  local mappable = a.mappable
  if type(mappable) ~= "table" or not mappable.cmap then
    support.fail("RuntimeError", "No mappable was found to use for colorbar creation. First define a mappable such as an image (with imshow) or a contour set "
      .. "(with contourf).")
  end
  local axes = a.ax or mappable.axes
  local fraction, pad, shrink = a.fraction or 0.15, a.pad or 0.05, a.shrink or 1
  local r = axes.rect
  local place = {r[1] + r[3] * (1 - fraction), r[2] + r[4] * (1 - shrink) / 2, r[3] * fraction, r[4] * shrink}
  if not a.cax then axes.rect = {r[1], r[2], r[3] * (1 - fraction - pad), r[4]} end
  local bar = a.cax or figure:add_axes(place)
  if not a.cax then bar.box_aspect = a.aspect or 20 end
  local low, high = mappable.vmin, mappable.vmax
  if mappable.banded then low, high = mappable.levels[1], mappable.levels[#mappable.levels] end
  if low == high then high = low + 1 end
  bar.x.no_labels, bar.x.no_marks, bar.y.right, bar.is_colorbar = true, true, true, true
  bar:set_ylim(low, high)
  if a.ticks then
    bar:set_yticks(a.ticks)
  elseif mappable.levels then
    local some = some_of(mappable.levels)
    bar:set_yticks(some)
    bar.y.labels = ticks.labels(some, low, high)
  end
  bar:add{draw = draw_bar, mappable = mappable, zorder = 0}
  if a.label then bar:set_ylabel(a.label) end
  figure.current = axes
  return bar
end

return function(Axes)
  Axes.clabel = clabel
  Axes.imshow, Axes.contour, Axes.contourf = imshow, contours("contour", false), contours("contourf", true)
  Axes.colorbar_in = colorbar
  function Axes:matshow(...) return self:imshow(...) end
end
