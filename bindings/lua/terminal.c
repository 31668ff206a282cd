/* terminal.c: the width of the terminal, and questions that a terminal answers itself. */
#include <stdio.h>
#include <string.h>

#include "lua/binding.h"
#include "platform/platform.h"
#include "sandbox/confined.h"

/* torch._terminal("stdout" or "stderr") returns the number of columns, or nil if the stream is
 * not a terminal. */
static int terminal(lua_State *L) {
  int file = strcmp(luaL_checkstring(L, 1), "stderr") == 0 ? PLATFORM_STDERR : PLATFORM_STDOUT;
  int columns = 0, rows;
  if (!platform_is_terminal(file)) return 0;
  bool known = platform_window_size(file, &columns, &rows) && columns > 0;
  lua_pushinteger(L, known ? columns : 80);
  return 1;
}

/* --- questions ----------------------------------------------------------------------------------- */

enum { MAX_ANSWER = 512 };

/* Returns true if `answer` ends with the reply to the last question: ESC [ ? ... c. */
static bool is_whole(const char *answer, size_t n) {
  if (n == 0 || answer[n - 1] != 'c') return false;
  for (size_t i = n - 1; i > 2; i--)
    if (answer[i - 1] == '?') return answer[i - 2] == '[' && answer[i - 3] == '\033';
  return false;
}

/* Reads until the answer is complete or the time is over. Returns its length, or 0 if it did not
 * come. */
static size_t read_answer(int file, char *answer, int milliseconds) {
  size_t n = 0;
  int64_t begun = platform_nanoseconds();
  for (int left = milliseconds; left > 0 && n < MAX_ANSWER;) {
    if (!platform_wait_for_input(file, left) || platform_read(file, answer + n, 1) <= 0) return 0;
    n++;
    if (is_whole(answer, n)) return n;
    left = milliseconds - (int)((platform_nanoseconds() - begun) / 1000000);
  }
  return 0;
}

/* Asks while the terminal neither shows the answer nor holds it back until Enter. Returns the
 * length of the answer, or 0 if there is none. Does not ask if input is waiting, which the
 * program has yet to read. */
static size_t ask(int file, const char *question, size_t length, char *answer, int milliseconds) {
  platform_terminal before;
  size_t n = 0;
  if (!platform_has_input(file) || !platform_enter_mode(file, PLATFORM_REPLIES, &before)) return 0;
  if (!platform_wait_for_input(file, 0) && platform_write(file, question, length))
    n = read_answer(file, answer, milliseconds);
  platform_leave_mode(file, PLATFORM_REPLIES, &before);
  return n;
}

/* torch._ask_terminal(question, milliseconds) returns the terminal's answer, or nil if none
 * comes. Every question ends with one for the device attributes (ESC [ c), whose reply completes
 * the answer. */
static int ask_terminal(lua_State *L) {
  size_t length, n = 0;
  const char *question = luaL_checklstring(L, 1, &length);
  lua_Integer milliseconds = luaL_checkinteger(L, 2);
  char answer[MAX_ANSWER];
  luaL_argcheck(L, milliseconds >= 0 && milliseconds <= 10000, 2, "0 to 10000 expected");
  if (is_sandboxed(L)) return 0;
  fflush(stdout);
  int file = platform_open_terminal();
  if (file >= 0) {
    n = ask(file, question, length, answer, (int)milliseconds);
    platform_close(file);
  }
  if (n == 0) return 0;
  lua_pushlstring(L, answer, n);
  return 1;
}

void open_terminal(lua_State *L, int torch) {
  static const luaL_Reg functions[] = {
      {"_terminal", terminal}, {"_ask_terminal", ask_terminal}, {NULL, NULL}};
  lua_pushvalue(L, torch);
  luaL_setfuncs(L, functions, 0);
  lua_pop(L, 1);
}
