/* spectra.cpp: singular values and eigenvalues. Batches of small matrices take Jacobi's method in
 * one call; others take a call each. */
#include "linalg/solver.h"

namespace tocha {
namespace {

enum { JACOBI_ROWS = 32 }; /* the limit of cusolverDnGesvdjBatched */

template <class T> size_t bytes_of(int64_t elements) {
  return static_cast<size_t>(elements > 0 ? elements : 1) * sizeof(T);
}

template <class T> T *matrix(const tocha_matrix_batch &m, int64_t index) {
  return static_cast<T *>(m.data) + index * m.step;
}

/* Copies the singular vectors of square matrices (batch, size, size) into `to`: the first columns,
 * or, transposed, the first columns as rows. */
bool keep_vectors(Stream *q, const void *from, int64_t size, const tocha_matrix_batch &to,
                  const tocha_gesdd_args &j, bool transposed, int64_t from_step, int64_t batch) {
  const MatrixCopy copy = {from,       to.data, size,  from_step, to.rows,
                           to.columns, to.step, batch, j.dtype,   transposed};
  return copy_matrices(q, copy);
}

template <class T> bool jacobi_svd(Stream *q, Solver *s, const tocha_gesdd_args &j) {
  const auto &f = s->library->of<T>();
  const int m = static_cast<int>(j.a.rows), n = static_cast<int>(j.a.columns);
  const int batch = static_cast<int>(j.batch);
  const cusolverEigMode_t mode = j.u.data ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
  SolverScratch u, v, work;
  int size = 0;
  T *a = matrix<T>(j.a, 0), *values = static_cast<T *>(j.s.data);
  return u.take(q, bytes_of<T>(j.batch * m * m)) && v.take(q, bytes_of<T>(j.batch * n * n)) &&
         check_solver(q,
                      f.gesvdjBatched_bufferSize(s->handle, mode, m, n, a, m, values, u.as<T>(), m,
                                                 v.as<T>(), n, &size, s->singular_values, batch),
                      "cusolverDnGesvdjBatched_bufferSize") &&
         work.take(q, bytes_of<T>(size)) &&
         check_solver(q,
                      f.gesvdjBatched(s->handle, mode, m, n, a, m, values, u.as<T>(), m, v.as<T>(),
                                      n, work.as<T>(), size, j.info, s->singular_values, batch),
                      "cusolverDnGesvdjBatched") &&
         (!j.u.data || (keep_vectors(q, u.as<T>(), m, j.u, j, false, m * m, j.batch) &&
                        keep_vectors(q, v.as<T>(), n, j.vh, j, true, n * n, j.batch)));
}

/* Decomposes matrices with at least as many rows as columns, into u (M, ...) and vh (N, N), without
 * vectors if u is NULL. letter: gesvd's for the size of u. */
template <class T>
bool tall_svd(Stream *q, Solver *s, signed char letter, int m, int n, T *a, T *values, T *u, T *vh,
              int32_t *info) {
  const auto &f = s->library->of<T>();
  int size = 0;
  SolverScratch work;
  return check_solver(q, f.gesvd_bufferSize(s->handle, m, n, &size),
                      "cusolverDnGesvd_bufferSize") &&
         work.take(q, bytes_of<T>(size)) &&
         check_solver(q,
                      f.gesvd(s->handle, letter, letter, m, n, a, m, values, u, m, vh, n,
                              work.as<T>(), size, nullptr, info),
                      "cusolverDnGesvd");
}

/* Decomposes matrix i with fewer rows than columns by its transpose. */
template <class T>
bool wide_svd(Stream *q, Solver *s, signed char letter, const tocha_gesdd_args &j, int64_t i) {
  const int m = static_cast<int>(j.a.rows), n = static_cast<int>(j.a.columns);
  SolverScratch a, u, vh;
  const tocha_matrix_batch transposed = {nullptr, n, m, 0};
  if (!a.take(q, bytes_of<T>(static_cast<int64_t>(m) * n)) ||
      !u.take(q, bytes_of<T>(static_cast<int64_t>(n) * (j.u.data ? j.vh.rows : 1))) ||
      !vh.take(q, bytes_of<T>(static_cast<int64_t>(m) * m)))
    return false;
  tocha_matrix_batch to = transposed;
  to.data = a.as<T>();
  if (!keep_vectors(q, matrix<T>(j.a, i), m, to, j, true, 0, 1) ||
      !tall_svd<T>(q, s, letter, n, m, a.as<T>(), static_cast<T *>(j.s.data) + i * j.s.step,
                   u.as<T>(), vh.as<T>(), j.info + i))
    return false;
  if (!j.u.data) return true;
  tocha_matrix_batch left = j.u, right = j.vh;
  left.data = matrix<T>(j.u, i);
  right.data = matrix<T>(j.vh, i);
  return keep_vectors(q, vh.as<T>(), m, left, j, true, 0, 1) &&
         keep_vectors(q, u.as<T>(), n, right, j, true, 0, 1);
}

template <class T> bool gesdd(Stream *q, Solver *s, const tocha_gesdd_args &j) {
  const int m = static_cast<int>(j.a.rows), n = static_cast<int>(j.a.columns);
  if (j.batch > 1 && m <= JACOBI_ROWS && n <= JACOBI_ROWS) return jacobi_svd<T>(q, s, j);
  const bool full = j.u.data && (j.u.columns > n || j.vh.rows > m);
  const signed char letter = static_cast<signed char>(!j.u.data ? 'N' : full ? 'A' : 'S');
  for (int64_t i = 0; i < j.batch; i++) {
    const bool ok = m < n ? wide_svd<T>(q, s, letter, j, i)
                          : tall_svd<T>(q, s, letter, m, n, matrix<T>(j.a, i),
                                        static_cast<T *>(j.s.data) + i * j.s.step,
                                        j.u.data ? matrix<T>(j.u, i) : nullptr,
                                        j.u.data ? matrix<T>(j.vh, i) : nullptr, j.info + i);
    if (!ok) return false;
  }
  return true;
}

template <class T> bool syevd(Stream *q, Solver *s, const tocha_syevd_args &j) {
  const auto &f = s->library->of<T>();
  const int n = static_cast<int>(j.a.rows), batch = static_cast<int>(j.batch);
  const cusolverEigMode_t mode = j.vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
  const cublasFillMode_t uplo = j.upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
  T *a = matrix<T>(j.a, 0), *w = static_cast<T *>(j.w.data);
  SolverScratch work;
  int size = 0;
  if (batch > 1 && n <= JACOBI_ROWS)
    return check_solver(q,
                        f.syevjBatched_bufferSize(s->handle, mode, uplo, n, a, n, w, &size,
                                                  s->eigenvalues, batch),
                        "cusolverDnSyevjBatched_bufferSize") &&
           work.take(q, bytes_of<T>(size)) &&
           check_solver(q,
                        f.syevjBatched(s->handle, mode, uplo, n, a, n, w, work.as<T>(), size,
                                       j.info, s->eigenvalues, batch),
                        "cusolverDnSyevjBatched");
  if (!check_solver(q, f.syevd_bufferSize(s->handle, mode, uplo, n, a, n, w, &size),
                    "cusolverDnSyevd_bufferSize") ||
      !work.take(q, bytes_of<T>(size)))
    return false;
  for (int64_t i = 0; i < j.batch; i++)
    if (!check_solver(q,
                      f.syevd(s->handle, mode, uplo, n, matrix<T>(j.a, i), n, w + i * j.w.step,
                              work.as<T>(), size, j.info + i),
                      "cusolverDnSyevd"))
      return false;
  return true;
}

} // namespace

bool launch_gesdd(Stream *q, const tocha_gesdd_args &j) {
  Solver *s = solver_of(q);
  if (!s) return false;
  return j.dtype == TOCHA_FLOAT32 ? gesdd<float>(q, s, j) : gesdd<double>(q, s, j);
}

bool launch_syevd(Stream *q, const tocha_syevd_args &j) {
  Solver *s = solver_of(q);
  if (!s) return false;
  return j.dtype == TOCHA_FLOAT32 ? syevd<float>(q, s, j) : syevd<double>(q, s, j);
}

} // namespace tocha
