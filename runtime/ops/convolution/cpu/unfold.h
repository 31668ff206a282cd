/* unfold.h: the loops that copy windows of images to rows of columns and back (unfold.c). */
#ifndef TOCHA_UNFOLD_H
#define TOCHA_UNFOLD_H

#include "ops/convolution/kernels.h"
#include "tensor/loops.h"
#include "tensor/interruptible.h"

/* Both loops return early, with unfinished results, once *stop is set. */
typedef struct tocha_unfold_loops {
  /* Writes the rows begin..end of columns; there are images * channels * kernel of them. */
  void (*unfold)(const tocha_unfold_args *args, int64_t begin, int64_t end, tocha_stop stop);
  /* Writes the planes begin..end of the images; there are images * channels of them. */
  void (*fold)(const tocha_unfold_args *args, int64_t begin, int64_t end, tocha_stop stop);
} tocha_unfold_loops;

extern const tocha_unfold_loops *const tocha_unfold_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

#endif
