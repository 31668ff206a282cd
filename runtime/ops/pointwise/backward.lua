-- backward.lua: the derivatives of activations and their kin, as operators (the notation: list/read.lua).

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
