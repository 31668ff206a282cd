/* file.h: functions shared by all that reads and writes files. */
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

/* Return a reader, which can seek if the file is a regular one, or a writer of a file of the C
 * library. */
tocha_reader tocha_reader_of_file(FILE *file);
tocha_writer tocha_writer_of_file(FILE *file);
/* Returns the number of bytes between the reader's position and its end, or -1 if it cannot seek.
 * Fails, and returns 0, if it does not seek as it promises. */
int64_t tocha_bytes_left(tocha_context *cx, const tocha_reader *reader);
/* Returns the reader's position, or -1 with an error. */
int64_t tocha_reader_position(tocha_context *cx, const tocha_reader *reader);
bool tocha_seek(tocha_context *cx, const tocha_reader *reader, int64_t position);
/* Reads up to `length` bytes and returns the number of bytes read, which is smaller at the end.
 * Fails if reading fails or is interrupted. */
size_t tocha_read_some(tocha_context *cx, const tocha_reader *reader, void *to, size_t length);
bool tocha_write_all(tocha_context *cx, const tocha_writer *writer, const void *from,
                     size_t length);
/* Reads the rest of the bytes. */
bool tocha_read_rest(tocha_context *cx, const tocha_reader *reader, tocha_byte_block *block);
/* Fails, unless an error is pending, because the bytes end at a position before the end that the
 * reader promised: it is wrong, or the file was shortened meanwhile. */
void *tocha_fail_shortened(tocha_context *cx, int64_t position);
/* Fails with OSError: "[Errno 5] Input/output error". */
void *tocha_fail_os(tocha_context *cx, int number);
/* Return true unless an error is pending, or the object or its function is NULL, which is an error of
 * the function `where`. */
bool tocha_check_file(tocha_context *cx, const char *where, FILE *file);
bool tocha_check_reader(tocha_context *cx, const char *where, const tocha_reader *reader);
bool tocha_check_writer(tocha_context *cx, const char *where, const tocha_writer *writer);
/* Returns true if this machine stores the lowest byte of a number first. */
static inline bool tocha_is_little_endian(void) {
  const uint16_t one = 1;
  return *(const uint8_t *)&one == 1;
}
/* Sets every element of a bool tensor that is not 0 to 1. */
void tocha_tidy_bools(tocha_tensor *t);

#endif
