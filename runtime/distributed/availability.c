/* availability.c: says which backends can be used. */
#include <stdio.h>
#include <string.h>

#include "distributed/engines.h"
#include "distributed/group.h"

bool tocha_backend_is_available(tocha_context *cx, const char *backend, char *text,
                                size_t capacity) {
  char why_not[512] = "";
  const tocha_engine *engine = NULL;
  if (backend)
    engine = strcmp(backend, "fake") == 0 ? tocha_fake_engine()
                                          : tocha_find_engine(cx, backend, why_not, sizeof why_not);
  if (text && capacity) snprintf(text, capacity, "%s", engine ? engine->library() : why_not);
  return engine != NULL;
}
