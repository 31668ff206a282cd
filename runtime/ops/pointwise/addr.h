/* addr.h: reads and checks the arguments of addr, beta * self + alpha * (outer product of two
 * vectors). */
#ifndef TOCHA_ADDR_H
#define TOCHA_ADDR_H

#include "ops/pointwise/elementwise.h"

typedef struct tocha_addr_call {
  tocha_operand operands
      [3]; /* self (M, N) or expandable to it, the vectors as a column (M, 1) and a row (N) */
  tocha_scalar numbers[2]; /* beta, alpha */
  tocha_dtype type;        /* of the result */
} tocha_addr_call;

/* Reads the arguments of addr into *c. Fails if the shapes do not fit or a number does not fit the
 * result's dtype. */
bool tocha_read_addr(tocha_context *cx, tocha_addr_call *c, tocha_tensor *self, tocha_tensor *vec1,
                     tocha_tensor *vec2, tocha_scalar beta, tocha_scalar alpha);

/* Fails if self does not have the sizes of the outer product, as the in-place form requires. */
bool tocha_check_addr_inplace(tocha_context *cx, const tocha_tensor *self, const tocha_tensor *vec1,
                              const tocha_tensor *vec2);

#endif
