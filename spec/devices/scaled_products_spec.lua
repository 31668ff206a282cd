-- scaled_products_spec.lua: _scaled_mm and _int_mm on a GPU against the CPU, whose results are PyTorch's (golden/programs/float8.lua).
local torch = require "torch"
local gpus = require "gpus"

local program = [[
local f8, e5 = torch.float8_e4m3fn, torch.float8_e5m2
local function said(f, ...)
  local ok, err = pcall(f, ...)
  print(ok and err or (tostring(err):match "[^\n]*"))
end
torch.manual_seed(1)
local a, b = torch.randn(20, 32):to(f8), torch.randn(48, 32):t()
local one, half, rows, columns = torch.tensor(1.5), torch.tensor(0.25), torch.rand(20, 1), torch.rand(1, 48)
local bias = torch.randn(48)
local function apart(...)
  local here, there = table.pack(...), {}
  for k, x in ipairs(here) do there[k] = torch.is_tensor(x) and x:cuda() or x end
  local options = table.remove(here)
  there[#there] = {out_dtype = options.out_dtype, use_fast_accum = options.use_fast_accum,
    bias = options.bias and options.bias:cuda(), scale_result = options.scale_result and options.scale_result:cuda()}
  local x = torch._scaled_mm(here[1], here[2], here[3], here[4], options)
  local y = torch._scaled_mm(table.unpack(there)):cpu()
  assert(x.dtype == y.dtype and torch.equal(torch.tensor(x:size()), torch.tensor(y:size())))
  x, y = x:float(), y:float()
  return ((x - y):abs() / (x:abs() + 1)):max():item()
end
local most = 0
for _, other in ipairs{f8, e5} do
  local c = b:to(other)
  for _, left in ipairs{a, a:t():contiguous():t()} do
    for _, out in ipairs{torch.float32, torch.bfloat16, torch.float16, f8, e5} do
      most = math.max(most, apart(left, c, one, half, {out_dtype = out}),
        apart(left, c:contiguous(), one, half, {out_dtype = out, bias = bias, use_fast_accum = true}),
        apart(left, c, one, half, {out_dtype = out, bias = bias:bfloat16(), scale_result = half}),
        apart(left, c, rows, columns, {out_dtype = out, bias = bias}))
    end
  end
end
print(most <= 2 ^ -7 and most or "apart by " .. most)
local A, B, O = a:cuda(), b:to(f8):cuda(), one:cuda()
said(torch._scaled_mm, A:to(e5), B:to(e5), O, O)
said(torch._scaled_mm, A[{":", ":8"}], B[{":8"}], O, O)
said(torch._scaled_mm, A, B[{":", ":8"}], O, O)
said(torch._scaled_mm, A:to(torch.float8_e5m2fnuz), B, O, O)
print(torch._scaled_mm(A[{":0"}], B, O, O):size())]]

gpus.with_one("products with scales", function()
  it("of int8 are the CPU's", function()
    local a, b = torch.randint(-128, 128, {24, 16}, {dtype = torch.int8}), torch.randint(-128, 128, {16, 8}, {dtype = torch.int8})
    assert.is_true(torch.equal(torch._int_mm(a, b), torch._int_mm(a:cuda(), b:cuda()):cpu()))
    assert.is_true(torch.equal(torch._int_mm(a, b), torch._int_mm(a:cuda(), b:t():contiguous():t():cuda()):cpu()))
    gpus.fails("self.size(0) needs to be greater than 16, but got 8", torch._int_mm, a[{":8"}]:cuda(), b:cuda())
    gpus.fails("self.size(1) needs to be greater than 0 and a multiple of 8, but got 12", torch._int_mm, a[{":", ":12"}]:cuda(), b[{":12"}]:cuda())
    gpus.fails("mat2.size(1) needs to be greater than 0 and a multiple of 8, but got 7", torch._int_mm, a:cuda(), b[{":", ":7"}]:cuda())
  end)

  if gpus.simulated then
    it("of float8 are the CPU's, rounded once", function()
      local printed, ended = gpus.run("TOCHA_SIMULATED_CAPABILITY=8.9", program)
      assert.are.equal("Multiplication of two Float8_e5m2 matrices is not supported\n" ..
        "Expected trailing dimension of mat1 to be divisible by 16 but got mat1 shape: (20x8).\n" ..
        "mat2 shape (32x8) must be divisible by 16\n" ..
        "\"_scaled_mm\" not implemented for 'Float8_e5m2fnuz' on CUDA\n" ..
        "torch.Size([0, 48])\n", (printed:gsub("^[%d.e-]+\n", "")))
      assert.is_truthy(ended)
    end)

    it("of float8 need a capability of 8.9", function()
      local x = torch.ones(16, 16):to(torch.float8_e4m3fn):cuda()
      gpus.fails("torch._scaled_mm is only supported on CUDA devices with compute capability >= 9.0 or 8.9, or ROCm MI300+",
        torch._scaled_mm, x, x, torch.ones({}):cuda(), torch.ones({}):cuda())
    end)
  end
end)
