/* deflate.h: compression, if zlib is available. */
#ifndef TOCHA_IO_DEFLATE_H
#define TOCHA_IO_DEFLATE_H

#include "io/file.h"

typedef struct tocha_part {
  const void *bytes;
  size_t length;
} tocha_part;

/* Compresses the parts, one after the other, into `out`. If zlib is missing, sets *done to false
 * and leaves `out` empty. Returns false with an error if it fails. */
bool tocha_deflate(tocha_context *cx, const tocha_part *parts, int count, tocha_byte_block *out,
                   bool *done);

#endif
