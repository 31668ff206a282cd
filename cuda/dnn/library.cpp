/* library.cpp: opens cuDNN. With the simulated GPU, its own implementation is linked. */
#include "dnn/library.h"

#include <cstdio>

#include "runtime/library.h"

namespace tocha {

#ifdef TOCHA_SIMULATED

static bool load(DnnLibrary *library, char *file, size_t capacity) {
#define CUDNN(name) library->name##_ = &::name;
#include "dnn/functions.def"
  snprintf(file, capacity, "simulated");
  return true;
}

#else

static bool load(DnnLibrary *library, char *file, size_t capacity) {
  static const char *const names[] = {"libcudnn.so.9", nullptr};
  void *opened = open_library(names, file, capacity);
  if (!opened) return false;
  bool complete = true;
#define CUDNN(name) complete = find(opened, #name, &library->name##_) && complete;
#include "dnn/functions.def"
  if (!complete) snprintf(file, capacity, "libcudnn.so.9 lacks functions");
  return complete;
}

#endif

namespace {
struct Opened {
  DnnLibrary library = {};
  char file[512] = "";
  bool there;
  Opened() : there(load(&library, file, sizeof file)) {}
};
} // namespace

const DnnLibrary *dnn_library(const char **file) {
  static const Opened opened;
  *file = opened.file;
  return opened.there ? &opened.library : nullptr;
}

} // namespace tocha
