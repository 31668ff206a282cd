-- loss.lua: losses and distances (the notation: nn/modules.lua).

local reduction = "bool? size_average, bool? reduce, string reduction='mean'"
module "L1Loss" {
  "(" .. reduction .. ")", op = "l1_loss", inputs = "input, target", init = "loss", declared = "_Loss",
  details = "Input and target should have the same sizes: a warning says where they broadcast.",
  doc = "|input - target|.",
}
module "MSELoss" {
  "(" .. reduction .. ")", op = "mse_loss", inputs = "input, target", init = "loss", declared = "_Loss",
  details = "Input and target should have the same sizes: a warning says where they broadcast, (N, 1) with (N) for instance, which is seldom " ..
    "meant.",
  doc = "(input - target)^2.",
}
module "SmoothL1Loss" {
  "(" .. reduction .. ", Scalar beta=1.0)", op = "smooth_l1_loss", inputs = "input, target", init = "loss",
  doc = "d^2 / (2 beta) where d = |input - target| is below beta, else d - beta / 2.",
}
module "HuberLoss" {
  "(string reduction='mean', Scalar delta=1.0)", op = "huber_loss", inputs = "input, target", init = "loss",
  doc = "d^2 / 2 where d = |input - target| is at most delta, else delta * (d - delta / 2).",
}
module "CrossEntropyLoss" {
  "(Tensor? weight, bool? size_average, int ignore_index=-100, bool? reduce, string reduction='mean', float label_smoothing=0.0)",
  op = "cross_entropy", inputs = "input, target", buffers = {"weight"}, init = "loss",
  details = "The input holds scores, not probabilities: (N, C) or (N, C, ...). The target is int64, (N) or (N, ...), from 0 to C - 1, or " ..
    "holds probabilities of the input's sizes. weight, a tensor of C numbers, weighs the classes.",
  doc = "-log(softmax(input))[target] of scores (N, C) or (N, C, ...), where target holds classes (N) or probabilities (N, C).",
}
module "NLLLoss" {
  "(Tensor? weight, bool? size_average, int ignore_index=-100, bool? reduce, string reduction='mean')",
  op = "nll_loss", inputs = "input, target", buffers = {"weight"}, init = "loss",
  details = "The input holds log probabilities (N, C) or (N, C, ...), as from nn.LogSoftmax; the target is int64, (N) or (N, ...), from 0 to " ..
    "C - 1.",
  doc = "-input[target] of log-probabilities (N, C) or (N, C, ...), and classes (N).",
}
module "BCELoss" {
  "(Tensor? weight, " .. reduction .. ")", op = "binary_cross_entropy", inputs = "input, target",
  buffers = {"weight"}, init = "loss", declared = "_WeightedLoss",
  details = "Input and target have the same sizes and dtype, and the input lies between 0 and 1, as after a sigmoid. nn.BCEWithLogitsLoss " ..
    "takes the scores themselves and is more exact.",
  doc = "-(target * log(input) + (1 - target) * log(1 - input)).",
}
module "BCEWithLogitsLoss" {
  "(Tensor? weight, " .. reduction .. ", Tensor? pos_weight)", op = "binary_cross_entropy_with_logits",
  inputs = "input, target", buffers = {"weight", "pos_weight"}, init = "loss",
  details = "The input holds scores of any size, the target, floating point, 0 or 1 or between. pos_weight weighs the terms of the target 1. " ..
    "For classes of which one is right, use nn.CrossEntropyLoss.",
  doc = "-(target * log(sigmoid(input)) + (1 - target) * log(1 - sigmoid(input))), without overflow.",
}
module "KLDivLoss" {
  "(" .. reduction .. ", bool log_target=false)", op = "kl_div", inputs = "input, target", init = "loss",
  doc = "target * (log(target) - input).",
}
module "PoissonNLLLoss" {
  "(bool log_input=true, bool full=false, bool? size_average, float eps=1e-8, bool? reduce, string reduction='mean')",
  op = "poisson_nll_loss", inputs = "input, target", init = "loss",
  doc = "exp(input) - target * input.",
}
module "HingeEmbeddingLoss" {
  "(Scalar margin=1.0, " .. reduction .. ")", op = "hinge_embedding_loss", inputs = "input, target", init = "loss",
  doc = "input where target is 1, max(0, margin - input) where it is -1.",
}
module "MarginRankingLoss" {
  "(Scalar margin=0.0, " .. reduction .. ")", op = "margin_ranking_loss", inputs = "input1, input2, target",
  init = "loss", doc = "max(0, -target * (input1 - input2) + margin).",
}
module "CosineEmbeddingLoss" {
  "(Scalar margin=0.0, " .. reduction .. ")", op = "cosine_embedding_loss", inputs = "input1, input2, target",
  init = "loss", doc = "1 - cos(input1, input2) where target is 1, max(0, cos - margin) where it is -1.",
}
module "TripletMarginLoss" {
  "(Scalar margin=1.0, float p=2.0, float eps=1e-6, bool swap=false, " .. reduction .. ")",
  op = "triplet_margin_loss", inputs = "anchor, positive, negative", init = "loss",
  doc = "max(0, |anchor - positive| - |anchor - negative| + margin).",
}
module "TripletMarginWithDistanceLoss" {   -- in Lua the distance may be a function
  "(*, Module? distance_function, float margin=1.0, bool swap=false, string reduction='mean')",
  lua = true, inputs = "anchor, positive, negative", init = "triplet", forward = "triplet",
  check = {"margin > 0: TripletMarginWithDistanceLoss: expected margin to be greater than 0, got {margin} instead"},
  doc = "max(0, d(anchor, positive) - d(anchor, negative) + margin) for a module d of two inputs; PairwiseDistance without one.",
}
module "AdaptiveLogSoftmaxWithLoss" {
  "(int in_features, int n_classes, int[] cutoffs, float div_value=4.0, bool head_bias=false, device? device, dtype? dtype)",
  lua = true, init = "adaptive", run = "adaptive", call = "(Tensor input_, Tensor target_) -> (Tensor output, Tensor loss)",
  doc = "Softmax over many classes: the frequent ones by themselves, the rare ones in clusters that begin at the cutoffs. The logarithm of each target's probability, and the loss.",
}
module "CosineSimilarity" {
  "(int dim=1, float eps=1e-8)", op = "cosine_similarity", inputs = "x1, x2",
  doc = "x1 . x2 / (|x1| |x2|) along dim.",
}
module "PairwiseDistance" {
  "(float p=2.0, float eps=1e-6, bool keepdim=false)", op = "pairwise_distance", inputs = "x1, x2",
  doc = "The p-norm of x1 - x2 + eps along the last dimension.",
}
module "GaussianNLLLoss" {
  "(*, bool full=false, float eps=1e-6, string reduction='mean')", op = "gaussian_nll_loss", inputs = "input, target, var", script = "loss",
  doc = "(log(var) + (input - target)^2 / var) / 2.",
}
module "SoftMarginLoss" {
  "(" .. reduction .. ")", op = "soft_margin_loss", inputs = "input, target", init = "loss", declared = "_Loss",
  doc = "log(1 + exp(-target * input)).",
}
module "MultiLabelMarginLoss" {
  "(" .. reduction .. ")", op = "multilabel_margin_loss", inputs = "input, target", init = "loss", declared = "_Loss",
  doc = "max(0, 1 - input of a class in target + input of one that is not), summed over all such pairs.",
}
module "MultiLabelSoftMarginLoss" {
  "(Tensor? weight, " .. reduction .. ")", op = "multilabel_soft_margin_loss", inputs = "input, target", buffers = {"weight"}, init = "loss",
  doc = "BCEWithLogitsLoss, the mean over classes.",
}
module "MultiMarginLoss" {
  "(int p=1, float margin=1.0, Tensor? weight, " .. reduction .. ")", op = "multi_margin_loss", inputs = "input, target",
  buffers = {"weight"}, init = "loss",
  check = {
    "p == 1 or p == 2: only p == 1 and p == 2 supported",
  },
  doc = "max(0, margin - input of the target's class + input of another)^p, summed over the others.",
}
module "NLLLoss2d" {
  "(Tensor? weight, bool? size_average, int ignore_index=-100, bool? reduce, string reduction='mean')",
  op = "nll_loss", inputs = "input, target", buffers = {"weight"}, init = "loss", declared = "NLLLoss",
  doc = "-input[target] of log-probabilities (N, C, H, W): an older name of NLLLoss.",
}
module "CTCLoss" {
  "(int blank=0, string reduction='mean', bool zero_infinity=false)", op = "ctc_loss", script = "loss",
  inputs = "log_probs, targets, input_lengths, target_lengths",
  doc = "-log of the probability of targets, summed over all their alignments with the input.",
}
module "LinearCrossEntropyLoss" {
  "(int in_features, int num_classes, *, int[] out_features=[], bool bias=false, device? device, dtype? dtype, string reduction='mean', " ..
    "Tensor? weight, int? ignore_index, float label_smoothing=0.0)",
  inputs = "input, target", init = "linear_cross_entropy", forward = "linear_cross_entropy", buffers = {"weight"},
  check = {
    "0 <= label_smoothing and label_smoothing <= 1: RuntimeError: expected label_smoothing to be in range [0, 1], got {label_smoothing}",
  },
  repr = "in_features={in_features}, num_classes={num_classes}, out_features={out_features}, bias={bias}{reduction!}, " ..
    "ignore_index={ignore_index}, label_smoothing={label_smoothing}, options=None",
  doc = "A linear layer and the cross entropy of what it gives, a few rows at a time.",
}
