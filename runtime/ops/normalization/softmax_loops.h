/* softmax_loops.h: the inner loops of softmax and log_softmax, one copy per instruction set. */
#ifndef TOCHA_SOFTMAX_LOOPS_H
#define TOCHA_SOFTMAX_LOOPS_H

#include "ops/pointwise/elementwise.h"
#include "tensor/math/vector_math.h"

/* rows rows of n elements each; in and out do not overlap. */
typedef void (*tocha_softmax_rows)(const tocha_vector_math *math, const void *in, void *out,
                                   int64_t rows, int64_t n, bool log);
/* grad_in from grad and out, the softmax's result. */
typedef void (*tocha_softmax_rows_backward)(const tocha_vector_math *math, const void *grad,
                                            const void *out, void *grad_in, int64_t rows, int64_t n,
                                            bool log);
/* The same down `width` columns of n rows that are `stride` elements apart; work: 2 * width. */
typedef void (*tocha_softmax_columns)(const tocha_vector_math *math, const void *in, void *out,
                                      int64_t n, int64_t stride, int64_t width, bool log,
                                      void *work);
typedef void (*tocha_softmax_columns_backward)(const tocha_vector_math *math, const void *grad,
                                               const void *out, void *grad_in, int64_t n,
                                               int64_t stride, int64_t width, bool log, void *work);

typedef struct tocha_softmax_loops { /* [0] float32, [1] float64 */
  tocha_softmax_rows rows[2];
  tocha_softmax_rows_backward rows_backward[2];
  tocha_softmax_columns columns[2];
  tocha_softmax_columns_backward columns_backward[2];
} tocha_softmax_loops;

#endif
