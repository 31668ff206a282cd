-- cpu only: a bad index is an error at the next synchronization
-- A mask alone and a value of one element: a number written where the mask holds, whatever its type and memory.
local torch = require "torch"
local T = torch.tensor
local function try(f, ...)
  local ok, e = pcall(f, ...)
  print(ok and e or e.message)
end
local function set(t, index, value) t[index] = value return t end
local columns, byte = T{true, false, true}, T({1, 0}, {dtype = torch.uint8})
local function of(dtype) return torch.arange(6):reshape(2, 3):to(dtype) end

for _, value in ipairs{2.6, T(2.6), T{2.6}, T{{{7}}}} do
  for _, dtype in ipairs{torch.int64, torch.float64, torch.bool} do
    try(set, of(dtype), T{true, false}, value)
    try(set, of(dtype), {"...", columns}, value)
    try(set, of(dtype), {T{true, false}, columns}, value)
    try(set, of(dtype), {T{0, 1}, 1}, value)
  end
  try(set, of(torch.float32), byte, value)
  try(set, of(torch.float32), columns, value)
  try(set, of(torch.float32), {":", T{true, false}}, value)
  local x = torch.ones({2, 3}, {requires_grad = true}):clone()
  print(set(x, {":", columns}, value).grad_fn:name())
end
try(set, of(torch.float32), T{true, false}, T({1, 2}, {dtype = torch.float64}))
try(set, of(torch.float32), T{true, false}, T({1, 2, 3}, {dtype = torch.float64}))
for _, dtype in ipairs{torch.int8, torch.int16, torch.int32, torch.int64, torch.bfloat16, torch.float64} do
  try(torch.masked_fill, of(torch.float32), of(dtype), 1)
end

-- what is written and read at once
local x = torch.arange(3.0)
try(set, x, columns, x[2])
try(set, x, columns, x["1:2"])
try(set, x, T{true, true, true}, x)
try(set, x, T{0, 1}, x["1:"])
local mask = T{true, false}
try(set, mask, mask, false)
local empty = torch.zeros(0)
try(set, empty, empty:gt(0), empty)
try(set, empty, empty:gt(0), empty["..."])
try(empty.index_copy_, empty, 0, T({}, {dtype = torch.int64}), empty)
try(empty.mul_, empty, empty)
local columns2 = torch.arange(6.0):reshape(3, 2)
try(columns2[":, 0"].index_copy_, columns2[":, 0"], 0, T{0, 1, 2}, columns2[":, 0"])

-- nothing to write to: no index is looked at
try(torch.index_add, torch.zeros(0, 5), 0, T{0, 7}, torch.rand(2, 5))
try(torch.index_add, torch.zeros(0, 5), 1, T{0, 7}, torch.rand(0, 2))
try(torch.index_copy, torch.zeros(0, 5), 1, T{0, 7}, torch.rand(0, 2))
try(torch.index_fill, torch.zeros(0, 5), 1, T{0, 7}, 2)
try(set, torch.zeros(0, 0), {":", T{0, 7}}, 1)

local w = torch.tensor(2.0, {requires_grad = true})
local z = set(torch.zeros(2, 3), {":", columns}, w)
z:sum():backward()
print(z, w.grad)
