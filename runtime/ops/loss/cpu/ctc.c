/* ctc.c: the loops of ctc.h. Graves et al., "Connectionist Temporal Classification", 2006: sections 4.1 (forward: equations 6 and 7;
 * backward: 10 and 11) and 4.2 (the gradient: 16), in logarithms. */
#include "ops/loss/cpu/ctc.h"

#include <tgmath.h> /* float functions for floats, as in PyTorch */

/* One sequence: its number in the batch, its length and its number of states. */
typedef struct sequence {
  const tocha_ctc_args *args;
  int64_t n, times, states;
} sequence;

static sequence sequence_of(const tocha_ctc_args *a, int64_t n) {
  return (sequence){a, n, a->input_lengths[n], 2 * a->target_lengths[n] + 1};
}

/* Returns the label of a state: the even states are blanks. */
static int64_t label(const sequence *s, int64_t state) {
  const tocha_ctc_args *a = s->args;
  return state % 2 == 0 ? a->blank : a->targets[a->first[s->n] + state / 2 * a->step];
}

static int64_t row(const sequence *s, int64_t t) {
  return (t * s->args->batch + s->n) * s->args->classes;
}
static const T *probabilities(const sequence *s, int64_t t) {
  return (const T *)s->args->log_probs + row(s, t);
}
static T *alpha_at(const sequence *s, int64_t t) {
  return (T *)s->args->log_alpha + (s->n * s->args->times + t) * s->args->states;
}

/* Returns log(exp a + exp b + exp c). */
static T sum_of(T a, T b, T c) {
  T maximum = a > b ? a : b;
  if (c > maximum) maximum = c;
  if (maximum == -INFINITY) return -INFINITY;
  return log(exp(a - maximum) + exp(b - maximum) + exp(c - maximum)) + maximum;
}

/* Returns the logarithm of the sum of the probabilities of the states that come before a state (by = -1) or after it (by = 1):
 * the state itself, its neighbour, and, over a blank, the second next state if its label differs. */
static T arriving(const sequence *s, const T *from, int64_t state, int64_t by) {
  int64_t next = state + by, second = state + 2 * by;
  bool has_next = next >= 0 && next < s->states, has_second = second >= 0 && second < s->states;
  bool skips = has_second && label(s, second) != label(s, state);
  return sum_of(from[state], has_next ? from[next] : -INFINITY, skips ? from[second] : -INFINITY);
}

static void clear(T *values, int64_t n, tocha_stop stop) {
  TOCHA_PIECES(first, end, n, stop)
  for (int64_t i = first; i < end; i++) values[i] = -INFINITY;
}

static void forward(const tocha_ctc_args *a, int64_t begin, int64_t end, tocha_stop stop) {
  for (int64_t n = begin; n < end; n++) {
    sequence s = sequence_of(a, n);
    T *likelihood = (T *)a->likelihood + n;
    clear(alpha_at(&s, 0), a->times * a->states, stop);
    if (s.times == 0) {
      *likelihood = s.states == 1 ? (T)-0.0 : INFINITY;
      continue;
    }
    T *alpha = alpha_at(&s, 0);
    for (int64_t i = 0; i < 2 && i < s.states; i++) alpha[i] = probabilities(&s, 0)[label(&s, i)];
    for (int64_t t = 1; t < s.times && !tocha_is_set(stop); t++) {
      const T *before = alpha;
      alpha = alpha_at(&s, t);
      for (int64_t i = 0; i < s.states; i++)
        alpha[i] = arriving(&s, before, i, -1) + probabilities(&s, t)[label(&s, i)];
    }
    T last = alpha[s.states - 1], other = s.states > 1 ? alpha[s.states - 2] : -INFINITY;
    *likelihood = -sum_of(last, other, -INFINITY);
  }
}

/* Writes the gradients of time t (classes), given the states' beta (states). They are first computed as logarithms of sums over
 * the states of each label. */
static void gradients(const sequence *s, int64_t t, const T *beta, tocha_stop stop) {
  const tocha_ctc_args *a = s->args;
  T *out = (T *)a->out + row(s, t);
  const T *alpha = alpha_at(s, t), *x = probabilities(s, t);
  T grad = ((const T *)a->grad)[s->n * a->grad_step], loss = ((const T *)a->likelihood)[s->n];
  clear(out, a->classes, stop);
  for (int64_t i = s->states - 1; i >= 0; i--) { /* PyTorch's order */
    int64_t c = label(s, i);
    out[c] = sum_of(out[c], alpha[i] + beta[i], -INFINITY);
  }
  for (int64_t c = 0; c < a->classes; c++) out[c] = (exp(x[c]) - exp(out[c] + loss - x[c])) * grad;
}

static void backward(const tocha_ctc_args *a, int64_t begin, int64_t end, tocha_stop stop) {
  for (int64_t n = begin; n < end; n++) {
    sequence s = sequence_of(a, n);
    bool none = a->zero_infinity && ((const T *)a->likelihood)[n] == INFINITY;
    for (int64_t t = none ? 0 : s.times; t < a->times; t++)
      for (int64_t c = 0; c < a->classes; c++) ((T *)a->out)[row(&s, t) + c] = 0;
    if (none) continue;
    T *beta = (T *)a->work + 2 * n * a->states, *after = beta + a->states;
    for (int64_t t = s.times - 1; t >= 0 && !tocha_is_set(stop); t--) {
      for (int64_t i = 0; i < s.states; i++) {
        T here = probabilities(&s, t)[label(&s, i)];
        if (t == s.times - 1)
          beta[i] = i >= s.states - 2 ? here : -INFINITY;
        else
          beta[i] = arriving(&s, after, i, 1) + here;
      }
      gradients(&s, t, beta, stop);
      T *swapped = beta;
      beta = after;
      after = swapped;
    }
  }
}

const tocha_ctc_loops TOCHA_LOOPS(ctc) = {forward, backward};
