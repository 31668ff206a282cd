/* screen.h: the prompt and the text on the terminal, over several rows where they need it. Only the window's rows are drawn. */
#ifndef TOCHA_EDITOR_SCREEN_H
#define TOCHA_EDITOR_SCREEN_H

#include "interpreter/editor/text.h"

/* How a byte of the text looks; 0: plain. */
typedef enum text_style {
  STYLE_PLAIN,
  STYLE_KEYWORD,
  STYLE_STRING,
  STYLE_NUMBER,
  STYLE_COMMENT,
  STYLE_BRACKET, /* the pair at the cursor */
  STYLE_ERROR,
  STYLES
} text_style;

typedef struct view {
  const char *prompt,
      *continuation; /* before the first line, and before others; may have colours */
  const char *text;
  size_t length, cursor;
  const unsigned char *styles; /* a style for each byte; NULL: plain */
  const char
      *suggestion; /* shown in grey behind the text while the cursor is at its end; NULL: none */
  size_t suggestion_length;
} view;

typedef struct screen {
  int file;
  bool colours;
  size_t columns, rows;
  size_t first;      /* the first row of the view in the window */
  size_t cursor_row; /* where the terminal's cursor is, counted from the first row drawn */
  bytes out;
} screen;

/* Asks for the window's size. */
void screen_measure(screen *s);
/* The same once the terminal has wrapped what is drawn to another width. */
void screen_resize(screen *s, const view *v);
/* Draws the view in place of what was drawn last. */
void screen_draw(screen *s, const view *v);
/* Goes to a new row below what is drawn; the next draw begins there. */
void screen_leave(screen *s, const view *v);
/* Clears the window. */
void screen_clear(screen *s);
/* Writes text as it is, at the cursor. */
void screen_write(screen *s, const char *data, size_t n);
/* Columns of a text on the terminal, without its escape sequences. */
size_t screen_width(const char *text, size_t n);

#endif
