/* solver.h: the handles of cuSOLVER and cuBLAS for a stream's work in linear algebra. */
#pragma once

#include "linalg/launch.h"
#include "linalg/solver_library.h"
#include "matmul/blas_library.h"

namespace tocha {

/* A device's handles, which one stream at a time uses. */
struct Solver {
  const SolverLibrary *library;
  const BlasLibrary *blas;
  cusolverDnHandle_t handle;
  cublasHandle_t blas_handle;
  syevjInfo_t eigenvalues;
  gesvdjInfo_t singular_values;
};

/* Returns true if the device's linear algebra can run on it: both libraries are there. */
bool has_solver(Stream *stream);
/* Returns the device's handles, bound to the stream, or nullptr after an error. */
Solver *solver_of(Stream *stream);
void delete_solver(Solver *solver);

bool check_solver(Stream *stream, cusolverStatus_t status, const char *call);
bool check_solver(Stream *stream, cublasStatus_t status, const char *call);

/* Memory of the device for the time of a call, in the stream's order. */
struct SolverScratch {
  tocha_block *block = nullptr;
  SolverScratch() = default;
  SolverScratch(const SolverScratch &) = delete;
  SolverScratch &operator=(const SolverScratch &) = delete;
  ~SolverScratch();
  bool take(Stream *stream, size_t bytes);
  template <class T> T *as() const { return static_cast<T *>(block->data); }
};

} // namespace tocha
