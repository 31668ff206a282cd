/* gemm_half.c: which half-precision products are done in their own type, and by whom. */
#include "ops/matmul/gemm_half.h"
#include "tensor/copy.h"

#include "tensor/iterator.h"
#include "ops/matmul/onednn.h"

/* Multiply-adds from which each pays, measured: our kernel beats float32 with its conversions from
 * 12x12x12; oneDNN spends 0.2 ms on each new shape, and is ahead of our kernel by a tenth. */
enum { WORTH_KERNEL = 1 << 11, WORTH_ONEDNN = 1 << 22 };

/* Whether the processor may multiply the type without converting it; oneDNN knows for certain. */
static bool may_multiply(tocha_dtype dtype) {
#ifdef TOCHA_X86_KERNELS
#if defined(__clang__) || __GNUC__ >= 10
  if (dtype == TOCHA_BFLOAT16) return __builtin_cpu_supports("avx512bf16");
#endif
#if !defined(__clang__) && __GNUC__ >= 12
  if (dtype == TOCHA_FLOAT16) return __builtin_cpu_supports("avx512fp16");
#endif
#endif
  (void)dtype;
  return true;
}

/* false, without an error, where nobody can. *ok is false after an error. */
static bool product(tocha_context *cx, const tocha_half_product *p, bool *ok) {
  int64_t work = p->batch * p->m * p->n * p->k;
  *ok = true;
  if (work >= WORTH_ONEDNN && may_multiply(p->dtype)) {
    if (tocha_onednn_product(cx, p)) return true;
    if (tocha_failed(cx)) {
      *ok = false;
      return true;
    }
  }
  return work >= WORTH_KERNEL && tocha_bfloat16_product(cx, p, ok);
}

/* A bias as both ways of multiplying take it: one number a column, as they lie in memory. */
static bool is_bias(const tocha_tensor *self, const tocha_tensor *b) {
  if (self->ndim < 1 || self->dtype != b->dtype) return false;
  int64_t n = b->sizes[b->ndim - 1];
  int last = self->ndim - 1;
  return self->numel == n && self->sizes[last] == n && (n == 1 || self->strides[last] == 1);
}

/* The strides of one operand as the multipliers read it. */
typedef struct layout {
  int64_t batch, row, column;
} layout;

static bool readable(const tocha_tensor *t, layout *l) {
  int last = t->ndim - 1;
  int64_t rows = t->sizes[last - 1], columns = t->sizes[last];
  l->row = t->strides[last - 1];
  l->column = t->strides[last];
  l->batch = t->ndim == 3 && t->sizes[0] > 1 ? t->strides[0] : 0;
  if (columns == 1) l->column = 1; /* strides over a single row or column never matter */
  if (rows == 1) l->row = l->column == 1 ? columns : 1;
  return l->batch >= 0 &&
         ((l->column == 1 && l->row >= columns) || (l->row == 1 && l->column >= rows));
}

/* t itself, or a copy in rows. */
static tocha_tensor *as_readable(tocha_context *cx, tocha_tensor *t, layout *l) {
  if (readable(t, l)) return t;
  tocha_tensor *copy = tocha_new(cx, t->ndim, t->sizes, t->dtype, t->device);
  if (!copy || !tocha_copy_data(cx, copy, t)) return NULL;
  readable(copy, l);
  return copy;
}

bool tocha_half_multiply(tocha_context *cx, tocha_tensor *self, tocha_tensor *a, tocha_tensor *b,
                         tocha_scalar beta, tocha_scalar alpha, tocha_tensor **out) {
  int last = a->ndim - 1;
  tocha_half_product p = {.dtype = a->dtype, .batch = a->ndim == 3 ? a->sizes[0] : 1};
  p.m = a->sizes[last - 1];
  p.k = a->sizes[last];
  p.n = b->sizes[last];
  *out = NULL;
  if (a->device.type != TOCHA_CPU || tocha_scalar_real(alpha) != 1) return false;
  if (self && (tocha_scalar_real(beta) != 1 || !is_bias(self, b))) return false;
  int64_t worth = p.dtype == TOCHA_BFLOAT16 ? WORTH_KERNEL : WORTH_ONEDNN;
  if (p.batch * p.m * p.n * p.k < worth || !may_multiply(p.dtype)) return false;
  if (p.m > INT32_MAX || p.n > INT32_MAX || p.k > INT32_MAX) return false;
  tocha_scope scope = tocha_scope_begin(cx);
  int64_t sizes[3] = {p.batch, p.m, p.n};
  int skip = a->ndim == 3 ? 0 : 1;
  tocha_tensor *result = tocha_new(cx, 3 - skip, sizes + skip, a->dtype, a->device);
  layout x, y;
  if (!result || !(a = as_readable(cx, a, &x)) || !(b = as_readable(cx, b, &y))) return true;
  p.a = tocha_bytes(a);
  p.a_batch = x.batch;
  p.a_row = x.row;
  p.a_column = x.column;
  p.b = tocha_bytes(b);
  p.b_batch = y.batch;
  p.b_row = y.row;
  p.b_column = y.column;
  p.bias = self ? tocha_bytes(self) : NULL;
  p.out = tocha_bytes(result);
  bool ok, done = product(cx, &p, &ok);
  *out = done && ok && !tocha_interrupted(cx) ? result : NULL;
  tocha_scope_end(cx, scope, *out);
  return done;
}
