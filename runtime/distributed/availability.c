/* availability.c: says which backends can be used. */
#include <stdio.h>
#include <string.h>

#include "distributed/engines.h"

bool tocha_backend_is_available(tocha_context *cx, const char *backend, char *reason,
                                size_t capacity) {
  char text[512] = "";
  bool available = backend && (strcmp(backend, "fake") == 0 ||
                               tocha_find_engine(cx, backend, text, sizeof text));
  if (reason && capacity) snprintf(reason, capacity, "%s", available ? "" : text);
  return available;
}
