/* storages.c: reads the bytes of tensors, and creates the tensors over them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/process.h"
#include "device/devices.h"
#include "serialization/pickle.h"
#include "tensor/copy.h"
#include "tocha/device.h"
#include "tocha/io.h"
#include "tocha/ops/to.h"

enum { KEY_ROOM = 512, LARGEST_ITEM = 8 };

static void *fail_storage(tocha_loader *l, const char *problem, const char *key) {
  return tocha_fail(l->cx, TOCHA_RUNTIME_ERROR, "Weights only load failed. Storage %.200s: %s", key,
                    problem);
}

/* --- storages by their keys -------------------------------------------------------------------------------- */

static size_t hash_key(const char *key) {
  size_t h = 5381;
  for (; *key; key++) h = h * 33 + (unsigned char)*key;
  return h;
}

static int *slot_of(const tocha_loader *l, const char *key) {
  size_t mask = l->slot_count - 1, i = hash_key(key) & mask;
  while (l->slots[i] && strcmp(l->stored[l->slots[i] - 1].key, key) != 0) i = (i + 1) & mask;
  return &l->slots[i];
}

tocha_stored *tocha_find_stored(tocha_loader *l, const char *key) {
  int number = l->slot_count ? *slot_of(l, key) : 0;
  return number ? &l->stored[number - 1] : NULL;
}

static bool rehash(tocha_loader *l) {
  size_t count = l->slot_count ? 2 * l->slot_count : 32;
  int *slots = tocha_allocate_zeroed(l->cx, count * sizeof *slots);
  if (!slots) return false;
  tocha_deallocate(l->cx, l->slots, l->slot_count * sizeof *slots);
  l->slots = slots;
  l->slot_count = count;
  for (size_t i = 0; i < l->stored_count; i++) *slot_of(l, l->stored[i].key) = (int)i + 1;
  return true;
}

static bool add_stored(tocha_loader *l, const char *key, tocha_tensor *base, int64_t count) {
  if (l->stored_count == l->stored_capacity) {
    size_t capacity = l->stored_capacity ? 2 * l->stored_capacity : 16;
    tocha_stored *all =
        tocha_checkpoint_charge(l->out, capacity * (sizeof *all + 4 * sizeof *l->slots))
            ? tocha_allocate(l->cx, capacity * sizeof *all)
            : NULL;
    if (!all) return false;
    if (l->stored_count) memcpy(all, l->stored, l->stored_count * sizeof *all);
    tocha_deallocate(l->cx, l->stored, l->stored_capacity * sizeof *all);
    l->stored = all;
    l->stored_capacity = capacity;
  }
  if (2 * (l->stored_count + 1) > l->slot_count && !rehash(l)) return false;
  char *copy = tocha_checkpoint_take(l->out, strlen(key) + 1);
  if (!copy) return false;
  memcpy(copy, key, strlen(key) + 1);
  *slot_of(l, copy) = (int)l->stored_count + 1;
  l->stored[l->stored_count++] = (tocha_stored){copy, base, count, NULL, 0};
  return true;
}

void tocha_loader_free(tocha_loader *l) {
  tocha_deallocate(l->cx, l->stored, l->stored_capacity * sizeof *l->stored);
  tocha_deallocate(l->cx, l->slots, l->slot_count * sizeof *l->slots);
}

/* --- devices ---------------------------------------------------------------------------------- */

static void *refuse_cuda(tocha_loader *l, const char *location) {
  tocha_fail(l->cx, TOCHA_RUNTIME_ERROR,
             "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is "
             "False. If you are running on a CPU-only machine, please use torch.load with "
             "map_location=torch.device('cpu') to map your storages to the CPU.");
  return tocha_hint(
      l->cx, "torch.load(path, {map_location = \"cpu\"}); the file's tensors were on '%.40s'",
      location);
}

bool tocha_read_device(const char *text, tocha_device *device) {
  static const char *const names[] = {"cpu", "cuda", "meta"};
  static const tocha_device_type types[] = {TOCHA_CPU, TOCHA_CUDA, TOCHA_META};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    size_t length = strlen(names[i]);
    if (strncmp(text, names[i], length) != 0) continue;
    const char *index = text + length;
    *device = (tocha_device){(int16_t)types[i], -1};
    if (!*index) return true;
    if (*index++ != ':' || !*index || strlen(index) > 3 ||
        strspn(index, "0123456789") != strlen(index))
      return false;
    device->index = (int16_t)strtol(index, NULL, 10);
    return true;
  }
  return false;
}

/* Finds the device for a storage that was saved at `location`. Fails if there is none. */
static bool find_place(tocha_loader *l, const char *location, tocha_device *device) {
  if (l->options->has_device) {
    *device = l->options->device;
    return tocha_resolve_device(l->cx, device);
  }
  if (!tocha_read_device(location, device))
    return fail_storage(l, "its location is no device that Tocha knows", location);
  if (device->type == TOCHA_CUDA && tocha_device_count(l->cx) == 0) return refuse_cuda(l, location);
  return device->type == TOCHA_CPU || tocha_resolve_device(l->cx, device);
}

static tocha_tensor *place_usually(tocha_loader *l, tocha_tensor *base, const char *location) {
  tocha_device device = tocha_cpu();
  if (!find_place(l, location, &device)) return NULL;
  if (device.type == TOCHA_CPU) return base;
  return tocha_to(l->cx, base, device, TOCHA_NO_DTYPE, false, false);
}

/* Returns the storage on its device: `base` itself, on the CPU, or another tensor. */
static tocha_tensor *place(tocha_loader *l, tocha_tensor *base, const char *location) {
  if (l->refused) return base;
  if (!l->options->place) return place_usually(l, base, location);
  tocha_tensor *t = l->options->place(l->cx, l->options->user, base, location);
  if (tocha_failed(l->cx)) return NULL;
  if (!t) return place_usually(l, base, location);
  if (t != base && (t->dtype != base->dtype || t->ndim != 1 || t->numel != base->numel ||
                    t->offset != 0 || tocha_is_forgotten(t) || !(t->flags & TOCHA_FLAG_CONTIGUOUS)))
    return tocha_fail(l->cx, TOCHA_RUNTIME_ERROR,
                      "map_location gave something else than the storage on some device");
  return t;
}

/* --- reading storages ------------------------------------------------------------------------- */

/* Counts the bytes of a storage. Fails if they exceed the file's, so that stored bytes cannot be
 * read many times under other names. */
static bool charge(tocha_loader *l, const char *key, int64_t bytes) {
  if (bytes > l->max_bytes - l->bytes)
    return fail_storage(l, "the file is too small for what it says it holds", key);
  l->bytes += bytes;
  return true;
}

static tocha_tensor *inflate_entry(tocha_loader *l, tocha_zip_entry *e, tocha_dtype dtype,
                                   int64_t n) {
  tocha_tensor *t = tocha_new(l->cx, 1, &n, dtype, tocha_cpu());
  if (!t || !n) return t;
  if (!tocha_zip_read(l->cx, l->zip, e, tocha_bytes(t))) return NULL;
  if (l->swapped) tocha_swap_bytes(tocha_bytes(t), n, (int)tocha_item_size(dtype));
  tocha_tidy_bools(t);
  return t;
}

static void release_mapping(void *mapping, void *data) {
  (void)data;
  tocha_storage_release(mapping);
}

/* Returns n elements of the file. The file is mapped once for all storages. */
static tocha_tensor *map_entry(tocha_loader *l, const tocha_zip_entry *e, tocha_dtype dtype,
                               int64_t n) {
  const tocha_source *s = l->source;
  if (!l->mapping)
    l->mapping = tocha_from_file(l->cx, s->path, false, s->base + s->size, TOCHA_UINT8, 0);
  if (!l->mapping) return NULL;
  tocha_storage *whole = tocha_storage_retain(l->mapping->storage);
  tocha_tensor *t = tocha_from_memory(l->cx, tocha_bytes(l->mapping) + s->base + e->at, 1, &n,
                                      dtype, release_mapping, whole);
  if (t)
    t->storage->any_thread = true;
  else
    tocha_storage_release(whole);
  return t;
}

/* Reads an entry of the archive into a tensor. */
static tocha_tensor *read_entry(tocha_loader *l, const char *key, tocha_dtype dtype, int64_t n) {
  char name[KEY_ROOM];
  int64_t item = tocha_item_size(dtype);
  const tocha_source *s = l->source;
  if (snprintf(name, sizeof name, "%sdata/%s", l->folder, key) >= (int)sizeof name)
    return fail_storage(l, "its name is too long", key);
  tocha_zip_entry *e = tocha_zip_find(l->zip, name);
  if (!e)
    return tocha_fail(l->cx, TOCHA_RUNTIME_ERROR,
                      "PytorchStreamReader failed locating file data/%.200s: file not found", key);
  if (e->size / item != n || e->size % item)
    return fail_storage(l, "its size is not what the archive says", key);
  if (!tocha_zip_locate(l->cx, l->zip, e) || !charge(l, key, e->size)) return NULL;
  if (l->refused) return tocha_new(l->cx, 1, &n, dtype, (tocha_device){TOCHA_META, 0});
  if (e->method) return inflate_entry(l, e, dtype, n);
  bool aligned = (s->base + e->at) % LARGEST_ITEM == 0; /* because its views may be of any dtype */
  if (l->options->mmap && tocha_may_map(l->cx) && s->path && n && aligned && !l->swapped &&
      dtype != TOCHA_BOOL)
    return map_entry(l, e, dtype, n);
  return inflate_entry(l, e, dtype, n);
}

/* Creates a storage of the old format, whose bytes follow later, on its device. */
static tocha_tensor *make_room(tocha_loader *l, const char *key, tocha_dtype dtype, int64_t n,
                               const char *location) {
  tocha_device device = tocha_cpu();
  if (!charge(l, key, n * tocha_item_size(dtype))) return NULL;
  if (l->refused) device.type = TOCHA_META;
  if (!l->refused && !l->options->place && !find_place(l, location, &device)) return NULL;
  tocha_tensor *t = tocha_new(l->cx, 1, &n, dtype, device);
  if (t && n && device.type == TOCHA_CPU && !tocha_fill_data(l->cx, t, tocha_int(0))) return NULL;
  return t && l->options->place ? place(l, t, location) : t;
}

/* Returns the storage that `key` names, and reads it on its first use. */
static const tocha_stored *store(tocha_loader *l, const char *key, tocha_element element,
                                 int64_t count, const char *location) {
  if (!tocha_find_stored(l, key)) {
    bool native = element < TOCHA_DTYPE_COUNT;
    tocha_dtype dtype = native ? (tocha_dtype)element : TOCHA_UINT8;
    int64_t n = native ? count : count * tocha_element_size(element);
    tocha_tensor *base =
        l->zip ? read_entry(l, key, dtype, n) : make_room(l, key, dtype, n, location);
    if (base && l->zip) base = place(l, base, location);
    if (!base || !add_stored(l, key, base, count)) return NULL;
  }
  return tocha_find_stored(l, key);
}

static void *fail_id(tocha_loader *l) {
  return tocha_fail(l->cx, TOCHA_RUNTIME_ERROR,
                    "Weights only load failed. WeightsUnpickler error: a persistent id names no "
                    "storage");
}

/* Loads the storage of an id ("storage", class, key, location, number of elements[, view]),
 * where view is None or (key, first, count). */
tocha_value *tocha_load_storage(tocha_loader *l, const tocha_value *id) {
  const tocha_value *type = tocha_value_item(id, 1), *count = tocha_value_item(id, 4);
  const char *what = tocha_value_text(tocha_value_item(id, 0), NULL);
  const char *key = tocha_value_text(tocha_value_item(id, 2), NULL);
  const char *location = tocha_value_text(tocha_value_item(id, 3), NULL);
  if (what && type && strcmp(what, "module") == 0 && type->kind == TOCHA_VALUE_OBJECT)
    return (tocha_value *)(uintptr_t)type; /* a class of a module that was saved whole, with its
                                            * source */
  if (!what || strcmp(what, "storage") != 0 || !type || type->kind != VALUE_GLOBAL ||
      !type->extra || !key || !location || !count || count->kind != TOCHA_VALUE_INT)
    return fail_id(l);
  tocha_element element = type->extra - 1;
  int64_t n = count->as.integer, bytes;
  if (n < 0 || __builtin_mul_overflow(n, tocha_element_size(element), &bytes))
    return fail_storage(l, "it has an impossible size", key);
  const tocha_stored *s = store(l, key, element, n, location);
  if (!s) return NULL;
  tocha_storage_view view = {(size_t)(s - l->stored), element, 0, n}, *kept;
  const tocha_value *part = tocha_value_item(id, 5);
  if (tocha_value_kind_of(part) == TOCHA_VALUE_TUPLE && tocha_value_count(part) == 3) {
    view.first = tocha_value_int(tocha_value_item(part, 1));
    view.count = tocha_value_int(tocha_value_item(part, 2));
    if (view.first < 0 || view.first > n || view.count < 0 || view.count > n - view.first)
      return fail_storage(l, "a part of it lies outside", key);
  }
  if (bytes > s->base->numel * tocha_item_size(s->base->dtype))
    return fail_storage(l, "it has two sizes", key);
  tocha_value *v = tocha_value_raw(l->out, VALUE_STORAGE, 0);
  if (!v || !(kept = tocha_checkpoint_take(l->out, sizeof *kept))) return NULL;
  *kept = view;
  v->as.other = kept;
  return v;
}

/* --- tensors ------------------------------------------------------------------------------------------------------- */

static bool read_numbers(const tocha_value *v, int64_t count, int64_t *to) {
  for (int64_t i = 0; i < count; i++) {
    const tocha_value *n = tocha_value_item(v, i);
    if (n->kind != TOCHA_VALUE_INT || n->as.integer < 0) return false;
    to[i] = n->as.integer;
  }
  return true;
}

/* Returns true if all elements of the view are among the first `available`. */
static bool is_within(int ndim, const int64_t *sizes, const int64_t *strides, int64_t offset,
                      int64_t available) {
  int64_t last = offset, reach;
  for (int i = 0; i < ndim; i++) {
    if (sizes[i] == 0) return true;
    if (__builtin_mul_overflow(sizes[i] - 1, strides[i], &reach) ||
        __builtin_add_overflow(last, reach, &last))
      return false;
  }
  return last < available;
}

/* Reads sizes, strides and offset into *p, and checks that all elements are in the storage. */
static bool read_geometry(tocha_loader *l, const tocha_storage_view *view,
                          const tocha_value *offset, const tocha_value *sizes,
                          const tocha_value *strides, tocha_pending *p) {
  int64_t ndim = tocha_value_count(sizes), first = tocha_value_int(offset);
  int64_t item = tocha_element_size(p->element);
  if (offset->kind != TOCHA_VALUE_INT || first < 0 || ndim > TOCHA_MAX_DIMS ||
      ndim != tocha_value_count(strides) || tocha_is_dict(sizes) || tocha_is_dict(strides) ||
      !read_numbers(sizes, ndim, p->sizes) || !read_numbers(strides, ndim, p->strides))
    return tocha_fail(l->cx, TOCHA_RUNTIME_ERROR,
                      "Weights only load failed. A tensor has an impossible size or stride");
  int64_t available = view->count * tocha_element_size(view->element) / item;
  int64_t before = view->first * tocha_element_size(view->element) / item;
  if (!is_within((int)ndim, p->sizes, p->strides, first, available)) {
    char a[256], b[256];
    return tocha_fail(
        l->cx, TOCHA_RUNTIME_ERROR,
        "setStorage: sizes %s, strides %s, storage offset %lld, and itemsize %lld are out of "
        "bounds for storage of size %lld",
        tocha_shape_text((int)ndim, p->sizes, a, sizeof a),
        tocha_shape_text((int)ndim, p->strides, b, sizeof b), (long long)first, (long long)item,
        (long long)available * item);
  }
  if (first > available) first = available; /* happens only without elements */
  p->ndim = (int)ndim;
  p->offset = first + before;
  return true;
}

/* Returns the tensor that `p` describes over the elements of `base`; in the scope. */
static tocha_tensor *make_view(tocha_loader *l, const tocha_tensor *base, tocha_dtype dtype,
                               const tocha_pending *p) {
  tocha_tensor *t = tocha_tensor_header(l->cx, p->ndim, dtype, base->device);
  if (!t) return NULL;
  for (int i = 0; i < p->ndim; i++) t->sizes[i] = p->sizes[i], t->strides[i] = p->strides[i];
  t->storage = tocha_storage_retain(base->storage);
  t->offset = p->offset;
  tocha_tensor_finish(t);
  if (tocha_failed(l->cx)) return NULL;
  return p->requires_grad ? tocha_set_requires_grad(l->cx, t, true) : t;
}

tocha_value *tocha_tensor_over(tocha_loader *l, const tocha_value *storage, tocha_element element,
                               const tocha_value *offset, const tocha_value *sizes,
                               const tocha_value *strides, bool requires_grad) {
  const tocha_storage_view *view = storage->as.other;
  tocha_pending p = {.number = view->number, .element = element, .requires_grad = requires_grad};
  if (!read_geometry(l, view, offset, sizes, strides, &p)) return NULL;
  if (element < TOCHA_DTYPE_COUNT) {
    tocha_tensor *t = make_view(l, l->stored[p.number].base, (tocha_dtype)element, &p);
    return t ? tocha_new_tensor(l->out, t) : NULL;
  }
  const tocha_foreign *type = &tocha_foreign_types[element - TOCHA_DTYPE_COUNT];
  p.value = tocha_missing_tensor(l, type->name, sizes);
  if (!p.value || type->as == TOCHA_NO_DTYPE) return p.value;
  tocha_pending *kept = tocha_checkpoint_take(l->out, sizeof *kept);
  if (!kept) return NULL;
  p.next = l->pending;
  *kept = p;
  l->pending = kept;
  return p.value;
}

/* --- tensors of types that Tocha lacks ----------------------------------------------------------------------------- */

tocha_value *tocha_missing_tensor(tocha_loader *l, const char *type, const tocha_value *sizes) {
  int64_t numbers[TOCHA_MAX_DIMS], count = tocha_value_count(sizes);
  char shape[1024] = "", text[1200], *content;
  if (sizes && !tocha_is_dict(sizes) && count <= TOCHA_MAX_DIMS &&
      read_numbers(sizes, count, numbers))
    tocha_shape_text((int)count, numbers, shape, sizeof shape);
  snprintf(text, sizeof text, "%s%s%s", type, *shape ? " " : "", shape);
  size_t length = strlen(text); /* the text of a value does not end with a zero */
  tocha_value *v = tocha_value_unfilled(l->out, TOCHA_VALUE_MISSING, length, &content);
  for (size_t i = 0; v && i < length; i++) content[i] = text[i];
  return v;
}

/* Returns all elements of a storage in the dtype of the foreign type, or NULL without an error if they do not fit into it. */
static tocha_tensor *convert_storage(tocha_loader *l, tocha_stored *s, tocha_element element) {
  const int number = element - TOCHA_DTYPE_COUNT;
  tocha_dtype dtype = tocha_foreign_types[number].as;
  if (s->converted && s->converted_from == element) return s->converted;
  tocha_device device = s->base->device;
  tocha_tensor *bytes = s->base;
  int64_t n = bytes->numel * tocha_item_size(bytes->dtype) / tocha_element_size(element);
  if (!tocha_checkpoint_charge(l->out, (uint64_t)(n * tocha_item_size(dtype)))) return NULL;
  bool there = device.type != TOCHA_META;
  if (there) bytes = tocha_to(l->cx, bytes, tocha_cpu(), TOCHA_NO_DTYPE, false, false);
  if (!bytes || (there && n && !tocha_foreign_fits(number, tocha_bytes(bytes), n))) return NULL;
  tocha_tensor *t = tocha_new(l->cx, 1, &n, dtype, there ? tocha_cpu() : device);
  if (t && there && n) tocha_convert_foreign(number, tocha_bytes(bytes), n, tocha_bytes(t));
  if (t && there) t = tocha_to(l->cx, t, device, TOCHA_NO_DTYPE, false, false);
  s->converted = t;
  s->converted_from = element;
  return t;
}

bool tocha_convert_pending(tocha_loader *l) {
  for (tocha_pending *p = l->pending; p; p = p->next) {
    tocha_tensor *all = convert_storage(l, &l->stored[p->number], p->element);
    if (tocha_failed(l->cx)) return false;
    if (!all) continue;
    p->requires_grad &= tocha_dtype_is_floating((tocha_dtype)all->dtype);
    tocha_tensor *t = make_view(l, all, (tocha_dtype)all->dtype, p);
    const tocha_value *v = t ? tocha_new_tensor(l->out, t) : NULL;
    if (!v) return false;
    *p->value = *v;
  }
  return true;
}
