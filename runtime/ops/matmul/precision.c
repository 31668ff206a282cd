/* precision.c: the switches for precision that products may lose (TensorFloat-32, and sums in 16-bit types), and those of cuDNN. */
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

static bool is_cudnn_switch(tocha_cudnn_switch which) {
  return which >= TOCHA_CUDNN_ENABLED && which <= TOCHA_CUDNN_TF32;
}

void tocha_set_cudnn(tocha_context *cx, tocha_cudnn_switch which, bool on) {
  if (cx && is_cudnn_switch(which)) cx->cudnn.on[which] = on;
}

bool tocha_get_cudnn(const tocha_context *cx, tocha_cudnn_switch which) {
  return cx && is_cudnn_switch(which) && cx->cudnn.on[which];
}

void tocha_set_cudnn_benchmark_limit(tocha_context *cx, int64_t limit) {
  if (cx) cx->cudnn.benchmark_limit = limit;
}

int64_t tocha_get_cudnn_benchmark_limit(const tocha_context *cx) {
  return cx ? cx->cudnn.benchmark_limit : 0;
}

bool tocha_set_products_of_cudnn(tocha_context *cx, bool on) {
  bool before = cx->products.of_cudnn;
  cx->products.of_cudnn = on && cx->cudnn.on[TOCHA_CUDNN_ENABLED];
  return before;
}

void tocha_set_gemm_precision(const tocha_context *cx, tocha_gemm_args *args) {
  args->tf32 = cx->products.of_cudnn ? cx->cudnn.on[TOCHA_CUDNN_TF32]
                                     : cx->products.precision != TOCHA_MATMUL_HIGHEST;
  args->reduced = tocha_reduced_precision(cx, (tocha_dtype)args->dtype);
}
