/* single.c: a matrix product on the calling thread, by the BLAS or by our loops. */
#include "ops/matmul/cpu/single.h"

#include "ops/matmul/cpu/blas.h"
#include "ops/matmul/cpu/plain.h"
#include "ops/matmul/cpu/openblas.h"

size_t tocha_single_gemm_bytes(const tocha_context *cx) {
  return tocha_find_openblas(cx) ? 0 : (size_t)TOCHA_GEMM_BLOCK_K * TOCHA_GEMM_BLOCK_N * 8;
}

void tocha_single_gemm(tocha_context *cx, const tocha_gemm_args *args, void *scratch) {
  if (!scratch) {
    tocha_blas_single_gemm(cx, args);
    return;
  }
  tocha_gemm_block g = tocha_gemm_block_of(cx, args);
  tocha_gemm_loops_table[cx->isa][args->dtype]->multiply(&g, scratch);
}
