-- special.lua: signs, angles, divisors and functions of torch.special (the notation: list/read.lua).

op "isposinf" {
  "(Tensor self) -> Tensor",
  formula = {"(self > 0) & (ADD((E)self, (E)self) == self)", types = "all", result = "bool"},
  doc = "Where self is positive infinity.",
}
op "isneginf" {
  "(Tensor self) -> Tensor",
  formula = {"(self < 0) & (ADD((E)self, (E)self) == self)", types = "all", result = "bool"},
  doc = "Where self is negative infinity.",
}
op "angle" {
  "(Tensor self) -> Tensor",
  formula = {"self != self ? self : self < 0 ? K(3.14159265358979323846) : K(0)", promotion = "floating"},
  grad = {self = "zero"}, keeps = {"self"},
  doc = "The angle of a number in the complex plane: pi where self is negative, else 0.",
}
op "gcd" {
  "(Tensor self, Tensor other) -> Tensor",
  formula = {"tocha_gcd(self, other)", types = "integers"},
  inplace = "torch",
  sample = {{3, 4, int = 30}, {3, 4, int = 12}},
  doc = "The greatest common divisor.",
}
op "lcm" {
  "(Tensor self, Tensor other) -> Tensor",
  formula = {"divisor = tocha_gcd(self, other); divisor == 0 ? 0 : ABS(MUL(self / divisor, other))", types = "integers"},
  inplace = "torch",
  sample = {{3, 4, int = 30}, {3, 4, int = 12}},
  doc = "The least common multiple.",
}
op "i0" {
  "(Tensor self) -> Tensor",
  aliases = {"special.i0"},
  formula = {"tocha_i0(self)", promotion = "floating", loop = "slow"},
  inplace = "torch",
  grad = {self = "grad * i1(self)"},
  doc = "The modified Bessel function of the first kind of order 0.",
}
op "i1" {
  "(Tensor self) -> Tensor",
  formula = {"tocha_i1(self)", promotion = "floating", loop = "slow"},
  forms = {"special"},
  grad = {self = "_i1_backward(grad, self, result)"},
  doc = "The modified Bessel function of the first kind of order 1.",
}
op "_i1_backward" {
  "(Tensor grad_output, Tensor self, Tensor result) -> Tensor",
  forms = {}, composite = true,
  sample = {{3, 4}, {3, 4}, {3, 4}},
  doc = "The gradient of i1.",
}
op "igamma" {
  "(Tensor self, Tensor other) -> Tensor",
  aliases = {"special.gammainc"},
  formula = {"tocha_igamma(self, other)", loop = "slow"},
  inplace = true,
  backward = "tocha_igamma_rule", differentiable = {"self", "other"}, saves = {other = {"self", "other"}},
  sample = {{3, 4, positive = true}, {3, 4, positive = true}}, nogradcheck = true,
  doc = "The regularized lower incomplete gamma function of order self.",
}
op "igammac" {
  "(Tensor self, Tensor other) -> Tensor",
  aliases = {"special.gammaincc"},
  formula = {"tocha_igammac(self, other)", loop = "slow"},
  inplace = true,
  backward = "tocha_igamma_rule", differentiable = {"self", "other"}, saves = {other = {"self", "other"}},
  sample = {{3, 4, positive = true}, {3, 4, positive = true}}, nogradcheck = true,
  doc = "1 - igamma, exact where that is small.",
}
op "mvlgamma" {
  "(Tensor self, int p) -> Tensor",
  aliases = {"special.multigammaln"},
  inplace = {implementation = "tocha_op_mvlgamma_inplace"},
  grad = {self = "_mvlgamma_backward(grad, self, p)"},
  samples = {{{3, 4, positive = true, offset = 2}, 1}, {{3, 4, positive = true, offset = 2}, 3}},
  doc = "The logarithm of the multivariate gamma function of dimension p.",
}
op "_mvlgamma_backward" {
  "(Tensor grad_output, Tensor self, int p) -> Tensor",
  forms = {}, composite = true,
  sample = {{3, 4}, {3, 4, positive = true}, 2},
  doc = "The gradient of mvlgamma.",
}
formula "next_bfloat16" {"(Tensor self, Tensor other)", "(T)tocha_next_bfloat16((float)self, (float)other)", loop = "slow", kernel = "nextafter_cpu"}
formula "next_float16" {"(Tensor self, Tensor other)", "(T)tocha_next_float16((float)self, (float)other)", loop = "slow", kernel = "nextafter_cpu"}
op "nextafter" {
  "(Tensor self, Tensor other) -> Tensor",
  formula = {"tocha_next(self, other)", prepare = "tocha_prepare_nextafter"},
  inplace = true,
  grad = {self = "masked_fill(grad, eq(self, other), 0)", other = "zeros_like(grad)"},
  sample = {{3, 4}, {3, 4}}, nogradcheck = true,
  doc = "The number next to self in the direction of other.",
}
formula "ldexp_integer" {"(Tensor self, Tensor other)", "(T)ldexp((double)self, (int)(other > 9999 ? 9999 : other < -9999 ? -9999 : other))", promotion = "floating", loop = "slow"}
op "ldexp" {
  "(Tensor self, Tensor other) -> Tensor",
  inplace = {forms = "torch", implementation = "tocha_op_ldexp_inplace"},
  grad = {self = "grad * exp2(other)", other = "grad * result * 0.6931471805599453"},
  sample = {{3, 4}, {3, 4, int = 5}},
  doc = "self * 2 ^ other.",
  details = "Element by element; the tensors broadcast. It is what puts together again the two parts that frexp takes a number into.",
}
formula "mantissa" {"(Tensor self)", "tocha_mantissa(self)"}
formula "exponent" {"(Tensor self)", "tocha_exponent(self)"}
op "frexp" {
  "(Tensor self) -> (Tensor mantissa, Tensor exponent)",
  grad = {self = "_frexp_backward(grad_mantissa, exponent)"}, nogradcheck = true,
  doc = "mantissa * 2 ^ exponent with 0.5 <= |mantissa| < 1, or 0.",
}
op "_frexp_backward" {
  "(Tensor grad_output, Tensor exponent) -> Tensor",
  forms = {}, composite = "grad_output / exp2(exponent)",
  sample = {{3, 4}, {3, 4, int = 4}},
  doc = "The gradient of frexp.",
}
