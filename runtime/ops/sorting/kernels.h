/* kernels.h: the kernels of sorting and selection: what they are given, and the table that a device fills (device/kernels.h). */
#ifndef TOCHA_SORTING_KERNELS_H
#define TOCHA_SORTING_KERNELS_H

#include "device/strided.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Along n of (outer, n, inner), row-major: in order, stable; NaN is the greatest, -0 equals 0. The first
 * `kept` of each n are written, to (outer, kept, inner). */
typedef struct tocha_sort_args {
  const void *in;
  void *values;     /* NULL: not wanted */
  int64_t *indices; /* where they were; NULL: not wanted */
  int64_t outer, n, inner, kept;
  int32_t dtype;
  int32_t bits; /* of the key that differ, from the lowest; 0: all of the type */
  bool descending;
  void *scratch; /* as many bytes as sort_scratch says */
} tocha_sort_args;

enum {
  TOCHA_SELECT_TOP,
  TOCHA_SELECT_KTH,
  TOCHA_SELECT_MEDIAN,
  TOCHA_SELECT_NANMEDIAN,
  TOCHA_SELECT_MODE
};

/* Along n of (outer, n, inner), row-major: the first k in order, or the one at place k (from 1), or the
 * median's, or the most frequent (the smallest of several). The median is the lower of two in the middle, or
 * NaN, or that of the others (NANMEDIAN). To (outer, k or 1, inner). Which of equal elements it is follows from
 * the algorithm: the CPU has the one of C++'s library, other devices may name any. */
typedef struct tocha_select_args {
  const void *in;
  void *values;
  int64_t *indices;
  int64_t outer, n, inner, k;
  int32_t dtype, task;
  bool descending;
  bool sorted;   /* TOP: false: any order will do */
  void *scratch; /* as many bytes as select_scratch says */
} tocha_select_args;

/* The different elements of a sorted row of n: to values (room for n); starts: where the equals of each
 * begin in the row, and n at last (room for n + 1); inverse[order[i]]: which of them element i is (NULL: not wanted);
 * count: how many there are. NaN never equals NaN. */
typedef struct tocha_unique_args {
  const void *sorted;
  const int64_t *order;
  void *values;
  int64_t *starts, *inverse, *count;
  int64_t n;
  int32_t dtype;
  void *scratch; /* as many bytes as unique_scratch says */
} tocha_unique_args;

/* counts[bin] += 1 for the elements from low to high, in equal bins. */
typedef struct tocha_histogram_args {
  const void *in;
  int64_t *counts;
  int64_t n, bins;
  double low, high;
  int32_t dtype;
} tocha_histogram_args;

/* range[0], range[1]: the least and the greatest of n > 0 integers. */
typedef struct tocha_integer_range_args {
  const int64_t *in;
  int64_t *range;
  int64_t n;
} tocha_integer_range_args;

/* out[i]: how many elements of its sorted row of `length` come before wanted[i] (right: or equal it); rows[i / count], or one
 * for all (shared). Elements are float64 (real) or int64. order: where the elements of a row that is not sorted itself lie;
 * NULL where it is. found, where not NULL: whether wanted[i] is in its row (NaN never is, and stands last there), or is not
 * (invert); out is then not written. */
typedef struct tocha_search_args {
  const void *rows, *wanted;
  const int64_t *order;
  int64_t *out;
  bool *found;
  int64_t n, length, count;
  bool real, right, shared, invert;
} tocha_search_args;

typedef struct tocha_sorting_kernels {
  size_t (*sort_scratch)(tocha_stream *stream, const tocha_sort_args *args);
  bool (*sort)(tocha_stream *stream, const tocha_sort_args *args); /* dense rows in order */
  size_t (*select_scratch)(tocha_stream *stream, const tocha_select_args *args);
  bool (*select)(tocha_stream *stream, const tocha_select_args *args); /* elements by rank */
  size_t (*unique_scratch)(tocha_stream *stream, const tocha_unique_args *args);
  bool (*unique)(tocha_stream *stream, const tocha_unique_args *args);
  bool (*histogram)(tocha_stream *stream, const tocha_histogram_args *args);
  bool (*integer_range)(tocha_stream *stream, const tocha_integer_range_args *args);
  bool (*search)(tocha_stream *stream, const tocha_search_args *args);
} tocha_sorting_kernels;

#ifdef __cplusplus
}
#endif
#endif
