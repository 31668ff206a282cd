/* step_loops.c: the inner loops of the optimizers. Compiled once per instruction set.
 *
 * Each element goes through the operations of PyTorch's CPU implementation in their order
 * (step_math.h). Work goes in blocks that stay in the first cache, one short loop an operation. */
#include "optim/optimizer.h"
#include "optim/step_math.h"

enum { BLOCK = 512 };

#define EACH for (int64_t i = 0; i < n; i++)

/* What every rule begins with: the gradient's sign, and weight decay added to it. */
#define DEFINE_GRADIENT(T)                                                                         \
  static void gradient_##T(T *g, const T *grad, const T *p, int64_t n, const tocha_update *u,      \
                           bool decay) {                                                           \
    T weight_decay = (T)u->weight_decay;                                                           \
    if (u->maximize)                                                                               \
      EACH g[i] = -grad[i];                                                                        \
    else                                                                                           \
      EACH g[i] = grad[i];                                                                         \
    if (decay && u->weight_decay != 0) EACH g[i] = tocha_step_added_##T(g[i], p[i], weight_decay); \
  }                                                                                                \
  static void lerp_##T(T *m, const T *g, int64_t n, double weight) {                               \
    T w = (T)weight;                                                                               \
    EACH m[i] = tocha_step_lerp_##T(m[i], g[i], w);                                                \
  }                                                                                                \
  static void square_average_##T(T *v, const T *g, int64_t n, double beta, double rest) {          \
    T b = (T)beta, r = (T)rest;                                                                    \
    EACH v[i] = tocha_step_square_average_##T(v[i], g[i], b, r);                                   \
  }                                                                                                \
  static void divide_##T(T *p, const T *numerator, const T *denominator, int64_t n, double by) {   \
    T a = (T)by;                                                                                   \
    EACH p[i] = tocha_step_divided_##T(p[i], numerator[i], denominator[i], a);                     \
  }                                                                                                \
  static void move_##T(T *p, const T *direction, int64_t n, double by) {                           \
    T a = (T)by;                                                                                   \
    EACH p[i] = tocha_step_added_##T(p[i], direction[i], a);                                       \
  }

/* states: momentum_buffer */
#define DEFINE_SGD(T)                                                                              \
  static void sgd_##T(T *p, const T *grad, T *const *states, int64_t n, const tocha_update *u) {   \
    T g[BLOCK], *buffer = states[0];                                                               \
    T momentum = (T)u->momentum, rest = (T)u->one_minus_dampening;                                 \
    gradient_##T(g, grad, p, n, u, true);                                                          \
    if (u->momentum == 0) {                                                                        \
      move_##T(p, g, n, -u->lr);                                                                   \
      return;                                                                                      \
    }                                                                                              \
    if (u->first)                                                                                  \
      EACH buffer[i] = g[i];                                                                       \
    else                                                                                           \
      EACH buffer[i] = tocha_step_momentum_##T(buffer[i], g[i], momentum, rest);                   \
    if (u->nesterov) {                                                                             \
      EACH g[i] = tocha_step_added_##T(g[i], buffer[i], momentum);                                 \
      move_##T(p, g, n, -u->lr);                                                                   \
    } else {                                                                                       \
      move_##T(p, buffer, n, -u->lr);                                                              \
    }                                                                                              \
  }

/* states: step, exp_avg, exp_avg_sq, max_exp_avg_sq */
#define DEFINE_ADAM(T)                                                                             \
  static void adam_##T(T *p, const T *grad, T *const *states, int64_t n, const tocha_update *u) {  \
    T g[BLOCK], *m = states[1], *v = states[2], *largest = states[3];                              \
    T decay = (T)u->decay, eps = (T)u->eps, correction = (T)u->bias_correction2_sqrt;              \
    if (u->decoupled && u->weight_decay != 0) EACH p[i] *= decay;                                  \
    gradient_##T(g, grad, p, n, u, !u->decoupled);                                                 \
    lerp_##T(m, g, n, u->one_minus_beta1);                                                         \
    square_average_##T(v, g, n, u->beta2, u->one_minus_beta2);                                     \
    if (u->amsgrad) {                                                                              \
      EACH largest[i] = tocha_step_larger_##T(v[i], largest[i]);                                   \
      v = largest;                                                                                 \
    }                                                                                              \
    EACH g[i] = tocha_step_corrected_root_##T(v[i], correction, eps);                              \
    divide_##T(p, m, g, n, -u->step_size);                                                         \
  }

/* states: step, sum */
#define DEFINE_ADAGRAD(T)                                                                          \
  static void adagrad_##T(T *p, const T *grad, T *const *states, int64_t n,                        \
                          const tocha_update *u) {                                                 \
    T g[BLOCK], std[BLOCK], *sum = states[1], eps = (T)u->eps;                                     \
    gradient_##T(g, grad, p, n, u, true);                                                          \
    EACH sum[i] = tocha_step_square_added_##T(sum[i], g[i]);                                       \
    EACH std[i] = tocha_step_root_##T(sum[i], eps);                                                \
    divide_##T(p, g, std, n, -u->step_size);                                                       \
  }

/* states: step, square_avg, momentum_buffer, grad_avg */
#define DEFINE_RMSPROP(T)                                                                          \
  static void rmsprop_##T(T *p, const T *grad, T *const *states, int64_t n,                        \
                          const tocha_update *u) {                                                 \
    T g[BLOCK], average[BLOCK], *v = states[1], *buffer = states[2], *mean = states[3];            \
    T eps = (T)u->eps, momentum = (T)u->momentum;                                                  \
    gradient_##T(g, grad, p, n, u, true);                                                          \
    square_average_##T(v, g, n, u->beta2, u->one_minus_beta2);                                     \
    if (u->centered) {                                                                             \
      lerp_##T(mean, g, n, u->one_minus_beta2);                                                    \
      EACH average[i] = tocha_step_centered_root_##T(v[i], mean[i], eps);                          \
    } else {                                                                                       \
      EACH average[i] = tocha_step_root_##T(v[i], eps);                                            \
    }                                                                                              \
    if (u->momentum > 0) {                                                                         \
      EACH buffer[i] = tocha_step_quotient_momentum_##T(buffer[i], g[i], average[i], momentum);    \
      move_##T(p, buffer, n, -u->lr);                                                              \
    } else {                                                                                       \
      divide_##T(p, g, average, n, -u->lr);                                                        \
    }                                                                                              \
  }

/* states: step, square_avg, acc_delta */
#define DEFINE_ADADELTA(T)                                                                         \
  static void adadelta_##T(T *p, const T *grad, T *const *states, int64_t n,                       \
                           const tocha_update *u) {                                                \
    T g[BLOCK], *v = states[1], *moved = states[2], eps = (T)u->eps;                               \
    gradient_##T(g, grad, p, n, u, true);                                                          \
    square_average_##T(v, g, n, u->beta2, u->one_minus_beta2);                                     \
    EACH g[i] = tocha_step_adadelta_##T(moved[i], v[i], g[i], eps);                                \
    square_average_##T(moved, g, n, u->beta2, u->one_minus_beta2);                                 \
    move_##T(p, g, n, -u->lr);                                                                     \
  }

/* A rule over any number of elements, block by block. */
#define DEFINE_LOOP(rule, T)                                                                       \
  static void loop_##rule##_##T(void *parameter, const void *gradient, void *const *states,        \
                                int64_t n, const tocha_update *u) {                                \
    for (int64_t at = 0; at < n; at += BLOCK) {                                                    \
      T *parts[TOCHA_MAX_STATES];                                                                  \
      for (int k = 0; k < TOCHA_MAX_STATES; k++)                                                   \
        parts[k] = states[k] ? (T *)states[k] + at : NULL;                                         \
      rule##_##T((T *)parameter + at, (const T *)gradient + at, parts,                             \
                 n - at < BLOCK ? n - at : BLOCK, u);                                              \
    }                                                                                              \
  }

#define DEFINE(T)                                                                                  \
  DEFINE_GRADIENT(T)                                                                               \
  DEFINE_SGD(T)                                                                                    \
  DEFINE_ADAM(T)                                                                                   \
  DEFINE_ADAGRAD(T)                                                                                \
  DEFINE_RMSPROP(T)                                                                                \
  DEFINE_ADADELTA(T)                                                                               \
  DEFINE_LOOP(sgd, T)                                                                              \
  DEFINE_LOOP(adam, T)                                                                             \
  DEFINE_LOOP(adagrad, T)                                                                          \
  DEFINE_LOOP(rmsprop, T)                                                                          \
  DEFINE_LOOP(adadelta, T)

DEFINE(float)
DEFINE(double)

#define JOINED(a, b) a##b
#define JOIN(a, b) JOINED(a, b)
#define TABLE JOIN(tocha_step_loops_, TOCHA_ISA)
extern const tocha_step_loops TABLE;
const tocha_step_loops TABLE = {{{loop_sgd_float, loop_sgd_double},
                                 {loop_adam_float, loop_adam_double},
                                 {loop_adagrad_float, loop_adagrad_double},
                                 {loop_rmsprop_float, loop_rmsprop_double},
                                 {loop_adadelta_float, loop_adadelta_double}}};
