/* zmq.c: libzmq, opened at run time. */
#include "interpreter/kernel/zmq.h"

#include <string.h>

#include "platform/platform.h"

static void *open_library(void) {
  static const char *const names[] = {"libzmq.so.5", "libzmq.so", "libzmq.5.dylib", "libzmq.dylib"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    void *library = platform_open_library(names[i]);
    if (library) return library;
  }
  return NULL;
}

#define FUNCTION(result, name, parameters) {"zmq_" #name, offsetof(zmq_library, name##_)},
static const struct {
  const char *name;
  size_t offset;
} functions[] = {
#include "interpreter/kernel/zmq.def"
};

/* Finds all functions. Their addresses are copied, because ISO C has no cast from data to
 * functions. Returns false if one is missing. */
static bool find_all(void *library, zmq_library *found) {
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    void *symbol = platform_find_symbol(library, functions[i].name);
    if (!symbol) return false;
    memcpy((char *)found + functions[i].offset, &symbol, sizeof symbol);
  }
  return true;
}

bool zmq_open(zmq_library *found) {
  int major = 0, minor, patch;
  void *library = open_library();
  if (!library || !find_all(library, found)) return false;
  found->version_(&major, &minor, &patch);
  return major == 4;
}
