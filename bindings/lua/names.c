/* names.c: hints for unknown names: names that only PyTorch has (lua/hints/pytorch_names.lua),
 * and the nearest name that exists. */
#include <stdio.h>
#include <string.h>

#include "lua/binding.h"

/* Returns true if `text` has `word` between spaces or newlines. */
static bool has_word(const char *text, const char *word) {
  size_t length = strlen(word);
  for (const char *at = text; (at = strstr(at, word)); at += length)
    if (at > text && (at[-1] == ' ' || at[-1] == '\n') && (at[length] == ' ' || at[length] == '\n'))
      return true;
  return false;
}

bool pytorch_has(lua_State *L, const char *space, const char *name) {
  int top = lua_gettop(L);
  if (!name[0] || !push_part(L, "hints.pytorch_names")) return false;
  bool found = lua_getfield(L, -1, space) == LUA_TSTRING && has_word(lua_tostring(L, -1), name);
  lua_settop(L, top);
  return found;
}

/* The names that a build without torch.distributed leaves out, with all that is in them (bindings/binding.cmake). */
static const char *const left_out[] = {
    "torch.distributed",     "torch.distributed.algorithms",
    "torch.distributed.nn",  "torch.distributed.optim",
    "torch.multiprocessing", "torch.nn.parallel.DistributedDataParallel",
};

static bool has_distributed(lua_State *L) {
  lua_getfield(L, LUA_REGISTRYINDEX, "tocha.torch");
  lua_pushliteral(L, "_distributed");
  bool found = lua_rawget(L, -2) != LUA_TNIL;
  lua_pop(L, 2);
  return found;
}

/* Returns true if this build leaves a name out. */
static bool is_left_out(lua_State *L, const char *space, const char *name) {
  const char *path = lua_pushfstring(L, "%s.%s", space, name);
  bool found = false;
  for (int i = 0; !found && i < TOCHA_COUNT(left_out); i++) {
    size_t length = strlen(left_out[i]);
    found = strncmp(path, left_out[i], length) == 0 && (!path[length] || path[length] == '.');
  }
  lua_pop(L, 1);
  return found && !has_distributed(L);
}

const char *left_out_name(int index) {
  return index < TOCHA_COUNT(left_out) ? left_out[index] : NULL;
}

/* Returns the name of a public part within a namespace ("save" for torch.save in torch), or NULL
 * if the part is not directly in that namespace. */
static const char *part_within(const char *part, const char *space) {
  size_t length = strlen(space);
  if (!is_public_part(part) || strncmp(part, space, length) != 0 || part[length] != '.')
    return NULL;
  const char *name = part + length + 1;
  return name[0] == '_' || strchr(name, '.') ? NULL : name;
}

int push_parts(lua_State *L) {
  const binding_hooks *hooks = binding_of(L)->hooks;
  const char *space = luaL_checkstring(L, 1), *part, *name;
  lua_newtable(L);
  for (int i = 0; (part = hooks->source_name(i)) != NULL; i++) {
    if (!(name = part_within(part, space))) continue;
    lua_pushstring(L, name);
    lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
  }
  return 1;
}

/* Returns the name nearest to `name` among all names of a namespace, loaded or not, or NULL if
 * none is near. */
static const char *nearest_name(lua_State *L, int table, const char *space, const char *name) {
  const binding_hooks *hooks = binding_of(L)->hooks;
  const char *part, *within;
  nearest n = nearest_to(name);
  compare_keys(L, table, &n);
  for (int i = 0; (part = hooks->source_name(i)) != NULL; i++)
    if ((within = part_within(part, space)) != NULL) compare_name(&n, within);
  return n.name;
}

const char *push_name_hint(lua_State *L, int table, const char *space, const char *name) {
  table = lua_absindex(L, table);
  if (is_left_out(L, space, name))
    return lua_pushliteral(
        L, "this build has no torch.distributed (it was made with TOCHA_DISTRIBUTED=OFF)");
  if (pytorch_has(L, space, name))
    return lua_pushfstring(L, "PyTorch has %s.%s; Tocha does not yet", space, name);
  const char *near = nearest_name(L, table, space, name);
  if (near) return lua_pushfstring(L, "did you mean '%s.%s'?", space, near);
  lua_pushnil(L);
  return NULL;
}

/* Returns true if a letter more, less or different, or two neighbours that changed places, make
 * the difference between `a` and `b`. */
static bool is_slip(const char *a, const char *b) {
  size_t i = 0, n = strlen(a), m = strlen(b);
  while (a[i] && a[i] == b[i]) i++;
  if (n == m && a[i] && a[i + 1] == b[i] && a[i] == b[i + 1] && strcmp(a + i + 2, b + i + 2) == 0)
    return true;
  if (n == m) return a[i] && strcmp(a + i + 1, b + i + 1) == 0;
  return n == m + 1 ? strcmp(a + i + 1, b + i) == 0 : m == n + 1 && strcmp(a + i, b + i + 1) == 0;
}

const char *find_slip(lua_State *L, int table, const char *name) {
  const char *found = NULL;
  table = lua_absindex(L, table);
  if (strlen(name) < 4 || strpbrk(name, "0123456789")) return NULL;
  for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1))
    if (lua_type(L, -2) == LUA_TSTRING && lua_tostring(L, -2)[0] != '_' &&
        is_slip(name, lua_tostring(L, -2)))
      found = lua_tostring(L, -2);
  return found; /* the table keeps the text */
}
