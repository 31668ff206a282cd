-- The classes of torchvision.transforms: how they print, and what they draw for a seed.
local torch = require "torch"
local T = require "torchvision.transforms"
torch.manual_seed(5)
local bytes = torch.randint(0, 256, {3, 24, 30}, {dtype = torch.uint8})
local floats = torch.rand(3, 24, 30)

local function say(name, t)
  local n = t:numel()
  local weights = torch.remainder(torch.arange(n, {dtype = torch.float64}), 97) + 1
  local sum = (t:reshape(-1):to(torch.float64) * weights):sum():item()
  print(name, t.shape, t.dtype, t.dtype.is_floating_point and ("%.1f"):format(sum) or ("%d"):format(sum))
end
-- quiet: it prints a list as Python's tuple, which the bridge to Python does not know of.
local function draws(transform, quiet)
  if not quiet then print(transform) end
  for seed = 1, 4 do
    torch.manual_seed(seed)
    say("bytes " .. seed, transform(bytes))
    say("floats " .. seed, transform(floats))
    print(torch.rand(1))
  end
end

draws(T.RandomHorizontalFlip())
draws(T.RandomVerticalFlip(0.7))
draws(T.RandomCrop(20))
draws(T.RandomCrop({10, 12}, {padding = 4, padding_mode = "reflect"}))
draws(T.RandomCrop(32, {pad_if_needed = true, fill = 1}))
draws(T.RandomResizedCrop(16))
draws(T.RandomResizedCrop({8, 12}, {scale = {0.5, 0.9}, ratio = {0.9, 1.1}, antialias = false}), true)
draws(T.RandomRotation(30))
draws(T.RandomRotation({10, 60}, {interpolation = T.InterpolationMode.BILINEAR, expand = false, fill = 0.5}))
draws(T.RandomAffine(20))
draws(T.RandomAffine(15, {translate = {0.1, 0.2}, scale = {0.8, 1.2}, shear = 10}), true)
draws(T.RandomAffine({0, 45}, {shear = {-5, 5, -8, 8}, interpolation = T.InterpolationMode.BILINEAR, fill = 1, center = {5, 4}}), true)
draws(T.ColorJitter(0.4, 0.4, 0.4, 0.2))
draws(T.ColorJitter {brightness = {0.5, 1.5}})
draws(T.RandomGrayscale(0.6))
draws(T.RandomErasing(1.0))
draws(T.RandomErasing(0.5, {scale = {0.1, 0.3}, ratio = {0.5, 2.0}, value = "random"}), true)
draws(T.RandomErasing(1.0, {value = {0.1, 0.2, 0.3}}), true)
draws(T.GaussianBlur(5))
draws(T.GaussianBlur({3, 7}, {sigma = 1.5}), true)
draws(T.RandomApply({T.RandomHorizontalFlip(1.0), T.RandomCrop(8)}, 0.4))
draws(T.RandomInvert())
draws(T.RandomAdjustSharpness(2, 0.7))
draws(T.RandomAutocontrast())
draws(T.RandomPerspective(0.4, 1.0))
draws(T.ElasticTransform())
draws(T.Compose {T.RandomCrop(16), T.RandomHorizontalFlip(), T.ColorJitter(0.2)}, true)
for _, transform in ipairs {T.RandomPosterize(3), T.RandomSolarize(100, 0.8), T.RandomEqualize(), T.TrivialAugmentWide(), T.RandAugment(3, 7)} do
  print(transform)
  for seed = 1, 12 do
    torch.manual_seed(seed)
    say(tostring(seed), transform(bytes))
  end
end

say("resize", T.Resize(10)(bytes))
say("center", T.CenterCrop(10)(bytes))
say("pad", T.Pad({1, 2}, {fill = 3})(bytes))
say("gray", T.Grayscale(3)(bytes))
say("convert", T.ConvertImageDtype(torch.float32)(bytes))
say("normalize", T.Normalize({0.5}, {0.25})(floats))
say("lambda", T.Lambda(function(x) return x + 1 end)(floats))
say("linear", T.LinearTransformation(torch.eye(12), torch.ones(12))(torch.rand(3, 2, 2)))
for _, transform in ipairs {T.Resize(7, {max_size = 9, antialias = false}), T.CenterCrop(10), T.Pad(2),
  T.Grayscale(), T.Normalize({0.485, 0.456, 0.406}, {0.229, 0.224, 0.225}), T.FiveCrop(4), T.TenCrop(4)} do
  print(transform)
end
for _, f in ipairs {
  function() return T.RandomCrop(40)(bytes) end,
  function() return T.Resize({1, 2, 3}) end,
  function() return T.Pad(1, {padding_mode = "mirror"}) end,
  function() return T.Pad({1, 2, 3}) end,
  function() return T.RandomRotation(-3) end,
  function() return T.RandomRotation({1, 2, 3}) end,
  function() return T.RandomAffine(3, {translate = {2, 0}}) end,
  function() return T.RandomAffine(3, {scale = {0, 1}}) end,
  function() return T.ColorJitter(-1.0) end,
  function() return T.ColorJitter {hue = 0.7} end,
  function() return T.GaussianBlur(4) end,
  function() return T.GaussianBlur(3, {sigma = {2, 1}}) end,
  function() return T.RandomErasing(2) end,
  function() return T.RandomErasing(1, {value = "noise"}) end,
  function() return T.RandomErasing(1, {value = {1, 2}})(floats) end,
  function() return T.CenterCrop({1, 2, 3}) end,
} do
  local _, e = pcall(f)
  print((tostring(e):gsub("\n.*", "")))
end
