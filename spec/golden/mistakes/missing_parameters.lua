-- Layers whose parameters are not there: set to None, or never made.
local torch = require "torch"
local nn = torch.nn
local function mistake(f, ...)
  local ok, err = pcall(f, ...)
  print(ok and "no error" or (tostring(err):match "[^\n]*"))
end
local x = torch.ones(2, 2)

local function without_weight(layer, inputs)
  layer.weight = nil
  mistake(layer, table.unpack(inputs))
  mistake(function() layer:reset_parameters() end)
end
without_weight(nn.Linear(2, 2), {x})
without_weight(nn.Linear(2, 2, {bias = false}), {x})
without_weight(nn.PReLU(), {x})
without_weight(nn.Bilinear(2, 2, 2), {x, x})
local layer = nn.Linear(2, 3)
layer:register_parameter("weight", nil)
mistake(layer, x)
mistake(nn.Sequential(nn.ReLU(), layer), x)

-- a bias may be None
torch.manual_seed(0)
layer = nn.Linear(2, 3)
layer.bias = nil
layer:reset_parameters()
print(layer(x), layer)

-- a class that does not call its base's constructor
local function never_made(class)
  local Net = class:extend "Net"
  function Net:init() end
  return Net()
end
local net = never_made(nn.Linear)
mistake(net, x)
mistake(function() net:reset_parameters() end)
net = never_made(nn.PReLU)
mistake(net, x)
mistake(function() net:reset_parameters() end)
mistake(never_made(nn.Bilinear), x, x)

-- reset_parameters looks at the parameters that are there, not at what the constructor was given
torch.manual_seed(1)
layer = nn.Linear(2, 3)
layer.weight = nn.Parameter(torch.empty(3, 8))
layer:reset_parameters()
print(layer.weight, layer.bias)
layer = nn.Bilinear(2, 3, 2)
layer.weight = nn.Parameter(torch.empty(2, 5, 3))
layer:reset_parameters()
print(layer.weight, layer.bias)
layer.weight = nn.Parameter(torch.zeros(3))
mistake(function() layer:reset_parameters() end)
layer = nn.Linear(2, 3)
layer.weight = nn.Parameter(torch.zeros(3))
mistake(function() layer:reset_parameters() end)
layer = nn.PReLU(2, {init = 0.5})
layer.weight = nn.Parameter(torch.zeros(3))
layer:reset_parameters()
print(layer.weight)
print(nn.Linear(0, 3).bias, nn.PReLU(0).weight)
mistake(nn.Bilinear, 0, 2, 2)
mistake(nn.Hardtanh, 2, 1)
mistake(nn.Hardtanh, 1.5, 1.5)
mistake(nn.Dropout2d, 2)
