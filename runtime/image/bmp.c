/* bmp.c: decodes Windows bitmaps: a head, a palette or masks, then rows from the bottom up, each
 * padded to a multiple of 4 bytes. Refuses compressed ones. */
#include <string.h>

#include "image/image.h"

enum {
  FILE_HEAD = 14,
  CORE_HEAD = 12,
  INFO_HEAD = 40,
  RAW = 0,
  MASKS = 3,
  ALPHA_MASKS = 6,
  MAX_SIDE = 1 << 20
};

typedef struct bitmap {
  const uint8_t *data; /* the whole file */
  size_t size, head, pixels;
  int64_t width, height;
  bool top_down;
  int bits;
  uint32_t compression, mask[4]; /* red, green, blue, alpha; 0: no such channel */
  size_t palette, entry, colors; /* position of its first entry, bytes of an entry, number of
                                  * entries */
} bitmap;

static uint32_t number(const bitmap *b, size_t at, int bytes) {
  uint32_t value = 0;
  for (int i = bytes - 1; i >= 0; i--) value = value << 8 | b->data[at + (size_t)i];
  return value;
}

static bool fail(tocha_context *cx, const char *problem) {
  return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "decode_bmp: %s", problem);
}

/* Reads the masks of the channels of a pixel of 16 or 32 bits. */
static void read_masks(bitmap *b) {
  static const uint32_t usual16[] = {0x7c00, 0x3e0, 0x1f, 0},
                        usual32[] = {0xff0000, 0xff00, 0xff, 0};
  bool given = b->compression == MASKS || b->compression == ALPHA_MASKS;
  int count = b->head >= 56 || b->compression == ALPHA_MASKS ? 4 : 3;
  memcpy(b->mask, b->bits == 16 ? usual16 : usual32, sizeof b->mask);
  for (int i = 0; given && i < count && FILE_HEAD + INFO_HEAD + 4 * (size_t)i + 4 <= b->size; i++)
    b->mask[i] = number(b, FILE_HEAD + INFO_HEAD + 4 * (size_t)i, 4);
}

static bool read_head(tocha_context *cx, bitmap *b) {
  if (b->size < FILE_HEAD + CORE_HEAD) return fail(cx, "the file is truncated");
  b->pixels = number(b, 10, 4);
  b->head = number(b, 14, 4);
  bool core = b->head == CORE_HEAD;
  if (!core && (b->head < INFO_HEAD || b->head > 1024 || b->size < FILE_HEAD + b->head))
    return fail(cx, "the file is truncated");
  b->width = core ? (int32_t)number(b, 18, 2) : (int32_t)number(b, 18, 4);
  b->height = core ? (int32_t)number(b, 20, 2) : (int32_t)number(b, 22, 4);
  b->bits = (int)number(b, core ? 24 : 28, 2);
  b->compression = core ? RAW : number(b, 30, 4);
  b->top_down = b->height < 0;
  if (b->top_down) b->height = -b->height;
  b->entry = core ? 3 : 4;
  b->palette = FILE_HEAD + b->head + (b->compression == MASKS && b->head == INFO_HEAD ? 12 : 0);
  uint32_t used = core ? 0 : number(b, 46, 4);
  b->colors = b->bits > 8 ? 0 : used && used < 1U << b->bits ? used : (size_t)1 << b->bits;
  bool whole = b->bits == 16 || b->bits == 24 || b->bits == 32;
  if (!whole && b->bits != 1 && b->bits != 4 && b->bits != 8)
    return fail(cx, "unknown number of bits");
  if (b->compression != RAW && b->compression != MASKS && b->compression != ALPHA_MASKS)
    return fail(cx, "compressed bitmaps are not read: save the image as PNG");
  if (b->width < 1 || b->height < 1 || b->width > MAX_SIDE || b->height > MAX_SIDE)
    return fail(cx, "it has no size");
  read_masks(b);
  size_t row = ((size_t)b->width * (size_t)b->bits + 31) / 32 * 4;
  if (b->palette + b->colors * b->entry > b->size || b->pixels > b->size ||
      row > (b->size - b->pixels) / (size_t)b->height)
    return fail(cx, "the file is truncated");
  return true;
}

/* Returns the bits of a pixel under a mask, scaled to a byte. */
static uint8_t channel(uint32_t pixel, uint32_t mask) {
  if (!mask) return 255;
  int shift = __builtin_ctz(mask);
  uint64_t maximum = mask >> shift;
  return (uint8_t)((uint64_t)((pixel & mask) >> shift) * 255 / maximum);
}

static void read_indexed(const bitmap *b, const uint8_t *row, uint8_t *to) {
  int per_byte = 8 / b->bits;
  for (int64_t x = 0; x < b->width; x++, to += 3) {
    int shift = (int)(per_byte - 1 - x % per_byte) * b->bits;
    size_t color = (size_t)(row[x / per_byte] >> shift & ((1 << b->bits) - 1));
    const uint8_t *entry = b->data + b->palette + (color < b->colors ? color : 0) * b->entry;
    to[0] = entry[2], to[1] = entry[1], to[2] = entry[0];
  }
}

static void read_masked(const bitmap *b, const uint8_t *row, int channels, uint8_t *to) {
  for (int64_t x = 0; x < b->width; x++, to += channels, row += b->bits / 8) {
    uint32_t pixel = row[0] | (uint32_t)row[1] << 8;
    if (b->bits == 32) pixel |= (uint32_t)row[2] << 16 | (uint32_t)row[3] << 24;
    for (int c = 0; c < channels; c++) to[c] = channel(pixel, b->mask[c]);
  }
}

static void read_row(const bitmap *b, const uint8_t *row, int channels, uint8_t *to) {
  if (b->bits <= 8) {
    read_indexed(b, row, to);
  } else if (b->bits == 24) {
    for (int64_t x = 0; x < b->width; x++, to += 3, row += 3)
      to[0] = row[2], to[1] = row[1], to[2] = row[0];
  } else {
    read_masked(b, row, channels, to);
  }
}

tocha_tensor *tocha_decode_bmp(tocha_context *cx, tocha_tensor *bytes, int64_t mode) {
  tocha_image_bytes in = tocha_bytes_of_image(cx, bytes, "decode_bmp");
  bitmap b = {.data = in.data, .size = in.size};
  if (!in.data || !read_head(cx, &b)) return NULL;
  int channels = b.bits == 32 && b.mask[3] ? 4 : 3;
  tocha_tensor *pixels = tocha_new_pixels(cx, b.height, b.width, channels, TOCHA_UINT8);
  if (!pixels) return NULL;
  size_t stride = ((size_t)b.width * (size_t)b.bits + 31) / 32 * 4;
  uint8_t *to = tocha_data(pixels);
  for (int64_t y = 0; y < b.height && !tocha_interrupted(cx); y++) {
    size_t line = (size_t)(b.top_down ? y : b.height - 1 - y);
    read_row(&b, b.data + b.pixels + line * stride, channels, to + y * b.width * channels);
  }
  if (tocha_failed(cx)) return NULL;
  pixels = tocha_with_channels(cx, pixels, mode);
  return pixels ? tocha_image_of_pixels(cx, pixels, 1) : NULL;
}
