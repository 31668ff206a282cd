/* new.c: torch.tensor and its inverses: item, tolist. */
#include <stdlib.h>
#include <string.h>

#include "function_table.h"
#include "tocha/ops/to.h"

/* --- from nested tables ------------------------------------------------------------------------- */

/* Raises if the program was interrupted, in every 4096th iteration of a loop. Needed in loops
 * over long tables and lists, in which no operator checks. */
static void answer_interrupt(lua_State *L, int64_t i) {
  if (i % 4096 == 4095 && tocha_interrupted(CX(L))) raise_error(L);
}

/* The shape of the data, measured along its first elements. */
typedef struct data_shape {
  int ndim;
  int64_t sizes[TOCHA_MAX_DIMS];
  tocha_dtype first; /* dtype of the first element if that is a number in a table */
} data_shape;

/* Raises the error for a string at `index` in the data. */
static int raise_text(lua_State *L, int index) {
  bool list = strchr(lua_tostring(L, index), ',') != NULL; /* [[1, 2], [3, 4]] of Python */
  return raise_hinted(
      L, TOCHA_TYPE_ERROR,
      list ? "[[...]] is a string in Lua; a list is {...}: torch.tensor{{1, 2}, {3, 4}}"
           : "a tensor holds numbers and truth values; tonumber(s) is the number that a string "
             "holds",
      "new(): invalid data type 'str'");
}

/* Returns true if a table's metatable has __len, so that the table is read as a list through its
 * metamethods. */
static bool is_proxy(lua_State *L, int index) {
  if (luaL_getmetafield(L, index, "__len") == LUA_TNIL) return false;
  lua_pop(L, 1);
  return true;
}

static bool has_item_0(lua_State *L, int index) {
  bool has = lua_rawgeti(L, index, 0) != LUA_TNIL;
  lua_pop(L, 1);
  return has;
}

/* Returns the number of items of a table. Raises if there is a value at 0, which would be lost:
 * lists count from 1. */
static int64_t table_items(lua_State *L, int index) {
  if (is_proxy(L, index)) return luaL_len(L, index);
  int64_t n = (int64_t)lua_rawlen(L, index);
  if (has_item_0(L, index))
    raise_hinted(L, TOCHA_VALUE_ERROR, "table.move(t, 0, #t, 1, {}) is the same list from 1",
                 "a list counts from 1 in Lua, and this table has a value at 0");
  return n;
}

/* Returns the number of items of the sequence at `index`, or -1 for a scalar. */
static int64_t sequence_length(lua_State *L, int index) {
  if (lua_type(L, index) == LUA_TTABLE) return table_items(L, index);
  tocha_tensor *t = to_tensor(L, index);
  if (t) return tocha_ndim(t) == 0 ? -1 : tocha_sizes(t)[0];
  int ndim;
  return tocha_lua_to_size(L, index, &ndim) || ndim == 0 ? ndim : -1;
}

static void push_item(lua_State *L, int index, int64_t i) {
  index = lua_absindex(L, index);
  if (lua_type(L, index) == LUA_TTABLE && is_proxy(L, index)) {
    lua_geti(L, index, i + 1);
  } else if (lua_type(L, index) == LUA_TTABLE) {
    lua_rawgeti(L, index, i + 1);
  } else {
    lua_pushinteger(L, i);
    lua_gettable(L, index);
  }
}

/* Sets the shape of the data at index `data`. A tensor inside the data counts as a number. */
static void measure(lua_State *L, int data, data_shape *s) {
  int64_t n = sequence_length(L, data);
  int top = lua_gettop(L);
  need_stack(L, TOCHA_MAX_DIMS + 6);
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
  s->first = TOCHA_NO_DTYPE;
  if (lua_type(L, -1) == LUA_TNUMBER)
    s->first = lua_isinteger(L, -1) ? TOCHA_INT64 : tocha_default_dtype(CX(L));
  lua_settop(L, top);
}

/* Returns the common dtype. Raises an error if a float8 dtype meets another dtype. */
static tocha_dtype promote(lua_State *L, tocha_dtype a, tocha_dtype b) {
  tocha_dtype common = tocha_promote_types(a, b);
  if (common == TOCHA_NO_DTYPE)
    raise_message(L, TOCHA_RUNTIME_ERROR,
                  "Promotion for Float8 Types is not supported, attempted to promote %s and %s",
                  tocha_dtype_scalar_type(a), tocha_dtype_scalar_type(b));
  return common;
}

static void join(lua_State *L, tocha_dtype *dtype, tocha_dtype other) {
  *dtype = *dtype == TOCHA_NO_DTYPE ? other : promote(L, *dtype, other);
}

/* Joins `dtype` with the dtypes of all elements of the data at `index`. An empty list has the
 * default dtype. */
static void infer(lua_State *L, int index, int depth, tocha_dtype *dtype) {
  luaL_checkstack(L, 6, "data nested too deep");
  if (depth > TOCHA_MAX_DIMS) raise_message(L, TOCHA_VALUE_ERROR, "too many dimensions 'list'");
  tocha_tensor *t = to_tensor(L, index);
  int64_t n = t ? -1 : sequence_length(L, index);
  int type = lua_type(L, index);
  if (n == 0) join(L, dtype, tocha_default_dtype(CX(L)));
  for (int64_t i = 0; i < n; i++) {
    answer_interrupt(L, i);
    push_item(L, index, i);
    infer(L, lua_gettop(L), depth + 1, dtype);
    lua_pop(L, 1);
  }
  if (n >= 0) return;
  if (t)
    join(L, dtype, tocha_dtype_of(t));
  else if (type == LUA_TBOOLEAN)
    join(L, dtype, TOCHA_BOOL);
  else if (type == LUA_TNUMBER)
    join(L, dtype, lua_isinteger(L, index) ? TOCHA_INT64 : tocha_default_dtype(CX(L)));
  else if (type == LUA_TSTRING)
    raise_text(L, index);
  else
    raise_message(L, TOCHA_RUNTIME_ERROR, "Could not infer dtype of %s", python_type(L, index));
}

/* Raises Python's error for an object that is not a number of the kind that the dtype takes. */
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

static void store(lua_State *L, int index, tocha_dtype dtype, char *at) {
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

static void fill(lua_State *L, int index, int depth, const data_shape *s, tocha_dtype dtype,
                 char **at) {
  if (depth == s->ndim) {
    store(L, index, dtype, *at);
    *at += tocha_dtype_size(dtype);
    return;
  }
  int64_t n = sequence_length(L, index);
  luaL_checkstack(L, 6, "data nested too deep");
  if (n < 0) raise_message(L, TOCHA_TYPE_ERROR, "not a sequence");
  if (n != s->sizes[depth])
    raise_hinted(L, TOCHA_VALUE_ERROR, "all lists of a level have the same length",
                 "expected sequence of length %lld at dim %d (got %lld)",
                 (long long)s->sizes[depth], depth, (long long)n);
  for (int64_t i = 0; i < n; i++) {
    answer_interrupt(L, i);
    push_item(L, index, i);
    fill(L, lua_gettop(L), depth + 1, s, dtype, at);
    lua_pop(L, 1);
  }
}

/* --- regular tables of numbers, in one pass ------------------------------------------------- */

/* The number of elements on the stack at once. One check of the stack's end serves them all. */
enum { BATCH = 64 };

/* Stores the `count` numbers on top of the stack. Returns false if one is outside the dtype's
 * range, or is a float and the dtype is not. float32 and float64 take every number. [-0, +0, -] */
static bool store_numbers(lua_State *L, int count, tocha_dtype dtype, char *at) {
  if (dtype == TOCHA_FLOAT32) {
    for (int k = 0; k < count; k++) ((float *)at)[k] = (float)lua_tonumber(L, k - count);
    return true;
  }
  if (dtype == TOCHA_FLOAT64) {
    for (int k = 0; k < count; k++) ((double *)at)[k] = lua_tonumber(L, k - count);
    return true;
  }
  bool floating = tocha_dtype_is_floating(dtype), wide = dtype == TOCHA_INT64;
  double maximum = tocha_dtype_max(dtype), minimum = dtype <= TOCHA_UINT8 ? 0 : -maximum;
  size_t size = tocha_dtype_size(dtype);
  for (int k = -count; k < 0; k++, at += size) {
    double real = lua_tonumber(L, k);
    if (!floating && !lua_isinteger(L, k)) return false;
    if (!wide && !(real >= minimum && real <= maximum)) return false;
    if (wide)
      *(int64_t *)at = lua_tointeger(L, k);
    else
      tocha_store_scalar(at, dtype, floating ? tocha_float(real) : tocha_int(lua_tointeger(L, k)));
  }
  return true;
}

/* Stores the n numbers of the table at `index`. Returns false, and may leave values on the
 * stack, if one is not a number or does not fit. [-0, +?, v] */
static bool fill_row(lua_State *L, int index, int64_t n, tocha_dtype dtype, char **at) {
  for (int64_t i = 0; i < n; i += BATCH) {
    int count = n - i < BATCH ? (int)(n - i) : BATCH;
    answer_interrupt(L, i + BATCH - 1);
    for (int k = 1; k <= count; k++)
      if (lua_rawgeti(L, index, i + k) != LUA_TNUMBER) return false;
    if (!store_numbers(L, count, dtype, *at)) return false;
    lua_pop(L, count);
    *at += count * (int64_t)tocha_dtype_size(dtype);
  }
  return true;
}

/* Stores nested tables of the measured lengths that hold nothing but numbers. Returns false, and
 * may leave values on the stack, if the data is not like that; the general way must then read
 * the data or report what is wrong. [-0, +?, v] */
static bool fill_regular(lua_State *L, int index, int depth, const data_shape *s, tocha_dtype dtype,
                         char **at) {
  int64_t n = s->sizes[depth];
  if (lua_type(L, index) != LUA_TTABLE || (int64_t)lua_rawlen(L, index) != n ||
      has_item_0(L, index))
    return false;
  need_stack(L, BATCH + 4);
  if (depth + 1 == s->ndim) return fill_row(L, index, n, dtype, at);
  for (int64_t i = 0; i < n; i++) {
    answer_interrupt(L, i);
    lua_rawgeti(L, index, i + 1);
    if (!fill_regular(L, lua_gettop(L), depth + 1, s, dtype, at)) return false;
    lua_pop(L, 1);
  }
  return true;
}

/* The arguments of torch.tensor and the like, besides the data. */
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

/* Pushes a new tensor of the measured shape. [-0, +1, e] */
static tocha_tensor *push_blank(lua_State *L, const data_shape *s, tocha_dtype dtype, factory f) {
  tocha_context *cx = CX(L);
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_tensor *t = tocha_new(cx, s->ndim, s->sizes, dtype, f.device);
  if (t) push_tensor(L, t); /* Lua owns it before anything else may raise */
  tocha_scope_end(cx, scope, NULL);
  if (!t) raise_error(L);
  return t;
}

/* Pushes the tensor of regular tables of numbers. Returns NULL and pushes nothing for other
 * data. [-0, +(0|1), e] */
static tocha_tensor *push_regular(lua_State *L, int data, const data_shape *s, factory f) {
  tocha_dtype dtype = f.dtype;
  int top = lua_gettop(L);
  if (s->ndim == 0 || f.device.type != TOCHA_CPU || s->first == TOCHA_NO_DTYPE) return NULL;
  if (dtype == TOCHA_NO_DTYPE) dtype = s->first;
  for (;;) {
    tocha_tensor *t = push_blank(L, s, dtype, f);
    char *at = tocha_data(t);
    bool done = fill_regular(L, data, 0, s, dtype, &at);
    lua_settop(L, done ? top + 1 : top);
    if (done) return t;
    if (f.dtype != TOCHA_NO_DTYPE || dtype != TOCHA_INT64) return NULL;
    dtype = tocha_default_dtype(CX(L)); /* a float among the integers */
  }
}

/* Pushes the tensor of any data. [-0, +1, e] */
static tocha_tensor *push_any(lua_State *L, int data, const data_shape *s, factory f) {
  tocha_dtype dtype = f.dtype;
  if (dtype == TOCHA_NO_DTYPE) infer(L, data, 0, &dtype);
  tocha_tensor *t = push_blank(L, s, dtype, f);
  if (!tocha_numel(t) || f.device.type != TOCHA_CPU) return t;
  char *at = tocha_data(t);
  fill(L, data, 0, s, dtype, &at);
  return t;
}

static int make_tensor(lua_State *L, int data, factory f) {
  tocha_tensor *given = to_tensor(L, data);
  if (given) return from_tensor(L, given, f);
  if (f.device.type == TOCHA_CUDA) { /* make the tensor on the CPU first */
    factory host = {f.dtype, tocha_cpu(), false, true};
    make_tensor(L, data, host);
    f.has_device = true;
    return from_tensor(L, to_tensor(L, lua_gettop(L)), f);
  }
  data_shape s;
  if (lua_type(L, data) == LUA_TSTRING) return raise_text(L, data);
  measure(L, data, &s);
  tocha_tensor *t = push_regular(L, data, &s, f);
  if (!t) t = push_any(L, data, &s, f);
  check_can_require_grad(L, f, tocha_dtype_of(t));
  if (f.requires_grad && !tocha_set_requires_grad(CX(L), t, true)) return raise_error(L);
  return 1;
}

/* Replaces the new tensor at the top by one in page-locked memory, if that was asked for. */
static int pin_new(lua_State *L, const tocha_arg *pin_memory) {
  if (!pin_memory->value.flag) return 1;
  lua_getfield(L, -1, "pin_memory");
  lua_insert(L, -2);
  lua_call(L, 1, 1);
  return 1;
}

int torch_tensor(lua_State *L, const tocha_arg *args) {
  make_tensor(L, any_index(&args[0]), read_factory(L, &args[1], &args[2], &args[3]));
  return pin_new(L, &args[4]);
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
  make_tensor(L, any_index(&args[1]), f);
  return pin_new(L, &args[5]);
}

/* --- and back ------------------------------------------------------------------------------------------ */

int torch_tensor_item(lua_State *L, const tocha_arg *args) {
  tocha_scalar s;
  if (!tocha_item(CX(L), args[0].tensor, &s)) return raise_error(L);
  push_scalar(L, s);
  return 1;
}

/* Sets items 1 to n of the table on top to the elements at `at`, `step` bytes apart. */
static void set_items(lua_State *L, tocha_dtype dtype, int64_t n, int64_t step, const char *at) {
  for (int64_t i = 0; at && i < n; i++, at += step) {
    answer_interrupt(L, i);
    if (dtype == TOCHA_FLOAT32)
      push_real(L, *(const float *)at);
    else if (dtype == TOCHA_INT64)
      lua_pushinteger(L, *(const int64_t *)at);
    else
      push_scalar(L, tocha_load_scalar(at, dtype));
    lua_rawseti(L, -2, i + 1);
  }
}

/* Pushes a table with the elements from dimension `dim` on, whose first element is at `at`.
 * [-0, +1, e] */
static void push_list(lua_State *L, const tocha_tensor *t, int dim, const char *at) {
  int64_t n = tocha_sizes(t)[dim];
  need_stack(L, 4);
  if (n > INT32_MAX / 2) luaL_error(L, "not enough memory");
  lua_createtable(L, (int)n, 0);
  int64_t item = (int64_t)tocha_dtype_size(tocha_dtype_of(t));
  int64_t step = n > 1 ? tocha_strides(t)[dim] * item : 0; /* of one item: may be anything */
  if (dim + 1 == tocha_ndim(t)) {
    set_items(L, tocha_dtype_of(t), n, step, at);
    return;
  }
  for (int64_t i = 0; i < n; i++) {
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
  const char *at = tocha_numel(t) ? tocha_data(t) : NULL;
  if (tocha_ndim(t) == 0)
    push_scalar(L, tocha_load_scalar(at, tocha_dtype_of(t)));
  else
    push_list(L, t, 0, at);
  return 1;
}

int torch_tensor_unpack(lua_State *L, const tocha_arg *args) {
  if (tocha_ndim(args[0].tensor) == 0) return torch_tensor_tolist(L, args);
  torch_tensor_tolist(L, args);
  int table = lua_gettop(L), count = table_length(L, table);
  luaL_checkstack(L, count, "too many results to unpack");
  for (int i = 1; i <= count; i++) lua_rawgeti(L, table, i);
  return count;
}

int torch_is_tensor(lua_State *L, const tocha_arg *args) {
  lua_pushboolean(L, to_tensor(L, any_index(&args[0])) != NULL);
  return 1;
}

/* torch.format(format, ...) formats as string.format does, and takes tensors of one element as
 * numbers. */
static int format(lua_State *L) {
  int n = lua_gettop(L);
  need_stack(L, n + 4);
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
  tocha_dtype common = tocha_result_type(CX(L), 2, operands);
  if (common == TOCHA_NO_DTYPE) /* both are tensors */
    common = promote(L, tocha_dtype_of(args[0].tensor), tocha_dtype_of(args[1].tensor));
  tocha_lua_push_dtype(L, common);
  return 1;
}

int torch_promote_types(lua_State *L, const tocha_arg *args) {
  tocha_lua_push_dtype(L, promote(L, args[0].value.dtype, args[1].value.dtype));
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
