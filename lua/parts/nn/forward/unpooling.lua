-- forward/unpooling.lua: the forward of MaxUnpool with a given output size.
local torch = ...
local F = torch.nn.functional

local out = {}
for n = 1, 3 do
  local name, unpool = ("MaxUnpool%dd"):format(n), ("max_unpool%dd"):format(n)
  out[name] = torch._define(name .. ".forward(self, input, indices, output_size?)", function(self, input, indices, output_size)
    return F[unpool](input, indices, self.kernel_size, self.stride, self.padding, output_size)
  end)
end
return out
