/* openblas.h: OpenBLAS, opened for the first product (openblas.c). TOCHA_BLAS in the environment names the library file, or
 * says "off". */
#ifndef TOCHA_OPENBLAS_H
#define TOCHA_OPENBLAS_H

#include "ops/matmul/cpu/openmp.h"
#include "tocha/types.h"

enum { TOCHA_BLAS_ROW_MAJOR = 101, TOCHA_BLAS_AS_IT_IS = 111, TOCHA_BLAS_TRANSPOSED = 112 };

/* Functions of the C interface to the BLAS. */
typedef struct tocha_openblas {
  void *library;
  tocha_openmp openmp;
  void (*sgemm)(int order, int transposed_a, int transposed_b, int m, int n, int k, float alpha,
                const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);
  void (*dgemm)(int order, int transposed_a, int transposed_b, int m, int n, int k, double alpha,
                const double *a, int lda, const double *b, int ldb, double beta, double *c,
                int ldc);
  void (*sgemv)(int order, int transposed, int m, int n, float alpha, const float *a, int lda,
                const float *x, int x_step, float beta, float *y, int y_step);
  void (*dgemv)(int order, int transposed, int m, int n, double alpha, const double *a, int lda,
                const double *x, int x_step, double beta, double *y, int y_step);
  float (*sdot)(int n, const float *x, int x_step, const float *y, int y_step);
  double (*ddot)(int n, const double *x, int x_step, const double *y, int y_step);
  char *(*get_config)(void);
  char *(*get_corename)(void);
  int (*get_parallel)(void);
  void (*set_num_threads)(int threads);
} tocha_openblas;

/* Returns the functions, or NULL if OpenBLAS is missing or the host refuses libraries to this context (NULL: asks for itself). */
const tocha_openblas *tocha_find_openblas(const tocha_context *cx);

#endif
