-- ranks: 1 2 3
-- The object collectives: the errors that one rank sees alone.
local torch = require "torch"
local dist = torch.distributed
dist.init_process_group("gloo")
local rank, size = dist.get_rank(), dist.get_world_size()

local function try(name, f)
  local ok, e = pcall(f)
  print(name, ok and tostring(e) or e.code .. ": " .. e.message:match "^[^\n]*":gsub(" object at 0x%x+", ""))
end

try("broadcast from a rank outside", function() return dist.broadcast_object_list({1}, size) end)
if rank == 0 then
  try("broadcast of no list", function() return dist.broadcast_object_list(nil, 0) end)
  try("gather without a list", function() return dist.gather_object(1, nil, 0) end)
  try("send to oneself", function() return dist.send_object_list({1}, 0) end)
  try("receive from oneself", function() return dist.recv_object_list({1}, 0) end)
else
  try("gather with a list elsewhere", function() return dist.gather_object(1, {1, 2}, 0) end)
end
dist.destroy_process_group()
