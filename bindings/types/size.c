/* size.c: torch.Size in Lua. */
#include <stdlib.h>
#include <string.h>

#include "lua/binding.h"

static const char SIZE[] = "torch.Size";

typedef struct size_box {
  int ndim;
  int64_t sizes[]; /* ndim numbers */
} size_box;

void tocha_lua_push_size(lua_State *L, int ndim, const int64_t *sizes) {
  size_box *s = lua_newuserdatauv(L, sizeof *s + (size_t)ndim * sizeof *sizes, 0);
  s->ndim = ndim;
  if (ndim) memcpy(s->sizes, sizes, (size_t)ndim * sizeof *sizes);
  luaL_setmetatable(L, SIZE);
}

const int64_t *tocha_lua_to_size(lua_State *L, int index, int *ndim) {
  const size_box *s = luaL_testudata(L, index, SIZE);
  *ndim = s ? s->ndim : -1;
  return s ? s->sizes : NULL;
}

static int size_tostring(lua_State *L) {
  const size_box *s = luaL_checkudata(L, 1, SIZE);
  char text[TOCHA_MAX_DIMS * 22];
  lua_pushfstring(L, "torch.Size(%s)", tocha_shape_text(s->ndim, s->sizes, text, sizeof text));
  return 1;
}

static int size_len(lua_State *L) {
  lua_pushinteger(L, ((size_box *)luaL_checkudata(L, 1, SIZE))->ndim);
  return 1;
}

static int size_eq(lua_State *L) {
  const size_box *a = luaL_testudata(L, 1, SIZE), *b = luaL_testudata(L, 2, SIZE);
  lua_pushboolean(L, a && b && a->ndim == b->ndim &&
                         memcmp(a->sizes, b->sizes, (size_t)a->ndim * sizeof *a->sizes) == 0);
  return 1;
}

static int size_numel(lua_State *L) {
  const size_box *s = luaL_checkudata(L, 1, SIZE);
  uint64_t n = 1; /* wraps, as in PyTorch */
  for (int i = 0; i < s->ndim; i++) n *= (uint64_t)s->sizes[i];
  lua_pushinteger(L, (lua_Integer)n);
  return 1;
}

/* Returns the first position, from 0, of a value in a size: shape:index(value [, start [,
 * stop]]). */
static int size_position(lua_State *L) {
  const size_box *s = luaL_checkudata(L, 1, SIZE);
  lua_Number value = luaL_checknumber(L, 2);
  lua_Integer start = luaL_optinteger(L, 3, 0), stop = luaL_optinteger(L, 4, s->ndim);
  if (start < 0) start = start + s->ndim < 0 ? 0 : start + s->ndim;
  if (stop < 0) stop += s->ndim;
  for (lua_Integer i = start; i < stop && i < s->ndim; i++)
    if ((lua_Number)s->sizes[i] == value) {
      lua_pushinteger(L, i);
      return 1;
    }
  return raise_message(L, TOCHA_VALUE_ERROR, "tuple.index(x): x not in tuple");
}

/* Returns how often a value occurs in a size: shape:count(value). */
static int size_count(lua_State *L) {
  const size_box *s = luaL_checkudata(L, 1, SIZE);
  lua_Integer count = 0;
  for (int i = 0; i < s->ndim; i++)
    count += lua_type(L, 2) == LUA_TNUMBER && (lua_Number)s->sizes[i] == lua_tonumber(L, 2);
  lua_pushinteger(L, count);
  return 1;
}

static int size_unpack(lua_State *L) {
  const size_box *s = luaL_checkudata(L, 1, SIZE);
  need_stack(L, s->ndim);
  for (int i = 0; i < s->ndim; i++) lua_pushinteger(L, s->sizes[i]);
  return s->ndim;
}

static int size_tolist(lua_State *L) {
  const size_box *s = luaL_checkudata(L, 1, SIZE);
  lua_createtable(L, s->ndim, 0);
  for (int i = 0; i < s->ndim; i++) {
    lua_pushinteger(L, s->sizes[i]);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

static lua_CFunction method_named(const char *key) {
  static const luaL_Reg methods[] = {{"numel", size_numel},
                                     {"index", size_position},
                                     {"count", size_count},
                                     {"unpack", size_unpack},
                                     {"tolist", size_tolist}};
  for (int i = 0; i < TOCHA_COUNT(methods); i++)
    if (strcmp(key, methods[i].name) == 0) return methods[i].func;
  return NULL;
}

/* Returns a number, a part of a size or a method: shape[0] (negative from the end), shape["1:"],
 * shape.numel. */
static int size_index(lua_State *L) {
  const size_box *s = luaL_checkudata(L, 1, SIZE);
  if (lua_isinteger(L, 2)) {
    lua_Integer i = lua_tointeger(L, 2);
    if (i < 0) i += s->ndim;
    if (i < 0 || i >= s->ndim)
      return raise_hinted(L, TOCHA_INDEX_ERROR, counting_hint(L), "tuple index out of range");
    lua_pushinteger(L, s->sizes[i]);
    return 1;
  }
  const char *key = lua_tostring(L, 2), *colon = key ? strchr(key, ':') : NULL;
  if (!key)
    return raise_message(L, TOCHA_TYPE_ERROR, "attribute name must be string, not '%s'",
                         python_type(L, 2));
  lua_CFunction method = method_named(key);
  if (method) {
    lua_pushcfunction(L, method);
  } else if (colon) {
    long start = colon == key ? 0 : strtol(key, NULL, 10);
    long stop = colon[1] ? strtol(colon + 1, NULL, 10) : s->ndim;
    if (start < 0) start = start + s->ndim < 0 ? 0 : start + s->ndim;
    if (stop < 0) stop += s->ndim;
    if (stop > s->ndim) stop = s->ndim;
    tocha_lua_push_size(L, stop > start ? (int)(stop - start) : 0,
                        s->sizes + (start < s->ndim ? start : 0));
  } else {
    return raise_message(L, TOCHA_ATTRIBUTE_ERROR, "'torch.Size' object has no attribute '%s'",
                         key);
  }
  return 1;
}

static int next_size(lua_State *L) {
  const size_box *s = luaL_checkudata(L, 1, SIZE);
  lua_Integer i = lua_isnoneornil(L, 2) ? -1 : luaL_checkinteger(L, 2);
  if (i < -1 || i >= s->ndim - 1) return 0;
  i++;
  lua_pushinteger(L, i);
  lua_pushinteger(L, s->sizes[i]);
  return 2;
}

static int size_pairs(lua_State *L) {
  lua_pushcfunction(L, next_size);
  lua_pushvalue(L, 1);
  lua_pushnil(L);
  return 3;
}

/* torch.Size{2, 3} returns a size. */
static int new_size(lua_State *L) {
  int64_t sizes[TOCHA_MAX_DIMS];
  luaL_checktype(L, 1, LUA_TTABLE);
  int n = table_length(L, 1);
  luaL_argcheck(L, n <= TOCHA_MAX_DIMS, 1, "too many dimensions");
  for (int i = 0; i < n; i++) {
    lua_rawgeti(L, 1, i + 1);
    sizes[i] = luaL_checkinteger(L, -1);
    lua_pop(L, 1);
  }
  tocha_lua_push_size(L, n, sizes);
  return 1;
}

void open_sizes(lua_State *L, int torch) {
  static const luaL_Reg events[] = {
      {"__tostring", size_tostring}, {"__len", size_len},     {"__eq", size_eq},
      {"__index", size_index},       {"__pairs", size_pairs}, {NULL, NULL}};
  make_metatable(L, SIZE, events);
  lua_pushcfunction(L, new_size);
  lua_setfield(L, torch, "Size");
}
