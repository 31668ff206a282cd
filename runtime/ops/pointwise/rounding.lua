-- rounding.lua: rounding, signs and bounds (the notation: list/read.lua).

op "floor" {
  "(Tensor self) -> Tensor",
  row = "floor", inplace = "torch", out = true,
  grad = {self = "zeros_like(grad)"},
  doc = "The largest integer not above self.",
}
op "ceil" {
  "(Tensor self) -> Tensor",
  row = "ceil", inplace = "torch", out = true,
  grad = {self = "zeros_like(grad)"},
  doc = "The smallest integer not below self.",
}
op "trunc" {
  "(Tensor self) -> Tensor",
  row = "trunc", inplace = "torch", out = true, aliases = {"fix"},
  grad = {self = "zeros_like(grad)"},
  doc = "The integer part of self.",
}
op "round" {
  "(Tensor self) -> Tensor",
  row = "round", inplace = "torch", out = true,
  grad = {self = "zeros_like(grad)"},
  doc = "The nearest integer, halves to even.",
}
op "round.decimals" {
  "(Tensor self, *, int decimals=0) -> Tensor",
  inplace = true, out = true, node = "RoundBackward1", nogradcheck = true,
  grad = {self = "zeros_like(grad)"},
  sample = {{3, 4}, decimals = 2},
  doc = "self rounded to so many decimals (negative: to tens).",
}
op "frac" {
  "(Tensor self) -> Tensor",
  row = "frac", inplace = "torch", out = true,
  grad = {self = "grad"},
  doc = "self - trunc(self).",
}
op "abs" {
  "(Tensor self) -> Tensor",
  row = "abs", inplace = "torch", out = true, aliases = {"absolute"},
  grad = {self = "grad * sgn(self)"},
  doc = "The magnitude of self.",
}
op "sign" {
  "(Tensor self) -> Tensor",
  row = "sign", inplace = true, out = true,
  grad = {self = "zeros_like(grad)"},
  doc = "-1, 0 or 1.",
}
op "sgn" {
  "(Tensor self) -> Tensor",
  row = "sign", inplace = true, out = true,
  grad = {self = "zeros_like(grad)"},
  doc = "-1, 0 or 1.",
}
op "signbit" {
  "(Tensor self) -> Tensor",
  row = "signbit", out = true,
  doc = "Whether the sign bit is set.",
}
op "copysign.scalar" {
  "(Tensor self, Scalar other) -> Tensor",
  row = "copysign", inplace = true, out = true, node = "CopysignBackward1",
  grad = {self = "grad * (sgn(self) * sgn(result))"},
  sample = {{3, 4}, -1.0},
  doc = "The magnitude of self with the sign of other.",
}
op "copysign" {
  "(Tensor self, Tensor other) -> Tensor",
  row = "copysign", inplace = true, out = true,
  grad = {self = "grad * (sgn(self) * sgn(result))", other = "zeros_like(grad)"},
  sample = {{3, 4}, {3, 4}},
  doc = "The magnitude of self with the sign of other.",
}
op "clamp" {
  "(Tensor self, Scalar? min, Scalar? max) -> Tensor",
  inplace = "torch", out = true, node = "ClampBackward1", aliases = {"clip"}, backward = "tocha_grad_clamp", differentiable = {"self"}, saves = {"self"},
  sample = {{3, 4}, -0.5, 0.5},
  doc = "self, no less than min and no more than max.",
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
  row = "maximum", inplace = "torch", out = true, node = "ClampMinBackward1",
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
  doc = "self * pi / 180.",
}
op "rad2deg" {
  "(Tensor self) -> Tensor",
  inplace = "torch", out = true, node = "Rad2DegBackward0",
  grad = {self = "grad * 57.29577951308232"},
  doc = "self * 180 / pi.",
}
