/* png_rows.c: undoes the filters of a PNG image's rows, and converts their samples to the channels
 * that are wanted. */
#include "image/png_rows.h"

#include <string.h>

/* --- filters ------------------------------------------------------------------------------------- */

/* Each of the following is inlined for the usual numbers of bytes in a pixel. */
static inline void undo_sub(uint8_t *row, size_t length, size_t pixel) {
  for (size_t i = pixel; i < length; i++) row[i] = (uint8_t)(row[i] + row[i - pixel]);
}

static inline void undo_average(uint8_t *row, const uint8_t *above, size_t length, size_t pixel) {
  for (size_t i = 0; i < pixel; i++) row[i] = (uint8_t)(row[i] + above[i] / 2);
  for (size_t i = pixel; i < length; i++)
    row[i] = (uint8_t)(row[i] + (row[i - pixel] + above[i]) / 2);
}

static inline void undo_paeth(uint8_t *row, const uint8_t *above, size_t length, size_t pixel) {
  for (size_t i = 0; i < pixel; i++) row[i] = (uint8_t)(row[i] + above[i]);
  for (size_t i = pixel; i < length; i++)
    row[i] = (uint8_t)(row[i] + tocha_png_paeth(row[i - pixel], above[i], above[i - pixel]));
}

static inline void undo(int filter, uint8_t *row, const uint8_t *above, size_t length,
                        size_t pixel) {
  if (filter == TOCHA_PNG_SUB)
    undo_sub(row, length, pixel);
  else if (filter == TOCHA_PNG_AVERAGE)
    undo_average(row, above, length, pixel);
  else
    undo_paeth(row, above, length, pixel);
}

bool tocha_png_unfilter(int filter, uint8_t *row, const uint8_t *above, size_t length,
                        size_t pixel) {
  if (filter < 0 || filter >= TOCHA_PNG_FILTERS) return false;
  if (filter == TOCHA_PNG_NONE) return true;
  if (filter == TOCHA_PNG_UP) {
    for (size_t i = 0; i < length; i++) row[i] = (uint8_t)(row[i] + above[i]);
    return true;
  }
  switch (pixel) { /* a constant for the compiler */
  case 1:
    undo(filter, row, above, length, 1);
    break;
  case 3:
    undo(filter, row, above, length, 3);
    break;
  case 4:
    undo(filter, row, above, length, 4);
    break;
  default:
    undo(filter, row, above, length, pixel);
    break;
  }
  return true;
}

/* --- samples --------------------------------------------------------------------------------------- */

/* Unpacks samples of fewer than 8 bits; the first one is in the highest bits of its byte. */
static void unpack_bits(const tocha_png_samples *s, const uint8_t *row, size_t count, uint8_t *to) {
  unsigned mask = (1U << s->depth) - 1, scale = s->scaled ? 255 / mask : 1;
  size_t each = 8 / (size_t)s->depth;
  for (size_t i = 0; i < count; i++) {
    unsigned shift = 8 - (unsigned)s->depth * (unsigned)(i % each + 1);
    to[i] = (uint8_t)((row[i / each] >> shift & mask) * scale);
  }
}

static void look_up_colors(const tocha_png_samples *s, const uint8_t *index, size_t n,
                           uint8_t *to) {
  size_t channels = s->colors_alpha ? 4 : 3;
  for (size_t i = 0; i < n; i++, to += channels) memcpy(to, s->colors[index[i]], channels);
}

/* Returns the row's samples, bytes or uint16, and sets the channels of a pixel. They lie in scratch
 * if they differ from the row. */
static const void *samples_of(const tocha_png_samples *s, const uint8_t *row, size_t n,
                              void *scratch, int *channels) {
  size_t count = n * (size_t)s->channels;
  *channels = s->channels;
  if (s->depth == 16) {
    uint16_t *to = scratch;
    for (size_t i = 0; i < count; i++) to[i] = (uint16_t)(row[2 * i] << 8 | row[2 * i + 1]);
    return to;
  }
  const uint8_t *bytes = row;
  uint8_t *to = scratch;
  if (s->depth < 8) {
    uint8_t *unpacked = s->palette ? to + 4 * n : to;
    unpack_bits(s, row, count, unpacked);
    bytes = unpacked;
  }
  if (!s->palette) return bytes;
  look_up_colors(s, bytes, n, to);
  *channels = s->colors_alpha ? 4 : 3;
  return to;
}

/* --- channels ---------------------------------------------------------------------------------------- */

static inline unsigned read_sample(const void *from, size_t i, bool wide) {
  return wide ? ((const uint16_t *)from)[i] : ((const uint8_t *)from)[i];
}

static inline void write_sample(void *to, size_t i, unsigned value, bool wide) {
  if (wide)
    ((int32_t *)to)[i] = (int32_t)value;
  else
    ((uint8_t *)to)[i] = (uint8_t)value;
}

/* Returns the gray of a color as libpng finds it for the weights 0.2989 and 0.587: bytes without a
 * gamma are not rounded. */
static inline unsigned gray_of(const tocha_png_samples *s, unsigned red, unsigned green,
                               unsigned blue, bool wide) {
  enum { RED = 9794, GREEN = 19234, BLUE = 32768 - RED - GREEN, HALF = 16384, SHIFT = 15 };
  if (red == green && green == blue) return red;
  if (!s->linear) return (RED * red + GREEN * green + BLUE * blue + (wide ? HALF : 0)) >> SHIFT;
  unsigned light = RED * s->linear[red] + GREEN * s->linear[green] + BLUE * s->linear[blue];
  return s->encoded[(light + HALF) >> SHIFT];
}

static inline void convert(const tocha_png_samples *s, const void *from, int channels, size_t n,
                           void *to, size_t step, bool wide) {
  size_t in = 0, out = 0, wanted = (size_t)s->wanted, colors = channels >= 3 ? 3 : 1;
  for (size_t i = 0; i < n; i++, in += (size_t)channels, out += step * wanted) {
    unsigned first = read_sample(from, in, wide), second = first, third = first;
    if (colors == 3) {
      second = read_sample(from, in + 1, wide);
      third = read_sample(from, in + 2, wide);
    }
    if (wanted < 3) {
      write_sample(to, out, colors == 3 ? gray_of(s, first, second, third, wide) : first, wide);
    } else {
      write_sample(to, out, first, wide);
      write_sample(to, out + 1, second, wide);
      write_sample(to, out + 2, third, wide);
    }
    if (wanted % 2) continue;
    unsigned opaque = wide ? UINT16_MAX : UINT8_MAX;
    unsigned alpha = channels % 2 ? opaque : read_sample(from, in + colors, wide);
    write_sample(to, out + wanted - 1, alpha, wide);
  }
}

void tocha_png_convert(const tocha_png_samples *s, const uint8_t *row, size_t n, void *to,
                       size_t step, void *scratch) {
  int channels;
  const void *from = samples_of(s, row, n, scratch, &channels);
  if (s->depth == 16)
    convert(s, from, channels, n, to, step, true);
  else if (channels == s->wanted && step == 1)
    memcpy(to, from, n * (size_t)channels);
  else
    convert(s, from, channels, n, to, step, false);
}
