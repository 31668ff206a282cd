/* checkpoint.c: the tree of Python values that a file contains. The checkpoint owns all of them,
 * so that even values that contain themselves are freed with it. */
#include "serialization/checkpoint.h"

#include <string.h>

enum { FIRST_CHUNK = 1024, LARGEST_CHUNK = 1 << 16 };

struct tocha_value_chunk {
  tocha_value_chunk *next;
  size_t size, used; /* in bytes, this header included */
};

/* --- memory --------------------------------------------------------------------------------------------- */

tocha_checkpoint *tocha_checkpoint_new(tocha_context *cx) {
  tocha_checkpoint *c = tocha_failed(cx) ? NULL : tocha_allocate_zeroed(cx, sizeof *c);
  if (!c) return NULL;
  tocha_context_retain(cx);
  c->context = cx;
  c->budget = UINT64_MAX;
  return c;
}

void tocha_checkpoint_free(tocha_checkpoint *c) {
  if (!c) return;
  tocha_context *cx = c->context;
  for (size_t i = 0; i < c->tensor_count; i++) tocha_release(c->tensors[i]);
  tocha_deallocate(cx, c->tensors, c->tensor_capacity * sizeof *c->tensors);
  for (tocha_collection *l = c->collections; l; l = l->next)
    tocha_deallocate(cx, l->items, l->capacity * sizeof *l->items);
  for (tocha_value_chunk *next, *k = c->chunks; k; k = next) {
    next = k->next;
    tocha_deallocate(cx, k, k->size);
  }
  tocha_deallocate(cx, c, sizeof *c);
  tocha_context_release(cx);
}

bool tocha_checkpoint_charge(tocha_checkpoint *c, uint64_t bytes) {
  if (bytes > c->budget)
    return tocha_fail(c->context, TOCHA_RUNTIME_ERROR,
                      "the file asks for more memory than what it holds can need");
  if (c->budget != UINT64_MAX) c->budget -= bytes;
  return true;
}

void *tocha_checkpoint_take(tocha_checkpoint *c, size_t size) {
  size = (size + 7) & ~(size_t)7;
  tocha_value_chunk *k = c->chunks;
  if (!k || k->size - k->used < size) {
    size_t capacity = k ? 2 * k->size : FIRST_CHUNK;
    if (capacity > LARGEST_CHUNK) capacity = LARGEST_CHUNK;
    if (capacity < size + sizeof *k) capacity = size + sizeof *k;
    if (!tocha_checkpoint_charge(c, capacity) || !(k = tocha_allocate(c->context, capacity)))
      return NULL;
    *k = (tocha_value_chunk){c->chunks, capacity, sizeof *k};
    c->chunks = k;
  }
  k->used += size;
  return (char *)k + k->used - size;
}

tocha_value *tocha_value_raw(tocha_checkpoint *c, int kind, int extra) {
  tocha_value *v = tocha_checkpoint_take(c, sizeof *v);
  if (!v) return NULL;
  memset(v, 0, sizeof *v);
  v->kind = (uint8_t)kind;
  v->extra = (uint8_t)extra;
  return v;
}

/* --- creating values ------------------------------------------------------------------------ */

static bool usable(const tocha_checkpoint *c) { return c && !tocha_failed(c->context); }

tocha_value *tocha_new_none(tocha_checkpoint *c) {
  return usable(c) ? tocha_value_raw(c, TOCHA_VALUE_NONE, 0) : NULL;
}

tocha_value *tocha_new_bool(tocha_checkpoint *c, bool flag) {
  tocha_value *v = usable(c) ? tocha_value_raw(c, TOCHA_VALUE_BOOL, 0) : NULL;
  if (v) v->as.flag = flag;
  return v;
}

tocha_value *tocha_new_int(tocha_checkpoint *c, int64_t number) {
  tocha_value *v = usable(c) ? tocha_value_raw(c, TOCHA_VALUE_INT, 0) : NULL;
  if (v) v->as.integer = number;
  return v;
}

tocha_value *tocha_new_float(tocha_checkpoint *c, double number) {
  tocha_value *v = usable(c) ? tocha_value_raw(c, TOCHA_VALUE_FLOAT, 0) : NULL;
  if (v) v->as.number = number;
  return v;
}

tocha_value *tocha_value_unfilled(tocha_checkpoint *c, int kind, size_t length, char **content) {
  if (length > PTRDIFF_MAX / 2)
    return tocha_fail(c->context, TOCHA_VALUE_ERROR, "a text is too long");
  tocha_value *v = tocha_value_raw(c, kind, 0);
  char *bytes = v ? tocha_checkpoint_take(c, sizeof length + length + 1) : NULL;
  if (!bytes) return NULL;
  memcpy(bytes, &length, sizeof length);
  *content = bytes + sizeof length;
  (*content)[length] = '\0';
  v->as.bytes = *content;
  return v;
}

static tocha_value *new_text(tocha_checkpoint *c, int kind, const char *bytes, size_t length) {
  char *content;
  if (!usable(c)) return NULL;
  if (!bytes) return tocha_refuse_none(c->context, "save", "text", "str");
  tocha_value *v = tocha_value_unfilled(c, kind, length, &content);
  if (v && length) memcpy(content, bytes, length);
  return v;
}

tocha_value *tocha_new_string(tocha_checkpoint *c, const char *text, size_t length) {
  return new_text(c, TOCHA_VALUE_STRING, text, length);
}

tocha_value *tocha_new_bytes(tocha_checkpoint *c, const char *bytes, size_t length) {
  return new_text(c, TOCHA_VALUE_BYTES, bytes, length);
}

tocha_value *tocha_new_tensor(tocha_checkpoint *c, tocha_tensor *tensor) {
  if (!usable(c)) return NULL;
  if (!tensor) return tocha_refuse_none(c->context, "save", "tensor", "Tensor");
  if (c->tensor_count == c->tensor_capacity) {
    size_t capacity = c->tensor_capacity ? 2 * c->tensor_capacity : 16;
    tocha_tensor **all = tocha_checkpoint_charge(c, capacity * sizeof *all)
                             ? tocha_allocate(c->context, capacity * sizeof *all)
                             : NULL;
    if (!all) return NULL;
    if (c->tensor_count) memcpy(all, c->tensors, c->tensor_count * sizeof *all);
    tocha_deallocate(c->context, c->tensors, c->tensor_capacity * sizeof *all);
    c->tensors = all;
    c->tensor_capacity = capacity;
  }
  tocha_value *v = tocha_value_raw(c, TOCHA_VALUE_TENSOR, 0);
  if (!v) return NULL;
  v->as.tensor = c->tensors[c->tensor_count++] = tocha_retain(tensor);
  return v;
}

tocha_value *tocha_new_dtype(tocha_checkpoint *c, tocha_dtype dtype) {
  if (!usable(c)) return NULL;
  if (dtype < 0 || dtype >= TOCHA_DTYPE_COUNT)
    return tocha_fail(c->context, TOCHA_TYPE_ERROR, "there is no dtype %d", (int)dtype);
  tocha_value *v = tocha_value_raw(c, TOCHA_VALUE_DTYPE, 0);
  if (v) v->as.dtype = dtype;
  return v;
}

tocha_value *tocha_new_device(tocha_checkpoint *c, tocha_device device) {
  tocha_value *v = usable(c) ? tocha_value_raw(c, TOCHA_VALUE_DEVICE, 0) : NULL;
  if (v) v->as.device = device;
  return v;
}

tocha_value *tocha_new_collection(tocha_checkpoint *c, tocha_value_kind kind) {
  if (!usable(c)) return NULL;
  if (kind < TOCHA_VALUE_SIZE || kind > TOCHA_VALUE_OBJECT)
    return tocha_fail(c->context, TOCHA_TYPE_ERROR, "value kind %d is no collection", (int)kind);
  tocha_value *v = tocha_value_raw(c, kind, 0);
  tocha_collection *l = v ? tocha_checkpoint_take(c, sizeof *l) : NULL;
  if (!l) return NULL;
  *l = (tocha_collection){c->collections, NULL, 0, 0, NULL, -1, false};
  v->as.collection = c->collections = l;
  return v;
}

static bool reserve(tocha_checkpoint *c, tocha_collection *l, size_t more) {
  if (l->capacity - l->count >= more) return true;
  size_t capacity = l->capacity ? l->capacity + l->capacity / 2 + 1 : more;
  const tocha_value **items = tocha_checkpoint_charge(c, (capacity - l->capacity) * sizeof *items)
                                  ? tocha_allocate(c->context, capacity * sizeof *items)
                                  : NULL;
  if (!items) return false;
  if (l->count) memcpy(items, l->items, l->count * sizeof *items);
  tocha_deallocate(c->context, l->items, l->capacity * sizeof *items);
  l->items = items;
  l->capacity = capacity;
  return true;
}

static bool is_key(const tocha_checkpoint *c, const tocha_value *v) {
  if (v->kind == TOCHA_VALUE_TENSOR || v->kind == TOCHA_VALUE_OBJECT) return c->any_keys;
  return v->kind != TOCHA_VALUE_LIST && v->kind != TOCHA_VALUE_SET &&
         v->kind <= TOCHA_VALUE_ORDERED_DICT && !tocha_is_dict(v);
}

bool tocha_value_append(tocha_checkpoint *c, tocha_value *v, const tocha_value *item) {
  if (!usable(c)) return false;
  if (!v || !item) return tocha_refuse_none(c->context, "append", "item", "value");
  if (!tocha_is_collection(v) || tocha_is_dict(v))
    return tocha_fail(c->context, TOCHA_TYPE_ERROR, "'%s' object has no attribute 'append'",
                      tocha_value_type(v));
  if (v->kind == TOCHA_VALUE_SET && !is_key(c, item))
    return tocha_fail(c->context, TOCHA_TYPE_ERROR, "unhashable type: '%s'",
                      tocha_value_type(item));
  tocha_collection *l = v->as.collection;
  if (!reserve(c, l, 1)) return false;
  l->items[l->count++] = item;
  return true;
}

bool tocha_value_set(tocha_checkpoint *c, tocha_value *v, const tocha_value *key,
                     const tocha_value *item) {
  if (!usable(c)) return false;
  if (!v || !key || !item) return tocha_refuse_none(c->context, "set", "item", "value");
  if (!tocha_is_dict(v))
    return tocha_fail(c->context, TOCHA_TYPE_ERROR, "'%s' object does not support item assignment",
                      tocha_value_type(v));
  if (!is_key(c, key))
    return tocha_fail(c->context, TOCHA_TYPE_ERROR, "unhashable type: '%s'", tocha_value_type(key));
  tocha_collection *l = v->as.collection;
  if (!reserve(c, l, 2)) return false;
  l->items[l->count++] = key;
  l->items[l->count++] = item;
  return true;
}

bool tocha_value_set_attributes(tocha_checkpoint *c, tocha_value *v,
                                const tocha_value *attributes) {
  if (!usable(c)) return false;
  if (!v || !tocha_is_dict(v) || !attributes || !tocha_is_dict(attributes))
    return tocha_refuse_none(c->context, "set_attributes", "dict", "dict");
  v->as.collection->attributes = attributes;
  return true;
}

bool tocha_checkpoint_set_root(tocha_checkpoint *c, const tocha_value *value) {
  if (!usable(c)) return false;
  if (!value) return tocha_refuse_none(c->context, "save", "obj", "value");
  c->root = value;
  return true;
}

/* --- reading values ------------------------------------------------------------------------- */

const tocha_value *tocha_checkpoint_root(const tocha_checkpoint *c) { return c ? c->root : NULL; }

tocha_value_kind tocha_value_kind_of(const tocha_value *v) {
  return v ? (tocha_value_kind)v->kind : TOCHA_VALUE_NONE;
}

static bool is(const tocha_value *v, tocha_value_kind kind) { return v && v->kind == kind; }

bool tocha_value_bool(const tocha_value *v) { return is(v, TOCHA_VALUE_BOOL) && v->as.flag; }
int64_t tocha_value_int(const tocha_value *v) { return is(v, TOCHA_VALUE_INT) ? v->as.integer : 0; }
double tocha_value_float(const tocha_value *v) {
  return is(v, TOCHA_VALUE_FLOAT) ? v->as.number : (double)tocha_value_int(v);
}

const char *tocha_value_text(const tocha_value *v, size_t *length) {
  bool text = is(v, TOCHA_VALUE_STRING) || is(v, TOCHA_VALUE_BYTES) || is(v, TOCHA_VALUE_MISSING);
  if (length) *length = text ? tocha_text_length(v) : 0;
  return text ? v->as.bytes : NULL;
}

tocha_tensor *tocha_value_tensor(const tocha_value *v) {
  return is(v, TOCHA_VALUE_TENSOR) || is(v, TOCHA_VALUE_ARRAY) ? v->as.tensor : NULL;
}
tocha_dtype tocha_value_dtype(const tocha_value *v) {
  return is(v, TOCHA_VALUE_DTYPE) ? v->as.dtype : TOCHA_NO_DTYPE;
}
tocha_device tocha_value_device(const tocha_value *v) {
  return is(v, TOCHA_VALUE_DEVICE) ? v->as.device : (tocha_device){TOCHA_NO_DEVICE, 0};
}

int64_t tocha_value_count(const tocha_value *v) {
  if (!v || !tocha_is_collection(v)) return 0;
  return (int64_t)(tocha_is_dict(v) ? v->as.collection->count / 2 : v->as.collection->count);
}

const tocha_value *tocha_value_item(const tocha_value *v, int64_t i) {
  if (i < 0 || i >= tocha_value_count(v)) return NULL;
  return v->as.collection->items[tocha_is_dict(v) ? 2 * i + 1 : i];
}

const tocha_value *tocha_value_key(const tocha_value *v, int64_t i) {
  if (i < 0 || i >= tocha_value_count(v) || !tocha_is_dict(v)) return NULL;
  return v->as.collection->items[2 * i];
}

const tocha_value *tocha_value_find(const tocha_value *v, const char *key) {
  if (!key || !v || !tocha_is_dict(v)) return NULL;
  for (int64_t i = tocha_value_count(v) - 1; i >= 0; i--) {
    const tocha_value *k = tocha_value_key(v, i);
    if (k->kind == TOCHA_VALUE_STRING && strcmp(k->as.bytes, key) == 0)
      return tocha_value_item(v, i);
  }
  return NULL;
}

const tocha_value *tocha_value_attributes(const tocha_value *v) {
  return v && tocha_is_dict(v) ? v->as.collection->attributes : NULL;
}

const char *tocha_value_type(const tocha_value *v) {
  static const char *const names[] = {
      "NoneType", "bool",        "int",         "float",      "str",           "bytes",
      "Tensor",   "torch.dtype", "device",      "torch.Size", "list",          "tuple",
      "set",      "dict",        "OrderedDict", "object",     "numpy.ndarray", "missing tensor"};
  if (v->kind <= TOCHA_VALUE_MISSING) return names[v->kind];
  return v->kind == VALUE_GLOBAL ? "type" : v->kind == VALUE_STORAGE ? "storage" : "mark";
}

/* --- numbers -------------------------------------------------------------------------------- */

tocha_value *tocha_new_scalar(tocha_checkpoint *c, tocha_scalar number) {
  switch (number.kind) {
  case TOCHA_SCALAR_BOOL:
    return tocha_new_bool(c, number.value.integer != 0);
  case TOCHA_SCALAR_INT:
    return tocha_new_int(c, number.value.integer);
  case TOCHA_SCALAR_FLOAT:
    return tocha_new_float(c, number.value.real);
  default:
    return tocha_new_none(c);
  }
}

bool tocha_value_scalar(tocha_context *cx, const tocha_value *v, tocha_scalar *number) {
  const tocha_tensor *t = tocha_value_tensor(v);
  switch (tocha_value_kind_of(v)) {
  case TOCHA_VALUE_BOOL:
    *number = tocha_boolean(v->as.flag);
    return true;
  case TOCHA_VALUE_INT:
    *number = tocha_int(v->as.integer);
    return true;
  case TOCHA_VALUE_FLOAT:
    *number = tocha_float(v->as.number);
    return true;
  default:
    return t && tocha_numel(t) == 1 && tocha_item(cx, t, number);
  }
}

/* --- state dicts ---------------------------------------------------------------------------------------------- */

bool tocha_value_set_named(tocha_checkpoint *c, tocha_value *dict, const char *name,
                           const tocha_value *item) {
  return tocha_value_set(c, dict, tocha_new_string(c, name, name ? strlen(name) : 0), item);
}

/* Sets {"_metadata": OrderedDict([("encoder.0", {"version": 1}), ...])} as the dict's
 * attributes. */
bool tocha_value_note_modules(tocha_checkpoint *c, tocha_value *v, const tocha_state_dict *dict) {
  int64_t version;
  if (!usable(c)) return false;
  if (!tocha_state_dict_module_count(dict)) return true;
  tocha_value *metadata = tocha_new_collection(c, TOCHA_VALUE_ORDERED_DICT);
  tocha_value *attributes = tocha_new_collection(c, TOCHA_VALUE_DICT);
  if (!metadata || !attributes) return false;
  for (int i = 0; i < tocha_state_dict_module_count(dict); i++) {
    const char *path = tocha_state_dict_module(dict, i, &version);
    tocha_value *facts = tocha_new_collection(c, TOCHA_VALUE_DICT);
    if (!facts ||
        (version >= 0 && !tocha_value_set_named(c, facts, "version", tocha_new_int(c, version))) ||
        !tocha_value_set_named(c, metadata, path, facts))
      return false;
  }
  return tocha_value_set_named(c, attributes, "_metadata", metadata) &&
         tocha_value_set_attributes(c, v, attributes);
}

static bool read_versions(tocha_context *cx, const tocha_value *value, tocha_state_dict *dict) {
  const tocha_value *metadata = tocha_value_find(tocha_value_attributes(value), "_metadata");
  for (int64_t i = 0; metadata && i < tocha_value_count(metadata); i++) {
    const char *path = tocha_value_text(tocha_value_key(metadata, i), NULL);
    const tocha_value *version = tocha_value_find(tocha_value_item(metadata, i), "version");
    if (path && version && tocha_value_kind_of(version) == TOCHA_VALUE_INT &&
        !tocha_state_dict_add_module(cx, dict, path, tocha_value_int(version)))
      return false;
  }
  return true;
}

tocha_value *tocha_new_state_dict(tocha_checkpoint *c, const tocha_state_dict *dict) {
  if (!usable(c)) return NULL;
  if (!dict) return tocha_refuse_none(c->context, "save", "dict", "StateDict");
  tocha_value *v = tocha_new_collection(c, TOCHA_VALUE_ORDERED_DICT);
  for (int i = 0; v && i < tocha_state_dict_count(dict); i++) {
    const char *name = tocha_state_dict_name(dict, i);
    tocha_tensor *t = tocha_state_dict_tensor(dict, i);
    if (!t)
      return tocha_fail(c->context, TOCHA_TYPE_ERROR,
                        "the state dict's entry '%.200s' is no tensor", name);
    if (!tocha_value_set_named(c, v, name, tocha_new_tensor(c, t))) return NULL;
  }
  return v && tocha_value_note_modules(c, v, dict) ? v : NULL;
}

tocha_state_dict *tocha_value_state_dict(tocha_context *cx, const tocha_value *value) {
  if (tocha_failed(cx)) return NULL;
  if (!value || !tocha_is_dict(value)) {
    tocha_fail(cx, TOCHA_TYPE_ERROR, "Expected state_dict to be dict-like, got <class '%s'>.",
               value ? tocha_value_type(value) : "NoneType");
    return value ? NULL : tocha_hint(cx, "the checkpoint has no entry of that name");
  }
  tocha_state_dict *dict = tocha_state_dict_new(cx);
  for (int64_t i = 0; dict && i < tocha_value_count(value); i++) {
    const tocha_value *key = tocha_value_key(value, i), *item = tocha_value_item(value, i);
    const char *name = tocha_value_text(key, NULL);
    if (!name)
      tocha_fail(cx, TOCHA_TYPE_ERROR, "the names of a state dict are strings, not %s",
                 tocha_value_type(key));
    if (tocha_interrupted(cx) || !name ||
        !tocha_state_dict_set(cx, dict, name, tocha_value_tensor(item), tocha_value_type(item))) {
      tocha_state_dict_release(dict);
      return NULL;
    }
  }
  if (dict && !read_versions(cx, value, dict)) {
    tocha_state_dict_release(dict);
    return NULL;
  }
  return dict;
}
