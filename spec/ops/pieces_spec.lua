-- pieces_spec.lua: long sums of float32 products are taken in the pieces in which PyTorch's MKL takes them on AVX-512, so
-- that the digits are its digits: halves up to 384 terms, then 192 at a time. Large ones only where oneDNN takes them.
-- Small ones are compared with PyTorch itself (../golden/digits/small_products.py).
local torch = require "torch"
local digits = require "digits"

local function pieces(k)
  if k <= 192 then return {k} end
  if k < 384 then return {k // 2, k // 2, k % 2 > 0 and 1 or nil} end
  local list = {}
  while k > 0 do
    list[#list + 1] = math.min(k, 192)
    k = k - list[#list]
  end
  return list
end

local function by_pieces(a, b)
  local out, done = nil, 0
  for _, n in ipairs(pieces(a:size(1))) do
    local x, y = a:narrow(1, done, n), b:narrow(0, done, n)
    out = out and torch.addmm(out, x, y) or x:mm(y)
    done = done + n
  end
  return out
end

local oneDNN = torch.backends.mkldnn.is_available()
local avx512 = torch._blas() and torch.backends.cpu.get_cpu_capability() == "AVX512"

describe("a product of float32", function()
  for _, shape in ipairs {{64, 64, 256}, {64, 64, 257}, {16, 24, 300}, {32, 1024, 256}, {128, 192, 384}, {100, 250, 400}, {64, 512, 784}, {300, 700, 2048}} do
    local m, n, k = table.unpack(shape);
    digits.it(avx512 and (oneDNN or m * n * k < 2 ^ 22))(("is summed in pieces, %dx%d by %dx%d"):format(m, k, k, n), function()
      torch.manual_seed(k)
      local a, at = torch.rand(m, k), torch.rand(k, m):t()
      local b, bt = torch.rand(k, n), torch.rand(n, k):t()
      for i, pair in ipairs {{a, b}, {at, b}, {a, bt}, {at, bt}} do
        assert.is_true(torch.equal(by_pieces(table.unpack(pair)), torch.mm(table.unpack(pair))), "layout " .. i)
      end
    end)
  end
end)

local function lines_of(path)
  local list = {}
  for line in io.lines(path) do list[#list + 1] = line end
  return list
end

local file = io.open "/proc/cpuinfo"
local intel = not file or file:read "a":find "GenuineIntel"
if file then file:close() end

local function product_of(m, n, k, first, second, bias)
  if m == 0 then
    local a = torch.randn(n)
    return torch.dot(a, torch.randn(n)):view(1, 1)
  end
  local a = first == "N" and torch.randn(m, k) or torch.randn(k, m):t()
  local b = second == "N" and torch.randn(k, n) or torch.randn(n, k):t()
  local c = torch.randn(n)
  return bias == "1" and torch.addmm(c, a, b) or torch.mm(a, b)
end

describe("a small product of float32", function()
  digits.it(avx512 and not intel)("has PyTorch's bits", function()
    for i, line in ipairs(lines_of "spec/golden/digits/small_products.txt") do
      local m, n, k, first, second, bias, bits = line:match "^(%d+) (%d+) (%d+) (.)(.) (%d) (%-?%d+)$"
      torch.manual_seed(i - 1)
      local out = product_of(tonumber(m), tonumber(n), tonumber(k), first, second, bias):contiguous()
      local places = torch.arange(1, out:numel() + 1):view(out.shape)
      assert.are.equal(tonumber(bits), (out:view(torch.int32):long() * places):sum():item(), line)
    end
  end)
end)
