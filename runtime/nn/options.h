/* options.h: reads and fills the option structs of modules, by the parameters of their classes. */
#ifndef TOCHA_NN_OPTIONS_H
#define TOCHA_NN_OPTIONS_H

#include "nn/module.h"
#include "tocha/options.h"
#include "tocha/reflect.h"

/* Gives every field of a struct of `size` bytes its default, or zero if it has none, and sets
 * struct_size. offsets: the place of each parameter of the class. */
void tocha_options_init(const tocha_module_class *class_, const uint16_t *offsets, void *options,
                        size_t size);
/* Constructs a module from an option struct. Fails for NULL and for a struct that lacks an argument
 * which must be given. */
tocha_module *tocha_construct_with(tocha_context *cx, const tocha_module_class *class_,
                                   const uint16_t *offsets, const void *options);

#endif
