/* kernels.h: the arguments of scan kernels, and the table that a device fills
 * (device/kernels.h). */
#ifndef TOCHA_SCAN_KERNELS_H
#define TOCHA_SCAN_KERNELS_H

#include "device/strided.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TOCHA_SCAN_SUM, TOCHA_SCAN_PRODUCT, TOCHA_SCAN_MAX, TOCHA_SCAN_MIN, TOCHA_SCAN_LOGSUM };

/* The arguments of a scan along n of (outer, n, inner), row-major: running sums, products, extremes
 * or, for floating point, logarithms of sums of exponentials. Elements are converted from in_dtype
 * to `compute` (float32, float64 or int64), results to out_dtype. */
typedef struct tocha_scan_args {
  const void *in;
  void *out, *indices; /* indices: int64, for MAX and MIN, of the last of equal extremes */
  void *scratch;       /* at least scan_scratch bytes */
  int64_t outer, n, inner;
  int32_t kind, compute, in_dtype, out_dtype;
  int32_t backward, rest; /* 1 to scan from the end */
} tocha_scan_args;

/* The arguments of exclusive products along n of (outer, n, inner), float64, row-major: for each
 * element i the product of all others, or, with `gradient`, the sum over k >= i of gradient[k] *
 * the product of the others up to k. */
typedef struct tocha_exclusive_product_args {
  const void *in, *gradient;
  void *out;
  int64_t outer, n, inner;
} tocha_exclusive_product_args;

typedef struct tocha_scan_kernels {
  uint64_t (*scan_scratch)(tocha_stream *stream, const tocha_scan_args *args);
  bool (*scan)(tocha_stream *stream, const tocha_scan_args *args);
  bool (*exclusive_product)(tocha_stream *stream, const tocha_exclusive_product_args *args);
} tocha_scan_kernels;

#ifdef __cplusplus
}
#endif
#endif
