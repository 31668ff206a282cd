/* interrupt.h: requests to end what a Lua state is doing. */
#ifndef TOCHA_BINDING_INTERRUPT_H
#define TOCHA_BINDING_INTERRUPT_H

#include "lua/options.h"

/* A state in the list of those that can be interrupted. */
typedef struct interruptible interruptible;

/* Adds a state to the list. Sets the hook that looks for requests, if the host's options want it and
 * the state has no other. Returns NULL if memory is short. [-0, +0, -] */
interruptible *add_interruptible(lua_State *main, tocha_context *cx, const state_options *options);
/* Replaces xpcall by one whose handlers cannot hold an insistent request up. [-0, +0, m] */
void guard_handlers(lua_State *L);
/* Takes the state off the list: requests are ignored from now on. NULL is allowed. */
void remove_interruptible(interruptible *i);
/* Notes that thread L is about to raise the error of an operator that was interrupted. */
void note_interrupted(lua_State *L, interruptible *i);
/* Ends an insistent request, because the host's call has ended with its error. NULL is allowed. */
void end_request(interruptible *i);

#endif
