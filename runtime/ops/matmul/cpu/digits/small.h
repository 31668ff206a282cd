/* small.h: products of float32 with few rows or columns, in the order in which MKL adds them. */
#ifndef TOCHA_SMALL_H
#define TOCHA_SMALL_H

#include "core/isa.h"
#include "ops/matmul/kernels.h"

/* Whether that order is known for these sizes on this processor. */
bool tocha_small_takes(const tocha_gemm_args *args);

/* By the calling thread: the matrices from begin to end of the batch. */
void tocha_small_gemm(tocha_isa isa, const tocha_gemm_args *args, int64_t begin, int64_t end);

/* The same of an inner product. */
bool tocha_small_takes_dot(const tocha_dot_args *args);
float tocha_small_dot(const tocha_dot_args *args);

#endif
