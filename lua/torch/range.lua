-- range.lua: torch.range, the old arange, which includes its end.
local torch = ...
local fail = torch._part("support").fail

local read = torch._define "range(start, end, step=1, *, out?, dtype?, device?, requires_grad=false)"

return function(...)
  local a = read(...)
  torch._warn("torch.range is deprecated and will be removed in a future release because its behavior is inconsistent with Python's " ..
    "range builtin. Instead, use torch.arange, which produces values in [start, end).")
  local first, last, step = a.start, a["end"], a.step
  if step == 0 then fail("RuntimeError", "step must be nonzero") end
  if (step > 0) ~= (last >= first) and last ~= first then
    fail("RuntimeError", "upper bound and lower bound inconsistent with step sign")
  end
  local dtype = a.dtype or a.out and a.out.dtype or torch.get_default_dtype()
  local count = (last - first) // step + 1
  local values = torch.arange(math.tointeger(count), {dtype = torch.float64, device = a.device}) * step + first
  values = values:to(dtype)
  if a.out then return a.out:resize_(values.shape):copy_(values) end
  return a.requires_grad and values:requires_grad_() or values
end
