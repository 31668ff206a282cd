/* grad_scaler.c: GradScaler: the scale, and the state of each optimizer within an iteration. Its
 * arithmetic uses operators, so scale, tracker and found flags stay on their device. */
#include <string.h>

#include "amp/autocast.h"
#include "optim/optimizer.h"
#include "tocha/ops/private/amp_foreach_non_finite_check_and_unscale_.h"
#include "tocha/ops/private/amp_update_scale_.h"
#include "tocha/ops/add.h"
#include "tocha/ops/copy_.h"
#include "tocha/ops/fill_.h"
#include "tocha/ops/full.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/reciprocal.h"
#include "tocha/ops/reshape.h"
#include "tocha/ops/to.h"

/* --- the structure -------------------------------------------------------------------------- */

enum { MAX_DEVICES = 16 };

typedef enum stage { READY, UNSCALED, STEPPED } stage;

typedef struct optimizer_state {
  const void *key;
  tocha_optimizer *owner; /* prevents reuse of the key's address; NULL if the host program does */
  stage stage;
  int found_count; /* devices whose gradients were checked */
  tocha_tensor *found[MAX_DEVICES];
} optimizer_state;

struct tocha_grad_scaler {
  tocha_refcount references;
  tocha_context *context;
  tocha_device_type device;
  bool enabled;
  bool has[3];            /* by tocha_grad_scaler_factor; false in a disabled scaler */
  tocha_scalar factor[3]; /* growth, backoff, interval */
  tocha_scalar init_scale;
  int64_t init_tracker;
  tocha_tensor *scale, *tracker; /* float32 and int32; NULL until the first tensor is scaled */
  optimizer_state *states;       /* since the last update */
  int count, capacity;
  int64_t skipped;
  bool skipped_now, warned;
};

static void clear_states(tocha_grad_scaler *s) {
  for (int i = 0; i < s->count; i++) {
    optimizer_state *o = &s->states[i];
    for (int k = 0; k < o->found_count; k++) tocha_release(o->found[k]);
    tocha_optimizer_release(o->owner);
  }
  s->count = 0;
  s->skipped_now = false;
}

/* Returns the state of an optimizer, and creates it if necessary. */
static optimizer_state *state_of(tocha_context *cx, tocha_grad_scaler *s, const void *key) {
  for (int i = 0; i < s->count; i++)
    if (s->states[i].key == key) return &s->states[i];
  if (s->count == s->capacity) {
    int capacity = s->capacity ? 2 * s->capacity : 2;
    optimizer_state *states = tocha_allocate_zeroed(cx, (uint64_t)capacity * sizeof *states);
    if (!states) return NULL;
    if (s->count) memcpy(states, s->states, (size_t)s->count * sizeof *states);
    tocha_deallocate(cx, s->states, (uint64_t)s->capacity * sizeof *states);
    s->states = states;
    s->capacity = capacity;
  }
  optimizer_state *o = &s->states[s->count++];
  memset(o, 0, sizeof *o);
  o->key = key;
  return o;
}

/* --- creation and release ------------------------------------------------------------------- */

tocha_grad_scaler *tocha_grad_scaler_new(tocha_context *cx,
                                         const tocha_grad_scaler_options *options) {
  if (tocha_failed(cx)) return NULL;
  if (!options) return tocha_refuse_none(cx, "GradScaler", "options", "GradScalerOptions");
  bool enabled = options->enabled;
  if (enabled && options->device == TOCHA_CUDA && !tocha_cuda_is_there(cx)) {
    tocha_warn(cx, "torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.");
    enabled = false;
  }
  if (enabled && tocha_scalar_real(options->growth_factor) <= 1)
    return tocha_fail(cx, TOCHA_ASSERTION_ERROR, "The growth factor must be > 1.0.");
  if (enabled && tocha_scalar_real(options->backoff_factor) >= 1)
    return tocha_fail(cx, TOCHA_ASSERTION_ERROR, "The backoff factor must be < 1.0.");
  tocha_grad_scaler *s = tocha_allocate_zeroed(cx, sizeof *s);
  if (!s) return NULL;
  tocha_refcount_init(&s->references);
  s->context = cx;
  s->device = options->device;
  s->enabled = enabled;
  s->init_scale = options->init_scale;
  s->factor[TOCHA_GROWTH_FACTOR] = options->growth_factor;
  s->factor[TOCHA_BACKOFF_FACTOR] = options->backoff_factor;
  s->factor[TOCHA_GROWTH_INTERVAL] = tocha_int(options->growth_interval);
  for (int i = 0; i < 3; i++) s->has[i] = enabled;
  tocha_context_retain(cx);
  return s;
}

tocha_grad_scaler *tocha_grad_scaler_retain(tocha_grad_scaler *scaler) {
  if (scaler) tocha_refcount_retain(&scaler->references);
  return scaler;
}

void tocha_grad_scaler_release(tocha_grad_scaler *scaler) {
  if (!scaler || !tocha_refcount_release(&scaler->references)) return;
  tocha_context *cx = scaler->context;
  clear_states(scaler);
  tocha_release(scaler->scale);
  tocha_release(scaler->tracker);
  tocha_deallocate(cx, scaler->states, (uint64_t)scaler->capacity * sizeof *scaler->states);
  tocha_deallocate(cx, scaler, sizeof *scaler);
  tocha_context_release(cx);
}

/* --- scaling -------------------------------------------------------------------------------- */

/* The modes that are restored after the scaler's own operations, which are neither recorded nor
 * cast. */
typedef struct saved_modes {
  bool recording;
  uint8_t active;
} saved_modes;

static saved_modes leave_modes(tocha_context *cx) {
  saved_modes q = {tocha_set_grad_enabled(cx, false), cx->autocast.active};
  cx->autocast.active = 0;
  return q;
}

static void restore_modes(tocha_context *cx, saved_modes q) {
  tocha_set_grad_enabled(cx, q.recording);
  cx->autocast.active = q.active;
}

static tocha_tensor *new_scalar(tocha_context *cx, tocha_scalar value, tocha_dtype dtype,
                                tocha_device device) {
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_tensor *t = tocha_retain(tocha_full_full(cx, 0, NULL, value, dtype, device, false));
  tocha_scope_end(cx, scope, NULL);
  return t;
}

static tocha_tensor *on_device(tocha_context *cx, tocha_tensor *t, tocha_device device) {
  if (!t || tocha_device_equal(t->device, device)) return t;
  return tocha_to(cx, t, device, TOCHA_NO_DTYPE, true, false);
}

tocha_tensor *tocha_grad_scaler_scale(tocha_context *cx, tocha_grad_scaler *scaler,
                                      tocha_tensor *output) {
  if (!scaler) return tocha_refuse_none(cx, "grad_scaler_scale", "scaler", "GradScaler");
  if (!output || tocha_failed(cx)) return NULL;
  if (!scaler->enabled) return output;
  if (!scaler->scale) {
    tocha_scalar steps = tocha_int(scaler->init_tracker);
    scaler->scale = new_scalar(cx, scaler->init_scale, TOCHA_FLOAT32, output->device);
    scaler->tracker = scaler->scale ? new_scalar(cx, steps, TOCHA_INT32, output->device) : NULL;
    if (!scaler->tracker) {
      tocha_release(scaler->scale);
      scaler->scale = NULL;
      return NULL;
    }
  }
  return tocha_mul(cx, output, on_device(cx, scaler->scale, output->device));
}

static bool check_scaled(tocha_context *cx, const tocha_grad_scaler *s, const char *function) {
  if (s->scale) return true;
  tocha_fail(cx, TOCHA_ASSERTION_ERROR,
             "Attempted %s but _scale is None.  This may indicate your script did not use "
             "scaler.scale(loss or outputs) earlier in the iteration.",
             function);
  return false;
}

/* --- unscaling ------------------------------------------------------------------------------ */

/* Unscales the gradients on one device. *found is kept for the step. */
static bool unscale_device(tocha_context *cx, tocha_device device, int count,
                           tocha_tensor *const *gradients, tocha_tensor *inverse,
                           tocha_tensor **found) {
  tocha_tensor *flag = new_scalar(cx, tocha_float(0), TOCHA_FLOAT32, device);
  bool ok = flag && tocha_private_amp_foreach_non_finite_check_and_unscale_(
                        cx, count, gradients, flag, on_device(cx, inverse, device));
  if (ok)
    *found = flag;
  else
    tocha_release(flag);
  return ok;
}

static bool check_gradients(tocha_context *cx, int count, tocha_tensor *const *gradients) {
  for (int i = 0; i < count; i++)
    if (gradients[i]->dtype == TOCHA_FLOAT16) {
      tocha_fail(cx, TOCHA_VALUE_ERROR, "Attempting to unscale FP16 gradients.");
      tocha_hint(cx, "keep the weights in float32 (no net:half()); autocast casts them");
      return false;
    }
  return true;
}

/* Unscales all gradients, one device after the other. Reorders the array `gradients`. */
static bool unscale_all(tocha_context *cx, tocha_grad_scaler *s, optimizer_state *o, int count,
                        tocha_tensor **gradients) {
  tocha_tensor *inverse = tocha_to_dtype(cx, s->scale, TOCHA_FLOAT64, false, false);
  inverse = tocha_to_dtype(cx, tocha_reciprocal(cx, inverse), TOCHA_FLOAT32, false, false);
  while (inverse && count) {
    tocha_device device = gradients[0]->device;
    int here = 0;
    for (int i = 0; i < count; i++) {
      tocha_tensor *t = gradients[i];
      if (!tocha_device_equal(t->device, device)) continue;
      gradients[i] = gradients[here];
      gradients[here++] = t;
    }
    if (o->found_count == MAX_DEVICES)
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "gradients on more than %d devices",
                        MAX_DEVICES) != NULL;
    if (!unscale_device(cx, device, here, gradients, inverse, &o->found[o->found_count]))
      return false;
    o->found_count++;
    gradients += here;
    count -= here;
  }
  return inverse != NULL;
}

static bool unscale_gradients(tocha_context *cx, tocha_grad_scaler *s, optimizer_state *o,
                              int count, tocha_tensor *const *parameters) {
  uint64_t bytes = ((uint64_t)count + 1) * sizeof(tocha_tensor *);
  tocha_tensor **gradients = tocha_allocate(cx, bytes);
  int n = 0;
  if (!gradients) return false;
  for (int i = 0; i < count; i++)
    if (tocha_grad(parameters[i])) gradients[n++] = tocha_grad(parameters[i]);
  saved_modes q = leave_modes(cx);
  tocha_scope scope = tocha_scope_begin(cx);
  bool ok = check_gradients(cx, n, gradients) && unscale_all(cx, s, o, n, gradients);
  tocha_scope_end(cx, scope, NULL);
  restore_modes(cx, q);
  tocha_deallocate(cx, gradients, bytes);
  return ok;
}

bool tocha_grad_scaler_unscale_parameters(tocha_context *cx, tocha_grad_scaler *scaler,
                                          const void *key, int count,
                                          tocha_tensor *const *parameters) {
  if (!scaler)
    return tocha_refuse_none(cx, "grad_scaler_unscale_parameters", "scaler", "GradScaler");
  if (tocha_failed(cx)) return false;
  if (!scaler->enabled) return true;
  if (!check_scaled(cx, scaler, "unscale_")) return false;
  optimizer_state *o = state_of(cx, scaler, key);
  if (!o) return false;
  if (o->stage != READY) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               o->stage == UNSCALED ? "unscale_() has already been called on this optimizer since "
                                      "the last update()."
                                    : "unscale_() is being called after step().");
    tocha_hint(cx, "call scaler:update() at the end of every iteration, also of one whose step was "
                   "left out");
    return false;
  }
  if (!unscale_gradients(cx, scaler, o, count, parameters)) return false;
  o->stage = UNSCALED;
  return true;
}

/* --- steps ---------------------------------------------------------------------------------- */

bool tocha_grad_scaler_begin_step(tocha_context *cx, tocha_grad_scaler *scaler, const void *key,
                                  int count, tocha_tensor *const *parameters, bool *go) {
  if (!scaler) return tocha_refuse_none(cx, "grad_scaler_begin_step", "scaler", "GradScaler");
  *go = true;
  if (tocha_failed(cx)) return false;
  if (!scaler->enabled) return true;
  if (!check_scaled(cx, scaler, "step")) return false;
  optimizer_state *o = state_of(cx, scaler, key);
  if (!o) return false;
  if (o->stage == STEPPED) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "step() has already been called since the last update().");
    tocha_hint(cx, "call scaler:update() at the end of every iteration");
    return false;
  }
  if (o->stage == READY &&
      !tocha_grad_scaler_unscale_parameters(cx, scaler, key, count, parameters))
    return false;
  if (o->found_count == 0) {
    tocha_fail(cx, TOCHA_ASSERTION_ERROR, "No inf checks were recorded for this optimizer.");
    tocha_hint(cx, "none of the optimizer's parameters has a gradient");
    return false;
  }
  for (int i = 0; i < o->found_count; i++) {
    tocha_scalar found;
    if (!tocha_item(cx, o->found[i], &found)) return false;
    if (tocha_scalar_real(found) != 0) *go = false;
  }
  if (!*go) {
    scaler->skipped++;
    scaler->skipped_now = true;
  }
  return true;
}

void tocha_grad_scaler_end_step(tocha_grad_scaler *scaler, const void *key) {
  if (!scaler) return;
  for (int i = 0; i < scaler->count; i++)
    if (scaler->states[i].key == key) scaler->states[i].stage = STEPPED;
}

/* Returns an array of all parameters of an optimizer. *count: their number. One more element is
 * allocated. */
static tocha_tensor **parameters_of(tocha_context *cx, const tocha_optimizer *optimizer,
                                    int *count) {
  int n = 0;
  for (int g = 0; g < optimizer->group_count; g++) n += optimizer->groups[g]->count;
  tocha_tensor **all = tocha_allocate(cx, ((uint64_t)n + 1) * sizeof *all);
  *count = 0;
  for (int g = 0; all && g < optimizer->group_count; g++)
    for (int i = 0; i < optimizer->groups[g]->count; i++)
      all[(*count)++] = optimizer->groups[g]->slots[i].parameter;
  return all;
}

static void own(tocha_context *cx, tocha_grad_scaler *s, tocha_optimizer *optimizer) {
  optimizer_state *o = state_of(cx, s, optimizer);
  if (o && !o->owner) o->owner = tocha_optimizer_retain(optimizer);
}

bool tocha_grad_scaler_unscale(tocha_context *cx, tocha_grad_scaler *scaler,
                               tocha_optimizer *optimizer) {
  if (!scaler) return tocha_refuse_none(cx, "grad_scaler_unscale", "scaler", "GradScaler");
  int count;
  if (tocha_failed(cx)) return false;
  if (!scaler->enabled) return true;
  if (!check_scaled(cx, scaler, "unscale_")) return false;
  own(cx, scaler, optimizer);
  tocha_tensor **all = parameters_of(cx, optimizer, &count);
  bool ok = all && tocha_grad_scaler_unscale_parameters(cx, scaler, optimizer, count, all);
  tocha_deallocate(cx, all, all ? ((uint64_t)count + 1) * sizeof *all : 0);
  return ok;
}

bool tocha_grad_scaler_step(tocha_context *cx, tocha_grad_scaler *scaler,
                            tocha_optimizer *optimizer, bool *stepped) {
  if (!scaler) return tocha_refuse_none(cx, "grad_scaler_step", "scaler", "GradScaler");
  bool go = true;
  int count;
  if (stepped) *stepped = false;
  if (tocha_failed(cx)) return false;
  if (scaler->enabled) {
    if (!check_scaled(cx, scaler, "step")) return false;
    own(cx, scaler, optimizer);
    tocha_tensor **all = parameters_of(cx, optimizer, &count);
    bool ok = all && tocha_grad_scaler_begin_step(cx, scaler, optimizer, count, all, &go);
    tocha_deallocate(cx, all, all ? ((uint64_t)count + 1) * sizeof *all : 0);
    if (!ok) return false;
  }
  if (go && !tocha_optimizer_step(cx, optimizer)) return false;
  tocha_grad_scaler_end_step(scaler, optimizer);
  if (stepped) *stepped = go;
  return true;
}

/* --- updates -------------------------------------------------------------------------------- */

/* Returns the sum of the found flags of all optimizers and devices, on the scale's device. */
static tocha_tensor *combined(tocha_context *cx, const tocha_grad_scaler *s) {
  tocha_tensor *sum = NULL;
  for (int i = 0; i < s->count; i++)
    for (int k = 0; k < s->states[i].found_count; k++) {
      tocha_tensor *found = on_device(cx, s->states[i].found[k], s->scale->device);
      sum = sum ? tocha_add(cx, sum, found) : found;
      if (!sum) return NULL;
    }
  if (!sum) tocha_fail(cx, TOCHA_ASSERTION_ERROR, "No inf checks were recorded prior to update.");
  return sum;
}

/* Warns after a skipped step (for which the host has waited anyway) if the scale is below 1, which
 * means that the gradients overflow by themselves. */
static void look_at_scale(tocha_context *cx, tocha_grad_scaler *s) {
  tocha_scalar scale;
  if (!s->skipped_now || s->warned || !tocha_item(cx, s->scale, &scale)) return;
  if (!(tocha_scalar_real(scale) < 1)) return;
  s->warned = true;
  tocha_warn(cx,
             "GradScaler: the scale fell to %g after %lld skipped steps: gradients are infinite or "
             "NaN without any scaling",
             tocha_scalar_real(scale), (long long)s->skipped);
}

bool tocha_grad_scaler_update(tocha_context *cx, tocha_grad_scaler *scaler) {
  if (!scaler) return tocha_refuse_none(cx, "grad_scaler_update", "scaler", "GradScaler");
  if (tocha_failed(cx)) return false;
  if (!scaler->enabled) return true;
  if (!check_scaled(cx, scaler, "update")) return false;
  saved_modes q = leave_modes(cx);
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_tensor *found = combined(cx, scaler);
  bool ok = found && tocha_private_amp_update_scale_(
                         cx, scaler->scale, scaler->tracker, found,
                         tocha_scalar_real(scaler->factor[TOCHA_GROWTH_FACTOR]),
                         tocha_scalar_real(scaler->factor[TOCHA_BACKOFF_FACTOR]),
                         (int64_t)tocha_scalar_real(scaler->factor[TOCHA_GROWTH_INTERVAL]));
  tocha_scope_end(cx, scope, NULL);
  restore_modes(cx, q);
  if (!ok) return false;
  look_at_scale(cx, scaler);
  clear_states(scaler);
  return true;
}

bool tocha_grad_scaler_update_to(tocha_context *cx, tocha_grad_scaler *scaler,
                                 tocha_operand new_scale) {
  if (!scaler) return tocha_refuse_none(cx, "grad_scaler_update_to", "scaler", "GradScaler");
  const tocha_tensor *t = new_scale.tensor;
  if (tocha_failed(cx)) return false;
  if (!scaler->enabled) return true;
  if (!check_scaled(cx, scaler, "update")) return false;
  if (t && (t->device.type != (int16_t)scaler->device || t->numel != 1 || tocha_requires_grad(t))) {
    tocha_fail(cx, TOCHA_ASSERTION_ERROR,
               "new_scale should be a float or a 1-element torch.cuda.FloatTensor or "
               "torch.FloatTensor with requires_grad=False.");
    return false;
  }
  saved_modes q = leave_modes(cx);
  tocha_scope scope = tocha_scope_begin(cx);
  bool ok;
  if (t)
    ok =
        tocha_copy_(cx, scaler->scale, tocha_reshape(cx, new_scale.tensor, 0, NULL), false) != NULL;
  else
    ok = tocha_fill_(cx, scaler->scale, new_scale.scalar) != NULL;
  tocha_scope_end(cx, scope, NULL);
  restore_modes(cx, q);
  if (ok) clear_states(scaler);
  return ok;
}

/* --- questions ------------------------------------------------------------------------------ */

bool tocha_grad_scaler_is_enabled(const tocha_grad_scaler *scaler) {
  return scaler && scaler->enabled;
}

bool tocha_grad_scaler_get_scale(tocha_context *cx, const tocha_grad_scaler *scaler,
                                 tocha_scalar *scale) {
  if (!scaler) return tocha_refuse_none(cx, "grad_scaler_get_scale", "scaler", "GradScaler");
  if (!scaler->enabled)
    *scale = tocha_float(1);
  else if (!scaler->scale)
    *scale = scaler->init_scale;
  else
    return tocha_item(cx, scaler->scale, scale);
  return true;
}

bool tocha_grad_scaler_get_tracker(tocha_context *cx, const tocha_grad_scaler *scaler,
                                   int64_t *steps) {
  if (!scaler) return tocha_refuse_none(cx, "grad_scaler_get_tracker", "scaler", "GradScaler");
  tocha_scalar value = tocha_int(scaler->enabled ? scaler->init_tracker : 0);
  if (scaler->enabled && scaler->tracker && !tocha_item(cx, scaler->tracker, &value)) return false;
  *steps = value.value.integer;
  return true;
}

int64_t tocha_grad_scaler_skipped_steps(const tocha_grad_scaler *scaler) {
  return scaler ? scaler->skipped : 0;
}
tocha_tensor *tocha_grad_scaler_scale_tensor(const tocha_grad_scaler *scaler) {
  if (!scaler) return NULL;
  return scaler->scale;
}
tocha_tensor *tocha_grad_scaler_tracker_tensor(const tocha_grad_scaler *scaler) {
  if (!scaler) return NULL;
  return scaler->tracker;
}

bool tocha_grad_scaler_get(tocha_context *cx, const tocha_grad_scaler *scaler,
                           tocha_grad_scaler_factor which, tocha_scalar *value) {
  if (!scaler) return tocha_refuse_none(cx, "grad_scaler_get", "scaler", "GradScaler");
  static const char *const names[] = {"_growth_factor", "_backoff_factor", "_growth_interval"};
  *value = scaler->factor[which];
  if (scaler->has[which]) return true;
  tocha_fail(cx, TOCHA_ATTRIBUTE_ERROR, "'GradScaler' object has no attribute '%s'", names[which]);
  tocha_hint(cx, "the scaler is disabled");
  return false;
}

void tocha_grad_scaler_set(tocha_grad_scaler *scaler, tocha_grad_scaler_factor which,
                           tocha_scalar value) {
  if (!scaler) return;
  scaler->factor[which] = value;
  scaler->has[which] = true;
}

bool tocha_grad_scaler_restore(tocha_context *cx, tocha_grad_scaler *scaler, tocha_scalar scale,
                               int64_t tracker) {
  if (!scaler) return tocha_refuse_none(cx, "grad_scaler_restore", "scaler", "GradScaler");
  if (tocha_failed(cx)) return false;
  if (!scaler->enabled) return true;
  scaler->init_scale = scale;
  scaler->init_tracker = tracker;
  if (!scaler->scale) return true;
  saved_modes q = leave_modes(cx);
  bool ok =
      tocha_fill_(cx, scaler->scale, scale) && tocha_fill_(cx, scaler->tracker, tocha_int(tracker));
  restore_modes(cx, q);
  return ok;
}
