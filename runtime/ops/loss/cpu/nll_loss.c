/* nll_loss.c: the loops of nll_loss.h. The sum over targets is PyTorch's cascade of eight levels. */
#include "ops/loss/cpu/nll_loss.h"

#include "ops/loss/loss.h"
#include "ops/reduction/cpu/cascade.h"
#include "tensor/math/rounded.h"

enum { LEVELS = 8, LOSS = 0, WEIGHT = 1, NO_CLASS = -1 };

/* Returns the class of target i, or NO_CLASS if the target is ignored or out of range. The first target out of range is noted
 * in `bad`. Each target is read once, because other threads may write to it. */
static inline int64_t class_of(const tocha_nll_args *args, int64_t i, tocha_nll_bad *bad) {
  int64_t class = args->target_dtype == TOCHA_UINT8 ? ((const uint8_t *)args->target)[i]
                                                    : ((const int64_t *)args->target)[i];
  if (class == args->ignored) return NO_CLASS;
  if (class >= 0 && class < args->classes) return class;
  if (!bad->found) *bad = (tocha_nll_bad){true, class};
  return NO_CLASS;
}

static inline T weight_of(const tocha_nll_args *args, int64_t class) {
  return args->weight ? ((const T *)args->weight)[class] : 1;
}

/* Returns the index of target i's class in x (n, classes, inner). */
static inline int64_t place_of(const tocha_nll_args *args, int64_t i, int64_t class) {
  if (args->inner == 1) return i * args->classes + class;
  return (i / args->inner * args->classes + class) * args->inner + i % args->inner;
}

static void each(const tocha_nll_args *args, tocha_stop stop, tocha_nll_bad *bad) {
  const T *x = args->x;
  for (int64_t i = 0; i < args->n * args->inner && !tocha_ends_at(i, stop); i++) {
    int64_t class = class_of(args, i, bad);
    T loss = 0;
    if (class != NO_CLASS) loss = -x[place_of(args, i, class)] * weight_of(args, class);
    ((T *)args->out)[i] = loss;
  }
}

static inline T rounded(const tocha_nll_args *args, T x) {
  return args->given ? (T)tocha_rounded((double)x, args->given) : x;
}

/* Rounds the sums after the carry of term i, because PyTorch sums 16-bit types in their own type. */
static void round_levels(const tocha_nll_args *args, T (*levels)[2], int64_t i, int power) {
  int count = (i & (((int64_t)1 << power) - 1)) == 0 ? LEVELS : 1;
  for (int l = 0; l < count; l++)
    for (int k = 0; k < 2; k++) levels[l][k] = rounded(args, levels[l][k]);
}

/* Adds the levels to the sums of losses and of weights. */
static void sum_levels(const tocha_nll_args *args, T (*levels)[2], T *sums) {
  for (int l = 0; l < LEVELS; l++)
    for (int k = 0; k < 2; k++) sums[k] = rounded(args, sums[k] + levels[l][k]);
}

/* Computes the sums over all targets of the weights and, if x is given, of the losses. */
static void sum_up(const tocha_nll_args *args, T *sums, tocha_stop stop, tocha_nll_bad *bad) {
  const T *x = args->x;
  T levels[LEVELS][2] = {{0}};
  int64_t count = args->n * args->inner, ignored = 0;
  int power = tocha_cascade_power(count, LEVELS);
  for (int64_t i = 0; i < count && !tocha_ends_at(i, stop); i++) {
    int64_t class = class_of(args, i, bad);
    if (class == NO_CLASS) {
      ignored++;
      continue;
    }
    T w = weight_of(args, class);
    if (x) levels[0][LOSS] -= rounded(args, x[place_of(args, i, class)] * w);
    levels[0][WEIGHT] += w;
    if (args->given) round_levels(args, levels, i | 1, power); /* before the carry */
    tocha_cascade_carry(levels[0], LEVELS, 2, i, power);
    if (args->given) round_levels(args, levels, i, power);
  }
  sum_levels(args, levels, sums);
  if (!args->weight) sums[WEIGHT] = rounded(args, (T)(count - ignored));
}

static void total(const tocha_nll_args *args, tocha_stop stop, tocha_nll_bad *bad) {
  T sums[2] = {0};
  sum_up(args, sums, stop, bad);
  bool mean = args->reduction == TOCHA_REDUCTION_MEAN;
  *(T *)args->out = mean ? sums[LOSS] / sums[WEIGHT] : sums[LOSS];
}

static void gradient(const tocha_nll_args *args, tocha_stop stop, tocha_nll_bad *bad) {
  const T *grad = args->grad;
  T sums[2] = {0};
  int64_t count = args->n * args->inner;
  bool mean = args->reduction == TOCHA_REDUCTION_MEAN;
  if (mean) sum_up(args, sums, stop, bad);
  for (int64_t i = 0; i < count && !tocha_ends_at(i, stop); i++) {
    int64_t class = class_of(args, i, bad);
    if (class == NO_CLASS) continue;
    T g = grad[args->reduction == TOCHA_REDUCTION_NONE ? i : 0];
    if (mean) g = rounded(args, g / sums[WEIGHT]);
    ((T *)args->out)[place_of(args, i, class)] = -weight_of(args, class) * g;
  }
}

const tocha_nll_loss_loops TOCHA_LOOPS(nll_loss) = {each, total, gradient};
