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

int main(void) {
  lua_State *first = open_lua(), *second = open_lua();
  tocha_binding_interrupt(first);
  CHECK(!is_stopped(second));
  CHECK(is_stopped(first));
  CHECK(!is_stopped(first));
  tocha_binding_interrupt(second);
  CHECK(!is_stopped(first));
  CHECK(is_stopped(second));
  tocha_binding_interrupt(first);
  CHECK(!tocha_binding_clear_interrupt(second));
  CHECK(tocha_binding_clear_interrupt(first));
  CHECK(!is_stopped(first));
  lua_close(second);
  tocha_binding_interrupt(first);
  CHECK(is_stopped(first));
  lua_State *third = open_lua(), *plain = luaL_newstate();
  tocha_binding_interrupt(plain);
  CHECK(!tocha_binding_clear_interrupt(plain));
  tocha_binding_interrupt(third);
  CHECK(!is_stopped(first));
  CHECK(is_stopped(third));
  lua_close(plain);
  lua_close(third);
  lua_close(first);
  return finish();
}
