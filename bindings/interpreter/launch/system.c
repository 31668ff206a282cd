/* system.c: what the launcher alone asks of the system: signals, orphans, the guard. */
#include <lauxlib.h>

#include "interpreter/launch/launch.h"
#include "platform/platform.h"
#include "processes/processes.h"

enum { MAX_SIGNALS = 32 };

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

/* receive_signals("SIGINT", ...): returns a file with their numbers as bytes. */
static int receive_signals(lua_State *L) {
  int numbers[MAX_SIGNALS], count = lua_gettop(L);
  luaL_argcheck(L, count <= MAX_SIGNALS, MAX_SIGNALS + 1, "too many signals");
  for (int i = 0; i < count; i++) {
    numbers[i] = platform_signal_number(luaL_checkstring(L, i + 1));
    luaL_argcheck(L, numbers[i] > 0, i + 1, "unknown signal");
  }
  return push_file(L, platform_receive_signals(count, numbers));
}

static int adopt_orphans(lua_State *L) {
  lua_pushboolean(L, platform_adopt_orphans());
  return 1;
}

/* kill_children(spares_guard): kills all children, and those that are adopted meanwhile. */
static int kill_children(lua_State *L) {
  platform_kill_children(lua_toboolean(L, 1));
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
