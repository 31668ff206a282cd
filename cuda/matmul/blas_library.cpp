/* blas_library.cpp: opens cuBLAS and cuBLASLt. With the simulated GPU, its own implementations
 * are linked. */
#include "matmul/blas_library.h"

#include <cstdio>
#include <cstring>

#ifndef TOCHA_SIMULATED
#include <dlfcn.h>
#endif

namespace tocha {

#ifdef TOCHA_SIMULATED

static bool load(BlasLibrary *library, char *, size_t) {
#define CUBLAS(name) library->name##_ = &::name;
#define CUBLASLT(name) library->name##_ = &::name;
#include "matmul/blas_functions.def"
  library->gemm = ::cublasGemmEx;
  library->gemm_batched = ::cublasGemmStridedBatchedEx;
  library->has_lt = true;
  return true;
}

#else

/* Opens the versions that this was made for, else any that the loader finds, else those in the
 * toolkit's usual folder. */
static void *open_library(const char *name) {
  static const char *const forms[] = {"lib%s.so.13", "lib%s.so.12", "lib%s.so",
                                      "/usr/local/cuda/lib64/lib%s.so"};
  for (const char *form : forms) {
    char file[128];
    snprintf(file, sizeof file, form, name);
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (library) return library;
  }
  return nullptr;
}

template <class Function> static bool find(void *library, const char *name, Function *function) {
  void *address = dlsym(library, name);
  memcpy(function, &address, sizeof address);
  return address != nullptr;
}

#define AS_TEXT(name) #name
#define EXPANDED(name) AS_TEXT(name)

static bool load(BlasLibrary *library, char *reason, size_t capacity) {
  void *blas = open_library("cublas"), *lt = open_library("cublasLt");
  if (!blas) {
    const char *why = dlerror();
    snprintf(reason, capacity, "libcublas.so is not there (%s)", why ? why : "");
    return false;
  }
  bool complete = true, has_lt = lt != nullptr;
#define CUBLAS(name) complete = find(blas, EXPANDED(name), &library->name##_) && complete;
#define CUBLASLT(name) has_lt = has_lt && find(lt, EXPANDED(name), &library->name##_);
#include "matmul/blas_functions.def"
  complete = find(blas, "cublasGemmEx", &library->gemm) && complete;
  complete = find(blas, "cublasGemmStridedBatchedEx", &library->gemm_batched) && complete;
  library->has_lt = has_lt;
  if (!complete)
    snprintf(reason, capacity, "libcublas.so lacks functions: it is older than CUDA 12");
  return complete;
}

#endif

namespace {
struct Opened {
  BlasLibrary library = {};
  char reason[256] = "";
  bool there;
  Opened() : there(load(&library, reason, sizeof reason)) {}
};
} // namespace

const BlasLibrary *blas_library(const char **reason) {
  static const Opened opened;
  if (!opened.there) *reason = opened.reason;
  return opened.there ? &opened.library : nullptr;
}

} // namespace tocha
