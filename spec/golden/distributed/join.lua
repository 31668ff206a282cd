-- ranks: 2 3
-- Uneven inputs: rank r has 2 + 2r of them. Numbers are whole, or halves and thirds of such, printed to six digits.
local torch = require "torch"
local dist, nn = torch.distributed, torch.nn
local DDP, Join = nn.parallel.DistributedDataParallel, dist.algorithms.join.Join
dist.init_process_group "gloo"
local rank, size = dist.get_rank(), dist.get_world_size()

local Scale = nn.Module:extend "Scale"
function Scale:init()
  self.a = nn.Parameter(torch.tensor{1., 2.})
  self.b = nn.Parameter(torch.tensor{3., 4.})
  self:register_buffer("seen", torch.zeros(1))
end
function Scale:forward(x, both)
  self.seen:add_(rank + 1)
  local y = x * self.a
  if both then y = y + self.b end
  return y
end
local function show(name, model)
  local a, b = model.a, model.b
  print(name, ("%.6g %.6g %.6g %.6g %g"):format(a[0]:item(), a[1]:item(), b[0]:item(), b[1]:item(), model.seen:item()))
end

local function passes(ddp, optim, count)
  for i = 1, count do
    optim:zero_grad()
    ddp(torch.tensor{1., 2.} * (i + rank), i % 2 == 1 or not ddp.find_unused_parameters):sum():backward()
    optim:step()
  end
end

local cases = {
  {"default", {}}, {"by those there", {}, {divide_by_initial_world_size = false}}, {"views", {gradient_as_bucket_view = true}},
  {"unused", {find_unused_parameters = true}}, {"buckets", {bucket_cap_mb = 0.00001}}, {"static", {static_graph = true}},
}
for _, case in ipairs(cases) do
  local model = Scale()
  local ddp = DDP(model, case[2])
  local optim = torch.optim.SGD(ddp:parameters(), {lr = 0.125})
  for round = 1, 2 do
    do
      local block <close> = ddp:join(case[3])
      passes(ddp, optim, 2 * rank + (round == 1 and 2 or 0))
    end
    show(case[1], model)
  end
  optim:zero_grad()
  ddp(torch.ones(2), true):sum():backward()
  print("afterwards", ("%.6g %.6g"):format(model.a.grad[0]:item(), model.b.grad[1]:item()))
end

local model = Scale()
local ddp = DDP(model)
local zero = dist.optim.ZeroRedundancyOptimizer(ddp:parameters(), {optimizer_class = torch.optim.SGD, lr = 0.125})
do
  local block <close> = Join({ddp, zero})
  passes(ddp, zero, 2 + rank)
end
show("zero", model)

model = Scale()
ddp = DDP(model)
local optim = torch.optim.SGD(ddp:parameters(), {lr = 0.125})
local ok, e = pcall(function()
  local block <close> = ddp:join{throw_on_early_termination = true}
  passes(ddp, optim, 2 + rank)
end)
print(ok, rank == 0 and e.message)   -- PyTorch's other ranks may hear of a closed connection instead
dist.destroy_process_group()
