-- arithmetic.lua: arithmetic (the notation: list/read.lua).

formula "add_plain" {"(Tensor self, Tensor other)", "ADD(self, other)", types = "numbers"}
op "add" {
  "(Tensor self, Operand other, *, Scalar alpha=1) -> Tensor",
  formula = {"MULADD(alpha, other, self)", types = "numbers",
    prepare = "tocha_prepare_add", refuses_last = true},
  number_first = "both",
  inplace = true,
  grad = {self = "grad", other = "scaled(grad, alpha)"},
  samples = {{{3, 4}, {3, 4}}, {{3, 4}, {4}, alpha = 2}, {{2, 1}, 1.5}},
  symbol = "+", reversed = "+",
  details = "The dtypes are promoted: int64 + float32 is float32. A number promotes only to a higher kind, so that an int64 tensor + 1.5 is " ..
    "float32. alpha must be an integer if both are. a + b in Lua is the same.",
  doc = "self + alpha * other, with broadcasting.",
}
formula "sub_plain" {"(Tensor self, Tensor other)", "SUB(self, other)", types = "numbers"}
op "sub" {
  "(Tensor self, Operand other, *, Scalar alpha=1) -> Tensor",
  formula = {"MULADD(MUL(alpha, (T)-1), other, self)", types = "numbers",
    prepare = "tocha_prepare_sub", refuses_last = true},
  number_first = "both",
  inplace = true, aliases = {"subtract"},
  grad = {self = "grad", other = "negated(grad, alpha)"},
  samples = {{{3, 4}, {3, 4}}, {{3, 4}, {3, 1}, alpha = 2}},
  symbol = "-",
  details = "self and other broadcast, and their dtypes are promoted. bool is an error: use ~ or torch.logical_xor. a - b in Lua is the same.",
  doc = "self - alpha * other.",
}
op "scaled" {
  "(Tensor grad_output, Scalar factor) -> Tensor",
  forms = {}, composite = true,
  sample = {{3, 4}, 2.0},
  doc = "grad_output * factor, or grad_output itself if factor is 1.",
}
op "negated" {
  "(Tensor grad_output, Scalar factor) -> Tensor",
  forms = {}, composite = true,
  sample = {{3, 4}, 2.0},
  doc = "-grad_output * factor.",
}
op "rsub" {
  "(Tensor self, Operand other, *, Scalar alpha=1) -> Tensor",
  forms = {"torch"},
  grad = {self = "negated(grad, alpha)", other = "grad"},
  samples = {{{3, 4}, {3, 4}}, {{3, 4}, 2.0}},
  reversed = "-",
  doc = "other - alpha * self.",
}
op "mul" {
  "(Tensor self, Operand other) -> Tensor",
  formula = {"MUL(self, other)", types = "numbers", keeps_precision = true},
  number_first = "both",
  inplace = true, aliases = {"multiply"},
  grad = {self = "grad * other", other = "grad * self"},
  samples = {{{3, 4}, {3, 4}}, {{3, 4}, {4}}, {{3}, 2.5}},
  symbol = "*", reversed = "*",
  details = "Elementwise; a product of matrices is a:matmul(b). The dtypes are promoted. a * b in Lua is the same.",
  doc = "self * other, with broadcasting.",
}
op "_mul_number" {
  "(Tensor self, Scalar other) -> Tensor",
  formula = "mul",
  float8 = '"mul_cpu_reduced_float" not implemented for \'{dtype}\'',
  forms = {},
  grad = {self = "grad * other"},
  sample = {{3, 4}, 2},
  doc = "self * other as operators made of operators multiply by a number.",
}
op "div" {
  "(Tensor self, Operand other) -> Tensor",
  formula = {"self / other", promotion = "floating", keeps_precision = true},
  number_first = {both = true, grad = {other = "-grad * (div_number(self, other) / other)"}},
  inplace = true, aliases = {"divide"},
  grad = {self = "grad / other", other = "-grad * ((self / other) / other)"},
  samples = {{{3, 4}, {3, 4, positive = true}}, {{3}, 2.0}},
  symbol = "/",
  details = "self and other broadcast. Division by 0 gives inf or nan for floating point. With rounding_mode = 'floor' or 'trunc', integers " ..
    "stay integers, and their division by 0 is an error. a / b and a // b in Lua are the same.",
  doc = "self / other; integers divide to floating point.",
}
op "true_divide" {
  "(Tensor self, Operand other) -> Tensor",
  formula = "div",
  number_first = {both = true, grad = {other = "-grad * (div_number(self, other) / other)"}},
  inplace = true,
  grad = {self = "grad / other", other = "-grad * ((self / other) / other)"},
  sample = {{3, 4}, {3, 4, positive = true}},
  doc = "self / other; integers divide to floating point.",
}
op "_div_number" {
  "(Tensor self, Scalar other) -> Tensor",
  formula = "div",
  float8 = '"div_cpu_reduced_float" not implemented for \'{dtype}\'',
  forms = {},
  grad = {self = "grad / other"},
  sample = {{3, 4}, 2},
  doc = "self / other as operators made of operators divide by a number.",
}
formula "trunc_divide" {
  "(Tensor self, Tensor other)",
  "TRUNC_DIVIDE(self, other)",
  types = "reals", kernel = "div_trunc_cpu", prepare = "tocha_prepare_quotient", refuses_last = true,
}
op "div.mode" {
  "(Tensor self, Operand other, *, string? rounding_mode) -> Tensor",
  number_first = {both = true, composite = true, nogradcheck = true},
  inplace = true, aliases = {"divide"}, backward = "tocha_grad_div_mode", differentiable = {"self", "other"}, saves = {"other", other = "self"},
  sample = {{3, 4}, {3, 4, positive = true}, rounding_mode = "floor"},
  doc = "self / other, the quotient rounded ('floor' or 'trunc').",
}
op "floor_divide" {
  "(Tensor self, Operand other) -> Tensor",
  formula = {"FLOOR_DIVIDE(self, other)", types = "reals", keeps_precision = true, loop = "vectors", kernel = "div_floor_cpu",
    prepare = "tocha_prepare_quotient", refuses_last = true},
  number_first = "both",
  inplace = true, nogradcheck = true,
  backward = "tocha_grad_not_implemented", differentiable = {"self", "other"},
  sample = {{3, 4}, {3, 4, positive = true}},
  symbol = "//",
  doc = "The largest integer not above self / other.",
}
op "remainder" {
  "(Tensor self, Tensor other) -> Tensor",
  formula = {"REMAINDER(self, other)", types = "reals", loop = "vectors", prepare = "tocha_prepare_quotient", refuses_last = true},
  number_first = {backward = "tocha_grad_not_implemented", differentiable = {"other"}, nogradcheck = true},
  inplace = true,
  grad = {self = "grad", other = "-grad * div_mode(self, other, rounding_mode='floor')"},
  sample = {{3, 4}, {3, 4, positive = true}},
  symbol = "%",
  details = "self and other broadcast, and their dtypes are promoted; modulo 0 is nan for floating point, an error for integers. torch.fmod " ..
    "takes self's sign. a % b in Lua is the same.",
  doc = "self modulo other, with other's sign.",
}
op "remainder.scalar" {
  "(Tensor self, Scalar other) -> Tensor",
  formula = "remainder",
  inplace = true,
  grad = {self = "grad"},
  sample = {{3, 4}, 1.5},
  doc = "self modulo other, with other's sign.",
}
op "fmod" {
  "(Tensor self, Tensor other) -> Tensor",
  formula = {"FMOD(self, other)", types = "reals", loop = "vectors", prepare = "tocha_prepare_quotient", refuses_last = true},
  inplace = true,
  grad = {self = "grad", other = "-grad * div_mode(self, other, rounding_mode='trunc')"},
  sample = {{3, 4}, {3, 4, positive = true}},
  doc = "self modulo other, with self's sign.",
}
op "fmod.scalar" {
  "(Tensor self, Scalar other) -> Tensor",
  formula = "fmod",
  inplace = true,
  grad = {self = "grad"},
  sample = {{3, 4}, 1.5},
  doc = "self modulo other, with self's sign.",
}
formula "square" {"(Tensor self)", "MUL(self, self)", types = "numbers"}
formula "cube" {"(Tensor self)", "MUL(MUL(self, self), self)", types = "numbers"}
formula "inverse_square" {"(Tensor self)", "1 / (self * self)", promotion = "floating"}
formula "bfloat16_cube" {"(Tensor self)", "(T)tocha_as_bfloat16((float)(self * self)) * self"}
formula "bfloat16_inverse_square" {"(Tensor self)", "1 / (T)tocha_as_bfloat16((float)(self * self))"}
formula "bfloat16_inverse_root" {"(Tensor self)", "1 / (T)tocha_as_bfloat16((float)SQRT(self))"}
op "pow" {
  "(Tensor self, Tensor exponent) -> Tensor",
  formula = {"POWER(self, exponent)", types = "reals", loop = "pairs", kernel = "pow",
    prepare = "tocha_prepare_pow"},
  inplace = true, backward = "tocha_grad_pow", differentiable = {"self", "exponent"}, saves = {"self", "exponent", "result"},
  sample = {{3, 4, positive = true}, {3, 4}},
  symbol = "**",
  details = "self and exponent broadcast, and their dtypes are promoted. Integers to a negative power are an error; convert to float first. x " ..
    "^ 2 in Lua is the same.",
  doc = "self to the power of exponent.",
}
op "pow.number" {
  "(Scalar self, Tensor exponent) -> Tensor",
  formula = "pow",
  forms = {"torch"}, backward = "tocha_grad_pow_number", differentiable = {"exponent"}, saves = {"exponent", "result"},
  sample = {2.5, {3, 4}},
  doc = "A number to the power of exponent.",
}
op "pow.scalar" {
  "(Tensor self, Scalar exponent) -> Tensor",
  formula = "pow",
  inplace = true, backward = "tocha_grad_pow_scalar", differentiable = {"self"}, saves = {"self"},
  sample = {{3, 4, positive = true}, 2.5},
  doc = "self to the power of a number.",
}
op "float_power" {
  "(Tensor self, Operand exponent) -> Tensor",
  number_first = {composite = true, sample = {2.5, {3, 4}}},
  composite = true, inplace = {implementation = "tocha_op_float_power_inplace"},
  sample = {{3, 4, positive = true}, 2},
  doc = "self to the power of exponent in float64.",
}
op "neg" {
  "(Tensor self) -> Tensor",
  formula = {"MUL(self, (T)-1)", types = "numbers", prepare = "tocha_prepare_neg"},
  inplace = "torch", aliases = {"negative"},
  grad = {self = "-grad"},
  symbol = "-",
  doc = "-self.",
}
op "positive" {
  "(Tensor self) -> Tensor",
  composite = true,
  doc = "self.",
}
op "square" {
  "(Tensor self) -> Tensor",
  inplace = "torch",
  grad = {self = "grad * (self * 2)"},
  doc = "self * self.",
  details = "Element by element; the dtype stays (bool becomes int64), and integers that do not fit wrap around. As a power it is x ^ 2; for the " ..
    "root of a sum of squares use torch.linalg.vector_norm.",
}
op "sqrt" {
  "(Tensor self) -> Tensor",
  formula = {"TENSOR_SQRT(self)", promotion = "floating", loop = "vectors"},
  inplace = "torch",
  grad = {self = "grad / (result * 2)"},
  sample = {{3, 4, positive = true}},
  details = "Integers become floating point. The root of a negative number is nan, and the gradient at 0 is inf.",
  doc = "The square root.",
}
op "rsqrt" {
  "(Tensor self) -> Tensor",
  formula = {"1 / SQRT(self)", promotion = "floating"},
  inplace = "torch",
  grad = {self = "grad * (-0.5) * (result * result * result)"},
  sample = {{3, 4, positive = true}},
  doc = "1 / sqrt(self).",
}
op "reciprocal" {
  "(Tensor self) -> Tensor",
  formula = {"1 / self", promotion = "floating"},
  inplace = "torch",
  grad = {self = "-grad * (result * result)"},
  sample = {{3, 4, positive = true}},
  doc = "1 / self.",
}
op "_rdiv" {
  "(Tensor self, Scalar other) -> Tensor",
  forms = {}, composite = "other / self",
  reversed = "/",
  sample = {{3, 4, positive = true}, 2.0},
  doc = "other / self, computed as the reciprocal of self, times other.",
}
op "addcmul" {
  "(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
  formula = {"MULADD(MUL(value, tensor1), tensor2, self)", types = "reals", fits = "wide", kernel = "addcmul_cpu_out"},
  inplace = true,
  grad = {self = "grad", tensor1 = "grad * (tensor2 * value)", tensor2 = "grad * (tensor1 * value)"},
  sample = {{3, 4}, {3, 4}, {4}, value = 0.5},
  doc = "self + value * tensor1 * tensor2.",
}
op "addcdiv" {
  "(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
  formula = {"self + value * tensor1 / tensor2", fits = "wide", kernel = "addcdiv_cpu_out", prepare = "tocha_prepare_addcdiv"},
  inplace = true,
  keeps = {"tensor2"},
  grad = {self = "grad", tensor1 = "grad * (ones_like(tensor2) * value / tensor2)", tensor2 = "-grad * (tensor1 * value / (tensor2 * tensor2))"},
  sample = {{3, 4}, {3, 4}, {4, positive = true}, value = 0.5},
  doc = "self + value * tensor1 / tensor2.",
}
op "lerp" {
  "(Tensor self, Tensor end, Tensor weight) -> Tensor",
  formula = {"ABS(weight) < K(0.5) ? FMA(weight, end - self, self) : FMA(weight - 1, end - self, end)",
    kernel = "lerp_kernel_tensor", prepare = "tocha_prepare_lerp"},
  inplace = true,
  keeps = {"weight"},
  grad = {self = "grad * (1 - weight)", ["end"] = "grad * weight", weight = "grad * (end - self)"},
  sample = {{3, 4}, {3, 4}, {3, 4}},
  doc = "self + weight * (end - self).",
}
op "lerp.scalar" {
  "(Tensor self, Tensor end, Scalar weight) -> Tensor",
  formula = {"ABS(weight) < K(0.5) ? FMA(weight, end - self, self) : FMA(weight - 1, end - self, end)",
    fits = "wide", kernel = "lerp_kernel_scalar", prepare = "tocha_prepare_lerp_scalar"},
  inplace = true,
  grad = {self = "grad * (1 - weight)", ["end"] = "grad * weight"},
  sample = {{3, 4}, {3, 4}, 0.25},
  doc = "self + weight * (end - self).",
}
op "diff" {
  "(Tensor self, int n=1, dim dim=-1, Tensor? prepend, Tensor? append) -> Tensor",
  composite = true,
  samples = {{{3, 4}}, {{5, 4}, 2, 0}, {{3, 4}, prepend = {3, 1}, append = {3, 2}}},
  doc = "The differences of neighbouring elements along dim, n times over; between prepend and append, where they are given.",
}
formula "addr" {
  "(Tensor self, Tensor vec1, Tensor vec2, Scalar beta, Scalar alpha)",
  "beta == 0 ? alpha * vec1 * vec2 : beta * self + alpha * vec1 * vec2", types = "numbers", fits = "own", kernel = "addr_cpu",
}
op "addr" {
  "(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
  rounds = "steps", inplace = {implementation = "tocha_op_addr_inplace"}, one_device = true,
  grad = {self = "scaled(grad, beta)", vec1 = "scaled(mv(grad, vec2), alpha)", vec2 = "scaled(mv(t(grad), vec1), alpha)"},
  samples = {{{3, 4}, {3}, {4}}, {{4}, {3}, {4}, beta = 0.5, alpha = 2.0}},
  doc = "beta * self + alpha * the outer product of vec1 and vec2.",
}
