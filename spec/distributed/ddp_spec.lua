-- ddp_spec.lua: DistributedDataParallel against one process over the whole batch, and what its errors say. That its digits are PyTorch's is in
-- spec/golden/distributed/ddp_*.lua, which golden_spec.lua runs.
local busted = require "busted"
local ranks = require "ranks"

-- Runs a text on `size` ranks after these lines. Returns what each printed.
local BEGINNING = [[
local torch = require "torch"
local dist, nn, F = torch.distributed, torch.nn, torch.nn.functional
local DDP = nn.parallel.DistributedDataParallel
dist.init_process_group("gloo", {timeout = 10})
local rank, size = dist.get_rank(), dist.get_world_size()

-- Trains a model on rows of a batch: all of them in one process, or this rank's. Returns its parameters as one vector.
local function train(make, shape, dtype, options)
  torch.manual_seed(3)
  local plain = not options
  local model = make():to(dtype)
  local net = plain and model or DDP(model, options)
  local optim = torch.optim.SGD(net:parameters(), {lr = 0.1, momentum = 0.9})
  torch.manual_seed(4)
  for _ = 1, 50 do
    local x, y = torch.randn(shape):to(dtype), torch.randint(0, 4, {shape[1]})
    if not plain then
      local rows = shape[1] // size
      x, y = x:narrow(0, rank * rows, rows), y:narrow(0, rank * rows, rows)
    end
    optim:zero_grad()
    F.cross_entropy(net(x), y):backward()
    optim:step()
  end
  return nn.utils.parameters_to_vector(model:parameters()):detach()
end
local function perceptron() return nn.Sequential(nn.Linear(20, 30), nn.Tanh(), nn.Linear(30, 20), nn.Tanh(), nn.Linear(20, 4)) end
local function convnet(norm)
  return function()
    return nn.Sequential(nn.Conv2d(1, 4, 3), norm and norm(4) or nn.Identity(), nn.Tanh(), nn.AvgPool2d(2), nn.Flatten(), nn.Linear(36, 4))
  end
end
local function difference(a, b) return ((a - b):abs():max() / b:abs():max()):item() end
]]

local function run(size, text)
  local outputs = {}
  for i, ended in ipairs(ranks.run(BEGINNING .. text .. "\ndist.destroy_process_group()\n", size, {seconds = 60})) do
    assert.equal(0, ended.status, ended.errors .. ended.output)
    outputs[i] = ended.output
  end
  return outputs
end

busted.describe("DistributedDataParallel", function()
  for size = 2, 4 do
    busted.it(("on %d ranks trains as one process does over the whole batch"):format(size), function()
      local outputs = run(size, [[
for _, case in ipairs{{torch.float32, 1e-6}, {torch.float64, 1e-13}} do
  local dtype, limit = case[1], case[2]
  local nets = {{"mlp", perceptron, perceptron, {}}, {"convnet", convnet(), convnet(), {gradient_as_bucket_view = true, bucket_cap_mb = 0.0005}},
    {"norm", convnet(nn.BatchNorm2d), convnet(nn.SyncBatchNorm), {static_graph = true}}}
  for _, net in ipairs(nets) do
    local name, alone, make, options = table.unpack(net)
    local shape = name == "mlp" and {12, 20} or {12, 1, 8, 8}
    local one = train(alone, shape, dtype)
    local off = difference(train(make, shape, dtype, options), one)
    if not (off <= limit) then print(name, dtype, off) end
  end
end]])
      for _, output in ipairs(outputs) do assert.equal("", output) end
    end)
  end

  busted.it("leaves gradients in the buckets if asked to, and shares them between passes", function()
    local outputs = run(2, [[
local model = nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 2))
local ddp = DDP(model, {gradient_as_bucket_view = true})
local address
for pass = 1, 4 do
  ddp:zero_grad(false)
  ddp(torch.ones(1, 4)):sum():backward()
  local first, second = model[0].weight.grad, model[1].weight.grad
  if pass > 1 then
    assert(first:data_ptr() - second:data_ptr() == 4 * (6 + 3), "one bucket holds both, the last layer first")
    assert(not address or address == first:data_ptr(), "the bucket stays")
    address = first:data_ptr()
  end
end
print "views"]])
    assert.are.same({"views\n", "views\n"}, outputs)
  end)

  busted.it("works with checkpoints of activations, autocast and a scaler", function()
    local outputs = run(2, [[
local checkpoint = torch.utils.checkpoint.checkpoint
local function gradient(options, recomputes, scaler)
  torch.manual_seed(1)
  local first, second = nn.Linear(6, 5), nn.Linear(5, 2)
  local Net = nn.Module:extend "Net"
  function Net:init() self.first = first; self.second = second end
  function Net:forward(x)
    local h = recomputes and checkpoint(function(v) return self.first(v):tanh() end, x, {use_reentrant = false}) or self.first(x):tanh()
    return self.second(h)
  end
  local net = Net()
  local ddp = DDP(net, options)
  local optim = torch.optim.SGD(ddp:parameters(), {lr = 0.1})
  for _ = 1, 3 do
    optim:zero_grad()
    local x = torch.ones(3, 6) * (rank + 1)
    if scaler then
      local loss = torch.autocast("cpu", {dtype = torch.bfloat16}, function() return ddp(x):float():square():mean() end)
      scaler:scale(loss):backward()
      scaler:step(optim)
      scaler:update()
    else
      ddp(x):square():mean():backward()
      optim:step()
    end
  end
  return nn.utils.parameters_to_vector(ddp:parameters()):detach()
end
local expected = gradient({})
print(gradient({}, true):equal(expected), gradient({static_graph = true}, true):equal(expected),
  gradient({find_unused_parameters = true}, true):equal(expected))
local scaled = gradient({}, false, torch.amp.GradScaler("cpu", {init_scale = 1024}))
print(difference(scaled, expected) < 0.02, not scaled:equal(expected))
local all = torch.empty(size, scaled:numel())
dist.all_gather_into_tensor(all, scaled)
print(all[0]:equal(all[1]))]])
    assert.are.same({"true\ttrue\ttrue\ntrue\ttrue\ntrue\n", "true\ttrue\ttrue\ntrue\ttrue\ntrue\n"}, outputs)
  end)

  busted.it("names parameters without a gradient", function()
    local outputs = run(2, [[
local Net = nn.Module:extend "Net"
function Net:init() self.used = nn.Linear(2, 2); self.idle = nn.Linear(2, 2) end
function Net:forward(x) return self.used(x) end
local ddp = DDP(Net())
ddp(torch.ones(1, 2)):sum():backward()
local ok, e = pcall(ddp, torch.ones(1, 2))
print(tostring(e))
ddp = DDP(nn.Linear(2, 2))
ddp(torch.ones(1, 2)):sum():backward()
print "the group works on"]])
    for i, output in ipairs(outputs) do
      assert.truthy(output:find(("Parameters which did not receive grad for rank %d: idle.weight, idle.bias\n"):format(i - 1), 1, true))
      assert.truthy(output:find("\nhint: find_unused_parameters", 1, true))
      assert.truthy(output:find("the group works on\n", 1, true))
    end
  end)

  busted.it("compares the models of all ranks", function()
    local outputs = run(3, [[
local function says(model, options)
  local ok, e = pcall(DDP, model, options)
  print(ok, not ok and e.message:match "^[^\n]+")
end
says(nn.Linear(2, rank == 1 and 3 or 2))
says(rank == 2 and nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2)) or nn.Linear(2, 2))
says(nn.Linear(2, 2, {dtype = rank == 1 and torch.float64 or torch.float32}))]])
    for _, output in ipairs(outputs) do
      assert.equal("false\t[1]: params[0] in this process with sizes [3, 2] appears not to match sizes of the same param in process 0.\n" ..
        "false\tDDP expects same model across all ranks, but Rank 0 has 2 params, while rank 2 has inconsistent 4 params.\n" ..
        "false\t[1]: params[0] in this process with dtype float64 appears not to match dtype of the same param in process 0.\n", output)
    end
  end)

  busted.it("begins from the parameters of rank 0, but for those that are ignored", function()
    local outputs = run(2, [[
torch.manual_seed(rank)
local model = nn.Linear(2, 2)
DDP._set_params_and_buffers_to_ignore_for_model(model, {"bias"})
local bias = model.bias:clone()
local ddp = DDP(model)
torch.manual_seed(0)
print(model.weight:equal(nn.Linear(2, 2).weight), model.bias:equal(bias))
ddp(torch.ones(1, 2) * (rank + 1)):sum():backward()
print(model.weight.grad[0][0]:item(), model.bias.grad[0]:item())
local inside = dist.new_group()
ddp = DDP(nn.Linear(2, 2), {process_group = inside, init_sync = false})
ddp(torch.ones(1, 2)):sum():backward()]])
    for _, output in ipairs(outputs) do assert.equal("true\ttrue\n1.5\t1.0\n", output) end
  end)

  busted.it("has models that small groups average often, and all ranks seldom", function()
    local outputs = run(4, [[
local Averager = dist.algorithms.model_averaging.hierarchical_model_averager.HierarchicalModelAverager
local averager = Averager{period_group_size_dict = {[2] = 2, [4] = 4}, warmup_steps = 1}
local p = nn.Parameter(torch.tensor{rank * 8.})
p.grad = torch.zeros(1)
for _ = 0, 5 do
  averager:average_parameters{p}
  io.write(p:item(), " ")
  p.data:add_(rank)
end
for _, sizes in ipairs{{}, {[0] = 4}, {[2] = 3}} do
  local ok, e = pcall(Averager, {period_group_size_dict = sizes})
  print(ok, e.code)
end]])
    local errors = ("false\tValueError\n"):rep(3)
    -- Calls 0 to 5: warm-up, none, pairs, none, all, none. Each call is followed by the addition of the rank.
    assert.are.same({"0 0 5 5 18 18 " .. errors, "8 9 5 6 18 19 " .. errors, "16 18 25 27 18 20 " .. errors, "24 27 25 28 18 21 " .. errors}, outputs)
  end)

  busted.it("runs a hook of the script's own, and hands its error to backward", function()
    local outputs = run(2, [[
local ddp = DDP(nn.Linear(2, 2))
ddp:register_comm_hook(nil, function(_, bucket)
  assert(bucket:index() == 0 and bucket:is_last() and #bucket:gradients() == 2 and #bucket:parameters() == 2)
  return dist.all_reduce(bucket:buffer(), {async_op = true}):get_future()
end)
ddp(torch.ones(1, 2) * (rank + 1)):sum():backward()
print(ddp.module.weight.grad[0][0]:item())
ddp = DDP(nn.Linear(2, 2))
ddp:register_comm_hook(nil, function() return 3 end)
local ok, e = pcall(function() ddp(torch.ones(1, 2)):sum():backward() end)
print(ok, e.code, e.message:match "^[^\n]*")]])
    for _, output in ipairs(outputs) do
      assert.equal("3.0\nfalse\tTypeError\tthe communication hook must return a Future, but got int\n", output)
    end
  end)
end)
