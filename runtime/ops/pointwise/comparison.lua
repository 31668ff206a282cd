-- comparison.lua: comparisons, logic and bits (the notation: list/read.lua).

op "eq" {
  "(Tensor self, Operand other) -> Tensor",
  formula = {"self == other", types = "all", result = "bool"},
  inplace = {grad = {self = "zero", other = "zero"}},
  sample = {{3, int = 3}, {3, int = 3}},
  symbol = "==",
  details = "self and other broadcast; the result is bool. Lua's == asks whether two values are the same object, so elements are compared by " ..
    "x:eq(2).",
  doc = "Where self == other.",
}
op "ne" {
  "(Tensor self, Operand other) -> Tensor",
  formula = {"self != other", types = "all", result = "bool"},
  inplace = {grad = {self = "zero", other = "zero"}}, aliases = {"not_equal"},
  sample = {{3, int = 3}, {3, int = 3}},
  details = "self and other broadcast; the result is bool. Lua's ~= asks whether two values are the same object, so elements are compared by " ..
    "x:ne(2).",
  doc = "Where self ~= other.",
}
op "lt" {
  "(Tensor self, Operand other) -> Tensor",
  formula = {"self < other", types = "all", result = "bool"},
  inplace = {grad = {self = "zero", other = "zero"}}, aliases = {"less"},
  sample = {{3, int = 3}, {3, int = 3}},
  symbol = "<",
  details = "self and other broadcast; the result is bool, and can be a subscript: x[x:lt(0)]. Lua's < works only on one element.",
  doc = "Where self < other.",
}
op "le" {
  "(Tensor self, Operand other) -> Tensor",
  formula = {"self <= other", types = "all", result = "bool"},
  inplace = {grad = {self = "zero", other = "zero"}}, aliases = {"less_equal"},
  sample = {{3, int = 3}, {3, int = 3}},
  symbol = "<=",
  details = "self and other broadcast; the result is bool, and can be a subscript: x[x:le(0)]. Lua's <= works only on one element.",
  doc = "Where self <= other.",
}
op "gt" {
  "(Tensor self, Operand other) -> Tensor",
  formula = {"self > other", types = "all", result = "bool"},
  inplace = {grad = {self = "zero", other = "zero"}}, aliases = {"greater"},
  sample = {{3, int = 3}, {3, int = 3}},
  details = "self and other broadcast; the result is bool, and can be a subscript: x[x:gt(0)]. Lua's > works only on one element.",
  doc = "Where self > other.",
}
op "ge" {
  "(Tensor self, Operand other) -> Tensor",
  formula = {"self >= other", types = "all", result = "bool"},
  inplace = {grad = {self = "zero", other = "zero"}}, aliases = {"greater_equal"},
  sample = {{3, int = 3}, {3, int = 3}},
  details = "self and other broadcast; the result is bool, and can be a subscript: x[x:ge(0)]. Lua's >= works only on one element.",
  doc = "Where self >= other.",
}
op "logical_and" {
  "(Tensor self, Tensor other) -> Tensor",
  formula = {"(self != 0) & (other != 0)", types = "all", result = "bool"},
  inplace = {leaf = true},
  sample = {{3, bool = true}, {3, bool = true}},
  doc = "And of the truth of two.",
}
op "logical_or" {
  "(Tensor self, Tensor other) -> Tensor",
  formula = {"(self != 0) | (other != 0)", types = "all", result = "bool"},
  inplace = {leaf = true},
  sample = {{3, bool = true}, {3, bool = true}},
  doc = "Or of the truth of two.",
}
op "logical_xor" {
  "(Tensor self, Tensor other) -> Tensor",
  formula = {"(self != 0) != (other != 0)", types = "all", result = "bool"},
  inplace = {leaf = true},
  sample = {{3, bool = true}, {3, bool = true}},
  doc = "Xor of the truth of two.",
}
op "logical_not" {
  "(Tensor self) -> Tensor",
  formula = {"self == 0", types = "all", result = "bool"},
  inplace = {leaf = true},
  sample = {{3, bool = true}},
  doc = "Where self is zero.",
}
op "bitwise_and" {
  "(Tensor self, Operand other) -> Tensor",
  formula = {"self & other", types = "bits"},
  number_first = true,
  inplace = true,
  sample = {{3, int = 8}, {3, int = 8}},
  symbol = "&", reversed = "&",
  doc = "The bits of self and other.",
}
op "bitwise_or" {
  "(Tensor self, Operand other) -> Tensor",
  formula = {"self | other", types = "bits"},
  number_first = true,
  inplace = true,
  sample = {{3, int = 8}, {3, int = 8}},
  symbol = "|", reversed = "|",
  doc = "The bits of self or other.",
}
op "bitwise_xor" {
  "(Tensor self, Operand other) -> Tensor",
  formula = {"self ^ other", types = "bits"},
  number_first = true,
  inplace = true,
  sample = {{3, int = 8}, {3, int = 8}},
  symbol = "^", reversed = "^",
  doc = "The bits of self xor other.",
}
op "bitwise_not" {
  "(Tensor self) -> Tensor",
  formula = {"sizeof(T) == 1 ? !self : ~self", types = "bits"},
  inplace = true,
  sample = {{3, int = 8}},
  symbol = "~",
  doc = "The bits of self, inverted.",
}
op "bitwise_left_shift" {
  "(Tensor self, Operand other) -> Tensor",
  formula = {"tocha_shift_left((int64_t)self, (int64_t)other)",
    types = "integers", kernel = "lshift_cpu"},
  number_first = true,
  inplace = true,
  sample = {{3, int = 8}, {3, int = 3}},
  symbol = "<<",
  doc = "self * 2^other.",
}
op "bitwise_right_shift" {
  "(Tensor self, Operand other) -> Tensor",
  formula = {"tocha_shift_right((int64_t)self, (int64_t)other)",
    types = "integers", kernel = "rshift_cpu"},
  number_first = true,
  inplace = true,
  sample = {{3, int = 8}, {3, int = 3}},
  symbol = ">>",
  doc = "self / 2^other, rounded down.",
}
op "isnan" {
  "(Tensor self) -> Tensor",
  formula = {"self != self", types = "all", result = "bool"},
  details = "The result is bool, of self's sizes; integers never are. x ~= x does not find them in Lua.",
  doc = "Where self is not a number.",
}
op "isinf" {
  "(Tensor self) -> Tensor",
  formula = {"(self != 0) & (ADD((E)self, (E)self) == self)", types = "all", result = "bool", layout = "number",
    prepare = "tocha_prepare_classified"},
  doc = "Where self is infinite.",
}
op "isfinite" {
  "(Tensor self) -> Tensor",
  formula = {"self - self == 0", types = "all", result = "bool", prepare = "tocha_prepare_classified"},
  doc = "Where self is neither infinite nor nan.",
}
formula "isclose" {
  "(Tensor self, Tensor other, float rtol, float atol, bool equal_nan)",
  "difference = ABS(self - other); " ..
  "self == other || (equal_nan != 0 && self != self && other != other) || " ..
  "(difference - difference == 0 && difference <= atol + ABS(rtol * other))",
  promotion = "floating", loop = "slow", result = "bool",
}
op "isclose" {
  "(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=false) -> Tensor",
  sample = {{3, 4}, {3, 4}},
  details = "The two broadcast and must have the same dtype; the result is bool. NaN is close to NaN only with equal_nan.",
  doc = "Where |self - other| <= atol + rtol * |other|.",
}
op "allclose" {
  "(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=false) -> bool",
  sample = {{3, 4}, {3, 4}},
  details = "The two broadcast and must have the same dtype; the result is Lua's true or false. In tests, torch.testing.assert_close tells " ..
    "what differs, too.",
  doc = "Whether |self - other| <= atol + rtol * |other| everywhere.",
}
op "equal" {
  "(Tensor self, Tensor other) -> bool",
  sample = {{3, 4}, {3, 4}},
  details = "The result is Lua's true or false. NaN equals nothing.",
  doc = "Whether both have the same sizes and elements.",
}
