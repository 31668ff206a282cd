/* gemm.c: who multiplies: the BLAS, or gemm_loops.c for integers and where there is no BLAS. Small
 * products go to the BLAS too: against OpenBLAS 0.3.21 on avx512 our loops were up to 1.7 times
 * slower below 28x28x28, and up to 1.9 times faster only from 32x32x32 to 64x64x64. */
#include "ops/matmul/gemm.h"
#include "tensor/copy.h"

#include <string.h>

#include "core/isa.h"
#include "ops/matmul/gemm_loops.h"
#include "tensor/iterator.h"

#ifdef TOCHA_HAVE_BLAS
#include <cblas.h>
#endif
#ifdef _OPENMP
#include <omp.h>
#endif

/* --- threads of libraries --------------------------------------------------------------------------- */

/* A region of one thread has settings of its own. */
bool tocha_with_threads(tocha_context *cx, void (*run)(void *user), void *user) {
#ifdef _OPENMP
  if (omp_in_parallel()) return false;
  if (omp_get_max_threads() != cx->threads) {
#pragma omp parallel num_threads(1)
    {
      omp_set_num_threads(cx->threads);
      run(user);
    }
    return true;
  }
#else
  (void)cx;
#endif
  run(user);
  return true;
}

/* --- our own loops --------------------------------------------------------------------------------- */

extern const tocha_gemm_loops tocha_gemm_loops_baseline;
#ifdef TOCHA_X86_KERNELS
extern const tocha_gemm_loops tocha_gemm_loops_avx2, tocha_gemm_loops_avx512;
#endif

const tocha_gemm_loops *tocha_gemm_loops_of(tocha_context *cx) {
#ifdef TOCHA_X86_KERNELS
#ifdef TOCHA_AVX512_KERNELS
  if (cx->isa == TOCHA_ISA_AVX512) return &tocha_gemm_loops_avx512;
#endif
  if (cx->isa == TOCHA_ISA_AVX2) return &tocha_gemm_loops_avx2;
#endif
  return &tocha_gemm_loops_baseline;
}

size_t tocha_gemm_scratch(const tocha_gemm *g) {
  int64_t k = g->k < 256 ? g->k : 256, n = g->n < 512 ? (g->n + 31) / 32 * 32 : 512;
  return (size_t)(k * n) * 8 + 64;
}

typedef struct gemm_args {
  tocha_context *cx;
  const tocha_product *p;
  void (*multiply)(const tocha_gemm *g, void *pack);
  tocha_gemm g;  /* without pointers */
  char *scratch; /* one piece a part */
  size_t scratch_bytes;
  int64_t rows_each; /* rows of out in one part; parts of one matrix follow each other */
  int64_t parts_each;
} gemm_args;

static void run_own_part(const gemm_args *j, int64_t part, void *pack) {
  const tocha_product *p = j->p;
  int64_t item = (int64_t)tocha_dtype_size(p->dtype);
  int64_t matrix = part / j->parts_each, row = part % j->parts_each * j->rows_each;
  tocha_gemm g = j->g;
  g.m = p->m - row < j->rows_each ? p->m - row : j->rows_each;
  g.a = p->a + (matrix * p->a_batch + row * p->a_row) * item;
  g.b = p->b + matrix * p->b_batch * item;
  g.c = p->out + (matrix * p->m + row) * p->n * item;
  j->multiply(&g, pack);
}

static void run_own(void *user, int64_t begin, int64_t end) {
  const gemm_args *j = user;
  _Alignas(64) char small[16384];
  if (j->scratch_bytes <= sizeof small) {
    for (int64_t i = begin; i < end; i++) run_own_part(j, i, small);
  } else {
    for (int64_t i = begin; i < end; i++)
      run_own_part(j, i, j->scratch + (size_t)i * j->scratch_bytes);
  }
}

/* A matrix times a vector is a vector times the transposed matrix: full panels instead of columns
 * of width one. */
static tocha_product transposed(const tocha_product *p) {
  tocha_product t = *p;
  t.m = 1;
  t.n = p->m;
  t.a = p->b;
  t.a_batch = p->b_batch;
  t.a_row = p->b_column;
  t.a_column = p->b_row;
  t.b = p->a;
  t.b_batch = p->a_batch;
  t.b_row = p->a_column;
  t.b_column = p->a_row;
  return t;
}

static bool own_product(tocha_context *cx, const tocha_product *given) {
  tocha_product t = *given;
  if (given->n == 1 && given->m > 1) t = transposed(given);
  const tocha_product *p = &t;
  const tocha_gemm_loops *loops = tocha_gemm_loops_of(cx);
  gemm_args j = {.cx = cx, .p = p};
  j.multiply = p->dtype == TOCHA_FLOAT32   ? loops->float32
               : p->dtype == TOCHA_FLOAT64 ? loops->float64
                                           : loops->int64;
  tocha_gemm g = {.m = p->m,
                  .n = p->n,
                  .k = p->k,
                  .a_row = p->a_row,
                  .a_column = p->a_column,
                  .b_row = p->b_row,
                  .b_column = p->b_column,
                  .c_row = p->n,
                  .alpha = p->alpha,
                  .beta = p->beta,
                  .stop = &cx->interrupted};
  j.g = g;
  int64_t work = p->m * p->n * p->k, most = 2 * cx->threads;
  j.parts_each = 1;
  if (p->batch < most && work * p->batch > 8 * TOCHA_GRAIN) {
    j.parts_each = (most + p->batch - 1) / p->batch;
    if (j.parts_each > (p->m + 31) / 32) j.parts_each = (p->m + 31) / 32;
  }
  j.rows_each = (p->m + j.parts_each - 1) / j.parts_each;
  if (j.parts_each > 1) j.rows_each = (j.rows_each + 3) / 4 * 4;
  j.parts_each = (p->m + j.rows_each - 1) / j.rows_each;
  int64_t parts = p->batch * j.parts_each;
  j.scratch_bytes = (tocha_gemm_scratch(&g) + 63) / 64 * 64;
  size_t bytes = (size_t)parts * j.scratch_bytes;
  if (j.scratch_bytes > 16384) {
    j.scratch = tocha_allocate(cx, bytes);
    if (!j.scratch) return false;
  }
  int64_t grain = TOCHA_GRAIN * 4 / (work / j.parts_each + 1) + 1;
  bool ok = true;
  if (parts <= grain)
    run_own(&j, 0, parts);
  else
    ok = tocha_parallel_for(cx, parts, grain, run_own, &j);
  if (j.scratch) tocha_deallocate(cx, j.scratch, bytes);
  return ok && !tocha_interrupted(cx);
}

/* --- the BLAS -------------------------------------------------------------------------------------- */

#ifdef TOCHA_HAVE_BLAS

/* A matrix as the BLAS reads it: unit stride along rows, or (transposed) along columns. */
typedef struct layout {
  bool readable, transposed;
  int64_t leading;
} layout;

static layout layout_of(int64_t rows, int64_t columns, int64_t row, int64_t column) {
  layout l = {true, false, 0};
  if (columns == 1) column = 1; /* the stride of a single column never matters */
  if (rows == 1 && column == 1) row = columns;
  if (column == 1 && row >= columns) {
    l.leading = row;
  } else if ((row == 1 || rows == 1) && column >= rows) {
    l.transposed = true;
    l.leading = column;
  } else {
    l.readable = false;
  }
  if (l.leading > INT32_MAX) l.readable = false;
  return l;
}

static void blas_vector(const tocha_product *p, const char *a, const char *b, char *out) {
  bool by_column = p->n == 1; /* else one row of a against b */
  const char *matrix = by_column ? a : b, *vector = by_column ? b : a;
  int64_t rows = by_column ? p->m : p->n; /* of the matrix as it multiplies a column */
  layout l = by_column ? layout_of(p->m, p->k, p->a_row, p->a_column)
                       : layout_of(p->n, p->k, p->b_column, p->b_row);
  int64_t step = by_column ? p->b_row : p->a_column;
  if (p->k == 1) step = 1;
  enum CBLAS_TRANSPOSE transpose = l.transposed ? CblasTrans : CblasNoTrans;
  int stored_rows = (int)(l.transposed ? p->k : rows), columns = (int)(l.transposed ? rows : p->k);
  double alpha = tocha_scalar_real(p->alpha), beta = tocha_scalar_real(p->beta);
  if (p->dtype == TOCHA_FLOAT32)
    cblas_sgemv(CblasRowMajor, transpose, stored_rows, columns, (float)alpha, (const float *)matrix,
                (int)l.leading, (const float *)vector, (int)step, (float)beta, (float *)out, 1);
  else
    cblas_dgemv(CblasRowMajor, transpose, stored_rows, columns, alpha, (const double *)matrix,
                (int)l.leading, (const double *)vector, (int)step, beta, (double *)out, 1);
}

static void blas_one(const tocha_product *p, int64_t i) {
  int64_t item = (int64_t)tocha_dtype_size(p->dtype);
  const char *a = p->a + i * p->a_batch * item, *b = p->b + i * p->b_batch * item;
  char *out = p->out + i * p->m * p->n * item;
  if (p->n == 1 || p->m == 1) {
    blas_vector(p, a, b, out);
    return;
  }
  layout x = layout_of(p->m, p->k, p->a_row, p->a_column);
  layout y = layout_of(p->k, p->n, p->b_row, p->b_column);
  enum CBLAS_TRANSPOSE tx = x.transposed ? CblasTrans : CblasNoTrans;
  enum CBLAS_TRANSPOSE ty = y.transposed ? CblasTrans : CblasNoTrans;
  double alpha = tocha_scalar_real(p->alpha), beta = tocha_scalar_real(p->beta);
  if (p->dtype == TOCHA_FLOAT32)
    cblas_sgemm(CblasRowMajor, tx, ty, (int)p->m, (int)p->n, (int)p->k, (float)alpha,
                (const float *)a, (int)x.leading, (const float *)b, (int)y.leading, (float)beta,
                (float *)out, (int)p->n);
  else
    cblas_dgemm(CblasRowMajor, tx, ty, (int)p->m, (int)p->n, (int)p->k, alpha, (const double *)a,
                (int)x.leading, (const double *)b, (int)y.leading, beta, (double *)out, (int)p->n);
}

static void blas_part(void *user, int64_t begin, int64_t end) {
  const tocha_product *p = user;
  for (int64_t i = begin; i < end; i++) blas_one(p, i);
}

static void blas_batch(void *user) {
  const tocha_product *p = user;
  blas_part(user, 0, p->batch);
}

/* The OpenMP flavour of OpenBLAS uses as many threads as OpenMP would. */
static void blas_all(tocha_context *cx, tocha_product *p) {
  if (!tocha_with_threads(cx, blas_batch, p)) blas_batch(p);
}

/* Copies of matrices that the BLAS cannot read (rare: both strides above 1). */
static const char *make_readable(tocha_context *cx, const tocha_product *p, const char *data,
                                 int64_t batch_stride, int64_t rows, int64_t columns, int64_t row,
                                 int64_t column) {
  tocha_storage storage = {.data = (void *)data};
  int64_t sizes[3] = {p->batch, rows, columns}, strides[3] = {batch_stride, row, column};
  tocha_tensor view = {.dtype = (uint8_t)p->dtype,
                       .ndim = 3,
                       .storage = &storage,
                       .sizes = sizes,
                       .strides = strides,
                       .numel = p->batch * rows * columns,
                       .device = {TOCHA_CPU, -1}};
  tocha_tensor *copy = tocha_new(cx, 3, sizes, p->dtype, tocha_cpu());
  return copy && tocha_copy_data(cx, copy, &view) ? tocha_bytes(copy) : NULL;
}

static bool blas_product(tocha_context *cx, const tocha_product *given) {
  tocha_product p = *given;
  if (!layout_of(p.m, p.k, p.a_row, p.a_column).readable) {
    p.a = make_readable(cx, &p, p.a, p.a_batch, p.m, p.k, p.a_row, p.a_column);
    p.a_row = p.k;
    p.a_column = 1;
    p.a_batch = p.m * p.k;
  }
  if (p.a && !layout_of(p.k, p.n, p.b_row, p.b_column).readable) {
    p.b = make_readable(cx, &p, p.b, p.b_batch, p.k, p.n, p.b_row, p.b_column);
    p.b_row = p.n;
    p.b_column = 1;
    p.b_batch = p.k * p.n;
  }
  if (!p.a || !p.b) return false;
  int64_t work = p.m * p.n * p.k;
  if (p.batch > 1 && work < ((int64_t)1 << 24)) {
    int64_t grain = ((int64_t)1 << 18) / work + 1;
    return tocha_parallel_for(cx, p.batch, grain, blas_part, &p);
  }
  blas_all(cx, &p);
  return !tocha_interrupted(cx);
}

#endif

/* --- the choice -------------------------------------------------------------------------------------- */

/* An empty sum: out = beta * out. */
static bool scale_only(const tocha_product *p) {
  int64_t count = p->batch * p->m * p->n;
  double beta = tocha_scalar_real(p->beta);
  if (beta == 0) {
    memset(p->out, 0, (size_t)count * tocha_dtype_size(p->dtype));
    return true;
  }
  for (int64_t i = 0; i < count; i++) {
    if (p->dtype == TOCHA_FLOAT32)
      ((float *)p->out)[i] *= (float)beta;
    else if (p->dtype == TOCHA_FLOAT64)
      ((double *)p->out)[i] *= beta;
    else
      ((uint64_t *)p->out)[i] *= (uint64_t)(int64_t)beta;
  }
  return true;
}

bool tocha_product_run(tocha_context *cx, const tocha_product *p) {
  if (p->batch == 0 || p->m == 0 || p->n == 0) return true;
  if (p->k == 0) return scale_only(p);
#ifdef TOCHA_HAVE_BLAS
  bool fits = p->m <= INT32_MAX && p->n <= INT32_MAX && p->k <= INT32_MAX;
  bool positive = p->a_row >= 0 && p->a_column >= 0 && p->b_row >= 0 && p->b_column >= 0;
  if (p->dtype != TOCHA_INT64 && fits && positive) return blas_product(cx, p);
#endif
  return own_product(cx, p);
}

bool tocha_dot_run(tocha_context *cx, tocha_dtype dtype, int64_t n, const char *a, int64_t a_stride,
                   const char *b, int64_t b_stride, char *out) {
#ifdef TOCHA_HAVE_BLAS
  if (dtype != TOCHA_INT64 && n <= INT32_MAX && a_stride > 0 && b_stride > 0) {
    if (dtype == TOCHA_FLOAT32)
      *(float *)out =
          cblas_sdot((int)n, (const float *)a, (int)a_stride, (const float *)b, (int)b_stride);
    else
      *(double *)out =
          cblas_ddot((int)n, (const double *)a, (int)a_stride, (const double *)b, (int)b_stride);
    return true;
  }
#endif
  double sum = 0;
  uint64_t whole = 0;
  for (int64_t i = 0; i < n; i++) {
    if (dtype == TOCHA_FLOAT32)
      sum += (double)((const float *)a)[i * a_stride] * ((const float *)b)[i * b_stride];
    else if (dtype == TOCHA_FLOAT64)
      sum += ((const double *)a)[i * a_stride] * ((const double *)b)[i * b_stride];
    else
      whole += ((const uint64_t *)a)[i * a_stride] * ((const uint64_t *)b)[i * b_stride];
  }
  if (dtype == TOCHA_FLOAT32)
    *(float *)out = (float)sum;
  else if (dtype == TOCHA_FLOAT64)
    *(double *)out = sum;
  else
    *(uint64_t *)out = whole;
  return !tocha_interrupted(cx);
}
