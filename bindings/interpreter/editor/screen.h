/* screen.h: the prompt and the text on the terminal, in several rows if necessary. Only the rows
 * in the window are drawn. */
#ifndef TOCHA_EDITOR_SCREEN_H
#define TOCHA_EDITOR_SCREEN_H

#include "interpreter/editor/text.h"

/* The look of a byte of the text; 0: plain. */
typedef enum text_style {
  STYLE_PLAIN,
  STYLE_KEYWORD,
  STYLE_STRING,
  STYLE_NUMBER,
  STYLE_COMMENT,
  STYLE_BRACKET, /* the pair of brackets at the cursor */
  STYLE_ERROR,
  STYLES
} text_style;

typedef struct view {
  /* The prompt of the first line, and of the others; may contain colours. */
  const char *prompt, *continuation;
  const char *text;
  size_t length, cursor;
  const unsigned char *styles; /* a style for each byte; NULL: plain */
  /* Shown in grey after the text while the cursor is at its end; NULL: none. */
  const char *suggestion;
  size_t suggestion_length;
} view;

typedef struct screen {
  int file;
  bool colours;
  size_t columns, rows;
  size_t first;      /* the first row of the view that is in the window */
  size_t cursor_row; /* the row of the terminal's cursor, counted from the first row drawn */
  bytes out;
} screen;

/* Reads the window's size. */
void screen_measure(screen *s);
/* Reads the window's new size, after the terminal has wrapped the drawn text to another width. */
void screen_resize(screen *s, const view *v);
/* Draws the view in the place of the last one. */
void screen_draw(screen *s, const view *v);
/* Moves to a new row below the drawn text. The next draw begins there. */
void screen_leave(screen *s, const view *v);
/* Clears the window. */
void screen_clear(screen *s);
/* Writes text unchanged, at the cursor. */
void screen_write(screen *s, const char *data, size_t n);
/* Returns the columns of a text on the terminal, without its escape sequences. */
size_t screen_width(const char *text, size_t n);

#endif
