/* lua_fork_test.c: a process forks while contexts and Lua states are open and other threads compute. The child has the thread
 * that forked: it uses what that thread had, and opens new ones. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <lualib.h>

#define WITHOUT_LEAK_SEARCH /* there were threads, and forks */
#include "check.h"
#include "tocha/lua.h"
#include "tocha/modules.h"
#include "tocha/ops.h"
#include "tocha/tocha.h"

enum { THREADS = 2, FORKS = 8, SECONDS = 60 };

/* Multiplies, convolves and computes gradients with several threads. */
static bool computes(tocha_context *cx) {
  int64_t square[] = {300, 300}, image[] = {4, 8, 32, 32};
  tocha_conv2d_options options = tocha_conv2d_defaults(8, 16, 3);
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_module *conv = tocha_nn_conv2d_with(cx, &options);
  tocha_tensor *ones = tocha_ones(cx, 2, square), *x = tocha_ones(cx, 4, image);
  tocha_scalar sum = {0};
  bool ok = tocha_item(cx, tocha_sum(cx, tocha_matmul(cx, ones, ones)), &sum) &&
            tocha_scalar_real(sum) == 300.0 * 300 * 300;
  ok = ok && tocha_backward(cx, tocha_mean(cx, tocha_square(cx, tocha_module_call(cx, conv, x))),
                            NULL, false, false);
  tocha_module_release(conv);
  tocha_scope_end(cx, scope, NULL);
  return ok;
}

static bool runs(lua_State *L, const char *text) {
  if (luaL_dostring(L, text) == LUA_OK) return true;
  printf("# %s\n", lua_tostring(L, -1));
  lua_settop(L, 0);
  return false;
}

static const char SCRIPT[] =
    "local net = torch.nn.Linear(100, 50) net(torch.rand(200, 100)):sum():backward() "
    "assert(net.weight.grad:size(0) == 50) assert(torch.ones(300, 300):mm(torch.ones(300, "
    "300)):mean():item() == 300)";

static lua_State *open_state(const tocha_lua_sandbox *sandbox) {
  char message[256];
  tocha_lua_options options = {.sandbox = sandbox, .runtime = {.threads = 3}};
  lua_State *L = tocha_lua_new_state(&options, message, sizeof message);
  if (!L) printf("# %s\n", message);
  return L;
}

/* --- the child --------------------------------------------------------------------------------- */

/* Returns true if a limit on time ends a script of the state: the thread that ends it is the child's own. */
static bool is_limited(lua_State *sandboxed) {
  tocha_lua_sandbox_restart(sandboxed);
  if (luaL_loadstring(sandboxed, "while true do end") != LUA_OK) return false;
  bool ended = tocha_lua_sandbox_call(sandboxed, 0, 0, 0) != LUA_OK;
  const char *why = tocha_lua_sandbox_ended(sandboxed);
  return ended && why && strstr(why, "limit on time");
}

/* Returns the number of the first step that failed, or 0. */
static int be_child(tocha_context *inherited, lua_State *L, lua_State *sandboxed) {
  alarm(SECONDS);
  if (!computes(inherited)) return 1;
  if (!runs(L, SCRIPT)) return 2;
  if (!is_limited(sandboxed)) return 3;
  tocha_context *own = tocha_open(&(tocha_options){.threads = 3});
  if (!own || !computes(own)) return 4;
  tocha_close(own);
  lua_State *new = open_state(NULL);
  if (!new || !runs(new, SCRIPT)) return 5;
  lua_close(new);
  lua_close(sandboxed);
  lua_close(L);
  tocha_close(inherited);
  return 0;
}

/* --- the parent -------------------------------------------------------------------------------- */

static atomic_bool is_over, is_paused;
static atomic_int computing = THREADS; /* threads that have not ended and do not pause */

static void nap(void) { nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL); }

static void pause_if_asked(void) {
  while (atomic_load(&is_paused)) {
    atomic_fetch_sub(&computing, 1);
    while (atomic_load(&is_paused)) nap();
    atomic_fetch_add(&computing, 1);
  }
}

static void *keep_busy(void *user) {
  bool *ok = user;
  tocha_context *cx = tocha_open(&(tocha_options){.threads = 2});
  *ok = cx != NULL;
  while (*ok && !atomic_load(&is_over)) {
    *ok = computes(cx);
    pause_if_asked();
  }
  tocha_close(cx);
  atomic_fetch_sub(&computing, 1);
  return NULL;
}

/* Forks while the other threads compute. With AddressSanitizer they pause: GCC 12's does not hold its allocator's
 * locks across a fork, so a child would wait for ever for one that another thread had. */
static pid_t fork_among_threads(void) {
#ifdef __SANITIZE_ADDRESS__
  atomic_store(&is_paused, true);
  while (atomic_load(&computing) > 0) nap();
#endif
  pid_t child = fork();
  atomic_store(&is_paused, false);
  return child;
}

int main(void) {
  pthread_t threads[THREADS];
  bool ok[THREADS];
  tocha_lua_sandbox sandbox = {.seconds = 0.2};
  tocha_context *cx = tocha_open(&(tocha_options){.threads = 3});
  lua_State *L = open_state(NULL), *sandboxed = open_state(&sandbox),
            *untouched = open_state(&sandbox);
  CHECK(cx && L && sandboxed && untouched);
  CHECK(computes(cx) && runs(L, SCRIPT) && is_limited(sandboxed));
  for (int i = 0; i < THREADS; i++)
    CHECK(pthread_create(&threads[i], NULL, keep_busy, &ok[i]) == 0);
  for (int i = 0; i < FORKS; i++) {
    fflush(stdout);
    pid_t child = fork_among_threads();
    if (child == 0) {
      int status = be_child(cx, L, sandboxed);
      lua_close(untouched);
      fflush(stdout);
      _exit(status);
    }
    int status = -1;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status)) printf("# fork %d: %#x\n", i, (unsigned)status);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(computes(cx) && runs(L, SCRIPT));
  }
  CHECK(is_limited(sandboxed));
  atomic_store(&is_over, true);
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    CHECK(ok[i]);
  }
  lua_close(untouched);
  lua_close(sandboxed);
  lua_close(L);
  tocha_close(cx);
  return finish();
}
