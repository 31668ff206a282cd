/* plain.h: products by our own loops (plain.c). */
#ifndef TOCHA_PLAIN_GEMM_H
#define TOCHA_PLAIN_GEMM_H

#include "core/internal.h"
#include "ops/matmul/cpu/gemm.h"
#include "ops/matmul/kernels.h"

/* Returns the arguments of our loops for the first matrices of a product. */
tocha_gemm_block tocha_gemm_block_of(tocha_context *cx, const tocha_gemm_args *args);

/* Computes alpha * a @ b + beta * out; args have no bias. Returns false if interrupted, or if memory ran out. */
bool tocha_plain_gemm(tocha_context *cx, const tocha_gemm_args *args);
void tocha_plain_dot(const tocha_dot_args *args);

#endif
