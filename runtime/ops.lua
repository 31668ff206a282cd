-- ops.lua: the one list of operators. Plain data; generate.lua turns it into C.
--
--   op "name" or "name.overload" {
--     "(Tensor self, float beta=1, *, dtype? dtype) -> Tensor",   -- PyTorch's notation
--     forms = {"torch", "method", "nn.functional"},               -- default: torch and method
--     row = "softplus",            -- a row of ops/elementwise.def does the work; without it the C
--                                  -- function tocha_op_NAME (field `implementation`) in ops/
--     grad = {self = "rule"},      -- made of operators; or backward = "c_function" with
--                                  -- differentiable = {...}, saves = {...}
--     inplace = true,              -- also NAME_ ; "torch": torch.NAME_ too
--     out = true,                  -- also takes out=
--     cuda = true,                 -- has a kernel on CUDA (rows, views and composites need no mark);
--                                  -- without it CUDA tensors go by way of the host
--     view = true, composite = true, any_device = true,
--     autocast = "lower",          -- its class (PyTorch's lists): lower, float32, float32_dtype (unless dtype=
--                                  -- is given), widest, refuse; {cpu = "...", cuda = "..."} where they differ
--     overloaded = true,           -- PyTorch has several signatures ("one": and shows one) in errors
--     node = "MaxBackward1",       -- what grad_fn prints; default NameBackward0
--     sample = {...},              -- shapes of tensor arguments and values of the others
--     doc = "One sentence, a formula.",
--   }
--
-- Kinds of argument: Tensor, Operand (a tensor or a number), Scalar, int, dim, index, float, bool,
-- string, dtype, device, Generator, Tensor[], int..., dim..., size... (lists; with ... also spelled
-- out in a call); `?` after a kind: may be nil; after `*`: by keyword only.
-- Samples: {3, 4} a float tensor of that shape; {3, int = 5} integers below 5; {3, positive = true};
-- {2, 2, bool = true}; a number, string or boolean stands for itself; named entries are keywords.

-- --- pointwise: arithmetic -----------------------------------------------------------------------

op "add" {
  "(Tensor self, Operand other, *, Scalar alpha=1) -> Tensor",
  overloaded = "one",
  row = "add", inplace = true, out = true,
  grad = {self = "grad", other = "grad * alpha"},
  samples = {{{3, 4}, {3, 4}}, {{3, 4}, {4}, alpha = 2}, {{2, 1}, 1.5}},
  doc = "self + alpha * other, with broadcasting.",
}
op "sub" {
  "(Tensor self, Operand other, *, Scalar alpha=1) -> Tensor",
  overloaded = "one",
  row = "sub", inplace = true, out = true, aliases = {"subtract"},
  grad = {self = "grad", other = "grad * (-alpha)"},
  samples = {{{3, 4}, {3, 4}}, {{3, 4}, {3, 1}, alpha = 2}},
  doc = "self - alpha * other.",
}
op "rsub.scalar" {
  "(Tensor self, Scalar other, *, Scalar alpha=1) -> Tensor",
  overloaded = true,
  forms = {"torch"}, node = "RsubBackward1",
  grad = {self = "grad * (-alpha)"},
  cuda = true,
  sample = {{3, 4}, 2.0},
  doc = "other - alpha * self.",
}
op "rsub" {
  "(Tensor self, Operand other, *, Scalar alpha=1) -> Tensor",
  overloaded = true,
  forms = {"torch"},
  grad = {self = "grad * (-alpha)", other = "grad"},
  cuda = true,
  sample = {{3, 4}, {3, 4}},
  doc = "other - alpha * self.",
}
op "mul" {
  "(Tensor self, Operand other) -> Tensor",
  row = "mul", inplace = true, out = true, aliases = {"multiply"},
  grad = {self = "grad * other", other = "grad * self"},
  samples = {{{3, 4}, {3, 4}}, {{3, 4}, {4}}, {{3}, 2.5}},
  doc = "self * other, with broadcasting.",
}
op "div" {
  "(Tensor self, Operand other) -> Tensor",
  overloaded = true,
  row = "true_divide", inplace = true, out = true, aliases = {"divide"},
  grad = {self = "grad / other", other = "-grad * ((self / other) / other)"},
  samples = {{{3, 4}, {3, 4, positive = true}}, {{3}, 2.0}},
  doc = "self / other; integers divide to floating point.",
}
op "true_divide" {
  "(Tensor self, Operand other) -> Tensor",
  overloaded = true,
  row = "true_divide", inplace = true, out = true, node = "DivBackward0",
  grad = {self = "grad / other", other = "-grad * ((self / other) / other)"},
  sample = {{3, 4}, {3, 4, positive = true}},
  doc = "self / other; integers divide to floating point.",
}
op "_div_number" {
  "(Tensor self, Scalar other) -> Tensor",
  forms = {}, row = "true_divide", node = "DivBackward1",
  grad = {self = "grad / other"},
  sample = {{3, 4}, 2},
  doc = "self / other as operators made of operators divide by a number.",
}
op "div.mode" {
  "(Tensor self, Operand other, *, string? rounding_mode) -> Tensor",
  overloaded = true,
  inplace = true, out = true, node = "DivBackward2", aliases = {"divide"}, backward = "tocha_grad_div_mode", differentiable = {"self", "other"}, saves = {"self", "other"},
  cuda = true,
  sample = {{3, 4}, {3, 4, positive = true}, rounding_mode = "floor"},
  doc = "self / other, the quotient rounded ('floor' or 'trunc').",
}
op "floor_divide" {
  "(Tensor self, Operand other) -> Tensor",
  overloaded = true,
  row = "floor_divide", inplace = true, out = true, node = "NotImplemented", nogradcheck = true,
  backward = "tocha_grad_not_implemented", differentiable = {"self", "other"},
  sample = {{3, 4}, {3, 4, positive = true}},
  doc = "The largest integer not above self / other.",
}
op "floor_divide.number" {
  "(Scalar self, Tensor other) -> Tensor",
  overloaded = true,
  forms = {"torch"}, row = "floor_divide",
  sample = {7.5, {3, 4, positive = true}},
  doc = "The largest integer not above self / other.",
}
op "remainder.scalar" {
  "(Tensor self, Scalar other) -> Tensor",
  overloaded = true,
  row = "remainder", inplace = true, out = true, node = "RemainderBackward0",
  grad = {self = "grad"},
  sample = {{3, 4}, 1.5},
  doc = "self modulo other, with other's sign.",
}
op "remainder" {
  "(Tensor self, Tensor other) -> Tensor",
  overloaded = true,
  row = "remainder", inplace = true, out = true, node = "RemainderBackward1",
  grad = {self = "grad", other = "-grad * div_mode(self, other, rounding_mode='floor')"},
  sample = {{3, 4}, {3, 4, positive = true}},
  doc = "self modulo other, with other's sign.",
}
op "remainder.number" {
  "(Scalar self, Tensor other) -> Tensor",
  overloaded = true,
  forms = {"torch"}, row = "remainder",
  sample = {7.5, {3, 4, positive = true}},
  doc = "self modulo other, with other's sign.",
}
op "fmod.scalar" {
  "(Tensor self, Scalar other) -> Tensor",
  overloaded = true,
  row = "fmod", inplace = true, out = true, node = "FmodBackward0",
  grad = {self = "grad"},
  sample = {{3, 4}, 1.5},
  doc = "self modulo other, with self's sign.",
}
op "fmod" {
  "(Tensor self, Tensor other) -> Tensor",
  overloaded = true,
  row = "fmod", inplace = true, out = true, node = "FmodBackward1",
  grad = {self = "grad", other = "-grad * div_mode(self, other, rounding_mode='trunc')"},
  sample = {{3, 4}, {3, 4, positive = true}},
  doc = "self modulo other, with self's sign.",
}
op "pow.scalar" {
  "(Tensor self, Scalar exponent) -> Tensor",
  autocast = {cuda = "float32"},
  overloaded = true,
  row = "pow", inplace = true, out = true, node = "PowBackward0", backward = "tocha_grad_pow_scalar", differentiable = {"self"}, saves = {"self"},
  sample = {{3, 4, positive = true}, 2.5},
  doc = "self to the power of a number.",
}
op "pow" {
  "(Tensor self, Tensor exponent) -> Tensor",
  autocast = {cuda = "float32"},
  overloaded = true,
  row = "pow", inplace = true, out = true, node = "PowBackward1", backward = "tocha_grad_pow", differentiable = {"self", "exponent"}, saves = {"self", "exponent", "result"},
  sample = {{3, 4, positive = true}, {3, 4}},
  doc = "self to the power of exponent.",
}
op "pow.number" {
  "(Scalar self, Tensor exponent) -> Tensor",
  autocast = {cuda = "float32"},
  overloaded = true,
  forms = {"torch"}, row = "pow", out = true, node = "PowBackward2", backward = "tocha_grad_pow_number", differentiable = {"exponent"}, saves = {"exponent", "result"},
  sample = {2.5, {3, 4}},
  doc = "A number to the power of exponent.",
}
op "float_power" {
  "(Tensor self, Operand exponent) -> Tensor",
  overloaded = true,
  composite = true,
  sample = {{3, 4, positive = true}, 2},
  doc = "self to the power of exponent in float64.",
}
op "neg" {
  "(Tensor self) -> Tensor",
  row = "neg", inplace = "torch", out = true, aliases = {"negative"},
  grad = {self = "-grad"},
  sample = {{3, 4}},
  doc = "-self.",
}
op "positive" {
  "(Tensor self) -> Tensor",
  composite = true,
  sample = {{3, 4}},
  doc = "self.",
}
op "square" {
  "(Tensor self) -> Tensor",
  autocast = {cuda = "float32"},
  inplace = "torch", node = "PowBackward0",
  grad = {self = "grad * (self * 2)"},
  cuda = true,
  sample = {{3, 4}},
  doc = "self * self.",
}
op "sqrt" {
  "(Tensor self) -> Tensor",
  row = "sqrt", inplace = "torch", out = true,
  grad = {self = "grad / (result * 2)"},
  sample = {{3, 4, positive = true}},
  doc = "The square root.",
}
op "rsqrt" {
  "(Tensor self) -> Tensor",
  autocast = {cuda = "float32"},
  row = "rsqrt", inplace = "torch", out = true,
  grad = {self = "grad * (-0.5) * (result * result * result)"},
  sample = {{3, 4, positive = true}},
  doc = "1 / sqrt(self).",
}
op "reciprocal" {
  "(Tensor self) -> Tensor",
  autocast = {cuda = "float32"},
  row = "reciprocal", inplace = "torch", out = true,
  grad = {self = "-grad * (result * result)"},
  sample = {{3, 4, positive = true}},
  doc = "1 / self.",
}
op "addcmul" {
  "(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
  autocast = {cuda = "widest"},
  overloaded = "one",
  row = "addcmul", inplace = true, out = true,
  grad = {self = "grad", tensor1 = "grad * (tensor2 * value)", tensor2 = "grad * (tensor1 * value)"},
  sample = {{3, 4}, {3, 4}, {4}, value = 0.5},
  doc = "self + value * tensor1 * tensor2.",
}
op "addcdiv" {
  "(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
  autocast = {cuda = "widest"},
  overloaded = "one",
  row = "addcdiv", inplace = true, out = true,
  grad = {self = "grad", tensor1 = "grad * (reciprocal(tensor2) * value)", tensor2 = "-grad * (tensor1 * value / (tensor2 * tensor2))"},
  sample = {{3, 4}, {3, 4}, {4, positive = true}, value = 0.5},
  doc = "self + value * tensor1 / tensor2.",
}
op "lerp.scalar" {
  "(Tensor self, Tensor end, Scalar weight) -> Tensor",
  overloaded = true,
  row = "lerp_number", inplace = true, out = true, node = "LerpBackward0",
  grad = {self = "grad * (1 - weight)", ["end"] = "grad * weight"},
  sample = {{3, 4}, {3, 4}, 0.25},
  doc = "self + weight * (end - self).",
}
op "lerp" {
  "(Tensor self, Tensor end, Tensor weight) -> Tensor",
  overloaded = true,
  row = "lerp", inplace = true, out = true, node = "LerpBackward1",
  grad = {self = "grad * (1 - weight)", ["end"] = "grad * weight", weight = "grad * (end - self)"},
  sample = {{3, 4}, {3, 4}, {3, 4}},
  doc = "self + weight * (end - self).",
}

-- --- pointwise: rounding, signs, bounds ----------------------------------------------------------

op "floor" {
  "(Tensor self) -> Tensor",
  row = "floor", inplace = "torch", out = true,
  grad = {self = "zeros_like(grad)"},
  sample = {{3, 4}},
  doc = "The largest integer not above self.",
}
op "ceil" {
  "(Tensor self) -> Tensor",
  row = "ceil", inplace = "torch", out = true,
  grad = {self = "zeros_like(grad)"},
  sample = {{3, 4}},
  doc = "The smallest integer not below self.",
}
op "trunc" {
  "(Tensor self) -> Tensor",
  row = "trunc", inplace = "torch", out = true, aliases = {"fix"},
  grad = {self = "zeros_like(grad)"},
  sample = {{3, 4}},
  doc = "The integer part of self.",
}
op "round" {
  "(Tensor self) -> Tensor",
  overloaded = true,
  row = "round", inplace = "torch", out = true,
  grad = {self = "zeros_like(grad)"},
  sample = {{3, 4}},
  doc = "The nearest integer, halves to even.",
}
op "round.decimals" {
  "(Tensor self, *, int decimals=0) -> Tensor",
  overloaded = true,
  inplace = true, out = true, node = "RoundBackward1", nogradcheck = true,
  grad = {self = "zeros_like(grad)"},
  cuda = true,
  sample = {{3, 4}, decimals = 2},
  doc = "self rounded to so many decimals (negative: to tens).",
}
op "frac" {
  "(Tensor self) -> Tensor",
  row = "frac", inplace = "torch", out = true,
  grad = {self = "grad"},
  sample = {{3, 4}},
  doc = "self - trunc(self).",
}
op "abs" {
  "(Tensor self) -> Tensor",
  row = "abs", inplace = "torch", out = true, aliases = {"absolute"},
  grad = {self = "grad * sgn(self)"},
  sample = {{3, 4}},
  doc = "The magnitude of self.",
}
op "sign" {
  "(Tensor self) -> Tensor",
  row = "sign", inplace = true, out = true,
  grad = {self = "zeros_like(grad)"},
  sample = {{3, 4}},
  doc = "-1, 0 or 1.",
}
op "sgn" {
  "(Tensor self) -> Tensor",
  row = "sign", inplace = true, out = true,
  grad = {self = "zeros_like(grad)"},
  sample = {{3, 4}},
  doc = "-1, 0 or 1.",
}
op "signbit" {
  "(Tensor self) -> Tensor",
  row = "signbit", out = true,
  sample = {{3, 4}},
  doc = "Whether the sign bit is set.",
}
op "copysign.scalar" {
  "(Tensor self, Scalar other) -> Tensor",
  overloaded = true,
  row = "copysign", inplace = true, out = true, node = "CopysignBackward1",
  grad = {self = "grad * (sgn(self) * sgn(result))"},
  sample = {{3, 4}, -1.0},
  doc = "The magnitude of self with the sign of other.",
}
op "copysign" {
  "(Tensor self, Tensor other) -> Tensor",
  overloaded = true,
  row = "copysign", inplace = true, out = true,
  grad = {self = "grad * (sgn(self) * sgn(result))", other = "zeros_like(grad)"},
  sample = {{3, 4}, {3, 4}},
  doc = "The magnitude of self with the sign of other.",
}
op "clamp" {
  "(Tensor self, Scalar? min, Scalar? max) -> Tensor",
  overloaded = true,
  inplace = "torch", out = true, node = "ClampBackward1", aliases = {"clip"}, backward = "tocha_grad_clamp", differentiable = {"self"}, saves = {"self"},
  cuda = true,
  sample = {{3, 4}, -0.5, 0.5},
  doc = "self, no less than min and no more than max.",
}
op "clamp.tensor" {
  "(Tensor self, Tensor? min, Tensor? max) -> Tensor",
  overloaded = true,
  inplace = "torch", out = true, node = "ClampBackward0", aliases = {"clip"}, backward = "tocha_grad_clamp_tensor", differentiable = {"self", "min", "max"}, saves = {"self", "min", "max"},
  cuda = true,
  sample = {{3, 4}, {4}, {4}},
  doc = "self, no less than min and no more than max.",
}
op "clamp_min" {
  "(Tensor self, Scalar min) -> Tensor",
  overloaded = true,
  inplace = "torch", out = true,
  grad = {self = "grad * gt(self, min)"},
  cuda = true,
  sample = {{3, 4}, 0.1},
  doc = "self, no less than min.",
}
op "clamp_min.tensor" {
  "(Tensor self, Tensor min) -> Tensor",
  overloaded = true,
  row = "maximum", inplace = "torch", out = true, node = "ClampMinBackward1",
  grad = {self = "maximum_backward(grad, self, min)", min = "maximum_backward(grad, min, self)"},
  sample = {{3, 4}, {4}},
  doc = "self, no less than min.",
}
op "clamp_max" {
  "(Tensor self, Scalar max) -> Tensor",
  overloaded = true,
  inplace = "torch", out = true,
  grad = {self = "grad * lt(self, max)"},
  cuda = true,
  sample = {{3, 4}, 0.1},
  doc = "self, no more than max.",
}
op "clamp_max.tensor" {
  "(Tensor self, Tensor max) -> Tensor",
  overloaded = true,
  row = "minimum", inplace = "torch", out = true, node = "ClampMaxBackward1",
  grad = {self = "maximum_backward(grad, max, self)", max = "maximum_backward(grad, self, max)"},
  sample = {{3, 4}, {4}},
  doc = "self, no more than max.",
}
op "maximum" {
  "(Tensor self, Tensor other) -> Tensor",
  row = "maximum", out = true,
  grad = {self = "maximum_backward(grad, self, other)", other = "maximum_backward(grad, other, self)"},
  sample = {{3, 4}, {3, 4}},
  doc = "The larger of two; nan where either is nan.",
}
op "minimum" {
  "(Tensor self, Tensor other) -> Tensor",
  row = "minimum", out = true,
  grad = {self = "maximum_backward(grad, other, self)", other = "maximum_backward(grad, self, other)"},
  sample = {{3, 4}, {3, 4}},
  doc = "The smaller of two; nan where either is nan.",
}
op "fmax" {
  "(Tensor self, Tensor other) -> Tensor",
  row = "fmax", out = true,
  grad = {self = "zero_where(maximum_backward(grad, self, other), isnan(self))", other = "zero_where(maximum_backward(grad, other, self), isnan(other))"},
  sample = {{3, 4}, {3, 4}},
  doc = "The larger of two; a nan is passed over.",
}
op "fmin" {
  "(Tensor self, Tensor other) -> Tensor",
  row = "fmin", out = true,
  grad = {self = "zero_where(maximum_backward(grad, other, self), isnan(self))", other = "zero_where(maximum_backward(grad, self, other), isnan(other))"},
  sample = {{3, 4}, {3, 4}},
  doc = "The smaller of two; a nan is passed over.",
}
op "nan_to_num" {
  "(Tensor self, float? nan, float? posinf, float? neginf) -> Tensor",
  inplace = "torch", out = true,
  grad = {self = "grad * isfinite(self)"},
  cuda = true,
  sample = {{3, 4}},
  doc = "nan and the infinities replaced (by 0 and the largest numbers).",
}
op "heaviside" {
  "(Tensor self, Tensor values) -> Tensor",
  row = "heaviside", inplace = true, out = true,
  sample = {{3, 4}, {3, 4}},
  doc = "0 below zero, values at zero, 1 above.",
}
op "deg2rad" {
  "(Tensor self) -> Tensor",
  inplace = "torch", out = true, node = "Deg2RadBackward0",
  grad = {self = "grad * 0.017453292519943295"},
  cuda = true,
  sample = {{3, 4}},
  doc = "self * pi / 180.",
}
op "rad2deg" {
  "(Tensor self) -> Tensor",
  inplace = "torch", out = true, node = "Rad2DegBackward0",
  grad = {self = "grad * 57.29577951308232"},
  cuda = true,
  sample = {{3, 4}},
  doc = "self * 180 / pi.",
}

-- --- pointwise: functions ------------------------------------------------------------------------

op "exp" {
  "(Tensor self) -> Tensor",
  autocast = {cuda = "float32"},
  row = "exp", inplace = "torch", out = true,
  grad = {self = "grad * result"},
  sample = {{3, 4}},
  doc = "e to the power of self.",
}
op "exp2" {
  "(Tensor self) -> Tensor",
  row = "exp2", inplace = "torch", out = true,
  grad = {self = "grad * result * 0.6931471805599453"},
  sample = {{3, 4}},
  doc = "2 to the power of self.",
}
op "expm1" {
  "(Tensor self) -> Tensor",
  autocast = {cuda = "float32"},
  row = "expm1", inplace = "torch", out = true,
  grad = {self = "grad * (result + 1)"},
  sample = {{3, 4}},
  doc = "exp(self) - 1, exact near 0.",
}
op "log" {
  "(Tensor self) -> Tensor",
  autocast = {cuda = "float32"},
  row = "log", inplace = "torch", out = true,
  grad = {self = "grad / self"},
  sample = {{3, 4, positive = true}},
  doc = "The natural logarithm.",
}
op "log2" {
  "(Tensor self) -> Tensor",
  autocast = {cuda = "float32"},
  row = "log2", inplace = "torch", out = true,
  grad = {self = "grad / (self * 0.6931471805599453)"},
  sample = {{3, 4, positive = true}},
  doc = "The logarithm to base 2.",
}
op "log10" {
  "(Tensor self) -> Tensor",
  autocast = {cuda = "float32"},
  row = "log10", inplace = "torch", out = true,
  grad = {self = "grad / (self * 2.302585092994046)"},
  sample = {{3, 4, positive = true}},
  doc = "The logarithm to base 10.",
}
op "log1p" {
  "(Tensor self) -> Tensor",
  autocast = {cuda = "float32"},
  row = "log1p", inplace = "torch", out = true, node = "Log1PBackward0",
  grad = {self = "grad / (self + 1)"},
  sample = {{3, 4, positive = true}},
  doc = "log(1 + self), exact near 0.",
}
op "sin" {
  "(Tensor self) -> Tensor",
  row = "sin", inplace = "torch", out = true,
  grad = {self = "grad * cos(self)"},
  sample = {{3, 4}},
  doc = "The sine.",
}
op "cos" {
  "(Tensor self) -> Tensor",
  row = "cos", inplace = "torch", out = true,
  grad = {self = "grad * (-sin(self))"},
  sample = {{3, 4}},
  doc = "The cosine.",
}
op "tan" {
  "(Tensor self) -> Tensor",
  autocast = {cuda = "float32"},
  row = "tan", inplace = "torch", out = true,
  grad = {self = "grad * (result * result + 1)"},
  sample = {{3, 4, unit = true}},
  doc = "The tangent.",
}
op "asin" {
  "(Tensor self) -> Tensor",
  autocast = {cuda = "float32"},
  row = "asin", inplace = "torch", out = true, aliases = {"arcsin"},
  grad = {self = "grad * rsqrt(1 - self * self)"},
  sample = {{3, 4, unit = true}},
  doc = "The inverse sine.",
}
op "acos" {
  "(Tensor self) -> Tensor",
  autocast = {cuda = "float32"},
  row = "acos", inplace = "torch", out = true, aliases = {"arccos"},
  grad = {self = "grad * (-rsqrt(1 - self * self))"},
  sample = {{3, 4, unit = true}},
  doc = "The inverse cosine.",
}
op "atan" {
  "(Tensor self) -> Tensor",
  row = "atan", inplace = "torch", out = true, aliases = {"arctan"},
  grad = {self = "grad / (self * self + 1)"},
  sample = {{3, 4}},
  doc = "The inverse tangent.",
}
op "sinh" {
  "(Tensor self) -> Tensor",
  autocast = {cuda = "float32"},
  row = "sinh", inplace = "torch", out = true,
  grad = {self = "grad * cosh(self)"},
  sample = {{3, 4}},
  doc = "The hyperbolic sine.",
}
op "cosh" {
  "(Tensor self) -> Tensor",
  autocast = {cuda = "float32"},
  row = "cosh", inplace = "torch", out = true,
  grad = {self = "grad * sinh(self)"},
  sample = {{3, 4}},
  doc = "The hyperbolic cosine.",
}
op "tanh" {
  "(Tensor self) -> Tensor",
  forms = {"torch", "method", "nn.functional"}, row = "tanh", inplace = "torch", out = true,
  grad = {self = "tanh_backward(grad, result)"},
  sample = {{3, 4}},
  doc = "The hyperbolic tangent.",
}
op "asinh" {
  "(Tensor self) -> Tensor",
  row = "asinh", inplace = "torch", out = true, aliases = {"arcsinh"},
  grad = {self = "grad * rsqrt(self * self + 1)"},
  sample = {{3, 4}},
  doc = "The inverse hyperbolic sine.",
}
op "acosh" {
  "(Tensor self) -> Tensor",
  row = "acosh", inplace = "torch", out = true, aliases = {"arccosh"},
  grad = {self = "grad * rsqrt(self * self - 1)"},
  sample = {{3, 4, positive = true, offset = 1}},
  doc = "The inverse hyperbolic cosine.",
}
op "atanh" {
  "(Tensor self) -> Tensor",
  row = "atanh", inplace = "torch", out = true, aliases = {"arctanh"},
  grad = {self = "grad / (1 - self * self)"},
  sample = {{3, 4, unit = true}},
  doc = "The inverse hyperbolic tangent.",
}
op "erf" {
  "(Tensor self) -> Tensor",
  row = "erf", inplace = "torch", out = true,
  grad = {self = "grad * exp(-(self * self)) * 1.1283791670955126"},
  sample = {{3, 4}},
  doc = "The error function.",
}
op "erfc" {
  "(Tensor self) -> Tensor",
  row = "erfc", inplace = "torch", out = true,
  grad = {self = "grad * exp(-(self * self)) * (-1.1283791670955126)"},
  sample = {{3, 4}},
  doc = "1 - erf(self).",
}
op "erfinv" {
  "(Tensor self) -> Tensor",
  autocast = {cuda = "float32"},
  row = "erfinv", inplace = "torch", out = true,
  grad = {self = "grad * exp(result * result) * 0.886226925452758"},
  sample = {{3, 4, unit = true}},
  doc = "The inverse of erf.",
}
op "lgamma" {
  "(Tensor self) -> Tensor",
  row = "lgamma", inplace = true, out = true,
  grad = {self = "grad * digamma(self)"},
  sample = {{3, 4, positive = true}},
  doc = "The logarithm of the gamma function's magnitude.",
}
op "digamma" {
  "(Tensor self) -> Tensor",
  row = "digamma", inplace = true, out = true,
  grad = {self = "grad * polygamma(1, self)"},
  sample = {{3, 4, positive = true}},
  doc = "The derivative of lgamma.",
}
op "polygamma" {
  "(int n, Tensor self) -> Tensor",
  forms = {"torch"}, out = true,
  grad = {self = "grad * polygamma(n + 1, self)"},
  cuda = true,
  samples = {{1, {3, 4, positive = true}}, {3, {3, 4, positive = true}}},
  tolerance = 2e-6,   -- PyTorch's series for n = 1 is shorter: its float64 is right to ten digits
  doc = "The n-th derivative of digamma.",
}
op "polygamma.method" {
  "(Tensor self, int n) -> Tensor",
  forms = {"method"}, composite = true,
  sample = {{3, 4, positive = true}, 2},
  doc = "The n-th derivative of digamma.",
}
op "sigmoid" {
  "(Tensor self) -> Tensor",
  forms = {"torch", "method", "nn.functional"}, row = "sigmoid", inplace = "torch", out = true,
  grad = {self = "sigmoid_backward(grad, result)"},
  sample = {{3, 4}},
  doc = "1 / (1 + exp(-self)).",
}
op "logit" {
  "(Tensor self, float? eps) -> Tensor",
  inplace = "torch", out = true, backward = "tocha_grad_logit", differentiable = {"self"}, saves = {"self"},
  cuda = true,
  sample = {{3, 4, unit = true}},
  doc = "log(self / (1 - self)), self clamped to [eps, 1 - eps].",
}
op "sinc" {
  "(Tensor self) -> Tensor",
  row = "sinc", inplace = "torch", out = true,
  grad = {self = "sinc_backward(grad, self)"},
  sample = {{3, 4}},
  doc = "sin(pi self) / (pi self); 1 at 0.",
}
op "atan2" {
  "(Tensor self, Tensor other) -> Tensor",
  autocast = {cuda = "widest"},
  row = "atan2", inplace = true, out = true, aliases = {"arctan2"},
  grad = {self = "grad * (other / (self * self + other * other))", other = "grad * (-self / (self * self + other * other))"},
  sample = {{3, 4}, {3, 4}},
  doc = "The angle of the point (other, self).",
}
op "hypot" {
  "(Tensor self, Tensor other) -> Tensor",
  row = "hypot", inplace = true, out = true,
  grad = {self = "grad * (self / result)", other = "grad * (other / result)"},
  sample = {{3, 4}, {3, 4}},
  doc = "sqrt(self^2 + other^2).",
}
op "logaddexp" {
  "(Tensor self, Tensor other) -> Tensor",
  row = "logaddexp", out = true,
  grad = {self = "grad / (exp(other - self) + 1)", other = "grad / (exp(self - other) + 1)"},
  sample = {{3, 4}, {3, 4}},
  doc = "log(exp(self) + exp(other)).",
}
op "xlogy.scalar" {
  "(Tensor self, Scalar other) -> Tensor",
  overloaded = true,
  row = "xlogy", inplace = true, out = true, node = "XlogyBackward2",
  grad = {self = "xlogy_scalar(grad, other)"},
  sample = {{3, 4}, 2.0},
  doc = "self * log(other); 0 where self is 0.",
}
op "xlogy" {
  "(Tensor self, Tensor other) -> Tensor",
  overloaded = true,
  row = "xlogy", inplace = true, out = true,
  grad = {self = "zero_where(grad * log(other), logical_and(eq(self, 0), le(other, 0)))", other = "grad * self / other"},
  sample = {{3, 4}, {3, 4, positive = true}},
  doc = "self * log(other); 0 where self is 0.",
}
op "xlogy.number" {
  "(Scalar self, Tensor other) -> Tensor",
  overloaded = true,
  forms = {"torch"}, row = "xlogy", out = true, node = "XlogyBackward1",
  grad = {other = "grad * (reciprocal(other) * self)"},
  sample = {2.0, {3, 4, positive = true}},
  doc = "self * log(other); 0 where self is 0.",
}

-- --- pointwise: comparisons, logic, bits ---------------------------------------------------------

op "eq" {
  "(Tensor self, Operand other) -> Tensor",
  overloaded = true,
  row = "eq", inplace = true, out = true,
  sample = {{3, int = 3}, {3, int = 3}},
  doc = "Where self == other.",
}
op "ne" {
  "(Tensor self, Operand other) -> Tensor",
  overloaded = true,
  row = "ne", inplace = true, out = true, aliases = {"not_equal"},
  sample = {{3, int = 3}, {3, int = 3}},
  doc = "Where self ~= other.",
}
op "lt" {
  "(Tensor self, Operand other) -> Tensor",
  overloaded = true,
  row = "lt", inplace = true, out = true, aliases = {"less"},
  sample = {{3, int = 3}, {3, int = 3}},
  doc = "Where self < other.",
}
op "le" {
  "(Tensor self, Operand other) -> Tensor",
  overloaded = true,
  row = "le", inplace = true, out = true, aliases = {"less_equal"},
  sample = {{3, int = 3}, {3, int = 3}},
  doc = "Where self <= other.",
}
op "gt" {
  "(Tensor self, Operand other) -> Tensor",
  overloaded = true,
  row = "gt", inplace = true, out = true, aliases = {"greater"},
  sample = {{3, int = 3}, {3, int = 3}},
  doc = "Where self > other.",
}
op "ge" {
  "(Tensor self, Operand other) -> Tensor",
  overloaded = true,
  row = "ge", inplace = true, out = true, aliases = {"greater_equal"},
  sample = {{3, int = 3}, {3, int = 3}},
  doc = "Where self >= other.",
}
op "logical_and" {
  "(Tensor self, Tensor other) -> Tensor",
  row = "logical_and", inplace = true, out = true,
  sample = {{3, bool = true}, {3, bool = true}},
  doc = "And of the truth of two.",
}
op "logical_or" {
  "(Tensor self, Tensor other) -> Tensor",
  row = "logical_or", inplace = true, out = true,
  sample = {{3, bool = true}, {3, bool = true}},
  doc = "Or of the truth of two.",
}
op "logical_xor" {
  "(Tensor self, Tensor other) -> Tensor",
  row = "logical_xor", inplace = true, out = true,
  sample = {{3, bool = true}, {3, bool = true}},
  doc = "Xor of the truth of two.",
}
op "logical_not" {
  "(Tensor self) -> Tensor",
  row = "logical_not", inplace = true, out = true,
  sample = {{3, bool = true}},
  doc = "Where self is zero.",
}
op "bitwise_and" {
  "(Tensor self, Operand other) -> Tensor",
  overloaded = true,
  row = "bitwise_and", inplace = true, out = true,
  sample = {{3, int = 8}, {3, int = 8}},
  doc = "The bits of self and other.",
}
op "bitwise_or" {
  "(Tensor self, Operand other) -> Tensor",
  overloaded = true,
  row = "bitwise_or", inplace = true, out = true,
  sample = {{3, int = 8}, {3, int = 8}},
  doc = "The bits of self or other.",
}
op "bitwise_xor" {
  "(Tensor self, Operand other) -> Tensor",
  overloaded = true,
  row = "bitwise_xor", inplace = true, out = true,
  sample = {{3, int = 8}, {3, int = 8}},
  doc = "The bits of self xor other.",
}
op "bitwise_not" {
  "(Tensor self) -> Tensor",
  row = "bitwise_not", inplace = true, out = true,
  sample = {{3, int = 8}},
  doc = "The bits of self, inverted.",
}
op "bitwise_left_shift" {
  "(Tensor self, Operand other) -> Tensor",
  overloaded = true,
  row = "lshift", inplace = true, out = true,
  sample = {{3, int = 8}, {3, int = 3}},
  doc = "self * 2^other.",
}
op "bitwise_right_shift" {
  "(Tensor self, Operand other) -> Tensor",
  overloaded = true,
  row = "rshift", inplace = true, out = true,
  sample = {{3, int = 8}, {3, int = 3}},
  doc = "self / 2^other, rounded down.",
}
op "isnan" {
  "(Tensor self) -> Tensor",
  row = "isnan",
  sample = {{3, 4}},
  doc = "Where self is not a number.",
}
op "isinf" {
  "(Tensor self) -> Tensor",
  row = "isinf",
  sample = {{3, 4}},
  doc = "Where self is infinite.",
}
op "isfinite" {
  "(Tensor self) -> Tensor",
  row = "isfinite",
  sample = {{3, 4}},
  doc = "Where self is neither infinite nor nan.",
}
op "isclose" {
  "(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=false) -> Tensor",
  cuda = true,
  sample = {{3, 4}, {3, 4}},
  doc = "Where |self - other| <= atol + rtol * |other|.",
}
op "allclose" {
  "(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=false) -> bool",
  cuda = true,
  sample = {{3, 4}, {3, 4}},
  doc = "Whether |self - other| <= atol + rtol * |other| everywhere.",
}

-- --- pointwise: activations ----------------------------------------------------------------------

op "relu" {
  "(Tensor self) -> Tensor",
  forms = {"torch", "method"}, row = "relu", inplace = "torch, nn.functional",
  grad = {self = "threshold_backward(grad, result, 0)"},
  sample = {{3, 4}},
  doc = "max(self, 0).",
}
op "relu.functional" {
  "(Tensor input, bool inplace=false) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  sample = {{3, 4}},
  doc = "max(input, 0).",
}
op "leaky_relu" {
  "(Tensor self, float negative_slope=0.01) -> Tensor",
  forms = {}, row = "leaky_relu", inplace = "torch, nn.functional",
  grad = {self = "leaky_relu_backward(grad, self, negative_slope)"},
  sample = {{3, 4}},
  doc = "self where positive, else negative_slope * self.",
}
op "leaky_relu.functional" {
  "(Tensor input, float negative_slope=0.01, bool inplace=false) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  sample = {{3, 4}},
  doc = "self where positive, else negative_slope * self.",
}
op "elu" {
  "(Tensor self, float alpha=1.0, float scale=1.0, float input_scale=1.0) -> Tensor",
  forms = {}, row = "elu", inplace = "torch, nn.functional",
  grad = {self = "elu_backward(grad, self, alpha, scale, input_scale)"},
  sample = {{3, 4}},
  doc = "self where positive, else alpha * (exp(self) - 1).",
}
op "elu.functional" {
  "(Tensor input, float alpha=1.0, bool inplace=false) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  sample = {{3, 4}},
  doc = "self where positive, else alpha * (exp(self) - 1).",
}
op "selu" {
  "(Tensor self) -> Tensor",
  forms = {"torch"}, composite = true,
  sample = {{3, 4}},
  doc = "Scaled elu that keeps mean 0 and variance 1.",
}
op "selu_" {
  "(Tensor self) -> Tensor",
  forms = {"torch", "nn.functional"}, composite = true, writes_self = true,
  sample = {{3, 4}},
  doc = "In-place form of selu.",
}
op "selu.functional" {
  "(Tensor input, bool inplace=false) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  sample = {{3, 4}},
  doc = "Scaled elu that keeps mean 0 and variance 1.",
}
op "celu" {
  "(Tensor self, float alpha=1.0) -> Tensor",
  forms = {"torch"}, inplace = "torch, nn.functional",
  grad = {self = "elu_backward(grad, self, alpha, 1.0, 1.0 / alpha)"},
  cuda = true,
  sample = {{3, 4}},
  doc = "max(0, self) + min(0, alpha * (exp(self / alpha) - 1)).",
}
op "celu.functional" {
  "(Tensor input, float alpha=1.0, bool inplace=false) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  sample = {{3, 4}},
  doc = "max(0, self) + min(0, alpha * (exp(self / alpha) - 1)).",
}
op "hardtanh" {
  "(Tensor self, float min_val=-1.0, float max_val=1.0) -> Tensor",
  forms = {}, row = "hardtanh", inplace = "torch, nn.functional",
  grad = {self = "hardtanh_backward(grad, self, min_val, max_val)"},
  sample = {{3, 4}},
  doc = "self clamped to [min_val, max_val].",
}
op "hardtanh.functional" {
  "(Tensor input, float min_val=-1.0, float max_val=1.0, bool inplace=false) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  sample = {{3, 4}},
  doc = "self clamped to [min_val, max_val].",
}
op "relu6" {
  "(Tensor input, bool inplace=false) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  sample = {{3, 4}},
  doc = "input clamped to [0, 6].",
}
op "hardsigmoid" {
  "(Tensor self) -> Tensor",
  forms = {}, row = "hardsigmoid", inplace = "torch, nn.functional",
  grad = {self = "hardsigmoid_backward(grad, self)"},
  sample = {{3, 4}},
  doc = "clamp(self + 3, 0, 6) / 6.",
}
op "hardsigmoid.functional" {
  "(Tensor input, bool inplace=false) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  sample = {{3, 4}},
  doc = "clamp(self + 3, 0, 6) / 6.",
}
op "hardswish" {
  "(Tensor self) -> Tensor",
  forms = {}, row = "hardswish", inplace = "torch, nn.functional",
  grad = {self = "hardswish_backward(grad, self)"},
  sample = {{3, 4}},
  doc = "self * clamp(self + 3, 0, 6) / 6.",
}
op "hardswish.functional" {
  "(Tensor input, bool inplace=false) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  sample = {{3, 4}},
  doc = "self * clamp(self + 3, 0, 6) / 6.",
}
op "silu" {
  "(Tensor self) -> Tensor",
  forms = {}, row = "silu", inplace = "torch, nn.functional",
  grad = {self = "silu_backward(grad, self)"},
  sample = {{3, 4}},
  doc = "self * sigmoid(self).",
}
op "silu.functional" {
  "(Tensor input, bool inplace=false) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  sample = {{3, 4}},
  doc = "self * sigmoid(self).",
}
op "mish" {
  "(Tensor self) -> Tensor",
  forms = {}, row = "mish", inplace = "torch, nn.functional",
  grad = {self = "mish_backward(grad, self)"},
  sample = {{3, 4}},
  doc = "self * tanh(softplus(self)).",
}
op "mish.functional" {
  "(Tensor input, bool inplace=false) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  sample = {{3, 4}},
  doc = "self * tanh(softplus(self)).",
}
op "threshold" {
  "(Tensor self, Scalar threshold, Scalar value) -> Tensor",
  forms = {"torch"}, row = "threshold", inplace = "torch, nn.functional",
  grad = {self = "threshold_backward(grad, self, threshold)"},
  sample = {{3, 4}, 0.1, 0.5},
  doc = "self where above threshold, else value.",
}
op "threshold.functional" {
  "(Tensor input, Scalar threshold, Scalar value, bool inplace=false) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  sample = {{3, 4}, 0.1, 0.5},
  doc = "self where above threshold, else value.",
}
op "gelu" {
  "(Tensor self, *, string approximate='none') -> Tensor",
  forms = {"nn.functional"},
  grad = {self = "gelu_backward(grad, self, approximate=approximate)"},
  cuda = true,
  sample = {{3, 4}, approximate = "tanh"},
  doc = "self * P(x <= self) of the normal distribution, or its approximation by tanh.",
}
op "softplus" {
  "(Tensor self, float beta=1, float threshold=20) -> Tensor",
  autocast = {cuda = "float32"},
  forms = {"nn.functional"}, row = "softplus",
  grad = {self = "softplus_backward(grad, self, beta, threshold)"},
  sample = {{3, 4}, 2.0},
  doc = "log(1 + exp(beta * self)) / beta; self where beta * self > threshold.",
}
op "logsigmoid" {
  "(Tensor self) -> Tensor",
  forms = {"nn.functional"}, row = "log_sigmoid", node = "LogSigmoidBackward0",
  grad = {self = "log_sigmoid_backward(grad, self)"},
  sample = {{3, 4}},
  doc = "log(sigmoid(self)).",
}
op "softsign" {
  "(Tensor input) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  sample = {{3, 4}},
  doc = "input / (1 + |input|).",
}
op "tanhshrink" {
  "(Tensor input) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  sample = {{3, 4}},
  doc = "input - tanh(input).",
}
op "hardshrink" {
  "(Tensor self, float lambd=0.5) -> Tensor",
  forms = {"torch", "method", "nn.functional"}, row = "hardshrink",
  grad = {self = "shrink_backward(grad, self, lambd)"},
  sample = {{3, 4}},
  doc = "self where |self| > lambd, else 0.",
}
op "softshrink" {
  "(Tensor self, float lambd=0.5) -> Tensor",
  forms = {"nn.functional"}, row = "softshrink",
  grad = {self = "shrink_backward(grad, self, lambd)"},
  sample = {{3, 4}},
  doc = "self moved by lambd towards 0.",
}
op "glu" {
  "(Tensor self, dim dim=-1) -> Tensor",
  forms = {"nn.functional"},
  grad = {self = "glu_backward(grad, self, dim)"},
  cuda = true,
  sample = {{3, 4}},
  doc = "The first half times the sigmoid of the second.",
}
op "prelu" {
  "(Tensor self, Tensor weight) -> Tensor",
  autocast = "lower",
  forms = {"torch", "method", "nn.functional"}, composite = true,
  sample = {{3, 4}, {4}},
  doc = "self where positive, else weight * self, a weight each channel.",
}
op "prelu_kernel" {
  "(Tensor self, Tensor weight) -> Tensor",
  forms = {}, row = "prelu",
  grad = {self = "prelu_backward(grad, self, weight)", weight = "zero_where(grad * self, gt(self, 0))"},
  sample = {{3, 4}, {1}},
  doc = "self where positive, else weight * self.",
}

-- --- pointwise: gradients ------------------------------------------------------------------------

op "tanh_backward" {
  "(Tensor grad_output, Tensor output) -> Tensor",
  forms = {}, row = "tanh_backward",
  grad = {grad_output = "tanh_backward(grad, output)", output = "grad * (output * (-2) * grad_output)"},
  sample = {{3, 4}, {3, 4}},
  doc = "The gradient of tanh.",
}
op "sigmoid_backward" {
  "(Tensor grad_output, Tensor output) -> Tensor",
  forms = {}, row = "sigmoid_backward",
  grad = {grad_output = "sigmoid_backward(grad, output)", output = "grad * grad_output * (1 - output * 2)"},
  sample = {{3, 4}, {3, 4}},
  doc = "The gradient of sigmoid.",
}
op "threshold_backward" {
  "(Tensor grad_output, Tensor self, Scalar threshold) -> Tensor",
  forms = {}, row = "threshold_backward",
  grad = {grad_output = "threshold_backward(grad, self, threshold)", self = "zeros_like(grad)"},
  sample = {{3, 4}, {3, 4}, 0},
  doc = "The gradient of threshold and relu.",
}
op "leaky_relu_backward" {
  "(Tensor grad_output, Tensor self, float negative_slope) -> Tensor",
  forms = {}, row = "leaky_relu_backward",
  grad = {grad_output = "leaky_relu_backward(grad, self, negative_slope)", self = "zeros_like(grad)"},
  sample = {{3, 4}, {3, 4}, 0.1},
  doc = "The gradient of leaky_relu.",
}
op "elu_backward" {
  "(Tensor grad_output, Tensor self, float alpha, float scale, float input_scale) -> Tensor",
  forms = {}, row = "elu_backward",
  grad = {grad_output = "elu_backward(grad, self, alpha, scale, input_scale)", self = "elu_backward(grad * grad_output, self, alpha, scale, input_scale) * le(self, 0) * input_scale"},
  sample = {{3, 4}, {3, 4}, 1.0, 1.0, 1.0},
  doc = "The gradient of elu.",
}
op "gelu_backward" {
  "(Tensor grad_output, Tensor self, *, string approximate='none') -> Tensor",
  forms = {}, backward = "tocha_grad_gelu_backward", differentiable = {"grad_output", "self"}, saves = {"grad_output", "self"},
  cuda = true,
  sample = {{3, 4}, {3, 4}},
  doc = "The gradient of gelu.",
}
op "silu_backward" {
  "(Tensor grad_output, Tensor self) -> Tensor",
  forms = {}, row = "silu_backward",
  grad = {grad_output = "silu_backward(grad, self)", self = "grad * grad_output * sigmoid_backward(2 + self * (1 - sigmoid(self) * 2), sigmoid(self))"},
  sample = {{3, 4}, {3, 4}},
  doc = "The gradient of silu.",
}
op "mish_backward" {
  "(Tensor grad_output, Tensor self) -> Tensor",
  forms = {}, row = "mish_backward",
  grad = {grad_output = "mish_backward(grad, self)",
    self = "grad * grad_output * (sigmoid(self) * (1 - square(tanh(softplus(self)))) * " ..
      "(self * (1 - sigmoid(self) - sigmoid(self) * tanh(softplus(self)) * 2) + 2))"},
  sample = {{3, 4}, {3, 4}},
  doc = "The gradient of mish.",
}
op "softplus_backward" {
  "(Tensor grad_output, Tensor self, float beta, float threshold) -> Tensor",
  forms = {}, row = "softplus_backward",
  grad = {grad_output = "softplus_backward(grad, self, beta, threshold)", self = "sigmoid_backward(grad * grad_output, sigmoid(self * beta)) * le(self * beta, threshold) * beta"},
  sample = {{3, 4}, {3, 4}, 1.0, 20.0},
  doc = "The gradient of softplus.",
}
op "log_sigmoid_backward" {
  "(Tensor grad_output, Tensor self) -> Tensor",
  forms = {}, row = "log_sigmoid_backward",
  grad = {grad_output = "log_sigmoid_backward(grad, self)", self = "-sigmoid_backward(grad * grad_output, sigmoid(self))"},
  sample = {{3, 4}, {3, 4}},
  doc = "The gradient of logsigmoid.",
}
op "hardtanh_backward" {
  "(Tensor grad_output, Tensor self, float min_val, float max_val) -> Tensor",
  forms = {}, row = "hardtanh_backward",
  grad = {grad_output = "hardtanh_backward(grad, self, min_val, max_val)", self = "zeros_like(grad)"},
  sample = {{3, 4}, {3, 4}, -1.0, 1.0},
  doc = "The gradient of hardtanh.",
}
op "hardsigmoid_backward" {
  "(Tensor grad_output, Tensor self) -> Tensor",
  forms = {}, row = "hardsigmoid_backward",
  grad = {grad_output = "hardsigmoid_backward(grad, self)", self = "zeros_like(grad)"},
  sample = {{3, 4}, {3, 4}},
  doc = "The gradient of hardsigmoid.",
}
op "shrink_backward" {
  "(Tensor grad_output, Tensor self, float lambd) -> Tensor",
  forms = {}, row = "shrink_backward",
  grad = {grad_output = "shrink_backward(grad, self, lambd)", self = "zeros_like(grad)"},
  sample = {{3, 4}, {3, 4}, 0.5},
  doc = "The gradient of shrink.",
}
op "clamp_backward" {
  "(Tensor grad_output, Tensor self, float min, float max) -> Tensor",
  forms = {}, row = "clamp_backward",
  grad = {grad_output = "clamp_backward(grad, self, min, max)", self = "zeros_like(grad)"},
  sample = {{3, 4}, {3, 4}, -0.5, 0.5},
  doc = "The gradient of clamp.",
}
op "hardswish_backward" {
  "(Tensor grad_output, Tensor self) -> Tensor",
  forms = {}, row = "hardswish_backward",
  grad = {grad_output = "hardswish_backward(grad, self)", self = "hardtanh_backward(grad * grad_output, self, -3.0, 3.0) / 3"},
  sample = {{3, 4}, {3, 4}},
  doc = "The gradient of hardswish.",
}
op "sinc_backward" {
  "(Tensor grad_output, Tensor self) -> Tensor",
  forms = {}, row = "sinc_backward",
  grad = {grad_output = "sinc_backward(grad, self)",
    self = "grad * grad_output * where(eq(self, 0), -3.289868133696453, " ..
      "sinc(self) * (-9.869604401089358) - sinc_backward(ones_like(self), self) * 2 / self)"},
  sample = {{3, 4}, {3, 4}},
  doc = "The gradient of sinc.",
}
op "maximum_backward" {
  "(Tensor grad_output, Tensor self, Tensor other) -> Tensor",
  forms = {}, row = "maximum_backward",
  grad = {grad_output = "maximum_backward(grad, self, other)", self = "zeros_like(grad)", other = "zeros_like(grad)"},
  sample = {{3, 4}, {3, 4}, {3, 4}},
  doc = "grad_output where self > other, half of it where they are equal.",
}
op "prelu_backward" {
  "(Tensor grad_output, Tensor self, Tensor weight) -> Tensor",
  forms = {}, row = "prelu_backward",
  grad = {grad_output = "prelu_backward(grad, self, weight)", self = "zeros_like(grad)", weight = "zero_where(grad * grad_output, gt(self, 0))"},
  sample = {{3, 4}, {3, 4}, {1}},
  doc = "The gradient of prelu towards self.",
}
op "glu_backward" {
  "(Tensor grad_output, Tensor self, dim dim) -> Tensor",
  forms = {}, composite = true,
  sample = {{3, 2}, {3, 4}, 1},
  doc = "The gradient of glu.",
}
op "zero_where" {
  "(Tensor grad_output, Tensor mask) -> Tensor",
  forms = {}, row = "zero_where", node = "WhereBackward0",
  grad = {grad_output = "zero_where(grad, mask)"},
  sample = {{3, 4}, {3, 4, bool = true}},
  doc = "grad_output where mask is zero, else 0.",
}

-- --- random numbers ------------------------------------------------------------------------------

op "rand" {
  "(size... size, *, Generator? generator, dtype? dtype, device? device, bool requires_grad=false) -> Tensor",
  overloaded = true,
  forms = {"torch"},
  cuda = true,
  sample = {3, 4},
  doc = "Uniform numbers in [0, 1).",
}
op "randn" {
  "(size... size, *, Generator? generator, dtype? dtype, device? device, bool requires_grad=false) -> Tensor",
  overloaded = true,
  forms = {"torch"},
  cuda = true,
  sample = {3, 4},
  doc = "Numbers of the standard normal distribution.",
}
op "randint.high" {
  "(int high, int[] size, *, Generator? generator, dtype? dtype, device? device, bool requires_grad=false) -> Tensor",
  overloaded = true,
  forms = {"torch"},
  cuda = true,
  sample = {10, {3}},
  doc = "Integers 0, ..., high - 1.",
}
op "randint" {
  "(int low, int high, int[] size, *, Generator? generator, dtype? dtype, device? device, bool requires_grad=false) -> Tensor",
  overloaded = true,
  forms = {"torch"},
  cuda = true,
  sample = {2, 10, {3}},
  doc = "Integers low, ..., high - 1.",
}
op "randperm" {
  "(int n, *, Generator? generator, dtype? dtype, device? device, bool requires_grad=false) -> Tensor",
  overloaded = true,
  forms = {"torch"},
  cuda = true,
  sample = {10},
  doc = "0, ..., n - 1 in random order.",
}
op "rand_like" {
  "(Tensor self, *, dtype? dtype, device? device, bool requires_grad=false) -> Tensor",
  overloaded = true,
  forms = {"torch"},
  cuda = true,
  sample = {{3, 4}},
  doc = "Uniform numbers in [0, 1) of self's sizes.",
}
op "randn_like" {
  "(Tensor self, *, dtype? dtype, device? device, bool requires_grad=false) -> Tensor",
  overloaded = true,
  forms = {"torch"},
  cuda = true,
  sample = {{3, 4}},
  doc = "Normal numbers of self's sizes.",
}
op "randint_like.high" {
  "(Tensor self, int high, *, dtype? dtype, device? device, bool requires_grad=false) -> Tensor",
  overloaded = true,
  forms = {"torch"},
  cuda = true,
  sample = {{3, 4}, 10},
  doc = "Integers 0, ..., high - 1 of self's sizes.",
}
op "randint_like" {
  "(Tensor self, int low, int high, *, dtype? dtype, device? device, bool requires_grad=false) -> Tensor",
  overloaded = true,
  forms = {"torch"},
  cuda = true,
  sample = {{3, 4}, 2, 10},
  doc = "Integers low, ..., high - 1 of self's sizes.",
}
op "normal" {
  "(Tensor mean, Tensor std, *, Generator? generator) -> Tensor",
  overloaded = true,
  forms = {"torch"}, node = "NormalBackward3", nogradcheck = true,
  grad = {mean = "zeros_like(grad)", std = "zeros_like(grad)"},
  cuda = true,
  sample = {{3, 4}, {3, 4, positive = true}},
  doc = "Normal numbers, each of its own mean and standard deviation.",
}
op "normal.mean" {
  "(Tensor mean, float std=1, *, Generator? generator) -> Tensor",
  overloaded = true,
  forms = {"torch"}, node = "NormalBackward1", nogradcheck = true,
  grad = {mean = "zeros_like(grad)"},
  cuda = true,
  sample = {{3, 4}, 0.5},
  doc = "Normal numbers, each of its own mean.",
}
op "normal.std" {
  "(float mean, Tensor std, *, Generator? generator) -> Tensor",
  overloaded = true,
  forms = {"torch"}, node = "NormalBackward2", nogradcheck = true,
  grad = {std = "zeros_like(grad)"},
  cuda = true,
  sample = {0.5, {3, 4, positive = true}},
  doc = "Normal numbers, each of its own standard deviation.",
}
op "normal.numbers" {
  "(float mean, float std, int[] size, *, Generator? generator, dtype? dtype, device? device, bool requires_grad=false) -> Tensor",
  overloaded = true,
  forms = {"torch"},
  cuda = true,
  sample = {0.0, 1.0, {3}},
  doc = "Normal numbers of the sizes given.",
}
op "bernoulli.p" {
  "(Tensor self, float p, *, Generator? generator) -> Tensor",
  overloaded = true,
  cuda = true,
  sample = {{3, 4}, 0.5},
  doc = "1 with probability p, else 0, of self's sizes.",
}
op "bernoulli" {
  "(Tensor self, *, Generator? generator) -> Tensor",
  overloaded = true,
  grad = {self = "zeros_like(grad)"},
  cuda = true,
  sample = {{3, 4, unit = true}},
  doc = "1 with the probability self says, else 0.",
}
op "multinomial" {
  "(Tensor self, int num_samples, bool replacement=false, *, Generator? generator) -> Tensor",
  cuda = true,
  sample = {{3, 4, positive = true}, 2},
  doc = "Indices drawn with the weights of each row.",
}
op "uniform_" {
  "(Tensor self, float from=0, float to=1, *, Generator? generator) -> Tensor",
  forms = {"method"}, writes_self = true,
  grad = {self = "zeros_like(grad)"},
  cuda = true,
  sample = {{3, 4}},
  doc = "Uniform numbers in [from, to).",
}
op "normal_" {
  "(Tensor self, float mean=0, float std=1, *, Generator? generator) -> Tensor",
  forms = {"method"}, writes_self = true,
  grad = {self = "zeros_like(grad)"},
  cuda = true,
  sample = {{3, 4}},
  doc = "Normal numbers.",
}
op "random_.to" {
  "(Tensor self, int to, *, Generator? generator) -> Tensor",
  overloaded = true,
  forms = {"method"}, writes_self = true,
  grad = {self = "zeros_like(grad)"},
  cuda = true,
  sample = {{3, 4}, 10},
  doc = "Integers 0, ..., to - 1.",
}
op "random_.from" {
  "(Tensor self, int from, int? to, *, Generator? generator) -> Tensor",
  overloaded = true,
  forms = {"method"}, writes_self = true,
  grad = {self = "zeros_like(grad)"},
  cuda = true,
  sample = {{3, 4}, 2, 10},
  doc = "Integers from, ..., to - 1.",
}
op "random_" {
  "(Tensor self, *, Generator? generator) -> Tensor",
  overloaded = true,
  forms = {"method"}, writes_self = true,
  grad = {self = "zeros_like(grad)"},
  cuda = true,
  sample = {{3, 4}},
  doc = "Integers of the dtype's whole range from 0.",
}
op "bernoulli_.tensor" {
  "(Tensor self, Tensor p, *, Generator? generator) -> Tensor",
  overloaded = true,
  forms = {"method"}, node = "BernoulliBackward1", writes_self = true,
  grad = {self = "zeros_like(grad)", p = "zeros_like(grad)"},
  cuda = true,
  sample = {{3, 4}, {3, 4, unit = true}},
  doc = "1 with the probability p says, else 0.",
}
op "bernoulli_" {
  "(Tensor self, float p=0.5, *, Generator? generator) -> Tensor",
  overloaded = true,
  forms = {"method"}, node = "BernoulliBackward2", writes_self = true,
  grad = {self = "zeros_like(grad)"},
  cuda = true,
  sample = {{3, 4}, 0.3},
  doc = "1 with probability p, else 0.",
}
op "exponential_" {
  "(Tensor self, float lambd=1, *, Generator? generator) -> Tensor",
  forms = {"method"}, writes_self = true,
  grad = {self = "zeros_like(grad)"},
  cuda = true,
  sample = {{3, 4}},
  doc = "Numbers of density lambd * exp(-lambd * x).",
}
op "geometric_" {
  "(Tensor self, float p, *, Generator? generator) -> Tensor",
  forms = {"method"}, writes_self = true,
  grad = {self = "zeros_like(grad)"},
  cuda = true,
  sample = {{3, 4}, 0.3},
  doc = "Trials up to the first success.",
}
op "cauchy_" {
  "(Tensor self, float median=0, float sigma=1, *, Generator? generator) -> Tensor",
  forms = {"method"}, writes_self = true,
  grad = {self = "zeros_like(grad)"},
  cuda = true,
  sample = {{3, 4}},
  doc = "Numbers of the Cauchy distribution.",
}
op "log_normal_" {
  "(Tensor self, float mean=1, float std=2, *, Generator? generator) -> Tensor",
  forms = {"method"}, writes_self = true,
  grad = {self = "zeros_like(grad)"},
  cuda = true,
  sample = {{3, 4}},
  doc = "Numbers whose logarithm is normal.",
}
op "dropout" {
  "(Tensor input, float p=0.5, bool training=true, bool inplace=false) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  sample = {{3, 4}},
  doc = "Each element 0 with probability p, the others divided by 1 - p.",
}
op "dropout.torch" {
  "(Tensor input, float p, bool train) -> Tensor",
  forms = {"torch"}, composite = true,
  sample = {{3, 4}, 0.5, true},
  doc = "Each element 0 with probability p, the others divided by 1 - p.",
}
op "dropout1d" {
  "(Tensor input, float p=0.5, bool training=true, bool inplace=false) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  sample = {{2, 3, 4}},
  doc = "Whole channels of (N, C, L) or (C, L) 0 with probability p.",
}
op "dropout2d" {
  "(Tensor input, float p=0.5, bool training=true, bool inplace=false) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  sample = {{2, 3, 2, 2}},
  doc = "Whole channels of (N, C, H, W) 0 with probability p.",
}
op "dropout3d" {
  "(Tensor input, float p=0.5, bool training=true, bool inplace=false) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  sample = {{2, 3, 2, 2, 2}},
  doc = "Whole channels of (N, C, D, H, W) or (C, D, H, W) 0 with probability p.",
}
op "alpha_dropout" {
  "(Tensor input, float p=0.5, bool training=false, bool inplace=false) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  sample = {{3, 4}},
  doc = "Dropout that keeps selu's mean and variance.",
}

op "native_dropout" {
  "(Tensor input, float p, bool? train) -> (Tensor output, Tensor mask)",
  forms = {"torch"}, nogradcheck = true,
  backward = "tocha_grad_native_dropout", differentiable = {"input"}, saves = {"mask"},
  cuda = true,
  sample = {{3, 4}, 0.5, true},
  doc = "Each element 0 with probability p, the others divided by 1 - p; and which stayed.",
}
op "native_dropout_backward" {
  "(Tensor grad_output, Tensor mask, float scale) -> Tensor",
  forms = {}, row = "masked_scale",
  grad = {grad_output = "native_dropout_backward(grad, mask, scale)"},
  sample = {{3, 4}, {3, 4, bool = true}, 2.0},
  doc = "grad_output * scale where mask is true, else 0.",
}

-- --- end of pointwise, activations and random numbers --------------------------------------------

-- --- copies ------------------------------------------------------------------------------------------

op "copy_" {
  "(Tensor self, Tensor src, bool non_blocking=false) -> Tensor",
  overloaded = "one",
  forms = {"method"}, writes_self = true, any_device = true, node = "CopyBackwards",
  grad = {self = "zeros_like(grad)", src = "grad"},
  cuda = true,
  sample = {{3, 4}, {4}},
  doc = "src's values into self, converted and broadcast.",
}

-- --- creation --------------------------------------------------------------------------------------

op "empty" {
  "(size... size, *, dtype? dtype, device? device, bool requires_grad=false) -> Tensor",
  forms = {"torch"}, out = true,
  cuda = true,
  sample = {size = {2, 3}},
  doc = "A tensor of that size without defined values.",
}
op "zeros" {
  "(size... size, *, dtype? dtype, device? device, bool requires_grad=false) -> Tensor",
  forms = {"torch"}, out = true,
  cuda = true,
  sample = {size = {2, 3}},
  doc = "A tensor of zeros.",
}
op "ones" {
  "(size... size, *, dtype? dtype, device? device, bool requires_grad=false) -> Tensor",
  forms = {"torch"}, out = true,
  cuda = true,
  sample = {size = {2, 3}},
  doc = "A tensor of ones.",
}
op "full" {
  "(size[] size, Scalar fill_value, *, dtype? dtype, device? device, bool requires_grad=false) -> Tensor",
  forms = {"torch"}, out = true,
  cuda = true,
  samples = {{{2, 3}, 1.5}, {{2, 3}, 7}},
  doc = "A tensor of that size filled with fill_value, whose kind decides the dtype.",
}
op "scalar_tensor" {
  "(Scalar s, *, dtype? dtype, device? device, bool requires_grad=false) -> Tensor",
  forms = {"torch"},
  cuda = true,
  sample = {3.5},
  doc = "A 0-dim tensor with the value s.",
}
op "empty_strided" {
  "(size[] size, int[] stride, *, dtype? dtype, device? device, bool requires_grad=false) -> Tensor",
  forms = {"torch"},
  cuda = true,
  sample = {{2, 3}, {1, 2}},
  doc = "A tensor with that size and those strides, without defined values.",
}
op "zeros_like" {
  "(Tensor self, *, dtype? dtype, device? device, bool requires_grad=false) -> Tensor",
  forms = {"torch"},
  cuda = true,
  sample = {{3, 4}},
  doc = "Zeros of self's sizes.",
}
op "ones_like" {
  "(Tensor self, *, dtype? dtype, device? device, bool requires_grad=false) -> Tensor",
  forms = {"torch"},
  cuda = true,
  sample = {{3, 4}},
  doc = "Ones of self's sizes.",
}
op "empty_like" {
  "(Tensor self, *, dtype? dtype, device? device, bool requires_grad=false) -> Tensor",
  forms = {"torch"},
  cuda = true,
  sample = {{3, 4}},
  doc = "A tensor of self's sizes without defined values.",
}
op "full_like" {
  "(Tensor self, Scalar fill_value, *, dtype? dtype, device? device, bool requires_grad=false) -> Tensor",
  forms = {"torch"},
  cuda = true,
  sample = {{3, 4}, 2.5},
  doc = "A tensor of self's sizes filled with fill_value.",
}
op "new_empty" {
  "(Tensor self, size... size, *, dtype? dtype, device? device, bool requires_grad=false) -> Tensor",
  forms = {"method"},
  cuda = true,
  sample = {{3}, size = {2, 2}},
  doc = "An undefined tensor with self's dtype and device.",
}
op "new_zeros" {
  "(Tensor self, size... size, *, dtype? dtype, device? device, bool requires_grad=false) -> Tensor",
  forms = {"method"},
  cuda = true,
  sample = {{3}, size = {2, 2}},
  doc = "Zeros with self's dtype and device.",
}
op "new_ones" {
  "(Tensor self, size... size, *, dtype? dtype, device? device, bool requires_grad=false) -> Tensor",
  forms = {"method"},
  cuda = true,
  sample = {{3}, size = {2, 2}},
  doc = "Ones with self's dtype and device.",
}
op "new_full" {
  "(Tensor self, size[] size, Scalar fill_value, *, dtype? dtype, device? device, bool requires_grad=false) -> Tensor",
  forms = {"method"},
  cuda = true,
  sample = {{3}, {2, 2}, 1.5},
  doc = "fill_value everywhere, with self's dtype and device.",
}
op "arange" {
  "(Scalar stop, *, dtype? dtype, device? device, bool requires_grad=false) -> Tensor",
  overloaded = true,
  forms = {"torch"}, out = true,
  cuda = true,
  sample = {5},
  doc = "0, 1, 2, ... below stop.",
}
op "arange.start" {
  "(Scalar start, Scalar stop, Scalar step=1, *, dtype? dtype, device? device, bool requires_grad=false) -> Tensor",
  overloaded = true,
  forms = {"torch"}, out = true,
  cuda = true,
  samples = {{1, 10, 2}, {0.0, 1.0, 0.1}},
  doc = "start, start + step, ... before stop.",
}
op "linspace" {
  "(Scalar start, Scalar stop, int steps, *, dtype? dtype, device? device, bool requires_grad=false) -> Tensor",
  overloaded = true,
  forms = {"torch"}, out = true,
  cuda = true,
  sample = {0, 1, 5},
  doc = "steps values from start to stop, both included, equally far apart.",
}
op "logspace" {
  "(Scalar start, Scalar stop, int steps, float base=10.0, *, dtype? dtype, device? device, bool requires_grad=false) -> Tensor",
  overloaded = true,
  forms = {"torch"}, out = true,
  cuda = true,
  sample = {0, 2, 3},
  doc = "base to the powers linspace(start, stop, steps).",
}
op "eye" {
  "(int n, int? m, *, dtype? dtype, device? device, bool requires_grad=false) -> Tensor",
  overloaded = true,
  forms = {"torch"}, out = true,
  cuda = true,
  samples = {{3}, {2, 4}},
  doc = "Ones on the diagonal of an n x m (or n x n) matrix of zeros.",
}
op "tril" {
  "(Tensor self, int diagonal=0) -> Tensor",
  inplace = true, out = true,
  grad = {self = "tril(grad, diagonal)"},
  cuda = true,
  samples = {{{3, 4}}, {{2, 3, 3}, 1}},
  doc = "The lower triangle of each matrix, zeros elsewhere.",
}
op "triu" {
  "(Tensor self, int diagonal=0) -> Tensor",
  inplace = true, out = true,
  grad = {self = "triu(grad, diagonal)"},
  cuda = true,
  samples = {{{3, 4}}, {{2, 3, 3}, -1}},
  doc = "The upper triangle of each matrix, zeros elsewhere.",
}
op "tril_indices" {
  "(int row, int col, int offset=0, *, device? device) -> Tensor",
  forms = {"torch"},
  cuda = true,
  sample = {3, 4},
  doc = "The rows and columns of a lower triangle, (2, count).",
}
op "triu_indices" {
  "(int row, int col, int offset=0, *, device? device) -> Tensor",
  forms = {"torch"},
  cuda = true,
  sample = {3, 4},
  doc = "The rows and columns of an upper triangle, (2, count).",
}
op "diag_embed" {
  "(Tensor self, int offset=0, dim dim1=-2, dim dim2=-1) -> Tensor",
  grad = {self = "diagonal(grad, offset, dim1, dim2)"},
  cuda = true,
  samples = {{{3}}, {{2, 3}, 1}},
  doc = "The last dimension of self along a diagonal of new matrices.",
}
op "diag" {
  "(Tensor self, int diagonal=0) -> Tensor",
  composite = true, out = true,
  samples = {{{3}}, {{3, 4}, 1}},
  doc = "A matrix with the vector self on its diagonal, or the diagonal of the matrix self.",
}

-- --- views -----------------------------------------------------------------------------------------

op "view" {
  "(Tensor self, size... size) -> Tensor",
  overloaded = true,
  forms = {"method"}, view = true,
  grad = {self = "reshape(grad, sizes(self))"},
  sample = {{3, 4}, size = {2, -1}},
  doc = "self's elements in another shape, sharing its memory.",
}
op "view.dtype" {
  "(Tensor self, dtype dtype) -> Tensor",
  overloaded = true,
  forms = {"method"}, view = true,
  sample = {{3, 4}, "int32"},
  doc = "self's bytes read as another dtype.",
}
op "unsafe_view" {
  "(Tensor self, size... size) -> Tensor",
  forms = {},
  grad = {self = "reshape(grad, sizes(self))"},
  cuda = true,
  sample = {{3, 4}, size = {2, 6}},
  doc = "view of a tensor that nobody else sees.",
}
op "view_alias" {
  "(Tensor self) -> Tensor",
  forms = {}, view = true, node = "AliasBackward0",
  grad = {self = "grad"},
  sample = {{3, 4}},
  doc = "The same view again.",
}
op "reshape" {
  "(Tensor self, size... shape) -> Tensor",
  composite = true,
  samples = {{{3, 4}, shape = {2, -1}}},
  doc = "self's elements in another shape; a view where that is possible.",
}
op "reshape_as" {
  "(Tensor self, Tensor other) -> Tensor",
  forms = {"method"}, composite = true,
  sample = {{3, 4}, {2, 6}},
  doc = "self in the shape of other.",
}
op "view_as" {
  "(Tensor self, Tensor other) -> Tensor",
  forms = {"method"}, composite = true,
  sample = {{3, 4}, {2, 6}},
  doc = "A view of self in the shape of other.",
}
op "flatten" {
  "(Tensor self, dim start_dim=0, dim end_dim=-1) -> Tensor",
  composite = true,
  samples = {{{2, 3, 4}}, {{2, 3, 4}, 1}},
  doc = "The dimensions start_dim to end_dim as one.",
}
op "ravel" {
  "(Tensor self) -> Tensor",
  composite = true,
  sample = {{2, 3}},
  doc = "self in one dimension.",
}
op "unflatten" {
  "(Tensor self, dim dim, size[] sizes) -> Tensor",
  composite = true,
  sample = {{2, 6}, 1, {2, 3}},
  doc = "Dimension dim as several.",
}
op "permute" {
  "(Tensor self, dim... dims) -> Tensor",
  view = true, backward = "tocha_permute_backward", differentiable = {"self"},
  sample = {{2, 3, 4}, dims = {2, 0, 1}},
  doc = "The dimensions in another order.",
}
op "transpose" {
  "(Tensor self, dim dim0, dim dim1) -> Tensor",
  view = true,
  grad = {self = "transpose(grad, dim0, dim1)"},
  sample = {{2, 3, 4}, 0, 2},
  doc = "Dimensions dim0 and dim1 swapped.",
}
op "swapaxes" {
  "(Tensor self, dim axis0, dim axis1) -> Tensor",
  composite = true,
  sample = {{2, 3, 4}, 0, 2},
  doc = "transpose under NumPy's name.",
}
op "swapdims" {
  "(Tensor self, dim dim0, dim dim1) -> Tensor",
  composite = true, implementation = "tocha_op_swapaxes",
  sample = {{2, 3, 4}, 0, 2},
  doc = "transpose under another name.",
}
op "movedim" {
  "(Tensor self, dim[] source, dim[] destination) -> Tensor",
  overloaded = true,
  composite = true,
  sample = {{2, 3, 4}, 0, 2},
  doc = "Dimensions moved from the places source to destination, the others in their order.",
}
op "moveaxis" {
  "(Tensor self, dim[] source, dim[] destination) -> Tensor",
  overloaded = true,
  composite = true, implementation = "tocha_op_movedim",
  sample = {{2, 3, 4}, 0, 2},
  doc = "movedim under NumPy's name.",
}
op "t" {
  "(Tensor self) -> Tensor",
  view = true,
  grad = {self = "t(grad)"},
  sample = {{2, 3}},
  doc = "The transpose of a matrix.",
}
op "T" {
  "(Tensor self) -> Tensor",
  forms = {}, composite = true,
  sample = {{2, 3}},
  doc = "All dimensions reversed (the attribute T).",
}
op "mT" {
  "(Tensor self) -> Tensor",
  forms = {}, composite = true,
  sample = {{2, 3, 4}},
  doc = "The last two dimensions swapped (the attribute mT).",
}
op "H" {
  "(Tensor self) -> Tensor",
  forms = {}, composite = true,
  sample = {{2, 3}},
  doc = "The transpose of a matrix (the attribute H).",
}
op "mH" {
  "(Tensor self) -> Tensor",
  forms = {}, composite = true,
  sample = {{2, 3, 4}},
  doc = "The last two dimensions swapped (the attribute mH).",
}
op "adjoint" {
  "(Tensor self) -> Tensor",
  composite = true,
  sample = {{2, 3, 4}},
  doc = "The last two dimensions swapped.",
}
op "squeeze" {
  "(Tensor self) -> Tensor",
  overloaded = true,
  view = true,
  grad = {self = "reshape(grad, sizes(self))"},
  sample = {{2, 1, 3}},
  doc = "Without the dimensions of size 1.",
}
op "squeeze.dim" {
  "(Tensor self, dim dim) -> Tensor",
  overloaded = true,
  view = true, node = "SqueezeBackward1",
  grad = {self = "reshape(grad, sizes(self))"},
  sample = {{2, 1, 3}, 1},
  doc = "Without dimension dim, where its size is 1.",
}
op "_squeeze_row" {
  "(Tensor self, dim dim) -> Tensor",
  forms = {}, view = true, node = "SqueezeBackward4", implementation = "tocha_op_squeeze_dim",
  grad = {self = "reshape(grad, sizes(self))"},
  sample = {{1, 3}, 0},
  doc = "squeeze under the name of its in-place form, which a vector times a matrix ends with.",
}
op "squeeze.dims" {
  "(Tensor self, dim[] dim) -> Tensor",
  overloaded = true,
  view = true, node = "SqueezeBackward2",
  grad = {self = "reshape(grad, sizes(self))"},
  sample = {{2, 1, 1}, {1, 2}},
  doc = "Without those of the dimensions whose size is 1.",
}
op "unsqueeze" {
  "(Tensor self, dim dim) -> Tensor",
  view = true,
  grad = {self = "squeeze_dim(grad, dim)"},
  sample = {{2, 3}, 1},
  doc = "A new dimension of size 1.",
}
op "t_" {
  "(Tensor self) -> Tensor",
  forms = {"method"}, writes_self = true,
  cuda = true,
  sample = {{2, 3}},
  doc = "In-place form of t.",
}
op "transpose_" {
  "(Tensor self, dim dim0, dim dim1) -> Tensor",
  forms = {"method"}, writes_self = true,
  cuda = true,
  sample = {{2, 3}, 0, 1},
  doc = "In-place form of transpose.",
}
op "squeeze_" {
  "(Tensor self) -> Tensor",
  overloaded = true,
  forms = {"method"}, writes_self = true,
  cuda = true,
  sample = {{2, 1}},
  doc = "In-place form of squeeze.",
}
op "squeeze_.dim" {
  "(Tensor self, dim dim) -> Tensor",
  overloaded = true,
  forms = {"method"}, writes_self = true,
  cuda = true,
  sample = {{2, 1}, 1},
  doc = "In-place form of squeeze.",
}
op "unsqueeze_" {
  "(Tensor self, dim dim) -> Tensor",
  forms = {"method"}, writes_self = true,
  cuda = true,
  sample = {{2, 3}, 0},
  doc = "In-place form of unsqueeze.",
}
op "expand" {
  "(Tensor self, size... size, *, bool implicit=false) -> Tensor",
  forms = {"method"}, view = true,
  grad = {self = "grad"},
  sample = {{3, 1}, size = {2, 3, 4}},
  doc = "Dimensions of size 1 repeated to a larger size without copying; -1 keeps a size.",
}
op "expand_as" {
  "(Tensor self, Tensor other) -> Tensor",
  forms = {"method"}, composite = true,
  sample = {{3, 1}, {2, 3, 4}},
  doc = "self expanded to the sizes of other.",
}
op "broadcast_to" {
  "(Tensor self, size[] size) -> Tensor",
  composite = true,
  sample = {{3, 1}, {2, 3, 4}},
  doc = "self expanded to size.",
}
op "broadcast_tensors" {
  "(Tensor... tensors) -> Tensor[]",
  forms = {"torch"}, composite = true,
  sample = {tensors = {{3, 1}, {1, 4}}},
  doc = "The tensors expanded to their common shape.",
}
op "select" {
  "(Tensor self, dim dim, index index) -> Tensor",
  view = true,
  grad = {self = "select_backward(grad, sizes(self), dim, index)"},
  samples = {{{2, 3}, 1, 2}, {{2, 3}, 0, -1}},
  doc = "One position of dimension dim.",
}
op "select_backward" {
  "(Tensor grad_output, int[] sizes, dim dim, index index) -> Tensor",
  forms = {},
  grad = {grad_output = "select(grad, dim, index)"},
  cuda = true,
  sample = {{2}, {2, 3}, 1, 2},
  doc = "grad_output at one position of zeros.",
}
op "slice" {
  "(Tensor self, dim dim=0, int? start, int? stop, int step=1) -> Tensor",
  forms = {}, view = true,
  grad = {self = "slice_backward(grad, sizes(self), dim, start, stop, step)"},
  sample = {{5, 3}, 0, 1, 4, 2},
  doc = "Positions start, start + step, ... before stop of dimension dim.",
}
op "slice_backward" {
  "(Tensor grad_output, int[] sizes, dim dim, int? start, int? stop, int step) -> Tensor",
  forms = {},
  grad = {grad_output = "slice(grad, dim, start, stop, step)"},
  cuda = true,
  sample = {{2, 3}, {5, 3}, 0, 1, 4, 2},
  doc = "grad_output at a slice of zeros.",
}
op "narrow" {
  "(Tensor self, dim dim, int start, int length) -> Tensor",
  overloaded = true,
  composite = true,
  sample = {{5, 3}, 0, 1, 2},
  doc = "length positions of dimension dim from start on.",
}
op "diagonal" {
  "(Tensor self, int offset=0, dim dim1=0, dim dim2=1) -> Tensor",
  view = true,
  grad = {self = "diagonal_backward(grad, sizes(self), offset, dim1, dim2)"},
  samples = {{{3, 4}}, {{2, 3, 4}, 1, 1, 2}},
  doc = "The diagonals of the matrices in dim1 and dim2, along a new last dimension.",
}
op "diagonal_copy" {
  "(Tensor self, int offset=0, dim dim1=0, dim dim2=1) -> Tensor",
  forms = {"torch"}, node = "DiagonalBackward0_copy",
  grad = {self = "diagonal_backward(grad, sizes(self), offset, dim1, dim2)"},
  cuda = true,
  samples = {{{3, 4}}},
  doc = "A copy of diagonal.",
}
op "diagonal_backward" {
  "(Tensor grad_output, int[] sizes, int offset, dim dim1, dim dim2) -> Tensor",
  forms = {},
  grad = {grad_output = "diagonal(grad, offset, dim1, dim2)"},
  cuda = true,
  sample = {{3}, {3, 4}, 0, 0, 1},
  doc = "grad_output on the diagonals of zeros.",
}
op "unfold" {
  "(Tensor self, dim dimension, int size, int step) -> Tensor",
  forms = {"method"}, view = true,
  grad = {self = "unfold_backward(grad, sizes(self), dimension, size, step)"},
  sample = {{7, 2}, 0, 3, 2},
  doc = "All windows of size positions, step apart, along a new last dimension.",
}
op "unfold_backward" {
  "(Tensor grad_output, int[] sizes, dim dimension, int size, int step) -> Tensor",
  forms = {},
  grad = {grad_output = "unfold(grad, dimension, size, step)"},
  cuda = true,
  sample = {{3, 2, 3}, {7, 2}, 0, 3, 2},
  doc = "The windows added up again.",
}
op "as_strided" {
  "(Tensor self, size[] size, int[] stride, int? storage_offset) -> Tensor",
  composite = true,
  sample = {{3, 4}, {2, 2}, {1, 2}, 1},
  doc = "A view of self's memory with any size, strides and offset.",
}
op "as_strided_view" {
  "(Tensor self, size[] size, int[] stride, int offset, int[] input_stride, int input_offset) -> Tensor",
  forms = {}, view = true, node = "AsStridedBackward0",
  grad = {self = "_as_strided_scatter(grad, sizes(self), input_stride, input_offset, size, stride, offset)"},
  sample = {{3, 4}, {2, 2}, {1, 2}, 1, {4, 1}, 0},
  doc = "as_strided, told how its input lies in memory.",
}
op "unbind" {
  "(Tensor self, dim dim=0) -> Tensor[]",
  view = true, backward = "tocha_unbind_backward", differentiable = {"self"},
  sample = {{2, 3}, 1},
  doc = "All positions of dimension dim, one by one.",
}
op "split" {
  "(Tensor self, int split_size, dim dim=0) -> Tensor[]",
  view = true, backward = "tocha_split_backward", differentiable = {"self"},
  sample = {{5, 2}, 2},
  doc = "Pieces of split_size positions along dim; the last may be smaller.",
}
op "split.sizes" {
  "(Tensor self, int[] split_size, dim dim=0) -> Tensor[]",
  view = true, backward = "tocha_split_backward", differentiable = {"self"},
  node = "SplitWithSizesBackward0", implementation = "tocha_op_split_with_sizes",
  sample = {{5, 2}, {2, 3}},
  doc = "Pieces of the given sizes along dim.",
}
op "split_with_sizes" {
  "(Tensor self, int[] split_sizes, dim dim=0) -> Tensor[]",
  view = true, backward = "tocha_split_backward", differentiable = {"self"},
  sample = {{5, 2}, {2, 3}},
  doc = "Pieces of the given sizes along dim.",
}
op "chunk" {
  "(Tensor self, int chunks, dim dim=0) -> Tensor[]",
  view = true, backward = "tocha_split_backward", differentiable = {"self"}, node = "SplitBackward0",
  sample = {{5, 2}, 2},
  doc = "At most chunks pieces of equal size along dim; the last may be smaller.",
}
op "tensor_split" {
  "(Tensor self, int sections, dim dim=0) -> Tensor[]",
  overloaded = true,
  composite = true,
  sample = {{5, 2}, 2},
  doc = "Exactly that many pieces along dim, the first ones larger by one where needed.",
}
op "tensor_split.indices" {
  "(Tensor self, int[] indices, dim dim=0) -> Tensor[]",
  overloaded = true,
  composite = true,
  sample = {{5, 2}, {1, 3}},
  doc = "Pieces along dim, cut at the indices.",
}
op "meshgrid" {
  "(Tensor... tensors, *, string? indexing) -> Tensor[]",
  forms = {"torch"}, composite = true,
  sample = {tensors = {{3}, {2}}, indexing = "ij"},
  doc = "Coordinate grids from coordinate vectors.",
}
op "atleast_1d" {
  "(Tensor self) -> Tensor",
  forms = {"torch"}, composite = true,
  sample = {{}},
  doc = "self with at least one dimension.",
}
op "atleast_2d" {
  "(Tensor self) -> Tensor",
  forms = {"torch"}, composite = true,
  sample = {{3}},
  doc = "self with at least two dimensions.",
}
op "atleast_3d" {
  "(Tensor self) -> Tensor",
  forms = {"torch"}, composite = true,
  sample = {{3}},
  doc = "self with at least three dimensions.",
}
op "atleast_1d.list" {
  "(Tensor... tensors) -> Tensor[]",
  forms = {"torch"}, composite = true,
  sample = {tensors = {{3}, {2}}},
  doc = "Each tensor with at least one dimension.",
}
op "atleast_2d.list" {
  "(Tensor... tensors) -> Tensor[]",
  forms = {"torch"}, composite = true,
  sample = {tensors = {{3}, {2}}},
  doc = "Each tensor with at least two dimensions.",
}
op "atleast_3d.list" {
  "(Tensor... tensors) -> Tensor[]",
  forms = {"torch"}, composite = true,
  sample = {tensors = {{3}, {2}}},
  doc = "Each tensor with at least three dimensions.",
}
op "repeat" {
  "(Tensor self, size... repeats) -> Tensor",
  forms = {"method"}, aliases = {"rep"}, backward = "tocha_repeat_backward", differentiable = {"self"},
  cuda = true,
  sample = {{2, 3}, repeats = {2, 1, 2}},
  doc = "self repeated along each dimension (in Lua: rep).",
}
op "tile" {
  "(Tensor self, size... dims) -> Tensor",
  composite = true,
  sample = {{2, 3}, dims = {2}},
  doc = "self repeated; missing repetitions are 1.",
}
op "repeat_interleave" {
  "(Tensor self, int repeats, dim? dim, *, int? output_size) -> Tensor",
  overloaded = true,
  composite = true,
  sample = {{2, 3}, 2, 1},
  doc = "Each element (or position of dim) repeats times in a row.",
}
op "repeat_interleave.tensor" {
  "(Tensor self, Tensor repeats, dim? dim, *, int? output_size) -> Tensor",
  overloaded = true,
  composite = true,
  sample = {{2, 3}, {2, int = 3}, 0},
  doc = "Position i of dim repeats[i] times in a row.",
}
op "repeat_interleave.indices" {
  "(Tensor repeats) -> Tensor",
  overloaded = true,
  forms = {"torch"},
  cuda = true,
  sample = {{3, int = 3}},
  doc = "Number i repeats[i] times.",
}
op "roll" {
  "(Tensor self, dim[] shifts, dim[]? dims) -> Tensor",
  backward = "tocha_roll_backward", differentiable = {"self"},
  cuda = true,
  samples = {{{2, 3}, 1}, {{2, 3}, {1, 2}, {0, 1}}},
  doc = "Elements moved along dims; what leaves at the end comes in at the beginning.",
}
op "flip" {
  "(Tensor self, dim... dims) -> Tensor",
  grad = {self = "flip(grad, dims)"},
  cuda = true,
  sample = {{2, 3}, dims = {0, 1}},
  doc = "The order of elements reversed along dims.",
}
op "fliplr" {
  "(Tensor self) -> Tensor",
  composite = true,
  sample = {{2, 3}},
  doc = "The columns in reverse order.",
}
op "flipud" {
  "(Tensor self) -> Tensor",
  composite = true,
  sample = {{2, 3}},
  doc = "The rows in reverse order.",
}
op "rot90" {
  "(Tensor self, int k=1, dim[]? dims) -> Tensor",
  grad = {self = "rot90(grad, -k, dims)"},
  cuda = true,
  samples = {{{2, 3}}, {{2, 3}, 2}},
  doc = "A plane (dims 0 and 1) turned by 90 degrees k times.",
}

-- --- joins -----------------------------------------------------------------------------------------

op "cat_parts" {
  "(Tensor[] tensors, dim dim, int[] lengths) -> Tensor",
  forms = {}, node = "CatBackward0",
  backward = "tocha_cat_backward", differentiable = {"tensors"},
  cuda = true,
  sample = {{{2, 3}, {1, 3}}, 0, {2, 1}},
  doc = "cat, told how long its tensors are along dim.",
}
op "cat" {
  "(Tensor[] tensors, dim dim=0) -> Tensor",
  autocast = {cpu = "widest"},
  forms = {"torch"}, out = true, composite = true, aliases = {"concat", "concatenate"},
  samples = {{tensors = {{2, 3}, {1, 3}}}, {tensors = {{2, 3}, {2, 1}}, dim = 1}},
  doc = "The tensors one after the other along dim.",
}
op "stack" {
  "(Tensor[] tensors, dim dim=0) -> Tensor",
  autocast = {cpu = "widest"},
  forms = {"torch"}, out = true,
  backward = "tocha_stack_backward", differentiable = {"tensors"},
  cuda = true,
  samples = {{tensors = {{2, 3}, {2, 3}}}, {tensors = {{2, 3}, {2, 3}}, dim = -1}},
  doc = "The tensors side by side along a new dimension dim.",
}
op "hstack" {
  "(Tensor[] tensors) -> Tensor",
  forms = {"torch"}, composite = true, out = true,
  sample = {tensors = {{2, 3}, {2, 1}}},
  doc = "Columns side by side.",
}
op "vstack" {
  "(Tensor[] tensors) -> Tensor",
  forms = {"torch"}, composite = true, out = true,
  sample = {tensors = {{2, 3}, {1, 3}}},
  doc = "Rows one below the other.",
}
op "row_stack" {
  "(Tensor[] tensors) -> Tensor",
  forms = {"torch"}, composite = true, out = true, implementation = "tocha_op_vstack",
  sample = {tensors = {{2, 3}, {1, 3}}},
  doc = "vstack under another name.",
}
op "dstack" {
  "(Tensor[] tensors) -> Tensor",
  forms = {"torch"}, composite = true, out = true,
  sample = {tensors = {{2, 3}, {2, 3}}},
  doc = "One behind the other, along the third dimension.",
}
op "column_stack" {
  "(Tensor[] tensors) -> Tensor",
  forms = {"torch"}, composite = true, out = true,
  sample = {tensors = {{2}, {2, 3}}},
  doc = "Vectors as columns side by side.",
}

-- --- copies and types --------------------------------------------------------------------------------

op "clone" {
  "(Tensor self, *, string? memory_format) -> Tensor",
  grad = {self = "grad"},
  cuda = true,
  sample = {{3, 4}},
  doc = "A copy of self with its own memory.",
}
op "contiguous" {
  "(Tensor self, *, string? memory_format) -> Tensor",
  forms = {"method"}, composite = true,
  sample = {{3, 4}},
  doc = "self where it is row-major without gaps, else a copy that is.",
}
op "to_copy" {
  "(Tensor self, *, dtype? dtype, device? device, bool non_blocking=false) -> Tensor",
  forms = {}, any_device = true,
  backward = "tocha_to_copy_backward", differentiable = {"self"},
  cuda = true,
  sample = {{3, 4}, dtype = "float64"},
  doc = "A copy of self with another dtype or on another device.",
}
op "to.dtype" {
  "(Tensor self, dtype dtype, bool non_blocking=false, bool copy=false) -> Tensor",
  overloaded = true,
  forms = {"method"}, composite = true,
  sample = {{3, 4}, "float64"},
  doc = "self with that dtype.",
}
op "to" {
  "(Tensor self, device? device, dtype? dtype, bool non_blocking=false, bool copy=false) -> Tensor",
  overloaded = true,
  forms = {"method"}, composite = true, any_device = true,
  sample = {{3, 4}, "cpu"},
  doc = "self on that device, with that dtype.",
}
op "to.other" {
  "(Tensor self, Tensor other, bool non_blocking=false, bool copy=false) -> Tensor",
  overloaded = true,
  forms = {"method"}, composite = true, any_device = true,
  sample = {{3, 4}, {2}},
  doc = "self with the dtype and device of other.",
}
op "type_as" {
  "(Tensor self, Tensor other) -> Tensor",
  forms = {"method"}, composite = true, any_device = true,
  sample = {{3, 4}, {2}},
  doc = "self with the dtype and device of other.",
}
op "float.method" {
  "(Tensor self) -> Tensor",
  forms = {"method"}, composite = true,
  sample = {{3, 4}},
  doc = "self as float32.",
}
op "double.method" {
  "(Tensor self) -> Tensor",
  forms = {"method"}, composite = true,
  sample = {{3, 4}},
  doc = "self as float64.",
}
op "half.method" {
  "(Tensor self) -> Tensor",
  forms = {"method"}, composite = true,
  sample = {{3, 4}},
  doc = "self as float16.",
}
op "bfloat16.method" {
  "(Tensor self) -> Tensor",
  forms = {"method"}, composite = true,
  sample = {{3, 4}},
  doc = "self as bfloat16.",
}
op "int.method" {
  "(Tensor self) -> Tensor",
  forms = {"method"}, composite = true,
  sample = {{3, 4}},
  doc = "self as int32.",
}
op "long.method" {
  "(Tensor self) -> Tensor",
  forms = {"method"}, composite = true,
  sample = {{3, 4}},
  doc = "self as int64.",
}
op "short.method" {
  "(Tensor self) -> Tensor",
  forms = {"method"}, composite = true,
  sample = {{3, 4}},
  doc = "self as int16.",
}
op "char.method" {
  "(Tensor self) -> Tensor",
  forms = {"method"}, composite = true,
  sample = {{3, 4}},
  doc = "self as int8.",
}
op "byte.method" {
  "(Tensor self) -> Tensor",
  forms = {"method"}, composite = true,
  sample = {{3, 4}},
  doc = "self as uint8.",
}
op "bool.method" {
  "(Tensor self) -> Tensor",
  forms = {"method"}, composite = true,
  sample = {{3, 4}},
  doc = "self as bool.",
}
op "cpu.method" {
  "(Tensor self) -> Tensor",
  forms = {"method"}, composite = true, any_device = true,
  sample = {{3, 4}},
  doc = "self on the CPU.",
}
op "detach" {
  "(Tensor self) -> Tensor",
  cuda = true,
  sample = {{3, 4}},
  doc = "self's values without its history; the memory is shared.",
}
op "variable_data" {
  "(Tensor self) -> Tensor",
  forms = {},
  cuda = true,
  sample = {{3, 4}},
  doc = "self's values without history and without counting changes (the attribute data).",
}
op "fill.tensor" {
  "(Tensor self, Tensor value) -> Tensor",
  overloaded = true,
  forms = {"torch"}, node = "FillBackward1",
  grad = {self = "zeros_like(grad)", value = "grad"},
  cuda = true,
  sample = {{3, 4}, {}},
  doc = "The value of a 0-dim tensor everywhere.",
}
op "fill" {
  "(Tensor self, Scalar value) -> Tensor",
  overloaded = true,
  forms = {"torch"},
  grad = {self = "zeros_like(grad)"},
  cuda = true,
  sample = {{3, 4}, 2.5},
  doc = "value everywhere.",
}
op "fill_.tensor" {
  "(Tensor self, Tensor value) -> Tensor",
  overloaded = true,
  forms = {"method", "torch"}, writes_self = true, any_device = true, node = "FillBackward3",
  grad = {self = "zeros_like(grad)", value = "grad"},
  cuda = true,
  sample = {{3, 4}, {}},
  doc = "The value of a 0-dim tensor into every element.",
}
op "fill_" {
  "(Tensor self, Scalar value) -> Tensor",
  overloaded = true,
  forms = {"method", "torch"}, writes_self = true, node = "FillBackward2",
  grad = {self = "zeros_like(grad)"},
  cuda = true,
  sample = {{3, 4}, 2.5},
  doc = "value into every element.",
}
op "zero_" {
  "(Tensor self) -> Tensor",
  forms = {"method", "torch"}, writes_self = true,
  grad = {self = "zeros_like(grad)"},
  cuda = true,
  sample = {{3, 4}},
  doc = "0 into every element.",
}

op "equal" {
  "(Tensor self, Tensor other) -> bool",
  cuda = true,
  sample = {{3, 4}, {3, 4}},
  doc = "Whether both have the same sizes and elements.",
}

-- --- indexing ----------------------------------------------------------------------------------------

op "index" {
  "(Tensor self, Tensor[] indices) -> Tensor",
  forms = {},
  backward = "tocha_index_rule", differentiable = {"self"}, saves = {"indices"},
  any_device = true,
  cuda = true,
  sample = {{3, 4}, indices = {{2, int = 3}, {2, int = 4}}},
  doc = "The elements that the index tensors point to; masks stand for their coordinates.",
}
op "index_backward" {
  "(Tensor grad_output, int[] sizes, Tensor[] indices) -> Tensor",
  forms = {},
  backward = "tocha_index_backward_rule", differentiable = {"grad_output"}, saves = {"indices"},
  any_device = true,
  cuda = true,
  sample = {{2}, {3, 4}, indices = {{2, int = 3}, {2, int = 4}}},
  doc = "grad_output added to zeros where index reads.",
}
op "index_put_" {
  "(Tensor self, Tensor[] indices, Tensor values, bool accumulate=false) -> Tensor",
  forms = {"method", "torch"}, writes_self = true, node = "IndexPutBackward0",
  backward = "tocha_index_put_rule", differentiable = {"self", "values"}, saves = {"indices"},
  any_device = true,
  cuda = true,
  sample = {{3, 4}, {{2, int = 3}, {2, int = 4}}, {2}},
  doc = "values to where the index tensors point, or added there.",
}
op "index_put" {
  "(Tensor self, Tensor[] indices, Tensor values, bool accumulate=false) -> Tensor",
  autocast = {cuda = "widest"},
  composite = true, any_device = true,
  sample = {{3, 4}, indices = {{2, int = 3}, {2, int = 4}}, values = {2}, accumulate = true},
  doc = "A copy of self with values where the index tensors point.",
}
op "index_select" {
  "(Tensor self, dim dim, Tensor index) -> Tensor",
  out = true,
  grad = {self = "index_select_backward(grad, sizes(self), dim, index)"},
  cuda = true,
  sample = {{4, 3}, 0, {5, int = 4}},
  doc = "The positions index of dimension dim.",
}
op "index_select_backward" {
  "(Tensor grad_output, int[] sizes, dim dim, Tensor index) -> Tensor",
  forms = {},
  grad = {grad_output = "index_select(grad, dim, index)"},
  cuda = true,
  sample = {{5, 3}, {4, 3}, 0, {5, int = 4}},
  doc = "grad_output added to zeros where index_select reads.",
}
op "index_add_" {
  "(Tensor self, dim dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor",
  forms = {"method"}, writes_self = true, node = "IndexAddBackward0",
  grad = {self = "grad", source = "index_select(grad, dim, index) * alpha"},
  cuda = true,
  sample = {{4, 3}, 0, {2, int = 4}, {2, 3}},
  doc = "alpha * source added at the positions index of dimension dim.",
}
op "index_add" {
  "(Tensor self, dim dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor",
  composite = true,
  sample = {{4, 3}, 0, {2, int = 4}, {2, 3}},
  doc = "self with alpha * source added at the positions index of dimension dim.",
}
op "index_copy_" {
  "(Tensor self, dim dim, Tensor index, Tensor source) -> Tensor",
  forms = {"method"}, writes_self = true, node = "IndexCopyBackward0",
  grad = {self = "index_fill(grad, dim, index, 0)", source = "index_select(grad, dim, index)"},
  cuda = true,
  sample = {{4, 3}, 0, {1, int = 4}, {1, 3}},
  doc = "source to the positions index of dimension dim.",
}
op "index_copy" {
  "(Tensor self, dim dim, Tensor index, Tensor source) -> Tensor",
  autocast = {cpu = "widest"},
  composite = true,
  sample = {{4, 3}, 0, {1, int = 4}, {1, 3}},
  doc = "self with source at the positions index of dimension dim.",
}
op "index_fill_.tensor" {
  "(Tensor self, dim dim, Tensor index, Tensor value) -> Tensor",
  overloaded = true,
  forms = {"method"}, writes_self = true, node = "IndexFillBackward1",
  implementation = "tocha_op_index_fill__tensor",
  backward = "tocha_index_fill_tensor_rule", differentiable = {"self", "value"}, saves = {"index"},
  cuda = true,
  sample = {{4, 3}, 0, {2, int = 4}, {}},
  doc = "The value of a 0-dim tensor to the positions index of dimension dim.",
}
op "index_fill_" {
  "(Tensor self, dim dim, Tensor index, Scalar value) -> Tensor",
  overloaded = true,
  forms = {"method"}, writes_self = true, node = "IndexFillBackward0",
  grad = {self = "index_fill(grad, dim, index, 0)"},
  cuda = true,
  sample = {{4, 3}, 0, {2, int = 4}, 1.5},
  doc = "value to the positions index of dimension dim.",
}
op "index_fill.tensor" {
  "(Tensor self, dim dim, Tensor index, Tensor value) -> Tensor",
  overloaded = true,
  composite = true,
  sample = {{4, 3}, 0, {1, int = 4}, {}},
  doc = "self with the value of a 0-dim tensor at the positions index of dimension dim.",
}
op "index_fill" {
  "(Tensor self, dim dim, Tensor index, Scalar value) -> Tensor",
  overloaded = true,
  composite = true,
  sample = {{4, 3}, 0, {2, int = 4}, 1.5},
  doc = "self with value at the positions index of dimension dim.",
}
op "take" {
  "(Tensor self, Tensor index) -> Tensor",
  out = true,
  grad = {self = "take_backward(grad, sizes(self), index)"},
  cuda = true,
  sample = {{3, 4}, {5, int = 12}},
  doc = "The elements at positions of self seen in one dimension.",
}
op "take_backward" {
  "(Tensor grad_output, int[] sizes, Tensor index) -> Tensor",
  forms = {},
  grad = {grad_output = "take(grad, index)"},
  cuda = true,
  sample = {{5}, {3, 4}, {5, int = 12}},
  doc = "grad_output added to zeros where take reads.",
}
op "gather" {
  "(Tensor self, dim dim, Tensor index, *, bool sparse_grad=false) -> Tensor",
  out = true,
  grad = {self = "gather_backward(grad, sizes(self), dim, index)"},
  cuda = true,
  sample = {{3, 4}, 1, {3, 2, int = 4}},
  doc = "result[i, j] = self[i, index[i, j]] for dim 1, and so on.",
}
op "gather_backward" {
  "(Tensor grad_output, int[] sizes, dim dim, Tensor index) -> Tensor",
  forms = {},
  grad = {grad_output = "gather(grad, dim, index)"},
  cuda = true,
  sample = {{3, 2}, {3, 4}, 1, {3, 2, int = 4}},
  doc = "grad_output added to zeros where gather reads.",
}
op "scatter_" {
  "(Tensor self, dim dim, Tensor index, Tensor src) -> Tensor",
  overloaded = true,
  forms = {"method"}, writes_self = true, node = "ScatterBackward0",
  grad = {self = "scatter_value(grad, dim, index, 0)", src = "gather(grad, dim, index)"},
  cuda = true,
  sample = {{3, 4}, 1, {3, 1, int = 4}, {3, 1}},
  doc = "self[i, index[i, j]] = src[i, j] for dim 1, and so on.",
}
op "scatter_.value" {
  "(Tensor self, dim dim, Tensor index, Scalar value) -> Tensor",
  overloaded = true,
  forms = {"method"}, writes_self = true, node = "ScatterBackward1",
  grad = {self = "scatter_value(grad, dim, index, 0)"},
  cuda = true,
  sample = {{3, 4}, 1, {3, 1, int = 4}, 2.0},
  doc = "self[i, index[i, j]] = value for dim 1, and so on.",
}
op "scatter_add_" {
  "(Tensor self, dim dim, Tensor index, Tensor src) -> Tensor",
  forms = {"method"}, writes_self = true, node = "ScatterAddBackward0",
  grad = {self = "grad", src = "gather(grad, dim, index)"},
  cuda = true,
  sample = {{3, 4}, 1, {3, 2, int = 4}, {3, 2}},
  doc = "self[i, index[i, j]] += src[i, j] for dim 1, and so on.",
}
op "scatter" {
  "(Tensor self, dim dim, Tensor index, Tensor src) -> Tensor",
  overloaded = true,
  composite = true,
  sample = {{3, 4}, 1, {3, 1, int = 4}, {3, 1}},
  doc = "A copy of self after scatter_.",
}
op "scatter.value" {
  "(Tensor self, dim dim, Tensor index, Scalar value) -> Tensor",
  overloaded = true,
  composite = true,
  sample = {{3, 4}, 1, {3, 1, int = 4}, 2.0},
  doc = "A copy of self after scatter_.",
}
op "scatter_add" {
  "(Tensor self, dim dim, Tensor index, Tensor src) -> Tensor",
  autocast = {cuda = "widest"},
  composite = true,
  sample = {{3, 4}, 1, {3, 2, int = 4}, {3, 2}},
  doc = "A copy of self after scatter_add_.",
}
op "take_along_dim" {
  "(Tensor self, Tensor indices, dim? dim) -> Tensor",
  composite = true, out = true,
  sample = {{3, 4}, {3, 1, int = 4}, 1},
  doc = "gather with broadcasting; without dim, both seen in one dimension.",
}
op "one_hot" {
  "(Tensor self, int num_classes=-1) -> Tensor",
  forms = {"nn.functional"},
  cuda = true,
  sample = {{4, int = 3}, 5},
  doc = "A new last dimension with 1 at the class, 0 elsewhere.",
}
op "where" {
  "(Tensor condition, Operand self, Operand other) -> Tensor",
  overloaded = true,
  forms = {"torch"}, out = true,
  grad = {self = "where(condition, grad, 0)", other = "where(condition, 0, grad)"},
  cuda = true,
  sample = {{3, 4, bool = true}, {3, 4}, {4}},
  doc = "self where condition holds, other elsewhere.",
}
op "where.self" {
  "(Tensor self, Tensor condition, Operand other) -> Tensor",
  overloaded = true,
  forms = {"method"}, composite = true,
  sample = {{3, 4}, {3, 4, bool = true}, 1.5},
  doc = "self where condition holds, other elsewhere.",
}
op "where.condition" {
  "(Tensor condition) -> Tensor[]",
  overloaded = true,
  forms = {"torch"},
  cuda = true,
  sample = {{3, 4, bool = true}},
  doc = "nonzero(condition, as_tuple=True).",
}
op "masked_fill_.tensor" {
  "(Tensor self, Tensor mask, Tensor value) -> Tensor",
  overloaded = true,
  forms = {"method"}, writes_self = true, node = "MaskedFillBackward1",
  backward = "tocha_masked_fill_tensor_rule", differentiable = {"self", "value"}, saves = {"mask"},
  cuda = true,
  sample = {{3, 4}, {3, 4, bool = true}, {}},
  doc = "The value of a 0-dim tensor where mask holds.",
}
op "masked_fill_" {
  "(Tensor self, Tensor mask, Scalar value) -> Tensor",
  overloaded = true,
  forms = {"method"}, writes_self = true, node = "MaskedFillBackward0",
  grad = {self = "masked_fill(grad, mask, 0)"},
  cuda = true,
  sample = {{3, 4}, {3, 4, bool = true}, 1.5},
  doc = "value where mask holds.",
}
op "masked_fill" {
  "(Tensor self, Tensor mask, Operand value) -> Tensor",
  overloaded = true,
  composite = true,
  samples = {{{3, 4}, {4, bool = true}, 1.5}, {{3, 4}, {4, bool = true}, {}}},
  doc = "self with value (a number or 0-dim tensor) where mask holds.",
}
op "masked_select" {
  "(Tensor self, Tensor mask) -> Tensor",
  out = true,
  backward = "tocha_masked_select_rule", differentiable = {"self"}, saves = {"mask"},
  cuda = true,
  sample = {{3, 4}, {3, 4, bool = true}},
  doc = "The elements where mask holds, in one dimension.",
}
op "nonzero" {
  "(Tensor self) -> Tensor",
  overloaded = true,
  cuda = true,
  sample = {{3, 4, bool = true}},
  doc = "The coordinates of the elements that are not zero, (count, dimensions).",
}
op "nonzero.tuple" {
  "(Tensor self, *, bool as_tuple) -> Tensor[]",
  overloaded = true,

  cuda = true,
  sample = {{3, 4, bool = true}, as_tuple = true},
  doc = "With as_tuple, one tensor of coordinates per dimension.",
}
op "argwhere" {
  "(Tensor self) -> Tensor",
  implementation = "tocha_op_nonzero",
  cuda = true,
  sample = {{3, 4, bool = true}},
  doc = "nonzero under NumPy's name.",
}

-- --- for autograd's own use ------------------------------------------------------------------------

op "_as_strided_scatter" {
  "(Tensor self, int[] input_size, int[] input_stride, int input_offset, int[] size, int[] stride, int offset) -> Tensor",
  forms = {}, node = "AsStridedScatterBackward0",
  grad = {self = "_as_strided_gather(grad, input_size, input_stride, input_offset, size, stride, offset)"},
  cuda = true,
  sample = {{2, 2}, "[4]", "[1]", 0, "[2, 2]", "[1, 2]", 0},
  doc = "The gradient of input.as_strided(size, stride, offset) where that of the view is self.",
}
op "_as_strided_gather" {
  "(Tensor self, int[] input_size, int[] input_stride, int input_offset, int[] size, int[] stride, int offset) -> Tensor",
  forms = {}, node = "AsStridedGatherBackward0",
  grad = {self = "_as_strided_scatter(grad, input_size, input_stride, input_offset, size, stride, offset)"},
  cuda = true,
  sample = {{4}, "[4]", "[1]", 0, "[2, 2]", "[1, 2]", 0},
  doc = "self, laid out by input_size, input_stride and input_offset, seen through another geometry.",
}
op "sum_to_size" {
  "(Tensor self, size... size) -> Tensor",
  forms = {"method"}, composite = true,
  sample = {{3, 4}, size = {1, 4}},
  doc = "The sum over the dimensions that broadcasting from size would add or repeat.",
}

-- --- reductions ------------------------------------------------------------------------------------

op "sum" {
  "(Tensor self, *, dtype? dtype) -> Tensor",
  autocast = {cuda = "float32_dtype"},
  overloaded = true,
  grad = {self = "_unreduce(grad, sizes(self))"},
  cuda = true,
  samples = {{{3, 4}}, {{2, 3, 4}}},
  doc = "The sum of all elements; bool and integers sum to int64.",
}
op "sum.dim_IntList" {
  "(Tensor self, dim[]? dim, bool keepdim=false, *, dtype? dtype) -> Tensor",
  autocast = {cuda = "float32_dtype"},
  overloaded = true,
  node = "SumBackward1",
  grad = {self = "_unreduce(grad, sizes(self), dim)"},
  cuda = true,
  samples = {{{3, 4}, 1}, {{2, 3, 4}, {0, -1}, keepdim = true}},
  doc = "Sums over the given dimensions.",
}
op "mean" {
  "(Tensor self, *, dtype? dtype) -> Tensor",
  overloaded = true,

  grad = {self = "_mean_backward(grad, sizes(self))"},
  cuda = true,
  sample = {{3, 4}},
  doc = "The mean of all elements.",
}
op "mean.dim" {
  "(Tensor self, dim[]? dim, bool keepdim=false, *, dtype? dtype) -> Tensor",
  overloaded = true,
  node = "MeanBackward1",
  grad = {self = "_mean_backward(grad, sizes(self), dim)"},
  cuda = true,
  samples = {{{3, 4}, 1}, {{2, 3, 4}, {0, -1}, keepdim = true}},
  doc = "Means over the given dimensions.",
}
op "nansum" {
  "(Tensor self, dim[]? dim, bool keepdim=false, *, dtype? dtype) -> Tensor",
  grad = {self = "_unreduce(grad, sizes(self), dim) * eq(self, self)"},
  cuda = true,
  samples = {{{3, 4}}, {{3, 4}, 1}},
  doc = "The sum, NaN counting as zero.",
}
op "nanmean" {
  "(Tensor self, dim[]? dim, bool keepdim=false, *, dtype? dtype) -> Tensor",
  composite = true,
  samples = {{{3, 4}}, {{3, 4}, 1}},
  doc = "The mean of the elements that are not NaN.",
}
op "prod" {
  "(Tensor self, *, dtype? dtype) -> Tensor",
  autocast = {cpu = "float32", cuda = "float32_dtype"},
  overloaded = true,
  grad = {self = "_prod_backward(grad, self, result)"},
  cuda = true,
  sample = {{3, 4}},
  doc = "The product of all elements; bool and integers multiply in int64.",
}
op "prod.dim_int" {
  "(Tensor self, dim dim, bool keepdim=false, *, dtype? dtype) -> Tensor",
  autocast = {cpu = "float32", cuda = "float32_dtype"},
  overloaded = true,
  node = "ProdBackward1",
  grad = {self = "_prod_backward(grad, self, result, dim)"},
  cuda = true,
  samples = {{{3, 4}, 1}, {{3, 4}, 0, keepdim = true}},
  doc = "Products over a dimension.",
}
op "max" {
  "(Tensor self) -> Tensor",
  overloaded = true,
  node = "MaxBackward1",
  grad = {self = "_extreme_backward(grad, self, result)"},
  cuda = true,
  sample = {{3, 4}},
  doc = "The greatest element; NaN where there is one.",
}
op "max.other" {
  "(Tensor self, Tensor other) -> Tensor",
  overloaded = true,
  composite = true,
  sample = {{3, 4}, {3, 4}},
  doc = "The greater of two elements (as maximum).",
}
op "max.dim" {
  "(Tensor self, dim dim, bool keepdim=false) -> (Tensor values, Tensor indices)",
  overloaded = true,
  node = "MaxBackward0",
  grad = {self = "_select_backward(grad_values, dim, indices, sizes(self))"},
  cuda = true,
  samples = {{{3, 4}, 1}, {{2, 3, 4}, 1, keepdim = true}},
  doc = "The greatest elements along a dimension and where they first are.",
}
op "min" {
  "(Tensor self) -> Tensor",
  overloaded = true,
  node = "MinBackward1",
  grad = {self = "_extreme_backward(grad, self, result)"},
  cuda = true,
  sample = {{3, 4}},
  doc = "The smallest element; NaN where there is one.",
}
op "min.other" {
  "(Tensor self, Tensor other) -> Tensor",
  overloaded = true,
  composite = true,
  sample = {{3, 4}, {3, 4}},
  doc = "The smaller of two elements (as minimum).",
}
op "min.dim" {
  "(Tensor self, dim dim, bool keepdim=false) -> (Tensor values, Tensor indices)",
  overloaded = true,
  node = "MinBackward0",
  grad = {self = "_select_backward(grad_values, dim, indices, sizes(self))"},
  cuda = true,
  samples = {{{3, 4}, 1}, {{2, 3, 4}, 1, keepdim = true}},
  doc = "The smallest elements along a dimension and where they first are.",
}
op "amax" {
  "(Tensor self, dim[]? dim, bool keepdim=false) -> Tensor",
  grad = {self = "_extreme_backward(grad, self, result, dim)"},
  cuda = true,
  samples = {{{3, 4}}, {{2, 3, 4}, {0, 2}}},
  doc = "The greatest elements over the given dimensions.",
}
op "amin" {
  "(Tensor self, dim[]? dim, bool keepdim=false) -> Tensor",
  grad = {self = "_extreme_backward(grad, self, result, dim)"},
  cuda = true,
  samples = {{{3, 4}}, {{2, 3, 4}, {0, 2}}},
  doc = "The smallest elements over the given dimensions.",
}
op "aminmax" {
  "(Tensor self, *, dim? dim, bool keepdim=false) -> (Tensor min, Tensor max)",
  backward = "tocha_aminmax_backward", differentiable = {"self"}, saves = {"self", "min", "max"},
  cuda = true,
  samples = {{{3, 4}}, {{3, 4}, dim = 1}},
  doc = "The smallest and the greatest elements.",
}
op "argmax" {
  "(Tensor self, dim? dim, bool keepdim=false) -> Tensor",
  cuda = true,
  samples = {{{3, 4}}, {{3, 4}, 1}},
  doc = "Where the greatest element first is: from 0, over all elements or along a dimension.",
}
op "argmin" {
  "(Tensor self, dim? dim, bool keepdim=false) -> Tensor",
  cuda = true,
  samples = {{{3, 4}}, {{3, 4}, 1}},
  doc = "Where the smallest element first is: from 0, over all elements or along a dimension.",
}
op "all" {
  "(Tensor self, dim[]? dim, bool keepdim=false) -> Tensor",
  overloaded = true,
  cuda = true,
  samples = {{{3, 4, bool = true}}, {{3, 4, bool = true}, 1}},
  doc = "Whether no element is zero.",
}
op "any" {
  "(Tensor self, dim[]? dim, bool keepdim=false) -> Tensor",
  overloaded = true,

  cuda = true,
  samples = {{{3, 4, bool = true}}, {{3, 4, bool = true}, 1}},
  doc = "Whether some element is not zero.",
}
op "count_nonzero" {
  "(Tensor self, dim[]? dim) -> Tensor",
  overloaded = true,
  cuda = true,
  samples = {{{3, 4, int = 2}}, {{3, 4, int = 2}, 1}},
  doc = "How many elements are not zero.",
}
op "var.correction" {
  "(Tensor self, dim[]? dim, *, Scalar? correction, bool keepdim=false) -> Tensor",
  overloaded = true,
  node = "VarBackward0",
  grad = {self = "_var_backward(grad, self, dim, correction)"},
  cuda = true,
  samples = {{{3, 4}}, {{3, 4}, 1, correction = 0}},
  doc = "The variance, sum of squared deviations over (n - correction); correction is 1 by default.",
}
op "var.dim" {
  "(Tensor self, dim[]? dim, bool unbiased=true, bool keepdim=false) -> Tensor",
  overloaded = true,
  composite = true,
  sample = {{3, 4}, 1, false},
  doc = "The variance over dimensions; unbiased divides by n - 1.",
}
op "var" {
  "(Tensor self, bool unbiased=true) -> Tensor",
  overloaded = true,
  composite = true,
  sample = {{3, 4}, false},
  doc = "The variance of all elements; unbiased divides by n - 1.",
}
op "std.correction" {
  "(Tensor self, dim[]? dim, *, Scalar? correction, bool keepdim=false) -> Tensor",
  overloaded = true,
  node = "StdBackward0",
  grad = {self = "_std_backward(grad, self, result, dim, correction)"},
  cuda = true,
  samples = {{{3, 4}}, {{3, 4}, 1, correction = 0}},
  doc = "The standard deviation, the root of the variance.",
}
op "std.dim" {
  "(Tensor self, dim[]? dim, bool unbiased=true, bool keepdim=false) -> Tensor",
  overloaded = true,
  composite = true,
  sample = {{3, 4}, 1, false},
  doc = "The standard deviation over dimensions; unbiased divides by n - 1.",
}
op "std" {
  "(Tensor self, bool unbiased=true) -> Tensor",
  overloaded = true,
  composite = true,
  sample = {{3, 4}, false},
  doc = "The standard deviation of all elements; unbiased divides by n - 1.",
}
op "var_mean.correction" {
  "(Tensor self, dim[]? dim, *, Scalar? correction, bool keepdim=false) -> (Tensor value, Tensor mean)",
  overloaded = true,
  forms = {"torch"}, node = "VarMeanBackward0",
  backward = "tocha_var_mean_backward", differentiable = {"self"}, saves = {"self"},
  cuda = true,
  samples = {{{3, 4}}, {{3, 4}, 1, correction = 0}},
  doc = "The variance and the mean.",
}
op "std_mean.correction" {
  "(Tensor self, dim[]? dim, *, Scalar? correction, bool keepdim=false) -> (Tensor value, Tensor mean)",
  overloaded = true,
  forms = {"torch"}, node = "StdMeanBackward0",
  backward = "tocha_std_mean_backward", differentiable = {"self"}, saves = {"self", "value"},
  cuda = true,
  samples = {{{3, 4}}, {{3, 4}, 1, correction = 0}},
  doc = "The standard deviation and the mean.",
}
op "vector_norm" {
  "(Tensor self, float ord=2, dim[]? dim, bool keepdim=false, *, dtype? dtype) -> Tensor",
  autocast = {cuda = "float32_dtype"},
  forms = {"linalg"}, node = "LinalgVectorNormBackward0",
  implementation = "tocha_op_linalg_vector_norm",
  grad = {self = "_norm_backward(grad, self, result, ord, dim)"},
  cuda = true,
  samples = {{{3, 4}}, {{3, 4}, 1, {1}}, {{3, 4}, 3, {0}, keepdim = true}},
  doc = "(sum |x|^ord)^(1/ord); ord may be infinite (the greatest |x|) or 0 (how many are not zero).",
}
op "norm" {
  "(Tensor self, Scalar? p=2, dim[]? dim, bool keepdim=false, dtype? dtype) -> Tensor",
  composite = true,
  samples = {{{3, 4}}, {{3, 4}, 1, 1}},
  doc = "The vector norm of all elements, or over dimensions.",
}
op "norm.string" {
  "(Tensor self, string p, dim[]? dim, bool keepdim=false, dtype? dtype) -> Tensor",
  composite = true,
  sample = {{3, 4}, "fro"},
  doc = "The norm by name: 'fro' is the root of the sum of squares.",
}
op "norm.linalg" {
  "(Tensor self, Scalar? ord, dim[]? dim, bool keepdim=false, *, dtype? dtype) -> Tensor",
  forms = {"linalg"}, composite = true,
  samples = {{{3, 4}}, {{3, 4}, 1}},
  doc = "A vector norm; of a matrix with ord 1, inf (and negatives) the operator's norm.",
}
op "logsumexp" {
  "(Tensor self, dim[] dim, bool keepdim=false) -> Tensor",
  autocast = {cuda = "float32"},
  grad = {self = "_unreduce(grad, sizes(self), dim) * exp(self - _unreduce(result, sizes(self), dim))"},
  cuda = true,
  samples = {{{3, 4}, 1}, {{3, 4}, {0, 1}, keepdim = true}},
  doc = "log(sum(exp(x))), without overflow.",
}
op "cumsum" {
  "(Tensor self, dim dim, *, dtype? dtype) -> Tensor",
  autocast = {cuda = "float32_dtype"},
  inplace = true,
  grad = {self = "_reverse_cumsum(grad, dim)"},
  cuda = true,
  sample = {{3, 4}, 1},
  doc = "Sums of the elements so far along a dimension.",
}
op "cumprod" {
  "(Tensor self, dim dim, *, dtype? dtype) -> Tensor",
  autocast = {cuda = "float32_dtype"},
  inplace = true,
  grad = {self = "_cumprod_backward(grad, self, result, dim)"},
  cuda = true,
  sample = {{3, 4}, 1},
  doc = "Products of the elements so far along a dimension.",
}
op "cummax" {
  "(Tensor self, dim dim) -> (Tensor values, Tensor indices)",
  grad = {self = "_select_backward(grad_values, dim, indices, sizes(self))"},
  cuda = true,
  sample = {{3, 4}, 1},
  doc = "The greatest element so far along a dimension and where it is.",
}
op "cummin" {
  "(Tensor self, dim dim) -> (Tensor values, Tensor indices)",
  grad = {self = "_select_backward(grad_values, dim, indices, sizes(self))"},
  cuda = true,
  sample = {{3, 4}, 1},
  doc = "The smallest element so far along a dimension and where it is.",
}

-- --- order -------------------------------------------------------------------------------------------

op "sort" {
  "(Tensor self, dim dim=-1, bool descending=false) -> (Tensor values, Tensor indices)",
  overloaded = true,

  grad = {self = "_select_backward(grad_values, dim, indices, sizes(self))"},
  cuda = true,
  samples = {{{3, 4}}, {{3, 4}, 0, true}},
  doc = "The elements in order along a dimension and where they were; NaN is the greatest.",
}
op "sort.stable" {
  "(Tensor self, *, bool? stable, dim dim=-1, bool descending=false) -> (Tensor values, Tensor indices)",
  overloaded = true,
  node = "SortBackward1",
  grad = {self = "_select_backward(grad_values, dim, indices, sizes(self))"},
  cuda = true,
  sample = {{3, 4}, stable = true},
  doc = "As sort; equal elements keep their order.",
}
op "argsort" {
  "(Tensor self, dim dim=-1, bool descending=false, bool stable=false) -> Tensor",
  overloaded = true,

  cuda = true,
  samples = {{{3, 4}}, {{3, 4}, 0, true}},
  doc = "The indices that would sort along a dimension.",
}
op "topk" {
  "(Tensor self, int k, dim dim=-1, bool largest=true, bool sorted=true) -> (Tensor values, Tensor indices)",
  grad = {self = "_select_backward(grad_values, dim, indices, sizes(self))"},
  cuda = true,
  samples = {{{3, 4}, 2}, {{3, 4}, 1, 0, false}},
  doc = "The k greatest (or smallest) elements along a dimension, in order, and where they are.",
}
op "kthvalue" {
  "(Tensor self, int k, dim dim=-1, bool keepdim=false) -> (Tensor values, Tensor indices)",
  grad = {self = "_select_backward(grad_values, dim, indices, sizes(self))"},
  cuda = true,
  sample = {{3, 4}, 2},
  doc = "The k-th smallest element along a dimension (k from 1) and where it is.",
}
op "median" {
  "(Tensor self) -> Tensor",
  overloaded = true,
  grad = {self = "_extreme_backward(grad, self, result)"},
  cuda = true,
  sample = {{3, 5}},
  doc = "The middle element; the lower of two.",
}
op "median.dim" {
  "(Tensor self, dim dim, bool keepdim=false) -> (Tensor values, Tensor indices)",
  overloaded = true,
  node = "MedianBackward1",
  grad = {self = "_select_backward(grad_values, dim, indices, sizes(self))"},
  cuda = true,
  sample = {{3, 4}, 1},
  doc = "The middle elements along a dimension and where they are.",
}
op "nanmedian" {
  "(Tensor self) -> Tensor",
  overloaded = true,
  grad = {self = "_extreme_backward(grad, self, result)"},
  cuda = true,
  sample = {{3, 5}},
  doc = "The middle of the elements that are not NaN.",
}
op "nanmedian.dim" {
  "(Tensor self, dim dim, bool keepdim=false) -> (Tensor values, Tensor indices)",
  overloaded = true,
  node = "NanmedianBackward1",
  grad = {self = "_select_backward(grad_values, dim, indices, sizes(self))"},
  cuda = true,
  sample = {{3, 4}, 1},
  doc = "The middle elements that are not NaN along a dimension.",
}
op "mode" {
  "(Tensor self, dim dim=-1, bool keepdim=false) -> (Tensor values, Tensor indices)",
  grad = {self = "_select_backward(grad_values, dim, indices, sizes(self))"},
  cuda = true,
  sample = {{3, 4}},
  doc = "The most frequent elements along a dimension (the smallest of several) and the last place of each.",
}
op "_unique2" {
  "(Tensor self, bool sorted=true, bool return_inverse=false, bool return_counts=false) -> (Tensor output, Tensor inverse, Tensor counts)",
  forms = {"torch"}, nondifferentiable = true,
  cuda = true,
  sample = {{3, 4, int = 5}},
  doc = "The different elements in order, where each element of self is among them, and how often each occurs.",
}
op "bincount" {
  "(Tensor self, Tensor? weights, int minlength=0) -> Tensor",
  cuda = true,
  sample = {{6, int = 4}},
  doc = "How often each non-negative integer occurs, or the sum of weights there.",
}
op "histc" {
  "(Tensor self, int bins=100, Scalar min=0, Scalar max=0) -> Tensor",
  nondifferentiable = true,
  cuda = true,
  sample = {{20}, 5, -1.0, 1.0},
  doc = "How many elements fall into each of equal bins between min and max (those of the data where equal).",
}

-- --- backward of reductions ------------------------------------------------------------------------------

op "_unreduce" {
  "(Tensor self, size[] sizes, dim[]? dim) -> Tensor",
  forms = {}, composite = true,
  sample = {{3}, {3, 4}, {1}},
  doc = "A result of a reduction spread over the sizes it came from.",
}
op "_mean_backward" {
  "(Tensor grad_output, size[] sizes, dim[]? dim) -> Tensor",
  forms = {}, composite = true,
  sample = {{3}, {3, 4}, {1}},
  doc = "The gradient of mean.",
}
op "_extreme_backward" {
  "(Tensor grad_output, Tensor self, Tensor result, dim[]? dim) -> Tensor",
  forms = {}, composite = true,
  sample = {{3}, {3, 4}, {3}, {1}},
  doc = "The gradient of amax and its like: in equal parts to the elements that equal the result.",
}
op "_select_backward" {
  "(Tensor grad_output, dim dim, Tensor index, size[] sizes) -> Tensor",
  forms = {}, composite = true,
  sample = {{3, 2}, 1, {3, 2, int = 4}, {3, 4}},
  doc = "Zeros, to which the gradients of chosen elements are added.",
}
op "_prod_backward" {
  "(Tensor grad_output, Tensor self, Tensor result, dim[]? dim) -> Tensor",
  forms = {}, composite = true,
  sample = {{3}, {3, 4}, {3}, {1}},
  doc = "The gradient of prod: the products of the others.",
}
op "_cumprod_backward" {
  "(Tensor grad_output, Tensor self, Tensor result, dim dim) -> Tensor",
  forms = {}, composite = true,
  sample = {{3, 4}, {3, 4}, {3, 4}, 1},
  doc = "The gradient of cumprod.",
}
op "_products_of_others" {
  "(Tensor self, dim dim, Tensor? running) -> Tensor",
  forms = {}, nondifferentiable = true,
  cuda = true,
  sample = {{3, 4}, 1},
  doc = "For each element the product of the others along a dimension.",
}
op "_reverse_cumsum" {
  "(Tensor self, dim dim) -> Tensor",
  forms = {}, node = "FlipBackward0",
  grad = {self = "cumsum(grad, dim)"},
  cuda = true,
  sample = {{3, 4}, 1},
  doc = "Sums of the elements from here to the end along a dimension.",
}
op "_var_backward" {
  "(Tensor grad_output, Tensor self, dim[]? dim, Scalar? correction) -> Tensor",
  forms = {}, composite = true,
  sample = {{3}, {3, 4}, {1}},
  doc = "The gradient of var.",
}
op "_std_backward" {
  "(Tensor grad_output, Tensor self, Tensor result, dim[]? dim, Scalar? correction) -> Tensor",
  forms = {}, composite = true,
  sample = {{3}, {3, 4}, {3, positive = true}, {1}},
  doc = "The gradient of std.",
}
op "_norm_backward" {
  "(Tensor grad_output, Tensor self, Tensor result, float ord, dim[]? dim) -> Tensor",
  forms = {}, composite = true,
  sample = {{3}, {3, 4}, {3, positive = true}, 2.0, {1}},
  doc = "The gradient of a vector norm.",
}

-- --- softmax ---------------------------------------------------------------------------------------------

op "softmax" {
  "(Tensor self, dim dim, dtype? dtype) -> Tensor",
  autocast = {cuda = "float32_dtype"},
  grad = {self = "_softmax_backward_data(grad, result, dim)"},
  cuda = true,
  samples = {{{3, 4}, 1}, {{3, 4}, 0}},
  doc = "exp(x) / sum(exp(x)) along a dimension.",
}
op "softmax.functional" {
  "(Tensor input, dim? dim, int _stacklevel=3, dtype? dtype) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  sample = {{3, 4}, 1},
  doc = "exp(x) / sum(exp(x)) along a dimension.",
}
op "log_softmax" {
  "(Tensor self, dim dim, dtype? dtype) -> Tensor",
  autocast = {cuda = "float32_dtype"},
  grad = {self = "_log_softmax_backward_data(grad, result, dim)"},
  cuda = true,
  samples = {{{3, 4}, 1}, {{3, 4}, 0}},
  doc = "log(softmax(x)) along a dimension, without overflow.",
}
op "log_softmax.functional" {
  "(Tensor input, dim? dim, int _stacklevel=3, dtype? dtype) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  sample = {{3, 4}, 1},
  doc = "log(softmax(x)) along a dimension, without overflow.",
}
op "softmin" {
  "(Tensor input, dim? dim, int _stacklevel=3, dtype? dtype) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  sample = {{3, 4}, 1},
  doc = "softmax(-x) along a dimension.",
}
op "_softmax_backward_data" {
  "(Tensor grad_output, Tensor output, dim dim) -> Tensor",
  forms = {}, node = "SoftmaxBackwardDataBackward0",
  grad = {grad_output = "_softmax_backward_data(grad, output, dim)",
    output = "grad * (grad_output - sum_dim_IntList(grad_output * output, [dim], true)) - grad_output * sum_dim_IntList(grad * output, [dim], true)"},
  cuda = true,
  sample = {{3, 4}, {3, 4}, 1},
  doc = "(grad - sum(grad * output)) * output, the gradient of softmax.",
}
op "_log_softmax_backward_data" {
  "(Tensor grad_output, Tensor output, dim dim) -> Tensor",
  forms = {}, node = "LogSoftmaxBackwardDataBackward0",
  grad = {grad_output = "grad - sum_dim_IntList(grad * exp(output), [dim], true)",
    output = "-(grad * exp(output) * sum_dim_IntList(grad_output, [dim], true))"},
  cuda = true,
  sample = {{3, 4}, {3, 4}, 1},
  doc = "grad - exp(output) * sum(grad), the gradient of log_softmax.",
}

-- --- matrix products -----------------------------------------------------------------------------------------

op "mm" {
  "(Tensor self, Tensor mat2) -> Tensor",
  autocast = "lower",
  overloaded = true,
  out = true,
  grad = {self = "mm(grad, t(mat2))", mat2 = "mm(t(self), grad)"},
  cuda = true,
  sample = {{3, 4}, {4, 2}},
  doc = "The product of two matrices, (M, K) @ (K, N).",
}
op "bmm" {
  "(Tensor self, Tensor mat2) -> Tensor",
  autocast = "lower",
  overloaded = true,
  out = true,
  grad = {self = "bmm(grad, transpose(mat2, 1, 2))", mat2 = "bmm(transpose(self, 1, 2), grad)"},
  cuda = true,
  sample = {{2, 3, 4}, {2, 4, 2}},
  doc = "Products of two batches of matrices, (B, M, K) @ (B, K, N).",
}
op "mv" {
  "(Tensor self, Tensor vec) -> Tensor",
  autocast = {cuda = "lower"},
  out = true,
  grad = {self = "outer(grad, vec)", vec = "mv(t(self), grad)"},
  cuda = true,
  sample = {{3, 4}, {4}},
  doc = "A matrix times a vector.",
}
op "dot" {
  "(Tensor self, Tensor tensor) -> Tensor",
  autocast = {cuda = "widest"},
  out = true,
  grad = {self = "grad * tensor", tensor = "grad * self"},
  cuda = true,
  sample = {{4}, {4}},
  doc = "The inner product of two vectors.",
}
op "vdot" {
  "(Tensor self, Tensor other) -> Tensor",
  autocast = {cuda = "widest"},
  out = true,
  grad = {self = "grad * other", other = "grad * self"},
  cuda = true,
  sample = {{4}, {4}},
  doc = "The inner product of two vectors (of real numbers: as dot).",
}
op "addmm" {
  "(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
  autocast = "lower",
  overloaded = true,
  inplace = true, out = true,
  backward = "tocha_addmm_backward", differentiable = {"self", "mat1", "mat2"}, saves = {"mat1", "mat2"},
  cuda = true,
  samples = {{{3, 2}, {3, 4}, {4, 2}}, {{2}, {3, 4}, {4, 2}, beta = 0.5, alpha = 2.0}},
  doc = "beta * self + alpha * (mat1 @ mat2).",
}
op "addmv" {
  "(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
  autocast = {cuda = "lower"},
  overloaded = "one",
  inplace = true, out = true,
  grad = {self = "grad * beta", mat = "outer(grad, vec) * alpha", vec = "mv(t(mat), grad) * alpha"},
  cuda = true,
  sample = {{3}, {3, 4}, {4}, beta = 0.5, alpha = 2.0},
  doc = "beta * self + alpha * (mat @ vec).",
}
op "addbmm" {
  "(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
  autocast = "lower",
  overloaded = "one",
  inplace = true, out = true,
  grad = {self = "grad * beta", batch1 = "matmul(grad, transpose(batch2, 1, 2)) * alpha",
    batch2 = "matmul(transpose(batch1, 1, 2), grad) * alpha"},
  cuda = true,
  sample = {{3, 2}, {2, 3, 4}, {2, 4, 2}, beta = 0.5, alpha = 2.0},
  doc = "beta * self + alpha * the sum over the batch of (batch1 @ batch2).",
}
op "baddbmm" {
  "(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
  autocast = "lower",
  overloaded = true,
  inplace = true, out = true,
  grad = {self = "grad * beta", batch1 = "bmm(grad, transpose(batch2, 1, 2)) * alpha",
    batch2 = "bmm(transpose(batch1, 1, 2), grad) * alpha"},
  cuda = true,
  sample = {{2, 3, 2}, {2, 3, 4}, {2, 4, 2}, beta = 0.5, alpha = 2.0},
  doc = "beta * self + alpha * (batch1 @ batch2).",
}
op "matmul" {
  "(Tensor self, Tensor other) -> Tensor",
  autocast = "lower",
  composite = true, out = true,
  samples = {{{3, 4}, {4, 2}}, {{2, 3, 4}, {4}}, {{2, 3, 4}, {4, 2}}, {{2, 1, 3, 4}, {2, 4, 2}}},
  doc = "The product of matrices and vectors; leading dimensions are batches and broadcast.",
}
op "linear" {
  "(Tensor input, Tensor weight, Tensor? bias) -> Tensor",
  autocast = "lower",
  forms = {"nn.functional"}, composite = true,
  samples = {{{3, 4}, {2, 4}, {2}}, {{2, 3, 4}, {2, 4}}},
  doc = "input @ weight.T + bias.",
}
op "bilinear" {
  "(Tensor input1, Tensor input2, Tensor weight, Tensor? bias) -> Tensor",
  autocast = {cuda = "widest"},
  forms = {"torch", "nn.functional"}, composite = true,
  sample = {{3, 4}, {3, 2}, {5, 4, 2}, {5}},
  doc = "input1 @ weight[o] @ input2 + bias[o], for every o.",
}
op "outer" {
  "(Tensor self, Tensor vec2) -> Tensor",
  composite = true, out = true, aliases = {"ger"},
  sample = {{3}, {4}},
  doc = "All products of an element of one vector and one of another.",
}
op "inner" {
  "(Tensor self, Tensor other) -> Tensor",
  autocast = {cuda = "widest"},
  composite = true, out = true,
  samples = {{{3}, {3}}, {{2, 3}, {4, 3}}},
  doc = "Inner products over the last dimensions of both.",
}
op "multi_dot" {
  "(Tensor[] tensors) -> Tensor",
  autocast = {cuda = "lower"},
  forms = {"linalg"}, composite = true, implementation = "tocha_op_linalg_multi_dot",
  sample = {{{2, 3}, {3, 4}, {4, 2}}},
  doc = "The product of several matrices in the order that costs least.",
}

-- --- losses ------------------------------------------------------------------------------------------------------

op "mse_loss" {
  "(Tensor input, Tensor target, bool? size_average, bool? reduce, string reduction='mean', Tensor? weight) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  samples = {{{3, 4}, {3, 4}}, {{3, 4}, {3, 4}, reduction = "sum"}},
  doc = "The mean of (input - target)^2.",
}
op "l1_loss" {
  "(Tensor input, Tensor target, bool? size_average, bool? reduce, string reduction='mean', Tensor? weight) -> Tensor",
  autocast = "float32",
  forms = {"nn.functional"}, composite = true,
  sample = {{3, 4}, {3, 4}},
  doc = "The mean of |input - target|.",
}
op "smooth_l1_loss" {
  "(Tensor input, Tensor target, bool? size_average, bool? reduce, string reduction='mean', float beta=1.0) -> Tensor",
  autocast = "float32",
  forms = {"nn.functional"}, composite = true,
  sample = {{3, 4}, {3, 4}},
  doc = "The mean of d^2 / (2 beta) where |d| < beta, else |d| - beta / 2.",
}
op "huber_loss" {
  "(Tensor input, Tensor target, string reduction='mean', float delta=1.0, Tensor? weight) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  sample = {{3, 4}, {3, 4}},
  doc = "The mean of d^2 / 2 where |d| <= delta, else delta * (|d| - delta / 2).",
}
op "nll_loss" {
  "(Tensor input, Tensor target, Tensor? weight, bool? size_average, int ignore_index=-100, bool? reduce, string reduction='mean') -> Tensor",
  forms = {"nn.functional"}, composite = true,
  sample = {{3, 4}, {3, int = 4}},
  doc = "The mean of -input[n, target[n]] over log probabilities (N, C, ...).",
}
op "cross_entropy" {
  "(Tensor input, Tensor target, Tensor? weight, bool? size_average, int ignore_index=-100, bool? reduce, string reduction='mean', float label_smoothing=0.0) -> Tensor",
  autocast = {cpu = "float32"},
  forms = {"nn.functional"}, composite = true,
  samples = {{{3, 4}, {3, int = 4}}, {{3, 4}, {3, int = 4}, label_smoothing = 0.1}, {{3, 4}, {3, 4, positive = true}}},
  doc = "nll_loss of log_softmax(input); the target may be class indices or probabilities.",
}
op "binary_cross_entropy" {
  "(Tensor input, Tensor target, Tensor? weight, bool? size_average, bool? reduce, string reduction='mean') -> Tensor",
  autocast = {cpu = "float32", cuda = "refuse"},
  forms = {"nn.functional"}, composite = true,
  sample = {{3, 4, unit = true}, {3, 4, unit = true}},
  doc = "The mean of -(t log x + (1 - t) log(1 - x)).",
}
op "binary_cross_entropy_with_logits" {
  "(Tensor input, Tensor target, Tensor? weight, bool? size_average, bool? reduce, string reduction='mean', Tensor? pos_weight) -> Tensor",
  autocast = "float32",
  forms = {"nn.functional"}, composite = true,
  sample = {{3, 4}, {3, 4, positive = true}},
  doc = "binary_cross_entropy of sigmoid(input), without overflow.",
}
op "kl_div" {
  "(Tensor input, Tensor target, bool? size_average, bool? reduce, string reduction='mean', bool log_target=false) -> Tensor",
  autocast = "float32",
  forms = {"nn.functional"}, composite = true,
  sample = {{3, 4}, {3, 4, positive = true}, reduction = "batchmean"},
  doc = "The mean of target * (log target - input).",
}
op "hinge_embedding_loss" {
  "(Tensor input, Tensor target, float margin=1.0, bool? size_average, bool? reduce, string reduction='mean') -> Tensor",
  autocast = "float32",
  forms = {"nn.functional"}, composite = true,
  sample = {{3, 4}, {3, 4}},
  doc = "The mean of input where the target is 1, of max(0, margin - input) where it is -1.",
}
op "_mse_loss" {
  "(Tensor self, Tensor target, int reduction) -> Tensor",
  autocast = "float32",
  forms = {}, node = "MseLossBackward0",
  grad = {self = "_loss_backward(grad, self, target, 0, 1.0, reduction)",
    target = "-_loss_backward(grad, self, target, 0, 1.0, reduction)"},
  cuda = true,
  sample = {{3, 4}, {3, 4}, 1},
  doc = "mse_loss with a numbered reduction.",
}
op "_smooth_l1_loss" {
  "(Tensor self, Tensor target, int reduction, float beta) -> Tensor",
  forms = {}, node = "SmoothL1LossBackward0",
  grad = {self = "_loss_backward(grad, self, target, 1, beta, reduction)",
    target = "-_loss_backward(grad, self, target, 1, beta, reduction)"},
  cuda = true,
  sample = {{3, 4}, {3, 4}, 1, 1.0},
  doc = "smooth_l1_loss with a numbered reduction.",
}
op "_huber_loss" {
  "(Tensor self, Tensor target, int reduction, float delta) -> Tensor",
  autocast = "float32",
  forms = {}, node = "HuberLossBackward0",
  grad = {self = "_loss_backward(grad, self, target, 2, delta, reduction)",
    target = "-_loss_backward(grad, self, target, 2, delta, reduction)"},
  cuda = true,
  sample = {{3, 4}, {3, 4}, 1, 1.0},
  doc = "huber_loss with a numbered reduction.",
}
op "_binary_cross_entropy" {
  "(Tensor self, Tensor target, Tensor? weight, int reduction) -> Tensor",
  forms = {}, node = "BinaryCrossEntropyBackward0",
  grad = {self = "_binary_cross_entropy_backward(grad, self, target, weight, reduction)",
    target = "_binary_cross_entropy_target_backward(grad, self, target, weight, reduction)"},
  cuda = true,
  sample = {{3, 4, unit = true}, {3, 4, unit = true}, reduction = 1},
  doc = "binary_cross_entropy with a numbered reduction.",
}
op "_bce_with_logits" {
  "(Tensor self, Tensor target, Tensor? weight, Tensor? pos_weight, int reduction) -> Tensor",
  forms = {}, node = "BinaryCrossEntropyWithLogitsBackward0",
  grad = {self = "_bce_with_logits_backward(grad, self, target, weight, pos_weight, reduction)",
    target = "_bce_with_logits_target_backward(grad, self, weight, pos_weight, reduction)"},
  cuda = true,
  sample = {{3, 4}, {3, 4, positive = true}, reduction = 1},
  doc = "binary_cross_entropy_with_logits with a numbered reduction.",
}
op "_nll_loss" {
  "(Tensor self, Tensor target, Tensor? weight, int reduction, int ignore_index) -> Tensor",
  autocast = "float32",
  forms = {}, node = "NllLossBackward0",
  grad = {self = "_nll_loss_backward(grad, sizes(self), target, weight, reduction, ignore_index)"},
  cuda = true,
  sample = {{3, 4}, {3, int = 4}, reduction = 1, ignore_index = -100},
  doc = "nll_loss with a numbered reduction.",
}
op "_nll_loss2d" {
  "(Tensor self, Tensor target, Tensor? weight, int reduction, int ignore_index) -> Tensor",
  autocast = "float32",
  forms = {}, node = "NllLoss2DBackward0", implementation = "tocha_op__nll_loss",
  grad = {self = "_nll_loss_backward(grad, sizes(self), target, weight, reduction, ignore_index)"},
  cuda = true,
  sample = {{2, 4, 3, 1}, {2, 3, 1, int = 4}, reduction = 1, ignore_index = -100},
  doc = "nll_loss of images, (N, C, H, W).",
}
op "_loss_slope" {
  "(Tensor self, Tensor target, int kind, float p, int order, int reduction) -> Tensor",
  forms = {}, node = "LossBackwardBackward0",
  grad = {self = "grad * _loss_slope(self, target, kind, p, order + 1, reduction)",
    target = "-(grad * _loss_slope(self, target, kind, p, order + 1, reduction))"},
  cuda = true,
  sample = {{3, 4}, {3, 4}, 0, 1.0, 1, 1},
  doc = "A derivative of a loss of (self - target), by element.",
}
op "_loss_backward" {
  "(Tensor grad_output, Tensor self, Tensor target, int kind, float p, int reduction) -> Tensor",
  forms = {}, node = "LossBackwardBackward0",
  grad = {grad_output = "grad * _loss_slope(self, target, kind, p, 1, reduction)",
    self = "grad * grad_output * _loss_slope(self, target, kind, p, 2, reduction)",
    target = "-(grad * grad_output * _loss_slope(self, target, kind, p, 2, reduction))"},
  cuda = true,
  sample = {{}, {3, 4}, {3, 4}, 0, 1.0, 1},
  doc = "grad_output times the slope of a loss of (self - target).",
}
op "_binary_cross_entropy_backward" {
  "(Tensor grad_output, Tensor self, Tensor target, Tensor? weight, int reduction) -> Tensor",
  forms = {}, composite = true,
  sample = {{}, {3, 4, unit = true}, {3, 4, unit = true}, reduction = 1},
  doc = "The gradient of binary_cross_entropy.",
}
op "_binary_cross_entropy_target_backward" {
  "(Tensor grad_output, Tensor self, Tensor target, Tensor? weight, int reduction) -> Tensor",
  forms = {}, composite = true,
  sample = {{}, {3, 4, unit = true}, {3, 4, unit = true}, reduction = 1},
  doc = "The gradient of binary_cross_entropy by its target.",
}
op "_bce_with_logits_backward" {
  "(Tensor grad_output, Tensor self, Tensor target, Tensor? weight, Tensor? pos_weight, int reduction) -> Tensor",
  forms = {}, composite = true,
  sample = {{}, {3, 4}, {3, 4, positive = true}, reduction = 1},
  doc = "The gradient of binary_cross_entropy_with_logits.",
}
op "_bce_with_logits_target_backward" {
  "(Tensor grad_output, Tensor self, Tensor? weight, Tensor? pos_weight, int reduction) -> Tensor",
  forms = {}, composite = true,
  sample = {{}, {3, 4}, reduction = 1},
  doc = "The gradient of binary_cross_entropy_with_logits by its target.",
}
op "_nll_loss_backward" {
  "(Tensor grad_output, size[] sizes, Tensor target, Tensor? weight, int reduction, int ignore_index) -> Tensor",
  forms = {}, node = "NllLossBackwardBackward0",
  grad = {grad_output = "_nll_loss(grad, target, weight, reduction, ignore_index)"},
  cuda = true,
  sample = {{}, {3, 4}, {3, int = 4}, reduction = 1, ignore_index = -100},
  doc = "The gradient of nll_loss.",
}

-- --- mixed precision (amp/) ---------------------------------------------------------------------------

op "_amp_foreach_non_finite_check_and_unscale_" {
  "(Tensor[] self, Tensor found_inf, Tensor inv_scale) -> Tensor",
  forms = {"torch"}, composite = true, nondifferentiable = true, nogradcheck = true,
  sample = {{{3, 4}, {5}}, {1, positive = true}, {1, positive = true}},
  doc = "Every tensor times inv_scale, in place; found_inf, which is returned, becomes 1 where an element was not finite.",
}
op "_amp_update_scale_" {
  "(Tensor self, Tensor growth_tracker, Tensor found_inf, float scale_growth_factor, float scale_backoff_factor, int growth_interval) -> Tensor",
  forms = {"torch"}, composite = true, writes_self = true, nondifferentiable = true, nogradcheck = true,
  sample = {{1, positive = true}, {1, int = 3, dtype = "int32"}, {1, positive = true}, 2.0, 0.5, 3},
  doc = "self becomes self * backoff where found_inf is set, and self * growth after growth_interval calls without.",
}
