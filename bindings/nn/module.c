/* module.c: modules as Lua objects: userdata, fields, text.
 *
 * A module is a userdata over a tocha_module. Its class is a table (classes.c). The tree is in
 * C. The userdata of a module's members are in its user values, so that a part written in Lua
 * lives as long as the module, and cycles through Lua values can be collected. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments/functions.h"
#include "lua/callback.h"
#include "nn/module.h"

static const char MODULE_TYPE[] = "torch.nn.Module";
static const char module_tag = 0;

/* --- the userdata ---------------------------------------------------------------------------- */

module_box *to_module_box(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TUSERDATA || lua_rawlen(L, index) < sizeof(module_box)) return NULL;
  module_box *m = lua_touserdata(L, index);
  return m->tag == &module_tag && m->module ? m : NULL;
}

tocha_module *to_module(lua_State *L, int index) {
  module_box *m = to_module_box(L, index);
  return m ? m->module : NULL;
}

module_box *check_module_box(lua_State *L, int index) {
  module_box *m = to_module_box(L, index);
  if (!m)
    raise_message(L, TOCHA_TYPE_ERROR, "%s is not a Module subclass", torch_typename(L, index));
  return m;
}
tocha_module *check_module(lua_State *L, int index) { return check_module_box(L, index)->module; }

const char *torch_typename(lua_State *L, int index) {
  char text[48];
  tocha_tensor *t = to_tensor(L, index);
  tocha_module *m = to_module(L, index);
  if (t) return lua_pushstring(L, tocha_old_type_name(t, text));
  if (m) return tocha_module_name(m);
  return python_type(L, index);
}

/* Pushes a userdata without a module, of the class at index class_. */
module_box *push_module_box(lua_State *L, int class_) {
  class_ = lua_absindex(L, class_);
  module_box *m = lua_newuserdatauv(L, sizeof *m, MODULE_VALUES);
  memset(m, 0, sizeof *m);
  m->tag = &module_tag;
  m->binding = binding_of(L);
  luaL_setmetatable(L, MODULE_TYPE);
  lua_newtable(L);
  lua_setiuservalue(L, -2, MODULE_FIELDS);
  lua_newtable(L);
  lua_setiuservalue(L, -2, MODULE_PARTS);
  lua_pushvalue(L, class_);
  lua_setiuservalue(L, -2, MODULE_CLASS);
  return m;
}

/* Makes the userdata at the top the one of its module. */
void remember_module(lua_State *L, const module_box *m) { remember_object(L, -1, m->module); }

void push_module(lua_State *L, tocha_module *module) {
  if (!module) {
    lua_pushnil(L);
    return;
  }
  need_stack(L, 8);
  if (push_remembered(L, module) && to_module(L, -1) == module) return;
  lua_pop(L, 1);
  push_class(L, tocha_module_class_of(module));
  module_box *m = push_module_box(L, -1);
  m->module = tocha_module_retain(module);
  m->generation = tocha_module_generation(module) - 1; /* forces a refresh of its parts */
  remember_module(L, m);
  lua_replace(L, -2);
}

/* --- modules that a host has -------------------------------------------------------------------- */

/* A host may keep a module when Lua no longer does. Its userdata, with the class and the fields, is
 * therefore kept in a table of the registry. After each of Lua's collections, those are dropped
 * whose modules have no other owner. */
static const char given_key = 0; /* registry: table, userdata of modules -> true */
static const char WATCH[] = "tocha.module_watch";

void give_module(lua_State *L, int index) {
  if (!to_module(L, index)) return;
  lua_pushvalue(L, index);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &given_key);
  lua_insert(L, -2);
  lua_pushboolean(L, true);
  lua_rawset(L, -3);
  lua_pop(L, 1);
}

/* Drops those that C has released. Registers itself for the next collection. */
static int watch_gc(lua_State *L) {
  if (!is_open(L)) return 0;
  lua_settop(L, 1);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &given_key);
  for (lua_pushnil(L); lua_next(L, 2);) {
    lua_pop(L, 1);
    if (tocha_module_is_shared(to_module(L, -1))) continue;
    lua_pushvalue(L, -1);
    lua_pushnil(L);
    lua_rawset(L, 2);
  }
  lua_settop(L, 1);
  luaL_setmetatable(L, WATCH);
  return 0;
}

static void open_watch(lua_State *L) {
  static const luaL_Reg events[] = {{"__gc", watch_gc}, {NULL, NULL}};
  lua_newtable(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &given_key);
  lua_newuserdatauv(L, 0, 0);
  new_metatable(L, WATCH, events);
  lua_setmetatable(L, -2);
  lua_pop(L, 1);
}

static int module_gc(lua_State *L) {
  module_box *m = to_module_box(L, 1);
  if (!m) return 0;
  tocha_module *module = m->module;
  m->module = NULL;
  tocha_module_release(module);
  return 0;
}

/* --- fields ---------------------------------------------------------------------------------- */

/* Updates MODULE_PARTS after C has changed the module. */
void refresh_module_parts(lua_State *L, int index, module_box *m) {
  index = lua_absindex(L, index);
  need_stack(L, 8);
  lua_newtable(L);
  for (int i = 0; i < tocha_module_child_count(m->module); i++) {
    tocha_module *child = tocha_module_child(m->module, i);
    if (!child) continue;
    push_module(L, child);
    lua_setfield(L, -2, tocha_module_child_name(m->module, i));
  }
  lua_setiuservalue(L, index, MODULE_PARTS);
  m->generation = tocha_module_generation(m->module);
}

void set_part(lua_State *L, int module, const char *name, int value) {
  module_box *m = to_module_box(L, module);
  module = lua_absindex(L, module);
  if (value) value = lua_absindex(L, value);
  lua_getiuservalue(L, module, MODULE_PARTS);
  if (value)
    lua_pushvalue(L, value);
  else
    lua_pushnil(L);
  lua_setfield(L, -2, name);
  lua_pop(L, 1);
  lua_getiuservalue(L, module, MODULE_FIELDS);
  lua_pushnil(L);
  lua_setfield(L, -2, name);
  lua_pop(L, 1);
  m->generation = tocha_module_generation(m->module);
}

/* Pushes a registered member that is not among the parts yet. Returns false and pushes nothing
 * if there is none of that name. [-0, +(0|1), e] */
static bool push_member(lua_State *L, const module_box *m, const char *name) {
  tocha_tensor *tensor = NULL;
  tocha_module *child = NULL;
  if (tocha_module_member(m->module, name, &tensor, &child) == TOCHA_NO_MEMBER) return false;
  if (child)
    push_module(L, child);
  else
    tocha_lua_push_tensor(L, tensor);
  lua_getiuservalue(L, 1, MODULE_PARTS);
  lua_pushvalue(L, -2);
  lua_setfield(L, -2, name);
  lua_pop(L, 1);
  return true;
}

/* Returns the index of a constructor's parameter, or -1 if there is none of that name. */
static int find_option(const tocha_module *m, const char *name) {
  const tocha_module_class *class = tocha_module_class_of(m);
  for (int i = 0; i < class->parameter_count; i++)
    if (strcmp(class->parameters[i].name, name) == 0) return i;
  return -1;
}

/* Pushes an option that is a list of numbers, or the single number or word that was given
 * instead. [-0, +1, m] */
static void push_list_option(lua_State *L, const tocha_module_class *class,
                             const tocha_parameter *p, const tocha_arg *o) {
  bool alone = tocha_option_is_number(class, p, o);
  if (p->words && o->count == 1 && o->value.ints[0] <= TOCHA_PADDING_VALID) {
    lua_pushstring(L, o->value.ints[0] == TOCHA_PADDING_SAME ? "same" : "valid");
    return;
  }
  if (!alone) lua_createtable(L, o->count, 0);
  for (int i = 0; i < o->count; i++) {
    if (p->kind == TOCHA_KIND_FLOATS)
      lua_pushnumber(L, o->value.reals[i]);
    else if (o->value.ints[i] == TOCHA_ABSENT)
      lua_pushliteral(L, "None");
    else
      lua_pushinteger(L, o->value.ints[i]);
    if (!alone) lua_rawseti(L, -2, i + 1);
  }
}

static bool push_option(lua_State *L, const tocha_module *m, const char *name) {
  int index = find_option(m, name);
  if (index < 0) return false;
  const tocha_parameter *p = &tocha_module_class_of(m)->parameters[index];
  const tocha_arg *o = tocha_module_option(m, name);
  if (p->optional && !o->given) {
    lua_pushnil(L);
    return true;
  }
  switch (p->kind) {
  case TOCHA_KIND_SCALAR:
    push_scalar(L, o->value.scalar);
    return true;
  case TOCHA_KIND_FLOAT:
    lua_pushnumber(L, o->value.real);
    return true;
  case TOCHA_KIND_BOOL:
    lua_pushboolean(L, o->value.flag);
    return true;
  case TOCHA_KIND_STRING:
    lua_pushstring(L, o->value.string);
    return true;
  case TOCHA_KIND_DTYPE:
    tocha_lua_push_dtype(L, o->value.dtype);
    return true;
  case TOCHA_KIND_DEVICE:
    tocha_lua_push_device(L, o->value.device);
    return true;
  case TOCHA_KIND_INTS:
  case TOCHA_KIND_DIMS:
  case TOCHA_KIND_SIZE:
  case TOCHA_KIND_FLOATS:
    push_list_option(L, tocha_module_class_of(m), p, o);
    return true;
  default:
    lua_pushinteger(L, o->value.integer);
    return true;
  }
}

/* Returns true if the name at index 2 is known not to be a slip. MODULE_ABSENT has such names,
 * with the module's generation at that time. [-0, +?, m] */
static bool is_known_absent(lua_State *L, uint32_t generation) {
  if (lua_getiuservalue(L, 1, MODULE_ABSENT) != LUA_TTABLE) return false;
  lua_pushvalue(L, 2);
  return lua_rawget(L, -2) == LUA_TNUMBER && lua_tointeger(L, -1) == generation;
}

static void note_absent(lua_State *L, uint32_t generation) {
  if (lua_getiuservalue(L, 1, MODULE_ABSENT) != LUA_TTABLE) {
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_setiuservalue(L, 1, MODULE_ABSENT);
  }
  lua_pushvalue(L, 2);
  lua_pushinteger(L, generation);
  lua_rawset(L, -3);
}

/* Raises PyTorch's error if an absent field looks like a slip of the hand. Otherwise an absent
 * field is nil, as in any table. [-0, +?, e] */
static void check_slip(lua_State *L, const tocha_module *m, const char *name) {
  const char *near = NULL;
  lua_getiuservalue(L, 1, MODULE_CLASS);
  while (!near && lua_type(L, -1) == LUA_TTABLE) {
    near = find_slip(L, -1, name);
    if (luaL_getmetafield(L, -1, "base") == LUA_TNIL) break;
  }
  lua_getiuservalue(L, 1, MODULE_PARTS);
  if (!near) near = find_slip(L, -1, name);
  lua_newtable(L);
  for (int kind = TOCHA_MEMBER_PARAMETER; !near && kind <= TOCHA_MEMBER_BUFFER; kind++)
    for (int i = 0; i < tocha_module_member_count(m, (tocha_member_kind)kind); i++) {
      lua_pushboolean(L, 1);
      lua_setfield(L, -2, tocha_module_member_name(m, (tocha_member_kind)kind, i));
    }
  if (!near) near = find_slip(L, -1, name);
  if (!near) return;
  raise_hinted(
      L, TOCHA_ATTRIBUTE_ERROR,
      lua_pushfstring(L, "did you mean '%s'? (a field that is no slip of one letter is nil)", near),
      "'%s' object has no attribute '%s'", tocha_module_name(m), name);
}

/* Returns the list that computes a tensor which nn.utils.parametrize put in a member's place:
 * module.parametrizations.NAME. Returns NULL if there is none. */
static tocha_module *parametrization_of(const tocha_module *m, const char *name) {
  tocha_module *lists = NULL, *list = NULL;
  if (!tocha_module_get_host_object(m)->attribute) return NULL;
  tocha_module_member(m, "parametrizations", NULL, &lists);
  if (lists) tocha_module_member(lists, name, NULL, &list);
  return list;
}
static bool is_parametrized(const tocha_module *m, const char *name) {
  return parametrization_of(m, name) != NULL;
}

static int push_parametrized(lua_State *L, const tocha_module *m, const char *name) {
  push_module(L, parametrization_of(m, name));
  call_to_end(L, 0, 1);
  return 1;
}

/* Assigns the value at index 3 to a parametrized member: module.NAME = value. */
static int set_parametrized(lua_State *L, const char *name) {
  push_module(L, parametrization_of(check_module(L, 1), name));
  lua_getfield(L, -1, "right_inverse");
  lua_insert(L, -2);
  lua_pushvalue(L, 3);
  call_to_end(L, 2, 0);
  return 0;
}

/* Pushes a member that PyTorch's module has and ours does not store
 * (lua/parts/nn/module/members.lua), and returns true. Returns false if there is none.
 * [-0, +?, e] */
static bool push_unstored(lua_State *L, const char *name) {
  int top = lua_gettop(L);
  if (!push_part(L, "nn.module.members")) return false;
  if (lua_getfield(L, -1, name) != LUA_TFUNCTION) {
    lua_settop(L, top);
    return false;
  }
  lua_pushvalue(L, 1);
  lua_call(L, 1, 1);
  return !lua_isnil(L, -1);
}

static int module_index(lua_State *L) {
  module_box *m = to_module_box(L, 1);
  if (!m) return 0;
  if (lua_type(L, 2) == LUA_TNUMBER) return index_container(L, m->module);
  if (lua_type(L, 2) != LUA_TSTRING) return 0;
  const char *name = lua_tostring(L, 2);
  lua_getiuservalue(L, 1, MODULE_FIELDS);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, -2) != LUA_TNIL) return 1;
  if (m->generation != tocha_module_generation(m->module)) refresh_module_parts(L, 1, m);
  lua_getiuservalue(L, 1, MODULE_PARTS);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, -2) != LUA_TNIL) return 1;
  if (push_member(L, m, name)) return 1;
  if (is_parametrized(m->module, name)) return push_parametrized(L, m->module, name);
  lua_getiuservalue(L, 1, MODULE_CLASS);
  lua_pushvalue(L, 2);
  if (lua_gettable(L, -2) != LUA_TNIL) return 1;
  if (strcmp(name, "training") == 0) {
    lua_pushboolean(L, tocha_module_training(m->module));
    return 1;
  }
  if (push_option(L, m->module, name)) return 1;
  if (strchr(name, ':')) return push_slice(L, m->module, name) ? 1 : 0;
  if (is_known_absent(L, m->generation)) return 0;
  if (push_unstored(L, name)) return 1;
  check_slip(L, m->module, name);
  lua_settop(L, 2);
  note_absent(L, m->generation);
  return 0;
}

/* Removes the plain field and any member of another kind with that name. [-0, +0, m] */
static void remove_others(lua_State *L, tocha_module *m, const char *name, tocha_member_kind kind) {
  tocha_member_kind old = tocha_module_member(m, name, NULL, NULL);
  if (old != TOCHA_NO_MEMBER && old != kind) tocha_module_remove(m, name);
  lua_getiuservalue(L, 1, MODULE_FIELDS);
  lua_pushnil(L);
  lua_setfield(L, -2, name);
  lua_pop(L, 1);
}

/* Sets an option of the class's constructor to the value at index 3: dropout.p = 0.2. Returns
 * false if there is no such option. */
static bool set_option(lua_State *L, tocha_module *m, const char *name) {
  int index = find_option(m, name);
  if (index < 0) return false;
  tocha_arg value;
  read_field(L, name, &tocha_module_class_of(m)->parameters[index], 3, &value);
  if (!tocha_module_set_option(CX(L), m, index, &value)) raise_error(L);
  return true;
}

/* Warns about a line such as `self.a, self.b = A(), B()`, which Lua assigns from right to left.
 * If a member comes from the same line as the one before it, lua/hints/order.lua compares their
 * order in that line. [-0, +?, e] */
static void check_order(lua_State *L, module_box *box, const char *name, tocha_member_kind kind) {
  lua_Debug ar;
  int before = box->line, count = tocha_module_member_count(box->module, kind);
  box->line = lua_getstack(L, 1, &ar) && lua_getinfo(L, "Sl", &ar) ? ar.currentline : 0;
  if (box->line <= 0 || box->line != before || count < 2 || !push_part(L, "hints.order")) return;
  lua_pushstring(L, ar.source);
  lua_pushinteger(L, ar.currentline);
  lua_pushstring(L, name);
  lua_pushstring(L, tocha_module_member_name(box->module, kind, count - 2));
  lua_call(L, 4, 0);
}

static int assign_tensor_or_module(lua_State *L, tocha_module *m, const char *name,
                                   tocha_member_kind old) {
  tocha_context *cx = CX(L);
  tocha_tensor *t = to_tensor(L, 3);
  tocha_module *child = to_module(L, 3);
  bool parameter = t && tocha_is_parameter(t), ok;
  if (parameter) {
    remove_others(L, m, name, TOCHA_MEMBER_PARAMETER);
    ok = tocha_register_parameter(cx, m, name, t);
  } else if (old == TOCHA_MEMBER_PARAMETER) {
    if (!lua_isnil(L, 3))
      return raise_hinted(
          L, TOCHA_TYPE_ERROR,
          t ? "wrap it: nn.Parameter(tensor); or write into it under no_grad: "
              "weight:copy_(tensor)"
            : NULL,
          "cannot assign '%s' as parameter '%s' (torch.nn.Parameter or None expected)",
          torch_typename(L, 3), name);
    ok = tocha_register_parameter(cx, m, name, NULL);
  } else if (child) {
    remove_others(L, m, name, TOCHA_MEMBER_MODULE);
    ok = tocha_register_module(cx, m, name, child);
  } else if (old == TOCHA_MEMBER_MODULE) {
    if (!lua_isnil(L, 3))
      return raise_message(
          L, TOCHA_TYPE_ERROR,
          "cannot assign '%s' as child module '%s' (torch.nn.Module or None expected)",
          torch_typename(L, 3), name);
    ok = tocha_register_module(cx, m, name, NULL);
  } else {
    if (!t && !lua_isnil(L, 3))
      return raise_message(
          L, TOCHA_TYPE_ERROR,
          "cannot assign '%s' as buffer '%s' (torch.nn.Buffer, torch.Tensor or None "
          "expected)",
          torch_typename(L, 3), name);
    ok = tocha_register_buffer(cx, m, name, t, tocha_module_is_persistent(m, name));
  }
  if (!ok) return raise_error(L);
  if (t) share_tensor(L, 3);
  set_part(L, 1, name, lua_isnil(L, 3) ? 0 : 3);
  tocha_member_kind kind = tocha_module_member(m, name, NULL, NULL);
  if (old == TOCHA_NO_MEMBER && kind != old) check_order(L, to_module_box(L, 1), name, kind);
  return 0;
}

/* Registers the value of `module.NAME = nn.Buffer(t)` by the module's register_buffer, which may
 * be the class's own. */
static int assign_buffer(lua_State *L, bool persistent) {
  lua_getfield(L, 1, "register_buffer");
  for (int i = 1; i <= 3; i++) lua_pushvalue(L, i);
  lua_pushboolean(L, persistent);
  lua_call(L, 4, 0);
  return 0;
}

static int module_newindex(lua_State *L) {
  module_box *box = to_module_box(L, 1);
  if (!box) check_module(L, 1);
  tocha_module *m = box->module;
  lua_settop(L, 3);
  if (lua_type(L, 2) == LUA_TNUMBER) return newindex_container(L, m);
  if (lua_type(L, 2) != LUA_TSTRING)
    return raise_message(L, TOCHA_TYPE_ERROR, "attribute name must be string, not '%s'",
                         python_type(L, 2));
  const char *name = lua_tostring(L, 2);
  if (box->generation != tocha_module_generation(m)) refresh_module_parts(L, 1, box);
  tocha_tensor *t = to_tensor(L, 3);
  tocha_member_kind old = tocha_module_member(m, name, NULL, NULL);
  bool persistent;
  if ((old == TOCHA_NO_MEMBER || old == TOCHA_MEMBER_BUFFER) && tocha_is_buffer(t, &persistent))
    return assign_buffer(L, persistent);
  if (old != TOCHA_NO_MEMBER || to_module(L, 3) || (t && tocha_is_parameter(t)))
    return assign_tensor_or_module(L, m, name, old);
  if (strcmp(name, "training") == 0) {
    tocha_module_set_training(m, lua_toboolean(L, 3));
    return 0;
  }
  if (is_parametrized(m, name)) return set_parametrized(L, name);
  if (set_option(L, m, name)) return 0;
  if (t && tocha_module_class_of(m)->input_count) compute_members_of(L, m);
  if (strcmp(name, "forward") == 0) {
    box->own_forward = !lua_isnil(L, 3);
    call_through_lua(L, m);
  }
  lua_getiuservalue(L, 1, MODULE_FIELDS);
  lua_pushvalue(L, 2);
  lua_pushvalue(L, 3);
  lua_rawset(L, -3);
  return 0;
}

/* --- text, length ---------------------------------------------------------------------------- */

static int module_tostring(lua_State *L) {
  tocha_module *m = to_module(L, 1);
  if (!m) {
    lua_pushliteral(L, "<collected module>");
    return 1;
  }
  return push_text(L, tocha_module_to_string(CX(L), m));
}

static int module_concat(lua_State *L) {
  lua_settop(L, 2);
  if (push_class_event(L, 1, "__concat") || push_class_event(L, 2, "__concat"))
    return call_class_event(L);
  push_format(L, 1);
  push_format(L, 2);
  lua_concat(L, 2);
  return 1;
}

static int module_len(lua_State *L) {
  if (push_class_event(L, 1, "__len")) return call_class_event(L);
  tocha_module *m = check_module(L, 1);
  if (tocha_module_class_of(m)->container == TOCHA_CONTAINER_NONE)
    return raise_message(L, TOCHA_TYPE_ERROR, "object of type '%s' has no len()",
                         tocha_module_name(m));
  lua_pushinteger(L, container_length(m));
  return 1;
}

static int module_pairs(lua_State *L) {
  if (push_class_event(L, 1, "__pairs")) return call_class_event(L);
  tocha_module *m = check_module(L, 1);
  if (tocha_module_class_of(m)->container == TOCHA_CONTAINER_NONE)
    return raise_message(L, TOCHA_TYPE_ERROR, "'%s' object is not iterable", tocha_module_name(m));
  lua_pushcfunction(L, next_member);
  lua_pushvalue(L, 1);
  lua_pushnil(L);
  return 3;
}

/* --- opening --------------------------------------------------------------------------------- */

void open_module_metatable(lua_State *L) {
  static const luaL_Reg events[] = {{"__gc", module_gc},
                                    {"__index", module_index},
                                    {"__newindex", module_newindex},
                                    {"__call", call_module},
                                    {"__close", module_close},
                                    {"__tostring", module_tostring},
                                    {"__concat", module_concat},
                                    {"__len", module_len},
                                    {"__pairs", module_pairs},
                                    {NULL, NULL}};
  new_metatable(L, MODULE_TYPE, events);
  set_class_events(L);
  lua_pop(L, 1);
  open_watch(L);
}
