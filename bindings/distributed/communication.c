/* communication.c: what operations took, for profiles (lua/parts/distributed/profile.lua). */
#include "distributed/distributed.h"

/* () Begins a log. */
static int start(lua_State *L) { return tocha_communication_start(CX(L)) ? 0 : raise_error(L); }

static int stop(lua_State *L) {
  tocha_communication_stop(CX(L));
  return 0;
}

static void set_number(lua_State *L, const char *name, double value) {
  lua_pushnumber(L, value);
  lua_setfield(L, -2, name);
}

static void set_integer(lua_State *L, const char *name, int64_t value) {
  lua_pushinteger(L, value);
  lua_setfield(L, -2, name);
}

static void set_text(lua_State *L, const char *name, const char *text) {
  lua_pushstring(L, text);
  lua_setfield(L, -2, name);
}

/* (index) Returns an operation of the log as a table, counted from 0; nothing after the last one. */
static int at(lua_State *L) {
  tocha_communication c;
  if (!tocha_communication_at(CX(L), (size_t)luaL_checkinteger(L, 1), &c)) return 0;
  lua_createtable(L, 0, 16);
  set_text(L, "operation", c.operation);
  set_text(L, "backend", c.backend);
  set_text(L, "group", c.group);
  set_text(L, "place", c.place);
  set_integer(L, "group_number", (int64_t)c.group_number);
  set_integer(L, "group_size", c.group_size);
  set_text(L, "dtype", tocha_dtype_scalar_type(c.dtype));
  set_integer(L, "count", c.count);
  set_integer(L, "bytes", c.count * (int64_t)tocha_dtype_size(c.dtype));
  set_number(L, "begun", c.begun);
  set_number(L, "started", c.started);
  set_number(L, "met", c.met);
  set_number(L, "ended", c.ended);
  set_number(L, "waited", c.waited);
  set_number(L, "called", c.called);
  set_integer(L, "last_rank", c.last_rank);
  set_number(L, "lateness", c.lateness);
  return 1;
}

void open_communication(lua_State *L, int table) {
  static const luaL_Reg functions[] = {
      {"log_start", start}, {"log_stop", stop}, {"logged", at}, {NULL, NULL}};
  lua_pushvalue(L, table);
  luaL_setfuncs(L, functions, 0);
  lua_pop(L, 1);
}
