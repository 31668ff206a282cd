/* output.c: the strides of new tensors, by PyTorch's rules for results and copies. Programs can
 * see all strides, even those of empty tensors and of dimensions of size 1. */
#include "tensor/output.h"

#include <string.h>

#include "tensor/geometry.h"
#include "tensor/iterator.h"

/* Computes the strides of dense elements whose dimensions are nested as `order` says, innermost
 * first. A size of 0 counts as `empty`. */
static void pack(int ndim, const int64_t *sizes, const int *order, int64_t empty,
                 int64_t *strides) {
  int64_t stride = 1;
  for (int i = 0; i < ndim; i++) {
    int64_t size = sizes[order[i]];
    strides[order[i]] = stride;
    stride = tocha_wrapping_product(stride, size ? size : empty);
  }
}

/* --- copies ---------------------------------------------------------------------------------- */

void tocha_copy_strides(const tocha_tensor *like, int64_t *strides) {
  int64_t own[TOCHA_MAX_DIMS][TOCHA_MAX_OPERANDS];
  int order[TOCHA_MAX_DIMS];
  if (tocha_is_dense(like)) {
    memcpy(strides, like->strides, like->ndim * sizeof *strides);
    return;
  }
  for (int i = 0; i < like->ndim; i++) own[i][0] = like->strides[i];
  tocha_order_dimensions((const int64_t(*)[TOCHA_MAX_OPERANDS])own, like->sizes, like->ndim, 1,
                         order);
  pack(like->ndim, like->sizes, order, 1, strides);
}

tocha_tensor *tocha_new_copy_of(tocha_context *cx, const tocha_tensor *like, tocha_dtype dtype,
                                tocha_device device) {
  int64_t strides[TOCHA_MAX_DIMS];
  tocha_copy_strides(like, strides);
  return tocha_new_strided(cx, like->ndim, like->sizes, strides, dtype, device);
}

/* --- results --------------------------------------------------------------------------------- */

/* The properties that operands of one shape have in common. */
typedef struct common_layout {
  bool row_major, channels_last, dense, one_layout;
} common_layout;

static bool is_channels_last(const tocha_tensor *t) {
  return t->ndim == 4 && tocha_has_channels_last_strides(t);
}

static bool same_strides(const tocha_tensor *a, const tocha_tensor *b) {
  return memcmp(a->strides, b->strides, a->ndim * sizeof *a->strides) == 0;
}

static common_layout layout_of_all(int count, tocha_tensor *const *tensors) {
  common_layout all = {true, true, true, true};
  for (int k = 0; k < count; k++) {
    const tocha_tensor *t = tensors[k];
    all.row_major = all.row_major && tocha_is_contiguous(t);
    all.channels_last = all.channels_last && is_channels_last(t);
    all.dense = all.dense && tocha_is_dense(t);
    all.one_layout = all.one_layout && same_strides(t, tensors[0]);
  }
  return all;
}

/* Returns true if all are tensors of this shape. */
static bool is_uniform(int ndim, const int64_t *sizes, int count, tocha_tensor *const *tensors) {
  for (int k = 0; k < count; k++)
    if (!tensors[k] || tensors[k]->ndim != ndim ||
        memcmp(tensors[k]->sizes, sizes, (size_t)ndim * sizeof *sizes) != 0)
      return false;
  return count > 0;
}

/* Computes the strides of the result if shapes or layouts differ: its dimensions are ordered by
 * the operands' strides. A dimension that an operand repeats does not count; one that is of size
 * 1 in the result does. */
static void sorted_strides(int ndim, const int64_t *sizes, int count, tocha_tensor *const *tensors,
                           int64_t *strides) {
  int64_t own[TOCHA_MAX_DIMS][TOCHA_MAX_OPERANDS];
  int order[TOCHA_MAX_DIMS], operands = 0;
  bool row_major = true;
  for (int k = 0; k < count; k++) {
    const tocha_tensor *t = tensors[k];
    if (!t) continue;
    for (int i = 0; i < ndim; i++) {
      int at = i - (ndim - t->ndim);
      bool repeats = at < 0 || (t->sizes[at] == 1 && sizes[i] != 1);
      own[i][operands] = repeats ? 0 : t->strides[at];
    }
    operands++;
  }
  tocha_order_dimensions((const int64_t(*)[TOCHA_MAX_OPERANDS])own, sizes, ndim, operands, order);
  for (int i = 0; i < ndim; i++) row_major = row_major && order[i] == ndim - 1 - i;
  if (row_major)
    tocha_row_major_strides(ndim, sizes, strides);
  else
    pack(ndim, sizes, order, 0, strides);
}

void tocha_output_strides(int ndim, const int64_t *sizes, int count, tocha_tensor *const *tensors,
                          int64_t *strides) {
  if (is_uniform(ndim, sizes, count, tensors)) {
    common_layout all = layout_of_all(count, tensors);
    if (all.row_major) {
      tocha_row_major_strides(ndim, sizes, strides);
      return;
    }
    if (all.channels_last) {
      tocha_channels_last_strides(ndim, sizes, strides);
      return;
    }
    if (all.dense && all.one_layout) {
      memcpy(strides, tensors[0]->strides, (size_t)ndim * sizeof *strides);
      return;
    }
  }
  sorted_strides(ndim, sizes, count, tensors, strides);
}

tocha_tensor *tocha_new_output(tocha_context *cx, int ndim, const int64_t *sizes, tocha_dtype dtype,
                               tocha_device device, int count, tocha_tensor *const *tensors) {
  int64_t strides[TOCHA_MAX_DIMS];
  tocha_output_strides(ndim, sizes, count, tensors, strides);
  return tocha_new_strided(cx, ndim, sizes, strides, dtype, device);
}
