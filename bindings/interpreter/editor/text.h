/* text.h: the text being edited: UTF-8 bytes and a cursor, with undo and a kill ring. Positions are bytes and always begin a
 * character. Nothing raises: where memory runs out an edit is left out. */
#ifndef TOCHA_EDITOR_TEXT_H
#define TOCHA_EDITOR_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that grow. */
typedef struct bytes {
  char *data; /* NULL: none yet */
  size_t length, capacity;
} bytes;

/* Adds n bytes; false where memory runs out. */
bool bytes_add(bytes *b, const char *data, size_t n);
bool bytes_add_text(bytes *b, const char *text);
void bytes_free(bytes *b);

typedef struct snapshot {
  bytes text;
  size_t cursor;
} snapshot;

enum { MOST_SNAPSHOTS = 200, MOST_KILLS = 16 };

typedef struct snapshots {
  snapshot all[MOST_SNAPSHOTS];
  int count;
} snapshots;

/* What the last edit was: edits of one kind, one after the other, are undone together. */
typedef enum edit_kind { EDIT_OTHER, EDIT_TYPING, EDIT_ERASING, EDIT_KILLING } edit_kind;

typedef struct text_buffer {
  bytes content;
  size_t cursor;
  snapshots before, after; /* for undo and redo */
  edit_kind last;
  bytes kills[MOST_KILLS];
  int kill_count;
  int yanked;        /* the kill last yanked; -1 where the last key was no yank */
  size_t yank_begin; /* where it stands */
} text_buffer;

void text_free(text_buffer *t);
/* Another text, with the cursor at its end; forgets what could be undone. */
void text_set(text_buffer *t, const char *data, size_t n);
/* Replaces [begin, end) and puts the cursor after what is new. */
void text_replace(text_buffer *t, size_t begin, size_t end, const char *data, size_t n,
                  edit_kind kind);
void text_insert(text_buffer *t, const char *data, size_t n, edit_kind kind);
/* The next edit is undone on its own. */
void text_break(text_buffer *t);
void text_undo(text_buffer *t);
void text_redo(text_buffer *t);

/* Removes [begin, end) into the kill ring; kills one after the other make one. */
void text_kill(text_buffer *t, size_t begin, size_t end);
void text_yank(text_buffer *t);
void text_yank_older(text_buffer *t); /* only after a yank */

/* --- positions ------------------------------------------------------------------------------------- */

/* The character that begins at a byte, and its length; U+FFFD and 1 for what is no UTF-8. */
uint32_t text_character(const char *data, size_t n, size_t *length);
/* Writes a character as UTF-8; returns its length. */
size_t text_encode(uint32_t character, char out[4]);
size_t text_next(const text_buffer *t, size_t at);
size_t text_previous(const text_buffer *t, size_t at);
size_t text_line_begin(const text_buffer *t, size_t at);
size_t text_line_end(const text_buffer *t, size_t at);
/* Words are letters, digits, `_` and what is not ASCII. */
size_t text_word_end(const text_buffer *t, size_t at);
size_t text_word_begin(const text_buffer *t, size_t at);
/* The same for words between blanks. */
size_t text_blank_begin(const text_buffer *t, size_t at);

#endif
