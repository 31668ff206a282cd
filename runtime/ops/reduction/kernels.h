/* kernels.h: the arguments of reduction kernels, and the table that a device fills
 * (device/kernels.h). */
#ifndef TOCHA_REDUCTION_KERNELS_H
#define TOCHA_REDUCTION_KERNELS_H

#include "device/strided.h"
#include "tocha/types.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TOCHA_REDUCE_MAX_DIMS = 64 };

/* The kind of a reduction, which selects its kernel. */
enum {
  TOCHA_REDUCE_ROW,      /* generated from the row */
  TOCHA_REDUCE_NORM,     /* generated from the row, except on the CPU */
  TOCHA_REDUCE_POSITION, /* the extreme in out, the index of its first occurrence in second */
  TOCHA_REDUCE_VARIANCE, /* the variance, divided by (count - number), in out; the mean in second */
  TOCHA_REDUCE_LOG_SUM_EXP
};

enum { TOCHA_FINISH_NONE, TOCHA_FINISH_ROOT }; /* of TOCHA_REDUCE_VARIANCE */

/* The dtype of results. */
enum {
  TOCHA_RESULT_SAME,
  TOCHA_RESULT_WIDENED,  /* int64 for bool and integers, else the same dtype */
  TOCHA_RESULT_FLOATING, /* the same dtype, which must be floating point */
  TOCHA_RESULT_INT64,
  TOCHA_RESULT_TRUTH /* bool, but uint8 for uint8 */
};

/* A reduction, generated from its row (list/reductions.lua). */
typedef struct tocha_reduction {
  const char *name;
  int32_t kind, result;
  bool counts;          /* states are int64, for any elements */
  bool wants_elements;  /* has no identity: an error for an empty input */
  int32_t loop, finish; /* rows that share a loop differ only in their finish */
  const struct tocha_reduce_loops *const (*loops)[TOCHA_DTYPE_COUNT]; /* loops of the CPU, by isa */
} tocha_reduction;

/* The arguments of a reduction. Outputs are row-major over the dimensions that are kept. */
typedef struct tocha_reduce_args {
  const tocha_reduction *reduction;
  const void *in;
  void *out, *second;     /* second may be NULL; for TOCHA_REDUCE_POSITION out may be too */
  void *scratch;          /* at least reduce_scratch bytes */
  int64_t outputs, count; /* count: elements per output */
  double number;          /* the row's number; the correction of a variance */
  uint64_t reduced;       /* bit per reduced dimension */
  int32_t ndim;
  int32_t in_dtype, out_dtype, second_dtype;
  int32_t compute; /* the type that elements are converted to: float32, float64 or int64 */
  int32_t max;     /* for TOCHA_REDUCE_POSITION: 1 for the maximum, 0 for the minimum */
  int64_t sizes[TOCHA_REDUCE_MAX_DIMS];
  int64_t strides[TOCHA_REDUCE_MAX_DIMS]; /* of in, in bytes */
} tocha_reduce_args;

/* The layout of elements that a device needs. */
enum {
  TOCHA_ELEMENTS_STRIDED, /* in any layout */
  TOCHA_ELEMENTS_DENSE,   /* row-major */
  TOCHA_ELEMENTS_IN_ROWS  /* row-major with the reduced dimensions last */
};
typedef struct tocha_reduce_input {
  int32_t dtype, layout;
} tocha_reduce_input;

/* Writes out[b, i, j] = the p-norm of x1[b, i] - x2[b, j]. All are row-major, x1 (batch, rows,
 * columns), x2 (batch, others, columns), of float32 or, if `wide`, float64. If `pairs`, out has
 * each row of x1 with each row after it, in the order of pairs.h. */
typedef struct tocha_distance_args {
  const void *x1, *x2;
  void *out;
  int64_t outputs, rows, others, columns;
  double p;
  bool wide, pairs;
} tocha_distance_args;

/* Writes the gradients of distances for the rows of one side: out[b, i] = the sum over j, in order,
 * of grad[b, i, j] times the derivative of norms[b, i, j] by x1[b, i] - x2[b, j]. grad and norms
 * have the same strides: other_step for j, row_step for i. For pairs they are in the order of
 * pairs, and x2 is x1. */
typedef struct tocha_distance_backward_args {
  const void *x1, *x2, *grad, *norms;
  void *out;
  int64_t batches, rows, others, columns, row_step, other_step;
  double p;
  bool wide, pairs;
} tocha_distance_backward_args;

typedef struct tocha_reduction_kernels {
  tocha_reduce_input (*reduce_input)(tocha_stream *stream, const tocha_reduce_args *args);
  uint64_t (*reduce_scratch)(tocha_stream *stream, const tocha_reduce_args *args);
  bool (*reduce)(tocha_stream *stream, const tocha_reduce_args *args); /* runs every reduction */
  bool has_log_sum_exp; /* if false, logsumexp is made of operators */
  bool (*distance)(tocha_stream *stream, const tocha_distance_args *args);
  /* NULL if made of operators */
  bool (*distance_backward)(tocha_stream *stream, const tocha_distance_backward_args *args);
} tocha_reduction_kernels;

#ifdef __cplusplus
}
#endif
#endif
