/* order.c: the choices of order.h. PyTorch's products are MKL's. The orders of its sums were found by adding numbers that
 * swallow others (FPRev, arXiv 2411.00442). */
#include "ops/matmul/cpu/digits/order.h"

#include "ops/matmul/cpu/digits/small.h"

static bool is_fast(const tocha_context *cx) { return cx->digits == TOCHA_DIGITS_FAST; }

bool tocha_product_is_small(const tocha_context *cx, const tocha_gemm_args *args) {
  return !is_fast(cx) && tocha_small_takes(args);
}

/* Returns true if the product is of float32 on AVX-512 and its order is known. The order is unknown if MKL has loops of its own
 * for so few rows or columns. */
static bool is_common(const tocha_context *cx, const tocha_gemm_args *args) {
  enum { MIN_ROWS = 4, MIN_COLUMNS = 12 };
  return args->dtype == TOCHA_FLOAT32 && cx->isa == TOCHA_ISA_AVX512 &&
         (is_fast(cx) || (args->m >= MIN_ROWS && args->n >= MIN_COLUMNS));
}

bool tocha_product_is_onednns(const tocha_context *cx, const tocha_gemm_args *args) {
  enum { WORTH_ONEDNN = 1 << 20 };
  return is_common(cx, args) && args->m * args->n * args->k >= WORTH_ONEDNN;
}

/* Returns the number of columns that OpenBLAS would not add one term after the other. Its loops for small matrices (up to
 * 100^3) add 16 or 4 terms at once, in the columns after the last 16 of a row-major b, and in all columns of a transposed one
 * if out is small. */
static int64_t narrow_columns(const tocha_gemm_args *args) {
  enum { MAX_WORK = 1000000, MIN_TERMS = 32, MAX_OUT = 1280, WIDTH = 16 };
  double beta = tocha_scalar_real(args->beta);
  int64_t work = args->m * args->n * tocha_terms_together(args->k, args->k);
  if (work > MAX_WORK || args->k < MIN_TERMS || args->a_transposed ||
      tocha_scalar_real(args->alpha) != 1 || (beta != 0 && beta != 1))
    return 0;
  if (args->b_transposed) return args->m * args->n <= MAX_OUT ? args->n : 0;
  int64_t last = args->n % WIDTH;
  return args->n > WIDTH && last <= WIDTH / 2 ? last : 0;
}

tocha_product_order tocha_order_of_product(const tocha_context *cx, const tocha_gemm_args *args,
                                           bool by_onednn, bool shared) {
  if (is_fast(cx) || !is_common(cx, args)) return (tocha_product_order){false, 0};
  /* OpenBLAS gives pieces other digits if threads share them. */
  return (tocha_product_order){by_onednn || !shared, by_onednn ? 0 : narrow_columns(args)};
}

/* Adds up to 16 products as the lanes of one register, halves to halves, as MKL does for most lengths up to 16. */
enum { LANES = 16 };
static float short_dot(const float *a, const float *b, int n, int64_t a_stride, int64_t b_stride) {
  float products[LANES] = {0};
  for (int i = 0; i < n; i++) products[i] = a[i * a_stride] * b[i * b_stride];
  if (n < 4) return products[0] + products[1] + products[2];
  for (int half = LANES / 2; half > 0; half /= 2)
    for (int i = 0; i < half; i++) products[i] += products[i + half];
  return products[0];
}

bool tocha_dot_in_order(const tocha_context *cx, const tocha_dot_args *args) {
  if (is_fast(cx) || args->dtype != TOCHA_FLOAT32) return false;
  if (tocha_small_takes_dot(args))
    *(float *)args->out = tocha_small_dot(args);
  else if (args->n <= LANES)
    *(float *)args->out = short_dot(args->a, args->b, (int)args->n, args->a_stride, args->b_stride);
  else
    return false;
  return true;
}
