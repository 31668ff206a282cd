/* kernels.c: the CPU's matrix products. float16 and bfloat16 use oneDNN or our tiles, float32 and float64 the BLAS, and
 * integers our own loops. */
#include "ops/matmul/kernels.h"

#include <string.h>

#include "device/devices.h"
#include "ops/matmul/cpu/blas.h"
#include "ops/matmul/cpu/half.h"
#include "ops/matmul/cpu/plain.h"
#include "tensor/parallel.h"

static void spread_rows(void *user, int64_t begin, int64_t end) {
  const tocha_gemm_args *args = user;
  size_t bytes = (size_t)args->n * tocha_dtype_size((tocha_dtype)args->dtype);
  for (int64_t i = begin; i < end; i++)
    memcpy((char *)args->out + (size_t)i * bytes, args->bias, bytes);
}

/* Copies the bias (n) to every row of out (batch, m, n). */
static bool spread_bias(tocha_context *cx, const tocha_gemm_args *args) {
  return tocha_parallel_for(cx, args->batch * args->m, TOCHA_GRAIN / args->n + 1, spread_rows,
                            (void *)(uintptr_t)args);
}

static bool gemm(tocha_stream *stream, const tocha_gemm_args *args) {
  tocha_context *cx = tocha_stream_context(stream);
  if (args->dtype == TOCHA_FLOAT16 || args->dtype == TOCHA_BFLOAT16)
    return tocha_half_gemm(cx, args);
  tocha_gemm_args added = *args;
  if (args->bias) {
    if (!spread_bias(cx, args)) return false;
    added.beta = tocha_int(1);
  }
  return tocha_blas_takes(cx, args) ? tocha_blas_gemm(cx, &added) : tocha_plain_gemm(cx, &added);
}

static bool dot(tocha_stream *stream, const tocha_dot_args *args) {
  tocha_context *cx = tocha_stream_context(stream);
  if (tocha_blas_takes_dot(cx, args))
    tocha_blas_dot(cx, args);
  else
    tocha_plain_dot(args);
  return !tocha_interrupted(cx);
}

extern const tocha_matmul_kernels tocha_cpu_matmul;
const tocha_matmul_kernels tocha_cpu_matmul = {
    .gemm = gemm, .takes_half = tocha_takes_half, .dot = dot};
