/* host.c: small work in a host program in C, beside libtorch.cpp and host.cpp (bench/run libtorch). */
#include <stdlib.h>

#include <tocha/tocha.h>

#include "host.h"

static tocha_context *cx;

/* Ends the program if something failed. */
static void test(void) {
  if (!tocha_failed(cx)) return;
  puts(tocha_error(cx)->message);
  exit(1);
}

static tocha_tensor *ones(int64_t rows, int64_t columns) {
  return tocha_ones(cx, 2, (const int64_t[]){rows, columns});
}

static void add_tensors(long passes, bool recorded) {
  const tocha_scope all = tocha_scope_begin(cx);
  tocha_tensor *a = ones(3, 3), *b = ones(3, 3);
  tocha_set_requires_grad(cx, a, recorded);
  for (long i = 0; i < passes; i++) {
    const tocha_scope scope = tocha_scope_begin(cx);
    tocha_add(cx, a, b);
    tocha_scope_end(cx, scope, NULL);
  }
  tocha_scope_end(cx, all, NULL);
  test();
}

static void add(long passes) { add_tensors(passes, false); }
static void recorded(long passes) { add_tensors(passes, true); }

enum { LAYERS = 3 };

typedef struct net {
  tocha_module *layers[LAYERS];
} net;

static net new_net(void) {
  static const int64_t widths[] = {1, 10, 10, 1};
  net n;
  for (int i = 0; i < LAYERS; i++) {
    const tocha_linear_options options = tocha_linear_defaults(widths[i], widths[i + 1]);
    n.layers[i] = tocha_nn_linear_with(cx, &options);
  }
  return n;
}

static void free_net(net *n) {
  for (int i = 0; i < LAYERS; i++) tocha_module_release(n->layers[i]);
}

static tocha_tensor *run(const net *n, tocha_tensor *x) {
  x = tocha_relu(cx, tocha_module_call(cx, n->layers[0], x));
  x = tocha_relu(cx, tocha_module_call(cx, n->layers[1], x));
  return tocha_module_call(cx, n->layers[2], x);
}

static tocha_optimizer *new_optimizer(const net *n) {
  tocha_optimizer *optimizer = tocha_optimizer_new(cx, tocha_find_optimizer_class("SGD"), NULL);
  tocha_tensor *parameters[2 * LAYERS];
  for (int i = 0; i < LAYERS; i++) {
    parameters[2 * i] = tocha_get_parameter(cx, n->layers[i], "weight");
    parameters[2 * i + 1] = tocha_get_parameter(cx, n->layers[i], "bias");
  }
  tocha_optimizer_add_group(cx, optimizer, 2 * LAYERS, parameters, NULL);
  return optimizer;
}

static void train(long passes) {
  const tocha_scope all = tocha_scope_begin(cx);
  net n = new_net();
  tocha_optimizer *optimizer = new_optimizer(&n);
  tocha_tensor *x = ones(40, 1), *y = ones(40, 1);
  for (long i = 0; i < passes; i++) {
    const tocha_scope scope = tocha_scope_begin(cx);
    tocha_tensor *loss = tocha_mse_loss(cx, run(&n, x), y, NULL, NULL, "mean", NULL);
    tocha_optimizer_zero_grad(cx, optimizer, true);
    tocha_backward(cx, loss, NULL, false, false);
    tocha_optimizer_step(cx, optimizer);
    tocha_scope_end(cx, scope, NULL);
  }
  tocha_optimizer_release(optimizer);
  free_net(&n);
  tocha_scope_end(cx, all, NULL);
  test();
}

static void forward(long passes) {
  const tocha_scope all = tocha_scope_begin(cx);
  net n = new_net();
  tocha_tensor *row = ones(1, 1);
  tocha_set_grad_enabled(cx, false);
  for (long i = 0; i < passes; i++) {
    const tocha_scope scope = tocha_scope_begin(cx);
    run(&n, row);
    tocha_scope_end(cx, scope, NULL);
  }
  tocha_set_grad_enabled(cx, true);
  free_net(&n);
  tocha_scope_end(cx, all, NULL);
  test();
}

static void print_tensor(void) {
  const tocha_scope scope = tocha_scope_begin(cx);
  char *text = tocha_to_string(cx, ones(3, 3));
  test();
  puts(text);
  tocha_free(text);
  tocha_scope_end(cx, scope, NULL);
}

int main(int count, char **words) {
  cx = tocha_open(NULL);
  if (!cx) return 1;
  tocha_set_threads(cx, 1);
  const host_case cases[] = {{"a + b, 3x3", add},
                             {"a + b, 3x3, recorded", recorded},
                             {"training step, 1-10-10-1, 40 rows", train},
                             {"forward, 1-10-10-1, one row", forward}};
  if (host_measures(count, words))
    host_measure(cases, sizeof cases / sizeof *cases);
  else
    print_tensor();
  host_show_memory(count, words);
  tocha_close(cx);
  return 0;
}
