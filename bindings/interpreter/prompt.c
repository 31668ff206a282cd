/* prompt.c: the loop of the prompt: reads entries, from the editor or as plain lines, and runs
 * them until the end of input. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>

#include "interpreter/interpreter.h"
#include "platform/platform.h"
#include "torch.h"

typedef enum line_result { LINE_READ, LINE_END, LINE_INTERRUPTED } line_result;

/* --- prompts --------------------------------------------------------------------------------- */

/* Returns the text of a global prompt. Called by lua_pcall, because metamethods of _G and
 * `__tostring` may raise. */
static int find_prompt(lua_State *L) {
  if (lua_getglobal(L, lua_tostring(L, 1)) == LUA_TNIL) return 0;
  luaL_tolstring(L, -1, NULL);
  return 1;
}

/* Pushes the prompt of a first line, or of another line. [-0, +1, m] */
static const char *push_prompt(lua_State *L, bool first) {
  lua_pushcfunction(L, find_prompt);
  lua_pushstring(L, first ? "_PROMPT" : "_PROMPT2");
  int status = lua_pcall(L, 1, 1, 0);
  if (status == LUA_OK && lua_tostring(L, -1)) return lua_tostring(L, -1);
  lua_pop(L, 1);
  return lua_pushstring(L, first ? "> " : ">> ");
}

/* --- plain lines ----------------------------------------------------------------------------- */

/* Prompts, reads one line and pushes it without its end. [-0, +(0|1), e] */
static line_result read_line(lua_State *L, bool first) {
  luaL_Buffer line;
  size_t length = 0;
  int c;
  fputs(push_prompt(L, first), stdout);
  fflush(stdout);
  lua_pop(L, 1);
  clearerr(stdin); /* io.read may have seen an end or a signal */
  errno = 0;
  luaL_buffinit(L, &line);
  for (; (c = getc(stdin)) != EOF && c != '\n'; length++) luaL_addchar(&line, (char)c);
  bool interrupted = c == EOF && errno == EINTR && !feof(stdin);
  luaL_pushresult(&line);
  if (c == '\n' || length > 0) return LINE_READ;
  lua_pop(L, 1);
  return interrupted ? LINE_INTERRUPTED : LINE_END;
}

/* Reads lines until they form an entry, which stays at index 1. */
static line_result read_lines(lua_State *L) {
  bool incomplete;
  line_result result = read_line(L, true);
  if (result != LINE_READ) return result;
  while (!compile_entry(L, "compile", &incomplete) && incomplete) {
    lua_settop(L, 1);
    result = read_line(L, false);
    if (result == LINE_INTERRUPTED) return result;
    if (result == LINE_END) break; /* the message will say what is missing */
    lua_pushliteral(L, "\n");
    lua_insert(L, -2);
    lua_concat(L, 3);
  }
  lua_settop(L, 1);
  return LINE_READ;
}

/* --- the editor ------------------------------------------------------------------------------ */

/* Reads an entry from the editor, and leaves it at index 1. */
static line_result read_edited(lua_State *L, editor *e) {
  const char *text, *prompt = push_prompt(L, true), *continuation = push_prompt(L, false);
  size_t length;
  fflush(stdout);
  editor_result result = editor_read(e, prompt, continuation, &text, &length);
  lua_settop(L, 0);
  if (result == EDITOR_END) return LINE_END;
  if (result == EDITOR_INTERRUPTED) return LINE_INTERRUPTED;
  lua_pushlstring(L, text ? text : "", length);
  return LINE_READ;
}

/* Gives the text that `:edit` left for the next entry to the editor, or prints it. [-0, +0, m] */
static void take_prefill(lua_State *L, editor *e) {
  size_t length;
  push_session(L);
  if (lua_getfield(L, -1, "prefill") == LUA_TSTRING) {
    const char *text = lua_tolstring(L, -1, &length);
    if (e)
      editor_prefill(e, text, length);
    else
      printf("%s\n", text);
    lua_pushnil(L);
    lua_setfield(L, -3, "prefill");
  }
  lua_pop(L, 2);
}

void run_prompt(lua_State *L, bool edits) {
  const char *name = program_name;
  line_result result;
  editor *e = NULL;
  if (edits && editor_can_run(PLATFORM_STDIN, PLATFORM_STDOUT)) {
    editor_language language = session_language(L);
    e = editor_open(PLATFORM_STDIN, PLATFORM_STDOUT, &language);
  }
  program_name = NULL;
  while (lua_settop(L, 0), (result = e ? read_edited(L, e) : read_lines(L)) != LINE_END) {
    if (result == LINE_READ && !run_entry(L))
      report(L, LUA_ERRRUN);
    else if (result == LINE_INTERRUPTED && !e)
      putchar('\n');
    fflush(stdout);
    lua_settop(L, 0);
    take_prefill(L, e);
  }
  lua_settop(L, 0);
  if (!e) putchar('\n');
  editor_close(e);
  fflush(stdout);
  program_name = name;
}
