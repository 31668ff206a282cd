/* zmq.c: libzmq, opened at run time. */
#include "interpreter/kernel/zmq.h"

#include <dlfcn.h>
#include <string.h>

static void *open_library(void) {
  static const char *const names[] = {"libzmq.so.5", "libzmq.so", "libzmq.5.dylib", "libzmq.dylib"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (library) return library;
  }
  return NULL;
}

/* ISO C has no cast from data to functions. */
static bool find(void *library, const char *name, void *function) {
  void *symbol = dlsym(library, name);
  memcpy(function, &symbol, sizeof symbol);
  return symbol != NULL;
}

#define FIND(result, name, parameters) &&find(library, "zmq_" #name, &found->name##_)

bool zmq_open(zmq_library *found) {
  int major = 0, minor, patch;
  void *library = open_library();
  if (!(library ZMQ_FUNCTIONS(FIND))) return false;
  found->version_(&major, &minor, &patch);
  return major == 4;
}
