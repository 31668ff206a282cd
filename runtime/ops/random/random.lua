-- random.lua: random numbers and dropout (the notation: list/read.lua).

op "rand" {
  "(size... size, *, Generator? generator) -> Tensor", factory = true,
  forms = {"torch"},
  sample = {3, 4},
  details = "The sizes are given one by one, torch.rand(2, 3), or as a table. Only floating-point dtypes are possible. torch.manual_seed(n) " ..
    "makes the numbers repeatable; they are those of PyTorch for the same seed.",
  doc = "Uniform numbers in [0, 1).",
}
op "randn" {
  "(size... size, *, Generator? generator) -> Tensor", factory = true,
  forms = {"torch"},
  sample = {3, 4},
  details = "The sizes are given one by one, torch.randn(2, 3), or as a table; mean 0, standard deviation 1. Only floating-point dtypes are " ..
    "possible. torch.manual_seed(n) makes the numbers repeatable.",
  doc = "Numbers of the standard normal distribution.",
}
op "randint.high" {
  "(int high, int[] size, *, Generator? generator) -> Tensor", factory = true,
  implementation = "randint(0, high, size, generator, dtype, device, requires_grad)",
  forms = {"torch"},
  sample = {10, {3}},
  doc = "Integers 0, ..., high - 1.",
}
op "randint" {
  "(int low, int high, int[] size, *, Generator? generator) -> Tensor", factory = true,
  forms = {"torch"},
  sample = {2, 10, {3}},
  details = "The sizes are one table: torch.randint(0, 10, {2, 3}). The result is int64 unless dtype is given. high itself never occurs, and " ..
    "high <= low is an error.",
  doc = "Integers low, ..., high - 1.",
}
op "randperm" {
  "(int n, *, Generator? generator) -> Tensor", factory = true,
  forms = {"torch"},
  sample = {10},
  details = "The result is one-dimensional and int64: x[torch.randperm(#x)] shuffles the rows of x. A negative n is an error.",
  doc = "0, ..., n - 1 in random order.",
}
op "rand_like" {
  "(Tensor self) -> Tensor", factory = "memory_format",
  forms = {"torch"},
  doc = "Uniform numbers in [0, 1) of self's sizes.",
  details = "self's dtype and device are taken, too, unless dtype and device say otherwise; the dtype is floating point. torch.manual_seed makes the " ..
    "numbers the same again.",
}
op "randn_like" {
  "(Tensor self) -> Tensor", factory = "memory_format",
  forms = {"torch"},
  doc = "Normal numbers of self's sizes.",
  details = "Their mean is 0 and their variance 1. self's dtype and device are taken, too, unless dtype and device say otherwise. torch.manual_seed " ..
    "makes the numbers the same again.",
}
op "randint_like.high" {
  "(Tensor self, int high) -> Tensor", factory = "memory_format",
  implementation = "randint_like(self, 0, high, dtype, device, requires_grad, memory_format)",
  forms = {"torch"},
  sample = {{3, 4}, 10},
  doc = "Integers 0, ..., high - 1 of self's sizes.",
}
op "randint_like" {
  "(Tensor self, int low, int high) -> Tensor", factory = "memory_format",
  forms = {"torch"},
  sample = {{3, 4}, 2, 10},
  doc = "Integers low, ..., high - 1 of self's sizes.",
}
op "normal" {
  "(Tensor mean, Tensor std, *, Generator? generator) -> Tensor",
  forms = {"torch"}, nogradcheck = true,
  grad = {mean = "zeros_like(grad)", std = "zeros_like(grad)"},
  sample = {{3, 4}, {3, 4, positive = true}},
  details = "mean and std broadcast. A negative std is an error. For numbers of one distribution, torch.randn(2, 3) * std + mean does the " ..
    "same.",
  doc = "Normal numbers, each of its own mean and standard deviation.",
}
op "normal.mean" {
  "(Tensor mean, float std=1, *, Generator? generator) -> Tensor",
  forms = {"torch"}, nogradcheck = true,
  grad = {mean = "zeros_like(grad)"},
  sample = {{3, 4}, 0.5},
  doc = "Normal numbers, each of its own mean.",
}
op "normal.std" {
  "(float mean, Tensor std, *, Generator? generator) -> Tensor",
  forms = {"torch"}, nogradcheck = true,
  grad = {std = "zeros_like(grad)"},
  sample = {0.5, {3, 4, positive = true}},
  doc = "Normal numbers, each of its own standard deviation.",
}
op "normal.numbers" {
  "(float mean, float std, int[] size, *, Generator? generator) -> Tensor", factory = true,
  forms = {"torch"},
  sample = {0.0, 1.0, {3}},
  doc = "Normal numbers of the sizes given.",
}
op "bernoulli.p" {
  "(Tensor self, float p, *, Generator? generator) -> Tensor",
  nogradcheck = true,
  backward = "tocha_grad_not_implemented", differentiable = {"self"},
  sample = {{3, 4}, 0.5},
  doc = "1 with probability p, else 0, of self's sizes.",
}
op "bernoulli" {
  "(Tensor self, *, Generator? generator) -> Tensor",
  grad = {self = "zeros_like(grad)"},
  sample = {{3, 4, unit = true}},
  details = "The elements must lie between 0 and 1; the result has the sizes and the dtype of self.",
  doc = "1 with the probability self says, else 0.",
}
op "multinomial" {
  "(Tensor self, int num_samples, bool replacement=false, *, Generator? generator) -> Tensor",
  sample = {{3, 4, positive = true}, 2},
  details = "self holds one row of weights, or a matrix of rows; weights need not sum to 1, but must be finite and not negative, with a sum " ..
    "above 0. The result is int64 of size (num_samples) or (rows, num_samples). Without replacement, an index is drawn at most once, " ..
    "and num_samples may not exceed the length of a row.",
  doc = "Indices drawn with the weights of each row.",
}
op "uniform_" {
  "(Tensor self, float from=0, float to=1, *, Generator? generator) -> Tensor",
  forms = {"method"}, writes_self = true,
  grad = {self = "zeros_like(grad)"},
  details = "self is floating point, and to may not be less than from.",
  doc = "Uniform numbers in [from, to).",
}
op "normal_" {
  "(Tensor self, float mean=0, float std=1, *, Generator? generator) -> Tensor",
  forms = {"method"}, writes_self = true,
  grad = {self = "zeros_like(grad)"},
  details = "self is floating point. A negative std is an error.",
  doc = "Normal numbers.",
}
op "random_.to" {
  "(Tensor self, int to, *, Generator? generator) -> Tensor",
  forms = {"method"}, writes_self = true,
  grad = {self = "zeros_like(grad)"},
  sample = {{3, 4}, 10},
  doc = "Integers 0, ..., to - 1.",
}
op "random_.from" {
  "(Tensor self, int from, int?! to, *, Generator? generator) -> Tensor",
  forms = {"method"}, writes_self = true,
  grad = {self = "zeros_like(grad)"},
  sample = {{3, 4}, 2, 10},
  doc = "Integers from, ..., to - 1.",
}
op "random_" {
  "(Tensor self, *, Generator? generator) -> Tensor",
  forms = {"method"}, writes_self = true,
  grad = {self = "zeros_like(grad)"},
  doc = "Integers of the dtype's whole range from 0.",
}
op "bernoulli_.tensor" {
  "(Tensor self, Tensor p, *, Generator? generator) -> Tensor",
  forms = {"method"}, writes_self = true,
  grad = {self = "zeros_like(grad)", p = "zeros_like(grad)"},
  sample = {{3, 4}, {3, 4, unit = true}},
  doc = "1 with the probability p says, else 0.",
}
op "bernoulli_" {
  "(Tensor self, float p=0.5, *, Generator? generator) -> Tensor",
  forms = {"method"}, writes_self = true,
  grad = {self = "zeros_like(grad)"},
  sample = {{3, 4}, 0.3},
  doc = "1 with probability p, else 0.",
}
op "exponential_" {
  "(Tensor self, float lambd=1, *, Generator? generator) -> Tensor",
  forms = {"method"}, writes_self = true,
  grad = {self = "zeros_like(grad)"},
  doc = "Numbers of density lambd * exp(-lambd * x).",
}
op "geometric_" {
  "(Tensor self, float p, *, Generator? generator) -> Tensor",
  forms = {"method"}, writes_self = true,
  grad = {self = "zeros_like(grad)"},
  sample = {{3, 4}, 0.3},
  doc = "Trials up to the first success.",
}
op "cauchy_" {
  "(Tensor self, float median=0, float sigma=1, *, Generator? generator) -> Tensor",
  forms = {"method"}, writes_self = true,
  grad = {self = "zeros_like(grad)"},
  doc = "Numbers of the Cauchy distribution.",
}
op "log_normal_" {
  "(Tensor self, float mean=1, float std=2, *, Generator? generator) -> Tensor",
  forms = {"method"}, writes_self = true,
  grad = {self = "zeros_like(grad)"},
  doc = "Numbers whose logarithm is normal.",
}
op "dropout" {
  "(Tensor input, Scalar p=0.5, bool training=true, bool inplace=false) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  sample = {{3, 4}},
  details = "With training = false, the input itself. p lies between 0 and 1. nn.Dropout is the module, which model:eval() switches off.",
  doc = "Each element 0 with probability p, the others divided by 1 - p.",
}
op "dropout.torch" {
  "(Tensor input, float p, bool train) -> Tensor",
  forms = {"torch"}, composite = true,
  sample = {{3, 4}, 0.5, true},
  doc = "Each element 0 with probability p, the others divided by 1 - p.",
}
op "dropout1d" {
  "(Tensor input, Scalar p=0.5, bool training=true, bool inplace=false) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  sample = {{2, 3, 4}},
  doc = "Whole channels of (N, C, L) or (C, L) 0 with probability p.",
}
op "dropout2d" {
  "(Tensor input, Scalar p=0.5, bool training=true, bool inplace=false) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  sample = {{2, 3, 2, 2}},
  doc = "Whole channels of (N, C, H, W) 0 with probability p.",
}
op "dropout3d" {
  "(Tensor input, Scalar p=0.5, bool training=true, bool inplace=false) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  sample = {{2, 3, 2, 2, 2}},
  doc = "Whole channels of (N, C, D, H, W) or (C, D, H, W) 0 with probability p.",
}
op "alpha_dropout" {
  "(Tensor input, Scalar p=0.5, bool training=false, bool inplace=false) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  sample = {{3, 4}},
  doc = "Dropout that keeps selu's mean and variance.",
}
op "feature_alpha_dropout" {
  "(Tensor input, Scalar p=0.5, bool training=false, bool inplace=false) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  samples = {{{3, 4, 2}, 0.5, true}, {{3, 4}}},
  draws = true,
  doc = "alpha_dropout of whole channels of (N, C, ...).",
}
op "gumbel_softmax" {
  "(Tensor logits, float tau=1, bool hard=false, float eps=1e-10, dim dim=-1) -> Tensor",
  forms = {"nn.functional"}, composite = true, nogradcheck = true,
  samples = {{{3, 4}}, {{3, 4}, tau = 0.5, hard = true, dim = 0}},
  draws = true,
  doc = "softmax((logits + g) / tau) with g of the Gumbel distribution; hard: one-hot, with the gradient of the soft one.",
}
op "rrelu" {
  "(Tensor input, Number lower=1.0/8, Number upper=1.0/3, bool training=false, bool inplace=false) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  samples = {{{3, 4}}, {{3, 4}, 0.1, 0.5, true}},
  draws = true,
  doc = "input where positive, else input times a number drawn from lower to upper (their mean where not training).",
}
op "rrelu_" {
  "(Tensor input, Number lower=1.0/8, Number upper=1.0/3, bool training=false) -> Tensor",
  implementation = "rrelu(input, lower, upper, training, true)",
  forms = {"nn.functional"}, composite = true,
  samples = {{{3, 4}}, {{3, 4}, 0.1, 0.5, true}},
  draws = true, nogradcheck = true, nondifferentiable = true,
  doc = "rrelu in place.",
}
op "native_dropout" {
  "(Tensor input, float p, bool? train) -> (Tensor output, Tensor mask)",
  forms = {"torch"}, nogradcheck = true,
  backward = "tocha_grad_native_dropout", differentiable = {"input"}, saves = {"mask"},
  sample = {{3, 4}, 0.5, true},
  draws = true,
  doc = "Each element 0 with probability p, the others divided by 1 - p; and which stayed.",
}
op "native_dropout_backward" {
  "(Tensor grad_output, Tensor mask, float scale) -> Tensor",
  forms = {}, formula = "masked_scale",
  grad = {grad_output = "native_dropout_backward(grad, mask, scale)"},
  sample = {{3, 4}, {3, 4, bool = true}, 2.0},
  doc = "grad_output * scale where mask is true, else 0.",
}
