/* streams.c: runs a device's node on the stream on which its operator ran forward.
 *
 * If the pass changes streams, the next stream waits for the work queued on the previous one. At
 * the end all streams of the pass wait for the last one. So does the caller's stream, which becomes
 * current again. Nodes run one after the other, so all work is ordered. */
#include "autograd/node.h"

#include "device/devices.h"

_Static_assert(sizeof((tocha_pass_streams *)0)->callers / sizeof(void *) >= TOCHA_MAX_DEVICES,
               "a stream for each device");

void tocha_node_set_stream(tocha_node *node, const tocha_tensor *result) {
  if (result && tocha_is_on_device(result))
    node->stream = node->context->devices->streams[result->device.index];
}

static bool is_used(const tocha_pass_streams *s, const tocha_stream *stream) {
  for (int i = 0; i < s->count; i++)
    if (s->used[i] == stream) return true;
  return false;
}

static bool order(tocha_context *cx, tocha_stream *before, tocha_stream *after) {
  return tocha_launched(cx, before->backend->order(before, after));
}

bool tocha_pass_enter(tocha_context *cx, tocha_pass_streams *s, const tocha_node *node) {
  tocha_stream *wanted = node->stream;
  if (!wanted) return true;
  tocha_stream **current = &cx->devices->streams[wanted->device];
  if (*current == wanted) return true;
  if (!s->callers[wanted->device]) s->callers[wanted->device] = *current;
  if (!is_used(s, wanted) && s->count < TOCHA_COUNT(s->used)) s->used[s->count++] = wanted;
  if (!order(cx, *current, wanted)) return false;
  *current = wanted;
  return true;
}

void tocha_pass_keeps(const tocha_pass_streams *s, const tocha_tensor *grad) {
  if (s->count == 0 || !grad || !tocha_is_on_device(grad)) return;
  tocha_stream *caller = s->callers[grad->device.index];
  if (caller && grad->storage->data)
    caller->backend->use_on_stream(caller, grad->storage->deleter_user);
}

bool tocha_pass_leave(tocha_context *cx, tocha_pass_streams *s) {
  bool ok = true;
  for (int device = 0; s->count && device < TOCHA_MAX_DEVICES; device++) {
    tocha_stream *caller = s->callers[device];
    if (!caller) continue;
    tocha_stream *last = cx->devices->streams[device];
    for (int i = 0; i < s->count; i++)
      if (s->used[i]->device == device && s->used[i] != last) ok &= order(cx, last, s->used[i]);
    if (last != caller) ok &= order(cx, last, caller);
    cx->devices->streams[device] = caller;
  }
  return ok;
}
