-- copy.lua: copies, dtypes and values (the notation: list/read.lua).

op "copy_" {
  "(Tensor self, Tensor src, bool non_blocking=false) -> Tensor",
  forms = {"method"}, writes_self = true, memory = "partial", memory_first = true, any_device = true, uninitialized = true,
  grad = {self = "zeros_like(grad)", src = "grad"},
  sample = {{3, 4}, {4}},
  details = "src broadcasts to self's sizes, which stay, as do its dtype and device. The gradient goes to src.",
  doc = "src's values into self, converted and broadcast.",
}
op "clone" {
  "(Tensor self, *, memory_format? memory_format) -> Tensor",
  grad = {self = "grad"},
  details = "The gradient passes through; for a copy without a graph: x:detach():clone().",
  doc = "A copy of self with its own memory.",
}
op "contiguous" {
  "(Tensor self, *, memory_format? memory_format) -> Tensor",
  forms = {"method"}, composite = true,
  details = "view needs it after transpose, permute or expand.",
  doc = "self if it is row-major without gaps, else a copy that is.",
}
op "to_copy" {
  "(Tensor self, *, dtype? dtype, device? device, bool non_blocking=false) -> Tensor",
  float8 = true,
  forms = {}, any_device = true, uninitialized = true,
  backward = "tocha_to_copy_backward", differentiable = {"self"},
  sample = {{3, 4}, dtype = "float64"},
  doc = "A copy of self with another dtype or on another device.",
}
op "to.dtype" {
  "(Tensor self, dtype dtype, bool non_blocking=false, bool copy=false, *, memory_format? memory_format) -> Tensor",
  implementation = "to(self, device(self), dtype, non_blocking, copy, memory_format)",
  forms = {"method"}, composite = true, uninitialized = true,
  sample = {{3, 4}, "float64"},
  doc = "self with that dtype.",
}
op "to" {
  "(Tensor self, device? device, dtype? dtype, bool non_blocking=false, bool copy=false, *, memory_format? memory_format) -> Tensor",
  implementation = "tocha_op_converted", with = {name = "to"},
  forms = {"method"}, composite = true, any_device = true, uninitialized = true,
  sample = {{3, 4}, "cpu"},
  details = "A dtype, a device (or its name, \"cuda\"), both, or another tensor says where to. If nothing needs to change, the result is self " ..
    "itself, unless copy = true. Modules have a method `to` as well, which works in place.",
  doc = "self on that device, with that dtype.",
}
op "to.other" {
  "(Tensor self, Tensor other, bool non_blocking=false, bool copy=false, *, memory_format? memory_format) -> Tensor",
  implementation = "to(self, device(other), dtype(other), non_blocking, copy, memory_format)",
  forms = {"method"}, composite = true, any_device = true, uninitialized = true,
  sample = {{3, 4}, {2}},
  doc = "self with the dtype and device of other.",
}
op "type_as" {
  "(Tensor self, Tensor other) -> Tensor",
  implementation = "to(self, device(other), dtype(other))",
  forms = {"method"}, composite = true, any_device = true,
  sample = {{3, 4}, {2}},
  doc = "self with the dtype and device of other.",
}
op "float.method" {
  "(Tensor self, *, memory_format? memory_format) -> Tensor",
  implementation = "tocha_op_to_named_dtype", with = {dtype = "TOCHA_FLOAT32", name = "float"},
  forms = {"method"}, composite = true, uninitialized = true,
  doc = "self as float32.",
}
op "double.method" {
  "(Tensor self, *, memory_format? memory_format) -> Tensor",
  implementation = "tocha_op_to_named_dtype", with = {dtype = "TOCHA_FLOAT64", name = "double"},
  forms = {"method"}, composite = true, uninitialized = true,
  doc = "self as float64.",
}
op "half.method" {
  "(Tensor self, *, memory_format? memory_format) -> Tensor",
  implementation = "tocha_op_to_named_dtype", with = {dtype = "TOCHA_FLOAT16", name = "half"},
  forms = {"method"}, composite = true, uninitialized = true,
  doc = "self as float16.",
}
op "bfloat16.method" {
  "(Tensor self, *, memory_format? memory_format) -> Tensor",
  implementation = "tocha_op_to_named_dtype", with = {dtype = "TOCHA_BFLOAT16", name = "bfloat16"},
  forms = {"method"}, composite = true,
  doc = "self as bfloat16.",
}
op "int.method" {
  "(Tensor self, *, memory_format? memory_format) -> Tensor",
  implementation = "tocha_op_to_named_dtype", with = {dtype = "TOCHA_INT32", name = "int"},
  forms = {"method"}, composite = true, uninitialized = true,
  doc = "self as int32.",
}
op "long.method" {
  "(Tensor self, *, memory_format? memory_format) -> Tensor",
  implementation = "tocha_op_to_named_dtype", with = {dtype = "TOCHA_INT64", name = "long"},
  forms = {"method"}, composite = true, uninitialized = true,
  doc = "self as int64.",
}
op "short.method" {
  "(Tensor self, *, memory_format? memory_format) -> Tensor",
  implementation = "tocha_op_to_named_dtype", with = {dtype = "TOCHA_INT16", name = "short"},
  forms = {"method"}, composite = true, uninitialized = true,
  doc = "self as int16.",
}
op "char.method" {
  "(Tensor self, *, memory_format? memory_format) -> Tensor",
  implementation = "tocha_op_to_named_dtype", with = {dtype = "TOCHA_INT8", name = "char"},
  forms = {"method"}, composite = true, uninitialized = true,
  doc = "self as int8.",
}
op "byte.method" {
  "(Tensor self, *, memory_format? memory_format) -> Tensor",
  implementation = "tocha_op_to_named_dtype", with = {dtype = "TOCHA_UINT8", name = "byte"},
  forms = {"method"}, composite = true,
  doc = "self as uint8.",
}
op "bool.method" {
  "(Tensor self, *, memory_format? memory_format) -> Tensor",
  implementation = "tocha_op_to_named_dtype", with = {dtype = "TOCHA_BOOL", name = "bool"},
  forms = {"method"}, composite = true,
  doc = "self as bool.",
}
op "cpu.method" {
  "(Tensor self, *, memory_format? memory_format) -> Tensor",
  forms = {"method"}, composite = true, any_device = true, uninitialized = true,
  doc = "self on the CPU.",
}
op "detach" {
  "(Tensor self) -> Tensor",
  details = "It never requires grad. Writing into it changes self, too: x:detach():clone() has memory of its own.",
  doc = "self's values without its history; the memory is shared.",
}
op "detach_copy" {
  "(Tensor self) -> Tensor",
  forms = {"torch"}, nogradcheck = true,
  backward = "tocha_grad_not_implemented", differentiable = {"self"}, implementation = "tocha_copy_rows",
  doc = "A copy of the tensor that detach returns.",
}
op "variable_data" {
  "(Tensor self) -> Tensor",
  float8 = true,
  forms = {},
  doc = "self's values without history and without counting changes (the attribute data).",
}
op "fill.tensor" {
  "(Tensor self, Tensor value) -> Tensor",
  forms = {"torch"},
  grad = {self = "zeros_like(grad)", value = "grad"},
  sample = {{3, 4}, {}},
  doc = "The value of a 0-dim tensor everywhere.",
}
op "fill" {
  "(Tensor self, Scalar value) -> Tensor",
  forms = {"torch"},
  grad = {self = "zeros_like(grad)"},
  sample = {{3, 4}, 2.5},
  doc = "value everywhere.",
}
op "fill_.tensor" {
  "(Tensor self, Tensor value) -> Tensor",
  forms = {"method", "torch"}, writes_self = true, any_device = true,
  grad = {self = "zeros_like(grad)", value = "grad"},
  sample = {{3, 4}, {}},
  doc = "The value of a 0-dim tensor into every element.",
}
op "fill_" {
  "(Tensor self, Scalar value) -> Tensor",
  forms = {"method", "torch"}, writes_self = true,
  grad = {self = "zeros_like(grad)"},
  sample = {{3, 4}, 2.5},
  details = "value is a number, true, false, or a 0-dim tensor, and is converted to self's dtype.",
  doc = "value into every element.",
}
op "fill_diagonal_" {
  "(Tensor self, Scalar fill_value, bool wrap=false) -> Tensor",
  forms = {"method"}, composite = true, writes_self = true,
  samples = {{{3, 4}, 2.5}, {{2, 2, 2}, 0}},
  doc = "fill_value onto the main diagonal; wrap: of a tall matrix also onto those that begin again below it, one row apart.",
}
op "zero_" {
  "(Tensor self) -> Tensor",
  forms = {"method", "torch"}, writes_self = true,
  grad = {self = "zeros_like(grad)"},
  details = "The gradient of a parameter is better removed by optimizer:zero_grad().",
  doc = "0 into every element.",
}
