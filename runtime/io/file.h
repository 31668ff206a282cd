/* file.h: what every reader of files needs. */
#ifndef TOCHA_IO_FILE_H
#define TOCHA_IO_FILE_H

#include "core/internal.h"
#include "tocha/io.h"

/* Bytes that grow; freed by tocha_bytes_free. */
typedef struct tocha_byte_block {
  char *data;
  size_t size, room;
} tocha_byte_block;

bool tocha_bytes_reserve(tocha_context *cx, tocha_byte_block *block, size_t room);
void tocha_bytes_free(tocha_context *cx, tocha_byte_block *block);

/* The bytes between where a file stands and its end; -1 where only reading tells (a pipe). */
int64_t tocha_bytes_left(FILE *file);
/* Reads `length` bytes; how many there were. Fails where reading does, and where it is interrupted. */
size_t tocha_read_file(tocha_context *cx, FILE *file, void *to, size_t length);
bool tocha_write_file(tocha_context *cx, FILE *file, const void *from, size_t length);
/* Reads all that is left. */
bool tocha_read_rest(tocha_context *cx, FILE *file, tocha_byte_block *block);
/* Fails with OSError: "[Errno 5] Input/output error". */
void *tocha_fail_os(tocha_context *cx, int number);
/* Whether a file was given. */
bool tocha_check_file(tocha_context *cx, const char *where, FILE *file);
/* Returns true if this machine stores the lowest byte of a number first. */
static inline bool tocha_is_little_endian(void) {
  const uint16_t one = 1;
  return *(const uint8_t *)&one == 1;
}
/* Every element that is not 0 becomes 1. */
void tocha_tidy_bools(tocha_tensor *t);

#endif
