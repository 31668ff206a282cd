/* hooks.c: functions that see, and may change, gradients during a backward pass. */
#include <string.h>

#include "dispatch/required_arguments.h"
#include "autograd/node.h"
#include "tocha/ops/add.h"
#include "tocha/ops/clone.h"

typedef enum hook_kind {
  HOOK_GRADIENT,
  HOOK_RETAIN,
  HOOK_POST_ACCUMULATE,
  HOOK_BEFORE, /* runs before its node */
  HOOK_AFTER,  /* runs after its node */
  HOOK_KEPT    /* never runs; freed with the node */
} hook_kind;

typedef struct hook_entry {
  uint64_t id;
  hook_kind kind;
  int index;            /* the node's input; 0 for leaves */
  tocha_hook hook;      /* all NULL: removed */
  tocha_tensor *tensor; /* HOOK_RETAIN: its grad is filled; not owned */
} hook_entry;

struct tocha_hook_list {
  int count, capacity;
  int running; /* while > 0, entries may not move */
  hook_entry *entries;
};

static bool is_alive(const hook_entry *e) {
  return e->kind == HOOK_RETAIN ? e->tensor != NULL
                                : e->hook.call || e->hook.call_node || e->hook.free;
}

static void compact(tocha_hook_list *list) {
  int kept = 0;
  for (int i = 0; i < list->count; i++)
    if (is_alive(&list->entries[i])) list->entries[kept++] = list->entries[i];
  list->count = kept;
}

static hook_entry *add(tocha_context *cx, tocha_hook_list **where, hook_kind kind, int index) {
  if (!*where && !(*where = tocha_allocate_zeroed(cx, sizeof **where))) return NULL;
  tocha_hook_list *list = *where;
  if (!list->running) compact(list);
  if (list->count == list->capacity) {
    int capacity = list->capacity ? 2 * list->capacity : 4;
    hook_entry *entries = tocha_allocate(cx, (uint64_t)capacity * sizeof *entries);
    if (!entries) return NULL;
    if (list->count) memcpy(entries, list->entries, (size_t)list->count * sizeof *entries);
    tocha_deallocate(cx, list->entries, (uint64_t)list->capacity * sizeof *entries);
    list->entries = entries;
    list->capacity = capacity;
  }
  hook_entry *e = &list->entries[list->count++];
  memset(e, 0, sizeof *e);
  e->id = ++cx->next_sequence;
  e->kind = kind;
  e->index = index;
  return e;
}

static void drop(hook_entry *e) {
  tocha_hook hook = e->hook;
  memset(&e->hook, 0, sizeof e->hook);
  e->tensor = NULL;
  if (hook.free) hook.free(hook.user);
}

void tocha_hooks_free(tocha_context *cx, tocha_hook_list *list) {
  for (int i = 0; i < list->count; i++) drop(&list->entries[i]);
  tocha_deallocate(cx, list->entries, (uint64_t)list->capacity * sizeof *list->entries);
  tocha_deallocate(cx, list, sizeof *list);
}

bool tocha_register_hook(tocha_context *cx, tocha_tensor *t, tocha_hook hook, uint64_t *id) {
  if (!t) return tocha_refuse_none(cx, "register_hook", "t", "Tensor");
  if (tocha_failed(cx)) return false;
  if (!tocha_requires_grad(t)) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "cannot register a hook on a tensor that doesn't require gradient");
    return false;
  }
  tocha_node *node;
  tocha_autograd_meta *meta = tocha_autograd_meta_of(t);
  if (!meta || !tocha_current_node(cx, t, &node)) return false;
  hook_entry *e =
      add(cx, node ? &node->hooks : &meta->hooks, HOOK_GRADIENT, node ? (int)meta->result : 0);
  if (!e) return false;
  e->hook = hook;
  *id = e->id;
  return true;
}

bool tocha_register_post_accumulate_hook(tocha_context *cx, tocha_tensor *t, tocha_hook hook,
                                         uint64_t *id) {
  if (!t) return tocha_refuse_none(cx, "register_post_accumulate_hook", "t", "Tensor");
  if (tocha_failed(cx)) return false;
  if (!tocha_requires_grad(t)) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "cannot register a hook on a tensor that doesn't require gradient");
    return false;
  }
  if (!tocha_is_leaf(t)) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "post accumulate grad hooks cannot be registered on non-leaf tensors");
    return false;
  }
  tocha_autograd_meta *meta = tocha_autograd_meta_of(t);
  hook_entry *e = meta ? add(cx, &meta->hooks, HOOK_POST_ACCUMULATE, 0) : NULL;
  if (!e) return false;
  e->hook = hook;
  *id = e->id;
  return true;
}

/* Adds a hook to a node. The hooks of an AccumulateGrad are stored with its leaf. */
static hook_entry *add_to_node(tocha_context *cx, tocha_node *node, hook_kind kind,
                               tocha_hook hook) {
  tocha_hook_list **list = tocha_node_hooks_place(node);
  hook_entry *e = list ? add(cx, list, kind, 0) : NULL;
  if (e) e->hook = hook;
  return e;
}

bool tocha_register_node_hook(tocha_context *cx, tocha_node *node, tocha_hook hook, bool before,
                              uint64_t *id) {
  if (!node) return tocha_refuse_none(cx, "register_hook", "node", "Node");
  if (tocha_failed(cx)) return false;
  const hook_entry *e = add_to_node(cx, node, before ? HOOK_BEFORE : HOOK_AFTER, hook);
  if (e) *id = e->id;
  return e != NULL;
}

bool tocha_keep_with_node(tocha_context *cx, tocha_node *node, tocha_hook hook, uint64_t *id) {
  if (!node) return tocha_refuse_none(cx, "keep_with_node", "node", "Node");
  const hook_entry *e = add_to_node(cx, node, HOOK_KEPT, hook);
  if (e) *id = e->id;
  return e != NULL;
}

void *tocha_kept_with_node(const tocha_node *node, void (*free)(void *user)) {
  const tocha_hook_list *list = node->hooks;
  for (int i = 0; list && i < list->count; i++)
    if (list->entries[i].kind == HOOK_KEPT && list->entries[i].hook.free == free)
      return list->entries[i].hook.user;
  return NULL;
}

static void remove_from(tocha_hook_list *list, uint64_t id) {
  for (int i = 0; list && i < list->count; i++)
    if (list->entries[i].id == id && is_alive(&list->entries[i])) {
      drop(&list->entries[i]);
      return;
    }
}

void tocha_remove_hook(tocha_tensor *t, tocha_node *node, uint64_t id) {
  if (node) remove_from(tocha_node_hooks(node), id);
  if (t && t->autograd) {
    remove_from(t->autograd->hooks, id);
    if (t->autograd->node) remove_from(t->autograd->node->hooks, id);
  }
}

/* --- hooks that only their tensor keeps alive ------------------------------------------------- */

static bool has_hook(const tocha_hook_list *list, uint64_t id) {
  for (int i = 0; list && i < list->count; i++)
    if (list->entries[i].id == id) return is_alive(&list->entries[i]);
  return false;
}

bool tocha_hook_is_private(tocha_tensor *t, uint64_t id) {
  if (!t) return false;
  const tocha_autograd_meta *meta = t->autograd;
  if (!meta || atomic_load(&t->references) != 1) return false;
  if (!has_hook(meta->hooks, id)) {
    tocha_node *node = meta->node;
    if (!node || atomic_load(&node->references) != 1 || !has_hook(node->hooks, id)) return false;
    node->watched = true;
  }
  t->flags |= TOCHA_FLAG_WATCHED;
  return true;
}

static void tell(tocha_hook_list *list) {
  for (int i = 0; list && i < list->count; i++) {
    const hook_entry *e = &list->entries[i];
    if (is_alive(e) && e->hook.shared) e->hook.shared(e->hook.user);
  }
}

void tocha_node_shared(tocha_node *node) {
  node->watched = false;
  tell(node->hooks);
}

void tocha_hooks_shared(tocha_tensor *t) {
  t->flags &= (uint16_t)~TOCHA_FLAG_WATCHED;
  if (!t->autograd) return;
  tell(t->autograd->hooks);
  if (t->autograd->node) tocha_node_shared(t->autograd->node);
}

/* --- running hooks ---------------------------------------------------------------------------- */

/* Fails if a hook changed more than the values of a gradient: its dtype, device or sizes. */
static bool check_kind(tocha_context *cx, const hook_entry *e, const tocha_tensor *old,
                       const tocha_tensor *new) {
  const char *name = e->hook.name ? e->hook.name : "<lambda>";
  char was[32], got[32];
  if (new->dtype != old->dtype)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "hook '%s' has changed the type of value (was %s got %s)",
               name, tocha_type_text(old, was), tocha_type_text(new, got));
  else if (!tocha_device_equal(new->device, old->device))
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "hook '%s' has changed the device of value", name);
  else if (!tocha_same_sizes(old, new))
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "hook '%s' has changed the size of value", name);
  return !tocha_failed(cx);
}

static bool run_gradient_hook(tocha_context *cx, const hook_entry *e, tocha_tensor **grad) {
  tocha_tensor *changed = *grad;
  const hook_entry copy = *e; /* a copy, because the hook may enlarge the list */
  if (!copy.hook.call(cx, copy.hook.user, &changed)) return tocha_refuse_silence(cx, "a hook");
  if (!changed || changed == *grad) return true;
  if (!check_kind(cx, &copy, *grad, changed)) return false;
  tocha_retain(changed);
  tocha_release(*grad);
  *grad = changed;
  return true;
}

static bool fill_retained(tocha_context *cx, const hook_entry *e, tocha_tensor *grad) {
  tocha_tensor *old = tocha_grad(e->tensor);
  tocha_tensor *kept = old ? tocha_add(cx, old, grad) : tocha_clone(cx, grad);
  if (!kept) return false;
  tocha_autograd_meta *meta = e->tensor->autograd;
  meta->grad = tocha_retain(kept);
  tocha_note_cycle(meta);
  tocha_release(old);
  return true;
}

bool tocha_run_hooks(tocha_context *cx, tocha_hook_list *list, int index, tocha_tensor **grad) {
  bool ok = true;
  if (!list || !*grad) return true;
  list->running++;
  for (int i = 0; ok && i < list->count; i++) {
    const hook_entry *e = &list->entries[i];
    if (e->kind == HOOK_GRADIENT && e->index == index && is_alive(e))
      ok = run_gradient_hook(cx, e, grad);
  }
  for (int i = 0; ok && i < list->count; i++) {
    const hook_entry *e = &list->entries[i];
    if (e->kind == HOOK_RETAIN && e->index == index && is_alive(e))
      ok = fill_retained(cx, e, *grad);
  }
  list->running--;
  return ok;
}

bool tocha_run_post_hooks(tocha_context *cx, tocha_hook_list *list, tocha_tensor *leaf) {
  bool ok = true;
  if (!list) return true;
  list->running++;
  for (int i = 0; ok && i < list->count; i++) {
    const hook_entry copy = list->entries[i];
    tocha_tensor *argument = leaf;
    if (copy.kind == HOOK_POST_ACCUMULATE && is_alive(&copy))
      ok = copy.hook.call(cx, copy.hook.user, &argument) || tocha_refuse_silence(cx, "a hook");
  }
  list->running--;
  return ok;
}

static bool has_kind(const tocha_hook_list *list, hook_kind kind) {
  for (int i = 0; list && i < list->count; i++)
    if (list->entries[i].kind == kind && is_alive(&list->entries[i])) return true;
  return false;
}

bool tocha_has_hooks_after(const tocha_hook_list *list) { return has_kind(list, HOOK_AFTER); }

/* Fails if a hook replaced a gradient by a tensor of another dtype, device or size, or filled in a
 * missing one. */
static bool check_changed(tocha_context *cx, const hook_entry *e, int count,
                          tocha_tensor *const *old, tocha_tensor *const *new) {
  for (int i = 0; i < count; i++) {
    if (!new[i] || new[i] == old[i]) continue;
    if (!old[i]) {
      tocha_fail(cx, TOCHA_RUNTIME_ERROR, "can't replace a None gradient with a non-None value");
      return false;
    }
    if (!check_kind(cx, e, old[i], new[i])) return false;
  }
  return true;
}

bool tocha_run_node_hooks(tocha_context *cx, tocha_hook_list *list, bool before, int count,
                          tocha_tensor **grads, int other_count, tocha_tensor *const *others) {
  hook_kind kind = before ? HOOK_BEFORE : HOOK_AFTER;
  if (!has_kind(list, kind)) return true;
  uint64_t bytes = ((uint64_t)count + 1) * sizeof *grads;
  tocha_tensor **changed = tocha_allocate(cx, bytes);
  if (!changed) return false;
  bool ok = true;
  list->running++;
  for (int i = 0; ok && i < list->count; i++) {
    const hook_entry copy = list->entries[i];
    if (copy.kind != kind || !is_alive(&copy)) continue;
    if (count) memcpy(changed, grads, (size_t)count * sizeof *grads);
    ok = copy.hook.call_node(cx, copy.hook.user, count, changed, other_count, others)
             ? check_changed(cx, &copy, count, grads, changed)
             : tocha_refuse_silence(cx, "a hook") != NULL;
    if (ok && count) memcpy(grads, changed, (size_t)count * sizeof *grads);
  }
  list->running--;
  tocha_deallocate(cx, changed, bytes);
  return ok;
}

bool tocha_hooks_retain(tocha_node *node, int index, tocha_tensor *t) {
  hook_entry *e = add(node->context, &node->hooks, HOOK_RETAIN, index);
  if (e) e->tensor = t;
  return e != NULL;
}

void tocha_hooks_forget(tocha_node *node, const tocha_tensor *t) {
  tocha_hook_list *list = node->hooks;
  for (int i = 0; list && i < list->count; i++)
    if (list->entries[i].kind == HOOK_RETAIN && list->entries[i].tensor == t)
      list->entries[i].tensor = NULL;
}
