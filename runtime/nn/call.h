/* call.h: the arguments of classes with a call signature (class->call). */
#ifndef TOCHA_NN_CALL_H
#define TOCHA_NN_CALL_H

#include "nn/module.h"

/* Completes the arguments of a class's call from its tensors alone, in the order of the parameters;
 * a list takes all that remain. Writes TOCHA_MAX_PARAMETERS elements of `args` at most. */
bool tocha_arguments_of_inputs(tocha_context *cx, const tocha_module_class *class, int count,
                               tocha_tensor *const *inputs, tocha_arg *args);
/* Writes the tensors among the arguments to `inputs`, without the omitted ones at the end, and
 * returns their number. Fails, and returns -1, if they are more than TOCHA_MAX_PARAMETERS. */
int tocha_inputs_of_arguments(tocha_context *cx, const tocha_module_class *class,
                              const tocha_arg *args, tocha_tensor **inputs);
/* Fails if a required argument of a class's call is missing. */
bool tocha_check_call(tocha_context *cx, const tocha_module_class *class, const tocha_arg *args);

#endif
