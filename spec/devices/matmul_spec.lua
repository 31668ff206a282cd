-- matmul_spec.lua: matrix products, Linear, optimizers and the lists of mixed precision on a device, against the
-- same calls on the CPU: dtypes, layouts, empty operands, gradients, errors, switches.
local torch = require "torch"
local nn, optim = torch.nn, torch.optim

local section = require("gpus").with_one

-- --- comparing ---------------------------------------------------------------------------------------------
-- Relative to the largest element, for sums of a few hundred products.
local allowed = {float32 = 4e-6, float64 = 1e-14, float16 = 2e-3, bfloat16 = 1.6e-2}

local function check(expected, answer, what, factor)
  assert(answer.is_cuda, what .. ": not on the device")
  assert.are.equal(tostring(expected.dtype), tostring(answer.dtype), what)
  assert.are.equal(tostring(expected.shape), tostring(answer.shape), what)
  if expected:numel() == 0 then return end
  local bound = allowed[tostring(expected.dtype):match "%w+$"] * (factor or 1)
  local a, b = expected:double(), answer:cpu():double()
  local same = a:eq(b):logical_or(a:isnan():logical_and(b:isnan()))
  local size = torch.where(a:isfinite(), a:abs(), torch.tensor(0, {dtype = torch.float64})):max():item()
  local off = (a - b):abs():masked_fill(same, 0):max():item()
  local close = off <= bound * math.max(size, 1e-3)   -- false for nan
  if not close then
    error(("%s: %g off (largest %g)\n%s\n%s"):format(what, off, size, a, b))
  end
end

local function to_device(x)
  if torch.is_tensor(x) then return x:cuda() end
  if type(x) ~= "table" then return x end
  local moved = {}
  for k, v in pairs(x) do moved[k] = to_device(v) end
  return moved
end

-- f(...) here and on the device; layouts made by f itself are then the same in both.
local function both(what, f, ...)
  local here, there = {...}, {}
  for i = 1, #here do there[i] = to_device(here[i]) end
  local expected, answer = f(table.unpack(here)), f(table.unpack(there))
  check(expected, answer, what)
end

local floats = {"float32", "float64", "float16", "bfloat16"}
local function drawn(dtype, ...) return torch.randn(...):to(torch[dtype]) end

-- A matrix (or batch) of the same values that lies differently in memory.
local layouts = {
  rows = function(t) return t end,
  columns = function(t) return t:transpose(-2, -1):contiguous():transpose(-2, -1) end,
  cut = function(t) return torch.cat({t, t}, -1):narrow(-1, 0, t:size(-1)) end,
  cut_rows = function(t) return torch.cat({t, t}, -2):transpose(-2, -1):contiguous():transpose(-2, -1)
    :narrow(-2, 0, t:size(-2)) end,
  every_second = function(t) return torch.stack({t, t}, -1):flatten(-2)["..., ::2"] end,
}

-- --- products ----------------------------------------------------------------------------------------------
section("products on CUDA", function()
  before_each(function() torch.manual_seed(3) end)

  it("multiply matrices of every floating type and layout", function()
    for _, dtype in ipairs(floats) do
      for x, left in pairs(layouts) do
        for y, right in pairs(layouts) do
          both(dtype .. " " .. x .. " @ " .. y, function(a, b) return left(a):mm(right(b)) end,
            drawn(dtype, 37, 20), drawn(dtype, 20, 41))
        end
      end
    end
  end)

  it("multiply vectors, rows and columns", function()
    for _, dtype in ipairs(floats) do
      for _, s in ipairs {{1, 1, 1}, {1, 7, 5}, {5, 7, 1}, {5, 1, 6}, {1, 1, 9}, {9, 1, 1}, {1, 300, 1}} do
        both(dtype .. table.concat(s, "x"), torch.mm, drawn(dtype, s[1], s[2]), drawn(dtype, s[2], s[3]))
      end
      both("mv", torch.mv, drawn(dtype, 33, 20), drawn(dtype, 20))
      both("mv of a transpose", function(m, v) return m:t():mv(v["::2"]) end, drawn(dtype, 20, 33), drawn(dtype, 40))
      both("addmv", function(s, m, v) return torch.addmv(s, m, v, {beta = 0.5, alpha = 2}) end, drawn(dtype, 33),
        drawn(dtype, 33, 20), drawn(dtype, 20))
      both("dot", torch.dot, drawn(dtype, 300), drawn(dtype, 300))
      both("dot of strided vectors", function(a, b) return a["::2"]:dot(b["::3"]) end,
        drawn(dtype, 200), drawn(dtype, 300))
    end
    both("a long dot", torch.dot, drawn("float64", 100000), drawn("float64", 100000))
    both("an empty dot", torch.dot, torch.zeros(0), torch.zeros(0))
  end)

  it("multiply batches", function()
    for _, dtype in ipairs(floats) do
      local a, b = drawn(dtype, 5, 9, 7), drawn(dtype, 5, 7, 4)
      both("bmm", torch.bmm, a, b)
      both("bmm of transposes", function(x, y) return y.mT:bmm(x.mT) end, a, b)
      both("bmm of an expanded batch", function(x, y) return x["0:1"]:expand(5, 9, 7):bmm(y) end, a, b)
      both("bmm across the batch", function(x, y) return x:transpose(0, 1):contiguous():transpose(0, 1):bmm(y) end, a, b)
      both("matmul with broadcasting", torch.matmul, drawn(dtype, 3, 1, 4, 6), drawn(dtype, 2, 6, 5))
      both("matmul of a batch and a matrix", torch.matmul, a, drawn(dtype, 7, 3))
      both("matmul of a batch and a vector", torch.matmul, a, drawn(dtype, 7))
      both("matmul of a vector and a batch", torch.matmul, drawn(dtype, 7), b)
    end
  end)

  it("add what is given", function()
    for _, dtype in ipairs(floats) do
      local a, b, full = drawn(dtype, 6, 8), drawn(dtype, 8, 5), drawn(dtype, 6, 5)
      for what, self in pairs {full = full, row = drawn(dtype, 5), column = drawn(dtype, 6, 1), number = drawn(dtype, 1)} do
        both("addmm " .. what, torch.addmm, self, a, b)
        both("addmm scaled " .. what, function(s, x, y) return torch.addmm(s, x, y, {beta = 0.5, alpha = -2}) end, self, a, b)
        both("addmm alpha " .. what, function(s, x, y) return torch.addmm(s, x, y, {alpha = 3}) end, self, a, b)
      end
      both("addmm in place", function(s, x, y) return s:clone():addmm_(x, y) end, full, a, b)
      both("addmm out", function(s, x, y)
        local out = torch.zeros_like(s)
        torch.addmm(s, x, y, {out = out})
        return out
      end, full, a, b)
      local ba, bb = drawn(dtype, 3, 6, 8), drawn(dtype, 3, 8, 5)
      both("baddbmm", torch.baddbmm, drawn(dtype, 3, 6, 5), ba, bb)
      both("baddbmm broadcast", function(s, x, y) return torch.baddbmm(s, x, y, {beta = 2, alpha = 0.5}) end, drawn(dtype, 5), ba, bb)
      both("addbmm", torch.addbmm, full, ba, bb)
      both("addbmm scaled", function(s, x, y) return torch.addbmm(s, x, y, {beta = 0.5, alpha = 2}) end, drawn(dtype, 5), ba, bb)
    end
    local nan = torch.full({2, 2}, 0 / 0)
    both("beta 0 ignores NaN", function(s, x) return torch.addmm(s, x, x, {beta = 0}) end, nan, torch.ones(2, 2))
    both("a bias of beta 0", function(s, x) return torch.addmm(s, x, x, {beta = 0}) end, nan[0], torch.ones(2, 2))
  end)

  it("know what is empty", function()
    local z = torch.zeros
    both("no rows", torch.mm, z(0, 3), z(3, 4))
    both("nothing to sum", torch.mm, z(2, 0), z(0, 4))
    both("nothing to add to", function(s, a, b) return torch.addmm(s, a, b, {beta = 3}) end, torch.ones(2, 4), z(2, 0), z(0, 4))
    both("nothing to add to a row", torch.addmm, torch.arange(4):float(), z(2, 0), z(0, 4))
    both("no batch", torch.bmm, z(0, 2, 3), z(0, 3, 4))
    both("an empty batch summed", torch.addbmm, torch.ones(2, 4), z(0, 2, 3), z(0, 3, 4))
    both("a batch with nothing to sum", torch.baddbmm, torch.ones(3, 2, 4), z(3, 2, 0), z(3, 0, 4))
    both("mv of nothing", torch.mv, z(3, 0), z(0))
  end)

  it("differentiate as on the CPU", function()
    local function gradients(f, ...)
      local inputs = {...}
      for i = 1, #inputs do inputs[i] = inputs[i]:clone():requires_grad_() end
      local out = f(table.unpack(inputs))
      out:mul(torch.arange(out:numel()):to(out.device, out.dtype):reshape(out.shape)):sum():backward()
      local flat = {}
      for i = 1, #inputs do flat[i] = inputs[i].grad:flatten() end
      return torch.cat(flat)
    end
    local function compare(what, f, ...) both(what, function(...) return gradients(f, ...) end, ...) end
    for _, dtype in ipairs {"float32", "float64"} do
      compare("mm", torch.mm, drawn(dtype, 5, 4), drawn(dtype, 4, 3))
      compare("bmm", torch.bmm, drawn(dtype, 2, 5, 4), drawn(dtype, 2, 4, 3))
      compare("mv", torch.mv, drawn(dtype, 5, 4), drawn(dtype, 4))
      compare("dot", function(a, b) return a:dot(b):reshape(1) end, drawn(dtype, 4), drawn(dtype, 4))
      compare("addmm", function(s, a, b) return torch.addmm(s, a, b, {beta = 0.5, alpha = 2}) end, drawn(dtype, 3),
        drawn(dtype, 5, 4), drawn(dtype, 4, 3))
      compare("linear", nn.functional.linear, drawn(dtype, 2, 5, 4), drawn(dtype, 3, 4), drawn(dtype, 3))
      compare("linear without bias", nn.functional.linear, drawn(dtype, 5, 4), drawn(dtype, 3, 4))
    end
  end)

  it("refuse integers and truth values in PyTorch's words", function()
    local function refuses(pattern, f, ...)
      local ok, err = pcall(f, ...)
      assert(not ok and tostring(err):find(pattern, 1, true), tostring(err))
    end
    local i = torch.ones({2, 2}, {dtype = torch.int64, device = "cuda"})
    refuses([["addmm_cuda" not implemented for 'Long']], torch.mm, i, i)
    refuses([["addmm_cuda" not implemented for 'Int']], torch.addmm, i:int(), i:int(), i:int())
    refuses([["baddbmm_cuda" not implemented for 'Long']], torch.bmm, i:unsqueeze(0), i:unsqueeze(0))
    refuses([["addmv_impl_cuda" not implemented for 'Long']], torch.mv, i, i[0])
    refuses([["dot" not implemented for 'Long']], torch.dot, i[0], i[0])
    refuses([["addmm_cuda" not implemented for 'Bool']], torch.mm, i:bool(), i:bool())
    refuses("mat1 and mat2 shapes cannot be multiplied (2x2 and 3x2)", torch.mm, torch.ones(2, 2):cuda(), torch.ones(3, 2):cuda())
  end)

  it("multiply in every stream and on every GPU", function()
    local a, b = torch.randn(20, 30), torch.randn(30, 10)
    local expected = a:mm(b)
    for d = 0, torch.cuda.device_count() - 1 do
      local x, y = a:to("cuda:" .. d), b:to("cuda:" .. d)
      torch.cuda.synchronize(d)
      local results = {}
      for i = 1, 40 do -- more than the pool has
        local stream = torch.cuda.Stream {device = d}
        torch.cuda.stream(stream, function() results[i] = x:mm(y) end)
      end
      torch.cuda.synchronize(d)
      for i = 1, 40 do check(expected, results[i], "stream " .. i) end
      local weight = x:clone():requires_grad_()
      weight.grad = torch.ones_like(x)
      optim.SGD({weight}, {lr = 0.5}):step()
      check(a - 0.5, weight:detach(), "step on GPU " .. d)
      assert.are.equal(tostring(x.device), tostring(nn.utils.clip_grad_norm_({weight}, 1).device))
    end
  end)

  it("have PyTorch's switches", function()
    local matmul = torch.backends.cuda.matmul
    assert.is_false(matmul.allow_tf32)
    assert.are.equal("highest", torch.get_float32_matmul_precision())
    matmul.allow_tf32 = true
    assert.are.equal("high", torch.get_float32_matmul_precision())
    both("with TensorFloat-32", function(a, b) return a:mm(b):round() end, torch.ones(3, 4), torch.ones(4, 3))
    torch.set_float32_matmul_precision "highest"
    assert.is_false(matmul.allow_tf32)
    matmul.allow_fp16_reduced_precision_reduction = false
    assert.is_false(matmul.allow_fp16_reduced_precision_reduction)
    assert.is_true(matmul.allow_bf16_reduced_precision_reduction)
    both("without reductions in float16", nn.functional.linear, drawn("float16", 5, 8), drawn("float16", 3, 8), drawn("float16", 3))
    for _, activation in ipairs {nn.ReLU(), nn.GELU {approximate = "tanh"}} do -- then in launches of its own
      torch.no_grad(function()
        local net, x = nn.Sequential(nn.Linear(8, 3), activation):half(), drawn("float16", 5, 8)
        local expected = net(x)
        check(expected, net:cuda()(x:cuda()), tostring(activation))
      end)
    end
    matmul.allow_fp16_reduced_precision_reduction = true
    assert.has_error(function() matmul.allow_tf32 = 1 end)
    assert.has_error(function() return matmul.other end)
  end)
end)

-- --- layers ------------------------------------------------------------------------------------------------
section("Linear on CUDA", function()
  before_each(function() torch.manual_seed(4) end)

  it("computes as on the CPU, with and without bias, in every rank", function()
    for _, dtype in ipairs(floats) do
      for _, bias in ipairs {true, false} do
        local layer = nn.Linear(24, 10, {bias = bias}):to(torch[dtype])
        local inputs = {drawn(dtype, 24), drawn(dtype, 7, 24), drawn(dtype, 2, 3, 24), drawn(dtype, 0, 24), drawn(dtype, 24, 6):t()}
        local expected = {}
        for i, x in ipairs(inputs) do expected[i] = layer(x):detach() end
        layer:cuda()
        for i, x in ipairs(inputs) do check(expected[i], layer(x:cuda()):detach(), dtype .. " input " .. i) end
      end
    end
  end)

  it("runs with the activation after it in one launch", function()
    for _, dtype in ipairs(floats) do
      for _, activation in ipairs {nn.ReLU(), nn.ReLU {inplace = true}, nn.GELU {approximate = "tanh"}, nn.GELU()} do
        for _, bias in ipairs {true, false} do
          local net = nn.Sequential(nn.Linear(12, 9, {bias = bias}), activation, nn.Linear(9, 4)):to(torch[dtype])
          local x = drawn(dtype, 5, 12)
          local recorded = net(x)
          net:cuda()
          check(recorded:detach(), net(x:cuda()):detach(), dtype .. " recorded", 2)
          torch.no_grad(function() check(recorded:detach(), net(x:cuda()), dtype .. " " .. tostring(activation), 2) end)
          x = x:reshape(5, 1, 12)
          torch.no_grad(function() check(recorded:detach():reshape(5, 1, 4), net(x:cuda()), dtype .. " rank 3", 2) end)
        end
      end
    end
  end)

  it("keeps NaN through the fused ReLU", function()
    local net = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
    local x = torch.tensor {{0 / 0, 1}, {1, 1}}
    torch.no_grad(function() both("NaN", function(y) return (y.is_cuda and net:cuda() or net:cpu())(y) end, x) end)
  end)
end)

-- --- optimizers --------------------------------------------------------------------------------------------
-- 5 steps over parameters of several sizes (one not contiguous), with gradients drawn on the CPU.
local shapes = {{3}, {40, 50}, {1}, {5000}, {0}, {2, 3, 4}}

local function steps(device, dtype, class, options, skip)
  torch.manual_seed(7)
  local parameters = {}
  for i, shape in ipairs(shapes) do
    parameters[i] = torch.randn(shape):to(device, torch[dtype]):requires_grad_()
  end
  parameters[#parameters + 1] = torch.randn(6, 4):to(device, torch[dtype]):t():requires_grad_()
  local optimizer = optim[class](parameters, options)
  for round = 1, 5 do
    for i, p in ipairs(parameters) do
      local gradient = torch.randn(p.shape)
      -- in 16 bits the CPU rounds after every operation, as PyTorch's: small squares would be 0 there
      if p.dtype.itemsize == 2 then gradient = gradient + gradient:sign() / 2 end
      gradient = gradient:to(device, torch[dtype])
      if not (skip and (round + i) % 3 == 0) then p.grad = gradient else p.grad = nil end
    end
    optimizer:step()
  end
  local flat = {}
  for i, p in ipairs(parameters) do flat[i] = p:detach():flatten() end
  return torch.cat(flat), optimizer
end

section("optimizers on CUDA", function()
  local cases = {
    {"SGD", {lr = 0.1}}, {"SGD", {lr = 0.1, momentum = 0.9, weight_decay = 0.01}}, {"SGD", {lr = 0.1, momentum = 0.9, nesterov = true}},
    {"SGD", {lr = 0.1, momentum = 0.9, dampening = 0.1, maximize = true}},
    {"Adam", {lr = 0.01}}, {"Adam", {lr = 0.01, amsgrad = true, weight_decay = 0.1}}, {"AdamW", {lr = 0.01}},
    {"AdamW", {lr = 0.01, amsgrad = true, maximize = true}}, {"Adam", {lr = 0.01, betas = {0.3, 0.5}}},
    {"Adamax", {lr = 0.01}}, {"Adamax", {lr = 0.01, betas = {0.3, 0.5}, weight_decay = 0.1, maximize = true}},
    {"Adagrad", {lr = 0.1, lr_decay = 0.1, weight_decay = 0.01, initial_accumulator_value = 0.5}},
    {"RMSprop", {lr = 0.01}}, {"RMSprop", {lr = 0.01, momentum = 0.9, centered = true}}, {"RMSprop", {lr = 0.01, alpha = 0.3, centered = true}},
    {"Adadelta", {lr = 1, weight_decay = 0.1}}, {"NAdam", {lr = 0.01, weight_decay = 0.1}},
    {"RAdam", {lr = 0.01, betas = {0.3, 0.5}, decoupled_weight_decay = true, weight_decay = 0.1}, wide = true}, {"Rprop", {lr = 0.01}},
    {"ASGD", {lr = 0.01, lambd = 0.1, t0 = 1}, wide = true}, {"Adafactor", {lr = 0.01}},
  }
  for i, case in ipairs(cases) do
    it("step as on the CPU: " .. case[1] .. " " .. i, function()
      for _, dtype in ipairs(floats) do
        -- centered: a difference of squares, which rounding after every operation may make negative in 16 bits;
        -- wide: a chain of operations, whose roundings add up there
        local compared = not ((case[2].centered or case.wide) and torch[dtype].itemsize == 2)
        for _, skip in ipairs(compared and {false, true} or {}) do
          check(steps("cpu", dtype, case[1], case[2], skip), (steps("cuda", dtype, case[1], case[2], skip)), dtype)
        end
      end
    end)
  end

  it("take more parameters than one launch", function()
    local function run(device)
      torch.manual_seed(1)
      local parameters = {}
      for i = 1, 300 do parameters[i] = torch.randn(i % 5 + 1):to(device):requires_grad_() end
      local optimizer = optim.AdamW(parameters, {lr = 0.1})
      for _ = 1, 2 do
        for _, p in ipairs(parameters) do p.grad = torch.randn(p.shape):to(device) end
        optimizer:step()
      end
      for i, p in ipairs(parameters) do parameters[i] = p:detach() end
      return torch.cat(parameters)
    end
    check(run "cpu", run "cuda", "300 parameters")
  end)

  it("keep groups apart, and their states on the device", function()
    local a, b = torch.ones(3, {device = "cuda", requires_grad = true}), torch.ones(3, {device = "cuda", requires_grad = true})
    local optimizer = optim.SGD({{params = {a}, lr = 0.5}, {params = {b}}}, {lr = 0.25, momentum = 0.9})
    a.grad, b.grad = torch.ones(3):cuda(), torch.ones(3):cuda()
    optimizer:step()
    assert.are.same({0.5, 0.5, 0.5}, a:tolist())
    assert.are.same({0.75, 0.75, 0.75}, b:tolist())
    local state = optimizer:state_dict().state
    assert(state[0].momentum_buffer.is_cuda)
    local other = optim.SGD({{params = {a}, lr = 0.5}, {params = {b}}}, {lr = 0.25, momentum = 0.9})
    other:load_state_dict(optimizer:state_dict())
    other:step()
    assert(math.abs(a[0]:item() - (0.5 - 0.5 * 1.9)) < 1e-6)
  end)
end)

-- --- mixed precision ---------------------------------------------------------------------------------------
section("lists of gradients on CUDA", function()
  local function gradients(device)
    torch.manual_seed(9)
    local list = {torch.randn(7), torch.randn(90, 100), torch.randn(33):double(), torch.randn(5):bfloat16(), torch.randn(6, 5):t(),
      torch.randn(0), torch.randn(10)["::2"]}
    for i, t in ipairs(list) do list[i] = t:to(device) end
    return list
  end

  it("are unscaled and checked", function()
    for _, bad in ipairs {0, 1 / 0, -1 / 0, 0 / 0} do
      for at = 1, 5 do
        local lists = {cpu = gradients "cpu", cuda = gradients "cuda"}
        local found = {}
        for device, list in pairs(lists) do
          if bad ~= 0 then list[at]:select(0, -1):fill_(bad) end
          found[device] = torch.zeros(1, {device = device})
          torch._amp_foreach_non_finite_check_and_unscale_(list, found[device], torch.full({1}, 1 / 3, {device = device}))
        end
        assert.are.equal(bad == 0 and 0 or 1, found.cuda:item())
        assert.are.equal(found.cpu:item(), found.cuda:item())
        for i, t in ipairs(lists.cpu) do check(t, lists.cuda[i], "gradient " .. i) end
        if bad == 0 then break end
      end
    end
  end)

  it("update the scale as on the CPU", function()
    local states = {}
    for _, device in ipairs {"cpu", "cuda"} do
      local scale = torch.full({}, 2 ^ 125, {device = device})
      local tracker = torch.zeros({}, {dtype = torch.int32, device = device})
      local seen = {}
      for round = 1, 20 do
        local found = torch.full({}, (round == 3 or round == 14) and 1.0 or 0.0, {device = device})
        torch._amp_update_scale_(scale, tracker, found, 2, 0.5, 2)
        seen[#seen + 1] = scale:item()
        seen[#seen + 1] = tracker:item()
      end
      states[device] = seen
    end
    assert.are.same(states.cpu, states.cuda)
  end)

  it("are clipped to a norm", function()
    for _, order in ipairs {2, 1, 0.5, 3, math.huge, 0} do
      for _, limit in ipairs {1e-2, 1e9} do
        local norms, results = {}, {}
        for _, device in ipairs {"cpu", "cuda"} do
          local parameters = {}
          local list = gradients(device)
          if order == math.huge then table.remove(list, 6) end -- the largest of nothing is an error
          for i, t in ipairs(list) do
            parameters[i] = torch.zeros_like(t):requires_grad_()
            parameters[i].grad = t
          end
          norms[device] = nn.utils.clip_grad_norm_(parameters, limit, order)
          results[device] = parameters
        end
        check(norms.cpu:float(), norms.cuda:float(), "norm of order " .. order, 4)
        for i, p in ipairs(results.cpu) do
          local there = results.cuda[i].grad
          -- the norms are of float32: so is what the float64 gradients agree to
          if p.dtype == torch.float64 then check(p.grad:float(), there:float(), "order " .. order .. ": float64", 4)
          else check(p.grad, there, "order " .. order .. ": gradient " .. i, 4) end
        end
      end
    end
    local p = torch.zeros(2, {device = "cuda", requires_grad = true})
    p.grad = torch.tensor({1, 0 / 0}, {device = "cuda"})
    assert.has_error(function() nn.utils.clip_grad_norm_({p}, 1, {error_if_nonfinite = true}) end)
    nn.utils.clip_grad_norm_({p}, 1)
    assert(p.grad:isnan():all():item())
  end)

  it("scale a training step", function()
    local function train(device)
      torch.manual_seed(2)
      local net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1)):to(device)
      local optimizer = optim.Adam(net:parameters(), {lr = 0.01})
      local scaler = torch.amp.GradScaler(device, {growth_interval = 3})
      local x, y = torch.randn(32, 6):to(device), torch.randn(32, 1):to(device)
      local losses = {}
      for round = 1, 8 do
        optimizer:zero_grad()
        local loss = nn.functional.mse_loss(net(x), y)
        scaler:scale(loss):backward()
        if round == 4 then net[0].weight.grad[0][0] = 1 / 0 end
        scaler:step(optimizer)
        scaler:update()
        losses[round] = loss:item()
      end
      return losses, scaler:get_scale()
    end
    local expected, scale = train "cpu"
    local answer, same = train "cuda"
    assert.are.equal(scale, same)
    for i, loss in ipairs(expected) do assert(math.abs(loss - answer[i]) <= 1e-4 * loss, "step " .. i) end
  end)
end)
