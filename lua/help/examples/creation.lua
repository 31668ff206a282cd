-- Examples of names, in the form that lua/help/example.lua describes.
return [==[
?torch.arange
> torch.arange(5)
tensor([0, 1, 2, 3, 4])
> torch.arange(0, 1, 0.25)
tensor([0.0000, 0.2500, 0.5000, 0.7500])

?torch.as_tensor
> torch.as_tensor({1, 2})
tensor([1, 2])
> x = torch.ones(2)
> torch.as_tensor(x):data_ptr() == x:data_ptr()
true

?torch.asarray
> torch.asarray({1, 2})
tensor([1, 2])
> x = torch.ones(2)
> torch.asarray(x, {copy = true}):data_ptr() == x:data_ptr()
false

?torch.range
> warn "@off"
> torch.range(0, 1, 0.25)
tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])

?torch.deepcopy
> x = torch.ones(2)
> y = torch.deepcopy{x, x}
> y[1]:data_ptr() == y[2]:data_ptr(), y[1]:data_ptr() == x:data_ptr()
true	false

?torch.empty
> torch.empty(2, 3).shape
torch.Size([2, 3])

?torch.empty_like
> torch.empty_like(torch.zeros(2, 3)).shape
torch.Size([2, 3])

?torch.empty_permuted
> torch.empty_permuted({2, 3}, {1, 0}):stride()
{1, 2}

?torch.empty_strided
> torch.empty_strided({2, 3}, {1, 2}):stride()
{1, 2}

?torch.eye
> torch.eye(2)
tensor([[1., 0.],
        [0., 1.]])
> torch.eye(2, 3)
tensor([[1., 0., 0.],
        [0., 1., 0.]])

?torch.format
> torch.format("loss %.2f", torch.tensor{1.234})
"loss 1.23"

?torch.from_numpy
> np = torch.numpy
> a = np.array{1., 2.}
> t = torch.from_numpy(a)
> t:mul_(10)
tensor([10., 20.], dtype=torch.float64)
> a
array([10., 20.])

?torch.frombuffer
> torch.frombuffer(string.pack("<i4i4", 7, 8), {dtype = torch.int32})
tensor([7, 8], dtype=torch.int32)

?torch.from_file
> file = io.open("numbers.bin", "wb")
> file:write(string.pack("<ff", 1.5, 2.5)):close();
> torch.from_file("numbers.bin", {size = 2})
tensor([1.5000, 2.5000])

?torch.full
> torch.full({2, 2}, 7)
tensor([[7, 7],
        [7, 7]])

?torch.full_like
> torch.full_like(torch.zeros(2), 7)
tensor([7., 7.])

?torch.linspace
> torch.linspace(0, 1, 5)
tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])

?torch.logspace
> torch.logspace(0, 3, 4)
tensor([   1.,   10.,  100., 1000.])

?torch.ones
> torch.ones(2, 3)
tensor([[1., 1., 1.],
        [1., 1., 1.]])
> torch.ones(2, {dtype = torch.int64})
tensor([1, 1])

?torch.ones_like
> torch.ones_like(torch.tensor{{1, 2}, {3, 4}})
tensor([[1, 1],
        [1, 1]])

?torch.scalar_tensor
> torch.scalar_tensor(3.5)
tensor(3.5000)

?torch.tensor
> torch.tensor({{1, 2}, {3, 4}})
tensor([[1, 2],
        [3, 4]])
> torch.tensor({1, 2}, {dtype = torch.float32})
tensor([1., 2.])

?torch.zeros
> torch.zeros(2, 3)
tensor([[0., 0., 0.],
        [0., 0., 0.]])

?torch.zeros_like
> torch.zeros_like(torch.tensor{1, 2, 3})
tensor([0, 0, 0])

?torch.Size
> x = torch.zeros(2, 3).shape
> x[0], #x, x:numel()
2	2	6
> x == torch.Size{2, 3}
true

?torch.Tensor
> torch.Tensor(2, 3).shape
torch.Size([2, 3])
> torch.Tensor{1, 2}
tensor([1., 2.])

?torch.BoolTensor
> torch.BoolTensor({true, false})
tensor([ True, False])

?torch.ByteTensor
> torch.ByteTensor({1, 2})
tensor([1, 2], dtype=torch.uint8)

?torch.CharTensor
> torch.CharTensor({1, -2})
tensor([ 1, -2], dtype=torch.int8)

?torch.DoubleTensor
> torch.DoubleTensor({1, 2})
tensor([1., 2.], dtype=torch.float64)

?torch.FloatTensor
> torch.FloatTensor({1, 2})
tensor([1., 2.])

?torch.HalfTensor
> torch.HalfTensor({1, 2})
tensor([1., 2.], dtype=torch.float16)

?torch.IntTensor
> torch.IntTensor({1, 2})
tensor([1, 2], dtype=torch.int32)

?torch.LongTensor
> torch.LongTensor({1, 2})
tensor([1, 2])

?torch.ShortTensor
> torch.ShortTensor({1, 2})
tensor([1, 2], dtype=torch.int16)

?torch.finfo
> torch.finfo(torch.float32).eps
1.1920928955078125e-07
> torch.finfo(torch.float16).max
65504.0

?torch.iinfo
> torch.iinfo(torch.int8).min, torch.iinfo(torch.int8).max
-128	127

?torch.float8_e4m3fn torch.float8_e4m3fnuz
> torch.tensor({1.06, 300.0}, {dtype = torch.float8_e4m3fn})
tensor([  1., 288.], dtype=torch.float8_e4m3fn)
> torch.tensor(300.0):to(torch.float8_e4m3fnuz)
tensor(nan, dtype=torch.float8_e4m3fnuz)

?torch.float8_e5m2 torch.float8_e5m2fnuz
> torch.tensor({1.06, 300.0}, {dtype = torch.float8_e5m2})
tensor([  1., 320.], dtype=torch.float8_e5m2)
> torch.tensor(1e6):to(torch.float8_e5m2), torch.tensor(1e6):to(torch.float8_e5m2fnuz)
tensor(inf, dtype=torch.float8_e5m2)	tensor(nan, dtype=torch.float8_e5m2fnuz)

?torch.float8_e8m0fnu
> torch.tensor({1.06, 300.0}):to(torch.float8_e8m0fnu):float()
tensor([  1., 256.])

?torch.bfloat16
> torch.tensor({1.001, 2.002}, {dtype = torch.bfloat16})
tensor([1., 2.], dtype=torch.bfloat16)

?torch.bool
> torch.tensor({0, 3}, {dtype = torch.bool})
tensor([False,  True])

?torch.float16 torch.half
> torch.ones(2, {dtype = torch.float16})
tensor([1., 1.], dtype=torch.float16)
> torch.half == torch.float16
true

?torch.float32 torch.float
> torch.ones(2).dtype
torch.float32
> torch.float == torch.float32
true

?torch.float64 torch.double
> torch.ones(2, {dtype = torch.float64})
tensor([1., 1.], dtype=torch.float64)
> torch.double == torch.float64
true

?torch.int8
> torch.iinfo(torch.int8).max
127

?torch.uint8
> torch.tensor({250}, {dtype = torch.uint8}) + 10
tensor([4], dtype=torch.uint8)

?torch.int16 torch.short
> torch.zeros(2, {dtype = torch.int16})
tensor([0, 0], dtype=torch.int16)
> torch.short == torch.int16
true

?torch.int32 torch.int
> torch.zeros(2, {dtype = torch.int32})
tensor([0, 0], dtype=torch.int32)
> torch.int == torch.int32
true

?torch.int64 torch.long
> torch.tensor{1, 2}.dtype
torch.int64
> torch.long == torch.int64
true

?torch.strided
> torch.ones(2).layout == torch.strided
true

?torch.sparse_coo
> torch.ones(2).layout == torch.sparse_coo
false

?torch.contiguous_format
> torch.empty(1, 3, 2, 2, {memory_format = torch.contiguous_format}):stride()
{12, 4, 2, 1}

?torch.channels_last
> torch.zeros(1, 3, 2, 2):to{memory_format = torch.channels_last}:stride()
{12, 1, 6, 3}

?torch.channels_last_3d
> torch.zeros(1, 3, 2, 2, 2):to{memory_format = torch.channels_last_3d}:stride()
{24, 1, 12, 6, 3}

?torch.preserve_format
> torch.zeros(2, 3):t():clone{memory_format = torch.preserve_format}:stride()
{1, 3}

?torch.get_default_dtype torch.set_default_dtype
> torch.get_default_dtype()
torch.float32
> torch.set_default_dtype(torch.float64)
> torch.ones(2).dtype
torch.float64

?torch.get_default_device torch.set_default_device
> torch.get_default_device()
cpu
> torch.set_default_device("meta", function() return torch.ones(2).device end)
meta

?torch.device
> torch.device("cpu")
cpu
> torch.device("cuda:1").index
1
> torch.device("meta", function() return torch.ones(2, 3).device end)
meta

?torch.set_printoptions
> torch.set_printoptions{precision = 2}
> torch.tensor{1.23456}
tensor([1.23])

?torch.dropout
> torch.manual_seed(0);
> torch.dropout(torch.ones(5), 0.5, true)
tensor([0., 0., 2., 0., 0.])

?torch.native_dropout
> torch.manual_seed(0);
> torch.native_dropout(torch.ones(5), 0.5, true)
tensor([0., 0., 2., 0., 0.])	tensor([False, False,  True, False, False])

?torch.Tensor.new_empty
> torch.zeros(2, {dtype = torch.int32}):new_empty(3).dtype
torch.int32

?torch.Tensor.new_empty_strided
> torch.zeros(2):new_empty_strided({2, 3}, {1, 2}):stride()
{1, 2}

?torch.Tensor.new_full
> torch.tensor{1, 2}:new_full({3}, 7)
tensor([7, 7, 7])

?torch.Tensor.new_ones
> torch.tensor{1, 2}:new_ones(3)
tensor([1, 1, 1])

?torch.Tensor.new_zeros
> torch.tensor{1., 2.}:new_zeros(2, 2)
tensor([[0., 0.],
        [0., 0.]])

?torch.Tensor.new_tensor
> torch.ones(2, {dtype = torch.float64}):new_tensor{1, 2}
tensor([1., 2.], dtype=torch.float64)

?torch.Tensor.copy_
> x = torch.zeros(2, 2)
> x:copy_(torch.tensor{1, 2})
tensor([[1., 2.],
        [1., 2.]])

?torch.Tensor.clone
> x = torch.tensor{1, 2}
> x:clone():add_(10)
tensor([11, 12])
> x
tensor([1, 2])

?torch.Tensor.data_ptr
> x = torch.zeros(4)
> x["2:"]:data_ptr() - x:data_ptr()
8

?torch.Tensor.bool torch.Tensor.byte torch.Tensor.char torch.Tensor.short torch.Tensor.int torch.Tensor.long torch.Tensor.half torch.Tensor.float torch.Tensor.double torch.Tensor.bfloat16
> x = torch.tensor{0., 1.7}
> x:int()
tensor([0, 1], dtype=torch.int32)
> x:bool(), x:long(), x:half().dtype, x:float().dtype, x:double().dtype, x:bfloat16().dtype
tensor([False,  True])	tensor([0, 1])	torch.float16	torch.float32	torch.float64	torch.bfloat16
> x:byte().dtype, x:char().dtype, x:short().dtype
torch.uint8	torch.int8	torch.int16

?torch.Tensor.to
> torch.tensor{1.7, 2.2}:to(torch.int64)
tensor([1, 2])
> torch.ones(2):to("cpu", torch.float64)
tensor([1., 1.], dtype=torch.float64)

?torch.Tensor.type
> torch.ones(2):type()
"torch.FloatTensor"
> torch.ones(2):type(torch.int64)
tensor([1, 1])

?torch.Tensor.type_as
> torch.tensor{1.7, 2.2}:type_as(torch.tensor{1})
tensor([1, 2])

?torch.Tensor.cpu
> torch.ones(2):cpu().device
cpu

?torch.Tensor.cuda
> x = torch.ones(2)
> if torch.cuda.is_available() then x = x:cuda() end
> x:sum():item()
2.0

?torch.Tensor.numpy
> torch.arange(3):numpy()
array([0, 1, 2])

?torch.Tensor.item
> torch.tensor{3.5}:item()
3.5

?torch.Tensor.tolist
> torch.tensor{{1, 2}, {3, 4}}:tolist()
{{1, 2}, {3, 4}}

?torch.Tensor.unpack
> math.max(torch.tensor{3, 1, 2}:unpack())
3

?torch.Tensor.tostring_bytes
> #torch.zeros(3):tostring_bytes()
12

?torch.Tensor.element_size
> torch.zeros(3):element_size()
4

?torch.Tensor.nelement
> torch.zeros(2, 3):nelement()
6

?torch.Tensor.pin_memory torch.Tensor.is_pinned
> x = torch.zeros(3)
> x:is_pinned()
false
> if torch.cuda.is_available() then x = x:pin_memory() end

?torch.Tensor.share_memory_
> x = torch.zeros(3)
> x:share_memory_()
tensor([0., 0., 0.])

?torch.Tensor.free
> x = torch.zeros(1000)
> x:free()

?torch.Tensor.get_device
> torch.zeros(2):get_device()
-1

?torch.Tensor.record_stream
> if torch.cuda.is_available() then torch.zeros(2, {device = "cuda"}):record_stream(torch.cuda.current_stream()) end

?torch.Tensor.T
> torch.tensor{{1, 2}, {3, 4}}.T
tensor([[1, 3],
        [2, 4]])

?torch.Tensor.H torch.Tensor.mH torch.Tensor.mT
> torch.zeros(2, 3).H.shape
torch.Size([3, 2])
> torch.zeros(5, 2, 3).mT.shape, torch.zeros(5, 2, 3).mH.shape
torch.Size([5, 3, 2])	torch.Size([5, 3, 2])

?torch.Tensor.data
> w = torch.ones(2, {requires_grad = true})
> w.data:mul_(3)
tensor([3., 3.])
> w
tensor([3., 3.], requires_grad=True)

?torch.Tensor.device
> torch.zeros(2).device
cpu

?torch.Tensor.dtype
> torch.tensor{1, 2}.dtype
torch.int64

?torch.Tensor.grad
> w = torch.tensor(3., {requires_grad = true})
> (w * w):backward()
> w.grad
tensor(6.)

?torch.Tensor.backward
> w = torch.tensor(3., {requires_grad = true})
> (w * w):backward()
> w.grad
tensor(6.)

?torch.Tensor.grad_fn
> w = torch.ones(2, {requires_grad = true})
> (w * 2).grad_fn:name()
"MulBackward0"
> w.grad_fn
nil

?torch.Tensor.is_leaf
> w = torch.ones(2, {requires_grad = true})
> w.is_leaf, (w * 2).is_leaf
true	false

?torch.Tensor.requires_grad torch.Tensor.requires_grad_
> w = torch.ones(2)
> w:requires_grad_()
tensor([1., 1.], requires_grad=True)
> (w * 2).requires_grad
true

?torch.Tensor.retain_grad torch.Tensor.retains_grad
> w = torch.ones(2, {requires_grad = true})
> y = w * 2
> y:retain_grad()
> y:sum():backward()
> y.grad, y.retains_grad
tensor([1., 1.])	true

?torch.Tensor.register_hook
> w = torch.ones(2, {requires_grad = true})
> w:register_hook(function(grad) return grad * 10 end);
> w:sum():backward()
> w.grad
tensor([10., 10.])

?torch.Tensor.register_post_accumulate_grad_hook
> w = torch.ones(2, {requires_grad = true})
> w:register_post_accumulate_grad_hook(function(p) print("grad is there", p.grad) end);
> w:sum():backward()
grad is there	tensor([1., 1.])

?torch.Tensor.is_cpu torch.Tensor.is_cuda torch.Tensor.is_meta torch.Tensor.is_mps torch.Tensor.is_quantized torch.Tensor.is_sparse
> x = torch.zeros(2)
> x.is_cpu, x.is_cuda, x.is_meta, x.is_mps, x.is_quantized, x.is_sparse
true	false	false	false	false	false

?torch.Tensor.is_inference
> torch.inference_mode(function() return torch.ones(2):is_inference() end)
true

?torch.Tensor.itemsize torch.Tensor.nbytes
> x = torch.zeros(2, 3)
> x.itemsize, x.nbytes
4	24

?torch.Tensor.layout
> torch.zeros(2).layout
torch.strided

?torch.Tensor.ndim
> torch.zeros(2, 3).ndim
2

?torch.Tensor.shape
> torch.zeros(2, 3).shape
torch.Size([2, 3])
> torch.zeros(2, 3).shape[0]
2

?torch.is_inference
> torch.inference_mode(function() return torch.is_inference(torch.ones(2)) end)
true

?torch.Tensor.fill_diagonal_
> torch.zeros(2, 3):fill_diagonal_(5)
tensor([[5., 0., 0.],
        [0., 5., 0.]])

?torch.pi torch.e torch.inf torch.nan
> torch.tensor{torch.pi, torch.e, -torch.inf, torch.nan}
tensor([3.1416, 2.7183,   -inf,    nan])

?torch.from_dlpack torch.to_dlpack torch.utils.dlpack.from_dlpack torch.utils.dlpack.to_dlpack
> x = torch.zeros(3)
> capsule = torch.to_dlpack(x)
> capsule
<capsule object "dltensor">
> y = torch.from_dlpack(capsule):fill_(2)
> x
tensor([2., 2., 2.])
> torch.from_dlpack(x:__dlpack__{max_version = {1, 0}, copy = true})
tensor([2., 2., 2.])

?torch.utils.dlpack torch.utils.dlpack.DLDeviceType
> torch.utils.dlpack.DLDeviceType.kDLCUDA
2
]==]
