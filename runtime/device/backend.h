/* backend.h: the contract between the runtime and a device plug-in (libtocha_cuda).
 *
 * A plug-in is a shared library with one symbol, tocha_backend_entry, which returns a table of
 * functions. It knows nothing of tensors, contexts or errors: it receives pointers, sizes and
 * strides, and answers false (or NULL) with words to be had from message(). The runtime does
 * everything that is the same on every device: checks, broadcasting, types, output allocation,
 * collapsing of dimensions. Read by C and by C++. */
#ifndef TOCHA_BACKEND_H
#define TOCHA_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/kernels.h"
#include "device/strided.h"
#include "tocha/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Changes with the contract, and with any family's table. */
enum { TOCHA_BACKEND_VERSION = 2001, TOCHA_MAX_DEVICES = 16 };

typedef struct tocha_backend tocha_backend;
typedef struct tocha_backend_state tocha_backend_state; /* what a plug-in keeps for one context */

/* Work of one device in order (a CUDA stream). Streams live as long as the state. */
struct tocha_stream {
  const tocha_kernels *kernels;
  const tocha_backend *backend;
  tocha_backend_state *state;
  int device;
  void *handle; /* the cudaStream_t */
};

/* A piece of a device's memory, for work of its stream. */
typedef struct tocha_block {
  void *data;
  tocha_stream *stream;
} tocha_block;

enum { TOCHA_HOST = -1 }; /* in place of a device's index: memory of the host */

struct tocha_backend {
  int version;      /* TOCHA_BACKEND_VERSION of the plug-in's build */
  const char *name; /* "cuda" or "cuda (simulated)" */

  /* --- life: NULL, with *reason in words, when there is no usable GPU */
  tocha_backend_state *(*open)(const char **reason);
  void (*close)(tocha_backend_state *state);
  /* The last failure in words ("CUDA error: an illegal memory access ..."). */
  const char *(*message)(tocha_backend_state *state);
  int (*device_count)(tocha_backend_state *state);
  bool (*properties)(tocha_backend_state *state, int device, tocha_device_properties *answer);

  /* --- streams: the default one of a device, and others handed out in turn from a pool */
  tocha_stream *(*default_stream)(tocha_backend_state *state, int device);
  tocha_stream *(*new_stream)(tocha_backend_state *state, int device, int priority);
  /* Waits for the stream (NULL: for all of the device), and fails where a kernel failed since. */
  bool (*synchronize)(tocha_backend_state *state, int device, tocha_stream *stream);
  /* 1: all done, 0: not yet, -1: failed. */
  int (*query)(tocha_stream *stream);

  /* --- events: points in a stream; they may take the time */
  void *(*new_event)(tocha_backend_state *state, int device, bool timing);
  void (*free_event)(tocha_backend_state *state, void *event);
  bool (*record)(tocha_stream *stream, void *event);
  bool (*wait)(tocha_stream *stream, void *event); /* what comes after in stream waits for event */
  bool (*synchronize_event)(tocha_backend_state *state, void *event);
  int (*query_event)(tocha_backend_state *state, void *event);
  bool (*elapsed)(tocha_backend_state *state, void *start, void *stop, float *milliseconds);

  /* --- memory. allocate: NULL with *exhausted when the GPU is full (the cache was flushed). A block
   * that work of another stream uses, of any device, needs use_on_stream. */
  tocha_block *(*allocate)(tocha_stream *stream, size_t bytes, bool *exhausted);
  void (*release)(tocha_block *block);
  void (*use_on_stream)(tocha_stream *stream, tocha_block *block);
  void (*empty_cache)(tocha_backend_state *state, int device);
  bool (*memory)(tocha_backend_state *state, int device,
                 tocha_device_memory *answer); /* counters */
  /* Free and all bytes of the GPU, all programs together: asks the driver. */
  bool (*memory_info)(tocha_backend_state *state, int device, size_t *free, size_t *capacity);
  void (*reset_peak)(tocha_backend_state *state, int device);
  /* Page-locked host memory, cached; released blocks are used again when copies are done. */
  void *(*allocate_pinned)(tocha_backend_state *state, size_t bytes);
  void (*release_pinned)(tocha_backend_state *state, void *data);
  bool (*is_pinned)(tocha_backend_state *state, const void *data);

  /* bytes in stream's order between devices (or TOCHA_HOST); blocking: has happened on return. Host
   * memory that is not pinned may be reused or freed on return in any case. */
  bool (*copy)(tocha_stream *stream, void *to, int to_device, const void *from, int from_device,
               size_t bytes, bool blocking);
  bool (*copies_directly)(tocha_backend_state *state, int from, int to); /* peer access */
  /* What comes in `after` waits for what is in `before` (streams of any two devices). */
  bool (*order)(tocha_stream *before, tocha_stream *after);
};

/* The plug-in's one symbol. */
typedef const tocha_backend *(*tocha_backend_entry_function)(void);

#ifdef __cplusplus
}
#endif
#endif
