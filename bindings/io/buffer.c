/* buffer.c: torch.frombuffer, torch.from_file, t:tostring_bytes(), and torch._io, the functions
 * by which the parts written in Lua read and write files. */
#include <lauxlib.h>
#include <string.h>

#include "function_table.h"
#include "io/io.h"
#include "tocha/ops/contiguous.h"
#include "tocha/ops/to.h"

/* Returns the file of a handle that io.open made, or NULL for another value. Raises if the file is
 * closed. [-0, +0, e] */
static FILE *to_file(lua_State *L, int index) {
  const luaL_Stream *stream = luaL_testudata(L, index, LUA_FILEHANDLE);
  if (!stream) return NULL;
  if (!stream->closef) raise_message(L, TOCHA_VALUE_ERROR, "I/O operation on closed file.");
  return stream->f;
}

FILE *check_file(lua_State *L, int index) {
  FILE *file = to_file(L, index);
  if (!file) luaL_typeerror(L, index, "file");
  return file;
}

int push_from_scope(lua_State *L, tocha_tensor *t, tocha_scope s) {
  if (t) push_tensor(L, t);
  tocha_scope_end(CX(L), s, NULL);
  return t ? 1 : raise_error(L);
}

static int with_gradient(lua_State *L, bool requires_grad) {
  if (requires_grad && !tocha_set_requires_grad(CX(L), to_tensor(L, -1), true))
    return raise_error(L);
  return 1;
}

static void check_gradient(lua_State *L, bool requires_grad, tocha_dtype dtype) {
  if (requires_grad && !tocha_dtype_is_floating(dtype))
    raise_message(L, TOCHA_RUNTIME_ERROR,
                  "Only Tensors of floating point and complex dtype can require gradients");
}

/* Returns a tensor with a copy of the buffer's bytes, because Lua's strings are immutable. */
int torch_frombuffer(lua_State *L, const tocha_arg *args) {
  int buffer = any_index(&args[0]);
  size_t length = 0;
  tocha_dtype dtype = args[1].value.dtype;
  int64_t count = args[2].value.integer, offset = args[3].value.integer;
  const char *bytes = lua_type(L, buffer) == LUA_TSTRING ? lua_tolstring(L, buffer, &length) : NULL;
  FILE *file = bytes ? NULL : to_file(L, buffer);
  if (!bytes && !file)
    return raise_hinted(L, TOCHA_VALUE_ERROR,
                        "a buffer is a string, or a file that is open for reading",
                        "object does not implement Python buffer protocol.");
  check_gradient(L, args[4].value.flag, dtype);
  tocha_context *cx = CX(L);
  tocha_scope s = tocha_scope_begin(cx);
  push_from_scope(L,
                  file ? tocha_from_stream(cx, file, dtype, count, offset)
                       : tocha_from_buffer(cx, bytes, length, dtype, count, offset),
                  s);
  return with_gradient(L, args[4].value.flag);
}

int torch_from_file(lua_State *L, const tocha_arg *args) {
  tocha_context *cx = CX(L);
  const char *filename = args[0].value.string;
  tocha_dtype dtype = args[3].given ? args[3].value.dtype : tocha_default_dtype(cx);
  tocha_device device = args[5].given ? args[5].value.device : tocha_cpu();
  bool requires_grad = args[7].value.flag;
  if (args[6].value.flag)
    return raise_message(L, TOCHA_RUNTIME_ERROR,
                         "tensors constructed from a file cannot be pinned");
  if (device.type != TOCHA_CPU)
    return raise_hinted(L, TOCHA_NOT_IMPLEMENTED_ERROR, "torch.from_file(...):to(device)",
                        "Could not run 'aten::from_file' with arguments from another device than "
                        "the CPU");
  check_gradient(L, requires_grad, dtype);
  tocha_scope s = tocha_scope_begin(cx);
  int64_t size = args[2].given ? args[2].value.integer : 0;
  push_from_scope(L, tocha_from_file(cx, filename, args[1].value.flag, size, dtype, 0), s);
  return with_gradient(L, requires_grad);
}

int torch_tensor_tostring_bytes(lua_State *L, const tocha_arg *args) {
  tocha_context *cx = CX(L);
  tocha_tensor *t = args[0].tensor;
  if (tocha_device_of(t).type == TOCHA_META)
    return raise_message(L, TOCHA_RUNTIME_ERROR, "Cannot copy out of meta tensor; no data!");
  tocha_scope s = tocha_scope_begin(cx);
  bool grad = tocha_set_grad_enabled(cx, false);
  t = tocha_contiguous(cx, tocha_to(cx, t, tocha_cpu(), TOCHA_NO_DTYPE, false, false));
  tocha_set_grad_enabled(cx, grad);
  push_from_scope(L, t, s); /* Lua owns the tensor before the string may raise */
  size_t bytes = (size_t)tocha_numel(t) * tocha_dtype_size(tocha_dtype_of(t));
  lua_pushlstring(L, bytes ? tocha_data(t) : "", bytes);
  return 1;
}

/* --- torch._io ---------------------------------------------------------------------------------- */

/* (file, tensor) Writes the tensor's elements. */
static int write_elements(lua_State *L) {
  FILE *file = check_file(L, 1);
  tocha_tensor *t = check_tensor(L, 2, "tofile", "self", 1);
  return tocha_to_stream(CX(L), file, t) ? 0 : raise_error(L);
}

/* (filename, shared, size, dtype, offset) Returns a tensor as torch.from_file does, whose
 * elements begin at an offset in bytes. */
static int map_file(lua_State *L) {
  tocha_dtype dtype;
  if (!tocha_lua_to_dtype(L, 4, &dtype)) return luaL_typeerror(L, 4, "dtype");
  tocha_context *cx = CX(L);
  const char *filename = luaL_checkstring(L, 1);
  int64_t size = luaL_checkinteger(L, 3), offset = luaL_checkinteger(L, 5);
  tocha_scope s = tocha_scope_begin(cx);
  return push_from_scope(L, tocha_from_file(cx, filename, lua_toboolean(L, 2), size, dtype, offset),
                         s);
}

void open_io(lua_State *L, int torch) {
  static const luaL_Reg functions[] = {
      {"write_elements", write_elements}, {"map_file", map_file}, {NULL, NULL}};
  lua_newtable(L);
  luaL_setfuncs(L, functions, 0);
  open_npy(L);
  open_new_file(L);
  open_text(L);
  open_image(L);
  open_folder(L);
  lua_setfield(L, torch, "_io");
}
