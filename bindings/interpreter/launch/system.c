/* system.c: what the launcher alone asks of the system: signals, orphans, the guard. */
#include <lauxlib.h>

#include "interpreter/launch/launch.h"
#include "platform/platform.h"
#include "processes/processes.h"

static int push_file(lua_State *L, int file) {
  if (file < 0) return push_system_error(L);
  lua_pushinteger(L, file);
  return 1;
}

static int start_guard(lua_State *L) { return push_file(L, platform_start_guard()); }

static int release_group(lua_State *L) {
  platform_release_group((int)luaL_checkinteger(L, 1), (long)luaL_checkinteger(L, 2));
  return 0;
}

static int receive_signals(lua_State *L) { return push_file(L, platform_receive_signals()); }

static int adopt_orphans(lua_State *L) {
  lua_pushboolean(L, platform_adopt_orphans());
  return 1;
}

static int kill_children(lua_State *L) {
  (void)L;
  platform_kill_children();
  return 0;
}

void open_launch(lua_State *L) {
  static const luaL_Reg functions[] = {{"guard", start_guard},
                                       {"release_group", release_group},
                                       {"receive_signals", receive_signals},
                                       {"adopt_orphans", adopt_orphans},
                                       {"kill_children", kill_children},
                                       {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
