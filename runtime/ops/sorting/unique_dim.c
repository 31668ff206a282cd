/* unique_dim.c: the distinct slices of a tensor along a dimension, in lexicographic order. */
#include <string.h>

#include "sorting/implementations.h"
#include "ops/sorting/sort.h"
#include "tensor/copy.h"
#include "tensor/parallel.h"
#include "tocha/ops/transpose.h"

/* Rows of numbers in float64 or int64, which can hold every dtype's. */
typedef struct rows {
  const double *reals; /* NULL for integers */
  const int64_t *integers;
  int64_t length;
  int64_t often; /* rows between two checks for interrupts */
} rows;

/* Compares two rows. If one of two elements is NaN the next pair decides. */
static bool is_less(const rows *r, int64_t a, int64_t b) {
  int64_t n = r->length;
  for (int64_t i = 0; i < n; i++) {
    bool less, greater;
    if (r->reals) {
      double x = r->reals[a * n + i], y = r->reals[b * n + i];
      less = x<y, greater = x> y;
    } else {
      int64_t x = r->integers[a * n + i], y = r->integers[b * n + i];
      less = x<y, greater = x> y;
    }
    if (less || greater) return less;
  }
  return false;
}

static bool is_equal(const rows *r, int64_t a, int64_t b) {
  int64_t n = r->length;
  for (int64_t i = 0; i < n; i++)
    if (r->reals ? r->reals[a * n + i] != r->reals[b * n + i]
                 : r->integers[a * n + i] != r->integers[b * n + i])
      return false;
  return true;
}

/* Sorts few rows in the steps of the C++ library. Rows with NaN have no order, so the steps decide
 * their places. */
static void insertion_sort(const rows *r, int64_t *order, int64_t n) {
  for (int64_t i = 1; i < n; i++) {
    int64_t row = order[i], at = i;
    if (is_less(r, row, order[0])) {
      memmove(order + 1, order, (size_t)i * sizeof *order);
      at = 0;
    }
    for (; at && is_less(r, row, order[at - 1]); at--) order[at] = order[at - 1];
    order[at] = row;
  }
}

enum { FEW = 16 };

/* Sorts rows by merging. spare: scratch for n numbers. Returns false if interrupted. */
static bool sort_rows(tocha_context *cx, const rows *r, int64_t *order, int64_t *spare, int64_t n) {
  if (tocha_interrupted(cx)) return false;
  if (n <= FEW) {
    insertion_sort(r, order, n);
    return true;
  }
  int64_t half = n / 2, left = 0, right = half;
  if (!sort_rows(cx, r, order, spare, half) ||
      !sort_rows(cx, r, order + half, spare + half, n - half))
    return false;
  for (int64_t i = 0; i < n; i++) {
    if (i % r->often == 0 && tocha_interrupted(cx)) return false;
    bool second = left == half || (right < n && is_less(r, order[right], order[left]));
    spare[i] = second ? order[right++] : order[left++];
  }
  memcpy(order, spare, (size_t)n * sizeof *order);
  return true;
}

bool tocha_check_unique(tocha_context *cx, const tocha_tensor *self, int64_t dim) {
  int zeros = 0;
  for (int i = 0; i < self->ndim; i++) zeros += self->sizes[i] == 0;
  if (self->sizes[dim] == 0 && zeros > 1)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Number of zero sized dimensions is more than one, so unique cannot be applied ");
  else if (self->sizes[dim] && zeros)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "There are 0 sized dimensions, and they aren't selected, so unique cannot be "
               "applied");
  return !tocha_failed(cx);
}

/* Sorts the n rows of t, which is dense. Sets *r to the rows as numbers. */
static bool order_of(tocha_context *cx, tocha_tensor *t, rows *r, int64_t *order, int64_t *spare) {
  int64_t n = t->sizes[0];
  bool real = tocha_dtype_is_floating(t->dtype);
  tocha_tensor *numbers = tocha_as_rows(cx, t, real ? TOCHA_FLOAT64 : TOCHA_INT64);
  if (!numbers) return false;
  const void *bytes = tocha_bytes(numbers);
  *r = (rows){real ? bytes : NULL, real ? NULL : bytes, t->numel / n,
              1 + TOCHA_GRAIN * n / t->numel};
  for (int64_t i = 0; i < n; i++) order[i] = i;
  return sort_rows(cx, r, order, spare, n);
}

/* Moves the first of equal rows to the front of order, counts each, and writes the index of each
 * row's representative into inverse. Returns the number of distinct rows, or 0 if interrupted. */
static int64_t number_rows(tocha_context *cx, const rows *r, int64_t *order, int64_t n,
                           int64_t *counts, int64_t *inverse) {
  int64_t found = 0;
  for (int64_t i = 0; i < n; i++) {
    if (i % r->often == 0 && tocha_interrupted(cx)) return 0;
    int64_t row = order[i];
    if (found && is_equal(r, order[found - 1], row)) {
      counts[found - 1]++;
    } else {
      counts[found] = 1;
      order[found++] = row;
    }
    inverse[row] = found - 1;
  }
  return found;
}

/* Returns the rows `which` of t, which is dense. */
static tocha_tensor *take_rows(tocha_context *cx, tocha_tensor *t, const rows *r,
                               const int64_t *which, int64_t count) {
  int64_t sizes[TOCHA_MAX_DIMS];
  memcpy(sizes, t->sizes, (size_t)t->ndim * sizeof *sizes);
  sizes[0] = count;
  tocha_tensor *out = tocha_new(cx, t->ndim, sizes, t->dtype, t->device);
  if (!out) return NULL;
  size_t bytes = (size_t)(t->numel / t->sizes[0]) * tocha_dtype_size(t->dtype);
  const char *from = tocha_bytes(t);
  char *to = tocha_bytes(out);
  for (int64_t i = 0; i < count && (i % r->often || !tocha_interrupted(cx)); i++)
    memcpy(to + (size_t)i * bytes, from + (size_t)which[i] * bytes, bytes);
  return tocha_failed(cx) ? NULL : out;
}

static bool nothing(tocha_context *cx, tocha_tensor *self, tocha_tensor **output,
                    tocha_tensor **inverse, tocha_tensor **counts) {
  int64_t none = 0;
  *output = tocha_new(cx, self->ndim, self->sizes, self->dtype, self->device);
  *inverse = tocha_new(cx, 1, &none, TOCHA_INT64, self->device);
  *counts = tocha_new(cx, 1, &none, TOCHA_INT64, self->device);
  return *output && *inverse && *counts;
}

bool tocha_op_unique_dim(tocha_context *cx, tocha_tensor *self, int64_t dim, bool sorted,
                         bool return_inverse, bool return_counts, tocha_tensor **output,
                         tocha_tensor **inverse, tocha_tensor **counts) {
  (void)sorted, (void)return_inverse, (void)return_counts; /* all results are always computed */
  if (!tocha_check_values(cx, self, "unique_dim")) return false;
  if (self->ndim == 0) {
    tocha_fail(cx, TOCHA_INDEX_ERROR, "Dimension specified as %lld but tensor has no dimensions",
               (long long)dim);
    return false;
  }
  if (!tocha_wrap_dim(cx, &dim, self->ndim) || !tocha_check_unique(cx, self, dim)) return false;
  int64_t n = self->sizes[dim], four = 4 * n;
  if (n == 0) return nothing(cx, self, output, inverse, counts);
  tocha_tensor *t = tocha_as_rows(cx, tocha_transpose(cx, self, 0, dim), TOCHA_NO_DTYPE);
  tocha_tensor *scratch = tocha_new(cx, 1, &four, TOCHA_INT64, self->device);
  if (!t || !scratch) return false;
  int64_t *order = (int64_t *)(void *)tocha_bytes(scratch), one = 1;
  rows r;
  if (!order_of(cx, t, &r, order, order + n)) return false;
  int64_t found = number_rows(cx, &r, order, n, order + 2 * n, order + 3 * n);
  tocha_tensor *kept = found ? take_rows(cx, t, &r, order, found) : NULL;
  if (!kept) return false;
  *output = tocha_transpose(cx, kept, 0, dim);
  *counts = tocha_copy_rows(cx, tocha_alias(cx, scratch, 1, &found, &one, 2 * n));
  *inverse = tocha_copy_rows(cx, tocha_alias(cx, scratch, 1, &n, &one, 3 * n));
  return *output && *inverse && *counts;
}
