/* suggestion.c: a suggestion: the rest of an earlier entry that begins with the text, shown in
 * grey after it until a key accepts it. */
#include <string.h>

#include "interpreter/editor/state.h"

/* Suggests an entry, if the terminal can show grey and the cursor is at the end of a text that
 * is not empty. */
void editor_suggest(editor *e) {
  const bytes *text = &e->text.content;
  e->suggestion = NULL;
  if (!e->screen.colours || e->looking || e->searching || text->length == 0 ||
      e->text.cursor < text->length)
    return;
  history_refresh(&e->history);
  for (size_t i = e->history.count; i > 0; i--) {
    const bytes *b = &e->history.entries[i - 1];
    if (b->length <= text->length || memcmp(b->data, text->data, text->length) != 0 ||
        b->data[text->length] == '\n')
      continue;
    e->suggestion = b->data + text->length;
    e->suggestion_length = b->length - text->length;
    return;
  }
}

bool editor_accept(editor *e, bool word) {
  if (!e->suggestion) return false;
  size_t cursor = e->text.cursor;
  text_insert(&e->text, e->suggestion, e->suggestion_length, EDIT_OTHER);
  if (!word) return true;
  size_t end = text_word_end(&e->text, cursor);
  text_replace(&e->text, end, e->text.content.length, "", 0, EDIT_OTHER);
  return true;
}
