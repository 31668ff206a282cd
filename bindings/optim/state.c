/* state.c: the state of an optimizer in Lua: optimizer.state, state_dict, load_state_dict. */
#include <string.h>

#include "function_table.h"
#include "nn/module.h"
#include "optim/optim.h"
#include "serialization/values.h"

/* Pushes the states of one parameter as a table. Returns false and pushes nothing if there are
 * none. [-0, +(0|1), e] */
static bool push_states(lua_State *L, const tocha_optimizer *o, int group, int i) {
  const char *const *names = tocha_optimizer_state_names(tocha_optimizer_class_of(o));
  bool any = false;
  for (int k = 0; names[k] && !any; k++) any = tocha_optimizer_state(o, group, i, k) != NULL;
  if (!any) return false;
  lua_newtable(L);
  for (int k = 0; names[k]; k++) {
    tocha_lua_push_tensor(L, tocha_optimizer_state(o, group, i, k));
    lua_setfield(L, -2, names[k]);
  }
  return true;
}

/* Returns optimizer.state[parameter]. Upvalue: the optimizer. */
static int state_index(lua_State *L) {
  tocha_optimizer *o = check_optimizer(L, lua_upvalueindex(1));
  const tocha_tensor *wanted = to_tensor(L, 2);
  for (int g = 0; g < tocha_optimizer_group_count(o); g++)
    for (int i = 0; i < tocha_optimizer_parameter_count(o, g); i++)
      if (tocha_optimizer_parameter(o, g, i) == wanted && push_states(L, o, g, i)) return 1;
  lua_newtable(L);
  return 1;
}

static int table_size(lua_State *L) {
  lua_Integer n = 0;
  lua_settop(L, 1);
  for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1)) n++;
  lua_pushinteger(L, n);
  return 1;
}

void push_state(lua_State *L) {
  lua_newtable(L);
  lua_createtable(L, 0, 1);
  lua_pushvalue(L, 1);
  lua_pushcclosure(L, state_index, 1);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
}

/* Returns {state = {[number of parameter] = {...}}, param_groups = {{lr = ..., params =
 * {numbers}}}}. */
int torch_optimizer_state_dict(lua_State *L, const tocha_arg *args) {
  (void)args;
  tocha_optimizer *o = check_optimizer(L, 1);
  lua_settop(L, 1);
  lua_createtable(L, 0, 2);
  lua_newtable(L); /* state, at index 3 */
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, table_size);
  lua_setfield(L, -2, "__len");
  lua_setmetatable(L, -2);
  lua_newtable(L); /* param_groups, at index 4 */
  lua_getiuservalue(L, 1, OPTIMIZER_GROUPS);
  int number = 0;
  for (int g = 0; g < tocha_optimizer_group_count(o); g++) {
    push_options(L, o, g);
    lua_rawgeti(L, 5, g + 1);
    lua_insert(L, -2);
    copy_fields(L, o, g);
    copy_extra(L, lua_gettop(L) - 1);
    lua_remove(L, -2);
    int n = tocha_optimizer_parameter_count(o, g);
    lua_createtable(L, n, 0);
    for (int i = 0; i < n; i++, number++) {
      lua_pushinteger(L, number);
      lua_rawseti(L, -2, i + 1);
      if (push_states(L, o, g, i)) lua_rawseti(L, 3, number);
    }
    lua_setfield(L, -2, "params");
    lua_rawseti(L, 4, g + 1);
  }
  lua_settop(L, 4);
  lua_setfield(L, 2, "param_groups");
  lua_setfield(L, 2, "state");
  return 1;
}

/* --- loading --------------------------------------------------------------------------------------- */

static bool set(tocha_checkpoint *c, tocha_value *dict, const char *name, const tocha_value *item) {
  return tocha_value_set(c, dict, tocha_new_string(c, name, strlen(name)), item);
}

/* Returns the value at the top: a number, a tensor or a text; an object of any other type. NULL if it fails. */
static tocha_value *new_single(lua_State *L, tocha_checkpoint *c) {
  tocha_scalar number;
  size_t length;
  tocha_tensor *t = to_tensor(L, -1);
  if (t) return tocha_new_tensor(c, t);
  switch (lua_type(L, -1)) {
  case LUA_TBOOLEAN:
    return tocha_new_bool(c, lua_toboolean(L, -1));
  case LUA_TNUMBER:
    to_scalar(L, -1, &number);
    return number.kind == TOCHA_SCALAR_INT ? tocha_new_int(c, number.value.integer)
                                           : tocha_new_float(c, number.value.real);
  case LUA_TSTRING: {
    const char *text = lua_tolstring(L, -1, &length);
    return tocha_new_string(c, text, length);
  }
  default:
    return tocha_new_collection(c, TOCHA_VALUE_OBJECT);
  }
}

/* Returns the value at the top, which may be a list. */
static tocha_value *new_value(lua_State *L, tocha_checkpoint *c) {
  if (lua_type(L, -1) != LUA_TTABLE) return new_single(L, c);
  tocha_value *list = tocha_new_collection(c, TOCHA_VALUE_LIST);
  bool ok = list != NULL;
  for (lua_Integer i = 1; ok && lua_rawgeti(L, -1, i) != LUA_TNIL; i++) {
    ok = tocha_value_append(c, list, new_single(L, c));
    lua_pop(L, 1);
  }
  if (!ok) return NULL;
  lua_pop(L, 1);
  return list;
}

/* Returns the group at the top: its options, its numbers and the numbers of its parameters. */
static tocha_value *new_group(lua_State *L, const tocha_optimizer *o, tocha_checkpoint *c) {
  if (lua_type(L, -1) != LUA_TTABLE) return new_value(L, c);
  tocha_value *group = tocha_new_collection(c, TOCHA_VALUE_DICT);
  int top = lua_gettop(L);
  bool ok = group != NULL;
  for (lua_pushnil(L); ok && lua_next(L, top); lua_settop(L, top + 1)) {
    bool is_number = lua_type(L, -1) == LUA_TNUMBER || lua_isboolean(L, -1);
    if (lua_type(L, -2) == LUA_TSTRING && (is_number || !is_extra(L, o, -2)))
      ok = set(c, group, lua_tostring(L, -2), new_value(L, c));
  }
  lua_settop(L, top);
  return ok ? group : NULL;
}

static bool is_state(const tocha_optimizer *o, const char *name) {
  const char *const *names = tocha_optimizer_state_names(tocha_optimizer_class_of(o));
  int k = 0;
  while (names[k] && strcmp(names[k], name) != 0) k++;
  return names[k] != NULL;
}

/* Returns the states of one parameter, in the table at the top. Those of another kind of optimizer are None, which
 * still shows that there are some. */
static tocha_value *new_states(lua_State *L, const tocha_optimizer *o, tocha_checkpoint *c) {
  if (lua_type(L, -1) != LUA_TTABLE) return new_value(L, c);
  tocha_value *states = tocha_new_collection(c, TOCHA_VALUE_DICT);
  int top = lua_gettop(L);
  bool ok = states != NULL;
  for (lua_pushnil(L); ok && lua_next(L, top); lua_settop(L, top + 1)) {
    if (lua_type(L, -2) != LUA_TSTRING) continue;
    const char *name = lua_tostring(L, -2);
    ok = set(c, states, name, is_state(o, name) ? new_value(L, c) : tocha_new_none(c));
  }
  lua_settop(L, top);
  return ok ? states : NULL;
}

/* Returns the list of groups, or the dict of states by the numbers of parameters, at the top. */
static tocha_value *new_groups(lua_State *L, const tocha_optimizer *o, tocha_checkpoint *c) {
  if (lua_type(L, -1) != LUA_TTABLE) return new_value(L, c);
  tocha_value *groups = tocha_new_collection(c, TOCHA_VALUE_LIST);
  for (lua_Integer i = 1, n = luaL_len(L, -1); groups && i <= n; i++) {
    lua_rawgeti(L, -1, i);
    bool ok = tocha_value_append(c, groups, new_group(L, o, c));
    lua_pop(L, 1);
    if (!ok) return NULL;
  }
  return groups;
}

static tocha_value *new_state(lua_State *L, const tocha_optimizer *o, tocha_checkpoint *c) {
  if (lua_type(L, -1) != LUA_TTABLE) return new_value(L, c);
  tocha_value *state = tocha_new_collection(c, TOCHA_VALUE_DICT);
  int top = lua_gettop(L);
  bool ok = state != NULL;
  for (lua_pushnil(L); ok && lua_next(L, top); lua_settop(L, top + 1))
    if (lua_isinteger(L, -2))
      ok = tocha_value_set(c, state, tocha_new_int(c, lua_tointeger(L, -2)), new_states(L, o, c));
  lua_settop(L, top);
  return ok ? state : NULL;
}

/* Returns the state dict at index 2 as a value. A module's has neither groups nor states. */
static tocha_value *new_state_dict(lua_State *L, const tocha_optimizer *o, tocha_checkpoint *c) {
  tocha_value *dict = tocha_new_collection(c, TOCHA_VALUE_DICT);
  if (!dict || to_state_dict(L, 2)) return dict;
  int top = lua_gettop(L);
  bool ok = lua_getfield(L, 2, "param_groups") == LUA_TNIL ||
            set(c, dict, "param_groups", new_groups(L, o, c));
  lua_settop(L, top);
  ok = ok && (lua_getfield(L, 2, "state") == LUA_TNIL || set(c, dict, "state", new_state(L, o, c)));
  lua_settop(L, top);
  return ok ? dict : NULL;
}

/* Replaces a table or a tensor at the top by a copy. [-0, +0, e] */
static void copy_value(lua_State *L) {
  if (lua_type(L, -1) != LUA_TTABLE && !to_tensor(L, -1)) return;
  lua_getfield(L, LUA_REGISTRYINDEX, "tocha.torch");
  lua_getfield(L, -1, "deepcopy");
  lua_replace(L, -2);
  lua_insert(L, -2);
  lua_call(L, 1, 1);
}

/* Sets the fields of the groups beside their options from the state dict at index 2. */
static void load_extras(lua_State *L, tocha_optimizer *o) {
  lua_settop(L, 2);
  lua_getiuservalue(L, 1, OPTIMIZER_GROUPS);
  lua_getfield(L, 2, "param_groups");
  for (int g = 0; g < tocha_optimizer_group_count(o); g++) {
    lua_rawgeti(L, 3, g + 1); /* the group, at index 5 */
    lua_rawgeti(L, 4, g + 1); /* the saved group, at index 6 */
    for (lua_pushnil(L); lua_next(L, 6);) {
      if (is_extra(L, o, lua_gettop(L) - 1)) {
        copy_value(L);
        set_extra(L, o, g, 5, lua_tostring(L, -2));
      } else {
        lua_pop(L, 1);
      }
    }
    lua_settop(L, 4);
  }
}

/* (optimizer, {state = ..., param_groups = ...}) Loads a state dict. */
int torch_optimizer_load_state_dict(lua_State *L, const tocha_arg *args) {
  (void)args;
  tocha_optimizer *o = check_optimizer(L, 1);
  lua_settop(L, 2);
  if (lua_type(L, 2) != LUA_TTABLE && !to_state_dict(L, 2))
    raise_hinted(L, TOCHA_ATTRIBUTE_ERROR,
                 lua_type(L, 2) == LUA_TSTRING
                     ? "torch.load(path) reads a file"
                     : "an optimizer's state_dict() has state and param_groups",
                 "'%s' object has no attribute 'copy'", python_type(L, 2));
  tocha_checkpoint **box = push_checkpoint(L);
  *box = tocha_checkpoint_new(CX(L));
  if (!*box || !tocha_optimizer_load_state_dict(CX(L), o, new_state_dict(L, o, *box)))
    return raise_error(L);
  tocha_checkpoint_free(*box);
  *box = NULL;
  load_extras(L, o);
  return 0;
}
