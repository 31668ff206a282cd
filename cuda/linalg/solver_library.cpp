/* solver_library.cpp: opens cuSOLVER. With the simulated GPU, its own implementation is linked. */
#include "linalg/solver_library.h"

#include <cstdio>
#include <cstring>

#include "matmul/blas_library.h"

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

/* Opens a library in the folder of cuBLAS, or where pip puts it beside that of cuBLAS. */
static void *open_beside_blas(const char *name) {
  static const char *const folders[] = {"", "../../cusolver/lib/"};
  const char *reason = "";
  const BlasLibrary *blas = blas_library(&reason);
  Dl_info info = {};
  if (!blas || !dladdr(reinterpret_cast<void *>(blas->gemm), &info) || !info.dli_fname)
    return nullptr;
  const char *slash = strrchr(info.dli_fname, '/');
  for (const char *folder : folders) {
    char file[1024];
    if (!slash) break;
    snprintf(file, sizeof file, "%.*s/%s%s", static_cast<int>(slash - info.dli_fname),
             info.dli_fname, folder, name);
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (library) return library;
  }
  return nullptr;
}

/* Opens the version that this was made for, else an older one, else that of the toolkit's usual
 * folder. */
static void *open_library() {
  static const char *const files[] = {"libcusolver.so.12", "libcusolver.so.11", "libcusolver.so",
                                      "/usr/local/cuda/lib64/libcusolver.so"};
  for (const char *file : files) {
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (library) return library;
  }
  void *library = open_beside_blas("libcusolver.so.12");
  return library ? library : open_beside_blas("libcusolver.so.11");
}

template <class Function> static bool find(void *library, const char *name, Function *function) {
  void *address = dlsym(library, name);
  memcpy(function, &address, sizeof address);
  return address != nullptr;
}

static bool load(SolverLibrary *library) {
  void *solver = open_library();
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
