/* libraries.c: a web page has no shared libraries. */
#include "platform/platform.h"

void *platform_open_library(const char *file) {
  (void)file;
  return NULL;
}

void *platform_find_symbol(void *library, const char *name) {
  (void)library, (void)name;
  return NULL;
}

const char *platform_library_problem(void) { return "there are no shared libraries here"; }

bool platform_folder_of(void (*function)(void), char *folder, size_t capacity) {
  (void)function, (void)folder, (void)capacity;
  return false;
}

void platform_share_names(void (*function)(void)) { (void)function; }
