/* interrupt.c: requests of other threads and of signal handlers to end what a Lua state is doing.
 *
 * Only the thread that runs a state may touch it: lua_sethook, called by another one, walks a list
 * that the running code changes. A request is therefore a flag, which operators see, and Lua code by
 * a hook that counts instructions. */
#include "lua/interrupt.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "sandbox/confined.h"

/* A request finds its state in a list whose entries are never freed: that of a closed state is
 * reused. All fields that a request reads are atomic. */
struct interruptible {
  lua_State *_Atomic main; /* NULL: free */
  tocha_context *_Atomic cx;
  atomic_bool requested;
  struct sandbox *_Atomic sandbox; /* NULL: the state is none */
  interruptible *next;             /* written once */
  bool insistent;                  /* raises until the host's call ends */
  bool hooked;                     /* Lua code looks for requests by a hook */
};
static interruptible *_Atomic interruptibles;

/* Instructions of Lua between two looks at the flag: about 20 microseconds. */
enum { PERIOD = 1000 };

static interruptible *reuse_entry(lua_State *main) {
  for (interruptible *i = atomic_load(&interruptibles); i; i = i->next) {
    lua_State *expected = NULL;
    if (atomic_compare_exchange_strong(&i->main, &expected, main)) return i;
  }
  return NULL;
}

static interruptible *new_entry(lua_State *main) {
  interruptible *i = malloc(sizeof *i);
  if (!i) return NULL;
  atomic_init(&i->main, main);
  atomic_init(&i->cx, NULL);
  atomic_init(&i->requested, false);
  atomic_init(&i->sandbox, NULL);
  i->next = atomic_load(&interruptibles);
  while (!atomic_compare_exchange_weak(&interruptibles, &i->next, i)) {
  }
  return i;
}

/* Forgets a request. Returns true if there was one. NULL is allowed. */
static bool forget_interrupt(interruptible *i) {
  if (!i) return false;
  bool requested = atomic_exchange(&i->requested, false);
  return tocha_forget_interrupt(atomic_load(&i->cx)) || requested;
}

/* Raises the error for a request. The hook of a thread that raised looks at every instruction as
 * long as the request stays. */
static void look_for_request(lua_State *L, lua_Debug *where) {
  (void)where;
  interruptible *i = is_open(L) ? binding_of(L)->interruptible : NULL;
  if (i && atomic_load(&i->requested)) {
    if (!i->insistent) forget_interrupt(i);
    lua_sethook(L, look_for_request, LUA_MASKCOUNT, i->insistent ? 1 : PERIOD);
    raise_message(L, TOCHA_INTERRUPTED, "interrupted!");
  }
  if (lua_gethookcount(L) == PERIOD) return;
  if (i && i->hooked)
    lua_sethook(L, look_for_request, LUA_MASKCOUNT, PERIOD);
  else
    lua_sethook(L, NULL, 0, 0);
}

interruptible *add_interruptible(lua_State *main, tocha_context *cx, const state_options *options) {
  interruptible *i = reuse_entry(main);
  if (!i) i = new_entry(main);
  if (!i) return NULL;
  atomic_store(&i->requested, false);
  i->insistent = options->given.insistent;
  bool allowed = options->configured && !(options->given.leave & TOCHA_LUA_LEAVE_HOOK);
  i->hooked = allowed && !is_sandboxed(main) && !lua_gethook(main);
  atomic_store(&i->sandbox, sandbox_to_interrupt(main));
  if (i->hooked) lua_sethook(main, look_for_request, LUA_MASKCOUNT, PERIOD);
  atomic_store(&i->cx, cx);
  return i;
}

void remove_interruptible(interruptible *i) {
  if (!i) return;
  atomic_store(&i->cx, NULL);
  atomic_store(&i->sandbox, NULL);
  atomic_store(&i->main, NULL);
}

void note_interrupted(lua_State *L, interruptible *i) {
  if (!i->insistent) atomic_store(&i->requested, false);
  if (!atomic_load(&i->requested)) return;
  tocha_interrupt(atomic_load(&i->cx)); /* the next operator fails, too */
  lua_sethook(L, look_for_request, LUA_MASKCOUNT, 1);
}

void end_request(interruptible *i) {
  if (i && i->insistent && atomic_load(&i->requested)) forget_interrupt(i);
}

/* --- message handlers ------------------------------------------------------------------------------ */

/* Lua calls no hook in a hook, and the message handler of an error that a hook raises runs in it. A
 * handler that loops would go on for ever. */

/* Calls the script's handler, the upvalue, unless the state is to end. */
static int handle(lua_State *L) {
  const interruptible *i = binding_of(L)->interruptible;
  if (i && atomic_load(&i->requested)) return 1;
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, 1);
  return 1;
}

static int end_xpcall(lua_State *L, int status, lua_KContext context) {
  (void)status;
  (void)context;
  return lua_gettop(L);
}

/* Lua's xpcall, the upvalue, with such a handler. */
static int guarded_xpcall(lua_State *L) {
  if (lua_isfunction(L, 2)) {
    lua_pushvalue(L, 2);
    lua_pushcclosure(L, handle, 1);
    lua_replace(L, 2);
  }
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_callk(L, lua_gettop(L) - 1, LUA_MULTRET, 0, end_xpcall);
  return end_xpcall(L, LUA_OK, 0);
}

void guard_handlers(lua_State *L) {
  if (lua_getglobal(L, "xpcall") == LUA_TFUNCTION) {
    lua_pushcclosure(L, guarded_xpcall, 1);
    lua_setglobal(L, "xpcall");
  } else {
    lua_pop(L, 1);
  }
}

/* --- requests --------------------------------------------------------------------------------------- */

void tocha_lua_interrupt(lua_State *L) {
  for (interruptible *i = atomic_load(&interruptibles); i; i = i->next) {
    if (atomic_load(&i->main) != L) continue;
    tocha_context *cx = atomic_load(&i->cx);
    struct sandbox *sandbox = atomic_load(&i->sandbox);
    if (!cx) continue;
    if (sandbox) end_for_interrupt(sandbox);
    if (sandbox) continue;
    atomic_store(&i->requested, true);
    tocha_interrupt(cx);
  }
}

bool tocha_lua_forget_interrupt(lua_State *L) {
  return is_open(L) && forget_interrupt(binding_of(L)->interruptible);
}
