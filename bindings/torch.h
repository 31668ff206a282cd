/* torch.h: the functions of the module torch for a program that embeds Lua. */
#ifndef TOCHA_TORCH_H
#define TOCHA_TORCH_H

#include <stdbool.h>

#include <lua.h>

/* Opens the module: luaL_requiref(L, "torch", luaopen_torch, 1). */
int luaopen_torch(lua_State *L);
/* Asks the running operator of a state to stop; L is the state's main thread. Async-signal-safe. */
void tocha_binding_interrupt(lua_State *L);
/* Forgets the request of tocha_binding_interrupt. Returns false if there is none, because an
 * operator has raised it already. */
bool tocha_binding_clear_interrupt(lua_State *L);
/* Sets the function that operators of the state which run long ask if they should stop, as
 * tocha_on_poll does; L is any thread of the state. Lua code that runs long is stopped by a hook
 * that the host sets when it wants to stop: a hook that is always set slows every loop. */
void tocha_binding_on_poll(lua_State *L, bool (*poll)(void *user), void *user);
/* Pushes the message of Lua's error at `index` with a hint, if torch recognizes a mistake of a
 * Python user. Otherwise returns false and pushes nothing. `text` is the text of the chunk, or
 * NULL if the chunk is a file. Never raises. [-0, +(0|1), -] */
bool tocha_binding_push_hinted(lua_State *L, int index, const char *text);
/* Pushes the stack with which the string at `index` was raised, if that was in a function that
 * torch called back (a backward, a hook). Otherwise returns false and pushes nothing. Never
 * raises. [-0, +(0|1), -] */
bool tocha_binding_push_traceback(lua_State *L, int index);

#endif
