/* kernels.h: the kernels of reductions: what they are given, and the table that a device fills (device/kernels.h). */
#ifndef TOCHA_REDUCTION_KERNELS_H
#define TOCHA_REDUCTION_KERNELS_H

#include "device/strided.h"
#include "tocha/types.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TOCHA_REDUCE_MOST_DIMS = 64 };

/* What a device has to know to do it. */
enum {
  TOCHA_REDUCE_ROW,      /* what its row says */
  TOCHA_REDUCE_NORM,     /* the same; the CPU has loops of its own */
  TOCHA_REDUCE_POSITION, /* the extreme in out, the index where it first is in second */
  TOCHA_REDUCE_VARIANCE, /* over (count - number), the mean in second */
  TOCHA_REDUCE_LOG_SUM_EXP
};

enum { TOCHA_FINISH_NONE, TOCHA_FINISH_ROOT }; /* of TOCHA_REDUCE_VARIANCE */

/* The dtype of results. */
enum {
  TOCHA_RESULT_SAME,
  TOCHA_RESULT_WIDENED,  /* of bool and integers int64 */
  TOCHA_RESULT_FLOATING, /* the same dtype, which has to be floating point */
  TOCHA_RESULT_INT64,
  TOCHA_RESULT_TRUTH /* bool, of uint8 uint8 */
};

/* A reduction: what its row (list/reductions.lua) says. */
typedef struct tocha_reduction {
  const char *name;
  int32_t kind, result;
  bool counts;          /* states are int64, whatever the elements are */
  bool wants_elements;  /* nothing is no answer for no elements */
  int32_t loop, finish; /* the rows of one loop differ in what is done to the state at the end */
  const struct tocha_reduce_loops *const (*loops)[TOCHA_DTYPE_COUNT]; /* the CPU's, by isa */
} tocha_reduction;

/* out, of each index of the dimensions that are kept, row-major. */
typedef struct tocha_reduce_args {
  const tocha_reduction *reduction;
  const void *in;
  void *out, *second;     /* second may be NULL; so may out of TOCHA_REDUCE_POSITION */
  void *scratch;          /* as many bytes as reduce_scratch says */
  int64_t outputs, count; /* count: elements that make one output */
  double number;          /* the row's; the correction of a variance */
  uint64_t reduced;       /* bit per dimension that goes */
  int32_t ndim;
  int32_t in_dtype, out_dtype, second_dtype;
  int32_t compute; /* float32, float64 or int64: what elements are converted to */
  int32_t max;     /* of TOCHA_REDUCE_POSITION: 1, or 0 for the least */
  int64_t sizes[TOCHA_REDUCE_MOST_DIMS];
  int64_t strides[TOCHA_REDUCE_MOST_DIMS]; /* of in, in bytes */
} tocha_reduce_args;

/* How a device takes the elements. */
enum {
  TOCHA_ELEMENTS_STRIDED, /* in any layout */
  TOCHA_ELEMENTS_DENSE,   /* row-major */
  TOCHA_ELEMENTS_IN_ROWS  /* row-major with the reduced dimensions last */
};
typedef struct tocha_reduce_input {
  int32_t dtype, layout;
} tocha_reduce_input;

/* out[b, i, j] = the p-norm of x1[b, i] - x2[b, j]; row-major, x1 (batch, rows, columns), x2 (batch, others, columns); of float32
 * or (wide) float64. pairs: of each row of x1 and those behind it, one after the other (pairs.h). */
typedef struct tocha_distance_args {
  const void *x1, *x2;
  void *out;
  int64_t outputs, rows, others, columns;
  double p;
  bool wide, pairs;
} tocha_distance_args;

/* The gradients of distances for the rows of one side: out[b, i] = the sum over j, one after the other, of grad[b, i, j] times the
 * derivative of norms[b, i, j] by x1[b, i] - x2[b, j]. grad and norms have one layout: j steps by other_step, i by row_step (of pairs:
 * in their order, x2 is x1). */
typedef struct tocha_distance_backward_args {
  const void *x1, *x2, *grad, *norms;
  void *out;
  int64_t batches, rows, others, columns, row_step, other_step;
  double p;
  bool wide, pairs;
} tocha_distance_backward_args;

typedef struct tocha_reduction_kernels {
  tocha_reduce_input (*reduce_input)(tocha_stream *stream, const tocha_reduce_args *args);
  size_t (*reduce_scratch)(tocha_stream *stream, const tocha_reduce_args *args);
  bool (*reduce)(tocha_stream *stream, const tocha_reduce_args *args); /* every reduction */
  bool has_log_sum_exp; /* else it is made of operators */
  bool (*distance)(tocha_stream *stream, const tocha_distance_args *args);
  /* NULL: made of operators */
  bool (*distance_backward)(tocha_stream *stream, const tocha_distance_backward_args *args);
} tocha_reduction_kernels;

#ifdef __cplusplus
}
#endif
#endif
