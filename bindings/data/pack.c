/* pack.c: packs Lua values into a parcel. */
#include <stdlib.h>
#include <string.h>

#include "data/packing.h"
#include "nn/module.h"
#include "tocha/nn.h"
#include "tocha/random.h"
#include "tocha/reflect.h"

void parcel_free(parcel *p) {
  if (!p) return;
  for (int i = 0; i < p->tensor_count; i++) tocha_shared_free(p->tensors[i]);
  free(p->tensors);
  free(p->bytes);
  free(p);
}

static int free_kept(lua_State *L) {
  parcel **kept = lua_touserdata(L, 1);
  parcel_free(*kept);
  *kept = NULL;
  return 0;
}

parcel **push_parcel(lua_State *L) {
  static const luaL_Reg events[] = {{"__gc", free_kept}, {NULL, NULL}};
  parcel **kept = lua_newuserdatauv(L, sizeof *kept, 0);
  *kept = NULL;
  new_metatable(L, "torch.parcel", events);
  lua_setmetatable(L, -2);
  return kept;
}

static int packing_gc(lua_State *L) {
  packing *k = luaL_checkudata(L, 1, PACKING);
  parcel_free(k->p);
  k->p = NULL;
  return 0;
}

/* --- bytes ------------------------------------------------------------------------------------------- */

bool append_bytes(parcel *p, const void *data, size_t size) {
  if (size > p->capacity - p->size) {
    size_t capacity = p->capacity ? 2 * p->capacity : 256;
    while (capacity < p->size + size) capacity *= 2;
    unsigned char *bytes = realloc(p->bytes, capacity);
    if (!bytes) return false;
    p->bytes = bytes;
    p->capacity = capacity;
  }
  if (size) memcpy(p->bytes + p->size, data, size);
  p->size += size;
  return true;
}

void put(packing *k, const void *data, size_t size) {
  if (!append_bytes(k->p, data, size)) raise_message(k->L, TOCHA_MEMORY_ERROR, "not enough memory");
}

void put_tag(packing *k, enum parcel_tag tag) {
  unsigned char byte = (unsigned char)tag;
  put(k, &byte, 1);
}

void put_number(packing *k, uint64_t n) { put(k, &n, sizeof n); }

void put_text(packing *k, const char *text, size_t size) {
  put_number(k, size);
  put(k, text, size);
}

static void put_string(packing *k, int index) {
  size_t size;
  const char *text = lua_tolstring(k->L, index, &size);
  put_tag(k, PARCEL_STRING);
  put_text(k, text, size);
}

/* --- values that cannot be packed ------------------------------------------------------------ */

static void add_frame(lua_State *L, luaL_Buffer *b, const frame *f) {
  bool of_class = f->outer && f->outer->kind == METATABLE; /* its fields are the object's methods */
  if (f->kind == ROOT) {
    luaL_addstring(b, f->name);
  } else if (f->kind == UPVALUE && f->name) {
    luaL_addstring(b, ", upvalue '");
    luaL_addstring(b, f->name);
    luaL_addchar(b, '\'');
  } else if (f->kind == FIELD && !of_class) {
    bool text = lua_type(L, f->key) == LUA_TSTRING;
    luaL_addstring(b, text ? "." : "[");
    luaL_tolstring(L, f->key, NULL);
    luaL_addvalue(b);
    if (!text) luaL_addchar(b, ']');
  }
}

static void add_path(lua_State *L, luaL_Buffer *b, const frame *f) {
  const frame *way[MAX_DEPTH + 2];
  int n = 0;
  for (; f; f = f->outer) way[n++] = f;
  while (n > 0) add_frame(L, b, way[--n]);
}

/* Raises Python's error for a value that cannot be packed, with its path. */
TOCHA_NORETURN static void refuse(const packing *k, const char *kind, const frame *f) {
  lua_State *L = k->L;
  luaL_Buffer b;
  need_stack(L, 8);
  luaL_buffinit(L, &b);
  add_path(L, &b, f);
  luaL_pushresult(&b);
  const char *path = lua_tostring(L, -1);
  raise_hinted(L, TOCHA_TYPE_ERROR,
               "a worker has a Lua state of its own, with a copy of the dataset: make such a value "
               "there, when it is first used or in worker_init_fn",
               "cannot pickle '%.100s' object: %s", kind, path);
  abort(); /* not reached */
}

static const char *kind_of(lua_State *L, int index) {
  if (luaL_getmetafield(L, index, "__name") == LUA_TSTRING) return lua_tostring(L, -1);
  switch (lua_type(L, index)) {
  case LUA_TTHREAD:
    return "coroutine";
  case LUA_TFUNCTION:
    return "C function";
  default:
    return luaL_typename(L, index);
  }
}

/* --- objects ---------------------------------------------------------------------------------------- */

/* Packs the number of an object that was packed before. Returns false if the object at `index`
 * is new. [-0, +0, e] */
static bool put_seen(packing *k, int index) {
  lua_State *L = k->L;
  lua_pushvalue(L, index);
  bool seen = lua_rawget(L, k->seen) == LUA_TNUMBER;
  if (seen) {
    put_tag(k, PARCEL_SEEN);
    put_number(k, (uint64_t)lua_tointeger(L, -1));
  }
  lua_pop(L, 1);
  return seen;
}

/* Gives the object, or the address of an upvalue, below the top the next number, and records the
 * value on top for it. [-2, +0, m] */
static void note_value(packing *k) {
  lua_State *L = k->L;
  k->count++;
  lua_pushvalue(L, -2);
  lua_rawseti(L, k->order, k->count);
  lua_rawset(L, k->seen);
}

void note_object(packing *k, int index) {
  lua_pushvalue(k->L, index);
  lua_pushinteger(k->L, k->count + 1);
  note_value(k);
}

static bool put_named(packing *k, int index) {
  lua_State *L = k->L;
  if (!k->names) {
    push_names(L); /* in the place that pack_values left for them */
    lua_replace(L, k->globals + 1);
    k->names = k->globals + 1;
  }
  lua_pushvalue(L, index);
  bool named = lua_rawget(L, k->names) == LUA_TSTRING;
  if (named) {
    size_t size;
    const char *path = lua_tolstring(L, -1, &size);
    put_tag(k, PARCEL_NAMED);
    put_text(k, path, size);
    note_object(k, index);
  }
  lua_pop(L, 1);
  return named;
}

static void pack_table(packing *k, int index, const frame *f) {
  lua_State *L = k->L;
  put_tag(k, PARCEL_TABLE);
  put_number(k, lua_rawlen(L, index));
  note_object(k, index);
  int key = lua_gettop(L) + 1;
  frame inner = {f, FIELD, NULL, key, f->depth + 1};
  for (lua_pushnil(L); lua_next(L, index); lua_settop(L, key)) {
    pack_value(k, key, &inner);
    pack_value(k, key + 1, &inner);
  }
  put_tag(k, PARCEL_END);
  if (lua_getmetatable(L, index)) {
    frame meta = {f, METATABLE, NULL, 0, f->depth + 1};
    pack_value(k, lua_gettop(L), &meta);
    lua_pop(L, 1);
  } else {
    put_tag(k, PARCEL_NIL);
  }
}

static void pack_tensor(packing *k, int index) {
  lua_State *L = k->L;
  parcel *p = k->p;
  tocha_tensor *t = to_tensor(L, index);
  if (p->tensor_count == p->tensor_capacity) {
    int capacity = p->tensor_capacity ? 2 * p->tensor_capacity : 4;
    tocha_shared **tensors = realloc(p->tensors, (size_t)capacity * sizeof *tensors);
    if (!tensors) raise_message(L, TOCHA_MEMORY_ERROR, "not enough memory");
    p->tensors = tensors;
    p->tensor_capacity = capacity;
  }
  tocha_shared *shared = tocha_share(CX(L), t);
  if (!shared) raise_error(L);
  p->tensors[p->tensor_count++] = shared;
  unsigned char flags = (unsigned char)(tocha_requires_grad(t) | tocha_is_parameter(t) << 1);
  put_tag(k, PARCEL_TENSOR);
  put_number(k, (uint64_t)p->tensor_count - 1);
  put(k, &flags, 1);
  note_object(k, index);
}

bool put_class(packing *k, const void *class) {
  int i = 0;
  while (tocha_module_class_at(i) && tocha_module_class_at(i) != class) i++;
  if (!tocha_module_class_at(i)) return false;
  put_tag(k, PARCEL_CLASS);
  put_number(k, (uint64_t)i);
  return true;
}

static bool pack_small(packing *k, int index) {
  lua_State *L = k->L;
  tocha_device device;
  int ndim;
  const int64_t *sizes = tocha_lua_to_size(L, index, &ndim);
  const tocha_generator *g = to_generator(L, index);
  if (sizes) {
    put_tag(k, PARCEL_SIZE);
    put_number(k, (uint64_t)ndim);
    put(k, sizes, (size_t)ndim * sizeof *sizes);
  } else if (g && tocha_generator_device(g).type == TOCHA_CPU) {
    size_t size = tocha_generator_saved_size(g);
    void *state = lua_newuserdatauv(L, size, 0);
    tocha_generator_save(g, state);
    put_tag(k, PARCEL_GENERATOR);
    put_text(k, state, size);
    lua_pop(L, 1);
  } else if (tocha_lua_to_device(L, index, &device)) {
    put_tag(k, PARCEL_DEVICE);
    put(k, &device, sizeof device);
  } else {
    return false;
  }
  note_object(k, index);
  return true;
}

/* --- functions in C ------------------------------------------------------------------------ */

/* Packs a C function. Refuses closures, except the removal of a hook: they may hold values that
 * only this state understands. */
static void pack_c_function(packing *k, int index, const frame *f) {
  lua_State *L = k->L;
  lua_CFunction address = lua_tocfunction(L, index);
  int count = 0;
  while (lua_getupvalue(L, index, count + 1)) count++;
  lua_pop(L, count);
  if ((count || k->elsewhere) && !is_hook_removal(L, index)) refuse(k, "C function", f);
  put_tag(k, PARCEL_C_FUNCTION);
  put_number(k, (uint64_t)((uintptr_t)address - (uintptr_t)pack_values));
  put_number(k, (uint64_t)count);
  note_object(k, index);
  frame inner = {f, UPVALUE, NULL, 0, f->depth + 1};
  for (int i = 1; i <= count; i++) {
    lua_getupvalue(L, index, i);
    pack_value(k, lua_gettop(L), &inner);
    lua_pop(L, 1);
  }
}

/* --- values ----------------------------------------------------------------------------------------- */

static void pack_object(packing *k, int index, const frame *f) {
  lua_State *L = k->L;
  if (f->depth >= MAX_DEPTH) refuse(k, "too deeply nested", f);
  luaL_checkstack(L, 16, "too deeply nested");
  if (put_seen(k, index)) return;
  int type = lua_type(L, index);
  if (type == LUA_TUSERDATA && to_tensor(L, index)) {
    pack_tensor(k, index);
    return;
  }
  bool bare = type == LUA_TTABLE && !k->names; /* a table of a batch rarely has a name */
  if (bare && lua_getmetatable(L, index)) {
    bare = false;
    lua_pop(L, 1);
  }
  if (!bare && type != LUA_TTHREAD && put_named(k, index)) return;
  if (type == LUA_TTABLE)
    pack_table(k, index, f);
  else if (type == LUA_TFUNCTION && lua_iscfunction(L, index))
    pack_c_function(k, index, f);
  else if (type == LUA_TFUNCTION)
    pack_function(k, index, f);
  else if (type != LUA_TUSERDATA || !(pack_small(k, index) || pack_module(k, index, f)))
    refuse(k, kind_of(L, index), f);
}

void pack_value(packing *k, int index, const frame *f) {
  lua_State *L = k->L;
  switch (lua_type(L, index)) {
  case LUA_TNIL:
    put_tag(k, PARCEL_NIL);
    break;
  case LUA_TBOOLEAN:
    put_tag(k, lua_toboolean(L, index) ? PARCEL_TRUE : PARCEL_FALSE);
    break;
  case LUA_TSTRING:
    put_string(k, index);
    break;
  case LUA_TNUMBER:
    if (lua_isinteger(L, index)) {
      put_tag(k, PARCEL_INTEGER);
      put_number(k, (uint64_t)lua_tointeger(L, index));
    } else {
      lua_Number number = lua_tonumber(L, index);
      put_tag(k, PARCEL_FLOAT);
      put(k, &number, sizeof number);
    }
    break;
  case LUA_TLIGHTUSERDATA:
    /* the only light userdata that means the same in every state */
    if (!put_class(k, lua_touserdata(L, index))) refuse(k, "light userdata", f);
    break;
  default:
    pack_object(k, index, f);
  }
}

/* --- global variables ------------------------------------------------------------------------------- */

/* (packing as a light userdata, name, value, the packing's tables) Packs the value of a global
 * variable. */
static int pack_global(lua_State *L) {
  packing *k = lua_touserdata(L, 1);
  frame f = {NULL, ROOT, lua_tostring(L, 2), 0, 0};
  k->seen = 4;
  k->order = 5;
  k->globals = 6;
  k->names = lua_istable(L, 7) ? 7 : 0;
  pack_value(k, 3, &f);
  return 0;
}

/* Removes the values that were packed after the given sizes and number from the parcel. */
static void roll_back(packing *k, size_t size, int tensors, lua_Integer count) {
  lua_State *L = k->L;
  for (; k->count > count; k->count--) {
    lua_rawgeti(L, k->order, k->count);
    lua_pushnil(L);
    lua_rawset(L, k->seen);
    lua_pushnil(L);
    lua_rawseti(L, k->order, k->count);
  }
  k->p->size = size;
  while (k->p->tensor_count > tensors) tocha_shared_free(k->p->tensors[--k->p->tensor_count]);
}

/* Packs the value of a global variable. If it cannot be packed, a worker that reads the variable
 * gets an error instead. */
static void try_global(packing *k, const char *name) {
  lua_State *L = k->L;
  packing before = *k;
  size_t size = k->p->size;
  int tensors = k->p->tensor_count, top = lua_gettop(L);
  lua_pushcfunction(L, pack_global);
  lua_pushlightuserdata(L, k);
  lua_pushstring(L, name);
  lua_getfield(L, k->globals, name);
  lua_rawgeti(L, -1, 1);
  lua_remove(L, -2);
  for (int i = 0; i < 4; i++) lua_pushvalue(L, before.seen + i);
  int status = lua_pcall(L, 7, 0, 0);
  k->seen = before.seen;
  k->order = before.order;
  k->globals = before.globals;
  k->names = before.names;
  if (status != LUA_OK) {
    roll_back(k, size, tensors, before.count);
    const char *why = luaL_tolstring(L, -1, &size);
    put_tag(k, PARCEL_ABSENT);
    put_text(k, why, strcspn(why, "\n"));
  }
  lua_settop(L, top);
}

static void pack_globals(packing *k) {
  lua_State *L = k->L;
  for (lua_Integer i = 1; lua_rawgeti(L, k->globals, i) == LUA_TSTRING; i++) {
    put_string(k, lua_gettop(L));
    try_global(k, lua_tostring(L, -1));
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  put_tag(k, PARCEL_END);
}

static parcel *pack_all(lua_State *L, int first, const char *const *labels, bool elsewhere) {
  static const luaL_Reg events[] = {{"__gc", packing_gc}, {NULL, NULL}};
  int last = lua_gettop(L);
  need_stack(L, 32);
  packing *k = lua_newuserdatauv(L, sizeof *k, 0);
  memset(k, 0, sizeof *k);
  k->L = L;
  new_metatable(L, PACKING, events);
  lua_setmetatable(L, -2);
  k->p = calloc(1, sizeof *k->p);
  if (!k->p) raise_message(L, TOCHA_MEMORY_ERROR, "not enough memory");
  k->seen = last + 2;
  k->order = last + 3;
  k->globals = last + 4;
  for (int i = 0; i < 3; i++) lua_newtable(L);
  k->program = labels != NULL;
  k->elsewhere = elsewhere;
  if (k->program) { /* code and data of a program; a batch seldom needs the names */
    forget_names(L);
    push_names(L);
    k->names = last + 5;
  } else {
    lua_pushnil(L); /* reserves the place of the names */
  }
  put_number(k, (uint64_t)last - (uint64_t)first + 1);
  for (int i = first; i <= last; i++) {
    frame f = {NULL, ROOT, labels ? labels[i - first] : "batch", 0, 0};
    pack_value(k, i, &f);
  }
  pack_globals(k);
  parcel *p = k->p;
  k->p = NULL;
  lua_settop(L, last);
  return p;
}

parcel *pack_values(lua_State *L, int first, const char *const *labels) {
  return pack_all(L, first, labels, false);
}

parcel *pack_for_process(lua_State *L, int first, const char *const *labels) {
  return pack_all(L, first, labels, true);
}
