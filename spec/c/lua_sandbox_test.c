/* lua_sandbox_test.c: <tocha/lua_sandbox.h> as a host uses it, and scripts of a fuzzer.
 *
 *   lua_sandbox_test [count [first]]
 *
 * runs `count` scripts of spec/support/sandbox_scripts.lua, from number `first` on. A script must touch no file outside its
 * folder, pass no limit by more than a tenth, and leave the host and the state whole. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <lualib.h>

#include "check.h"
#include "tocha/lua.h"
#include "tocha/tocha.h"

static const char CANARY[] = "canary of another user";
static char folder[64], inside[128], outside[128];

/* --- files for the scripts ---------------------------------------------------------------------------- */

static void write_text(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  if (file) fputs(text, file), fclose(file);
}

static void make_folders(void) {
  char path[256];
  strcpy(folder, "/tmp/tocha-sandbox-XXXXXX");
  CHECK(mkdtemp(folder) != NULL);
  snprintf(inside, sizeof inside, "%s/inside", folder);
  snprintf(outside, sizeof outside, "%s/outside", folder);
  mkdir(inside, 0700);
  snprintf(path, sizeof path, "%s/folder", inside);
  mkdir(path, 0700);
  snprintf(path, sizeof path, "%s/link", inside);
  CHECK(symlink("../outside", path) == 0);
  write_text(outside, CANARY);
  snprintf(path, sizeof path, "%s/f", inside);
  write_text(path, "a file\n");
}

static bool outside_is_whole(void) {
  char text[64] = "";
  FILE *file = fopen(outside, "r");
  if (!file) return false;
  size_t length = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  struct stat s;
  return length == strlen(CANARY) && strcmp(text, CANARY) == 0 && stat(folder, &s) == 0 &&
         s.st_nlink == 3;
}

static void remove_folders(void) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  CHECK(system(command) == 0);
}

/* --- states ------------------------------------------------------------------------------------------- */

typedef struct printed {
  size_t bytes;
  bool canary;
  char text[256]; /* its beginning */
} printed;

static void note_print(void *user, const char *text, size_t length, bool warning) {
  printed *p = user;
  (void)warning;
  if (p->bytes < sizeof p->text - 1) {
    size_t left = sizeof p->text - 1 - p->bytes, taken = length < left ? length : left;
    memcpy(p->text + p->bytes, text, taken);
    p->text[p->bytes + taken] = '\0';
  }
  p->bytes += length;
  p->canary |= memmem(text, length, CANARY, strlen(CANARY)) != NULL;
}

static lua_State *open_state(const tocha_lua_sandbox *sandbox, size_t memory) {
  char message[256] = "";
  tocha_lua_options o = {.sandbox = sandbox, .memory = memory};
  lua_State *L = tocha_lua_new_state(&o, message, sizeof message);
  EXPECT(L != NULL, message[0] ? message : "a state");
  return L;
}

/* Runs a text with a fresh budget. Returns the status, with the message on top if it failed. */
static int run(lua_State *L, const char *text) {
  tocha_lua_sandbox_restart(L);
  int status = luaL_loadbufferx(L, text, strlen(text), "=script", "t");
  return status == LUA_OK ? tocha_lua_sandbox_call(L, 0, 0, 0) : status;
}

/* Checks that the text is ended with an error that contains `expected`, and that the state then runs. */
static void ends(lua_State *L, const char *text, const char *expected) {
  int status = run(L, text);
  const char *message =
      status != LUA_OK && lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "no error";
  if (!strstr(message, expected)) printf("# %s: %s\n", text, message);
  CHECK(status != LUA_OK && strstr(message, expected));
  CHECK(tocha_lua_sandbox_ended(L) != NULL);
  lua_settop(L, 0);
  CHECK(run(L, "assert(torch.ones(3):sum():item() == 3) local n = 0 for i = 1, 1000 do n = n + i "
               "end assert(n == 500500)") == LUA_OK);
  CHECK(tocha_lua_sandbox_ended(L) == NULL);
  lua_settop(L, 0);
}

/* --- limits ------------------------------------------------------------------------------------------- */

static void limits_end_scripts(void) {
  printed p = {0};
  tocha_lua_sandbox s = {.folder = inside,
                         .writable = true,
                         .print = note_print,
                         .print_user = &p,
                         .seconds = 2,
                         .output = 1000,
                         .files = 4,
                         .file_size = 10000};
  lua_State *L = open_state(&s, 48 << 20);
  if (!L) return;
  ends(L, "while true do end", "limit on time reached (2 s)");
  ends(L, "while true do pcall(function() while true do end end) end", "limit on time");
  ends(L, "local t = {} while true do t[#t + 1] = ('x'):rep(1000000) .. #t end",
       "limit on memory reached (50331648 bytes)");
  ends(L, "local t = {} while true do t[#t + 1] = torch.ones(100000) end", "limit on memory");
  ends(L, "while true do pcall(torch.ones, 1000000000) end", "limit on memory");
  ends(L, "while true do print 'x' end", "limit on output reached (1000 bytes)");
  CHECK(p.bytes <= 3000);
  ends(L, "local t = {} while true do t[#t + 1] = assert(io.open('f')) end",
       "limit on open files reached (4)");
  ends(L, "local f = io.open('g', 'w') f:write(('x'):rep(20000)) f:close()",
       "limit on the size of a file");
  ends(L, "torch.save(torch.ones(10000), 'h')", "limit on the size of a file");
  CHECK(run(L, "torch.save({torch.ones(2)}, 'k') assert(torch.load('k')[1]:sum():item() == 2)") ==
        LUA_OK);
  CHECK(run(L, "assert(io.open('link') == nil and io.open('../outside') == nil)") == LUA_OK);
  lua_close(L);
  s = (tocha_lua_sandbox){.instructions = 100000, .print = note_print, .print_user = &p};
  L = open_state(&s, 0);
  if (!L) return;
  ends(L, "while true do end", "limit on instructions reached (100000)");
  ends(L, "while true do coroutine.wrap(function() end)() end", "limit on instructions");
  ends(L, "('a'):rep(100000):find(('a*'):rep(30) .. 'b')", "limit on instructions");
  CHECK(run(L, "assert(torch.get_num_threads() == 1) torch.set_num_threads(8) "
               "assert(torch.get_num_threads() == 1)") == LUA_OK);
  CHECK(run(L, "assert(io.open('f') == nil and not pcall(torch.load, 'f'))") == LUA_OK);
  lua_close(L);
  s = (tocha_lua_sandbox){.processor_seconds = 0.1};
  L = open_state(&s, 0);
  if (!L) return;
  ends(L, "while true do end", "limit on processor time reached (0.1 s)");
  lua_close(L);
}

static FILE *open_text(void *user, const char *path, const char *mode) {
  return strcmp(path, "words.txt") == 0 && mode[0] == 'r' ? fmemopen(user, strlen(user), "r")
                                                          : NULL;
}

static void hosts_open_files(void) {
  char text[] = "one two";
  tocha_lua_sandbox s = {.open = open_text, .open_user = text};
  lua_State *L = open_state(&s, 0);
  if (!L) return;
  CHECK(run(L, "assert(io.open('words.txt'):read 'a' == 'one two')") == LUA_OK);
  CHECK(run(L, "assert(not io.open('words.txt', 'w') and not io.open('other.txt'))") == LUA_OK);
  lua_close(L);
}

static void end_at_print(void *user, const char *text, size_t length, bool warning) {
  (void)text, (void)length, (void)warning;
  tocha_lua_sandbox_end(*(lua_State **)user, "the host has seen enough");
}

static void *interrupt_soon(void *L) {
  nanosleep(&(struct timespec){0, 50000000}, NULL);
  tocha_lua_interrupt(L);
  return NULL;
}

static void hosts_end_scripts(void) {
  lua_State *L = NULL;
  tocha_lua_sandbox s = {.seconds = 20, .print = end_at_print, .print_user = &L};
  pthread_t thread;
  L = open_state(&s, 0);
  if (!L) return;
  ends(L, "while true do pcall(coroutine.wrap(function() print 'x' end)) end",
       "the host has seen enough");
  pthread_create(&thread, NULL, interrupt_soon, L);
  ends(L, "local a = torch.rand(500, 500) while true do pcall(torch.mm, a, a) end", "interrupted");
  pthread_join(thread, NULL);
  lua_close(L);
}

/* --- the fuzzer --------------------------------------------------------------------------------------- */

static volatile long current; /* the number of the script that runs */

static void on_alarm(int signal_number) {
  char text[64];
  (void)signal_number;
  int length = snprintf(text, sizeof text, "not ok - script %ld does not end\n", current);
  if (write(1, text, (size_t)length) > 0) _exit(1);
}

static double seconds_used(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static long peak_kilobytes(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

/* Pushes script `number` in the generator's state. */
static const char *script_of(lua_State *G, long number) {
  lua_settop(G, 1);
  lua_getfield(G, 1, "script");
  lua_pushinteger(G, number);
  if (lua_pcall(G, 1, 1, 0) != LUA_OK) printf("# %s\n", lua_tostring(G, -1));
  return lua_tostring(G, -1);
}

static lua_State *open_generator(void) {
  lua_State *G = luaL_newstate();
  luaL_openlibs(G);
  luaL_requiref(G, "torch", luaopen_torch, 1);
  lua_settop(G, 0);
  bool loaded = !luaL_dofile(G, "spec/support/sandbox_scripts.lua");
  if (!loaded) printf("# %s\n", lua_tostring(G, -1));
  CHECK(loaded);
  lua_settop(G, 1);
  return G;
}

typedef struct worst {
  double seconds;
  size_t output;
  long limits; /* scripts that a limit ended */
} worst;

/* Runs one script, and checks the host and the state after it. */
static void fuzz_one(lua_State *L, const char *text, printed *p, const tocha_lua_sandbox *s,
                     worst *w) {
  tocha_context *cx = tocha_lua_context(L);
  *p = (printed){0};
  double begun = seconds_used();
  alarm(60);
  run(L, text);
  alarm(0);
  double used = seconds_used() - begun;
  w->limits += tocha_lua_sandbox_ended(L) != NULL;
  if (used > w->seconds) w->seconds = used;
  if (p->bytes > w->output) w->output = p->bytes;
  if (used > 1.1 * s->seconds + 0.05) printf("# script %ld took %.2f s\n", current, used);
  EXPECT(p->bytes <= s->output + s->output / 10, "output within its limit");
  EXPECT(!p->canary, "nothing outside the folder is read");
  lua_settop(L, 0);
  tocha_lua_sandbox_restart(L);
  bool runs =
      luaL_loadstring(L, "local n = 0 for i = 1, 100 do n = n + i end return n") == LUA_OK &&
      lua_pcall(L, 0, 1, 0) == LUA_OK && lua_tointeger(L, -1) == 5050;
  if (!runs) printf("# after script %ld: %s\n", current, lua_tostring(L, -1));
  EXPECT(runs, "the state runs on");
  lua_settop(L, 0);
  if (tocha_failed(cx)) printf("# after script %ld: %s\n", current, tocha_error(cx)->message);
  EXPECT(!tocha_failed(cx), "the context has no error");
  tocha_clear_error(cx);
}

static void fuzz(long first, long count) {
  enum { PER_STATE = 50 };
  const size_t memory = 64 << 20;
  printed p;
  tocha_lua_sandbox s = {.folder = inside,
                         .writable = true,
                         .print = note_print,
                         .print_user = &p,
                         .seconds = 0.25,
                         .instructions = 300000,
                         .output = 20000,
                         .files = 8,
                         .file_size = 100000};
  lua_State *G = open_generator(), *L = NULL;
  worst w = {0};
  long before = peak_kilobytes();
  signal(SIGALRM, on_alarm);
  for (long i = 0; i < count; i++) {
    current = first + i;
    if (i % PER_STATE == 0) {
      if (L) lua_close(L);
      L = open_state(&s, memory);
      if (!L) break;
    }
    fuzz_one(L, script_of(G, current), &p, &s, &w);
    if (i % PER_STATE == 0) EXPECT(outside_is_whole(), "no file outside the folder is touched");
  }
  if (L) lua_close(L);
  lua_close(G);
  long grown = peak_kilobytes() - before;
  printf("# %ld scripts, %ld ended by limits, at most %.3f s of 0.25, %zu bytes printed of 20000, "
         "%ld KiB of 65536\n",
         count, w.limits, w.seconds, w.output, grown);
  EXPECT(w.seconds <= 1.1 * s.seconds + (getenv("CI") ? 1 : 0.05), "time within its limit");
#ifndef __SANITIZE_ADDRESS__ /* which keeps what was freed */
  EXPECT(grown <= (long)(memory >> 10) * 11 / 10 + 16384, "memory within its limit");
#endif
  EXPECT(outside_is_whole(), "no file outside the folder is touched");
}

int main(int argc, char **argv) {
  long count = argc > 1 ? atol(argv[1]) : 1000, first = argc > 2 ? atol(argv[2]) : 1;
  setvbuf(stdout, NULL, _IOLBF,
          BUFSIZ); /* a script that ends the process leaves the lines before it */
  make_folders();
  if (argc < 2) {
    limits_end_scripts();
    hosts_open_files();
    hosts_end_scripts();
  }
  fuzz(first, count);
  remove_folders();
  return finish();
}
