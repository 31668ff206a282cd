-- bounds.lua: bounds, and the larger or smaller of two (the notation: list/read.lua).

formula "clamp" {
  "(Tensor self, Scalar min, Scalar max)",
  "raised = self < min ? min : self; raised > max ? max : raised",
  types = "reals", promotion = "widened", fits = "real", kernel = "clamp_scalar_cpu",
}
formula "clamp_min" {"(Tensor self, Scalar min)", "self < min ? min : self", types = "reals", promotion = "widened", fits = "real", kernel = "clamp_min_scalar_cpu"}
formula "clamp_max" {"(Tensor self, Scalar max)", "self > max ? max : self", types = "reals", promotion = "widened", fits = "real", kernel = "clamp_max_scalar_cpu"}
formula "clamp_tensors" {
  "(Tensor self, Tensor min, Tensor max)",
  "raised = self < min ? min : self; " ..
  "self != self || min != min || max != max ? (self != self ? self : min != min ? min : max) " ..
  ": raised > max ? max : raised",
  types = "reals", kernel = "clamp_cpu",
}
op "clamp.tensor" {
  "(Tensor self, Tensor? min, Tensor? max) -> Tensor",
  inplace = "torch", aliases = {"clip"}, backward = "tocha_grad_clamp_tensor", differentiable = {"self", "min", "max"}, saves = {"self", "min", "max"},
  sample = {{3, 4}, {4}, {4}},
  doc = "self, no less than min and no more than max.",
}
op "clamp" {
  "(Tensor self, Scalar? min, Scalar? max) -> Tensor",
  inplace = {forms = "torch", implementation = "tocha_op_clamp_inplace"}, aliases = {"clip"}, backward = "tocha_grad_clamp", differentiable = {"self"}, saves = {"self"},
  sample = {{3, 4}, -0.5, 0.5},
  details = "Either bound may be nil, but not both; tensors as bounds broadcast. Where min is greater than max, the result is max. The " ..
    "gradient is 1 where self lies between the bounds, else 0. x:clamp{min = 0} is ReLU.",
  doc = "self, no less than min and no more than max.",
}
op "clamp_min.tensor" {
  "(Tensor self, Tensor min) -> Tensor",
  formula = "maximum",
  inplace = "torch",
  grad = {self = "maximum_backward(grad, self, min)", min = "maximum_backward(grad, min, self)"},
  sample = {{3, 4}, {4}},
  doc = "self, no less than min.",
}
op "clamp_min" {
  "(Tensor self, Scalar min) -> Tensor",
  implementation = "clamp(self, min)",
  inplace = {forms = "torch", implementation = "clamp_(self, min)"},
  grad = {self = "zero_where(grad, logical_not(gt(self, min)))"},
  sample = {{3, 4}, 0.1},
  doc = "self, no less than min.",
}
op "clamp_max.tensor" {
  "(Tensor self, Tensor max) -> Tensor",
  formula = "minimum",
  inplace = "torch",
  grad = {self = "maximum_backward(grad, max, self)", max = "maximum_backward(grad, self, max)"},
  sample = {{3, 4}, {4}},
  doc = "self, no more than max.",
}
op "clamp_max" {
  "(Tensor self, Scalar max) -> Tensor",
  implementation = "clamp(self, nil, max)",
  inplace = {forms = "torch", implementation = "clamp_(self, nil, max)"},
  grad = {self = "zero_where(grad, logical_not(lt(self, max)))"},
  sample = {{3, 4}, 0.1},
  doc = "self, no more than max.",
}
op "maximum" {
  "(Tensor self, Tensor other) -> Tensor",
  formula = {"self != self ? self : other != other ? other : self > other ? self : other", types = "all"},
  grad = {self = "maximum_backward(grad, self, other)", other = "maximum_backward(grad, other, self)"},
  sample = {{3, 4}, {3, 4}},
  details = "self and other are tensors that broadcast; the dtypes are promoted. For a bound that is a number, use clamp; for the greatest " ..
    "element, torch.max.",
  doc = "The larger of two; nan where either is nan.",
}
op "minimum" {
  "(Tensor self, Tensor other) -> Tensor",
  formula = {"self != self ? self : other != other ? other : self < other ? self : other", types = "all"},
  grad = {self = "maximum_backward(grad, other, self)", other = "maximum_backward(grad, self, other)"},
  sample = {{3, 4}, {3, 4}},
  details = "self and other are tensors that broadcast; the dtypes are promoted. For a bound that is a number, use clamp; for the least " ..
    "element, torch.min.",
  doc = "The smaller of two; nan where either is nan.",
}
op "fmax" {
  "(Tensor self, Tensor other) -> Tensor",
  formula = {"self != self ? other : other != other ? self : self > other ? self : other", types = "all"},
  grad = {self = "zero_where(maximum_backward(grad, self, other), gt(isnan(self), isnan(other)))", other = "zero_where(maximum_backward(grad, other, self), isnan(other))"},
  sample = {{3, 4}, {3, 4}},
  doc = "The larger of two; a nan is passed over.",
}
op "fmin" {
  "(Tensor self, Tensor other) -> Tensor",
  formula = {"self != self ? other : other != other ? self : self < other ? self : other", types = "all"},
  grad = {self = "zero_where(maximum_backward(grad, other, self), gt(isnan(self), isnan(other)))", other = "zero_where(maximum_backward(grad, self, other), isnan(other))"},
  sample = {{3, 4}, {3, 4}},
  doc = "The smaller of two; a nan is passed over.",
}
formula "nan_to_num" {
  "(Tensor self, float nan, float posinf, float neginf)",
  "x = self == (E)INFINITY ? posinf : self; x = self == -(E)INFINITY ? neginf : x; self != self ? nan : x",
  layout = "copy",
}
op "nan_to_num" {
  "(Tensor self, float? nan, float? posinf, float? neginf) -> Tensor",
  inplace = "torch",
  grad = {self = "grad * isfinite(self)"},
  doc = "nan and the infinities replaced (by 0 and the largest numbers).",
  details = "nan, posinf and neginf are numbers that are taken instead; without them, 0, and the greatest and least finite number of the dtype. " ..
    "Integers stay as they are.",
}
