-- ranks: 1 2 3
-- Mistakes in the arguments of collectives that each rank can see by itself.
local torch = require "torch"
local dist = torch.distributed
dist.init_process_group("gloo")
local rank, size = dist.get_rank(), dist.get_world_size()
local x = torch.ones(2)

local function try(name, f)
  local ok, e = pcall(f)
  print(name, ok and tostring(e) or e.code .. ": " .. e.message:match "^[^\n]*")
end
local function ones(n, ...)
  local list = {}
  for i = 1, n do list[i] = torch.ones(...) end
  return list
end
try("no tensor", function() dist.all_reduce(3) end)
try("no list", function() dist.all_gather(x, x) end)
try("a number in the list", function() dist.all_gather({x, 3}, x) end)
try("another dtype", function() dist.all_gather(ones(size, 2), x:int()) end)
try("too long", function() dist.all_gather(ones(size + 1, 2), x) end)
try("empty", function() dist.all_gather({}, x) end)
try("another shape", function() dist.all_gather(ones(size, 3), x) end)
try("root", function() dist.broadcast(x, size) end)
try("root below 0", function() dist.broadcast(x, -1) end)
try("no root", function() dist.broadcast(x) end)
try("two roots", function() dist.broadcast(x, 0, {group_src = 0}) end)
try("reduce without a root", function() dist.reduce(x) end)
try("send to oneself", function() dist.send(x, rank) end)
try("send by nobody", function() dist.send(x) end)
try("gather without a list", function() if rank == 0 then dist.gather(x) else dist.gather(x, ones(size, 2)) end end)
if rank == 0 then
  try("gather too much", function() dist.gather(x, ones(size + 1, 2)) end)
  try("scatter without a list", function() dist.scatter(x) end)
  try("scatter too much", function() dist.scatter(x, ones(size + 1, 2)) end)
  try("scatter another shape", function() dist.scatter(x, ones(size, 3)) end)
end
try("reduce_scatter too much", function() dist.reduce_scatter(x, ones(size + 1, 2)) end)
try("all_to_all too much", function() dist.all_to_all(ones(size, 2), ones(size + 1, 2)) end)
try("all_to_all_single sizes", function() dist.all_to_all_single(torch.ones(2), torch.ones(2), {1, 1, 1, 1}, {2}) end)
try("another group", function() dist.all_reduce(x, {group = "foo"}) end)
try("a number as group", function() dist.all_reduce(x, {group = 3}) end)
try("no member", function() return dist.all_reduce(x, {group = dist.GroupMember.NON_GROUP_MEMBER}) == nil end)
try("no member's rank", function() return dist.get_rank(dist.GroupMember.NON_GROUP_MEMBER) end)
try("no member's size", function() return dist.get_world_size(dist.GroupMember.NON_GROUP_MEMBER) end)
try("no member's backend", function() return dist.get_backend(dist.GroupMember.NON_GROUP_MEMBER) end)
try("bits of fractions", function() dist.all_reduce(x, dist.ReduceOp.BAND) end)
try("a number as timeout", function() dist.monitored_barrier({timeout = "3"}) end)
try("no list of operations", function() dist.batch_isend_irecv({3}) end)
try("another operation", function() dist.P2POp(dist.send, x, 1) end)
dist.barrier()
dist.destroy_process_group()
