-- A module tells the name of its class, as functions for apply() ask it.
local torch = require "torch"
local nn = torch.nn
local Block = nn.Module:extend "Block"
function Block:init()
  self.conv = nn.Conv2d(1, 2, 3)
  self.norm = nn.BatchNorm2d(2)
end
local net = nn.Sequential(Block(), nn.LeakyReLU())
net:apply(function(m) print(m:_get_name()) end)
