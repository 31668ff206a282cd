/* scheduler_test.c: learning-rate schedulers of C: fifty epochs of each, to the bit, beside what PyTorch printed for
 * spec/golden/schedulers/epochs.lua; state dicts, steps to an epoch and messages, beside states.lua. Runs in the
 * repository's root. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "tocha/tocha.h"

enum { EPOCHS = 50 };

static tocha_tensor *new_parameter(tocha_context *cx) {
  const int64_t one = 1;
  return tocha_set_requires_grad(cx, tocha_ones(cx, 1, &one), true);
}

/* Returns an optimizer of one group with each of the rates. */
static tocha_optimizer *new_optimizer(tocha_context *cx, const char *name, int groups,
                                      const double *rates) {
  tocha_optimizer *o = tocha_optimizer_new(cx, tocha_find_optimizer_class(name), NULL);
  for (int g = 0; g < groups; g++) {
    tocha_tensor *p = new_parameter(cx);
    CHECK(tocha_optimizer_add_group(cx, o, 1, &p, NULL));
    tocha_optimizer_set_learning_rate(o, g, rates[g]);
    if (strcmp(name, "SGD") == 0)
      CHECK(tocha_optimizer_set_number(cx, o, g, "momentum", tocha_float(0.9)));
  }
  return o;
}

static bool fails_with(tocha_context *cx, tocha_error_code code, const char *message) {
  const tocha_error_info *e = tocha_error(cx);
  bool same = e->code == code && strncmp(e->message, message, strlen(message)) == 0;
  if (!same) printf("# %d %s\n", (int)e->code, e->message ? e->message : "no error");
  tocha_clear_error(cx);
  return same;
}

/* --- functions of the epoch -------------------------------------------------------------------------- */

static bool power(tocha_context *cx, void *user, int64_t epoch, double *factor) {
  (void)cx;
  *factor = pow(*(const double *)user, (double)epoch);
  return true;
}

static bool inverse(tocha_context *cx, void *user, int64_t epoch, double *factor) {
  (void)cx;
  (void)user;
  *factor = 1 / ((double)epoch + 1);
  return true;
}

static bool constant(tocha_context *cx, void *user, int64_t epoch, double *factor) {
  (void)cx;
  (void)epoch;
  *factor = *(const double *)user;
  return true;
}

static double ninety_five = 0.95, ninety = 0.9;

static tocha_scheduler *lambda(tocha_context *cx, tocha_optimizer *o) {
  const tocha_rate_function f = {power, &ninety_five, NULL};
  return tocha_optim_lambda_lr(cx, o, 1, &f, -1);
}
static tocha_scheduler *lambda_list(tocha_context *cx, tocha_optimizer *o) {
  const tocha_rate_function f[] = {{inverse, NULL, NULL}, {power, &ninety, NULL}};
  return tocha_optim_lambda_lr(cx, o, 2, f, -1);
}
static tocha_scheduler *multiplicative(tocha_context *cx, tocha_optimizer *o) {
  const tocha_rate_function f = {constant, &ninety_five, NULL};
  return tocha_optim_multiplicative_lr(cx, o, 1, &f, -1);
}

/* --- the others ---------------------------------------------------------------------------------------- */

static tocha_scheduler *step(tocha_context *cx, tocha_optimizer *o) {
  tocha_step_lr_options options = tocha_step_lr_defaults(7);
  options.gamma = 0.3;
  return tocha_optim_step_lr(cx, o, &options);
}
static tocha_scheduler *multi_step(tocha_context *cx, tocha_optimizer *o) {
  const int64_t milestones[] = {20, 5, 33, 20};
  tocha_multi_step_lr_options options = tocha_multi_step_lr_defaults(4, milestones);
  options.gamma = 0.2;
  return tocha_optim_multi_step_lr(cx, o, &options);
}
static tocha_scheduler *constant_by_default(tocha_context *cx, tocha_optimizer *o) {
  return tocha_optim_constant_lr(cx, o, NULL);
}
static tocha_scheduler *constant_of(tocha_context *cx, tocha_optimizer *o, double factor,
                                    int64_t total_iters) {
  tocha_constant_lr_options options = tocha_constant_lr_defaults();
  options.factor = factor;
  options.total_iters = total_iters;
  return tocha_optim_constant_lr(cx, o, &options);
}
static tocha_scheduler *constant_2(tocha_context *cx, tocha_optimizer *o) {
  return constant_of(cx, o, 0.7, 20);
}
static tocha_scheduler *linear(tocha_context *cx, tocha_optimizer *o) {
  return tocha_optim_linear_lr(cx, o, NULL);
}
static tocha_scheduler *linear_2(tocha_context *cx, tocha_optimizer *o) {
  tocha_linear_lr_options options = tocha_linear_lr_defaults();
  options.start_factor = 0.9;
  options.end_factor = 0.1;
  options.total_iters = 30;
  return tocha_optim_linear_lr(cx, o, &options);
}
static tocha_scheduler *exponential_of(tocha_context *cx, tocha_optimizer *o, double gamma) {
  tocha_exponential_lr_options options = tocha_exponential_lr_defaults(gamma);
  return tocha_optim_exponential_lr(cx, o, &options);
}
static tocha_scheduler *exponential(tocha_context *cx, tocha_optimizer *o) {
  return exponential_of(cx, o, 0.93);
}
static tocha_scheduler *polynomial(tocha_context *cx, tocha_optimizer *o) {
  tocha_polynomial_lr_options options = tocha_polynomial_lr_defaults();
  options.total_iters = 40;
  options.power = 1.7;
  return tocha_optim_polynomial_lr(cx, o, &options);
}
static tocha_scheduler *cosine_of(tocha_context *cx, tocha_optimizer *o, int64_t t_max,
                                  double eta_min) {
  tocha_cosine_annealing_lr_options options = tocha_cosine_annealing_lr_defaults(t_max);
  options.eta_min = eta_min;
  return tocha_optim_cosine_annealing_lr(cx, o, &options);
}
static tocha_scheduler *cosine(tocha_context *cx, tocha_optimizer *o) {
  return cosine_of(cx, o, 13, 0.01);
}
static tocha_scheduler *cosine_2(tocha_context *cx, tocha_optimizer *o) {
  return cosine_of(cx, o, 50, 0);
}
static tocha_scheduler *restarts_of(tocha_context *cx, tocha_optimizer *o, int64_t length,
                                    int64_t growth, double eta_min) {
  tocha_cosine_annealing_warm_restarts_options options =
      tocha_cosine_annealing_warm_restarts_defaults(length);
  options.T_mult = growth;
  options.eta_min = eta_min;
  return tocha_optim_cosine_annealing_warm_restarts(cx, o, &options);
}
static tocha_scheduler *restarts(tocha_context *cx, tocha_optimizer *o) {
  return restarts_of(cx, o, 5, 2, 0.001);
}
static tocha_scheduler *restarts_2(tocha_context *cx, tocha_optimizer *o) {
  return restarts_of(cx, o, 7, 1, 0);
}
static tocha_scheduler *cyclic(tocha_context *cx, tocha_optimizer *o) {
  tocha_cyclic_lr_options options = tocha_cyclic_lr_defaults(0.01, 0.3);
  options.step_size_up = 5;
  options.step_size_down = 9;
  return tocha_optim_cyclic_lr(cx, o, &options);
}
static tocha_scheduler *cyclic_2(tocha_context *cx, tocha_optimizer *o) {
  tocha_cyclic_lr_options options = tocha_cyclic_lr_defaults(0.01, 0.3);
  options.max_lr.count = 2;
  options.max_lr.items[1] = 0.4;
  options.step_size_up = 6;
  options.mode = "triangular2";
  return tocha_optim_cyclic_lr(cx, o, &options);
}
static tocha_scheduler *cyclic_3(tocha_context *cx, tocha_optimizer *o) {
  tocha_cyclic_lr_options options = tocha_cyclic_lr_defaults(0.01, 0.3);
  options.step_size_up = 6;
  options.mode = "exp_range";
  options.gamma = 0.97;
  options.cycle_momentum = false;
  return tocha_optim_cyclic_lr(cx, o, &options);
}
static tocha_scheduler *one_cycle(tocha_context *cx, tocha_optimizer *o) {
  tocha_one_cycle_lr_options options = tocha_one_cycle_lr_defaults(0.4);
  options.total_steps = 60;
  return tocha_optim_one_cycle_lr(cx, o, &options);
}
static tocha_scheduler *one_cycle_2(tocha_context *cx, tocha_optimizer *o) {
  tocha_one_cycle_lr_options options = tocha_one_cycle_lr_defaults(0.4);
  options.max_lr.count = 2;
  options.max_lr.items[1] = 0.2;
  options.epochs = 10;
  options.steps_per_epoch = 5;
  options.anneal_strategy = "linear";
  return tocha_optim_one_cycle_lr(cx, o, &options);
}
static tocha_scheduler *one_cycle_3(tocha_context *cx, tocha_optimizer *o) {
  tocha_one_cycle_lr_options options = tocha_one_cycle_lr_defaults(0.4);
  options.total_steps = 50;
  options.three_phase = true;
  options.pct_start = 0.4;
  options.div_factor = 10;
  options.final_div_factor = 100;
  return tocha_optim_one_cycle_lr(cx, o, &options);
}
static tocha_scheduler *plateau(tocha_context *cx, tocha_optimizer *o) {
  tocha_reduce_lr_on_plateau_options options = tocha_reduce_lr_on_plateau_defaults();
  options.patience = 3;
  options.factor = 0.5;
  return tocha_optim_reduce_lr_on_plateau(cx, o, &options);
}
static tocha_scheduler *plateau_2(tocha_context *cx, tocha_optimizer *o) {
  tocha_reduce_lr_on_plateau_options options = tocha_reduce_lr_on_plateau_defaults();
  options.mode = "max";
  options.patience = 2;
  options.threshold = 0.01;
  options.threshold_mode = "abs";
  options.cooldown = 4;
  options.min_lr = (tocha_floats){2, {0.01, 0.2}};
  return tocha_optim_reduce_lr_on_plateau(cx, o, &options);
}

/* Joins schedulers, one after the other with milestones, else all at once. Takes over the references to them. */
static tocha_scheduler *join(tocha_context *cx, tocha_optimizer *o, int count,
                             tocha_scheduler **inner, const int64_t *milestones) {
  tocha_scheduler *s = milestones ? tocha_optim_sequential_lr(cx, o, count, inner, milestones)
                                  : tocha_optim_chained_scheduler(cx, count, inner);
  for (int i = 0; i < count; i++) tocha_scheduler_release(inner[i]);
  return s;
}
static tocha_scheduler *chained(tocha_context *cx, tocha_optimizer *o) {
  tocha_scheduler *inner[] = {constant_of(cx, o, 0.1, 10), exponential_of(cx, o, 0.9)};
  return join(cx, o, 2, inner, NULL);
}
static tocha_scheduler *sequential(tocha_context *cx, tocha_optimizer *o) {
  tocha_scheduler *inner[] = {constant_of(cx, o, 0.1, 10), exponential_of(cx, o, 0.9),
                              cosine_of(cx, o, 10, 0)};
  return join(cx, o, 3, inner, (int64_t[]){10, 30});
}

/* --- fifty epochs -------------------------------------------------------------------------------------- */

typedef struct scheduler_case {
  const char *name;
  tocha_scheduler *(*make)(tocha_context *cx, tocha_optimizer *o);
  bool with_adam, takes_metric;
} scheduler_case;

static const scheduler_case cases[] = {{"LambdaLR", lambda, false, false},
                                       {"LambdaLR list", lambda_list, false, false},
                                       {"MultiplicativeLR", multiplicative, false, false},
                                       {"StepLR", step, false, false},
                                       {"MultiStepLR", multi_step, false, false},
                                       {"ConstantLR", constant_by_default, false, false},
                                       {"ConstantLR 2", constant_2, false, false},
                                       {"LinearLR", linear, false, false},
                                       {"LinearLR 2", linear_2, false, false},
                                       {"ExponentialLR", exponential, false, false},
                                       {"PolynomialLR", polynomial, false, false},
                                       {"CosineAnnealingLR", cosine, false, false},
                                       {"CosineAnnealingLR 2", cosine_2, false, false},
                                       {"CosineAnnealingWarmRestarts", restarts, false, false},
                                       {"CosineAnnealingWarmRestarts 2", restarts_2, false, false},
                                       {"CyclicLR", cyclic, false, false},
                                       {"CyclicLR 2", cyclic_2, true, false},
                                       {"CyclicLR 3", cyclic_3, false, false},
                                       {"OneCycleLR", one_cycle, false, false},
                                       {"OneCycleLR 2", one_cycle_2, true, false},
                                       {"OneCycleLR 3", one_cycle_3, false, false},
                                       {"ChainedScheduler", chained, false, false},
                                       {"SequentialLR", sequential, false, false},
                                       {"ReduceLROnPlateau", plateau, false, true},
                                       {"ReduceLROnPlateau 2", plateau_2, false, true}};
enum { CASES = sizeof cases / sizeof *cases };

static double bumpy(int epoch) {
  return epoch < 12 ? 1.0 / (epoch + 1) : 0.08 + 0.01 * (epoch % 3);
}

/* Reads the numbers of a line of the file that begins with "NAME EPOCH ". Returns false if there is no such
 * line. */
static bool find_line(const char *text, const char *name, int epoch, double *numbers) {
  char head[80];
  snprintf(head, sizeof head, "%s%s %d ", "\n", name, epoch);
  const char *at = strstr(text, head);
  if (!at) return false;
  char *next = (char *)at + strlen(head);
  for (int i = 0; i < 3; i++) numbers[i] = strtod(next, &next);
  return true;
}

/* Returns the momentum of group 0: the first of the betas if there are any. */
static double momentum_of(tocha_optimizer *o) {
  const tocha_option *betas = tocha_optimizer_option(o, 0, "betas");
  return tocha_scalar_real((betas ? betas : tocha_optimizer_option(o, 0, "momentum"))->first);
}

/* Saves and loads the states of a case, and returns its optimizer and scheduler made anew. */
static tocha_scheduler *reload(tocha_context *cx, const scheduler_case *c, tocha_scheduler *old,
                               tocha_optimizer **o) {
  size_t length;
  const double rates[] = {0.1, 0.5};
  tocha_checkpoint *saved = tocha_checkpoint_new(cx);
  tocha_value *dict = tocha_new_collection(saved, TOCHA_VALUE_DICT);
  CHECK(tocha_value_set(saved, dict, tocha_new_string(saved, "optimizer", 9),
                        tocha_optimizer_state_dict(saved, *o)));
  CHECK(tocha_value_set(saved, dict, tocha_new_string(saved, "scheduler", 9),
                        tocha_scheduler_state_dict(saved, old)));
  CHECK(tocha_checkpoint_set_root(saved, dict));
  char *bytes = tocha_save_bytes(cx, saved, TOCHA_FORMAT_ZIP, &length);
  tocha_checkpoint_free(saved);
  tocha_scheduler_release(old);
  tocha_optimizer_release(*o);
  *o = new_optimizer(cx, c->with_adam ? "Adam" : "SGD", 2, rates);
  tocha_scheduler *s = c->make(cx, *o);
  tocha_checkpoint *loaded = tocha_load_bytes(cx, bytes, length, NULL);
  const tocha_value *root = tocha_checkpoint_root(loaded);
  CHECK(tocha_optimizer_load_state_dict(cx, *o, tocha_value_find(root, "optimizer")));
  CHECK(tocha_scheduler_load_state_dict(cx, s, tocha_value_find(root, "scheduler")));
  tocha_checkpoint_free(loaded);
  tocha_free(bytes);
  return s;
}

/* Returns true if a number is PyTorch's, to the bit where the C library's cosine is glibc's. */
static bool is_pytorchs(double number, double expected) {
#ifdef __EMSCRIPTEN__
  return fabs(number - expected) <= 1e-15 * fabs(expected);
#else
  return number == expected;
#endif
}

/* Compares fifty epochs with PyTorch's. resumed_at: the epoch at which both states are saved, loaded into new objects
 * and gone on with; -1: never. */
static void run_case(tocha_context *cx, const scheduler_case *c, const char *text, int resumed_at) {
  const double rates[] = {0.1, 0.5};
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_optimizer *o = new_optimizer(cx, c->with_adam ? "Adam" : "SGD", 2, rates);
  tocha_scheduler *s = c->make(cx, o);
  int equal = 0;
  CHECK(s != NULL);
  for (int epoch = 0; s && epoch < EPOCHS; epoch++) {
    double expected[3] = {0};
    if (epoch == resumed_at) s = reload(cx, c, s, &o);
    CHECK(find_line(text, c->name, epoch, expected));
    equal += is_pytorchs(tocha_optimizer_learning_rate(o, 0), expected[0]) &&
             is_pytorchs(tocha_optimizer_learning_rate(o, 1), expected[1]) &&
             is_pytorchs(momentum_of(o), expected[2]);
    CHECK(tocha_optimizer_step(cx, o));
    CHECK(c->takes_metric ? tocha_scheduler_step_metric(cx, s, bumpy(epoch))
                          : tocha_scheduler_step(cx, s));
  }
  if (equal != EPOCHS) printf("# %s: %d epochs are PyTorch's\n", c->name, equal);
  CHECK(equal == EPOCHS);
  CHECK(tocha_scheduler_last_lr(s, 1) == tocha_optimizer_learning_rate(o, 1));
  CHECK(strcmp(c->name, "ChainedScheduler") == 0 || tocha_scheduler_last_epoch(s) == EPOCHS);
  CHECK(strncmp(tocha_scheduler_name(s), c->name, strlen(tocha_scheduler_name(s))) == 0);
  CHECK(tocha_scheduler_optimizer(s) == o);
  tocha_scheduler_release(s);
  tocha_optimizer_release(o);
  tocha_scope_end(cx, scope, NULL);
}

/* Returns the text of a file behind a line's end, or NULL. The caller frees it. */
static char *read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  char *text = file ? calloc(1, 1 << 20) : NULL;
  if (text) {
    text[0] = '\n';
    size_t n = fread(text + 1, 1, (1 << 20) - 2, file);
    text[n + 1] = 0;
  }
  if (file) fclose(file);
  return text;
}

/* --- given epochs -------------------------------------------------------------------------------------- */

static tocha_scheduler *named(tocha_context *cx, tocha_optimizer *o, const char *name) {
  const int64_t milestones[] = {2, 5};
  tocha_step_lr_options step_options = tocha_step_lr_defaults(3);
  tocha_multi_step_lr_options multi = tocha_multi_step_lr_defaults(2, milestones);
  tocha_polynomial_lr_options poly = tocha_polynomial_lr_defaults();
  poly.total_iters = 6;
  tocha_one_cycle_lr_options cycle = tocha_one_cycle_lr_defaults(0.3);
  cycle.total_steps = 20;
  if (strcmp(name, "StepLR") == 0) return tocha_optim_step_lr(cx, o, &step_options);
  if (strcmp(name, "MultiStepLR") == 0) return tocha_optim_multi_step_lr(cx, o, &multi);
  if (strcmp(name, "LinearLR") == 0) return linear(cx, o);
  if (strcmp(name, "ConstantLR") == 0) return constant_by_default(cx, o);
  if (strcmp(name, "ExponentialLR") == 0) return exponential_of(cx, o, 0.9);
  if (strcmp(name, "PolynomialLR") == 0) return tocha_optim_polynomial_lr(cx, o, &poly);
  if (strcmp(name, "CosineAnnealingLR") == 0) return cosine_of(cx, o, 4, 0);
  if (strcmp(name, "CosineAnnealingWarmRestarts") == 0) return restarts_of(cx, o, 2, 2, 0);
  return tocha_optim_one_cycle_lr(cx, o, &cycle);
}

/* Compares steps to a given epoch: lines "NAME<tab>EPOCH<tab>RATE<tab>LAST_EPOCH". */
static void test_given_epochs(tocha_context *cx, const char *text) {
  static const char *const names[] = {
      "StepLR",        "MultiStepLR",  "LinearLR",          "ConstantLR",
      "ExponentialLR", "PolynomialLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts",
      "OneCycleLR"};
  static const int epochs[] = {1, 5, 2, 9};
  const double rate = 0.1;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    tocha_optimizer *o = new_optimizer(cx, "SGD", 1, &rate);
    tocha_scheduler *s = named(cx, o, names[i]);
    CHECK(tocha_optimizer_step(cx, o));
    for (int k = 0; k < 4; k++) {
      char head[80];
      CHECK(tocha_scheduler_step_epoch(cx, s, epochs[k]));
      snprintf(head, sizeof head, "\n%s\t%d\t", names[i], epochs[k]);
      const char *at = strstr(text, head);
      double lr = tocha_optimizer_learning_rate(o, 0);
      CHECK(at && strtod(at + strlen(head), NULL) == lr);
      CHECK(tocha_scheduler_last_epoch(s) == epochs[k]);
    }
    tocha_scheduler_release(s);
    tocha_optimizer_release(o);
  }
}

/* Compares fractions of epochs with warm restarts: five lines "RATE<tab>LAST_EPOCH" behind the given epochs. */
static void test_fractions(tocha_context *cx, const char *text) {
  static const double epochs[] = {0.5, 2.25, 3.5, 9.75, 20.5};
  const double rate = 0.1;
  const char *at = strstr(text, "\nOneCycleLR\t9\t");
  tocha_optimizer *o = new_optimizer(cx, "SGD", 1, &rate);
  tocha_scheduler *s = restarts_of(cx, o, 3, 2, 0);
  for (int i = 0; i < 5; i++) {
    at = at ? strchr(at + 1, '\n') : NULL;
    CHECK(tocha_scheduler_step_epoch(cx, s, epochs[i]));
    CHECK(at && strtod(at + 1, NULL) == tocha_optimizer_learning_rate(o, 0));
  }
  tocha_scheduler_release(s);
  tocha_optimizer_release(o);
}

/* --- rates that are tensors, messages, lives --------------------------------------------------------------- */

/* A rate that is a tensor is filled, and stays the same tensor. */
static void test_tensor_rate(tocha_context *cx) {
  const double rate = 0.1;
  tocha_optimizer *o = new_optimizer(cx, "SGD", 1, &rate);
  tocha_option lr = {.given = true};
  lr.tensors[0] = tocha_full(cx, 0, NULL, tocha_float(0.5));
  CHECK(lr.tensors[0] && tocha_optimizer_set_option(cx, o, 0, "lr", &lr));
  tocha_scheduler *s = exponential_of(cx, o, 0.5);
  CHECK(tocha_optimizer_step(cx, o) && tocha_scheduler_step(cx, s));
  CHECK(*(float *)tocha_data(lr.tensors[0]) == 0.25F && tocha_scheduler_last_lr(s, 0) == 0.25);
  tocha_scheduler_release(s);
  tocha_optimizer_release(o);
}

static void count_deletion(void *user) { ++*(int *)user; }

static bool refuse_epoch(tocha_context *cx, void *user, int64_t epoch, double *factor) {
  (void)user;
  *factor = 1;
  return epoch < 1 || tocha_fail(cx, TOCHA_RUNTIME_ERROR, "no more") != NULL;
}

static void test_functions(tocha_context *cx) {
  const double rate = 0.1;
  int deleted = 0;
  tocha_optimizer *o = new_optimizer(cx, "SGD", 1, &rate);
  tocha_rate_function f[2] = {{refuse_epoch, &deleted, count_deletion},
                              {refuse_epoch, &deleted, count_deletion}};
  CHECK(!tocha_optim_lambda_lr(cx, o, 2, f, -1) && deleted == 2 &&
        fails_with(cx, TOCHA_VALUE_ERROR, "Expected 1 lr_lambdas, but got 2"));
  CHECK(!tocha_optim_lambda_lr(cx, NULL, 1, f, -1) && deleted == 3 &&
        fails_with(cx, TOCHA_TYPE_ERROR, "NoneType is not an Optimizer"));
  tocha_scheduler *s = tocha_optim_lambda_lr(cx, o, 1, f, -1);
  CHECK(tocha_optimizer_step(cx, o));
  CHECK(s && !tocha_scheduler_step(cx, s) && fails_with(cx, TOCHA_RUNTIME_ERROR, "no more"));
  tocha_scheduler_release(tocha_scheduler_retain(s));
  CHECK(deleted == 3);
  tocha_scheduler_release(s);
  CHECK(deleted == 4);
  tocha_optimizer_release(o);
}

static void test_messages(tocha_context *cx) {
  const double rates[] = {0.1, 0.5};
  tocha_optimizer *o = new_optimizer(cx, "SGD", 2, rates),
                  *other = new_optimizer(cx, "Adagrad", 1, rates);
  tocha_step_lr_options none = {0}, resumed = tocha_step_lr_defaults(3);
  resumed.last_epoch = 2;
  CHECK(
      !tocha_optim_step_lr(cx, o, NULL) && tocha_error(cx)->hint[0] &&
      fails_with(cx, TOCHA_TYPE_ERROR, "StepLR.__init__() missing required argument: 'step_size'"));
  CHECK(
      !tocha_optim_step_lr(cx, o, &none) &&
      fails_with(cx, TOCHA_TYPE_ERROR, "StepLR.__init__() missing required argument: 'step_size'"));
  CHECK(!tocha_optim_step_lr(cx, o, &resumed) &&
        fails_with(cx, TOCHA_KEY_ERROR, "param 'initial_lr' is not specified in param_groups[0]"));
  CHECK(!constant_of(cx, o, 2, 5) &&
        fails_with(cx, TOCHA_VALUE_ERROR,
                   "Constant multiplicative factor expected to be between 0 and 1."));
  CHECK(!restarts_of(cx, o, 0, 1, 0) &&
        fails_with(cx, TOCHA_VALUE_ERROR, "Expected positive integer T_0, but got 0"));
  tocha_one_cycle_lr_options cycle = tocha_one_cycle_lr_defaults(0.1);
  CHECK(!tocha_optim_one_cycle_lr(cx, o, &cycle) &&
        fails_with(cx, TOCHA_VALUE_ERROR,
                   "You must define either total_steps OR (epochs AND steps_per_epoch)"));
  cycle.total_steps = 10;
  CHECK(!tocha_optim_one_cycle_lr(cx, other, &cycle) &&
        fails_with(cx, TOCHA_VALUE_ERROR, "optimizer must support momentum or beta1"));
  cycle.max_lr.count = 3;
  CHECK(
      !tocha_optim_one_cycle_lr(cx, o, &cycle) &&
      fails_with(cx, TOCHA_VALUE_ERROR,
                 "max_lr must have the same length as optimizer.param_groups. max_lr has 3 values, "
                 "param_groups has 2."));
  tocha_scheduler *p = plateau(cx, o), *e = exponential_of(cx, other, 0.5);
  CHECK(!tocha_optim_chained_scheduler(cx, 1, &p) &&
        fails_with(cx, TOCHA_VALUE_ERROR,
                   "ChainedScheduler does not support `ReduceLROnPlateau` scheduler"));
  CHECK(!tocha_optim_sequential_lr(cx, o, 1, &e, NULL) &&
        fails_with(cx, TOCHA_VALUE_ERROR,
                   "SequentialLR expects all schedulers to belong to the same optimizer"));
  CHECK(!tocha_scheduler_step(cx, p) &&
        fails_with(cx, TOCHA_TYPE_ERROR,
                   "ReduceLROnPlateau.step() missing 1 required positional argument: 'metrics'"));
  CHECK(!tocha_scheduler_step_metric(cx, e, 1) &&
        fails_with(cx, TOCHA_TYPE_ERROR, "ExponentialLR.step() takes no metrics"));
  tocha_scheduler_release(p);
  tocha_scheduler_release(e);
  tocha_optimizer_release(o);
  tocha_optimizer_release(other);
}

/* A program that knows fewer options than the library gets the defaults of the others. */
static void test_old_struct(tocha_context *cx) {
  const double rate = 1;
  tocha_optimizer *o = new_optimizer(cx, "SGD", 1, &rate);
  struct {
    size_t struct_size;
    int64_t step_size;
  } old = {sizeof old, 1};
  tocha_scheduler *s = tocha_optim_step_lr(cx, o, (const tocha_step_lr_options *)&old);
  CHECK(tocha_optimizer_step(cx, o) && tocha_scheduler_step(cx, s));
  CHECK(tocha_optimizer_learning_rate(o, 0) == 0.1);
  tocha_scheduler_release(s);
  tocha_optimizer_release(o);
}

static int warnings;
static void count_warnings(void *user, int level, const char *message) {
  (void)level;
  (void)user;
  warnings += strncmp(message, "Detected call of `lr_scheduler.step()` before", 45) == 0;
}

/* PyTorch's warning comes if no step of the optimizer was made since the scheduler exists. */
static void test_order(void) {
  const double rate = 1;
  tocha_options options = {.log = count_warnings};
  tocha_context *cx = tocha_open(&options);
  tocha_optimizer *o = new_optimizer(cx, "SGD", 1, &rate);
  CHECK(tocha_optimizer_step(cx, o));
  tocha_scheduler *s = exponential_of(cx, o, 0.5);
  CHECK(tocha_scheduler_step(cx, s) && warnings == 1);
  CHECK(tocha_scheduler_step(cx, s) && warnings == 1);
  tocha_scheduler_release(s);
  CHECK(tocha_optimizer_step(cx, o));
  s = exponential_of(cx, o, 0.5);
  CHECK(tocha_scheduler_step(cx, s) && warnings == 1);
  tocha_scheduler_release(s);
  tocha_optimizer_release(o);
  tocha_close(cx);
}

int main(void) {
  tocha_context *cx = tocha_open(NULL);
  char *epochs = read_file("spec/golden/schedulers/epochs.expected");
  char *states = read_file("spec/golden/schedulers/states.expected");
  CHECK(epochs && states);
  for (int i = 0; epochs && i < CASES; i++) {
    run_case(cx, &cases[i], epochs, -1);
    run_case(cx, &cases[i], epochs, 23);
  }
  tocha_scope scope = tocha_scope_begin(cx);
  if (states) {
    test_given_epochs(cx, states);
    test_fractions(cx, states);
  }
  test_tensor_rate(cx);
  test_functions(cx);
  test_messages(cx);
  test_old_struct(cx);
  test_order();
  tocha_scope_end(cx, scope, NULL);
  CHECK(!tocha_failed(cx));
  free(epochs);
  free(states);
  tocha_close(cx);
  return finish();
}
