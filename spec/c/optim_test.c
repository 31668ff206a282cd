/* optim_test.c: trainings in C that are saved and gone on with: checkpoints of PyTorch (spec/golden/optimizers.py) and our
 * own, groups and their numbers, messages. `optim_test FILE` writes a checkpoint that optimizers.py --check reads.
 * Runs in the repository's root. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "tocha/tocha.h"

enum { HALF = 3, END = 6 };

static bool fails_with(tocha_context *cx, tocha_error_code code, const char *message) {
  const tocha_error_info *e = tocha_error(cx);
  bool same = e->code == code && strncmp(e->message, message, strlen(message)) == 0;
  if (!same) printf("# %d %s\n", (int)e->code, e->message);
  tocha_clear_error(cx);
  return same;
}

/* --- a training ------------------------------------------------------------------------------------------ */

/* Parameters in two groups, with the second's rate 0.02, and StepLR(2, 0.5). */
typedef struct training {
  tocha_module *model;
  tocha_optimizer *optimizer;
  tocha_scheduler *scheduler;
  int64_t epoch;
} training;

static tocha_tensor *parameter_of(training *t, const char *name) {
  return tocha_module_tensor(t->model, TOCHA_MEMBER_PARAMETER, strcmp(name, "bias") == 0);
}

static bool start(tocha_context *cx, training *t, const char *class_name) {
  const float weight[] = {1, -2, 0.5F, 3}, bias[] = {0.25F, -0.75F};
  const int64_t sizes[] = {2, 2};
  const tocha_optimizer_class *class = tocha_find_optimizer_class(class_name);
  tocha_step_lr_options schedule = tocha_step_lr_defaults(2);
  schedule.gamma = 0.5;
  *t = (training){.model = tocha_module_new(cx, NULL, "Net"),
                  .optimizer = tocha_optimizer_new(cx, class, NULL)};
  tocha_tensor *parameters[] = {tocha_from_values(cx, weight, 2, sizes, TOCHA_FLOAT32),
                                tocha_from_values(cx, bias, 1, sizes, TOCHA_FLOAT32)};
  bool ok =
      tocha_register_parameter(cx, t->model, "weight",
                               tocha_parameter_new(cx, parameters[0], true)) &&
      tocha_register_parameter(cx, t->model, "bias", tocha_parameter_new(cx, parameters[1], true));
  parameters[0] = parameter_of(t, "weight");
  parameters[1] = parameter_of(t, "bias");
  ok = ok && tocha_optimizer_add_group(cx, t->optimizer, 1, &parameters[0], NULL) &&
       tocha_optimizer_add_group(cx, t->optimizer, 1, &parameters[1], NULL) &&
       tocha_optimizer_set_number(cx, t->optimizer, 1, "lr", tocha_float(0.02));
  t->scheduler = ok ? tocha_optim_step_lr(cx, t->optimizer, &schedule) : NULL;
  return t->scheduler != NULL;
}

static void finish_training(training *t) {
  tocha_scheduler_release(t->scheduler);
  tocha_optimizer_release(t->optimizer);
  tocha_module_release(t->model);
}

/* Makes the steps up to epoch `stop`, of the loss (epoch + 1) * sum(w * w). */
static bool train(tocha_context *cx, training *t, int64_t stop) {
  bool ok = true;
  for (; ok && t->epoch < stop; t->epoch++) {
    tocha_scope scope = tocha_scope_begin(cx);
    tocha_tensor *w = parameter_of(t, "weight"), *b = parameter_of(t, "bias");
    tocha_tensor *sum =
        tocha_add(cx, tocha_sum(cx, tocha_mul(cx, w, w)), tocha_sum(cx, tocha_mul(cx, b, b)));
    tocha_tensor *loss = tocha_mul_full(cx, sum, tocha_number(tocha_float((double)t->epoch + 1)));
    ok = tocha_optimizer_zero_grad(cx, t->optimizer, true) &&
         tocha_backward(cx, loss, NULL, false, false) && tocha_optimizer_step(cx, t->optimizer) &&
         tocha_scheduler_step(cx, t->scheduler);
    tocha_scope_end(cx, scope, NULL);
  }
  return ok;
}

/* --- checkpoints ------------------------------------------------------------------------------------------ */

static bool set(tocha_checkpoint *c, tocha_value *dict, const char *name, const tocha_value *item) {
  return tocha_value_set(c, dict, tocha_new_string(c, name, strlen(name)), item);
}

static tocha_value *model_state(tocha_context *cx, tocha_checkpoint *c, training *t) {
  tocha_state_dict *dict = tocha_module_state_dict(cx, t->model, "", false);
  tocha_value *value = tocha_new_state_dict(c, dict);
  tocha_state_dict_release(dict);
  return value;
}

/* Returns {"model", "optimizer", "scheduler", "epoch"}. */
static tocha_value *save(tocha_context *cx, tocha_checkpoint *c, training *t) {
  tocha_value *dict = tocha_new_collection(c, TOCHA_VALUE_DICT);
  bool ok = set(c, dict, "model", model_state(cx, c, t)) &&
            set(c, dict, "optimizer", tocha_optimizer_state_dict(c, t->optimizer)) &&
            set(c, dict, "scheduler", tocha_scheduler_state_dict(c, t->scheduler)) &&
            set(c, dict, "epoch", tocha_new_int(c, t->epoch));
  return ok ? dict : NULL;
}

static bool load(tocha_context *cx, const tocha_value *saved, training *t) {
  tocha_state_dict *dict = tocha_value_state_dict(cx, tocha_value_find(saved, "model"));
  bool ok =
      tocha_module_load_state_dict(cx, t->model, dict, true, false, NULL, NULL) &&
      tocha_optimizer_load_state_dict(cx, t->optimizer, tocha_value_find(saved, "optimizer")) &&
      tocha_scheduler_load_state_dict(cx, t->scheduler, tocha_value_find(saved, "scheduler"));
  tocha_state_dict_release(dict);
  t->epoch = tocha_value_int(tocha_value_find(saved, "epoch"));
  return ok;
}

/* Returns the largest difference of the parameters from those in a dict. */
static double difference(training *t, const tocha_value *expected) {
  double largest = 0;
  const char *const names[] = {"weight", "bias"};
  for (int k = 0; k < 2; k++) {
    const float *x = tocha_data(parameter_of(t, names[k]));
    const float *y = tocha_data(tocha_value_tensor(tocha_value_find(expected, names[k])));
    for (int i = 0; i < (k ? 2 : 4); i++) largest = fmax(largest, y ? fabs(x[i] - y[i]) : INFINITY);
  }
  return largest;
}

/* Goes on with PyTorch's checkpoints of every class, whose options come from the checkpoint. */
static void test_pytorch(tocha_context *cx) {
  tocha_checkpoint *c = tocha_load(cx, "spec/golden/optimizers.pt", NULL);
  int known = 0;
  CHECK(c != NULL);
  for (int i = 0; tocha_optimizer_class_at(i); i++) {
    const char *name = tocha_optimizer_class_name(tocha_optimizer_class_at(i));
    const tocha_value *saved = tocha_value_find(tocha_checkpoint_root(c), name);
    training t;
    known += saved != NULL;
    CHECK(saved && start(cx, &t, name) && load(cx, saved, &t) && t.epoch == HALF);
    if (tocha_failed(cx)) {
      printf("# %s: %s\n", name, tocha_error(cx)->message);
      break;
    }
    CHECK(train(cx, &t, END));
    double worst = difference(&t, tocha_value_find(saved, "after"));
    if (worst > 1e-6) printf("# %s differs by %g\n", name, worst);
    CHECK(worst <= 1e-6);
    finish_training(&t);
  }
  CHECK(known == (int)tocha_value_count(tocha_checkpoint_root(c)));
  tocha_checkpoint_free(c);
}

/* A training that is saved and loaded in the middle ends with the bits of one that is not. Writes all to `path` unless
 * that is NULL, for PyTorch to go on with. */
static void test_resuming(tocha_context *cx, const char *path) {
  tocha_checkpoint *all = tocha_checkpoint_new(cx);
  tocha_value *root = tocha_new_collection(all, TOCHA_VALUE_DICT);
  for (int i = 0; tocha_optimizer_class_at(i); i++) {
    const char *name = tocha_optimizer_class_name(tocha_optimizer_class_at(i));
    tocha_checkpoint *c = tocha_checkpoint_new(cx);
    training whole, resumed;
    size_t length;
    CHECK(start(cx, &whole, name) && train(cx, &whole, HALF));
    CHECK(tocha_checkpoint_set_root(c, save(cx, c, &whole)));
    char *bytes = tocha_save_bytes(cx, c, TOCHA_FORMAT_ZIP, &length);
    CHECK(train(cx, &whole, END));
    tocha_checkpoint *loaded = tocha_load_bytes(cx, bytes, length, NULL);
    CHECK(start(cx, &resumed, name) && load(cx, tocha_checkpoint_root(loaded), &resumed));
    tocha_value *saved = save(cx, all, &resumed), *after = model_state(cx, all, &whole);
    CHECK(set(all, saved, "after", after) && set(all, root, name, saved));
    CHECK(!path || tocha_checkpoint_set_root(all, root));
    CHECK(path || train(cx, &resumed, END)); /* `all` shares the memory */
    CHECK(path || difference(&resumed, after) == 0);
    tocha_checkpoint_free(loaded);
    tocha_free(bytes);
    tocha_checkpoint_free(c);
    finish_training(&whole);
    finish_training(&resumed);
  }
  CHECK(!path || tocha_save(cx, all, path, TOCHA_FORMAT_ZIP));
  tocha_checkpoint_free(all);
}

/* --- groups ------------------------------------------------------------------------------------------------ */

static void test_numbers(tocha_context *cx) {
  training t;
  tocha_scalar number = {0};
  CHECK(start(cx, &t, "Adam"));
  CHECK(tocha_optimizer_set_number(cx, t.optimizer, 1, "weight_decay", tocha_float(0.25)));
  CHECK(tocha_optimizer_number(cx, t.optimizer, 1, "weight_decay", &number) &&
        tocha_scalar_real(number) == 0.25);
  CHECK(tocha_optimizer_number(cx, t.optimizer, 1, "initial_lr", &number) &&
        tocha_scalar_real(number) == 0.02);
  CHECK(tocha_optimizer_field_count(t.optimizer, 0) == 1 &&
        strcmp(tocha_optimizer_field_name(t.optimizer, 0, 0), "initial_lr") == 0);
  for (int i = 0; i < 10; i++) {
    char name[2] = {(char)('a' + i), 0};
    CHECK(tocha_optimizer_set_number(cx, t.optimizer, 0, name, tocha_int(i)));
  }
  CHECK(tocha_optimizer_remove_field(t.optimizer, 0, "c") &&
        !tocha_optimizer_remove_field(t.optimizer, 0, "c"));
  CHECK(tocha_optimizer_number(cx, t.optimizer, 0, "j", &number) && number.value.integer == 9);
  CHECK(tocha_optimizer_field_count(t.optimizer, 0) == 10);
  CHECK(!tocha_optimizer_number(cx, t.optimizer, 0, "momentum", &number) &&
        fails_with(cx, TOCHA_KEY_ERROR, "'momentum'"));
  CHECK(!tocha_optimizer_set_number(cx, t.optimizer, 0, "betas", tocha_int(1)) &&
        fails_with(cx, TOCHA_TYPE_ERROR, "optimizer option 'betas' is not a number"));
  CHECK(!tocha_optimizer_number(cx, t.optimizer, 2, "lr", &number) &&
        fails_with(cx, TOCHA_INDEX_ERROR, "list index out of range"));
  finish_training(&t);
}

/* Constructors with option structs: the defaults are the class's, what is given is checked. */
static void test_constructors(tocha_context *cx) {
  tocha_tensor *p = tocha_set_requires_grad(cx, tocha_ones(cx, 0, NULL), true);
  tocha_optimizer *standard = tocha_optim_adam(cx, 1, &p, NULL);
  const tocha_optimizer_class *adam = tocha_find_optimizer_class("Adam");
  tocha_optimizer *made = tocha_optimizer_new(cx, adam, NULL);
  tocha_adam_options options = tocha_adam_defaults();
  CHECK(tocha_optimizer_add_group(cx, made, 1, &p, NULL));
  char *a = tocha_optimizer_to_string(cx, standard), *b = tocha_optimizer_to_string(cx, made);
  CHECK(a && b && strcmp(a, b) == 0);
  tocha_free(a);
  tocha_free(b);
  options.betas[1] = 0.5;
  options.amsgrad = true;
  tocha_optimizer *own = tocha_optim_adam(cx, 1, &p, &options);
  CHECK(own && tocha_scalar_real(tocha_optimizer_option(own, 0, "betas")->second) == 0.5 &&
        tocha_optimizer_option(own, 0, "amsgrad")->first.value.integer);
  options.lr = -1;
  CHECK(!tocha_optim_adam(cx, 1, &p, &options) &&
        fails_with(cx, TOCHA_VALUE_ERROR, "Invalid learning rate: -1.0"));
  CHECK(!tocha_optim_adam(cx, 0, NULL, NULL) &&
        fails_with(cx, TOCHA_VALUE_ERROR, "optimizer got an empty parameter list"));
  options.struct_size = 0;
  CHECK(!tocha_optim_adam(cx, 1, &p, &options) &&
        fails_with(cx, TOCHA_TYPE_ERROR, "Adam.__init__() got no options"));
  tocha_optimizer_release(standard);
  tocha_optimizer_release(made);
  tocha_optimizer_release(own);
}

/* A parameter that occurs twice in a group has one number and one state. */
static void test_duplicates(tocha_context *cx) {
  const int64_t two = 2;
  tocha_tensor *p = tocha_set_requires_grad(cx, tocha_ones(cx, 1, &two), true);
  tocha_tensor *parameters[] = {p, p};
  tocha_optimizer *o = tocha_optimizer_new(cx, tocha_find_optimizer_class("Adagrad"), NULL);
  CHECK(tocha_optimizer_add_group(cx, o, 2, parameters, NULL));
  CHECK(tocha_backward(cx, tocha_sum(cx, p), NULL, false, false) && tocha_optimizer_step(cx, o));
  tocha_checkpoint *c = tocha_checkpoint_new(cx);
  tocha_value *dict = tocha_optimizer_state_dict(c, o);
  const tocha_value *group = tocha_value_item(tocha_value_find(dict, "param_groups"), 0);
  const tocha_value *numbers = tocha_value_find(group, "params");
  CHECK(tocha_value_count(tocha_value_find(dict, "state")) == 1);
  CHECK(tocha_value_count(numbers) == 2 && tocha_value_int(tocha_value_item(numbers, 1)) == 0);
  CHECK(tocha_optimizer_load_state_dict(cx, o, dict));
  CHECK(*(float *)tocha_data(tocha_optimizer_state(o, 0, 0, 0)) == 2);
  tocha_checkpoint_free(c);
  tocha_optimizer_release(o);
}

/* State dicts of something else are refused in PyTorch's words, and change nothing. */
static void test_messages(tocha_context *cx) {
  training adam, sgd, grown;
  tocha_tensor *more = tocha_set_requires_grad(cx, tocha_ones(cx, 0, NULL), true);
  tocha_checkpoint *c = tocha_checkpoint_new(cx);
  CHECK(start(cx, &adam, "Adam") && start(cx, &sgd, "SGD") && start(cx, &grown, "Adam"));
  CHECK(train(cx, &adam, 2) && train(cx, &grown, 2));
  const tocha_value *of_adam = tocha_optimizer_state_dict(c, adam.optimizer);
  CHECK(!tocha_optimizer_load_state_dict(cx, sgd.optimizer, of_adam) &&
        strstr(tocha_error(cx)->hint, "of another kind of optimizer") &&
        fails_with(cx, TOCHA_KEY_ERROR, "momentum"));
  CHECK(tocha_optimizer_add_group(cx, grown.optimizer, 1, &more, NULL));
  CHECK(!tocha_optimizer_load_state_dict(cx, grown.optimizer, of_adam) &&
        fails_with(cx, TOCHA_VALUE_ERROR,
                   "loaded state dict has a different number of parameter groups"));
  CHECK(!tocha_optimizer_load_state_dict(cx, adam.optimizer, model_state(cx, c, &adam)) &&
        fails_with(cx, TOCHA_KEY_ERROR, "param_groups"));
  CHECK(!tocha_optimizer_load_state_dict(cx, adam.optimizer, tocha_new_int(c, 3)) &&
        fails_with(cx, TOCHA_ATTRIBUTE_ERROR, "'int' object has no attribute 'copy'"));
  tocha_optimizer *one = tocha_optimizer_new(cx, tocha_find_optimizer_class("Adam"), NULL);
  tocha_tensor *parameters[] = {parameter_of(&adam, "weight"), parameter_of(&adam, "bias")};
  CHECK(tocha_optimizer_add_group(cx, one, 2, parameters, NULL));
  CHECK(tocha_optimizer_add_group(cx, one, 1, &more, NULL));
  CHECK(!tocha_optimizer_load_state_dict(cx, one, of_adam) &&
        fails_with(cx, TOCHA_VALUE_ERROR,
                   "loaded state dict contains a parameter group that doesn't match the size"));
  CHECK(!tocha_optimizer_load_state_dict(cx, adam.optimizer, NULL) &&
        fails_with(cx, TOCHA_ATTRIBUTE_ERROR, "'NoneType' object has no attribute 'copy'"));
  CHECK(!tocha_scheduler_load_state_dict(cx, adam.scheduler, tocha_new_int(c, 3)) &&
        fails_with(cx, TOCHA_TYPE_ERROR, "'int' object is not iterable"));
  tocha_optimizer_release(one);
  tocha_checkpoint_free(c);
  finish_training(&adam);
  finish_training(&sgd);
  finish_training(&grown);
}

int main(int count, char **arguments) {
  tocha_context *cx = tocha_open(NULL);
  tocha_scope scope = tocha_scope_begin(cx);
  if (count > 1) {
    test_resuming(cx, arguments[1]);
  } else {
    test_pytorch(cx);
    test_resuming(cx, NULL);
    test_numbers(cx);
    test_constructors(cx);
    test_duplicates(cx);
    test_messages(cx);
  }
  CHECK(!tocha_failed(cx));
  tocha_scope_end(cx, scope, NULL);
  tocha_close(cx);
  return finish();
}
