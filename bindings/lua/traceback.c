/* traceback.c: the stack of an error. luaL_traceback searches all loaded modules for the name of
 * every function, which is too slow for errors that are caught in a loop. Lua's debug.traceback
 * returns errors that are not strings unchanged, so it is replaced. */
#include <stdio.h>
#include <string.h>

#include <lualib.h>

#include "lua/options.h"

/* FIRST, LAST: levels that are shown of a deep stack, as Lua does. INNER, OUTER: levels at the two ends of a
 * stack among which the program's is looked for. */
enum { FIRST = 10, LAST = 11, INNER = 1000, OUTER = 100 };

/* Returns the number of levels of the stack. Lua walks to a level from the innermost one, so that a loop over
 * all levels would take time that grows with the square of their number. */
static int stack_depth(lua_State *L) {
  lua_Debug ar;
  int low = 0, high = 1;
  while (lua_getstack(L, high, &ar)) {
    low = high;
    high *= 2;
  }
  while (low + 1 < high) {
    int middle = low + (high - low) / 2;
    if (lua_getstack(L, middle, &ar))
      low = middle;
    else
      high = middle;
  }
  return high;
}

/* Looks for a level of the program among first..end - 1. Returns -1 if there is none. */
static int find_program(lua_State *L, int first, int end, lua_Debug *ar) {
  for (int i = first; i < end && lua_getstack(L, i, ar); i++) {
    lua_getinfo(L, "Sl", ar);
    if (ar->currentline > 0 && strncmp(ar->source, "=[tocha]", 8) != 0) return i;
  }
  return -1;
}

int find_program_level(lua_State *L, int level, lua_Debug *ar) {
  int found = find_program(L, level, level + INNER, ar);
  if (found >= 0 || !lua_getstack(L, level + INNER, ar)) return found;
  int depth = stack_depth(L), first = depth - OUTER;
  return find_program(L, first > level + INNER ? first : level + INNER, depth, ar);
}

static void add_level(lua_State *L, luaL_Buffer *b, lua_Debug *ar) {
  char text[LUA_IDSIZE + 120];
  lua_getinfo(L, "Slnt", ar);
  if (ar->currentline > 0)
    snprintf(text, sizeof text, "\n\t%s:%d: in ", ar->short_src, ar->currentline);
  else
    snprintf(text, sizeof text, "\n\t%s: in ", ar->short_src);
  luaL_addstring(b, text);
  if (ar->namewhat[0])
    snprintf(text, sizeof text, "%s '%.100s'",
             strcmp(ar->namewhat, "global") == 0 ? "function" : ar->namewhat, ar->name);
  else if (*ar->what == 'm')
    snprintf(text, sizeof text, "main chunk");
  else if (*ar->what == 'C')
    snprintf(text, sizeof text, "?");
  else
    snprintf(text, sizeof text, "function <%s:%d>", ar->short_src, ar->linedefined);
  luaL_addstring(b, text);
  if (ar->istailcall) luaL_addstring(b, "\n\t(...tail calls...)");
}

void push_traceback(lua_State *L, int level) {
  lua_Debug ar;
  luaL_Buffer b;
  int own = find_program_level(L, level, &ar);
  if (own >= 0) level = own; /* else the program called torch from C or by a tail call */
  int count = stack_depth(L) - level;
  luaL_buffinit(L, &b);
  luaL_addstring(&b, "stack traceback:");
  for (int i = 0; i < count && lua_getstack(L, level + i, &ar); i++) {
    if (i == FIRST && count > FIRST + LAST) {
      luaL_addstring(&b, "\n\t...\t(skipping some levels)");
      i = count - LAST - 1;
      continue;
    }
    add_level(L, &b, &ar);
  }
  luaL_pushresult(&b);
}

/* --- errors that pass through C --------------------------------------------------------------------- */

/* A string raised in a callback (a backward, a hook) is raised again by the call of torch around
 * it, where its stack is gone. The registry therefore keeps the last such string and its stack. */
static const char kept_key = 0;

int keep_traceback(lua_State *L) {
  lua_settop(L, 1);
  if (lua_type(L, 1) != LUA_TSTRING) return 1;
  lua_createtable(L, 2, 0);
  lua_pushvalue(L, 1);
  lua_rawseti(L, -2, 1);
  push_traceback(L, 1);
  lua_rawseti(L, -2, 2);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &kept_key);
  return 1;
}

bool tocha_binding_push_traceback(lua_State *L, int index) {
  int top = lua_gettop(L);
  index = lua_absindex(L, index);
  if (lua_type(L, index) != LUA_TSTRING || !lua_checkstack(L, 4)) return false;
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &kept_key) != LUA_TTABLE) {
    lua_settop(L, top);
    return false;
  }
  lua_rawgeti(L, -1, 1);
  if (!lua_rawequal(L, -1, index)) {
    lua_settop(L, top);
    return false;
  }
  lua_rawgeti(L, -2, 2);
  lua_replace(L, top + 1);
  lua_settop(L, top + 1);
  return true;
}

const char *kept_traceback(lua_State *L, int index) {
  if (!tocha_binding_push_traceback(L, index)) return "";
  const char *text = lua_tostring(L, -1);
  lua_pop(L, 1); /* the registry keeps it */
  return text;
}

/* Returns the result of debug.traceback([thread,] [message [, level]]). An error of torch
 * becomes its text and the stack at which it was raised. */
static int traceback(lua_State *L) {
  lua_State *thread = lua_isthread(L, 1) ? lua_tothread(L, 1) : L;
  int first = thread == L && !lua_isthread(L, 1) ? 1 : 2;
  if (is_torch_error(L, first)) {
    push_error_text(L, first);
    lua_pushliteral(L, "\n");
    if (lua_getfield(L, first, "traceback") != LUA_TSTRING)
      return luaL_argerror(L, first, "no stack");
    lua_concat(L, 3);
    return 1;
  }
  const char *message = lua_tostring(L, first);
  if (message && tocha_binding_push_traceback(L, first)) {
    lua_pushfstring(L, "%s\n%s", message, lua_tostring(L, -1));
  } else if (!message && !lua_isnoneornil(L, first)) {
    lua_pushvalue(L, first);
  } else {
    int level = (int)luaL_optinteger(L, first + 1, L == thread);
    luaL_traceback(L, thread, message, level);
  }
  return 1;
}

void open_traceback(lua_State *L) {
  if (options_of(L)->given.leave & TOCHA_LUA_LEAVE_TRACEBACK) return;
  lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  if (lua_getfield(L, -1, LUA_DBLIBNAME) == LUA_TTABLE) {
    lua_pushcfunction(L, traceback);
    lua_setfield(L, -2, "traceback");
  }
  lua_pop(L, 2);
}
