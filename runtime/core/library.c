/* library.c: opens shared libraries at run time. */
#include "core/library.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

void *tocha_open_library(const char *variable, const char *const *files) {
  const char *wish = variable ? getenv(variable) : NULL;
  if (wish && strcmp(wish, "off") == 0) return NULL;
#ifdef __EMSCRIPTEN__ /* whose dlopen ends the program */
  return NULL;
#endif
  if (wish && *wish) return dlopen(wish, RTLD_NOW | RTLD_LOCAL);
  void *library = NULL;
  for (; *files && !library; files++) library = dlopen(*files, RTLD_NOW | RTLD_LOCAL);
  return library;
}

/* Copies the address, because ISO C has no cast from data to functions. */
bool tocha_find_function(void *library, const char *name, void *function) {
  void *address = dlsym(library, name);
  memcpy(function, &address, sizeof address);
  return address != NULL;
}

bool tocha_find_functions(void *library, const tocha_symbol *symbols, int count, void *functions) {
  bool all = library != NULL;
  for (int i = 0; all && i < count; i++)
    all = tocha_find_function(library, symbols[i].name, (char *)functions + symbols[i].offset);
  return all;
}
