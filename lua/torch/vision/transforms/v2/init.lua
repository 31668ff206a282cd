-- vision/transforms/v2/init.lua: torchvision.transforms.v2 on images: v1's classes, and v2's additions.
local torch = ...
local image = torch._part "vision.transforms.support"
local F = torch._part "torch.vision.transforms.v2.functional"
local v2 = {functional = F, Transform = image.Transform}
for name, value in pairs(torch._part "torch.vision.transforms") do
  if name ~= "functional" then v2[name] = value end
end
for name, value in pairs(torch._part "vision.transforms.auto".v2) do v2[name] = value end
for name, value in pairs(torch._part "vision.transforms.mix") do v2[name] = value end
local function class(name, ...)
  v2[name] = image.class(name, ...)
  return v2[name]
end

-- v1's classes, with v2's resampling of bytes
v2.Resize, v2.RandomResizedCrop = v2.Resize:extend "Resize", v2.RandomResizedCrop:extend "RandomResizedCrop"
function v2.Resize:forward(img) return F.resize(img, self.size, self.interpolation, self.max_size, self.antialias) end
function v2.Resize:extra_repr()
  local size = type(self.size) == "table" and self.size or {self.size}
  local max_text = self.max_size and ", max_size=" .. self.max_size or ""
  return ("size=%s, interpolation=%s%s, antialias=%s"):format(image.show(size, "["), self.interpolation, max_text, image.show(self.antialias))
end
function v2.RandomResizedCrop:forward(img)
  local i, j, h, w = self.get_params(img, self.scale, self.ratio)
  return F.resized_crop(img, i, j, h, w, self.size, self.interpolation, self.antialias)
end

local ToImage = class "ToImage"
function ToImage:forward(pic) return F.to_image(pic) end -- luacheck: ignore self
local Identity = class "Identity"
function Identity:forward(...) return ... end -- luacheck: ignore self
local RGB = class "RGB"
function RGB:forward(img) return image.dimensions(img) == 1 and img:expand(3, img:size(-2), img:size(-1)) or img end -- luacheck: ignore self

local ToDtype = class("ToDtype", "dtype, scale=false")
function ToDtype:forward(img) return F.to_dtype(img, self.dtype, self.scale) end
function ToDtype:extra_repr() return "scale=" .. image.show(self.scale) end

local GaussianNoise = class("GaussianNoise", "float mean=0.0, float sigma=0.1, clip=true")
function GaussianNoise:forward(img)
  if not img.dtype.is_floating_point then
    torch._part "support".fail("ValueError", "Input tensor is expected to be in uint8 or float dtype, got dtype=%s", tostring(img.dtype))
  end
  local out = img + torch.randn_like(img) * self.sigma + self.mean
  return self.clip and out:clamp(0, 1) or out
end
function GaussianNoise:extra_repr()
  return ("mean=%s, sigma=%s, clip=%s"):format(image.show(self.mean), image.show(self.sigma), image.show(self.clip))
end

return torch._namespace(v2, "torch.vision.transforms.v2")
