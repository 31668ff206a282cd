/* step_on_device.h: steps whose numbers the device computes, from states and options that it has
 * (capturable = true, or a learning rate that is a tensor there), so that a graph can replay them. */
#ifndef TOCHA_STEP_ON_DEVICE_H
#define TOCHA_STEP_ON_DEVICE_H

#include "optim/kernels.h"
#include "optim/optimizer.h"

/* Returns true if the option of that number (-1: none) is true. */
static inline bool tocha_option_is_set(const tocha_optimizer_group *group, int option) {
  return option >= 0 && group->options[option].first.value.integer;
}

/* Returns true if the group's number states belong on the device of their parameter. */
bool tocha_numbers_on_device(const tocha_optimizer_class *class_,
                             const tocha_optimizer_group *group);
/* Fails as PyTorch does if the step is captured and would count on the host. */
bool tocha_check_capturable(tocha_context *cx, const tocha_optimizer *optimizer);
/* Fails if a state would be made in a capture, because each replay would make it again. */
bool tocha_check_state_outside_capture(tocha_context *cx, const tocha_optimizer_class *class_);
/* Reads the options that are tensors. Sets args->on_device, and args->numbers if it is true. */
bool tocha_read_group(tocha_context *cx, const tocha_optimizer_class *class_,
                      tocha_optimizer_group *group, tocha_step_args *args);
/* Moves number states to the parameter's device, or to the CPU. */
bool tocha_place_numbers(tocha_context *cx, const tocha_optimizer_class *class_,
                         tocha_optimizer_slot *slot, bool on_device);

#endif
