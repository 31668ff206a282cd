/* plain_spectra.c: LAPACK's eigenvalues and singular values, and the least squares solved by them, in plain C, for builds
 * without a library. Matrices are column-major; the parameters are LAPACK's (lapack.h). */
#include "ops/linalg/cpu/plain_vectors.h"

extern const tocha_lapack TOCHA_LOOPS(plain_reflections);

/* --- symmetric matrices: tridiagonal by reflections, then implicit QL steps (Golub and Van Loan, chapter 8) --------- */

/* STEPS: maximum steps for each eigenvalue, LAPACK's number. */
enum { STEPS = 30 };

/* Reduces a (n, n), full and symmetric, to the diagonal d (n) and the n - 1 elements e beside it. Column i keeps reflection i
 * in its rows below i + 1, and tau[i] its scale. work: n elements. */
static void make_tridiagonal(const matrix *a, T *d, T *e, T *tau, T *work) {
  int n = a->rows, one = 1, unused, lwork = 1;
  for (int i = 0; i < n - 1; i++) {
    int size = n - i - 1;
    T *v = element(a, i + 1, i), beta;
    d[i] = *element(a, i, i);
    TOCHA_LOOPS(plain_reflections).geqrf(&size, &one, v, &size, &tau[i], work, &lwork, &unused);
    beta = e[i] = v[0];
    v[0] = 1;
    /* A - v w' - w v', where w = tau A v - (tau / 2) (tau v' A v) v */
    memset(work, 0, (size_t)size * sizeof(T));
    for (int c = 0; c < size; c++)
      add_multiple(size, tau[i] * v[c], element(a, i + 1, i + 1 + c), work);
    add_multiple(size, -tau[i] / 2 * dot(size, work, v), v, work);
    for (int c = 0; c < size && tau[i] != 0; c++) {
      T *x = element(a, i + 1, i + 1 + c);
      for (int r = 0; r < size; r++) x[r] -= v[r] * work[c] + work[r] * v[c];
    }
    v[0] = beta;
  }
  if (n > 0) d[n - 1] = *element(a, n - 1, n - 1);
}

/* Replaces a (n, n) by the product of the reflections in it. */
static void make_orthogonal(const matrix *a, const T *tau, T *work) {
  int n = a->rows, rest = n - 1, unused, lwork = 1;
  if (n == 0) return;
  for (int c = n - 1; c > 0; c--) /* reflections move to the columns and rows that they change */
    memmove(element(a, 1, c), element(a, 1, c - 1), (size_t)rest * sizeof(T));
  memset(column(a, 0), 0, (size_t)n * sizeof(T));
  *a->data = 1;
  for (int c = 1; c < n; c++) *element(a, 0, c) = 0;
  TOCHA_LOOPS(plain_reflections)
      .orgqr(&rest, &rest, &rest, element(a, 1, n > 1), &a->ld, tau, work, &lwork, &unused);
}

/* Makes one QL step with a shift, from row m up to row l. Applies the rotations to the columns of z unless z is NULL. */
static void ql_step(T *d, T *e, int l, int m, const matrix *z) {
  T g = (d[l + 1] - d[l]) / (2 * e[l]), s = 1, c = 1, p = 0;
  g = d[m] - d[l] + e[l] / (g + copy_sign(hypotenuse(g, 1), g));
  for (int i = m - 1; i >= l; i--) {
    T f = s * e[i], b = c * e[i], r = hypotenuse(f, g);
    e[i + 1] = r;
    if (r == 0) { /* the matrix splits into two parts */
      d[i + 1] -= p;
      e[m] = 0;
      return;
    }
    s = f / r;
    c = g / r;
    g = d[i + 1] - p;
    r = (d[i] - g) * s + 2 * c * b;
    p = s * r;
    d[i + 1] = g + p;
    g = c * r - b;
    for (int k = 0; z && k < z->rows; k++) {
      T *x = element(z, k, i + 1), *y = element(z, k, i), old = *x;
      *x = s * *y + c * old;
      *y = c * *y - s * old;
    }
  }
  d[l] -= p;
  e[l] = g;
  e[m] = 0;
}

/* Replaces d (n) by the eigenvalues. Returns the number, from 1, of one that was not found, or 0. */
static int find_eigenvalues(int n, T *d, T *e, const matrix *z) {
  for (int l = 0; l < n; l++)
    for (int steps = 0;; steps++) {
      int m = l;
      while (m < n - 1 && magnitude(e[m]) > EPSILON * (magnitude(d[m]) + magnitude(d[m + 1]))) m++;
      if (m < n - 1 && !(magnitude(e[m]) <= EPSILON * (magnitude(d[m]) + magnitude(d[m + 1]))))
        return l + 1; /* NaN */
      if (m == l) break;
      if (steps == STEPS) return l + 1;
      ql_step(d, e, l, m, z);
    }
  return 0;
}

/* Sorts numbers (n), descending or ascending, and with them the columns of y and z unless they are NULL. */
static void sort(int n, T *numbers, bool descending, const matrix *y, const matrix *z) {
  for (int i = 0; i < n - 1; i++) {
    int first = i;
    for (int k = i + 1; k < n; k++)
      if (descending ? numbers[k] > numbers[first] : numbers[k] < numbers[first]) first = k;
    if (first == i) continue;
    exchange(&numbers[i], &numbers[first]);
    if (y) exchange_columns(y, i, first);
    if (z) exchange_columns(z, i, first);
  }
}

/* Returns the power of two that scales the largest magnitude to between 1/2 and 1, or 1 if there is none. */
static T scale_of(const matrix *a) {
  T maximum = 0;
  int exponent;
  for (int c = 0; c < a->columns; c++)
    for (int r = 0; r < a->rows; r++) {
      T size = magnitude(*element(a, r, c));
      if (!(size <= maximum)) maximum = size;
    }
  if (maximum == 0 || !isfinite(maximum)) return 1;
  frexp((double)maximum, &exponent);
  return (T)ldexp(1, -exponent < 120 ? -exponent : 120);
}

static void multiply_matrix(const matrix *a, T factor) {
  for (int c = 0; c < a->columns; c++) multiply(a->rows, factor, column(a, c));
}

/* Computes LAPACK's syevd. work: 3 n elements. */
static void syevd(const char *job, const char *uplo, const int *n, void *a, const int *lda, void *w,
                  void *work, const int *lwork, int *iwork, const int *liwork, int *info, size_t j,
                  size_t u) {
  matrix x = {a, *n, *n, *lda};
  T *e = work, *tau = e + *n, *scratch = tau + *n, scale;
  (void)liwork, (void)j, (void)u;
  if (answers_size(work, lwork, 3 * *n + 1)) {
    *iwork = 1;
    return;
  }
  for (int c = 0; c < *n; c++)
    for (int r = c + 1; r < *n; r++)
      *(*uplo == 'U' ? element(&x, r, c) : element(&x, c, r)) =
          *(*uplo == 'U' ? element(&x, c, r) : element(&x, r, c));
  scale = scale_of(&x);
  multiply_matrix(&x, scale);
  make_tridiagonal(&x, w, e, tau, scratch);
  if (*job == 'V') make_orthogonal(&x, tau, scratch);
  *info = find_eigenvalues(*n, w, e, *job == 'V' ? &x : NULL);
  multiply(*n, 1 / scale, w);
  sort(*n, w, false, *job == 'V' ? &x : NULL, NULL);
}

/* --- singular values: rotations of pairs of columns (Hestenes, 1958), after a QR factorization --------------------- */

/* SWEEPS: maximum sweeps over all pairs; fewer than ten are usual. */
enum { SWEEPS = 60 };

/* Makes columns p and q orthogonal, and rotates v's columns with them. squares holds the squares of all lengths. Returns false
 * if the columns were orthogonal already. */
static bool rotate_pair(const matrix *a, int p, int q, const matrix *v, T *squares) {
  T xx = squares[p], yy = squares[q], xy = dot(a->rows, column(a, p), column(a, q));
  T limit = EPSILON * root(a->rows) * root(xx) * root(yy);
  if (!(magnitude(xy) > limit) || magnitude(xy) < SMALLEST) return false;
  T zeta = (yy - xx) / (2 * xy), t = 1 / (magnitude(zeta) + hypotenuse(zeta, 1));
  if (zeta < 0) t = -t;
  T c = 1 / root(1 + t * t), s = c * t;
  for (const matrix *m = a; m; m = m == a ? v : NULL) {
    T *restrict f = column(m, p), *restrict g = column(m, q);
    for (int i = 0; i < m->rows; i++) {
      T old = f[i];
      f[i] = c * old - s * g[i];
      g[i] = s * old + c * g[i];
    }
  }
  squares[p] = xx - t * xy;
  squares[q] = yy + t * xy;
  return true;
}

/* Makes the columns of a orthogonal by rotations, whose product is written to v (n, n) unless v is NULL. squares: n elements.
 * Returns 1 if SWEEPS were too few, else 0. */
static int make_columns_orthogonal(const matrix *a, const matrix *v, T *squares) {
  int n = a->columns;
  for (int c = 0; v && c < n; c++) {
    memset(column(v, c), 0, (size_t)n * sizeof(T));
    *element(v, c, c) = 1;
  }
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    bool rotated = false;
    for (int c = 0; c < n; c++) squares[c] = dot(a->rows, column(a, c), column(a, c));
    for (int p = 0; p < n - 1; p++)
      for (int q = p + 1; q < n; q++) rotated |= rotate_pair(a, p, q, v, squares);
    if (!rotated) return 0;
  }
  return 1;
}

/* The factors of a (m, n), m >= n, which is overwritten: s (n), v (n, n) and u (m, n or m). Without data in u only s is
 * computed. scratch: 2 n + m elements, then n * n. */
typedef struct decomposition {
  matrix a, u, v;
  T *s, *scratch;
} decomposition;

/* Copies R' of the QR factors in a to l (n, n), because the columns of R' take fewer sweeps than those of R. */
static void copy_transposed(const matrix *a, const matrix *l) {
  for (int c = 0; c < l->columns; c++)
    for (int r = 0; r < l->rows; r++) *element(l, r, c) = c <= r ? *element(a, c, r) : 0;
}

/* Computes u and v from R' W = Y S, where v holds the rotations W and l the orthogonal columns Y S: A = Q R = (Q W) S Y'. */
static void multiply_factors(const decomposition *d, const matrix *l, const T *tau, T *tau2) {
  int m = d->a.rows, n = d->a.columns, lwork = m, info, columns = d->u.columns;
  const tocha_lapack *reflections = &TOCHA_LOOPS(plain_reflections);
  reflections->geqrf(&n, &n, l->data, &l->ld, tau2, d->scratch, &lwork, &info);
  for (int c = 0; c < columns; c++) {
    T sign = c < n && *element(l, c, c) < 0 ? -1 : 1;
    memset(column(&d->u, c), 0, (size_t)m * sizeof(T));
    if (c < n)
      add_multiple(n, sign, column(&d->v, c), column(&d->u, c));
    else
      *element(&d->u, c, c) = 1;
  }
  reflections->orgqr(&n, &n, &n, l->data, &l->ld, tau2, d->scratch, &lwork, &info);
  for (int c = 0; c < n; c++) memcpy(column(&d->v, c), column(l, c), (size_t)n * sizeof(T));
  reflections->ormqr("L", "N", &m, &columns, &n, d->a.data, &d->a.ld, tau, d->u.data, &d->u.ld,
                     d->scratch + 2 * n, &lwork, &info, 1, 1);
}

static int decompose(const decomposition *d) {
  int m = d->a.rows, n = d->a.columns, lwork = 1, info;
  T *tau = d->scratch, *tau2 = tau + n, scale = scale_of(&d->a);
  matrix l = {d->scratch + 2 * (size_t)n + (size_t)m, n, n, n > 0 ? n : 1};
  multiply_matrix(&d->a, scale);
  TOCHA_LOOPS(plain_reflections).geqrf(&m, &n, d->a.data, &d->a.ld, tau, tau2, &lwork, &info);
  copy_transposed(&d->a, &l);
  info = make_columns_orthogonal(&l, d->v.data ? &d->v : NULL, tau2);
  for (int c = 0; c < n; c++) d->s[c] = length(n, column(&l, c));
  sort(n, d->s, true, &l, d->v.data ? &d->v : NULL);
  multiply(n, 1 / scale, d->s);
  if (d->u.data) multiply_factors(d, &l, tau, tau2);
  return info;
}

static bool has_nan(const matrix *a) {
  for (int c = 0; c < a->columns; c++)
    for (int r = 0; r < a->rows; r++)
      if (isnan(*element(a, r, c))) return true;
  return false;
}

/* Copies the transpose of a to out. */
static void transpose(const matrix *a, const matrix *out) {
  for (int c = 0; c < a->columns; c++)
    for (int r = 0; r < a->rows; r++) *element(out, c, r) = *element(a, r, c);
}

/* Returns the elements of scratch memory for a matrix (m, n) with the vectors that `job` selects. */
static int svd_lwork(int m, int n, char job) {
  int k = m < n ? m : n, size = m < n ? n : m, columns = job == 'A' ? size : k;
  return 2 * k + size + k * k + (m < n ? size * k + (job == 'N' ? 0 : size * columns) : k * k) + 1;
}

/* Computes LAPACK's gesdd. A wide matrix is transposed first: A' = V S U'. */
static void gesdd(const char *job, const int *m, const int *n, void *a, const int *lda, void *s,
                  void *u, const int *ldu, void *vh, const int *ldvh, void *work, const int *lwork,
                  int *iwork, int *info, size_t job_length) {
  bool wide = *m < *n, vectors = *job != 'N';
  int k = wide ? *m : *n, size = wide ? *n : *m, columns = *job == 'A' ? size : k;
  matrix x = {a, *m, *n, *lda}, left = {u, *m, wide ? k : columns, *ldu};
  matrix right = {vh, wide ? columns : k, *n, *ldvh};
  (void)iwork, (void)job_length;
  if (answers_size(work, lwork, svd_lwork(*m, *n, *job))) return;
  *info = has_nan(&x) ? -4 : 0;
  if (*info) return;
  decomposition d = {.a = x, .s = s, .scratch = work};
  T *free_memory = d.scratch + 2 * (size_t)k + (size_t)size + (size_t)k * (size_t)k;
  if (wide) {
    d.a = (matrix){free_memory, size, k, size};
    transpose(&x, &d.a);
    free_memory += (size_t)size * (size_t)k;
  }
  if (vectors && wide) {
    d.v = left;
    d.u = (matrix){free_memory, size, columns, size};
  } else if (vectors) {
    d.u = left;
    d.v = (matrix){free_memory, k, k, k > 0 ? k : 1};
  }
  *info = decompose(&d);
  if (vectors) transpose(wide ? &d.u : &d.v, &right);
}

/* --- least squares of any rank ------------------------------------------------------------------------------------- */

/* Replaces each column of b (max(m, n), columns) by V S^-1 U' b, from the first `rank` singular values. If m > n, the element
 * below it becomes the length of A x - b, as LAPACK leaves it. work: n elements. */
static void solve_by_svd(const matrix *u, const T *s, const matrix *vh, int rank, const matrix *b,
                         T *work) {
  int m = u->rows, n = vh->columns;
  for (int c = 0; c < b->columns; c++) {
    T *x = column(b, c), left = 0;
    for (int k = 0; k < rank; k++) work[k] = dot(m, column(u, k), x);
    for (int k = 0; m > n && k < rank; k++) add_multiple(m, -work[k], column(u, k), x);
    if (m > n) left = length(m, x);
    for (int k = 0; k < rank; k++) work[k] /= s[k];
    for (int i = 0; i < n; i++) x[i] = dot(rank, column(vh, i), work);
    for (int i = n; i < m; i++) x[i] = i == n ? left : 0;
  }
}

static int gelss_lwork(int m, int n) {
  int k = m < n ? m : n;
  return m * k + k * n + n + svd_lwork(m, n, 'S');
}

/* Computes LAPACK's gelss. work: u, vh, n elements, then gesdd's scratch memory. */
static void gelss(const int *m, const int *n, const int *columns, void *a, const int *lda, void *b,
                  const int *ldb, void *s, const void *rcond, int *rank, void *work,
                  const int *lwork, int *info) {
  int k = *m < *n ? *m : *n, ldu = *m > 1 ? *m : 1, ldvh = k > 1 ? k : 1;
  int inner = svd_lwork(*m, *n, 'S'), unused;
  T limit = rcond ? *(const T *)rcond : 0, *values = s;
  if (answers_size(work, lwork, gelss_lwork(*m, *n))) return;
  matrix u = {work, *m, k, ldu}, vh = {u.data + (size_t)*m * (size_t)k, k, *n, ldvh};
  T *scratch = vh.data + (size_t)k * (size_t)*n;
  gesdd("S", m, n, a, lda, s, u.data, &ldu, vh.data, &ldvh, scratch + *n, &inner, &unused, info, 1);
  if (*info) return;
  if (limit < 0) limit = EPSILON;
  for (*rank = 0; *rank < k && values[*rank] > limit * values[0]; ++*rank) {
  }
  solve_by_svd(&u, values, &vh, *rank, &(matrix){b, *ldb, *columns, *ldb}, scratch);
}

static void gelsd(const int *m, const int *n, const int *columns, void *a, const int *lda, void *b,
                  const int *ldb, void *s, const void *rcond, int *rank, void *work,
                  const int *lwork, int *iwork, int *info) {
  if (*lwork == -1) *iwork = 1;
  gelss(m, n, columns, a, lda, b, ldb, s, rcond, rank, work, lwork, info);
}

/* Computes LAPACK's gelsy. The singular values are kept in front of gelss's scratch memory. */
static void gelsy(const int *m, const int *n, const int *columns, void *a, const int *lda, void *b,
                  const int *ldb, int *pivots, const void *rcond, int *rank, void *work,
                  const int *lwork, int *info) {
  int k = *m < *n ? *m : *n, rest = *lwork - k;
  (void)pivots;
  if (answers_size(work, lwork, gelss_lwork(*m, *n) + k)) return;
  gelss(m, n, columns, a, lda, b, ldb, work, rcond, rank, (T *)work + k, &rest, info);
}

const tocha_lapack TOCHA_LOOPS(plain_spectra) = {
    .gesdd = gesdd, .syevd = syevd, .gelsy = gelsy, .gelsd = gelsd, .gelss = gelss};
