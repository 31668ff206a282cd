-- nn/init/orthogonal_.lua: torch.nn.init.orthogonal_: initializes a matrix (all dimensions but the first are its columns) with
-- orthogonal rows or columns.
local torch = ...

return torch._define("orthogonal_(tensor, gain=1, generator?)", function(tensor, gain, generator)
  if tensor:dim() < 2 then torch._part "support".fail("ValueError", "Only tensors with 2 or more dimensions are supported") end
  if tensor:numel() == 0 or tensor.device.type == "meta" then return tensor end
  local _ <close> = torch.no_grad()
  local rows = tensor.shape[0]
  local drawn = tensor:new_empty{rows, tensor:numel() // rows}:normal_(0, 1, {generator = generator})
  local wide = rows < drawn.shape[1]
  local q, r = torch.linalg.qr(wide and drawn:t() or drawn)
  q = q * torch.diag(r, 0):sign()   -- so that all such matrices are equally likely
  if wide then q = q:t() end
  tensor:view_as(q):copy_(q)
  return tensor:mul_(gain)
end)
