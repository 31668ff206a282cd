-- backward.lua: the derivatives of activations and the like, as operators (the notation: list/read.lua).

op "tanh_backward" {
  "(Tensor grad_output, Tensor output) -> Tensor",
  formula = {"grad_output * FMA(-output, output, (T)1)", promotion = "floating"},
  forms = {},
  grad = {grad_output = "linear", output = "grad * (output * (-2) * grad_output)"},
  sample = {{3, 4}, {3, 4}},
  doc = "The gradient of tanh.",
}
op "sigmoid_backward" {
  "(Tensor grad_output, Tensor output) -> Tensor",
  formula = {"grad_output * (1 - output) * output", promotion = "floating"},
  forms = {},
  grad = {grad_output = "linear", output = "grad * grad_output * (1 - output * 2)"},
  sample = {{3, 4}, {3, 4}},
  doc = "The gradient of sigmoid.",
}
op "threshold_backward" {
  "(Tensor grad_output, Tensor self, Scalar threshold) -> Tensor",
  formula = {"self <= threshold ? (T)0 : grad_output", types = "numbers"},
  forms = {},
  grad = {grad_output = "linear", self = "zero"},
  sample = {{3, 4}, {3, 4}, 0},
  doc = "The gradient of threshold and relu.",
}
op "leaky_relu_backward" {
  "(Tensor grad_output, Tensor self, float negative_slope) -> Tensor",
  formula = "self > 0 ? grad_output : grad_output * negative_slope",
  forms = {},
  grad = {grad_output = "linear", self = "zero"},
  sample = {{3, 4}, {3, 4}, 0.1},
  doc = "The gradient of leaky_relu.",
}
op "elu_backward" {
  "(Tensor grad_output, Tensor self, float alpha, float scale, float input_scale) -> Tensor",
  formula = {"SELECT_MOSTLY(self > 0, grad_output * scale, grad_output * input_scale * (alpha * scale) * EXP(self * input_scale))",
    loop = "pairs"},
  forms = {},
  grad = {grad_output = "linear", self = "elu_backward(grad * grad_output, self, alpha, scale, input_scale) * lt(self, 0) * input_scale"},
  sample = {{3, 4}, {3, 4}, 1.0, 1.0, 1.0},
  doc = "The gradient of elu.",
}
op "leaky_relu_result_backward" {
  "(Tensor grad_output, Tensor output, float negative_slope) -> Tensor",
  formula = {"output > 0 ? grad_output : grad_output * negative_slope", prepare = "tocha_prepare_leaky_relu_result"},
  forms = {},
  grad = {grad_output = "linear", output = "zero"},
  sample = {{3, 4}, {3, 4}, 0.1},
  doc = "The gradient of leaky_relu by its result.",
}
op "elu_result_backward" {
  "(Tensor grad_output, Tensor output, float alpha, float scale, float input_scale) -> Tensor",
  formula = {"output > 0 ? grad_output * scale : grad_output * input_scale * (output + alpha * scale)",
    prepare = "tocha_prepare_elu_result"},
  forms = {},
  grad = {grad_output = "linear", output = "grad * grad_output * lt(output, 0) * input_scale"},
  sample = {{3, 4}, {3, 4}, 1.0, 1.0, 1.0},
  doc = "The gradient of elu by its result.",
}
formula "gelu_backward" {
  "(Tensor grad_output, Tensor self)",
  "x = self * K(0.70710678118654752440); e = EXP(-(x * x)); slope = self * (e * K(0.39894228040143267794)); " ..
  "grad_output * FMA(ERF_BY_EXP(x, e), SPREAD(K(0.5)), slope + K(0.5))",
  loop = "vectors",
}
formula "gelu_tanh_backward" {
  "(Tensor grad_output, Tensor self)",
  "t = TANH(K(0.79788456080286535588) * FMA(SPREAD(K(0.044715)), self * self * self, self)); " ..
  "grad_output * FMA(SPREAD(K(0.5)), 1 + t, K(0.5) * self * FMA(-t, t, SPREAD(1)) * " ..
  "(K(0.79788456080286535588) * FMA(SPREAD(K(3) * K(0.044715)), self * self, SPREAD(1))))",
  loop = "pairs",
}
op "gelu_backward" {
  "(Tensor grad_output, Tensor self, *, string approximate='none') -> Tensor",
  forms = {}, backward = "tocha_grad_gelu_backward", differentiable = {"grad_output", "self"}, saves = {"grad_output", "self"},
  sample = {{3, 4}, {3, 4}},
  doc = "The gradient of gelu.",
}
op "silu_backward" {
  "(Tensor grad_output, Tensor self) -> Tensor",
  formula = {"s = QUOTIENT(1, 1 + EXP(-self)); grad_output * s * FMA(self, 1 - s, SPREAD(1))", loop = "pairs"},
  forms = {},
  grad = {grad_output = "linear", self = "grad * grad_output * sigmoid_backward(2 + self * (1 - sigmoid(self) * 2), sigmoid(self))"},
  sample = {{3, 4}, {3, 4}},
  doc = "The gradient of silu.",
}
op "mish_backward" {
  "(Tensor grad_output, Tensor self) -> Tensor",
  formula = {"t = TANH(LOG1P(EXP(self))); " ..
    "grad_output * FMA(self * SIGMOID(self), FMA(-t, t, SPREAD(1)), t)",
    loop = "pairs"},
  forms = {},
  grad = {grad_output = "linear",
    self = "grad * grad_output * (sigmoid(self) * (1 - square(tanh(softplus(self)))) * " ..
      "(self * (1 - sigmoid(self) - sigmoid(self) * tanh(softplus(self)) * 2) + 2))"},
  sample = {{3, 4}, {3, 4}},
  doc = "The gradient of mish.",
}
op "softplus_backward" {
  "(Tensor grad_output, Tensor self, float beta, float threshold) -> Tensor",
  formula = {"e = EXP(self * beta); SELECT(self * beta > threshold, grad_output, grad_output * e / (e + 1))",
    loop = "pairs"},
  forms = {},
  grad = {grad_output = "linear", self = "sigmoid_backward(grad * grad_output, sigmoid(self * beta)) * lt(self * beta, threshold) * beta"},
  sample = {{3, 4}, {3, 4}, 1.0, 20.0},
  doc = "The gradient of softplus.",
}
formula "bfloat16_log_sigmoid_backward" {
  "(Tensor grad_output, Tensor self)",
  "e = (T)tocha_as_bfloat16((float)EXP(self < 0 ? self : -self)); grad_output * (self < 0 ? 1 - e / (1 + e) : e / (1 + e))",
  layout = "copy",
}
op "log_sigmoid_backward" {
  "(Tensor grad_output, Tensor self) -> Tensor",
  formula = {"e = EXP(SELECT(self < 0, self, -self)); s = e / (1 + e); grad_output * SELECT(self < 0, 1 - s, s)",
    loop = "vectors", layout = "copy", prepare = "tocha_prepare_steps_of_bfloat16"},
  forms = {},
  grad = {grad_output = "linear", self = "-sigmoid_backward(grad * grad_output, sigmoid(self))"},
  sample = {{3, 4}, {3, 4}},
  doc = "The gradient of logsigmoid.",
}
op "hardtanh_backward" {
  "(Tensor grad_output, Tensor self, float min_val, float max_val) -> Tensor",
  formula = "self > min_val && self < max_val ? grad_output : 0",
  forms = {},
  grad = {grad_output = "linear", self = "zero"},
  sample = {{3, 4}, {3, 4}, -1.0, 1.0},
  doc = "The gradient of hardtanh.",
}
op "hardsigmoid_backward" {
  "(Tensor grad_output, Tensor self) -> Tensor",
  formula = "self > -3 && self < 3 ? grad_output / 6 : 0",
  forms = {}, backward = "tocha_grad_not_implemented", differentiable = {"grad_output", "self"}, nogradcheck = true,
  sample = {{3, 4}, {3, 4}},
  doc = "The gradient of hardsigmoid.",
}
op "hardshrink_backward" {
  "(Tensor grad_output, Tensor self, float lambd) -> Tensor",
  formula = "self < -lambd || self > lambd ? grad_output : 0",
  forms = {},
  grad = {grad_output = "linear", self = "zero"},
  sample = {{3, 4}, {3, 4}, 0.5},
  doc = "The gradient of hardshrink.",
}
op "softshrink_backward" {
  "(Tensor grad_output, Tensor self, float lambd) -> Tensor",
  formula = "hardshrink_backward",
  forms = {},
  grad = {grad_output = "linear", self = "zero"},
  sample = {{3, 4}, {3, 4}, 0.5},
  doc = "The gradient of softshrink.",
}
op "clamp_backward" {
  "(Tensor grad_output, Tensor self, float min, float max) -> Tensor",
  formula = "(self > min || min == -INFINITY) && (self < max || max == INFINITY) ? grad_output : 0",
  forms = {},
  grad = {grad_output = "linear"},
  sample = {{3, 4}, {3, 4}, -0.5, 0.5},
  doc = "The gradient of clamp.",
}
op "hardswish_backward" {
  "(Tensor grad_output, Tensor self) -> Tensor",
  formula = "self <= -3 ? 0 : self >= 3 ? grad_output : grad_output * (self / 3 + K(0.5))",
  forms = {},
  grad = {grad_output = "linear", self = "hardtanh_backward(grad * grad_output, self, -3.0, 3.0) / 3"},
  sample = {{3, 4}, {3, 4}},
  doc = "The gradient of hardswish.",
}
op "sinc_backward" {
  "(Tensor grad_output, Tensor self) -> Tensor",
  forms = {},
  grad = {grad_output = "linear",
    self = "grad * grad_output * where(eq(self, 0), -3.289868133696453, " ..
      "sinc(self) * (-9.869604401089358) - sinc_backward(ones_like(self), self) * 2 / self)"},
  sample = {{3, 4}, {3, 4}},
  doc = "The gradient of sinc.",
}
op "maximum_backward" {
  "(Tensor grad_output, Tensor self, Tensor other) -> Tensor",
  formula = "self == other ? grad_output / 2 : self < other ? 0 : grad_output",
  forms = {},
  grad = {grad_output = "linear"},
  sample = {{3, 4}, {3, 4}, {3, 4}},
  doc = "grad_output where self > other, half of it where they are equal.",
}
op "prelu_backward" {
  "(Tensor grad_output, Tensor self, Tensor weight) -> Tensor",
  formula = "self > 0 ? grad_output : grad_output * weight",
  forms = {},
  grad = {grad_output = "linear", self = "zero", weight = "zero_where(grad * grad_output, ge(self, 0))"},
  sample = {{3, 4}, {3, 4}, {1}},
  doc = "The gradient of prelu towards self.",
}
op "glu_backward" {
  "(Tensor grad_output, Tensor self, dim dim) -> Tensor",
  forms = {},
  backward = "tocha_grad_glu_backward", differentiable = {"grad_output", "self"}, saves = {"grad_output", "self"},
  sample = {{3, 2}, {3, 4}, 1},
  doc = "The gradient of glu.",
}
-- mask: each element is 0 or 1
formula "masked_scale" {"(Tensor self, Tensor mask, float scale)", "self * mask * scale"}
op "zero_where" {
  "(Tensor grad_output, Tensor mask) -> Tensor",
  formula = {"mask != 0 ? 0 : grad_output", types = "numbers"},
  forms = {},
  grad = {grad_output = "linear"},
  sample = {{3, 4}, {3, 4, bool = true}},
  doc = "grad_output where mask is zero, else 0.",
}
