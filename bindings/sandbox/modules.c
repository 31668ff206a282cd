/* modules.c: require of a sandbox: torch's parts, and text in the host's folder. */
#include "sandbox/sandbox.h"

#include <string.h>

#include "sandbox/confined.h"

/* Writes the file of a module: "a.b" is a/b.lua. Returns false if the name is none. */
static bool module_path(const char *name, char *path, size_t capacity) {
  size_t length = strlen(name);
  if (length + 5 > capacity || length == 0 || strchr(name, '/')) return false;
  for (size_t i = 0; i < length; i++) path[i] = name[i] == '.' ? '/' : name[i];
  memcpy(path + length, ".lua", 5);
  return true;
}

typedef struct module_text {
  FILE *file;
  char bytes[4096];
} module_text;

static const char *read_text(lua_State *L, void *user, size_t *size) {
  module_text *m = user;
  (void)L;
  *size = fread(m->bytes, 1, sizeof m->bytes, m->file);
  return *size ? m->bytes : NULL;
}

/* Pushes the chunk of a file in the folder. Returns false and pushes nothing if there is no such
 * file. Raises if it is no Lua. [-0, +(0|1), e] */
static bool push_file(lua_State *L, sandbox *s, const char *name) {
  char path[512];
  module_text m;
  if (!module_path(name, path, sizeof path)) return false;
  m.file = open_sandbox_file(s, path, "rb");
  if (!m.file) return false;
  const char *chunk = lua_pushfstring(L, "@%s", path);
  int status = lua_load(L, read_text, &m, chunk, "t");
  fclose(m.file);
  lua_remove(L, -2);
  check_status(L, s, status);
  if (status != LUA_OK)
    luaL_error(L, "error loading module '%s':\n\t%s", name, lua_tostring(L, -1));
  return true;
}

/* Pushes the chunk that the host's function has. Returns false and pushes nothing if it has none.
 * [-0, +(0|1), e] */
static bool push_source(lua_State *L, sandbox *s, const char *name) {
  size_t size = 0;
  const char *text = s->source ? s->source(s->source_user, name, &size) : NULL;
  if (!text) return false;
  const char *chunk = lua_pushfstring(L, "@%s", name);
  int status = luaL_loadbufferx(L, text, size, chunk, "t");
  lua_remove(L, -2);
  check_status(L, s, status);
  if (status != LUA_OK)
    luaL_error(L, "error loading module '%s':\n\t%s", name, lua_tostring(L, -1));
  return true;
}

void set_module_source(lua_State *L,
                       const char *(*source)(void *user, const char *module, size_t *size),
                       void *user) {
  sandbox *s = find_sandbox(L);
  if (!s) return;
  s->source = source;
  s->source_user = user;
}

/* require(name) */
static int require(lua_State *L) {
  sandbox *s = sandbox_of(L);
  const char *name = luaL_checkstring(L, 1);
  lua_settop(L, 1);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  if (lua_getfield(L, 2, name) != LUA_TNIL) return 1;
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  const char *place = ":preload:";
  if (lua_getfield(L, -1, name) == LUA_TNIL) {
    if (!push_source(L, s, name) && !push_file(L, s, name))
      return luaL_error(L, "module '%s' not found: a sandbox has torch's modules%s", name,
                        s->folder >= 0 ? " and those in its folder" : "");
    place = name;
  }
  lua_pushvalue(L, 1);
  lua_pushstring(L, place);
  lua_call(L, 2, 1);
  if (!lua_isnil(L, -1)) lua_setfield(L, 2, name);
  if (lua_getfield(L, 2, name) != LUA_TNIL) return 1;
  lua_pushboolean(L, true);
  lua_pushvalue(L, -1);
  lua_setfield(L, 2, name);
  return 1;
}

void open_sandbox_modules(lua_State *L) {
  static const luaL_Reg functions[] = {{"require", require}, {NULL, NULL}};
  set_sandbox_functions(L, functions);
}
