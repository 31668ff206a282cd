/* geometry.c: sizes and strides of tensors: views and memory layouts. */
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
      block = tocha_allocate(cx, 2 * (uint64_t)ndim * sizeof *block);
      if (!block) return false;
    }
    if (t->ndim > TOCHA_INLINE_DIMS)
      tocha_deallocate(cx, t->sizes, 2 * (uint64_t)t->ndim * sizeof *t->sizes);
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

/* Groups the old dimensions into runs that are dense inside; each run must be a product of new
 * sizes. */
bool tocha_view_strides(const tocha_tensor *t, int ndim, const int64_t *sizes, int64_t *strides) {
  if (t->numel == 0) {
    if (t->ndim == ndim && memcmp(t->sizes, sizes, (size_t)ndim * sizeof *sizes) == 0)
      memcpy(strides, t->strides, (size_t)ndim * sizeof *strides);
    else
      tocha_row_major_strides(ndim, sizes, strides);
    return true;
  }
  int at = ndim - 1;
  int64_t group = 1, covered = 1;
  int64_t inner = t->ndim ? t->strides[t->ndim - 1] : 1;
  for (int d = t->ndim - 1; d >= 0; d--) {
    group *= t->sizes[d];
    bool ends = d == 0 || (t->sizes[d - 1] != 1 && t->strides[d - 1] != group * inner);
    if (!ends) continue;
    while (at >= 0 && (covered < group || sizes[at] == 1)) {
      strides[at] = covered * inner;
      covered *= sizes[at];
      at--;
    }
    if (covered != group) return false;
    if (d > 0) {
      inner = t->strides[d - 1];
      group = covered = 1;
    }
  }
  for (; at >= 0; at--) strides[at] = covered * inner; /* only ones are left (0-dim tensors) */
  return true;
}

/* Returns the last dimension of `size` that self cannot be expanded to, or -1 if it fits. */
static int misfit(const tocha_tensor *self, int count, const int64_t *size) {
  for (int i = self->ndim - 1; i >= 0; i--) {
    int at = i + count - self->ndim;
    if (self->sizes[i] != 1 && self->sizes[i] != size[at] && size[at] != -1) return at;
  }
  return -1;
}

bool tocha_check_expand(tocha_context *cx, const tocha_tensor *self, int count,
                        const int64_t *size) {
  char own[256], target[256], type[32];
  int at = count < self->ndim ? count : misfit(self, count, size);
  if (at < 0) return true;
  tocha_shape_text(self->ndim, self->sizes, own, sizeof own);
  tocha_shape_text(count, size, target, sizeof target);
  if (count < self->ndim)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "expand(%s{%s}, size=%s): the number of sizes provided (%d) must be greater or "
               "equal to the number of dimensions in the tensor (%d)",
               tocha_type_text(self, type), own, target, count, self->ndim);
  else
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "The expanded size of the tensor (%lld) must match the existing size (%lld) at "
               "non-singleton dimension %d.  Target sizes: %s.  Tensor sizes: %s",
               (long long)size[at], (long long)self->sizes[at - count + self->ndim], at, target,
               own);
  return false;
}

void tocha_channels_last_strides(int ndim, const int64_t *sizes, int64_t *strides) {
  strides[1] = 1;
  int64_t step = sizes[1];
  for (int d = ndim - 1; d > 1; d--) {
    strides[d] = step;
    step = tocha_wrapping_product(step, sizes[d]);
  }
  strides[0] = step;
}

bool tocha_has_channels_last_strides(const tocha_tensor *t) {
  int64_t strides[TOCHA_MAX_DIMS];
  tocha_channels_last_strides(t->ndim, t->sizes, strides);
  for (int d = 0; d < t->ndim; d++)
    if (t->sizes[d] != 1 && t->strides[d] != strides[d]) return false;
  return true;
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
