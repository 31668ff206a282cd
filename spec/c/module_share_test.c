/* module_share_test.c: one model in several contexts, each on a thread of its own. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "tocha/modules.h"
#include "tocha/ops.h"
#include "tocha/share.h"
#include "tocha/tocha.h"

enum { THREADS = 4, TURNS = 5 };

/* Appends a module, which the list owns from then on. */
static void append(tocha_context *cx, tocha_module *list, tocha_module *module) {
  CHECK(tocha_module_insert(cx, list, tocha_module_child_count(list), module));
  tocha_module_release(module);
}

/* Returns a network in evaluation mode, with statistics, a layer that occurs twice, a tied weight
 * and a recurrent layer. The caller owns it. */
static tocha_module *new_model(tocha_context *cx) {
  tocha_conv2d_options conv = tocha_conv2d_defaults(1, 4, 3);
  tocha_batch_norm2d_options norm = tocha_batch_norm2d_defaults(4);
  tocha_linear_options inner = tocha_linear_defaults(16, 16), wide = tocha_linear_defaults(144, 16);
  tocha_lstm_options lstm = tocha_lstm_defaults(16, 8);
  tocha_module *model = tocha_nn_sequential(cx), *twice = tocha_nn_linear_with(cx, &inner);
  tocha_module *tied = tocha_nn_linear_with(cx, &inner);
  tocha_tensor *weight = tocha_get_parameter(cx, twice, "weight");
  CHECK(tocha_register_parameter(cx, tied, "weight", weight));
  append(cx, model, tocha_nn_conv2d_with(cx, &conv));
  append(cx, model, tocha_nn_batch_norm2d_with(cx, &norm));
  append(cx, model, tocha_nn_relu(cx, false));
  append(cx, model, tocha_nn_flatten(cx, 1, -1));
  append(cx, model, tocha_nn_linear_with(cx, &wide));
  append(cx, model, tocha_module_retain(twice));
  append(cx, model, tocha_nn_tanh(cx));
  append(cx, model, twice);
  append(cx, model, tied);
  append(cx, model, tocha_nn_lstm_with(cx, &lstm));
  tocha_module_train(model, false);
  return model;
}

/* Returns the sum of what the model makes of ones, or NAN. */
static double answer(tocha_context *cx, tocha_module *model) {
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_tensor *x = tocha_ones(cx, 4, (int64_t[]){3, 1, 8, 8}), *inputs[] = {x};
  tocha_scalar sum = {0};
  bool ok = tocha_item(cx, tocha_sum(cx, tocha_module_forward(cx, model, 1, inputs)), &sum);
  tocha_scope_end(cx, scope, NULL);
  if (!ok) printf("# %s\n", tocha_error(cx)->message);
  return ok ? tocha_scalar_real(sum) : NAN;
}

static tocha_tensor *parameter(tocha_context *cx, tocha_module *model, const char *name) {
  return tocha_get_parameter(cx, model, name);
}

/* --- threads ----------------------------------------------------------------------------------- */

typedef struct errand {
  const tocha_shared_module *shared;
  double answers[TURNS];
  const void *weight;
  bool tied, repeated, trains, requires_grad;
} errand;

static void *run(void *user) {
  errand *e = user;
  for (int turn = 0; turn < TURNS; turn++) {
    tocha_context *cx = tocha_open(NULL);
    tocha_module *model = tocha_module_from_shared(cx, e->shared);
    e->answers[turn] = answer(cx, model);
    tocha_tensor *weight = parameter(cx, model, "5.weight");
    e->weight = weight ? tocha_data(weight) : NULL;
    e->tied = weight == parameter(cx, model, "8.weight");
    e->repeated = tocha_module_child(model, 5) == tocha_module_child(model, 7);
    e->trains = tocha_module_training(tocha_module_child(model, 1));
    e->requires_grad = tocha_requires_grad(weight);
    tocha_module_train(model, true); /* a flag of this context's */
    tocha_module_release(model);
    tocha_close(cx);
  }
  return NULL;
}

static void test_threads(void) {
  tocha_context *cx = tocha_open(NULL);
  tocha_module *model = new_model(cx);
  double expected = answer(cx, model);
  tocha_shared_module *shared = tocha_module_share(cx, model);
  CHECK(shared && !isnan(expected));
  errand errands[THREADS];
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) {
    errands[i] = (errand){.shared = shared};
    pthread_create(&threads[i], NULL, run, &errands[i]);
  }
  CHECK(answer(cx, model) == expected); /* the original is read meanwhile */
  for (int i = 0; i < THREADS; i++) {
    const errand *e = &errands[i];
    pthread_join(threads[i], NULL);
    for (int turn = 0; turn < TURNS; turn++) CHECK(e->answers[turn] == expected);
    CHECK(e->weight == tocha_data(parameter(cx, model, "5.weight")));
    CHECK(e->tied && e->repeated && !e->trains && e->requires_grad);
  }
  tocha_module_release(model);
  tocha_close(cx);
  cx = tocha_open(NULL); /* the memory stays with what was shared */
  model = tocha_module_from_shared(cx, shared);
  tocha_shared_module_free(shared);
  CHECK(answer(cx, model) == expected);
  CHECK(tocha_module_to(cx, model, tocha_cpu(), TOCHA_FLOAT64));
  tocha_module_release(model);
  tocha_close(cx);
}

/* --- what a copy shares, and what is its own --------------------------------------------------------- */

static void test_writes(void) {
  tocha_context *cx = tocha_open(NULL), *other = tocha_open(NULL);
  tocha_linear_options options = tocha_linear_defaults(3, 2);
  tocha_module *model = tocha_nn_linear_with(cx, &options);
  tocha_shared_module *shared = tocha_module_share(cx, model);
  tocha_module *copy = tocha_module_from_shared(other, shared);
  float *weight = tocha_data(parameter(cx, model, "weight"));
  weight[4] = 7;
  CHECK(((float *)tocha_data(parameter(other, copy, "weight")))[4] == 7);
  tocha_tensor *x = tocha_ones(other, 2, (int64_t[]){1, 3});
  CHECK(tocha_backward(other, tocha_sum(other, tocha_module_call(other, copy, x)), NULL, false,
                       false));
  CHECK(tocha_grad(parameter(other, copy, "weight")) &&
        !tocha_grad(parameter(cx, model, "weight")));
  CHECK(tocha_module_to(cx, model, tocha_cpu(), TOCHA_FLOAT64)); /* memory of its own */
  weight = tocha_data(parameter(other, copy, "weight"));
  CHECK(weight[4] == 7 && tocha_dtype_of(parameter(other, copy, "weight")) == TOCHA_FLOAT32);
  tocha_module_release(copy);
  tocha_module_release(model);
  tocha_close(cx);
  tocha_close(other);
  tocha_shared_module_free(shared); /* after all contexts */
}

/* A loss keeps a tensor as an option. */
static void test_options(void) {
  tocha_context *cx = tocha_open(NULL), *other = tocha_open(NULL);
  tocha_multi_margin_loss_options options = tocha_multi_margin_loss_defaults();
  options.weight = tocha_full(cx, 1, (int64_t[]){3}, tocha_float(2));
  tocha_module *loss = tocha_nn_multi_margin_loss_with(cx, &options);
  tocha_shared_module *shared = tocha_module_share(cx, loss);
  tocha_module_release(loss);
  tocha_close(cx);
  loss = tocha_module_from_shared(other, shared);
  tocha_shared_module_free(shared);
  tocha_tensor *inputs[] = {
      tocha_ones(other, 2, (int64_t[]){2, 3}),
      tocha_zeros_full(other, 1, (int64_t[]){2}, TOCHA_INT64, tocha_cpu(), false)};
  tocha_scalar value = {0};
  CHECK(tocha_item(other, tocha_module_forward(other, loss, 2, inputs), &value));
  CHECK(fabs(tocha_scalar_real(value) - 4.0 / 3) < 1e-6);
  tocha_module_release(loss);
  tocha_close(other);
}

/* --- refusals ------------------------------------------------------------------------------------------ */

/* Checks that the module cannot be shared, with an error that contains `message`, `hint` and `path`. */
static void refuses(tocha_context *cx, tocha_module *module, const char *message, const char *hint,
                    const char *path) {
  CHECK(!tocha_module_share(cx, module) && tocha_failed(cx));
  const tocha_error_info *e = tocha_error(cx);
  if (!strstr(e->message, message) || !strstr(e->hint, hint) || !strstr(e->path, path))
    printf("# %s\n# %s\n# %s\n", e->message, e->hint, e->path);
  CHECK(strstr(e->message, message) && strstr(e->hint, hint) && strstr(e->path, path));
  tocha_clear_error(cx);
}

static tocha_tensor *forward_of_host(tocha_context *cx, void *data, tocha_module *module, int count,
                                     tocha_tensor *const *inputs) {
  (void)cx, (void)data, (void)module, (void)count;
  return inputs[0];
}

static void test_refusals(void) {
  tocha_context *cx = tocha_open(NULL);
  tocha_lazy_linear_options lazy = tocha_lazy_linear_defaults(2);
  tocha_module *model = tocha_nn_sequential(cx), *own = tocha_module_new(cx, NULL, "Net");
  tocha_module *computed = tocha_nn_sequential(cx), *on_meta = tocha_nn_sequential(cx);
  tocha_linear_options linear = tocha_linear_defaults(2, 2);
  refuses(cx, NULL, "must be Module, not NoneType", "", "");
  tocha_module_set_host_object(own, &(tocha_host_object){.forward = forward_of_host});
  refuses(cx, own, "module Net cannot be shared: its forward or a hook", "run its script", "");
  append(cx, model, own);
  refuses(cx, model, "module 0 (Net) cannot be shared", "run its script", "");
  tocha_module_take(model, 0);
  append(cx, model, tocha_nn_lazy_linear_with(cx, &lazy));
  refuses(cx, model, "'0.weight' is uninitialized", "call the module once", "");
  append(cx, computed, tocha_nn_linear_with(cx, &linear));
  tocha_tensor *weight = parameter(cx, computed, "0.weight");
  CHECK(tocha_register_buffer(cx, computed, "product", tocha_mul(cx, weight, weight), true));
  refuses(cx, computed, "Cowardly refusing", "", "product");
  linear.device = (tocha_device){TOCHA_META, -1};
  append(cx, on_meta, tocha_nn_linear_with(cx, &linear));
  refuses(cx, on_meta, "only tensors on the CPU", "tocha_module_to", "0.weight");
  CHECK(!tocha_module_from_shared(cx, NULL) && tocha_failed(cx));
  tocha_shared_module_free(NULL);
  tocha_module_release(model);
  tocha_module_release(computed);
  tocha_module_release(on_meta);
  tocha_close(cx);
}

/* Memory that is short is an error, whichever allocation fails. */
static void test_memory(void) {
  tocha_context *cx = tocha_open(NULL);
  tocha_module *model = new_model(cx);
  tocha_shared_module *shared = tocha_module_share(cx, model);
  bool done = false;
  for (int n = 0; !done && n < 1000; n++) {
    tocha_context *other = tocha_open(NULL);
    tocha_fail_allocation(other, n);
    tocha_module *copy = tocha_module_from_shared(other, shared);
    done = copy != NULL;
    CHECK(done || tocha_error(other)->code == TOCHA_MEMORY_ERROR);
    tocha_module_release(copy);
    tocha_close(other);
  }
  CHECK(done);
  tocha_shared_module_free(shared);
  tocha_module_release(model);
  tocha_close(cx);
}

int main(void) {
  test_threads();
  test_writes();
  test_options();
  test_refusals();
  test_memory();
  return finish();
}
