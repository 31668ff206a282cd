/* initializer.h: the functions of torch.nn.init as data, and what an initializer asks of a
 * tensor. */
#ifndef TOCHA_NN_INITIALIZER_H
#define TOCHA_NN_INITIALIZER_H

#include "dispatch/call.h"

extern const tocha_initializer tocha_initializers[];
extern const int tocha_initializer_count;

/* Returns how many inputs one unit of a weight (out, in, kernel...) has; 0 on failure: less than 2 dimensions, or no weight
 * at all. */
double tocha_fan_in(tocha_context *cx, const tocha_tensor *weight);

#endif
