/* image.c: functions that PNG and JPEG share: bytes and pixels as tensors, orientation. */
#include "image/image.h"

#include <string.h>

#include "io/kind.h"
#include "tocha/ops/contiguous.h"
#include "tocha/ops/flip.h"
#include "tocha/ops/permute.h"
#include "tocha/ops/transpose.h"

static bool check_tensor(tocha_context *cx, tocha_tensor *t, const char *where, const char *name) {
  if (!t) return tocha_failed(cx) ? false : tocha_refuse_none(cx, where, name, "a tensor") != NULL;
  if (tocha_device_of(t).type != TOCHA_CPU)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Input tensor must be a CPU tensor") != NULL;
  return true;
}

tocha_image_bytes tocha_bytes_of_image(tocha_context *cx, tocha_tensor *bytes, const char *where) {
  tocha_image_bytes none = {NULL, 0};
  if (!check_tensor(cx, bytes, where, "input")) return none;
  if (tocha_dtype_of(bytes) != TOCHA_UINT8) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Input tensor must have uint8 data type, got %s",
               tocha_dtype_name(tocha_dtype_of(bytes)));
    return none;
  }
  if (tocha_ndim(bytes) != 1 || tocha_numel(bytes) == 0) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Input tensor must be 1-dimensional and non-empty, got %d dims and %lld numels.",
               tocha_ndim(bytes), (long long)tocha_numel(bytes));
    return none;
  }
  bytes = tocha_contiguous(cx, bytes);
  if (!bytes) return none;
  return (tocha_image_bytes){tocha_data(bytes), (size_t)tocha_numel(bytes)};
}

tocha_tensor *tocha_pixels_of_image(tocha_context *cx, tocha_tensor *image, const char *where) {
  static const int64_t last[] = {1, 2, 0};
  if (!check_tensor(cx, image, where, "input")) return NULL;
  if (tocha_dtype_of(image) != TOCHA_UINT8)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Input tensor dtype should be uint8");
  if (tocha_ndim(image) != 3)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Input data should be a 3-dimensional tensor");
  int64_t channels = tocha_sizes(image)[0];
  if (channels != 1 && channels != 3)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "The number of channels should be 1 or 3, got: %lld",
                      (long long)channels);
  return tocha_contiguous(cx, tocha_permute(cx, image, 3, last));
}

tocha_tensor *tocha_new_pixels(tocha_context *cx, int64_t height, int64_t width, int64_t channels,
                               tocha_dtype dtype) {
  int64_t sizes[3] = {height, width, channels};
  return tocha_new(cx, 3, sizes, dtype, tocha_cpu());
}

/* Orientations 2 to 8 are a mirror image, a turn, or both: flips of rows or columns, after an
 * exchange of rows with columns. */
tocha_tensor *tocha_image_of_pixels(tocha_context *cx, tocha_tensor *pixels, int orientation) {
  static const int64_t first[] = {2, 0, 1};
  static const struct {
    bool swap;
    int count;
    int64_t flips[2];
  } ways[] = {{false, 0, {0, 0}}, {false, 1, {2, 0}}, {false, 2, {1, 2}}, {false, 1, {1, 0}},
              {true, 0, {0, 0}},  {true, 1, {2, 0}},  {true, 2, {1, 2}},  {true, 1, {1, 0}}};
  tocha_tensor *image = tocha_permute(cx, pixels, 3, first);
  if (orientation < 2 || orientation > 8) return image;
  if (ways[orientation - 1].swap) image = tocha_transpose(cx, image, 1, 2);
  int count = ways[orientation - 1].count;
  return count ? tocha_flip(cx, image, count, ways[orientation - 1].flips) : image;
}

/* --- EXIF: a TIFF head, and a list of entries of 12 bytes ------------------------------------------ */

static uint32_t number(const uint8_t *at, int bytes, bool little) {
  uint32_t value = 0;
  for (int i = 0; i < bytes; i++) value = value << 8 | at[little ? bytes - 1 - i : i];
  return value;
}

int tocha_exif_orientation(const uint8_t *data, size_t size) {
  enum { HEAD = 8, ENTRY = 12, ORIENTATION = 0x112 };
  if (size < HEAD || (memcmp(data, "II", 2) != 0 && memcmp(data, "MM", 2) != 0)) return 1;
  bool little = data[0] == 'I';
  size_t at = number(data + 4, 4, little);
  if (number(data + 2, 2, little) != 42 || at > size - 2) return 1;
  size_t count = number(data + at, 2, little);
  for (at += 2; count > 0 && size - at >= ENTRY; count--, at += ENTRY)
    if (number(data + at, 2, little) == ORIENTATION) return (int)number(data + at + 8, 2, little);
  return 1;
}

/* --- all formats ------------------------------------------------------------------------------ */

tocha_tensor *tocha_decode_image(tocha_context *cx, tocha_tensor *bytes, int64_t mode, bool exif) {
  static const uint8_t png[4] = {0x89, 'P', 'N', 'G'}, jpeg[3] = {0xff, 0xd8, 0xff};
  tocha_image_bytes b = tocha_bytes_of_image(cx, bytes, "decode_image");
  if (!b.data) return NULL;
  if (b.size >= sizeof jpeg && memcmp(b.data, jpeg, sizeof jpeg) == 0)
    return tocha_decode_jpeg(cx, bytes, mode, exif);
  if (b.size >= sizeof png && memcmp(b.data, png, sizeof png) == 0)
    return tocha_decode_png(cx, bytes, mode, exif);
  if (b.size > 2 && memcmp(b.data, "BM", 2) == 0) return tocha_decode_bmp(cx, bytes, mode);
  if (b.size > 3 && b.data[0] == 'P' && b.data[1] >= '1' && b.data[1] <= '6' &&
      strchr(" \t\r\n#", b.data[2]))
    return tocha_decode_pnm(cx, bytes, mode);
  if (b.size > 12 && memcmp(b.data, "RIFF", 4) == 0 && memcmp(b.data + 8, "WEBP", 4) == 0)
    return tocha_decode_webp(cx, bytes, mode);
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "Unsupported image file. Only jpeg and png are currently supported.");
  return tocha_hint_kind(cx, NULL, (const char *)b.data, b.size, (int64_t)b.size,
                         "a PNG, JPEG, BMP, PPM or WebP image");
}
