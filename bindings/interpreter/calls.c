/* calls.c: the program's calls of Lua: messages of errors, and Ctrl-C as an error. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <lauxlib.h>
#include <lualib.h>

#include "interpreter/interpreter.h"
#include "interpreter/launch/launch.h"
#include "lua/binding.h"
#include "platform/platform.h"
#include "torch.h"

/* ---- messages ---- */

const char *program_name = "tocha";

void print_message(const char *message) {
  fflush(stdout);
  if (program_name) fprintf(stderr, "%s: ", program_name);
  fprintf(stderr, "%s\n", message);
  fflush(stderr);
}

/* The kind of the error that describe_error saw last, "" if it is none of torch's. */
static char last_kind[64];

/* Notes the kind of the error at index 1. [-0, +0, m] */
static void note_kind(lua_State *L) {
  last_kind[0] = '\0';
  if (!lua_istable(L, 1)) return;
  lua_pushliteral(L, "code");
  if (lua_rawget(L, 1) == LUA_TSTRING)
    snprintf(last_kind, sizeof last_kind, "%s", lua_tostring(L, -1));
  lua_pop(L, 1);
}

int report(lua_State *L, int status) {
  if (status != LUA_OK) {
    const char *message = lua_tostring(L, -1);
    if (!message) message = "(error object is not a string)";
    if (!tell_launcher(L, message, last_kind)) print_message(message);
    lua_pop(L, 1);
  }
  return status;
}

/* ---- Ctrl-C ---- */

/* A hook belongs to one Lua thread, so the thread that runs now must be known.
 * `coroutine.resume` and the functions that `coroutine.wrap` returns are therefore wrapped, to
 * keep `current_thread` right. `interrupts` counts the signals of the current evaluation. If it
 * is 0, a hook that was left behind removes itself. */
static lua_State *main_thread;
static lua_State *volatile current_thread;
static volatile sig_atomic_t interrupts;
static volatile sig_atomic_t evaluating;
static bool session; /* interactive: Ctrl-C never ends the process, however often it comes */

/* A hook that the one for Ctrl-C stands in for, of each of the two threads: a profiler's or a
 * debugger's. */
typedef struct displaced_hook {
  lua_State *thread;
  lua_Hook hook;
  int mask, count;
} displaced_hook;
static displaced_hook displaced[2];

static void raise_interrupt(lua_State *L, lua_Debug *where);

/* Sets the hook for Ctrl-C. */
static void arm(lua_State *L, displaced_hook *old) {
  if (lua_gethook(L) != raise_interrupt)
    *old = (displaced_hook){L, lua_gethook(L), lua_gethookmask(L), lua_gethookcount(L)};
  /* counts instructions only, not calls, so that C can still close a guard */
  lua_sethook(L, raise_interrupt, LUA_MASKCOUNT, 1);
}

/* Sets the hook again that the one for Ctrl-C stood in for. */
static void disarm(lua_State *L) {
  displaced_hook old = {L, NULL, 0, 0};
  for (int i = 0; i < 2; i++)
    if (displaced[i].thread == L) old = displaced[i];
  lua_sethook(L, old.hook, old.mask, old.count);
}

/* Raises the error for Ctrl-C. The first Ctrl-C raises once, so that Lua code can clean up after
 * it: here, or in the operator that saw the request first. From the second one on the hook
 * stays, so that a loop around `pcall` ends, too. */
static void raise_interrupt(lua_State *L, lua_Debug *where) {
  (void)where;
  if (interrupts < 2) disarm(L);
  bool unseen = tocha_lua_forget_interrupt(L);
  if (interrupts == 0 || (interrupts < 2 && !unseen)) return;
  luaL_where(L, 0);
  lua_pushliteral(L, "interrupted!");
  lua_concat(L, 2);
  lua_error(L);
}

void request_interrupt(void) {
  if (!evaluating) return; /* a line is being read, and the read itself returns with EINTR */
  if (interrupts < 2) interrupts = interrupts + 1;
  lua_State *running = current_thread;
  arm(main_thread, &displaced[0]);
  if (running != main_thread) arm(running, &displaced[1]);
  tocha_lua_interrupt(main_thread);
}

static void on_interrupt(int signal_number) {
  (void)signal_number;
  request_interrupt();
}

/* Installs or removes the handler for Ctrl-C. Outside a session a second Ctrl-C ends the program,
 * as in `lua`. */
static void listen_for_interrupts(bool listen) {
  platform_on_interrupt(listen ? on_interrupt : NULL, !session);
}

void watch_interrupts(lua_State *L, bool interactive) {
  main_thread = current_thread = L;
  session = interactive;
  if (session) listen_for_interrupts(true);
}

/* Calls the first upvalue, which runs the Lua thread `thread`, with all arguments. Returns the
 * status of lua_pcall. [-arguments, +(results|1), -] */
static int call_tracked(lua_State *L, lua_State *thread) {
  lua_State *outer = current_thread;
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  current_thread = thread;
  int status = lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0);
  current_thread = outer;
  return status;
}

static int tracked_resume(lua_State *L) {
  lua_State *thread = lua_tothread(L, 1);
  luaL_argexpected(L, thread, 1, "thread");
  return call_tracked(L, thread) == LUA_OK ? lua_gettop(L) : lua_error(L);
}

static int tracked_step(lua_State *L) {
  if (call_tracked(L, lua_tothread(L, lua_upvalueindex(2))) == LUA_OK) return lua_gettop(L);
  if (lua_type(L, -1) == LUA_TSTRING) { /* prepends the caller's position, as coroutine.wrap does */
    luaL_where(L, 1);
    lua_insert(L, -2);
    lua_concat(L, 2);
  }
  return lua_error(L);
}

static int tracked_wrap(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, 1, 1);
  if (!lua_getupvalue(L, 1, 1) || !lua_isthread(L, -1)) {
    lua_settop(L, 1);
    return 1;
  }
  lua_pushcclosure(L, tracked_step, 2);
  return 1;
}

void track_coroutines(lua_State *L) {
  if (lua_getglobal(L, LUA_COLIBNAME) == LUA_TTABLE) {
    lua_getfield(L, -1, "resume");
    lua_pushcclosure(L, tracked_resume, 1);
    lua_setfield(L, -2, "resume");
    lua_getfield(L, -1, "wrap");
    lua_pushcclosure(L, tracked_wrap, 1);
    lua_setfield(L, -2, "wrap");
  }
  lua_pop(L, 1);
}

/* ---- running chunks ---- */

int describe_briefly(lua_State *L) {
  if (lua_tostring(L, 1)) return 1;
  if (luaL_callmeta(L, 1, "__tostring") && lua_type(L, -1) == LUA_TSTRING) return 1;
  lua_pushfstring(L, "(error object is a %s value)", luaL_typename(L, 1));
  return 1;
}

/* Pushes the message of a Lua error within a part of torch that is written in Lua, with the place
 * in the program that called torch. Returns false and pushes nothing if the message is another one
 * or no place is known. [-0, +(0|1), m] */
static bool push_at_caller(lua_State *L, const char *message) {
  lua_Debug ar;
  const char *words = strncmp(message, "[tocha] ", 8) == 0 ? strstr(message, ": ") : NULL;
  if (!words || find_program_level(L, 1, &ar) < 0) return false;
  lua_pushlstring(L, message + 8, (size_t)(words - message - 8));
  lua_pushfstring(L, "%s:%d%s (in torch, %s)", ar.short_src, ar.currentline, words,
                  lua_tostring(L, -1));
  lua_remove(L, -2);
  return true;
}

/* Returns the message of an error with a hint and a traceback, or the text of an error object
 * that describes itself. A message handler. */
static int describe_error(lua_State *L) {
  note_kind(L);
  const char *message = lua_tostring(L, 1);
  if (message && push_at_caller(L, message)) {
    lua_replace(L, 1);
    message = lua_tostring(L, 1);
  }
  if (message && tocha_binding_push_hinted(L, 1, NULL)) message = lua_tostring(L, -1);
  if (!message) {
    if (luaL_callmeta(L, 1, "__tostring") && lua_type(L, -1) == LUA_TSTRING) return 1;
    message = lua_pushfstring(L, "(error object is a %s value)", luaL_typename(L, 1));
  }
  if (tocha_binding_push_traceback(L, 1))
    lua_pushfstring(L, "%s\n%s", message, lua_tostring(L, -1));
  else
    luaL_traceback(L, L, message, 1);
  return 1;
}

/* Calls session[name] with the value at `index`, or without one (0), and leaves its result.
 * Returns false and leaves nothing if that fails. [-0, +(0|1), -] */
static bool tell_session(lua_State *L, const char *name, int index) {
  int top = lua_gettop(L);
  if (!lua_checkstack(L, 8)) return false;
  push_session(L);
  if (lua_istable(L, -1) && lua_getfield(L, -1, name) == LUA_TFUNCTION) {
    lua_remove(L, -2);
    if (index) lua_pushvalue(L, index);
    if (lua_pcall(L, index ? 1 : 0, 1, 0) == LUA_OK) return true;
  }
  lua_settop(L, top);
  return false;
}

static int describe_entry_error(lua_State *L) {
  if (tell_session(L, "capture", 1)) lua_pop(L, 1);
  int results = describe_error(L);
  if (lua_type(L, -1) == LUA_TSTRING && tell_session(L, "annotate", lua_gettop(L))) {
    if (lua_type(L, -1) == LUA_TSTRING) return 1;
    lua_pop(L, 1);
  }
  return results;
}

int call_entry(lua_State *L, int arguments) {
  return call_with_handler(L, arguments, LUA_MULTRET, describe_entry_error);
}

int call_with_handler(lua_State *L, int arguments, int results, lua_CFunction handler) {
  int base = lua_gettop(L) - arguments;
  lua_pushcfunction(L, handler);
  lua_insert(L, base);
  current_thread = L;
  interrupts = 0;
  evaluating = 1;
  listen_for_interrupts(true);
  int status = lua_pcall(L, arguments, results, base);
  evaluating = 0;
  if (!session) listen_for_interrupts(false);
  lua_sethook(L, NULL, 0, 0);
  memset(displaced, 0, sizeof displaced);
  if (interrupts) tocha_lua_forget_interrupt(L);
  current_thread = L;
  interrupts = 0;
  lua_remove(L, base);
  return status;
}

int protected_call(lua_State *L, int arguments, int results) {
  return call_with_handler(L, arguments, results, describe_error);
}
