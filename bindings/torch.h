/* torch.h: what a program that embeds Lua needs of the module torch. */
#ifndef TOCHA_TORCH_H
#define TOCHA_TORCH_H

#include <stdbool.h>

#include <lua.h>

/* Opens the module: luaL_requiref(L, "torch", luaopen_torch, 1). */
int luaopen_torch(lua_State *L);
/* Asks the running operator of a state to stop; L is the state's main thread. Async-signal-safe. */
void tocha_binding_interrupt(lua_State *L);
/* Forgets the request; false where an operator has seen it and raised. */
bool tocha_binding_clear_interrupt(lua_State *L);
/* Pushes the message at index, of an error of Lua's, with a hint, where torch knows what a user of Python meant; false and
 * nothing elsewhere. text: of the chunk; NULL: it is in a file. Never raises. */
bool tocha_binding_push_hinted(lua_State *L, int index, const char *text);
/* Pushes the stack that a text at index was raised with, where that was in a function which torch called back (a backward, a hook); false and
 * nothing elsewhere. Never raises. */
bool tocha_binding_push_traceback(lua_State *L, int index);

#endif
