/* kernels.h: the arguments of the kernels of creation, and the table that a device fills (device/kernels.h). */
#ifndef TOCHA_CREATION_KERNELS_H
#define TOCHA_CREATION_KERNELS_H

#include "device/strided.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  TOCHA_SEQUENCE_RANGE,
  TOCHA_SEQUENCE_LINEAR,
  TOCHA_SEQUENCE_LOGARITHMIC,
  TOCHA_SEQUENCE_KINDS
};

/* out[i] for i in 0..count, dense. RANGE: start + i * step, or integer_start + i * integer_step if the dtype is an integer
 * type. LINEAR: tocha_linspace_value (sequence.h). LOGARITHMIC: base to the power of that value. */
typedef struct tocha_sequence_args {
  void *out;
  int64_t count, integer_start, integer_step;
  double start, step, stop, base;
  int32_t kind, dtype;
} tocha_sequence_args;

/* out = the part of `in` (batch, rows, columns) on one side of a diagonal, with zeros elsewhere; out is row-major. */
typedef struct tocha_triangle_args {
  void *out;
  const void *in;
  int64_t numel, rows, columns, diagonal;
  int64_t batch_stride, row_stride, column_stride; /* of in, in elements */
  int32_t item, upper;                             /* bytes of an element; upper: 0 or 1 */
} tocha_triangle_args;

/* out (2, count) of int64: the coordinates of a triangle's elements, row by row. All of them are in first_row..last_row. */
typedef struct tocha_triangle_indices_args {
  int64_t *out;
  int64_t count, rows, columns, offset, first_row, last_row, upper; /* upper: 0 or 1 */
} tocha_triangle_indices_args;

typedef struct tocha_creation_kernels {
  bool (*sequence)(tocha_stream *stream, const tocha_sequence_args *args);
  bool (*triangle)(tocha_stream *stream, const tocha_triangle_args *args);
  bool (*triangle_indices)(tocha_stream *stream, const tocha_triangle_indices_args *args);
} tocha_creation_kernels;

#ifdef __cplusplus
}
#endif
#endif
