-- covariance.lua: covariances and integrals, made of sums (the notation: list/read.lua).

op "cov" {
  "(Tensor self, *, int correction=1, Tensor? fweights, Tensor? aweights) -> Tensor",
  composite = true,
  samples = {{{3, 4}}, {{5}}, {{3, 4}, correction = 0, fweights = {4, int = 5}}, {{3, 4}, aweights = {4, positive = true}}},
  doc = "The covariances of the rows, whose columns are observations.",
  details = "Of N rows comes (N, N); the sums are divided by the count less correction (1). fweights and aweights weigh the observations.",
}
op "corrcoef" {
  "(Tensor self) -> Tensor",
  composite = true,
  samples = {{{3, 4}}, {{5}}},
  doc = "The correlations of the rows, whose columns are observations.",
  details = "Of N rows comes (N, N), with 1 on the diagonal and numbers from -1 to 1 beside it. A row that is constant gives NaN.",
}
op "trapezoid.x" {
  "(Tensor y, Tensor x, *, dim dim=-1) -> Tensor",
  forms = {"torch"}, composite = true, aliases = {"trapz"},
  samples = {{{3, 4}, {4, sorted = true}}, {{3, 4}, {3, 4}, dim = 0}},
  doc = "The integral of y over x along a dimension, by the trapezoidal rule.",
}
op "trapezoid" {
  "(Tensor y, *, Scalar dx=1, dim dim=-1) -> Tensor",
  forms = {"torch"}, composite = true,
  samples = {{{3, 4}}, {{3, 4}, dx = 0.5, dim = 0}},
  doc = "The integral of y along a dimension, by the trapezoidal rule.",
}
op "trapz" {
  "(Tensor y, *, float dx=1, dim dim=-1) -> Tensor",
  implementation = "trapezoid(y, dx, dim)",
  forms = {"torch"}, composite = true,
  samples = {{{3, 4}}, {{3, 4}, dx = 0.5, dim = 0}},
  doc = "trapezoid under NumPy's name.",
}
op "cumulative_trapezoid.x" {
  "(Tensor y, Tensor x, *, dim dim=-1) -> Tensor",
  forms = {"torch"}, composite = true,
  samples = {{{3, 4}, {4, sorted = true}}},
  doc = "The integrals of y over x so far along a dimension, by the trapezoidal rule.",
}
op "cumulative_trapezoid" {
  "(Tensor y, *, Scalar dx=1, dim dim=-1) -> Tensor",
  forms = {"torch"}, composite = true,
  samples = {{{3, 4}}, {{3, 4}, dx = 0.5, dim = 0}},
  doc = "The integrals of y so far along a dimension, by the trapezoidal rule.",
}
