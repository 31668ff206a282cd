/* kernels.h: the kernels of sorting and selection: what they are given, and the table that a device fills (device/kernels.h). */
#ifndef TOCHA_SORTING_KERNELS_H
#define TOCHA_SORTING_KERNELS_H

#include "device/strided.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  TOCHA_SORT_BLOCK = 2048, /* rows up to this length are sorted by one block */
  TOCHA_SORT_TILE = 2048,  /* keys a block moves in one pass of the radix sort, ... */
  TOCHA_SORT_CHUNK = 64,   /* tiles whose counts one block adds up, ... */
  TOCHA_SORT_DIGITS = 256, /* and values of a digit */
  TOCHA_SELECT_MOST = 1024 /* elements select_rows finds of a row */
};

/* Dense rows in order, stable; NaN is the greatest, -0 equals 0. kept of each row are written. */
typedef struct tocha_sort_args {
  const void *in;
  void *values;     /* NULL: not wanted */
  int64_t *indices; /* where they were in their row */
  int64_t rows, n, kept;
  int32_t dtype;
  int32_t bits; /* of the key that differ, from the lowest; 0: all of the type */
  bool descending;
  /* n > TOCHA_SORT_BLOCK: workspace. counts: a digit's for each tile, then for each chunk, then for
   * each row */
  void *keys[2];      /* rows * n of 4 bytes, or 8 for 64-bit types */
  uint32_t *order[2]; /* rows * n */
  uint32_t *counts;
} tocha_sort_args;

enum {
  TOCHA_SELECT_TOP,
  TOCHA_SELECT_KTH,
  TOCHA_SELECT_MEDIAN,
  TOCHA_SELECT_NANMEDIAN,
  TOCHA_SELECT_MODE
};

/* Of dense rows the first k in order, or the one at place k (from 1), or the median's, or the most
 * frequent (the smallest of several; its last place). sorted: the order of each row, or NULL: then
 * k is at most TOCHA_SELECT_MOST for TOP, and MODE cannot be had. */
typedef struct tocha_select_args {
  const void *in;
  const int64_t *sorted;
  void *values;
  int64_t *indices;
  int64_t rows, n, k;
  int32_t dtype, task;
  bool descending;
} tocha_select_args;

/* counts[bin] += 1 for the elements from low to high, in equal bins. */
typedef struct tocha_histogram_args {
  const void *in;
  int64_t *counts;
  int64_t n, bins;
  double low, high;
  int32_t dtype;
} tocha_histogram_args;

typedef struct tocha_sorting_kernels {
  bool (*sort)(tocha_stream *stream, const tocha_sort_args *args); /* dense rows in order */
  bool (*select)(tocha_stream *stream,
                 const tocha_select_args *args); /* elements of rows by rank */
  bool (*histogram)(tocha_stream *stream,
                    const tocha_histogram_args *args); /* reductions, scans, softmax, losses */
} tocha_sorting_kernels;

#ifdef __cplusplus
}
#endif
#endif
