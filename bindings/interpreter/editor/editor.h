/* editor.h: the editor of entries of one or more lines on a terminal: keys of Emacs and the
 * arrows, undo, a kill ring, history, completion, colours. The language of the entries is
 * unknown to it, and comes as a table of callbacks. */
#ifndef TOCHA_EDITOR_EDITOR_H
#define TOCHA_EDITOR_EDITOR_H

#include <stdbool.h>
#include <stddef.h>

typedef struct editor editor;

typedef struct candidate {
  const char *text; /* replaces the text from `begin` to the cursor */
  const char *note; /* a line about it; NULL: none */
} candidate;

typedef struct candidates {
  size_t begin; /* of the word to complete, in bytes */
  size_t count;
  candidate *all; /* owned by the language until the next question */
} candidates;

typedef struct indentation {
  int line; /* columns in front of the cursor's line; -1: no change */
  int next; /* columns in front of the next line */
} indentation;

typedef struct editor_language {
  void *context;
  /* Returns true if Enter ends the text. */
  bool (*is_complete)(void *context, const char *text, size_t length);
  /* Writes a style (screen.h) for each byte. Returns false if there are none. */
  bool (*highlight)(void *context, const char *text, size_t length, size_t cursor,
                    unsigned char *styles);
  indentation (*indent)(void *context, const char *text, size_t length, size_t cursor);
  bool (*complete)(void *context, const char *text, size_t length, size_t cursor, candidates *out);
  /* Lets another program edit the text. Returns the new text, which the editor frees, or NULL if
   * it is unchanged. */
  char *(*edit)(void *context, const char *text, size_t length);
} editor_language;

typedef enum editor_result { EDITOR_ENTRY, EDITOR_END, EDITOR_INTERRUPTED } editor_result;

/* Returns true if both are terminals with the abilities that the editor needs. */
bool editor_can_run(int in, int out);
/* Opens an editor. Returns NULL if there is no memory. */
editor *editor_open(int in, int out, const editor_language *language);
void editor_close(editor *e);
/* Edits one entry. The text is valid until the next call. */
editor_result editor_read(editor *e, const char *prompt, const char *continuation,
                          const char **text, size_t *length);
/* Sets the text that the next entry starts with. */
void editor_prefill(editor *e, const char *text, size_t length);

#endif
