/* subscript.c: t[subscript], read and assigned: numbers, tables, Python's text, masks, indices. */
#include "tocha/subscript.h"

#include <string.h>

#include "lua/binding.h"

enum { MAX_ITEMS = 64, MAX_CACHED = 1000 };

typedef struct subscript {
  int count;
  tocha_subscript_item items[MAX_ITEMS];
} subscript;

/* Text is parsed once: the registry keeps the items by the text itself. */
static void add_text(lua_State *L, int index, subscript *s) {
  tocha_context *cx = CX(L);
  luaL_checkstack(L, 6, NULL);
  lua_getfield(L, LUA_REGISTRYINDEX, "tocha.subscripts");
  lua_pushvalue(L, index);
  if (lua_rawget(L, -2) != LUA_TUSERDATA) {
    lua_pop(L, 1);
    tocha_subscript_item parsed[MAX_ITEMS];
    int count = 0;
    if (!tocha_subscript_parse(cx, lua_tostring(L, index), parsed, MAX_ITEMS, &count))
      raise_error(L);
    lua_Integer cached = 0;
    if (lua_rawgeti(L, -1, 1) == LUA_TNUMBER) cached = lua_tointeger(L, -1);
    lua_pop(L, 1);
    if (cached >= MAX_CACHED) { /* a program that makes up texts starts the table afresh */
      lua_newtable(L);
      lua_pushvalue(L, -1);
      lua_setfield(L, LUA_REGISTRYINDEX, "tocha.subscripts");
      lua_replace(L, -2);
      cached = 0;
    }
    lua_pushinteger(L, cached + 1);
    lua_rawseti(L, -2, 1);
    void *items = lua_newuserdatauv(L, (size_t)count * sizeof *parsed + 1, 0);
    memcpy(items, parsed, (size_t)count * sizeof *parsed);
    lua_pushvalue(L, index);
    lua_pushvalue(L, -2);
    lua_rawset(L, -4);
  }
  size_t count = lua_rawlen(L, -1) / sizeof(tocha_subscript_item);
  if (s->count + (int)count > MAX_ITEMS) raise_message(L, TOCHA_INDEX_ERROR, "too many indices");
  memcpy(s->items + s->count, lua_touserdata(L, -1), count * sizeof *s->items);
  s->count += (int)count;
  lua_pop(L, 2);
}

/* {0, 2} inside a table: a list of indices (or of booleans). The tensor stays on the Lua stack. */
static void add_list(lua_State *L, int index, tocha_subscript_item *item) {
  lua_getfield(L, LUA_REGISTRYINDEX, "tocha.tensor");
  lua_pushvalue(L, index);
  if (lua_rawlen(L, index) == 0) { /* an empty list of indices is int64 */
    lua_createtable(L, 0, 1);
    push_dtype(L, TOCHA_INT64);
    lua_setfield(L, -2, "dtype");
    lua_call(L, 2, 1);
  } else {
    lua_call(L, 1, 1);
  }
  item->kind = TOCHA_SUBSCRIPT_TENSOR;
  item->tensor = to_tensor(L, -1);
}

static void add_item(lua_State *L, int index, subscript *s) {
  if (s->count >= MAX_ITEMS) raise_message(L, TOCHA_INDEX_ERROR, "too many indices");
  tocha_subscript_item *item = &s->items[s->count];
  switch (lua_type(L, index)) {
  case LUA_TSTRING:
    add_text(L, index, s);
    return;
  case LUA_TNUMBER:
    if (!lua_isinteger(L, index)) break;
    memset(item, 0, sizeof *item);
    item->kind = TOCHA_SUBSCRIPT_INDEX;
    item->start = lua_tointeger(L, index);
    s->count++;
    return;
  case LUA_TBOOLEAN:
    memset(item, 0, sizeof *item);
    item->kind = TOCHA_SUBSCRIPT_BOOL;
    item->flag = lua_toboolean(L, index);
    s->count++;
    return;
  case LUA_TTABLE:
    memset(item, 0, sizeof *item);
    add_list(L, index, item);
    s->count++;
    return;
  default:
    memset(item, 0, sizeof *item);
    item->tensor = to_tensor(L, index);
    if (!item->tensor) break;
    item->kind = TOCHA_SUBSCRIPT_TENSOR;
    s->count++;
    return;
  }
  raise_hinted(L, TOCHA_INDEX_ERROR, "a subscript is x[0], x[{0, \":\"}], x[\"0, 1:\"] or x[mask]",
               "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are "
               "valid indices (got %s)",
               python_type(L, index));
}

static void read_subscript(lua_State *L, int index, subscript *s) {
  s->count = 0;
  if (lua_type(L, index) != LUA_TTABLE) {
    add_item(L, index, s);
    return;
  }
  int n = table_length(L, index);
  if (n > MAX_ITEMS) raise_message(L, TOCHA_INDEX_ERROR, "too many indices");
  luaL_checkstack(L, 2 * n + 8, "subscript too long");
  for (int i = 1; i <= n; i++) {
    lua_rawgeti(L, index, i); /* stays on the stack, and keeps tensors alive */
    add_item(L, lua_gettop(L), s);
  }
}

/* --- attributes -------------------------------------------------------------------------------------- */

typedef enum attribute {
  SHAPE = 1,
  NDIM,
  DTYPE,
  DEVICE,
  GRAD,
  GRAD_FN,
  REQUIRES_GRAD,
  IS_LEAF,
  IS_CUDA,
  IS_META,
  IS_MPS,
  IS_SPARSE,
  IS_QUANTIZED,
  DATA,
  NBYTES,
  ITEMSIZE,
  REAL,
  VERSION,
  RETAINS_GRAD,
  BASE,
  LAYOUT
} attribute;

static const struct {
  const char *name;
  attribute attribute;
} attributes[] = {{"shape", SHAPE},
                  {"ndim", NDIM},
                  {"dtype", DTYPE},
                  {"device", DEVICE},
                  {"grad", GRAD},
                  {"grad_fn", GRAD_FN},
                  {"requires_grad", REQUIRES_GRAD},
                  {"is_leaf", IS_LEAF},
                  {"is_cuda", IS_CUDA},
                  {"is_meta", IS_META},
                  {"is_mps", IS_MPS},
                  {"is_sparse", IS_SPARSE},
                  {"is_quantized", IS_QUANTIZED},
                  {"data", DATA},
                  {"nbytes", NBYTES},
                  {"itemsize", ITEMSIZE},
                  {"real", REAL},
                  {"_version", VERSION},
                  {"retains_grad", RETAINS_GRAD},
                  {"_base", BASE},
                  {"layout", LAYOUT}};

/* t.T and the like: the result of an operator. */
static int push_result(lua_State *L, tocha_tensor *t, const tocha_op *op) {
  tocha_arg arg = {.tensor = t, .given = true};
  return call_and_push(L, op, &arg);
}

static int push_data(lua_State *L, tocha_tensor *t) {
  tocha_context *cx = CX(L);
  tocha_scope s = tocha_scope_begin(cx);
  tocha_tensor *data = tocha_untracked(cx, t);
  if (data) push_tensor(L, data);
  tocha_scope_end(cx, s, NULL);
  return data ? 1 : raise_error(L);
}

static int push_attribute(lua_State *L, tocha_tensor *t, attribute which) {
  switch (which) {
  case SHAPE:
    push_size(L, tocha_ndim(t), tocha_sizes(t));
    break;
  case NDIM:
    lua_pushinteger(L, tocha_ndim(t));
    break;
  case DTYPE:
    push_dtype(L, tocha_dtype_of(t));
    break;
  case DEVICE:
    push_device(L, tocha_device_of(t));
    break;
  case GRAD:
    push_shared_tensor(L, tocha_grad(t));
    break;
  case GRAD_FN: {
    tocha_node *node = tocha_grad_fn(CX(L), t);
    if (tocha_failed(CX(L))) return raise_error(L);
    push_node(L, node);
    break;
  }
  case REQUIRES_GRAD:
    lua_pushboolean(L, tocha_requires_grad(t));
    break;
  case IS_LEAF:
    lua_pushboolean(L, tocha_is_leaf(t));
    break;
  case IS_CUDA:
    lua_pushboolean(L, tocha_device_of(t).type == TOCHA_CUDA);
    break;
  case IS_META:
    lua_pushboolean(L, tocha_device_of(t).type == TOCHA_META);
    break;
  case IS_MPS:
    lua_pushboolean(L, tocha_device_of(t).type == TOCHA_MPS);
    break;
  case IS_SPARSE:
  case IS_QUANTIZED:
    lua_pushboolean(L, 0);
    break;
  case DATA:
    return push_data(L, t);
  case NBYTES:
    lua_pushinteger(L, tocha_numel(t) * (int64_t)tocha_dtype_size(tocha_dtype_of(t)));
    break;
  case ITEMSIZE:
    lua_pushinteger(L, (lua_Integer)tocha_dtype_size(tocha_dtype_of(t)));
    break;
  case REAL:
    lua_settop(L, 1);
    break;
  case VERSION:
    lua_pushinteger(L, tocha_version_of(t));
    break;
  case RETAINS_GRAD:
    lua_pushboolean(L, tocha_retains_grad(t));
    break;
  case BASE:
    push_shared_tensor(L, tocha_base(t));
    break;
  case LAYOUT:
    lua_getfield(L, LUA_REGISTRYINDEX, "tocha.torch");
    lua_getfield(L, -1, "strided");
    break;
  }
  return 1;
}

static bool is_name(const char *key) {
  if (strcmp(key, "None") == 0) return false;
  if (!(*key == '_' || (*key >= 'a' && *key <= 'z') || (*key >= 'A' && *key <= 'Z'))) return false;
  return strspn(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
         strlen(key);
}

static int raise_unknown(lua_State *L, int methods, const char *key) {
  bool result =
      strcmp(key, "values") == 0 || strcmp(key, "indices") == 0; /* of max, sort, topk, ... */
  const char *near = nearest_key(L, methods, key), *hint = NULL;
  if (result)
    hint = "in Lua a function returns several values: local values, indices = x:max(1)";
  else if (pytorch_has(L, "torch.Tensor", key))
    hint = lua_pushfstring(L, "PyTorch has Tensor.%s; Tocha does not yet", key);
  else if (near)
    hint = lua_pushfstring(L, "did you mean '%s'?", near);
  bool parameter = tocha_is_parameter(to_tensor(L, 1));
  return raise_hinted(L, TOCHA_ATTRIBUTE_ERROR, hint, "'%s' object has no attribute '%s'",
                      parameter ? "Parameter" : "Tensor", key);
}

/* Upvalue 1: the methods table, where attributes stand as their numbers, or as their operators. */
int index_tensor(lua_State *L) {
  tocha_tensor *t = to_tensor(L, 1);
  if (!t) return raise_message(L, TOCHA_TYPE_ERROR, "expected a Tensor, got %s", python_type(L, 1));
  if (lua_type(L, 2) == LUA_TSTRING) {
    lua_pushvalue(L, 2);
    switch (lua_rawget(L, lua_upvalueindex(1))) {
    case LUA_TNIL:
      break;
    case LUA_TNUMBER:
      return push_attribute(L, t, (attribute)lua_tointeger(L, -1));
    case LUA_TLIGHTUSERDATA:
      return push_result(L, t, lua_touserdata(L, -1));
    default:
      return 1;
    }
    lua_pop(L, 1);
    const char *key = lua_tostring(L, 2);
    if (is_name(key)) return raise_unknown(L, lua_upvalueindex(1), key);
  }
  subscript s;
  charge_collector(L, binding_of(L));
  read_subscript(L, 2, &s);
  tocha_context *cx = CX(L);
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_tensor *result = tocha_subscript_get(cx, t, s.count, s.items);
  if (result) push_tensor(L, result);
  tocha_scope_end(cx, scope, NULL);
  return result ? 1 : raise_error(L);
}

static int set_attribute(lua_State *L, tocha_tensor *t, attribute which, const char *key) {
  tocha_context *cx = CX(L);
  bool ok = true;
  tocha_scope scope = tocha_scope_begin(cx);
  if (which == REQUIRES_GRAD) {
    if (lua_type(L, 3) != LUA_TBOOLEAN)
      return raise_message(L, TOCHA_RUNTIME_ERROR, "requires_grad must be a bool");
    if (lua_toboolean(L, 3) && !tocha_dtype_is_floating(tocha_dtype_of(t)) && tocha_is_leaf(t))
      return raise_message(
          L, TOCHA_RUNTIME_ERROR,
          "only Tensors of floating point and complex dtype can require gradients");
    ok = tocha_set_requires_grad(cx, t, lua_toboolean(L, 3)) != NULL;
  } else if (which == GRAD) {
    tocha_tensor *grad = to_tensor(L, 3);
    if (!grad && !lua_isnil(L, 3))
      return raise_message(L, TOCHA_TYPE_ERROR,
                           "assigned grad expected to be a Tensor or None but got grad of type %s",
                           python_type(L, 3));
    ok = tocha_set_grad(cx, t, grad);
    if (ok && grad) share_tensor(L, 3);
  } else if (which == DATA) {
    if (!to_tensor(L, 3))
      return raise_message(L, TOCHA_TYPE_ERROR, "Variable data has to be a tensor, but got %s",
                           python_type(L, 3));
    ok = tocha_set_data(cx, t, to_tensor(L, 3));
  } else {
    return raise_message(L, TOCHA_ATTRIBUTE_ERROR,
                         "attribute '%s' of 'torch._C.TensorBase' objects is not writable", key);
  }
  tocha_scope_end(cx, scope, NULL);
  return ok ? 0 : raise_error(L);
}

/* The assigned value: a number, a tensor, or a table that becomes one. */
static tocha_operand read_assigned(lua_State *L, int index, const tocha_tensor *t) {
  tocha_operand value = {to_tensor(L, index), tocha_int(0)};
  if (value.tensor || to_scalar(L, index, &value.scalar)) return value;
  if (lua_type(L, index) != LUA_TTABLE)
    raise_message(L, TOCHA_TYPE_ERROR, "can't assign a %s to a torch.%sTensor",
                  python_type(L, index), tocha_dtype_scalar_type(tocha_dtype_of(t)));
  lua_getfield(L, LUA_REGISTRYINDEX, "tocha.tensor");
  lua_pushvalue(L, index);
  lua_createtable(L, 0, 1);
  push_dtype(L, tocha_dtype_of(t));
  lua_setfield(L, -2, "dtype");
  lua_call(L, 2, 1);
  value.tensor = to_tensor(L, -1);
  return value;
}

int newindex_tensor(lua_State *L) {
  tocha_tensor *t = to_tensor(L, 1);
  if (!t) return raise_message(L, TOCHA_TYPE_ERROR, "expected a Tensor, got %s", python_type(L, 1));
  if (lua_type(L, 2) == LUA_TSTRING) {
    lua_pushvalue(L, 2);
    int type = lua_rawget(L, lua_upvalueindex(1));
    const char *key = lua_tostring(L, 2);
    if (type == LUA_TNUMBER || type == LUA_TLIGHTUSERDATA)
      return set_attribute(L, t, (attribute)lua_tointeger(L, -1), key);
    if (type != LUA_TNIL)
      return raise_message(L, TOCHA_ATTRIBUTE_ERROR, "'Tensor' object attribute '%s' is read-only",
                           key);
    lua_pop(L, 1);
    if (is_name(key)) return raise_unknown(L, lua_upvalueindex(1), key);
  }
  subscript s;
  read_subscript(L, 2, &s);
  tocha_operand value = read_assigned(L, 3, t);
  tocha_context *cx = CX(L);
  tocha_scope scope = tocha_scope_begin(cx);
  bool ok = tocha_subscript_set(cx, t, s.count, s.items, value);
  tocha_scope_end(cx, scope, NULL);
  return ok ? 0 : raise_error(L);
}

void open_attributes(lua_State *L, int methods) {
  methods = lua_absindex(L, methods);
  for (int i = 0; i < TOCHA_COUNT(attributes); i++) {
    lua_pushinteger(L, attributes[i].attribute);
    lua_setfield(L, methods, attributes[i].name);
  }
  lua_newtable(L);
  lua_setfield(L, LUA_REGISTRYINDEX, "tocha.subscripts");
}
