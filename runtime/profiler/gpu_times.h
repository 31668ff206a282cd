/* gpu_times.h: the time that GPUs spend on operators, by a pair of events in the stream around the
 * launches of each. The host does not wait: a pair is read when its place in the ring is needed
 * again, or when the profile is read. */
#ifndef TOCHA_GPU_TIMES_H
#define TOCHA_GPU_TIMES_H

#include "core/internal.h"
#include "tocha/reflect.h"

typedef struct tocha_gpu_times tocha_gpu_times;

/* The time of one operator on a GPU. */
typedef struct tocha_gpu_span {
  int device;            /* TOCHA_HOST (-1): no GPU took part */
  double start, seconds; /* start by the host's clock */
} tocha_gpu_span;

/* Returns a ring of event pairs, or NULL if memory is short. */
tocha_gpu_times *tocha_gpu_times_new(tocha_context *cx);
/* Frees the ring and its events. NULL is allowed. */
void tocha_gpu_times_free(tocha_context *cx, tocha_gpu_times *times);
/* Marks the beginning of a call in the current stream of the GPU that it works on, if there is one.
 * Fails if the GPU or an earlier kernel failed. */
bool tocha_gpu_times_begin(tocha_context *cx, tocha_gpu_times *times, const tocha_op *op,
                           const tocha_arg *args);
/* Marks the end of the call that began last, whose number is `index`. */
bool tocha_gpu_times_end(tocha_context *cx, tocha_gpu_times *times, size_t index);
/* Waits for the calls that are still in the ring, and reads their times. */
bool tocha_gpu_times_settle(tocha_context *cx, tocha_gpu_times *times);
/* Returns the time of call number `index`, as far as it was settled. */
tocha_gpu_span tocha_gpu_times_at(const tocha_gpu_times *times, size_t index);

#endif
