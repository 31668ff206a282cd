-- marks.lua: markers, dashes, format strings ("r--o") and the colours of an artist.
local torch = ...
local support = torch._part "support"
local color, outline = torch._part "plot.color", torch._part "plot.outline"

local marks = {}

-- --- lines ----------------------------------------------------------------------------------------------

local DASHES = {["--"] = {3.7, 1.6}, ["-."] = {6.4, 1.6, 1, 1.6}, [":"] = {1, 1.65}}
local NAMES = {solid = "-", dashed = "--", dashdot = "-.", dotted = ":", [""] = "None", [" "] = "None", none = "None", None = "None"}

--- Returns the dashes of a line style in points (nil: none), and true if there is a line at all.
function marks.dash(style, width)
  if type(style) == "table" then style = style[2] or style end
  if type(style) == "table" then return style, true end
  style = NAMES[style] or style or "-"
  if style == "None" then return nil, false end
  if style == "-" then return nil, true end
  local pattern = DASHES[style]
  if not pattern then support.fail("ValueError", "'%s' is not a valid value for ls; supported values are '-', '--', '-.', ':', 'None', "
    .. "'solid', 'dashed', 'dashdot', 'dotted'", tostring(style)) end
  local lengths = {}
  for i, length in ipairs(pattern) do lengths[i] = length * width end
  return lengths, true
end

-- --- markers --------------------------------------------------------------------------------------------

local function polygon(sides, start, radius, inner)
  return function(x, y, size)
    local path, r = {closed = true}, size / 2 * (radius or 1)
    local count = inner and sides * 2 or sides
    for i = 0, count - 1 do
      local angle = math.rad(start) + 2 * math.pi * i / count
      local length = inner and i % 2 == 1 and r * inner or r
      path[#path + 1], path[#path + 2] = x + length * math.cos(angle), y - length * math.sin(angle)
    end
    return {path}
  end
end

local function circle(scale)
  return function(x, y, size)
    local path = outline.arc({closed = true}, x, y, size / 2 * scale, size / 2 * scale, 0, 2 * math.pi, size < 12 and 20 or 40)
    path[#path], path[#path - 1] = nil, nil
    return {path}
  end
end

-- Returns the function of a shape, which gives its paths at (x, y) in a size. The lists are the paths' points, in halves of the
-- size, y upwards.
local function shape(closed, ...)
  local lists = {...}
  return function(x, y, size)
    local paths = {}
    for k, list in ipairs(lists) do
      local path = {closed = closed}
      for i = 1, #list, 2 do path[i], path[i + 1] = x + list[i] * size / 2, y - list[i + 1] * size / 2 end
      paths[k] = path
    end
    return paths
  end
end

local SHAPES = {
  o = circle(1), ["."] = circle(0.5), [","] = shape(true, {-0.1, -0.1, 0.1, -0.1, 0.1, 0.1, -0.1, 0.1}),
  s = shape(true, {-1, -1, 1, -1, 1, 1, -1, 1}), D = shape(true, {0, 1.414, 1.414, 0, 0, -1.414, -1.414, 0}),
  d = shape(true, {0, 1.414, 0.85, 0, 0, -1.414, -0.85, 0}), ["^"] = shape(true, {0, 1, 1, -1, -1, -1}),
  v = shape(true, {0, -1, 1, 1, -1, 1}), ["<"] = shape(true, {-1, 0, 1, 1, 1, -1}), [">"] = shape(true, {1, 0, -1, 1, -1, -1}),
  p = polygon(5, 90), h = polygon(6, 90), H = polygon(6, 0), ["8"] = polygon(8, 22.5), ["*"] = polygon(5, 90, 1, 0.381966),
  P = shape(true, {-0.33, -1, 0.33, -1, 0.33, -0.33, 1, -0.33, 1, 0.33, 0.33, 0.33, 0.33, 1, -0.33, 1, -0.33, 0.33, -1, 0.33, -1, -0.33, -0.33, -0.33}),
  X = shape(true, {-0.5, -1, 0, -0.5, 0.5, -1, 1, -0.5, 0.5, 0, 1, 0.5, 0.5, 1, 0, 0.5, -0.5, 1, -1, 0.5, -0.5, 0, -1, -0.5}),
  x = shape(false, {-1, -1, 1, 1}, {-1, 1, 1, -1}), ["+"] = shape(false, {-1, 0, 1, 0}, {0, -1, 0, 1}),
  ["|"] = shape(false, {0, -1, 0, 1}), _ = shape(false, {-1, 0, 1, 0}),
  ["1"] = shape(false, {0, 0, 0, -1}, {0, 0, 0.8, 0.5}, {0, 0, -0.8, 0.5}),
}
local OPEN = {x = true, ["+"] = true, ["|"] = true, _ = true, ["1"] = true}

--- Returns the function that gives a marker's paths at (x, y) in a size, and true if it consists of lines only; nil for "None".
function marks.shape(marker)
  if marker == nil or NAMES[marker] == "None" then return nil end
  if not SHAPES[marker] then support.fail("ValueError", "Unrecognized marker style '%s'", tostring(marker)) end
  return SHAPES[marker], OPEN[marker] or false
end

-- --- format strings -------------------------------------------------------------------------------------

--- Returns a table with the marker, line style and colour of "r--o". Fails if the text is something else.
function marks.format(text)
  if color.is_color(text) and not (text:match "^[%d.]+$") then return {color = text} end
  local found, at = {}, 1
  while at <= #text do
    local two, one = text:sub(at, at + 1), text:sub(at, at)
    if two == "--" or two == "-." then
      found.linestyle, at = two, at + 2
    elseif one == "C" and text:match("^C%d", at) then
      found.color = text:match("^C%d+", at)
      at = at + #found.color
    elseif one == "-" or one == ":" then
      found.linestyle, at = one, at + 1
    elseif ("bgrcmykw"):find(one, 1, true) then
      found.color, at = one, at + 1
    elseif SHAPES[one] then
      found.marker, at = one, at + 1
    else
      support.fail("ValueError", "'%s' is not a valid format string (unrecognized character '%s')", text, one)
    end
  end
  return found
end

--- Returns a colour and its opacity, multiplied by an artist's own opacity.
function marks.paint(value, alpha)
  local rgb, own = color.parse(value)
  return rgb, rgb and (alpha or own)
end

return marks
