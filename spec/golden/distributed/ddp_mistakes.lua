-- ranks: 2
-- The first lines of DistributedDataParallel's errors.
local torch = require "torch"
local dist, nn = torch.distributed, torch.nn
local DDP = nn.parallel.DistributedDataParallel
dist.init_process_group "gloo"
local rank = dist.get_rank()

local function says(name, f, ...)
  local ok, e = pcall(f, ...)
  print(name, ok, not ok and e.code, not ok and e.message:match "^[^\n]+")
end

local Two = nn.Module:extend "Two"
function Two:init()
  self.used = nn.Linear(2, 2)
  self.idle = nn.Linear(2, 2)
end
function Two:forward(input, all)
  local y = self.used(input)
  return all and self.idle(y) or y
end

local ddp = DDP(Two())
ddp(torch.ones(1, 2)):sum():backward()
says("unused", ddp, torch.ones(1, 2))
dist.barrier()

ddp = DDP(Two(), {static_graph = true})
ddp(torch.ones(1, 2), true):sum():backward()
ddp(torch.ones(1, 2), true):sum():backward()
ddp(torch.ones(1, 2)):sum():backward()
says("changed", ddp, torch.ones(1, 2))
dist.barrier()

says("no gradients", DDP, nn.ReLU())
says("frozen", DDP, nn.Linear(2, 2):requires_grad_(false))
says("devices", DDP, nn.Linear(2, 2), {device_ids = {0}})
says("two devices", DDP, nn.Linear(2, 2), {device_ids = {0, 1}})
says("output", DDP, nn.Linear(2, 2), {output_device = 1})
ddp = DDP(nn.Linear(2, 2))
says("no function", ddp.register_comm_hook, ddp, nil, 3)
ddp = DDP(nn.Linear(2, 2, {dtype = torch.float64}))
print(ddp(torch.ones(1, 2, {dtype = torch.float64})).dtype, rank)
dist.destroy_process_group()
