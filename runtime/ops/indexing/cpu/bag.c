/* bag.c: the loops of bag.h. */
#include "ops/indexing/cpu/bag.h"

#include <string.h>

#include "tensor/math/scalar_math.h" /* included before `value` becomes a type */

#include "tensor/cpu/element.h"
#include "tensor/loops.h"

/* BLOCK: columns that are summed at a time. LANES: sums side by side. AHEAD: rows are prefetched so many indices ahead. LINE:
 * elements of a cache line. */
enum { BLOCK = 64, LANES = 16, AHEAD = 24, LINE = 64 / sizeof(T) };

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* Returns the row of index i, or -1 if it is padding. Indices were checked, but another thread may have written to them since.
 * An index that is out of range counts as padding, too. */
static inline int64_t row_of(const tocha_bag_args *a, int64_t i) {
  int64_t row = a->indices[i];
  return row >= 0 && row < a->rows && row != a->padding ? row : -1;
}

/* Returns the number of indices of a bag that count. */
static int64_t size_of(const tocha_bag_args *a, int64_t bag) {
  int64_t size = 0, begin = TOCHA_BAG_BEGIN(*a, bag), end = TOCHA_BAG_END(*a, bag);
  if (a->padding < 0) return end > begin ? end - begin : 0;
  for (int64_t i = begin; i < end; i++) size += row_of(a, i) >= 0;
  return size;
}

static inline void add_row(value *restrict sum, const T *restrict row, int64_t n, value scale,
                           bool fused) {
  if (fused)
    for (int64_t c = 0; c < n; c++) sum[c] = FMA(scale, value_of(row[c]), sum[c]);
  else
    for (int64_t c = 0; c < n; c++) sum[c] += scale * value_of(row[c]);
}

static inline void fetch_row(const T *row, int64_t n) {
  for (int64_t c = 0; c < n; c += LINE) __builtin_prefetch(row + c);
}

/* Rounds a sum to T. PyTorch's kernel for bags without padding rounds bfloat16's halves up. */
static T rounded_sum(value sum, bool fused) {
#ifdef TOCHA_LOOPS_bfloat16
  uint32_t bits;
  memcpy(&bits, &sum, sizeof bits);
  if (fused && sum - sum == 0) return (T)((bits + 0x8000) >> 16);
#endif
  (void)fused;
  return element_of_value(sum);
}

/* Sums n columns of the rows of a bag into sums (n). table begins at the first column. */
static inline void sum_rows(const tocha_bag_args *a, int64_t bag, const T *table, int64_t n,
                            value *restrict sums) {
  int64_t end = TOCHA_BAG_END(*a, bag);
  const T *scales = a->scales;
  for (int64_t c = 0; c < n; c++) sums[c] = 0;
  for (int64_t i = TOCHA_BAG_BEGIN(*a, bag); i < end; i++) {
    int64_t at = row_of(a, i), next = i + AHEAD < a->n ? row_of(a, i + AHEAD) : -1;
    if (next >= 0) fetch_row(table + next * a->columns, n);
    if (at < 0) continue;
    const T *row = table + at * a->columns;
    if (scales)
      add_row(sums, row, n, value_of(scales[i]), a->fused);
    else
      for (int64_t c = 0; c < n; c++) sums[c] += value_of(row[c]);
  }
}

/* Writes sums (n) to out. A sum is rounded to T before it is divided. */
static inline void write_sums(T *restrict out, const value *restrict sums, int64_t n, bool fused,
                              value divisor) {
  if (divisor == 1)
    for (int64_t c = 0; c < n; c++) out[c] = rounded_sum(sums[c], fused);
  else
    for (int64_t c = 0; c < n; c++)
      out[c] = element_of_value(value_of(rounded_sum(sums[c], fused)) / divisor);
}

static void sum_block(const tocha_bag_args *a, int64_t bag, int64_t column, value divisor) {
  value sums[BLOCK];
  int64_t n = smaller(BLOCK, a->columns - column);
  const T *table = (const T *)a->table + column;
  T *out = (T *)a->out + bag * a->columns + column;
  if (n == BLOCK) { /* a constant, so that the sums stay in registers */
    sum_rows(a, bag, table, BLOCK, sums);
    write_sums(out, sums, BLOCK, a->fused, divisor);
  } else {
    sum_rows(a, bag, table, n, sums);
    write_sums(out, sums, n, a->fused, divisor);
  }
}

static void sum(const tocha_bag_args *a, int64_t begin, int64_t end) {
  for (int64_t bag = begin; bag < end; bag++) {
    int64_t size = a->sizes ? size_of(a, bag) : 0;
    value divisor = 1;
    if (a->sizes) a->sizes[bag] = size;
    if (a->mode == TOCHA_BAG_MEAN && size > 1) divisor = value_of(element_of_double((double)size));
    for (int64_t c = 0; c < a->columns; c += BLOCK) sum_block(a, bag, c, divisor);
  }
}

/* Computes the maxima of a bag (columns) and the rows they come from, the first of equal ones. A NaN is kept only if it is in
 * the first row. */
static void maxima_of(const tocha_bag_args *a, int64_t bag) {
  T *out = (T *)a->out + bag * a->columns;
  int64_t *from = a->from + bag * a->columns, end = TOCHA_BAG_END(*a, bag), size = 0;
  memset(out, 0, (size_t)a->columns * sizeof *out);
  memset(from, 0, (size_t)a->columns * sizeof *from);
  for (int64_t i = TOCHA_BAG_BEGIN(*a, bag); i < end; i++) {
    int64_t row = row_of(a, i);
    if (row < 0) continue;
    const T *values = (const T *)a->table + row * a->columns;
    bool first = size++ == 0;
    for (int64_t c = 0; c < a->columns; c++) {
      bool takes = first || value_of(values[c]) > value_of(out[c]);
      out[c] = takes ? values[c] : out[c];
      from[c] = takes ? row : from[c];
    }
  }
  a->sizes[bag] = size;
}

static void maxima(const tocha_bag_args *a, int64_t begin, int64_t end) {
  for (int64_t bag = begin; bag < end; bag++) maxima_of(a, bag);
}

/* Adds scale * grad (n) to `to`. 16-bit types are rounded after the product and after the sum. */
static void add_scaled(T *restrict to, const T *restrict grad, int64_t n, value scale) {
#if defined(TOCHA_LOOPS_float32) || defined(TOCHA_LOOPS_float64)
  for (int64_t c = 0; c < n; c++) to[c] = FMA(scale, grad[c], to[c]);
#else
  for (int64_t c = 0; c < n; c++)
    to[c] =
        element_of_value(value_of(to[c]) + value_of(element_of_value(scale * value_of(grad[c]))));
#endif
}

static bool has_bag(const tocha_bag_args *a, int64_t i) {
  return a->bag_of[i] >= 0 && a->bag_of[i] < a->bags;
}

static void add(const tocha_bag_args *a, int64_t begin, int64_t end) {
  T *out = a->out;
  const T *grad = a->grad, *scales = a->scales;
  memset(out + begin * a->columns, 0, (size_t)((end - begin) * a->columns) * sizeof *out);
  for (int64_t i = 0; i < a->n; i++) {
    int64_t row = row_of(a, i), bag = a->bag_of[i];
    if (row < begin || row >= end || !has_bag(a, i)) continue;
    double scale = scales ? (double)value_of(scales[i]) : 1;
    if (a->counts) scale /= (double)a->counts[row];
    if (a->mode == TOCHA_BAG_MEAN && a->sizes[bag] > 0) scale /= (double)a->sizes[bag];
    add_scaled(out + row * a->columns, grad + bag * a->columns, a->columns,
               value_of(element_of_double(scale)));
  }
}

static value dot_of(const T *x, const T *y, int64_t n) {
  value sums[LANES] = {0}, all = 0;
  int64_t c = 0;
  for (; c + LANES <= n; c += LANES)
    for (int k = 0; k < LANES; k++) sums[k] = FMA(value_of(x[c + k]), value_of(y[c + k]), sums[k]);
  for (; c < n; c++) sums[0] = FMA(value_of(x[c]), value_of(y[c]), sums[0]);
  for (int k = 0; k < LANES; k++) all += sums[k];
  return all;
}

static void dot(const tocha_bag_args *a, int64_t begin, int64_t end) {
  const T *table = a->table, *grad = a->grad;
  T *out = a->out;
  for (int64_t i = begin; i < end; i++) {
    int64_t row = has_bag(a, i) ? row_of(a, i) : -1;
    out[i] = element_of_value(
        row < 0 ? 0
                : dot_of(table + row * a->columns, grad + a->bag_of[i] * a->columns, a->columns));
  }
}

const tocha_bag_loops TOCHA_LOOPS(bag) = {.sum = sum, .maxima = maxima, .add = add, .dot = dot};
