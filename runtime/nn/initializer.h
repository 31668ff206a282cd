/* initializer.h: the functions of torch.nn.init as data, and what an initializer asks of a
 * tensor. */
#ifndef TOCHA_NN_INITIALIZER_H
#define TOCHA_NN_INITIALIZER_H

#include "dispatch/call.h"

/* One initializer, and how the binding calls it. */
typedef struct tocha_initializer {
  const char *name;
  const tocha_parameter *parameters;
  int parameter_count, positional;
  tocha_tensor *(*call)(tocha_context *cx, const tocha_arg *args);
} tocha_initializer;

extern const tocha_initializer tocha_initializers[];
extern const int tocha_initializer_count;

/* Inputs, and outputs, that one unit of a weight (out, in, kernel...) connects. 0 on failure: less
 * than 2 dimensions, or no weight at all. */
double tocha_fan_in(tocha_context *cx, const tocha_tensor *weight);
double tocha_fan_out(tocha_context *cx, const tocha_tensor *weight);

#endif
