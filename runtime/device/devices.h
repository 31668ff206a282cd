/* devices.h: the runtime's side of devices other than the CPU (devices.c).
 *
 * The plug-in is loaded when a script first asks for its device. Work on a device is queued in
 * its current stream; the host continues at once and waits only when it reads a value
 * (tocha_on_host). */
#ifndef TOCHA_DEVICES_H
#define TOCHA_DEVICES_H

#include "device/backend.h"
#include "tocha/device_tools.h"
#include "core/internal.h"

enum { TOCHA_SLOT = 64 };

/* A context's devices; created by tocha_devices_of. */
typedef struct tocha_devices {
  const tocha_backend *backend; /* NULL if there is none; `reason` says why */
  tocha_backend_state *state;
  int count, current;
  tocha_stream
      *streams[TOCHA_MAX_DEVICES]; /* the current stream of each device; NULL: not used yet */
  tocha_generator *generators;     /* one per GPU; NULL until first used */
  void *slot; /* TOCHA_SLOT bytes of pinned memory, for values that the host reads; NULL: not
               * used yet */
  struct tocha_raw_block *raw;  /* memory without a tensor (instruments.c) */
  tocha_wait_mode hidden_waits; /* for calls that wait for a GPU without being told to */
  char reason[256];
  struct {             /* ops/attention/backends.c */
    uint8_t forbidden; /* bit per tocha_attention_backend */
    bool matrices_first;
  } attention;
} tocha_devices;

/* Returns the context's devices; loads the plug-in if that was not tried yet. Returns NULL only
 * if memory is short. */
tocha_devices *tocha_devices_of(tocha_context *cx);
void tocha_devices_close(tocha_context *cx);
/* Warns or fails, as set by tocha_set_hidden_waits, because a call is about to wait for a GPU. */
bool tocha_check_hidden_wait(tocha_context *cx);
void tocha_device_memory_close(tocha_context *cx); /* frees memory without a tensor */
/* Returns what tocha_stream_of returns; makes the stream on its first use. */
tocha_stream *tocha_find_stream(tocha_context *cx, tocha_device device);
/* Returns the current stream of a device. The CPU has one, whose work is done when a kernel
 * returns. Fails if the device is missing. */
static inline tocha_stream *tocha_stream_of(tocha_context *cx, tocha_device device) {
  if (device.type == TOCHA_CPU && cx->cpu) return cx->cpu;
  const tocha_devices *d = cx ? cx->devices : NULL;
  bool known = device.type == TOCHA_CUDA && d && device.index >= 0 && device.index < d->count;
  if (known && d->streams[device.index]) return d->streams[device.index];
  return tocha_find_stream(cx, device);
}
/* Returns `started`. If false, copies the plug-in's message into the context's error. */
bool tocha_launched(tocha_context *cx, bool started);
/* Hints that a capture does not permit a call (graphs.c). tocha_name_in_capture puts the name of the
 * operator or function into the hint: each caller replaces what it calls. */
void tocha_hint_capture(tocha_context *cx);
void tocha_name_in_capture(tocha_context *cx, const char *name);
/* Returns the context that a stream of the CPU works for. */
static inline tocha_context *tocha_stream_context(tocha_stream *stream) {
  return (tocha_context *)stream->state;
}
static inline bool tocha_is_on_device(const tocha_tensor *t) {
  return t->device.type == TOCHA_CUDA;
}

/* Returns the generator that a call for tensors of `device` draws from: `generator`, or the
 * device's own if it is NULL. Fails with PyTorch's message if `generator` belongs to another
 * type of device. */
tocha_generator *tocha_generator_for(tocha_context *cx, tocha_device device,
                                     tocha_generator *generator);

/* Returns memory of a device for a storage, and its deleter. Fails with PyTorch's out-of-memory
 * message if memory is still short after the caches were flushed and garbage was collected. */
void *tocha_device_allocate(tocha_context *cx, tocha_device device, uint64_t bytes,
                            void (**deleter)(void *user, void *data), void **user);
/* Returns the devices if there is a backend and this index (negative: the current one), or
 * fails. */
tocha_devices *tocha_devices_ready(tocha_context *cx, int index);
/* Does the same, and replaces a negative index by the current one. */
tocha_devices *tocha_devices_at(tocha_context *cx, int *index);
/* Does the same, and gives *device its index. */
bool tocha_resolve_device(tocha_context *cx, tocha_device *device);

#endif
