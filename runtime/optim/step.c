/* step.c: a step of an optimizer: for each parameter its states and the numbers of its update.
 * Updates with the same numbers are collected, and a kernel of their device computes them
 * together. */
#include <string.h>

#include "dispatch/required_arguments.h"
#include "device/devices.h"
#include "optim/kernels.h"
#include "optim/optimizer.h"
#include "optim/step_on_device.h"
#include "tensor/copy.h"
#include "tensor/overlap.h"

/* --- states ---------------------------------------------------------------------------------- */

/* Creates a state that an update needs for the first time. */
static tocha_tensor *new_state(tocha_context *cx, const tocha_optimizer_class *class,
                               const tocha_optimizer_group *group, const tocha_tensor *parameter,
                               int state) {
  double initial = class->initial ? class->initial(group->options, state) : 0;
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_tensor *t;
  if (tocha_is_number_state(class, state))
    t = tocha_new(cx, 0, NULL,
                  tocha_default_dtype(cx) == TOCHA_FLOAT64 ? TOCHA_FLOAT64 : TOCHA_FLOAT32,
                  tocha_numbers_on_device(class, group) ? parameter->device : tocha_cpu());
  else
    t = tocha_new(cx, parameter->ndim, parameter->sizes, parameter->dtype, parameter->device);
  bool ok = t && tocha_fill_data(cx, t, tocha_float(initial));
  if (ok) tocha_retain(t);
  tocha_scope_end(cx, scope, NULL);
  return ok ? t : NULL;
}

/* Creates the missing states of `needs`. Sets slot->fresh if any was missing. */
static bool complete_states(tocha_context *cx, const tocha_optimizer_class *class,
                            const tocha_optimizer_group *group, tocha_optimizer_slot *slot,
                            unsigned needs) {
  slot->fresh = false;
  for (int k = 0; class->states[k]; k++) {
    if (!(needs >> k & 1) || slot->states[k]) continue;
    if (!tocha_check_state_outside_capture(cx, class)) return false;
    slot->states[k] = new_state(cx, class, group, slot->parameter, k);
    if (!slot->states[k]) return false;
    slot->fresh = true;
  }
  return true;
}

/* Fails if the shapes do not match: an assignment to parameter.data, or a loaded state, may have
 * another shape. */
static bool check_slot(tocha_context *cx, const tocha_optimizer_class *class,
                       const tocha_optimizer_slot *slot, const tocha_tensor *gradient,
                       bool on_device) {
  const tocha_tensor *p = slot->parameter;
  char a[256], b[256];
  if ((p->flags | gradient->flags) & TOCHA_FLAGS_WITHOUT_DATA)
    return tocha_refuse_without_data(cx, p->flags & TOCHA_FLAGS_WITHOUT_DATA ? p : gradient,
                                     "<function step>");
  for (int k = -1; k < 0 || class->states[k]; k++) {
    const tocha_tensor *t = k < 0 ? gradient : slot->states[k];
    bool is_number = k >= 0 && tocha_is_number_state(class, k);
    if (!t) continue;
    bool one = t->numel == 1 && (t->dtype == TOCHA_FLOAT32 || t->dtype == TOCHA_FLOAT64) &&
               tocha_device_equal(t->device, on_device ? p->device : tocha_cpu());
    if (is_number ? one : tocha_same_sizes(t, p) && tocha_device_equal(t->device, p->device))
      continue;
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "the %s of a parameter of shape %s has the shape %s or is elsewhere",
               k < 0 ? "gradient" : class->states[k],
               tocha_shape_text(p->ndim, p->sizes, a, sizeof a),
               tocha_shape_text(t->ndim, t->sizes, b, sizeof b));
    return false;
  }
  return true;
}

/* --- batches --------------------------------------------------------------------------------- */

enum { BATCH = 256 };

/* Updates with the same numbers, of parameters on one device and of one dtype, that have not been
 * started. */
typedef struct batch {
  int count;
  tocha_step_item items[BATCH];
  const tocha_tensor *first;      /* the parameter of items[0] */
  bool has_update;                /* args.update is for this group and for `before` */
  tocha_step_state before, after; /* number states; the update changes `before` to `after` */
  tocha_step_args args;           /* except for items and count */
} batch;

/* Starts the updates in the batch and empties it. */
static bool flush(tocha_context *cx, batch *b) {
  if (b->count == 0) return true;
  tocha_stream *stream = tocha_stream_of(cx, b->first->device);
  b->args.items = b->items;
  b->args.count = b->count;
  b->count = 0;
  return stream && tocha_launched(cx, stream->kernels->optim->step(stream, &b->args));
}

/* --- the numbers of an update ---------------------------------------------------------------- */

static tocha_step_state read_numbers(const tocha_optimizer_class *class,
                                     const tocha_optimizer_slot *slot) {
  tocha_step_state state = {.first = false};
  for (int k = 0; class->number_states >> k; k++) {
    tocha_tensor *t = slot->states[k];
    if (!t || !tocha_is_number_state(class, k)) continue;
    state.wide = t->dtype == TOCHA_FLOAT64;
    state.values[k] = state.wide ? *(const double *)tocha_data(t) : *(const float *)tocha_data(t);
  }
  return state;
}

static void write_numbers(const tocha_optimizer_class *class, const tocha_optimizer_slot *slot,
                          const tocha_step_state *state) {
  for (int k = 0; class->number_states >> k; k++) {
    tocha_tensor *t = slot->states[k];
    if (!t || !tocha_is_number_state(class, k)) continue;
    if (t->dtype == TOCHA_FLOAT64)
      *(double *)tocha_data(t) = state->values[k];
    else
      *(float *)tocha_data(t) = (float)state->values[k];
    tocha_bump_version(t);
  }
}

static bool same_numbers(const tocha_optimizer_class *class, const tocha_step_state *a,
                         const tocha_step_state *b) {
  bool same = a->wide == b->wide && a->first == b->first;
  for (int k = 0; same && class->number_states >> k; k++) same = a->values[k] == b->values[k];
  return same;
}

/* Counts the step of a parameter and computes the batch's update, or lets the device do so. Updates
 * of one group differ only if their number states differ. */
static bool prepare(tocha_context *cx, batch *b, const tocha_optimizer_class *class,
                    const tocha_option *options, const tocha_optimizer_slot *slot) {
  if (b->args.on_device) {
    if (b->args.numbers.first != slot->fresh && !flush(cx, b)) return false;
    b->args.numbers.first = slot->fresh;
    b->args.numbers.wide = slot->states[0] && slot->states[0]->dtype == TOCHA_FLOAT64;
    return true;
  }
  tocha_step_state state = read_numbers(class, slot);
  state.first = slot->fresh;
  if (!b->has_update || !same_numbers(class, &state, &b->before)) {
    if (!flush(cx, b)) return false;
    b->before = b->after = state;
    b->args.update = (tocha_update){.shrink = 1};
    class->prepare(options, &b->after, &b->args.update);
    b->has_update = true;
  }
  write_numbers(class, slot, &b->after);
  return true;
}

/* --- the arrays of an update ----------------------------------------------------------------- */

/* The arrays of an item, or copies of those that a kernel cannot process. */
typedef struct arrays {
  tocha_dtype dtype;
  bool copied;
  tocha_tensor *parameter, *gradient, *states[TOCHA_MAX_STATES];
} arrays;

/* Returns t if a kernel can process it, else a row-major copy. */
static tocha_tensor *workable(tocha_context *cx, tocha_tensor *t, arrays *a) {
  if (t->dtype == a->dtype && (t->flags & TOCHA_FLAG_CONTIGUOUS)) return t;
  a->copied = true;
  return tocha_as_rows(cx, t, a->dtype);
}

/* Counts the writes of a step as PyTorch does: twice for a parameter that shrinks. */
static void count_writes(const tocha_optimizer_class *class, const tocha_optimizer_slot *slot,
                         unsigned needs, bool shrinks, bool on_device) {
  for (int k = 0; class->states[k]; k++)
    if ((needs >> k & 1) && (on_device || !tocha_is_number_state(class, k)))
      tocha_bump_version(slot->states[k]);
  tocha_bump_version(slot->parameter);
  if (shrinks) tocha_bump_version(slot->parameter);
}

static bool collect(tocha_context *cx, const tocha_optimizer_class *class,
                    const tocha_optimizer_slot *slot, unsigned needs, tocha_tensor *gradient,
                    arrays *a, tocha_step_item *item) {
  a->parameter = workable(cx, slot->parameter, a);
  a->gradient = a->parameter ? workable(cx, gradient, a) : NULL;
  if (!a->gradient) return false;
  *item = (tocha_step_item){.parameter = tocha_bytes(a->parameter),
                            .gradient = tocha_bytes(a->gradient),
                            .numel = slot->parameter->numel};
  for (int k = 0, at = 0; class->states[k]; k++) {
    if (tocha_is_number_state(class, k)) {
      item->numbers[k] = tocha_bytes(slot->states[k]); /* they come first */
      continue;
    }
    if (needs >> k & 1) {
      if (!(a->states[k] = workable(cx, slot->states[k], a))) return false;
      item->states[at] = tocha_bytes(a->states[k]);
    }
    at++;
  }
  return true;
}

static bool copy_back(tocha_context *cx, const tocha_optimizer_slot *slot, const arrays *a) {
  for (int k = 0; k < TOCHA_MAX_STATES; k++)
    if (a->states[k] && a->states[k] != slot->states[k] &&
        !tocha_copy_data(cx, slot->states[k], a->states[k]))
      return false;
  return a->parameter == slot->parameter || tocha_copy_data(cx, slot->parameter, a->parameter);
}

/* Adds the update of a parameter to the batch. */
static bool add(tocha_context *cx, batch *b, const tocha_optimizer_class *class,
                const tocha_optimizer_slot *slot, unsigned needs, tocha_tensor *gradient) {
  tocha_tensor *parameter = slot->parameter;
  arrays a = {.dtype = tocha_kernel_dtype(parameter->device, parameter->dtype)};
  bool fits = b->count < BATCH && b->args.rounding == parameter->dtype &&
              b->args.dtype == a.dtype &&
              (b->count == 0 || tocha_device_equal(b->first->device, parameter->device));
  if (!fits && !flush(cx, b)) return false;
  if (b->count == 0) {
    b->first = parameter;
    b->args.rule = class->rule;
    b->args.dtype = (int8_t)a.dtype;
    b->args.rounding = (int8_t)parameter->dtype;
  }
  tocha_scope scope = tocha_scope_begin(cx);
  bool ok = collect(cx, class, slot, needs, gradient, &a, &b->items[b->count]);
  if (ok) b->count++;
  if (ok && a.copied) ok = flush(cx, b) && copy_back(cx, slot, &a); /* copies end here */
  tocha_scope_end(cx, scope, NULL);
  return ok;
}

/* --- the step -------------------------------------------------------------------------------- */

/* Fails for parameters of float8, as PyTorch does in the first operator of its step. */
static bool check_dtype(tocha_context *cx, const tocha_tensor *parameter) {
  return !tocha_is_float8(parameter->dtype) ||
         tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"add_stub\" not implemented for '%s'",
                    tocha_dtype_scalar_type(parameter->dtype));
}

/* Makes the step of one slot. A parameter that occurs again in the group gets a further step. */
static bool step_slot(tocha_context *cx, batch *b, const tocha_optimizer_class *class,
                      const tocha_optimizer_group *group, int i) {
  tocha_optimizer_slot *slot = &group->slots[group->slots[i].owner];
  bool again = slot != &group->slots[i];
  tocha_tensor *gradient = tocha_grad(slot->parameter);
  if (!gradient) return true;
  unsigned needs = class->needs(group->options);
  if (!check_dtype(cx, slot->parameter)) return false;
  const bool on_device = b->args.on_device;
  bool ready = (again ? flush(cx, b) : complete_states(cx, class, group, slot, needs)) &&
               tocha_place_numbers(cx, class, slot, on_device) &&
               check_slot(cx, class, slot, gradient, on_device) &&
               prepare(cx, b, class, group->options, slot) &&
               tocha_check_no_overlap(cx, slot->parameter);
  if (!ready) return false;
  count_writes(class, slot, needs, b->args.update.shrink != 1, on_device);
  return !tocha_has_elements(slot->parameter) || add(cx, b, class, slot, needs, gradient);
}

/* Fails for options that Tocha cannot honor. As in PyTorch they only matter if a parameter has a
 * gradient. */
static bool check_options(tocha_context *cx, const tocha_optimizer_class *class,
                          const tocha_optimizer_group *group) {
  bool capturable = tocha_option_is_set(group, class->capturable);
  for (int i = 0; i < group->count; i++) {
    const tocha_tensor *p = group->slots[i].parameter;
    if (!tocha_grad(p)) continue;
    if (capturable && !tocha_is_on_device(p)) {
      tocha_fail(cx, TOCHA_ASSERTION_ERROR, "If capturable=True, %s.", class->captured);
      return false;
    }
    if (tocha_option_is_set(group, class->differentiable) && tocha_requires_grad(p)) {
      tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                 "a leaf Variable that requires grad is being used in an in-place operation.");
      tocha_hint(cx, "differentiable = true is for parameters that are computed from others, which "
                     "these optimizers do not take");
      return false;
    }
  }
  return true;
}

static bool step_all(tocha_context *cx, tocha_optimizer *optimizer) {
  const tocha_optimizer_class *class = optimizer->class;
  batch b;
  b.count = 0;
  b.args.dtype = b.args.rounding = TOCHA_FLOAT32;
  if (!tocha_check_capturable(cx, optimizer)) return false;
  for (int g = 0; g < optimizer->group_count; g++) {
    tocha_optimizer_group *group = optimizer->groups[g];
    bool ok = tocha_read_group(cx, class, group, &b.args);
    if (tocha_option_is_set(group, class->capturable) ||
        tocha_option_is_set(group, class->differentiable))
      ok = ok && check_options(cx, class, group);
    b.has_update = false;
    for (int i = 0; ok && i < group->count; i++) ok = step_slot(cx, &b, class, group, i);
    /* even after a failure, because collected updates have already changed their states */
    if (!flush(cx, &b) || !ok) return false;
  }
  return true;
}

bool tocha_closure_call(tocha_context *cx, const tocha_closure *closure, double *loss) {
  bool recording = tocha_set_grad_enabled(cx, true);
  bool ok = closure->call(cx, closure->user, loss);
  tocha_set_grad_enabled(cx, recording);
  return ok || tocha_refuse_silence(cx, "the closure");
}

bool tocha_optimizer_step_closure(tocha_context *cx, tocha_optimizer *optimizer,
                                  const tocha_closure *closure) {
  if (!optimizer) return tocha_refuse_none(cx, "optimizer_step_closure", "optimizer", "Optimizer");
  if (tocha_failed(cx)) return false;
  optimizer->stepped = optimizer->is_scheduled;
  if (optimizer->class->run) return optimizer->class->run(cx, optimizer, closure);
  if (closure && !tocha_closure_call(cx, closure, NULL)) return false;
  return step_all(cx, optimizer);
}

bool tocha_optimizer_step(tocha_context *cx, tocha_optimizer *optimizer) {
  if (!optimizer) return tocha_refuse_none(cx, "optimizer_step", "optimizer", "Optimizer");
  return tocha_optimizer_step_closure(cx, optimizer, NULL);
}
