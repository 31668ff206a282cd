/* strided.c: builds strided layouts, and launches kernels for tensors with more dimensions than
 * a layout has. */
#include "tensor/strided.h"
#include "device/devices.h"

void tocha_strided_layout_of(const tocha_iterator *it, tocha_tensor *const *tensors,
                             tocha_strided_layout *layout) {
  layout->ndim = it->ndim < TOCHA_LAYOUT_DIMS ? it->ndim : TOCHA_LAYOUT_DIMS;
  layout->operands = it->operands;
  layout->numel = 1;
  for (int d = 0; d < layout->ndim; d++) {
    layout->sizes[d] = it->sizes[d];
    layout->numel *= it->sizes[d];
    for (int k = 0; k < it->operands; k++) layout->strides[k][d] = it->strides[d][k];
  }
  for (int k = 0; k < it->operands; k++) {
    layout->data[k] = it->data[k];
    layout->dtype[k] = (int8_t)(tensors[k] ? tensors[k]->dtype : TOCHA_NO_DTYPE);
  }
}

bool tocha_plain_layout(tocha_strided_layout *layout, int count, tocha_tensor *const *tensors) {
  const tocha_tensor *t = tensors[0];
  layout->ndim = 0;
  layout->operands = count;
  layout->numel = t->numel;
  for (int d = t->ndim - 1; d >= 0; d--) {
    if (t->sizes[d] == 1) continue;
    if (layout->ndim == TOCHA_LAYOUT_DIMS) return false;
    layout->sizes[layout->ndim] = t->sizes[d];
    for (int k = 0; k < count; k++) {
      int own = d - (t->ndim - tensors[k]->ndim);
      bool repeats = own < 0 || tensors[k]->sizes[own] == 1;
      layout->strides[k][layout->ndim] =
          repeats ? 0 : tensors[k]->strides[own] * (int64_t)tocha_dtype_size(tensors[k]->dtype);
    }
    layout->ndim++;
  }
  for (int k = 0; k < count; k++) {
    layout->data[k] = tocha_bytes(tensors[k]);
    layout->dtype[k] = (int8_t)tensors[k]->dtype;
  }
  return true;
}

/* Launches once for each index of the dimensions that do not fit into the layout. */
static bool launch_beyond(tocha_context *cx, tocha_stream *s, const tocha_iterator *it,
                          tocha_strided_layout *layout, tocha_strided_launch *launch, void *user) {
  int64_t at[TOCHA_MAX_DIMS] = {0};
  for (;;) {
    if (!tocha_launched(cx, launch(s, layout, user))) return false;
    int d = TOCHA_LAYOUT_DIMS;
    for (; d < it->ndim; d++) {
      bool wraps = ++at[d] == it->sizes[d];
      int64_t steps = wraps ? 1 - it->sizes[d] : 1;
      for (int k = 0; k < it->operands; k++)
        if (layout->data[k]) layout->data[k] = (char *)layout->data[k] + steps * it->strides[d][k];
      if (!wraps) break;
      at[d] = 0;
    }
    if (d >= it->ndim) return true;
  }
}

/* Lays out operands as one run. Returns false unless each is row-major with `numel` elements, a
 * single element, or NULL. */
static bool lay_out_dense(int count, tocha_tensor *const *tensors, int64_t numel,
                          tocha_strided_layout *layout) {
  for (int k = 0; k < count; k++) {
    const tocha_tensor *t = tensors[k];
    if (!t) {
      layout->data[k] = NULL;
      layout->dtype[k] = TOCHA_NO_DTYPE;
      layout->strides[k][0] = 0;
      continue;
    }
    if (t->numel != 1 && (t->numel != numel || !(t->flags & TOCHA_FLAG_CONTIGUOUS))) return false;
    int64_t item = (int64_t)tocha_dtype_size(t->dtype);
    char *data = t->storage->data;
    layout->data[k] = data ? data + t->offset * item : NULL;
    layout->dtype[k] = (int8_t)t->dtype;
    layout->strides[k][0] = t->numel == 1 ? 0 : item;
  }
  layout->ndim = 1;
  layout->operands = count;
  layout->numel = layout->sizes[0] = numel;
  return true;
}

static bool launch_any(tocha_context *cx, tocha_stream *s, int ndim, const int64_t *sizes,
                       int count, tocha_tensor *const *tensors, tocha_strided_launch *launch,
                       void *user) {
  tocha_iterator it;
  tocha_strided_layout layout;
  tocha_iterator_begin(&it, cx, ndim, sizes, count, tensors);
  tocha_strided_layout_of(&it, tensors, &layout);
  if (it.ndim > TOCHA_LAYOUT_DIMS) return launch_beyond(cx, s, &it, &layout, launch, user);
  return tocha_launched(cx, launch(s, &layout, user));
}

bool tocha_launch_strided(tocha_context *cx, int ndim, const int64_t *sizes, int count,
                          tocha_tensor *const *tensors, tocha_strided_launch *launch, void *user) {
  tocha_strided_layout layout;
  tocha_stream *s = tocha_stream_of(cx, tensors[0]->device);
  int64_t numel = 1;
  if (!s) return false;
  for (int i = 0; i < ndim; i++) numel *= sizes[i];
  if (numel == 0) return true;
  if (!lay_out_dense(count, tensors, numel, &layout))
    return launch_any(cx, s, ndim, sizes, count, tensors, launch, user);
  return tocha_launched(cx, launch(s, &layout, user));
}

/* --- in order -------------------------------------------------------------------------------- */

/* Returns true if the next dimension, with these strides in bytes, continues the last one of the
 * layout. */
static bool continues(const tocha_strided_layout *l, const int64_t *strides) {
  int last = l->ndim - 1;
  for (int k = 0; k < l->operands; k++)
    if (strides[k] != l->strides[k][last] * l->sizes[last]) return false;
  return true;
}

/* Lays out at most TOCHA_LAYOUT_DIMS dimensions. */
static void lay_out_in_order(int ndim, const int64_t *sizes, int count,
                             const tocha_strided_operand *operands, tocha_strided_layout *l) {
  int64_t item[TOCHA_LAYOUT_OPERANDS], strides[TOCHA_LAYOUT_OPERANDS];
  l->ndim = 0;
  l->operands = count;
  l->numel = 1;
  for (int k = 0; k < count; k++) {
    l->data[k] = operands[k].data;
    l->dtype[k] = (int8_t)operands[k].dtype;
    item[k] = (int64_t)tocha_dtype_size(operands[k].dtype);
  }
  for (int d = ndim - 1; d >= 0; d--) {
    if (sizes[d] == 1) continue;
    l->numel *= sizes[d];
    for (int k = 0; k < count; k++) strides[k] = operands[k].strides[d] * item[k];
    if (l->ndim && continues(l, strides)) {
      l->sizes[l->ndim - 1] *= sizes[d];
      continue;
    }
    l->sizes[l->ndim] = sizes[d];
    for (int k = 0; k < count; k++) l->strides[k][l->ndim] = strides[k];
    l->ndim++;
  }
  if (l->ndim) return;
  l->ndim = 1;
  l->sizes[0] = 1;
  for (int k = 0; k < count; k++) l->strides[k][0] = 0;
}

/* Launches once for each index of the first dimension, for shapes with more dimensions than a
 * layout has. */
static bool launch_each(tocha_context *cx, tocha_device device, int ndim, const int64_t *sizes,
                        int count, const tocha_strided_operand *operands,
                        tocha_strided_launch *launch, void *user) {
  tocha_strided_operand inner[TOCHA_LAYOUT_OPERANDS];
  for (int64_t i = 0; i < sizes[0]; i++) {
    for (int k = 0; k < count; k++) {
      int64_t bytes = operands[k].strides[0] * (int64_t)tocha_dtype_size(operands[k].dtype);
      inner[k] = (tocha_strided_operand){(char *)operands[k].data + i * bytes,
                                         operands[k].strides + 1, operands[k].dtype};
    }
    if (!tocha_launch_in_order(cx, device, ndim - 1, sizes + 1, count, inner, launch, user))
      return false;
  }
  return true;
}

bool tocha_launch_in_order(tocha_context *cx, tocha_device device, int ndim, const int64_t *sizes,
                           int count, const tocha_strided_operand *operands,
                           tocha_strided_launch *launch, void *user) {
  tocha_strided_layout layout;
  for (int d = 0; d < ndim; d++)
    if (sizes[d] == 0) return true;
  if (ndim > TOCHA_LAYOUT_DIMS)
    return launch_each(cx, device, ndim, sizes, count, operands, launch, user);
  tocha_stream *s = tocha_stream_of(cx, device);
  if (!s) return false;
  lay_out_in_order(ndim, sizes, count, operands, &layout);
  return tocha_launched(cx, launch(s, &layout, user));
}
