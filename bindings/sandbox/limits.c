/* limits.c: the limits of a sandbox, and the end of a script that reaches one. */
#include <stdlib.h>

#include "sandbox/sandbox.h"

static const char sandbox_key = 0; /* registry: the sandbox's box */

sandbox *find_sandbox(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &sandbox_key);
  sandbox **box = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return box ? *box : NULL;
}

void keep_sandbox(lua_State *L) { lua_rawsetp(L, LUA_REGISTRYINDEX, &sandbox_key); }

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
const char *end_reason(const sandbox *s, sandbox_limit limit, char *text, size_t capacity) {
  const tocha_lua_sandbox *g = &s->given;
  switch (limit) {
  case SANDBOX_MEMORY:
    if (s->over_memory)
      snprintf(text, capacity, "limit on memory reached (%zu bytes)", s->memory);
    else /* the machine, or the host's allocator, has no more */
      snprintf(text, capacity, "not enough memory");
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
  size_t small = atomic_exchange(&s->small, 0);
  atomic_store(&s->hook_is_set_now, true);
  platform_sleep(pause);
  lua_sethook(atomic_load(&s->running), on_count, LUA_MASKCOUNT, 1);
  atomic_store(&s->hook_is_set_now, false);
  atomic_store(&s->small, small);
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

void release_sandbox(sandbox *s) {
  if (atomic_fetch_sub(&s->owners, 1) != 1) return;
  if (s->out) fclose(s->out);
  if (s->err) fclose(s->err);
  if (s->folder >= 0) platform_close(s->folder);
  free(s);
}
