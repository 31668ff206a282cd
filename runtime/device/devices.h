/* devices.h: the runtime's side of devices other than the CPU (core/devices.c).
 *
 * The plug-in is loaded when a script first asks for its device. Work on a device goes to its current
 * stream; the host goes on at once and waits only where it looks at a value (tocha_on_host). */
#ifndef TOCHA_DEVICES_H
#define TOCHA_DEVICES_H

#include "device/backend.h"
#include "core/internal.h"
#include "tensor/iterator.h"

/* What a context knows of its devices; made by tocha_devices_of. */
typedef struct tocha_devices {
  const tocha_backend *backend; /* NULL: there is none, for the reason below */
  tocha_backend_state *state;
  int count, current;
  size_t allocated, total; /* bytes in storages now, and since the context was opened */
  tocha_stream
      *streams[TOCHA_MAX_DEVICES]; /* the current stream of each device; NULL: not used yet */
  tocha_generator *generators;     /* one a GPU; NULL until first asked for */
  int64_t
      random_blocks[TOCHA_MAX_DEVICES]; /* the most blocks of a launch that draws; 0: not asked */
  char reason[256];
} tocha_devices;

/* Loads the plug-in where that has not been tried. NULL only where memory lacks. */
tocha_devices *tocha_devices_of(tocha_context *cx);
void tocha_devices_close(tocha_context *cx);
/* The device with an index in place of "the current one". */
tocha_device tocha_concrete_device(tocha_context *cx, tocha_device device);
/* The current stream of a device; NULL, with an error, where it is not there. */
tocha_stream *tocha_stream_of(tocha_context *cx, tocha_device device);
/* Whether work was started; false puts the plug-in's words into the error. */
bool tocha_launched(tocha_context *cx, bool started);
/* GPU number index (negative: the current one); numbers that no GPU can have stay such. */
static inline tocha_device tocha_cuda_device(int64_t index) {
  tocha_device device = {TOCHA_CUDA, (int16_t)(index < 0           ? -1
                                               : index > INT16_MAX ? INT16_MAX
                                                                   : index)};
  return device;
}
static inline bool tocha_is_on_device(const tocha_tensor *t) {
  return t->device.type == TOCHA_CUDA;
}

/* How many blocks of 256 threads a launch that draws random numbers has at most: the numbers of a
 * large tensor depend on it, as PyTorch's do. 0 on failure. */
int64_t tocha_random_blocks(tocha_context *cx, int index);

/* Memory of a device for a storage: NULL, with PyTorch's out-of-memory message, after the caches
 * were flushed and garbage collected. */
void *tocha_device_allocate(tocha_context *cx, tocha_device device, size_t bytes,
                            tocha_stream **stream);
/* The deleter of such a storage: user is the stream. */
void tocha_device_release(void *stream, void *data);

/* Values between any two places: target and source of one shape, any strides and dtypes, at least one
 * of them on a device. blocking: a copy to the host has happened on return (others are ordered by
 * the streams anyway). */
bool tocha_copy_across(tocha_context *cx, tocha_tensor *target, tocha_tensor *source,
                       bool blocking);
/* t where the host can look at it: t itself, or a dense copy in the scope; waits. NULL on failure. */
tocha_tensor *tocha_on_host(tocha_context *cx, tocha_tensor *t);
/* The same for one element: bytes of it. */
bool tocha_read_element(tocha_context *cx, const tocha_tensor *t, void *element);

/* The inner dimensions of an iteration over tensors as a layout, as many as a kernel takes. */
void tocha_strided_layout_of(const tocha_iterator *it, tocha_tensor *const *tensors,
                             tocha_strided_layout *layout);
/* Starts `launch` for a walk over sizes: once, or once for each step of the outer dimensions where
 * the walk has more than a kernel takes. Operands are as for tocha_iterator_begin. */
bool tocha_launch_strided(tocha_context *cx, int ndim, const int64_t *sizes, int count,
                          tocha_tensor *const *tensors,
                          bool (*launch)(tocha_stream *stream, const tocha_strided_layout *layout,
                                         void *user),
                          void *user);

#endif
