/* streams.c: streams and events of devices. */
#include "device/devices.h"

tocha_stream *tocha_current_stream(tocha_context *cx, int index) {
  return tocha_stream_of(cx, tocha_cuda_device(index));
}

static tocha_stream *given(tocha_context *cx, tocha_stream *stream) {
  if (!stream) tocha_launched(cx, false);
  return stream;
}

tocha_stream *tocha_default_stream(tocha_context *cx, int index) {
  tocha_devices *d = tocha_devices_ready(cx, index);
  return d ? given(cx, d->backend->default_stream(
                           d->state, tocha_concrete_device(cx, tocha_cuda_device(index)).index))
           : NULL;
}

tocha_stream *tocha_new_stream(tocha_context *cx, int index, int priority) {
  tocha_devices *d = tocha_devices_ready(cx, index);
  return d ? given(cx, d->backend->new_stream(
                           d->state, tocha_concrete_device(cx, tocha_cuda_device(index)).index,
                           priority))
           : NULL;
}

tocha_stream *tocha_set_stream(tocha_context *cx, tocha_stream *stream) {
  if (!stream) return tocha_refuse_none(cx, "set_stream", "stream", "Stream");
  tocha_stream *old = tocha_current_stream(cx, stream->device);
  if (old) cx->devices->streams[stream->device] = stream;
  return old;
}

int tocha_stream_device(const tocha_stream *stream) { return stream ? stream->device : 0; }
void *tocha_stream_handle(const tocha_stream *stream) { return stream ? stream->handle : NULL; }

bool tocha_stream_synchronize(tocha_context *cx, tocha_stream *stream) {
  if (!stream) return tocha_refuse_none(cx, "stream_synchronize", "stream", "Stream");
  if (tocha_launched(cx, stream->backend->synchronize(stream->state, stream->device, stream)))
    return true;
  tocha_name_in_capture(cx, "synchronize");
  return false;
}

int tocha_stream_query(tocha_context *cx, tocha_stream *stream) {
  if (!stream) return 0;
  int answer = stream->backend->query(stream);
  if (answer < 0) tocha_launched(cx, false);
  return answer;
}

bool tocha_stream_wait_stream(tocha_context *cx, tocha_stream *stream, tocha_stream *other) {
  if (!stream) return tocha_refuse_none(cx, "stream_wait_stream", "stream", "Stream");
  return tocha_launched(cx, stream->backend->order(other, stream));
}

bool tocha_record_stream(tocha_context *cx, tocha_tensor *tensor, tocha_stream *stream) {
  if (!tensor) return tocha_refuse_none(cx, "record_stream", "tensor", "Tensor");
  if (!tocha_is_on_device(tensor)) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "record_stream is only for tensors of a device");
    return false;
  }
  if (tensor->storage->data) stream->backend->use_on_stream(stream, tensor->storage->deleter_user);
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
  if (!event) return tocha_refuse_none(cx, "event_record", "event", "Event");
  if (!stream) return tocha_refuse_none(cx, "event_record", "stream", "Stream");
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
  if (!event) return tocha_refuse_none(cx, "event_wait", "event", "Event");
  if (!stream) return tocha_refuse_none(cx, "event_wait", "stream", "Stream");
  return !event->handle || tocha_launched(cx, stream->backend->wait(stream, event->handle));
}

bool tocha_event_synchronize(tocha_context *cx, tocha_event *event) {
  if (!event) return tocha_refuse_none(cx, "event_synchronize", "event", "Event");
  tocha_devices *d = cx->devices;
  return !event->handle ||
         tocha_launched(cx, d->backend->synchronize_event(d->state, event->handle));
}

int tocha_event_query(tocha_context *cx, tocha_event *event) {
  if (!event) return 0;
  tocha_devices *d = cx->devices;
  int answer = event->handle ? d->backend->query_event(d->state, event->handle) : 1;
  if (answer < 0) tocha_launched(cx, false);
  return answer;
}

bool tocha_event_elapsed(tocha_context *cx, tocha_event *start, tocha_event *stop,
                         double *milliseconds) {
  if (!start || !stop)
    return tocha_refuse_none(cx, "event_elapsed", start ? "stop" : "start", "Event");
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
  if (!event) return;
  if (event->handle) cx->devices->backend->free_event(cx->devices->state, event->handle);
  event->handle = NULL;
}
