/* png.c: reads and writes PNG by libpng. An error in a file leaves libpng by longjmp, to the one
 * setjmp of each direction. Memory that a call takes is recorded in its state, and freed by the
 * function that created the state. */
#include "image/image.h"

#include "core/context.h"
#include "core/library.h"

#ifdef TOCHA_PNG
#include <png.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <string.h>

#define FUNCTION(name) __typeof__(name) *name;
typedef struct png_library {
#include "image/png.def"
} png_library;

#define FUNCTION(name) {#name, offsetof(png_library, name)},
static const tocha_symbol functions[] = {
#include "image/png.def"
};

/* Finds the state of a call in libpng's object, the only argument of callbacks. The function is
 * the same in every context. */
typedef __typeof__(png_get_error_ptr) *state_getter;
static _Atomic(state_getter) get_state;

static bool open_png(png_library *found) {
  static const char *const names[] = {"libpng16.so.16", "libpng16.so", "libpng16.16.dylib",
                                      "libpng16.dylib", NULL};
  void *library = tocha_open_library(NULL, names);
  if (!tocha_find_functions(library, functions, TOCHA_COUNT(functions), found)) return false;
  get_state = found->png_get_error_ptr;
  return true;
}

const char *tocha_png_version(void) {
  png_library found;
  return open_png(&found) ? found.png_get_libpng_ver(NULL) : NULL;
}

/* --- one call ---------------------------------------------------------------------------------------- */

typedef struct state {
  tocha_context *cx;
  png_library lib;
  png_structp png;
  png_infop info;
  jmp_buf failed;
  char message[128];    /* libpng's message about an error in the file */
  tocha_image_bytes in; /* the bytes that are still to be read */
  tocha_byte_block out;
  tocha_tensor *pixels;
  png_uint_32 width, height;
  int64_t mode;
  int orientation;
} state;

static PNG_NORETURN void on_error(png_structp png, png_const_charp message) {
  state *s = get_state(png);
  strncpy(s->message, message, sizeof s->message - 1);
  longjmp(s->failed, 1);
}

static void on_warning(png_structp png, png_const_charp message) { (void)png, (void)message; }

static void read_bytes(png_structp png, png_bytep to, size_t length) {
  state *s = get_state(png);
  if (length > s->in.size) on_error(png, "PNG file is truncated");
  memcpy(to, s->in.data, length);
  s->in.data += length;
  s->in.size -= length;
}

static void write_bytes(png_structp png, png_bytep from, size_t length) {
  state *s = get_state(png);
  if (!tocha_bytes_reserve(s->cx, &s->out, s->out.size + length)) longjmp(s->failed, 1);
  memcpy(s->out.data + s->out.size, from, length);
  s->out.size += length;
}

static void flush_bytes(png_structp png) { (void)png; }

/* Fails with libpng's message, unless the context already has an error. */
static tocha_tensor *fail(state *s, const char *where) {
  if (tocha_failed(s->cx)) return NULL;
  return tocha_fail(s->cx, TOCHA_RUNTIME_ERROR, "%s: %s", where,
                    s->message[0] ? s->message : "out of memory");
}

static bool begin(state *s, tocha_context *cx) {
  memset(s, 0, sizeof *s);
  s->cx = cx;
  s->orientation = 1;
  if (open_png(&s->lib)) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "libpng is not here (Debian: libpng16-16)");
  return false;
}

/* --- reading ------------------------------------------------------------------------------------------ */

/* Asks libpng for the channels of a mode. `alpha`: the file has an alpha channel. */
static void choose_channels(state *s, int color, int depth) {
  bool alpha = color & PNG_COLOR_MASK_ALPHA, colors = color & PNG_COLOR_MASK_COLOR;
  bool wants_alpha = s->mode == TOCHA_IMAGE_GRAY_ALPHA || s->mode == TOCHA_IMAGE_RGB_ALPHA;
  bool wants_colors = s->mode == TOCHA_IMAGE_RGB || s->mode == TOCHA_IMAGE_RGB_ALPHA;
  bool palette = color & PNG_COLOR_MASK_PALETTE;
  if (palette) s->lib.png_set_palette_to_rgb(s->png);
  if (alpha && !wants_alpha) s->lib.png_set_strip_alpha(s->png);
  if (palette && !wants_alpha) s->lib.png_set_strip_alpha(s->png); /* the palette may have alpha */
  if (colors && !wants_colors) s->lib.png_set_rgb_to_gray(s->png, 1, 0.2989, 0.587);
  if (!colors && wants_colors) s->lib.png_set_gray_to_rgb(s->png);
  if (!alpha && wants_alpha)
    s->lib.png_set_add_alpha(s->png, depth == 16 ? 65535 : 255, PNG_FILLER_AFTER);
}

/* Returns true if the file can contain as many pixels as it states: a deflated byte stands for
 * at most 1032 bytes. */
static bool check_size(state *s, int channels, int depth) {
  enum { INFLATION = 1032 };
  double row = ((double)s->width * channels * depth + 7) / 8;
  if (row * s->height <= (double)INFLATION * ((double)s->in.size + 64)) return true;
  tocha_fail(s->cx, TOCHA_RUNTIME_ERROR,
             "decode_png: a file of %zu more bytes cannot hold %u x %u pixels", s->in.size,
             (unsigned)s->height, (unsigned)s->width);
  return false;
}

static bool read_head(state *s) {
  int depth = 0, color = 0;
  s->lib.png_set_read_fn(s->png, s, read_bytes);
  s->lib.png_set_user_limits(s->png, 0x7fffffff, 0x7fffffff);
  s->lib.png_set_chunk_malloc_max(s->png, s->in.size * 8 + 65536);
  /* libpng before 1.6.47 applies the gamma of a profile that it recognizes as sRGB, which
   * changes the gray of its colors */
  s->lib.png_set_option(s->png, PNG_SKIP_sRGB_CHECK_PROFILE, PNG_OPTION_ON);
  s->lib.png_read_info(s->png, s->info);
  s->lib.png_get_IHDR(s->png, s->info, &s->width, &s->height, &depth, &color, NULL, NULL, NULL);
  if (!check_size(s, s->lib.png_get_channels(s->png, s->info), depth)) return false;
  png_uint_32 length = 0;
  png_bytep exif = NULL;
  if (s->orientation == 0) s->lib.png_get_eXIf_1(s->png, s->info, &length, &exif);
  s->orientation = exif ? tocha_exif_orientation(exif, length) : 1;
  if (depth < 8 && color == PNG_COLOR_TYPE_GRAY) s->lib.png_set_expand_gray_1_2_4_to_8(s->png);
  if (depth < 8) s->lib.png_set_packing(s->png);
  if (s->mode != TOCHA_IMAGE_UNCHANGED) choose_channels(s, color, depth);
  return true;
}

/* Reads the rows of the file into s->pixels: bytes, or two bytes per number, the high byte
 * first. */
static bool read_rows(state *s) {
  int passes = s->lib.png_set_interlace_handling(s->png);
  s->lib.png_read_update_info(s->png, s->info);
  int channels = s->lib.png_get_channels(s->png, s->info);
  size_t row = s->lib.png_get_rowbytes(s->png, s->info);
  size_t item = row / ((size_t)s->width * (size_t)channels); /* bytes per number */
  s->pixels = tocha_new_pixels(s->cx, s->height, s->width, channels * (int64_t)item, TOCHA_UINT8);
  if (!s->pixels) return false;
  uint8_t *at = tocha_data(s->pixels);
  memset(at, 0, row * s->height);
  for (int pass = 0; pass < passes; pass++)
    for (size_t y = 0; y < s->height && !tocha_interrupted(s->cx); y++)
      s->lib.png_read_row(s->png, at + y * row, NULL);
  if (tocha_failed(s->cx)) return false;
  if (item == 2) {
    tocha_tensor *wide = tocha_new_pixels(s->cx, s->height, s->width, channels, TOCHA_INT32);
    if (!wide) return false;
    int32_t *to = tocha_data(wide);
    for (size_t i = 0, n = row / 2 * s->height; i < n; i++) to[i] = at[2 * i] << 8 | at[2 * i + 1];
    s->pixels = wide;
  }
  return true;
}

/* Reads the file. libpng's errors all return to the setjmp here. */
static bool read_png(state *s) {
  if (setjmp(s->failed)) return false;
  s->png = s->lib.png_create_read_struct(PNG_LIBPNG_VER_STRING, s, on_error, on_warning);
  if (!s->png) return false;
  s->info = s->lib.png_create_info_struct(s->png);
  return s->info && read_head(s) && read_rows(s);
}

tocha_tensor *tocha_decode_png(tocha_context *cx, tocha_tensor *bytes, int64_t mode, bool exif) {
  static const uint8_t magic[4] = {0x89, 'P', 'N', 'G'};
  state s;
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_image_bytes in = tocha_bytes_of_image(cx, bytes, "decode_png");
  if (!in.data || !begin(&s, cx)) return tocha_scope_end(cx, scope, NULL);
  if (mode < TOCHA_IMAGE_UNCHANGED || mode > TOCHA_IMAGE_RGB_ALPHA)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "The provided mode is not supported for PNG files");
  else if (in.size < sizeof magic || memcmp(in.data, magic, sizeof magic) != 0)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Content is not png!");
  s.in = in;
  s.mode = mode;
  s.orientation = exif ? 0 : 1; /* 0: still to be read */
  bool ok = !tocha_failed(cx) && read_png(&s);
  if (s.png) s.lib.png_destroy_read_struct(&s.png, s.info ? &s.info : NULL, NULL);
  if (!ok) fail(&s, "decode_png");
  return tocha_scope_end(cx, scope, ok ? tocha_image_of_pixels(cx, s.pixels, s.orientation) : NULL);
}

/* --- writing ------------------------------------------------------------------------------------------ */

static bool write_png(state *s, int compression) {
  if (setjmp(s->failed)) return false;
  s->png = s->lib.png_create_write_struct(PNG_LIBPNG_VER_STRING, s, on_error, on_warning);
  if (!s->png) return false;
  s->info = s->lib.png_create_info_struct(s->png);
  if (!s->info) return false;
  size_t channels = (size_t)tocha_sizes(s->pixels)[2], row = s->width * channels;
  const uint8_t *at = tocha_data(s->pixels);
  s->lib.png_set_write_fn(s->png, s, write_bytes, flush_bytes);
  s->lib.png_set_IHDR(s->png, s->info, s->width, s->height, 8,
                      channels == 3 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE,
                      PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  s->lib.png_set_compression_level(s->png, compression);
  s->lib.png_write_info(s->png, s->info);
  for (size_t y = 0; y < s->height && !tocha_interrupted(s->cx); y++)
    s->lib.png_write_row(s->png, at + y * row);
  if (tocha_failed(s->cx)) return false;
  s->lib.png_write_end(s->png, s->info);
  return true;
}

tocha_tensor *tocha_encode_png(tocha_context *cx, tocha_tensor *image, int64_t compression) {
  state s;
  if (compression < 0 || compression > 9)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Compression level should be between 0 and 9");
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_tensor *pixels = tocha_pixels_of_image(cx, image, "encode_png"), *bytes = NULL;
  if (!pixels || !begin(&s, cx)) return tocha_scope_end(cx, scope, NULL);
  int64_t height = tocha_sizes(pixels)[0], width = tocha_sizes(pixels)[1];
  s.pixels = pixels;
  s.height = height <= PNG_UINT_31_MAX ? (png_uint_32)height : 0; /* libpng refuses 0 */
  s.width = width <= PNG_UINT_31_MAX ? (png_uint_32)width : 0;
  bool ok = write_png(&s, (int)compression);
  if (s.png) s.lib.png_destroy_write_struct(&s.png, s.info ? &s.info : NULL);
  if (ok)
    bytes = tocha_from_buffer(cx, s.out.data, s.out.size, TOCHA_UINT8, -1, 0);
  else
    fail(&s, "encode_png");
  tocha_bytes_free(cx, &s.out);
  return tocha_scope_end(cx, scope, bytes);
}

#else /* built without libpng */

static tocha_tensor *missing(tocha_context *cx) {
  return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                    "Tocha was built without libpng (Debian: libpng-dev, then build again)");
}
const char *tocha_png_version(void) { return NULL; }
tocha_tensor *tocha_decode_png(tocha_context *cx, tocha_tensor *bytes, int64_t mode, bool exif) {
  return (void)bytes, (void)mode, (void)exif, missing(cx);
}
tocha_tensor *tocha_encode_png(tocha_context *cx, tocha_tensor *image, int64_t compression) {
  return (void)image, (void)compression, missing(cx);
}

#endif
