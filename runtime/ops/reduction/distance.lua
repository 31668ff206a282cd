-- distance.lua: distances between rows, and slices of bounded norm (the notation: list/read.lua).

op "cdist" {
  "(Tensor x1, Tensor x2, float p=2.0, string compute_mode='use_mm_for_euclid_dist_if_necessary') -> Tensor",
  forms = {"torch"}, composite = true, nogradcheck = true,   -- each of several equal extremes gets the whole gradient
  samples = {{{3, 4}, {2, 4}}, {{2, 3, 4}, {2, 4}, 1.0}, {{3, 4}, {2, 4}, 1 / 0},
    {{3, 4}, {2, 4}, 1.5}, {{3, 4}, {2, 4}, 3.0}, {{3, 4}, {2, 4}, compute_mode = "use_mm_for_euclid_dist"}},
  details = "x1 is (..., P, M), x2 (..., R, M); the result is (..., P, R). p may be inf. Floating point alone.",
  doc = "The p-norms of the differences of each row of x1 and each of x2.",
}
op "_cdist_forward" {
  "(Tensor x1, Tensor x2, float p) -> Tensor",
  tied = true,
  forms = {},
  grad = {x1 = "_distance_backward(grad, x1, x2, result, p, false)", x2 = "_distance_backward(grad, x1, x2, result, p, true)"},
  samples = {{{3, 4}, {2, 4}, 2.0}, {{3, 4}, {2, 4}, 3.0}},
  doc = "cdist of batches of the same shape, element by element.",
}
op "_distance_backward" {
  "(Tensor grad_output, Tensor x1, Tensor x2, Tensor result, float p, bool of_second) -> Tensor",
  forms = {}, composite = true,
  sample = {{3, 2}, {3, 4}, {2, 4}, {3, 2, positive = true}, 2.0, false},
  doc = "The gradient of cdist's first or second argument.",
}
op "_euclidean_dist" {
  "(Tensor x1, Tensor x2) -> Tensor",
  forms = {},
  backward = "tocha_euclidean_rule", differentiable = {"x1", "x2"}, saves = {"x1", "x2", "result"},
  sample = {{3, 4}, {2, 4}},
  doc = "Euclidean distances by a matrix product.",
}
op "pdist" {
  "(Tensor self, float p=2.0) -> Tensor",
  tied = true,
  forms = {"torch", "nn.functional"},
  grad = {self = "_pdist_backward(grad, self, result, p)"},
  samples = {{{4, 3}}, {{4, 3}, 1.0}, {{4, 3}, 3.0}, {{4, 3}, 1.5}},
  doc = "The p-norms of the differences of each row and each of those behind it.",
}
op "_pdist_backward" {
  "(Tensor grad, Tensor self, Tensor result, float p) -> Tensor",
  forms = {}, composite = true,
  sample = {{6}, {4, 3}, {6, positive = true}, 2.0},
  doc = "The gradient of pdist.",
}
op "renorm" {
  "(Tensor self, Scalar p, dim dim, Scalar maxnorm) -> Tensor",
  inplace = true,
  grad = {self = "_renorm_backward(grad, self, p, dim, maxnorm)"},
  samples = {{{3, 4}, 2, 0, 1}, {{3, 4}, 1, 1, 0.5}},
  doc = "Each slice along dim scaled down so that its p-norm is at most maxnorm.",
}
op "_renorm_backward" {
  "(Tensor grad_output, Tensor self, Scalar p, dim dim, Scalar maxnorm) -> Tensor",
  forms = {}, composite = true,
  sample = {{3, 4}, {3, 4}, 2, 0, 1},
  doc = "The gradient of renorm.",
}
op "norm_except_dim" {
  "(Tensor v, int pow=2, int dim=0) -> Tensor",
  forms = {"torch"}, composite = true,
  samples = {{{3, 4}}, {{3, 4, 2}, 1, 1}, {{3, 4}, 2, 1}, {{3, 4}, 2, -1}},
  doc = "The norm of v over all dimensions but dim, which stay as ones; over all where dim is -1.",
}
