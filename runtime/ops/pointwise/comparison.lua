-- comparison.lua: comparisons, logic and bits (the notation: list/read.lua).

op "eq" {
  "(Tensor self, Operand other) -> Tensor",
  overloaded = true,
  row = "eq", inplace = true, out = true,
  sample = {{3, int = 3}, {3, int = 3}},
  symbol = "==",
  doc = "Where self == other.",
}
op "ne" {
  "(Tensor self, Operand other) -> Tensor",
  overloaded = true,
  row = "ne", inplace = true, out = true, aliases = {"not_equal"},
  sample = {{3, int = 3}, {3, int = 3}},
  doc = "Where self ~= other.",
}
op "lt" {
  "(Tensor self, Operand other) -> Tensor",
  overloaded = true,
  row = "lt", inplace = true, out = true, aliases = {"less"},
  sample = {{3, int = 3}, {3, int = 3}},
  symbol = "<",
  doc = "Where self < other.",
}
op "le" {
  "(Tensor self, Operand other) -> Tensor",
  overloaded = true,
  row = "le", inplace = true, out = true, aliases = {"less_equal"},
  sample = {{3, int = 3}, {3, int = 3}},
  symbol = "<=",
  doc = "Where self <= other.",
}
op "gt" {
  "(Tensor self, Operand other) -> Tensor",
  overloaded = true,
  row = "gt", inplace = true, out = true, aliases = {"greater"},
  sample = {{3, int = 3}, {3, int = 3}},
  doc = "Where self > other.",
}
op "ge" {
  "(Tensor self, Operand other) -> Tensor",
  overloaded = true,
  row = "ge", inplace = true, out = true, aliases = {"greater_equal"},
  sample = {{3, int = 3}, {3, int = 3}},
  doc = "Where self >= other.",
}
op "logical_and" {
  "(Tensor self, Tensor other) -> Tensor",
  row = "logical_and", inplace = true, out = true,
  sample = {{3, bool = true}, {3, bool = true}},
  doc = "And of the truth of two.",
}
op "logical_or" {
  "(Tensor self, Tensor other) -> Tensor",
  row = "logical_or", inplace = true, out = true,
  sample = {{3, bool = true}, {3, bool = true}},
  doc = "Or of the truth of two.",
}
op "logical_xor" {
  "(Tensor self, Tensor other) -> Tensor",
  row = "logical_xor", inplace = true, out = true,
  sample = {{3, bool = true}, {3, bool = true}},
  doc = "Xor of the truth of two.",
}
op "logical_not" {
  "(Tensor self) -> Tensor",
  row = "logical_not", inplace = true, out = true,
  sample = {{3, bool = true}},
  doc = "Where self is zero.",
}
op "bitwise_and" {
  "(Tensor self, Operand other) -> Tensor",
  overloaded = true,
  row = "bitwise_and", inplace = true, out = true,
  sample = {{3, int = 8}, {3, int = 8}},
  symbol = "&", reversed = "&",
  doc = "The bits of self and other.",
}
op "bitwise_or" {
  "(Tensor self, Operand other) -> Tensor",
  overloaded = true,
  row = "bitwise_or", inplace = true, out = true,
  sample = {{3, int = 8}, {3, int = 8}},
  symbol = "|", reversed = "|",
  doc = "The bits of self or other.",
}
op "bitwise_xor" {
  "(Tensor self, Operand other) -> Tensor",
  overloaded = true,
  row = "bitwise_xor", inplace = true, out = true,
  sample = {{3, int = 8}, {3, int = 8}},
  symbol = "^", reversed = "^",
  doc = "The bits of self xor other.",
}
op "bitwise_not" {
  "(Tensor self) -> Tensor",
  row = "bitwise_not", inplace = true, out = true,
  sample = {{3, int = 8}},
  symbol = "~",
  doc = "The bits of self, inverted.",
}
op "bitwise_left_shift" {
  "(Tensor self, Operand other) -> Tensor",
  overloaded = true,
  row = "lshift", inplace = true, out = true,
  sample = {{3, int = 8}, {3, int = 3}},
  symbol = "<<",
  doc = "self * 2^other.",
}
op "bitwise_right_shift" {
  "(Tensor self, Operand other) -> Tensor",
  overloaded = true,
  row = "rshift", inplace = true, out = true,
  sample = {{3, int = 8}, {3, int = 3}},
  symbol = ">>",
  doc = "self / 2^other, rounded down.",
}
op "isnan" {
  "(Tensor self) -> Tensor",
  row = "isnan",
  doc = "Where self is not a number.",
}
op "isinf" {
  "(Tensor self) -> Tensor",
  row = "isinf",
  doc = "Where self is infinite.",
}
op "isfinite" {
  "(Tensor self) -> Tensor",
  row = "isfinite",
  doc = "Where self is neither infinite nor nan.",
}
op "isclose" {
  "(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=false) -> Tensor",
  sample = {{3, 4}, {3, 4}},
  doc = "Where |self - other| <= atol + rtol * |other|.",
}
op "allclose" {
  "(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=false) -> bool",
  sample = {{3, 4}, {3, 4}},
  doc = "Whether |self - other| <= atol + rtol * |other| everywhere.",
}
