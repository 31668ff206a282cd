/* unpack.c: unpacks Lua values from a parcel. */
#include <string.h>

#include "data/unpacking.h"
#include "tocha/nn.h"
#include "tocha/random.h"

void get(unpacking *u, void *data, size_t size) {
  if (size > u->p->size - u->at) luaL_error(u->L, "a parcel ends early");
  memcpy(data, u->p->bytes + u->at, size);
  u->at += size;
}

uint64_t get_number(unpacking *u) {
  uint64_t n;
  get(u, &n, sizeof n);
  return n;
}

const char *get_text(unpacking *u, size_t *size) {
  *size = get_number(u);
  if (*size > u->p->size - u->at) luaL_error(u->L, "a parcel ends early");
  const char *text = (const char *)u->p->bytes + u->at;
  u->at += *size;
  return text;
}

static int get_tag(unpacking *u) {
  unsigned char tag;
  get(u, &tag, 1);
  return tag;
}

void note_unpacked(unpacking *u) {
  lua_pushvalue(u->L, -1);
  lua_rawseti(u->L, u->objects, ++u->count);
}

/* --- objects ---------------------------------------------------------------------------------------- */

static void unpack_table(unpacking *u) {
  lua_State *L = u->L;
  uint64_t slots = get_number(u);
  lua_createtable(L, slots < u->p->size ? (int)slots : 0, 0);
  note_unpacked(u);
  while (u->p->bytes[u->at] != PARCEL_END) {
    unpack_value(u);
    unpack_value(u);
    lua_rawset(L, -3);
  }
  u->at++;
  unpack_value(u);
  if (lua_isnil(L, -1))
    lua_pop(L, 1);
  else
    lua_setmetatable(L, -2);
}

static void unpack_upvalue(unpacking *u, int number) {
  lua_State *L = u->L;
  if (u->p->bytes[u->at] != PARCEL_JOINED) {
    unpack_value(u);
    lua_setupvalue(L, -2, number);
    return;
  }
  u->at++;
  lua_rawgeti(L, u->objects, (lua_Integer)get_number(u));
  lua_upvaluejoin(L, -2, number, -1, (int)get_number(u));
  lua_pop(L, 1);
}

static void unpack_function(unpacking *u) {
  size_t size;
  unsigned char upvalues;
  const char *code = get_text(u, &size);
  if (luaL_loadbufferx(u->L, code, size, "=?", "b") != LUA_OK) lua_error(u->L);
  note_unpacked(u);
  get(u, &upvalues, 1);
  for (int i = 1; i <= upvalues; i++) unpack_upvalue(u, i);
}

static void unpack_c_function(unpacking *u) {
  lua_CFunction address = (lua_CFunction)((uintptr_t)pack_values + (uintptr_t)get_number(u));
  int count = (int)get_number(u);
  for (int i = 0; i < count; i++) lua_pushnil(u->L);
  lua_pushcclosure(u->L, address, count);
  note_unpacked(u);
  for (int i = 1; i <= count; i++) {
    unpack_value(u);
    lua_setupvalue(u->L, -2, i);
  }
}

static void unpack_named(unpacking *u) {
  size_t size;
  const char *path = get_text(u, &size);
  push_named(u->L, path, size);
  note_unpacked(u);
}

static void unpack_tensor(unpacking *u) {
  lua_State *L = u->L;
  tocha_context *cx = CX(L);
  unsigned char flags;
  const tocha_shared *shared = u->p->tensors[get_number(u)];
  get(u, &flags, 1);
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_tensor *t = tocha_from_shared(cx, shared);
  if (tocha_is_uninitialized(t))
    t = tocha_uninitialized_new(cx, flags & 2, flags & 1, tocha_dtype_of(t), tocha_cpu());
  else if (flags & 2)
    t = tocha_parameter_new(cx, t, flags & 1);
  else if (flags & 1)
    t = tocha_set_requires_grad(cx, t, true);
  if (t) push_tensor(L, t);
  tocha_scope_end(cx, scope, NULL);
  if (!t) raise_error(L);
  if (flags & 2) share_tensor(L, -1);
  note_unpacked(u);
}

static void unpack_generator(unpacking *u) {
  size_t size;
  const char *state = get_text(u, &size);
  tocha_generator *g = push_own_generator(u->L);
  if (!tocha_generator_restore(CX(u->L), g, state, size)) raise_error(u->L);
  note_unpacked(u);
}

static void unpack_size(unpacking *u) {
  int64_t sizes[TOCHA_MAX_DIMS];
  uint64_t ndim = get_number(u);
  if (ndim > TOCHA_MAX_DIMS) luaL_error(u->L, "a parcel with a Size of %d numbers", (int)ndim);
  get(u, sizes, ndim * sizeof *sizes);
  tocha_lua_push_size(u->L, (int)ndim, sizes);
  note_unpacked(u);
}

const tocha_module_class *get_class(unpacking *u) {
  return tocha_module_class_at((int)get_number(u));
}

static void unpack_device(unpacking *u) {
  tocha_device device;
  get(u, &device, sizeof device);
  tocha_lua_push_device(u->L, device);
  note_unpacked(u);
}

/* --- values ----------------------------------------------------------------------------------------- */

static void unpack_string(unpacking *u) {
  size_t size;
  const char *text = get_text(u, &size);
  lua_pushlstring(u->L, text, size);
}

static void unpack_float(unpacking *u) {
  lua_Number number;
  get(u, &number, sizeof number);
  lua_pushnumber(u->L, number);
}

void unpack_value(unpacking *u) {
  lua_State *L = u->L;
  luaL_checkstack(L, 8, "too deeply nested");
  switch (get_tag(u)) {
  case PARCEL_NIL:
    lua_pushnil(L);
    break;
  case PARCEL_FALSE:
    lua_pushboolean(L, 0);
    break;
  case PARCEL_TRUE:
    lua_pushboolean(L, 1);
    break;
  case PARCEL_INTEGER:
    lua_pushinteger(L, (lua_Integer)get_number(u));
    break;
  case PARCEL_FLOAT:
    unpack_float(u);
    break;
  case PARCEL_STRING:
    unpack_string(u);
    break;
  case PARCEL_TABLE:
    unpack_table(u);
    break;
  case PARCEL_FUNCTION:
    unpack_function(u);
    break;
  case PARCEL_C_FUNCTION:
    unpack_c_function(u);
    break;
  case PARCEL_NAMED:
    unpack_named(u);
    break;
  case PARCEL_TENSOR:
    unpack_tensor(u);
    break;
  case PARCEL_DEVICE:
    unpack_device(u);
    break;
  case PARCEL_SIZE:
    unpack_size(u);
    break;
  case PARCEL_GENERATOR:
    unpack_generator(u);
    break;
  case PARCEL_MODULE:
    unpack_module(u);
    break;
  case PARCEL_CLASS:
    lua_pushlightuserdata(L, (void *)get_class(u));
    break;
  case PARCEL_SEEN:
    lua_rawgeti(L, u->objects, (lua_Integer)get_number(u));
    break;
  default:
    luaL_error(L, "a parcel with an unknown value");
  }
}

/* --- global variables ------------------------------------------------------------------------------- */

/* (globals, name) Raises an error if the global variable could not be packed. Upvalue: the
 * reasons by name. */
static int missing_global(lua_State *L) {
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TSTRING) return 0;
  return luaL_error(L, "the global '%s' is not in a worker: %s", luaL_tolstring(L, 2, NULL),
                    lua_tostring(L, 3));
}

/* Makes reading the global variable whose name is on top an error with this text. [-1, +0, m] */
static void note_missing(lua_State *L, const char *why, size_t size) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, "tocha.missing_globals");
  lua_pushvalue(L, -2);
  lua_pushlstring(L, why, size);
  lua_rawset(L, -3);
  lua_pushglobaltable(L);
  if (!lua_getmetatable(L, -1)) {
    lua_newtable(L);
    lua_pushvalue(L, -3);
    lua_pushcclosure(L, missing_global, 1);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
  } else {
    lua_pop(L, 1); /* a metatable of the program: the variable is nil there */
  }
  lua_pop(L, 3);
}

static void unpack_globals(unpacking *u) {
  lua_State *L = u->L;
  while (u->p->bytes[u->at] != PARCEL_END) {
    unpack_value(u); /* the name */
    if (u->p->bytes[u->at] == PARCEL_ABSENT) {
      size_t size;
      u->at++;
      const char *why = get_text(u, &size);
      note_missing(L, why, size);
    } else {
      lua_pushglobaltable(L);
      lua_insert(L, -2);
      unpack_value(u);
      lua_rawset(L, -3);
      lua_pop(L, 1);
    }
  }
}

int unpack_values(lua_State *L, const parcel *p) {
  unpacking u = {p, L, 0, lua_gettop(L) + 1, 0};
  need_stack(L, 16);
  lua_newtable(L);
  int count = (int)get_number(&u);
  need_stack(L, count);
  for (int i = 0; i < count; i++) unpack_value(&u);
  unpack_globals(&u);
  lua_remove(L, u.objects);
  return count;
}
