/* plain_factors.c: LAPACK's factors of square matrices, and the systems solved by them, in plain C, for builds without a
 * library. Matrices are column-major; the parameters are LAPACK's (lapack.h). */
#include <stdlib.h>

#include "ops/linalg/cpu/plain_vectors.h"

static bool is(const char *option, char letter) { return *option == letter; }

/* --- triangular systems -------------------------------------------------------------------------------------------- */

/* A triangular matrix (n, n), or its transpose. */
typedef struct triangle {
  matrix a;
  bool upper, transposed, unit;
} triangle;

/* Replaces x (n) by the solution y of A y = x. */
static void substitute(const triangle *t, T *x) {
  int n = t->a.rows;
  bool forward = t->upper == t->transposed;
  for (int i = 0; i < n; i++) {
    int k = forward ? i : n - 1 - i;
    int first = t->upper ? 0 : k + 1,
        count = t->upper ? k : n - 1 - k; /* off the diagonal in column k */
    const T *a = column(&t->a, k);
    if (t->transposed) x[k] -= dot(count, a + first, x + first);
    if (!t->unit) x[k] /= a[k];
    if (!t->transposed) add_multiple(count, -x[k], a + first, x + first);
  }
}

/* Replaces X (m, n) by the solution Y of Y A = X. */
static void substitute_from_right(const triangle *t, const matrix *x) {
  int n = t->a.rows;
  bool forward = t->upper != t->transposed;
  for (int i = 0; i < n; i++) {
    int j = forward ? i : n - 1 - i, first = forward ? 0 : j + 1, end = forward ? j : n;
    for (int k = first; k < end; k++) {
      T factor = t->transposed ? *element(&t->a, j, k) : *element(&t->a, k, j);
      add_multiple(x->rows, -factor, column(x, k), column(x, j));
    }
    if (!t->unit) multiply(x->rows, 1 / *element(&t->a, j, j), column(x, j));
  }
}

static void solve_triangular(const triangle *t, const matrix *x) {
  for (int c = 0; c < x->columns; c++) substitute(t, column(x, c));
}

static void trsm(const char *side, const char *uplo, const char *transposed, const char *unit,
                 const int *m, const int *n, const void *alpha, const void *a, const int *lda,
                 void *b, const int *ldb, size_t s, size_t u, size_t t, size_t d) {
  int size = is(side, 'L') ? *m : *n;
  triangle factor = {
      {(T *)a, size, size, *lda}, is(uplo, 'U'), !is(transposed, 'N'), is(unit, 'U')};
  matrix x = {b, *m, *n, *ldb};
  (void)alpha, (void)s, (void)u, (void)t, (void)d; /* alpha is 1 in all calls */
  if (is(side, 'L'))
    solve_triangular(&factor, &x);
  else
    substitute_from_right(&factor, &x);
}

/* --- LU ------------------------------------------------------------------------------------------------------------ */

static void exchange_pivots(const matrix *a, int first, int end, const int *pivots) {
  for (int i = first; i < end; i++)
    if (pivots[i] != i + 1) exchange_rows(a, i, pivots[i] - 1);
}

/* Factors a matrix of one column. Returns 1 if the pivot is zero, else 0. */
static int factor_column(const matrix *a, int *pivot) {
  T *x = a->data;
  int p = largest(a->rows, x);
  *pivot = p + 1;
  if (x[p] == 0) return 1;
  exchange(&x[0], &x[p]);
  for (int i = 1; i < a->rows; i++) x[i] /= x[0];
  return 0;
}

/* Computes P L U = A by halves: factors the left columns, applies them to the right ones, and factors the rest of these.
 * Returns the number, from 1, of the first pivot that is zero, or 0. */
static int factor_lu(const matrix *a, int *pivots) {
  int k = a->rows < a->columns ? a->rows : a->columns;
  if (k == 0) return 0;
  if (a->columns == 1) return factor_column(a, pivots);
  int w = k / 2 > 0 ? k / 2 : 1, rest = a->columns - w;
  matrix left = part(a, 0, 0, a->rows, w), right = part(a, 0, w, a->rows, rest);
  int info = factor_lu(&left, pivots);
  exchange_pivots(&right, 0, w, pivots);
  matrix top = part(a, 0, w, w, rest), below = part(a, w, w, a->rows - w, rest);
  matrix beside = part(a, w, 0, a->rows - w, w);
  solve_triangular(&(triangle){.a = part(a, 0, 0, w, w), .unit = true}, &top);
  subtract_product(&beside, &top, &below);
  int code = factor_lu(&below, pivots + w);
  for (int i = w; i < k; i++) pivots[i] += w;
  exchange_pivots(&left, w, k, pivots);
  return info || !code ? info : code + w;
}

static void getrf(const int *m, const int *n, void *a, const int *lda, int *pivots, int *info) {
  matrix x = {a, *m, *n, *lda};
  *info = factor_lu(&x, pivots);
}

static void getrs(const char *transposed, const int *n, const int *columns, const void *a,
                  const int *lda, const int *pivots, void *b, const int *ldb, int *info,
                  size_t length_of_text) {
  matrix x = {b, *n, *columns, *ldb}, lu = {(T *)a, *n, *n, *lda};
  bool turned = !is(transposed, 'N');
  triangle lower = {lu, false, turned, true}, upper = {lu, true, turned, false};
  (void)length_of_text;
  if (!turned) exchange_pivots(&x, 0, *n, pivots);
  solve_triangular(turned ? &upper : &lower, &x);
  solve_triangular(turned ? &lower : &upper, &x);
  for (int i = *n - 1; turned && i >= 0; i--)
    if (pivots[i] != i + 1) exchange_rows(&x, i, pivots[i] - 1);
  *info = 0;
}

/* --- Cholesky ------------------------------------------------------------------------------------------------------ */

/* Returns the address of element (r, c), r >= c, of the lower factor, or of the transpose of the upper one. */
static T *lower_element(const matrix *a, bool upper, int r, int c) {
  return upper ? element(a, c, r) : element(a, r, c);
}

static T dot_of_rows(const matrix *a, bool upper, int r, int s, int count) {
  if (upper) return dot(count, column(a, r), column(a, s));
  T sum = 0;
  for (int k = 0; k < count; k++) sum += *element(a, r, k) * *element(a, s, k);
  return sum;
}

/* Computes column j of the lower factor from A's, less the products of the columns before it. Returns false if the diagonal is
 * not positive. */
static bool factor_cholesky_column(const matrix *a, bool upper, int j) {
  int below = a->rows - j;
  T diagonal;
  if (!upper)
    for (int k = 0; k < j; k++)
      add_multiple(below, -*element(a, j, k), element(a, j, k), element(a, j, j));
  diagonal = *element(a, j, j) - (upper ? dot_of_rows(a, true, j, j, j) : 0);
  *element(a, j, j) = diagonal;
  if (!(diagonal > 0)) return false;
  diagonal = root(diagonal);
  *element(a, j, j) = diagonal;
  for (int r = j + 1; r < a->rows; r++) {
    T *x = lower_element(a, upper, r, j);
    *x = (*x - (upper ? dot_of_rows(a, true, r, j, j) : 0)) / diagonal;
  }
  return true;
}

static void potrf(const char *uplo, const int *n, void *a, const int *lda, int *info,
                  size_t length_of_text) {
  matrix x = {a, *n, *n, *lda};
  (void)length_of_text;
  *info = 0;
  for (int j = 0; j < *n && *info == 0; j++)
    if (!factor_cholesky_column(&x, is(uplo, 'U'), j)) *info = j + 1;
}

static void potrs(const char *uplo, const int *n, const int *columns, const void *a, const int *lda,
                  void *b, const int *ldb, int *info, size_t length_of_text) {
  matrix x = {b, *n, *columns, *ldb}, factor = {(T *)a, *n, *n, *lda};
  bool upper = is(uplo, 'U');
  (void)length_of_text;
  solve_triangular(&(triangle){factor, upper, upper, false}, &x);
  solve_triangular(&(triangle){factor, upper, !upper, false}, &x);
  *info = 0;
}

/* Replaces the lower factor L by its inverse, column by column from the last: L^-1 e_j = (e_j - L^-1 l_j) / l_jj below the
 * diagonal. */
static void invert_lower(const matrix *a, bool upper) {
  int n = a->rows;
  for (int j = n - 1; j >= 0; j--) {
    T inverse = 1 / *element(a, j, j);
    for (int r = n - 1; r > j; r--) {
      T sum = 0;
      for (int k = j + 1; k <= r; k++)
        sum += *lower_element(a, upper, r, k) * *lower_element(a, upper, k, j);
      *lower_element(a, upper, r, j) = -sum * inverse;
    }
    *element(a, j, j) = inverse;
  }
}

/* Computes A^-1 = L^-T L^-1, whose lower triangle replaces that of L^-1. */
static void potri(const char *uplo, const int *n, void *a, const int *lda, int *info,
                  size_t length_of_text) {
  matrix x = {a, *n, *n, *lda};
  bool upper = is(uplo, 'U');
  (void)length_of_text;
  *info = 0;
  for (int j = 0; j < *n && *info == 0; j++)
    if (*element(&x, j, j) == 0) *info = j + 1;
  if (*info) return;
  invert_lower(&x, upper);
  for (int c = 0; c < *n; c++)
    for (int r = c; r < *n; r++) {
      T sum = 0;
      for (int k = r; k < *n; k++)
        sum += *lower_element(&x, upper, k, r) * *lower_element(&x, upper, k, c);
      *lower_element(&x, upper, r, c) = sum;
    }
}

/* --- LDL, by the pivots of Bunch and Kaufman (1977) ---------------------------------------------------------------- */

/* The pivot at column k: the row that is exchanged with row k, or with row k + 1 for a block of two rows. */
typedef struct pivot {
  int row, size;
} pivot;

static pivot choose_pivot(const matrix *a, int k) {
  const T alpha = (T)0.6403882032022076; /* (1 + sqrt(17)) / 8 minimizes the growth of elements */
  int n = a->rows, row = k;
  T diagonal = magnitude(*element(a, k, k)), beside = 0, of_row = 0;
  if (k + 1 < n) {
    row = k + 1 + largest(n - k - 1, element(a, k + 1, k));
    beside = magnitude(*element(a, row, k));
  }
  if (!(diagonal < alpha * beside)) return (pivot){k, 1};
  for (int j = k; j < n; j++) {
    T x = magnitude(j < row ? *element(a, row, j) : *element(a, j, row));
    if (j != row && x > of_row) of_row = x;
  }
  if (diagonal >= alpha * beside * (beside / of_row)) return (pivot){k, 1};
  if (magnitude(*element(a, row, row)) >= alpha * of_row) return (pivot){row, 1};
  return (pivot){row, 2};
}

/* Exchanges rows and columns `to` and `from` > to of the symmetric matrix from column k on. */
static void exchange_symmetric(const matrix *a, int k, int to, int from) {
  int n = a->rows;
  for (int i = from + 1; i < n; i++) exchange(element(a, i, to), element(a, i, from));
  for (int i = to + 1; i < from; i++) exchange(element(a, i, to), element(a, from, i));
  exchange(element(a, to, to), element(a, from, from));
  if (to > k) exchange(element(a, to, k), element(a, from, k));
}

static void eliminate_one(const matrix *a, int k) {
  int n = a->rows;
  T inverse = 1 / *element(a, k, k), *x = column(a, k);
  for (int j = k + 1; j < n; j++) add_multiple(n - j, -inverse * x[j], x + j, element(a, j, j));
  multiply(n - k - 1, inverse, x + k + 1);
}

static void eliminate_two(const matrix *a, int k) {
  int n = a->rows;
  T *x = column(a, k), *y = column(a, k + 1), beside = x[k + 1];
  T d11 = y[k + 1] / beside, d22 = x[k] / beside, scale = 1 / (d11 * d22 - 1) / beside;
  for (int j = k + 2; j < n; j++) {
    T first = scale * (d11 * x[j] - y[j]), second = scale * (d22 * y[j] - x[j]);
    add_multiple(n - j, -first, x + j, element(a, j, j));
    add_multiple(n - j, -second, y + j, element(a, j, j));
    x[j] = first;
    y[j] = second;
  }
}

/* Computes LAPACK's sytrf, from the lower triangle only. */
static void sytrf(const char *uplo, const int *n, void *a, const int *lda, int *pivots, void *work,
                  const int *lwork, int *info, size_t length_of_text) {
  matrix x = {a, *n, *n, *lda};
  (void)uplo, (void)length_of_text;
  if (answers_size(work, lwork, 1)) return;
  *info = 0;
  for (int k = 0; k < *n;) {
    pivot p = choose_pivot(&x, k);
    int last = k + p.size - 1;
    if (p.row > last) exchange_symmetric(&x, k, last, p.row);
    for (int i = k; i <= last; i++) pivots[i] = p.size == 1 ? p.row + 1 : -p.row - 1;
    if (p.size == 1 && *element(&x, k, k) == 0) {
      if (*info == 0) *info = k + 1;
    } else if (p.size == 1) {
      eliminate_one(&x, k);
    } else {
      eliminate_two(&x, k);
    }
    k += p.size;
  }
}

/* Solves the block of two rows at k of D. */
static void solve_block(const matrix *ld, int k, T *first, T *second) {
  T beside = *element(ld, k + 1, k), d1 = *element(ld, k, k) / beside;
  T d2 = *element(ld, k + 1, k + 1) / beside, b1 = *first / beside, b2 = *second / beside;
  *first = (d2 * b1 - b2) / (d1 * d2 - 1);
  *second = (d1 * b2 - b1) / (d1 * d2 - 1);
}

/* Solves L D y = b, then L' x = y, for one right-hand side b (n). */
static void solve_ldl(const matrix *ld, const int *pivots, T *b) {
  int n = ld->rows, k = 0;
  while (k < n) {
    int size = pivots[k] > 0 ? 1 : 2, last = k + size - 1, row = abs(pivots[k]) - 1;
    exchange(&b[last], &b[row]);
    for (int i = k; i <= last; i++)
      add_multiple(n - last - 1, -b[i], element(ld, last + 1 < n ? last + 1 : last, i),
                   b + last + 1);
    if (size == 1)
      b[k] /= *element(ld, k, k);
    else
      solve_block(ld, k, &b[k], &b[k + 1]);
    k += size;
  }
  while (k > 0) {
    int size = pivots[k - 1] > 0 ? 1 : 2, first = k - size, row = abs(pivots[k - 1]) - 1;
    for (int i = first; i < k && k < n; i++) b[i] -= dot(n - k, element(ld, k, i), b + k);
    exchange(&b[k - 1], &b[row]);
    k = first;
  }
}

static void sytrs(const char *uplo, const int *n, const int *columns, const void *a, const int *lda,
                  const int *pivots, void *b, const int *ldb, int *info, size_t length_of_text) {
  matrix ld = {(T *)a, *n, *n, *lda}, x = {b, *n, *columns, *ldb};
  (void)uplo, (void)length_of_text;
  for (int c = 0; c < *columns; c++) solve_ldl(&ld, pivots, column(&x, c));
  *info = 0;
}

const tocha_lapack TOCHA_LOOPS(plain_factors) = {.getrf = getrf,
                                                 .getrs = getrs,
                                                 .potrf = potrf,
                                                 .potrs = potrs,
                                                 .potri = potri,
                                                 .sytrf = sytrf,
                                                 .sytrs = sytrs,
                                                 .trsm = trsm};
