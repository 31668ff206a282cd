-- distributed/absent.lua: PyTorch's names in torch.distributed and torch.multiprocessing that are not there, and what takes their place.
-- docs/missing.md lists the former.
local torch = ...
local absent = {}

local later = "DTensor, fully_shard, tensor and pipeline parallelism come later; DistributedDataParallel and " ..
  "torch.distributed.optim.ZeroRedundancyOptimizer are there"
local private = "PyTorch uses these internally"

-- Returns the reason of each name. lists: names, and their reason.
local function by_name(lists)
  local reasons = {}
  for names, reason in pairs(lists) do
    for name in names:gmatch "%S+" do reasons[name] = reason end
  end
  return reasons
end

--- Reasons by namespace and name.
absent.reasons = {}

absent.reasons["torch.distributed"] = by_name{
  ["DeviceMesh init_device_mesh device_mesh tensor fsdp pipelining"] = later,
  ["checkpoint"] = "distributed checkpoints come later; rank 0 saves what all ranks have alike: torch.save(ddp.module:state_dict(), path)",
  ["AllToAllOptions AllreduceCoalescedOptions AllreduceOptions BarrierOptions BroadcastOptions GatherOptions ReduceOptions ReduceScatterOptions " ..
    "ScatterOptions"] = "PyTorch makes them internally; the functions take these options as arguments: all_reduce(x, {op = op, group = group})",
  ["ProcessGroupGloo ProcessGroupNCCL ProcessGroupNCCL2 ProcessGroupNCCLLazy BackendConfig get_backend_impl"] =
    "a group does not show its backend as an object; get_backend(group) is its name",
  ["register_rendezvous_handler rendezvous"] =
    "init_process_group meets by env://, tcp://, file:// or a store of the script's: {store = store, rank = 0, world_size = 2}",
  ["rpc autograd remote_device"] = "calls of functions on other ranks are left out; send, recv and the object collectives exchange values",
  ["elastic run launch"] = "the launcher is a program: tocha --nproc 2 script.lua, or tocharun (docs/launching.md)",
  ["breakpoint"] =
    "a rank has no terminal of its own; tocha --nproc 1 has one, where `tocha -i script.lua` keeps the locals after an error",
  ["record_comm log logging_handlers Logger c10d_logger"] =
    "the last 2,000 operations of each rank are always recorded: TOCHA_TRACE_DIR=folder writes them when a rank fails",
  ["BuiltinCommHookType"] = "ddp:register_comm_hook takes the functions of torch.distributed.algorithms.ddp_comm_hooks.default_hooks",
  ["GradBucket Reducer"] = "DistributedDataParallel makes them, and hands buckets to communication hooks",
  ["GroupName config constants distributed_c10d utils"] = private,
}

absent.reasons["torch.multiprocessing"] = by_name{
  ["Queue SimpleQueue JoinableQueue Pipe Manager Value Array"] = "processes share no memory: tensors that a function takes along are copied. " ..
    "Ranks exchange values by torch.distributed: send, all_gather_object, or a TCPStore's queue_push and queue_pop",
  ["Lock RLock Semaphore BoundedSemaphore Event Condition Barrier"] =
    "processes share no memory; torch.distributed.barrier(), or a TCPStore's wait, lets ranks wait for each other",
  ["Pool"] = "spawn(f, {args = {...}, nprocs = 4}) runs a function in processes, and torch.utils.data.DataLoader has workers that stay",
  ["set_sharing_strategy get_sharing_strategy get_all_sharing_strategies"] = "processes share no memory here",
}

--- Lets a namespace say what takes the place of names that it has not.
function absent.attach(namespace, space)
  local meta, reasons = getmetatable(namespace), absent.reasons[space]
  local look_up = meta.__index
  function meta.__index(t, name)
    if not reasons[name] then return look_up(t, name) end
    return torch._raise("AttributeError", ("module '%s' has no attribute '%s'"):format(space, name), reasons[name])
  end
end

return absent
