/* blas.h: products by the BLAS, if the BLAS is available (blas.c). */
#ifndef TOCHA_BLAS_H
#define TOCHA_BLAS_H

#include "core/internal.h"
#include "ops/matmul/kernels.h"

/* Return true if the BLAS computes the product (or inner product): floating types, sizes that fit into its own integers, and an
 * alpha that is not 0, because OpenBLAS's kernels differ in the result of 0 times infinity. */
bool tocha_blas_takes(const tocha_context *cx, const tocha_gemm_args *args);
bool tocha_blas_takes_dot(const tocha_context *cx, const tocha_dot_args *args);
/* Computes alpha * a @ b + beta * out; args have no bias. Returns false if interrupted. */
bool tocha_blas_gemm(tocha_context *cx, const tocha_gemm_args *args);
/* Computes the same for one matrix of the batch, on the calling thread alone. */
void tocha_blas_single_gemm(const tocha_context *cx, const tocha_gemm_args *args);
void tocha_blas_dot(tocha_context *cx, const tocha_dot_args *args);

#endif
