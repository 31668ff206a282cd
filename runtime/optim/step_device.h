/* step_device.h: updates of parameters on a device, gathered so that many go in one launch. */
#ifndef TOCHA_STEP_DEVICE_H
#define TOCHA_STEP_DEVICE_H

#include "device/devices.h"
#include "optim/kernels.h"
#include "optim/optimizer.h"

enum { TOCHA_STEP_BATCH = 128 };

/* Updates with the same numbers, on one device and of one dtype, not started yet. */
typedef struct tocha_step_batch {
  int count;
  tocha_step_item items[TOCHA_STEP_BATCH];
  const tocha_tensor *first; /* the parameter of items[0] */
  double step;
  tocha_step_args args; /* but for items and count */
} tocha_step_batch;

/* Takes an update of a slot whose states are complete into the batch; starts what is there first
 * where the new one has other numbers. used: a bit for each state that the update uses. The numbers
 * of updates of one group agree when their steps and their flags `first` do. */
bool tocha_step_batch_add(tocha_context *cx, tocha_step_batch *batch,
                          const tocha_optimizer_class *class_, tocha_optimizer_slot *slot,
                          tocha_tensor *gradient, unsigned used, double step,
                          const tocha_update *update);
/* Starts what is in the batch and empties it. */
bool tocha_step_batch_flush(tocha_context *cx, tocha_step_batch *batch);

#endif
