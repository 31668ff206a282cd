/* tables.c: functions for tables whose loops can be ended. Lua's own run on in C, for as many steps
 * as a range or a __len says. */
#include "sandbox/sandbox.h"

enum { STEPS = 1024 };

/* Counts a step of a loop. */
static void step(lua_State *L, sandbox *s, lua_Integer i) {
  if (i % STEPS == 0) spend(L, s, STEPS);
}

/* Returns true if the table's length and elements are its own. */
static bool is_plain(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TTABLE || !lua_getmetatable(L, index))
    return true; /* no table: an error of Lua's own */
  lua_pop(L, 1);
  return false;
}

/* Returns true for a table without a metatable. */
static bool is_plain_table(lua_State *L, int index) {
  return lua_type(L, index) == LUA_TTABLE && is_plain(L, index);
}

/* table.insert(list, position, value). Appending to a plain table, the most frequent call, is done
 * here, in the time that looking for Lua's own function would take. */
static int insert(lua_State *L) {
  int count = lua_gettop(L);
  if (count == 2 && is_plain_table(L, 1)) {
    lua_rawseti(L, 1, (lua_Integer)lua_rawlen(L, 1) + 1);
    return 0;
  }
  sandbox *s = sandbox_of(L);
  if (count != 3 || is_plain(L, 1)) return s->insert(L);
  lua_Integer after = (lua_Integer)((lua_Unsigned)luaL_len(L, 1) + 1), at = luaL_checkinteger(L, 2);
  luaL_argcheck(L, (lua_Unsigned)at - 1U < (lua_Unsigned)after, 2, "position out of bounds");
  for (lua_Integer i = after; i > at; i--) {
    step(L, s, i);
    lua_geti(L, 1, i - 1);
    lua_seti(L, 1, i);
  }
  lua_seti(L, 1, at);
  return 0;
}

/* table.remove(list, position) */
static int remove_element(lua_State *L) {
  if (lua_gettop(L) == 1 && is_plain_table(L, 1)) {
    lua_Integer last = (lua_Integer)lua_rawlen(L, 1);
    lua_rawgeti(L, 1, last);
    lua_pushnil(L);
    lua_rawseti(L, 1, last);
    return 1;
  }
  sandbox *s = sandbox_of(L);
  if (is_plain(L, 1)) return s->remove(L);
  lua_Integer size = luaL_len(L, 1), at = luaL_optinteger(L, 2, size);
  if (at != size)
    luaL_argcheck(L, (lua_Unsigned)at - 1U <= (lua_Unsigned)size, 2, "position out of bounds");
  lua_geti(L, 1, at);
  for (; at < size; at++) {
    step(L, s, at);
    lua_geti(L, 1, at + 1);
    lua_seti(L, 1, at);
  }
  lua_pushnil(L);
  lua_seti(L, 1, at);
  return 1;
}

/* table.concat(list, separator, first, last) */
static int concat(lua_State *L) {
  sandbox *s = sandbox_of(L);
  if (is_plain(L, 1)) return s->concat(L);
  size_t length;
  lua_Integer last = luaL_len(L, 1);
  const char *separator = luaL_optlstring(L, 2, "", &length);
  lua_Integer i = luaL_optinteger(L, 3, 1);
  last = luaL_optinteger(L, 4, last);
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  for (; i <= last; i++) {
    step(L, s, i);
    lua_geti(L, 1, i);
    if (!lua_isstring(L, -1))
      return luaL_error(L, "invalid value (at index %I) in table for 'concat'", (LUAI_UACINT)i);
    luaL_addvalue(&b);
    if (i == last) break; /* it may be the largest integer */
    luaL_addlstring(&b, separator, length);
  }
  luaL_pushresult(&b);
  return 1;
}

static void check_movable(lua_State *L, int index, const char *event) {
  if (lua_type(L, index) == LUA_TTABLE) return;
  if (luaL_getmetafield(L, index, event) == LUA_TNIL) luaL_checktype(L, index, LUA_TTABLE);
  lua_pop(L, 1);
}

/* table.move(from, first, last, at, to) */
static int move(lua_State *L) {
  sandbox *s = sandbox_of(L);
  lua_Integer first = luaL_checkinteger(L, 2), last = luaL_checkinteger(L, 3);
  lua_Integer at = luaL_checkinteger(L, 4);
  int to = lua_isnoneornil(L, 5) ? 1 : 5;
  check_movable(L, 1, "__index");
  check_movable(L, to, "__newindex");
  lua_settop(L, 5);
  lua_pushvalue(L, to);
  if (last < first) return 1;
  luaL_argcheck(L, first > 0 || last < LUA_MAXINTEGER + first, 3, "too many elements to move");
  lua_Integer count = last - first + 1;
  luaL_argcheck(L, at <= LUA_MAXINTEGER - count + 1, 4, "destination wrap around");
  bool overlaps = at > first && at <= last && (to == 1 || lua_compare(L, 1, to, LUA_OPEQ));
  for (lua_Integer k = 0; k < count; k++) {
    lua_Integer i = overlaps ? count - 1 - k : k;
    step(L, s, k + 1);
    lua_geti(L, 1, first + i);
    lua_seti(L, to, at + i);
  }
  return 1;
}

/* --- sort ------------------------------------------------------------------------------------------------ */

/* Compares two elements by the second upvalue, or by "<" if that is nil, and looks for the end. */
static int compare(lua_State *L) {
  check_sandbox(L, sandbox_of(L));
  if (lua_isnil(L, lua_upvalueindex(2))) {
    lua_pushboolean(L, lua_compare(L, 1, 2, LUA_OPLT));
    return 1;
  }
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_insert(L, 1);
  lua_call(L, 2, 1);
  return 1;
}

/* Returns true if a sort of the list takes long without a call of Lua code: there are many elements,
 * or long texts. */
static bool is_long(lua_State *L) {
  enum { MANY = 1 << 16, LONG = 1 << 20 };
  if (!is_plain(L, 1)) return true;
  lua_Unsigned count = lua_rawlen(L, 1), bytes = 0;
  for (lua_Unsigned i = 1; i <= count && count <= MANY; i++) {
    if (lua_rawgeti(L, 1, (lua_Integer)i) == LUA_TSTRING) bytes += lua_rawlen(L, -1);
    lua_pop(L, 1);
    if (i == 1 && bytes == 0) break; /* numbers are not compared with texts */
  }
  return count > MANY || bytes > LONG;
}

/* table.sort(list, comparison) */
static int sort(lua_State *L) {
  sandbox *s = sandbox_of(L);
  bool runs_in_c = lua_isnoneornil(L, 2) || lua_iscfunction(L, 2);
  if (lua_type(L, 1) == LUA_TTABLE && runs_in_c && is_long(L)) {
    lua_settop(L, 2);
    lua_pushlightuserdata(L, s);
    lua_insert(L, 2);
    lua_pushcclosure(L, compare, 2);
  }
  return s->sort(L);
}

void open_sandbox_tables(lua_State *L, sandbox *s) {
  static const luaL_Reg functions[] = {{"insert", insert}, {"remove", remove_element},
                                       {"concat", concat}, {"move", move},
                                       {"sort", sort},     {NULL, NULL}};
  s->insert = library_function(L, "insert");
  s->remove = library_function(L, "remove");
  s->concat = library_function(L, "concat");
  s->sort = library_function(L, "sort");
  set_sandbox_functions(L, functions);
}
