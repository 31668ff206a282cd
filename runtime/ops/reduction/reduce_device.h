/* reduce_device.h: reductions on a device (ops/reduce_device.c). Tensors are on
 * it. NULL or false with the plug-in's words. */
#ifndef TOCHA_REDUCE_DEVICE_H
#define TOCHA_REDUCE_DEVICE_H

#include "device/devices.h"
#include "ops/reduction/kernels.h"
#include "ops/reduction/reduce.h"

/* What to compute: TOCHA_REDUCE_*, TOCHA_MAP_*, TOCHA_FINAL_* of core/kernels.h. compute: a type of
 * tocha_reduce_dtype, for TOCHA_REDUCE_COUNT any. number: see tocha_reduce_args. */
typedef struct tocha_device_reduce {
  int operation, map, end;
  tocha_dtype compute;
  bool max;
  double number;
} tocha_device_reduce;

/* out and second (either may be NULL where the operation allows) have the sizes of reduced,
 * row-major; self any layout and dtype. */
bool tocha_reduce_on_device(tocha_context *cx, const tocha_device_reduce *what, tocha_tensor *self,
                            const tocha_reduced *reduced, tocha_tensor *out, tocha_tensor *second);

#endif
