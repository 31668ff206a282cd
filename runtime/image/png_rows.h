/* png_rows.h: the rows of a PNG image: undoes their filters, and converts their samples. */
#ifndef TOCHA_IMAGE_PNG_ROWS_H
#define TOCHA_IMAGE_PNG_ROWS_H

#include <stdbool.h>

#include "image/png.h"

/* Samples of a row in the file, and pixels of the image that is wanted. */
typedef struct tocha_png_samples {
  int depth, channels; /* in the file: bits of a sample (1 to 16), samples of a pixel */
  bool palette;        /* a sample is the index of a color, which takes its place */
  bool colors_alpha;   /* the palette's colors have alpha */
  uint8_t colors[256][4];
  bool scaled; /* samples of fewer than 8 bits are scaled to 0 .. 255 */
  int wanted;  /* channels of the image: 1 gray, 2 gray and alpha, 3 RGB, 4 RGB and alpha */
  const uint16_t *linear, *encoded; /* the gamma of the file, if gray must be found in linear light:
                                     * from a sample to light, and back. NULL: found as it is */
} tocha_png_samples;

/* Undoes the filter of a row of `length` bytes, in place. above: the row above, zeros for the first
 * one. pixel: bytes of a pixel, at least 1. Returns false if there is no such filter. */
bool tocha_png_unfilter(int filter, uint8_t *row, const uint8_t *above, size_t length,
                        size_t pixel);
/* Converts a row of n pixels into every step-th pixel of `to`: bytes, or int32 for samples of 16
 * bits. scratch: room for n pixels of 8 bytes. */
void tocha_png_convert(const tocha_png_samples *s, const uint8_t *row, size_t n, void *to,
                       size_t step, void *scratch);

#endif
