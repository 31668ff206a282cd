/* channels.c: converts pixels of bytes to other channels, for the formats that no library decodes. */
#include "image/image.h"

/* Returns the gray value of a pixel, with Pillow's weights in parts of 65536. */
static uint8_t gray_of(const uint8_t *rgb) {
  return (uint8_t)((rgb[0] * 19595U + rgb[1] * 38470U + rgb[2] * 7471U + 0x8000U) >> 16);
}

tocha_tensor *tocha_with_channels(tocha_context *cx, tocha_tensor *pixels, int64_t mode) {
  static const int channels_of[] = {0, 1, 2, 3, 4};
  const int64_t *sizes = tocha_sizes(pixels);
  if (mode < TOCHA_IMAGE_UNCHANGED || mode > TOCHA_IMAGE_RGB_ALPHA)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "The provided mode is not supported");
  int from = (int)sizes[2], to = channels_of[mode] ? channels_of[mode] : from;
  if (from == to) return pixels;
  tocha_tensor *out = tocha_new_pixels(cx, sizes[0], sizes[1], to, TOCHA_UINT8);
  if (!out) return NULL;
  const uint8_t *in = tocha_data(pixels);
  uint8_t *at = tocha_data(out);
  int colors = from >= 3 ? 3 : 1, wanted = to >= 3 ? 3 : 1;
  for (int64_t i = 0, n = sizes[0] * sizes[1]; i < n; i++, in += from, at += to) {
    if (colors == wanted)
      for (int c = 0; c < wanted; c++) at[c] = in[c];
    else if (wanted == 1)
      at[0] = gray_of(in);
    else
      at[0] = at[1] = at[2] = in[0];
    if (to > wanted) at[wanted] = from > colors ? in[colors] : 255;
  }
  return out;
}
