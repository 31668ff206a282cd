/* blas.c: products by the BLAS, on our threads. Small products use the BLAS, too: against OpenBLAS 0.3.21 on avx512 our loops
 * were up to 1.7 times slower below 28x28x28, and up to 1.9 times faster only from 32x32x32 to 64x64x64. Large products of
 * float32 use oneDNN on avx512. There oneDNN is 5 to 25% faster than OpenBLAS 0.3.21, and twice as fast for a few rows. oneDNN
 * is slower up to 100x100x100, which OpenBLAS does not pack. The first product of oneDNN takes 30 ms. */
#include "ops/matmul/cpu/blas.h"

#include "core/isa.h"
#include "ops/matmul/cpu/digits/narrow.h"
#include "ops/matmul/cpu/digits/order.h"
#include "ops/matmul/cpu/digits/small.h"
#include "ops/matmul/cpu/half.h"
#include "ops/matmul/cpu/onednn.h"
#include "ops/matmul/cpu/onednn_primitive.h"
#include "ops/matmul/cpu/openblas.h"
#include "tensor/parallel.h"
#include "tensor/interruptible.h"
#include "tocha/signals.h"

bool tocha_blas_takes(const tocha_context *cx, const tocha_gemm_args *args) {
  return args->dtype != TOCHA_INT64 && tocha_scalar_real(args->alpha) != 0 &&
         args->m <= INT32_MAX && args->n <= INT32_MAX && args->k <= INT32_MAX &&
         args->lda <= INT32_MAX && args->ldb <= INT32_MAX && tocha_find_openblas(cx);
}

bool tocha_blas_takes_dot(const tocha_context *cx, const tocha_dot_args *args) {
  return args->dtype != TOCHA_INT64 && args->n <= INT32_MAX && args->a_stride > 0 &&
         args->b_stride > 0 && tocha_find_openblas(cx);
}

/* --- one product, or a panel of it ---------------------------------------------------------------------- */

/* A panel of out: its rows and columns, and the addresses at which it and its operands begin. */
typedef struct panel {
  const tocha_openblas *blas;
  const tocha_onednn_handles *onednn; /* NULL: oneDNN is not used */
  tocha_product_order order;
  tocha_stop stop; /* NULL: not interruptible */
  const tocha_gemm_args *args;
  const void *a, *b;
  void *out;
  int64_t rows, columns;
  double alpha, beta;
} panel;

static int transpose(bool transposed) {
  return transposed ? TOCHA_BLAS_TRANSPOSED : TOCHA_BLAS_AS_IT_IS;
}

/* Returns the beta for OpenBLAS, which treats a NaN as 0. If beta is NaN, fills out with NaN and returns 1. */
static double scaled_before(const panel *p, int64_t count) {
  if (p->beta == p->beta) return p->beta;
  for (int64_t i = 0; i < count; i++)
    if (p->args->dtype == TOCHA_FLOAT32)
      ((float *)p->out)[i] = (float)p->beta;
    else
      ((double *)p->out)[i] = p->beta;
  return 1;
}

/* Computes y = alpha * matrix @ x + beta * y, or with the transpose of the matrix. matrix: (rows, columns) in memory. */
static void gemv(const panel *p, bool transposed, int64_t rows, int64_t columns, const void *matrix,
                 int64_t ld, const void *x, int64_t step) {
  double beta = scaled_before(p, transposed ? columns : rows);
  if (p->args->dtype == TOCHA_FLOAT32)
    p->blas->sgemv(TOCHA_BLAS_ROW_MAJOR, transpose(transposed), (int)rows, (int)columns,
                   (float)p->alpha, matrix, (int)ld, x, (int)step, (float)beta, p->out, 1);
  else
    p->blas->dgemv(TOCHA_BLAS_ROW_MAJOR, transpose(transposed), (int)rows, (int)columns, p->alpha,
                   matrix, (int)ld, x, (int)step, beta, p->out, 1);
}

/* Computes a (m, k) times a column (k, 1). */
static void multiply_column(const panel *p) {
  const tocha_gemm_args *args = p->args;
  int64_t rows = args->a_transposed ? args->k : p->rows;
  int64_t columns = args->a_transposed ? p->rows : args->k;
  int64_t step = args->k == 1 || args->b_transposed ? 1 : args->ldb;
  gemv(p, args->a_transposed, rows, columns, p->a, args->lda, p->b, step);
}

/* Computes a row (1, k) times b (k, n), as b's transpose times a column. A b of one row is a column of its transpose. */
static void multiply_row(const panel *p) {
  const tocha_gemm_args *args = p->args;
  int64_t step = args->a_transposed && args->k > 1 ? args->lda : 1;
  if (args->k == 1)
    gemv(p, false, p->columns, 1, p->b, args->b_transposed ? args->ldb : 1, p->a, step);
  else if (args->b_transposed)
    gemv(p, false, p->columns, args->k, p->b, args->ldb, p->a, step);
  else
    gemv(p, true, args->k, p->columns, p->b, args->ldb, p->a, step);
}

/* Compute a column (m, 1) times a row (1, n), in floats or doubles. Plain products keep the sign of a zero. */
static void outer_floats(const panel *p, int64_t a_step, int64_t b_step) {
  for (int64_t i = 0; i < p->rows; i++) {
    float x = (float)p->alpha * ((const float *)p->a)[i * a_step];
    float *to = (float *)p->out + i * p->args->n;
    for (int64_t j = 0; j < p->columns; j++) to[j] = x * ((const float *)p->b)[j * b_step];
  }
}

static void outer_doubles(const panel *p, int64_t a_step, int64_t b_step) {
  for (int64_t i = 0; i < p->rows; i++) {
    double x = p->alpha * ((const double *)p->a)[i * a_step];
    double *to = (double *)p->out + i * p->args->n;
    for (int64_t j = 0; j < p->columns; j++) to[j] = x * ((const double *)p->b)[j * b_step];
  }
}

static void multiply_outer(const panel *p) {
  int64_t a_step = p->args->a_transposed ? 1 : p->args->lda;
  int64_t b_step = p->args->b_transposed ? p->args->ldb : 1;
  if (p->args->dtype == TOCHA_FLOAT32)
    outer_floats(p, a_step, b_step);
  else
    outer_doubles(p, a_step, b_step);
}

/* Computes the product over k of the terms by oneDNN. Returns false if oneDNN got no memory. */
static bool multiply_by_onednn(const panel *p, const float *a, const float *b, int64_t k,
                               float beta) {
  const tocha_gemm_args *args = p->args;
  const tocha_openmp *openmp = p->onednn->openmp;
  int threads = tocha_use_one_thread(openmp);
  tocha_signal_mask held = tocha_hold_signals();
  int status = p->onednn->sgemm(args->a_transposed ? 'T' : 'N', args->b_transposed ? 'T' : 'N',
                                p->rows, p->columns, k, (float)p->alpha, a, args->lda, b, args->ldb,
                                beta, p->out, args->n);
  tocha_release_signals(&held);
  tocha_restore_threads(openmp, threads);
  return status == 0;
}

static void multiply_floats(const panel *p) {
  const tocha_gemm_args *args = p->args;
  int64_t a_step = args->a_transposed ? args->lda : 1, b_step = args->b_transposed ? 1 : args->ldb;
  for (int64_t done = 0, k; done < args->k && !(p->stop && tocha_is_set(p->stop)); done += k) {
    const float *a = (const float *)p->a + done * a_step, *b = (const float *)p->b + done * b_step;
    float beta = done ? 1 : (float)p->beta;
    k = p->order.in_pieces ? tocha_terms_together(args->k, args->k - done) : args->k;
    if (p->onednn && multiply_by_onednn(p, a, b, k, beta)) continue;
    p->blas->sgemm(TOCHA_BLAS_ROW_MAJOR, transpose(args->a_transposed),
                   transpose(args->b_transposed), (int)p->rows, (int)p->columns, (int)k,
                   (float)p->alpha, a, (int)args->lda, b, (int)args->ldb, beta, p->out,
                   (int)args->n);
  }
}

/* Computes the last p->order.narrow columns by our own loops. */
static void multiply_narrow(const panel *p) {
  const tocha_gemm_args *args = p->args;
  tocha_matrix_strides a = tocha_strides_of(args->a_transposed, args->lda);
  tocha_matrix_strides b = tocha_strides_of(args->b_transposed, args->ldb);
  int64_t from = p->columns - p->order.narrow;
  tocha_narrow_product product = {.a = p->a,
                                  .b = (const float *)p->b + from * b.column,
                                  .out = (float *)p->out + from,
                                  .m = p->rows,
                                  .n = p->order.narrow,
                                  .k = args->k,
                                  .a_row = a.row,
                                  .a_column = a.column,
                                  .b_row = b.row,
                                  .b_column = b.column,
                                  .out_row = args->n,
                                  .add = p->beta != 0};
  tocha_narrow_loops_table[TOCHA_ISA_AVX512]->multiply(&product);
}

/* Computes the panel, the first columns by a library and the last ones by our own loops. */
static void multiply_floats_by_both(const panel *p) {
  panel wide = *p;
  wide.columns -= p->order.narrow;
  if (wide.columns) multiply_floats(&wide);
  if (p->order.narrow) multiply_narrow(p);
}

static void multiply_doubles(const panel *p) {
  const tocha_gemm_args *args = p->args;
  p->blas->dgemm(TOCHA_BLAS_ROW_MAJOR, transpose(args->a_transposed), transpose(args->b_transposed),
                 (int)p->rows, (int)p->columns, (int)args->k, p->alpha, p->a, (int)args->lda, p->b,
                 (int)args->ldb, p->beta, p->out, (int)args->n);
}

static void multiply(const panel *p) {
  if (p->args->n == 1)
    multiply_column(p);
  else if (p->args->m == 1)
    multiply_row(p);
  else if (p->args->k == 1 && p->beta == 0 && p->args->batch == 1)
    multiply_outer(p);
  else if (p->args->dtype == TOCHA_FLOAT32)
    multiply_floats_by_both(p);
  else
    multiply_doubles(p);
}

/* --- panels on threads ---------------------------------------------------------------------------------- */

typedef struct product {
  const tocha_openblas *blas;
  const tocha_onednn_handles *onednn;
  tocha_product_order order;
  tocha_stop stop; /* NULL: not interruptible */
  const tocha_gemm_args *args;
  int64_t panel_rows, panel_columns;
  int64_t down, across; /* panels of a matrix in each direction */
} product;

static int64_t divided(int64_t n, int64_t size) { return (n + size - 1) / size; }

/* Returns the number of panels of about `size`, of which the last has from half to one and a half times that size. */
static int64_t nearest(int64_t n, int64_t size) { return (n + size / 2) / size; }

static void multiply_panel(const product *p, int64_t matrix, int64_t i, int64_t j) {
  const tocha_gemm_args *args = p->args;
  int64_t row = i * p->panel_rows, column = j * p->panel_columns;
  int64_t item = (int64_t)tocha_dtype_size((tocha_dtype)args->dtype);
  int64_t a = matrix * args->a_batch_stride + row * (args->a_transposed ? 1 : args->lda);
  int64_t b = matrix * args->b_batch_stride + column * (args->b_transposed ? args->ldb : 1);
  int64_t out = (matrix * args->m + row) * args->n + column;
  panel part = {.blas = p->blas,
                .onednn = p->onednn,
                .order = p->order,
                .stop = p->stop,
                .args = args,
                .a = (const char *)args->a + a * item,
                .b = (const char *)args->b + b * item,
                .out = (char *)args->out + out * item,
                .rows = i == p->down - 1 ? args->m - row : p->panel_rows,
                .columns = j == p->across - 1 ? args->n - column : p->panel_columns,
                .alpha = tocha_scalar_real(args->alpha),
                .beta = tocha_scalar_real(args->beta)};
  multiply(&part);
}

static void multiply_panels(void *user, int64_t begin, int64_t end) {
  const product *p = user;
  int threads = tocha_use_one_thread(&p->blas->openmp);
  for (int64_t i = begin; i < end; i++) {
    int64_t matrix = i / (p->down * p->across), place = i % (p->down * p->across);
    multiply_panel(p, matrix, place / p->across, place % p->across);
  }
  tocha_restore_threads(&p->blas->openmp, threads);
}

/* WORTH_PANELS: multiply-adds of a matrix that are worth dividing. MIN_PANEL, MAX_PANEL: multiply-adds of a panel; the maximum
 * is some 0.2 s, so that an interrupt is answered. AMPLE_PANEL: from here on two panels a thread cost little, and threads do
 * not wait long for each other. VECTOR_COSTS: a vector's multiply-adds are bound by memory and count so many times. TILE: rows
 * or columns of a tile. */
enum { WORTH_PANELS = 1 << 22, MIN_PANEL = 1 << 21, VECTOR_COSTS = 16, TILE = 48 };
static const int64_t AMPLE_PANEL = (int64_t)1 << 31, MAX_PANEL = (int64_t)1 << 33;

typedef enum division { NOTHING, ROWS, COLUMNS, BOTH } division;

/* Returns the sides that can be divided, in whole tiles, without changing a digit of OpenBLAS's kernels for AVX-512. float64 is
 * summed by rows of 24, whose columns must stay together. The digits of float32 times a transposed matrix depend on the width. */
static division divisible(const tocha_gemm_args *args) {
  bool single = args->dtype == TOCHA_FLOAT32;
  if (args->n == 1) return single && args->a_transposed ? NOTHING : ROWS;
  if (args->m == 1) return single && !args->b_transposed ? NOTHING : COLUMNS;
  return single ? BOTH : ROWS;
}

/* Returns the longer of the sides in `can` that are longer than a tile, or NULL if none is. */
static int64_t *side(product *p, division can) {
  bool rows = can & ROWS && p->panel_rows > TILE,
       columns = can & COLUMNS && p->panel_columns > TILE;
  if (rows && columns) rows = p->panel_rows >= p->panel_columns;
  return rows ? &p->panel_rows : columns ? &p->panel_columns : NULL;
}

/* Halves panels until there are enough for the threads and none takes too long. A panel that takes too long is divided even if
 * that changes digits. */
static void choose_panels(product *p, int64_t threads) {
  const tocha_gemm_args *args = p->args;
  bool vector = args->m == 1 || args->n == 1;
  int64_t cost = (vector ? VECTOR_COSTS : 1) * args->k, whole = args->m * args->n * cost;
  int64_t spare = !vector && whole * args->batch > 2 * threads * AMPLE_PANEL ? 2 : 1;
  int64_t enough = divided(spare * threads, args->batch);
  if (threads == 1 || whole < WORTH_PANELS) enough = 1;
  p->panel_rows = args->m;
  p->panel_columns = args->n;
  for (;;) {
    int64_t work = p->panel_rows * p->panel_columns * cost, *longer = NULL;
    p->down = nearest(args->m, p->panel_rows);
    p->across = nearest(args->n, p->panel_columns);
    if (p->down * p->across < enough && work >= 2 * (int64_t)MIN_PANEL)
      longer = side(p, divisible(args));
    if (!longer && work > AMPLE_PANEL) longer = side(p, divisible(args));
    if (!longer && work > MAX_PANEL) longer = side(p, BOTH);
    if (!longer) return;
    *longer = divided(divided(*longer, 2), TILE) * TILE;
  }
}

/* Chooses the library that computes p, and the order of its sums. */
static void choose_way(tocha_context *cx, product *p, tocha_onednn_handles *onednn) {
  const tocha_gemm_args *args = p->args;
  bool shared = args->m * args->n * args->k >= WORTH_PANELS;
  if (tocha_product_is_onednns(cx, args) && tocha_onednn_find(cx, onednn) && onednn->sgemm)
    p->onednn = onednn;
  p->order = tocha_order_of_product(cx, args, p->onednn != NULL, shared);
}

typedef struct small {
  tocha_isa isa;
  const tocha_gemm_args *args;
} small;

static void multiply_small(void *user, int64_t begin, int64_t end) {
  const small *s = user;
  tocha_small_gemm(s->isa, s->args, begin, end);
}

enum { QUAD = 4 }; /* columns whose sums small.c takes together, when b is transposed */

/* Computes some of the columns of a row, in units of QUAD. */
static void multiply_columns(void *user, int64_t begin, int64_t end) {
  const small *s = user;
  tocha_gemm_args part = *s->args;
  int64_t first = begin * QUAD, left = part.n - first;
  part.b = (const float *)part.b + first * part.ldb;
  part.out = (float *)part.out + first;
  part.n = left < (end - begin) * QUAD ? left : (end - begin) * QUAD;
  tocha_small_gemm(s->isa, &part, 0, 1);
}

static bool run_small(tocha_context *cx, const tocha_gemm_args *args, int64_t grain) {
  enum { COLUMNS_WORK = 1 << 14 };
  small s = {cx->isa, args};
  if (args->batch == 1 && args->m == 1 && args->b_transposed)
    return tocha_parallel_for(cx, (args->n + QUAD - 1) / QUAD, COLUMNS_WORK / (QUAD * args->k) + 1,
                              multiply_columns, &s);
  return tocha_parallel_for(cx, args->batch, grain, multiply_small, &s);
}

bool tocha_blas_gemm(tocha_context *cx, const tocha_gemm_args *args) {
  int64_t grain = ((int64_t)1 << 19) / (args->m * args->n * args->k) + 1;
  if (tocha_product_is_small(cx, args)) return run_small(cx, args, grain);
  product p = {.blas = tocha_find_openblas(cx), .args = args, .stop = &cx->interrupted};
  tocha_onednn_handles onednn;
  choose_way(cx, &p, &onednn);
  if (tocha_failed(cx)) return false;
  choose_panels(&p, cx->threads);
  int64_t panels = args->batch * p.down * p.across;
  if (p.down * p.across > 1)
    return tocha_parallel_parts(cx, panels, INT64_MAX, multiply_panels, &p);
  return tocha_parallel_for(cx, panels, grain, multiply_panels, &p);
}

void tocha_blas_single_gemm(const tocha_context *cx, const tocha_gemm_args *args) {
  product p = {.blas = tocha_find_openblas(cx),
               .args = args,
               .panel_rows = args->m,
               .panel_columns = args->n,
               .down = 1,
               .across = 1};
  multiply_panels(&p, 0, 1);
}

/* A long inner product in pieces. The number and the length of the pieces do not depend on the threads. */
enum { PIECE = TOCHA_GRAIN, MAX_PIECES = 64 };
typedef struct dot_pieces {
  const tocha_openblas *blas;
  const tocha_dot_args *args;
  int64_t piece;
  double sums[MAX_PIECES];
} dot_pieces;

static double dot_of_piece(const tocha_openblas *blas, const tocha_dot_args *args, int64_t first,
                           int n) {
  int a_stride = (int)args->a_stride, b_stride = (int)args->b_stride;
  int64_t a = first * args->a_stride, b = first * args->b_stride;
  int threads = tocha_use_one_thread(&blas->openmp);
  double sum = args->dtype == TOCHA_FLOAT32
                   ? (double)blas->sdot(n, (const float *)args->a + a, a_stride,
                                        (const float *)args->b + b, b_stride)
                   : blas->ddot(n, (const double *)args->a + a, a_stride,
                                (const double *)args->b + b, b_stride);
  tocha_restore_threads(&blas->openmp, threads);
  return sum;
}

static void dot_part(void *user, int64_t begin, int64_t end) {
  dot_pieces *d = user;
  for (int64_t i = begin; i < end; i++) {
    int64_t first = i * d->piece, left = d->args->n - first;
    d->sums[i] = dot_of_piece(d->blas, d->args, first, (int)(left < d->piece ? left : d->piece));
  }
}

static double long_dot(tocha_context *cx, const tocha_dot_args *args) {
  dot_pieces d = {.blas = tocha_find_openblas(cx),
                  .args = args,
                  .piece = (args->n + MAX_PIECES - 1) / MAX_PIECES};
  if (d.piece < PIECE) d.piece = PIECE;
  int64_t pieces = (args->n + d.piece - 1) / d.piece;
  double sum = 0;
  tocha_parallel_for(cx, pieces, 1, dot_part, &d);
  for (int64_t i = 0; i < pieces; i++) sum += d.sums[i];
  return sum;
}

void tocha_blas_dot(tocha_context *cx, const tocha_dot_args *args) {
  if (tocha_dot_in_order(cx, args)) return;
  int n = (int)args->n;
  double sum =
      n >= 2 * PIECE ? long_dot(cx, args) : dot_of_piece(tocha_find_openblas(cx), args, 0, n);
  if (args->dtype == TOCHA_FLOAT32)
    *(float *)args->out = (float)sum;
  else
    *(double *)args->out = sum;
}
