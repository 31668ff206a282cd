/* amp_test.c: autocast and gradient scaling without Lua: casts of modules and losses, the cache,
 * a training loop with infinities, scalers of a host's own optimizer, memory given back, and no
 * allocation whose failure does harm. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "core/internal.h"
#include "tocha/amp.h"
#include "tocha/context.h"
#include "tocha/device.h"
#include "tocha/nn/linear.h"
#include "tocha/nn.h"
#include "tocha/optim.h"
#include "tocha/tensor.h"
#include "tocha/ops/fill_.h"
#include "tocha/ops/full.h"
#include "tocha/ops/mm.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/ones.h"
#include "tocha/ops/select.h"
#include "tocha/ops/slice.h"
#include "tocha/ops/stack.h"
#include "tocha/ops/sum.h"
#include "tocha/ops/to.h"

static const tocha_device anywhere = {TOCHA_NO_DEVICE, -1};

static bool fails_with(tocha_context *cx, tocha_error_code code, const char *message) {
  const tocha_error_info *e = tocha_error(cx);
  bool same = e->code == code && strcmp(e->message, message) == 0;
  if (!same) printf("got %d: %s\n", (int)e->code, e->message);
  tocha_clear_error(cx);
  return same;
}

static tocha_tensor *number(tocha_context *cx, float value) {
  return tocha_from_values(cx, &value, 0, NULL, TOCHA_FLOAT32);
}

static void test_regions(tocha_context *cx) {
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_autocast_region outer, inner;
  int64_t size[2] = {4, 4};
  tocha_tensor *x = tocha_ones(cx, 2, size);
  tocha_tensor *w = tocha_set_requires_grad(cx, tocha_ones(cx, 2, size), true);
  CHECK(tocha_dtype_of(tocha_mm(cx, x, w)) == TOCHA_FLOAT32);
  CHECK(tocha_autocast_enter(cx, TOCHA_CPU, TOCHA_NO_DTYPE, true, -1, &outer));
  tocha_tensor *y = tocha_mm(cx, x, w);
  CHECK(tocha_dtype_of(y) == TOCHA_BFLOAT16 && tocha_requires_grad(y));
  CHECK(tocha_autocast_enter(cx, TOCHA_CPU, TOCHA_FLOAT16, true, 0, &inner));
  CHECK(tocha_dtype_of(tocha_mm(cx, x, w)) == TOCHA_FLOAT16);
  CHECK(!tocha_autocast_cache_enabled(cx));
  tocha_autocast_leave(cx, &inner);
  CHECK(tocha_dtype_of(tocha_mm(cx, x, w)) == TOCHA_BFLOAT16 && tocha_autocast_cache_enabled(cx));
  CHECK(tocha_autocast_enter(cx, TOCHA_CPU, TOCHA_NO_DTYPE, false, -1, &inner));
  CHECK(tocha_dtype_of(tocha_mm(cx, x, w)) == TOCHA_FLOAT32);
  tocha_autocast_leave(cx, &inner);
  for (int i = 0; i < 200; i++) { /* more weights than the cache begins with */
    tocha_tensor *more = tocha_set_requires_grad(cx, tocha_ones(cx, 2, size), true);
    CHECK(tocha_dtype_of(tocha_mm(cx, x, more)) == TOCHA_BFLOAT16);
  }
  tocha_autocast_leave(cx, &outer);
  CHECK(!tocha_autocast_enabled(cx, TOCHA_CPU));
  CHECK(!tocha_autocast_enter(cx, TOCHA_META, TOCHA_NO_DTYPE, true, -1, &outer) &&
        fails_with(cx, TOCHA_RUNTIME_ERROR,
                   "User specified an unsupported autocast device_type 'meta'"));
  tocha_scope_end(cx, scope, NULL);
}

/* Linear(1, 1) with loss y * factor; a step is left out where the factor is infinite. */
static void test_training(tocha_context *cx) {
  tocha_module *net = tocha_nn_linear(cx, 1, 1, true, anywhere, TOCHA_NO_DTYPE);
  tocha_optimizer *sgd = tocha_optimizer_new(cx, tocha_find_optimizer_class("SGD"), NULL);
  tocha_named_list list = {0};
  CHECK(tocha_named_parameters(cx, net, "", true, true, &list) && list.count == 2);
  tocha_tensor *parameters[2] = {list.items[0].tensor, list.items[1].tensor};
  CHECK(tocha_optimizer_add_group(cx, sgd, 2, parameters, NULL));
  tocha_grad_scaler_options options = tocha_grad_scaler_defaults(TOCHA_CPU);
  options.init_scale = tocha_float(64);
  options.growth_interval = 3;
  tocha_grad_scaler *scaler = tocha_grad_scaler_new(cx, &options);
  for (int i = 0; i < 10; i++) {
    tocha_scope scope = tocha_scope_begin(cx);
    tocha_autocast_region region;
    bool overflows = i == 4, stepped;
    CHECK(tocha_autocast_enter(cx, TOCHA_CPU, TOCHA_NO_DTYPE, true, -1, &region));
    int64_t size[2] = {2, 1};
    tocha_tensor *y = tocha_module_call(cx, net, tocha_ones(cx, 2, size));
    CHECK(y && tocha_dtype_of(y) == TOCHA_BFLOAT16);
    tocha_tensor *loss = tocha_mul(cx, tocha_sum(cx, y), number(cx, overflows ? INFINITY : 1));
    tocha_autocast_leave(cx, &region);
    CHECK(tocha_optimizer_zero_grad(cx, sgd, true));
    CHECK(tocha_backward(cx, tocha_grad_scaler_scale(cx, scaler, loss), NULL, false, false));
    CHECK(tocha_grad_scaler_step(cx, scaler, sgd, &stepped) && stepped == !overflows);
    CHECK(tocha_grad_scaler_update(cx, scaler));
    tocha_scope_end(cx, scope, NULL);
  }
  tocha_scalar scale;
  int64_t tracker;
  CHECK(tocha_grad_scaler_get_scale(cx, scaler, &scale) && scale.value.real == 128);
  CHECK(tocha_grad_scaler_get_tracker(cx, scaler, &tracker) && tracker == 2);
  CHECK(tocha_grad_scaler_skipped_steps(scaler) == 1);
  CHECK(!tocha_grad_scaler_update(cx, scaler) &&
        fails_with(cx, TOCHA_ASSERTION_ERROR, "No inf checks were recorded prior to update."));
  tocha_grad_scaler_release(scaler);
  tocha_named_list_free(&list);
  tocha_optimizer_release(sgd);
  tocha_module_release(net);
}

/* A host's own optimizer: gradients of three dtypes, one with gaps, are unscaled in one go. */
static void test_own_optimizer(tocha_context *cx) {
  static const tocha_dtype dtypes[] = {TOCHA_FLOAT32, TOCHA_FLOAT64, TOCHA_BFLOAT16};
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_grad_scaler_options options = tocha_grad_scaler_defaults(TOCHA_CPU);
  options.init_scale = tocha_float(8);
  tocha_grad_scaler *scaler = tocha_grad_scaler_new(cx, &options);
  tocha_tensor *parameters[4];
  int64_t size[2] = {300, 200}, half[2] = {300, 100};
  for (int i = 0; i < 4; i++) {
    tocha_dtype dtype = dtypes[i % 3];
    tocha_tensor *ones = tocha_full_full(cx, 2, size, tocha_int(1), dtype, anywhere, false);
    tocha_tensor *g = tocha_mul_full(cx, ones, tocha_number(tocha_int(8 * (i + 1))));
    if (i == 3) g = tocha_slice(cx, g, 1, NULL, NULL, 2);
    parameters[i] =
        tocha_full_full(cx, 2, i == 3 ? half : size, tocha_int(0), dtype, anywhere, true);
    CHECK(tocha_set_grad(cx, parameters[i], g));
  }
  int key;
  bool go;
  CHECK(tocha_grad_scaler_scale(cx, scaler, number(cx, 1)));
  CHECK(tocha_grad_scaler_begin_step(cx, scaler, &key, 4, parameters, &go) && go);
  tocha_grad_scaler_end_step(scaler, &key);
  for (int i = 0; i < 4; i++) {
    tocha_scalar sum;
    tocha_tensor *g = tocha_to_dtype(cx, tocha_grad(parameters[i]), TOCHA_FLOAT64, false, false);
    CHECK(tocha_item(cx, tocha_sum(cx, g), &sum));
    CHECK(sum.value.real == (double)(i == 3 ? 30000 : 60000) * (i + 1));
  }
  CHECK(!tocha_grad_scaler_begin_step(cx, scaler, &key, 4, parameters, &go) &&
        fails_with(cx, TOCHA_RUNTIME_ERROR,
                   "step() has already been called since the last update()."));
  CHECK(tocha_grad_scaler_update(cx, scaler));
  CHECK(tocha_fill_(cx, tocha_select(cx, tocha_select(cx, tocha_grad(parameters[3]), 0, 7), 0, 7),
                    tocha_float(NAN)));
  CHECK(tocha_grad_scaler_begin_step(cx, scaler, &key, 4, parameters, &go) && !go);
  tocha_grad_scaler_release(scaler);
  tocha_scope_end(cx, scope, NULL);
}

static void run_all(tocha_context *cx) {
  static void (*const tests[])(tocha_context *) = {test_regions, test_training, test_own_optimizer};
  for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
    tests[i](cx);
    CHECK(!tocha_failed(cx));
    if (tocha_failed(cx)) printf("%s\n", tocha_error(cx)->message);
    tocha_clear_error(cx);
  }
}

/* A cast call and a scaled step; NULL results are errors of memory, and nothing leaks. */
static void attempt(tocha_context *cx) {
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_autocast_region region;
  int64_t size[2] = {2, 2};
  tocha_tensor *w = tocha_set_requires_grad(cx, tocha_ones(cx, 2, size), true);
  tocha_tensor *loss = NULL;
  tocha_grad_scaler_options options = tocha_grad_scaler_defaults(TOCHA_CPU);
  tocha_grad_scaler *scaler = tocha_grad_scaler_new(cx, &options);
  if (tocha_autocast_enter(cx, TOCHA_CPU, TOCHA_NO_DTYPE, true, -1, &region)) {
    tocha_tensor *both[2] = {tocha_mm(cx, w, w), w};
    if (both[0] && w) loss = tocha_sum(cx, tocha_stack(cx, 2, both, 0));
    tocha_autocast_leave(cx, &region);
  }
  bool go;
  if (scaler && loss &&
      tocha_backward(cx, tocha_grad_scaler_scale(cx, scaler, loss), NULL, false, false) &&
      tocha_grad_scaler_begin_step(cx, scaler, w, 1, &w, &go))
    tocha_grad_scaler_update(cx, scaler);
  tocha_grad_scaler_release(scaler);
  tocha_scope_end(cx, scope, NULL);
}

static void test_failures(tocha_context *cx) {
  attempt(cx);
  size_t before = tocha_memory(cx, tocha_cpu()).allocated;
  bool is_failing = true;
  for (int n = 0; n < 400 && is_failing; n++) {
    cx->allocator.fail_after = n;
    attempt(cx);
    is_failing = tocha_failed(cx);
    CHECK(!is_failing || tocha_error(cx)->code == TOCHA_MEMORY_ERROR);
    tocha_clear_error(cx);
    cx->allocator.fail_after = -1;
    CHECK(!tocha_autocast_enabled(cx, TOCHA_CPU));
    CHECK(tocha_memory(cx, tocha_cpu()).allocated == before);
  }
  CHECK(!is_failing);
}

int main(void) {
  tocha_context *cx = tocha_open(NULL);
  run_all(cx);
  size_t before = tocha_memory(cx, tocha_cpu()).allocated;
  run_all(cx);
  CHECK(tocha_memory(cx, tocha_cpu()).allocated == before); /* nothing is left behind */
  test_failures(cx);
  /* a region that is still open with cast weights when the context closes */
  tocha_autocast_region region;
  int64_t size[2] = {2, 2};
  CHECK(tocha_autocast_enter(cx, TOCHA_CPU, TOCHA_NO_DTYPE, true, -1, &region));
  tocha_tensor *w = tocha_set_requires_grad(cx, tocha_ones(cx, 2, size), true);
  CHECK(tocha_mm(cx, w, w));
  tocha_close(cx);
  return finish();
}
