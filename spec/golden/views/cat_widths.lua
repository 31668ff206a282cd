-- Parts of every width, more of them than one launch takes, long ones, and those that need a copy of their own.
local torch = require "torch"
local function weighed(t)
  t = t:reshape(-1):to(torch.int64)
  return tostring((t * (torch.arange(t:numel()) % 1009)):sum():item())
end
for _, dtype in ipairs {"bool", "uint8", "int16", "int32", "int64", "float64"} do
  for _, width in ipairs {1, 2, 3, 5, 16} do
    local a = torch.arange(7 * width):reshape(7, width):to(torch[dtype])
    local b = (torch.arange(7 * 4):reshape(7, 4) + 3):to(torch[dtype])
    print(dtype, width, weighed(torch.cat({a, b}, 1)), weighed(torch.cat({a:t(), b:t()}, 0)), weighed(torch.stack({a, a}, 1)),
      weighed(torch.stack({a, a}, 2)))
  end
end
local many = {}
for i = 1, 131 do many[i] = torch.arange(i, i + 6):reshape(2, 3) end
many[70] = many[70]:to(torch.int32)
many[90] = torch.arange(6):reshape(3, 2):t()
for dim = 0, 1 do print(dim, weighed(torch.cat(many, dim)), weighed(torch.stack(many, dim))) end
local long = torch.arange(300000)
print(weighed(torch.cat({long, long + 1, long:narrow(0, 5, 7)}, 0)))
print(weighed(torch.cat({long:reshape(3, 100000), long:reshape(3, 100000)}, 1)))
print(weighed(torch.cat({long:reshape(100000, 3), long:reshape(150000, 2):narrow(0, 0, 100000)}, 1)))
print(weighed(torch.repeat_interleave(long % 4)), weighed(torch.repeat_interleave(long % 3 * 2)))
local other = long:clone()
print(torch.equal(long, other), torch.equal(long, long + 1))
other[299999] = 0
print(torch.equal(long, other), torch.equal(long:to(torch.float32), long), torch.equal(long:narrow(0, 0, 3), long:narrow(0, 0, 4)))
