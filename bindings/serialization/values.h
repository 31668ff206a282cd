/* values.h: conversion of Python's values to Lua's and back. */
#ifndef TOCHA_BINDINGS_VALUES_H
#define TOCHA_BINDINGS_VALUES_H

#include "lua/binding.h"
#include "tocha/serialization.h"

/* Pushes an empty box for a checkpoint and returns its place. Lua frees the checkpoint that is
 * put there. [-0, +1, m] */
tocha_checkpoint **push_checkpoint(lua_State *L);
/* Pushes a value. `types` is the index of the table of lua/parts/serialization/types.lua.
 * [-0, +1, e] */
void push_value(lua_State *L, int types, const tocha_value *value);
/* Returns the Lua value at `index` as a value of the checkpoint. Raises if it, or a value inside
 * it, cannot be saved. [-0, +0, e] */
tocha_value *to_value(lua_State *L, int types, int index, tocha_checkpoint *checkpoint);
void open_values(lua_State *L);

#endif
