/* names.c: the values of a Lua state that every Lua state of this process has, too, by their
 * paths: torch and everything reachable from it; Lua's libraries; the modules that `require`
 * finds.
 *
 * A path is a root and steps. Each is a letter and a text that ends with a NUL. Roots: 'r' the
 * module of that name, 'p' the part of torch, 'g' the globals. Steps: '.' the field, '^' the
 * upvalue of that number, 'm' the metatable. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lualib.h>

#include "data/parcel.h"

static const char names_key = 0; /* registry: value -> path */

/* Stack indices for the walk: the table of names, and the queue of values whose contents are
 * still to be visited. */
typedef struct walk {
  int names, queue;
  lua_Integer count;
} walk;

/* Returns true if a function is written in C, or is Lua code of torch's own. [-0, +0, m] */
static bool is_own(lua_State *L, int index) {
  lua_Debug ar;
  lua_pushvalue(L, index);
  lua_getinfo(L, ">S", &ar);
  return *ar.what == 'C' || strncmp(ar.source, "=[tocha]", 8) == 0;
}

static bool can_be_named(lua_State *L, int index) {
  int type = lua_type(L, index);
  if (type == LUA_TFUNCTION) return is_own(L, index);
  return type == LUA_TTABLE || type == LUA_TUSERDATA;
}

/* Records a path for the value at the top, unless it has one: the path at index `path` and one
 * more step. Queues the value. [-1, +0, m] */
static void note(lua_State *L, walk *w, int path, char kind, const char *step) {
  lua_pushvalue(L, -1);
  bool known = !can_be_named(L, -1) || lua_rawget(L, w->names) != LUA_TNIL;
  if (known) {
    lua_pop(L, 2);
    return;
  }
  lua_pop(L, 1);
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  lua_pushvalue(L, path);
  luaL_addvalue(&b);
  luaL_addchar(&b, kind);
  luaL_addlstring(&b, step, strlen(step) + 1);
  luaL_pushresult(&b);
  lua_pushvalue(L, -2);
  lua_rawseti(L, w->queue, ++w->count);
  lua_rawset(L, w->names);
}

static bool is_weak(lua_State *L, int index) {
  if (!lua_getmetatable(L, index)) return false;
  lua_pushliteral(L, "__mode");
  bool weak = lua_rawget(L, -2) != LUA_TNIL;
  lua_pop(L, 2);
  return weak;
}

static void look_into_table(lua_State *L, walk *w, int object, int path) {
  if (is_weak(L, object)) return;
  for (lua_pushnil(L); lua_next(L, object);) {
    if (lua_type(L, -2) == LUA_TSTRING)
      note(L, w, path, '.', lua_tostring(L, -2));
    else
      lua_pop(L, 1);
  }
  if (lua_getmetatable(L, object)) note(L, w, path, 'm', "");
}

static void look_into_function(lua_State *L, walk *w, int object, int path) {
  char number[16];
  for (int i = 1; lua_getupvalue(L, object, i); i++) {
    snprintf(number, sizeof number, "%d", i);
    note(L, w, path, '^', number);
  }
}

/* Visits the contents of all queued values, breadth first, so that paths are short. */
static void walk_on(lua_State *L, walk *w) {
  for (lua_Integer i = 1; i <= w->count; i++) {
    lua_rawgeti(L, w->queue, i);
    int object = lua_gettop(L), path = object + 1;
    lua_pushvalue(L, object);
    lua_rawget(L, w->names);
    if (lua_istable(L, object)) look_into_table(L, w, object, path);
    if (lua_isfunction(L, object)) look_into_function(L, w, object, path);
    lua_settop(L, object - 1);
  }
}

/* Records the path of a root for the value at the top. [-1, +0, m] */
static void note_root(lua_State *L, walk *w, char kind, const char *name) {
  if (can_be_named(L, -1)) {
    lua_pushliteral(L, "");
    lua_insert(L, -2);
    note(L, w, lua_gettop(L) - 1, kind, name);
    lua_pop(L, 1);
  } else {
    lua_pop(L, 1);
  }
}

/* Returns true if a part belongs to a prompt or a notebook. Its variables are the user's, and no
 * worker has them. */
static bool is_of_session(const char *part) {
  return strncmp(part, "prompt.", 7) == 0 || strncmp(part, "kernel.", 7) == 0;
}

static void note_torch(lua_State *L, walk *w) {
  lua_getfield(L, LUA_REGISTRYINDEX, "tocha.torch");
  note_root(L, w, 'r', "torch");
  luaL_getsubtable(L, LUA_REGISTRYINDEX, "tocha.parts");
  int parts = lua_gettop(L);
  for (lua_pushnil(L); lua_next(L, parts);) {
    const char *name = lua_tostring(L, -2);
    if (is_of_session(name))
      lua_pop(L, 1);
    else
      note_root(L, w, 'p', name);
  }
  lua_pop(L, 1);
}

static bool is_library(const char *name) {
  static const char *const names[] = {"string", "table", "math",      "io",     "os",
                                      "utf8",   "debug", "coroutine", "package"};
  for (int i = 0; i < TOCHA_COUNT(names); i++)
    if (strcmp(name, names[i]) == 0) return true;
  return false;
}

/* Returns true if `require` can find the module in another state, because its file exists.
 * `package` is the index of Lua's package. [-0, +0, e] */
static bool can_be_required(lua_State *L, int package, const char *name) {
  static const char *const paths[] = {"path", "cpath"};
  bool found = false;
  for (int i = 0; i < 2 && !found; i++) {
    if (lua_getfield(L, package, "searchpath") != LUA_TFUNCTION) {
      lua_pop(L, 1);
      return false;
    }
    lua_pushstring(L, name);
    lua_getfield(L, package, paths[i]);
    found = lua_pcall(L, 2, 1, 0) == LUA_OK && lua_isstring(L, -1);
    lua_pop(L, 1);
  }
  return found;
}

/* Returns true if the value at `index` is a class, which its module makes once in every state.
 * [-0, +0, m] */
static bool is_class(lua_State *L, int index) {
  if (!lua_istable(L, index) || !lua_getmetatable(L, index)) return false;
  lua_pop(L, 1);
  index = lua_absindex(L, index);
  lua_pushliteral(L, "__name");
  bool named = lua_rawget(L, index) == LUA_TSTRING;
  lua_pushliteral(L, "__name__"); /* classes of modules */
  named = lua_rawget(L, index) == LUA_TSTRING || named;
  lua_pop(L, 2);
  return named;
}

/* Records the path of the value at the top, a member of a user's module, if it is a function or
 * a class. Data is copied as it is now. [-1, +0, m] */
static void note_member(lua_State *L, const walk *w, const char *module, const char *name) {
  lua_pushvalue(L, -1);
  bool known = lua_rawget(L, w->names) != LUA_TNIL;
  lua_pop(L, 1);
  if (!known && (lua_isfunction(L, -1) || is_class(L, -1))) {
    lua_pushlstring(L, "r", 1);
    lua_pushlstring(L, module, strlen(module) + 1);
    lua_pushlstring(L, ".", 1);
    lua_pushlstring(L, name, strlen(name) + 1);
    lua_concat(L, 4);
    lua_rawset(L, w->names);
  } else {
    lua_pop(L, 1);
  }
}

static void note_module(lua_State *L, const walk *w, const char *name) {
  int module = lua_gettop(L);
  lua_pushvalue(L, module);
  if (lua_rawget(L, w->names) != LUA_TNIL ||
      !(lua_istable(L, module) || lua_isfunction(L, module))) {
    lua_settop(L, module - 1);
    return;
  }
  lua_pop(L, 1);
  lua_pushvalue(L, module);
  lua_pushlstring(L, "r", 1);
  lua_pushlstring(L, name, strlen(name) + 1);
  lua_concat(L, 2);
  lua_rawset(L, w->names);
  if (lua_istable(L, module) && !is_weak(L, module)) {
    for (lua_pushnil(L); lua_next(L, module);) {
      if (lua_type(L, -2) == LUA_TSTRING)
        note_member(L, w, name, lua_tostring(L, -2));
      else
        lua_pop(L, 1);
    }
  }
  lua_settop(L, module - 1);
}

/* Records the loaded modules: Lua's libraries, whose contents are visited like torch's, or,
 * after that, other modules and their members. */
static void note_loaded(lua_State *L, walk *w, bool libraries) {
  lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  int loaded = lua_gettop(L);
  if (lua_getfield(L, loaded, LUA_LOADLIBNAME) != LUA_TTABLE) {
    lua_settop(L, loaded - 1);
    return;
  }
  for (lua_pushnil(L); lua_next(L, loaded);) {
    const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : NULL;
    if (libraries && name && is_library(name))
      note_root(L, w, 'r', name);
    else if (!libraries && name && !is_library(name) && can_be_required(L, loaded + 1, name))
      note_module(L, w, name);
    else
      lua_pop(L, 1);
  }
  lua_settop(L, loaded - 1);
}

void push_names(lua_State *L) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &names_key) == LUA_TTABLE) return;
  lua_pop(L, 1);
  need_stack(L, 24);
  lua_createtable(L, 0, 4096);
  lua_newtable(L);
  walk w = {lua_gettop(L) - 1, lua_gettop(L), 0};
  lua_pushglobaltable(L); /* the contents of the next two are not visited: they are the program's */
  lua_pushliteral(L, "g");
  lua_rawset(L, w.names);
  lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  lua_pushlstring(L, "rpackage\0.loaded\0", 17);
  lua_rawset(L, w.names);
  note_torch(L, &w);
  note_loaded(L, &w, true);
  walk_on(L, &w);
  note_loaded(L, &w, false);
  lua_pop(L, 1);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &names_key);
}

void forget_names(lua_State *L) {
  lua_pushnil(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &names_key);
}

/* --- from a path to the value ---------------------------------------------------------------- */

static void push_root(lua_State *L, char kind, const char *name) {
  if (kind == 'g') {
    lua_pushglobaltable(L);
  } else if (kind == 'p') {
    if (!push_part(L, name)) luaL_error(L, "torch: no part named '%s'", name);
  } else if (strcmp(name, "torch") == 0) {
    lua_getfield(L, LUA_REGISTRYINDEX, "tocha.torch");
  } else {
    lua_getglobal(L, "require");
    lua_pushstring(L, name);
    lua_call(L, 1, 1);
  }
}

/* Replaces the value at the top by the one that a step leads to, or nil. [-1, +1, e] */
static void take_step(lua_State *L, char kind, const char *text) {
  if (kind == '.' && lua_istable(L, -1)) {
    lua_getfield(L, -1, text); /* a namespace loads missing names */
  } else if (kind == 'm') {
    if (!lua_getmetatable(L, -1)) lua_pushnil(L);
  } else if (kind != '^' || !lua_isfunction(L, -1) || !lua_getupvalue(L, -1, atoi(text))) {
    lua_pushnil(L);
  }
  lua_remove(L, -2);
}

void push_named(lua_State *L, const char *path, size_t size) {
  const char *end = path + size, *root = path + 1, *name = root;
  push_root(L, *path, root);
  for (const char *at = *path == 'g' ? end : root + strlen(root) + 1; at < end;) {
    if (*at == '.') name = at + 1;
    take_step(L, *at, at + 1);
    at += strlen(at) + 1;
  }
  if (lua_isnil(L, -1)) luaL_error(L, "there is no '%s' of '%s' in a worker", name, root);
}
