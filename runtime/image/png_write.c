/* png_write.c: writes PNG files. Each row gets the filter after which its bytes are nearest to 0. */
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "image/image.h"
#include "image/png.h"
#include "io/deflate.h"
#include "io/inflate.h"
#include "tocha/ops/contiguous.h"

static bool append(tocha_context *cx, tocha_byte_block *out, const void *bytes, size_t length) {
  if (!tocha_bytes_reserve(cx, out, (uint64_t)out->size + length)) return false;
  if (length) memcpy(out->data + out->size, bytes, length);
  out->size += length;
  return true;
}

static void put_number(uint8_t *to, uint32_t value) {
  for (int i = 0; i < 4; i++) to[i] = (uint8_t)(value >> (24 - 8 * i));
}

static bool append_chunk(tocha_context *cx, tocha_byte_block *out, const char *name,
                         const void *data, size_t length) {
  uint8_t head[8], end[4];
  uint32_t sum = 0;
  put_number(head, (uint32_t)length);
  memcpy(head + 4, name, 4);
  if (!tocha_crc32(cx, &sum, head + 4, 4) || !tocha_crc32(cx, &sum, data, length)) return false;
  put_number(end, sum);
  return append(cx, out, head, sizeof head) && append(cx, out, data, length) &&
         append(cx, out, end, sizeof end);
}

/* Writes the differences of a row's bytes to a filter's predictions. */
static void apply(int filter, const uint8_t *row, const uint8_t *above, size_t length, size_t pixel,
                  uint8_t *to) {
  size_t i = 0;
  if (filter == TOCHA_PNG_NONE) {
    memcpy(to, row, length);
  } else if (filter == TOCHA_PNG_UP) {
    for (; i < length; i++) to[i] = (uint8_t)(row[i] - above[i]);
  } else if (filter == TOCHA_PNG_SUB) {
    memcpy(to, row, pixel);
    for (i = pixel; i < length; i++) to[i] = (uint8_t)(row[i] - row[i - pixel]);
  } else if (filter == TOCHA_PNG_AVERAGE) {
    for (; i < pixel; i++) to[i] = (uint8_t)(row[i] - above[i] / 2);
    for (; i < length; i++) to[i] = (uint8_t)(row[i] - (row[i - pixel] + above[i]) / 2);
  } else {
    for (; i < pixel; i++) to[i] = (uint8_t)(row[i] - above[i]);
    for (; i < length; i++)
      to[i] = (uint8_t)(row[i] - tocha_png_paeth(row[i - pixel], above[i], above[i - pixel]));
  }
}

/* Returns the sum of the distances of bytes from 0, as signed numbers. */
static uint64_t distance_from_zero(const uint8_t *bytes, size_t length) {
  uint64_t sum = 0;
  for (size_t i = 0; i < length; i++) sum += (uint64_t)abs((int8_t)bytes[i]);
  return sum;
}

/* Writes the filtered row to `best`: its filter, and its bytes. spare: as much room. */
static void filter_row(const uint8_t *row, const uint8_t *above, size_t length, size_t pixel,
                       uint8_t *best, uint8_t *spare) {
  uint64_t least = UINT64_MAX;
  for (int filter = 0; filter < TOCHA_PNG_FILTERS; filter++) {
    apply(filter, row, above, length, pixel, spare + 1);
    uint64_t sum = distance_from_zero(spare + 1, length);
    if (sum >= least) continue;
    least = sum;
    spare[0] = (uint8_t)filter;
    memcpy(best, spare, length + 1);
  }
}

/* Appends the rows, filtered unless they are stored. */
static bool append_rows(tocha_context *cx, tocha_byte_block *out, const uint8_t *pixels,
                        size_t height, size_t length, size_t pixel, bool stored) {
  tocha_byte_block spare = {NULL, 0, 0};
  bool ok = tocha_bytes_reserve(cx, out, (uint64_t)height * (length + 1)) &&
            tocha_bytes_reserve(cx, &spare, 2 * (uint64_t)length + 1);
  if (ok) memset(spare.data, 0, length);
  const uint8_t *above = (const uint8_t *)spare.data;
  for (size_t y = 0; ok && y < height; y++, above = pixels, pixels += length) {
    uint8_t *to = (uint8_t *)out->data + out->size;
    to[0] = TOCHA_PNG_NONE;
    if (stored)
      memcpy(to + 1, pixels, length);
    else
      filter_row(pixels, above, length, pixel, to, (uint8_t *)spare.data + length);
    out->size += length + 1;
    ok = y % 64 != 0 || !tocha_interrupted(cx);
  }
  tocha_bytes_free(cx, &spare);
  return ok;
}

static bool append_file(tocha_context *cx, tocha_byte_block *out, tocha_tensor *pixels, int level,
                        int64_t per_metre) {
  static const uint8_t colors[] = {0, 0, TOCHA_PNG_ALPHA, TOCHA_PNG_COLORS,
                                   TOCHA_PNG_COLORS | TOCHA_PNG_ALPHA};
  const int64_t *sizes = tocha_sizes(pixels);
  size_t channels = (size_t)sizes[2], height = (size_t)sizes[0];
  uint8_t head[13] = {0}, resolution[9];
  tocha_byte_block rows = {NULL, 0, 0}, packed = {NULL, 0, 0};
  put_number(head, (uint32_t)sizes[1]);
  put_number(head + 4, (uint32_t)sizes[0]);
  head[8] = 8, head[9] = colors[channels];
  put_number(resolution, (uint32_t)per_metre);
  put_number(resolution + 4, (uint32_t)per_metre);
  resolution[8] = 1; /* in metres */
  bool ok = append(cx, out, TOCHA_PNG_SIGNATURE, sizeof TOCHA_PNG_SIGNATURE) &&
            append_chunk(cx, out, "IHDR", head, sizeof head) &&
            (per_metre <= 0 || append_chunk(cx, out, "pHYs", resolution, sizeof resolution)) &&
            append_rows(cx, &rows, tocha_data(pixels), height, (size_t)sizes[1] * channels,
                        channels, level == 0) &&
            tocha_zlib_append(cx, rows.data, rows.size, level, &packed);
  const size_t most = INT32_MAX; /* bytes of a chunk */
  for (size_t done = 0, part; ok && done < packed.size; done += part) {
    part = packed.size - done < most ? packed.size - done : most;
    ok = append_chunk(cx, out, "IDAT", packed.data + done, part);
  }
  tocha_bytes_free(cx, &rows);
  tocha_bytes_free(cx, &packed);
  return ok && append_chunk(cx, out, "IEND", NULL, 0);
}

tocha_tensor *tocha_encode_pixels(tocha_context *cx, tocha_tensor *pixels, int64_t compression,
                                  int64_t per_metre) {
  if (!pixels) return tocha_refuse_none(cx, "encode_png", "pixels", "a tensor");
  if (compression < 0 || compression > 9)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Compression level should be between 0 and 9");
  if (pixels->ndim != 3 || pixels->dtype != TOCHA_UINT8 || pixels->device.type != TOCHA_CPU ||
      pixels->sizes[2] < 1 || pixels->sizes[2] > 4)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "encode_png: pixels must be uint8 (height, width, 1 to 4 channels)");
  const int64_t *sizes = tocha_sizes(pixels);
  if (sizes[0] < 1 || sizes[1] < 1 || sizes[0] > INT32_MAX || sizes[1] > INT32_MAX)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "encode_png: an image of %lld x %lld pixels",
                      (long long)sizes[0], (long long)sizes[1]);
  tocha_byte_block out = {NULL, 0, 0};
  tocha_tensor *bytes = NULL;
  pixels = tocha_contiguous(cx, pixels);
  if (pixels && append_file(cx, &out, pixels, (int)compression, per_metre))
    bytes = tocha_from_buffer(cx, out.data, out.size, TOCHA_UINT8, -1, 0);
  tocha_bytes_free(cx, &out);
  return bytes;
}

tocha_tensor *tocha_encode_png(tocha_context *cx, tocha_tensor *image, int64_t compression) {
  tocha_scope scope = tocha_scope_begin(cx);
  if (compression < 0 || compression > 9)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Compression level should be between 0 and 9");
  tocha_tensor *pixels = tocha_failed(cx) ? NULL : tocha_pixels_of_image(cx, image, "encode_png");
  tocha_tensor *bytes = pixels ? tocha_encode_pixels(cx, pixels, compression, 0) : NULL;
  return tocha_scope_end(cx, scope, bytes);
}
