/* image.h: reads and writes images, PNG and JPEG among others. JPEG and WebP need libjpeg and
 * libwebp, which are opened when they are first needed.
 *
 * Files are tensors of bytes (uint8, one dimension; tocha_from_stream and tocha_from_reader read them). Images are uint8 tensors (C, H, W), stored
 * row by row with the channels of a pixel together, as torchvision stores them. Sizes that a
 * file states are checked before memory is allocated. */
#ifndef TOCHA_IMAGE_H
#define TOCHA_IMAGE_H

#include "tocha/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* torchvision.io.ImageReadMode, with its numbers */
typedef enum tocha_image_mode {
  TOCHA_IMAGE_UNCHANGED,
  TOCHA_IMAGE_GRAY,
  TOCHA_IMAGE_GRAY_ALPHA,
  TOCHA_IMAGE_RGB,
  TOCHA_IMAGE_RGB_ALPHA
} tocha_image_mode;

/* Decodes a PNG or a JPEG file. mode: a tocha_image_mode. exif: the image is turned as the
 * camera noted. A PNG file with 16 bits a channel becomes int32. */
TOCHA_API tocha_tensor *tocha_decode_png(tocha_context *cx, tocha_tensor *bytes, int64_t mode,
                                         bool exif);
TOCHA_API tocha_tensor *tocha_decode_jpeg(tocha_context *cx, tocha_tensor *bytes, int64_t mode,
                                          bool exif);
/* Decodes a Windows bitmap (.bmp), a Netpbm image (.pbm, .pgm, .ppm) or a WebP image (.webp,
 * which needs libwebp). */
TOCHA_API tocha_tensor *tocha_decode_bmp(tocha_context *cx, tocha_tensor *bytes, int64_t mode);
TOCHA_API tocha_tensor *tocha_decode_pnm(tocha_context *cx, tocha_tensor *bytes, int64_t mode);
TOCHA_API tocha_tensor *tocha_decode_webp(tocha_context *cx, tocha_tensor *bytes, int64_t mode);
/* Decodes a file of any of these formats; its first bytes decide which. */
TOCHA_API tocha_tensor *tocha_decode_image(tocha_context *cx, tocha_tensor *bytes, int64_t mode,
                                           bool exif);
/* Encodes an image of 1 or 3 channels as the bytes of a file. compression: 0 to 9; quality: 1 to
 * 100. */
TOCHA_API tocha_tensor *tocha_encode_png(tocha_context *cx, tocha_tensor *image,
                                         int64_t compression);
/* Encodes pixels (height, width, channels) of 1 (gray), 2 (and alpha), 3 (RGB) or 4 channels as a
 * PNG file. per_metre: its resolution in pixels, or 0 to state none. */
TOCHA_API tocha_tensor *tocha_encode_pixels(tocha_context *cx, tocha_tensor *pixels,
                                            int64_t compression, int64_t per_metre);
TOCHA_API tocha_tensor *tocha_encode_jpeg(tocha_context *cx, tocha_tensor *image, int64_t quality);
/* Returns the version of libjpeg, or NULL if it is missing. */
TOCHA_API const char *tocha_jpeg_version(void);

#ifdef __cplusplus
}
#endif
#endif
