/* dtype.c: dtypes in Lua: single objects, kept in the registry by number. */
#include <string.h>

#include "lua/binding.h"

static const char DTYPE[] = "torch.dtype";

void tocha_lua_push_dtype(lua_State *L, tocha_dtype dtype) {
  lua_getfield(L, LUA_REGISTRYINDEX, "tocha.dtypes");
  lua_rawgeti(L, -1, dtype + 1);
  lua_remove(L, -2);
}

bool tocha_lua_to_dtype(lua_State *L, int index, tocha_dtype *dtype) {
  const tocha_dtype *d = luaL_testudata(L, index, DTYPE);
  if (!d) return false;
  *dtype = *d;
  return true;
}

static int dtype_tostring(lua_State *L) {
  lua_pushfstring(L, "torch.%s", tocha_dtype_name(*(tocha_dtype *)luaL_checkudata(L, 1, DTYPE)));
  return 1;
}

static int dtype_index(lua_State *L) {
  tocha_dtype d = *(tocha_dtype *)luaL_checkudata(L, 1, DTYPE);
  const char *key = luaL_checkstring(L, 2);
  if (strcmp(key, "itemsize") == 0)
    lua_pushinteger(L, (lua_Integer)tocha_dtype_size(d));
  else if (strcmp(key, "is_floating_point") == 0)
    lua_pushboolean(L, tocha_dtype_is_floating(d));
  else if (strcmp(key, "is_signed") == 0)
    lua_pushboolean(L, d != TOCHA_BOOL && d != TOCHA_UINT8 && d != TOCHA_FLOAT8_E8M0FNU);
  else if (strcmp(key, "is_complex") == 0)
    lua_pushboolean(L, 0);
  else
    return raise_message(L, TOCHA_ATTRIBUTE_ERROR, "'torch.dtype' object has no attribute '%s'",
                         key);
  return 1;
}

void open_dtypes(lua_State *L, int torch) {
  static const luaL_Reg events[] = {
      {"__tostring", dtype_tostring}, {"__index", dtype_index}, {NULL, NULL}};
  make_metatable(L, DTYPE, events);
  lua_createtable(L, TOCHA_DTYPE_COUNT, 0);
  for (int d = 0; d < TOCHA_DTYPE_COUNT; d++) {
    tocha_dtype *u = lua_newuserdatauv(L, sizeof *u, 0);
    *u = d;
    luaL_setmetatable(L, DTYPE);
    lua_pushvalue(L, -1);
    lua_setfield(L, torch, tocha_dtype_name(d));
    if (tocha_dtype_size(d) > 1) { /* there is torch.half, but no torch.byte */
      lua_pushvalue(L, -1);
      lua_setfield(L, torch, tocha_dtype_alias(d));
    }
    lua_rawseti(L, -2, d + 1);
  }
  lua_setfield(L, LUA_REGISTRYINDEX, "tocha.dtypes");
}
