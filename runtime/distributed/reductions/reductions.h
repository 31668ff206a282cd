/* reductions.h: how two ranks' elements become one, for the engines that add on the CPU. They are plug-ins, so each has its copy. */
#ifndef TOCHA_ENGINE_REDUCTIONS_H
#define TOCHA_ENGINE_REDUCTIONS_H

#include "distributed/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes op(a[i], b[i]) to c[i], which may be a or b. Rounds as PyTorch does. */
typedef void engine_reduction(void *c, const void *a, const void *b, size_t count);

/* Returns the loop for this processor, or NULL if the dtype has no such operation. The mean's is the sum's. */
engine_reduction *engine_find_reduction(tocha_dtype dtype, tocha_reduce_op op);

/* Divides floating-point elements by the number of ranks: the end of a mean. */
void engine_divide(void *data, tocha_dtype dtype, int64_t count, int ranks);

#ifdef __cplusplus
}
#endif
#endif
