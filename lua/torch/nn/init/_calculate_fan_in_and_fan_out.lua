-- nn/init/_calculate_fan_in_and_fan_out.lua: returns the numbers of inputs and outputs of a weight, as the xavier and kaiming
-- initializers count them. PyTorch's reset_parameters, which users copy into their own layers, calls it.
local torch = ...

return torch._define("_calculate_fan_in_and_fan_out(tensor)", function(tensor)
  if tensor:dim() < 2 then
    torch._part "support".fail("ValueError", "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
  end
  local field = 1   -- elements of a convolution's kernel
  for i = 2, tensor:dim() - 1 do field = field * tensor:size(i) end
  return tensor:size(1) * field, tensor:size(0) * field
end)
