/* state_dict.c: a module's state as a Lua object that keeps its order. Its first user value has the
 * entries that are not tensors (extra states), its second one the _metadata that a script set. */
#include <stdlib.h>
#include <string.h>

#include "nn/module.h"

static const char DICT_TYPE[] = "torch.OrderedDict";

typedef struct dict_box {
  tocha_state_dict *dict;
} dict_box;

static dict_box *push_box(lua_State *L) {
  dict_box *b = lua_newuserdatauv(L, sizeof *b, 2);
  b->dict = NULL;
  luaL_setmetatable(L, DICT_TYPE);
  return b;
}

tocha_state_dict **push_state_dict(lua_State *L) { return &push_box(L)->dict; }

void tocha_lua_push_state_dict(lua_State *L, tocha_state_dict *dict) {
  if (!dict) {
    lua_pushnil(L);
    return;
  }
  if (push_remembered(L, dict) && to_state_dict(L, -1) == dict) return;
  lua_pop(L, 1);
  *push_state_dict(L) = tocha_state_dict_retain(dict);
  remember_object(L, -1, dict);
}

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

/* --- entries --------------------------------------------------------------------------------- */

void push_state_value(lua_State *L, int dict, const char *name) {
  dict = lua_absindex(L, dict);
  if (lua_getiuservalue(L, dict, 1) == LUA_TTABLE)
    lua_getfield(L, -1, name);
  else
    lua_pushnil(L);
  lua_replace(L, -2);
}

/* Pushes entry i of the dict at `index`: its tensor, or the value in its place. [-0, +1, e] */
static void push_entry(lua_State *L, int index, int i) {
  const tocha_state_dict *dict = to_state_dict(L, index);
  if (tocha_state_dict_tensor(dict, i))
    tocha_lua_push_tensor(L, tocha_state_dict_tensor(dict, i));
  else
    push_state_value(L, index, tocha_state_dict_name(dict, i));
}

/* Sets the entry `name` in the dict at index `at` to the value on top. [-1, +0, e] */
static void set_entry(lua_State *L, int at, const char *name) {
  tocha_state_dict *dict = to_state_dict(L, at);
  int value = lua_gettop(L);
  if (!tocha_state_dict_set(CX(L), dict, name, to_tensor(L, value), python_type(L, value)))
    raise_error(L);
  if (!to_tensor(L, value)) {
    if (lua_getiuservalue(L, at, 1) != LUA_TTABLE) {
      lua_newtable(L);
      lua_pushvalue(L, -1);
      lua_setiuservalue(L, at, 1);
    }
    lua_pushvalue(L, value);
    lua_setfield(L, -2, name);
  }
  lua_settop(L, value - 1);
}

typedef void entry_setter(lua_State *L, int at, const char *name);

/* Calls set(L, at, name) for each entry of the table at `index` that has a string as its name,
 * with the value on top. Follows the table's order: its __pairs is called. [-0, +0, e] */
static void for_entries_in_order(lua_State *L, int index, int at, entry_setter *set) {
  int top = lua_gettop(L);
  luaL_getmetafield(L, index, "__pairs");
  lua_pushvalue(L, index);
  lua_call(L, 1, 3); /* step, state, control */
  for (;; lua_settop(L, top + 3)) {
    for (int i = 1; i <= 3; i++) lua_pushvalue(L, top + i);
    lua_call(L, 2, 2);
    if (lua_isnil(L, -2)) break;
    lua_pushvalue(L, -2);
    lua_replace(L, top + 3);
    if (lua_type(L, -2) == LUA_TSTRING) set(L, at, lua_tostring(L, -2));
  }
  lua_settop(L, top);
}

static void for_entries(lua_State *L, int index, int at, entry_setter *set) {
  int top = lua_gettop(L);
  if (luaL_getmetafield(L, index, "__pairs") != LUA_TNIL) {
    lua_settop(L, top);
    for_entries_in_order(L, index, at, set);
    return;
  }
  for (lua_pushnil(L); lua_next(L, index); lua_settop(L, top + 1))
    if (lua_type(L, -2) == LUA_TSTRING) set(L, at, lua_tostring(L, -2));
}

/* Fills the dict at `at` from a plain table, which has no order, in the order of the names.
 * [-0, +0, e] */
static void fill_by_name(lua_State *L, int index, int at) {
  int count = 0, k = 0;
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) count += lua_type(L, -2) == LUA_TSTRING;
  const char **names = lua_newuserdatauv(L, ((size_t)count + 1) * sizeof *names, 0);
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1))
    if (lua_type(L, -2) == LUA_TSTRING) names[k++] = lua_tostring(L, -2);
  qsort(names, (size_t)count, sizeof *names, compare_names);
  for (int i = 0; i < count; i++) {
    lua_getfield(L, index, names[i]);
    set_entry(L, at, names[i]);
  }
  lua_pop(L, 1);
}

/* --- versions: _metadata --------------------------------------------------------------------- */

static void add_module(lua_State *L, int at, const char *path) {
  int64_t version = -1;
  if (lua_istable(L, -1) && lua_getfield(L, -1, "version") == LUA_TNUMBER)
    version = lua_tointeger(L, -1);
  if (!tocha_state_dict_add_module(CX(L), to_state_dict(L, at), path, version)) raise_error(L);
}

/* Replaces the _metadata of the dict at `at` by the value on top. [-0, +0, e] */
static void take_metadata(lua_State *L, int at) {
  lua_pushvalue(L, -1);
  lua_setiuservalue(L, at, 2);
  tocha_state_dict_clear_modules(to_state_dict(L, at));
  if (lua_istable(L, -1)) for_entries(L, lua_gettop(L), at, add_module);
}

bool push_state_metadata(lua_State *L, int dict) {
  return lua_getiuservalue(L, dict, 2) == LUA_TTABLE;
}

/* Pushes the _metadata of the dict at index 1: what a script set, or else the versions as an OrderedDict:
 * path -> {version = n}. Returns the number of results. [-0, +2, e] */
static int push_metadata(lua_State *L, const tocha_state_dict *dict) {
  if (push_state_metadata(L, 1)) return 1;
  int count = tocha_state_dict_module_count(dict);
  if (!push_part(L, "serialization.types")) return 0;
  lua_getfield(L, -1, "OrderedDict");
  lua_createtable(L, count, 0);
  for (int i = 0; i < count; i++) {
    int64_t version;
    lua_createtable(L, 2, 0);
    lua_pushstring(L, tocha_state_dict_module(dict, i, &version));
    lua_rawseti(L, -2, 1);
    lua_createtable(L, 0, 1);
    if (version >= 0) {
      lua_pushinteger(L, version);
      lua_setfield(L, -2, "version");
    }
    lua_rawseti(L, -2, 2);
    lua_rawseti(L, -2, i + 1);
  }
  lua_call(L, 1, 1);
  return 1;
}

tocha_state_dict *check_state_dict(lua_State *L, int index) {
  tocha_state_dict *d = to_state_dict(L, index);
  index = lua_absindex(L, index);
  if (d) return d;
  if (lua_type(L, index) != LUA_TTABLE)
    raise_hinted(L, TOCHA_TYPE_ERROR,
                 lua_type(L, index) == LUA_TSTRING ? "torch.load(path) reads a file" : NULL,
                 "Expected state_dict to be dict-like, got <class '%s'>.", python_type(L, index));
  dict_box *b = push_box(L);
  int at = lua_gettop(L);
  b->dict = tocha_state_dict_new(CX(L));
  if (!b->dict) raise_error(L);
  if (luaL_getmetafield(L, index, "__pairs") != LUA_TNIL) {
    lua_settop(L, at);
    for_entries_in_order(L, index, at, set_entry);
    lua_getfield(L, index, "_metadata");
    take_metadata(L, at);
  } else {
    fill_by_name(L, index, at);
  }
  lua_settop(L, at);
  return b->dict;
}

int state_dict_part(lua_State *L) {
  const tocha_state_dict *from = check_state_dict(L, 1);
  const char *prefix = luaL_checkstring(L, 2);
  dict_box *b = push_box(L);
  int at = lua_gettop(L);
  b->dict = tocha_state_dict_new(CX(L));
  if (!b->dict) return raise_error(L);
  for (int i = 0; i < tocha_state_dict_count(from); i++) {
    const char *name = tocha_state_dict_name(from, i);
    if (strncmp(name, prefix, strlen(prefix)) != 0) continue;
    push_entry(L, 1, i);
    set_entry(L, at, name);
  }
  return 1;
}

/* --- the object ------------------------------------------------------------------------------ */

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
    push_entry(L, 1, i);
    return 1;
  }
  if (name && strcmp(name, "_metadata") == 0) return push_metadata(L, d);
  lua_pushvalue(L, 2);
  lua_gettable(L, lua_upvalueindex(1));
  return 1;
}

static int dict_newindex(lua_State *L) {
  tocha_state_dict *d = check_dict(L);
  const char *name = luaL_checkstring(L, 2);
  if (strcmp(name, "_metadata") == 0) {
    take_metadata(L, 1);
    return 0;
  }
  if (lua_isnil(L, 3)) {
    tocha_state_dict_remove(d, name);
    return 0;
  }
  if (to_tensor(L, 3)) share_tensor(L, 3);
  set_entry(L, 1, name);
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
  (void)dict; /* the dict is at index 1 */
  push_entry(L, 1, i);
}

static int iterate(lua_State *L, entry_pusher *push_key, entry_pusher *push_value) {
  tocha_state_dict *d = check_dict(L);
  push_entries(L, d, tocha_state_dict_count(d), push_key, push_value);
  return 1;
}
static int dict_keys(lua_State *L) { return iterate(L, push_name_at, NULL); }
static int dict_values(lua_State *L) { return iterate(L, NULL, push_value_at); }
static int dict_items(lua_State *L) { return iterate(L, push_name_at, push_value_at); }

/* (dict, name, default) Returns the value, or the default. dict_pop also removes the entry, and
 * raises if there is neither an entry nor a default. */
static int dict_get(lua_State *L) {
  tocha_state_dict *d = check_dict(L);
  int i = tocha_state_dict_find(d, luaL_checkstring(L, 2));
  if (i >= 0)
    push_entry(L, 1, i);
  else
    lua_settop(L, 3);
  return 1;
}
static int dict_pop(lua_State *L) {
  tocha_state_dict *d = check_dict(L);
  const char *name = luaL_checkstring(L, 2);
  if (tocha_state_dict_find(d, name) < 0 && lua_gettop(L) < 3)
    return raise_message(L, TOCHA_KEY_ERROR, "%s", name);
  dict_get(L);
  tocha_state_dict_remove(d, name);
  return 1;
}

/* (dict, name, default) Returns the value. If there is none, sets it to the default first. */
static int dict_setdefault(lua_State *L) {
  const char *name = luaL_checkstring(L, 2);
  lua_settop(L, 3);
  if (tocha_state_dict_find(check_dict(L), name) < 0) dict_newindex(L);
  lua_settop(L, 3);
  return dict_get(L);
}

/* (dict, last) Removes the last entry, or the first if `last` is false. Returns its name and
 * value. */
static int dict_popitem(lua_State *L) {
  tocha_state_dict *d = check_dict(L);
  int count = tocha_state_dict_count(d);
  bool first = lua_isboolean(L, 2) && !lua_toboolean(L, 2);
  if (!count) return raise_message(L, TOCHA_KEY_ERROR, "'dictionary is empty'");
  lua_settop(L, 1);
  lua_pushstring(L, tocha_state_dict_name(d, first ? 0 : count - 1));
  push_entry(L, 1, first ? 0 : count - 1);
  tocha_state_dict_remove(d, lua_tostring(L, 2));
  return 2;
}

static void move_to_end(lua_State *L, tocha_state_dict *d, int i) {
  lua_pushstring(L, tocha_state_dict_name(d, i));
  const char *name = lua_tostring(L, -1);
  push_entry(L, 1, i);
  tocha_state_dict_remove(d, name);
  set_entry(L, 1, name);
  lua_pop(L, 1);
}

/* (dict, name, last) Moves an entry behind the others, or before them if `last` is false. */
static int dict_move_to_end(lua_State *L) {
  tocha_state_dict *d = check_dict(L);
  int i = tocha_state_dict_find(d, luaL_checkstring(L, 2)), count = tocha_state_dict_count(d);
  if (i < 0) return raise_message(L, TOCHA_KEY_ERROR, "'%s'", lua_tostring(L, 2));
  move_to_end(L, d, i);
  for (int k = 1; k < count && lua_isboolean(L, 3) && !lua_toboolean(L, 3); k++)
    move_to_end(L, d, 0);
  return 0;
}

static int dict_clear(lua_State *L) {
  tocha_state_dict *d = check_dict(L);
  for (int i = tocha_state_dict_count(d) - 1; i >= 0; i--) {
    lua_pushstring(L, tocha_state_dict_name(d, i));
    tocha_state_dict_remove(d, lua_tostring(L, -1));
    lua_pop(L, 1);
  }
  return 0;
}

/* (dict, names, value) Returns a new dict that has the value under each name. */
static int dict_fromkeys(lua_State *L) {
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_settop(L, 3);
  dict_box *b = push_box(L);
  b->dict = tocha_state_dict_new(CX(L));
  if (!b->dict) return raise_error(L);
  for (lua_Integer i = 1, n = luaL_len(L, 2); i <= n; i++) {
    lua_geti(L, 2, i);
    lua_pushvalue(L, 3);
    if (to_tensor(L, -1)) share_tensor(L, -1);
    set_entry(L, 4, luaL_checkstring(L, 5));
    lua_settop(L, 4);
  }
  return 1;
}

/* (dict, other) Copies the entries of a state dict or a table into the dict. */
static int dict_update(lua_State *L) {
  check_dict(L);
  lua_settop(L, 2);
  const tocha_state_dict *other = check_state_dict(L, 2);
  int from = lua_gettop(L); /* the dict made of the table, or the state dict itself */
  for (int i = 0; i < tocha_state_dict_count(other); i++) {
    push_entry(L, from, i);
    set_entry(L, 1, tocha_state_dict_name(other, i));
  }
  return 0;
}

static int dict_copy(lua_State *L) {
  lua_settop(L, 1);
  lua_pushliteral(L, "");
  state_dict_part(L);
  if (push_metadata(L, check_dict(L))) take_metadata(L, 3);
  lua_settop(L, 3);
  return 1;
}

void open_state_dict(lua_State *L) {
  static const luaL_Reg methods[] = {{"keys", dict_keys},
                                     {"values", dict_values},
                                     {"items", dict_items},
                                     {"get", dict_get},
                                     {"pop", dict_pop},
                                     {"update", dict_update},
                                     {"copy", dict_copy},
                                     {"setdefault", dict_setdefault},
                                     {"popitem", dict_popitem},
                                     {"move_to_end", dict_move_to_end},
                                     {"clear", dict_clear},
                                     {"fromkeys", dict_fromkeys},
                                     {NULL, NULL}};
  static const luaL_Reg events[] = {{"__gc", dict_gc},       {"__newindex", dict_newindex},
                                    {"__len", dict_len},     {"__tostring", dict_tostring},
                                    {"__pairs", dict_items}, {NULL, NULL}};
  new_metatable(L, DICT_TYPE, events);
  luaL_newlib(L, methods);
  lua_pushcclosure(L, dict_index, 1);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
}
