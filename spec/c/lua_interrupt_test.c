/* lua_interrupt_test.c: tocha_lua_interrupt from another thread and from a signal handler ends Lua code and operators within
 * 100 ms, also through pcall if the host wants that, and leaves the state usable. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <lualib.h>

#include "check.h"
#include "tocha/lua.h"

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static _Atomic double interrupted_at;

static void *interrupt_later(void *state) {
  struct timespec t = {0, 30000000};
  nanosleep(&t, NULL);
  interrupted_at = seconds();
  tocha_lua_interrupt(state);
  return NULL;
}

/* Returns the seconds within which a script ends. Machines that share their cores, valgrind and
 * sanitizers take longer than 100 ms for anything. */
static double limit(void) {
#ifdef __SANITIZE_ADDRESS__
  return 5;
#else
  return getenv("TOCHA_SLOW_MACHINE") ? 5 : getenv("CI") ? 1 : 0.1;
#endif
}

static bool run(lua_State *L, const char *text) {
  return tocha_lua_load(L, text, strlen(text), "=script") && tocha_lua_call(L, 0, 0);
}

/* Runs an endless chunk, which another thread interrupts. */
static void ends(lua_State *L, const char *text) {
  pthread_t thread;
  tocha_context *cx = tocha_lua_context(L);
  CHECK(pthread_create(&thread, NULL, interrupt_later, L) == 0);
  CHECK(!run(L, text));
  double took = seconds() - interrupted_at;
  pthread_join(thread, NULL);
  if (took > limit()) printf("# %.3f s: %s\n", took, text);
  CHECK(took < limit());
  CHECK(tocha_error(cx)->code == TOCHA_INTERRUPTED &&
        strcmp(tocha_error(cx)->message, "interrupted!") == 0);
  tocha_clear_error(cx);
  CHECK(run(
      L, "local x = 0 for i = 1, 10000 do x = x + i end assert(torch.ones(3):sum():item() == 3)"));
  CHECK(!tocha_lua_forget_interrupt(L));
}

static lua_State *open_state(bool insistent, unsigned leave) {
  char message[200];
  tocha_lua_options o = {.insistent = insistent, .leave = leave};
  lua_State *L = tocha_lua_new_state(&o, message, sizeof message);
  if (!L) printf("# %s\n", message);
  CHECK(L != NULL);
  return L;
}

static lua_State *signalled;
static void on_alarm(int number) {
  (void)number;
  interrupted_at = seconds();
  tocha_lua_interrupt(signalled);
}

static void by_signal(lua_State *L) {
  signalled = L;
  struct sigaction action = {0}, old;
  action.sa_handler = on_alarm;
  sigaction(SIGALRM, &action, &old);
  alarm(1);
  CHECK(!run(L, "while true do end"));
  CHECK(seconds() - interrupted_at < limit());
  CHECK(tocha_error(tocha_lua_context(L))->code == TOCHA_INTERRUPTED);
  tocha_clear_error(tocha_lua_context(L));
  sigaction(SIGALRM, &old, NULL);
}

/* One thread a state, each interrupted by another; states open and close meanwhile. */
static void *work(void *unused) {
  (void)unused;
  for (int i = 0; i < 5; i++) {
    lua_State *L = tocha_lua_new_state(&(tocha_lua_options){.insistent = i % 2}, NULL, 0);
    pthread_t thread;
    struct timespec t = {0, 1000000};
    if (!L || pthread_create(&thread, NULL, interrupt_later, L) != 0) return "no state";
    bool ok = run(L, i % 2 ? "while true do pcall(function() while true do end end) end"
                           : "while true do torch.ones(1000):sum() end");
    pthread_join(thread, NULL);
    nanosleep(&t, NULL);
    lua_close(L);
    if (ok) return "it was not interrupted";
  }
  return NULL;
}

static void in_threads(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) CHECK(pthread_create(&threads[i], NULL, work, NULL) == 0);
  for (int i = 0; i < 4; i++) {
    void *reason = NULL;
    pthread_join(threads[i], &reason);
    if (reason) printf("# %s\n", (const char *)reason);
    CHECK(reason == NULL);
  }
}

int main(void) {
  lua_State *L = open_state(false, 0), *insistent = open_state(true, 0),
            *plain = open_state(true, TOCHA_LUA_LEAVE_HOOK);
  ends(L, "while true do end");
  ends(L, "local function f() return f() end f()");
  ends(L, "coroutine.wrap(function() while true do end end)()");
  ends(L, "local x = torch.rand(3000, 3000) while true do x = x:mm(x) end");
  ends(L, "local x = torch.rand(5000000) while true do x:sort() end");
  CHECK(run(L, "caught = nil")); /* the script may catch it once */
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, interrupt_later, L) == 0);
  CHECK(run(L, "local ok, e = pcall(function() while true do end end) assert(not ok and e.code == "
               "'KeyboardInterrupt')"));
  pthread_join(thread, NULL);
  ends(insistent, "while true do pcall(function() while true do end end) end");
  ends(insistent, "while true do xpcall(function() while true do torch.ones(10) end end, "
                  "function(e) while true do end end) end");
  ends(insistent, "local function f() while true do pcall(function() while true do "
                  "torch.rand(1000000):sort() end end) end end "
                  "while true do coroutine.resume(coroutine.create(f)) end");
  ends(plain, "while true do pcall(function() torch.rand(1000000):sort() end) end");
  by_signal(insistent);
  lua_State *closed = open_state(false, 0);
  lua_close(closed);
  lua_State *empty = luaL_newstate();
  tocha_lua_interrupt(empty); /* no torch there */
  lua_close(empty);
  lua_close(plain);
  lua_close(insistent);
  lua_close(L);
  in_threads();
  return finish();
}
