/* json.c: reads texts, whole numbers and punctuation of JSON. */
#include "serialization/json.h"

#include <string.h>

static void skip_blanks(tocha_json *j) {
  while (j->at < j->end && strchr(" \t\r\n", *j->at) && *j->at) j->at++;
}

bool tocha_json_take(tocha_json *j, char byte) {
  skip_blanks(j);
  if (j->at == j->end || *j->at != byte) return false;
  j->at++;
  return true;
}

bool tocha_json_end(tocha_json *j) {
  skip_blanks(j);
  return j->at == j->end;
}

bool tocha_json_count(tocha_json *j, int64_t *number) {
  skip_blanks(j);
  const char *start = j->at;
  *number = 0;
  for (; j->at < j->end && *j->at >= '0' && *j->at <= '9'; j->at++)
    if (__builtin_mul_overflow(*number, 10, number) ||
        __builtin_add_overflow(*number, *j->at - '0', number))
      return false;
  return j->at > start;
}

/* Reads four hexadecimal digits. Returns -1 if there are others. */
static int take_hex(tocha_json *j) {
  int value = 0;
  if (j->end - j->at < 4) return -1;
  for (int i = 0; i < 4; i++, j->at++) {
    static const char digits[] = "0123456789abcdef";
    char c = *j->at >= 'A' && *j->at <= 'F' ? (char)(*j->at + 32) : *j->at;
    const char *digit = c ? strchr(digits, c) : NULL;
    if (!digit) return -1;
    value = value * 16 + (int)(digit - digits);
  }
  return value;
}

static size_t put_utf8(char *out, int code) {
  if (code < 0x80) {
    out[0] = (char)code;
    return 1;
  }
  if (code < 0x800) {
    out[0] = (char)(0xc0 | code >> 6);
    out[1] = (char)(0x80 | (code & 0x3f));
    return 2;
  }
  size_t n = code < 0x10000 ? 3 : 4;
  out[0] = (char)(n == 3 ? 0xe0 | code >> 12 : 0xf0 | code >> 18);
  for (size_t i = 1; i < n; i++) out[i] = (char)(0x80 | (code >> 6 * (int)(n - 1 - i) & 0x3f));
  return n;
}

/* Reads the escape after a backslash, and writes no more bytes than it occupies in the text.
 * Returns the number of bytes written, or 0 if it is not valid. */
static size_t take_escape(tocha_json *j, char *out) {
  static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
  if (j->at == j->end) return 0;
  char c = *j->at++;
  const char *name = c ? strchr(names, c) : NULL;
  if (name) {
    *out = values[name - names];
    return 1;
  }
  int code = c == 'u' ? take_hex(j) : -1;
  if (code >= 0xd800 && code < 0xdc00 && j->end - j->at >= 6 && j->at[0] == '\\' &&
      j->at[1] == 'u') {
    j->at += 2;
    int low = take_hex(j);
    code = low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((code - 0xd800) << 10) + low - 0xdc00 : -1;
  }
  return code <= 0 || (code >= 0xd800 && code < 0xe000) ? 0 : put_utf8(out, code);
}

bool tocha_json_text(tocha_json *j, char *out, size_t *length) {
  char *start = out;
  if (!tocha_json_take(j, '"')) return false;
  while (j->at < j->end) {
    char c = *j->at++;
    if (c == '"') {
      *out = '\0';
      *length = (size_t)(out - start);
      return true;
    }
    if ((unsigned char)c < ' ') return false;
    size_t n = 1;
    if (c == '\\')
      n = take_escape(j, out);
    else
      *out = c;
    if (!n) return false;
    out += n;
  }
  return false;
}
