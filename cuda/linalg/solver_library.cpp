/* solver_library.cpp: opens cuSOLVER. With the simulated GPU, its own implementation is linked. */
#include "linalg/solver_library.h"

#include <cstdio>

#include "runtime/library.h"

namespace tocha {

#ifdef TOCHA_SIMULATED

static bool load(SolverLibrary *library, char *file, size_t capacity) {
  library->version = &::cusolverGetVersion;
#define SOLVER(name)                                                                               \
  library->singles.name = &::cusolverDnS##name;                                                    \
  library->doubles.name = &::cusolverDnD##name;
#define SOLVER_COMMON(name) library->name = &::cusolverDn##name;
#include "linalg/solver_functions.def"
  snprintf(file, capacity, "simulated");
  return true;
}

#else

static bool load(SolverLibrary *library, char *file, size_t capacity) {
  static const char *const names[] = {"libcusolver.so.12", "libcusolver.so.11", nullptr};
  void *solver = open_library(names, file, capacity);
  if (!solver) return false;
  bool complete = find(solver, "cusolverGetVersion", &library->version);
#define SOLVER(name)                                                                               \
  complete = complete && find(solver, "cusolverDnS" #name, &library->singles.name) &&              \
             find(solver, "cusolverDnD" #name, &library->doubles.name);
#define SOLVER_COMMON(name) complete = complete && find(solver, "cusolverDn" #name, &library->name);
#include "linalg/solver_functions.def"
  if (!complete) snprintf(file, capacity, "cuSOLVER lacks functions");
  return complete;
}

#endif

namespace {
struct Opened {
  SolverLibrary library = {};
  char file[512] = "";
  bool there;
  Opened() : there(load(&library, file, sizeof file)) {}
};
} // namespace

const SolverLibrary *solver_library(const char **file) {
  static const Opened opened;
  *file = opened.file;
  return opened.there ? &opened.library : nullptr;
}

int solver_version(const SolverLibrary *library) {
  int version = 0; /* 12001 for 12.0.1 */
  if (library->version(&version) != CUSOLVER_STATUS_SUCCESS) return 0;
  return version / 1000 * 10000 + version / 100 % 10 * 100 + version % 100;
}

} // namespace tocha
