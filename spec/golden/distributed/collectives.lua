-- ranks: 1 2 3
-- What each collective leaves on each rank.
local torch = require "torch"
local dist = torch.distributed
local ReduceOp = dist.ReduceOp
dist.init_process_group("gloo")
local rank, size = dist.get_rank(), dist.get_world_size()
local last = size - 1

local function fresh(n)
  local list = {}
  for i = 1, n or size do list[i] = torch.zeros(2) end
  return list
end
local function show(name, list)
  local parts = {}
  for i, t in ipairs(list) do parts[i] = tostring(t) end
  print(name, table.concat(parts, " "))
end
local function own() return torch.tensor({1.0, 2.0}) * (rank + 1) end

for _, op in ipairs{"SUM", "AVG", "PRODUCT", "MIN", "MAX"} do
  local x = own()
  print(op, dist.all_reduce(x, ReduceOp[op]), x)
end
for _, op in ipairs{"BAND", "BOR", "BXOR"} do
  local x = torch.tensor({12, 10, 7}) + rank
  dist.all_reduce(x, ReduceOp[op])
  print(op, x)
end
local x = own()
dist.broadcast(x, last)
print("broadcast", x)
x = own()
dist.reduce(x, last)
if rank == last then print("reduce", x) end
local list = fresh()
dist.all_gather(list, own())
show("all_gather", list)
x = torch.zeros(2 * size)
dist.all_gather_into_tensor(x, own())
print("all_gather_into_tensor", x)
x = torch.zeros(size, 2)
dist.all_gather_into_tensor(x, own():view(1, 2))
print("rows", x)
list = fresh()
dist.gather(own(), rank == last and list or nil, last)
show("gather", list)
x = torch.zeros(2)
list = fresh()
for i, t in ipairs(list) do t:fill_(i) end
dist.scatter(x, rank == last and list or nil, last)
print("scatter", x)
x = torch.zeros(2)
for i, t in ipairs(list) do t:fill_(i * 10 + rank) end
dist.reduce_scatter(x, list)
print("reduce_scatter", x)
x = torch.zeros(2)
dist.reduce_scatter_tensor(x, torch.arange(2.0 * size) + rank)
print("reduce_scatter_tensor", x)
local outputs = fresh()
dist.all_to_all(outputs, list)
show("all_to_all", outputs)
x = torch.zeros(2 * size)
dist.all_to_all_single(x, torch.arange(2.0 * size) + 100 * rank)
print("all_to_all_single", x)
local rows, total = {}, 0
for i = 1, size do
  rows[i] = i
  total = total + i
end
local received = {}
for i = 1, size do received[i] = rank + 1 end
x = torch.zeros(size * (rank + 1))
dist.all_to_all_single(x, torch.arange(1.0 * total) + 100 * rank, received, rows)
print("sizes", x)
local work = dist.all_reduce(own(), {async_op = true})
print(work:wait(), work:is_completed(), work:get_future():value()[1])
print(dist.barrier({async_op = true}):wait())
local turned = (torch.arange(6.0) + rank):view(2, 3):t()
dist.broadcast(turned, 0)
print(turned)
local one, none = torch.tensor(rank + 0.5), torch.zeros(0)
dist.all_reduce(one)
dist.all_reduce(none)
print(one, none)
dist.all_reduce_coalesced({one, turned:clone()})
print(one)
dist.monitored_barrier()
dist.destroy_process_group()
