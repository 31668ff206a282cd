-- functions.lua: elementary and special functions (the notation: list/read.lua).

op "exp" {
  "(Tensor self) -> Tensor",
  autocast = {cuda = "float32"},
  row = "exp", inplace = "torch", out = true,
  grad = {self = "grad * result"},
  doc = "e to the power of self.",
}
op "exp2" {
  "(Tensor self) -> Tensor",
  row = "exp2", inplace = "torch", out = true,
  grad = {self = "grad * result * 0.6931471805599453"},
  doc = "2 to the power of self.",
}
op "expm1" {
  "(Tensor self) -> Tensor",
  autocast = {cuda = "float32"},
  row = "expm1", inplace = "torch", out = true,
  grad = {self = "grad * (result + 1)"},
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
  doc = "The sine.",
}
op "cos" {
  "(Tensor self) -> Tensor",
  row = "cos", inplace = "torch", out = true,
  grad = {self = "grad * (-sin(self))"},
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
  doc = "The inverse tangent.",
}
op "sinh" {
  "(Tensor self) -> Tensor",
  autocast = {cuda = "float32"},
  row = "sinh", inplace = "torch", out = true,
  grad = {self = "grad * cosh(self)"},
  doc = "The hyperbolic sine.",
}
op "cosh" {
  "(Tensor self) -> Tensor",
  autocast = {cuda = "float32"},
  row = "cosh", inplace = "torch", out = true,
  grad = {self = "grad * sinh(self)"},
  doc = "The hyperbolic cosine.",
}
op "tanh" {
  "(Tensor self) -> Tensor",
  forms = {"torch", "method", "nn.functional"}, row = "tanh", inplace = "torch", out = true,
  grad = {self = "tanh_backward(grad, result)"},
  uses = {self = "tanh"},
  doc = "The hyperbolic tangent.",
}
op "asinh" {
  "(Tensor self) -> Tensor",
  row = "asinh", inplace = "torch", out = true, aliases = {"arcsinh"},
  grad = {self = "grad * rsqrt(self * self + 1)"},
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
  doc = "The error function.",
}
op "erfc" {
  "(Tensor self) -> Tensor",
  row = "erfc", inplace = "torch", out = true,
  grad = {self = "grad * exp(-(self * self)) * (-1.1283791670955126)"},
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
  overloaded = false,
  samples = {{1, {3, 4, positive = true}}, {3, {3, 4, positive = true}}},
  tolerance = 2e-6,   -- PyTorch's series for n = 1 is shorter: its float64 is right to ten digits
  doc = "The n-th derivative of digamma.",
}
op "polygamma.method" {
  "(Tensor self, int n) -> Tensor",
  forms = {"method"}, composite = true,
  overloaded = false,
  sample = {{3, 4, positive = true}, 2},
  doc = "The n-th derivative of digamma.",
}
op "sigmoid" {
  "(Tensor self) -> Tensor",
  forms = {"torch", "method", "nn.functional"}, row = "sigmoid", inplace = "torch", out = true,
  grad = {self = "sigmoid_backward(grad, result)"},
  uses = {self = "sigmoid"},
  doc = "1 / (1 + exp(-self)).",
}
op "logit" {
  "(Tensor self, float? eps) -> Tensor",
  inplace = "torch", out = true, backward = "tocha_grad_logit", differentiable = {"self"}, saves = {"self"},
  sample = {{3, 4, unit = true}},
  doc = "log(self / (1 - self)), self clamped to [eps, 1 - eps].",
}
op "sinc" {
  "(Tensor self) -> Tensor",
  row = "sinc", inplace = "torch", out = true,
  grad = {self = "sinc_backward(grad, self)"},
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
  row = "xlogy", inplace = true, out = true, node = "XlogyBackward2",
  grad = {self = "xlogy_scalar(grad, other)"},
  sample = {{3, 4}, 2.0},
  doc = "self * log(other); 0 where self is 0.",
}
op "xlogy" {
  "(Tensor self, Tensor other) -> Tensor",
  row = "xlogy", inplace = true, out = true,
  grad = {self = "zero_where(grad * log(other), logical_and(eq(self, 0), le(other, 0)))", other = "grad * self / other"},
  sample = {{3, 4}, {3, 4, positive = true}},
  doc = "self * log(other); 0 where self is 0.",
}
op "xlogy.number" {
  "(Scalar self, Tensor other) -> Tensor",
  forms = {"torch"}, row = "xlogy", out = true, node = "XlogyBackward1",
  grad = {other = "grad * (reciprocal(other) * self)"},
  sample = {2.0, {3, 4, positive = true}},
  doc = "self * log(other); 0 where self is 0.",
}
