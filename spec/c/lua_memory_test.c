/* lua_memory_test.c: a Lua program that builds, trains, prints and saves, run again and again while another allocation
 * fails each time: one of Lua's, or one of the runtime's. It ends as always or in an error; Lua's memory is all given back
 * (the runtime's: LeakSanitizer, in the sanitized build, which takes every 23rd of Lua's allocations unless
 * TOCHA_ALLOCATION_STEP=1), but for what a finalizer held that Lua itself had no memory to call. */
#include <lauxlib.h>
#include <lualib.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "torch.h"

static const char program[] =
    "torch = require 'torch'\n"
    "torch._fail_allocation(... or -1)\n"
    "local nn = torch.nn\n"
    "local Net = nn.Module:extend 'Net'\n"
    "function Net:init()\n"
    "  self.layers = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.5), nn.Linear(8, 3))\n"
    "end\n"
    "function Net:forward(x) return self.layers(x) end\n"
    "local net = Net()\n"
    "local optimizer = torch.optim.Adam(net:parameters(), {lr = 0.01})\n"
    "local set = torch.utils.data.TensorDataset(torch.rand(8, 4), torch.arange(8) % 3)\n"
    "for x, y in torch.utils.data.DataLoader(set, {batch_size = 4, shuffle = true}) do\n"
    "  optimizer:zero_grad()\n"
    "  local loss = nn.functional.cross_entropy(net(x), y)\n"
    "  loss:backward()\n"
    "  optimizer:step()\n"
    "end\n"
    "local long, lazy = ('x'):rep(10000), nn.LazyLinear(2)\n"
    "local text = tostring(net) .. tostring(net.layers[0].weight) .. tostring(optimizer)\n"
    "local saved = {net = net:state_dict(), optimizer = optimizer:state_dict()}\n"
    "local again = Net()\n"
    "again:load_state_dict(saved.net)\n"
    "optimizer:load_state_dict(saved.optimizer)\n"
    "return #text\n";

/* What must run in a state where the program failed, once there is memory again. */
static const char afterwards[] =
    "local lazy = torch.nn.LazyLinear(2)\n"
    "local saved = torch.nn.Linear(2, 2):state_dict()\n"
    "return #(('x'):rep(10000) .. tostring(lazy(torch.ones(1, 3))) .. tostring(saved))\n";

/* Lua's memory: how much is held, how often it was asked for, and at which of these it fails. Lua asks once more after a
 * collection, so two in a row fail. */
typedef struct counting {
  size_t held;
  long asked, fails_at; /* -1: never */
  /* Lua had no memory to call a __gc: it says so in a warning and does not call it again. */
  bool lost_a_finalizer;
} counting;

static void *count_and_fail(void *user, void *pointer, size_t old_size, size_t new_size) {
  counting *c = user;
  if (!pointer) old_size = 0; /* there it names a kind of object */
  if (new_size > old_size) {
    long n = c->asked++;
    if (c->fails_at >= 0 && (n == c->fails_at || n == c->fails_at + 1)) return NULL;
  }
  void *moved = NULL;
  if (new_size == 0) {
    free(pointer);
  } else {
    moved = realloc(pointer, new_size);
    if (!moved) return NULL;
  }
  c->held = c->held - old_size + new_size;
  return moved;
}

static void note_lost_finalizer(void *user, const char *message, int to_be_continued) {
  counting *c = user;
  (void)to_be_continued;
  if (c->fails_at >= 0 && strstr(message, "__gc")) c->lost_a_finalizer = true;
}

static int prepare(lua_State *L) {
  luaL_openlibs(L);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  lua_pushcfunction(L, luaopen_torch);
  lua_setfield(L, -2, "torch");
  return 0;
}

/* pcall's function: the program with the number of the runtime's allocation that fails. */
static int run_program(lua_State *L) {
  if (luaL_loadbuffer(L, program, sizeof program - 1, "=program") != LUA_OK) return lua_error(L);
  lua_insert(L, 1);
  lua_call(L, 1, 1);
  return 1;
}

static bool torch_is_open(lua_State *L) { return lua_getglobal(L, "torch") == LUA_TTABLE; }

/* Returns true if the state goes on after an error for lack of memory. */
static bool goes_on(lua_State *L) {
  bool ok = luaL_loadbuffer(L, afterwards, sizeof afterwards - 1, "=afterwards") == LUA_OK &&
            lua_pcall(L, 0, 1, 0) == LUA_OK && lua_tointeger(L, -1) > 10000;
  if (!ok) printf("# afterwards: %s\n", luaL_tolstring(L, -1, NULL));
  return ok;
}

enum { NORMAL_END, CLEAN_ERROR, WRONG };

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
enum { STEP = 23 };
static bool leaks(void) { return __lsan_do_recoverable_leak_check(); }
#else
enum { STEP = 1 };
static bool leaks(void) { return false; }
#endif

/* One run. fails_at: Lua's allocation that fails; runtime_fails_at: the runtime's. -1: none. */
static int run(long fails_at, long runtime_fails_at, long *asked) {
  counting c = {0, 0, -1, false};
  lua_State *L = lua_newstate(count_and_fail, &c);
  if (!L) return WRONG;
  lua_setwarnf(L, note_lost_finalizer, &c);
  c.fails_at = fails_at;
  int result = WRONG;
  lua_pushcfunction(L, prepare);
  int status = lua_pcall(L, 0, 0, 0);
  bool opened = false;
  if (status == LUA_OK) {
    lua_pushcfunction(L, run_program);
    lua_pushinteger(L, runtime_fails_at);
    status = lua_pcall(L, 1, 1, 0);
  }
  c.fails_at = -1;
  if (status == LUA_OK) {
    result = lua_tointeger(L, -1) > 0 ? NORMAL_END : WRONG;
  } else {
    const char *message = luaL_tolstring(L, -1, NULL);
    result = message && *message ? CLEAN_ERROR : WRONG;
    if (!strstr(message, "memory")) {
      printf("# allocation %ld of Lua, %ld of the runtime: %s\n", fails_at, runtime_fails_at,
             message);
      result = WRONG;
    }
    opened = torch_is_open(L);
  }
  if (result == CLEAN_ERROR && opened && !goes_on(L)) {
    printf("# allocation %ld of Lua, %ld of the runtime: the state does not go on\n", fails_at,
           runtime_fails_at);
    result = WRONG;
  }
  lua_close(L);
  if (asked) *asked = c.asked;
  if (!c.lost_a_finalizer && leaks()) {
    printf("# allocation %ld of Lua, %ld of the runtime: a leak\n", fails_at, runtime_fails_at);
    fflush(stdout);
    result = WRONG;
  }
  if (c.held != 0) {
    printf("# allocation %ld of Lua, %ld of the runtime: %zu bytes are not given back\n", fails_at,
           runtime_fails_at, c.held);
    result = WRONG;
  }
  return result;
}

/* The same in a process of its own, so that no run sees what another one lost. */
static int run_alone(long fails_at, long runtime_fails_at) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    int result = run(fails_at, runtime_fails_at, NULL);
    fflush(stdout);
    _exit(result);
  }
  int status;
  if (child < 0 || waitpid(child, &status, 0) != child) return WRONG;
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  printf("# allocation %ld of Lua, %ld of the runtime: signal %d\n", fails_at, runtime_fails_at,
         WTERMSIG(status));
  return WRONG;
}

static int passed, failed;

static void count(int result) {
  if (result == WRONG)
    failed++;
  else
    passed++;
}

int main(void) {
  const char *wanted = getenv("TOCHA_ALLOCATION_STEP");
  long all = 0, step = wanted ? strtol(wanted, NULL, 10) : STEP;
  count(run(-1, -1, &all));
  for (long n = 0; step > 0 && n < all && failed < 10; n += step) count(run_alone(n, -1));
  int result = CLEAN_ERROR;
  for (long n = 0; result == CLEAN_ERROR && failed < 10; n++) {
    result = run_alone(-1, n);
    count(result);
  }
  printf("# %ld allocations of Lua\n%d passed, %d failed\n", all, passed, failed);
  return failed > 0;
}
