-- norm.lua: normalization of layers, groups, batches and instances (the notation: list/read.lua). The native operators return the
-- statistics, too. Their gradients are kernels, or, if a graph is recorded, operators.

op "native_layer_norm" {
  "(Tensor input, int[] normalized_shape, Tensor?! weight, Tensor?! bias, float eps) -> (Tensor out, Tensor mean, Tensor rstd)",
  forms = {"torch"}, nogradcheck = true,
  tied = true, backward = "tocha_grad_native_layer_norm", differentiable = {"input", "weight", "bias"}, saves = {"input", "weight", "mean", "rstd"},
  samples = {{{3, 4}, {4}, {4}, {4}, 1e-5}, {{2, 3, 4}, {3, 4}, {3, 4}, {3, 4}, 0.5}},
  doc = "(input - mean) * rstd * weight + bias over the last dimensions, with the mean and rstd, 1 / the deviation.",
}
op "layer_norm" {
  "(Tensor input, int[] normalized_shape, Tensor? weight, Tensor? bias, float eps=1e-05, bool cudnn_enable=true) -> Tensor",
  forms = {"torch"}, composite = "native_layer_norm(input, normalized_shape, weight, bias, eps)",
  samples = {{{3, 4}, {4}, {4}, {4}}, {{2, 3, 4}, {3, 4}}, {{2, 5, 3}, {3}, weight = {3}, eps = 0.5}, {{2, 2, 33}, {33}, {33}, {33}}},
  details = "normalized_shape is the sizes of the last dimensions, {512}; weight and bias have these sizes. The variance is that of the " ..
    "population, without Bessel's correction.",
  doc = "(input - mean) / sqrt(variance + eps) * weight + bias over the last dimensions.",
}
op "layer_norm.functional" {
  "(Tensor input, int[] normalized_shape, Tensor? weight, Tensor? bias, float eps=1e-05) -> Tensor",
  forms = {"nn.functional"}, composite = "native_layer_norm(input, normalized_shape, weight, bias, eps)",
  samples = {{{3, 4}, {4}, {4}, {4}}, {{2, 3, 4}, {3, 4}}},
  doc = "(input - mean) / sqrt(variance + eps) * weight + bias over the last dimensions.",
}
op "_native_group_norm" {
  "(Tensor input, Tensor? weight, Tensor? bias, int N, int C, int HxW, int group, float eps) -> (Tensor out, Tensor mean, Tensor rstd)",
  forms = {}, nogradcheck = true,
  tied = true, backward = "tocha_grad_native_group_norm", differentiable = {"input", "weight", "bias"}, saves = {"input", "weight", "mean", "rstd"},
  samples = {{{2, 4, 3}, {4}, {4}, 2, 4, 3, 2, 1e-5}},
  doc = "(input - mean) * rstd * weight + bias over groups of channels, with the mean and rstd, 1 / the deviation.",
}
op "group_norm" {
  "(Tensor input, int num_groups, Tensor? weight, Tensor? bias, float eps=1e-05, bool cudnn_enabled=true) -> Tensor",
  forms = {"torch"}, composite = true,
  samples = {{{2, 4, 3}, 2, {4}, {4}}, {{2, 6, 2, 2}, 3}, {{3, 4}, 2, {4}, {4}}, {{2, 4, 3, 7}, 4, weight = {4}, eps = 0.5}},
  details = "The input is (N, C, ...); num_groups must divide C. weight and bias are (C).",
  doc = "(input - mean) / sqrt(variance + eps) * weight + bias over groups of channels.",
}
op "group_norm.functional" {
  "(Tensor input, int num_groups, Tensor? weight, Tensor? bias, float eps=1e-05) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  samples = {{{2, 4, 3}, 2, {4}, {4}}, {{2, 6, 2, 2}, 3}},
  doc = "(input - mean) / sqrt(variance + eps) * weight + bias over groups of channels.",
}
op "native_batch_norm" {
  "(Tensor input, Tensor?! weight, Tensor?! bias, Tensor?! running_mean, Tensor?! running_var, bool training, float momentum, float eps) -> (Tensor out, Tensor save_mean, Tensor save_invstd)",
  one_device = true,
  constant = {"running_mean", "running_var"},
  forms = {"torch"}, nogradcheck = true,
  tied = true, backward = "tocha_grad_native_batch_norm", differentiable = {"input", "weight", "bias"},
  saves = {"input", "weight", "running_mean", "running_var", "save_mean", "save_invstd"},
  samples = {{{2, 3, 4}, {3}, {3}, {3}, {3, positive = true}, false, 0.1, 1e-5}, {{3, 4}, {4}, {4}, {4}, {4, positive = true}, true, 0.1, 1e-5}},
  doc = "(input - mean) * invstd * weight + bias of each channel, with the mean and invstd, 1 / the deviation.",
}
op "batch_norm" {
  "(Tensor input, Tensor?! weight, Tensor?! bias, Tensor?! running_mean, Tensor?! running_var, bool training, float momentum, float eps, bool cudnn_enabled) -> Tensor",
  constant = {"running_mean", "running_var"},
  forms = {"torch"}, composite = true,
  samples = {
    {{2, 3, 4}, {3}, {3}, {3}, {3, positive = true}, false, 0.1, 1e-5, true}, {{3, 4}, {4}, {4}, {4}, {4, positive = true}, true, 0.1, 1e-5, true},
    {{2, 3, 2, 5}, {3}, {3}, {3}, {3, positive = true}, true, 0.1, 0.5, true},
  },
  details = "The input is (N, C, ...), the other tensors (C). In training, mean and variance are those of the batch, and more than one value " ..
    "a channel is needed; else running_mean and running_var are used.",
  doc = "(input - mean) / sqrt(variance + eps) * weight + bias of each channel; training updates the running statistics.",
}
op "batch_norm.functional" {
  "(Tensor input, Tensor?! running_mean, Tensor?! running_var, Tensor? weight, Tensor? bias, bool training=false, float momentum=0.1, float eps=1e-05) -> Tensor",
  constant = {"running_mean", "running_var"},
  forms = {"nn.functional"}, composite = true,
  samples = {{{2, 3, 4}, {3}, {3, positive = true}, {3}, {3}}, {{4, 3}, {3}, {3, positive = true}, training = true}, {{2, 3, 2, 5}, {3}, {3, positive = true}, {3}, {3}, true}},
  doc = "(input - mean) / sqrt(variance + eps) * weight + bias of each channel; training updates the running statistics.",
}
op "instance_norm" {
  "(Tensor input, Tensor?! weight, Tensor?! bias, Tensor?! running_mean, Tensor?! running_var, bool use_input_stats, float momentum, float eps, bool cudnn_enabled) -> Tensor",
  constant = {"running_mean", "running_var"},
  forms = {"torch"}, composite = true,
  samples = {{{2, 3, 4}, {3}, {3}, {3}, {3, positive = true}, true, 0.1, 1e-5, true}, {{2, 3, 4}, {3}, {3}, {3}, {3, positive = true}, false, 0.1, 1e-5, true}},
  doc = "Batch normalization of each sample's channels by themselves.",
}
op "instance_norm.functional" {
  "(Tensor input, Tensor? running_mean, Tensor? running_var, Tensor? weight, Tensor? bias, bool use_input_stats=true, float momentum=0.1, float eps=1e-05) -> Tensor",
  constant = {"running_mean", "running_var"},
  forms = {"nn.functional"}, composite = true,
  samples = {{{2, 3, 4}}, {{2, 3, 2, 2}, weight = {3}, bias = {3}}},
  doc = "Batch normalization of each sample's channels by themselves.",
}
op "_fused_rms_norm" {
  "(Tensor input, int[] normalized_shape, Tensor? weight, float eps) -> (Tensor out, Tensor rstd)",
  forms = {}, nogradcheck = true,
  tied = true, backward = "tocha_grad_fused_rms_norm", differentiable = {"input", "weight"}, saves = {"input", "weight", "rstd"},
  samples = {{{3, 4}, {4}, {4}, 1e-5}, {{2, 3, 4}, {3, 4}, nil, 0.5}},
  doc = "input * rstd * weight over the last dimensions, with rstd, 1 / sqrt(mean(input ^ 2) + eps).",
}
op "rms_norm" {
  "(Tensor input, int[] normalized_shape, Tensor? weight, float? eps) -> Tensor",
  forms = {"torch"}, composite = true,
  samples = {{{3, 4}, {4}, {4}}, {{2, 3, 4}, {3, 4}, eps = 0.5}},
  doc = "input / sqrt(mean(input ^ 2) + eps) * weight over the last dimensions.",
}
op "rms_norm.functional" {
  "(Tensor input, int[] normalized_shape, Tensor? weight, float? eps) -> Tensor",
  implementation = "rms_norm(input, normalized_shape, weight, eps)",
  forms = {"nn.functional"}, composite = true,
  sample = {{3, 4}, {4}, {4}},
  doc = "input / sqrt(mean(input ^ 2) + eps) * weight over the last dimensions.",
}
op "cosine_similarity" {
  "(Tensor x1, Tensor x2, dim dim=1, float eps=1e-08) -> Tensor",
  forms = {"torch", "nn.functional"}, composite = true,
  one_device = true,
  samples = {{{3, 4}, {3, 4}}, {{2, 3, 4}, {4}, dim = -1}},
  details = "x1 and x2 broadcast; dim disappears. The results are between -1 and 1.",
  doc = "x1 . x2 / (|x1| |x2|) along a dimension.",
}
op "pairwise_distance" {
  "(Tensor x1, Tensor x2, float p=2, float eps=1e-06, bool keepdim=false) -> Tensor",
  forms = {"torch", "nn.functional"}, composite = "_norm_dims(x1 - x2 + eps, p, [-1], keepdim)",
  samples = {{{3, 4}, {3, 4}}, {{3, 4}, {4}, p = 1, keepdim = true}},
  doc = "The norm of x1 - x2 + eps along the last dimension.",
  details = "x1 and x2 are (N, D) or (D) and broadcast; the result is (N), or (N, 1) with keepdim. p is 2. nn.PairwiseDistance is the module.",
}
op "normalize" {
  "(Tensor input, float p=2.0, dim dim=1, float eps=1e-12) -> Tensor",
  forms = {"nn.functional"}, composite = "input / expand_as(clamp_min(norm(input, p, [dim], true), eps), input)",
  samples = {{{3, 4}}, {{3, 4}, p = 1, dim = 0}},
  details = "After it, the vectors along dim have norm 1; vectors of zeros stay as they are.",
  doc = "input / max(norm(input), eps) along a dimension.",
}
op "local_response_norm" {
  "(Tensor input, int size, float alpha=0.0001, float beta=0.75, float k=1.0) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  samples = {{{2, 5, 4}, 3}, {{1, 6, 2, 3}, 2, 0.1, 0.5, 2.0}, {{1, 4, 2, 3, 2}, 3, alpha = 0.5}},
  doc = "input / (k + alpha * m)^beta, where m is the mean of the squares of `size` neighbouring channels (Krizhevsky et al., 2012).",
}
