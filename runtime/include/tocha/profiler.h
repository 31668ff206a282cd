/* profiler.h: records which operators run, when, for how long, and how much memory they take.
 *
 * While a profile is on, every operator that a program or a backward pass calls leaves an event;
 * operators made of others leave the events of their parts. GPUs are waited for, before and
 * after each operator, unless tocha_profile_time_gpus was called. A profile that is off costs no
 * time. */
#ifndef TOCHA_PROFILER_H
#define TOCHA_PROFILER_H

#include "tocha/reflect.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tocha_profile_event {
  const tocha_op *op;
  const char *module;    /* the module that was being called, "net.fc1 (Linear)"; NULL: none */
  int64_t mark;          /* the last value passed to tocha_profile_mark */
  double start, seconds; /* by a clock that is never set */
  int64_t bytes;         /* allocated bytes after the operator minus before, on the host and on
                          * GPUs */
} tocha_profile_event;

/* The part of an event that concerns GPUs. */
typedef struct tocha_profile_gpu {
  int device;            /* -1: no GPU took part, or GPUs are not timed */
  double start, seconds; /* between the events before and after the launches; start by the clock of
                          * tocha_profile_event */
  int64_t bytes;         /* allocated bytes on GPUs after the operator minus before */
} tocha_profile_gpu;

/* Begins a profile without events. Fails if a profile is already on, or memory is short. */
TOCHA_API bool tocha_profile_start(tocha_context *cx);
/* Measures the time of GPUs apart, by events in their streams, so that they are not waited for;
 * starts a profile if none is on. Fails if memory is short. */
TOCHA_API bool tocha_profile_time_gpus(tocha_context *cx);
/* Begins a profile that leaves no events: each operator becomes a range of NVTX (<tocha/nvtx.h>). */
TOCHA_API bool tocha_profile_emit_ranges(tocha_context *cx);
/* Returns true if a profile is on. */
TOCHA_API bool tocha_profile_is_on(const tocha_context *cx);
/* Sets the mark of all later events, such as a line of the program. */
TOCHA_API void tocha_profile_mark(tocha_context *cx, int64_t mark);
/* Returns the number of events so far, or of those lost because of the limit of 4,000,000 or of
 * short memory. */
TOCHA_API size_t tocha_profile_count(const tocha_context *cx);
TOCHA_API size_t tocha_profile_lost(const tocha_context *cx);
/* Returns event number `index`, from 0, valid until the next operator, or NULL if there is none. */
TOCHA_API const tocha_profile_event *tocha_profile_event_at(const tocha_context *cx, size_t index);
/* Reads what a GPU had to do with event number `index`. Waits for the GPUs' work so far. Fails if a
 * kernel failed. */
TOCHA_API bool tocha_profile_gpu_at(tocha_context *cx, size_t index, tocha_profile_gpu *gpu);

/* A kernel, copy or fill that a GPU ran. start: by the host's clock. */
typedef struct tocha_profile_activity {
  const char *name; /* valid until the profile stops; NULL: there is none of this number */
  int device;
  double start, seconds;
} tocha_profile_activity;
/* Reads activity number `index`, from 0, of a profile that times GPUs. There are none without
 * NVIDIA's library CUPTI, or while something else uses it. The first call waits for the GPUs' work
 * and ends the collection. Fails if a kernel failed. */
TOCHA_API bool tocha_profile_activity_at(tocha_context *cx, size_t index,
                                         tocha_profile_activity *activity);
/* Ends the profile and frees its events. Does nothing if no profile is on. */
TOCHA_API void tocha_profile_stop(tocha_context *cx);

#ifdef __cplusplus
}
#endif

#endif
