/* unpack.c: decompresses gzip, bzip2 and xz. gzip is decoded here; the libraries of the others are opened at run time. */
#include "io/unpack.h"

#include <string.h>

#include "core/library.h"
#include "core/process.h"
#include "io/inflate.h"

/* Returns the largest size that a file of `packed` bytes may unpack to. Files that unpack to more are hostile. */
static uint64_t max_unpacked(size_t packed) {
  return (uint64_t)packed * TOCHA_MAX_INFLATION + (1 << 20);
}

static bool starts(const tocha_byte_block *b, const char *magic, size_t length) {
  return b->size > length && memcmp(b->data, magic, length) == 0;
}

static bool fail_damaged(tocha_context *cx, const char *kind) {
  return tocha_failed(cx) ? false : tocha_fail(cx, TOCHA_OS_ERROR, "%s: the file is damaged", kind);
}

static bool fail_library(tocha_context *cx, const char *kind, const char *library,
                         const char *tool) {
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "a file that %s compressed needs its library, which is not here: %s", kind, library);
  tocha_hint_refused(cx);
  return tocha_hint(cx, "install it, or unpack the file first: %s", tool);
}

/* Enlarges `out`. Fails if a file of `packed` bytes cannot unpack to more. */
static bool grow(tocha_context *cx, tocha_byte_block *out, size_t packed) {
  uint64_t wanted = out->capacity ? 2 * (uint64_t)out->capacity : 4 * (uint64_t)packed + 65536;
  if (out->capacity >= max_unpacked(packed)) return fail_damaged(cx, "a compressed file");
  return !tocha_interrupted(cx) && tocha_bytes_reserve(cx, out, wanted);
}

/* --- bzip2 ----------------------------------------------------------------------------------------- */

/* bzlib.h's interface, which has not changed since 2000. */
typedef struct bz_stream {
  const char *next_in;
  unsigned avail_in, total_in_low, total_in_high;
  char *next_out;
  unsigned avail_out, total_out_low, total_out_high;
  void *state;
  void *(*allocate)(void *opaque, int n, int size);
  void (*free)(void *opaque, void *address);
  void *opaque;
} bz_stream;

typedef struct bzip2 {
  int (*init)(bz_stream *stream, int verbosity, int small);
  int (*decompress)(bz_stream *stream);
  int (*end)(bz_stream *stream);
} bzip2;

enum { BZ_OK = 0, BZ_STREAM_END = 4, AT_ONCE = 1 << 28 };

/* Unpacks one stream from *at on. A file may consist of several streams. */
static bool bunzip2_stream(tocha_context *cx, const bzip2 *z, const tocha_byte_block *in,
                           size_t *at, tocha_byte_block *out) {
  bz_stream s = {0};
  int answer = z->init(&s, 0, 0);
  while (answer == BZ_OK) {
    if (out->size == out->capacity && !grow(cx, out, in->size)) break;
    size_t capacity = out->capacity - out->size, left = in->size - *at;
    unsigned given_in = left < AT_ONCE ? (unsigned)left : AT_ONCE;
    unsigned given_out = capacity < AT_ONCE ? (unsigned)capacity : AT_ONCE;
    s.next_in = in->data + *at, s.avail_in = given_in;
    s.next_out = out->data + out->size, s.avail_out = given_out;
    answer = z->decompress(&s);
    *at += given_in - s.avail_in;
    out->size += given_out - s.avail_out;
    if (answer == BZ_OK && given_in == s.avail_in && given_out == s.avail_out)
      break; /* the stream is truncated */
  }
  z->end(&s);
  return answer == BZ_STREAM_END || fail_damaged(cx, "bzip2");
}

static bool bunzip2(tocha_context *cx, const tocha_byte_block *in, tocha_byte_block *out) {
  static const char *const files[] = {"libbz2.so.1.0", "libbz2.so.1", "libbz2.so", "libbz2.dylib",
                                      NULL};
  static const tocha_symbol functions[] = {{"BZ2_bzDecompressInit", offsetof(bzip2, init)},
                                           {"BZ2_bzDecompress", offsetof(bzip2, decompress)},
                                           {"BZ2_bzDecompressEnd", offsetof(bzip2, end)}};
  bzip2 z;
  size_t at = 0;
  if (!tocha_find_functions(tocha_open_library(cx, NULL, files), functions, TOCHA_COUNT(functions),
                            &z))
    return fail_library(cx, "bzip2", "libbz2 (Debian: libbz2-1.0)", "bunzip2");
  do {
    if (!bunzip2_stream(cx, &z, in, &at, out)) return false;
  } while (at < in->size);
  return true;
}

/* --- xz -------------------------------------------------------------------------------------------- */

typedef struct xz {
  int (*decode)(uint64_t *memory, uint32_t flags, const void *allocator, const uint8_t *in,
                size_t *in_at, size_t in_size, uint8_t *out, size_t *out_at, size_t out_size);
} xz;

enum { LZMA_OK = 0, LZMA_BUF_ERROR = 10, LZMA_CONCATENATED = 8 };

static bool unxz(tocha_context *cx, const tocha_byte_block *in, tocha_byte_block *out) {
  static const char *const files[] = {"liblzma.so.5", "liblzma.so", "liblzma.5.dylib",
                                      "liblzma.dylib", NULL};
  static const tocha_symbol functions[] = {{"lzma_stream_buffer_decode", offsetof(xz, decode)}};
  xz z;
  if (!tocha_find_functions(tocha_open_library(cx, NULL, files), functions, TOCHA_COUNT(functions),
                            &z))
    return fail_library(cx, "xz", "liblzma (Debian: liblzma5)", "unxz");
  for (;;) { /* the size is not known in advance: restart with more room if needed */
    uint64_t memory = UINT64_MAX;
    size_t in_at = 0, out_at = 0;
    if (!grow(cx, out, in->size)) return false;
    int answer = z.decode(&memory, LZMA_CONCATENATED, NULL, (const uint8_t *)in->data, &in_at,
                          in->size, (uint8_t *)out->data, &out_at, out->capacity);
    out->size = out_at;
    if (answer == LZMA_OK) return true;
    out->size = 0;
    if (answer != LZMA_BUF_ERROR) return fail_damaged(cx, "xz");
  }
}

bool tocha_unpack(tocha_context *cx, tocha_byte_block *block) {
  tocha_byte_block out = {NULL, 0, 0};
  bool gzip = starts(block, "\x1f\x8b\x08", 3), bz2 = starts(block, "BZh", 3) && block->size > 10;
  bool is_xz = starts(block,
                      "\xfd"
                      "7zXZ\0",
                      6);
  if (bz2)
    bz2 = memcmp(block->data + 4, "1AY&SY", 6) == 0 ||
          memcmp(block->data + 4, "\x17rE8P\x90", 6) == 0;
  if (!gzip && !bz2 && !is_xz) return true;
  bool done = gzip  ? tocha_gunzip_bytes(cx, (const uint8_t *)block->data, block->size, &out)
              : bz2 ? bunzip2(cx, block, &out)
                    : unxz(cx, block, &out);
  tocha_bytes_free(cx, done ? block : &out);
  if (done) *block = out;
  return done;
}
