/* kernels.h: the arguments of sorting and selection kernels, and the table that a device fills
 * (device/kernels.h). */
#ifndef TOCHA_SORTING_KERNELS_H
#define TOCHA_SORTING_KERNELS_H

#include "device/strided.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The arguments of a stable sort along n of (outer, n, inner), row-major. NaN is the maximum, and
 * -0 equals 0. The first `kept` of each n elements are written, to (outer, kept, inner). */
typedef struct tocha_sort_args {
  const void *in;
  void *values;     /* NULL if not needed */
  int64_t *indices; /* the elements' old positions; NULL if not needed */
  int64_t outer, n, inner, kept;
  int32_t dtype;
  int32_t bits; /* number of low bits in which keys differ; 0 for all bits of the type */
  bool descending;
  void *scratch; /* at least sort_scratch bytes */
} tocha_sort_args;

enum {
  TOCHA_SELECT_TOP,
  TOCHA_SELECT_KTH,
  TOCHA_SELECT_MEDIAN,
  TOCHA_SELECT_NANMEDIAN,
  TOCHA_SELECT_MODE
};

/* The arguments of a selection along n of (outer, n, inner), row-major: the first k in order, the
 * element of rank k (from 1), the median, or the most frequent element (the smallest of several).
 * The median is the lower of two in the middle, or NaN if there is one; NANMEDIAN ignores NaN.
 * Results are (outer, k or 1, inner). Among equal elements the CPU returns the one that the C++
 * library's algorithm finds. Other devices may return any. */
typedef struct tocha_select_args {
  const void *in;
  void *values;
  int64_t *indices;
  int64_t outer, n, inner, k;
  int32_t dtype, task;
  bool descending;
  bool sorted;   /* for TOP: if false, any order is allowed */
  void *scratch; /* at least select_scratch bytes */
} tocha_select_args;

/* The arguments of unique for a sorted row of n elements. values: receives the distinct elements
 * (size n). starts: the index in the row of the first of each, then n (size n + 1).
 * inverse[order[i]]: the index in values of element i (NULL if not needed). count: receives the
 * number of distinct elements. NaN never equals NaN. */
typedef struct tocha_unique_args {
  const void *sorted;
  const int64_t *order;
  void *values;
  int64_t *starts, *inverse, *count;
  int64_t n;
  int32_t dtype;
  void *scratch; /* at least unique_scratch bytes */
} tocha_unique_args;

/* The arguments of a histogram: counts[bin] += 1 for the elements within low..high, with bins of
 * equal width. */
typedef struct tocha_histogram_args {
  const void *in;
  int64_t *counts;
  int64_t n, bins;
  double low, high;
  int32_t dtype;
} tocha_histogram_args;

/* The arguments of a range: range[0] and range[1] become the minimum and maximum of n > 0
 * integers. */
typedef struct tocha_integer_range_args {
  const int64_t *in;
  int64_t *range;
  int64_t n;
} tocha_integer_range_args;

/* The arguments of a search. out[i]: the number of elements of the sorted row of `length` that are
 * less than wanted[i] (right: or equal to it). The row is rows[i / count], or a single one if
 * `shared`. Elements are float64 (real) or int64. order: sorts a row that is not sorted itself, or
 * NULL. If `found` is not NULL, out is not written: found[i] tells if wanted[i] is in its row, or
 * is not (invert). NaN never is, and comes last in the row. */
typedef struct tocha_search_args {
  const void *rows, *wanted;
  const int64_t *order;
  int64_t *out;
  bool *found;
  int64_t n, length, count;
  bool real, right, shared, invert;
} tocha_search_args;

typedef struct tocha_sorting_kernels {
  uint64_t (*sort_scratch)(tocha_stream *stream, const tocha_sort_args *args);
  bool (*sort)(tocha_stream *stream, const tocha_sort_args *args); /* sorts dense rows */
  uint64_t (*select_scratch)(tocha_stream *stream, const tocha_select_args *args);
  bool (*select)(tocha_stream *stream, const tocha_select_args *args); /* elements by rank */
  uint64_t (*unique_scratch)(tocha_stream *stream, const tocha_unique_args *args);
  bool (*unique)(tocha_stream *stream, const tocha_unique_args *args);
  bool (*histogram)(tocha_stream *stream, const tocha_histogram_args *args);
  bool (*integer_range)(tocha_stream *stream, const tocha_integer_range_args *args);
  bool (*search)(tocha_stream *stream, const tocha_search_args *args);
} tocha_sorting_kernels;

#ifdef __cplusplus
}
#endif
#endif
