/* small.c: the sums of small.h. For fewer than 4 rows or 12 columns MKL has special loops on processors that are not Intel's.
 * Products are rounded before they are added (no FMA). Sums have four lanes if both operands are contiguous along the sum;
 * otherwise terms are added one after the other. The terms before a multiple of 16 bytes are added first. The order of each sum
 * was found by adding numbers that swallow others (FPRev, arXiv 2411.00442). */
#include "ops/matmul/cpu/digits/small.h"

#include <string.h>

#include "ops/matmul/cpu/digits/small_avx512.h"

#if defined(__x86_64__)

enum { MIN_ROWS = 4, MIN_COLUMNS = 12, LANES = 4, PAIR = 2 * LANES };

typedef float lanes __attribute__((vector_size(LANES * sizeof(float))));

static inline lanes load(const float *p) {
  lanes v;
  memcpy(&v, p, sizeof v);
  return v;
}

static inline float across(lanes s) { return (s[0] + s[2]) + (s[1] + s[3]); }

/* Returns the number of floats from the last multiple of 16 bytes to p. */
static inline int64_t beyond(const float *p) {
  return (int64_t)((uintptr_t)p / sizeof(float) % LANES);
}

/* --- both operands contiguous along the sum --------------------------------------------------------------------- */

/* Returns the inner product of x and y (k): the first `lead` terms, then eight at a time in two registers, then the rest. */
static float dot_by_pairs(const float *x, const float *y, int64_t k, int64_t lead) {
  if (k - lead < PAIR) return tocha_terms_added(0, x, y, 0, k);
  lanes first = {tocha_terms_added(0, x, y, 0, lead)}, second = {0};
  int64_t p = lead;
  for (; p + PAIR <= k; p += PAIR) {
    first += load(x + p) * load(y + p);
    second += load(x + p + LANES) * load(y + p + LANES);
  }
  return tocha_terms_added(across(first + second), x, y, p, k);
}

/* Returns the inner product of x and y (k), with eight terms at a time in one register. */
static float dot_in_turn(const float *x, const float *y, int64_t k, int64_t lead) {
  if (k - lead < PAIR) return tocha_terms_added(0, x, y, 0, k);
  lanes sum = {tocha_terms_added(0, x, y, 0, lead)};
  int64_t p = lead;
  for (; p + PAIR <= k; p += PAIR) {
    sum += load(x + p) * load(y + p);
    sum += load(x + p + LANES) * load(y + p + LANES);
  }
  return tocha_terms_added(across(sum), x, y, p, k);
}

/* Computes four inner products (k), each in one register: x with four rows. */
static void four_dots(const float *x, const float *rows, int64_t ld, int64_t k, int64_t lead,
                      float *sums) {
  const float *y[4] = {rows, rows + ld, rows + 2 * ld, rows + 3 * ld};
  if (k - lead < LANES) lead = k;
  for (int r = 0; r < 4; r++) sums[r] = tocha_terms_added(0, x, y[r], 0, lead);
  if (lead == k) return;
  lanes s0 = {sums[0]}, s1 = {sums[1]}, s2 = {sums[2]}, s3 = {sums[3]};
  int64_t p = lead;
  for (; p + LANES <= k; p += LANES) {
    lanes v = load(x + p);
    s0 += v * load(y[0] + p);
    s1 += v * load(y[1] + p);
    s2 += v * load(y[2] + p);
    s3 += v * load(y[3] + p);
  }
  lanes all[4] = {s0, s1, s2, s3};
  for (int r = 0; r < 4; r++) sums[r] = tocha_terms_added(across(all[r]), x, y[r], p, k);
}

static inline void put(float *out, float sum, bool add) { *out = add ? sum + *out : sum; }

/* Multiplies a matrix (count, k), whose rows are ld elements apart, by a vector (k). */
static void times_vector(const float *matrix, int64_t ld, const float *x, int64_t count, int64_t k,
                         float *out, bool add) {
  int64_t j = 0, lead = LANES - beyond(x);
  for (; j + 4 <= count; j += 4) {
    const float *rows = matrix + j * ld;
    float sums[4];
    four_dots(x, rows, ld, k, LANES - beyond(rows + 3 * ld), sums);
    for (int r = 0; r < 4; r++) put(out + j + r, sums[r], add);
  }
  for (int64_t first = j; j < count; j++) {
    const float *y = matrix + j * ld;
    put(out + j, j == first + 1 ? dot_in_turn(x, y, k, lead) : dot_by_pairs(x, y, k, lead), add);
  }
}

/* Multiplies a row of a (k) by b (k, n), whose columns are contiguous. */
static void row_times_transposed(const tocha_gemm_args *g, const float *a, const float *b,
                                 float *out, bool add) {
  int64_t j = 0, lead = -beyond(a) & (LANES - 1);
  for (; j + 4 <= g->n; j += 4) {
    float sums[4];
    four_dots(a, b + j * g->ldb, g->ldb, g->k, lead, sums);
    for (int r = 0; r < 4; r++) put(out + j + r, sums[r], add);
  }
  for (; j < g->n; j++) put(out + j, dot_by_pairs(a, b + j * g->ldb, g->k, lead), add);
}

/* Multiplies rows of a, in fours, by b (k, n), whose columns are contiguous. The rows are `step` rows apart and all have the
 * same offset from a multiple of 16 bytes. Returns the number of rows done. */
static int64_t many_rows(const tocha_small_avx512_loops *loops, const tocha_gemm_args *g,
                         const float *a, int64_t step, int64_t rows, const float *b, float *out,
                         bool add) {
  _Alignas(64) float panel[TOCHA_SMALL_AVX512_TERMS * 4];
  tocha_small_avx512_rows four = {.k = g->k, .lead = -beyond(a) & (LANES - 1), .add = add};
  int64_t many = rows / 4 * 4;
  for (int64_t j = 0, count; many && j < g->n; j += count) {
    const float *columns = b + j * g->ldb;
    count = g->n - j >= 4 ? 4 : g->n - j > 1 ? 2 : 1;
    if (count == 4)
      loops->pack(columns, g->ldb, g->k, four.lead, panel);
    else
      loops->pack_pair(columns, g->ldb, count, g->k, four.lead, panel);
    for (int64_t i = 0; i < many; i += 4) {
      for (int64_t r = 0; r < 4; r++) {
        four.x[r] = a + (i + r) * step * g->lda;
        four.out[r] = out + (i + r) * step * g->n + j;
      }
      if (count == 4)
        loops->dots(&four, columns, g->ldb, panel);
      else
        loops->dots_by_pairs(&four, columns, g->ldb, count, panel);
    }
  }
  return many;
}

/* Multiplies a (m, k) by b (k, n), whose columns are contiguous. */
static void times_transposed(tocha_isa isa, const tocha_gemm_args *g, const float *a,
                             const float *b, float *out, bool add) {
  const tocha_small_avx512_loops *loops = tocha_small_avx512_loops_table[isa];
  bool few = !loops->dots || g->m < 4 || g->k < 2 * PAIR || g->k > TOCHA_SMALL_AVX512_TERMS;
  int64_t step = g->lda % 4 == 0 ? 1 : g->lda % 2 == 0 ? 2 : 4;
  for (int64_t first = 0; first < step && first < g->m; first++) {
    int64_t rows = (g->m - first + step - 1) / step, i = 0;
    const float *x = a + first * g->lda;
    float *to = out + first * g->n;
    if (!few) i = many_rows(loops, g, x, step, rows, b, to, add);
    for (; i < rows; i++)
      row_times_transposed(g, x + i * step * g->lda, b, to + i * step * g->n, add);
  }
}

/* --- one term after the other ------------------------------------------------------------------------------ */

/* The sum of k vectors, `step` elements apart, times k factors, which is written to out. */
typedef struct sum {
  const float *vectors, *factors;
  int64_t step, factor_step, k, out_step;
  bool before, after; /* out is added first, or last */
} sum;

static void store_lanes(const sum *s, float *out, lanes total) {
  for (int q = 0; q < LANES; q++) put(out + q * s->out_step, total[q], s->after);
}

static lanes load_lanes(const sum *s, const float *out) {
  lanes v = {0};
  if (s->before)
    for (int q = 0; q < LANES; q++) v[q] = out[q * s->out_step];
  return v;
}

static void sum_sixteen(const sum *s, const float *v, float *out) {
  int64_t next = LANES * s->out_step;
  lanes s0 = load_lanes(s, out), s1 = load_lanes(s, out + next);
  lanes s2 = load_lanes(s, out + 2 * next), s3 = load_lanes(s, out + 3 * next);
  for (int64_t p = 0; p < s->k; p++, v += s->step) {
    float f = s->factors[p * s->factor_step];
    s0 += f * load(v);
    s1 += f * load(v + LANES);
    s2 += f * load(v + 2 * LANES);
    s3 += f * load(v + 3 * LANES);
  }
  store_lanes(s, out, s0);
  store_lanes(s, out + next, s1);
  store_lanes(s, out + 2 * next, s2);
  store_lanes(s, out + 3 * next, s3);
}

static void sum_four(const sum *s, const float *v, float *out) {
  lanes total = load_lanes(s, out);
  for (int64_t p = 0; p < s->k; p++, v += s->step)
    total += s->factors[p * s->factor_step] * load(v);
  store_lanes(s, out, total);
}

static void sum_one(const sum *s, const float *v, float *out) {
  float total = s->before ? *out : 0;
  for (int64_t p = 0; p < s->k; p++) total += s->factors[p * s->factor_step] * v[p * s->step];
  put(out, total, s->after);
}

/* Computes one element as sum_one does, but of each eight terms adds the last four to a sum of their own first. */
static void sum_one_by_fours(const sum *s, const float *v, float *out) {
  float total = s->before ? *out : 0;
  int64_t p = 0;
  for (; p + PAIR <= s->k; p += PAIR) {
    const float *f = s->factors + p * s->factor_step, *w = v + p * s->step;
    float others = f[4 * s->factor_step] * w[4 * s->step];
    for (int q = 0; q < 4; q++) total += f[q * s->factor_step] * w[q * s->step];
    for (int q = 5; q < PAIR; q++) others += f[q * s->factor_step] * w[q * s->step];
    total += others;
  }
  for (; p < s->k; p++) total += s->factors[p * s->factor_step] * v[p * s->step];
  *out = total;
}

static void sum_all(const sum *s, const float *vectors, int64_t count, float *out) {
  int64_t j = 0;
  for (; j + 16 <= count; j += 16) sum_sixteen(s, vectors + j, out + j * s->out_step);
  for (; j + LANES <= count; j += LANES) sum_four(s, vectors + j, out + j * s->out_step);
  for (; j < count; j++) sum_one(s, vectors + j, out + j * s->out_step);
}

/* Returns the number of columns of a row of out that come before a multiple of 16 bytes and are added by fours. */
static int64_t led_columns(const tocha_gemm_args *g, const float *out) {
  int64_t lead = g->m > 1 ? -beyond(out) & (LANES - 1) : 0;
  return g->n - lead < LANES ? 0 : lead;
}

/* Computes a few rows of many columns. */
static void few_rows(const tocha_small_avx512_loops *loops, const tocha_small_avx512_product *p,
                     const tocha_gemm_args *g) {
  float led[MIN_ROWS][LANES];
  for (int64_t i = 0; i < p->m; i++) {
    sum s = {p->b, p->a + i * p->a_row, p->ldb, p->a_column, p->k, 1, p->add, false};
    float *out = p->out + i * p->n;
    for (int64_t j = 0; j < led_columns(g, out); j++) {
      led[i][j] = out[j];
      sum_one_by_fours(&s, p->b + j, &led[i][j]);
    }
  }
  loops->by_terms(p);
  for (int64_t i = 0; i < p->m; i++)
    for (int64_t j = 0; j < led_columns(g, p->out + i * p->n); j++)
      p->out[i * p->n + j] = led[i][j];
}

/* Multiplies a (m, k) by b (k, n), whose rows are contiguous. */
static void times_rows(tocha_isa isa, const tocha_gemm_args *g, const float *a, const float *b,
                       float *out, bool add) {
  const tocha_small_avx512_loops *loops = tocha_small_avx512_loops_table[isa];
  int64_t a_row = g->a_transposed ? 1 : g->lda, a_column = g->a_transposed ? g->lda : 1;
  tocha_small_avx512_product p = {a, b, out, g->m, g->n, g->k, a_row, a_column, g->ldb, add};
  if (loops->by_rows) {
    if (g->m < MIN_ROWS)
      few_rows(loops, &p, g);
    else
      loops->by_rows(&p);
    return;
  }
  for (int64_t i = 0; i < g->m; i++, a += a_row, out += g->n) {
    sum s = {b, a, g->ldb, a_column, g->k, 1, add, false};
    int64_t lead = led_columns(g, out);
    for (int64_t j = 0; j < lead; j++) sum_one_by_fours(&s, b + j, out + j);
    sum_all(&s, b + lead, g->n - lead, out + lead);
  }
}

/* Multiplies a (m, k), whose columns are contiguous, by b (k, n), one column of out at a time. */
static void columns_times(tocha_isa isa, const tocha_gemm_args *g, const float *a, const float *b,
                          float *out, bool add) {
  int64_t b_row = g->b_transposed ? 1 : g->ldb, b_column = g->b_transposed ? g->ldb : 1;
  const tocha_small_avx512_loops *loops = tocha_small_avx512_loops_table[isa];
  if (g->n == 1 && loops->by_terms) {
    loops->by_terms(&(tocha_small_avx512_product){b, a, out, 1, g->m, g->k, 0, b_row, g->lda, add});
    return;
  }
  for (int64_t j = 0; j < g->n; j++) {
    bool single = g->n == 1;
    sum s = {a, b + j * b_column, g->lda, b_row, g->k, g->n, add && single, add && !single};
    sum_all(&s, a, g->m, out + j);
  }
}

/* --- choice ------------------------------------------------------------------------------------- */

static void multiply(tocha_isa isa, const tocha_gemm_args *g, const float *a, const float *b,
                     float *out) {
  bool add = tocha_scalar_real(g->beta) != 0;
  if (g->m == 1 && g->b_transposed)
    times_vector(b, g->ldb, a, g->n, g->k, out, add);
  else if (g->n == 1 && g->m > 1 && !g->a_transposed)
    times_vector(a, g->lda, b, g->m, g->k, out, add);
  else if (g->a_transposed && (g->b_transposed || g->n == 1))
    columns_times(isa, g, a, b, out, add);
  else if (g->b_transposed)
    times_transposed(isa, g, a, b, out, add);
  else
    times_rows(isa, g, a, b, out, add);
}

/* Returns true if the operands that are vectors are contiguous. The BLAS computes the others. */
static bool are_dense(const tocha_gemm_args *g) {
  if (g->m == 1 && g->a_transposed) return false;
  return g->n > 1 || g->b_transposed || g->ldb == 1;
}

/* Returns the number of multiply-adds from which on the BLAS computes the product: large products are divided among threads,
 * and the BLAS is much faster for some shapes. */
static int64_t max_work(const tocha_gemm_args *g) {
  if (g->m < MIN_ROWS || g->n == 1) return 1 << 22;
  if (!g->b_transposed) return 1 << 17;
  return g->a_transposed ? 1 << 14 : 1 << 22;
}

bool tocha_small_takes(const tocha_gemm_args *g) {
  double beta = tocha_scalar_real(g->beta);
  return (g->m < MIN_ROWS || g->n < MIN_COLUMNS) && g->dtype == TOCHA_FLOAT32 && g->k > 1 &&
         g->m * g->n * g->k < max_work(g) && are_dense(g) && tocha_scalar_real(g->alpha) == 1 &&
         (beta == 0 || beta == 1) && !__builtin_cpu_is("intel");
}

bool tocha_small_takes_dot(const tocha_dot_args *args) {
  enum { MAX_N = 1 << 16 };
  return args->dtype == TOCHA_FLOAT32 && args->n <= MAX_N && args->a_stride == 1 &&
         args->b_stride == 1 && !beyond(args->a) && !beyond(args->b) && !__builtin_cpu_is("intel");
}

static inline lanes product(const float *x, const float *y) { return load(x) * load(y); }

float tocha_small_dot(const tocha_dot_args *args) {
  const float *x = args->a, *y = args->b;
  lanes s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
  int64_t n = args->n;
  for (; n >= 4 * LANES; n -= 4 * LANES, x += 4 * LANES, y += 4 * LANES) {
    s0 += product(x, y);
    s1 += product(x + LANES, y + LANES);
    s2 += product(x + 2 * LANES, y + 2 * LANES);
    s3 += product(x + 3 * LANES, y + 3 * LANES);
  }
  if (n >= PAIR) {
    s0 += product(x, y);
    s1 += product(x + LANES, y + LANES);
    n -= PAIR, x += PAIR, y += PAIR;
  }
  if (n >= LANES) {
    s0 += product(x, y);
    n -= LANES, x += LANES, y += LANES;
  }
  s0[0] = tocha_terms_added(s0[0], x, y, 0, n);
  return across(s0 + s1 + s2 + s3);
}

void tocha_small_gemm(tocha_isa isa, const tocha_gemm_args *g, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; i++)
    multiply(isa, g, (const float *)g->a + i * g->a_batch_stride,
             (const float *)g->b + i * g->b_batch_stride, (float *)g->out + i * g->m * g->n);
}

#else

bool tocha_small_takes_dot(const tocha_dot_args *args) {
  (void)args;
  return false;
}

float tocha_small_dot(const tocha_dot_args *args) {
  (void)args;
  return 0;
}

bool tocha_small_takes(const tocha_gemm_args *args) {
  (void)args;
  return false;
}

void tocha_small_gemm(tocha_isa isa, const tocha_gemm_args *args, int64_t begin, int64_t end) {
  (void)isa, (void)args, (void)begin, (void)end;
}

#endif
