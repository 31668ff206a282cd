/* attention.h: the loops over blocks of scores (attention.c). All arrays have the loops' dtype; the rows of a block are
 * contiguous. */
#ifndef TOCHA_ATTENTION_LOOPS_H
#define TOCHA_ATTENTION_LOOPS_H

#include <stdint.h>

#include "tensor/loops.h"

/* Scores (rows, columns), the result of a product, and the mask that is added (NULL: none; strides in elements). Row i sees the
 * columns before visible + i. */
typedef struct tocha_scores {
  void *scores;
  const void *mask;
  int64_t rows, columns, visible, mask_row, mask_column;
  int rounds; /* the dtype that weights and slopes are rounded to before products, or 0 */
} tocha_scores;

/* Rows of a running softmax: the maximum of the scores so far, the sum of exp(score - maximum), and the sums (rows, width)
 * weighted by that. */
typedef struct tocha_running {
  void *maximum, *sum, *out;
  int64_t rows, width;
} tocha_running;

typedef struct tocha_attention_loops {
  void (*begin)(const tocha_running *r);
  /* Replaces scores by weights, and scales the running sums to the new maximum. */
  void (*add)(const tocha_scores *s, const tocha_running *r);
  /* Writes out / sum to rows of target (rows, width), and log sum exp to logsumexp (rows). */
  void (*finish)(const tocha_running *r, void *target, int64_t target_row, void *logsumexp);
  /* Writes to means (rows) the inner products of the rows of a and b (rows, width). */
  void (*means)(const void *a, int64_t a_row, const void *b, int64_t b_row, int64_t rows,
                int64_t width, void *means);
  /* Replaces scores by probabilities, and slopes, the gradients of the probabilities, by the gradients of the scores, times
   * scale (1 if the result is rounded). */
  void (*slopes)(const tocha_scores *s, void *slopes, const void *logsumexp, const void *means,
                 double scale);
  void (*round)(void *x, int64_t n, int dtype);
} tocha_attention_loops;

extern const tocha_attention_loops
    *const tocha_attention_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

#endif
