/* gather.c: one index per element, along one dimension: gather, scatter_, scatter_add_. */
#include <string.h>

#include "tensor/convert.h"
#include "device/devices.h"
#include "ops/indexing/kernels.h"
#include "tensor/copy.h"
#include "ops/indexing/index_device.h"
#include "ops/sorting/sort_device.h"
#include "tensor/iterator.h"
#include "indexing/implementations.h"
#include "tocha/ops/clone.h"
#include "tocha/ops/expand.h"
#include "tocha/ops/gather.h"
#include "tocha/ops/index_add_.h"
#include "tocha/ops/reshape.h"
#include "tocha/ops/scatter_.h"
#include "tocha/ops/scatter_add_.h"
#include "tocha/ops/unsqueeze.h"

/* Lines along dim: for each element of index, the element of `indexed` at that index meets the
 * element of `other` at the same position. */
typedef struct line_args {
  const tocha_tensor *index;           /* dense int64 */
  const tocha_tensor *indexed, *other; /* other: NULL where `value` is for all */
  const char *value;
  int64_t dim, length, indexed_step, other_step, index_step; /* elements */
  enum { GATHER, SCATTER, SCATTER_ADD } action;
  int64_t item;
} line_args;

static int64_t stride_of(const tocha_tensor *t, int64_t dim) {
  return t->ndim ? t->strides[dim] : 0;
}

static void copy_item(char *to, const char *from, int64_t item) {
  if (item == 4)
    memcpy(to, from, 4);
  else if (item == 8)
    memcpy(to, from, 8);
  else
    memcpy(to, from, (size_t)item);
}

static void lines(void *user, int64_t begin, int64_t end) {
  const line_args *j = user;
  for (int64_t line = begin; line < end; line++) {
    int64_t rest = line, at = 0, own = 0, other = 0;
    for (int d = j->index->ndim - 1; d >= 0; d--) {
      if (d == j->dim) continue;
      int64_t position = rest % j->index->sizes[d];
      rest /= j->index->sizes[d];
      at += position * j->index->strides[d];
      own += position * j->indexed->strides[d];
      if (j->other) other += position * j->other->strides[d];
    }
    const int64_t *index = (const int64_t *)(void *)tocha_bytes(j->index) + at;
    char *base = tocha_bytes(j->indexed) + own * j->item;
    char *pair = j->other ? tocha_bytes(j->other) + other * j->item : NULL;
    for (int64_t i = 0; i < j->length; i++) {
      char *element = base + index[i * j->index_step] * j->indexed_step * j->item;
      char *partner = pair + (pair ? i * j->other_step * j->item : 0);
      if (j->action == GATHER)
        copy_item(partner, element, j->item);
      else if (j->action == SCATTER)
        copy_item(element, pair ? partner : j->value, j->item);
      else
        tocha_add_elements((tocha_dtype)j->indexed->dtype, element, 0, partner, 0, 1, 1);
    }
  }
}

/* index as dense int64, each entry checked against `size`. */
static tocha_tensor *checked_index(tocha_context *cx, tocha_tensor *index, int64_t dim,
                                   int64_t size) {
  tocha_tensor *dense = tocha_as_rows(cx, index, TOCHA_INT64);
  if (!dense || dense->numel == 0 || !dense->storage->data) return dense;
  const int64_t *at = (const int64_t *)(void *)tocha_bytes(dense);
  for (int64_t i = 0; i < dense->numel; i++)
    if (at[i] < 0 || at[i] >= size)
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                        "index %lld is out of bounds for dimension %lld with size %lld",
                        (long long)at[i], (long long)dim, (long long)size);
  return dense;
}

static bool run_lines(tocha_context *cx, line_args *j) {
  if (j->index->numel == 0 || j->index->device.type == TOCHA_META) return true;
  j->length = j->index->ndim ? j->index->sizes[j->dim] : 1;
  j->index_step = stride_of(j->index, j->dim);
  j->indexed_step = stride_of(j->indexed, j->dim);
  j->other_step = j->other ? stride_of(j->other, j->dim) : 0;
  j->item = (int64_t)tocha_dtype_size(j->indexed->dtype);
  int64_t count = j->index->numel / j->length;
  if (j->action != GATHER) { /* in order: the last write of a place wins */
    lines(j, 0, count);
    return !tocha_interrupted(cx);
  }
  return tocha_parallel_for(cx, count, TOCHA_GRAIN / j->length + 1, lines, j);
}

/* The same by a kernel, which checks the index as it goes. other: gathered, or scattered. */
static bool lines_on_device(tocha_context *cx, const char *name, const line_args *j,
                            tocha_tensor *other) {
  int64_t own[TOCHA_MAX_DIMS], strides[TOCHA_MAX_DIMS] = {0};
  tocha_tensor *index = tocha_shallow(cx, j->index);
  if (!index) return false;
  int n = index->ndim;
  for (int d = 0; d < n; d++) {
    own[d] = d == j->dim ? 0 : j->indexed->strides[d];
    strides[d] = other->ndim ? other->strides[d] : 0;
  }
  tocha_pick p = {.op = name, .axes = 1, .index = {index}};
  p.axis[0] =
      (tocha_index_axis){j->indexed->sizes[j->dim], j->indexed->strides[j->dim], (int32_t)j->dim};
  p.indexed = tocha_alias(cx, j->indexed, n, index->sizes, own, j->indexed->offset);
  p.picked = tocha_alias(cx, other, n, index->sizes, strides, other->offset);
  if (!p.indexed || !p.picked) return false;
  if (j->action == SCATTER_ADD) return tocha_pick_add(cx, &p, tocha_int(1));
  return tocha_pick_move(cx, &p, j->action == SCATTER);
}

static bool check_index(tocha_context *cx, const char *name, const char *of,
                        const tocha_tensor *self, int64_t *dim, const tocha_tensor *index) {
  if (!tocha_wrap_dim(cx, dim, self->ndim)) return false;
  if (index->dtype != TOCHA_INT64 && index->dtype != TOCHA_INT32)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s(): Expected dtype int32/int64 for index", name);
  if (index->numel == 0) return true;
  if ((index->ndim ? index->ndim : 1) != (self->ndim ? self->ndim : 1))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Index tensor must have the same number of dimensions as %s tensor", of);
  return true;
}

/* A 0-dim tensor as one of shape [1]. */
static tocha_tensor *at_least_1d(tocha_context *cx, tocha_tensor *t) {
  int64_t one = 1;
  return t->ndim ? t : tocha_alias(cx, t, 1, &one, &one, t->offset);
}

tocha_tensor *tocha_op_gather(tocha_context *cx, tocha_tensor *self, int64_t dim,
                              tocha_tensor *index, bool sparse_grad) {
  char a[256], b[256];
  (void)sparse_grad;
  if (!check_index(cx, "gather", "input", self, &dim, index)) return NULL;
  tocha_tensor *out =
      tocha_new(cx, index->ndim, index->sizes, (tocha_dtype)self->dtype, self->device);
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
  if (tocha_is_on_device(self)) {
    line_args args = {.index = at, .indexed = from, .dim = dim, .action = GATHER};
    return lines_on_device(cx, "gather", &args, to) ? out : NULL;
  }
  at = checked_index(cx, at, dim, from->sizes[dim]);
  if (!at) return NULL;
  line_args args = {.index = at, .indexed = from, .other = to, .dim = dim, .action = GATHER};
  return run_lines(cx, &args) ? out : NULL;
}

/* scatter_ and scatter_add_; src NULL: value, an element of self's type, is written. */
static tocha_tensor *scatter(tocha_context *cx, const char *name, tocha_tensor *self, int64_t dim,
                             tocha_tensor *index, tocha_tensor *src, const char *value, bool adds) {
  char a[256], b[256], c[256];
  if (!check_index(cx, name, "self", self, &dim, index)) return NULL;
  if (src && src->dtype != self->dtype)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s(): Expected self.dtype to be equal to src.dtype",
                      name);
  if (!tocha_check_no_overlap(cx, self)) return NULL;
  if (index->numel == 0) return self;
  if (src && (src->ndim ? src->ndim : 1) != (index->ndim ? index->ndim : 1))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Index tensor must have the same number of dimensions as src tensor");
  tocha_tensor *to = at_least_1d(cx, self), *at = at_least_1d(cx, index);
  tocha_tensor *from = src ? at_least_1d(cx, src) : NULL;
  if (!to || !at || (src && !from)) return NULL;
  for (int d = 0; d < at->ndim; d++) {
    if ((d == dim || at->sizes[d] <= to->sizes[d]) && (!from || at->sizes[d] <= from->sizes[d]))
      continue;
    tocha_shape_text(index->ndim, index->sizes, a, sizeof a);
    tocha_shape_text(self->ndim, self->sizes, b, sizeof b);
    if (!src)
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                        "Expected index %s to be no larger than self %s apart from dimension %lld",
                        a, b, (long long)dim);
    return tocha_fail(
        cx, TOCHA_RUNTIME_ERROR,
        "Expected index %s to be no larger than self %s apart from dimension %lld and "
        "to be no larger size than src %s",
        a, b, (long long)dim, tocha_shape_text(src->ndim, src->sizes, c, sizeof c));
  }
  if (tocha_is_on_device(self)) {
    line_args args = {
        .index = at, .indexed = to, .dim = dim, .action = adds ? SCATTER_ADD : SCATTER};
    if (!from) {
      from = tocha_new(cx, 0, NULL, (tocha_dtype)self->dtype, self->device);
      tocha_scalar number = tocha_load_scalar(value, (tocha_dtype)self->dtype);
      if (!from || !tocha_fill_data(cx, from, number)) return NULL;
    }
    return lines_on_device(cx, name, &args, from) ? self : NULL;
  }
  at = checked_index(cx, at, dim, to->sizes[dim]);
  if (!at) return NULL;
  line_args args = {.index = at,
                    .indexed = to,
                    .other = from,
                    .value = value,
                    .dim = dim,
                    .action = adds ? SCATTER_ADD : SCATTER};
  return run_lines(cx, &args) ? self : NULL;
}

tocha_tensor *tocha_op_scatter_(tocha_context *cx, tocha_tensor *self, int64_t dim,
                                tocha_tensor *index, tocha_tensor *src) {
  return scatter(cx, "scatter", self, dim, index, src, NULL, false);
}

tocha_tensor *tocha_op_scatter__value(tocha_context *cx, tocha_tensor *self, int64_t dim,
                                      tocha_tensor *index, tocha_scalar value) {
  int64_t element = 0;
  if (!tocha_check_fits(cx, value, (tocha_dtype)self->dtype)) return NULL;
  tocha_store_scalar(&element, (tocha_dtype)self->dtype, value);
  return scatter(cx, "scatter", self, dim, index, NULL, (const char *)&element, false);
}

tocha_tensor *tocha_op_scatter_add_(tocha_context *cx, tocha_tensor *self, int64_t dim,
                                    tocha_tensor *index, tocha_tensor *src) {
  return scatter(cx, "scatter_add", self, dim, index, src, NULL, true);
}

tocha_tensor *tocha_op_scatter(tocha_context *cx, tocha_tensor *self, int64_t dim,
                               tocha_tensor *index, tocha_tensor *src) {
  tocha_tensor *copy = tocha_clone(cx, self);
  return copy ? tocha_scatter_(cx, copy, dim, index, src) : NULL;
}

tocha_tensor *tocha_op_scatter_value(tocha_context *cx, tocha_tensor *self, int64_t dim,
                                     tocha_tensor *index, tocha_scalar value) {
  tocha_tensor *copy = tocha_clone(cx, self);
  return copy ? tocha_scatter__value(cx, copy, dim, index, value) : NULL;
}

tocha_tensor *tocha_op_scatter_add(tocha_context *cx, tocha_tensor *self, int64_t dim,
                                   tocha_tensor *index, tocha_tensor *src) {
  tocha_tensor *copy = tocha_clone(cx, self);
  return copy ? tocha_scatter_add_(cx, copy, dim, index, src) : NULL;
}

tocha_tensor *tocha_op_gather_backward(tocha_context *cx, tocha_tensor *grad_output,
                                       int sizes_count, const int64_t *sizes, int64_t dim,
                                       tocha_tensor *index) {
  tocha_tensor *t =
      tocha_new(cx, sizes_count, sizes, (tocha_dtype)grad_output->dtype, grad_output->device);
  if (!t || !tocha_fill_data(cx, t, tocha_int(0))) return NULL;
  return scatter(cx, "scatter_add", t, dim, index, grad_output, NULL, true);
}

tocha_tensor *tocha_op_take_along_dim(tocha_context *cx, tocha_tensor *self, tocha_tensor *indices,
                                      const int64_t *dim) {
  int64_t self_sizes[TOCHA_MAX_DIMS], index_sizes[TOCHA_MAX_DIMS];
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
  if (!tocha_wrap_dim(cx, &d, self->ndim)) return NULL;
  for (int i = 0; i < self->ndim; i++) {
    int64_t larger = self->sizes[i] == 1 ? indices->sizes[i] : self->sizes[i];
    self_sizes[i] = i == d ? self->sizes[i] : larger;
    index_sizes[i] = i == d ? indices->sizes[i] : larger;
  }
  self = tocha_expand(cx, self, self->ndim, self_sizes);
  indices = tocha_expand(cx, indices, indices->ndim, index_sizes);
  return self && indices ? tocha_gather(cx, self, d, indices) : NULL;
}

/* one_hot: a new last dimension, 1 at the class. */
static tocha_tensor *write_ones(tocha_context *cx, tocha_tensor *classes, int64_t num_classes) {
  int64_t sizes[TOCHA_MAX_DIMS];
  if (classes->ndim == TOCHA_MAX_DIMS)
    return tocha_tensor_header(cx, classes->ndim + 1, TOCHA_INT64, classes->device);
  memcpy(sizes, classes->sizes, classes->ndim * sizeof *sizes);
  sizes[classes->ndim] = num_classes;
  tocha_tensor *out = tocha_new(cx, classes->ndim + 1, sizes, TOCHA_INT64, classes->device);
  if (!out || !tocha_fill_data(cx, out, tocha_int(0))) return NULL;
  tocha_tensor *column = tocha_unsqueeze(cx, classes, -1);
  return column && tocha_scatter__value(cx, out, -1, column, tocha_int(1)) ? out : NULL;
}

tocha_tensor *tocha_op_one_hot(tocha_context *cx, tocha_tensor *self, int64_t num_classes) {
  int64_t least = 0, most = -1;
  if (self->dtype != TOCHA_INT64)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "one_hot is only applicable to index tensor of type LongTensor.");
  if (self->numel == 0 && num_classes <= 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Can not infer total number of classes from empty tensor.");
  tocha_tensor *dense = tocha_as_rows(cx, self, TOCHA_NO_DTYPE);
  if (!dense) return NULL;
  if (tocha_is_on_device(self)) { /* classes that were given are checked by the kernel */
    if (num_classes == -1 && !tocha_integer_range(cx, dense, &least, &most)) return NULL;
  } else if (dense->numel && dense->storage->data) {
    const int64_t *at = (const int64_t *)(void *)tocha_bytes(dense);
    for (int64_t i = 0; i < dense->numel; i++) {
      if (at[i] < least) least = at[i];
      if (at[i] > most) most = at[i];
    }
  }
  if (least < 0) return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Class values must be non-negative.");
  if (num_classes == -1) num_classes = most + 1;
  if (most >= num_classes)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Class values must be smaller than num_classes.");
  return write_ones(cx, dense, num_classes);
}
