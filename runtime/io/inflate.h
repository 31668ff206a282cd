/* inflate.h: decompression (RFC 1951, deflate) and CRC-32, which zip archives use. */
#ifndef TOCHA_IO_INFLATE_H
#define TOCHA_IO_INFLATE_H

#include "io/source.h"

/* The maximum number of bytes that a deflated byte stands for. */
enum { TOCHA_MAX_INFLATION = 1032 };

/* Deflated bytes: those in memory from `at` to `end`, then `left` bytes of `source` from `next` on, read piece by piece. */
typedef struct tocha_deflated {
  const uint8_t *at, *end;
  const tocha_source *source; /* NULL if `left` is 0 */
  int64_t next, left;
} tocha_deflated;

/* Inflates to exactly `capacity` bytes. Returns false if the bytes stand for more or fewer, or are
 * damaged; with an error if the source cannot be read or the call is interrupted. Never reads or
 * writes outside of its buffers. */
bool tocha_inflate(tocha_context *cx, tocha_deflated *from, uint8_t *to, size_t capacity);
/* Inflates until the data end, prove damaged, or have no room, and returns the number of bytes.
 * Fails if the source cannot be read or the call is interrupted. */
size_t tocha_inflate_some(tocha_context *cx, tocha_deflated *from, uint8_t *to, size_t capacity);
/* Appends to `block`, which grows as needed, and moves from->at past the deflated bytes, which
 * are all in memory. */
bool tocha_inflate_append(tocha_context *cx, tocha_deflated *from, tocha_byte_block *block);
/* Updates *crc, the checksum of the bytes before (0 at the beginning), with these bytes. Fails
 * if interrupted. */
bool tocha_crc32(tocha_context *cx, uint32_t *crc, const void *bytes, size_t length);

#endif
