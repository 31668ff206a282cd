/* embedding.c: embedding: rows of a table by their numbers, its gradient, and renormalization. */
#include <string.h>

#include "dispatch/call.h"
#include "indexing/implementations.h"
#include "ops/indexing/index.h"
#include "tensor/copy.h"
#include "tocha/ops/add.h"
#include "tocha/ops/div.h"
#include "tocha/ops/embedding.h"
#include "tocha/ops/embedding_renorm_.h"
#include "tocha/ops/eq.h"
#include "tocha/ops/gt.h"
#include "tocha/ops/index_copy_.h"
#include "tocha/ops/index_select.h"
#include "tocha/ops/private/index_select_backward.h"
#include "tocha/ops/masked_fill.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/norm.h"
#include "tocha/ops/reciprocal.h"
#include "tocha/ops/reshape.h"
#include "tocha/ops/unsqueeze.h"
#include "tocha/ops/where.h"

/* Fails unless indices are int32 or int64. number: the number of the argument in the error. */
static bool check_indices(tocha_context *cx, const tocha_tensor *indices, int number,
                          const char *name) {
  if (indices->dtype == TOCHA_INT64 || indices->dtype == TOCHA_INT32) return true;
  char text[32];
  tocha_fail(
      cx, TOCHA_RUNTIME_ERROR,
      "Expected tensor for argument #%d 'indices' to have one of the following scalar types: "
      "Long, Int; but got %s instead (while checking arguments for %s)",
      number, tocha_type_text(indices, text), name);
  tocha_hint(cx, "indices are integers: indices:long()");
  return false;
}

/* Returns the elements of t in other sizes. Records no graph if t is contiguous. */
static tocha_tensor *in_sizes(tocha_context *cx, tocha_tensor *t, int ndim, const int64_t *sizes) {
  int64_t strides[TOCHA_MAX_DIMS];
  if (!(t->flags & TOCHA_FLAG_CONTIGUOUS) || ndim > TOCHA_MAX_DIMS)
    return tocha_reshape(cx, t, ndim, sizes);
  tocha_row_major_strides(ndim, sizes, strides);
  return tocha_alias(cx, t, ndim, sizes, strides, t->offset);
}

static tocha_tensor *in_a_row(tocha_context *cx, tocha_tensor *t) {
  return in_sizes(cx, t, 1, (const int64_t[]){t->numel});
}

static void *out_of_rows(tocha_context *cx, const tocha_tensor *weight) {
  tocha_fail(cx, TOCHA_INDEX_ERROR, "index out of range in self");
  return tocha_hint(cx, "indices count from 0: the embedding has %lld rows, 0 to %lld",
                    (long long)weight->sizes[0], (long long)weight->sizes[0] - 1);
}

void tocha_note_dense_gradient(tocha_context *cx, const tocha_tensor *weight, bool sparse) {
  if (sparse && tocha_grad_enabled(cx) && tocha_requires_grad(weight))
    tocha_warn(cx,
               "sparse gradients are not supported: this one is dense, with the same values and "
               "zeros in the rows that were not asked for");
}

tocha_tensor *tocha_op_embedding(tocha_context *cx, tocha_tensor *weight, tocha_tensor *indices,
                                 int64_t padding_idx, bool scale_grad_by_freq, bool sparse) {
  (void)padding_idx, (void)scale_grad_by_freq;
  int64_t sizes[TOCHA_MAX_DIMS + 1], bad;
  tocha_indexed x;
  if (!tocha_check_size_read(cx, weight, 0)) return NULL;
  if (weight->ndim != 2) return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "'weight' must be 2-D");
  if (!check_indices(cx, indices, 1, "embedding")) return NULL;
  tocha_note_dense_gradient(cx, weight, sparse);
  memcpy(sizes, indices->sizes, (size_t)indices->ndim * sizeof *sizes);
  sizes[indices->ndim] = weight->sizes[1];
  tocha_tensor *list = in_a_row(cx, indices);
  if (!list) return NULL;
  if (weight->sizes[0] == 0 && list->numel > 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "index_select(): self indexing axis dim should be positive");
  if (!tocha_index_dimension(cx, "embedding", weight, 0, list, false, &x, &bad))
    return tocha_failed(cx) ? NULL : out_of_rows(cx, weight);
  tocha_tensor *rows = tocha_index_get(cx, &x);
  return rows ? in_sizes(cx, rows, indices->ndim + 1, sizes) : NULL;
}

/* Returns, for each entry of `list`, how often `list` names its row, in like's dtype. */
static tocha_tensor *counts_of(tocha_context *cx, tocha_tensor *list, int64_t rows,
                               tocha_tensor *like) {
  tocha_tensor *ones = tocha_new(cx, 1, list->sizes, (tocha_dtype)like->dtype, like->device);
  if (!ones || !tocha_fill_data(cx, ones, tocha_int(1))) return NULL;
  tocha_tensor *all = tocha_private_index_select_backward(cx, ones, 1, &rows, 0, list);
  return tocha_index_select(cx, all, 0, list);
}

tocha_tensor *tocha_op_embedding_dense_backward(tocha_context *cx, tocha_tensor *grad_output,
                                                tocha_tensor *indices, int count,
                                                const int64_t *sizes, int64_t padding_idx,
                                                bool scale_grad_by_freq) {
  if (count != 2)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "'weight' must be 2-D, but got %d-D", count);
  tocha_tensor *list = in_a_row(cx, indices);
  tocha_tensor *grad =
      tocha_reshape(cx, grad_output, 2, (const int64_t[]){indices->numel, sizes[1]});
  if (!list || !grad) return NULL;
  if (scale_grad_by_freq)
    grad = tocha_div(cx, grad, tocha_unsqueeze(cx, counts_of(cx, list, sizes[0], grad), 1));
  if (padding_idx >= 0) {
    tocha_tensor *mask = tocha_eq_full(cx, list, tocha_number(tocha_int(padding_idx)));
    grad =
        tocha_masked_fill_full(cx, grad, tocha_unsqueeze(cx, mask, 1), tocha_number(tocha_int(0)));
  }
  return grad ? tocha_private_index_select_backward(cx, grad, count, sizes, 0, list) : NULL;
}

/* Returns the numbers of rows, counted from the start. Fails with the smallest one that is out of range. A GPU reports these
 * later. */
static tocha_tensor *from_start(tocha_context *cx, const tocha_tensor *self, tocha_tensor *list) {
  int64_t rows = self->sizes[0], bad = 0;
  bool found = false;
  char text[64];
  if (list->device.type != TOCHA_CPU) return list;
  tocha_tensor *out = tocha_new(cx, 1, list->sizes, TOCHA_INT64, list->device);
  tocha_tensor *in = out ? tocha_as_rows(cx, list, TOCHA_INT64) : NULL;
  if (!in) return NULL;
  const int64_t *from = (const int64_t *)(const void *)tocha_bytes(in);
  int64_t *to = (int64_t *)(void *)tocha_bytes(out);
  for (int64_t i = 0; i < in->numel; i++) {
    to[i] = from[i] < 0 ? from[i] + rows : from[i];
    if (to[i] >= 0 && to[i] < rows) continue;
    if (!found || from[i] < bad) bad = from[i];
    found = true;
  }
  return !found ? out
                : tocha_fail(cx, TOCHA_INDEX_ERROR,
                             "select(): index %lld out of range for tensor of size %s at "
                             "dimension 0",
                             (long long)bad, tocha_shape_text(2, self->sizes, text, sizeof text));
}

tocha_tensor *tocha_op_embedding_renorm_(tocha_context *cx, tocha_tensor *self,
                                         tocha_tensor *indices, double max_norm, double norm_type) {
  if (self->ndim != 2)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Expected 2-dimensional tensor, but got %d-dimensional tensor for argument "
                      "#1 'self' (while checking arguments for embedding_renorm_)",
                      self->ndim);
  if (!check_indices(cx, indices, 2, "embedding_renorm_")) return NULL;
  if (!tocha_dtype_is_floating(self->dtype))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "norm(): input dtype should be either floating point or complex. Got %s "
                      "instead.",
                      tocha_dtype_scalar_type(self->dtype));
  tocha_tensor *list = in_a_row(cx, indices);
  list = list ? tocha_as_dtype(cx, list, TOCHA_INT64) : NULL;
  list = list ? from_start(cx, self, list) : NULL;
  if (!list) return NULL;
  tocha_dtype dtype = (tocha_dtype)self->dtype;
  tocha_scalar p = tocha_float(norm_type);
  tocha_tensor *rows = tocha_index_select(cx, self, 0, list);
  tocha_tensor *norm = tocha_norm_linalg(cx, rows, &p, 1, (const int64_t[]){1}, true);
  norm = norm ? tocha_as_dtype(cx, norm, TOCHA_FLOAT64) : NULL;
  tocha_tensor *large = tocha_gt_full(cx, norm, tocha_number(tocha_float(max_norm)));
  tocha_tensor *wide = tocha_add_full(cx, norm, tocha_number(tocha_float(1e-7)), tocha_int(1));
  tocha_tensor *scale =
      tocha_mul_full(cx, tocha_reciprocal(cx, wide), tocha_number(tocha_float(max_norm)));
  scale = tocha_where_full(cx, large, tocha_operand_of(scale), tocha_number(tocha_float(1)));
  if (!rows || !scale) return NULL;
  /* The scale is the same for all entries of a row, because any of them may be the one that is written. */
  rows = tocha_mul(cx, rows, tocha_as_dtype(cx, scale, dtype));
  return rows && tocha_index_copy_(cx, self, 0, list, rows) ? self : NULL;
}

tocha_tensor *tocha_op_embedding_functional(tocha_context *cx, tocha_tensor *input,
                                            tocha_tensor *weight, const int64_t *padding_idx,
                                            const double *max_norm, double norm_type,
                                            bool scale_grad_by_freq, bool sparse) {
  int64_t padding = -1;
  if (padding_idx) {
    int64_t rows = 0;
    padding = *padding_idx;
    if (padding != 0 && !tocha_size_of(cx, weight, 0, &rows)) return NULL;
    if ((padding > 0 && padding >= rows) || padding < -rows)
      return tocha_fail(cx, TOCHA_ASSERTION_ERROR, "Padding_idx must be within num_embeddings");
    if (padding < 0) padding += rows;
  }
  if (max_norm) {
    bool enabled = tocha_set_grad_enabled(cx, false);
    tocha_tensor *renormed = tocha_embedding_renorm_(cx, weight, input, *max_norm, norm_type);
    tocha_set_grad_enabled(cx, enabled);
    if (!renormed) return NULL;
  }
  return tocha_embedding_full(cx, weight, input, padding, scale_grad_by_freq, sparse);
}
