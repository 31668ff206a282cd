/* unfold.c: images to columns and back: unfold and fold of torch.nn.functional. */
#include <stdio.h>
#include <string.h>

#include "convolution/implementations.h"
#include "device/devices.h"
#include "dispatch/call.h"
#include "ops/convolution/convolution.h"
#include "tensor/geometry.h"
#include "tensor/copy.h"
#include "tocha/ops/col2im.h"
#include "tocha/ops/im2col.h"
#include "tocha/ops/squeeze.h"
#include "tocha/ops/unsqueeze.h"

/* kernel_size, dilation, padding and stride, two numbers each. */
typedef struct pairs {
  tocha_ints kernel, dilation, padding, stride;
} pairs;

static bool is_pair(tocha_context *cx, const char *name, tocha_ints list) {
  if (list.count == 2) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "It is expected %s equals to 2, but got size %d", name,
             list.count);
  return false;
}

static bool are_at_least(tocha_context *cx, const char *name, const char *words, const char *part,
                         tocha_ints list, int64_t minimum) {
  if (list.values[0] >= minimum && list.values[1] >= minimum) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s should be %s, but got %s_height: %lld %s_width: %lld",
             name, words, part, (long long)list.values[0], part, (long long)list.values[1]);
  return false;
}

static bool check_pairs(tocha_context *cx, const pairs *p) {
  return is_pair(cx, "kernel_size", p->kernel) && is_pair(cx, "dilation", p->dilation) &&
         is_pair(cx, "padding", p->padding) && is_pair(cx, "stride", p->stride) &&
         are_at_least(cx, "kernel size", "greater than zero", "kernel", p->kernel, 1) &&
         are_at_least(cx, "dilation", "greater than zero", "dilation", p->dilation, 1) &&
         are_at_least(cx, "padding", "non-negative", "pad", p->padding, 0) &&
         are_at_least(cx, "stride", "greater than zero", "stride", p->stride, 1) &&
         tocha_fits_int(cx, 2, p->kernel.values) && tocha_fits_int(cx, 2, p->dilation.values) &&
         tocha_fits_int(cx, 2, p->padding.values) && tocha_fits_int(cx, 2, p->stride.values);
}

static void set_windows(tocha_windows *w, const pairs *p, const int64_t *in) {
  for (int d = 0; d < 3; d++) {
    w->in[d] = d ? in[d - 1] : 1;
    w->kernel[d] = d ? p->kernel.values[d - 1] : 1;
    w->stride[d] = d ? p->stride.values[d - 1] : 1;
    w->padding[d] = d ? p->padding.values[d - 1] : 0;
    w->dilation[d] = d ? p->dilation.values[d - 1] : 1;
    int64_t span = w->in[d] + 2 * w->padding[d] - w->dilation[d] * (w->kernel[d] - 1) - 1;
    w->out[d] = (span < 0 ? (span - w->stride[d] + 1) / w->stride[d] : span / w->stride[d]) + 1;
  }
}

/* Returns the product of three positive numbers. Fails, returning 0, if it overflows 64 bits. */
static int64_t product(tocha_context *cx, int64_t a, int64_t b, int64_t c) {
  if (b <= INT64_MAX / a && c <= INT64_MAX / (a * b)) return a * b * c;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "numel: integer multiplication overflow");
  return 0;
}

/* Returns the dtype that is computed in. Fails, returning TOCHA_NO_DTYPE, if there is no kernel for the tensor's dtype. */
static tocha_dtype compute_dtype(tocha_context *cx, const tocha_tensor *t, const char *name) {
  if (tocha_dtype_is_floating(t->dtype)) return tocha_kernel_dtype(t->device, t->dtype);
  if (t->dtype == TOCHA_BOOL) return TOCHA_FLOAT32;
  tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"%s\" not implemented for '%s'", name,
             tocha_dtype_scalar_type(t->dtype));
  return TOCHA_NO_DTYPE;
}

/* Runs unfold (image to columns), or fold (columns to image) if `unfold` is false. */
static bool run(tocha_context *cx, const tocha_windows *w, tocha_tensor *image,
                tocha_tensor *columns, bool unfold) {
  tocha_stream *s = tocha_stream_of(cx, image->device);
  int64_t kernel = w->kernel[0] * w->kernel[1] * w->kernel[2];
  tocha_unfold_args args = {.image = tocha_bytes(image),
                            .columns = tocha_bytes(columns),
                            .images = columns->sizes[0],
                            .channels = columns->sizes[1] / kernel,
                            .dtype = image->dtype,
                            .windows = *w};
  if (!s) return false;
  const tocha_convolution_kernels *kernels = s->kernels->convolution;
  return tocha_launched(cx, unfold ? kernels->unfold(s, &args) : kernels->fold(s, &args));
}

/* --- im2col ------------------------------------------------------------------------------------------------ */

static bool check_image(tocha_context *cx, const tocha_tensor *t, const pairs *p,
                        const tocha_windows *w) {
  char text[256];
  bool empty = t->ndim < 3 || t->sizes[t->ndim - 1] == 0 || t->sizes[t->ndim - 2] == 0 ||
               t->sizes[t->ndim - 3] == 0;
  if (t->ndim > 4 || empty) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other "
               "non-zero dimensions for input, but got: %s",
               tocha_shape_text(t->ndim, t->sizes, text, sizeof text));
    return false;
  }
  if (w->out[1] >= 1 && w->out[2] >= 1) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "Given input with spatial size (%lld, %lld), kernel_size=(%lld, %lld), "
             "dilation=(%lld, %lld), padding=(%lld, %lld), calculated shape of the array of "
             "sliding blocks as (%lld, %lld), but its components must be at least one.",
             (long long)w->in[1], (long long)w->in[2], (long long)p->kernel.values[0],
             (long long)p->kernel.values[1], (long long)p->dilation.values[0],
             (long long)p->dilation.values[1], (long long)p->padding.values[0],
             (long long)p->padding.values[1], (long long)w->out[1], (long long)w->out[2]);
  return false;
}

tocha_tensor *tocha_op_im2col(tocha_context *cx, tocha_tensor *self, int kernel_count,
                              const int64_t *kernel, int dilation_count, const int64_t *dilation,
                              int padding_count, const int64_t *padding, int stride_count,
                              const int64_t *stride) {
  pairs p = {{kernel_count, kernel},
             {dilation_count, dilation},
             {padding_count, padding},
             {stride_count, stride}};
  tocha_windows w;
  int64_t size;
  if (!tocha_check_size_read(cx, self, -2) || !check_pairs(cx, &p) ||
      !tocha_size_of(cx, self, 1, &size) || !tocha_size_of(cx, self, 2, &size))
    return NULL;
  set_windows(&w, &p, self->sizes + self->ndim - 2);
  if (!check_image(cx, self, &p, &w)) return NULL;
  tocha_dtype compute = compute_dtype(cx, self, "im2col_out_cpu");
  if (compute == TOCHA_NO_DTYPE) return NULL;
  tocha_tensor *image = tocha_as_rows(cx, self, compute);
  int64_t channels = self->sizes[self->ndim - 3];
  int64_t sizes[3] = {self->ndim == 4 ? self->sizes[0] : 1,
                      product(cx, channels, w.kernel[1], w.kernel[2]),
                      product(cx, w.out[1], w.out[2], 1)};
  tocha_tensor *out =
      image && sizes[1] && sizes[2] ? tocha_new(cx, 3, sizes, compute, self->device) : NULL;
  if (!out || (tocha_has_elements(out) && !run(cx, &w, image, out, true))) return NULL;
  out = tocha_as_dtype(cx, out, (tocha_dtype)self->dtype);
  return self->ndim == 3 ? tocha_squeeze_dim(cx, out, 0) : out;
}

/* --- col2im ------------------------------------------------------------------------------------------------ */

static bool check_columns(tocha_context *cx, const tocha_tensor *t, const pairs *p,
                          const int64_t *size, const tocha_windows *w) {
  char text[256];
  bool batched = t->ndim == 3;
  if ((t->ndim != 2 && !batched) || t->sizes[t->ndim - 1] == 0 || t->sizes[t->ndim - 2] == 0) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and "
               "non-zero dimensions for input, but got: %s",
               tocha_shape_text(t->ndim, t->sizes, text, sizeof text));
    return false;
  }
  int64_t kernel = p->kernel.values[0] * p->kernel.values[1], rows = t->sizes[t->ndim - 2];
  if (rows % kernel) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Expected size of input's dimension 1 to be divisible by the product of "
               "kernel_size, but got input.size(1)=%lld and kernel_size=(%lld, %lld).",
               (long long)rows, (long long)p->kernel.values[0], (long long)p->kernel.values[1]);
    return false;
  }
  bool some = w->out[1] > 0 && w->out[2] > 0;
  int64_t blocks = some ? product(cx, w->out[1], w->out[2], 1) : w->out[1] * w->out[2];
  if (some && !blocks) return false;
  if (t->sizes[t->ndim - 1] == blocks && some) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "Given output_size=(%lld, %lld), kernel_size=(%lld, %lld), dilation=(%lld, %lld), "
             "padding=(%lld, %lld), stride=(%lld, %lld), expected size of input's dimension 2 to "
             "match the calculated number of sliding blocks %lld * %lld = %lld, but got "
             "input.size(2)=%lld.",
             (long long)size[0], (long long)size[1], (long long)p->kernel.values[0],
             (long long)p->kernel.values[1], (long long)p->dilation.values[0],
             (long long)p->dilation.values[1], (long long)p->padding.values[0],
             (long long)p->padding.values[1], (long long)p->stride.values[0],
             (long long)p->stride.values[1], (long long)w->out[1], (long long)w->out[2],
             (long long)blocks, (long long)t->sizes[t->ndim - 1]);
  return false;
}

tocha_tensor *tocha_op_col2im(tocha_context *cx, tocha_tensor *self, int size_count,
                              const int64_t *size, int kernel_count, const int64_t *kernel,
                              int dilation_count, const int64_t *dilation, int padding_count,
                              const int64_t *padding, int stride_count, const int64_t *stride) {
  pairs p = {{kernel_count, kernel},
             {dilation_count, dilation},
             {padding_count, padding},
             {stride_count, stride}};
  tocha_windows w;
  if (!is_pair(cx, "output_size", (tocha_ints){size_count, size}) || !check_pairs(cx, &p))
    return NULL;
  if (!tocha_fits_int(cx, 2, size)) return NULL;
  set_windows(&w, &p, size);
  if (!check_columns(cx, self, &p, size, &w)) return NULL;
  tocha_dtype compute = compute_dtype(cx, self, "col2im_out_cpu");
  if (compute == TOCHA_NO_DTYPE) return NULL;
  tocha_tensor *columns = tocha_as_rows(cx, self, compute);
  if (columns && self->ndim == 2) columns = tocha_unsqueeze(cx, columns, 0);
  if (!columns) return NULL;
  int64_t sizes[4] = {columns->sizes[0], columns->sizes[1] / (w.kernel[1] * w.kernel[2]), size[0],
                      size[1]};
  tocha_tensor *out = tocha_new(cx, 4, sizes, compute, self->device);
  if (!out || (tocha_has_elements(out) && !run(cx, &w, out, columns, false))) return NULL;
  out = tocha_as_dtype(cx, out, (tocha_dtype)self->dtype);
  return self->ndim == 2 ? tocha_squeeze_dim(cx, out, 0) : out;
}

tocha_tensor *tocha_op__fold(tocha_context *cx, tocha_tensor *self, int size_count,
                             const int64_t *sizes, int kernel_count, const int64_t *kernel,
                             int dilation_count, const int64_t *dilation, int padding_count,
                             const int64_t *padding, int stride_count, const int64_t *stride) {
  if (size_count < 2)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "_fold takes two sizes or more, got %d", size_count);
  return tocha_col2im_full(cx, self, 2, sizes + size_count - 2, kernel_count, kernel,
                           dilation_count, dilation, padding_count, padding, stride_count, stride);
}

/* --- torch.nn.functional's forms --------------------------------------------------------------------------- */

/* Returns the list, or, if it has one number, that number twice, stored in `both`. */
static tocha_ints pair(int count, const int64_t *values, int64_t both[2]) {
  if (count != 1) return (tocha_ints){count, values};
  both[0] = both[1] = values[0];
  return (tocha_ints){2, both};
}

tocha_tensor *tocha_op_unfold_functional(tocha_context *cx, tocha_tensor *input, int kernel_count,
                                         const int64_t *kernel, int dilation_count,
                                         const int64_t *dilation, int padding_count,
                                         const int64_t *padding, int stride_count,
                                         const int64_t *stride) {
  int64_t both[4][2];
  tocha_ints k = pair(kernel_count, kernel, both[0]), d = pair(dilation_count, dilation, both[1]);
  tocha_ints p = pair(padding_count, padding, both[2]), s = pair(stride_count, stride, both[3]);
  return tocha_im2col_full(cx, input, k.count, k.values, d.count, d.values, p.count, p.values,
                           s.count, s.values);
}

tocha_tensor *tocha_op_fold(tocha_context *cx, tocha_tensor *input, int size_count,
                            const int64_t *size, int kernel_count, const int64_t *kernel,
                            int dilation_count, const int64_t *dilation, int padding_count,
                            const int64_t *padding, int stride_count, const int64_t *stride) {
  int64_t both[5][2];
  tocha_ints o = pair(size_count, size, both[4]), k = pair(kernel_count, kernel, both[0]);
  tocha_ints d = pair(dilation_count, dilation, both[1]), p = pair(padding_count, padding, both[2]);
  tocha_ints s = pair(stride_count, stride, both[3]);
  return tocha_col2im_full(cx, input, o.count, o.values, k.count, k.values, d.count, d.values,
                           p.count, p.values, s.count, s.values);
}
