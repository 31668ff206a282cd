/* step.c: one step of an optimizer: for each parameter its states, the numbers of its update, and
 * one pass over its memory. */
#include <string.h>

#include "tensor/copy.h"
#include "device/devices.h"
#include "ops/pointwise/elementwise.h"
#include "tensor/iterator.h"
#include "optim/step_device.h"

/* --- the loops for this processor ------------------------------------------------------------ */

extern const tocha_cpu_loops tocha_cpu_loops_avx2, tocha_cpu_loops_avx512;
extern const tocha_step_loops tocha_step_loops_baseline, tocha_step_loops_avx2,
    tocha_step_loops_avx512;

static const tocha_step_loops *loops_of(tocha_context *cx) {
  if (!cx->loops) cx->loops = tocha_select_loops();
#ifdef TOCHA_X86_KERNELS
#ifdef TOCHA_AVX512_KERNELS
  if (cx->loops == &tocha_cpu_loops_avx512) return &tocha_step_loops_avx512;
#endif
  if (cx->loops == &tocha_cpu_loops_avx2) return &tocha_step_loops_avx2;
#endif
  return &tocha_step_loops_baseline;
}

/* --- states ---------------------------------------------------------------------------------- */

/* A state that an update needs for the first time. */
static tocha_tensor *new_state(tocha_context *cx, const tocha_optimizer_class *class,
                               const tocha_optimizer_group *group, const tocha_tensor *parameter,
                               int state) {
  double initial = class->initial(group->options, state);
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_tensor *t;
  if (state == class->step_state)
    t = tocha_new(cx, 0, NULL,
                  tocha_default_dtype(cx) == TOCHA_FLOAT64 ? TOCHA_FLOAT64 : TOCHA_FLOAT32,
                  tocha_cpu());
  else
    t = tocha_new(cx, parameter->ndim, parameter->sizes, parameter->dtype, parameter->device);
  bool ok = t && tocha_fill_data(cx, t, tocha_float(initial));
  if (ok) tocha_retain(t);
  tocha_scope_end(cx, scope, NULL);
  return ok ? t : NULL;
}

/* Makes what is missing. *first: the momentum buffer is new. */
static bool complete_states(tocha_context *cx, const tocha_optimizer *optimizer,
                            const tocha_optimizer_group *group, tocha_optimizer_slot *slot,
                            bool *first) {
  const tocha_optimizer_class *class = optimizer->class;
  unsigned needs = class->needs(group->options);
  *first = false;
  for (int k = 0; class->states[k]; k++) {
    if (!(needs >> k & 1) || slot->states[k]) continue;
    slot->states[k] = new_state(cx, class, group, slot->parameter, k);
    if (!slot->states[k]) return false;
    *first = true;
  }
  return true;
}

/* Adds one to the step count and gives it. */
static double count_step(tocha_tensor *step) {
  tocha_bump_version(step);
  if (step->dtype == TOCHA_FLOAT64) return *(double *)tocha_data(step) += 1;
  return (double)(*(float *)tocha_data(step) += 1);
}

/* --- one parameter --------------------------------------------------------------------------- */

typedef struct pass {
  tocha_step_loop loop;
  char *parameter;
  const char *gradient;
  void *states[TOCHA_MAX_STATES];
  size_t element;
  const tocha_update *update;
} pass;

static void run_part(void *user, int64_t begin, int64_t end) {
  const pass *p = user;
  void *states[TOCHA_MAX_STATES];
  size_t at = (size_t)begin * p->element;
  for (int k = 0; k < TOCHA_MAX_STATES; k++)
    states[k] = p->states[k] ? (char *)p->states[k] + at : NULL;
  p->loop(p->parameter + at, p->gradient + at, states, end - begin, p->update);
}

/* t itself where a loop can work on it, else a row-major copy in the loop's type. */
static tocha_tensor *workable(tocha_context *cx, tocha_tensor *t, tocha_dtype type) {
  if (t->dtype == type && tocha_is_contiguous(t) && t->device.type == TOCHA_CPU) return t;
  tocha_tensor *copy = tocha_new(cx, t->ndim, t->sizes, type, tocha_cpu());
  return copy && tocha_copy_data(cx, copy, t) ? copy : NULL;
}

static bool update_parameter(tocha_context *cx, const tocha_optimizer_class *class,
                             tocha_optimizer_slot *slot, tocha_tensor *gradient,
                             const tocha_update *update) {
  tocha_dtype type = slot->parameter->dtype == TOCHA_FLOAT64 ? TOCHA_FLOAT64 : TOCHA_FLOAT32;
  tocha_tensor *parameter = workable(cx, slot->parameter, type);
  tocha_tensor *states[TOCHA_MAX_STATES] = {NULL};
  gradient = workable(cx, gradient, type);
  if (!parameter || !gradient) return false;
  pass p = {loops_of(cx)->loops[class->rule][type == TOCHA_FLOAT64],
            tocha_data(parameter),
            tocha_data(gradient),
            {NULL},
            tocha_dtype_size(type),
            update};
  for (int k = 0; class->states[k]; k++) {
    if (!slot->states[k] || k == class->step_state) continue;
    if (!(states[k] = workable(cx, slot->states[k], type))) return false;
    p.states[k] = tocha_data(states[k]);
    tocha_bump_version(slot->states[k]);
  }
  if (!tocha_parallel_for(cx, parameter->numel, TOCHA_GRAIN, run_part, &p)) return false;
  tocha_bump_version(slot->parameter);
  for (int k = 0; k < TOCHA_MAX_STATES; k++)
    if (states[k] && states[k] != slot->states[k] &&
        !tocha_copy_data(cx, slot->states[k], states[k]))
      return false;
  return parameter == slot->parameter || tocha_copy_data(cx, slot->parameter, parameter);
}

/* An assignment to parameter.data, or a loaded state, may have brought another shape. */
static bool check_slot(tocha_context *cx, const tocha_optimizer_class *class,
                       const tocha_optimizer_slot *slot, const tocha_tensor *gradient) {
  const tocha_tensor *p = slot->parameter;
  char a[256], b[256];
  if ((p->flags | gradient->flags) & TOCHA_FLAG_FREED) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "this tensor was freed with free() and has no data");
    return false;
  }
  for (int k = -1; k < 0 || class->states[k]; k++) {
    const tocha_tensor *t = k < 0 ? gradient : slot->states[k];
    bool is_step = k >= 0 && k == class->step_state;
    if (!t) continue;
    bool one = t->numel == 1 && (t->dtype == TOCHA_FLOAT32 || t->dtype == TOCHA_FLOAT64) &&
               t->device.type == TOCHA_CPU;
    if (is_step ? one : tocha_same_sizes(t, p) && tocha_device_equal(t->device, p->device))
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

/* Updates on a device are only gathered in the batch. */
static bool step_slot(tocha_context *cx, const tocha_optimizer *optimizer,
                      const tocha_optimizer_group *group, tocha_optimizer_slot *slot,
                      tocha_step_batch *batch) {
  const tocha_optimizer_class *class = optimizer->class;
  tocha_tensor *gradient = tocha_grad(slot->parameter);
  tocha_update update = {0};
  if (!gradient) return true;
  if (!complete_states(cx, optimizer, group, slot, &update.first)) return false;
  if (!check_slot(cx, class, slot, gradient)) return false;
  double step = class->step_state >= 0 ? count_step(slot->states[class->step_state]) : 0;
  if (slot->parameter->device.type == TOCHA_META || slot->parameter->numel == 0) return true;
  bool first = update.first;
  class->prepare(group->options, step, &update);
  update.first = first;
  if (tocha_is_on_device(slot->parameter))
    return tocha_step_batch_add(cx, batch, class, slot, gradient, class->needs(group->options),
                                step, &update);
  tocha_scope scope = tocha_scope_begin(cx);
  bool ok = update_parameter(cx, class, slot, gradient, &update);
  tocha_scope_end(cx, scope, NULL);
  return ok;
}

bool tocha_optimizer_step(tocha_context *cx, tocha_optimizer *optimizer) {
  if (tocha_failed(cx)) return false;
  tocha_step_batch batch;
  batch.count = 0;
  for (int g = 0; g < optimizer->group_count; g++) {
    const tocha_optimizer_group *group = optimizer->groups[g];
    bool ok = true;
    for (int i = 0; ok && i < group->count; i++)
      ok = step_slot(cx, optimizer, group, &group->slots[i], &batch);
    /* also after a failure: what was gathered has its states counted */
    if (!tocha_step_batch_flush(cx, &batch) || !ok) return false;
  }
  return true;
}
