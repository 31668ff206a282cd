/* text.c: tables of text: splits rows into fields. The whole file is in memory. A field is a
 * part of it, or, if it contained quotes, a part of `unquoted`. */
#include <string.h>

#include "io/kind.h"
#include "io/unpack.h"

typedef struct field {
  size_t at, length;
  bool unquoted;
} field;

struct tocha_text {
  tocha_context *context;
  tocha_byte_block bytes, unquoted, fields;
  size_t at;    /* position of the next row */
  int64_t line; /* number of this row's line */
  int64_t next_line;
  int64_t count; /* number of this row's fields */
  char delimiter[32], comments[32];
  size_t delimiter_length, comments_length; /* 0: blanks; no comments */
  char quote;
  bool trim, keep_comments;
};

/* --- opening ------------------------------------------------------------------------------------- */

static bool copy_rule(tocha_context *cx, const char *text, char *to, size_t capacity,
                      size_t *length) {
  *length = text ? strlen(text) : 0;
  if (*length >= capacity)
    return tocha_fail(cx, TOCHA_VALUE_ERROR, "delimiters and comments have at most %zu characters",
                      capacity - 1);
  if (text) memcpy(to, text, *length + 1);
  return true;
}

/* Fails if the file is of a known binary kind. */
static bool check_kind(tocha_context *cx, const tocha_byte_block *bytes) {
  size_t length = bytes->size < TOCHA_KIND_HEAD ? bytes->size : TOCHA_KIND_HEAD;
  if (!length || !memchr(bytes->data, 0, length)) return true;
  const tocha_file_kind *kind = tocha_kind_of_file(bytes->data, length, (int64_t)bytes->size);
  if (!kind) return true;
  tocha_fail(cx, TOCHA_VALUE_ERROR, "the file is %s, not a table of text", kind->name);
  return tocha_hint(cx, "%s", kind->cure);
}

tocha_text *tocha_text_open(tocha_context *cx, FILE *file, const tocha_text_rules *rules) {
  if (!tocha_check_file(cx, "loadtxt", file)) return NULL;
  tocha_reader reader = tocha_reader_of_file(file);
  return tocha_text_open_from(cx, &reader, rules);
}

tocha_text *tocha_text_open_from(tocha_context *cx, const tocha_reader *reader,
                                 const tocha_text_rules *rules) {
  if (!tocha_check_reader(cx, "loadtxt", reader)) return NULL;
  if (!rules) return tocha_refuse_none(cx, "loadtxt", "rules", "rules");
  tocha_text *t = tocha_allocate_zeroed(cx, sizeof *t);
  if (!t) return NULL;
  tocha_context_retain(cx);
  t->context = cx;
  t->quote = rules->quote;
  t->trim = rules->trim;
  t->next_line = 1;
  if (copy_rule(cx, rules->delimiter, t->delimiter, sizeof t->delimiter, &t->delimiter_length) &&
      copy_rule(cx, rules->comments, t->comments, sizeof t->comments, &t->comments_length) &&
      tocha_read_rest(cx, reader, &t->bytes) && tocha_unpack(cx, &t->bytes) &&
      tocha_decode_text(cx, &t->bytes, rules->encoding) && check_kind(cx, &t->bytes)) {
    if (t->bytes.size >= 3 && memcmp(t->bytes.data, "\xef\xbb\xbf", 3) == 0) t->at = 3;
    return t;
  }
  tocha_text_close(t);
  return NULL;
}

void tocha_text_close(tocha_text *t) {
  if (!t) return;
  tocha_context *cx = t->context;
  tocha_bytes_free(cx, &t->bytes);
  tocha_bytes_free(cx, &t->unquoted);
  tocha_bytes_free(cx, &t->fields);
  tocha_deallocate(cx, t, sizeof *t);
  tocha_context_release(cx);
}

/* --- cutting ------------------------------------------------------------------------------------- */

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }

static bool starts(const tocha_text *t, size_t at, const char *word, size_t length) {
  return length && t->bytes.size - at >= length && memcmp(t->bytes.data + at, word, length) == 0;
}

static bool is_comment(const tocha_text *t, size_t at) {
  return !t->keep_comments && starts(t, at, t->comments, t->comments_length);
}

static bool is_delimiter(const tocha_text *t, size_t at) {
  if (!t->delimiter_length) return is_blank(t->bytes.data[at]);
  return starts(t, at, t->delimiter, t->delimiter_length);
}

static bool is_line_end(const tocha_text *t, size_t at) {
  return at >= t->bytes.size || t->bytes.data[at] == '\n' || t->bytes.data[at] == '\r';
}

/* Moves past the end of a line: \n, \r\n or \r. */
static void end_line(tocha_text *t) {
  const char *data = t->bytes.data;
  if (t->at < t->bytes.size) {
    bool both = data[t->at] == '\r' && t->at + 1 < t->bytes.size && data[t->at + 1] == '\n';
    t->at += both ? 2 : 1;
  }
  t->next_line++;
}

static bool add_field(tocha_context *cx, tocha_text *t, field f) {
  tocha_byte_block *fields = &t->fields;
  fields->size = (size_t)t->count * sizeof f;
  if (!tocha_bytes_reserve(cx, fields, fields->size + sizeof f)) return false;
  ((field *)(void *)fields->data)[t->count++] = f;
  return true;
}

/* Reads a field that begins with a quote: up to the closing quote, which is not doubled, and on
 * to the delimiter. */
static bool cut_quoted(tocha_context *cx, tocha_text *t) {
  field f = {t->unquoted.size, 0, true};
  const char *data = t->bytes.data;
  size_t end = t->bytes.size;
  bool quoted = true;
  for (t->at++; t->at < end; t->at++) {
    bool quote = data[t->at] == t->quote;
    if (quoted && quote && t->at + 1 < end && data[t->at + 1] == t->quote) {
      t->at++;
    } else if (quoted && quote) {
      quoted = false;
      continue;
    } else if (!quoted &&
               (is_delimiter(t, t->at) || is_line_end(t, t->at) || is_comment(t, t->at))) {
      break;
    } else if (data[t->at] == '\n') {
      t->next_line++;
    }
    if (!tocha_bytes_reserve(cx, &t->unquoted, t->unquoted.size + 1)) return false;
    t->unquoted.data[t->unquoted.size++] = data[t->at];
  }
  f.length = t->unquoted.size - f.at;
  return add_field(cx, t, f);
}

static bool cut_plain(tocha_context *cx, tocha_text *t) {
  field f = {t->at, 0, false};
  while (!is_line_end(t, t->at) && !is_delimiter(t, t->at) && !is_comment(t, t->at)) t->at++;
  f.length = t->at - f.at;
  if (t->trim && (is_line_end(t, t->at) || is_comment(t, t->at)))
    while (f.length && t->bytes.data[f.at + f.length - 1] == ' ') f.length--;
  return add_field(cx, t, f);
}

static void skip_blanks(tocha_text *t, bool tabs) {
  while (t->at < t->bytes.size &&
         (t->bytes.data[t->at] == ' ' || (tabs && is_blank(t->bytes.data[t->at]))))
    t->at++;
}

/* Splits the line at the current position into fields. */
static bool cut_line(tocha_context *cx, tocha_text *t) {
  bool blanks = !t->delimiter_length;
  if (t->trim) skip_blanks(t, false);
  for (;;) {
    if (blanks) skip_blanks(t, true);
    bool ends = is_line_end(t, t->at) || is_comment(t, t->at);
    if (ends && (blanks || !t->count)) return true;
    bool quoted = !ends && t->quote && t->bytes.data[t->at] == t->quote;
    if (!(quoted ? cut_quoted(cx, t) : cut_plain(cx, t))) return false;
    if (is_line_end(t, t->at) || is_comment(t, t->at)) return true;
    if (!blanks) t->at += t->delimiter_length;
  }
}

bool tocha_text_next(tocha_context *cx, tocha_text *t) {
  if (tocha_failed(cx) || !t) return false;
  while (t->at < t->bytes.size) {
    t->count = 0;
    t->unquoted.size = 0;
    t->line = t->next_line;
    if (tocha_interrupted(cx)) return false; /* lines may be long */
    if (!cut_line(cx, t)) return false;
    while (!is_line_end(t, t->at)) t->at++;
    end_line(t);
    size_t length;
    if (t->count > 1) return true;
    if (t->count == 1 && (tocha_text_field(t, 0, &length), length > 0)) return true;
  }
  t->count = 0;
  return false;
}

void tocha_text_skip(tocha_text *t, int64_t lines) {
  for (; t && lines > 0 && t->at < t->bytes.size; lines--) {
    while (!is_line_end(t, t->at)) t->at++;
    end_line(t);
  }
}

void tocha_text_keep_comments(tocha_text *t, bool keep) {
  if (t) t->keep_comments = keep;
}

/* --- looking ------------------------------------------------------------------------------------- */

int64_t tocha_text_field_count(const tocha_text *t) { return t ? t->count : 0; }

const char *tocha_text_field(const tocha_text *t, int64_t i, size_t *length) {
  if (length) *length = 0;
  if (!t || !length || i < 0 || i >= t->count) return NULL;
  const field *f = &((const field *)(const void *)t->fields.data)[i];
  *length = f->length;
  if (!f->length) return "";
  return (f->unquoted ? t->unquoted.data : t->bytes.data) + f->at;
}

int64_t tocha_text_line(const tocha_text *t) { return t ? t->line : 0; }

size_t tocha_text_position(const tocha_text *t) { return t ? t->at : 0; }

void tocha_text_go(tocha_text *t, size_t position, int64_t line) {
  if (!t) return;
  t->at = position < t->bytes.size ? position : t->bytes.size;
  t->next_line = line;
}
int64_t tocha_text_next_line(const tocha_text *t) { return t ? t->next_line : 0; }
