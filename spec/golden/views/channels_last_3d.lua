-- volumes with the channels innermost: conversions, results of operators and modules, refusals
local torch = require "torch"
local F, nn = torch.nn.functional, torch.nn
local volumes, images = torch.channels_last_3d, torch.channels_last

local function strides(title, t) print(title, table.concat(t:stride(), " ")) end
local function refusal(title, f)
  local ok, message = pcall(f)
  print(title, ok, (tostring(message):match "^[^\n]*"))
end

local x = torch.arange(384.0):reshape(2, 3, 4, 4, 4)
local y = x:contiguous{memory_format = volumes}
print(volumes)
print(y:is_contiguous{memory_format = volumes}, y:is_contiguous(), x:is_contiguous{memory_format = volumes}, torch.equal(x, y))
print(torch.zeros(2, 3, 4, 5):is_contiguous{memory_format = volumes}, torch.zeros(1, 3, 1, 1, 1):is_contiguous{memory_format = volumes})
strides("contiguous", y)
strides("one channel", torch.zeros(2, 1, 2, 2, 2):contiguous{memory_format = volumes})
strides("to", x:to{memory_format = volumes})
strides("back", y:contiguous())
strides("clone", x:clone{memory_format = volumes})
strides("empty", torch.empty(2, 3, 4, 5, 6, {memory_format = volumes}))
strides("empty_like", torch.empty_like(x, {memory_format = volumes}))
strides("zeros_like", torch.zeros_like(y))
strides("resize_", torch.empty(2, 3, 4, 5, 6):resize_(1, 2, 3, 4, 5, {memory_format = volumes}))
strides("y + 1", y + 1)
strides("y + x", y + x)
strides("cat", torch.cat{y, y})
strides("relu", F.relu(y))
strides("max_pool3d", F.max_pool3d(y, 2))
strides("avg_pool3d", F.avg_pool3d(y, 2))
strides("interpolate", F.interpolate(y, {scale_factor = 2, mode = "trilinear"}))
strides("pad", F.pad(y, {1, 1}))
strides("BatchNorm3d", nn.BatchNorm3d(3)(y))
strides("Conv3d", nn.Conv3d(3, 4, 2, {padding = 1})(y))
strides("ConvTranspose3d", nn.ConvTranspose3d(3, 4, 2)(y))

local module = nn.Conv3d(3, 4, 2, {padding = 1}):to{memory_format = volumes}
strides("weight", module.weight)
strides("of row-major", module(x))
print(torch.allclose(module(x), module(y), {atol = 1e-6}))
strides("weight again", module:to{memory_format = torch.contiguous_format}.weight)
local leaf = y:clone():requires_grad_()
module(leaf):sum():backward()
strides("grad", leaf.grad)

local image = torch.zeros(2, 3, 4, 5)
refusal("contiguous", function() return image:contiguous{memory_format = volumes} end)
refusal("images", function() return x:contiguous{memory_format = images} end)
refusal("to", function() return image:to{memory_format = volumes} end)
refusal("clone", function() return image:clone{memory_format = volumes} end)
refusal("empty", function() return torch.empty(2, 3, 4, {memory_format = volumes}) end)
refusal("empty_like", function() return torch.empty_like(image, {memory_format = volumes}) end)
refusal("a module of images", function() return nn.Conv2d(2, 3, 2):to{memory_format = volumes} end)
refusal("a module of volumes", function() return nn.Conv3d(2, 3, 2):to{memory_format = images} end)
