/* reductions.h: how two ranks' elements become one, for each operation and dtype that PyTorch's Gloo takes. */
#ifndef TOCHA_GLOO_REDUCTIONS_H
#define TOCHA_GLOO_REDUCTIONS_H

#include "distributed/engine.h"

/* Writes op(a[i], b[i]) to c[i], which may be a or b. Rounds as PyTorch does. */
typedef void gloo_reduction(void *c, const void *a, const void *b, size_t count);

/* Returns the loop for this processor, or nullptr if PyTorch's Gloo refuses the operation. The mean's is the sum's. */
gloo_reduction *find_reduction(tocha_dtype dtype, tocha_reduce_op op);

/* Divides floating-point elements by the number of ranks: the end of a mean. */
void divide_by(void *data, tocha_dtype dtype, int64_t count, int ranks);

#endif
