/* blas_library.cpp: opens cuBLAS and cuBLASLt. With the simulated GPU, its own implementations
 * are linked. */
#include "matmul/blas_library.h"

#include <cstdio>

#include "runtime/library.h"

namespace tocha {

namespace {
struct Opened {
  BlasLibrary library = {};
  char file[512] = "";
  bool there;
  Opened();
};
} // namespace

#ifdef TOCHA_SIMULATED

static bool load(BlasLibrary *library, char *file, size_t capacity) {
#define CUBLAS(name) library->name##_ = &::name;
#define CUBLASLT(name) library->name##_ = &::name;
#include "matmul/blas_functions.def"
  library->gemm = ::cublasGemmEx;
  library->gemm_batched = ::cublasGemmStridedBatchedEx;
  library->has_lt = true;
  snprintf(file, capacity, "simulated");
  return true;
}

#else

#define AS_TEXT(name) #name
#define EXPANDED(name) AS_TEXT(name)

static bool load(BlasLibrary *library, char *file, size_t capacity) {
  static const char *const names[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so",
                                      nullptr};
  static const char *const lt_names[] = {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so",
                                         nullptr};
  char why[sizeof(Opened::file)], lt_file[sizeof(Opened::file)];
  void *blas = open_library(names, why, sizeof why);
  void *lt = open_library(lt_names, lt_file, sizeof lt_file);
  if (!blas) {
    snprintf(file, capacity, "libcublas.so is not there (%.400s)", why);
    return false;
  }
  snprintf(file, capacity, "%s", why);
  bool complete = true, has_lt = lt != nullptr;
#define CUBLAS(name) complete = find(blas, EXPANDED(name), &library->name##_) && complete;
#define CUBLASLT(name) has_lt = has_lt && find(lt, EXPANDED(name), &library->name##_);
#include "matmul/blas_functions.def"
  complete = find(blas, "cublasGemmEx", &library->gemm) && complete;
  complete = find(blas, "cublasGemmStridedBatchedEx", &library->gemm_batched) && complete;
  library->has_lt = has_lt;
  if (!complete) snprintf(file, capacity, "libcublas.so lacks functions: it is older than CUDA 12");
  return complete;
}

#endif

int blas_version(const BlasLibrary *library) {
  static const libraryPropertyType parts[] = {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL};
  int version = 0;
  for (libraryPropertyType part : parts) {
    int value = 0;
    library->cublasGetProperty_(part, &value);
    version = version * 100 + value;
  }
  return version;
}

Opened::Opened() : there(load(&library, file, sizeof file)) {}

const BlasLibrary *blas_library(const char **file) {
  static const Opened opened;
  *file = opened.file;
  return opened.there ? &opened.library : nullptr;
}

} // namespace tocha
