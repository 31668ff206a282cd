/* module_state.c: saves a module's state to a state dict, and loads it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nn/module.h"
#include "tensor/copy.h"

/* --- saving ---------------------------------------------------------------------------------- */

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
    bool as_it_is = keep_vars || tocha_is_uninitialized(m->value);
    tocha_tensor *t = as_it_is ? m->value : tocha_shallow(cx, m->value);
    bool ok =
        t && make_key(cx, key, prefix, m->name, "") && tocha_state_dict_set(cx, out, key, t, NULL);
    tocha_scope_end(cx, scope, NULL);
    if (!ok) return false;
  }
  return true;
}

bool tocha_module_save_own_state(tocha_context *cx, const tocha_module *module, const char *prefix,
                                 bool keep_vars, tocha_state_dict *out) {
  if (!module) return tocha_refuse_none(cx, "module_state_dict", "module", "Module");
  if (!prefix) return tocha_refuse_none(cx, "module_state_dict", "prefix", "str");
  return save_members(cx, &module->parameters, prefix, keep_vars, out) &&
         save_members(cx, &module->buffers, prefix, keep_vars, out);
}

/* Writes the path of a prefix's module: the prefix without its final dot. */
static bool make_path(tocha_context *cx, char *path, const char *prefix) {
  if (!make_key(cx, path, prefix, "", "")) return false;
  if (path[0]) path[strlen(path) - 1] = '\0';
  return true;
}

static bool save(tocha_context *cx, const tocha_module *module, const char *prefix, bool keep_vars,
                 tocha_state_dict *out) {
  char key[KEY_ROOM];
  if (tocha_interrupted(cx) || !make_path(cx, key, prefix) ||
      !tocha_state_dict_add_module(cx, out, key, module->class->version) ||
      !tocha_module_save_own_state(cx, module, prefix, keep_vars, out))
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
  tocha_named_list *missing, *unexpected, *messages; /* lists of names */
} loading;

/* Adds a message and frees its text. */
static bool add_message(loading *l, tocha_text *text) {
  char *message = tocha_text_finish(l->cx, text);
  bool ok = message && tocha_named_list_add(l->cx, l->messages, message, NULL, NULL);
  free(message);
  return ok;
}

/* Replaces the member by the checkpoint's tensor itself. */
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

/* Turns a failed copy into a message. Lack of memory and interrupts end the loading. */
static bool report_failure(loading *l, const char *key, const tocha_tensor *to,
                           const tocha_tensor *from) {
  const tocha_error_info *e = tocha_error(l->cx);
  if (e->code == TOCHA_MEMORY_ERROR || e->code == TOCHA_INTERRUPTED) return false;
  tocha_text text = {0}, *t = &text;
  tocha_text_format(
      t, "While copying the parameter named \"%s\", whose dimensions in the model are ", key);
  tocha_text_size(t, to->ndim, to->sizes);
  tocha_text_string(t, " and whose dimensions in the checkpoint are ");
  tocha_text_size(t, from->ndim, from->sizes);
  tocha_text_format(t, ", an exception occurred : ('%s',).", e->message);
  tocha_clear_error(l->cx);
  return add_message(l, t);
}

static bool report_sizes(loading *l, const char *key, const tocha_tensor *to,
                         const tocha_tensor *from) {
  tocha_text text = {0};
  tocha_text_format(&text, "size mismatch for %s: copying a param with shape ", key);
  tocha_text_size(&text, from->ndim, from->sizes);
  tocha_text_string(&text, " from checkpoint, the shape in current model is ");
  tocha_text_size(&text, to->ndim, to->sizes);
  tocha_text_string(&text, ".");
  return add_message(l, &text);
}

static bool report_type(loading *l, const char *key, const char *type) {
  tocha_text text = {0};
  tocha_text_format(&text,
                    "While copying the parameter named \"%s\", expected torch.Tensor or "
                    "Tensor-like object from checkpoint but received <class '%s'>",
                    key, type);
  return add_message(l, &text);
}

/* Returns true if states of older versions lack this member, which then keeps its value. */
static bool is_later(const tocha_module *module, const tocha_member *m, int64_t version) {
  const char *later = module->class->later_member;
  return later && version < module->class->version && strcmp(later, m->name) == 0;
}

static bool load_member(loading *l, tocha_module *module, tocha_member *m, bool parameter,
                        const char *key, int64_t version) {
  int i = tocha_state_dict_find(l->dict, key);
  if (i < 0)
    return is_later(module, m, version) || tocha_named_list_add(l->cx, l->missing, key, NULL, NULL);
  tocha_tensor *from = tocha_state_dict_tensor(l->dict, i), *to = m->value;
  if (!from) return report_type(l, key, tocha_state_dict_other(l->dict, i));
  if (tocha_is_uninitialized(from))
    return tocha_is_uninitialized(to) || tocha_refuse_uninitialized_shape(l->cx);
  if (to->ndim == 0 && from->ndim == 1 && from->sizes[0] == 1)
    from = tocha_alias(l->cx, from, 0, NULL, NULL, from->offset);
  if (!from) return false;
  if (tocha_is_uninitialized(to) &&
      !l->assign) { /* of a lazy module, which takes the state's sizes */
    tocha_tensor *data =
        tocha_new(l->cx, from->ndim, from->sizes, (tocha_dtype)to->dtype, to->device);
    if (!data || !tocha_materialize(l->cx, to, data)) return false;
  }
  if (!tocha_same_sizes(to, from)) return report_sizes(l, key, to, from);
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

static bool load_members(loading *l, tocha_module *module, bool parameters, const char *prefix,
                         int64_t version) {
  char key[KEY_ROOM];
  tocha_members *members = parameters ? &module->parameters : &module->buffers;
  for (int i = 0; i < members->count; i++) {
    tocha_member *m = &members->items[i];
    if (!m->value || !m->persistent) continue;
    if (!make_key(l->cx, key, prefix, m->name, "") ||
        !load_member(l, module, m, parameters, key, version))
      return false;
  }
  return true;
}

/* Returns true if the rest of a key after a module's prefix names one of its members. */
static bool is_known(const tocha_module *module, const char *rest) {
  char name[KEY_ROOM];
  const char *dot = strchr(rest, '.');
  size_t length = dot ? (size_t)(dot - rest) : strlen(rest);
  if (length >= sizeof name) return false;
  memcpy(name, rest, length);
  name[length] = '\0';
  if (dot) return tocha_find_member(&module->children, name) != NULL;
  const tocha_member *m = tocha_find_member(&module->parameters, name);
  if (!m) m = tocha_find_member(&module->buffers, name);
  return m && m->value && m->persistent;
}

/* Collects the names below prefix in the dict that are not members of this module. */
static bool find_unexpected(loading *l, const tocha_module *module, const char *prefix,
                            bool extra_state) {
  size_t skip = strlen(prefix);
  for (int i = 0; i < tocha_state_dict_count(l->dict); i++) {
    const char *key = tocha_state_dict_name(l->dict, i);
    if (strncmp(key, prefix, skip) != 0) continue;
    if (extra_state && strcmp(key + skip, "_extra_state") == 0) continue;
    if (!is_known(module, key + skip) &&
        !tocha_named_list_add(l->cx, l->unexpected, key, NULL, NULL))
      return false;
  }
  return true;
}

static bool load_own(loading *l, tocha_module *module, const char *prefix, int64_t version,
                     bool extra_state) {
  tocha_scope scope = tocha_scope_begin(l->cx);
  bool ok = !tocha_interrupted(l->cx) && load_members(l, module, true, prefix, version) &&
            load_members(l, module, false, prefix, version) &&
            find_unexpected(l, module, prefix, extra_state);
  tocha_scope_end(l->cx, scope, NULL);
  return ok;
}

bool tocha_module_load_own_state(tocha_context *cx, tocha_module *module,
                                 const tocha_own_state *state, tocha_named_list *missing,
                                 tocha_named_list *unexpected, tocha_named_list *messages) {
  if (!module) return tocha_refuse_none(cx, "module_load_state_dict", "module", "Module");
  if (!state || !state->prefix || !missing || !unexpected || !messages)
    return tocha_refuse_none(cx, "module_load_state_dict", "state", "StateDict");
  if (tocha_failed(cx)) return false;
  loading l = {cx, state->dict, state->assign, missing, unexpected, messages};
  return load_own(&l, module, state->prefix, state->version, state->extra_state);
}

static bool load(loading *l, tocha_module *module, const char *prefix) {
  char key[KEY_ROOM];
  if (!make_path(l->cx, key, prefix)) return false;
  bool ok = load_own(l, module, prefix, tocha_state_dict_version(l->dict, key), false);
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

/* Adds a hint if the unexpected keys follow from a common cause: a checkpoint that contains the
 * state dict, or a "module." prefix from DataParallel. */
static void hint_at_cause(loading *l) {
  static const char *const within[] = {"model_state_dict", "state_dict", "model"};
  const tocha_named_list *names = l->unexpected;
  bool wrapped = names->count > 0;
  for (int i = 0; i < names->count; i++) {
    for (int k = 0; k < TOCHA_COUNT(within); k++)
      if (strcmp(names->items[i].name, within[k]) == 0)
        tocha_hint(l->cx, "a state dict may lie within: checkpoint.%s", within[k]);
    wrapped = wrapped && strncmp(names->items[i].name, "module.", 7) == 0;
  }
  if (wrapped)
    tocha_hint(l->cx,
               "nn.DataParallel saved it; without \"module.\": "
               "nn.modules.utils.consume_prefix_in_state_dict_if_present(state, \"module.\")");
}

/* Fails, with PyTorch's message, if a name or size did not match. */
static bool report_mismatches(loading *l, const tocha_module *module, bool strict) {
  tocha_text text = {0};
  if (strict) {
    append_keys(&text, "\n\tMissing", l->missing);
    append_keys(&text, "\n\tUnexpected", l->unexpected);
  }
  for (int i = 0; i < l->messages->count; i++)
    tocha_text_format(&text, "\n\t%s", l->messages->items[i].name);
  bool ok = text.length == 0;
  char *report = tocha_text_finish(l->cx, &text);
  if (!ok && report)
    tocha_fail(l->cx, TOCHA_RUNTIME_ERROR, "Error(s) in loading state_dict for %s:%s",
               tocha_module_name(module), report);
  if (!ok && report && strict && l->missing->count) hint_at_cause(l);
  free(report);
  return ok;
}

bool tocha_module_load_state_dict(tocha_context *cx, tocha_module *module,
                                  const tocha_state_dict *dict, bool strict, bool assign,
                                  tocha_named_list *missing, tocha_named_list *unexpected) {
  if (!module) return tocha_refuse_none(cx, "module_load_state_dict", "module", "Module");
  if (tocha_failed(cx)) return false;
  tocha_named_list own_missing = {0}, own_unexpected = {0}, messages = {0};
  loading l = {cx,
               dict,
               assign,
               missing ? missing : &own_missing,
               unexpected ? unexpected : &own_unexpected,
               &messages};
  bool ok = load(&l, module, "") && report_mismatches(&l, module, strict);
  tocha_named_list_free(&messages);
  tocha_named_list_free(&own_missing);
  tocha_named_list_free(&own_unexpected);
  return ok;
}
