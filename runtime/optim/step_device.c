/* step_device.c: gathering the updates of parameters on a device (cuda/optim.cu does them). */
#include "optim/step_device.h"
#include "device/devices.h"
#include "optim/kernels.h"

#include <string.h>

#include "tensor/copy.h"

bool tocha_step_batch_flush(tocha_context *cx, tocha_step_batch *batch) {
  if (batch->count == 0) return true;
  tocha_stream *stream = tocha_stream_of(cx, batch->first->device);
  batch->args.items = batch->items;
  batch->args.count = batch->count;
  batch->count = 0;
  return stream && tocha_launched(cx, stream->kernels->optim->step(stream, &batch->args));
}

static bool fits(const tocha_step_batch *batch, const tocha_tensor *parameter, double step,
                 const tocha_update *update) {
  return batch->count == 0 ||
         (batch->count < TOCHA_STEP_BATCH && batch->step == step &&
          batch->args.update.first == update->first && batch->args.dtype == parameter->dtype &&
          tocha_device_equal(batch->first->device, parameter->device));
}

/* t itself where a kernel can work on it, else a row-major copy in the parameter's type. */
static tocha_tensor *workable(tocha_context *cx, tocha_tensor *t, tocha_dtype dtype, bool *copied) {
  tocha_tensor *rows = tocha_as_rows(cx, t, dtype);
  *copied = *copied || rows != t;
  return rows;
}

bool tocha_step_batch_add(tocha_context *cx, tocha_step_batch *batch,
                          const tocha_optimizer_class *class_, tocha_optimizer_slot *slot,
                          tocha_tensor *gradient, unsigned used, double step,
                          const tocha_update *update) {
  tocha_tensor *parameter = slot->parameter, *states[TOCHA_MAX_STATES] = {NULL};
  tocha_dtype dtype = parameter->dtype;
  if (!fits(batch, parameter, step, update) && !tocha_step_batch_flush(cx, batch)) return false;
  bool copied = false;
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_step_item item = {.numel = parameter->numel};
  tocha_tensor *target = workable(cx, parameter, dtype, &copied);
  bool ok = target && (gradient = workable(cx, gradient, dtype, &copied)) != NULL;
  for (int k = 0, at = 0; ok && class_->states[k]; k++) {
    if (k == class_->step_state) continue;
    if (used >> k & 1) {
      ok = (states[k] = workable(cx, slot->states[k], dtype, &copied)) != NULL;
      if (ok) item.states[at] = tocha_bytes(states[k]);
      tocha_bump_version(slot->states[k]);
    }
    at++;
  }
  if (ok) {
    item.parameter = tocha_bytes(target);
    item.gradient = tocha_bytes(gradient);
    if (batch->count == 0) {
      batch->first = parameter;
      batch->step = step;
      batch->args.rule = class_->rule;
      batch->args.dtype = (int8_t)dtype;
      batch->args.update = *update;
    }
    batch->items[batch->count++] = item;
    tocha_bump_version(parameter);
  }
  if (ok && copied) { /* copies live no longer than this call */
    ok = tocha_step_batch_flush(cx, batch);
    for (int k = 0; ok && k < TOCHA_MAX_STATES; k++)
      if (states[k] && states[k] != slot->states[k])
        ok = tocha_copy_data(cx, slot->states[k], states[k]);
    if (ok && target != parameter) ok = tocha_copy_data(cx, parameter, target);
  }
  tocha_scope_end(cx, scope, NULL);
  return ok;
}
