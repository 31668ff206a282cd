/* single.c: a matrix product by the calling thread: the BLAS's, or our loops'. */
#include "ops/matmul/cpu/single.h"

#include "ops/matmul/cpu/blas.h"
#include "ops/matmul/cpu/gemm.h"
#include "ops/matmul/cpu/half.h"
#include "ops/matmul/cpu/openblas.h"

size_t tocha_single_gemm_room(void) {
  return tocha_find_openblas() ? 0 : (size_t)TOCHA_GEMM_BLOCK_K * TOCHA_GEMM_BLOCK_N * 8;
}

void tocha_single_gemm(tocha_context *cx, const tocha_gemm_args *args, void *room) {
  if (!room) {
    tocha_blas_single_gemm(args);
    return;
  }
  tocha_matrix_strides a = tocha_strides_of(args->a_transposed, args->lda);
  tocha_matrix_strides b = tocha_strides_of(args->b_transposed, args->ldb);
  tocha_gemm_block g = {.m = args->m,
                        .n = args->n,
                        .k = args->k,
                        .a = args->a,
                        .b = args->b,
                        .c = args->out,
                        .a_row = a.row,
                        .a_column = a.column,
                        .b_row = b.row,
                        .b_column = b.column,
                        .c_row = args->n,
                        .alpha = args->alpha,
                        .beta = args->beta,
                        .stop = &cx->interrupted};
  tocha_gemm_loops_table[cx->isa][args->dtype]->multiply(&g, room);
}
