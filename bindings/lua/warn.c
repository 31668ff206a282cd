/* warn.c: warnings, in PyTorch's words and by Python's rule: each is shown once for every line
 * of a program that causes it. */
#include <string.h>

#include "lua/binding.h"

static const char shown_key = 0; /* registry: table of the texts that were shown */

/* Pushes the warning at index `text`. If it begins with the number of a prompt's entry
 * ("[12]:1"), which the user does not know, "stdin" replaces that number. [-0, +1, m] */
static void push_shown(lua_State *L, int text) {
  const char *s = lua_tostring(L, text);
  size_t digits = *s == '[' ? strspn(s + 1, "0123456789") : 0;
  if (digits > 0 && s[digits + 1] == ']')
    lua_pushfstring(L, "stdin%s", s + digits + 2);
  else
    lua_pushvalue(L, text);
}

/* Shows a warning (category, message), both given as light userdata. */
static int show(lua_State *L) {
  const char *category = lua_touserdata(L, 1), *message = lua_touserdata(L, 2);
  if (!push_position(L)) lua_pushliteral(L, "torch");
  lua_pushfstring(L, "%s: %s: %s", lua_tostring(L, 3), category, message);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &shown_key);
  lua_pushvalue(L, 4);
  if (lua_rawget(L, -2) != LUA_TNIL) return 0;
  lua_pushvalue(L, 4);
  lua_pushboolean(L, true);
  lua_rawset(L, 5);
  push_shown(L, 4);
  lua_warning(L, lua_tostring(L, -1), 0);
  return 0;
}

void show_warning(lua_State *L, const char *category, const char *message) {
  int top = lua_gettop(L);
  if (!lua_checkstack(L, 8)) return;
  lua_pushcfunction(L, show);
  lua_pushlightuserdata(L, (void *)category);
  lua_pushlightuserdata(L, (void *)message);
  lua_pcall(L, 2, 0, 0);
  lua_settop(L, top);
}

/* torch._warn(message [, category]) shows a warning. */
static int warn_from_lua(lua_State *L) {
  show_warning(L, luaL_optstring(L, 2, "UserWarning"), luaL_checkstring(L, 1));
  return 0;
}

/* torch._set_warnings(on) turns warnings on or off. */
static int set_warnings(lua_State *L) {
  lua_warning(L, lua_toboolean(L, 1) ? "@on" : "@off", 0);
  return 0;
}

void open_warnings(lua_State *L, int torch) {
  lua_newtable(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &shown_key);
  lua_pushcfunction(L, warn_from_lua);
  lua_setfield(L, torch, "_warn");
  lua_pushcfunction(L, set_warnings);
  lua_setfield(L, torch, "_set_warnings");
  lua_warning(L, "@on", 0); /* on, as in Python, until a program turns them off */
}
