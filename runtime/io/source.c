/* source.c: reads at positions of a reader or of memory, and writes to a writer or to memory. */
#include "io/source.h"

#include <string.h>

bool tocha_source_open(tocha_context *cx, const tocha_reader *reader, tocha_source *s) {
  *s = (tocha_source){.reader = *reader};
  if (reader->seek) {
    s->base = tocha_reader_position(cx, reader);
    s->size = s->base < 0 ? 0 : tocha_bytes_left(cx, reader);
    return !tocha_failed(cx);
  }
  if (!tocha_read_rest(cx, reader, &s->block)) return false;
  s->bytes = s->block.data;
  s->size = (int64_t)s->block.size;
  return true;
}

void tocha_source_close(tocha_context *cx, tocha_source *s) { tocha_bytes_free(cx, &s->block); }

tocha_source tocha_source_of_bytes(const void *bytes, size_t length) {
  return (tocha_source){.bytes = bytes, .size = (int64_t)length};
}

bool tocha_source_read(tocha_context *cx, const tocha_source *s, int64_t at, void *to,
                       size_t length) {
  if (at < 0 || at > s->size || (uint64_t)(s->size - at) < length)
    return tocha_fail(cx, TOCHA_EOF_ERROR, "the file ends too early: it may be truncated");
  if (!length) return true;
  if (s->bytes) {
    memcpy(to, s->bytes + at, length);
    return true;
  }
  if (!tocha_seek(cx, &s->reader, s->base + at)) return false;
  size_t got = tocha_read_some(cx, &s->reader, to, length);
  return got == length || tocha_fail_shortened(cx, s->base + at + (int64_t)got);
}

uint64_t tocha_little_endian(const void *at, int bytes) {
  uint64_t value = 0;
  for (int i = bytes - 1; i >= 0; i--) value = value << 8 | ((const uint8_t *)at)[i];
  return value;
}

void tocha_swap_bytes(void *data, int64_t n, int item) {
  uint8_t *p = data;
  for (int64_t i = 0; i < n; i++, p += item)
    for (int k = 0; k < item / 2; k++) {
      uint8_t byte = p[k];
      p[k] = p[item - 1 - k];
      p[item - 1 - k] = byte;
    }
}

tocha_tensor *tocha_source_tensor(tocha_context *cx, const tocha_source *s, int64_t at, int64_t n,
                                  tocha_dtype dtype, bool swapped) {
  int64_t item = tocha_item_size(dtype);
  if (at < 0 || n < 0 || at > s->size || n > (s->size - at) / item)
    return tocha_fail(cx, TOCHA_EOF_ERROR, "the file ends too early: it may be truncated");
  tocha_tensor *t = tocha_new(cx, 1, &n, dtype, tocha_cpu());
  if (!t || !n) return t;
  if (!tocha_source_read(cx, s, at, tocha_bytes(t), (size_t)(n * item))) return NULL;
  if (swapped) tocha_swap_bytes(tocha_bytes(t), n, (int)item);
  tocha_tidy_bools(t);
  return t;
}

bool tocha_sink_write(tocha_context *cx, tocha_sink *sink, const void *bytes, size_t length) {
  if (!length) return true;
  if (sink->writer.write) {
    if (!tocha_write_all(cx, &sink->writer, bytes, length)) return false;
  } else {
    if (!tocha_bytes_reserve(cx, &sink->block, sink->block.size + length)) return false;
    memcpy(sink->block.data + sink->block.size, bytes, length);
    sink->block.size += length;
  }
  sink->at += (int64_t)length;
  return true;
}
