-- Made by docs/make/examples.lua: a name, what is typed, what is shown.
return [==[
torch.BoolTensor	torch.BoolTensor(torch.tensor{0.25, 0.5, 1.})	tensor([True, True, True])
torch.ByteTensor	torch.ByteTensor(torch.tensor{0.25, 0.5, 1.})	tensor([0, 0, 1], dtype=torch.uint8)
torch.CharTensor	torch.CharTensor(torch.tensor{0.25, 0.5, 1.})	tensor([0, 0, 1], dtype=torch.int8)
torch.DoubleTensor	torch.DoubleTensor(torch.tensor{0.25, 0.5, 1.})	tensor([0.2500, 0.5000, 1.0000], dtype=torch.float64)
torch.FloatTensor	torch.FloatTensor(torch.tensor{0.25, 0.5, 1.})	tensor([0.2500, 0.5000, 1.0000])
torch.HalfTensor	torch.HalfTensor(torch.tensor{0.25, 0.5, 1.})	tensor([0.2500, 0.5000, 1.0000], dtype=torch.float16)
torch.IntTensor	torch.IntTensor(torch.tensor{0.25, 0.5, 1.})	tensor([0, 0, 1], dtype=torch.int32)
torch.LongTensor	torch.LongTensor(torch.tensor{0.25, 0.5, 1.})	tensor([0, 0, 1])
torch.ShortTensor	torch.ShortTensor(torch.tensor{0.25, 0.5, 1.})	tensor([0, 0, 1], dtype=torch.int16)
torch.Size	torch.Size({2}, 7)	torch.Size([2])
torch.Tensor	torch.Tensor(torch.tensor{0.25, 0.5, 1.})	tensor([0.2500, 0.5000, 1.0000])
torch.absolute	torch.absolute(torch.tensor{0.25, 0.5, 1.})	tensor([0.2500, 0.5000, 1.0000])
torch.acos	torch.acos(torch.tensor{0.25, 0.5, 1.})	tensor([1.3181, 1.0472, 0.0000])
torch.acosh	torch.acosh(torch.tensor{{1., 2.}, {3., 4.}})	tensor([[0.0000, 1.3170],        [1.7627, 2.0634]])
torch.adaptive_avg_pool1d	torch.adaptive_avg_pool1d(torch.tensor{{1., 2.}, {3., 4.}}, 0)	tensor([], size=(2, 0))
torch.adaptive_max_pool1d	torch.adaptive_max_pool1d(torch.tensor{{1., 2.}, {3., 4.}}, 0)	tensor([], size=(2, 0))tensor([], size=(2, 0), dtype=torch.int64)
torch.addcdiv	torch.addcdiv(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.}, torch.tensor{0.25, 0.5, 1.})	tensor([8.2500, 2.5000, 5.0000])
torch.addcmul	torch.addcmul(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.}, torch.tensor{0.25, 0.5, 1.})	tensor([0.7500, 1.0000, 5.0000])
torch.addmm	torch.addmm(torch.tensor{{1., 2.}, {3., 4.}}, torch.tensor{{4., 1.}, {1., 3.}}, torch.tensor{{1., 2.}, {3., 4.}})	tensor([[ 8., 14.],        [13., 18.]])
torch.addmv	torch.addmv(torch.tensor{{1., 2.}, {3., 4.}}[0], torch.tensor{{1., 2.}, {3., 4.}}, torch.tensor{{4., 1.}, {1., 3.}}[0])	tensor([ 7., 18.])
torch.addr	torch.addr(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.}, torch.tensor{0.25, 0.5, 1.})	tensor([[0.7500, 1.5000, 3.0000],        [0.5000, 1.0000, 2.0000],        [1.2500, 2.5000, 5.0000]])
torch.adjoint	torch.adjoint(torch.tensor{{1., 2.}, {3., 4.}})	tensor([[1., 3.],        [2., 4.]])
torch.alias_copy	torch.alias_copy(torch.tensor{0.25, 0.5, 1.})	tensor([0.2500, 0.5000, 1.0000])
torch.amax	torch.amax(torch.tensor{0.25, 0.5, 1.})	tensor(1.)
torch.amin	torch.amin(torch.tensor{0.25, 0.5, 1.})	tensor(0.2500)
torch.aminmax	torch.aminmax(torch.tensor{0.25, 0.5, 1.})	tensor(0.2500)tensor(1.)
torch.angle	torch.angle(torch.tensor{0.25, 0.5, 1.})	tensor([0., 0., 0.])
torch.arccos	torch.arccos(torch.tensor{0.25, 0.5, 1.})	tensor([1.3181, 1.0472, 0.0000])
torch.arccosh	torch.arccosh(torch.tensor{{1., 2.}, {3., 4.}})	tensor([[0.0000, 1.3170],        [1.7627, 2.0634]])
torch.arcsin	torch.arcsin(torch.tensor{0.25, 0.5, 1.})	tensor([0.2527, 0.5236, 1.5708])
torch.arcsinh	torch.arcsinh(torch.tensor{0.25, 0.5, 1.})	tensor([0.2475, 0.4812, 0.8814])
torch.arctan	torch.arctan(torch.tensor{0.25, 0.5, 1.})	tensor([0.2450, 0.4636, 0.7854])
torch.arctan2	torch.arctan2(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([0.1244, 0.4636, 0.2450])
torch.arctanh	torch.arctanh(torch.tensor{0.25, 0.5, 1.})	tensor([0.2554, 0.5493,    inf])
torch.argwhere	torch.argwhere(torch.tensor{0.25, 0.5, 1.})	tensor([[0],        [1],        [2]])
torch.as_tensor	torch.as_tensor(torch.tensor{0.25, 0.5, 1.})	tensor([0.2500, 0.5000, 1.0000])
torch.asin	torch.asin(torch.tensor{0.25, 0.5, 1.})	tensor([0.2527, 0.5236, 1.5708])
torch.asinh	torch.asinh(torch.tensor{0.25, 0.5, 1.})	tensor([0.2475, 0.4812, 0.8814])
torch.atan	torch.atan(torch.tensor{0.25, 0.5, 1.})	tensor([0.2450, 0.4636, 0.7854])
torch.atan2	torch.atan2(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([0.1244, 0.4636, 0.2450])
torch.atanh	torch.atanh(torch.tensor{0.25, 0.5, 1.})	tensor([0.2554, 0.5493,    inf])
torch.atleast_1d	torch.atleast_1d(torch.tensor{0.25, 0.5, 1.})	tensor([0.2500, 0.5000, 1.0000])
torch.atleast_2d	torch.atleast_2d(torch.tensor{0.25, 0.5, 1.})	tensor([[0.2500, 0.5000, 1.0000]])
torch.atleast_3d	torch.atleast_3d(torch.tensor{0.25, 0.5, 1.})	tensor([[[0.2500],         [0.5000],         [1.0000]]])
torch.avg_pool1d	torch.avg_pool1d(torch.arange(4.):reshape(1, 1, 4), 2)	tensor([[[0.5000, 2.5000]]])
torch.bitwise_and	torch.bitwise_and(torch.tensor{6, 3, 5}, torch.tensor{2, 1, 3})	tensor([2, 1, 1])
torch.bitwise_left_shift	torch.bitwise_left_shift(torch.tensor{6, 3, 5}, torch.tensor{2, 1, 3})	tensor([24,  6, 40])
torch.bitwise_not	torch.bitwise_not(torch.tensor{6, 3, 5})	tensor([-7, -4, -6])
torch.bitwise_or	torch.bitwise_or(torch.tensor{6, 3, 5}, torch.tensor{2, 1, 3})	tensor([6, 3, 7])
torch.bitwise_right_shift	torch.bitwise_right_shift(torch.tensor{6, 3, 5}, torch.tensor{2, 1, 3})	tensor([1, 1, 0])
torch.bitwise_xor	torch.bitwise_xor(torch.tensor{6, 3, 5}, torch.tensor{2, 1, 3})	tensor([4, 2, 6])
torch.block_diag	torch.block_diag(torch.tensor{0.25, 0.5, 1.})	tensor([[0.2500, 0.5000, 1.0000]])
torch.broadcast_to	torch.broadcast_to(torch.tensor{{1., 2.}, {3., 4.}}, {1, 2, 2})	tensor([[[1., 2.],         [3., 4.]]])
torch.bucketize	torch.bucketize(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([0, 0, 0])
torch.cartesian_prod	torch.cartesian_prod(torch.tensor{0.25, 0.5, 1.})	tensor([0.2500, 0.5000, 1.0000])
torch.cdist	torch.cdist(torch.tensor{{1., 2.}, {3., 4.}}, torch.tensor{{4., 1.}, {1., 3.}})	tensor([[3.1623, 1.0000],        [3.1623, 2.2361]])
torch.ceil	torch.ceil(torch.tensor{0.25, 0.5, 1.})	tensor([1., 1., 1.])
torch.celu	torch.celu(torch.tensor{0.25, 0.5, 1.})	tensor([0.2500, 0.5000, 1.0000])
torch.cholesky_inverse	torch.cholesky_inverse(torch.tensor{{1., 2.}, {3., 4.}})	tensor([[ 1.5625, -0.1875],        [-0.1875,  0.0625]])
torch.cholesky_solve	torch.cholesky_solve(torch.tensor{{1., 2.}, {3., 4.}}, torch.tensor{{4., 1.}, {1., 3.}})	tensor([[-0.0139,  0.0278],        [ 0.3056,  0.3889]])
torch.clamp_max	torch.clamp_max(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([0.2500, 0.5000, 1.0000])
torch.clamp_min	torch.clamp_min(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([2., 1., 4.])
torch.clip	torch.clip(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([2., 1., 4.])
torch.clone	torch.clone(torch.tensor{0.25, 0.5, 1.})	tensor([0.2500, 0.5000, 1.0000])
torch.column_stack	torch.column_stack({torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.}})	tensor([[0.2500, 2.0000],        [0.5000, 1.0000],        [1.0000, 4.0000]])
torch.combinations	torch.combinations(torch.tensor{0.25, 0.5, 1.})	tensor([[0.2500, 0.5000],        [0.2500, 1.0000],        [0.5000, 1.0000]])
torch.compile	torch.compile(torch.tensor{0.25, 0.5, 1.})	tensor([0.2500, 0.5000, 1.0000])
torch.concat	torch.concat({torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.}})	tensor([0.2500, 0.5000, 1.0000, 2.0000, 1.0000, 4.0000])
torch.concatenate	torch.concatenate({torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.}})	tensor([0.2500, 0.5000, 1.0000, 2.0000, 1.0000, 4.0000])
torch.conj	torch.conj(torch.tensor{0.25, 0.5, 1.})	tensor([0.2500, 0.5000, 1.0000])
torch.constant_pad_nd	torch.constant_pad_nd(torch.tensor{{1., 2.}, {3., 4.}}, {0, 1})	tensor([[1., 2., 0.],        [3., 4., 0.]])
torch.copysign	torch.copysign(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([0.2500, 0.5000, 1.0000])
torch.corrcoef	torch.corrcoef(torch.tensor{0.25, 0.5, 1.})	tensor(1.)
torch.cos	torch.cos(torch.tensor{0.25, 0.5, 1.})	tensor([0.9689, 0.8776, 0.5403])
torch.cosh	torch.cosh(torch.tensor{0.25, 0.5, 1.})	tensor([1.0314, 1.1276, 1.5431])
torch.cosine_similarity	torch.cosine_similarity(torch.tensor{{1., 2.}, {3., 4.}}, torch.tensor{{4., 1.}, {1., 3.}})	tensor([0.6508, 0.9487])
torch.count_nonzero	torch.count_nonzero(torch.tensor{0.25, 0.5, 1.})	tensor(3)
torch.cov	torch.cov(torch.tensor{0.25, 0.5, 1.})	tensor(0.1458)
torch.cross	torch.cross(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([ 1.0000,  1.0000, -0.7500])
torch.cummax	torch.cummax(torch.tensor{{1., 2.}, {3., 4.}}, 0)	tensor([[1., 2.],        [3., 4.]])tensor([[0, 0],        [1, 1]])
torch.cummin	torch.cummin(torch.tensor{{1., 2.}, {3., 4.}}, 0)	tensor([[1., 2.],        [1., 2.]])tensor([[0, 0],        [0, 0]])
torch.cumprod	torch.cumprod(torch.tensor{{1., 2.}, {3., 4.}}, 0)	tensor([[1., 2.],        [3., 8.]])
torch.cumulative_trapezoid	torch.cumulative_trapezoid(torch.tensor{0.25, 0.5, 1.})	tensor([0.3750, 1.1250])
torch.deepcopy	torch.deepcopy(torch.tensor{0.25, 0.5, 1.})	tensor([0.2500, 0.5000, 1.0000])
torch.deg2rad	torch.deg2rad(torch.tensor{0.25, 0.5, 1.})	tensor([0.0044, 0.0087, 0.0175])
torch.det	torch.det(torch.tensor{{1., 2.}, {3., 4.}})	tensor(-2.)
torch.detach	torch.detach(torch.tensor{0.25, 0.5, 1.})	tensor([0.2500, 0.5000, 1.0000])
torch.detach_copy	torch.detach_copy(torch.tensor{0.25, 0.5, 1.})	tensor([0.2500, 0.5000, 1.0000])
torch.diag_embed	torch.diag_embed(torch.tensor{0.25, 0.5, 1.})	tensor([[0.2500, 0.0000, 0.0000],        [0.0000, 0.5000, 0.0000],        [0.0000, 0.0000, 1.0000]])
torch.diagflat	torch.diagflat(torch.tensor{0.25, 0.5, 1.})	tensor([[0.2500, 0.0000, 0.0000],        [0.0000, 0.5000, 0.0000],        [0.0000, 0.0000, 1.0000]])
torch.diagonal	torch.diagonal(torch.tensor{{1., 2.}, {3., 4.}})	tensor([1., 4.])
torch.diagonal_copy	torch.diagonal_copy(torch.tensor{{1., 2.}, {3., 4.}})	tensor([1., 4.])
torch.diagonal_scatter	torch.diagonal_scatter(torch.tensor{{1., 2.}, {3., 4.}}, torch.tensor{0.25, 0.5, 1.}[":2"])	tensor([[0.2500, 2.0000],        [3.0000, 0.5000]])
torch.diff	torch.diff(torch.tensor{0.25, 0.5, 1.})	tensor([0.2500, 0.5000])
torch.digamma	torch.digamma(torch.tensor{0.25, 0.5, 1.})	tensor([-4.2275, -1.9635, -0.5772])
torch.dist	torch.dist(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor(3.5089)
torch.divide	torch.divide(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([0.1250, 0.5000, 0.2500])
torch.dstack	torch.dstack({torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.}})	tensor([[[0.2500, 2.0000],         [0.5000, 1.0000],         [1.0000, 4.0000]]])
torch.embedding	torch.embedding(torch.tensor{{1., 2.}, {3., 4.}}, torch.tensor{1, 0})	tensor([[3., 4.],        [1., 2.]])
torch.equal	torch.equal(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	false
torch.erf	torch.erf(torch.tensor{0.25, 0.5, 1.})	tensor([0.2763, 0.5205, 0.8427])
torch.erfc	torch.erfc(torch.tensor{0.25, 0.5, 1.})	tensor([0.7237, 0.4795, 0.1573])
torch.erfinv	torch.erfinv(torch.tensor{0.25, 0.5, 1.})	tensor([0.2253, 0.4769,    inf])
torch.exp2	torch.exp2(torch.tensor{0.25, 0.5, 1.})	tensor([1.1892, 1.4142, 2.0000])
torch.expand_copy	torch.expand_copy(torch.tensor{{1., 2.}, {3., 4.}}, {1, 2, 2})	tensor([[[1., 2.],         [3., 4.]]])
torch.expm1	torch.expm1(torch.tensor{0.25, 0.5, 1.})	tensor([0.2840, 0.6487, 1.7183])
torch.fill	torch.fill(torch.tensor{0.25, 0.5, 1.}, 2)	tensor([2., 2., 2.])
torch.fix	torch.fix(torch.tensor{0.25, 0.5, 1.})	tensor([0., 0., 1.])
torch.fliplr	torch.fliplr(torch.tensor{{1., 2.}, {3., 4.}})	tensor([[2., 1.],        [4., 3.]])
torch.flipud	torch.flipud(torch.tensor{0.25, 0.5, 1.})	tensor([1.0000, 0.5000, 0.2500])
torch.float_power	torch.float_power(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([0.0625, 0.5000, 1.0000], dtype=torch.float64)
torch.floor	torch.floor(torch.tensor{0.25, 0.5, 1.})	tensor([0., 0., 1.])
torch.floor_divide	torch.floor_divide(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([0., 0., 0.])
torch.fmax	torch.fmax(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([2., 1., 4.])
torch.fmin	torch.fmin(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([0.2500, 0.5000, 1.0000])
torch.fmod	torch.fmod(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([0.2500, 0.5000, 1.0000])
torch.frac	torch.frac(torch.tensor{0.25, 0.5, 1.})	tensor([0.2500, 0.5000, 0.0000])
torch.frexp	torch.frexp(torch.tensor{0.25, 0.5, 1.})	tensor([0.5000, 0.5000, 0.5000])tensor([-1,  0,  1], dtype=torch.int32)
torch.full_like	torch.full_like(torch.tensor{0.25, 0.5, 1.}, 2)	tensor([2., 2., 2.])
torch.gcd	torch.gcd(torch.tensor{6, 3, 5}, torch.tensor{2, 1, 3})	tensor([2, 1, 1])
torch.ge	torch.ge(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([False, False, False])
torch.geqrf	torch.geqrf(torch.tensor{{1., 2.}, {3., 4.}})	tensor([[-3.1623, -4.4272],        [ 0.7208, -0.6325]])tensor([1.3162, 0.0000])
torch.ger	torch.ger(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([[0.5000, 0.2500, 1.0000],        [1.0000, 0.5000, 2.0000],        [2.0000, 1.0000, 4.0000]])
torch.greater	torch.greater(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([False, False, False])
torch.greater_equal	torch.greater_equal(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([False, False, False])
torch.hardshrink	torch.hardshrink(torch.tensor{0.25, 0.5, 1.})	tensor([0., 0., 1.])
torch.heaviside	torch.heaviside(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([1., 1., 1.])
torch.histc	torch.histc(torch.tensor{0.25, 0.5, 1.}, 2)	tensor([2., 1.])
torch.histogram	torch.histogram(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([0., 1.])tensor([2., 1., 4.])
torch.hypot	torch.hypot(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([2.0156, 1.1180, 4.1231])
torch.i0	torch.i0(torch.tensor{0.25, 0.5, 1.})	tensor([1.0157, 1.0635, 1.2661])
torch.igamma	torch.igamma(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([0.9827, 0.8427, 0.9817])
torch.igammac	torch.igammac(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([0.0173, 0.1573, 0.0183])
torch.index_add	torch.index_add(torch.tensor{{1., 2.}, {3., 4.}}, 0, torch.tensor{1, 0}, torch.tensor{{1., 2.}, {3., 4.}})	tensor([[4., 6.],        [4., 6.]])
torch.index_copy	torch.index_copy(torch.tensor{{1., 2.}, {3., 4.}}, 0, torch.tensor{1, 0}, torch.tensor{{1., 2.}, {3., 4.}})	tensor([[3., 4.],        [1., 2.]])
torch.index_fill	torch.index_fill(torch.tensor{{1., 2.}, {3., 4.}}, 0, torch.tensor{1, 0}, 9.)	tensor([[9., 9.],        [9., 9.]])
torch.inner	torch.inner(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor(5.)
torch.inverse	torch.inverse(torch.tensor{{1., 2.}, {3., 4.}})	tensor([[-2.0000,  1.0000],        [ 1.5000, -0.5000]])
torch.isclose	torch.isclose(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([False, False, False])
torch.isfinite	torch.isfinite(torch.tensor{0.25, 0.5, 1.})	tensor([True, True, True])
torch.isin	torch.isin(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([False, False,  True])
torch.isinf	torch.isinf(torch.tensor{0.25, 0.5, 1.})	tensor([False, False, False])
torch.isnan	torch.isnan(torch.tensor{0.25, 0.5, 1.})	tensor([False, False, False])
torch.isneginf	torch.isneginf(torch.tensor{0.25, 0.5, 1.})	tensor([False, False, False])
torch.isposinf	torch.isposinf(torch.tensor{0.25, 0.5, 1.})	tensor([False, False, False])
torch.isreal	torch.isreal(torch.tensor{0.25, 0.5, 1.})	tensor([True, True, True])
torch.kron	torch.kron(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([0.5000, 0.2500, 1.0000, 1.0000, 0.5000, 2.0000, 2.0000, 1.0000, 4.0000])
torch.kthvalue	torch.kthvalue(torch.tensor{0.25, 0.5, 1.}, 2)	tensor(0.5000)tensor(1)
torch.lcm	torch.lcm(torch.tensor{6, 3, 5}, torch.tensor{2, 1, 3})	tensor([ 6,  3, 15])
torch.ldexp	torch.ldexp(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([ 1.,  1., 16.])
torch.le	torch.le(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([True, True, True])
torch.lerp	torch.lerp(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.}, 0.5)	tensor([1.1250, 0.7500, 2.5000])
torch.less	torch.less(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([True, True, True])
torch.less_equal	torch.less_equal(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([True, True, True])
torch.lgamma	torch.lgamma(torch.tensor{0.25, 0.5, 1.})	tensor([1.2880, 0.5724, 0.0000])
torch.log10	torch.log10(torch.tensor{0.25, 0.5, 1.})	tensor([-0.6021, -0.3010,  0.0000])
torch.log1p	torch.log1p(torch.tensor{0.25, 0.5, 1.})	tensor([0.2231, 0.4055, 0.6931])
torch.log2	torch.log2(torch.tensor{0.25, 0.5, 1.})	tensor([-2., -1.,  0.])
torch.log_softmax	torch.log_softmax(torch.tensor{{1., 2.}, {3., 4.}}, 0)	tensor([[-2.1269, -2.1269],        [-0.1269, -0.1269]])
torch.logaddexp	torch.logaddexp(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([2.1602, 1.4741, 4.0486])
torch.logaddexp2	torch.logaddexp2(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([2.3755, 1.7716, 4.1699])
torch.logcumsumexp	torch.logcumsumexp(torch.tensor{{1., 2.}, {3., 4.}}, 0)	tensor([[1.0000, 2.0000],        [3.1269, 4.1269]])
torch.logdet	torch.logdet(torch.tensor{{4., 1.}, {1., 3.}})	tensor(2.3979)
torch.logical_and	torch.logical_and(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([True, True, True])
torch.logical_not	torch.logical_not(torch.tensor{0.25, 0.5, 1.})	tensor([False, False, False])
torch.logical_or	torch.logical_or(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([True, True, True])
torch.logical_xor	torch.logical_xor(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([False, False, False])
torch.logit	torch.logit(torch.tensor{0.25, 0.5, 1.})	tensor([-1.0986,  0.0000,     inf])
torch.logspace	torch.logspace(0, 1, 3)	tensor([ 1.0000,  3.1623, 10.0000])
torch.logsumexp	torch.logsumexp(torch.tensor{{1., 2.}, {3., 4.}}, 0)	tensor([3.1269, 4.1269])
torch.lt	torch.lt(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([True, True, True])
torch.lu	torch.lu(torch.tensor{{1., 2.}, {3., 4.}})	tensor([[3.0000, 4.0000],        [0.3333, 0.6667]])tensor([2, 2], dtype=torch.int32)
torch.masked_fill	torch.masked_fill(torch.tensor{0.25, 0.5, 1.}, torch.tensor{true, false, true}, 9.)	tensor([9.0000, 0.5000, 9.0000])
torch.matrix_exp	torch.matrix_exp(torch.tensor{{1., 2.}, {3., 4.}})	tensor([[ 51.9690,  74.7366],        [112.1049, 164.0738]])
torch.matrix_power	torch.matrix_power(torch.tensor{{1., 2.}, {3., 4.}}, 0)	tensor([[1., 0.],        [0., 1.]])
torch.max_pool1d	torch.max_pool1d(torch.arange(4.):reshape(1, 1, 4), 2)	tensor([[[1., 3.]]])
torch.max_pool1d_with_indices	torch.max_pool1d_with_indices(torch.arange(4.):reshape(1, 1, 4), 2)	tensor([[[1., 3.]]])tensor([[[1, 3]]])
torch.max_pool2d	torch.max_pool2d(torch.arange(16.):reshape(1, 1, 4, 4), 2)	tensor([[[[ 5.,  7.],          [13., 15.]]]])
torch.max_pool3d	torch.max_pool3d(torch.arange(8.):reshape(1, 1, 2, 2, 2), 2)	tensor([[[[[7.]]]]])
torch.maximum	torch.maximum(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([2., 1., 4.])
torch.median	torch.median(torch.tensor{0.25, 0.5, 1.})	tensor(0.5000)
torch.minimum	torch.minimum(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([0.2500, 0.5000, 1.0000])
torch.mode	torch.mode(torch.tensor{0.25, 0.5, 1.})	tensor(0.2500)tensor(0)
torch.moveaxis	torch.moveaxis(torch.tensor{{1., 2.}, {3., 4.}}, 0, 1)	tensor([[1., 3.],        [2., 4.]])
torch.movedim	torch.movedim(torch.tensor{{1., 2.}, {3., 4.}}, 0, 1)	tensor([[1., 3.],        [2., 4.]])
torch.msort	torch.msort(torch.tensor{0.25, 0.5, 1.})	tensor([0.2500, 0.5000, 1.0000])
torch.multiply	torch.multiply(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([0.5000, 0.5000, 4.0000])
torch.mv	torch.mv(torch.tensor{{1., 2.}, {3., 4.}}, torch.tensor{0.25, 0.5, 1.}[":2"])	tensor([1.2500, 2.7500])
torch.mvlgamma	torch.mvlgamma(torch.tensor{0.25, 0.5, 1.}, 2)	tensor([3.4500,    inf, 1.1447])
torch.nan_to_num	torch.nan_to_num(torch.tensor{0.25, 0.5, 1.})	tensor([0.2500, 0.5000, 1.0000])
torch.nanmean	torch.nanmean(torch.tensor{0.25, 0.5, 1.})	tensor(0.5833)
torch.nanmedian	torch.nanmedian(torch.tensor{0.25, 0.5, 1.})	tensor(0.5000)
torch.nanquantile	torch.nanquantile(torch.tensor{{1., 2.}, {3., 4.}}, torch.tensor{0.25, 0.5, 1.}[":2"])	tensor([1.7500, 2.5000])
torch.nansum	torch.nansum(torch.tensor{0.25, 0.5, 1.})	tensor(1.7500)
torch.ne	torch.ne(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([True, True, True])
torch.neg	torch.neg(torch.tensor{0.25, 0.5, 1.})	tensor([-0.2500, -0.5000, -1.0000])
torch.negative	torch.negative(torch.tensor{0.25, 0.5, 1.})	tensor([-0.2500, -0.5000, -1.0000])
torch.nextafter	torch.nextafter(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([0.2500, 0.5000, 1.0000])
torch.norm	torch.norm(torch.tensor{0.25, 0.5, 1.})	tensor(1.1456)
torch.not_equal	torch.not_equal(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([True, True, True])
torch.ones_like	torch.ones_like(torch.tensor{0.25, 0.5, 1.})	tensor([1., 1., 1.])
torch.orgqr	torch.orgqr(torch.tensor{{1., 2.}, {3., 4.}}, torch.tensor{0.25, 0.5, 1.}[":2"])	tensor([[ 0.7500, -0.3750],        [-0.7500, -0.6250]])
torch.pairwise_distance	torch.pairwise_distance(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor(3.5089)
torch.pca_lowrank	torch.pca_lowrank(torch.tensor{{1., 2.}, {3., 4.}})	tensor([[ 0.7071,  0.7071],        [-0.7071,  0.7071]])tensor([2.0000e+00, 1.4426e-15])tensor([[-0.7071,  0.7071],        [-0.7071, -0.7071]])
torch.pdist	torch.pdist(torch.tensor{{1., 2.}, {3., 4.}})	tensor([2.8284])
torch.permute_copy	torch.permute_copy(torch.tensor{{1., 2.}, {3., 4.}}, {0, 1})	tensor([[1., 2.],        [3., 4.]])
torch.positive	torch.positive(torch.tensor{0.25, 0.5, 1.})	tensor([0.2500, 0.5000, 1.0000])
torch.prelu	torch.prelu(torch.tensor{{1., 2.}, {3., 4.}}, torch.tensor{0.25, 0.5, 1.}[":2"])	tensor([[1., 2.],        [3., 4.]])
torch.quantile	torch.quantile(torch.tensor{{1., 2.}, {3., 4.}}, torch.tensor{0.25, 0.5, 1.}[":2"])	tensor([1.7500, 2.5000])
torch.rad2deg	torch.rad2deg(torch.tensor{0.25, 0.5, 1.})	tensor([14.3239, 28.6479, 57.2958])
torch.ravel	torch.ravel(torch.tensor{0.25, 0.5, 1.})	tensor([0.2500, 0.5000, 1.0000])
torch.real	torch.real(torch.tensor{0.25, 0.5, 1.})	tensor([0.2500, 0.5000, 1.0000])
torch.reciprocal	torch.reciprocal(torch.tensor{0.25, 0.5, 1.})	tensor([4., 2., 1.])
torch.remainder	torch.remainder(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([0.2500, 0.5000, 1.0000])
torch.repeat_interleave	torch.repeat_interleave(torch.tensor{6, 3, 5})	tensor([0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2])
torch.resolve_conj	torch.resolve_conj(torch.tensor{0.25, 0.5, 1.})	tensor([0.2500, 0.5000, 1.0000])
torch.resolve_neg	torch.resolve_neg(torch.tensor{0.25, 0.5, 1.})	tensor([0.2500, 0.5000, 1.0000])
torch.result_type	torch.result_type(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	torch.float32
torch.rot90	torch.rot90(torch.tensor{{1., 2.}, {3., 4.}})	tensor([[2., 4.],        [1., 3.]])
torch.row_stack	torch.row_stack({torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.}})	tensor([[0.2500, 0.5000, 1.0000],        [2.0000, 1.0000, 4.0000]])
torch.rsqrt	torch.rsqrt(torch.tensor{0.25, 0.5, 1.})	tensor([2.0000, 1.4142, 1.0000])
torch.rsub	torch.rsub(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([1.7500, 0.5000, 3.0000])
torch.scalar_tensor	torch.scalar_tensor(3)	tensor(3.)
torch.searchsorted	torch.searchsorted(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([3, 2, 3])
torch.select	torch.select(torch.tensor{{1., 2.}, {3., 4.}}, 0, 1)	tensor([3., 4.])
torch.select_copy	torch.select_copy(torch.tensor{{1., 2.}, {3., 4.}}, 0, 1)	tensor([3., 4.])
torch.selu	torch.selu(torch.tensor{0.25, 0.5, 1.})	tensor([0.2627, 0.5254, 1.0507])
torch.sgn	torch.sgn(torch.tensor{0.25, 0.5, 1.})	tensor([1., 1., 1.])
torch.sign	torch.sign(torch.tensor{0.25, 0.5, 1.})	tensor([1., 1., 1.])
torch.signbit	torch.signbit(torch.tensor{0.25, 0.5, 1.})	tensor([False, False, False])
torch.sin	torch.sin(torch.tensor{0.25, 0.5, 1.})	tensor([0.2474, 0.4794, 0.8415])
torch.sinc	torch.sinc(torch.tensor{0.25, 0.5, 1.})	tensor([ 9.0032e-01,  6.3662e-01, -2.7828e-08])
torch.sinh	torch.sinh(torch.tensor{0.25, 0.5, 1.})	tensor([0.2526, 0.5211, 1.1752])
torch.slice_copy	torch.slice_copy(torch.tensor{0.25, 0.5, 1.})	tensor([0.2500, 0.5000, 1.0000])
torch.slice_scatter	torch.slice_scatter(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([2., 1., 4.])
torch.slogdet	torch.slogdet(torch.tensor{{1., 2.}, {3., 4.}})	tensor(-1.)tensor(0.6931)
torch.square	torch.square(torch.tensor{0.25, 0.5, 1.})	tensor([0.0625, 0.2500, 1.0000])
torch.squeeze_copy	torch.squeeze_copy(torch.tensor{0.25, 0.5, 1.})	tensor([0.2500, 0.5000, 1.0000])
torch.std_mean	torch.std_mean(torch.tensor{0.25, 0.5, 1.})	tensor(0.3819)tensor(0.5833)
torch.sub	torch.sub(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([-1.7500, -0.5000, -3.0000])
torch.subtract	torch.subtract(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([-1.7500, -0.5000, -3.0000])
torch.svd	torch.svd(torch.tensor{{1., 2.}, {3., 4.}})	tensor([[-0.4046, -0.9145],        [-0.9145,  0.4046]])tensor([5.4650, 0.3660])tensor([[-0.5760,  0.8174],        [-0.8174, -0.5760]])
torch.svd_lowrank	torch.svd_lowrank(torch.tensor{{1., 2.}, {3., 4.}})	tensor([[ 0.4046, -0.9145],        [ 0.9145,  0.4046]])tensor([5.4650, 0.3660])tensor([[ 0.5760,  0.8174],        [ 0.8174, -0.5760]])
torch.swapaxes	torch.swapaxes(torch.tensor{{1., 2.}, {3., 4.}}, 0, 1)	tensor([[1., 3.],        [2., 4.]])
torch.swapdims	torch.swapdims(torch.tensor{{1., 2.}, {3., 4.}}, 0, 1)	tensor([[1., 3.],        [2., 4.]])
torch.t	torch.t(torch.tensor{0.25, 0.5, 1.})	tensor([0.2500, 0.5000, 1.0000])
torch.t_copy	torch.t_copy(torch.tensor{0.25, 0.5, 1.})	tensor([0.2500, 0.5000, 1.0000])
torch.take	torch.take(torch.tensor{{1., 2.}, {3., 4.}}, torch.tensor{1, 0})	tensor([2., 1.])
torch.take_along_dim	torch.take_along_dim(torch.tensor{{1., 2.}, {3., 4.}}, torch.tensor{1, 0})	tensor([2., 1.])
torch.tan	torch.tan(torch.tensor{0.25, 0.5, 1.})	tensor([0.2553, 0.5463, 1.5574])
torch.tensordot	torch.tensordot(torch.tensor{{1., 2.}, {3., 4.}}, torch.tensor{{4., 1.}, {1., 3.}})	tensor(21.)
torch.threshold	torch.threshold(torch.tensor{{1., 2.}, {3., 4.}}, 0, 1)	tensor([[1., 2.],        [3., 4.]])
torch.tile	torch.tile(torch.tensor{{1., 2.}, {3., 4.}}, {0, 1})	tensor([], size=(0, 2))
torch.trace	torch.trace(torch.tensor{{1., 2.}, {3., 4.}})	tensor(5.)
torch.transpose_copy	torch.transpose_copy(torch.tensor{{1., 2.}, {3., 4.}}, 0, 1)	tensor([[1., 3.],        [2., 4.]])
torch.trapezoid	torch.trapezoid(torch.tensor{0.25, 0.5, 1.})	tensor(1.1250)
torch.trapz	torch.trapz(torch.tensor{0.25, 0.5, 1.})	tensor(1.1250)
torch.triangular_solve	torch.triangular_solve(torch.tensor{{1., 2.}, {3., 4.}}, torch.tensor{{4., 1.}, {1., 3.}})	tensor([[0.0000, 0.1667],        [1.0000, 1.3333]])tensor([[4., 1.],        [1., 3.]])
torch.tril_indices	torch.tril_indices(0, 3)	tensor([], size=(2, 0), dtype=torch.int64)
torch.triu	torch.triu(torch.tensor{{1., 2.}, {3., 4.}})	tensor([[1., 2.],        [0., 4.]])
torch.triu_indices	torch.triu_indices(0, 3)	tensor([], size=(2, 0), dtype=torch.int64)
torch.true_divide	torch.true_divide(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([0.1250, 0.5000, 0.2500])
torch.trunc	torch.trunc(torch.tensor{0.25, 0.5, 1.})	tensor([0., 0., 1.])
torch.unique_consecutive	torch.unique_consecutive(torch.tensor{0.25, 0.5, 1.})	tensor([0.2500, 0.5000, 1.0000])
torch.unsqueeze_copy	torch.unsqueeze_copy(torch.tensor{{1., 2.}, {3., 4.}}, 0)	tensor([[[1., 2.],         [3., 4.]]])
torch.var_mean	torch.var_mean(torch.tensor{0.25, 0.5, 1.})	tensor(0.1458)tensor(0.5833)
torch.vdot	torch.vdot(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor(5.)
torch.view_copy	torch.view_copy(torch.tensor{{1., 2.}, {3., 4.}}, {4})	tensor([1., 2., 3., 4.])
torch.xlogy	torch.xlogy(torch.tensor{0.25, 0.5, 1.}, torch.tensor{2., 1., 4.})	tensor([0.1733, 0.0000, 1.3863])
]==]
