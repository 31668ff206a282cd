/* geometry.c: sizes and strides of tensors: views, and how their memory lies. */
#include "tensor/geometry.h"

#include <string.h>

bool tocha_set_geometry(tocha_context *cx, tocha_tensor *t, int ndim, const int64_t *sizes,
                        const int64_t *strides, int64_t offset) {
  int64_t new_sizes[TOCHA_MAX_DIMS], new_strides[TOCHA_MAX_DIMS]; /* sizes may be t's own */
  for (int i = 0; i < ndim; i++) {
    new_sizes[i] = sizes[i];
    new_strides[i] = strides[i];
  }
  if (ndim != t->ndim) {
    int64_t *block = NULL;
    if (ndim > TOCHA_INLINE_DIMS) {
      block = tocha_allocate(cx, 2 * (size_t)ndim * sizeof *block);
      if (!block) return false;
    }
    if (t->ndim > TOCHA_INLINE_DIMS)
      tocha_deallocate(cx, t->sizes, 2 * (size_t)t->ndim * sizeof *t->sizes);
    t->ndim = (uint8_t)ndim;
    t->sizes = block ? block : t->dims;
    t->strides = block ? block + ndim : t->dims + TOCHA_INLINE_DIMS;
  }
  memcpy(t->sizes, new_sizes, (size_t)ndim * sizeof *sizes);
  memcpy(t->strides, new_strides, (size_t)ndim * sizeof *strides);
  t->offset = offset;
  t->flags |= TOCHA_FLAG_CHANGED_LOOK;
  tocha_tensor_finish(t);
  return true;
}

tocha_tensor *tocha_with_dim_moved(tocha_context *cx, const tocha_tensor *self, int from, int to) {
  int64_t sizes[TOCHA_MAX_DIMS], strides[TOCHA_MAX_DIMS];
  for (int i = 0, rest = 0; i < self->ndim; i++) {
    if (rest == from) rest++;
    int source = i == to ? from : rest++;
    sizes[i] = self->sizes[source];
    strides[i] = self->strides[source];
  }
  return tocha_alias(cx, self, self->ndim, sizes, strides, self->offset);
}

bool tocha_is_dense(const tocha_tensor *t) {
  int64_t expected = 1;
  if (tocha_is_contiguous(t)) return true;
  for (int placed = 0; placed < t->ndim; placed++) {
    int found = -1;
    for (int i = 0; i < t->ndim && found < 0; i++)
      if (t->sizes[i] != 1 && t->strides[i] == expected) found = i;
    if (found < 0) break;
    expected *= t->sizes[found];
  }
  return expected == t->numel;
}

void tocha_channels_last_strides(const int64_t *sizes, int64_t *strides) {
  strides[1] = 1;
  strides[3] = sizes[1];
  strides[2] = tocha_wrapping_product(strides[3], sizes[3]);
  strides[0] = tocha_wrapping_product(strides[2], sizes[2]);
}

tocha_rows tocha_rows_around(const tocha_tensor *t, int64_t dim) {
  tocha_rows r = {1, 1, 1};
  for (int i = 0; i < t->ndim; i++) {
    if (i < dim) r.outer *= t->sizes[i];
    if (i == dim) r.n = t->sizes[i];
    if (i > dim) r.inner *= t->sizes[i];
  }
  return r;
}

bool tocha_fits_int(tocha_context *cx, int count, const int64_t *values) {
  for (int i = 0; i < count; i++) {
    if (values[i] >= INT32_MIN && values[i] <= INT32_MAX) continue;
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "value cannot be converted to type int without overflow");
    return false;
  }
  return true;
}
