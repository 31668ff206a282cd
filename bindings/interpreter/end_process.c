/* end_process.c: the end of the process, also while a call of LAPACK that Ctrl-C has abandoned
 * still computes.
 *
 * exit runs the destructor of OpenBLAS, which unmaps the memory in which such a call works. The
 * program therefore ends by _Exit while there is one: at its own end, and in its own os.exit.
 * Any other exit (of a C module, a worker's os.exit) waits until the calls have ended. */
#include <stdio.h>
#include <stdlib.h>

#include <lauxlib.h>
#include <lualib.h>

#include "interpreter/interpreter.h"
#include "platform/platform.h"
#include "tocha/signals.h"

_Noreturn void end_process(int status) {
  if (tocha_abandoned_calls() == 0) exit(status);
  fflush(NULL);
  _Exit(status);
}

static void await_abandoned_calls(void) {
  const int64_t pause = 10000000;
  while (tocha_abandoned_calls() > 0) platform_sleep(pause);
}

/* os.exit([code [, close]]) ends the program as Lua's own os.exit does. */
static int exit_program(lua_State *L) {
  int status =
      lua_isboolean(L, 1) ? !lua_toboolean(L, 1) : (int)luaL_optinteger(L, 1, EXIT_SUCCESS);
  if (lua_toboolean(L, 2)) lua_close(L);
  end_process(status);
}

void allow_abandoned_calls(lua_State *L) {
  if (atexit(await_abandoned_calls)) return;
  tocha_allow_abandoned_calls(true);
  if (lua_getglobal(L, LUA_OSLIBNAME) == LUA_TTABLE) {
    lua_pushcfunction(L, exit_program);
    lua_setfield(L, -2, "exit");
  }
  lua_pop(L, 1);
}
