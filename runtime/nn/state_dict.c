/* state_dict.c: ordered dictionaries of tensors, and a module's state in one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nn/module.h"
#include "tensor/copy.h"

typedef struct entry {
  char *name;
  tocha_tensor *tensor; /* NULL: something else, of the Python type `other` */
  char *other;
} entry;

struct tocha_state_dict {
  tocha_refcount references;
  tocha_context *context;
  entry *entries;
  int count, capacity;
};

/* --- the dictionary -------------------------------------------------------------------------- */

tocha_state_dict *tocha_state_dict_new(tocha_context *cx) {
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

static void free_entry(tocha_context *cx, entry *e) {
  tocha_deallocate_text(cx, e->name);
  tocha_deallocate_text(cx, e->other);
  tocha_release(e->tensor);
}

void tocha_state_dict_release(tocha_state_dict *dict) {
  if (!dict || !tocha_refcount_release(&dict->references)) return;
  tocha_context *cx = dict->context;
  for (int i = 0; i < dict->count; i++) free_entry(cx, &dict->entries[i]);
  tocha_deallocate(cx, dict->entries, (size_t)dict->capacity * sizeof *dict->entries);
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

int tocha_state_dict_find(const tocha_state_dict *dict, const char *name) {
  for (int i = 0; dict && name && i < dict->count; i++)
    if (strcmp(dict->entries[i].name, name) == 0) return i;
  return -1;
}

static entry *new_entry(tocha_context *cx, tocha_state_dict *dict, const char *name) {
  if (dict->count == dict->capacity) {
    int capacity = dict->capacity ? 2 * dict->capacity : 16;
    entry *entries = tocha_allocate(cx, (size_t)capacity * sizeof *entries);
    if (!entries) return NULL;
    if (dict->count) memcpy(entries, dict->entries, (size_t)dict->count * sizeof *entries);
    tocha_deallocate(cx, dict->entries, (size_t)dict->capacity * sizeof *dict->entries);
    dict->entries = entries;
    dict->capacity = capacity;
  }
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

/* --- a module's state ------------------------------------------------------------------------ */

enum { KEY_ROOM = 1024 };

static bool make_key(tocha_context *cx, char *key, const char *prefix, const char *name,
                     const char *suffix) {
  if (snprintf(key, KEY_ROOM, "%s%s%s", prefix, name, suffix) < KEY_ROOM) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "a name in a state dict has more than %d bytes", KEY_ROOM);
  return false;
}

static bool save_members(tocha_context *cx, const tocha_members *members, const char *prefix,
                         bool keep_vars, tocha_state_dict *out) {
  char key[KEY_ROOM];
  for (int i = 0; i < members->count; i++) {
    const tocha_member *m = &members->items[i];
    if (!m->value || !m->persistent) continue;
    tocha_scope scope = tocha_scope_begin(cx);
    tocha_tensor *t = keep_vars ? m->value : tocha_shallow(cx, m->value);
    bool ok =
        t && make_key(cx, key, prefix, m->name, "") && tocha_state_dict_set(cx, out, key, t, NULL);
    tocha_scope_end(cx, scope, NULL);
    if (!ok) return false;
  }
  return true;
}

static bool save(tocha_context *cx, const tocha_module *module, const char *prefix, bool keep_vars,
                 tocha_state_dict *out) {
  char key[KEY_ROOM];
  if (tocha_interrupted(cx) || !save_members(cx, &module->parameters, prefix, keep_vars, out) ||
      !save_members(cx, &module->buffers, prefix, keep_vars, out))
    return false;
  for (int i = 0; i < module->children.count; i++) {
    const tocha_member *c = &module->children.items[i];
    if (c->value &&
        (!make_key(cx, key, prefix, c->name, ".") || !save(cx, c->value, key, keep_vars, out)))
      return false;
  }
  return true;
}

tocha_state_dict *tocha_module_state_dict(tocha_context *cx, tocha_module *module,
                                          const char *prefix, bool keep_vars) {
  if (!module) return tocha_refuse_none(cx, "module_state_dict", "module", "Module");
  tocha_state_dict *out = tocha_state_dict_new(cx);
  if (out && save(cx, module, prefix, keep_vars, out)) return out;
  tocha_state_dict_release(out);
  return NULL;
}

/* --- loading --------------------------------------------------------------------------------- */

typedef struct loading {
  tocha_context *cx;
  const tocha_state_dict *dict;
  bool assign;
  tocha_named_list *missing, *unexpected;
  tocha_text messages; /* each begins with "\n\t" */
} loading;

/* Puts the checkpoint's tensor itself in the member's place. */
static bool assign_member(loading *l, tocha_module *module, tocha_member *m, bool parameter,
                          tocha_tensor *from) {
  if (parameter) {
    from = tocha_parameter_new(l->cx, from, tocha_requires_grad(m->value));
    if (!from) return false;
  }
  tocha_retain(from);
  tocha_release(m->value);
  m->value = from;
  module->generation++;
  return true;
}

static bool copy_values(loading *l, tocha_tensor *to, tocha_tensor *from) {
  if (to->device.type != TOCHA_META && from->device.type == TOCHA_META) {
    tocha_fail(l->cx, TOCHA_NOT_IMPLEMENTED_ERROR, "Cannot copy out of meta tensor; no data!");
    return false;
  }
  if (!tocha_copy_data(l->cx, to, from)) return false;
  tocha_bump_version(to);
  return true;
}

/* A failure to copy becomes one more line of the message; lack of memory and interrupts end the
 * loading. */
static bool report_failure(loading *l, const char *key, const tocha_tensor *to,
                           const tocha_tensor *from) {
  const tocha_error_info *e = tocha_error(l->cx);
  if (e->code == TOCHA_MEMORY_ERROR || e->code == TOCHA_INTERRUPTED) return false;
  tocha_text *t = &l->messages;
  tocha_text_format(
      t, "\n\tWhile copying the parameter named \"%s\", whose dimensions in the model are ", key);
  tocha_text_size(t, to->ndim, to->sizes);
  tocha_text_string(t, " and whose dimensions in the checkpoint are ");
  tocha_text_size(t, from->ndim, from->sizes);
  tocha_text_format(t, ", an exception occurred : ('%s',).", e->message);
  tocha_clear_error(l->cx);
  return true;
}

static bool load_member(loading *l, tocha_module *module, tocha_member *m, bool parameter,
                        const char *key) {
  int i = tocha_state_dict_find(l->dict, key);
  if (i < 0) return tocha_named_list_add(l->cx, l->missing, key, NULL, NULL);
  tocha_tensor *from = l->dict->entries[i].tensor, *to = m->value;
  if (!from) {
    tocha_text_format(&l->messages,
                      "\n\tWhile copying the parameter named \"%s\", expected torch.Tensor or "
                      "Tensor-like object from checkpoint but received <class '%s'>",
                      key, l->dict->entries[i].other);
    return true;
  }
  if (to->ndim == 0 && from->ndim == 1 && from->sizes[0] == 1)
    from = tocha_alias(l->cx, from, 0, NULL, NULL, from->offset);
  if (!from) return false;
  if (!tocha_same_sizes(to, from)) {
    tocha_text_format(&l->messages, "\n\tsize mismatch for %s: copying a param with shape ", key);
    tocha_text_size(&l->messages, from->ndim, from->sizes);
    tocha_text_string(&l->messages, " from checkpoint, the shape in current model is ");
    tocha_text_size(&l->messages, to->ndim, to->sizes);
    tocha_text_string(&l->messages, ".");
    return true;
  }
  if (to->device.type == TOCHA_META && from->device.type != TOCHA_META && !l->assign)
    tocha_warn(l->cx,
               "for %s: copying from a non-meta parameter in the checkpoint to a meta parameter in "
               "the current model, which is a no-op. (Did you mean to pass `assign=True` to assign "
               "items in the state dictionary to their corresponding key in the module instead of "
               "copying them in place?)",
               key);
  bool ok = l->assign ? assign_member(l, module, m, parameter, from) : copy_values(l, to, from);
  return ok || report_failure(l, key, to, from);
}

static bool load_members(loading *l, tocha_module *module, bool parameters, const char *prefix) {
  char key[KEY_ROOM];
  tocha_members *members = parameters ? &module->parameters : &module->buffers;
  for (int i = 0; i < members->count; i++) {
    tocha_member *m = &members->items[i];
    if (!m->value || !m->persistent) continue;
    if (!make_key(l->cx, key, prefix, m->name, "") || !load_member(l, module, m, parameters, key))
      return false;
  }
  return true;
}

/* Collects the names below prefix in the dict that are no members of this module. */
static bool find_unexpected(loading *l, const tocha_module *module, const char *prefix) {
  size_t skip = strlen(prefix);
  for (int i = 0; i < l->dict->count; i++) {
    const char *key = l->dict->entries[i].name;
    if (strncmp(key, prefix, skip) != 0) continue;
    char name[KEY_ROOM];
    const char *dot = strchr(key + skip, '.');
    size_t length = dot ? (size_t)(dot - key) - skip : strlen(key + skip);
    bool known = false;
    if (length < sizeof name) {
      memcpy(name, key + skip, length);
      name[length] = '\0';
      const tocha_member *m = NULL;
      if (dot) {
        known = tocha_find_member(&module->children, name) != NULL;
      } else {
        if (!(m = tocha_find_member(&module->parameters, name)))
          m = tocha_find_member(&module->buffers, name);
        known = m && m->value && m->persistent;
      }
    }
    if (!known && !tocha_named_list_add(l->cx, l->unexpected, key, NULL, NULL)) return false;
  }
  return true;
}

static bool load(loading *l, tocha_module *module, const char *prefix) {
  char key[KEY_ROOM];
  tocha_scope scope = tocha_scope_begin(l->cx);
  bool ok = !tocha_interrupted(l->cx) && load_members(l, module, true, prefix) &&
            load_members(l, module, false, prefix) && find_unexpected(l, module, prefix);
  tocha_scope_end(l->cx, scope, NULL);
  for (int i = 0; ok && i < module->children.count; i++) {
    const tocha_member *c = &module->children.items[i];
    ok = !c->value || (make_key(l->cx, key, prefix, c->name, ".") && load(l, c->value, key));
  }
  return ok;
}

static void append_keys(tocha_text *text, const char *what, const tocha_named_list *keys) {
  for (int i = 0; i < keys->count; i++)
    tocha_text_format(text, "%s%s\"%s\"", i ? ", " : what,
                      i ? "" : " key(s) in state_dict: ", keys->items[i].name);
  if (keys->count) tocha_text_string(text, ". ");
}

/* false, with PyTorch's message, where any name or size did not match. */
static bool report_mismatches(loading *l, const tocha_module *module, bool strict) {
  tocha_text text = {0};
  if (strict) {
    append_keys(&text, "\n\tMissing", l->missing);
    append_keys(&text, "\n\tUnexpected", l->unexpected);
  }
  tocha_text_append(&text, l->messages.bytes, l->messages.length);
  bool ok = text.length == 0;
  char *report = tocha_text_finish(l->cx, &text);
  if (!ok && report)
    tocha_fail(l->cx, TOCHA_RUNTIME_ERROR, "Error(s) in loading state_dict for %s:%s",
               tocha_module_name(module), report);
  free(report);
  return ok;
}

bool tocha_module_load_state_dict(tocha_context *cx, tocha_module *module,
                                  const tocha_state_dict *dict, bool strict, bool assign,
                                  tocha_named_list *missing, tocha_named_list *unexpected) {
  if (!module) return tocha_refuse_none(cx, "module_load_state_dict", "module", "Module");
  if (tocha_failed(cx)) return false;
  tocha_named_list own_missing = {0}, own_unexpected = {0};
  loading l = {
      cx, dict, assign, missing ? missing : &own_missing, unexpected ? unexpected : &own_unexpected,
      {0}};
  bool ok = load(&l, module, "") && report_mismatches(&l, module, strict);
  tocha_text_free(&l.messages);
  tocha_named_list_free(&own_missing);
  tocha_named_list_free(&own_unexpected);
  return ok;
}
