/* kernels.h: the kernels of elementwise operators: what they are given, and the table that a device fills (device/kernels.h). */
#ifndef TOCHA_POINTWISE_KERNELS_H
#define TOCHA_POINTWISE_KERNELS_H

#include "device/strided.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Operand 0 is the output. An input with a NULL data pointer is a number: its element of the
 * compute type is in values. */
typedef struct tocha_elementwise_args {
  tocha_strided_layout layout;
  int32_t row;     /* tocha_row_id */
  int32_t compute; /* tocha_compute */
  uint64_t values[TOCHA_LAYOUT_OPERANDS];
  uint64_t numbers[4]; /* the row's p[], of the compute type, packed as the C loops read them */
} tocha_elementwise_args;

typedef struct tocha_pointwise_kernels {
  bool (*elementwise)(tocha_stream *stream,
                      const tocha_elementwise_args *args); /* every row of ops/elementwise.def */
} tocha_pointwise_kernels;

#ifdef __cplusplus
}
#endif
#endif
