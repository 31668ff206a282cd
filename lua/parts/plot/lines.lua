-- lines.lua: draws lines and markers on axes: plot, scatter, errorbar, fill_between, axhline, text and the like.
local torch = ...
local support = torch._part "support"
local data, marks, color = torch._part "plot.data", torch._part "plot.marks", torch._part "plot.color"
local outline, style = torch._part "plot.outline", torch._part "plot.style"

local LINE = "color linestyle linewidth marker markersize markeredgecolor markeredgewidth markerfacecolor alpha label zorder drawstyle markevery"
  .. " clip_on fillstyle scalex scaley dashes"

-- --- lines ----------------------------------------------------------------------------------------------

-- Returns a path of very many points reduced to at most four in each quarter of a point of width: the first, the lowest, the
-- highest, the last.
local function thinned(path)
  if #path < 10000 then return path end
  local result, i, n = {}, 1, #path
  while i <= n do
    local bucket, first, low, high = path[i] * 4 // 1, i, i, i
    while i + 2 <= n and path[i + 2] * 4 // 1 == bucket do
      i = i + 2
      if path[i + 1] < path[low + 1] then low = i end
      if path[i + 1] > path[high + 1] then high = i end
    end
    local last = 0
    for _, k in ipairs{first, math.min(low, high), math.max(low, high), i} do
      if k > last then
        result[#result + 1], result[#result + 2] = path[k], path[k + 1]
        last = k
      end
    end
    i = i + 2
  end
  return result
end

-- Returns the paths of a line in points, cut at numbers that are not finite.
local function paths_of(x, y, view)
  local paths, path = {}, {}
  for i = 1, #x do
    local px, py = view.x(x[i]), view.y(y[i])
    if px == px and py == py and px > -1e7 and px < 1e7 and py > -1e7 and py < 1e7 then
      path[#path + 1], path[#path + 2] = px, py
    elseif #path > 0 then
      paths[#paths + 1], path = thinned(path), {}
    end
  end
  if #path > 0 then paths[#paths + 1] = thinned(path) end
  return paths
end

local function draw_marker(artist, canvas, x, y, size, clip)
  local shape, open = marks.shape(artist.marker)
  if not shape then return end
  local face, face_alpha = marks.paint(artist.markerfacecolor or artist.color, artist.alpha)
  local edge, edge_alpha = marks.paint(artist.markeredgecolor or artist.color, artist.alpha)
  if open then face = nil end
  local width = artist.markeredgewidth or 1
  if artist.marker == "." then width = math.min(width, size / 4) end
  canvas:draw{paths = shape(x, y, size), fill = face, fill_alpha = face_alpha, stroke = edge, stroke_alpha = edge_alpha, width = width, clip = clip,
    join = "miter", cap = "butt"}
end

local function draw_stroke(artist, canvas, paths, clip)
  local width = artist.linewidth or 1.5
  local dash, any = marks.dash(artist.linestyle, width)
  local rgb, alpha = marks.paint(artist.color, artist.alpha)
  if any and rgb then
    canvas:draw{paths = paths, stroke = rgb, stroke_alpha = alpha, width = width, dash = dash, cap = dash and "butt" or "square", clip = clip,
      snap = artist.straight}
  end
end

local function draw_line(artist, canvas, view)
  local clip = artist.clip_on ~= false and view.clip or nil
  local x, y = data.stepped(artist.x, artist.y, artist.drawstyle)
  draw_stroke(artist, canvas, paths_of(x, y, view), clip)
  if not artist.marker then return end
  for i = 1, #artist.x, math.max(1, math.tointeger(artist.markevery) or 1) do
    local px, py = view.x(artist.x[i]), view.y(artist.y[i])
    if px >= view.clip[1] - 1 and px <= view.clip[3] + 1 and py >= view.clip[2] - 1 and py <= view.clip[4] + 1 then
      draw_marker(artist, canvas, px, py, artist.markersize or 6)
    end
  end
end

local function line_handle(artist, canvas, x0, x1, y)
  draw_stroke(artist, canvas, {{x0, y, x1, y}})
  draw_marker(artist, canvas, (x0 + x1) / 2, y, artist.markersize or 6)
end

local function positive(list)
  local smallest = math.huge
  for _, value in ipairs(list) do
    if value > 0 and value < smallest then smallest = value end
  end
  return smallest < math.huge and smallest or nil
end

local function extent(x, y)
  local x0, x1 = data.range(x)
  local y0, y1 = data.range(y)
  return {x0, x1, y0, y1, positive = {x = positive(x), y = positive(y)}}
end

local function update_line(artist, x, y)
  data.same_length(x, y)
  artist.x, artist.y, artist.extent, artist.points = x, y, extent(x, y), {x, y}
end

-- Returns positions for a list of texts. A new text gets the next position, and the axis shows it there as a label.
local function places(axes, axis, list)
  if type(list[1]) ~= "string" then return list end
  local own = axes[axis]
  own.categories = own.categories or {}
  local result = {}
  for i, text in ipairs(list) do
    text = tostring(text)
    local found
    for k, known in ipairs(own.categories) do
      if known == text then found = k end
    end
    if not found then
      own.categories[#own.categories + 1] = text
      found = #own.categories
    end
    result[i] = found - 1.0
  end
  own.ticks, own.labels = {}, {}
  for k, text in ipairs(own.categories) do own.ticks[k], own.labels[k] = k - 1.0, text end
  return result
end

local function counted(n)
  local list = {}
  for i = 1, n do list[i] = i - 1.0 end
  return list
end

local function add_lines(axes, lines, x, y, format, words)
  if y == nil then support.fail("TypeError", "y must be numbers (a tensor, an array, a table), not NoneType") end
  local columns_y = data.columns(y)
  local columns_x = x ~= nil and data.columns(x) or {counted(#columns_y[1])}
  for i, list in ipairs(columns_y) do
    local given = format and marks.format(format) or {}
    local along = places(axes, "x", columns_x[math.min(i, #columns_x)])
    list = places(axes, "y", list)
    data.same_length(along, list)
    local fields = {draw = draw_line, handle = line_handle, update = update_line, zorder = words.zorder or 2, label = words.label}
    if type(words.label) == "table" then fields.label = words.label[i] end
    for key in LINE:gmatch "%S+" do
      if words[key] ~= nil and key ~= "label" then fields[key] = words[key] end
    end
    fields.color = words.color or given.color or axes:next_color()
    color.parse(fields.color)
    fields.marker = fields.marker or given.marker
    marks.shape(fields.marker)
    if given.marker and not given.linestyle and not words.linestyle then fields.linestyle = "None" end
    fields.linestyle = fields.linestyle or given.linestyle
    marks.dash(fields.linestyle, 1)
    if fields.markerfacecolor then color.parse(fields.markerfacecolor) end
    update_line(fields, along, list)
    lines[#lines + 1] = axes:add(fields)
  end
end

local plot_positions = {}

-- Plots plot(y), plot(x, y), plot(x, y, "r--"), and several of these in one call.
local function plot(axes, ...)
  local a = data.read("Axes.plot", plot_positions, LINE, ...)
  local lines, at = {}, 1
  if a.count == 0 then return end
  while at <= a.count do
    local first, second = a[at], a[at + 1]
    if at < a.count and type(second) ~= "string" then
      local format = type(a[at + 2]) == "string" and a[at + 2] or nil
      add_lines(axes, lines, first, second, format, a)
      at = at + (format and 3 or 2)
    else
      local format = at < a.count and second or nil
      add_lines(axes, lines, nil, first, format, a)
      at = at + (format and 2 or 1)
    end
  end
  return table.unpack(lines)
end

local step_positions = {}

local function step(axes, ...)
  local a = data.read("Axes.step", step_positions, LINE .. " where", ...)
  local where = a.where or "pre"
  if where ~= "pre" and where ~= "mid" and where ~= "post" then
    support.fail("ValueError", "'%s' is not a valid value for where; supported values are 'pre', 'post', 'mid'", tostring(where))
  end
  local words = {drawstyle = "steps-" .. where}
  for key in LINE:gmatch "%S+" do words[key] = words[key] or a[key] end
  a[a.count + 1] = words
  return plot(axes, table.unpack(a, 1, a.count + 1))
end

-- --- scatter --------------------------------------------------------------------------------------------

local SCATTER = "cmap vmin vmax alpha linewidth edgecolor label zorder facecolor plotnonfinite"
local scatter_positions = {"x", "y", "s", "color", "marker"}

-- Returns a list of the points' colours, given one by one or as numbers through a colormap; or nil and the single colour.
local function point_colors(a, n, artist)
  local given = a.color
  if given == nil then return nil end
  if color.is_color(given) or type(given) == "string" then return nil, given end
  local tensor = data.tensor(given)
  if not tensor and type(given) == "table" and (type(given[1]) == "string" or type(given[1]) == "table") then
    local colors = {}
    for i = 1, n do colors[i] = color.parse(given[(i - 1) % #given + 1]) end
    return colors
  end
  if not tensor and #given ~= n then return nil, given end
  local values = data.list(given, "c")
  if #values ~= n then
    support.fail("ValueError", "'c' argument has %d elements, which is inconsistent with 'x' and 'y' with size %d.", #values, n)
  end
  local low, high = data.range(values)
  artist.cmap, artist.vmin, artist.vmax = color.map(a.cmap), a.vmin or low or 0, a.vmax or high or 1
  local colors = {}
  for i, value in ipairs(values) do
    local part = artist.vmax > artist.vmin and (value - artist.vmin) / (artist.vmax - artist.vmin) or 0
    colors[i] = value == value and artist.cmap:at(part) or 0xffffff
  end
  return colors
end

local function draw_points(artist, canvas, view)
  local shape, open = marks.shape(artist.marker)
  local edge, edge_alpha = marks.paint(artist.edgecolor ~= "face" and artist.edgecolor or nil, artist.alpha)
  for i = 1, #artist.x do
    local x, y = view.x(artist.x[i]), view.y(artist.y[i])
    local rgb, alpha = marks.paint(artist.colors and artist.colors[i] or artist.color, artist.alpha)
    if x == x and y == y and math.abs(x) < 1e6 and math.abs(y) < 1e6 and (rgb or edge) then
      local size = math.sqrt(artist.sizes[(i - 1) % #artist.sizes + 1])
      local stroke, stroke_alpha, width = edge, edge_alpha, artist.linewidth or 1
      if open then
        stroke, stroke_alpha, width = rgb, alpha, artist.linewidth or 1.5
      elseif not edge and artist.edgecolor ~= "none" then
        size = size + width -- the edge has the colour of the face, and so belongs to the size
      end
      canvas:draw{paths = shape(x, y, size), fill = not open and rgb or nil, fill_alpha = alpha, stroke = stroke, stroke_alpha = stroke_alpha,
        width = width, clip = view.clip, join = "miter", cap = "butt"}
    end
  end
end

local function points_handle(artist, canvas, x0, x1, y)
  local one = setmetatable({x = {0}, y = {0}, sizes = {artist.sizes[1]}}, {__index = artist})
  draw_points(one, canvas, {x = function() return (x0 + x1) / 2 end, y = function() return y end})
end

local function scatter(axes, ...)
  local a = data.read("Axes.scatter", scatter_positions, SCATTER, ...)
  data.need("Axes.scatter", a, "x", "y")
  local x, y = places(axes, "x", data.list(a.x, "x")), places(axes, "y", data.list(a.y, "y"))
  if not x or not y or #x ~= #y then support.fail("ValueError", "x and y must be the same size") end
  local fields = {draw = draw_points, handle = points_handle, x = x, y = y, extent = extent(x, y), points = {x, y}, zorder = a.zorder or 1,
    label = a.label, alpha = a.alpha, edgecolor = a.edgecolor, linewidth = a.linewidth, marker = a.marker or "o"}
  fields.sizes = data.list(a.s or 36, "s")
  marks.shape(fields.marker)
  if fields.edgecolor ~= "face" then color.parse(fields.edgecolor) end
  local plain
  fields.colors, plain = point_colors(a, #x, fields)
  fields.color = plain or a.facecolor or not fields.colors and axes:next_color "areas" or nil
  color.parse(fields.color)
  return axes:add(fields)
end

-- --- error bars, areas ----------------------------------------------------------------------------------

local function errors_of(given, n)
  if given == nil then return nil end
  if type(given) == "table" and support.is_plain(given) and type(given[1]) == "table" then
    return data.repeated(given[1], n), data.repeated(given[2], n)
  end
  local tensor = data.tensor(given)
  if tensor and tensor:dim() == 2 then return data.list(tensor:select(0, 0)), data.list(tensor:select(0, 1)) end
  local list = data.repeated(given, n)
  return list, list
end

local function draw_errors(artist, canvas, view)
  local paths, caps, cap = {}, {}, artist.capsize or 0
  for i = 1, #artist.x do
    local x, y = artist.x[i], artist.y[i]
    if artist.lower then
      local px, a, b = view.x(x), view.y(y - artist.lower[i]), view.y(y + artist.upper[i])
      paths[#paths + 1] = {px, a, px, b}
      caps[#caps + 1], caps[#caps + 2] = {px - cap, a, px + cap, a}, {px - cap, b, px + cap, b}
    end
    if artist.left then
      local py, a, b = view.y(y), view.x(x - artist.left[i]), view.x(x + artist.right[i])
      paths[#paths + 1] = {a, py, b, py}
      caps[#caps + 1], caps[#caps + 2] = {a, py - cap, a, py + cap}, {b, py - cap, b, py + cap}
    end
  end
  local rgb, alpha = marks.paint(artist.color, artist.alpha)
  canvas:draw{paths = paths, stroke = rgb, stroke_alpha = alpha, width = artist.linewidth or 1.5, clip = view.clip, cap = "butt"}
  if cap > 0 then canvas:draw{paths = caps, stroke = rgb, stroke_alpha = alpha, width = artist.capwidth or 1, clip = view.clip, cap = "butt"} end
end

-- Draws the legend's symbol of a line with error bars, with bars of its own behind it.
local function error_handle(artist, canvas, x0, x1, y)
  local bars, middle, reach = artist.errors, (x0 + x1) / 2, 5
  local one = {x = {0}, y = {0}, color = bars.color, linewidth = bars.linewidth, alpha = bars.alpha, capsize = bars.capsize, capwidth = bars.capwidth}
  if bars.lower then one.lower, one.upper = {reach}, {reach} end
  if bars.left then one.left, one.right = {reach}, {reach} end
  draw_errors(one, canvas, {x = function(v) return middle + v end, y = function(v) return y + v end})
  line_handle(artist, canvas, x0, x1, y)
end

local error_positions = {"x", "y", "yerr", "xerr", "fmt"}

local function shifted(list, by, sign)
  local result = {}
  for i, value in ipairs(list) do result[i] = value + sign * (by and by[i] or 0) end
  return result
end

local function errorbar(axes, ...)
  local a = data.read("Axes.errorbar", error_positions, LINE .. " ecolor elinewidth capsize capthick", ...)
  data.need("Axes.errorbar", a, "x", "y")
  local x, y = data.list(a.x, "x"), data.list(a.y, "y")
  local words = {label = a.label, zorder = a.zorder}
  for key in LINE:gmatch "%S+" do words[key] = a[key] end
  local lines = {}
  add_lines(axes, lines, x, y, a.fmt ~= "none" and a.fmt or nil, words)
  local line = lines[1]
  line.composed = true
  if a.fmt == "none" then line.linestyle = "None" end
  line.zorder = line.zorder + 0.1 -- above its bars
  local fields = {draw = draw_errors, x = line.x, y = line.y, color = a.ecolor or line.color, linewidth = a.elinewidth or line.linewidth, alpha = a.alpha,
    capsize = a.capsize, capwidth = a.capthick, zorder = line.zorder - 0.1}
  fields.lower, fields.upper = errors_of(a.yerr, #line.y)
  fields.left, fields.right = errors_of(a.xerr, #line.x)
  fields.extent = {data.range(shifted(line.x, fields.left, -1), shifted(line.x, fields.right, 1))}
  fields.extent[3], fields.extent[4] = data.range(shifted(line.y, fields.lower, -1), shifted(line.y, fields.upper, 1))
  line.errors, line.handle = axes:add(fields), error_handle
  return line
end

local function patch_handle(artist, canvas, x0, x1, y)
  local rgb, alpha = marks.paint(artist.facecolor or artist.color, artist.alpha)
  local edge, edge_alpha = marks.paint(artist.edgecolor, artist.alpha)
  canvas:draw{paths = {outline.rectangle(x0, y - 3.5, x1, y + 3.5)}, fill = artist.fill ~= false and rgb or nil, fill_alpha = alpha, stroke = edge,
    stroke_alpha = edge_alpha, width = artist.linewidth or 1, join = "miter"}
end

local function draw_area(artist, canvas, view)
  local path = {closed = true}
  for i = 1, #artist.x do path[#path + 1], path[#path + 2] = view.x(artist.x[i]), view.y(artist.y[i]) end
  for i = #artist.x, 1, -1 do path[#path + 1], path[#path + 2] = view.x(artist.x[i]), view.y(artist.y2[i]) end
  for i = 1, #path do path[i] = math.max(-1e6, math.min(1e6, path[i])) end
  local rgb, alpha = marks.paint(artist.color, artist.alpha)
  local edge, edge_alpha = marks.paint(artist.edgecolor, artist.alpha)
  canvas:draw{paths = {path}, fill = rgb, fill_alpha = alpha, stroke = edge, stroke_alpha = edge_alpha, width = artist.linewidth or 1, clip = view.clip}
end

local between_positions = {"x", "y1", "y2", "where"}

-- Returns the stretches of x for which a condition is true: {first, last}, ...
local function stretches(where, n)
  if where == nil then return {{1, n}} end
  local list, first = {}, nil
  for i = 1, n + 1 do
    local on = i <= n and where[i] ~= 0
    if on and not first then first = i end
    if not on and first then
      list[#list + 1] = {first, i - 1}
      first = nil
    end
  end
  return list
end

-- Returns the points of both edges of an area.
local function both_edges(x, y1, y2)
  local n = #x
  return {table.move(x, 1, n, n + 1, table.move(x, 1, n, 1, {})), table.move(y2, 1, n, n + 1, table.move(y1, 1, n, 1, {}))}
end

local function fill_between(axes, ...)
  local a = data.read("Axes.fill_between", between_positions, "color facecolor edgecolor alpha label zorder linewidth interpolate step", ...)
  data.need("Axes.fill_between", a, "x", "y1")
  local x = data.list(a.x, "x")
  local y1, y2 = data.repeated(a.y1, #x, 0), data.repeated(a.y2, #x, 0)
  data.same_length(x, y1)
  data.same_length(x, y2)
  local paint = a.color or a.facecolor or axes:next_color "areas"
  color.parse(paint)
  local artist
  for i, part in ipairs(stretches(a.where and data.list(a.where), #x)) do
    local function cut(list) return table.move(list, part[1], part[2], 1, {}) end
    local whole = extent(x, y1)
    whole[3], whole[4] = data.range(y1, y2)
    artist = axes:add{draw = draw_area, handle = patch_handle, x = cut(x), y = cut(y1), y2 = cut(y2), extent = whole, points = both_edges(x, y1, y2),
      color = paint, edgecolor = a.edgecolor, alpha = a.alpha, label = i == 1 and a.label or nil, zorder = a.zorder or 1, linewidth = a.linewidth}
  end
  return artist
end

-- --- lines across ---------------------------------------------------------------------------------------

local function across(name, axis, positions)
  return function(axes, ...)
    local a = data.read("Axes." .. name, positions, LINE, ...)
    local at = (a[axis] or 0) + 0.0
    local fields = {handle = line_handle, zorder = a.zorder or 2, label = a.label, linewidth = a.linewidth, linestyle = a.linestyle, alpha = a.alpha,
      color = a.color or "C0", straight = true, extent = axis == "x" and {at, at} or {nil, nil, at, at}}
    color.parse(fields.color)
    local from, to = a[positions[2]] or 0, a[positions[3]] or 1
    function fields.draw(artist, canvas, view)
      local box = view.clip
      local path
      if axis == "x" then
        path = {view.x(at), box[4] + (box[2] - box[4]) * from, view.x(at), box[4] + (box[2] - box[4]) * to}
      else
        path = {box[1] + (box[3] - box[1]) * from, view.y(at), box[1] + (box[3] - box[1]) * to, view.y(at)}
      end
      draw_stroke(artist, canvas, {path}, box)
    end
    return axes:add(fields)
  end
end

local function shaded(name, axis, positions)
  return function(axes, ...)
    local a = data.read("Axes." .. name, positions, "color facecolor edgecolor alpha label zorder linewidth", ...)
    local low, high = a[positions[1]], a[positions[2]]
    data.need("Axes." .. name, a, positions[1], positions[2])
    local fields = {handle = patch_handle, color = a.color or a.facecolor or "C0", alpha = a.alpha, label = a.label, zorder = a.zorder or 1,
      extent = axis == "x" and {low, high} or {nil, nil, low, high}}
    function fields.draw(artist, canvas, view)
      local box = view.clip
      local rgb, alpha = marks.paint(artist.color, artist.alpha)
      local path = axis == "x" and outline.rectangle(view.x(low), box[2], view.x(high), box[4])
        or outline.rectangle(box[1], view.y(low), box[3], view.y(high))
      canvas:draw{paths = {path}, fill = rgb, fill_alpha = alpha, clip = box}
    end
    return axes:add(fields)
  end
end

-- --- texts ----------------------------------------------------------------------------------------------

local TEXT = "size color alpha horizontalalignment verticalalignment rotation fontweight weight transform zorder bbox clip_on"

-- Draws the box around a text: a rectangle four points away, or as `boxstyle` says: "round", "round,pad=0.5" (as a fraction of
-- the letters' size).
local function draw_box(canvas, layout, size, words)
  local name, part = words.boxstyle or "square", tonumber((words.boxstyle or ""):match "pad=([%d.]+)")
  local pad = words.boxstyle and size * (part or 0.3) or words.pad or 4
  local rgb, alpha = marks.paint(words.facecolor or words.fc or "C0", words.alpha)
  local edge = color.parse(words.edgecolor or words.ec or "black")
  local round = name:find "^round" and pad or 0
  local around = {layout.left - pad, layout.top - pad, layout.right + pad, layout.bottom + pad, round}
  canvas:draw{paths = {(round > 0 and outline.rounded or outline.rectangle)(table.unpack(around))}, fill = rgb, fill_alpha = alpha, stroke = edge,
    width = 1, join = round == 0 and "miter" or nil}
end

local function draw_text(artist, canvas, view)
  local x, y = view.x(artist.at[1]), view.y(artist.at[2])
  if artist.inside then
    local box = view.clip
    x, y = box[1] + (box[3] - box[1]) * artist.at[1], box[4] + (box[2] - box[4]) * artist.at[2]
  end
  local to_x, to_y = x, y
  if artist.tip then to_x, to_y = view.x(artist.tip[1]), view.y(artist.tip[2]) end
  if artist.offset then x, y = to_x + artist.offset[1], to_y - artist.offset[2] end
  local t = {text = artist.text, x = x, y = y, size = artist.size, ha = artist.ha, va = artist.va, rotation = artist.rotation, color = artist.color,
    alpha = artist.alpha, bold = artist.bold}
  local layout = view.axes:write(nil, t)
  if artist.box then draw_box(canvas, layout, artist.size, artist.box) end
  if artist.arrow then artist.arrow(canvas, layout, to_x, to_y) end
  view.axes:write(canvas, t)
end

-- Returns a function that draws the arrow from the middle of a text to (x, y), as far as it is outside the text.
local function arrow_of(words)
  local paint = words.color or words.facecolor or words.fc or "black"
  color.parse(paint)
  return function(canvas, layout, x, y)
    local middle_x, middle_y = (layout.left + layout.right) / 2, (layout.top + layout.bottom) / 2
    local dx, dy = x - middle_x, y - middle_y
    local inside = math.min(((layout.right - layout.left) / 2 + 4) / math.abs(dx), ((layout.bottom - layout.top) / 2 + 4) / math.abs(dy))
    if inside ~= inside or inside >= 1 then return end -- it points into the text
    local from_x, from_y = middle_x + dx * inside, middle_y + dy * inside
    local length = math.sqrt((x - from_x) ^ 2 + (y - from_y) ^ 2)
    if length < 3 then return end
    local ux, uy = (x - from_x) / length, (y - from_y) / length
    local rgb = color.parse(paint)
    local tip_x, tip_y = x - ux * 2, y - uy * 2
    canvas:draw{paths = {{from_x, from_y, tip_x, tip_y}}, stroke = rgb, width = words.lw or words.linewidth or 1}
    local head = words.arrowstyle ~= "-" and 5 or 0
    if words.arrowstyle == "->" then
      canvas:draw{paths = {{tip_x - ux * 4 - uy * 2, tip_y - uy * 4 + ux * 2, tip_x, tip_y, tip_x - ux * 4 + uy * 2, tip_y - uy * 4 - ux * 2}}, stroke = rgb,
        width = words.lw or words.linewidth or 1}
    elseif head > 0 then
      canvas:draw{paths = {{tip_x - ux * head - uy * 2.2, tip_y - uy * head + ux * 2.2, tip_x, tip_y, tip_x - ux * head + uy * 2.2,
        tip_y - uy * head - ux * 2.2, closed = true}}, fill = rgb, stroke = rgb, width = 0.8, join = "miter"}
    end
  end
end

local function text_fields(a, text, at)
  if type(at[1]) ~= "number" or type(at[2]) ~= "number" then support.fail("TypeError", "a text needs numbers x and y") end
  color.parse(a.color)
  return {draw = draw_text, text = tostring(text), at = at, size = style.size(a.size, 10), color = a.color, alpha = a.alpha, ha = a.horizontalalignment,
    va = a.verticalalignment, rotation = a.rotation == "vertical" and 90 or a.rotation, bold = style.is_bold(a), zorder = a.zorder or 3, box = a.bbox,
    inside = a.transform == "axes"}
end

local function number(value) return torch.is_tensor(value) and value:item() or value end

local text_positions, annotate_positions = {"x", "y", "s"}, {"text", "xy", "xytext"}

local function text(axes, ...)
  local a = data.read("Axes.text", text_positions, TEXT, ...)
  data.need("Axes.text", a, "x", "y", "s")
  return axes:add(text_fields(a, a.s, {number(a.x), number(a.y)}))
end

local function annotate(axes, ...)
  local a = data.read("Axes.annotate", annotate_positions, TEXT .. " arrowprops textcoords xycoords", ...)
  data.need("Axes.annotate", a, "text", "xy")
  local xy = data.list(a.xy, "xy")
  local at = a.xytext and data.list(a.xytext, "xytext") or xy
  local fields = text_fields(a, a.text, at)
  fields.tip = xy
  if a.textcoords == "offset points" then fields.offset = at end
  fields.arrow = a.arrowprops and arrow_of(a.arrowprops)
  return axes:add(fields)
end

-- --- into the class -------------------------------------------------------------------------------------

local function scaled(axis_scales)
  return function(axes, ...)
    for axis in axis_scales:gmatch "." do axes[axis].scale = "log" end
    return plot(axes, ...)
  end
end

return function(Axes)
  Axes.step = step
  Axes.plot, Axes.scatter, Axes.errorbar, Axes.fill_between = plot, scatter, errorbar, fill_between
  Axes.semilogx, Axes.semilogy, Axes.loglog = scaled "x", scaled "y", scaled "xy"
  Axes.axhline, Axes.axvline = across("axhline", "y", {"y", "xmin", "xmax"}), across("axvline", "x", {"x", "ymin", "ymax"})
  Axes.axhspan, Axes.axvspan = shaded("axhspan", "y", {"ymin", "ymax"}), shaded("axvspan", "x", {"xmin", "xmax"})
  Axes.text, Axes.annotate = text, annotate
  Axes.places = places
  Axes.patch_handle = function(...) return patch_handle(...) end
end
