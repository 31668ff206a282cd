/* elementwise.h: the engine of elementwise operators: types, broadcasting, loops. */
#ifndef TOCHA_ELEMENTWISE_H
#define TOCHA_ELEMENTWISE_H

#include "dispatch/call.h"
#include "tensor/math/vector_math.h"

/* How types follow from the operands.
 * ARITHMETIC  the promoted type of the operands
 * FLOATING    the same, integers becoming the default floating type
 * BITWISE     the promoted type, which must be an integer or bool
 * WIDENED     the promoted type of the operands and of the row's numbers */
typedef enum tocha_policy {
  TOCHA_POLICY_ARITHMETIC,
  TOCHA_POLICY_FLOATING,
  TOCHA_POLICY_BITWISE,
  TOCHA_POLICY_WIDENED
} tocha_policy;

typedef enum tocha_row_id {
#define ROW(name, inputs, policy, output, types, formula) TOCHA_ROW_##name,
#include "ops/pointwise/elementwise.def"
#undef ROW
  TOCHA_ROW_COUNT
} tocha_row_id;

/* The types loops are written for. */
typedef enum tocha_compute {
  TOCHA_COMPUTE_FLOAT32,
  TOCHA_COMPUTE_FLOAT64,
  TOCHA_COMPUTE_INT64,
  TOCHA_COMPUTE_BOOL,
  TOCHA_COMPUTE_COUNT
} tocha_compute;

/* One inner loop: data[0] is the output, then the inputs; strides in bytes; p the numbers of the
 * row in the compute type. */
typedef void (*tocha_loop)(char *const *data, const int64_t *strides, int64_t n, const void *p);

struct tocha_cpu_loops {
  const char *name; /* "baseline", "avx2", "avx512" */
  const tocha_vector_math *math;
  tocha_loop rows[TOCHA_ROW_COUNT][TOCHA_COMPUTE_COUNT];
};
typedef struct tocha_cpu_loops tocha_cpu_loops;

/* The loops for this processor. */
const tocha_cpu_loops *tocha_select_loops(void);

/* The thunk of every entry with `row`: tensor and operand arguments are inputs in order, numbers
 * become p. out: NULL, or the tensor to write. into: NULL, or a tensor that may take the result
 * where its dtype, sizes and memory allow that (out=); else the result is a new tensor. NULL on
 * failure. */
tocha_tensor *tocha_elementwise(tocha_context *cx, tocha_row_id row, const tocha_op *op,
                                const tocha_arg *args, tocha_tensor *out, tocha_tensor *into);
/* The same for implementations in C: count operands, at most 4 numbers. */
tocha_tensor *tocha_elementwise_row(tocha_context *cx, tocha_row_id row, int count,
                                    const tocha_operand *operands, int numbers,
                                    const tocha_scalar *p, tocha_tensor *out);
/* elementwise_checks.c: what PyTorch refuses for this row before any element is looked at. type is the
 * operands' common type. false with its message. */
bool tocha_check_row(tocha_context *cx, tocha_row_id row, tocha_dtype type, int count,
                     const tocha_operand *operands, int numbers, const tocha_scalar *p);
/* The row that computes the same faster (a square for an exponent of 2), with *count operands. */
tocha_row_id tocha_cheaper_row(tocha_row_id row, tocha_dtype type, int *count,
                               const tocha_operand *operands);
/* "\"pow\" not implemented for 'Bool'". Returns NULL. */
void *tocha_row_not_implemented(tocha_context *cx, tocha_row_id row, tocha_dtype type);
/* A number as an element of a type: false, with PyTorch's message, where it does not fit. */
bool tocha_check_number(tocha_context *cx, tocha_scalar number, tocha_dtype type);
/* PyTorch's result type of operands (dimensioned tensors, then 0-dim ones, then numbers). */
tocha_dtype tocha_result_type(const tocha_context *cx, int count, const tocha_operand *operands);

#endif
