/* optim.h: declarations that the files of the binding for torch.optim share. All they know of an
 * optimizer is in its class (<tocha/optim.h>), so that no file here names one. */
#ifndef TOCHA_BINDING_OPTIM_H
#define TOCHA_BINDING_OPTIM_H

#include "nn/module.h"
#include "tocha/optim.h"

/* The user values of an optimizer: */
enum {
  OPTIMIZER_GROUPS = 1, /* the table param_groups */
  OPTIMIZER_FIELDS,     /* table: the script's own fields; or nil */
  OPTIMIZER_DEFAULTS    /* table: the default fields of a base's groups; or nil */
};

/* Returns the optimizer whose userdata is at `index`. Raises for another value. [-0, +0, e] */
tocha_optimizer *check_optimizer(lua_State *L, int index);

/* groups.c */
void push_option(lua_State *L, const tocha_option_declaration *d, const tocha_option *o);
/* Reads the value at `index` as the option d, for a constructor of class_ (NULL: for an
 * assignment). Raises if it does not fit. */
void read_option(lua_State *L, int index, const tocha_option_declaration *d, tocha_option *o,
                 const tocha_optimizer_class *class_);
/* Reads a number, or the only element of a tensor. Returns false for another value. */
bool read_number(lua_State *L, int index, tocha_scalar *value);
/* Raises if the value at `index` cannot hold the parameters of an optimizer of that class. */
void check_iterable(lua_State *L, int index, const tocha_optimizer_class *class_);
/* Adds the parameters at index `params` (a tensor, table or iterator) as a group with the given
 * options. */
void add_group(lua_State *L, int self, int params, const tocha_option *options);
/* Makes the objects of the groups that C has given the optimizer at index `self`. [-0, +0, m] */
void note_groups(lua_State *L, int self);
/* Adds the group that the table at `index` describes: params, options, any other field. */
void add_described_group(lua_State *L, int self, int index, const tocha_option *defaults);
/* Pushes the group's options as a table. [-0, +1, e] */
void push_options(lua_State *L, const tocha_optimizer *o, int group);
/* Returns true if the key at index `key` is the name of a field that groups have beside their options. */
bool is_extra(lua_State *L, const tocha_optimizer *o, int key);
/* Sets such a field of group number `index`, whose object is at index `group`, to the value on top (nil: removes it).
 * [-1, +0, e] */
void set_extra(lua_State *L, tocha_optimizer *o, int index, int group, const char *name);
/* Copy such fields to the table at the top: numbers of group number `index`; other values of the group at index
 * `group`. [-0, +0, e] */
void copy_fields(lua_State *L, const tocha_optimizer *o, int index);
void copy_extra(lua_State *L, int group);
void open_optimizer_groups(lua_State *L);

/* state.c */
/* Pushes optimizer.state of the optimizer at index 1. [-0, +1, m] */
void push_state(lua_State *L);

#endif
