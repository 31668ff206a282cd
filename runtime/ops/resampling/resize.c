/* resize.c: calls the kernels that resample all dimensions of an image at once. */
#include "ops/resampling/resize.h"

#include <string.h>

#include "device/devices.h"
#include "tensor/copy.h"

static int64_t plane_size(int ndim, const int64_t *sizes) {
  int64_t n = sizes[1]; /* the channels, which may be last */
  for (int d = 2; d < ndim; d++) n *= sizes[d];
  return n;
}

bool tocha_resizes_at_once(tocha_context *cx, const tocha_tensor *t, int ndim, const int64_t *in,
                           const int64_t *out) {
  tocha_stream *s = t->device.type == TOCHA_META ? NULL : tocha_stream_of(cx, t->device);
  return s && s->kernels->resampling->resize && plane_size(ndim, in) <= INT32_MAX &&
         plane_size(ndim, out) <= INT32_MAX;
}

typedef bool resize_kernel(tocha_stream *stream, const tocha_resize_args *args);

/* Runs a kernel that takes t and returns images of t's format with these sizes of space. */
static tocha_tensor *run(tocha_context *cx, tocha_tensor *t, const tocha_tap_rule *rules,
                         const int64_t *space, resize_kernel *kernel) {
  bool last = tocha_is_channels_last(t);
  int64_t sizes[5] = {t->sizes[0], t->sizes[1]};
  tocha_dtype dtype = (tocha_dtype)t->dtype;
  memcpy(sizes + 2, space, (size_t)(t->ndim - 2) * sizeof *sizes);
  tocha_tensor *in = last ? t : tocha_as_rows(cx, t, dtype);
  tocha_tensor *out = last ? tocha_new_channels_last(cx, t->ndim, sizes, dtype, t->device)
                           : tocha_new(cx, t->ndim, sizes, dtype, t->device);
  if (!in || !out || !tocha_has_elements(out)) return in ? out : NULL;
  tocha_stream *s = tocha_stream_of(cx, t->device);
  if (!s) return NULL;
  tocha_resize_args args = {.in = tocha_bytes(in),
                            .out = tocha_bytes(out),
                            .planes = last ? sizes[0] : sizes[0] * sizes[1],
                            .inner = last ? sizes[1] : 1,
                            .space = t->ndim - 2,
                            .dtype = dtype};
  for (int d = 0; d < t->ndim - 2; d++)
    args.axes[d] = tocha_axis_of(&rules[t->ndim - 3 - d], dtype != TOCHA_FLOAT64);
  return tocha_launched(cx, kernel(s, &args)) ? out : NULL;
}

tocha_tensor *tocha_resized_at_once(tocha_context *cx, tocha_tensor *t,
                                    const tocha_tap_rule *rules) {
  tocha_stream *s = tocha_stream_of(cx, t->device);
  int64_t space[3] = {1, 1, 1};
  for (int d = 0; d < t->ndim - 2; d++) space[d] = rules[d].out;
  return s ? run(cx, t, rules, space, s->kernels->resampling->resize) : NULL;
}

tocha_tensor *tocha_resized_at_once_backward(tocha_context *cx, tocha_tensor *grad,
                                             const tocha_tap_rule *rules) {
  tocha_stream *s = tocha_stream_of(cx, grad->device);
  int64_t space[3] = {1, 1, 1};
  for (int d = 0; d < grad->ndim - 2; d++) space[d] = rules[d].in;
  return s ? run(cx, grad, rules, space, s->kernels->resampling->resize_backward) : NULL;
}
