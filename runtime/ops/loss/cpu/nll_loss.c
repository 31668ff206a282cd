/* nll_loss.c: the loops of nll_loss.h. The sum over targets is PyTorch's cascade of eight levels. */
#include "ops/loss/cpu/nll_loss.h"

#include "ops/loss/loss.h"
#include "ops/reduction/cpu/cascade.h"

static inline T weight_of(const tocha_nll_args *args, int64_t class) {
  return args->weight ? ((const T *)args->weight)[class] : 1;
}

/* Where the class of target i stands in x. */
static inline int64_t place_of(const tocha_nll_args *args, int64_t i, int64_t class) {
  if (args->inner == 1) return i * args->classes + class;
  return (i / args->inner * args->classes + class) * args->inner + i % args->inner;
}

static void each(const tocha_nll_args *args, tocha_stop stop) {
  const T *x = args->x;
  for (int64_t i = 0; i < args->n * args->inner && !tocha_ends_at(i, stop); i++) {
    int64_t class = tocha_nll_class(args, i);
    T loss = 0;
    if (class != args->ignored) loss = -x[place_of(args, i, class)] * weight_of(args, class);
    ((T *)args->out)[i] = loss;
  }
}

static void total(const tocha_nll_args *args, tocha_stop stop) {
  enum { LEVELS = 8, LOSS = 0, WEIGHT = 1 };
  const T *x = args->x;
  T levels[LEVELS][2] = {{0}}, loss = 0, weight = 0;
  int64_t count = args->n * args->inner, ignored = 0;
  int power = tocha_cascade_power(count, LEVELS);
  for (int64_t i = 0; i < count && !tocha_ends_at(i, stop); i++) {
    int64_t class = tocha_nll_class(args, i);
    if (class == args->ignored) {
      ignored++;
      continue;
    }
    T w = weight_of(args, class);
    levels[0][LOSS] -= x[place_of(args, i, class)] * w;
    levels[0][WEIGHT] += w;
    tocha_cascade_carry(levels[0], LEVELS, 2, i, power);
  }
  for (int l = 0; l < LEVELS; l++) {
    loss += levels[l][LOSS];
    weight += levels[l][WEIGHT];
  }
  if (!args->weight) weight = (T)(count - ignored);
  *(T *)args->out = args->reduction == TOCHA_REDUCTION_MEAN ? loss / weight : loss;
}

static void gradient(const tocha_nll_args *args, tocha_stop stop) {
  const T *grad = args->grad;
  double weight = args->reduction == TOCHA_REDUCTION_MEAN ? 0 : 1;
  int64_t count = args->n * args->inner;
  for (int64_t i = 0;
       args->reduction == TOCHA_REDUCTION_MEAN && i < count && !tocha_ends_at(i, stop); i++) {
    int64_t class = tocha_nll_class(args, i);
    if (class != args->ignored) weight += (double)weight_of(args, class);
  }
  for (int64_t i = 0; i < count && !tocha_ends_at(i, stop); i++) {
    int64_t class = tocha_nll_class(args, i);
    if (class == args->ignored) continue;
    T g = grad[args->reduction == TOCHA_REDUCTION_NONE ? i : 0] / (T)weight;
    ((T *)args->out)[place_of(args, i, class)] = -weight_of(args, class) * g;
  }
}

const tocha_nll_loss_loops TOCHA_LOOPS(nll_loss) = {each, total, gradient};
