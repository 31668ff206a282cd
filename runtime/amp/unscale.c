/* unscale.c: the two operators of gradient scaling: unscaling all gradients of a device while
 * looking for infinities, in one pass, and the update of the scale. Both return without waiting for
 * the device. */
#include "amp/foreach.h"
#include "amp/implementations.h"
#include "amp/kernels.h"
#include "tensor/iterator.h"
#include "tensor/overlap.h"
#include "tocha/ops/add.h"
#include "tocha/ops/all.h"
#include "tocha/ops/copy_.h"
#include "tocha/ops/eq.h"
#include "tocha/ops/isfinite.h"
#include "tocha/ops/logical_and.h"
#include "tocha/ops/logical_not.h"
#include "tocha/ops/logical_or.h"
#include "tocha/ops/maximum.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/reshape.h"
#include "tocha/ops/to.h"
#include "tocha/ops/where.h"

static bool check_one(tocha_context *cx, const tocha_tensor *t, tocha_dtype dtype,
                      const char *name) {
  if (t->numel != 1)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s must be a 1-element tensor.", name);
  else if ((tocha_dtype)t->dtype != dtype)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s must be %s tensor.", name,
               dtype == TOCHA_INT32 ? "an int" : "a float");
  return !tocha_failed(cx);
}

/* Returns true if a and b are on one device with memory, so that a single kernel can access
 * them. */
static bool share_device(const tocha_tensor *a, const tocha_tensor *b) {
  return a->device.type == b->device.type && a->device.type != TOCHA_META &&
         (a->device.type == TOCHA_CPU || a->device.index == b->device.index);
}

/* --- unscaling ------------------------------------------------------------------------------- */

/* Unscales tensors that are on several devices. */
static bool unscale_by_operators(tocha_context *cx, int count, tocha_tensor *const *tensors,
                                 tocha_tensor *found_inf, tocha_tensor *inv_scale) {
  for (int i = 0; i < count; i++) {
    tocha_scope scope = tocha_scope_begin(cx);
    tocha_tensor *finite = tocha_all(cx, tocha_isfinite(cx, tensors[i]), 0, NULL, false);
    tocha_tensor *bad =
        tocha_to_dtype(cx, tocha_logical_not(cx, finite), TOCHA_FLOAT32, false, false);
    bad = tocha_reshape(cx, bad, found_inf->ndim, found_inf->sizes);
    bool ok = tocha_copy_(cx, found_inf, tocha_maximum(cx, found_inf, bad), false) &&
              tocha_mul_full_(cx, tensors[i], tocha_operand_of(inv_scale));
    tocha_scope_end(cx, scope, NULL);
    if (!ok) return false;
  }
  return true;
}

tocha_tensor *tocha_op__amp_foreach_non_finite_check_and_unscale_(tocha_context *cx, int self_count,
                                                                  tocha_tensor *const *self,
                                                                  tocha_tensor *found_inf,
                                                                  tocha_tensor *inv_scale) {
  if (!check_one(cx, inv_scale, TOCHA_FLOAT32, "inv_scale") ||
      !check_one(cx, found_inf, TOCHA_FLOAT32, "found_inf"))
    return NULL;
  bool together = share_device(found_inf, inv_scale);
  for (int i = 0; i < self_count; i++) {
    if (!tocha_dtype_is_floating((tocha_dtype)self[i]->dtype))
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                        "\"_amp_foreach_non_finite_check_and_unscale_\" not implemented for '%s'",
                        tocha_dtype_scalar_type((tocha_dtype)self[i]->dtype));
    if (!tocha_check_no_overlap(cx, self[i])) return NULL;
    together = together && share_device(self[i], found_inf);
  }
  if (self_count == 0) return found_inf;
  bool recording = tocha_set_grad_enabled(cx, false);
  bool ok = together ? tocha_foreach_scale(cx, self_count, self, inv_scale, found_inf)
                     : unscale_by_operators(cx, self_count, self, found_inf, inv_scale);
  tocha_set_grad_enabled(cx, recording);
  if (ok && together) tocha_bump_version(found_inf);
  return ok ? found_inf : NULL;
}

/* --- the scale ------------------------------------------------------------------------------ */

static bool launch_update(tocha_context *cx, tocha_tensor *scale, tocha_tensor *tracker,
                          const tocha_tensor *found, double growth, double backoff,
                          int64_t interval) {
  tocha_stream *stream = tocha_stream_of(cx, scale->device);
  tocha_update_scale_args args = {.scale = (float *)(void *)tocha_bytes(scale),
                                  .tracker = (int32_t *)(void *)tocha_bytes(tracker),
                                  .found = (const float *)(const void *)tocha_bytes(found),
                                  .growth = growth,
                                  .backoff = backoff,
                                  .interval = interval};
  if (!stream || !tocha_launched(cx, stream->kernels->amp->update_scale(stream, &args)))
    return false;
  tocha_bump_version(scale);
  tocha_bump_version(tracker);
  return true;
}

/* Returns scale * factor, multiplied in float64 and rounded once. */
static tocha_tensor *multiplied(tocha_context *cx, tocha_tensor *scale, double factor) {
  tocha_tensor *wide = tocha_to_dtype(cx, scale, TOCHA_FLOAT64, false, false);
  wide = wide ? tocha_mul_full(cx, wide, tocha_number(tocha_float(factor))) : NULL;
  return tocha_to_dtype(cx, wide, TOCHA_FLOAT32, false, false);
}

static bool update_by_operators(tocha_context *cx, tocha_tensor *scale, tocha_tensor *tracker,
                                tocha_tensor *found_inf, double growth, double backoff,
                                int64_t interval) {
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_tensor *found = tocha_to_dtype(cx, found_inf, TOCHA_BOOL, false, false);
  tocha_tensor *counted = tocha_add_full(cx, tracker, tocha_number(tocha_int(1)), tocha_int(1));
  tocha_tensor *full = tocha_eq_full(cx, counted, tocha_number(tocha_int(interval)));
  tocha_tensor *larger = multiplied(cx, scale, growth);
  tocha_tensor *grows = tocha_logical_and(cx, full, tocha_isfinite(cx, larger));
  tocha_tensor *kept = tocha_where(cx, grows, larger, scale);
  tocha_tensor *next = tocha_where(cx, found, multiplied(cx, scale, backoff), kept);
  tocha_tensor *reset = tocha_logical_or(cx, found, full);
  tocha_tensor *steps = tocha_mul(cx, counted, tocha_logical_not(cx, reset));
  bool ok = tocha_copy_(cx, scale, next, false) && tocha_copy_(cx, tracker, steps, false);
  tocha_scope_end(cx, scope, NULL);
  return ok;
}

tocha_tensor *tocha_op__amp_update_scale_(tocha_context *cx, tocha_tensor *self,
                                          tocha_tensor *growth_tracker, tocha_tensor *found_inf,
                                          double scale_growth_factor, double scale_backoff_factor,
                                          int64_t growth_interval) {
  if (!check_one(cx, growth_tracker, TOCHA_INT32, "growth_tracker") ||
      !check_one(cx, self, TOCHA_FLOAT32, "current_scale") ||
      !check_one(cx, found_inf, TOCHA_FLOAT32, "found_inf"))
    return NULL;
  bool together = share_device(self, growth_tracker) && share_device(self, found_inf);
  bool recording = tocha_set_grad_enabled(cx, false);
  bool ok = together ? launch_update(cx, self, growth_tracker, found_inf, scale_growth_factor,
                                     scale_backoff_factor, growth_interval)
                     : update_by_operators(cx, self, growth_tracker, found_inf, scale_growth_factor,
                                           scale_backoff_factor, growth_interval);
  tocha_set_grad_enabled(cx, recording);
  return ok ? self : NULL;
}
