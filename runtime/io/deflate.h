/* deflate.h: compression (RFC 1951). */
#ifndef TOCHA_IO_DEFLATE_H
#define TOCHA_IO_DEFLATE_H

#include "io/file.h"

typedef struct tocha_part {
  const void *bytes;
  size_t length;
} tocha_part;

/* Compresses the parts, one after the other, and appends the result to `out`. level: 0 (stored) to
 * 9 (smallest); TOCHA_USUAL_LEVEL is zlib's default. Returns false with an error if memory is short
 * or the call is interrupted. */
enum { TOCHA_USUAL_LEVEL = 6 };
bool tocha_deflate(tocha_context *cx, const tocha_part *parts, int count, int level,
                   tocha_byte_block *out);
/* Appends the compressed bytes in zlib's format (RFC 1950), which PNG and PDF contain. */
bool tocha_zlib_append(tocha_context *cx, const void *bytes, size_t length, int level,
                       tocha_byte_block *out);

#endif
