-- zero.lua: each process holds the optimizer's states of its part of the parameters (ZeRO, stage 1), and the first one saves all of them.
--
--   tocha --nproc 2 examples/distributed/zero.lua
local torch = require "torch"
local nn, dist = torch.nn, torch.distributed

dist.init_process_group "gloo"
local rank = dist.get_rank()

torch.manual_seed(0)
local model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
local ddp = nn.parallel.DistributedDataParallel(model, {gradient_as_bucket_view = true})
local optimizer = dist.optim.ZeroRedundancyOptimizer(ddp:parameters(), {optimizer_class = torch.optim.Adam, lr = 1e-2})

-- Returns the number of elements of a state dict's tensors.
local function elements(state_dict)
  local sum = 0
  for _, values in pairs(state_dict.state) do
    for _, value in pairs(values) do
      if torch.is_tensor(value) then sum = sum + value:numel() end
    end
  end
  return sum
end

torch.manual_seed(1 + rank)   -- other samples on each rank
local loss
for _ = 1, 100 do
  local x = torch.randn(16, 32)
  loss = nn.functional.mse_loss(ddp(x), x:sum(1, true):tanh())
  optimizer:zero_grad()
  loss:backward()
  optimizer:step()
end

optimizer:consolidate_state_dict(0)
loss = loss:detach()
dist.all_reduce(loss, dist.ReduceOp.AVG)
if rank == 0 then
  local path = os.tmpname()
  torch.save({model = model:state_dict(), optimizer = optimizer:state_dict()}, path)
  print(("loss %.3f; this rank holds %d numbers of state, the checkpoint %d"):format(loss:item(), elements(optimizer.optim:state_dict()),
    elements(torch.load(path).optimizer)))
  os.remove(path)
end
dist.destroy_process_group()
