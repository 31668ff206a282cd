/* options.h: reads and fills the option structs of optimizers and schedulers, which the build writes
 * (<tocha/optimizers.h>, <tocha/schedulers.h>). */
#ifndef TOCHA_OPTIM_OPTIONS_H
#define TOCHA_OPTIM_OPTIONS_H

#include "core/internal.h"
#include "tocha/optim.h"

/* Gives a struct of `size` bytes the defaults, a struct of `full` bytes, as far as it reaches. */
void tocha_optim_options_init(void *options, size_t size, const void *defaults, size_t full);
/* Copies the fields that `given` has over those of `options`, a struct of `size` bytes with the
 * defaults. given may be NULL if no option is required. Fails if the first `required` bytes are not
 * all given; first: the first of these options. */
bool tocha_optim_options_read(tocha_context *cx, const char *class_name, const void *given,
                              void *options, size_t size, size_t required, const char *first);

/* Return an option with such a value. A number that equals the default stays an integer if that is
 * one. */
tocha_option tocha_optim_number(const tocha_option_declaration *declaration, double value);
tocha_option tocha_optim_pair(const tocha_option_declaration *declaration, const double value[2]);
tocha_option tocha_optim_flag(const tocha_option_declaration *declaration, bool value);
/* Creates an optimizer with one group. Fails without parameters. */
tocha_optimizer *tocha_optim_create(tocha_context *cx, const tocha_optimizer_class *class_,
                                    int count, tocha_tensor *const *parameters,
                                    const tocha_option *options);

#endif
