/* process.h: what a context may do to its process (tocha_options.refuse). */
#ifndef TOCHA_CORE_PROCESS_H
#define TOCHA_CORE_PROCESS_H

#include "core/context.h"

/* Returns true if the host refuses this context one of the TOCHA_REFUSE_ bits of `what`. Without a
 * context (NULL) nothing is refused. */
static inline bool tocha_refuses(const tocha_context *cx, uint32_t what) {
  return cx && (cx->options.refuse & what);
}

/* Returns true if the context may map files into memory. */
static inline bool tocha_may_map(const tocha_context *cx) {
  return !cx->confined && !tocha_refuses(cx, TOCHA_REFUSE_MAPPING);
}

/* Returns the value of an environment variable, or NULL if it is not set or the host refuses that it
 * is read. */
const char *tocha_environment(const tocha_context *cx, const char *name);
/* Returns the seed of a generator that no one has seeded yet. */
uint64_t tocha_first_seed(const tocha_context *cx);
/* Adds a hint to the pending error, that a library is missing, if the host refuses libraries. */
void *tocha_hint_refused(tocha_context *cx);

#endif
