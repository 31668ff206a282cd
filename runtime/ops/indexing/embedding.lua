-- embedding.lua: rows of a table by their numbers (the notation: list/read.lua).

op "embedding" {
  "(Tensor weight, Tensor indices, int padding_idx=-1, bool scale_grad_by_freq=false, bool sparse=false) -> Tensor",
  forms = {"torch"},
  grad = {weight = "embedding_dense_backward(grad, indices, sizes(weight), padding_idx, scale_grad_by_freq)"},
  samples = {{{5, 3}, {2, 4, int = 5}}, {{5, 3}, {7, int = 5}, 2}},
  doc = "The rows of weight (N, D) at the indices, (..., D). The gradient of row padding_idx is 0, and scale_grad_by_freq divides that of others by how often each is read.",
}
op "embedding_dense_backward" {
  "(Tensor grad_output, Tensor indices, int[] sizes, int padding_idx, bool scale_grad_by_freq) -> Tensor",
  forms = {}, composite = true,
  sample = {{2, 4, 3}, {2, 4, int = 5}, {5, 3}, 2, true},
  doc = "The gradient of embedding for its weight.",
}
op "embedding_renorm_" {
  "(Tensor self, Tensor indices, float max_norm, float norm_type) -> Tensor",
  forms = {"torch"}, writes_self = true,
  backward = "tocha_grad_not_implemented", differentiable = {"self"}, nogradcheck = true,
  sample = {{5, 3}, {2, 4, int = 5}, 0.8, 2.0},
  doc = "Scales rows at the indices whose norm is greater than max_norm down to it.",
}
op "embedding.functional" {
  "(Tensor input, Tensor weight, int? padding_idx, float? max_norm, float norm_type=2.0, bool scale_grad_by_freq=false, bool sparse=false) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  nogradcheck = true,
  samples = {{{2, 4, int = 5}, {5, 3}}, {{7, int = 5}, {5, 3}, padding_idx = -2}, {{7, int = 5}, {5, 3}, scale_grad_by_freq = true}},
  details = "The input is int32 or int64, of any sizes; one more dimension of size D comes out. An index outside 0 to N - 1 is an error. " ..
    "nn.Embedding is the module that has the weight.",
  doc = "The rows of weight at the input's numbers; with max_norm, rows of a greater norm are scaled down first, in weight itself.",
}
op "_embedding_bag" {
  "(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq, int mode, Tensor? per_sample_weights, bool include_last_offset, int padding_idx) -> (Tensor output, Tensor offset2bag, Tensor bag_size, Tensor max_indices)",
  forms = {},
  grad = {
    weight = "_embedding_bag_backward(grad_output, indices, offsets, bag_size, max_indices, sizes(weight), scale_grad_by_freq, mode, per_sample_weights, include_last_offset, padding_idx)",
    per_sample_weights = "_embedding_bag_per_sample_weights_backward(grad_output, weight, indices, offsets, include_last_offset, padding_idx)",
  },
  samples = {{{5, 3}, {7, int = 5}, {3, int = 1}, false, 0, {7}, false, 2}, {{5, 3}, {7, int = 5}, {3, int = 1}, true, 1, nil, true, -1}},
  doc = "embedding_bag with checked arguments; padding_idx -1: none.",
}
op "_embedding_bag_backward" {
  "(Tensor grad_output, Tensor indices, Tensor offsets, Tensor bag_size, Tensor max_indices, int[] sizes, bool scale_grad_by_freq, int mode, Tensor? per_sample_weights, bool include_last_offset, int padding_idx) -> Tensor",
  forms = {}, composite = true, nogradcheck = true,
  sample = {{3, 3}, {7, int = 5}, {3, int = 1}, {3, int = 3}, {3, 3, int = 5}, {5, 3}, true, 0, {7}, false, 2},
  doc = "The gradient of embedding_bag for its weight.",
}
op "_embedding_bag_dense_backward" {
  "(Tensor grad_output, Tensor indices, Tensor offsets, Tensor bag_size, int[] sizes, bool scale_grad_by_freq, int mode, Tensor? per_sample_weights, bool include_last_offset, int padding_idx) -> Tensor",
  forms = {},
  grad = {
    grad_output = "_embedding_bag_sums(_embedding_bag_by_frequency(grad, indices, scale_grad_by_freq), indices, offsets, mode, per_sample_weights, include_last_offset, padding_idx)",
    per_sample_weights = "_embedding_bag_per_sample_weights_backward(grad_output, _embedding_bag_by_frequency(grad, indices, scale_grad_by_freq), indices, offsets, include_last_offset, padding_idx)",
  },
  samples = {{{3, 3}, {7, int = 5}, {3, int = 1}, {3, int = 3}, {5, 3}, false, 0, {7}, false, 2}, {{3, 3}, {7, int = 5}, {3, int = 1}, {3, int = 3}, {5, 3}, true, 0, {7}, false, -1}},
  doc = "The gradient of sums and means of bags for the table: each row gets what its bags got, times its factor, divided by the bag's size (mode 1), and by how often it is read.",
}
op "_embedding_bag_per_sample_weights_backward" {
  "(Tensor grad_output, Tensor weight, Tensor indices, Tensor offsets, bool include_last_offset, int padding_idx) -> Tensor",
  forms = {},
  grad = {
    grad_output = "_embedding_bag_sums(weight, indices, offsets, 0, grad, include_last_offset, padding_idx)",
    weight = "_embedding_bag_dense_backward(grad_output, indices, offsets, offsets, sizes(weight), false, 0, grad, include_last_offset, padding_idx)",
  },
  sample = {{3, 3}, {5, 3}, {7, int = 5}, {3, int = 1}, false, 2},
  doc = "The gradient of embedding_bag for per_sample_weights: each row's product with the gradient of its bag.",
}
op "_embedding_bag_sums" {
  "(Tensor weight, Tensor indices, Tensor offsets, int mode, Tensor? per_sample_weights, bool include_last_offset, int padding_idx) -> Tensor",
  forms = {}, composite = "_embedding_bag(weight, indices, offsets, false, mode, per_sample_weights, include_last_offset, padding_idx)",
  sample = {{5, 3}, {7, int = 5}, {3, int = 1}, 0, {7}, false, 2},
  doc = "The sums or means of _embedding_bag alone.",
}
op "_embedding_bag_by_frequency" {
  "(Tensor rows, Tensor indices, bool scale_grad_by_freq) -> Tensor",
  forms = {}, composite = true,
  sample = {{5, 3}, {7, int = 5}, true},
  doc = "Rows, with scale_grad_by_freq divided by how often the indices name each.",
}
op "embedding_bag" {
  "(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=false, int mode=0, bool sparse=false, Tensor? per_sample_weights, bool include_last_offset=false) -> (Tensor output, Tensor offset2bag, Tensor bag_size, Tensor max_indices)",
  implementation = "embedding_bag_padding_idx(weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset, nil)",
  forms = {"torch"}, composite = true,
  samples = {
    {{5, 3}, {7, int = 5}, {3, int = 1}, false, 1}, {{5, 3}, {7, int = 5}, {2, int = 1}, false, 2},
  },
  doc = "embedding_bag.padding_idx without one.",
}
op "embedding_bag.padding_idx" {
  "(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq, int mode, bool sparse, Tensor?! per_sample_weights, bool include_last_offset, int?! padding_idx) -> (Tensor output, Tensor offset2bag, Tensor bag_size, Tensor max_indices)",
  forms = {"torch"}, composite = true,
  sample = {{5, 3}, {7, int = 5}, {3, int = 1}, false, 0, false, {7}, false, 2},
  doc = "The sum, mean or maximum (mode 0, 1, 2) of the rows of each bag; bag i holds the indices from offsets[i] on. Also the bag of each index, the bags' sizes, and where maxima are from.",
}
op "embedding_bag.functional" {
  "(Tensor input, Tensor weight, Tensor? offsets, float? max_norm, float norm_type=2.0, bool scale_grad_by_freq=false, string mode='mean', bool sparse=false, Tensor? per_sample_weights, bool include_last_offset=false, int? padding_idx) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  nogradcheck = true,
  samples = {
    {{2, 4, int = 5}, {5, 3}}, {{2, 4, int = 5}, {5, 3}, mode = "max", padding_idx = 1}, {{2, 4, int = 5}, {5, 3}, scale_grad_by_freq = true, padding_idx = -2},
    {{2, 4, int = 5}, {5, 3}, mode = "sum", per_sample_weights = {2, 4}}, {{7, int = 5}, {5, 3}, {2, int = 1}, mode = "sum"},
  },
  doc = "The mean, sum or maximum of the rows of weight in each bag: a row of the input, or the indices from one of the offsets to the next.",
}
