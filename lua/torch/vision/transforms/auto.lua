-- vision/transforms/auto.lua: RandAugment and TrivialAugmentWide: transforms that draw which transform they make.
local torch = ...
local image = torch._part "torch.vision.transforms.support"
local F = torch._part "torch.vision.transforms.functional"
local is_list = image.is_list
local auto = {}

local function move(img, o, translate, shear, center)
  return F.affine(img, 0.0, translate, 1.0, shear, o.interpolation, o.fill, center)
end
local function shear_angle(magnitude) return math.deg(math.atan(magnitude)) end

-- What each does to an image with a magnitude; o: interpolation and fill.
local OPERATIONS = {
  Identity = function(img) return img end,
  ShearX = function(img, m, o) return move(img, o, {0, 0}, {shear_angle(m), 0.0}, {0, 0}) end,
  ShearY = function(img, m, o) return move(img, o, {0, 0}, {0.0, shear_angle(m)}, {0, 0}) end,
  TranslateX = function(img, m, o) return move(img, o, {image.truncate(m), 0}, {0.0, 0.0}) end,
  TranslateY = function(img, m, o) return move(img, o, {0, image.truncate(m)}, {0.0, 0.0}) end,
  Rotate = function(img, m, o) return F.rotate(img, m, o.interpolation, false, nil, o.fill) end,
  Brightness = function(img, m) return F.adjust_brightness(img, 1.0 + m) end,
  Color = function(img, m) return F.adjust_saturation(img, 1.0 + m) end,
  Contrast = function(img, m) return F.adjust_contrast(img, 1.0 + m) end,
  Sharpness = function(img, m) return F.adjust_sharpness(img, 1.0 + m) end,
  Posterize = function(img, m) return F.posterize(img, image.truncate(m)) end,
  Solarize = function(img, m) return F.solarize(img, m) end,
  AutoContrast = function(img) return F.autocontrast(img) end,
  Equalize = function(img) return F.equalize(img) end,
}

-- The operations in torchvision's order, each with its magnitudes (nil: it has none) and whether their sign is drawn.
local function space(bins, shear, translate_x, translate_y, turn, change, posterize)
  local function line(to) return torch.linspace(0.0, to, bins) end
  return {
    {"Identity"}, {"ShearX", line(shear), true}, {"ShearY", line(shear), true}, {"TranslateX", line(translate_x), true},
    {"TranslateY", line(translate_y), true}, {"Rotate", line(turn), true}, {"Brightness", line(change), true}, {"Color", line(change), true},
    {"Contrast", line(change), true}, {"Sharpness", line(change), true},
    {"Posterize", 8 - (torch.arange(bins) / ((bins - 1) / posterize)):round():int()}, {"Solarize", torch.linspace(255.0, 0.0, bins)},
    {"AutoContrast"}, {"Equalize"},
  }
end

-- Draws an operation and its magnitude, the number `fixed` of its magnitudes or one that is drawn, and makes it.
local function augment(img, operations, self, fixed)
  local fill = self.fill
  if type(fill) == "number" then
    fill = {}
    for i = 1, (image.dimensions(img)) do fill[i] = self.fill + 0.0 end
  end
  local name, magnitudes, signed = table.unpack(operations[image.integer(0, #operations) + 1], 1, 3)
  local magnitude = 0.0
  if magnitudes then magnitude = magnitudes[fixed or image.integer(0, magnitudes:size(0))]:item() + 0.0 end
  if signed and image.integer(0, 2) == 1 then magnitude = -magnitude end
  return OPERATIONS[name](img, magnitude, {interpolation = self.interpolation, fill = fill})
end

local function show_common(self)
  local fill = self.fill
  return (", interpolation=%s, fill=%s"):format(image.mode_name(self.interpolation), image.show(fill, is_list(fill) and "[" or nil))
end

local TrivialAugmentWide = image.class("TrivialAugmentWide", "num_magnitude_bins=31, interpolation='nearest', fill?", nil,
  "torchvision.transforms.autoaugment")
auto.TrivialAugmentWide = TrivialAugmentWide
function TrivialAugmentWide:prepare() self.interpolation = image.mode(self.interpolation) end
function TrivialAugmentWide:forward(img)
  return augment(img, space(self.num_magnitude_bins, 0.99, 32.0, 32.0, 135.0, 0.99, 6), self)
end
function TrivialAugmentWide:repr() return "num_magnitude_bins=" .. image.show(self.num_magnitude_bins) .. show_common(self) end

local RandAugment = image.class("RandAugment", "num_ops=2, magnitude=9, num_magnitude_bins=31, interpolation='nearest', fill?", nil,
  "torchvision.transforms.autoaugment")
auto.RandAugment = RandAugment
function RandAugment:prepare() self.interpolation = image.mode(self.interpolation) end
function RandAugment:forward(img)
  local _, height, width = image.dimensions(img)
  local operations = space(self.num_magnitude_bins, 0.3, 150.0 / 331.0 * width, 150.0 / 331.0 * height, 30.0, 0.9, 4)
  for _ = 1, self.num_ops do img = augment(img, operations, self, self.magnitude) end
  return img
end
function RandAugment:repr()
  return ("num_ops=%d, magnitude=%d, num_magnitude_bins=%d"):format(self.num_ops, self.magnitude, self.num_magnitude_bins) .. show_common(self)
end

return auto
