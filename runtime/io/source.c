/* source.c: reads at positions of a file or of memory, and writes to either. */
#include "io/source.h"

#include <errno.h>
#include <string.h>

#include "platform/platform.h"

bool tocha_source_of_file(tocha_context *cx, FILE *file, tocha_byte_block *block, tocha_source *s) {
  *s = (tocha_source){file, NULL, NULL, 0, tocha_bytes_left(file)};
  if (s->size >= 0) {
    s->base = platform_tell(file);
    return true;
  }
  if (!tocha_read_rest(cx, file, block)) return false;
  *s = (tocha_source){NULL, NULL, block->data, 0, (int64_t)block->size};
  return true;
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
  if (!platform_seek(s->file, s->base + at, SEEK_SET)) return tocha_fail_os(cx, errno);
  if (tocha_read_file(cx, s->file, to, length) < length && !tocha_failed(cx))
    tocha_fail_os(cx, EIO); /* the file was shortened meanwhile */
  return !tocha_failed(cx);
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
  if (sink->file) {
    if (!tocha_write_file(cx, sink->file, bytes, length)) return false;
  } else {
    if (!tocha_bytes_reserve(cx, &sink->block, sink->block.size + length)) return false;
    memcpy(sink->block.data + sink->block.size, bytes, length);
    sink->block.size += length;
  }
  sink->at += (int64_t)length;
  return true;
}
