/* load.c: finds the format of a file, and loads the values that it contains. */
#include <errno.h>
#include <string.h>

#include "core/confine.h"
#include "io/kind.h"
#include "io/npy.h"
#include "serialization/pickle.h"
#include "serialization/safetensors.h"
#include "tensor/copy.h"

enum {
  HEAD = TOCHA_KIND_HEAD,
  SLACK = 1 << 24,
  MAX_RATIO = 8,
  VERSION_OF_LEGACY = 1001,
  FOLDER_ROOM = 256
};

static const char MAGIC[] = "\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.";

static bool fail_file(tocha_context *cx, const char *problem) {
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s", problem);
  return false;
}

/* Returns the bytes that the values of a file of `size` bytes may take. A reader's size may be anything. */
static int64_t max_bytes_of(int64_t size) {
  return size > INT64_MAX / MAX_RATIO ? INT64_MAX : MAX_RATIO * size;
}

/* --- the zip format --------------------------------------------------------------------------------------------- */

static bool is_npz(const tocha_zip *zip) {
  const char *name = zip->count ? tocha_zip_name(zip, 0) : "", *end = strrchr(name, '.');
  return end && strcmp(end, ".npy") == 0;
}

/* Finds the folder of the archive: the prefix of "data.pkl". */
static bool find_folder(tocha_loader *l, char folder[FOLDER_ROOM]) {
  static const char data[] = "data.pkl";
  for (int64_t i = 0; i < l->zip->count; i++) {
    const char *name = tocha_zip_name(l->zip, i), *slash = strchr(name, '/');
    size_t before = slash ? (size_t)(slash - name) + 1 : 0;
    if (strcmp(name + before, data) != 0 || before >= FOLDER_ROOM - sizeof "constants.pkl")
      continue;
    memcpy(folder, name, before);
    folder[before] = '\0';
    char constants[FOLDER_ROOM];
    memcpy(constants, folder, before);
    strcpy(constants + before, "constants.pkl");
    if (!tocha_zip_find(l->zip, constants)) return true;
    fail_file(l->cx, "Cannot use ``weights_only=True`` with TorchScript archives passed to "
                     "``torch.load``.");
    return tocha_hint(l->cx, "a TorchScript archive holds a program; in Python: "
                             "torch.save(torch.jit.load(f).state_dict(), g)");
  }
  fail_file(l->cx, "PytorchStreamReader failed locating file data.pkl: file not found");
  return tocha_hint(l->cx, "this zip archive was not written by torch.save%s",
                    is_npz(l->zip) ? "; np.load(path) reads it: it is an .npz" : "");
}

/* Reads "little" or "big". */
static bool read_byte_order(tocha_loader *l) {
  char name[FOLDER_ROOM + 16], text[8] = "little";
  strcpy(name, l->folder);
  strcat(name, "byteorder");
  tocha_zip_entry *e = tocha_zip_find(l->zip, name);
  if (e && (e->size >= (int64_t)sizeof text || !tocha_zip_read(l->cx, l->zip, e, text)))
    return fail_file(l->cx, "Unknown endianness type");
  if (e) text[e->size] = '\0';
  bool big = strcmp(text, "big") == 0;
  l->swapped = big == tocha_is_little_endian();
  return big || strcmp(text, "little") == 0 || fail_file(l->cx, "Unknown endianness type");
}

static const tocha_value *read_pickle_entry(tocha_loader *l) {
  char name[FOLDER_ROOM + 16];
  strcpy(name, l->folder);
  strcat(name, "data.pkl");
  tocha_zip_entry *e = tocha_zip_find(l->zip, name);
  const tocha_value *root = NULL;
  if (!tocha_zip_locate(l->cx, l->zip, e)) return NULL;
  if (!e->method) {
    int64_t at = e->at;
    return tocha_zip_check(l->cx, l->zip, e) ? tocha_unpickle(l, l->source, &at, e->at + e->size)
                                             : NULL;
  }
  tocha_byte_block block = {NULL, 0, 0};
  int64_t at = 0;
  if (e->size > l->max_bytes)
    return tocha_fail(l->cx, TOCHA_RUNTIME_ERROR, "data.pkl is too large");
  l->max_bytes -= e->size;
  if (tocha_bytes_reserve(l->cx, &block, (uint64_t)e->size + 1) &&
      tocha_zip_read(l->cx, l->zip, e, block.data)) {
    tocha_source inflated = tocha_source_of_bytes(block.data, (size_t)e->size);
    root = tocha_unpickle(l, &inflated, &at, e->size);
  }
  tocha_bytes_free(l->cx, &block);
  return root;
}

/* Fails with PyTorch's message. */
static void *fail_archive(tocha_context *cx, tocha_zip_problem problem, const char *name) {
  static const char corrupted[] = "invalid header or archive is corrupted";
  static const char *const words[] = {
      [ZIP_NO_DIRECTORY] = "failed finding central directory",
      [ZIP_BAD_MAGIC] = corrupted,
      [ZIP_BAD_DIRECTORY] = corrupted,
      [ZIP_ENCRYPTED] = "it is encrypted",
      [ZIP_UNKNOWN_METHOD] = "unsupported compression method",
      [ZIP_BAD_SIZES] = corrupted,
      [ZIP_BAD_HEADER] = corrupted,
      [ZIP_BAD_DATA] = "decompression failed",
      [ZIP_BAD_SUM] = "file read failed (bad CRC-32)",
  };
  return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "PytorchStreamReader failed reading %s%.200s: %s",
                    name ? "file " : "zip archive", name ? name : "", words[problem]);
}

static const tocha_zip_kind CHECKPOINT = {fail_archive, true};

static const tocha_value *load_zip(tocha_loader *l) {
  tocha_zip zip;
  char folder[FOLDER_ROOM];
  const tocha_value *root = NULL;
  if (!tocha_zip_open(l->cx, &zip, l->source, &CHECKPOINT)) return NULL;
  l->zip = &zip;
  l->folder = folder;
  l->max_bytes = max_bytes_of(l->source->size);
  if (find_folder(l, folder) && read_byte_order(l)) root = read_pickle_entry(l);
  if (root && !tocha_convert_pending(l)) root = NULL;
  tocha_zip_close(l->cx, &zip);
  l->zip = NULL;
  l->folder = NULL;
  return root;
}

/* --- the format before 1.6: consecutive pickles, then the bytes of storages ------------------- */

static bool fill_storage(tocha_loader *l, const tocha_value *key, int64_t *at) {
  uint8_t raw[8];
  const char *name = tocha_value_text(key, NULL);
  tocha_stored *s = name ? tocha_find_stored(l, name) : NULL;
  if (!s) return fail_file(l->cx, "storage has wrong key: the file is corrupted");
  tocha_dtype dtype = (tocha_dtype)s->base->dtype;
  if (!tocha_source_read(l->cx, l->source, *at, raw, sizeof raw)) return false;
  if (l->swapped) tocha_swap_bytes(raw, 1, sizeof raw);
  *at += (int64_t)sizeof raw;
  uint64_t count = tocha_little_endian(raw, 8);
  if (!tocha_is_little_endian()) tocha_swap_bytes(&count, 1, sizeof count);
  if (count != (uint64_t)s->count)
    return fail_file(l->cx, "storage has wrong byte size: the file is corrupted");
  tocha_scope scope = tocha_scope_begin(l->cx);
  tocha_tensor *t = tocha_source_tensor(l->cx, l->source, *at, s->base->numel, dtype, l->swapped);
  bool done = t && (s->base->device.type == TOCHA_META || tocha_copy_data(l->cx, s->base, t));
  tocha_scope_end(l->cx, scope, NULL);
  *at += s->base->numel * tocha_item_size(dtype);
  return done;
}

static bool read_system(tocha_loader *l, int64_t *at) {
  int64_t size = l->source->size;
  const tocha_value *magic = tocha_unpickle(l, l->source, at, size);
  const tocha_value *version = magic ? tocha_unpickle(l, l->source, at, size) : NULL;
  const tocha_value *system = version ? tocha_unpickle(l, l->source, at, size) : NULL;
  if (!system) return false;
  if (tocha_value_int(version) != VERSION_OF_LEGACY)
    return tocha_fail(l->cx, TOCHA_RUNTIME_ERROR, "Invalid protocol version: %lld",
                      (long long)tocha_value_int(version));
  const tocha_value *little = tocha_value_find(system, "little_endian");
  bool file_is_little = !little || tocha_value_bool(little);
  l->swapped = file_is_little != tocha_is_little_endian();
  return true;
}

static void *fail_mmap(tocha_loader *l) {
  return tocha_fail(
      l->cx, TOCHA_RUNTIME_ERROR,
      "mmap can only be used with files saved with `torch.save(%.4000s, "
      "_use_new_zipfile_serialization=True), please torch.save your checkpoint with this option "
      "in order to use mmap.",
      l->source->path ? l->source->path : "");
}

static const tocha_value *load_legacy(tocha_loader *l, int64_t *at) {
  *at = 0;
  if (l->options->mmap) return fail_mmap(l);
  if (!read_system(l, at)) return NULL;
  l->max_bytes = l->source->size - *at;
  const tocha_value *root = tocha_unpickle(l, l->source, at, l->source->size);
  const tocha_value *keys = root ? tocha_unpickle(l, l->source, at, l->source->size) : NULL;
  if (!keys) return NULL;
  if (keys->kind != TOCHA_VALUE_LIST || (size_t)tocha_value_count(keys) != l->stored_count) {
    fail_file(l->cx, "the list of storages does not fit the tensors: the file is corrupted");
    return NULL;
  }
  for (int64_t i = 0; i < tocha_value_count(keys); i++)
    if (!fill_storage(l, tocha_value_item(keys, i), at)) return NULL;
  return tocha_convert_pending(l) ? root : NULL;
}

/* --- finding the format ----------------------------------------------------------------------- */

static const tocha_value *load_safetensors(tocha_loader *l) {
  if (l->options->mmap) return fail_mmap(l);
  if (!l->options->place) return tocha_load_safetensors(l);
  return tocha_fail(
      l->cx, TOCHA_TYPE_ERROR,
      "map_location must be a device for a .safetensors file, which says of no tensor "
      "where it was");
}

/* Returns true if a file is of the old format: it begins with a pickle, of any protocol, of the format's magic number.
 * Protocols 4 and 5 put the number into a frame. */
static bool is_legacy(const char *head) {
  enum { FRAME = 9 };
  if (head[0] != '\x80') return false;
  const char *at = head + 2 + (head[2] == '\x95' ? FRAME : 0);
  return memcmp(at, MAGIC, sizeof MAGIC - 1) == 0;
}

static const tocha_value *load_any(tocha_loader *l, int64_t *used) {
  char head[HEAD] = {0};
  int64_t size = l->source->size;
  size_t length = size < HEAD ? (size_t)size : HEAD;
  *used = size;
  if (!tocha_source_read(l->cx, l->source, 0, head, length)) return NULL;
  if (memcmp(head, "PK\3\4", 4) == 0) return load_zip(l);
  if (is_legacy(head)) return load_legacy(l, used);
  if (tocha_is_safetensors(head, length, size)) return load_safetensors(l);
  if (!length)
    tocha_fail(l->cx, TOCHA_EOF_ERROR, "Ran out of input");
  else if (memcmp(head + 257, "ustar", 5) == 0)
    fail_file(l->cx, "this is the .tar format of PyTorch before 0.2, which is not read");
  else
    fail_file(l->cx, "Invalid magic number; corrupt file?");
  if (memcmp(head + 257, "ustar", 5) == 0)
    return tocha_hint(l->cx, "in Python: torch.save(torch.load(f, weights_only=False), f)");
  return tocha_hint_kind(l->cx, l->source->path, head, length, size, "a checkpoint");
}

/* Adds the kind of the file as a hint to the pending error, unless it has a hint. */
static void hint_file(tocha_loader *l) {
  const char *path = l->source->path;
  if (!path || !tocha_failed(l->cx)) return;
  bool cut = tocha_error(l->cx)->code == TOCHA_EOF_ERROR ||
             strstr(tocha_error(l->cx)->message, "central directory");
  tocha_hint(l->cx, "the file is '%.4000s', of %lld bytes%s", path, (long long)l->source->size,
             cut ? "; its end seems to be missing" : "");
}

typedef const tocha_value *parser(tocha_loader *l, int64_t *used);

/* Reads a pickle or an .npy file from memory. */
static const tocha_value *load_plain(tocha_loader *l, int64_t *used) {
  const char *bytes = l->source->bytes;
  *used = 0;
  return tocha_npy_is_magic(bytes, (size_t)l->source->size)
             ? tocha_numpy_file(l, bytes, (size_t)l->source->size)
             : tocha_unpickle(l, l->source, used, l->source->size);
}

static tocha_checkpoint *load_source(tocha_context *cx, const tocha_source *source,
                                     const tocha_load_options *options, parser *read,
                                     int64_t *used) {
  static const tocha_load_options usual;
  tocha_checkpoint *c = tocha_checkpoint_new(cx);
  if (!c) return NULL;
  c->budget = (uint64_t)max_bytes_of(source->size) + SLACK;
  c->any_keys = true;
  tocha_loader l = {.cx = cx, .options = options ? options : &usual, .source = source, .out = c};
  tocha_scope scope = tocha_scope_begin(cx);
  c->root = read(&l, used);
  hint_file(&l);
  tocha_scope_end(cx, scope, NULL);
  tocha_loader_free(&l);
  c->budget = UINT64_MAX;
  c->any_keys = false;
  if (c->root && !tocha_failed(cx)) return c;
  tocha_checkpoint_free(c);
  return NULL;
}

static tocha_checkpoint *load_memory(tocha_context *cx, const void *bytes, size_t length,
                                     const tocha_load_options *options, parser *read) {
  int64_t used;
  if (tocha_failed(cx)) return NULL;
  if (!bytes) return tocha_refuse_none(cx, "load", "bytes", "bytes");
  tocha_source source = tocha_source_of_bytes(bytes, length);
  return load_source(cx, &source, options, read, &used);
}

tocha_checkpoint *tocha_load_bytes(tocha_context *cx, const void *bytes, size_t length,
                                   const tocha_load_options *options) {
  return load_memory(cx, bytes, length, options, load_any);
}

tocha_checkpoint *tocha_load_pickle(tocha_context *cx, const void *bytes, size_t length,
                                    const tocha_load_options *options) {
  return load_memory(cx, bytes, length, options, load_plain);
}

/* Loads from a reader's position. path: the reader's file, or NULL. */
static tocha_checkpoint *load_reader(tocha_context *cx, const tocha_reader *reader,
                                     const char *path, const tocha_load_options *options) {
  tocha_source source;
  int64_t used = 0;
  if (!tocha_source_open(cx, reader, &source)) return NULL;
  source.path = path;
  tocha_checkpoint *c = load_source(cx, &source, options, load_any, &used);
  if (c && !source.bytes) tocha_seek(cx, reader, source.base + used);
  tocha_source_close(cx, &source);
  if (!tocha_failed(cx)) return c;
  tocha_checkpoint_free(c);
  return NULL;
}

tocha_checkpoint *tocha_load_from(tocha_context *cx, const tocha_reader *reader,
                                  const tocha_load_options *options) {
  if (!tocha_check_reader(cx, "load", reader)) return NULL;
  if (options && options->mmap)
    return tocha_fail(cx, TOCHA_VALUE_ERROR,
                      "f must be a file path in order to use the mmap argument");
  return load_reader(cx, reader, NULL, options);
}

tocha_checkpoint *tocha_load_file(tocha_context *cx, FILE *file,
                                  const tocha_load_options *options) {
  if (!tocha_check_file(cx, "load", file)) return NULL;
  tocha_reader reader = tocha_reader_of_file(file);
  return tocha_load_from(cx, &reader, options);
}

tocha_checkpoint *tocha_load(tocha_context *cx, const char *path,
                             const tocha_load_options *options) {
  if (tocha_failed(cx)) return NULL;
  if (!path) return tocha_refuse_none(cx, "load", "f", "str");
  FILE *file = tocha_open_file(cx, path, TOCHA_FILE_READ);
  if (!file)
    return tocha_fail(cx, errno == ENOENT ? TOCHA_FILE_NOT_FOUND_ERROR : TOCHA_OS_ERROR,
                      "[Errno %d] %s: '%.4000s'", errno, strerror(errno), path);
  tocha_reader reader = tocha_reader_of_file(file);
  tocha_checkpoint *c = load_reader(cx, &reader, path, options);
  fclose(file);
  return c;
}

bool tocha_module_load_value(tocha_context *cx, tocha_module *module, const tocha_value *value,
                             bool strict) {
  if (tocha_failed(cx)) return false;
  if (!module) return tocha_refuse_none(cx, "module_load_value", "module", "Module");
  tocha_state_dict *dict = tocha_value_state_dict(cx, value);
  bool done = dict && tocha_module_load_state_dict(cx, module, dict, strict, false, NULL, NULL);
  tocha_state_dict_release(dict);
  return done;
}

static const tocha_load_options TO_CPU = {.has_device = true};

/* Loads the state dict of a checkpoint into the module, and frees the checkpoint, which may be NULL
 * after an error. */
static bool load_module(tocha_context *cx, tocha_module *module, tocha_checkpoint *c, bool strict) {
  bool done = c && tocha_module_load_value(cx, module, c->root, strict);
  tocha_checkpoint_free(c);
  return done;
}

bool tocha_module_load(tocha_context *cx, tocha_module *module, const char *path, bool strict) {
  if (tocha_failed(cx)) return false;
  if (!module) return tocha_refuse_none(cx, "module_load", "module", "Module");
  return load_module(cx, module, tocha_load(cx, path, &TO_CPU), strict);
}

bool tocha_module_load_from(tocha_context *cx, tocha_module *module, const tocha_reader *reader,
                            bool strict) {
  if (tocha_failed(cx)) return false;
  if (!module) return tocha_refuse_none(cx, "module_load", "module", "Module");
  return load_module(cx, module, tocha_load_from(cx, reader, &TO_CPU), strict);
}
