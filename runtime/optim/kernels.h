/* kernels.h: the kernels of the step of an optimizer: what they are given, and the table that a device fills (device/kernels.h).
 * The arrays of items are the host's, and read before the call returns. Tensors are dense.
 */
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
  void *states[TOCHA_STEP_STATES]; /* without numbers; NULL where the update does not use it */
  int64_t numel;
} tocha_step_item;

/* One step of one rule with the same numbers for all items; everything of one floating dtype. */
typedef struct tocha_step_args {
  const tocha_step_item *items;
  int32_t count, rule; /* optim/rules.h */
  int8_t dtype;
  int8_t
      rounding; /* the parameters' own dtype, where items hold them in a wider one: the CPU rounds to it */
  tocha_update update;
} tocha_step_args;

typedef struct tocha_optim_kernels {
  bool (*step)(tocha_stream *stream, const tocha_step_args *args);
} tocha_optim_kernels;

#ifdef __cplusplus
}
#endif
#endif
