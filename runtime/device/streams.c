/* streams.c: the public face of devices: questions, streams, events, memory. */
#include <string.h>

#include "device/devices.h"
#include "tocha/device.h"

/* The devices where there is a backend, or NULL with an error. */
static tocha_devices *ready(tocha_context *cx, int index) {
  return tocha_device_available(cx, tocha_cuda_device(index)) ? cx->devices : NULL;
}

static int concrete(tocha_context *cx, int index) {
  return index < 0 ? tocha_current_device(cx) : index;
}

/* --- devices --------------------------------------------------------------------------------------- */

int tocha_device_count(tocha_context *cx) {
  tocha_devices *d = tocha_devices_of(cx);
  return d ? d->count : 0;
}

const char *tocha_device_reason(tocha_context *cx) {
  tocha_devices *d = tocha_devices_of(cx);
  return d && !d->backend ? d->reason : "";
}

int tocha_current_device(tocha_context *cx) { return cx->devices ? cx->devices->current : 0; }

bool tocha_set_current_device(tocha_context *cx, int index) {
  tocha_devices *d = ready(cx, index);
  if (d && index >= 0) d->current = index;
  return d != NULL;
}

bool tocha_get_device_properties(tocha_context *cx, int index,
                                 tocha_device_properties *properties) {
  tocha_devices *d = ready(cx, index);
  return d && tocha_launched(cx, d->backend->properties(d->state, concrete(cx, index), properties));
}

bool tocha_synchronize(tocha_context *cx, int index) {
  tocha_devices *d = ready(cx, index);
  return d && tocha_launched(cx, d->backend->synchronize(d->state, concrete(cx, index), NULL));
}

bool tocha_set_default_device(tocha_context *cx, tocha_device device) {
  if (!tocha_device_available(cx, device)) return false;
  cx->default_device = device;
  return true;
}

/* --- streams --------------------------------------------------------------------------------------- */

tocha_stream *tocha_current_stream(tocha_context *cx, int index) {
  return tocha_stream_of(cx, tocha_cuda_device(index));
}

static tocha_stream *given(tocha_context *cx, tocha_stream *stream) {
  if (!stream) tocha_launched(cx, false);
  return stream;
}

tocha_stream *tocha_default_stream(tocha_context *cx, int index) {
  tocha_devices *d = ready(cx, index);
  return d ? given(cx, d->backend->default_stream(d->state, concrete(cx, index))) : NULL;
}

tocha_stream *tocha_new_stream(tocha_context *cx, int index, int priority) {
  tocha_devices *d = ready(cx, index);
  return d ? given(cx, d->backend->new_stream(d->state, concrete(cx, index), priority)) : NULL;
}

tocha_stream *tocha_set_stream(tocha_context *cx, tocha_stream *stream) {
  tocha_stream *old = tocha_current_stream(cx, stream->device);
  if (old) cx->devices->streams[stream->device] = stream;
  return old;
}

int tocha_stream_device(const tocha_stream *stream) { return stream->device; }
void *tocha_stream_handle(const tocha_stream *stream) { return stream->handle; }

bool tocha_stream_synchronize(tocha_context *cx, tocha_stream *stream) {
  return tocha_launched(cx, stream->backend->synchronize(stream->state, stream->device, stream));
}

int tocha_stream_query(tocha_context *cx, tocha_stream *stream) {
  int answer = stream->backend->query(stream);
  if (answer < 0) tocha_launched(cx, false);
  return answer;
}

bool tocha_stream_wait_stream(tocha_context *cx, tocha_stream *stream, tocha_stream *other) {
  return tocha_launched(cx, stream->backend->order(other, stream));
}

bool tocha_record_stream(tocha_context *cx, tocha_tensor *tensor, tocha_stream *stream) {
  if (!tocha_is_on_device(tensor)) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "record_stream is only for tensors of a device");
    return false;
  }
  if (tensor->storage->data) stream->backend->use_on_stream(stream, tensor->storage->data);
  return true;
}

/* --- events ---------------------------------------------------------------------------------------- */

static bool recorded(tocha_context *cx, const tocha_event *event) {
  if (!event->handle)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Both events must be recorded before calculating elapsed time.");
  return event->handle != NULL;
}

bool tocha_event_record(tocha_context *cx, tocha_event *event, tocha_stream *stream) {
  if (!event->handle) {
    event->handle = stream->backend->new_event(stream->state, stream->device, event->timing);
    event->device = stream->device;
  } else if (event->device != stream->device) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Event device %d does not match recording stream's device %d.", event->device,
               stream->device);
    return false;
  }
  return tocha_launched(cx, event->handle && stream->backend->record(stream, event->handle));
}

bool tocha_event_wait(tocha_context *cx, tocha_event *event, tocha_stream *stream) {
  return !event->handle || tocha_launched(cx, stream->backend->wait(stream, event->handle));
}

bool tocha_event_synchronize(tocha_context *cx, tocha_event *event) {
  tocha_devices *d = cx->devices;
  return !event->handle ||
         tocha_launched(cx, d->backend->synchronize_event(d->state, event->handle));
}

int tocha_event_query(tocha_context *cx, tocha_event *event) {
  tocha_devices *d = cx->devices;
  int answer = event->handle ? d->backend->query_event(d->state, event->handle) : 1;
  if (answer < 0) tocha_launched(cx, false);
  return answer;
}

bool tocha_event_elapsed(tocha_context *cx, tocha_event *start, tocha_event *stop,
                         double *milliseconds) {
  tocha_devices *d = cx->devices;
  float answer = 0;
  if (!start->timing || !stop->timing) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Both events must be created with argument 'enable_timing=True'.");
    return false;
  }
  if (!recorded(cx, start) || !recorded(cx, stop)) return false;
  if (tocha_event_query(cx, start) == 0 || tocha_event_query(cx, stop) == 0) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Both events must be completed before calculating elapsed time.");
    tocha_hint(cx, "wait for the second one first: stop:synchronize()");
    return false;
  }
  if (!tocha_launched(cx, d->backend->elapsed(d->state, start->handle, stop->handle, &answer)))
    return false;
  *milliseconds = answer;
  return true;
}

void tocha_event_free(tocha_context *cx, tocha_event *event) {
  if (event->handle) cx->devices->backend->free_event(cx->devices->state, event->handle);
  event->handle = NULL;
}

/* --- memory ---------------------------------------------------------------------------------------- */

bool tocha_get_device_memory(tocha_context *cx, int index, tocha_device_memory *memory) {
  tocha_devices *d = ready(cx, index);
  return d && tocha_launched(cx, d->backend->memory(d->state, concrete(cx, index), memory));
}

bool tocha_reset_device_peak(tocha_context *cx, int index) {
  tocha_devices *d = ready(cx, index);
  if (d) d->backend->reset_peak(d->state, concrete(cx, index));
  return d != NULL;
}

void tocha_empty_device_cache(tocha_context *cx) {
  tocha_devices *d = cx->devices;
  for (int i = 0; d && i < d->count; i++) d->backend->empty_cache(d->state, i);
}

bool tocha_is_pinned(tocha_context *cx, const tocha_tensor *tensor) {
  tocha_devices *d = cx->devices;
  return d && d->backend && tensor->device.type == TOCHA_CPU && tensor->storage->data &&
         d->backend->is_pinned(d->state, tensor->storage->data);
}

/* Whether the device is a GPU that was asked for already; its number. */
static bool is_cuda(const tocha_context *cx, tocha_device device, int *index) {
  const tocha_devices *d = cx->devices;
  *index = d && device.index < 0 ? d->current : device.index;
  return device.type == TOCHA_CUDA && d && d->backend && *index < d->count;
}

tocha_memory_statistics tocha_memory(const tocha_context *cx, tocha_device device) {
  tocha_memory_statistics s = {0};
  tocha_device_memory m;
  int index;
  if (device.type == TOCHA_CPU) return cx->allocator.statistics;
  if (is_cuda(cx, device, &index) && cx->devices->backend->memory(cx->devices->state, index, &m)) {
    s.allocated = m.allocated;
    s.max_allocated = m.max_allocated;
    s.reserved = m.reserved;
    s.total = m.total;
    s.collections = m.retries;
  }
  return s;
}

void tocha_reset_peak_memory(tocha_context *cx, tocha_device device) {
  int index;
  if (device.type == TOCHA_CPU)
    cx->allocator.statistics.max_allocated = cx->allocator.statistics.allocated;
  else if (is_cuda(cx, device, &index))
    cx->devices->backend->reset_peak(cx->devices->state, index);
}
