/* npy.c: NumPy's files, for lua/torch/numpy: torch._io.npy_read and the like. */
#include <lauxlib.h>

#include "io/io.h"

/* (file) Returns the tensor of an .npy file. */
static int npy_read(lua_State *L) {
  FILE *file = check_file(L, 1);
  tocha_scope s = tocha_scope_begin(CX(L));
  return push_from_scope(L, tocha_npy_read(CX(L), file), s);
}

/* (file, tensor) Writes an .npy file. */
static int npy_write(lua_State *L) {
  FILE *file = check_file(L, 1);
  tocha_tensor *t = check_tensor(L, 2, "save", "arr", 2);
  return tocha_npy_write(CX(L), file, t) ? 0 : raise_error(L);
}

/* (file) Returns the head of an .npy file: dtype, sizes, true if columns come first, true if the
 * elements need conversion, and the offset of the elements in bytes. */
static int npy_head(lua_State *L) {
  tocha_npy_head head;
  if (!tocha_npy_read_head(CX(L), check_file(L, 1), &head)) return raise_error(L);
  tocha_lua_push_dtype(L, head.dtype);
  lua_createtable(L, head.ndim, 0);
  for (int i = 0; i < head.ndim; i++) {
    lua_pushinteger(L, head.sizes[i]);
    lua_rawseti(L, -2, i + 1);
  }
  lua_pushboolean(L, head.fortran_order);
  lua_pushboolean(L, head.swapped || head.foreign >= 0);
  lua_pushinteger(L, head.bytes);
  return 5;
}

/* --- archives ------------------------------------------------------------------------------------ */

static const char NPZ[] = "tocha.npz", WRITER[] = "tocha.npz_writer";

typedef struct npz_box {
  tocha_npz *npz; /* the file is the user value */
} npz_box;

typedef struct writer_box {
  tocha_npz_writer *writer;
} writer_box;

/* (file) Returns an archive, and a table of its members' names. */
static int npz_open(lua_State *L) {
  FILE *file = check_file(L, 1);
  npz_box *b = lua_newuserdatauv(L, sizeof *b, 1);
  b->npz = NULL;
  luaL_setmetatable(L, NPZ);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, 1);
  b->npz = tocha_npz_open(CX(L), file);
  if (!b->npz) return raise_error(L);
  int64_t count = tocha_npz_count(b->npz);
  lua_createtable(L, count < 65536 ? (int)count : 0, 0);
  for (int64_t i = 0; i < count; i++) {
    lua_pushstring(L, tocha_npz_name(b->npz, i));
    lua_rawseti(L, -2, i + 1);
  }
  return 2;
}

/* (archive, member, from 1) Returns the member's tensor, or its bytes if it is not an array. */
static int npz_read(lua_State *L) {
  const npz_box *b = luaL_checkudata(L, 1, NPZ);
  int64_t member = luaL_checkinteger(L, 2) - 1;
  bool is_array = false;
  lua_getiuservalue(L, 1, 1);
  check_file(L, -1); /* raises if the file was closed meanwhile */
  tocha_scope s = tocha_scope_begin(CX(L));
  push_from_scope(L, tocha_npz_read(CX(L), b->npz, member, &is_array), s);
  if (is_array) return 1;
  const tocha_tensor *t = to_tensor(L, -1);
  lua_pushlstring(L, tocha_numel(t) ? tocha_data(t) : "", (size_t)tocha_numel(t));
  return 1;
}

static int npz_gc(lua_State *L) {
  npz_box *b = luaL_checkudata(L, 1, NPZ);
  tocha_npz_close(b->npz);
  b->npz = NULL;
  return 0;
}

static int writer_gc(lua_State *L) {
  writer_box *b = luaL_checkudata(L, 1, WRITER);
  if (!b->writer) return 0;
  tocha_npz_abandon(b->writer);
  b->writer = NULL;
  return 0;
}

/* (file, compressed, names, tensors) Writes an archive of tensors, whose names end in .npy. */
static int npz_write(lua_State *L) {
  FILE *file = check_file(L, 1);
  luaL_checktype(L, 3, LUA_TTABLE);
  luaL_checktype(L, 4, LUA_TTABLE);
  lua_settop(L, 4);
  int count = table_length(L, 3);
  writer_box *b = lua_newuserdatauv(L, sizeof *b, 0);
  b->writer = NULL;
  luaL_setmetatable(L, WRITER);
  tocha_context *cx = CX(L);
  b->writer = tocha_npz_begin(cx, file, lua_toboolean(L, 2));
  if (!b->writer) return raise_error(L);
  for (int i = 1; i <= count; i++) {
    lua_rawgeti(L, 3, i);
    lua_rawgeti(L, 4, i);
    tocha_tensor *t = check_tensor(L, -1, "savez", "args", i);
    if (!tocha_npz_add(cx, b->writer, luaL_checkstring(L, -2), t)) return raise_error(L);
    lua_pop(L, 2);
  }
  tocha_npz_writer *writer = b->writer;
  b->writer = NULL;
  return tocha_npz_finish(cx, writer) ? 0 : raise_error(L);
}

void open_npy(lua_State *L) {
  static const luaL_Reg functions[] = {{"npy_read", npy_read},
                                       {"npy_write", npy_write},
                                       {"npy_head", npy_head},
                                       {"npz_open", npz_open},
                                       {"npz_read", npz_read},
                                       {"npz_write", npz_write},
                                       {NULL, NULL}};
  static const luaL_Reg npz[] = {{"__gc", npz_gc}, {NULL, NULL}};
  static const luaL_Reg writer[] = {{"__gc", writer_gc}, {NULL, NULL}};
  new_metatable(L, NPZ, npz);
  lua_pop(L, 1);
  new_metatable(L, WRITER, writer);
  lua_pop(L, 1);
  luaL_setfuncs(L, functions, 0);
}
