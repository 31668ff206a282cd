-- distributed.lua: the help on the names of torch.distributed, as in init.lua.
local spaces = {}

spaces["torch.distributed"] = [[
Backend: The names of the backends: Backend.GLOO is "gloo", and so on.
SHRINK_DEFAULT: shrink_group's shrink_flags: operations that run go on.
SHRINK_ABORT: shrink_group's shrink_flags: operations that run are given up.
reduce_op: The old name of ReduceOp, which warns.
DebugLevel: The debug levels OFF, INFO and DETAIL. What PyTorch checks at DETAIL only is always checked here.
DistBackendError: The code of errors of a backend, or of a rank that died: err.code == torch.distributed.DistBackendError.
DistError: The code of errors of groups: err.code == torch.distributed.DistError.
DistNetworkError: The code of errors of connections.
DistStoreError: The code of errors of stores: a value that did not come, a server that is gone.
FileStore(file_name, world_size=-1): A store of values in a file that all processes reach.
GroupMember: WORLD, the default group, and NON_GROUP_MEMBER, what new_group returns on a rank that is no member.
HashStore(): A store of values in the memory of this process.
P2POp(op, tensor, peer?, group?, tag=0, group_peer?): A send (op = isend) or a receive (irecv) for batch_isend_irecv.
ProcessGroup: The class of groups: rank(), size(), name(), group_name, group_desc. new_group makes them.
QueueEmptyError: The code of the error of queue_pop(key, false) if the store's queue has nothing.
ReduceOp: What a reduction does with the values of all ranks: SUM, AVG, PRODUCT, MIN, MAX, BAND, BOR, BXOR.
Store: The class of stores: set, get, add, wait, ... TCPStore, FileStore, HashStore and PrefixStore are stores.
Work: The class of operations under way, which async_op = true returns: wait(), is_completed(), get_future(), source_rank().
  A future has wait(), value(), done(), add_done_callback(f) and and_then(f), which is PyTorch's then: a word of Lua's.
all_gather_into_tensor(output_tensor, input_tensor, group?, async_op=false): Copies each rank's tensor into one tensor on all ranks: their rows one after the other, or a row for each rank.
all_gather_single = torch.distributed.all_gather_into_tensor
all_to_all_single(output, input, output_split_sizes?, input_split_sizes?, group?, async_op=false): Sends rows of a tensor to each rank, and receives rows from each: equal parts, or as many as the tables of sizes say.
default_pg_timeout: The seconds that operations wait for other ranks if init_process_group is given no timeout: 1800.
gather_into_tensor = torch.distributed.gather_single
gather_single(tensor, gather_tensor?, dst?, group?, async_op=false, group_dst?): Copies each rank's tensor to rank dst, into one tensor: their rows one after the other.
group: WORLD, the default group; nil before init_process_group.
init_process_group(backend?, init_method?, timeout?, world_size=-1, rank=-1, store?, group_name='', pg_options?, device_id?): Makes the default group, of all ranks of the world, and waits for them.
  backend is "gloo", "mpi", "nccl", "fake", or one for each kind of device: "cpu:gloo,cuda:nccl", the default unless TOCHA_BACKEND in the environment is another. init_method is "env://" (the default: RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT, which the launcher sets), "tcp://HOST:PORT" or "file://PATH"; store, with rank and world_size, is in its place. timeout is the number of seconds that an operation waits for other ranks.
reduce_scatter_single = torch.distributed.reduce_scatter_tensor
reduce_scatter_tensor(output, input, op?, group?, async_op=false): Reduces a tensor over all ranks: each rank receives its part of the rows.
scatter_object_list(scatter_object_output_list, scatter_object_input_list?, src?, group?, group_src?, weights_only=true): Copies the values of a table of rank src to the ranks: each receives its own as the first value of its table.
]]

spaces["torch.futures"] = [[
Future(): A value that will be there later: set_result(value) or set_exception(err) sets it, wait() returns it, and and_then(f) returns a future of f(future).
]]

spaces["torch.distributed.optim"] = [[
ZeroRedundancyOptimizer(params, optimizer_class, process_group?, parameters_as_bucket_view=false): An optimizer whose states are spread over the ranks (ZeRO, stage 1). Other options are those of optimizer_class.
]]

spaces["torch.distributed.algorithms.join"] = [[
Join(joinables, enable=true, throw_on_early_termination=false): A block for a loop over inputs of which ranks have different numbers: those that have ended take part in the operations of the others.
JoinHook: What a rank that has ended does: main_hook() in each pass of the others, post_hook(is_last_joiner) once all have ended.
Joinable: A class whose objects Join takes: extend it, and give it join_hook(options), join_device() and join_process_group().
]]

spaces["torch.distributed.algorithms.ddp_comm_hooks.default_hooks"] = [[
bf16_compress_hook(process_group, bucket): A hook that reduces gradients in bfloat16.
bf16_compress_wrapper(hook): Returns a hook that hands gradients in bfloat16 to another one.
fp16_compress_hook(process_group, bucket): A hook that reduces gradients in float16.
fp16_compress_wrapper(hook): Returns a hook that hands gradients in float16 to another one.
]]

spaces["torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook"] = [[
PowerSGDState(process_group?, matrix_approximation_rank=1, start_powerSGD_iter=1000, min_compression_rate=2, use_error_feedback=true, warm_start=true, orthogonalization_epsilon=0, random_seed=0): What powerSGD_hook knows: passes before start_powerSGD_iter send gradients as they are.
]]

spaces["torch.nn.parallel"] = [[
DistributedDataParallel(module, broadcast_buffers=true, process_group?, bucket_cap_mb?, find_unused_parameters=false, gradient_as_bucket_view=false, static_graph=false): Averages gradients over the ranks while backward runs.
]]

return spaces
