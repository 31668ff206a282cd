/* reducer.c: reduces gradients while backward runs: hooks of the parameters fill buckets, a full bucket is
 * reduced, and the end of the pass waits for all of them. */
#include <string.h>

#include "autograd/node.h"
#include "distributed/ddp/reducer.h"
#include "ops/pointwise/elementwise.h"
#include "pointwise/formulas/mul.h"
#include "tensor/copy.h"
#include "tocha/ops/clone.h"
#include "tocha/ops/div.h"

/* --- the start of a pass ------------------------------------------------------------------------- */

/* Writes the names of the parameters without a gradient in this pass to `text`, cut to fit. */
static const char *missing_names(const tocha_ddp *ddp, char *text, size_t capacity) {
  size_t at = 0;
  text[0] = '\0';
  for (int i = 0; i < ddp->count; i++) {
    const ddp_parameter *p = &ddp->parameters[i];
    size_t length = strlen(p->name) + 2;
    if (p->ready) continue;
    if (at + length + 4 >= capacity) {
      memcpy(text + at, ", ...", 6);
      break;
    }
    if (at) memcpy(text + at, ", ", 2), at += 2;
    memcpy(text + at, p->name, length - 1);
    at += length - 2;
  }
  return text;
}

static bool fail_unfinished(tocha_context *cx, const tocha_ddp *ddp) {
  static const char CHANGED[] =
      "This error indicates that your training graph has changed in this iteration, e.g., one "
      "parameter is used in first iteration, but then got unused in the second iteration. this is "
      "not compatible with static_graph set to True.";
  static const char FOUND[] =
      "This error indicates that your module has parameters that were not used in producing loss. "
      "Since `find_unused_parameters=True` is enabled, this likely  means that not all `forward` "
      "outputs participate in computing loss. You can fix this by \nmaking sure all `forward` "
      "function outputs participate in calculating loss. ";
  static const char NOT_SOUGHT[] =
      "This error indicates that your module has parameters that were not used in producing loss. "
      "You can enable unused parameter detection by passing the keyword argument "
      "`find_unused_parameters=True` to `torch.nn.parallel.DistributedDataParallel`, and by "
      "\nmaking sure all `forward` function outputs participate in calculating loss. ";
  char names[800];
  const char *cause = ddp->static_graph && ddp->passed_once ? CHANGED
                      : ddp->find_unused                    ? FOUND
                                                            : NOT_SOUGHT;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "Expected to have finished reduction in the prior iteration before starting a new "
             "one. %s\nParameters which did not receive grad for rank %d: %s",
             cause, tocha_group_rank(cx, ddp->group), missing_names(ddp, names, sizeof names));
  tocha_hint(cx, ddp->find_unused
                     ? "every output of the forward pass must take part in the loss"
                     : "find_unused_parameters = true finds them in every pass; or freeze them "
                       "before (requires_grad = false)");
  return false;
}

/* Returns true if some gradients have arrived since the last pass was announced, and others have not. */
static bool is_unfinished(const tocha_ddp *ddp) {
  for (int i = 0; ddp->expects && i < ddp->count; i++)
    if (ddp->parameters[i].ready) return true;
  return false;
}

static void reset_pass(tocha_ddp *ddp) {
  ddp->next = 0;
  ddp->marked_unused = ddp->ends_with_pass = false;
  for (int i = 0; i < ddp->bucket_count; i++) {
    ddp_bucket *b = &ddp->buckets[i];
    b->pending = b->count;
    tocha_work_free(b->work);
    b->work = NULL;
  }
  for (int i = 0; i < ddp->count; i++) {
    ddp_parameter *p = &ddp->parameters[i];
    p->ready = false;
    p->in_graph = !(ddp->static_graph && ddp->passed_once) || p->expected_calls > 0;
    p->calls = p->expected_calls;
  }
  if (ddp->static_graph && !ddp->passed_once)
    for (int i = 0; i < ddp->count; i++) ddp->parameters[i].expected_calls = 0;
}

bool finds_unused(const tocha_ddp *ddp) { return ddp->find_unused && !ddp->static_graph; }

static bool is_first_static(const tocha_ddp *ddp) { return ddp->static_graph && !ddp->passed_once; }

bool tocha_ddp_before_forward(tocha_context *cx, tocha_ddp *ddp) {
  if (!ddp || tocha_failed(cx)) return false;
  bool trains = tocha_grad_enabled(cx) && ddp->sync;
  if (trains && is_unfinished(ddp)) return fail_unfinished(cx, ddp);
  if (trains && !ddp->rebuilt && !finds_unused(ddp) && ddp->arrived_count == ddp->count &&
      !rebuild_buckets(cx, ddp))
    return false;
  if (!ddp->sync_buffers || !ddp->next_needs_buffers) return true;
  bool grad_enabled = tocha_set_grad_enabled(cx, false);
  bool ok = broadcast_buffers(cx, ddp);
  tocha_set_grad_enabled(cx, grad_enabled);
  return ok;
}

bool tocha_ddp_before_backward(tocha_context *cx, tocha_ddp *ddp, int count,
                               tocha_tensor *const *outputs) {
  if (!ddp || tocha_failed(cx)) return false;
  ddp->next_needs_buffers = tocha_grad_enabled(cx) && ddp->sync;
  if (!ddp->next_needs_buffers) return true;
  if (is_unfinished(ddp)) return fail_unfinished(cx, ddp);
  reset_pass(ddp);
  ddp->expects = true;
  return !finds_unused(ddp) || find_parameters_in_graph(cx, ddp, count, outputs);
}

/* --- reduction --------------------------------------------------------------------------------------- */

static tocha_gradient_bucket seen_by_hook(const tocha_ddp *ddp, int number) {
  const ddp_bucket *b = &ddp->buckets[number];
  return (tocha_gradient_bucket){
      number, number == ddp->bucket_count - 1, b->flat, b->count, b->views, b->parameters};
}

/* Begins the reduction of a bucket whose gradients are all there. */
static bool reduce_bucket(tocha_context *cx, tocha_ddp *ddp, int number) {
  ddp_bucket *b = &ddp->buckets[number];
  if (ddp->comm.begin) {
    tocha_gradient_bucket seen = seen_by_hook(ddp, number);
    return ddp->comm.begin(cx, ddp->comm.user, &seen);
  }
  b->work = tocha_all_reduce(cx, b->flat, TOCHA_REDUCE_SUM, ddp->group, true);
  return b->work != NULL;
}

/* Begins the reduction of the map of parameters that this rank used. */
static bool reduce_used(tocha_context *cx, tocha_ddp *ddp) {
  int64_t size = ddp->count;
  tocha_tensor *map = tocha_new(cx, 1, &size, TOCHA_INT32, tocha_cpu());
  if (!map) return false;
  int32_t *used = tocha_data(map);
  for (int i = 0; i < ddp->count; i++) used[i] = ddp->parameters[i].used;
  map = tocha_as_device(cx, map, ddp->parameters[0].tensor->device);
  if (!map) return false;
  tocha_release(ddp->used_map);
  ddp->used_map = tocha_retain(map);
  ddp->used_work = tocha_all_reduce(cx, map, TOCHA_REDUCE_SUM, ddp->group, true);
  return ddp->used_work != NULL;
}

static bool finish_pass(tocha_context *cx, void *user, bool ok);

/* Begins the reduction of all buckets that are full, in their order. */
static bool reduce_full_buckets(tocha_context *cx, tocha_ddp *ddp) {
  while (ddp->next < ddp->bucket_count && ddp->buckets[ddp->next].pending == 0)
    if (!reduce_bucket(cx, ddp, ddp->next++)) return false;
  if (ddp->next < ddp->bucket_count) return true;
  if (finds_unused(ddp) && !ddp->used_work && !reduce_used(cx, ddp)) return false;
  if (ddp->ends_with_pass) return true;
  ddp->ends_with_pass = true;
  return tocha_after_backward(cx, finish_pass, ddp);
}

/* Writes a gradient, divided by the number of ranks unless a hook does that, to its place in a bucket. */
static bool fill_view(tocha_context *cx, const tocha_ddp *ddp, tocha_tensor *view,
                      tocha_tensor *grad) {
  if (ddp->comm.begin) return tocha_copy_data(cx, view, grad);
  tocha_operand factors[] = {tocha_operand_of(grad), tocha_number(tocha_float(1.0 / ddp->divisor))};
  return tocha_apply_formula(cx, &tocha_formula_mul, 2, factors, 0, NULL, view) != NULL;
}

/* Puts the gradient of a parameter into its bucket. */
static bool fill_slot(tocha_context *cx, tocha_ddp *ddp, ddp_parameter *p) {
  tocha_tensor *view = ddp->buckets[p->bucket].views[p->slot], *grad = tocha_grad(p->tensor);
  if (!grad) return tocha_fill_data(cx, view, tocha_int(0));
  if (!ddp->as_view) return fill_view(cx, ddp, view, grad);
  /* Gradients that stay in the bucket are divided, and those copied into it multiplied by the inverse, as PyTorch does: the
   * bits differ. */
  if (!tocha_same_storage(grad, view) || grad->offset != view->offset)
    return fill_view(cx, ddp, view, grad) && tocha_set_grad(cx, p->tensor, view);
  return ddp->comm.begin || tocha_div_full_(cx, view, tocha_number(tocha_float(ddp->divisor)));
}

/* Notes that the parameter has its gradient, or will have none, in this pass. */
static bool mark_ready(tocha_context *cx, tocha_ddp *ddp, int number) {
  ddp_parameter *p = &ddp->parameters[number];
  if (p->ready) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Expected to mark a variable ready only once. This error is caused by one of the "
               "following reasons: 1) Use of a module parameter outside the `forward` function. "
               "2) Reused parameters in multiple reentrant backward passes.\nParameter at index %d "
               "with name %s has been marked as ready twice.",
               number, p->name);
    tocha_hint(cx, "if every pass is like the first one, static_graph = true allows this");
    return false;
  }
  if (!fill_slot(cx, ddp, p)) return false;
  p->ready = true;
  if (!ddp->rebuilt && !finds_unused(ddp) && !is_first_static(ddp)) {
    if (ddp->arrived_count == ddp->count) ddp->arrived_count = 0;
    ddp->arrived[ddp->arrived_count++] = number;
  }
  ddp->buckets[p->bucket].pending--;
  return reduce_full_buckets(cx, ddp);
}

/* Marks the parameters that the graph does not reach. */
static bool mark_unused(tocha_context *cx, tocha_ddp *ddp) {
  if (ddp->marked_unused) return true;
  ddp->marked_unused = true;
  for (int i = 0; i < ddp->count; i++)
    if (!ddp->parameters[i].in_graph && !mark_ready(cx, ddp, i)) return false;
  return true;
}

static bool gradient_arrived(tocha_context *cx, tocha_ddp *ddp, ddp_parameter *p) {
  int number = (int)(p - ddp->parameters);
  if (tocha_grad(p->tensor)) p->used = true;
  if (!ddp->expects) return true;
  if (is_first_static(ddp)) { /* everything is reduced at the end, when all calls are counted */
    p->expected_calls++;
    if (ddp->ends_with_pass) return true;
    ddp->ends_with_pass = true;
    return tocha_after_backward(cx, finish_pass, ddp);
  }
  if (!mark_unused(cx, ddp)) return false;
  if (!ddp->static_graph) return mark_ready(cx, ddp, number);
  if (p->calls <= 0) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Your training graph has changed in this iteration, e.g., one parameter is unused "
               "in first iteration, but then got used in the second iteration. this is not "
               "compatible with static_graph set to True.");
    tocha_hint(cx, "%s was not used in the first iteration", p->name);
    return false;
  }
  return --p->calls > 0 || mark_ready(cx, ddp, number);
}

static bool on_gradient(tocha_context *cx, void *user, tocha_tensor **leaf) {
  (void)leaf;
  ddp_parameter *p = user;
  bool grad_enabled = tocha_set_grad_enabled(cx, false);
  tocha_scope scope = tocha_scope_begin(cx);
  bool ok = gradient_arrived(cx, p->ddp, p);
  tocha_scope_end(cx, scope, NULL);
  tocha_set_grad_enabled(cx, grad_enabled);
  return ok;
}

bool hook_parameters(tocha_context *cx, tocha_ddp *ddp) {
  for (int i = 0; i < ddp->count; i++) {
    ddp_parameter *p = &ddp->parameters[i];
    tocha_hook hook = {.call = on_gradient, .user = p, .name = "DistributedDataParallel"};
    if (!tocha_register_post_accumulate_hook(cx, p->tensor, hook, &p->hook)) return false;
  }
  return true;
}

/* --- the end of a pass ---------------------------------------------------------------------------------- */

/* With static_graph, after the first pass: reduces everything. */
static bool reduce_at_end(tocha_context *cx, tocha_ddp *ddp) {
  for (int i = 0; i < ddp->count; i++)
    if (!mark_ready(cx, ddp, i)) return false;
  ddp->passed_once = true;
  return true;
}

static bool wait_for_used(tocha_context *cx, tocha_ddp *ddp) {
  bool finds = ddp->used_work != NULL;
  if (finds && !tocha_work_wait(cx, ddp->used_work, 0)) return false;
  tocha_tensor *map = finds ? tocha_as_device(cx, ddp->used_map, tocha_cpu()) : NULL;
  if (finds && !map) return false;
  const int32_t *ranks = map ? tocha_data(map) : NULL;
  for (int i = 0; i < ddp->count; i++) {
    ddp_parameter *p = &ddp->parameters[i];
    p->used_by_any = ranks ? ranks[i] > 0 : !ddp->static_graph || p->expected_calls > 0;
    p->used = false;
  }
  tocha_work_free(ddp->used_work);
  ddp->used_work = NULL;
  return true;
}

/* Gives a parameter the reduced gradient. One that no rank has used keeps what it has. */
static bool take_gradient(tocha_context *cx, tocha_ddp *ddp, const ddp_bucket *b, int slot) {
  const ddp_parameter *p = &ddp->parameters[b->members[slot]];
  tocha_tensor *view = b->views[slot], *grad = tocha_grad(p->tensor);
  if (!p->used_by_any) return true;
  if (ddp->as_view)
    return (grad && tocha_same_storage(grad, view)) || tocha_set_grad(cx, p->tensor, view);
  if (!grad && (grad = tocha_new_strided(cx, view->ndim, view->sizes, view->strides,
                                         (tocha_dtype)view->dtype, view->device)))
    tocha_set_grad(cx, p->tensor, grad);
  if (!grad || !tocha_copy_data(cx, grad, view)) return false;
  tocha_bump_version(grad);
  return true;
}

static bool wait_for_bucket(tocha_context *cx, tocha_ddp *ddp, int number) {
  ddp_bucket *b = &ddp->buckets[number];
  tocha_gradient_bucket seen = seen_by_hook(ddp, number);
  if (ddp->comm.begin ? ddp->comm.end && !ddp->comm.end(cx, ddp->comm.user, &seen)
                      : !tocha_work_wait(cx, b->work, 0))
    return false;
  tocha_work_free(b->work);
  b->work = NULL;
  return true;
}

static bool finish_buckets(tocha_context *cx, tocha_ddp *ddp) {
  if (is_first_static(ddp) && !reduce_at_end(cx, ddp)) return false;
  if (!wait_for_used(cx, ddp)) return false;
  for (int i = 0; i < ddp->bucket_count; i++) {
    const ddp_bucket *b = &ddp->buckets[i];
    if (!wait_for_bucket(cx, ddp, i)) return false;
    for (int k = 0; k < b->count; k++)
      if (!take_gradient(cx, ddp, b, k)) return false;
  }
  return true;
}

/* Waits for the reductions, and gives the parameters their gradients. The pass may have failed: then what
 * was begun is left alone. */
static bool finish_pass(tocha_context *cx, void *user, bool ok) {
  tocha_ddp *ddp = user;
  if (ok) {
    bool grad_enabled = tocha_set_grad_enabled(cx, false);
    tocha_scope scope = tocha_scope_begin(cx);
    ok = finish_buckets(cx, ddp);
    tocha_scope_end(cx, scope, NULL);
    tocha_set_grad_enabled(cx, grad_enabled);
  }
  reset_pass(ddp);
  ddp->expects = false;
  return ok;
}

/* --- passes of other ranks ------------------------------------------------------------------------------ */

/* Notes an order of arrival, for the buckets that all ranks make again, if this rank had no pass of its own. */
static void note_own_order(tocha_ddp *ddp) {
  if (ddp->rebuilt || finds_unused(ddp) || ddp->arrived_count == ddp->count) return;
  for (int i = 0; i < ddp->count; i++) ddp->arrived[i] = i;
  ddp->arrived_count = ddp->count;
}

/* Reduces zeros, then gives the buckets back what they held: the gradients themselves may be there. */
static bool reduce_zeros(tocha_context *cx, tocha_ddp *ddp) {
  bool ok = true;
  for (int i = 0; ok && i < ddp->bucket_count; i++) {
    ddp_bucket *b = &ddp->buckets[i];
    b->kept = ddp->as_view ? tocha_retain(tocha_clone(cx, b->flat)) : NULL;
    ok = (b->kept || !ddp->as_view) && tocha_fill_data(cx, b->flat, tocha_int(0)) &&
         reduce_bucket(cx, ddp, i);
  }
  ok = ok && (!finds_unused(ddp) || reduce_used(cx, ddp)) && wait_for_used(cx, ddp);
  for (int i = 0; i < ddp->bucket_count; i++) {
    ddp_bucket *b = &ddp->buckets[i];
    ok = ok && wait_for_bucket(cx, ddp, i) && (!b->kept || tocha_copy_data(cx, b->flat, b->kept));
    tocha_release(b->kept);
    b->kept = NULL;
  }
  return ok;
}

bool tocha_ddp_shadow_pass(tocha_context *cx, tocha_ddp *ddp, bool reduces) {
  if (!ddp || tocha_failed(cx)) return false;
  ddp->next_needs_buffers = reduces;
  if (!reduces) return true;
  if (!is_first_static(ddp)) note_own_order(ddp);
  bool grad_enabled = tocha_set_grad_enabled(cx, false);
  tocha_scope scope = tocha_scope_begin(cx);
  bool ok = reduce_zeros(cx, ddp);
  tocha_scope_end(cx, scope, NULL);
  tocha_set_grad_enabled(cx, grad_enabled);
  ddp->passed_once = ddp->static_graph;
  reset_pass(ddp);
  return ok;
}
