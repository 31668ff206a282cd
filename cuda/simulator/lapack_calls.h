// lapack_calls.h: the host's LAPACK for one column-major matrix, in OpenBLAS if CMake found it
// (TOCHA_HAVE_BLAS). Each function returns LAPACK's info; without LAPACK none may be called.
#ifndef TOCHA_SIMULATOR_LAPACK_CALLS_H
#define TOCHA_SIMULATOR_LAPACK_CALLS_H

namespace simulator {

bool has_lapack();

int lapack_potrf(char uplo, int n, float *a, int ld);
int lapack_potrf(char uplo, int n, double *a, int ld);
int lapack_potrs(char uplo, int n, int columns, const float *a, int lda, float *b, int ldb);
int lapack_potrs(char uplo, int n, int columns, const double *a, int lda, double *b, int ldb);
int lapack_potri(char uplo, int n, float *a, int ld);
int lapack_potri(char uplo, int n, double *a, int ld);
int lapack_getrf(int m, int n, float *a, int ld, int *pivots);
int lapack_getrf(int m, int n, double *a, int ld, int *pivots);
int lapack_getrs(char op, int n, int columns, const float *a, int lda, const int *pivots, float *b,
                 int ldb);
int lapack_getrs(char op, int n, int columns, const double *a, int lda, const int *pivots,
                 double *b, int ldb);
int lapack_geqrf(int m, int n, float *a, int ld, float *tau);
int lapack_geqrf(int m, int n, double *a, int ld, double *tau);
int lapack_orgqr(int m, int n, int k, float *a, int ld, const float *tau);
int lapack_orgqr(int m, int n, int k, double *a, int ld, const double *tau);
int lapack_ormqr(char side, char op, int m, int n, int k, const float *a, int lda, const float *tau,
                 float *c, int ldc);
int lapack_ormqr(char side, char op, int m, int n, int k, const double *a, int lda,
                 const double *tau, double *c, int ldc);
int lapack_syevd(char job, char uplo, int n, float *a, int ld, float *w);
int lapack_syevd(char job, char uplo, int n, double *a, int ld, double *w);
int lapack_gesdd(char job, int m, int n, float *a, int lda, float *s, float *u, int ldu, float *vt,
                 int ldvt);
int lapack_gesdd(char job, int m, int n, double *a, int lda, double *s, double *u, int ldu,
                 double *vt, int ldvt);
void lapack_trsm(char side, char uplo, char op, char diag, int m, int n, float alpha,
                 const float *a, int lda, float *b, int ldb);
void lapack_trsm(char side, char uplo, char op, char diag, int m, int n, double alpha,
                 const double *a, int lda, double *b, int ldb);

} // namespace simulator

#endif
