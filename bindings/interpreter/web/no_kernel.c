/* no_kernel.c: stands for kernel/ where there are no threads and no sockets: the program refuses to be a notebook's kernel. */
#include <lauxlib.h>

#include "interpreter/interpreter.h"

void run_kernel(lua_State *L, const char *connection_file) {
  luaL_error(
      L, "cannot serve '%s': a kernel needs threads and sockets, which this build does not have",
      connection_file);
}

int zmq_version_for_lua(lua_State *L) {
  (void)L;
  return 0;
}
