/* training.c: a network learns to tell three species of iris apart, with Adam, in batches. Half way it is written to iris.pt,
 * which PyTorch opens, and another network goes on from there. */
#include <stdio.h>
#include <stdlib.h>
#include <tocha/tocha.h>

enum { FLOWERS = 150, FEATURES = 4, SPECIES = 3, LEARNED_FROM = 120, BATCH = 20 };

/* Flowers: x (N, 4), labels y (N). */
typedef struct flowers {
  tocha_tensor *x, *y;
} flowers;

/* Reads iris.csv: four numbers and a label a line. */
static bool read_flowers(tocha_context *cx, flowers *out) {
  static float x[FLOWERS][FEATURES];
  static int64_t y[FLOWERS];
  const int64_t size[] = {FLOWERS, FEATURES};
  FILE *file = fopen("iris.csv", "r");
  if (!file) return tocha_fail(cx, TOCHA_FILE_NOT_FOUND_ERROR, "iris.csv cannot be opened");
  int row = 0, label;
  while (row < FLOWERS && fscanf(file, "%f,%f,%f,%f,%d", &x[row][0], &x[row][1], &x[row][2],
                                 &x[row][3], &label) == 5)
    y[row++] = label;
  fclose(file);
  if (row < FLOWERS)
    return tocha_fail(cx, TOCHA_VALUE_ERROR, "iris.csv: line %d is wrong", row + 1);
  out->x = tocha_from_values(cx, x, 2, size, TOCHA_FLOAT32);
  out->y = tocha_from_values(cx, y, 1, size, TOCHA_INT64);
  return out->x && out->y;
}

/* Returns some of the flowers: those that `order` names from `first` on. */
static flowers select_flowers(tocha_context *cx, flowers all, tocha_tensor *order, int64_t first,
                              int64_t count) {
  tocha_tensor *numbers = tocha_narrow(cx, order, 0, first, count);
  flowers some = {tocha_index_select(cx, all.x, 0, numbers),
                  tocha_index_select(cx, all.y, 0, numbers)};
  return some;
}

/* A network and what trains it. */
typedef struct trainer {
  tocha_module *net, *loss_function;
  tocha_optimizer *adam;
} trainer;

static trainer make_trainer(tocha_context *cx) {
  tocha_linear_options hidden = tocha_linear_defaults(FEATURES, 16);
  tocha_linear_options output = tocha_linear_defaults(16, SPECIES);
  tocha_cross_entropy_loss_options loss = tocha_cross_entropy_loss_defaults();
  trainer t = {tocha_nn_sequential(cx), tocha_nn_cross_entropy_loss_with(cx, &loss),
               tocha_optimizer_new(cx, tocha_find_optimizer_class("Adam"), NULL)};
  tocha_module_add_child(cx, t.net, NULL, tocha_nn_linear_with(cx, &hidden));
  tocha_module_add_child(cx, t.net, NULL, tocha_nn_tanh(cx));
  tocha_module_add_child(cx, t.net, NULL, tocha_nn_linear_with(cx, &output));
  tocha_tensors parameters;
  if (tocha_module_parameters(cx, t.net, &parameters) &&
      tocha_optimizer_add_group(cx, t.adam, parameters.count, parameters.items, NULL))
    tocha_optimizer_set_learning_rate(t.adam, 0, 0.01);
  tocha_tensors_free(cx, &parameters);
  return t;
}

static void free_trainer(trainer t) {
  tocha_optimizer_release(t.adam);
  tocha_module_release(t.loss_function);
  tocha_module_release(t.net);
}

/* Learns from one batch and returns its loss. */
static double train_step(tocha_context *cx, trainer t, tocha_tensor *x, tocha_tensor *y) {
  tocha_scalar value = tocha_float(0);
  tocha_tensor *logits = tocha_module_call(cx, t.net, x);
  tocha_tensor *loss = tocha_module_forward(cx, t.loss_function, 2, (tocha_tensor *[]){logits, y});
  tocha_optimizer_zero_grad(cx, t.adam, true);
  if (tocha_backward(cx, loss, NULL, false, false) && tocha_optimizer_step(cx, t.adam))
    tocha_item(cx, loss, &value);
  return tocha_scalar_real(value);
}

/* Learns from every flower once, in a new order. Returns the mean loss. */
static double train_epoch(tocha_context *cx, trainer t, tocha_data_loader *loader) {
  double total = 0;
  for (bool more = true; more;) {
    tocha_tensor *batch[2];
    tocha_scope step = tocha_scope_begin(cx);
    more = tocha_data_loader_next(cx, loader, batch);
    if (more) total += train_step(cx, t, batch[0], batch[1]);
    tocha_scope_end(cx, step, NULL); /* the tensors of this step are freed */
  }
  return total / (double)tocha_data_loader_length(loader);
}

/* Returns how many of the flowers the network names rightly. */
static int64_t count_right(tocha_context *cx, tocha_module *net, flowers test) {
  const int64_t species = 1;
  tocha_scope scope = tocha_scope_begin(cx);
  bool grad = tocha_set_grad_enabled(cx, false);
  tocha_scalar right = tocha_int(0);
  tocha_tensor *named = tocha_argmax(cx, tocha_module_call(cx, net, test.x), &species, false);
  tocha_item(cx, tocha_sum(cx, tocha_eq(cx, named, test.y)), &right);
  tocha_set_grad_enabled(cx, grad);
  tocha_scope_end(cx, scope, NULL);
  return right.value.integer;
}

/* Writes a dict with the keys "model", "optimizer" and "epoch", as torch.save does. */
static bool save(tocha_context *cx, tocha_module *net, tocha_optimizer *adam, int epoch) {
  tocha_checkpoint *file = tocha_checkpoint_new(cx);
  tocha_value *root = tocha_new_collection(file, TOCHA_VALUE_DICT);
  tocha_state_dict *weights = tocha_module_state_dict(cx, net, "", false);
  bool ok =
      tocha_value_set_named(file, root, "model", tocha_new_state_dict(file, weights)) &&
      tocha_value_set_named(file, root, "optimizer", tocha_optimizer_state_dict(file, adam)) &&
      tocha_value_set_named(file, root, "epoch", tocha_new_int(file, epoch)) &&
      tocha_checkpoint_set_root(file, root) && tocha_save(cx, file, "iris.pt", TOCHA_FORMAT_ZIP);
  tocha_state_dict_release(weights);
  tocha_checkpoint_free(file);
  return ok;
}

/* Goes on from such a file. Returns the epoch that it was written after. */
static int64_t load(tocha_context *cx, tocha_module *net, tocha_optimizer *adam) {
  tocha_checkpoint *file = tocha_load(cx, "iris.pt", NULL);
  const tocha_value *root = tocha_checkpoint_root(file);
  tocha_module_load_value(cx, net, tocha_value_find(root, "model"), true);
  tocha_optimizer_load_state_dict(cx, adam, tocha_value_find(root, "optimizer"));
  int64_t epoch = tocha_value_int(tocha_value_find(root, "epoch"));
  tocha_checkpoint_free(file);
  return epoch;
}

/* Trains from the epoch after `done` up to `last`. */
static void train(tocha_context *cx, trainer t, tocha_data_loader *loader, flowers unseen,
                  int64_t done, int64_t last) {
  for (int64_t epoch = done + 1; epoch <= last && !tocha_failed(cx); epoch++) {
    double loss = train_epoch(cx, t, loader);
    if (epoch % 10 == 0)
      printf("epoch %2d  loss %.3f  right %2d of %d\n", (int)epoch, loss,
             (int)count_right(cx, t.net, unseen), FLOWERS - LEARNED_FROM);
  }
}

int main(void) {
  char message[1024];
  flowers all;
  tocha_context *cx = tocha_open(NULL);
  if (!cx) return EXIT_FAILURE;
  tocha_manual_seed(cx, 0);
  trainer first = make_trainer(cx), second = {0};
  tocha_data_loader *loader = NULL;
  if (read_flowers(cx, &all)) {
    tocha_tensor *order = tocha_randperm(cx, FLOWERS);
    flowers seen = select_flowers(cx, all, order, 0, LEARNED_FROM);
    flowers unseen = select_flowers(cx, all, order, LEARNED_FROM, FLOWERS - LEARNED_FROM);
    tocha_data_options data = {.parts = 2,
                               .tensors = (tocha_tensor *[]){seen.x, seen.y},
                               .batch_size = BATCH,
                               .shuffle = true};
    loader = tocha_data_loader_new(cx, &data);
    train(cx, first, loader, unseen, 0, 20);
    if (save(cx, first.net, first.adam, 20)) puts("iris.pt is written");

    second = make_trainer(cx);
    train(cx, second, loader, unseen, load(cx, second.net, second.adam), 40);
  }
  int status = tocha_failed(cx) ? EXIT_FAILURE : EXIT_SUCCESS;
  if (status) fprintf(stderr, "%s\n", tocha_error_text(cx, message, sizeof message));
  tocha_data_loader_free(loader);
  free_trainer(first);
  free_trainer(second);
  tocha_close(cx);
  return status;
}
