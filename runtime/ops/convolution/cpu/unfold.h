/* unfold.h: what windows cover, as rows (unfold.c). */
#ifndef TOCHA_UNFOLD_H
#define TOCHA_UNFOLD_H

#include "ops/convolution/kernels.h"
#include "tensor/loops.h"
#include "tensor/pieces.h"

/* Unfinished once *stop is set. */
typedef struct tocha_unfold_loops {
  /* Rows begin..end of columns, of images * channels * kernel. */
  void (*unfold)(const tocha_unfold_args *args, int64_t begin, int64_t end, tocha_stop stop);
  /* Planes begin..end of the images, of images * channels. */
  void (*fold)(const tocha_unfold_args *args, int64_t begin, int64_t end, tocha_stop stop);
} tocha_unfold_loops;

extern const tocha_unfold_loops *const tocha_unfold_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

#endif
