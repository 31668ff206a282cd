/* session.c: opens the session of the prompt (lua/prompt/session.lua), and gives it the system
 * calls that it needs. */
#include <errno.h>
#include <string.h>

#include <lauxlib.h>

#include "interpreter/interpreter.h"
#include "lua/binding.h"
#include "platform/platform.h"

enum { PATH_ROOM = 4096 };
static const char session_key = 0;

void push_session(lua_State *L) { lua_rawgetp(L, LUA_REGISTRYINDEX, &session_key); }

/* session.folder(path): returns the names in a folder, folders with a slash, or nil if there is no
 * such folder. [-0, +1, e] */
static int list_folder(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  platform_folder *folder = platform_open_folder(path);
  if (!folder) return 0;
  lua_settop(L, 1);
  lua_newtable(L);
  for (const char *name; (name = platform_next_name(folder)) != NULL;) {
    platform_status status;
    lua_pushfstring(L, "%s/%s", path, name);
    bool is_folder =
        platform_path_status(lua_tostring(L, -1), &status) && status.kind == PLATFORM_FOLDER;
    lua_pop(L, 1);
    lua_pushfstring(L, "%s%s", name, is_folder ? "/" : "");
    lua_rawseti(L, 2, (lua_Integer)lua_rawlen(L, 2) + 1);
  }
  platform_close_folder(folder);
  return 1;
}

/* Pushes nil and the text of errno. [-0, +2, m] */
static int push_failure(lua_State *L, const char *path) {
  int code = errno;
  lua_pushnil(L);
  lua_pushfstring(L, "[Errno %d] %s: '%s'", code, strerror(code), path);
  return 2;
}

/* session.change_folder([path]): makes the folder the current one; returns the current one, or nil
 * and a message. [-0, +(1|2), e] */
static int change_folder(lua_State *L) {
  char current[PATH_ROOM];
  const char *path = luaL_optstring(L, 1, ".");
  if (!platform_change_folder(path) || !platform_current_folder(current, sizeof current))
    return push_failure(L, path);
  lua_pushstring(L, current);
  return 1;
}

/* session.set_environment(name, value): sets a variable for the programs that the session starts; a
 * nil value removes it. [-0, +1, e] */
static int set_environment(lua_State *L) {
  const char *name = luaL_checkstring(L, 1), *value = luaL_optstring(L, 2, NULL);
  lua_pushboolean(L, platform_set_variable(name, value));
  return 1;
}

/* session.environment(): returns a list of NAME=VALUE. [-0, +1, m] */
static int environment(lua_State *L) {
  char **variables = platform_environment();
  lua_newtable(L);
  for (int i = 0; variables && variables[i]; i++) {
    lua_pushstring(L, variables[i]);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

/* session.window(): returns the columns and rows of the output's terminal, or nil if it is not a
 * terminal. [-0, +(1|2), -] */
static int window(lua_State *L) {
  int columns, rows;
  if (!platform_window_size(PLATFORM_STDOUT, &columns, &rows) || columns == 0) return 0;
  lua_pushinteger(L, columns);
  lua_pushinteger(L, rows);
  return 2;
}

int open_session(lua_State *L) {
  static const luaL_Reg functions[] = {{"folder", list_folder},
                                       {"change_folder", change_folder},
                                       {"set_environment", set_environment},
                                       {"environment", environment},
                                       {"window", window},
                                       {NULL, NULL}};
  push_part(L, "prompt.session");
  luaL_setfuncs(L, functions, 0);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &session_key);
  return 0;
}
