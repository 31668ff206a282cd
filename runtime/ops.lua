-- ops.lua: the one list of operators. Plain data; generate.lua turns it into C.
--
--   op "name" or "name.overload" {
--     "(Tensor self, float beta=1, *, dtype? dtype) -> Tensor",   -- PyTorch's notation
--     forms = {"torch", "method", "nn.functional"},               -- default: torch and method
--     row = "softplus",            -- a row of ops/elementwise.def does the work; without it the C
--                                  -- function tocha_op_NAME (field `implementation`) in ops/
--     grad = {self = "rule"},      -- made of operators; or backward = "c_function" with
--                                  -- differentiable = {...}, saves = {...}
--     inplace = true,              -- also NAME_ ; "torch": torch.NAME_ too
--     out = true,                  -- also takes out=
--     view = true, composite = true, any_device = true, overloaded = true, autocast = "lower",
--     node = "MaxBackward1",       -- what grad_fn prints; default NameBackward0
--     sample = {...},              -- shapes of tensor arguments and values of the others
--     doc = "One sentence, a formula.",
--   }
--
-- Kinds of argument: Tensor, Operand (a tensor or a number), Scalar, int, dim, index, float, bool,
-- string, dtype, device, Generator, Tensor[], int..., dim..., size... (lists; with ... also spelled
-- out in a call); `?` after a kind: may be nil; after `*`: by keyword only.
-- Samples: {3, 4} a float tensor of that shape; {3, int = 5} integers below 5; {3, positive = true};
-- {2, 2, bool = true}; a number, string or boolean stands for itself; named entries are keywords.

-- --- arithmetic ------------------------------------------------------------------------------------

op "add" {
  "(Tensor self, Operand other, *, Scalar alpha=1) -> Tensor",
  row = "add", inplace = true, out = true,
  grad = {self = "grad", other = "grad * alpha"},
  samples = {{{3, 4}, {3, 4}}, {{3, 4}, {4}, alpha = 2}, {{2, 1}, 1.5}},
  doc = "self + alpha * other, with broadcasting.",
}
op "sub" {
  "(Tensor self, Operand other, *, Scalar alpha=1) -> Tensor",
  row = "sub", inplace = true, out = true,
  grad = {self = "grad", other = "grad * (-alpha)"},
  samples = {{{3, 4}, {3, 4}}, {{3, 4}, {3, 1}, alpha = 2}},
  doc = "self - alpha * other.",
}
op "rsub" {
  "(Tensor self, Operand other, *, Scalar alpha=1) -> Tensor",
  row = "rsub",
  grad = {self = "grad * (-alpha)", other = "grad"},
  sample = {{3, 4}, 2.0},
  doc = "other - alpha * self.",
}
op "mul" {
  "(Tensor self, Operand other) -> Tensor",
  row = "mul", inplace = true, out = true,
  grad = {self = "grad * other", other = "grad * self"},
  samples = {{{3, 4}, {3, 4}}, {{3, 4}, {4}}, {{3}, 2.5}},
  doc = "self * other, with broadcasting.",
}
op "div" {
  "(Tensor self, Operand other) -> Tensor",
  row = "true_divide", inplace = true, out = true, overloaded = true,
  grad = {self = "grad / other", other = "-grad * ((self / other) / other)"},
  samples = {{{3, 4}, {3, 4, positive = true}}, {{3}, 2.0}},
  doc = "self / other; integers divide to floating point.",
}
op "div.mode" {
  "(Tensor self, Operand other, *, string? rounding_mode) -> Tensor",
  inplace = true, out = true, overloaded = true, composite = true,
  sample = {{3, 4}, {3, 4, positive = true}, rounding_mode = "floor"}, nogradcheck = true,
  doc = "self / other, the quotient rounded ('floor' or 'trunc').",
}
op "neg" {
  "(Tensor self) -> Tensor",
  row = "neg", inplace = true, out = true,
  grad = {self = "-grad"},
  sample = {{3, 4}},
  doc = "-self.",
}
op "reciprocal" {
  "(Tensor self) -> Tensor",
  row = "reciprocal", inplace = true, out = true,
  grad = {self = "-grad * (result * result)"},
  sample = {{3, 4, positive = true}},
  doc = "1 / self.",
}
op "exp" {
  "(Tensor self) -> Tensor",
  row = "exp", inplace = true, out = true, autocast = "float32",
  grad = {self = "grad * result"},
  sample = {{3, 4}},
  doc = "e to the power of self.",
}

-- --- copies ------------------------------------------------------------------------------------------

op "copy_" {
  "(Tensor self, Tensor src, bool non_blocking=false) -> Tensor",
  forms = {"method"}, writes_self = true, any_device = true,
  grad = {self = "zeros_like(grad)", src = "grad"},
  sample = {{3, 4}, {4}}, nogradcheck = true,
  doc = "src's values into self, converted and broadcast.",
}
op "zeros_like" {
  "(Tensor self, *, dtype? dtype, device? device, bool requires_grad=false) -> Tensor",
  forms = {"torch"},
  sample = {{3, 4}},
  doc = "Zeros of self's sizes.",
}
op "clone" {
  "(Tensor self) -> Tensor",
  grad = {self = "grad"},
  sample = {{3, 4}},
  doc = "A copy of self with its own memory.",
}
