/* shuffle.c: pixel_shuffle, pixel_unshuffle and channel_shuffle. */
#include <string.h>

#include "shape/implementations.h"
#include "tensor/copy.h"
#include "tocha/ops/channel_shuffle.h"
#include "tocha/ops/clone.h"
#include "tocha/ops/contiguous.h"
#include "tocha/ops/permute.h"
#include "tocha/ops/reshape.h"

/* Views self with `sizes`, permutes the dimensions by `order`, and returns a new tensor of `result`
 * sizes. */
static tocha_tensor *reordered(tocha_context *cx, tocha_tensor *self, int ndim,
                               const int64_t *sizes, const int64_t *order, int result_ndim,
                               const int64_t *result) {
  tocha_tensor *t = tocha_reshape(cx, self, ndim, sizes);
  t = t ? tocha_permute(cx, t, ndim, order) : NULL;
  t = t ? tocha_contiguous(cx, t) : NULL;
  if (t && t->storage == self->storage) t = tocha_clone_full(cx, t, "torch.contiguous_format");
  return t ? tocha_reshape(cx, t, result_ndim, result) : NULL;
}

static bool check_factor(tocha_context *cx, const tocha_tensor *self, const char *name,
                         const char *factor, int64_t r) {
  if (self->ndim < 3)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "%s expects input to have at least 3 dimensions, but got input with %d dimension(s)",
               name, self->ndim);
  else if (r <= 0)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s expects a positive %s, but got %lld", name, factor,
               (long long)r);
  return !tocha_failed(cx);
}

static int64_t product(const int64_t *sizes, int n) {
  int64_t p = 1;
  for (int i = 0; i < n; i++) p *= sizes[i];
  return p;
}

tocha_tensor *tocha_op_pixel_shuffle(tocha_context *cx, tocha_tensor *self, int64_t r) {
  int64_t sizes[TOCHA_MAX_DIMS];
  if (!check_factor(cx, self, "pixel_shuffle", "upscale_factor", r)) return NULL;
  int n = self->ndim;
  const int64_t *in = self->sizes + n - 3;
  if (r > INT64_MAX / r)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "upscale factor is too large, (upscale_factor)^2 overflowed: "
                      "upscale_factor=%lld",
                      (long long)r);
  long long square = r * r;
  if (in[0] % square)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "pixel_shuffle expects its input's 'channel' dimension to be divisible by "
                      "the square of upscale_factor, but input.size(-3)=%lld is not divisible by "
                      "%lld",
                      (long long)in[0], square);
  memcpy(sizes, self->sizes, (size_t)n * sizeof *sizes);
  sizes[n - 3] = in[0] / (r * r);
  sizes[n - 2] = in[1] * r;
  sizes[n - 1] = in[2] * r;
  int64_t parts[6] = {product(sizes, n - 3), sizes[n - 3], r, r, in[1], in[2]};
  const int64_t order[] = {0, 1, 4, 2, 5, 3};
  return tocha_in_format_of(cx, reordered(cx, self, 6, parts, order, n, sizes), self);
}

tocha_tensor *tocha_op_pixel_unshuffle(tocha_context *cx, tocha_tensor *self, int64_t r) {
  int64_t sizes[TOCHA_MAX_DIMS];
  if (!check_factor(cx, self, "pixel_unshuffle", "downscale_factor", r)) return NULL;
  int n = self->ndim;
  const int64_t *in = self->sizes + n - 3;
  for (int d = 1; d < 3; d++)
    if (in[d] % r)
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                        "pixel_unshuffle expects %s to be divisible by downscale_factor, but "
                        "input.size(%d)=%lld is not divisible by %lld",
                        d == 1 ? "height" : "width", d - 3, (long long)in[d], (long long)r);
  if (self->numel == 0) /* there are no elements to reorder, and the sizes do not change */
    return tocha_new(cx, n, self->sizes, self->dtype, self->device);
  memcpy(sizes, self->sizes, (size_t)n * sizeof *sizes);
  sizes[n - 3] = in[0] * r * r;
  sizes[n - 2] = in[1] / r;
  sizes[n - 1] = in[2] / r;
  int64_t parts[6] = {product(sizes, n - 3), in[0], sizes[n - 2], r, sizes[n - 1], r};
  const int64_t order[] = {0, 1, 3, 5, 2, 4};
  return tocha_in_format_of(cx, reordered(cx, self, 6, parts, order, n, sizes), self);
}

tocha_tensor *tocha_op_channel_shuffle(tocha_context *cx, tocha_tensor *self, int64_t groups) {
  char text[256];
  if (self->ndim <= 2)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "channel_shuffle expects input with > 2 dims, but got input with sizes %s",
                      tocha_shape_text(self->ndim, self->sizes, text, sizeof text));
  int64_t channels = self->sizes[1];
  if (groups <= 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Number of groups to divide channels in must be positive. Value of "
                      "groups:%lld",
                      (long long)groups);
  if (channels % groups)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Number of channels must be divisible by groups. Got %lld channels and %lld "
                      "groups.",
                      (long long)channels, (long long)groups);
  int64_t parts[4] = {self->sizes[0], groups, channels / groups,
                      product(self->sizes + 2, self->ndim - 2)};
  const int64_t order[] = {0, 2, 1, 3};
  return tocha_in_format_of(cx, reordered(cx, self, 4, parts, order, self->ndim, self->sizes),
                            self);
}

tocha_tensor *tocha_op__channel_shuffle_backward(tocha_context *cx, tocha_tensor *grad_output,
                                                 int64_t groups) {
  if (groups < 1 || grad_output->ndim < 2) /* the operator fails with its own message */
    return tocha_channel_shuffle(cx, grad_output, groups);
  return tocha_channel_shuffle(cx, grad_output, grad_output->sizes[1] / groups);
}
