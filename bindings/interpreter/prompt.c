/* prompt.c: lines read, compiled and run until the end of input. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>

#include "interpreter/interpreter.h"
#include "torch.h"

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
  if (*status == LUA_ERRSYNTAX && tocha_binding_push_hinted(L, 2, lua_tostring(L, 1)))
    lua_remove(L, 2);
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

void run_prompt(lua_State *L) {
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
