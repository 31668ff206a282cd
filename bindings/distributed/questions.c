/* questions.c: where a script stands, for ranks that have waited long for it and for the launcher.
 *
 * Only the thread that runs a state may touch it, but the state allocates memory all the time: the allocator, which is wrapped while there
 * are groups, sees that somebody asks, and sets a hook that answers at the next instruction. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distributed/distributed.h"
#include "lua/options.h"
#include "sandbox/confined.h"

/* Registry: the listener of the state. */
static const char LISTENER[] = "tocha.distributed.listener";

/* Levels of the stack that are told, and that are looked through for them. */
enum { LEVELS = 8, DEPTH = 100 };

typedef struct listener {
  lua_State *main;
  tocha_context *cx; /* NULL: torch is closed */
  lua_Alloc allocate;
  void *allocate_user;
  bool is_hooked; /* the hook is set, in the place of: */
  lua_Hook hook;
  int mask, count;
} listener;

/* --- the stack ------------------------------------------------------------------------------------------ */

/* Writes one level: "train.lua:31: in function 'step'". Returns its length. */
static size_t write_level(lua_Debug *ar, char *text, size_t capacity) {
  int length =
      ar->namewhat[0]
          ? snprintf(text, capacity, "%s:%d: in %s '%.60s'", ar->short_src, ar->currentline,
                     strcmp(ar->namewhat, "global") == 0 ? "function" : ar->namewhat, ar->name)
      : *ar->what == 'm'
          ? snprintf(text, capacity, "%s:%d: in main chunk", ar->short_src, ar->currentline)
          : snprintf(text, capacity, "%s:%d: in function <%s:%d>", ar->short_src, ar->currentline,
                     ar->short_src, ar->linedefined);
  return length < 0 ? 0 : (size_t)length;
}

/* Writes the script's own levels in a Lua thread, the innermost first, without allocating memory of Lua's. Returns false if it has
 * none. */
static bool describe_thread(lua_State *L, char *text, size_t capacity) {
  lua_Debug ar;
  size_t length = 0;
  int shown = 0;
  for (int i = 0; i < DEPTH && shown < LEVELS && lua_getstack(L, i, &ar); i++) {
    lua_getinfo(L, "Sln", &ar);
    if (ar.currentline <= 0 || strncmp(ar.source, "=[tocha]", 8) == 0) continue;
    if (shown++ && length + 1 < capacity) text[length++] = '\n';
    length += write_level(&ar, text + length, capacity - length);
    if (length >= capacity) break;
  }
  return shown > 0;
}

static void describe(void *user, char *text, size_t capacity) {
  const listener *l = user;
  lua_State *running = running_thread(binding_of(l->main));
  if (!describe_thread(running, text, capacity)) describe_thread(l->main, text, capacity);
}

/* --- the hook ------------------------------------------------------------------------------------------- */

static listener *listener_of(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, LISTENER);
  listener **box = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return box ? *box : NULL;
}

/* Answers, and sets the hook again that stood here before. */
static void answer(lua_State *L, lua_Debug *ar) {
  (void)ar;
  listener *l = lua_checkstack(L, 1) ? listener_of(L) : NULL;
  if (!l || !l->is_hooked) {
    lua_sethook(L, NULL, 0, 0);
    return;
  }
  lua_sethook(l->main, l->hook, l->mask, l->count);
  l->is_hooked = false;
  if (l->cx) tocha_distributed_answer(l->cx);
}

static void *allocate(void *user, void *block, size_t old_size, size_t size) {
  listener *l = user;
  if (size && l->cx && tocha_distributed_is_asked(l->cx) && lua_gethook(l->main) != answer) {
    l->hook = lua_gethook(l->main);
    l->mask = lua_gethookmask(l->main);
    l->count = lua_gethookcount(l->main);
    l->is_hooked = true;
    lua_sethook(l->main, answer, LUA_MASKCOUNT, 1);
  }
  return l->allocate(l->allocate_user, block, old_size, size);
}

/* --- life ----------------------------------------------------------------------------------------------- */

/* (listener) Gives the state its allocator back. One that somebody has wrapped in turn stays, and its listener, too. */
static int stop(lua_State *L) {
  listener **box = lua_touserdata(L, 1), *l = *box;
  void *user;
  if (!l) return 0;
  l->cx = NULL;
  if (lua_getallocf(L, &user) != allocate || user != l) return 0;
  lua_setallocf(L, l->allocate, l->allocate_user);
  *box = NULL;
  free(l);
  return 0;
}

void receive_questions(lua_State *L) {
  static const luaL_Reg events[] = {{"__gc", stop}, {NULL, NULL}};
  bool may_hook = !is_sandboxed(L) && !(options_of(L)->given.leave & TOCHA_LUA_LEAVE_HOOK);
  listener *l = may_hook ? listener_of(L) : NULL;
  if (may_hook && !l) {
    listener **box = lua_newuserdatauv(L, sizeof *box, 0);
    *box = NULL;
    new_metatable(L, LISTENER, events);
    lua_setmetatable(L, -2);
    lua_rawsetp(L, LUA_REGISTRYINDEX, LISTENER);
    *box = l = calloc(1, sizeof *l);
    if (!l) return;
    l->main = binding_of(L)->main;
    l->cx = CX(L);
    l->allocate = lua_getallocf(L, &l->allocate_user);
    lua_setallocf(L, allocate, l);
  }
  if (l) tocha_distributed_on_question(l->cx, describe, l);
}

/* () Writes what the last operations were to the trace file, if there is one. */
static int write_trace(lua_State *L) {
  tocha_distributed_write_trace(CX(L));
  return 0;
}

void open_questions(lua_State *L, int table) {
  lua_pushcfunction(L, write_trace);
  lua_setfield(L, table, "write_trace");
}
