/* deflate.h: compression, where zlib is there. */
#ifndef TOCHA_IO_DEFLATE_H
#define TOCHA_IO_DEFLATE_H

#include "io/file.h"

typedef struct tocha_part {
  const void *bytes;
  size_t length;
} tocha_part;

/* Compresses parts, one behind the other, into out; *done false, and nothing in out, where zlib is not there. false with an
 * error. */
bool tocha_deflate(tocha_context *cx, const tocha_part *parts, int count, tocha_byte_block *out,
                   bool *done);

#endif
