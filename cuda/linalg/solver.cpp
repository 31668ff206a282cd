/* solver.cpp: makes the handles of cuSOLVER and cuBLAS for a device when they are first needed. */
#include "linalg/solver.h"

#include <new>

#include "runtime/allocator.h"
#include "runtime/graph.h"

namespace tocha {

bool check_solver(Stream *stream, cusolverStatus_t status, const char *call) {
  if (status == CUSOLVER_STATUS_SUCCESS) return true;
  return !refused_in_capture(stream) &&
         fail(stream->state, "cusolver error: status %d, when calling `%s`",
              static_cast<int>(status), call);
}

bool check_solver(Stream *stream, cublasStatus_t status, const char *call) {
  if (status == CUBLAS_STATUS_SUCCESS) return true;
  return !refused_in_capture(stream) &&
         fail(stream->state, "CUDA error: cuBLAS status %d when calling `%s`",
              static_cast<int>(status), call);
}

SolverScratch::~SolverScratch() {
  if (block) release(block);
}

bool SolverScratch::take(Stream *stream, size_t bytes) {
  bool exhausted = false;
  block = allocate(stream->home().allocator, stream, bytes ? bytes : 1, &exhausted);
  if (block || !exhausted) return block != nullptr;
  return fail(stream->state, "CUDA out of memory: no room for %zu bytes of linear algebra", bytes);
}

bool has_solver(Stream *stream) {
  const char *reason = "";
  if (!solver_library(&reason) || !blas_library(&reason)) return false;
  if (stream->home().solver || solver_of(stream)) return true;
  stream->state->message[0] = 0; /* the host computes then */
  return false;
}

static Solver *new_solver(Stream *stream) {
  const char *reason = "";
  Solver *s = new (std::nothrow) Solver();
  if (!s) {
    fail(stream->state, "memory is exhausted");
    return nullptr;
  }
  s->library = solver_library(&reason);
  s->blas = blas_library(&reason);
  const Relaxed relaxed; /* a capture permits it: the handles' memory is no stream's */
  const bool made =
      check_solver(stream, s->library->Create(&s->handle), "cusolverDnCreate(handle)") &&
      check_solver(stream, s->blas->cublasCreate_(&s->blas_handle), "cublasCreate(handle)") &&
      check_solver(stream, s->library->CreateSyevjInfo(&s->eigenvalues),
                   "cusolverDnCreateSyevjInfo(info)") &&
      check_solver(stream, s->library->CreateGesvdjInfo(&s->singular_values),
                   "cusolverDnCreateGesvdjInfo(info)");
  if (made) return s;
  delete_solver(s);
  return nullptr;
}

Solver *solver_of(Stream *stream) {
  Device &device = stream->home();
  if (!device.solver) device.solver = new_solver(stream);
  Solver *s = device.solver;
  if (!s ||
      !check_solver(stream, s->library->SetStream(s->handle, stream->cuda()),
                    "cusolverDnSetStream(handle, stream)") ||
      !check_solver(stream, s->blas->cublasSetStream_(s->blas_handle, stream->cuda()),
                    "cublasSetStream(handle, stream)"))
    return nullptr;
  return s;
}

void delete_solver(Solver *s) {
  if (!s) return;
  if (s->singular_values) s->library->DestroyGesvdjInfo(s->singular_values);
  if (s->eigenvalues) s->library->DestroySyevjInfo(s->eigenvalues);
  if (s->blas_handle) s->blas->cublasDestroy_(s->blas_handle);
  if (s->handle) s->library->Destroy(s->handle);
  delete s;
}

} // namespace tocha
