-- ranks: 1
-- Mistakes in init_process_group.
local torch = require "torch"
local dist = torch.distributed

local function try(name, f)
  local ok, e = pcall(f)
  print(name, ok and tostring(e) or e.code .. ": " .. e.message:match "^[^\n]*")
end
local function init(...) return dist.init_process_group(...) end
try("no handler", function() init("gloo", {init_method = "foo://", world_size = 1, rank = 0}) end)
try("no world size", function() init("gloo", {store = dist.HashStore()}) end)
try("no rank", function() init("gloo", {store = dist.HashStore(), world_size = 1}) end)
try("both", function() init("gloo", {store = dist.HashStore(), init_method = "env://", world_size = 1}) end)
try("tcp without a rank", function() init("gloo", {init_method = "tcp://127.0.0.1:29777", world_size = 1}) end)
try("tcp without a size", function() init("gloo", {init_method = "tcp://127.0.0.1:29777", rank = 0}) end)
try("no name", function() init(3, {store = dist.HashStore(), world_size = 1, rank = 0}) end)
try("no index", function() init("gloo", {store = dist.HashStore(), world_size = 1, rank = 0, device_id = torch.device("cpu")}) end)
try("no GPU", function() init("nccl", {store = dist.HashStore(), world_size = 1, rank = 0}) end)
try("init", function() init("gloo", {store = dist.HashStore(), world_size = 1, rank = 0}) end)
try("twice", function() init("gloo", {store = dist.HashStore(), world_size = 1, rank = 0}) end)
local world = dist.group.WORLD
print(world:rank(), world:size(), world:name(), world.group_desc, dist.get_backend(), dist.get_backend_config(), dist.get_pg_count() >= 1)
try("destroy", function() dist.destroy_process_group() end)
try("destroyed", function() dist.destroy_process_group() end)
try("again", function() init("gloo", {store = dist.HashStore(), world_size = 1, rank = 0}) end)
print(dist.get_rank(), dist.get_world_size(), dist.is_initialized())
dist.destroy_process_group()
