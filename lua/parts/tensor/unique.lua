-- unique.lua: torch.unique and torch.unique_consecutive, with the requested number of results.
local torch = ...

local function asked_for(return_inverse, return_counts, values, inverse, counts)
  if return_inverse and return_counts then return values, inverse, counts end
  if return_inverse then return values, inverse end
  if return_counts then return values, counts end
  return values
end

local function unique(input, sorted, return_inverse, return_counts, dim)
  if dim == nil then return asked_for(return_inverse, return_counts, torch._unique2(input, sorted, return_inverse, return_counts)) end
  if math.type(dim) ~= "integer" then
    torch._raise("TypeError", "unique_dim(): argument 'dim' (position 2) must be int, not " .. torch._python_type(dim))
  end
  return asked_for(return_inverse, return_counts, torch._VF.unique_dim(input, dim))
end

local function unique_consecutive(input, return_inverse, return_counts, dim)
  return asked_for(return_inverse, return_counts, torch._VF.unique_consecutive(input, return_inverse, return_counts, dim))
end

local options = "return_inverse=false, return_counts=false, dim?)"
local read_unique = torch._define("Tensor.unique(sorted=true, " .. options)
local read_consecutive = torch._define("Tensor.unique_consecutive(" .. options)
return {
  unique = torch._define("_return_output(input, sorted=true, " .. options, unique),
  consecutive = torch._define("unique_consecutive(Tensor input, " .. options, unique_consecutive),
  unique_of = function(self, ...)
    local a = read_unique(...)
    return unique(self, a.sorted, a.return_inverse, a.return_counts, a.dim)
  end,
  consecutive_of = function(self, ...)
    local a = read_consecutive(...)
    return unique_consecutive(self, a.return_inverse, a.return_counts, a.dim)
  end,
}
