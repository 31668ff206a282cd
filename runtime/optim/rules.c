/* rules.c: the optimizers as data: options, checks, states, the numbers of a step.
 *
 * SGD (with Nesterov's momentum as in Sutskever et al. 2013), Adam (Kingma and Ba 2015), AdamW
 * (Loshchilov and Hutter 2019), Adagrad (Duchi et al. 2011), RMSprop (Hinton; centered: Graves
 * 2013), Adadelta (Zeiler 2012), all in PyTorch's variants. */
#include <math.h>
#include <string.h>

#include "core/text.h"
#include "optim/optimizer.h"

/* --- writing the tables ---------------------------------------------------------------------- */

#define REAL(name, value)                                                                          \
  {                                                                                                \
    name, TOCHA_OPTION_NUMBER, false, {                                                            \
      true, {TOCHA_SCALAR_FLOAT, {.real = value}}, { 0 }                                           \
    }                                                                                              \
  }
#define WHOLE(name, value)                                                                         \
  {                                                                                                \
    name, TOCHA_OPTION_NUMBER, false, {                                                            \
      true, {TOCHA_SCALAR_INT, {.integer = value}}, { 0 }                                          \
    }                                                                                              \
  }
#define FLAG(name, keyword)                                                                        \
  {                                                                                                \
    name, TOCHA_OPTION_BOOL, keyword, {                                                            \
      true, {TOCHA_SCALAR_BOOL, {.integer = 0}}, { 0 }                                             \
    }                                                                                              \
  }
#define MAYBE(name, keyword)                                                                       \
  {                                                                                                \
    name, TOCHA_OPTION_MAYBE, keyword, {                                                           \
      false, {0}, { 0 }                                                                            \
    }                                                                                              \
  }
#define BETAS(one, two)                                                                            \
  {                                                                                                \
    "betas", TOCHA_OPTION_PAIR, false, {                                                           \
      true, {TOCHA_SCALAR_FLOAT, {.real = one}}, {                                                 \
        TOCHA_SCALAR_FLOAT, { .real = two }                                                        \
      }                                                                                            \
    }                                                                                              \
  }

/* --- checks ---------------------------------------------------------------------------------- */

static bool invalid(tocha_context *cx, const char *what, tocha_scalar value) {
  char text[32];
  tocha_fail(cx, TOCHA_VALUE_ERROR, "Invalid %s: %s", what, tocha_format_scalar(value, text));
  return false;
}

/* What PyTorch's messages call an option, and the largest value it may have. */
static const struct limit {
  const char *option, *name;
  double most;
} limits[] = {{"lr", "learning rate", INFINITY},
              {"momentum", "momentum value", INFINITY},
              {"weight_decay", "weight_decay value", INFINITY},
              {"eps", "epsilon value", INFINITY},
              {"alpha", "alpha value", INFINITY},
              {"lr_decay", "lr_decay value", INFINITY},
              {"initial_accumulator_value", "initial_accumulator_value value", INFINITY},
              {"rho", "rho value", 1}};

static bool check_betas(tocha_context *cx, const tocha_option *betas) {
  double one = tocha_scalar_real(betas->first), two = tocha_scalar_real(betas->second);
  if (!(one >= 0 && one < 1)) return invalid(cx, "beta parameter at index 0", betas->first);
  if (!(two >= 0 && two < 1)) return invalid(cx, "beta parameter at index 1", betas->second);
  return true;
}

/* Numbers that may not be negative, in the order of `order`; betas where it says so. */
static bool check(tocha_context *cx, const tocha_optimizer_class *class_,
                  const tocha_option *options, const char *const *order) {
  for (; *order; order++) {
    for (int i = 0; i < class_->option_count; i++) {
      if (strcmp(class_->options[i].name, *order) != 0) continue;
      if (class_->options[i].kind == TOCHA_OPTION_PAIR) {
        if (!check_betas(cx, &options[i])) return false;
        continue;
      }
      double value = tocha_scalar_real(options[i].first);
      for (int k = 0; k < TOCHA_COUNT(limits); k++)
        if (strcmp(limits[k].option, *order) == 0 && !(value >= 0 && value <= limits[k].most))
          return invalid(cx, limits[k].name, options[i].first);
    }
  }
  return true;
}

static double number(const tocha_option *options, int i) {
  return tocha_scalar_real(options[i].first);
}
static bool flag(const tocha_option *options, int i) { return options[i].first.value.integer != 0; }
static double zero(const tocha_option *options, int state) {
  (void)options;
  (void)state;
  return 0;
}

/* --- SGD ------------------------------------------------------------------------------------- */

enum { SGD_LR, SGD_MOMENTUM, SGD_DAMPENING, SGD_DECAY, SGD_NESTEROV, SGD_MAXIMIZE };
static const tocha_option_declaration sgd_options[] = {
    REAL("lr", 1e-3),         WHOLE("momentum", 0),         WHOLE("dampening", 0),
    WHOLE("weight_decay", 0), FLAG("nesterov", false),      FLAG("maximize", true),
    MAYBE("foreach", true),   FLAG("differentiable", true), MAYBE("fused", true)};
static const char *const sgd_states[] = {"momentum_buffer", NULL};

static bool check_sgd(tocha_context *cx, const tocha_optimizer_class *class_,
                      const tocha_option *options) {
  static const char *const order[] = {"lr", "momentum", "weight_decay", NULL};
  if (!check(cx, class_, options, order)) return false;
  if (!flag(options, SGD_NESTEROV) ||
      (number(options, SGD_MOMENTUM) > 0 && number(options, SGD_DAMPENING) == 0))
    return true;
  tocha_fail(cx, TOCHA_VALUE_ERROR, "Nesterov momentum requires a momentum and zero dampening");
  return false;
}

static unsigned sgd_needs(const tocha_option *options) {
  return number(options, SGD_MOMENTUM) != 0 ? 1 : 0;
}

static void prepare_sgd(const tocha_option *options, double step, tocha_update *u) {
  (void)step;
  u->lr = number(options, SGD_LR);
  u->momentum = number(options, SGD_MOMENTUM);
  u->one_minus_dampening = 1 - number(options, SGD_DAMPENING);
  u->weight_decay = number(options, SGD_DECAY);
  u->nesterov = flag(options, SGD_NESTEROV);
  u->maximize = flag(options, SGD_MAXIMIZE);
}

/* --- Adam, AdamW ----------------------------------------------------------------------------- */

enum {
  ADAM_LR,
  ADAM_BETAS,
  ADAM_EPS,
  ADAM_DECAY,
  ADAM_AMSGRAD,
  ADAM_FOREACH,
  ADAM_MAXIMIZE,
  ADAM_CAPTURABLE,
  ADAM_DIFFERENTIABLE,
  ADAM_FUSED,
  ADAM_DECOUPLED
};
static const tocha_option_declaration adam_options[] = {REAL("lr", 1e-3),
                                                        BETAS(0.9, 0.999),
                                                        REAL("eps", 1e-8),
                                                        WHOLE("weight_decay", 0),
                                                        FLAG("amsgrad", false),
                                                        MAYBE("foreach", true),
                                                        FLAG("maximize", true),
                                                        FLAG("capturable", true),
                                                        FLAG("differentiable", true),
                                                        MAYBE("fused", true),
                                                        FLAG("decoupled_weight_decay", true)};
static const tocha_option_declaration adamw_options[] = {
    REAL("lr", 1e-3),
    BETAS(0.9, 0.999),
    REAL("eps", 1e-8),
    REAL("weight_decay", 1e-2),
    FLAG("amsgrad", false),
    MAYBE("foreach", true),
    FLAG("maximize", true),
    FLAG("capturable", true),
    FLAG("differentiable", true),
    MAYBE("fused", true),
    {"decoupled_weight_decay",
     TOCHA_OPTION_BOOL,
     true,
     {true, {TOCHA_SCALAR_BOOL, {.integer = 1}}, {0}}}};
static const char *const adam_states[] = {"step", "exp_avg", "exp_avg_sq", "max_exp_avg_sq", NULL};

static bool check_adam(tocha_context *cx, const tocha_optimizer_class *class_,
                       const tocha_option *options) {
  static const char *const order[] = {"lr", "eps", "betas", "weight_decay", NULL};
  if (!check(cx, class_, options, order)) return false;
  if (options[ADAM_BETAS].first.kind == TOCHA_SCALAR_FLOAT &&
      options[ADAM_BETAS].second.kind == TOCHA_SCALAR_FLOAT)
    return true;
  tocha_fail(cx, TOCHA_VALUE_ERROR, "betas must be either both floats or both Tensors");
  return false;
}

static unsigned adam_needs(const tocha_option *options) {
  return flag(options, ADAM_AMSGRAD) ? 15 : 7;
}

static void prepare_adam(const tocha_option *options, double step, tocha_update *u) {
  double beta1 = tocha_scalar_real(options[ADAM_BETAS].first);
  double beta2 = tocha_scalar_real(options[ADAM_BETAS].second);
  u->lr = number(options, ADAM_LR);
  u->weight_decay = number(options, ADAM_DECAY);
  u->decoupled = flag(options, ADAM_DECOUPLED);
  u->decay = 1 - u->lr * u->weight_decay;
  u->beta1 = beta1;
  u->one_minus_beta1 = 1 - beta1;
  u->beta2 = beta2;
  u->one_minus_beta2 = 1 - beta2;
  u->eps = number(options, ADAM_EPS);
  u->step_size = u->lr / (1 - pow(beta1, step));
  u->bias_correction2_sqrt = sqrt(1 - pow(beta2, step));
  u->amsgrad = flag(options, ADAM_AMSGRAD);
  u->maximize = flag(options, ADAM_MAXIMIZE);
}

/* --- Adagrad --------------------------------------------------------------------------------- */

enum {
  ADAGRAD_LR,
  ADAGRAD_LR_DECAY,
  ADAGRAD_DECAY,
  ADAGRAD_INITIAL,
  ADAGRAD_EPS,
  ADAGRAD_FOREACH,
  ADAGRAD_MAXIMIZE
};
static const tocha_option_declaration adagrad_options[] = {
    REAL("lr", 1e-2),         WHOLE("lr_decay", 0),
    WHOLE("weight_decay", 0), WHOLE("initial_accumulator_value", 0),
    REAL("eps", 1e-10),       MAYBE("foreach", false),
    FLAG("maximize", true),   FLAG("differentiable", true),
    MAYBE("fused", true)};
static const char *const adagrad_states[] = {"step", "sum", NULL};

static bool check_adagrad(tocha_context *cx, const tocha_optimizer_class *class_,
                          const tocha_option *options) {
  static const char *const order[] = {
      "lr", "lr_decay", "weight_decay", "initial_accumulator_value", "eps", NULL};
  return check(cx, class_, options, order);
}

static unsigned adagrad_needs(const tocha_option *options) {
  (void)options;
  return 3;
}

static double adagrad_initial(const tocha_option *options, int state) {
  return state == 1 ? number(options, ADAGRAD_INITIAL) : 0;
}

static void prepare_adagrad(const tocha_option *options, double step, tocha_update *u) {
  u->step_size = number(options, ADAGRAD_LR) / (1 + (step - 1) * number(options, ADAGRAD_LR_DECAY));
  u->weight_decay = number(options, ADAGRAD_DECAY);
  u->eps = number(options, ADAGRAD_EPS);
  u->maximize = flag(options, ADAGRAD_MAXIMIZE);
}

/* --- RMSprop --------------------------------------------------------------------------------- */

enum {
  RMSPROP_LR,
  RMSPROP_ALPHA,
  RMSPROP_EPS,
  RMSPROP_DECAY,
  RMSPROP_MOMENTUM,
  RMSPROP_CENTERED,
  RMSPROP_CAPTURABLE,
  RMSPROP_FOREACH,
  RMSPROP_MAXIMIZE
};
static const tocha_option_declaration rmsprop_options[] = {
    REAL("lr", 1e-2),          REAL("alpha", 0.99),
    REAL("eps", 1e-8),         WHOLE("weight_decay", 0),
    WHOLE("momentum", 0),      FLAG("centered", false),
    FLAG("capturable", false), MAYBE("foreach", false),
    FLAG("maximize", false),   FLAG("differentiable", false)};
static const char *const rmsprop_states[] = {"step", "square_avg", "momentum_buffer", "grad_avg",
                                             NULL};

static bool check_rmsprop(tocha_context *cx, const tocha_optimizer_class *class_,
                          const tocha_option *options) {
  static const char *const order[] = {"lr", "eps", "momentum", "weight_decay", "alpha", NULL};
  return check(cx, class_, options, order);
}

static unsigned rmsprop_needs(const tocha_option *options) {
  return 3u | (number(options, RMSPROP_MOMENTUM) > 0 ? 4u : 0) |
         (flag(options, RMSPROP_CENTERED) ? 8u : 0);
}

static void prepare_rmsprop(const tocha_option *options, double step, tocha_update *u) {
  (void)step;
  u->lr = number(options, RMSPROP_LR);
  u->beta2 = number(options, RMSPROP_ALPHA);
  u->one_minus_beta2 = 1 - u->beta2;
  u->eps = number(options, RMSPROP_EPS);
  u->weight_decay = number(options, RMSPROP_DECAY);
  u->momentum = number(options, RMSPROP_MOMENTUM);
  u->centered = flag(options, RMSPROP_CENTERED);
  u->maximize = flag(options, RMSPROP_MAXIMIZE);
}

/* --- Adadelta -------------------------------------------------------------------------------- */

enum {
  ADADELTA_LR,
  ADADELTA_RHO,
  ADADELTA_EPS,
  ADADELTA_DECAY,
  ADADELTA_FOREACH,
  ADADELTA_CAPTURABLE,
  ADADELTA_MAXIMIZE
};
static const tocha_option_declaration adadelta_options[] = {
    REAL("lr", 1.0),         REAL("rho", 0.9),
    REAL("eps", 1e-6),       WHOLE("weight_decay", 0),
    MAYBE("foreach", false), FLAG("capturable", true),
    FLAG("maximize", true),  FLAG("differentiable", true)};
static const char *const adadelta_states[] = {"step", "square_avg", "acc_delta", NULL};

static bool check_adadelta(tocha_context *cx, const tocha_optimizer_class *class_,
                           const tocha_option *options) {
  static const char *const order[] = {"lr", "rho", "eps", "weight_decay", NULL};
  return check(cx, class_, options, order);
}

static unsigned adadelta_needs(const tocha_option *options) {
  (void)options;
  return 7;
}

static void prepare_adadelta(const tocha_option *options, double step, tocha_update *u) {
  (void)step;
  u->lr = number(options, ADADELTA_LR);
  u->beta2 = number(options, ADADELTA_RHO);
  u->one_minus_beta2 = 1 - u->beta2;
  u->eps = number(options, ADADELTA_EPS);
  u->weight_decay = number(options, ADADELTA_DECAY);
  u->maximize = flag(options, ADADELTA_MAXIMIZE);
}

/* --- the table ------------------------------------------------------------------------------- */

const tocha_optimizer_class tocha_optimizer_classes[] = {
    {"SGD", sgd_options, TOCHA_COUNT(sgd_options), sgd_states, -1, check_sgd, sgd_needs, zero,
     prepare_sgd, TOCHA_STEP_SGD},
    {"Adam", adam_options, TOCHA_COUNT(adam_options), adam_states, 0, check_adam, adam_needs, zero,
     prepare_adam, TOCHA_STEP_ADAM},
    {"AdamW", adamw_options, TOCHA_COUNT(adamw_options), adam_states, 0, check_adam, adam_needs,
     zero, prepare_adam, TOCHA_STEP_ADAM},
    {"Adagrad", adagrad_options, TOCHA_COUNT(adagrad_options), adagrad_states, 0, check_adagrad,
     adagrad_needs, adagrad_initial, prepare_adagrad, TOCHA_STEP_ADAGRAD},
    {"RMSprop", rmsprop_options, TOCHA_COUNT(rmsprop_options), rmsprop_states, 0, check_rmsprop,
     rmsprop_needs, zero, prepare_rmsprop, TOCHA_STEP_RMSPROP},
    {"Adadelta", adadelta_options, TOCHA_COUNT(adadelta_options), adadelta_states, 0,
     check_adadelta, adadelta_needs, zero, prepare_adadelta, TOCHA_STEP_ADADELTA}};
const int tocha_optimizer_class_count = TOCHA_COUNT(tocha_optimizer_classes);
