/* npz.c: NumPy's .npz: a zip archive of .npy files. The format: PKWARE's APPNOTE, with the records for large files (zip64).
 * Numbers lie in little-endian order. */
#include <errno.h>
#include <string.h>

#include "io/deflate.h"
#include "io/inflate.h"
#include "io/npy.h"

enum {
  LOCAL = 0x04034b50,
  CENTRAL = 0x02014b50,
  END = 0x06054b50,
  END64 = 0x06064b50,
  LOCATOR64 = 0x07064b50,
  LOCAL_SIZE = 30,
  CENTRAL_SIZE = 46,
  END_SIZE = 22,
  END64_SIZE = 56,
  LOCATOR64_SIZE = 20,
  STORED = 0,
  DEFLATED = 8
};

typedef struct member {
  size_t name; /* where it begins in `names` */
  int64_t at;  /* of its local record */
  int64_t packed, size;
  uint32_t crc;
  int method, flags;
} member;

struct tocha_npz {
  tocha_context *context;
  FILE *file;
  int64_t file_size;
  member *members;
  int64_t count;
  size_t members_room;
  tocha_byte_block names; /* each ended by a zero */
};

static uint64_t number(const uint8_t *at, int bytes) {
  uint64_t value = 0;
  for (int i = bytes - 1; i >= 0; i--) value = value << 8 | at[i];
  return value;
}

static void *fail_zip(tocha_context *cx, const char *problem) {
  return tocha_fail(cx, TOCHA_VALUE_ERROR, "%s", problem);
}

static bool read_at(tocha_context *cx, tocha_npz *z, int64_t at, void *to, size_t length) {
  if (at < 0 || at > z->file_size || (uint64_t)(z->file_size - at) < length)
    return fail_zip(cx, "File is not a zip file");
  if (fseeko(z->file, (off_t)at, SEEK_SET) != 0) return tocha_fail_os(cx, errno);
  if (tocha_read_file(cx, z->file, to, length) < length) fail_zip(cx, "File is not a zip file");
  return !tocha_failed(cx);
}

/* --- the list of members ------------------------------------------------------------------------- */

typedef struct listing {
  int64_t count, size, at;
} listing;

/* Finds the record at the end of the archive, behind which at most 64 KiB of comment lie. */
static bool find_end(tocha_context *cx, tocha_npz *z, listing *d) {
  tocha_byte_block tail = {NULL, 0, 0};
  int64_t length = z->file_size < END_SIZE + 65535 ? z->file_size : END_SIZE + 65535, at = -1;
  if (length < END_SIZE) return fail_zip(cx, "File is not a zip file");
  if (!tocha_bytes_reserve(cx, &tail, (size_t)length)) return false;
  if (read_at(cx, z, z->file_size - length, tail.data, (size_t)length)) {
    const uint8_t *bytes = (const uint8_t *)tail.data;
    for (int64_t i = length - END_SIZE; i >= 0 && at < 0; i--)
      if (number(bytes + i, 4) == END) at = i;
    if (at < 0)
      fail_zip(cx, "File is not a zip file");
    else
      *d = (listing){(int64_t)number(bytes + at + 10, 2), (int64_t)number(bytes + at + 12, 4),
                     (int64_t)number(bytes + at + 16, 4)};
    at += z->file_size - length;
  }
  tocha_bytes_free(cx, &tail);
  if (tocha_failed(cx)) return false;
  if (d->count != 0xffff && d->size != 0xffffffff && d->at != 0xffffffff) return true;
  uint8_t locator[LOCATOR64_SIZE], end[END64_SIZE];
  if (at < LOCATOR64_SIZE) return true;
  if (!read_at(cx, z, at - LOCATOR64_SIZE, locator, sizeof locator)) return false;
  if (number(locator, 4) != LOCATOR64) return true;
  if (!read_at(cx, z, (int64_t)number(locator + 8, 8), end, sizeof end)) return false;
  if (number(end, 4) != END64) return fail_zip(cx, "File is not a zip file");
  *d = (listing){(int64_t)number(end + 32, 8), (int64_t)number(end + 40, 8),
                 (int64_t)number(end + 48, 8)};
  return true;
}

/* Sizes that do not fit 32 bits lie in an extra field. */
static bool read_large(member *m, const uint8_t *extra, size_t length) {
  int64_t *wide[3] = {&m->size, &m->packed, &m->at};
  while (length >= 4) {
    size_t kind = number(extra, 2), size = number(extra + 2, 2);
    if (size > length - 4) return false;
    const uint8_t *at = extra + 4;
    for (int i = 0; kind == 1 && i < 3; i++) {
      if (*wide[i] != 0xffffffff) continue;
      if (size < 8) return false;
      *wide[i] = (int64_t)number(at, 8);
      at += 8, size -= 8;
    }
    size = number(extra + 2, 2);
    extra += 4 + size, length -= 4 + size;
  }
  return true;
}

/* One record of the directory; its length, or 0 with an error. */
static size_t read_member(tocha_context *cx, tocha_npz *z, const uint8_t *at, size_t left) {
  if (left < CENTRAL_SIZE || number(at, 4) != CENTRAL) {
    fail_zip(cx, "Bad magic number for central directory");
    return 0;
  }
  size_t name = number(at + 28, 2), extra = number(at + 30, 2), comment = number(at + 32, 2);
  size_t length = CENTRAL_SIZE + name + extra + comment;
  member m = {z->names.size,
              (int64_t)number(at + 42, 4),
              (int64_t)number(at + 20, 4),
              (int64_t)number(at + 24, 4),
              (uint32_t)number(at + 16, 4),
              (int)number(at + 10, 2),
              (int)number(at + 8, 2)};
  if (length > left || !read_large(&m, at + CENTRAL_SIZE + name, extra) || m.size < 0 ||
      m.packed < 0 || m.at < 0) {
    fail_zip(cx, "Corrupt extra field or central directory");
    return 0;
  }
  if (!tocha_bytes_reserve(cx, &z->names, z->names.size + name + 1)) return 0;
  memcpy(z->names.data + z->names.size, at + CENTRAL_SIZE, name);
  z->names.data[z->names.size + name] = '\0';
  z->names.size += name + 1;
  z->members[z->count++] = m;
  return length;
}

static bool read_directory(tocha_context *cx, tocha_npz *z) {
  listing d = {0, 0, 0};
  tocha_byte_block block = {NULL, 0, 0};
  if (!find_end(cx, z, &d)) return false;
  if (d.count < 0 || d.size < 0 || d.at < 0 || d.size > z->file_size ||
      d.count > d.size / CENTRAL_SIZE)
    return fail_zip(cx, "File is not a zip file");
  if (d.count == 0) return true;
  z->members_room = (size_t)d.count * sizeof *z->members;
  z->members = tocha_allocate(cx, z->members_room);
  if (!z->members || !tocha_bytes_reserve(cx, &block, (size_t)d.size)) return false;
  bool done = read_at(cx, z, d.at, block.data, (size_t)d.size);
  for (size_t at = 0; done && z->count < d.count;) {
    size_t length = read_member(cx, z, (const uint8_t *)block.data + at, (size_t)d.size - at);
    done = length > 0;
    at += length;
  }
  tocha_bytes_free(cx, &block);
  return done;
}

tocha_npz *tocha_npz_open(tocha_context *cx, FILE *file) {
  if (tocha_failed(cx) || !tocha_check_file(cx, "load", file)) return NULL;
  tocha_npz *z = tocha_allocate_zeroed(cx, sizeof *z);
  if (!z) return NULL;
  tocha_context_retain(cx);
  z->context = cx;
  z->file = file;
  if (fseeko(file, 0, SEEK_SET) != 0)
    tocha_fail_os(cx, errno);
  else if ((z->file_size = tocha_bytes_left(file)) < 0)
    fail_zip(cx, "File is not a zip file");
  else if (read_directory(cx, z))
    return z;
  tocha_npz_close(z);
  return NULL;
}

void tocha_npz_close(tocha_npz *z) {
  if (!z) return;
  tocha_context *cx = z->context;
  if (z->members) tocha_deallocate(cx, z->members, z->members_room);
  tocha_bytes_free(cx, &z->names);
  tocha_deallocate(cx, z, sizeof *z);
  tocha_context_release(cx);
}

int64_t tocha_npz_count(const tocha_npz *z) { return z ? z->count : 0; }

const char *tocha_npz_name(const tocha_npz *z, int64_t i) {
  return z && i >= 0 && i < z->count ? z->names.data + z->members[i].name : NULL;
}

/* --- a member ------------------------------------------------------------------------------------ */

/* Where the bytes of a member begin; -1 with an error. */
static int64_t find_bytes(tocha_context *cx, tocha_npz *z, const member *m) {
  uint8_t local[LOCAL_SIZE];
  if (!read_at(cx, z, m->at, local, sizeof local)) return -1;
  if (number(local, 4) != LOCAL) {
    fail_zip(cx, "Bad magic number for file header");
    return -1;
  }
  return m->at + LOCAL_SIZE + (int64_t)number(local + 26, 2) + (int64_t)number(local + 28, 2);
}

/* All bytes of a member, unpacked, into `room`. */
static bool unpack(tocha_context *cx, tocha_npz *z, const member *m, uint8_t *room) {
  int64_t at = find_bytes(cx, z, m);
  if (at < 0) return false;
  const char *name = z->names.data + m->name;
  tocha_byte_block packed = {NULL, 0, 0};
  bool done = true;
  if (m->method == STORED) {
    done = read_at(cx, z, at, room, (size_t)m->size);
  } else {
    if (!tocha_bytes_reserve(cx, &packed, (size_t)m->packed + 1)) return false;
    done = read_at(cx, z, at, packed.data, (size_t)m->packed);
    if (done &&
        !tocha_inflate((const uint8_t *)packed.data, (size_t)m->packed, room, (size_t)m->size)) {
      tocha_fail(cx, TOCHA_VALUE_ERROR, "Error while decompressing file '%.200s': invalid data",
                 name);
      done = false;
    }
    tocha_bytes_free(cx, &packed);
  }
  if (done && tocha_crc32(0, room, (size_t)m->size) != m->crc) {
    tocha_fail(cx, TOCHA_VALUE_ERROR, "Bad CRC-32 for file '%.200s'", name);
    done = false;
  }
  return done;
}

/* Whether a member may be asked for its bytes: no more are made room for than it can have. */
static bool is_readable(tocha_context *cx, const tocha_npz *z, const member *m) {
  const char *name = z->names.data + m->name;
  if (m->flags & 1)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "File '%.200s' is encrypted, password required for extraction", name);
  if (m->method != STORED && m->method != DEFLATED)
    return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "That compression method is not supported");
  bool fits = m->packed <= z->file_size &&
              (m->method == STORED ? m->size == m->packed
                                   : m->size / TOCHA_MOST_INFLATION <= m->packed + 1);
  return fits || tocha_fail(cx, TOCHA_VALUE_ERROR, "Bad sizes for file '%.200s'", name);
}

tocha_tensor *tocha_npz_read(tocha_context *cx, tocha_npz *z, int64_t i, bool *is_array) {
  if (tocha_failed(cx)) return NULL;
  if (!z || !is_array || i < 0 || i >= z->count)
    return tocha_fail(cx, TOCHA_INDEX_ERROR, "there is no member %lld", (long long)i);
  const member *m = &z->members[i];
  tocha_byte_block block = {NULL, 0, 0};
  tocha_tensor *t = NULL;
  if (!is_readable(cx, z, m) || !tocha_bytes_reserve(cx, &block, (size_t)m->size + 1)) return NULL;
  if (unpack(cx, z, m, (uint8_t *)block.data)) {
    tocha_npy_source source = {NULL, block.data, m->size};
    *is_array = tocha_npy_is_magic(block.data, (size_t)m->size);
    t = *is_array ? tocha_npy_from(cx, &source)
                  : tocha_from_values(cx, block.data, 1, &m->size, TOCHA_UINT8);
  }
  tocha_bytes_free(cx, &block);
  return t;
}

/* --- writing ------------------------------------------------------------------------------------- */

struct tocha_npz_writer {
  tocha_context *context;
  FILE *file;
  bool compressed;
  int64_t at; /* bytes written */
  int64_t count;
  tocha_byte_block directory;
};

static void put(uint8_t **at, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; i++, value >>= 8) *(*at)++ = (uint8_t)value;
}

tocha_npz_writer *tocha_npz_begin(tocha_context *cx, FILE *file, bool compressed) {
  if (tocha_failed(cx) || !tocha_check_file(cx, "savez", file)) return NULL;
  tocha_npz_writer *w = tocha_allocate_zeroed(cx, sizeof *w);
  if (!w) return NULL;
  tocha_context_retain(cx);
  w->context = cx;
  w->file = file;
  w->compressed = compressed;
  return w;
}

static bool write_bytes(tocha_context *cx, tocha_npz_writer *w, const void *from, size_t length) {
  w->at += (int64_t)length;
  return tocha_write_file(cx, w->file, from, length);
}

/* What both records of a member say, from the version needed on; sizes are in the extra field, always. */
static void put_facts(uint8_t **at, const member *m, size_t name, size_t extra) {
  put(at, 45, 2);
  put(at, 0x800, 2); /* the name is UTF-8 */
  put(at, (uint64_t)m->method, 2);
  put(at, 0x00210000, 4); /* 1980-01-01, as NumPy writes it: the same arrays make the same file */
  put(at, m->crc, 4);
  put(at, 0xffffffff, 4);
  put(at, 0xffffffff, 4);
  put(at, name, 2);
  put(at, extra, 2);
}

static bool list_member(tocha_context *cx, tocha_npz_writer *w, const member *m, const char *name) {
  size_t length = strlen(name);
  tocha_byte_block *d = &w->directory;
  if (!tocha_bytes_reserve(cx, d, d->size + CENTRAL_SIZE + length + 28)) return false;
  uint8_t *at = (uint8_t *)d->data + d->size;
  put(&at, CENTRAL, 4);
  put(&at, 45, 2);
  put_facts(&at, m, length, 28);
  put(&at, 0, 6);
  put(&at, 0x01800000, 4); /* a file that its owner reads and writes */
  put(&at, 0xffffffff, 4);
  at = (uint8_t *)d->data + d->size + CENTRAL_SIZE;
  for (size_t i = 0; i < length; i++) *at++ = (uint8_t)name[i];
  put(&at, 1, 2);
  put(&at, 24, 2);
  put(&at, (uint64_t)m->size, 8);
  put(&at, (uint64_t)m->packed, 8);
  put(&at, (uint64_t)m->at, 8);
  d->size += CENTRAL_SIZE + length + 28;
  w->count++;
  return true;
}

static bool write_member(tocha_context *cx, tocha_npz_writer *w, const char *name,
                         const tocha_part parts[2]) {
  uint8_t local[LOCAL_SIZE + 20], *at = local;
  tocha_byte_block packed = {NULL, 0, 0};
  bool deflated = false;
  member m = {0, w->at, 0, (int64_t)(parts[0].length + parts[1].length), 0, STORED, 0};
  for (int i = 0; i < 2; i++) m.crc = tocha_crc32(m.crc, parts[i].bytes, parts[i].length);
  if (w->compressed && !tocha_deflate(cx, parts, 2, &packed, &deflated)) return false;
  m.method = deflated ? DEFLATED : STORED;
  m.packed = deflated ? (int64_t)packed.size : m.size;
  put(&at, LOCAL, 4);
  put_facts(&at, &m, strlen(name), 20);
  bool done = write_bytes(cx, w, local, LOCAL_SIZE) && write_bytes(cx, w, name, strlen(name));
  put(&at, 1, 2);
  put(&at, 16, 2);
  put(&at, (uint64_t)m.size, 8);
  put(&at, (uint64_t)m.packed, 8);
  done = done && write_bytes(cx, w, local + LOCAL_SIZE, 20);
  for (int i = 0; i < 2 && done && !deflated; i++)
    done = write_bytes(cx, w, parts[i].bytes, parts[i].length);
  if (done && deflated) done = write_bytes(cx, w, packed.data, packed.size);
  tocha_bytes_free(cx, &packed);
  return done && list_member(cx, w, &m, name);
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
  uint8_t end[END64_SIZE + LOCATOR64_SIZE + END_SIZE], *at = end;
  int64_t list = w->at, size = (int64_t)w->directory.size, end64 = list + size;
  if (size && !write_bytes(cx, w, w->directory.data, w->directory.size)) return false;
  bool large = w->count >= 0xffff || end64 >= 0xffffffff;
  if (large) {
    put(&at, END64, 4);
    put(&at, END64_SIZE - 12, 8);
    put(&at, 45 | 45 << 16, 4);
    put(&at, 0, 8);
    put(&at, (uint64_t)w->count, 8);
    put(&at, (uint64_t)w->count, 8);
    put(&at, (uint64_t)size, 8);
    put(&at, (uint64_t)list, 8);
    put(&at, LOCATOR64, 4);
    put(&at, 0, 4);
    put(&at, (uint64_t)end64, 8);
    put(&at, 1, 4);
  }
  put(&at, END, 4);
  put(&at, 0, 4);
  put(&at, large ? 0xffff : (uint64_t)w->count, 2);
  put(&at, large ? 0xffff : (uint64_t)w->count, 2);
  put(&at, large ? 0xffffffff : (uint64_t)size, 4);
  put(&at, large ? 0xffffffff : (uint64_t)list, 4);
  put(&at, 0, 2);
  return write_bytes(cx, w, end, (size_t)(at - end));
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
