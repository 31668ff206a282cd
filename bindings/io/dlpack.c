/* dlpack.c: torch.from_dlpack, torch.to_dlpack, and the methods by which other libraries ask a tensor for its memory.
 *
 * A capsule is a userdata whose first word is the address of a DLManagedTensorVersioned, or of a
 * DLManagedTensor, and whose metatable is the registry's "dltensor_versioned", or "dltensor". The
 * word is NULL after somebody took the struct. Other C modules make and take such capsules. */
#include "tocha/dlpack.h"

#include "function_table.h"
#include "io/io.h"
#include "tocha/ops/clone.h"
#include "tocha/ops/to.h"

static const char VERSIONED[] = "dltensor_versioned", UNVERSIONED[] = "dltensor";

typedef struct capsule {
  void *managed;
} capsule;

static int collect_versioned(lua_State *L) {
  capsule *c = luaL_checkudata(L, 1, VERSIONED);
  tocha_dlpack_free(c->managed);
  c->managed = NULL;
  return 0;
}

static int collect_unversioned(lua_State *L) {
  capsule *c = luaL_checkudata(L, 1, UNVERSIONED);
  tocha_dlpack_free_unversioned(c->managed);
  c->managed = NULL;
  return 0;
}

/* The address stays out of the text: it is of no use to a script. */
static int capsule_text(lua_State *L) {
  const capsule *c = lua_touserdata(L, 1);
  bool versioned = luaL_testudata(L, 1, VERSIONED) != NULL;
  lua_pushfstring(L, "<capsule object \"%s%s\">", c && c->managed ? "" : "used_",
                  versioned ? VERSIONED : UNVERSIONED);
  return 1;
}

static capsule *push_capsule(lua_State *L, bool versioned) {
  static const luaL_Reg of_versioned[] = {
      {"__gc", collect_versioned}, {"__tostring", capsule_text}, {NULL, NULL}};
  static const luaL_Reg of_unversioned[] = {
      {"__gc", collect_unversioned}, {"__tostring", capsule_text}, {NULL, NULL}};
  capsule *c = lua_newuserdatauv(L, sizeof *c, 0);
  c->managed = NULL;
  new_metatable(L, versioned ? VERSIONED : UNVERSIONED, versioned ? of_versioned : of_unversioned);
  lua_setmetatable(L, -2);
  return c;
}

/* --- for other libraries --------------------------------------------------------------------------- */

/* Pushes a capsule of the tensor, or of a copy of it. [-0, +1, e] */
static int push_lent(lua_State *L, tocha_tensor *t, bool versioned, bool copy, bool read_only) {
  tocha_context *cx = CX(L);
  capsule *c = push_capsule(L, versioned);
  tocha_scope s = tocha_scope_begin(cx);
  if (copy) t = tocha_clone(cx, t);
  if (versioned)
    c->managed = tocha_to_dlpack(cx, t, read_only);
  else
    c->managed = tocha_to_dlpack_unversioned(cx, t);
  tocha_scope_end(cx, s, NULL);
  return c->managed ? 1 : raise_error(L);
}

int torch_to_dlpack(lua_State *L, const tocha_arg *args) {
  return push_lent(L, args[0].tensor, false, false, false);
}

int torch_tensor___dlpack_device__(lua_State *L, const tocha_arg *args) {
  tocha_dlpack_device device;
  if (!tocha_dlpack_device_of(CX(L), args[0].tensor, &device)) return raise_error(L);
  lua_pushinteger(L, device.type);
  lua_pushinteger(L, device.index);
  return 2;
}

/* Reads a pair of integers, {type, index} or {major, minor}, at a stack index; 0 is none. Raises for another value. [-0, +0, e] */
static bool read_pair(lua_State *L, int index, const char *name, int64_t pair[2]) {
  if (!index || lua_isnil(L, index)) return false;
  bool good = lua_type(L, index) == LUA_TTABLE;
  for (int i = 0; good && i < 2; i++) {
    int is_integer;
    lua_rawgeti(L, index, i + 1);
    pair[i] = lua_tointegerx(L, -1, &is_integer);
    good = is_integer;
    lua_pop(L, 1);
  }
  if (!good)
    raise_message(L, TOCHA_TYPE_ERROR, "__dlpack__(): argument '%s' must be tuple of ints, not %s",
                  name, python_type(L, index));
  return true;
}

/* Makes what `stream`, a number of DLPack's, does next come after the work that is queued now. [-0, +0, e] */
static void hand_over(lua_State *L, const tocha_tensor *t, int stream) {
  tocha_context *cx = CX(L);
  bool given = stream && !lua_isnil(L, stream);
  int is_integer = 1;
  lua_Integer handle = given ? lua_tointegerx(L, stream, &is_integer) : -1;
  if (!is_integer || (given && lua_type(L, stream) != LUA_TNUMBER))
    raise_message(L, TOCHA_TYPE_ERROR, "stream must be ``int`` or ``none``");
  tocha_device device = tocha_device_of(t);
  if (device.type == TOCHA_CPU && handle != -1)
    raise_message(L, TOCHA_ASSERTION_ERROR, "stream should be None on cpu.");
  if (device.type != TOCHA_CUDA || handle == -1) return;
  if (handle == 2)
    raise_message(L, TOCHA_BUFFER_ERROR, "per-thread default stream is not supported.");
  tocha_stream *current = tocha_current_stream(cx, device.index);
  const tocha_stream *legacy = tocha_default_stream(cx, device.index);
  void *receiver = handle == 1 && legacy ? tocha_stream_handle(legacy) : (void *)(intptr_t)handle;
  if (!current || !legacy) raise_error(L);
  if (tocha_stream_handle(current) != receiver && !tocha_stream_synchronize(cx, current))
    raise_error(L);
}

/* (self, stream, max_version, dl_device, copy, read_only) */
int torch_tensor___dlpack__(lua_State *L, const tocha_arg *args) {
  tocha_tensor *t = args[0].tensor;
  int64_t version[2], wanted[2];
  tocha_dlpack_device own;
  bool read_only = args[5].value.flag, copy = args[4].given && args[4].value.flag;
  if (tocha_requires_grad(t))
    return raise_message(L, TOCHA_BUFFER_ERROR,
                         "Can't export tensors that require gradient, use tensor.detach()");
  hand_over(L, t, any_index(&args[1]));
  bool versioned = read_pair(L, any_index(&args[2]), "max_version", version) && version[0] >= 1;
  if (read_only && !versioned)
    return raise_message(L, TOCHA_BUFFER_ERROR,
                         "read_only export requires the versioned DLPack protocol; pass "
                         "max_version=(1, 0) or higher");
  if (read_pair(L, any_index(&args[3]), "dl_device", wanted)) {
    if (!tocha_dlpack_device_of(CX(L), t, &own)) return raise_error(L);
    if (own.type != wanted[0] || own.index != wanted[1])
      return raise_hinted(L, TOCHA_BUFFER_ERROR, "move the tensor first: x:to(device)",
                          "Unsupported device_type: %d", (int)wanted[0]);
  }
  return push_lent(L, t, versioned, copy, read_only);
}

/* --- of other libraries ------------------------------------------------------------------------------ */

/* Pushes a tensor over the memory of the capsule at `index`, which is empty afterwards. [-0, +1, e] */
static int push_borrowed(lua_State *L, int index) {
  tocha_context *cx = CX(L);
  capsule *versioned = luaL_testudata(L, index, VERSIONED);
  capsule *c = versioned ? versioned : luaL_testudata(L, index, UNVERSIONED);
  if (!c || !c->managed)
    return raise_message(L, TOCHA_RUNTIME_ERROR,
                         "from_dlpack received an invalid capsule. Note that DLTensor capsules can "
                         "be consumed only once, so you might have already constructed a tensor "
                         "from it once.");
  tocha_scope s = tocha_scope_begin(cx);
  tocha_tensor *t =
      versioned ? tocha_from_dlpack(cx, c->managed) : tocha_from_dlpack_unversioned(cx, c->managed);
  if (t) c->managed = NULL; /* the tensor owns it, also if Lua has no memory for its userdata */
  return push_from_scope(L, t, s);
}

/* Returns true if the value can be asked for its memory, and pushes its method. [-0, +(0|1), e] */
static bool push_export(lua_State *L, int index) {
  int type = lua_type(L, index);
  if (type != LUA_TTABLE && type != LUA_TUSERDATA) return false;
  if (type == LUA_TUSERDATA && luaL_getmetafield(L, index, "__index") == LUA_TNIL) return false;
  if (type == LUA_TUSERDATA) lua_pop(L, 1);
  if (lua_getfield(L, index, "__dlpack__") != LUA_TNIL) return true;
  lua_pop(L, 1);
  return false;
}

/* Reads the device of a value from its method. [-0, +0, e] */
static tocha_dlpack_device device_of_value(lua_State *L, int index) {
  lua_getfield(L, index, "__dlpack_device__");
  lua_pushvalue(L, index);
  lua_call(L, 1, 2);
  tocha_dlpack_device device = {(int32_t)lua_tointeger(L, -2), (int32_t)lua_tointeger(L, -1)};
  lua_pop(L, 2);
  return device;
}

static void set_pair(lua_State *L, const char *name, lua_Integer first, lua_Integer second) {
  lua_createtable(L, 2, 0);
  lua_pushinteger(L, first);
  lua_rawseti(L, -2, 1);
  lua_pushinteger(L, second);
  lua_rawseti(L, -2, 2);
  lua_setfield(L, -2, name);
}

/* Pushes the keywords for a value's __dlpack__. [-0, +1, e] */
static void push_request(lua_State *L, tocha_dlpack_device from, const tocha_arg *copy) {
  lua_newtable(L);
  set_pair(L, "max_version", 1, 0);
  if (copy->given) {
    lua_pushboolean(L, copy->value.flag);
    lua_setfield(L, -2, "copy");
  }
  if (from.type != TOCHA_DLPACK_CUDA) return;
  const tocha_stream *stream = tocha_current_stream(CX(L), from.index);
  if (!stream) raise_error(L);
  intptr_t handle = (intptr_t)tocha_stream_handle(stream);
  lua_pushinteger(L, handle ? (lua_Integer)handle : 1);
  lua_setfield(L, -2, "stream");
}

/* Moves the tensor on top to a device. [-1, +1, e] */
static int move_to(lua_State *L, tocha_device device) {
  tocha_context *cx = CX(L);
  tocha_scope s = tocha_scope_begin(cx);
  tocha_tensor *t = tocha_to(cx, to_tensor(L, -1), device, TOCHA_NO_DTYPE, false, false);
  return push_from_scope(L, t, s);
}

static bool is_there(tocha_dlpack_device from, tocha_device to) {
  bool cuda = from.type == TOCHA_DLPACK_CUDA;
  return to.type == (cuda ? TOCHA_CUDA : TOCHA_CPU) &&
         (!cuda || to.index < 0 || to.index == from.index);
}

/* (ext_tensor, device, copy) */
int torch_from_dlpack(lua_State *L, const tocha_arg *args) {
  int value = any_index(&args[0]);
  bool move = args[1].given;
  tocha_device device = args[1].value.device;
  if (!push_export(L, value)) {
    push_borrowed(L, value);
    return move ? move_to(L, device) : 1;
  }
  tocha_dlpack_device from = device_of_value(L, value);
  char text[24];
  if (move && is_there(from, device)) move = false;
  if (move && args[2].given && !args[2].value.flag)
    return raise_message(
        L, TOCHA_VALUE_ERROR,
        "cannot move DLPack tensor from device (%d, %d) to %s without copying. Set "
        "copy=None or copy=True.",
        from.type, from.index, tocha_device_text(device, text));
  lua_pushvalue(L, value);
  push_request(L, from, &args[2]);
  lua_call(L, 2, 1);
  push_borrowed(L, lua_gettop(L));
  return move ? move_to(L, device) : 1;
}
