/* image.h: functions that the image formats share. */
#ifndef TOCHA_IMAGE_IMAGE_H
#define TOCHA_IMAGE_IMAGE_H

#include "io/file.h"
#include "tocha/image.h"

/* The bytes of a file, contiguous on the CPU. `data` is NULL if an error was set. */
typedef struct tocha_image_bytes {
  const uint8_t *data;
  size_t size;
} tocha_image_bytes;

tocha_image_bytes tocha_bytes_of_image(tocha_context *cx, tocha_tensor *bytes, const char *where);
/* Returns an image (C, H, W) as pixels (H, W, C). Fails unless it is uint8 with 1 or 3 channels. */
tocha_tensor *tocha_pixels_of_image(tocha_context *cx, tocha_tensor *image, const char *where);
/* Creates a tensor for the pixels of an image: (H, W, C). */
tocha_tensor *tocha_new_pixels(tocha_context *cx, int64_t height, int64_t width, int64_t channels,
                               tocha_dtype dtype);
/* Returns pixels with the channels of `mode`: `pixels` itself if it has them, else a copy. */
tocha_tensor *tocha_with_channels(tocha_context *cx, tocha_tensor *pixels, int64_t mode);
/* Returns the image (C, H, W) of pixels (H, W, C), turned as an EXIF orientation says (1: not
 * turned). */
tocha_tensor *tocha_image_of_pixels(tocha_context *cx, tocha_tensor *pixels, int orientation);
/* Returns the orientation in a block of EXIF data (which begins with "II" or "MM"), or 1 if it
 * states none. */
int tocha_exif_orientation(const uint8_t *data, size_t size);

#endif
