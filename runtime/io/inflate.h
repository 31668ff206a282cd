/* inflate.h: what zip archives are made of: RFC 1951 (deflate) and CRC-32. */
#ifndef TOCHA_IO_INFLATE_H
#define TOCHA_IO_INFLATE_H

#include "core/internal.h"

/* No deflated byte stands for more bytes than this. */
enum { TOCHA_MOST_INFLATION = 1032 };

/* Inflates `length` bytes to exactly `room` bytes; false where they are not that, and, with an error, where it is interrupted.
 * Reads and writes nowhere else. */
bool tocha_inflate(tocha_context *cx, const uint8_t *from, size_t length, uint8_t *to, size_t room);
/* Sets *crc, the sum of the bytes before (0 at the beginning), to the sum with these; false, with an error, where it is
 * interrupted. */
bool tocha_crc32(tocha_context *cx, uint32_t *crc, const void *bytes, size_t length);

#endif
