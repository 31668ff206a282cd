-- cpu only: moves to the CPU, where tensors are elsewhere
-- Conversions that share and conversions that copy.
local torch = require "torch"
local x = torch.arange(3.)
local same = x:to(torch.float32)
same[0] = 9
print(x)
local other = x:to(torch.float64)
other[0] = 1
print(x, other)
local copy = x:to{dtype = torch.float32, copy = true}
copy[0] = 2
print(x, copy)
print(x:to("cpu"):data_ptr() == x:data_ptr(), x:float():data_ptr() == x:data_ptr())
print(x:int(), x:long().dtype, x:bool(), x:double().dtype, x:half().dtype, x:bfloat16().dtype, x:short().dtype, x:byte().dtype, x:char().dtype)
print(x:type(), x:type(torch.int64), x:type_as(torch.zeros(1, {dtype = torch.float64})))
print(torch.tensor{1.9, -1.9, 0.5}:int(), torch.tensor{1.9, -1.9, 0.0}:bool(), torch.tensor{300}:to(torch.uint8))
