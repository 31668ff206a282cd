/* sandbox.c: opens a sandbox in a state, for hosts and for the rest of the binding. */
#include "sandbox/sandbox.h"

#include <stdlib.h>
#include <string.h>

#include <lualib.h>

#include "sandbox/confined.h"

static const char BOX[] = "tocha.sandbox";

void end_for_memory(lua_State *L) {
  sandbox *s = find_sandbox(L);
  if (s) end_sandbox(s, SANDBOX_MEMORY);
}

sandbox *sandbox_to_interrupt(lua_State *L) { return find_sandbox(L); }

void end_for_interrupt(sandbox *s) {
  atomic_store(&s->reason, "interrupted");
  end_sandbox(s, SANDBOX_STOPPED);
}

/* --- for hosts ---------------------------------------------------------------------------------------- */

int tocha_lua_sandbox_call(lua_State *L, int arguments, int results, int handler) {
  sandbox *s = find_sandbox(L);
  int status = lua_pcall(L, arguments, results, handler);
  if (!s || status == LUA_OK) return status;
  if (status == LUA_ERRMEM) end_sandbox(s, SANDBOX_MEMORY);
  if (!atomic_load(&s->ended)) return status;
  lua_sethook(L, NULL, 0, 0);
  if (lua_type(L, -1) == LUA_TSTRING && strstr(lua_tostring(L, -1), "sandbox: limit"))
    return status;
  lua_pop(L, 1); /* a limit on memory leaves room for the next text */
  lua_pushfstring(L, "sandbox: %s", end_reason(s, atomic_load(&s->ended), s->text, sizeof s->text));
  return LUA_ERRRUN;
}

bool tocha_lua_sandbox_restart(lua_State *L) {
  sandbox *s = find_sandbox(L);
  if (!s) return false;
  pause_watch(s);
  bool was_ended = atomic_exchange(&s->ended, SANDBOX_RUNS) != SANDBOX_RUNS;
  tocha_context *cx = atomic_load(&s->context);
  if (cx) tocha_forget_interrupt(cx);
  if (cx && was_ended) tocha_clear_error(cx); /* memory may have been too short to raise it */
  s->instructions = 0;
  s->written = 0;
  s->over_memory = false;
  atomic_store(&s->running, s->main);
  lua_sethook(s->main, NULL, 0, 0);
  restart_watch(s);
  set_sandbox_hook(s->main, s);
  return true;
}

void tocha_lua_sandbox_end(lua_State *L, const char *reason) {
  sandbox *s = find_sandbox(L);
  if (!s) return;
  atomic_store(&s->reason, reason);
  end_sandbox(s, SANDBOX_STOPPED);
}

const char *tocha_lua_sandbox_ended(lua_State *L) {
  sandbox *s = find_sandbox(L);
  if (!s || !atomic_load(&s->ended)) return NULL;
  return end_reason(s, atomic_load(&s->ended), s->text, sizeof s->text);
}

/* --- opening -------------------------------------------------------------------------------------------- */

/* The last finalizer of the state: the sandbox was there before all other values. */
static int close_sandbox(lua_State *L) {
  sandbox **box = lua_touserdata(L, 1), *s = *box;
  if (!s) return 0;
  *box = NULL;
  stop_watch(s);
  stop_counting_memory(L, s);
  release_sandbox(s);
  return 0;
}

static void set_library(lua_State *L, const char *name) {
  lua_pushvalue(L, -1);
  lua_setglobal(L, name);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  lua_pushvalue(L, -2);
  lua_setfield(L, -2, name);
  lua_pop(L, 2);
}

/* Pushes a library of Lua's without the names in `without`, which NULL ends. [-0, +1, e] */
static void push_library(lua_State *L, lua_CFunction open, const char *const *without) {
  lua_pushcfunction(L, open);
  lua_call(L, 0, 1);
  for (; *without; without++) {
    lua_pushnil(L);
    lua_setfield(L, -2, *without);
  }
}

static int no_variable(lua_State *L) {
  lua_pushnil(L);
  return 1;
}

static void open_os(lua_State *L) {
  static const char *const without[] = {"execute", "exit",      "remove", "rename",
                                        "tmpname", "setlocale", NULL};
  push_library(L, luaopen_os, without);
  lua_pushcfunction(L, no_variable);
  lua_setfield(L, -2, "getenv");
  set_library(L, LUA_OSLIBNAME);
}

/* Only debug.traceback. */
static void open_debug(lua_State *L) {
  lua_newtable(L);
  lua_pushcfunction(L, luaopen_debug);
  lua_call(L, 0, 1);
  lua_getfield(L, -1, "traceback");
  lua_setfield(L, -3, "traceback");
  lua_pop(L, 1);
  set_library(L, LUA_DBLIBNAME);
}

/* (light userdata: sandbox) Opens the libraries. */
static int open_libraries(lua_State *L) {
  static const char *const all[] = {NULL};
  sandbox *s = lua_touserdata(L, 1);
  push_library(L, luaopen_base, all); /* the table of globals */
  open_sandbox_base(L);
  open_sandbox_calls(L);
  open_sandbox_modules(L);
  set_library(L, LUA_GNAME);
  push_library(L, luaopen_string, all);
  open_sandbox_strings(L, s);
  open_sandbox_matching(L);
  set_library(L, LUA_STRLIBNAME);
  push_library(L, luaopen_table, all);
  open_sandbox_tables(L, s);
  set_library(L, LUA_TABLIBNAME);
  push_library(L, luaopen_coroutine, all);
  open_sandbox_coroutines(L, s);
  set_library(L, LUA_COLIBNAME);
  push_library(L, luaopen_utf8, all);
  set_library(L, LUA_UTF8LIBNAME);
  push_library(L, luaopen_math, all);
  open_sandbox_random(L, s);
  set_library(L, LUA_MATHLIBNAME);
  open_os(L);
  open_debug(L);
  open_sandbox_files(L, s);
  set_library(L, LUA_IOLIBNAME);
  return 0;
}

static int open_in(lua_State *L) {
  sandbox *s = lua_touserdata(L, 1);
  *(sandbox **)lua_newuserdatauv(L, sizeof s, 0) = s;
  luaL_newmetatable(L, BOX);
  lua_pushcfunction(L, close_sandbox);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  keep_sandbox(L);
  lua_pushcfunction(L, open_libraries);
  lua_pushlightuserdata(L, s);
  lua_call(L, 1, 0);
  return 0;
}

static int open_folder(const char *path) {
  int file = platform_open(path, PLATFORM_READ);
  platform_status status;
  if (file < 0 || (platform_file_status(file, &status) && status.kind == PLATFORM_FOLDER))
    return file;
  platform_close(file);
  return -1;
}

bool tocha_lua_sandbox_open(lua_State *L, const tocha_lua_sandbox *given, size_t memory) {
  enum { PERIOD = 100, PERIOD_OF_CLOCK = 1000 };
  sandbox *s = calloc(1, sizeof *s);
  if (!s || !lua_checkstack(L, 4)) return free(s), lua_pushliteral(L, "not enough memory"), false;
  atomic_init(&s->owners, 1);
  s->given = *given;
  s->memory = memory;
  s->main = L;
  atomic_init(&s->running, L);
  s->folder = given->folder && !given->open ? open_folder(given->folder) : -1;
  if (given->folder && !given->open && s->folder < 0) {
    lua_pushfstring(L, "cannot open the folder '%s'", given->folder);
    free(s);
    return false;
  }
  s->given.folder = NULL;
  count_lua_memory(L, s);
  lua_pushcfunction(L, open_in);
  lua_pushlightuserdata(L, s);
  if (lua_pcall(L, 1, 0, 0) != LUA_OK) return false; /* the collector frees the sandbox */
  bool timed = start_watch(s);
  s->period = given->instructions ? PERIOD : timed ? 0 : PERIOD_OF_CLOCK;
  return true;
}
