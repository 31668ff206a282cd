-- vision/transforms/random.lua: the transforms of torchvision.transforms that draw numbers, in torchvision's order, so that a
-- seed gives torchvision's images.
local torch = ...
local image = torch._part "vision.transforms.support"
local F = torch._part "torch.vision.transforms.functional"
local fail = torch._part "support".fail
local is_list, show = image.is_list, image.show

local random = {}
local function class(name, ...)
  random[name] = image.class(name, ...)
  return random[name]
end

-- --- containers -------------------------------------------------------------------------------------------

local RandomApply = class("RandomApply", "transforms, p=0.5")
function RandomApply:forward(img)
  if self.p < torch.rand(1):item() then return img end
  for _, transform in ipairs(self.transforms) do img = transform(img) end
  return img
end
function RandomApply:__tostring() return ("RandomApply(\n    p=%s%s\n)"):format(show(self.p), image.lines(self.transforms)) end

-- torchvision draws from Python's generator here, which Tocha lacks: these two follow torch.manual_seed, as those of v2 do.
local RandomChoice = class("RandomChoice", "transforms, p?")
function RandomChoice:prepare()
  if not is_list(self.transforms) then fail("TypeError", "Argument transforms should be a sequence") end
  if self.p ~= nil and not is_list(self.p) then fail("TypeError", "Argument p should be a sequence") end
  if self.p and #self.p ~= #self.transforms then
    fail("ValueError", "Length of p doesn't match the number of transforms: %d != %d", #self.p, #self.transforms)
  end
  local weights = torch.tensor(self.p or torch.ones(#self.transforms):tolist(), {dtype = torch.float64})
  self.probabilities = weights / weights:sum()
end
function RandomChoice:forward(...) return self.transforms[torch.multinomial(self.probabilities, 1):item() + 1](...) end
function RandomChoice:__tostring() return ("RandomChoice(%s\n)(p=%s)"):format(image.lines(self.transforms), show(self.p, "[")) end

local RandomOrder = class("RandomOrder", "transforms")
function RandomOrder:forward(img)
  for _, i in ipairs(torch.randperm(#self.transforms):tolist()) do img = self.transforms[i + 1](img) end
  return img
end
function RandomOrder:__tostring() return "RandomOrder(" .. image.lines(self.transforms) .. "\n)" end

-- --- with a probability, one function -----------------------------------------------------------------------

-- Defines a transform that is applied with probability p. arguments: the signature; shown: its repr; f(self, img).
local function maybe(name, arguments, shown, f)
  local one = class(name, arguments)
  function one:forward(img)
    if image.chance(self.p) then return f(self, img) end
    return img
  end
  function one:extra_repr()
    local parts = {}
    for i, key in ipairs(shown) do parts[i] = key .. "=" .. show(self[key]) end
    return table.concat(parts, ",")
  end
end

maybe("RandomHorizontalFlip", "p=0.5", {"p"}, function(_, img) return F.hflip(img) end)
maybe("RandomVerticalFlip", "p=0.5", {"p"}, function(_, img) return F.vflip(img) end)
maybe("RandomGrayscale", "p=0.1", {"p"}, function(_, img) return F.rgb_to_grayscale(img, (image.dimensions(img))) end)
maybe("RandomInvert", "p=0.5", {"p"}, function(_, img) return F.invert(img) end)
maybe("RandomPosterize", "bits, p=0.5", {"bits", "p"}, function(self, img) return F.posterize(img, self.bits) end)
maybe("RandomSolarize", "threshold, p=0.5", {"threshold", "p"}, function(self, img) return F.solarize(img, self.threshold) end)
maybe("RandomAdjustSharpness", "sharpness_factor, p=0.5", {"sharpness_factor", "p"}, function(self, img)
  return F.adjust_sharpness(img, self.sharpness_factor)
end)
maybe("RandomAutocontrast", "p=0.5", {"p"}, function(_, img) return F.autocontrast(img) end)
maybe("RandomEqualize", "p=0.5", {"p"}, function(_, img) return F.equalize(img) end)

-- --- crops ------------------------------------------------------------------------------------------------

local ONLY_TWO = "Please provide only two dimensions (h, w) for size."

local RandomCrop = class("RandomCrop", "size, padding?, pad_if_needed=false, fill=0, padding_mode='constant'", {"size", "padding"})
function RandomCrop:prepare() self.size = image.pair(self.size, ONLY_TWO) end
function RandomCrop.get_params(img, output_size)
  local _, h, w = image.dimensions(img)
  local height, width = output_size[1], output_size[2]
  if h < height or w < width then
    fail("ValueError", "Required crop size %s is larger than input image size %s", show{height, width}, show{h, w})
  end
  if w == width and h == height then return 0, 0, h, w end
  local i = image.integer(0, h - height + 1)
  local j = image.integer(0, w - width + 1)
  return i, j, height, width
end
function RandomCrop:forward(img)
  local function pad(padding) img = F.pad(img, padding, self.fill, self.padding_mode) end
  if self.padding ~= nil then pad(self.padding) end
  local _, height, width = image.dimensions(img)
  if self.pad_if_needed and width < self.size[2] then pad{self.size[2] - width, 0} end
  if self.pad_if_needed and height < self.size[1] then pad{0, self.size[1] - height} end
  return F.crop(img, RandomCrop.get_params(img, self.size))
end

local function check_ranges(self)
  if not is_list(self.scale) then fail("TypeError", "Scale should be a sequence") end
  if not is_list(self.ratio) then fail("TypeError", "Ratio should be a sequence") end
  if self.scale[1] > self.scale[2] or self.ratio[1] > self.ratio[2] then warn "Scale and ratio should be of kind (min, max)" end
end

-- Returns a function that draws an area and a ratio of sides, in float32 as torchvision does.
local function draw_area(area, scale, ratio)
  local bounds = torch.log(torch.tensor(ratio, {dtype = torch.float32})):tolist()
  return function()
    local part = area * image.uniform(scale[1], scale[2])
    return part, torch.exp(torch.empty(1):uniform_(bounds[1], bounds[2])):item()
  end
end

local RandomResizedCrop = class("RandomResizedCrop", "size, scale?, ratio?, interpolation='bilinear', antialias=true")
function RandomResizedCrop:prepare()
  self.size = image.pair(self.size, ONLY_TWO)
  self.scale, self.ratio = self.scale or {0.08, 1.0}, self.ratio or {3.0 / 4.0, 4.0 / 3.0}
  check_ranges(self)
  self.interpolation = image.mode(self.interpolation)
end
function RandomResizedCrop.get_params(img, scale, ratio)
  local _, height, width = image.dimensions(img)
  local draw = draw_area(height * width, scale, ratio)
  for _ = 1, 10 do
    local area, aspect = draw()
    local w, h = image.round(math.sqrt(area * aspect)), image.round(math.sqrt(area / aspect))
    if w > 0 and w <= width and h > 0 and h <= height then
      local i = image.integer(0, height - h + 1)
      local j = image.integer(0, width - w + 1)
      return i, j, h, w
    end
  end
  local own, w, h = width / height, width, height -- in the middle, as large as the ratio allows
  if own < math.min(ratio[1], ratio[2]) then h = image.round(w / math.min(ratio[1], ratio[2]))
  elseif own > math.max(ratio[1], ratio[2]) then w = image.round(h * math.max(ratio[1], ratio[2])) end
  return (height - h) // 2, (width - w) // 2, h, w
end
function RandomResizedCrop:forward(img)
  local i, j, h, w = RandomResizedCrop.get_params(img, self.scale, self.ratio)
  return F.resized_crop(img, i, j, h, w, self.size, self.interpolation, self.antialias)
end
local function rounded(list)
  local out = {}
  for i, value in ipairs(list) do out[i] = math.type(value) == "integer" and value or image.round(value * 1e4) / 1e4 end
  return out
end
function RandomResizedCrop:extra_repr()
  return ("size=%s, scale=%s, ratio=%s, interpolation=%s, antialias=%s"):format(show(self.size), show(rounded(self.scale)), show(rounded(self.ratio)),
    self.interpolation, show(self.antialias))
end

local RandomErasing = class("RandomErasing", "p=0.5, scale?, ratio?, value=0, inplace=false", {"p", "scale", "ratio", "value", "inplace"})
function RandomErasing:prepare()
  self.scale, self.ratio = self.scale or {0.02, 0.33}, self.ratio or {0.3, 3.3}
  if type(self.value) ~= "number" and type(self.value) ~= "string" and not is_list(self.value) then
    fail("TypeError", "Argument value should be either a number or str or a sequence")
  end
  if type(self.value) == "string" and self.value ~= "random" then fail("ValueError", "If value is str, it should be 'random'") end
  check_ranges(self)
  if self.scale[1] < 0 or self.scale[2] > 1 then fail("ValueError", "Scale should be between 0 and 1") end
  if self.p < 0 or self.p > 1 then fail("ValueError", "Random erasing probability should be between 0 and 1") end
end
function RandomErasing.get_params(img, scale, ratio, value)
  local channels, height, width = img:size(-3), img:size(-2), img:size(-1)
  local draw = draw_area(height * width, scale, ratio)
  for _ = 1, 10 do
    local area, aspect = draw()
    local h, w = image.round(math.sqrt(area * aspect)), image.round(math.sqrt(area / aspect))
    if h < height and w < width then
      local v = value and torch.tensor(value, {dtype = torch.float32}):view(-1, 1, 1) or torch.empty(channels, h, w):normal_()
      local i = image.integer(0, height - h + 1)
      local j = image.integer(0, width - w + 1)
      return i, j, h, w, v
    end
  end
  return 0, 0, height, width, img
end
function RandomErasing:forward(img)
  if not image.chance(self.p) then return img end
  local value = self.value
  if value == "random" then value = nil elseif type(value) == "number" then value = {value + 0.0} end
  if value and #value ~= 1 and #value ~= img:size(-3) then
    fail("ValueError", "If value is a sequence, it should have either a single value or %d (number of input channels)", img:size(-3))
  end
  local i, j, h, w, v = RandomErasing.get_params(img, self.scale, self.ratio, value)
  return F.erase(img, i, j, h, w, v, self.inplace)
end

-- --- colours ----------------------------------------------------------------------------------------------

local ColorJitter = class("ColorJitter", "brightness=0, contrast=0, saturation=0, hue=0", {"brightness", "contrast", "saturation", "hue"})
local function range(name, value, center, low, high)
  if type(value) == "number" then
    if value < 0 then fail("ValueError", "If %s is a single number, it must be non negative.", name) end
    value = {center - value + 0.0, center + value + 0.0}
    if center == 1 then value[1] = math.max(value[1], 0.0) end
  elseif is_list(value) and #value == 2 then
    value = {value[1] + 0.0, value[2] + 0.0}
  else
    fail("TypeError", "%s should be a single number or a list/tuple with length 2.", name)
  end
  if not (low <= value[1] and value[1] <= value[2] and value[2] <= high) then
    fail("ValueError", "%s values should be between %s, but got %s.", name, show{low, high}, show(value, "["))
  end
  if value[1] == value[2] and value[1] == center then return nil end
  return value
end
function ColorJitter:prepare()
  for _, name in ipairs{"brightness", "contrast", "saturation"} do self[name] = range(name, self[name], 1, 0, math.huge) end
  self.hue = range("hue", self.hue, 0, -0.5, 0.5)
end
function ColorJitter.get_params(brightness, contrast, saturation, hue)
  local order = torch.randperm(4)
  local function draw(bounds) return bounds and image.uniform(bounds[1], bounds[2]) end
  local b, c, s, h = draw(brightness), draw(contrast), draw(saturation), draw(hue)
  return order, b, c, s, h
end
function ColorJitter:forward(img)
  local order, b, c, s, h = ColorJitter.get_params(self.brightness, self.contrast, self.saturation, self.hue)
  local steps, factors = {F.adjust_brightness, F.adjust_contrast, F.adjust_saturation, F.adjust_hue}, {b, c, s, h}
  for _, i in ipairs(order:tolist()) do
    if factors[i + 1] then img = steps[i + 1](img, factors[i + 1]) end
  end
  return img
end

-- --- turns and shears --------------------------------------------------------------------------------------

local function check_list(list, name, ...)
  local sizes = table.concat({...}, " or ")
  if not is_list(list) then fail("TypeError", "%s should be a sequence of length %s.", name, sizes) end
  for _, size in ipairs{...} do
    if #list == size then return end
  end
  fail("ValueError", "%s should be a sequence of length %s.", name, sizes)
end

local function angles(x, name, ...)
  if type(x) == "number" then
    if x < 0 then fail("ValueError", "If %s is a single number, it must be positive.", name) end
    return {-x + 0.0, x + 0.0}
  end
  check_list(x, name, ...)
  local out = {}
  for i, angle in ipairs(x) do out[i] = angle + 0.0 end
  return out
end

-- Returns the value outside of an image, one for each channel.
local function fills(fill, img)
  local out = {}
  if is_list(fill) then
    for i, value in ipairs(fill) do out[i] = value + 0.0 end
    return out
  end
  for i = 1, (image.dimensions(img)) do out[i] = fill + 0.0 end
  return out
end
local function check_fill(fill)
  if type(fill) ~= "number" and not is_list(fill) then fail("TypeError", "Fill should be either a sequence or a number.") end
end

local RandomRotation = class("RandomRotation", "degrees, interpolation='nearest', expand=false, center?, fill=0")
function RandomRotation:prepare()
  self.degrees = angles(self.degrees, "degrees", 2)
  if self.center ~= nil then check_list(self.center, "center", 2) end
  check_fill(self.fill)
  self.interpolation = image.mode(self.interpolation)
end
function RandomRotation.get_params(degrees) return image.uniform(degrees[1], degrees[2]) end
function RandomRotation:forward(img)
  local fill = fills(self.fill, img)
  return F.rotate(img, RandomRotation.get_params(self.degrees), self.interpolation, self.expand, self.center, fill)
end
function RandomRotation:extra_repr()
  return ("degrees=%s, interpolation=%s, expand=%s%s, fill=%s"):format(show(self.degrees, "["), self.interpolation, show(self.expand),
    self.center and ", center=" .. show(self.center) or "", show(self.fill))
end

local RandomAffine = class("RandomAffine", "degrees, translate?, scale?, shear?, interpolation='nearest', fill=0, center?")
function RandomAffine:prepare()
  self.degrees = angles(self.degrees, "degrees", 2)
  if self.translate ~= nil then
    check_list(self.translate, "translate", 2)
    for _, t in ipairs(self.translate) do
      if t < 0 or t > 1 then fail("ValueError", "translation values should be between 0 and 1") end
    end
  end
  if self.scale ~= nil then
    check_list(self.scale, "scale", 2)
    for _, s in ipairs(self.scale) do
      if s <= 0 then fail("ValueError", "scale values should be positive") end
    end
  end
  if self.shear ~= nil then self.shear = angles(self.shear, "shear", 2, 4) end
  check_fill(self.fill)
  if self.center ~= nil then check_list(self.center, "center", 2) end
  self.interpolation = image.mode(self.interpolation)
end
function RandomAffine.get_params(degrees, translate, scale_ranges, shears, img_size)
  local angle = image.uniform(degrees[1], degrees[2])
  local tx, ty, scale, shear_x, shear_y = 0, 0, 1.0, 0.0, 0.0
  if translate then
    local dx, dy = translate[1] * img_size[1], translate[2] * img_size[2]
    tx = image.round(image.uniform(-dx, dx))
    ty = image.round(image.uniform(-dy, dy))
  end
  if scale_ranges then scale = image.uniform(scale_ranges[1], scale_ranges[2]) end
  if shears then shear_x = image.uniform(shears[1], shears[2]) end
  if shears and #shears == 4 then shear_y = image.uniform(shears[3], shears[4]) end
  return angle, {tx, ty}, scale, {shear_x, shear_y}
end
function RandomAffine:forward(img)
  local fill = fills(self.fill, img)
  local _, height, width = image.dimensions(img)
  local angle, translate, scale, shear = RandomAffine.get_params(self.degrees, self.translate, self.scale, self.shear, {width, height})
  return F.affine(img, angle, translate, scale, shear, self.interpolation, fill, self.center)
end
function RandomAffine:extra_repr()
  local text = "degrees=" .. show(self.degrees, "[")
  for _, key in ipairs{"translate", "scale"} do
    if self[key] then text = ("%s, %s=%s"):format(text, key, show(self[key])) end
  end
  if self.shear then text = text .. ", shear=" .. show(self.shear, "[") end
  if self.interpolation ~= "nearest" then text = text .. ", interpolation=" .. self.interpolation end
  if self.fill ~= 0 then text = text .. ", fill=" .. show(self.fill) end
  if self.center then text = text .. ", center=" .. show(self.center) end
  return text
end

local RandomPerspective = class("RandomPerspective", "distortion_scale=0.5, p=0.5, interpolation='bilinear', fill=0", {"p"})
function RandomPerspective:prepare()
  check_fill(self.fill)
  self.interpolation = image.mode(self.interpolation)
end
function RandomPerspective.get_params(width, height, distortion_scale)
  local dx, dy = image.truncate(distortion_scale * (width // 2)), image.truncate(distortion_scale * (height // 2))
  local function left() return image.integer(0, dx + 1) end
  local function right() return image.integer(width - dx - 1, width) end
  local function top() return image.integer(0, dy + 1) end
  local function bottom() return image.integer(height - dy - 1, height) end
  local a = {left(), top()}
  local b = {right(), top()}
  local c = {right(), bottom()}
  local d = {left(), bottom()}
  return {{0, 0}, {width - 1, 0}, {width - 1, height - 1}, {0, height - 1}}, {a, b, c, d}
end
function RandomPerspective:forward(img)
  local fill = fills(self.fill, img)
  local _, height, width = image.dimensions(img)
  if not image.chance(self.p) then return img end
  local from, to = RandomPerspective.get_params(width, height, self.distortion_scale)
  return F.perspective(img, from, to, self.interpolation, fill)
end

-- --- blur and bending ---------------------------------------------------------------------------------------

local GaussianBlur = class("GaussianBlur", "kernel_size, sigma?", {"kernel_size", "sigma"})
function GaussianBlur:prepare()
  self.kernel_size = image.pair(self.kernel_size, "Kernel size should be a tuple/list of two integers")
  for _, size in ipairs(self.kernel_size) do
    if size <= 0 or size % 2 == 0 then fail("ValueError", "Kernel size value should be an odd and positive number.") end
  end
  local sigma = self.sigma or {0.1, 2.0}
  if type(sigma) == "number" then
    if sigma <= 0 then fail("ValueError", "If sigma is a single number, it must be positive.") end
    sigma = {sigma, sigma}
  elseif not is_list(sigma) or #sigma ~= 2 then
    fail("ValueError", "sigma should be a single number or a list/tuple with length 2.")
  elseif not (sigma[1] > 0 and sigma[1] <= sigma[2]) then
    fail("ValueError", "sigma values should be positive and of the form (min, max).")
  end
  self.sigma = sigma
end
function GaussianBlur.get_params(low, high) return image.uniform(low, high) end
function GaussianBlur:forward(img)
  local sigma = GaussianBlur.get_params(self.sigma[1], self.sigma[2])
  return F.gaussian_blur(img, self.kernel_size, {sigma, sigma})
end

local ElasticTransform = class("ElasticTransform", "alpha=50.0, sigma=5.0, interpolation='bilinear', fill=0")
function ElasticTransform:prepare()
  for _, name in ipairs{"alpha", "sigma"} do
    local value = self[name]
    if type(value) == "number" then value = {value + 0.0, value + 0.0} end
    if not is_list(value) or #value ~= 2 then
      fail("ValueError", "If %s is a sequence its length should be 2. Got %d", name, is_list(value) and #value or 0)
    end
    self[name] = value
  end
  self.fill = is_list(self.fill) and self.fill or {self.fill + 0.0}
  self.interpolation = image.mode(self.interpolation)
end
function ElasticTransform.get_params(alpha, sigma, size)
  local function one(k, extent)
    local d = torch.rand(1, 1, size[1], size[2]) * 2 - 1
    local n = image.truncate(8 * sigma[k] + 1) | 1
    if sigma[k] > 0 then d = F.gaussian_blur(d, {n, n}, sigma) end
    return d * alpha[k] / extent
  end
  local dx = one(1, size[2])
  local dy = one(2, size[1])
  return torch.cat({dx, dy}, 1):permute(0, 2, 3, 1)
end
function ElasticTransform:forward(img)
  local _, height, width = image.dimensions(img)
  return F.elastic_transform(img, ElasticTransform.get_params(self.alpha, self.sigma, {height, width}), self.interpolation, self.fill)
end
function ElasticTransform:extra_repr()
  return ("alpha=%s, sigma=%s, interpolation=%s, fill=%s"):format(show(self.alpha, "["), show(self.sigma, "["), image.mode_name(self.interpolation),
    show(self.fill, "["))
end

return random
