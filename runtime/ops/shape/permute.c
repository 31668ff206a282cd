/* permute.c: shapes composed of other views (flatten, movedim, T). */
#include "shape/implementations.h"
#include "tensor/geometry.h"
#include "tocha/ops/permute.h"
#include "tocha/ops/reshape.h"
#include "tocha/ops/transpose.h"
#include "tocha/ops/unsqueeze.h"
#include "tocha/ops/view.h"
#include "tocha/ops/view_alias.h"

tocha_tensor *tocha_op_flatten(tocha_context *cx, tocha_tensor *self, int64_t start_dim,
                               int64_t end_dim) {
  int64_t sizes[TOCHA_MAX_DIMS];
  if (!tocha_wrap_dim(cx, &start_dim, self->ndim) || !tocha_wrap_dim(cx, &end_dim, self->ndim))
    return NULL;
  if (start_dim > end_dim)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "flatten() has invalid args: start_dim cannot come after end_dim");
  if (self->ndim == 0) return tocha_reshape(cx, self, 1, (const int64_t[]){1});
  if (start_dim == end_dim) return self;
  int n = 0;
  for (int i = 0; i < self->ndim; i++) {
    if (i > start_dim && i <= end_dim)
      sizes[n - 1] *= self->sizes[i];
    else
      sizes[n++] = self->sizes[i];
  }
  return tocha_reshape(cx, self, n, sizes);
}

/* Returns false if the sizes are wrong for another reason than their product. */
static bool is_shape(const tocha_tensor *self, int64_t dim, int count, const int64_t *sizes) {
  int inferred = 0, empty = 0;
  for (int i = 0; i < count; i++) {
    if (sizes[i] < -1) return false;
    inferred += sizes[i] == -1;
    empty += sizes[i] == 0;
  }
  return self->ndim > 0 && inferred < 2 && !(inferred && empty && self->sizes[dim] == 0);
}

tocha_tensor *tocha_op_unflatten(tocha_context *cx, tocha_tensor *self, int64_t dim,
                                 int sizes_count, const int64_t *sizes) {
  int64_t all[2 * TOCHA_MAX_DIMS], product = 1, inferred = 0;
  char text[256];
  if (!tocha_wrap_dim(cx, &dim, self->ndim)) return NULL;
  if (sizes_count == 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "unflatten: sizes must be non-empty");
  int64_t size = self->ndim ? self->sizes[dim] : 1;
  if (!is_shape(self, dim, sizes_count, sizes))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "unflatten got an unexpected error:");
  for (int i = 0; i < sizes_count; i++) {
    inferred += sizes[i] == -1;
    if (sizes[i] != -1 && __builtin_mul_overflow(product, sizes[i], &product))
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "numel: integer multiplication overflow");
  }
  if (inferred == 1 ? product == 0 || size % product != 0 : product != size)
    return tocha_fail(
        cx, TOCHA_RUNTIME_ERROR,
        "unflatten: Provided sizes %s don't multiply up to the size of dim %lld (%lld) "
        "in the input tensor",
        tocha_shape_text(sizes_count, sizes, text, sizeof text), (long long)dim, (long long)size);
  if (sizes_count + self->ndim > TOCHA_MAX_DIMS + 1)
    return tocha_tensor_header(cx, sizes_count + self->ndim, self->dtype, self->device);
  int n = 0;
  for (int i = 0; i < dim; i++) all[n++] = self->sizes[i];
  for (int i = 0; i < sizes_count; i++) all[n++] = sizes[i] == -1 ? size / product : sizes[i];
  for (int i = (int)dim + 1; i < self->ndim; i++) all[n++] = self->sizes[i];
  return tocha_view(cx, self, n, all);
}

tocha_tensor *tocha_op_movedim(tocha_context *cx, tocha_tensor *self, int source_count,
                               const int64_t *source, int destination_count,
                               const int64_t *destination) {
  int64_t order[TOCHA_MAX_DIMS];
  bool moved[TOCHA_MAX_DIMS] = {false}, taken[TOCHA_MAX_DIMS] = {false};
  char a[256], b[256];
  if (source_count != destination_count)
    return tocha_fail(
        cx, TOCHA_RUNTIME_ERROR,
        "movedim: Invalid source or destination dims: source (%s dims) should contain "
        "the same number of dims as destination (%s dims)",
        tocha_shape_text(source_count, source, a, sizeof a),
        tocha_shape_text(destination_count, destination, b, sizeof b));
  for (int i = 0; i < source_count; i++) {
    int64_t from = source[i], to = destination[i];
    if (!tocha_wrap_dim(cx, &from, self->ndim) || !tocha_wrap_dim(cx, &to, self->ndim)) return NULL;
    if (moved[from])
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "movedim: repeated dim in `source` (%s)",
                        tocha_shape_text(source_count, source, a, sizeof a));
    if (taken[to])
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "movedim: repeated dim in `destination` (%s)",
                        tocha_shape_text(destination_count, destination, b, sizeof b));
    moved[from] = taken[to] = true;
    order[to] = from;
  }
  if (self->ndim == 0) return tocha_view_alias(cx, self);
  for (int at = 0, from = 0; at < self->ndim; at++) {
    if (taken[at]) continue;
    while (moved[from]) from++;
    order[at] = from++;
  }
  return tocha_permute(cx, self, self->ndim, order);
}

tocha_tensor *tocha_op_T(tocha_context *cx, tocha_tensor *self) {
  int64_t order[TOCHA_MAX_DIMS];
  if (self->ndim != 2 && self->ndim != 0)
    tocha_warn(cx,
               "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is "
               "deprecated and it will throw an error in a future release. Consider `x.mT` to "
               "transpose batches of matrices or `x.permute(*torch.arange(x.ndim - 1, -1, -1))` to "
               "reverse the dimensions of a tensor.");
  for (int i = 0; i < self->ndim; i++) order[i] = self->ndim - 1 - i;
  return tocha_permute(cx, self, self->ndim, order);
}

tocha_tensor *tocha_op_matrix_transpose(tocha_context *cx, tocha_tensor *self, const char *name) {
  if (self->ndim == 1)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "tensor.%s is only supported on matrices or batches of matrices. Got %d-D "
                      "tensor.",
                      name, self->ndim);
  return self->ndim == 0 ? self : tocha_transpose(cx, self, -2, -1);
}

tocha_tensor *tocha_op_H(tocha_context *cx, tocha_tensor *self) {
  if (self->ndim != 2 && self->ndim != 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "tensor.H is only supported on matrices (2-D tensors). Got %d-D tensor.%s",
                      self->ndim,
                      self->ndim > 2 ? " For batches of matrices, consider using tensor.mH" : "");
  return self->ndim == 0 ? self : tocha_transpose(cx, self, 0, 1);
}

tocha_tensor *tocha_op_atleast_1d(tocha_context *cx, tocha_tensor *self) {
  return self->ndim ? self : tocha_reshape(cx, self, 1, (const int64_t[]){1});
}

tocha_tensor *tocha_op_atleast_2d(tocha_context *cx, tocha_tensor *self) {
  if (self->ndim == 0) return tocha_reshape(cx, self, 2, (const int64_t[]){1, 1});
  return self->ndim == 1 ? tocha_unsqueeze(cx, self, 0) : self;
}

tocha_tensor *tocha_op_atleast_3d(tocha_context *cx, tocha_tensor *self) {
  if (self->ndim == 0) return tocha_reshape(cx, self, 3, (const int64_t[]){1, 1, 1});
  if (self->ndim == 1) self = tocha_unsqueeze(cx, self, 0);
  return self && self->ndim == 2 ? tocha_unsqueeze(cx, self, -1) : self;
}
