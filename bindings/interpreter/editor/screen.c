/* screen.c: drawing of the prompt and the text. The terminal itself wraps long lines, so that
 * they are wrapped as we count even if the window's width changes. */
#include "interpreter/editor/screen.h"

#include <stdio.h>
#include <string.h>

#include "platform/platform.h"

/* --- width --------------------------------------------------------------------------------------------- */

/* Returns the columns of a character, 0, 1 or 2, or -1 if it cannot be printed. */
static int character_width(uint32_t c) {
  if (c < 0x7F) return c < 0x20 ? -1 : 1;
  return platform_character_width(c);
}

/* Returns the length of an escape sequence (ESC [ ... letter) at the beginning of a text, or 0
 * if there is none. */
static size_t escape_length(const char *text, size_t n) {
  if (n < 2 || text[0] != '\033' || text[1] != '[') return 0;
  for (size_t i = 2; i < n; i++)
    if (text[i] >= 0x40 && text[i] <= 0x7E) return i + 1;
  return n;
}

size_t screen_width(const char *text, size_t n) {
  size_t columns = 0;
  for (size_t i = 0, length; i < n; i += length) {
    length = escape_length(text + i, n - i);
    if (length > 0) continue;
    int width = character_width(text_character(text + i, n - i, &length));
    columns += width < 0 ? 1 : (size_t)width;
  }
  return columns;
}

/* --- layout -------------------------------------------------------------------------------------------- */

typedef struct place {
  size_t row, column;
} place;

/* A walk through a view, which measures it or writes its rows from `first` to `last` into `out`. */
typedef struct pen {
  const screen *screen;
  bytes *out; /* NULL: only measures */
  size_t first, last;
  place at;
  unsigned char style;
} pen;

static void emit(pen *p, const char *data, size_t n) {
  if (p->out && p->at.row >= p->first && p->at.row <= p->last) bytes_add(p->out, data, n);
}

static const char *const codes[STYLES] = {"\033[0m",  "\033[35m",  "\033[32m",  "\033[36m",
                                          "\033[90m", "\033[1;4m", "\033[1;31m"};

static void next_row(pen *p, const char *how) {
  if (p->at.row < p->last) emit(p, how, strlen(how));
  p->at.row++;
  p->at.column = 0;
  if (p->at.row == p->first && p->style != STYLE_PLAIN) /* a string that began above the window */
    emit(p, codes[p->style], strlen(codes[p->style]));
}

/* Writes text of a given width, and wraps before it as the terminal does: a full row ends when
 * more text follows. */
static void put(pen *p, const char *data, size_t n, size_t width) {
  if (p->at.column + width > p->screen->columns) next_row(p, "");
  emit(p, data, n);
  p->at.column += width;
}

/* Returns the cursor's place. After a full row the cursor belongs on the next one; writing a
 * space and a carriage return moves the terminal there. */
static place cursor_place(pen *p) {
  if (p->at.column >= p->screen->columns) next_row(p, " \r");
  return p->at;
}

static void put_character(pen *p, const char *data, size_t n, uint32_t c) {
  int width = character_width(c);
  if (c == '\t') {
    do put(p, " ", 1, 1);
    while (p->at.column % 8 != 0);
  } else if (c < 0x20 || c == 0x7F) {
    char shown[2] = {'^', (char)(c ^ 0x40)};
    put(p, shown, 1, 1);
    put(p, shown + 1, 1, 1);
  } else if (width < 0 || c == 0xFFFD) {
    put(p, "\xEF\xBF\xBD", 3, 1);
  } else {
    put(p, data, n, (size_t)width);
  }
}

static void put_prompt(pen *p, const char *prompt) {
  size_t n = strlen(prompt);
  for (size_t i = 0, length; i < n; i += length) {
    length = escape_length(prompt + i, n - i);
    if (length > 0) {
      if (p->screen->colours) emit(p, prompt + i, length);
      continue;
    }
    uint32_t c = text_character(prompt + i, n - i, &length);
    put_character(p, prompt + i, length, c);
  }
}

static void change_style(pen *p, unsigned char style) {
  if (style == p->style || style >= STYLES || !p->screen->colours) return;
  if (p->style != STYLE_PLAIN) emit(p, codes[STYLE_PLAIN], strlen(codes[STYLE_PLAIN]));
  if (style != STYLE_PLAIN) emit(p, codes[style], strlen(codes[style]));
  p->style = style;
}

static void put_suggestion(pen *p, const view *v) {
  if (!v->suggestion) return;
  change_style(p, STYLE_COMMENT);
  for (size_t i = 0, length; i < v->suggestion_length; i += length) {
    uint32_t c = text_character(v->suggestion + i, v->suggestion_length - i, &length);
    put_character(p, v->suggestion + i, length, c);
  }
}

/* Walks through the whole view. Returns the cursor's place. */
static place go_through(pen *p, const view *v) {
  place cursor = {0, 0};
  put_prompt(p, v->prompt);
  for (size_t i = 0, length; i < v->length; i += length) {
    if (i == v->cursor) cursor = cursor_place(p);
    uint32_t c = text_character(v->text + i, v->length - i, &length);
    if (p->out && p->at.row > p->last && i > v->cursor) break;
    if (c == '\n') {
      change_style(p, STYLE_PLAIN);
      next_row(p, "\r\n");
      put_prompt(p, v->continuation);
      continue;
    }
    if (v->styles) change_style(p, v->styles[i]);
    put_character(p, v->text + i, length, c);
  }
  if (v->cursor >= v->length) {
    cursor = cursor_place(p);
    put_suggestion(p, v);
  }
  change_style(p, STYLE_PLAIN);
  return cursor;
}

/* --- drawing ------------------------------------------------------------------------------------------- */

void screen_write(screen *s, const char *data, size_t n) { (void)platform_write(s->file, data, n); }

void screen_measure(screen *s) {
  int columns, rows;
  s->columns = 80;
  s->rows = 24;
  if (!platform_window_size(s->file, &columns, &rows)) return;
  if (columns > 1) s->columns = (size_t)columns;
  if (rows > 0) s->rows = (size_t)rows;
}

static void move(screen *s, size_t count, char direction) {
  char code[32];
  if (count == 0) return;
  int n = snprintf(code, sizeof code, "\033[%zu%c", count, direction);
  bytes_add(&s->out, code, (size_t)n);
}

static void flush(screen *s) {
  screen_write(s, s->out.data, s->out.length);
  s->out.length = 0;
}

/* Scrolls so that the cursor's row is in a window of `rows` rows. */
static void scroll(screen *s, size_t cursor_row, size_t last_row, size_t rows) {
  if (last_row < rows)
    s->first = 0;
  else if (cursor_row < s->first)
    s->first = cursor_row;
  else if (cursor_row >= s->first + rows)
    s->first = cursor_row - rows + 1;
}

/* Clears the screen from the cursor's row on, in two steps. If a terminal is told to clear its
 * whole window, it keeps a copy of the contents above the window (tmux). */
static void clear_below(screen *s) {
  bytes_add_text(&s->out, "\r\033[K");
  if (s->rows > 1) bytes_add_text(&s->out, "\0337\033[B\033[J\0338");
}

/* Draws at most `rows` rows, those around the cursor. */
static void draw_rows(screen *s, const view *v, size_t rows) {
  pen measure = {s, NULL, 0, 0, {0, 0}, STYLE_PLAIN};
  place cursor = go_through(&measure, v);
  scroll(s, cursor.row, measure.at.row, rows);
  size_t last = s->first + rows - 1;
  if (last > measure.at.row) last = measure.at.row;
  move(s, s->cursor_row, 'A');
  clear_below(s);
  pen write = {s, &s->out, s->first, last, {0, 0}, STYLE_PLAIN};
  go_through(&write, v);
  bytes_add_text(&s->out, s->colours ? "\033[0m\r" : "\r");
  move(s, last - cursor.row, 'A');
  move(s, cursor.column, 'C');
  s->cursor_row = cursor.row - s->first;
  flush(s);
}

void screen_draw(screen *s, const view *v) { draw_rows(s, v, s->rows); }

void screen_resize(screen *s, const view *v) {
  screen_measure(s);
  pen measure = {s, NULL, 0, 0, {0, 0}, STYLE_PLAIN};
  place cursor = go_through(&measure, v);
  scroll(s, cursor.row, measure.at.row, s->rows);
  s->cursor_row = cursor.row - s->first;
}

enum { MAX_LEFT = 5000 /* rows of an entry that stay on the screen above its output */ };

void screen_leave(screen *s, const view *v) {
  view end = *v;
  end.cursor = end.length;
  draw_rows(s, &end, s->rows > MAX_LEFT ? s->rows : MAX_LEFT);
  screen_write(s, "\r\n", 2);
  s->cursor_row = s->first = 0;
}

void screen_clear(screen *s) {
  screen_write(s, "\033[H\033[2J", 7);
  s->cursor_row = 0;
}
