/* calls.c: pcall and xpcall of a sandbox, which never catch the error of a limit. */
#include "sandbox/sandbox.h"

/* Ends a protected call, also one that was continued after a yield. `extra`: values below the
 * results. */
static int finish_call(lua_State *L, int status, lua_KContext extra) {
  check_status(L, sandbox_of(L), status);
  if (status == LUA_OK || status == LUA_YIELD) return lua_gettop(L) - (int)extra;
  lua_pushboolean(L, false);
  lua_pushvalue(L, -2);
  return 2;
}

static int protected_call(lua_State *L) {
  luaL_checkany(L, 1);
  lua_pushboolean(L, true);
  lua_insert(L, 1);
  int status = lua_pcallk(L, lua_gettop(L) - 2, LUA_MULTRET, 0, 0, finish_call);
  return finish_call(L, status, 0);
}

/* Calls the script's message handler, the second upvalue. Not for the error of a limit: that comes
 * out of a hook, in which no other hook would end a handler that runs long. */
static int handle_message(lua_State *L) {
  if (atomic_load(&sandbox_of(L)->ended)) return 1;
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, 1);
  return 1;
}

/* xpcall(f, handler, ...) */
static int handled_call(lua_State *L) {
  int count = lua_gettop(L);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, 2);
  lua_pushcclosure(L, handle_message, 2);
  lua_replace(L, 2);
  lua_pushboolean(L, true);
  lua_pushvalue(L, 1);
  lua_rotate(L, 3, 2); /* f, handler, true, f, arguments */
  int status = lua_pcallk(L, count - 2, LUA_MULTRET, 2, 2, finish_call);
  return finish_call(L, status, 2);
}

void open_sandbox_calls(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"pcall", protected_call}, {"xpcall", handled_call}, {NULL, NULL}};
  set_sandbox_functions(L, functions);
}
