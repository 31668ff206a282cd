/* kind.c: recognizes the kind of a file by its first bytes. */
#include "io/kind.h"

#include <ctype.h>
#include <string.h>

/* Kinds of files that have fixed bytes at a fixed position. */
static const struct {
  size_t at, length;
  const char *bytes;
  tocha_file_kind kind;
} kinds[] = {
#define KIND(at, bytes, name, cure)                                                                \
  {                                                                                                \
    at, sizeof bytes - 1, bytes, { name, cure }                                                    \
  }
    KIND(0, "version https://git-lfs.github.com/", "a Git LFS pointer",
         "it stands for the file itself, which `git lfs pull` fetches"),
    KIND(0, "\x89HDF\r\n\x1a\n", "an HDF5 file",
         "in Python, h5py reads it; np.savez writes its arrays for np.load"),
    KIND(0, "\x93NUMPY", "NumPy's .npy file", "np.load(path) reads it"),
    KIND(
        0, "PK\3\4", "a zip archive",
        "torch.load(path) reads PyTorch's, np.load(path) those of .npz; others are to be unpacked"),
    KIND(0, "PK\5\6", "an empty zip archive", "np.load(path) reads an empty .npz"),
    KIND(0, "\x1f\x8b", "a gzip file", "unpack it first: gunzip"),
    KIND(0, "BZh", "a bzip2 file", "unpack it first: bunzip2"),
    KIND(0,
         "\xfd"
         "7zXZ",
         "an xz file", "unpack it first: unxz"),
    KIND(0, "\x28\xb5\x2f\xfd", "a Zstandard file", "unpack it first: unzstd"),
    KIND(0, "7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it first: 7z x"),
    KIND(0, "Rar!", "a RAR archive", "unpack it first"),
    KIND(257, "ustar", "a tar archive", "unpack it first: tar xf"),
    KIND(0, "\x89PNG", "a PNG image", "torch.vision.io.read_image(path) reads it"),
    KIND(0, "\xff\xd8\xff", "a JPEG image", "torch.vision.io.read_image(path) reads it"),
    KIND(0, "GIF8", "a GIF image", "convert it to PNG"),
    KIND(0, "II*\0", "a TIFF image", "convert it to PNG"),
    KIND(0, "MM\0*", "a TIFF image", "convert it to PNG"),
    KIND(8, "WEBP", "a WebP image", "torch.vision.io.read_image(path) reads it"),
    KIND(0, "BM", "a BMP image", "torch.vision.io.read_image(path) reads it"),
    KIND(4, "ftypavif", "an AVIF image", "convert it to PNG"),
    KIND(4, "jP  ", "a JPEG 2000 image", "convert it to PNG"),
    KIND(0, "\0\0\1\0", "an icon (ICO)", "convert it to PNG"),
    KIND(4, "ftypheic", "an HEIC image", "convert it to PNG"),
    KIND(8, "WAVE", "a WAV sound", "sounds are not read here"),
    KIND(0, "fLaC", "a FLAC sound", "sounds are not read here"),
    KIND(0, "OggS", "an Ogg sound", "sounds are not read here"),
    KIND(0, "ID3", "an MP3 sound", "sounds are not read here"),
    KIND(4, "ftyp", "an MP4 video", "videos are not read here"),
    KIND(0, "%PDF", "a PDF document", "it holds no data"),
    KIND(0,
         "\x7f"
         "ELF",
         "a program or library (ELF)", "it holds no data"),
    KIND(0, "GGUF", "a GGUF model", "it is for llama.cpp; the model's .safetensors are read here"),
    KIND(4, "TFL3", "a TensorFlow Lite model", "it is not read here"),
    KIND(0, "MATLAB 5.0", "a MATLAB file", "in Python, scipy.io.loadmat reads it"),
    KIND(0, "PAR1", "a Parquet file", "in Python, pandas.read_parquet reads it"),
    KIND(0, "ARROW1", "an Arrow file", "in Python, pyarrow reads it"),
    KIND(0, "SQLite format 3", "an SQLite database", "a library of SQLite reads it"),
#undef KIND
};

static const tocha_file_kind
    html = {"a web page (HTML)", "the download was redirected or refused; fetch the file itself"},
    xml = {"an XML document", "it holds no arrays"},
    json = {"a JSON document", "it may be the index of files that lie beside it"},
    pickle = {"a plain pickle (pickle.dump)",
              "np.load(path, {allow_pickle = true}) reads it; nothing is executed"},
    legacy = {"a checkpoint of PyTorch", "torch.load(path) reads it"},
    safetensors = {"a .safetensors file", "torch.utils.safetensors.load_file(path) reads it"},
    onnx = {"an ONNX model", "it is not read here"},
    zeros = {"nothing but zeros", "it was not copied or downloaded to its end"},
    text = {"a text", "np.loadtxt and np.genfromtxt read tables of numbers"},
    nothing = {"an empty file", "it was not written, copied or downloaded to its end"};

/* Returns true if the text begins with the word, in capital or small letters. */
static bool begins(const char *at, const char *end, const char *word) {
  for (; *word; at++, word++)
    if (at == end || tolower((unsigned char)*at) != tolower((unsigned char)*word)) return false;
  return true;
}

/* Returns true if all bytes can occur in a text file. */
static bool is_text(const char *at, const char *end) {
  for (; at < end; at++)
    if ((unsigned char)*at < ' ' && (!*at || !strchr("\t\n\r\f\v", *at))) return false;
  return true;
}

static const tocha_file_kind *kind_of_text(const char *head, const char *end) {
  const char *at = head;
  if (begins(at, end, "\xef\xbb\xbf")) at += 3;
  while (at < end && strchr(" \t\r\n", *at)) at++;
  if (begins(at, end, "<!doctype html") || begins(at, end, "<html") || begins(at, end, "<head"))
    return &html;
  if (begins(at, end, "<?xml")) return &xml;
  return at < end && (*at == '{' || (*at == '[' && end - at > 1 && strchr("{\"[", at[1]))) ? &json
                                                                                           : &text;
}

static const tocha_file_kind *kind_of_bytes(const char *head, size_t length, int64_t size) {
  static const char magic[] = "\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";
  uint64_t json_length = 0;
  bool is_zero = true;
  for (size_t i = 0; i < 8 && i < length; i++)
    json_length |= (uint64_t)(unsigned char)head[i] << 8 * i;
  for (size_t i = 0; i < length; i++) is_zero &= !head[i];
  if (is_zero) return &zeros;
  if (length > 20 && head[0] == '\x80' && head[1] >= 2 && head[1] <= 5)
    return memcmp(head + 2, magic, sizeof magic - 1) == 0 ? &legacy : &pickle;
  if (length > 9 && head[8] == '{' && (size < 0 || json_length < (uint64_t)size))
    return &safetensors;
  bool versioned = length > 8 && head[0] == 8 && head[1] >= 3 && head[1] <= 20;
  return versioned && (head[2] == 0x12 || head[2] == 0x3a) ? &onnx : NULL;
}

const tocha_file_kind *tocha_kind_of_file(const char *head, size_t length, int64_t size) {
  if (!length) return &nothing;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (length >= kinds[i].at + kinds[i].length &&
        memcmp(head + kinds[i].at, kinds[i].bytes, kinds[i].length) == 0)
      return &kinds[i].kind;
  if (is_text(head, head + length)) return kind_of_text(head, head + length);
  return kind_of_bytes(head, length, size);
}

void *tocha_hint_kind(tocha_context *cx, const char *path, const char *head, size_t length,
                      int64_t size, const char *expected) {
  const tocha_file_kind *kind = tocha_kind_of_file(head, length, size);
  const char *quote = path ? "'" : "";
  if (kind && strcmp(kind->name, expected) == 0) return NULL;
  if (!kind)
    return tocha_hint(cx, "%s%.4000s%s is not %s", quote, path ? path : "this", quote, expected);
  return tocha_hint(cx, "%s%.4000s%s is %s, not %s: %s", quote, path ? path : "this", quote,
                    kind->name, expected, kind->cure);
}

const char *tocha_file_kind_name(const char *head, size_t length) {
  const tocha_file_kind *kind = head ? tocha_kind_of_file(head, length, -1) : NULL;
  return kind ? kind->name : NULL;
}

const char *tocha_file_kind_cure(const char *head, size_t length) {
  const tocha_file_kind *kind = head ? tocha_kind_of_file(head, length, -1) : NULL;
  return kind ? kind->cure : NULL;
}
