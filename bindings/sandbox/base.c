/* base.c: the basic functions of a sandbox that differ from Lua's: none runs bytecode, shows an
 * address, or sets a finalizer. */
#include "sandbox/sandbox.h"

#include <string.h>

#include "sandbox/confined.h"

/* --- text without addresses ------------------------------------------------------------------------- */

static const char named_key = 0; /* registry: a weak table from values to their numbers */

/* Pushes the number of the value at `index`, the same each time. [-0, +1, m] */
static void push_number_of(lua_State *L, sandbox *s, int index) {
  index = lua_absindex(L, index);
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &named_key) != LUA_TTABLE) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_createtable(L, 0, 1);
    lua_pushliteral(L, "k");
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &named_key);
  }
  lua_pushvalue(L, index);
  if (lua_rawget(L, -2) == LUA_TNIL) {
    lua_pop(L, 1);
    lua_pushvalue(L, index);
    lua_pushinteger(L, ++s->named);
    lua_rawset(L, -3);
    lua_pushinteger(L, s->named);
  }
  lua_remove(L, -2);
}

/* Returns true if tostring would show an address. */
static bool shows_address(lua_State *L, int index) {
  int type = lua_type(L, index);
  bool has_address = type == LUA_TTABLE || type == LUA_TFUNCTION || type == LUA_TUSERDATA ||
                     type == LUA_TTHREAD || type == LUA_TLIGHTUSERDATA;
  if (!has_address || luaL_getmetafield(L, index, "__tostring") == LUA_TNIL) return has_address;
  lua_pop(L, 1);
  return false;
}

const char *push_shown(lua_State *L, sandbox *s, int index, size_t *length) {
  if (!shows_address(L, index)) return luaL_tolstring(L, index, length);
  index = lua_absindex(L, index);
  bool named = luaL_getmetafield(L, index, "__name") == LUA_TSTRING;
  const char *kind = named ? lua_tostring(L, -1) : luaL_typename(L, index);
  char number[32];
  push_number_of(L, s, index);
  snprintf(number, sizeof number, "0x%08llx", (unsigned long long)lua_tointeger(L, -1));
  lua_pop(L, 1);
  const char *text = lua_pushfstring(L, "%s: %s", kind, number);
  if (length) *length = strlen(text);
  if (lua_gettop(L) > 1 && named) lua_remove(L, -2);
  return text;
}

const char *show_value(lua_State *L, int index, size_t *length) {
  sandbox *s = find_sandbox(L);
  return s ? push_shown(L, s, index, length) : luaL_tolstring(L, index, length);
}

const void *shown_address(lua_State *L, const void *address) {
  return find_sandbox(L) ? NULL : address;
}

static int to_string(lua_State *L) {
  luaL_checkany(L, 1);
  push_shown(L, sandbox_of(L), 1, NULL);
  return 1;
}

static int print(lua_State *L) {
  sandbox *s = sandbox_of(L);
  int count = lua_gettop(L);
  for (int i = 1; i <= count; i++) {
    size_t length;
    const char *text = push_shown(L, s, i, &length);
    if (i > 1) write_output(s, "\t", 1, false);
    write_output(s, text, length, false);
    lua_pop(L, 1);
  }
  write_output(s, "\n", 1, false);
  check_sandbox(L, s);
  return 0;
}

/* --- code ----------------------------------------------------------------------------------------------- */

/* Reads pieces of a chunk from the function at index 1. Each stays at index `PIECE` while it is read. */
enum { PIECE = 5 };
static const char *read_piece(lua_State *L, void *user, size_t *size) {
  sandbox *s = user;
  luaL_checkstack(L, 2, "too many nested functions");
  check_sandbox(L, s);
  lua_pushvalue(L, 1);
  lua_call(L, 0, 1);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    *size = 0;
    return NULL;
  }
  if (!lua_isstring(L, -1)) luaL_error(L, "reader function must return a string");
  lua_replace(L, PIECE);
  return lua_tolstring(L, PIECE, size);
}

/* load(chunk, name, mode, environment), for text only. */
static int load_text(lua_State *L) {
  sandbox *s = sandbox_of(L);
  size_t length;
  const char *text = lua_tolstring(L, 1, &length);
  const char *name = luaL_optstring(L, 2, text ? text : "=(load)");
  const char *mode = luaL_optstring(L, 3, "t");
  bool has_environment = !lua_isnone(L, 4);
  if (!text) luaL_checktype(L, 1, LUA_TFUNCTION);
  if (!strchr(mode, 't')) {
    lua_pushnil(L);
    lua_pushliteral(L, "a sandbox loads no bytecode, only text");
    return 2;
  }
  lua_settop(L, PIECE);
  int status =
      text ? luaL_loadbufferx(L, text, length, name, "t") : lua_load(L, read_piece, s, name, "t");
  check_status(L, s, status);
  if (status != LUA_OK) {
    lua_pushnil(L);
    lua_insert(L, -2);
    return 2;
  }
  if (has_environment) {
    lua_pushvalue(L, 4);
    if (!lua_setupvalue(L, -2, 1)) lua_pop(L, 1);
  }
  return 1;
}

/* --- values ---------------------------------------------------------------------------------------------- */

/* setmetatable(table, metatable). A finalizer in the metatable is not called, because it would run
 * without a limit: Lua sets no hooks for it. */
static int set_metatable(lua_State *L) {
  int type = lua_type(L, 2);
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_argexpected(L, type == LUA_TNIL || type == LUA_TTABLE, 2, "nil or table");
  if (luaL_getmetafield(L, 1, "__metatable") != LUA_TNIL)
    return luaL_error(L, "cannot change a protected metatable");
  lua_settop(L, 2);
  lua_pushvalue(L, lua_upvalueindex(2)); /* "__gc" */
  if (type == LUA_TNIL || lua_rawget(L, 2) == LUA_TNIL) {
    lua_settop(L, 2);
    lua_setmetatable(L, 1);
    return 1;
  }
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_pushnil(L);
  lua_rawset(L, 2); /* Lua marks a table for its finalizer when it gets the metatable */
  lua_pushvalue(L, 2);
  lua_setmetatable(L, 1);
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_pushvalue(L, 3);
  lua_rawset(L, 2);
  lua_settop(L, 1);
  return 1;
}

/* collectgarbage(option): "collect", "step" and "count". The other options have no effect. */
static int collect_garbage(lua_State *L) {
  const char *option = luaL_optstring(L, 1, "collect");
  if (strcmp(option, "count") == 0) {
    lua_pushnumber(L, lua_gc(L, LUA_GCCOUNT) + lua_gc(L, LUA_GCCOUNTB) / 1024.0);
    return 1;
  }
  if (strcmp(option, "isrunning") == 0 || strcmp(option, "step") == 0) {
    lua_pushboolean(L, true);
    return 1;
  }
  if (strcmp(option, "generational") == 0 || strcmp(option, "incremental") == 0) {
    lua_pushliteral(L, "generational");
    return 1;
  }
  if (strcmp(option, "collect") == 0) lua_gc(L, LUA_GCCOLLECT);
  lua_pushinteger(L, 0);
  return 1;
}

/* math.randomseed(...). Without arguments the seed is random, and not made of an address as Lua's own
 * is. [-0, +0, e] */
static int random_seed(lua_State *L) {
  lua_Integer seeds[2];
  if (lua_gettop(L) == 0 && platform_random_bytes(seeds, sizeof seeds)) {
    lua_pushinteger(L, seeds[0]);
    lua_pushinteger(L, seeds[1]);
  }
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, 0);
  return 0;
}

/* A lua_WarnFunction. A message such as "@on" is for Lua's own. */
static void warn_by_output(void *user, const char *message, int continues) {
  sandbox *s = user;
  if (message[0] == '@' && !continues) return;
  write_output(s, message, strlen(message), true);
  if (!continues) write_output(s, "\n", 1, true);
}

void open_sandbox_random(lua_State *L, sandbox *s) {
  lua_pushlightuserdata(L, s);
  lua_getfield(L, -2, "randomseed");
  lua_pushcclosure(L, random_seed, 2);
  lua_pushvalue(L, -1);
  lua_call(L, 0, 0);
  lua_setfield(L, -2, "randomseed");
}

void open_sandbox_base(lua_State *L) {
  static const luaL_Reg functions[] = {{"tostring", to_string},
                                       {"print", print},
                                       {"load", load_text},
                                       {"collectgarbage", collect_garbage},
                                       {NULL, NULL}};
  static const char *const without[] = {"dofile", "loadfile"};
  set_sandbox_functions(L, functions);
  lua_pushlightuserdata(L, find_sandbox(L));
  lua_pushliteral(L, "__gc");
  lua_pushcclosure(L, set_metatable, 2);
  lua_setfield(L, -2, "setmetatable");
  for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
    lua_pushnil(L);
    lua_setfield(L, -2, without[i]);
  }
  lua_setwarnf(L, warn_by_output, find_sandbox(L));
}
