-- functions.lua: elementary and special functions (the notation: list/read.lua).

op "exp" {
  "(Tensor self) -> Tensor",
  formula = {"ROUNDED_EXP(self)", promotion = "floating", loop = "vectors"},
  inplace = "torch",
  grad = {self = "grad * result"},
  details = "Integers become floating point. Above 88.7 the result in float32 is inf.",
  doc = "e to the power of self.",
}
op "exp2" {
  "(Tensor self) -> Tensor",
  aliases = {"special.exp2"},
  formula = {"EXP2(self)", promotion = "floating", loop = "pairs"},
  inplace = "torch",
  grad = {self = "grad * result * 0.6931471805599453"},
  doc = "2 to the power of self.",
}
op "expm1" {
  "(Tensor self) -> Tensor",
  aliases = {"special.expm1"},
  formula = {"EXPM1(self)", promotion = "floating", loop = "vectors"},
  inplace = "torch",
  grad = {self = "grad * (result + 1)"},
  doc = "exp(self) - 1, exact near 0.",
}
op "log" {
  "(Tensor self) -> Tensor",
  formula = {"ROUNDED_LOG(self)", promotion = "floating", loop = "vectors"},
  inplace = "torch",
  grad = {self = "grad / self"},
  sample = {{3, 4, positive = true}},
  details = "Integers become floating point. The logarithm of 0 is -inf, that of a negative number nan. torch.log1p is exact near 1, " ..
    "torch.log2 and torch.log10 have other bases.",
  doc = "The natural logarithm.",
}
op "log2" {
  "(Tensor self) -> Tensor",
  formula = {"ROUNDED_LOG2(self)", promotion = "floating", loop = "vectors"},
  inplace = "torch",
  grad = {self = "grad / (self * 0.6931471805599453)"},
  sample = {{3, 4, positive = true}},
  doc = "The logarithm to base 2.",
}
op "log10" {
  "(Tensor self) -> Tensor",
  formula = {"ROUNDED_LOG10(self)", promotion = "floating", loop = "vectors"},
  inplace = "torch",
  grad = {self = "grad / (self * 2.302585092994046)"},
  sample = {{3, 4, positive = true}},
  doc = "The logarithm to base 10.",
}
op "log1p" {
  "(Tensor self) -> Tensor",
  aliases = {"special.log1p"},
  formula = {"LOG1P(self)", promotion = "floating", loop = "vectors"},
  inplace = "torch",
  grad = {self = "grad / (self + 1)"},
  sample = {{3, 4, positive = true}},
  doc = "log(1 + self), exact near 0.",
}
op "sin" {
  "(Tensor self) -> Tensor",
  formula = {"SIN(self)", promotion = "floating", loop = "vectors"},
  inplace = "torch",
  grad = {self = "grad * cos(self)"},
  doc = "The sine.",
}
op "cos" {
  "(Tensor self) -> Tensor",
  formula = {"COS(self)", promotion = "floating", loop = "vectors"},
  inplace = "torch",
  grad = {self = "grad * (-sin(self))"},
  doc = "The cosine.",
}
op "tan" {
  "(Tensor self) -> Tensor",
  formula = {"TAN(self)", promotion = "floating", loop = "vectors"},
  inplace = "torch",
  grad = {self = "grad * (result * result + 1)"},
  sample = {{3, 4, unit = true}},
  doc = "The tangent.",
}
op "asin" {
  "(Tensor self) -> Tensor",
  formula = {"ASIN(self)", promotion = "floating", loop = "vectors"},
  inplace = "torch", aliases = {"arcsin"},
  grad = {self = "grad * rsqrt(1 - self * self)"},
  sample = {{3, 4, unit = true}},
  doc = "The inverse sine.",
}
op "acos" {
  "(Tensor self) -> Tensor",
  formula = {"ACOS(self)", promotion = "floating", loop = "vectors"},
  inplace = "torch", aliases = {"arccos"},
  grad = {self = "grad * (-rsqrt(1 - self * self))"},
  sample = {{3, 4, unit = true}},
  doc = "The inverse cosine.",
}
op "atan" {
  "(Tensor self) -> Tensor",
  formula = {"ATAN(self)", promotion = "floating", loop = "vectors"},
  inplace = "torch", aliases = {"arctan"},
  grad = {self = "grad / (self * self + 1)"},
  doc = "The inverse tangent.",
}
op "sinh" {
  "(Tensor self) -> Tensor",
  formula = {"SINH(self)", promotion = "floating", loop = "slow"},
  inplace = "torch",
  grad = {self = "grad * cosh(self)"},
  doc = "The hyperbolic sine.",
}
op "cosh" {
  "(Tensor self) -> Tensor",
  formula = {"COSH(self)", promotion = "floating", loop = "slow"},
  inplace = "torch",
  grad = {self = "grad * sinh(self)"},
  doc = "The hyperbolic cosine.",
}
op "tanh" {
  "(Tensor self) -> Tensor",
  formula = {"ROUNDED_TANH(self)", promotion = "floating", loop = "vectors"},
  forms = {"torch", "method", "nn.functional"}, inplace = "torch",
  grad = {self = "tanh_backward(grad, result)"},
  details = "Integers become floating point. The result lies between -1 and 1.",
  doc = "The hyperbolic tangent.",
}
op "asinh" {
  "(Tensor self) -> Tensor",
  formula = {"ASINH(self)", promotion = "floating", loop = "slow"},
  inplace = {forms = "torch", backward = "tocha_grad_inplace_not_implemented", differentiable = {"self"}}, aliases = {"arcsinh"},
  grad = {self = "grad * rsqrt(self * self + 1)"},
  doc = "The inverse hyperbolic sine.",
}
op "acosh" {
  "(Tensor self) -> Tensor",
  formula = {"ACOSH(self)", promotion = "floating", loop = "slow"},
  inplace = {forms = "torch", backward = "tocha_grad_inplace_not_implemented", differentiable = {"self"}}, aliases = {"arccosh"},
  grad = {self = "grad * rsqrt(self * self - 1)"},
  sample = {{3, 4, positive = true, offset = 1}},
  doc = "The inverse hyperbolic cosine.",
}
op "atanh" {
  "(Tensor self) -> Tensor",
  formula = {"ATANH(self)", promotion = "floating", loop = "pairs"},
  inplace = {forms = "torch", backward = "tocha_grad_inplace_not_implemented", differentiable = {"self"}}, aliases = {"arctanh"},
  grad = {self = "grad / (1 - self * self)"},
  sample = {{3, 4, unit = true}},
  doc = "The inverse hyperbolic tangent.",
}
op "erf" {
  "(Tensor self) -> Tensor",
  aliases = {"special.erf"},
  formula = {"ROUNDED_ERF(self)", promotion = "floating", loop = "vectors"},
  inplace = "torch",
  grad = {self = "exp(-(self * self)) * 1.1283791670955126 * grad"},
  doc = "The error function.",
}
op "erfc" {
  "(Tensor self) -> Tensor",
  aliases = {"special.erfc"},
  formula = {"ERFC(self)", promotion = "floating", loop = "vectors"},
  inplace = "torch",
  grad = {self = "exp(-(self * self)) * (-1.1283791670955126) * grad"},
  doc = "1 - erf(self).",
}
op "erfinv" {
  "(Tensor self) -> Tensor",
  aliases = {"special.erfinv"},
  formula = {"tocha_inverse_erf(self)", promotion = "floating", loop = "slow", header = "tensor/math/erfinv_math.h"},
  inplace = "torch",
  grad = {self = "0.886226925452758 * exp(pow_scalar(erfinv(self), 2)) * grad"},
  sample = {{3, 4, unit = true}},
  doc = "The inverse of erf.",
}
op "lgamma" {
  "(Tensor self) -> Tensor",
  aliases = {"special.gammaln"},
  formula = {"LGAMMA(self)", promotion = "floating", loop = "vectors"},
  inplace = true,
  grad = {self = "grad * digamma(self)"},
  sample = {{3, 4, positive = true}},
  doc = "The logarithm of the gamma function's magnitude.",
}
op "digamma" {
  "(Tensor self) -> Tensor",
  aliases = {"special.digamma", "special.psi"},
  formula = {"tocha_digamma(self)", promotion = "floating", loop = "slow"},
  inplace = true,
  grad = {self = "grad * polygamma(1, self)"},
  sample = {{3, 4, positive = true}},
  doc = "The derivative of lgamma.",
}
formula "polygamma" {"(Tensor self, float n)", "(E)tocha_polygamma(n, self)", promotion = "floating", loop = "slow"}
op "polygamma" {
  "(int n, Tensor self) -> Tensor",
  aliases = {"special.polygamma"},
  forms = {"torch"},
  grad = {self = "grad * polygamma(n + 1, self)"},
  samples = {{1, {3, 4, positive = true}}, {3, {3, 4, positive = true}}},
  tolerance = 2e-6,   -- the golden values' series is shorter for n = 1: float64 is accurate to ten digits there
  doc = "The n-th derivative of digamma.",
}
op "polygamma.method" {
  "(Tensor self, int n) -> Tensor",
  implementation = "polygamma(n, self)",
  forms = {"method"}, inplace = true,
  grad = {self = "grad * polygamma(n + 1, self)"},
  sample = {{3, 4, positive = true}, 2},
  doc = "The n-th derivative of digamma.",
}
op "sigmoid" {
  "(Tensor self) -> Tensor",
  aliases = {"special.expit"},
  formula = {"QUOTIENT(1, 1 + EXP(-self))", promotion = "floating", loop = "pairs"},
  forms = {"torch", "method", "nn.functional"}, inplace = "torch",
  grad = {self = "sigmoid_backward(grad, result)"},
  details = "Integers become floating point. For a loss on it, binary_cross_entropy_with_logits of self itself is exact.",
  doc = "1 / (1 + exp(-self)).",
}
-- An element outside [eps, 1 - eps] is replaced by the nearer bound. A negative eps has no effect.
formula "logit" {
  "(Tensor self, float eps)",
  "x = SELECT(self < eps, SPREAD(eps), SELECT(self > 1 - eps, SPREAD(1 - eps), self)); x = eps < 0 ? self : x; ROUNDED_LOG(x / (1 - x))",
  promotion = "floating", loop = "vectors",
}
op "logit" {
  "(Tensor self, float? eps) -> Tensor",
  aliases = {"special.logit"},
  rounds = "steps", inplace = "torch", backward = "tocha_grad_logit", differentiable = {"self"}, saves = {"self"},
  samples = {{{3, 4, unit = true}}, {{3, 4, unit = true}, 0.25}},
  doc = "log(self / (1 - self)), self clamped to [eps, 1 - eps].",
  details = "The inverse of sigmoid: it makes scores of probabilities. Without eps nothing is clamped: 0 and 1 give the infinities, and what is " ..
    "outside [0, 1] NaN.",
}
op "sinc" {
  "(Tensor self) -> Tensor",
  aliases = {"special.sinc"},
  formula = {"x = self * K(3.14159265358979323846); self == 0 ? K(1) : SIN(x) / x",
    promotion = "floating", loop = "slow"},
  inplace = "torch",
  grad = {self = "sinc_backward(grad, self)"},
  doc = "sin(pi self) / (pi self); 1 at 0.",
}
op "atan2" {
  "(Tensor self, Tensor other) -> Tensor",
  formula = {"ATAN2(self, other)", promotion = "floating", loop = "pairs"},
  inplace = true, aliases = {"arctan2"},
  grad = {
    self = "grad * other * zero_where(reciprocal(self * self + other * other), eq(self * self + other * other, 0))",
    other = "grad * -self * zero_where(reciprocal(self * self + other * other), eq(self * self + other * other, 0))",
  },
  sample = {{3, 4}, {3, 4}},
  doc = "The angle of the point (other, self).",
}
op "hypot" {
  "(Tensor self, Tensor other) -> Tensor",
  formula = {"HYPOT(self, other)", loop = "pairs"},
  inplace = true,
  grad = {self = "grad * self / result", other = "grad * other / result"},
  sample = {{3, 4}, {3, 4}},
  doc = "sqrt(self^2 + other^2).",
}
op "logaddexp" {
  "(Tensor self, Tensor other) -> Tensor",
  formula = {"difference = SELECT(self > other, other - self, self - other); " ..
    "SELECT(self == other, self + K(0.69314718055994530942), SELECT(self > other, self, other) + LOG1P(EXP(difference)))",
    loop = "pairs"},
  grad = {self = "grad / (exp(other - self) + 1)", other = "grad / (exp(self - other) + 1)"},
  sample = {{3, 4}, {3, 4}},
  doc = "log(exp(self) + exp(other)).",
}
op "logaddexp2" {
  "(Tensor self, Tensor other) -> Tensor",
  formula = {"difference = SELECT(self > other, other - self, self - other); " ..
    "SELECT(self == other, self + 1, SELECT(self > other, self, other) + LOG1P(EXP2(difference)) * K(1.44269504088896340736))",
    loop = "pairs"},
  grad = {self = "grad / (exp2(other - self) + 1)", other = "grad / (exp2(self - other) + 1)"},
  sample = {{3, 4}, {3, 4}},
  doc = "log2(2 ^ self + 2 ^ other).",
}
formula "bfloat16_xlogy" {
  "(Tensor self, Tensor other)",
  "other != other ? other : self == 0 ? 0 : self * (T)tocha_as_bfloat16((float)LOG(other))",
  promotion = "floating", loop = "slow",
}
op "xlogy" {
  "(Tensor self, Tensor other) -> Tensor",
  aliases = {"special.xlogy"},
  formula = {"other != other ? other : self == 0 ? 0 : self * LOG(other)", promotion = "floating", loop = "slow",
    prepare = "tocha_prepare_steps_of_bfloat16"},
  inplace = "torch",
  grad = {self = "zero_where(grad * log(other), logical_and(eq(self, 0), le(other, 0)))", other = "grad * self / other"},
  sample = {{3, 4}, {3, 4, positive = true}},
  doc = "self * log(other); 0 where self is 0.",
}
op "xlogy.number" {
  "(Scalar self, Tensor other) -> Tensor",
  aliases = {"special.xlogy"},
  formula = "xlogy",
  forms = {"torch"},
  grad = {other = "grad * self / other"},
  sample = {2.0, {3, 4, positive = true}},
  doc = "self * log(other); 0 where self is 0.",
}
op "xlogy.scalar" {
  "(Tensor self, Scalar other) -> Tensor",
  aliases = {"special.xlogy"},
  formula = "xlogy",
  inplace = "torch",
  grad = {self = "zero_where(xlogy_scalar(grad, other), logical_and(eq(self, 0), le(zeros_like(self), -other)))"},
  sample = {{3, 4}, 2.0},
  doc = "self * log(other); 0 where self is 0.",
}
formula "scale" {"(Tensor self, float scale)", "self * scale", promotion = "floating", layout = "copy"}
op "deg2rad" {
  "(Tensor self) -> Tensor",
  inplace = "torch",
  grad = {self = "grad * 0.017453292519943295"},
  doc = "self * pi / 180.",
  details = "Element by element, from degrees to radians. Integers become floating point.",
}
op "rad2deg" {
  "(Tensor self) -> Tensor",
  inplace = "torch",
  grad = {self = "grad * 57.29577951308232"},
  doc = "self * 180 / pi.",
  details = "Element by element, from radians to degrees. Integers become floating point.",
}
