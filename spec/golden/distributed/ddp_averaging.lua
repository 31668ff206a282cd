-- ranks: 2 3; digits of AVX-512
-- Communication hooks that send bytes, or nothing, and models that are averaged every few steps: parameters after each step.
local torch = require "torch"
local dist, nn = torch.distributed, torch.nn
dist.init_process_group "gloo"
local rank, size = dist.get_rank(), dist.get_world_size()
local hooks, averaging = dist.algorithms.ddp_comm_hooks, dist.algorithms.model_averaging
local DDPCommHookType = hooks.DDPCommHookType
local averagers = averaging.averagers

local function bits(model)
  local list = {}
  for p in model:parameters() do
    local flat = p:detach():flatten()
    for i = 0, math.min(2, flat:numel() - 1) do list[#list + 1] = ("%a"):format(flat[i]:item()) end
  end
  return table.concat(list, " ")
end

local function make()
  torch.manual_seed(3)
  return nn.Sequential(nn.Linear(16, 10), nn.ReLU(), nn.Linear(10, 6))
end

local function train(name, ddp, optim, steps, after)
  torch.manual_seed(10 + rank)
  for step = 1, steps do
    optim:zero_grad()
    ddp(torch.randn{5, 16}):square():mean():backward()
    optim:step()
    if after then after(step) end
    print(name, step, bits(ddp))
  end
end
local function sgd(model) return torch.optim.SGD(model:parameters(), {lr = 0.1, momentum = 0.5}) end
local function wrapped(options) return nn.parallel.DistributedDataParallel(make(), options or {}) end

for _, kind in ipairs{"ALLREDUCE", "FP16_COMPRESS", "BF16_COMPRESS", "QUANTIZE_PER_TENSOR", "QUANTIZE_PER_CHANNEL", "NOOP"} do
  local ddp = wrapped()
  hooks.register_ddp_comm_hook(DDPCommHookType[kind], ddp)
  train(kind, ddp, sgd(ddp), 3)
end
local small = wrapped{bucket_cap_mb = 0.0003, gradient_as_bucket_view = true}
small:register_comm_hook(dist.group.WORLD, hooks.quantization_hooks.quantization_perchannel_hook)
train("small buckets", small, sgd(small), 3)

local alone = dist.new_subgroups(1)
for _, sends in ipairs{true, false} do
  local ddp = wrapped()
  local state = hooks.post_localSGD_hook.PostLocalSGDState(nil, alone, 2, sends)
  ddp:register_comm_hook(state, hooks.post_localSGD_hook.post_localSGD_hook)
  local averager = averagers.PeriodicModelAverager(3, {warmup_steps = 2})
  train("local " .. tostring(sends), ddp, sgd(ddp), 7, function() averager:average_parameters(ddp:parameters()) end)
  print(state.iter, state.start_localSGD_iter, state.post_local_gradient_allreduce, averager.step, averager.period, averager.warmup_steps)
end

local ddp = wrapped()
ddp:register_comm_hook(nil, hooks.debugging_hooks.noop_hook)
local optim = dist.optim.PostLocalSGDOptimizer(sgd(ddp), averagers.PeriodicModelAverager{period = 2, process_group = dist.group.WORLD})
train("optimizer", ddp, optim, 4)
local saved = optim:state_dict()
print(saved.step, #saved.param_groups, optim.averager.step)
local again = dist.optim.PostLocalSGDOptimizer(sgd(ddp), averagers.PeriodicModelAverager(2))
again:load_state_dict(saved)
print(again.averager.step)
train("loaded", ddp, again, 2)
saved.step = nil
again:load_state_dict(saved)
print(again.averager.step)

local model = make()
for p in model:parameters() do p.data:mul_(rank + 1) end
averaging.utils.average_parameters(model:parameters(), dist.group.WORLD)
print("average", bits(model))
for p in model:parameters() do p.data:mul_(rank + 1) end
print(#averaging.utils.get_params_to_average(model:parameters()))
model(torch.ones(1, 16)):sum():backward()
print(#averaging.utils.get_params_to_average(model:parameters()), #averaging.utils.get_params_to_average(sgd(model).param_groups))
averaging.utils.average_parameters_or_parameter_groups(sgd(model).param_groups, dist.group.WORLD)
print("groups", bits(model))

for _, case in ipairs{{0}, {-1}, {2, -1}} do
  local ok, e = pcall(averagers.PeriodicModelAverager, table.unpack(case))
  print(ok, e.code, e.message)
end
local ok, e = pcall(averaging.utils.get_params_to_average, {3})
print(ok, e.code)
dist.destroy_process_group()
