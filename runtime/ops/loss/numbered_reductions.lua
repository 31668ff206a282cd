-- numbered_reductions.lua: losses of torch itself, which name their reduction by a number: 0 none (the default), 1 the mean, 2 the sum (the
-- notation: list/read.lua).

op "binary_cross_entropy_with_logits.torch" {
  "(Tensor input, Tensor target, Tensor? weight, Tensor? pos_weight, int reduction=0) -> Tensor",
  forms = {"torch"}, composite = true, implementation = "tocha_op_numbered_bce_with_logits",
  samples = {{{3, 4}, {3, 4, positive = true}, reduction = 1}, {{3, 4}, {3, 4, positive = true}}},
  doc = "F.binary_cross_entropy_with_logits with a numbered reduction.",
}
op "cosine_embedding_loss.torch" {
  "(Tensor input1, Tensor input2, Tensor target, float margin=0.0, int reduction=0) -> Tensor",
  forms = {"torch"}, composite = true, implementation = "tocha_op_numbered_cosine_embedding_loss",
  samples = {{{3, 4}, {3, 4, positive = true}, {3, int = 2}}, {{3, 4}, {3, 4}, {3, int = 1, offset = -1}, 0.1, 2}},
  doc = "F.cosine_embedding_loss with a numbered reduction.",
}
op "hinge_embedding_loss.torch" {
  "(Tensor input, Tensor target, float margin=1.0, int reduction=0) -> Tensor",
  forms = {"torch"}, composite = true, implementation = "tocha_op_numbered_hinge_embedding_loss",
  samples = {{{3, 4}, {3, 4}}, {{3, 4}, {3, 4, int = 1, offset = -1}, 0.5, 0}},
  doc = "F.hinge_embedding_loss with a numbered reduction.",
}
op "kl_div.torch" {
  "(Tensor input, Tensor target, int reduction=0, *, bool log_target=false) -> Tensor",
  forms = {"torch"}, composite = true, implementation = "tocha_op_numbered_kl_div",
  samples = {{{3, 4}, {3, 4, positive = true}, 1}, {{3, 4}, {3, 4}, 2, log_target = true}, {{3, 4}, {3, 4, positive = true}}},
  doc = "F.kl_div with a numbered reduction.",
}
op "margin_ranking_loss.torch" {
  "(Tensor input1, Tensor input2, Tensor target, float margin=0.0, int reduction=0) -> Tensor",
  forms = {"torch"}, composite = true, implementation = "tocha_op_numbered_margin_ranking_loss",
  samples = {{{3, 4}, {3, 4}, {3, 4}}, {{3, 4}, {4}, {3, 4}, 0.5, 0}},
  doc = "F.margin_ranking_loss with a numbered reduction; sizes are broadcast.",
}
op "poisson_nll_loss.torch" {
  "(Tensor input, Tensor target, bool log_input, bool full, float eps, int reduction) -> Tensor",
  forms = {"torch"}, composite = true, implementation = "tocha_op_numbered_poisson_nll_loss",
  samples = {{{3, 4}, {3, 4, positive = true}, true, false, 1e-8, 1}, {{3, 4, positive = true}, {3, 4, positive = true, offset = 1}, false, true, 1e-8, 0}},
  doc = "F.poisson_nll_loss with a numbered reduction.",
}
op "triplet_margin_loss.torch" {
  "(Tensor anchor, Tensor positive, Tensor negative, float margin=1.0, float p=2, float eps=1e-06, bool swap=false, int reduction=0) -> Tensor",
  forms = {"torch"}, composite = true, implementation = "tocha_op_numbered_triplet_margin_loss",
  samples = {{{3, 4}, {3, 4}, {3, 4}}, {{3, 4}, {3, 4, positive = true}, {3, 4}, 2.0, swap = true, reduction = 0}},
  doc = "F.triplet_margin_loss with a numbered reduction; the margin may be any number.",
}
op "ctc_loss.torch" {
  "(Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, int blank=0, int reduction=0, bool zero_infinity=false) -> Tensor",
  forms = {"torch"}, composite = true, nogradcheck = true, implementation = "tocha_op_numbered_ctc_loss_lists",
  samples = {{{5, 2, 4}, {2, 3, int = 3, offset = 1}, {5, 4}, {2, 1}}, {{3, 2, 4}, {2, 2, int = 3}, {3, 1}, {2, 2}, 3, 0, true}},
  doc = "F.ctc_loss with lists of lengths and a numbered reduction.",
}
op "ctc_loss.torch_tensor" {
  "(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, int blank=0, int reduction=0, bool zero_infinity=false) -> Tensor",
  forms = {"torch"}, composite = true, nogradcheck = true, any_device = true, implementation = "tocha_op_numbered_ctc_loss",
  samples = {{{5, 2, 4}, {2, 2, int = 3, offset = 1}, {2, int = 1, offset = 5}, {2, int = 1, offset = 2}}},
  doc = "The same with tensors of lengths.",
}
