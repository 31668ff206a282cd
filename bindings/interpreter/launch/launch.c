/* launch.c: the launcher's side: `tocha --nproc N script` and `tocharun script`. */
#include "interpreter/launch/launch.h"

#include <stdlib.h>

#include <lauxlib.h>
#include <lualib.h>

#include "interpreter/interpreter.h"
#include "lua/binding.h"
#include "platform/platform.h"
#include "torch.h"

const char *const launch_usage =
    "  --nproc n|gpu|cpu [options] script ...  run a script in many processes, as tocharun\n"
    "            (docs/launching.md; --nproc 1 --help shows the options)\n";

/* (argv) Returns the exit code, and the signal by which to end. */
static int run(lua_State *L) {
  char **argv = lua_touserdata(L, 1);
  char path[4096];
  luaL_checkversion(L);
  luaL_openlibs(L);
  luaL_requiref(L, "torch", luaopen_torch, 1);
  lua_getfield(L, -1, "_processes");
  open_launch(L);
  push_part(L, "launch");
  lua_newtable(L);
  for (int i = 1; argv[i]; i++) {
    lua_pushstring(L, argv[i]);
    lua_rawseti(L, -2, i);
  }
  lua_pushstring(L, program_name);
  lua_pushstring(L, platform_program_path(path, sizeof path) ? path : program_name);
  lua_call(L, 3, 1);
  return 1;
}

int run_launch(char **argv) {
  lua_State *L = new_state();
  if (!L) return EXIT_FAILURE;
  lua_pushcfunction(L, run);
  lua_pushlightuserdata(L, argv);
  int status = lua_pcall(L, 1, 1, 0);
  int code = status == LUA_OK ? (int)lua_tointeger(L, -1) : EXIT_FAILURE;
  report(L, status);
  lua_close(L);
  return code;
}
