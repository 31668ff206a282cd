-- callbacks_spec.lua: Lua functions that C calls: their errors, coroutines, modes, and collections in
-- the middle of everything.
local torch = require "torch"
local nn = torch.nn

-- The scopes of the runtime are empty between two calls, whatever happened.
local function settled() assert.are.equal(0, torch._memory().scope) end

describe("callbacks", function()
  after_each(function()
    torch._stress(false)
    settled()
    assert.is_true(torch.is_grad_enabled())
  end)

  it("an error in a hook ends backward, and the graph is usable again", function()
    local x = torch.ones(3, {requires_grad = true})
    local y = x * 2
    local fail = true
    y:register_hook(function(g) if fail then error "stop" end return g * 3 end)
    local ok, e = pcall(function() y:sum():backward({retain_graph = true}) end)
    assert.is_false(ok)
    assert.is_truthy(tostring(e):find("stop", 1, true))
    fail = false
    y:sum():backward()
    assert.are.same({6.0, 6.0, 6.0}, x.grad:tolist())
  end)

  it("an error object without a text is survived", function()
    local x = torch.ones(3, {requires_grad = true})
    x:register_hook(function() error(setmetatable({}, {__tostring = function() error {} end})) end)
    local ok, e = pcall(function() x:sum():backward() end)
    assert.is_false(ok)
    assert.are_not.equal("", tostring(e))
  end)

  it("hooks may free and collect what is in flight", function()
    local x = torch.ones(3, {requires_grad = true})
    local roots = {x:sum()}
    x:register_hook(function() roots[1] = nil collectgarbage() collectgarbage() end)
    torch.autograd.backward(roots)
    assert.are.same({1.0, 1.0, 1.0}, x.grad:tolist())
    local z = torch.ones(3, {requires_grad = true})
    z:register_hook(function(g) g:free() end)
    assert.is_false((pcall(function() z:sum():backward() end)))
    local w = torch.ones(3, {requires_grad = true})
    w:register_hook(function() w:free() end)
    assert.is_false((pcall(function() w:sum():backward() end)))
  end)

  it("a mode is left when its function fails, also in a coroutine", function()
    pcall(torch.no_grad, function() error "inside" end)
    assert.is_true(torch.is_grad_enabled())
    local co = coroutine.create(function()
      local _ <close> = torch.no_grad()
      coroutine.yield(torch.is_grad_enabled())
    end)
    assert.are.same({true, false}, {coroutine.resume(co)})
    assert.is_false(torch.is_grad_enabled())
    assert.is_true((coroutine.close(co)))
    assert.is_true(torch.is_grad_enabled())
    assert.is_false((pcall(function()
      local _ <close> = torch.no_grad()
      torch.ones(2):matmul(torch.ones(3))
    end)))
  end)

  it("backward in a coroutine calls hooks that use coroutines", function()
    local seen = 0
    local x = torch.ones(2, {requires_grad = true})
    x:register_hook(function(g)
      coroutine.wrap(function() seen = (g * 2):sum():item() coroutine.yield() end)()
    end)
    coroutine.wrap(function() (x * x):sum():backward() end)()
    assert.are.equal(8.0, seen)
    local y = torch.ones(2, {requires_grad = true})
    y:register_hook(coroutine.yield)
    assert.is_false((pcall(coroutine.wrap(function() y:sum():backward() end))))
  end)

  it("a forward written in Lua fails with its own error, from C too", function()
    local Bad = nn.Module:extend "Bad"
    function Bad:init() end
    function Bad:forward() error {mine = true} end
    local net = nn.Sequential(nn.Linear(2, 2), nn.Sequential(Bad()))
    local ok, e = pcall(net, torch.ones(1, 2))
    assert.is_false(ok)
    assert.is_true(e.mine)
    assert.are.equal(2, #net)
  end)

  it("a module is never part of itself, nor nested without end", function()
    local m = nn.Sequential()
    assert.is_false((pcall(m.append, m, m)))
    local inner = nn.Sequential(m)
    assert.is_false((pcall(m.append, m, inner)))
    local deep = nn.ReLU()
    local ok = pcall(function() for _ = 1, 100000 do deep = nn.Sequential(deep) end end)
    assert.is_false(ok)
    assert.are.same({1.0}, deep(torch.ones(1)):tolist())
  end)

  it("operands survive a collection after every result", function()
    torch._stress(true)
    torch.manual_seed(0)
    local net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
    local optimizer = torch.optim.Adam(net:parameters(), {lr = 0.05})
    local x = torch.randn(16, 2)
    local y = x[":, 0:1"] * 2 - x[":, 1:2"]
    local first, loss
    for _ = 1, 30 do
      optimizer:zero_grad()
      loss = ((net(x) - y) ^ 2):mean()
      first = first or loss:item()
      loss:backward()
      optimizer:step()
    end
    assert.is_true(loss:item() < first / 2)
    assert.are.same({{2.0, 3.0}}, (torch.tensor{{1, 2}} + torch.stack{torch.ones(2)} ):tolist())
    local a, b = torch.split(torch.arange(6), 3)[2], torch.cat{torch.arange(2), torch.arange(3)}
    assert.are.same({3, 4, 5}, a:tolist())
    assert.are.same({0, 1, 0, 1, 2}, b:tolist())
  end)
end)
