/* kernels.h: the kernels that copy and fill: their arguments, and the table that a device fills
 * (device/kernels.h). */
#ifndef TOCHA_TENSOR_KERNELS_H
#define TOCHA_TENSOR_KERNELS_H

#include "device/strided.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tocha_fill_args {
  const tocha_strided_layout *layout; /* one operand */
  uint64_t element;                   /* the element's bits, in the operand's type */
} tocha_fill_args;

typedef struct tocha_tensor_kernels {
  bool (*copy)(tocha_stream *stream,
               const tocha_strided_layout *args); /* operand 1 into operand 0, converting */
  bool (*fill)(tocha_stream *stream, const tocha_fill_args *args); /* one element everywhere */
} tocha_tensor_kernels;

#ifdef __cplusplus
}
#endif
#endif
