-- own_spec.lua: optimizers written in Lua (torch.optim.Optimizer:extend).
local torch = require "torch"
local nn, optim = torch.nn, torch.optim

local Plain = optim.Optimizer:extend "Plain"
function Plain:init(params, options)
  optim.Optimizer.init(self, params, {lr = options and options.lr or 0.1, momentum = options and options.momentum or 0.0})
end
function Plain:step(closure)
  local loss = closure and closure()
  for _, group in ipairs(self.param_groups) do
    for _, p in ipairs(group.params) do
      if p.grad then
        local state = self.state[p]
        state.buffer = state.buffer and state.buffer * group.momentum + p.grad or p.grad:clone()
        p:sub_(group.lr * state.buffer)
      end
    end
  end
  return loss
end

local function train(make, steps, wrap)
  torch.manual_seed(0)
  local net, x = nn.Linear(3, 2), torch.randn(5, 3)
  local optimizer = make(net:parameters(), {lr = 0.1, momentum = 0.9})
  for _ = 1, steps do
    local function closure()
      optimizer:zero_grad()
      local loss = (net(x) ^ 2):mean()
      ;(wrap and wrap:scale(loss) or loss):backward()
      return loss
    end
    if wrap then
      closure()
      wrap:step(optimizer)
      wrap:update()
    else
      assert.is_true(optimizer:step(closure).requires_grad)
    end
  end
  return net, optimizer
end

describe("an optimizer of one's own", function()
  it("steps without recording, its closure with it, as SGD does", function()
    local own, sgd = train(Plain, 5), train(optim.SGD, 5)
    assert.is_true(torch.allclose(own.weight, sgd.weight))
    assert.is_true(torch.allclose(own.bias, sgd.bias))
    assert.is_true(torch.is_grad_enabled())
  end)

  it("works with GradScaler", function()
    local own = train(Plain, 5, torch.amp.GradScaler("cpu", {init_scale = 4.0}))
    assert.is_true(torch.allclose(own.weight, (train(optim.SGD, 5)).weight))
  end)

  it("goes on from its state dict", function()
    local net, first = train(Plain, 3)
    local copy = nn.Linear(3, 2)
    copy:load_state_dict(net:state_dict())
    local second = Plain(copy:parameters())
    local state = first:state_dict()
    assert.equal(2, #state.state)
    second:load_state_dict(state)
    assert.equal(0.9, second.param_groups[1].momentum)
    for _, pair in ipairs{{net, first}, {copy, second}} do
      pair[2]:zero_grad()
      pair[1](torch.ones(1, 3)):sum():backward()
      pair[2]:step()
    end
    assert.is_true(torch.equal(net.weight, copy.weight))
  end)

  it("is copied with its parameters, groups and states", function()
    local w = nn.Parameter(torch.ones(2))
    local first = Plain({w}, {lr = 0.5, momentum = 0.5})
    w:sum():backward()
    first:step()
    local copy = torch.deepcopy(first)
    local group = copy.param_groups[1]
    local other = group.params[1]
    assert.equal(0.5, group.lr)
    assert.is_false(rawequal(w, other))
    assert.same({1, 1}, copy.state[other].buffer:tolist())
    group.lr = 2.0
    other.grad = torch.ones(2)
    copy:step()
    assert.same({-2.5, -2.5}, other:tolist())
    assert.same({0.5, 0.5}, w:tolist())
    assert.equal(0.5, first.param_groups[1].lr)
  end)

  it("takes results of operators if it is differentiable", function()
    local w = nn.Parameter(torch.ones(2))
    local Through = optim.Optimizer:extend "Through"
    function Through:init(params, differentiable) optim.Optimizer.init(self, params, {differentiable = differentiable}) end
    assert.equal(1, #Through({w * 2}, true).param_groups)
    local ok, err = pcall(Through, {w * 2}, false)
    assert.is_false(ok)
    assert.equal("can't optimize a non-leaf Tensor", err.message)
  end)

  it("prints its groups and refuses what PyTorch refuses", function()
    local w = nn.Parameter(torch.ones(1))
    assert.equal("Plain (\nParameter Group 0\n    lr: 0.1\n    momentum: 0.0\n)", tostring(Plain{w}))
    local function refused(f, message)
      local ok, problem = pcall(f)
      assert.is_false(ok)
      assert.equal(message, problem.message)
    end
    refused(function() Plain{} end, "optimizer got an empty parameter list")
    refused(function() Plain{1} end, "optimizer can only optimize Tensors, but one of the params is int")
    refused(function() Plain{{params = {w}}, {params = {w}}} end, "some parameters appear in more than one parameter group")
    refused(function() Plain{w * 2} end, "can't optimize a non-leaf Tensor")
    local named = Plain{{"w", w}}
    assert.same({"w"}, named.param_groups[1].param_names)
  end)
end)

describe("a state that is none", function()
  local cases = {
    {{state = {}}, "KeyError", "param_groups"},
    {{param_groups = {}, state = {}}, "ValueError", "loaded state dict has a different number of parameter groups"},
    {{param_groups = {{lr = 1.0}}, state = {}}, "KeyError", "params"},
    {{param_groups = 5, state = {}}, "TypeError", "object of type 'int' has no len()"},
    {{param_groups = {{params = 5}}, state = {}}, "TypeError", "object of type 'int' has no len()"},
    {{param_groups = {{params = {0, 1}}}}, "KeyError", "state"},
    {nil, "AttributeError", "'NoneType' object has no attribute 'copy'"},
  }
  it("is refused in PyTorch's words, by optimizers of the list and of Lua alike", function()
    for _, make in ipairs{optim.SGD, Plain} do
      local optimizer = make(nn.Linear(2, 2):parameters(), {lr = 0.1})
      for _, case in ipairs(cases) do
        local ok, problem = pcall(optimizer.load_state_dict, optimizer, case[1])
        assert.is_false(ok)
        assert.are.same({case[2], case[3]}, {problem.code, problem.message})
      end
    end
  end)
end)
