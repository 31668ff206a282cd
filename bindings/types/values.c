/* values.c: Lua values of any kind: the names of their types in Python, lengths, strings for C. */
#include <string.h>

#include "lua/binding.h"

bool is_plain_table(lua_State *L, int index, int *strings, int *others) {
  index = lua_absindex(L, index);
  if (lua_type(L, index) != LUA_TTABLE) return false;
  if (lua_getmetatable(L, index)) {
    lua_pop(L, 1);
    return false;
  }
  *strings = *others = 0;
  need_stack(L, 3);
  lua_pushnil(L);
  while (lua_next(L, index)) {
    lua_pop(L, 1);
    if (lua_type(L, -1) == LUA_TSTRING)
      ++*strings;
    else
      ++*others;
  }
  return true;
}

const char *python_type(lua_State *L, int index) {
  switch (lua_type(L, index)) {
  case LUA_TNONE:
  case LUA_TNIL:
    return "NoneType";
  case LUA_TBOOLEAN:
    return "bool";
  case LUA_TNUMBER:
    return lua_isinteger(L, index) ? "int" : "float";
  case LUA_TSTRING:
    return "str";
  case LUA_TFUNCTION:
    return "function";
  case LUA_TTABLE: {
    int strings, others, type = luaL_getmetafield(L, index, "__name");
    if (type != LUA_TNIL) lua_pop(L, 1);
    if (type == LUA_TSTRING) return "object";
    return is_plain_table(L, index, &strings, &others) && strings && !others ? "dict" : "list";
  }
  default:
    break;
  }
  tocha_tensor *t = to_tensor(L, index);
  if (t) return tocha_is_parameter(t) ? "Parameter" : "Tensor";
  int type = luaL_getmetafield(L, index, "__name");
  const char *name = type == LUA_TSTRING ? lua_tostring(L, -1) : "object";
  if (type != LUA_TNIL) lua_pop(L, 1); /* the metatable keeps the text */
  return name;
}

int table_length(lua_State *L, int index) {
  lua_Unsigned length = lua_rawlen(L, index); /* a sparse table may have any border */
  if (length > (1u << 27)) luaL_error(L, "a table is too long");
  return (int)length;
}

const char *check_c_string(lua_State *L, int index) {
  size_t length;
  const char *text = lua_tolstring(L, index, &length);
  if (strlen(text) != length) raise_message(L, TOCHA_VALUE_ERROR, "embedded null character");
  return text;
}
