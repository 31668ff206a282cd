/* state_dict.c: a module's state as a Lua object that keeps its order. */
#include <stdlib.h>
#include <string.h>

#include "nn/module.h"

static const char DICT_TYPE[] = "torch.OrderedDict";

typedef struct dict_box {
  tocha_state_dict *dict;
} dict_box;

static dict_box *push_box(lua_State *L) {
  dict_box *b = lua_newuserdatauv(L, sizeof *b, 0);
  b->dict = NULL;
  luaL_setmetatable(L, DICT_TYPE);
  return b;
}

tocha_state_dict **push_state_dict(lua_State *L) { return &push_box(L)->dict; }

tocha_state_dict *to_state_dict(lua_State *L, int index) {
  dict_box *b = luaL_testudata(L, index, DICT_TYPE);
  return b ? b->dict : NULL;
}

static tocha_state_dict *check_dict(lua_State *L) {
  tocha_state_dict *d = to_state_dict(L, 1);
  if (!d) luaL_argerror(L, 1, "a state dict expected");
  return d;
}

static int compare_names(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sets the entry of the name and value on top. */
static void fill_entry(lua_State *L, tocha_state_dict *dict, const char *name) {
  if (!tocha_state_dict_set(CX(L), dict, name, to_tensor(L, -1), python_type(L, -1)))
    raise_error(L);
}

/* From a table that keeps an order; its __pairs is on top. */
static void fill_in_order(lua_State *L, int index, tocha_state_dict *dict) {
  int top = lua_gettop(L);
  lua_pushvalue(L, index);
  lua_call(L, 1, 3); /* step, state, control */
  for (;;) {
    lua_pushvalue(L, top);
    lua_pushvalue(L, top + 1);
    lua_pushvalue(L, top + 2);
    lua_call(L, 2, 2);
    if (lua_isnil(L, -2)) break;
    if (lua_type(L, -2) == LUA_TSTRING) fill_entry(L, dict, lua_tostring(L, -2));
    lua_pop(L, 1);
    lua_replace(L, top + 2);
  }
  lua_settop(L, top - 1);
}

/* From a plain table, which has no order. */
static void fill_by_name(lua_State *L, int index, tocha_state_dict *dict) {
  int count = 0, k = 0;
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) count += lua_type(L, -2) == LUA_TSTRING;
  const char **names = lua_newuserdatauv(L, ((size_t)count + 1) * sizeof *names, 0);
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1))
    if (lua_type(L, -2) == LUA_TSTRING) names[k++] = lua_tostring(L, -2);
  qsort(names, (size_t)count, sizeof *names, compare_names);
  for (int i = 0; i < count; i++) {
    lua_getfield(L, index, names[i]);
    fill_entry(L, dict, names[i]);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

tocha_state_dict *check_state_dict(lua_State *L, int index) {
  tocha_state_dict *d = to_state_dict(L, index);
  index = lua_absindex(L, index);
  if (d) return d;
  if (lua_type(L, index) != LUA_TTABLE)
    raise_message(L, TOCHA_TYPE_ERROR, "Expected state_dict to be dict-like, got <class '%s'>.",
                  python_type(L, index));
  dict_box *b = push_box(L);
  b->dict = tocha_state_dict_new(CX(L));
  if (!b->dict) raise_error(L);
  if (luaL_getmetafield(L, index, "__pairs") != LUA_TNIL)
    fill_in_order(L, index, b->dict);
  else
    fill_by_name(L, index, b->dict);
  return b->dict;
}

static int dict_gc(lua_State *L) {
  dict_box *b = luaL_checkudata(L, 1, DICT_TYPE);
  tocha_state_dict *dict = b->dict;
  b->dict = NULL;
  tocha_state_dict_release(dict);
  return 0;
}

static int dict_index(lua_State *L) {
  tocha_state_dict *d = check_dict(L);
  const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : NULL;
  int i = name ? tocha_state_dict_find(d, name) : -1;
  if (i >= 0) {
    push_shared_tensor(L, tocha_state_dict_tensor(d, i));
    return 1;
  }
  lua_pushvalue(L, 2);
  lua_gettable(L, lua_upvalueindex(1));
  return 1;
}

static int dict_newindex(lua_State *L) {
  tocha_state_dict *d = check_dict(L);
  const char *name = luaL_checkstring(L, 2);
  if (lua_isnil(L, 3)) {
    tocha_state_dict_remove(d, name);
    return 0;
  }
  if (!tocha_state_dict_set(CX(L), d, name, to_tensor(L, 3), python_type(L, 3)))
    return raise_error(L);
  if (to_tensor(L, 3)) share_tensor(L, 3);
  return 0;
}

static int dict_len(lua_State *L) {
  lua_pushinteger(L, tocha_state_dict_count(check_dict(L)));
  return 1;
}

static int dict_tostring(lua_State *L) {
  return push_text(L, tocha_state_dict_to_string(CX(L), check_dict(L)));
}

static void push_name_at(lua_State *L, void *dict, int i) {
  lua_pushstring(L, tocha_state_dict_name(dict, i));
}
static void push_value_at(lua_State *L, void *dict, int i) {
  push_shared_tensor(L, tocha_state_dict_tensor(dict, i));
}

static int iterate(lua_State *L, entry_pusher *push_key, entry_pusher *push_value) {
  tocha_state_dict *d = check_dict(L);
  push_entries(L, d, tocha_state_dict_count(d), push_key, push_value);
  return 1;
}
static int dict_keys(lua_State *L) { return iterate(L, push_name_at, NULL); }
static int dict_values(lua_State *L) { return iterate(L, NULL, push_value_at); }
static int dict_items(lua_State *L) { return iterate(L, push_name_at, push_value_at); }

void open_state_dict(lua_State *L) {
  static const luaL_Reg methods[] = {
      {"keys", dict_keys}, {"values", dict_values}, {"items", dict_items}, {NULL, NULL}};
  static const luaL_Reg events[] = {{"__gc", dict_gc},       {"__newindex", dict_newindex},
                                    {"__len", dict_len},     {"__tostring", dict_tostring},
                                    {"__pairs", dict_items}, {NULL, NULL}};
  new_metatable(L, DICT_TYPE, events);
  luaL_newlib(L, methods);
  lua_pushcclosure(L, dict_index, 1);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
}
