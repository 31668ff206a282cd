/* file.h: functions shared by all readers of files. */
#ifndef TOCHA_IO_FILE_H
#define TOCHA_IO_FILE_H

#include "core/internal.h"
#include "tocha/io.h"

/* Bytes that grow; free them with tocha_bytes_free. */
typedef struct tocha_byte_block {
  char *data;
  size_t size, capacity;
} tocha_byte_block;

bool tocha_bytes_reserve(tocha_context *cx, tocha_byte_block *block, uint64_t capacity);
void tocha_bytes_free(tocha_context *cx, tocha_byte_block *block);

/* Returns the number of bytes between the file's position and its end, or -1 if it is not known
 * in advance (a pipe). */
int64_t tocha_bytes_left(FILE *file);
/* Reads up to `length` bytes and returns the number of bytes read, which is smaller at the end
 * of the file. Fails if reading fails or is interrupted. */
size_t tocha_read_file(tocha_context *cx, FILE *file, void *to, size_t length);
bool tocha_write_file(tocha_context *cx, FILE *file, const void *from, size_t length);
/* Reads the rest of the file. */
bool tocha_read_rest(tocha_context *cx, FILE *file, tocha_byte_block *block);
/* Fails with OSError: "[Errno 5] Input/output error". */
void *tocha_fail_os(tocha_context *cx, int number);
/* Returns true unless `file` is NULL, which is an error of the function `where`. */
bool tocha_check_file(tocha_context *cx, const char *where, FILE *file);
/* Returns true if this machine stores the lowest byte of a number first. */
static inline bool tocha_is_little_endian(void) {
  const uint16_t one = 1;
  return *(const uint8_t *)&one == 1;
}
/* Sets every element of a bool tensor that is not 0 to 1. */
void tocha_tidy_bools(tocha_tensor *t);

#endif
