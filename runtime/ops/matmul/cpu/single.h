/* single.h: a matrix product by the calling thread alone, for kernels that multiply blocks in their own threads. */
#ifndef TOCHA_SINGLE_GEMM_H
#define TOCHA_SINGLE_GEMM_H

#include "core/internal.h"
#include "ops/matmul/kernels.h"

/* The bytes of `room` that a product needs, of any size: 0 where the BLAS does them all. */
size_t tocha_single_gemm_room(void);
/* One product of float32 or float64, without a bias. room: aligned to 64; of each thread its own. */
void tocha_single_gemm(tocha_context *cx, const tocha_gemm_args *args, void *room);

#endif
