/* elementwise.h: the engine of elementwise operators: types, broadcasting, outputs. */
#ifndef TOCHA_ELEMENTWISE_H
#define TOCHA_ELEMENTWISE_H

#include "dispatch/call.h"
#include "ops/pointwise/formula.h"
#include "ops/pointwise/kernels.h"

/* One use of a formula: the operands in order (tensors or numbers), then the formula's numbers. */
typedef struct tocha_formula_use {
  const tocha_formula *formula;
  tocha_dtype type; /* the operands' common type */
  int count, numbers;
  const tocha_operand *operands;
  const tocha_scalar *p;
  tocha_scalar factors[2];         /* scratch for numbers that prepare uses instead of p */
  int layout;                      /* TOCHA_LAID_... */
  const tocha_float8_rule *float8; /* the operator's; NULL for formulas of implementations in C */
} tocha_formula_use;

/* Runs the formula of an entry: tocha_op.forward of every entry with a formula. The first arguments
 * are the operands, the others the numbers. */
bool tocha_elementwise(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                       tocha_results *results);
/* Applies a formula for implementations in C. out is NULL or the tensor to write. Returns NULL on
 * failure. */
tocha_tensor *tocha_apply_formula(tocha_context *cx, const tocha_formula *formula, int count,
                                  const tocha_operand *operands, int numbers, const tocha_scalar *p,
                                  tocha_tensor *out);
/* Launches a formula on a GPU, for operands of one dtype that are laid out already, the output first. Returns false on failure. */
bool tocha_launch_formula(tocha_context *cx, tocha_stream *stream, const tocha_formula *formula,
                          const tocha_strided_layout *layout, int numbers, const tocha_scalar *p);
/* Apply a formula of one tensor, and one of two tensors. Return a new tensor. */
tocha_tensor *tocha_apply_unary(tocha_context *cx, const tocha_formula *formula, tocha_tensor *self,
                                int numbers, const tocha_scalar *p);
tocha_tensor *tocha_apply_binary(tocha_context *cx, const tocha_formula *formula, tocha_tensor *a,
                                 tocha_tensor *b);

/* Returns true if the shapes broadcast, and to out's shape if out is not NULL. Else fails. Called
 * before the dtypes are checked. Sets *empty if the result has no elements. */
bool tocha_check_shapes(tocha_context *cx, const tocha_formula_use *use, const tocha_tensor *out,
                        bool *empty);
/* Fails with "\"pow\" not implemented for 'Bool'" and the like. Returns NULL. */
void *tocha_formula_not_implemented(tocha_context *cx, const tocha_formula *formula,
                                    tocha_dtype type);
/* Returns true if the number fits into `type`, or into its wider type if `fits` (TOCHA_FITS_...)
 * says so. Else fails. */
bool tocha_check_number(tocha_context *cx, tocha_scalar number, tocha_dtype type, int fits);
/* Fails if a number such as alpha has a kind that operands with a result of `type` do not allow.
 * name: the number's name in messages. */
bool tocha_check_factor(tocha_context *cx, tocha_dtype type, tocha_scalar factor, const char *name);

#endif
