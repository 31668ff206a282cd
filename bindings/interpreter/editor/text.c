/* text.c: the text being edited. Undo keeps copies of the whole text: entries at a prompt are
 * small, and copies cannot be wrong. */
#include "interpreter/editor/text.h"

#include <stdlib.h>
#include <string.h>

/* --- bytes --------------------------------------------------------------------------------------------- */

static bool bytes_reserve(bytes *b, size_t capacity) {
  if (capacity <= b->capacity) return true;
  size_t larger = b->capacity < 64 ? 64 : b->capacity;
  while (larger < capacity) {
    if (larger > SIZE_MAX / 2) return false;
    larger *= 2;
  }
  char *data = realloc(b->data, larger);
  if (!data) return false;
  b->data = data;
  b->capacity = larger;
  return true;
}

bool bytes_add(bytes *b, const char *data, size_t n) {
  if (n > SIZE_MAX - 1 - b->length || !bytes_reserve(b, b->length + n + 1)) return false;
  if (n > 0) memcpy(b->data + b->length, data, n);
  b->length += n;
  b->data[b->length] = '\0';
  return true;
}

bool bytes_add_text(bytes *b, const char *text) { return bytes_add(b, text, strlen(text)); }

void bytes_free(bytes *b) {
  free(b->data);
  *b = (bytes){NULL, 0, 0};
}

/* --- undo ------------------------------------------------------------------------------------------------ */

enum { MAX_BYTES = 32 << 20 }; /* of all copies of the text together: 32 MiB */

static void drop_oldest(snapshots *s) {
  bytes_free(&s->all[0].text);
  s->count--;
  memmove(s->all, s->all + 1, (size_t)s->count * sizeof *s->all);
}

static void drop_all(snapshots *s) {
  while (s->count > 0) bytes_free(&s->all[--s->count].text);
}

static void push(snapshots *s, const text_buffer *t) {
  size_t total = t->content.length;
  for (int i = 0; i < s->count; i++) total += s->all[i].text.length;
  while (s->count > 0 && (s->count == MAX_SNAPSHOTS || total > MAX_BYTES)) {
    total -= s->all[0].text.length;
    drop_oldest(s);
  }
  snapshot kept = {{NULL, 0, 0}, t->cursor};
  if (bytes_add(&kept.text, t->content.data, t->content.length)) s->all[s->count++] = kept;
}

static void go_to(text_buffer *t, snapshots *from, snapshots *to) {
  if (from->count == 0) return;
  push(to, t);
  snapshot s = from->all[--from->count];
  bytes_free(&t->content);
  t->content = s.text;
  t->cursor = s.cursor;
  t->last = EDIT_OTHER;
}

void text_undo(text_buffer *t) { go_to(t, &t->before, &t->after); }
void text_redo(text_buffer *t) { go_to(t, &t->after, &t->before); }
void text_break(text_buffer *t) { t->last = EDIT_OTHER; }

/* --- edits ----------------------------------------------------------------------------------------------- */

void text_free(text_buffer *t) {
  bytes_free(&t->content);
  drop_all(&t->before);
  drop_all(&t->after);
  for (int i = 0; i < t->kill_count; i++) bytes_free(&t->kills[i]);
  t->kill_count = 0;
}

void text_set(text_buffer *t, const char *data, size_t n) {
  drop_all(&t->before);
  drop_all(&t->after);
  t->content.length = 0;
  bytes_add(&t->content, data, n);
  t->cursor = t->content.length;
  t->last = EDIT_OTHER;
  t->yanked = -1;
}

void text_replace(text_buffer *t, size_t begin, size_t end, const char *data, size_t n,
                  edit_kind kind) {
  size_t removed = end - begin, rest = t->content.length - end;
  if (kind == EDIT_OTHER || kind != t->last) push(&t->before, t);
  drop_all(&t->after);
  if (n > SIZE_MAX - 1 - t->content.length ||
      !bytes_reserve(&t->content, t->content.length + n + 1)) {
    return;
  }
  memmove(t->content.data + begin + n, t->content.data + end, rest);
  if (n > 0) memcpy(t->content.data + begin, data, n);
  t->content.length += n - removed;
  t->content.data[t->content.length] = '\0';
  t->cursor = begin + n;
  t->last = kind;
}

void text_insert(text_buffer *t, const char *data, size_t n, edit_kind kind) {
  text_replace(t, t->cursor, t->cursor, data, n, kind);
}

/* --- the kill ring ----------------------------------------------------------------------------------------- */

/* Adds text to the newest kill: at its front if the text was before the cursor. Returns false if
 * there is no memory. */
static bool join_kill(bytes *kill, const char *data, size_t n, bool in_front) {
  bytes joined = {NULL, 0, 0};
  bool ok = in_front ? bytes_add(&joined, data, n) && bytes_add(&joined, kill->data, kill->length)
                     : bytes_add(&joined, kill->data, kill->length) && bytes_add(&joined, data, n);
  if (!ok) {
    bytes_free(&joined);
    return false;
  }
  bytes_free(kill);
  *kill = joined;
  return true;
}

static bool new_kill(text_buffer *t, const char *data, size_t n) {
  bytes kill = {NULL, 0, 0};
  if (!bytes_add(&kill, data, n)) return false;
  if (t->kill_count == MAX_KILLS) {
    bytes_free(&t->kills[0]);
    memmove(t->kills, t->kills + 1, (MAX_KILLS - 1) * sizeof *t->kills);
    t->kill_count--;
  }
  t->kills[t->kill_count++] = kill;
  return true;
}

void text_kill(text_buffer *t, size_t begin, size_t end) {
  if (begin >= end) return;
  const char *data = t->content.data + begin;
  bool joins = t->last == EDIT_KILLING && t->kill_count > 0;
  bool kept = joins ? join_kill(&t->kills[t->kill_count - 1], data, end - begin, end == t->cursor)
                    : new_kill(t, data, end - begin);
  if (kept) text_replace(t, begin, end, "", 0, EDIT_KILLING);
}

static void put_kill(text_buffer *t, size_t begin, size_t end) {
  const bytes *kill = &t->kills[t->yanked];
  t->yank_begin = begin;
  text_replace(t, begin, end, kill->data, kill->length, EDIT_OTHER);
}

void text_yank(text_buffer *t) {
  if (t->kill_count == 0) return;
  t->yanked = t->kill_count - 1;
  put_kill(t, t->cursor, t->cursor);
}

void text_yank_older(text_buffer *t) {
  if (t->yanked < 0) return;
  t->yanked = (t->yanked + t->kill_count - 1) % t->kill_count;
  put_kill(t, t->yank_begin, t->cursor);
}

/* --- positions ----------------------------------------------------------------------------------------- */

static bool is_continuation(char c) { return ((unsigned char)c & 0xC0) == 0x80; }

uint32_t text_character(const char *data, size_t n, size_t *length) {
  static const uint32_t minimum[] = {0, 0, 0x80, 0x800, 0x10000};
  unsigned char first = (unsigned char)data[0];
  size_t count = first < 0x80   ? 1
                 : first < 0xC2 ? 0
                 : first < 0xE0 ? 2
                 : first < 0xF0 ? 3
                 : first < 0xF5 ? 4
                                : 0;
  *length = 1;
  if (count == 1) return first;
  if (count == 0 || count > n) return 0xFFFD;
  uint32_t c = first & (0x7Fu >> count);
  for (size_t i = 1; i < count; i++) {
    if (!is_continuation(data[i])) return 0xFFFD;
    c = c << 6 | ((unsigned char)data[i] & 0x3F);
  }
  if (c < minimum[count] || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) return 0xFFFD;
  *length = count;
  return c;
}

size_t text_encode(uint32_t k, char out[4]) {
  if (k < 0x80) return out[0] = (char)k, 1;
  size_t n = k < 0x800 ? 2 : k < 0x10000 ? 3 : 4;
  for (size_t i = n - 1; i > 0; i--, k >>= 6) out[i] = (char)(0x80 | (k & 0x3F));
  out[0] = (char)((0xF00 >> n & 0xFF) | k);
  return n;
}

size_t text_next(const text_buffer *t, size_t at) {
  size_t length = 0;
  if (at >= t->content.length) return t->content.length;
  text_character(t->content.data + at, t->content.length - at, &length);
  return at + length;
}

size_t text_previous(const text_buffer *t, size_t at) {
  if (at == 0) return 0;
  for (size_t back = 1; back <= 4 && back <= at; back++) {
    size_t length = 0;
    text_character(t->content.data + at - back, back, &length);
    if (length == back && (back > 1 || !is_continuation(t->content.data[at - 1]))) return at - back;
  }
  return at - 1;
}

size_t text_line_begin(const text_buffer *t, size_t at) {
  while (at > 0 && t->content.data[at - 1] != '\n') at--;
  return at;
}

size_t text_line_end(const text_buffer *t, size_t at) {
  while (at < t->content.length && t->content.data[at] != '\n') at++;
  return at;
}

static bool in_word(const text_buffer *t, size_t at) {
  char c = t->content.data[at];
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         (c & 0x80);
}

static bool in_dark(const text_buffer *t, size_t at) {
  char c = t->content.data[at];
  return c != ' ' && c != '\t' && c != '\n';
}

size_t text_word_end(const text_buffer *t, size_t at) {
  while (at < t->content.length && !in_word(t, at)) at++;
  while (at < t->content.length && in_word(t, at)) at++;
  return at;
}

static size_t back_over(const text_buffer *t, size_t at,
                        bool (*part)(const text_buffer *, size_t)) {
  while (at > 0 && !part(t, at - 1)) at--;
  while (at > 0 && part(t, at - 1)) at--;
  return at;
}

size_t text_word_begin(const text_buffer *t, size_t at) { return back_over(t, at, in_word); }
size_t text_blank_begin(const text_buffer *t, size_t at) { return back_over(t, at, in_dark); }
