/* metatable.c: the metatable of tensors: text, length, rows, and errors for operations that
 * tensors lack. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lua/binding.h"

/* Frees the memory of a tensor at once (t:free() and <close>). The tensor is unusable
 * afterwards. */
static int tensor_free(lua_State *L) {
  tocha_tensor *t = check_tensor(L, 1, "free", "self", 0);
  tocha_tensor_forget(t);
  return 0;
}

static int tensor_close(lua_State *L) { return to_tensor(L, 1) ? tensor_free(L) : 0; }

/* --- text --------------------------------------------------------------------------------------- */

static int tensor_tostring(lua_State *L) {
  tocha_tensor *t = check_tensor(L, 1, "tostring", "self", 0);
  return push_text(L, tocha_to_string(CX(L), t));
}

static int tensor_concat(lua_State *L) {
  lua_settop(L, 2);
  push_format(L, 1);
  push_format(L, 2);
  lua_concat(L, 2);
  return 1;
}

/* --- calls: tensors are not callable ------------------------------------------------------------- */

static int tensor_call(lua_State *L) {
  const char *text = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : NULL, *hint = NULL;
  if (text)
    hint = lua_pushfstring(
        L, "x[[...]] is a call with a text in Lua; write x[{%s}], or x[{{%s}}] for a list of rows",
        text, text);
  else if (lua_gettop(L) == 3 && lua_isnil(L, 2)) /* the call of a generic `for` */
    hint = "the rows of a tensor: for i, row in pairs(x) do";
  else if (lua_type(L, 2) == LUA_TTABLE || lua_type(L, 2) == LUA_TNUMBER)
    hint = "an element or a row is x[i]";
  return raise_hinted(L, TOCHA_TYPE_ERROR, hint, "'Tensor' object is not callable");
}

/* --- length, rows ------------------------------------------------------------------------------------ */

static int tensor_len(lua_State *L) {
  tocha_tensor *t = check_tensor(L, 1, "len", "self", 0);
  if (tocha_ndim(t) == 0) return raise_message(L, TOCHA_TYPE_ERROR, "len() of a 0-d tensor");
  lua_pushinteger(L, tocha_sizes(t)[0]);
  return 1;
}

static int next_row(lua_State *L) {
  tocha_tensor *t = check_tensor(L, 1, "pairs", "self", 0);
  lua_Integer i = lua_isnoneornil(L, 2) ? -1 : luaL_checkinteger(L, 2);
  if (tocha_ndim(t) == 0 || i < -1 || i >= tocha_sizes(t)[0] - 1) return 0;
  i++;
  lua_pushinteger(L, i);
  lua_pushvalue(L, 1);
  lua_pushinteger(L, i);
  lua_gettable(L, -2);
  lua_remove(L, -2);
  return 2;
}

static int tensor_pairs(lua_State *L) {
  tocha_tensor *t = check_tensor(L, 1, "pairs", "self", 0);
  if (tocha_ndim(t) == 0) return raise_message(L, TOCHA_TYPE_ERROR, "len() of a 0-d tensor");
  lua_pushcfunction(L, next_row);
  lua_pushvalue(L, 1);
  lua_pushnil(L);
  return 3;
}

/* --- the metatable --------------------------------------------------------------------------------------- */

void open_tensor(lua_State *L, int methods) {
  static const luaL_Reg events[] = {{"__gc", collect_tensor},        {"__close", tensor_close},
                                    {"__tostring", tensor_tostring}, {"__concat", tensor_concat},
                                    {"__len", tensor_len},           {"__call", tensor_call},
                                    {"__pairs", tensor_pairs},       {NULL, NULL}};
  binding *b = binding_of(L);
  methods = lua_absindex(L, methods);
  lua_newtable(L);
  lua_pushvalue(L, -1);
  b->tensor_metatable = luaL_ref(L, LUA_REGISTRYINDEX);
  luaL_setfuncs(L, events, 0);
  lua_pushstring(L, "torch.Tensor");
  lua_setfield(L, -2, "__name");
  lua_pushstring(L, "torch.Tensor");
  lua_setfield(L, -2, "__metatable");
  open_arithmetic(L);
  lua_pushvalue(L, methods);
  lua_pushcclosure(L, index_tensor, 1);
  lua_setfield(L, -2, "__index");
  lua_pushvalue(L, methods);
  lua_pushcclosure(L, newindex_tensor, 1);
  lua_setfield(L, -2, "__newindex");
  lua_pop(L, 1);
  lua_pushcfunction(L, tensor_free);
  lua_setfield(L, methods, "free");
}
