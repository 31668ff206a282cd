/* callback.h: calls from the runtime into Lua: hooks, functions of one's own, modules, closures.
 *
 * A Lua error that left such a call by longjmp would cross the engine, which then never restores its modes, scopes and tasks.
 * So everything in it that may raise, pushing the arguments included, happens in one protected call of a C function. */
#ifndef TOCHA_BINDING_CALLBACK_H
#define TOCHA_BINDING_CALLBACK_H

#include "lua/binding.h"

/* What a callback does, with a stack of its own that holds the arguments. It may raise anything; returns false if it set the
 * context's error instead. */
typedef bool callback_body(lua_State *L, binding *b, void *job);

/* Runs the body in the thread that called the runtime (running_thread). The last `arguments` values on that stack become its
 * own; the `results` values that it leaves on top take their place. Returns false, with nothing on the stack, if it raised or
 * returned false: the error, the raised object itself, is the context's. Never raises. */
bool call_back(binding *b, int arguments, int results, callback_body *body, void *job);
/* The same for what the runtime takes no error from: a warning, a stack trace. */
void call_back_quietly(binding *b, callback_body *body, void *job);

#endif
