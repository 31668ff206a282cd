/* state.c: the state of an optimizer in Lua: optimizer.state, state_dict, load_state_dict. */
#include <string.h>

#include "function_table.h"
#include "nn/module.h"
#include "optim/optim.h"

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

static void load_states(lua_State *L, tocha_optimizer *o, int group, int i) {
  const char *const *names = tocha_optimizer_state_names(tocha_optimizer_class_of(o));
  bool have = lua_type(L, -1) == LUA_TTABLE;
  for (int k = 0; names[k]; k++) {
    if (have)
      lua_getfield(L, -1, names[k]);
    else
      lua_pushnil(L);
    tocha_tensor *value = to_tensor(L, -1);
    if (!value && lua_type(L, -1) == LUA_TNUMBER) { /* old checkpoints keep step as a number */
      float number = (float)lua_tonumber(L, -1);
      tocha_scope scope = tocha_scope_begin(CX(L));
      value = tocha_from_values(CX(L), &number, 0, NULL, TOCHA_FLOAT32);
      if (value) push_tensor(L, value);
      tocha_scope_end(CX(L), scope, NULL);
      if (!value) raise_error(L);
      value = to_tensor(L, -1);
      lua_remove(L, -2);
    }
    if (!tocha_optimizer_set_state(CX(L), o, group, i, k, value)) raise_error(L);
    lua_pop(L, 1);
  }
}

/* Pushes the table in a field of the saved state at `index`. Raises if there is none.
 * [-0, +1, e] */
static void push_saved(lua_State *L, int index, const char *name) {
  static const char hint[] = "an optimizer's state_dict() has state and param_groups";
  if (lua_type(L, index) != LUA_TTABLE && !to_state_dict(L, index))
    raise_hinted(L, TOCHA_ATTRIBUTE_ERROR,
                 lua_type(L, index) == LUA_TSTRING ? "torch.load(path) reads a file" : hint,
                 "'%s' object has no attribute 'copy'", python_type(L, index));
  bool there = to_state_dict(L, index) ? false : lua_getfield(L, index, name) != LUA_TNIL;
  if (!there) raise_hinted(L, TOCHA_KEY_ERROR, hint, "%s", name);
  if (lua_type(L, -1) != LUA_TTABLE)
    raise_message(L, TOCHA_TYPE_ERROR, "object of type '%s' has no len()", python_type(L, -1));
}

/* Pushes the states and the groups of the state dict at index 2. Raises if the numbers of groups
 * and parameters differ from the optimizer's. [-0, +2, e] */
static void push_matching(lua_State *L, const tocha_optimizer *o) {
  push_saved(L, 2, "param_groups");
  int groups = tocha_optimizer_group_count(o);
  if (luaL_len(L, 3) != groups)
    raise_message(L, TOCHA_VALUE_ERROR,
                  "loaded state dict has a different number of parameter groups");
  for (int g = 0; g < groups; g++) {
    lua_rawgeti(L, 3, g + 1);
    push_saved(L, 4, "params");
    if (luaL_len(L, -1) != tocha_optimizer_parameter_count(o, g))
      raise_message(L, TOCHA_VALUE_ERROR,
                    "loaded state dict contains a parameter group that doesn't match the size "
                    "of optimizer's group");
    lua_settop(L, 3);
  }
  push_saved(L, 2, "state");
  lua_insert(L, 3);
}

static void raise_lacking(lua_State *L, const tocha_optimizer *o, const char *what,
                          const char *key) {
  raise_hinted(L, TOCHA_KEY_ERROR,
               lua_pushfstring(
                   L,
                   "the state dict is of another kind of optimizer: its %s no %s, which %s needs",
                   what, key, tocha_optimizer_class_name(tocha_optimizer_class_of(o))),
               "%s", key);
}

/* Raises if the saved group at the top lacks a number or has an invalid one. PyTorch has
 * defaults only for the flags, and fails in a later step. */
static void check_saved_options(lua_State *L, const tocha_optimizer *o) {
  int count, group = lua_gettop(L);
  const tocha_option_declaration *d = tocha_optimizer_options(tocha_optimizer_class_of(o), &count);
  tocha_option unused;
  for (int i = 0; i < count; i++) {
    bool is_number = d[i].kind == TOCHA_OPTION_NUMBER || d[i].kind == TOCHA_OPTION_PAIR;
    bool is_there = lua_getfield(L, group, d[i].name) != LUA_TNIL;
    if (is_number && !is_there) raise_lacking(L, o, "groups have", d[i].name);
    if (is_number) read_option(L, -1, &d[i], &unused, NULL);
    lua_settop(L, group);
  }
}

/* Raises if a saved state of the saved group at the top lacks an entry that each step needs. The
 * table of states, by parameter number, is at index `state`. only_step: checks only the count of
 * steps, which PyTorch reads while it loads. */
static void check_saved_states(lua_State *L, const tocha_optimizer *o, int state, bool only_step) {
  const tocha_optimizer_class *class = tocha_optimizer_class_of(o);
  const char *const *names = tocha_optimizer_state_names(class);
  int top = lua_gettop(L);
  lua_getfield(L, top, "params");
  lua_Integer n = luaL_len(L, -1);
  for (lua_Integer i = 1; i <= n; i++, lua_settop(L, top + 1)) {
    lua_rawgeti(L, top + 1, i);
    if (lua_rawget(L, state) != LUA_TTABLE) continue;
    lua_pushnil(L);
    if (!lua_next(L, -2)) continue; /* an empty state is made anew */
    lua_pop(L, 2);
    for (int k = 0; names[k]; k++) {
      if (!tocha_optimizer_needs_state(class, k) || (only_step && strcmp(names[k], "step") != 0))
        continue;
      if (lua_getfield(L, top + 2, names[k]) == LUA_TNIL)
        raise_lacking(L, o, "states have", names[k]);
      lua_pop(L, 1);
    }
  }
  lua_settop(L, top);
}

/* Raises if the states at index 3 and the groups at index 4 belong to another kind of optimizer.
 * Called before anything is changed. */
static void check_kind(lua_State *L, const tocha_optimizer *o) {
  bool states_first = tocha_optimizer_reads_states_first(tocha_optimizer_class_of(o));
  for (int g = 0; g < tocha_optimizer_group_count(o); g++) {
    lua_rawgeti(L, 4, g + 1);
    check_saved_states(L, o, 3, true);
    if (states_first) check_saved_states(L, o, 3, false);
    check_saved_options(L, o);
    check_saved_states(L, o, 3, false);
    lua_pop(L, 1);
  }
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

/* (optimizer, {state = ..., param_groups = ...}) Loads a state dict. */
int torch_optimizer_load_state_dict(lua_State *L, const tocha_arg *args) {
  (void)args;
  tocha_optimizer *o = check_optimizer(L, 1);
  int groups = tocha_optimizer_group_count(o);
  lua_settop(L, 2);
  push_matching(L, o);
  check_kind(L, o);
  lua_getiuservalue(L, 1, OPTIMIZER_GROUPS);
  for (int g = 0; g < groups; g++) {
    lua_rawgeti(L, 5, g + 1); /* the group, at index 6: assignments set its fields */
    lua_rawgeti(L, 4, g + 1); /* the saved group, at index 7 */
    for (lua_pushnil(L); lua_next(L, 7); lua_pop(L, 1)) {
      if (lua_type(L, -2) != LUA_TSTRING || strcmp(lua_tostring(L, -2), "params") == 0) continue;
      lua_pushvalue(L, -2);
      lua_pushvalue(L, -2);
      copy_value(L);
      lua_settable(L, 6);
    }
    lua_getfield(L, 7, "params");
    for (int i = 0; i < tocha_optimizer_parameter_count(o, g); i++) {
      lua_rawgeti(L, 8, i + 1);
      lua_rawget(L, 3);
      load_states(L, o, g, i);
      lua_settop(L, 8);
    }
    lua_settop(L, 5);
  }
  return 0;
}
