/* plain.h: products by our own loops (plain.c). */
#ifndef TOCHA_PLAIN_GEMM_H
#define TOCHA_PLAIN_GEMM_H

#include "core/internal.h"
#include "ops/matmul/cpu/gemm.h"
#include "ops/matmul/kernels.h"

/* What our loops are given for a product, of its first matrices. */
tocha_gemm_block tocha_gemm_block_of(const tocha_context *cx, const tocha_gemm_args *args);

/* alpha * a @ b + beta * out; args without a bias. false when interrupted, or where memory lacks. */
bool tocha_plain_gemm(tocha_context *cx, const tocha_gemm_args *args);
void tocha_plain_dot(const tocha_dot_args *args);

#endif
