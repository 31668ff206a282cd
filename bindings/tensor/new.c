/* new.c: torch.tensor and the way back: item, tolist. */
#include <stdlib.h>
#include <string.h>

#include "function_table.h"
#include "tocha/ops/to.h"

/* --- from nested tables ------------------------------------------------------------------------- */

/* Long tables and lists are looked through without an operator that would answer an interrupt. */
static void answer_interrupt(lua_State *L, int64_t i) {
  if (i % 4096 == 0 && tocha_interrupted(CX(L))) raise_error(L);
}

/* The shape of the data, by its first elements. */
typedef struct survey {
  int ndim;
  int64_t sizes[TOCHA_MAX_DIMS];
} survey;

static int raise_text(lua_State *L) {
  return raise_hinted(L, TOCHA_TYPE_ERROR,
                      "[[...]] is a text in Lua; a list is {...}: torch.tensor{{1, 2}, {3, 4}}",
                      "new(): invalid data type 'str'");
}

/* The number of items of the sequence at index; -1 for a scalar. */
static int64_t sequence_length(lua_State *L, int index) {
  tocha_tensor *t = to_tensor(L, index);
  if (t) return tocha_ndim(t) == 0 ? -1 : tocha_sizes(t)[0];
  int ndim;
  if (to_size(L, index, &ndim) || ndim == 0) return ndim;
  if (lua_type(L, index) == LUA_TTABLE) return (int64_t)lua_rawlen(L, index);
  return -1;
}

static void push_item(lua_State *L, int index, int64_t i) {
  index = lua_absindex(L, index);
  if (lua_type(L, index) == LUA_TTABLE) {
    lua_rawgeti(L, index, i + 1);
  } else {
    lua_pushinteger(L, i);
    lua_gettable(L, index);
  }
}

/* A tensor within the data is a number there, as far as the shape goes. */
static void measure(lua_State *L, int data, survey *s) {
  int64_t n = sequence_length(L, data);
  int top = lua_gettop(L);
  luaL_checkstack(L, TOCHA_MAX_DIMS + 6, NULL);
  lua_pushvalue(L, data);
  for (s->ndim = 0; n >= 0;) {
    if (s->ndim >= TOCHA_MAX_DIMS)
      raise_message(L, TOCHA_VALUE_ERROR, "too many dimensions 'list'");
    s->sizes[s->ndim++] = n;
    if (n == 0) break;
    push_item(L, -1, 0);
    if (lua_type(L, -1) == LUA_TSTRING)
      raise_message(L, TOCHA_VALUE_ERROR, "too many dimensions 'str'");
    n = to_tensor(L, -1) ? -1 : sequence_length(L, -1);
  }
  lua_settop(L, top);
}

/* Pushes the items from number i on of the sequence of n at index, several of a table at once: how many. */
static int push_items(lua_State *L, int index, int64_t i, int64_t n) {
  enum { MOST = 32 };
  luaL_checkstack(L, MOST + 6, "data nested too deep");
  answer_interrupt(L, i);
  if (lua_type(L, index) != LUA_TTABLE) {
    push_item(L, index, i);
    return 1;
  }
  int count = n - i < MOST ? (int)(n - i) : MOST;
  for (int k = 1; k <= count; k++) lua_rawgeti(L, index, i + k);
  return count;
}

/* The type of what was looked at so far, and that of a number with a fraction. */
typedef struct inference {
  tocha_dtype dtype, real;
} inference;

static void join(inference *in, tocha_dtype other) {
  if (in->dtype == other) return;
  in->dtype = in->dtype == TOCHA_NO_DTYPE ? other : tocha_promote_types(in->dtype, other);
}

static void infer(lua_State *L, int index, int depth, inference *in);

/* Joins the types of the n items of the sequence at index; an empty list is of the default type. */
static void infer_items(lua_State *L, int index, int64_t n, int depth, inference *in) {
  int top = lua_gettop(L);
  if (n == 0) join(in, in->real);
  for (int64_t i = 0; i < n;) {
    int count = push_items(L, index, i, n);
    for (int k = 1; k <= count; k++) infer(L, top + k, depth + 1, in);
    lua_settop(L, top);
    i += count;
  }
}

/* Joins the types of all that lies in the data. */
static void infer(lua_State *L, int index, int depth, inference *in) {
  int type = lua_type(L, index);
  if (depth > TOCHA_MAX_DIMS) raise_message(L, TOCHA_VALUE_ERROR, "too many dimensions 'list'");
  if (type == LUA_TNUMBER) {
    join(in, lua_isinteger(L, index) ? TOCHA_INT64 : in->real);
    return;
  }
  tocha_tensor *t = to_tensor(L, index);
  int64_t n = t ? -1 : sequence_length(L, index);
  if (n >= 0)
    infer_items(L, index, n, depth, in);
  else if (t)
    join(in, tocha_dtype_of(t));
  else if (type == LUA_TBOOLEAN)
    join(in, TOCHA_BOOL);
  else if (type == LUA_TSTRING)
    raise_text(L);
  else
    raise_message(L, TOCHA_RUNTIME_ERROR, "Could not infer dtype of %s", python_type(L, index));
}

/* What Python says of an object that is no number of the kind that dtype takes. */
static int raise_no_number(lua_State *L, int index, bool floating) {
  if (to_tensor(L, index) && floating)
    return raise_message(L, TOCHA_VALUE_ERROR,
                         "only one element tensors can be converted to Python scalars");
  if (to_tensor(L, index))
    return raise_message(L, TOCHA_TYPE_ERROR,
                         "only integer tensors of a single element can be converted to an index");
  if (floating)
    return raise_message(L, TOCHA_TYPE_ERROR, "must be real number, not %s", python_type(L, index));
  return raise_message(L, TOCHA_TYPE_ERROR, "'%s' object cannot be interpreted as an integer",
                       python_type(L, index));
}

/* A number of the commonest types, Python's floats being doubles: whether it was one. */
static bool store_number(lua_State *L, int index, tocha_dtype dtype, void *at) {
  if (lua_type(L, index) != LUA_TNUMBER) return false;
  if (dtype == TOCHA_FLOAT32)
    *(float *)at = (float)lua_tonumber(L, index);
  else if (dtype == TOCHA_INT64 && lua_isinteger(L, index))
    *(int64_t *)at = lua_tointeger(L, index);
  else
    return false;
  return true;
}

static void store(lua_State *L, int index, tocha_dtype dtype, char *at) {
  if (store_number(L, index, dtype, at)) return;
  bool floating = tocha_dtype_is_floating(dtype);
  tocha_scalar value = tocha_int(0);
  tocha_tensor *t = to_tensor(L, index);
  bool fits = t ? tocha_numel(t) == 1 && (floating || !tocha_dtype_is_floating(tocha_dtype_of(t)))
                : to_scalar(L, index, &value);
  if (!fits) raise_no_number(L, index, floating);
  if (t && !tocha_item(CX(L), t, &value)) raise_error(L);
  if (tocha_dtype_is_integer(dtype) && !tocha_check_fits(CX(L), value, dtype)) {
    tocha_clear_error(CX(L));
    raise_message(L, TOCHA_RUNTIME_ERROR, "value cannot be converted to type %s without overflow",
                  tocha_dtype_name(dtype));
  }
  tocha_store_scalar(at, dtype, value);
}

static void fill(lua_State *L, int index, int depth, const survey *s, tocha_dtype dtype,
                 char **at) {
  if (depth == s->ndim) {
    store(L, index, dtype, *at);
    *at += tocha_dtype_size(dtype);
    return;
  }
  int64_t n = sequence_length(L, index);
  if (n < 0) raise_message(L, TOCHA_TYPE_ERROR, "not a sequence");
  if (n != s->sizes[depth])
    raise_message(L, TOCHA_VALUE_ERROR, "expected sequence of length %lld at dim %d (got %lld)",
                  (long long)s->sizes[depth], depth, (long long)n);
  int top = lua_gettop(L);
  for (int64_t i = 0; i < n;) {
    int count = push_items(L, index, i, n);
    for (int k = 1; k <= count; k++) fill(L, top + k, depth + 1, s, dtype, at);
    lua_settop(L, top);
    i += count;
  }
}

/* What torch.tensor and its like are told besides the data. */
typedef struct factory {
  tocha_dtype dtype;
  tocha_device device;
  bool requires_grad, has_device;
} factory;

static factory read_factory(lua_State *L, const tocha_arg *dtype, const tocha_arg *device,
                            const tocha_arg *requires_grad) {
  factory f = {TOCHA_NO_DTYPE, tocha_default_device(CX(L)), false, device->given};
  if (dtype->given) f.dtype = dtype->value.dtype;
  if (device->given) f.device = device->value.device;
  if (requires_grad) f.requires_grad = requires_grad->value.flag;
  return f;
}

static void check_can_require_grad(lua_State *L, factory f, tocha_dtype dtype) {
  if (f.requires_grad && !tocha_dtype_is_floating(dtype))
    raise_message(L, TOCHA_RUNTIME_ERROR,
                  "Only Tensors of floating point and complex dtype can require gradients");
}

static int from_tensor(lua_State *L, tocha_tensor *t, factory f) {
  check_can_require_grad(L, f, f.dtype == TOCHA_NO_DTYPE ? tocha_dtype_of(t) : f.dtype);
  tocha_context *cx = CX(L);
  tocha_scope s = tocha_scope_begin(cx);
  bool grad = tocha_set_grad_enabled(cx, false);
  tocha_device device = f.has_device ? f.device : tocha_device_of(t);
  tocha_dtype dtype = f.dtype == TOCHA_NO_DTYPE ? tocha_dtype_of(t) : f.dtype;
  tocha_tensor *copy = tocha_to(cx, t, device, dtype, false, true);
  bool ok = copy != NULL;
  tocha_set_grad_enabled(cx, grad);
  if (ok && f.requires_grad) ok = tocha_set_requires_grad(cx, copy, true) != NULL;
  if (ok) push_tensor(L, copy);
  tocha_scope_end(cx, s, NULL);
  return ok ? 1 : raise_error(L);
}

static int make_tensor(lua_State *L, int data, factory f) {
  tocha_tensor *given = to_tensor(L, data);
  if (given) return from_tensor(L, given, f);
  if (f.device.type == TOCHA_CUDA) { /* on the host first */
    factory host = {f.dtype, tocha_cpu(), false, true};
    make_tensor(L, data, host);
    f.has_device = true;
    return from_tensor(L, to_tensor(L, lua_gettop(L)), f);
  }
  survey s;
  tocha_dtype dtype = f.dtype;
  if (lua_type(L, data) == LUA_TSTRING) return raise_text(L);
  measure(L, data, &s);
  if (dtype == TOCHA_NO_DTYPE) {
    inference in = {TOCHA_NO_DTYPE, tocha_default_dtype(CX(L))};
    infer(L, data, 0, &in);
    dtype = in.dtype;
  }
  tocha_context *cx = CX(L);
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_tensor *t = tocha_new(cx, s.ndim, s.sizes, dtype, f.device);
  if (t) push_tensor(L, t); /* Lua owns it before anything below may raise */
  tocha_scope_end(cx, scope, NULL);
  if (!t) return raise_error(L);
  if (tocha_numel(t) && tocha_device_of(t).type == TOCHA_CPU) {
    char *at = tocha_data(t);
    fill(L, data, 0, &s, dtype, &at);
  }
  check_can_require_grad(L, f, dtype);
  if (f.requires_grad && !tocha_set_requires_grad(cx, t, true)) return raise_error(L);
  return 1;
}

int torch_tensor(lua_State *L, const tocha_arg *args) {
  return make_tensor(L, any_index(&args[0]), read_factory(L, &args[1], &args[2], &args[3]));
}

int torch_as_tensor(lua_State *L, const tocha_arg *args) {
  int data = any_index(&args[0]);
  factory f = read_factory(L, &args[1], &args[2], NULL);
  tocha_tensor *t = to_tensor(L, data);
  if (t && (f.dtype == TOCHA_NO_DTYPE || f.dtype == tocha_dtype_of(t)) &&
      (!f.has_device || tocha_device_equal(f.device, tocha_device_of(t)))) {
    lua_pushvalue(L, data);
    return 1;
  }
  return make_tensor(L, data, f);
}

int torch_tensor_new_tensor(lua_State *L, const tocha_arg *args) {
  const tocha_tensor *t = args[0].tensor;
  factory f = read_factory(L, &args[2], &args[3], &args[4]);
  if (f.dtype == TOCHA_NO_DTYPE) f.dtype = tocha_dtype_of(t);
  if (!f.has_device) f.device = tocha_device_of(t);
  return make_tensor(L, any_index(&args[1]), f);
}

/* --- and back ------------------------------------------------------------------------------------------ */

int torch_tensor_item(lua_State *L, const tocha_arg *args) {
  tocha_scalar s;
  if (!tocha_item(CX(L), args[0].tensor, &s)) return raise_error(L);
  push_scalar(L, s);
  return 1;
}

static void push_list(lua_State *L, const tocha_tensor *t, int dim, const char *at) {
  luaL_checkstack(L, 4, NULL);
  if (dim == tocha_ndim(t)) {
    push_scalar(L, tocha_load_scalar(at, tocha_dtype_of(t)));
    return;
  }
  if (tocha_sizes(t)[dim] > INT32_MAX / 2) luaL_error(L, "not enough memory");
  lua_createtable(L, (int)tocha_sizes(t)[dim], 0);
  int64_t item = (int64_t)tocha_dtype_size(tocha_dtype_of(t));
  int64_t step = tocha_sizes(t)[dim] > 1 ? tocha_strides(t)[dim] * item : 0; /* one may be any */
  for (int64_t i = 0; i < tocha_sizes(t)[dim]; i++) {
    answer_interrupt(L, i);
    push_list(L, t, dim + 1, at + i * step);
    lua_rawseti(L, -2, i + 1);
  }
}

int torch_tensor_tolist(lua_State *L, const tocha_arg *args) {
  tocha_tensor *t = args[0].tensor;
  if (tocha_device_of(t).type == TOCHA_META)
    return raise_message(L, TOCHA_RUNTIME_ERROR, "Cannot copy out of meta tensor; no data!");
  if (tocha_device_of(t).type !=
      TOCHA_CPU) { /* Lua owns the copy before anything below may raise */
    tocha_scope s = tocha_scope_begin(CX(L));
    t = tocha_to(CX(L), t, tocha_cpu(), TOCHA_NO_DTYPE, false, false);
    if (t) push_tensor(L, t);
    tocha_scope_end(CX(L), s, NULL);
    if (!t) return raise_error(L);
  }
  push_list(L, t, 0, tocha_numel(t) ? tocha_data(t) : NULL);
  return 1;
}

int torch_is_tensor(lua_State *L, const tocha_arg *args) {
  lua_pushboolean(L, to_tensor(L, any_index(&args[0])) != NULL);
  return 1;
}

/* torch.format(format, ...): string.format that takes tensors of one element. */
static int format(lua_State *L) {
  int n = lua_gettop(L);
  luaL_checkstack(L, n + 4, NULL);
  lua_getglobal(L, "string");
  lua_getfield(L, -1, "format");
  for (int i = 1; i <= n; i++) {
    tocha_tensor *t = to_tensor(L, i);
    tocha_scalar s;
    if (t && tocha_numel(t) == 1) {
      if (!tocha_item(CX(L), t, &s)) return raise_error(L);
      push_scalar(L, s);
    } else {
      lua_pushvalue(L, i);
    }
  }
  lua_call(L, n, 1);
  return 1;
}

int torch_result_type(lua_State *L, const tocha_arg *args) {
  tocha_operand operands[] = {{args[0].tensor, args[0].value.scalar},
                              {args[1].tensor, args[1].value.scalar}};
  push_dtype(L, tocha_result_type(CX(L), 2, operands));
  return 1;
}

int torch_promote_types(lua_State *L, const tocha_arg *args) {
  push_dtype(L, tocha_promote_types(args[0].value.dtype, args[1].value.dtype));
  return 1;
}

int torch_can_cast(lua_State *L, const tocha_arg *args) {
  tocha_dtype a = args[0].value.dtype, b = args[1].value.dtype;
  bool down = (tocha_dtype_is_floating(a) && !tocha_dtype_is_floating(b)) ||
              (a != TOCHA_BOOL && b == TOCHA_BOOL);
  lua_pushboolean(L, !down);
  return 1;
}

void open_construct(lua_State *L, int torch) {
  static const luaL_Reg functions_[] = {{"format", format}, {NULL, NULL}};
  lua_pushvalue(L, torch);
  luaL_setfuncs(L, functions_, 0);
  lua_pop(L, 1);
}
