/* file.c: reads and writes bytes by the functions of a reader or a writer. Files of the C library are
 * readers and writers too. */
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

void *tocha_fail_os(tocha_context *cx, int number) {
  return tocha_fail(cx, TOCHA_OS_ERROR, "[Errno %d] %s", number, strerror(number));
}

bool tocha_check_file(tocha_context *cx, const char *where, FILE *file) {
  if (tocha_failed(cx)) return false;
  return file || tocha_refuse_none(cx, where, "file", "a file");
}

bool tocha_check_reader(tocha_context *cx, const char *where, const tocha_reader *reader) {
  if (tocha_failed(cx)) return false;
  return (reader && reader->read) || tocha_refuse_none(cx, where, "reader", "a reader");
}

bool tocha_check_writer(tocha_context *cx, const char *where, const tocha_writer *writer) {
  if (tocha_failed(cx)) return false;
  return (writer && writer->write) || tocha_refuse_none(cx, where, "writer", "a writer");
}

/* --- files of the C library -------------------------------------------------------------------- */

/* A short read may have met the end, which the next call then reports without reading again: at a
 * terminal that would ask for a second end of input. */
static int64_t read_file(void *user, void *into, size_t size) {
  FILE *file = user;
  if (feof(file)) return clearerr(file), 0;
  size_t got = fread(into, 1, size, file);
  bool broken = ferror(file);
  if (broken || !got) clearerr(file);
  if (broken && !errno) errno = EIO;
  return broken ? -1 : (int64_t)got;
}

static int64_t seek_file(void *user, int64_t offset, int origin) {
  return platform_seek(user, offset, origin) ? platform_tell(user) : -1;
}

static int64_t write_file(void *user, const void *from, size_t size) {
  if (fwrite(from, 1, size, user) == size) return (int64_t)size;
  if (!errno) errno = EIO;
  return -1;
}

tocha_reader tocha_reader_of_file(FILE *file) {
  platform_status status;
  bool regular = platform_tell(file) >= 0 &&
                 platform_file_status(platform_file_of(file), &status) &&
                 status.kind == PLATFORM_FILE;
  return (tocha_reader){file, read_file, regular ? seek_file : NULL};
}

tocha_writer tocha_writer_of_file(FILE *file) { return (tocha_writer){file, write_file}; }

/* --- reading ----------------------------------------------------------------------------------- */

/* Sets the error of a function of the host, unless it has set its own, and names what it was to do:
 * "reading 512 bytes". */
static void *fail_call(tocha_context *cx, const char *operation, int64_t number, const char *unit) {
  int reason = errno;
  if (tocha_failed(cx)) return NULL;
  if (!reason)
    return tocha_fail(cx, TOCHA_OS_ERROR, "%s %lld%s failed", operation, (long long)number, unit);
  tocha_fail_os(cx, reason);
  return tocha_hint(cx, "%s %lld%s failed", operation, (long long)number, unit);
}

/* Moves by the reader's function, and returns the position, or -1 with an error. */
static int64_t move(tocha_context *cx, const tocha_reader *r, int64_t offset, int origin) {
  errno = 0;
  int64_t position = r->seek(r->user, offset, origin);
  if (position < 0)
    fail_call(cx, origin == SEEK_SET ? "seeking to byte" : "finding the size: seeking by", offset,
              "");
  return tocha_failed(cx) ? -1 : position;
}

int64_t tocha_reader_position(tocha_context *cx, const tocha_reader *r) {
  return move(cx, r, 0, SEEK_CUR);
}

bool tocha_seek(tocha_context *cx, const tocha_reader *r, int64_t position) {
  int64_t at = move(cx, r, position, SEEK_SET);
  if (at < 0 || at == position) return at >= 0;
  return tocha_fail(cx, TOCHA_OS_ERROR, "seeking to byte %lld led to byte %lld",
                    (long long)position, (long long)at);
}

int64_t tocha_bytes_left(tocha_context *cx, const tocha_reader *r) {
  if (!r->seek) return -1;
  int64_t at = tocha_reader_position(cx, r), end = at < 0 ? -1 : move(cx, r, 0, SEEK_END);
  if (end < 0 || !tocha_seek(cx, r, at)) return 0;
  return end > at ? end - at : 0;
}

size_t tocha_read_some(tocha_context *cx, const tocha_reader *r, void *to, size_t length) {
  size_t done = 0;
  while (done < length && !tocha_interrupted(cx)) {
    size_t wanted = length - done < CHUNK ? length - done : CHUNK;
    errno = 0;
    int64_t got = r->read(r->user, (char *)to + done, wanted);
    if (got < 0) fail_call(cx, "reading", (int64_t)wanted, " bytes");
    if (got > (int64_t)wanted)
      tocha_fail(cx, TOCHA_RUNTIME_ERROR, "a reader was asked for %zu bytes and returned %lld",
                 wanted, (long long)got);
    if (got <= 0 || tocha_failed(cx)) break;
    done += (size_t)got;
  }
  return done;
}

bool tocha_read_rest(tocha_context *cx, const tocha_reader *reader, tocha_byte_block *block) {
  enum { STEP = 1 << 16, LARGE_STEP = 1 << 28 }; /* the size that a reader promises may be wrong */
  int64_t left = tocha_bytes_left(cx, reader);
  uint64_t step = left < 0 ? STEP : left < LARGE_STEP ? (uint64_t)left + 1 : LARGE_STEP;
  while (!tocha_failed(cx) && tocha_bytes_reserve(cx, block, block->size + step)) {
    size_t capacity = block->capacity - block->size;
    size_t got = tocha_read_some(cx, reader, block->data + block->size, capacity);
    block->size += got;
    if (got < capacity && !tocha_failed(cx)) return true;
    step = STEP;
  }
  tocha_bytes_free(cx, block);
  return false;
}

void *tocha_fail_shortened(tocha_context *cx, int64_t position) {
  if (tocha_failed(cx)) return NULL;
  tocha_fail(cx, TOCHA_EOF_ERROR, "the file ends too early: it may be truncated");
  return tocha_hint(
      cx, "nothing follows byte %lld, but its size, as the reader's seek gave it, is larger",
      (long long)position);
}

/* --- writing ----------------------------------------------------------------------------------- */

bool tocha_write_all(tocha_context *cx, const tocha_writer *w, const void *from, size_t length) {
  for (size_t done = 0; done < length;) {
    size_t part = length - done < CHUNK ? length - done : CHUNK;
    if (tocha_interrupted(cx)) return false;
    errno = 0;
    int64_t taken = w->write(w->user, (const char *)from + done, part);
    if (taken <= 0) fail_call(cx, "writing", (int64_t)part, " bytes");
    if (taken > (int64_t)part)
      tocha_fail(cx, TOCHA_RUNTIME_ERROR, "a writer was given %zu bytes and took %lld", part,
                 (long long)taken);
    if (tocha_failed(cx)) return false;
    done += (size_t)taken;
  }
  return true;
}
