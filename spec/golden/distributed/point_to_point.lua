-- ranks: 2 3
-- Sends and receives in a ring.
local torch = require "torch"
local dist = torch.distributed
dist.init_process_group("gloo")
local rank, size = dist.get_rank(), dist.get_world_size()
local to, from = (rank + 1) % size, (rank - 1) % size

local x, y = torch.arange(4.0) + 10 * rank, torch.zeros(4)
local sent, received = dist.isend(x, to), dist.irecv(y, from)
print(sent:wait(), received:wait(), y)
if rank == 0 then
  dist.send(torch.tensor{7, 8}, 1)
  dist.send(torch.tensor{9.5}, {dst = 1, tag = 3})
elseif rank == 1 then
  local z, w = torch.zeros(2, {dtype = torch.int64}), torch.zeros(1)
  print(dist.recv(z, 0), z)
  print(dist.recv(w, {src = 0, tag = 3}), w)
end
dist.barrier()
if rank == 1 then
  dist.send(torch.tensor{5}, 0)
elseif rank == 0 then
  local z = torch.zeros(1, {dtype = torch.int64})
  print(dist.recv(z), z)
end
dist.barrier()
y:zero_()
local ops = {dist.P2POp(dist.isend, x + 1, to), dist.P2POp(dist.irecv, y, from)}
for _, work in ipairs(dist.batch_isend_irecv(ops)) do work:wait() end
print(y)
local matrix = torch.zeros(3, 4)
local column = matrix[":, 1"]
if rank == 0 then
  dist.send(torch.arange(3.0), 1)
elseif rank == 1 then
  local z = torch.zeros(3)
  dist.recv(z, 0)
  column:copy_(z)
  print(matrix)
end
dist.barrier()
dist.destroy_process_group()
