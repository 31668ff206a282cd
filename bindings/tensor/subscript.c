/* subscript.c: t[subscript], read and assigned. A subscript is made of numbers, tables, Python's
 * text, masks and indices. */
#include "tocha/subscript.h"

#include <stdlib.h>
#include <string.h>

#include "arguments/arguments.h"
#include "lua/binding.h"

enum { MAX_ITEMS = 64, MAX_CACHED = 1000 };

typedef struct subscript {
  int count;
  tocha_subscript_item items[MAX_ITEMS];
} subscript;

static void add_list(lua_State *L, int index, tocha_subscript_item *item);
static void add_text(lua_State *L, int index, subscript *s);

/* Pushes the list at the beginning of a text, such as "[0, [1, True]]", as a table. Returns the
 * rest of the text, or NULL if the text does not begin with a list. [-0, +?, v] */
static const char *push_list_text(lua_State *L, const char *at, int depth) {
  if (depth > TOCHA_MAX_DIMS) return NULL;
  need_stack(L, 4);
  lua_newtable(L);
  for (lua_Integer i = 1;; i++) {
    char *end;
    at += 1 + strspn(at + 1, " \t\n"); /* past the bracket or comma */
    if (*at == ']') return at + 1;
    if (*at == '[') {
      if (!(at = push_list_text(L, at, depth + 1))) return NULL;
    } else if (strncmp(at, "True", 4) == 0 || strncmp(at, "False", 5) == 0) {
      lua_pushboolean(L, *at == 'T');
      at += *at == 'T' ? 4 : 5;
    } else {
      lua_pushinteger(L, strtoll(at, &end, 10));
      if (end == at) return NULL;
      at = end;
    }
    lua_rawseti(L, -2, i);
    at += strspn(at, " \t\n");
    if (*at == ']') return at + 1;
    if (*at != ',') return NULL;
  }
}

/* Adds the items of a text with lists in it: ":, [0, 2]". The tables stay on the stack, and keep
 * the tensors alive. [-0, +?, e] */
static void add_text_with_lists(lua_State *L, const char *text, subscript *s) {
  const char *at = text;
  while (*(at += strspn(at, " \t\n"))) {
    size_t length = strcspn(at, ",");
    need_stack(L, 8);
    if (*at == '[') {
      const char *end = push_list_text(L, at, 0);
      if (s->count >= MAX_ITEMS) raise_message(L, TOCHA_INDEX_ERROR, "too many indices");
      length = end ? (size_t)(end - at) + strspn(end, " \t\n") : 0;
      if (!end || (at[length] && at[length] != ','))
        raise_message(L, TOCHA_INDEX_ERROR, "invalid subscript \"%s\" (near \"%s\")", text, at);
      memset(&s->items[s->count], 0, sizeof *s->items);
      add_list(L, lua_gettop(L), &s->items[s->count++]);
    } else {
      lua_pushlstring(L, at, length);
      if (memchr(at, '[', length))
        raise_message(L, TOCHA_INDEX_ERROR, "invalid subscript \"%s\" (near \"%s\")", text, at);
      add_text(L, lua_gettop(L), s);
    }
    at += length + (at[length] == ',');
  }
}

/* Adds the items of a text. A text without lists is parsed once: the registry keeps its items by
 * the text itself. */
static void add_text(lua_State *L, int index, subscript *s) {
  tocha_context *cx = CX(L);
  need_stack(L, 6);
  lua_getfield(L, LUA_REGISTRYINDEX, "tocha.subscripts");
  lua_pushvalue(L, index);
  if (lua_rawget(L, -2) != LUA_TUSERDATA) {
    lua_pop(L, 1);
    if (strchr(check_c_string(L, index), '[')) {
      lua_pop(L, 1);
      add_text_with_lists(L, lua_tostring(L, index), s);
      return;
    }
    tocha_subscript_item parsed[MAX_ITEMS];
    int count = 0;
    if (!tocha_subscript_parse(cx, check_c_string(L, index), parsed, MAX_ITEMS, &count))
      raise_error(L);
    lua_Integer cached = 0;
    if (lua_rawgeti(L, -1, 1) == LUA_TNUMBER) cached = lua_tointeger(L, -1);
    lua_pop(L, 1);
    if (cached >= MAX_CACHED) { /* for a program that makes up texts, the table starts afresh */
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

/* Returns true if the table at index is empty, or its first element is such a table. [-0, +0, -] */
static bool holds_nothing(lua_State *L, int index) {
  int top = lua_gettop(L), depth = 0;
  lua_pushvalue(L, index);
  while (lua_istable(L, -1) && lua_rawlen(L, -1) && depth++ < TOCHA_MAX_DIMS) {
    lua_rawgeti(L, -1, 1);
    lua_replace(L, -2);
  }
  bool nothing = lua_istable(L, -1) && lua_rawlen(L, -1) == 0;
  lua_settop(L, top);
  return nothing;
}

/* Adds a table inside the subscript as an item: {0, 2} is a list of indices (or of booleans).
 * The tensor stays on the Lua stack. [-0, +1, e] */
static void add_list(lua_State *L, int index, tocha_subscript_item *item) {
  lua_getfield(L, LUA_REGISTRYINDEX, "tocha.tensor");
  lua_pushvalue(L, index);
  if (holds_nothing(L, index)) { /* an empty list of indices is int64 */
    lua_createtable(L, 0, 1);
    tocha_lua_push_dtype(L, TOCHA_INT64);
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
  case LUA_TNIL:
    memset(item, 0, sizeof *item);
    item->kind = TOCHA_SUBSCRIPT_NONE;
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
  const char *hint = number_hint(L, index);
  raise_hinted(L, TOCHA_INDEX_ERROR,
               hint ? hint : "a subscript is x[0], x[{0, \":\"}], x[\"0, 1:\"] or x[mask]",
               "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are "
               "valid indices (got %s)",
               python_type(L, index));
}

/* Warns if a boolean subscript comes from a comparison such as x[a == 2]. [-0, +0, e] */
static void warn_of_comparison(lua_State *L, int index) {
  lua_Debug ar;
  if (!lua_getstack(L, 1, &ar) || !lua_getinfo(L, "Sl", &ar) || ar.currentline <= 0) return;
  push_part(L, "hints.compared");
  lua_getfield(L, -1, "warn");
  lua_pushstring(L, ar.source);
  lua_pushinteger(L, ar.currentline);
  lua_pushstring(L, lua_toboolean(L, index) ? "true" : "false");
  lua_call(L, 3, 0);
  lua_pop(L, 1);
}

static void read_subscript(lua_State *L, int index, subscript *s) {
  s->count = 0;
  if (lua_type(L, index) != LUA_TTABLE) {
    if (lua_type(L, index) == LUA_TBOOLEAN) warn_of_comparison(L, index);
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
  if (s->count == 1 &&
      (s->items[0].kind == TOCHA_SUBSCRIPT_SLICE || s->items[0].kind == TOCHA_SUBSCRIPT_INDEX)) {
    memset(&s->items[1], 0, sizeof s->items[1]); /* a tuple of one, as x[0, ...] is */
    s->items[s->count++].kind = TOCHA_SUBSCRIPT_ELLIPSIS;
  }
}

/* --- reading and assigning --------------------------------------------------------------------- */

static bool is_name(const char *key) {
  if (strcmp(key, "None") == 0) return false;
  if (!(*key == '_' || (*key >= 'a' && *key <= 'z') || (*key >= 'A' && *key <= 'Z'))) return false;
  return strspn(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
         strlen(key);
}

/* Returns the hint for a name that other libraries, or Lua's own, have for a feature of tensors,
 * or NULL. */
static const char *other_name_hint(const char *key) {
  static const char several[] =
      "in Lua a function returns several values: local values, indices = x:max(1)";
  static const struct {
    const char *key, *hint;
  } names[] = {
      {"values", several}, /* of max, sort, topk, ... */
      {"indices", several},
      {"tostring", "tostring(x) is its text"},
      {"tonumber", "x:item() is the number of a tensor with one element"},
      {"totable", "x:tolist() is a table of its numbers"},
      {"len", "#x is its length, x:numel() the number of its elements"},
      {"length", "#x is its length, x:numel() the number of its elements"},
      {"append", "a tensor does not grow: torch.cat{x, y}, or torch.tensor(list) of a table"},
      {"insert", "a tensor does not grow: torch.cat{x, y}, or torch.tensor(list) of a table"},
  };
  for (int i = 0; i < TOCHA_COUNT(names); i++)
    if (strcmp(key, names[i].key) == 0) return names[i].hint;
  return NULL;
}

static int raise_unknown(lua_State *L, int methods, const char *key) {
  const char *near = nearest_key(L, methods, key), *hint = other_name_hint(key);
  if (hint)
    ;
  else if (pytorch_has(L, "torch.Tensor", key))
    hint = lua_pushfstring(L, "PyTorch has Tensor.%s; Tocha does not yet", key);
  else if (near)
    hint = lua_pushfstring(L, "did you mean '%s'?", near);
  tocha_tensor *t = to_tensor(L, 1);
  return raise_hinted(L, TOCHA_ATTRIBUTE_ERROR, hint, "'%s' object has no attribute '%s'",
                      tocha_is_uninitialized(t) ? tocha_uninitialized_name(t)
                      : tocha_is_parameter(t)   ? "Parameter"
                                                : "Tensor",
                      key);
}

/* Returns an attribute, a method or t[subscript]. Upvalue 1: the table of methods. In this table
 * an attribute is a number, or an operator as light userdata. */
int index_tensor(lua_State *L) {
  tocha_tensor *t;
  bool named = lua_type(L, 2) == LUA_TSTRING;
  if (named) { /* usually a method, which checks its self */
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(1)) == LUA_TFUNCTION) return 1;
  }
  if (!(t = to_tensor(L, 1)))
    return raise_message(L, TOCHA_TYPE_ERROR, "expected a Tensor, got %s", python_type(L, 1));
  if (named) {
    switch (lua_type(L, -1)) {
    case LUA_TNIL:
      break;
    case LUA_TNUMBER:
      return push_attribute(L, t, (int)lua_tointeger(L, -1));
    case LUA_TLIGHTUSERDATA:
      return push_attribute_of(L, t, lua_touserdata(L, -1));
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
  if (result) return 1;
  if (tocha_error(cx)->code == TOCHA_INDEX_ERROR && counting_hint(L))
    tocha_hint(cx, "%s", counting_hint(L));
  return raise_error(L);
}

/* Reads the assigned value: a number, a tensor, or a table, of which a tensor is made that stays
 * on the stack. [-0, +?, e] */
static tocha_operand read_assigned(lua_State *L, int index, const tocha_tensor *t) {
  tocha_operand value = {to_tensor(L, index), tocha_int(0)};
  if (value.tensor || to_scalar(L, index, &value.scalar)) return value;
  if (lua_type(L, index) != LUA_TTABLE)
    raise_message(L, TOCHA_TYPE_ERROR, "can't assign a %s to a torch.%sTensor",
                  python_type(L, index), tocha_dtype_scalar_type(tocha_dtype_of(t)));
  lua_getfield(L, LUA_REGISTRYINDEX, "tocha.tensor");
  lua_pushvalue(L, index);
  lua_createtable(L, 0, 1);
  tocha_lua_push_dtype(L, tocha_dtype_of(t));
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
      return set_attribute(L, t, type == LUA_TNUMBER ? (int)lua_tointeger(L, -1) : -1, key);
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
  if (!ok && lua_isinteger(L, 2) && tocha_ndim(t) > 0 && lua_tointeger(L, 2) >= tocha_sizes(t)[0])
    tocha_hint(cx, "a tensor does not grow, and positions count from 0: fill a table and make "
                   "torch.tensor(list) or torch.stack(list) of it");
  return ok ? 0 : raise_error(L);
}

void open_subscripts(lua_State *L) {
  lua_newtable(L);
  lua_setfield(L, LUA_REGISTRYINDEX, "tocha.subscripts");
}
