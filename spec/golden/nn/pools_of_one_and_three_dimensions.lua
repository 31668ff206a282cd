-- Pooling modules of one and of three dimensions: what they print, compute and pass back.
local torch = require "torch"
local nn = torch.nn

local function pass(module, x)
  x = x:clone():requires_grad_()
  local y = module(x)
  print(module, y);
  (y * y):sum():backward()
  print(x.grad)
end

local line = torch.arange(12.0):reshape(1, 2, 6):remainder(5) - 2
local box = torch.arange(32.0):reshape(1, 1, 4, 2, 4):remainder(7) - 3
pass(nn.AdaptiveAvgPool1d(3), line)
pass(nn.AdaptiveAvgPool1d(4), line)
pass(nn.AdaptiveMaxPool1d(3), line)
pass(nn.AdaptiveAvgPool3d(2), box)
pass(nn.AdaptiveMaxPool3d(1), box)
pass(nn.AvgPool3d(2), box)
pass(nn.AvgPool3d(2, {stride = 1, padding = 1, count_include_pad = false}), box)
pass(nn.LPPool1d(2, 2), line)
pass(nn.LPPool1d(1, 3, {stride = 1, ceil_mode = true}), line:abs() + 1)
pass(nn.LPPool3d(2, 2), box)

local pool, back = nn.MaxPool1d(2, {stride = 2, return_indices = true}), nn.MaxUnpool1d(2, {stride = 2})
local values, indices = pool(line)
print(back, back(values, indices), indices)
pool, back = nn.MaxPool3d(2, {return_indices = true}), nn.MaxUnpool3d(2)
values, indices = pool(box)
print(back, back(values, indices), indices)
