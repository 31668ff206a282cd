/*
 * The program `tocha`: a stand-alone Lua 5.4 interpreter in which `torch` is a global.
 *
 * Options, exit codes and the form of every message are those of the `lua` program, so that a Lua
 * user knows it already. What differs:
 *   - at the prompt an expression may be continued over several lines and is still printed;
 *   - Ctrl-C never ends an interactive session, and reaches operators and coroutines, too;
 *   - a script that comes through a pipe and fails makes the exit code 1;
 *   - `--version`, `--help` and `--doctor` exist.
 */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "torch.h"
#include "tocha/context.h"

#define INIT_VARIABLE "LUA_INIT"
#define INIT_VARIABLE_VERSIONED INIT_VARIABLE "_" LUA_VERSION_MAJOR "_" LUA_VERSION_MINOR

/* What the command line asks for. `script` is an index into argv, 0 when there is none. */
typedef struct options {
  bool execute, interactive, show_version, ignore_environment, doctor;
  bool help_only, version_only;
  int script;
} options;

/* ---- messages ---- */

/* The name put before messages; NULL at the prompt, where it would only be noise. */
static const char *program_name = "tocha";

static void print_message(const char *message) {
  fflush(stdout);
  if (program_name) fprintf(stderr, "%s: ", program_name);
  fprintf(stderr, "%s\n", message);
  fflush(stderr);
}

/* Prints and pops the error object on top when `status` is an error. Returns `status`. */
static int report(lua_State *L, int status) {
  if (status != LUA_OK) {
    const char *message = lua_tostring(L, -1);
    print_message(message ? message : "(error object is not a string)");
    lua_pop(L, 1);
  }
  return status;
}

static void print_usage(FILE *out) {
  fprintf(out,
          "usage: %s [options] [script [args]]\n"
          "Available options are:\n"
          "  -e stat   execute string 'stat'\n"
          "  -i        enter interactive mode after executing 'script'\n"
          "  -l mod    require library 'mod' into global 'mod'\n"
          "  -l g=mod  require library 'mod' into global 'g'\n"
          "  -v        show version information\n"
          "  -E        ignore environment variables\n"
          "  -W        turn warnings on\n"
          "  --        stop handling options\n"
          "  -         stop handling options and execute stdin\n"
          "  --version show version information and leave\n"
          "  --help    show this text and leave\n"
          "  --doctor  show what was found on this machine and leave\n",
          program_name);
  fflush(out);
}

static void print_help(void) {
  printf("Tocha %s: PyTorch's tensors, modules and training loops in Lua.\n", tocha_version());
  print_usage(stdout);
  printf("Without a script, on a terminal, it is a prompt (REPL.md). `torch` is a global.\n"
         "In the environment: LUA_INIT (code to run first), OMP_NUM_THREADS (threads to use).\n");
}

static void print_bad_option(const char *option) {
  bool known = (option[1] == 'e' || option[1] == 'l') && option[2] == '\0';
  fprintf(stderr, known ? "%s: '%s' needs argument\n" : "%s: unrecognized option '%s'\n",
          program_name, option);
  print_usage(stderr);
}

static void print_version(void) {
  printf("Tocha %s  (%s)\n", tocha_version(), LUA_COPYRIGHT);
  fflush(stdout);
}

static void print_banner(void) {
  printf("Tocha %s  (%s, PyTorch's names; help: README.md; Ctrl-D leaves)\n", tocha_version(),
         LUA_VERSION);
  fflush(stdout);
}

/* ---- Ctrl-C ---- */

/*
 * A hook belongs to one Lua thread, so the thread that runs now must be known: `coroutine.resume`
 * and what `coroutine.wrap` returns are wrapped to keep `running_thread` right.
 * `interrupts` counts the signals of the current evaluation; 0 makes a hook that was left behind
 * take itself away.
 */
static lua_State *main_thread;
static lua_State *volatile running_thread;
static volatile sig_atomic_t interrupts;
static volatile sig_atomic_t evaluating;
static bool session; /* interactive: no number of Ctrl-C ends the process */

/* Raises the error. The first Ctrl-C raises once, so that Lua code may clean up after it; from
 * the second on the hook stays, and a loop around `pcall` ends, too. */
static void raise_interrupt(lua_State *L, lua_Debug *where) {
  (void)where;
  if (interrupts < 2) lua_sethook(L, NULL, 0, 0);
  if (interrupts == 0) return;
  luaL_where(L, 0);
  lua_pushliteral(L, "interrupted!");
  lua_concat(L, 2);
  lua_error(L);
}

static void on_interrupt(int signal_number) {
  (void)signal_number;
  if (!evaluating) return; /* reading a line: the read itself returns with EINTR */
  if (interrupts < 2) interrupts = interrupts + 1;
  lua_State *running = running_thread;
  /* only instructions are counted, not calls: a guard that is closed by C still is closed */
  lua_sethook(main_thread, raise_interrupt, LUA_MASKCOUNT, 1);
  if (running != main_thread) lua_sethook(running, raise_interrupt, LUA_MASKCOUNT, 1);
  tocha_binding_interrupt(main_thread);
}

/* Outside a session a second Ctrl-C ends the program, as in `lua`. */
static void listen_for_interrupts(bool listen) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = listen ? on_interrupt : SIG_DFL;
  action.sa_flags = session ? 0 : (int)SA_RESETHAND;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
}

/* Calls the first upvalue, which runs the Lua thread `thread`, with all arguments. */
static int call_tracked(lua_State *L, lua_State *thread) {
  lua_State *outer = running_thread;
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  running_thread = thread;
  int status = lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0);
  running_thread = outer;
  return status;
}

static int tracked_resume(lua_State *L) {
  lua_State *thread = lua_tothread(L, 1);
  luaL_argexpected(L, thread, 1, "thread");
  return call_tracked(L, thread) == LUA_OK ? lua_gettop(L) : lua_error(L);
}

static int tracked_step(lua_State *L) {
  if (call_tracked(L, lua_tothread(L, lua_upvalueindex(2))) == LUA_OK) return lua_gettop(L);
  if (lua_type(L, -1) == LUA_TSTRING) { /* as coroutine.wrap does: say who called */
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

static void track_coroutines(lua_State *L) {
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

/* Message handler: makes a string of any error object. */
static int describe_briefly(lua_State *L) {
  if (lua_tostring(L, 1)) return 1;
  if (luaL_callmeta(L, 1, "__tostring") && lua_type(L, -1) == LUA_TSTRING) return 1;
  lua_pushfstring(L, "(error object is a %s value)", luaL_typename(L, 1));
  return 1;
}

/* Message handler: the same with a traceback, except where the object describes itself. */
static int describe_error(lua_State *L) {
  const char *message = lua_tostring(L, 1);
  if (!message) {
    if (luaL_callmeta(L, 1, "__tostring") && lua_type(L, -1) == LUA_TSTRING) return 1;
    message = lua_pushfstring(L, "(error object is a %s value)", luaL_typename(L, 1));
  }
  luaL_traceback(L, L, message, 1);
  return 1;
}

/* lua_pcall with `handler` for messages, and with Ctrl-C transposed into an error. */
static int call_with_handler(lua_State *L, int arguments, int results, lua_CFunction handler) {
  int base = lua_gettop(L) - arguments;
  lua_pushcfunction(L, handler);
  lua_insert(L, base);
  running_thread = L;
  interrupts = 0;
  evaluating = 1;
  listen_for_interrupts(true);
  int status = lua_pcall(L, arguments, results, base);
  evaluating = 0;
  if (!session) listen_for_interrupts(false);
  lua_sethook(L, NULL, 0, 0);
  if (interrupts) tocha_binding_clear_interrupt(L);
  running_thread = L;
  interrupts = 0;
  lua_remove(L, base);
  return status;
}

static int protected_call(lua_State *L, int arguments, int results) {
  return call_with_handler(L, arguments, results, describe_error);
}

static int run_loaded(lua_State *L, int status) {
  if (status == LUA_OK) status = protected_call(L, 0, 0);
  return report(L, status);
}

static int run_file(lua_State *L, const char *name) {
  return run_loaded(L, luaL_loadfile(L, name));
}

static int run_string(lua_State *L, const char *code, const char *name) {
  return run_loaded(L, luaL_loadbuffer(L, code, strlen(code), name));
}

/* `-l mod` and `-l g=mod`; a version suffix after a hyphen is no part of the global's name. */
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

/* The global `arg`: the script at 0, its arguments after it, the interpreter's before it. */
static void create_argument_table(lua_State *L, char **argv, int argc, int script) {
  lua_createtable(L, argc - script - 1, script + 1);
  for (int i = 0; i < argc; i++) {
    lua_pushstring(L, argv[i]);
    lua_rawseti(L, -2, i - script);
  }
  lua_setglobal(L, "arg");
}

/* Pushes arg[1], arg[2], ... (a LUA_INIT may have changed them) and returns how many. */
static int push_arguments(lua_State *L) {
  if (lua_getglobal(L, "arg") != LUA_TTABLE) return luaL_error(L, "'arg' is not a table");
  int count = (int)luaL_len(L, -1);
  luaL_checkstack(L, count + 3, "too many arguments to script");
  for (int i = 1; i <= count; i++) lua_rawgeti(L, -i, i);
  lua_remove(L, -count - 1);
  return count;
}

static int run_script(lua_State *L, char **argv, int script) {
  const char *name = argv[script];
  if (strcmp(name, "-") == 0 && strcmp(argv[script - 1], "--") != 0) name = NULL; /* stdin */
  int status = luaL_loadfile(L, name);
  if (status == LUA_OK) {
    int count = push_arguments(L);
    status = protected_call(L, count, LUA_MULTRET);
  }
  return report(L, status);
}

/* ---- the prompt ---- */

typedef enum line_result { LINE_READ, LINE_END, LINE_INTERRUPTED } line_result;

/* What may raise (a global table with metamethods, a `__tostring`) is done under lua_pcall. */
static int find_prompt(lua_State *L) {
  if (lua_getglobal(L, lua_tostring(L, 1)) == LUA_TNIL) return 0;
  luaL_tolstring(L, -1, NULL);
  return 1;
}

static void print_prompt(lua_State *L, bool first) {
  lua_pushcfunction(L, find_prompt);
  lua_pushstring(L, first ? "_PROMPT" : "_PROMPT2");
  int status = lua_pcall(L, 1, 1, 0);
  const char *prompt = status == LUA_OK ? lua_tostring(L, -1) : NULL;
  if (!prompt) prompt = first ? "> " : ">> ";
  fputs(prompt, stdout);
  fflush(stdout);
  lua_pop(L, 1);
}

/* Prompts, reads one line and pushes it without its end. */
static line_result read_line(lua_State *L, bool first) {
  char *line = NULL;
  size_t capacity = 0;
  print_prompt(L, first);
  clearerr(stdin); /* io.read may have met an end or a signal */
  errno = 0;
  ssize_t length = getline(&line, &capacity, stdin);
  if (length < 0) {
    bool interrupted = errno == EINTR && !feof(stdin);
    free(line);
    return interrupted ? LINE_INTERRUPTED : LINE_END;
  }
  if (length > 0 && line[length - 1] == '\n') length--;
  bool equals = first && length > 0 && line[0] == '='; /* `=x`, an old habit of Lua's users */
  lua_pushstring(L, equals ? "return " : "");
  lua_pushlstring(L, line + equals, (size_t)length - equals);
  lua_concat(L, 2);
  free(line);
  return LINE_READ;
}

/* Whether the message on top says that the text only ends too early. */
static bool is_incomplete(lua_State *L, int status) {
  static const char mark[] = "<eof>";
  size_t length, mark_length = sizeof mark - 1;
  if (status != LUA_ERRSYNTAX) return false;
  const char *message = lua_tolstring(L, -1, &length);
  return length >= mark_length && strcmp(message + length - mark_length, mark) == 0;
}

static int load_text(lua_State *L, int index) {
  size_t length;
  const char *text = lua_tolstring(L, index, &length);
  return luaL_loadbufferx(L, text, length, "=stdin", "t");
}

/* Compiles the text at index 1, as an expression or else as a statement, and pushes a function
 * or a message. Sets `*incomplete` if more lines might make either of them complete. */
static int compile_text(lua_State *L, bool *incomplete) {
  lua_pushliteral(L, "return ");
  lua_pushvalue(L, 1);
  lua_concat(L, 2);
  int status = load_text(L, 2);
  lua_remove(L, 2);
  *incomplete = false;
  if (status == LUA_OK) return status;
  bool incomplete_expression = is_incomplete(L, status);
  status = load_text(L, 1);
  lua_remove(L, 2);
  if (status != LUA_OK) *incomplete = incomplete_expression || is_incomplete(L, status);
  return status;
}

/* Reads lines until they make a chunk; leaves the function, or a message, alone on the stack. */
static line_result read_chunk(lua_State *L, int *status) {
  bool incomplete = false;
  lua_settop(L, 0);
  line_result result = read_line(L, true);
  if (result != LINE_READ) return result;
  while (*status = compile_text(L, &incomplete), incomplete) {
    result = read_line(L, false);
    if (result == LINE_INTERRUPTED) return result;
    if (result == LINE_END) break; /* the message says what is missing */
    lua_pushliteral(L, "\n");
    lua_replace(L, 2);
    lua_concat(L, 3);
  }
  lua_remove(L, 1);
  return LINE_READ;
}

static int call_print(lua_State *L) {
  lua_getglobal(L, "print");
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, 0);
  return 0;
}

/* Prints all values on the stack with the global `print`. */
static void print_values(lua_State *L) {
  int count = lua_gettop(L);
  if (count == 0) return;
  luaL_checkstack(L, LUA_MINSTACK, "too many results to print");
  lua_pushcfunction(L, call_print);
  lua_insert(L, 1);
  if (call_with_handler(L, count, 0, describe_briefly) != LUA_OK)
    print_message(lua_pushfstring(L, "error calling 'print' (%s)", lua_tostring(L, -1)));
}

static void run_prompt(lua_State *L) {
  const char *name = program_name;
  int status = LUA_OK;
  line_result result;
  program_name = NULL;
  while ((result = read_chunk(L, &status)) != LINE_END) {
    if (result == LINE_INTERRUPTED) {
      putchar('\n');
      continue;
    }
    if (status == LUA_OK) status = protected_call(L, 0, LUA_MULTRET);
    if (status == LUA_OK)
      print_values(L);
    else
      report(L, status);
  }
  lua_settop(L, 0);
  putchar('\n');
  fflush(stdout);
  program_name = name;
}

/* ---- the command line ---- */

/* Reads argv into `*o`; returns NULL, or the option that is not understood. */
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
      o->help_only = true;
    } else if (strcmp(option, "--doctor") == 0) {
      o->doctor = true;
    } else if (strcmp(option, "-W") != 0) {
      return option;
    }
  }
  return NULL;
}

/* Runs -e, -l and -W in the order in which they stand before the script. */
static bool run_options(lua_State *L, char **argv, int end) {
  for (int i = 1; i < end; i++) {
    char kind = argv[i][1];
    if (strcmp(argv[i], "--") == 0) break;
    if (kind == 'W') lua_warning(L, "@on", 0);
    if (kind != 'e' && kind != 'l') continue;
    const char *text = argv[i][2] ? argv[i] + 2 : argv[++i];
    int status = kind == 'e' ? run_string(L, text, "=(command line)") : require_library(L, text);
    if (status != LUA_OK) return false;
  }
  return true;
}

/* Prints what torch._doctor() says; what the interpreter itself knows if there is none. */
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
  printf("torch: built in\nterminal: %s\n", isatty(STDIN_FILENO) ? "yes" : "no");
  return LUA_OK;
}

static int succeed(lua_State *L) {
  lua_pushboolean(L, true);
  return 1;
}

/* Everything that may raise, under lua_pcall. Expects argc, argv and the options; returns true if
 * all went well. */
static int run_program(lua_State *L) {
  int argc = (int)lua_tointeger(L, 1);
  char **argv = lua_touserdata(L, 2);
  const options *o = lua_touserdata(L, 3);
  bool unoccupied = !o->script && !o->execute && !o->show_version && !o->doctor;
  session = o->interactive || (unoccupied && isatty(STDIN_FILENO));
  luaL_checkversion(L);
  if (session) listen_for_interrupts(true);
  if (o->show_version)
    print_version();
  else if (session)
    print_banner();
  if (o->ignore_environment) {
    lua_pushboolean(L, 1);
    lua_setfield(L, LUA_REGISTRYINDEX, "LUA_NOENV"); /* where `package` looks */
  }
  luaL_openlibs(L);
  create_argument_table(L, argv, argc, o->script);
  track_coroutines(L);
  luaL_requiref(L, "torch", luaopen_torch, 1);
  lua_getfield(L, -1, "_print_help");
  lua_setglobal(L, "help");
  lua_settop(L, 0);
  if (o->doctor) return run_doctor(L) == LUA_OK ? succeed(L) : 0;
  if (!o->ignore_environment && run_init_variable(L) != LUA_OK) return 0;
  if (!run_options(L, argv, o->script ? o->script : argc)) return 0;
  if (o->script && run_script(L, argv, o->script) != LUA_OK) return 0;
  if (session)
    run_prompt(L);
  else if (unoccupied && run_file(L, NULL) != LUA_OK)
    return 0;
  return succeed(L);
}

/* Whether all that was printed went out; says so where it did not: the disk is full, nobody reads. */
static bool is_written(void) {
  bool written = fflush(stdout) == 0 && !ferror(stdout);
  if (!written) print_message("cannot write to the standard output");
  return written;
}

int main(int argc, char **argv) {
  options o = {0};
  if (argv[0] && argv[0][0]) program_name = argv[0];
  const char *bad_option = argc > 0 ? read_options(argv, &o) : NULL;
  if (bad_option) {
    print_bad_option(bad_option);
    return EXIT_FAILURE;
  }
  if (o.help_only || o.version_only) {
    (o.help_only ? print_help : print_version)();
    return is_written() ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  lua_State *L = luaL_newstate();
  if (!L) {
    print_message("cannot create state: not enough memory");
    return EXIT_FAILURE;
  }
  main_thread = running_thread = L;
  lua_pushcfunction(L, run_program);
  lua_pushinteger(L, argc);
  lua_pushlightuserdata(L, argv);
  lua_pushlightuserdata(L, &o);
  int status = lua_pcall(L, 3, 1, 0);
  bool succeeded = status == LUA_OK && lua_toboolean(L, -1);
  report(L, status);
  lua_close(L);
  return is_written() && succeeded ? EXIT_SUCCESS : EXIT_FAILURE;
}
