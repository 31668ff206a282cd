/* scaled.c: products of float8 matrices that are multiplied by scales (_scaled_mm), and of int8 matrices (_int_mm). */
#include <stdio.h>

#include "device/devices.h"
#include "matmul/implementations.h"
#include "ops/matmul/kernels.h"
#include "tensor/copy.h"
#include "tensor/geometry.h"
#include "tocha/ops/add.h"
#include "tocha/ops/div.h"
#include "tocha/ops/mm.h"
#include "tocha/ops/mul.h"

typedef long long ll;

/* The operands of a call of _scaled_mm. */
typedef struct scaled_call {
  tocha_tensor *a, *b, *scale_a, *scale_b, *bias, *scale_result;
  tocha_dtype dtype; /* of the result */
  bool by_rows;      /* a scale for each row of a and each column of b */
} scaled_call;

static bool check_matrices(tocha_context *cx, const tocha_tensor *a, const tocha_tensor *b) {
  if (a->ndim != 2 || b->ndim != 2)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s must be a matrix",
                      a->ndim != 2 ? "mat1" : "mat2");
  if (a->sizes[1] == b->sizes[0]) return true;
  return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                    "mat_a and mat_b shapes cannot be multiplied (%lldx%lld and %lldx%lld)",
                    (ll)a->sizes[0], (ll)a->sizes[1], (ll)b->sizes[0], (ll)b->sizes[1]);
}

static bool is_one_float(const tocha_tensor *t) {
  return t->numel == 1 && t->dtype == TOCHA_FLOAT32;
}

/* Returns true if t is a contiguous matrix of float32 of these sizes. */
static bool is_float_matrix(const tocha_tensor *t, int64_t rows, int64_t columns) {
  return t->dtype == TOCHA_FLOAT32 && t->ndim == 2 && t->sizes[0] == rows &&
         t->sizes[1] == columns && tocha_is_contiguous(t);
}

/* Finds out how the matrices are scaled. */
static bool check_scales(tocha_context *cx, scaled_call *c) {
  const tocha_tensor *a = c->scale_a, *b = c->scale_b;
  char a_sizes[256], b_sizes[256];
  const int64_t m = c->a->sizes[0], n = c->b->sizes[1];
  const bool float8 = tocha_is_float8(c->a->dtype) && tocha_is_float8(c->b->dtype);
  if (float8 && is_one_float(a) && is_one_float(b)) return true;
  c->by_rows = float8 && is_float_matrix(a, m, 1) && is_float_matrix(b, 1, n);
  if (c->by_rows) return true;
  tocha_fail(cx, TOCHA_VALUE_ERROR, "Invalid scaling configuration.");
  tocha_hint(
      cx,
      "the matrices must be float8, and the scales float32: of one element each, or scale_a of "
      "(%lld, 1) and scale_b of (1, %lld), contiguous. They are %s and %s, with scales of %s %s "
      "and %s %s",
      (ll)m, (ll)n, tocha_dtype_name(c->a->dtype), tocha_dtype_name(c->b->dtype),
      tocha_dtype_name(a->dtype), tocha_shape_text(a->ndim, a->sizes, a_sizes, sizeof a_sizes),
      tocha_dtype_name(b->dtype), tocha_shape_text(b->ndim, b->sizes, b_sizes, sizeof b_sizes));
  return false;
}

static bool check_scaled(tocha_context *cx, scaled_call *c) {
  if (!check_matrices(cx, c->a, c->b) || !check_scales(cx, c)) return false;
  if (c->scale_result && !is_one_float(c->scale_result))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "scale_result must be a float scalar");
  if (c->bias && c->bias->numel != c->b->sizes[1])
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Bias must be size %lld but got %lld",
                      (ll)c->b->sizes[1], (ll)c->bias->numel);
  return true;
}

/* Adds the bias to a product in float32, divides by the scale of the result, and converts. */
static tocha_tensor *finish(tocha_context *cx, const scaled_call *c, tocha_tensor *product) {
  if (product && c->bias) {
    const int64_t row = c->bias->numel, one = 1;
    tocha_tensor *bias = tocha_as_rows(cx, c->bias, TOCHA_FLOAT32);
    bias = bias ? tocha_alias(cx, bias, 1, &row, &one, bias->offset) : NULL;
    product = bias ? tocha_add(cx, product, bias) : NULL;
  }
  if (product && c->scale_result) product = tocha_div(cx, product, c->scale_result);
  return product ? tocha_as_dtype(cx, product, c->dtype) : NULL;
}

/* Multiplies as PyTorch's CPU does: in float32, after the scales. */
static tocha_tensor *multiply_on_cpu(tocha_context *cx, const scaled_call *c) {
  tocha_tensor *a = tocha_as_dtype(cx, c->a, TOCHA_FLOAT32);
  tocha_tensor *b = tocha_as_dtype(cx, c->b, TOCHA_FLOAT32);
  if (!a || !b) return NULL;
  a = tocha_mul(cx, a, c->scale_a);
  return finish(cx, c, tocha_mm(cx, a, tocha_mul(cx, b, c->scale_b)));
}

/* --- on a GPU --------------------------------------------------------------------------------------------------------- */

static bool check_device_operands(tocha_context *cx, const scaled_call *c) {
  const int64_t *a = c->a->sizes, *b = c->b->sizes;
  if (a[1] % 16)
    return tocha_fail(
        cx, TOCHA_VALUE_ERROR,
        "Expected trailing dimension of mat1 to be divisible by 16 but got mat1 shape: "
        "(%lldx%lld).",
        (ll)a[0], (ll)a[1]);
  if (b[0] % 16 || b[1] % 16)
    return tocha_fail(cx, TOCHA_VALUE_ERROR, "mat2 shape (%lldx%lld) must be divisible by 16",
                      (ll)b[0], (ll)b[1]);
  const tocha_dtype x = c->a->dtype, y = c->b->dtype;
  if (x == TOCHA_FLOAT8_E5M2 && y == TOCHA_FLOAT8_E5M2)
    return tocha_fail(cx, TOCHA_VALUE_ERROR,
                      "Multiplication of two Float8_e5m2 matrices is not supported");
  for (int i = 0; i < 2; i++) {
    const tocha_dtype dtype = i ? y : x;
    if (dtype != TOCHA_FLOAT8_E4M3FN && dtype != TOCHA_FLOAT8_E5M2)
      return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR,
                        "\"_scaled_mm\" not implemented for '%s' on CUDA",
                        tocha_dtype_scalar_type(dtype));
  }
  return true;
}

/* Returns t as rows of memory that begin at 16-byte boundaries. */
static tocha_tensor *aligned_rows(tocha_context *cx, tocha_tensor *t) {
  tocha_tensor *rows = tocha_as_rows(cx, t, t->dtype);
  return rows && (uintptr_t)tocha_bytes(rows) % 16 ? tocha_copy_rows(cx, rows) : rows;
}

/* Returns b with its dimensions exchanged. */
static tocha_tensor *columns_of(tocha_context *cx, tocha_tensor *b) {
  const int64_t sizes[2] = {b->sizes[1], b->sizes[0]}, strides[2] = {b->strides[1], b->strides[0]};
  tocha_tensor *t = tocha_alias(cx, b, 2, sizes, strides, b->offset);
  return t ? aligned_rows(cx, t) : NULL;
}

/* Multiplies by the device's kernel. Scales of rows, a bias of another dtype than the result, and a float8 result's scale follow
 * in float32. */
static tocha_tensor *multiply_on_device(tocha_context *cx, scaled_call c, bool fast) {
  tocha_stream *stream = tocha_stream_of(cx, c.a->device);
  if (!stream || !check_device_operands(cx, &c)) return NULL;
  const bool narrow = c.dtype == TOCHA_FLOAT16 || c.dtype == TOCHA_BFLOAT16;
  const bool fused = narrow && !c.by_rows && (!c.bias || c.bias->dtype == c.dtype);
  const int64_t sizes[2] = {c.a->sizes[0], c.b->sizes[1]};
  tocha_tensor *a = aligned_rows(cx, c.a), *b = columns_of(cx, c.b);
  tocha_tensor *out = tocha_new(cx, 2, sizes, fused ? c.dtype : TOCHA_FLOAT32, c.a->device);
  tocha_tensor *bias = fused && c.bias ? tocha_as_rows(cx, c.bias, c.dtype) : NULL;
  if (!a || !b || !out || tocha_failed(cx)) return NULL;
  tocha_scaled_gemm_args args = {.a = tocha_bytes(a),
                                 .b = tocha_bytes(b),
                                 .bias = bias ? tocha_bytes(bias) : NULL,
                                 .out = tocha_bytes(out),
                                 .m = sizes[0],
                                 .n = sizes[1],
                                 .k = c.a->sizes[1],
                                 .a_dtype = (int8_t)a->dtype,
                                 .b_dtype = (int8_t)b->dtype,
                                 .out_dtype = (int8_t)out->dtype,
                                 .fast = fast};
  if (!c.by_rows) {
    args.scale_a = (const float *)(const void *)tocha_bytes(c.scale_a);
    args.scale_b = (const float *)(const void *)tocha_bytes(c.scale_b);
  }
  if (!tocha_launched(cx, stream->kernels->matmul->scaled_gemm(stream, &args))) return NULL;
  if (fused) return out;
  if (c.by_rows) out = tocha_mul(cx, tocha_mul(cx, out, c.scale_a), c.scale_b);
  return finish(cx, &c, out);
}

tocha_tensor *tocha_op_scaled_mm(tocha_context *cx, tocha_tensor *self, tocha_tensor *mat2,
                                 tocha_tensor *scale_a, tocha_tensor *scale_b, tocha_tensor *bias,
                                 tocha_tensor *scale_result, tocha_dtype out_dtype,
                                 bool use_fast_accum) {
  scaled_call c = {self, mat2, scale_a, scale_b, bias, scale_result, out_dtype, false};
  if (c.dtype == TOCHA_NO_DTYPE) c.dtype = self->dtype;
  if (!check_scaled(cx, &c)) return NULL;
  if (out_dtype != TOCHA_FLOAT8_E4M3FN && out_dtype != TOCHA_FLOAT8_E5M2) c.scale_result = NULL;
  const int64_t sizes[2] = {self->sizes[0], mat2->sizes[1]};
  const bool empty = sizes[0] == 0 || sizes[1] == 0 || self->sizes[1] == 0;
  if (self->device.type == TOCHA_META || (empty && !bias)) {
    tocha_tensor *out = tocha_new(cx, 2, sizes, c.dtype, self->device);
    return out && (!tocha_has_elements(out) || tocha_fill_data(cx, out, tocha_int(0))) ? out : NULL;
  }
  return tocha_is_on_device(self) && !empty ? multiply_on_device(cx, c, use_fast_accum)
                                            : multiply_on_cpu(cx, &c);
}

/* --- int8 --------------------------------------------------------------------------------------------------------------- */

static bool check_int_mm(tocha_context *cx, const tocha_tensor *self, const tocha_tensor *mat2) {
  const bool gpu = tocha_is_on_device(self);
  if (self->ndim != 2)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "_int_mm: self must be a matrix, got %d-D tensor",
                      self->ndim);
  if (mat2->ndim != 2)
    return tocha_fail(cx, TOCHA_INDEX_ERROR,
                      "Dimension out of range (expected to be in range of [-1, 0], but got 1)");
  if (self->sizes[1] != mat2->sizes[0])
    return tocha_fail(
        cx, TOCHA_RUNTIME_ERROR,
        "_int_mm: mat1 and mat2 shapes cannot be multiplied (%lldx%lld and %lldx%lld)",
        (ll)self->sizes[0], (ll)self->sizes[1], (ll)mat2->sizes[0], (ll)mat2->sizes[1]);
  if (self->dtype != TOCHA_INT8 && (gpu || self->dtype != TOCHA_UINT8))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      gpu ? "Expected self dtype to be of type int8 but got %s"
                          : "int_mm_out_cpu: Expected self dtype to be int8 or uint8 but got %s",
                      tocha_dtype_cpp_name(self->dtype));
  return mat2->dtype == TOCHA_INT8 ||
         tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                    gpu ? "Expected mat2 dtype to be of type int8 but got %s"
                        : "int_mm_out_cpu: Expected mat2 dtype to be of type int8 but got %s",
                    tocha_dtype_cpp_name(mat2->dtype));
}

/* Checks the sizes that cuBLAS multiplies. */
static bool check_int_sizes(tocha_context *cx, const tocha_tensor *self, const tocha_tensor *mat2) {
  const int64_t k = self->sizes[1], n = mat2->sizes[1];
  if (self->sizes[0] <= 16)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "self.size(0) needs to be greater than 16, but got %lld", (ll)self->sizes[0]);
  if (k > 0 && k % 8 == 0 && n > 0 && n % 8 == 0) return true;
  const bool first = k <= 0 || k % 8;
  return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                    "%s needs to be greater than 0 and a multiple of 8, but got %lld",
                    first ? "self.size(1)" : "mat2.size(1)", (ll)(first ? k : n));
}

tocha_tensor *tocha_op_int_mm(tocha_context *cx, tocha_tensor *self, tocha_tensor *mat2) {
  if (!check_int_mm(cx, self, mat2)) return NULL;
  const int64_t sizes[2] = {self->sizes[0], mat2->sizes[1]};
  tocha_tensor *out;
  if (self->device.type == TOCHA_META) return tocha_new(cx, 2, sizes, TOCHA_INT32, self->device);
  if (!tocha_is_on_device(self)) { /* sums of 64 bits wrap to those of 32 bits */
    tocha_tensor *a = tocha_as_dtype(cx, self, TOCHA_INT64);
    tocha_tensor *b = tocha_as_dtype(cx, mat2, TOCHA_INT64);
    out = a && b ? tocha_mm(cx, a, b) : NULL;
    return out ? tocha_as_dtype(cx, out, TOCHA_INT32) : NULL;
  }
  tocha_stream *stream = tocha_stream_of(cx, self->device);
  if (!stream || !check_int_sizes(cx, self, mat2)) return NULL;
  tocha_tensor *a = aligned_rows(cx, self), *b = aligned_rows(cx, mat2);
  out = tocha_new(cx, 2, sizes, TOCHA_INT32, self->device);
  if (!a || !b || !out) return NULL;
  tocha_int_gemm_args args = {.a = tocha_bytes(a),
                              .b = tocha_bytes(b),
                              .out = tocha_bytes(out),
                              .m = sizes[0],
                              .n = sizes[1],
                              .k = self->sizes[1]};
  return tocha_launched(cx, stream->kernels->matmul->int_gemm(stream, &args)) ? out : NULL;
}
