-- Examples of names, in the form that lua/help/example.lua describes. Backend "fake" makes this process one rank of a world that is not
-- there; what it receives is its own.
return [==[
?torch.distributed torch.distributed.init_process_group torch.distributed.get_rank torch.distributed.get_world_size torch.distributed.destroy_process_group
> torch.distributed.init_process_group("fake", {rank = 0, world_size = 4})
> torch.distributed.get_rank(), torch.distributed.get_world_size()
0	4
> torch.distributed.destroy_process_group()

?torch.distributed.reduce_op
> tostring(torch.distributed.reduce_op.SUM)
"RedOpType.SUM"

?torch.distributed.is_available torch.distributed.is_initialized
> torch.distributed.is_available(), torch.distributed.is_initialized()
true	false

?torch.distributed.is_backend_available torch.distributed.Backend
> torch.distributed.is_backend_available(torch.distributed.Backend.FAKE)
true

?torch.distributed.is_gloo_available torch.distributed.is_mpi_available torch.distributed.is_nccl_available
> gloo, mpi = torch.distributed.is_gloo_available(), torch.distributed.is_mpi_available()
> type(torch.distributed.is_nccl_available())
"boolean"

?torch.distributed.is_ucc_available torch.distributed.is_xccl_available
> torch.distributed.is_ucc_available(), torch.distributed.is_xccl_available()
false	false

?torch.distributed.is_torchelastic_launched torch.distributed.get_node_local_rank
> torch.distributed.is_torchelastic_launched(), torch.distributed.get_node_local_rank(0)
false	0

?torch.distributed.get_backend torch.distributed.get_backend_config torch.distributed.get_default_backend_for_device
> torch.distributed.init_process_group("fake", {rank = 0, world_size = 1})
> torch.distributed.get_backend(), torch.distributed.get_backend_config()
"fake"	"cpu:fake,cuda:fake"
> torch.distributed.get_default_backend_for_device("cpu")
"gloo"
> torch.distributed.destroy_process_group()

?torch.distributed.get_debug_level torch.distributed.set_debug_level torch.distributed.set_debug_level_from_env torch.distributed.DebugLevel
> torch.distributed.set_debug_level(torch.distributed.DebugLevel.INFO)
> torch.distributed.get_debug_level()
DebugLevel.INFO
> torch.distributed.set_debug_level_from_env()

?torch.distributed.new_group torch.distributed.get_group_rank torch.distributed.get_global_rank torch.distributed.get_process_group_ranks torch.distributed.get_pg_count
> torch.distributed.init_process_group("fake", {rank = 3, world_size = 4})
> g = torch.distributed.new_group({1, 3})
> torch.distributed.get_rank(g), torch.distributed.get_group_rank(g, 3), torch.distributed.get_global_rank(g, 0)
1	1	1
> #torch.distributed.get_process_group_ranks(g), torch.distributed.get_pg_count()
2	2
> torch.distributed.destroy_process_group()

?torch.distributed.group torch.distributed.GroupMember torch.distributed.ProcessGroup
> torch.distributed.init_process_group("fake", {rank = 0, world_size = 2})
> torch.distributed.group.WORLD:size(), torch.distributed.GroupMember.WORLD:rank()
2	0
> torch.distributed.ProcessGroup
<class 'torch.distributed.distributed_c10d.ProcessGroup'>
> torch.distributed.destroy_process_group()

?torch.distributed.new_subgroups torch.distributed.new_subgroups_by_enumeration torch.distributed.split_group
> torch.distributed.init_process_group("fake", {rank = 0, world_size = 4})
> own, all = torch.distributed.new_subgroups(2)
> own:size(), #all
2	2
> own, all = torch.distributed.new_subgroups_by_enumeration({{0, 3}, {1, 2}})
> torch.distributed.split_group({split_ranks = {{0, 1, 2}, {3}}}):size()
3
> torch.distributed.destroy_process_group()

?torch.distributed.shrink_group torch.distributed.SHRINK_DEFAULT torch.distributed.SHRINK_ABORT
> torch.distributed.init_process_group("fake", {rank = 0, world_size = 4})
> shrunk, left = pcall(torch.distributed.shrink_group, {2}, nil, torch.distributed.SHRINK_DEFAULT), torch.distributed.SHRINK_ABORT
> shrunk
false
> torch.distributed.new_group({0, 1, 3}, {use_local_synchronization = true}):size()   -- takes its place; these ranks alone call it
3
> torch.distributed.destroy_process_group()

?torch.distributed.set_timeout torch.distributed.default_pg_timeout
> torch.distributed.init_process_group("fake", {rank = 0, world_size = 1})
> torch.distributed.set_timeout(60)
> torch.distributed.default_pg_timeout
1800
> torch.distributed.destroy_process_group()

?torch.distributed.all_reduce torch.distributed.ReduceOp torch.distributed.Work
> torch.distributed.init_process_group("fake", {rank = 0, world_size = 1})
> x = torch.tensor{1.0, 2.0}
> torch.distributed.all_reduce(x, torch.distributed.ReduceOp.MAX)
> work = torch.distributed.all_reduce(x, {async_op = true})
> work:wait(), work:isinstance(torch.distributed.Work)
true	true
> torch.distributed.destroy_process_group()

?torch.distributed.supports_complex
> torch.distributed.supports_complex(torch.distributed.ReduceOp.MAX)
false

?torch.distributed.broadcast torch.distributed.reduce torch.distributed.barrier torch.distributed.monitored_barrier
> torch.distributed.init_process_group("fake", {rank = 0, world_size = 1})
> x = torch.arange(3)
> torch.distributed.broadcast(x, 0)
> torch.distributed.reduce(x, 0)
> torch.distributed.barrier()
> torch.distributed.monitored_barrier({timeout = 5})
> x
tensor([0, 1, 2])
> torch.distributed.destroy_process_group()

?torch.distributed.all_gather torch.distributed.all_gather_into_tensor torch.distributed.all_gather_single
> torch.distributed.init_process_group("fake", {rank = 0, world_size = 1})
> list, rows = {torch.zeros(2)}, torch.zeros(1, 2)
> torch.distributed.all_gather(list, torch.tensor{1.0, 2.0})
> list[1]
tensor([1., 2.])
> torch.distributed.all_gather_into_tensor(rows, torch.tensor{{3.0, 4.0}})
> torch.distributed.all_gather_single(rows, torch.tensor{{3.0, 4.0}})
> rows
tensor([[3., 4.]])
> torch.distributed.destroy_process_group()

?torch.distributed.gather torch.distributed.gather_single torch.distributed.gather_into_tensor torch.distributed.scatter
> torch.distributed.init_process_group("fake", {rank = 0, world_size = 1})
> x, y = torch.tensor{1.0, 2.0}, torch.zeros(2)
> torch.distributed.gather(x, {y}, 0)
> torch.distributed.gather_single(x, y)
> torch.distributed.gather_into_tensor(x, y)
> torch.distributed.scatter(y, {x * 2}, 0)
> y
tensor([2., 4.])
> torch.distributed.destroy_process_group()

?torch.distributed.reduce_scatter torch.distributed.reduce_scatter_tensor torch.distributed.reduce_scatter_single
> torch.distributed.init_process_group("fake", {rank = 0, world_size = 1})
> x, y = torch.tensor{1.0, 2.0}, torch.zeros(2)
> torch.distributed.reduce_scatter(y, {x})
> torch.distributed.reduce_scatter_tensor(y, x)
> torch.distributed.reduce_scatter_single(y, x)
> y
tensor([1., 2.])
> torch.distributed.destroy_process_group()

?torch.distributed.all_to_all torch.distributed.all_to_all_single
> torch.distributed.init_process_group("fake", {rank = 0, world_size = 1})
> x, y = torch.tensor{1.0, 2.0}, torch.zeros(2)
> torch.distributed.all_to_all({y}, {x})
> torch.distributed.all_to_all_single(y, x, {2}, {2})
> y
tensor([1., 2.])
> torch.distributed.destroy_process_group()

?torch.distributed.all_reduce_coalesced torch.distributed.all_gather_coalesced
> torch.distributed.init_process_group("fake", {rank = 0, world_size = 1})
> x, y = torch.ones(2), torch.zeros(2)
> torch.distributed.all_reduce_coalesced({x, y})
> torch.distributed.all_gather_coalesced({{y}}, {x})
> y
tensor([1., 1.])
> torch.distributed.destroy_process_group()

?torch.distributed.send torch.distributed.recv torch.distributed.isend torch.distributed.irecv
> torch.distributed.init_process_group("fake", {rank = 0, world_size = 2})
> x = torch.ones(2)
> torch.distributed.send(x, 1)
> torch.distributed.recv(x, 1)
1
> torch.distributed.isend(x, 1):wait()
true
> torch.distributed.irecv(x, 1):wait()
true
> torch.distributed.destroy_process_group()

?torch.distributed.batch_isend_irecv torch.distributed.P2POp
> torch.distributed.init_process_group("fake", {rank = 0, world_size = 2})
> op = torch.distributed.P2POp(torch.distributed.isend, torch.ones(2), 1)
> op
P2POp(isend pg=0, group_src=0, group_dst=1,  torch.Size([2]), torch.float32)
> for _, work in ipairs(torch.distributed.batch_isend_irecv({op})) do work:wait() end
> torch.distributed.destroy_process_group()

?torch.distributed.all_gather_object torch.distributed.gather_object
> torch.distributed.init_process_group("fake", {rank = 0, world_size = 1})
> all = {}
> torch.distributed.all_gather_object(all, {loss = 0.5})
> all[1].loss
0.5
> torch.distributed.gather_object("done", all)
> all[1]
"done"
> torch.distributed.destroy_process_group()

?torch.distributed.broadcast_object_list torch.distributed.scatter_object_list
> torch.distributed.init_process_group("fake", {rank = 0, world_size = 1})
> values, own = {1, "two"}, {}
> torch.distributed.broadcast_object_list(values)
> torch.distributed.scatter_object_list(own, {"mine"})
> own[1]
"mine"
> torch.distributed.destroy_process_group()

?torch.distributed.send_object_list torch.distributed.recv_object_list
> torch.distributed.init_process_group("fake", {rank = 0, world_size = 2})
> torch.distributed.send_object_list({"a", 1}, 1)
> pcall(torch.distributed.recv_object_list, {}, 0)   -- from itself
false
Invalid source rank: source rank should not be the same as the rank of the current process.
at stdin:1
hint: a copy within a rank is y:copy_(x)
> torch.distributed.destroy_process_group()

?torch.distributed.DistError torch.distributed.DistBackendError torch.distributed.DistStoreError torch.distributed.DistNetworkError
> torch.distributed.DistError, torch.distributed.DistBackendError
"DistError"	"DistBackendError"
> torch.distributed.DistStoreError, torch.distributed.DistNetworkError
"DistStoreError"	"DistNetworkError"

?torch.distributed.QueueEmptyError
> ok, err = pcall(function() torch.distributed.HashStore():queue_pop("key", false) end)
> err.code == torch.distributed.QueueEmptyError
true

?torch.futures torch.futures.Future torch.futures.collect_all torch.futures.wait_all
> future = torch.futures.Future()
> doubled = future:and_then(function(f) return 2 * f:value() end)
> both = torch.futures.collect_all{future, doubled}
> future:set_result(3)
> doubled:wait(), both:done(), table.concat(torch.futures.wait_all{future, doubled}, " ")
6	true	"3 6"

?torch.distributed.HashStore torch.distributed.PrefixStore torch.distributed.Store
> store = torch.distributed.HashStore()
> torch.distributed.PrefixStore("a", store):set("key", "value")
> store:get("a/key")
"value"
> type(torch.distributed.Store)
"table"

?torch.distributed.TCPStore torch.distributed.FileStore
> store = torch.distributed.TCPStore("127.0.0.1", 0, {is_master = true, wait_for_workers = false})
> store:set("key", "value")
> store:get "key"
"value"
> path = os.tmpname()
> torch.distributed.FileStore(path):add("count", 2)
2

?torch.distributed.nn torch.distributed.nn.functional torch.distributed.nn.functional.all_reduce torch.distributed.nn.all_reduce torch.distributed.nn.functional.broadcast torch.distributed.nn.broadcast torch.distributed.nn.functional.reduce torch.distributed.nn.reduce
> torch.distributed.init_process_group("fake", {rank = 0, world_size = 1})
> x = torch.ones(2, {requires_grad = true})
> y = torch.distributed.nn.functional.all_reduce(x * 3)
> y = torch.distributed.nn.functional.broadcast(y, 0) + torch.distributed.nn.functional.reduce(x, 0)
> y:sum():backward()
> x.grad
tensor([4., 4.])
> torch.distributed.destroy_process_group()

?torch.distributed.nn.functional.all_gather torch.distributed.nn.all_gather torch.distributed.nn.functional.gather torch.distributed.nn.gather torch.distributed.nn.functional.scatter torch.distributed.nn.scatter torch.distributed.nn.functional.reduce_scatter torch.distributed.nn.reduce_scatter
> torch.distributed.init_process_group("fake", {rank = 0, world_size = 1})
> x = torch.ones(2, {requires_grad = true})
> y = torch.distributed.nn.functional.all_gather(x)[1] + torch.distributed.nn.functional.gather(x)[1]
> y = y + torch.distributed.nn.functional.scatter({x}) + torch.distributed.nn.functional.reduce_scatter(torch.zeros(2), {x})
> y:sum():backward()
> x.grad
tensor([4., 4.])
> torch.distributed.destroy_process_group()

?torch.distributed.nn.functional.all_to_all torch.distributed.nn.all_to_all torch.distributed.nn.functional.all_to_all_single torch.distributed.nn.all_to_all_single
> torch.distributed.init_process_group("fake", {rank = 0, world_size = 1})
> x = torch.ones(2, {requires_grad = true})
> y = torch.distributed.nn.functional.all_to_all({torch.zeros(2)}, {x})[1]
> z = torch.distributed.nn.functional.all_to_all_single(torch.zeros(2), x)
> y.shape, z.requires_grad
torch.Size([2])	true
> torch.distributed.destroy_process_group()
]==]
