-- vision/transforms/support.lua: shared by transforms: sizes, modes, numbers rounded and shown as in Python, random draws.
-- Images are tensors (..., channels, height, width). Uint8 tensors take the place of torchvision's PIL images.
local torch = ...
local base = torch._part "support"
local fail = base.fail
local image = {}

-- --- images --------------------------------------------------------------------------------------------

function image.check(img)
  if not torch.is_tensor(img) or img:dim() < 2 then fail("TypeError", "Tensor is not a torch image.") end
end

--- Returns the numbers of channels, rows (height) and columns (width).
function image.dimensions(img)
  image.check(img)
  return img:dim() == 2 and 1 or img:size(-3), img:size(-2), img:size(-1)
end

function image.check_channels(img, ...)
  local channels = image.dimensions(img)
  for _, permitted in ipairs{...} do
    if channels == permitted then return end
  end
  fail("TypeError", "Input image tensor permitted channel values are [%s], but found %d", table.concat({...}, ", "), channels)
end

local LARGEST = {uint8 = 255, int8 = 127, int16 = 32767, int32 = 2147483647, int64 = 9223372036854775807}
--- Returns the value of white in a dtype.
function image.white(dtype) return LARGEST[tostring(dtype):match "[%w_]+$"] or 1 end

--- Returns images as a batch in a dtype to compute in, and a function that converts the result back.
function image.batch(img, is_fit, dtype)
  local own, single = img.dtype, img:dim() < 4
  if single then img = img:unsqueeze(0) end
  local cast = not is_fit(own)
  if cast then img = img:to(dtype) end
  return img, function(out)
    if single then out = out:squeeze(0) end
    if not cast then return out end
    return (own.is_floating_point and out or out:round()):to(own)
  end
end

-- --- arguments -----------------------------------------------------------------------------------------

image.InterpolationMode = {NEAREST = "nearest", NEAREST_EXACT = "nearest-exact", BILINEAR = "bilinear", BICUBIC = "bicubic", BOX = "box",
  HAMMING = "hamming", LANCZOS = "lanczos"}
local PILLOW = {[0] = "nearest", "lanczos", "bilinear", "bicubic", "box", "hamming"}
local NAMES = {}
for name, value in pairs(image.InterpolationMode) do NAMES[value] = name end

--- Returns an interpolation mode, given by its value or by Pillow's number.
function image.mode(interpolation)
  local mode = PILLOW[interpolation] or interpolation
  if NAMES[mode] then return mode end
  return fail("TypeError", "Argument interpolation should be a InterpolationMode or a corresponding Pillow integer constant")
end
--- Returns a mode's name in Python, such as "InterpolationMode.BILINEAR".
function image.mode_name(mode) return "InterpolationMode." .. NAMES[mode] end

local function is_list(value) return type(value) == "table" and getmetatable(value) == nil end
image.is_list = is_list

--- Returns a number, or a list of one or two numbers, as a list of two.
function image.pair(size, message)
  if type(size) == "userdata" and not torch.is_tensor(size) then size = {size[0], size[1]} end -- a torch.Size
  if type(size) == "number" then return {math.tointeger(size) or size // 1 | 0, math.tointeger(size) or size // 1 | 0} end
  if not is_list(size) then fail("TypeError", "object of type '%s' has no len()", torch._python_type(size)) end
  if #size == 1 then return {size[1], size[1]} end
  if #size ~= 2 then fail("ValueError", "%s", message) end
  return {size[1], size[2]}
end

-- --- numbers -------------------------------------------------------------------------------------------

--- Returns Python's int(round(x)): halves are rounded to the even neighbour.
function image.round(x)
  local whole = math.floor(x)
  local rest = x - whole
  if rest > 0.5 or (rest == 0.5 and whole % 2 == 1) then whole = whole + 1 end
  return math.tointeger(whole)
end

--- Returns Python's int(x).
function image.truncate(x) return math.tointeger(x < 0 and math.ceil(x) or math.floor(x)) end

local function show_float(x)
  if x ~= x then return "nan" end
  if x == math.huge or x == -math.huge then return x > 0 and "inf" or "-inf" end
  for digits = 1, 17 do
    local text = base.number("%." .. digits .. "g", x)
    if tonumber(text) == x then
      local exponent = tonumber(text:match "e([+-]%d+)$" or 0)
      if exponent >= 0 and exponent < 16 and text:find "e" then text = base.number("%.0f", x) end
      return text:find "[.e]" and text or text .. ".0"
    end
  end
end

--- Returns a value as Python's repr shows it. Lists are between `open` and its closing bracket ("(" by default).
local function show(value, open)
  if math.type(value) == "float" then return show_float(value) end
  if type(value) == "string" then return value end
  if not is_list(value) then return base.python(value) end
  local parts = {}
  for i, part in ipairs(value) do parts[i] = type(part) == "string" and "'" .. part .. "'" or show(part, open) end
  local text = table.concat(parts, ", ")
  if open == "[" then return "[" .. text .. "]" end
  return "(" .. text .. (#parts == 1 and ",)" or ")")
end
image.show = show

-- --- random draws, each as torchvision makes it ----------------------------------------------------------

--- Returns true with probability p.
function image.chance(p) return torch.rand(1):item() < p end
function image.uniform(low, high) return torch.empty(1):uniform_(low, high):item() end
--- Returns a random whole number from low to high - 1.
function image.integer(low, high) return torch.randint(low, high, {1}):item() end

-- Returns a number of the gamma distribution with this shape, in float64 (Marsaglia and Tsang 2000). PyTorch's constants are
-- float32.
local THIRD, SQUEEZE = string.unpack("f", string.pack("f", 1 / 3)), string.unpack("f", string.pack("f", 0.0331))
local function gamma(alpha)
  local options, scale = {dtype = torch.float64}, 1.0
  if alpha < 1 then
    if alpha == 0 then return 0.0 end
    scale, alpha = (1 - torch.rand(1, options):item()) ^ (1 / alpha), alpha + 1
  end
  local d = alpha - THIRD
  local c = 1 / math.sqrt(9 * d)
  while true do
    local x, y
    repeat
      x = torch.randn(1, options):item()
      y = 1 + c * x
    until y > 0
    local v, u = y * y * y, 1 - torch.rand(1, options):item()
    local xx = x * x
    if u < 1 - SQUEEZE * xx * xx or math.log(u) < 0.5 * xx + d * (1 - v + math.log(v)) then return scale * d * v end
  end
end

--- Returns rows of the Dirichlet distribution with these concentrations, in float32.
function image.dirichlet(rows, alphas)
  local samples = {}
  for row = 1, rows do
    samples[row] = {}
    for i, alpha in ipairs(alphas) do samples[row][i] = math.max(2.2250738585072014e-308, gamma(alpha)) end
  end
  local drawn = torch.tensor(samples, {dtype = torch.float64})
  return (drawn / drawn:sum(-1, true)):to(torch.float32):clamp(1.1754943508222875e-38, 1 - 2.0 ^ -24)
end

-- --- classes --------------------------------------------------------------------------------------------

--- The module class that all transforms derive from. A derived class defines forward(input).
local Transform = torch.nn.Module:extend "Transform"
image.Transform = Transform

--- Returns a class of transforms with this name, the signature of its constructor, and the list of parts that its text shows.
function image.class(name, signature, shown)
  local class = Transform:extend(name)
  local read = torch._define(name .. ".__init__(" .. (signature or "") .. ")")
  function class:init(...)
    for key, value in pairs(read(...)) do self[key] = value end
    if class.prepare then class.prepare(self) end
  end
  if shown then
    function class:extra_repr()
      local parts = {}
      for i, key in ipairs(shown) do parts[i] = key .. "=" .. show(self[key]) end
      return table.concat(parts, ", ")
    end
  end
  return class
end

--- Returns the lines of a container: its transforms, each indented.
function image.lines(transforms)
  local out = {}
  for i, transform in ipairs(transforms) do out[i] = "\n    " .. tostring(transform) end
  return table.concat(out)
end

return image
