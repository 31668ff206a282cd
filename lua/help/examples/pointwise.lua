-- Examples of names, in the form that lua/help/example.lua describes.
return [==[
?torch.abs
> torch.abs(torch.tensor{-1, 2})
tensor([1, 2])

?torch.acos
> torch.acos(torch.tensor{1., 0.5, 0., -1.})
tensor([0.0000, 1.0472, 1.5708, 3.1416])

?torch.acosh
> torch.acosh(torch.tensor{1., 2., 10.})
tensor([0.0000, 1.3170, 2.9932])

?torch.add
> torch.add(torch.tensor{1, 2}, torch.tensor{10, 20}, {alpha = 2})
tensor([21, 42])

?torch.addcdiv
> torch.addcdiv(torch.tensor{1., 1.}, torch.tensor{3., 4.}, torch.tensor{2., 2.}, {value = 10})
tensor([16., 21.])

?torch.addcmul
> torch.addcmul(torch.tensor{1., 1.}, torch.tensor{3., 4.}, torch.tensor{2., 2.}, {value = 10})
tensor([61., 81.])

?torch.angle
> torch.angle(torch.tensor{-2., 0., 3.})
tensor([3.1416, 0.0000, 0.0000])

?torch.asin
> torch.asin(torch.tensor{-1., 0., 0.5, 1.})
tensor([-1.5708,  0.0000,  0.5236,  1.5708])

?torch.asinh
> torch.asinh(torch.tensor{-1., 0., 1.})
tensor([-0.8814,  0.0000,  0.8814])

?torch.atan
> torch.atan(torch.tensor{-1., 0., 1.})
tensor([-0.7854,  0.0000,  0.7854])

?torch.atan2
> torch.atan2(torch.tensor{1., 1., -1.}, torch.tensor{1., -1., -1.})
tensor([ 0.7854,  2.3562, -2.3562])

?torch.atanh
> torch.atanh(torch.tensor{-0.5, 0., 0.5})
tensor([-0.5493,  0.0000,  0.5493])

?torch.bitwise_and
> torch.bitwise_and(torch.tensor{12, 10}, torch.tensor{10, 3})
tensor([8, 2])

?torch.bitwise_or
> torch.bitwise_or(torch.tensor{12, 10}, torch.tensor{10, 3})
tensor([14, 11])

?torch.bitwise_xor
> torch.bitwise_xor(torch.tensor{12, 10}, torch.tensor{10, 3})
tensor([6, 9])

?torch.bitwise_not
> torch.bitwise_not(torch.tensor{0, 1, -4})
tensor([-1, -2,  3])

?torch.bitwise_left_shift
> torch.bitwise_left_shift(torch.tensor{1, 2, 3}, 4)
tensor([16, 32, 48])

?torch.bitwise_right_shift
> torch.bitwise_right_shift(torch.tensor{16, 40}, 3)
tensor([2, 5])

?torch.ceil
> torch.ceil(torch.tensor{-1.5, 0.2, 2.})
tensor([-1.,  1.,  2.])

?torch.clamp
> torch.clamp(torch.arange(5), 1, 3)
tensor([1, 1, 2, 3, 3])

?torch.clamp_max
> torch.clamp_max(torch.arange(5), 3)
tensor([0, 1, 2, 3, 3])

?torch.clamp_min
> torch.clamp_min(torch.arange(5), 3)
tensor([3, 3, 3, 3, 4])

?torch.conj
> torch.conj(torch.tensor{1., -2.})
tensor([ 1., -2.])

?torch.copysign
> torch.copysign(torch.tensor{1., 2., 3.}, torch.tensor{-1., 1., -0.})
tensor([-1.,  2., -3.])

?torch.cos
> torch.cos(torch.tensor{0., 1., 3.1415927})
tensor([ 1.0000,  0.5403, -1.0000])

?torch.cosh
> torch.cosh(torch.tensor{-1., 0., 1.})
tensor([1.5431, 1.0000, 1.5431])

?torch.deg2rad
> torch.deg2rad(torch.tensor{0., 90., 180.})
tensor([0.0000, 1.5708, 3.1416])

?torch.digamma
> torch.digamma(torch.tensor{1., 2., 0.5})
tensor([-0.5772,  0.4228, -1.9635])

?torch.true_divide
> torch.true_divide(torch.tensor{7., -7.}, 2)
tensor([ 3.5000, -3.5000])

?torch.div
> torch.div(torch.tensor{7., -7.}, 2, {rounding_mode = "floor"})
tensor([ 3., -4.])

?torch.eq
> torch.eq(torch.tensor{1, 2}, torch.tensor{1, 3})
tensor([ True, False])

?torch.erf
> torch.erf(torch.tensor{-1., 0., 1.})
tensor([-0.8427,  0.0000,  0.8427])

?torch.erfc
> torch.erfc(torch.tensor{-1., 0., 1.})
tensor([1.8427, 1.0000, 0.1573])

?torch.erfinv
> torch.erfinv(torch.tensor{-0.5, 0., 0.5})
tensor([-0.4769,  0.0000,  0.4769])

?torch.exp
> torch.exp(torch.tensor{0., 1.})
tensor([1.0000, 2.7183])

?torch.exp2
> torch.exp2(torch.tensor{0., 1., 10.})
tensor([1.0000e+00, 2.0000e+00, 1.0240e+03])

?torch.expm1
> torch.expm1(torch.tensor{0., 1e-8, 1.})
tensor([0.0000e+00, 1.0000e-08, 1.7183e+00])

?torch.fix
> torch.fix(torch.tensor{-1.7, 0.3, 1.7})
tensor([-1.,  0.,  1.])

?torch.trunc
> torch.trunc(torch.tensor{-1.7, 0.3, 1.7})
tensor([-1.,  0.,  1.])

?torch.float_power
> torch.float_power(torch.tensor({2, 3}, {dtype = torch.float64}), 2)
tensor([4., 9.], dtype=torch.float64)

?torch.floor
> torch.floor(torch.tensor{-1.5, 0.2, 2.})
tensor([-2.,  0.,  2.])

?torch.floor_divide
> torch.floor_divide(torch.tensor{7, -7}, 2)
tensor([ 3, -4])

?torch.fmax
> torch.fmax(torch.tensor{1., 0/0, 3.}, torch.tensor{2., 2., 2.})
tensor([2., 2., 3.])

?torch.fmin
> torch.fmin(torch.tensor{1., 0/0, 3.}, torch.tensor{2., 2., 2.})
tensor([1., 2., 2.])

?torch.fmod
> torch.fmod(torch.tensor{-7, 7}, 3)
tensor([-1,  1])

?torch.frac
> torch.frac(torch.tensor{-1.75, 0.5, 2.25})
tensor([-0.7500,  0.5000,  0.2500])

?torch.frexp
> torch.frexp(torch.tensor{1., 8., 10.})
tensor([0.5000, 0.5000, 0.6250])	tensor([1, 4, 4], dtype=torch.int32)

?torch.gcd
> torch.gcd(torch.tensor{12, 18}, torch.tensor{8, 27})
tensor([4, 9])

?torch.ge
> torch.ge(torch.tensor{1, 2, 3}, 2)
tensor([False,  True,  True])

?torch.gt
> torch.gt(torch.tensor{1, 2, 3}, 2)
tensor([False, False,  True])

?torch.le
> torch.le(torch.tensor{1, 2, 3}, 2)
tensor([ True,  True, False])

?torch.lt
> torch.lt(torch.tensor{1, 2, 3}, 2)
tensor([ True, False, False])

?torch.ne
> torch.ne(torch.tensor{1, 2, 3}, 2)
tensor([ True, False,  True])

?torch.heaviside
> torch.heaviside(torch.tensor{-2., 0., 3.}, torch.tensor{0.5, 0.5, 0.5})
tensor([0.0000, 0.5000, 1.0000])

?torch.hypot
> torch.hypot(torch.tensor{3., 5.}, torch.tensor{4., 12.})
tensor([ 5., 13.])

?torch.i0
> torch.i0(torch.tensor{0., 1., 2.})
tensor([1.0000, 1.2661, 2.2796])

?torch.igamma
> torch.igamma(torch.tensor{1., 2., 4.}, torch.tensor{1., 2., 3.})
tensor([0.6321, 0.5940, 0.3528])

?torch.igammac
> torch.igammac(torch.tensor{1., 2., 4.}, torch.tensor{1., 2., 3.})
tensor([0.3679, 0.4060, 0.6472])

?torch.imag
> ok, message = pcall(torch.imag, torch.ones(2))
> tostring(message):match "^[^\n]*"
"imag is not implemented for tensors with non-complex dtypes."

?torch.isclose
> torch.isclose(torch.tensor{1., 2.}, torch.tensor{1.000001, 2.1})
tensor([ True, False])

?torch.isfinite
> torch.isfinite(torch.tensor{1., 1/0, 0/0})
tensor([ True, False, False])

?torch.isinf
> torch.isinf(torch.tensor{1., 1/0, 0/0})
tensor([False,  True, False])

?torch.isnan
> torch.isnan(torch.tensor{1., 1/0, 0/0})
tensor([False, False,  True])

?torch.isneginf
> torch.isneginf(torch.tensor{1., 1/0, -1/0})
tensor([False, False,  True])

?torch.isposinf
> torch.isposinf(torch.tensor{1., 1/0, -1/0})
tensor([False,  True, False])

?torch.isreal
> torch.isreal(torch.tensor{1., 2.})
tensor([True, True])

?torch.lcm
> torch.lcm(torch.tensor{4, 6}, torch.tensor{6, 15})
tensor([12, 30])

?torch.ldexp
> torch.ldexp(torch.tensor{1., 3.}, torch.tensor{3, 2})
tensor([ 8., 12.])

?torch.lerp
> torch.lerp(torch.tensor{0., 10.}, torch.tensor{1., 20.}, 0.25)
tensor([ 0.2500, 12.5000])

?torch.lgamma
> torch.lgamma(torch.tensor{1., 2., 5.})
tensor([0.0000, 0.0000, 3.1781])

?torch.log
> torch.log(torch.tensor{1., 10.})
tensor([0.0000, 2.3026])

?torch.log10
> torch.log10(torch.tensor{1., 10., 1000.})
tensor([0., 1., 3.])

?torch.log1p
> torch.log1p(torch.tensor{0., 1e-8, 1.})
tensor([0.0000e+00, 1.0000e-08, 6.9315e-01])

?torch.log2
> torch.log2(torch.tensor{1., 2., 1024.})
tensor([ 0.,  1., 10.])

?torch.logaddexp
> torch.logaddexp(torch.tensor{0., -1000.}, torch.tensor{0., -1001.})
tensor([ 6.9315e-01, -9.9969e+02])

?torch.logaddexp2
> torch.logaddexp2(torch.tensor{0., 3.}, torch.tensor{0., 3.})
tensor([1., 4.])

?torch.logical_and
> torch.logical_and(torch.tensor{true, true, false}, torch.tensor{true, false, false})
tensor([ True, False, False])

?torch.logical_or
> torch.logical_or(torch.tensor{true, true, false}, torch.tensor{true, false, false})
tensor([ True,  True, False])

?torch.logical_xor
> torch.logical_xor(torch.tensor{true, true, false}, torch.tensor{true, false, false})
tensor([False,  True, False])

?torch.logical_not
> torch.logical_not(torch.tensor{true, false})
tensor([False,  True])

?torch.logit
> torch.logit(torch.tensor{0.1, 0.5, 0.9})
tensor([-2.1972,  0.0000,  2.1972])

?torch.maximum
> torch.maximum(torch.tensor{1, 5}, torch.tensor{3, 4})
tensor([3, 5])

?torch.minimum
> torch.minimum(torch.tensor{1, 5}, torch.tensor{3, 4})
tensor([1, 4])

?torch.mul
> torch.mul(torch.tensor{1, 2, 3}, 10)
tensor([10, 20, 30])

?torch.mvlgamma
> torch.mvlgamma(torch.tensor{2., 3.}, 2)
tensor([0.4516, 1.5502])

?torch.nan_to_num
> torch.nan_to_num(torch.tensor{1., 0/0, 2.}, {nan = 7})
tensor([1., 7., 2.])

?torch.neg
> torch.neg(torch.tensor{1, -2})
tensor([-1,  2])

?torch.nextafter
> torch.nextafter(torch.tensor{1.}, torch.tensor{2.}) - 1
tensor([1.1921e-07])

?torch.polygamma
> torch.polygamma(1, torch.tensor{1., 2.})
tensor([1.6449, 0.6449])

?torch.positive
> torch.positive(torch.tensor{1, -2})
tensor([ 1, -2])

?torch.pow
> torch.pow(torch.tensor{1, 2, 3}, 2)
tensor([1, 4, 9])

?torch.rad2deg
> torch.rad2deg(torch.tensor{0., 1., 3.1415927})
tensor([  0.0000,  57.2958, 180.0000])

?torch.real
> x = torch.tensor{1., -2.}
> torch.real(x)
tensor([ 1., -2.])

?torch.reciprocal
> torch.reciprocal(torch.tensor{2., 4.})
tensor([0.5000, 0.2500])

?torch.relu
> torch.relu(torch.tensor{-1., 2.})
tensor([0., 2.])

?torch.remainder
> torch.remainder(torch.tensor{-7, 7}, 3)
tensor([2, 1])

?torch.rsub
> torch.rsub(torch.tensor{1, 2}, 10)
tensor([9, 8])

?torch.round
> torch.round(torch.tensor{0.5, 1.5, 2.567})
tensor([0., 2., 3.])
> torch.round(torch.tensor{0.5, 1.5, 2.567}, {decimals = 2})
tensor([0.5000, 1.5000, 2.5700])

?torch.rsqrt
> torch.rsqrt(torch.tensor{4., 16.})
tensor([0.5000, 0.2500])

?torch.sgn
> torch.sgn(torch.tensor{-3., 0., 2.})
tensor([-1.,  0.,  1.])

?torch.sigmoid
> torch.sigmoid(torch.tensor{-1., 0., 1.})
tensor([0.2689, 0.5000, 0.7311])

?torch.sign
> torch.sign(torch.tensor{-3., 0., 2.})
tensor([-1.,  0.,  1.])

?torch.signbit
> torch.signbit(torch.tensor{-3., 0., -0., 2.})
tensor([ True, False,  True, False])

?torch.sin
> torch.sin(torch.tensor{0., 1., 1.5707963})
tensor([0.0000, 0.8415, 1.0000])

?torch.sinc
> torch.sinc(torch.tensor{0., 0.5, 1.5})
tensor([ 1.0000,  0.6366, -0.2122])

?torch.sinh
> torch.sinh(torch.tensor{-1., 0., 1.})
tensor([-1.1752,  0.0000,  1.1752])

?torch.sqrt
> torch.sqrt(torch.tensor{4., 9.})
tensor([2., 3.])

?torch.square
> torch.square(torch.tensor{-2., 3.})
tensor([4., 9.])

?torch.sub
> torch.sub(torch.tensor{10, 20}, torch.tensor{1, 2}, {alpha = 2})
tensor([ 8, 16])

?torch.tan
> torch.tan(torch.tensor{0., 0.5, 1.})
tensor([0.0000, 0.5463, 1.5574])

?torch.tanh
> torch.tanh(torch.tensor{0., 1.})
tensor([0.0000, 0.7616])

?torch.threshold
> torch.threshold(torch.tensor{-1., 0.5, 3.}, 1, 0)
tensor([0., 0., 3.])

?torch.xlogy
> torch.xlogy(torch.tensor{0., 2., 3.}, torch.tensor{0., 1., 2.})
tensor([0.0000, 0.0000, 2.0794])

?torch.celu
> torch.celu(torch.tensor{-1., 0., 2.})
tensor([-0.6321,  0.0000,  2.0000])

?torch.hardshrink
> torch.hardshrink(torch.tensor{-1., 0.2, 2.})
tensor([-1.,  0.,  2.])

?torch.prelu
> torch.prelu(torch.tensor{-2., 0., 3.}, torch.tensor{0.25})
tensor([-0.5000,  0.0000,  3.0000])

?torch.selu
> torch.selu(torch.tensor{-1., 0., 2.})
tensor([-1.1113,  0.0000,  2.1014])

?torch.where
> torch.where(torch.tensor{true, false}, 1, 0)
tensor([1, 0])
> torch.where(torch.tensor{0, 3, 5}:gt(1))
{tensor([1, 2])}

?torch.can_cast
> torch.can_cast(torch.float32, torch.int64)
false
> torch.can_cast(torch.int64, torch.float32)
true

?torch.promote_types
> torch.promote_types(torch.int64, torch.float16)
torch.float16

?torch.result_type
> torch.result_type(torch.tensor{1, 2}, 1.5)
torch.float32

?torch.is_complex
> torch.is_complex(torch.ones(2))
false

?torch.is_floating_point
> torch.is_floating_point(torch.ones(2))
true
> torch.is_floating_point(torch.tensor{1, 2})
false

?torch.is_nonzero
> torch.is_nonzero(torch.tensor{0.5})
true

?torch.is_tensor
> torch.is_tensor(torch.ones(2))
true
> torch.is_tensor{1, 2}
false

?torch.Tensor.true_divide_ torch.Tensor.divide_
> x = torch.tensor{7., -7.}
> x:true_divide_(2)
tensor([ 3.5000, -3.5000])
> x:divide_(7)
tensor([ 0.5000, -0.5000])

?torch.Tensor.eq_ torch.Tensor.ne_ torch.Tensor.not_equal_
> x = torch.tensor{1, 2, 3}
> x:eq_(2)
tensor([0, 1, 0])
> x:ne_(1)
tensor([1, 0, 1])
> x:not_equal_(1)
tensor([0, 1, 0])

?torch.Tensor.ge_ torch.Tensor.greater_equal_ torch.Tensor.gt_ torch.Tensor.greater_
> x = torch.tensor{1., 2., 3.}
> x:ge_(2)
tensor([0., 1., 1.])
> x:clone():gt_(0.5), x:clone():greater_(0.5), x:greater_equal_(1)
tensor([0., 1., 1.])	tensor([0., 1., 1.])	tensor([0., 1., 1.])

?torch.Tensor.le_ torch.Tensor.less_equal_ torch.Tensor.lt_ torch.Tensor.less_
> x = torch.tensor{1., 2., 3.}
> x:le_(2)
tensor([1., 1., 0.])
> x:clone():lt_(0.5), x:clone():less_(0.5), x:less_equal_(0)
tensor([0., 0., 1.])	tensor([0., 0., 1.])	tensor([0., 0., 1.])

?torch.Tensor.logical_and_ torch.Tensor.logical_or_ torch.Tensor.logical_xor_ torch.Tensor.logical_not_
> x = torch.tensor{true, true, false}
> x:logical_and_(torch.tensor{true, false, false})
tensor([ True, False, False])
> x:logical_or_(torch.tensor{false, false, true})
tensor([ True, False,  True])
> x:logical_xor_(torch.tensor{true, true, true})
tensor([False,  True, False])
> x:logical_not_()
tensor([ True, False,  True])

?torch.Tensor.float_power_
> x = torch.tensor({2., 3.}, {dtype = torch.float64})
> x:float_power_(2)
tensor([4., 9.], dtype=torch.float64)

?torch.Tensor.is_same_size
> torch.zeros(2, 3):is_same_size(torch.ones(2, 3))
true

?torch.Tensor.is_signed
> torch.tensor{1, 2}:is_signed()
true
> torch.ones(2, {dtype = torch.uint8}):is_signed()
false

?torch.Tensor.is_set_to
> x = torch.ones(3)
> x:is_set_to(x), x:is_set_to(x:clone())
true	false

?torch.special.digamma
> torch.special.digamma(torch.tensor{1., 2., 0.5})
tensor([-0.5772,  0.4228, -1.9635])

?torch.special.i1
> torch.special.i1(torch.tensor{0., 1., 2.})
tensor([0.0000, 0.5652, 1.5906])

?torch.Tensor.where
> torch.tensor{1., -2., 3.}:where(torch.tensor{true, false, true}, 0)
tensor([1., 0., 3.])

?torch.Tensor.real
> torch.tensor{1., -2.}.real
tensor([ 1., -2.])

?torch.Tensor.polygamma torch.Tensor.polygamma_
> x = torch.tensor{1., 2.}
> x:polygamma(1)
tensor([1.6449, 0.6449])
> x:polygamma_(1)
tensor([1.6449, 0.6449])
]==]
