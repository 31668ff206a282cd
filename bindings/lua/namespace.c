/* namespace.c: the namespaces of torch (torch.nn.functional) and its parts that are written in
 * Lua, each loaded when its name is first read. */
#include <string.h>

#include "lua/options.h"

/* --- the parts written in Lua ----------------------------------------------------------------- */

bool is_public_part(const char *name) { return strncmp(name, "torch.", 6) == 0; }

/* Pushes the value of a part ("torch.utils.data": lua/torch/utils/data/init.lua; "numpy.print":
 * lua/parts/numpy/print.lua). The file runs once and receives torch. Returns false and pushes
 * nothing if there is no such part. [-0, +(0|1), e] */
bool push_part(lua_State *L, const char *name) {
  size_t size;
  luaL_getsubtable(L, LUA_REGISTRYINDEX, "tocha.parts");
  if (lua_getfield(L, -1, name) == LUA_TNIL) {
    lua_pop(L, 1);
    const char *source = binding_of(L)->hooks->source(name, &size);
    if (!source) {
      lua_pop(L, 1);
      return false;
    }
    lua_pushfstring(L, "=[tocha] %s", name);
    if (luaL_loadbufferx(L, source, size, lua_tostring(L, -1), "t") != LUA_OK) lua_error(L);
    lua_remove(L, -2);
    lua_getfield(L, LUA_REGISTRYINDEX, "tocha.torch");
    lua_call(L, 1, 1);
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, name);
  }
  lua_remove(L, -2);
  return true;
}

/* torch._part(name) returns the value of a part, also of one that belongs to no public name
 * ("support"). */
static int part(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  return push_part(L, name) ? 1 : luaL_error(L, "torch: no part named '%s'", name);
}

/* torch._source(name) returns the text of a part, or nil if there is none. Without a name it
 * returns the names of all parts. */
static int source(lua_State *L) {
  const binding_hooks *hooks = binding_of(L)->hooks;
  if (lua_isnoneornil(L, 1)) {
    lua_newtable(L);
    for (int i = 0; hooks->source_name(i); i++) {
      lua_pushstring(L, hooks->source_name(i));
      lua_rawseti(L, -2, i + 1);
    }
    return 1;
  }
  size_t size;
  const char *text = hooks->source(luaL_checkstring(L, 1), &size);
  if (!text) return 0;
  lua_pushlstring(L, text, size);
  return 1;
}

/* --- namespaces ------------------------------------------------------------------------------- */

/* Returns the value of a part that was not loaded yet, or raises PyTorch's error with a hint:
 * the __index of namespaces. Upvalue: the namespace's own name, "torch.nn". */
static int unknown_name(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  const char *key = lua_tostring(L, 2), *space = lua_tostring(L, lua_upvalueindex(1));
  if (!key || strncmp(key, "__", 2) == 0) { /* names that Lua's own libraries ask of any table */
    lua_pushnil(L);
    return 1;
  }
  const char *name = lua_pushfstring(L, "%s.%s", space, key);
  if (is_public_part(name) && push_part(L, name)) {
    lua_pushvalue(L, 2);
    lua_pushvalue(L, -2);
    lua_rawset(L, 1);
    return 1;
  }
  return raise_hinted(L, TOCHA_ATTRIBUTE_ERROR, push_name_hint(L, 1, space, key),
                      "module '%s' has no attribute '%s'", space, key);
}

static int namespace_tostring(lua_State *L) {
  lua_pushfstring(L, "<module '%s'>", lua_tostring(L, lua_upvalueindex(1)));
  return 1;
}

/* Pushes the value that a dotted name leads to: "torch.nn.functional". [-0, +1, e] */
static void push_by_name(lua_State *L, const char *name) {
  lua_getfield(L, LUA_REGISTRYINDEX, "tocha.torch");
  name += strcspn(name, ".");
  while (*name++ == '.') {
    size_t length = strcspn(name, ".");
    lua_pushlstring(L, name, length);
    lua_gettable(L, -2);
    lua_remove(L, -2);
    name += length;
  }
}

/* Returns the namespace `name`: the loader in package.preload for every namespace.
 * "torchvision.io" is torch.vision.io. */
static int preload(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  if (strncmp(name, "torchvision", 11) == 0) name = lua_pushfstring(L, "torch.vision%s", name + 11);
  push_by_name(L, name);
  return 1;
}

static void add_preload(lua_State *L, const char *name) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  lua_pushcfunction(L, preload);
  lua_setfield(L, -2, name);
  lua_pop(L, 1);
}

void make_namespace(lua_State *L, int index, const char *name) {
  index = lua_absindex(L, index);
  lua_createtable(L, 0, 3);
  lua_pushstring(L, name);
  lua_pushcclosure(L, unknown_name, 1);
  lua_setfield(L, -2, "__index");
  lua_pushstring(L, name);
  lua_pushcclosure(L, namespace_tostring, 1);
  lua_setfield(L, -2, "__tostring");
  lua_pushliteral(L, "module");
  lua_setfield(L, -2, "__name");
  lua_setmetatable(L, index);
}

void push_namespace(lua_State *L, const char *name) {
  lua_getfield(L, LUA_REGISTRYINDEX, "tocha.torch");
  for (const char *end = name; *end; end += *end == '.') {
    const char *start = end;
    end += strcspn(end, ".");
    lua_pushlstring(L, start, (size_t)(end - start));
    lua_pushvalue(L, -1);
    if (lua_rawget(L, -3) != LUA_TTABLE) {
      lua_pop(L, 1);
      lua_newtable(L);
      const char *whole =
          lua_pushfstring(L, "torch.%s", name); /* cut below, after the component that is made */
      lua_pushlstring(L, whole, strlen("torch.") + (size_t)(end - name));
      make_namespace(L, -3, lua_tostring(L, -1));
      add_preload(L, lua_tostring(L, -1));
      lua_pop(L, 2);
      lua_pushvalue(L, -2);
      lua_pushvalue(L, -2);
      lua_rawset(L, -5);
    }
    lua_replace(L, -3);
    lua_pop(L, 1);
  }
}

/* torch._namespace(table, name) makes a table a namespace and returns the table. */
static int namespace_(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  make_namespace(L, 1, luaL_checkstring(L, 2));
  lua_settop(L, 1);
  return 1;
}

void open_namespaces(lua_State *L, int torch) {
  static const luaL_Reg functions[] = {{"_part", part},
                                       {"_parts", push_parts},
                                       {"_source", source},
                                       {"_namespace", namespace_},
                                       {NULL, NULL}};
  lua_pushvalue(L, torch);
  luaL_setfuncs(L, functions, 0);
  lua_pop(L, 1);
  const char *name;
  bool only_torch = options_of(L)->given.leave & TOCHA_LUA_LEAVE_PRELOAD;
  for (int i = 0; (name = binding_of(L)->hooks->source_name(i)) != NULL; i++) {
    if (is_public_part(name)) add_preload(L, name);
    if (strncmp(name, "torch.vision", 12) != 0 || only_torch) continue;
    add_preload(L, lua_pushfstring(L, "torchvision%s", name + 12));
    lua_pop(L, 1);
  }
  for (int i = 0; (name = left_out_name(i)) != NULL; i++)
    add_preload(L, name); /* `require` gives the hint, too */
}

/* --- before torch itself is required ------------------------------------------------------------ */

int open_by_name(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  lua_getglobal(L, "require");
  lua_pushliteral(L, "torch");
  lua_call(L, 1, 1);
  push_by_name(L, name);
  return 1;
}
