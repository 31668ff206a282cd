/* bfloat16.h: products of bfloat16 by AVX512-BF16 without a library (bfloat16.c). */
#ifndef TOCHA_GEMM_BFLOAT16_H
#define TOCHA_GEMM_BFLOAT16_H

#include "ops/matmul/cpu/half.h"

/* Returns true if this processor has AVX512-BF16 and the loops were compiled for it. */
bool tocha_bfloat16_kernel(void);
/* Returns true if tocha_bfloat16_gemm computes this product of bfloat16. Products with fewer than 4 rows or columns are left to
 * other code. */
bool tocha_bfloat16_takes(const tocha_gemm_args *args);
bool tocha_bfloat16_gemm(tocha_context *cx, const tocha_gemm_args *args);

#endif
