/* device.h: devices besides the CPU: what is there, waiting, streams, events, memory.
 *
 * Work on a device goes to its current stream and runs while the host goes on; the host waits where it
 * looks at a value. The plug-in that drives the GPUs is loaded by the first call that needs it. */
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
  char architectures[96]; /* what the kernels were compiled for: "sm_80 sm_90 compute_90" */
} tocha_device_properties;

/* Bytes, and counts of requests. */
typedef struct tocha_device_memory {
  size_t allocated, max_allocated;        /* in live storages */
  size_t reserved, max_reserved;          /* taken from the GPU: live and cached */
  size_t total;                           /* handed out since the context was opened */
  size_t allocations, retries, exhausted; /* requests; times the cache was flushed; failures */
} tocha_device_memory;

typedef struct tocha_stream tocha_stream; /* work in order; lives as long as its context */
typedef struct tocha_event {
  void *handle; /* NULL until it was recorded */
  int device;
  bool timing;
} tocha_event;

/* How many GPUs there are; 0 where there are none, or no plug-in, or no driver. */
TOCHA_API int tocha_device_count(tocha_context *cx);
/* GPU number index (negative: the current one); numbers that no GPU can have stay such. */
static inline tocha_device tocha_cuda_device(int64_t index) {
  tocha_device device = {TOCHA_CUDA, (int16_t)(index < 0           ? -1
                                               : index > INT16_MAX ? INT16_MAX
                                                                   : index)};
  return device;
}
/* true, or false with the message of a device that is not there. */
TOCHA_API bool tocha_device_available(tocha_context *cx, tocha_device device);
/* The device with an index in place of "the current one". */
TOCHA_API tocha_device tocha_concrete_device(tocha_context *cx, tocha_device device);
/* Whether one GPU can read the memory of the other; -1 with an error for a bad index. */
TOCHA_API int tocha_can_access_peer(tocha_context *cx, int device, int peer);
/* Why there are none, in words; "" where there are some. */
TOCHA_API const char *tocha_device_reason(tocha_context *cx);
/* The device that "cuda" without an index means. set: false with PyTorch's error for a bad index. */
TOCHA_API int tocha_current_device(tocha_context *cx);
TOCHA_API bool tocha_set_current_device(tocha_context *cx, int index);
TOCHA_API bool tocha_get_device_properties(tocha_context *cx, int index,
                                           tocha_device_properties *properties);
/* Waits for all work of the device. false where a kernel failed, or met an index out of range. */
TOCHA_API bool tocha_synchronize(tocha_context *cx, int index);

/* The generator that work of a GPU draws from where none is given (Philox: PyTorch's numbers for a
 * seed). tocha_manual_seed seeds all of them, also those of GPUs that are first asked for later;
 * without it they begin at random. It lives as long as the context. NULL, with an error, without a
 * device of the index (-1: the current one). */
TOCHA_API tocha_generator *tocha_device_generator(tocha_context *cx, int index);
/* Seeds the generators of all GPUs. */
TOCHA_API void tocha_seed_devices(tocha_context *cx, uint64_t seed);

/* --- streams. priority: 0, or -1 for high. NULL on failure. */
TOCHA_API tocha_stream *tocha_current_stream(tocha_context *cx, int index);
TOCHA_API tocha_stream *tocha_default_stream(tocha_context *cx, int index);
TOCHA_API tocha_stream *tocha_new_stream(tocha_context *cx, int index, int priority);
/* What follows on the stream's device goes to it. Returns the one that was current. */
TOCHA_API tocha_stream *tocha_set_stream(tocha_context *cx, tocha_stream *stream);
TOCHA_API int tocha_stream_device(const tocha_stream *stream);
TOCHA_API void *tocha_stream_handle(const tocha_stream *stream); /* the cudaStream_t */
TOCHA_API bool tocha_stream_synchronize(tocha_context *cx, tocha_stream *stream);
/* 1: all is done; 0: not yet; -1: failed. */
TOCHA_API int tocha_stream_query(tocha_context *cx, tocha_stream *stream);
/* Work that comes to `stream` later waits for what is in `other` now. */
TOCHA_API bool tocha_stream_wait_stream(tocha_context *cx, tocha_stream *stream,
                                        tocha_stream *other);
/* The tensor's memory is used by work of the stream too: it is given out again only after that. */
TOCHA_API bool tocha_record_stream(tocha_context *cx, tocha_tensor *tensor, tocha_stream *stream);

/* --- events. An event is made on the device of the stream that first records it. */
TOCHA_API bool tocha_event_record(tocha_context *cx, tocha_event *event, tocha_stream *stream);
TOCHA_API bool tocha_event_wait(tocha_context *cx, tocha_event *event, tocha_stream *stream);
TOCHA_API bool tocha_event_synchronize(tocha_context *cx, tocha_event *event);
TOCHA_API int tocha_event_query(tocha_context *cx, tocha_event *event);
/* Milliseconds between two recorded events with timing. */
TOCHA_API bool tocha_event_elapsed(tocha_context *cx, tocha_event *start, tocha_event *stop,
                                   double *milliseconds);
TOCHA_API void tocha_event_free(tocha_context *cx, tocha_event *event);

/* --- memory */
TOCHA_API bool tocha_get_device_memory(tocha_context *cx, int index, tocha_device_memory *memory);
/* Free and all bytes of the GPU, all programs together; asks the driver. */
TOCHA_API bool tocha_device_memory_info(tocha_context *cx, int index, size_t *free,
                                        size_t *capacity);
TOCHA_API bool tocha_reset_device_peak(tocha_context *cx, int index);
/* Gives cached memory of all devices back. */
TOCHA_API void tocha_empty_device_cache(tocha_context *cx);
/* A copy in page-locked memory of the host, from which copies to a device run asynchronously; the
 * tensor itself where it is pinned. */
TOCHA_API tocha_tensor *tocha_pin_memory(tocha_context *cx, tocha_tensor *tensor);
TOCHA_API bool tocha_is_pinned(tocha_context *cx, const tocha_tensor *tensor);

#ifdef __cplusplus
}
#endif
#endif
