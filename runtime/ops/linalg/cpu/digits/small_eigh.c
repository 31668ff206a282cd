/* small_eigh.c: diagonalizes symmetric matrices of up to 25 rows. LAPACK's syevd takes the tridiagonal form of such matrices to
 * its eigenvalues by implicit QL or QR steps. The sign of an eigenvector follows from the signs of the steps' rotations, and
 * LAPACK 3.10, which is in OpenBLAS, gives these other signs than MKL and earlier versions of LAPACK. So the steps are done
 * here. Beyond 25 rows signs do not depend on rotations. */
#include "ops/linalg/cpu/digits/small_eigh.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* MAX_ROWS: maximum rows. STEPS: steps for each row, after which LAPACK gives up. */
enum { MAX_ROWS = TOCHA_SMALL_EIGH_ROWS, STEPS = 30 };

/* The diagonal d, the elements e beside it, and the product z of all rotations, column-major. In double for every dtype. */
typedef struct tridiagonal {
  int n, steps;
  double epsilon;
  double d[MAX_ROWS], e[MAX_ROWS], z[MAX_ROWS * MAX_ROWS];
} tridiagonal;

/* Computes the rotation that takes (f, g) to (r, 0), and returns r. If |f| > |g|, the cosine is positive. Otherwise r is
 * positive, or g if f is 0. */
static double rotation(double f, double g, double *c, double *s) {
  double r = g == 0 ? f : f == 0 ? g : sqrt(f * f + g * g);
  if (f < 0 && g != 0 && fabs(f) > fabs(g)) r = -r;
  *c = g == 0 ? 1 : f / r;
  *s = g == 0 ? 0 : g / r;
  return r;
}

static void rotate(tridiagonal *t, int a, int b, double c, double s) {
  double *x = t->z + a * t->n, *y = t->z + b * t->n;
  for (int i = 0; i < t->n; i++) {
    double old = x[i];
    x[i] = c * old - s * y[i];
    y[i] = s * old + c * y[i];
  }
}

/* Returns the element that couples d[k] and d[k + way]. way is 1 or -1. */
static double *beside(tridiagonal *t, int k, int way) { return &t->e[way > 0 ? k : k - 1]; }

static bool is_negligible(tridiagonal *t, int k, int way) {
  double e = *beside(t, k, way), product = fabs(t->d[k]) * fabs(t->d[k + way]);
  return e * e <= t->epsilon * t->epsilon * product + DBL_MIN;
}

/* Diagonalizes rows k and k + 1, which are coupled to no other. The eigenvalue of larger magnitude becomes d[k]. */
static void solve_pair(tridiagonal *t, int k) {
  double a = t->d[k], b = t->e[k], c = t->d[k + 1], sum = a + c, difference = a - c;
  double root = hypot(difference, 2 * b), sign = sum < 0 ? -1 : 1, side = difference < 0 ? -1 : 1;
  double along = difference + side * root;
  bool steep = fabs(along) > fabs(2 * b);
  double x = steep ? -2 * b / along : 1, y = steep ? 1 : -along / (2 * b), length = hypot(x, y);
  x /= length, y /= length;
  if (sign == side)
    rotate(t, k + 1, k, -y, x);
  else
    rotate(t, k + 1, k, x, y);
  double first = sum == 0 ? root / 2 : (sum + sign * root) / 2;
  t->d[k + 1] = sum == 0 ? -root / 2 : a / first * c - b / first * b;
  t->d[k] = first;
  t->e[k] = 0;
}

/* Makes one implicit step with a shift, from row m back to row l. */
static void step(tridiagonal *t, int l, int m, int way) {
  double *d = t->d, near = *beside(t, l, way), p = d[l], c = 1, s = 1;
  double g = (d[l + way] - p) / (2 * near);
  g = d[m] - p + near / (g + copysign(hypot(g, 1), g));
  p = 0;
  for (int k = m - way;; k -= way) {
    double f = s * *beside(t, k, way), b = c * *beside(t, k, way), r = rotation(g, f, &c, &s);
    if (k != m - way) *beside(t, k + way, way) = r;
    g = d[k + way] - p;
    r = (d[k] - g) * s + 2 * c * b;
    p = s * r;
    d[k + way] = g + p;
    g = c * r - b;
    rotate(t, k, k + way, c, s);
    if (k == l) break;
  }
  d[l] -= p;
  *beside(t, l, way) = g;
}

/* Diagonalizes rows first to last, between which no element is negligible, from the end whose diagonal element is smaller in
 * magnitude. Returns false if that takes too many steps. */
static bool solve_block(tridiagonal *t, int first, int last) {
  bool up = fabs(t->d[last]) >= fabs(t->d[first]);
  int way = up ? 1 : -1, l = up ? first : last, end = up ? last : first;
  while ((end - l) * way >= 0) {
    int m = l;
    while (m != end && !is_negligible(t, m, way)) m += way;
    if (m != end) *beside(t, m, way) = 0;
    if (m == l) {
      l += way;
    } else if (m == l + way) {
      solve_pair(t, up ? l : m);
      l += 2 * way;
    } else {
      if (t->steps++ == STEPS * t->n) return false;
      step(t, l, m, way);
    }
  }
  return true;
}

static bool solve(tridiagonal *t) {
  for (int first = 0, last; first < t->n; first = last + 1) {
    for (last = first; last < t->n - 1; last++)
      if (fabs(t->e[last]) <= sqrt(fabs(t->d[last])) * sqrt(fabs(t->d[last + 1])) * t->epsilon)
        break;
    if (last < t->n - 1) t->e[last] = 0;
    if (!solve_block(t, first, last)) return false;
  }
  return true;
}

static void swap(double *a, double *b) {
  double old = *a;
  *a = *b;
  *b = old;
}

static void sort(tridiagonal *t) {
  for (int i = 0; i < t->n - 1; i++) {
    int smallest = i;
    for (int k = i + 1; k < t->n; k++)
      if (t->d[k] < t->d[smallest]) smallest = k;
    if (smallest == i) continue;
    swap(&t->d[i], &t->d[smallest]);
    for (int k = 0; k < t->n; k++) swap(&t->z[i * t->n + k], &t->z[smallest * t->n + k]);
  }
}

static void load(double *to, const void *from, int count, tocha_dtype dtype) {
  const char *at = from;
  for (int i = 0; i < count; i++, at += tocha_dtype_size(dtype))
    to[i] = tocha_scalar_real(tocha_load_scalar(at, dtype));
}

static void store(void *to, const double *from, int count, tocha_dtype dtype) {
  char *at = to;
  for (int i = 0; i < count; i++, at += tocha_dtype_size(dtype))
    tocha_store_scalar(at, dtype, tocha_float(from[i]));
}

void tocha_diagonalize_small(const tocha_small_eigh *w) {
  size_t item = tocha_dtype_size(w->dtype);
  int n = w->n, lwork = w->lwork - n * (n + 2);
  char *near = w->work, *tau = near + (size_t)n * item, *z = tau + (size_t)n * item;
  char *work = z + (size_t)(n * n) * item;
  w->lapack->sytrd(w->uplo, &n, w->a, &n, w->w, near, tau, work, &lwork, w->info, 1);
  tridiagonal t = {.n = n,
                   .epsilon = (w->dtype == TOCHA_FLOAT64 ? DBL_EPSILON : (double)FLT_EPSILON) / 2};
  load(t.d, w->w, n, w->dtype);
  load(t.e, near, n - 1, w->dtype);
  for (int i = 0; i < n; i++) t.z[i * n + i] = 1;
  if (!solve(&t)) {
    *w->info = 1;
    return;
  }
  sort(&t);
  store(w->w, t.d, n, w->dtype);
  store(z, t.z, n * n, w->dtype);
  w->lapack->ormtr("L", w->uplo, "N", &n, &n, w->a, &n, tau, z, &n, work, &lwork, w->info, 1, 1, 1);
  memcpy(w->a, z, (size_t)(n * n) * item);
}
