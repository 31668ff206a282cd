-- special.lua: signs, angles, divisors and functions of torch.special (the notation: list/read.lua).

op "isposinf" {
  "(Tensor self) -> Tensor",
  formula = {"(self > 0) & (ADD((E)self, (E)self) == self)", types = "all", result = "bool"},
  out = {"same", "isposinf does not support non-boolean outputs."},
  doc = "Where self is positive infinity.",
}
op "isneginf" {
  "(Tensor self) -> Tensor",
  formula = {"(self < 0) & (ADD((E)self, (E)self) == self)", types = "all", result = "bool"},
  out = {"same", "isneginf does not support non-boolean outputs."},
  doc = "Where self is negative infinity.",
}
op "angle" {
  "(Tensor self) -> Tensor",
  formula = {"self != self ? self : self < 0 ? K(3.14159265358979323846) : K(0)", promotion = "floating"},
  out = true,
  grad = {self = "zero"},
  doc = "The angle of a number in the complex plane: pi where self is negative, else 0.",
}
op "gcd" {
  "(Tensor self, Tensor other) -> Tensor",
  formula = {"tocha_gcd(self, other)", types = "integers"},
  inplace = "torch", out = true, out_inner = "aten",
  sample = {{3, 4, int = 30}, {3, 4, int = 12}},
  doc = "The greatest common divisor.",
}
op "lcm" {
  "(Tensor self, Tensor other) -> Tensor",
  formula = {"divisor = tocha_gcd(self, other); divisor == 0 ? 0 : ABS(self / divisor * other)", types = "integers"},
  inplace = "torch", out = true, out_inner = "aten",
  sample = {{3, 4, int = 30}, {3, 4, int = 12}},
  doc = "The least common multiple.",
}
