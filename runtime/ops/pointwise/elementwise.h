/* elementwise.h: the engine of elementwise operators: types, broadcasting, outputs. */
#ifndef TOCHA_ELEMENTWISE_H
#define TOCHA_ELEMENTWISE_H

#include "dispatch/call.h"
#include "ops/pointwise/formula.h"

/* One use of a formula: operands in order (tensors or numbers), then its numbers. */
typedef struct tocha_formula_use {
  const tocha_formula *formula;
  tocha_dtype type; /* the operands' common type */
  int count, numbers;
  const tocha_operand *operands;
  const tocha_scalar *p;
  tocha_scalar factors[2]; /* room for numbers that prepare uses instead of those of p */
  int layout;              /* TOCHA_LAID_... */
} tocha_formula_use;

/* tocha_op.forward of every entry with a formula: the first arguments are its operands, the others its
 * numbers. */
bool tocha_elementwise(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                       tocha_results *results);
/* The same for implementations in C. out: NULL, or the tensor to write. NULL on failure. */
tocha_tensor *tocha_apply_formula(tocha_context *cx, const tocha_formula *formula, int count,
                                  const tocha_operand *operands, int numbers, const tocha_scalar *p,
                                  tocha_tensor *out);
/* A formula of one tensor, and one of two, as a new tensor. */
tocha_tensor *tocha_apply_unary(tocha_context *cx, const tocha_formula *formula, tocha_tensor *self,
                                int numbers, const tocha_scalar *p);
tocha_tensor *tocha_apply_binary(tocha_context *cx, const tocha_formula *formula, tocha_tensor *a,
                                 tocha_tensor *b);

/* Returns true if the shapes broadcast, to that of out if there is one. Checked before the dtypes. *empty: to no elements. */
bool tocha_check_shapes(tocha_context *cx, const tocha_formula_use *use, const tocha_tensor *out,
                        bool *empty);
/* "\"pow\" not implemented for 'Bool'". Returns NULL. */
void *tocha_formula_not_implemented(tocha_context *cx, const tocha_formula *formula,
                                    tocha_dtype type);
/* Returns true if a number fits into `type` or its wider type, as `fits` (TOCHA_FITS_...) says. Else fails. */
bool tocha_check_number(tocha_context *cx, tocha_scalar number, tocha_dtype type, int fits);
/* A number such as alpha, called so in messages, beside operands whose result has this type. */
bool tocha_check_factor(tocha_context *cx, tocha_dtype type, tocha_scalar factor, const char *name);

#endif
