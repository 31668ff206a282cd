/* transfer.c: copies values between host and device, or between devices. */
#include "tensor/transfer.h"
#include "device/devices.h"

#include <string.h>

#include "tensor/copy.h"

static int place_of(const tocha_tensor *t) {
  return tocha_is_on_device(t) ? t->device.index : TOCHA_HOST;
}

/* Copies dense bytes. Between two devices the copy waits for the target's stream, and the
 * target's stream waits for the copy. */
static bool copy_bytes(tocha_context *cx, tocha_tensor *target, const tocha_tensor *source,
                       bool blocking) {
  tocha_stream *s =
      tocha_stream_of(cx, tocha_is_on_device(source) ? source->device : target->device);
  tocha_stream *other = tocha_is_on_device(target) ? tocha_stream_of(cx, target->device) : s;
  size_t bytes = (size_t)target->numel * tocha_dtype_size(target->dtype);
  if (!s || !other || (s != other && !tocha_launched(cx, s->backend->order(other, s))))
    return false;
  if (blocking && !tocha_is_on_device(target) && !tocha_check_hidden_wait(cx)) return false;
  return tocha_launched(cx,
                        s->backend->copy(s, tocha_bytes(target), place_of(target),
                                         tocha_bytes(source), place_of(source), bytes, blocking)) &&
         (s == other || tocha_launched(cx, s->backend->order(s, other)));
}

static bool is_plain(const tocha_tensor *t, tocha_dtype dtype) {
  return t->dtype == dtype && tocha_is_contiguous(t);
}

bool tocha_copy_across(tocha_context *cx, tocha_tensor *target, tocha_tensor *source,
                       bool blocking) {
  /* Only dense bytes of one dtype cross: values are converted on the side that leaves fewer
   * bytes to copy. */
  tocha_scope s = tocha_scope_begin(cx);
  tocha_dtype dtype =
      tocha_dtype_size((tocha_dtype)source->dtype) <= tocha_dtype_size((tocha_dtype)target->dtype)
          ? (tocha_dtype)source->dtype
          : (tocha_dtype)target->dtype;
  bool whole = tocha_same_sizes(target, source);
  tocha_tensor *from, *to = target;
  bool ok = (from = tocha_as_rows(cx, source, dtype)) != NULL;
  if (ok && !(whole && is_plain(target, dtype)))
    to = tocha_new(cx, source->ndim, source->sizes, dtype, target->device);
  ok = ok && to && copy_bytes(cx, to, from, blocking || to != target) &&
       (to == target || tocha_copy_data(cx, target, to));
  tocha_scope_end(cx, s, NULL);
  return ok;
}

tocha_tensor *tocha_on_host(tocha_context *cx, tocha_tensor *t) {
  if (!tocha_is_on_device(t)) return t;
  return tocha_copy_as(cx, t, TOCHA_NO_DTYPE, tocha_cpu(), TOCHA_CONTIGUOUS_FORMAT);
}

bool tocha_read_bytes(tocha_context *cx, tocha_device device, const void *from, void *to,
                      size_t bytes) {
  if (device.type == TOCHA_CPU) {
    memcpy(to, from, bytes);
    return true;
  }
  tocha_stream *s = tocha_stream_of(cx, device);
  if (!s || !tocha_check_hidden_wait(cx)) return false;
  void **slot = &cx->devices->slot; /* pinned memory, so that the driver need not stage such a
                                     * small copy */
  if (!*slot) *slot = s->backend->allocate_pinned(s->state, TOCHA_SLOT);
  if (!*slot) return tocha_launched(cx, false);
  void *staged = bytes <= TOCHA_SLOT ? *slot : to;
  if (!tocha_launched(cx, s->backend->copy(s, staged, TOCHA_HOST, from, device.index, bytes, true)))
    return false;
  if (staged != to) memcpy(to, staged, bytes);
  return true;
}

bool tocha_read_element(tocha_context *cx, const tocha_tensor *t, void *element) {
  return tocha_read_bytes(cx, t->device, tocha_bytes(t), element, tocha_dtype_size(t->dtype));
}

/* --- pinned memory --------------------------------------------------------------------------------- */

static void release_pinned(void *user, void *data) {
  tocha_devices *d = user;
  d->backend->release_pinned(d->state, data);
}

tocha_tensor *tocha_pin_memory(tocha_context *cx, tocha_tensor *tensor) {
  char type[32];
  if (!tensor || tocha_failed(cx)) return NULL;
  if (tensor->device.type != TOCHA_CPU)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "cannot pin '%s' only dense CPU tensors can be pinned",
                      tocha_type_text(tensor, type));
  tocha_devices *d = tocha_device_available(cx, tocha_cuda_device(-1)) ? cx->devices : NULL;
  if (!d) return NULL;
  if (tensor->numel == 0 || tocha_is_pinned(cx, tensor)) return tensor;
  size_t bytes = (size_t)tensor->numel * tocha_dtype_size((tocha_dtype)tensor->dtype);
  void *data = d->backend->allocate_pinned(d->state, bytes);
  if (!tocha_launched(cx, data != NULL)) return NULL;
  tocha_tensor *pinned = tocha_from_memory(cx, data, tensor->ndim, tensor->sizes,
                                           (tocha_dtype)tensor->dtype, release_pinned, d);
  if (!pinned) {
    d->backend->release_pinned(d->state, data);
    return NULL;
  }
  return tocha_copy_data(cx, pinned, tensor) ? pinned : NULL;
}
