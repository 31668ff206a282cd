/* options.c: the host's choices, kept in the registry until torch is opened. */
#include "lua/options.h"

#include "sandbox/confined.h"

static const char options_key = 0; /* registry: userdata, a state_options */

const state_options *options_of(lua_State *L) {
  static const state_options defaults = {0};
  lua_rawgetp(L, LUA_REGISTRYINDEX, &options_key);
  const state_options *o = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return o ? o : &defaults;
}

static int close_options(lua_State *L) {
  state_options *o = lua_touserdata(L, 1);
  if (o->memory) close_memory_account(o->memory);
  o->memory = NULL;
  return 0;
}

/* (light userdata: a state_options) Keeps a copy. */
static int keep(lua_State *L) {
  const state_options *from = lua_touserdata(L, 1);
  state_options *o = lua_newuserdatauv(L, sizeof *o, 0);
  *o = *from;
  o->memory = NULL;
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, close_options);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &options_key);
  o->memory = from->memory; /* nothing can fail any more */
  return 0;
}

bool keep_options(lua_State *L, const tocha_lua_options *options, memory_account *account) {
  state_options o = {*options, account, true};
  int top = lua_gettop(L);
  if (!lua_checkstack(L, 4)) return false;
  lua_pushcfunction(L, keep);
  lua_pushlightuserdata(L, &o);
  bool kept = lua_pcall(L, 1, 0, 0) == LUA_OK;
  lua_settop(L, top);
  return kept;
}

bool tocha_lua_configure(lua_State *L, const tocha_lua_options *options) {
  if (is_open(L) || options_of(L)->configured) return false;
  memory_account *account = NULL;
  if (options->sandbox && !is_sandboxed(L)) {
    bool opened = tocha_lua_sandbox_open(L, options->sandbox, options->memory);
    if (!opened) lua_pop(L, 1);
    return opened && keep_options(L, options, NULL);
  }
  if (options->memory && !(account = open_memory_account(options->memory, &options->runtime)))
    return false;
  if (!keep_options(L, options, account)) {
    if (account) close_memory_account(account);
    return false;
  }
  if (account) count_memory_of_lua(L, account);
  return true;
}
