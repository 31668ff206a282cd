-- forward/transposed.lua: the forward of ConvTranspose with a given output size, from which output_padding follows.
local torch = ...
local support = torch._part "support"
local F = torch.nn.functional

-- Returns the padding of the output that gives the requested size.
local function padding_for(self, input, output_size, n)
  local leading = input.ndim == n + 2 and 2 or 1
  local wanted = {}
  for i = 1, #output_size do wanted[i] = output_size[i] end
  if #wanted == leading + n then wanted = table.move(wanted, leading + 1, #wanted, 1, {}) end
  if #wanted ~= n then
    support.fail("ValueError", "ConvTranspose%dD: for %dD input, output_size must have %d or %d elements (got %d)", n, input.ndim, n,
      leading + n, #output_size)
  end
  local minimum, maximum, padding = {}, {}, {}
  for d = 1, n do
    minimum[d] = (input.shape[leading + d - 1] - 1) * self.stride[d] - 2 * self.padding[d] + self.dilation[d] * (self.kernel_size[d] - 1) + 1
    maximum[d] = minimum[d] + self.stride[d] - 1
    padding[d] = wanted[d] - minimum[d]
  end
  for d = 1, n do
    if wanted[d] < minimum[d] or wanted[d] > maximum[d] then
      local function list(t) return "[" .. table.concat(t, ", ") .. "]" end
      support.fail("ValueError", "requested an output size of %s, but valid sizes range from %s to %s (for an input of %s)", list(wanted),
        list(minimum), list(maximum), tostring(input[leading == 2 and {0, 0} or {0}].shape))
    end
  end
  return padding
end

local function size_list(size)
  if type(size) == "table" then return size end
  local out = {}
  for i = 1, #size do out[i] = size[i - 1] end
  return out
end

local out = {}
for n = 1, 3 do
  local name, transposed = ("ConvTranspose%dd"):format(n), ("conv_transpose%dd"):format(n)
  out[name] = torch._define(name .. ".forward(self, input, output_size?)", function(self, input, output_size)
    local padding = output_size and padding_for(self, input, size_list(output_size), n) or self.output_padding
    return F[transposed](input, self.weight, self.bias, self.stride, self.padding, padding, self.groups, self.dilation)
  end)
end
return out
