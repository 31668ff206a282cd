/* solver_library.cpp: opens cuSOLVER. With the simulated GPU, its own implementation is linked. */
#include "linalg/solver_library.h"

#include <cstdio>

#include "runtime/library.h"

namespace tocha {

#ifdef TOCHA_SIMULATED

static bool load(SolverLibrary *library) {
#define SOLVER(name)                                                                               \
  library->singles.name = &::cusolverDnS##name;                                                    \
  library->doubles.name = &::cusolverDnD##name;
#define SOLVER_COMMON(name) library->name = &::cusolverDn##name;
#include "linalg/solver_functions.def"
  return true;
}

#else

static bool load(SolverLibrary *library) {
  static const char *const names[] = {"libcusolver.so.12", "libcusolver.so.11", nullptr};
  char file[512];
  void *solver = open_library(names, file, sizeof file);
  bool complete = solver != nullptr;
#define SOLVER(name)                                                                               \
  complete = complete && find(solver, "cusolverDnS" #name, &library->singles.name) &&              \
             find(solver, "cusolverDnD" #name, &library->doubles.name);
#define SOLVER_COMMON(name) complete = complete && find(solver, "cusolverDn" #name, &library->name);
#include "linalg/solver_functions.def"
  return complete;
}

#endif

namespace {
struct Opened {
  SolverLibrary library = {};
  bool there;
  Opened() : there(load(&library)) {}
};
} // namespace

const SolverLibrary *solver_library() {
  static const Opened opened;
  return opened.there ? &opened.library : nullptr;
}

} // namespace tocha
