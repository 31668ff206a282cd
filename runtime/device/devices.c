/* devices.c: loading the device plug-in, its memory, and values that cross between places. */
#define _GNU_SOURCE /* dladdr */
#include "device/devices.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- loading --------------------------------------------------------------------------------------- */

/* The file beside libtocha (or the program it is linked into), then wherever the loader looks. */
static void *load_library(const char *name, char *reason, size_t room) {
  Dl_info self;
  char path[4096] = "";
  void *library = NULL;
  if (dladdr((void *)(uintptr_t)tocha_devices_of, &self) && self.dli_fname) {
    const char *slash = strrchr(self.dli_fname, '/');
    int folder = slash ? (int)(slash - self.dli_fname) + 1 : 0;
    snprintf(path, sizeof path, "%.*s%s", folder, self.dli_fname, name);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  }
  bool beside = library || access(path, F_OK) == 0; /* then what is wrong with it is the reason */
  if (!beside) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    snprintf(reason, room, "%s %s (%s)", name, beside ? "cannot be loaded" : "is not there",
             dlerror());
  return library;
}

static const tocha_backend *load_backend(char *reason, size_t room) {
  const char *wish = getenv("TOCHA_CUDA");
  bool simulated = wish && strcmp(wish, "simulate") == 0;
  if (wish && strcmp(wish, "off") == 0) {
    snprintf(reason, room, "the environment says TOCHA_CUDA=off");
    return NULL;
  }
  void *library =
      load_library(simulated ? "libtocha_cuda_simulated.so" : "libtocha_cuda.so", reason, room);
  if (!library) return NULL;
  tocha_backend_entry_function entry;
  *(void **)&entry = dlsym(library, "tocha_backend_entry");
  const tocha_backend *backend = entry ? entry() : NULL;
  if (backend && backend->version == TOCHA_BACKEND_VERSION) return backend;
  snprintf(reason, room, "the plug-in was built for another version of libtocha");
  return NULL;
}

tocha_devices *tocha_devices_of(tocha_context *cx) {
  if (cx->devices) return cx->devices;
  tocha_devices *d = tocha_allocate_zeroed(cx, sizeof *d);
  if (!d) return NULL;
  cx->devices = d;
  const tocha_backend *backend = load_backend(d->reason, sizeof d->reason);
  if (!backend) return d;
  const char *reason = "";
  d->state = backend->open(&reason);
  if (d->state) {
    d->backend = backend;
    d->count = backend->device_count(d->state);
    if (d->count > TOCHA_MAX_DEVICES) d->count = TOCHA_MAX_DEVICES;
  } else {
    snprintf(d->reason, sizeof d->reason, "%s", reason);
  }
  return d;
}

void tocha_devices_close(tocha_context *cx) {
  if (!cx->devices) return;
  if (cx->devices->state) cx->devices->backend->close(cx->devices->state);
  tocha_deallocate(cx, cx->devices->generators,
                   (size_t)cx->devices->count * sizeof *cx->devices->generators);
  tocha_deallocate(cx, cx->devices, sizeof *cx->devices);
  cx->devices = NULL;
}

tocha_device tocha_concrete_device(tocha_context *cx, tocha_device device) {
  if (device.type == TOCHA_CUDA && device.index < 0)
    device.index = (int16_t)(cx->devices ? cx->devices->current : 0);
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
  tocha_devices *d = tocha_devices_of(cx);
  if (d && d->backend) {
    if (device.index < d->count) return true;
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "CUDA error: invalid device ordinal");
    tocha_hint(cx, "this machine has %d: cuda:0%s", d->count, d->count > 1 ? " and up" : "");
  } else if (d) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU "
               "and installed a driver from http://www.nvidia.com/Download/index.aspx");
    tocha_hint(cx, "choose the device with torch.cuda.is_available() and \"cuda\" or \"cpu\"");
  }
  return false;
}

tocha_stream *tocha_stream_of(tocha_context *cx, tocha_device device) {
  if (!tocha_device_available(cx, device)) return NULL;
  tocha_devices *d = cx->devices;
  int index = tocha_concrete_device(cx, device).index;
  if (!d->streams[index]) d->streams[index] = d->backend->default_stream(d->state, index);
  if (!d->streams[index]) tocha_launched(cx, false);
  return d->streams[index];
}

bool tocha_launched(tocha_context *cx, bool started) {
  if (!started)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s", cx->devices->backend->message(cx->devices->state));
  return started;
}

/* --- memory ---------------------------------------------------------------------------------------- */

/* As PyTorch writes sizes. */
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

/* PyTorch's words, with the figures. */
static void *out_of_device_memory(tocha_context *cx, int device, size_t bytes) {
  tocha_devices *d = cx->devices;
  tocha_device_memory m;
  char wanted[32], capacity[32], rest[32], live[32], cached[32];
  if (!d->backend->memory(d->state, device, &m)) return (tocha_launched(cx, false), NULL);
  tocha_fail(cx, TOCHA_MEMORY_ERROR,
             "CUDA out of memory. Tried to allocate %s. GPU %d has a total capacity of %s of which "
             "%s is free. Of the allocated memory %s is allocated by Tocha, and %s is reserved by "
             "Tocha but unallocated.",
             size_text(bytes, wanted), device, size_text(m.capacity, capacity),
             size_text(m.free, rest), size_text(m.allocated, live),
             size_text(m.reserved - m.allocated, cached));
  return tocha_hint(cx, "use smaller batches or autocast, or release tensors with t:free() or "
                        "<close>");
}

void *tocha_device_allocate(tocha_context *cx, tocha_device device, size_t bytes,
                            tocha_stream **stream) {
  tocha_stream *q = *stream = tocha_stream_of(cx, device);
  if (!q) return NULL;
  bool exhausted = false;
  void *data = q->backend->allocate(q, bytes, &exhausted);
  for (int attempt = 0; !data && exhausted && attempt < 2 && cx->release_memory; attempt++) {
    cx->allocator.statistics.collections++;
    if (!cx->release_memory(cx->release_memory_user)) break;
    q->backend->empty_cache(q->state, q->device);
    data = q->backend->allocate(q, bytes, &exhausted);
  }
  if (data) {
    cx->devices->allocated += bytes;
    cx->devices->total += bytes;
    return data;
  }
  if (exhausted) return out_of_device_memory(cx, q->device, bytes);
  tocha_launched(cx, false);
  return NULL;
}

void tocha_device_release(void *stream, void *data) {
  tocha_stream *q = stream;
  q->backend->release(q, data);
}

/* --- walks ----------------------------------------------------------------------------------------- */

void tocha_strided_layout_of(const tocha_iterator *it, tocha_tensor *const *tensors,
                             tocha_strided_layout *layout) {
  layout->ndim = it->ndim < TOCHA_LAYOUT_DIMS ? it->ndim : TOCHA_LAYOUT_DIMS;
  layout->operands = it->operands;
  layout->numel = 1;
  for (int d = 0; d < layout->ndim; d++) {
    layout->sizes[d] = it->sizes[d];
    layout->numel *= it->sizes[d];
    for (int k = 0; k < it->operands; k++) layout->strides[k][d] = it->strides[d][k];
  }
  for (int k = 0; k < it->operands; k++) {
    layout->data[k] = it->data[k];
    layout->dtype[k] = (int8_t)tensors[k]->dtype;
  }
}

bool tocha_launch_strided(tocha_context *cx, int ndim, const int64_t *sizes, int count,
                          tocha_tensor *const *tensors,
                          bool (*launch)(tocha_stream *stream, const tocha_strided_layout *layout,
                                         void *user),
                          void *user) {
  tocha_iterator it;
  tocha_strided_layout layout;
  int64_t at[TOCHA_MAX_DIMS] = {0};
  tocha_stream *q = tocha_stream_of(cx, tensors[0]->device);
  if (!q) return false;
  tocha_iterator_begin(&it, cx, ndim, sizes, count, tensors);
  if (it.numel == 0) return true;
  tocha_strided_layout_of(&it, tensors, &layout);
  for (;;) {
    if (!tocha_launched(cx, launch(q, &layout, user))) return false;
    int d = TOCHA_LAYOUT_DIMS; /* the next step of the dimensions outside the walk */
    for (; d < it.ndim; d++) {
      bool wraps = ++at[d] == it.sizes[d];
      int64_t steps = wraps ? 1 - it.sizes[d] : 1;
      for (int k = 0; k < count; k++)
        if (layout.data[k]) layout.data[k] = (char *)layout.data[k] + steps * it.strides[d][k];
      if (!wraps) break;
      at[d] = 0;
    }
    if (d >= it.ndim) return true;
  }
}

/* --- values that cross ----------------------------------------------------------------------------- */

static bool launch_copy(tocha_stream *stream, const tocha_strided_layout *layout, void *user) {
  (void)user;
  return stream->kernels->copy(stream, layout);
}

static int place_of(const tocha_tensor *t) {
  return tocha_is_on_device(t) ? t->device.index : TOCHA_HOST;
}

/* Dense bytes. Between two devices the copy waits for the target's stream and the target's stream for
 * the copy. */
static bool copy_bytes(tocha_context *cx, tocha_tensor *target, const tocha_tensor *source,
                       bool blocking) {
  tocha_stream *q =
      tocha_stream_of(cx, tocha_is_on_device(source) ? source->device : target->device);
  tocha_stream *other = tocha_is_on_device(target) ? tocha_stream_of(cx, target->device) : q;
  size_t bytes = (size_t)target->numel * tocha_dtype_size((tocha_dtype)target->dtype);
  if (!q || !other || (q != other && !tocha_launched(cx, q->backend->order(other, q))))
    return false;
  return tocha_launched(cx,
                        q->backend->copy(q, tocha_bytes(target), place_of(target),
                                         tocha_bytes(source), place_of(source), bytes, blocking)) &&
         (q == other || tocha_launched(cx, q->backend->order(q, other)));
}

static bool is_plain(const tocha_tensor *t, tocha_dtype dtype) {
  return t->dtype == dtype && tocha_is_contiguous(t);
}

bool tocha_copy_across(tocha_context *cx, tocha_tensor *target, tocha_tensor *source,
                       bool blocking) {
  if (target->numel == 0) return true;
  if (tocha_device_equal(target->device, source->device)) {
    tocha_tensor *both[2] = {target, source};
    if (is_plain(target, (tocha_dtype)source->dtype) && tocha_is_contiguous(source) &&
        target->numel == source->numel)
      return copy_bytes(cx, target, source, false);
    return tocha_launch_strided(cx, target->ndim, target->sizes, 2, both, launch_copy, NULL);
  }
  /* Dense bytes of one dtype cross; conversion happens where fewer bytes then cross. */
  tocha_scope s = tocha_scope_begin(cx);
  tocha_dtype dtype =
      tocha_dtype_size((tocha_dtype)source->dtype) <= tocha_dtype_size((tocha_dtype)target->dtype)
          ? (tocha_dtype)source->dtype
          : (tocha_dtype)target->dtype;
  bool whole = tocha_same_sizes(target, source);
  tocha_tensor *from = source, *to = target;
  if (!is_plain(source, dtype)) from = tocha_new_like(cx, source, dtype);
  bool ok = from && (from == source || tocha_copy_data(cx, from, source));
  if (ok && !(whole && is_plain(target, dtype)))
    to = tocha_new(cx, source->ndim, source->sizes, dtype, target->device);
  ok = ok && to && copy_bytes(cx, to, from, blocking || to != target) &&
       (to == target || tocha_copy_data(cx, target, to));
  tocha_scope_end(cx, s, NULL);
  return ok;
}

tocha_tensor *tocha_on_host(tocha_context *cx, tocha_tensor *t) {
  if (!tocha_is_on_device(t)) return t;
  tocha_tensor *copy = tocha_new(cx, t->ndim, t->sizes, (tocha_dtype)t->dtype, tocha_cpu());
  return copy && tocha_copy_across(cx, copy, t, true) ? copy : NULL;
}

bool tocha_read_element(tocha_context *cx, const tocha_tensor *t, void *element) {
  size_t bytes = tocha_dtype_size((tocha_dtype)t->dtype);
  if (!tocha_is_on_device(t)) {
    memcpy(element, tocha_bytes(t), bytes);
    return true;
  }
  tocha_stream *q = tocha_stream_of(cx, t->device);
  return q && tocha_launched(cx, q->backend->copy(q, element, TOCHA_HOST, tocha_bytes(t),
                                                  t->device.index, bytes, true));
}
