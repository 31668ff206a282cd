/* image.h: what PNG and JPEG share. */
#ifndef TOCHA_IMAGE_IMAGE_H
#define TOCHA_IMAGE_IMAGE_H

#include "io/file.h"
#include "tocha/image.h"

/* The bytes of a file, in one piece on the CPU. NULL data with an error. */
typedef struct tocha_image_bytes {
  const uint8_t *data;
  size_t size;
} tocha_image_bytes;

tocha_image_bytes tocha_bytes_of_image(tocha_context *cx, tocha_tensor *bytes, const char *where);
/* A picture with a pixel's channels together, checked: uint8, 1 or 3 channels. NULL with an error. */
tocha_tensor *tocha_pixels_of_image(tocha_context *cx, tocha_tensor *image, const char *where);
/* Room for a picture: (height, width, channels). */
tocha_tensor *tocha_new_pixels(tocha_context *cx, int64_t height, int64_t width, int64_t channels,
                               tocha_dtype dtype);
/* Returns pixels with the channels of `mode`: `pixels` itself if it has them, else a copy. */
tocha_tensor *tocha_with_channels(tocha_context *cx, tocha_tensor *pixels, int64_t mode);
/* The picture of pixels: (channels, height, width), turned as an EXIF orientation says (1: not at all). */
tocha_tensor *tocha_image_of_pixels(tocha_context *cx, tocha_tensor *pixels, int orientation);
/* The orientation in a block of EXIF data (which begins "II" or "MM"); 1 where it says none. */
int tocha_exif_orientation(const uint8_t *data, size_t size);

#endif
