/* process.c: the one place that reads the environment. */
#include "core/process.h"

#include <stdlib.h>

const char *tocha_environment(const tocha_context *cx, const char *name) {
  return tocha_refuses(cx, TOCHA_REFUSE_ENVIRONMENT) ? NULL : getenv(name);
}

void *tocha_hint_refused(tocha_context *cx) {
  if (!tocha_refuses(cx, TOCHA_REFUSE_LIBRARIES)) return NULL;
  return tocha_hint(cx, "this program refuses shared libraries (tocha_options.refuse)");
}

uint32_t tocha_refused(const tocha_context *cx) { return cx ? cx->options.refuse : 0; }
