/* host_fallback.c: runs operators on the host that have no kernel on a device.
 *
 * The operands are copied to the host, the operator runs there, and its results are copied back.
 * The entries of these operators have `host = true`, or `host = "without library"`; the coverage table lists them. */
#include "dispatch/call.h"

#include <string.h>

#include "device/devices.h"
#include "tensor/copy.h"

/* Returns the device of a call's tensors, or the device for its new tensors, or the CPU if the call
 * uses no device. */
static tocha_device device_of_call(tocha_context *cx, const tocha_op *op, const tocha_arg *args) {
  tocha_device asked = cx->default_device;
  bool makes = false;
  tocha_tensor *t;
  tocha_tensor_place at = {0};
  while ((t = tocha_next_tensor(op, args, &at)))
    if (tocha_is_on_device(t)) return t->device;
  for (int i = 0; i < op->parameter_count; i++) {
    const tocha_arg *a = &args[i];
    if (op->parameters[i].kind != TOCHA_KIND_DEVICE) continue;
    makes = true;
    if (a->given && a->value.device.type != TOCHA_NO_DEVICE) asked = a->value.device;
  }
  bool is_factory = makes && !args[0].tensor;
  return is_factory && asked.type == TOCHA_CUDA ? tocha_concrete_device(cx, asked) : tocha_cpu();
}

/* Returns true if a device computes the operator itself. */
static bool is_native(tocha_context *cx, const tocha_op *op, tocha_device device) {
  if (!(op->flags & TOCHA_OP_NATIVE) || (cx->host_random && op->flags & TOCHA_OP_DRAWS))
    return false;
  if (!(op->flags & TOCHA_OP_SOLVES) || device.type != TOCHA_CUDA) return true;
  tocha_stream *stream = tocha_stream_of(cx, device);
  return !stream || !stream->kernels->solves || stream->kernels->solves(stream);
}

bool tocha_lacks_kernel(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                        tocha_device *device) {
  *device = device_of_call(cx, op, args);
  return device->type == TOCHA_CUDA && !is_native(cx, op, *device);
}

/* Returns t, or a copy on the CPU if t is on a device. */
static tocha_tensor *on_cpu(tocha_context *cx, tocha_tensor *t) {
  return t && tocha_is_on_device(t) ? tocha_as_device(cx, t, tocha_cpu()) : t;
}

/* Copies args with every tensor on the host and every device the CPU. Allocates new lists of
 * tensors. */
static bool bring_arguments(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                            tocha_arg *brought) {
  for (int i = 0; i < op->parameter_count; i++) {
    brought[i] = args[i];
    if (args[i].tensor) {
      brought[i].tensor = on_cpu(cx, args[i].tensor);
      if (!brought[i].tensor) return false;
    } else if (op->parameters[i].kind == TOCHA_KIND_DEVICE) {
      brought[i].value.device = tocha_cpu();
      brought[i].given = true;
    } else if (op->parameters[i].kind == TOCHA_KIND_TENSORS && args[i].count) {
      tocha_tensor **list = tocha_allocate(cx, (uint64_t)args[i].count * sizeof *list);
      if (!list) return false;
      brought[i].value.tensors = list;
      for (int k = 0; k < args[i].count; k++) {
        list[k] = on_cpu(cx, args[i].value.tensors[k]);
      }
    }
  }
  return !tocha_failed(cx);
}

static void free_lists(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                       tocha_arg *brought) {
  for (int i = 0; i < op->parameter_count; i++)
    if (op->parameters[i].kind == TOCHA_KIND_TENSORS && args[i].count && brought[i].count &&
        brought[i].value.tensors != args[i].value.tensors)
      tocha_deallocate(cx, (void *)(uintptr_t)brought[i].value.tensors,
                       (size_t)args[i].count * sizeof(tocha_tensor *));
}

/* Returns the result on the device: the argument if it was written in place, or a new tensor. */
static tocha_tensor *return_result(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                                   const tocha_arg *brought, tocha_tensor *result,
                                   tocha_device device) {
  for (int i = 0; i < op->parameter_count; i++) {
    if (!result || brought[i].tensor != result || args[i].tensor == result) continue;
    bool written = (op->flags & TOCHA_OP_INPLACE) && i == 0;
    return !written || tocha_copy_data(cx, args[i].tensor, result) ? args[i].tensor : NULL;
  }
  tocha_tensor *moved = tocha_as_device(cx, result, device);
  return moved && tocha_requires_grad(result) ? tocha_set_requires_grad(cx, moved, true) : moved;
}

bool tocha_run_on_host(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                       tocha_results *results, tocha_device device) {
  tocha_arg brought[TOCHA_MAX_PARAMETERS];
  memset(brought, 0, sizeof brought);
  results->into = NULL;
  bool ok = bring_arguments(cx, op, args, brought) &&
            tocha_operator_of(op)->forward(cx, op, brought, results) && !tocha_failed(cx);
  for (int k = 0; ok && k < results->count; k++) {
    if (!results->tensors[k]) continue;
    results->tensors[k] = return_result(cx, op, args, brought, results->tensors[k], device);
    ok = results->tensors[k] != NULL;
  }
  free_lists(cx, op, args, brought);
  return ok;
}
