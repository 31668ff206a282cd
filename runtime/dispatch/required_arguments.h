/* required_arguments.h: checks of the arguments that a C program passes to an operator, without a
 * binding's checks: NULL, invalid dtypes, negative counts. Each check fails, unless an error is
 * pending, and returns false if there is an error. */
#ifndef TOCHA_REQUIRED_ARGUMENTS_H
#define TOCHA_REQUIRED_ARGUMENTS_H

#include "core/context.h"
#include "tocha/reflect.h"

bool tocha_given_operand(tocha_context *cx, const char *op, const char *name, tocha_operand value);
bool tocha_given_dtype(tocha_context *cx, const char *op, const char *name, tocha_dtype value);
bool tocha_given_text(tocha_context *cx, const char *op, const char *name, const char *value);
bool tocha_given_ints(tocha_context *cx, const char *op, const char *name, int count,
                      const void *value);
/* Fails if the list, or a tensor in it, is missing. optional: tensors may be NULL. */
bool tocha_given_tensors(tocha_context *cx, const char *op, const char *name, int count,
                         tocha_tensor *const *value, bool optional);
/* Fails, unless an error is pending, with the message that `function`, one of the program's ("the
 * forward of Net"), failed without an error. Returns NULL. */
void *tocha_refuse_silence(tocha_context *cx, const char *function);
/* Fails if argument `number` of an operator, which has no tensor (a pointer, a list, a dtype), is
 * missing. */
bool tocha_given_argument(tocha_context *cx, const tocha_op *op, int number, const tocha_arg *arg);

#endif
