/* zip_read.c: reads the entries of a zip archive. The sizes in its records are checked against
 * the archive's size before memory is allocated. */
#include <string.h>

#include "io/inflate.h"
#include "io/zip.h"

enum { ENCRYPTED = 1, PIECE = 1 << 16 };

static bool fail_zip(tocha_context *cx, const tocha_zip *z, tocha_zip_problem problem) {
  return z->kind->fail(cx, problem, NULL);
}

static bool read_at(tocha_context *cx, const tocha_zip *z, int64_t at, void *to, size_t length) {
  if (at < 0 || at > z->source->size || (uint64_t)(z->source->size - at) < length)
    return fail_zip(cx, z, ZIP_NO_DIRECTORY);
  return tocha_source_read(cx, z->source, at, to, length);
}

/* --- the directory ---------------------------------------------------------------------------------------- */

typedef struct listing {
  int64_t count, size, at;
} listing;

/* Finds the end record, which at most 64 KiB of comment follow. Returns its position, or -1. */
static int64_t find_end(tocha_context *cx, const tocha_zip *z, listing *d) {
  tocha_byte_block tail = {NULL, 0, 0};
  int64_t size = z->source->size, found = -1;
  int64_t length = size < ZIP_END_SIZE + 65535 ? size : ZIP_END_SIZE + 65535;
  if (length >= ZIP_END_SIZE && tocha_bytes_reserve(cx, &tail, (uint64_t)length) &&
      read_at(cx, z, size - length, tail.data, (size_t)length)) {
    for (int64_t i = length - ZIP_END_SIZE; i >= 0 && found < 0; i--)
      if (tocha_little_endian(tail.data + i, 4) == ZIP_END) found = i;
    if (found >= 0) {
      const char *end = tail.data + found;
      *d = (listing){(int64_t)tocha_little_endian(end + 10, 2),
                     (int64_t)tocha_little_endian(end + 12, 4),
                     (int64_t)tocha_little_endian(end + 16, 4)};
      found += size - length;
    }
  }
  tocha_bytes_free(cx, &tail);
  if (found < 0 && !tocha_failed(cx)) fail_zip(cx, z, ZIP_NO_DIRECTORY);
  return found;
}

static bool find_listing(tocha_context *cx, const tocha_zip *z, listing *d) {
  int64_t at = find_end(cx, z, d);
  if (at < 0) return false;
  bool wide = d->count == 0xffff || d->size == 0xffffffff || d->at == 0xffffffff;
  char locator[ZIP_LOCATOR64_SIZE], end[ZIP_END64_SIZE];
  if (wide && at >= ZIP_LOCATOR64_SIZE) {
    if (!read_at(cx, z, at - ZIP_LOCATOR64_SIZE, locator, sizeof locator)) return false;
    if (tocha_little_endian(locator, 4) == ZIP_LOCATOR64) {
      if (!read_at(cx, z, (int64_t)tocha_little_endian(locator + 8, 8), end, sizeof end))
        return false;
      if (tocha_little_endian(end, 4) != ZIP_END64) return fail_zip(cx, z, ZIP_NO_DIRECTORY);
      *d = (listing){(int64_t)tocha_little_endian(end + 32, 8),
                     (int64_t)tocha_little_endian(end + 40, 8),
                     (int64_t)tocha_little_endian(end + 48, 8)};
    }
  }
  if (d->count < 0 || d->size < 0 || d->at < 0 || d->size > z->source->size ||
      d->count > d->size / ZIP_CENTRAL_SIZE || d->count > INT32_MAX / 4)
    return fail_zip(cx, z, ZIP_BAD_DIRECTORY);
  return true;
}

/* Reads the sizes that do not fit 32 bits from the extra field. Returns false if the field is
 * damaged. */
static bool read_large(tocha_zip_entry *e, const char *extra, size_t length) {
  int64_t *wide[3] = {&e->size, &e->packed, &e->record};
  while (length >= 4) {
    size_t kind = tocha_little_endian(extra, 2), size = tocha_little_endian(extra + 2, 2);
    if (size > length - 4) return false;
    size_t left = size;
    for (int i = 0; kind == 1 && i < 3; i++) {
      if (*wide[i] != 0xffffffff) continue;
      if (left < 8) return false;
      *wide[i] = (int64_t)tocha_little_endian(extra + 4 + size - left, 8);
      left -= 8;
    }
    extra += 4 + size, length -= 4 + size;
  }
  return true;
}

/* Reads a record of the directory. Returns false if its values are impossible. */
static bool read_facts(tocha_zip_entry *e, size_t name, const char *at, const char *extra,
                       size_t extra_length) {
  *e = (tocha_zip_entry){.name = name,
                         .record = (int64_t)tocha_little_endian(at + 42, 4),
                         .at = -1,
                         .packed = (int64_t)tocha_little_endian(at + 20, 4),
                         .size = (int64_t)tocha_little_endian(at + 24, 4),
                         .crc = (uint32_t)tocha_little_endian(at + 16, 4),
                         .method = (int)tocha_little_endian(at + 10, 2),
                         .flags = (int)tocha_little_endian(at + 8, 2)};
  return read_large(e, extra, extra_length) && e->size >= 0 && e->packed >= 0 && e->record >= 0;
}

/* Reads one entry of the directory. Returns its length, or 0 with an error. */
static size_t read_entry(tocha_context *cx, tocha_zip *z, const char *at, size_t left) {
  if (left < ZIP_CENTRAL_SIZE || tocha_little_endian(at, 4) != ZIP_CENTRAL) {
    fail_zip(cx, z, ZIP_BAD_MAGIC);
    return 0;
  }
  size_t name = tocha_little_endian(at + 28, 2), extra = tocha_little_endian(at + 30, 2);
  size_t length = ZIP_CENTRAL_SIZE + name + extra + tocha_little_endian(at + 32, 2);
  if (length > left ||
      !read_facts(&z->entries[z->count], z->names.size, at, at + ZIP_CENTRAL_SIZE + name, extra)) {
    fail_zip(cx, z, ZIP_BAD_DIRECTORY);
    return 0;
  }
  if (!tocha_bytes_reserve(cx, &z->names, z->names.size + name + 1)) return 0;
  memcpy(z->names.data + z->names.size, at + ZIP_CENTRAL_SIZE, name);
  z->names.data[z->names.size + name] = '\0';
  z->names.size += name + 1;
  z->count++;
  return length;
}

static size_t hash_name(const char *name) {
  size_t h = 5381;
  for (; *name; name++) h = h * 33 + (unsigned char)*name;
  return h;
}

/* Returns the slot of a name: the slot that contains it, or an empty one for it. */
static int *slot_of(const tocha_zip *z, const char *name) {
  size_t mask = (size_t)z->slot_count - 1, i = hash_name(name) & mask;
  while (z->slots[i] && strcmp(tocha_zip_name(z, z->slots[i] - 1), name) != 0) i = (i + 1) & mask;
  return &z->slots[i];
}

static bool index_names(tocha_context *cx, tocha_zip *z) {
  for (z->slot_count = 4; z->slot_count < 2 * z->count;) z->slot_count *= 2;
  z->slots = tocha_allocate_zeroed(cx, (uint64_t)z->slot_count * sizeof *z->slots);
  if (!z->slots) return false;
  for (int i = 0; i < z->count; i++) {
    int *slot = slot_of(z, tocha_zip_name(z, i));
    if (!*slot) *slot = i + 1;
  }
  return true;
}

bool tocha_zip_open(tocha_context *cx, tocha_zip *z, const tocha_source *source,
                    const tocha_zip_kind *kind) {
  listing d = {0, 0, 0};
  tocha_byte_block block = {NULL, 0, 0};
  *z = (tocha_zip){.source = source, .kind = kind};
  bool done = find_listing(cx, z, &d);
  if (done) {
    z->capacity = d.count + 1;
    z->entries = tocha_allocate(cx, (uint64_t)z->capacity * sizeof *z->entries);
    done = z->entries && tocha_bytes_reserve(cx, &block, (uint64_t)d.size + 1) &&
           read_at(cx, z, d.at, block.data, (size_t)d.size);
  }
  for (size_t at = 0; done && z->count < d.count;) {
    size_t length = read_entry(cx, z, block.data + at, (size_t)d.size - at);
    done = length > 0 && !tocha_interrupted(cx);
    at += length;
  }
  tocha_bytes_free(cx, &block);
  done = done && index_names(cx, z);
  if (!done) tocha_zip_close(cx, z);
  return done;
}

void tocha_zip_close(tocha_context *cx, tocha_zip *z) {
  tocha_deallocate(cx, z->entries, (uint64_t)z->capacity * sizeof *z->entries);
  tocha_deallocate(cx, z->slots, z->slots ? (uint64_t)z->slot_count * sizeof *z->slots : 0);
  tocha_bytes_free(cx, &z->names);
  *z = (tocha_zip){.source = NULL};
}

const char *tocha_zip_name(const tocha_zip *z, int64_t i) {
  return z->names.data + z->entries[i].name;
}

tocha_zip_entry *tocha_zip_find(tocha_zip *z, const char *name) {
  int number = *slot_of(z, name);
  return number ? &z->entries[number - 1] : NULL;
}

/* --- an entry ------------------------------------------------------------------------------------------------ */

static bool fail_entry(tocha_context *cx, const tocha_zip *z, const tocha_zip_entry *e,
                       tocha_zip_problem problem) {
  return z->kind->fail(cx, problem, z->names.data + e->name);
}

bool tocha_zip_locate(tocha_context *cx, tocha_zip *z, tocha_zip_entry *e) {
  char local[ZIP_LOCAL_SIZE];
  if (e->at >= 0) return true;
  if (e->flags & ENCRYPTED) return fail_entry(cx, z, e, ZIP_ENCRYPTED);
  if (e->method != ZIP_STORED && e->method != ZIP_DEFLATED)
    return fail_entry(cx, z, e, ZIP_UNKNOWN_METHOD);
  if (e->method == ZIP_STORED && e->packed != e->size) return fail_entry(cx, z, e, ZIP_BAD_SIZES);
  if (!read_at(cx, z, e->record, local, sizeof local)) return false;
  if (tocha_little_endian(local, 4) != ZIP_LOCAL) return fail_entry(cx, z, e, ZIP_BAD_HEADER);
  int64_t at = e->record + ZIP_LOCAL_SIZE + (int64_t)tocha_little_endian(local + 26, 2) +
               (int64_t)tocha_little_endian(local + 28, 2);
  if (at > z->source->size || e->packed > z->source->size - at)
    return fail_entry(cx, z, e, ZIP_BAD_SIZES);
  e->at = at;
  return true;
}

static bool check_sum(tocha_context *cx, const tocha_zip *z, tocha_zip_entry *e, uint32_t sum) {
  e->checked = sum == e->crc || (e->crc == 0 && z->kind->zero_is_no_sum);
  return e->checked || fail_entry(cx, z, e, ZIP_BAD_SUM);
}

bool tocha_zip_read(tocha_context *cx, tocha_zip *z, tocha_zip_entry *e, void *to) {
  if (!tocha_zip_locate(cx, z, e)) return false;
  if (e->method == ZIP_STORED) {
    if (!tocha_source_read(cx, z->source, e->at, to, (size_t)e->size)) return false;
  } else {
    tocha_deflated packed = {NULL, NULL, z->source, e->at, e->packed};
    if (!tocha_inflate(cx, &packed, to, (size_t)e->size))
      return tocha_failed(cx) ? false : fail_entry(cx, z, e, ZIP_BAD_DATA);
  }
  uint32_t sum = 0;
  return e->checked || (tocha_crc32(cx, &sum, to, (size_t)e->size) && check_sum(cx, z, e, sum));
}

bool tocha_zip_check(tocha_context *cx, tocha_zip *z, tocha_zip_entry *e) {
  char piece[PIECE];
  uint32_t sum = 0;
  if (e->checked) return true;
  if (!tocha_zip_locate(cx, z, e)) return false;
  for (int64_t done = 0; done < e->size;) {
    size_t length = e->size - done < PIECE ? (size_t)(e->size - done) : PIECE;
    if (!tocha_source_read(cx, z->source, e->at + done, piece, length)) return false;
    if (!tocha_crc32(cx, &sum, piece, length)) return false;
    done += (int64_t)length;
  }
  return check_sum(cx, z, e, sum);
}
