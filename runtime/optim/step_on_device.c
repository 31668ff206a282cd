/* step_on_device.c: decides which steps compute their numbers on the device, and describes the options
 * to it. */
#include "optim/step_on_device.h"

#include "device/devices.h"
#include "tensor/copy.h"
#include "tocha/graph.h"

static bool is_on_device(const tocha_tensor *t) { return t && tocha_is_on_device(t); }

/* Returns the number of options that are tensors on a device. */
static int count_tensors(const tocha_optimizer_class *class, const tocha_optimizer_group *group) {
  int count = 0;
  for (int i = 0; group->has_tensors && i < class->option_count; i++)
    for (int k = 0; k < 2; k++) count += is_on_device(group->options[i].tensors[k]);
  return count;
}

bool tocha_numbers_on_device(const tocha_optimizer_class *class,
                             const tocha_optimizer_group *group) {
  return tocha_option_is_set(group, class->capturable);
}

/* Returns true if the device computes the numbers of a step: if it has the number states, or if there
 * are none and it has an option. */
static bool computes_on_device(const tocha_optimizer_class *class,
                               const tocha_optimizer_group *group) {
  if (group->count == 0 || !is_on_device(group->slots[0].parameter)) return false;
  if (tocha_numbers_on_device(class, group))
    return count_tensors(class, group) <= TOCHA_OPTION_TENSORS;
  int tensors = count_tensors(class, group);
  return !class->number_states && tensors > 0 && tensors <= TOCHA_OPTION_TENSORS;
}

bool tocha_check_capturable(tocha_context *cx, const tocha_optimizer *optimizer) {
  const tocha_optimizer_class *class = optimizer->class;
  if (!(class->number_states || class->capturable >= 0) || !tocha_is_capturing(cx)) return true;
  for (int g = 0; g < optimizer->group_count; g++) {
    if (tocha_numbers_on_device(class, optimizer->groups[g])) continue;
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Attempting CUDA graph capture of step() for an instance of %s but param_groups' "
               "capturable is False.",
               class->name);
    if (class->capturable >= 0)
      tocha_hint(cx, "create it with capturable = true: then it counts steps on the GPU");
    else
      tocha_hint(cx, "%s counts its steps on the host; call step() after the replay", class->name);
    return false;
  }
  return true;
}

bool tocha_check_state_outside_capture(tocha_context *cx, const tocha_optimizer_class *class) {
  if (!tocha_is_capturing(cx)) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "the first step of %s is captured: each replay would begin with new states",
             class->name);
  tocha_hint(cx, "make one step before the capture");
  return false;
}

/* Reads an option that is a tensor, unless the device reads it. */
static bool read_option(tocha_context *cx, const tocha_tensor *t, bool on_device,
                        tocha_scalar *value) {
  return !t || (on_device && tocha_is_on_device(t)) || tocha_item(cx, t, value);
}

/* Adds an option that is a tensor on the device, and takes the place `index` among the values. */
static void add_tensor(tocha_device_numbers *numbers, const tocha_tensor *t, int index) {
  if (is_on_device(t))
    numbers->tensors[numbers->tensor_count++] =
        (tocha_option_tensor){tocha_bytes(t), index, t->dtype};
}

static void describe(const tocha_optimizer_class *class, const tocha_optimizer_group *group,
                     tocha_step_args *args) {
  tocha_device_numbers *numbers = &args->numbers;
  *numbers = (tocha_device_numbers){.first = false};
  for (int k = 0; class->number_states >> k; k++) numbers->state_count++;
  class->values(group->options, numbers->values);
  int index = 0;
  for (int i = 0; i < class->option_count; i++) {
    bool pair = class->options[i].kind == TOCHA_OPTION_PAIR;
    for (int k = 0; k <= pair; k++, index++)
      add_tensor(numbers, group->options[i].tensors[k], index);
  }
  /* only whether the parameter shrinks is of interest: it counts as a write */
  tocha_step_state state = {.values = {1}};
  args->update = (tocha_update){.shrink = 1};
  class->prepare(group->options, &state, &args->update);
}

bool tocha_read_group(tocha_context *cx, const tocha_optimizer_class *class,
                      tocha_optimizer_group *group, tocha_step_args *args) {
  args->on_device = class->values && computes_on_device(class, group);
  for (int i = 0; group->has_tensors && i < class->option_count; i++) {
    tocha_option *o = &group->options[i];
    if (!read_option(cx, o->tensors[0], args->on_device, &o->first) ||
        !read_option(cx, o->tensors[1], args->on_device, &o->second))
      return false;
  }
  if (args->on_device) describe(class, group, args);
  return true;
}

bool tocha_place_numbers(tocha_context *cx, const tocha_optimizer_class *class,
                         tocha_optimizer_slot *slot, bool on_device) {
  const tocha_device wanted = on_device ? slot->parameter->device : tocha_cpu();
  for (int k = 0; class->number_states >> k; k++) {
    tocha_tensor *t = slot->states[k];
    if (!t || !tocha_is_number_state(class, k) || tocha_device_equal(t->device, wanted)) continue;
    tocha_scope scope = tocha_scope_begin(cx);
    tocha_tensor *moved = tocha_copy_as(cx, t, TOCHA_NO_DTYPE, wanted, TOCHA_CONTIGUOUS_FORMAT);
    if (moved) {
      slot->states[k] = tocha_retain(moved);
      tocha_release(t);
    }
    tocha_scope_end(cx, scope, NULL);
    if (!moved) return false;
  }
  return true;
}
