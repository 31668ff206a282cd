/* webp.c: decodes WebP by libwebp, which is opened at run time. */
#include "core/library.h"
#include "core/process.h"
#include "image/image.h"

/* The simple interface of webp/decode.h, which has not changed since 2010. */
typedef struct webp_features {
  int width, height, has_alpha, has_animation, format;
  uint32_t pad[5];
} webp_features;

typedef struct webp {
  int (*features)(const uint8_t *data, size_t size, webp_features *features, int version);
  uint8_t *(*rgb)(const uint8_t *data, size_t size, uint8_t *to, size_t capacity, int stride);
  uint8_t *(*rgba)(const uint8_t *data, size_t size, uint8_t *to, size_t capacity, int stride);
} webp;

enum { ABI = 0x0200, MAX_INFLATION = 1 << 16 };

static bool open_webp(const tocha_context *cx, webp *w) {
  static const char *const files[] = {"libwebp.so.7",    "libwebp.so.6",  "libwebp.so",
                                      "libwebp.7.dylib", "libwebp.dylib", NULL};
  static const tocha_symbol functions[] = {{"WebPGetFeaturesInternal", offsetof(webp, features)},
                                           {"WebPDecodeRGBInto", offsetof(webp, rgb)},
                                           {"WebPDecodeRGBAInto", offsetof(webp, rgba)}};
  return tocha_find_functions(tocha_open_library(cx, NULL, files), functions,
                              TOCHA_COUNT(functions), w);
}

static void *fail(tocha_context *cx, const char *problem) {
  return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "decode_webp: %s", problem);
}

tocha_tensor *tocha_decode_webp(tocha_context *cx, tocha_tensor *bytes, int64_t mode) {
  webp w;
  webp_features f = {0};
  tocha_image_bytes in = tocha_bytes_of_image(cx, bytes, "decode_webp");
  if (!in.data) return NULL;
  if (!open_webp(cx, &w)) {
    fail(cx, "libwebp is not here (Debian: libwebp7)");
    tocha_hint_refused(cx);
    return tocha_hint(cx, "install it, or save the image as PNG");
  }
  if (w.features(in.data, in.size, &f, ABI) != 0 || f.width < 1 || f.height < 1)
    return fail(cx, "WebPGetFeatures failed.");
  if (f.has_animation) return fail(cx, "animated files are not read");
  int64_t channels = f.has_alpha ? 4 : 3, row = f.width * channels;
  if ((double)row * f.height > (double)in.size * MAX_INFLATION)
    return fail(cx, "the file is too small for its size");
  tocha_tensor *pixels = tocha_new_pixels(cx, f.height, f.width, channels, TOCHA_UINT8);
  if (!pixels) return NULL;
  uint8_t *to = tocha_data(pixels);
  if (!(f.has_alpha ? w.rgba : w.rgb)(in.data, in.size, to, (size_t)(row * f.height), (int)row))
    return fail(cx, "WebPDecodeRGB[A] failed.");
  pixels = tocha_with_channels(cx, pixels, mode);
  return pixels ? tocha_image_of_pixels(cx, pixels, 1) : NULL;
}
