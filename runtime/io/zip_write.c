/* zip_write.c: writes an archive as PyTorch does: stored entries, whose bytes begin at multiples
 * of 64. */
#include <string.h>

#include "io/inflate.h"
#include "io/zip.h"

enum { ALIGNMENT = 64, WIDE = 28, PADDING_HEAD = 4, VERSION = 45 };
enum {
  UTF8 = 0x800,
  DATE = 0x00210000,
  READ_WRITE = 0x01800000
}; /* DATE: 1980-01-01, so that the same values give the same file */

static char *put(char *at, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; i++, value >>= 8) *at++ = (char)(value & 255);
  return at;
}

static char *put_bytes(char *at, const void *bytes, size_t length) {
  memcpy(at, bytes, length);
  return at + length;
}

/* Writes the fields that both records have, from the version needed on. */
static char *put_facts(char *at, uint32_t crc, int64_t size, size_t name, size_t extra) {
  bool wide = size >= 0xffffffff;
  at = put(at, VERSION, 2);
  at = put(at, UTF8, 2);
  at = put(at, 0, 2);
  at = put(at, DATE, 4);
  at = put(at, crc, 4);
  at = put(at, wide ? 0xffffffff : (uint64_t)size, 4);
  at = put(at, wide ? 0xffffffff : (uint64_t)size, 4);
  at = put(at, name, 2);
  return put(at, extra, 2);
}

static char *put_wide(char *at, int64_t size, int64_t record, bool with_record) {
  at = put(at, 1, 2);
  at = put(at, with_record ? 24 : 16, 2);
  at = put(at, (uint64_t)size, 8);
  at = put(at, (uint64_t)size, 8);
  return with_record ? put(at, (uint64_t)record, 8) : at;
}

static bool list_entry(tocha_context *cx, tocha_zip_writer *w, const char *name, uint32_t crc,
                       int64_t size, int64_t record) {
  tocha_byte_block *d = &w->directory;
  size_t folder = strlen(w->folder), length = strlen(name);
  bool wide = size >= 0xffffffff || record >= 0xffffffff;
  if (!tocha_bytes_reserve(cx, d, d->size + ZIP_CENTRAL_SIZE + folder + length + WIDE))
    return false;
  char *at = d->data + d->size;
  at = put(at, ZIP_CENTRAL, 4);
  at = put(at, VERSION, 2);
  at = put_facts(at, crc, wide ? 0xffffffff : size, folder + length, wide ? WIDE : 0);
  at = put(at, 0, 6);
  at = put(at, READ_WRITE, 4);
  at = put(at, wide ? 0xffffffff : (uint64_t)record, 4);
  at = put_bytes(put_bytes(at, w->folder, folder), name, length);
  if (wide) at = put_wide(at, size, record, true);
  d->size = (size_t)(at - d->data);
  w->count++;
  return true;
}

bool tocha_zip_add(tocha_context *cx, tocha_zip_writer *w, const char *name, const void *bytes,
                   size_t length) {
  char local[ZIP_LOCAL_SIZE + 20], extra[20 + PADDING_HEAD + ALIGNMENT], *at = extra;
  int64_t record = w->sink->at - w->start, size = (int64_t)length;
  size_t folder = strlen(w->folder), named = strlen(name);
  uint32_t crc = 0;
  if (!tocha_crc32(cx, &crc, bytes, length)) return false;
  if (size >= 0xffffffff) at = put_wide(at, size, 0, false);
  int64_t begin = record + ZIP_LOCAL_SIZE + (int64_t)(folder + named) + (at - extra) + PADDING_HEAD;
  size_t padding = (size_t)(-begin & (ALIGNMENT - 1));
  at = put(at, 'F' | 'B' << 8, 2); /* the field with which PyTorch pads the data to a multiple of
                                    * 64 */
  at = put(at, padding, 2);
  memset(at, 'Z', padding);
  at += padding;
  put_facts(put(local, ZIP_LOCAL, 4), crc, size, folder + named, (size_t)(at - extra));
  w->sums = (w->sums ^ crc ^ length) * 0x9E3779B97F4A7C15u + named;
  return tocha_sink_write(cx, w->sink, local, ZIP_LOCAL_SIZE) &&
         tocha_sink_write(cx, w->sink, w->folder, folder) &&
         tocha_sink_write(cx, w->sink, name, named) &&
         tocha_sink_write(cx, w->sink, extra, (size_t)(at - extra)) &&
         tocha_sink_write(cx, w->sink, bytes, length) && list_entry(cx, w, name, crc, size, record);
}

static bool write_end(tocha_context *cx, tocha_zip_writer *w) {
  char end[ZIP_END64_SIZE + ZIP_LOCATOR64_SIZE + ZIP_END_SIZE], *at = end;
  int64_t list = w->sink->at - w->start, size = (int64_t)w->directory.size, end64 = list + size;
  bool wide = w->count >= 0xffff || end64 >= 0xffffffff;
  uint64_t count = (uint64_t)w->count;
  if (wide) {
    at = put(at, ZIP_END64, 4);
    at = put(at, ZIP_END64_SIZE - 12, 8);
    at = put(at, VERSION | VERSION << 16, 4);
    at = put(at, 0, 8);
    at = put(put(at, count, 8), count, 8);
    at = put(put(at, (uint64_t)size, 8), (uint64_t)list, 8);
    at = put(put(at, ZIP_LOCATOR64, 4), 0, 4);
    at = put(put(at, (uint64_t)end64, 8), 1, 4);
  }
  at = put(put(at, ZIP_END, 4), 0, 4);
  at = put(put(at, wide ? 0xffff : count, 2), wide ? 0xffff : count, 2);
  at = put(at, wide ? 0xffffffff : (uint64_t)size, 4);
  at = put(at, wide ? 0xffffffff : (uint64_t)list, 4);
  at = put(at, 0, 2);
  return tocha_sink_write(cx, w->sink, w->directory.data, w->directory.size) &&
         tocha_sink_write(cx, w->sink, end, (size_t)(at - end));
}

bool tocha_zip_finish(tocha_context *cx, tocha_zip_writer *w, bool done) {
  done = done && write_end(cx, w);
  tocha_bytes_free(cx, &w->directory);
  return done;
}
