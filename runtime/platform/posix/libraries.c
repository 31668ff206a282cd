/* libraries.c: shared libraries, opened by the loader at run time. */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <string.h>

#include "platform/platform.h"

void *platform_open_library(const char *file) { return dlopen(file, RTLD_NOW | RTLD_LOCAL); }

void *platform_find_symbol(void *library, const char *name) { return dlsym(library, name); }

const char *platform_library_problem(void) {
  const char *problem = dlerror();
  return problem ? problem : "unknown reason";
}

bool platform_folder_of(void (*function)(void), char *folder, size_t capacity) {
  Dl_info info;
  void *address; /* ISO C has no cast from functions to data */
  memcpy(&address, &function, sizeof address);
  if (!dladdr(address, &info) || !info.dli_fname) return false;
  const char *slash = strrchr(info.dli_fname, '/');
  size_t length = slash ? (size_t)(slash - info.dli_fname) + 1 : 0;
  if (length >= capacity) return false;
  memcpy(folder, info.dli_fname, length);
  folder[length] = '\0';
  return true;
}

void platform_share_names(void (*function)(void)) {
  Dl_info info;
  void *address;
  memcpy(&address, &function, sizeof address);
  if (!dladdr(address, &info) || !info.dli_fname) return;
  void *library = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
  if (library) dlclose(library); /* the names stay visible */
}
