-- Examples of names, in the form that lua/help/example.lua describes.
return [==[
?torch.are_deterministic_algorithms_enabled torch.is_deterministic_algorithms_warn_only_enabled torch.use_deterministic_algorithms
> torch.use_deterministic_algorithms(true, {warn_only = true})
> torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()
true	true
> torch.use_deterministic_algorithms(false)

?torch.autocast
> a, b = torch.ones(2, 2), torch.ones(2, 2)
> torch.autocast("cpu", function() return a:matmul(b).dtype end)
torch.bfloat16

?torch.clear_autocast_cache torch.is_autocast_cache_enabled torch.set_autocast_cache_enabled
> torch.is_autocast_cache_enabled()
true
> torch.set_autocast_cache_enabled(true)
> torch.clear_autocast_cache()

?torch.get_autocast_cpu_dtype torch.get_autocast_dtype torch.get_autocast_gpu_dtype
> torch.get_autocast_dtype("cpu"), torch.get_autocast_cpu_dtype()
torch.bfloat16	torch.bfloat16
> torch.get_autocast_dtype("cuda"), torch.get_autocast_gpu_dtype()
torch.float16	torch.float16

?torch.set_autocast_cpu_dtype torch.set_autocast_dtype torch.set_autocast_gpu_dtype
> torch.set_autocast_dtype("cpu", torch.float16)
> torch.get_autocast_dtype("cpu")
torch.float16
> torch.set_autocast_cpu_dtype(torch.bfloat16)
> torch.set_autocast_gpu_dtype(torch.float16)

?torch.is_autocast_cpu_enabled torch.is_autocast_enabled
> torch.is_autocast_enabled("cpu"), torch.is_autocast_cpu_enabled()
false	false
> torch.autocast("cpu", function() return torch.is_autocast_enabled("cpu") end)
true

?torch.set_autocast_cpu_enabled torch.set_autocast_enabled
> torch.set_autocast_enabled("cpu", true)
> torch.is_autocast_enabled("cpu")
true
> torch.set_autocast_cpu_enabled(false)
> torch.is_autocast_enabled("cpu")
false

?torch.compile
> net = torch.nn.Linear(2, 1)
> torch.compile(net) == net
true

?torch.enable_grad
> torch.no_grad(function() return torch.enable_grad(function() return torch.is_grad_enabled() end) end)
true

?torch.no_grad
> w = torch.ones(2, {requires_grad = true})
> torch.no_grad(function() return (w * 2).requires_grad end)
false

?torch.inference_mode torch.is_inference_mode_enabled
> torch.inference_mode(function() return torch.is_inference_mode_enabled() end)
true

?torch.is_grad_enabled torch.set_grad_enabled
> torch.set_grad_enabled(false, function() return torch.is_grad_enabled() end)
false
> torch.is_grad_enabled()
true

?torch.get_float32_matmul_precision torch.set_float32_matmul_precision
> torch.get_float32_matmul_precision()
"highest"
> torch.set_float32_matmul_precision("high")
> torch.set_float32_matmul_precision("highest")

?torch.get_num_threads torch.set_num_threads
> n = torch.get_num_threads()
> torch.set_num_threads(1)
> torch.get_num_threads()
1
> torch.set_num_threads(n)

?torch.is_anomaly_check_nan_enabled torch.is_anomaly_enabled torch.set_anomaly_enabled
> torch.set_anomaly_enabled(true)
> torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()
true	true
> torch.set_anomaly_enabled(false)

?torch.load torch.save
> net = torch.nn.Linear(2, 1)
> torch.save(net:state_dict(), "net.pt")
> state = torch.load("net.pt")
> net:load_state_dict(state)
<All keys matched successfully>

?torch.scope
> total = torch.scope(function()
>> local x = torch.arange(1000)
>> return (x * x):sum()
>> end)
> total
tensor(332833500)

?torch.summary
> net = torch.nn.Linear(3, 2)
> torch.summary(net, {input_size = {4, 3}, verbose = 0}).total_params
8

?torch.tqdm
> for i in torch.tqdm({10, 20, 30}, {disable = true}) do print(i) end
10
20
30

?torch.accelerator
> torch.accelerator.is_available() == torch.cuda.is_available()
true

?torch.amp
> a = torch.ones(2, 2)
> torch.amp.autocast("cpu", function() return a:matmul(a).dtype end)
torch.bfloat16

?torch.autograd
> w = torch.tensor(3., {requires_grad = true})
> torch.autograd.grad(w * w, w)
tensor(6.)

?torch.backends
> torch.backends.mps.is_available()
false

?torch.cpu
> torch.cpu.is_available(), torch.cpu.device_count()
true	1

?torch.cuda
> device = torch.cuda.is_available() and "cuda" or "cpu"
> torch.ones(2):to(device):sum():item()
2.0

?torch.datasets
> digits = torch.datasets.Digits()
> image, label = digits[0][1], digits[0][2]
> #digits, image.shape, label
1797	torch.Size([1, 8, 8])	tensor(0)

?torch.distributions
> torch.distributions.Normal(0., 1.):log_prob(torch.tensor(0.))
tensor(-0.9189)

?torch.linalg
> torch.linalg.norm(torch.tensor{3., 4.})
tensor(5.)

?torch.metrics
> metric = torch.metrics.Accuracy{task = "binary"}
> metric:update(torch.tensor{0, 1, 1}, torch.tensor{0, 1, 0})
> metric:compute()
tensor(0.6667)

?torch.nn
> nn = torch.nn
> net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
> net(torch.ones(2, 4)).shape
torch.Size([2, 1])

?torch.numpy
> np = torch.numpy
> a = np.arange(3)
> a * 2
array([0, 2, 4])

?torch.ops
> torch.ops
<module 'torch.ops'>

?torch.optim
> net = torch.nn.Linear(2, 1)
> optimizer = torch.optim.SGD(net:parameters(), {lr = 0.1})
> net(torch.ones(1, 2)):sum():backward()
> optimizer:step()
> optimizer:zero_grad()

?torch.plot torch.pyplot
> plt = torch.plot
> plt.plot({1, 2, 3}, {1, 4, 9});
> plt.title "squares";
> plt.savefig "squares.png"
> torch.pyplot == plt
true

?torch.profiler
> p = torch.profiler.profile(function() torch.ones(100, 100):matmul(torch.ones(100, 100)) end)
> p:key_averages()[0].count > 0
true

?torch.serialization
> text = torch.serialization.save_bytes{1, 2}
> torch.serialization.load_bytes(text)
{1, 2}

?torch.signal
> torch.signal.windows.hann(4)
tensor([0.0000, 0.7500, 0.7500, 0.0000])

?torch.special
> torch.special.erf(torch.tensor{0., 1.})
tensor([0.0000, 0.8427])

?torch.testing
> torch.testing.assert_close(torch.tensor{1., 2.}, torch.tensor{1., 2.00000001})

?torch.text
> vocab = torch.text.vocab.build_vocab_from_iterator({{"a", "b", "a"}}, {specials = {"<unk>"}})
> vocab "a"
{}

?torch.utils
> sampler = torch.utils.data.SequentialSampler(torch.arange(3))
> for i in sampler do print(i) end
0
1
2

?torch.version
> type(torch.version.debug)
"boolean"

?torch.vision
> torch.vision.transforms.functional.hflip(torch.tensor{{{1, 2, 3}}})
tensor([[[3, 2, 1]]])

?torch.nn.attention torch.nn.attention.sdpa_kernel torch.nn.attention.SDPBackend
> attention, q = torch.nn.attention, torch.ones(1, 1, 2, 8)
> attention.sdpa_kernel(attention.SDPBackend.MATH, function()
>>   return torch.nn.functional.scaled_dot_product_attention(q, q, q).shape
>> end)
torch.Size([1, 1, 2, 8])

?torch.backends.cuda.enable_flash_sdp torch.backends.cuda.flash_sdp_enabled
> torch.backends.cuda.enable_flash_sdp(false)
> torch.backends.cuda.flash_sdp_enabled()
false
> torch.backends.cuda.enable_flash_sdp(true)

?torch.backends.cuda.enable_math_sdp torch.backends.cuda.math_sdp_enabled
> torch.backends.cuda.enable_math_sdp(false)
> torch.backends.cuda.math_sdp_enabled()
false
> torch.backends.cuda.enable_math_sdp(true)

?torch.backends.cuda.enable_mem_efficient_sdp torch.backends.cuda.mem_efficient_sdp_enabled
> torch.backends.cuda.enable_mem_efficient_sdp(true)
> torch.backends.cuda.mem_efficient_sdp_enabled()
true

?torch.backends.cuda.enable_cudnn_sdp torch.backends.cuda.cudnn_sdp_enabled
> torch.backends.cuda.enable_cudnn_sdp(true)
> torch.backends.cuda.cudnn_sdp_enabled()
true

?torch.backends.cuda.allow_fp16_bf16_reduction_math_sdp torch.backends.cuda.fp16_bf16_reduction_math_sdp_allowed
> torch.backends.cuda.allow_fp16_bf16_reduction_math_sdp(false)
> torch.backends.cuda.fp16_bf16_reduction_math_sdp_allowed()
false

?torch.backends.cuda.SDPAParams torch.backends.cuda.can_use_flash_attention torch.backends.cuda.can_use_efficient_attention torch.backends.cuda.can_use_cudnn_attention
> cuda, q = torch.backends.cuda, torch.ones(1, 1, 2, 8)
> params = cuda.SDPAParams(q, q, q, nil, 0., false, false)
> cuda.can_use_flash_attention(params), cuda.can_use_efficient_attention(params), cuda.can_use_cudnn_attention(params)
false	false	false

?torch.backends.cuda.is_flash_attention_available
> torch.backends.cuda.is_flash_attention_available() == torch.cuda.is_bf16_supported()
true

?torch.backends.cuda.preferred_linalg_library
> torch.backends.cuda.preferred_linalg_library("cusolver")
"_LinalgBackend.Cusolver"
> torch.backends.cuda.preferred_linalg_library("default")
"_LinalgBackend.Default"

?torch.backends.cuda.sdp_kernel
> torch.backends.cuda.sdp_kernel({enable_math = false}, torch.backends.cuda.math_sdp_enabled)
false
]==]
