/* file.c: reads bytes from files and writes them. */
#include "io/file.h"

#include <errno.h>
#include <string.h>

#include "platform/platform.h"

enum { CHUNK = 1 << 24 }; /* bytes between two checks of the interrupt flag */

bool tocha_bytes_reserve(tocha_context *cx, tocha_byte_block *block, uint64_t capacity) {
  if (capacity <= block->capacity) return true;
  uint64_t twice = 2 * (uint64_t)block->capacity, wanted = capacity > twice ? capacity : twice;
  char *data = tocha_allocate(cx, wanted);
  if (!data) return false;
  if (block->size) memcpy(data, block->data, block->size);
  size_t size = block->size;
  tocha_bytes_free(cx, block);
  *block = (tocha_byte_block){data, size, (size_t)wanted};
  return true;
}

void tocha_bytes_free(tocha_context *cx, tocha_byte_block *block) {
  if (block->data) tocha_deallocate(cx, block->data, block->capacity);
  *block = (tocha_byte_block){NULL, 0, 0};
}

int64_t tocha_bytes_left(FILE *file) {
  platform_status status;
  int64_t at = platform_tell(file);
  if (at < 0 || !platform_file_status(platform_file_of(file), &status)) return -1;
  if (status.kind != PLATFORM_FILE) return -1;
  return status.size > at ? status.size - at : 0;
}

void *tocha_fail_os(tocha_context *cx, int number) {
  return tocha_fail(cx, TOCHA_OS_ERROR, "[Errno %d] %s", number, strerror(number));
}

bool tocha_check_file(tocha_context *cx, const char *where, FILE *file) {
  return file || tocha_refuse_none(cx, where, "file", "a file");
}

size_t tocha_read_file(tocha_context *cx, FILE *file, void *to, size_t length) {
  size_t done = 0;
  while (done < length && !tocha_interrupted(cx)) {
    size_t wanted = length - done < CHUNK ? length - done : CHUNK;
    errno = 0;
    size_t got = fread((char *)to + done, 1, wanted, file);
    done += got;
    if (got == wanted) continue;
    if (ferror(file)) tocha_fail_os(cx, errno ? errno : EIO);
    clearerr(file);
    break;
  }
  return done;
}

bool tocha_write_file(tocha_context *cx, FILE *file, const void *from, size_t length) {
  for (size_t done = 0; done < length;) {
    size_t part = length - done < CHUNK ? length - done : CHUNK;
    if (tocha_interrupted(cx)) return false;
    errno = 0;
    if (fwrite((const char *)from + done, 1, part, file) != part) {
      tocha_fail_os(cx, errno ? errno : EIO);
      return false;
    }
    done += part;
  }
  return true;
}

bool tocha_read_rest(tocha_context *cx, FILE *file, tocha_byte_block *block) {
  int64_t left = tocha_bytes_left(file);
  uint64_t step = left >= 0 ? (uint64_t)left + 1 : 1 << 16;
  for (;;) {
    if (!tocha_bytes_reserve(cx, block, block->size + step)) break;
    size_t capacity = block->capacity - block->size;
    size_t got = tocha_read_file(cx, file, block->data + block->size, capacity);
    block->size += got;
    if (tocha_failed(cx)) break;
    if (got < capacity) return true;
    step = 1 << 16;
  }
  tocha_bytes_free(cx, block);
  return false;
}
