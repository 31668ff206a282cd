/* half.c: selects the products of 16-bit types that are computed in their own type, by oneDNN or by the tiles of bfloat16.c. */
#include "ops/matmul/cpu/half.h"

#include "device/devices.h"
#include "ops/matmul/cpu/bfloat16.h"
#include "ops/matmul/cpu/onednn.h"

/* Multiply-adds from which each way pays, measured. Our kernel is faster than float32 with its conversions from 12x12x12.
 * oneDNN spends 0.2 ms on each new shape, and is a tenth faster than our kernel. */
enum { WORTH_KERNEL = 1 << 11, WORTH_ONEDNN = 1 << 22 };

/* Returns false if the processor certainly cannot multiply the type without converting it. In other cases oneDNN decides. */
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

/* Returns true if oneDNN should compute the product: a large one with alpha 1 and beta 0. It may have a bias. */
static bool worth_onednn(const tocha_gemm_args *args) {
  return tocha_scalar_real(args->alpha) == 1 && tocha_scalar_real(args->beta) == 0 &&
         args->batch * args->m * args->n * args->k >= WORTH_ONEDNN;
}

bool tocha_takes_half(tocha_stream *stream, const tocha_gemm_args *args) {
  if (args->m > INT32_MAX || args->n > INT32_MAX || args->k > INT32_MAX) return false;
  if (args->batch * args->m * args->n * args->k < WORTH_KERNEL ||
      !may_multiply((tocha_dtype)args->dtype))
    return false;
  return (args->dtype == TOCHA_BFLOAT16 && tocha_bfloat16_takes(args)) ||
         (worth_onednn(args) && tocha_onednn_takes(tocha_stream_context(stream), args));
}

bool tocha_half_gemm(tocha_context *cx, const tocha_gemm_args *args) {
  if (worth_onednn(args) && tocha_onednn_gemm(cx, args)) return !tocha_interrupted(cx);
  if (tocha_failed(cx)) return false;
  if (args->dtype == TOCHA_BFLOAT16 && tocha_bfloat16_takes(args))
    return tocha_bfloat16_gemm(cx, args);
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "oneDNN could not multiply these matrices");
  return false;
}
