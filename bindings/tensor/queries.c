/* queries.c: methods of tensors that answer questions about sizes, memory and kinds. */
#include <string.h>

#include "function_table.h"
#include "sandbox/confined.h"
#include "tocha/ops/contiguous.h"
#include "tocha/ops/to.h"

/* --- questions ------------------------------------------------------------------------------------ */

/* Pushes the number that t has for a dimension, such as a size or a stride. [-0, +1, e] */
static int push_dimension(lua_State *L, const tocha_tensor *t, int64_t dim,
                          const int64_t *numbers) {
  if (tocha_ndim(t) == 0)
    return raise_message(L, TOCHA_INDEX_ERROR,
                         "Dimension specified as %lld but tensor has no dimensions",
                         (long long)dim);
  if (!tocha_wrap_dim(CX(L), &dim, tocha_ndim(t))) return raise_error(L);
  lua_pushinteger(L, numbers[dim]);
  return 1;
}

int torch_tensor_size(lua_State *L, const tocha_arg *args) {
  const tocha_tensor *t = args[0].tensor;
  if (args[1].given) return push_dimension(L, t, args[1].value.integer, tocha_sizes(t));
  tocha_lua_push_size(L, tocha_ndim(t), tocha_sizes(t));
  return 1;
}

int torch_tensor_stride(lua_State *L, const tocha_arg *args) {
  const tocha_tensor *t = args[0].tensor;
  if (args[1].given) return push_dimension(L, t, args[1].value.integer, tocha_strides(t));
  lua_createtable(L, tocha_ndim(t), 0);
  for (int i = 0; i < tocha_ndim(t); i++) {
    lua_pushinteger(L, tocha_strides(t)[i]);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

static int push_integer(lua_State *L, int64_t value) {
  lua_pushinteger(L, value);
  return 1;
}

static int push_answer(lua_State *L, bool answer) {
  lua_pushboolean(L, answer);
  return 1;
}

int torch_tensor_dim(lua_State *L, const tocha_arg *args) {
  return push_integer(L, tocha_ndim(args[0].tensor));
}

int torch_tensor_numel(lua_State *L, const tocha_arg *args) {
  refuse_uninitialized(L, args[0].tensor, "<built-in method numel of type object>");
  return push_integer(L, tocha_numel(args[0].tensor));
}

int torch_tensor_storage_offset(lua_State *L, const tocha_arg *args) {
  return push_integer(L, tocha_storage_offset(args[0].tensor));
}

int torch_tensor_element_size(lua_State *L, const tocha_arg *args) {
  return push_integer(L, (int64_t)tocha_dtype_size(tocha_dtype_of(args[0].tensor)));
}

int torch_tensor_data_ptr(lua_State *L, const tocha_arg *args) {
  if (is_sandboxed(L))
    return raise_message(L, TOCHA_RUNTIME_ERROR, "data_ptr: a sandbox shows no addresses");
  return push_integer(L, (intptr_t)tocha_data(args[0].tensor));
}

int torch_tensor_get_device(lua_State *L, const tocha_arg *args) {
  return push_integer(L, tocha_device_of(args[0].tensor).index);
}

/* Returns true if t, of shape (N, C, ..., W), is stored with its channels innermost. `space` is
 * the number of its other dimensions. */
static bool has_channels_last(const tocha_tensor *t, int space) {
  const int64_t *sizes = tocha_sizes(t), *strides = tocha_strides(t);
  int ndim = tocha_ndim(t);
  int64_t expected = 1;
  if (ndim != space + 2) return false;
  for (int i = 0; i < ndim; i++) {
    int d = i == 0 ? 1 : i == ndim - 1 ? 0 : ndim - i;
    if (sizes[d] != 1 && strides[d] != expected) return false;
    expected *= sizes[d];
  }
  return true;
}

int torch_tensor_is_contiguous(lua_State *L, const tocha_arg *args) {
  const char *format = args[1].given ? args[1].value.string : "";
  if (strcmp(format, "torch.channels_last") == 0)
    return push_answer(L, has_channels_last(args[0].tensor, 2));
  if (strcmp(format, "torch.channels_last_3d") == 0)
    return push_answer(L, has_channels_last(args[0].tensor, 3));
  return push_answer(L, tocha_is_contiguous(args[0].tensor));
}

int torch_tensor_is_floating_point(lua_State *L, const tocha_arg *args) {
  return push_answer(L, tocha_dtype_is_floating(tocha_dtype_of(args[0].tensor)));
}

int torch_tensor_is_complex(lua_State *L, const tocha_arg *args) {
  (void)args;
  return push_answer(L, false);
}

int torch_tensor_is_signed(lua_State *L, const tocha_arg *args) {
  tocha_dtype dtype = tocha_dtype_of(args[0].tensor);
  return push_answer(L, dtype != TOCHA_BOOL && dtype != TOCHA_UINT8);
}

int torch_tensor_is_inference(lua_State *L, const tocha_arg *args) {
  return push_answer(L, tocha_is_inference(args[0].tensor));
}

int torch_tensor_is_nonzero(lua_State *L, const tocha_arg *args) {
  const tocha_tensor *t = args[0].tensor;
  tocha_scalar s;
  if (tocha_numel(t) != 1)
    return raise_message(L, TOCHA_RUNTIME_ERROR,
                         tocha_numel(t)
                             ? "Boolean value of Tensor with more than one value is ambiguous"
                             : "Boolean value of Tensor with no values is ambiguous");
  if (!tocha_item(CX(L), t, &s)) return raise_error(L);
  return push_answer(L, tocha_scalar_real(s) != 0);
}

int torch_tensor__is_view(lua_State *L, const tocha_arg *args) {
  return push_answer(L, tocha_base(args[0].tensor) != NULL);
}

int torch_tensor_is_same_size(lua_State *L, const tocha_arg *args) {
  return push_answer(L, tocha_same_sizes(args[0].tensor, args[1].tensor));
}

int torch_tensor_is_set_to(lua_State *L, const tocha_arg *args) {
  const tocha_tensor *a = args[0].tensor, *b = args[1].tensor;
  return push_answer(L, tocha_same_storage(a, b) &&
                            tocha_storage_offset(a) == tocha_storage_offset(b) &&
                            tocha_same_sizes(a, b) &&
                            memcmp(tocha_strides(a), tocha_strides(b),
                                   (size_t)tocha_ndim(a) * sizeof *tocha_strides(a)) == 0);
}

int torch_tensor_share_memory_(lua_State *L, const tocha_arg *args) {
  (void)args;
  lua_settop(L, 1);
  return 1;
}

/* --- conversions ------------------------------------------------------------------------------------- */

/* Pushes the result of a conversion of the tensor at index 1, which may be that tensor itself,
 * and ends the scope. [-0, +1, e] */
static int push_converted(lua_State *L, const tocha_tensor *self, tocha_tensor *t, tocha_scope s) {
  if (t == self)
    lua_pushvalue(L, 1);
  else if (t)
    push_tensor(L, t);
  tocha_scope_end(CX(L), s, NULL);
  return t ? 1 : raise_error(L);
}

int torch_tensor_cuda(lua_State *L, const tocha_arg *args) {
  tocha_tensor *t = args[0].tensor;
  tocha_device device = {TOCHA_CUDA, -1};
  int index = any_index(&args[1]);
  if (index && lua_isinteger(L, index))
    device.index = (int16_t)lua_tointeger(L, index);
  else if (index)
    tocha_lua_to_device(L, index, &device);
  tocha_scope s = tocha_scope_begin(CX(L));
  tocha_tensor *moved = tocha_to(CX(L), t, device, TOCHA_NO_DTYPE, false, false);
  if (args[3].given && args[3].value.string)
    moved = tocha_contiguous_full(CX(L), moved, args[3].value.string);
  push_converted(L, t, moved, s);
  return 1;
}

/* The part of an old type's name that names the device. */
static const char *const type_prefixes[TOCHA_DEVICE_TYPE_COUNT] = {
    [TOCHA_CPU] = "", [TOCHA_CUDA] = "cuda.", [TOCHA_META] = "meta.", [TOCHA_MPS] = "mps."};

/* Pushes the old name of a dtype's tensors: "torch.FloatTensor", and "torch.cuda.FloatTensor" on a
 * GPU. [-0, +1, m] */
static void push_type_name(lua_State *L, int dtype, int device) {
  lua_pushfstring(L, "torch.%s%sTensor", type_prefixes[device],
                  tocha_dtype_scalar_type((tocha_dtype)dtype));
}

/* Reads a name that push_type_name pushes; the device has the index -1, the current one. [-0, +0,
 * v] */
static tocha_dtype read_type_name(lua_State *L, int index, tocha_device *device) {
  for (int type = 0; type < TOCHA_DEVICE_TYPE_COUNT; type++)
    for (int dtype = 0; dtype < TOCHA_DTYPE_COUNT; dtype++) {
      push_type_name(L, dtype, type);
      bool found = lua_rawequal(L, -1, index);
      lua_pop(L, 1);
      *device = (tocha_device){(int16_t)type, -1};
      if (found) return (tocha_dtype)dtype;
    }
  raise_message(L, TOCHA_VALUE_ERROR, "invalid type: '%s'", lua_tostring(L, index));
}

/* Reads a dtype, or an old constructor such as torch.LongTensor, a table that names its dtype.
 * Returns false for another value. [-0, +0, m] */
static bool to_old_type(lua_State *L, int index, tocha_dtype *dtype) {
  if (lua_type(L, index) != LUA_TTABLE) return tocha_lua_to_dtype(L, index, dtype);
  lua_pushliteral(L, "dtype");
  lua_rawget(L, index);
  bool found = tocha_lua_to_dtype(L, lua_gettop(L), dtype);
  lua_pop(L, 1);
  return found;
}

/* Returns the name of a tensor's type, or converts it: t:type() is "torch.FloatTensor";
 * t:type(dtype) and t:type(torch.LongTensor) convert, t:type("torch.LongTensor") also moves to the
 * named device. [-0, +1, e] */
int torch_tensor_type(lua_State *L, const tocha_arg *args) {
  tocha_tensor *t = args[0].tensor;
  int index = any_index(&args[1]);
  tocha_dtype dtype;
  if (!index || lua_isnil(L, index)) {
    push_type_name(L, tocha_dtype_of(t), tocha_device_of(t).type);
    return 1;
  }
  tocha_device device = tocha_device_of(t), named;
  if (lua_type(L, index) == LUA_TSTRING) {
    dtype = read_type_name(L, index, &named);
    if (named.type != device.type) device = named;
  } else if (!to_old_type(L, index, &dtype))
    return raise_message(L, TOCHA_TYPE_ERROR, "dtype must be a type, str, or dtype object");
  tocha_scope s = tocha_scope_begin(CX(L));
  return push_converted(L, t, tocha_to(CX(L), t, device, dtype, false, false), s);
}
