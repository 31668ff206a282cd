/* initializer.h: the functions of torch.nn.init as data, and the fan of a weight. */
#ifndef TOCHA_NN_INITIALIZER_H
#define TOCHA_NN_INITIALIZER_H

#include "dispatch/call.h"

extern const tocha_initializer tocha_initializers[];
extern const int tocha_initializer_count;

/* Returns the number of inputs of one unit of a weight (out, in, kernel...). Fails and returns 0 if
 * the weight is missing or has less than 2 dimensions. */
double tocha_fan_in(tocha_context *cx, const tocha_tensor *weight);

#endif
