/* engine.c: runs a backward pass over the graph.
 *
 * A task is a node's part in a pass: its gradients so far and the number still expected. The node
 * points to its task. A pass that starts inside another one (in a hook or a custom function) puts
 * its own tasks in front and removes them at its end, so passes may share nodes. A node runs once
 * all its gradients have arrived. Later nodes run first, as in PyTorch, because the order of
 * additions affects the result. */
#include <stdio.h>
#include <string.h>

#include "autograd/node.h"
#include "tocha/ops/add.h"
#include "tocha/ops/sum_to_size.h"
#include "tocha/ops/to_copy.h"

struct pass;

typedef struct tocha_task {
  tocha_node *node;
  const struct pass *pass;
  struct tocha_task *outer;  /* the node's task in the enclosing pass */
  struct tocha_task *parent; /* in the path of the search */
  int next_edge;             /* where the search continues */
  int dependencies;          /* gradients still expected */
  bool visited;              /* reached from a start */
  bool selective;            /* the pass runs only nodes that lead to its captures */
  bool needed;               /* leads to a capture, or accumulates a captured gradient */
  bool caught;               /* one of its inputs is captured */
  tocha_tensor **gradients;  /* input_count of them, owned; &gradient if there is one */
  tocha_tensor *gradient;
} tocha_task;

enum { BLOCK_TASKS = 126, INLINE_TASKS = 24, INLINE_READY = 24, INLINE_OUT = 16 };

typedef struct task_block {
  struct task_block *next;
  int count;
  tocha_task tasks[BLOCK_TASKS];
} task_block;

typedef struct pass {
  tocha_context *cx;
  int capture_count;
  tocha_endpoint *captures;
  bool accumulate, keep_graph;
  int inline_count;
  task_block *blocks; /* the newest comes first */
  tocha_task **ready; /* a heap with the latest node on top */
  size_t ready_count, ready_capacity;
  tocha_task *inline_ready[INLINE_READY];
  tocha_task inline_tasks[INLINE_TASKS];
  tocha_pass_streams streams;
} pass;

/* --- tasks ------------------------------------------------------------------------------------------ */

static tocha_task *space_for_task(pass *p) {
  if (p->inline_count < INLINE_TASKS) return &p->inline_tasks[p->inline_count++];
  if (!p->blocks || p->blocks->count == BLOCK_TASKS) {
    task_block *block = tocha_allocate(p->cx, sizeof *block);
    if (!block) return NULL;
    block->next = p->blocks;
    block->count = 0;
    p->blocks = block;
  }
  return &p->blocks->tasks[p->blocks->count++];
}

/* Makes a task for node in this pass. Returns NULL if memory is short. */
static tocha_task *new_task(pass *p, tocha_node *node) {
  tocha_task *task = space_for_task(p);
  if (!task) return NULL;
  memset(task, 0, sizeof *task);
  task->gradients = &task->gradient;
  task->selective = p->capture_count > 0;
  task->node = node;
  task->pass = p;
  tocha_node_retain(node);
  task->outer = node->task;
  node->task = task;
  if (node->input_count > 1) {
    uint64_t bytes = (uint64_t)node->input_count * sizeof *task->gradients;
    tocha_tensor **gradients = tocha_allocate_zeroed(p->cx, bytes);
    if (!gradients) return NULL; /* end_tasks frees the task, which is already registered */
    task->gradients = gradients;
  }
  return task;
}

static void end_task(pass *p, tocha_task *task) {
  tocha_node *node = task->node;
  node->task = task->outer;
  for (int i = 0; i < (task->gradients == &task->gradient ? 1 : node->input_count); i++)
    tocha_release(task->gradients[i]);
  if (task->gradients != &task->gradient)
    tocha_deallocate(p->cx, task->gradients, (uint64_t)node->input_count * sizeof *task->gradients);
  tocha_node_release(node);
}

static void end_tasks(pass *p) {
  while (p->blocks) {
    task_block *block = p->blocks;
    p->blocks = block->next;
    while (block->count) end_task(p, &block->tasks[--block->count]);
    tocha_deallocate(p->cx, block, sizeof *block);
  }
  while (p->inline_count) end_task(p, &p->inline_tasks[--p->inline_count]);
  if (p->ready != p->inline_ready)
    tocha_deallocate(p->cx, p->ready, p->ready_capacity * sizeof *p->ready);
}

/* --- the search: nodes of the pass, their numbers of gradients, paths to captures ------------- */

static tocha_task *task_of(const pass *p, const tocha_node *node) {
  return node->task && node->task->pass == p ? node->task : NULL;
}

/* Makes tasks for the nodes of captures before the search, so that the search can mark the nodes
 * that lead to them. */
static bool mark_captures(pass *p) {
  for (int i = 0; i < p->capture_count; i++) {
    tocha_node *node = p->captures[i].edge.node;
    if (!node) continue;
    tocha_task *task = task_of(p, node);
    if (!task && !(task = new_task(p, node))) return false;
    task->caught = true;
    if (p->accumulate && node->edge_count == 0) task->needed = true;
  }
  return true;
}

/* Returns the task of a node that the search visits. Sets *first if this is the first visit. */
static tocha_task *meet(pass *p, tocha_node *node, bool *first) {
  tocha_task *task = task_of(p, node);
  if (!task) task = new_task(p, node);
  *first = task && !task->visited;
  if (task) task->visited = true;
  return task;
}

/* Visits all nodes below root depth-first. The tasks themselves hold the path back. */
static bool search(pass *p, tocha_node *root) {
  bool first;
  tocha_task *task = meet(p, root, &first);
  if (!task) return false;
  task->dependencies++;
  if (!first) return true;
  for (int64_t steps = 1; task; steps++) {
    if (steps % 4096 == 0 && tocha_interrupted(p->cx)) return false;
    if (task->next_edge == task->node->edge_count) {
      if (task->parent && (task->needed || task->caught)) task->parent->needed = true;
      task = task->parent;
      continue;
    }
    tocha_node *below = task->node->edges[task->next_edge++].node;
    if (!below) continue;
    tocha_task *child = meet(p, below, &first);
    if (!child) return false;
    child->dependencies++;
    if (first) {
      child->parent = task;
      task = child;
    } else if (child->needed || child->caught) {
      task->needed = true;
    }
  }
  return true;
}

bool tocha_edge_wanted(const tocha_edge *edge) {
  if (!edge->node) return false;
  const tocha_task *task = edge->node->task;
  return !task || !task->selective || task->needed || task->caught;
}

bool tocha_computes_gradient(const tocha_tensor *tensor) {
  const tocha_autograd_meta *meta = tensor ? tensor->autograd : NULL;
  const tocha_node *node = !meta ? NULL : meta->node ? meta->node : meta->accumulator;
  tocha_edge edge = {(tocha_node *)node, 0};
  return node && node->task && tocha_edge_wanted(&edge);
}

/* --- the heap of ready tasks ------------------------------------------------------------------------------ */

static bool push_ready(pass *p, tocha_task *task) {
  if (p->ready_count == p->ready_capacity) {
    size_t capacity = 2 * p->ready_capacity;
    tocha_task **ready = tocha_allocate(p->cx, capacity * sizeof *ready);
    if (!ready) return false;
    memcpy(ready, p->ready, p->ready_count * sizeof *ready);
    if (p->ready != p->inline_ready)
      tocha_deallocate(p->cx, p->ready, p->ready_capacity * sizeof *ready);
    p->ready = ready;
    p->ready_capacity = capacity;
  }
  size_t at = p->ready_count++;
  while (at && p->ready[(at - 1) / 2]->node->sequence < task->node->sequence) {
    p->ready[at] = p->ready[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  p->ready[at] = task;
  return true;
}

static tocha_task *pop_ready(pass *p) {
  tocha_task *top = p->ready[0], *last = p->ready[--p->ready_count];
  size_t at = 0;
  for (;;) {
    size_t child = 2 * at + 1;
    if (child >= p->ready_count) break;
    if (child + 1 < p->ready_count &&
        p->ready[child + 1]->node->sequence > p->ready[child]->node->sequence)
      child++;
    if (p->ready[child]->node->sequence <= last->node->sequence) break;
    p->ready[at] = p->ready[child];
    at = child;
  }
  p->ready[at] = last;
  return top;
}

/* --- delivery of gradients -------------------------------------------------------------------- */

static tocha_tensor *fail_invalid(tocha_context *cx, const tocha_node *from, int output,
                                  const char *format, const char *a, const char *b) {
  char what[640], where[192] = "";
  snprintf(what, sizeof what, format, a, b);
  if (from)
    snprintf(where, sizeof where, "Function %s returned an invalid gradient at index %d - ",
             tocha_node_full_name(from), output);
  return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s%s", where, what);
}

static bool broadcasts_to(const tocha_gradient_shape *g, const tocha_tensor *grad) {
  if (g->ndim > grad->ndim) return false;
  for (int i = 0; i < g->ndim; i++) {
    int64_t size = g->sizes[g->ndim - 1 - i];
    if (size != 1 && size != grad->sizes[grad->ndim - 1 - i]) return false;
  }
  return true;
}

tocha_tensor *tocha_fit_gradient(tocha_context *cx, const tocha_edge *edge, tocha_tensor *grad,
                                 const tocha_node *from, int output) {
  const tocha_gradient_shape *g = &edge->node->inputs[edge->index];
  char a[256], b[256];
  if (g->dtype == TOCHA_NO_DTYPE) return grad;
  bool same = g->ndim == grad->ndim;
  for (int i = 0; same && i < g->ndim; i++) same = g->sizes[i] == grad->sizes[i];
  if (!same) {
    if (!broadcasts_to(g, grad))
      return fail_invalid(cx, from, output, "got %s but expected shape compatible with %s",
                          tocha_shape_text(grad->ndim, grad->sizes, a, sizeof a),
                          tocha_shape_text(g->ndim, g->sizes, b, sizeof b));
    if (!(grad = tocha_sum_to_size(cx, grad, g->ndim, g->sizes))) return NULL;
  }
  if (!tocha_device_equal(g->device, grad->device)) {
    if (grad->ndim)
      return fail_invalid(cx, from, output, "expected device %s but got %s",
                          tocha_device_text(g->device, a), tocha_device_text(grad->device, b));
    return tocha_to_copy_full(cx, grad, g->dtype, g->device, false);
  }
  return grad->dtype == g->dtype ? grad : tocha_to_copy_full(cx, grad, g->dtype, g->device, false);
}

/* Adds a gradient (borrowed) to *sum, in place if no other owner can see the sum. */
static bool add_gradient(tocha_context *cx, tocha_tensor **sum, tocha_tensor *grad) {
  if (!*sum) {
    *sum = tocha_retain(grad);
    return true;
  }
  tocha_tensor *old = *sum;
  if (!tocha_grad_enabled(cx) && tocha_is_sole_owner(old) && tocha_is_contiguous(old) &&
      !(old->flags & TOCHA_FLAG_INFERENCE))
    return tocha_add_(cx, old, grad) != NULL;
  tocha_tensor *both = tocha_add(cx, old, grad);
  if (!both) return false;
  *sum = tocha_retain(both);
  tocha_release(old);
  return true;
}

/* Delivers a gradient, or NULL for none, along edge. The node becomes ready after its last
 * gradient. */
static bool deliver(pass *p, const tocha_edge *edge, tocha_tensor *grad, const tocha_node *from,
                    int output) {
  tocha_task *task = task_of(p, edge->node);
  if (grad) {
    grad = tocha_fit_gradient(p->cx, edge, grad, from, output);
    if (!grad || !add_gradient(p->cx, &task->gradients[edge->index], grad)) return false;
  }
  if (--task->dependencies > 0) return true;
  if (task->selective && !task->needed && !task->caught) return true;
  return push_ready(p, task);
}

/* --- running nodes --------------------------------------------------------------------------------------------- */

static void capture_gradients(pass *p, const tocha_task *task) {
  for (int i = 0; i < p->capture_count; i++) {
    tocha_endpoint *c = &p->captures[i];
    if (c->edge.node == task->node && !c->gradient)
      tocha_pass_keeps(&p->streams, c->gradient = tocha_retain(task->gradients[c->edge.index]));
  }
}

static bool run_hooks(tocha_context *cx, const tocha_task *task) {
  tocha_hook_list *hooks = tocha_node_hooks(task->node);
  if (!hooks) return true;
  for (int i = 0; i < task->node->input_count; i++)
    if (!tocha_run_hooks(cx, hooks, i, &task->gradients[i])) return false;
  return true;
}

bool tocha_check_gradients(tocha_context *cx, const tocha_node *node, tocha_tensor *const *grads) {
  for (int i = 0; i < node->input_count; i++) {
    const tocha_gradient_shape *look = &node->inputs[i];
    if (!grads[i] || look->dtype == TOCHA_NO_DTYPE || tocha_looks_like(grads[i], look)) continue;
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "a gradient was freed, or given other sizes, another dtype or device, during "
               "backward");
    tocha_hint(cx, "a hook that changes a gradient returns another tensor");
    return false;
  }
  return true;
}

/* Returns true if the gradients have not been changed since delivery, so that they fit the node. */
static inline bool are_as_delivered(const tocha_task *task) {
  for (int i = 0; i < task->node->input_count; i++)
    if (task->gradients[i] && task->gradients[i]->flags & TOCHA_FLAG_CHANGED_LOOK) return false;
  return true;
}

static inline bool apply_alone(tocha_context *cx, const tocha_task *task, bool delivered,
                               tocha_tensor **out) {
  tocha_node *node = task->node;
  tocha_node_begin_reading(node);
  bool ok = (delivered || tocha_check_gradients(cx, node, task->gradients)) &&
            node->class->apply(cx, node, task->gradients, out) && !tocha_failed(cx);
  tocha_node_end_reading(node);
  return ok;
}

/* Runs a node with its hooks. Hooks before the node may change its gradients, hooks after it the
 * results. */
static bool apply_with_hooks(tocha_context *cx, const tocha_task *task, tocha_hook_list *hooks,
                             tocha_tensor **out) {
  const tocha_node *node = task->node;
  uint64_t bytes = ((uint64_t)node->input_count + 1) * sizeof *task->gradients;
  tocha_tensor **grads = tocha_allocate(cx, bytes);
  if (!grads) return false;
  memcpy(grads, task->gradients, (size_t)node->input_count * sizeof *grads);
  bool ok = tocha_run_node_hooks(cx, hooks, true, node->input_count, grads, 0, NULL);
  for (int i = 0; ok && i < node->input_count; i++) {
    tocha_tensor *old = task->gradients[i];
    task->gradients[i] = tocha_retain(grads[i]);
    tocha_release(old);
  }
  bool after = tocha_has_hooks_after(hooks); /* these hooks see gradients that the node may reuse */
  for (int i = 0; after && i < node->input_count; i++) tocha_retain(grads[i]);
  ok = ok && apply_alone(cx, task, false, out) &&
       tocha_run_node_hooks(cx, hooks, false, node->edge_count, out, node->input_count, grads);
  for (int i = 0; after && i < node->input_count; i++) tocha_release(grads[i]);
  tocha_deallocate(cx, grads, bytes);
  return ok;
}

static bool apply_node(pass *p, tocha_task *task, tocha_tensor **out) {
  tocha_node *node = task->node;
  tocha_context *cx = p->cx;
  if (!tocha_pass_enter(cx, &p->streams, node)) return false;
  if (!node->stream)
    for (int i = 0; i < node->input_count; i++) tocha_pass_keeps(&p->streams, task->gradients[i]);
  tocha_hook_list *hooks = tocha_node_hooks(node);
  if (hooks ? !apply_with_hooks(cx, task, hooks, out)
            : !apply_alone(cx, task, are_as_delivered(task), out))
    return false;
  if (!p->keep_graph) tocha_node_free_saved(node);
  if (cx->anomaly && !tocha_check_nan(cx, node, out)) return false;
  for (int i = 0; i < node->edge_count; i++)
    if (node->edges[i].node && !deliver(p, &node->edges[i], out[i], node, i)) return false;
  return true;
}

static bool run_task(pass *p, tocha_task *task) {
  tocha_context *cx = p->cx;
  tocha_node *node = task->node;
  tocha_tensor *inline_out[INLINE_OUT] = {NULL}, **out = inline_out;
  tocha_scope scope = tocha_scope_begin(cx);
  if (tocha_interrupted(cx) || !run_hooks(cx, task)) return false;
  if (task->caught) capture_gradients(p, task);
  bool ok = true;
  if (!task->selective || task->needed) {
    uint64_t bytes = (uint64_t)node->edge_count * sizeof *out;
    if (node->edge_count > INLINE_OUT && !(out = tocha_allocate_zeroed(cx, bytes))) return false;
    ok = apply_node(p, task, out);
    if (out != inline_out) tocha_deallocate(cx, out, bytes);
  }
  for (int i = 0; i < node->input_count; i++) {
    tocha_release(task->gradients[i]);
    task->gradients[i] = NULL;
  }
  tocha_scope_end(cx, scope, NULL);
  return ok;
}

/* Runs a task in anomaly mode. */
static bool run_watched(pass *p, tocha_task *task) {
  tocha_node *outer = p->cx->evaluating;
  p->cx->evaluating = task->node;
  bool ok = run_task(p, task);
  p->cx->evaluating = outer;
  if (!ok) tocha_report_anomaly(p->cx, task->node);
  return ok;
}

static bool run_pass(pass *p, int start_count, const tocha_endpoint *starts) {
  if (!mark_captures(p)) return false;
  for (int i = 0; i < start_count; i++)
    if (!search(p, starts[i].edge.node)) return false;
  for (int i = 0; i < start_count; i++)
    if (!deliver(p, &starts[i].edge, starts[i].gradient, NULL, 0)) return false;
  while (p->ready_count) {
    tocha_task *task = pop_ready(p);
    if (p->cx->anomaly ? !run_watched(p, task) : !run_task(p, task)) return false;
  }
  return true;
}

bool tocha_engine_run(tocha_context *cx, int start_count, tocha_endpoint *starts, int capture_count,
                      tocha_endpoint *captures, bool accumulate, bool keep_graph,
                      bool create_graph) {
  pass p;
  p.cx = cx;
  p.capture_count = capture_count;
  p.captures = captures;
  p.accumulate = accumulate;
  p.keep_graph = keep_graph;
  p.inline_count = 0;
  p.blocks = NULL;
  p.ready = p.inline_ready;
  p.ready_count = 0;
  p.ready_capacity = INLINE_READY;
  bool grad_enabled = tocha_set_grad_enabled(cx, create_graph);
  int below = cx->below_autograd;
  cx->below_autograd = 0;
  p.streams.count = 0;
  if (cx->devices) memset(&p.streams, 0, sizeof p.streams);
  cx->passes++;
  bool ok = run_pass(&p, start_count, starts);
  ok &= tocha_pass_leave(cx, &p.streams);
  cx->passes--;
  cx->below_autograd = below;
  tocha_set_grad_enabled(cx, grad_enabled);
  end_tasks(&p);
  return cx->pass_end_count && !cx->passes ? tocha_run_pass_ends(cx, ok) : ok;
}
