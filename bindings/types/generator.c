/* generator.c: random generators in Lua. */
#include <string.h>

#include "function_table.h"
#include "lua/guard.h"
#include "sandbox/confined.h"
#include "tocha/random.h"

static const char GENERATOR[] = "torch.Generator";

typedef struct generator_box {
  tocha_generator *generator;
  bool own; /* the default ones live in the context */
} generator_box;

tocha_generator *to_generator(lua_State *L, int index) {
  generator_box *g = luaL_testudata(L, index, GENERATOR);
  return g ? g->generator : NULL;
}

static tocha_generator *check_generator(lua_State *L) {
  generator_box *g = luaL_checkudata(L, 1, GENERATOR);
  (void)CX(L); /* raises if the context is closed, and with it the default generators */
  if (!g->generator) luaL_error(L, "this generator was collected");
  return g->generator;
}

/* Pushes a userdata for a generator that is set later. [-0, +1, m] */
static generator_box *push_generator_box(lua_State *L) {
  generator_box *g = lua_newuserdatauv(L, sizeof *g, 0);
  g->generator = NULL;
  g->own = true;
  luaL_setmetatable(L, GENERATOR);
  return g;
}

tocha_generator *push_own_generator(lua_State *L) {
  generator_box *g = push_generator_box(L);
  g->generator = tocha_generator_new(CX(L), tocha_cpu());
  if (!g->generator) raise_error(L);
  return g->generator;
}

void tocha_lua_push_generator(lua_State *L, tocha_generator *generator) {
  if (!generator) {
    lua_pushnil(L);
    return;
  }
  if (push_remembered(L, generator) && to_generator(L, -1) == generator) return;
  lua_pop(L, 1);
  generator_box *g = push_generator_box(L);
  g->generator = generator;
  g->own = false;
  remember_object(L, -1, generator);
}

static int generator_gc(lua_State *L) {
  generator_box *g = luaL_checkudata(L, 1, GENERATOR);
  tocha_generator *generator = g->own ? g->generator : NULL;
  g->generator = NULL;
  if (generator) tocha_generator_free(CX(L), generator);
  return 0;
}

int torch_generator(lua_State *L, const tocha_arg *args) {
  tocha_device device = tocha_cpu();
  int index = any_index(&args[0]);
  if (index && !lua_isnil(L, index) && !tocha_lua_to_device(L, index, &device))
    return raise_message(L, TOCHA_TYPE_ERROR,
                         "Generator() received an invalid combination of arguments - got (%s), but "
                         "expected (torch.device device)",
                         python_type(L, index));
  generator_box *g = push_generator_box(L);
  g->generator = tocha_generator_new(CX(L), device);
  return g->generator ? 1 : raise_error(L);
}

/* torch._cuda_generator(index) returns the default generator of a GPU. */
static int cuda_generator(lua_State *L) {
  int16_t index = tocha_cuda_device(luaL_optinteger(L, 1, -1)).index;
  tocha_generator *generator = tocha_device_generator(CX(L), index);
  if (!generator) return raise_error(L);
  tocha_lua_push_generator(L, generator);
  return 1;
}

/* torch._seed_devices(seed) seeds the default generators of all devices. */
static int seed_devices(lua_State *L) {
  tocha_seed_devices(CX(L), (uint64_t)luaL_checkinteger(L, 1));
  return 0;
}

/* Reseeds a generator. Seeds have 64 bits, and negative ones wrap, as in PyTorch. */
int torch_generator_manual_seed(lua_State *L, const tocha_arg *args) {
  int seed = any_index(&args[1]);
  if (!lua_isinteger(L, seed)) /* nor a tensor of one integer, which other functions accept */
    return raise_message(L, TOCHA_RUNTIME_ERROR, "manual_seed expected a long, but got %s",
                         python_type(L, seed));
  tocha_generator_reseed(check_generator(L), (uint64_t)lua_tointeger(L, seed));
  lua_settop(L, 1);
  return 1;
}

int torch_generator_initial_seed(lua_State *L, const tocha_arg *args) {
  (void)args;
  lua_pushinteger(L, (lua_Integer)tocha_generator_initial_seed(check_generator(L)));
  return 1;
}

int torch_generator_seed(lua_State *L, const tocha_arg *args) {
  (void)args;
  uint64_t seed = tocha_random_seed();
  tocha_generator_reseed(check_generator(L), seed);
  lua_pushinteger(L, (lua_Integer)seed);
  return 1;
}

int torch_generator_get_state(lua_State *L, const tocha_arg *args) {
  (void)args;
  tocha_context *cx = CX(L);
  const tocha_generator *g = check_generator(L);
  int64_t size = (int64_t)tocha_generator_saved_size(g);
  tocha_scope s = tocha_scope_begin(cx);
  tocha_tensor *t = tocha_new(cx, 1, &size, TOCHA_UINT8, tocha_cpu());
  if (!t) return raise_error(L);
  tocha_generator_save(g, tocha_data(t));
  push_tensor(L, t);
  tocha_scope_end(cx, s, NULL);
  return 1;
}

int torch_generator_set_state(lua_State *L, const tocha_arg *args) {
  tocha_generator *g = check_generator(L);
  tocha_tensor *t = args[1].tensor;
  if (tocha_dtype_of(t) != TOCHA_UINT8 || tocha_device_of(t).type != TOCHA_CPU ||
      !tocha_is_contiguous(t))
    return raise_message(L, TOCHA_TYPE_ERROR, "expected a torch.ByteTensor, but got %s",
                         tocha_dtype_scalar_type(tocha_dtype_of(t)));
  if (!tocha_generator_restore(CX(L), g, tocha_data(t), (size_t)tocha_numel(t)))
    return raise_error(L);
  lua_settop(L, 1);
  return 1;
}

/* Returns a copy of a generator that gives the same numbers from here on. */
int torch_generator_clone_state(lua_State *L, const tocha_arg *args) {
  (void)args;
  const tocha_generator *source = check_generator(L);
  generator_box *g = push_generator_box(L);
  g->generator = tocha_generator_copy(CX(L), source);
  return g->generator ? 1 : raise_error(L);
}

/* Returns the offset of a GPU's generator: the number of words that each thread has drawn. */
int torch_generator_get_offset(lua_State *L, const tocha_arg *args) {
  (void)args;
  uint64_t offset;
  if (!tocha_generator_offset(CX(L), check_generator(L), &offset)) return raise_error(L);
  lua_pushinteger(L, (lua_Integer)offset);
  return 1;
}

int torch_generator_set_offset(lua_State *L, const tocha_arg *args) {
  tocha_generator *g = check_generator(L);
  if (!tocha_generator_set_offset(CX(L), g, args[1].value.integer)) return raise_error(L);
  lua_settop(L, 1);
  return 1;
}

/* --- blocks that restore the generators -------------------------------------------------------- */

enum {
  MAX_GENERATORS = 65,
  STATES = 8192
}; /* the CPU's and one for each GPU; bytes: 5056 for the CPU, 16 for a GPU */

typedef struct random_guard {
  guard head;
  int count;
  tocha_generator *generators[MAX_GENERATORS];
  unsigned char states[STATES]; /* the saved states, one after the other */
} random_guard;

static void leave_random(tocha_context *cx, guard *g, bool nested) {
  random_guard *r = (random_guard *)g;
  const unsigned char *state = r->states;
  (void)nested;
  for (int i = 0; i < r->count; i++) {
    size_t size = tocha_generator_saved_size(r->generators[i]);
    tocha_generator_restore(cx, r->generators[i], state, size);
    state += size;
  }
}

static const guard_class random_class = {
    "torch.random.fork_rng", NULL, sizeof(random_guard), 0, leave_random, NULL, NULL};

/* torch._keep_generators({generator, ...}) returns the guard of a block, which gives these
 * default generators their states back. */
static int keep_generators(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  int count = table_length(L, 1);
  random_guard *r = push_guard(L, &random_class);
  size_t used = 0;
  for (int i = 0; i < count; i++) {
    lua_rawgeti(L, 1, i + 1);
    tocha_generator *g = to_generator(L, -1);
    lua_pop(L, 1);
    luaL_argcheck(L, g && i < MAX_GENERATORS && used + tocha_generator_saved_size(g) <= STATES, 1,
                  "default generators expected");
    tocha_generator_save(g, r->states + used);
    used += tocha_generator_saved_size(g);
    r->generators[r->count++] = g;
  }
  open_guard(L, &r->head);
  r->head.setting = true; /* if it is collected instead of closed, nothing is restored */
  return 1;
}

static int generator_tostring(lua_State *L) {
  lua_pushfstring(L, "<torch._C.Generator object at %p>", shown_address(L, lua_topointer(L, 1)));
  return 1;
}

static int generator_index(lua_State *L) {
  const tocha_generator *g = check_generator(L);
  const char *key = luaL_checkstring(L, 2);
  if (strcmp(key, "device") == 0) {
    tocha_lua_push_device(L, tocha_generator_device(g));
    return 1;
  }
  luaL_getmetafield(L, 1, "methods");
  lua_pushvalue(L, 2);
  if (lua_rawget(L, -2) == LUA_TNIL)
    return raise_message(L, TOCHA_ATTRIBUTE_ERROR,
                         "'torch._C.Generator' object has no attribute '%s'", key);
  return 1;
}

void open_generators(lua_State *L, int torch) {
  static const luaL_Reg events[] = {{"__tostring", generator_tostring},
                                    {"__index", generator_index},
                                    {"__gc", generator_gc},
                                    {NULL, NULL}};
  make_metatable(L, GENERATOR, events);
  lua_pushcfunction(L, cuda_generator);
  lua_setfield(L, torch, "_cuda_generator");
  lua_pushcfunction(L, seed_devices);
  lua_setfield(L, torch, "_seed_devices");
  lua_pushcfunction(L, keep_generators);
  lua_setfield(L, torch, "_keep_generators");
  tocha_lua_push_generator(L, tocha_default_generator(CX(L)));
  lua_setfield(L, torch, "default_generator");
}
