/* kernels.h: the kernels of cat and repeat_interleave: what they are given, and the table that a device fills (device/kernels.h). */
#ifndef TOCHA_SHAPE_KERNELS_H
#define TOCHA_SHAPE_KERNELS_H

#include "device/strided.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TOCHA_CAT_PARTS = 64 };

/* Copies parts side by side: row r of part p, `bytes` long, to to + r * stride + at. All sizes are
 * multiples of `piece` (a power of two up to 16), and so are the addresses. */
typedef struct tocha_cat_args {
  void *to;
  int64_t rows, stride;
  int32_t count, piece;
  struct {
    const void *from;
    int64_t bytes, at;
  } parts[TOCHA_CAT_PARTS];
} tocha_cat_args;

/* out[i] = the first k with ends[k] > i, for i in 0..total. */
typedef struct tocha_repeat_args {
  const int64_t *ends;
  int64_t *out;
  int64_t n, total;
} tocha_repeat_args;

typedef struct tocha_shape_kernels {
  bool (*repeat_positions)(tocha_stream *stream, const tocha_repeat_args *args);
  bool (*cat)(tocha_stream *stream, const tocha_cat_args *args);
} tocha_shape_kernels;

#ifdef __cplusplus
}
#endif
#endif
