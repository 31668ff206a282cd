-- reduction_spec.lua: reductions, running results, softmax and losses on a device against the same calls on the
-- CPU: dtypes, layouts, sizes that need several blocks or parts, NaN and infinities, gradients, indices out of range.
local torch = require "torch"
local F = torch.nn.functional

local section = require("gpus").with_one

-- --- comparing ---------------------------------------------------------------------------------------------
-- Relative to the largest element: sums run in another order there.
local allowed = {float32 = 2e-6, float64 = 1e-14, float16 = 1.5e-3, bfloat16 = 1.2e-2}

local function check(expected, answer, what, scale)
  if type(expected) == "table" then
    for i = 1, #expected do check(expected[i], answer[i], what .. " result " .. i, scale) end
    return
  end
  assert(tostring(answer.device):find "cuda", what .. ": not on the device")
  assert.are.equal(tostring(expected.dtype), tostring(answer.dtype), what)
  assert.are.equal(tostring(expected.shape), tostring(answer.shape), what)
  answer = answer:cpu()
  local bound = allowed[tostring(expected.dtype):match "%w+$"]
  if not bound or expected:numel() == 0 then
    assert(expected:equal(answer), what .. ": " .. tostring(expected) .. " but " .. tostring(answer))
    return
  end
  expected, answer = expected:double(), answer:double()
  local same = expected:eq(answer):logical_or(expected:isnan():logical_and(answer:isnan()))
  local size = torch.where(expected:isfinite(), expected:abs(), torch.tensor(0, {dtype = torch.float64})):max():item()
  local off = (expected - answer):abs():masked_fill(same, 0):max():item()
  local close = off <= bound * (scale or 1) * math.max(size, 1e-3)   -- false for nan
  if not close then
    error(("%s: %g off (largest %g)\n%s\n%s"):format(what, off, size, expected, answer))
  end
end

local function both(f, what, scale, ...)
  local there, n = {}, select("#", ...)
  local here = {...}
  for i = 1, n do there[i] = torch.is_tensor(here[i]) and here[i]:to("cuda") or here[i] end
  local expected, answer = table.pack(f(table.unpack(here, 1, n))), table.pack(f(table.unpack(there, 1, n)))
  check(expected, answer, what, scale)
end

local function refuses(f, words)
  local ok, message = pcall(f)
  assert.is_false(ok)
  assert(tostring(message):find(words, 1, true), tostring(message))
end

-- --- inputs ------------------------------------------------------------------------------------------------
local floats = {"float32", "float64", "float16", "bfloat16"}
local all = {"float32", "float64", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool"}

local function drawn(dtype, ...)
  if dtype == "bool" then return torch.rand(...) :gt(0.5) end
  if dtype == "uint8" then return torch.randint(0, 5, {...}):to(torch.uint8) end
  if dtype:find "int" then return torch.randint(-4, 5, {...}):to(torch[dtype]) end
  return torch.randn(...):to(torch[dtype])
end

-- The same values in several layouts, made on the device of `t`.
local layouts = {
  rows = function(t) return t end,
  columns = function(t) return t:transpose(0, -1):contiguous():transpose(0, -1) end,
  cut = function(t)
    local wide = torch.cat({t, t}, -1)
    return wide:narrow(-1, 1, t:size(-1))
  end,
  stepped = function(t) return torch.stack({t, t}, -1):select(-1, 1) end,
  repeated = function(t) return t:narrow(0, 0, 1):expand_as(t) end,
  permuted = function(t) return t:dim() == 3 and t:permute(1, 2, 0) or t:t() end,
}

-- --- reductions --------------------------------------------------------------------------------------------
local reductions = {
  sum = function(x, ...) return x:sum(...) end,
  amax = function(x, ...) return x:amax(...) end,
  amin = function(x, ...) return x:amin(...) end,
  any = function(x, ...) return x:any(...) end,
  all = function(x, ...) return x:all(...) end,
  count_nonzero = function(x, ...) return x:count_nonzero(...) end,
}
local float_reductions = {
  mean = function(x, ...) return x:mean(...) end,
  nansum = function(x, ...) return x:nansum(...) end,
  var = function(x, ...) return torch.var(x, {dim = ..., correction = 1}) end,
  std = function(x, ...) return torch.std(x, {dim = ..., correction = 0, keepdim = true}) end,
  var_mean = function(x, ...) return torch.var_mean(x, {dim = ..., correction = 1}) end,
  logsumexp = function(x, ...) return x:logsumexp(... or (x:dim() == 3 and {0, 1, 2} or {0, 1})) end,
  norm1 = function(x, ...) return torch.linalg.vector_norm(x, {ord = 1, dim = ...}) end,
  norm2 = function(x, ...) return torch.linalg.vector_norm(x, {ord = 2, dim = ...}) end,
  norm3 = function(x, ...) return torch.linalg.vector_norm(x, {ord = 3, dim = ...}) end,
  norm0 = function(x, ...) return torch.linalg.vector_norm(x, {ord = 0, dim = ...}) end,
  norm_inf = function(x, ...) return torch.linalg.vector_norm(x, {ord = math.huge, dim = ...}) end,
  norm_least = function(x, ...) return torch.linalg.vector_norm(x, {ord = -math.huge, dim = ...}) end,
}
local along = { -- one dimension, with places
  max = function(x, d) return torch.max(x, d) end,
  min = function(x, d) return torch.min(x, d) end,
  argmax = function(x, d) return x:argmax(d) end,
  argmin = function(x, d) return x:argmin(d) end,
}
local dims_of_3 = {{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, {0, 1, 2}}

section("reductions on a device:", function()
  setup(function() torch.manual_seed(3) end)

  for _, dtype in ipairs(all) do
    it("every set of dimensions and every layout, " .. dtype, function()
      local x = drawn(dtype, 5, 7, 33)
      for name, f in pairs(reductions) do
        for _, dims in ipairs(dims_of_3) do
          both(function(t) return f(t, dims) end, name, 1, x)
        end
        for layout, lay in pairs(layouts) do
          both(function(t) return f(lay(t), {1}) end, name .. " " .. layout, 1, x)
          both(function(t) return f(lay(t), {0, 2}) end, name .. " " .. layout, 1, x)
        end
      end
      if dtype ~= "bool" then
        for name, f in pairs(along) do
          for d = 0, 2 do both(function(t) return f(t, d) end, name, 1, x) end
          for layout, lay in pairs(layouts) do
            both(function(t) return f(lay(t), 1) end, name .. " " .. layout, 1, x)
          end
          both(function(t) return t:transpose(0, 2):argmax(), t:transpose(0, 1):argmin() end, name, 1, x)
        end
      end
      both(function(t) return t:prod(0), t:sum(), t:max(), t:min(), t:any(), t:all() end, "whole", 1, x)
      both(function(t) return torch.aminmax(t, {dim = 1}) end, "aminmax", 1, x)
    end)
  end

  for _, dtype in ipairs(floats) do
    it("moments and norms, " .. dtype, function()
      local x = drawn(dtype, 5, 6, 33)
      for name, f in pairs(float_reductions) do
        for _, dims in ipairs(dims_of_3) do both(function(t) return f(t, dims) end, name, 4, x) end
        for layout, lay in pairs(layouts) do
          both(function(t) return f(lay(t), {1}) end, name .. " " .. layout, 4, x)
        end
      end
    end)
  end

  it("many rows, long rows, many parts", function()
    for _, dtype in ipairs {"float32", "float16", "int64", "uint8"} do
      for _, shape in ipairs {{40000}, {3, 9000}, {9000, 3}, {300, 130}, {2, 6000, 2}, {600, 40}, {1, 1200, 33}} do
        local x = drawn(dtype, table.unpack(shape))
        for d = 0, #shape - 1 do
          both(function(t) return t:sum(d), t:amax(d), t:argmax(d), t:any(d) end, dtype .. " along", 10, x)
          if dtype:find "float" then
            both(function(t) return t:mean(d), t:var(d), t:logsumexp(d), t:norm(2, d) end, dtype .. " along", 10, x)
          end
        end
        both(function(t) return t:sum(), t:max(), t:argmin() end, dtype .. " whole", 10, x)
        both(function(t) return t[{"1:"}]:sum() end, dtype .. " whole, not aligned", 10, x)
      end
    end
  end)

  it("other types of results", function()
    local x = drawn("float32", 4, 5) * 3
    for _, to in ipairs {torch.float64, torch.float16, torch.int64, torch.int32, torch.bool} do
      both(function(t) return t:sum({dtype = to}), t:prod({dtype = to}), t:nansum({dtype = to}) end, "dtype", 1, x)
      if to ~= torch.bool then both(function(t) return t:cumsum(1, {dtype = to}) end, "dtype", 1, x) end
    end
    both(function(t) return t:mean({dtype = torch.float64}) end, "mean", 1, x)
    both(function(t) return t:int():sum({dtype = torch.float32}) end, "integers", 1, x)
    both(function(t) return torch.linalg.vector_norm(t:half(), {dtype = torch.float32}) end, "norm", 1, x)
  end)

  it("empty and 0-dim tensors", function()
    local none, point = torch.zeros(0, 3), torch.tensor(2.5)
    both(function(t) return t:sum(), t:sum(0), t:sum(1), t:mean(), t:mean(0), t:prod(0), t:all(), t:any() end,
         "empty", 1, none)
    both(function(t) return t:amax(1), t:argmax(1), t:cumsum(0), t:softmax(0), t:logsumexp(0) end, "empty", 1, none)
    both(function(t) return t:sum(), t:mean(0), t:max(), t:argmax(), t:cumsum(0), t:softmax(0), t:logsumexp(0) end,
         "0-dim", 1, point)
    refuses(function() return torch.zeros(0, 3, {device = "cuda"}):max() end,
            "max(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim "
            .. "with the 'dim' argument.")
  end)

  it("NaN, infinities and ties", function()
    local nan, inf = 0 / 0, math.huge
    local x = torch.tensor({{1, nan, 3, nan}, {inf, 2, inf, 2}, {-inf, -inf, -inf, -inf}, {5, 5, 1, 1}, {nan, inf, 0, 0}})
    for _, d in ipairs {0, 1} do
      for name, f in pairs(along) do both(function(t) return f(t, d) end, name, 1, x) end
      both(function(t) return t:amax(d), t:amin(d), t:sum(d), t:nansum(d), t:mean(d) end, "NaN", 1, x)
      both(function(t) return t:logsumexp(d), t:softmax(d), t:log_softmax(d), t:norm(2, d) end, "NaN", 1, x)
      both(function(t) return torch.cummax(t, d) end, "cummax", 1, x)
      both(function(t) return torch.cummin(t, d) end, "cummin", 1, x)
      both(function(t) return torch.linalg.vector_norm(t, {ord = math.huge, dim = d}) end, "norm", 1, x)
    end
    local many = torch.zeros(30000)
    many[{17000}], many[{29000}] = 1, 1
    both(function(t) return t:argmax(), t:argmin(), t:eq(1):int():argmax(0) end, "ties", 1, many)
    many[{23000}] = nan
    both(function(t) return t:argmax(), t:argmin(), t:max() end, "NaN in parts", 1, many)
  end)

  it("more dimensions than a kernel takes", function()
    local sizes, even = {}, {}
    for i = 1, 24 do sizes[i] = i <= 12 and 2 or 1 end
    local x = torch.randn(table.unpack(sizes, 1, 12))
    for i = 0, 11, 2 do even[#even + 1] = i end
    both(function(t) return t:sum(even), t:permute(11, 9, 7, 5, 3, 1, 0, 2, 4, 6, 8, 10):amax(even) end, "dims", 4, x)
    local y = torch.randn(1, 4096):expand(1, 4096):reshape(table.unpack(sizes, 1, 12))
    both(function(t) return t:transpose(0, 11):sum({1, 3, 5, 7, 9, 11}) end, "dims", 4, y)
  end)

  it("far from zero", function()
    local x = torch.randn(2000) * 1e-2 + 100
    both(function(t) return t:var(), t:std(), t:logsumexp(0) end, "offset", 500, x)
  end)

  it("a last part shorter than a vector, not aligned", function()
    local n = 243 * 4160 + 1 -- 243 parts, and one element
    local x = torch.ones(n + 9, {device = "cuda"})
    x[{0}], x[{n + 1 .. ":"}] = 1000, 1000
    assert.are.equal(n, x[{"1:" .. n + 1}]:sum():item())
  end)

  it("columns side by side: all there are, some of a row, not aligned, in parts", function()
    for _, dtype in ipairs(all) do
      for _, shape in ipairs{{3, 40}, {300, 64}, {1030, 72}, {3, 70, 32}} do
        local x, d = drawn(dtype, table.unpack(shape)), #shape - 2
        for _, view in ipairs{
          function(t) return t end, function(t) return t:narrow(-1, 0, 32) end, function(t) return t:narrow(-1, -32, 32) end,
          function(t) return t:flatten()["1:"]["0:" .. (shape[1] - 1) * t[0]:numel()]:reshape(-1, shape[#shape]) end,
        } do
          local what = dtype .. " " .. table.concat(shape, "x")
          local along_rows = function(t) return math.min(d, t:dim() - 2) end
          both(function(t) t = view(t) return t:sum(along_rows(t)) end, "sum " .. what, 4, x)
          if dtype ~= "bool" then both(function(t) t = view(t) return torch.max(t, along_rows(t)) end, "max " .. what, 1, x) end
          if x.dtype.is_floating_point then
            both(function(t) t = view(t) return t:var(along_rows(t)), t:logsumexp(along_rows(t)) end, "var " .. what, 8, x)
          end
        end
      end
    end
  end)

  it("answers the same on every run", function()
    local x = torch.randn(100000, {device = "cuda"})
    assert.are.equal(x:sum():item(), x:clone():sum():item())
  end)
end)

-- --- running results -----------------------------------------------------------------------------------------
section("running results on a device:", function()
  setup(function() torch.manual_seed(5) end)
  local function every(t, d)
    return t:cumsum(d), t:cumprod(d), torch.cummax(t, d)
  end

  for _, dtype in ipairs(all) do
    it("along every dimension, " .. dtype, function()
      for _, shape in ipairs {{4, 5, 6}, {3, 300}, {300, 3}, {1, 129, 2}} do
        local x = drawn(dtype, table.unpack(shape))
        for d = 0, #shape - 1 do
          both(function(t) return every(t, d) end, "running", 8, x)
          both(function(t) return torch.cummin(t, d) end, "cummin", 8, x)
        end
        both(function(t) return layouts.columns(t):cumsum(0), layouts.stepped(t):cumsum(-1) end, "layouts", 8, x)
      end
    end)
  end

  it("in chunks", function()
    for _, shape in ipairs {{40000}, {2, 20000}, {3000, 4}, {1000, 40}, {2, 700, 3}} do
      for _, dtype in ipairs {"float32", "int64"} do
        local x = drawn(dtype, table.unpack(shape))
        local d = #shape == 1 and 0 or shape[1] == 2 and 1 or 0
        both(function(t) return t:cumsum(d), torch.cummax(t, d) end, "long", 40, x)
      end
    end
  end)

  it("gradients", function()
    local x = torch.randn(4, 5, {dtype = torch.float64})
    local zeros = x:clone()
    zeros[{1, 2}], zeros[{2}] = 0, 0
    local function gradient(f)
      return function(t)
        t = t:detach():requires_grad_()
        local y = f(t)
        y:mul(torch.arange(y:numel(), {dtype = t.dtype, device = t.device}):reshape(y.shape)):sum():backward()
        return t.grad
      end
    end
    for _, d in ipairs {0, 1} do
      for name, f in pairs {
        cumsum = function(t) return t:cumsum(d) end, cumprod = function(t) return t:cumprod(d) end,
        cummax = function(t) return (torch.cummax(t, d)) end, prod = function(t) return t:prod(d) end,
        whole = function(t) return t:prod() end, max = function(t) return (torch.max(t, d)) end,
        amax = function(t) return t:amax(d) end, std = function(t) return t:std(d) end,
        norm = function(t) return t:norm(3, d) end, mean = function(t) return t:mean(d) end,
        logsumexp = function(t) return t:logsumexp(d) end, softmax = function(t) return t:softmax(d) end,
        log_softmax = function(t) return t:log_softmax(d) end,
      } do
        both(gradient(f), name, 10, x)
        both(gradient(f), name .. " with zeros", 10, zeros)
      end
    end
  end)
end)

-- --- softmax ---------------------------------------------------------------------------------------------------
section("softmax on a device:", function()
  setup(function() torch.manual_seed(7) end)
  local function gradient(t, d, log)
    t = t:detach():requires_grad_()
    local y = log and t:log_softmax(d) or t:softmax(d)
    y:mul(torch.arange(y:numel(), {device = t.device}):reshape(y.shape):to(t.dtype):sin()):sum():backward()
    return t.grad
  end

  for _, dtype in ipairs(floats) do
    it("rows and columns of every size, " .. dtype, function()
      for _, shape in ipairs {{3, 1}, {5, 10}, {40, 7}, {3, 64}, {2, 130}, {2, 1000}, {3, 2, 5}, {70, 40}, {300, 33}} do
        local x = drawn(dtype, table.unpack(shape))
        for d = 0, #shape - 1 do
          both(function(t) return t:softmax(d), t:log_softmax(d), gradient(t, d, false), gradient(t, d, true) end,
               table.concat(shape, "x") .. " along " .. d, 8, x)
        end
        both(function(t) return layouts.stepped(t):softmax(-1), layouts.cut(t):log_softmax(-1) end, "layouts", 8, x)
      end
    end)
  end

  it("wide rows, and rows that do not fit into registers", function()
    for _, n in ipairs {4097, 6144, 8192, 8193, 9008} do
      for _, dtype in ipairs(floats) do
        local x = drawn(dtype, 3, n) * 4
        both(function(t) return t:softmax(1), t:log_softmax(1), gradient(t, 1, false), gradient(t, 1, true) end, n .. dtype, 8, x)
        both(function(t) return t:flatten()["1:"]:reshape(1, 3 * n - 1):softmax(1) end, n .. dtype .. ", not aligned", 8, x)
      end
    end
    local x = torch.randn(2, 9001) * 4
    x["0, 100:9000"] = -math.huge -- a thread that sees nothing else
    both(function(t) return t:softmax(1), t:log_softmax(1) end, "long, masked", 8, x)
    x[{0, 5}], x[{1, 9000}] = math.huge, 0 / 0
    both(function(t) return t:softmax(1), t:log_softmax(1) end, "long, infinite", 8, x)
  end)

  it("other dtypes, and those that are refused", function()
    both(function(t) return t:softmax(1, torch.float64), t:half():softmax(1, torch.float32) end, "dtype", 100,
         torch.randn(3, 4))
    refuses(function() return torch.zeros(3, {dtype = torch.int64, device = "cuda"}):softmax(0) end,
            "\"host_softmax\" not implemented for 'Long'")
  end)
end)

-- --- losses ------------------------------------------------------------------------------------------------------
section("losses on a device:", function()
  setup(function() torch.manual_seed(9) end)
  local function with_gradient(f)
    return function(x, ...)
      x = x:detach():requires_grad_()
      local loss = f(x, ...)
      loss:sum():backward()
      return loss:detach(), x.grad
    end
  end
  local reductions_by_name = {"none", "mean", "sum"}

  for _, dtype in ipairs(floats) do
    it("element by element, " .. dtype, function()
      local x, t = drawn(dtype, 6, 50) * 2, drawn(dtype, 6, 50)
      local share, other = torch.rand(6, 50):to(torch[dtype]), torch.rand(6, 50):to(torch[dtype])
      for _, r in ipairs(reductions_by_name) do
        for name, f in pairs {mse = F.mse_loss, l1 = F.l1_loss, smooth = F.smooth_l1_loss, huber = F.huber_loss,
                              logits = F.binary_cross_entropy_with_logits, kl = F.kl_div} do
          local target = name == "logits" and share or name == "kl" and share or t
          both(with_gradient(function(a, b) return f(a, b, {reduction = r}) end), name .. " " .. r, 8, x, target)
        end
        both(with_gradient(function(a, b) return F.binary_cross_entropy(a, b, {reduction = r}) end), "bce " .. r, 8,
             share, other)
        both(with_gradient(function(a, b, w)
               return F.binary_cross_entropy_with_logits(a, b, {reduction = r, weight = w, pos_weight = w})
             end), "weighted " .. r, 8, x, share, other)
        both(with_gradient(function(a, b) return F.mse_loss(layouts.columns(a), layouts.stepped(b), {reduction = r}) end),
             "layouts " .. r, 8, x, t)
      end
      both(with_gradient(function(a, b) return F.smooth_l1_loss(a, b, {beta = 0.3}) end), "beta", 8, x, t)
      both(with_gradient(function(a, b) return F.huber_loss(a, b, {delta = 0.3}) end), "delta", 8, x, t)
    end)

    it("negative log likelihood, " .. dtype, function()
      local cases = {{torch.randn(7, 5), {7}}, {torch.randn(5), {}}, {torch.randn(3, 5, 4), {3, 4}},
                     {torch.randn(2, 5, 3, 4), {2, 3, 4}}, {torch.randn(9000, 5), {9000}}}
      local weight = (torch.rand(5) + 0.5):to(torch[dtype])
      for _, case in ipairs(cases) do
        local x, shape = case[1]:to(torch[dtype]), case[2]
        local target = #shape > 0 and torch.randint(0, 5, shape) or torch.tensor(3)
        for _, r in ipairs(reductions_by_name) do
          local function nll(w, ignored)
            return function(a, t) return F.nll_loss(a, t, {weight = w and weight:to(a.device) or nil, reduction = r,
                                                           ignore_index = ignored}) end
          end
          local what = x:dim() .. "-dim " .. r
          both(with_gradient(nll(false, -100)), what, 20, x, target)
          if x:dim() > 1 then
            both(with_gradient(nll(true, 2)), what .. " weighted, ignoring", 20, x, target)
            both(with_gradient(function(a, t) return F.cross_entropy(a, t, {reduction = r, label_smoothing = 0.1}) end),
                 what .. " cross entropy", 20, x, target)
          end
        end
      end
    end)
  end

  it("gradients of gradients", function()
    both(function(x, t)
      x = x:detach():requires_grad_()
      local y = F.mse_loss(x, t) + F.smooth_l1_loss(x, t) + F.binary_cross_entropy_with_logits(x, t:sigmoid())
      local g = torch.autograd.grad(y, {x}, {create_graph = true})[1]
      return (torch.autograd.grad(g:pow(2):sum(), {x}))[1]
    end, "twice", 8, torch.randn(4, 3), torch.randn(4, 3))
  end)

  it("nothing to average", function()
    both(function(x, t) return F.nll_loss(x, t), F.nll_loss(x, t, {reduction = "sum"}) end, "empty", 1,
         torch.zeros(0, 3), torch.zeros(0, {dtype = torch.int64}))
    both(function(x, t) return F.cross_entropy(x, t, {ignore_index = 1}) end, "all ignored", 1, torch.randn(2, 3),
         torch.ones(2, {dtype = torch.int64}))
  end)

  it("takes 0-dim tensors of the CPU beside those of the device", function()
    local x = torch.randn(3, 4)
    for _, f in ipairs {F.mse_loss, F.huber_loss, F.l1_loss} do
      check(f(x, torch.tensor(1.5)), f(x:to("cuda"), torch.tensor(1.5)), "target")
      check(f(torch.tensor(1.5), x), f(torch.tensor(1.5), x:to("cuda")), "input")
    end
    local log_probabilities = torch.randn(3)
    check(F.nll_loss(log_probabilities, torch.tensor(1)), F.nll_loss(log_probabilities:to "cuda", torch.tensor(1)), "class")
  end)

  it("targets out of range are errors at the next look", function()
    local x, t = torch.randn(4, 3, {device = "cuda"}), torch.tensor({0, 7, 1, 2}, {device = "cuda"})
    refuses(function() return F.nll_loss(x, t):item() end,
            "nll_loss(): index 7 is out of bounds for dimension 1 with size 3")
    assert.are.equal(4, x:size(0))
    assert.are.equal(12, torch.ones_like(x):sum():item())
  end)

  it("binary cross entropy refuses what is not a probability", function()
    local x, t = torch.tensor({0.5, 1.5}, {device = "cuda"}), torch.tensor({0.0, 1.0}, {device = "cuda"})
    refuses(function() return F.binary_cross_entropy(x, t):item() end, "all elements of input should be between 0 and 1")
    assert.are.equal(2, torch.ones_like(x):sum():item())
  end)
end)
