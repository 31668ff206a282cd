/* web.c: Tocha in a page: the session of the prompt, for a worker in JavaScript that has loaded the module tocha.js.
 *
 * The module is a classic script: `createTocha(options)` returns a promise of the module. The worker gives
 *   onAnswer(kind, json)  is called with each message, while a request runs
 *   interrupted()         returns true if what runs is to stop, once; called while Lua or an operator works
 * and calls by ccall, whose texts are short because they lie on the stack,
 *   web_open(options)        once; returns false if it fails. options: a JSON object of
 *     columns, rows   the size of the terminal that shows the output; colours are written if there are columns
 *     prompt          true: values and messages look as at the prompt, else as in a notebook
 *   web_request(kind, json)  returns when the request has been answered. json: what the module's allocateUTF8 returned for the
 *     text. It is freed
 *   web_show(text, restarts) returns what the text shows on a terminal, as JSON, {past, open}: chunks of lines that can no longer
 *     change, and the lines behind them, as lists of runs, [text, style as CSS]. restarts: the terminal is a new one
 *
 * Requests and messages are those of Jupyter's protocol 5.3, without headers (lua/kernel/kernel.lua, page.lua). Positions count
 * Unicode's characters. A request is answered by exactly one reply, its last message.
 *   execute_request {code, silent, store_history, allow_stdin = false, figures}
 *       figures = false: the figures that are open wait for the next request
 *     -> execute_reply {status = "ok" or "error", execution_count, payload}; ename, evalue, traceback of an error.
 *        A payload {source = "ask_exit"}: the program has called os.exit, and wants a new worker.
 *        A payload {source = "set_next_input", text}: the text is for the editor.
 *   complete_request {code, cursor_pos} -> complete_reply {matches, cursor_start, cursor_end, metadata}
 *   inspect_request {code, cursor_pos} -> inspect_reply {found, data = {"text/plain"}}
 *   is_complete_request {code} -> is_complete_reply {status = "complete", "incomplete" or "invalid", indent}
 *   highlight_request {code, before} -> highlight_reply {styles}: a digit for each unit of UTF-16: 0 plain, 1 keyword, 2 string,
 *     3 number, 4 comment, 5 a bracket of the pair at the cursor, which is behind the text `before`
 *   indent_request {code} -> indent_reply {lines}: what stands for the last line of the code and a new line after it: both are
 *     indented, and the new one has nothing else
 *   example_request: see lua/kernel/example.lua
 * Messages before a reply:
 *   stream {name = "stdout" or "stderr", text}       what is printed, at most 30 ms late; ESC, \r and \b are the program's
 *   execute_result {data, execution_count}, display_data {data, transient}, update_display_data: data by MIME types; `picture`
 *     is the URL of a picture of the value; `text` is there if there are neither pictures nor HTML
 *   error {ename, evalue, traceback, text}: traceback holds all lines of the message, the hint included; text: they in colours
 *   execute_input {code, execution_count} */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>
#include <lualib.h>

#include "interpreter/interpreter.h"
#include "interpreter/web/poll.h"
#include "lua/binding.h"
#include "torch.h"

/* Defined in host.js. Sends what the standard streams get to the worker, as messages. */
void web_open_output(void);
/* Sends a message, after what was printed. */
void web_answer(const char *kind, const char *json);
/* Returns true if the worker wants an interrupt. Sends text that was printed a while ago. */
bool web_interrupted(void);

static lua_State *state;
static lua_State *screen; /* has the terminal, where no program can reach it */
static const char answer_key = 0;
static char reply_kind[64];
static bool replied; /* the current request has its reply */
static bool shows;   /* web_show runs */

/* Asks the worker if what runs is to stop. Lua's loops ask, and operators that run long. */
static bool ask(void *user) {
  (void)user;
  if (shows || !web_interrupted()) return false;
  request_interrupt();
  return true;
}

/* --- the functions that kernel.lua receives ------------------------------------------------------ */

static void reply_with(const char *json) {
  replied = true;
  web_answer(reply_kind, json);
}

/* send("publish", kind, json), send("reply", json). What a notebook is told beside is nothing to a page. */
static int send_message(lua_State *L) {
  const char *what = luaL_checkstring(L, 1);
  fflush(stdout);
  if (strcmp(what, "publish") == 0)
    web_answer(luaL_checkstring(L, 2), luaL_checkstring(L, 3));
  else if (strcmp(what, "reply") == 0)
    reply_with(luaL_checkstring(L, 2));
  return 0;
}

static int begin(lua_State *L) {
  (void)L;
  return 0;
}

/* waiting() returns the number of requests that wait: none, because they come one by one. */
static int waiting(lua_State *L) {
  lua_pushinteger(L, 0);
  return 1;
}

/* Returns nothing, or the message on top. */
static int outcome(lua_State *L, bool succeeded) {
  fflush(stdout);
  if (succeeded) return 0;
  if (!lua_isstring(L, -1)) lua_pushliteral(L, "(error object is not a string)");
  return 1;
}

/* run(text) runs an entry. Returns nil, or the message of its error. */
static int run(lua_State *L) {
  luaL_checkstring(L, 1);
  lua_settop(L, 1);
  return outcome(L, run_entry(L));
}

/* call(f) calls a function as an entry is run. Returns nil, or the message of its error. */
static int call(lua_State *L) {
  lua_settop(L, 1);
  return outcome(L, protected_call(L, 0, 0) == LUA_OK);
}

/* --- the worker's calls -------------------------------------------------------------------------- */

/* Opens Lua, torch and the session. (options) */
static int open_all(lua_State *L) {
  static const luaL_Reg functions[] = {{"send", send_message}, {"begin", begin},
                                       {"waiting", waiting},   {"run", run},
                                       {"call", call},         {NULL, NULL}};
  luaL_checkversion(L);
  luaL_openlibs(L);
  lua_gc(L, LUA_GCGEN, 0, 0);
  track_coroutines(L);
  luaL_requiref(L, "torch", luaopen_torch, 1);
  lua_getfield(L, -1, "_print_help");
  lua_setglobal(L, "help");
  lua_settop(L, 1);
  open_session(L);
  push_part(L, "kernel.page");
  luaL_newlib(L, functions);
  push_session(L);
  lua_pushvalue(L, 1);
  lua_call(L, 3, 1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &answer_key);
  tocha_on_poll(CX(L), ask, NULL);
  return 0;
}

/* Leaves the function that answers web_show on the stack. [-0, +1, e] */
static int open_screen(lua_State *L) {
  luaL_openlibs(L);
  luaL_requiref(L, "torch", luaopen_torch, 0);
  push_part(L, "kernel.screen");
  return 1;
}

/* Opens the session. Returns false if that fails, with a message on stderr. */
bool web_open(const char *options) {
  screen = luaL_newstate();
  if (!screen) return false;
  lua_pushcfunction(screen, open_screen);
  if (lua_pcall(screen, 0, 1, 0) != LUA_OK) return false;
  web_open_output();
  setvbuf(stdout, NULL, _IOLBF, 1 << 14);
  program_name = NULL;
  lua_State *L = state = luaL_newstate();
  if (!L) return false;
  pool_small_objects(L);
  watch_interrupts(L, true);
  lua_pushcfunction(L, open_all);
  lua_pushstring(L, options);
  if (report(L, lua_pcall(L, 1, 0, 0)) != LUA_OK) return false;
  poll_with(ask, NULL);
  return true;
}

/* Returns what a text shows, as JSON, until the next call. */
const char *web_show(const char *text, bool restarts) {
  lua_settop(screen, 1);
  lua_pushvalue(screen, 1);
  lua_pushstring(screen, text);
  lua_pushboolean(screen, restarts);
  shows = true;
  bool shown = lua_pcall(screen, 2, 1, 0) == LUA_OK;
  shows = false;
  return shown ? lua_tostring(screen, -1) : "{\"past\": [], \"open\": []}"; /* memory is short */
}

/* Calls kernel.lua's function. The kind of the request and its text are light userdata. (kind, json) */
static int answer(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &answer_key);
  lua_pushstring(L, lua_touserdata(L, 1));
  lua_pushstring(L, lua_touserdata(L, 2));
  lua_call(L, 2, 0);
  return 0;
}

/* Memory that programs cannot take. */
static void *spare[8];

/* Takes the spare memory, as far as there is some, and leaves one more block of it to the next request: if a program has taken
 * all the rest, an entry such as `x = nil` runs in it. */
static void keep_spare(void) {
  for (int i = 0; i < TOCHA_COUNT(spare); i++)
    if (!spare[i]) spare[i] = malloc((size_t)1 << 20);
  int last = TOCHA_COUNT(spare) - 1;
  while (last > 0 && !spare[last]) last--;
  free(spare[last]);
  spare[last] = NULL;
}

/* Answers a request for which memory was too short. */
static void reply_out_of_memory(void) {
  static const char error[] =
      "{\"ename\": \"OutOfMemoryError\", \"evalue\": \"not enough memory\", \"traceback\": "
      "[\"not enough memory\", \"hint: set what is large to nil, or begin a new session\"], "
      "\"status\": \"error\", \"execution_count\": 0, \"payload\": []}";
  if (strcmp(reply_kind, "execute_reply") == 0) web_answer("error", error);
  reply_with(error);
}

/* Answers a request. Frees json, which is NULL if there was no memory for it. */
void web_request(const char *kind, char *json) {
  lua_State *L = state;
  const char *end = strstr(kind, "_request");
  snprintf(reply_kind, sizeof reply_kind, "%.*s_reply", end ? (int)(end - kind) : 0, kind);
  replied = false;
  lua_settop(L, 0);
  lua_pushcfunction(L, answer);
  lua_pushlightuserdata(L, (void *)kind);
  lua_pushlightuserdata(L, json);
  bool answered = json && lua_pcall(L, 2, 0, 0) == LUA_OK;
  free(json);
  if (!answered && !replied) reply_out_of_memory();
  keep_spare();
}
