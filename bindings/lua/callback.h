/* callback.h: calls from the runtime into Lua: hooks, the program's own functions, modules,
 * closures.
 *
 * A Lua error that left such a call by longjmp would skip the engine, which would then not restore
 * its modes, scopes and tasks. So everything that may raise, pushing the arguments included, is
 * done in one protected call of a C function. */
#ifndef TOCHA_BINDING_CALLBACK_H
#define TOCHA_BINDING_CALLBACK_H

#include "lua/binding.h"

/* The body of a callback, which finds its arguments on a stack of its own. It may raise anything.
 * It returns false if it set the context's error instead. */
typedef bool callback_body(lua_State *L, binding *b, void *argument);

/* Runs the body in the thread that called the runtime (running_thread). The last `arguments`
 * values on that thread's stack are replaced by the `results` values that the body leaves on top
 * of its own. If the body raises or returns false, returns false, removes the arguments, and
 * makes the raised object the context's error. [-arguments, +(results|0), -] */
bool call_back(binding *b, int arguments, int results, callback_body *body, void *argument);
/* Does the same in the thread L. results may be LUA_MULTRET. [-arguments, +(results|0), -] */
bool call_back_in(lua_State *L, binding *b, int arguments, int results, callback_body *body,
                  void *argument);
/* Runs the body without arguments and results, and ignores its errors: for a warning, a stack
 * trace. [-0, +0, -] */
void call_back_quietly(binding *b, callback_body *body, void *argument);
/* Calls a function as lua_call does. A yield inside it is an error that says what to do instead.
 * [-(arguments + 1), +results, e] */
void call_to_end(lua_State *L, int arguments, int results);

#endif
