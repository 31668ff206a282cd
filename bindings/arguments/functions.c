/* functions.c: calls of the functions that functions.lua lists, and the same reader of arguments
 * for functions written in Lua. */
#include "arguments/functions.h"

#include <string.h>

#include "function_table.h"

/* Moves the block, a function in last place, to index 1. Returns the index of the first of the
 * other arguments. [-0, +0, -] */
static int take_block(lua_State *L) {
  if (lua_type(L, -1) != LUA_TFUNCTION) return 1;
  lua_insert(L, 1);
  return 2;
}

/* Fills the arguments of a call with nothing but self: x:item(), x:size(). All others have
 * defaults. Returns false if self is not a tensor but should be one. */
static bool read_self(lua_State *L, const signature *s, tocha_arg *args) {
  if (s->parameters[0].kind == TOCHA_KIND_TENSOR) {
    args[0].tensor = to_tensor(L, 1);
    if (!args[0].tensor) return false;
  } else {
    args[0].value.integer = 1;
  }
  args[0].given = true;
  for (int i = 1; i < s->count; i++) args[i] = s->parameters[i].default_value;
  args[s->count].given = false; /* no block */
  return true;
}

/* Returns true if the argument at index 1 is an object of the method's class. */
static bool has_self(lua_State *L, const binding *b, const function_entry *f) {
  if (strcmp(f->space, "Module") == 0) return b->hooks->to_module(L, 1) != NULL;
  if (strcmp(f->space, "Optimizer") == 0) return b->hooks->to_optimizer(L, 1) != NULL;
  if (strcmp(f->space, "Tensor") == 0) return to_tensor(L, 1) != NULL;
  return lua_type(L, 1) == LUA_TUSERDATA;
}

int raise_without_self(lua_State *L, const char *class, const char *method) {
  bool tensor = strcmp(class, "Tensor") == 0;
  const char *object = tensor                            ? "x"
                       : strcmp(class, "Module") == 0    ? "model"
                       : strcmp(class, "Optimizer") == 0 ? "optimizer"
                                                         : "object";
  const char *given = lua_isnone(L, 1) ? NULL : python_type(L, 1);
  const char *hint =
      lua_pushfstring(L, "a method is called with a colon: %s:%s(...)", object, method);
  if (lua_type(L, 1) == LUA_TTABLE && strcmp(class, "Module") == 0)
    hint = "a table is no module: local Net = nn.Module:extend \"Net\", and Net() makes one";
  if (!tensor)
    return raise_hinted(L, TOCHA_TYPE_ERROR, hint,
                        "%s.%s() missing 1 required positional argument: 'self'", class, method);
  if (!given)
    return raise_hinted(L, TOCHA_TYPE_ERROR, hint,
                        "unbound method TensorBase.%s() needs an argument", method);
  return raise_hinted(
      L, TOCHA_TYPE_ERROR, hint,
      "descriptor '%s' for 'torch._C.TensorBase' objects doesn't apply to a '%s' object", method,
      given);
}

/* Calls a function of the list. Upvalue: its entry. */
static int call_function(lua_State *L) {
  const function_entry *f = lua_touserdata(L, lua_upvalueindex(1));
  const signature *s = &f->signature;
  argument_arena a;
  tocha_arg args[MAX_FUNCTION_PARAMETERS];
  mismatch why;
  binding *b = binding_of(L);
  charge_collector(L, b);
  bool method = f->space[0] >= 'A' && f->space[0] <= 'Z'; /* not "torch..." */
  if (method && !has_self(L, b, f)) return raise_without_self(L, f->space, f->name);
  if (f->alone && lua_gettop(L) == 1 && read_self(L, s, args)) return f->call(L, args);
  int first = f->block && lua_gettop(L) > 0 ? take_block(L) : 1;
  call c = split_call(L, first, s->taken);
  a.used = 0;
  if (!fit_call(L, s, &c, &a, args, &why))
    return tocha_failed(CX(L)) ? raise_error(L) : raise_mismatch(L, s, &c, &why);
  args[s->count].given = first == 2;
  return f->call(L, args);
}

void register_functions(lua_State *L, int index, const char *space) {
  index = lua_absindex(L, index);
  for (const function_entry *f = binding_of(L)->hooks->functions; f->space; f++) {
    if (strcmp(f->space, space) != 0) continue;
    lua_pushlightuserdata(L, (void *)f);
    lua_pushcclosure(L, call_function, 1);
    lua_setfield(L, index, f->name);
  }
}

/* torch._functions(space) returns a table of the functions of a space, for a namespace that Lua
 * makes. */
static int functions_of(lua_State *L) {
  const char *space = luaL_checkstring(L, 1);
  lua_newtable(L);
  register_functions(L, -1, space);
  return 1;
}

/* --- functions written in Lua -------------------------------------------------------------------------------- */

/* A reader made by torch._reader. Its user values keep the names alive. */
typedef struct reader {
  signature signature;
  tocha_parameter parameters[];
} reader;

/* Pushes an argument. Returns false and pushes nothing if it was omitted or is nil.
 * [-0, +(0|1), -] */
static bool push_given(lua_State *L, const tocha_parameter *p, const tocha_arg *arg) {
  if (!arg->given) return false;
  if (p->kind == TOCHA_KIND_INT) {
    lua_pushinteger(L, arg->value.integer);
    return true;
  }
  if (lua_isnil(L, any_index(arg))) return false;
  lua_pushvalue(L, any_index(arg));
  return true;
}

/* Raises for a string of digits if the default of the parameter is a number. The function would
 * otherwise treat the string as a number, or fail inside torch. Upvalue 2: the defaults. */
static void refuse_digits(lua_State *L, const signature *s, int parameter, const tocha_arg *arg) {
  const tocha_parameter *p = &s->parameters[parameter];
  if (p->kind != TOCHA_KIND_ANY || !arg->given) return;
  int index = any_index(arg);
  if (lua_type(L, index) != LUA_TSTRING || !lua_isnumber(L, index)) return;
  bool number = lua_rawgeti(L, lua_upvalueindex(2), parameter + 1) == LUA_TNUMBER;
  bool integer = lua_isinteger(L, -1);
  lua_pop(L, 1);
  if (number)
    raise_hinted(L, TOCHA_TYPE_ERROR, number_hint(L, index),
                 "%s(): argument '%s' must be %s, not str", s->function, p->name,
                 integer ? "int" : "float");
}

/* Returns a table of the arguments by name. Upvalues: the reader, its defaults by number. */
static int read_for_lua(lua_State *L) {
  reader *r = lua_touserdata(L, lua_upvalueindex(1));
  const signature *s = &r->signature;
  tocha_arg *args = lua_newuserdatauv(L, (size_t)(s->count + 1) * sizeof *args, 0);
  lua_insert(L, 1);
  read_arguments(L, s, 2, args);
  lua_createtable(L, 0, s->count);
  for (int i = 0; i < s->count; i++) {
    refuse_digits(L, s, i, &args[i]);
    if (!push_given(L, &s->parameters[i], &args[i])) lua_rawgeti(L, lua_upvalueindex(2), i + 1);
    lua_setfield(L, -2, s->parameters[i].name);
  }
  return 1;
}

static bool field_flag(lua_State *L, int index, const char *name) {
  lua_getfield(L, index, name);
  bool flag = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return flag;
}

/* Returns the string in a field. The table keeps the string alive. [-0, +0, e] */
static const char *field_text(lua_State *L, int index, const char *name) {
  lua_getfield(L, index, name);
  const char *text = luaL_checkstring(L, -1);
  lua_pop(L, 1);
  return text;
}

/* Returns the kind of a single value from its name in PyTorch's messages. */
static uint8_t kind_of(lua_State *L, const char *python) {
  static const struct {
    const char *python;
    uint8_t kind;
  } kinds[] = {{"object", TOCHA_KIND_ANY},
               {"Tensor", TOCHA_KIND_TENSOR},
               {"int", TOCHA_KIND_INT},
               {"float", TOCHA_KIND_FLOAT},
               {"Number", TOCHA_KIND_SCALAR},
               {"bool", TOCHA_KIND_BOOL},
               {"str", TOCHA_KIND_STRING},
               {"torch.dtype", TOCHA_KIND_DTYPE},
               {"torch.device", TOCHA_KIND_DEVICE},
               {"torch.Generator", TOCHA_KIND_GENERATOR}};
  for (int i = 0; i < TOCHA_COUNT(kinds); i++)
    if (strcmp(kinds[i].python, python) == 0) return kinds[i].kind;
  return (uint8_t)luaL_error(L, "torch._define: no argument is read as '%s'", python);
}

/* torch._reader(name, parameters, positional, defaults) returns a function that reads arguments
 * (see lua/parts/define.lua). A name with a dot is that of a method. Python counts its self,
 * even if it is not among the parameters. */
static int new_reader(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  luaL_checktype(L, 2, LUA_TTABLE);
  luaL_checktype(L, 4, LUA_TTABLE);
  lua_settop(L, 4);
  int count = table_length(L, 2);
  luaL_argcheck(L, count < UINT8_MAX, 2, "too many parameters");
  reader *r = lua_newuserdatauv(L, sizeof *r + (size_t)count * sizeof *r->parameters, 2);
  memset(r, 0, sizeof *r + (size_t)count * sizeof *r->parameters);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, 5, 1);
  lua_pushvalue(L, 2);
  lua_setiuservalue(L, 5, 2);
  signature s = {.function = name,
                 .parameters = r->parameters,
                 .count = (uint8_t)count,
                 .positional = (uint8_t)luaL_checkinteger(L, 3),
                 .python = true,
                 .values = true};
  for (int i = 0; i < count; i++) {
    tocha_parameter *p = &r->parameters[i];
    lua_rawgeti(L, 2, i + 1);
    p->name = field_text(L, 6, "name");
    p->python = field_text(L, 6, "python");
    p->kind = kind_of(L, p->python);
    p->optional = field_flag(L, 6, "optional");
    p->keyword_only = field_flag(L, 6, "keyword_only");
    lua_settop(L, 5);
  }
  s.self_count = count > 0 && strcmp(r->parameters[0].name, "self") == 0;
  s.constructor = strchr(name, '.') && !s.self_count;
  r->signature = s;
  lua_pushvalue(L, 4);
  lua_pushcclosure(L, read_for_lua, 2);
  return 1;
}

/* torch._number_hint(value) returns the hint for a whole float or a string of digits instead of
 * an integer, or nil. */
static int number_hint_for_lua(lua_State *L) {
  lua_settop(L, 1);
  lua_pushstring(L, number_hint(L, 1));
  return 1;
}

/* torch._split(...) returns the positional arguments as a table, their number, and the keywords
 * as a table. */
static int split_for_lua(lua_State *L) {
  call c = split_call(L, 1, 0);
  lua_createtable(L, c.n, 0);
  for (int i = 0; i < c.n; i++) {
    lua_pushvalue(L, c.first + i);
    lua_rawseti(L, -2, i + 1);
  }
  lua_pushinteger(L, c.n);
  if (c.kw)
    lua_pushvalue(L, c.kw);
  else
    lua_newtable(L);
  return 3;
}

bool push_function_help(lua_State *L, int index) {
  if (lua_tocfunction(L, index) != call_function || !lua_getupvalue(L, index, 1)) return false;
  const function_entry *f = lua_touserdata(L, -1);
  lua_pushfstring(L, "%s%s\n    %s", f->name, f->text, f->doc);
  return true;
}

void open_functions(lua_State *L, int torch, int methods) {
  static const luaL_Reg own[] = {{"_functions", functions_of},
                                 {"_reader", new_reader},
                                 {"_split", split_for_lua},
                                 {"_number_hint", number_hint_for_lua},
                                 {NULL, NULL}};
  lua_pushvalue(L, torch);
  luaL_setfuncs(L, own, 0);
  lua_pop(L, 1);
  register_functions(L, torch, "torch");
  register_functions(L, methods, "Tensor");
  push_namespace(L, "autograd");
  register_functions(L, -1, "torch.autograd");
  lua_getfield(L, torch, "default_generator");
  lua_getmetatable(L, -1);
  lua_newtable(L);
  register_functions(L, -1, "Generator");
  lua_setfield(L, -2, "methods");
  lua_pop(L, 3);
}
