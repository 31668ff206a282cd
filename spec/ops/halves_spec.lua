-- halves_spec.lua: float16 and bfloat16: conversions, and products against float64. What the
-- operators answer for half types is in ops_spec.lua. TOCHA_ONEDNN=off tests our own kernel alone.
local torch = require "torch"

-- Of a rounded number, relative to it: half a unit of the last place.
local half_unit = {bfloat16 = 2 ^ -8, float16 = 2 ^ -11}

-- r is a @ b (+ bias), summed in float32 and rounded once: within half a unit of the true value, and
-- what summing in float32 may add.
local function assert_product(r, a, b, bias, what)
  local exact, size = a:double():matmul(b:double()), a:double():abs():matmul(b:double():abs())
  if bias then
    exact = exact + bias:double()
    size = size + bias:double():abs()
  end
  local unit = half_unit[tostring(r.dtype):match "%w+$"]
  assert.are.equal(tostring(a.dtype), tostring(r.dtype), what)
  assert.are.equal(tostring(exact.shape), tostring(r.shape), what)
  local allowed = exact:abs() * (unit * 1.001) + size * 2 ^ -20 + 2 ^ -25
  local over = ((r:double() - exact):abs() - allowed):max():item()
  assert.is_true(over <= 0, ("%s: %g too far"):format(what, over))
end

local function drawn(dtype, ...) return torch.randn(...):to(dtype) end

-- Matrices (m, k) of random numbers, laid out in memory in every way.
local layouts = {
  rows = function(dtype, m, k) return drawn(dtype, m, k) end,
  columns = function(dtype, m, k) return drawn(dtype, k, m):t() end,
  cut = function(dtype, m, k) return drawn(dtype, m + 1, k + 5)[{"1:", "3:" .. k + 3}] end,
  stepped = function(dtype, m, k) return drawn(dtype, m, 2 * k)[{":", "::2"}] end,
  repeated = function(dtype, m, k) return drawn(dtype, 1, k):expand(m, k) end,
}

-- Around the edges of the kernel's tiles of 12 x 32 and of its pairs, and past what oneDNN is asked for.
local sizes = {
  {1, 1, 1}, {3, 5, 2}, {4, 4, 200}, {12, 32, 64}, {13, 33, 65}, {25, 64, 7}, {64, 17, 129}, {130, 200, 33},
  {257, 129, 130}, {1, 2100, 2101}, {2100, 1, 2101}, {2100, 2101, 1}, {5, 1030, 1031},
}

for _, name in ipairs {"bfloat16", "float16"} do
  local dtype = torch[name]

  describe(name .. " products:", function()
    for _, s in ipairs(sizes) do
      local m, n, k = table.unpack(s)
      it(("%dx%d @ %dx%d"):format(m, k, k, n), function()
        torch.manual_seed(m + n + k)
        for left, a_of in pairs(layouts) do
          for right, b_of in pairs(layouts) do
            if m * n * k < 1e5 or left == right or right == "rows" then
              local a, b = a_of(dtype, m, k), b_of(dtype, k, n)
              assert_product(a:matmul(b), a, b, nil, left .. " @ " .. right)
            end
          end
        end
        local a, b, bias = drawn(dtype, m, k), drawn(dtype, k, n), drawn(dtype, n)
        assert_product(torch.addmm(bias, a, b), a, b, bias, "bias")
        assert_product(torch.nn.functional.linear(a, b:t(), bias), a, b, bias, "linear")
        local wide = drawn(dtype, m, n)
        assert_product(torch.addmm(wide, a, b), a, b, wide, "addmm")
        assert_product(torch.addmm(wide, a, b, {beta = 2, alpha = 0.5}), a * 0.5, b, wide * 2, "beta and alpha")
      end)
    end

    it("batches", function()
      for _, s in ipairs {{2, 3, 4, 5}, {3, 40, 33, 65}, {4, 120, 110, 130}} do
        local batch, m, n, k = table.unpack(s)
        local a, b = drawn(dtype, batch, m, k), drawn(dtype, batch, k, n)
        local transposed, shared = drawn(dtype, batch, n, k).mT, drawn(dtype, k, n):expand(batch, k, n)
        local inner = drawn(dtype, m, batch, k):transpose(0, 1)
        assert_product(a:bmm(b), a, b, nil, "bmm")
        assert_product(a:bmm(transposed), a, transposed, nil, "transposed")
        assert_product(a:bmm(shared), a, shared, nil, "one matrix for all")
        assert_product(inner:bmm(b), inner, b, nil, "batch inside")
      end
    end)

    it("pass on infinities and NaN", function()
      local a, b = torch.ones(40, 40, {dtype = dtype}), torch.ones(40, 40, {dtype = dtype})
      a[{1, 2}] = 1 / 0
      a[{2, 3}] = 0 / 0
      local r = a:matmul(b)
      assert.is_true(r[1]:isinf():all():item())
      assert.is_true(r[2]:isnan():all():item())
      assert.are.equal(40, r[3]:max():item())
    end)

    it("are the same with any number of threads, and the second time", function()
      local threads = torch.get_num_threads()
      for _, n in ipairs {20, 100, 180} do
        local a, b = drawn(dtype, n, n), drawn(dtype, n, n)
        torch.set_num_threads(1)
        local one = a:matmul(b)
        torch.set_num_threads(2)
        local two, again = a:matmul(b), a:matmul(b)
        torch.set_num_threads(threads)
        assert.is_true(torch.equal(two, again))
        assert_product(two, a, b, nil, "two threads")
        -- our own kernel; the BLAS promises less
        if torch._build()[name] == "AVX512-BF16" then assert.is_true(torch.equal(one, two)) end
      end
    end)

    it("have gradients", function()
      local a, b = drawn(dtype, 200, 150):requires_grad_(), drawn(dtype, 150, 180):requires_grad_()
      local weight = drawn(dtype, 200, 180)
      a:matmul(b):backward(weight)
      assert_product(a.grad, weight, b:detach():t(), nil, "left")
      assert_product(b.grad, a:detach():t(), weight, nil, "right")
    end)
  end)

  describe(name .. " conversions:", function()
    it("every pattern to float32 and back is itself", function()
      local patterns = torch.arange(-32768, 32768):to(torch.int16)
      local halves = patterns:view(dtype)
      local back = halves:float():to(dtype)
      local same = back:view(torch.int16):eq(patterns):logical_or(halves:isnan():logical_and(back:isnan()))
      assert.is_true(same:all():item())
    end)

    it("round to the nearest, and halfway to the even", function()
      local last = 2 * half_unit[name] -- the last place of numbers from 1 to 2
      local x = torch.tensor({1 + last / 2, 1 + 1.5 * last, 1 + 0.51 * last, 1 + 0.49 * last, -1 - 1.5 * last},
        {dtype = torch.float32})
      local wanted = {1, 1 + 2 * last, 1 + last, 1, -1 - 2 * last}
      for count = 1, 5 do -- short runs and vectors
        assert.are.same(wanted, x:rep(8 * count):to(dtype)[{"-5:"}]:tolist())
        assert.are.same({wanted[1]}, x[{":1"}]:to(dtype):tolist())
      end
    end)
  end)
end

describe("small products of bfloat16", function()
  -- Whole numbers whose products and sums float32 holds exactly: what is left is the one rounding at the end.
  local function whole(m, k) return torch.randint(-128, 129, {m, k}):to(torch.bfloat16) end
  local rows = whole
  local function columns(m, k) return whole(k, m):t() end
  local function rounded_once(a, b, bias)
    local exact = a:double():mm(b:double())
    return (bias and exact + bias:double() or exact):to(torch.bfloat16)
  end

  for _, s in ipairs {{40, 10, 10}, {10, 40, 10}, {1, 40, 10}, {9, 30, 1}, {5, 64, 12}, {16, 16, 16}, {17, 16, 16}} do
    local m, k, n = table.unpack(s)
    it(("are rounded once, and so are their gradients, %dx%d @ %dx%d"):format(m, k, k, n), function()
      torch.manual_seed(m + k)
      for _, first in ipairs {rows, columns} do
        for _, second in ipairs {rows, columns} do
          local a, b, bias, g = first(m, k), second(k, n), whole(1, n):view(n), whole(m, n)
          assert.is_true(torch.equal(rounded_once(a, b), a:mm(b)))
          assert.is_true(torch.equal(rounded_once(a, b, bias), torch.addmm(bias, a, b)))
          assert.is_true(torch.equal(rounded_once(a, b, bias), torch.nn.functional.linear(a, b:t(), bias)))
          a:requires_grad_()
          b:requires_grad_()
          a:mm(b):backward(g)
          assert.is_true(torch.equal(rounded_once(g, b:detach():t()), a.grad))
          assert.is_true(torch.equal(rounded_once(a:detach():t(), g), b.grad))
        end
      end
    end)
  end
end)
