/* saved.c: tensors kept for gradient rules, and the check that nobody changed them since. */
#include <stdio.h>
#include <string.h>

#include "autograd/node.h"

/* The header that the last call pushed onto the scope, taken out of it again. */
static tocha_tensor *take_from_scope(tocha_context *cx, tocha_tensor *t) {
  if (t) cx->scope_count--;
  return t;
}

bool tocha_save_tensor(tocha_node *node, tocha_saved *saved, tocha_tensor *t, int result) {
  tocha_context *cx = node->context;
  memset(saved, 0, sizeof *saved);
  saved->parameter = -1;
  if ((t->flags & TOCHA_FLAG_INFERENCE) && !cx->inference) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Inference tensors cannot be saved for backward. Please do not use Tensors created "
               "in inference mode in computation tracked by autograd. To work around this, you can "
               "make a clone to get a normal tensor and use it in autograd, or use "
               "`torch.no_grad()` instead of `torch.inference_mode()`.");
    return false;
  }
  saved->version = t->storage->version;
  saved->is_result = result >= 0;
  saved->is_view = result < 0 && t->base;
  saved->index = result >= 0 ? (uint32_t)result : 0;
  if (result < 0 && tocha_requires_grad(t)) {
    tocha_node *history;
    if (!tocha_current_node(cx, t, &history)) return false;
    if (!history) {
      saved->tensor = tocha_retain(t);
      return true;
    }
    tocha_node_retain(history);
    saved->node = history;
    saved->index = t->autograd->result;
  }
  saved->tensor = take_from_scope(cx, tocha_shallow(cx, t));
  if (saved->tensor && t->autograd) {
    saved->origin = t->autograd;
    tocha_refcount_retain(&t->autograd->references);
  }
  return saved->tensor != NULL;
}

void tocha_saved_release(tocha_saved *saved) {
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

/* The node that made what was saved, as it is called now: a change in place renames it. */
static tocha_node *present_node(tocha_context *cx, tocha_node *node, const tocha_saved *saved,
                                uint32_t *index) {
  *index = saved->index;
  if (saved->is_result) return node;
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

static tocha_tensor *fail_changed(tocha_context *cx, tocha_node *node, const tocha_saved *saved) {
  const tocha_tensor *t = saved->tensor;
  char type[32], shape[256], name[128], origin[192] = "";
  uint32_t index;
  tocha_node *made_by = present_node(cx, node, saved, &index);
  bool gone = saved->origin && !saved->origin->tensor; /* PyTorch keeps it, and asks it again */
  if (made_by && gone && saved->is_view)
    snprintf(origin, sizeof origin, ", which is output 0 of AsStrided,");
  else if (made_by && tocha_dtype_is_floating((tocha_dtype)t->dtype))
    snprintf(origin, sizeof origin, ", which is output %u of %s,", index,
             tocha_node_short_name(made_by, name, sizeof name));
  return tocha_fail(
      cx, TOCHA_RUNTIME_ERROR,
      "one of the variables needed for gradient computation has been modified by an inplace "
      "operation: [%s %s]%s is at version %u; expected version %u instead. Hint: %s",
      tocha_type_text(t, type), tocha_shape_text(t->ndim, t->sizes, shape, sizeof shape), origin,
      t->storage->version, saved->version,
      cx->anomaly ? "the backtrace further above shows the operation that failed to compute its "
                    "gradient. The variable in question was changed in there or anywhere later. "
                    "Good luck!"
                  : "enable anomaly detection to find the operation that failed to compute its "
                    "gradient, with torch.autograd.set_detect_anomaly(True, check_nan=False).");
}

tocha_tensor *tocha_unsave_tensor(tocha_context *cx, tocha_node *node, const tocha_saved *saved) {
  tocha_tensor *t = saved->tensor;
  if (!t) {
    tocha_fail_freed(cx);
    return NULL;
  }
  if (t->storage->version != saved->version) return fail_changed(cx, node, saved);
  tocha_node *history = saved->is_result ? node : saved->node;
  if (!history || !tocha_grad_enabled(cx) || !tocha_dtype_is_floating((tocha_dtype)t->dtype))
    return t;
  /* a rule that is itself recorded must see the graph behind the value */
  tocha_tensor *seen = tocha_shallow(cx, t);
  tocha_autograd_meta *meta = seen ? tocha_autograd_meta_of(seen) : NULL;
  if (!meta) return NULL;
  if (saved->is_result && node->within) {
    meta->node = tocha_slices_view_node(cx, node->within);
    return meta->node ? seen : NULL;
  }
  tocha_node_retain(history);
  meta->node = history;
  meta->result = saved->index;
  return seen;
}
