/* small.h: products of float32 with few rows or columns, in the order in which MKL adds the terms (small.c). */
#ifndef TOCHA_SMALL_H
#define TOCHA_SMALL_H

#include "core/isa.h"
#include "ops/matmul/kernels.h"

/* Returns true if that order is known for these sizes on this processor. */
bool tocha_small_takes(const tocha_gemm_args *args);

/* Computes the matrices begin..end of the batch on the calling thread. */
void tocha_small_gemm(tocha_isa isa, const tocha_gemm_args *args, int64_t begin, int64_t end);

/* Returns true if the order of an inner product is known; tocha_small_dot computes it then. */
bool tocha_small_takes_dot(const tocha_dot_args *args);
float tocha_small_dot(const tocha_dot_args *args);

#endif
