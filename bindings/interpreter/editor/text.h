/* text.h: the text being edited: UTF-8 bytes and a cursor, with undo and a kill ring. Positions
 * are in bytes, and always at the beginning of a character. If there is no memory for an edit,
 * the text stays as it is. */
#ifndef TOCHA_EDITOR_TEXT_H
#define TOCHA_EDITOR_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A growing array of bytes, with a zero after the last one. */
typedef struct bytes {
  char *data; /* NULL: empty so far */
  size_t length, capacity;
} bytes;

/* Adds n bytes. Returns false if there is no memory. */
bool bytes_add(bytes *b, const char *data, size_t n);
bool bytes_add_text(bytes *b, const char *text);
void bytes_free(bytes *b);

typedef struct snapshot {
  bytes text;
  size_t cursor;
} snapshot;

enum { MAX_SNAPSHOTS = 200, MAX_KILLS = 16 };

typedef struct snapshots {
  snapshot all[MAX_SNAPSHOTS];
  int count;
} snapshots;

/* The kind of the last edit. Consecutive edits of one kind are undone together. */
typedef enum edit_kind { EDIT_OTHER, EDIT_TYPING, EDIT_ERASING, EDIT_KILLING } edit_kind;

typedef struct text_buffer {
  bytes content;
  size_t cursor;
  snapshots before, after; /* for undo and redo */
  edit_kind last;
  bytes kills[MAX_KILLS];
  int kill_count;
  int yanked;        /* the kill last yanked; -1 if the last key did not yank */
  size_t yank_begin; /* the position of the yanked text */
} text_buffer;

void text_free(text_buffer *t);
/* Replaces the whole text, puts the cursor at its end, and forgets what could be undone. */
void text_set(text_buffer *t, const char *data, size_t n);
/* Replaces [begin, end), and puts the cursor after the new text. */
void text_replace(text_buffer *t, size_t begin, size_t end, const char *data, size_t n,
                  edit_kind kind);
void text_insert(text_buffer *t, const char *data, size_t n, edit_kind kind);
/* Makes the next edit one that is undone on its own. */
void text_break(text_buffer *t);
void text_undo(text_buffer *t);
void text_redo(text_buffer *t);

/* Moves [begin, end) into the kill ring. Consecutive kills become one. */
void text_kill(text_buffer *t, size_t begin, size_t end);
void text_yank(text_buffer *t);
void text_yank_older(text_buffer *t); /* only after a yank */

/* --- positions ------------------------------------------------------------------------------------- */

/* Returns the character that begins at a byte, and sets *length. Returns U+FFFD and sets 1 for
 * bytes that are not UTF-8. */
uint32_t text_character(const char *data, size_t n, size_t *length);
/* Writes a character as UTF-8, and returns its length. */
size_t text_encode(uint32_t character, char out[4]);
size_t text_next(const text_buffer *t, size_t at);
size_t text_previous(const text_buffer *t, size_t at);
size_t text_line_begin(const text_buffer *t, size_t at);
size_t text_line_end(const text_buffer *t, size_t at);
/* These find the ends of words: letters, digits, `_` and everything that is not ASCII. */
size_t text_word_end(const text_buffer *t, size_t at);
size_t text_word_begin(const text_buffer *t, size_t at);
/* Does the same for words between blanks. */
size_t text_blank_begin(const text_buffer *t, size_t at);

#endif
