/* backward.c: the checks of backward() and grad() before a pass, and their results after it. */
#include <stdio.h>
#include <string.h>

#include "dispatch/required_arguments.h"
#include "autograd/node.h"
#include "tensor/copy.h"
#include "tocha/ops/zeros_like.h"

/* Writes "torch.Size([2, 3])" into text. */
static const char *size_text(const tocha_tensor *t, char *text, size_t capacity) {
  char list[200];
  snprintf(text, capacity, "torch.Size(%s)",
           tocha_shape_text(t->ndim, t->sizes, list, sizeof list));
  return text;
}

/* Returns the gradient to start from at root number i: the given one, checked, or 1. */
static tocha_tensor *start_gradient(tocha_context *cx, tocha_tensor *root, tocha_tensor *given,
                                    int i) {
  char a[256], b[256];
  if (given) {
    if (tocha_same_sizes(given, root)) return given;
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Mismatch in shape: grad_output[%d] has a shape of %s and output[%d] has a "
                      "shape of %s.",
                      i, size_text(given, a, sizeof a), i, size_text(root, b, sizeof b));
  }
  if (!tocha_requires_grad(root)) return NULL; /* reported by start */
  if (root->numel != 1) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "grad can be implicitly created only for scalar outputs");
    return tocha_hint(cx, "reduce it first, y:sum():backward(), or pass a gradient of its shape");
  }
  tocha_tensor *one = tocha_new_like(cx, root, (tocha_dtype)root->dtype);
  return one && tocha_fill_data(cx, one, tocha_float(1)) ? one : NULL;
}

static bool start(tocha_context *cx, const tocha_backward_request *q, tocha_endpoint *starts) {
  for (int i = 0; i < q->root_count; i++) {
    if (!q->roots[i]) {
      tocha_fail(cx, TOCHA_TYPE_ERROR, "element %d of tensors is None", i);
      return false;
    }
    tocha_tensor *given = q->gradients ? q->gradients[i] : NULL;
    starts[i].gradient = tocha_retain(start_gradient(cx, q->roots[i], given, i));
    if (tocha_failed(cx)) return false;
  }
  for (int i = 0; i < q->root_count; i++) {
    if (!tocha_gradient_edge(cx, q->roots[i], &starts[i].edge)) return false;
    if (starts[i].edge.node) continue;
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "element %d of tensors does not require grad and does not have a grad_fn", i);
    return false;
  }
  return true;
}

/* Finds the edge to the gradient of `input`. The edge of a leaf leads to its latest AccumulateGrad,
 * even if the leaf has been given other data since. */
static bool input_edge(tocha_context *cx, tocha_tensor *input, tocha_edge *edge) {
  tocha_node *accumulator = input->autograd ? input->autograd->accumulator : NULL;
  if (!accumulator || !tocha_is_leaf(input)) return tocha_history_edge(cx, input, edge);
  tocha_node_retain(accumulator);
  *edge = (tocha_edge){accumulator, 0};
  return true;
}

static bool resolve_inputs(tocha_context *cx, const tocha_backward_request *q,
                           tocha_endpoint *captures) {
  for (int i = 0; i < q->input_count; i++) {
    tocha_tensor *input = q->inputs[i];
    if (!input) {
      tocha_fail(cx, TOCHA_TYPE_ERROR, "element %d of inputs is None", i);
      return false;
    }
    if (q->accumulate && !tocha_retain_grad(cx, input)) return false;
    if (!tocha_requires_grad(input)) {
      tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                 "One of the differentiated Tensors does not require grad");
      return false;
    }
    if (!input_edge(cx, input, &captures[i].edge)) return false;
  }
  return true;
}

static bool collect_results(tocha_context *cx, const tocha_backward_request *q,
                            tocha_endpoint *captures) {
  for (int i = 0; i < q->input_count; i++) {
    tocha_tensor *gradient = captures[i].gradient;
    captures[i].gradient = NULL;
    if (gradient) {
      q->results[i] = tocha_scope_push(cx, gradient);
      if (!q->results[i]) return false;
    } else if (q->materialize) {
      q->results[i] = tocha_zeros_like(cx, q->inputs[i]);
      if (!q->results[i]) return false;
    } else if (!q->allow_unused) {
      tocha_fail(
          cx, TOCHA_RUNTIME_ERROR,
          "The differentiated Tensor at index %d appears to not have been used in the graph. "
          "Set allow_unused=True if this is the desired behavior.",
          i);
      return false;
    }
  }
  return true;
}

static void release_endpoints(tocha_endpoint *ends, int count) {
  for (int i = 0; i < count; i++) {
    tocha_release(ends[i].gradient);
    if (ends[i].edge.node) tocha_node_release(ends[i].edge.node);
  }
}

bool tocha_run_backward(tocha_context *cx, const tocha_backward_request *q) {
  enum { INLINE = 8 };
  tocha_endpoint few[INLINE], *ends = few;
  if (tocha_failed(cx)) return false;
  if (!q) return tocha_refuse_none(cx, "backward", "request", "BackwardRequest");
  if (!tocha_given_tensors(cx, "backward", "tensors", q->root_count, q->roots, false) ||
      !tocha_given_tensors(cx, "backward", "inputs", q->input_count, q->inputs, false))
    return false;
  if (!q->accumulate && !q->results && q->input_count)
    return tocha_refuse_none(cx, "grad", "results", "a list");
  if (!q->accumulate && q->input_count == 0) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "`inputs` argument to `grad()` cannot be empty.");
    return false;
  }
  if (!q->accumulate) memset(q->results, 0, (size_t)q->input_count * sizeof *q->results);
  size_t count = (size_t)q->root_count + (size_t)q->input_count;
  if (count > INLINE && !(ends = tocha_allocate(cx, count * sizeof *ends))) return false;
  memset(ends, 0, count * sizeof *ends);
  tocha_endpoint *captures = ends + q->root_count;
  bool ok = start(cx, q, ends) && resolve_inputs(cx, q, captures) &&
            tocha_engine_run(cx, q->root_count, ends, q->input_count, captures, q->accumulate,
                             q->retain_graph || q->create_graph, q->create_graph) &&
            (q->accumulate || collect_results(cx, q, captures));
  release_endpoints(ends, (int)count);
  if (ends != few) tocha_deallocate(cx, ends, count * sizeof *ends);
  return ok;
}

bool tocha_backward(tocha_context *cx, tocha_tensor *tensor, tocha_tensor *gradient,
                    bool retain_graph, bool create_graph) {
  if (!tensor || tocha_failed(cx)) return false;
  tocha_backward_request q = {.root_count = 1,
                              .roots = &tensor,
                              .gradients = &gradient,
                              .accumulate = true,
                              .retain_graph = retain_graph,
                              .create_graph = create_graph};
  tocha_scope scope = tocha_scope_begin(cx);
  bool ok = tocha_run_backward(cx, &q);
  tocha_scope_end(cx, scope, NULL);
  return ok;
}

bool tocha_gradients(tocha_context *cx, int output_count, tocha_tensor *const *outputs,
                     int input_count, tocha_tensor *const *inputs,
                     tocha_tensor *const *grad_outputs, bool retain_graph, bool create_graph,
                     bool allow_unused, tocha_tensor **gradients) {
  tocha_backward_request q = {.root_count = output_count,
                              .roots = outputs,
                              .gradients = grad_outputs,
                              .input_count = input_count,
                              .inputs = inputs,
                              .retain_graph = retain_graph,
                              .create_graph = create_graph,
                              .allow_unused = allow_unused,
                              .results = gradients};
  return tocha_run_backward(cx, &q);
}
