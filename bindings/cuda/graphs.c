/* graphs.c: CUDA graphs and pools of memory in Lua, of which lua/torch/cuda/graphs.lua makes
 * torch.cuda.CUDAGraph, graph and use_mem_pool. */
#include <string.h>

#include "lua/guard.h"
#include "tocha/device.h"
#include "tocha/graph.h"

static const char GRAPH[] = "torch.cuda.CUDAGraph", POOL[] = "torch.cuda.MemPool";

/* --- graphs ------------------------------------------------------------------------------------ */

/* torch._cuda.new_graph(keep_graph) returns a graph. */
static int new_graph(lua_State *L) {
  tocha_graph **box = lua_newuserdatauv(L, sizeof *box, 0);
  *box = NULL;
  luaL_setmetatable(L, GRAPH);
  *box = tocha_graph_new(CX(L), lua_toboolean(L, 1));
  return *box ? 1 : raise_error(L);
}

static tocha_graph *check_graph(lua_State *L, int index) {
  tocha_graph **box = luaL_testudata(L, index, GRAPH);
  if (!box || !*box)
    raise_message(L, TOCHA_TYPE_ERROR, "expected a torch.cuda.CUDAGraph, not %s",
                  python_type(L, index));
  return *box;
}

/* (graph, pool, mode) The pool is a number, 0 for a new one. */
static int graph_begin(lua_State *L) {
  static const char *const modes[] = {"global", "thread_local", "relaxed", NULL};
  tocha_graph *graph = check_graph(L, 1);
  const char *mode = luaL_checkstring(L, 3);
  int k = 0;
  while (modes[k] && strcmp(modes[k], mode) != 0) k++;
  if (!modes[k])
    return raise_message(L, TOCHA_RUNTIME_ERROR,
                         "Unknown capture error mode. Expected `global`, `thread_local`, or "
                         "`relaxed`, got %s",
                         mode);
  uint64_t pool = (uint64_t)luaL_checkinteger(L, 2);
  return tocha_graph_capture_begin(CX(L), graph, pool, (tocha_capture_mode)k) ? 0 : raise_error(L);
}

static int graph_capture_end(lua_State *L) {
  return tocha_graph_capture_end(CX(L), check_graph(L, 1)) ? 0 : raise_error(L);
}

static int graph_instantiate(lua_State *L) {
  return tocha_graph_instantiate(CX(L), check_graph(L, 1)) ? 0 : raise_error(L);
}

static int graph_replay(lua_State *L) {
  return tocha_graph_replay(CX(L), check_graph(L, 1)) ? 0 : raise_error(L);
}

static int graph_reset(lua_State *L) {
  tocha_graph_reset(check_graph(L, 1));
  return 0;
}

static int graph_pool(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)tocha_graph_pool(check_graph(L, 1)));
  return 1;
}

static int graph_enable_debug_mode(lua_State *L) {
  tocha_graph_enable_debug_mode(check_graph(L, 1));
  return 0;
}

static int graph_debug_dump(lua_State *L) {
  tocha_graph *graph = check_graph(L, 1);
  return tocha_graph_dump(CX(L), graph, luaL_checkstring(L, 2)) ? 0 : raise_error(L);
}

static int graph_tostring(lua_State *L) {
  lua_pushfstring(L, "<torch.cuda.graphs.CUDAGraph object at %p>", (void *)check_graph(L, 1));
  return 1;
}

static int graph_gc(lua_State *L) {
  tocha_graph **box = luaL_checkudata(L, 1, GRAPH);
  if (*box) tocha_graph_free(CX(L), *box);
  *box = NULL;
  return 0;
}

static int is_current_stream_capturing(lua_State *L) {
  lua_pushboolean(L, tocha_is_capturing(CX(L)));
  return 1;
}

/* --- pools -------------------------------------------------------------------------------------- */

/* A pool's number, and the GPU of which it has memory. */
typedef struct pool_box {
  uint64_t number;
  int device;
} pool_box;

/* torch._cuda.new_pool() returns the number of a new pool. */
static int new_pool(lua_State *L) {
  uint64_t number = tocha_new_memory_pool(CX(L));
  if (!number) return raise_error(L);
  lua_pushinteger(L, (lua_Integer)number);
  return 1;
}

/* torch._cuda.hold_pool(number, use_on_oom, no_split) returns a value that is a user of the pool until it is
 * collected. */
static int hold_pool(lua_State *L) {
  uint64_t number = (uint64_t)luaL_checkinteger(L, 1);
  pool_box *box = lua_newuserdatauv(L, sizeof *box, 0);
  *box = (pool_box){0};
  luaL_setmetatable(L, POOL);
  int device = tocha_current_device(CX(L));
  if (!tocha_memory_pool_retain(CX(L), device, number)) return raise_error(L);
  *box = (pool_box){number, device};
  if (!tocha_memory_pool_configure(CX(L), device, number, lua_toboolean(L, 2), lua_toboolean(L, 3)))
    return raise_error(L);
  return 1;
}

static int pool_gc(lua_State *L) {
  pool_box *box = luaL_checkudata(L, 1, POOL);
  if (box->number) tocha_memory_pool_release(CX(L), box->device, box->number);
  box->number = 0;
  return 0;
}

/* torch._cuda.pool_users(number) */
static int pool_users(lua_State *L) {
  lua_pushinteger(L, tocha_memory_pool_users(CX(L), -1, (uint64_t)luaL_checkinteger(L, 1)));
  return 1;
}

typedef struct pool_guard {
  guard head;
  pool_box pool;
} pool_guard;

static void leave_pool(tocha_context *cx, guard *g, bool nested) {
  const pool_guard *p = (const pool_guard *)g;
  (void)nested;
  if (p->pool.number) tocha_memory_pool_leave(cx, p->pool.device, p->pool.number);
}

static bool same_pool(const guard *a, const guard *b) {
  (void)a, (void)b;
  return false; /* each takes away what it added */
}

static const guard_class pool_class = {"torch.cuda.use_mem_pool",
                                       "`local _ <close> = torch.cuda.use_mem_pool(pool)`, or "
                                       "torch.cuda.use_mem_pool(pool, function() "
                                       "... end)",
                                       sizeof(pool_guard),
                                       sizeof(pool_guard) - sizeof(guard),
                                       leave_pool,
                                       same_pool,
                                       NULL};

/* torch._cuda.enter_pool(number, device) returns the guard of a block whose memory comes from the
 * pool. */
static int enter_pool(lua_State *L) {
  uint64_t number = (uint64_t)luaL_checkinteger(L, 1);
  int device = lua_isnoneornil(L, 2) ? tocha_current_device(CX(L)) : (int)luaL_checkinteger(L, 2);
  pool_guard *g = push_guard(L, &pool_class);
  if (!tocha_memory_pool_enter(CX(L), device, number)) return raise_error(L);
  g->pool = (pool_box){number, device};
  open_guard(L, &g->head);
  return 1;
}

void open_cuda_graphs(lua_State *L) {
  static const luaL_Reg functions[] = {{"new_graph", new_graph},
                                       {"is_current_stream_capturing", is_current_stream_capturing},
                                       {"new_pool", new_pool},
                                       {"hold_pool", hold_pool},
                                       {"pool_users", pool_users},
                                       {"enter_pool", enter_pool},
                                       {NULL, NULL}};
  static const luaL_Reg graph[] = {{"_begin", graph_begin},
                                   {"capture_end", graph_capture_end},
                                   {"instantiate", graph_instantiate},
                                   {"replay", graph_replay},
                                   {"reset", graph_reset},
                                   {"_pool", graph_pool},
                                   {"enable_debug_mode", graph_enable_debug_mode},
                                   {"_dump", graph_debug_dump},
                                   {"__tostring", graph_tostring},
                                   {"__gc", graph_gc},
                                   {NULL, NULL}};
  static const luaL_Reg pool[] = {{"__gc", pool_gc}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
  new_metatable(L, POOL, pool);
  lua_pop(L, 1);
  new_metatable(L, GRAPH, graph);
  lua_pushvalue(L, -1);
  lua_setfield(L, -2, "__index");
  lua_setfield(L, -2, "graph_methods");
}
