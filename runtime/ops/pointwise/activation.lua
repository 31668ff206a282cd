-- activation.lua: activations (the notation: list/read.lua).

op "relu" {
  "(Tensor self) -> Tensor",
  formula = {"self < 0 ? (T)0 : self", types = "numbers", prepare = "tocha_prepare_relu"},
  inplace = "torch, nn.functional", functional = true,
  grad = {self = "threshold_backward(grad, result, 0)"},
  details = "The dtype stays. The gradient at 0 is 0. nn.ReLU is the module.",
  doc = "max(self, 0).",
}
op "leaky_relu" {
  "(Tensor self, Number negative_slope=0.01) -> Tensor",
  formula = {"self > 0 ? self : self * negative_slope", fits = "wide"},
  forms = {}, functional = true,
  inplace = {forms = "nn.functional", grad = {self = "leaky_relu_result_backward(grad, result, negative_slope)"}},
  grad = {self = "leaky_relu_backward(grad, self, negative_slope)"},
  doc = "self where positive, else negative_slope * self.",
}
op "_rrelu_with_noise" {
  "(Tensor self, Tensor noise) -> Tensor",
  tied = true,
  formula = "mul", forms = {},
  inplace = true,
  grad = {self = "grad * noise"},
  sample = {{3, 4}, {3, 4}},
  doc = "self times the slopes that were drawn, 1 where it is positive.",
}
op "_rrelu_mean" {
  "(Tensor self, float slope) -> Tensor",
  tied = true,
  formula = {"self > 0 ? self : self * slope", kernel = "leaky_relu_cpu"},
  forms = {}, inplace = true,
  grad = {self = "leaky_relu_backward(grad, self, slope)"},
  sample = {{3, 4}, 0.2},
  doc = "self where positive, else slope * self.",
}
op "elu" {
  "(Tensor self, Number alpha=1.0, Number scale=1.0, Number input_scale=1.0) -> Tensor",
  formula = {"SELECT_MOSTLY((self < 0) == 0, self * scale, EXPM1(self * input_scale) * (alpha * scale))", loop = "pairs", fits = "wide"},
  forms = {}, functional = {"(Tensor input, Number alpha=1.0, bool inplace=false) -> Tensor"},
  inplace = {forms = "nn.functional", grad = {self = "elu_result_backward(grad, result, alpha, scale, input_scale)"}},
  grad = {self = "elu_backward(grad, self, alpha, scale, input_scale)"},
  doc = "self where positive, else alpha * (exp(self) - 1).",
}
-- alpha, scale and input_scale of elu (Klambauer et al., "Self-Normalizing Neural Networks", 2017)
local selu_numbers = "1.6732632423543772848170429916717, 1.0507009873554804934193349852946, 1"
op "selu" {
  "(Tensor self) -> Tensor",
  forms = {"torch"}, composite = "elu(self, " .. selu_numbers .. ")", functional = true,
  doc = "Scaled elu that keeps mean 0 and variance 1.",
  details = "For networks that are initialized for it and use alpha_dropout; the scale and alpha are fixed numbers. nn.SELU is the module.",
}
op "selu_" {
  "(Tensor self) -> Tensor",
  forms = {"torch", "nn.functional"}, composite = "elu_(self, " .. selu_numbers .. ")", writes_self = true,
  doc = "In-place form of selu.",
}
op "celu" {
  "(Tensor self, Number alpha=1.0) -> Tensor",
  forms = {"torch"}, functional = true,
  inplace = {forms = "torch, nn.functional", grad = {self = "elu_result_backward(grad, result, alpha, 1.0, 1.0 / alpha)"}},
  grad = {self = "elu_backward(grad, self, alpha, 1.0, 1.0 / alpha)"},
  doc = "max(0, self) + min(0, alpha * (exp(self / alpha) - 1)).",
}
op "hardtanh" {
  "(Tensor self, Number min_val=-1.0, Number max_val=1.0) -> Tensor",
  formula = {"raised = self < min_val || min_val != min_val ? min_val : self; " ..
    "raised > max_val || max_val != max_val ? max_val : raised",
    types = "numbers", layout = "copy", fits = "real", prepare = "tocha_prepare_hardtanh"},
  forms = {}, inplace = "torch, nn.functional",
  grad = {self = "hardtanh_backward(grad, self, min_val, max_val)"},
  doc = "self clamped to [min_val, max_val].",
}
op "hardtanh.functional" {
  "(Tensor input, Number min_val=-1.0, Number max_val=1.0, bool inplace=false) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  sample = {{3, 4}},
  doc = "self clamped to [min_val, max_val].",
}
op "relu6" {
  "(Tensor input, bool inplace=false) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  sample = {{3, 4}},
  doc = "input clamped to [0, 6].",
}
op "hardsigmoid" {
  "(Tensor self) -> Tensor",
  formula = "x = self + 3; x = x < 0 ? 0 : x; (x > 6 ? 6 : x) / 6",
  forms = {}, inplace = "torch, nn.functional", functional = true,
  grad = {self = "hardsigmoid_backward(grad, self)"},
  doc = "clamp(self + 3, 0, 6) / 6.",
}
op "hardswish" {
  "(Tensor self) -> Tensor",
  formula = "x = self + 3; x = x < 0 ? 0 : x; self * (x > 6 ? 6 : x) / 6",
  forms = {}, inplace = "torch, nn.functional", functional = true,
  grad = {self = "hardswish_backward(grad, self)"},
  doc = "self * clamp(self + 3, 0, 6) / 6.",
}
op "silu" {
  "(Tensor self) -> Tensor",
  formula = {"QUOTIENT(self, 1 + EXP(-self))", loop = "pairs"},
  forms = {}, inplace = "torch, nn.functional", functional = true,
  grad = {self = "silu_backward(grad, self)"},
  doc = "self * sigmoid(self).",
}
op "mish" {
  "(Tensor self) -> Tensor",
  formula = {"self * TANH(LOG1P(EXP(self)))", loop = "pairs"},
  forms = {}, inplace = "torch, nn.functional", functional = true,
  grad = {self = "mish_backward(grad, self)"},
  doc = "self * tanh(softplus(self)).",
}
op "threshold" {
  "(Tensor self, Scalar threshold, Scalar value) -> Tensor",
  formula = {"self <= threshold ? value : self", types = "reals", prepare = "tocha_prepare_threshold"},
  forms = {"torch"}, inplace = "torch, nn.functional", functional = true,
  grad = {self = "threshold_backward(grad, self, threshold)"},
  sample = {{3, 4}, 0.1, 0.5},
  doc = "self where above threshold, else value.",
}
formula "gelu" {
  "(Tensor self)",
  "self * NORMAL_CDF(self)",
  loop = "vectors", kernel = "GeluKernelImpl",
}
-- 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))): Hendrycks and Gimpel, 2016
formula "gelu_tanh" {
  "(Tensor self)",
  "K(0.5) * self * (1 + TANH(K(0.79788456080286535588) * FMA(SPREAD(K(0.044715)), self * self * self, self)))",
  loop = "pairs", kernel = "GeluKernelImpl",
}
op "gelu" {
  "(Tensor self, *, string approximate='none') -> Tensor",
  forms = {"nn.functional"},
  grad = {self = "gelu_backward(grad, self, approximate=approximate)"},
  sample = {{3, 4}, approximate = "tanh"},
  details = "Floating point alone. approximate is 'none' or 'tanh', which GPT-2 uses.",
  doc = "self * P(x <= self) of the normal distribution, or its approximation by tanh.",
}
op "softplus" {
  "(Tensor self, Number beta=1, Number threshold=20) -> Tensor",
  formula = {"SELECT(self * beta > threshold, self, LOG1P(EXP(self * beta)) / beta)", loop = "pairs", fits = "wide"},
  forms = {"nn.functional"},
  grad = {self = "softplus_backward(grad, self, beta, threshold)"},
  sample = {{3, 4}, 2.0},
  details = "Floating point alone. Always positive, and smooth where ReLU has a corner.",
  doc = "log(1 + exp(beta * self)) / beta; self where beta * self > threshold.",
}
op "logsigmoid" {
  "(Tensor self) -> Tensor",
  formula = {"below = SELECT(self < 0, self, SPREAD(0)); below - LOG1P(EXP(SELECT(self < 0, self, -self)))",
    loop = "vectors", layout = "rows", kernel = "log_sigmoid_cpu"},
  forms = {"nn.functional"},
  grad = {self = "log_sigmoid_backward(grad, self)"},
  doc = "log(sigmoid(self)).",
}
op "softsign" {
  "(Tensor input) -> Tensor",
  forms = {"nn.functional"}, composite = "input / (1 + abs(input))",
  sample = {{3, 4}},
  doc = "input / (1 + |input|).",
  details = "The results lie between -1 and 1; they approach them more slowly than tanh's. nn.Softsign is the module.",
}
op "tanhshrink" {
  "(Tensor input) -> Tensor",
  forms = {"nn.functional"}, composite = "input - tanh(input)",
  sample = {{3, 4}},
  doc = "input - tanh(input).",
}
op "hardshrink" {
  "(Tensor self, Number lambd=0.5) -> Tensor",
  formula = {"self >= -lambd && self <= lambd ? 0 : self", fits = "own"},
  forms = {"torch", "method", "nn.functional"},
  grad = {self = "hardshrink_backward(grad, self, lambd)"},
  doc = "self where |self| > lambd, else 0.",
}
op "softshrink" {
  "(Tensor self, Number lambd=0.5) -> Tensor",
  formula = {"SELECT(self > lambd, self - lambd, SELECT(self < -lambd, self + lambd, VANISHED(self)))", loop = "whole",
    kernel = "softshrink_check", prepare = "tocha_prepare_softshrink"},
  forms = {"nn.functional"},
  grad = {self = "softshrink_backward(grad, self, lambd)"},
  doc = "self moved by lambd towards 0.",
}
formula "glu" {"(Tensor first, Tensor second)", "first * SIGMOID(second)", loop = "pairs"}
formula "glu_slope" {"(Tensor gate, Tensor first, Tensor grad)", "(1 - gate) * gate * first * grad"}
op "glu" {
  "(Tensor self, dim dim=-1) -> Tensor",
  forms = {"nn.functional"},
  grad = {self = "glu_backward(grad, self, dim)"},
  doc = "The first half times the sigmoid of the second.",
  details = "The halves are those of dimension dim (the last one), whose size must be even; it is halved. nn.GLU is the module.",
}
op "prelu" {
  "(Tensor self, Tensor weight) -> Tensor",
  forms = {"torch", "method", "nn.functional"}, composite = true, one_device = true,
  sample = {{3, 4}, {4}},
  doc = "self where positive, else weight * self, a weight each channel.",
}
op "prelu_kernel" {
  "(Tensor self, Tensor weight) -> Tensor",
  formula = {"self > 0 ? self : weight * self", layout = "copy", kernel = "prelu_cpu"},
  forms = {},
  keeps = {"self", "weight"},
  grad = {self = "prelu_backward(grad, self, weight)", weight = "zero_where(grad * self, ge(self, 0))"},
  sample = {{3, 4}, {1}},
  doc = "self where positive, else weight * self.",
}
