/* sandboxed.c: `tocha --sandbox`: runs one script in a sandbox, and gives up the rights of the process
 * that it does not need. */
#include "interpreter/sandboxed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>

#include "interpreter/interpreter.h"
#include "platform/platform.h"
#include "sandbox/confined.h"
#include "tocha/context.h"
#include "tocha/image.h"
#include "tocha/lua.h"
#include "tocha/ops/inverse.h"
#include "tocha/signals.h"
#include "torch.h"

/* The choices of the command line, which begin as those of a run without options. */
typedef struct sandbox_options {
  tocha_lua_sandbox sandbox;
  size_t memory;
  int script; /* index into argv */
} sandbox_options;

static const size_t MIB = (size_t)1 << 20;

bool wants_sandbox(char **argv) { return argv[0] && argv[1] && strcmp(argv[1], "--sandbox") == 0; }

/* Reads a positive number with the sign of a unit, K, M or G if `units`. Returns false if it is none. */
static bool read_number(const char *text, bool units, double *number) {
  char *end;
  *number = strtod(text, &end);
  if (end == text || !(*number > 0) || *number > 1e15) return false;
  if (!units || !*end) return !*end;
  const char *signs = "KMG", *sign = strchr(signs, *end);
  if (!sign || end[1]) return false;
  for (long i = 0; i <= sign - signs; i++) *number *= 1024;
  return true;
}

/* Reads an option and its value. Returns false if they are not understood. */
static bool read_option(const char *option, const char *value, sandbox_options *o) {
  tocha_lua_sandbox *s = &o->sandbox;
  double number = 0;
  bool is_size = strcmp(option, "--memory") == 0 || strcmp(option, "--output") == 0 ||
                 strcmp(option, "--file-size") == 0;
  if (strcmp(option, "--folder") == 0) return s->folder = value, true;
  if (!read_number(value, is_size, &number)) return false;
  if (strcmp(option, "--memory") == 0)
    o->memory = (size_t)number;
  else if (strcmp(option, "--output") == 0)
    s->output = (size_t)number;
  else if (strcmp(option, "--file-size") == 0)
    s->file_size = (size_t)number;
  else if (strcmp(option, "--files") == 0)
    s->files = (size_t)number;
  else if (strcmp(option, "--instructions") == 0)
    s->instructions = (uint64_t)number;
  else if (strcmp(option, "--threads") == 0)
    s->threads = number < 4096 ? (int)number : 4096;
  else if (strcmp(option, "--time") == 0)
    s->seconds = number;
  else if (strcmp(option, "--processor-time") == 0)
    s->processor_seconds = number;
  else
    return false;
  return true;
}

/* Reads the options behind --sandbox. Returns NULL, or the one that is not understood. */
static const char *read_options(char **argv, sandbox_options *o) {
  *o = (sandbox_options){.memory = 512 * MIB,
                         .sandbox = {.writable = true,
                                     .seconds = 60,
                                     .threads = 1,
                                     .output = 16 * MIB,
                                     .files = 64,
                                     .file_size = 64 * MIB}};
  for (int i = 2; argv[i]; i++) {
    if (strcmp(argv[i], "--read-only") == 0) {
      o->sandbox.writable = false;
    } else if (argv[i][0] != '-') {
      o->script = i;
      return NULL;
    } else if (!argv[i + 1] || !read_option(argv[i], argv[i + 1], o)) {
      return argv[i];
    } else {
      i++;
    }
  }
  return "--sandbox (a script is missing)";
}

/* Creates the global `arg`, the script at 0 and its arguments. [-0, +0, m] */
static void create_arguments(lua_State *L, char **argv, int script) {
  lua_newtable(L);
  for (int i = script; argv[i]; i++) {
    lua_pushstring(L, argv[i]);
    lua_rawseti(L, -2, i - script);
  }
  lua_setglobal(L, "arg");
}

/* (argv, options) Opens torch in the sandbox. */
static int open_torch(lua_State *L) {
  char **argv = lua_touserdata(L, 1);
  const sandbox_options *o = lua_touserdata(L, 2);
  lua_gc(L, LUA_GCGEN, 0, 0);
  luaL_requiref(L, "torch", luaopen_torch, 1);
  create_arguments(L, argv, o->script);
  return 0;
}

/* Opens the libraries that operators would open later, when the process has no right to any more. */
static void open_libraries(void) {
  char text[128];
  tocha_context *cx = tocha_open(NULL);
  if (!cx) return;
  tocha_blas_version(text, sizeof text);
  tocha_onednn_version(cx, text, sizeof text);
  tocha_jpeg_version();
  int64_t sizes[2] = {1, 1};
  tocha_tensor *one = tocha_new(cx, 2, sizes, TOCHA_FLOAT32, tocha_cpu());
  if (one) *(float *)tocha_data(one) = 1;
  tocha_inverse(cx, one); /* LAPACK */
  tocha_close(cx);
}

/* Returns an error's text with its hint and the stack. A message handler. */
static int describe(lua_State *L) {
  if (lua_type(L, 1) != LUA_TSTRING) return describe_briefly(L);
  bool ended = tocha_lua_sandbox_ended(L) != NULL;
  if (!ended && tocha_binding_push_hinted(L, 1, NULL)) lua_replace(L, 1);
  luaL_traceback(L, L, lua_tostring(L, 1), 1);
  return 1;
}

/* Runs the function on top with the script's arguments. Returns the status of lua_pcall. */
static int run_script(lua_State *L, char **argv, int script) {
  int count = 0;
  lua_pushcfunction(L, describe);
  lua_insert(L, -2);
  int handler = lua_gettop(L) - 1;
  for (int i = script + 1; argv[i] && lua_checkstack(L, 8); i++, count++)
    lua_pushstring(L, argv[i]);
  tocha_lua_sandbox_restart(L);
  return tocha_lua_sandbox_call(L, count, 0, handler);
}

/* Loads the script, opens the sandbox around it and runs it. Returns a status with the message of an
 * error on top. Rights are given up as soon as what needs them is done: before the sandbox starts
 * a thread, and before the script runs. */
static int run_state(lua_State *L, char **argv, const sandbox_options *o) {
  int status = luaL_loadfilex(L, argv[o->script], "t");
  if (status != LUA_OK) return status;
  open_libraries();
  platform_give_up_files(o->sandbox.folder, o->sandbox.writable);
  if (!tocha_lua_sandbox_open(L, &o->sandbox, o->memory)) return LUA_ERRRUN;
  keep_small_blocks(L);
  lua_pushcfunction(L, open_torch);
  lua_pushlightuserdata(L, argv);
  lua_pushlightuserdata(L, (void *)o);
  status = lua_pcall(L, 2, 0, 0);
  if (status != LUA_OK) return status;
  platform_give_up_system_calls();
  return run_script(L, argv, o->script);
}

int run_sandboxed(char **argv) {
  sandbox_options o;
  const char *bad = read_options(argv, &o);
  if (bad) {
    fprintf(stderr, "%s: unrecognized option '%s'\n", program_name, bad);
    return EXIT_FAILURE;
  }
  lua_State *L = luaL_newstate(); /* the sandbox pools small objects itself */
  if (!L) {
    print_message("cannot create state: not enough memory");
    return EXIT_FAILURE;
  }
  tocha_allow_abandoned_calls(true); /* end_process does not wait for them */
  int status = report(L, run_state(L, argv, &o));
  lua_close(L);
  bool written = fflush(stdout) == 0 && !ferror(stdout);
  return status == LUA_OK && written ? EXIT_SUCCESS : EXIT_FAILURE;
}
