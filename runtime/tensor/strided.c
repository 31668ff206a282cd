/* strided.c: strided layouts of an iteration, and launches that walk dimensions beyond a kernel's. */
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
    layout->dtype[k] = (int8_t)tensors[k]->dtype;
  }
}

bool tocha_launch_strided(tocha_context *cx, int ndim, const int64_t *sizes, int count,
                          tocha_tensor *const *tensors,
                          bool (*launch)(tocha_stream *stream, const tocha_strided_layout *layout,
                                         void *user),
                          void *user) {
  tocha_iterator it;
  tocha_strided_layout layout;
  int64_t at[TOCHA_MAX_DIMS] = {0};
  tocha_stream *q = tocha_stream_of(cx, tensors[0]->device);
  if (!q) return false;
  tocha_iterator_begin(&it, cx, ndim, sizes, count, tensors);
  if (it.numel == 0) return true;
  tocha_strided_layout_of(&it, tensors, &layout);
  for (;;) {
    if (!tocha_launched(cx, launch(q, &layout, user))) return false;
    int d = TOCHA_LAYOUT_DIMS; /* the next step of the dimensions outside the walk */
    for (; d < it.ndim; d++) {
      bool wraps = ++at[d] == it.sizes[d];
      int64_t steps = wraps ? 1 - it.sizes[d] : 1;
      for (int k = 0; k < count; k++)
        if (layout.data[k]) layout.data[k] = (char *)layout.data[k] + steps * it.strides[d][k];
      if (!wraps) break;
      at[d] = 0;
    }
    if (d >= it.ndim) return true;
  }
}
