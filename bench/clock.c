/* clock.c: a wall clock for cases.lua (Lua's os.clock adds up the time of all threads). */
#include <lauxlib.h>
#include <lua.h>
#include <time.h>

/* Returns the nanoseconds since a fixed moment. */
static int now(lua_State *L) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  lua_pushinteger(L, (lua_Integer)t.tv_sec * 1000000000 + t.tv_nsec);
  return 1;
}

int luaopen_bench_clock(lua_State *L);

int luaopen_bench_clock(lua_State *L) {
  lua_pushcfunction(L, now);
  return 1;
}
