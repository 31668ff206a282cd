/* lua_recovery_test.c: Lua programs that continue after a failed allocation. Runs spec/support/recovery.lua, which has the
 * programs and the checks, with an allocator that fails on request. */
#include <lauxlib.h>
#include <lualib.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "torch.h"

/* Lua's allocator: the number of requests, and the one that fails. Lua asks once more after a collection, so two requests in
 * a row fail. */
typedef struct counting {
  long asked, fails_at; /* -1: never */
  bool lost_a_finalizer;
} counting;
static counting memory = {0, -1, false};

static void *count_and_fail(void *user, void *pointer, size_t old_size, size_t new_size) {
  counting *c = user;
  if (!pointer) old_size = 0; /* there it names a kind of object */
  if (new_size > old_size) {
    long n = c->asked++;
    if (c->fails_at >= 0 && (n == c->fails_at || n == c->fails_at + 1)) return NULL;
  }
  if (new_size > 0) return realloc(pointer, new_size);
  free(pointer);
  return NULL;
}

/* Notes Lua's warning that it had no memory to call a __gc. Lua does not call that __gc again. */
static void note_lost_finalizer(void *user, const char *message, int to_be_continued) {
  counting *c = user;
  (void)to_be_continued;
  if (strstr(message, "__gc")) c->lost_a_finalizer = true;
}

/* fail_at(n): makes Lua's n-th allocation from now on fail; nil: none. Returns the number of allocations since the last call,
 * and true if a finalizer was lost by the failure. */
static int fail_at(lua_State *L) {
  long asked = memory.asked;
  bool lost = memory.lost_a_finalizer;
  memory.fails_at = -1; /* not while this function answers */
  lua_pushinteger(L, asked);
  lua_pushboolean(L, lost);
  memory = (counting){0, luaL_optinteger(L, 1, -1), false};
  return 2;
}

static int run(lua_State *L) {
  luaL_openlibs(L);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  lua_pushcfunction(L, luaopen_torch);
  lua_setfield(L, -2, "torch");
  const char *step = getenv("TOCHA_ALLOCATION_STEP");
#ifdef __SANITIZE_ADDRESS__
  long every = 13;
#else
  long every = 1;
#endif
  if (luaL_loadfile(L, "spec/support/recovery.lua") != LUA_OK) return lua_error(L);
  lua_pushcfunction(L, fail_at);
  lua_pushinteger(L, step ? strtol(step, NULL, 10) : every);
  lua_pushstring(L, lua_tostring(L, 1)); /* NULL: nil */
  lua_call(L, 3, 0);
  return 0;
}

int main(int count, char **words) {
  lua_State *L = lua_newstate(count_and_fail, &memory);
  if (!L) return 1;
  lua_setwarnf(L, note_lost_finalizer, &memory);
  lua_pushcfunction(L, run);
  lua_pushstring(L, count > 1 ? words[1] : NULL);
  int status = lua_pcall(L, 1, 0, 0);
  if (status != LUA_OK) printf("%s\n", luaL_tolstring(L, -1, NULL));
  lua_close(L);
  return status != LUA_OK;
}
