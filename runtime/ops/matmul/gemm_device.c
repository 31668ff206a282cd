/* gemm_device.c: matrix products on a device: which operands a product reads where they lie, and
 * the switches of its precision. */
#include "ops/matmul/gemm_device.h"
#include "device/devices.h"
#include "ops/matmul/kernels.h"

#include <string.h>

#include "tensor/copy.h"
#include "tensor/iterator.h"
#include "tocha/ops/mul.h"

/* --- switches -------------------------------------------------------------------------------- */

void tocha_set_matmul_precision(tocha_context *cx, tocha_matmul_precision precision) {
  cx->products.precision = (uint8_t)precision;
}
tocha_matmul_precision tocha_get_matmul_precision(const tocha_context *cx) {
  return (tocha_matmul_precision)cx->products.precision;
}

void tocha_set_reduced_precision(tocha_context *cx, tocha_dtype dtype, bool allowed) {
  if (dtype == TOCHA_FLOAT16) cx->products.whole_float16 = !allowed;
  if (dtype == TOCHA_BFLOAT16) cx->products.whole_bfloat16 = !allowed;
}
bool tocha_reduced_precision(const tocha_context *cx, tocha_dtype dtype) {
  return !(dtype == TOCHA_FLOAT16 ? cx->products.whole_float16 : cx->products.whole_bfloat16);
}

/* --- operands -------------------------------------------------------------------------------- */

/* A batch of matrices as a product reads it (kernels.h). */
typedef struct layout {
  bool transposed;
  int64_t leading, batch;
} layout;

static bool readable(const tocha_tensor *t, layout *l) {
  int last = t->ndim - 1;
  int64_t rows = t->sizes[last - 1], columns = t->sizes[last];
  int64_t row = t->strides[last - 1], column = t->strides[last];
  l->batch = t->ndim == 3 && t->sizes[0] > 1 ? t->strides[0] : 0;
  if ((column == 1 || columns == 1) && (row >= columns || rows == 1)) {
    l->transposed = false;
    l->leading = rows == 1 ? columns : row;
  } else {
    l->transposed = true;
    l->leading = columns == 1 ? rows : column;
    if (!((row == 1 || rows == 1) && (column >= rows || columns == 1))) return false;
  }
  return l->leading <= INT32_MAX;
}

/* t itself, or a copy in rows. */
static tocha_tensor *as_readable(tocha_context *cx, tocha_tensor *t, layout *l) {
  if (readable(t, l)) return t;
  tocha_tensor *copy = tocha_new_like(cx, t, t->dtype);
  if (!copy || !tocha_copy_data(cx, copy, t)) return NULL;
  readable(copy, l);
  return copy;
}

/* A number for each column, as it lies in memory. */
static bool is_bias(const tocha_tensor *self, const tocha_tensor *out) {
  int64_t n = out->sizes[out->ndim - 1];
  return self->ndim == 1 && self->sizes[0] == n && self->dtype == out->dtype &&
         tocha_is_contiguous(self) && tocha_device_equal(self->device, out->device);
}

static void set_switches(const tocha_context *cx, tocha_dtype dtype, tocha_product_args *args) {
  args->dtype = (int8_t)dtype;
  args->tf32 = cx->products.precision != TOCHA_MATMUL_HIGHEST;
  args->reduced = tocha_reduced_precision(cx, dtype);
}

/* --- products -------------------------------------------------------------------------------- */

/* beta * self in out, for products that add nothing. */
static tocha_tensor *without_product(tocha_context *cx, tocha_tensor *out, tocha_tensor *self,
                                     double beta) {
  if (!self || beta == 0) return tocha_fill_data(cx, out, tocha_float(0)) ? out : NULL;
  if (!tocha_copy_data(cx, out, self)) return NULL;
  return beta == 1 ? out : tocha_mul_full(cx, out, tocha_number(tocha_float(beta)));
}

/* The batch of a product one after the other into one matrix. */
static bool launch_sum(tocha_context *cx, tocha_stream *stream, tocha_product_args args,
                       int64_t count) {
  int64_t item = (int64_t)tocha_dtype_size((tocha_dtype)args.dtype);
  for (int64_t i = 0; i < count; i++) {
    if (!tocha_launched(cx, stream->kernels->matmul->product(stream, &args))) return false;
    args.a = (const char *)args.a + args.a_batch * item;
    args.b = (const char *)args.b + args.b_batch * item;
    args.bias = NULL;
    args.beta = 1;
  }
  return true;
}

tocha_tensor *tocha_device_multiply(tocha_context *cx, tocha_tensor *self, tocha_tensor *a,
                                    tocha_tensor *b, double beta, double alpha, bool sum) {
  int last = a->ndim - 1, skip = a->ndim == 3 && !sum ? 0 : 1;
  int64_t count = a->ndim == 3 ? a->sizes[0] : 1;
  int64_t sizes[3] = {count, a->sizes[last - 1], b->sizes[last]};
  tocha_tensor *out = tocha_new(cx, 3 - skip, sizes + skip, a->dtype, a->device);
  tocha_stream *stream = out ? tocha_stream_of(cx, out->device) : NULL;
  if (!stream) return NULL;
  if (out->numel == 0) return out;
  if (a->sizes[last] == 0 || count == 0) return without_product(cx, out, self, beta);
  layout x, y;
  if (!(a = as_readable(cx, a, &x)) || !(b = as_readable(cx, b, &y))) return NULL;
  tocha_product_args args = {.a = tocha_bytes(a),
                             .b = tocha_bytes(b),
                             .out = tocha_bytes(out),
                             .batch = sum ? 1 : count,
                             .m = sizes[1],
                             .n = sizes[2],
                             .k = a->sizes[last],
                             .a_batch = x.batch,
                             .b_batch = y.batch,
                             .lda = x.leading,
                             .ldb = y.leading,
                             .a_transposed = x.transposed,
                             .b_transposed = y.transposed,
                             .alpha = alpha};
  set_switches(cx, a->dtype, &args);
  if (self && beta == 1 && out->ndim == 2 && is_bias(self, out)) {
    args.bias = tocha_bytes(self);
  } else if (self && beta != 0) {
    if (!tocha_copy_data(cx, out, self)) return NULL;
    args.beta = beta;
  }
  if (sum) return launch_sum(cx, stream, args, count) ? out : NULL;
  return tocha_launched(cx, stream->kernels->matmul->product(stream, &args)) ? out : NULL;
}

tocha_tensor *tocha_device_dot(tocha_context *cx, tocha_tensor *a, tocha_tensor *b) {
  const int64_t parts = TOCHA_DOT_PARTS;
  tocha_tensor *out = tocha_new(cx, 0, NULL, a->dtype, a->device);
  tocha_tensor *partial = out ? tocha_new(cx, 1, &parts, TOCHA_FLOAT64, a->device) : NULL;
  tocha_stream *stream = partial ? tocha_stream_of(cx, out->device) : NULL;
  if (!stream) return NULL;
  tocha_dot_args args = {.a = tocha_bytes(a),
                         .b = tocha_bytes(b),
                         .out = tocha_bytes(out),
                         .partial = (double *)(void *)tocha_bytes(partial),
                         .n = a->numel,
                         .a_stride = a->strides[0],
                         .b_stride = b->strides[0],
                         .dtype = (int8_t)a->dtype};
  return tocha_launched(cx, stream->kernels->matmul->dot(stream, &args)) ? out : NULL;
}

/* --- linear layers --------------------------------------------------------------------------- */

bool tocha_linear_activated(tocha_context *cx, tocha_tensor *input, tocha_tensor *weight,
                            tocha_tensor *bias, tocha_activation activation, tocha_tensor **out) {
  if (!input || !weight) return false;
  int n = input->ndim - 1;
  const tocha_tensor *all[3] = {input, weight, bias};
  for (int i = 0; i < 3; i++) {
    const tocha_tensor *t = all[i];
    if (!t) continue;
    if (!tocha_is_on_device(t) || !tocha_device_equal(t->device, input->device) ||
        t->dtype != input->dtype || (t->flags & TOCHA_FLAG_FREED))
      return false;
    if (tocha_grad_enabled(cx) && tocha_requires_grad(t)) return false;
  }
  if (!tocha_dtype_is_floating(input->dtype) || n < 1 || weight->ndim != 2 ||
      !tocha_is_contiguous(input) || input->sizes[n] != weight->sizes[1] || input->numel == 0 ||
      weight->numel == 0 || (bias && (bias->ndim != 1 || bias->sizes[0] != weight->sizes[0])))
    return false;
  layout w;
  if ((bias && !tocha_is_contiguous(bias)) || !readable(weight, &w)) return false;
  int64_t sizes[TOCHA_MAX_DIMS];
  memcpy(sizes, input->sizes, (size_t)n * sizeof *sizes);
  sizes[n] = weight->sizes[0];
  *out = tocha_new(cx, n + 1, sizes, input->dtype, input->device);
  tocha_stream *stream = *out ? tocha_stream_of(cx, input->device) : NULL;
  if (!stream) return true;
  tocha_product_args args = {.a = tocha_bytes(input),
                             .b = tocha_bytes(weight),
                             .bias = bias ? tocha_bytes(bias) : NULL,
                             .out = tocha_bytes(*out),
                             .batch = 1,
                             .m = input->numel / input->sizes[n],
                             .n = sizes[n],
                             .k = input->sizes[n],
                             .lda = input->sizes[n],
                             .ldb = w.leading,
                             .b_transposed = !w.transposed,
                             .alpha = 1,
                             .activation = (int8_t)activation};
  set_switches(cx, input->dtype, &args);
  if (!tocha_launched(cx, stream->kernels->matmul->product(stream, &args))) *out = NULL;
  return true;
}
