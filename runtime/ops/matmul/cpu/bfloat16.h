/* bfloat16.h: products of bfloat16 by AVX512-BF16 without a library (bfloat16.c). */
#ifndef TOCHA_GEMM_BFLOAT16_H
#define TOCHA_GEMM_BFLOAT16_H

#include "ops/matmul/cpu/half.h"

/* Whether this processor has what it takes. */
bool tocha_bfloat16_kernel(void);
/* Whether the product, of bfloat16, is one that is done here: one row or column is not. */
bool tocha_bfloat16_takes(const tocha_gemm_args *args);
bool tocha_bfloat16_gemm(tocha_context *cx, const tocha_gemm_args *args);

#endif
