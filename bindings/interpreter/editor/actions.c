/* actions.c: the actions of keys on the text, and the table of keys. */
#include <stdlib.h>
#include <string.h>

#include "interpreter/editor/state.h"

/* --- motion ----------------------------------------------------------------------------------------------- */

static void to_left(editor *e) { e->text.cursor = text_previous(&e->text, e->text.cursor); }
static void to_right(editor *e) {
  if (!editor_accept(e, false)) e->text.cursor = text_next(&e->text, e->text.cursor);
}
static void to_word_begin(editor *e) { e->text.cursor = text_word_begin(&e->text, e->text.cursor); }
static void to_word_end(editor *e) {
  if (!editor_accept(e, true)) e->text.cursor = text_word_end(&e->text, e->text.cursor);
}
static void to_line_begin(editor *e) { e->text.cursor = text_line_begin(&e->text, e->text.cursor); }
static void to_line_end(editor *e) {
  if (!editor_accept(e, false)) e->text.cursor = text_line_end(&e->text, e->text.cursor);
}
static void to_begin(editor *e) { e->text.cursor = 0; }
static void to_end(editor *e) { e->text.cursor = e->text.content.length; }

/* --- edits ------------------------------------------------------------------------------------------------ */

static void erase_left(editor *e) {
  size_t from = text_previous(&e->text, e->text.cursor);
  if (from < e->text.cursor) text_replace(&e->text, from, e->text.cursor, "", 0, EDIT_ERASING);
}

static void erase_right(editor *e) {
  size_t to = text_next(&e->text, e->text.cursor);
  if (to > e->text.cursor) text_replace(&e->text, e->text.cursor, to, "", 0, EDIT_ERASING);
}

static void erase_or_end(editor *e) {
  if (e->text.content.length > 0) {
    erase_right(e);
    return;
  }
  e->done = true;
  e->result = EDITOR_END;
}

static void kill_to_line_end(editor *e) {
  size_t end = text_line_end(&e->text, e->text.cursor);
  if (end == e->text.cursor) end = text_next(&e->text, end);
  text_kill(&e->text, e->text.cursor, end);
}

static void kill_to_line_begin(editor *e) {
  text_kill(&e->text, text_line_begin(&e->text, e->text.cursor), e->text.cursor);
}

static void kill_word(editor *e) {
  text_kill(&e->text, e->text.cursor, text_word_end(&e->text, e->text.cursor));
}
static void kill_word_left(editor *e) {
  text_kill(&e->text, text_word_begin(&e->text, e->text.cursor), e->text.cursor);
}
static void kill_blank_left(editor *e) {
  text_kill(&e->text, text_blank_begin(&e->text, e->text.cursor), e->text.cursor);
}
static void yank(editor *e) { text_yank(&e->text); }
static void yank_older(editor *e) { text_yank_older(&e->text); }
static void undo(editor *e) { text_undo(&e->text); }
static void redo(editor *e) { text_redo(&e->text); }

static void transpose(editor *e) {
  text_buffer *t = &e->text;
  char swapped[8];
  if (t->cursor == 0 || t->content.length < 2) return;
  if (t->cursor == t->content.length) to_left(e);
  size_t left = text_previous(t, t->cursor), right = text_next(t, t->cursor);
  size_t n = t->cursor - left, m = right - t->cursor;
  if (n == 0 || n > 4 || m > 4) return;
  memcpy(swapped, t->content.data + t->cursor, m);
  memcpy(swapped + m, t->content.data + left, n);
  text_replace(t, left, right, swapped, n + m, EDIT_OTHER);
}

/* Changes the case of the word to the right: of its first letter and of the rest. 1: upper case,
 * -1: lower case. */
static void change_case(editor *e, int first, int rest) {
  bytes word = {NULL, 0, 0};
  size_t begin = e->text.cursor, end = text_word_end(&e->text, begin);
  bool seen = false;
  if (bytes_add(&word, e->text.content.data + begin, end - begin)) {
    for (size_t i = 0; i < word.length; i++) {
      char *c = &word.data[i], lower = (char)(*c | 32);
      if (lower < 'a' || lower > 'z') continue;
      *c = (char)((seen ? rest : first) > 0 ? lower & ~32 : lower);
      seen = true;
    }
    text_replace(&e->text, begin, end, word.data, word.length, EDIT_OTHER);
  }
  bytes_free(&word);
}

static void upper_case(editor *e) { change_case(e, 1, 1); }
static void lower_case(editor *e) { change_case(e, -1, -1); }
static void capitalize(editor *e) { change_case(e, 1, -1); }

void editor_insert_spaces(editor *e, int count) {
  for (int i = 0; i < count; i++) text_insert(&e->text, " ", 1, EDIT_TYPING);
}

/* Gives the cursor's line `columns` spaces in front. */
static void indent_line(editor *e, int columns) {
  text_buffer *t = &e->text;
  size_t begin = text_line_begin(t, t->cursor), end = begin, cursor = t->cursor;
  while (end < cursor && t->content.data[end] == ' ') end++;
  size_t now = end - begin, wanted = (size_t)columns;
  if (now == wanted) return;
  text_replace(t, begin, end, "", 0, EDIT_TYPING);
  editor_insert_spaces(e, columns);
  t->cursor = cursor - now + wanted;
}

static void new_line(editor *e) {
  indentation i = {-1, 0};
  if (!keys_pending(&e->keys)) /* sent text has its own indentation */
    i = e->language.indent(e->language.context, e->text.content.data, e->text.content.length,
                           e->text.cursor);
  if (i.line >= 0) indent_line(e, i.line);
  text_insert(&e->text, "\n", 1, EDIT_TYPING);
  editor_insert_spaces(e, i.next);
}

/* Moves the last typed line to the column where its block begins. */
static void indent_last(editor *e) {
  if (keys_pending(&e->keys)) return;
  indentation i = e->language.indent(e->language.context, e->text.content.data,
                                     e->text.content.length, e->text.cursor);
  if (i.line >= 0) indent_line(e, i.line);
}

static void enter(editor *e) {
  bool several = memchr(e->text.content.data, '\n', e->text.content.length) != NULL;
  bool at_end = text_line_end(&e->text, e->text.cursor) == e->text.content.length;
  if ((several && !at_end) ||
      !e->language.is_complete(e->language.context, e->text.content.data, e->text.content.length)) {
    new_line(e);
    return;
  }
  if (several) indent_last(e);
  e->done = true;
  e->result = EDITOR_ENTRY;
}

static void interrupt(editor *e) {
  e->done = true;
  e->result = EDITOR_INTERRUPTED;
}

/* Inserts pasted text without its control characters, and without line breaks at its end. */
static void insert_pasted(editor *e) {
  bytes *p = &e->keys.pasted;
  size_t n = 0;
  for (size_t i = 0; i < p->length; i++) {
    unsigned char c = (unsigned char)p->data[i];
    if (c >= ' ' || c == '\n' || c == '\t') p->data[n++] = (char)c;
  }
  while (n > 0 && p->data[n - 1] == '\n') n--;
  if (n > 0) text_insert(&e->text, p->data, n, EDIT_OTHER);
  bytes_free(p);
}

static void insert_quoted(editor *e) {
  char data[4];
  key k = keys_next(&e->keys);
  if (k < 0x110000 && k > 0) text_insert(&e->text, data, text_encode(k, data), EDIT_OTHER);
}

static void clear(editor *e) { screen_clear(&e->screen); }

static void suspend(editor *e) {
  editor_pause(e);
  platform_suspend();
  editor_resume(e);
}

static void edit_outside(editor *e) {
  editor_pause(e);
  char *text = e->language.edit(e->language.context, e->text.content.data, e->text.content.length);
  editor_resume(e);
  if (text) text_replace(&e->text, 0, e->text.content.length, text, strlen(text), EDIT_OTHER);
  free(text);
}

/* --- keys --------------------------------------------------------------------------------------------------- */

static const struct {
  key key;
  key_action *action;
} bindings[] = {{1, to_line_begin},
                {2, to_left},
                {CTRL_C, interrupt},
                {CTRL_D, erase_or_end},
                {5, to_line_end},
                {6, to_right},
                {8, erase_left},
                {TAB, editor_complete},
                {'\n', enter},
                {11, kill_to_line_end},
                {12, clear},
                {'\r', enter},
                {14, editor_down},
                {16, editor_up},
                {CTRL_Q, insert_quoted},
                {CTRL_R, editor_search},
                {20, transpose},
                {21, kill_to_line_begin},
                {22, insert_quoted},
                {23, kill_blank_left},
                {25, yank},
                {26, suspend},
                {31, undo},
                {BACKSPACE, erase_left},
                {'b' | KEY_ALT, to_word_begin},
                {'c' | KEY_ALT, capitalize},
                {'d' | KEY_ALT, kill_word},
                {'f' | KEY_ALT, to_word_end},
                {'l' | KEY_ALT, lower_case},
                {'u' | KEY_ALT, upper_case},
                {'y' | KEY_ALT, yank_older},
                {'.' | KEY_ALT, editor_last_word},
                {'<' | KEY_ALT, to_begin},
                {'>' | KEY_ALT, to_end},
                {'_' | KEY_ALT, redo},
                {'/' | KEY_ALT, redo},
                {'\r' | KEY_ALT, new_line},
                {'\n' | KEY_ALT, new_line},
                {BACKSPACE | KEY_ALT, kill_word_left},
                {8 | KEY_ALT, kill_word_left},
                {KEY_UP, editor_up},
                {KEY_DOWN, editor_down},
                {KEY_LEFT, to_left},
                {KEY_RIGHT, to_right},
                {KEY_LEFT | KEY_CTRL, to_word_begin},
                {KEY_RIGHT | KEY_CTRL, to_word_end},
                {KEY_LEFT | KEY_ALT, to_word_begin},
                {KEY_RIGHT | KEY_ALT, to_word_end},
                {KEY_HOME, to_line_begin},
                {KEY_END, to_line_end},
                {KEY_HOME | KEY_CTRL, to_begin},
                {KEY_END | KEY_CTRL, to_end},
                {KEY_DELETE, erase_right},
                {KEY_PAGE_UP, editor_older},
                {KEY_PAGE_DOWN, editor_newer},
                {KEY_PASTE, insert_pasted}};

enum { CTRL_X = 24, CTRL_E = 5, CTRL_U = 21 };

/* Handles Ctrl-X and a second key. */
static void extended(editor *e) {
  key k = keys_next(&e->keys);
  if (k == CTRL_E) edit_outside(e);
  if (k == CTRL_U) undo(e);
}

key_action *editor_action(key k) {
  if (k == CTRL_X) return extended;
  for (size_t i = 0; i < sizeof bindings / sizeof *bindings; i++)
    if (bindings[i].key == k) return bindings[i].action;
  return NULL;
}

bool editor_joins(key_action *a) {
  static key_action *const all[] = {erase_left,         erase_right, kill_to_line_end,
                                    kill_to_line_begin, kill_word,   kill_word_left,
                                    kill_blank_left};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i] == a) return true;
  return false;
}
