/* child.c: the side of a process that a launcher has started. */
#include <stdio.h>
#include <stdlib.h>

#include <lauxlib.h>

#include "interpreter/launch/launch.h"
#include "lua/binding.h"
#include "platform/platform.h"

/* Set by tocha's own launcher, to the number of its process. It shows the errors of those that it started. */
static const char LAUNCHER[] = "TOCHA_LAUNCHER";
/* Set by torchrun and by tocha: the file in which a process says why it fails. */
static const char ERROR_FILE[] = "TORCHELASTIC_ERROR_FILE";

/* Returns true if the launcher itself has started this process, not one of its processes. */
static bool is_started_by_launcher(void) {
  const char *launcher = getenv(LAUNCHER);
  return launcher && strtol(launcher, NULL, 10) == platform_parent_process();
}

void join_launch(void) {
  read_starter();
  if (getenv(LAUNCHER)) setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
}

/* (message, kind) */
static int write_failure(lua_State *L) {
  push_part(L, "launch.failure");
  lua_insert(L, 1);
  lua_call(L, 2, 1);
  return 1;
}

bool tell_launcher(lua_State *L, const char *message, const char *kind) {
  bool launched = is_started_by_launcher();
  if (!getenv(ERROR_FILE) || (getenv(LAUNCHER) && !launched) || !lua_checkstack(L, 8)) return false;
  lua_pushcfunction(L, write_failure);
  lua_pushstring(L, message);
  lua_pushstring(L, kind);
  bool told = lua_pcall(L, 2, 1, 0) == LUA_OK && lua_toboolean(L, -1);
  lua_pop(L, 1);
  return told && launched;
}
