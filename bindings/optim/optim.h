/* optim.h: what the files of the binding for torch.optim share. Whatever they know of an optimizer
 * they read in its class (<tocha/optim.h>): no file here names one. */
#ifndef TOCHA_BINDING_OPTIM_H
#define TOCHA_BINDING_OPTIM_H

#include "nn/module.h"
#include "tocha/optim.h"

enum {
  OPTIMIZER_GROUPS = 1,
  OPTIMIZER_FIELDS,
  OPTIMIZER_DEFAULTS
}; /* user values of an optimizer: the table param_groups; a script's own fields; what groups of a base have unless told otherwise */

/* The optimizer of the userdata at index; raises where it is none. */
tocha_optimizer *check_optimizer(lua_State *L, int index);

/* groups.c */
void push_option(lua_State *L, const tocha_option_declaration *d, const tocha_option *o);
/* The value at index as the option d, of a constructor of class_ (NULL: it is assigned). */
void read_option(lua_State *L, int index, const tocha_option_declaration *d, tocha_option *o,
                 const tocha_optimizer_class *class_);
/* The number, or the only element of the tensor, at index; false where it is neither. */
bool read_number(lua_State *L, int index, tocha_scalar *value);
/* Raises where the value at index cannot hold the parameters of an optimizer of that class. */
void check_iterable(lua_State *L, int index, const tocha_optimizer_class *class_);
/* Adds the parameters at index `params` (tensor, table or iterator) as a group with options. */
void add_group(lua_State *L, int self, int params, const tocha_option *options);
/* Adds the group that the table at index describes: params, options, anything else. */
void add_described_group(lua_State *L, int self, int index, const tocha_option *defaults);
/* Pushes the group's options as a table. */
void push_options(lua_State *L, const tocha_optimizer *o, int group);
/* Into the table at the top: what the group at index holds beside its options. */
void copy_extra(lua_State *L, int group);
void open_optimizer_groups(lua_State *L);

/* state.c */
void push_state(lua_State *L); /* optimizer.state of the optimizer at 1 */

#endif
