/* unpack.h: what readers of text do to a whole file first: undo its compression, and make UTF-8 of it. */
#ifndef TOCHA_IO_UNPACK_H
#define TOCHA_IO_UNPACK_H

#include "io/file.h"

/* Replaces the bytes of a file that gzip, bzip2 or xz compressed, as its first bytes say, by what it holds; leaves others alone. */
bool tocha_unpack(tocha_context *cx, tocha_byte_block *block);
/* Appends to `out` what a gzip file holds. Its sum is checked. */
bool tocha_gunzip_bytes(tocha_context *cx, const uint8_t *data, size_t size, tocha_byte_block *out);
/* Writes a character, at most 4 bytes; returns their number. */
size_t tocha_put_utf8(char *to, uint32_t c);
/* Replaces bytes in an encoding, by its name in Python, by UTF-8. NULL: they are UTF-8, or bytes of another encoding that stay as they
 * are. Fails as Python does for names that are unknown and bytes that the encoding does not have. */
bool tocha_decode_text(tocha_context *cx, tocha_byte_block *block, const char *encoding);

#endif
