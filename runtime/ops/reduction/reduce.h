/* reduce.h: dimensions, dtypes and the kernel call, shared by operators that reduce. */
#ifndef TOCHA_REDUCE_H
#define TOCHA_REDUCE_H

#include "dispatch/call.h"
#include "ops/reduction/kernels.h"

/* The dimensions that are reduced, and the sizes that remain. */
typedef struct tocha_reduced {
  uint64_t mask; /* bit per dimension of the input */
  int64_t count; /* elements per element of the result */
  int ndim;      /* of the result */
  int64_t sizes[TOCHA_MAX_DIMS];
} tocha_reduced;

/* Fills *reduced. Negative dims count from the end, and 0 dims mean all. Fails if a dim is out of
 * range or repeated. */
bool tocha_reduced_of(tocha_context *cx, const tocha_tensor *self, int dims_count,
                      const int64_t *dims, bool keepdim, tocha_reduced *reduced);
/* Fails if a reduced dimension has no elements. name: the operator, in the message. */
bool tocha_check_not_empty(tocha_context *cx, const tocha_tensor *self,
                           const tocha_reduced *reduced, const char *name);
/* Returns the type that values of dtype d are reduced in: float32, float64 or int64. */
tocha_dtype tocha_reduce_dtype(tocha_dtype d);

/* A tensor and its dimensions to reduce, as the caller gave them. No dims mean all. */
typedef struct tocha_reduce_over {
  tocha_tensor *self;
  int dim_count;
  const int64_t *dim;
  bool keepdim;
} tocha_reduce_over;

/* Runs a reduction by its row: checks, dtypes, result. name: the operator, in messages. number: the
 * row's. dtype: the result's, or TOCHA_NO_DTYPE. */
tocha_tensor *tocha_reduce(tocha_context *cx, const tocha_reduction *reduction, const char *name,
                           tocha_reduce_over over, tocha_dtype dtype, double number);
/* Runs the row of an entry: tocha_op.forward of every entry with a row. The first argument is a
 * tensor; the kinds of the others tell the dimensions, keepdim, the dtype and the row's number. */
bool tocha_reduce_by_row(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                         tocha_results *results);

/* A call of the kernel alone. out and second have the sizes of `reduced`; NULL if not needed. */
typedef struct tocha_reduce_call {
  const tocha_reduction *reduction;
  tocha_tensor *self;
  const tocha_reduced *reduced;
  tocha_dtype compute; /* a type of tocha_reduce_dtype */
  double number;
  bool max;
  tocha_tensor *out, *second;
} tocha_reduce_call;
bool tocha_run_reduction(tocha_context *cx, const tocha_reduce_call *call);
/* Returns a new, uninitialized result. */
tocha_tensor *tocha_new_reduced(tocha_context *cx, const tocha_tensor *self,
                                const tocha_reduced *reduced, tocha_dtype dtype);

/* Sets *answer to true if an element of t is zero. It reads the values, so on a device it waits. */
bool tocha_has_zero(tocha_context *cx, const tocha_tensor *t, bool *answer);
/* Fails if a norm of the dtype `self` may not have the dtype `result`. name: the function, in the
 * message. */
bool tocha_check_norm_dtype(tocha_context *cx, const char *name, tocha_dtype self,
                            tocha_dtype result);
/* Rows of reduction.lua that other families use. */
extern const tocha_reduction tocha_reduction_sum, tocha_reduction_mean;

#endif
