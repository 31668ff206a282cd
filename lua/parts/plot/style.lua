-- style.lua: text sizes by name.
local torch = ...
local support = torch._part "support"

local SIZES = {["xx-small"] = 5.79, ["x-small"] = 6.94, small = 8.33, medium = 10, large = 12, ["x-large"] = 14.4, ["xx-large"] = 17.28}

local style = {}

--- Returns the size in points of a number or a name, or the default.
function style.size(given, default)
  if given == nil then return default end
  if type(given) == "number" and given > 0 and given < 1000 then return given end
  return SIZES[given] or support.fail("ValueError", "'%s' is not a valid font size", tostring(given))
end

function style.is_bold(a)
  local weight = a.fontweight or a.weight
  return weight == "bold" or math.type(weight) and weight >= 600
end

return style
