/* argument_hints.c: hints for arguments that do not fit, chosen by the given value. */
#include <string.h>

#include "arguments/arguments.h"

static const char WHOLE_FLOAT[] = "in Lua 6 / 2 is the float 3.0; use 6 // 2, or math.tointeger";

const char *number_hint(lua_State *L, int index) {
  const char *hint = NULL;
  int type = lua_type(L, index), is_whole;
  lua_tointegerx(L, index, &is_whole);
  if (type == LUA_TNUMBER && !lua_isinteger(L, index) && is_whole) return WHOLE_FLOAT;
  if (type == LUA_TSTRING && lua_isnumber(L, index))
    return lua_pushfstring(L, "a string is no number: tonumber(\"%s\")", lua_tostring(L, index));
  if (type != LUA_TTABLE) return NULL;
  luaL_checkstack(L, 2 * TOCHA_MAX_DIMS, NULL);
  for (int i = 1, n = table_length(L, index); i <= n && i <= TOCHA_MAX_DIMS && !hint; i++)
    if (lua_rawgeti(L, index, i) != LUA_TTABLE) hint = number_hint(L, lua_gettop(L));
  return hint;
}

const char *colon_of_namespace_hint(lua_State *L) {
  lua_Debug callee;
  if (lua_type(L, 1) != LUA_TTABLE || !lua_getstack(L, 0, &callee) ||
      !lua_getinfo(L, "n", &callee) || strcmp(callee.namewhat, "method") != 0)
    return NULL;
  return lua_pushfstring(L, "functions and classes of torch are called with a dot: .%s(...)",
                         callee.name);
}

const char *kind_hint(lua_State *L, const tocha_parameter *p, int index) {
  bool integers = strstr(p->python, "int") != NULL;
  if (integers && lua_type(L, index) == LUA_TNUMBER && !lua_isinteger(L, index)) return WHOLE_FLOAT;
  if (p->kind == TOCHA_KIND_TENSOR && lua_type(L, index) == LUA_TTABLE)
    return tensor_hint(L, index);
  if (p->kind == TOCHA_KIND_TENSORS && to_tensor(L, index))
    return "put the tensors into a table: {a, b}";
  if (p->kind == TOCHA_KIND_DTYPE && lua_type(L, index) == LUA_TSTRING) {
    const char *text = lua_tostring(L, index);
    if (strncmp(text, "torch.", 6) == 0) text += 6;
    return lua_pushfstring(L, "a dtype is not a string: dtype = torch.%s", text);
  }
  bool numbers = integers || p->kind == TOCHA_KIND_FLOAT || p->kind == TOCHA_KIND_SCALAR ||
                 p->kind == TOCHA_KIND_OPERAND || p->kind == TOCHA_KIND_FLOATS;
  const char *hint = numbers ? number_hint(L, index) : NULL;
  return hint ? hint : colon_of_namespace_hint(L);
}

const char *results_hint(lua_State *L, const call *c) {
  tocha_tensor *values = c->n > 1 ? to_tensor(L, c->first + c->n - 2) : NULL;
  tocha_tensor *indices = c->n > 1 ? to_tensor(L, c->first + c->n - 1) : NULL;
  if (!values || !indices || tocha_dtype_of(indices) != TOCHA_INT64 ||
      tocha_ndim(values) != tocha_ndim(indices))
    return NULL;
  return "a call that gives values and indices fills two arguments; parentheses keep the first: "
         "(x:max(1))";
}

const char *call_hint(lua_State *L, const call *c) {
  const char *hint = NULL;
  for (int i = 0; i < c->n && !hint; i++) hint = number_hint(L, c->first + i);
  for (const char *name = NULL; c->kw && !hint && (name = next_keyword(L, c->kw, name));) {
    luaL_checkstack(L, 8, NULL);
    lua_getfield(L, c->kw, name);
    hint = number_hint(L, lua_gettop(L));
  }
  return hint;
}
