/* precision.c: the switches for precision that products may lose: TensorFloat-32, and sums in 16-bit types. */
#include "ops/matmul/gemm.h"

void tocha_set_matmul_precision(tocha_context *cx, tocha_matmul_precision precision) {
  if (!cx) return;
  cx->products.precision = (uint8_t)precision;
}

tocha_matmul_precision tocha_get_matmul_precision(const tocha_context *cx) {
  if (!cx) return TOCHA_MATMUL_HIGHEST;
  return (tocha_matmul_precision)cx->products.precision;
}

void tocha_set_reduced_precision(tocha_context *cx, tocha_dtype dtype, bool allowed) {
  if (dtype == TOCHA_FLOAT16) cx->products.whole_float16 = !allowed;
  if (dtype == TOCHA_BFLOAT16) cx->products.whole_bfloat16 = !allowed;
}

bool tocha_reduced_precision(const tocha_context *cx, tocha_dtype dtype) {
  if (!cx) return false;
  return !(dtype == TOCHA_FLOAT16 ? cx->products.whole_float16 : cx->products.whole_bfloat16);
}

void tocha_set_gemm_precision(const tocha_context *cx, tocha_gemm_args *args) {
  args->tf32 = cx->products.precision != TOCHA_MATMUL_HIGHEST;
  args->reduced = tocha_reduced_precision(cx, (tocha_dtype)args->dtype);
}
