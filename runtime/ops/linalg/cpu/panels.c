/* panels.c: factors large matrices in panels of columns. */
#include "ops/linalg/cpu/panels.h"

#include <string.h>

#include "tensor/parallel.h"

/* PANEL: columns of a panel. REFLECTIONS: columns of a panel of reflections, as in LAPACK. COLUMNS: the minimum number of
 * columns that a thread gets. */
enum { PANEL = 128, REFLECTIONS = 32, COLUMNS = 64 };

/* Returns true if so many multiplications take so long that an interrupt should stop them. Plain C has no functions for panels. */
static bool is_large(const tocha_lapack *lapack, double work) {
  return work > 4e9 && !lapack->is_plain;
}

static int smaller(int a, int b) { return a < b ? a : b; }

/* --- columns ------------------------------------------------------------------------------------------------- */

/* The effect of a panel on other columns. The panel is w wide and begins at row and column j of a. */
typedef struct update {
  void (*part)(const struct update *u, int first, int count);
  const tocha_lapack *lapack;
  const char *option; /* uplo or transposed */
  const void *a;
  void *c; /* the matrix whose columns are changed: a or b */
  int rows, j, w;
  const int *pivots;
  const void *triangle; /* the factor of a panel's reflections, I - V T V' */
} update;

/* Returns the address of element (row, column) of a or c, which have u->rows rows. */
static void *at(const update *u, const void *matrix, int row, int column) {
  return (char *)matrix + ((size_t)column * (size_t)u->rows + (size_t)row) * u->lapack->item;
}

static void update_part(void *user, int64_t begin, int64_t end) {
  const update *u = user;
  int threads = tocha_use_one_thread(&u->lapack->openmp);
  for (int64_t c = begin; c < end; c += PANEL)
    u->part(u, (int)c, (int)(end - c < PANEL ? end - c : PANEL));
  tocha_restore_threads(&u->lapack->openmp, threads);
}

typedef struct shifted {
  const update *u;
  int first;
} shifted;

static void shifted_part(void *user, int64_t begin, int64_t end) {
  const shifted *s = user;
  update_part((void *)s->u, begin + s->first, end + s->first);
}

/* Changes the columns first..end - 1, on several threads. Returns false if interrupted. */
static bool update_columns(const tocha_batch *batch, const update *u, int first, int end) {
  shifted s = {u, first};
  return tocha_parallel_for(batch->cx, end - first, COLUMNS, shifted_part, &s);
}

/* --- LU ------------------------------------------------------------------------------------------------------ */

static void swap_rows(const update *u, int first, int count) {
  int begin = u->j + 1, end = u->j + u->w, step = 1;
  u->lapack->laswp(&count, at(u, u->c, 0, first), &u->rows, &begin, &end, u->pivots, &step);
}

static void eliminate(const update *u, int first, int count) {
  const tocha_lapack *l = u->lapack;
  int next = u->j + u->w, below = u->rows - next;
  swap_rows(u, first, count);
  void *top = at(u, u->c, u->j, first);
  l->trsm("L", "L", "N", "U", &u->w, &count, l->one, at(u, u->a, u->j, u->j), &u->rows, top,
          &u->rows, 1, 1, 1, 1);
  l->gemm("N", "N", &below, &count, &u->w, l->minus_one, at(u, u->a, next, u->j), &u->rows, top,
          &u->rows, l->one, at(u, u->c, next, first), &u->rows, 1, 1);
}

void tocha_panels_getrf(const tocha_batch *batch, int m, int n, void *a, int *pivots, int *info) {
  const tocha_lapack *l = batch->lapack;
  int k = smaller(m, n), rows = m > 1 ? m : 1;
  if (!is_large(l, (double)m * n * k)) {
    l->getrf(&m, &n, a, &rows, pivots, info);
    return;
  }
  update u = {.lapack = l, .a = a, .c = a, .rows = m, .pivots = pivots};
  *info = 0;
  for (u.j = 0; u.j < k; u.j += PANEL) {
    int below = m - u.j, code = 0;
    u.w = smaller(PANEL, k - u.j);
    l->getrf(&below, &u.w, at(&u, a, u.j, u.j), &m, pivots + u.j, &code);
    if (code > 0 && *info == 0) *info = code + u.j;
    for (int i = u.j; i < u.j + u.w; i++) pivots[i] += u.j;
    u.part = swap_rows;
    if (u.j > 0 && !update_columns(batch, &u, 0, u.j)) return;
    u.part = eliminate;
    if (u.j + u.w < n && !update_columns(batch, &u, u.j + u.w, n)) return;
  }
}

/* --- Cholesky ------------------------------------------------------------------------------------------------ */

/* Subtracts the products of the panel's rows from columns of the trailing triangle: from the block on the diagonal, and from
 * the rows below or above it. */
static void subtract_products(const update *u, int first, int count) {
  const tocha_lapack *l = u->lapack;
  bool lower = *u->option == 'L';
  int next = u->j + u->w, end = first + count, others = lower ? u->rows - end : first - next;
  const void *own = lower ? at(u, u->a, first, u->j) : at(u, u->a, u->j, first);
  const void *other = lower ? at(u, u->a, end, u->j) : at(u, u->a, u->j, next);
  l->syrk(u->option, lower ? "N" : "T", &count, &u->w, l->minus_one, own, &u->rows, l->one,
          at(u, u->c, first, first), &u->rows, 1, 1);
  if (others > 0)
    l->gemm(lower ? "N" : "T", lower ? "T" : "N", &others, &count, &u->w, l->minus_one, other,
            &u->rows, own, &u->rows, l->one, at(u, u->c, lower ? end : next, first), &u->rows, 1,
            1);
}

void tocha_panels_potrf(const tocha_batch *batch, const char *uplo, int n, void *a, int *info) {
  const tocha_lapack *l = batch->lapack;
  int rows = n > 1 ? n : 1;
  if (!is_large(l, (double)n * n * n)) {
    l->potrf(uplo, &n, a, &rows, info, 1);
    return;
  }
  update u = {.part = subtract_products, .lapack = l, .option = uplo, .a = a, .c = a, .rows = n};
  bool lower = *uplo == 'L';
  for (u.j = 0; u.j < n; u.j += PANEL) {
    u.w = smaller(PANEL, n - u.j);
    int next = u.j + u.w, rest = n - next;
    void *block = at(&u, a, u.j, u.j);
    l->potrf(uplo, &u.w, block, &n, info, 1);
    if (*info != 0) *info += u.j;
    if (*info != 0 || rest == 0) return;
    l->trsm(lower ? "R" : "L", uplo, "T", "N", lower ? &rest : &u.w, lower ? &u.w : &rest, l->one,
            block, &n, lower ? at(&u, a, next, u.j) : at(&u, a, u.j, next), &n, 1, 1, 1, 1);
    if (!update_columns(batch, &u, next, n)) return;
  }
}

/* --- systems ------------------------------------------------------------------------------------------------- */

static void substitute_lu(const update *u, int first, int count) {
  int info;
  u->lapack->getrs(u->option, &u->rows, &count, u->a, &u->rows, u->pivots, at(u, u->c, 0, first),
                   &u->rows, &info, 1);
}

static void substitute_cholesky(const update *u, int first, int count) {
  int info;
  u->lapack->potrs(u->option, &u->rows, &count, u->a, &u->rows, at(u, u->c, 0, first), &u->rows,
                   &info, 1);
}

/* Solves for the columns of b, each a system of its own, on several threads if there is enough work. */
static void substitute(const tocha_batch *batch, const update *u, int columns) {
  if (is_large(u->lapack, (double)u->rows * u->rows * columns))
    (void)update_columns(batch, u, 0, columns);
  else
    u->part(u, 0, columns);
}

void tocha_panels_getrs(const tocha_batch *batch, const char *transposed, int n, int columns,
                        const void *a, const int *pivots, void *b) {
  update u = {.part = substitute_lu,
              .lapack = batch->lapack,
              .option = transposed,
              .a = a,
              .c = b,
              .rows = n,
              .pivots = pivots};
  substitute(batch, &u, columns);
}

void tocha_panels_potrs(const tocha_batch *batch, const char *uplo, int n, int columns,
                        const void *a, void *b) {
  update u = {.part = substitute_cholesky,
              .lapack = batch->lapack,
              .option = uplo,
              .a = a,
              .c = b,
              .rows = n};
  substitute(batch, &u, columns);
}

/* --- QR ------------------------------------------------------------------------------------------------------ */

/* Applies the product of the panel's reflections, or its transpose, to the columns. */
static void reflect(const update *u, int first, int count) {
  double work[REFLECTIONS * PANEL];
  int m = u->rows - u->j, triangle_rows = REFLECTIONS;
  u->lapack->larfb("L", u->option, "F", "C", &m, &count, &u->w, at(u, u->a, u->j, u->j), &u->rows,
                   u->triangle, &triangle_rows, at(u, u->c, u->j, first), &u->rows, work, &count, 1,
                   1, 1, 1);
}

static bool reflect_columns(const tocha_batch *batch, update *u, const void *tau, int first,
                            int end) {
  double triangle[REFLECTIONS * REFLECTIONS];
  int m = u->rows - u->j, triangle_rows = REFLECTIONS;
  u->lapack->larft("F", "C", &m, &u->w, at(u, u->a, u->j, u->j), &u->rows, tau, triangle,
                   &triangle_rows, 1, 1);
  u->triangle = triangle;
  return update_columns(batch, u, first, end);
}

void tocha_panels_geqrf(const tocha_batch *batch, int m, int n, void *a, void *tau, void *work,
                        int lwork) {
  const tocha_lapack *l = batch->lapack;
  int k = smaller(m, n), rows = m > 1 ? m : 1, info;
  if (!is_large(l, (double)m * n * k)) {
    l->geqrf(&m, &n, a, &rows, tau, work, &lwork, &info);
    return;
  }
  update u = {.part = reflect, .lapack = l, .option = "T", .a = a, .c = a, .rows = m};
  for (u.j = 0; u.j < k; u.j += REFLECTIONS) {
    int below = m - u.j;
    u.w = smaller(REFLECTIONS, k - u.j);
    void *scales = (char *)tau + (size_t)u.j * l->item;
    l->geqrf(&below, &u.w, at(&u, a, u.j, u.j), &m, scales, work, &lwork, &info);
    if (u.j + u.w < n && !reflect_columns(batch, &u, scales, u.j + u.w, n)) return;
  }
}

/* Sets the columns first..end - 1 to those of the identity matrix. */
static void set_to_identity(const update *u, int first, int end) {
  for (int c = first; c < end; c++) {
    memset(at(u, u->c, 0, c), 0, (size_t)u->rows * u->lapack->item);
    memcpy(at(u, u->c, c, c), u->lapack->one, u->lapack->item);
  }
}

void tocha_panels_orgqr(const tocha_batch *batch, int m, int n, int k, void *a, const void *tau,
                        void *work, int lwork) {
  const tocha_lapack *l = batch->lapack;
  int rows = m > 1 ? m : 1, info;
  if (!is_large(l, (double)m * n * k)) {
    l->orgqr(&m, &n, &k, a, &rows, tau, work, &lwork, &info);
    return;
  }
  update u = {.part = reflect, .lapack = l, .option = "N", .a = a, .c = a, .rows = m};
  set_to_identity(&u, k, n);
  for (u.j = (k - 1) / REFLECTIONS * REFLECTIONS; u.j >= 0; u.j -= REFLECTIONS) {
    int below = m - u.j;
    u.w = smaller(REFLECTIONS, k - u.j);
    const void *scales = (const char *)tau + (size_t)u.j * l->item;
    if (u.j + u.w < n && !reflect_columns(batch, &u, scales, u.j + u.w, n)) return;
    l->orgqr(&below, &u.w, &u.w, at(&u, a, u.j, u.j), &m, scales, work, &lwork, &info);
    for (int c = u.j; c < u.j + u.w; c++) memset(at(&u, a, 0, c), 0, (size_t)u.j * l->item);
  }
}
