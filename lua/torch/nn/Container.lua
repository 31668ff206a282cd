-- nn/Container.lua: torch.nn.Container, which PyTorch deprecates: a module whose children are given by name.
local torch = ...
local support = torch._part "support"
local Container = torch.nn.Module:extend "Container"

function Container:init(children, ...)
  torch.nn.Module.init(self)
  torch._warn("`nn.Container` is deprecated. All of its functionality is now implemented in `nn.Module`. Subclass that instead.", "FutureWarning")
  if children == nil then return end
  if type(children) ~= "table" or select("#", ...) > 0 then
    support.fail("TypeError", "Container.__init__() takes 1 positional argument but %d were given", 2 + select("#", ...))
  end
  for name, child in pairs(torch.nn.ModuleDict(children)) do self:add_module(name, child) end
end

return Container
