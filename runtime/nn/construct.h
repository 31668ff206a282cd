/* construct.h: the building blocks of constructors and reset functions in the list of modules (the
 * generated nn/modules.c, and functions that entries name). They return false, or 0, with an error
 * set on failure; later steps then do nothing. */
#ifndef TOCHA_NN_CONSTRUCT_H
#define TOCHA_NN_CONSTRUCT_H

#include "nn/initializer.h"
#include "nn/module.h"

/* Fails if the condition is false. Each {option} in the message is replaced by its value, as in
 * Python. */
bool tocha_module_check(tocha_context *cx, const tocha_module *module, bool condition,
                        tocha_error_code code, const char *message);

/* Adds a parameter without values. Its sizes are `sizes`, followed by those of the option `more`
 * (may be NULL). present: if false, the member is None. */
bool tocha_module_add_parameter(tocha_context *cx, tocha_module *module, const char *name,
                                bool present, int count, const int64_t *sizes,
                                const tocha_arg *more);
/* Adds a buffer in the same way. dtype: TOCHA_NO_DTYPE for that of the module's parameters. */
bool tocha_module_add_buffer(tocha_context *cx, tocha_module *module, const char *name,
                             bool present, tocha_dtype dtype, int count, const int64_t *sizes,
                             const tocha_arg *more);
/* Makes the tensor that the constructor received under this name a buffer, which moves with the
 * module. */
bool tocha_module_adopt_buffer(tocha_context *cx, tocha_module *module, const char *name);

/* Makes an option what it is without a value, because only the constructor needs it. */
void tocha_module_drop_option(tocha_context *cx, tocha_module *module, const char *name);
/* Finds the module's own parameter or buffer, or the value that the host language has under the
 * name. *tensor is NULL for None. Fails with an AttributeError if there is none. */
bool tocha_module_find_tensor(tocha_context *cx, const tocha_module *module, const char *name,
                              tocha_tensor **tensor);
int64_t tocha_size_along(tocha_context *cx, const tocha_tensor *tensor, int64_t dim);

/* Sources of the arguments of a module's operator (tocha_module_class.op_arguments). A value from 0
 * up is the number of an input, a value from TOCHA_FROM_OPTIONS up that of an option. */
enum {
  TOCHA_FROM_DEFAULT = -1,
  TOCHA_FROM_TRAINING = -2,
  TOCHA_FROM_MEMBER = -3,
  TOCHA_FROM_OPTIONS = 16
};

/* Arithmetic of the list. A quotient by zero is zero. */
static inline double tocha_quotient(double a, double b) { return b == 0 ? 0 : a / b; }
int64_t tocha_floor_quotient(int64_t a, int64_t b);
int64_t tocha_modulo(int64_t a, int64_t b);

#endif
