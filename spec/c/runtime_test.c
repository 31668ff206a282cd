/* runtime_test.c: the promises of <tocha/context.h> and <tocha/tensor.h> to a host program: contexts
 * apart from each other, every byte given back, NULL and TOCHA_MEMORY_ERROR wherever an allocation
 * fails, errors that flow through, scopes, host memory, interruption. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "tocha/subscript.h"
#include "tocha/amp.h"
#include "tocha/context.h"
#include "tocha/device.h"
#include "tocha/nn/linear.h"
#include "tocha/nn/relu.h"
#include "tocha/nn/sequential.h"
#include "tocha/nn.h"
#include "tocha/optim.h"
#include "tocha/tensor.h"
#include "tocha/reflect.h"
#include "tocha/ops/add.h"
#include "tocha/ops/arange.h"
#include "tocha/ops/argsort.h"
#include "tocha/ops/cat.h"
#include "tocha/ops/ctc_loss.h"
#include "tocha/ops/exp.h"
#include "tocha/ops/expand.h"
#include "tocha/ops/eye.h"
#include "tocha/ops/gt.h"
#include "tocha/ops/isin.h"
#include "tocha/ops/layer_norm.h"
#include "tocha/ops/matmul.h"
#include "tocha/ops/max_pool2d.h"
#include "tocha/ops/mean.h"
#include "tocha/ops/median.h"
#include "tocha/ops/mode.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/neg.h"
#include "tocha/ops/ones.h"
#include "tocha/ops/rand.h"
#include "tocha/ops/randn.h"
#include "tocha/ops/softmax.h"
#include "tocha/ops/sum.h"
#include "tocha/ops/t.h"
#include "tocha/ops/tanh.h"
#include "tocha/ops/to.h"
#include "tocha/ops/unique_dim.h"
#include "tocha/ops/zeros.h"

static const tocha_device anywhere = {TOCHA_NO_DEVICE, -1};

/* --- an allocator that counts, and fails from a given call on -------------------------------------- */

typedef struct counter {
  size_t live, calls;
  long fail_from; /* calls before everything fails; -1: never */
  bool wrong;     /* a block came back with another size than it had */
} counter;

enum { GUARD = 64 };

static void *count_allocate(void *user, void *pointer, size_t old_size, size_t new_size) {
  counter *c = user;
  char *block = pointer ? (char *)pointer - GUARD : NULL;
  size_t had = 0;
  if (block) memcpy(&had, block, sizeof had);
  if (had != old_size) c->wrong = true;
  if (new_size == 0) {
    c->live -= old_size;
    free(block);
    return NULL;
  }
  c->calls++;
  if (c->fail_from >= 0 && c->fail_from-- <= 0) {
    c->fail_from = 0;
    return NULL;
  }
  block = realloc(block, new_size + GUARD);
  if (!block) return NULL;
  memcpy(block, &new_size, sizeof new_size);
  c->live += new_size - old_size;
  return block + GUARD;
}

static tocha_context *open_counted(counter *c) {
  tocha_options options = {.allocate = count_allocate, .allocate_user = c, .threads = 1};
  memset(c, 0, sizeof *c);
  c->fail_from = -1;
  return tocha_open(&options);
}

/* --- scenarios for failing allocations ---------------------------------------------------------------- */

static tocha_tensor *grid(tocha_context *cx, int64_t rows, int64_t columns) {
  tocha_tensor *t = tocha_randn(cx, 2, (const int64_t[]){rows, columns});
  return t;
}

static bool create(tocha_context *cx) {
  const int64_t size[] = {2, 1, 3, 1, 2, 1, 2};
  const float values[] = {1, 2, 3, 4, 5, 6};
  return grid(cx, 40, 40) && tocha_zeros(cx, 7, size) &&
         tocha_from_values(cx, values, 2, (const int64_t[]){2, 3}, TOCHA_FLOAT32) &&
         tocha_arange(cx, tocha_int(1000)) && tocha_eye(cx, 20, NULL);
}

static bool broadcast(tocha_context *cx) {
  tocha_tensor *a = grid(cx, 30, 1), *b = grid(cx, 1, 50);
  return tocha_add(cx, a, b) && tocha_sum(cx, tocha_mul(cx, tocha_exp(cx, a), b));
}

static bool multiply(tocha_context *cx) {
  tocha_tensor *a = grid(cx, 33, 65), *b = grid(cx, 65, 20);
  tocha_tensor *half = tocha_to_dtype(cx, b, TOCHA_FLOAT16, false, false);
  return tocha_matmul(cx, a, b) &&
         tocha_matmul(cx, tocha_to_dtype(cx, a, TOCHA_FLOAT16, false, false), half) &&
         tocha_matmul(cx, tocha_t(cx, b), tocha_t(cx, a));
}

static bool print(tocha_context *cx) {
  char *text = tocha_to_string(cx, tocha_mul(cx, grid(cx, 50, 40), grid(cx, 50, 40)));
  bool ok = text && strstr(text, "...");
  free(text);
  return ok;
}

static bool index_tensor(tocha_context *cx) {
  tocha_subscript_item items[8];
  int count = 0;
  tocha_tensor *t = grid(cx, 12, 12), *where = tocha_arange(cx, tocha_int(5));
  if (!tocha_subscript_parse(cx, "1:9:2, None, ..., -3:", items, 8, &count)) return false;
  if (!tocha_subscript_get(cx, t, count, items)) return false;
  tocha_subscript_item rows = {.kind = TOCHA_SUBSCRIPT_TENSOR, .tensor = where};
  if (!where || !tocha_subscript_get(cx, t, 1, &rows)) return false;
  rows.tensor = tocha_gt(cx, t, tocha_zeros(cx, 0, NULL));
  if (!rows.tensor || !tocha_subscript_get(cx, t, 1, &rows)) return false;
  return tocha_subscript_set(cx, t, 1, &rows, tocha_number(tocha_float(1)));
}

static bool autograd(tocha_context *cx) {
  tocha_tensor *w = grid(cx, 4, 4), *grads[1] = {NULL};
  if (!w || !tocha_set_requires_grad(cx, w, true)) return false;
  tocha_tensor *y = tocha_sum(cx, tocha_tanh(cx, tocha_matmul(cx, w, tocha_mul(cx, w, w))));
  if (!y || !tocha_gradients(cx, 1, &y, 1, &w, NULL, true, true, false, grads)) return false;
  tocha_tensor *z = tocha_sum(cx, tocha_mul(cx, grads[0], grads[0]));
  return z && tocha_backward(cx, z, NULL, false, false) && tocha_grad(w);
}

/* Takes over child. */
static bool put(tocha_context *cx, tocha_module *parent, const char *name, tocha_module *child) {
  bool ok = parent && child && tocha_register_module(cx, parent, name, child);
  tocha_module_release(child);
  return ok;
}

static tocha_module *net(tocha_context *cx) {
  tocha_module *m = tocha_nn_sequential(cx);
  if (m && put(cx, m, "0", tocha_nn_linear(cx, 3, 20, true, anywhere, TOCHA_NO_DTYPE)) &&
      put(cx, m, "1", tocha_nn_relu(cx, false)) &&
      put(cx, m, "2", tocha_nn_linear(cx, 20, 1, true, anywhere, TOCHA_NO_DTYPE)))
    return m;
  tocha_module_release(m);
  return NULL;
}

static bool describe(tocha_context *cx) {
  tocha_module *m = net(cx);
  char *text = m ? tocha_module_to_string(cx, m) : NULL;
  bool ok = text && strstr(text, "Linear");
  free(text);
  tocha_module_release(m);
  return ok;
}

static bool copy_state(tocha_context *cx) {
  tocha_module *a = net(cx), *b = net(cx);
  tocha_state_dict *state = a ? tocha_module_state_dict(cx, a, "", false) : NULL;
  bool ok = state && b && tocha_module_load_state_dict(cx, b, state, true, false, NULL, NULL);
  tocha_state_dict_release(state);
  tocha_module_release(a);
  tocha_module_release(b);
  return ok;
}

static bool train_with(tocha_context *cx, tocha_module *m, tocha_optimizer *o) {
  tocha_tensor *parameters[4];
  static const char *const names[] = {"0.weight", "0.bias", "2.weight", "2.bias"};
  for (int i = 0; i < 4; i++)
    if (!(parameters[i] = tocha_get_parameter(cx, m, names[i]))) return false;
  if (!tocha_optimizer_add_group(cx, o, 4, parameters, NULL)) return false;
  tocha_tensor *x = grid(cx, 16, 3);
  for (int i = 0; i < 2; i++) {
    tocha_tensor *y = tocha_module_forward(cx, m, 1, &x);
    tocha_tensor *loss = tocha_mean(cx, tocha_mul(cx, y, y));
    if (!loss || !tocha_optimizer_zero_grad(cx, o, true) ||
        !tocha_backward(cx, loss, NULL, false, false) || !tocha_optimizer_step(cx, o))
      return false;
  }
  return true;
}

static bool train(tocha_context *cx) {
  tocha_module *m = net(cx);
  tocha_optimizer *o = m ? tocha_optimizer_new(cx, tocha_find_optimizer_class("Adam"), NULL) : NULL;
  bool ok = o && train_with(cx, m, o);
  tocha_optimizer_release(o);
  tocha_module_release(m);
  return ok;
}

static bool in_scope(tocha_context *cx, bool (*scenario)(tocha_context *cx)) {
  tocha_scope scope = tocha_scope_begin(cx);
  bool ok = scenario(cx);
  tocha_scope_end(cx, scope, NULL);
  return ok;
}

/* Fails the n-th allocation and all after it, for every n. */
static void test_failing(const char *name, bool (*scenario)(tocha_context *cx)) {
  int wrong = 0, n = 0;
  bool done = false;
  for (; !done && n < 5000; n++) {
    counter c;
    tocha_context *cx = open_counted(&c);
    c.fail_from = n;
    bool ok = in_scope(cx, scenario);
    c.fail_from = c.fail_from == 0 ? 0 : -1; /* 0: it did fail */
    done = c.fail_from < 0;
    tocha_error_code code = tocha_error(cx)->code;
    if (done ? !ok || code != TOCHA_OK : !ok && code != TOCHA_MEMORY_ERROR) {
      printf("# %s, allocation %d: code %d, %s\n", name, n, (int)code, tocha_error(cx)->message);
      wrong++;
    }
    c.fail_from = -1;
    tocha_clear_error(cx);
    if (!in_scope(cx, scenario)) {
      printf("# %s: unusable after a failure of allocation %d: %s\n", name, n,
             tocha_error(cx)->message);
      wrong++;
    }
    tocha_close(cx);
    if (c.live || c.wrong) {
      printf("# %s, allocation %d: %zu bytes are left\n", name, n, c.live);
      wrong++;
    }
  }
  printf("# %s: %d allocations failed\n", name, n - 1);
  EXPECT(wrong == 0 && done && n > 2, name);
}

static void test_open_fails(void) {
  counter c;
  memset(&c, 0, sizeof c);
  tocha_options options = {.allocate = count_allocate, .allocate_user = &c};
  CHECK(tocha_open(&options) == NULL && c.live == 0);
}

/* --- contexts -------------------------------------------------------------------------------------- */

static void test_two_contexts(void) {
  counter ca, cb;
  tocha_context *a = open_counted(&ca), *b = open_counted(&cb);
  tocha_manual_seed(a, 1);
  tocha_manual_seed(b, 1);
  tocha_tensor *x = grid(a, 3, 3), *y = grid(b, 3, 3);
  CHECK(memcmp(tocha_data(x), tocha_data(y), 9 * sizeof(float)) == 0);
  tocha_set_grad_enabled(a, false);
  CHECK(!tocha_grad_enabled(a) && tocha_grad_enabled(b));
  CHECK(!tocha_matmul(a, x, grid(a, 4, 4)) && tocha_failed(a) && !tocha_failed(b));
  CHECK(tocha_set_default_dtype(b, TOCHA_FLOAT64) && tocha_default_dtype(a) == TOCHA_FLOAT32);
  tocha_close(a);
  CHECK(ca.live == 0 && !ca.wrong);
  CHECK(tocha_add(b, y, y) != NULL);
  tocha_close(b);
  CHECK(cb.live == 0 && !cb.wrong);
}

static void test_outliving(void) {
  counter c;
  tocha_context *cx = open_counted(&c);
  tocha_tensor *t = tocha_retain(grid(cx, 100, 100));
  tocha_tensor *leaf = grid(cx, 2, 2);
  tocha_set_requires_grad(cx, leaf, true);
  tocha_tensor *y = tocha_retain(tocha_sum(cx, tocha_mul(cx, leaf, leaf)));
  tocha_close(cx);
  CHECK(c.live > 40000);
  float *values = tocha_data(t);
  values[9999] = 1;
  tocha_release(t);
  CHECK(c.live > 0 && tocha_requires_grad(y));
  tocha_release(y);
  CHECK(c.live == 0 && !c.wrong);
}

/* leaf -> gradient -> graph -> leaf: a cycle that ends with the context. */
static void test_cycle(void) {
  counter c;
  tocha_context *cx = open_counted(&c);
  tocha_tensor *w = grid(cx, 3, 3);
  tocha_set_requires_grad(cx, w, true);
  tocha_tensor *y = tocha_sum(cx, tocha_mul(cx, tocha_mul(cx, w, w), w));
  CHECK(tocha_backward(cx, y, NULL, true, true) && tocha_requires_grad(tocha_grad(w)));
  tocha_close(cx);
  CHECK(c.live == 0 && !c.wrong);
}

/* --- errors, scopes ---------------------------------------------------------------------------------- */

static void test_errors(tocha_context *cx) {
  tocha_tensor *x = grid(cx, 2, 3);
  CHECK(!tocha_add(cx, tocha_matmul(cx, x, x), x));
  CHECK(tocha_error(cx)->code == TOCHA_RUNTIME_ERROR);
  char first[256];
  snprintf(first, sizeof first, "%s", tocha_error(cx)->message);
  CHECK(strstr(first, "(2x3 and 2x3)") != NULL);
  CHECK(!tocha_neg(cx, x)); /* while an error is pending nothing runs */
  CHECK(!tocha_fail(cx, TOCHA_VALUE_ERROR, "another") &&
        strcmp(first, tocha_error(cx)->message) == 0);
  CHECK(!tocha_fail_in(cx, "net") && strcmp(tocha_error(cx)->path, "net") == 0);
  CHECK(!tocha_backward(cx, x, NULL, false, false) &&
        !tocha_new(cx, 0, NULL, TOCHA_INT64, tocha_cpu()));
  tocha_scalar value;
  CHECK(!tocha_item(cx, x, &value));
  tocha_clear_error(cx);
  CHECK(!tocha_failed(cx) && tocha_neg(cx, x));
  tocha_tensor *none = NULL, *grads[1];
  tocha_tensor *operands[] = {x, NULL};
  CHECK(!tocha_neg(cx, NULL) && !tocha_add(cx, NULL, x) && !tocha_add(cx, x, NULL));
  CHECK(!tocha_cat(cx, 2, operands, 0) && !tocha_matmul(cx, NULL, NULL));
  CHECK(!tocha_add_(cx, NULL, x) && !tocha_set_requires_grad(cx, NULL, true));
  tocha_clear_error(cx);
  CHECK(!tocha_backward(cx, NULL, NULL, false, false));
  tocha_clear_error(cx);
  CHECK(!tocha_gradients(cx, 1, &none, 1, &x, NULL, false, false, false, grads));
  tocha_clear_error(cx);
  CHECK(tocha_to_string(cx, NULL) == NULL && !tocha_item(cx, NULL, &value));
  tocha_clear_error(cx);
  CHECK(tocha_neg(cx, x) != NULL);
  tocha_release(NULL);
  CHECK(tocha_retain(NULL) == NULL);
}

static void test_scopes(tocha_context *cx) {
  size_t before = tocha_memory(cx, tocha_cpu()).allocated;
  tocha_scope outer = tocha_scope_begin(cx);
  tocha_scope inner = tocha_scope_begin(cx);
  for (int i = 0; i < 1000; i++) grid(cx, 30, 30);
  tocha_tensor *kept = tocha_scope_end(cx, inner, grid(cx, 2, 2));
  CHECK(kept && tocha_numel(kept) == 4);
  CHECK(tocha_memory(cx, tocha_cpu()).allocated < before + (1 << 19)); /* 3.6 MB were */
  tocha_tensor *view = tocha_retain(tocha_t(cx, grid(cx, 5, 6)));
  tocha_scope_end(cx, outer, NULL);
  CHECK(tocha_sizes(view)[0] == 6 && tocha_data(view)); /* owns what it looks at */
  tocha_release(view);
}

static int deletions;
static void deleted(void *user, void *data) { deletions += *(int *)user == 7 && data != NULL; }

static void test_host_memory(tocha_context *cx) {
  static float values[6] = {1, 2, 3, 4, 5, 6};
  static int seven = 7;
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_tensor *t =
      tocha_from_memory(cx, values, 2, (const int64_t[]){2, 3}, TOCHA_FLOAT32, deleted, &seven);
  tocha_tensor *view = tocha_retain(tocha_t(cx, t));
  CHECK(tocha_data(t) == values && tocha_add_(cx, t, t) && values[5] == 12);
  tocha_scope_end(cx, scope, NULL);
  CHECK(deletions == 0);
  tocha_release(view);
  CHECK(deletions == 1);
  CHECK(!tocha_from_memory(cx, values, 1, (const int64_t[]){-1}, TOCHA_FLOAT32, deleted, &seven));
  CHECK(deletions == 1);
  tocha_clear_error(cx);
}

/* --- more memory than there can be ------------------------------------------------------------------------ */

/* Checks that a size beyond the address space is refused, with the true size and a hint. */
static void test_huge_sizes(void) {
  tocha_context *cx = tocha_open(NULL);
  const int64_t sizes[] = {(int64_t)1 << 60};
  CHECK(!tocha_new(cx, 1, sizes, TOCHA_UINT8, tocha_cpu()));
  CHECK(tocha_error(cx)->code == TOCHA_MEMORY_ERROR);
  CHECK(strstr(tocha_error(cx)->message, "you tried to allocate 1152921504606846976 bytes."));
  CHECK(strstr(tocha_error(cx)->hint, "are live in tensors"));
  tocha_clear_error(cx);
  tocha_tensor *shape = tocha_new(cx, 1, sizes, TOCHA_UINT8, (tocha_device){TOCHA_META, -1});
  CHECK(shape && tocha_numel(shape) == sizes[0]);
  tocha_close(cx);
}

/* --- interruption --------------------------------------------------------------------------------------- */

/* Of this process alone: whoever else is at work on the machine does not count. */
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double due, asked_at;
static atomic_bool is_over;

static void *interrupt_when_due(void *cx) {
  while (now() < due && !is_over) nanosleep(&(struct timespec){0, 1000 * 1000}, NULL);
  asked_at = now();
  tocha_interrupt(cx);
  return NULL;
}

static tocha_tensor *wide(tocha_context *cx) { /* 2^40 elements, one number of memory */
  return tocha_expand(cx, tocha_ones(cx, 1, (const int64_t[]){1}), 1,
                      (const int64_t[]){(int64_t)1 << 40});
}
static tocha_tensor *long_sum(tocha_context *cx) { return tocha_sum(cx, wide(cx)); }
static tocha_tensor *long_product(tocha_context *cx) { /* of integers: no library does it */
  const int64_t size[] = {2000, 2000};
  tocha_tensor *a = tocha_ones_full(cx, 2, size, TOCHA_INT64, anywhere, false);
  return tocha_matmul(cx, a, a);
}
static tocha_tensor *long_order(tocha_context *cx) {
  return tocha_argsort(cx, tocha_rand(cx, 1, (const int64_t[]){1 << 23}), 0, false);
}

/* In one row, plane or sequence each, where no thread comes to another part. */
static tocha_tensor *row(tocha_context *cx) {
  return tocha_rand(cx, 1, (const int64_t[]){1 << 23});
}
static tocha_tensor *median_of_row(tocha_context *cx) { return tocha_median(cx, row(cx)); }
static tocha_tensor *mode_of_row(tocha_context *cx) {
  tocha_tensor *values, *indices;
  return tocha_mode(cx, row(cx), 0, false, &values, &indices) ? values : NULL;
}
static tocha_tensor *softmax_of_row(tocha_context *cx) {
  tocha_tensor *x = row(cx);
  for (int i = 0; x && i < 4; i++) x = tocha_softmax(cx, x, 0, TOCHA_NO_DTYPE);
  return x;
}
static tocha_tensor *norm_of_row(tocha_context *cx) {
  tocha_tensor *x = row(cx);
  for (int i = 0; x && i < 4; i++)
    x = tocha_layer_norm(cx, x, 1, (const int64_t[]){1 << 23}, NULL, NULL, 1e-5, true);
  return x;
}
static tocha_tensor *rows_with_copies(tocha_context *cx) {
  tocha_tensor *x = tocha_rand(cx, 2, (const int64_t[]){1 << 18, 2}), *out, *inverse, *counts;
  return tocha_unique_dim(cx, x, 0, true, true, true, &out, &inverse, &counts) ? out : NULL;
}
static tocha_tensor *members_of_row(tocha_context *cx) {
  tocha_tensor *x = tocha_rand(cx, 1, (const int64_t[]){1 << 20});
  return tocha_isin(cx, x, x);
}
static tocha_tensor *pool_of_plane(tocha_context *cx) {
  const int64_t sizes[] = {1, 1, 2000, 2000}, kernel[] = {21, 21}, one[] = {1, 1}, none[] = {0, 0};
  return tocha_max_pool2d(cx, tocha_rand(cx, 4, sizes), 2, kernel, 2, one, 2, none, 2, one, false);
}
static tocha_tensor *loss_of_sequence(tocha_context *cx) {
  const int64_t sizes[] = {2000, 1, 2}, labels[] = {1, 900}, times[] = {2000}, length[] = {900};
  tocha_tensor *targets = tocha_ones_full(cx, 2, labels, TOCHA_INT64, anywhere, false);
  return tocha_ctc_loss_lists(cx, tocha_rand(cx, 3, sizes), targets, 1, times, 1, length, 0, "sum",
                              false);
}

/* Asks `after` seconds of work. */
static void test_interrupt(const char *name, tocha_tensor *(*work)(tocha_context *cx), double after,
                           bool may_finish) {
  tocha_context *cx = tocha_open(NULL);
  pthread_t thread;
  is_over = false;
  due = now() + after;
  pthread_create(&thread, NULL, interrupt_when_due, cx);
  tocha_tensor *result = work(cx);
  double end = now();
  is_over = true;
  pthread_join(thread, NULL);
  double late = end - asked_at;
  printf("# %s stopped after %.0f ms\n", name, 1e3 * late);
  EXPECT(may_finish || (!result && tocha_error(cx)->code == TOCHA_INTERRUPTED), name);
#ifdef __SANITIZE_ADDRESS__
  late /= 20;
#endif
  EXPECT(late < 0.25, name); /* below 0.1 on a machine that is not shared */
  tocha_clear_error(cx);
  tocha_tensor *x = grid(cx, 3, 3);
  if (!x) { /* the request came after the work */
    tocha_clear_error(cx);
    x = grid(cx, 3, 3);
  }
  CHECK(x && tocha_matmul(cx, x, x));
  tocha_close(cx);
}

/* A host that is asked, and says so the second time. */
typedef struct host {
  pthread_t thread;
  int asked;
  bool elsewhere; /* on another thread than its own */
} host;

static bool stop_at_second(void *user) {
  host *h = user;
  h->elsewhere = h->elsewhere || !pthread_equal(h->thread, pthread_self());
  return ++h->asked == 2;
}

static void test_poll(const char *name, tocha_tensor *(*work)(tocha_context *cx)) {
  tocha_context *cx = tocha_open(NULL);
  host h = {.thread = pthread_self()};
  tocha_set_threads(cx, 4);
  tocha_on_poll(cx, stop_at_second, &h);
  EXPECT(!work(cx) && tocha_error(cx)->code == TOCHA_INTERRUPTED, name);
  EXPECT(h.asked == 2 && !h.elsewhere, name);
  tocha_clear_error(cx);
  tocha_on_poll(cx, NULL, NULL);
  EXPECT(tocha_ones(cx, 1, (const int64_t[]){1}) != NULL, name);
  tocha_close(cx);
}

/* An out of the wrong shape is resized where PyTorch resizes what it refuses, but not by work that was interrupted: that
 * would be done again for its shape. */
static void test_interrupt_of_out(void) {
  tocha_context *cx = tocha_open(NULL);
  const tocha_op *op = tocha_find_operator("cat");
  tocha_tensor *parts[] = {grid(cx, 2000, 1000), grid(cx, 2000, 1000)}, *out = grid(cx, 1, 3);
  tocha_arg args[2] = {{.value.tensors = parts, .count = 2, .given = true}};
  CHECK(op && op->parameter_count == 2 && parts[0] && parts[1] && out);
  tocha_interrupt(cx);
  CHECK(!tocha_call_out(cx, op, args, &out) && tocha_error(cx)->code == TOCHA_INTERRUPTED);
  CHECK(tocha_numel(out) == 3);
  tocha_clear_error(cx);
  CHECK(tocha_call_out(cx, op, args, &out) && tocha_numel(out) == 4000000);
  tocha_close(cx);
}

/* Asks in the middle of work that comes to an end, and again near the end of it. */
static void test_interrupt_within(const char *name, tocha_tensor *(*work)(tocha_context *cx)) {
  tocha_context *cx = tocha_open(NULL);
  double start = now();
  EXPECT(work(cx) != NULL, name);
  double whole = now() - start;
  tocha_close(cx);
  test_interrupt(name, work, 0.5 * whole, true);
  test_interrupt(name, work, 0.8 * whole, true);
}

int main(void) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  test_open_fails();
  test_failing("creating tensors", create);
  test_failing("broadcasting", broadcast);
  test_failing("matmul", multiply);
  test_failing("printing", print);
  test_failing("subscripts", index_tensor);
  test_failing("gradients of gradients", autograd);
  test_failing("modules", describe);
  test_failing("state dicts", copy_state);
  test_failing("training", train);
  test_two_contexts();
  test_outliving();
  test_cycle();
  counter c;
  tocha_context *cx = open_counted(&c);
  test_errors(cx);
  test_scopes(cx);
  test_host_memory(cx);
  tocha_close(cx);
  CHECK(c.live == 0 && !c.wrong);
  test_huge_sizes();
  test_interrupt_of_out();
  test_poll("a sum that the host stops", long_sum);
  test_poll("a product of integers that the host stops", long_product);
  test_poll("an argsort that the host stops", long_order);
  test_interrupt("a sum", long_sum, 0.03, false);
  test_interrupt("a product of integers", long_product, 0.03, false);
  test_interrupt("argsort", long_order, 0.03, true);
  test_interrupt_within("median", median_of_row);
  test_interrupt_within("mode", mode_of_row);
  test_interrupt_within("softmax", softmax_of_row);
  test_interrupt_within("layer_norm", norm_of_row);
  test_interrupt_within("unique_dim", rows_with_copies);
  test_interrupt_within("isin", members_of_row);
  test_interrupt_within("max_pool2d", pool_of_plane);
  test_interrupt_within("ctc_loss", loss_of_sequence);
  return finish();
}
