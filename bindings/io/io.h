/* io.h: files of Lua as the C library's files. */
#ifndef TOCHA_BINDINGS_IO_H
#define TOCHA_BINDINGS_IO_H

#include "lua/binding.h"
#include "tocha/io.h"

FILE *check_file(lua_State *L, int index);
/* Pushes a tensor that was made in scope s, and ends the scope. Raises the pending error if the
 * tensor is NULL. Returns 1. [-0, +1, e] */
int push_from_scope(lua_State *L, tocha_tensor *t, tocha_scope s);

void open_npy(lua_State *L); /* these set functions in the table at the top */
void open_new_file(lua_State *L);
void open_text(lua_State *L);
void open_serialization(lua_State *L);
void open_image(lua_State *L);
void open_folder(lua_State *L);

#endif
