/* sandbox.c: opens a sandbox in a state, and ends what runs in it. */
#include "sandbox/sandbox.h"

#include <stdlib.h>
#include <string.h>

#include <lualib.h>

#include "sandbox/confined.h"

static const char sandbox_key = 0; /* registry: the sandbox's box */
static const char BOX[] = "tocha.sandbox";

sandbox *find_sandbox(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &sandbox_key);
  sandbox **box = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return box ? *box : NULL;
}

void set_sandbox_functions(lua_State *L, const luaL_Reg *functions) {
  lua_pushlightuserdata(L, find_sandbox(L));
  luaL_setfuncs(L, functions, 1);
}

lua_CFunction library_function(lua_State *L, const char *name) {
  lua_getfield(L, -1, name);
  lua_CFunction function = lua_tocfunction(L, -1);
  lua_pop(L, 1);
  return function;
}

/* --- the end of a script --------------------------------------------------------------------------- */

/* Returns why the script was ended. */
static const char *end_reason(sandbox *s, sandbox_limit limit, char *text, size_t capacity) {
  const tocha_lua_sandbox *g = &s->given;
  switch (limit) {
  case SANDBOX_MEMORY:
    snprintf(text, capacity, "limit on memory reached (%zu bytes)", s->memory);
    break;
  case SANDBOX_TIME:
    snprintf(text, capacity, "limit on time reached (%g s)", g->seconds);
    break;
  case SANDBOX_PROCESSOR:
    snprintf(text, capacity, "limit on processor time reached (%g s)", g->processor_seconds);
    break;
  case SANDBOX_INSTRUCTIONS:
    snprintf(text, capacity, "limit on instructions reached (%llu)",
             (unsigned long long)g->instructions);
    break;
  case SANDBOX_OUTPUT:
    snprintf(text, capacity, "limit on output reached (%zu bytes)", g->output);
    break;
  case SANDBOX_FILES:
    snprintf(text, capacity, "limit on open files reached (%zu)", g->files);
    break;
  case SANDBOX_FILE_SIZE:
    snprintf(text, capacity, "limit on the size of a file reached (%zu bytes)", g->file_size);
    break;
  default:
    snprintf(text, capacity, "%s", s->reason ? s->reason : "stopped by the host");
  }
  return text;
}

int raise_end(lua_State *L, sandbox *s) {
  char text[128];
  return luaL_error(L, "sandbox: %s", end_reason(s, atomic_load(&s->ended), text, sizeof text));
}

/* The hook of threads that count instructions, and of those of a script that was ended. */
static void on_count(lua_State *L, lua_Debug *where) {
  (void)where;
  sandbox *s = find_sandbox(L);
  if (!s) return;
  if (!atomic_load(&s->ended)) {
    if (!s->period) {
      lua_sethook(L, NULL, 0, 0); /* it ended before a restart */
      return;
    }
    if (lua_gethookcount(L) != s->period) set_sandbox_hook(L, s);
    spend(L, s, (unsigned)s->period);
    return;
  }
  lua_sethook(L, on_count, LUA_MASKCOUNT, 1); /* so that what catches the error gets no further */
  raise_end(L, s);
}

void set_sandbox_hook(lua_State *L, const sandbox *s) {
  if (s->period) lua_sethook(L, on_count, LUA_MASKCOUNT, s->period);
}

/* lua_sethook may be called while the state runs, as from a signal handler. It walks the call
 * frames of the thread, which may be freed meanwhile: the allocator therefore waits until
 * hook_is_set_now is false again. A pause makes sure that the running thread has seen the flag. */
void end_sandbox(sandbox *s, sandbox_limit limit) {
  const int64_t pause = 200000;
  int runs = SANDBOX_RUNS;
  if (!atomic_compare_exchange_strong(&s->ended, &runs, (int)limit)) return;
  tocha_context *cx = atomic_load(&s->context);
  if (cx) tocha_interrupt(cx);
  atomic_store(&s->hook_is_set_now, true);
  platform_sleep(pause);
  lua_sethook(atomic_load(&s->running), on_count, LUA_MASKCOUNT, 1);
  atomic_store(&s->hook_is_set_now, false);
}

void spend(lua_State *L, sandbox *s, unsigned steps) {
  s->instructions += steps;
  if (s->given.instructions && s->instructions > s->given.instructions)
    end_sandbox(s, SANDBOX_INSTRUCTIONS);
  if (!s->watch.started && platform_nanoseconds() > s->watch.due) end_sandbox(s, SANDBOX_TIME);
  check_sandbox(L, s);
}

void check_status(lua_State *L, sandbox *s, int status) {
  if (status == LUA_ERRMEM) end_sandbox(s, SANDBOX_MEMORY);
  check_sandbox(L, s);
}

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
  atomic_store(&s->ended, SANDBOX_RUNS);
  tocha_context *cx = atomic_load(&s->context);
  if (cx) tocha_forget_interrupt(cx);
  s->instructions = 0;
  s->written = 0;
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

void release_sandbox(sandbox *s) {
  if (atomic_fetch_sub(&s->owners, 1) != 1) return;
  if (s->out) fclose(s->out);
  if (s->err) fclose(s->err);
  if (s->folder >= 0) platform_close(s->folder);
  free(s);
}

/* The last finalizer of the state: the sandbox was there before all other values. */
static int close_sandbox(lua_State *L) {
  sandbox **box = lua_touserdata(L, 1), *s = *box;
  if (!s) return 0;
  *box = NULL;
  stop_watch(s);
  lua_setallocf(L, s->allocate, s->allocate_user);
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
  lua_rawsetp(L, LUA_REGISTRYINDEX, &sandbox_key);
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
