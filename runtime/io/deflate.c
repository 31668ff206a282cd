/* deflate.c: compresses by zlib, which is opened at run time. Tocha is not linked to zlib, and
 * decompresses without it. */
#include "io/deflate.h"

#include "core/context.h"
#include "core/library.h"

/* The interface of zlib.h, which has not changed since 1995. */
typedef struct z_stream {
  const unsigned char *next_in;
  unsigned avail_in;
  unsigned long total_in;
  unsigned char *next_out;
  unsigned avail_out;
  unsigned long total_out;
  const char *msg;
  void *state;
  void *(*zalloc)(void *opaque, unsigned items, unsigned size);
  void (*zfree)(void *opaque, void *address);
  void *opaque;
  int data_type;
  unsigned long adler, reserved;
} z_stream;

enum { Z_NO_FLUSH = 0, Z_FINISH = 4, Z_OK = 0, Z_STREAM_END = 1, Z_DEFLATED = 8 };

typedef struct zlib {
  const char *(*version)(void);
  int (*init)(z_stream *stream, int level, int method, int window_bits, int memory_level,
              int strategy, const char *version, int size);
  int (*deflate)(z_stream *stream, int flush);
  int (*end)(z_stream *stream);
} zlib;

static bool open_zlib(zlib *z) {
  static const char *const files[] = {"libz.so.1", "libz.so", "libz.1.dylib", "libz.dylib", NULL};
  static const tocha_symbol functions[] = {{"zlibVersion", offsetof(zlib, version)},
                                           {"deflateInit2_", offsetof(zlib, init)},
                                           {"deflate", offsetof(zlib, deflate)},
                                           {"deflateEnd", offsetof(zlib, end)}};
  void *library = tocha_open_library(NULL, files);
  return tocha_find_functions(library, functions, TOCHA_COUNT(functions), z);
}

const char *tocha_zlib_version(void) {
  zlib z;
  return open_zlib(&z) ? z.version() : NULL;
}

/* Compresses one part. Returns false if memory is short. */
static bool deflate_part(tocha_context *cx, const zlib *z, z_stream *stream, tocha_byte_block *out,
                         bool last) {
  for (;;) {
    if (!tocha_bytes_reserve(cx, out, out->size + 65536)) return false;
    size_t capacity = out->capacity - out->size;
    unsigned given = capacity < 1u << 30 ? (unsigned)capacity : 1u << 30;
    stream->next_out = (unsigned char *)out->data + out->size;
    stream->avail_out = given;
    int answer = z->deflate(stream, last ? Z_FINISH : Z_NO_FLUSH);
    out->size += given - stream->avail_out;
    if (answer == Z_STREAM_END || (answer == Z_OK && !last && !stream->avail_in)) return true;
    if (answer != Z_OK) return tocha_fail(cx, TOCHA_MEMORY_ERROR, "zlib could not compress");
  }
}

bool tocha_deflate(tocha_context *cx, const tocha_part *parts, int count, tocha_byte_block *out,
                   bool *done) {
  enum { MAX_PART = 1 << 21 }; /* bytes passed to zlib at once */
  zlib z;
  z_stream stream = {0};
  *done =
      open_zlib(&z) && z.init(&stream, -1, Z_DEFLATED, -15, 8, 0, "1.2.11", sizeof stream) == Z_OK;
  if (!*done) return true;
  bool ok = true;
  for (int i = 0; i < count && ok; i++) {
    stream.next_in = parts[i].bytes;
    for (size_t left = parts[i].length; left > 0 && ok;) {
      unsigned part = left < MAX_PART ? (unsigned)left : MAX_PART;
      stream.avail_in = part;
      left -= part;
      ok = !tocha_interrupted(cx) && deflate_part(cx, &z, &stream, out, false);
    }
  }
  ok = ok && deflate_part(cx, &z, &stream, out, true);
  z.end(&stream);
  if (!ok) tocha_bytes_free(cx, out);
  return ok;
}
