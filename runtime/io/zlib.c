/* zlib.c: writes bytes in zlib's format (RFC 1950): deflated, between a head and a checksum. */
#include <string.h>

#include "core/context.h"
#include "io/deflate.h"

static uint32_t adler_of(const uint8_t *bytes, size_t length) {
  enum { MODULUS = 65521, AT_ONCE = 5552 }; /* so many sums stay below 2^32 */
  uint32_t a = 1, b = 0;
  while (length > 0) {
    size_t part = length < AT_ONCE ? length : AT_ONCE;
    for (size_t i = 0; i < part; i++) b += a += bytes[i];
    a %= MODULUS, b %= MODULUS;
    bytes += part, length -= part;
  }
  return b << 16 | a;
}

bool tocha_zlib_append(tocha_context *cx, const void *bytes, size_t length, int level,
                       tocha_byte_block *out) {
  static const char head[2] = {0x78, 0x01};
  tocha_part part = {bytes, length};
  if (!tocha_bytes_reserve(cx, out, (uint64_t)out->size + sizeof head)) return false;
  memcpy(out->data + out->size, head, sizeof head);
  out->size += sizeof head;
  if (!tocha_deflate(cx, &part, 1, level, out) || !tocha_bytes_reserve(cx, out, out->size + 4))
    return false;
  uint32_t sum = adler_of(bytes, length);
  for (int shift = 24; shift >= 0; shift -= 8) out->data[out->size++] = (char)(sum >> shift);
  return true;
}

tocha_tensor *tocha_compress(tocha_context *cx, tocha_tensor *bytes, int level) {
  if (!bytes) return tocha_refuse_none(cx, "compress", "bytes", "a tensor");
  if (level < 0 || level > 9)
    return tocha_fail(cx, TOCHA_VALUE_ERROR, "Bad compression level: %d is not from 0 to 9", level);
  if (bytes->dtype != TOCHA_UINT8 || bytes->ndim != 1 || bytes->device.type != TOCHA_CPU ||
      !tocha_is_contiguous(bytes))
    return tocha_fail(cx, TOCHA_TYPE_ERROR,
                      "compress: bytes must be a uint8 tensor of one dimension");
  tocha_byte_block out = {NULL, 0, 0};
  tocha_tensor *packed = NULL;
  if (tocha_zlib_append(cx, tocha_data(bytes), (size_t)tocha_numel(bytes), level, &out))
    packed = tocha_from_buffer(cx, out.data, out.size, TOCHA_UINT8, -1, 0);
  tocha_bytes_free(cx, &out);
  return packed;
}
