/* define.h: operators that a program defines, beside those of the list. They are called, recorded,
 * cast under autocast and differentiated as those are. */
#ifndef TOCHA_DEFINE_H
#define TOCHA_DEFINE_H

#include "tocha/reflect.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The input of a gradient function. */
typedef struct tocha_gradient_call {
  const tocha_arg *args;        /* the arguments of the call */
  tocha_tensor *const *results; /* its results */
  tocha_tensor *const *grads;   /* the gradient of each result; NULL: none, but not all are */
} tocha_gradient_call;

/* An operator. Zero-initialize. What it points to is copied, except for functions. */
typedef struct tocha_definition {
  const char *name;      /* "image.blur": unique, a namespace and a name */
  const char *signature; /* "(Tensor image, float sigma=1.0) -> Tensor", for help */
  const char *doc;       /* may be NULL */
  /* The parameters of that signature. */
  const tocha_parameter *parameters;
  int parameter_count, positional, result_count;
  /* Computes the results, which belong to the scope. Every tensor among the arguments is on the
   * CPU. */
  bool (*kernel)(tocha_context *cx, const tocha_arg *args, tocha_tensor **results);
  /* Makes results without data (tocha_new on TOCHA_META) if an argument is on that device. NULL: such
   * calls fail. */
  bool (*shape)(tocha_context *cx, const tocha_arg *args, tocha_tensor **results);
  /* The gradients of arguments as expressions of the lists: "image = grad * sigma; bias =
   * sum(grad)". They consist of numbers, + - * /, the names of parameters, `result` (or result0,
   * result1, ...), `grad` (or grad0, ...), and calls of operators by their full names, with arguments
   * in their order: sum.dim_IntList(grad, [0, 1], true). Made of operators, they have gradients
   * themselves. NULL: see backward. */
  const char *gradient;
  /* Computes gradients in C: out[i] for parameter number i, which belongs to the scope; NULL: none.
   * NULL, and no expression: the operator is not differentiable. */
  bool (*backward)(tocha_context *cx, const tocha_gradient_call *call, tocha_tensor **out);
  /* Under autocast, casts floating-point arguments: "float32", "lower" (to the region's dtype) or
   * "widest" of them. NULL: nothing. */
  const char *autocast;
} tocha_definition;

/* Returns the new operator, which lives as long as the process: contexts and graphs may keep it. The
 * same definition again is the same operator. Fails if the name has another one, or if an expression
 * is wrong. */
TOCHA_API const tocha_op *tocha_define_operator(tocha_context *cx,
                                                const tocha_definition *definition);

#ifdef __cplusplus
}
#endif
#endif
