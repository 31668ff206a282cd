-- v2 resamples pictures of bytes as bytes, where v1 goes through float32.
local torch = require "torch"
local transforms, v2 = require "torchvision.transforms", require "torchvision.transforms.v2"
local modes = transforms.InterpolationMode
local picture = (torch.arange(3 * 24 * 31) * 7919 % 251):reshape(3, 24, 31):to(torch.uint8)
local floats = picture:float() / 255

local function say(x)
  print(x.dtype, x.shape, x:double():sum():item(), (x:double():flatten() * torch.arange(x:numel())):sum():item())
end

for _, mode in ipairs {modes.BILINEAR, modes.BICUBIC, modes.NEAREST} do
  for _, antialias in ipairs {true, false} do
    say(v2.functional.resize(picture, {13, 16}, {interpolation = mode, antialias = antialias}))
    say(v2.functional.resize(torch.stack {picture, picture:flip(1)}, {40, 9}, {interpolation = mode, antialias = antialias}))
    say(transforms.functional.resize(picture, {13, 16}, {interpolation = mode, antialias = antialias}))
  end
end
say(v2.functional.resize(picture:to(torch.int16), {13, 16}))
print(v2.functional.resize(floats, {2, 3}))
say(v2.functional.resized_crop(picture, 2, 3, 15, 17, {9, 8}))
for seed = 1, 4 do
  torch.manual_seed(seed)
  say(v2.RandomResizedCrop({16, 20}, {interpolation = seed % 2 == 0 and modes.BICUBIC or modes.BILINEAR})(picture))
end
say(v2.Resize(13)(picture))
print(v2.Resize(13, {max_size = 20})(picture).shape)
print(v2.Resize(13))
print(v2.Resize({5, 6}, {antialias = false}))
print(v2.Resize(5, {max_size = 9}))
