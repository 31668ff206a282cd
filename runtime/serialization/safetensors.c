/* safetensors.c: reads .safetensors files: 8 bytes with the length of the head, the head (JSON),
 * then the bytes of all tensors without gaps. The head is checked as by the Python package. */
#include "serialization/safetensors.h"

#include <stdlib.h>
#include <string.h>

#include "io/kind.h"
#include "platform/platform.h"
#include "serialization/json.h"
#include "tocha/ops/to.h"

enum { LARGEST_HEAD = 100000000 };

const tocha_safetensors_type tocha_safetensors_types[] = {
    {"BOOL", TOCHA_BOOL, 8, 0, NULL},
    {"F4", TOCHA_NO_DTYPE, 4, 1, NULL},
    {"F6_E2M3", TOCHA_NO_DTYPE, 6, 2, NULL},
    {"F6_E3M2", TOCHA_NO_DTYPE, 6, 3, NULL},
    {"U8", TOCHA_UINT8, 8, 4, NULL},
    {"I8", TOCHA_INT8, 8, 5, NULL},
    {"F8_E5M2", TOCHA_FLOAT8_E5M2, 8, 6, NULL},
    {"F8_E4M3", TOCHA_FLOAT8_E4M3FN, 8, 7, NULL},
    {"F8_E8M0", TOCHA_FLOAT8_E8M0FNU, 8, 8, NULL},
    {"F8_E4M3FNUZ", TOCHA_FLOAT8_E4M3FNUZ, 8, 7, NULL},
    {"F8_E5M2FNUZ", TOCHA_FLOAT8_E5M2FNUZ, 8, 6, NULL},
    {"I16", TOCHA_INT16, 16, 9, NULL},
    {"U16", TOCHA_NO_DTYPE, 16, 10, "uint16"},
    {"F16", TOCHA_FLOAT16, 16, 11, NULL},
    {"BF16", TOCHA_BFLOAT16, 16, 12, NULL},
    {"I32", TOCHA_INT32, 32, 13, NULL},
    {"U32", TOCHA_NO_DTYPE, 32, 14, "uint32"},
    {"F32", TOCHA_FLOAT32, 32, 15, NULL},
    {"C64", TOCHA_NO_DTYPE, 64, 16, NULL},
    {"F64", TOCHA_FLOAT64, 64, 17, NULL},
    {"I64", TOCHA_INT64, 64, 18, NULL},
    {"U64", TOCHA_NO_DTYPE, 64, 19, "uint64"},
};
const int tocha_safetensors_type_count = TOCHA_COUNT(tocha_safetensors_types);

typedef struct entry {
  char *name;
  int type, ndim;
  int64_t *sizes, begin, end; /* sizes: stored in the head's block */
} entry;

typedef struct pair {
  char *name, *text;
} pair;

struct tocha_safetensors {
  tocha_context *context;
  tocha_source source;
  char *block; /* texts and sizes */
  size_t block_size, block_used;
  entry *entries;
  int64_t count, capacity;
  pair *metadata;
  int64_t metadata_count, metadata_capacity;
  int64_t data; /* position of the first byte of data */
};

static bool fail_head(tocha_context *cx, const char *problem) {
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Error while deserializing: %s", problem);
  return false;
}

/* --- the head ------------------------------------------------------------------------------------------------- */

/* Reads the next text of the head into the block, which has room for all of them. */
static char *take_text(tocha_safetensors *s, tocha_json *j) {
  char *text = s->block + s->block_used;
  size_t length;
  if (!tocha_json_text(j, text, &length)) return NULL;
  s->block_used += length + 1;
  return text;
}

/* Returns `list` with room for one more item, moved if it had to grow. */
static void *make_room(tocha_context *cx, void *list, int64_t count, int64_t *capacity,
                       size_t item) {
  if (count < *capacity) return list;
  int64_t more = *capacity + *capacity / 2 + 16;
  void *all = tocha_allocate(cx, (uint64_t)more * item);
  if (!all) return NULL;
  if (count) memcpy(all, list, (size_t)count * item);
  tocha_deallocate(cx, list, (size_t)*capacity * item);
  *capacity = more;
  return all;
}

static bool read_metadata(tocha_safetensors *s, tocha_json *j) {
  if (!tocha_json_take(j, '{')) return false;
  if (tocha_json_take(j, '}')) return true;
  do {
    pair *all =
        make_room(s->context, s->metadata, s->metadata_count, &s->metadata_capacity, sizeof *all);
    if (!all) return false;
    s->metadata = all;
    pair *p = &all[s->metadata_count];
    if (!(p->name = take_text(s, j)) || !tocha_json_take(j, ':') || !(p->text = take_text(s, j)))
      return false;
    s->metadata_count++;
  } while (tocha_json_take(j, ','));
  return tocha_json_take(j, '}');
}

/* Reads numbers such as [2, 3], at most `maximum` of them. */
static bool read_counts(tocha_json *j, int64_t *numbers, int maximum, int *count) {
  *count = 0;
  if (!tocha_json_take(j, '[')) return false;
  if (tocha_json_take(j, ']')) return true;
  do {
    if (*count == maximum || !tocha_json_count(j, &numbers[*count])) return false;
    ++*count;
  } while (tocha_json_take(j, ','));
  return tocha_json_take(j, ']');
}

static bool keep_sizes(tocha_safetensors *s, entry *e, const int64_t *sizes) {
  s->block_used = (s->block_used + 7) & ~(size_t)7;
  e->sizes = (int64_t *)(void *)(s->block + s->block_used);
  s->block_used += (size_t)e->ndim * sizeof *sizes;
  if (e->ndim) memcpy(e->sizes, sizes, (size_t)e->ndim * sizeof *sizes);
  return true;
}

static int find_type(const char *name) {
  for (int i = 0; i < tocha_safetensors_type_count; i++)
    if (strcmp(tocha_safetensors_types[i].name, name) == 0) return i;
  return -1;
}

/* Reads {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}, in any order, each field once. */
static bool read_entry(tocha_safetensors *s, tocha_json *j, entry *e) {
  int64_t sizes[TOCHA_MAX_DIMS], offsets[2];
  int seen = 0, count;
  if (!tocha_json_take(j, '{')) return false;
  do {
    size_t mark = s->block_used;
    const char *name = take_text(s, j);
    bool known = name && tocha_json_take(j, ':');
    int field = !known ? 0 : strcmp(name, "dtype") == 0 ? 1 : strcmp(name, "shape") == 0 ? 2 : 4;
    if (field == 4 && strcmp(name, "data_offsets") != 0) field = 0;
    if (!field || seen & field) return false;
    seen |= field;
    const char *text = field == 1 ? take_text(s, j) : NULL;
    if (field == 1 && (!text || (e->type = find_type(text)) < 0)) return false;
    if (field == 2 && !read_counts(j, sizes, TOCHA_MAX_DIMS, &e->ndim)) return false;
    if (field == 4 && (!read_counts(j, offsets, 2, &count) || count != 2)) return false;
    s->block_used = mark;
  } while (tocha_json_take(j, ','));
  if (seen != 7 || !tocha_json_take(j, '}')) return false;
  e->begin = offsets[0];
  e->end = offsets[1];
  return keep_sizes(s, e, sizes);
}

static bool read_entries(tocha_safetensors *s, tocha_json *j) {
  bool metadata = false;
  if (!tocha_json_take(j, '{')) return false;
  if (tocha_json_take(j, '}')) return true;
  do {
    if (tocha_interrupted(s->context)) return false;
    entry *all = make_room(s->context, s->entries, s->count, &s->capacity, sizeof *all);
    if (!all) return false;
    s->entries = all;
    entry *e = &all[s->count];
    if (!(e->name = take_text(s, j)) || !tocha_json_take(j, ':')) return false;
    if (strcmp(e->name, "__metadata__") == 0) {
      if (metadata || !read_metadata(s, j)) return false;
      metadata = true;
    } else {
      if (!read_entry(s, j, e)) return false;
      s->count++;
    }
  } while (tocha_json_take(j, ','));
  return tocha_json_take(j, '}');
}

/* --- the ranges of bytes ---------------------------------------------------------------------- */

static int by_place(const void *a, const void *b) {
  const entry *x = a, *y = b;
  if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
  if (x->end != y->end) return x->end < y->end ? -1 : 1;
  return strcmp(x->name, y->name);
}

static int by_name(const void *a, const void *b) {
  return strcmp((*(const entry *const *)a)->name, (*(const entry *const *)b)->name);
}

static bool has_duplicates(tocha_safetensors *s) {
  uint64_t bytes = (uint64_t)s->count * sizeof(entry *);
  const entry **order = tocha_allocate(s->context, bytes);
  if (!order) return true;
  for (int64_t i = 0; i < s->count; i++) order[i] = &s->entries[i];
  qsort(order, (size_t)s->count, sizeof *order, by_name);
  bool found = false;
  for (int64_t i = 1; i < s->count && !found; i++)
    found = strcmp(order[i - 1]->name, order[i]->name) == 0;
  tocha_deallocate(s->context, order, bytes);
  return found;
}

/* Checks that the ranges follow one another, cover all bytes, and have the lengths of shape and
 * type. */
static bool check_ranges(tocha_safetensors *s) {
  int64_t at = 0, left = s->source.size - s->data;
  if (s->count) qsort(s->entries, (size_t)s->count, sizeof *s->entries, by_place);
  for (int64_t i = 0; i < s->count; i++) {
    const entry *e = &s->entries[i];
    int64_t bits = tocha_safetensors_types[e->type].bits;
    bool overflow = false;
    for (int k = 0; k < e->ndim; k++) overflow |= __builtin_mul_overflow(bits, e->sizes[k], &bits);
    for (int k = 0; k < e->ndim; k++) overflow &= e->sizes[k] != 0;
    if (e->begin != at || e->end < e->begin)
      return fail_head(s->context, "invalid offset for a tensor");
    if (overflow || bits % 8 || bits / 8 != e->end - e->begin)
      return fail_head(s->context, "invalid shape, data type, or offset for tensor");
    at = e->end;
  }
  if (at != left) return fail_head(s->context, "incomplete metadata, file not fully covered");
  if (s->count > 1 && has_duplicates(s))
    return tocha_failed(s->context) ? false : fail_head(s->context, "duplicate names");
  return true;
}

static bool read_head(tocha_safetensors *s) {
  tocha_context *cx = s->context;
  char raw[8];
  if (s->source.size < (int64_t)sizeof raw) return fail_head(cx, "header too small");
  if (!tocha_source_read(cx, &s->source, 0, raw, sizeof raw)) return false;
  uint64_t length = tocha_little_endian(raw, 8);
  if (length > LARGEST_HEAD) return fail_head(cx, "header too large");
  if ((int64_t)length > s->source.size - 8) return fail_head(cx, "invalid header length");
  s->data = 8 + (int64_t)length;
  /* the block has room for all texts and sizes: a size takes 8 bytes, and took at least 2 in the
   * head */
  char *head = tocha_allocate(cx, length + 1);
  s->block_size = 5 * length + 64;
  s->block = head ? tocha_allocate(cx, s->block_size) : NULL;
  bool done = s->block && tocha_source_read(cx, &s->source, 8, head, length);
  tocha_json j = {head, head + length};
  if (done && !(length && *head == '{' && read_entries(s, &j) && tocha_json_end(&j)))
    done = tocha_failed(cx) ? false : fail_head(cx, "invalid JSON in header");
  tocha_deallocate(cx, head, head ? length + 1 : 0);
  return done && check_ranges(s);
}

/* --- a file ------------------------------------------------------------------------------------------------------- */

/* Takes the bytes that the source owns, even if it fails. */
static tocha_safetensors *open_source(tocha_context *cx, tocha_source *source) {
  char start[TOCHA_KIND_HEAD];
  size_t length = source->size < TOCHA_KIND_HEAD ? (size_t)source->size : sizeof start;
  bool read = tocha_source_read(cx, source, 0, start, length);
  tocha_safetensors *s = read ? tocha_allocate_zeroed(cx, sizeof *s) : NULL;
  if (!s) {
    tocha_source_close(cx, source);
    return NULL;
  }
  tocha_context_retain(cx);
  s->context = cx;
  s->source = *source;
  if (read_head(s)) return s;
  tocha_hint_kind(cx, source->path, start, length, source->size, "a .safetensors file");
  tocha_safetensors_close(s);
  return NULL;
}

tocha_safetensors *tocha_safetensors_open_from(tocha_context *cx, const tocha_reader *reader) {
  tocha_source source;
  if (!tocha_check_reader(cx, "safe_open", reader)) return NULL;
  return tocha_source_open(cx, reader, &source) ? open_source(cx, &source) : NULL;
}

tocha_safetensors *tocha_safetensors_open(tocha_context *cx, FILE *file) {
  if (!tocha_check_file(cx, "safe_open", file)) return NULL;
  tocha_reader reader = tocha_reader_of_file(file);
  return tocha_safetensors_open_from(cx, &reader);
}

tocha_safetensors *tocha_safetensors_from_bytes(tocha_context *cx, const void *bytes,
                                                size_t length) {
  if (tocha_failed(cx)) return NULL;
  if (!bytes) return tocha_refuse_none(cx, "safe_open", "bytes", "bytes");
  tocha_source source = tocha_source_of_bytes(bytes, length);
  return open_source(cx, &source);
}

void tocha_safetensors_close(tocha_safetensors *s) {
  if (!s) return;
  tocha_context *cx = s->context;
  tocha_source_close(cx, &s->source);
  tocha_deallocate(cx, s->block, s->block ? s->block_size : 0);
  tocha_deallocate(cx, s->entries, (uint64_t)s->capacity * sizeof *s->entries);
  tocha_deallocate(cx, s->metadata, (uint64_t)s->metadata_capacity * sizeof *s->metadata);
  tocha_deallocate(cx, s, sizeof *s);
  tocha_context_release(cx);
}

int64_t tocha_safetensors_count(const tocha_safetensors *s) { return s ? s->count : 0; }

static const entry *entry_of(const tocha_safetensors *s, int64_t i) {
  return s && i >= 0 && i < s->count ? &s->entries[i] : NULL;
}

const char *tocha_safetensors_name(const tocha_safetensors *s, int64_t i) {
  const entry *e = entry_of(s, i);
  return e ? e->name : NULL;
}

int64_t tocha_safetensors_find(const tocha_safetensors *s, const char *name) {
  for (int64_t i = 0; s && name && i < s->count; i++)
    if (strcmp(s->entries[i].name, name) == 0) return i;
  return -1;
}

tocha_dtype tocha_safetensors_dtype(const tocha_safetensors *s, int64_t i) {
  const entry *e = entry_of(s, i);
  return e ? tocha_safetensors_types[e->type].dtype : TOCHA_NO_DTYPE;
}

const char *tocha_safetensors_type_name(const tocha_safetensors *s, int64_t i) {
  const entry *e = entry_of(s, i);
  return e ? tocha_safetensors_types[e->type].name : NULL;
}

const int64_t *tocha_safetensors_sizes(const tocha_safetensors *s, int64_t i, int *ndim) {
  const entry *e = entry_of(s, i);
  if (ndim) *ndim = e ? e->ndim : 0;
  return e ? e->sizes : NULL;
}

const char *tocha_safetensors_metadata_name(const tocha_safetensors *s, int64_t i) {
  return s && i >= 0 && i < s->metadata_count ? s->metadata[i].name : NULL;
}

const char *tocha_safetensors_metadata_text(const tocha_safetensors *s, int64_t i) {
  return s && i >= 0 && i < s->metadata_count ? s->metadata[i].text : NULL;
}

/* Reads `length` bytes of elements of a foreign type into a tensor of the dtype that they are converted to. */
static tocha_tensor *read_foreign(tocha_context *cx, const tocha_safetensors *s, const entry *e,
                                  int64_t at, int64_t length) {
  const tocha_safetensors_type *type = &tocha_safetensors_types[e->type];
  const int number = tocha_find_foreign(type->foreign);
  const tocha_foreign *foreign = &tocha_foreign_types[number];
  int64_t n = length / foreign->size;
  tocha_tensor *bytes = tocha_source_tensor(cx, &s->source, at, length, TOCHA_UINT8, false);
  tocha_tensor *t = bytes ? tocha_new(cx, 1, &n, foreign->as, tocha_cpu()) : NULL;
  if (!t || !n) return t;
  if (!tocha_is_little_endian()) tocha_swap_bytes(tocha_bytes(bytes), n, foreign->size);
  if (!tocha_foreign_fits(number, tocha_bytes(bytes), n))
    return tocha_refuse_foreign(cx, e->name, type->name);
  tocha_convert_foreign(number, tocha_bytes(bytes), n, tocha_bytes(t));
  return t;
}

tocha_tensor *tocha_safetensors_read(tocha_context *cx, const tocha_safetensors *s, int64_t i,
                                     int64_t first, int64_t stop) {
  const entry *e = entry_of(s, i);
  if (tocha_failed(cx)) return NULL;
  if (!e) return tocha_fail(cx, TOCHA_KEY_ERROR, "File does not contain such a tensor");
  const tocha_safetensors_type *type = &tocha_safetensors_types[e->type];
  if (type->dtype == TOCHA_NO_DTYPE && !type->foreign)
    return tocha_refuse_foreign(cx, e->name, type->name);
  int64_t sizes[TOCHA_MAX_DIMS], bytes = e->end - e->begin;
  for (int k = 0; k < e->ndim; k++) sizes[k] = e->sizes[k];
  if (e->ndim && stop == -1) stop = sizes[0];
  if (!e->ndim) first = stop = 0;
  if (first < 0 || first > stop || (e->ndim && stop > sizes[0]))
    return tocha_fail(cx, TOCHA_INDEX_ERROR, "rows %lld to %lld are not in the tensor",
                      (long long)first, (long long)stop);
  int64_t row = e->ndim && sizes[0] ? bytes / sizes[0] : 0;
  int64_t at = e->ndim ? first * row : 0, length = e->ndim ? (stop - first) * row : bytes;
  if (e->ndim) sizes[0] = stop - first;
  tocha_tensor *flat = type->foreign ? read_foreign(cx, s, e, s->data + e->begin + at, length)
                                     : tocha_source_tensor(cx, &s->source, s->data + e->begin + at,
                                                           length / tocha_item_size(type->dtype),
                                                           type->dtype, false);
  int64_t strides[TOCHA_MAX_DIMS];
  tocha_row_major_strides(e->ndim, sizes, strides);
  return flat ? tocha_alias(cx, flat, e->ndim, sizes, strides, 0) : NULL;
}

/* --- the whole file ----------------------------------------------------------------------------------------------- */

bool tocha_is_safetensors(const char *head, size_t length, int64_t size) {
  uint64_t bytes = length >= 8 ? tocha_little_endian(head, 8) : UINT64_MAX;
  return bytes <= LARGEST_HEAD && (int64_t)bytes <= size - 8 && length > 8 && head[8] == '{';
}

/* Returns tensor i of the file on its device, or the value that stands for it if Tocha lacks its type. */
static tocha_value *load_entry(tocha_loader *l, const tocha_safetensors *s, int64_t i) {
  const entry *e = &s->entries[i];
  tocha_tensor *t = tocha_safetensors_read(l->cx, s, i, 0, -1);
  if (!t && tocha_failed(l->cx) && tocha_error(l->cx)->code == TOCHA_NOT_IMPLEMENTED_ERROR) {
    tocha_clear_error(l->cx);
    tocha_value *sizes = tocha_new_collection(l->out, TOCHA_VALUE_SIZE);
    for (int k = 0; sizes && k < e->ndim; k++)
      if (!tocha_value_append(l->out, sizes, tocha_new_int(l->out, e->sizes[k]))) return NULL;
    return sizes ? tocha_missing_tensor(l, tocha_safetensors_types[e->type].name, sizes) : NULL;
  }
  if (t && l->options->has_device)
    t = tocha_to(l->cx, t, l->options->device, TOCHA_NO_DTYPE, false, false);
  return t ? tocha_new_tensor(l->out, t) : NULL;
}

const tocha_value *tocha_load_safetensors(tocha_loader *l) {
  tocha_source source = *l->source;
  source.block = (tocha_byte_block){NULL, 0, 0}; /* the loader frees it */
  tocha_safetensors *s = open_source(l->cx, &source);
  tocha_value *v = s ? tocha_new_collection(l->out, TOCHA_VALUE_DICT) : NULL;
  for (int64_t i = 0; v && i < s->count; i++) {
    const char *name = s->entries[i].name;
    const tocha_value *t = load_entry(l, s, i);
    if (!t || !tocha_value_set(l->out, v, tocha_new_string(l->out, name, strlen(name)), t))
      v = NULL;
  }
  tocha_safetensors_close(s);
  return v;
}
