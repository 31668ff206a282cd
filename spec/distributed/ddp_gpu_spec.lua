-- ddp_gpu_spec.lua: DistributedDataParallel on simulated GPUs, one for each rank, over gloo and over nccl: every choice has the numbers that it has on the CPU.
local busted = require "busted"
local ranks = require "ranks"

local PROGRAM = [[
local torch = require "torch"
local dist, nn = torch.distributed, torch.nn
local DDP, checkpoint = nn.parallel.DistributedDataParallel, torch.utils.checkpoint.checkpoint
local algorithms, optim = dist.algorithms, dist.optim
local rank, size = tonumber(os.getenv "RANK"), tonumber(os.getenv "WORLD_SIZE")
torch.cuda.set_device(rank)
dist.init_process_group("cpu:gloo,cuda:nccl", {timeout = 30})
local gloo = dist.new_group(nil, {backend = "gloo"})

local Net = nn.Module:extend "Net"
function Net:init(norm, recomputes)
  self.first = nn.Linear(6, 5)
  self.norm = norm or nn.Identity()
  self.second = nn.Linear(5, 3)
  self.idle = nn.Linear(5, 3)
  self.recomputes = recomputes
end
function Net:forward(x, branch)
  local h
  if self.recomputes then
    h = checkpoint(function(v) return self.first(v):tanh() end, x, {use_reentrant = false})
  else
    h = self.norm(self.first(x)):tanh()
  end
  local y = self.second(h)
  return branch ~= "short" and y + self.idle(h) or y
end

local function make(device, norm, recomputes)
  torch.manual_seed(5)
  local net = Net(norm and norm(5), recomputes)
  return net:to(device)
end
local function input(device, step)
  torch.manual_seed(10 * step + rank)
  return torch.randn{4, 6}:to(device)
end
local function options_of(group, more)
  local options = {process_group = group}
  for name, value in pairs(more or {}) do options[name] = value end
  return options
end
local function vector(module) return nn.utils.parameters_to_vector(module:parameters()):detach():cpu() end

-- Trains for three steps. pass: computes the loss of a step and runs backward. Returns the parameters.
local function train(device, ddp, pass, optimizer)
  optimizer = optimizer or torch.optim.SGD(ddp:parameters(), {lr = 0.1, momentum = 0.9})
  for step = 1, 3 do
    optimizer:zero_grad()
    pass(input(device, step), step)
    optimizer:step()
  end
  return vector(ddp)
end
local function plain(device, group, more, net, setup)
  local ddp = DDP(net or make(device), options_of(group, more))
  if setup then setup(ddp) end
  return train(device, ddp, function(x) ddp(x):square():mean():backward() end)
end
local function hooked(state, hook)
  return function(device, group) return plain(device, group, nil, nil, function(ddp) ddp:register_comm_hook(state and state(group) or group, hook) end) end
end

local hooks = algorithms.ddp_comm_hooks
local cases = {
  {"plain", plain},
  {"views", function(device, group) return plain(device, group, {gradient_as_bucket_view = true}) end},
  {"small buckets", function(device, group) return plain(device, group, {bucket_cap_mb_list = {0.00001, 0.0001}}) end},
  {"static", function(device, group) return plain(device, group, {static_graph = true, gradient_as_bucket_view = true}) end},
  {"device_ids", function(device, group)
    return plain(device, group, device == "cpu" and {} or {device_ids = {rank}, output_device = rank})
  end},
  {"checkpoints", function(device, group) return plain(device, group, {}, make(device, nil, true)) end},
  {"norm", function(device, group) return plain(device, group, {}, make(device, nn.BatchNorm1d)) end},
  {"sync norm", function(device, group)
    return plain(device, group, {}, nn.SyncBatchNorm.convert_sync_batchnorm(make(device, nn.BatchNorm1d), group))
  end},
  {"unused", function(device, group)
    local ddp = DDP(make(device), options_of(group, {find_unused_parameters = true}))
    return train(device, ddp, function(x, step) ddp(x, (step + rank) % 2 == 0 and "short" or "long"):square():mean():backward() end)
  end},
  {"two forwards", function(device, group)
    local ddp = DDP(make(device), options_of(group))
    return train(device, ddp, function(x) (ddp(x) + ddp(x * 2)):square():mean():backward() end)
  end},
  {"no_sync", function(device, group)
    local ddp = DDP(make(device), options_of(group))
    return train(device, ddp, function(x)
      ddp:no_sync(function() ddp(x):square():mean():backward() end)
      ddp(x * 2):square():mean():backward()
    end)
  end},
  {"join", function(device, group)
    local ddp = DDP(make(device), options_of(group))
    local optimizer = torch.optim.SGD(ddp:parameters(), {lr = 0.1})
    ddp:join(function()
      for step = 1, 2 + 2 * rank do
        optimizer:zero_grad()
        ddp(input(device, step)):square():mean():backward()
        optimizer:step()
      end
    end)
    return vector(ddp)
  end},
  {"autocast", function(device, group)
    local ddp, scaler = DDP(make(device), options_of(group)), torch.amp.GradScaler(device, {init_scale = 256})
    local optimizer = torch.optim.SGD(ddp:parameters(), {lr = 0.1})
    for step = 1, 3 do
      optimizer:zero_grad()
      local loss = torch.autocast(device, {dtype = torch.bfloat16}, function() return ddp(input(device, step)):float():square():mean() end)
      scaler:scale(loss):backward()
      scaler:unscale_(optimizer)
      nn.utils.clip_grad_norm_(ddp:parameters(), 1)
      scaler:step(optimizer)
      scaler:update()
    end
    return vector(ddp)
  end, 2e-2},
  {"mixed_precision", function(device, group)
    return plain(device, group, {mixed_precision = nn.parallel.distributed._MixedPrecision{param_dtype = torch.bfloat16}})
  end, 2e-2},
  {"delayed", function(device, group)
    local net = make(device)
    return plain(device, group, {delay_all_reduce_named_params = {{"second.weight", net.second.weight}}, param_to_hook_all_reduce = net.first.weight}, net)
  end},
  {"fp16", hooked(nil, hooks.default_hooks.fp16_compress_hook), 1e-3},
  {"bytes", hooked(nil, hooks.quantization_hooks.quantization_pertensor_hook), 1e-3},
  {"PowerSGD", hooked(function(group)
    return hooks.powerSGD_hook.PowerSGDState(group, {start_powerSGD_iter = 2, min_compression_rate = 0.5})
  end, hooks.powerSGD_hook.powerSGD_hook)},
  {"batched PowerSGD", hooked(function(group) return hooks.powerSGD_hook.PowerSGDState(group, {start_powerSGD_iter = 2}) end,
    hooks.powerSGD_hook.batched_powerSGD_hook)},
  {"ZeRO", function(device, group)
    local ddp = DDP(make(device), options_of(group))
    local zero = optim.ZeroRedundancyOptimizer(ddp:parameters(), {optimizer_class = torch.optim.Adam, lr = 0.01, process_group = group})
    return train(device, ddp, function(x) ddp(x):square():mean():backward() end, zero)
  end},
  {"averaging", function(device, group)
    local ddp = DDP(make(device), options_of(group))
    ddp:register_comm_hook(nil, hooks.debugging_hooks.noop_hook)
    local averager = algorithms.model_averaging.averagers.PeriodicModelAverager(2, {process_group = group})
    local sgd = torch.optim.SGD(ddp:parameters(), {lr = 0.1})
    return train(device, ddp, function(x) ddp(x):square():mean():backward() end, optim.PostLocalSGDOptimizer(sgd, averager))
  end},
}

for _, case in ipairs(cases) do
  local name, run, tolerance = table.unpack(case)
  local expected = run("cpu", gloo)
  for _, group in ipairs{gloo, dist.group.WORLD} do
    local ok, given = pcall(run, "cuda", group)
    if not ok or not given:allclose(expected, {atol = tolerance or 1e-5}) then
      print(name, dist.get_backend(group), ok and (given - expected):abs():max():item() or given)
    end
  end
end
assert(torch.cuda.max_memory_allocated() > 0)
dist.destroy_process_group()
]]

busted.describe("DistributedDataParallel on simulated GPUs", function()
  busted.it("has the CPU's numbers", function()
    local options = {seconds = 120, environment = {TOCHA_CUDA = "simulate", TOCHA_SIMULATED_GPUS = 2}}
    for _, ended in ipairs(ranks.run(PROGRAM, 2, options)) do
      assert.equal(0, ended.status, ended.errors .. ended.output)
      assert.equal("", ended.output)
    end
  end)
end)
