-- zero_overlap_spec.lua: ZeroRedundancyOptimizer that steps within the backward pass, on simulated GPUs (PyTorch refuses gloo): the parameters of a plain
-- optimizer that begins at the third pass, when the buckets are final. Hooks that step an optimizer, too.
local busted = require "busted"
local ranks = require "ranks"

local PROGRAM = [[
local torch = require "torch"
local dist, nn = torch.distributed, torch.nn
local DDP, Zero = nn.parallel.DistributedDataParallel, dist.optim.ZeroRedundancyOptimizer
local rank, size = tonumber(os.getenv "RANK"), tonumber(os.getenv "WORLD_SIZE")
torch.cuda.set_device(rank)
dist.init_process_group("nccl", {timeout = 30})
local hooks = dist.algorithms.ddp_comm_hooks
local allreduce = hooks.default_hooks.allreduce_hook
local STEPS = 5

local function make()
  torch.manual_seed(5)
  return nn.Sequential(nn.Linear(6, 5), nn.Tanh(), nn.Linear(5, 4), nn.Tanh(), nn.Linear(4, 3)):to "cuda"
end
local function pass(ddp, step)
  torch.manual_seed(10 * step + rank)
  ddp:zero_grad()
  ddp(torch.randn{4, 6}:to "cuda"):square():mean():backward()
end
local function vector(module) return nn.utils.parameters_to_vector(module:parameters()):detach():cpu() end
local function bytes(optim)
  local sum = 0
  for _, state in pairs(optim:state_dict().state) do sum = sum + state.exp_avg:numel() end
  return sum
end

-- Returns the parameters of a plain Adam, which begins at pass `first`, and its states.
local function plain(options, first)
  local ddp = DDP(make(), options)
  ddp:register_comm_hook(nil, allreduce)   -- which divides, while reductions without a hook multiply
  local optim = torch.optim.Adam(ddp:parameters(), {lr = 0.1})
  for step = 1, STEPS do
    pass(ddp, step)
    if step == STEPS then optim.param_groups[1].lr = 0.01 end
    if step >= first then optim:step() end
  end
  return vector(ddp), optim:state_dict()
end

local function overlapped(options, kind, in_parts)
  local ddp = DDP(make(), options)
  local zero = Zero(ddp:parameters(), {optimizer_class = torch.optim.Adam, overlap_with_ddp = true, lr = 0.1})
  assert(not pcall(zero.consolidate_state_dict, zero))
  ddp:register_comm_hook(nil, hooks.ddp_zero_hook[kind](allreduce, ddp, zero, in_parts))
  for step = 1, STEPS do
    if step == STEPS then zero.param_groups[1].lr = 0.01 end
    pass(ddp, step)
    assert(zero:step() == nil)
  end
  zero:consolidate_state_dict(0)
  return vector(ddp), rank == 0 and zero:state_dict(), bytes(zero.optim)
end

for _, options in ipairs{{bucket_cap_mb = 0.0001}, {}, {bucket_cap_mb = 0.00001, gradient_as_bucket_view = true}} do
  local expected, states = plain(options, 3)
  for _, kind in ipairs{"hook_with_zero_step", "hook_with_zero_step_interleaved"} do
    for _, in_parts in ipairs{false, true} do
      local given, saved, own = overlapped(options, kind, in_parts)
      if not given:equal(expected) then print(kind, in_parts, (given - expected):abs():max():item()) end
      for number, state in pairs(saved and states.state or {}) do
        if not saved.state[number].exp_avg:cpu():equal(state.exp_avg:cpu()) then print(kind, in_parts, "state", number) end
      end
      local sum = torch.tensor({own}, {device = "cuda"})
      dist.all_reduce(sum)
      assert(sum:item() == given:numel(), "each parameter has its states once")
      if in_parts then assert(own < given:numel()) end
    end
  end
end

-- Optimizers that step after a bucket's reduction.
local overlap_hooks, utils = hooks.optimizer_overlap_hooks, dist.optim.utils
local expected = plain({bucket_cap_mb = 0.0001}, 1)
for _, chosen in ipairs{false, true} do
  local ddp = DDP(make(), {bucket_cap_mb = 0.0001})
  local functional = utils.as_functional_optim(torch.optim.Adam, {lr = 0.1})
  local listed = chosen and {ddp.module[0].weight} or nil
  ddp:register_comm_hook(nil, overlap_hooks._hook_then_optimizer(allreduce, overlap_hooks._OptimizerHookState(functional, listed)))
  local before = ddp.module[2].weight:clone()
  for step = 1, STEPS do
    if step == STEPS then
      for _, optim in pairs(functional.optimizers) do optim.param_groups[1].lr = 0.01 end
    end
    pass(ddp, step)
  end
  if chosen then
    assert(ddp.module[2].weight:equal(before) and ddp.module[0].weight.grad ~= nil)
  elseif not vector(ddp):equal(expected) then
    print("hook_then_optimizer", (vector(ddp) - expected):abs():max():item())
  end
end
dist.destroy_process_group()
]]

busted.describe("an optimizer that overlaps with the backward pass", function()
  for size = 2, 3 do
    busted.it(("on %d ranks has the parameters of one that does not"):format(size), function()
      local options = {seconds = 60, environment = {TOCHA_CUDA = "simulate", TOCHA_SIMULATED_GPUS = 3}}
      for _, ended in ipairs(ranks.run(PROGRAM, size, options)) do
        assert.equal(0, ended.status, ended.errors .. ended.output)
        assert.equal("", ended.output)
      end
    end)
  end
end)
