/* events.c: Lua's events on modules. A class defines them as Lua's own classes do: function
 * Net.__add(a, b). */
#include <string.h>

#include "nn/module.h"

bool push_class_event(lua_State *L, int index, const char *event) {
  if (!to_module(L, index)) return false;
  int top = lua_gettop(L);
  lua_getiuservalue(L, index, MODULE_CLASS);
  if (lua_type(L, -1) == LUA_TTABLE && lua_getfield(L, -1, event) != LUA_TNIL) {
    lua_replace(L, top + 1);
    return true;
  }
  lua_settop(L, top);
  return false;
}

static int all_results(lua_State *L, int status, lua_KContext context) {
  (void)status;
  (void)context;
  return lua_gettop(L);
}

int call_class_event(lua_State *L) {
  lua_insert(L, 1);
  lua_callk(L, lua_gettop(L) - 1, LUA_MULTRET, 0, all_results);
  return lua_gettop(L);
}

static const char *push_type(lua_State *L, int index) {
  const tocha_module *m = to_module(L, index);
  return lua_pushstring(L, m ? tocha_module_name(m) : python_type(L, index));
}

/* (a, b) Calls the event of the first operand's class, or of the second's. Upvalues: the event,
 * the operator in messages. */
static int operate(lua_State *L) {
  const char *event = lua_tostring(L, lua_upvalueindex(1));
  const char *symbol = lua_tostring(L, lua_upvalueindex(2));
  if (push_class_event(L, 1, event) || push_class_event(L, 2, event)) return call_class_event(L);
  const char *left = push_type(L, 1), *right = push_type(L, 2);
  const char *hint = lua_pushfstring(L, "a class defines it: function %s.%s(a, b) ... end",
                                     to_module(L, 1) ? left : right, event);
  if (*symbol == '<' && symbol[1] != '<')
    return raise_hinted(L, TOCHA_TYPE_ERROR, hint,
                        "'%s' not supported between instances of '%s' and '%s'", symbol, left,
                        right);
  return raise_hinted(L, TOCHA_TYPE_ERROR, hint,
                      "unsupported operand type(s) for %s: '%s' and '%s'", symbol, left, right);
}

/* (a, b) Compares two different modules by __eq of their classes. Without __eq they are not
 * equal. */
static int equal(lua_State *L) {
  if (push_class_event(L, 1, "__eq") || push_class_event(L, 2, "__eq")) return call_class_event(L);
  lua_pushboolean(L, false);
  return 1;
}

void set_class_events(lua_State *L) {
  static const char *const events[][2] = {{"__add", "+"},
                                          {"__sub", "-"},
                                          {"__mul", "*"},
                                          {"__div", "/"},
                                          {"__mod", "%"},
                                          {"__idiv", "//"},
                                          {"__pow", "** or pow()"},
                                          {"__unm", "unary -"},
                                          {"__band", "&"},
                                          {"__bor", "|"},
                                          {"__bxor", "^"},
                                          {"__bnot", "unary ~"},
                                          {"__shl", "<<"},
                                          {"__shr", ">>"},
                                          {"__lt", "<"},
                                          {"__le", "<="}};
  for (int i = 0; i < TOCHA_COUNT(events); i++) {
    lua_pushstring(L, events[i][0]);
    lua_pushstring(L, events[i][1]);
    lua_pushcclosure(L, operate, 2);
    lua_setfield(L, -2, events[i][0]);
  }
  lua_pushcfunction(L, equal);
  lua_setfield(L, -2, "__eq");
}
