/* collector.c: when Lua's garbage collector runs: it does not see the memory behind a tensor. */
#include <time.h>

#include "lua/binding.h"

/* Little between collections keeps results in the cache; a large heap of Lua's makes them dear. */
enum { LEAST_BETWEEN_COLLECTIONS = 4 << 20, MOST_FOR_LUA = 32 << 20, BYTES_FOR_LUA_BYTE = 16 };
/* Collections may take a fifth of the time, unless this much more has piled up. */
enum { MOST_POSTPONED = 64 << 20, TIMES_BETWEEN = 4 };

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A collection costs as much as Lua has objects and frees what tensors are garbage: the next one
 * comes after half of what survived was allocated again, or as much as Lua's own heap holds. */
static void collect(lua_State *L, binding *b) {
  double start = seconds();
  b->collecting = true;
  lua_gc(L, LUA_GCCOLLECT);
  b->collecting = false;
  b->collected_at = seconds();
  b->collection_time = b->collected_at - start;
  size_t lua_bytes = (size_t)lua_gc(L, LUA_GCCOUNT) << 10, half = tocha_live_bytes(b->cx) / 2;
  b->charged = tocha_total_bytes(b->cx);
  b->limit = lua_bytes < MOST_FOR_LUA / BYTES_FOR_LUA_BYTE ? BYTES_FOR_LUA_BYTE * lua_bytes
                                                           : (size_t)MOST_FOR_LUA;
  if (b->limit < LEAST_BETWEEN_COLLECTIONS) b->limit = LEAST_BETWEEN_COLLECTIONS;
  if (half > b->limit) b->limit = half;
  if (lua_bytes > b->limit) b->limit = lua_bytes;
}

void charge_collector(lua_State *L, binding *b) {
  size_t since = tocha_total_bytes(b->cx) - b->charged;
  if ((since <= b->limit && !b->stress) || b->collecting) return;
  bool early = since < b->limit + MOST_POSTPONED &&
               seconds() - b->collected_at < TIMES_BETWEEN * b->collection_time;
  if (!early || b->stress) collect(L, b);
}

/* The runtime asks for memory: finalizers run in the first collection, what they held goes in the
 * second. */
static bool release_memory(void *user) {
  binding *b = user;
  if (b->collecting) return false;
  size_t before = tocha_live_bytes(b->cx);
  collect(b->main, b);
  collect(b->main, b);
  return tocha_live_bytes(b->cx) < before;
}

static int collect_now(lua_State *L) {
  collect(L, binding_of(L));
  return 0;
}

/* torch._stress(true): a collection after every result (for specs). */
static int set_stress(lua_State *L) {
  luaL_checktype(L, 1, LUA_TBOOLEAN);
  binding_of(L)->stress = lua_toboolean(L, 1);
  return 0;
}

/* torch._memory(): live, peak and cached bytes of the CPU, collections forced, and how many tensors
 * the open scopes hold (0 between two calls). */
static int memory(lua_State *L) {
  tocha_context *cx = CX(L);
  tocha_memory_statistics s = tocha_memory(cx, tocha_cpu());
  lua_createtable(L, 0, 6);
  lua_pushinteger(L, (lua_Integer)s.allocated);
  lua_setfield(L, -2, "allocated");
  lua_pushinteger(L, (lua_Integer)s.max_allocated);
  lua_setfield(L, -2, "max_allocated");
  lua_pushinteger(L, (lua_Integer)s.reserved);
  lua_setfield(L, -2, "reserved");
  lua_pushinteger(L, (lua_Integer)s.total);
  lua_setfield(L, -2, "total");
  lua_pushinteger(L, (lua_Integer)s.collections);
  lua_setfield(L, -2, "collections");
  lua_pushinteger(L, (lua_Integer)tocha_scope_size(cx));
  lua_setfield(L, -2, "scope");
  return 1;
}

static int reset_peak_memory(lua_State *L) {
  tocha_reset_peak_memory(CX(L), tocha_cpu());
  return 0;
}

static int empty_cache(lua_State *L) {
  tocha_empty_cache(CX(L));
  return 0;
}

/* torch._fail_allocation(n): the n-th allocation from now fails once (for specs); -1: none. */
static int fail_allocation(lua_State *L) {
  tocha_fail_allocation(CX(L), luaL_checkinteger(L, 1));
  return 0;
}

static int set_warnings(lua_State *L) {
  lua_warning(L, lua_toboolean(L, 1) ? "@on" : "@off", 0);
  return 0;
}

void open_collector(lua_State *L, int torch) {
  static const luaL_Reg functions[] = {
      {"_collect", collect_now},       {"_memory", memory},
      {"_stress", set_stress},         {"_reset_peak_memory", reset_peak_memory},
      {"_empty_cache", empty_cache},   {"_fail_allocation", fail_allocation},
      {"_set_warnings", set_warnings}, {NULL, NULL}};
  binding *b = binding_of(L);
  b->limit = LEAST_BETWEEN_COLLECTIONS;
  tocha_on_memory_pressure(b->cx, release_memory, b);
  lua_gc(L, LUA_GCINC, 130, 400, 0);
  lua_pushvalue(L, torch);
  luaL_setfuncs(L, functions, 0);
  lua_pop(L, 1);
}
