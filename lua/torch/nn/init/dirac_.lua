-- nn/init/dirac_.lua: torch.nn.init.dirac_: initializes a convolution to return its input.
local torch = ...
local support = torch._part "support"

return torch._define("dirac_(tensor, groups=1)", function(tensor, groups)
  if tensor:dim() < 3 or tensor:dim() > 5 then support.fail("ValueError", "Only tensors with 3, 4, or 5 dimensions are supported") end
  if tensor.shape[0] % groups ~= 0 then support.fail("ValueError", "dim 0 must be divisible by groups") end
  local per_group = tensor.shape[0] // groups
  local _ <close> = torch.no_grad()
  tensor:zero_()
  for g = 0, groups - 1 do
    for d = 0, math.min(per_group, tensor.shape[1]) - 1 do
      local place = {g * per_group + d, d}
      for i = 2, tensor.ndim - 1 do place[i + 1] = tensor.shape[i] // 2 end
      tensor[place] = 1
    end
  end
  return tensor
end)
