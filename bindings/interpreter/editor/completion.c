/* completion.c: the TAB key. */
#include <stdio.h>
#include <string.h>

#include "interpreter/editor/state.h"

/* --- completion --------------------------------------------------------------------------------------------- */

static size_t common_prefix(const candidates *c) {
  size_t n = strlen(c->all[0].text), length = 0;
  for (size_t i = 1; i < c->count; i++) {
    size_t same = 0;
    while (same < n && c->all[0].text[same] == c->all[i].text[same]) same++;
    n = same;
  }
  size_t whole = 0; /* cut between characters only */
  while (whole < n) {
    text_character(c->all[0].text + whole, n - whole, &length);
    if (whole + length > n || (length == 1 && (c->all[0].text[whole] & 0x80))) break;
    whole += length;
  }
  return whole;
}

static void add_padded(bytes *out, const char *text, size_t columns) {
  size_t width = screen_width(text, strlen(text));
  bytes_add_text(out, text);
  for (; width < columns; width++) bytes_add_text(out, " ");
}

/* Lists the candidates one a line, each with its note. */
static void list_notes(const editor *e, const candidates *c, size_t widest, bytes *out) {
  for (size_t i = 0; i < c->count; i++) {
    const char *note = c->all[i].note ? c->all[i].note : "";
    size_t n = strlen(note),
           width = e->screen.columns > widest + 5 ? e->screen.columns - widest - 5 : 0;
    bytes_add_text(out, "  ");
    add_padded(out, c->all[i].text, widest);
    while (n > 0 && screen_width(note, n) > width) n--;
    while (n > 0 && ((unsigned char)note[n] & 0xC0) == 0x80) n--;
    if (n > 0) bytes_add_text(out, "  ");
    bytes_add(out, note, n);
    bytes_add_text(out, "\r\n");
  }
}

/* Lists the candidates in columns, read downwards, as many as the window holds. */
static void list_columns(const editor *e, const candidates *c, size_t widest, bytes *out) {
  size_t across = e->screen.columns / (widest + 2),
         maximum = e->screen.rows > 4 ? e->screen.rows - 3 : 1;
  if (across == 0) across = 1;
  size_t rows = (c->count + across - 1) / across, shown = rows > maximum ? maximum : rows;
  char more[64];
  for (size_t row = 0; row < shown; row++) {
    for (size_t i = row; i < c->count; i += rows) {
      bool last = i + rows >= c->count;
      add_padded(out, c->all[i].text, last ? 0 : widest + 2);
    }
    bytes_add_text(out, "\r\n");
  }
  if (shown == rows) return;
  snprintf(more, sizeof more, "... (%zu names)\r\n", c->count);
  bytes_add_text(out, more);
}

static void list_candidates(editor *e, const candidates *c) {
  bytes out = {NULL, 0, 0};
  size_t widest = 1;
  bool notes = false;
  for (size_t i = 0; i < c->count; i++) {
    size_t width = screen_width(c->all[i].text, strlen(c->all[i].text));
    if (width > widest) widest = width;
    notes = notes || c->all[i].note;
  }
  editor_leave(e);
  if (notes && c->count + 3 <= e->screen.rows)
    list_notes(e, c, widest, &out);
  else
    list_columns(e, c, widest, &out);
  screen_write(&e->screen, out.data, out.length);
  bytes_free(&out);
}

void editor_complete(editor *e) {
  candidates c = {0};
  text_buffer *t = &e->text;
  size_t line = text_line_begin(t, t->cursor), n = t->cursor - line;
  if (n == 0 || strspn(t->content.data + line, " \t") >= n) { /* sent text keeps its tabs */
    if (keys_pending(&e->keys))
      text_insert(t, "\t", 1, EDIT_TYPING);
    else
      editor_insert_spaces(e, 2);
    return;
  }
  if (!e->language.complete(e->language.context, t->content.data, t->content.length, t->cursor,
                            &c) ||
      c.count == 0)
    return;
  size_t prefix = common_prefix(&c), typed = t->cursor - c.begin;
  bool longer = prefix > typed ||
                (prefix == typed && memcmp(t->content.data + c.begin, c.all[0].text, typed) != 0);
  if (longer && prefix >= typed)
    text_replace(t, c.begin, t->cursor, c.all[0].text, prefix, EDIT_OTHER);
  else if (c.count > 1)
    list_candidates(e, &c);
}
