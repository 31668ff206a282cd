/* values.h: Python's values as Lua's, and back. */
#ifndef TOCHA_BINDINGS_VALUES_H
#define TOCHA_BINDINGS_VALUES_H

#include "lua/binding.h"
#include "tocha/serialization.h"

/* A checkpoint that Lua frees: an empty one goes to the stack; what is put into the place returned belongs to it. */
tocha_checkpoint **push_checkpoint(lua_State *L);
/* Pushes a value. types: the table of lua/parts/serialization/types.lua. */
void push_value(lua_State *L, int types, const tocha_value *value);
/* The Lua value at index as a value of the checkpoint; raises for what no file can hold. */
tocha_value *to_value(lua_State *L, int types, int index, tocha_checkpoint *checkpoint);
void open_values(lua_State *L);

#endif
