-- cat.lua: joins several tensors into one (the notation: list/read.lua).

op "cat_parts" {
  "(Tensor[] tensors, dim dim, int[] lengths) -> Tensor",
  float8 = true,
  forms = {},
  backward = "tocha_cat_backward", differentiable = {"tensors"},
  sample = {{{2, 3}, {1, 3}}, 0, {2, 1}},
  doc = "cat with the lengths of its tensors along dim.",
}
op "cat" {
  "(Tensor[] tensors, dim dim=0) -> Tensor",
  forms = {"torch"}, composite = true, aliases = {"concat", "concatenate"},
  samples = {{tensors = {{2, 3}, {1, 3}}}, {tensors = {{2, 3}, {2, 1}}, dim = 1}},
  details = "All sizes but that of dim must agree; a one-dimensional tensor without elements is skipped. The dtypes are promoted to a common " ..
    "one. The tensors are one table: torch.cat({a, b}, 1). To join along a new dimension, use torch.stack.",
  doc = "The tensors one after the other along dim.",
}
op "stack" {
  "(Tensor[] tensors, dim dim=0) -> Tensor",
  forms = {"torch"},
  backward = "tocha_stack_backward", differentiable = {"tensors"},
  samples = {{tensors = {{2, 3}, {2, 3}}}, {tensors = {{2, 3}, {2, 3}}, dim = -1}},
  details = "All tensors must have the same sizes; the result has one dimension more: three tensors (2, 4) make (3, 2, 4), or with dim = -1 " ..
    "(2, 4, 3). The dtypes are promoted to a common one.",
  doc = "The tensors side by side along a new dimension dim.",
}
op "hstack" {
  "(Tensor[] tensors) -> Tensor",
  forms = {"torch"}, composite = true,
  sample = {tensors = {{2, 3}, {2, 1}}},
  doc = "Columns side by side.",
  details = "The tensors stand in one table and are joined along dimension 1, vectors along dimension 0. The other sizes must agree.",
}
op "vstack" {
  "(Tensor[] tensors) -> Tensor",
  forms = {"torch"}, composite = true,
  sample = {tensors = {{2, 3}, {1, 3}}},
  doc = "Rows one below the other.",
  details = "The tensors stand in one table and agree in all sizes but the first; vectors count as rows (1, N). The dtypes are promoted to a common " ..
    "one.",
}
op "row_stack" {
  "(Tensor[] tensors) -> Tensor",
  forms = {"torch"}, composite = true, implementation = "tocha_op_vstack",
  sample = {tensors = {{2, 3}, {1, 3}}},
  doc = "vstack under another name.",
}
op "dstack" {
  "(Tensor[] tensors) -> Tensor",
  forms = {"torch"}, composite = true,
  sample = {tensors = {{2, 3}, {2, 3}}},
  doc = "One behind the other, along the third dimension.",
  details = "The tensors stand in one table; (N) counts as (1, N, 1) and (M, N) as (M, N, 1). The other sizes must agree.",
}
op "column_stack" {
  "(Tensor[] tensors) -> Tensor",
  forms = {"torch"}, composite = true,
  sample = {tensors = {{2}, {2, 3}}},
  doc = "Vectors as columns side by side.",
  details = "The tensors stand in one table; a vector (N) becomes a column (N, 1), and matrices are joined as they are by hstack.",
}
