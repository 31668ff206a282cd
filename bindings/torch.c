/* torch.c: luaopen_torch, the binding's state, memory, and the parts written in Lua. */
#include <string.h>
#include <time.h>

#include "functions.h"

static const char STATE[] = "tocha.binding";
static const char state_key = 0;
/* What Ctrl-C stops: a signal handler may touch nothing of Lua, so this one pointer is global. */
static tocha_context *volatile interruptible;

binding *binding_of(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &state_key);
  binding *b = lua_touserdata(L, -1);
  lua_pop(L, 1);
  if (!b->cx) luaL_error(L, "torch is closed"); /* a finalizer that runs after ours */
  return b;
}

/* --- memory -------------------------------------------------------------------------------------- */

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

void tocha_binding_interrupt(lua_State *L) {
  (void)L; /* nothing of Lua may be touched in a signal handler */
  if (interruptible) tocha_interrupt(interruptible);
}

void tocha_binding_clear_interrupt(lua_State *L) { tocha_forget_interrupt(CX(L)); }

/* --- life ------------------------------------------------------------------------------------------ */

static int close_state(lua_State *L) {
  binding *b = luaL_checkudata(L, 1, STATE);
  if (b->cx) {
    if (interruptible == b->cx) interruptible = NULL;
    tocha_on_memory_pressure(b->cx, NULL, NULL);
    tocha_close(b->cx);
    b->cx = NULL;
  }
  return 0;
}

static void log_message(void *user, int level, const char *message) {
  binding *b = user;
  (void)level;
  lua_warning(b->main, message, 0);
}

static binding *open_state(lua_State *L) {
  binding *b = lua_newuserdatauv(L, sizeof *b, 0);
  memset(b, 0, sizeof *b);
  luaL_newmetatable(L, STATE);
  lua_pushcfunction(L, close_state);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  tocha_options options = {.log = log_message, .log_user = b};
  b->cx = tocha_open(&options);
  if (!b->cx) luaL_error(L, "not enough memory");
  lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
  b->main = lua_tothread(L, -1);
  lua_pop(L, 1);
  b->limit = LEAST_BETWEEN_COLLECTIONS;
  lua_rawsetp(L, LUA_REGISTRYINDEX, &state_key);
  lua_newtable(L); /* objects, weak in its values */
  lua_createtable(L, 0, 1);
  lua_pushliteral(L, "v");
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, -2);
  b->objects = luaL_ref(L, LUA_REGISTRYINDEX);
  tocha_on_memory_pressure(b->cx, release_memory, b);
  lua_gc(L, LUA_GCINC, 130, 400, 0);
  interruptible = b->cx;
  return b;
}

/* --- the parts written in Lua ------------------------------------------------------------------------- */

/* Loads lua/torch/NAME.lua, which receives torch, and returns its value. */
static int load_part(lua_State *L) {
  size_t size;
  const char *name = luaL_checkstring(L, 1), *source = lua_source(name, &size);
  if (!source) return luaL_error(L, "torch: no part named '%s'", name);
  lua_pushfstring(L, "=[tocha] %s", name);
  if (luaL_loadbufferx(L, source, size, lua_tostring(L, -1), "t") != LUA_OK) return lua_error(L);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_call(L, 1, 1);
  return 1;
}

/* torch.NAME where NAME is a part: loaded on first use. false where there is none. */
static bool push_part(lua_State *L, const char *key) {
  size_t size;
  if (key[0] == '_' || strcmp(key, "init") == 0 || !lua_source(key, &size)) return false;
  lua_pushvalue(L, 1);
  lua_pushcclosure(L, load_part, 1);
  lua_pushvalue(L, 2);
  lua_call(L, 1, 1);
  lua_pushvalue(L, 2);
  lua_pushvalue(L, -2);
  lua_rawset(L, 1);
  return true;
}

/* The names of torch.nn that a part sets when one of them is first used. */
static bool push_nn_part(lua_State *L, const char *key) {
  if (strcmp(key, "parallel") != 0 && strcmp(key, "DataParallel") != 0) return false;
  lua_getfield(L, LUA_REGISTRYINDEX, "tocha.torch");
  lua_getfield(L, -1, "_part");
  lua_pushliteral(L, "_parallel");
  lua_call(L, 1, 0);
  lua_pushvalue(L, 2);
  return lua_rawget(L, 1) != LUA_TNIL;
}

/* A name that a namespace does not have is PyTorch's error, with the nearest one it has. Upvalue:
 * the namespace's own name, "torch.nn". */
static int unknown_name(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  const char *key = lua_tostring(L, 2), *space = lua_tostring(L, lua_upvalueindex(1));
  if (!key) {
    lua_pushnil(L);
    return 1;
  }
  if (strcmp(space, "torch") == 0 && push_part(L, key)) return 1;
  if (strcmp(space, "torch.nn") == 0 && push_nn_part(L, key)) return 1;
  if (strncmp(key, "__", 2) == 0) { /* what Lua's own libraries ask of any table */
    lua_pushnil(L);
    return 1;
  }
  const char *near = nearest_key(L, 1, key), *hint = NULL;
  if (near) hint = lua_pushfstring(L, "did you mean '%s.%s'?", space, near);
  return raise_hinted(L, TOCHA_ATTRIBUTE_ERROR, hint, "module '%s' has no attribute '%s'", space,
                      key);
}

static void make_namespace(lua_State *L, int index, const char *name) {
  index = lua_absindex(L, index);
  lua_createtable(L, 0, 1);
  lua_pushstring(L, name);
  lua_pushcclosure(L, unknown_name, 1);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, index);
}

/* torch._namespace(table, name): the same for namespaces made in Lua. Returns the table. */
static int namespace_(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  make_namespace(L, 1, luaL_checkstring(L, 2));
  lua_settop(L, 1);
  return 1;
}

/* torch.A.B -> the error of unknown names, for the namespaces made here. */
static void make_namespaces(lua_State *L, int torch) {
  static const char *const fields[][2] = {{"nn", NULL},    {"nn", "functional"}, {"nn", "init"},
                                          {"optim", NULL}, {"autograd", NULL},   {"linalg", NULL}};
  for (int i = 0; i < TOCHA_COUNT(fields); i++) {
    int top = lua_gettop(L);
    lua_getfield(L, torch, fields[i][0]);
    if (fields[i][1] && lua_istable(L, -1)) lua_getfield(L, -1, fields[i][1]);
    const char *name = fields[i][1] ? lua_pushfstring(L, "torch.%s.%s", fields[i][0], fields[i][1])
                                    : lua_pushfstring(L, "torch.%s", fields[i][0]);
    if (lua_istable(L, -2) && !luaL_getmetafield(L, -2, "__index")) make_namespace(L, -2, name);
    lua_settop(L, top);
  }
  make_namespace(L, torch, "torch");
}

static int set_warnings(lua_State *L) {
  lua_warning(L, lua_toboolean(L, 1) ? "@on" : "@off", 0);
  return 0;
}

int luaopen_torch(lua_State *L) {
  static const luaL_Reg functions[] = {{"_collect", collect_now},
                                       {"_memory", memory},
                                       {"_stress", set_stress},
                                       {"_reset_peak_memory", reset_peak_memory},
                                       {"_empty_cache", empty_cache},
                                       {"_fail_allocation", fail_allocation},
                                       {"_set_warnings", set_warnings},
                                       {"_namespace", namespace_},
                                       {NULL, NULL}};
  luaL_checkversion(L);
  luaL_checkstack(L, 20, NULL);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &state_key);
  if (!lua_isnil(L, -1)) { /* opened before, under another name */
    lua_getfield(L, LUA_REGISTRYINDEX, "tocha.torch");
    return 1;
  }
  lua_pop(L, 1);
  open_errors(L);
  open_state(L);
  lua_createtable(L, 0, 512); /* torch */
  int torch = lua_gettop(L);
  lua_createtable(L, 0, 512); /* methods of tensors */
  int methods = lua_gettop(L);
  lua_pushvalue(L, torch);
  lua_setfield(L, LUA_REGISTRYINDEX, "tocha.torch");
  lua_pushvalue(L, torch);
  luaL_setfuncs(L, functions, 0);
  lua_pop(L, 1);
  open_types(L, torch);
  open_modes(L, torch);
  open_operators(L, torch, methods);
  open_attributes(L, methods);
  open_autograd(L);
  open_construct(L, torch);
  open_functions(L, torch, methods);
  open_cuda(L, torch, methods);
  open_tensor(L, methods);
  lua_getfield(L, torch, "tensor");
  lua_setfield(L, LUA_REGISTRYINDEX, "tocha.tensor");
  lua_pushvalue(L, methods);
  lua_setfield(L, torch, "Tensor");
  open_modules(L, torch);
  open_replicate(L, torch);
  open_optim(L, torch);
  open_autocast(L);
  open_grad_scaler(L);
  open_system(L, torch);
  lua_pushfstring(L, "%s", tocha_version());
  lua_setfield(L, torch, "__version__");
  lua_pushvalue(L, torch);
  lua_pushcclosure(L, load_part, 1);
  lua_pushvalue(L, -1);
  lua_setfield(L, torch, "_part");
  lua_pushliteral(L, "init");
  lua_call(L, 1, 0);
  make_namespaces(L, torch);
  lua_pushvalue(L, torch);
  return 1;
}
