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

/* What a first walk over the data finds out. */
typedef struct survey {
  int ndim;
  int64_t sizes[TOCHA_MAX_DIMS];
  bool has_bool, has_int, has_float;
  tocha_dtype tensors; /* promoted type of 0-dim tensors among the items */
} survey;

static void add_item(lua_State *L, int index, survey *s) {
  tocha_tensor *t = to_tensor(L, index);
  if (t && tocha_numel(t) == 1) {
    s->tensors = s->tensors == TOCHA_NO_DTYPE ? tocha_dtype_of(t)
                                              : tocha_promote_types(s->tensors, tocha_dtype_of(t));
    return;
  }
  switch (lua_type(L, index)) {
  case LUA_TBOOLEAN:
    s->has_bool = true;
    return;
  case LUA_TNUMBER:
    if (lua_isinteger(L, index))
      s->has_int = true;
    else
      s->has_float = true;
    return;
  default:
    break;
  }
  if (lua_type(L, index) == LUA_TSTRING)
    raise_hinted(L, TOCHA_TYPE_ERROR,
                 "[[...]] is a text in Lua; a list is {...}: torch.tensor{{1, 2}, {3, 4}}",
                 "new(): invalid data type 'str'");
  raise_message(L, TOCHA_RUNTIME_ERROR, "Could not infer dtype of %s", python_type(L, index));
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

static void look(lua_State *L, int index, int depth, survey *s) {
  luaL_checkstack(L, 6, "data nested too deep");
  int64_t n = sequence_length(L, index);
  bool first = s->ndim == TOCHA_MAX_DIMS + 1; /* nothing but first items so far */
  if (first && depth && lua_type(L, index) == LUA_TSTRING)
    raise_message(L, TOCHA_VALUE_ERROR, "too many dimensions 'str'");
  if (depth && (first || depth == s->ndim) && to_tensor(L, index)) {
    if (tocha_numel(to_tensor(L, index)) != 1)
      raise_message(L, TOCHA_VALUE_ERROR,
                    "only one element tensors can be converted to Python scalars");
    n = -1;
  }
  if (n >= 0 && depth == s->ndim && lua_type(L, index) == LUA_TTABLE)
    raise_message(L, TOCHA_TYPE_ERROR,
                  s->has_float ? "must be real number, not list"
                               : "'list' object cannot be interpreted as an integer");
  if (n < 0) {
    if (depth != s->ndim) {
      if (s->ndim == TOCHA_MAX_DIMS + 1)
        s->ndim = depth;
      else
        raise_message(L, TOCHA_TYPE_ERROR, "not a sequence");
    }
    add_item(L, index, s);
    return;
  }
  if (depth >= TOCHA_MAX_DIMS) raise_message(L, TOCHA_VALUE_ERROR, "too many dimensions 'list'");
  if (s->sizes[depth] < 0) {
    s->sizes[depth] = n;
  } else if (s->sizes[depth] != n) {
    raise_message(L, TOCHA_VALUE_ERROR, "expected sequence of length %lld at dim %d (got %lld)",
                  (long long)s->sizes[depth], depth, (long long)n);
  }
  if (n == 0 && s->ndim == TOCHA_MAX_DIMS + 1) s->ndim = depth + 1;
  for (int64_t i = 0; i < n; i++) {
    answer_interrupt(L, i);
    push_item(L, index, i);
    look(L, lua_gettop(L), depth + 1, s);
    lua_pop(L, 1);
  }
}

static tocha_dtype inferred(lua_State *L, const survey *s) {
  tocha_dtype d = s->has_float  ? tocha_default_dtype(CX(L))
                  : s->has_int  ? TOCHA_INT64
                  : s->has_bool ? TOCHA_BOOL
                                : TOCHA_NO_DTYPE;
  if (s->tensors != TOCHA_NO_DTYPE)
    d = d == TOCHA_NO_DTYPE ? s->tensors : tocha_promote_types(d, s->tensors);
  return d == TOCHA_NO_DTYPE ? tocha_default_dtype(CX(L)) : d;
}

static void fill(lua_State *L, int index, int depth, const survey *s, tocha_dtype dtype,
                 char **at) {
  if (depth == s->ndim) {
    tocha_scalar value = tocha_int(0);
    tocha_tensor *t = to_tensor(L, index);
    if (t) {
      if (!tocha_item(CX(L), t, &value)) raise_error(L);
    } else {
      to_scalar(L, index, &value);
    }
    if (tocha_dtype_is_integer(dtype) && !tocha_check_fits(CX(L), value, dtype)) {
      tocha_clear_error(CX(L));
      raise_message(L, TOCHA_RUNTIME_ERROR, "value cannot be converted to type %s without overflow",
                    tocha_dtype_name(dtype));
    }
    tocha_store_scalar(*at, dtype, value);
    *at += tocha_dtype_size(dtype);
    return;
  }
  for (int64_t i = 0; i < s->sizes[depth]; i++) {
    answer_interrupt(L, i);
    push_item(L, index, i);
    fill(L, lua_gettop(L), depth + 1, s, dtype, at);
    lua_pop(L, 1);
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
  survey s = {.ndim = TOCHA_MAX_DIMS + 1, .tensors = TOCHA_NO_DTYPE};
  for (int i = 0; i < TOCHA_MAX_DIMS; i++) s.sizes[i] = -1;
  look(L, data, 0, &s);
  tocha_dtype dtype = f.dtype == TOCHA_NO_DTYPE ? inferred(L, &s) : f.dtype;
  check_can_require_grad(L, f, dtype);
  tocha_context *cx = CX(L);
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_tensor *t = tocha_new(cx, s.ndim, s.sizes, dtype, f.device);
  bool ok = t && (!f.requires_grad || tocha_set_requires_grad(cx, t, true));
  if (ok) push_tensor(L, t); /* Lua owns it before anything below may raise */
  tocha_scope_end(cx, scope, NULL);
  if (!ok) return raise_error(L);
  if (tocha_numel(t) && tocha_device_of(t).type == TOCHA_CPU) {
    char *at = tocha_data(t);
    fill(L, data, 0, &s, dtype, &at);
  }
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
