/* library.cpp: opens NCCL. With the simulated GPU, its own implementation is linked. */
#include "distributed/library.h"

#include <cstdio>

#include "runtime/library.h"

namespace tocha {

#ifdef TOCHA_SIMULATED

static bool load(NcclLibrary *library, char *file, size_t capacity) {
#define NCCL(name) library->name##_ = &::name;
#include "distributed/functions.def"
  snprintf(file, capacity, "simulated");
  return true;
}

#else

static bool load(NcclLibrary *library, char *file, size_t capacity) {
  static const char *const names[] = {"libnccl.so.2", nullptr};
  void *opened = open_library(names, file, capacity);
  if (!opened) return false;
  bool complete = true;
#define NCCL(name) complete = find(opened, #name, &library->name##_) && complete;
#define NCCL_NEWER(name) find(opened, #name, &library->name##_);
#include "distributed/functions.def"
  int version = 0;
  complete =
      complete && library->ncclGetVersion_(&version) == ncclSuccess && version >= NCCL_OLDEST;
  if (!complete) snprintf(file, capacity, "libnccl.so.2 is older than 2.18");
  return complete;
}

#endif

namespace {
struct Opened {
  NcclLibrary library = {};
  char file[512] = "";
  bool there;
  Opened() : there(load(&library, file, sizeof file)) {}
};
} // namespace

const NcclLibrary *nccl_library(const char **file) {
  static const Opened opened;
  *file = opened.file;
  return opened.there ? &opened.library : nullptr;
}

} // namespace tocha
