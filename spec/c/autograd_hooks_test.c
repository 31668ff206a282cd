/* autograd_hooks_test.c: hooks, custom functions and packed tensors from C, and what happens when memory lacks at any one
 * allocation of a graph that has them. */
#include "autograd.h"

#include <string.h>

#include "tocha/ops/add.h"
#include "tocha/ops/exp.h"

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

int main(void) {
  static void (*const tests[])(tocha_context *) = {
      test_hooks,      test_custom, test_silent_hooks, test_custom_results,
      test_node_hooks, test_saving, test_nested};
  run_tests(sizeof tests / sizeof *tests, tests);
  test_memory();
  return finish();
}
