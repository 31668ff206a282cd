/* indexed.c: describes subscripts by tensors: checks devices, masks, dtypes, shapes and bounds. */
#include <string.h>

#include "device/devices.h"
#include "ops/indexing/index.h"
#include "ops/indexing/nonzero.h"
#include "tensor/copy.h"
#include "tensor/iterator.h"
#include "tensor/transfer.h"
#include "tocha/ops/unsqueeze.h"

bool tocha_place_indices(tocha_context *cx, const tocha_tensor *self, int count,
                         tocha_tensor *const *indices, tocha_tensor **moved) {
  char text[24];
  const tocha_tensor *absent = self->flags & TOCHA_FLAGS_WITHOUT_DATA ? self : NULL;
  for (int i = 0; i < count && !absent; i++)
    if (indices[i] && indices[i]->flags & TOCHA_FLAGS_WITHOUT_DATA) absent = indices[i];
  if (absent)
    return tocha_refuse_without_data(
        cx, absent, "<slot wrapper '__getitem__' of 'torch._C.TensorBase' objects>");
  if (count > TOCHA_MAX_DIMS) {
    tocha_fail(cx, TOCHA_INDEX_ERROR, "too many indices for tensor of dimension %d", self->ndim);
    return false;
  }
  for (int i = 0; i < count; i++) {
    tocha_tensor *t = moved[i] = indices[i];
    if (!t || self->device.type == TOCHA_META || tocha_device_equal(t->device, self->device))
      continue;
    if (t->device.type != TOCHA_CPU) {
      tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                 "indices should be either on cpu or on the same device as the indexed tensor (%s)",
                 tocha_device_text(self->device, text));
      tocha_hint(cx, "move them: indices:to(\"%s\")", text);
      return false;
    }
    moved[i] = tocha_as(cx, t, TOCHA_NO_DTYPE, self->device, TOCHA_CONTIGUOUS_FORMAT);
    if (!moved[i]) return false;
  }
  return true;
}

static bool is_mask(const tocha_tensor *t) {
  return t && (t->dtype == TOCHA_BOOL || t->dtype == TOCHA_UINT8);
}

/* Fails unless mask t has the sizes of self's dimensions from `at` on. */
static bool check_mask(tocha_context *cx, const tocha_tensor *self, const tocha_tensor *t, int at) {
  char a[256], b[256];
  if (at + t->ndim > self->ndim) {
    tocha_fail(cx, TOCHA_INDEX_ERROR, "too many indices for tensor of dimension %d", self->ndim);
    return false;
  }
  for (int d = 0; d < t->ndim; d++) {
    if (t->sizes[d] == self->sizes[at + d]) continue;
    tocha_fail(cx, TOCHA_INDEX_ERROR,
               "The shape of the mask %s at index %d does not match the shape of the indexed "
               "tensor %s at index %d",
               tocha_shape_text(t->ndim, t->sizes, a, sizeof a), d,
               tocha_shape_text(self->ndim, self->sizes, b, sizeof b), at + d);
    return false;
  }
  return true;
}

bool tocha_only_mask(tocha_context *cx, const tocha_tensor *self, int count,
                     tocha_tensor *const *indices, tocha_tensor **mask) {
  int at = 0;
  tocha_tensor *found = NULL;
  for (int i = 0; i < count; i++) {
    if (indices[i] &&
        (found || !is_mask(indices[i]) || !tocha_device_equal(indices[i]->device, self->device)))
      return true;
    if (indices[i]) found = indices[i];
    if (!found) at++;
  }
  if (!found) return true;
  if (!check_mask(cx, self, found, at)) return false;
  for (int d = at + found->ndim; found && d < self->ndim; d++)
    found = tocha_unsqueeze(cx, found, -1);
  *mask = found;
  return found != NULL;
}

/* Replaces masks in indices by the coordinates of their true elements. *total: the number of entries. */
static bool expand_masks(tocha_context *cx, tocha_tensor *self, int count,
                         tocha_tensor *const *indices, tocha_tensor **expanded, int *total) {
  int n = 0;
  for (int i = 0; i < count; i++) {
    tocha_tensor *t = indices[i];
    int covers = is_mask(t) ? t->ndim : 1;
    if (n + covers > self->ndim) {
      tocha_fail(cx, TOCHA_INDEX_ERROR, "too many indices for tensor of dimension %d", self->ndim);
      return false;
    }
    if (!is_mask(t)) {
      if (t && t->dtype != TOCHA_INT64 && t->dtype != TOCHA_INT32) {
        tocha_fail(cx, TOCHA_INDEX_ERROR,
                   "tensors used as indices must be long, int, byte or bool tensors");
        return false;
      }
      expanded[n++] = t;
      continue;
    }
    if (!check_mask(cx, self, t, n)) return false;
    tocha_tensor *coordinates = tocha_coordinates(cx, t);
    if (!coordinates) return false;
    int64_t length = coordinates->sizes[1], one = 1;
    for (int d = 0; d < covers; d++) {
      expanded[n] = tocha_alias(cx, coordinates, 1, &length, &one, d * length);
      if (!expanded[n++]) return false;
    }
  }
  *total = n;
  return true;
}

static bool broadcast_indices(tocha_context *cx, int total, tocha_tensor *const *indices, int *ndim,
                              int64_t *sizes) {
  char text[1024] = "", one[256];
  size_t used = 0;
  if (tocha_broadcast_sizes(cx, total, indices, ndim, sizes)) return true;
  tocha_clear_error(cx);
  for (int i = 0; i < total && used < sizeof text - 300; i++) {
    if (!indices[i]) continue;
    tocha_shape_text(indices[i]->ndim, indices[i]->sizes, one, sizeof one);
    size_t length = strlen(one);
    if (used) {
      memcpy(text + used, ", ", 3);
      used += 2;
    }
    memcpy(text + used, one, length + 1);
    used += length;
  }
  tocha_fail(cx, TOCHA_INDEX_ERROR,
             "shape mismatch: indexing tensors could not be broadcast together with shapes %s",
             text);
  return false;
}

/* --- selected elements -------------------------------------------------------------------------- */

/* Sets the dimensions of the result: those of self before `first`, those of the indices, and the rest of self's. indexed[d]:
 * dimension d of self is indexed. */
static void lay_out(tocha_indexed *x, tocha_tensor *self, const bool *indexed, int first,
                    int index_ndim, const int64_t *index_sizes) {
  int n = 0;
  x->self = self;
  for (int d = 0; d <= self->ndim; d++) {
    if (d == first) {
      for (int i = 0; i < index_ndim; i++, n++) {
        x->sizes[n] = index_sizes[i];
        x->strides[n] = 0;
      }
      x->index_end = n;
    }
    if (d == self->ndim || indexed[d]) continue;
    x->sizes[n] = self->sizes[d];
    x->strides[n++] = self->strides[d];
  }
  x->ndim = n;
}

bool tocha_index_tensors(tocha_context *cx, const char *op, tocha_tensor *self, int count,
                         tocha_tensor *const *indices, tocha_indexed *x) {
  tocha_tensor *expanded[TOCHA_MAX_DIMS] = {NULL}, *here[TOCHA_MAX_DIMS];
  bool indexed[TOCHA_MAX_DIMS] = {false}, adjacent = true;
  int total, ndim, first = -1, last = -1;
  int64_t sizes[TOCHA_MAX_DIMS];
  if (!tocha_place_indices(cx, self, count, indices, here) ||
      !expand_masks(cx, self, count, here, expanded, &total) ||
      !broadcast_indices(cx, total, expanded, &ndim, sizes))
    return false;
  x->op = op;
  x->wraps = true;
  x->axes = 0;
  for (int d = 0; d < total; d++) {
    if (!expanded[d]) continue;
    indexed[d] = true;
    if (first < 0) first = d;
    adjacent = adjacent && (last < 0 || last == d - 1);
    last = d;
    x->index[x->axes] = expanded[d];
    x->axis[x->axes] = (tocha_index_axis){self->sizes[d], self->strides[d], x->axes};
    x->axes++;
  }
  if (ndim + self->ndim - x->axes > TOCHA_MAX_DIMS)
    return tocha_tensor_header(cx, ndim + self->ndim - x->axes, TOCHA_INT64, tocha_cpu()) != NULL;
  lay_out(x, self, indexed, adjacent && first > 0 ? first : 0, ndim, sizes);
  for (int k = 0; k < x->axes; k++) {
    if (x->axis[k].size > 0 || !tocha_has_elements(x->index[k])) continue;
    tocha_fail(cx, TOCHA_INDEX_ERROR, "index is out of bounds for dimension with size 0");
    return false;
  }
  return true;
}

static bool fail_position(tocha_context *cx, const tocha_indexed *x, int k, int64_t bad) {
  tocha_fail(cx, TOCHA_INDEX_ERROR, "index %lld is out of bounds for dimension %d with size %lld",
             (long long)bad, k, (long long)x->axis[k].size);
  return false; /* k counts the indexed dimensions */
}

/* Reports an index out of range. `bad` of axis k is one; the error names the first one in row-major order, of any axis. */
static bool fail_first_position(tocha_context *cx, const tocha_indexed *x, int k, int64_t bad) {
  const int64_t *values[TOCHA_MAX_DIMS];
  const tocha_tensor *first = x->index[0];
  for (int i = 0; i < x->axes; i++) {
    tocha_tensor *rows = tocha_on_host(cx, x->index[i]);
    if (!tocha_same_sizes(x->index[i], first)) return fail_position(cx, x, k, bad);
    if (!rows || !(rows = tocha_as_rows(cx, rows, TOCHA_INT64))) return false;
    values[i] = (const int64_t *)(const void *)tocha_bytes(rows);
  }
  for (int64_t n = 0; n < first->numel; n++)
    for (int i = 0; i < x->axes; i++) {
      int64_t value = values[i][n], size = x->axis[i].size;
      if (value < -size || value >= size) return fail_position(cx, x, i, value);
    }
  return fail_position(cx, x, k, bad);
}

bool tocha_check_positions(tocha_context *cx, const tocha_indexed *x) {
  int64_t bad;
  if (tocha_indexed_is_empty(x)) return true; /* no index is checked then */
  for (int k = 0; k < x->axes; k++)
    if (!tocha_check_index(cx, x->index[k], x->axis[k].size, true, &bad))
      return !tocha_failed(cx) && fail_first_position(cx, x, k, bad);
  return true;
}

bool tocha_index_dimension(tocha_context *cx, const char *op, tocha_tensor *self, int64_t dim,
                           tocha_tensor *index, bool wraps, tocha_indexed *x, int64_t *bad) {
  bool indexed[TOCHA_MAX_DIMS];
  int64_t size = self->ndim ? self->sizes[dim] : 1, step = self->ndim ? self->strides[dim] : 0;
  for (int d = 0; d < self->ndim; d++) indexed[d] = d == dim;
  x->op = op;
  x->wraps = wraps;
  x->axes = 1;
  x->index[0] = index;
  x->axis[0] = (tocha_index_axis){size, step, (int32_t)dim};
  lay_out(x, self, indexed, (int)dim, 1, &index->numel);
  *bad = 0;
  return !tocha_has_elements(index) || (tocha_check_index(cx, index, size, wraps, bad) && size > 0);
}

void tocha_index_elements(const char *op, tocha_tensor *self, int64_t dim, tocha_tensor *index,
                          tocha_indexed *x) {
  x->op = op;
  x->self = self;
  x->wraps = false;
  x->ndim = x->index_end = index->ndim;
  for (int d = 0; d < index->ndim; d++) {
    x->sizes[d] = index->sizes[d];
    x->strides[d] = d == dim ? 0 : self->strides[d];
  }
  x->axes = 1;
  x->index[0] = index;
  x->axis[0] = (tocha_index_axis){self->sizes[dim], self->strides[dim], (int32_t)dim};
}
