/* module.c: modules as Lua objects: classes, construction, fields.
 *
 * A class is a table whose metatable names its base; a module is a userdata over a tocha_module.
 * The tree lives in C; the userdata of what a module holds stay in its user values, so that a part
 * written in Lua lives as long as the module, and cycles through Lua values can be collected. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lua/functions.h"
#include "nn/module.h"

static const char MODULE_TYPE[] = "torch.nn.Module";
static const char module_tag = 0;
static const char classes_key = 0; /* registry: name of a class of the list -> its table */

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

tocha_module *check_module(lua_State *L, int index) {
  tocha_module *m = to_module(L, index);
  if (!m)
    raise_message(L, TOCHA_TYPE_ERROR, "%s is not a Module subclass", torch_typename(L, index));
  return m;
}

const char *torch_typename(lua_State *L, int index) {
  char text[48];
  tocha_tensor *t = to_tensor(L, index);
  tocha_module *m = to_module(L, index);
  if (t) return lua_pushstring(L, tocha_old_type_name(t, text));
  if (m) return tocha_module_name(m);
  return python_type(L, index);
}

/* A userdata without a module yet, of the class at index class_. */
module_box *push_module_box(lua_State *L, int class_) {
  class_ = lua_absindex(L, class_);
  module_box *m = lua_newuserdatauv(L, sizeof *m, MODULE_VALUES);
  memset(m, 0, sizeof *m);
  m->tag = &module_tag;
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
void remember_module(lua_State *L, const module_box *m) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, binding_of(L)->objects);
  lua_pushvalue(L, -2);
  lua_rawsetp(L, -2, m->module);
  lua_pop(L, 1);
}

void push_module(lua_State *L, tocha_module *module) {
  if (!module) {
    lua_pushnil(L);
    return;
  }
  luaL_checkstack(L, 8, NULL);
  lua_rawgeti(L, LUA_REGISTRYINDEX, binding_of(L)->objects);
  if (lua_rawgetp(L, -1, module) == LUA_TUSERDATA && to_module(L, -1) == module) {
    lua_remove(L, -2);
    return;
  }
  lua_pop(L, 2);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &classes_key);
  lua_getfield(L, -1, tocha_module_class_of(module)->name);
  module_box *m = push_module_box(L, -1);
  m->module = tocha_module_retain(module);
  m->generation = tocha_module_generation(module) - 1; /* its parts are yet to be looked up */
  remember_module(L, m);
  lua_replace(L, -3);
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

/* Brings MODULE_PARTS in step with a module that C changed. */
void refresh_module_parts(lua_State *L, int index, module_box *m) {
  index = lua_absindex(L, index);
  luaL_checkstack(L, 8, NULL);
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

/* A registered member that is not among the parts yet; false: no such member. */
static bool push_member(lua_State *L, const module_box *m, const char *name) {
  tocha_tensor *tensor = NULL;
  tocha_module *child = NULL;
  if (tocha_module_member(m->module, name, &tensor, &child) == TOCHA_NO_MEMBER) return false;
  if (child)
    push_module(L, child);
  else
    push_shared_tensor(L, tensor);
  lua_getiuservalue(L, 1, MODULE_PARTS);
  lua_pushvalue(L, -2);
  lua_setfield(L, -2, name);
  lua_pop(L, 1);
  return true;
}

/* The number of a constructor's parameter; -1: no such parameter. */
static int find_option(const tocha_module *m, const char *name) {
  const tocha_module_class *class = tocha_module_class_of(m);
  for (int i = 0; i < class->parameter_count; i++)
    if (strcmp(class->parameters[i].name, name) == 0) return i;
  return -1;
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
    push_dtype(L, o->value.dtype);
    return true;
  case TOCHA_KIND_DEVICE:
    push_device(L, o->value.device);
    return true;
  case TOCHA_KIND_INTS:
  case TOCHA_KIND_DIMS:
  case TOCHA_KIND_SIZE:
    lua_createtable(L, o->count, 0);
    for (int i = 0; i < o->count; i++) {
      lua_pushinteger(L, o->value.ints[i]);
      lua_rawseti(L, -2, i + 1);
    }
    return true;
  default:
    lua_pushinteger(L, o->value.integer);
    return true;
  }
}

/* An absent field is nil, as in any table, but where it looks like a slip of the hand: PyTorch's error. */
static int check_slip(lua_State *L, const tocha_module *m, const char *name) {
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
  if (!near) return 0;
  return raise_hinted(
      L, TOCHA_ATTRIBUTE_ERROR,
      lua_pushfstring(L, "did you mean '%s'? (a field that is no slip of one letter is nil)", near),
      "'%s' object has no attribute '%s'", tocha_module_name(m), name);
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
  lua_getiuservalue(L, 1, MODULE_CLASS);
  lua_pushvalue(L, 2);
  if (lua_gettable(L, -2) != LUA_TNIL) return 1;
  if (strcmp(name, "training") == 0) {
    lua_pushboolean(L, tocha_module_training(m->module));
    return 1;
  }
  if (push_option(L, m->module, name)) return 1;
  if (strchr(name, ':')) return push_slice(L, m->module, name) ? 1 : 0;
  return check_slip(L, m->module, name);
}

/* Forgets the plain value and any member of another kind that goes by the name. */
static void remove_others(lua_State *L, tocha_module *m, const char *name, tocha_member_kind kind) {
  tocha_member_kind old = tocha_module_member(m, name, NULL, NULL);
  if (old != TOCHA_NO_MEMBER && old != kind) tocha_module_remove(m, name);
  lua_getiuservalue(L, 1, MODULE_FIELDS);
  lua_pushnil(L);
  lua_setfield(L, -2, name);
  lua_pop(L, 1);
}

/* An option of the class's constructor assigned to: dropout.p = 0.2. */
static bool set_option(lua_State *L, tocha_module *m, const char *name) {
  int index = find_option(m, name);
  if (index < 0) return false;
  tocha_arg value;
  read_field(L, name, &tocha_module_class_of(m)->parameters[index], 3, &value);
  if (!tocha_module_set_option(CX(L), m, index, &value)) raise_error(L);
  return true;
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
  if (old != TOCHA_NO_MEMBER || to_module(L, 3) || (t && tocha_is_parameter(t)))
    return assign_tensor_or_module(L, m, name, old);
  if (strcmp(name, "training") == 0) {
    tocha_module_set_training(m, lua_toboolean(L, 3));
    return 0;
  }
  if (set_option(L, m, name)) return 0;
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
  binding *b = binding_of(L);
  lua_State *outer = b->calling;
  b->calling = L;
  char *text = tocha_module_to_string(b->cx, m);
  b->calling = outer;
  if (!text) return raise_error(L);
  lua_pushstring(L, text);
  free(text);
  return 1;
}

static int module_concat(lua_State *L) {
  lua_settop(L, 2);
  push_format(L, 1);
  push_format(L, 2);
  lua_concat(L, 2);
  return 1;
}

static int module_len(lua_State *L) {
  tocha_module *m = check_module(L, 1);
  if (tocha_module_class_of(m)->container == TOCHA_CONTAINER_NONE)
    return raise_message(L, TOCHA_TYPE_ERROR, "object of type '%s' has no len()",
                         tocha_module_name(m));
  lua_pushinteger(L, container_length(m));
  return 1;
}

static int module_pairs(lua_State *L) {
  tocha_module *m = check_module(L, 1);
  if (tocha_module_class_of(m)->container == TOCHA_CONTAINER_NONE)
    return raise_message(L, TOCHA_TYPE_ERROR, "'%s' object is not iterable", tocha_module_name(m));
  lua_pushcfunction(L, next_member);
  lua_pushvalue(L, 1);
  lua_pushnil(L);
  return 3;
}

/* --- classes --------------------------------------------------------------------------------- */

/* The class of the list behind the class table at index. */
static const tocha_module_class *builtin_of(lua_State *L, int index) {
  int type = luaL_getmetafield(L, index, "builtin"), i = 0;
  if (type == LUA_TNIL) return NULL;
  const void *class = type == LUA_TLIGHTUSERDATA ? lua_touserdata(L, -1) : NULL;
  lua_pop(L, 1);
  while (tocha_module_class_at(i) && tocha_module_class_at(i) != class)
    i++; /* a table may say anything */
  return tocha_module_class_at(i);
}

/* A size that is no number reaches torch.empty in PyTorch, whose message says so. */
static void check_sizes(lua_State *L, const tocha_module_class *class, const call *c) {
  if (class->parameter_count < 2 || strcmp(class->parameters[0].name, "in_features") != 0) return;
  for (int i = 1; i >= 0; i--) {
    int index = c->first + i;
    if (i < c->n && lua_type(L, index) != LUA_TNUMBER && !to_tensor(L, index))
      raise_message(L, TOCHA_TYPE_ERROR,
                    "empty(): argument 'size' failed to unpack the object at pos %d with error "
                    "\"type must be tuple of ints,but got %s\"",
                    2 - i, python_type(L, index));
  }
}

/* (module, arguments...): what the constructor of a class of the list does. */
static int builtin_init(lua_State *L) {
  const tocha_module_class *class = lua_touserdata(L, lua_upvalueindex(1));
  tocha_module *m = check_module(L, 1);
  tocha_context *cx = CX(L);
  char name[96];
  tocha_arg args[TOCHA_MAX_PARAMETERS];
  if (class == tocha_module_class_at(0) && tocha_module_class_of(m) != class) return 0;
  if (tocha_module_class_of(m) != class)
    return raise_message(L, TOCHA_TYPE_ERROR, "%s.__init__() is for a module of another class (%s)",
                         class->name, tocha_module_name(m));
  if (class->container != TOCHA_CONTAINER_NONE) {
    init_container(L, m);
    return 0;
  }
  if (strcmp(class->name, "Identity") == 0) return 0;
  snprintf(name, sizeof name, "%s.__init__", class->declared);
  signature s = {.function = name,
                 .parameters = class->parameters,
                 .count = (uint8_t) class->parameter_count,
                 .positional = (uint8_t) class->positional,
                 .constructor = true,
                 .python = true,
                 .spread = true};
  argument_arena a;
  mismatch why;
  call c = split_call(L, 2, 0);
  a.used = 0;
  if (!fit_arguments(L, &s, &c, &a, args, &why)) {
    complain_as_python(L, &s, &c);
    check_sizes(L, class, &c);
    return raise_mismatch(L, &s, &c, &why);
  }
  tocha_scope scope = tocha_scope_begin(cx);
  bool ok = tocha_module_init(cx, m, args);
  tocha_scope_end(cx, scope, NULL);
  return ok ? 0 : raise_error(L);
}

/* class(arguments...) */
static int construct(lua_State *L) {
  const tocha_module_class *class = builtin_of(L, 1);
  if (!class) return luaL_argerror(L, 1, "a class of modules expected");
  const char *name = NULL;
  int arguments = lua_gettop(L) - 1;
  binding *b = binding_of(L);
  if (luaL_getmetafield(L, 1, "name") == LUA_TSTRING) name = lua_tostring(L, -1);
  lua_settop(L, arguments + 1);
  module_box *box = push_module_box(L, 1);
  box->module =
      tocha_module_new(b->cx, class, name && strcmp(name, class->name) != 0 ? name : NULL);
  if (!box->module) return raise_error(L);
  remember_module(L, box);
  if (name && strcmp(name, class->name) != 0) { /* a class written in Lua */
    tocha_host_object host_object = {b, host_object_forward, host_object_extra_repr};
    tocha_module_set_host_object(box->module, &host_object);
  }
  lua_insert(L, 2);
  lua_getfield(L, 1, "init");
  lua_insert(L, 3);
  lua_pushvalue(L, 2);
  lua_insert(L, 4);
  lua_call(L, arguments + 1, 0);
  box->generation = tocha_module_generation(box->module);
  refresh_module_parts(L, 2, box);
  lua_settop(L, 2);
  return 1;
}

static int class_tostring(lua_State *L) {
  const char *name = luaL_getmetafield(L, 1, "name") == LUA_TSTRING ? lua_tostring(L, -1) : "?";
  const tocha_module_class *builtin = builtin_of(L, 1);
  bool own = builtin && strcmp(builtin->name, name) == 0;
  lua_pushfstring(L, own ? "<class 'torch.nn.%s'>" : "<class '%s'>", name);
  return 1;
}

/* Gives the table at the top the metatable of a class; base: index of its base, 0 for none. */
static void make_class(lua_State *L, const char *name, const tocha_module_class *builtin,
                       int base) {
  if (base) base = lua_absindex(L, base);
  lua_createtable(L, 0, 8);
  lua_pushstring(L, name);
  lua_setfield(L, -2, "name");
  lua_pushliteral(L, "torch.nn.class");
  lua_pushvalue(L, -1);
  lua_setfield(L, -3, "__metatable");
  lua_setfield(L, -2, "__name");
  lua_pushlightuserdata(L, (void *)builtin);
  lua_setfield(L, -2, "builtin");
  lua_pushcfunction(L, construct);
  lua_setfield(L, -2, "__call");
  lua_pushcfunction(L, class_tostring);
  lua_setfield(L, -2, "__tostring");
  if (base) {
    lua_pushvalue(L, base);
    lua_setfield(L, -2, "__index");
    lua_pushvalue(L, base);
    lua_setfield(L, -2, "base");
  }
  lua_setmetatable(L, -2);
}

/* class:extend "Name" */
static int extend(lua_State *L) {
  const tocha_module_class *builtin = builtin_of(L, 1);
  if (lua_type(L, 1) != LUA_TTABLE || !builtin)
    return raise_hinted(L, TOCHA_TYPE_ERROR, "write: local Net = nn.Module:extend \"Net\"",
                        "extend() is a method of classes");
  const char *name = luaL_checkstring(L, 2);
  lua_newtable(L);
  make_class(L, name, builtin, 1);
  return 1;
}

/* module:isinstance(class), or of any class in a table. */
static int isinstance(lua_State *L) {
  if (!to_module(L, 1)) {
    lua_pushboolean(L, 0);
    return 1;
  }
  if (lua_type(L, 2) == LUA_TTABLE && !builtin_of(L, 2)) {
    lua_Integer n = luaL_len(L, 2);
    bool any = false;
    for (lua_Integer i = 1; i <= n && !any; i++) {
      lua_pushcfunction(L, isinstance);
      lua_pushvalue(L, 1);
      lua_rawgeti(L, 2, i);
      lua_call(L, 2, 1);
      any = lua_toboolean(L, -1);
      lua_pop(L, 1);
    }
    lua_pushboolean(L, any);
    return 1;
  }
  lua_getiuservalue(L, 1, MODULE_CLASS);
  bool found = lua_rawequal(L, -1, 2);
  while (!found && luaL_getmetafield(L, -1, "base") != LUA_TNIL) {
    lua_remove(L, -2);
    found = lua_rawequal(L, -1, 2);
  }
  lua_pushboolean(L, found);
  return 1;
}

/* --- opening --------------------------------------------------------------------------------- */

static void open_metatable(lua_State *L) {
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
  lua_pop(L, 1);
}

/* Whether what the class needs is there: the list may name operators of a later day. */
static bool complete(const tocha_module_class *class) {
  return !class->op || tocha_find_operator(class->op);
}

void open_modules(lua_State *L, int torch) {
  static const luaL_Reg methods[] = {{"extend", extend},
                                     {"isinstance", isinstance},
                                     {"extra_repr", module_extra_repr},
                                     {NULL, NULL}};
  torch = lua_absindex(L, torch);
  open_metatable(L);
  lua_getfield(L, torch, "nn");
  int nn = lua_gettop(L);
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &classes_key);
  int classes = lua_gettop(L);
  for (int i = 0; tocha_module_class_at(i); i++) {
    const tocha_module_class *class = tocha_module_class_at(i);
    if (!complete(class)) continue;
    lua_newtable(L);
    lua_pushlightuserdata(L, (void *)class);
    lua_pushcclosure(L, builtin_init, 1);
    lua_setfield(L, -2, "init");
    if (tocha_module_class_has_forward(class)) {
      lua_pushcfunction(L, module_forward);
      lua_setfield(L, -2, "forward");
    }
    if (i == 0) {
      luaL_setfuncs(L, methods, 0);
      register_functions(L, -1, "Module");
      make_class(L, class->name, class, 0);
    } else {
      lua_getfield(L, nn, "Module");
      lua_insert(L, -2);
      make_class(L, class->name, class, -2);
      lua_remove(L, -2);
    }
    lua_pushvalue(L, -1);
    lua_setfield(L, classes, class->name);
    lua_setfield(L, nn, class->name);
  }
  open_containers(L, nn);
  open_state_dict(L);
  open_nn_functions(L, nn);
  lua_settop(L, nn - 1);
}
