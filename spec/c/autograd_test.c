/* autograd_test.c: the graph and the engine from C: long chains, diamonds, accumulation, retained
 * graphs, double backward, changes in place, hooks, custom functions, and what happens when memory
 * lacks at any one allocation. `autograd_test speed` prints what recording and
 * running cost. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "autograd/node.h"
#include "tocha/ops/add.h"
#include "tocha/ops/as_strided.h"
#include "tocha/ops/clone.h"
#include "tocha/ops/copy_.h"
#include "tocha/ops/exp.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/sum_to_size.h"

static bool has_error(tocha_context *cx, const char *text) {
  bool same = strcmp(tocha_error(cx)->message, text) == 0;
  if (!same) printf("# got: %s\n", tocha_error(cx)->message);
  tocha_clear_error(cx);
  return same;
}

static float at(const tocha_tensor *t, int64_t i) {
  return t && t->numel > i ? ((float *)tocha_data(t))[i] : NAN;
}

static tocha_tensor *vector(tocha_context *cx, float a, float b, float c) {
  const float values[3] = {a, b, c};
  return tocha_from_values(cx, values, 1, (const int64_t[]){3}, TOCHA_FLOAT32);
}

static tocha_tensor *leaf(tocha_context *cx, float a, float b, float c) {
  tocha_tensor *t = vector(cx, a, b, c);
  return t ? tocha_set_requires_grad(cx, t, true) : NULL;
}

static tocha_tensor *number(tocha_context *cx, float value) {
  return tocha_from_values(cx, &value, 0, NULL, TOCHA_FLOAT32);
}

static tocha_tensor *sum(tocha_context *cx, tocha_tensor *t) {
  return t ? tocha_sum_to_size(cx, t, 0, NULL) : NULL;
}

static tocha_tensor *times(tocha_context *cx, tocha_tensor *t, double factor) {
  return t ? tocha_mul_full(cx, t, tocha_number(tocha_float(factor))) : NULL;
}

/* x[first : first + count], or x as a column where count is 0. */
static tocha_tensor *part(tocha_context *cx, tocha_tensor *x, int64_t first, int64_t count) {
  const int64_t size[2] = {count ? count : x->numel, 1}, stride[2] = {1, 1};
  int ndim = count ? 1 : 2;
  return tocha_as_strided(cx, x, ndim, size, ndim, stride, &first);
}

static double seconds(void) {
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- tests ------------------------------------------------------------------------------------------ */

static void test_first(tocha_context *cx) {
  tocha_tensor *x = leaf(cx, 1, 2, 3);
  tocha_tensor *y = tocha_add(cx, tocha_mul(cx, x, x), times(cx, x, 3));
  EXPECT(strcmp(tocha_node_name(tocha_grad_fn(cx, y)), "AddBackward0") == 0, "grad_fn is named");
  EXPECT(!tocha_is_leaf(y) && tocha_is_leaf(x) && tocha_requires_grad(y), "leaves");
  EXPECT(tocha_backward(cx, sum(cx, y), NULL, false, false), "backward");
  EXPECT(at(tocha_grad(x), 0) == 5 && at(tocha_grad(x), 2) == 9, "gradient of x * x + 3 x");
  EXPECT(tocha_backward(cx, sum(cx, x), NULL, false, false), "backward again");
  EXPECT(at(tocha_grad(x), 0) == 6 && at(tocha_grad(x), 1) == 8, "gradients add up");
  tocha_tensor *b = tocha_set_requires_grad(cx, number(cx, 2), true);
  tocha_backward(cx, sum(cx, tocha_mul(cx, x, b)), NULL, false, false);
  EXPECT(at(tocha_grad(b), 0) == 6 && tocha_grad(b)->ndim == 0, "a broadcast operand's is summed");
}

static void test_chain(tocha_context *cx) {
  double begin = seconds();
  tocha_tensor *x = leaf(cx, 1, 2, 3), *y = x;
  tocha_scope scope = tocha_scope_begin(cx);
  for (int i = 0; i < 1000000; i++) {
    tocha_tensor *next =
        tocha_retain(tocha_add_full(cx, y, tocha_number(tocha_int(1)), tocha_int(1)));
    if (y != x) tocha_release(y);
    tocha_scope_end(cx, scope, NULL);
    y = next;
  }
  double recorded = seconds();
  EXPECT(tocha_backward(cx, sum(cx, y), NULL, false, false) && at(tocha_grad(x), 0) == 1,
         "a chain of 1,000,000 additions");
  tocha_scope_end(cx, scope, NULL);
  double ran = seconds();
  tocha_release(y);
  printf("# recorded in %.2f s, backward in %.2f s, released in %.2f s\n", recorded - begin,
         ran - recorded, seconds() - ran);
  y = x; /* each result is saved by the next product, which its node owns */
  for (int i = 0; i < 300000; i++) {
    tocha_tensor *next = tocha_retain(tocha_mul(cx, y, x));
    if (y != x) tocha_release(y);
    tocha_scope_end(cx, scope, NULL);
    y = next;
  }
  tocha_release(y);
  EXPECT(!tocha_failed(cx), "a chain through saved tensors is released");
}

static void test_diamond(tocha_context *cx) {
  tocha_tensor *x = leaf(cx, 1, 2, 3), *y = times(cx, x, 2);
  tocha_tensor *z = tocha_add(cx, tocha_mul(cx, y, y), tocha_mul(cx, y, x));
  for (int i = 0; i < 20; i++) z = tocha_add(cx, z, z);
  tocha_backward(cx, sum(cx, z), NULL, false, false);
  EXPECT(at(tocha_grad(x), 1) == 24 * 1048576.0f, "a diamond of 2^20 paths");
}

static void test_retain(tocha_context *cx) {
  static const char twice[] =
      "Trying to backward through the graph a second time (or directly access saved tensors after "
      "they have already been freed). Saved intermediate values of the graph are freed when you "
      "call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward "
      "through the graph a second time or if you need to access saved tensors after calling "
      "backward.";
  tocha_tensor *x = leaf(cx, 1, 2, 3), *y = tocha_mul(cx, x, x), *s = sum(cx, y);
  EXPECT(tocha_retain_grad(cx, y), "retain_grad");
  EXPECT(tocha_backward(cx, s, NULL, true, false) && tocha_backward(cx, s, NULL, false, false),
         "a retained graph runs twice");
  EXPECT(at(tocha_grad(x), 2) == 12 && at(tocha_grad(y), 2) == 2, "twice the gradient");
  EXPECT(!tocha_backward(cx, s, NULL, false, false) && has_error(cx, twice), "not a third time");
  EXPECT(!tocha_backward(cx, y, NULL, false, false) &&
             has_error(cx, "grad can be implicitly created only for scalar outputs"),
         "only scalars");
  EXPECT(
      !tocha_backward(cx, sum(cx, vector(cx, 1, 2, 3)), NULL, false, false) &&
          has_error(cx, "element 0 of tensors does not require grad and does not have a grad_fn"),
      "something must require a gradient");
}

static void test_double(tocha_context *cx) {
  tocha_tensor *x = leaf(cx, 1, 2, 3), *g[1], *h[1];
  tocha_tensor *y = sum(cx, tocha_mul(cx, tocha_mul(cx, x, x), x));
  EXPECT(tocha_gradients(cx, 1, &y, 1, &x, NULL, false, true, false, g) && at(g[0], 2) == 27,
         "3 x^2");
  tocha_tensor *s = sum(cx, g[0]);
  EXPECT(tocha_gradients(cx, 1, &s, 1, &x, NULL, false, true, false, h) && at(h[0], 2) == 18,
         "6 x");
  s = sum(cx, h[0]);
  EXPECT(tocha_gradients(cx, 1, &s, 1, &x, NULL, false, false, false, g) && at(g[0], 2) == 6, "6");
  y = tocha_exp(cx, x);
  s = sum(cx, y);
  tocha_gradients(cx, 1, &s, 1, &x, NULL, false, true, false, g);
  s = sum(cx, g[0]);
  EXPECT(tocha_gradients(cx, 1, &s, 1, &x, NULL, false, false, false, h) && at(h[0], 0) == at(y, 0),
         "exp through its saved result");
  EXPECT(!tocha_grad(x), "grad() accumulates nothing");
}

static void test_inputs(tocha_context *cx) {
  tocha_tensor *x = leaf(cx, 1, 2, 3), *w = leaf(cx, 4, 5, 6), *y = times(cx, x, 2);
  tocha_tensor *s = sum(cx, tocha_mul(cx, y, w)), *inputs[3] = {y, w, leaf(cx, 0, 0, 0)}, *g[3];
  EXPECT(!tocha_gradients(cx, 1, &s, 3, inputs, NULL, true, false, false, g) &&
             has_error(cx, "The differentiated Tensor at index 2 appears to not have been used in "
                           "the graph. Set allow_unused=True if this is the desired behavior."),
         "an unused input");
  EXPECT(tocha_gradients(cx, 1, &s, 3, inputs, NULL, true, false, true, g) && at(g[0], 0) == 4 &&
             at(g[1], 0) == 2 && !g[2],
         "grad() of a result and a leaf");
  tocha_backward_request q = {.root_count = 1,
                              .roots = &s,
                              .input_count = 1,
                              .inputs = inputs + 1,
                              .accumulate = true,
                              .retain_graph = true};
  EXPECT(tocha_run_backward(cx, &q) && tocha_grad(w) && !tocha_grad(x), "backward(inputs)");
  tocha_tensor *two = vector(cx, 1, 1, 1);
  EXPECT(!tocha_backward(cx, s, two, false, false) &&
             has_error(cx, "Mismatch in shape: grad_output[0] has a shape of torch.Size([3]) and "
                           "output[0] has a shape of torch.Size([])."),
         "a gradient of another shape");
}

static void test_versions(tocha_context *cx) {
  static const char changed[] =
      "one of the variables needed for gradient computation has been modified by an inplace "
      "operation: [torch.FloatTensor [3]], which is output 0 of %s, is at version 1; expected "
      "version 0 instead. Hint: enable anomaly detection to find the operation that failed to "
      "compute its gradient, with torch.autograd.set_detect_anomaly(True, check_nan=False).";
  char text[512];
  tocha_tensor *x = leaf(cx, 1, 2, 3), *y = tocha_exp(cx, x), *one = vector(cx, 1, 1, 1);
  tocha_add_(cx, y, one);
  snprintf(text, sizeof text, changed, "Exp");
  EXPECT(!tocha_backward(cx, sum(cx, y), NULL, false, false) && has_error(cx, text),
         "a saved result was changed");
  y = times(cx, x, 2);
  tocha_tensor *z = tocha_mul(cx, y, y);
  tocha_add_(cx, y, one);
  snprintf(text, sizeof text, changed, "Add");
  EXPECT(!tocha_backward(cx, sum(cx, z), NULL, false, false) && has_error(cx, text),
         "a saved input was changed");
  y = times(cx, x, 2);
  z = tocha_mul(cx, one, y); /* only `one` is read: y's gradient is asked for */
  tocha_add_(cx, y, one);
  EXPECT(tocha_backward(cx, sum(cx, z), NULL, false, false), "what no rule reads may change");
}

static void test_in_place(tocha_context *cx) {
  tocha_tensor *x = leaf(cx, 1, 2, 3), *one = vector(cx, 1, 1, 1);
  EXPECT(!tocha_add_(cx, x, one) &&
             has_error(cx, "a leaf Variable that requires grad is being used in an in-place "
                           "operation."),
         "a leaf may not change");
  EXPECT(!tocha_add_(cx, part(cx, x, 0, 2), part(cx, one, 0, 2)) &&
             has_error(cx, "a view of a leaf Variable that requires grad is being used in an "
                           "in-place operation."),
         "nor a view of one");
  tocha_tensor *y = times(cx, x, 2);
  tocha_mul_(cx, y, y);
  EXPECT(!tocha_backward(cx, sum(cx, y), NULL, false, false) &&
             strstr(tocha_error(cx)->message, "modified by an inplace operation"),
         "y *= y reads as its second operand what it wrote");
  tocha_clear_error(cx);
  y = tocha_clone(cx, x);
  tocha_tensor *all = part(cx, y, 0, 0), *tail = part(cx, y, 1, 2);
  tocha_mul_full(cx, tail, tocha_number(tocha_int(1)));
  tocha_tensor *five = number(cx, 5);
  tocha_mul_(cx, tail, five);
  EXPECT(strcmp(tocha_node_name(tocha_grad_fn(cx, y)), "CopySlices") == 0, "the base's history");
  EXPECT(strcmp(tocha_node_name(tocha_grad_fn(cx, tail)), "AsStridedBackward0") == 0 &&
             strcmp(tocha_node_name(tocha_grad_fn(cx, all)), "AsStridedBackward0") == 0,
         "the views' histories");
  tocha_backward(cx, tocha_add(cx, sum(cx, all), sum(cx, tail)), NULL, false, false);
  EXPECT(at(tocha_grad(x), 0) == 1 && at(tocha_grad(x), 2) == 10, "through base and views");
  tocha_tensor *zeros = vector(cx, 0, 0, 0), *w = leaf(cx, 1, 2, 3);
  tocha_copy_(cx, part(cx, zeros, 0, 2), part(cx, w, 1, 2), false);
  EXPECT(tocha_requires_grad(zeros) && at(zeros, 0) == 2, "assignment to a part");
  tocha_backward(cx, sum(cx, tocha_mul(cx, zeros, zeros)), NULL, false, false);
  EXPECT(at(tocha_grad(w), 0) == 0 && at(tocha_grad(w), 2) == 6, "its gradient");
}

static void test_second_order_slices(tocha_context *cx) {
  tocha_tensor *x = leaf(cx, 1, 2, 3), *g[1], *h[1];
  tocha_tensor *y = tocha_mul(cx, x, x), *tail = part(cx, y, 1, 2);
  tocha_mul_(cx, tail, part(cx, x, 1, 2));
  tocha_tensor *s = sum(cx, y); /* x0^2 + x1^3 + x2^3 */
  EXPECT(tocha_gradients(cx, 1, &s, 1, &x, NULL, false, true, false, g) && at(g[0], 0) == 2 &&
             at(g[0], 2) == 27,
         "first order through CopySlices");
  s = sum(cx, g[0]);
  EXPECT(tocha_gradients(cx, 1, &s, 1, &x, NULL, false, false, false, h) && at(h[0], 0) == 2 &&
             at(h[0], 1) == 12 && at(h[0], 2) == 18,
         "second order through CopySlices");
  y = tocha_mul(cx, x, x);
  tocha_exp_(cx, part(cx, y, 0, 1)); /* e^(x0^2) */
  s = sum(cx, y);
  tocha_gradients(cx, 1, &s, 1, &x, NULL, false, true, false, g);
  s = sum(cx, g[0]);
  EXPECT(tocha_gradients(cx, 1, &s, 1, &x, NULL, false, false, false, h) &&
             fabsf(at(h[0], 0) - 6 * 2.7182818f) < 1e-4f && at(h[0], 1) == 2,
         "second order through a result that was written into a view");
}

static void test_modes(tocha_context *cx) {
  tocha_tensor *x = leaf(cx, 1, 2, 3), *one = vector(cx, 1, 1, 1), *view;
  tocha_set_grad_enabled(cx, false);
  view = part(cx, x, 0, 2);
  EXPECT(!tocha_requires_grad(times(cx, x, 2)) && tocha_requires_grad(view), "no_grad");
  tocha_add_(cx, x, one);
  tocha_set_grad_enabled(cx, true);
  EXPECT(!tocha_grad_fn(cx, view) && tocha_failed(cx), "a view made in no_grad is refused");
  tocha_clear_error(cx);
  tocha_set_inference_mode(cx, true);
  tocha_tensor *dead = times(cx, one, 2);
  tocha_set_inference_mode(cx, false);
  EXPECT(!tocha_mul(cx, dead, x) && tocha_failed(cx), "inference tensors are not saved");
  tocha_clear_error(cx);
  EXPECT(tocha_add(cx, dead, x) != NULL, "but may be added");
  tocha_results r;
  tocha_tensor *y = times(cx, x, 2);
  for (const tocha_op *op = tocha_find_operator("unbind"); op; op = NULL) {
    const tocha_arg args[2] = {{.tensor = y, .given = true}, {.given = true}};
    EXPECT(tocha_call(cx, op, args, &r) && r.count == 3, "unbind");
    EXPECT(!tocha_add_(cx, r.tensors[1], number(cx, 1)) &&
               has_error(cx,
                         "Output 1 of Unbind is a view and is being modified inplace. This view "
                         "is the output of a function that returns multiple views. Such "
                         "functions do not allow the output views to be modified inplace. You "
                         "should replace the inplace operation by an out-of-place one."),
           "one of several views");
    tocha_results_free(cx, &r);
  }
}

/* --- hooks and custom functions ------------------------------------------------------------------------- */

static bool times_ten(tocha_context *cx, void *user, tocha_tensor **grad) {
  ++*(int *)user;
  *grad = times(cx, *grad, 10);
  return *grad != NULL;
}

static bool count_call(tocha_context *cx, void *user, tocha_tensor **grad) {
  (void)cx;
  *(int *)user += tocha_grad(*grad) != NULL;
  return true;
}

static void test_hooks(tocha_context *cx) {
  tocha_tensor *x = leaf(cx, 1, 2, 3), *y = times(cx, x, 2);
  int calls = 0, after = 0;
  uint64_t id;
  tocha_hook hook = {.call = times_ten, .user = &calls, .name = "times_ten"},
             post = {.call = count_call, .user = &after};
  EXPECT(tocha_register_hook(cx, y, hook, &id), "a hook");
  tocha_register_post_accumulate_hook(cx, x, post, &id);
  tocha_backward(cx, sum(cx, y), NULL, true, false);
  EXPECT(calls == 1 && at(tocha_grad(x), 0) == 20, "changes the gradient");
  EXPECT(after == 1, "a hook after accumulation");
  tocha_remove_hook(x, NULL, id);
  tocha_register_hook(cx, x, hook, &id);
  tocha_backward(cx, sum(cx, x), NULL, false, false);
  EXPECT(calls == 2 && after == 1 && at(tocha_grad(x), 0) == 30, "a leaf's hook");
  EXPECT(!tocha_register_hook(cx, vector(cx, 1, 1, 1), hook, &id) && tocha_failed(cx), "no graph");
  tocha_clear_error(cx);
}

static bool square_backward(tocha_context *cx, tocha_node *node, void *user,
                            tocha_tensor *const *grads, tocha_tensor **out) {
  (void)user;
  tocha_tensor *x = tocha_custom_saved(cx, node, 0);
  return x && (out[0] = times(cx, tocha_mul(cx, grads[0], x), 2)) != NULL;
}

static tocha_tensor *square(tocha_context *cx, tocha_tensor *x) {
  static const tocha_custom_function function = {"SquareBackward", square_backward, NULL};
  tocha_node *node = tocha_custom_node(cx, &function, NULL, 1, &x);
  if (!node) return NULL;
  bool enabled = tocha_set_grad_enabled(cx, false);
  tocha_custom_result y = {.tensor = tocha_mul(cx, x, x)};
  tocha_set_grad_enabled(cx, enabled);
  bool ok =
      y.tensor && tocha_custom_finish(cx, node, 1, &x, 1, &y) && tocha_custom_save(cx, node, x, -1);
  tocha_node_release(node);
  return ok ? y.tensor : NULL;
}

static void test_custom(tocha_context *cx) {
  tocha_tensor *x = leaf(cx, 1, 2, 3), *s = sum(cx, square(cx, square(cx, x)));
  EXPECT(tocha_backward(cx, s, NULL, false, false) && at(tocha_grad(x), 2) == 108, "x^4");
  EXPECT(!tocha_backward(cx, s, NULL, false, false) && tocha_failed(cx), "freed like any other");
  tocha_clear_error(cx);
}

/* Fails without an error. */
static bool silent_hook(tocha_context *cx, void *user, tocha_tensor **grad) {
  (void)cx;
  (void)user;
  (void)grad;
  return false;
}

static bool silent_node_hook(tocha_context *cx, void *user, int count, tocha_tensor **grads,
                             int other_count, tocha_tensor *const *others) {
  (void)cx;
  (void)user;
  (void)count;
  (void)grads;
  (void)other_count;
  (void)others;
  return false;
}

static void test_silent_hooks(tocha_context *cx) {
  tocha_hook hook = {.call = silent_hook}, node_hook = {.call_node = silent_node_hook};
  uint64_t id;
  for (int way = 0; way < 3; way++) {
    tocha_tensor *x = leaf(cx, 1, 2, 3), *s = sum(cx, square(cx, x));
    CHECK(way == 0   ? tocha_register_hook(cx, x, hook, &id)
          : way == 1 ? tocha_register_post_accumulate_hook(cx, x, hook, &id)
                     : tocha_register_node_hook(cx, tocha_grad_fn(cx, s), node_hook, true, &id));
    EXPECT(!tocha_backward(cx, s, NULL, false, false) && tocha_failed(cx) &&
               strcmp(tocha_error(cx)->message, "a hook failed without an error") == 0,
           "a hook that fails without an error");
    tocha_clear_error(cx);
  }
}

/* Two results, one of which nobody uses; an input that comes back as it is. */
static bool pair_backward(tocha_context *cx, tocha_node *node, void *user,
                          tocha_tensor *const *grads, tocha_tensor **out) {
  (void)node;
  *(int *)user += (grads[0] != NULL) + 10 * (grads[1] != NULL);
  out[0] = grads[0] ? times(cx, grads[0], 3) : grads[1];
  return !tocha_failed(cx);
}

static void count_free(void *user) { *(int *)user += 100; }

static void test_custom_results(tocha_context *cx) {
  int calls = 0;
  const tocha_custom_function function = {"PairBackward", pair_backward, count_free};
  tocha_tensor *x = leaf(cx, 1, 2, 3);
  tocha_scope scope = tocha_scope_begin(cx);
  for (int materialize = 0; materialize < 2; materialize++) {
    tocha_node *node = tocha_custom_node(cx, &function, &calls, 1, &x);
    bool enabled = tocha_set_grad_enabled(cx, false);
    tocha_custom_result pair[2] = {{.tensor = times(cx, x, 3)}, {.tensor = x}};
    tocha_set_grad_enabled(cx, enabled);
    tocha_custom_set_materialize(node, materialize);
    EXPECT(tocha_custom_finish(cx, node, 1, &x, 2, pair), "two results");
    EXPECT(pair[1].tensor != x && tocha_grad_fn(cx, pair[1].tensor) == node, "one is a view");
    EXPECT(!tocha_custom_finish(cx, node, 1, &x, 2, pair) && tocha_failed(cx), "only once");
    tocha_clear_error(cx);
    tocha_node_release(node);
    calls = 0;
    EXPECT(tocha_backward(cx, sum(cx, pair[0].tensor), NULL, false, false), "backward");
    EXPECT(calls == (materialize ? 11 : 1), "a result without a gradient");
    tocha_scope_end(cx, scope, NULL);
    EXPECT(calls == (materialize ? 111 : 101), "the user's part is freed with the node");
  }
  EXPECT(at(tocha_grad(x), 1) == 6, "gradients of both");
}

static bool node_hook(tocha_context *cx, void *user, int count, tocha_tensor **grads,
                      int other_count, tocha_tensor *const *others) {
  (void)others;
  *(int *)user += count + 10 * other_count;
  grads[0] = times(cx, grads[0], 2);
  return grads[0] != NULL;
}

static void test_node_hooks(tocha_context *cx) {
  int before = 0, after = 0;
  tocha_tensor *x = leaf(cx, 1, 2, 3), *y = tocha_mul(cx, x, vector(cx, 1, 1, 1));
  tocha_hook first = {.call_node = node_hook, .user = &before, .free = count_free};
  tocha_hook last = {.call_node = node_hook, .user = &after};
  uint64_t ids[2];
  tocha_node *node = tocha_grad_fn(cx, y);
  EXPECT(tocha_register_node_hook(cx, node, first, true, &ids[0]) &&
             tocha_register_node_hook(cx, node, last, false, &ids[1]),
         "hooks of a node");
  tocha_backward(cx, sum(cx, y), NULL, true, false);
  EXPECT(before == 1 && after == 12 && at(tocha_grad(x), 0) == 4, "both change gradients");
  tocha_remove_hook(NULL, node, ids[0]);
  EXPECT(before == 101, "a hook that is removed is freed");
  tocha_backward(cx, sum(cx, y), NULL, false, false);
  EXPECT(before == 101 && at(tocha_grad(x), 0) == 6, "and does not run");
}

/* What is packed is a copy, times two. */
static tocha_tensor *unpack_half(tocha_context *cx, void *value) { return times(cx, value, 0.5); }
static void free_packed(void *value) { tocha_release(value); }
static bool pack_double(tocha_context *cx, void *user, tocha_tensor *tensor, tocha_packed *packed) {
  tocha_tensor *copy = times(cx, tensor, 2);
  if (!copy) return false;
  ++*(int *)user;
  *packed = (tocha_packed){unpack_half, free_packed, tocha_retain(copy)};
  return true;
}

static void test_saving(tocha_context *cx) {
  int count = 0;
  const tocha_saving_hooks hooks = {pack_double, &count};
  tocha_tensor *x = leaf(cx, 1, 2, 3), *g, *h;
  EXPECT(tocha_set_saving_hooks(cx, &hooks) == NULL, "no hooks before");
  tocha_tensor *y = square(cx, tocha_exp(cx, tocha_mul(cx, x, x)));
  EXPECT(tocha_set_saving_hooks(cx, NULL) == &hooks && count == 4, "what is saved is packed");
  tocha_tensor *s = sum(cx, y);
  bool ok = tocha_gradients(cx, 1, &s, 1, &x, NULL, true, true, false, &g) && (s = sum(cx, g)) &&
            tocha_gradients(cx, 1, &s, 1, &x, NULL, false, false, false, &h);
  EXPECT(ok && fabsf(at(g, 0) / (4 * expf(2)) - 1) < 1e-5f, "a gradient of unpacked tensors");
  EXPECT(ok && fabsf(at(h, 0) / (20 * expf(2)) - 1) < 1e-5f, "and of that one");
}

static bool inner_backward(tocha_context *cx, void *user, tocha_tensor **grad) {
  (void)grad;
  return tocha_backward(cx, user, NULL, true, false);
}

/* A backward inside a hook of another, over the same nodes. */
static void test_nested(tocha_context *cx) {
  tocha_tensor *x = leaf(cx, 1, 2, 3), *y = tocha_mul(cx, x, x), *s = sum(cx, y);
  tocha_tensor *z = times(cx, y, 3);
  uint64_t id;
  tocha_hook hook = {.call = inner_backward, .user = s};
  tocha_register_hook(cx, z, hook, &id);
  EXPECT(tocha_backward(cx, sum(cx, tocha_add(cx, z, y)), NULL, false, false), "nested backward");
  EXPECT(at(tocha_grad(x), 2) == 30, "both passes count");
}

/* --- when memory lacks --------------------------------------------------------------------------------------- */

static void scenario(tocha_context *cx) {
  tocha_tensor *x = leaf(cx, 1, 2, 3), *w = leaf(cx, 1, 1, 1);
  tocha_tensor *y = tocha_add(cx, tocha_exp(cx, tocha_mul(cx, x, w)), w);
  tocha_tensor *g[2], *inputs[2] = {x, w};
  if (y) tocha_mul_(cx, part(cx, y, 0, 2), part(cx, w, 0, 2));
  int count = 0;
  const tocha_saving_hooks hooks = {pack_double, &count};
  tocha_hook watch = {.call_node = node_hook, .user = &count};
  uint64_t id;
  tocha_set_saving_hooks(cx, &hooks);
  tocha_tensor *s = y ? sum(cx, tocha_add(cx, y, square(cx, tocha_exp(cx, x)))) : NULL;
  tocha_set_saving_hooks(cx, NULL);
  if (s) tocha_register_node_hook(cx, tocha_grad_fn(cx, s), watch, false, &id);
  if (!s || !tocha_gradients(cx, 1, &s, 2, inputs, NULL, true, true, false, g)) return;
  tocha_retain_grad(cx, y);
  tocha_backward(cx, s, NULL, false, false);
}

static void test_memory(void) {
  int failures = 0, leaks = 0, n = 0;
  for (;; n++) {
    tocha_context *cx = tocha_open(NULL);
    size_t before = tocha_memory(cx, tocha_cpu()).allocated;
    tocha_scope scope = tocha_scope_begin(cx);
    cx->allocator.fail_after = n;
    scenario(cx);
    bool failed_here = tocha_failed(cx);
    bool lacked = tocha_error(cx)->code == TOCHA_MEMORY_ERROR;
    failures += lacked;
    bool last = cx->allocator.fail_after >= 0; /* it had all it asked for */
    if (failed_here && !lacked) {
      printf("# allocation %d: %s\n", n, tocha_error(cx)->message);
      EXPECT(false, "an error of another kind");
      tocha_close(cx);
      break;
    }
    cx->allocator.fail_after = -1;
    tocha_clear_error(cx);
    tocha_scope_end(cx, scope, NULL);
    size_t scopes = cx->scope_capacity * sizeof *cx->scope_items;
    size_t headers = 0;
    for (tocha_tensor *t = cx->free_tensors; t; t = (tocha_tensor *)(void *)t->context) headers++;
    tocha_tensor_pool_clear(cx);
    tocha_deallocate(cx, cx->scope_items, scopes);
    cx->scope_items = NULL;
    cx->scope_count = cx->scope_capacity = 0;
    size_t after = tocha_memory(cx, tocha_cpu()).allocated;
    if (after != before || atomic_load(&cx->live) != 1) {
      printf("# allocation %d: %zu bytes left, %ld alive\n", n, after - before,
             atomic_load(&cx->live) - 1);
      leaks++;
    }
    tocha_close(cx);
    if (last) break;
  }
  printf("# %d allocations, %d failures\n", n, failures);
  EXPECT(failures > n / 3 && n > 10, "memory lacked at every allocation in turn");
  EXPECT(leaks == 0, "nothing was leaked");
}

/* --- speed --------------------------------------------------------------------------------------------------- */

static void speed(tocha_context *cx) {
  enum { ROUNDS = 300000 };
  tocha_tensor *x = leaf(cx, 1, 2, 3), *a = vector(cx, 1, 2, 3);
  tocha_scope scope = tocha_scope_begin(cx);
  double t[5];
  t[0] = seconds();
  for (int i = 0; i < ROUNDS; i++, tocha_scope_end(cx, scope, NULL)) tocha_add(cx, a, a);
  t[1] = seconds();
  for (int i = 0; i < ROUNDS; i++, tocha_scope_end(cx, scope, NULL)) tocha_add(cx, x, x);
  t[2] = seconds();
  for (int i = 0; i < ROUNDS; i++, tocha_scope_end(cx, scope, NULL)) tocha_mul(cx, x, x);
  t[3] = seconds();
  for (int i = 0; i < ROUNDS; i++, tocha_scope_end(cx, scope, NULL)) {
    tocha_tensor *y = tocha_mul(cx, tocha_add(cx, x, a), x);
    tocha_backward(cx, y, a, false, false);
  }
  t[4] = seconds();
  printf("# a + b: %.0f ns; recorded %.0f ns; a * b recorded %.0f ns; (x + a) * x and its "
         "backward %.0f ns\n",
         (t[1] - t[0]) / ROUNDS * 1e9, (t[2] - t[1]) / ROUNDS * 1e9, (t[3] - t[2]) / ROUNDS * 1e9,
         (t[4] - t[3]) / ROUNDS * 1e9);
}

int main(int argc, char **argv) {
  static void (*const tests[])(tocha_context *) = {
      test_first,          test_diamond,    test_retain,   test_double,
      test_inputs,         test_versions,   test_in_place, test_second_order_slices,
      test_modes,          test_hooks,      test_custom,   test_silent_hooks,
      test_custom_results, test_node_hooks, test_saving,   test_nested,
      test_chain};
  if (argc > 1 && strcmp(argv[1], "speed") == 0) {
    tocha_context *cx = tocha_open(NULL);
    speed(cx);
    tocha_close(cx);
    return 0;
  }
  for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
    tocha_context *cx = tocha_open(NULL);
    tests[i](cx);
    if (tocha_failed(cx)) {
      EXPECT(false, "left an error behind");
      printf("# %s\n", tocha_error(cx)->message);
      tocha_clear_error(cx);
    }
    tocha_scope everything = {0};
    tocha_scope_end(cx, everything, NULL);
    EXPECT(atomic_load(&cx->live) == 1, "everything was released");
    tocha_close(cx);
  }
  test_memory();
  return finish();
}
