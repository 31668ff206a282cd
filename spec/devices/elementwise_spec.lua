-- elementwise_spec.lua: elementwise operators, copies, fills, sequences, choices and joins on a CUDA device (a real
-- GPU, or TOCHA_CUDA=simulate) against the CPU: every kind of access a kernel has: wide, strided, broadcast,
-- converting, with numbers, empty, one element, several blocks.
local torch = require "torch"

local cuda = torch.device "cuda"
local floats = {torch.float32, torch.float64, torch.float16, torch.bfloat16}
local dtypes = {torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64,
                torch.float16, torch.bfloat16, torch.float32, torch.float64}
-- relative and absolute: a device's functions are right to a few units of the last place
local tolerance = {[torch.float32] = 4e-6, [torch.float64] = 1e-13, [torch.float16] = 2e-3, [torch.bfloat16] = 1.6e-2}

-- computed_in: the dtype of the arithmetic, if that is not the result's.
local function check(wanted, got, what, computed_in)
  what = what or ""
  assert(got.is_cuda, what .. ": not on the device")
  assert.are.equal(tostring(wanted.dtype), tostring(got.dtype), what)
  assert.are.equal(tostring(wanted.shape), tostring(got.shape), what)
  local eps = tolerance[computed_in or wanted.dtype] or 0
  local host = got:cpu()
  if eps == 0 then
    assert(torch.equal(wanted, host), what .. ": " .. tostring(wanted) .. " is not " .. tostring(host))
  elseif wanted:numel() > 0 then
    local a, b = wanted:double(), host:double()
    assert(torch.allclose(a, b, eps, eps, true),
           what .. ": off by " .. tostring((a - b):abs():max()) .. "\n" .. tostring(wanted) .. tostring(host))
  end
end

-- The same view of the same numbers on both devices.
local function pair(t, view)
  local there = t:to(cuda)
  if view then return view(t), view(there) end
  return t, there
end

-- Numbers around zero that each dtype can hold; no zeros.
local function numbers(dtype, ...)
  local size = {...}
  local function integers(low, high) return torch.randint {low, high, size = size} end
  if dtype == torch.bool then return integers(0, 2):bool() end
  if dtype.is_floating_point then return (torch.randn {size = size} * 2 + 0.1):to(dtype) end
  local t = integers(1, 9)
  return (dtype == torch.uint8 and t or t * (integers(0, 2) * 2 - 1)):to(dtype)
end

local layouts = {
  {"dense", {12, 40}},
  {"one element", {1}},
  {"0-dim", {}},
  {"empty", {3, 0, 2}},
  {"a few", {7}},
  {"odd rows", {5, 13}},
  {"several blocks", {70001}},
  {"transposed", {40, 24}, function(t) return t:t() end},
  {"every second", {12, 40}, function(t) return t[":, ::2"] end},
  {"not aligned", {70, 40}, function(t) return t:flatten()["1:"] end},
  {"rows apart", {12, 48}, function(t) return t[":, 8:40"] end},
  {"expanded rows", {1, 40}, function(t) return t:expand(12, 40) end},
  {"expanded columns", {12, 1}, function(t) return t:expand(12, 40) end},
  {"permuted", {4, 6, 8}, function(t) return t:permute(2, 0, 1) end},
}

local section = require("gpus").with_one

section("elementwise on CUDA", function()
  before_each(function() torch.manual_seed(1) end)

  local unary = {"neg", "abs", "exp", "tanh", "sigmoid", "relu", "sqrt", "floor", "isnan", "logical_not", "sign"}
  for _, layout in ipairs(layouts) do
    it("takes one operand: " .. layout[1], function()
      for _, dtype in ipairs(floats) do
        local x, y = pair(numbers(dtype, table.unpack(layout[2])), layout[3])
        for _, name in ipairs(unary) do check(x[name](x), y[name](y), name .. " " .. tostring(dtype)) end
      end
      for _, dtype in ipairs {torch.int64, torch.int32, torch.uint8, torch.int8, torch.int16} do
        local x, y = pair(numbers(dtype, table.unpack(layout[2])), layout[3])
        for _, name in ipairs {"neg", "abs", "relu", "sqrt", "bitwise_not", "logical_not"} do
          check(x[name](x), y[name](y), name .. " " .. tostring(dtype))
        end
      end
      local x, y = pair(numbers(torch.bool, table.unpack(layout[2])), layout[3])
      check(x:logical_not(), y:logical_not())
      check(x:bitwise_not(), y:bitwise_not())
    end)

    it("takes two operands and numbers: " .. layout[1], function()
      for _, dtype in ipairs {torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.uint8} do
        local a, b = pair(numbers(dtype, table.unpack(layout[2])), layout[3])
        local c, d = pair(numbers(dtype, table.unpack(layout[2])), layout[3])
        for _, name in ipairs {"add", "mul", "maximum", "lt", "eq", "logical_and", "remainder", "div"} do
          check(a[name](a, c), b[name](b, d), name .. " " .. tostring(dtype))
        end
        for _, name in ipairs {"add", "mul", "gt", "div", "pow"} do
          check(a[name](a, 2), b[name](b, 2), name .. " 2 " .. tostring(dtype))
        end
        check(3 - a, 3 - b, "3 - x")
        check(a:add(c, {alpha = 3}), b:add(d, {alpha = 3}), "alpha")
      end
    end)
  end

  it("broadcasts", function()
    for _, dtype in ipairs {torch.float32, torch.bfloat16, torch.int64} do
      for _, shapes in ipairs {{{6, 32}, {32}}, {{6, 32}, {6, 1}}, {{6, 1}, {1, 32}}, {{5, 13}, {13}}, {{4, 1, 8}, {3, 1}}, {{8, 1, 16}, {4, 16}},
                               {{}, {6, 32}}, {{1}, {6, 32}}, {{2, 3, 4, 8}, {3, 1, 8}}} do
        local a, b = pair(numbers(dtype, table.unpack(shapes[1])))
        local c, d = pair(numbers(dtype, table.unpack(shapes[2])))
        check(a + c, b + d)
        check(a * c, b * d)
        check(a:lt(c), b:lt(d))
        check(torch.where(a:gt(0), a, c), torch.where(b:gt(0), b, d))
        check(torch.addcmul(a, a, c, {value = 2}), torch.addcmul(b, b, d, {value = 2}))
      end
    end
  end)

  it("mixes types, and numbers of the CPU with tensors of the device", function()
    for _, first in ipairs(dtypes) do
      local a, b = pair(numbers(first, 5, 16))
      for _, second in ipairs(dtypes) do
        local c, d = pair(numbers(second, 16))
        check(a + c, b + d, tostring(first) .. " + " .. tostring(second))
        check(a:eq(c), b:eq(d))
        for _, shape in ipairs {{5, 1}, {5, 16}} do -- a number a row, and dense: three of its elements are no group of four
          local e, f = pair(numbers(second, table.unpack(shape)))
          check(a + e, b + f, tostring(first) .. " + " .. tostring(second))
          e, f = e:expand(5, 16):flatten()["1:"], f:expand(5, 16):flatten()["1:"]
          check(a:flatten()["1:"] * e, b:flatten()["1:"] * f, tostring(first) .. " * " .. tostring(second) .. ", not aligned")
          check(a:flatten()[":79"]:gt(e), b:flatten()[":79"]:gt(f))
        end
        check(a * torch.tensor(3, {dtype = second}), b * torch.tensor(3, {dtype = second}), "cpu scalar")
      end
      check(a + 2.5, b + 2.5)
      check(a + true, b + true)
    end
  end)

  it("writes in place, into views and into out=", function()
    for _, dtype in ipairs(floats) do
      local a, b = pair(numbers(dtype, 6, 32))
      local c, d = pair(numbers(dtype, 32))
      check(a:add_(c), b:add_(d))
      a:t():mul_(2); b:t():mul_(2)
      check(a, b)
      a[":, ::3"]:add_(1); b[":, ::3"]:add_(1)
      check(a, b)
      a["1:3"]:exp_(); b["1:3"]:exp_()
      check(a, b)
      local out = torch.empty(6, 32, {dtype = torch.float64, device = cuda})
      torch.mul(b, d, {out = out})
      check((a * c):double(), out, "out=", dtype)
      local flags = torch.empty(6, 32, {dtype = torch.float32, device = cuda})
      torch.gt(b, 0, {out = flags})
      check(a:gt(0):float(), flags)
    end
    local m = torch.randint(0, 9, {70}):to(torch.int32)
    local n = m:to(cuda)
    check(m:add_(3):mul_(2):bitwise_xor_(5), n:add_(3):mul_(2):bitwise_xor_(5))
  end)

  it("knows infinities and NaN", function()
    local nan = math.abs(0 / 0)   -- a GPU's conversion from float16 drops the sign of NaN, which copysign reads
    local special = {0.0, -0.0, 1.0, -1.0, 1 / 0, -1 / 0, nan, 1e30, -1e-30, 0.5, 2.5, -3.5}
    for _, dtype in ipairs(floats) do
      local a, b = pair(torch.tensor(special):to(dtype))
      for _, name in ipairs {"isnan", "isinf", "isfinite", "signbit", "nan_to_num", "round", "trunc", "sign", "frac", "relu", "exp", "log", "log1p", "tanh",
                             "sigmoid", "erf", "atan"} do
        check(torch[name](a), torch[name](b), name .. " " .. tostring(dtype))
      end
      for _, name in ipairs {"maximum", "minimum", "fmax", "fmin", "eq", "ne", "le", "atan2", "copysign", "fmod", "floor_divide", "logaddexp"} do
        check(torch[name](a:unsqueeze(1), a), torch[name](b:unsqueeze(1), b), name .. " " .. tostring(dtype))
      end
      check(a:clamp(-1, 1), b:clamp(-1, 1))
      check(torch.isclose(a, a, {equal_nan = true}), torch.isclose(b, b, {equal_nan = true}))
      assert.is_true(torch.allclose(b, b, {equal_nan = true}))
      assert.is_false(torch.allclose(b, b))
      assert.is_true(torch.equal(b["0:4"], b["0:4"]))
      assert.is_false(torch.equal(b["0:4"], b["2:6"]))
    end
  end)

  it("divides integers without stopping", function()
    local a, b = pair(torch.tensor {7, -7, 9, -9, 5})
    local c, d = pair(torch.tensor {2, 2, -4, -4, 1})
    for _, mode in ipairs {"floor", "trunc"} do
      check(torch.div(a, c, {rounding_mode = mode}), torch.div(b, d, {rounding_mode = mode}))
    end
    check(a % c, b % d)
    check(a:fmod(c), b:fmod(d))
    check(a:bitwise_left_shift(c:abs()), b:bitwise_left_shift(d:abs()))
    local zero = torch.zeros(5):long():to(cuda) -- no error: the host does not wait to look at divisors
    assert.are.equal(0, (b:div(zero, {rounding_mode = "trunc"}) * 0):sum():item())
  end)

  it("computes the functions of torch.nn.functional", function()
    local F = torch.nn.functional
    for _, dtype in ipairs(floats) do
      local a, b = pair(numbers(dtype, 6, 34))
      for _, name in ipairs {"gelu", "silu", "mish", "softplus", "elu", "celu", "selu", "hardtanh", "hardswish", "hardsigmoid", "logsigmoid", "leaky_relu",
                             "softsign", "tanhshrink", "glu", "relu6", "hardshrink", "softshrink"} do
        check(F[name](a), F[name](b), name .. " " .. tostring(dtype))
      end
      check(F.gelu(a, {approximate = "tanh"}), F.gelu(b, {approximate = "tanh"}))
    end
  end)

  it("sends gradients back", function()
    local F = torch.nn.functional
    local x = torch.randn(6, 32)
    for _, name in ipairs {"gelu", "silu", "tanhshrink", "softplus", "glu", "elu", "logsigmoid"} do
      local a, b = x:clone():requires_grad_(), x:to(cuda):requires_grad_()
      local ya, yb = F[name](a), F[name](b)
      ya:backward(torch.ones_like(ya))
      yb:backward(torch.ones_like(yb))
      check(a.grad, b.grad, name)
    end
    local a, b = x:clone():requires_grad_(), x:to(cuda):requires_grad_()
    local weight = torch.linspace(0, 1, 32)
    for _, p in ipairs {{a, weight}, {b, weight:to(cuda)}} do
      local t = p[1]
      local y = torch.cat({t[":, 3:9"] * p[2]["3:9"], t["::2"]:rep(2, 1)[":, :6"]}, 0):clamp(-1, 1)
      y = y * torch.stack({t[0], t[1]}, 1):roll(1, 0):flip(0)[{3, 0}] + t:diagonal():sum() + t:tril():rot90():sum()
      y:backward(torch.ones_like(y))
    end
    check(a.grad, b.grad)
  end)
end)

section("copies and fills on CUDA", function()
  before_each(function() torch.manual_seed(2) end)

  it("converts between all types", function()
    for _, from in ipairs(dtypes) do
      for _, shape in ipairs {{7, 16}, {5, 13}, {}, {0}} do
        local a, b = pair(numbers(from, table.unpack(shape)))
        for _, to in ipairs(dtypes) do
          if not (from.is_floating_point and to == torch.uint8) then
            check(a:to(to), b:to(to), tostring(from) .. " to " .. tostring(to))
            if #shape == 2 then
              check(a:t():to(to), b:t():to(to))
              local target = torch.zeros(table.unpack(shape)):to(to)
              local there = target:to(cuda)
              target[":, ::2"]:copy_(a[":, ::2"]); there[":, ::2"]:copy_(b[":, ::2"])
              check(target, there)
            end
          end
        end
      end
    end
  end)

  it("moves any geometry", function()
    for _, dtype in ipairs {torch.uint8, torch.bfloat16, torch.float32, torch.int64} do
      for _, layout in ipairs(layouts) do
        local a, b = pair(numbers(dtype, table.unpack(layout[2])), layout[3])
        check(a:contiguous(), b:contiguous(), layout[1])
        check(a:clone(), b:clone(), layout[1])
        check(a:contiguous(), b:cpu():to(cuda), layout[1])
      end
      local a, b = pair(numbers(dtype, 33, 65))
      check(a:t():contiguous(), b:t():contiguous())
      a, b = pair(numbers(dtype, 3, 40, 70))
      check(a:transpose(1, 2):contiguous(), b:transpose(1, 2):contiguous())
      check(a:permute(2, 1, 0):contiguous(), b:permute(2, 1, 0):contiguous())
      check(a:permute(1, 0, 2):contiguous(), b:permute(1, 0, 2):contiguous())
      check(a[":, ::3, 1:"]:transpose(1, 2):contiguous(), b[":, ::3, 1:"]:transpose(1, 2):contiguous())
      check(a:flip(0), b:flip(0))
      check(a:flip(2), b:flip(2))
      check(a:flip(0, 1, 2), b:flip(0, 1, 2))
      check(a:flip(1):transpose(1, 2):contiguous(), b:flip(1):transpose(1, 2):contiguous())
      check(a:rot90(1, {0, 1}), b:rot90(1, {0, 1}))
      check(a:roll(5), b:roll(5))
      check(a:roll({1, -7}, {0, 2}), b:roll({1, -7}, {0, 2}))
      check(a:rep(2, 1, 3), b:rep(2, 1, 3))
    end
    local a, b = pair(torch.arange(2 ^ 12):view(2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2))
    local order = {11, 3, 7, 1, 9, 5, 10, 0, 8, 2, 6, 4}
    check(a:permute(order):contiguous(), b:permute(order):contiguous())
    check(a:permute(order) + a, b:permute(order) + b)
  end)

  it("fills", function()
    for _, dtype in ipairs(dtypes) do
      local a, b = torch.zeros(6, 32):to(dtype), torch.zeros(6, 32, {dtype = dtype, device = cuda})
      check(a:fill_(1), b:fill_(1))
      a[":, ::3"]:zero_(); b[":, ::3"]:zero_()
      check(a, b)
      a["1:4, 3:20"]:fill_(1); b["1:4, 3:20"]:fill_(1)
      check(a, b)
      a:t()["5"]:fill_(0); b:t()["5"]:fill_(0)
      check(a, b)
      check(torch.full({3, 5}, 1):to(dtype), torch.full({3, 5}, 1, {dtype = dtype, device = cuda}))
      check(torch.ones(70001, {dtype = dtype}), torch.ones(70001, {dtype = dtype, device = cuda}))
    end
    local b = torch.empty(0, {device = cuda})
    check(torch.empty(0):fill_(3), b:fill_(3))
  end)
end)

section("sequences, choices and joins on CUDA", function()
  before_each(function() torch.manual_seed(3) end)

  it("makes sequences", function()
    for _, dtype in ipairs(dtypes) do
      if dtype ~= torch.bool then
        local here, there = {dtype = dtype}, {dtype = dtype, device = cuda}
        check(torch.arange(100, here), torch.arange(100, there))
        check(torch.arange(3, 90, 7, here), torch.arange(3, 90, 7, there))
        if dtype ~= torch.uint8 then check(torch.arange(9, -20, -4, here), torch.arange(9, -20, -4, there)) end
        check(torch.linspace(0, 60, 13, here), torch.linspace(0, 60, 13, there))
        check(torch.linspace(5, 5, 1, here), torch.linspace(5, 5, 1, there))
        check(torch.linspace(5, 5, 0, here), torch.linspace(5, 5, 0, there))
        check(torch.eye(5, 7, here), torch.eye(5, 7, there))
      end
    end
    check(torch.arange(0.0, 1.0, 0.1), torch.arange(0.0, 1.0, 0.1, {device = cuda}))
    check(torch.arange(70001), torch.arange(70001, {device = cuda}))
    check(torch.logspace(-2, 2, 9), torch.logspace(-2, 2, 9, {device = cuda}))
    assert.has_error(function() torch.arange(3, {dtype = torch.bool, device = cuda}) end)
  end)

  it("cuts triangles", function()
    for _, dtype in ipairs {torch.bool, torch.float16, torch.float32, torch.int64} do
      local a, b = pair(numbers(dtype, 3, 9, 14))
      for _, diagonal in ipairs {-20, -3, 0, 1, 5, 20} do
        check(a:tril(diagonal), b:tril(diagonal))
        check(a:triu(diagonal), b:triu(diagonal))
        check(a:transpose(1, 2):tril(diagonal), b:transpose(1, 2):tril(diagonal))
      end
      check(a:triu_(), b:triu_())
      check(torch.diag_embed(a["0"]), torch.diag_embed(b["0"]))
      check(a["0"]:diag(), b["0"]:diag())
    end
    for _, shape in ipairs {{5, 7}, {7, 5}, {1, 9}, {9, 1}, {0, 3}, {3, 0}, {40, 40}} do
      for _, offset in ipairs {-9, -2, 0, 1, 3, 11} do
        check(torch.tril_indices(shape[1], shape[2], offset), torch.tril_indices(shape[1], shape[2], offset, {device = cuda}))
        check(torch.triu_indices(shape[1], shape[2], offset), torch.triu_indices(shape[1], shape[2], offset, {device = cuda}))
      end
    end
  end)

  it("chooses by a condition", function()
    for _, dtype in ipairs(dtypes) do
      for _, layout in ipairs(layouts) do
        local a, b = pair(numbers(dtype, table.unpack(layout[2])), layout[3])
        local c, d = pair(numbers(torch.bool, table.unpack(layout[2])), layout[3])
        check(torch.where(c, a, 1), torch.where(d, b, 1), layout[1])
        check(torch.where(c, a, a * a), torch.where(d, b, b * b), layout[1])
        check(torch.where(c, 0, a), torch.where(d, 0, b), layout[1])
        check(a:masked_fill(c, 1), b:masked_fill(d, 1), layout[1])
        if a:is_contiguous() then check(a:clone():masked_fill_(c, 0), b:clone():masked_fill_(d, 0)) end
      end
    end
    local a, b = pair(torch.randn(6, 32))
    local row, there = pair(torch.randn(32):gt(0))
    check(a:masked_fill(row, -1 / 0), b:masked_fill(there, -1 / 0))
    check(a:masked_fill(row, torch.tensor(2.0)), b:masked_fill(there, torch.tensor(2.0)))
    check(a:masked_fill(row, torch.tensor(2.0)), b:masked_fill(there, torch.tensor(2.0, {device = cuda})))
    check(torch.where(row, 1.5, a:half()), torch.where(there, 1.5, b:half()))
    check(torch.where(row, a:half(), a:double()), torch.where(there, b:half(), b:double()))
    check(torch.where(row, torch.tensor(2.0), a), torch.where(there, torch.tensor(2.0), b))
  end)

  it("joins", function()
    for _, dtype in ipairs {torch.bool, torch.bfloat16, torch.float32, torch.int64} do
      local a, b = pair(numbers(dtype, 4, 6, 8))
      local c, d = pair(numbers(dtype, 4, 6, 8))
      for dim = -3, 2 do
        check(torch.cat({a, c, a}, dim), torch.cat({b, d, b}, dim))
        check(torch.cat({a, c:transpose(0, 2):contiguous():transpose(0, 2)}, dim), torch.cat({b, d:transpose(0, 2):contiguous():transpose(0, 2)}, dim))
      end
      for dim = -4, 3 do check(torch.stack({a, c, a["::1"]}, dim), torch.stack({b, d, b["::1"]}, dim)) end
      check(torch.cat({a[":, :1"], c[":, 1:4"], a[":, :0"], c[":, 2:"]}, 1), torch.cat({b[":, :1"], d[":, 1:4"], b[":, :0"], d[":, 2:"]}, 1))
      check(torch.cat({a, c:to(torch.float64)}), torch.cat({b, d:to(torch.float64)}))
    end
    local here, there = {}, {}
    for i = 1, 150 do
      here[i] = torch.full({i % 5, 3}, i)
      there[i] = here[i]:to(cuda)
    end
    check(torch.cat(here), torch.cat(there))
    check(torch.vstack(here), torch.vstack(there))
    for i = 1, 150 do
      here[i] = torch.tensor(i)
      there[i] = here[i]:to(cuda)
    end
    check(torch.stack(here), torch.stack(there))
    local empty = torch.empty(0, {device = cuda})
    check(torch.cat {torch.empty(0), torch.ones(2, 2)}, torch.cat {empty, torch.ones(2, 2, {device = cuda})})
    check(torch.hstack {torch.ones(2, 2), torch.ones(2, 1)}, torch.hstack {torch.ones(2, 2, {device = cuda}), torch.ones(2, 1, {device = cuda})})
  end)
end)
