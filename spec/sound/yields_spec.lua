-- yields_spec.lua: where a coroutine may yield in the middle of a call of torch, and what it is told where it may not.
local torch = require "torch"
local nn = torch.nn
local state = require "modes".state

local Net = nn.Module:extend "Net"
function Net:forward(x) return self.work(x) end
local function net(work)
  local m = Net()
  m.work = work
  return m
end

-- Returns the texts of the values that a coroutine yields and returns. An error is the last one.
local function trail(f)
  local co, seen = coroutine.create(f), {}
  repeat
    local ok, value = coroutine.resume(co)
    seen[#seen + 1] = ok and tostring(value) or value
  until coroutine.status(co) == "dead"
  return seen
end

describe("a yield", function()
  local yield = coroutine.yield
  local before
  before_each(function() before = state() end)
  after_each(function() assert.are.same(before, state()) end)

  local modes = {
    no_grad = {torch.no_grad, torch.is_grad_enabled, false}, enable_grad = {torch.enable_grad, torch.is_grad_enabled, true},
    set_grad_enabled = {function(f) return torch.set_grad_enabled(false, f) end, torch.is_grad_enabled, false},
    inference_mode = {torch.inference_mode, torch.is_inference_mode_enabled, true},
    autocast = {function(f) return torch.autocast("cpu", f) end, function() return torch.is_autocast_enabled "cpu" end, true},
    ["autocast as a wrapper"] = {function(f) return torch.autocast("cpu")(f)() end,
      function() return torch.is_autocast_enabled "cpu" end, true},
    device = {function(f) return torch.set_default_device("meta", f) end,
      function() return tostring(torch.get_default_device()) end, "meta"},
    ["saved_tensors_hooks"] = {function(f)
      return torch.autograd.graph.saved_tensors_hooks(function(t) return t end, function(t) return t end, f)
    end, function() return true end, true},
    scope = {torch.scope, function() return true end, true},
  }
  for name, mode in pairs(modes) do
    it("in a function under " .. name, function()
      local enter, ask, value = table.unpack(mode)
      assert.are.same({"1", tostring(value), "done"}, trail(function()
        return enter(function()
          yield(1)
          yield(ask())
          return "done"
        end)
      end))
    end)
  end

  it("in forwards and hooks of modules", function()
    local function doubling(name)
      return net(function(x)
        yield(name)
        return x * 2
      end)
    end
    assert.are.same({"a", "tensor([2.])"}, trail(function() return doubling "a"(torch.ones(1)) end))
    local inner = nn.Sequential(doubling "b", nn.ReLU())
    assert.are.same({"a", "b", "tensor([4.])"}, trail(function() return nn.Sequential(doubling "a", inner)(torch.ones(1)) end))
    local m = doubling "forward"
    m:register_forward_pre_hook(function(_, inputs) yield "before" return {inputs[1] + 1} end)
    m:register_forward_hook(function(_, _, output) yield "after" return output + 1 end)
    m:register_forward_hook(function() yield "always" end, {always_call = true})
    assert.are.same({"before", "forward", "after", "always", "tensor([5.])"}, trail(function() return m(torch.ones(1)) end))
    assert.are.same({"ReLU", "Sequential", "Sequential", "nil"}, trail(function()
      nn.Sequential(nn.Sequential(nn.ReLU())):apply(function(part) yield(part:_get_name()) end)
    end))
  end)

  it("leaves errors elsewhere and later ones their path", function()
    local co = coroutine.wrap(function() return net(function(x) yield() return x end)(torch.ones(1)) end)
    co()
    local ok, e = pcall(function() return torch.ones(2) + torch.ones(3) end)
    assert.is_false(ok)
    assert.is_nil(rawget(e, "path"))
    assert.are.equal(1.0, co():item())
    local bad = nn.Sequential(net(function(x) yield() return x end), nn.Linear(3, 3))
    co = coroutine.wrap(function() return bad(torch.ones(1, 2)) end)
    co()
    ok, e = pcall(co)
    assert.is_false(ok)
    assert.is_truthy(e.path:find("(Linear)", 1, true))
  end)

  it("of two that take turns in one module", function()
    local m = net(function(x) yield() return x * 2 end)
    local a = coroutine.wrap(function() return m(torch.ones(1)) end)
    local b = coroutine.wrap(function() return m(torch.full({1}, 3.0)) end)
    a() b()
    assert.are.equal(2.0, a():item())
    assert.are.equal(6.0, b():item())
  end)

  it("through the engine says what to do instead", function()
    local w = torch.ones(1, {requires_grad = true})
    local handle = w:register_hook(function() yield() end)
    local optimizer = torch.optim.SGD({w}, {lr = 1})
    for _, f in ipairs{function() w:sum():backward() end, function() optimizer:step(function() yield() end) end} do
      local seen = trail(f)
      local e = seen[#seen]
      assert.are.equal("attempt to yield across a C-call boundary", e.message)
      assert.is_truthy(e.hint:find("yield after that call", 1, true))
    end
    handle:remove()
  end)

  local np, serialization = require "torch.numpy", torch.serialization
  local function stop(x)
    yield()
    return x
  end
  local function table_of_text(read)
    local converters = {[0] = function(text) return stop(tonumber(text)) end}
    return function() read({"1,2"}, {delimiter = ",", converters = converters}) end
  end
  local function with_parametrization(use)
    local layer = nn.Linear(2, 2)
    nn.utils.parametrize.register_parametrization(layer, "weight", nn.Identity())
    layer.parametrizations.weight[0] = net(stop)
    return function() use(layer) end
  end
  local function scaled()
    local w = torch.ones(1, {requires_grad = true})
    local optimizer, scaler = torch.optim.SGD({w}, {lr = 1}), torch.amp.GradScaler "cpu"
    optimizer:register_step_pre_hook(function() yield() end)
    scaler:scale(w:sum()):backward()
    scaler:step(optimizer)
  end
  local function hooked(register, use)
    return function()
      local layer = nn.Linear(1, 1)
      layer[register](layer, function() yield() end)
      use(layer)
    end
  end
  for name, f in pairs{
    ["a converter of loadtxt"] = table_of_text(np.loadtxt), ["a converter of genfromtxt"] = table_of_text(np.genfromtxt),
    ["a parametrization"] = with_parametrization(function(layer) return layer.weight end), ["an optimizer's hook under GradScaler:step"] = scaled,
    ["a hook of state_dict"] = hooked("register_state_dict_post_hook", function(layer) layer:state_dict() end),
    ["a hook of load_state_dict"] = hooked("register_load_state_dict_post_hook", function(layer) layer:load_state_dict(layer:state_dict()) end),
    map_location = function() serialization.load_bytes(serialization.save_bytes(torch.ones(1)), {map_location = stop}) end,
  } do
    it("in " .. name .. " says what to do instead", function()
      local seen = trail(f)
      local e = seen[#seen]
      assert.are.equal("attempt to yield across a C-call boundary", e.message)
      assert.is_truthy(e.hint:find("yield after that call", 1, true))
    end)
  end
end)
