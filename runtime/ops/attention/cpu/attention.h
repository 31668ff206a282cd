/* attention.h: what becomes of blocks of scores (attention.c). All arrays are of the loops' type; rows of a block follow each
 * other. */
#ifndef TOCHA_ATTENTION_LOOPS_H
#define TOCHA_ATTENTION_LOOPS_H

#include <stdint.h>

#include "tensor/loops.h"

/* Scores (rows, columns) as a product has made them, and what is added to them (NULL: nothing; strides in elements). Row i sees
 * the columns before visible + i. */
typedef struct tocha_scores {
  void *scores;
  const void *mask;
  int64_t rows, columns, visible, mask_row, mask_column;
  int rounds; /* what weights, and what arrives at scores, are rounded to before they are multiplied; 0: nothing */
} tocha_scores;

/* Rows of a running softmax: the greatest score so far, the sum of exp(score - greatest), and sums (rows, width) weighted by
 * that. */
typedef struct tocha_running {
  void *greatest, *sum, *out;
  int64_t rows, width;
} tocha_running;

typedef struct tocha_attention_loops {
  void (*begin)(const tocha_running *r);
  /* Scores become weights; what is running is scaled to the new greatest score. */
  void (*add)(const tocha_scores *s, const tocha_running *r);
  /* Writes out / sum into rows of target, and log sum exp. */
  void (*finish)(const tocha_running *r, void *target, int64_t target_row, void *logsumexp);
  /* means[i]: the inner product of rows i. */
  void (*means)(const void *a, int64_t a_row, const void *b, int64_t b_row, int64_t rows,
                int64_t width, void *means);
  /* Scores become probabilities; slopes, what arrives at these, what arrives at scores, times scale (before rounding: 1). */
  void (*slopes)(const tocha_scores *s, void *slopes, const void *logsumexp, const void *means,
                 double scale);
  void (*round)(void *x, int64_t n, int dtype);
} tocha_attention_loops;

extern const tocha_attention_loops
    *const tocha_attention_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

#endif
