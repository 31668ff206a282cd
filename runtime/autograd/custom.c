/* custom.c: functions of the host program in the graph (torch.autograd.Function). */
#include <string.h>

#include "autograd/node.h"
#include "dispatch/required_arguments.h"
#include "tensor/copy.h"
#include "tocha/ops/detach.h"
#include "tocha/ops/view.h"

/* The node of a custom function. It is made before the forward, when the number of results is
 * unknown, so node.inputs is a separate block. */
typedef struct custom_node {
  tocha_node node;
  tocha_custom_function function;
  void *user;
  bool materialize;
  tocha_saved *saved; /* NULL with index UINT32_MAX: NULL was saved */
  int saved_count, saved_capacity;
} custom_node;

static const char *custom_name(const tocha_node *node) {
  return ((const custom_node *)node)->function.name;
}

static tocha_tensor *zeros_of(tocha_context *cx, const tocha_gradient_shape *g) {
  tocha_tensor *zeros = tocha_new(cx, g->ndim, g->sizes, g->dtype, g->device);
  return zeros && tocha_fill_data(cx, zeros, tocha_int(0)) ? zeros : NULL;
}

static bool custom_apply(tocha_context *cx, tocha_node *node, tocha_tensor *const *grads,
                         tocha_tensor **out) {
  enum { INLINE = 8 };
  custom_node *n = (custom_node *)node;
  tocha_tensor *few[INLINE], **given = few;
  uint64_t bytes = (uint64_t)node->input_count * sizeof *given;
  if (node->input_count > INLINE && !(given = tocha_allocate(cx, bytes))) return false;
  bool ok = true;
  for (int i = 0; ok && i < node->input_count; i++) {
    given[i] = grads[i];
    if (grads[i] || !n->materialize || node->inputs[i].dtype == TOCHA_NO_DTYPE) continue;
    given[i] = zeros_of(cx, &node->inputs[i]);
    ok = given[i] != NULL;
  }
  if (ok && !n->function.backward(cx, node, n->user, given, out))
    ok = tocha_refuse_silence(cx, n->function.name);
  if (given != few) tocha_deallocate(cx, given, bytes);
  return ok;
}

static void custom_release_saved(tocha_node *node) {
  custom_node *n = (custom_node *)node;
  for (int i = 0; i < n->saved_count; i++) tocha_saved_release(node->context, &n->saved[i]);
  node->freed = true;
}

static void release_inputs(tocha_node *node) {
  for (int i = 0; i < node->input_count; i++) tocha_drop_look(node->context, &node->inputs[i]);
  if (node->input_count)
    tocha_deallocate(node->context, node->inputs,
                     (uint64_t)node->input_count * sizeof *node->inputs);
  node->input_count = 0;
}

static void custom_destroy(tocha_node *node) {
  custom_node *n = (custom_node *)node;
  tocha_deallocate(node->context, n->saved, (uint64_t)n->saved_capacity * sizeof *n->saved);
  release_inputs(node);
  if (n->function.free) n->function.free(n->user);
}

static const tocha_node_class custom_class = {.name_of = custom_name,
                                              .apply = custom_apply,
                                              .release_saved = custom_release_saved,
                                              .destroy = custom_destroy};

tocha_node *tocha_custom_node(tocha_context *cx, const tocha_custom_function *function, void *user,
                              int input_count, tocha_tensor *const *inputs) {
  if (tocha_failed(cx)) return NULL;
  if (!function || !function->backward)
    return tocha_refuse_none(cx, "custom_node", "function", "Function");
  if (!tocha_given_tensors(cx, "custom_node", "inputs", input_count, inputs, true)) return NULL;
  custom_node *n =
      (custom_node *)tocha_node_new(cx, &custom_class, sizeof(custom_node), input_count, 0);
  if (!n) return NULL;
  n->function.name = function->name;
  n->materialize = true;
  for (int i = 0; i < input_count; i++)
    if (inputs[i] && !tocha_gradient_edge(cx, inputs[i], &n->node.edges[i])) {
      tocha_node_release(&n->node);
      return NULL;
    }
  n->node.sequence = ++cx->next_sequence;
  n->function = *function;
  n->user = user;
  return &n->node;
}

static custom_node *as_custom(const tocha_node *node) {
  return node && node->class == &custom_class ? (custom_node *)node : NULL;
}

const tocha_custom_function *tocha_custom_function_of(const tocha_node *node) {
  const custom_node *n = as_custom(node);
  return n ? &n->function : NULL;
}

void *tocha_custom_user(const tocha_node *node) {
  const custom_node *n = as_custom(node);
  return n ? n->user : NULL;
}

void tocha_custom_set_materialize(tocha_node *node, bool materialize) {
  custom_node *n = as_custom(node);
  if (n) n->materialize = materialize;
}

/* --- results of the forward ------------------------------------------------------------------- */

static bool make_inputs(tocha_context *cx, tocha_node *node, int count) {
  if (!node || count == 0) return true;
  tocha_gradient_shape *inputs = tocha_allocate(cx, (uint64_t)count * sizeof *inputs);
  if (!inputs) return false;
  memset(inputs, 0, (size_t)count * sizeof *inputs);
  for (int i = 0; i < count; i++) inputs[i].dtype = TOCHA_NO_DTYPE;
  node->inputs = inputs;
  node->input_count = count;
  return true;
}

static bool is_among(const tocha_tensor *t, int count, tocha_tensor *const *list) {
  for (int i = 0; i < count; i++)
    if (list[i] == t) return true;
  return false;
}

/* Makes node the history of an input that was changed in place. Fails if the change is
 * forbidden. */
static bool rewrite_history(tocha_context *cx, tocha_node *node, tocha_tensor *t, int index,
                            int result_count) {
  if (tocha_requires_grad(t) && tocha_is_leaf(t) && !t->base) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "a leaf Variable that requires grad has been used in an in-place operation.");
    return false;
  }
  if (t->base && result_count > 1) {
    tocha_fail(
        cx, TOCHA_RUNTIME_ERROR,
        "If your Function modifies inplace an input that is a view of another Tensor, your "
        "Function cannot return more than one Tensor. This is not supported by the current "
        "autograd engine. You should either make sure the input is not a view (using .clone() for "
        "example) or make your Function only return one Tensor (potentially splitting it into two "
        "Functions: one doing the inplace that returns a single Tensor and a second one that does "
        "the other operations). You can ask on the forum https://discuss.pytorch.org/ if you need "
        "help to do this change.");
    return false;
  }
  if (!t->base) return tocha_set_history(t, node, index);
  bool enabled = tocha_set_grad_enabled(cx, true);
  bool ok = tocha_check_inplace(cx, t, true);
  tocha_set_grad_enabled(cx, enabled);
  return ok && tocha_rebase_history(cx, t, node, false);
}

static tocha_tensor *view_of_itself(tocha_context *cx, tocha_tensor *t) {
  bool enabled = tocha_set_grad_enabled(cx, false);
  tocha_tensor *view = tocha_view(cx, t, t->ndim, t->sizes);
  tocha_set_grad_enabled(cx, enabled);
  return view;
}

/* Detaches a result that requires no gradient. */
static bool without_history(tocha_context *cx, tocha_custom_result *r, bool is_input) {
  if (!tocha_requires_grad(r->tensor)) return true;
  if (!is_input) return r->tensor->base || tocha_detach_in_place(cx, r->tensor);
  r->tensor = tocha_detach(cx, r->tensor);
  return r->tensor != NULL;
}

static bool is_differentiable(const tocha_node *node, const tocha_custom_result *r) {
  return node && r->tensor && !r->not_differentiable &&
         tocha_dtype_is_floating((tocha_dtype)r->tensor->dtype);
}

static bool take_result(tocha_context *cx, tocha_node *node, tocha_custom_result *r, int index,
                        bool is_input, int result_count) {
  if (node && !tocha_node_set_input(node, index, r->tensor)) return false;
  bool changed_input = is_input && r->changed;
  if (r->changed) tocha_bump_version(r->tensor);
  if (!is_differentiable(node, r)) {
    if (!without_history(cx, r, is_input)) return false;
  } else if (r->changed) {
    if (!is_input)
      tocha_warn(cx, "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors "
                     "that have been mutated should be passed to ctx.mark_dirty().");
    if (!rewrite_history(cx, node, r->tensor, index, result_count)) return false;
  } else {
    if (is_input) r->tensor = view_of_itself(cx, r->tensor);
    if (!r->tensor || !tocha_set_history(r->tensor, node, index)) return false;
  }
  if (!changed_input) tocha_set_view_origin(r->tensor, TOCHA_FLAG_VIEW_CUSTOM);
  return true;
}

static bool check_results(tocha_context *cx, const tocha_node *node, int count,
                          const tocha_custom_result *results) {
  if (node && node->input_count) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "this function has its results already");
    return false;
  }
  if (count < 0 || (count && !results))
    return tocha_refuse_none(cx, "custom_finish", "results", "a list");
  for (int i = 0; i < count; i++)
    if (results[i].tensor && tocha_is_forgotten(results[i].tensor)) {
      tocha_fail(cx, TOCHA_RUNTIME_ERROR, "result %d of the function was freed", i);
      return false;
    }
  return true;
}

bool tocha_custom_finish(tocha_context *cx, tocha_node *node, int input_count,
                         tocha_tensor *const *inputs, int result_count,
                         tocha_custom_result *results) {
  if (tocha_failed(cx)) return false;
  if (node && !as_custom(node)) return tocha_refuse_none(cx, "custom_finish", "node", "Node");
  if (!check_results(cx, node, result_count, results) || !make_inputs(cx, node, result_count))
    return false;
  int differentiable = 0;
  for (int i = 0; i < result_count; i++) {
    tocha_custom_result *r = &results[i];
    if (!r->tensor) continue;
    if (node && !node->stream) tocha_node_set_stream(node, r->tensor);
    differentiable += is_differentiable(node, r);
    bool is_input = is_among(r->tensor, input_count, inputs);
    if (!take_result(cx, node, r, i, is_input, result_count)) return false;
  }
  for (int i = 0; differentiable > 1 && i < result_count; i++)
    if (results[i].tensor) tocha_set_view_origin(results[i].tensor, TOCHA_FLAG_VIEW_MULTIPLE);
  return true;
}

/* --- tensors saved for the backward ----------------------------------------------------------- */

bool tocha_custom_save(tocha_context *cx, tocha_node *node, tocha_tensor *t, int result) {
  custom_node *n = as_custom(node);
  if (!n) return tocha_refuse_none(cx, "save_for_backward", "node", "Node");
  if (tocha_failed(cx)) return false;
  if (n->saved_count == n->saved_capacity) {
    int capacity = n->saved_capacity ? 2 * n->saved_capacity : 4;
    tocha_saved *saved = tocha_allocate(cx, (uint64_t)capacity * sizeof *saved);
    if (!saved) return false;
    if (n->saved_count) memcpy(saved, n->saved, (size_t)n->saved_count * sizeof *saved);
    tocha_deallocate(cx, n->saved, (uint64_t)n->saved_capacity * sizeof *saved);
    n->saved = saved;
    n->saved_capacity = capacity;
  }
  tocha_saved *s = &n->saved[n->saved_count];
  if (!t) {
    memset(s, 0, sizeof *s);
    s->index = UINT32_MAX;
  } else if (!tocha_save_tensor(&n->node, s, t, result, NULL, false) || !tocha_pack_saved(cx, s)) {
    tocha_saved_release(cx, s);
    return false;
  }
  n->saved_count++;
  return true;
}

int tocha_custom_saved_count(tocha_context *cx, const tocha_node *node) {
  const custom_node *n = as_custom(node);
  if (!n) return 0;
  return !node->freed || tocha_fail_freed(cx) ? n->saved_count : -1;
}

tocha_tensor *tocha_custom_saved(tocha_context *cx, tocha_node *node, int i) {
  const custom_node *n = as_custom(node);
  if (!n || i < 0 || i >= n->saved_count) return NULL;
  const tocha_saved *s = &n->saved[i];
  if (!s->tensor && s->index == UINT32_MAX && !node->freed) return NULL;
  tocha_node_retain(node); /* a hook may release the graph, or run it */
  tocha_node_begin_reading(node);
  tocha_tensor *t = tocha_unsave_tensor(cx, node, s);
  tocha_node_end_reading(node);
  tocha_node_release(node);
  return t;
}
