-- margin.lua: losses of margins, distances and distributions (the notation: list/read.lua).

op "cosine_embedding_loss" {
  "(Tensor input1, Tensor input2, Tensor target, float margin=0, bool? size_average, bool? reduce, string reduction='mean') -> Tensor",
  forms = {"nn.functional"}, composite = true,
  samples = {{{3, 4}, {3, 4, positive = true}, {3, int = 2}}, {{3, 4}, {3, 4}, {3, int = 1, offset = -1}, margin = 0.1, reduction = "sum"}},
  doc = "The mean of 1 - cos where the target is 1, of max(0, cos - margin) where it is -1.",
}
op "margin_ranking_loss" {
  "(Tensor input1, Tensor input2, Tensor target, float margin=0, bool? size_average, bool? reduce, string reduction='mean') -> Tensor",
  forms = {"nn.functional"}, composite = true,
  samples = {{{3, 4}, {3, 4}, {3, 4}}, {{3, 4}, {3, 4}, {3, 4}, margin = 0.5, reduction = "none"}},
  doc = "The mean of max(0, margin - target * (input1 - input2)).",
}
op "soft_margin_loss" {
  "(Tensor input, Tensor target, bool? size_average, bool? reduce, string reduction='mean') -> Tensor",
  forms = {"nn.functional"}, composite = true,
  samples = {{{3, 4}, {3, 4, int = 2}}, {{3, 4}, {3, 4, int = 2}, reduction = "sum"}, {{3, 4}, {3, 4, int = 2}, reduction = "none"}},
  doc = "The mean of log(1 + exp(-target * input)).",
  details = "The targets are 1 and -1, of input's sizes. reduction is 'mean', 'sum' or 'none'. nn.SoftMarginLoss is the module.",
}
op "_soft_margin_loss" {
  "(Tensor self, Tensor target, int reduction) -> Tensor",
  forms = {}, constant = {"target"},
  grad = {self = "_soft_margin_loss_backward(grad, self, target, reduction)"},
  sample = {{3, 4}, {3, 4}, 1},
  doc = "soft_margin_loss with a numbered reduction.",
}
op "_soft_margin_loss_backward" {
  "(Tensor grad_output, Tensor self, Tensor target, int reduction) -> Tensor",
  forms = {}, composite = true,
  sample = {{}, {3, 4}, {3, 4}, 1},
  doc = "The gradient of soft_margin_loss.",
}
op "multilabel_soft_margin_loss" {
  "(Tensor input, Tensor target, Tensor? weight, bool? size_average, bool? reduce, string reduction='mean') -> Tensor",
  forms = {"nn.functional"}, composite = true,
  samples = {{{3, 4}, {3, 4, positive = true}}, {{3, 4}, {3, 4, positive = true}, {4}, reduction = "none"}},
  doc = "The mean over classes and rows of -(t log sigmoid(x) + (1 - t) log sigmoid(-x)).",
}
op "gaussian_nll_loss" {
  "(Tensor input, Tensor target, Operand var, bool full=false, float eps=1e-06, string reduction='mean') -> Tensor",
  forms = {"nn.functional"}, composite = true,
  samples = {{{3, 4}, {3, 4}, {3, 4, positive = true}}, {{3, 4}, {3, 4}, {3, positive = true}, full = true, reduction = "sum"}, {{3, 4}, {3, 4}, 0.5}},
  doc = "The mean of (log(var) + (input - target)^2 / var) / 2, var at least eps.",
}
op "poisson_nll_loss" {
  "(Tensor input, Tensor target, bool log_input=true, bool full=false, bool? size_average, float eps=1e-08, bool? reduce, string reduction='mean') -> Tensor",
  forms = {"nn.functional"}, composite = true,
  samples = {{{3, 4}, {3, 4, positive = true}}, {{3, 4, positive = true}, {3, 4, positive = true, offset = 1}, log_input = false, full = true, reduction = "none"}},
  doc = "The mean of exp(input) - target * input, or of input - target * log(input + eps); full: with Stirling's term.",
}
op "triplet_margin_loss" {
  "(Tensor anchor, Tensor positive, Tensor negative, Scalar margin=1.0, float p=2, float eps=1e-06, bool swap=false, bool? size_average, bool? reduce, string reduction='mean') -> Tensor",
  forms = {"nn.functional"}, composite = true,
  samples = {{{3, 4}, {3, 4}, {3, 4}}, {{3, 4}, {3, 4, positive = true}, {3, 4}, margin = 2.0, swap = true, reduction = "none"}},
  doc = "The mean of max(0, margin + |anchor - positive| - |anchor - negative|), norms of order p over the last dimension.",
}
op "multi_margin_loss" {
  "(Tensor input, Tensor target, int p=1, float margin=1.0, Tensor? weight, bool? size_average, bool? reduce, string reduction='mean') -> Tensor",
  forms = {"nn.functional"}, composite = true,
  samples = {{{3, 4}, {3, int = 4}}, {{3, 4}, {3, int = 4}, p = 2, margin = 0.5, reduction = "none"}, {{4}, {int = 3}}},
  doc = "The mean over classes j other than the target y of max(0, margin - x[y] + x[j])^p.",
}
op "_multi_margin_loss" {
  "(Tensor self, Tensor target, int p, float margin, Tensor? weight, int reduction) -> Tensor",
  forms = {}, constant = {"weight"}, host = true,
  grad = {self = "_multi_margin_loss_backward(grad, self, target, p, margin, weight, reduction)"},
  sample = {{3, 4}, {3, int = 4}, 1, 1.0, reduction = 1},
  doc = "multi_margin_loss with a numbered reduction.",
}
op "_multi_margin_loss_backward" {
  "(Tensor grad_output, Tensor self, Tensor target, int p, float margin, Tensor? weight, int reduction) -> Tensor",
  forms = {}, host = true, backward = "tocha_grad_not_implemented", differentiable = {"grad_output", "self"}, nogradcheck = true,
  sample = {{}, {3, 4}, {3, int = 4}, 1, 1.0, reduction = 1},
  doc = "The gradient of multi_margin_loss.",
}
op "multilabel_margin_loss" {
  "(Tensor input, Tensor target, bool? size_average, bool? reduce, string reduction='mean') -> Tensor",
  forms = {"nn.functional"}, composite = true,
  samples = {{{3, 4}, {3, 4, int = 4}}, {{3, 4}, {3, 4, int = 5, offset = -1}, reduction = "none"}, {{4}, {4, int = 5, offset = -1}}},
  doc = "The mean over targets y (up to the first -1) and classes j that are no target of max(0, 1 - x[y] + x[j]).",
}
op "_multilabel_margin_loss" {
  "(Tensor self, Tensor target, int reduction) -> Tensor",
  forms = {}, host = true,
  grad = {self = "_multilabel_margin_loss_backward(grad, self, target, reduction)"},
  sample = {{3, 4}, {3, 4, int = 4}, 1},
  doc = "multilabel_margin_loss with a numbered reduction.",
}
op "_multilabel_margin_loss_backward" {
  "(Tensor grad_output, Tensor self, Tensor target, int reduction) -> Tensor",
  forms = {}, host = true, backward = "tocha_grad_not_implemented", differentiable = {"grad_output", "self"}, nogradcheck = true,
  sample = {{}, {3, 4}, {3, 4, int = 4}, 1},
  doc = "The gradient of multilabel_margin_loss.",
}
op "ctc_loss" {
  "(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, int blank=0, string reduction='mean', bool zero_infinity=false) -> Tensor",
  forms = {"nn.functional"}, composite = true, nogradcheck = true, any_device = true,
  samples = {{{5, 2, 4}, {2, 2, int = 3, offset = 1}, {2, int = 1, offset = 5}, {2, int = 1, offset = 2}}},
  doc = "Connectionist temporal classification: -log of the probability of all alignments of targets with log_probs (T, N, C).",
}
op "ctc_loss.lists" {
  "(Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, int blank=0, string reduction='mean', bool zero_infinity=false) -> Tensor",
  forms = {"nn.functional"}, composite = true, nogradcheck = true,
  samples = {{{5, 2, 4}, {2, 3, int = 3, offset = 1}, {5, 4}, {2, 1}}, {{3, 2, 4}, {2, 2, int = 3}, {3, 1}, {2, 2}, 3, "none", true}},
  doc = "The same with lists of lengths.",
}
op "_ctc_loss" {
  "(Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, int blank, bool zero_infinity) -> (Tensor neg_log_likelihood, Tensor log_alpha)",
  forms = {},
  grad = {log_probs = "_ctc_loss_backward(grad_neg_log_likelihood, log_probs, targets, input_lengths, target_lengths, neg_log_likelihood, log_alpha, blank, zero_infinity)"},
  sample = {{5, 2, 4}, {2, 2, int = 3, offset = 1}, {5, 4}, {2, 1}, 0, false}, nogradcheck = true,
  doc = "ctc_loss of each sequence, and the logarithms of the forward probabilities (N, T, 2 S + 1).",
}
op "_ctc_loss_backward" {
  "(Tensor grad, Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, Tensor neg_log_likelihood, Tensor log_alpha, int blank, bool zero_infinity) -> Tensor",
  forms = {}, backward = "tocha_grad_not_implemented", differentiable = {"grad", "log_probs"}, nogradcheck = true,
  sample = {{2}, {5, 2, 4}, {2, 2, int = 3, offset = 1}, {5, 4}, {2, 1}, {2}, {2, 5, 5}, 0, false},
  doc = "The gradient of ctc_loss for scores whose log_softmax is log_probs.",
}
