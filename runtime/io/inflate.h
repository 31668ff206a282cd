/* inflate.h: what zip archives are made of: RFC 1951 (deflate) and CRC-32. */
#ifndef TOCHA_IO_INFLATE_H
#define TOCHA_IO_INFLATE_H

#include "io/source.h"

/* No deflated byte stands for more bytes than this. */
enum { TOCHA_MOST_INFLATION = 1032 };

/* Deflated bytes: those in memory from `at` to `end`, then `left` bytes of `source` from `next` on, read piece by piece. */
typedef struct tocha_deflated {
  const uint8_t *at, *end;
  const tocha_source *source; /* NULL if `left` is 0 */
  int64_t next, left;
} tocha_deflated;

/* Inflates to exactly `room` bytes. Returns false if the bytes stand for more or fewer, or are damaged; with an error if the source
 * cannot be read or the call is interrupted. Reads and writes nowhere else. */
bool tocha_inflate(tocha_context *cx, tocha_deflated *from, uint8_t *to, size_t room);
/* Appends to `block`, which grows as needed, and moves from->at behind the deflated bytes, which are all in memory. */
bool tocha_inflate_append(tocha_context *cx, tocha_deflated *from, tocha_byte_block *block);
/* Sets *crc, the sum of the bytes before (0 at the beginning), to the sum with these; false, with an error, where it is
 * interrupted. */
bool tocha_crc32(tocha_context *cx, uint32_t *crc, const void *bytes, size_t length);

#endif
