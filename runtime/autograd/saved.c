/* saved.c: tensors saved for gradient rules, and the check that they have not changed since. */
#include <stdio.h>
#include <string.h>

#include "autograd/node.h"

/* --- tensors that hooks pack ------------------------------------------------------------------------ */

typedef struct tocha_packed_tensor {
  tocha_packed packed;
  tocha_tensor *seen;        /* until it is packed: the leaf itself, or an alias with its graph */
  tocha_gradient_shape look; /* of seen */
} packed_tensor;

const tocha_saving_hooks *tocha_set_saving_hooks(tocha_context *cx,
                                                 const tocha_saving_hooks *hooks) {
  if (!cx) return NULL;
  const tocha_saving_hooks *old = cx->saving_hooks;
  cx->saving_hooks = hooks;
  return old;
}

/* Makes t result `index` of `node`. */
static bool set_place(tocha_tensor *t, tocha_node *node, uint32_t index) {
  tocha_autograd_meta *meta = tocha_autograd_meta_of(t);
  if (!meta) return false;
  tocha_node_retain(node);
  meta->node = node;
  meta->result = index;
  return true;
}

static void clear_place(tocha_tensor *t) {
  tocha_node *node = t->autograd ? t->autograd->node : NULL;
  if (!node) return;
  t->autograd->node = NULL;
  tocha_node_release(node);
}

/* Releases `seen`. If a hook kept an alias, removes the alias's graph, because a result would own
 * itself otherwise. */
static void drop_seen(const tocha_saved *saved) {
  tocha_tensor *seen = saved->packed->seen;
  saved->packed->seen = NULL;
  if (seen && !saved->is_leaf) clear_place(seen);
  tocha_release(seen);
}

static void release_packed(tocha_context *cx, tocha_saved *saved) {
  packed_tensor *p = saved->packed;
  if (!p) return;
  drop_seen(saved);
  if (p->packed.free) p->packed.free(p->packed.value);
  tocha_drop_look(cx, &p->look);
  tocha_deallocate(cx, p, sizeof *p);
}

/* Calls the pack hook in no_grad mode. While it runs, its own hooks pack no other tensor. The hook
 * may end its own guard. */
static bool call_pack(tocha_context *cx, tocha_tensor *t, packed_tensor *p) {
  const tocha_saving_hooks *hooks = cx->saving_hooks, *paused = cx->paused_hooks;
  bool enabled = tocha_set_grad_enabled(cx, false);
  uint32_t version = tocha_write_count(t);
  cx->paused_hooks = hooks;
  bool ok = hooks->pack(cx, hooks->user, t, &p->packed);
  cx->paused_hooks = paused;
  tocha_set_grad_enabled(cx, enabled);
  if (!ok || (!tocha_is_forgotten(t) && tocha_write_count(t) == version)) return ok;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "A saved tensor pack hook is modifying its input in place. Tensors provided as input "
             "to pack hook cannot be modified by in-place operations as this can lead to "
             "unexpected side-effects. Please open an issue if you need to perform in-place "
             "operations on the input to a pack hook.");
  return false;
}

/* Writes "[torch.FloatTensor [2, 3]]", with the device if it is not the CPU, into text and returns
 * it. */
static const char *look_text(int dtype, tocha_device device, int ndim, const int64_t *sizes,
                             char *text, size_t capacity) {
  const tocha_tensor kind = {.dtype = (uint8_t)dtype, .device = device};
  char type[32], shape[256];
  snprintf(text, capacity, "[%s %s]", tocha_type_text(&kind, type),
           tocha_shape_text(ndim, sizes, shape, sizeof shape));
  return text;
}

static tocha_tensor *fail_look(tocha_context *cx, const tocha_tensor *t,
                               const tocha_gradient_shape *look) {
  char was[320], is[320];
  if (tocha_is_forgotten(t)) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "this tensor was freed with free() and has no data");
    return tocha_hint(cx, "backward reads it: free it after that");
  }
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "one of the variables needed for gradient computation was given other data: it was %s "
             "when it was saved and is %s now",
             look_text(look->dtype, look->device, look->ndim, look->sizes, was, sizeof was),
             look_text(t->dtype, t->device, t->ndim, t->sizes, is, sizeof is));
  return tocha_hint(cx, "assign to x.data after backward, or compute the loss again");
}

/* Stores t, with its graph, as the tensor that the pack hook will receive. */
static bool prepare_packing(tocha_node *node, tocha_saved *saved, tocha_tensor *t) {
  tocha_context *cx = node->context;
  packed_tensor *p = tocha_allocate_zeroed(cx, sizeof *p);
  if (!p) return false;
  saved->is_packed = true;
  saved->packed = p;
  if (!tocha_note_look(cx, &p->look, t)) return false;
  p->seen = saved->is_leaf ? tocha_retain(t) : tocha_own_shallow(cx, t);
  tocha_node *history = saved->is_result ? node : saved->node;
  return p->seen && (saved->is_leaf || !history || set_place(p->seen, history, saved->index));
}

bool tocha_pack_saved(tocha_context *cx, tocha_saved *saved) {
  if (!saved->is_packed) return true;
  packed_tensor *p = saved->packed;
  bool ok = tocha_looks_like(p->seen, &p->look);
  if (!ok) { /* the previous tensor's hook changed this tensor */
    fail_look(cx, p->seen, &p->look);
  } else if (tocha_hooks_pack(cx)) {
    ok = call_pack(cx, p->seen, p);
  } else { /* the previous tensor's hook ended its guard */
    saved->tensor = p->seen;
    saved->is_packed = false;
    if (saved->is_leaf)
      tocha_release(p->seen);
    else
      clear_place(p->seen);
    tocha_drop_look(cx, &p->look);
    tocha_deallocate(cx, p, sizeof *p);
    return true;
  }
  drop_seen(saved);
  return ok;
}

static tocha_tensor *unpack_tensor(tocha_context *cx, const packed_tensor *p) {
  const tocha_saving_hooks *paused = cx->paused_hooks;
  bool enabled = tocha_set_grad_enabled(cx, false);
  cx->paused_hooks = cx->saving_hooks;
  tocha_tensor *t = p->packed.unpack(cx, p->packed.value);
  cx->paused_hooks = paused;
  tocha_set_grad_enabled(cx, enabled);
  return t;
}

/* --- saving ------------------------------------------------------------------------------------------- */

bool tocha_check_saving(tocha_context *cx, const tocha_tensor *t) {
  if (!(t->flags & TOCHA_FLAG_INFERENCE) || cx->inference) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "Inference tensors cannot be saved for backward. Please do not use Tensors created "
             "in inference mode in computation tracked by autograd. To work around this, you can "
             "make a clone to get a normal tensor and use it in autograd, or use "
             "`torch.no_grad()` instead of `torch.inference_mode()`.");
  return false;
}

bool tocha_save_tensor(tocha_node *node, tocha_saved *saved, tocha_tensor *t, int result,
                       const tocha_edge *known, bool dropped) {
  tocha_context *cx = node->context;
  *saved = (tocha_saved){.version = tocha_write_count(t),
                         .index = (uint32_t)result,
                         .parameter = -1,
                         .is_result = result >= 0,
                         .is_view = t->base != NULL};
  if (!tocha_check_saving(cx, t)) return false;
  if (result < 0) {
    tocha_edge edge;
    if (known)
      tocha_node_retain((edge = *known).node);
    else if (!tocha_gradient_edge(cx, t, &edge))
      return false;
    saved->node = edge.node;
    saved->index = edge.index;
    saved->is_leaf = edge.node && !t->autograd->node;
  }
  if (tocha_hooks_pack(cx)) return prepare_packing(node, saved, t);
  if (saved->is_leaf) {
    saved->tensor = t; /* its AccumulateGrad owns it */
    return true;
  }
  saved->tensor =
      dropped ? tocha_retain(t) : tocha_own_shallow(cx, t); /* what is dropped has no graph */
  if (saved->tensor && t->autograd) {
    saved->origin = t->autograd;
    tocha_refcount_retain(&t->autograd->references);
  }
  return saved->tensor != NULL;
}

void tocha_saved_release(tocha_context *cx, tocha_saved *saved) {
  if (saved->is_packed)
    release_packed(cx, saved);
  else if (!saved->is_leaf)
    tocha_release(saved->tensor);
  if (saved->node) tocha_node_release(saved->node);
  if (saved->origin) tocha_autograd_meta_release(saved->origin);
  saved->tensor = NULL;
  saved->node = NULL;
  saved->origin = NULL;
}

bool tocha_fail_freed(tocha_context *cx) {
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "Trying to backward through the graph a second time (or directly access saved tensors "
             "after they have already been freed). Saved intermediate values of the graph are "
             "freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you "
             "need to backward through the graph a second time or if you need to access saved "
             "tensors after calling backward.");
  return false;
}

/* Returns the node that made the saved tensor, as it is now: a change in place replaces it. */
static tocha_node *present_node(tocha_context *cx, tocha_node *node, const tocha_saved *saved,
                                uint32_t *index) {
  *index = saved->index;
  if (saved->is_result) return node;
  if (saved->is_leaf) return NULL;
  tocha_tensor *origin = saved->origin ? saved->origin->tensor : NULL;
  tocha_node *now = NULL;
  if (!origin) return saved->node;
  if (!tocha_current_node(cx, origin, &now)) {
    tocha_clear_error(cx);
    return saved->node;
  }
  if (now) *index = origin->autograd->result;
  return now;
}

/* Returns true if the saved tensor is a view whose grad_fn PyTorch would compute anew: an input
 * that no longer exists, or a result that was written in place and whose grad_fn was not requested
 * since. */
static bool is_asked_anew(const tocha_saved *saved) {
  const tocha_tensor *t = saved->origin ? saved->origin->tensor : NULL;
  if (!saved->is_view || !saved->origin) return false;
  return saved->is_result ? t && t->view_version <= saved->version : !t;
}

static tocha_tensor *fail_changed(tocha_context *cx, tocha_node *node, const tocha_saved *saved) {
  const tocha_tensor *t = saved->tensor;
  char type[32], shape[256], name[128], origin[192] = "";
  uint32_t index;
  tocha_node *made_by = present_node(cx, node, saved, &index);
  if (made_by && is_asked_anew(saved))
    snprintf(origin, sizeof origin, ", which is output 0 of AsStrided,");
  else if (made_by && tocha_is_floating(t->dtype))
    snprintf(origin, sizeof origin, ", which is output %u of %s,", index,
             tocha_node_short_name(made_by, name, sizeof name));
  return tocha_fail(
      cx, TOCHA_RUNTIME_ERROR,
      "one of the variables needed for gradient computation has been modified by an inplace "
      "operation: [%s %s]%s is at version %u; expected version %u instead. Hint: %s",
      tocha_type_text(t, type), tocha_shape_text(t->ndim, t->sizes, shape, sizeof shape), origin,
      tocha_write_count(t), saved->version,
      cx->anomaly ? "the backtrace further above shows the operation that failed to compute its "
                    "gradient. The variable in question was changed in there or anywhere later. "
                    "Good luck!"
                  : "enable anomaly detection to find the operation that failed to compute its "
                    "gradient, with torch.autograd.set_detect_anomaly(True, check_nan=False).");
}

bool tocha_saved_changed(const tocha_saved *saved) {
  return !saved->is_packed && saved->tensor && tocha_write_count(saved->tensor) != saved->version;
}

bool tocha_check_unsaved(tocha_context *cx, const tocha_saved *saved, const tocha_tensor *t) {
  if (saved->is_packed) {
    if (tocha_looks_like(t, &saved->packed->look)) return true;
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "A saved tensor unpack hook returned a tensor of another shape, dtype or device "
               "than that of the tensor that was packed.");
    return false;
  }
  if (!saved->is_leaf || tocha_keeps_look(t, &saved->node->inputs[0])) return true;
  fail_look(cx, t, &saved->node->inputs[0]);
  return false;
}

tocha_tensor *tocha_unsave_tensor(tocha_context *cx, tocha_node *node, const tocha_saved *saved) {
  if (!saved->tensor || (saved->is_packed && !saved->packed->packed.unpack)) {
    tocha_fail_freed(cx);
    return NULL;
  }
  tocha_tensor *t = saved->is_packed ? unpack_tensor(cx, saved->packed) : saved->tensor;
  if (!t) return NULL;
  if (tocha_saved_changed(saved)) return fail_changed(cx, node, saved);
  if (!tocha_check_unsaved(cx, saved, t)) return NULL;
  tocha_node *history = saved->is_result ? node : saved->node;
  bool is_itself = saved->is_leaf && !saved->is_packed;
  if (!history || !tocha_grad_enabled(cx) || !tocha_is_floating(t->dtype) ||
      (is_itself && !cx->saving_hooks)) /* hooks that run during the rule may change a leaf */
    return t;
  /* a rule that is recorded itself needs the graph of the value */
  tocha_tensor *seen = tocha_shallow(cx, t);
  tocha_autograd_meta *meta = seen ? tocha_autograd_meta_of(seen) : NULL;
  if (!meta) return NULL;
  if (saved->is_result && node->within) {
    meta->node = tocha_slices_view_node(cx, node->within);
    return meta->node ? seen : NULL;
  }
  return set_place(seen, history, saved->index) ? seen : NULL;
}
