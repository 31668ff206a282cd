/* entry.c: an entry of the session, at the prompt or in a notebook: compiling, running, showing
 * its values. */
#include <lauxlib.h>

#include "interpreter/interpreter.h"
#include "torch.h"

/* Calls a function of the session with the value on top. Returns false and leaves a message if
 * the function raises. [-1, +(results|1), e] */
static bool call_session(lua_State *L, const char *name, int results) {
  push_session(L);
  lua_getfield(L, -1, name);
  lua_remove(L, -2);
  lua_insert(L, -2);
  return lua_pcall(L, 1, results, 0) == LUA_OK;
}

bool compile_entry(lua_State *L, const char *by, bool *incomplete) {
  lua_pushvalue(L, 1);
  *incomplete = false;
  if (!call_session(L, by, 3)) return false;
  *incomplete = lua_toboolean(L, -1);
  lua_pop(L, 1);
  bool compiled = lua_isfunction(L, -2);
  lua_remove(L, compiled ? -1 : -2);
  return compiled;
}

int load_session_script(lua_State *L, const char *name) {
  lua_pushstring(L, name);
  if (!call_session(L, "load_script", 2)) return LUA_ERRRUN;
  bool loaded = lua_isfunction(L, -2);
  lua_remove(L, loaded ? -1 : -2);
  return loaded ? LUA_OK : LUA_ERRSYNTAX;
}

static int finish(lua_State *L) {
  push_session(L);
  lua_getfield(L, -1, "finish");
  lua_insert(L, 1);
  lua_pop(L, 1);
  lua_call(L, lua_gettop(L) - 1, 0);
  return 0;
}

/* Shows all values on the stack, and removes them. Returns the status of lua_pcall, with a
 * message on the stack if it is an error. */
static int show_values(lua_State *L) {
  int count = lua_gettop(L);
  if (!lua_checkstack(L, LUA_MINSTACK)) {
    lua_settop(L, 0);
    lua_pushliteral(L, "too many results to print");
    return LUA_ERRMEM;
  }
  lua_pushcfunction(L, finish);
  lua_insert(L, 1);
  return call_with_handler(L, count, 0, describe_briefly);
}

bool run_entry(lua_State *L) {
  bool incomplete;
  if (!compile_entry(L, "enter", &incomplete)) {
    tocha_binding_push_hinted(L, -1, lua_tostring(L, 1));
    return false;
  }
  lua_remove(L, 1);
  int status = call_entry(L, 0);
  if (status == LUA_OK) status = show_values(L);
  return status == LUA_OK;
}
