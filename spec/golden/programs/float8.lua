-- cpu only: names kernels of the CPU
-- float8 tensors: how they print, what refuses them, and products with scales.
local torch = require "torch"
local function said(f, ...)
  local ok, err = pcall(f, ...)
  print(ok and err or (tostring(err):match "[^\n]*"))
end

local e4m3, e5m2 = torch.float8_e4m3fn, torch.float8_e5m2
local x = torch.tensor({{1.06, -2.5, 300.0}, {0.001, 1e9, -0.0}})
for _, dtype in ipairs{e4m3, e5m2, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz, torch.float8_e8m0fnu} do
  local y = x:to(dtype)
  print(y, y:view(torch.uint8), y:type(), y:half().dtype)
  print(y:t()[1], torch.cat({y, y}, 1).shape, torch.equal(y, y:clone()))
  said(torch.add, y, y)
  said(torch.exp, y)
  said(torch.sort, y)
  said(torch.mul, y, y)
  said(torch.abs, y)
  said(torch.add, y, x)
  said(torch.add, x, y)
  said(torch.div, y, 2)
  said(torch.mul, y, 2.0)
  said(torch.sum, y)
  said(torch.eq, y, y:t():contiguous():t())
end

print(torch.promote_types(e4m3, e4m3), torch.can_cast(e4m3, torch.int32), torch.can_cast(torch.int32, e4m3))
said(torch.promote_types, e4m3, torch.int64)

local a = ((torch.arange(64) % 13 - 6) / 4):view(4, 16):to(e4m3)
local b = ((torch.arange(128) % 11 - 5) / 2):view(16, 8)
local one, half = torch.tensor(1.0), torch.tensor(0.5)
local left, right = torch.tensor({{0.5}, {1.0}, {2.0}, {4.0}}), torch.tensor({{1.0, 2.0, 1.0, 0.5, 1.0, 1.0, 2.0, 4.0}})
for _, dtype in ipairs{e4m3, e5m2} do
  local c = b:to(dtype)
  print(torch._scaled_mm(a, c, one, half))
  print(torch._scaled_mm(a, c, one, half, {out_dtype = torch.float32}))
  print(torch._scaled_mm(a, c, left, right, {out_dtype = torch.bfloat16}))
  print(torch._scaled_mm(a, c, one, half, {bias = torch.ones(8), out_dtype = torch.float16, use_fast_accum = true}))
  print(torch._scaled_mm(a, c, one, half, {scale_result = half, out_dtype = e5m2}))
end
b = b:to(e4m3)
said(torch._scaled_mm, a, b, left, one)
said(torch._scaled_mm, a, b, one:double(), one)
said(torch._scaled_mm, a:float(), b, one, one)
said(torch._scaled_mm, a, b[{":8"}], one, one)
said(torch._scaled_mm, a[0], b, one, one)
said(torch._scaled_mm, a, b[{":", 0}], one, one)
said(torch._scaled_mm, a, b, one, one, {scale_result = torch.ones(2)})
said(torch._scaled_mm, a, b, one, one, {bias = torch.ones(4), out_dtype = torch.float32})

local m = (torch.arange(48) * 7 % 255 - 127):view(6, 8):to(torch.int8)
local n = (torch.arange(24) * 11 % 255 - 127):view(8, 3):to(torch.int8)
print(torch._int_mm(m, n), torch._int_mm(m, n).dtype)
print(torch._int_mm(m:to(torch.uint8), n))
said(torch._int_mm, m:float(), n)
said(torch._int_mm, m, n:int())
said(torch._int_mm, m, n[{":4"}])
said(torch._int_mm, m[0], n)
