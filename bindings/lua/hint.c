/* hint.c: hints for errors of the Lua language itself (lua/hints/init.lua), for the interpreter. */
#include <string.h>

#include "lua/binding.h"

/* Returns the message, the first argument, with a hint, or nothing if there is no hint. The
 * second argument is the text of the chunk, or nil. */
static int add_hint(lua_State *L) {
  lua_settop(L, 2);
  lua_getfield(L, LUA_REGISTRYINDEX, "tocha.torch");
  lua_getfield(L, -1, "_hint");
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 2);
  lua_call(L, 2, 1);
  if (lua_type(L, -1) != LUA_TSTRING) return 0;
  lua_pushfstring(L, "%s\nhint: %s", lua_tostring(L, 1), lua_tostring(L, -1));
  return 1;
}

bool tocha_binding_push_hinted(lua_State *L, int index, const char *text) {
  index = lua_absindex(L, index);
  if (!lua_checkstack(L, 10)) return false;
  lua_pushcfunction(L, add_hint);
  lua_pushvalue(L, index);
  lua_pushstring(L, text);
  if (lua_pcall(L, 2, 1, 0) == LUA_OK && lua_type(L, -1) == LUA_TSTRING) return true;
  lua_pop(L, 1);
  return false;
}

const char *counting_hint(lua_State *L) {
  lua_Debug caller;
  if (!lua_getstack(L, 1, &caller) || !lua_getinfo(L, "Sn", &caller) || *caller.what != 'C')
    return NULL;
  if (caller.name && strcmp(caller.name, "for iterator") == 0)
    return "torch's objects count from 0, and ipairs from 1: for i, value in pairs(object) do";
  return "torch's objects count from 0, and Lua's functions from 1: object:unpack(), "
         "object:tolist()";
}
