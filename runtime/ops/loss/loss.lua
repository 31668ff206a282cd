-- loss.lua: losses (the notation: list/read.lua).

op "mse_loss" {
  "(Tensor input, Tensor target, bool? size_average, bool? reduce, string reduction='mean', Tensor? weight) -> Tensor",
  forms = {"nn.functional"}, composite = true, one_device = true,
  samples = {{{3, 4}, {3, 4}}, {{3, 4}, {3, 4}, reduction = "sum"}},
  details = "input and target should have the same sizes: a warning tells if they broadcast, which is seldom meant. reduction: 'mean', " ..
    "'sum', or 'none', which keeps the sizes. nn.MSELoss is the module.",
  doc = "The mean of (input - target)^2.",
}
op "l1_loss" {
  "(Tensor input, Tensor target, bool? size_average, bool? reduce, string reduction='mean', Tensor? weight) -> Tensor",
  forms = {"nn.functional"}, composite = true, one_device = true,
  sample = {{3, 4}, {3, 4}},
  details = "input and target should have the same sizes: a warning tells if they broadcast. reduction: 'mean', 'sum', or 'none', which " ..
    "keeps the sizes. nn.L1Loss is the module.",
  doc = "The mean of |input - target|.",
}
op "smooth_l1_loss" {
  "(Tensor input, Tensor target, bool? size_average, bool? reduce, string reduction='mean', float beta=1.0) -> Tensor",
  forms = {"nn.functional"}, composite = true, one_device = true,
  sample = {{3, 4}, {3, 4}},
  details = "d is input - target. With beta = 0 it is l1_loss. reduction: 'mean', 'sum', or 'none', which keeps the sizes. nn.SmoothL1Loss is " ..
    "the module.",
  doc = "The mean of d^2 / (2 beta) if |d| < beta, else |d| - beta / 2.",
}
op "huber_loss" {
  "(Tensor input, Tensor target, string reduction='mean', float delta=1.0, Tensor? weight) -> Tensor",
  forms = {"nn.functional"}, composite = true, one_device = true,
  sample = {{3, 4}, {3, 4}},
  doc = "The mean of d^2 / 2 if |d| <= delta, else delta * (|d| - delta / 2).",
}
op "nll_loss" {
  "(Tensor input, Tensor target, Tensor? weight, bool? size_average, int ignore_index=-100, bool? reduce, string reduction='mean') -> Tensor",
  forms = {"nn.functional"}, composite = true,
  sample = {{3, 4}, {3, int = 4}},
  details = "The target is int64, (N, ...), with classes from 0 to C - 1; anything else but ignore_index is an error. weight is (C); the mean " ..
    "is weighted by it. nn.NLLLoss is the module.",
  doc = "The mean of -input[n, target[n]] over log probabilities (N, C, ...).",
}
op "cross_entropy" {
  "(Tensor input, Tensor target, Tensor? weight, bool? size_average, int ignore_index=-100, bool? reduce, string reduction='mean', float label_smoothing=0.0) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  samples = {{{3, 4}, {3, int = 4}}, {{3, 4}, {3, int = 4}, label_smoothing = 0.1}, {{3, 4}, {3, 4, positive = true}}},
  details = "input holds scores, not probabilities: (C), (N, C) or (N, C, ...). The target is int64 classes (N, ...) from 0 to C - 1, or " ..
    "probabilities of input's sizes and dtype. weight is (C). nn.CrossEntropyLoss is the module.",
  doc = "nll_loss of log_softmax(input); the target may be class indices or probabilities.",
}
op "binary_cross_entropy" {
  "(Tensor input, Tensor target, Tensor? weight, bool? size_average, bool? reduce, string reduction='mean') -> Tensor",
  forms = {"nn.functional"}, composite = true,
  sample = {{3, 4, unit = true}, {3, 4, unit = true}},
  details = "input and target t have the same sizes and dtype; input is between 0 and 1; other values are an error. After a sigmoid, " ..
    "binary_cross_entropy_with_logits is more exact. Logarithms are at least -100. nn.BCELoss is the module.",
  doc = "The mean of -(t log x + (1 - t) log(1 - x)).",
}
op "binary_cross_entropy_with_logits" {
  "(Tensor input, Tensor target, Tensor? weight, bool? size_average, bool? reduce, string reduction='mean', Tensor? pos_weight) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  sample = {{3, 4}, {3, 4, positive = true}},
  details = "input, scores of any size, and target, floating point between 0 and 1, have the same sizes. pos_weight weighs the terms of the " ..
    "target 1 and broadcasts. nn.BCEWithLogitsLoss is the module.",
  doc = "binary_cross_entropy of sigmoid(input), without overflow.",
}
op "kl_div" {
  "(Tensor input, Tensor target, bool? size_average, bool? reduce, string reduction='mean', bool log_target=false) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  sample = {{3, 4}, {3, 4, positive = true}, reduction = "batchmean"},
  details = "input holds log probabilities, target probabilities (their logarithms with log_target). reduction 'batchmean' is the " ..
    "definition's mean over the batch; 'mean' divides by all elements. nn.KLDivLoss is the module.",
  doc = "The mean of target * (log target - input).",
}
op "hinge_embedding_loss" {
  "(Tensor input, Tensor target, float margin=1.0, bool? size_average, bool? reduce, string reduction='mean') -> Tensor",
  forms = {"nn.functional"}, composite = true,
  sample = {{3, 4}, {3, 4}},
  doc = "The mean of input where the target is 1, of max(0, margin - input) where it is -1.",
}
op "_mse_loss" {
  "(Tensor self, Tensor target, int reduction) -> Tensor",
  rounds = "steps",
  forms = {},
  grad = {self = "_mse_loss_backward(grad, self, target, 0, 1.0, reduction)",
    target = "-_mse_loss_backward(grad, self, target, 0, 1.0, reduction)"},
  sample = {{3, 4}, {3, 4}, 1},
  doc = "mse_loss with a numbered reduction.",
}
op "_smooth_l1_loss" {
  "(Tensor self, Tensor target, int reduction, float beta) -> Tensor",
  forms = {},
  grad = {self = "_smooth_l1_loss_backward(grad, self, target, 1, beta, reduction)",
    target = "-_smooth_l1_loss_backward(grad, self, target, 1, beta, reduction)"},
  sample = {{3, 4}, {3, 4}, 1, 1.0},
  doc = "smooth_l1_loss with a numbered reduction.",
}
op "_huber_loss" {
  "(Tensor self, Tensor target, int reduction, float delta) -> Tensor",
  rounds = "steps",
  forms = {},
  grad = {self = "_huber_loss_backward(grad, self, target, 2, delta, reduction)",
    target = "-_huber_loss_backward(grad, self, target, 2, delta, reduction)"},
  sample = {{3, 4}, {3, 4}, 1, 1.0},
  doc = "huber_loss with a numbered reduction.",
}
op "_binary_cross_entropy" {
  "(Tensor self, Tensor target, Tensor? weight, int reduction) -> Tensor",
  forms = {}, constant = {"weight"},
  grad = {self = "_binary_cross_entropy_backward(grad, self, target, weight, reduction)",
    target = "_binary_cross_entropy_target_backward(grad, self, weight, reduction)"},
  sample = {{3, 4, unit = true}, {3, 4, unit = true}, reduction = 1},
  doc = "binary_cross_entropy with a numbered reduction.",
}
op "_bce_with_logits" {
  "(Tensor self, Tensor target, Tensor? weight, Tensor? pos_weight, int reduction) -> Tensor",
  rounds = "steps",
  forms = {}, constant = {"weight", "pos_weight"},
  grad = {self = "_bce_with_logits_backward(grad, self, target, weight, pos_weight, reduction)",
    target = "_bce_with_logits_target_backward(grad, self, weight, pos_weight, reduction)"}, keeps = {"target"},
  sample = {{3, 4}, {3, 4, positive = true}, reduction = 1},
  doc = "binary_cross_entropy_with_logits with a numbered reduction.",
}
op "_nll_loss" {
  "(Tensor self, Tensor target, Tensor? weight, int reduction, int ignore_index) -> Tensor",
  forms = {}, constant = {"weight"},
  grad = {self = "_nll_loss_backward(grad, self, target, weight, reduction, ignore_index)"},
  sample = {{3, 4}, {3, int = 4}, reduction = 1, ignore_index = -100},
  doc = "nll_loss with a numbered reduction.",
}
op "_nll_loss2d" {
  "(Tensor self, Tensor target, Tensor? weight, int reduction, int ignore_index) -> Tensor",
  forms = {}, constant = {"weight"}, implementation = "tocha_op__nll_loss",
  grad = {self = "_nll_loss_backward(grad, self, target, weight, reduction, ignore_index)"},
  sample = {{2, 4, 3, 1}, {2, 3, 1, int = 4}, reduction = 1, ignore_index = -100},
  doc = "nll_loss of images, (N, C, H, W).",
}
op "_loss_slope" {
  "(Tensor self, Tensor target, int kind, float p, int order, int reduction) -> Tensor",
  forms = {},
  grad = {self = "grad * _loss_slope(self, target, kind, p, order + 1, reduction)",
    target = "-(grad * _loss_slope(self, target, kind, p, order + 1, reduction))"},
  sample = {{3, 4}, {3, 4}, 0, 1.0, 1, 1},
  doc = "A derivative of a loss of (self - target), by element.",
}
local function loss_backward(name)   -- one function for the names of the graph's nodes
  op(name) {
    "(Tensor grad_output, Tensor self, Tensor target, int kind, float p, int reduction) -> Tensor",
    rounds = "steps",
    forms = {}, implementation = "tocha_op__loss_backward",
    grad = {grad_output = "grad * _loss_slope(self, target, kind, p, 1, reduction)",
      self = "grad * grad_output * _loss_slope(self, target, kind, p, 2, reduction)",
      target = "-(grad * grad_output * _loss_slope(self, target, kind, p, 2, reduction))"},
    sample = {{}, {3, 4}, {3, 4}, 0, 1.0, 1},
    doc = "grad_output times the slope of a loss of (self - target).",
  }
end
loss_backward "_loss_backward"
loss_backward "_mse_loss_backward"
loss_backward "_smooth_l1_loss_backward"
loss_backward "_huber_loss_backward"
op "_binary_cross_entropy_backward" {
  "(Tensor grad_output, Tensor self, Tensor target, Tensor? weight, int reduction) -> Tensor",
  forms = {},
  backward = "tocha_grad_bce_backward", differentiable = {"grad_output", "self", "target"},
  saves = {"grad_output", "self", "target", "weight"},
  sample = {{}, {3, 4, unit = true}, {3, 4, unit = true}, reduction = 1},
  doc = "The gradient of binary_cross_entropy.",
}
op "_binary_cross_entropy_target_backward" {
  "(Tensor grad_output, Tensor self, Tensor? weight, int reduction) -> Tensor",
  forms = {}, composite = true,
  sample = {{}, {3, 4, unit = true}, reduction = 1},
  doc = "The gradient of binary_cross_entropy by its target.",
}
op "_bce_with_logits_backward" {
  "(Tensor grad_output, Tensor self, Tensor target, Tensor? weight, Tensor? pos_weight, int reduction) -> Tensor",
  forms = {}, composite = true,
  sample = {{}, {3, 4}, {3, 4, positive = true}, reduction = 1},
  doc = "The gradient of binary_cross_entropy_with_logits.",
}
op "_bce_with_logits_target_backward" {
  "(Tensor grad_output, Tensor self, Tensor? weight, Tensor? pos_weight, int reduction) -> Tensor",
  forms = {}, composite = true,
  sample = {{}, {3, 4}, reduction = 1},
  doc = "The gradient of binary_cross_entropy_with_logits by its target.",
}
op "_nll_loss_backward" {
  "(Tensor grad_output, Tensor self, Tensor target, Tensor? weight, int reduction, int ignore_index) -> Tensor",
  forms = {},
  grad = {self = "zeros_like(self)", grad_output = "_nll_loss(grad, target, weight, reduction, ignore_index)"},
  sample = {{}, {3, 4}, {3, int = 4}, reduction = 1, ignore_index = -100},
  doc = "The gradient of nll_loss.",
}
op "linear_cross_entropy" {
  "(Tensor input, Tensor linear_weight, Tensor target, *, Tensor? linear_bias, Tensor? weight, string reduction='mean', int? ignore_index, float label_smoothing=0.0) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  samples = {
    {{3, 4}, {5, 4}, {3, int = 5}}, {{3, 4}, {5, 4}, {3, int = 5}, linear_bias = {5}, reduction = "sum"},
    {{3, 4}, {5, 4}, {3, 5, positive = true}, label_smoothing = 0.1}, {{3, 4}, {5, 2, 4}, {3, 2, int = 5}, reduction = "none"},
  },
  doc = "cross_entropy of linear(input, linear_weight, linear_bias).",
}
