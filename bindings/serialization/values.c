/* values.c: conversion of Python's values to Lua's and back. lua/parts/serialization/types.lua
 * says how tables stand for collections, and its functions make and describe them. The walks
 * over the values are here. An object that occurs several times stays one object. */
#include "serialization/values.h"
#include "sandbox/confined.h"

#include <stdio.h>
#include <string.h>

#include "nn/module.h"

static const char CHECKPOINT[] = "tocha.checkpoint";

enum { MAX_DEPTH = 500, STACK_STEP = 12 };

static int checkpoint_gc(lua_State *L) {
  tocha_checkpoint **box = luaL_checkudata(L, 1, CHECKPOINT);
  tocha_checkpoint_free(*box);
  *box = NULL;
  return 0;
}

tocha_checkpoint **push_checkpoint(lua_State *L) {
  tocha_checkpoint **box = lua_newuserdatauv(L, sizeof *box, 0);
  *box = NULL;
  luaL_setmetatable(L, CHECKPOINT);
  return box;
}

void open_values(lua_State *L) {
  static const luaL_Reg events[] = {
      {"__gc", checkpoint_gc}, {"__close", checkpoint_gc}, {NULL, NULL}};
  new_metatable(L, CHECKPOINT, events);
  lua_pop(L, 1);
}

static int raise_depth(lua_State *L) {
  return raise_message(L, TOCHA_VALUE_ERROR, "values are nested too deeply");
}

/* --- into Lua ------------------------------------------------------------------------------------------------ */

/* One step from a table to a value in it: to an item by its number, or to an entry by its key. */
typedef struct step {
  int64_t item;
  int key; /* stack index of the key; 0: an item */
} step;

typedef struct walk {
  lua_State *L;
  int types, seen; /* stack indices */
  tocha_checkpoint *checkpoint;
  step *steps; /* out of Lua: the first d lead to the value at depth d */
} walk;

static void push_any(const walk *w, const tocha_value *v, int depth);

/* Sets the keys and values of a dict in the table at index `t`, and pushes a table of the keys
 * in their order. [-0, +1, e] */
static void fill_dict(const walk *w, const tocha_value *v, int t, int depth) {
  lua_State *L = w->L;
  int64_t count = tocha_value_count(v);
  lua_newtable(L);
  int keys = lua_gettop(L);
  for (int64_t i = 0, n = 0; i < count; i++) {
    const tocha_value *key = tocha_value_key(v, i);
    if (tocha_value_kind_of(key) == TOCHA_VALUE_NONE)
      lua_getfield(L, w->types, "None");
    else
      push_any(w, key, depth);
    if (lua_type(L, -1) == LUA_TNUMBER && !lua_compare(L, -1, -1, LUA_OPEQ))
      raise_message(L, TOCHA_VALUE_ERROR, "a dict has nan for a key, which no table can have");
    lua_pushvalue(L, -1);
    if (lua_rawget(L, t) == LUA_TNIL) {
      lua_pushvalue(L, -2);
      lua_rawseti(L, keys, ++n);
    }
    lua_pop(L, 1);
    push_any(w, tocha_value_item(v, i), depth);
    lua_rawset(L, t);
  }
}

static void push_collection(const walk *w, const tocha_value *v, int depth) {
  static const char *const names[] = {"size", "list",        "tuple", "set",
                                      "dict", "OrderedDict", "object"};
  lua_State *L = w->L;
  tocha_value_kind kind = tocha_value_kind_of(v);
  bool is_dict = kind >= TOCHA_VALUE_DICT;
  if (lua_rawgetp(L, w->seen, v) != LUA_TNIL) return;
  lua_pop(L, 1);
  if (depth >= MAX_DEPTH) raise_depth(L);
  int64_t count = tocha_value_count(v);
  need_stack(L, STACK_STEP);
  lua_newtable(L);
  int t = lua_gettop(L);
  lua_pushvalue(L, t);
  lua_rawsetp(L, w->seen, v);
  lua_getfield(L, w->types, "make");
  lua_pushstring(L, names[kind - TOCHA_VALUE_SIZE]);
  lua_pushvalue(L, t);
  if (is_dict) {
    fill_dict(w, v, t, depth + 1);
  } else {
    for (int64_t i = 0; i < count; i++) {
      push_any(w, tocha_value_item(v, i), depth + 1);
      lua_rawseti(L, t, i + 1);
    }
    lua_pushinteger(L, count);
  }
  if (tocha_value_attributes(v))
    push_any(w, tocha_value_attributes(v), depth + 1);
  else
    lua_pushnil(L);
  lua_call(L, 4, 0);
}

static void push_size_value(lua_State *L, const tocha_value *v) {
  int64_t sizes[TOCHA_MAX_DIMS];
  int n = (int)tocha_value_count(v);
  if (n > TOCHA_MAX_DIMS) raise_message(L, TOCHA_VALUE_ERROR, "a torch.Size has %d numbers", n);
  for (int i = 0; i < n; i++) sizes[i] = tocha_value_int(tocha_value_item(v, i));
  tocha_lua_push_size(L, n, sizes);
}

static void push_any(const walk *w, const tocha_value *v, int depth) {
  lua_State *L = w->L;
  size_t length;
  const char *text = tocha_value_text(v, &length);
  switch (tocha_value_kind_of(v)) {
  case TOCHA_VALUE_NONE:
    lua_pushnil(L);
    break;
  case TOCHA_VALUE_BOOL:
    lua_pushboolean(L, tocha_value_bool(v));
    break;
  case TOCHA_VALUE_INT:
    lua_pushinteger(L, tocha_value_int(v));
    break;
  case TOCHA_VALUE_FLOAT:
    lua_pushnumber(L, tocha_value_float(v));
    break;
  case TOCHA_VALUE_STRING:
    lua_pushlstring(L, text, length);
    break;
  case TOCHA_VALUE_BYTES:
    lua_getfield(L, w->types, "bytes");
    lua_pushlstring(L, text, length);
    lua_call(L, 1, 1);
    break;
  case TOCHA_VALUE_TENSOR:
    tocha_lua_push_tensor(L, tocha_value_tensor(v));
    break;
  case TOCHA_VALUE_ARRAY:
    lua_getfield(L, w->types, "array");
    tocha_lua_push_tensor(L, tocha_value_tensor(v));
    lua_call(L, 1, 1);
    break;
  case TOCHA_VALUE_MISSING:
    lua_getfield(L, w->types, "missing");
    lua_pushlstring(L, text, length);
    lua_call(L, 1, 1);
    break;
  case TOCHA_VALUE_DTYPE:
    tocha_lua_push_dtype(L, tocha_value_dtype(v));
    break;
  case TOCHA_VALUE_DEVICE:
    tocha_lua_push_device(L, tocha_value_device(v));
    break;
  case TOCHA_VALUE_SIZE:
    push_size_value(L, v);
    break;
  default:
    push_collection(w, v, depth);
  }
}

void push_value(lua_State *L, int types, const tocha_value *value) {
  lua_newtable(L);
  walk w = {L, lua_absindex(L, types), lua_gettop(L), NULL, NULL};
  push_any(&w, value, 0);
  lua_remove(L, w.seen);
}

/* --- out of Lua ---------------------------------------------------------------------------------------------- */

static tocha_value *from_any(const walk *w, int index, int depth);

static bool is_utf8(const char *text, size_t length) {
  const unsigned char *p = (const unsigned char *)text, *end = p + length;
  while (p < end) {
    unsigned c = *p++;
    if (c < 0x80) continue;
    int more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;
    unsigned code = more == 3 ? c & 7 : more == 2 ? c & 15 : c & 31;
    if (c < 0xc2 || c > 0xf4 || end - p < more) return false;
    for (int i = 0; i < more; i++, p++) {
      if ((*p & 0xc0) != 0x80) return false;
      code = code << 6 | (*p & 0x3f);
    }
    if (code < (more == 3   ? 0x10000u
                : more == 2 ? 0x800u
                            : 0x80u) ||
        code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
      return false;
  }
  return true;
}

static bool is_name(const char *text) {
  static const char digits[] = "0123456789";
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  return *text && !strchr(digits, *text) && !text[strspn(text, letters)];
}

/* Pushes the path from the saved value to a value inside it: obj.models[2].net. [-0, +1, e] */
static void push_path(const walk *w, int depth) {
  lua_State *L = w->L;
  luaL_Buffer b;
  luaL_checkstack(L, LUA_MINSTACK + STACK_STEP, NULL);
  luaL_buffinit(L, &b);
  luaL_addstring(&b, "obj");
  for (int i = 0; i < depth; i++) {
    const step *s = &w->steps[i];
    char number[32];
    snprintf(number, sizeof number, "[%lld]", (long long)s->item);
    if (!s->key) {
      luaL_addstring(&b, number);
    } else {
      bool text = lua_type(L, s->key) == LUA_TSTRING;
      bool plain = text && is_name(lua_tostring(L, s->key));
      luaL_addstring(&b, plain ? "." : text ? "[\"" : "[");
      show_value(L, s->key, NULL);
      luaL_addvalue(&b);
      if (!plain) luaL_addstring(&b, text ? "\"]" : "]");
    }
  }
  luaL_pushresult(&b);
}

/* Returns the name of a value's type: that of its metatable, or of an object's class in Python.
 * [-0, +?, m] */
static const char *type_name(lua_State *L, int index) {
  const char *name = python_type(L, index);
  if (luaL_getmetafield(L, index, "__name") == LUA_TSTRING)
    name = lua_tostring(L, -1);
  else if (lua_istable(L, index)) /* a class without a name */
    name = "object";
  if (strcmp(name, "object") != 0 || !lua_istable(L, index)) return name;
  lua_pushstring(L, "class");
  return lua_rawget(L, index) == LUA_TSTRING ? lua_tostring(L, -1) : name;
}

TOCHA_NORETURN static void raise_value(const walk *w, int index, int depth) {
  lua_State *L = w->L;
  const char *cure = to_module(L, index)
                         ? "save its state: torch.save(model:state_dict(), path)"
                         : "files hold tensors, numbers, strings, booleans, and tables "
                           "of these; an object's state_dict() is one";
  push_path(w, depth);
  const char *hint = depth ? lua_pushfstring(L, "it is %s; %s", lua_tostring(L, -1), cure) : cure;
  raise_hinted(L, TOCHA_TYPE_ERROR, hint, "cannot pickle '%s' object", type_name(L, index));
}

/* Makes a collection of items 1 to n of the table at index `t`. */
static tocha_value *from_items(const walk *w, tocha_value_kind kind, int t, int64_t n, int depth) {
  tocha_value *v = tocha_new_collection(w->checkpoint, kind);
  lua_pushlightuserdata(w->L, v);
  lua_rawsetp(w->L, w->seen, lua_topointer(w->L, t));
  for (int64_t i = 1; i <= n; i++) {
    lua_rawgeti(w->L, t, i);
    w->steps[depth - 1] = (step){i, 0};
    if (!tocha_value_append(w->checkpoint, v, from_any(w, lua_gettop(w->L), depth)))
      raise_error(w->L);
    lua_pop(w->L, 1);
  }
  return v;
}

/* Makes a dict of the entries of the table at index `t`, by the keys in the table at index
 * `keys`. [-0, +1, m] */
static tocha_value *from_dict(const walk *w, tocha_value_kind kind, int t, int keys, int depth) {
  lua_State *L = w->L;
  tocha_value *v = tocha_new_collection(w->checkpoint, kind);
  lua_pushlightuserdata(L, v);
  lua_rawsetp(L, w->seen, lua_topointer(L, t));
  lua_getfield(L, w->types, "None");
  int none = lua_gettop(L);
  int64_t n = (int64_t)lua_rawlen(L, keys);
  for (int64_t i = 1; i <= n; i++) {
    lua_rawgeti(L, keys, i);
    lua_pushvalue(L, -1);
    lua_rawget(L, t);
    int key = lua_gettop(L) - 1;
    w->steps[depth - 1] = (step){0, key};
    const tocha_value *name =
        lua_rawequal(L, key, none) ? tocha_new_none(w->checkpoint) : from_any(w, key, depth);
    if (!tocha_value_set(w->checkpoint, v, name, from_any(w, key + 1, depth))) raise_error(L);
    lua_settop(L, none);
  }
  return v;
}

/* Converts a table. types.describe returns its meaning: kind, number of items or list of keys,
 * attributes. */
static tocha_value *from_table(const walk *w, int t, int depth) {
  lua_State *L = w->L;
  need_stack(L, STACK_STEP);
  if (lua_rawgetp(L, w->seen, lua_topointer(L, t)) != LUA_TNIL) {
    tocha_value *v = lua_touserdata(L, -1);
    lua_pop(L, 1);
    return v;
  }
  if (depth >= MAX_DEPTH) raise_depth(L);
  int top = lua_gettop(L) - 1;
  lua_getfield(L, w->types, "describe");
  lua_pushvalue(L, t);
  lua_call(L, 1, 3);
  int facts = lua_gettop(L) - 2;
  const char *kind = lua_tostring(L, facts);
  tocha_value *v = NULL;
  if (!kind) raise_value(w, t, depth);
  if (strcmp(kind, "list") == 0)
    v = from_items(w, TOCHA_VALUE_LIST, t, lua_tointeger(L, facts + 1), depth + 1);
  else if (strcmp(kind, "tuple") == 0)
    v = from_items(w, TOCHA_VALUE_TUPLE, t, lua_tointeger(L, facts + 1), depth + 1);
  else if (strcmp(kind, "set") == 0)
    v = from_items(w, TOCHA_VALUE_SET, t, lua_tointeger(L, facts + 1), depth + 1);
  else if (strcmp(kind, "bytes") == 0) {
    size_t length;
    const char *bytes = lua_tolstring(L, facts + 1, &length);
    v = tocha_new_bytes(w->checkpoint, bytes, length);
  } else {
    bool ordered = strcmp(kind, "OrderedDict") == 0;
    v = from_dict(w, ordered ? TOCHA_VALUE_ORDERED_DICT : TOCHA_VALUE_DICT, t, facts + 1,
                  depth + 1);
    if (lua_istable(L, facts + 2) &&
        !tocha_value_set_attributes(w->checkpoint, v, from_table(w, facts + 2, depth + 1)))
      raise_error(L);
  }
  lua_settop(L, top);
  return v;
}

static tocha_value *from_size(const walk *w, const int64_t *sizes, int n) {
  tocha_value *v = tocha_new_collection(w->checkpoint, TOCHA_VALUE_SIZE);
  for (int i = 0; i < n; i++)
    if (!tocha_value_append(w->checkpoint, v, tocha_new_int(w->checkpoint, sizes[i])))
      raise_error(w->L);
  return v;
}

/* Gives the state dict's value the _metadata of the state dict at `index`. */
static void note_metadata(const walk *w, tocha_value *v, int index, int depth) {
  tocha_checkpoint *c = w->checkpoint;
  if (!tocha_state_dict_module_count(to_state_dict(w->L, index))) return;
  lua_getfield(w->L, index, "_metadata");
  tocha_value *attributes = tocha_new_collection(c, TOCHA_VALUE_DICT);
  const tocha_value *metadata = from_table(w, lua_gettop(w->L), depth + 1);
  if (!tocha_value_set_named(c, attributes, "_metadata", metadata) ||
      !tocha_value_set_attributes(c, v, attributes))
    raise_error(w->L);
  lua_pop(w->L, 1);
}

/* Converts a state dict, whose extra states may be any values. */
static tocha_value *from_state_dict(const walk *w, int index, int depth) {
  const tocha_state_dict *dict = to_state_dict(w->L, index);
  tocha_checkpoint *c = w->checkpoint;
  tocha_value *v = tocha_new_collection(c, TOCHA_VALUE_ORDERED_DICT);
  need_stack(w->L, STACK_STEP);
  if (depth >= MAX_DEPTH) raise_depth(w->L);
  for (int i = 0; i < tocha_state_dict_count(dict); i++) {
    const char *name = tocha_state_dict_name(dict, i);
    tocha_tensor *t = tocha_state_dict_tensor(dict, i);
    if (!t) push_state_value(w->L, index, name);
    w->steps[depth] = (step){i + 1, 0};
    const tocha_value *item = t ? tocha_new_tensor(c, t) : from_any(w, lua_gettop(w->L), depth + 1);
    if (!t) lua_pop(w->L, 1);
    if (!tocha_value_set(c, v, tocha_new_string(c, name, strlen(name)), item)) raise_error(w->L);
  }
  note_metadata(w, v, index, depth);
  return v;
}

static tocha_value *from_userdata(const walk *w, int index, int depth) {
  lua_State *L = w->L;
  tocha_checkpoint *c = w->checkpoint;
  tocha_dtype dtype;
  int ndim;
  if (to_tensor(L, index)) return tocha_new_tensor(c, to_tensor(L, index));
  if (to_state_dict(L, index)) return from_state_dict(w, index, depth);
  const int64_t *sizes = tocha_lua_to_size(L, index, &ndim);
  if (sizes) return from_size(w, sizes, ndim);
  if (tocha_lua_to_dtype(L, index, &dtype)) return tocha_new_dtype(c, dtype);
  tocha_device device;
  if (tocha_lua_to_device(L, index, &device)) return tocha_new_device(c, device);
  raise_value(w, index, depth);
}

static tocha_value *from_any(const walk *w, int index, int depth) {
  lua_State *L = w->L;
  tocha_checkpoint *c = w->checkpoint;
  tocha_value *v = NULL;
  size_t length;
  const char *text;
  switch (lua_type(L, index)) {
  case LUA_TNIL:
    v = tocha_new_none(c);
    break;
  case LUA_TBOOLEAN:
    v = tocha_new_bool(c, lua_toboolean(L, index));
    break;
  case LUA_TNUMBER:
    v = lua_isinteger(L, index) ? tocha_new_int(c, lua_tointeger(L, index))
                                : tocha_new_float(c, lua_tonumber(L, index));
    break;
  case LUA_TSTRING: /* Python's strings are text; bytes that are not UTF-8 stay bytes */
    text = lua_tolstring(L, index, &length);
    v = is_utf8(text, length) ? tocha_new_string(c, text, length)
                              : tocha_new_bytes(c, text, length);
    break;
  case LUA_TTABLE:
    v = from_table(w, index, depth);
    break;
  case LUA_TUSERDATA:
    v = from_userdata(w, index, depth);
    break;
  default:
    raise_value(w, index, depth);
  }
  if (!v) raise_error(L);
  return v;
}

tocha_value *to_value(lua_State *L, int types, int index, tocha_checkpoint *checkpoint) {
  index = lua_absindex(L, index);
  types = lua_absindex(L, types);
  lua_newtable(L);
  step steps[MAX_DEPTH + 1];
  walk w = {L, types, lua_gettop(L), checkpoint, steps};
  tocha_value *v = from_any(&w, index, 0);
  lua_remove(L, w.seen);
  return v;
}
