/* solver_library.cpp: opens cuSOLVER. With the simulated GPU, its own implementation is linked. */
#include "linalg/solver_library.h"

#include <cstdio>
#include <cstring>

#include "runtime/library.h"

#ifndef TOCHA_SIMULATED
#include <dlfcn.h>
#endif

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

template <class Function> static bool find(void *library, const char *name, Function *function) {
  void *address = dlsym(library, name);
  memcpy(function, &address, sizeof address);
  return address != nullptr;
}

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
