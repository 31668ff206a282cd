/* backend.h: the contract between the runtime and a device plug-in (libtocha_cuda).
 *
 * A plug-in is a shared library with one symbol, tocha_backend_entry, which returns a table of
 * functions. It does not use tensors, contexts or errors: it receives pointers, sizes and
 * strides, and returns false (or NULL) with a text available from message(). The runtime does
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
#include "tocha/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Changes with the contract, and with the table of any family. */
enum { TOCHA_BACKEND_VERSION = 2004, TOCHA_MAX_DEVICES = 16 };

typedef struct tocha_backend tocha_backend;
typedef struct tocha_backend_state tocha_backend_state; /* the state that a plug-in keeps for one
                                                         * context */

/* A queue of work on one device, run in order (a CUDA stream). Streams live as long as the
 * state. */
struct tocha_stream {
  const tocha_kernels *kernels;
  const tocha_backend *backend;
  tocha_backend_state *state;
  int device;
  void *handle; /* the cudaStream_t */
};

/* A block of a device's memory, for work of its stream. */
typedef struct tocha_block {
  void *data;
  tocha_stream *stream;
} tocha_block;

/* Work that was captured from streams, to be replayed; a plug-in has more fields. */
struct tocha_graph {
  const tocha_backend *backend;
  tocha_backend_state *state;
  uint64_t pool; /* of the capture's memory; 0 before the first capture */
  bool is_empty; /* the capture found no work */
};

enum { TOCHA_HOST = -1 }; /* in place of a device's index: memory of the host */

struct tocha_backend {
  int version;      /* TOCHA_BACKEND_VERSION of the plug-in's build */
  const char *name; /* "cuda" or "cuda (simulated)" */

  /* --- opening and closing. open returns NULL, with *reason in words, if there is no usable GPU. If it succeeds, *reason
   * may be a warning. */
  tocha_backend_state *(*open)(const char **reason);
  void (*close)(tocha_backend_state *state);
  /* Returns the last failure in words ("CUDA error: an illegal memory access ..."). */
  const char *(*message)(tocha_backend_state *state);
  int (*device_count)(tocha_backend_state *state);
  bool (*properties)(tocha_backend_state *state, int device, tocha_device_properties *answer);

  /* --- streams: the default one of a device, and others taken in turn from a pool */
  tocha_stream *(*default_stream)(tocha_backend_state *state, int device);
  tocha_stream *(*new_stream)(tocha_backend_state *state, int device, int priority);
  /* Waits for the stream (NULL: for the whole device), and fails if a kernel has failed since
   * the last call. */
  bool (*synchronize)(tocha_backend_state *state, int device, tocha_stream *stream);
  /* Returns 1 if all work is done, 0 if not yet, -1 if it failed. */
  int (*query)(tocha_stream *stream);

  /* Makes the next call that waits for a GPU fail with `why`, because work that others do in its streams has failed; NULL takes that
   * back. Any thread. */
  void (*lose)(tocha_backend_state *state, const char *why);

  /* --- events: points in a stream, with their time if `timing` is set */
  void *(*new_event)(tocha_backend_state *state, int device, bool timing);
  void (*free_event)(tocha_backend_state *state, void *event);
  bool (*record)(tocha_stream *stream, void *event);
  bool (*wait)(tocha_stream *stream, void *event); /* later work in `stream` waits for `event` */
  bool (*synchronize_event)(tocha_backend_state *state, void *event);
  int (*query_event)(tocha_backend_state *state, void *event);
  bool (*elapsed)(tocha_backend_state *state, void *start, void *stop, float *milliseconds);

  /* --- memory. allocate returns NULL, with *exhausted set, if the GPU is full even after the
   * cache was flushed. A block that work of another stream uses, of any device, needs
   * use_on_stream. */
  tocha_block *(*allocate)(tocha_stream *stream, size_t bytes, bool *exhausted);
  void (*release)(tocha_block *block);
  void (*use_on_stream)(tocha_stream *stream, tocha_block *block);
  void (*empty_cache)(tocha_backend_state *state, int device);
  bool (*memory)(tocha_backend_state *state, int device,
                 tocha_device_memory *answer); /* counters */
  /* Reads the free bytes and all bytes of the GPU, over all programs; asks the driver. */
  bool (*memory_info)(tocha_backend_state *state, int device, size_t *free, size_t *capacity);
  void (*reset_peak)(tocha_backend_state *state, int device);
  const struct tocha_instruments *instruments; /* statistics, ranges, sensors (instruments.h) */
  /* Allocates page-locked host memory, which is cached. Released blocks are reused when copies
   * are done. */
  void *(*allocate_pinned)(tocha_backend_state *state, size_t bytes);
  void (*release_pinned)(tocha_backend_state *state, void *data);
  bool (*is_pinned)(tocha_backend_state *state, const void *data);

  /* Copies bytes in the stream's order between devices (or TOCHA_HOST). blocking: the copy is
   * complete on return. Host memory that is not pinned may be reused or freed on return in any
   * case. */
  bool (*copy)(tocha_stream *stream, void *to, int to_device, const void *from, int from_device,
               size_t bytes, bool blocking);
  bool (*copies_directly)(tocha_backend_state *state, int from, int to); /* peer access */
  /* Makes later work in `after` wait for the work in `before` (streams of any two devices). */
  bool (*order)(tocha_stream *before, tocha_stream *after);

  /* --- graphs. One capture at a time is under way. What it does not permit is an error whose message
   * ends with "when stream is capturing", and ends it. A pool is a number, shared by graphs whose
   * memory may overlap; 0 in capture_begin: a new one. mode: 0 global, 1 of the thread, 2 relaxed */
  tocha_graph *(*new_graph)(tocha_backend_state *state, bool keep);
  void (*free_graph)(tocha_graph *graph); /* as reset_graph and free, at any time */
  bool (*capture_begin)(tocha_graph *graph, tocha_stream *stream, uint64_t pool, int mode);
  bool (*capture_end)(tocha_graph *graph, tocha_stream *stream);
  bool (*instantiate)(tocha_graph *graph);
  bool (*replay)(tocha_graph *graph, tocha_stream *stream);
  void (*reset_graph)(tocha_graph *graph); /* also ends the graph's capture */
  void (*debug_graph)(tocha_graph *graph); /* keeps what dump_graph needs */
  bool (*dump_graph)(tocha_graph *graph, const char *path);
  bool (*is_capturing)(tocha_stream *stream);
  /* Tells graphs that a generator is about to be freed. */
  void (*forget_generator)(tocha_backend_state *state, const tocha_generator *generator);

  /* --- pools of memory. hold_pool adds or takes a user, without which the pool becomes ordinary
   * cached memory; use_pool sends all allocations to it, or no longer. */
  uint64_t (*new_pool)(tocha_backend_state *state);
  bool (*hold_pool)(tocha_backend_state *state, int device, uint64_t pool, bool hold);
  bool (*use_pool)(tocha_backend_state *state, int device, uint64_t pool, bool use);
  bool (*configure_pool)(tocha_backend_state *state, int device, uint64_t pool, bool use_on_oom,
                         bool no_split);
  int (*users_of_pool)(tocha_backend_state *state, int device, uint64_t pool);

  /* Opens a library, if it is not open yet. Returns false, with the reason in answer->file, if it is missing. */
  bool (*library)(tocha_device_library which, tocha_library_info *answer);
};

/* The type of the plug-in's only symbol. */
typedef const tocha_backend *(*tocha_backend_entry_function)(void);

#ifdef __cplusplus
}
#endif
#endif
