/* encoding.c: decodes texts in encodings other than UTF-8. */
#include <ctype.h>
#include <string.h>

#include "io/unpack.h"

typedef enum encoding {
  UTF8,
  BYTES,
  ASCII,
  LATIN1,
  CP1252,
  UTF16,
  UTF16_LE,
  UTF16_BE,
  UNKNOWN
} encoding;

/* Python's names of encodings. It ignores case, "-" and "_", so the names are written without them. */
static const struct {
  const char *name;
  encoding code;
} names[] = {{"utf8", UTF8},       {"utf8sig", UTF8},  {"u8", UTF8},       {"bytes", BYTES},
             {"ascii", ASCII},     {"usascii", ASCII}, {"latin1", LATIN1}, {"iso88591", LATIN1},
             {"l1", LATIN1},       {"88591", LATIN1},  {"cp1252", CP1252}, {"windows1252", CP1252},
             {"1252", CP1252},     {"utf16", UTF16},   {"u16", UTF16},     {"utf16le", UTF16_LE},
             {"utf16be", UTF16_BE}};

static encoding find_encoding(const char *name) {
  char plain[32];
  size_t used = 0;
  for (; *name && used < sizeof plain - 1; name++)
    if (!strchr("-_ ", *name)) plain[used++] = (char)tolower((unsigned char)*name);
  plain[used] = '\0';
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(plain, names[i].name) == 0) return names[i].code;
  return UNKNOWN;
}

/* The characters of cp1252 from 0x80 to 0x9f; 0 if a byte has no character. */
static const uint16_t windows[32] = {
    0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017d, 0,      0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178};

size_t tocha_put_utf8(char *to, uint32_t c) {
  size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  static const uint8_t first[] = {0, 0, 0xc0, 0xe0, 0xf0};
  for (size_t i = n - 1; i > 0; i--, c >>= 6) to[i] = (char)(0x80 | (c & 0x3f));
  to[0] = (char)(first[n] | c);
  return n;
}

static bool fail_byte(tocha_context *cx, const char *name, const tocha_byte_block *b, size_t at) {
  tocha_fail(cx, TOCHA_VALUE_ERROR,
             "'%s' codec can't decode byte 0x%02x in position %zu: invalid start byte", name,
             (unsigned char)b->data[at], at);
  return tocha_hint(
      cx, "the file is in another encoding: {encoding = \"latin1\"}, \"cp1252\", \"utf-16\"");
}

/* --- each kind ------------------------------------------------------------------------------------- */

/* Returns the position of the first byte that is not valid UTF-8, or `size` if all are. */
static size_t end_of_utf8(const unsigned char *b, size_t size) {
  for (size_t at = 0; at < size;) {
    unsigned c = b[at];
    size_t more = c < 0x80 ? 0 : c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;
    if ((c >= 0x80 && c < 0xc2) || c > 0xf4 || size - at <= more) return at;
    for (size_t i = 1; i <= more; i++)
      if ((b[at + i] & 0xc0) != 0x80) return at;
    at += more + 1;
  }
  return size;
}

/* Decodes an encoding of one byte per character. Each character has at most 3 bytes in UTF-8. */
static bool decode_bytes(tocha_context *cx, tocha_byte_block *block, encoding code,
                         const char *name) {
  tocha_byte_block out = {NULL, 0, 0};
  if (!tocha_bytes_reserve(cx, &out, 3 * (uint64_t)block->size + 1)) return false;
  for (size_t i = 0; i < block->size; i++) {
    uint32_t c = (unsigned char)block->data[i];
    if (code == CP1252 && c >= 0x80 && c < 0xa0) c = windows[c - 0x80];
    if ((code == ASCII && c >= 0x80) || (!c && block->data[i])) {
      tocha_bytes_free(cx, &out);
      return fail_byte(cx, name, block, i);
    }
    out.size += tocha_put_utf8(out.data + out.size, c);
  }
  tocha_bytes_free(cx, block);
  *block = out;
  return true;
}

/* Decodes UTF-16, two or four bytes per character. `big`: the high byte comes first. */
static bool decode_utf16(tocha_context *cx, tocha_byte_block *block, bool big) {
  tocha_byte_block out = {NULL, 0, 0};
  const unsigned char *b = (const unsigned char *)block->data;
  if (!tocha_bytes_reserve(cx, &out, block->size / 2 * 3 + 4)) return false;
  for (size_t i = 0; i + 1 < block->size; i += 2) {
    uint32_t c = (uint32_t)b[i + big] | (uint32_t)b[i + !big] << 8;
    if (c >= 0xd800 && c < 0xdc00 && i + 3 < block->size) {
      uint32_t low = (uint32_t)b[i + 2 + big] | (uint32_t)b[i + 2 + !big] << 8;
      if (low >= 0xdc00 && low < 0xe000)
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00), i += 2;
    }
    if (i == 0 && c == 0xfeff) continue;
    out.size += tocha_put_utf8(out.data + out.size, c >= 0xd800 && c < 0xe000 ? 0xfffd : c);
  }
  tocha_bytes_free(cx, block);
  *block = out;
  return true;
}

bool tocha_decode_text(tocha_context *cx, tocha_byte_block *block, const char *name) {
  encoding code = name ? find_encoding(name) : BYTES;
  bool little_mark = block->size >= 2 && memcmp(block->data, "\xff\xfe", 2) == 0;
  bool big_mark = block->size >= 2 && memcmp(block->data, "\xfe\xff", 2) == 0;
  if (code == UNKNOWN) {
    tocha_fail(cx, TOCHA_VALUE_ERROR, "unknown encoding: %.100s", name);
    return tocha_hint(cx, "utf-8, ascii, latin1, cp1252, utf-16, utf-16-le, utf-16-be");
  }
  if (!name && (little_mark || big_mark)) return fail_byte(cx, "utf-8", block, 0);
  if (code == BYTES) return true;
  if (code == UTF16) return decode_utf16(cx, block, big_mark);
  if (code == UTF16_LE || code == UTF16_BE) return decode_utf16(cx, block, code == UTF16_BE);
  if (code != UTF8) return decode_bytes(cx, block, code, name);
  size_t end = end_of_utf8((const unsigned char *)block->data, block->size);
  return end == block->size || fail_byte(cx, "utf-8", block, end);
}
