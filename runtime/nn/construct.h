/* construct.h: what the constructors and reset functions of the list of modules are made of (the
 * generated nn/modules.c, and functions that entries name). They return false, or 0, with an
 * error where something is wrong; later steps then do nothing. */
#ifndef TOCHA_NN_CONSTRUCT_H
#define TOCHA_NN_CONSTRUCT_H

#include "nn/initializer.h"
#include "nn/module.h"

/* Where the condition does not hold: an error whose message has each {option} as Python shows
 * it. */
bool tocha_module_check(tocha_context *cx, const tocha_module *module, bool condition,
                        tocha_error_code code, const char *message);

/* Makes a parameter without values; its sizes are `sizes` and those of the option `more` (may be
 * NULL). Not present: a member that is None. */
bool tocha_module_add_parameter(tocha_context *cx, tocha_module *module, const char *name,
                                bool present, int count, const int64_t *sizes,
                                const tocha_arg *more);
/* The same for a buffer; dtype TOCHA_NO_DTYPE: that of the module's parameters. */
bool tocha_module_add_buffer(tocha_context *cx, tocha_module *module, const char *name,
                             bool present, tocha_dtype dtype, int count, const int64_t *sizes,
                             const tocha_arg *more);
/* The tensor that the constructor was given under this name becomes a buffer, which moves with
 * the module. */
bool tocha_module_adopt_buffer(tocha_context *cx, tocha_module *module, const char *name);

/* The module's own parameter or buffer (NULL: it is None); AttributeError where it has none of
 * that name. */
/* (Or what the host language has under that name.) */
bool tocha_module_find_tensor(tocha_context *cx, const tocha_module *module, const char *name,
                              tocha_tensor **tensor);
int64_t tocha_size_along(tocha_context *cx, const tocha_tensor *tensor, int64_t dim);

/* Sources of the arguments of a module's operator (tocha_module_class.op_arguments). A value from 0 up is the number of an input,
 * a value from TOCHA_FROM_OPTIONS up that of an option. */
enum {
  TOCHA_FROM_DEFAULT = -1,
  TOCHA_FROM_TRAINING = -2,
  TOCHA_FROM_MEMBER = -3,
  TOCHA_FROM_OPTIONS = 16
};

/* Arithmetic of the list: what divides by zero is zero. */
static inline double tocha_quotient(double a, double b) { return b == 0 ? 0 : a / b; }
int64_t tocha_floor_quotient(int64_t a, int64_t b);
int64_t tocha_modulo(int64_t a, int64_t b);

#endif
