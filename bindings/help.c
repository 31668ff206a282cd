/* help.c: help on any value, from the lists and from the pages of lua/help/init.lua. */
#include "arguments/functions.h"
#include "sandbox/confined.h"

/* torch._list_help(value) returns the signature and purpose of a function, an operator or a
 * class of modules from their lists, or nothing for another value. */
static int list_help(lua_State *L) {
  luaL_checkany(L, 1);
  if (push_operator_help(L, 1) || push_function_help(L, 1)) return 1;
  if (luaL_getmetafield(L, 1, "builtin") == LUA_TLIGHTUSERDATA) {
    const tocha_module_class *class = lua_touserdata(L, -1);
    lua_pushfstring(L, "%s%s\n    %s", class->name, class->signature, class->doc);
    return 1;
  }
  return 0;
}

/* torch._help(value) returns the help on any value, also on those that are written in Lua
 * (lua/help/init.lua), or nil. */
static int help(lua_State *L) {
  lua_settop(L, 1);
  if (!list_help(L)) lua_pushnil(L);
  if (!lua_isnil(L, -1) && lua_type(L, 1) == LUA_TFUNCTION) return 1;
  push_part(L, "help");
  lua_getfield(L, -1, "of");
  lua_pushvalue(L, 1);
  lua_pushnil(L);
  lua_pushvalue(L, -5);
  lua_call(L, 3, 1);
  return 1;
}

/* torch._print_help(value) prints the help on a value: `help` at the prompt. */
static int print_help(lua_State *L) {
  luaL_checkany(L, 1);
  lua_settop(L, 1);
  push_part(L, "help");
  lua_getfield(L, -1, "page");
  lua_pushvalue(L, 1);
  lua_call(L, 1, 1);
  if (lua_isnil(L, -1)) lua_pushfstring(L, "no help on %s", show_value(L, 1, NULL));
  lua_getglobal(L, "print");
  lua_insert(L, -2);
  lua_call(L, 1, 0);
  return 0;
}

void open_help(lua_State *L, int torch) {
  static const luaL_Reg functions[] = {{"_help", help},
                                       {"_print_help", print_help},
                                       {"_list_help", list_help},
                                       {"_same_as", operator_same_as},
                                       {NULL, NULL}};
  lua_pushvalue(L, torch);
  luaL_setfuncs(L, functions, 0);
  lua_pop(L, 1);
}
