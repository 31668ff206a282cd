/* session.c: opens the session of the prompt (lua/prompt/session.lua), and gives it the system
 * calls that it needs. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE
#endif

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <lauxlib.h>

#include "interpreter/interpreter.h"
#include "lua/binding.h"

static const char session_key = 0;

void push_session(lua_State *L) { lua_rawgetp(L, LUA_REGISTRYINDEX, &session_key); }

/* session.folder(path): returns the names in a folder, folders with a slash, or nil if there is no
 * such folder. [-0, +1, e] */
static int folder(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  DIR *dir = opendir(path);
  if (!dir) return 0;
  lua_settop(L, 1);
  lua_newtable(L);
  for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
    struct stat s;
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    lua_pushfstring(L, "%s/%s", path, entry->d_name);
    bool is_folder = stat(lua_tostring(L, -1), &s) == 0 && S_ISDIR(s.st_mode);
    lua_pop(L, 1);
    lua_pushfstring(L, "%s%s", entry->d_name, is_folder ? "/" : "");
    lua_rawseti(L, 2, (lua_Integer)lua_rawlen(L, 2) + 1);
  }
  closedir(dir);
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
  char current[PATH_MAX];
  const char *path = luaL_optstring(L, 1, ".");
  if (chdir(path) != 0 || !getcwd(current, sizeof current)) return push_failure(L, path);
  lua_pushstring(L, current);
  return 1;
}

/* session.set_environment(name, value): sets a variable for the programs that the session starts; a
 * nil value removes it. [-0, +1, e] */
static int set_environment(lua_State *L) {
  const char *name = luaL_checkstring(L, 1), *value = luaL_optstring(L, 2, NULL);
  lua_pushboolean(L, (value ? setenv(name, value, 1) : unsetenv(name)) == 0);
  return 1;
}

/* session.environment(): returns a list of NAME=VALUE. [-0, +1, m] */
static int environment(lua_State *L) {
  extern char **environ;
  lua_newtable(L);
  for (int i = 0; environ && environ[i]; i++) {
    lua_pushstring(L, environ[i]);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

/* session.window(): returns the columns and rows of the output's terminal, or nil if it is not a
 * terminal. [-0, +(1|2), -] */
static int window(lua_State *L) {
  struct winsize size;
  if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return 0;
  lua_pushinteger(L, size.ws_col);
  lua_pushinteger(L, size.ws_row);
  return 2;
}

int open_session(lua_State *L) {
  static const luaL_Reg functions[] = {{"folder", folder},
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
