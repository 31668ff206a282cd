/* keys.h: keys as a terminal sends them. */
#ifndef TOCHA_EDITOR_KEYS_H
#define TOCHA_EDITOR_KEYS_H

#include <stdint.h>

#include "interpreter/editor/text.h"

/* A key: a Unicode character (Ctrl-A is 1), or one of the constants below. Alt adds KEY_ALT.
 * Ctrl with a named key adds KEY_CTRL. */
typedef uint32_t key;
enum {
  KEY_UP = 1 << 22,
  KEY_DOWN,
  KEY_LEFT,
  KEY_RIGHT,
  KEY_HOME,
  KEY_END,
  KEY_DELETE,
  KEY_PAGE_UP,
  KEY_PAGE_DOWN,
  KEY_BACK_TAB,
  KEY_PASTE,  /* the pasted text is in `pasted` */
  KEY_RESIZE, /* the window's size has changed */
  KEY_CLOSED, /* the terminal is gone, or failed */
  KEY_NONE,   /* an unknown key */
  KEY_ALT = 1 << 24,
  KEY_CTRL = 1 << 25
};

typedef struct keys {
  int file;
  unsigned char buffer[4096];
  size_t begin, end;
  bytes pasted;
} keys;

/* Waits for the next key. */
key keys_next(keys *k);
/* Returns true if more has arrived already: text that is sent, not typed. */
bool keys_pending(keys *k);

#endif
