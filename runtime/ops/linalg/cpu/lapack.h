/* lapack.h: the functions of LAPACK, which comes with OpenBLAS and is opened when first needed (lapack.c). If no library has them,
 * functions in plain C take their place (plain_factors.c, plain_reflections.c, plain_spectra.c).
 *
 * Matrices are column-major. void * stands for the table's type, float or double. The size_t parameters at the end are the
 * lengths of the texts, which Fortran passes there. */
#ifndef TOCHA_LAPACK_H
#define TOCHA_LAPACK_H

#include "core/internal.h"
#include "ops/matmul/cpu/openmp.h"

typedef struct tocha_lapack {
  tocha_openmp openmp;
  bool is_plain;               /* no library: only the functions for single matrices are set */
  size_t item, real_item;      /* bytes of an element, and of its real part */
  const void *one, *minus_one; /* elements */
  void (*getrf)(const int *m, const int *n, void *a, const int *lda, int *pivots, int *info);
  void (*getrs)(const char *transposed, const int *n, const int *columns, const void *a,
                const int *lda, const int *pivots, void *b, const int *ldb, int *info, size_t);
  void (*potrf)(const char *uplo, const int *n, void *a, const int *lda, int *info, size_t);
  void (*potrs)(const char *uplo, const int *n, const int *columns, const void *a, const int *lda,
                void *b, const int *ldb, int *info, size_t);
  void (*potri)(const char *uplo, const int *n, void *a, const int *lda, int *info, size_t);
  void (*geqrf)(const int *m, const int *n, void *a, const int *lda, void *tau, void *work,
                const int *lwork, int *info);
  void (*orgqr)(const int *m, const int *n, const int *k, void *a, const int *lda, const void *tau,
                void *work, const int *lwork, int *info);
  void (*ormqr)(const char *side, const char *transposed, const int *m, const int *n, const int *k,
                const void *a, const int *lda, const void *tau, void *c, const int *ldc, void *work,
                const int *lwork, int *info, size_t, size_t);
  void (*sytrf)(const char *uplo, const int *n, void *a, const int *lda, int *pivots, void *work,
                const int *lwork, int *info, size_t);
  void (*sytrs)(const char *uplo, const int *n, const int *columns, const void *a, const int *lda,
                const int *pivots, void *b, const int *ldb, int *info, size_t);
  void (*gesdd)(const char *job, const int *m, const int *n, void *a, const int *lda, void *s,
                void *u, const int *ldu, void *vh, const int *ldvh, void *work, const int *lwork,
                int *iwork, int *info, size_t);
  void (*gebrd)(const int *m, const int *n, void *a, const int *lda, void *d, void *e, void *tauq,
                void *taup, void *work, const int *lwork, int *info);
  void (*bdsdc)(const char *uplo, const char *job, const int *n, void *d, void *e, void *u,
                const int *ldu, void *vh, const int *ldvh, void *q, int *iq, void *work, int *iwork,
                int *info, size_t, size_t);
  void (*ormbr)(const char *which, const char *side, const char *transposed, const int *m,
                const int *n, const int *k, const void *a, const int *lda, const void *tau, void *c,
                const int *ldc, void *work, const int *lwork, int *info, size_t, size_t, size_t);
  void (*syevd)(const char *job, const char *uplo, const int *n, void *a, const int *lda, void *w,
                void *work, const int *lwork, int *iwork, const int *liwork, int *info, size_t,
                size_t);
  void (*sytrd)(const char *uplo, const int *n, void *a, const int *lda, void *d, void *e,
                void *tau, void *work, const int *lwork, int *info, size_t);
  void (*ormtr)(const char *side, const char *uplo, const char *transposed, const int *m,
                const int *n, const void *a, const int *lda, const void *tau, void *c,
                const int *ldc, void *work, const int *lwork, int *info, size_t, size_t, size_t);
  void (*gels)(const char *transposed, const int *m, const int *n, const int *columns, void *a,
               const int *lda, void *b, const int *ldb, void *work, const int *lwork, int *info,
               size_t);
  void (*gelsy)(const int *m, const int *n, const int *columns, void *a, const int *lda, void *b,
                const int *ldb, int *pivots, const void *rcond, int *rank, void *work,
                const int *lwork, int *info);
  void (*gelsd)(const int *m, const int *n, const int *columns, void *a, const int *lda, void *b,
                const int *ldb, void *s, const void *rcond, int *rank, void *work, const int *lwork,
                int *iwork, int *info);
  void (*gelss)(const int *m, const int *n, const int *columns, void *a, const int *lda, void *b,
                const int *ldb, void *s, const void *rcond, int *rank, void *work, const int *lwork,
                int *info);
  void (*trsm)(const char *side, const char *uplo, const char *transposed, const char *unit,
               const int *m, const int *n, const void *alpha, const void *a, const int *lda,
               void *b, const int *ldb, size_t, size_t, size_t, size_t);
  void (*gemm)(const char *transposed_a, const char *transposed_b, const int *m, const int *n,
               const int *k, const void *alpha, const void *a, const int *lda, const void *b,
               const int *ldb, const void *beta, void *c, const int *ldc, size_t, size_t);
  void (*syrk)(const char *uplo, const char *transposed, const int *n, const int *k,
               const void *alpha, const void *a, const int *lda, const void *beta, void *c,
               const int *ldc, size_t, size_t);
  void (*laswp)(const int *n, void *a, const int *lda, const int *first, const int *last,
                const int *pivots, const int *step);
  void (*larft)(const char *direction, const char *stored, const int *n, const int *k,
                const void *v, const int *ldv, const void *tau, void *t, const int *ldt, size_t,
                size_t);
  void (*larfb)(const char *side, const char *transposed, const char *direction, const char *stored,
                const int *m, const int *n, const int *k, const void *v, const int *ldv,
                const void *t, const int *ldt, void *c, const int *ldc, void *work,
                const int *ldwork, size_t, size_t, size_t, size_t);
} tocha_lapack;

/* Returns the functions for float32 or float64. */
const tocha_lapack *tocha_find_lapack(const tocha_context *cx, tocha_dtype dtype);

#endif
