/* library.c: opens shared libraries at run time. */
#include "core/library.h"

#include <stdio.h>
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

void *tocha_open_plugin(const char *name, char *reason, size_t capacity) {
  char path[4096];
  void *library = NULL;
  bool beside = false; /* then its own problem is the reason */
  if (platform_folder_of((void (*)(void))tocha_open_plugin, path, sizeof path)) {
    size_t folder = strlen(path);
    platform_status status;
    snprintf(path + folder, sizeof path - folder, "%s", name);
    library = platform_open_library(path);
    beside = library || platform_path_status(path, &status);
  }
  if (!beside) library = platform_open_library(name);
  if (!library)
    snprintf(reason, capacity, "%s %s (%s)", name, beside ? "cannot be loaded" : "is not there",
             platform_library_problem());
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
