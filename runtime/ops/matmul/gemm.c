/* gemm.c: prepares a product of matrices for a kernel: its dtype, which operands are read without a copy, and the tensor that
 * is added. */
#include "ops/matmul/gemm.h"

#include "tensor/copy.h"
#include "tensor/geometry.h"
#include "tocha/ops/mul.h"

/* --- operands ------------------------------------------------------------------------------------ */

bool tocha_matrices_of(const tocha_tensor *t, tocha_matrices *matrices) {
  int last = t->ndim - 1;
  int64_t rows = t->sizes[last - 1], columns = t->sizes[last];
  int64_t row = t->strides[last - 1], column = t->strides[last];
  matrices->batch_stride = t->ndim == 3 && t->sizes[0] > 1 ? t->strides[0] : 0;
  bool transposed =
      columns == 1 && row == 1 && column >= rows; /* a column stored as a transposed row */
  if ((column == 1 || columns == 1) && (row >= columns || rows == 1) && !transposed) {
    matrices->transposed = false; /* the stride of a single row or column never matters */
    matrices->ld = rows == 1 ? columns : row;
  } else {
    matrices->transposed = true;
    matrices->ld = columns == 1 ? rows : column;
    if (!((row == 1 || rows == 1) && (column >= rows || columns == 1))) return false;
  }
  return matrices->ld <= INT32_MAX && matrices->batch_stride >= 0;
}

static tocha_matrices row_major(const tocha_tensor *t) {
  int last = t->ndim - 1;
  int64_t rows = t->sizes[last - 1], columns = t->sizes[last];
  bool batched = t->ndim == 3 && t->sizes[0] > 1;
  return (tocha_matrices){false, columns, batched ? rows * columns : 0};
}

/* An operand in the form that a kernel reads: itself, or a row-major copy. */
typedef struct operand {
  tocha_tensor *tensor;
  tocha_matrices matrices;
  bool copied;
} operand;

static operand operand_of(tocha_tensor *t) {
  operand o = {.tensor = t};
  o.copied = !tocha_matrices_of(t, &o.matrices);
  if (o.copied) o.matrices = row_major(t);
  return o;
}

/* Returns the address of the operand's elements in dtype, or NULL on failure. */
static const void *read_operand(tocha_context *cx, operand *o, tocha_dtype dtype) {
  if (o->copied || o->tensor->dtype != dtype) {
    o->tensor = tocha_as_rows(cx, o->tensor, dtype);
    if (!o->tensor) return NULL;
    o->matrices = row_major(o->tensor);
  }
  return tocha_bytes(o->tensor);
}

/* --- the added tensor ------------------------------------------------------------------------------- */

/* Returns true if self has one number for each of n columns, contiguous, in a's dtype and on a's device. */
static bool is_bias(const tocha_tensor *self, int64_t n, const tocha_tensor *a) {
  int last = self->ndim - 1;
  return last >= 0 && self->dtype == a->dtype && tocha_device_equal(self->device, a->device) &&
         self->numel == n && self->sizes[last] == n && (n == 1 || self->strides[last] == 1);
}

/* Fills out with beta * self, the result if there is nothing to multiply. */
static tocha_tensor *without_product(tocha_context *cx, tocha_tensor *out, tocha_tensor *self,
                                     tocha_scalar beta) {
  double real = tocha_scalar_real(beta);
  if (!self || real == 0) return tocha_fill_data(cx, out, tocha_int(0)) ? out : NULL;
  if (!tocha_copy_data(cx, out, self)) return NULL;
  if (real == 1) return out;
  if (!tocha_dtype_is_floating(out->dtype)) beta = tocha_int((int64_t)real);
  return tocha_mul_full(cx, out, tocha_number(beta));
}

/* Returns true if a product that is multiplied by 0 is not computed, so that neither a NaN nor the sign of a zero in it reaches
 * the result. The product is computed for batches of matrices with fewer than WORTH_BLAS multiply-adds, which no BLAS takes. */
static bool skips_product(const tocha_tensor *a, const int64_t *sizes, int ndim, int64_t k,
                          tocha_scalar alpha) {
  enum { WORTH_BLAS = 400 };
  if (tocha_scalar_real(alpha) != 0 || (a->dtype != TOCHA_FLOAT32 && a->dtype != TOCHA_FLOAT64))
    return false;
  return ndim == 2 || sizes[1] >= WORTH_BLAS || sizes[2] >= WORTH_BLAS || k >= WORTH_BLAS ||
         sizes[1] * sizes[2] * k >= WORTH_BLAS;
}

/* --- the product --------------------------------------------------------------------------------- */

tocha_dtype tocha_gemm_dtype(tocha_device device, tocha_dtype dtype) {
  return tocha_dtype_is_floating(dtype) ? tocha_kernel_dtype(device, dtype) : TOCHA_INT64;
}

static void set_operands(tocha_gemm_args *args, const operand *a, const operand *b) {
  args->lda = a->matrices.ld;
  args->ldb = b->matrices.ld;
  args->a_transposed = a->matrices.transposed;
  args->b_transposed = b->matrices.transposed;
  args->a_batch_stride = a->matrices.batch_stride;
  args->b_batch_stride = b->matrices.batch_stride;
}

/* Sets the dtype that is multiplied in. A device multiplies all, some or no products of the 16-bit types in their own type. */
static void set_dtype(tocha_stream *stream, tocha_gemm_args *args, tocha_device device, bool sum) {
  tocha_dtype own = (tocha_dtype)args->dtype, dtype = tocha_gemm_dtype(device, own);
  if (dtype == own) return;
  if (tocha_dtype_is_floating(own) && !sum && stream->kernels->matmul->takes_half(stream, args))
    return;
  args->dtype = (int8_t)dtype;
  if (args->bias) args->beta = tocha_int(1); /* the copy into the result converts the bias */
  args->bias = NULL;
}

/* Launches a product. With count above 1, adds the products of the following matrices to the same result. */
static bool launch(tocha_context *cx, tocha_stream *stream, tocha_gemm_args *args, int64_t count) {
  int64_t item = (int64_t)tocha_dtype_size((tocha_dtype)args->dtype);
  for (int64_t i = 0; i < count; i++) {
    if (!tocha_launched(cx, stream->kernels->matmul->gemm(stream, args))) return false;
    args->a = (const char *)args->a + args->a_batch_stride * item;
    args->b = (const char *)args->b + args->b_batch_stride * item;
    args->bias = NULL;
    args->beta = tocha_int(1);
  }
  return true;
}

/* Computes a product of float8 matrices in float32. */
static tocha_tensor *multiply_float8(tocha_context *cx, tocha_tensor *self, tocha_tensor *a,
                                     tocha_tensor *b, tocha_scalar beta, tocha_scalar alpha,
                                     bool sum) {
  const tocha_dtype dtype = a->dtype;
  a = tocha_as_dtype(cx, a, TOCHA_FLOAT32);
  b = tocha_as_dtype(cx, b, TOCHA_FLOAT32);
  if (!a || !b || (self && !(self = tocha_as_dtype(cx, self, TOCHA_FLOAT32)))) return NULL;
  tocha_tensor *out = tocha_gemm(cx, self, a, b, beta, alpha, sum);
  return out ? tocha_as_dtype(cx, out, dtype) : NULL;
}

tocha_tensor *tocha_gemm(tocha_context *cx, tocha_tensor *self, tocha_tensor *a, tocha_tensor *b,
                         tocha_scalar beta, tocha_scalar alpha, bool sum) {
  if (tocha_is_float8(a->dtype)) return multiply_float8(cx, self, a, b, beta, alpha, sum);
  int last = a->ndim - 1, ndim = a->ndim == 3 && !sum ? 3 : 2;
  int64_t count = a->ndim == 3 ? a->sizes[0] : 1, k = a->sizes[last];
  int64_t all_sizes[3] = {count, a->sizes[last - 1], b->sizes[last]}, *sizes = all_sizes + 3 - ndim;
  if (self && !tocha_check_expand(cx, self, ndim, sizes)) return NULL;
  if (a->device.type == TOCHA_META || k == 0 || count == 0 ||
      skips_product(a, sizes, ndim, k, alpha)) {
    tocha_tensor *out = tocha_new(cx, ndim, sizes, a->dtype, a->device);
    return out && tocha_has_elements(out) ? without_product(cx, out, self, beta) : out;
  }
  tocha_stream *stream = tocha_stream_of(cx, a->device);
  if (!stream) return NULL;
  if (tocha_scalar_real(beta) == 0) self = NULL;
  operand x = operand_of(a), y = operand_of(b);
  tocha_gemm_args args = {.batch = sum ? 1 : count,
                          .m = a->sizes[last - 1],
                          .n = b->sizes[last],
                          .k = k,
                          .alpha = alpha,
                          .beta = self ? beta : tocha_int(0),
                          .dtype = (int8_t)a->dtype};
  if (self && tocha_scalar_real(beta) == 1 && is_bias(self, args.n, a)) {
    args.bias = tocha_bytes(self);
    args.beta = tocha_int(0);
  }
  set_operands(&args, &x, &y);
  set_dtype(stream, &args, a->device, sum);
  tocha_dtype dtype = (tocha_dtype)args.dtype;
  tocha_tensor *out = tocha_new(cx, ndim, sizes, dtype, a->device);
  if (!out || out->numel == 0) return tocha_as_dtype(cx, out, a->dtype);
  if (self && !args.bias && !tocha_copy_data(cx, out, self)) return NULL;
  args.a = read_operand(cx, &x, dtype);
  args.b = args.a ? read_operand(cx, &y, dtype) : NULL;
  args.out = tocha_bytes(out);
  if (!args.b) return NULL;
  set_operands(&args, &x, &y);
  tocha_set_gemm_precision(cx, &args);
  return launch(cx, stream, &args, sum ? count : 1) ? tocha_as_dtype(cx, out, a->dtype) : NULL;
}
