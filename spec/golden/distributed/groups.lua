-- ranks: 1 2 3
-- Groups: their ranks, names, mistakes in making them.
local torch = require "torch"
local dist = torch.distributed
dist.init_process_group("gloo")
local rank, size = dist.get_rank(), dist.get_world_size()
print(rank, size, dist.get_backend(), dist.get_backend_config(), dist.get_pg_count())

local function try(name, f)
  local ok, e = pcall(f)
  print(name, ok and tostring(e) or e.code .. ": " .. e.message:match "^[^\n]*":gsub(" object at 0x%x+", ""))
end
local function list(t) return table.concat(t, " ") end

local all = dist.new_group()
print(list(dist.get_process_group_ranks(all)), all:rank(), all:size(), all.group_name, all.group_desc, all:name())
local last = dist.new_group({size - 1}, {group_desc = "the last one"})
print(last == dist.GroupMember.NON_GROUP_MEMBER, dist.get_rank(last), dist.get_world_size(last))
if rank == size - 1 then
  print(last.group_desc, last:rank(), dist.get_group_rank(last, size - 1), dist.get_global_rank(last, 0))
  try("another rank", function() return dist.get_group_rank(last, size) end)
  try("another rank of the group", function() return dist.get_global_rank(last, 1) end)
end
print(dist.get_pg_count())
try("twice a rank", function() dist.new_group({0, 0}) end)
try("a rank too many", function() dist.new_group({0, size}) end)
try("a rank outside", function() dist.new_group({size}) end)
try("half a rank", function() dist.new_group({0.5}) end)
try("subgroups too large", function() dist.new_subgroups(size + 1) end)
try("subgroups of none", function() dist.new_subgroups(0) end)
try("no subgroups", function() dist.new_subgroups_by_enumeration({}) end)
try("a rank in two subgroups", function() dist.new_subgroups_by_enumeration({{0}, {0}}) end)
try("no split", function() dist.split_group() end)
local own, subgroups = dist.new_subgroups(1)
print(own:rank(), own:size(), #subgroups, subgroups[rank + 1] == own)
local x = torch.tensor{rank + 1.0}
dist.all_reduce(x, {group = own})
print(x)
dist.all_reduce(x, {group = all})
print(x)
if last ~= dist.GroupMember.NON_GROUP_MEMBER then
  dist.all_reduce(x, {group = last})
  dist.broadcast(x, size - 1, {group = last})
  dist.broadcast(x, {group_src = 0, group = last})
  print(x)
  try("root not in the group", function() dist.broadcast(x, size, {group = last}) end)
  try("destroy", function() dist.destroy_process_group(last) end)
  try("destroyed", function() dist.destroy_process_group(last) end)
  try("rank", function() dist.get_group_rank(last, size - 1) end)
end
dist.barrier()

-- groups that their members alone make
if rank < 2 and size > 1 then
  for turn = 1, 2 do
    local pair = dist.new_group({1, 0}, {use_local_synchronization = true})
    local y = torch.tensor{rank + 10.0 * turn}
    dist.all_reduce(y, {group = pair})
    print(y, pair:rank(), pair:size())
  end
end
local others = dist.new_group({0}, {use_local_synchronization = true})
print(others == dist.GroupMember.NON_GROUP_MEMBER, dist.get_rank(others))
if size > 1 then
  try("shrink", function() dist.shrink_group({0}) end)
  try("shrink nothing", function() dist.shrink_group({}) end)
  try("shrink a number", function() dist.shrink_group(1) end)
  try("shrink in another way", function() dist.shrink_group({0}, {shrink_flags = 7}) end)
end
dist.barrier()
dist.destroy_process_group()
