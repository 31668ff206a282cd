-- ranks: 2 3
-- ZeroRedundancyOptimizer over SGD: its parameters after steps, its partition, and the states that it gathers. Whole numbers and halves of them: all
-- digits are exact.
local torch = require "torch"
local dist, nn = torch.distributed, torch.nn
local Zero = dist.optim.ZeroRedundancyOptimizer
dist.init_process_group "gloo"
local rank, size = dist.get_rank(), dist.get_world_size()

local function parameters(...)
  local list = {}
  for i, n in ipairs{...} do list[i] = nn.Parameter(torch.arange(n) * 1.0 + i) end
  return list
end
local function show(name, list)
  local parts = {}
  for i, p in ipairs(list) do parts[i] = ("%g"):format(p:sum():item()) end
  print(name, table.concat(parts, " "))
end
local function pass(list, step)
  for i, p in ipairs(list) do p.grad = torch.full_like(p, i + step) end
end

for _, views in ipairs{false, true} do
  local list = parameters(3, 7, 1, 5, 5, 2)
  local zero = Zero(list, {optimizer_class = torch.optim.SGD, lr = 0.5, momentum = 0.5, parameters_as_bucket_view = views})
  for step = 1, 3 do
    pass(list, step)
    zero:step()
    show("step", list)
  end
  local own = {}
  for _, group in ipairs(zero.optim.param_groups) do
    for _, p in ipairs(group.params) do own[#own + 1] = p:numel() end
  end
  print("own", table.concat(own, " "))

  zero:consolidate_state_dict(1)
  local saved
  if rank == 1 then
    saved = zero:state_dict()
    for i = 0, 5 do print("state", i, saved.state[i].momentum_buffer:sum():item()) end
  else
    local ok, e = pcall(function() return zero:state_dict() end)
    print(ok, e.message)
  end
  zero.param_groups[1].lr = 0.25
  pass(list, 4)
  zero:step()
  show("lr", list)

  local more = parameters(4, 4)
  zero:add_param_group{params = more, lr = 2}
  pass(list, 5)
  pass(more, 5)
  zero:step()
  show("old", list)
  show("new", more)
end

local list = parameters(2, 4)
local zero = Zero({{params = {list[1]}, lr = 1}, {params = {list[2]}}}, {optimizer_class = torch.optim.SGD, lr = 0.5, momentum = 0.5})
pass(list, 1)
zero:step()
show("groups", list)
local saved
for r = 0, size - 1 do
  zero:consolidate_state_dict(r)
  if r == rank then saved = zero:state_dict() end
end
local again = parameters(2, 4)
local other = Zero({{params = {again[1]}, lr = 3}, {params = {again[2]}}}, {optimizer_class = torch.optim.SGD, lr = 0.5, momentum = 0.5})
other:load_state_dict(saved)
pass(again, 1)
other:step()
show("loaded", again)

for _, bad in ipairs{list[1], 3, {}, {list[1], {params = {list[2]}}}, {{lr = 1}}} do
  local ok, e = pcall(Zero, bad, {optimizer_class = torch.optim.SGD, lr = 1})
  print(ok, e.code)
end

local ddp = nn.parallel.DistributedDataParallel(nn.Linear(2, 2))
local hooks = dist.algorithms.ddp_comm_hooks
local other = Zero(ddp:parameters(), {optimizer_class = torch.optim.SGD, overlap_with_ddp = true, lr = 0.1})
for _, name in ipairs{"hook_with_zero_step", "hook_with_zero_step_interleaved"} do
  for _, optimizer in ipairs{zero, other} do
    local ok, e = pcall(hooks.ddp_zero_hook[name], hooks.default_hooks.allreduce_hook, ddp, optimizer)
    print(ok, e.code, e.message)
  end
end
print(other:step() == nil)
for _, method in ipairs{"consolidate_state_dict", "state_dict"} do
  local ok, e = pcall(other[method], other)
  print(ok, e.code, e.message)
end
local ok, e = pcall(other.add_param_group, other, {params = {nn.Parameter(torch.ones(2))}})
print(ok, e.code, e.message)
dist.destroy_process_group()
