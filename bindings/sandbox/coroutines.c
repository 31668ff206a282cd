/* coroutines.c: coroutines of a sandbox. A hook belongs to one coroutine, so the one that runs must be
 * known, and the error of a limit goes through all that wait for it. */
#include "sandbox/sandbox.h"

/* Notes that a limit ended the coroutine. Its variables to be closed stay open: their functions would
 * run without hooks. [-0, +0, m] */
static void note_ended(lua_State *L, lua_State *coroutine) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, "tocha.sandbox.ended");
  lua_pushthread(coroutine);
  lua_xmove(coroutine, L, 1);
  lua_pushboolean(L, true);
  lua_rawset(L, -3);
  lua_pop(L, 1);
}

/* Runs the coroutine with the top `arguments` values of L. Returns the number of results on L, or -1
 * with the error there. */
static int resume(lua_State *L, sandbox *s, lua_State *coroutine, int arguments) {
  int results = 0;
  if (!lua_checkstack(coroutine, arguments)) {
    lua_pushliteral(L, "too many arguments to resume");
    return -1;
  }
  lua_xmove(L, coroutine, arguments);
  atomic_store(&s->running, coroutine);
  check_sandbox(L, s); /* an end before the store has set the hook of another coroutine */
  int status = lua_resume(coroutine, L, arguments, &results);
  atomic_store(&s->running, L);
  if (atomic_load(&s->ended)) note_ended(L, coroutine);
  check_status(L, s, status);
  if (status != LUA_OK && status != LUA_YIELD) {
    lua_xmove(coroutine, L, 1);
    return -1;
  }
  if (!lua_checkstack(L, results + 1)) {
    lua_pop(coroutine, results);
    lua_pushliteral(L, "too many results to resume");
    return -1;
  }
  lua_xmove(coroutine, L, results);
  return results;
}

static lua_State *check_coroutine(lua_State *L) {
  lua_State *coroutine = lua_tothread(L, 1);
  luaL_argexpected(L, coroutine, 1, "coroutine");
  return coroutine;
}

/* coroutine.resume(coroutine, ...) */
static int resume_coroutine(lua_State *L) {
  lua_State *coroutine = check_coroutine(L);
  int results = resume(L, sandbox_of(L), coroutine, lua_gettop(L) - 1);
  lua_pushboolean(L, results >= 0);
  lua_insert(L, results >= 0 ? -(results + 1) : -2);
  return results >= 0 ? results + 1 : 2;
}

/* coroutine.create(f) */
static int create_coroutine(lua_State *L) {
  sandbox *s = sandbox_of(L);
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_State *coroutine = lua_newthread(L);
  if (s->period) { /* its first period is not counted otherwise */
    set_sandbox_hook(coroutine, s);
    spend(L, s, (unsigned)s->period);
  }
  lua_pushvalue(L, 1);
  lua_xmove(L, coroutine, 1);
  return 1;
}

/* Closes a coroutine that failed, and adds the caller's position to a message, as coroutine.wrap does. */
static int fail_step(lua_State *L, lua_State *coroutine) {
  sandbox *s = sandbox_of(L);
  int status = lua_status(coroutine);
  atomic_store(&s->running, coroutine); /* its variables are closed in it */
  check_sandbox(L, s);
  if (status != LUA_OK && status != LUA_YIELD && lua_resetthread(coroutine) != LUA_OK) {
    lua_xmove(coroutine, L, 1);
    lua_remove(L, -2);
  }
  atomic_store(&s->running, L);
  check_sandbox(L, s);
  if (status != LUA_ERRMEM && lua_type(L, -1) == LUA_TSTRING) {
    luaL_where(L, 1);
    lua_insert(L, -2);
    lua_concat(L, 2);
  }
  return lua_error(L);
}

/* The function that coroutine.wrap returns; the coroutine is its second upvalue. */
static int step(lua_State *L) {
  lua_State *coroutine = lua_tothread(L, lua_upvalueindex(2));
  int results = resume(L, sandbox_of(L), coroutine, lua_gettop(L));
  return results >= 0 ? results : fail_step(L, coroutine);
}

static int wrap_coroutine(lua_State *L) {
  create_coroutine(L);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, -2);
  lua_pushcclosure(L, step, 2);
  return 1;
}

/* coroutine.close(coroutine), by Lua's own function, the second upvalue. */
static int close_coroutine(lua_State *L) {
  sandbox *s = sandbox_of(L);
  check_coroutine(L);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, "tocha.sandbox.ended");
  lua_pushvalue(L, 1);
  bool was_ended = lua_rawget(L, -2) != LUA_TNIL;
  lua_settop(L, 1);
  if (was_ended) return luaL_error(L, "cannot close a coroutine that a limit of the sandbox ended");
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_insert(L, 1);
  atomic_store(&s->running, lua_tothread(L, 2)); /* its variables are closed in the coroutine */
  check_sandbox(L, s);
  int status = lua_pcall(L, 1, LUA_MULTRET, 0);
  atomic_store(&s->running, L);
  check_status(L, s, status);
  return status == LUA_OK ? lua_gettop(L) : lua_error(L);
}

void open_sandbox_coroutines(lua_State *L, sandbox *s) {
  static const luaL_Reg functions[] = {{"resume", resume_coroutine},
                                       {"create", create_coroutine},
                                       {"wrap", wrap_coroutine},
                                       {NULL, NULL}};
  luaL_getsubtable(L, LUA_REGISTRYINDEX, "tocha.sandbox.ended");
  lua_createtable(L, 0, 1);
  lua_pushliteral(L, "k");
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, -2);
  lua_pop(L, 1);
  set_sandbox_functions(L, functions);
  lua_pushlightuserdata(L, s);
  lua_getfield(L, -2, "close");
  lua_pushcclosure(L, close_coroutine, 2);
  lua_setfield(L, -2, "close");
}
