/* strided.h: operands of one shape with strides, as kernels receive them. Plain data, read by C
 * and by C++. */
#ifndef TOCHA_STRIDED_H
#define TOCHA_STRIDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tocha_stream tocha_stream; /* a queue of work on one device (device/backend.h) */

enum { TOCHA_LAYOUT_DIMS = 10, TOCHA_LAYOUT_OPERANDS = 5 };

/* The layout of operands of one shape: dimensions collapsed, innermost first; strides in bytes
 * (0: broadcast). dtype: tocha_dtype of each operand. */
typedef struct tocha_strided_layout {
  int32_t ndim, operands;
  int64_t numel;
  int64_t sizes[TOCHA_LAYOUT_DIMS];
  int64_t strides[TOCHA_LAYOUT_OPERANDS][TOCHA_LAYOUT_DIMS];
  void *data[TOCHA_LAYOUT_OPERANDS];
  int8_t dtype[TOCHA_LAYOUT_OPERANDS];
} tocha_strided_layout;

#endif
