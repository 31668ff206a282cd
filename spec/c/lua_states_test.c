/* lua_states_test.c: several Lua states in one process. Each is interrupted alone, whichever others were opened or closed. */
#include <lauxlib.h>
#include <lualib.h>

#include "check.h"
#include "torch.h"

static lua_State *open_lua(void) {
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  luaL_requiref(L, "torch", luaopen_torch, 1);
  lua_settop(L, 0);
  return L;
}

/* Returns true if an operator of the state was stopped. */
static bool is_stopped(lua_State *L) {
  bool stopped = luaL_dostring(L, "return (torch.ones(3) + 1):sum():item()") != LUA_OK;
  lua_settop(L, 0);
  return stopped;
}

static int ticks;
static void tick(lua_State *L, lua_Debug *ar) {
  (void)L, (void)ar;
  ticks++;
}

/* The profiler gives a host's hook back, and so does a thread that ran a profile. */
static void hooks_come_back(void) {
  lua_State *L = open_lua();
  lua_sethook(L, tick, LUA_MASKCOUNT, 1000);
  CHECK(luaL_dostring(L, "local p = require 'torch'.profiler.profile(function() local x = 0 for i "
                         "= 1, 100 do x = x + i end end) "
                         "assert(p:by_line():find '# of Hits')") == LUA_OK);
  CHECK(lua_gethook(L) == tick && lua_gethookmask(L) == LUA_MASKCOUNT &&
        lua_gethookcount(L) == 1000);
  int before = ticks;
  CHECK(luaL_dostring(L, "for i = 1, 1e5 do end") == LUA_OK);
  CHECK(ticks > before);
  lua_sethook(L, NULL, 0, 0);
  CHECK(luaL_dostring(L, "local function hook() end debug.sethook(hook, 'l') "
                         "require 'torch'.profiler.profile(function() end) assert(debug.gethook() "
                         "== hook) debug.sethook()") == LUA_OK);
  lua_close(L);
}

static int asked;
static bool stops_at_third(void *user) {
  CHECK(user == &asked);
  return ++asked == 3;
}

/* A host's function stops long operators, and is not asked by short ones. */
static void host_is_asked(void) {
  lua_State *L = open_lua();
  tocha_binding_on_poll(L, stops_at_third, &asked);
  CHECK(luaL_dostring(L, "a = require 'torch'.ones(3) for i = 1, 1000 do a = a + 1 end") == LUA_OK);
  CHECK(asked <= 1);
  asked = 0;
  CHECK(luaL_dostring(L, "local torch = require 'torch' torch.set_num_threads(2) local x = "
                         "torch.rand(5000000) while true do x:sort() end") != LUA_OK);
  CHECK(asked == 3);
  CHECK(luaL_dostring(L, "return (a + 1):sum():item()") == LUA_OK);
  tocha_binding_on_poll(L, NULL, NULL);
  lua_close(L);
}

int main(void) {
  lua_State *first = open_lua(), *second = open_lua();
  tocha_lua_interrupt(first);
  CHECK(!is_stopped(second));
  CHECK(is_stopped(first));
  CHECK(!is_stopped(first));
  tocha_lua_interrupt(second);
  CHECK(!is_stopped(first));
  CHECK(is_stopped(second));
  tocha_lua_interrupt(first);
  CHECK(!tocha_lua_forget_interrupt(second));
  CHECK(tocha_lua_forget_interrupt(first));
  CHECK(!is_stopped(first));
  lua_close(second);
  tocha_lua_interrupt(first);
  CHECK(is_stopped(first));
  lua_State *third = open_lua(), *plain = luaL_newstate();
  tocha_lua_interrupt(plain);
  CHECK(!tocha_lua_forget_interrupt(plain));
  tocha_lua_interrupt(third);
  CHECK(!is_stopped(first));
  CHECK(is_stopped(third));
  lua_close(plain);
  lua_close(third);
  lua_close(first);
  hooks_come_back();
  host_is_asked();
  return finish();
}
