-- recovery.lua: checks the recovery from failed allocations, for spec/c/lua_recovery_test.c. Each program runs repeatedly, and each
-- time another allocation fails, Lua's or the runtime's. Afterwards the modes must be as before, no scope may be open, no tensor may
-- be left, and the next run must give the result of an undisturbed one.
-- Arguments: fail_at (see there), the step between allocations, and the name of one program (nil: all).
local fail_at, every, only = ...
local torch = require "torch"
local nn = torch.nn

-- --- programs: functions that create lasting objects, and return the function to run --------------------------------

local programs = {}

function programs.hooks()
  local w, u = torch.ones(3, {requires_grad = true}), torch.ones(3, {requires_grad = true})
  w:register_hook(function(g) return g * 2 end)
  u:register_post_accumulate_grad_hook(function(t) t.grad:mul_(0.5) end)
  return function()
    w.grad, u.grad = nil, nil
    local y = w * u
    y:register_hook(function(g) return g + 1 end)
    y:retain_grad()
    local s = y:sum()
    s.grad_fn:register_hook(function(gi, go) return {gi[1] * go[1]} end)
    y.grad_fn:register_prehook(function(g) return g[1] * 3 end)
    s:backward{retain_graph = true}
    local g = torch.autograd.grad(s, {w, u})
    return w.grad, u.grad, y.grad, g[1], g[2]
  end
end

function programs.functions()
  local Cube = torch.autograd.Function:extend "Cube"
  function Cube.forward(ctx, x, name)
    ctx:save_for_backward(x, x * x)
    ctx.name = name
    return x * x * x, x + 1
  end
  function Cube.backward(ctx, g, h)
    local x, square = table.unpack(ctx.saved_tensors)
    return g * square * 3 + h * x, nil
  end
  local w = torch.full({4}, 2.0, {requires_grad = true})
  return function()
    w.grad = nil
    local a, b = Cube.apply(w, "cube")
    torch.add(a, b):sum():backward()
    return w.grad, a
  end
end

function programs.saving()
  local w = torch.full({3}, 0.5, {requires_grad = true})
  local hooks = torch.autograd.graph.saved_tensors_hooks
  return function()
    w.grad = nil
    local y
    do
      local _ <close> = hooks(function(t) return {t * 1} end, function(packed) return packed[1] end)
      y = (w * w):exp():sum()
    end
    hooks(function(t) return t end, function(t) return t end, function() y = y + (w * 2):sin():sum() end)
    y:backward()
    return w.grad, y
  end
end

function programs.modules()
  local Net = nn.Module:extend "Net"
  function Net:init()
    self.body = nn.Sequential(nn.Linear(2, 4), nn.Tanh())
    self.heads = nn.ModuleList{nn.Linear(4, 2), nn.Linear(4, 2)}
    self.scale = nn.Parameter(torch.ones(2))
  end
  function Net:forward(x)
    local h = self.body(x)
    return (self.heads[0](h) + self.heads[1](h)) * self.scale
  end
  function Net:extra_repr() return "two heads" end
  torch.manual_seed(0)
  local net = Net()
  net.body[1]:register_forward_hook(function(_, _, o) return o * 2 end)
  net.body:register_forward_pre_hook(function(_, i) return {i[1] * 1} end)
  net:register_full_backward_hook(function() end)
  local start = torch.deepcopy(net:state_dict())
  local x = torch.arange(6):reshape(3, 2):to(torch.float32)
  return function()
    net:load_state_dict(start)
    local o = torch.optim.Adam(net:parameters(), {lr = 0.1})
    local quiet = torch.no_grad(function() return net(x) end)
    local low
    do
      local _ <close> = torch.autocast("cpu", {dtype = torch.bfloat16})
      low = net(x)
    end
    torch.inference_mode(function() return net(x) end)
    o:zero_grad()
    net(x):sum():backward()
    nn.utils.clip_grad_norm_(net:parameters(), 1)
    o:step()
    local loss = o:step(function()
      o:zero_grad()
      local l = net(x):pow(2):mean()
      l:backward()
      return l
    end)
    for _, p in net:named_parameters() do p.grad = nil end
    assert(#tostring(net) > 0 and #tostring(o) > 0)
    return quiet, low, loss, net.scale
  end
end

function programs.values()
  return function()
    local t = torch.tensor{{1.5, 2}, {3, 4}}
    local list = t:tolist()
    local c = torch.cat{t, torch.tensor(list)}
    local row = c[{0, ":"}]
    row[0] = 5
    local largest, at = c:max(0)
    local parts = c:split(1)
    local _, _, _, last = c:unbind()
    local half = t:to(torch.float16):view(torch.int16):tolist()
    assert(#tostring(c) > 0 and #half == 2 and t[{0, 0}] < 10)
    return c, largest, at, parts[1], last, -t, 2 - t, t.T
  end
end

function programs.loading()
  local data = torch.utils.data
  local Squares = data.Dataset:extend "Squares"
  function Squares:getitem(i) return torch.tensor(i * i), i end
  function Squares:__len() return 5 end
  return function()
    local sum = torch.tensor(0)
    local sampler = torch.Generator():manual_seed(3)
    for x, y in data.DataLoader(Squares(), {batch_size = 2, shuffle = true, generator = sampler}) do
      sum = sum * 2 + (x * y):sum()
    end
    for batch in data.DataLoader(data.TensorDataset(torch.arange(4)), {batch_size = 2}) do sum = sum + batch:sum() end
    return sum
  end
end

function programs.files()
  local files = torch.serialization
  local bytes = files.save_bytes{weights = torch.arange(3), names = {"a", "b"}, more = {torch.ones(2), 1.5}}
  return function()
    local got = files.load_bytes(bytes, function(storage, place)
      assert(place == "cpu")
      return storage:clone()
    end)
    local again = files.load_bytes(files.save_bytes(got), "cpu")
    return again.weights, again.more[1]
  end
end

function programs.coroutines()
  local w = torch.ones(2, {requires_grad = true})
  return function()
    local steps = coroutine.wrap(function()
      torch.no_grad(function() assert(not (w * 2).requires_grad) end)
      local _ <close> = torch.no_grad()
      coroutine.yield(w * 2)
      return w * 3
    end)
    return steps(), steps(), w * 4
  end
end

function programs.modes()
  local net = nn.Linear(2, 2)
  torch.nn.init.ones_(net.weight)
  torch.nn.init.zeros_(net.bias)
  return function()
    net.weight.grad, net.bias.grad = nil, nil
    local out
    torch.enable_grad(function()
      torch.autocast("cpu", function()
        local _ <close> = torch.set_grad_enabled(false)
        out = net(torch.ones(1, 2))
      end)
    end)
    local scaler = torch.amp.GradScaler("cpu", {init_scale = 8})
    scaler:scale(net(torch.ones(1, 2)):sum()):backward()
    local grad = net.weight.grad
    local checked = torch.autograd.detect_anomaly(function() return net(torch.ones(1, 2)) end)
    return out, grad, checked, torch.set_default_device("cpu", function() return torch.zeros(1) end)
  end
end

-- --- the tests ---------------------------------------------------------------------------------------------------------

-- Returns the state that a failed run could leave changed.
local function state()
  return table.concat({
    tostring(torch.is_grad_enabled()), tostring(torch.is_inference_mode_enabled()), tostring(torch.is_anomaly_enabled()),
    tostring(torch.get_default_device()), tostring(torch.is_autocast_enabled "cpu"),
    tostring(torch.get_autocast_dtype "cpu"), torch._memory().scope,
  }, " ")
end

local function texts(...)
  local list = {...}
  for i = 1, select("#", ...) do list[i] = tostring(list[i]) end
  return table.concat(list, "\n")
end

local function held()
  collectgarbage()
  collectgarbage()
  return torch._memory().allocated
end

local passed, failed = 0, 0

local function check(holds, name, kind, n, ...)
  if not holds then print(("# %s, allocation %s of %s:"):format(name, n, kind), ...) end
  return holds
end

-- Runs a program once while allocation n (nil: none) fails. arm(n) makes it fail; arm() ends that and returns true if a finalizer
-- was lost. Returns true if the state is right, and true if the run ended without a failure. The first run measures before.bytes.
local function run(name, f, kind, arm, n, before)
  local function quiet() f() end
  arm(n)
  local ok, e = pcall(quiet)
  local lost = arm()
  local good = check(ok or tostring(e):find "memory", name, kind, n, e) and
    check(state() == before.state, name, kind, n, state(), e)
  local again, text = pcall(function() return texts(f()) end)
  good = good and check(again and text == before.text, name, kind, n, text)
  local bytes = held()
  if lost or not before.bytes then before.bytes = bytes end
  return check(bytes == before.bytes, name, kind, n, ("%d bytes, not %d"):format(bytes, before.bytes), e) and good, ok
end

local function of_lua(n)
  local _, lost = fail_at(n)
  return lost
end
local function of_runtime(n)
  if n then torch._empty_cache() end -- cached blocks need no allocation
  torch._fail_allocation(n or -1)
end

local function test(name)
  local f = programs[name]()
  f()
  local before = {state = state(), text = texts(f())}
  assert(run(name, f, "nobody", of_lua, nil, before))
  fail_at(nil)
  f()
  local asked = fail_at(nil)
  print(("# %s: %d allocations of Lua"):format(name, asked))
  local bad = 0
  local function count(good)
    if good then passed = passed + 1 else failed, bad = failed + 1, bad + 1 end
  end
  local n = 0
  while n < asked and bad < 10 do
    count((run(name, f, "Lua", of_lua, n, before)))
    n = n + every
  end
  n = 0
  repeat
    local good, ok = run(name, f, "the runtime", of_runtime, n, before)
    count(good)
    n = n + 1
  until ok or bad >= 10
  print(("# %s: %d allocations of the runtime"):format(name, n))
end

for name in pairs(programs) do
  if not only or name == only then test(name) end
end
print(("%d passed, %d failed"):format(passed, failed))
if failed > 0 then error("failed", 0) end
