/* png_read.c: reads PNG files: their chunks, and the rows of their image. What the format allows to
 * be missing or damaged, beside the image itself, is passed over, as libpng does. */
#include <math.h>
#include <string.h>

#include "core/context.h"
#include "image/image.h"
#include "image/png_rows.h"
#include "io/inflate.h"
#include "tensor/scratch.h"

typedef struct reader {
  tocha_context *cx;
  const uint8_t *at, *end; /* the bytes that are still to be read */
  int64_t mode;
  uint32_t width, height;
  int color; /* the type of colors */
  bool interlaced, has_palette, is_srgb;
  uint32_t gamma; /* in parts of 100,000; 0: not stated */
  int palette_size;
  int orientation; /* 0: wanted, but not stated so far */
  tocha_png_samples samples;
  tocha_byte_block packed; /* the compressed image */
  tocha_byte_block rows;   /* the filtered rows */
} reader;

/* The image, or one of the seven parts of an interlaced one: its pixels are those from (x, y) on in
 * steps of (across, down). */
typedef struct pass {
  uint32_t x, y, across, down;
} pass;
static const pass WHOLE = {0, 0, 1, 1};
static const pass PARTS[7] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                              {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};

static bool fail(const reader *r, const char *message) {
  return tocha_fail(r->cx, TOCHA_RUNTIME_ERROR, "decode_png: %s", message) != NULL;
}

static bool fail_chunk(const reader *r, const uint8_t *name, const char *message) {
  tocha_fail(r->cx, TOCHA_RUNTIME_ERROR, "decode_png: %.4s: %s", (const char *)name, message);
  return false;
}

static uint32_t number(const uint8_t *at) {
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* --- chunks ---------------------------------------------------------------------------------------- */

typedef struct chunk {
  const uint8_t *name, *data;
  uint32_t length;
  bool damaged; /* its checksum is wrong */
} chunk;

static bool is_named(const chunk *c, const char *name) { return memcmp(c->name, name, 4) == 0; }

/* A chunk without which the image cannot be read has a capital letter first. */
static bool is_critical(const chunk *c) { return !(c->name[0] & 0x20); }

static bool is_letter(uint8_t c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

/* Reads the next chunk. */
static bool next_chunk(reader *r, chunk *c) {
  enum { AROUND = 12 }; /* bytes of the length, the name and the checksum */
  if (r->end - r->at < 8) return fail(r, "PNG file is truncated");
  c->length = number(r->at);
  c->name = r->at + 4;
  c->data = r->at + 8;
  if (c->length > INT32_MAX) return fail(r, "PNG unsigned integer out of range");
  for (int i = 0; i < 4; i++)
    if (!is_letter(c->name[i])) return fail(r, "invalid chunk type");
  if ((uint64_t)(r->end - r->at) < (uint64_t)c->length + AROUND)
    return fail(r, "PNG file is truncated");
  uint32_t sum = 0;
  if (!tocha_crc32(r->cx, &sum, c->name, (size_t)c->length + 4)) return false;
  c->damaged = sum != number(c->data + c->length);
  if (c->damaged && is_critical(c)) return fail_chunk(r, c->name, "CRC error");
  r->at = c->data + c->length + 4;
  return true;
}

static bool read_signature(reader *r) {
  const size_t size = sizeof TOCHA_PNG_SIGNATURE;
  if ((size_t)(r->end - r->at) < size) return fail(r, "PNG file is truncated");
  if (memcmp(r->at, TOCHA_PNG_SIGNATURE, size) != 0) return fail(r, "Not a PNG file");
  r->at += size;
  return true;
}

static bool is_allowed_depth(int color, int depth) {
  static const int depths[7] = {1 | 2 | 4 | 8 | 16, 0, 8 | 16, 1 | 2 | 4 | 8, 8 | 16, 0, 8 | 16};
  bool one_bit = depth > 0 && (depth & (depth - 1)) == 0;
  return color < 7 && one_bit && (depths[color] & depth);
}

static bool read_head(reader *r) {
  static const int channels[7] = {1, 0, 3, 1, 2, 0, 4};
  chunk c;
  if (!next_chunk(r, &c)) return false;
  if (!is_named(&c, "IHDR")) return fail_chunk(r, c.name, "missing IHDR");
  if (c.length != 13) return fail_chunk(r, c.name, "invalid");
  r->width = number(c.data), r->height = number(c.data + 4);
  r->samples.depth = c.data[8];
  r->color = c.data[9];
  r->interlaced = c.data[12];
  if (!r->width || !r->height || r->width > INT32_MAX || r->height > INT32_MAX ||
      !is_allowed_depth(r->color, r->samples.depth) || c.data[10] || c.data[11] || c.data[12] > 1)
    return fail(r, "Invalid IHDR data");
  r->samples.channels = channels[r->color];
  return true;
}

static bool read_palette(reader *r, const chunk *c) {
  if (r->color != (TOCHA_PNG_COLORS | TOCHA_PNG_PALETTE)) return true; /* for viewers only */
  if (r->has_palette) return fail_chunk(r, c->name, "duplicate");
  if (c->length == 0 || c->length % 3 != 0) return fail_chunk(r, c->name, "invalid");
  int most = 1 << r->samples.depth, stated = (int)(c->length / 3);
  r->palette_size = c->length / 3 > (uint32_t)most ? most : stated;
  for (int i = 0; i < r->palette_size; i++) memcpy(r->samples.colors[i], c->data + 3 * i, 3);
  for (int i = 0; i < 256; i++) r->samples.colors[i][3] = 255;
  r->has_palette = true;
  return true;
}

/* Reads a chunk that is not critical. One at a wrong place or of a wrong size is passed over. */
static void read_note(reader *r, const chunk *c) {
  enum { SRGB_GAMMA = 45455, LEAST_GAMMA = 16, MOST_GAMMA = 625000000 };
  if (is_named(c, "tRNS") && r->has_palette && c->length > 0 &&
      c->length <= (uint32_t)r->palette_size) {
    for (uint32_t i = 0; i < c->length; i++) r->samples.colors[i][3] = c->data[i];
    r->samples.colors_alpha = true;
  } else if (is_named(c, "gAMA") && !r->has_palette && !r->is_srgb && c->length == 4) {
    uint32_t gamma = number(c->data);
    if (gamma >= LEAST_GAMMA && gamma <= MOST_GAMMA) r->gamma = gamma;
  } else if (is_named(c, "sRGB") && !r->has_palette && c->length == 1 && c->data[0] < 4) {
    r->is_srgb = true;
    r->gamma = SRGB_GAMMA;
  } else if (is_named(c, "eXIf") && r->orientation == 0) {
    r->orientation = tocha_exif_orientation(c->data, c->length);
  }
}

/* Joins the chunks of the image, of which c is the first. Chunks behind them are not looked at. */
static bool join_image(reader *r, chunk c) {
  for (;;) {
    if (!tocha_bytes_reserve(r->cx, &r->packed, (uint64_t)r->packed.size + c.length)) return false;
    if (c.length) memcpy(r->packed.data + r->packed.size, c.data, c.length);
    r->packed.size += c.length;
    if (r->end - r->at < 8 || memcmp(r->at + 4, "IDAT", 4) != 0) return true;
    if (!next_chunk(r, &c)) return false;
  }
}

static bool read_chunks(reader *r) {
  for (;;) {
    chunk c;
    if (!next_chunk(r, &c)) return false;
    if (is_named(&c, "PLTE")) {
      if (!read_palette(r, &c)) return false;
    } else if (is_named(&c, "IDAT")) {
      if (r->color == (TOCHA_PNG_COLORS | TOCHA_PNG_PALETTE) && !r->has_palette)
        return fail_chunk(r, c.name, "Missing PLTE before IDAT");
      return join_image(r, c);
    } else if (is_critical(&c)) {
      return fail_chunk(r, c.name,
                        is_named(&c, "IEND") ? "no image before it" : "unhandled critical chunk");
    } else if (!c.damaged) {
      read_note(r, &c);
    }
  }
}

/* --- the image --------------------------------------------------------------------------------------- */

static uint32_t count_of(uint32_t size, uint32_t first, uint32_t step) {
  return size > first ? (size - first - 1) / step + 1 : 0;
}

static uint64_t row_bytes(const reader *r, uint32_t pixels) {
  return ((uint64_t)pixels * (uint64_t)(r->samples.channels * r->samples.depth) + 7) / 8;
}

static const pass *passes_of(const reader *r, int *count) {
  *count = r->interlaced ? TOCHA_COUNT(PARTS) : 1;
  return r->interlaced ? PARTS : &WHOLE;
}

/* Returns the bytes of all rows, each with its filter in front. */
static uint64_t all_bytes(const reader *r) {
  int count;
  const pass *p = passes_of(r, &count);
  uint64_t bytes = 0;
  for (int i = 0; i < count; i++) {
    uint32_t columns = count_of(r->width, p[i].x, p[i].across);
    if (columns) bytes += (row_bytes(r, columns) + 1) * count_of(r->height, p[i].y, p[i].down);
  }
  return bytes;
}

/* Inflates the rows. Fails, before memory is asked for, if the file cannot hold so many. */
static bool inflate_rows(reader *r) {
  enum { HEAD = 2, SLACK = 1 << 16 }; /* a copy or a stored block may go beyond the last row */
  const uint8_t *packed = (const uint8_t *)r->packed.data;
  double claimed = (double)row_bytes(r, r->width) * r->height;
  if (claimed > TOCHA_MAX_INFLATION * ((double)r->packed.size + 64)) {
    tocha_fail(r->cx, TOCHA_RUNTIME_ERROR,
               "decode_png: a file of %zu more bytes cannot hold %u x %u pixels", r->packed.size,
               (unsigned)r->height, (unsigned)r->width);
    return false;
  }
  if (r->packed.size < HEAD || (packed[0] & 15) != 8 || packed[0] >> 4 > 7 ||
      (packed[0] << 8 | packed[1]) % 31 || packed[1] & 0x20)
    return fail(r, "IDAT: incorrect header of the compressed image");
  uint64_t bytes = all_bytes(r);
  if (!tocha_bytes_reserve(r->cx, &r->rows, bytes + SLACK)) return false;
  tocha_deflated from = {.at = packed + HEAD, .end = packed + r->packed.size};
  r->rows.size = tocha_inflate_some(r->cx, &from, (uint8_t *)r->rows.data, r->rows.capacity);
  if (tocha_failed(r->cx)) return false;
  return r->rows.size >= bytes || fail(r, "IDAT: not enough image data, or damaged data");
}

/* Decides how samples become the channels of the mode. */
static bool choose_channels(reader *r) {
  static const int channels[] = {0, 1, 2, 3, 4}; /* by the mode */
  tocha_png_samples *s = &r->samples;
  s->palette = r->mode != TOCHA_IMAGE_UNCHANGED && r->color & TOCHA_PNG_PALETTE;
  s->scaled = !(r->color & TOCHA_PNG_PALETTE);
  s->wanted = r->mode == TOCHA_IMAGE_UNCHANGED ? s->channels : channels[r->mode];
  double gamma = r->gamma, encoding = floor(1e10 / gamma + 0.5), decoding;
  bool becomes_gray =
      r->mode != TOCHA_IMAGE_UNCHANGED && s->wanted < 3 && r->color & TOCHA_PNG_COLORS;
  if (!becomes_gray || !r->gamma || (gamma >= 95000 && gamma <= 105000)) return true;
  int top = s->depth == 16 ? UINT16_MAX : UINT8_MAX;
  void *tables;
  if (!tocha_new_scratch(r->cx, tocha_cpu(), 2 * ((uint64_t)top + 1) * sizeof(uint16_t), &tables))
    return false;
  uint16_t *linear = tables, *encoded = linear + top + 1;
  decoding = encoding / 1e5, encoding = floor(1e10 / encoding + 0.5) / 1e5;
  for (int i = 0; i <= top; i++) {
    linear[i] = (uint16_t)floor(top * pow((double)i / top, decoding) + 0.5);
    encoded[i] = (uint16_t)floor(top * pow((double)i / top, encoding) + 0.5);
  }
  s->linear = linear, s->encoded = encoded;
  return true;
}

/* Moves the rows of a pass, which begin at `from`, into the pixels. */
static uint8_t *read_pass(reader *r, const pass *p, uint8_t *from, char *pixels, void *scratch) {
  uint32_t columns = count_of(r->width, p->x, p->across), down = count_of(r->height, p->y, p->down);
  size_t length = (size_t)row_bytes(r, columns), item = r->samples.depth == 16 ? 4 : 1;
  size_t bits = (size_t)r->samples.channels * (size_t)r->samples.depth,
         pixel = bits < 8 ? 1 : bits / 8;
  size_t each = (size_t)r->samples.wanted * item; /* bytes of a pixel of the image */
  const uint8_t *above = memset(scratch, 0, length);
  uint8_t *converted = (uint8_t *)scratch + length;
  converted += (8 - (uintptr_t)converted % 8) % 8;
  for (uint32_t i = 0; columns && i < down; i++, from += length + 1) {
    if (i % 64 == 0 && tocha_interrupted(r->cx)) return NULL;
    if (!tocha_png_unfilter(from[0], from + 1, above, length, pixel)) {
      fail(r, "bad adaptive filter value");
      return NULL;
    }
    above = from + 1;
    size_t place = ((size_t)p->y + (size_t)i * p->down) * r->width + p->x;
    tocha_png_convert(&r->samples, above, columns, pixels + place * each, p->across, converted);
  }
  return from;
}

static tocha_tensor *read_rows(reader *r) {
  int count;
  const pass *p = passes_of(r, &count);
  void *scratch;
  tocha_tensor *pixels = tocha_new_pixels(r->cx, r->height, r->width, r->samples.wanted,
                                          r->samples.depth == 16 ? TOCHA_INT32 : TOCHA_UINT8);
  uint64_t bytes = row_bytes(r, r->width) + 8 * (uint64_t)r->width + 8;
  if (!pixels || !tocha_new_scratch(r->cx, tocha_cpu(), bytes, &scratch) || !scratch) return NULL;
  uint8_t *at = (uint8_t *)r->rows.data;
  for (int i = 0; at && i < count; i++) at = read_pass(r, &p[i], at, tocha_data(pixels), scratch);
  return at ? pixels : NULL;
}

tocha_tensor *tocha_decode_png(tocha_context *cx, tocha_tensor *bytes, int64_t mode, bool exif) {
  enum { MAGIC = 4 }; /* bytes that make a file a PNG file for torchvision */
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_image_bytes in = tocha_bytes_of_image(cx, bytes, "decode_png");
  if (!in.data) return tocha_scope_end(cx, scope, NULL);
  if (mode < TOCHA_IMAGE_UNCHANGED || mode > TOCHA_IMAGE_RGB_ALPHA)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "The provided mode is not supported for PNG files");
  else if (in.size < MAGIC || memcmp(in.data, TOCHA_PNG_SIGNATURE, MAGIC) != 0)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Content is not png!");
  reader r = {.cx = cx, .mode = mode, .orientation = exif ? 0 : 1};
  r.at = in.data, r.end = in.data + in.size;
  tocha_tensor *pixels = NULL;
  if (!tocha_failed(cx) && read_signature(&r) && read_head(&r) && read_chunks(&r) &&
      inflate_rows(&r) && choose_channels(&r))
    pixels = read_rows(&r);
  tocha_bytes_free(cx, &r.packed);
  tocha_bytes_free(cx, &r.rows);
  int orientation = r.orientation ? r.orientation : 1;
  return tocha_scope_end(cx, scope, pixels ? tocha_image_of_pixels(cx, pixels, orientation) : NULL);
}
