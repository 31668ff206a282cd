/* factors.cpp: factors of matrices, and solutions by them. Batches of small matrices take one call
 * of a function for batches; others take a call each, one after the other in the stream. */
#include "linalg/solver.h"

namespace tocha {
namespace {

/* The largest matrices that take a function for batches. Larger ones fill a GPU by themselves. */
enum { BATCHED_ROWS = 512 };

template <class T> T *matrix(const tocha_matrix_batch &m, int64_t index) {
  return static_cast<T *>(m.data) + index * m.step;
}
template <class T> T *vector(const tocha_vector_batch &v, int64_t index) {
  return static_cast<T *>(v.data) + index * v.step;
}

/* Returns the distance between the columns of matrices with so many rows. */
int leading(int64_t rows) { return static_cast<int>(rows > 1 ? rows : 1); }

cublasFillMode_t fill_mode(bool upper) {
  return upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
}
cublasOperation_t operation(int8_t transposition) {
  return transposition == TOCHA_NOT_TRANSPOSED ? CUBLAS_OP_N : CUBLAS_OP_T;
}

/* Calls f(T()) for the type of the elements. */
template <class F> bool with_type(int8_t dtype, F f) {
  return dtype == TOCHA_FLOAT32 ? f(float()) : f(double());
}

template <class T> size_t bytes_of(int64_t elements) {
  return static_cast<size_t>(elements > 0 ? elements : 1) * sizeof(T);
}

/* The addresses of a batch on the device. */
template <class T> struct Addresses {
  SolverScratch scratch;
  bool fill(Stream *q, const tocha_matrix_batch &m, int64_t batch) {
    return scratch.take(q, static_cast<size_t>(batch) * sizeof(T *)) &&
           fill_pointers(q, scratch.as<void *>(), m.data,
                         m.step * static_cast<long long>(sizeof(T)), batch);
  }
  T **get() const { return scratch.as<T *>(); }
};

/* --- cuBLAS's functions for batches, by the type of the elements ------------------------------- */

template <class T> const auto &factor_batch(const BlasLibrary *b) {
  if constexpr (sizeof(T) == 4)
    return b->cublasSgetrfBatched_;
  else
    return b->cublasDgetrfBatched_;
}
template <class T> const auto &solve_batch(const BlasLibrary *b) {
  if constexpr (sizeof(T) == 4)
    return b->cublasSgetrsBatched_;
  else
    return b->cublasDgetrsBatched_;
}
template <class T> const auto &triangular_batch(const BlasLibrary *b) {
  if constexpr (sizeof(T) == 4)
    return b->cublasStrsmBatched_;
  else
    return b->cublasDtrsmBatched_;
}
template <class T> const auto &triangular(const BlasLibrary *b) {
  if constexpr (sizeof(T) == 4)
    return b->cublasStrsm_;
  else
    return b->cublasDtrsm_;
}

/* --- P L U -------------------------------------------------------------------------------------- */

template <class T> bool getrf(Stream *q, Solver *s, const tocha_getrf_args &j) {
  const auto &f = s->library->of<T>();
  const int m = static_cast<int>(j.a.rows), n = static_cast<int>(j.a.columns), ld = leading(m);
  const int batch = static_cast<int>(j.batch);
  if (batch > 1 && m == n && n <= BATCHED_ROWS) {
    Addresses<T> a;
    return a.fill(q, j.a, batch) &&
           check_solver(q,
                        factor_batch<T>(s->blas)(s->blas_handle, n, a.get(), ld,
                                                 static_cast<int *>(j.pivots.data), j.info, batch),
                        "cublasGetrfBatched");
  }
  int size = 0;
  SolverScratch work;
  if (!check_solver(q, f.getrf_bufferSize(s->handle, m, n, matrix<T>(j.a, 0), ld, &size),
                    "cusolverDnGetrf_bufferSize") ||
      !work.take(q, bytes_of<T>(size)))
    return false;
  for (int64_t i = 0; i < j.batch; i++)
    if (!check_solver(q,
                      f.getrf(s->handle, m, n, matrix<T>(j.a, i), ld, work.as<T>(),
                              vector<int>(j.pivots, i), j.info + i),
                      "cusolverDnGetrf"))
      return false;
  return true;
}

template <class T> bool getrs(Stream *q, Solver *s, const tocha_getrs_args &j) {
  const int n = static_cast<int>(j.lu.rows), columns = static_cast<int>(j.x.columns);
  const int ld = leading(n), batch = static_cast<int>(j.batch);
  const bool dense = j.pivots.step == n; /* the function for batches expects that */
  if (batch > 1 && n <= BATCHED_ROWS && dense) {
    Addresses<T> a, x;
    int info = 0; /* of the arguments, on the host */
    return a.fill(q, j.lu, batch) && x.fill(q, j.x, batch) &&
           check_solver(q,
                        solve_batch<T>(s->blas)(
                            s->blas_handle, operation(j.transposition), n, columns, a.get(), ld,
                            static_cast<const int *>(j.pivots.data), x.get(), ld, &info, batch),
                        "cublasGetrsBatched");
  }
  SolverScratch info;
  if (!info.take(q, sizeof(int))) return false;
  for (int64_t i = 0; i < j.batch; i++)
    if (!check_solver(q,
                      s->library->of<T>().getrs(s->handle, operation(j.transposition), n, columns,
                                                matrix<T>(j.lu, i), ld, vector<int>(j.pivots, i),
                                                matrix<T>(j.x, i), ld, info.as<int>()),
                      "cusolverDnGetrs"))
      return false;
  return true;
}

/* --- L L' --------------------------------------------------------------------------------------- */

template <class T> bool potrf(Stream *q, Solver *s, const tocha_potrf_args &j) {
  const auto &f = s->library->of<T>();
  const int n = static_cast<int>(j.a.rows), ld = leading(n), batch = static_cast<int>(j.batch);
  if (batch > 1 && n <= BATCHED_ROWS) {
    Addresses<T> a;
    return a.fill(q, j.a, batch) &&
           check_solver(
               q, f.potrfBatched(s->handle, fill_mode(j.upper), n, a.get(), ld, j.info, batch),
               "cusolverDnPotrfBatched");
  }
  int size = 0;
  SolverScratch work;
  if (!check_solver(
          q, f.potrf_bufferSize(s->handle, fill_mode(j.upper), n, matrix<T>(j.a, 0), ld, &size),
          "cusolverDnPotrf_bufferSize") ||
      !work.take(q, bytes_of<T>(size)))
    return false;
  for (int64_t i = 0; i < j.batch; i++)
    if (!check_solver(q,
                      f.potrf(s->handle, fill_mode(j.upper), n, matrix<T>(j.a, i), ld, work.as<T>(),
                              size, j.info + i),
                      "cusolverDnPotrf"))
      return false;
  return true;
}

template <class T> bool trsm(Stream *, Solver *, const tocha_trsm_args &, bool transposed);

/* Two triangular systems, each of which takes one call for the whole batch. */
template <class T> bool potrs(Stream *q, Solver *s, const tocha_potrs_args &j) {
  tocha_trsm_args part = {};
  part.a = j.factor;
  part.x = j.x;
  part.batch = j.batch;
  part.dtype = j.dtype;
  part.left = true;
  part.upper = j.upper;
  return trsm<T>(q, s, part, j.upper) && trsm<T>(q, s, part, !j.upper);
}

template <class T> bool potri(Stream *q, Solver *s, const tocha_potri_args &j) {
  const auto &f = s->library->of<T>();
  const int n = static_cast<int>(j.a.rows), ld = leading(n);
  int size = 0;
  SolverScratch work;
  if (!check_solver(
          q, f.potri_bufferSize(s->handle, fill_mode(j.upper), n, matrix<T>(j.a, 0), ld, &size),
          "cusolverDnPotri_bufferSize") ||
      !work.take(q, bytes_of<T>(size)))
    return false;
  for (int64_t i = 0; i < j.batch; i++)
    if (!check_solver(q,
                      f.potri(s->handle, fill_mode(j.upper), n, matrix<T>(j.a, i), ld, work.as<T>(),
                              size, j.info + i),
                      "cusolverDnPotri"))
      return false;
  return mirror_triangles(q, j);
}

/* --- Q R ---------------------------------------------------------------------------------------- */

template <class T> bool geqrf(Stream *q, Solver *s, const tocha_geqrf_args &j) {
  const auto &f = s->library->of<T>();
  const int m = static_cast<int>(j.a.rows), n = static_cast<int>(j.a.columns), ld = leading(m);
  int size = 0;
  SolverScratch work, info;
  if (!j.tau.size) return true;
  if (!check_solver(q, f.geqrf_bufferSize(s->handle, m, n, matrix<T>(j.a, 0), ld, &size),
                    "cusolverDnGeqrf_bufferSize") ||
      !work.take(q, bytes_of<T>(size)) || !info.take(q, sizeof(int)))
    return false;
  for (int64_t i = 0; i < j.batch; i++)
    if (!check_solver(q,
                      f.geqrf(s->handle, m, n, matrix<T>(j.a, i), ld, vector<T>(j.tau, i),
                              work.as<T>(), size, info.as<int>()),
                      "cusolverDnGeqrf"))
      return false;
  return true;
}

template <class T> bool orgqr(Stream *q, Solver *s, const tocha_orgqr_args &j) {
  const auto &f = s->library->of<T>();
  const int m = static_cast<int>(j.a.rows), n = static_cast<int>(j.a.columns), ld = leading(m);
  const int k = static_cast<int>(j.tau.size);
  int size = 0;
  SolverScratch work, info;
  if (!k) return fill_identities(q, j);
  if (!check_solver(
          q,
          f.orgqr_bufferSize(s->handle, m, n, k, matrix<T>(j.a, 0), ld, vector<T>(j.tau, 0), &size),
          "cusolverDnOrgqr_bufferSize") ||
      !work.take(q, bytes_of<T>(size)) || !info.take(q, sizeof(int)))
    return false;
  for (int64_t i = 0; i < j.batch; i++)
    if (!check_solver(q,
                      f.orgqr(s->handle, m, n, k, matrix<T>(j.a, i), ld, vector<T>(j.tau, i),
                              work.as<T>(), size, info.as<int>()),
                      "cusolverDnOrgqr"))
      return false;
  return true;
}

template <class T> bool ormqr(Stream *q, Solver *s, const tocha_ormqr_args &j) {
  const auto &f = s->library->of<T>();
  const int m = static_cast<int>(j.c.rows), n = static_cast<int>(j.c.columns);
  const int k = static_cast<int>(j.tau.size), ld = leading(j.a.rows), ldc = leading(m);
  const cublasSideMode_t side = j.left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT;
  const cublasOperation_t op = operation(j.transposition);
  int size = 0;
  SolverScratch work, info;
  if (!k) return true; /* Q is the identity */
  if (!check_solver(q,
                    f.ormqr_bufferSize(s->handle, side, op, m, n, k, matrix<T>(j.a, 0), ld,
                                       vector<T>(j.tau, 0), matrix<T>(j.c, 0), ldc, &size),
                    "cusolverDnOrmqr_bufferSize") ||
      !work.take(q, bytes_of<T>(size)) || !info.take(q, sizeof(int)))
    return false;
  for (int64_t i = 0; i < j.batch; i++)
    if (!check_solver(q,
                      f.ormqr(s->handle, side, op, m, n, k, matrix<T>(j.a, i), ld,
                              vector<T>(j.tau, i), matrix<T>(j.c, i), ldc, work.as<T>(), size,
                              info.as<int>()),
                      "cusolverDnOrmqr"))
      return false;
  return true;
}

/* --- triangular systems ------------------------------------------------------------------------- */

/* transposed: solves by the transpose of a, of which the triangle `upper` is read. */
template <class T> bool trsm(Stream *q, Solver *s, const tocha_trsm_args &j, bool transposed) {
  const int m = static_cast<int>(j.x.rows), n = static_cast<int>(j.x.columns);
  const int lda = leading(j.a.rows), ldx = leading(m), batch = static_cast<int>(j.batch);
  const cublasSideMode_t side = j.left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT;
  const cublasOperation_t op = transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  const cublasDiagType_t diagonal = j.unit ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
  const T one = 1;
  if (batch == 1)
    return check_solver(q,
                        triangular<T>(s->blas)(s->blas_handle, side, fill_mode(j.upper), op,
                                               diagonal, m, n, &one, matrix<T>(j.a, 0), lda,
                                               matrix<T>(j.x, 0), ldx),
                        "cublasTrsm");
  Addresses<T> a, x;
  return a.fill(q, j.a, batch) && x.fill(q, j.x, batch) &&
         check_solver(q,
                      triangular_batch<T>(s->blas)(s->blas_handle, side, fill_mode(j.upper), op,
                                                   diagonal, m, n, &one, a.get(), lda, x.get(), ldx,
                                                   batch),
                      "cublasTrsmBatched");
}

} // namespace

/* --- entries ------------------------------------------------------------------------------------ */

bool launch_getrf(Stream *q, const tocha_getrf_args &j) {
  Solver *s = solver_of(q);
  return s && with_type(j.dtype, [&](auto t) { return getrf<decltype(t)>(q, s, j); });
}
bool launch_getrs(Stream *q, const tocha_getrs_args &j) {
  Solver *s = solver_of(q);
  return s && with_type(j.dtype, [&](auto t) { return getrs<decltype(t)>(q, s, j); });
}
bool launch_potrf(Stream *q, const tocha_potrf_args &j) {
  Solver *s = solver_of(q);
  return s && with_type(j.dtype, [&](auto t) { return potrf<decltype(t)>(q, s, j); });
}
bool launch_potrs(Stream *q, const tocha_potrs_args &j) {
  Solver *s = solver_of(q);
  return s && with_type(j.dtype, [&](auto t) { return potrs<decltype(t)>(q, s, j); });
}
bool launch_potri(Stream *q, const tocha_potri_args &j) {
  Solver *s = solver_of(q);
  return s && with_type(j.dtype, [&](auto t) { return potri<decltype(t)>(q, s, j); });
}
bool launch_geqrf(Stream *q, const tocha_geqrf_args &j) {
  Solver *s = solver_of(q);
  return s && with_type(j.dtype, [&](auto t) { return geqrf<decltype(t)>(q, s, j); });
}
bool launch_orgqr(Stream *q, const tocha_orgqr_args &j) {
  Solver *s = solver_of(q);
  return s && with_type(j.dtype, [&](auto t) { return orgqr<decltype(t)>(q, s, j); });
}
bool launch_ormqr(Stream *q, const tocha_ormqr_args &j) {
  Solver *s = solver_of(q);
  return s && with_type(j.dtype, [&](auto t) { return ormqr<decltype(t)>(q, s, j); });
}
bool launch_trsm(Stream *q, const tocha_trsm_args &j) {
  Solver *s = solver_of(q);
  return s && with_type(j.dtype, [&](auto t) { return trsm<decltype(t)>(q, s, j, false); });
}

} // namespace tocha
