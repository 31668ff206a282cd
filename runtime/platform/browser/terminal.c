/* terminal.c: a page has no terminal, although the C library takes every standard stream for one. */
#include <errno.h>

#include "platform/platform.h"

bool platform_is_terminal(int file) {
  (void)file;
  return false;
}

bool platform_window_size(int file, int *columns, int *rows) {
  (void)file, (void)columns, (void)rows;
  return false;
}

int platform_open_terminal(void) {
  errno = ENXIO;
  return -1;
}

bool platform_has_input(int terminal) {
  (void)terminal;
  return false;
}

bool platform_enter_mode(int terminal, platform_terminal_mode mode, platform_terminal *before) {
  (void)terminal, (void)mode, (void)before;
  return false;
}

void platform_leave_mode(int terminal, platform_terminal_mode mode,
                         const platform_terminal *before) {
  (void)terminal, (void)mode, (void)before;
}

int platform_character_width(uint32_t character) { return character < 0xA0 ? -1 : 1; }
