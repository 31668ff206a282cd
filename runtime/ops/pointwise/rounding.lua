-- rounding.lua: rounding and signs (the notation: list/read.lua).

op "floor" {
  "(Tensor self) -> Tensor",
  formula = {"ANY_FLOOR(self)", types = "reals", kernel = "floor_vml_cpu"},
  inplace = "torch",
  grad = {self = "zero"},
  details = "The dtype stays: use :long() for integers. The gradient is 0.",
  doc = "The largest integer not above self.",
}
op "ceil" {
  "(Tensor self) -> Tensor",
  formula = {"ANY_CEIL(self)", types = "reals", kernel = "ceil_vml_cpu"},
  inplace = "torch",
  grad = {self = "zero"},
  doc = "The smallest integer not below self.",
}
op "trunc" {
  "(Tensor self) -> Tensor",
  formula = {"ANY_TRUNC(self)", types = "reals", kernel = "trunc_vml_cpu"},
  inplace = "torch", aliases = {"fix"},
  grad = {self = "zero"},
  doc = "The integer part of self.",
}
op "round" {
  "(Tensor self) -> Tensor",
  formula = {"ANY_ROUND(self)", types = "reals", kernel = "round_vml_cpu"},
  inplace = "torch",
  grad = {self = "zero"},
  details = "The dtype stays: use :long() for integers. The gradient is 0.",
  doc = "The nearest integer, halves to even.",
}
formula "round_decimals" {"(Tensor self, float tens)", "ROUND(self * tens) / tens", kernel = "round_cpu"}
formula "round_tens" {"(Tensor self, float tens)", "ROUND(self / tens) * tens", kernel = "round_cpu"}
op "round.decimals" {
  "(Tensor self, *, int decimals=0) -> Tensor",
  aliases = {"special.round"},
  inplace = "torch", nogradcheck = true,
  grad = {self = "zero"},
  sample = {{3, 4}, decimals = 2},
  doc = "self rounded to so many decimals (negative: to tens).",
}
op "frac" {
  "(Tensor self) -> Tensor",
  formula = "self - TRUNC(self)",
  inplace = "torch",
  grad = {self = "grad"},
  doc = "self - trunc(self).",
}
op "abs" {
  "(Tensor self) -> Tensor",
  formula = {"ABS(self)", types = "reals"},
  inplace = "torch", aliases = {"absolute"},
  grad = {self = "grad * sgn(self)"},
  details = "The dtype stays; bool is an error. The gradient at 0 is 0.",
  doc = "The magnitude of self.",
}
op "sign" {
  "(Tensor self) -> Tensor",
  formula = {"(T)((self > 0) - (self < 0))", types = "numbers"},
  inplace = true,
  grad = {self = "zero"},
  details = "The dtype stays; bool is taken. NaN gives 0. The gradient is 0 everywhere.",
  doc = "-1, 0 or 1.",
}
op "sgn" {
  "(Tensor self) -> Tensor",
  formula = "sign",
  inplace = true,
  grad = {self = "zero"}, keeps = {"self", "result"},
  doc = "-1, 0 or 1.",
}
op "signbit" {
  "(Tensor self) -> Tensor",
  formula = {"self < 0 || (self == 0 && 1 / (double)self < 0)", types = "numbers", result = "bool"},
  doc = "Whether the sign bit is set.",
}
op "copysign" {
  "(Tensor self, Tensor other) -> Tensor",
  formula = {"COPYSIGN(self, other)", promotion = "floating"},
  inplace = true,
  grad = {self = "grad * zero_where(result / self, eq(self, 0))", other = "zero"},
  sample = {{3, 4}, {3, 4}},
  doc = "The magnitude of self with the sign of other.",
}
op "copysign.scalar" {
  "(Tensor self, Scalar other) -> Tensor",
  formula = "copysign",
  inplace = true,
  grad = {self = "grad * zero_where(result / self, eq(self, 0))"},
  sample = {{3, 4}, -1.0},
  doc = "The magnitude of self with the sign of other.",
}
op "heaviside" {
  "(Tensor self, Tensor values) -> Tensor",
  formula = {"self == 0 ? values : (T)(self > 0)", types = "numbers", prepare = "tocha_prepare_heaviside"},
  inplace = true, nogradcheck = true,
  backward = "tocha_grad_not_implemented", differentiable = {"self", "values"},
  sample = {{3, 4}, {3, 4}},
  doc = "0 below zero, values at zero, 1 above.",
}
