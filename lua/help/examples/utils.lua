-- Examples of names, in the form that lua/help/example.lua describes.
return [==[
?torch.multiprocessing torch.multiprocessing.spawn torch.multiprocessing.ProcessContext
> context = torch.multiprocessing.spawn(function(i, list) assert(list[i + 1] > 0) end, {args = {{1, 2}}, nprocs = 2, join = false})
> repeat until context:join()
> torch.is_tensor(context)   -- it is a torch.multiprocessing.ProcessContext
false

?torch.multiprocessing.start_processes
> torch.multiprocessing.start_processes(function(i) assert(i < 2) end, {nprocs = 2})

?torch.multiprocessing.Process torch.multiprocessing.set_start_method torch.multiprocessing.get_start_method torch.multiprocessing.get_context
> torch.multiprocessing.set_start_method "spawn"
> process = torch.multiprocessing.Process {target = function(x) os.exit(x) end, args = {3}}
> process:start()
> process:join()
> process.exitcode, torch.multiprocessing.get_start_method()
3	"spawn"
> torch.multiprocessing.get_context "spawn" == torch.multiprocessing
true

?torch.multiprocessing.ProcessExitedException torch.multiprocessing.ProcessRaisedException
> ok, err = pcall(torch.multiprocessing.spawn, function() os.exit(3) end)
> err.code == torch.multiprocessing.ProcessExitedException, err.exit_code
true	3
> ok, err = pcall(torch.multiprocessing.spawn, function() error "why" end)
> err.code == torch.multiprocessing.ProcessRaisedException
true

?torch.multiprocessing.cpu_count
> torch.multiprocessing.cpu_count() > 0
true

?torch.utils.benchmark torch.utils.benchmark.Timer torch.utils.benchmark.Measurement
> timer = torch.utils.benchmark.Timer{stmt = function() return torch.ones(10):sum() end}
> measurement = timer:timeit(10)
> measurement.median > 0
true
> torch.utils.benchmark.Measurement(10, {0.5, 0.7}, {label = "mine"}).median
0.06

?torch.utils.checkpoint torch.utils.checkpoint.checkpoint
> x = torch.ones(2, {requires_grad = true})
> block = function(x) return x:exp():sin() end
> torch.utils.checkpoint.checkpoint(block, x, {use_reentrant = false}):sum():backward()
> x.grad
tensor([-2.4783, -2.4783])

?torch.utils.checkpoint.checkpoint_sequential
> net = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
> x = torch.ones(3, 2)
> torch.utils.checkpoint.checkpoint_sequential(net, 2, x, {use_reentrant = false}):equal(net(x))
true

?torch.utils.checkpoint.set_checkpoint_early_stop
> x = torch.ones(2, {requires_grad = true})
> y = torch.utils.checkpoint.set_checkpoint_early_stop(false, function() return torch.utils.checkpoint.checkpoint(torch.exp, x, {use_reentrant = false}) end)
> y:sum():backward()
> x.grad
tensor([2.7183, 2.7183])

?torch.utils.data
> data = torch.utils.data
> set = data.TensorDataset(torch.arange(5.), torch.arange(5))
> for x, y in data.DataLoader(set, {batch_size = 2}) do print(x, y) end
tensor([0., 1.])	tensor([0, 1])
tensor([2., 3.])	tensor([2, 3])
tensor([4.])	tensor([4])

?torch.utils.data.BatchSampler torch.utils.data.SequentialSampler
> data = torch.utils.data
> for indices in data.BatchSampler(data.SequentialSampler(torch.arange(5)), 2, false) do print(table.unpack(indices)) end
0	1
2	3
4

?torch.utils.data.Dataset torch.utils.data.DataLoader
> Squares = torch.utils.data.Dataset:extend "Squares"
> function Squares:__len() return 5 end
> function Squares:getitem(i) return torch.tensor(i), torch.tensor(i * i) end
> for x, y in torch.utils.data.DataLoader(Squares(), {batch_size = 2}) do print(x, y) end
tensor([0, 1])	tensor([0, 1])
tensor([2, 3])	tensor([4, 9])
tensor([4])	tensor([16])

?torch.utils.data.IterableDataset torch.utils.data.ChainDataset
> Count = torch.utils.data.IterableDataset:extend "Count"
> function Count:init(n) self.n = n end
> function Count:iter() local i = 0; return function() i = i + 1; return i <= self.n and i or nil end end
> for x in torch.utils.data.DataLoader(Count(4), {batch_size = 2}) do print(x) end
tensor([1, 2])
tensor([3, 4])
> both = torch.utils.data.ChainDataset{Count(1), Count(2)}
> for x in torch.utils.data.DataLoader(both, {batch_size = 3}) do print(x) end
tensor([1, 1, 2])

?torch.utils.data.ConcatDataset
> both = torch.utils.data.ConcatDataset({torch.arange(3), torch.arange(10, 12)})
> #both, both[3]
5	tensor(10)

?torch.utils.data.StackDataset
> both = torch.utils.data.StackDataset(torch.arange(3), torch.arange(10, 13))
> #both, both[1]
3	{tensor(1), tensor(11)}

?torch.utils.data.Subset
> part = torch.utils.data.Subset(torch.arange(10, 20), {1, 3})
> #part, part[1]
2	tensor(13)

?torch.utils.data.TensorDataset
> set = torch.utils.data.TensorDataset(torch.arange(3.), torch.tensor{7, 8, 9})
> #set, set[1]
3	{tensor(1.), tensor(8)}

?torch.utils.data.RandomSampler torch.utils.data.SubsetRandomSampler torch.utils.data.WeightedRandomSampler
> data = torch.utils.data
> torch.manual_seed(0);
> for i in data.RandomSampler(torch.arange(3)) do print(i) end
0
1
2
> for i in data.SubsetRandomSampler{5, 6} do print(i) end
6
5
> for i in data.WeightedRandomSampler({0.1, 0.9}, 3) do print(i) end
0
0
1

?torch.utils.data.dataset torch.utils.data.sampler
> torch.utils.data.dataset.Subset == torch.utils.data.Subset, torch.utils.data.sampler.RandomSampler == torch.utils.data.RandomSampler
true	true

?torch.utils.data.Sampler
> Odd = torch.utils.data.Sampler:extend "Odd"
> function Odd:iter() local i = -1; return function() i = i + 2; return i < 6 and i or nil end end
> for i in Odd() do print(i) end
1
3
5

?torch.utils.data.default_collate
> torch.utils.data.default_collate({{torch.tensor(1), 2}, {torch.tensor(3), 4}})
{tensor([1, 3]), tensor([2, 4])}

?torch.utils.data.default_convert
> torch.utils.data.default_convert(torch.numpy.array{1, 2})
tensor([1, 2])

?torch.utils.data.get_worker_info
> torch.utils.data.get_worker_info()
nil

?torch.utils.data.random_split
> a, b = torch.utils.data.random_split(torch.arange(10), {0.8, 0.2}, {generator = torch.Generator():manual_seed(0)})
> #a, #b, b[0]
8	2	tensor(6)

?torch.utils.safetensors torch.utils.safetensors.save_file torch.utils.safetensors.load_file torch.utils.safetensors.safe_open
> st = torch.utils.safetensors
> st.save_file({w = torch.ones(2), b = torch.zeros(1)}, "net.safetensors")
> st.load_file("net.safetensors").w
tensor([1., 1.])
> file = st.safe_open "net.safetensors"
> file:get_tensor "b"
tensor([0.])

?torch.utils.safetensors.load torch.utils.safetensors.save
> st = torch.utils.safetensors
> bytes = st.save{w = torch.ones(2)}
> st.load(bytes).w
tensor([1., 1.])

?torch.utils.tensorboard torch.utils.tensorboard.SummaryWriter
> writer = torch.utils.tensorboard.SummaryWriter("runs/first")
> for step = 1, 3 do writer:add_scalar("loss", 1 / step, step) end
> writer:close()
]==]
