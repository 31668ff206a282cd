/* inflate.h: what zip archives are made of: RFC 1951 (deflate) and CRC-32. */
#ifndef TOCHA_IO_INFLATE_H
#define TOCHA_IO_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* No deflated byte stands for more bytes than this. */
enum { TOCHA_MOST_INFLATION = 1032 };

/* Inflates `length` bytes to exactly `room` bytes; false where they are not that. Reads and writes nowhere else. */
bool tocha_inflate(const uint8_t *from, size_t length, uint8_t *to, size_t room);
/* The sum of bytes that follow those whose sum is crc (0 at the beginning). */
uint32_t tocha_crc32(uint32_t crc, const void *bytes, size_t length);

#endif
