/* run.c: runs pooling on a tensor's device. */
#include <string.h>

#include "device/devices.h"
#include "ops/pooling/pooling.h"
#include "tensor/copy.h"
#include "tocha/ops/reshape.h"

void tocha_pooled_sizes(const tocha_tensor *t, int space, const int64_t *last, int64_t *sizes) {
  memcpy(sizes, t->sizes, (size_t)t->ndim * sizeof *sizes);
  memcpy(sizes + t->ndim - space, last, (size_t)space * sizeof *sizes);
}

static bool has_kernel(const tocha_tensor *t, tocha_pool_types types) {
  bool half = t->dtype == TOCHA_FLOAT16 || t->dtype == TOCHA_BFLOAT16;
  if (tocha_dtype_is_floating(t->dtype))
    return !half || types != TOCHA_POOL_WIDE || tocha_is_on_device(t);
  if (tocha_is_on_device(t) || t->dtype == TOCHA_BOOL) return false;
  return types == TOCHA_POOL_NUMBERS || (types != TOCHA_POOL_FLOATS && t->dtype == TOCHA_INT64);
}

/* Returns the dtype of the computation. */
static tocha_dtype compute_dtype(const tocha_tensor *t) {
  if (!tocha_dtype_is_floating(t->dtype)) return TOCHA_INT64;
  return tocha_kernel_dtype(t->device, t->dtype);
}

tocha_tensor *tocha_pool(tocha_context *cx, tocha_tensor *self, int space, tocha_pool_args *args,
                         const char *kernel, tocha_pool_types types, bool max,
                         tocha_tensor **indices) {
  int64_t sizes[TOCHA_MAX_DIMS];
  if (!has_kernel(self, types))
    return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"%s\" not implemented for '%s'", kernel,
                      tocha_dtype_scalar_type(self->dtype));
  tocha_dtype compute = compute_dtype(self);
  tocha_pooled_sizes(self, space, args->windows.out + 3 - space, sizes);
  tocha_tensor *out = tocha_new(cx, self->ndim, sizes, compute, self->device);
  if (indices) *indices = tocha_new(cx, self->ndim, sizes, TOCHA_INT64, self->device);
  if (!out || (indices && !*indices)) return NULL;
  if (tocha_has_elements(out)) {
    tocha_tensor *image = tocha_as_rows(cx, self, compute);
    tocha_stream *s = tocha_stream_of(cx, self->device);
    if (!image || !s) return NULL;
    args->image = tocha_bytes(image);
    args->pooled = tocha_bytes(out);
    args->indices = indices ? (int64_t *)(void *)tocha_bytes(*indices) : NULL;
    args->dtype = compute;
    args->planes = 1;
    for (int d = 0; d < self->ndim - space; d++) args->planes *= self->sizes[d];
    const tocha_pooling_kernels *kernels = s->kernels->pooling;
    if (!tocha_launched(cx, max ? kernels->max(s, args) : kernels->average(s, args))) return NULL;
  }
  out = tocha_as_dtype(cx, out, (tocha_dtype)self->dtype);
  /* PyTorch's results of fractional pooling are row-major, and so are those of volumes, except
   * for the maximum of equal windows. */
  bool row_major = args->windows.starts || (space == 3 && (!max || args->windows.adaptive));
  if (row_major) return out;
  if (indices && !(*indices = tocha_in_format_of(cx, *indices, self))) return NULL;
  return tocha_in_format_of(cx, out, self);
}

tocha_tensor *tocha_pool_backward(tocha_context *cx, tocha_tensor *grad, int count,
                                  const int64_t *sizes, tocha_pool_args *args) {
  tocha_dtype compute = compute_dtype(grad);
  tocha_tensor *image = tocha_new(cx, count, sizes, compute, grad->device);
  if (!image) return NULL;
  if (tocha_has_elements(image)) {
    tocha_tensor *pooled = tocha_as_rows(cx, grad, compute);
    tocha_stream *s = tocha_stream_of(cx, grad->device);
    if (!pooled || !s) return NULL;
    const int64_t *in = args->windows.in;
    args->image = tocha_bytes(image);
    args->pooled = tocha_bytes(pooled);
    args->dtype = compute;
    args->kept = (int8_t)grad->dtype;
    args->planes = image->numel / (in[0] * in[1] * in[2]);
    if (!tocha_launched(cx, s->kernels->pooling->average_backward(s, args))) return NULL;
  }
  return tocha_as_dtype(cx, image, (tocha_dtype)grad->dtype);
}

tocha_tensor *tocha_pool_flat(tocha_context *cx, tocha_tensor *t, int64_t space) {
  int64_t sizes[TOCHA_MAX_DIMS];
  int last = t->ndim - (int)space;
  memcpy(sizes, t->sizes, (size_t)t->ndim * sizeof *sizes);
  for (int d = last + 1; d < t->ndim; d++) sizes[last] *= t->sizes[d];
  return tocha_reshape(cx, t, last + 1, sizes);
}
