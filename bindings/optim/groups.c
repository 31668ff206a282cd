/* groups.c: groups of parameters as Lua objects. A group's options are its fields. Fields that
 * the optimizer does not know are kept beside them, as in PyTorch's dictionaries: numbers by the group of C, where
 * schedulers of C find them, other values in a table. */
#include <string.h>

#include "arguments/arguments.h"
#include "optim/optim.h"

static const char group_type[] = "torch.optim.group";
enum { GROUP_OPTIMIZER = 1, GROUP_EXTRA }; /* user values: the optimizer; a table of other fields */

typedef struct group_box {
  int index;
} group_box;

/* --- options --------------------------------------------------------------------------------- */

/* Pushes one of an option's numbers, or the tensor that holds it. [-0, +1, e] */
static void push_number(lua_State *L, const tocha_option *o, int which) {
  if (o->tensors[which])
    tocha_lua_push_tensor(L, o->tensors[which]);
  else
    push_scalar(L, which ? o->second : o->first);
}

void push_option(lua_State *L, const tocha_option_declaration *d, const tocha_option *o) {
  if (d->kind == TOCHA_OPTION_MAYBE && !o->given) {
    lua_pushnil(L);
  } else if (d->kind == TOCHA_OPTION_PAIR) {
    lua_createtable(L, 2, 0);
    push_number(L, o, 0);
    lua_rawseti(L, -2, 1);
    push_number(L, o, 1);
    lua_rawseti(L, -2, 2);
  } else {
    push_number(L, o, 0);
  }
}

bool read_number(lua_State *L, int index, tocha_scalar *value) {
  tocha_tensor *t = to_tensor(L, index);
  if (t && tocha_numel(t) == 1) return tocha_item(CX(L), t, value);
  return to_scalar(L, index, value);
}

/* Raises Python's error for a value that a constructor compares and that is not a number. Most
 * constructors test `0.0 <= value`, SGD tests `value < 0.0`. */
static int raise_comparison(lua_State *L, int index, const tocha_optimizer_class *class_, bool lr) {
  bool sgd = strcmp(tocha_optimizer_class_name(class_), "SGD") == 0;
  const char *type = python_type(L, index);
  if (lr && to_tensor(L, index))
    return raise_message(L, TOCHA_VALUE_ERROR, "Tensor lr must be 1-element");
  return raise_hinted(L, TOCHA_TYPE_ERROR, number_hint(L, index),
                      "'%s' not supported between instances of '%s' and '%s'",
                      sgd ? "<" : "<=", sgd ? type : "float", sgd ? "float" : type);
}

/* Reads one of an option's numbers. A tensor is kept, and read by each step. Returns false if
 * the value is neither. */
static bool read_option_number(lua_State *L, int index, tocha_option *o, int which) {
  o->tensors[which] = to_tensor(L, index);
  if (o->tensors[which]) share_tensor(L, index);
  return read_number(L, index, which ? &o->second : &o->first);
}

static bool read_pair(lua_State *L, int index, tocha_option *o) {
  if (lua_type(L, index) != LUA_TTABLE) return false;
  bool ok = true;
  for (int i = 0; i < 2; i++) {
    lua_rawgeti(L, index, i + 1);
    tocha_tensor *t = to_tensor(L, -1);
    if (t && tocha_numel(t) != 1)
      raise_message(L, TOCHA_RUNTIME_ERROR,
                    tocha_numel(t) ? "Boolean value of Tensor with more than one value is ambiguous"
                                   : "Boolean value of Tensor with no values is ambiguous");
    ok = read_option_number(L, -1, o, i) && ok;
    lua_pop(L, 1); /* the table keeps the original value alive */
  }
  return ok;
}

void read_option(lua_State *L, int index, const tocha_option_declaration *d, tocha_option *o,
                 const tocha_optimizer_class *class_) {
  index = lua_absindex(L, index);
  bool ok = true;
  o->given = true;
  if (d->kind == TOCHA_OPTION_MAYBE && lua_isnil(L, index)) {
    o->given = false;
  } else if (d->kind == TOCHA_OPTION_PAIR) {
    ok = read_pair(L, index, o);
  } else if (d->kind == TOCHA_OPTION_NUMBER) {
    ok = read_option_number(L, index, o, 0);
  } else {
    o->first = tocha_boolean(lua_toboolean(L, index));
  }
  if (!ok && class_ && d->kind == TOCHA_OPTION_NUMBER)
    raise_comparison(L, index, class_, strcmp(d->name, "lr") == 0);
  if (!ok)
    raise_message(L, TOCHA_TYPE_ERROR, "optimizer option '%s' must be %s, not %s", d->name,
                  d->kind == TOCHA_OPTION_PAIR ? "a pair of numbers" : "a number",
                  python_type(L, index));
}

/* --- fields beside the options --------------------------------------------------------------- */

static const tocha_option_declaration *find_declaration(const tocha_optimizer *o,
                                                        const char *name) {
  int count;
  const tocha_option_declaration *d = tocha_optimizer_options(tocha_optimizer_class_of(o), &count);
  for (int i = 0; i < count; i++)
    if (strcmp(d[i].name, name) == 0) return &d[i];
  return NULL;
}

bool is_extra(lua_State *L, const tocha_optimizer *o, int key) {
  if (lua_type(L, key) != LUA_TSTRING) return false;
  const char *name = lua_tostring(L, key);
  return strcmp(name, "params") != 0 && !find_declaration(o, name);
}

void set_extra(lua_State *L, tocha_optimizer *o, int index, int group, const char *name) {
  tocha_scalar number;
  bool is_number =
      (lua_type(L, -1) == LUA_TNUMBER || lua_isboolean(L, -1)) && to_scalar(L, -1, &number);
  if (!is_number) {
    tocha_optimizer_remove_field(o, index, name);
  } else {
    if (!tocha_optimizer_set_number(CX(L), o, index, name, number)) raise_error(L);
    lua_pop(L, 1);
    lua_pushnil(L);
  }
  lua_getiuservalue(L, group, GROUP_EXTRA);
  lua_insert(L, -2);
  lua_setfield(L, -2, name);
  lua_pop(L, 1);
}

/* Pushes the field of that name, or nil. [-0, +1, m] */
static void push_extra_field(lua_State *L, const tocha_optimizer *o, int index, int group,
                             const char *name) {
  tocha_scalar number;
  if (!tocha_optimizer_has_field(o, index, name)) {
    lua_getiuservalue(L, group, GROUP_EXTRA);
    lua_getfield(L, -1, name);
    lua_remove(L, -2);
  } else if (tocha_optimizer_number(CX(L), o, index, name, &number)) {
    push_scalar(L, number);
  } else {
    raise_error(L);
  }
}

/* --- parameters ------------------------------------------------------------------------------ */

void check_iterable(lua_State *L, int index, const tocha_optimizer_class *class_) {
  if (to_tensor(L, index))
    raise_message(
        L, TOCHA_TYPE_ERROR,
        "params argument given to the optimizer should be an iterable of Tensors or dicts, "
        "but got %s",
        torch_typename(L, index));
  if (lua_type(L, index) == LUA_TTABLE || lua_type(L, index) == LUA_TFUNCTION) return;
  const char *hint = NULL;
  if (to_module(L, index))
    hint = lua_pushfstring(L, "write: optim.%s(net:parameters(), ...)",
                           tocha_optimizer_class_name(class_));
  raise_hinted(L, TOCHA_TYPE_ERROR, hint, "'%s' object is not iterable", python_type(L, index));
}

/* Raises if only some of n parameters have names, or if this group has names and the optimizer's
 * other groups have none, or the reverse. The names are in the table at index `names`. */
static void check_names(lua_State *L, const tocha_optimizer *o, int self, int names, int n) {
  bool named = lua_rawlen(L, names) > 0;
  if (named && lua_rawlen(L, names) != (size_t)n)
    raise_message(
        L, TOCHA_VALUE_ERROR,
        "all optimizer params should be with/without names. Some param names are missing");
  if (!tocha_optimizer_group_count(o)) return;
  lua_getiuservalue(L, self, OPTIMIZER_GROUPS);
  lua_rawgeti(L, -1, 1);
  lua_getiuservalue(L, -1, GROUP_EXTRA);
  if ((lua_getfield(L, -1, "param_names") != LUA_TNIL) != named)
    raise_message(L, TOCHA_VALUE_ERROR,
                  "all optimizer param groups should be with/without names. cannot add param group "
                  "%s to the optimizer",
                  named ? "with names" : "without names");
  lua_pop(L, 4);
}

/* Gives the new group on top the fields of a base's groups, and the names at index `names`. [-0, +0, e] */
static void add_extra(lua_State *L, tocha_optimizer *o, int index, int self, int names) {
  int group = lua_gettop(L);
  if (lua_getiuservalue(L, self, OPTIMIZER_DEFAULTS) == LUA_TTABLE)
    for (lua_pushnil(L); lua_next(L, group + 1);) {
      if (lua_type(L, -2) != LUA_TSTRING)
        lua_pop(L, 1);
      else
        set_extra(L, o, index, group, lua_tostring(L, -2));
    }
  lua_settop(L, group);
  if (!lua_rawlen(L, names)) return;
  lua_pushvalue(L, names);
  set_extra(L, o, index, group, "param_names");
}

/* Adds the object of group number `index` to param_groups. is_new: it gets the fields of a base's groups and the
 * names in the table at index `names`. [-0, +0, e] */
static void note_group(lua_State *L, int self, int names, int index, bool is_new) {
  int top = lua_gettop(L);
  group_box *g = lua_newuserdatauv(L, sizeof *g, 2);
  g->index = index;
  luaL_setmetatable(L, group_type);
  lua_pushvalue(L, self);
  lua_setiuservalue(L, -2, GROUP_OPTIMIZER);
  lua_newtable(L);
  lua_setiuservalue(L, -2, GROUP_EXTRA);
  if (is_new) add_extra(L, check_optimizer(L, self), index, self, names);
  lua_getiuservalue(L, self, OPTIMIZER_GROUPS);
  lua_pushvalue(L, -2);
  lua_rawseti(L, -2, index + 1);
  lua_settop(L, top);
}

void add_group(lua_State *L, int self, int params, const tocha_option *options) {
  tocha_optimizer *o = check_optimizer(L, self);
  int top = lua_gettop(L), names = top + 1, table = top + 2;
  luaL_checkstack(L, 12, NULL);
  lua_newtable(L);
  int n = push_tensors(L, params, names);
  tocha_tensor **tensors = lua_newuserdatauv(L, ((size_t)n + 1) * sizeof *tensors, 0);
  for (int i = 0; i < n; i++) {
    lua_rawgeti(L, table, i + 1);
    tensors[i] = to_tensor(L, -1);
    if (!tensors[i])
      raise_message(L, TOCHA_TYPE_ERROR,
                    "optimizer can only optimize Tensors, but one of the params is %s",
                    torch_typename(L, -1));
    share_tensor(L, -1);
    lua_pop(L, 1);
  }
  check_names(L, o, self, names, n);
  if (!tocha_optimizer_add_group(CX(L), o, n, tensors, options)) raise_error(L);
  lua_settop(L, names);
  note_group(L, self, names, tocha_optimizer_group_count(o) - 1, true);
  lua_settop(L, top);
}

void note_groups(lua_State *L, int self) {
  const tocha_optimizer *o = check_optimizer(L, self);
  luaL_checkstack(L, 12, NULL);
  self = lua_absindex(L, self);
  for (int i = 0; i < tocha_optimizer_group_count(o); i++) note_group(L, self, 0, i, false);
}

void add_described_group(lua_State *L, int self, int index, const tocha_option *defaults) {
  tocha_optimizer *o = check_optimizer(L, self);
  int count, top = lua_gettop(L);
  const tocha_option_declaration *d = tocha_optimizer_options(tocha_optimizer_class_of(o), &count);
  tocha_option options[TOCHA_MAX_OPTIONS];
  index = lua_absindex(L, index);
  if (lua_type(L, index) != LUA_TTABLE)
    raise_message(L, TOCHA_TYPE_ERROR, "param_group must be a dict, but got <class '%s'>",
                  python_type(L, index));
  if (lua_getfield(L, index, "params") == LUA_TNIL) raise_message(L, TOCHA_KEY_ERROR, "'params'");
  lua_pop(L, 1);
  luaL_checkstack(L, count + 8, NULL);
  for (int i = 0; i < count; i++) { /* the values stay on the stack, which keeps tensors alive */
    if (defaults) options[i] = defaults[i]; /* (a base has no options) */
    if (lua_getfield(L, index, d[i].name) != LUA_TNIL) read_option(L, -1, &d[i], &options[i], NULL);
  }
  lua_getfield(L, index, "params");
  if (!to_tensor(L, -1)) check_iterable(L, lua_gettop(L), tocha_optimizer_class_of(o));
  add_group(L, self, lua_gettop(L), options);
  lua_getiuservalue(L, self, OPTIMIZER_GROUPS);
  lua_rawgeti(L, -1, luaL_len(L, -1));
  int group = lua_gettop(L);
  for (lua_pushnil(L); lua_next(L, index);) {
    if (is_extra(L, o, lua_gettop(L) - 1)) /* initial_lr, ... */
      set_extra(L, o, tocha_optimizer_group_count(o) - 1, group, lua_tostring(L, -2));
    else
      lua_pop(L, 1);
  }
  lua_settop(L, top);
}

/* --- groups ---------------------------------------------------------------------------------- */

static tocha_optimizer *group_optimizer(lua_State *L, int *index) {
  group_box *g = luaL_checkudata(L, 1, group_type);
  *index = g->index;
  lua_getiuservalue(L, 1, GROUP_OPTIMIZER);
  tocha_optimizer *o = check_optimizer(L, -1);
  lua_pop(L, 1);
  return o;
}

static void push_parameters(lua_State *L, const tocha_optimizer *o, int group) {
  int n = tocha_optimizer_parameter_count(o, group);
  lua_createtable(L, n, 0);
  for (int i = 0; i < n; i++) {
    tocha_lua_push_tensor(L, tocha_optimizer_parameter(o, group, i));
    lua_rawseti(L, -2, i + 1);
  }
}

static int group_index(lua_State *L) {
  int group;
  tocha_optimizer *o = group_optimizer(L, &group);
  const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  const tocha_option_declaration *d = find_declaration(o, name);
  if (d) {
    push_option(L, d, tocha_optimizer_option(o, group, name));
  } else if (strcmp(name, "params") == 0) {
    push_parameters(L, o, group);
  } else {
    push_extra_field(L, o, group, 1, name);
  }
  return 1;
}

static int group_newindex(lua_State *L) {
  int group;
  tocha_optimizer *o = group_optimizer(L, &group);
  const char *name = luaL_checkstring(L, 2);
  const tocha_option_declaration *d = find_declaration(o, name);
  if (d) {
    tocha_option value = *tocha_optimizer_option(o, group, name);
    read_option(L, 3, d, &value, NULL);
    return tocha_optimizer_set_option(CX(L), o, group, name, &value) ? 0 : raise_error(L);
  }
  if (strcmp(name, "params") == 0)
    return raise_message(L, TOCHA_TYPE_ERROR, "the params of a group cannot be replaced");
  lua_settop(L, 3);
  set_extra(L, o, group, 1, name);
  return 0;
}

void push_options(lua_State *L, const tocha_optimizer *o, int group) {
  int count;
  const tocha_option_declaration *d = tocha_optimizer_options(tocha_optimizer_class_of(o), &count);
  lua_createtable(L, 0, count + 1);
  for (int i = 0; i < count; i++) {
    push_option(L, &d[i], tocha_optimizer_option(o, group, d[i].name));
    lua_setfield(L, -2, d[i].name);
  }
}

void copy_fields(lua_State *L, const tocha_optimizer *o, int index) {
  const char *name;
  for (int i = 0; (name = tocha_optimizer_field_name(o, index, i)); i++) {
    tocha_scalar number;
    if (!tocha_optimizer_number(CX(L), o, index, name, &number)) raise_error(L);
    push_scalar(L, number);
    lua_setfield(L, -2, name);
  }
}

void copy_extra(lua_State *L, int group) {
  int target = lua_gettop(L);
  lua_getiuservalue(L, group, GROUP_EXTRA);
  for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
    lua_pushvalue(L, -2);
    lua_pushvalue(L, -2);
    lua_rawset(L, target);
  }
  lua_pop(L, 1);
}

static int group_pairs(lua_State *L) {
  int group;
  tocha_optimizer *o = group_optimizer(L, &group);
  lua_getglobal(L, "next");
  push_options(L, o, group);
  copy_fields(L, o, group);
  copy_extra(L, 1);
  push_parameters(L, o, group);
  lua_setfield(L, -2, "params");
  return 2;
}

void open_optimizer_groups(lua_State *L) {
  static const luaL_Reg events[] = {{"__index", group_index},
                                    {"__newindex", group_newindex},
                                    {"__pairs", group_pairs},
                                    {NULL, NULL}};
  new_metatable(L, group_type, events);
  lua_pop(L, 1);
}
