-- nn/init/sparse_.lua: torch.nn.init.sparse_: normal numbers, with a fraction of each column set to zero.
local torch = ...

return torch._define("sparse_(tensor, sparsity, std=0.01, generator?)", function(tensor, sparsity, std, generator)
  if tensor:dim() ~= 2 then torch._part "support".fail("ValueError", "Only tensors with 2 dimensions are supported") end
  if tensor.device.type == "meta" then return tensor end
  local rows, columns = tensor.shape[0], tensor.shape[1]
  local zeros = math.ceil(sparsity * rows)
  local _ <close> = torch.no_grad()
  tensor:normal_(0, std, {generator = generator})
  for column = 0, columns - 1 do
    tensor:select(1, column):index_fill_(0, torch.randperm(rows):narrow(0, 0, zeros):to(tensor.device), 0)
  end
  return tensor
end)
