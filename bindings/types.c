/* types.c: the small objects of torch: dtypes, devices, sizes, generators. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "function_table.h"
#include "tocha/random.h"
#include "tocha/device.h"
#include "tocha/ops/index_add_.h"

static const char DTYPE[] = "torch.dtype", DEVICE[] = "torch.device", SIZE[] = "torch.Size",
                  GENERATOR[] = "torch.Generator";

static int concat(lua_State *L) {
  lua_settop(L, 2);
  push_format(L, 1);
  push_format(L, 2);
  lua_concat(L, 2);
  return 1;
}

static void make_metatable(lua_State *L, const char *name, const luaL_Reg *events) {
  luaL_newmetatable(L, name);
  luaL_setfuncs(L, events, 0);
  lua_pushcfunction(L, concat);
  lua_setfield(L, -2, "__concat");
  lua_pop(L, 1);
}

/* --- numbers ----------------------------------------------------------------------------------- */

void push_scalar(lua_State *L, tocha_scalar s) {
  if (s.kind == TOCHA_SCALAR_FLOAT)
    lua_pushnumber(L, s.value.real);
  else if (s.kind == TOCHA_SCALAR_BOOL)
    lua_pushboolean(L, s.value.integer != 0);
  else
    lua_pushinteger(L, s.value.integer);
}

bool to_scalar(lua_State *L, int index, tocha_scalar *s) {
  switch (lua_type(L, index)) {
  case LUA_TNUMBER:
    *s = lua_isinteger(L, index) ? tocha_int(lua_tointeger(L, index))
                                 : tocha_float(lua_tonumber(L, index));
    return true;
  case LUA_TBOOLEAN:
    *s = tocha_boolean(lua_toboolean(L, index));
    return true;
  default:
    return false;
  }
}

/* --- dtypes: single objects, kept in the registry by number -------------------------------------- */

void push_dtype(lua_State *L, tocha_dtype dtype) {
  lua_getfield(L, LUA_REGISTRYINDEX, "tocha.dtypes");
  lua_rawgeti(L, -1, dtype + 1);
  lua_remove(L, -2);
}

bool to_dtype(lua_State *L, int index, tocha_dtype *dtype) {
  const tocha_dtype *d = luaL_testudata(L, index, DTYPE);
  if (!d) return false;
  *dtype = *d;
  return true;
}

static int dtype_tostring(lua_State *L) {
  lua_pushfstring(L, "torch.%s", tocha_dtype_name(*(tocha_dtype *)luaL_checkudata(L, 1, DTYPE)));
  return 1;
}

static int dtype_index(lua_State *L) {
  tocha_dtype d = *(tocha_dtype *)luaL_checkudata(L, 1, DTYPE);
  const char *key = luaL_checkstring(L, 2);
  if (strcmp(key, "itemsize") == 0)
    lua_pushinteger(L, (lua_Integer)tocha_dtype_size(d));
  else if (strcmp(key, "is_floating_point") == 0)
    lua_pushboolean(L, tocha_dtype_is_floating(d));
  else if (strcmp(key, "is_signed") == 0)
    lua_pushboolean(L, d != TOCHA_BOOL && d != TOCHA_UINT8);
  else if (strcmp(key, "is_complex") == 0)
    lua_pushboolean(L, 0);
  else
    return raise_message(L, TOCHA_ATTRIBUTE_ERROR, "'torch.dtype' object has no attribute '%s'",
                         key);
  return 1;
}

static void open_dtypes(lua_State *L, int torch) {
  static const luaL_Reg events[] = {
      {"__tostring", dtype_tostring}, {"__index", dtype_index}, {NULL, NULL}};
  make_metatable(L, DTYPE, events);
  lua_createtable(L, TOCHA_DTYPE_COUNT, 0);
  for (int d = 0; d < TOCHA_DTYPE_COUNT; d++) {
    tocha_dtype *u = lua_newuserdatauv(L, sizeof *u, 0);
    *u = d;
    luaL_setmetatable(L, DTYPE);
    lua_pushvalue(L, -1);
    lua_setfield(L, torch, tocha_dtype_name(d));
    if (tocha_dtype_size(d) > 1) { /* there is torch.half, but no torch.byte */
      lua_pushvalue(L, -1);
      lua_setfield(L, torch, tocha_dtype_alias(d));
    }
    lua_rawseti(L, -2, d + 1);
  }
  lua_setfield(L, LUA_REGISTRYINDEX, "tocha.dtypes");
}

/* --- devices ---------------------------------------------------------------------------------------- */

void push_device(lua_State *L, tocha_device device) {
  tocha_device *u = lua_newuserdatauv(L, sizeof *u, 0);
  *u = device;
  luaL_setmetatable(L, DEVICE);
}

/* "cuda:0" as PyTorch reads it; raises for anything else. */
static tocha_device parse_device(lua_State *L, const char *text) {
  if (!*text) raise_message(L, TOCHA_RUNTIME_ERROR, "Device string must not be empty");
  static const char *const names[] = {"cpu", "cuda", "meta", "mps"};
  const char *colon = strchr(text, ':');
  size_t length = colon ? (size_t)(colon - text) : strlen(text);
  for (int i = 0; i < TOCHA_COUNT(names); i++) {
    if (strlen(names[i]) != length || strncmp(names[i], text, length) != 0) continue;
    tocha_device d = {(int16_t)i, -1};
    if (!colon) return d;
    char *end;
    long index = strtol(colon + 1, &end, 10);
    bool digits = strspn(colon + 1, "0123456789") == strlen(colon + 1);
    if (*end || !digits || !colon[1] || (colon[1] == '0' && colon[2]) || index > 127) break;
    d.index = (int16_t)index;
    return d;
  }
  size_t start = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_");
  bool word = start == length && length > 0;
  nearest near = nearest_to(text);
  for (int i = 0; i < TOCHA_COUNT(names); i++) compare_name(&near, names[i]);
  const char *hint = near.name ? lua_pushfstring(L, "did you mean \"%s\"?", near.name) : NULL;
  for (int i = 0; i < TOCHA_COUNT(names); i++)
    if (strlen(names[i]) == length && strncmp(names[i], text, length) == 0) word = false;
  if (word)
    raise_hinted(L, TOCHA_RUNTIME_ERROR, hint,
                 "Expected one of cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, "
                 "fpga, maia, xla, lazy, vulkan, mps, meta, hpu, mtia, privateuseone device type "
                 "at start of device string: %.*s",
                 (int)length, text);
  else
    raise_hinted(L, TOCHA_RUNTIME_ERROR, hint, "Invalid device string: '%s'", text);
  return tocha_cpu();
}

bool to_device(lua_State *L, int index, tocha_device *device) {
  const tocha_device *d = luaL_testudata(L, index, DEVICE);
  if (d) {
    *device = *d;
  } else if (lua_type(L, index) == LUA_TSTRING) {
    *device = parse_device(L, lua_tostring(L, index));
  } else {
    return false;
  }
  if (device->type == TOCHA_CPU) device->index = -1; /* cpu:0 is cpu */
  if (device->type == TOCHA_META) device->index = -1;
  return true;
}

static int device_tostring(lua_State *L) {
  char text[24];
  lua_pushstring(L, tocha_device_text(*(tocha_device *)luaL_checkudata(L, 1, DEVICE), text));
  return 1;
}

static int device_eq(lua_State *L) {
  const tocha_device *a = luaL_testudata(L, 1, DEVICE), *b = luaL_testudata(L, 2, DEVICE);
  lua_pushboolean(L, a && b && tocha_device_equal(*a, *b));
  return 1;
}

static int device_index(lua_State *L) {
  tocha_device d = *(tocha_device *)luaL_checkudata(L, 1, DEVICE);
  const char *key = luaL_checkstring(L, 2);
  char text[24];
  if (strcmp(key, "type") == 0) {
    d.index = -1;
    lua_pushstring(L, tocha_device_text(d, text));
  } else if (strcmp(key, "index") == 0) {
    if (d.index < 0)
      lua_pushnil(L);
    else
      lua_pushinteger(L, d.index);
  } else {
    return raise_message(L, TOCHA_ATTRIBUTE_ERROR, "'torch.device' object has no attribute '%s'",
                         key);
  }
  return 1;
}

/* torch.device("cuda", 1), torch.device("cuda:1"), torch.device(other); with a block it is called with that device as the
 * default one. */
int torch_device(lua_State *L, const tocha_arg *args) {
  tocha_device d;
  int type = any_index(&args[0]);
  if (!to_device(L, type, &d))
    return raise_message(L, TOCHA_TYPE_ERROR,
                         "device(): argument 'type' (position 1) must be str, not %s",
                         python_type(L, type));
  if (lua_isstring(L, type)) d = parse_device(L, lua_tostring(L, type)); /* keeps cpu:0's index */
  if (args[1].given) {
    int64_t index = args[1].value.integer;
    if (index < 0)
      return raise_message(L, TOCHA_RUNTIME_ERROR, "Device index must not be negative");
    if (index > 127)
      return raise_message(L, TOCHA_RUNTIME_ERROR, "Device index must not exceed 127");
    d.index = (int16_t)index;
  }
  if (args[2].given) return under_device(L, d, 1);
  push_device(L, d);
  return 1;
}

/* --- sizes ----------------------------------------------------------------------------------------------- */

typedef struct size_box {
  int ndim;
  int64_t sizes[]; /* ndim numbers */
} size_box;

void push_size(lua_State *L, int ndim, const int64_t *sizes) {
  size_box *s = lua_newuserdatauv(L, sizeof *s + (size_t)ndim * sizeof *sizes, 0);
  s->ndim = ndim;
  if (ndim) memcpy(s->sizes, sizes, (size_t)ndim * sizeof *sizes);
  luaL_setmetatable(L, SIZE);
}

const int64_t *to_size(lua_State *L, int index, int *ndim) {
  const size_box *s = luaL_testudata(L, index, SIZE);
  *ndim = s ? s->ndim : -1;
  return s ? s->sizes : NULL;
}

static int size_tostring(lua_State *L) {
  const size_box *s = luaL_checkudata(L, 1, SIZE);
  char text[TOCHA_MAX_DIMS * 22];
  lua_pushfstring(L, "torch.Size(%s)", tocha_shape_text(s->ndim, s->sizes, text, sizeof text));
  return 1;
}

static int size_len(lua_State *L) {
  lua_pushinteger(L, ((size_box *)luaL_checkudata(L, 1, SIZE))->ndim);
  return 1;
}

static int size_eq(lua_State *L) {
  const size_box *a = luaL_testudata(L, 1, SIZE), *b = luaL_testudata(L, 2, SIZE);
  lua_pushboolean(L, a && b && a->ndim == b->ndim &&
                         memcmp(a->sizes, b->sizes, (size_t)a->ndim * sizeof *a->sizes) == 0);
  return 1;
}

static int size_numel(lua_State *L) {
  const size_box *s = luaL_checkudata(L, 1, SIZE);
  uint64_t n = 1; /* wraps, as in PyTorch */
  for (int i = 0; i < s->ndim; i++) n *= (uint64_t)s->sizes[i];
  lua_pushinteger(L, (lua_Integer)n);
  return 1;
}

static int size_unpack(lua_State *L) {
  const size_box *s = luaL_checkudata(L, 1, SIZE);
  luaL_checkstack(L, s->ndim, NULL);
  for (int i = 0; i < s->ndim; i++) lua_pushinteger(L, s->sizes[i]);
  return s->ndim;
}

/* shape[0] from 0, negative from the end; shape["1:"] a part of it. */
static int size_index(lua_State *L) {
  const size_box *s = luaL_checkudata(L, 1, SIZE);
  if (lua_isinteger(L, 2)) {
    lua_Integer i = lua_tointeger(L, 2);
    if (i < 0) i += s->ndim;
    if (i < 0 || i >= s->ndim)
      return raise_message(L, TOCHA_INDEX_ERROR, "tuple index out of range");
    lua_pushinteger(L, s->sizes[i]);
    return 1;
  }
  const char *key = luaL_checkstring(L, 2), *colon = strchr(key, ':');
  if (strcmp(key, "numel") == 0) {
    lua_pushcfunction(L, size_numel);
  } else if (strcmp(key, "unpack") == 0) {
    lua_pushcfunction(L, size_unpack);
  } else if (colon) {
    long start = colon == key ? 0 : strtol(key, NULL, 10);
    long stop = colon[1] ? strtol(colon + 1, NULL, 10) : s->ndim;
    if (start < 0) start = start + s->ndim < 0 ? 0 : start + s->ndim;
    if (stop < 0) stop += s->ndim;
    if (stop > s->ndim) stop = s->ndim;
    push_size(L, stop > start ? (int)(stop - start) : 0, s->sizes + (start < s->ndim ? start : 0));
  } else {
    return raise_message(L, TOCHA_ATTRIBUTE_ERROR, "'torch.Size' object has no attribute '%s'",
                         key);
  }
  return 1;
}

static int next_size(lua_State *L) {
  const size_box *s = luaL_checkudata(L, 1, SIZE);
  lua_Integer i = lua_isnoneornil(L, 2) ? -1 : luaL_checkinteger(L, 2);
  if (i < -1 || i >= s->ndim - 1) return 0;
  i++;
  lua_pushinteger(L, i);
  lua_pushinteger(L, s->sizes[i]);
  return 2;
}

static int size_pairs(lua_State *L) {
  lua_pushcfunction(L, next_size);
  lua_pushvalue(L, 1);
  lua_pushnil(L);
  return 3;
}

/* torch.Size{2, 3} */
static int new_size(lua_State *L) {
  int64_t sizes[TOCHA_MAX_DIMS];
  luaL_checktype(L, 1, LUA_TTABLE);
  int n = table_length(L, 1);
  luaL_argcheck(L, n <= TOCHA_MAX_DIMS, 1, "too many dimensions");
  for (int i = 0; i < n; i++) {
    lua_rawgeti(L, 1, i + 1);
    sizes[i] = luaL_checkinteger(L, -1);
    lua_pop(L, 1);
  }
  push_size(L, n, sizes);
  return 1;
}

/* --- generators ------------------------------------------------------------------------------------------- */

typedef struct generator_box {
  tocha_generator *generator;
  bool own; /* the default ones live in the context */
} generator_box;

tocha_generator *to_generator(lua_State *L, int index) {
  generator_box *g = luaL_testudata(L, index, GENERATOR);
  return g ? g->generator : NULL;
}

static tocha_generator *check_generator(lua_State *L) {
  return ((generator_box *)luaL_checkudata(L, 1, GENERATOR))->generator;
}

/* A userdata for a generator that is yet to come. */
static generator_box *push_generator_box(lua_State *L) {
  generator_box *g = lua_newuserdatauv(L, sizeof *g, 0);
  g->generator = NULL;
  g->own = true;
  luaL_setmetatable(L, GENERATOR);
  return g;
}

static void push_generator(lua_State *L, tocha_generator *generator) {
  generator_box *g = push_generator_box(L);
  g->generator = generator;
  g->own = false;
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
  if (index && !lua_isnil(L, index) && !to_device(L, index, &device))
    return raise_message(L, TOCHA_TYPE_ERROR,
                         "Generator() received an invalid combination of arguments - got (%s), but "
                         "expected (torch.device device)",
                         python_type(L, index));
  generator_box *g = push_generator_box(L);
  g->generator = tocha_generator_new(CX(L), device);
  return g->generator ? 1 : raise_error(L);
}

/* torch._cuda_generator(index): the default one of a GPU. */
static int cuda_generator(lua_State *L) {
  int16_t index = tocha_cuda_device(luaL_optinteger(L, 1, -1)).index;
  tocha_generator *generator = tocha_device_generator(CX(L), index);
  if (!generator) return raise_error(L);
  push_generator(L, generator);
  return 1;
}

/* torch._seed_devices(seed) */
static int seed_devices(lua_State *L) {
  tocha_seed_devices(CX(L), (uint64_t)luaL_checkinteger(L, 1));
  return 0;
}

/* Seeds are 64 bits; negative ones wrap, as in PyTorch. */
static int generator_manual_seed(lua_State *L) {
  tocha_generator_reseed(check_generator(L), (uint64_t)luaL_checkinteger(L, 2));
  lua_settop(L, 1);
  return 1;
}

static int generator_initial_seed(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)tocha_generator_initial_seed(check_generator(L)));
  return 1;
}

static int generator_seed(lua_State *L) {
  uint64_t seed = tocha_random_seed();
  tocha_generator_reseed(check_generator(L), seed);
  lua_pushinteger(L, (lua_Integer)seed);
  return 1;
}

static int generator_get_state(lua_State *L) {
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

static int generator_set_state(lua_State *L) {
  tocha_generator *g = check_generator(L);
  tocha_tensor *t = check_tensor(L, 2, "set_state", "new_state", 1);
  if (tocha_dtype_of(t) != TOCHA_UINT8 || tocha_device_of(t).type != TOCHA_CPU ||
      !tocha_is_contiguous(t))
    return raise_message(L, TOCHA_TYPE_ERROR, "expected a torch.ByteTensor, but got %s",
                         tocha_dtype_scalar_type(tocha_dtype_of(t)));
  if (!tocha_generator_restore(CX(L), g, tocha_data(t), (size_t)tocha_numel(t)))
    return raise_error(L);
  lua_settop(L, 1);
  return 1;
}

/* A generator with the same past: both give the same numbers from here on. */
static int generator_clone_state(lua_State *L) {
  const tocha_generator *source = check_generator(L);
  generator_box *g = push_generator_box(L);
  g->generator = tocha_generator_copy(CX(L), source);
  return g->generator ? 1 : raise_error(L);
}

/* How far a GPU's generator is: words that each thread has had. */
static int generator_get_offset(lua_State *L) {
  uint64_t offset;
  if (!tocha_generator_offset(CX(L), check_generator(L), &offset)) return raise_error(L);
  lua_pushinteger(L, (lua_Integer)offset);
  return 1;
}

static int generator_set_offset(lua_State *L) {
  tocha_generator *g = check_generator(L);
  if (!tocha_generator_set_offset(CX(L), g, luaL_checkinteger(L, 2))) return raise_error(L);
  lua_settop(L, 1);
  return 1;
}

static int generator_tostring(lua_State *L) {
  lua_pushfstring(L, "<torch._C.Generator object at %p>", lua_topointer(L, 1));
  return 1;
}

static int generator_index(lua_State *L) {
  const tocha_generator *g = check_generator(L);
  const char *key = luaL_checkstring(L, 2);
  if (strcmp(key, "device") == 0) {
    push_device(L, tocha_generator_device(g));
    return 1;
  }
  luaL_getmetafield(L, 1, "methods");
  lua_pushvalue(L, 2);
  lua_rawget(L, -2);
  return 1;
}

static void open_generators(lua_State *L, int torch) {
  static const luaL_Reg events[] = {{"__tostring", generator_tostring},
                                    {"__index", generator_index},
                                    {"__gc", generator_gc},
                                    {NULL, NULL}};
  static const luaL_Reg methods[] = {{"manual_seed", generator_manual_seed},
                                     {"initial_seed", generator_initial_seed},
                                     {"seed", generator_seed},
                                     {"get_state", generator_get_state},
                                     {"set_state", generator_set_state},
                                     {"clone_state", generator_clone_state},
                                     {"get_offset", generator_get_offset},
                                     {"set_offset", generator_set_offset},
                                     {NULL, NULL}};
  make_metatable(L, GENERATOR, events);
  luaL_getmetatable(L, GENERATOR);
  luaL_newlib(L, methods);
  lua_setfield(L, -2, "methods");
  lua_pop(L, 1);
  lua_pushcfunction(L, cuda_generator);
  lua_setfield(L, torch, "_cuda_generator");
  lua_pushcfunction(L, seed_devices);
  lua_setfield(L, torch, "_seed_devices");
  push_generator(L, tocha_default_generator(CX(L)));
  lua_setfield(L, torch, "default_generator");
}

void open_types(lua_State *L, int torch) {
  static const luaL_Reg device_events[] = {{"__tostring", device_tostring},
                                           {"__eq", device_eq},
                                           {"__index", device_index},
                                           {NULL, NULL}};
  static const luaL_Reg size_events[] = {
      {"__tostring", size_tostring}, {"__len", size_len},     {"__eq", size_eq},
      {"__index", size_index},       {"__pairs", size_pairs}, {NULL, NULL}};
  open_dtypes(L, torch);
  make_metatable(L, DEVICE, device_events);
  make_metatable(L, SIZE, size_events);
  lua_pushcfunction(L, new_size);
  lua_setfield(L, torch, "Size");
  open_generators(L, torch);
}
