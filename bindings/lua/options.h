/* options.h: the choices that a host made for torch in a Lua state (<tocha/lua.h>). */
#ifndef TOCHA_BINDING_OPTIONS_H
#define TOCHA_BINDING_OPTIONS_H

#include "lua/memory.h"
#include "tocha/lua.h"

typedef struct state_options {
  tocha_lua_options given;
  memory_account *memory; /* NULL: memory is not counted */
  bool configured;        /* a host made choices */
} state_options;

/* Returns the options of a state: the host's, or the defaults. They live as long as the state.
 * [-0, +0, -] */
const state_options *options_of(lua_State *L);
/* Keeps options whose memory is counted by `account` already, which the state then owns (NULL: by
 * none). Returns false if memory is short. [-0, +0, -] */
bool keep_options(lua_State *L, const tocha_lua_options *options, memory_account *account);

#endif
