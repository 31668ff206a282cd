/* serialization.c: torch.save, torch.load and .safetensors for lua/torch/serialization:
 * torch._io.checkpoint_load and the like.
 *
 * A source is a path (a string), a file, or a table whose first entry is a string of bytes. */
#include <stdlib.h>
#include <string.h>

#include "io/io.h"
#include "lua/callback.h"
#include "serialization/values.h"

/* --- loading ------------------------------------------------------------------------------------------------- */

typedef struct placing {
  lua_State *L;
  int function; /* stack index of map_location */
} placing;

typedef struct place_call {
  tocha_tensor *storage, *result;
  const char *location;
} place_call;

/* Calls map_location, on top, with (storage, location). It returns the storage to use, or nil
 * for the default one. Returns false with an error set for another value. */
static bool call_map_location(lua_State *L, binding *b, void *argument) {
  place_call *c = argument;
  tocha_lua_push_tensor(L, c->storage);
  lua_pushstring(L, c->location);
  lua_call(L, 2, 1);
  tocha_tensor *t = to_tensor(L, -1);
  if (t)
    c->result = tocha_scope_push(b->cx, tocha_retain(t));
  else if (!lua_isnil(L, -1))
    tocha_fail(b->cx, TOCHA_TYPE_ERROR, "map_location must give a storage or nil, not %s",
               python_type(L, -1));
  return !tocha_failed(b->cx);
}

static tocha_tensor *place_storage(tocha_context *cx, void *user, tocha_tensor *storage,
                                   const char *location) {
  const placing *p = user;
  place_call c = {storage, NULL, location};
  (void)cx;
  lua_pushvalue(p->L, p->function);
  return call_back(binding_of(p->L), 1, 0, call_map_location, &c) ? c.result : NULL;
}

/* Returns the bytes of a source in memory, or NULL for another source. The table keeps the bytes
 * alive. [-0, +0, e] */
static const char *source_bytes(lua_State *L, int index, size_t *length) {
  if (lua_type(L, index) != LUA_TTABLE) return NULL;
  lua_rawgeti(L, index, 1);
  const char *bytes = luaL_checklstring(L, -1, length);
  lua_pop(L, 1); /* the table keeps the bytes */
  return bytes;
}

/* Pushes the value of a checkpoint, made by the types at index 1, and frees the checkpoint.
 * [-0, +1, e] */
static int push_root(lua_State *L, tocha_checkpoint **box) {
  push_value(L, 1, tocha_checkpoint_root(*box));
  tocha_checkpoint_free(*box);
  *box = NULL;
  return 1;
}

/* Pushes the table of names at `index` as an array that NULL ends, and returns it. The table
 * keeps the names alive. [-0, +1, e] */
static const char *const *push_names(lua_State *L, int index) {
  lua_Integer n = luaL_len(L, index);
  const char **names = lua_newuserdatauv(L, ((size_t)n + 1) * sizeof *names, 0);
  for (lua_Integer i = 0; i < n; i++) {
    lua_rawgeti(L, index, i + 1);
    names[i] = luaL_checkstring(L, -1);
    lua_pop(L, 1);
  }
  names[n] = NULL;
  return names;
}

/* (types, source, mmap, device or function or nil, true for any class or a table of names)
 * Returns the value of a checkpoint. */
static int checkpoint_load(lua_State *L) {
  tocha_context *cx = CX(L);
  lua_settop(L, 5);
  luaL_checktype(L, 1, LUA_TTABLE);
  placing p = {L, 4};
  tocha_load_options options = {.mmap = lua_toboolean(L, 3),
                                .any_class = lua_isboolean(L, 5) && lua_toboolean(L, 5)};
  if (lua_istable(L, 5)) options.safe_globals = push_names(L, 5);
  if (lua_type(L, 4) == LUA_TFUNCTION) {
    options.place = place_storage;
    options.user = &p;
  } else if (!lua_isnil(L, 4)) {
    options.has_device = true;
    if (!tocha_lua_to_device(L, 4, &options.device)) return luaL_typeerror(L, 4, "device");
  }
  size_t length;
  const char *bytes = source_bytes(L, 2, &length);
  tocha_checkpoint **box = push_checkpoint(L);
  if (bytes)
    *box = tocha_load_bytes(cx, bytes, length, &options);
  else if (lua_type(L, 2) == LUA_TSTRING)
    *box = tocha_load(cx, lua_tostring(L, 2), &options);
  else
    *box = tocha_load_file(cx, check_file(L, 2), &options);
  if (!*box) return raise_error(L);
  return push_root(L, box);
}

/* (types, bytes, true for any class or a table of names) Returns the value of a plain pickle, or
 * of an .npy file of texts or objects. */
static int unpickle(lua_State *L) {
  size_t length;
  lua_settop(L, 3);
  const char *bytes = luaL_checklstring(L, 2, &length);
  tocha_load_options options = {.any_class = lua_isboolean(L, 3) && lua_toboolean(L, 3)};
  if (lua_istable(L, 3)) options.safe_globals = push_names(L, 3);
  tocha_checkpoint **box = push_checkpoint(L);
  *box = tocha_load_pickle(CX(L), bytes, length, &options);
  return *box ? push_root(L, box) : raise_error(L);
}

/* --- saving -------------------------------------------------------------------------------------------------- */

/* Pushes a checkpoint of the value at index 2, whose attributes are the value at index 5, and
 * returns it. [-0, +1, e] */
static tocha_checkpoint *make_checkpoint(lua_State *L) {
  tocha_checkpoint **box = push_checkpoint(L);
  *box = tocha_checkpoint_new(CX(L));
  if (!*box) raise_error(L);
  tocha_value *root = to_value(L, 1, 2, *box);
  if (!lua_isnil(L, 5) && !tocha_value_set_attributes(*box, root, to_value(L, 1, 5, *box)))
    raise_error(L);
  if (!tocha_checkpoint_set_root(*box, root)) raise_error(L);
  return *box;
}

/* (types, value, path or file or nil, "zip" or "legacy" or "safetensors", attributes) Saves a
 * value, or returns its bytes if there is no file. */
static int checkpoint_save(lua_State *L) {
  static const char *const formats[] = {"zip", "legacy", "safetensors", NULL};
  lua_settop(L, 5);
  luaL_checktype(L, 1, LUA_TTABLE);
  tocha_checkpoint_format format = (tocha_checkpoint_format)luaL_checkoption(L, 4, "zip", formats);
  tocha_context *cx = CX(L);
  tocha_checkpoint *c = make_checkpoint(L);
  if (lua_isnil(L, 3)) {
    size_t length;
    char *bytes = tocha_save_bytes(cx, c, format, &length);
    if (!bytes) return raise_error(L);
    /* Lua owns the bytes' tensor before the string may raise */
    tocha_scope scope = tocha_scope_begin(cx);
    int64_t n = (int64_t)length;
    tocha_tensor *t = tocha_from_values(cx, bytes, 1, &n, TOCHA_UINT8);
    free(bytes);
    push_from_scope(L, t, scope);
    lua_pushlstring(L, n ? tocha_data(t) : "", length);
    return 1;
  }
  bool done = lua_type(L, 3) == LUA_TSTRING ? tocha_save(cx, c, lua_tostring(L, 3), format)
                                            : tocha_save_file(cx, c, check_file(L, 3), format);
  return done ? 0 : raise_error(L);
}

/* --- .safetensors ----------------------------------------------------------------------------------------------- */

static const char SAFETENSORS[] = "tocha.safetensors";

typedef struct safe_box {
  tocha_safetensors *file; /* the file or string that it reads is the user value */
} safe_box;

/* (file or {bytes}) Returns an open file of tensors. */
static int safe_open(lua_State *L) {
  size_t length;
  const char *bytes = source_bytes(L, 1, &length);
  FILE *file = bytes ? NULL : check_file(L, 1);
  safe_box *b = lua_newuserdatauv(L, sizeof *b, 2);
  b->file = NULL;
  luaL_setmetatable(L, SAFETENSORS);
  if (bytes)
    lua_rawgeti(L, 1, 1);
  else
    lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, 1);
  b->file = bytes ? tocha_safetensors_from_bytes(CX(L), bytes, length)
                  : tocha_safetensors_open(CX(L), file);
  return b->file ? 1 : raise_error(L);
}

/* Returns the file at index 1. Raises if its handle is closed. [-0, +0, e] */
static const tocha_safetensors *check_safe(lua_State *L) {
  const safe_box *b = luaL_checkudata(L, 1, SAFETENSORS);
  if (lua_getiuservalue(L, 1, 1) != LUA_TSTRING) check_file(L, -1);
  lua_pop(L, 1);
  return b->file;
}

/* (file) Returns the table of names, and the table of metadata if there is any. */
static int safe_names(lua_State *L) {
  const tocha_safetensors *s = check_safe(L);
  const char *name;
  lua_newtable(L);
  for (int64_t i = 0; (name = tocha_safetensors_name(s, i)); i++) {
    lua_pushstring(L, name);
    lua_rawseti(L, -2, i + 1);
  }
  if (!tocha_safetensors_metadata_name(s, 0)) return 1;
  lua_newtable(L);
  for (int64_t i = 0; (name = tocha_safetensors_metadata_name(s, i)); i++) {
    lua_pushstring(L, tocha_safetensors_metadata_text(s, i));
    lua_setfield(L, -2, name);
  }
  return 2;
}

/* (file, name) Returns the tensor's number, its type ("F32") and its sizes, or nothing if there
 * is no such tensor. */
static int safe_find(lua_State *L) {
  const tocha_safetensors *s = check_safe(L);
  int64_t i = tocha_safetensors_find(s, luaL_checkstring(L, 2));
  int ndim;
  if (i < 0) return 0;
  const int64_t *sizes = tocha_safetensors_sizes(s, i, &ndim);
  lua_pushinteger(L, i);
  lua_pushstring(L, tocha_safetensors_type_name(s, i));
  tocha_lua_push_size(L, ndim, sizes);
  return 3;
}

/* (file, number, first row, end row or -1) Returns a tensor, or the rows of it before the end
 * row. */
static int safe_read(lua_State *L) {
  const tocha_safetensors *s = check_safe(L);
  int64_t i = luaL_checkinteger(L, 2), first = luaL_checkinteger(L, 3);
  int64_t stop = luaL_checkinteger(L, 4);
  tocha_scope scope = tocha_scope_begin(CX(L));
  return push_from_scope(L, tocha_safetensors_read(CX(L), s, i, first, stop), scope);
}

static int safe_gc(lua_State *L) {
  safe_box *b = luaL_checkudata(L, 1, SAFETENSORS);
  tocha_safetensors_close(b->file);
  b->file = NULL;
  return 0;
}

void open_serialization(lua_State *L) {
  static const luaL_Reg functions[] = {{"checkpoint_load", checkpoint_load},
                                       {"checkpoint_save", checkpoint_save},
                                       {"unpickle", unpickle},
                                       {"safe_open", safe_open},
                                       {"safe_names", safe_names},
                                       {"safe_find", safe_find},
                                       {"safe_read", safe_read},
                                       {NULL, NULL}};
  static const luaL_Reg events[] = {{"__gc", safe_gc}, {NULL, NULL}};
  new_metatable(L, SAFETENSORS, events);
  lua_pop(L, 1);
  open_values(L);
  luaL_setfuncs(L, functions, 0);
}
