/* terminal.c: the terminal's size and settings, and the width of characters. */
#define _DEFAULT_SOURCE
#define _XOPEN_SOURCE 700 /* wcwidth */
#include <fcntl.h>
#include <locale.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "platform/platform.h"

_Static_assert(sizeof(struct termios) <= sizeof(platform_terminal), "settings have no room");

bool platform_is_terminal(int file) { return isatty(file); }

bool platform_window_size(int file, int *columns, int *rows) {
  struct winsize size;
  if (ioctl(file, TIOCGWINSZ, &size) != 0) return false;
  *columns = size.ws_col;
  *rows = size.ws_row;
  return true;
}

int platform_open_terminal(void) { return open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC); }

bool platform_has_input(int terminal) { return tcgetpgrp(terminal) == getpgrp(); }

/* Returns when a change of the settings takes effect: keys wait until what was written before is
 * shown. */
static int moment_of(platform_terminal_mode mode) {
  return mode == PLATFORM_KEYS ? TCSADRAIN : TCSANOW;
}

bool platform_enter_mode(int terminal, platform_terminal_mode mode, platform_terminal *before) {
  struct termios settings;
  if (tcgetattr(terminal, &settings) != 0) return false;
  memcpy(before->storage, &settings, sizeof settings);
  settings.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
  if (mode == PLATFORM_KEYS) {
    settings.c_iflag &= ~(tcflag_t)(BRKINT | ICRNL | INLCR | IGNCR | INPCK | ISTRIP | IXON);
    settings.c_lflag &= ~(tcflag_t)(IEXTEN | ISIG);
  }
  settings.c_cc[VMIN] = 1;
  settings.c_cc[VTIME] = 0;
  return tcsetattr(terminal, moment_of(mode), &settings) == 0;
}

void platform_leave_mode(int terminal, platform_terminal_mode mode,
                         const platform_terminal *before) {
  struct termios settings;
  memcpy(&settings, before->storage, sizeof settings);
  tcsetattr(terminal, moment_of(mode), &settings);
}

/* The C library's table for UTF-8 is used, whatever the program's locale. */
int platform_character_width(uint32_t character) {
  static locale_t unicode;
  if (!unicode) unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
  if (!unicode) return character < 0xA0 ? -1 : 1;
  locale_t before = uselocale(unicode);
  int width = wcwidth((wchar_t)character);
  uselocale(before);
  return width;
}
