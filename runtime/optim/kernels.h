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
  void *states[TOCHA_STEP_STATES];    /* except number states; NULL if not used */
  void *numbers[TOCHA_NUMBER_STATES]; /* number states that are on the device, for on_device */
  int64_t numel;
} tocha_step_item;

/* A number among the options that is a tensor of the device, of dtype float32 or float64. */
typedef struct tocha_option_tensor {
  const void *data;
  int32_t index, dtype; /* index: among the values */
} tocha_option_tensor;

enum { TOCHA_OPTION_TENSORS = 4 };

/* The tensors and numbers by which a device computes an update itself (class->prepare). */
typedef struct tocha_device_numbers {
  double values[TOCHA_OPTION_VALUES];
  tocha_option_tensor tensors[TOCHA_OPTION_TENSORS];
  int32_t tensor_count, state_count;
  bool wide, first; /* as in tocha_step_state */
} tocha_device_numbers;

/* A step of one rule with the same numbers for all items. All tensors have one floating dtype. */
typedef struct tocha_step_args {
  const tocha_step_item *items;
  int32_t count, rule; /* optim/rules.h */
  int8_t dtype;
  int8_t rounding; /* the parameters' own dtype if items have a wider one; the CPU rounds to it */
  bool on_device;  /* `numbers` is used in place of `update`; not on the CPU */
  tocha_update update;
  tocha_device_numbers numbers;
} tocha_step_args;

typedef struct tocha_optim_kernels {
  bool (*step)(tocha_stream *stream, const tocha_step_args *args);
} tocha_optim_kernels;

#ifdef __cplusplus
}
#endif
#endif
