/* library.cpp: looks for the libraries that the plug-in is not linked to. The simulated GPU has its own linked instead. */
#include "runtime/library.h"

#ifndef TOCHA_SIMULATED

#include <dlfcn.h>
#include <glob.h>
#include <link.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace tocha {

static void *open_file(const char *file) { return dlopen(file, RTLD_NOW | RTLD_LOCAL); }

/* Opens the first file that a pattern with wildcards matches and that can be opened. */
static void *open_match(const char *pattern) {
  glob_t found;
  void *library = nullptr;
  if (glob(pattern, 0, nullptr, &found) != 0) return nullptr;
  for (size_t i = 0; i < found.gl_pathc && !library; i++) library = open_file(found.gl_pathv[i]);
  globfree(&found);
  return library;
}

/* Opens a library of NVIDIA's packages for Python below the folder `prefix`, whose first `length` bytes count. */
static void *open_in_python(const char *prefix, size_t length, const char *name) {
  static const char *const places[] = {"lib/python3*/site-packages", "lib/python3*/dist-packages"};
  for (const char *place : places) {
    char pattern[1024];
    int bytes = snprintf(pattern, sizeof pattern, "%.*s/%s/nvidia/*/lib/%s",
                         static_cast<int>(length), prefix, place, name);
    void *library = bytes < static_cast<int>(sizeof pattern) ? open_match(pattern) : nullptr;
    if (library) return library;
  }
  return nullptr;
}

/* Looks beside each Python that the environment names: virtual environments, conda's, the folders of PATH, the user's own. */
static void *open_beside_python(const char *name) {
  static const char *const prefixes[] = {"VIRTUAL_ENV", "CONDA_PREFIX"};
  for (const char *variable : prefixes) {
    const char *prefix = getenv(variable);
    void *library = prefix && *prefix ? open_in_python(prefix, strlen(prefix), name) : nullptr;
    if (library) return library;
  }
  for (const char *at = getenv("PATH"); at && *at;) {
    size_t length = strcspn(at, ":");
    bool is_bin = length > 4 && memcmp(at + length - 4, "/bin", 4) == 0;
    void *library = is_bin ? open_in_python(at, length - 4, name) : nullptr;
    if (library) return library;
    at += length + (at[length] == ':');
  }
  char own[512];
  const char *home = getenv("HOME");
  if (!home || !*home) return nullptr;
  snprintf(own, sizeof own, "%s/.local", home);
  return open_in_python(own, strlen(own), name);
}

static void *open_in_toolkit(const char *name) {
  char file[128];
  snprintf(file, sizeof file, "/usr/local/cuda/lib64/%s", name);
  return open_file(file);
}

void *open_library(const char *const *names, char *file, size_t capacity) {
  static void *(*const ways[])(const char *) = {open_file, open_in_toolkit, open_beside_python};
  for (auto way : ways)
    for (const char *const *name = names; *name; name++) {
      void *library = way(*name);
      if (!library) continue;
      struct link_map *map = nullptr;
      bool known = dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map && *map->l_name;
      snprintf(file, capacity, "%s", known ? map->l_name : *name);
      return library;
    }
  open_file(names[0]); /* for its reason */
  const char *why = dlerror();
  snprintf(file, capacity, "%s", why ? why : names[0]);
  return nullptr;
}

void *address_in(void *library, const char *name) { return dlsym(library, name); }

} // namespace tocha

#endif
