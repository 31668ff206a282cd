-- unique.lua: torch.unique_consecutive: as many results as were asked for.
local torch = ...

local function unique_consecutive(input, return_inverse, return_counts, dim)
  local values, inverse, counts = torch._VF.unique_consecutive(input, return_inverse, return_counts, dim)
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
