/* definition.h: the operators that programs define, for the files that run them. */
#ifndef TOCHA_DEFINITION_H
#define TOCHA_DEFINITION_H

#include "dispatch/call.h"
#include "tocha/define.h"

/* A defined operator. */
typedef struct tocha_defined {
  tocha_operator operator_; /* first: a tocha_op is the beginning of it */
  struct tocha_defined *next;
  struct tocha_defined_block *blocks; /* what the definition points to */
  tocha_definition definition;
} tocha_defined;

/* Returns the beginning of the expression for a parameter in a gradient ("a = ...; b = ..."), or NULL
 * if the gradient has none. */
const char *tocha_find_expression(const char *gradient, const char *parameter);
/* Returns the value of an expression, which belongs to the scope. call NULL: only checks it, and
 * returns NULL; fails if it is wrong. */
tocha_tensor *tocha_evaluate(tocha_context *cx, const tocha_op *op, const char *text,
                             const tocha_gradient_call *call);

#endif
