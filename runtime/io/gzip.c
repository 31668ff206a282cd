/* gzip.c: decompresses gzip files (RFC 1952), and computes MD5 sums of files (RFC 1321). */
#include <string.h>

#include "io/file.h"
#include "io/inflate.h"
#include "io/unpack.h"

/* --- gzip ---------------------------------------------------------------------------------------- */

enum { HEAD = 10, TAIL = 8, CHECKED = 2, EXTRA = 4, NAME = 8, COMMENT = 16 };

static uint32_t little(const uint8_t *at) {
  return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* Returns the length of the head before the deflated bytes, or 0 if there is no valid head. */
static size_t length_of_head(const uint8_t *data, size_t size) {
  static const uint8_t magic[3] = {0x1f, 0x8b, 8};
  if (size < HEAD + TAIL || memcmp(data, magic, sizeof magic) != 0) return 0;
  int flags = data[3];
  size_t at = HEAD;
  if (flags & EXTRA) at += 2 + (data[at] | (size_t)data[at + 1] << 8);
  for (int text = NAME; text <= COMMENT; text *= 2) {
    if (!(flags & text)) continue;
    while (at < size && data[at]) at++;
    at++;
  }
  if (flags & CHECKED) at += 2;
  return at + TAIL <= size ? at : 0;
}

/* Appends the content of one member, whose deflated bytes begin at *at, and moves *at past its
 * checksums. */
static bool gunzip_member(tocha_context *cx, const uint8_t **at, const uint8_t *end,
                          tocha_byte_block *out) {
  size_t first = out->size;
  uint32_t sum = 0;
  tocha_deflated deflated = {.at = *at, .end = end};
  if (!tocha_inflate_append(cx, &deflated, out) || end - deflated.at < TAIL ||
      !tocha_crc32(cx, &sum, out->data + first, out->size - first) || sum != little(deflated.at) ||
      (uint32_t)(out->size - first) != little(deflated.at + 4))
    return tocha_failed(cx) ? false : tocha_fail(cx, TOCHA_OS_ERROR, "gzip: the file is damaged");
  *at = deflated.at + TAIL;
  return true;
}

bool tocha_gunzip_bytes(tocha_context *cx, const uint8_t *data, size_t size,
                        tocha_byte_block *out) {
  const uint8_t *at = data, *end = data + size;
  size_t begin = length_of_head(data, size);
  if (!begin) return tocha_fail(cx, TOCHA_OS_ERROR, "Not a gzipped file");
  size_t unpacked = little(end - 4); /* right if there is one member, and no bytes follow it */
  if (unpacked / TOCHA_MAX_INFLATION <= size &&
      !tocha_bytes_reserve(cx, out, (uint64_t)unpacked + 1))
    return false;
  while (at < end) {
    begin = length_of_head(at, (size_t)(end - at));
    if (!begin) return tocha_fail(cx, TOCHA_OS_ERROR, "Not a gzipped file");
    at += begin;
    if (!gunzip_member(cx, &at, end, out)) return false;
    while (at < end && !*at) at++; /* skip padding, as Python's gzip does */
  }
  return true;
}

tocha_tensor *tocha_gunzip(tocha_context *cx, tocha_tensor *bytes) {
  if (!bytes) return tocha_refuse_none(cx, "gunzip", "bytes", "a tensor");
  if (bytes->dtype != TOCHA_UINT8 || bytes->ndim != 1 || bytes->device.type != TOCHA_CPU ||
      (bytes->sizes[0] > 1 && bytes->strides[0] != 1))
    return tocha_fail(cx, TOCHA_TYPE_ERROR,
                      "gunzip: bytes must be a uint8 tensor of one dimension");
  tocha_byte_block out = {NULL, 0, 0};
  tocha_tensor *t = NULL;
  if (tocha_gunzip_bytes(cx, tocha_data(bytes), (size_t)bytes->sizes[0], &out)) {
    int64_t count = (int64_t)out.size;
    t = tocha_from_values(cx, out.data, 1, &count, TOCHA_UINT8);
  }
  tocha_bytes_free(cx, &out);
  return t;
}

/* --- MD5 ------------------------------------------------------------------------------------------- */

enum { BLOCK = 64 };

static uint32_t rotated(uint32_t x, int by) { return x << by | x >> (32 - by); }

/* floor(2^32 |sin(i + 1)|) */
static const uint32_t sines[BLOCK] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};

static void md5_block(uint32_t *state, const uint8_t *block) {
  static const int shifts[4][4] = {
      {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
  static const int steps[4][2] = {{1, 0}, {5, 1}, {3, 5}, {7, 0}};
  uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
  for (int i = 0; i < BLOCK; i++) {
    int round = i / 16;
    uint32_t f = round == 0   ? (b & c) | (~b & d)
                 : round == 1 ? (d & b) | (~d & c)
                 : round == 2 ? b ^ c ^ d
                              : c ^ (b | ~d);
    int word = (steps[round][0] * i + steps[round][1]) % 16;
    uint32_t sum = a + f + sines[i] + little(block + 4 * (size_t)word);
    a = d, d = c, c = b;
    b += rotated(sum, shifts[round][i % 4]);
  }
  state[0] += a, state[1] += b, state[2] += c, state[3] += d;
}

bool tocha_md5_from(tocha_context *cx, const tocha_reader *reader, char sum[33]) {
  uint32_t state[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  uint8_t buffer[BLOCK * 1024];
  uint64_t total = 0;
  size_t got;
  if (!tocha_check_reader(cx, "md5", reader)) return false;
  do {
    got = tocha_read_some(cx, reader, buffer, sizeof buffer);
    if (tocha_failed(cx)) return false;
    total += got;
    for (size_t at = 0; at + BLOCK <= got; at += BLOCK) md5_block(state, buffer + at);
  } while (got == sizeof buffer);
  uint8_t last[2 * BLOCK] = {0};
  size_t rest = got % BLOCK, end = rest < BLOCK - 8 ? BLOCK : (size_t)2 * BLOCK;
  memcpy(last, buffer + got - rest, rest);
  last[rest] = 0x80;
  for (size_t i = 0; i < 8; i++) last[end - 8 + i] = (uint8_t)(total * 8 >> 8 * i);
  for (size_t at = 0; at < end; at += BLOCK) md5_block(state, last + at);
  for (size_t i = 0; i < 16; i++)
    snprintf(sum + 2 * i, 3, "%02x", state[i / 4] >> 8 * (i % 4) & 255);
  return true;
}

bool tocha_md5(tocha_context *cx, FILE *file, char sum[33]) {
  if (!tocha_check_file(cx, "md5", file)) return false;
  tocha_reader reader = tocha_reader_of_file(file);
  return tocha_md5_from(cx, &reader, sum);
}
