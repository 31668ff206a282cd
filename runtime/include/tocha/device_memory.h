/* device_memory.h: statistics of a GPU's memory, the blocks that its allocator has, and a history
 * of requests. */
#ifndef TOCHA_DEVICE_MEMORY_H
#define TOCHA_DEVICE_MEMORY_H

#include "tocha/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A quantity now, at most, and all that was ever added to it and taken off. */
typedef struct tocha_statistic {
  int64_t current, peak, allocated, freed;
} tocha_statistic;

/* Blocks of up to 1 MiB come from the small pool, larger ones from the large pool. */
typedef enum tocha_memory_pool {
  TOCHA_POOL_ALL,
  TOCHA_POOL_SMALL,
  TOCHA_POOL_LARGE,
  TOCHA_POOL_COUNT
} tocha_memory_pool;

/* Quantities that are kept for each pool: counts, then bytes. An active block is in use, or waits
 * for another stream; an inactive split one is free and cannot be given back to the GPU. */
typedef enum tocha_memory_figure {
  TOCHA_FIGURE_ALLOCATION,
  TOCHA_FIGURE_SEGMENT,
  TOCHA_FIGURE_ACTIVE,
  TOCHA_FIGURE_INACTIVE_SPLIT,
  TOCHA_FIGURE_ALLOCATED_BYTES,
  TOCHA_FIGURE_RESERVED_BYTES,
  TOCHA_FIGURE_ACTIVE_BYTES,
  TOCHA_FIGURE_INACTIVE_SPLIT_BYTES,
  TOCHA_FIGURE_REQUESTED_BYTES,
  TOCHA_FIGURE_COUNT
} tocha_memory_figure;

typedef struct tocha_device_statistics {
  tocha_statistic figures[TOCHA_FIGURE_COUNT][TOCHA_POOL_COUNT];
  tocha_statistic oversize_allocations, oversize_segments; /* beyond max_split_size */
  int64_t retries;               /* times the cache was flushed because the GPU was full */
  int64_t exhausted;             /* requests that failed nevertheless */
  int64_t waits_for_all_streams; /* times all pending blocks were waited for */
  int64_t driver_allocations, driver_frees;
  int64_t max_split_size; /* bytes; -1: blocks of any size are split */
} tocha_device_statistics;

/* Statistics of page-locked memory of the host. Times in microseconds. */
typedef struct tocha_pinned_statistics {
  tocha_statistic allocations, allocated_bytes;  /* blocks of the allocator, cached ones too */
  tocha_statistic active_requests, active_bytes; /* blocks in use */
  int64_t allocation_time, longest_allocation, shortest_allocation;
} tocha_pinned_statistics;

typedef enum tocha_block_state {
  TOCHA_BLOCK_ALLOCATED, /* in use */
  TOCHA_BLOCK_PENDING,   /* freed, but another stream may still use it */
  TOCHA_BLOCK_INACTIVE   /* free */
} tocha_block_state;

/* A part of a segment, which is memory that the driver gave at once. */
typedef struct tocha_memory_block {
  int device;
  uint64_t address;
  size_t size, requested;
  tocha_block_state state;
  void *stream;     /* the cudaStream_t */
  uint64_t segment; /* the address of its segment */
  bool small;       /* the segment belongs to the small pool */
  bool expandable;  /* the segment grows */
  uint64_t pool;    /* the number of the pool (tocha/graph.h) that it belongs to; 0: none */
} tocha_memory_block;

typedef enum tocha_memory_action {
  TOCHA_MEMORY_ALLOC,
  TOCHA_MEMORY_FREE_REQUESTED,
  TOCHA_MEMORY_FREE_COMPLETED,
  TOCHA_MEMORY_SEGMENT_ALLOC,
  TOCHA_MEMORY_SEGMENT_FREE,
  TOCHA_MEMORY_SEGMENT_MAP, /* a segment grows, or shrinks */
  TOCHA_MEMORY_SEGMENT_UNMAP,
  TOCHA_MEMORY_EXHAUSTED, /* address: free bytes of the GPU */
  TOCHA_MEMORY_ACTION_COUNT
} tocha_memory_action;

typedef struct tocha_memory_event {
  tocha_memory_action action;
  int device;
  uint64_t address;
  size_t size;
  void *stream; /* the cudaStream_t */
} tocha_memory_event;

/* The functions for which a device is needed fail if there is none; `index` negative: the current
 * one. */
TOCHA_API bool tocha_device_statistics_of(tocha_context *cx, int index,
                                          tocha_device_statistics *statistics);
/* Begins the sums `allocated` and `freed`, and the counts of events, anew. */
TOCHA_API bool tocha_reset_device_sums(tocha_context *cx, int index);
/* Returns false, without an error, if no GPU was used yet. */
TOCHA_API bool tocha_pinned_statistics_of(tocha_context *cx, tocha_pinned_statistics *statistics);
TOCHA_API void tocha_reset_pinned_peak(tocha_context *cx);
TOCHA_API void tocha_reset_pinned_sums(tocha_context *cx);

/* Limits the memory that the allocator takes from a GPU to this part of all it has, 0 to 1. */
TOCHA_API bool tocha_set_memory_fraction(tocha_context *cx, int index, double fraction);
TOCHA_API bool tocha_memory_fraction(tocha_context *cx, int index, double *fraction);

/* The settings of a GPU's allocator, which PYTORCH_ALLOC_CONF or PYTORCH_CUDA_ALLOC_CONF gives. */
typedef struct tocha_allocator_settings {
  char text[256];
  int64_t max_split_size; /* bytes; -1: blocks of any size are split */
  double garbage_collection_threshold;
  bool expandable_segments;
  int64_t roundup_power2_divisions[16]; /* for sizes from 1 MiB, 2 MiB, 4 MiB, ... on */
} tocha_allocator_settings;
TOCHA_API bool tocha_allocator_settings_of(tocha_context *cx, int index,
                                           tocha_allocator_settings *settings);
/* Replaces the settings of all GPUs that were used. Fails with PyTorch's error for a text that cannot
 * be read. */
TOCHA_API bool tocha_set_allocator_settings(tocha_context *cx, const char *text);

/* Calls `visit` for each block of all GPUs that were used: those of one segment one after the other,
 * by their addresses. `visit` may not call Tocha. */
TOCHA_API void tocha_visit_blocks(tocha_context *cx,
                                  void (*visit)(void *user, const tocha_memory_block *block),
                                  void *user);
/* Calls `visit` for each pool (tocha/graph.h) of a GPU with the bytes that it has of the GPU. `visit` may
 * not call Tocha. */
TOCHA_API bool tocha_visit_memory_pools(
    tocha_context *cx, int index,
    void (*visit)(void *user, uint64_t pool, const tocha_statistic reserved[TOCHA_POOL_COUNT]),
    void *user);
/* Calls `observe` for each request from now on, within that request, so it may not call Tocha. NULL
 * ends it. Fails if there is no GPU. */
TOCHA_API bool tocha_observe_memory(tocha_context *cx,
                                    void (*observe)(void *user, const tocha_memory_event *event),
                                    void *user);

/* Returns memory of a GPU for work of `stream` (NULL: its current stream), or NULL with an error.
 * The caller frees it. */
TOCHA_API void *tocha_device_memory_new(tocha_context *cx, int index, tocha_stream *stream,
                                        size_t bytes);
/* Frees memory of tocha_device_memory_new. Fails if `data` is not the start of such memory. */
TOCHA_API bool tocha_device_memory_free(tocha_context *cx, void *data);

#ifdef __cplusplus
}
#endif

#endif
