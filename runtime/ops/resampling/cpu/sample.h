/* sample.h: loops that sample images at the places of a grid (sample.c). */
#ifndef TOCHA_SAMPLE_H
#define TOCHA_SAMPLE_H

#include "ops/resampling/kernels.h"
#include "tensor/loops.h"

typedef struct tocha_sample_loops {
  /* Places begin..end, counted over all images. */
  void (*sample)(const tocha_sample_args *args, int64_t begin, int64_t end);
  void (*slope)(const tocha_sample_args *args, int64_t begin, int64_t end);
  /* Images begin..end. */
  void (*spread)(const tocha_sample_args *args, int64_t begin, int64_t end);
} tocha_sample_loops;

extern const tocha_sample_loops *const tocha_sample_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

#endif
