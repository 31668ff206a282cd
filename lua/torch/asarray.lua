-- asarray.lua: torch.asarray: makes a tensor of any suitable value, and shares its memory if possible.
local torch = ...
local support = torch._part "support"
local fail = support.fail

local read = torch._define "asarray(obj, *, dtype?, device?, copy?, requires_grad?)"

-- Returns a tensor that shares obj's memory, or nil if obj is neither a tensor nor an array.
local function shared(obj)
  if torch.is_tensor(obj) then return obj end
  return torch._python_type(obj) == "numpy.ndarray" and torch.from_numpy(obj) or nil
end

-- Returns PyTorch's name of a tensor's type: "Float" for float32.
local function kind_of(t) return t:type():match "(%w+)Tensor$" end

return function(...)
  local a = read(...)
  local own = shared(a.obj)
  if not own then
    if a.copy == false then fail("ValueError", "can't alias arbitrary sequence into a tensor.") end
    return torch.tensor(a.obj, {dtype = a.dtype, device = a.device, requires_grad = a.requires_grad or false})
  end
  local result = own:to{dtype = a.dtype or own.dtype, device = a.device or own.device}
  if a.copy == false and not rawequal(result, own) then
    if result.dtype == own.dtype then
      fail("ValueError", "can't alias tensor from device '%s' to '%s'.", own.device, result.device)
    end
    fail("ValueError", "can't alias tensor with dtype '%s' into dtype '%s'.", kind_of(own), kind_of(result))
  end
  if a.copy and rawequal(result, own) then result = own:clone() end
  if a.requires_grad == nil or a.requires_grad == result.requires_grad then return result end
  result = result:detach()
  return a.requires_grad and result:requires_grad_() or result
end
