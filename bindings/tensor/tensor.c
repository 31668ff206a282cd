/* tensor.c: the tensor userdata: ownership, metamethods, attributes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lua/binding.h"

/* Every userdata of a tensor begins with this tag, so that a check is two comparisons. */
typedef struct box {
  const void *tag;
  tocha_tensor *tensor; /* NULL until set, and after collection */
} box;
static const char tensor_tag = 0;

/* --- ownership ---------------------------------------------------------------------------------- */

tocha_tensor *to_tensor(lua_State *L, int index) {
  box *b = lua_touserdata(L, index); /* a light one has no length */
  return b && lua_rawlen(L, index) >= sizeof *b && b->tag == &tensor_tag ? b->tensor : NULL;
}

tocha_tensor *check_tensor(lua_State *L, int index, const char *op, const char *name,
                           int position) {
  tocha_tensor *t = to_tensor(L, index);
  if (!t)
    raise_hinted(L, TOCHA_TYPE_ERROR, tensor_hint(L, index),
                 "%s(): argument '%s' (position %d) must be Tensor, not %s", op, name, position,
                 python_type(L, index));
  return t;
}

static void push_box(lua_State *L, binding *b, tocha_tensor *t) {
  box *u = lua_newuserdatauv(L, sizeof *u, 0); /* the userdata exists before its resource */
  u->tag = &tensor_tag;
  u->tensor = NULL;
  lua_rawgeti(L, LUA_REGISTRYINDEX, b->tensor_metatable);
  lua_setmetatable(L, -2);
  u->tensor = tocha_retain(t);
}

void push_new_tensor(lua_State *L, binding *b, tocha_tensor *t) {
  push_box(L, b, t);
  if (b->stress) collect_garbage(L, b);
}

void push_tensor(lua_State *L, tocha_tensor *t) { push_new_tensor(L, binding_of(L), t); }

void share_tensor(lua_State *L, int index) {
  index = lua_absindex(L, index);
  tocha_tensor *t = to_tensor(L, index);
  if (!t) return;
  lua_rawgeti(L, LUA_REGISTRYINDEX, binding_of(L)->objects);
  lua_pushvalue(L, index);
  lua_rawsetp(L, -2, t);
  lua_pop(L, 1);
}

void push_shared_tensor(lua_State *L, tocha_tensor *t) {
  if (!t) {
    lua_pushnil(L);
    return;
  }
  binding *b = binding_of(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, b->objects);
  if (lua_rawgetp(L, -1, t) != LUA_TUSERDATA || to_tensor(L, -1) != t) {
    lua_pop(L, 1);
    push_box(L, b, t);
    if (tocha_is_uninitialized(t)) mark_uninitialized(L);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, -3, t);
  }
  lua_remove(L, -2);
}

static int tensor_gc(lua_State *L) {
  tocha_tensor *t = to_tensor(L, 1);
  if (!t) return 0;
  box *b = lua_touserdata(L, 1);
  b->tensor = NULL;
  tocha_release(t);
  return 0;
}

/* t:free() and <close>: gives the memory back now; the tensor is unusable afterwards. */
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

void push_format(lua_State *L, int index) {
  tocha_tensor *t = to_tensor(L, index);
  tocha_scalar s;
  if (!t || tocha_ndim(t) != 0 || tocha_device_of(t).type == TOCHA_META) {
    luaL_tolstring(L, index, NULL);
  } else if (!tocha_item(CX(L), t, &s)) {
    raise_error(L);
  } else if (s.kind == TOCHA_SCALAR_FLOAT) {
    char text[32];
    lua_pushstring(L, tocha_format_float(s.value.real, text));
  } else if (s.kind == TOCHA_SCALAR_BOOL) {
    lua_pushstring(L, s.value.integer ? "True" : "False");
  } else {
    lua_pushfstring(L, "%I", (LUAI_UACINT)s.value.integer);
  }
}

static int tensor_concat(lua_State *L) {
  lua_settop(L, 2);
  push_format(L, 1);
  push_format(L, 2);
  lua_concat(L, 2);
  return 1;
}

/* --- calls, which tensors do not take ------------------------------------------------------------ */

static int tensor_call(lua_State *L) {
  const char *text = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : NULL, *hint = NULL;
  if (text)
    hint = lua_pushfstring(
        L, "x[[...]] is a call with a text in Lua; write x[{%s}], or x[{{%s}}] for a list of rows",
        text, text);
  else if (lua_gettop(L) == 3 && lua_isnil(L, 2)) /* what `for` asks */
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
  static const luaL_Reg events[] = {{"__gc", tensor_gc},
                                    {"__close", tensor_close},
                                    {"__tostring", tensor_tostring},
                                    {"__concat", tensor_concat},
                                    {"__len", tensor_len},
                                    {"__call", tensor_call},
                                    {"__pairs", tensor_pairs},
                                    {NULL, NULL}};
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
