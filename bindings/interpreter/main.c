/* main.c: the program `tocha`: a stand-alone Lua 5.4 interpreter in which `torch` is a global.
 *
 * Options, exit codes and messages are those of the `lua` program, so that a Lua user knows them
 * already. The differences:
 *   - At the prompt an expression may continue over several lines, and is still printed.
 *   - Ctrl-C never ends an interactive session, and reaches operators and coroutines, too.
 *   - A script that comes through a pipe and fails makes the exit code 1.
 *   - `--version`, `--help`, `--check` and `--doctor` exist. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>
#include <lualib.h>

#include "interpreter/interpreter.h"
#include "interpreter/launch/launch.h"
#include "interpreter/sandboxed.h"
#include "lua/binding.h"
#include "platform/platform.h"
#include "torch.h"
#include "tocha/context.h"

#define INIT_VARIABLE "LUA_INIT"
#define INIT_VARIABLE_VERSIONED INIT_VARIABLE "_" LUA_VERSION_MAJOR "_" LUA_VERSION_MINOR

/* The settings from the command line. `script` is an index into argv, or 0 if there is none. */
typedef struct options {
  bool execute, interactive, show_version, ignore_environment, doctor, plain;
  bool help_only, version_only;
  int script;
  const char *help_on; /* --help NAME */
  const char *kernel;  /* --kernel FILE */
  const char *prefix;  /* --install-kernel [PREFIX] */
  bool install_kernel;
  int check; /* --check: the index of the first script in argv, 0 without the option */
} options;

static void print_usage(FILE *out) {
  fprintf(out,
          "usage: %s [options] [script [args]]\n"
          "Available options are:\n"
          "  -e stat   execute string 'stat'\n"
          "  -i        enter interactive mode after executing 'script', with its locals\n"
          "  -l mod    require library 'mod' into global 'mod'\n"
          "  -l g=mod  require library 'mod' into global 'g'\n"
          "  -v        show version information\n"
          "  -E        ignore environment variables\n"
          "  -W        turn warnings on (they are, until a script or -w turns them off)\n"
          "  -w        turn warnings off\n"
          "  --        stop handling options\n"
          "  -         stop handling options and execute stdin\n"
          "  --version show version information and leave\n"
          "  --help [name]  show this text, or help on a name (torch.cat), and leave\n"
          "  --check script ...  find common mistakes without running anything, and leave\n"
          "  --sandbox [limits] script ...  run a script that may do no harm (docs/sandbox.md):\n"
          "            --folder dir [--read-only]  let it use the files there, and no others\n"
          "            --memory 512M --time 60 --processor-time 60 --instructions n --threads 1\n"
          "            --output 16M --files 64 --file-size 64M  end it at these limits\n"
          "%s"
          "  --doctor  show what was found on this machine and leave\n"
          "  --no-editor  read plain lines at the prompt\n"
          "  --install-kernel [prefix]  tell Jupyter of Tocha and leave\n"
          "  --kernel file  be the kernel of a notebook, which Jupyter starts\n",
          program_name, launch_usage);
  fflush(out);
}

static void print_help(void) {
  printf("Tocha %s: PyTorch's tensors, modules and training loops in Lua.\n", tocha_version());
  print_usage(stdout);
  printf("Without a script, on a terminal, it is a prompt (REPL.md). `torch` is a global.\n"
         "In the environment: LUA_INIT (code to run first), OMP_NUM_THREADS (threads to use).\n");
}

static void print_bad_option(const char *option) {
  bool known = ((option[1] == 'e' || option[1] == 'l') && option[2] == '\0') ||
               strcmp(option, "--check") == 0;
  fprintf(stderr, known ? "%s: '%s' needs argument\n" : "%s: unrecognized option '%s'\n",
          program_name, option);
  print_usage(stderr);
}

static void print_version(void) {
  printf("Tocha %s  (%s)\n", tocha_version(), LUA_COPYRIGHT);
  fflush(stdout);
}

static void print_banner(void) {
  printf("Tocha %s  (%s, PyTorch's names; :help; Ctrl-D leaves)\n", tocha_version(), LUA_VERSION);
  fflush(stdout);
}

/* Runs a loaded chunk, and reports errors. `text` is its text, or NULL for a file. */
static int run_loaded(lua_State *L, int status, const char *text) {
  if (status == LUA_ERRSYNTAX && tocha_binding_push_hinted(L, -1, text)) lua_remove(L, -2);
  if (status == LUA_OK) status = protected_call(L, 0, 0);
  return report(L, status);
}

static int run_file(lua_State *L, const char *name) {
  return run_loaded(L, luaL_loadfile(L, name), NULL);
}

static int run_string(lua_State *L, const char *code, const char *name) {
  return run_loaded(L, luaL_loadbuffer(L, code, strlen(code), name), code);
}

/* Requires a library for `-l mod` or `-l g=mod`. A version suffix after a hyphen is not part of
 * the global's name. */
static int require_library(lua_State *L, const char *argument) {
  const char *equals = strchr(argument, '=');
  const char *module = equals ? equals + 1 : argument;
  const char *end = equals ? equals : strchr(argument, '-');
  lua_getglobal(L, "require");
  lua_pushstring(L, module);
  int status = protected_call(L, 1, 1);
  if (status != LUA_OK) return report(L, status);
  lua_pushglobaltable(L);
  lua_pushlstring(L, argument, end ? (size_t)(end - argument) : strlen(argument));
  lua_pushvalue(L, -3);
  lua_settable(L, -3);
  lua_pop(L, 2);
  return LUA_OK;
}

static int run_init_variable(lua_State *L) {
  const char *name = "=" INIT_VARIABLE_VERSIONED;
  const char *init = getenv(name + 1);
  if (!init) {
    name = "=" INIT_VARIABLE;
    init = getenv(name + 1);
  }
  if (!init) return LUA_OK;
  return init[0] == '@' ? run_file(L, init + 1) : run_string(L, init, name);
}

/* Creates the global `arg`: the script at 0, its arguments after it, the interpreter's before
 * it. [-0, +0, m] */
static void create_argument_table(lua_State *L, char **argv, int argc, int script) {
  lua_createtable(L, argc - script - 1, script + 1);
  for (int i = 0; i < argc; i++) {
    lua_pushstring(L, argv[i]);
    lua_rawseti(L, -2, i - script);
  }
  lua_setglobal(L, "arg");
}

/* Pushes arg[1], arg[2], ..., which a LUA_INIT may have changed, and returns their number.
 * [-0, +results, e] */
static int push_arguments(lua_State *L) {
  if (lua_getglobal(L, "arg") != LUA_TTABLE) return luaL_error(L, "'arg' is not a table");
  int count = (int)luaL_len(L, -1);
  luaL_checkstack(L, count + 3, "too many arguments to script");
  for (int i = 1; i <= count; i++) lua_rawgeti(L, -i, i);
  lua_remove(L, -count - 1);
  return count;
}

/* Runs a script, and reports errors. session: the prompt follows, with the script's locals, and
 * even if the script fails. */
static int run_script(lua_State *L, char **argv, int script, bool session) {
  const char *name = argv[script];
  if (strcmp(name, "-") == 0 && strcmp(argv[script - 1], "--") != 0) name = NULL; /* stdin */
  int status = session ? load_session_script(L, name) : luaL_loadfile(L, name);
  if (status == LUA_ERRSYNTAX && tocha_binding_push_hinted(L, -1, NULL)) lua_remove(L, -2);
  if (status != LUA_OK) return report(L, status);
  int count = push_arguments(L);
  status = session ? call_entry(L, count) : protected_call(L, count, LUA_MULTRET);
  report(L, status);
  return session ? LUA_OK : status;
}

/* ---- the command line ---- */

/* Reads argv into `*o`. Returns NULL, or the first option that is not understood. */
static const char *read_options(char **argv, options *o) {
  for (int i = 1; argv[i]; i++) {
    const char *option = argv[i];
    if (option[0] != '-' || option[1] == '\0') {
      o->script = i;
      return NULL;
    }
    if (strcmp(option, "--") == 0) {
      o->script = argv[i + 1] ? i + 1 : 0;
      return NULL;
    }
    if (option[1] == 'e' || option[1] == 'l') {
      if (option[1] == 'e') o->execute = true;
      if (option[2] == '\0' && (!argv[i + 1] || argv[i + 1][0] == '-')) return option;
      if (option[2] == '\0') i++;
    } else if (strcmp(option, "-i") == 0) {
      o->interactive = true;
    } else if (strcmp(option, "-v") == 0) {
      o->show_version = true;
    } else if (strcmp(option, "--version") == 0) {
      o->version_only = true;
    } else if (strcmp(option, "-E") == 0) {
      o->ignore_environment = true;
    } else if (strcmp(option, "--help") == 0) {
      o->help_on = argv[i + 1];
      o->help_only = !o->help_on;
      if (o->help_on) return NULL;
    } else if (strcmp(option, "--install-kernel") == 0) {
      o->install_kernel = true;
      o->prefix = argv[i + 1];
      return NULL;
    } else if (strcmp(option, "--check") == 0) {
      o->check = i + 1;
      return argv[i + 1] ? NULL : option;
    } else if (strcmp(option, "--kernel") == 0) {
      o->kernel = argv[i + 1];
      return o->kernel ? NULL : option;
    } else if (strcmp(option, "--doctor") == 0) {
      o->doctor = true;
    } else if (strcmp(option, "--no-editor") == 0) {
      o->plain = true;
    } else if (strcmp(option, "-W") != 0 && strcmp(option, "-w") != 0) {
      return option;
    }
  }
  return NULL;
}

/* Runs -e, -l, -W and -w in the order in which they stand before the script. Returns false if
 * one fails. */
static bool run_options(lua_State *L, char **argv, int end) {
  for (int i = 1; i < end; i++) {
    char kind = argv[i][1];
    if (strcmp(argv[i], "--") == 0) break;
    if (kind == 'W' || kind == 'w') lua_warning(L, kind == 'W' ? "@on" : "@off", 0);
    if (kind != 'e' && kind != 'l') continue;
    const char *text = argv[i][2] ? argv[i] + 2 : argv[++i];
    int status = kind == 'e' ? run_string(L, text, "=(command line)") : require_library(L, text);
    if (status != LUA_OK) return false;
  }
  return true;
}

/* Prints the text of torch._doctor(), or the interpreter's own information if there is no such
 * function. */
static int run_doctor(lua_State *L) {
  print_version();
  lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  if (lua_getfield(L, -1, "torch") == LUA_TTABLE) {
    lua_pushliteral(L, "_doctor");
    if (lua_rawget(L, -2) == LUA_TFUNCTION) {
      int status = protected_call(L, 0, 1);
      if (status != LUA_OK) return report(L, status);
      if (lua_isstring(L, -1)) printf("%s\n", lua_tostring(L, -1));
      return LUA_OK;
    }
  }
  printf("torch: built in\nterminal: %s\n", platform_is_terminal(PLATFORM_STDIN) ? "yes" : "no");
  return LUA_OK;
}

static int succeed(lua_State *L) {
  lua_pushboolean(L, true);
  return 1;
}

/* Prints the help on a name: `--help torch.cat`. Returns true to Lua, as run_program does, if
 * there is any. */
static int show_help(lua_State *L, const char *name) {
  push_part(L, "help");
  lua_getfield(L, -1, "on");
  lua_pushstring(L, name);
  lua_call(L, 1, 1);
  if (lua_isnil(L, -1)) {
    fprintf(stderr, "%s: no help on '%s'\n", program_name, name);
    return 0;
  }
  printf("%s\n", lua_tostring(L, -1));
  return succeed(L);
}

/* Writes the file by which Jupyter finds this program. Returns true to Lua, as run_program does,
 * if that succeeds. */
static int install_kernel(lua_State *L, const options *o) {
  push_part(L, "kernel.install");
  lua_pushstring(L, program_name);
  lua_pushstring(L, o->prefix);
  if (protected_call(L, 2, 1) != LUA_OK) {
    report(L, LUA_ERRRUN);
    return 0;
  }
  printf("%s\n", lua_tostring(L, -1));
  return succeed(L);
}

/* Prints the mistakes in scripts: `--check script ...`. Returns true to Lua, as run_program
 * does, if there are none. */
static int check_scripts(lua_State *L, char **names) {
  push_part(L, "check");
  lua_getfield(L, -1, "files");
  lua_newtable(L);
  for (int i = 0; names[i]; i++) {
    lua_pushstring(L, names[i]);
    lua_rawseti(L, -2, i + 1);
  }
  if (protected_call(L, 1, 1) == LUA_OK) return 1;
  report(L, LUA_ERRRUN);
  return 0;
}

/* (argc, argv, options) Runs the program. Called by lua_pcall, because it may raise. Returns
 * true if there was no error. */
static int run_program(lua_State *L) {
  int argc = (int)lua_tointeger(L, 1);
  char **argv = lua_touserdata(L, 2);
  const options *o = lua_touserdata(L, 3);
  bool unoccupied =
      !o->script && !o->execute && !o->show_version && !o->doctor && !o->kernel && !o->check;
  bool session = o->interactive || (unoccupied && platform_is_terminal(PLATFORM_STDIN));
  luaL_checkversion(L);
  watch_interrupts(L, session || o->kernel);
  if (o->show_version)
    print_version();
  else if (session)
    print_banner();
  if (o->ignore_environment) {
    lua_pushboolean(L, 1);
    lua_setfield(L, LUA_REGISTRYINDEX, "LUA_NOENV"); /* `package` reads this */
  }
  luaL_openlibs(L);
  lua_gc(L, LUA_GCGEN, 0, 0);
  create_argument_table(L, argv, argc, o->script);
  track_coroutines(L);
  allow_abandoned_calls(L);
  luaL_requiref(L, "torch", luaopen_torch, 1);
  lua_getfield(L, -1, "_print_help");
  lua_setglobal(L, "help");
  lua_pushliteral(L, "_zmq");
  lua_pushcfunction(L, zmq_version_for_lua);
  lua_rawset(L, -3);
  lua_settop(L, 0);
  if (o->help_on) return show_help(L, o->help_on);
  if (o->doctor) return run_doctor(L) == LUA_OK ? succeed(L) : 0;
  if (o->check) return check_scripts(L, argv + o->check);
  if (o->install_kernel) return install_kernel(L, o);
  if (!o->ignore_environment && run_init_variable(L) != LUA_OK) return 0;
  if (!run_options(L, argv, o->script ? o->script : argc)) return 0;
  if (session) {
    lua_pushcfunction(L, open_session);
    lua_call(L, 0, 0);
  }
  if (o->script && run_script(L, argv, o->script, session) != LUA_OK) return 0;
  if (o->kernel) {
    run_kernel(L, o->kernel);
    return succeed(L);
  }
  if (session)
    run_prompt(L, !o->plain);
  else if (unoccupied && run_file(L, NULL) != LUA_OK)
    return 0;
  return succeed(L);
}

/* Returns true if all output was written. Otherwise prints a message: the disk is full, or the
 * reader is gone. */
static bool is_written(void) {
  bool written = fflush(stdout) == 0 && !ferror(stdout);
  if (!written) print_message("cannot write to the standard output");
  return written;
}

int main(int argc, char **argv) {
  options o = {0};
  if (argv[0] && argv[0][0]) program_name = argv[0];
  choose_blas_kernels();
  if (wants_sandbox(argv)) end_process(run_sandboxed(argv));
  if (wants_launch(argv)) end_process(run_launch(argv));
  join_launch();
  const char *bad_option = argc > 0 ? read_options(argv, &o) : NULL;
  if (bad_option) {
    print_bad_option(bad_option);
    return EXIT_FAILURE;
  }
  if (o.help_only || o.version_only) {
    (o.help_only ? print_help : print_version)();
    return is_written() ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  lua_State *L = new_state();
  if (!L) return EXIT_FAILURE;
  lua_pushcfunction(L, run_program);
  lua_pushinteger(L, argc);
  lua_pushlightuserdata(L, argv);
  lua_pushlightuserdata(L, &o);
  int status = lua_pcall(L, 3, 1, 0);
  bool succeeded = status == LUA_OK && lua_toboolean(L, -1);
  report(L, status);
  lua_close(L);
  end_process(is_written() && succeeded ? EXIT_SUCCESS : EXIT_FAILURE);
}
