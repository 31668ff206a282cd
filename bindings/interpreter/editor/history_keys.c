/* history_keys.c: keys that go through the history by lines, by prefix, and by search. */
#include <string.h>

#include "interpreter/editor/state.h"

/* --- lines of the text ------------------------------------------------------------------------------ */

static void to_column(editor *e, size_t line, size_t column) {
  size_t end = text_line_end(&e->text, line), at = line;
  while (at < end && screen_width(e->text.content.data + line, at - line) < column)
    at = text_next(&e->text, at);
  e->text.cursor = at;
}

static size_t column(const editor *e) {
  size_t line = text_line_begin(&e->text, e->text.cursor);
  return screen_width(e->text.content.data + line, e->text.cursor - line);
}

/* --- history ------------------------------------------------------------------------------------------------ */

static void keep_draft(editor *e) {
  if (e->looking) return;
  history_refresh(&e->history);
  e->looking = true;
  e->entry = e->history.count;
  e->prefix = e->text.cursor;
  e->draft.length = 0;
  bytes_add(&e->draft, e->text.content.data, e->text.content.length);
}

static bool has_prefix(const editor *e, size_t entry) {
  const bytes *b = &e->history.entries[entry];
  return b->length >= e->prefix &&
         (e->prefix == 0 || memcmp(b->data, e->draft.data, e->prefix) == 0);
}

static void show_entry(editor *e) {
  const bytes *b = e->entry < e->history.count ? &e->history.entries[e->entry] : &e->draft;
  text_set(&e->text, b->data ? b->data : "", b->length);
}

/* Shows the next older entry that begins with the text that stood before the cursor. */
void editor_older(editor *e) {
  keep_draft(e);
  for (size_t i = e->entry; i > 0; i--)
    if (has_prefix(e, i - 1)) {
      e->entry = i - 1;
      show_entry(e);
      return;
    }
}

void editor_newer(editor *e) {
  if (!e->looking) return;
  size_t i = e->entry + 1;
  while (i < e->history.count && !has_prefix(e, i)) i++;
  if (e->entry < e->history.count) e->entry = i;
  show_entry(e);
}

/* Moves up a line, or from the first line to an older entry. The arrows do the same within an
 * entry from the history. */
void editor_up(editor *e) {
  size_t line = text_line_begin(&e->text, e->text.cursor);
  if (line == 0)
    editor_older(e);
  else
    to_column(e, text_line_begin(&e->text, line - 1), column(e));
}

void editor_down(editor *e) {
  size_t end = text_line_end(&e->text, e->text.cursor);
  if (end == e->text.content.length)
    editor_newer(e);
  else
    to_column(e, end + 1, column(e));
}

/* Inserts the last word of the previous entry. */
void editor_last_word(editor *e) {
  history_refresh(&e->history);
  if (e->history.count == 0) return;
  const bytes *b = &e->history.entries[e->history.count - 1];
  size_t begin = b->length;
  while (begin > 0 && b->data[begin - 1] != ' ' && b->data[begin - 1] != '\n') begin--;
  text_insert(&e->text, b->data + begin, b->length - begin, EDIT_OTHER);
}

/* --- searching ---------------------------------------------------------------------------------------------- */

static const char *find(const bytes *in, const bytes *what) {
  if (what->length == 0) return NULL;
  for (size_t i = 0; i + what->length <= in->length; i++)
    if (memcmp(in->data + i, what->data, what->length) == 0) return in->data + i;
  return NULL;
}

static void show_query(editor *e, bool found) {
  e->search_prompt.length = 0;
  bytes_add_text(&e->search_prompt, found ? "(search `" : "(not found `");
  bytes_add(&e->search_prompt, e->query.data, e->query.length);
  bytes_add_text(&e->search_prompt, "') ");
}

/* Searches the entries from number `from` on, to older or newer ones, and shows the first that
 * contains the query. */
static void search_from(editor *e, size_t from, bool older) {
  bool found = e->query.length == 0;
  for (size_t i = from; !found && i < e->history.count; i = older ? i - 1 : i + 1) {
    const bytes *b = &e->history.entries[i];
    const char *at = find(b, &e->query);
    if (!at) continue;
    e->entry = i;
    text_set(&e->text, b->data, b->length);
    e->text.cursor = (size_t)(at - b->data);
    found = true;
  }
  show_query(e, found);
}

void editor_search(editor *e) {
  history_refresh(&e->history);
  e->searching = true;
  e->looking = false;
  e->entry = e->history.count;
  e->query.length = 0;
  e->origin.length = 0;
  bytes_add(&e->origin, e->text.content.data, e->text.content.length);
  show_query(e, true);
}

static void end_search(editor *e, bool keep) {
  e->searching = false;
  if (!keep) text_set(&e->text, e->origin.data ? e->origin.data : "", e->origin.length);
}

bool editor_search_key(editor *e, key k) {
  char data[4];
  if (k == CTRL_R || k == CTRL_S) {
    search_from(e, k == CTRL_R ? e->entry - 1 : e->entry + 1, k == CTRL_R);
  } else if (k == CTRL_G || k == CTRL_C) {
    end_search(e, false);
  } else if (k == BACKSPACE || k == 8) {
    while (e->query.length > 0 && ((unsigned char)e->query.data[--e->query.length] & 0xC0) == 0x80)
      continue;
    search_from(e, e->history.count - 1, true);
  } else if (k >= ' ' && k < 0x110000) {
    bytes_add(&e->query, data, text_encode(k, data));
    search_from(e, e->entry < e->history.count ? e->entry : e->history.count - 1, true);
  } else {
    end_search(e, true);
    if (k == '\r' || k == '\n') e->text.cursor = e->text.content.length;
    return k == ESCAPE || k == KEY_NONE;
  }
  return true;
}
