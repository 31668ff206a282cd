/* state_dict.c: ordered dictionaries of tensors, with the versions of their modules.
 * (module_state.c saves a module's state.) */
#include <stdlib.h>
#include <string.h>

#include "nn/module.h"

typedef struct entry {
  char *name;
  tocha_tensor *tensor; /* NULL: another value, of the Python type `other` */
  char *other;
} entry;

typedef struct module_version {
  char *path; /* "encoder.0" */
  int64_t version;
} module_version;

struct tocha_state_dict {
  tocha_refcount references;
  tocha_context *context;
  entry *entries;
  int count, capacity;
  module_version *versions;
  int version_count, version_capacity;
};

/* --- the dictionary -------------------------------------------------------------------------- */

tocha_state_dict *tocha_state_dict_new(tocha_context *cx) {
  if (!cx) return NULL;
  tocha_state_dict *d = tocha_allocate_zeroed(cx, sizeof *d);
  if (!d) return NULL;
  tocha_refcount_init(&d->references);
  d->context = cx;
  tocha_context_retain(cx);
  return d;
}

tocha_state_dict *tocha_state_dict_retain(tocha_state_dict *dict) {
  if (!dict) return NULL;
  tocha_refcount_retain(&dict->references);
  return dict;
}

static void free_versions(tocha_state_dict *dict) {
  for (int i = 0; i < dict->version_count; i++)
    tocha_deallocate_text(dict->context, dict->versions[i].path);
  tocha_deallocate(dict->context, dict->versions,
                   (size_t)dict->version_capacity * sizeof *dict->versions);
  dict->versions = NULL;
  dict->version_count = dict->version_capacity = 0;
}

static void free_entry(tocha_context *cx, entry *e) {
  tocha_deallocate_text(cx, e->name);
  tocha_deallocate_text(cx, e->other);
  tocha_release(e->tensor);
}

void tocha_state_dict_release(tocha_state_dict *dict) {
  if (!dict || !tocha_refcount_release(&dict->references)) return;
  tocha_context *cx = dict->context;
  for (int i = 0; i < dict->count; i++) free_entry(cx, &dict->entries[i]);
  tocha_deallocate(cx, dict->entries, (uint64_t)dict->capacity * sizeof *dict->entries);
  free_versions(dict);
  tocha_deallocate(cx, dict, sizeof *dict);
  tocha_context_release(cx);
}

int tocha_state_dict_count(const tocha_state_dict *dict) { return dict ? dict->count : 0; }
static bool has_entry(const tocha_state_dict *dict, int index) {
  return dict && index >= 0 && index < dict->count;
}

const char *tocha_state_dict_name(const tocha_state_dict *dict, int index) {
  return has_entry(dict, index) ? dict->entries[index].name : NULL;
}
tocha_tensor *tocha_state_dict_tensor(const tocha_state_dict *dict, int index) {
  return has_entry(dict, index) ? dict->entries[index].tensor : NULL;
}
const char *tocha_state_dict_other(const tocha_state_dict *dict, int index) {
  return has_entry(dict, index) ? dict->entries[index].other : NULL;
}

int tocha_state_dict_find(const tocha_state_dict *dict, const char *name) {
  for (int i = 0; dict && name && i < dict->count; i++)
    if (strcmp(dict->entries[i].name, name) == 0) return i;
  return -1;
}

/* Makes room for one more item of `size` bytes after `count` items. */
static bool make_room(tocha_context *cx, void **items, int count, int *capacity, size_t size) {
  if (count < *capacity) return true;
  int larger = *capacity ? 2 * *capacity : 16;
  void *moved = tocha_allocate(cx, (uint64_t)larger * size);
  if (!moved) return false;
  if (count) memcpy(moved, *items, (size_t)count * size);
  tocha_deallocate(cx, *items, (size_t)*capacity * size);
  *items = moved;
  *capacity = larger;
  return true;
}

static entry *new_entry(tocha_context *cx, tocha_state_dict *dict, const char *name) {
  void *entries = dict->entries;
  if (!make_room(cx, &entries, dict->count, &dict->capacity, sizeof *dict->entries)) return NULL;
  dict->entries = entries;
  entry *e = &dict->entries[dict->count];
  memset(e, 0, sizeof *e);
  if (!(e->name = tocha_copy_text(cx, name))) return NULL;
  dict->count++;
  return e;
}

bool tocha_state_dict_set(tocha_context *cx, tocha_state_dict *dict, const char *name,
                          tocha_tensor *tensor, const char *other) {
  if (!dict) return tocha_refuse_none(cx, "state_dict_set", "dict", "StateDict");
  if (!name) return tocha_refuse_none(cx, "state_dict_set", "name", "str");
  int i = tocha_state_dict_find(dict, name);
  entry *e = i >= 0 ? &dict->entries[i] : new_entry(cx, dict, name);
  if (!e) return false;
  char *type = tensor ? NULL : tocha_copy_text(cx, other ? other : "NoneType");
  if (!tensor && !type) return false;
  tocha_retain(tensor);
  tocha_release(e->tensor);
  tocha_deallocate_text(cx, e->other);
  e->tensor = tensor;
  e->other = type;
  return true;
}

bool tocha_state_dict_remove(tocha_state_dict *dict, const char *name) {
  if (!dict) return false;
  int i = tocha_state_dict_find(dict, name);
  if (i < 0) return false;
  free_entry(dict->context, &dict->entries[i]);
  dict->count--;
  memmove(dict->entries + i, dict->entries + i + 1,
          (size_t)(dict->count - i) * sizeof *dict->entries);
  return true;
}

char *tocha_state_dict_to_string(tocha_context *cx, const tocha_state_dict *dict) {
  if (!dict) return tocha_refuse_none(cx, "state_dict_to_string", "dict", "StateDict");
  tocha_text text = {0};
  tocha_text_string(&text, "OrderedDict(");
  for (int i = 0; i < dict->count; i++) {
    const entry *e = &dict->entries[i];
    char *value = e->tensor ? tocha_to_string(cx, e->tensor) : NULL;
    if (e->tensor && !value) {
      tocha_text_free(&text);
      return NULL;
    }
    tocha_text_format(&text, "%s('%s', ", i ? ", " : "[", e->name);
    if (value)
      tocha_text_string(&text, value);
    else
      tocha_text_format(&text, "<%s>", e->other);
    tocha_text_string(&text, ")");
    free(value);
  }
  tocha_text_string(&text, dict->count ? "])" : ")");
  return tocha_text_finish(cx, &text);
}

/* --- versions -------------------------------------------------------------------------------- */

int tocha_state_dict_module_count(const tocha_state_dict *dict) {
  return dict ? dict->version_count : 0;
}

const char *tocha_state_dict_module(const tocha_state_dict *dict, int index, int64_t *version) {
  if (!dict || index < 0 || index >= dict->version_count) return NULL;
  if (version) *version = dict->versions[index].version;
  return dict->versions[index].path;
}

int64_t tocha_state_dict_version(const tocha_state_dict *dict, const char *path) {
  for (int i = 0; dict && path && i < dict->version_count; i++)
    if (strcmp(dict->versions[i].path, path) == 0) return dict->versions[i].version;
  return -1;
}

bool tocha_state_dict_add_module(tocha_context *cx, tocha_state_dict *dict, const char *path,
                                 int64_t version) {
  if (!dict) return tocha_refuse_none(cx, "state_dict_add_module", "dict", "StateDict");
  if (!path) return tocha_refuse_none(cx, "state_dict_add_module", "path", "str");
  void *versions = dict->versions;
  if (!make_room(cx, &versions, dict->version_count, &dict->version_capacity,
                 sizeof *dict->versions))
    return false;
  dict->versions = versions;
  char *copy = tocha_copy_text(cx, path);
  if (!copy) return false;
  dict->versions[dict->version_count++] = (module_version){copy, version};
  return true;
}

void tocha_state_dict_clear_modules(tocha_state_dict *dict) {
  if (dict) free_versions(dict);
}
