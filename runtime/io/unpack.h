/* unpack.h: decompresses a whole file and converts it to UTF-8, for the readers of text. */
#ifndef TOCHA_IO_UNPACK_H
#define TOCHA_IO_UNPACK_H

#include "io/file.h"

/* Replaces the bytes of a gzip, bzip2 or xz file, recognized by its first bytes, by the unpacked ones. Leaves others alone. */
bool tocha_unpack(tocha_context *cx, tocha_byte_block *block);
/* Appends the content of a gzip file, of one member or several, to `out`. Checks their checksums. */
bool tocha_gunzip_bytes(tocha_context *cx, const uint8_t *data, size_t size, tocha_byte_block *out);
/* Writes a character as UTF-8, at most 4 bytes. Returns the number of bytes. */
size_t tocha_put_utf8(char *to, uint32_t c);
/* Converts bytes in `encoding`, given by its name in Python, to UTF-8. If `encoding` is NULL the bytes stay as they are. Fails
 * as Python does if the name is unknown or the bytes are not valid in the encoding. */
bool tocha_decode_text(tocha_context *cx, tocha_byte_block *block, const char *encoding);

#endif
