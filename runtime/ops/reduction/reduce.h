/* reduce.h: what the files of reductions share: dimensions, shapes of results, the walk. */
#ifndef TOCHA_REDUCE_H
#define TOCHA_REDUCE_H

#include "ops/reduction/reduce_loops.h"
#include "tensor/copy.h"

/* Which dimensions go, and the sizes that remain. */
typedef struct tocha_reduced {
  uint64_t mask;     /* bit per dimension of the input */
  int64_t count;     /* elements that make one element of the result */
  int ndim;          /* of the result */
  int64_t sizes[64]; /* of the result */
} tocha_reduced;

/* dims: wrapped here; none means all. false with PyTorch's text for one out of range or repeated. */
bool tocha_reduced_of(tocha_context *cx, const tocha_tensor *self, int dims_count,
                      const int64_t *dims, bool keepdim, tocha_reduced *reduced);
/* float32, float64 or int64: what values of d are reduced in, and its index in the loop tables. */
tocha_dtype tocha_reduce_dtype(tocha_dtype d);
int tocha_reduce_index(tocha_dtype compute);
/* out (its sizes those of `reduced`, row-major, filled with the identity) = out (op) self over the
 * reduced dimensions. Both in a type of tocha_reduce_dtype. Full reductions are cut in one part a
 * thread, whose results are combined in order. */
bool tocha_reduce_run(tocha_context *cx, tocha_tensor *out, tocha_tensor *self,
                      const tocha_reduced *reduced, tocha_plane_loop loop, tocha_scalar identity);
/* Whether an element of t is zero; looks at its values, so on a device it waits, as PyTorch does.
 * false on failure. */
bool tocha_has_zero(tocha_context *cx, const tocha_tensor *t, bool *answer);
#endif
