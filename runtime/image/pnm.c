/* pnm.c: decodes the portable anymaps of Netpbm: .pbm (P1, P4), .pgm (P2, P5), .ppm (P3, P6): a
 * head of text, then numbers as text or bytes. */
#include <string.h>

#include "image/image.h"

enum { MAX_SIDE = 1 << 20 };

typedef struct anymap {
  const uint8_t *at, *end;
  int kind; /* 1 to 6 */
  int64_t width, height, maximum;
  int channels;
} anymap;

static bool fail(tocha_context *cx, const char *problem) {
  return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "decode_pnm: %s", problem);
}

static bool is_blank(uint8_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* Reads a number in digits, after blanks and comments. Returns -1 if there is none. */
static int64_t take_number(anymap *m, int digits) {
  while (m->at < m->end && (is_blank(*m->at) || *m->at == '#'))
    if (*m->at++ == '#')
      while (m->at < m->end && *m->at != '\n') m->at++;
  int64_t value = -1;
  for (; m->at < m->end && *m->at >= '0' && *m->at <= '9' && digits > 0; m->at++, digits--)
    value = (value < 0 ? 0 : value) * 10 + *m->at - '0';
  return value;
}

static bool read_head(tocha_context *cx, anymap *m) {
  m->kind = m->at[1] - '0';
  m->at += 2;
  m->width = take_number(m, 7);
  m->height = take_number(m, 7);
  m->maximum = m->kind == 1 || m->kind == 4 ? 1 : take_number(m, 5);
  m->channels = m->kind == 3 || m->kind == 6 ? 3 : 1;
  if (m->width < 1 || m->height < 1 || m->width > MAX_SIDE || m->height > MAX_SIDE ||
      m->maximum < 1 || m->maximum > 65535)
    return fail(cx, "its head has no size");
  if (m->kind >= 4 && m->at < m->end) m->at++; /* a single blank */
  int64_t row = m->width * m->channels, left = m->end - m->at;
  row = m->kind == 4                      ? (row + 7) / 8
        : m->kind > 4 && m->maximum > 255 ? 2 * row
                                          : row; /* each number in text has at least one digit */
  return left / row >= m->height || fail(cx, "the file is truncated");
}

/* Scales a number to a byte; `maximum`, the largest number, is white. */
static uint8_t scaled(int64_t value, int64_t maximum) {
  if (value > maximum) value = maximum;
  return (uint8_t)(maximum == 255 ? value : (value * 255 + maximum / 2) / maximum);
}

static bool read_row(tocha_context *cx, anymap *m, uint8_t *to) {
  int64_t n = m->width * m->channels;
  for (int64_t i = 0; i < n; i++) {
    int64_t value = 0;
    if (m->kind <= 3) {
      value = take_number(m, m->kind == 1 ? 1 : 5);
      if (value < 0) return fail(cx, "a number is missing");
    } else if (m->kind == 4) {
      value = m->at[i / 8] >> (7 - i % 8) & 1;
    } else if (m->maximum > 255) {
      value = m->at[2 * i] << 8 | m->at[2 * i + 1];
    } else {
      value = m->at[i];
    }
    to[i] = m->maximum == 1 && m->channels == 1 && (m->kind == 1 || m->kind == 4)
                ? (value ? 0 : 255)
                : scaled(value, m->maximum);
  }
  if (m->kind > 3) m->at += m->kind == 4 ? (n + 7) / 8 : m->maximum > 255 ? 2 * n : n;
  return true;
}

tocha_tensor *tocha_decode_pnm(tocha_context *cx, tocha_tensor *bytes, int64_t mode) {
  tocha_image_bytes in = tocha_bytes_of_image(cx, bytes, "decode_pnm");
  if (!in.data) return NULL;
  anymap m = {.at = in.data, .end = in.data + in.size};
  if (in.size < 8 || !read_head(cx, &m))
    return tocha_failed(cx) ? NULL : (fail(cx, "the file is truncated"), NULL);
  tocha_tensor *pixels = tocha_new_pixels(cx, m.height, m.width, m.channels, TOCHA_UINT8);
  uint8_t *to = pixels ? tocha_data(pixels) : NULL;
  for (int64_t y = 0; pixels && y < m.height; y++)
    if (tocha_interrupted(cx) || !read_row(cx, &m, to + y * m.width * m.channels)) return NULL;
  if (pixels) pixels = tocha_with_channels(cx, pixels, mode);
  return pixels ? tocha_image_of_pixels(cx, pixels, 1) : NULL;
}
