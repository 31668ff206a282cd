-- color.lua: colours and colormaps under matplotlib's names. A colour is a number 0xRRGGBB and an opacity. A colormap is a
-- function of a number from 0 to 1.
local torch = ...
local support = torch._part "support"
local palettes = torch._part "plot.palettes"

local color = {}

local named = {b = 0x0000ff, g = 0x008000, r = 0xff0000, c = 0x00bfbf, m = 0xbf00bf, y = 0xbfbf00, k = 0x000000, w = 0xffffff}
for name, digits in palettes.names:gmatch "(%w+)=(%x+)" do named[name] = tonumber(digits, 16) end

local function list_of(text)
  local list = {}
  for digits in text:gmatch "%x+" do list[#list + 1] = tonumber(digits, 16) end
  return list
end

local CYCLE = list_of(palettes.listed.tab10)
for i, name in ipairs{"blue", "orange", "green", "red", "purple", "brown", "pink", "gray", "olive", "cyan"} do
  named["tab:" .. name] = CYCLE[i]
end

--- Returns colour `i` (from 0) of the cycle that plots use.
function color.cycle(i) return CYCLE[i % #CYCLE + 1] end

local function byte(part) return math.floor(math.max(0, math.min(1, part)) * 255 + 0.5) end
local function pack(r, g, b) return byte(r) << 16 | byte(g) << 8 | byte(b) end

local function of_digits(digits)
  if #digits == 3 or #digits == 4 then digits = digits:gsub("%x", "%0%0") end
  if #digits ~= 6 and #digits ~= 8 then return nil end
  local alpha = #digits == 8 and tonumber(digits:sub(7), 16) / 255 or 1
  return tonumber(digits:sub(1, 6), 16), alpha
end

local function of_text(text)
  local number = text:match "^C(%d+)$"
  if number then return color.cycle(tonumber(number)), 1 end
  local digits = text:match "^#(%x+)$"
  if digits then return of_digits(digits) end
  local grey = tonumber(text)
  if grey and grey >= 0 and grey <= 1 then return pack(grey, grey, grey), 1 end
  local rgb = named[text] or named[text:lower():gsub("grey", "gray")]
  return rgb, rgb and 1
end

--- Returns true if a value is the text of a colour.
function color.is_color(value) return type(value) == "string" and (value == "none" or of_text(value) ~= nil) end

--- Returns the number 0xRRGGBB and the opacity of a colour in any of matplotlib's forms; nil for "none".
function color.parse(value)
  if value == nil or value == "none" then return nil end
  if math.type(value) == "integer" and value >= 0 and value <= 0xffffff then return value, 1 end
  if type(value) == "table" and type(value[1]) == "number" and type(value[2]) == "number" and type(value[3]) == "number" then
    return pack(value[1], value[2], value[3]), tonumber(value[4] or 1)
  end
  local rgb, alpha
  if type(value) == "string" then rgb, alpha = of_text(value) end
  if not rgb then
    support.fail("ValueError", "%s is not a valid value for color", type(value) == "string" and "'" .. value .. "'" or tostring(value))
  end
  return rgb, alpha
end

--- Returns the colour at the fraction `part` (0 to 1) of the way from `a` to `b`.
function color.blend(a, b, part)
  local function mix(shift)
    local from = a >> shift & 255
    return math.floor(from + ((b >> shift & 255) - from) * part + 0.5) << shift
  end
  return mix(16) | mix(8) | mix(0)
end

-- --- colormaps ------------------------------------------------------------------------------------------

-- Returns 256 colours between the stops, as matplotlib computes them.
local function blended(stops)
  local colors = {}
  for i = 0, 255 do
    local at = i / 255 * (#stops - 1)
    local k = math.min(math.floor(at), #stops - 2)
    colors[i + 1] = color.blend(stops[k + 1], stops[k + 2], at - k)
  end
  return colors
end

-- Colormaps that are linear in each channel.
local LINES = {
  gray = "000000 ffffff", binary = "ffffff 000000", cool = "00ffff ff00ff", spring = "ff00ff ffff00", summer = "008066 ffff66",
  autumn = "ff0000 ffff00", winter = "0000ff 00ff80",
}
LINES.grey, LINES.Grays = LINES.gray, palettes.blended.Greys

local Colormap = {__name = "Colormap"}
Colormap.__index = Colormap
Colormap.__tostring = function(map) return ("<matplotlib.colors.Colormap '%s'>"):gsub("matplotlib", "torch.plot"):format(map.name) end

--- Returns the colour at `part` (0 to 1) of the map, or the colour of the nearer end outside that range.
function Colormap:at(part)
  local n = #self.colors
  return self.colors[math.max(1, math.min(n, math.floor(part * n) + 1))]
end
function Colormap.__call(map, part)
  local rgb = map:at(part)
  return {(rgb >> 16) / 255, (rgb >> 8 & 255) / 255, (rgb & 255) / 255, 1.0}
end

local maps = {}

--- Returns the names of all maps, without the reversed ones (_r).
function color.names()
  local names = {}
  for _, group in ipairs{palettes.blended, palettes.listed, LINES} do
    for name in pairs(group) do names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

local function make(name)
  local plain = name:gsub("_r$", "")
  local colors
  if palettes.listed[plain] then
    colors = list_of(palettes.listed[plain])
  elseif palettes.blended[plain] or LINES[plain] then
    colors = blended(list_of(palettes.blended[plain] or LINES[plain]))
  else
    local near = torch._nearest(name, color.names())
    torch._raise("ValueError", ("'%s' is not a valid value for cmap"):format(name), near and ("did you mean '%s'?"):format(near))
  end
  if plain ~= name then
    local turned = {}
    for i, rgb in ipairs(colors) do turned[#colors + 1 - i] = rgb end
    colors = turned
  end
  return setmetatable({name = name, colors = colors}, Colormap)
end

--- Returns a colormap by its name (default viridis), from a list of colours, or the map itself.
function color.map(given)
  if getmetatable(given) == Colormap then return given end
  if type(given) == "table" then
    local colors = {}
    for i, value in ipairs(given) do colors[i] = color.parse(value) end
    if #colors > 0 then return setmetatable({name = "listed", colors = colors}, Colormap) end
  end
  local name = given or "viridis"
  if type(name) ~= "string" then support.fail("TypeError", "cmap must be a name or a colormap, not %s", torch._python_type(name)) end
  maps[name] = maps[name] or make(name)
  return maps[name]
end

return color
