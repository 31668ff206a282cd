/* new_state.c: a Lua state with torch for a host, in one call. */
#include <stdio.h>
#include <string.h>

#include <lualib.h>

#include "lua/options.h"
#include "sandbox/confined.h"

/* Returns the loader of a module whose source the host has, for package.searchers. Upvalue: the
 * options. */
static int find_source(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  const state_options *o = options_of(L);
  size_t size = 0;
  const char *text = o->given.source(o->given.source_user, name, &size);
  if (!text) {
    lua_pushfstring(L, "no module '%s' of the host", name);
    return 1;
  }
  lua_pushfstring(L, "@%s", name);
  if (luaL_loadbufferx(L, text, size, lua_tostring(L, -1), "t") != LUA_OK)
    return luaL_error(L, "error loading module '%s':\n\t%s", name, lua_tostring(L, -1));
  lua_pushvalue(L, 1);
  return 2;
}

/* Puts the host's searcher behind package.preload's. [-0, +0, m] */
static void add_searcher(lua_State *L) {
  lua_getglobal(L, LUA_LOADLIBNAME);
  lua_getfield(L, -1, "searchers");
  for (lua_Integer i = luaL_len(L, -1); i >= 2; i--) {
    lua_rawgeti(L, -1, i);
    lua_rawseti(L, -2, i + 1);
  }
  lua_pushcfunction(L, find_source);
  lua_rawseti(L, -2, 2);
  lua_pop(L, 2);
}

static int prepare(lua_State *L) {
  const tocha_lua_options *given = &options_of(L)->given;
  if (given->sandbox && !tocha_lua_sandbox_open(L, given->sandbox, given->memory))
    return lua_error(L);
  if (given->sandbox) keep_small_blocks(L);
  if (given->sandbox) set_module_source(L, given->source, given->source_user);
  if (!given->sandbox) luaL_openlibs(L);
  if (!given->sandbox && given->source) add_searcher(L);
  luaL_requiref(L, "torch", luaopen_torch, 1);
  return 0;
}

/* Passes Lua's own warnings on to the host's log, or drops them. */
static void log_warning(void *user, const char *message, int to_be_continued) {
  const state_options *o = user;
  (void)to_be_continued;
  if (o->given.runtime.log && message[0] != '@')
    o->given.runtime.log(o->given.runtime.log_user, TOCHA_LOG_WARNING, message);
}

static void say(char *message, size_t capacity, const char *text) {
  if (message && capacity > 0) snprintf(message, capacity, "%s", text);
}

/* Returns an empty state with the options, or NULL. */
static lua_State *empty_state(const tocha_lua_options *options) {
  memory_account *account = NULL;
  bool counts = options->memory && !options->sandbox; /* a sandbox counts memory itself */
  if (counts && !(account = open_memory_account(options->memory, &options->runtime))) return NULL;
  lua_State *L = account ? lua_newstate(allocate_for_lua, account) : luaL_newstate();
  if (L && keep_options(L, options, account)) return L;
  if (L) lua_close(L);
  if (account) close_memory_account(account);
  return NULL;
}

lua_State *tocha_lua_new_state(const tocha_lua_options *options, char *message, size_t capacity) {
  static const tocha_lua_options defaults = {0};
  lua_State *L = empty_state(options ? options : &defaults);
  if (!L) {
    say(message, capacity, "not enough memory");
    return NULL;
  }
  lua_atpanic(L, NULL); /* that of luaL_newstate prints */
  lua_setwarnf(L, log_warning, (void *)options_of(L));
  lua_gc(L, LUA_GCGEN, 0, 0);
  lua_pushcfunction(L, prepare);
  if (lua_pcall(L, 0, 0, 0) == LUA_OK) return L;
  const char *text = lua_tostring(L, -1);
  say(message, capacity, text ? text : "torch could not be opened");
  lua_close(L);
  return NULL;
}
