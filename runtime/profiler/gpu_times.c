/* gpu_times.c: see gpu_times.h. */
#include "profiler/gpu_times.h"

#include <string.h>

#include "device/devices.h"
#include "dispatch/call.h"
#include "platform/platform.h"

enum { PAIRS = 256, NO_GPU = TOCHA_HOST };

/* The events around one call. They belong to the GPU `device`; waiting: recorded, not yet read. */
typedef struct event_pair {
  void *start, *stop;
  int device;
  bool waiting;
  size_t index;
} event_pair;

struct tocha_gpu_times {
  event_pair ring[PAIRS];
  size_t next;
  event_pair *open;                /* the pair of the call that runs; NULL: it uses no GPU */
  void *base[TOCHA_MAX_DEVICES];   /* an event of each GPU that was used, ... */
  double since[TOCHA_MAX_DEVICES]; /* ... and the host's time when it was reached */
  tocha_gpu_span *spans;
  size_t count, capacity;
};

tocha_gpu_times *tocha_gpu_times_new(tocha_context *cx) {
  return tocha_allocate_zeroed(cx, sizeof(tocha_gpu_times));
}

static void free_pair(tocha_context *cx, event_pair *pair) {
  const tocha_devices *d = cx->devices;
  if (pair->start) d->backend->free_event(d->state, pair->start);
  if (pair->stop) d->backend->free_event(d->state, pair->stop);
  *pair = (event_pair){0};
}

void tocha_gpu_times_free(tocha_context *cx, tocha_gpu_times *times) {
  if (!times) return;
  for (int i = 0; i < PAIRS; i++) free_pair(cx, &times->ring[i]);
  for (int i = 0; i < TOCHA_MAX_DEVICES; i++)
    if (times->base[i]) cx->devices->backend->free_event(cx->devices->state, times->base[i]);
  tocha_deallocate(cx, times->spans, times->capacity * sizeof *times->spans);
  tocha_deallocate(cx, times, sizeof *times);
}

/* Returns the number of the GPU that a call works on: that of its first tensor there, else the one
 * that it names or creates a tensor on; NO_GPU if there is none. */
static int gpu_of_call(tocha_context *cx, const tocha_op *op, const tocha_arg *args) {
  tocha_tensor_place at = {0};
  bool has_tensors = false;
  for (const tocha_tensor *t; (t = tocha_next_tensor(op, args, &at)); has_tensors = true)
    if (t->device.type == TOCHA_CUDA) return t->device.index;
  for (int i = 0; i < op->parameter_count; i++) {
    if (op->parameters[i].kind != TOCHA_KIND_DEVICE || (has_tensors && !args[i].given)) continue;
    tocha_device device = args[i].given ? args[i].value.device : cx->default_device;
    if (device.type == TOCHA_CUDA) return tocha_concrete_device(cx, device).index;
  }
  return NO_GPU;
}

/* Makes room for the span of call number `index`, and for those before it, which used no GPU. If
 * memory is short, the span is left out. */
static tocha_gpu_span *span_at(tocha_context *cx, tocha_gpu_times *times, size_t index) {
  if (index >= times->capacity) {
    size_t capacity = index < 512 ? 1024 : 2 * index;
    tocha_gpu_span *spans = tocha_allocate(cx, capacity * sizeof *spans);
    if (!spans) return (tocha_clear_error(cx), NULL);
    if (times->count) memcpy(spans, times->spans, times->count * sizeof *spans);
    tocha_deallocate(cx, times->spans, times->capacity * sizeof *spans);
    times->spans = spans;
    times->capacity = capacity;
  }
  for (; times->count <= index; times->count++)
    times->spans[times->count] = (tocha_gpu_span){.device = NO_GPU};
  return &times->spans[index];
}

/* Waits for the end of a pair's call, and keeps its time. A time that the driver cannot tell
 * is left out. */
static bool settle(tocha_context *cx, tocha_gpu_times *times, event_pair *pair) {
  if (!pair->waiting) return true;
  const tocha_devices *d = cx->devices;
  pair->waiting = false;
  if (!d->backend->synchronize_event(d->state, pair->stop)) return tocha_launched(cx, false);
  float since = 0, took = 0;
  if (!d->backend->elapsed(d->state, times->base[pair->device], pair->start, &since) ||
      !d->backend->elapsed(d->state, pair->start, pair->stop, &took))
    return true;
  tocha_gpu_span *span = span_at(cx, times, pair->index);
  if (!span) return true;
  span->device = pair->device;
  span->start = times->since[pair->device] + 1e-3 * (double)since;
  span->seconds = 1e-3 * (double)took;
  return true;
}

/* Records an event that ties the GPU's clock to the host's, when the GPU is first used. */
static bool tie_clocks(tocha_context *cx, tocha_gpu_times *times, tocha_stream *stream) {
  void **base = &times->base[stream->device];
  if (*base) return true;
  const tocha_backend *backend = stream->backend;
  *base = backend->new_event(stream->state, stream->device, true);
  if (!tocha_launched(cx, *base && backend->record(stream, *base) &&
                              backend->synchronize_event(stream->state, *base)))
    return false;
  times->since[stream->device] = 1e-9 * (double)platform_nanoseconds();
  return true;
}

static bool has_events(tocha_context *cx, event_pair *pair, tocha_stream *stream) {
  if (pair->start && pair->device != stream->device) free_pair(cx, pair);
  pair->device = stream->device;
  if (!pair->start) pair->start = stream->backend->new_event(stream->state, stream->device, true);
  if (!pair->stop) pair->stop = stream->backend->new_event(stream->state, stream->device, true);
  return tocha_launched(cx, pair->start && pair->stop);
}

bool tocha_gpu_times_begin(tocha_context *cx, tocha_gpu_times *times, const tocha_op *op,
                           const tocha_arg *args) {
  times->open = NULL;
  int device = gpu_of_call(cx, op, args);
  if (device < 0 || !cx->devices || !cx->devices->backend || device >= cx->devices->count)
    return true;
  tocha_stream *stream = tocha_stream_of(cx, tocha_cuda_device(device));
  if (!stream) return false;
  if (stream->backend->is_capturing(stream)) return true; /* it runs when its graph is replayed */
  event_pair *pair = &times->ring[times->next];
  if (!tie_clocks(cx, times, stream) || !settle(cx, times, pair) || !has_events(cx, pair, stream) ||
      !tocha_launched(cx, stream->backend->record(stream, pair->start)))
    return false;
  times->open = pair;
  return true;
}

bool tocha_gpu_times_end(tocha_context *cx, tocha_gpu_times *times, size_t index) {
  event_pair *pair = times->open;
  times->open = NULL;
  if (!pair) return true;
  tocha_stream *stream = tocha_stream_of(cx, tocha_cuda_device(pair->device));
  if (!stream || !tocha_launched(cx, stream->backend->record(stream, pair->stop))) return false;
  pair->index = index;
  pair->waiting = true;
  times->next = (times->next + 1) % PAIRS;
  return true;
}

bool tocha_gpu_times_settle(tocha_context *cx, tocha_gpu_times *times) {
  bool fine = true;
  for (int i = 0; i < PAIRS && fine; i++) fine = settle(cx, times, &times->ring[i]);
  return fine;
}

tocha_gpu_span tocha_gpu_times_at(const tocha_gpu_times *times, size_t index) {
  return index < times->count ? times->spans[index] : (tocha_gpu_span){.device = NO_GPU};
}
