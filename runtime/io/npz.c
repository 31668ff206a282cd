/* npz.c: NumPy's .npz: a zip archive of .npy files. */
#include <errno.h>
#include <string.h>

#include "io/deflate.h"
#include "io/inflate.h"
#include "io/npy.h"
#include "io/zip.h"
#include "platform/platform.h"

/* --- reading ------------------------------------------------------------------------------------- */

struct tocha_npz {
  tocha_context *context;
  tocha_source source;
  tocha_zip zip;
};

/* Fails with the message of NumPy, or of Python's zipfile. */
static void *fail_npz(tocha_context *cx, tocha_zip_problem problem, const char *name) {
  static const struct {
    tocha_error_code code;
    const char *before, *after; /* with the member's name between them unless `after` is NULL */
  } words[] = {
      [ZIP_NO_DIRECTORY] = {TOCHA_VALUE_ERROR, "File is not a zip file", NULL},
      [ZIP_BAD_MAGIC] = {TOCHA_VALUE_ERROR, "Bad magic number for central directory", NULL},
      [ZIP_BAD_DIRECTORY] = {TOCHA_VALUE_ERROR, "Corrupt extra field or central directory", NULL},
      [ZIP_ENCRYPTED] = {TOCHA_RUNTIME_ERROR, "File '",
                         "' is encrypted, password required for extraction"},
      [ZIP_UNKNOWN_METHOD] = {TOCHA_NOT_IMPLEMENTED_ERROR,
                              "That compression method is not supported", NULL},
      [ZIP_BAD_SIZES] = {TOCHA_VALUE_ERROR, "Bad sizes for file '", "'"},
      [ZIP_BAD_HEADER] = {TOCHA_VALUE_ERROR, "Bad magic number for file header", NULL},
      [ZIP_BAD_DATA] = {TOCHA_VALUE_ERROR, "Error while decompressing file '", "': invalid data"},
      [ZIP_BAD_SUM] = {TOCHA_VALUE_ERROR, "Bad CRC-32 for file '", "'"},
  };
  const char *after = words[problem].after;
  return tocha_fail(cx, words[problem].code, "%s%.200s%s", words[problem].before, after ? name : "",
                    after ? after : "");
}

static const tocha_zip_kind NPZ = {fail_npz, false};

tocha_npz *tocha_npz_open_from(tocha_context *cx, const tocha_reader *reader) {
  if (!tocha_check_reader(cx, "load", reader)) return NULL;
  tocha_npz *z = tocha_allocate_zeroed(cx, sizeof *z);
  if (!z) return NULL;
  tocha_context_retain(cx);
  z->context = cx;
  if (tocha_source_open(cx, reader, &z->source) && tocha_zip_open(cx, &z->zip, &z->source, &NPZ))
    return z;
  tocha_npz_close(z);
  return NULL;
}

tocha_npz *tocha_npz_open(tocha_context *cx, FILE *file) {
  if (!tocha_check_file(cx, "load", file)) return NULL;
  if (!platform_seek(file, 0, SEEK_SET)) return tocha_fail_os(cx, errno);
  tocha_reader reader = tocha_reader_of_file(file);
  return tocha_npz_open_from(cx, &reader);
}

void tocha_npz_close(tocha_npz *z) {
  if (!z) return;
  tocha_context *cx = z->context;
  tocha_zip_close(cx, &z->zip);
  tocha_source_close(cx, &z->source);
  tocha_deallocate(cx, z, sizeof *z);
  tocha_context_release(cx);
}

int64_t tocha_npz_count(const tocha_npz *z) { return z ? z->zip.count : 0; }

const char *tocha_npz_name(const tocha_npz *z, int64_t i) {
  return z && i >= 0 && i < z->zip.count ? tocha_zip_name(&z->zip, i) : NULL;
}

/* Returns true if a file's elements are texts or objects, for tocha_load_pickle. */
static bool has_values(tocha_context *cx, tocha_npy_source source) {
  tocha_npy_head head;
  tocha_npy_type type;
  bool known = tocha_npy_begin(cx, &source, &head, &type);
  tocha_clear_error(cx);
  return known && strchr("OSU", type.kind);
}

tocha_tensor *tocha_npz_read(tocha_context *cx, tocha_npz *z, int64_t i, bool *is_array) {
  if (tocha_failed(cx)) return NULL;
  if (!z || !is_array || i < 0 || i >= z->zip.count)
    return tocha_fail(cx, TOCHA_INDEX_ERROR, "there is no member %lld", (long long)i);
  tocha_zip_entry *e = &z->zip.entries[i];
  if (!tocha_zip_locate(cx, &z->zip, e)) return NULL;
  if (e->size / TOCHA_MAX_INFLATION > e->packed + 1) /* more than it can contain */
    return fail_npz(cx, ZIP_BAD_SIZES, tocha_zip_name(&z->zip, i));
  tocha_tensor *file = tocha_new(cx, 1, &e->size, TOCHA_UINT8, tocha_cpu());
  if (!file || !tocha_zip_read(cx, &z->zip, e, tocha_bytes(file))) return NULL;
  tocha_npy_source source = {NULL, tocha_bytes(file), e->size};
  *is_array = tocha_npy_is_magic(source.bytes, (size_t)e->size) && !has_values(cx, source);
  return *is_array ? tocha_npy_over(cx, file) : file;
}

/* --- writing ------------------------------------------------------------------------------------- */

struct tocha_npz_writer {
  tocha_context *context;
  tocha_sink sink;
  bool compressed;
  int64_t count;
  tocha_byte_block directory;
};

static void put(uint8_t **at, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; i++, value >>= 8) *(*at)++ = (uint8_t)value;
}

tocha_npz_writer *tocha_npz_begin_to(tocha_context *cx, const tocha_writer *writer,
                                     bool compressed) {
  if (!tocha_check_writer(cx, "savez", writer)) return NULL;
  tocha_npz_writer *w = tocha_allocate_zeroed(cx, sizeof *w);
  if (!w) return NULL;
  tocha_context_retain(cx);
  w->context = cx;
  w->sink.writer = *writer;
  w->compressed = compressed;
  return w;
}

tocha_npz_writer *tocha_npz_begin(tocha_context *cx, FILE *file, bool compressed) {
  if (!tocha_check_file(cx, "savez", file)) return NULL;
  tocha_writer writer = tocha_writer_of_file(file);
  return tocha_npz_begin_to(cx, &writer, compressed);
}

/* Writes the fields that both records of a member have, from the version needed on. Sizes are
 * always in the extra field. */
static void put_facts(uint8_t **at, const tocha_zip_entry *e, size_t name, size_t extra) {
  put(at, 45, 2);
  put(at, 0x800, 2); /* the name is UTF-8 */
  put(at, (uint64_t)e->method, 2);
  put(at, 0x00210000, 4); /* 1980-01-01, as NumPy writes it, so that the same arrays give the
                           * same file */
  put(at, e->crc, 4);
  put(at, 0xffffffff, 4);
  put(at, 0xffffffff, 4);
  put(at, name, 2);
  put(at, extra, 2);
}

static bool list_member(tocha_context *cx, tocha_npz_writer *w, const tocha_zip_entry *e,
                        const char *name) {
  size_t length = strlen(name);
  tocha_byte_block *d = &w->directory;
  if (!tocha_bytes_reserve(cx, d, d->size + ZIP_CENTRAL_SIZE + length + 28)) return false;
  uint8_t *at = (uint8_t *)d->data + d->size;
  put(&at, ZIP_CENTRAL, 4);
  put(&at, 45, 2);
  put_facts(&at, e, length, 28);
  put(&at, 0, 6);
  put(&at, 0x01800000, 4); /* a file that its owner may read and write */
  put(&at, 0xffffffff, 4);
  at = (uint8_t *)d->data + d->size + ZIP_CENTRAL_SIZE;
  for (size_t i = 0; i < length; i++) *at++ = (uint8_t)name[i];
  put(&at, 1, 2);
  put(&at, 24, 2);
  put(&at, (uint64_t)e->size, 8);
  put(&at, (uint64_t)e->packed, 8);
  put(&at, (uint64_t)e->record, 8);
  d->size += ZIP_CENTRAL_SIZE + length + 28;
  w->count++;
  return true;
}

static bool write_member(tocha_context *cx, tocha_npz_writer *w, const char *name,
                         const tocha_part parts[2]) {
  uint8_t local[ZIP_LOCAL_SIZE + 20], *at = local;
  tocha_byte_block packed = {NULL, 0, 0};
  bool deflated = w->compressed;
  tocha_zip_entry e = {.record = w->sink.at, .size = (int64_t)(parts[0].length + parts[1].length)};
  for (int i = 0; i < 2; i++)
    if (!tocha_crc32(cx, &e.crc, parts[i].bytes, parts[i].length)) return false;
  if (deflated && !tocha_deflate(cx, parts, 2, TOCHA_USUAL_LEVEL, &packed)) {
    tocha_bytes_free(cx, &packed);
    return false;
  }
  e.method = deflated ? ZIP_DEFLATED : ZIP_STORED;
  e.packed = deflated ? (int64_t)packed.size : e.size;
  put(&at, ZIP_LOCAL, 4);
  put_facts(&at, &e, strlen(name), 20);
  bool done = tocha_sink_write(cx, &w->sink, local, ZIP_LOCAL_SIZE) &&
              tocha_sink_write(cx, &w->sink, name, strlen(name));
  put(&at, 1, 2);
  put(&at, 16, 2);
  put(&at, (uint64_t)e.size, 8);
  put(&at, (uint64_t)e.packed, 8);
  done = done && tocha_sink_write(cx, &w->sink, local + ZIP_LOCAL_SIZE, 20);
  for (int i = 0; i < 2 && done && !deflated; i++)
    done = tocha_sink_write(cx, &w->sink, parts[i].bytes, parts[i].length);
  if (done && deflated) done = tocha_sink_write(cx, &w->sink, packed.data, packed.size);
  tocha_bytes_free(cx, &packed);
  return done && list_member(cx, w, &e, name);
}

bool tocha_npz_add(tocha_context *cx, tocha_npz_writer *w, const char *name, tocha_tensor *tensor) {
  char head[TOCHA_NPY_HEAD];
  if (tocha_failed(cx)) return false;
  if (!w || !name || strlen(name) > UINT16_MAX)
    return tocha_refuse_none(cx, "savez", "name", "str of at most 65535 bytes");
  tocha_scope scope = tocha_scope_begin(cx);
  const tocha_tensor *t = tocha_npy_elements(cx, tensor);
  bool done = false;
  if (t) {
    size_t bytes = t->numel ? (size_t)t->numel * tocha_dtype_size(t->dtype) : 0;
    tocha_part parts[2] = {{head, tocha_npy_head_text(t, head)},
                           {bytes ? tocha_bytes(t) : head, bytes}};
    done = write_member(cx, w, name, parts);
  }
  tocha_scope_end(cx, scope, NULL);
  return done;
}

static bool write_end(tocha_context *cx, tocha_npz_writer *w) {
  uint8_t end[ZIP_END64_SIZE + ZIP_LOCATOR64_SIZE + ZIP_END_SIZE], *at = end;
  int64_t list = w->sink.at, size = (int64_t)w->directory.size, end64 = list + size;
  if (size && !tocha_sink_write(cx, &w->sink, w->directory.data, w->directory.size)) return false;
  bool large = w->count >= 0xffff || end64 >= 0xffffffff;
  if (large) {
    put(&at, ZIP_END64, 4);
    put(&at, ZIP_END64_SIZE - 12, 8);
    put(&at, 45 | 45 << 16, 4);
    put(&at, 0, 8);
    put(&at, (uint64_t)w->count, 8);
    put(&at, (uint64_t)w->count, 8);
    put(&at, (uint64_t)size, 8);
    put(&at, (uint64_t)list, 8);
    put(&at, ZIP_LOCATOR64, 4);
    put(&at, 0, 4);
    put(&at, (uint64_t)end64, 8);
    put(&at, 1, 4);
  }
  put(&at, ZIP_END, 4);
  put(&at, 0, 4);
  put(&at, large ? 0xffff : (uint64_t)w->count, 2);
  put(&at, large ? 0xffff : (uint64_t)w->count, 2);
  put(&at, large ? 0xffffffff : (uint64_t)size, 4);
  put(&at, large ? 0xffffffff : (uint64_t)list, 4);
  put(&at, 0, 2);
  return tocha_sink_write(cx, &w->sink, end, (size_t)(at - end));
}

void tocha_npz_abandon(tocha_npz_writer *w) {
  if (!w) return;
  tocha_context *cx = w->context;
  tocha_bytes_free(cx, &w->directory);
  tocha_deallocate(cx, w, sizeof *w);
  tocha_context_release(cx);
}

bool tocha_npz_finish(tocha_context *cx, tocha_npz_writer *w) {
  if (!w) return tocha_refuse_none(cx, "savez", "writer", "a writer");
  bool done = !tocha_failed(cx) && write_end(cx, w);
  tocha_npz_abandon(w);
  return done;
}
