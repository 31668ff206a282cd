/* kernels.h: the arguments of elementwise kernels, and the table that a device fills
 * (device/kernels.h). */
#ifndef TOCHA_POINTWISE_KERNELS_H
#define TOCHA_POINTWISE_KERNELS_H

#include "device/strided.h"
#include "ops/pointwise/formula.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The arguments of one call. Operand 0 is the output. An input with a NULL data pointer is a
 * number, whose element of the compute type is in `values`. The kernel converts each operand's type
 * itself. */
typedef struct tocha_elementwise_args {
  const tocha_strided_layout *layout;
  const tocha_formula *formula;
  tocha_dtype compute; /* FLOAT32, FLOAT64, INT64 or BOOL */
  uint64_t values[1 + TOCHA_FORMULA_INPUTS];
  uint64_t numbers[TOCHA_FORMULA_NUMBERS]; /* of the compute type, packed as the loops read them */
} tocha_elementwise_args;

typedef struct tocha_pointwise_kernels {
  bool (*elementwise)(tocha_stream *stream, const tocha_elementwise_args *args);
} tocha_pointwise_kernels;

#ifdef __cplusplus
}
#endif
#endif
