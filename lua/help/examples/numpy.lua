-- Examples of names, in the form that lua/help/example.lua describes.
return [==[
?torch.numpy.abs torch.numpy.absolute
> np = torch.numpy
> np.abs(np.array{-1, 2}), np.absolute(np.array{-1, 2})
array([1, 2])	array([1, 2])

?torch.numpy.add torch.numpy.subtract torch.numpy.multiply torch.numpy.divide
> np = torch.numpy
> a, b = np.array{6., 8.}, np.array{2., 4.}
> np.add(a, b), np.subtract(a, b), np.multiply(a, b), np.divide(a, b)
array([ 8., 12.])	array([4., 4.])	array([12., 32.])	array([3., 2.])

?torch.numpy.all torch.numpy.any
> np = torch.numpy
> a = np.array{true, false}
> np.all(a), np.any(a)
false	true

?torch.numpy.allclose torch.numpy.array_equal torch.numpy.isclose
> np = torch.numpy
> a, b = np.array{1., 2.}, np.array{1., 2.00000001}
> np.allclose(a, b), np.array_equal(a, b), np.isclose(a, b)
true	false	array([ True,  True])

?torch.numpy.arange
> np = torch.numpy
> np.arange(5), np.arange(0, 1, 0.25)
array([0, 1, 2, 3, 4])	array([0.  , 0.25, 0.5 , 0.75])

?torch.numpy.arccos torch.numpy.arcsin torch.numpy.arctan torch.numpy.arctan2
> np = torch.numpy
> a = np.array{0., 1.}
> np.arccos(a), np.arcsin(a), np.arctan(a), np.arctan2(a, a)
array([1.57079633, 0.        ])	array([0.        , 1.57079633])	array([0.        , 0.78539816])	array([0.        , 0.78539816])

?torch.numpy.argmax torch.numpy.argmin
> np = torch.numpy
> a = np.array{{1, 5}, {7, 3}}
> np.argmax(a), np.argmin(a), np.argmax(a, {axis = 1})
2	0	array([1, 0])

?torch.numpy.argsort torch.numpy.sort
> np = torch.numpy
> np.argsort(np.array{3, 1, 2}), np.sort(np.array{3, 1, 2})
array([1, 2, 0])	array([1, 2, 3])

?torch.numpy.argwhere torch.numpy.nonzero
> np = torch.numpy
> np.argwhere(np.array{0, 3, 5})
array([[1],
       [2]])
> np.nonzero(np.array{0, 3, 5})
{array([1, 2])}

?torch.numpy.around torch.numpy.round
> np = torch.numpy
> np.round(np.array{2.567}, 2), np.around(np.array{2.567}, 1)
array([2.57])	array([2.6])

?torch.numpy.array torch.numpy.asarray
> np = torch.numpy
> np.array({1, 2, 3}) * 2
array([2, 4, 6])
> np.asarray{{1., 2.}, {3., 4.}}
array([[1., 2.],
       [3., 4.]])

?torch.numpy.atleast_1d torch.numpy.atleast_2d
> np = torch.numpy
> np.atleast_1d(np.array{1, 2}), np.atleast_2d(np.array{1, 2})
array([1, 2])	array([[1, 2]])

?torch.numpy.bincount
> np = torch.numpy
> np.bincount(np.array{0, 2, 2})
array([1, 0, 2])

?torch.numpy.bool torch.numpy.bool_ torch.numpy.float16 torch.numpy.float32 torch.numpy.float64 torch.numpy.int8 torch.numpy.int16 torch.numpy.int32 torch.numpy.int64 torch.numpy.uint8 torch.numpy.dtype
> np = torch.numpy
> np.array({0, 1, 2}, np.float32), np.array({0, 1, 2}, np.uint8), np.array({0, 1, 2}, np.bool_)
array([0., 1., 2.], dtype=float32)	array([0, 1, 2], dtype=uint8)	array([False,  True,  True])
> np.array({1}, np.float16).dtype, np.array({1}, np.int8).dtype, np.array({1}, np.int16).dtype, np.array({1}, np.int32).dtype
float16	int8	int16	int32
> np.array{1}.dtype == np.int64, np.array{1.}.dtype == np.float64, np.bool == np.bool_
true	true	true
> np.dtype "float32" == np.float32
true

?torch.numpy.ceil torch.numpy.floor
> np = torch.numpy
> a = np.array{-1.5, 0.2}
> np.ceil(a), np.floor(a)
array([-1.,  1.])	array([-2.,  0.])

?torch.numpy.clip
> np = torch.numpy
> np.clip(np.arange(5), 1, 3)
array([1, 1, 2, 3, 3])

?torch.numpy.column_stack
> np = torch.numpy
> np.column_stack{np.array{1, 2}, np.array{3, 4}}
array([[1, 3],
       [2, 4]])

?torch.numpy.concatenate
> np = torch.numpy
> np.concatenate{np.array{1, 2}, np.array{3}}
array([1, 2, 3])

?torch.numpy.copy
> np = torch.numpy
> a = np.array{1, 2}
> b = np.copy(a)
> b[0] = 9
> a, b
array([1, 2])	array([9, 2])

?torch.numpy.corrcoef torch.numpy.cov
> np = torch.numpy
> a = np.array{{1., 2., 4.}, {2., 1., 5.}}
> np.cov(a)
array([[2.33333333, 2.66666667],
       [2.66666667, 4.33333333]])
> np.round(np.corrcoef(a), 2)
array([[1.  , 0.84],
       [0.84, 1.  ]])

?torch.numpy.cos torch.numpy.cosh torch.numpy.sin torch.numpy.sinh torch.numpy.tan torch.numpy.tanh
> np = torch.numpy
> a = np.array{0., 1.}
> np.cos(a), np.sin(a), np.tan(a)
array([1.        , 0.54030231])	array([0.        , 0.84147098])	array([0.        , 1.55740772])
> np.cosh(a), np.sinh(a), np.tanh(a)
array([1.        , 1.54308063])	array([0.        , 1.17520119])	array([0.        , 0.76159416])

?torch.numpy.count_nonzero
> np = torch.numpy
> np.count_nonzero(np.array{0, 1, 2})
2

?torch.numpy.cumprod
> np = torch.numpy
> np.cumprod(np.array{1, 2, 3, 4})
array([ 1,  2,  6, 24])

?torch.numpy.cumsum
> np = torch.numpy
> np.cumsum(np.array{1, 2, 3})
array([1, 3, 6])

?torch.numpy.diag
> np = torch.numpy
> np.diag(np.array{1, 2})
array([[1, 0],
       [0, 2]])

?torch.numpy.diff
> np = torch.numpy
> np.diff(np.array{1, 4, 9})
array([3, 5])

?torch.numpy.dot torch.numpy.matmul
> np = torch.numpy
> a = np.array{{1, 2}, {3, 4}}
> np.dot(np.array{1, 2}, np.array{3, 4}), np.matmul(a, a)
11
array([[ 7, 10],
       [15, 22]])

?torch.numpy.e torch.numpy.pi torch.numpy.inf torch.numpy.nan torch.numpy.newaxis
> np = torch.numpy
> np.pi, np.e, np.inf, np.nan ~= np.nan
3.141592653589793	2.718281828459045	inf	true
> np.newaxis
"None"

?torch.numpy.einsum
> np = torch.numpy
> a = np.array{{1, 2}, {3, 4}}
> np.einsum("ij,ij->i", a, a), np.einsum("ii->", a)
array([ 5, 25])	5

?torch.numpy.empty torch.numpy.empty_like
> np = torch.numpy
> np.empty{2, 3}.shape, np.empty_like(np.zeros(4)).shape
(2, 3)	(4,)

?torch.numpy.equal torch.numpy.not_equal torch.numpy.greater torch.numpy.greater_equal torch.numpy.less torch.numpy.less_equal
> np = torch.numpy
> a, b = np.array{1, 2, 3}, np.array{2, 2, 2}
> np.equal(a, b), np.not_equal(a, b), np.greater(a, b)
array([False,  True, False])	array([ True, False,  True])	array([False, False,  True])
> np.greater_equal(a, b), np.less(a, b), np.less_equal(a, b)
array([False,  True,  True])	array([ True, False, False])	array([ True,  True, False])

?torch.numpy.exp torch.numpy.exp2 torch.numpy.expm1
> np = torch.numpy
> a = np.array{0., 1.}
> np.exp(a), np.exp2(a), np.expm1(a)
array([1.        , 2.71828183])	array([1., 2.])	array([0.        , 1.71828183])

?torch.numpy.expand_dims
> np = torch.numpy
> np.expand_dims(np.array{1, 2}, 1)
array([[1],
       [2]])

?torch.numpy.eye torch.numpy.identity
> np = torch.numpy
> np.eye(2)
array([[1., 0.],
       [0., 1.]])
> np.identity(2)
array([[1., 0.],
       [0., 1.]])

?torch.numpy.finfo torch.numpy.iinfo
> np = torch.numpy
> np.finfo(np.float32).eps, np.iinfo(np.int8).max
1.1920928955078125e-07	127

?torch.numpy.flip
> np = torch.numpy
> np.flip(np.array{1, 2, 3}, 0)
array([3, 2, 1])

?torch.numpy.frombuffer
> np = torch.numpy
> np.frombuffer("\1\2", {dtype = np.uint8})
array([1, 2], dtype=uint8)

?torch.numpy.fromfile
> np = torch.numpy
> file = io.open("two.bin", "wb")
> file:write(string.pack("<ff", 1.5, 2.5)):close();
> np.fromfile("two.bin", {dtype = np.float32})
array([1.5, 2.5], dtype=float32)

?torch.numpy.full torch.numpy.full_like
> np = torch.numpy
> np.full({2}, 7), np.full_like(np.array{1., 2.}, 7)
array([7, 7])	array([7., 7.])

?torch.numpy.genfromtxt torch.numpy.loadtxt torch.numpy.savetxt
> np = torch.numpy
> np.savetxt("table.csv", np.array{{1., 2.}, {3., 4.}}, {delimiter = ","})
> np.loadtxt("table.csv", {delimiter = ","})
array([[1., 2.],
       [3., 4.]])
> np.genfromtxt("table.csv", {delimiter = ","})
array([[1., 2.],
       [3., 4.]])

?torch.numpy.histogram
> np = torch.numpy
> counts, edges = np.histogram(np.array{1., 2., 1., 4.}, {bins = 3})
> counts, edges
array([2, 1, 1])	array([1., 2., 3., 4.])

?torch.numpy.hstack torch.numpy.vstack torch.numpy.stack
> np = torch.numpy
> a, b = np.array{1, 2}, np.array{3, 4}
> np.hstack{a, b}, np.vstack{a, b}, np.stack({a, b}, {axis = 1})
array([1, 2, 3, 4])
array([[1, 2],
       [3, 4]])
array([[1, 3],
       [2, 4]])

?torch.numpy.hypot
> np = torch.numpy
> np.hypot(np.array{3.}, np.array{4.})
array([5.])

?torch.numpy.interp
> np = torch.numpy
> np.interp(2.5, {1, 2, 3}, {3, 2, 0})
1.0

?torch.numpy.isfinite torch.numpy.isinf torch.numpy.isnan
> np = torch.numpy
> a = np.array{1., np.inf, np.nan}
> np.isfinite(a), np.isinf(a), np.isnan(a)
array([ True, False, False])	array([False,  True, False])	array([False, False,  True])

?torch.numpy.isin
> np = torch.numpy
> np.isin(np.array{1, 2, 3}, {1, 3})
array([ True, False,  True])

?torch.numpy.linspace torch.numpy.logspace
> np = torch.numpy
> np.linspace(0, 1, 3), np.logspace(0, 2, 3)
array([0. , 0.5, 1. ])	array([  1.,  10., 100.])

?torch.numpy.load torch.numpy.save
> np = torch.numpy
> np.save("a.npy", np.array{1, 2})
> np.load "a.npy"
array([1, 2])

?torch.numpy.savez torch.numpy.savez_compressed
> np = torch.numpy
> np.savez("both.npz", {x = np.array{1, 2}})
> np.savez_compressed("small.npz", {x = np.array{1, 2}})
> np.load("both.npz").x, np.load("small.npz").x
array([1, 2])	array([1, 2])

?torch.numpy.log torch.numpy.log10 torch.numpy.log1p torch.numpy.log2
> np = torch.numpy
> a = np.array{1., 10.}
> np.log(a), np.log10(a), np.log1p(a), np.log2(a)
array([0.        , 2.30258509])	array([0., 1.])	array([0.69314718, 2.39789527])	array([0.        , 3.32192809])

?torch.numpy.logical_and torch.numpy.logical_or torch.numpy.logical_xor torch.numpy.logical_not
> np = torch.numpy
> a, b = np.array{true, false}, np.array{true, true}
> np.logical_and(a, b), np.logical_or(a, b)
array([ True, False])	array([ True,  True])
> np.logical_xor(a, b), np.logical_not(a)
array([False,  True])	array([False,  True])

?torch.numpy.max torch.numpy.min
> np = torch.numpy
> a = np.array{{1, 5}, {7, 3}}
> np.max(a), np.min(a), np.max(a, {axis = 0})
7	1	array([7, 5])

?torch.numpy.maximum torch.numpy.minimum
> np = torch.numpy
> np.maximum(np.array{1, 5}, np.array{3, 4}), np.minimum(np.array{1, 5}, np.array{3, 4})
array([3, 5])	array([1, 4])

?torch.numpy.mean torch.numpy.median torch.numpy.std torch.numpy.var
> np = torch.numpy
> a = np.array{1., 2., 6.}
> np.mean(a), np.median(a), np.std(a), np.var(a)
3.0	2.0	2.160246899469287	4.666666666666667

?torch.numpy.memmap
> np = torch.numpy
> file = io.open("two.bin", "wb")
> file:write(string.pack("<ff", 1.5, 2.5)):close();
> np.memmap("two.bin", {dtype = np.float32, mode = "r"})
array([1.5, 2.5], dtype=float32)

?torch.numpy.meshgrid
> np = torch.numpy
> x, y = table.unpack(np.meshgrid(np.arange(2), np.arange(3)))
> x, y
array([[0, 1],
       [0, 1],
       [0, 1]])
array([[0, 0],
       [1, 1],
       [2, 2]])

?torch.numpy.mod
> np = torch.numpy
> np.mod(np.array{-7, 7}, 3)
array([2, 1])

?torch.numpy.moveaxis torch.numpy.swapaxes torch.numpy.transpose
> np = torch.numpy
> a = np.zeros{2, 3, 4}
> np.moveaxis(a, 0, 2).shape, np.swapaxes(a, 0, 1).shape, np.transpose(a).shape
(3, 4, 2)	(3, 2, 4)	(4, 3, 2)

?torch.numpy.negative
> np = torch.numpy
> np.negative(np.array{1, -2})
array([-1,  2])

?torch.numpy.of_tensor torch.numpy.to_tensor
> np = torch.numpy
> a = np.of_tensor(torch.arange(3))
> a, np.to_tensor(a)
array([0, 1, 2])	tensor([0, 1, 2])

?torch.numpy.ones torch.numpy.ones_like torch.numpy.zeros torch.numpy.zeros_like
> np = torch.numpy
> np.ones{2, 2}, np.zeros(3)
array([[1., 1.],
       [1., 1.]])
array([0., 0., 0.])
> np.ones_like(np.array{1, 2}), np.zeros_like(np.array{1., 2.})
array([1, 1])	array([0., 0.])

?torch.numpy.outer
> np = torch.numpy
> np.outer(np.array{1, 2}, np.array{3, 4})
array([[3, 4],
       [6, 8]])

?torch.numpy.percentile torch.numpy.quantile
> np = torch.numpy
> a = np.array{1., 2., 3., 4.}
> np.percentile(a, 50), np.quantile(a, 0.25)
2.5	1.75

?torch.numpy.polyfit torch.numpy.polyval
> np = torch.numpy
> np.round(np.polyfit({0., 1., 2.}, {1., 3., 5.}, 1), 3)
array([2., 1.])
> np.polyval({2., 1.}, np.array{0., 3.})
array([1., 7.])

?torch.numpy.power torch.numpy.square torch.numpy.sqrt torch.numpy.reciprocal
> np = torch.numpy
> a = np.array{4., 9.}
> np.power(a, 2), np.square(a), np.sqrt(a), np.reciprocal(a)
array([16., 81.])	array([16., 81.])	array([2., 3.])	array([0.25      , 0.11111111])

?torch.numpy.prod torch.numpy.sum
> np = torch.numpy
> a = np.array{{1, 2}, {3, 4}}
> np.sum(a), np.prod(a), np.sum(a, {axis = 0})
10	24	array([4, 6])

?torch.numpy.ravel torch.numpy.reshape torch.numpy.squeeze
> np = torch.numpy
> a = np.arange(4)
> np.reshape(a, {2, 2})
array([[0, 1],
       [2, 3]])
> np.ravel(np.reshape(a, {2, 2})), np.squeeze(np.zeros{1, 3}).shape
array([0, 1, 2, 3])	(3,)

?torch.numpy.repeat torch.numpy.tile
> np = torch.numpy
> np["repeat"](np.array{1, 2}, 2), np.tile(np.array{1, 2}, 2)
array([1, 1, 2, 2])	array([1, 2, 1, 2])

?torch.numpy.roll
> np = torch.numpy
> np.roll(np.arange(4), 1)
array([3, 0, 1, 2])

?torch.numpy.searchsorted
> np = torch.numpy
> np.searchsorted(np.array{1, 3, 5}, np.array{0, 3, 6})
array([0, 1, 3])

?torch.numpy.sign
> np = torch.numpy
> np.sign(np.array{-3., 0., 2.})
array([-1.,  0.,  1.])

?torch.numpy.split
> np = torch.numpy
> table.unpack(np.split(np.arange(4), 2))
array([0, 1])	array([2, 3])

?torch.numpy.trace
> np = torch.numpy
> np.trace(np.array{{1, 2}, {3, 4}})
5

?torch.numpy.tril torch.numpy.triu
> np = torch.numpy
> np.tril(np.ones{2, 2})
array([[1., 0.],
       [1., 1.]])
> np.triu(np.ones{2, 2})
array([[1., 1.],
       [0., 1.]])

?torch.numpy.unique
> np = torch.numpy
> np.unique(np.array{2, 1, 2})
array([1, 2])

?torch.numpy.where
> np = torch.numpy
> np.where(np.array{true, false}, 1, 0)
array([1, 0])

?torch.numpy.c_
> np = torch.numpy
> np.c_[{np.array{1, 2}, np.array{3, 4}}]
array([[1, 3],
       [2, 4]])

?torch.numpy.linalg torch.numpy.linalg.solve torch.numpy.linalg.inv torch.numpy.linalg.det torch.numpy.linalg.cond
> np = torch.numpy
> a = np.array{{2., 1.}, {1., 3.}}
> np.linalg.solve(a, np.array{3., 5.})
array([0.8, 1.4])
> np.linalg.inv(np.array{{2., 0.}, {0., 4.}})
array([[0.5 , 0.  ],
       [0.  , 0.25]])
> np.linalg.det(np.array{{2., 0.}, {0., 4.}}), np.linalg.cond(np.array{{2., 0.}, {0., 4.}})
8.0	2.0

?torch.numpy.linalg.slogdet torch.numpy.linalg.matrix_power torch.numpy.linalg.matrix_rank torch.numpy.linalg.norm
> np = torch.numpy
> a = np.array{{2., 0.}, {0., 4.}}
> np.linalg.slogdet(a)
1.0	2.0794415416798357
> np.linalg.matrix_power(a, 3)
array([[ 8.,  0.],
       [ 0., 64.]])
> np.linalg.matrix_rank(a), np.linalg.norm(np.array{3., 4.})
2	5.0

?torch.numpy.linalg.cholesky torch.numpy.linalg.qr torch.numpy.linalg.pinv
> np = torch.numpy
> np.linalg.cholesky(np.array{{4., 2.}, {2., 5.}})
array([[2., 0.],
       [1., 2.]])
> q, r = np.linalg.qr(np.array{{0., 1.}, {2., 0.}})
> np.abs(r)
array([[2., 0.],
       [0., 1.]])
> np.linalg.pinv(np.array{{2., 0.}, {0., 0.}})
array([[0.5, 0. ],
       [0. , 0. ]])

?torch.numpy.linalg.eigh torch.numpy.linalg.eigvalsh torch.numpy.linalg.svd torch.numpy.linalg.svdvals
> np = torch.numpy
> values, vectors = np.linalg.eigh(np.array{{2., 0.}, {0., 1.}})
> values, np.linalg.eigvalsh(np.array{{2., 0.}, {0., 1.}})
array([1., 2.])	array([1., 2.])
> u, s, vt = np.linalg.svd(np.array{{3., 0.}, {0., 4.}})
> s, np.linalg.svdvals(np.array{{3., 0.}, {0., 4.}})
array([4., 3.])	array([4., 3.])

?torch.numpy.linalg.lstsq
> np = torch.numpy
> x, residuals, rank = np.linalg.lstsq(np.array{{1., 0.}, {1., 1.}, {1., 2.}}, np.array{1., 3., 5.})
> x, rank
array([1., 2.])	2

?torch.numpy.random torch.numpy.random.seed torch.numpy.random.normal torch.numpy.random.standard_normal torch.numpy.random.uniform
> np = torch.numpy
> np.random.seed(0)
> np.random.normal(0, 1, {2}), np.random.standard_normal(2)
array([1.76405235, 0.40015721])	array([0.97873798, 2.2408932 ])
> np.random.uniform(0, 10, {2})
array([4.23654799, 6.45894113])

?torch.numpy.random.rand torch.numpy.random.randn torch.numpy.random.randint torch.numpy.random.random torch.numpy.random.random_sample
> np = torch.numpy
> np.random.seed(0)
> np.random.rand(2), np.random.randn(2)
array([0.5488135 , 0.71518937])	array([0.97873798, 2.2408932 ])
> np.random.randint(0, 10, {4})
array([9, 3, 5, 2])
> np.random.random(2), np.random.random_sample(2)
array([0.43758721, 0.891773  ])	array([0.96366276, 0.38344152])

?torch.numpy.random.choice
> np = torch.numpy
> np.random.seed(3)
> np.random.choice({1, 2, 3}, 4)
array([3, 1, 2, 1])

?torch.numpy.random.permutation torch.numpy.random.shuffle
> np = torch.numpy
> np.random.seed(0)
> np.random.permutation(5)
array([2, 0, 1, 3, 4])
> list = {1, 2, 3}
> np.random.shuffle(list)
> list
{1, 3, 2}
]==]
