/* containers.c: Sequential, ModuleList, ModuleDict, ParameterList and ParameterDict in Lua. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments/arguments.h"
#include "nn/module.h"

/* --- members --------------------------------------------------------------------------------- */

static int kind_of(const tocha_module *m) { return tocha_module_class_of(m)->container; }

static bool holds_tensors(const tocha_module *m) {
  int kind = kind_of(m);
  return kind == TOCHA_CONTAINER_PARAMETER_LIST || kind == TOCHA_CONTAINER_PARAMETER_DICT;
}

static bool is_dict(const tocha_module *m) {
  int kind = kind_of(m);
  return kind == TOCHA_CONTAINER_DICT || kind == TOCHA_CONTAINER_PARAMETER_DICT;
}

static tocha_member_kind members_of(const tocha_module *m) {
  return holds_tensors(m) ? TOCHA_MEMBER_PARAMETER : TOCHA_MEMBER_MODULE;
}

int container_length(const tocha_module *m) { return tocha_module_member_count(m, members_of(m)); }

static const char *name_at(const tocha_module *m, int i) {
  return tocha_module_member_name(m, members_of(m), i);
}

/* Returns the position of the member with that name, or -1 if there is none. */
static int find_member(const tocha_module *m, const char *name) {
  for (int i = 0; i < container_length(m); i++)
    if (strcmp(name_at(m, i), name) == 0) return i;
  return -1;
}

static void push_member_at(lua_State *L, const tocha_module *m, int i) {
  if (holds_tensors(m))
    tocha_lua_push_tensor(L, tocha_module_tensor(m, TOCHA_MEMBER_PARAMETER, i));
  else
    push_module(L, tocha_module_child(m, i));
}

/* Registers the value at `value` under a name. In a container of parameters a tensor becomes a
 * parameter. [-0, +0, e] */
static void put(lua_State *L, int container, const char *name, int value) {
  tocha_module *m = to_module(L, container);
  tocha_context *cx = CX(L);
  container = lua_absindex(L, container);
  value = lua_absindex(L, value);
  if (!holds_tensors(m)) {
    tocha_module *child = lua_isnil(L, value) ? NULL : check_module(L, value);
    if (!tocha_register_module(cx, m, name, child)) raise_error(L);
    set_part(L, container, name, value);
    return;
  }
  tocha_tensor *t = to_tensor(L, value);
  if (!t)
    raise_message(L, TOCHA_TYPE_ERROR,
                  "cannot assign '%s' as parameter '%s' (torch.nn.Parameter or None expected)",
                  torch_typename(L, value), name);
  int top = lua_gettop(L);
  lua_pushvalue(L, value);
  if (!tocha_is_parameter(t)) {
    tocha_scope scope = tocha_scope_begin(cx);
    t = tocha_parameter_new(cx, t, true);
    if (t) push_tensor(L, t);
    tocha_scope_end(cx, scope, NULL);
    if (!t) raise_error(L);
  }
  share_tensor(L, -1);
  if (!tocha_register_parameter(cx, m, name, t)) raise_error(L);
  set_part(L, container, name, lua_gettop(L));
  lua_settop(L, top);
}

static void put_numbered(lua_State *L, int container, int value) {
  char name[16];
  snprintf(name, sizeof name, "%d", container_length(to_module(L, container)));
  put(L, container, name, value);
}

/* Appends all values of the table, container or iterator at `index`. [-0, +0, e] */
static void put_all(lua_State *L, int container, int index, const char *function) {
  tocha_module *other = to_module(L, index);
  if (other && kind_of(other) != TOCHA_CONTAINER_NONE) {
    int count = container_length(other); /* the length grows if a container is appended to itself */
    for (int i = 0; i < count && i < container_length(other); i++) {
      push_member_at(L, other, i);
      put_numbered(L, container, -1);
      lua_pop(L, 1);
    }
  } else if (lua_type(L, index) == LUA_TTABLE) {
    lua_Integer n = luaL_len(L, index);
    for (lua_Integer i = 1; i <= n; i++) {
      lua_geti(L, index, i);
      put_numbered(L, container, -1);
      lua_pop(L, 1);
    }
  } else if (lua_type(L, index) == LUA_TFUNCTION) {
    while (true) {
      lua_pushvalue(L, index);
      lua_call(L, 0, 1);
      if (lua_isnil(L, -1)) break;
      put_numbered(L, container, -1);
      lua_pop(L, 1);
    }
    lua_pop(L, 1);
  } else {
    raise_message(L, TOCHA_TYPE_ERROR, "%s should be called with an iterable, but got %s", function,
                  python_type(L, index));
  }
}

static int compare_names(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void warn_of_order(lua_State *L, int container, const char *const *names) {
  const char *class = tocha_module_name(to_module(L, container));
  show_warning(L, "UserWarning",
               lua_pushfstring(
                   L,
                   "%s: the names in a Lua table have no order, so their members stand in "
                   "alphabetical order; write a list of pairs: nn.%s{{\"%s\", ...}, {\"%s\", ...}}",
                   class, class, names[0], names[1]));
  lua_pop(L, 1);
}

/* Raises if the value on top, element `i` (from 0) of the argument of a dictionary, is not a
 * pair {name, value}. [-0, +0, e] */
static void check_pair(lua_State *L, const char *class, lua_Integer i) {
  static const char hint[] = "a list of pairs keeps its order, {{\"name\", value}, ...}; or "
                             "names alone: {name = value}";
  int pair = lua_gettop(L), count = 0;
  if (lua_type(L, pair) != LUA_TTABLE)
    raise_hinted(L, TOCHA_TYPE_ERROR, hint,
                 "%s update sequence element #%d should be Iterable; is%s", class, (int)i,
                 torch_typename(L, pair)); /* sic: no space */
  for (lua_pushnil(L); lua_next(L, pair); lua_pop(L, 1)) count++;
  if (count != 2 || table_length(L, pair) != 2)
    raise_hinted(L, TOCHA_VALUE_ERROR, hint,
                 "%s update sequence element #%d has length %d; 2 is required", class, (int)i,
                 count);
  lua_geti(L, pair, 1);
  if (!lua_isstring(L, -1))
    raise_hinted(L, TOCHA_TYPE_ERROR, hint, "module name should be a string. Got %s",
                 python_type(L, -1));
  lua_pop(L, 1);
}

/* Adds the members of a dictionary, of a table of {name, value} pairs in order, or of a table
 * with string keys, which has no order, by name. [-0, +0, e] */
static void put_named(lua_State *L, int container, int index) {
  index = lua_absindex(L, index);
  tocha_module *other = to_module(L, index);
  if (other && is_dict(other)) {
    for (int i = 0; i < container_length(other); i++) {
      push_member_at(L, other, i);
      put(L, container, name_at(other, i), -1);
      lua_pop(L, 1);
    }
    return;
  }
  if (lua_type(L, index) != LUA_TTABLE)
    raise_message(L, TOCHA_TYPE_ERROR,
                  "%s.update should be called with an iterable of key/value pairs, but got %s",
                  tocha_module_name(to_module(L, container)), python_type(L, index));
  lua_Integer pairs = luaL_len(L, index);
  for (lua_Integer i = 1; i <= pairs; i++) {
    lua_geti(L, index, i);
    check_pair(L, tocha_module_name(to_module(L, container)), i - 1);
    lua_geti(L, -1, 1);
    lua_geti(L, -2, 2);
    put(L, container, luaL_checkstring(L, -2), -1);
    lua_pop(L, 3);
  }
  int count = 0, k = 0;
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) count += lua_type(L, -2) == LUA_TSTRING;
  const char **names = lua_newuserdatauv(L, ((size_t)count + 1) * sizeof *names, 0);
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1))
    if (lua_type(L, -2) == LUA_TSTRING) names[k++] = lua_tostring(L, -2);
  qsort(names, (size_t)count, sizeof *names, compare_names);
  if (count > 1) warn_of_order(L, container, names);
  for (int i = 0; i < count; i++) {
    lua_getfield(L, index, names[i]);
    put(L, container, names[i], -1);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

/* Raises if a table has names. They have no order in Lua, which a Sequential needs. */
static void refuse_unordered(lua_State *L, int index) {
  lua_pushnil(L);
  while (lua_next(L, index) && lua_type(L, -2) == LUA_TNUMBER) lua_pop(L, 1);
  if (lua_gettop(L) == index + 1) return; /* the value of [1] alone is on the stack */
  const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "name";
  raise_hinted(L, TOCHA_TYPE_ERROR,
               lua_pushfstring(L,
                               "a Lua table with names has no order; write a list of pairs: "
                               "nn.Sequential{{\"%s\", module}, {\"next\", module}}",
                               name),
               "Sequential.__init__() got an unexpected keyword argument '%s'", name);
}

/* (module, arguments...) Adds the members that the constructor of a container was given. Always
 * returns true. */
bool init_container(lua_State *L, tocha_module *m) {
  int n = lua_gettop(L) - 1;
  if (kind_of(m) == TOCHA_CONTAINER_SEQUENTIAL) {
    if (n == 1 && lua_type(L, 2) == LUA_TTABLE) { /* names with modules, or a list of modules */
      bool named = lua_geti(L, 2, 1) == LUA_TTABLE || lua_isnil(L, -1);
      refuse_unordered(L, 2);
      lua_pop(L, 1);
      if (named)
        put_named(L, 1, 2);
      else
        put_all(L, 1, 2, "Sequential");
      return true;
    }
    call c = split_call(L, 2, 0);
    const signature s = {.function = "Sequential.__init__"};
    const char *keyword = c.kw ? unknown_keyword(L, &s, c.kw) : NULL;
    if (keyword)
      raise_message(L, TOCHA_TYPE_ERROR, "%s() got an unexpected keyword argument '%s'", s.function,
                    keyword);
    for (int i = 0; i < c.n; i++) put_numbered(L, 1, i + 2);
    return true;
  }
  if (n == 0 || lua_isnil(L, 2)) return true;
  if (is_dict(m))
    put_named(L, 1, 2);
  else
    put_all(L, 1, 2, tocha_module_name(m));
  return true;
}

/* --- subscripts ------------------------------------------------------------------------------ */

/* Returns the position that the number at `index` stands for. Raises an IndexError if it is out
 * of range. */
static int position(lua_State *L, const tocha_module *m, int index) {
  int is_integer, n = container_length(m);
  lua_Integer i = lua_tointegerx(L, index, &is_integer);
  if (!is_integer)
    raise_message(L, TOCHA_TYPE_ERROR, "'float' object cannot be interpreted as an integer");
  if (i < -n || i >= n)
    raise_hinted(L, TOCHA_INDEX_ERROR, counting_hint(L), "index %lld is out of range",
                 (long long)i);
  return (int)(i < 0 ? i + n : i);
}

int index_container(lua_State *L, tocha_module *m) {
  if (kind_of(m) == TOCHA_CONTAINER_NONE || is_dict(m)) return 0;
  push_member_at(L, m, position(L, m, 2));
  return 1;
}

static void take(lua_State *L, tocha_module *m, int at) {
  if (holds_tensors(m))
    tocha_module_remove(m, name_at(m, at));
  else
    tocha_module_take(m, at);
  (void)L;
}

int newindex_container(lua_State *L, tocha_module *m) {
  if (kind_of(m) == TOCHA_CONTAINER_NONE || is_dict(m))
    return raise_message(L, TOCHA_TYPE_ERROR, "'%s' object does not support item assignment",
                         tocha_module_name(m));
  int at = position(L, m, 2);
  if (lua_isnil(L, 3)) {
    take(L, m, at);
    return 0;
  }
  const char *name = lua_pushstring(L, name_at(m, at));
  put(L, 1, name, 3);
  return 0;
}

static bool read_bound(const char **text, lua_Integer *value) {
  char *end;
  *value = strtoll(*text, &end, 10);
  bool given = end != *text;
  while (*end == ' ') end++;
  if (*end == ':') end++;
  *text = end;
  return given;
}

/* Reads a slice, and returns its bounds as Python's slice(a, b, c).indices(n) does. Returns
 * false if the text is not a slice. */
static bool read_slice(const char *text, lua_Integer n, lua_Integer *start, lua_Integer *stop,
                       lua_Integer *step) {
  bool has_start = read_bound(&text, start), has_stop = read_bound(&text, stop);
  if (!read_bound(&text, step)) *step = 1;
  if (*text || *step == 0) return false;
  if (*step > n) *step = n + 1; /* a longer step also leaves the range */
  if (*step < -n) *step = -n - 1;
  lua_Integer lowest = *step < 0 ? -1 : 0, highest = *step < 0 ? n - 1 : n;
  if (!has_start)
    *start = *step < 0 ? highest : lowest;
  else if (*start < 0)
    *start += n;
  if (!has_stop)
    *stop = *step < 0 ? lowest : highest;
  else if (*stop < 0)
    *stop += n;
  if (*start < lowest) *start = lowest;
  if (*start > highest) *start = highest;
  if (*stop < lowest) *stop = lowest;
  if (*stop > highest) *stop = highest;
  return true;
}

bool push_slice(lua_State *L, tocha_module *m, const char *text) {
  lua_Integer start, stop, step;
  if (kind_of(m) == TOCHA_CONTAINER_NONE || is_dict(m) ||
      !read_slice(text, container_length(m), &start, &stop, &step))
    return false;
  lua_getiuservalue(L, 1, MODULE_CLASS);
  lua_call(L, 0, 1);
  int out = lua_gettop(L);
  for (lua_Integer i = start; step > 0 ? i < stop : i > stop; i += step) {
    push_member_at(L, m, (int)i);
    if (kind_of(m) == TOCHA_CONTAINER_SEQUENTIAL)
      put(L, out, name_at(m, i), -1); /* a slice keeps the names */
    else
      put_numbered(L, out, -1);
    lua_pop(L, 1);
  }
  lua_settop(L, out);
  return true;
}

/* (container, key) Returns the next key and member, for pairs: numbers from 0, or names. */
int next_member(lua_State *L) {
  tocha_module *m = check_module(L, 1);
  int at = 0, count = container_length(m);
  if (is_dict(m) && !lua_isnil(L, 2)) {
    int last = find_member(m, luaL_checkstring(L, 2));
    at = last < 0 ? count : last + 1;
  } else if (!lua_isnil(L, 2)) {
    lua_Integer last = luaL_checkinteger(L, 2);
    at = last >= -1 && last < count ? (int)last + 1 : count;
  }
  if (at >= count) return 0;
  if (is_dict(m))
    lua_pushstring(L, name_at(m, at));
  else
    lua_pushinteger(L, at);
  push_member_at(L, m, at);
  return 2;
}

/* --- methods of lists ------------------------------------------------------------------------ */

static int append(lua_State *L) {
  check_module(L, 1);
  put_numbered(L, 1, 2);
  lua_settop(L, 1);
  return 1;
}

/* Appends others to a container: container:extend(others), or makes a class: Class:extend
 * "Name". Upvalue: the latter function. */
static int extend(lua_State *L) {
  tocha_module *m = to_module(L, 1);
  if (!m) {
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, 1);
    return 1;
  }
  char function[64];
  snprintf(function, sizeof function, "%s.extend", tocha_module_class_of(m)->name);
  put_all(L, 1, 2, function);
  lua_settop(L, 1);
  return 1;
}

static int insert(lua_State *L) {
  tocha_module *m = check_module(L, 1), *child = check_module(L, 3);
  if (holds_tensors(m))
    return raise_message(L, TOCHA_NOT_IMPLEMENTED_ERROR, "'%s' object has no attribute 'insert'",
                         tocha_module_name(m));
  lua_Integer n = container_length(m), at = luaL_checkinteger(L, 2);
  if (at < -n || at > n)
    return raise_message(L, TOCHA_INDEX_ERROR, "Index out of range: %lld", (long long)at);
  if (at < 0) at += n;
  if (!tocha_module_insert(CX(L), m, (int)at, child)) return raise_error(L);
  lua_settop(L, 1);
  return 1;
}

/* Returns the members in a table that counts from 1. */
static int tolist(lua_State *L) {
  tocha_module *m = check_module(L, 1);
  int count = container_length(m);
  lua_createtable(L, count, 0);
  for (int i = 0; i < count; i++) {
    push_member_at(L, m, i);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

/* Returns the members as separate values, for Lua's functions. */
static int unpack(lua_State *L) {
  tocha_module *m = check_module(L, 1);
  int count = container_length(m);
  luaL_checkstack(L, count, "too many results to unpack");
  for (int i = 0; i < count; i++) push_member_at(L, m, i);
  return count;
}

static int pop(lua_State *L) {
  tocha_module *m = check_module(L, 1);
  int at;
  if (is_dict(m)) {
    at = find_member(m, luaL_checkstring(L, 2));
    if (at < 0) return raise_message(L, TOCHA_KEY_ERROR, "'%s'", lua_tostring(L, 2));
    push_member_at(L, m, at);
    const char *name = lua_tostring(L, 2);
    tocha_module_remove(m, name);
    set_part(L, 1, name, 0);
    return 1;
  }
  if (lua_gettop(L) < 2) lua_pushinteger(L, -1);
  at = position(L, m, 2);
  push_member_at(L, m, at);
  take(L, m, at);
  return 1;
}

/* --- methods of dictionaries ----------------------------------------------------------------- */

static void push_name_at(lua_State *L, void *module, int i) {
  lua_pushstring(L, name_at(module, i));
}
static void push_value_at(lua_State *L, void *module, int i) { push_member_at(L, module, i); }

static int iterate(lua_State *L, entry_pusher *push_key, entry_pusher *push_value) {
  tocha_module *m = check_module(L, 1);
  push_entries(L, m, container_length(m), push_key, push_value);
  return 1;
}
static int keys(lua_State *L) { return iterate(L, push_name_at, NULL); }
static int values(lua_State *L) { return iterate(L, NULL, push_value_at); }
static int items(lua_State *L) { return iterate(L, push_name_at, push_value_at); }

static int update(lua_State *L) {
  check_module(L, 1);
  put_named(L, 1, 2);
  return 0;
}

static int clear(lua_State *L) {
  tocha_module *m = check_module(L, 1);
  while (container_length(m)) {
    const char *name = lua_pushstring(L, name_at(m, 0));
    tocha_module_remove(m, name);
    set_part(L, 1, name, 0);
    lua_pop(L, 1);
  }
  return 0;
}

/* --- methods of ParameterDict ---------------------------------------------------------------- */

/* (dict, name, default) Returns the member with that name, or the default. */
static int get(lua_State *L) {
  const tocha_module *m = check_module(L, 1);
  int at = find_member(m, luaL_checkstring(L, 2));
  lua_settop(L, 3);
  if (at >= 0) push_member_at(L, m, at);
  return 1;
}

/* (dict, name, default) Returns the member with that name. If there is none, sets it to the
 * default first. */
static int setdefault(lua_State *L) {
  const char *name = luaL_checkstring(L, 2);
  lua_settop(L, 3);
  if (find_member(check_module(L, 1), name) < 0) put(L, 1, name, 3);
  return get(L);
}

/* (dict) Removes the last member, and returns its name and value. */
static int popitem(lua_State *L) {
  const tocha_module *m = check_module(L, 1);
  int count = container_length(m);
  if (!count) return raise_message(L, TOCHA_KEY_ERROR, "'popitem(): dictionary is empty'");
  lua_settop(L, 1);
  lua_pushstring(L, name_at(m, count - 1));
  lua_pushvalue(L, 2);
  pop(L);
  return 2;
}

/* Pushes a new, empty ParameterDict and returns its index. Upvalue 1: the class. [-0, +1, e] */
static int push_empty(lua_State *L) {
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_call(L, 0, 1);
  return lua_gettop(L);
}

/* (dict) Returns a new dict with the same members. */
static int copy(lua_State *L) {
  check_module(L, 1);
  put_named(L, push_empty(L), 1);
  return 1;
}

/* (dict, names, value) Returns a new dict that has the value under each name. */
static int fromkeys(lua_State *L) {
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_settop(L, 3);
  int out = push_empty(L);
  for (lua_Integer i = 1, n = luaL_len(L, 2); i <= n; i++) {
    lua_geti(L, 2, i);
    put(L, out, luaL_checkstring(L, -1), 3);
    lua_pop(L, 1);
  }
  return 1;
}

void open_containers(lua_State *L, int nn) {
  static const luaL_Reg list[] = {{"append", append}, {"insert", insert}, {"pop", pop},
                                  {"tolist", tolist}, {"unpack", unpack}, {NULL, NULL}};
  static const luaL_Reg dict[] = {{"keys", keys},     {"values", values}, {"items", items},
                                  {"update", update}, {"clear", clear},   {"pop", pop},
                                  {NULL, NULL}};
  static const luaL_Reg parameter_dict[] = {{"get", get},           {"setdefault", setdefault},
                                            {"copy", copy},         {"popitem", popitem},
                                            {"fromkeys", fromkeys}, {NULL, NULL}};
  static const char *const lists[] = {"Sequential", "ModuleList", "ParameterList"};
  static const char *const dicts[] = {"ModuleDict", "ParameterDict"};
  for (int i = 0; i < TOCHA_COUNT(lists); i++) {
    lua_getfield(L, nn, lists[i]);
    luaL_setfuncs(L, list, 0);
    lua_getfield(L, nn, "Module");
    lua_getfield(L, -1, "extend");
    lua_remove(L, -2);
    lua_pushcclosure(L, extend, 1);
    lua_setfield(L, -2, "extend");
    lua_pop(L, 1);
  }
  for (int i = 0; i < TOCHA_COUNT(dicts); i++) {
    lua_getfield(L, nn, dicts[i]);
    luaL_setfuncs(L, dict, 0);
    lua_pop(L, 1);
  }
  lua_getfield(L, nn, "ParameterDict");
  lua_pushvalue(L, -1);
  luaL_setfuncs(L, parameter_dict, 1);
  lua_pop(L, 1);
}
