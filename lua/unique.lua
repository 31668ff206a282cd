-- unique.lua: torch.unique_consecutive, made of operators.
local torch = ...

-- Elements (or positions of dim) that equal the one before are left out.
local function unique_consecutive(input, return_inverse, return_counts, dim)
  local whole = dim == nil
  local x = whole and input:flatten() or input:movedim(dim, 0)
  local n = x.shape[0]
  local starts = torch.ones(n, {dtype = torch.bool, device = input.device})
  if n > 1 then
    local differs = torch.ne(x:narrow(0, 1, n - 1), x:narrow(0, 0, n - 1))
    if differs:dim() > 1 then differs = differs:flatten(1):any(1) end
    starts:narrow(0, 1, n - 1):copy_(differs)
  end
  local at = starts:nonzero():flatten()
  local values = x:index_select(0, at)
  local inverse, counts
  if return_inverse then
    inverse = starts:cumsum(0) - 1
    if whole then inverse = inverse:reshape(input.shape) end
  end
  if return_counts then counts = torch.cat({at, torch.tensor({n}, {device = at.device})}):diff() end
  if not whole then values = values:movedim(0, dim) end
  if return_inverse and return_counts then return values, inverse, counts end
  if return_inverse then return values, inverse end
  if return_counts then return values, counts end
  return values
end

local options = "return_inverse=false, return_counts=false, dim?)"
local of_method = torch._define("Tensor.unique_consecutive(" .. options)
return {
  consecutive = torch._define("unique_consecutive(Tensor input, " .. options, unique_consecutive),
  consecutive_of = function(self, ...)
    local a = of_method(...)
    return unique_consecutive(self, a.return_inverse, a.return_counts, a.dim)
  end,
}
