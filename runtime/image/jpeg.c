/* jpeg.c: reads and writes JPEG by libjpeg. An error in a file leaves libjpeg by longjmp, to the
 * one setjmp of each direction. Memory that a call takes is recorded in its state, and freed by
 * the function that created the state. */
#include "image/image.h"

#include "core/process.h"
#include "core/library.h"

#ifdef TOCHA_JPEG
#include <setjmp.h>
#include <string.h>

#include <jpeglib.h>

#define FUNCTION(name) __typeof__(name) *name;
typedef struct jpeg_library {
#include "image/jpeg.def"
} jpeg_library;

#if JPEG_LIB_VERSION >= 90
#define SONAME "libjpeg.so.9"
#elif JPEG_LIB_VERSION >= 80
#define SONAME "libjpeg.so.8"
#else
#define SONAME "libjpeg.so.62"
#endif
#define FUNCTION(name) {#name, offsetof(jpeg_library, name)},
static const tocha_symbol functions[] = {
#include "image/jpeg.def"
};

static bool open_jpeg(const tocha_context *cx, jpeg_library *found) {
  static const char *const names[] = {SONAME, "libjpeg.so", "libjpeg.dylib", NULL};
  void *library = tocha_open_library(cx, NULL, names);
  return tocha_find_functions(library, functions, TOCHA_COUNT(functions), found);
}

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
const char *tocha_jpeg_version(void) {
  jpeg_library found;
  if (!open_jpeg(NULL, &found)) return NULL;
#ifdef LIBJPEG_TURBO_VERSION
  return "libjpeg-turbo " TEXT(LIBJPEG_TURBO_VERSION);
#else
  return "libjpeg " TEXT(JPEG_LIB_VERSION);
#endif
}

/* --- one call ---------------------------------------------------------------------------------------- */

typedef struct state {
  struct jpeg_error_mgr errors; /* first, because libjpeg passes it as cinfo->err */
  tocha_context *cx;
  jpeg_library lib;
  jmp_buf failed;
  char message[JMSG_LENGTH_MAX]; /* libjpeg's message about an error in the file */
  struct jpeg_decompress_struct in;
  struct jpeg_compress_struct out;
  struct jpeg_source_mgr source;
  struct jpeg_destination_mgr target;
  tocha_image_bytes bytes;
  tocha_byte_block block;
  tocha_tensor *pixels, *line; /* line: of four channels, if they are converted */
  int64_t mode;
  int orientation;
} state;

static void on_error(j_common_ptr cinfo) {
  state *s = (state *)cinfo->err;
  if (!tocha_failed(s->cx)) cinfo->err->format_message(cinfo, s->message);
  longjmp(s->failed, 1);
}

static void leave(state *s, const char *message) {
  strncpy(s->message, message, sizeof s->message - 1);
  longjmp(s->failed, 1);
}

/* Ignores warnings, which report damaged data; libjpeg continues with the rest. */
static void on_message(j_common_ptr cinfo, int level) { (void)cinfo, (void)level; }
static void on_output(j_common_ptr cinfo) { (void)cinfo; }

static bool begin(state *s, tocha_context *cx) {
  memset(s, 0, sizeof *s);
  s->cx = cx;
  s->orientation = 1;
  if (!open_jpeg(cx, &s->lib)) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "libjpeg is not here (Debian: libjpeg62-turbo)");
    return tocha_hint_refused(cx);
  }
  s->lib.jpeg_std_error(&s->errors);
  s->errors.error_exit = on_error;
  s->errors.emit_message = on_message;
  s->errors.output_message = on_output;
  return true;
}

static tocha_tensor *fail(state *s, const char *where) {
  if (tocha_failed(s->cx)) return NULL;
  return tocha_fail(s->cx, TOCHA_RUNTIME_ERROR, "%s: %s", where, s->message);
}

/* --- reading ------------------------------------------------------------------------------------------ */

static void begin_source(j_decompress_ptr cinfo) { (void)cinfo; }
static void end_source(j_decompress_ptr cinfo) { (void)cinfo; }

/* Fails, because all bytes are passed at the beginning: libjpeg asks for more only if the file
 * is truncated. */
static boolean more_source(j_decompress_ptr cinfo) {
  leave((state *)cinfo->err, "Image is incomplete or truncated");
  return FALSE;
}

static void skip_source(j_decompress_ptr cinfo, long count) {
  if (count <= 0) return;
  if ((size_t)count > cinfo->src->bytes_in_buffer) more_source(cinfo);
  cinfo->src->next_input_byte += count;
  cinfo->src->bytes_in_buffer -= (size_t)count;
}

/* Returns true if the file can contain as many pixels as it states: each block of 64 takes at
 * least one bit in Huffman's coding. */
static bool check_size(state *s) {
  enum { PIXELS_A_BYTE = 8 * 64 };
  double pixels = (double)s->in.image_width * s->in.image_height;
  if (pixels <= PIXELS_A_BYTE * ((double)s->bytes.size + 64)) return true;
  tocha_fail(s->cx, TOCHA_RUNTIME_ERROR,
             "decode_jpeg: a file of %zu bytes cannot hold %u x %u pixels", s->bytes.size,
             (unsigned)s->in.image_height, (unsigned)s->in.image_width);
  return false;
}

static bool read_head(state *s) {
  enum { EXIF_HEAD = 6 };
  s->in.err = &s->errors;
  s->lib.jpeg_CreateDecompress(&s->in, JPEG_LIB_VERSION, sizeof s->in);
  s->source = (struct jpeg_source_mgr){s->bytes.data, s->bytes.size, begin_source,
                                       more_source,   skip_source,   s->lib.jpeg_resync_to_restart,
                                       end_source};
  s->in.src = &s->source;
  if (s->orientation == 0) s->lib.jpeg_save_markers(&s->in, JPEG_APP0 + 1, 0xffff);
  s->lib.jpeg_read_header(&s->in, TRUE);
  jpeg_saved_marker_ptr marker = s->in.marker_list;
  if (marker && marker->data_length > EXIF_HEAD && memcmp(marker->data, "Exif\0", EXIF_HEAD) == 0)
    s->orientation =
        tocha_exif_orientation(marker->data + EXIF_HEAD, marker->data_length - EXIF_HEAD);
  return check_size(s);
}

static uint8_t ink(int key, int ink_of_color) {
  int v = key * ink_of_color + 128;
  v = key - (((v >> 8) + v) >> 8);
  return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
}

/* Converts a line of inverted cyan, magenta, yellow and key to RGB, or to gray. */
static void convert_line(const uint8_t *from, uint8_t *to, size_t width, bool gray) {
  for (; width > 0; width--, from += 4) {
    uint8_t r = ink(from[3], 255 - from[0]), g = ink(from[3], 255 - from[1]),
            b = ink(from[3], 255 - from[2]);
    if (gray)
      *to++ = (uint8_t)((r * 19595 + g * 38470 + b * 7471 + 0x8000) >> 16);
    else
      to[0] = r, to[1] = g, to[2] = b, to += 3;
  }
}

/* Chooses the channels that libjpeg decodes. Returns their number in the image, or 0 with an
 * error. */
static int choose_channels(state *s) {
  bool inks = s->in.jpeg_color_space == JCS_CMYK || s->in.jpeg_color_space == JCS_YCCK;
  if (s->mode == TOCHA_IMAGE_UNCHANGED) return s->in.num_components;
  if (s->mode != TOCHA_IMAGE_GRAY && s->mode != TOCHA_IMAGE_RGB) {
    tocha_fail(s->cx, TOCHA_RUNTIME_ERROR, "The provided mode is not supported for JPEG files");
    return 0;
  }
  bool gray = s->mode == TOCHA_IMAGE_GRAY;
  s->in.out_color_space = inks ? JCS_CMYK : gray ? JCS_GRAYSCALE : JCS_RGB;
  return gray ? 1 : 3;
}

static bool read_lines(state *s) {
  int channels = choose_channels(s);
  if (!channels) return false;
  s->lib.jpeg_start_decompress(&s->in);
  size_t width = s->in.output_width, row = width * (size_t)channels;
  bool convert = s->in.output_components != channels;
  s->pixels =
      tocha_new_pixels(s->cx, s->in.output_height, s->in.output_width, channels, TOCHA_UINT8);
  if (convert) s->line = tocha_new_pixels(s->cx, 1, s->in.output_width, 4, TOCHA_UINT8);
  if (!s->pixels || (convert && !s->line)) return false;
  if (convert && s->in.output_components != 4) leave(s, "unknown colors");
  uint8_t *at = tocha_data(s->pixels);
  while (s->in.output_scanline < s->in.output_height) {
    if (tocha_interrupted(s->cx)) return false;
    uint8_t *line = convert ? tocha_data(s->line) : at;
    if (s->lib.jpeg_read_scanlines(&s->in, &line, 1) != 1) leave(s, "a line is missing");
    if (convert) convert_line(line, at, width, channels == 1);
    at += row;
  }
  return true;
}

static bool read_jpeg(state *s) { return !setjmp(s->failed) && read_head(s) && read_lines(s); }

tocha_tensor *tocha_decode_jpeg(tocha_context *cx, tocha_tensor *bytes, int64_t mode, bool exif) {
  state s;
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_image_bytes in = tocha_bytes_of_image(cx, bytes, "decode_jpeg");
  if (!in.data || !begin(&s, cx)) return tocha_scope_end(cx, scope, NULL);
  s.bytes = in;
  s.mode = mode;
  s.orientation = exif ? 0 : 1; /* 0: still to be read */
  bool ok = read_jpeg(&s);
  s.lib.jpeg_destroy_decompress(&s.in);
  if (!ok) fail(&s, "decode_jpeg");
  return tocha_scope_end(cx, scope, ok ? tocha_image_of_pixels(cx, s.pixels, s.orientation) : NULL);
}

/* --- writing ------------------------------------------------------------------------------------------ */

enum { STEP = 1 << 16 }; /* bytes by which libjpeg's output buffer grows */

static void give_room(state *s) {
  if (!tocha_bytes_reserve(s->cx, &s->block, s->block.size + STEP)) longjmp(s->failed, 1);
  s->target.next_output_byte = (uint8_t *)s->block.data + s->block.size;
  s->target.free_in_buffer = STEP;
}

static void begin_target(j_compress_ptr cinfo) { give_room((state *)cinfo->err); }
static boolean empty_target(j_compress_ptr cinfo) {
  state *s = (state *)cinfo->err;
  s->block.size += STEP;
  give_room(s);
  return TRUE;
}
static void end_target(j_compress_ptr cinfo) {
  state *s = (state *)cinfo->err;
  s->block.size += STEP - s->target.free_in_buffer;
}

static bool write_jpeg(state *s, int quality) {
  if (setjmp(s->failed)) return false;
  s->out.err = &s->errors;
  s->lib.jpeg_CreateCompress(&s->out, JPEG_LIB_VERSION, sizeof s->out);
  s->target.init_destination = begin_target;
  s->target.empty_output_buffer = empty_target;
  s->target.term_destination = end_target;
  s->out.dest = &s->target;
  int64_t channels = tocha_sizes(s->pixels)[2];
  s->out.image_height = (JDIMENSION)tocha_sizes(s->pixels)[0];
  s->out.image_width = (JDIMENSION)tocha_sizes(s->pixels)[1];
  s->out.input_components = (int)channels;
  s->out.in_color_space = channels == 3 ? JCS_RGB : JCS_GRAYSCALE;
  s->lib.jpeg_set_defaults(&s->out);
  s->lib.jpeg_set_quality(&s->out, quality, TRUE);
  s->lib.jpeg_start_compress(&s->out, TRUE);
  size_t row = s->out.image_width * (size_t)channels;
  for (uint8_t *at = tocha_data(s->pixels); s->out.next_scanline < s->out.image_height; at += row) {
    if (tocha_interrupted(s->cx)) return false;
    s->lib.jpeg_write_scanlines(&s->out, &at, 1);
  }
  s->lib.jpeg_finish_compress(&s->out);
  return true;
}

tocha_tensor *tocha_encode_jpeg(tocha_context *cx, tocha_tensor *image, int64_t quality) {
  state s;
  if (quality < 1 || quality > 100)
    return tocha_fail(cx, TOCHA_VALUE_ERROR,
                      "Image quality should be a positive number between 1 and 100");
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_tensor *pixels = tocha_pixels_of_image(cx, image, "encode_jpeg"), *bytes = NULL;
  if (!pixels || !begin(&s, cx)) return tocha_scope_end(cx, scope, NULL);
  if (tocha_sizes(pixels)[0] > JPEG_MAX_DIMENSION || tocha_sizes(pixels)[1] > JPEG_MAX_DIMENSION)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "encode_jpeg: Maximum supported image dimension is %d pixels",
               (int)JPEG_MAX_DIMENSION);
  s.pixels = pixels;
  bool ok = !tocha_failed(cx) && write_jpeg(&s, (int)quality);
  s.lib.jpeg_destroy_compress(&s.out);
  if (ok)
    bytes = tocha_from_buffer(cx, s.block.data, s.block.size, TOCHA_UINT8, -1, 0);
  else
    fail(&s, "encode_jpeg");
  tocha_bytes_free(cx, &s.block);
  return tocha_scope_end(cx, scope, bytes);
}

#else /* built without libjpeg */

static tocha_tensor *missing(tocha_context *cx) {
  return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                    "Tocha was built without libjpeg (Debian: libjpeg-dev, then build again)");
}
const char *tocha_jpeg_version(void) { return NULL; }
tocha_tensor *tocha_decode_jpeg(tocha_context *cx, tocha_tensor *bytes, int64_t mode, bool exif) {
  return (void)bytes, (void)mode, (void)exif, missing(cx);
}
tocha_tensor *tocha_encode_jpeg(tocha_context *cx, tocha_tensor *image, int64_t quality) {
  return (void)image, (void)quality, missing(cx);
}

#endif
