/* single.h: a matrix product on the calling thread alone, for kernels that multiply blocks in their own threads. */
#ifndef TOCHA_SINGLE_GEMM_H
#define TOCHA_SINGLE_GEMM_H

#include "core/internal.h"
#include "ops/matmul/kernels.h"

/* Returns the bytes of scratch memory that a product of any size needs, or 0 if the BLAS computes it. */
size_t tocha_single_gemm_bytes(const tocha_context *cx);
/* Computes one product of float32 or float64, without a bias. scratch: scratch memory of this thread, aligned to 64, or NULL if
 * the BLAS computes the product. */
void tocha_single_gemm(tocha_context *cx, const tocha_gemm_args *args, void *scratch);

#endif
