-- Padding modules of one and of three dimensions, and a transposed convolution of three: what they print, compute and pass back.
local torch = require "torch"
local nn = torch.nn

local function pass(module, x)
  x = x:clone():requires_grad_()
  local y = module(x)
  print(module, y);
  (y * y):sum():backward()
  print(x.grad)
end

local line = torch.arange(6.0):reshape(1, 2, 3) - 2
local box = torch.arange(8.0):reshape(1, 1, 2, 2, 2) - 3
pass(nn.ZeroPad1d{1, 2}, line)
pass(nn.ReflectionPad1d(2), line)
pass(nn.ReplicationPad1d{0, 2}, line)
pass(nn.ZeroPad3d{1, 0, 0, 0, 0, 1}, box)
pass(nn.ConstantPad3d({0, 1, 0, 0, 0, 0}, 2.5), box)
pass(nn.ReflectionPad3d{1, 0, 0, 1, 0, 0}, box)
pass(nn.ReplicationPad3d{0, 1, 0, 0, 1, 0}, box)
pass(nn.CircularPad3d{1, 0, 0, 0, 0, 1}, box)

torch.manual_seed(3)
local up = nn.ConvTranspose3d(1, 1, 2, {stride = 2, bias = false})
print(up, up.weight.shape)
torch.nn.init.constant_(up.weight, 0.5)
pass(up, box)
