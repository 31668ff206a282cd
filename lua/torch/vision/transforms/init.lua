-- vision/transforms/init.lua: torchvision.transforms: the classes. Those that draw numbers are in random.lua and auto.lua.
local torch = ...
local image = torch._part "vision.transforms.support"
local F = torch._part "torch.vision.transforms.functional"
local fail = torch._part "support".fail
local is_list = image.is_list

local transforms = {functional = F, InterpolationMode = image.InterpolationMode}
local function class(name, ...)
  transforms[name] = image.class(name, ...)
  return transforms[name]
end
local ONLY_TWO = "Please provide only two dimensions (h, w) for size."

-- --- containers -------------------------------------------------------------------------------------------

local Compose = class("Compose", "transforms")
function Compose:forward(...)
  local n = select("#", ...)
  if n == 1 then
    local input = (...)
    for _, transform in ipairs(self.transforms) do input = transform(input) end
    return input
  end
  local values = table.pack(...)
  for _, transform in ipairs(self.transforms) do values = table.pack(transform(table.unpack(values, 1, values.n))) end
  return table.unpack(values, 1, values.n)
end
function Compose:__tostring() return "Compose(" .. image.lines(self.transforms) .. "\n)" end

local Lambda = class("Lambda", "lambd")
function Lambda:prepare()
  if type(self.lambd) ~= "function" and not (getmetatable(self.lambd) or {}).__call then
    fail("TypeError", "Argument lambd should be callable, got '%s'", torch._python_type(self.lambd))
  end
end
function Lambda:forward(...) return self.lambd(...) end

-- --- values -----------------------------------------------------------------------------------------------

local ToTensor = class "ToTensor"
function ToTensor:forward(pic) return F.to_tensor(pic) end -- luacheck: ignore self
local PILToTensor = class "PILToTensor"
function PILToTensor:forward(pic) return F.pil_to_tensor(pic) end -- luacheck: ignore self
local ToPILImage = class("ToPILImage", "mode?")
function ToPILImage:forward(pic) return F.to_pil_image(pic, self.mode) end
function ToPILImage:extra_repr() return self.mode and "mode=" .. self.mode or "" end
local ConvertImageDtype = class("ConvertImageDtype", "dtype")
function ConvertImageDtype:forward(img) return F.convert_image_dtype(img, self.dtype) end

local Normalize = class("Normalize", "mean, std, inplace=false")
function Normalize:forward(tensor) return F.normalize(tensor, self.mean, self.std, self.inplace) end
function Normalize:extra_repr() return ("mean=%s, std=%s"):format(image.show(self.mean, "["), image.show(self.std, "[")) end

local Grayscale = class("Grayscale", "num_output_channels=1", {"num_output_channels"})
function Grayscale:forward(img) return F.rgb_to_grayscale(img, self.num_output_channels) end

local LinearTransformation = class("LinearTransformation", "Tensor transformation_matrix, Tensor mean_vector")
function LinearTransformation:prepare()
  local m, v = self.transformation_matrix, self.mean_vector
  if m:size(0) ~= m:size(1) then
    fail("ValueError", "transformation_matrix should be square. Got %s rectangular matrix.", image.show{m:size(0), m:size(1)})
  end
  if v:size(0) ~= m:size(0) then
    fail("ValueError", "mean_vector should have the same length %d as any one of the dimensions of the transformation_matrix [%s]", v:size(0),
      image.show{m:size(0), m:size(1)})
  end
  if m.dtype ~= v.dtype then fail("ValueError", "Input tensors should have the same dtype. Got %s and %s", tostring(m.dtype), tostring(v.dtype)) end
end
function LinearTransformation:forward(tensor)
  local c, h, w = tensor:size(-3), tensor:size(-2), tensor:size(-1)
  if c * h * w ~= self.transformation_matrix:size(0) then
    fail("ValueError", "Input tensor and transformation matrix have incompatible shape.[%d x %d x %d] != %d", c, h, w,
      self.transformation_matrix:size(0))
  end
  local flat = tensor:reshape(-1, c * h * w) - self.mean_vector
  return torch.mm(flat, self.transformation_matrix:to(flat.dtype)):view(tensor.shape)
end

-- --- sizes ------------------------------------------------------------------------------------------------

local Resize = class("Resize", "size, interpolation='bilinear', max_size?, antialias=true")
function Resize:prepare()
  if type(self.size) == "userdata" and not torch.is_tensor(self.size) then self.size = {self.size[0], self.size[1]} end
  if math.type(self.size) ~= "integer" and not is_list(self.size) then
    fail("TypeError", "Size should be int or sequence. Got %s", torch._part "support".python_class(self.size))
  end
  if is_list(self.size) and #self.size ~= 1 and #self.size ~= 2 then
    fail("ValueError", "If size is a sequence, it should have 1 or 2 values")
  end
  self.interpolation = image.mode(self.interpolation)
end
function Resize:forward(img) return F.resize(img, self.size, self.interpolation, self.max_size, self.antialias) end
function Resize:extra_repr()
  return ("size=%s, interpolation=%s, max_size=%s, antialias=%s"):format(image.show(self.size), self.interpolation, image.show(self.max_size),
    image.show(self.antialias))
end

local function pair_of_size(self) self.size = image.pair(self.size, ONLY_TWO) end

local CenterCrop = class("CenterCrop", "size", {"size"})
CenterCrop.prepare = pair_of_size
function CenterCrop:forward(img) return F.center_crop(img, self.size) end

local FiveCrop = class("FiveCrop", "size", {"size"})
FiveCrop.prepare = pair_of_size
function FiveCrop:forward(img) return F.five_crop(img, self.size) end

local TenCrop = class("TenCrop", "size, vertical_flip=false", {"size", "vertical_flip"})
TenCrop.prepare = pair_of_size
function TenCrop:forward(img) return F.ten_crop(img, self.size, self.vertical_flip) end

local Pad = class("Pad", "padding, fill=0, padding_mode='constant'", {"padding", "fill", "padding_mode"})
function Pad:prepare()
  local padding = self.padding
  if type(padding) ~= "number" and not is_list(padding) then fail("TypeError", "Got inappropriate padding arg") end
  if type(self.fill) ~= "number" and not is_list(self.fill) then fail("TypeError", "Got inappropriate fill arg") end
  local modes = {constant = true, edge = true, reflect = true, symmetric = true}
  if not modes[self.padding_mode] then fail("ValueError", "Padding mode should be either constant, edge, reflect or symmetric") end
  if is_list(padding) and #padding ~= 1 and #padding ~= 2 and #padding ~= 4 then
    fail("ValueError", "Padding must be an int or a 1, 2, or 4 element tuple, not a %d element tuple", #padding)
  end
end
function Pad:forward(img) return F.pad(img, self.padding, self.fill, self.padding_mode) end

for _, part in ipairs{"random", "auto"} do
  for name, value in pairs(torch._part("vision.transforms." .. part)) do transforms[name] = value end
end
transforms.random, transforms.v2 = nil, nil -- a file, not a name of torchvision; and a part that is not loaded yet
return torch._namespace(transforms, "torch.vision.transforms")
