-- graphed_training_spec.lua: CUDA graphs of steps of training, and make_graphed_callables.
local torch = require "torch"
local gpus = require "gpus"
local captures = require "captures"
local cuda, nn, F, fails = torch.cuda, torch.nn, torch.nn.functional, gpus.fails

local same, warm_up, captured = captures.same, captures.warm_up, captures.captured

gpus.with_one("a captured step", function()
  local function make(optimizer_of)
    torch.manual_seed(1)
    local net = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 3)):cuda()
    local x, y = torch.randn(10, 6):cuda(), torch.randint(0, 3, {10}):cuda()
    local optimizer = optimizer_of(net:parameters())
    local function step()
      optimizer:zero_grad()
      local loss = F.cross_entropy(net(x), y)
      loss:backward()
      optimizer:step()
      return loss
    end
    return net, step, optimizer, x
  end

  local function weights(net)
    local out = {}
    for p in net:parameters() do out[#out + 1] = p:detach():flatten() end
    return torch.cat(out)
  end

  for name, options in pairs{SGD = {lr = 0.1}, Adam = {capturable = true}, AdamW = {capturable = true, amsgrad = true},
      NAdam = {capturable = true}, RAdam = {capturable = true}, Adamax = {capturable = true}, ASGD = {capturable = true, t0 = 2},
      RMSprop = {capturable = true, momentum = 0.9}, Adadelta = {capturable = true}, Rprop = {capturable = true}} do
    it("equals eager ones to the digit: " .. name, function()
      local class = torch.optim[name]
      local eager, eager_step = make(function(parameters) return class(parameters, options) end)
      local host = {}
      for k, v in pairs(options) do host[k] = v end
      host.capturable = nil
      local plain, plain_step = make(function(parameters) return class(parameters, host) end)
      local net, step = make(function(parameters) return class(parameters, options) end)
      warm_up(step, 3)
      local graph = captured(step)
      for _ = 1, 4 do graph:replay() end
      for _ = 1, 7 do
        eager_step()
        plain_step()
      end
      same(weights(eager), weights(net))
      assert.is_true(torch.allclose(weights(plain), weights(net), {rtol = 1e-5, atol = 1e-6}))
    end)
  end

  it("has a momentum that was there before", function()
    local eager, eager_step = make(function(p) return torch.optim.SGD(p, {lr = 0.1, momentum = 0.9}) end)
    local net, step = make(function(p) return torch.optim.SGD(p, {lr = 0.1, momentum = 0.9}) end)
    local hint = fails("the first step of SGD is captured: each replay would begin with new states", captured, step)
    assert.are.equal("make one step before the capture", hint)
    warm_up(step, 1)
    local graph = captured(step)
    graph:replay()
    eager_step()
    eager_step()
    same(weights(eager), weights(net))
  end)

  it("reads a learning rate on the GPU", function()
    for _, class in ipairs{"SGD", "Adam"} do
      local lr = torch.tensor(0.1, {device = "cuda"})
      local more = class == "Adam" and true or nil
      local eager, eager_step, optimizer = make(function(p) return torch.optim[class](p, {lr = 0.1, capturable = more}) end)
      local net, step = make(function(p) return torch.optim[class](p, {lr = lr, capturable = more}) end)
      warm_up(step, 1)
      local graph = captured(step)
      lr:fill_(0.05)
      graph:replay()
      eager_step()
      optimizer.param_groups[1].lr = 0.05
      eager_step()
      assert.is_true(torch.allclose(weights(eager), weights(net), {rtol = 1e-6, atol = 1e-7}))
    end
  end)

  it("counts on the GPU, in state dicts too", function()
    local net, step, optimizer = make(function(p) return torch.optim.Adam(p, {capturable = true}) end)
    warm_up(step, 2)
    local graph = captured(step)
    graph:replay()
    local weight = net[0].weight
    assert.are.equal("cuda:0", tostring(optimizer.state[weight].step.device))
    assert.are.equal(3, optimizer.state[weight].step:item())
    local other = torch.optim.Adam(net:parameters(), {capturable = true})
    other:load_state_dict(optimizer:state_dict())
    assert.are.equal("cuda:0", tostring(other.state[weight].step.device))
    other.param_groups[1].capturable = false
    other:step()
    assert.are.equal("cpu", tostring(other.state[weight].step.device))
    assert.are.equal(4, other.state[weight].step:item())
  end)

  it("must count on the GPU", function()
    for _, name in ipairs{"Adam", "RMSprop", "Adagrad"} do
      local _, step, optimizer, x = make(function(p) return torch.optim[name](p) end)
      warm_up(step, 1)
      local hint = fails("Attempting CUDA graph capture of step() for an instance of " .. name ..
        " but param_groups' capturable is False.", captured, step)
      assert.is_truthy(hint:find(name == "Adagrad" and "on the host" or "capturable = true", 1, true))
      same(x, x * 1)
      optimizer:step()
    end
  end)
end)

gpus.with_one("make_graphed_callables", function()
  it("gives functions with gradients", function()
    local w = torch.randn(4, 4, {device = "cuda", requires_grad = true})
    local function f(a, b) return (a:matmul(b)):tanh(), a * 2 end
    local sample = {torch.randn(3, 4, {device = "cuda", requires_grad = true}), torch.randn(4, 4, {device = "cuda", requires_grad = true})}
    local graphed = cuda.make_graphed_callables(f, sample)
    for _ = 1, 2 do
      local a = torch.randn(3, 4, {device = "cuda", requires_grad = true})
      local one, two = graphed(a, w)
      local grad_a, grad_w = torch.autograd.grad(one:sum() + (two * two):sum(), {a, w})
      local one2, two2 = f(a, w)
      local grad_a2, grad_w2 = torch.autograd.grad(one2:sum() + (two2 * two2):sum(), {a, w})
      assert.is_true(torch.allclose(one, one2))
      assert.is_true(torch.allclose(grad_a, grad_a2, {atol = 1e-6}))
      assert.is_true(torch.allclose(grad_w, grad_w2, {atol = 1e-6}))
    end
  end)

  it("gives modules that train as before", function()
    local function make()
      torch.manual_seed(2)
      return nn.Sequential(nn.Linear(5, 8), nn.ReLU()):cuda(), nn.Sequential(nn.Linear(8, 2)):cuda()
    end
    local a, b = make()
    local c, d = make()
    local x = torch.randn(6, 5):cuda()
    local graphed = cuda.make_graphed_callables({c, d}, {{torch.randn(6, 5):cuda()}, {torch.randn(6, 8, {device = "cuda", requires_grad = true})}})
    assert.are.equal(c, graphed[1])
    local first = torch.optim.SGD({{params = a:parameters()}, {params = b:parameters()}}, {lr = 0.1})
    local second = torch.optim.SGD({{params = c:parameters()}, {params = d:parameters()}}, {lr = 0.1})
    for _ = 1, 3 do
      first:zero_grad()
      b(a(x)):pow(2):mean():backward()
      first:step()
      second:zero_grad()
      d(c(x)):pow(2):mean():backward()
      second:step()
    end
    assert.is_true(torch.allclose(a[0].weight, c[0].weight, {atol = 1e-6}))
    assert.is_true(torch.allclose(b[0].weight, d[0].weight, {atol = 1e-6}))
    c:eval()
    a:eval()
    assert.is_true(torch.allclose(a(x[":2"]), c(x[":2"]), {atol = 1e-6})) -- another mode runs as before
  end)

  it("works under autocast without its cache, and says so", function()
    local net = nn.Linear(8, 8):cuda()
    local x = torch.randn(4, 8, {device = "cuda"})
    fails("make_graphed_callables does not support the autocast caching. Please set `cache_enabled=False`.", torch.autocast,
      {device_type = "cuda", dtype = torch.bfloat16}, function() cuda.make_graphed_callables(net, {x}) end)
    torch.autocast({device_type = "cuda", dtype = torch.bfloat16, cache_enabled = false}, function()
      local expected = net(x)
      local graphed = cuda.make_graphed_callables(net, {torch.randn(4, 8, {device = "cuda"})})
      local y = graphed(x)
      assert.are.equal(torch.bfloat16, y.dtype)
      same(expected, y)
      y:sum():backward()
      assert.is_truthy(net.weight.grad)
    end)
  end)

  it("checks what it is given", function()
    local x = torch.ones(2, 3, {device = "cuda"})
    local net = nn.Linear(3, 3):cuda()
    net:register_forward_hook(function() end)
    assert.is_truthy(gpus.error_of(cuda.make_graphed_callables, net, {x}):find "^Modules must not have hooks registered")
    fails("In the beta API, sample_args for each callable must contain only Tensors. Other types are not allowed.",
      cuda.make_graphed_callables, function(a) return a end, {3})
    local unused = function(a, b) return a * 2, b:detach() end
    local with_grad = function() return torch.ones(2, {device = "cuda", requires_grad = true}) end
    assert.is_false((pcall(cuda.make_graphed_callables, unused, {with_grad(), with_grad()})))
    local graphed = cuda.make_graphed_callables(unused, {with_grad(), with_grad()}, {allow_unused_input = true, num_warmup_iters = 1})
    local a, b = with_grad(), with_grad()
    graphed(a, b):sum():backward()
    same(torch.full({2}, 2), a.grad)
    assert.is_nil(b.grad)
  end)
end)
