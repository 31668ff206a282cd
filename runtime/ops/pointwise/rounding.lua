-- rounding.lua: rounding, signs and bounds (the notation: list/read.lua).

op "floor" {
  "(Tensor self) -> Tensor",
  formula = {"ANY_FLOOR(self)", types = "reals", kernel = "floor_vml_cpu"},
  inplace = "torch", out = true,
  grad = {self = "zero"},
  doc = "The largest integer not above self.",
}
op "ceil" {
  "(Tensor self) -> Tensor",
  formula = {"ANY_CEIL(self)", types = "reals", kernel = "ceil_vml_cpu"},
  inplace = "torch", out = true,
  grad = {self = "zero"},
  doc = "The smallest integer not below self.",
}
op "trunc" {
  "(Tensor self) -> Tensor",
  formula = {"ANY_TRUNC(self)", types = "reals", kernel = "trunc_vml_cpu"},
  inplace = "torch", out = true, aliases = {"fix"},
  grad = {self = "zero"},
  doc = "The integer part of self.",
}
op "round" {
  "(Tensor self) -> Tensor",
  formula = {"ANY_ROUND(self)", types = "reals", kernel = "round_vml_cpu"},
  inplace = "torch", out = true,
  grad = {self = "zero"},
  doc = "The nearest integer, halves to even.",
}
formula "round_decimals" {"(Tensor self, float tens)", "ROUND(self * tens) / tens", kernel = "round_cpu"}
formula "round_tens" {"(Tensor self, float tens)", "ROUND(self / tens) * tens", kernel = "round_cpu"}
op "round.decimals" {
  "(Tensor self, *, int decimals=0) -> Tensor",
  inplace = true, out = true, node = "RoundBackward1", nogradcheck = true,
  grad = {self = "zero"},
  sample = {{3, 4}, decimals = 2},
  doc = "self rounded to so many decimals (negative: to tens).",
}
op "frac" {
  "(Tensor self) -> Tensor",
  formula = "self - TRUNC(self)",
  inplace = "torch", out = true,
  grad = {self = "grad"},
  doc = "self - trunc(self).",
}
op "abs" {
  "(Tensor self) -> Tensor",
  formula = {"ABS(self)", types = "reals"},
  inplace = "torch", out = true, aliases = {"absolute"},
  grad = {self = "grad * sgn(self)"},
  doc = "The magnitude of self.",
}
op "sign" {
  "(Tensor self) -> Tensor",
  formula = {"(T)((self > 0) - (self < 0))", types = "numbers"},
  inplace = true, out = true,
  grad = {self = "zero"},
  doc = "-1, 0 or 1.",
}
op "sgn" {
  "(Tensor self) -> Tensor",
  formula = "sign",
  inplace = true, out = true,
  grad = {self = "zero"},
  doc = "-1, 0 or 1.",
}
op "signbit" {
  "(Tensor self) -> Tensor",
  formula = {"self < 0 || (self == 0 && 1 / (double)self < 0)", types = "numbers", result = "bool"},
  out = true,
  doc = "Whether the sign bit is set.",
}
op "copysign.scalar" {
  "(Tensor self, Scalar other) -> Tensor",
  formula = "copysign",
  inplace = true, out = true, node = "CopysignBackward1",
  grad = {self = "grad * (sgn(self) * sgn(result))"},
  sample = {{3, 4}, -1.0},
  doc = "The magnitude of self with the sign of other.",
}
op "copysign" {
  "(Tensor self, Tensor other) -> Tensor",
  formula = {"COPYSIGN(self, other)", promotion = "floating"},
  inplace = true, out = true,
  grad = {self = "grad * (sgn(self) * sgn(result))", other = "zero"},
  sample = {{3, 4}, {3, 4}},
  doc = "The magnitude of self with the sign of other.",
}
formula "clamp" {
  "(Tensor self, Scalar min, Scalar max)",
  "raised = self < min ? min : self; raised > max ? max : raised",
  types = "numbers", promotion = "widened",
}
formula "clamp_min" {"(Tensor self, Scalar min)", "self < min ? min : self", types = "numbers", promotion = "widened"}
formula "clamp_max" {"(Tensor self, Scalar max)", "self > max ? max : self", types = "numbers", promotion = "widened"}
op "clamp" {
  "(Tensor self, Scalar? min, Scalar? max) -> Tensor",
  inplace = "torch", out = true, node = "ClampBackward1", aliases = {"clip"}, backward = "tocha_grad_clamp", differentiable = {"self"}, saves = {"self"},
  sample = {{3, 4}, -0.5, 0.5},
  doc = "self, no less than min and no more than max.",
}
formula "clamp_tensors" {
  "(Tensor self, Tensor min, Tensor max)",
  "raised = self < min ? min : self; " ..
  "self != self || min != min || max != max ? (self != self ? self : min != min ? min : max) " ..
  ": raised > max ? max : raised",
  types = "reals", kernel = "clamp_cpu",
}
op "clamp.tensor" {
  "(Tensor self, Tensor? min, Tensor? max) -> Tensor",
  inplace = "torch", out = true, node = "ClampBackward0", aliases = {"clip"}, backward = "tocha_grad_clamp_tensor", differentiable = {"self", "min", "max"}, saves = {"self", "min", "max"},
  sample = {{3, 4}, {4}, {4}},
  doc = "self, no less than min and no more than max.",
}
op "clamp_min" {
  "(Tensor self, Scalar min) -> Tensor",
  inplace = "torch", out = true,
  grad = {self = "grad * gt(self, min)"},
  sample = {{3, 4}, 0.1},
  doc = "self, no less than min.",
}
op "clamp_min.tensor" {
  "(Tensor self, Tensor min) -> Tensor",
  formula = "maximum",
  inplace = "torch", out = true, node = "ClampMinBackward1",
  grad = {self = "maximum_backward(grad, self, min)", min = "maximum_backward(grad, min, self)"},
  sample = {{3, 4}, {4}},
  doc = "self, no less than min.",
}
op "clamp_max" {
  "(Tensor self, Scalar max) -> Tensor",
  inplace = "torch", out = true,
  grad = {self = "grad * lt(self, max)"},
  sample = {{3, 4}, 0.1},
  doc = "self, no more than max.",
}
op "clamp_max.tensor" {
  "(Tensor self, Tensor max) -> Tensor",
  formula = "minimum",
  inplace = "torch", out = true, node = "ClampMaxBackward1",
  grad = {self = "maximum_backward(grad, max, self)", max = "maximum_backward(grad, self, max)"},
  sample = {{3, 4}, {4}},
  doc = "self, no more than max.",
}
op "maximum" {
  "(Tensor self, Tensor other) -> Tensor",
  formula = {"self != self ? self : other != other ? other : self > other ? self : other", types = "all"},
  out = true,
  grad = {self = "maximum_backward(grad, self, other)", other = "maximum_backward(grad, other, self)"},
  sample = {{3, 4}, {3, 4}},
  doc = "The larger of two; nan where either is nan.",
}
op "minimum" {
  "(Tensor self, Tensor other) -> Tensor",
  formula = {"self != self ? self : other != other ? other : self < other ? self : other", types = "all"},
  out = true,
  grad = {self = "maximum_backward(grad, other, self)", other = "maximum_backward(grad, self, other)"},
  sample = {{3, 4}, {3, 4}},
  doc = "The smaller of two; nan where either is nan.",
}
op "fmax" {
  "(Tensor self, Tensor other) -> Tensor",
  formula = {"self != self ? other : other != other ? self : self > other ? self : other", types = "all"},
  out = true,
  grad = {self = "zero_where(maximum_backward(grad, self, other), isnan(self))", other = "zero_where(maximum_backward(grad, other, self), isnan(other))"},
  sample = {{3, 4}, {3, 4}},
  doc = "The larger of two; a nan is passed over.",
}
op "fmin" {
  "(Tensor self, Tensor other) -> Tensor",
  formula = {"self != self ? other : other != other ? self : self < other ? self : other", types = "all"},
  out = true,
  grad = {self = "zero_where(maximum_backward(grad, other, self), isnan(self))", other = "zero_where(maximum_backward(grad, self, other), isnan(other))"},
  sample = {{3, 4}, {3, 4}},
  doc = "The smaller of two; a nan is passed over.",
}
formula "nan_to_num" {
  "(Tensor self, float nan, float posinf, float neginf)",
  "self != self ? nan : self == (E)INFINITY ? posinf : self == -(E)INFINITY ? neginf : self",
}
op "nan_to_num" {
  "(Tensor self, float? nan, float? posinf, float? neginf) -> Tensor",
  inplace = "torch", out = true,
  grad = {self = "grad * isfinite(self)"},
  doc = "nan and the infinities replaced (by 0 and the largest numbers).",
}
op "heaviside" {
  "(Tensor self, Tensor values) -> Tensor",
  formula = {"self == 0 ? values : (T)(self > 0)", types = "numbers", prepare = "tocha_prepare_heaviside"},
  inplace = true, out = true,
  sample = {{3, 4}, {3, 4}},
  doc = "0 below zero, values at zero, 1 above.",
}
formula "scale" {"(Tensor self, float scale)", "self * scale", promotion = "floating"}
op "deg2rad" {
  "(Tensor self) -> Tensor",
  inplace = "torch", out = true, node = "Deg2RadBackward0",
  grad = {self = "grad * 0.017453292519943295"},
  doc = "self * pi / 180.",
}
op "rad2deg" {
  "(Tensor self) -> Tensor",
  inplace = "torch", out = true, node = "Rad2DegBackward0",
  grad = {self = "grad * 57.29577951308232"},
  doc = "self * 180 / pi.",
}
