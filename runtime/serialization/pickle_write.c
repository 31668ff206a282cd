/* pickle_write.c: writes values as a pickle of protocol 2, with the opcodes that
 * torch.load(weights_only=True) accepts. */
#include <stdio.h>
#include <string.h>

#include "serialization/pickle.h"

enum { BATCH = 1000 }; /* items between a mark and the opcode that adds them */

/* Names that are written once and then recalled; the constants number their notes. */
enum {
  ORDERED_DICT,
  REBUILD,
  REBUILD_TYPED,
  UNTYPED_STORAGE,
  PARAMETER,
  UNINITIALIZED_PARAMETER,
  UNINITIALIZED_BUFFER,
  META,
  SIZE,
  DEVICE,
  SET,
  ENCODE,
  WORD_STORAGE,
  WORD_CPU,
  WORD_LATIN1,
  CLASSES,
  DTYPES = CLASSES + TOCHA_DTYPE_COUNT,
  NOTES = DTYPES + TOCHA_DTYPE_COUNT
};

typedef struct writer {
  tocha_saver *s;
  tocha_context *cx;
  int64_t notes[NOTES];
} writer;

static bool write(writer *w, const tocha_value *v, int depth);

/* --- bytes ------------------------------------------------------------------------------------------------ */

static bool put(writer *w, const void *bytes, size_t length) {
  tocha_byte_block *b = &w->s->out;
  if (!length) return true;
  if (!tocha_bytes_reserve(w->cx, b, b->size + length)) return false;
  memcpy(b->data + b->size, bytes, length);
  b->size += length;
  return true;
}

static bool put_op(writer *w, int op, uint64_t number, int bytes) {
  uint8_t raw[9] = {(uint8_t)op};
  for (int i = 1; i <= bytes; i++, number >>= 8) raw[i] = (uint8_t)(number & 255);
  return put(w, raw, (size_t)bytes + 1);
}

static bool put_note(writer *w, int64_t *note) {
  *note = w->s->noted++;
  if (*note > UINT32_MAX)
    return tocha_fail(w->cx, TOCHA_VALUE_ERROR, "there are too many values for a pickle");
  return *note < 256 ? put_op(w, 'q', (uint64_t)*note, 1) : put_op(w, 'r', (uint64_t)*note, 4);
}

static bool recall(writer *w, int64_t note) {
  return note < 256 ? put_op(w, 'h', (uint64_t)note, 1) : put_op(w, 'j', (uint64_t)note, 4);
}

static bool put_text(writer *w, const char *text, size_t length) {
  if (length > UINT32_MAX)
    return tocha_fail(w->cx, TOCHA_VALUE_ERROR, "a text is too long for a pickle");
  return put_op(w, 'X', length, 4) && put(w, text, length);
}

static bool put_word(writer *w, int note, const char *text) {
  if (w->notes[note] >= 0) return recall(w, w->notes[note]);
  return put_text(w, text, strlen(text)) && put_note(w, &w->notes[note]);
}

static bool put_global(writer *w, int note, const char *module, const char *name) {
  if (w->notes[note] >= 0) return recall(w, w->notes[note]);
  return put_op(w, 'c', 0, 0) && put(w, module, strlen(module)) && put(w, "\n", 1) &&
         put(w, name, strlen(name)) && put(w, "\n", 1) && put_note(w, &w->notes[note]);
}

static bool put_int(writer *w, int64_t n) {
  if (n >= 0 && n < 256) return put_op(w, 'K', (uint64_t)n, 1);
  if (n >= 0 && n < 65536) return put_op(w, 'M', (uint64_t)n, 2);
  if (n >= INT32_MIN && n <= INT32_MAX) return put_op(w, 'J', (uint64_t)n, 4);
  return put(w, "\x8a\x08", 2) && put_op(w, (int)(n & 255), (uint64_t)(n >> 8), 7);
}

static bool put_float(writer *w, double number) {
  uint64_t bits;
  memcpy(&bits, &number, sizeof bits);
  if (!put_op(w, 'G', 0, 0)) return false;
  uint8_t raw[8];
  for (int i = 0; i < 8; i++) raw[i] = (uint8_t)(bits >> (56 - 8 * i) & 255);
  return put(w, raw, sizeof raw);
}

static bool put_bool(writer *w, bool flag) { return put_op(w, flag ? 0x88 : 0x89, 0, 0); }

static bool put_numbers(writer *w, int count, const int64_t *numbers) {
  if (count == 0) return put(w, ")", 1);
  if (count > 3 && !put(w, "(", 1)) return false;
  for (int i = 0; i < count; i++)
    if (!put_int(w, numbers[i])) return false;
  return count > 3 ? put(w, "t", 1) : put_op(w, 0x84 + count, 0, 0);
}

/* --- tensors ------------------------------------------------------------------------------------------------ */

static size_t hash_pointer(const void *p) { return (uintptr_t)p / 16 * 0x9E3779B1u; }

static const void *key_of(const tocha_tensor_set *set, const tocha_tensor *t) {
  return set->by_storage ? (const void *)t->storage : (const void *)t;
}

/* Returns the slot of a tensor, or an empty one for it. */
static int *slot_of(const tocha_tensor_set *set, const tocha_tensor *t) {
  const void *key = key_of(set, t);
  size_t mask = set->slot_count - 1, i = hash_pointer(key) & mask;
  while (set->slots[i] && key_of(set, set->all[set->slots[i] - 1]) != key) i = (i + 1) & mask;
  return &set->slots[i];
}

static void free_set(tocha_context *cx, tocha_tensor_set *set) {
  tocha_deallocate(cx, set->all, set->capacity * sizeof *set->all);
  tocha_deallocate(cx, set->notes, set->capacity * sizeof *set->notes);
  tocha_deallocate(cx, set->slots, set->slot_count * sizeof *set->slots);
}

static bool make_room(tocha_context *cx, tocha_tensor_set *set) {
  if (set->count < set->capacity) return true;
  tocha_tensor_set wide = *set;
  wide.capacity = set->capacity ? 2 * set->capacity : 16;
  wide.slot_count = 4 * wide.capacity;
  wide.all = tocha_allocate(cx, wide.capacity * sizeof *wide.all);
  wide.notes = wide.all ? tocha_allocate(cx, wide.capacity * sizeof *wide.notes) : NULL;
  wide.slots = wide.notes ? tocha_allocate_zeroed(cx, wide.slot_count * sizeof *wide.slots) : NULL;
  if (!wide.slots) {
    wide.slot_count = 0;
    if (!wide.notes)
      tocha_deallocate(cx, wide.all, wide.all ? wide.capacity * sizeof *wide.all : 0);
    if (wide.notes) free_set(cx, &wide);
    return false;
  }
  if (set->count) memcpy(wide.all, set->all, set->count * sizeof *set->all);
  if (set->count) memcpy(wide.notes, set->notes, set->count * sizeof *set->notes);
  free_set(cx, set);
  *set = wide;
  for (size_t i = 0; i < set->count; i++) *slot_of(set, set->all[i]) = (int)i + 1;
  return true;
}

/* Returns the number of a tensor in a set, to which it is added if it is new. Returns -1 with an
 * error if memory is short. */
static int number_of(tocha_context *cx, tocha_tensor_set *set, tocha_tensor *t) {
  if (!make_room(cx, set)) return -1;
  int *slot = slot_of(set, t);
  if (!*slot) {
    set->all[set->count] = t;
    set->notes[set->count++] = -1;
    *slot = (int)set->count;
  }
  return *slot - 1;
}

static bool put_storage(writer *w, tocha_tensor *t) {
  char name[32], key[24], location[24];
  int number = number_of(w->cx, &w->s->storages, t);
  if (number < 0) return false;
  if (w->s->legacy && w->s->storages.all[number]->dtype != t->dtype)
    return tocha_fail(w->cx, TOCHA_RUNTIME_ERROR,
                      "Cannot save multiple tensors or storages that view the same data as "
                      "different types");
  snprintf(name, sizeof name, "%sStorage", tocha_dtype_scalar_type(t->dtype));
  int length = snprintf(key, sizeof key, "%d", number);
  bool done =
      put(w, "(", 1) && put_word(w, WORD_STORAGE, "storage") &&
      (tocha_is_float8(t->dtype) ? put_global(w, UNTYPED_STORAGE, "torch.storage", "UntypedStorage")
                                 : put_global(w, CLASSES + t->dtype, "torch", name)) &&
      put_text(w, key, (size_t)length);
  if (t->device.type == TOCHA_CPU)
    done = done && put_word(w, WORD_CPU, "cpu");
  else
    done =
        done && tocha_device_text(t->device, location) && put_text(w, location, strlen(location));
  return done && put_int(w, (int64_t)t->storage->bytes / tocha_item_size(t->dtype)) &&
         (!w->s->legacy || put(w, "N", 1)) && put(w, "tQ", 2);
}

static bool put_empty_ordered_dict(writer *w) {
  return put_global(w, ORDERED_DICT, "collections", "OrderedDict") && put(w, ")R", 2);
}

static bool put_dtype(writer *w, tocha_dtype dtype) {
  return put_global(w, DTYPES + (int)dtype, "torch", tocha_dtype_name(dtype));
}

/* Writes a call of the class, as PyTorch does. The dtype and the device are lost. */
static bool put_uninitialized(writer *w, tocha_tensor *t) {
  int note = tocha_is_parameter(t) ? UNINITIALIZED_PARAMETER : UNINITIALIZED_BUFFER;
  return put_global(w, note, "torch.nn.parameter", tocha_uninitialized_name(t)) &&
         put_bool(w, tocha_requires_grad(t)) && put(w, "\x85R", 2);
}

static bool put_new_tensor(writer *w, tocha_tensor *t) {
  bool grad = tocha_requires_grad(t), parameter = tocha_is_parameter(t);
  bool typed = tocha_is_float8(t->dtype); /* there is no class of storages for these dtypes */
  if (tocha_is_uninitialized(t)) return put_uninitialized(w, t);
  if (parameter &&
      !(put_global(w, PARAMETER, "torch._utils", "_rebuild_parameter") && put(w, "(", 1)))
    return false;
  bool done;
  if (t->device.type == TOCHA_META)
    done = put_global(w, META, "torch._utils", "_rebuild_meta_tensor_no_storage") &&
           put(w, "(", 1) && put_dtype(w, t->dtype) && put_numbers(w, t->ndim, t->sizes) &&
           put_numbers(w, t->ndim, t->strides) && put_bool(w, grad && !parameter);
  else
    done = (typed ? put_global(w, REBUILD_TYPED, "torch._utils", "_rebuild_tensor_v3")
                  : put_global(w, REBUILD, "torch._utils", "_rebuild_tensor_v2")) &&
           put(w, "(", 1) && put_storage(w, t) && put_int(w, t->offset) &&
           put_numbers(w, t->ndim, t->sizes) && put_numbers(w, t->ndim, t->strides) &&
           put_bool(w, grad && !parameter) && put_empty_ordered_dict(w) &&
           (!typed || put_dtype(w, t->dtype));
  if (!done || !put(w, "tR", 2)) return false;
  return !parameter || (put_bool(w, grad) && put_empty_ordered_dict(w) && put(w, "tR", 2));
}

/* Writes a tensor. A tensor that was written before is the same object again, as in Python's
 * pickles. */
static bool put_tensor(writer *w, tocha_tensor *t) {
  if (tocha_is_forgotten(t))
    return tocha_fail(w->cx, TOCHA_RUNTIME_ERROR, "save: a tensor was freed");
  int number = number_of(w->cx, &w->s->tensors, t);
  if (number < 0) return false;
  int64_t *note = &w->s->tensors.notes[number];
  if (*note >= 0) return recall(w, *note);
  return put_new_tensor(w, t) && put_note(w, note);
}

/* --- other values --------------------------------------------------------------------------------------------- */

/* Writes bytes as a text that is encoded in latin1. */
static bool put_bytes(writer *w, const tocha_value *v) {
  size_t length = tocha_text_length(v), wide = length;
  for (size_t i = 0; i < length; i++) wide += (unsigned char)v->as.bytes[i] >> 7;
  if (wide > UINT32_MAX)
    return tocha_fail(w->cx, TOCHA_VALUE_ERROR, "bytes are too long for a pickle");
  tocha_byte_block *b = &w->s->out;
  if (!put_global(w, ENCODE, "_codecs", "encode") || !put_op(w, 'X', wide, 4) ||
      !tocha_bytes_reserve(w->cx, b, b->size + wide))
    return false;
  for (size_t i = 0; i < length; i++) {
    unsigned char c = (unsigned char)v->as.bytes[i];
    if (c >= 0x80) b->data[b->size++] = (char)(0xc0 | c >> 6);
    b->data[b->size++] = (char)(c >= 0x80 ? 0x80 | (c & 0x3f) : c);
  }
  return put_word(w, WORD_LATIN1, "latin1") && put(w, "\x86R", 2);
}

static bool put_device(writer *w, tocha_device d) {
  char text[24];
  tocha_device_text(d, text);
  char *colon = strchr(text, ':');
  size_t length = colon ? (size_t)(colon - text) : strlen(text);
  if (!put_global(w, DEVICE, "torch", "device") || !put_text(w, text, length)) return false;
  return (colon ? put_int(w, d.index) && put(w, "\x86", 1) : put(w, "\x85", 1)) && put(w, "R", 1);
}

/* Writes items or entries in batches: "(", the items, then the opcode `word` that adds them. */
static bool put_items(writer *w, const tocha_collection *l, const char *word, size_t step,
                      int depth) {
  for (size_t i = 0; i < l->count;) {
    size_t end = l->count - i > step * BATCH ? i + step * BATCH : l->count;
    if (!put(w, "(", 1)) return false;
    for (; i < end; i++)
      if (!write(w, l->items[i], depth)) return false;
    if (!put(w, word, 1)) return false;
  }
  return true;
}

static bool put_tuple(writer *w, const tocha_collection *l, int depth) {
  if (l->count == 0) return put(w, ")", 1);
  if (l->count > 3 && !put(w, "(", 1)) return false;
  for (size_t i = 0; i < l->count; i++)
    if (!write(w, l->items[i], depth)) return false;
  return l->count > 3 ? put(w, "t", 1) : put_op(w, 0x84 + (int)l->count, 0, 0);
}

static bool put_collection(writer *w, const tocha_value *v, int depth) {
  tocha_collection *l = v->as.collection;
  if (l->number >= 0) return recall(w, l->number);
  if (depth == TOCHA_VALUE_DEPTH || tocha_interrupted(w->cx))
    return tocha_fail(w->cx, TOCHA_VALUE_ERROR, "save: values are nested too deeply");
  depth++;
  switch (v->kind) {
  case TOCHA_VALUE_LIST:
    return put(w, "]", 1) && put_note(w, &l->number) && put_items(w, l, "e", 1, depth);
  case TOCHA_VALUE_DICT:
    return put(w, "}", 1) && put_note(w, &l->number) && put_items(w, l, "u", 2, depth);
  case TOCHA_VALUE_ORDERED_DICT:
    return put_empty_ordered_dict(w) && put_note(w, &l->number) && put_items(w, l, "u", 2, depth) &&
           (!l->attributes || (write(w, l->attributes, depth) && put(w, "b", 1)));
  case TOCHA_VALUE_SET:
    return put_global(w, SET, "__builtin__", "set") && put(w, "]", 1) &&
           put_items(w, l, "e", 1, depth) && put(w, "\x85R", 2) && put_note(w, &l->number);
  case TOCHA_VALUE_SIZE:
    return put_global(w, SIZE, "torch", "Size") && put_tuple(w, l, depth) && put(w, "\x85R", 2);
  default:
    return put_tuple(w, l, depth) && (!l->count || put_note(w, &l->number));
  }
}

static bool write(writer *w, const tocha_value *v, int depth) {
  switch (v->kind) {
  case TOCHA_VALUE_OBJECT:
  case TOCHA_VALUE_ARRAY:
  case TOCHA_VALUE_MISSING:
    return tocha_fail(w->cx, TOCHA_TYPE_ERROR, "cannot pickle '%s' object", tocha_value_type(v));
  case TOCHA_VALUE_NONE:
    return put(w, "N", 1);
  case TOCHA_VALUE_BOOL:
    return put_bool(w, v->as.flag);
  case TOCHA_VALUE_INT:
    return put_int(w, v->as.integer);
  case TOCHA_VALUE_FLOAT:
    return put_float(w, v->as.number);
  case TOCHA_VALUE_STRING:
    return put_text(w, v->as.bytes, tocha_text_length(v));
  case TOCHA_VALUE_BYTES:
    return put_bytes(w, v);
  case TOCHA_VALUE_TENSOR:
    return put_tensor(w, v->as.tensor);
  case TOCHA_VALUE_DTYPE:
    return put_dtype(w, v->as.dtype);
  case TOCHA_VALUE_DEVICE:
    return put_device(w, v->as.device);
  default:
    return put_collection(w, v, depth);
  }
}

bool tocha_pickle(tocha_saver *s, const tocha_value *value) {
  writer w = {.s = s, .cx = s->cx};
  for (int i = 0; i < NOTES; i++) w.notes[i] = -1;
  s->noted = 0;
  s->storages.by_storage = true;
  return put(&w, "\x80\x02", 2) && write(&w, value, 0) && put(&w, ".", 1);
}

void tocha_saver_free(tocha_saver *s) {
  tocha_bytes_free(s->cx, &s->out);
  free_set(s->cx, &s->storages);
  free_set(s->cx, &s->tensors);
}
