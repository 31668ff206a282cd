-- vision/transforms/auto.lua: AutoAugment, RandAugment, TrivialAugmentWide and AugMix: transforms that choose another transform
-- at random. The forms of v1 and v2 draw different numbers.
local torch = ...
local image = torch._part "vision.transforms.support"
local F = torch._part "torch.vision.transforms.functional"
local policies = torch._part "vision.transforms.policies"
local fail = torch._part "support".fail
local is_list = image.is_list
local auto = {}

local function move(img, o, translate, shear, center)
  return F.affine(img, 0.0, translate, 1.0, shear, o.interpolation, o.fill, center)
end
local function shear_angle(magnitude) return math.deg(math.atan(magnitude)) end

-- The operations on an image with a magnitude; o: interpolation, fill, and the functions of v1 or v2.
local OPERATIONS = {
  Identity = function(img) return img end,
  ShearX = function(img, m, o) return move(img, o, {0, 0}, {shear_angle(m), 0.0}, {0, 0}) end,
  ShearY = function(img, m, o) return move(img, o, {0, 0}, {0.0, shear_angle(m)}, {0, 0}) end,
  TranslateX = function(img, m, o) return move(img, o, {image.truncate(m), 0}, {0.0, 0.0}) end,
  TranslateY = function(img, m, o) return move(img, o, {0, image.truncate(m)}, {0.0, 0.0}) end,
  Rotate = function(img, m, o) return F.rotate(img, m, o.interpolation, false, nil, o.fill) end,
  Brightness = function(img, m) return F.adjust_brightness(img, 1.0 + m) end,
  Color = function(img, m, o) return o.F.adjust_saturation(img, 1.0 + m) end,
  Contrast = function(img, m) return F.adjust_contrast(img, 1.0 + m) end,
  Sharpness = function(img, m, o) return o.F.adjust_sharpness(img, 1.0 + m) end,
  Posterize = function(img, m) return F.posterize(img, image.truncate(m)) end,
  Solarize = function(img, m) return F.solarize(img, m) end,
  AutoContrast = function(img, _, o) return o.F.autocontrast(img) end,
  Equalize = function(img) return F.equalize(img) end,
  Invert = function(img) return F.invert(img) end,
}

-- The operations of each transform in torchvision's order.
local GEOMETRY, CHANGES = {"ShearX", "ShearY", "TranslateX", "TranslateY", "Rotate"}, {"Brightness", "Color", "Contrast", "Sharpness"}
local REST = {"Posterize", "Solarize", "AutoContrast", "Equalize"}
local function joined(...)
  local out = {}
  for _, names in ipairs{...} do table.move(names, 1, #names, #out + 1, out) end
  return out
end
local OF_ONE, OF_MIX = joined({"Identity"}, GEOMETRY, CHANGES, REST), joined(GEOMETRY, REST, CHANGES)

-- Returns the magnitudes of each operation (nil: it has none) in `bins` steps. ranges: shear, translate_x, translate_y, turn,
-- change; bits: before and after.
local function magnitudes_of(bins, ranges, bits, modern)
  local function line(to) return torch.linspace(0.0, to, bins) end
  local shear, change = line(ranges[1]), line(ranges[5])
  return {
    ShearX = shear, ShearY = shear, TranslateX = line(ranges[2]), TranslateY = line(ranges[3]), Rotate = line(ranges[4]),
    Brightness = change, Color = change, Contrast = change, Sharpness = change,
    Posterize = bits[1] - (torch.arange(bins) / ((bins - 1) / bits[2])):round():int(),
    Solarize = modern and torch.linspace(1.0, 0.0, bins) or torch.linspace(255.0, 0.0, bins),
  }
end
local SIGNED = {}
for _, name in ipairs(joined(GEOMETRY, CHANGES)) do SIGNED[name] = true end

-- Returns true if a magnitude is negative, drawn as in v1 or as in v2.
local function is_negative(modern)
  if modern then return torch.rand({}):item() <= 0.5 end
  return image.integer(0, 2) == 1
end

local function apply(self, img, name, magnitude)
  local fill = self.fill
  if type(fill) == "number" then
    fill = {}
    for i = 1, (image.dimensions(img)) do fill[i] = self.fill + 0.0 end
  end
  if name == "Solarize" and self.modern then magnitude = magnitude * image.white(img.dtype) end
  return OPERATIONS[name](img, magnitude,
    {F = self.modern and torch._part "torch.vision.transforms.v2.functional" or F, interpolation = self.interpolation, fill = fill})
end

-- Draws an operation and its magnitude, number `fixed` of its magnitudes or one below `maximum`, and applies it.
local function augment(self, img, names, magnitudes, fixed, maximum)
  local name = names[image.integer(0, #names) + 1]
  local list, magnitude = magnitudes[name], 0.0
  if list then magnitude = list[fixed or image.integer(0, maximum)]:item() + 0.0 end
  if SIGNED[name] and is_negative(self.modern) then magnitude = -magnitude end
  return apply(self, img, name, magnitude)
end

-- Returns a class in the forms of v1 and v2. shown: the contents of v1's text; v2's begins with the interpolation.
local function class(name, signature, shown)
  local function form(modern)
    local made = image.class(name, signature)
    made.modern = modern
    function made:prepare()
      self.interpolation = image.mode(self.interpolation)
      if made.check then made.check(self) end
    end
    function made:extra_repr()
      local fill = self.fill
      local mode, texts = "interpolation=" .. (modern and self.interpolation or image.mode_name(self.interpolation)), {}
      local filled = "fill=" .. image.show(fill, is_list(fill) and "[" or nil)
      if modern then
        texts[1] = mode
        if fill ~= nil then texts[2] = filled end
      end
      for _, key in ipairs(shown) do
        texts[#texts + 1] = ("%s=%s"):format(key, key == "policy" and policies.name(self.policy) or image.show(self[key]))
      end
      if not modern and name ~= "AutoAugment" then texts[#texts + 1] = mode end
      if not modern then texts[#texts + 1] = filled end
      return table.concat(texts, ", ")
    end
    return made
  end
  auto[name], auto.v2[name] = form(false), form(true)
  return {auto[name], auto.v2[name]}
end
auto.v2 = {}

-- Defines the same methods for both forms.
local function define(classes, methods)
  for _, made in ipairs(classes) do
    for key, method in pairs(methods) do made[key] = method end
  end
end

-- --- the transforms ------------------------------------------------------------------------------------------

define(class("TrivialAugmentWide", "num_magnitude_bins=31, interpolation='nearest', fill?", {"num_magnitude_bins"}), {
  forward = function(self, img)
    local magnitudes = magnitudes_of(self.num_magnitude_bins, {0.99, 32.0, 32.0, 135.0, 0.99}, {8, 6}, self.modern)
    return augment(self, img, OF_ONE, magnitudes, nil, self.num_magnitude_bins)
  end,
})

-- Returns the magnitudes that fit an image: turns up to 30 degrees, translations up to 150/331 of its size.
local function usual_magnitudes(self, img, bins)
  local _, height, width = image.dimensions(img)
  return magnitudes_of(bins, {0.3, 150.0 / 331.0 * width, 150.0 / 331.0 * height, 30.0, 0.9}, {8, 4}, self.modern)
end

define(class("RandAugment", "num_ops=2, magnitude=9, num_magnitude_bins=31, interpolation='nearest', fill?",
    {"num_ops", "magnitude", "num_magnitude_bins"}), {
  forward = function(self, img)
    local magnitudes = usual_magnitudes(self, img, self.num_magnitude_bins)
    for _ = 1, self.num_ops do img = augment(self, img, OF_ONE, magnitudes, self.magnitude) end
    return img
  end,
})

auto.AutoAugmentPolicy = policies.AutoAugmentPolicy
-- Returns the functions that draw, for the two operations of a policy, if each is applied and the sign of its magnitude. v2
-- draws them when they are needed.
local function draws(modern)
  if modern then
    return function(_, p) return torch.rand({}):item() <= p end, function() return is_negative(true) end
  end
  local chances, signs = torch.rand(2), torch.randint(2, {2})
  return function(i, p) return chances[i]:item() <= torch.tensor(p):item() end, function(i) return signs[i]:item() == 0 end
end

define(class("AutoAugment", "policy='imagenet', interpolation='nearest', fill?", {"policy"}), {
  check = function(self) policies.of(self.policy) end,
  forward = function(self, img)
    local list = policies.of(self.policy)
    local magnitudes = usual_magnitudes(self, img, 10)
    local policy = list[image.integer(0, #list) + 1]
    local is_made, is_turned = draws(self.modern)
    for i, step in ipairs(policy) do
      if is_made(i - 1, step.p) then
        local magnitude = step.magnitude and magnitudes[step.name] and magnitudes[step.name][step.magnitude]:item() + 0.0 or 0.0
        if SIGNED[step.name] and is_turned(i - 1) then magnitude = -magnitude end
        img = apply(self, img, step.name, magnitude)
      end
    end
    return img
  end,
})

define(class("AugMix", "severity=3, mixture_width=3, chain_depth=-1, alpha=1.0, all_ops=true, interpolation='bilinear', fill?",
    {"severity", "mixture_width", "chain_depth", "alpha", "all_ops"}), {
  check = function(self)
    if self.severity < 1 or self.severity > 10 then
      fail("ValueError", "The severity must be between [1, 10]. Got %s instead.", image.show(self.severity))
    end
    self.alpha = self.alpha + 0.0
  end,
  forward = function(self, img)
    local _, height, width = image.dimensions(img)
    local magnitudes = magnitudes_of(10, {0.3, width / 3.0, height / 3.0, 30.0, 0.9}, {4, 4}, self.modern)
    local names = self.all_ops and OF_MIX or joined(GEOMETRY, REST)
    local batch = img
    while batch:dim() < 4 do batch = batch:unsqueeze(0) end
    local rows, shape = batch:size(0), {batch:size(0), 1, 1, 1}
    for _ = 5, batch:dim() do shape[#shape + 1] = 1 end
    local alphas = {}
    for i = 1, self.mixture_width do alphas[i] = self.alpha end
    local share = image.dirichlet(rows, {self.alpha, self.alpha})
    local weights = image.dirichlet(rows, alphas) * share:narrow(1, 1, 1)
    local mix = share:select(1, 0):reshape(shape) * batch
    for i = 0, self.mixture_width - 1 do
      local chain = batch
      for _ = 1, self.chain_depth > 0 and self.chain_depth or image.integer(1, 4) do
        chain = augment(self, chain, names, magnitudes, nil, self.severity)
      end
      mix:add_(weights:select(1, i):reshape(shape) * chain)
    end
    return mix:reshape(img.shape):to(img.dtype)
  end,
})

return auto
