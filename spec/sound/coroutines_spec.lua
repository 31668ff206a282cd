-- coroutines_spec.lua: coroutines that die, errors and yields in whatever C calls back, finalizers: nothing breaks, no mode
-- stays on, nothing grows. (Where a coroutine may yield: yields_spec.lua.)
local torch = require "torch"
local nn = torch.nn
local programs = require "programs"

-- Runs f in a coroutine, which dies of an error unless f returns; the error is caught by resume.
local function die(f)
  local co = coroutine.create(f)
  local ok, e = coroutine.resume(co)
  assert.is_false(ok)
  return e, co
end
local function boom() error("boom", 0) end

local state = require "modes".state

local Net = nn.Module:extend "Net"
function Net:forward(x) return self.work(x) end
local function net(work)
  local m = Net()
  m.work = work
  return m
end

describe("a coroutine that dies of an error", function()
  local before
  before_each(function() before = state() end)
  after_each(function()
    torch._stress(false)
    assert.are.same(before, state())
  end)

  local modes = {
    no_grad = function(f) return torch.no_grad(f) end,
    ["no_grad as a variable"] = function(f) local _ <close> = torch.no_grad() f() end,
    inference_mode = function(f) return torch.inference_mode(f) end,
    set_grad_enabled = function(f) return torch.set_grad_enabled(false, f) end,
    ["set_grad_enabled as a variable"] = function(f) local _ <close> = torch.set_grad_enabled(false) f() end,
    detect_anomaly = function(f) return torch.autograd.detect_anomaly(f) end,
    autocast = function(f) return torch.autocast("cpu", f) end,
    ["autocast as a variable"] = function(f) local _ <close> = torch.autocast("cpu", {dtype = torch.float16}) f() end,
    ["autocast as a wrapper"] = function(f) return torch.autocast("cpu")(f)() end,
    device = function(f) return torch.set_default_device("meta", f) end,
    ["device as a variable"] = function(f) local _ <close> = torch.set_default_device "meta" f() end,
  }
  for name, enter in pairs(modes) do
    it("leaves " .. name, function()
      die(function() enter(boom) end)
      assert.are.same(before, state())
      -- below another mode, in a coroutine in a coroutine, in the middle of a module
      torch.no_grad(function()
        die(function() enter(function() die(function() enter(boom) end) boom() end) end)
        assert.is_false(torch.is_grad_enabled())
        assert.are.equal("cpu", tostring(torch.get_default_device()))
      end)
      assert.are.same(before, state())
      die(function() net(function() enter(boom) end)(torch.ones(1)) end)
      assert.are.same(before, state())
    end)
  end

  -- Modes that are kept in Lua: what enters them, and whether they were left.
  local graph, parametrize = torch.autograd.graph, torch.nn.utils.parametrize
  local usual_hooks = graph.saved_tensors_hooks
  local modes_of_lua = {
    allow_mutation_on_saved_tensors = {graph.allow_mutation_on_saved_tensors, function()
      return (pcall(graph.allow_mutation_on_saved_tensors, function() end))
    end},
    disable_saved_tensors_hooks = {function(f) return graph.disable_saved_tensors_hooks("no", f) end, function()
      return graph.saved_tensors_hooks == usual_hooks
    end},
    ["torch.profiler.profile"] = {torch.profiler.profile, function()
      return (pcall(torch.profiler.profile, function() end))
    end},
    ["parametrize.cached"] = {parametrize.cached, function()
      local count, layer, Count = 0, nn.Linear(1, 1), nn.Module:extend "Count"
      function Count.forward(_, x)
        count = count + 1
        return x
      end
      parametrize.register_parametrization(layer, "weight", Count())
      count = 0
      local _, _ = layer.weight, layer.weight
      return count == 2
    end},
  }
  for name, mode in pairs(modes_of_lua) do
    local enter, is_left = table.unpack(mode)
    it("leaves " .. name, function()
      assert.is_true(is_left())
      die(function() enter(boom) end)
      assert.is_true(is_left())
      local co = coroutine.create(function() enter(coroutine.yield) end)
      assert.is_true(coroutine.resume(co))
      assert.is_false(is_left())
      co = nil -- luacheck: ignore
      collectgarbage()
      collectgarbage()
      assert.is_true(is_left())
    end)
  end

  it("leaves a mode though another coroutine entered one after it", function()
    local first = coroutine.create(function() local _ <close> = torch.no_grad() coroutine.yield() error "first" end)
    local second = coroutine.create(function() local _ <close> = torch.enable_grad() coroutine.yield() end)
    coroutine.resume(first)
    coroutine.resume(second)
    assert.is_true(torch.is_grad_enabled())
    assert.is_false((coroutine.resume(first)))
    assert.is_true((coroutine.resume(second)))
    assert.is_true(torch.is_grad_enabled())
    -- the other order
    first = coroutine.create(function() local _ <close> = torch.no_grad() coroutine.yield() end)
    second = coroutine.create(function() local _ <close> = torch.no_grad() coroutine.yield() error "second" end)
    coroutine.resume(first)
    coroutine.resume(second)
    assert.is_true((coroutine.resume(first)))
    assert.is_false(torch.is_grad_enabled())
    assert.is_false((coroutine.resume(second)))
    assert.is_true(torch.is_grad_enabled())
  end)

  it("is asked after by everything that could see its mode", function()
    local w, m = torch.ones(1, {requires_grad = true}), nn.Linear(1, 1)
    for name, f in pairs {
      arithmetic = function() return w * 2 end, unary = function() return -w end, method = function() return w:exp() end,
      operator = function() return torch.exp(w) end, subscript = function() return w[{"0:1"}] end,
      module = function() return m(w) end, field = function() return w.T end, numbers = function() return 2 - w end,
      assignment = function() local t = torch.zeros(1) t[0] = w[0] return t end,
    } do
      die(function() torch.no_grad(boom) end)
      assert.is_true(f().requires_grad, name)
    end
  end)

  it("keeps what it set for good", function()
    die(function() torch.set_grad_enabled(false) boom() end)
    assert.is_false(torch.is_grad_enabled())
    torch.set_grad_enabled(true)
  end)

  it("gives the random numbers back", function()
    torch.manual_seed(3)
    local expected = torch.rand(4):tolist()
    torch.manual_seed(3)
    die(function() torch.random.fork_rng(function() torch.rand(10) boom() end) end)
    assert.are.same(expected, torch.rand(4):tolist())
    torch.manual_seed(3)
    torch.random.fork_rng(function() torch.rand(10) end)
    assert.are.same(expected, torch.rand(4):tolist())
  end)

  it("can still be asked for its stack", function()
    local e, co = die(function() torch.no_grad(function() net(boom)(torch.ones(1)) end) end)
    assert.are.equal("boom", e)
    torch.ones(1):sum()
    assert.truthy(debug.traceback(co):find "coroutines_spec")
  end)

  it("is forgotten by later errors, though it was in the middle of a module", function()
    for _, m in ipairs {net(boom), nn.Sequential(net(boom)), nn.Sequential(nn.Linear(1, 1), nn.Sequential(net(boom)))} do
      die(function() m(torch.ones(1)) end)
      m = nil -- luacheck: ignore
      collectgarbage()
      collectgarbage()
      torch._empty_cache()
      local ok, e = pcall(torch.mm, torch.ones(2), torch.ones(2))
      assert.is_false(ok)
      assert.is_nil(e.path)
    end
    -- the module that goes on is still named
    local outer = net(function(x) die(function() net(boom)(x) end) return x:matmul(torch.ones(5)) end)
    local ok, e = pcall(outer, torch.ones(2, 2))
    assert.is_false(ok)
    assert.truthy(e.path:find "Net", e.path)
    assert.is_nil(e.path:find("Net.*Net.*Net"))
  end)

  it("costs the same the thousandth time", function()
    local m = nn.Sequential(net(boom))
    local function time(n)
      local start = os.clock()
      for _ = 1, n do
        coroutine.resume(coroutine.create(function() torch.no_grad(function() m(torch.ones(1)) end) end))
        pcall(error, torch.ones(1))
      end
      return os.clock() - start
    end
    time(1000)
    local first = time(2000)
    time(10000)
    local last = time(2000)
    assert.is_false((pcall(torch.mm, 1)))
    assert.is_true(last < 3 * first + 0.05, ("%.3f s, then %.3f s"):format(first, last))
  end)
end)

-- What calls f back from C, each given an input that requires grad.
local callbacks = {
  ["a hook of a tensor"] = function(f)
    local x = torch.ones(2, {requires_grad = true})
    local y = x * 2
    y:register_hook(f)
    y:sum():backward()
  end,
  ["a hook of a leaf"] = function(f)
    local x = torch.ones(2, {requires_grad = true})
    x:register_hook(f)
    torch.autograd.grad((x * x):sum(), x)
  end,
  ["a hook after accumulation"] = function(f)
    local x = torch.ones(2, {requires_grad = true})
    x:register_post_accumulate_grad_hook(function() f() end)
    x:sum():backward()
  end,
  ["hooks of a node"] = function(f)
    local x = torch.ones(2, {requires_grad = true})
    local y = x * 2
    y.grad_fn:register_prehook(function() f() end)
    y.grad_fn:register_hook(function() f() end)
    y:sum():backward()
  end,
  ["the forward of a function"] = function(f)
    local F = torch.autograd.Function:extend "F"
    function F.forward(_, x) f() return x * 2 end
    F.apply(torch.ones(2, {requires_grad = true}))
  end,
  ["the backward of a function"] = function(f)
    local F = torch.autograd.Function:extend "F"
    function F.forward(_, x) return x * 2 end
    function F.backward(_, grad) f() return grad end
    F.apply(torch.ones(2, {requires_grad = true})):sum():backward()
  end,
  ["a hook that packs"] = function(f)
    local _ <close> = torch.autograd.graph.saved_tensors_hooks(function(t) f() return t end, function(t) return t end)
    torch.ones(2, {requires_grad = true}):exp()
  end,
  ["a hook that unpacks"] = function(f)
    local y
    do
      local _ <close> = torch.autograd.graph.saved_tensors_hooks(function(t) return t end, function(t) f() return t end)
      y = torch.ones(2, {requires_grad = true}):exp()
    end
    y:sum():backward()
  end,
  ["a function whose Jacobian is asked"] = function(f)
    torch.autograd.functional.jacobian(function(t) f() return t * t end, torch.ones(2))
  end,
  ["a forward"] = function(f) net(function(x) f() return x end)(torch.ones(1)) end,
  ["a forward in a Sequential"] = function(f) nn.Sequential(nn.ReLU(), net(function(x) f() return x end))(torch.ones(1)) end,
  ["a hook before a forward"] = function(f)
    local m = nn.Linear(1, 1)
    m:register_forward_pre_hook(function() f() end)
    m(torch.ones(1, 1))
  end,
  ["a hook after a forward"] = function(f)
    local m = nn.Linear(1, 1)
    m:register_forward_hook(function() f() end)
    m(torch.ones(1, 1))
  end,
  ["init"] = function(f)
    local Class = nn.Module:extend "Class"
    function Class:init() f() end -- luacheck: ignore
    Class()
  end,
  ["extra_repr"] = function(f)
    local Class = nn.Module:extend "Class"
    function Class:extra_repr() f() return "" end -- luacheck: ignore
    tostring(nn.Sequential(Class()))
  end,
  ["a closure of SGD"] = function(f)
    local w = nn.Parameter(torch.ones(1))
    torch.optim.SGD({w}, {lr = 0.1}):step(function() f() w:sum():backward() return w:sum() end)
  end,
  ["a closure of LBFGS or Adam"] = function(f)
    local w = nn.Parameter(torch.ones(1))
    torch.optim.Adam {w}:step(function() f() return w:sum() end)
  end,
  ["apply"] = function(f) nn.Sequential(nn.ReLU()):apply(function() f() end) end,
  ["a dataset"] = function(f)
    local Set = torch.utils.data.Dataset:extend "Set"
    function Set:__len() return 4 end -- luacheck: ignore
    function Set:getitem(i) f() return torch.tensor(i) end -- luacheck: ignore
    for _ in torch.utils.data.DataLoader(Set(), {batch_size = 2}) do end -- luacheck: ignore
  end,
  ["collate_fn"] = function(f)
    for _ in torch.utils.data.DataLoader({1, 2, 3}, {collate_fn = function(b) f() return b end}) do end -- luacheck: ignore
  end,
  ["an iterator of parameters"] = function(f)
    local w = nn.Parameter(torch.ones(1))
    local given = false
    torch.optim.SGD(function()
      f()
      if not given then given = true return w end
    end, {lr = 0.1})
  end,
  ["no_grad"] = function(f) torch.no_grad(f) end,
  ["autocast"] = function(f) torch.autocast("cpu", f) end,
  ["scope"] = function(f) torch.scope(f) end,
  ["__tostring of an argument"] = function(f)
    return "" .. torch.ones(1):sum() .. setmetatable({}, {__tostring = function() f() return "" end})
  end,
}

describe("what C calls back", function()
  local before
  before_each(function() before = state() end)
  after_each(function()
    torch._stress(false)
    assert.are.same(before, state())
  end)

  for name, call in pairs(callbacks) do
    it("may fail, yield, collect: " .. name, function()
      call(function() end)
      local ok, e = pcall(call, boom)
      assert.is_false(ok)
      assert.truthy(tostring(e):find("boom", 1, true), tostring(e))
      local object = {}
      ok, e = pcall(call, function() error(object) end)
      assert.is_false(ok)
      assert.are.equal(object, e)
      assert.truthy(tostring(die(function() call(boom) end)):find "boom")
      -- a yield is an error, or goes on where it was
      local co = coroutine.create(function() call(coroutine.yield) return "done" end)
      local fine, answer = coroutine.resume(co)
      while fine and coroutine.status(co) == "suspended" do fine, answer = coroutine.resume(co) end
      if not fine then assert.truthy(tostring(answer):find "yield", tostring(answer)) end
      if fine then assert.are.equal("done", answer) end
      -- an abandoned one
      co = coroutine.create(function() call(coroutine.yield) end)
      coroutine.resume(co)
      co = nil -- luacheck: ignore
      collectgarbage()
      collectgarbage()
      assert.are.same(before, state())
      -- the same from the inside: errors of torch, calls of itself, collections
      call(function() pcall(torch.mm, 1) pcall(call, boom) collectgarbage() end)
      torch._stress(true)
      call(function() return nil end)
      pcall(call, function() torch.mm(torch.ones(2), torch.ones(2)) end)
      pcall(call, function() die(function() torch.no_grad(boom) end) end)
    end)
  end

  it("a hook that refers to its tensor is garbage with it", function()
    local function allocated()
      for _ = 1, 5 do collectgarbage() end
      torch._empty_cache()
      return torch._memory().allocated
    end
    local function many(make)
      for _ = 1, 300 do make() end
      local before_ = allocated()
      for _ = 1, 3000 do make() end
      return allocated() - before_
    end
    local function leaf() return torch.ones(1000, {requires_grad = true}) end
    for name, make in pairs {
      leaf = function() local w = leaf() w:register_hook(function() return w * 1 end) end,
      post = function() local w = leaf() w:register_post_accumulate_grad_hook(function() w.grad = nil end) end,
      node = function() local z = leaf() * 2 z:register_hook(function() return z * 1 end) end,
      handle = function() local w, h = leaf(), nil h = w:register_hook(function() h:remove() end) end,
      ran = function()
        local w = leaf()
        w:register_hook(function(g) return g + w:detach() end)
        local y = (w * 2):sum()
        y:backward()
      end,
    } do
      local growth = many(make)
      assert.is_true(growth < 3000 * 4000 / 4, name .. ": " .. growth)
    end
  end)

  it("a hook runs though only a graph, a module or an optimizer keeps its tensor", function()
    local ran = {}
    local function hooked(t, name)
      local factor = torch.full({2}, 3.0)
      t:register_hook(function(g) ran[name] = (g * factor):sum():item() end)
      return t
    end
    local function loss()
      local w = hooked(torch.ones(2, {requires_grad = true}), "leaf")
      local z = hooked(w * 2, "node")
      local p = z * 1
      p:add_(1)
      return (hooked(p, "changed") * z:detach()):sum()
    end
    local l = loss()
    for _ = 1, 4 do collectgarbage() end
    l:backward()
    assert.are.same({leaf = 24.0, node = 12.0, changed = 12.0}, ran)
    local o = torch.optim.SGD({hooked(nn.Parameter(torch.ones(2)), "optimizer")}, {lr = 0.1})
    local m = nn.Linear(2, 1, {bias = false})
    hooked(m.weight, "module")
    for _ = 1, 4 do collectgarbage() end
    o.param_groups[1].params[1]:sum():backward()
    m(torch.ones(1, 2)):sum():backward()
    assert.are.equal(6.0, ran.optimizer)
    assert.are.equal(6.0, ran.module)
  end)
end)

describe("metatables", function()
  local nodes = torch.ones(1, {requires_grad = true}) * 2
  local objects = {
    tensor = torch.ones(1), node = nodes.grad_fn, size = torch.ones(1).shape, dtype = torch.float32,
    device = torch.device "cpu", generator = torch.default_generator, module = nn.Linear(1, 1), class = nn.Linear,
    optimizer = torch.optim.SGD({nn.Parameter(torch.ones(1))}, {lr = 1}), dict = nn.Linear(1, 1):state_dict(),
    scaler = torch.amp.GradScaler "cpu", handle = nodes:register_hook(function() end),
    group = torch.optim.SGD({nn.Parameter(torch.ones(1))}, {lr = 1}).param_groups[1],
  }
  objects.guard = torch.set_grad_enabled(true)
  for name, object in pairs(objects) do
    it("are closed to scripts: " .. name, function()
      assert.are.equal("string", type(getmetatable(object)))
      assert.has_error(function() return setmetatable(object, {}) end)
    end)
    it("survive with the debug library, too: " .. name, function()
      local copy = debug.getmetatable(object)
      for event, f in pairs(copy) do
        if type(f) == "function" and event ~= "__gc" and event ~= "__close" then
          pcall(f)
          pcall(f, 1, 2, 3)
          pcall(f, io.stdout, io.stdout)
          for _, other in pairs(objects) do
            if event ~= "__newindex" then pcall(f, other, "weight", 1) pcall(f, other, 0) end
          end
        end
      end
    end)
  end

  it("of other tables make no class", function()
    for _, value in ipairs {io.stdout, torch.ones(1), "x", 1, true} do
      local fake = setmetatable({}, {builtin = value, name = value, base = value})
      assert.has_error(function() nn.Linear.extend(fake, "X") end)
      assert.is_false((pcall(debug.getmetatable(nn.Linear).__call, fake)))
      assert.is_false((pcall(function() return nn.Linear(1, 1):isinstance(fake) == 1 or error() end)))
      assert.is_string(debug.getmetatable(nn.Linear).__tostring(fake))
    end
  end)

  it("a collected object says so", function()
    local node = (torch.ones(1, {requires_grad = true}) * 2).grad_fn
    debug.getmetatable(node).__gc(node)
    assert.has_error(function() return tostring(node) end)
    assert.has_error(function() return node.name end)
    assert.has_error(function() return node.next_functions end)
    local g = torch.Generator()
    debug.getmetatable(g).__gc(g)
    assert.has_error(function() return g:initial_seed() end)
    assert.has_error(function() return torch.rand(2, {generator = g}) end)
  end)
end)

describe("numbers beyond all ranges", function()
  after_each(function() torch.set_printoptions {profile = "default"} end)
  it("are answered", function()
    for _, n in ipairs {0 / 0, 1 / 0, -1 / 0, 1e300, -1e300, math.maxinteger, math.mininteger} do
      for _, option in ipairs {"precision", "threshold", "edgeitems", "linewidth"} do
        pcall(torch.set_printoptions, {[option] = n})
        assert.is_string(tostring(torch.tensor {1.5, 2.25, 1 / 0}))
        torch.set_printoptions {profile = "default"}
      end
      pcall(torch.manual_seed, n)
      pcall(torch.Generator().manual_seed, torch.Generator(), n)
    end
    assert.are.same({1}, torch.arange(10)["1::9223372036854775807"]:tolist())
    assert.are.same({0, 1}, torch.arange(10):reshape(5, 2)["0::4611686018427387904"]:flatten():tolist())
  end)
  it("are no seeds", function()
    assert.has_error(function() torch.manual_seed(0 / 0) end)
    assert.has_error(function() torch.manual_seed(1e300) end)
    torch.manual_seed(1e19)
    assert.are.equal(-8446744073709551616, torch.initial_seed())
    torch.manual_seed(1.5)
    assert.are.equal(1, torch.initial_seed())
  end)
end)

-- A finalizer that was set before torch was loaded runs after torch is gone.
describe("finalizers of stock Lua", function()
  local function run(code)
    local name = os.tmpname()
    programs.write(name, code)
    local pipe = assert(io.popen(("LUA_CPATH=%s %s %s 2>&1"):format(programs.quote(programs.folder .. "/?.so"), programs.lua, name)))
    local out = pipe:read "a"
    local _, _, status = pipe:close()
    os.remove(name)
    return out, status
  end

  it("meet objects that say that torch is closed", function()
    local out, status = run [[
      local objects = {}
      local keep = setmetatable({}, {__gc = function()
        local n = 0
        local function try(f) n = n + 1 return (pcall(f)) end
        for _, o in ipairs(objects) do
          try(function() return tostring(o) end) try(function() return #o end) try(function() return o == o end)
          try(function() return o.weight end) try(function() return o:sum() end) try(function() return o() end)
          try(function() o.weight = 1 end) try(function() return o:initial_seed() end) try(function() return o:step() end)
          try(function() return o:get_state() end) try(function() return o:remove() end) try(function() return o[0] end)
          try(function() for _ in pairs(o) do end end) try(function() return o .. o end) try(function() return o + 1 end)
          try(function() return o(objects[1]) end) try(function() return o:name() end) try(function() return o.next_functions end)
          try(function() return o:backward() end) try(function() return o:scale(1) end) try(function() return o:state_dict() end)
          try(function() return o:register_hook(print) end) try(function() return o:numel() end) try(function() return o:tolist() end)
        end
        print("tried", n)
      end})
      local torch = require "torch"
      warn "@off" -- of guards that nobody closes
      local nn = torch.nn
      local x = torch.ones(2, {requires_grad = true})
      local y = (x * 2):sum()
      local m = nn.Sequential(nn.Linear(2, 2))
      objects = {x, y, y.grad_fn, x.shape, x.dtype, x.device, torch.default_generator, torch.Generator(), m, m[0], nn.Linear,
        torch.optim.SGD(m:parameters(), {lr = 0.1}), m:state_dict(), torch.amp.GradScaler "cpu", torch.no_grad(),
        torch.autocast "cpu", x:register_hook(function() end), torch.utils.data.DataLoader({1, 2}, {}), torch.sum, torch}
      global = keep
    ]]
    assert.are.equal("tried\t480\n", out)
    assert.are.equal(0, status)
  end)

  it("of open guards, hooks and dead coroutines end quietly", function()
    local out, status = run [[
      warn "@on"
      local torch = require "torch"
      w = torch.ones(2, {requires_grad = true})
      w:register_hook(function() return w end)
      z = w * 2
      z:register_hook(function() return z end)
      co = coroutine.wrap(function() local _ <close> = torch.no_grad() coroutine.yield() end)
      co()
      dead = coroutine.create(function() torch.no_grad(function() error "x" end) end)
      coroutine.resume(dead)
      print "end"
    ]]
    assert.are.equal("end\n", out)
    assert.are.equal(0, status)
  end)
end)
