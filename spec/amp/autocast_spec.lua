-- autocast_spec.lua: autocast for every operator of the list against PyTorch (golden/ops, written by golden/ops.py):
-- the list it is on, and the dtypes that come out of its sample calls, on the CPU and, where there is one, on CUDA.
-- What scripts print under autocast and GradScaler is in golden/amp.
local torch = require "torch"
local samples = require "samples"
local answers = require "answers"
local programs = require "programs"

local lower = {cpu = torch.bfloat16, cuda = torch.float16}
local devices = {"cpu"}
if torch.cuda.is_available() then devices[2] = "cuda" end

-- --- the lists ----------------------------------------------------------------------------------------------

-- These are one operator here, and PyTorch makes them of one that is on a list: pow, tensordot.
local composed = {square = {cuda = "float32"}, inner = {cuda = "widest"}}
local list = samples.load()

local function class_of(op, device)
  return type(op.autocast) == "table" and op.autocast[device] or type(op.autocast) == "string" and op.autocast or nil
end

describe("the class under autocast of every operator", function()
  for _, device in ipairs{"cpu", "cuda"} do
    it("is PyTorch's, " .. device, function()
      local wrong, compared = {}, 0
      for _, op in ipairs(list) do
        local answer = answers.of(op.alias_of and list.by_name[op.alias_of] or op)
        answer = answer and answer.autocast
        local class = class_of(op, device)
        if op.inplace_of then
          if class then wrong[#wrong + 1] = op.name .. " is written in place and " .. class end
        elseif answer then
          compared = compared + 1
          local wanted = answer[device].class
          if composed[op.name] then wanted = composed[op.name][device] end
          if class ~= wanted then
            wrong[#wrong + 1] = ("%s: %s, PyTorch: %s"):format(op.name, class or "none", wanted or "none")
          end
        end
      end
      assert.are.equal("", table.concat(wrong, "\n"))
      assert.is_true(compared > 350)
    end)
  end
end)

-- --- what comes out -------------------------------------------------------------------------------------------

local function types_of(pattern, device)
  local half, single = lower[device], torch.float32
  return ({float32 = {single}, lower = {half}, mixed = {single, half}, mixed_too = {half, single},
    float64 = {torch.float64}})[pattern]
end

local floats = {float = true, positive = true, unit = true, sorted = true}

-- The same inputs golden/autocast.py makes; floating-point tensors take the types in turn.
local function make(spec, types, device)
  local n, values = 1, {}
  for _, d in ipairs(spec.shape) do n = n * d end
  for k = 0, n - 1 do
    if spec.values == "bool" then values[k + 1] = k % 2 == 1
    elseif spec.values == "int" then values[k + 1] = k % spec.limit + (spec.offset or 0)
    else values[k + 1] = (k + 1.0) / (n + 2) + (spec.offset or 0) end
    local rows, columns = spec.shape[#spec.shape - 1], spec.shape[#spec.shape]
    if spec.dominant and k % columns == k // columns % rows then values[k + 1] = values[k + 1] + 4 end
  end
  local t = torch.tensor({table.unpack(values)}, {dtype = n == 0 and torch.float32 or nil})
  if spec.dtype then
    t = t:to(torch[spec.dtype])
  elseif floats[spec.values] then
    t = t:to(types[1])
    table.insert(types, table.remove(types, 1))
  end
  return t:reshape(spec.shape):to(device)
end

local function value(argument, types, device)
  if argument.kind == "tensor" then return make(argument, types, device) end
  if argument.kind == "tensors" then
    local out = {}
    for i, item in ipairs(argument.items) do out[i] = make(item, types, device) end
    return out
  end
  return argument.kind == "dtype" and torch[argument.value] or argument.value
end

local places = {torch = torch, ["nn.functional"] = torch.nn.functional, linalg = rawget(torch, "linalg") or {}, special = torch.special,
  _VF = torch._VF}

local function callee(op)
  if op.forms[1] == "method" then return function(self, ...) return self[op.lua_name](self, ...) end end
  return places[op.forms[1]][op.lua_name]
end

-- Products inside an operator's own code, which autocast sees; without a GPU PyTorch answers for CUDA by other code.
local inner_product = {affine_grid = true, affine_grid_generator = true, pinv = true, pinverse = true}

-- What PyTorch could not say without a GPU.
local function is_unanswered(expected) return expected:find("^error .*NVIDIA driver") or expected:find "^error CUDA error" end

local function ask(op, call, pattern, device)
  local types, arguments, keywords, order = types_of(pattern, device), {}, {}, {}
  for i, a in ipairs(call.positional) do arguments[i] = value(a, types, device) end
  for key in pairs(call.keywords) do order[#order + 1] = key end
  table.sort(order)
  for _, key in ipairs(order) do keywords[key] = value(call.keywords[key], types, device) end
  if order[1] then arguments[#arguments + 1] = keywords end
  torch.set_autocast_enabled(device, true)
  local out = table.pack(pcall(callee(op), table.unpack(arguments)))
  torch.set_autocast_enabled(device, false)
  if not out[1] then return "error " .. tostring(out[2]):match "^[^\n]*" end
  local first = out[2]
  local from, to, results = 2, out.n, out
  if out.n == 2 and type(first) == "table" and not torch.is_tensor(first) then from, to, results = 1, #first, first end
  local names = {}
  for i = from, to do
    names[#names + 1] = torch.is_tensor(results[i]) and tostring(results[i].dtype):match "[^.]+$" or "-"
  end
  return table.concat(names, " ")
end

-- PyTorch checks the types of these before it multiplies, in a product that would have cast them (affine_grid: it has no
-- tensor of one bfloat16 number there).
local refused = {bilinear = true, inner = true, multi_dot = true, affine_grid = true}

-- Calls whose answer is not a matter of autocast: what differs is the same without it.
local function same_without(op, call, pattern, device, answer)
  local enabled = torch.set_autocast_enabled
  torch.set_autocast_enabled = function() end
  local plain = ask(op, call, pattern, device)
  torch.set_autocast_enabled = enabled
  return plain == answer and plain:match "^error"
end

describe("the dtypes that come out under autocast", function()
  for _, device in ipairs(devices) do
    it("are PyTorch's for every sample call, " .. device, function()
      local wrong, compared = {}, 0
      for _, op in ipairs(list) do
        local answer = answers.of(op) and answers.of(op).autocast
        for i, call in ipairs(answer and samples.calls(op) or {}) do
          for pattern, expected in pairs(answer[device].calls[i] or {}) do
            if is_unanswered(expected) or device == "cuda" and inner_product[op.lua_name] then goto next_pattern end
            local got = ask(op, call, pattern, device)
            compared = compared + 1
            local both_fail = expected:match "^error" and (got:match "^error" or refused[op.lua_name])
            if got ~= expected and not both_fail and not same_without(op, call, pattern, device, got) then
              wrong[#wrong + 1] = ("%s, call %d, %s: %s, PyTorch: %s"):format(op.name, i, pattern, got, expected)
            end
            ::next_pattern::
          end
        end
      end
      table.sort(wrong)
      assert.are.equal("", table.concat(wrong, "\n"))
      assert.is_true(compared > 1500)
    end)
  end
end)

-- --- what is Tocha's own ----------------------------------------------------------------------------------------

local function warnings_of(f)
  local program, out = os.tmpname(), os.tmpname()
  local file = assert(io.open(program, "w"))
  file:write(f)
  file:close()
  os.execute(("LUA_CPATH='%s' %s -W %s 2>%s >/dev/null </dev/null"):format(package.cpath, programs.quote(programs.lua), program, out))
  file = assert(io.open(out))
  local text = file:read "a"
  file:close()
  os.remove(program)
  os.remove(out)
  return text
end

describe("an autocast region", function()
  local x = torch.ones(2, 2, {device = "cpu"})

  it("can wrap a function", function()
    local f = torch.autocast "cpu"(function(a, b) return a:mm(b), a, torch.is_autocast_enabled "cpu" end)
    assert.is_false(torch.is_autocast_enabled "cpu")
    local product, same, inside = f(x, x)
    assert.are.equal(torch.bfloat16, product.dtype)
    assert.are.equal(x, same)
    assert.is_true(inside)
    assert.is_false(torch.is_autocast_enabled "cpu")
    local ok = pcall(torch.autocast "cpu"(function() error "no" end))
    assert.is_false(ok or torch.is_autocast_enabled "cpu")
    ok, f = pcall(function() return torch.autocast "cpu"(3) end)
    assert.is_false(ok)
    assert.is_truthy(tostring(f):find("autocast()(func) requires a callable, but got int", 1, true))
    collectgarbage() -- the region that was entered for the mistake
    assert.is_false(torch.is_autocast_enabled "cpu")
  end)

  it("ends when its guard is dropped, with a warning", function()
    assert.is_truthy(warnings_of [[
      local torch = require "torch"
      torch.autocast "cpu"
      collectgarbage()
      assert(not torch.is_autocast_enabled "cpu")]]:find("its guard dropped", 1, true))
  end)

  it("is off where its device is not there", function()
    local available = torch.cuda.is_available()
    torch.autocast("cuda", function() assert.are.equal(available, torch.is_autocast_enabled()) end)
    torch.cuda.amp.autocast(function() assert.are.equal(available, torch.is_autocast_enabled "cuda") end)
    assert.are.equal(available, torch.amp.GradScaler():is_enabled())
    assert.are.equal(available, torch.cuda.amp.GradScaler():is_enabled())
    assert.is_false(torch.is_autocast_enabled "cuda")
    local said = warnings_of [[
      local torch = require "torch"
      torch.cuda.amp.GradScaler()
      torch.autocast("cuda", function() end)
      torch.autocast("cpu", torch.float32, function() end)]]
    assert.are.equal(not available, said:find("CUDA is not available or torch_xla is imported. Disabling autocast.", 1, true) ~= nil)
    assert.are.equal(not available, said:find("GradScaler is enabled, but CUDA is not available.  Disabling.", 1, true) ~= nil)
    assert.is_truthy(said:find("torch.amp.GradScaler('cuda', args...)", 1, true))
    assert.is_truthy(said:find("In CPU autocast, but the target dtype is not supported. Disabling autocast.", 1, true))
  end)

  it("reaches modules written in Lua and in C", function()
    local Net = torch.nn.Module:extend "Net"
    function Net:init() self.inner = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU()):cpu() end
    function Net:forward(input) return self.inner(input) end
    local net = Net()
    torch.autocast("cpu", function() assert.are.equal(torch.bfloat16, net(x).dtype) end)
    assert.are.equal(torch.float32, net(x).dtype)
  end)

  it("keeps casts of different types apart", function() -- PyTorch 2.15's cache mixes them up and fails
    local w = torch.ones(2, 2, {requires_grad = true, device = "cpu"})
    local _ <close> = torch.autocast("cpu", torch.bfloat16)
    assert.are.equal(torch.bfloat16, x:mm(w).dtype)
    do
      local _ <close> = torch.autocast("cpu", torch.float16)
      assert.are.equal(torch.float16, x:mm(w).dtype)
    end
    assert.are.equal(torch.bfloat16, x:mm(w).dtype)
  end)

  it("records its casts", function()
    local w = torch.ones(2, 2, {requires_grad = true, device = "cpu"})
    local _ <close> = torch.autocast "cpu"
    local y = x:mm(w)
    assert.is_truthy(tostring(y.grad_fn):find("MmBackward0", 1, true))
    assert.is_truthy(tostring(y.grad_fn.next_functions[2][1]):find("ToCopyBackward0", 1, true))
    assert.are.equal(y.grad_fn.next_functions[2][1], x:mm(w).grad_fn.next_functions[2][1])
  end)

  it("gives back the weights it cast", function()
    collectgarbage()
    collectgarbage()
    local before = torch._memory().allocated
    do
      local w = torch.ones(64, 64, {requires_grad = true})
      local _ <close> = torch.autocast "cpu"
      w:mm(w)
    end
    collectgarbage()
    collectgarbage()
    assert.are.equal(before, torch._memory().allocated)
  end)
end)

describe("GradScaler", function()
  local optim = torch.optim

  local function overflow(scaler, parameter) scaler:scale((parameter * math.huge):sum()):backward() end

  it("says whether it stepped, and counts the steps it left out", function()
    local w = torch.nn.Parameter(torch.ones(1))
    local opt, scaler = optim.SGD({w}, {lr = 0.1}), torch.amp.GradScaler "cpu"
    scaler:scale(w:sum()):backward()
    assert.is_true(scaler:step(opt))
    scaler:update()
    assert.are.equal(0, scaler:get_skipped_steps())
    overflow(scaler, w)
    assert.is_false(scaler:step(opt))
    scaler:update()
    assert.are.equal(1, scaler:get_skipped_steps())
    local off = torch.amp.GradScaler{device = "cpu", enabled = false}
    assert.is_true(off:step(opt))
    assert.are.equal(7, off:step(opt, function() return 7 end))
  end)

  it("names the cure of a forgotten update", function()
    local w = torch.nn.Parameter(torch.ones(1))
    local opt, scaler = optim.SGD({w}, {lr = 0.1}), torch.amp.GradScaler "cpu"
    overflow(scaler, w)
    scaler:step(opt)
    local ok, e = pcall(scaler.unscale_, scaler, opt)
    assert.is_false(ok)
    assert.are.equal("RuntimeError", e.code)
    assert.is_truthy(e.hint:find("update", 1, true))
    ok, e = pcall(function() return torch.amp.GradScaler("cpu"):update() end)
    assert.is_false(ok)
    assert.are.equal("AssertionError", e.code)
    ok, e = pcall(scaler.load_state_dict, scaler, {scale = 1.0})
    assert.is_false(ok)
    assert.are.equal("'growth_factor'", e.message)
    assert.are.equal("KeyError", e.code)
  end)

  it("warns when the scale falls below 1", function()
    assert.is_truthy(warnings_of [[
      local torch = require "torch"
      local w = torch.nn.Parameter(torch.ones(1))
      local opt, scaler = torch.optim.SGD({w}, {lr = 0.1}), torch.amp.GradScaler{device = "cpu", init_scale = 2}
      for _ = 1, 3 do
        scaler:scale((w * math.huge):sum()):backward()
        scaler:step(opt)
        scaler:update()
      end]]:find("the scale fell to 0.5 after 2 skipped steps", 1, true))
  end)

  it("takes an optimizer written in Lua", function()
    local w = torch.nn.Parameter(torch.ones(2))
    local own = {param_groups = {{params = {w}}}, steps = 0}
    function own:step() self.steps = self.steps + 1 end
    local scaler = torch.amp.GradScaler("cpu", {init_scale = 4.0})
    scaler:scale((w * 3):sum()):backward()
    assert.is_true(scaler:step(own))
    scaler:update()
    assert.are.equal(3.0, w.grad[0]:item())
    overflow(scaler, w)
    assert.is_false(scaler:step(own))
    assert.are.equal(1, own.steps)
  end)

  it("finds an infinity anywhere among many gradients, on several threads", function()
    local parameters, sizes = {}, {1, 70000, 3, 33000, 0, 5}
    for i, n in ipairs(sizes) do parameters[i] = torch.zeros(n, {requires_grad = true}) end
    local opt = optim.SGD(parameters, {lr = 1.0})
    for i, n in ipairs(sizes) do
      for _, place in ipairs(n > 0 and {0, n // 2, n - 1} or {}) do
        local scaler = torch.amp.GradScaler("cpu", {init_scale = 2.0})
        scaler:scale(torch.ones(1))
        for k, p in ipairs(parameters) do p.grad = torch.full({sizes[k]}, 6.0) end
        parameters[i].grad[place] = -math.huge
        assert.is_false(scaler:step(opt), i .. " " .. place)
        assert.are.equal(3.0, parameters[4].grad[i == 4 and place == 1 and 2 or 1]:item())
      end
    end
    local scaler = torch.amp.GradScaler("cpu", {init_scale = 2.0})
    scaler:scale(torch.ones(1))
    for k, p in ipairs(parameters) do p.grad = torch.full({sizes[k]}, 6.0) end
    assert.is_true(scaler:step(opt))
    for k, p in ipairs(parameters) do assert.are.equal(-3.0 * sizes[k], p:sum():item()) end
  end)

  -- What a scripted run leaves behind at each step: scale, tracker, what the optimizer made of it.
  local function scripted(device)
    local w, v = torch.ones(3, {device = device}), torch.ones(40, 50, {device = device, dtype = torch.float64})
    w.requires_grad, v.requires_grad = true, true
    local opt = optim.SGD({w, v}, {lr = 0.125})
    local scaler = torch.amp.GradScaler(device, {init_scale = 64.0, growth_factor = 2.5, backoff_factor = 0.4, growth_interval = 3})
    local lines = {}
    for i = 1, 40 do
      opt:zero_grad()
      local loss = (w * (i % 7 == 0 and math.huge or i)):sum():double() + (v * (i % 11 == 0 and 0 / 0 or 0.5)):sum()
      local scaled = scaler:scale{loss, {loss}};
      (i % 2 == 0 and scaled[1] or scaled[2][1]):backward()
      if i % 4 == 0 then
        scaler:unscale_(opt)
        torch.nn.utils.clip_grad_norm_({w, v}, 1e6)
      end
      local stepped = scaler:step(opt)
      scaler:update()
      lines[i] = ("%s %g %d %.5g %.5g"):format(stepped, scaler:get_scale(), scaler:state_dict()._growth_tracker, w[1]:item(),
        v[{3, 4}]:item())
    end
    return table.concat(lines, "\n"), scaler
  end

  it("comes to the same on every device, its state on the device", function()
    local expected = scripted "cpu"
    assert.is_truthy(expected:find("false", 1, true))
    for _, device in ipairs(devices) do
      local lines, scaler = scripted(device)
      assert.are.equal(expected, lines)
      assert.are.equal(device, scaler._scale.device.type)
      assert.are.equal(device, scaler._growth_tracker.device.type)
    end
  end)
end)
