-- ranks: 2 3; digits of AVX-512
-- Arguments of DistributedDataParallel that few programs give: sizes of each bucket, delayed reductions, hooks for buffers, and what
-- it tells of itself.
local torch = require "torch"
local dist, nn = torch.distributed, torch.nn
local DDP = nn.parallel.DistributedDataParallel
local distributed = nn.parallel.distributed
dist.init_process_group "gloo"
local rank, size = dist.get_rank(), dist.get_world_size()

local function bits(parameters)
  local list = {}
  for p in parameters do
    local flat = p:detach():flatten()
    for i = 0, math.min(2, flat:numel() - 1) do list[#list + 1] = ("%a"):format(flat[i]:item()) end
  end
  return table.concat(list, " ")
end
local function make()
  torch.manual_seed(3)
  return nn.Sequential(nn.Linear(16, 10), nn.ReLU(), nn.Linear(10, 6), nn.Linear(6, 4))
end
local function train(name, ddp, steps)
  local optim = torch.optim.SGD(ddp:parameters(), {lr = 0.1, momentum = 0.5})
  torch.manual_seed(10 + rank)
  for step = 1, steps do
    optim:zero_grad()
    ddp(torch.randn{5, 16}):square():mean():backward()
    optim:step()
    print(name, step, bits(ddp:parameters()))
  end
end

-- buckets
for _, list in ipairs{{0.0001, 0.0003}, {0.0004}, {0.0005, 0.00001, 1}} do
  for _, finds in ipairs{false, true} do
    local ddp = DDP(make(), {bucket_cap_mb_list = list, find_unused_parameters = finds})
    print("first", ddp:_get_ddp_logging_data().bucket_sizes)
    train("list", ddp, 4)
    local facts = ddp:_get_ddp_logging_data()
    print("then", finds, facts.rebuilt_bucket_sizes, facts.rebuilt_per_bucket_param_indices, facts.bucket_cap_bytes)
  end
end

-- delayed reductions
local Scales = nn.Module:extend "Scales"
function Scales:init()
  for i, name in ipairs{"a", "b", "c"} do self[name] = nn.Parameter(torch.tensor{1. * i, 2. * i}) end
end
function Scales:forward(x) return x * self.a * self.b * self.c end
local function gradients(module)
  local out = {}
  for _, name in ipairs{"a", "b", "c"} do
    local grad = module[name].grad
    out[#out + 1] = grad and ("%g,%g"):format(grad[0]:item(), grad[1]:item()) or "none"
  end
  return table.concat(out, " ")
end
for _, names in ipairs{{"b"}, {"b", "c"}} do
  local module, named = Scales(), {}
  for i, name in ipairs(names) do named[i] = {name, module[name]} end
  local ddp = DDP(module, {delay_all_reduce_named_params = named, param_to_hook_all_reduce = module.a})
  for pass = 1, 3 do
    for p in module:parameters() do
      if pass < 3 then p.grad = nil end
    end
    ddp(torch.tensor{1., 2.} * (size * (rank + 1))):sum():backward()
    dist.barrier()
    print("delayed", #names, gradients(module))
  end
end

-- buffers
local Counter = nn.Module:extend "Counter"
function Counter:init()
  self.a = nn.Parameter(torch.ones(1))
  self:register_buffer("first", torch.zeros(1))
  self:register_buffer("second", torch.zeros(1))
end
function Counter:forward(x)
  self.first:add_(rank + 1)
  return x * self.a
end
for _, where in ipairs{"POST_FORWARD", "PRE_FORWARD"} do
  local ddp = DDP(Counter())
  ddp:_register_buffer_comm_hook("state", function(state, buffers)
    dist.all_reduce(buffers.first)
    buffers.second:add_(1)
    if where == "PRE_FORWARD" then print(state) end
  end, distributed._BufferCommHookLocation[where])
  for _ = 1, 3 do
    ddp(torch.ones(1)):sum():backward()
    print(where, ddp.module.first:item(), ddp.module.second:item())
  end
end

-- what it tells
local ddp = DDP(make(), {bucket_cap_mb = 2, gradient_as_bucket_view = true, forward_sync_buffers = false})
for _ = 1, 4 do ddp(torch.ones(1, 16)):sum():backward() end
local facts = ddp:_get_ddp_logging_data()
for _, name in ipairs{"backend_name", "world_size", "rank", "module_name", "num_parameter_tensors", "total_parameter_size_bytes", "dtypes",
  "broadcast_buffers", "bucket_cap_bytes", "find_unused_parameters", "gradient_as_bucket_view", "has_rebuilt_buckets", "has_sync_bn",
  "is_multi_device_module", "device_ids", "output_device", "rebuilt_bucket_sizes", "rebuilt_per_bucket_param_indices"} do print(name, facts[name]) end

ddp = DDP(make())
ddp:_set_static_graph()
train("static", ddp, 3)
print(ddp.static_graph)
ddp:_set_static_graph()

local function says(options)
  local ok, e = pcall(DDP, make(), options)
  print(ok, e.code, e.message)
end
says{delay_all_reduce_named_params = {{"0.weight", ddp.module[0].weight}}}
says{param_to_hook_all_reduce = ddp.module[0].weight}
dist.destroy_process_group()
