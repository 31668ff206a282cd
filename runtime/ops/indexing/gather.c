/* gather.c: gather, scatter_, scatter_add_ and the like: one index for each element, along one dimension. */
#include <string.h>

#include "device/devices.h"
#include "indexing/implementations.h"
#include "ops/indexing/index.h"
#include "ops/sorting/sort.h"
#include "tensor/copy.h"
#include "tensor/iterator.h"
#include "tensor/overlap.h"
#include "tocha/ops/expand.h"
#include "tocha/ops/gather.h"
#include "tocha/ops/remainder.h"
#include "tocha/ops/reshape.h"
#include "tocha/ops/scatter_.h"
#include "tocha/ops/scatter_reduce.h"
#include "tocha/ops/unsqueeze.h"

static int rank(const tocha_tensor *t) { return t->ndim ? t->ndim : 1; }

/* Fails unless index is int32 or int64. An index without elements may have any dtype. */
static bool check_dtype(tocha_context *cx, const char *name, const tocha_tensor *index) {
  if (index->numel == 0 || index->dtype == TOCHA_INT64 || index->dtype == TOCHA_INT32) return true;
  return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s(): Expected dtype int32/int64 for index", name);
}

static bool check_rank(tocha_context *cx, const char *of, const tocha_tensor *self,
                       const tocha_tensor *index) {
  if (rank(index) == rank(self)) return true;
  return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                    "Index tensor must have the same number of dimensions as %s tensor", of);
}

/* Describes the elements of t at index along dim. Fails if a position is out of range. */
static bool index_elements(tocha_context *cx, const char *op, tocha_tensor *t, int64_t dim,
                           tocha_tensor *index, tocha_indexed *x) {
  int64_t bad, size = t->sizes[dim];
  tocha_index_elements(op, t, dim, index, x);
  if (tocha_check_index(cx, index, size, false, &bad)) return true;
  if (!tocha_failed(cx))
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "index %lld is out of bounds for dimension %lld with size %lld", (long long)bad,
               (long long)dim, (long long)size),
        tocha_hint(cx, "indices count from 0");
  return false;
}

/* Returns t, with shape (1) if it is 0-dimensional. */
static tocha_tensor *at_least_1d(tocha_context *cx, tocha_tensor *t) {
  int64_t one = 1;
  return t->ndim ? t : tocha_alias(cx, t, 1, &one, &one, t->offset);
}

tocha_tensor *tocha_op_gather(tocha_context *cx, tocha_tensor *self, int64_t dim,
                              tocha_tensor *index, bool sparse_grad) {
  char a[256], b[256];
  tocha_note_dense_gradient(cx, self, sparse_grad);
  if (!tocha_wrap_dim(cx, &dim, self->ndim) || !check_dtype(cx, "gather", index) ||
      (index->numel > 0 && !check_rank(cx, "input", self, index)))
    return NULL;
  tocha_tensor *out = tocha_new(cx, index->ndim, index->sizes, self->dtype, self->device);
  if (!out || out->numel == 0) return out;
  tocha_tensor *from = at_least_1d(cx, self), *to = at_least_1d(cx, out);
  tocha_tensor *at = at_least_1d(cx, index);
  if (!from || !to || !at) return NULL;
  for (int d = 0; d < from->ndim; d++)
    if (d != dim && at->sizes[d] > from->sizes[d])
      return tocha_fail(
          cx, TOCHA_RUNTIME_ERROR,
          "Size does not match at dimension %d expected index %s to be no larger than "
          "self %s apart from dimension %lld",
          d, tocha_shape_text(index->ndim, index->sizes, a, sizeof a),
          tocha_shape_text(self->ndim, self->sizes, b, sizeof b), (long long)dim);
  tocha_indexed x;
  if (!index_elements(cx, "gather", from, dim, at, &x)) return NULL;
  return tocha_index_get_into(cx, &x, to) ? out : NULL;
}

/* Sets *larger if index is larger than t along a dimension other than `but`. Fails if t lacks a dimension. */
static bool compare_sizes(tocha_context *cx, const tocha_tensor *index, const tocha_tensor *t,
                          int64_t but, bool *larger) {
  int64_t size = 1;
  for (int d = 0; d < index->ndim && !*larger; d++) {
    if (t->ndim && !tocha_size_of(cx, t, d, &size)) return false;
    *larger = d != but && index->sizes[d] > size;
  }
  return true;
}

static bool check_sizes(tocha_context *cx, int64_t dim, const tocha_tensor *self,
                        const tocha_tensor *index, const tocha_tensor *src) {
  char a[256], b[256], c[256] = "";
  bool larger = false;
  if (!compare_sizes(cx, index, self, dim, &larger)) return false;
  if (src && !compare_sizes(cx, index, src, -1, &larger)) return false;
  if (src && rank(src) != rank(index))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Index tensor must have the same number of dimensions as src tensor");
  if (!larger) return true;
  tocha_shape_text(index->ndim, index->sizes, a, sizeof a);
  tocha_shape_text(self->ndim, self->sizes, b, sizeof b);
  if (!src)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Expected index %s to be no larger than self %s apart from dimension %lld", a,
                      b, (long long)dim);
  return tocha_fail(
      cx, TOCHA_RUNTIME_ERROR,
      "Expected index %s to be no larger than self %s apart from dimension %lld and to be no "
      "larger size than src %s",
      a, b, (long long)dim, tocha_shape_text(src->ndim, src->sizes, c, sizeof c));
}

/* Checks dtypes and sizes, before any value of index is read. one: src is one number (0-dim, of self's dtype) for all. */
static bool check_scatter(tocha_context *cx, const tocha_tensor *self, int64_t dim,
                          const tocha_tensor *index, const tocha_tensor *src, bool one) {
  if (!check_dtype(cx, "scatter", index)) return false;
  if (src->dtype != self->dtype)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "scatter(): Expected self.dtype to be equal to src.dtype");
  return index->numel == 0 || (check_rank(cx, "self", self, index) &&
                               check_sizes(cx, dim, self, index, one ? NULL : src));
}

bool tocha_check_scatter(tocha_context *cx, const tocha_tensor *self, int64_t dim,
                         const tocha_tensor *index, const tocha_tensor *src) {
  return check_scatter(cx, self, dim, index, src, false);
}

/* Returns true if the sizes are equal in all dimensions except `dim`. */
static bool is_alike_but(const tocha_tensor *a, const tocha_tensor *b, int64_t dim) {
  for (int d = 0; d < a->ndim; d++)
    if (d != dim && a->sizes[d] != b->sizes[d]) return false;
  return true;
}

/* MIN_ROWS: rows that are worth a launch of a GPU's kernel for rows. MAX_UNTOUCHED: elements of a row for each one that is added. */
enum { MIN_ROWS = 32, MAX_UNTOUCHED = 16 };

/* Returns true if a GPU's kernel for rows, which adds to each row separately, can do the work and is worth it. */
static bool takes_rows(const tocha_tensor *to, int64_t dim, const tocha_tensor *at,
                       const tocha_tensor *from) {
  if (to->device.type != TOCHA_CUDA || !tocha_dtype_is_floating((tocha_dtype)to->dtype) ||
      dim != to->ndim - 1)
    return false;
  int64_t n = to->sizes[dim], m = at->sizes[dim];
  return m > 0 && n <= TOCHA_SCATTER_ROW && n / MAX_UNTOUCHED <= m && at->numel / m >= MIN_ROWS &&
         from->sizes[dim] == m && is_alike_but(at, to, dim) && is_alike_but(at, from, dim) &&
         tocha_is_contiguous(to) && tocha_is_contiguous(at) && tocha_is_contiguous(from);
}

/* Adds `from` to the rows of `to` at the places `at`. */
static bool add_to_rows(tocha_context *cx, tocha_tensor *to, int64_t dim, tocha_tensor *at,
                        tocha_tensor *from) {
  tocha_scatter_rows_args args = {.target = tocha_bytes(to),
                                  .index = tocha_bytes(at),
                                  .src = tocha_bytes(from),
                                  .rows = at->numel / at->sizes[dim],
                                  .n = to->sizes[dim],
                                  .m = at->sizes[dim],
                                  .dtype = to->dtype,
                                  .dim = (int32_t)dim,
                                  .op = "scatter_add",
                                  .wide = at->dtype == TOCHA_INT64};
  tocha_stream *s = tocha_stream_of(cx, to->device);
  return s && tocha_launched(cx, s->kernels->indexing->scatter_rows(s, &args));
}

/* Computes scatter_, or, if `adds`, scatter_add_. one: src is one number (0-dim, of self's dtype) for all. */
tocha_tensor *tocha_op_scatter_(tocha_context *cx, tocha_tensor *self, int64_t dim,
                                tocha_tensor *index, tocha_tensor *src, bool adds, bool one) {
  if (!tocha_wrap_dim(cx, &dim, self->ndim) || !check_scatter(cx, self, dim, index, src, one))
    return NULL;
  if (!tocha_check_no_overlap(cx, self) || !tocha_check_apart(cx, self, index) ||
      !tocha_check_apart(cx, self, src))
    return NULL;
  if (index->numel == 0) return self;
  tocha_tensor *to = at_least_1d(cx, self), *at = at_least_1d(cx, index);
  tocha_tensor *from = at_least_1d(cx, src);
  tocha_indexed x;
  if (!to || !at || !from || !index_elements(cx, adds ? "scatter_add" : "scatter", to, dim, at, &x))
    return NULL;
  if (from->storage == to->storage && !(from = tocha_copy_rows(cx, from))) return NULL;
  bool ok = !adds                           ? tocha_index_put_values(cx, &x, from)
            : takes_rows(to, dim, at, from) ? add_to_rows(cx, to, dim, at, from)
                                            : tocha_index_add_values(cx, &x, from, tocha_int(1));
  return ok ? self : NULL;
}

/* Checks the positions. A GPU's kernel only checks them while it writes, so it writes to a copy. */
bool tocha_check_scatter_index(tocha_context *cx, tocha_tensor *self, int64_t dim,
                               tocha_tensor *index, tocha_tensor *src) {
  tocha_indexed x;
  if (index->numel == 0) return true;
  if (tocha_is_on_device(self)) {
    tocha_tensor *kept = tocha_copy_rows(cx, self);
    return kept && tocha_op_scatter_(cx, kept, dim, index, src, false, false);
  }
  tocha_tensor *to = at_least_1d(cx, self), *at = at_least_1d(cx, index);
  return to && at && index_elements(cx, "scatter", to, dim, at, &x);
}

tocha_tensor *tocha_op_scatter__value(tocha_context *cx, tocha_tensor *self, int64_t dim,
                                      tocha_tensor *index, tocha_scalar value) {
  if (!tocha_check_fits(cx, value, self->dtype)) return NULL;
  tocha_tensor *src = tocha_new(cx, 0, NULL, self->dtype, self->device);
  if (!src || !tocha_fill_data(cx, src, value)) return NULL;
  return tocha_op_scatter_(cx, self, dim, index, src, false, true);
}

/* Computes scatter_ with reduce=, which PyTorch keeps for old programs. */
tocha_tensor *tocha_op_scatter_reduced(tocha_context *cx, tocha_tensor *self, int64_t dim,
                                       tocha_tensor *index, tocha_tensor *src, const char *reduce,
                                       bool one) {
  bool adds = strcmp(reduce, "add") == 0;
  if (!adds && strcmp(reduce, "multiply") != 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "reduce argument must be either add or multiply.");
  bool narrow =
      self->dtype == TOCHA_FLOAT16 || self->dtype == TOCHA_BFLOAT16; /* summed in float32 */
  if (adds && !narrow) return tocha_op_scatter_(cx, self, dim, index, src, true, one);
  tocha_tensor *kept = tocha_copy_rows(cx, self); /* for the checks of scatter, on a copy */
  if (!kept || !tocha_op_scatter_(cx, kept, dim, index, src, false, one)) return NULL;
  if (index->numel == 0 || !tocha_has_elements(self)) return self;
  if (one) src = tocha_expand(cx, src, index->ndim, index->sizes);
  const char *how = adds ? "sum" : "prod";
  tocha_tensor *out = src ? tocha_scatter_reduce_two(cx, self, dim, index, src, how) : NULL;
  return out && tocha_copy_data(cx, self, out) ? self : NULL;
}

tocha_tensor *tocha_op_scatter__value_reduce(tocha_context *cx, tocha_tensor *self, int64_t dim,
                                             tocha_tensor *index, tocha_scalar value,
                                             const char *reduce) {
  if (!tocha_check_fits(cx, value, self->dtype)) return NULL;
  tocha_tensor *src = tocha_new(cx, 0, NULL, self->dtype, self->device);
  if (!src || !tocha_fill_data(cx, src, value)) return NULL;
  return tocha_op_scatter_reduced(cx, self, dim, index, src, reduce, true);
}

tocha_tensor *tocha_op_gather_backward(tocha_context *cx, tocha_tensor *grad_output,
                                       int sizes_count, const int64_t *sizes, int64_t dim,
                                       tocha_tensor *index) {
  tocha_tensor *t = tocha_new(cx, sizes_count, sizes, grad_output->dtype, grad_output->device);
  if (!t || !tocha_fill_data(cx, t, tocha_int(0))) return NULL;
  return tocha_op_scatter_(cx, t, dim, index, grad_output, true, false);
}

tocha_tensor *tocha_op_take_along_dim(tocha_context *cx, tocha_tensor *self, tocha_tensor *indices,
                                      const int64_t *dim) {
  int64_t self_sizes[TOCHA_MAX_DIMS], index_sizes[TOCHA_MAX_DIMS];
  if (indices->dtype != TOCHA_INT64)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "torch.take_along_dim(): dtype of indices should be Long but got %s",
                      tocha_dtype_scalar_type(indices->dtype));
  if (!dim) {
    self = tocha_reshape(cx, self, 1, (const int64_t[]){-1});
    indices = tocha_reshape(cx, indices, 1, (const int64_t[]){-1});
    return self && indices ? tocha_gather(cx, self, 0, indices) : NULL;
  }
  int64_t d = *dim;
  if (self->ndim != indices->ndim)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "torch.take_along_dim(): input and indices should have the same number of "
                      "dimensions, but got %d dimensions for input, and %d dimensions for indices",
                      self->ndim, indices->ndim);
  int64_t size = 0;
  if (!tocha_wrap_dim(cx, &d, self->ndim)) return NULL;
  for (int i = self->ndim - 1; i >= 0; i--) {
    if (i != d && self->sizes[i] != indices->sizes[i] && self->sizes[i] != 1 &&
        indices->sizes[i] != 1)
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                        "The size of tensor a (%lld) must match the size of tensor b (%lld) at "
                        "non-singleton dimension %d",
                        (long long)self->sizes[i], (long long)indices->sizes[i], i);
    int64_t larger = self->sizes[i] == 1 ? indices->sizes[i] : self->sizes[i];
    self_sizes[i] = i == d ? self->sizes[i] : larger;
    index_sizes[i] = i == d ? indices->sizes[i] : larger;
  }
  self = tocha_expand(cx, self, self->ndim, self_sizes);
  indices = tocha_expand(cx, indices, indices->ndim, index_sizes);
  if (!self || !indices || !tocha_size_of(cx, self, (int)d, &size)) return NULL;
  indices =
      tocha_remainder_scalar(cx, indices, tocha_int(size)); /* indices are taken modulo the size */
  return indices ? tocha_gather(cx, self, d, indices) : NULL;
}

/* Returns zeros (..., num_classes) with 1 at the class of each element. */
static tocha_tensor *write_ones(tocha_context *cx, tocha_tensor *classes, int64_t num_classes) {
  int64_t sizes[TOCHA_MAX_DIMS];
  if (classes->ndim == TOCHA_MAX_DIMS)
    return tocha_tensor_header(cx, classes->ndim + 1, TOCHA_INT64, classes->device);
  memcpy(sizes, classes->sizes, classes->ndim * sizeof *sizes);
  sizes[classes->ndim] = num_classes;
  tocha_tensor *out = tocha_new(cx, classes->ndim + 1, sizes, TOCHA_INT64, classes->device);
  if (!out || !tocha_fill_data(cx, out, tocha_int(0))) return NULL;
  tocha_tensor *column = tocha_unsqueeze(cx, classes, -1);
  return column && tocha_scatter_value_(cx, out, -1, column, tocha_int(1)) ? out : NULL;
}

tocha_tensor *tocha_op_one_hot(tocha_context *cx, tocha_tensor *self, int64_t num_classes) {
  int64_t minimum = 0, maximum = -1, bad;
  if (self->dtype != TOCHA_INT64)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "one_hot is only applicable to index tensor of type LongTensor.");
  if (self->numel == 0 && num_classes <= 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Can not infer total number of classes from empty tensor.");
  tocha_tensor *rows = tocha_as_rows(cx, self, TOCHA_NO_DTYPE);
  if (!rows) return NULL;
  bool known = num_classes != -1 && tocha_check_index(cx, rows, num_classes, false, &bad);
  if (tocha_failed(cx) || (!known && !tocha_integer_range(cx, rows, &minimum, &maximum)))
    return NULL;
  if (minimum < 0) return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Class values must be non-negative.");
  if (num_classes == -1 && maximum == INT64_MAX)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "zeros: Dimension size must be non-negative.");
  if (num_classes == -1) num_classes = maximum + 1;
  if (maximum >= num_classes)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Class values must be smaller than num_classes.");
  return write_ones(cx, rows, num_classes);
}
