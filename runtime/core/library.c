/* library.c: opens shared libraries at run time. */
#include "core/library.h"

#include <string.h>

#include "core/process.h"
#include "platform/platform.h"

void *tocha_open_library(const tocha_context *cx, const char *variable, const char *const *files) {
  if (tocha_refuses(cx, TOCHA_REFUSE_LIBRARIES)) return NULL;
  const char *wish = variable ? tocha_environment(cx, variable) : NULL;
  if (wish && strcmp(wish, "off") == 0) return NULL;
  if (wish && *wish) return platform_open_library(wish);
  void *library = NULL;
  for (; *files && !library; files++) library = platform_open_library(*files);
  return library;
}

/* Copies the address, because ISO C has no cast from data to functions. */
bool tocha_find_function(void *library, const char *name, void *function) {
  void *address = platform_find_symbol(library, name);
  memcpy(function, &address, sizeof address);
  return address != NULL;
}

bool tocha_find_functions(void *library, const tocha_symbol *symbols, int count, void *functions) {
  bool all = library != NULL;
  for (int i = 0; all && i < count; i++)
    all = tocha_find_function(library, symbols[i].name, (char *)functions + symbols[i].offset);
  return all;
}
