/* language.c: the editor's questions about Lua, which the session answers
 * (lua/prompt/session.lua). Nothing here raises. A question that fails has no answer. */
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>

#include "interpreter/interpreter.h"

enum { ANSWERS = 2 };

static const char candidates_key = 0;

/* Calls session[name](text, number) and leaves its two results. Returns false and leaves nothing
 * if that fails. [-0, +(0|2), m] */
static bool ask(lua_State *L, const char *name, const char *text, size_t length, size_t number) {
  int top = lua_gettop(L);
  if (!lua_checkstack(L, 8)) return false;
  push_session(L);
  if (lua_getfield(L, -1, name) == LUA_TFUNCTION) {
    lua_remove(L, -2);
    lua_pushlstring(L, text ? text : "", length);
    lua_pushinteger(L, (lua_Integer)number);
    if (lua_pcall(L, 2, ANSWERS, 0) == LUA_OK) return true;
  }
  lua_settop(L, top);
  return false;
}

static bool is_complete(void *context, const char *text, size_t length) {
  lua_State *L = context;
  if (!ask(L, "is_complete", text, length, 0)) return true; /* compiling will report the error */
  bool complete = lua_toboolean(L, -2);
  lua_pop(L, ANSWERS);
  return complete;
}

static bool highlight(void *context, const char *text, size_t length, size_t cursor,
                      unsigned char *styles) {
  lua_State *L = context;
  size_t n = 0;
  if (!ask(L, "styles", text, length, cursor + 1)) return false;
  const char *all = lua_tolstring(L, -2, &n);
  bool fits = all && n == length;
  if (fits) memcpy(styles, all, n);
  lua_pop(L, ANSWERS);
  return fits;
}

static indentation indent(void *context, const char *text, size_t length, size_t cursor) {
  lua_State *L = context;
  indentation i = {-1, 0};
  if (!ask(L, "indent", text, length, cursor + 1)) return i;
  i.line = (int)lua_tointeger(L, -2);
  i.next = (int)lua_tointeger(L, -1);
  lua_pop(L, ANSWERS);
  return i;
}

/* Returns the entries of a list {{text =, note =}, ...} at the top as an array. The registry
 * keeps the array, and with it the strings. [-0, +0, e] */
static candidate *candidates_of(lua_State *L, size_t count) {
  candidate *all = lua_newuserdatauv(L, count * sizeof *all, 1);
  for (size_t i = 0; i < count; i++) {
    lua_rawgeti(L, -2, (lua_Integer)i + 1);
    all[i].text = lua_getfield(L, -1, "text") == LUA_TSTRING ? lua_tostring(L, -1) : "";
    all[i].note = lua_getfield(L, -2, "note") == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
    lua_pop(L, 3);
  }
  lua_pushvalue(L, -2);
  lua_setiuservalue(L, -2, 1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &candidates_key);
  return all;
}

static int collect_candidates(lua_State *L) {
  candidates *out = lua_touserdata(L, 2);
  lua_settop(L, 1);
  out->count = (size_t)lua_rawlen(L, 1);
  out->all = candidates_of(L, out->count);
  return 0;
}

static bool complete(void *context, const char *text, size_t length, size_t cursor,
                     candidates *out) {
  lua_State *L = context;
  if (!ask(L, "complete", text, length, cursor + 1)) return false;
  lua_Integer begin = lua_tointeger(L, -2);
  bool found = lua_istable(L, -1) && begin >= 1 && (size_t)begin <= cursor + 1;
  if (found) {
    out->begin = (size_t)begin - 1;
    lua_pushcfunction(L, collect_candidates);
    lua_pushvalue(L, -2);
    lua_pushlightuserdata(L, out);
    found = lua_pcall(L, 2, 0, 0) == LUA_OK;
    if (!found) lua_pop(L, 1);
  }
  lua_pop(L, ANSWERS);
  return found;
}

static char *edit(void *context, const char *text, size_t length) {
  lua_State *L = context;
  if (!ask(L, "edited", text, length, 0)) return NULL;
  const char *edited = lua_tostring(L, -2);
  size_t size = edited ? strlen(edited) + 1 : 0;
  char *copy = edited ? malloc(size) : NULL;
  if (copy) memcpy(copy, edited, size);
  lua_pop(L, ANSWERS);
  return copy;
}

editor_language session_language(lua_State *L) {
  return (editor_language){L, is_complete, highlight, indent, complete, edit};
}
