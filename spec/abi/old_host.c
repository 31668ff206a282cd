/* old_host.c: a program that is compiled once and then runs with a later library (evolve.lua): constructors of every kind, option
 * structs, optimizers, a scheduler, calls by name, lists of results, a checkpoint. What it prints must stay. */
#include <stdio.h>
#include <string.h>
#include <tocha/tocha.h>

static void show_text(tocha_context *cx, char *text) {
  printf("%s\n", text ? text : tocha_error(cx)->message);
  tocha_free(text);
}

static void show(tocha_context *cx, const tocha_tensor *tensor) { show_text(cx, tocha_to_string(cx, tensor)); }

static tocha_module *network(tocha_context *cx) {
  const int64_t three = 3, one = 1;
  tocha_module *net = tocha_nn_sequential(cx);
  tocha_conv2d_options conv = tocha_conv2d_defaults(1, 4, 3);
  conv.padding = tocha_ints_of(1);
  tocha_module *parts[] = {
      tocha_nn_conv2d_with(cx, &conv),
      tocha_nn_conv2d(cx, 4, 4, 1, &three, 1, &one, 1, &one, 1, &one, 2, true, "zeros", tocha_cpu(), TOCHA_FLOAT32),
      tocha_nn_relu(cx, false),
      tocha_nn_flatten(cx, 1, -1),
      tocha_nn_linear(cx, 64, 3, true, tocha_cpu(), TOCHA_FLOAT32),
  };
  for (int i = 0; i < 5; i++) {
    char name[8];
    snprintf(name, sizeof name, "%d", i);
    tocha_register_module(cx, net, name, parts[i]);
    tocha_module_release(parts[i]);
  }
  return net;
}

static double train(tocha_context *cx, tocha_module *net, tocha_optimizer *optimizer, tocha_scheduler *scheduler) {
  const int64_t sizes[] = {8, 1, 4, 4}, count = 8;
  tocha_scalar loss = tocha_float(0);
  for (int i = 0; i < 10; i++) {
    tocha_scope scope = tocha_scope_begin(cx);
    tocha_tensor *x = tocha_randn(cx, 4, sizes);
    tocha_tensor *y = tocha_randint(cx, 0, 3, 1, &count);
    tocha_tensor *error = tocha_cross_entropy(cx, tocha_module_call(cx, net, x), y, NULL, NULL, -100, NULL, "mean", 0);
    tocha_optimizer_zero_grad(cx, optimizer, true);
    tocha_backward(cx, error, NULL, false, false);
    tocha_optimizer_step(cx, optimizer);
    if (scheduler) tocha_scheduler_step(cx, scheduler);
    tocha_item(cx, error, &loss);
    tocha_scope_end(cx, scope, NULL);
  }
  return tocha_scalar_real(loss);
}

/* Calls an operator by its name, with the defaults that its declaration has. */
static void call_by_name(tocha_context *cx, const char *name, tocha_tensor *x) {
  const tocha_op *op = tocha_find_operator(name);
  tocha_arg args[TOCHA_MAX_PARAMETERS];
  tocha_results results;
  memset(args, 0, sizeof args);
  for (int i = 0; op && i < op->parameter_count; i++) args[i] = op->parameters[i].default_value;
  args[0].tensor = x;
  args[0].given = true;
  if (tocha_call(cx, op, args, &results)) show(cx, results.tensors[0]);
}

int main(void) {
  tocha_context *cx = tocha_open(&(tocha_options){.threads = 1});
  tocha_manual_seed(cx, 0);
  tocha_module *net = network(cx);
  show_text(cx, tocha_module_to_string(cx, net));
  tocha_tensors parameters;
  tocha_module_parameters(cx, net, &parameters);
  tocha_sgd_options sgd = tocha_sgd_defaults();
  sgd.lr = 0.05;
  sgd.momentum = 0.9;
  tocha_optimizer *first = tocha_optim_sgd(cx, parameters.count, parameters.items, &sgd);
  tocha_optimizer *second = tocha_optimizer_new(cx, tocha_find_optimizer_class("Adam"), NULL);
  tocha_optimizer_add_group(cx, second, parameters.count, parameters.items, NULL);
  tocha_step_lr_options steps = tocha_step_lr_defaults(4);
  tocha_scheduler *scheduler = tocha_optim_step_lr(cx, first, &steps);
  printf("%.9g %.9g\n", train(cx, net, first, scheduler), train(cx, net, second, NULL));
  printf("%.9g %.9g\n", tocha_optimizer_learning_rate(first, 0), tocha_optimizer_learning_rate(second, 0));

  const int64_t sizes[] = {2, 3};
  tocha_tensor *x = tocha_randn(cx, 2, sizes);
  call_by_name(cx, "exp", x);
  call_by_name(cx, "softmax.int", x); /* dim lacks a default: an error */
  tocha_clear_error(cx);
  tocha_tensors rows = {0};
  if (tocha_unbind(cx, x, 0, &rows)) show(cx, rows.items[1]);
  tocha_tensors_free(cx, &rows);
  show(cx, tocha_sum_full(cx, x, TOCHA_FLOAT64));

  tocha_checkpoint *file = tocha_checkpoint_new(cx);
  tocha_checkpoint_set_root(file, tocha_optimizer_state_dict(file, second));
  printf("%d %d\n", tocha_failed(cx), TOCHA_BUFFER_ERROR);
  tocha_checkpoint_free(file);
  tocha_scheduler_release(scheduler);
  tocha_optimizer_release(first);
  tocha_optimizer_release(second);
  tocha_tensors_free(cx, &parameters);
  tocha_module_release(net);
  tocha_close(cx);
  return 0;
}
