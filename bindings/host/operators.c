/* operators.c: operators that a host or a module in C defines for scripts. */
#include <stdlib.h>
#include <string.h>

#include "lua/binding.h"
#include "tocha/lua.h"

enum { PARAMETER = 4, MAX_NUMBERS = 16 }; /* stack index; numbers in a default */

static uint8_t kind_named(lua_State *L, const char *name) {
  static const char *const names[TOCHA_KIND_COUNT] = {
      "tensor", "operand", "scalar", "int",    "dim",  "index",   "float",     "bool", "string",
      "dtype",  "device",  "ints",   "floats", "dims", "tensors", "generator", "size", "any"};
  for (int i = 0; i < TOCHA_KIND_ANY; i++)
    if (strcmp(names[i], name) == 0) return (uint8_t)i;
  return (uint8_t)luaL_error(L, "operators have no parameters of kind '%s'", name);
}

static bool flag_field(lua_State *L, const char *name) {
  lua_getfield(L, PARAMETER, name);
  bool flag = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return flag;
}

/* Returns the text of a field, which the table keeps alive, or NULL. */
static const char *text_field(lua_State *L, const char *name) {
  lua_getfield(L, PARAMETER, name);
  const char *text = lua_tostring(L, -1);
  lua_pop(L, 1);
  return text;
}

static tocha_scalar scalar_of(const char *text) {
  if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) return tocha_boolean(*text == 't');
  return strpbrk(text, ".eEn") ? tocha_float(strtod(text, NULL))
                               : tocha_int(strtoll(text, NULL, 10));
}

/* Reads the default of p. `numbers` is memory for those of a list. */
static void read_default(lua_State *L, const char *text, tocha_parameter *p, int64_t *numbers) {
  tocha_arg *arg = &p->default_value;
  size_t length = strlen(text);
  p->has_default = arg->given = true;
  switch (p->kind) {
  case TOCHA_KIND_OPERAND:
  case TOCHA_KIND_SCALAR:
    arg->value.scalar = scalar_of(text);
    return;
  case TOCHA_KIND_INT:
  case TOCHA_KIND_DIM:
  case TOCHA_KIND_INDEX:
    arg->value.integer = strtoll(text, NULL, 10);
    return;
  case TOCHA_KIND_FLOAT:
    arg->value.real = strtod(text, NULL);
    return;
  case TOCHA_KIND_BOOL:
    arg->value.flag = strcmp(text, "true") == 0;
    return;
  case TOCHA_KIND_STRING:
    if (length >= 2 && (*text == '"' || *text == '\''))
      lua_pushlstring(L, text + 1, length - 2);
    else
      lua_pushlstring(L, text, length);
    arg->value.string = lua_tostring(L, -1);
    lua_setfield(L, PARAMETER, "default"); /* keeps the text alive */
    return;
  case TOCHA_KIND_INTS:
  case TOCHA_KIND_DIMS:
  case TOCHA_KIND_SIZE:
    arg->value.ints = numbers;
    text += *text == '[';
    for (char *end; arg->count < MAX_NUMBERS; text = end + strspn(end, ", ")) {
      numbers[arg->count] = strtoll(text, &end, 10);
      if (end == text) return;
      arg->count++;
    }
    return;
  default:
    luaL_error(L, "parameter '%s' cannot have the default '%s'", p->name, text);
  }
}

/* Reads the parameter at index PARAMETER. */
static void read_parameter(lua_State *L, tocha_parameter *p, int64_t *numbers) {
  memset(p, 0, sizeof *p);
  p->name = text_field(L, "name");
  p->python = text_field(L, "python");
  p->kind = kind_named(L, text_field(L, "kind"));
  p->optional = flag_field(L, "optional");
  p->stated = flag_field(L, "stated");
  p->keyword_only = flag_field(L, "keyword_only");
  p->variadic = flag_field(L, "variadic");
  p->single = flag_field(L, "single");
  p->holes = flag_field(L, "holes");
  p->words = flag_field(L, "words");
  const char *text = text_field(L, "default");
  if (text) read_default(L, text, p, numbers);
}

/* (definition: light userdata) */
static int define(lua_State *L) {
  tocha_definition d = *(const tocha_definition *)lua_touserdata(L, 1);
  tocha_parameter parameters[TOCHA_MAX_PARAMETERS];
  int64_t numbers[TOCHA_MAX_PARAMETERS][MAX_NUMBERS];
  lua_settop(L, 0);
  push_part(L, "operator");
  lua_pushstring(L, d.name ? d.name : "?");
  lua_pushstring(L, d.signature ? d.signature : "");
  lua_call(L, 2, PARAMETER - 1); /* parameters, positional, results */
  d.parameter_count = table_length(L, 1);
  d.positional = (int)lua_tointeger(L, 2);
  d.result_count = (int)lua_tointeger(L, 3);
  if (d.parameter_count > TOCHA_MAX_PARAMETERS)
    return luaL_error(L, "%s has too many parameters", d.name);
  for (int i = 0; i < d.parameter_count; i++) {
    lua_rawgeti(L, 1, i + 1);
    read_parameter(L, &parameters[i], numbers[i]);
    lua_settop(L, PARAMETER - 1);
  }
  d.parameters = parameters;
  const tocha_op *op = tocha_define_operator(CX(L), &d);
  if (!op) return raise_error(L);
  register_defined(L, op);
  return 0;
}

void tocha_lua_define(lua_State *L, const tocha_definition *definition) {
  need_stack(L, 4);
  lua_pushcfunction(L, define);
  lua_pushlightuserdata(L, (void *)definition);
  lua_call(L, 1, 0);
}
