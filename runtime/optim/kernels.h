/* kernels.h: the arguments of the kernel of an optimizer step, and the table that a device fills
 * (device/kernels.h). The arrays of items are in host memory, and are read before the call returns.
 * Tensors are dense. */
#ifndef TOCHA_OPTIM_KERNELS_H
#define TOCHA_OPTIM_KERNELS_H

#include "device/strided.h"
#include "optim/update.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tocha_step_item {
  void *parameter;
  const void *gradient;
  void *states[TOCHA_STEP_STATES]; /* except number states; NULL if not used */
  int64_t numel;
} tocha_step_item;

/* A step of one rule with the same numbers for all items. All tensors have one floating dtype. */
typedef struct tocha_step_args {
  const tocha_step_item *items;
  int32_t count, rule; /* optim/rules.h */
  int8_t dtype;
  int8_t rounding; /* the parameters' own dtype if items have a wider one; the CPU rounds to it */
  tocha_update update;
} tocha_step_args;

typedef struct tocha_optim_kernels {
  bool (*step)(tocha_stream *stream, const tocha_step_args *args);
} tocha_optim_kernels;

#ifdef __cplusplus
}
#endif
#endif
