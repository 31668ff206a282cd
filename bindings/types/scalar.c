/* scalar.c: numbers that keep their kind (int, float, bool), and metatables of the small objects
 * of torch. */
#include <math.h>

#include "lua/binding.h"

static int concat(lua_State *L) {
  lua_settop(L, 2);
  push_format(L, 1);
  push_format(L, 2);
  lua_concat(L, 2);
  return 1;
}

void make_metatable(lua_State *L, const char *name, const luaL_Reg *events) {
  new_metatable(L, name, events);
  lua_pushcfunction(L, concat);
  lua_setfield(L, -2, "__concat");
  lua_pop(L, 1);
}

void push_real(lua_State *L, double value) {
  lua_pushnumber(L, value == value ? value : (double)NAN);
}

void push_scalar(lua_State *L, tocha_scalar s) {
  if (s.kind == TOCHA_SCALAR_FLOAT)
    push_real(L, s.value.real);
  else if (s.kind == TOCHA_SCALAR_BOOL)
    lua_pushboolean(L, s.value.integer != 0);
  else
    lua_pushinteger(L, s.value.integer);
}

bool to_scalar(lua_State *L, int index, tocha_scalar *s) {
  switch (lua_type(L, index)) {
  case LUA_TNUMBER:
    *s = lua_isinteger(L, index) ? tocha_int(lua_tointeger(L, index))
                                 : tocha_float(lua_tonumber(L, index));
    return true;
  case LUA_TBOOLEAN:
    *s = tocha_boolean(lua_toboolean(L, index));
    return true;
  default:
    return false;
  }
}

void open_types(lua_State *L, int torch) {
  open_dtypes(L, torch);
  open_devices(L);
  open_sizes(L, torch);
  open_generators(L, torch);
}
