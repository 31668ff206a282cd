/* png.h: facts of the PNG format (ISO/IEC 15948) that its reader and its writer share. */
#ifndef TOCHA_IMAGE_PNG_H
#define TOCHA_IMAGE_PNG_H

#include <stddef.h>
#include <stdint.h>

/* Bits of the type of colors: 0 gray, 2 RGB, 3 palette, 4 gray and alpha, 6 RGB and alpha. */
enum { TOCHA_PNG_PALETTE = 1, TOCHA_PNG_COLORS = 2, TOCHA_PNG_ALPHA = 4 };

/* A row's filter: bytes are stored as differences to a prediction. */
enum {
  TOCHA_PNG_NONE,
  TOCHA_PNG_SUB,     /* of the byte one pixel to the left */
  TOCHA_PNG_UP,      /* of the byte above */
  TOCHA_PNG_AVERAGE, /* of the mean of both */
  TOCHA_PNG_PAETH,   /* of the nearest to left + above - above left */
  TOCHA_PNG_FILTERS
};

static const uint8_t TOCHA_PNG_SIGNATURE[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

/* Returns which of the bytes to the left, above, and above to the left is nearest to
 * left + above - corner; the first of equally near ones. */
static inline uint8_t tocha_png_paeth(int left, int above, int corner) {
  int to_left = above - corner, to_above = left - corner, to_corner = to_left + to_above;
  if (to_left < 0) to_left = -to_left;
  if (to_above < 0) to_above = -to_above;
  if (to_corner < 0) to_corner = -to_corner;
  int nearest = to_above < to_left ? above : left;
  int distance = to_above < to_left ? to_above : to_left;
  return (uint8_t)(to_corner < distance ? corner : nearest);
}

#endif
