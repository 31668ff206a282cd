// blas.cpp: the arithmetic of the simulated cuBLAS, by OpenBLAS if CMake found it
// (TOCHA_HAVE_BLAS). In a file of its own, because cblas.h also has a type named bfloat16.
#ifdef TOCHA_HAVE_BLAS
#include <cblas.h>
#endif
#include <stddef.h>
#include <vector>

namespace simulator {

#ifdef TOCHA_HAVE_BLAS

static CBLAS_TRANSPOSE transposition(bool transpose) {
  return transpose ? CblasTrans : CblasNoTrans;
}

void multiply(bool transpose_a, bool transpose_b, int m, int n, int k, float alpha, const float *a,
              int lda, const float *b, int ldb, float beta, float *c, int ldc) {
  cblas_sgemm(CblasColMajor, transposition(transpose_a), transposition(transpose_b), m, n, k, alpha,
              a, lda, b, ldb, beta, c, ldc);
}

void multiply(bool transpose_a, bool transpose_b, int m, int n, int k, double alpha,
              const double *a, int lda, const double *b, int ldb, double beta, double *c, int ldc) {
  cblas_dgemm(CblasColMajor, transposition(transpose_a), transposition(transpose_b), m, n, k, alpha,
              a, lda, b, ldb, beta, c, ldc);
}

#else

template <class T>
static void multiply_by_columns(bool transpose_a, bool transpose_b, size_t m, size_t n, size_t k,
                                T alpha, const T *a, size_t lda, const T *b, size_t ldb, T beta,
                                T *c, size_t ldc) {
  std::vector<T> sums(m);
  for (size_t j = 0; j < n; j++) {
    for (T &sum : sums) sum = 0;
    for (size_t l = 0; l < k; l++) {
      T factor = transpose_b ? b[l * ldb + j] : b[j * ldb + l];
      for (size_t i = 0; i < m; i++)
        sums[i] += (transpose_a ? a[i * lda + l] : a[l * lda + i]) * factor;
    }
    for (size_t i = 0; i < m; i++) { // C may be NaN if beta is zero, and is then not read
      T &target = c[j * ldc + i];
      target = alpha * sums[i] + (beta == T(0) ? T(0) : beta * target);
    }
  }
}

void multiply(bool transpose_a, bool transpose_b, int m, int n, int k, float alpha, const float *a,
              int lda, const float *b, int ldb, float beta, float *c, int ldc) {
  multiply_by_columns<float>(transpose_a, transpose_b, size_t(m), size_t(n), size_t(k), alpha, a,
                             size_t(lda), b, size_t(ldb), beta, c, size_t(ldc));
}

void multiply(bool transpose_a, bool transpose_b, int m, int n, int k, double alpha,
              const double *a, int lda, const double *b, int ldb, double beta, double *c, int ldc) {
  multiply_by_columns<double>(transpose_a, transpose_b, size_t(m), size_t(n), size_t(k), alpha, a,
                              size_t(lda), b, size_t(ldb), beta, c, size_t(ldc));
}

#endif

} // namespace simulator
