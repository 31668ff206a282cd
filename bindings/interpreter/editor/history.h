/* history.h: earlier entries, in a file that all sessions share. Each session adds its entries
 * at the end, and reads those that others have added when the user looks back. An entry is a
 * line of the file: `\n` stands for a line break, `\\` for a backslash. */
#ifndef TOCHA_EDITOR_HISTORY_H
#define TOCHA_EDITOR_HISTORY_H

#include "interpreter/editor/text.h"

typedef struct history {
  char *path;              /* NULL: no file, only memory */
  int64_t read;            /* bytes of the file that are in `entries` */
  uint64_t device, number; /* of the file that was read; 0: none */
  bytes *entries;
  size_t count, capacity;
} history;

/* Opens the history of the path in the environment: TOCHA_HISTORY (empty: no file), or
 * tocha/history under XDG_STATE_HOME or ~/.local/state. Does not read it yet. */
void history_open(history *h);
void history_close(history *h);
/* Reads new entries from the file. */
void history_refresh(history *h);
/* Adds an entry, unless it begins with a blank, repeats the last one, or is longer than a
 * megabyte. */
void history_add(history *h, const char *data, size_t n);

#endif
