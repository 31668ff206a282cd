/* loss.c: the loops of loss.h, with the formulas of formulas.h. */
#include "ops/loss/cpu/loss.h"

#include "ops/loss/formulas.h"
#include "tensor/math/typed_vector.h"

typedef struct operands {
  char *const *data;
  const int64_t *strides;
  T p, norm;
  bool scaled;
} operands;

static inline T element(const operands *o, int k, int64_t i) {
  return *(const T *)(const void *)(o->data[k] + i * o->strides[k]);
}

/* Computes n contiguous elements, with one factor for all of them. */
static inline __attribute__((always_inline)) void run_dense(int kind, int order, const operands *o,
                                                            int64_t n) {
  const T *restrict x = (const void *)o->data[1], *restrict t = (const void *)o->data[2];
  T *restrict out = (void *)o->data[0];
  const T factor = o->scaled ? element(o, 3, 0) : 1, p = o->p, norm = o->norm;
  for (int64_t i = 0; i < n; i++) out[i] = tocha_loss(kind, order, p, x[i], t[i]) * norm * factor;
}

static inline __attribute__((always_inline)) void run_strided(int kind, int order,
                                                              const operands *o, int64_t n) {
  for (int64_t i = 0; i < n; i++) {
    T value = tocha_loss(kind, order, o->p, element(o, 1, i), element(o, 2, i)) * o->norm;
    if (o->scaled) value *= element(o, 3, i);
    *(T *)(void *)(o->data[0] + i * o->strides[0]) = value;
  }
}

/* Computes n elements. The function is inlined with constants, so that no switch is left in the loops. */
static inline __attribute__((always_inline)) void run_one(int kind, int order, const operands *o,
                                                          int64_t n) {
  const int64_t *s = o->strides;
  bool dense = s[0] == sizeof(T) && s[1] == sizeof(T) && s[2] == sizeof(T);
  if (dense && (!o->scaled || s[3] == 0))
    run_dense(kind, order, o, n);
  else
    run_strided(kind, order, o, n);
}

static inline __attribute__((always_inline)) void run_kind(int kind, int order, const operands *o,
                                                           int64_t n) {
  if (order == 0)
    run_one(kind, 0, o, n);
  else if (order == 1)
    run_one(kind, 1, o, n);
  else if (order == 2)
    run_one(kind, 2, o, n);
  else
    run_one(kind, 3, o, n);
}

static inline V operand(const operands *o, int k, int64_t i, int64_t n) {
  return vector_load(o->data[k], o->strides[k], i, n);
}

/* Computes the loss bce_logits (formulas.h) of n elements, with vectors. */
static void run_bce_logits(const operands *o, int64_t n) {
  for (int64_t i = 0; i < n; i += LANES) {
    V x = operand(o, 1, i, n), t = operand(o, 2, i, n);
    const V zero = {0}, size = MAGNITUDE(x);
    V value = (1 - t) * x - (SELECT(x < 0, x, zero) - LOG1P(EXP(-size)));
    value *= o->norm;
    if (o->scaled) value *= operand(o, 3, i, n);
    vector_store(o->data[0], o->strides[0], i, n, value);
  }
}

/* Computes the slopes of bce or bce_logits of n elements, in PyTorch's order: times the factor first, then divided by the
 * number of elements. */
static inline __attribute__((always_inline)) void run_bce_slopes(bool logits, const operands *o,
                                                                 int64_t n) {
  const T minimum = (T)1e-12, count = 1 / o->norm;
  const V zero = {0};
  for (int64_t i = 0; i < n; i += LANES) {
    V x = operand(o, 1, i, n), t = operand(o, 2, i, n);
    V value = x;
    if (logits) value = SIGMOID(x);
    value -= t;
    if (o->scaled) value *= operand(o, 3, i, n);
    if (!logits) {
      V under = (1 - x) * x;
      value /= SELECT(under < minimum, minimum + zero, under);
    }
    vector_store(o->data[0], o->strides[0], i, n, value / count);
  }
}

static bool has_other_than_shares(const operands *o, int k, int64_t n) {
  int other = 0;
  for (int64_t i = 0; i < n; i++) other |= !(element(o, k, i) >= 0 && element(o, k, i) <= 1);
  return other;
}

static unsigned run(int kind, int order, double p, double norm, bool scaled, char *const *data,
                    const int64_t *strides, int64_t n) {
  const operands o = {data, strides, (T)p, (T)norm, scaled};
  unsigned bad = 0;
  switch (kind) {
  case TOCHA_LOSS_MSE:
    run_kind(TOCHA_LOSS_MSE, order, &o, n);
    break;
  case TOCHA_LOSS_SMOOTH_L1:
    run_kind(TOCHA_LOSS_SMOOTH_L1, order, &o, n);
    break;
  case TOCHA_LOSS_HUBER:
    run_kind(TOCHA_LOSS_HUBER, order, &o, n);
    break;
  case TOCHA_LOSS_BCE:
    if (order == 0) {
      bad = has_other_than_shares(&o, 1, n) ? TOCHA_LOSS_BAD_INPUT : 0;
      bad |= has_other_than_shares(&o, 2, n) ? TOCHA_LOSS_BAD_TARGET : 0;
    }
    if (order == 1)
      run_bce_slopes(false, &o, n);
    else
      run_kind(TOCHA_LOSS_BCE, order, &o, n);
    break;
  default:
    if (order == 0)
      run_bce_logits(&o, n);
    else if (order == 1)
      run_bce_slopes(true, &o, n);
    else
      run_kind(TOCHA_LOSS_BCE_LOGITS, order, &o, n);
  }
  return bad;
}

const tocha_loss_loops TOCHA_LOOPS(loss) = {run};
