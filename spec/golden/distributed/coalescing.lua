-- ranks: 1 2 3
-- Blocks of operations, and the division of groups.
local torch = require "torch"
local dist = torch.distributed
dist.init_process_group("gloo")
local rank, size = dist.get_rank(), dist.get_world_size()

local function try(name, f)
  local ok, e = pcall(f)
  print(name, ok and tostring(e) or e.code .. ": " .. e.message:match "^[^\n]*")
end
local function new(n) return torch.ones(n) * (rank + 1) end

local a, b = new(2), new(3)
do
  local cm <close> = dist._coalescing_manager()
  dist.all_reduce(a, {op = dist.ReduceOp.MAX})
  dist.all_reduce(b, {op = dist.ReduceOp.MAX})
  print(a, #cm.works)
end
print(a, b)
local manager = dist._coalescing_manager({async_ops = true})
do
  local _ <close> = manager
  dist.all_reduce(a)
  dist.all_reduce(b)
end
manager:wait()
print(a, b, #manager.works)
local whole, more = torch.zeros(2 * size), torch.zeros(3 * size)
do
  local _ <close> = dist._coalescing_manager()
  dist.all_gather_into_tensor(whole, new(2))
  dist.all_gather_into_tensor(more, new(3))
end
print(whole, more)
local part, other = torch.zeros(1), torch.zeros(2)
do
  local _ <close> = dist._coalescing_manager()
  dist.reduce_scatter_tensor(part, torch.arange(1.0 * size))
  dist.reduce_scatter_tensor(other, torch.arange(2.0 * size) * (rank + 1))
end
print(part, other)
local empty = dist._coalescing_manager({async_ops = true})
do local _ <close> = empty end
print(#empty.works)
do
  local _ <close> = dist._coalescing_manager()
  dist.all_reduce(b)
  dist.broadcast(a, 0)   -- is not collected
  print(a, b)
end
print(b)
try("a block in another one", function()
  local _ <close> = dist._coalescing_manager()
  dist.all_reduce(b)
  local _ <close> = dist._coalescing_manager()
end)

if size > 1 then
  local pair = dist.split_group({split_ranks = {{1, 0}}})
  print(pair == dist.GroupMember.NON_GROUP_MEMBER, dist.get_rank(pair))
  if rank < 2 then
    local x = torch.ones(2) * rank
    dist.broadcast(x, {group = pair, group_src = 0})
    print(pair.group_desc, x, pair:size())
  end
  local all = dist.split_group({split_ranks = {{0, 1}}, group_desc = "both"})
  if rank < 2 then print(all.group_desc, all:rank()) end
end
dist.destroy_process_group()
