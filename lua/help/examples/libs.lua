-- Examples of names, in the form that lua/help/example.lua describes.
return [==[
?torch.Generator.clone_state
> a = torch.Generator():manual_seed(0)
> b = a:clone_state()
> torch.rand(1, {generator = a}):equal(torch.rand(1, {generator = b}))
true

?torch.Generator.get_state torch.Generator.set_state
> g = torch.Generator():manual_seed(0)
> state = g:get_state()
> x = torch.rand(2, {generator = g})
> g:set_state(state);
> torch.rand(2, {generator = g}):equal(x)
true

?torch.Generator.initial_seed torch.Generator.manual_seed
> g = torch.Generator():manual_seed(42)
> g:initial_seed()
42
> torch.rand(2, {generator = g})
tensor([0.8823, 0.9150])

?torch.Generator.seed
> g = torch.Generator()
> g:seed() == g:initial_seed()
true

?torch.amp.GradScaler
> net = torch.nn.Linear(2, 1)
> optimizer = torch.optim.SGD(net:parameters(), {lr = 0.1})
> scaler = torch.amp.GradScaler("cpu", {init_scale = 128.})
> scaler:scale(net(torch.ones(4, 2)):mean()):backward()
> scaler:step(optimizer); scaler:update()
> scaler:get_scale()
128.0

?torch.amp.autocast
> x = torch.ones(2, 2)
> torch.amp.autocast("cpu", function() return x:matmul(x).dtype end)
torch.bfloat16
> torch.amp.autocast("cpu", {dtype = torch.float16}, function() return x:matmul(x).dtype end)
torch.float16

?torch.amp.custom_fwd torch.amp.custom_bwd
> Double = torch.autograd.Function:extend "Double"
> Double.forward = torch.amp.custom_fwd(function(ctx, x) return x * 2 end, {device_type = "cpu"})
> Double.backward = torch.amp.custom_bwd(function(ctx, grad) return grad * 2 end, {device_type = "cpu"})
> Double.apply(torch.ones(2))
tensor([2., 2.])

?torch.amp.is_autocast_available
> torch.amp.is_autocast_available("cpu"), torch.amp.is_autocast_available("cuda")
true	true

?torch.cpu.amp torch.cpu.amp.autocast
> x = torch.ones(2, 2)
> torch.cpu.amp.autocast(function() return x:matmul(x).dtype end)
torch.bfloat16

?torch.cpu.amp.GradScaler
> torch.cpu.amp.GradScaler{init_scale = 128.}:get_scale()
128.0

?torch.cpu.current_device torch.cpu.device_count torch.cpu.is_available torch.cpu.is_initialized torch.cpu.set_device torch.cpu.synchronize
> torch.cpu.is_available(), torch.cpu.device_count(), torch.cpu.current_device()
true	1	"cpu"
> torch.cpu.is_initialized()
true
> torch.cpu.set_device("cpu")
> torch.cpu.synchronize()

?torch.backends.cpu torch.backends.cpu.get_cpu_capability
> levels = {AVX512 = true, AVX2 = true, DEFAULT = true, NO_AVX = true}
> levels[torch.backends.cpu.get_cpu_capability()]
true
> torch.backends.cpu.digits = "fast"   -- from now on
> torch.backends.cpu.digits = "pytorch"
> torch.backends.cpu.digits
"pytorch"

?torch.backends.cuda torch.backends.cuda.is_built
> type(torch.backends.cuda.is_built())
"boolean"

?torch.backends.cuda.matmul
> torch.backends.cuda.matmul.allow_tf32
false

?torch.backends.cudnn torch.backends.cudnn.is_available torch.backends.cudnn.version
> torch.backends.cudnn.benchmark = true
> torch.backends.cudnn.benchmark
true
> torch.backends.cudnn.benchmark = false
> type(torch.backends.cudnn.is_available()), type(torch.backends.cudnn.version()) == "string"
"boolean"	false

?torch.backends.cudnn.flags
> torch.backends.cudnn.flags({enabled = false}, function() return torch.backends.cudnn.enabled end)
false
> torch.backends.cudnn.enabled
true

?torch.backends.mkl torch.backends.mkl.is_available
> type(torch.backends.mkl.is_available())
"boolean"

?torch.backends.mkldnn torch.backends.mkldnn.is_available
> type(torch.backends.mkldnn.is_available())
"boolean"

?torch.backends.mps torch.backends.mps.is_available torch.backends.mps.is_built
> torch.backends.mps.is_built(), torch.backends.mps.is_available()
false	false

?torch.backends.openmp torch.backends.openmp.is_available
> type(torch.backends.openmp.is_available())
"boolean"

?torch.autograd.Function torch.autograd.function torch.autograd.function.Function
> Square = torch.autograd.Function:extend "Square"
> function Square.forward(ctx, x) ctx:save_for_backward(x); return x * x end
> function Square.backward(ctx, grad) local x = ctx.saved_tensors[1]; return grad * x * 2 end
> x = torch.tensor(3., {requires_grad = true})
> Square.apply(x):backward()
> x.grad
tensor(6.)
> torch.autograd["function"].Function == torch.autograd.Function
true

?torch.autograd.Variable
> torch.autograd.Variable(torch.ones(2), {requires_grad = true})
tensor([1., 1.], requires_grad=True)

?torch.autograd.backward
> w = torch.tensor(3., {requires_grad = true})
> torch.autograd.backward(w * w)
> w.grad
tensor(6.)

?torch.autograd.detect_anomaly
> w = torch.tensor(-1., {requires_grad = true})
> ok, message = pcall(torch.autograd.detect_anomaly, function() w:sqrt():backward() end)
> tostring(message):match "^[^\n]*"
"Function 'SqrtBackward0' returned nan values in its 0th output."

?torch.autograd.set_detect_anomaly
> torch.autograd.set_detect_anomaly(true);
> torch.is_anomaly_enabled()
true
> torch.autograd.set_detect_anomaly(false);

?torch.autograd.grad
> x = torch.tensor(3., {requires_grad = true})
> dx = torch.autograd.grad(x ^ 3, x, {create_graph = true})
> torch.autograd.grad(dx, x)
tensor(18.)

?torch.autograd.gradcheck
> x = torch.tensor({1., 2.}, {dtype = torch.float64, requires_grad = true})
> torch.autograd.gradcheck(torch.sin, {x})
true

?torch.autograd.gradgradcheck
> x = torch.tensor({1., 2.}, {dtype = torch.float64, requires_grad = true})
> torch.autograd.gradgradcheck(torch.sin, {x})
true

?torch.autograd.once_differentiable torch.autograd.function.once_differentiable
> Double = torch.autograd.Function:extend "Double"
> function Double.forward(ctx, x) return x * 2 end
> Double.backward = torch.autograd.once_differentiable(function(ctx, grad) return grad * 2 end)
> x = torch.ones(1, {requires_grad = true})
> torch.autograd.grad(Double.apply(x), x)
tensor([2.])

?torch.autograd.functional torch.autograd.functional.jacobian
> square = function(x) return x:square() end
> torch.autograd.functional.jacobian(square, torch.tensor{1., 2.})
tensor([[2., 0.],
        [0., 4.]])

?torch.autograd.functional.hessian
> cubes = function(x) return x:pow(3):sum() end
> torch.autograd.functional.hessian(cubes, torch.tensor{1., 2.})
tensor([[ 6.,  0.],
        [ 0., 12.]])

?torch.autograd.functional.hvp torch.autograd.functional.vhp
> cubes = function(x) return x:pow(3):sum() end
> value, product = torch.autograd.functional.hvp(cubes, torch.tensor{1., 2.}, torch.tensor{1., 0.})
> product
tensor([6., 0.])
> value, product = torch.autograd.functional.vhp(cubes, torch.tensor{1., 2.}, torch.tensor{1., 0.})
> product
tensor([6., 0.])

?torch.autograd.functional.jvp torch.autograd.functional.vjp
> square = function(x) return x:square() end
> value, product = torch.autograd.functional.jvp(square, torch.tensor{1., 2.}, torch.tensor{1., 1.})
> value, product
tensor([1., 4.])	tensor([2., 4.])
> torch.autograd.functional.vjp(square, torch.tensor{1., 2.}, torch.tensor{1., 1.})
tensor([1., 4.])	tensor([2., 4.])

?torch.autograd.graph torch.autograd.graph.saved_tensors_hooks
> pack = function(x) print("kept", x.shape); return x end
> unpack = function(x) return x end
> w = torch.ones(2, {requires_grad = true})
> y = torch.autograd.graph.saved_tensors_hooks(pack, unpack, function() return w:exp() end)
kept	torch.Size([2])
> y:sum():backward()

?torch.autograd.graph.allow_mutation_on_saved_tensors
> w = torch.ones(2, {requires_grad = true})
> torch.autograd.graph.allow_mutation_on_saved_tensors(function()
>> local x = w * 1
>> local y = x:square():sum()
>> x:mul_(10)
>> y:backward()
>> end)
> w.grad
tensor([2., 2.])

?torch.autograd.graph.disable_saved_tensors_hooks
> ok, message = pcall(torch.autograd.graph.disable_saved_tensors_hooks, "no hooks here", function()
>> torch.autograd.graph.saved_tensors_hooks(print, print, function() end)
>> end)
> tostring(message):match "no hooks here"
"no hooks here"

?torch.autograd.graph.get_gradient_edge
> w = torch.ones(2, {requires_grad = true})
> y = w * 2
> edge = torch.autograd.graph.get_gradient_edge(y)
> edge.node:name(), edge.output_nr
"MulBackward0"	0

?torch.autograd.graph.increment_version
> x = torch.ones(2)
> torch.autograd.graph.increment_version(x)
> x._version
1

?torch.autograd.graph.register_multi_grad_hook
> a, b = torch.ones(1, {requires_grad = true}), torch.ones(1, {requires_grad = true})
> torch.autograd.graph.register_multi_grad_hook({a, b}, function(grads) print(grads[1], grads[2]) end);
> (a * b * 3):backward()
tensor([3.])	tensor([3.])

?torch.autograd.graph.save_on_cpu
> w = torch.ones(2, {requires_grad = true})
> y = torch.autograd.graph.save_on_cpu(function() return w:exp():sum() end)
> y:backward()
> w.grad
tensor([2.7183, 2.7183])

?torch.profiler.ProfilerActivity torch.profiler.profile
> p = torch.profiler.profile({activities = {torch.profiler.ProfilerActivity.CPU}}, function() for i = 1, 3 do torch.ones(3) end end)
> rows = p:key_averages()
> rows[0].key, rows[0].count
"aten::ones"	3

?torch.profiler.record_function
> p = torch.profiler.profile(function() torch.profiler.record_function("forward", function() torch.ones(3):add(1) end) end)
> torch.profiler.record_function("no profile", function(x) return x * 2 end, 21)
42

?torch.serialization.OrderedDict torch.serialization.dict
> serialization = torch.serialization
> d = serialization.OrderedDict{{"b", 1}, {"a", 2}}
> for key, value in pairs(d) do print(key, value) end
b	1
a	2
> serialization.load_bytes(serialization.save_bytes(serialization.dict{{"b", 1}})).b
1

?torch.serialization.attributes
> torch.save(torch.nn.Linear(2, 1):state_dict(), "net.pt")
> torch.serialization.attributes(torch.load "net.pt")._metadata
OrderedDict([('', {'version': 1})])

?torch.serialization.None torch.serialization.bytes torch.serialization.list torch.serialization.set torch.serialization.tuple
> serialization = torch.serialization
> saved = serialization.save_bytes{names = serialization.list{}, pair = serialization.tuple{1, 2}, seen = serialization.set{3}, raw = serialization.bytes "\1\2"}
> back = serialization.load_bytes(saved)
> back.pair[2], #back.names
2	0
> d = serialization.dict{{serialization.None, 1}}
> d[serialization.None]
1

?torch.serialization.add_safe_globals torch.serialization.get_safe_globals torch.serialization.clear_safe_globals torch.serialization.safe_globals
> serialization = torch.serialization
> serialization.add_safe_globals{"argparse.Namespace"}
> #serialization.get_safe_globals()
1
> serialization.clear_safe_globals()
> serialization.safe_globals({"argparse.Namespace", "numpy.dtype"}, function() return #serialization.get_safe_globals() end)
2

?torch.serialization.load_bytes torch.serialization.save_bytes
> bytes = torch.serialization.save_bytes{w = torch.ones(2)}
> torch.serialization.load_bytes(bytes).w
tensor([1., 1.])

?torch.serialization.load_checkpoint torch.serialization.save_checkpoint
> net = torch.nn.Linear(2, 1)
> torch.serialization.save_checkpoint("last.pt", {model = net, epoch = 3})
> torch.serialization.load_checkpoint("last.pt", {model = net}).epoch
3

?torch.serialization.resumable
> loader = torch.serialization.resumable(torch.utils.data.DataLoader(torch.arange(4.), {batch_size = 2}))
> for batch in loader do print(batch) end
tensor([0., 1.])
tensor([2., 3.])

?torch.signal.windows torch.signal.windows.hann
> torch.signal.windows.hann(5)
tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])

?torch.signal.windows.bartlett torch.signal.windows.blackman torch.signal.windows.cosine
> w = torch.signal.windows
> w.bartlett(5)
tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
> w.blackman(5)
tensor([-1.4901e-08,  3.4000e-01,  1.0000e+00,  3.4000e-01, -1.4901e-08])
> w.cosine(5)
tensor([0.3090, 0.8090, 1.0000, 0.8090, 0.3090])

?torch.signal.windows.exponential
> torch.signal.windows.exponential(5)
tensor([0.1353, 0.3679, 1.0000, 0.3679, 0.1353])

?torch.signal.windows.gaussian
> torch.signal.windows.gaussian(5)
tensor([0.1353, 0.6065, 1.0000, 0.6065, 0.1353])

?torch.signal.windows.general_cosine
> torch.signal.windows.general_cosine(5, {a = {0.5, 0.5}})
tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])

?torch.signal.windows.general_hamming
> torch.signal.windows.general_hamming(5, {alpha = 0.6})
tensor([0.2000, 0.6000, 1.0000, 0.6000, 0.2000])

?torch.signal.windows.hamming
> torch.signal.windows.hamming(5)
tensor([0.0800, 0.5400, 1.0000, 0.5400, 0.0800])

?torch.signal.windows.kaiser torch.signal.windows.nuttall
> w = torch.signal.windows
> w.kaiser(5, {beta = 2.})
tensor([0.4387, 0.8348, 1.0000, 0.8348, 0.4387])
> w.nuttall(5)
tensor([3.6280e-04, 2.2698e-01, 1.0000e+00, 2.2698e-01, 3.6280e-04])

?torch.testing.assert_allclose
> torch.testing.assert_allclose(torch.tensor{1., 2.}, torch.tensor{1., 2.00001})

?torch.testing.assert_close
> torch.testing.assert_close(torch.tensor{1., 2.}, torch.tensor{1., 2.000001})
> ok, message = pcall(torch.testing.assert_close, torch.tensor{1., 2.}, torch.tensor{1., 2.5})
> message
Tensor-likes are not close!

Mismatched elements: 1 / 2 (50.0%)
Greatest absolute difference: 0.5 at index (1,) (up to 1e-05 allowed)
Greatest relative difference: 0.20000000298023224 at index (1,) (up to 1.3e-06 allowed)
at stdin:1

?torch.testing.make_tensor
> torch.manual_seed(0);
> torch.testing.make_tensor(2, 3, {dtype = torch.float32, device = "cpu", low = -1, high = 1}).shape
torch.Size([2, 3])

?torch.version.debug
> torch.version.debug
false
]==]
