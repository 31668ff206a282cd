-- ranks: 2 3; digits of AVX-512
-- Communication hooks of DistributedDataParallel: gradients and parameters of a few steps, to five digits with PowerSGD, which multiplies matrices.
local torch = require "torch"
local dist, nn = torch.distributed, torch.nn
dist.init_process_group "gloo"
local rank, size = dist.get_rank(), dist.get_world_size()
local default_hooks = dist.algorithms.ddp_comm_hooks.default_hooks
local powerSGD_hook = dist.algorithms.ddp_comm_hooks.powerSGD_hook

local function show(name, model, digits)
  for p in model:parameters() do
    local list = {}
    local flat = p:detach():flatten()
    for i = 0, math.min(3, flat:numel() - 1) do list[#list + 1] = (digits or "%a"):format(flat[i]:item()) end
    print(name, table.concat(list, " "))
  end
end

local function train(name, state, hook, digits, options, steps)
  torch.manual_seed(3)
  local model = nn.Sequential(nn.Linear(16, 10), nn.ReLU(), nn.Linear(10, 6))
  local ddp = nn.parallel.DistributedDataParallel(model, options or {})
  ddp:register_comm_hook(state, hook)
  local optim = torch.optim.SGD(ddp:parameters(), {lr = 0.1})
  torch.manual_seed(10 + rank)
  for _ = 1, steps or 5 do
    optim:zero_grad()
    ddp(torch.randn{5, 16}):square():mean():backward()
    optim:step()
  end
  show(name, model, digits)
  local ok, e = pcall(ddp.register_comm_hook, ddp, state, hook)
  print(ok, e.code, e.message:match "^[^\n]*")
end

train("allreduce", nil, default_hooks.allreduce_hook)
train("small buckets", nil, default_hooks.allreduce_hook, nil, {bucket_cap_mb = 0.0003})
train("fp16", nil, default_hooks.fp16_compress_hook)
train("bf16", dist.group.WORLD, default_hooks.bf16_compress_hook)
train("fp16 views", nil, default_hooks.fp16_compress_hook, nil, {gradient_as_bucket_view = true})
train("wrapped", nil, default_hooks.fp16_compress_wrapper(default_hooks.allreduce_hook))
train("wrapped bf16", nil, default_hooks.bf16_compress_wrapper(default_hooks.allreduce_hook))

local PowerSGDState = powerSGD_hook.PowerSGDState
for _, warm in ipairs{true, false} do
  for r = 1, 3 do
    local state = PowerSGDState(nil, {matrix_approximation_rank = r, start_powerSGD_iter = 2, min_compression_rate = 1, warm_start = warm})
    train("power " .. r, state, powerSGD_hook.powerSGD_hook, "%.4f", {}, 8)
    print(state.iter, state.total_numel_before_compression, state.total_numel_after_compression)
  end
end
local state = PowerSGDState(nil, {start_powerSGD_iter = 3, min_compression_rate = 1, use_error_feedback = false, orthogonalization_epsilon = 1e-8})
train("power", state, powerSGD_hook.powerSGD_hook, "%.4f", {bucket_cap_mb = 0.0003}, 8)
print(pcall(PowerSGDState, nil, {start_powerSGD_iter = 1}) == false)
dist.destroy_process_group()
