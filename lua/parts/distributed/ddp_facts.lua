-- distributed/ddp_facts.lua: what DistributedDataParallel tells of itself (_get_ddp_logging_data), by PyTorch's names. Of PyTorch's facts the times of
-- passes are missing: the profiler has them.
local torch = ...

local C_NAMES = {float32 = "float", float64 = "double", float16 = "c10::Half", bfloat16 = "c10::BFloat16"}
local DEFAULT_MB = 25

local VARIABLES = {cuda_visible_devices = "CUDA_VISIBLE_DEVICES", gloo_device_transport = "GLOO_DEVICE_TRANSPORT",
  gloo_socket_ifname = "GLOO_SOCKET_IFNAME", master_addr = "MASTER_ADDR", master_port = "MASTER_PORT",
  torch_distributed_debug = "TORCH_DISTRIBUTED_DEBUG"}

local function number(flag) return flag and 1 or 0 end

-- Returns the facts of the parameters that take part.
local function of_parameters(module, ignored)
  local skipped, seen, devices = {}, {}, {}
  local facts = {num_parameter_tensors = 0, total_parameter_size_bytes = 0, dtypes = {}, is_multi_device_module = 0}
  for _, name in ipairs(ignored) do skipped[name] = true end
  for name, p in module:named_parameters() do
    if p.requires_grad and not skipped[name] then
      facts.num_parameter_tensors = facts.num_parameter_tensors + 1
      facts.total_parameter_size_bytes = facts.total_parameter_size_bytes + p:numel() * p:element_size()
      local dtype = tostring(p.dtype):match "[^.]+$"
      if not seen[dtype] then table.insert(facts.dtypes, C_NAMES[dtype] or dtype) end
      seen[dtype] = true
      devices[tostring(p.device)] = true
    end
  end
  facts.dtypes = table.concat(facts.dtypes, ", ")
  facts.is_multi_device_module = number(next(devices, (next(devices))) ~= nil)
  return facts
end

-- Adds the sizes of the buckets in bytes and the numbers of their parameters.
local function add_buckets(facts, reducer)
  local buckets, rebuilt = reducer:buckets()
  local sizes, members = {}, {}
  for i, bucket in ipairs(buckets) do sizes[i], members[i] = tostring(bucket.bytes), table.concat(bucket.parameters, " ") end
  facts.has_rebuilt_buckets = number(rebuilt)
  facts[rebuilt and "rebuilt_bucket_sizes" or "bucket_sizes"] = table.concat(sizes, ", ")
  if rebuilt then facts.rebuilt_per_bucket_param_indices = table.concat(members, ", ") end
end

--- Returns the facts. choices: the arguments of the constructor.
return function(ddp, choices)
  local facts = of_parameters(ddp.module, ddp.parameters_to_ignore)
  for name, variable in pairs(VARIABLES) do facts[name] = os.getenv(variable) or "N/A" end
  add_buckets(facts, ddp.reducer)
  local mb = choices.bucket_cap_mb_list and math.max(table.unpack(choices.bucket_cap_mb_list)) or choices.bucket_cap_mb or DEFAULT_MB
  facts.bucket_cap_bytes = math.tointeger(mb * (1 << 20) // 1)
  facts.backend_name, facts.world_size = torch.distributed.get_backend(ddp.process_group), ddp.process_group.count
  facts.rank, facts.module_name = ddp.process_group.own_rank, ddp.module:_get_name()
  facts.broadcast_buffers, facts.find_unused_parameters = number(ddp.forward_sync_buffers), number(ddp.find_unused_parameters)
  facts.gradient_as_bucket_view, facts.iteration = number(ddp.gradient_as_bucket_view), ddp.iteration
  facts.device_ids = ddp.input_device and tostring(ddp.input_device.index) or ""
  facts.output_device = ddp.input_device and ddp.input_device.index or -1
  facts.has_sync_bn = 0
  for module in ddp.module:modules() do
    if torch.nn.Module.isinstance(module, torch.nn.SyncBatchNorm) then facts.has_sync_bn = 1 end
  end
  return facts
end
