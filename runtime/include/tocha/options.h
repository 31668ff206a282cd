/* options.h: the parts of the option structs of modules (tocha/nn/NAME.h), optimizers (optimizers.h) and
 * schedulers (schedulers.h), which the build writes.
 *
 * A constructor tocha_nn_NAME takes all arguments, so it cannot grow. Its option struct can:
 *
 *   tocha_conv2d_options o = tocha_conv2d_defaults(3, 16, 3);
 *   o.stride = tocha_ints_of(2);
 *   tocha_module *conv = tocha_nn_conv2d_with(cx, &o);
 *
 * `struct_size` is the struct's size when the program was compiled, without the padding at its end. A
 * later library adds fields there, and gives them their defaults if a program does not know them. */
#ifndef TOCHA_OPTIONS_H
#define TOCHA_OPTIONS_H

#include "tocha/nn.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TOCHA_MAX_OPTION_LENGTH = 8 };

/* A list of numbers among the options. One number stands for every dimension; none means that the
 * argument is omitted. */
typedef struct tocha_ints {
  int count;
  int64_t items[TOCHA_MAX_OPTION_LENGTH];
} tocha_ints;
typedef struct tocha_floats {
  int count;
  double items[TOCHA_MAX_OPTION_LENGTH];
} tocha_floats;

static inline tocha_ints tocha_ints_of(int64_t number) {
  tocha_ints list = {1, {0}};
  list.items[0] = number;
  return list;
}
static inline tocha_floats tocha_floats_of(double number) {
  tocha_floats list = {1, {0}};
  list.items[0] = number;
  return list;
}

#ifdef __cplusplus
}
#endif
#endif
