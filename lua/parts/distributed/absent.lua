-- distributed/absent.lua: PyTorch's names in torch.distributed that are not there, and what takes their place. docs/missing.md lists them.

local later = "DTensor, fully_shard, tensor and pipeline parallelism come later; DistributedDataParallel and " ..
  "torch.distributed.optim.ZeroRedundancyOptimizer are there"
local private = "PyTorch uses these internally"

local reasons = {}
for names, reason in pairs{
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
} do
  for name in names:gmatch "%S+" do reasons[name] = reason end
end

return reasons
