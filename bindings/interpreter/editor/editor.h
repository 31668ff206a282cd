/* editor.h: entries of one or more lines, typed on a terminal: keys of Emacs and the arrows, undo, a kill ring, history,
 * completion, colours. What it knows of the language it edits comes from outside. */
#ifndef TOCHA_EDITOR_EDITOR_H
#define TOCHA_EDITOR_EDITOR_H

#include <stdbool.h>
#include <stddef.h>

typedef struct editor editor;

typedef struct candidate {
  const char *text; /* what stands in place of text from `begin` to the cursor */
  const char *note; /* a line on it; NULL: none */
} candidate;

typedef struct candidates {
  size_t begin; /* of the word to complete, in bytes */
  size_t count;
  candidate *all; /* owned by the language until it is asked again */
} candidates;

typedef struct indentation {
  int line; /* columns that the line of the cursor should have; -1: it is right */
  int next; /* columns of a line after it */
} indentation;

typedef struct editor_language {
  void *context;
  /* Whether Enter ends the text. */
  bool (*is_complete)(void *context, const char *text, size_t length);
  /* Writes a style (screen.h) for each byte; false: none. */
  bool (*highlight)(void *context, const char *text, size_t length, size_t cursor,
                    unsigned char *styles);
  indentation (*indent)(void *context, const char *text, size_t length, size_t cursor);
  bool (*complete)(void *context, const char *text, size_t length, size_t cursor, candidates *out);
  /* The text as another program left it, for the editor to free; NULL: unchanged. */
  char *(*edit)(void *context, const char *text, size_t length);
} editor_language;

typedef enum editor_result { EDITOR_ENTRY, EDITOR_END, EDITOR_INTERRUPTED } editor_result;

/* Whether both are terminals that can do what is needed. */
bool editor_can_run(int in, int out);
/* NULL where memory runs out. */
editor *editor_open(int in, int out, const editor_language *language);
void editor_close(editor *e);
/* Edits one entry. The text lives until the next call. */
editor_result editor_read(editor *e, const char *prompt, const char *continuation,
                          const char **text, size_t *length);
/* What the next entry begins with. */
void editor_prefill(editor *e, const char *text, size_t length);

#endif
