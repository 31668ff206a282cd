-- function_spec.lua: what golden programs cannot show of torch.autograd.Function, hooks and anomaly mode: what is garbage, where
-- errors say they were, coroutines, blocks as functions, words of our own.
local torch = require "torch"
local programs = require "programs"
local Function = torch.autograd.Function

local function double(name)
  local class = Function:extend(name or "Double")
  function class.forward(_, x) return x * 2 end
  function class.backward(_, grad) return grad * 2 end
  return class
end

local function leaf() return torch.ones(3, {requires_grad = true}) end

--- How many objects that make() notes with note(object) are left when it is gone.
local function left(make)
  local weak = setmetatable({}, {__mode = "k"})
  for _ = 1, 10 do make(function(object) weak[object] = true end) end
  for _ = 1, 5 do collectgarbage() end
  local count = 0
  for _ in pairs(weak) do count = count + 1 end
  return count
end

describe("torch.autograd.Function", function()
  after_each(function()
    torch._stress(false)
    assert.equal(0, torch._memory().scope)
    assert.is_true(torch.is_grad_enabled())
  end)

  it("stands collections everywhere", function()
    local F = Function:extend "F"
    function F.forward(ctx, a, b)
      ctx:save_for_backward(a, b)
      ctx.result = a * b
      return ctx.result, a + b
    end
    function F.backward(ctx, g, h)
      local a, b = table.unpack(ctx.saved_tensors)
      return g * b + h, g * a + h
    end
    torch._stress(true)
    local x, y = leaf(), leaf()
    local p, s = F.apply(x, y)
    F.apply(p, s)
    torch.autograd.graph.saved_tensors_hooks(function(t) return t end, function(t) return t end, function()
      p, s = F.apply(p, s)
      local grads = torch.autograd.grad((p * s):sum(), x, {create_graph = true})
      grads:sum():backward()
    end)
    assert.equal(18.0, x.grad[0]:item())
  end)

  it("is collected although its ctx refers to its result", function()
    assert.equal(0, left(function(note)
      local F = Function:extend "F"
      function F.forward(ctx, x)
        ctx.result = x * 2
        note(ctx)
        return ctx.result
      end
      function F.backward(ctx, grad) return grad * ctx.result end
      local y = F.apply(leaf())
      y:sum():backward()
      note(F.apply(y:detach():requires_grad_()) * 3)
    end))
  end)

  it("is collected when its forward, or its results, fail", function()
    assert.equal(0, left(function(note)
      local F = Function:extend "F"
      function F.forward(ctx, x, how)
        note(ctx)
        ctx.x = x
        if how == "error" then error "no" end
        if how == "dirty" then ctx:mark_dirty(x) end
        ctx:save_for_backward(how == "save" and 1 or x)
        return x * 2
      end
      for _, how in ipairs{"error", "dirty", "save"} do assert.is_false(pcall(F.apply, leaf(), how)) end
      note(F.apply(leaf(), "fine"))
    end))
    assert.is_true(torch.is_grad_enabled())
  end)

  it("keeps its ctx while a graph needs it", function()
    local F = Function:extend "F"
    function F.forward(ctx, x) ctx.factor = 5 return x * 5 end
    function F.backward(ctx, grad) return grad * ctx.factor end
    local x = leaf()
    local y = F.apply(x)
    for _ = 1, 3 do collectgarbage() end
    local z = y * 1
    y = nil -- luacheck: ignore
    for _ = 1, 3 do collectgarbage() end
    z:sum():backward()
    assert.equal(5.0, x.grad[0]:item())
    y = F.apply(x)
    local node = y.grad_fn
    y = nil -- luacheck: ignore
    for _ = 1, 3 do collectgarbage() end
    assert.equal(5, node.factor)
  end)

  it("takes methods with a colon, and apply with one", function()
    local F = Function:extend "F"
    function F:forward(ctx, x) ctx.class = self return x * 2 end
    function F:backward(ctx, grad) assert(ctx.class == self) return grad * 2 end
    local x = leaf()
    F:apply(x):sum():backward()
    assert.equal(2.0, x.grad[0]:item())
    local G = F:extend "G"
    assert.equal("GBackward", G.apply(x).grad_fn:name())
    assert.equal("<class '__main__.G'>", tostring(G))
    assert.has_error(function() G() end)
  end)

  it("runs in coroutines, and an error in one leaves nothing behind", function()
    local F = double()
    local x = leaf()
    local co = coroutine.wrap(function()
      local y = F.apply(x)
      coroutine.yield(y)
      y:sum():backward()
      return x.grad
    end)
    co()
    assert.equal(2.0, co()[0]:item())
    local Bad = Function:extend "Bad"
    function Bad.forward() error "stop" end
    local dead = coroutine.create(function() Bad.apply(x) end)
    assert.is_false(coroutine.resume(dead))
    assert.is_true(torch.is_grad_enabled())
    function Bad.forward() coroutine.yield() end
    function F.backward() coroutine.yield() end
    assert.is_false(pcall(coroutine.wrap(function() F.apply(x):sum():backward() end)))
  end)

  it("tells where in a backward an error was", function()
    local F = double()
    function F.backward(_, grad)
      local missing = nil
      return grad * missing.field
    end
    local function work() F.apply(leaf()):sum():backward() end
    local _, text = xpcall(work, debug.traceback)
    assert.matches("function_spec.lua:%d+: attempt to index a nil value.*\n.*function_spec.lua:%d+: in function", text)
    assert.matches("in method 'backward'", text)
    function F.backward(_, grad) return grad:reshape(7) end
    local _, e = pcall(work)
    assert.matches("function_spec.lua:%d+: in ", e.traceback)
  end)

  it("survives what is freed", function()
    local F = double()
    function F.backward(_, grad) grad:free() return nil end
    assert.is_false(pcall(function() F.apply(leaf()):sum():backward() end))
    function F.forward(_, x) local y = x * 2 y:free() return y end
    assert.is_false(pcall(F.apply, leaf()))
    function F.forward(ctx, x) local y = x * 2 ctx:save_for_backward(y) y:free() return x * 3 end
    assert.is_false(pcall(F.apply, leaf()))
    local x = leaf()
    x:free()
    assert.is_false(pcall(F.apply, x))
  end)

  it("may run a backward of its own, and change a tensor it is given", function()
    local F = Function:extend "F"
    function F.forward(ctx, x)
      ctx:save_for_backward(x)
      local _ <close> = torch.enable_grad()
      local own = x:detach():requires_grad_()
      ctx.inner = own ^ 2
      return ctx.inner:detach()
    end
    function F.backward(ctx, grad)
      local _ <close> = torch.enable_grad()
      ctx.inner:sum():backward()
      return grad * 2 * ctx.saved_tensors[1]
    end
    local x = leaf()
    F.apply(x):sum():backward()
    assert.equal(2.0, x.grad[0]:item())
  end)

  it("is refused where its class has no name", function()
    assert.is_false(pcall(Function.extend, Function))
    assert.is_false(pcall(Function.extend, Function, 3))
  end)
end)

describe("hooks", function()
  local graph = torch.autograd.graph

  it("of nodes are garbage with their tensor", function()
    assert.equal(0, left(function(note)
      local y = leaf() * 2
      y.grad_fn:register_hook(function() return y, nil end)
      y.grad_fn:register_prehook(function() return y end)
      note(y)
      local z = y:exp()
      z:sum():backward()
      note(z)
    end))
  end)

  it("of saved tensors do not make a result own itself", function()
    assert.equal(0, left(function(note)
      local kept = {}
      local _ <close> = graph.saved_tensors_hooks(function(t) kept[#kept + 1] = t return t end, function(t) return t end)
      local y = leaf():exp():tanh()
      note(y)
      note(kept)
    end))
  end)

  it("of saved tensors take a block, and end with it", function()
    local count = 0
    local function pack(t) count = count + 1 return t end
    local x = leaf()
    local y = graph.saved_tensors_hooks(pack, function(t) return t end, function() return x:exp() end)
    x:exp()
    assert.equal(1, count)
    y:sum():backward()
    assert.is_false(pcall(graph.saved_tensors_hooks, pack, pack, function() error "out" end))
    x:exp()
    assert.equal(1, count)
    assert.is_false(pcall(graph.saved_tensors_hooks, 1, 2))
    local co = coroutine.wrap(function()
      local _ <close> = graph.saved_tensors_hooks(function(t) return {t, coroutine.running()} end, function(p) return p[1] end)
      local z = x:exp()
      coroutine.yield()
      return z
    end)
    co()
    local z = co()
    for _ = 1, 2 do collectgarbage() end
    z:sum():backward()
    assert.equal(2, graph.save_on_cpu(function() return (x * 2)[0]:item() end))
    assert.has_error(function() graph.disable_saved_tensors_hooks("not here", function() graph.saved_tensors_hooks(pack, pack) end) end)
    assert.has_error(function() graph.disable_saved_tensors_hooks(torch.ones(2)) end)
    graph.disable_saved_tensors_hooks "a guard that is dropped"
    collectgarbage()
    collectgarbage()
    assert.has_no_error(function() graph.saved_tensors_hooks(pack, pack, function() end) end)
    graph.saved_tensors_hooks(pack, pack, function() return nil end)
  end)

  it("of several tensors wait for all", function()
    local a, b, got = leaf(), leaf(), nil
    local handle = graph.register_multi_grad_hook({a, b}, function(grads) got = {grads[1], grads[2]} end);
    (a * 2 + b * 3):sum():backward()
    assert.equal(3.0, got[2][0]:item())
    handle:remove()
    got = nil;
    (a * 2 + b * 3):sum():backward()
    assert.is_nil(got)
  end)
end)

describe("anomaly mode", function()
  -- The warnings of a program.
  local function warnings(program) return programs.run("local torch = require 'torch'\n" .. program) end

  it("names the line of the forward", function()
    local text = warnings [[
local x = torch.tensor({-1.0}, {requires_grad = true})
local _ <close> = torch.autograd.detect_anomaly()
local function forward()
  return x:sqrt()
end
local y = forward()
print(pcall(y.backward, y))
]]
    assert.matches("Anomaly Detection has been enabled", text)
    assert.matches("Error detected in SqrtBackward0. Traceback of forward call that caused the error:\n.-:5: in [^\n]*'?forward'?", text)
    assert.matches("Function 'SqrtBackward0' returned nan values in its 0th output.", text, 1, true)
  end)

  it("names it for functions of one's own, in coroutines, and what induced a second gradient", function()
    local text = warnings [[
torch.autograd.set_detect_anomaly(true)
local F = torch.autograd.Function:extend "F"
function F.forward(ctx, x) return x * 2 end
function F.backward(ctx, grad) error("oh no") end
local x = torch.ones(2, {requires_grad = true})
local y = coroutine.wrap(function()
  local y = F.apply(x)
  return y
end)()
print(pcall(function() y:sum():backward() end))
local z = x:exp()
local g = torch.autograd.grad(z:sum(), x, {create_graph = true})
g.grad_fn:register_prehook(function() error("here") end)
print(pcall(function() g:sum():backward() end))
]]
    assert.matches("Error detected in FBackward.-:8: in ", text)
    assert.matches("oh no", text)
    assert.matches("Previous calculation was induced by ExpBackward0. Traceback of forward call that induced the previous calculation:", text)
  end)

  it("may leave NaN alone", function()
    local x = torch.tensor({-1.0}, {requires_grad = true})
    local guard <close> = torch.autograd.set_detect_anomaly(true, {check_nan = false}) -- luacheck: ignore
    assert.is_false(torch.is_anomaly_check_nan_enabled())
    x:sqrt():sum():backward()
    assert.is_true(x.grad[0]:isnan():item())
  end)
end)

describe("an edge of the graph", function()
  local graph = torch.autograd.graph
  it("stands for its tensor", function()
    local x = leaf()
    local y = x * 2
    local z, edge = y:exp(), graph.get_gradient_edge(y)
    assert.equal("MulBackward0", edge.node:name())
    assert.equal(0, edge.output_nr)
    assert.equal("torch::autograd::AccumulateGrad", graph.get_gradient_edge(x).node:name())
    assert.equal(1, graph.get_gradient_edge(torch.stack {x, y}:unbind()[2]).output_nr)
    local by_edge = torch.autograd.grad(z:sum(), edge, {retain_graph = true})
    assert.is_true(torch.equal(by_edge, (torch.autograd.grad(z:sum(), {y}, {retain_graph = true}))))
    torch.autograd.backward({graph.get_gradient_edge(z)}, {torch.ones_like(z)}, {inputs = {graph.get_gradient_edge(x)}})
    assert.is_true(torch.equal(x.grad, z:detach() * 2))
  end)
  it("is refused where there is none", function()
    for _, wrong in ipairs {torch.ones(2), {}, 3} do
      local ok, e = pcall(graph.get_gradient_edge, wrong)
      assert.is_false(ok)
      assert.matches("^It is not possible to get the gradient edge", e.message)
    end
    local x = leaf()
    for _, junk in ipairs {setmetatable({}, {__name = "GradientEdge"}), setmetatable({tensor = 3}, {__name = "GradientEdge"})} do
      assert.is_false(pcall(torch.autograd.grad, (x * 2):sum(), junk))
      assert.is_false(pcall(torch.autograd.grad, (x * 2):sum(), {junk}))
    end
  end)
end)

describe("an operator without a derivative", function()
  for name, call in pairs {
    _unique2 = function(x) return x:unique() end, unique_consecutive = torch.unique_consecutive,
    unique_dim = function(x) return torch.unique(x, {dim = 0}) end, geqrf = function(x) return (torch.geqrf(x)) end,
  } do
    it("says so: " .. name, function()
      local ok, e = pcall(function() call(torch.rand(2, 2, {requires_grad = true})):sum():backward() end)
      assert.is_false(ok)
      assert.equal("NotImplementedError", e.code)
      assert.equal(("the derivative for '%s' is not implemented."):format(name), e.message)
    end)
  end
end)

describe("torch.autograd.grad", function()
  it("refuses what it does not do", function()
    local x = leaf()
    local ok, e = pcall(torch.autograd.grad, (x * 2):sum(), x, {is_grads_batched = true})
    assert.is_false(ok)
    assert.equal("NotImplementedError", e.code)
    ok, e = pcall(torch.autograd.grad, (x * 2):sum(), x, {materialize_grads = true, allow_unused = false})
    assert.is_false(ok)
    assert.equal("ValueError", e.code)
  end)
end)
