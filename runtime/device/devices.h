/* devices.h: the runtime's side of devices other than the CPU (devices.c).
 *
 * The plug-in is loaded when a script first asks for its device. Work on a device goes to its current
 * stream; the host goes on at once and waits only where it looks at a value (tocha_on_host). */
#ifndef TOCHA_DEVICES_H
#define TOCHA_DEVICES_H

#include "device/backend.h"
#include "core/internal.h"

enum { TOCHA_SLOT = 64 };

/* What a context knows of its devices; made by tocha_devices_of. */
typedef struct tocha_devices {
  const tocha_backend *backend; /* NULL: there is none, for the reason below */
  tocha_backend_state *state;
  int count, current;
  tocha_stream
      *streams[TOCHA_MAX_DEVICES]; /* the current stream of each device; NULL: not used yet */
  tocha_generator *generators;     /* one a GPU; NULL until first asked for */
  void *slot; /* TOCHA_SLOT bytes of pinned memory, for values the host reads; NULL: not used yet */
  char reason[256];
} tocha_devices;

/* Loads the plug-in where that has not been tried. NULL only where memory lacks. */
tocha_devices *tocha_devices_of(tocha_context *cx);
void tocha_devices_close(tocha_context *cx);
tocha_stream *tocha_find_stream(tocha_context *cx,
                                tocha_device device); /* tocha_stream_of, below */
/* The current stream of a device; the CPU has one, whose work is done when a kernel returns. NULL, with
 * an error, where it is not there. */
static inline tocha_stream *tocha_stream_of(tocha_context *cx, tocha_device device) {
  return device.type == TOCHA_CPU && cx->cpu ? cx->cpu : tocha_find_stream(cx, device);
}
/* Whether work was started; false puts the plug-in's words into the error. */
bool tocha_launched(tocha_context *cx, bool started);
/* The context that a stream of the CPU works for. */
static inline tocha_context *tocha_stream_context(tocha_stream *stream) {
  return (tocha_context *)stream->state;
}
/* Whether both are the same place: all indices of the CPU are. */
static inline bool tocha_same_device(tocha_device a, tocha_device b) {
  return a.type == b.type && (a.index == b.index || a.type != TOCHA_CUDA);
}
static inline bool tocha_is_on_device(const tocha_tensor *t) {
  return t->device.type == TOCHA_CUDA;
}

/* The generator a call for tensors of `device` draws from: the one given, or (NULL) the device's own. NULL,
 * with PyTorch's message, where the given one is of another kind. */
tocha_generator *tocha_generator_for(tocha_context *cx, tocha_device device,
                                     tocha_generator *generator);

/* Memory of a device for a storage, and its deleter: NULL, with PyTorch's out-of-memory message, after
 * the caches were flushed and garbage collected. */
void *tocha_device_allocate(tocha_context *cx, tocha_device device, size_t bytes,
                            void (**deleter)(void *user, void *data), void **user);
/* The devices where there is a backend and this index (negative: the current one); NULL with an error. */
tocha_devices *tocha_devices_ready(tocha_context *cx, int index);
/* The same, and the device with its index. */
bool tocha_resolve_device(tocha_context *cx, tocha_device *device);

#endif
