/* end_process.c: the end of the process, also while a call of LAPACK that Ctrl-C left still computes.
 *
 * exit runs the destructor of OpenBLAS, which unmaps the memory such a call works in. So the program leaves by _exit then: at its own
 * end, and by an os.exit of its own. Whoever else calls exit (a C module, a worker's os.exit) waits for the calls to end. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <lauxlib.h>
#include <lualib.h>

#include "interpreter/interpreter.h"
#include "tocha/signals.h"

_Noreturn void end_process(int status) {
  if (tocha_abandoned_calls() == 0) exit(status);
  fflush(NULL);
  _exit(status);
}

static void await_abandoned_calls(void) {
  const struct timespec pause = {0, 10000000};
  while (tocha_abandoned_calls() > 0) nanosleep(&pause, NULL);
}

/* os.exit([code [, close]]), as Lua's own. */
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
