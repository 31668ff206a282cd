/* callback.c: one protected call for everything that the runtime calls in Lua. */
#include "lua/callback.h"

#include <string.h>

#include "lua/guard.h"
#include "sandbox/confined.h"

typedef struct protected_call {
  binding *b;
  callback_body *body;
  void *argument;
  int results;
  bool ok;
} protected_call;

/* Handles an error's message. A yield cannot pass through the runtime, so its error says what to do
 * instead. */
static int handle_error(lua_State *L) {
  static const char yield[] = "attempt to yield across a C-call boundary";
  if (lua_type(L, 1) != LUA_TSTRING || strcmp(lua_tostring(L, 1), yield) != 0)
    return keep_traceback(L);
  push_hinted_error(
      L, TOCHA_RUNTIME_ERROR,
      "hooks, backward functions, closures, converters and parametrizations are called in the "
      "middle "
      "of a call of torch and must return: keep what the coroutine is to see in a variable, and "
      "yield after that call",
      yield);
  return 1;
}

/* Runs the body of the protected call whose light userdata is the last argument, on the other
 * arguments. */
static int run_body(lua_State *L) {
  protected_call *c = lua_touserdata(L, -1);
  lua_pop(L, 1);
  c->ok = c->body(L, c->b, c->argument);
  if (!c->ok) return 0;
  return c->results == LUA_MULTRET ? lua_gettop(L) : c->results;
}

/* Calls the body and replaces the arguments by its results, or by the error that it raised.
 * Returns the status of lua_pcall. [-arguments, +(results|1), -] */
static int call_body(lua_State *L, int arguments, protected_call *c) {
  binding *b = c->b;
  int base = lua_gettop(L) - arguments + 1;
  tocha_scope floor = b->floor;
  b->floor = tocha_scope_begin(b->cx);
  lua_pushcfunction(L, handle_error);
  lua_insert(L, base);
  lua_pushcfunction(L, run_body);
  lua_insert(L, base + 1);
  lua_pushlightuserdata(L, c);
  int status = lua_pcall(L, arguments + 1, c->results, base);
  lua_remove(L, base);
  if (status == LUA_ERRMEM) end_for_memory(L); /* as torch's error, a script could catch it */
  if (status != LUA_OK || !c->ok) tocha_scope_end(b->cx, b->floor, NULL);
  b->floor = floor;
  note_running(L, b);
  if (b->watched) drop_dead(L, b); /* their modes end before C goes on with its own */
  return status;
}

bool call_back(binding *b, int arguments, int results, callback_body *body, void *argument) {
  return call_back_in(running_thread(b), b, arguments, results, body, argument);
}

bool call_back_in(lua_State *L, binding *b, int arguments, int results, callback_body *body,
                  void *argument) {
  int top = lua_gettop(L) - arguments;
  protected_call c = {b, body, argument, results, false};
  if (!lua_checkstack(L, results + 8)) {
    tocha_fail(b->cx, TOCHA_MEMORY_ERROR, "stack overflow: not enough memory for the Lua stack");
  } else if (call_body(L, arguments, &c) != LUA_OK) {
    fail_with_lua_error(L, b->cx);
    c.ok = false;
  }
  if (!c.ok) lua_settop(L, top);
  return c.ok;
}

void call_to_end(lua_State *L, int arguments, int results) {
  int base = lua_gettop(L) - arguments;
  lua_pushcfunction(L, handle_error);
  lua_insert(L, base);
  if (lua_pcall(L, arguments, results, base) != LUA_OK) lua_error(L);
  lua_remove(L, base);
}

void call_back_quietly(binding *b, callback_body *body, void *argument) {
  lua_State *L = running_thread(b);
  int top = lua_gettop(L);
  protected_call c = {b, body, argument, 0, false};
  if (lua_checkstack(L, 8)) call_body(L, 0, &c);
  lua_settop(L, top);
}
