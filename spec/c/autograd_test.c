/* autograd_test.c: the graph and the engine from C: long chains, diamonds, accumulation, retained graphs, double backward,
 * changes in place, modes. (Hooks, custom functions, lack of memory: autograd_hooks_test.c.) `autograd_test speed` prints what
 * recording and running cost. */
#include "autograd.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tocha/ops/add.h"
#include "tocha/ops/clone.h"
#include "tocha/ops/copy_.h"
#include "tocha/ops/exp.h"

static bool has_error(tocha_context *cx, const char *text) {
  bool same = strcmp(tocha_error(cx)->message, text) == 0;
  if (!same) printf("# got: %s\n", tocha_error(cx)->message);
  tocha_clear_error(cx);
  return same;
}

static tocha_tensor *number(tocha_context *cx, float value) {
  return tocha_from_values(cx, &value, 0, NULL, TOCHA_FLOAT32);
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
      test_first,  test_diamond,  test_retain,   test_double,
      test_inputs, test_versions, test_in_place, test_second_order_slices,
      test_modes,  test_chain};
  if (argc > 1 && strcmp(argv[1], "speed") == 0) {
    tocha_context *cx = tocha_open(NULL);
    speed(cx);
    tocha_close(cx);
    return 0;
  }
  run_tests(sizeof tests / sizeof *tests, tests);
  return finish();
}
