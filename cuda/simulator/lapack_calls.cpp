// lapack_calls.cpp: calls LAPACK's functions by their names in Fortran.
#include "lapack_calls.h"

#include <cstddef>
#include <vector>

#ifdef TOCHA_HAVE_BLAS

extern "C" {
void spotrf_(const char *, const int *, float *, const int *, int *);
void dpotrf_(const char *, const int *, double *, const int *, int *);
void spotrs_(const char *, const int *, const int *, const float *, const int *, float *,
             const int *, int *);
void dpotrs_(const char *, const int *, const int *, const double *, const int *, double *,
             const int *, int *);
void spotri_(const char *, const int *, float *, const int *, int *);
void dpotri_(const char *, const int *, double *, const int *, int *);
void sgetrf_(const int *, const int *, float *, const int *, int *, int *);
void dgetrf_(const int *, const int *, double *, const int *, int *, int *);
void sgetrs_(const char *, const int *, const int *, const float *, const int *, const int *,
             float *, const int *, int *);
void dgetrs_(const char *, const int *, const int *, const double *, const int *, const int *,
             double *, const int *, int *);
void sgeqrf_(const int *, const int *, float *, const int *, float *, float *, const int *, int *);
void dgeqrf_(const int *, const int *, double *, const int *, double *, double *, const int *,
             int *);
void sorgqr_(const int *, const int *, const int *, float *, const int *, const float *, float *,
             const int *, int *);
void dorgqr_(const int *, const int *, const int *, double *, const int *, const double *, double *,
             const int *, int *);
void sormqr_(const char *, const char *, const int *, const int *, const int *, const float *,
             const int *, const float *, float *, const int *, float *, const int *, int *);
void dormqr_(const char *, const char *, const int *, const int *, const int *, const double *,
             const int *, const double *, double *, const int *, double *, const int *, int *);
void ssyevd_(const char *, const char *, const int *, float *, const int *, float *, float *,
             const int *, int *, const int *, int *);
void dsyevd_(const char *, const char *, const int *, double *, const int *, double *, double *,
             const int *, int *, const int *, int *);
void sgesdd_(const char *, const int *, const int *, float *, const int *, float *, float *,
             const int *, float *, const int *, float *, const int *, int *, int *);
void dgesdd_(const char *, const int *, const int *, double *, const int *, double *, double *,
             const int *, double *, const int *, double *, const int *, int *, int *);
void strsm_(const char *, const char *, const char *, const char *, const int *, const int *,
            const float *, const float *, const int *, float *, const int *);
void dtrsm_(const char *, const char *, const char *, const char *, const int *, const int *,
            const double *, const double *, const int *, double *, const int *);
}

namespace simulator {

bool has_lapack() { return true; }

// Calls f(workspace, its size, info) twice: for the size that it wants, and to compute.
template <class T, class F> static int with_workspace(F f) {
  T wanted = 0;
  int ask = -1, info = 0;
  f(&wanted, &ask, &info);
  if (info) return info;
  int size = static_cast<int>(wanted) + 1;
  std::vector<T> work(static_cast<size_t>(size));
  f(work.data(), &size, &info);
  return info;
}

int lapack_potrf(char uplo, int n, float *a, int ld) {
  int info = 0;
  spotrf_(&uplo, &n, a, &ld, &info);
  return info;
}

int lapack_potrf(char uplo, int n, double *a, int ld) {
  int info = 0;
  dpotrf_(&uplo, &n, a, &ld, &info);
  return info;
}

int lapack_potrs(char uplo, int n, int columns, const float *a, int lda, float *b, int ldb) {
  int info = 0;
  spotrs_(&uplo, &n, &columns, a, &lda, b, &ldb, &info);
  return info;
}

int lapack_potrs(char uplo, int n, int columns, const double *a, int lda, double *b, int ldb) {
  int info = 0;
  dpotrs_(&uplo, &n, &columns, a, &lda, b, &ldb, &info);
  return info;
}

int lapack_potri(char uplo, int n, float *a, int ld) {
  int info = 0;
  spotri_(&uplo, &n, a, &ld, &info);
  return info;
}

int lapack_potri(char uplo, int n, double *a, int ld) {
  int info = 0;
  dpotri_(&uplo, &n, a, &ld, &info);
  return info;
}

int lapack_getrf(int m, int n, float *a, int ld, int *pivots) {
  int info = 0;
  sgetrf_(&m, &n, a, &ld, pivots, &info);
  return info;
}

int lapack_getrf(int m, int n, double *a, int ld, int *pivots) {
  int info = 0;
  dgetrf_(&m, &n, a, &ld, pivots, &info);
  return info;
}

int lapack_getrs(char op, int n, int columns, const float *a, int lda, const int *pivots, float *b,
                 int ldb) {
  int info = 0;
  sgetrs_(&op, &n, &columns, a, &lda, pivots, b, &ldb, &info);
  return info;
}

int lapack_getrs(char op, int n, int columns, const double *a, int lda, const int *pivots,
                 double *b, int ldb) {
  int info = 0;
  dgetrs_(&op, &n, &columns, a, &lda, pivots, b, &ldb, &info);
  return info;
}

int lapack_geqrf(int m, int n, float *a, int ld, float *tau) {
  return with_workspace<float>(
      [&](float *work, int *size, int *info) { sgeqrf_(&m, &n, a, &ld, tau, work, size, info); });
}

int lapack_geqrf(int m, int n, double *a, int ld, double *tau) {
  return with_workspace<double>(
      [&](double *work, int *size, int *info) { dgeqrf_(&m, &n, a, &ld, tau, work, size, info); });
}

int lapack_orgqr(int m, int n, int k, float *a, int ld, const float *tau) {
  return with_workspace<float>([&](float *work, int *size, int *info) {
    sorgqr_(&m, &n, &k, a, &ld, tau, work, size, info);
  });
}

int lapack_orgqr(int m, int n, int k, double *a, int ld, const double *tau) {
  return with_workspace<double>([&](double *work, int *size, int *info) {
    dorgqr_(&m, &n, &k, a, &ld, tau, work, size, info);
  });
}

int lapack_ormqr(char side, char op, int m, int n, int k, const float *a, int lda, const float *tau,
                 float *c, int ldc) {
  return with_workspace<float>([&](float *work, int *size, int *info) {
    sormqr_(&side, &op, &m, &n, &k, a, &lda, tau, c, &ldc, work, size, info);
  });
}

int lapack_ormqr(char side, char op, int m, int n, int k, const double *a, int lda,
                 const double *tau, double *c, int ldc) {
  return with_workspace<double>([&](double *work, int *size, int *info) {
    dormqr_(&side, &op, &m, &n, &k, a, &lda, tau, c, &ldc, work, size, info);
  });
}

int lapack_syevd(char job, char uplo, int n, float *a, int ld, float *w) {
  int whole = 3 + 5 * n;
  std::vector<int> integers(static_cast<size_t>(whole));
  return with_workspace<float>([&](float *work, int *size, int *info) {
    ssyevd_(&job, &uplo, &n, a, &ld, w, work, size, integers.data(), &whole, info);
  });
}

int lapack_syevd(char job, char uplo, int n, double *a, int ld, double *w) {
  int whole = 3 + 5 * n;
  std::vector<int> integers(static_cast<size_t>(whole));
  return with_workspace<double>([&](double *work, int *size, int *info) {
    dsyevd_(&job, &uplo, &n, a, &ld, w, work, size, integers.data(), &whole, info);
  });
}

int lapack_gesdd(char job, int m, int n, float *a, int lda, float *s, float *u, int ldu, float *vt,
                 int ldvt) {
  std::vector<int> integers(static_cast<size_t>(8 * (m < n ? m : n) + 1));
  return with_workspace<float>([&](float *work, int *size, int *info) {
    sgesdd_(&job, &m, &n, a, &lda, s, u, &ldu, vt, &ldvt, work, size, integers.data(), info);
  });
}

int lapack_gesdd(char job, int m, int n, double *a, int lda, double *s, double *u, int ldu,
                 double *vt, int ldvt) {
  std::vector<int> integers(static_cast<size_t>(8 * (m < n ? m : n) + 1));
  return with_workspace<double>([&](double *work, int *size, int *info) {
    dgesdd_(&job, &m, &n, a, &lda, s, u, &ldu, vt, &ldvt, work, size, integers.data(), info);
  });
}

void lapack_trsm(char side, char uplo, char op, char diag, int m, int n, float alpha,
                 const float *a, int lda, float *b, int ldb) {
  strsm_(&side, &uplo, &op, &diag, &m, &n, &alpha, a, &lda, b, &ldb);
}

void lapack_trsm(char side, char uplo, char op, char diag, int m, int n, double alpha,
                 const double *a, int lda, double *b, int ldb) {
  dtrsm_(&side, &uplo, &op, &diag, &m, &n, &alpha, a, &lda, b, &ldb);
}

} // namespace simulator

#else

namespace simulator {

bool has_lapack() { return false; }

int lapack_potrf(char, int, float *, int) { return -1; }
int lapack_potrf(char, int, double *, int) { return -1; }
int lapack_potrs(char, int, int, const float *, int, float *, int) { return -1; }
int lapack_potrs(char, int, int, const double *, int, double *, int) { return -1; }
int lapack_potri(char, int, float *, int) { return -1; }
int lapack_potri(char, int, double *, int) { return -1; }
int lapack_getrf(int, int, float *, int, int *) { return -1; }
int lapack_getrf(int, int, double *, int, int *) { return -1; }
int lapack_getrs(char, int, int, const float *, int, const int *, float *, int) { return -1; }
int lapack_getrs(char, int, int, const double *, int, const int *, double *, int) { return -1; }
int lapack_geqrf(int, int, float *, int, float *) { return -1; }
int lapack_geqrf(int, int, double *, int, double *) { return -1; }
int lapack_orgqr(int, int, int, float *, int, const float *) { return -1; }
int lapack_orgqr(int, int, int, double *, int, const double *) { return -1; }
int lapack_ormqr(char, char, int, int, int, const float *, int, const float *, float *, int) {
  return -1;
}
int lapack_ormqr(char, char, int, int, int, const double *, int, const double *, double *, int) {
  return -1;
}
int lapack_syevd(char, char, int, float *, int, float *) { return -1; }
int lapack_syevd(char, char, int, double *, int, double *) { return -1; }
int lapack_gesdd(char, int, int, float *, int, float *, float *, int, float *, int) { return -1; }
int lapack_gesdd(char, int, int, double *, int, double *, double *, int, double *, int) {
  return -1;
}
void lapack_trsm(char, char, char, char, int, int, float, const float *, int, float *, int) {}
void lapack_trsm(char, char, char, char, int, int, double, const double *, int, double *, int) {}

} // namespace simulator

#endif
