/* profiler.h: which operators run, when, for how long, and what memory they take.
 *
 * While it is on, every operator that a program calls (and every one that backward calls) leaves an event; operators that are
 * made of others leave those of their parts. GPUs are waited for, before and after. While it is off it costs nothing. */
#ifndef TOCHA_PROFILER_H
#define TOCHA_PROFILER_H

#include "tocha/reflect.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tocha_profile_event {
  const tocha_op *op;
  const char *module;    /* the module that was being called, "net.fc1 (Linear)"; NULL: none */
  int64_t mark;          /* the last one that tocha_profile_mark was given */
  double start, seconds; /* by a clock that is never set */
  int64_t bytes;         /* how many more are allocated after it, by the host and on GPUs */
} tocha_profile_event;

/* Begins a profile, without events. false with an error where one is on already, or memory lacks. */
TOCHA_API bool tocha_profile_start(tocha_context *cx);
/* Whether one is on. */
TOCHA_API bool tocha_profile_is_on(const tocha_context *cx);
/* What the events from now on carry: a line of the program, say. */
TOCHA_API void tocha_profile_mark(tocha_context *cx, int64_t mark);
/* The events so far. Those that memory or the limit of 4,000,000 had no room for are lost. */
TOCHA_API size_t tocha_profile_count(const tocha_context *cx);
TOCHA_API size_t tocha_profile_lost(const tocha_context *cx);
/* Event number index, from 0; valid until the next operator. NULL: there is none. */
TOCHA_API const tocha_profile_event *tocha_profile_event_at(const tocha_context *cx, size_t index);
/* Ends the profile; its events are gone. Nothing where none is on. */
TOCHA_API void tocha_profile_stop(tocha_context *cx);

#ifdef __cplusplus
}
#endif

#endif
