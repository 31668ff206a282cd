/* kernel.c: the kernel of notebooks. Requests come from wire.c, and lua/kernel/kernel.lua
 * answers them in the session of the prompt. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>
#include <lualib.h>

#include "interpreter/interpreter.h"
#include "interpreter/kernel/wire.h"
#include "interpreter/kernel/zmq.h"
#include "lua/binding.h"
#include "platform/platform.h"

/* The state of the running kernel. A program has one. */
typedef struct kernel {
  wire *w;
  bool takes_input; /* the current request's sender can be asked for input */
  /* A line that was read: its length, and the number of bytes that were consumed. */
  char *line;
  size_t taken, length;
  FILE *input;
} kernel;

int zmq_version_for_lua(lua_State *L) {
  zmq_library found;
  int major, minor, patch;
  if (!zmq_open(&found)) return 0;
  found.version_(&major, &minor, &patch);
  lua_pushfstring(L, "libzmq %d.%d.%d", major, minor, patch);
  return 1;
}

/* --- io.read --------------------------------------------------------------------------------- */

/* Asks the notebook for a line. Returns false if it gives none, or Ctrl-C came. */
static bool ask_line(kernel *k) {
  message *question = k->takes_input ? message_of_text("input") : NULL, *answer;
  if (!question) return false;
  for (message *old; (old = queue_take(&k->w->inputs)) != NULL;) free(old);
  fflush(stdout);
  queue_put(&k->w->outgoing, question);
  errno = 0;
  if (!(answer = queue_wait(&k->w->inputs))) return false;
  free(k->line);
  k->length = answer->sizes[0] + 1;
  k->taken = 0;
  k->line = malloc(k->length);
  if (k->line) {
    memcpy(k->line, message_string(answer, 0), k->length - 1);
    k->line[k->length - 1] = '\n';
  }
  free(answer);
  return k->line != NULL;
}

/* Reads from the notebook, as platform_open_reader asks. */
static int64_t read_input(void *user, char *to, size_t size) {
  kernel *k = user;
  if (!k->line && !ask_line(k)) return errno == EINTR ? -1 : 0;
  size_t left = k->length - k->taken, part = left < size ? left : size;
  memcpy(to, k->line + k->taken, part);
  k->taken += part;
  if (k->taken == k->length) {
    free(k->line);
    k->line = NULL;
  }
  return (int64_t)part;
}

/* Makes io.stdin read from the notebook. If the C library cannot do that, io.stdin is empty. */
static void move_input(lua_State *L, kernel *k) {
  int nothing = platform_open("/dev/null", PLATFORM_READ);
  if (nothing >= 0) {
    platform_replace(PLATFORM_STDIN, nothing);
    platform_close(nothing);
  }
  FILE *file = platform_open_reader(read_input, k);
  if (!file || lua_getglobal(L, LUA_IOLIBNAME) != LUA_TTABLE) return;
  lua_getfield(L, -1, "stdin");
  luaL_Stream *stream = luaL_testudata(L, -1, LUA_FILEHANDLE);
  if (stream) stream->f = k->input = file;
  lua_pop(L, 2);
}

/* --- the functions that kernel.lua receives -------------------------------------------------- */

static kernel *self(lua_State *L) { return lua_touserdata(L, lua_upvalueindex(1)); }

/* start(addresses, key) connects to the notebook. */
static int start(lua_State *L) {
  const char *addresses[5], *key = luaL_checkstring(L, 2);
  for (int i = 0; i < 5; i++) {
    lua_rawgeti(L, 1, i + 1);
    addresses[i] = luaL_checkstring(L, -1);
  }
  self(L)->w = wire_start(L, addresses, key);
  return self(L)->w ? 0 : lua_error(L);
}

/* receive() waits for the next request, and returns its type and its content, or nothing if a
 * signal came. */
static int receive(lua_State *L) {
  message *p = queue_wait(&self(L)->w->requests);
  if (!p) return 0;
  for (size_t i = 0; i < p->count && i < 2; i++)
    lua_pushlstring(L, message_string(p, i), p->sizes[i]);
  free(p);
  return lua_gettop(L);
}

/* send(name, ...) calls a function of wire.lua with arguments. */
static int send_texts(lua_State *L) {
  fflush(stdout);
  int count = lua_gettop(L);
  lua_createtable(L, count, 0);
  lua_insert(L, 1);
  for (int i = count; i >= 1; i--) lua_rawseti(L, 1, i);
  message *p = message_of_list(L, 1);
  if (!p) return luaL_error(L, "only texts can be sent");
  queue_put(&self(L)->w->outgoing, p);
  return 0;
}

/* begin() starts the next request, and waits until printed text counts as its output. */
static int begin(lua_State *L) {
  wire *w = self(L)->w;
  message *p = message_of_text("begin"), *begun;
  if (!p) return luaL_error(L, "not enough memory");
  queue_put(&w->outgoing, p);
  do begun = queue_wait(&w->begun);
  while (!begun);
  free(begun);
  return 0;
}

/* waiting() returns the number of waiting requests. */
static int waiting(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)queue_count(&self(L)->w->requests));
  return 1;
}

/* Discards input that one cell left unread, so that the next cell does not see it. */
static void forget_input(kernel *k) {
  if (k->input) platform_discard_input(k->input);
  free(k->line);
  k->line = NULL;
}

/* run(text, takes_input) runs an entry. Returns nil, or the message of its error. */
static int run(lua_State *L) {
  kernel *k = self(L);
  luaL_checkstring(L, 1);
  k->takes_input = lua_toboolean(L, 2);
  forget_input(k);
  lua_settop(L, 1);
  bool succeeded = run_entry(L);
  k->takes_input = false;
  fflush(stdout);
  fflush(stderr);
  if (succeeded) return 0;
  if (!lua_isstring(L, -1)) lua_pushliteral(L, "(error object is not a string)");
  return 1;
}

/* call(f) calls a function as an entry is run. Returns nil, or the message of its error. */
static int call(lua_State *L) {
  lua_settop(L, 1);
  if (protected_call(L, 0, 0) == LUA_OK) return 0;
  if (!lua_isstring(L, -1)) lua_pushliteral(L, "(error object is not a string)");
  return 1;
}

void run_kernel(lua_State *L, const char *connection_file) {
  static const luaL_Reg functions[] = {{"start", start}, {"receive", receive}, {"send", send_texts},
                                       {"begin", begin}, {"waiting", waiting}, {"run", run},
                                       {"call", call},   {NULL, NULL}};
  static kernel the_kernel; /* io.stdin may outlive the rest of the Lua state */
  kernel *k = &the_kernel;
  lua_pushcfunction(L, open_session);
  lua_call(L, 0, 0);
  move_input(L, k);
  push_part(L, "kernel.kernel");
  luaL_newlibtable(L, functions);
  lua_pushlightuserdata(L, k);
  luaL_setfuncs(L, functions, 1);
  push_session(L);
  lua_pushstring(L, connection_file);
  program_name = NULL;
  int status = lua_pcall(L, 3, 0, 0);
  if (k->w) wire_stop(k->w);
  k->w = NULL;
  if (status != LUA_OK) lua_error(L);
}
