/* hint.c: hints for errors of the Lua language itself (lua/hints/init.lua), for the interpreter, and for string.format anywhere. */
#include <string.h>

#include <lualib.h>

#include "lua/binding.h"

/* (message, text of the chunk or nil) -> message and a hint. */
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

/* --- string.format --------------------------------------------------------------------------- */

/* Returns the index of the first tensor that the format takes as a number, or 0. */
static int find_unformattable(lua_State *L) {
  const char *at = lua_type(L, 1) == LUA_TSTRING ? lua_tostring(L, 1) : "";
  int index = 1;
  while ((at = strchr(at, '%')) != NULL) {
    at += 1 + strspn(at + 1, "-+ #0123456789.");
    if (*at == '%')
      at++;
    else if (*at && to_tensor(L, ++index) && *at != 's' && *at != 'p')
      return index;
  }
  return 0;
}

/* string.format with a hint for tensors. Upvalue: Lua's own function. */
static int format(lua_State *L) {
  int index = find_unformattable(L);
  if (!index) return lua_tocfunction(L, lua_upvalueindex(1))(L);
  lua_Debug ar;
  bool method = lua_getstack(L, 0, &ar) && lua_getinfo(L, "n", &ar) &&
                strcmp(ar.namewhat, "method") == 0; /* whose self is not counted */
  return luaL_error(L,
                    "bad argument #%d to 'format' (number expected, got torch.Tensor)\n"
                    "hint: x:item() is its number; torch.format(\"%%.3f\", x) writes it",
                    index - method);
}

void open_format(lua_State *L) {
  int top = lua_gettop(L);
  if (lua_getglobal(L, LUA_STRLIBNAME) == LUA_TTABLE) {
    lua_getfield(L, -1, "format");
    if (lua_iscfunction(L, -1) && !lua_getupvalue(L, -1, 1)) {
      lua_pushcclosure(L, format, 1);
      lua_setfield(L, -2, "format");
    }
  }
  lua_settop(L, top);
}
