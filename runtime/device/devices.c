/* devices.c: loads the device plug-in, allocates its memory, and reports its errors. */
#include "device/devices.h"

#include "device/instruments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/library.h"
#include "core/process.h"
#include "platform/platform.h"

/* --- loading --------------------------------------------------------------------------------------- */

static const tocha_backend *load_backend(tocha_context *cx, char *reason, size_t capacity) {
  const char *wish = tocha_environment(cx, "TOCHA_CUDA");
  bool simulated = wish && strcmp(wish, "simulate") == 0;
  if (wish && strcmp(wish, "off") == 0) {
    snprintf(reason, capacity, "the environment says TOCHA_CUDA=off");
    return NULL;
  }
  void *library = tocha_open_plugin(simulated ? "libtocha_cuda_simulated.so" : "libtocha_cuda.so",
                                    reason, capacity);
  if (!library) return NULL;
  tocha_backend_entry_function entry;
  bool found = tocha_find_function(library, "tocha_backend_entry", &entry);
  const tocha_backend *backend = found ? entry() : NULL;
  if (backend && backend->version == TOCHA_BACKEND_VERSION) return backend;
  snprintf(reason, capacity, "the plug-in was built for another version of libtocha");
  return NULL;
}

tocha_devices *tocha_devices_of(tocha_context *cx) {
  if (!cx) return NULL;
  if (cx->devices) return cx->devices;
  tocha_devices *d = tocha_allocate_zeroed(cx, sizeof *d);
  if (!d) return NULL;
  cx->devices = d;
  bool refused = tocha_refuses(cx, TOCHA_REFUSE_LIBRARIES);
  if (cx->confined || refused) {
    snprintf(d->reason, sizeof d->reason,
             refused ? "the program refuses shared libraries" : "a sandbox has no GPU");
    return d;
  }
  const tocha_backend *backend = load_backend(cx, d->reason, sizeof d->reason);
  const char *wish = tocha_environment(cx, "TOCHA_CUDA");
  if (!backend && wish && strcmp(wish, "simulate") == 0)
    tocha_warn(cx, "TOCHA_CUDA=simulate, but %s: there is no GPU", d->reason);
  if (!backend) return d;
  const char *reason = "";
  d->state = backend->open(&reason);
  if (d->state) {
    d->backend = backend;
    d->count = backend->device_count(d->state);
    if (d->count > TOCHA_MAX_DEVICES) d->count = TOCHA_MAX_DEVICES;
    if (*reason) tocha_warn(cx, "%s", reason);
  } else {
    snprintf(d->reason, sizeof d->reason, "%s", reason);
  }
  return d;
}

void tocha_devices_close(tocha_context *cx) {
  if (cx->cpu) tocha_deallocate(cx, cx->cpu, sizeof *cx->cpu);
  cx->cpu = NULL;
  if (!cx->devices) return;
  tocha_device_memory_close(cx);
  if (cx->devices->slot)
    cx->devices->backend->release_pinned(cx->devices->state, cx->devices->slot);
  if (cx->devices->state) cx->devices->backend->close(cx->devices->state);
  tocha_deallocate(cx, cx->devices->generators,
                   (size_t)cx->devices->count * sizeof *cx->devices->generators);
  tocha_deallocate(cx, cx->devices, sizeof *cx->devices);
  cx->devices = NULL;
}

tocha_device tocha_concrete_device(tocha_context *cx, tocha_device device) {
  if (device.type == TOCHA_CUDA && device.index < 0)
    device.index = (int16_t)(cx && cx->devices ? cx->devices->current : 0);
  return device;
}

bool tocha_device_available(tocha_context *cx, tocha_device device) {
  if (device.type == TOCHA_CPU || device.type == TOCHA_META) return true;
  if (device.type == TOCHA_MPS) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "The MPS backend is supported on MacOS 14.0+. Current OS version can be queried "
               "using `sw_vers`");
    tocha_hint(cx, "choose the device with torch.backends.mps.is_available()");
    return false;
  }
  tocha_devices *d = cx && cx->devices ? cx->devices : tocha_devices_of(cx);
  if (d && d->backend) {
    if (device.index < d->count) return true;
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "CUDA error: invalid device ordinal");
    tocha_hint(cx, "this machine has %d: cuda:0%s", d->count, d->count > 1 ? " and up" : "");
  } else if (d) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU "
               "and installed a driver from http://www.nvidia.com/Download/index.aspx");
    /* the cure comes first, unless TOCHA_CUDA was set: then the reason why that had no effect */
    static const char choice[] =
        "choose the device with torch.cuda.is_available() and \"cuda\" or \"cpu\"";
    bool asked = tocha_environment(cx, "TOCHA_CUDA") != NULL;
    tocha_hint(cx, "%s; %s", asked ? d->reason : choice, asked ? choice : d->reason);
  }
  return false;
}

static tocha_stream *cpu_stream(tocha_context *cx) {
  if (cx->cpu) return cx->cpu;
  cx->cpu = tocha_allocate_zeroed(cx, sizeof *cx->cpu);
  if (!cx->cpu) return NULL;
  cx->cpu->kernels = cx->hooks->cpu_kernels;
  cx->cpu->state = (tocha_backend_state *)cx;
  cx->cpu->device = TOCHA_HOST;
  return cx->cpu;
}

bool tocha_resolve_device(tocha_context *cx, tocha_device *device) {
  if (device->type == TOCHA_CUDA && device->index >= 0 && cx->devices &&
      device->index < cx->devices->count)
    return true;
  if (!tocha_device_available(cx, *device)) return false;
  *device = tocha_concrete_device(cx, *device);
  return true;
}

tocha_stream *tocha_find_stream(tocha_context *cx, tocha_device device) {
  if (device.type == TOCHA_CPU) return cpu_stream(cx);
  tocha_devices *d = tocha_device_available(cx, device) ? tocha_devices_of(cx) : NULL;
  if (!d) return NULL;
  int index = tocha_concrete_device(cx, device).index;
  if (!d->streams[index]) d->streams[index] = d->backend->default_stream(d->state, index);
  if (!d->streams[index]) tocha_launched(cx, false);
  return d->streams[index];
}

bool tocha_launched(tocha_context *cx, bool started) {
  if (started || tocha_failed(cx)) return started; /* the CPU's kernels set the error themselves */
  const char *why = cx->devices->backend->message(cx->devices->state);
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s", why);
  if (strstr(why, "when stream is capturing"))
    tocha_hint_capture(cx);
  else if (strstr(why, "no kernel image"))
    tocha_hint(cx, "the kernels were not compiled for this GPU: see tocha --doctor, and build with "
                   "-DTOCHA_CUDA_ARCHITECTURES");
  return false;
}

/* --- memory ---------------------------------------------------------------------------------------- */

/* Writes a size as PyTorch does. */
static const char *size_text(size_t bytes, char text[32]) {
  if (bytes <= 1024)
    snprintf(text, 32, "%zu bytes", bytes);
  else if (bytes <= 1048576)
    snprintf(text, 32, "%.2f KiB", (double)bytes / 1024.0);
  else if (bytes <= 1073741824)
    snprintf(text, 32, "%.2f MiB", (double)bytes / 1048576.0);
  else
    snprintf(text, 32, "%.2f GiB", (double)bytes / 1073741824.0);
  return text;
}

/* Fails with PyTorch's message and the current figures. */
static void *out_of_device_memory(tocha_context *cx, int device, size_t bytes) {
  tocha_devices *d = cx->devices;
  tocha_device_memory m;
  char wanted[32], capacity[32], rest[32], live[32], cached[32];
  size_t free_bytes, all;
  double fraction = 1;
  if (!d->backend->memory(d->state, device, &m) ||
      !d->backend->memory_info(d->state, device, &free_bytes, &all) ||
      !d->backend->instruments->fraction(d->state, device, &fraction))
    return (tocha_launched(cx, false), NULL);
  char limit[32], allowed[48] = "";
  if (fraction < 1)
    snprintf(allowed, sizeof allowed, "%s allowed; ",
             size_text((size_t)(fraction * (double)all), limit));
  tocha_fail(
      cx, TOCHA_MEMORY_ERROR,
      "CUDA out of memory. Tried to allocate %s. GPU %d has a total capacity of %s of which "
      "%s is free. %sOf the allocated memory %s is allocated by Tocha, and %s is reserved by "
      "Tocha but unallocated.",
      size_text(bytes, wanted), device, size_text(all, capacity), size_text(free_bytes, rest),
      allowed, size_text(m.allocated, live), size_text(m.reserved - m.allocated, cached));
  return tocha_hint(
      cx, "use smaller batches or autocast, or release tensors with t:free() or <close>%s",
      m.reserved - m.allocated >= bytes
          ? "; what is reserved but unallocated is in pieces that are too small, which "
            "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True avoids"
          : "");
}

static void release(void *user, void *data) {
  tocha_block *block = user;
  (void)data;
  block->stream->backend->release(block);
}

void *tocha_device_allocate(tocha_context *cx, tocha_device device, uint64_t bytes,
                            void (**deleter)(void *user, void *data), void **user) {
  tocha_stream *q = tocha_stream_of(cx, device);
  if (!q) return NULL;
  bool exhausted = false;
  tocha_block *block = q->backend->allocate(q, (size_t)bytes, &exhausted);
  for (int attempt = 0; !block && exhausted && attempt < 2 && cx->release_memory; attempt++) {
    cx->allocator.statistics.collections++;
    if (!cx->release_memory(cx->release_memory_user)) break;
    q->backend->empty_cache(q->state, q->device);
    block = q->backend->allocate(q, (size_t)bytes, &exhausted);
  }
  *deleter = release;
  *user = block;
  if (block) return block->data;
  if (exhausted) return out_of_device_memory(cx, q->device, (size_t)bytes);
  tocha_launched(cx, false);
  return NULL;
}

/* --- properties ------------------------------------------------------------------------------- */

tocha_devices *tocha_devices_ready(tocha_context *cx, int index) {
  return tocha_device_available(cx, tocha_cuda_device(index)) ? cx->devices : NULL;
}

tocha_devices *tocha_devices_at(tocha_context *cx, int *index) {
  tocha_devices *d = tocha_devices_ready(cx, *index);
  if (d) *index = tocha_concrete_device(cx, tocha_cuda_device(*index)).index;
  return d;
}

int tocha_device_count(tocha_context *cx) {
  tocha_devices *d = tocha_devices_of(cx);
  return d ? d->count : 0;
}

const char *tocha_device_reason(tocha_context *cx) {
  tocha_devices *d = tocha_devices_of(cx);
  return d && !d->backend ? d->reason : "";
}

int tocha_current_device(tocha_context *cx) {
  if (!cx) return 0;
  return cx->devices ? cx->devices->current : 0;
}

bool tocha_set_current_device(tocha_context *cx, int index) {
  tocha_devices *d = tocha_devices_ready(cx, index);
  if (d && index >= 0) d->current = index;
  return d != NULL;
}

bool tocha_get_device_properties(tocha_context *cx, int index,
                                 tocha_device_properties *properties) {
  if (!properties)
    return tocha_refuse_none(cx, "get_device_properties", "properties", "tocha_device_properties");
  tocha_devices *d = tocha_devices_at(cx, &index);
  return d && tocha_launched(cx, d->backend->properties(d->state, index, properties));
}

bool tocha_synchronize(tocha_context *cx, int index) {
  tocha_devices *d = tocha_devices_ready(cx, index);
  if (d && tocha_launched(
               cx, d->backend->synchronize(
                       d->state, tocha_concrete_device(cx, tocha_cuda_device(index)).index, NULL)))
    return true;
  tocha_name_in_capture(cx, "synchronize");
  return false;
}

bool tocha_set_default_device(tocha_context *cx, tocha_device device) {
  if (!cx) return false;
  if (!tocha_device_available(cx, device)) return false;
  cx->default_device = device;
  return true;
}

bool tocha_find_device_library(tocha_context *cx, tocha_device_library which,
                               tocha_library_info *answer) {
  if (!answer) return tocha_refuse_none(cx, "find_device_library", "answer", "tocha_library_info");
  *answer = (tocha_library_info){0};
  tocha_devices *d = tocha_devices_of(cx);
  if (d && d->backend) return d->backend->library(which, answer);
  snprintf(answer->file, sizeof answer->file, "there is no GPU");
  return false;
}

int tocha_can_access_peer(tocha_context *cx, int device, int peer) {
  if (!tocha_devices_ready(cx, device) || !tocha_devices_ready(cx, peer)) return -1;
  tocha_devices *d = cx->devices;
  int from = tocha_concrete_device(cx, tocha_cuda_device(device)).index;
  int to = tocha_concrete_device(cx, tocha_cuda_device(peer)).index;
  return from != to && d->backend->copies_directly(d->state, from, to);
}
