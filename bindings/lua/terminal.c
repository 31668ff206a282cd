/* terminal.c: the width of the terminal, and questions that a terminal answers itself. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE
#endif

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "lua/binding.h"

/* torch._terminal("stdout" or "stderr") returns the number of columns, or nil if the stream is
 * not a terminal. */
static int terminal(lua_State *L) {
  int file = strcmp(luaL_checkstring(L, 1), "stderr") == 0 ? STDERR_FILENO : STDOUT_FILENO;
  if (!isatty(file)) return 0;
  int columns = 80;
#ifdef TIOCGWINSZ
  struct winsize size;
  if (ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) columns = size.ws_col;
#endif
  lua_pushinteger(L, columns);
  return 1;
}

/* --- questions ----------------------------------------------------------------------------------- */

enum { MAX_ANSWER = 512 };

static bool is_ready(int file, int milliseconds) {
  struct pollfd polled = {file, POLLIN, 0};
  return poll(&polled, 1, milliseconds) > 0 && (polled.revents & POLLIN);
}

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
  struct timespec begun, now;
  clock_gettime(CLOCK_MONOTONIC, &begun);
  for (int left = milliseconds; left > 0 && n < MAX_ANSWER && is_ready(file, left);) {
    ssize_t got = read(file, answer + n, 1);
    if (got <= 0) return 0;
    n++;
    if (is_whole(answer, n)) return n;
    clock_gettime(CLOCK_MONOTONIC, &now);
    left = milliseconds -
           (int)((now.tv_sec - begun.tv_sec) * 1000 + (now.tv_nsec - begun.tv_nsec) / 1000000);
  }
  return 0;
}

/* Asks while the terminal neither shows the answer nor holds it back until Enter. Returns the
 * length of the answer, or 0 if there is none. Does not ask if input is waiting, which the
 * program has yet to read. */
static size_t ask(int file, const char *question, size_t length, char *answer, int milliseconds) {
  struct termios before, quiet;
  size_t n = 0;
  if (tcgetpgrp(file) != getpgrp() || tcgetattr(file, &before) != 0) return 0;
  quiet = before;
  quiet.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
  quiet.c_cc[VMIN] = 1;
  quiet.c_cc[VTIME] = 0;
  if (tcsetattr(file, TCSANOW, &quiet) != 0) return 0;
  if (!is_ready(file, 0) && write(file, question, length) == (ssize_t)length)
    n = read_answer(file, answer, milliseconds);
  tcsetattr(file, TCSANOW, &before);
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
  fflush(stdout);
  int file = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (file >= 0) {
    n = ask(file, question, length, answer, (int)milliseconds);
    close(file);
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
