-- contract.lua: torch.tensordot, whose dimensions are a number or two lists, and the form of torch.einsum with lists of numbers.
local torch = ...
local contract = {}

local function numbers(dims)
  if torch.is_tensor(dims) then dims = dims:tolist() end
  return type(dims) == "table" and dims or {dims}
end

-- Contracts a and b. dims: the number of the last dimensions of a and the first of b, or two lists.
local function contracted(a, b, dims, out)
  local of_a, of_b = {}, {}
  if torch.is_tensor(dims) then dims = dims:numel() == 1 and dims:item() or dims:tolist() end
  if type(dims) == "table" then
    of_a, of_b = numbers(dims[1]), numbers(dims[2])
  else
    if dims < 0 then torch._raise("RuntimeError", "tensordot expects dims >= 0, but got dims=" .. dims) end
    if dims > math.min(a:dim(), b:dim()) then
      torch._raise("RuntimeError", "tensordot expects dims < ndim_a or ndim_b, but got dims=" .. dims)
    end
    for i = 1, dims do of_a[i], of_b[i] = i - 1 - dims, i - 1 end
  end
  return torch._tensordot(a, b, of_a, of_b, {out = out})
end
contract.tensordot = torch._define("tensordot(Tensor a, Tensor b, dims=2, Tensor? out)", function(a, b, dims, out)
  return contracted(a, b, dims, out)
end)

local function letters(list)
  local out = {}
  for i, number in ipairs(list) do
    if number == "..." then out[i] = "..."
    elseif number >= 0 and number < 52 then
      out[i] = string.char(number < 26 and 65 + number or 97 + number - 26)
    else
      torch._raise("ValueError", "einsum(): subscript in subscript list is not within the valid range [0, 52)")
    end
  end
  return table.concat(out)
end

--- Computes einsum(a, {0, 1}, b, {1, 2}, {0, 2}) as einsum("AB,BC->AC", a, b).
function contract.einsum_of_lists(...)
  local given, operands, sides = table.pack(...), {}, {}
  for i = 1, given.n - 1, 2 do
    operands[#operands + 1] = given[i]
    sides[#sides + 1] = letters(given[i + 1])
  end
  local equation = table.concat(sides, ",")
  if given.n % 2 == 1 then equation = equation .. "->" .. letters(given[given.n]) end
  return torch._einsum(equation, operands)
end

return contract
