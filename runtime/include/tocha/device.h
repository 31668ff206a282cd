/* device.h: devices other than the CPU: properties, waiting, streams, events, memory.
 *
 * Work on a device is queued in its current stream and runs while the host continues; the host
 * waits when it reads a value. The plug-in that drives the GPUs is loaded by the first call that
 * needs it. */
#ifndef TOCHA_DEVICE_H
#define TOCHA_DEVICE_H

#include "tocha/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A GPU, as torch.cuda.get_device_properties describes it. Sizes in bytes. */
typedef struct tocha_device_properties {
  char name[256];
  int major, minor; /* compute capability */
  size_t total_memory;
  int processors; /* streaming multiprocessors */
  int threads_per_processor, warp_size;
  size_t shared_memory_per_block;
  int l2_bytes;
  char architectures[96]; /* architectures of the compiled kernels: "sm_80 sm_90 compute_90" */
} tocha_device_properties;

/* Bytes, and counts of requests. */
typedef struct tocha_device_memory {
  size_t allocated, max_allocated;        /* in live storages */
  size_t reserved, max_reserved;          /* taken from the GPU: live and cached */
  size_t total;                           /* handed out since the context was opened */
  size_t allocations, retries, exhausted; /* requests; times the cache was flushed; failures */
} tocha_device_memory;

/* The libraries that the plug-in opens when they are first needed. */
typedef enum tocha_device_library {
  TOCHA_CUBLAS,  /* multiplies matrices; a GPU needs it */
  TOCHA_CUDNN,   /* computes convolutions; without it they are products of matrices */
  TOCHA_CUSOLVER /* factors matrices; without it the CPU does */
} tocha_device_library;
typedef struct tocha_library_info {
  int version;    /* 130002 for 13.0.2, two digits for each part after the first */
  char file[512]; /* the file that was opened; the reason in words if there is none */
} tocha_library_info;

typedef struct tocha_stream tocha_stream; /* a queue of work, run in order; lives as long as its
                                           * context */
typedef struct tocha_event {
  void *handle; /* NULL until the event is recorded */
  int device;
  bool timing;
} tocha_event;

/* Returns the number of GPUs: 0 without a GPU, a plug-in or a driver. */
TOCHA_API int tocha_device_count(tocha_context *cx);
/* Returns GPU number `index` (negative: the current one). Numbers too large for any GPU stay too
 * large. */
static inline tocha_device tocha_cuda_device(int64_t index) {
  tocha_device device = {TOCHA_CUDA, (int16_t)(index < 0           ? -1
                                               : index > INT16_MAX ? INT16_MAX
                                                                   : index)};
  return device;
}
/* Returns true if the device is available; fails with the message of a missing device otherwise. */
TOCHA_API bool tocha_device_available(tocha_context *cx, tocha_device device);
/* Returns the device with an index in place of "the current one". */
TOCHA_API tocha_device tocha_concrete_device(tocha_context *cx, tocha_device device);
/* Describes a library of the GPUs. Returns false, with the reason in answer->file, if it was not found or there is no GPU. */
TOCHA_API bool tocha_find_device_library(tocha_context *cx, tocha_device_library which,
                                         tocha_library_info *answer);
/* Returns 1 if one GPU can read the memory of the other, 0 if not, -1 with an error for a bad
 * index. */
TOCHA_API int tocha_can_access_peer(tocha_context *cx, int device, int peer);
/* Returns the reason that there are no GPUs, in words, or "" if there are some. */
TOCHA_API const char *tocha_device_reason(tocha_context *cx);
/* Returns, or sets, the device that "cuda" without an index means. Setting fails with PyTorch's
 * error for a bad index. */
TOCHA_API int tocha_current_device(tocha_context *cx);
TOCHA_API bool tocha_set_current_device(tocha_context *cx, int index);
TOCHA_API bool tocha_get_device_properties(tocha_context *cx, int index,
                                           tocha_device_properties *properties);
/* Waits for all work of the device. Fails if a kernel failed or met an index out of range. */
TOCHA_API bool tocha_synchronize(tocha_context *cx, int index);

/* Returns the generator of a GPU (index -1: the current one) from which its operators draw
 * unless they are given another. It is Philox, with PyTorch's numbers for a seed.
 * tocha_manual_seed seeds the generators of all GPUs, also of those that are first used later;
 * without it the seeds are random. The generator lives as long as the context. Fails if there is
 * no such GPU. */
TOCHA_API tocha_generator *tocha_device_generator(tocha_context *cx, int index);
/* Seeds the generators of all GPUs. */
TOCHA_API void tocha_seed_devices(tocha_context *cx, uint64_t seed);

/* --- streams. priority: 0, or -1 for high. The functions return NULL if they fail. */
TOCHA_API tocha_stream *tocha_current_stream(tocha_context *cx, int index);
TOCHA_API tocha_stream *tocha_default_stream(tocha_context *cx, int index);
TOCHA_API tocha_stream *tocha_new_stream(tocha_context *cx, int index, int priority);
/* Makes the stream the current one of its device. Returns the stream that was current. */
TOCHA_API tocha_stream *tocha_set_stream(tocha_context *cx, tocha_stream *stream);
TOCHA_API int tocha_stream_device(const tocha_stream *stream);
TOCHA_API void *tocha_stream_handle(const tocha_stream *stream); /* the cudaStream_t */
TOCHA_API bool tocha_stream_synchronize(tocha_context *cx, tocha_stream *stream);
/* Returns 1 if all work is done, 0 if not yet, -1 if it failed. */
TOCHA_API int tocha_stream_query(tocha_context *cx, tocha_stream *stream);
/* Makes work that is queued later in `stream` wait for the work that is in `other` now. */
TOCHA_API bool tocha_stream_wait_stream(tocha_context *cx, tocha_stream *stream,
                                        tocha_stream *other);
/* Notes that work of the stream uses the tensor's memory too: the memory is reused only after
 * that work. */
TOCHA_API bool tocha_record_stream(tocha_context *cx, tocha_tensor *tensor, tocha_stream *stream);

/* --- events. An event is created on the device of the stream that first records it. */
TOCHA_API bool tocha_event_record(tocha_context *cx, tocha_event *event, tocha_stream *stream);
TOCHA_API bool tocha_event_wait(tocha_context *cx, tocha_event *event, tocha_stream *stream);
TOCHA_API bool tocha_event_synchronize(tocha_context *cx, tocha_event *event);
TOCHA_API int tocha_event_query(tocha_context *cx, tocha_event *event);
/* Computes the milliseconds between two recorded events with timing. */
TOCHA_API bool tocha_event_elapsed(tocha_context *cx, tocha_event *start, tocha_event *stop,
                                   double *milliseconds);
TOCHA_API void tocha_event_free(tocha_context *cx, tocha_event *event);

/* --- memory */
TOCHA_API bool tocha_get_device_memory(tocha_context *cx, int index, tocha_device_memory *memory);
/* Reads the free bytes and all bytes of the GPU, over all programs; asks the driver. */
TOCHA_API bool tocha_device_memory_info(tocha_context *cx, int index, size_t *free,
                                        size_t *capacity);
TOCHA_API bool tocha_reset_device_peak(tocha_context *cx, int index);
/* Returns the cached memory of all devices to the driver. */
TOCHA_API void tocha_empty_device_cache(tocha_context *cx);
/* Returns a copy in page-locked memory of the host, from which copies to a device run
 * asynchronously, or the tensor itself if it is already pinned. */
TOCHA_API tocha_tensor *tocha_pin_memory(tocha_context *cx, tocha_tensor *tensor);
TOCHA_API bool tocha_is_pinned(tocha_context *cx, const tocha_tensor *tensor);

#ifdef __cplusplus
}
#endif
#endif
