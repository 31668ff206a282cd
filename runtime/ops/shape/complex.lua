-- complex.lua: functions of complex numbers, of tensors whose elements are real (the notation: list/read.lua).

op "real" {
  "(Tensor self) -> Tensor",
  forms = {"torch"}, composite = true, attribute = true,
  doc = "The real part: self, where it is no complex tensor.",
}
op "isreal" {
  "(Tensor self) -> Tensor",
  nondifferentiable = true,
  doc = "Where the imaginary part is zero: everywhere, where self is no complex tensor.",
}
op "conj" {
  "(Tensor self) -> Tensor",
  composite = true, implementation = "tocha_op_real",
  doc = "The complex conjugate: self, where it is no complex tensor.",
}
op "resolve_conj" {
  "(Tensor self) -> Tensor",
  composite = true, implementation = "tocha_op_real",
  doc = "self, whose elements lie in memory as they are.",
}
op "resolve_neg" {
  "(Tensor self) -> Tensor",
  composite = true, implementation = "tocha_op_real",
  doc = "self, whose elements lie in memory as they are.",
}
