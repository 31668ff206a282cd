/* torch.h: functions of the module torch for the program tocha, beside those of <tocha/lua.h>. */
#ifndef TOCHA_TORCH_H
#define TOCHA_TORCH_H

#include "tocha/lua.h"

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
