/* norm.c: the loops of norm.h. Sums are taken in doubles, as in PyTorch's batch normalization. The statistics of layers and
 * groups are computed in one pass (moments.h). */
#include "ops/normalization/cpu/norm.h"

#include <math.h>

#include "ops/normalization/cpu/moments.h"
#include "tensor/math/half.h"
#include "tensor/interruptible.h"

typedef const tocha_norm_args *call;
enum { LANES = 16, PANEL = TOCHA_NORM_PANEL, EIGHT = 8 };

/* Named vectors, because gcc splits a loop over the lanes into scalars. They are passed by address, because not every
 * instruction set passes such a vector in a register. */
typedef T eight __attribute__((vector_size(EIGHT * sizeof(T))));
typedef double eight_doubles __attribute__((vector_size(EIGHT * sizeof(double))));
typedef struct lanes {
  eight_doubles parts[LANES / EIGHT];
} lanes;

static inline void read_eight(eight *e, const T *x) { memcpy(e, x, sizeof *e); }

static inline void add_eight(lanes *to, int part, const eight *e) {
  to->parts[part] += __builtin_convertvector(*e, eight_doubles);
}

static inline double added(const lanes *l) {
  double sum = 0;
  for (int k = 0; k < LANES; k++) sum += l->parts[k / EIGHT][k % EIGHT];
  return sum;
}

static double sum_of(const T *x, int64_t n, tocha_stop stop) {
  lanes l = {0};
  double rest = 0;
  int64_t i = 0;
  for (; i + LANES <= n && !tocha_ends_at(i, stop); i += LANES)
    for (int k = 0; k < LANES / EIGHT; k++) {
      eight e;
      read_eight(&e, x + i + k * EIGHT);
      add_eight(&l, k, &e);
    }
  for (; i < n && n - i < LANES; i++) rest += (double)x[i];
  return added(&l) + rest;
}

static double squares_of(const T *x, int64_t n, T mean, tocha_stop stop) {
  lanes l = {0};
  double rest = 0;
  int64_t i = 0;
  for (; i + LANES <= n && !tocha_ends_at(i, stop); i += LANES)
    for (int k = 0; k < LANES / EIGHT; k++) {
      eight delta;
      read_eight(&delta, x + i + k * EIGHT);
      delta -= mean;
      delta *= delta;
      add_eight(&l, k, &delta);
    }
  for (; i < n && n - i < LANES; i++) rest += (double)((x[i] - mean) * (x[i] - mean));
  return added(&l) + rest;
}

/* Computes the sums of g and of g (x - mean), where g is grad, times the weight of each element if there are weights. */
static inline __attribute__((always_inline)) void sums_of(const T *grad, const T *x,
                                                          const T *weight, int64_t n, T mean,
                                                          double *sum, double *dot,
                                                          tocha_stop stop) {
  lanes sums = {0}, dots = {0};
  int64_t i = 0;
  for (; i + LANES <= n && !tocha_ends_at(i, stop); i += LANES)
    for (int k = 0; k < LANES / EIGHT; k++) {
      eight g, delta, w;
      int64_t at = i + k * EIGHT;
      read_eight(&g, grad + at);
      read_eight(&delta, x + at);
      if (weight) read_eight(&w, weight + at), g *= w;
      add_eight(&sums, k, &g);
      delta = g * (delta - mean);
      add_eight(&dots, k, &delta);
    }
  for (; i < n && n - i < LANES; i++) {
    T g = weight ? grad[i] * weight[i] : grad[i];
    *sum += (double)g;
    *dot += (double)(g * (x[i] - mean));
  }
  *sum += added(&sums);
  *dot += added(&dots);
}

/* --- sets and channels ------------------------------------------------------------------------------------ */

static int64_t depth_of(call a) { return a->length / a->inner; } /* channels of a set */
static int64_t first_channel(call a, int64_t set) { return set % a->groups * depth_of(a); }
static double count_of(call a) { return (double)(a->runs * a->length); }

static T mean_of(call a, int64_t set) {
  return ((const T *)(a->fixed ? a->running_mean : a->mean))[set];
}
/* Returns 1 / the deviation of a set. From running statistics PyTorch computes it in T in the forward pass and in double in the
 * backward pass. */
static T rstd_of(call a, int64_t set) {
  if (!a->fixed) return ((const T *)a->rstd)[set];
  T var = ((const T *)a->running_var)[set];
  return a->grad ? (T)(1 / sqrt((double)var + a->eps)) : 1 / (T)sqrt((double)(var + (T)a->eps));
}
static T weight_of(call a, int64_t channel) {
  return a->weight ? ((const T *)a->weight)[channel] : 1;
}
static T bias_of(call a, int64_t channel) { return a->bias ? ((const T *)a->bias)[channel] : 0; }

/* Sets rstd and the running statistics of a set whose mean is known, from its sum of squares. */
static void finish(call a, int64_t set, T squares) {
  T mean = ((T *)a->mean)[set], *running_mean = a->running_mean, *running_var = a->running_var;
  T n = (T)count_of(a), m = (T)a->momentum, rest = (T)(1 - a->momentum);
  ((T *)a->rstd)[set] = (T)(1 / sqrt((double)(squares / n) + a->eps));
  if (running_mean) running_mean[set] = m * mean + rest * running_mean[set];
  if (running_var) running_var[set] = FMA(squares / (n - 1), m, rest * running_var[set]);
}

/* --- forward ---------------------------------------------------------------------------------------------- */

static void set_moments(call a, tocha_stop stop, int64_t set) {
  const T *x = (const T *)a->in + set * a->length;
  if (a->one_pass) {
    T var, *rstd = (T *)a->rstd + set;
    bool layer = a->groups == 1 && a->inner == 1;
    row_moments(x, a->length, stop, (T *)a->mean + set, &var);
    var /= (T)a->length;
    *rstd = layer ? 1 / (T)sqrt((double)(var + (T)a->eps)) : (T)(1 / sqrt((double)var + a->eps));
    return;
  }
  int64_t step = a->sets * a->length;
  double sum = 0, squares = 0;
  for (int64_t r = 0; r < a->runs; r++) sum += sum_of(x + r * step, a->length, stop);
  T mean = ((T *)a->mean)[set] = (T)(sum / count_of(a));
  for (int64_t r = 0; r < a->runs; r++) squares += squares_of(x + r * step, a->length, mean, stop);
  finish(a, set, (T)squares);
}

/* Returns the weights (or biases) of a set's elements, one each, or NULL if there are none. */
static const T *weights_from(const void *weights, int64_t channel) {
  return weights ? (const T *)weights + channel : NULL;
}

/* Computes n elements of out. Without weights (or biases) the pointer is a constant NULL in the inlined code, because a test
 * for each element would keep the loop from being vectorized. */
static inline __attribute__((always_inline)) void
weigh(const T *restrict x, T *restrict out, const T *w, const T *b, int64_t n, T mean, T rstd) {
  for (int64_t i = 0; i < n; i++) {
    T unit = (x[i] - mean) * rstd;
    out[i] = w && b ? FMA(unit, w[i], b[i]) : (w ? unit * w[i] : unit) + (b ? b[i] : 0);
  }
}

static void each_weight(call a, tocha_stop stop, int64_t channel, const T *x, T *out, T mean,
                        T rstd) {
  const T *w = weights_from(a->weight, channel), *b = weights_from(a->bias, channel);
  TOCHA_PIECES(first, end, a->length, stop) {
    int64_t n = end - first;
    if (w && b)
      weigh(x + first, out + first, w + first, b + first, n, mean, rstd);
    else if (w)
      weigh(x + first, out + first, w + first, NULL, n, mean, rstd);
    else
      weigh(x + first, out + first, NULL, b ? b + first : NULL, n, mean, rstd);
  }
}

/* Computes (x - mean) scale + bias for the elements of a channel (inner), with FMA as PyTorch uses it. */
static void scale_and_shift(call a, tocha_stop stop, const T *restrict x, T *restrict out, T scale,
                            T mean, T bias) {
  T shift = FMA(-mean, scale, bias);
  TOCHA_PIECES(first, end, a->inner, stop)
  for (int64_t i = first; i < end; i++) out[i] = FMA(x[i], scale, shift);
}

static void set_forward(call a, tocha_stop stop, int64_t set) {
  T mean = mean_of(a, set), rstd = rstd_of(a, set);
  for (int64_t r = 0; r < a->runs; r++) {
    int64_t at = (r * a->sets + set) * a->length;
    if (a->inner == 1 || (a->one_pass && !a->weight && !a->bias)) {
      each_weight(a, stop, first_channel(a, set), (const T *)a->in + at, (T *)a->out + at, mean,
                  rstd);
      continue;
    }
    for (int64_t d = 0; d < depth_of(a); d++, at += a->inner) {
      int64_t channel = first_channel(a, set) + d;
      T scale = rstd * weight_of(a, channel);
      scale_and_shift(a, stop, (const T *)a->in + at, (T *)a->out + at, scale, mean,
                      bias_of(a, channel));
    }
  }
}

/* Sums of columns, a few rows at a time. Each sum is read and written once for all of these rows, and the rows are added one
 * after the other in T, as PyTorch does. */
enum { FEW_ROWS = 4 };

static inline __attribute__((always_inline)) void
add_rows(const T *restrict x, int64_t step, int rows, int64_t width, T *restrict sum) {
  for (int64_t j = 0; j < width; j++) {
    T s = sum[j];
    for (int k = 0; k < rows; k++) s += x[j + k * step];
    sum[j] = s;
  }
}

static inline __attribute__((always_inline)) void add_squares(const T *restrict x, int64_t step,
                                                              int rows, int64_t width,
                                                              const T *restrict mean,
                                                              T *restrict squares) {
  for (int64_t j = 0; j < width; j++) {
    T s = squares[j];
    for (int k = 0; k < rows; k++) {
      T delta = x[j + k * step] - mean[j];
      s = FMA(delta, delta, s);
    }
    squares[j] = s;
  }
}

static inline __attribute__((always_inline)) void
add_dots(const T *restrict grad, const T *restrict x, int64_t step, int rows, int64_t width,
         const T *restrict mean, T *restrict sum, T *restrict dot) {
  for (int64_t j = 0; j < width; j++) {
    T s = sum[j], d = dot[j];
    for (int k = 0; k < rows; k++) {
      T g = grad[j + k * step];
      s += g;
      d = FMA(x[j + k * step] - mean[j], g, d);
    }
    sum[j] = s;
    dot[j] = d;
  }
}

/* Adds the columns set..set + width of x (runs, sets) to sum, or, if `mean` is given, the squares of their distances from it. */
static void panel_sums(call a, tocha_stop stop, int64_t set, int64_t width, const T *mean, T *sum) {
  const T *x = (const T *)a->in + set;
  int64_t r = 0;
  for (; r + FEW_ROWS <= a->runs && !tocha_ends_at(r * PANEL, stop); r += FEW_ROWS)
    if (mean)
      add_squares(x + r * a->sets, a->sets, FEW_ROWS, width, mean, sum);
    else
      add_rows(x + r * a->sets, a->sets, FEW_ROWS, width, sum);
  for (; r < a->runs && a->runs - r < FEW_ROWS; r++)
    if (mean)
      add_squares(x + r * a->sets, a->sets, 1, width, mean, sum);
    else
      add_rows(x + r * a->sets, a->sets, 1, width, sum);
}

static void panel_moments(call a, tocha_stop stop, int64_t set, int64_t width) {
  T sum[PANEL] = {0}, squares[PANEL] = {0};
  T *mean = (T *)a->mean + set;
  panel_sums(a, stop, set, width, NULL, sum);
  for (int64_t j = 0; j < width; j++) mean[j] = sum[j] / (T)count_of(a);
  panel_sums(a, stop, set, width, mean, squares);
  for (int64_t j = 0; j < width; j++) finish(a, set + j, squares[j]);
}

static void panel_forward(call a, tocha_stop stop, int64_t set, int64_t width) {
  T scale[PANEL], shift[PANEL];
  for (int64_t j = 0; j < width; j++) {
    int64_t channel = first_channel(a, set + j);
    scale[j] = rstd_of(a, set + j) * weight_of(a, channel);
    shift[j] = FMA(-mean_of(a, set + j), scale[j], bias_of(a, channel));
  }
  for (int64_t r = 0; r < a->runs && !tocha_ends_at(r * PANEL, stop); r++) {
    const T *restrict x = (const T *)a->in + r * a->sets + set;
    T *restrict out = (T *)a->out + r * a->sets + set;
    for (int64_t j = 0; j < width; j++) out[j] = FMA(x[j], scale[j], shift[j]);
  }
}

static void forward(const tocha_norm_args *a, int64_t begin, int64_t end, tocha_stop stop) {
  bool columns = a->length == 1 && (a->runs > 1 || a->fixed); /* not for layers of one element */
  int64_t step = columns ? PANEL : 1;
  for (int64_t set = begin; set < end; set += step) {
    int64_t width = end - set < step ? end - set : step;
    bool known = a->fixed || a->known;
    if (!known && step == 1) set_moments(a, stop, set);
    if (!known && step > 1) panel_moments(a, stop, set, width);
    if (step == 1)
      set_forward(a, stop, set);
    else
      panel_forward(a, stop, set, width);
  }
}

/* --- the gradient of the input ---------------------------------------------------------------------------- */

static void set_sums(call a, tocha_stop stop, int64_t set, T mean, double *sum, double *dot) {
  for (int64_t r = 0; r < a->runs; r++) {
    int64_t at = (r * a->sets + set) * a->length;
    const T *grad = (const T *)a->grad + at, *x = (const T *)a->in + at;
    if (a->inner == 1 && a->weight) {
      sums_of(grad, x, weights_from(a->weight, first_channel(a, set)), a->length, mean, sum, dot,
              stop);
      continue;
    }
    for (int64_t d = 0; d < depth_of(a); d++) {
      double one = 0, one_dot = 0;
      int64_t n = a->inner == 1 ? a->length : a->inner;
      sums_of(grad + d * n, x + d * n, NULL, n, mean, &one, &one_dot, stop);
      *sum += one * (double)weight_of(a, first_channel(a, set) + d);
      *dot += one_dot * (double)weight_of(a, first_channel(a, set) + d);
      if (n == a->length) break;
    }
  }
}

static void set_backward(call a, tocha_stop stop, int64_t set) {
  T mean = mean_of(a, set), rstd = rstd_of(a, set);
  double sum = 0, dot = 0, n = count_of(a);
  if (!a->fixed) set_sums(a, stop, set, mean, &sum, &dot);
  T k = (T)(dot * (double)rstd * (double)rstd / n), level = (T)(sum / n);
  for (int64_t r = 0; r < a->runs; r++) {
    int64_t at = (r * a->sets + set) * a->length;
    const T *restrict grad = (const T *)a->grad + at, *restrict x = (const T *)a->in + at;
    T *restrict out = (T *)a->out + at;
    const T *restrict weight = weights_from(a->weight, first_channel(a, set));
    if (a->inner == 1) {
      TOCHA_PIECES(first, end, a->length, stop)
      for (int64_t i = first; i < end; i++)
        out[i] = (grad[i] * (weight ? weight[i] : 1) - level - (x[i] - mean) * k) * rstd;
      continue;
    }
    for (int64_t d = 0; d < depth_of(a); d++) {
      T w = weight_of(a, first_channel(a, set) + d);
      int64_t begin = d * a->inner;
      TOCHA_PIECES(first, end, a->inner, stop)
      for (int64_t i = begin + first; i < begin + end; i++)
        out[i] = (grad[i] * w - level - (x[i] - mean) * k) * rstd;
    }
  }
}

static void store_weights(call a, int64_t channel, double sum, double dot) {
  if (a->grad_weight) ((T *)a->grad_weight)[channel] = (T)dot;
  if (a->grad_bias) ((T *)a->grad_bias)[channel] = (T)sum;
}

/* --- the gradients of batches --------------------------------------------------------------------------------- */

static inline T lanes_in_halves(const row_lanes *l) {
  T sums[W];
  memcpy(sums, l, sizeof sums);
  for (int half = W / 2; half > 0; half /= 2)
    for (int k = 0; k < half; k++) sums[k] += sums[k + half];
  return sums[0];
}

/* Adds the sums of g and of g (x - mean) over one run of n elements, in 32-byte lanes, as PyTorch computes them. */
static void add_run(const T *g, const T *x, int64_t n, T mean, double *sum, double *dot) {
  int64_t i = W;
  if (n < W) {
    T s = g[0], d = g[0] * (x[0] - mean);
    for (i = 1; i < n; i++) s += g[i], d += g[i] * (x[i] - mean);
    *sum += (double)s;
    *dot += (double)d;
    return;
  }
  row_lanes sums, dots, grad, value;
  memcpy(&sums, g, sizeof sums);
  memcpy(&value, x, sizeof value);
  dots = (value - mean) * sums;
  for (; i + W <= n; i += W) {
    memcpy(&grad, g + i, sizeof grad);
    memcpy(&value, x + i, sizeof value);
    sums += grad;
    dots += (value - mean) * grad;
  }
  for (int k = 0; i < n; i++, k++) sums[k] += g[i], dots[k] = FMA(x[i] - mean, g[i], dots[k]);
  *sum += (double)lanes_in_halves(&sums);
  *dot += (double)lanes_in_halves(&dots);
}

/* Computes the gradients of one channel's input (runs, 1, length), weight and bias. */
static void batch_backward(call a, tocha_stop stop, int64_t set) {
  T mean = mean_of(a, set), rstd = rstd_of(a, set), w = weight_of(a, set), n = (T)count_of(a);
  int64_t step = a->sets * a->length;
  const T *restrict grad = (const T *)a->grad + set * a->length;
  const T *restrict x = (const T *)a->in + set * a->length;
  double sum = 0, dot = 0;
  bool sums = !a->fixed || a->grad_weight || a->grad_bias;
  for (int64_t r = 0; sums && r < a->runs && !tocha_is_set(stop); r++)
    add_run(grad + r * step, x + r * step, a->length, mean, &sum, &dot);
  store_weights(a, set, sum, dot * (double)rstd);
  T k = (T)dot * rstd * rstd / n, level = (T)(sum / count_of(a));
  for (int64_t r = 0; a->out && r < a->runs && !tocha_is_set(stop); r++, grad += step, x += step) {
    T *restrict out = (T *)a->out + (r * a->sets + set) * a->length;
    if (a->fixed)
      for (int64_t i = 0; i < a->length; i++) out[i] = grad[i] * rstd * w;
    else
      for (int64_t i = 0; i < a->length; i++)
        out[i] = FMA(-(x[i] - mean), k, grad[i] - level) * rstd * w;
  }
}

/* --- the gradients of columns --------------------------------------------------------------------------------- */

/* Adds the columns of grad (runs, sets), and those of grad (x - mean), to sum and dot. */
static void panel_dots(call a, tocha_stop stop, int64_t set, int64_t width, const T *mean, T *sum,
                       T *dot) {
  const T *grad = (const T *)a->grad + set, *x = (const T *)a->in + set;
  int64_t r = 0, step = a->sets;
  for (; r + FEW_ROWS <= a->runs && !tocha_ends_at(r * PANEL, stop); r += FEW_ROWS)
    add_dots(grad + r * step, x + r * step, step, FEW_ROWS, width, mean, sum, dot);
  for (; r < a->runs && a->runs - r < FEW_ROWS; r++)
    add_dots(grad + r * step, x + r * step, step, 1, width, mean, sum, dot);
}

static void panel_backward(call a, tocha_stop stop, int64_t set, int64_t width) {
  T mean[PANEL], rstd[PANEL], w[PANEL], k[PANEL], level[PANEL];
  T sum[PANEL] = {0}, dot[PANEL] = {0}, n = (T)count_of(a);
  for (int64_t j = 0; j < width; j++) {
    mean[j] = mean_of(a, set + j);
    rstd[j] = rstd_of(a, set + j);
    w[j] = weight_of(a, first_channel(a, set + j));
  }
  if (!a->fixed || a->grad_weight || a->grad_bias) panel_dots(a, stop, set, width, mean, sum, dot);
  for (int64_t j = 0; j < width && tocha_norm_of_batches(a); j++)
    store_weights(a, set + j, (double)sum[j], (double)(dot[j] * rstd[j]));
  for (int64_t j = 0; j < width; j++) {
    k[j] = a->fixed ? 0 : dot[j] * rstd[j] * rstd[j] / n;
    level[j] = a->fixed ? 0 : sum[j] / n;
  }
  for (int64_t r = 0; a->out && r < a->runs && !tocha_ends_at(r * PANEL, stop); r++) {
    const T *restrict grad = (const T *)a->grad + r * a->sets + set;
    const T *restrict x = (const T *)a->in + r * a->sets + set;
    T *restrict out = (T *)a->out + r * a->sets + set;
    for (int64_t j = 0; j < width; j++)
      out[j] = FMA(-(x[j] - mean[j]), k[j], grad[j] - level[j]) * rstd[j] * w[j];
  }
}

static void backward(const tocha_norm_args *a, int64_t begin, int64_t end, tocha_stop stop) {
  int64_t step = a->length == 1 ? PANEL : 1;
  for (int64_t set = begin; set < end; set += step) {
    if (step == 1)
      (tocha_norm_of_batches(a) ? batch_backward : set_backward)(a, stop, set);
    else
      panel_backward(a, stop, set, end - set < step ? end - set : step);
  }
}

/* --- the gradients of weight and bias: (batch, channels, inner) ------------------------------------------- */

static void panel_weights(call a, tocha_stop stop, int64_t channel, int64_t width) {
  double sum[PANEL] = {0}, dot[PANEL] = {0};
  int64_t channels = a->groups * depth_of(a), batch = a->runs * a->sets / a->groups;
  for (int64_t b = 0; b < batch && !tocha_ends_at(b * PANEL, stop); b++) {
    const T *restrict grad = (const T *)a->grad + b * channels + channel;
    const T *restrict x = (const T *)a->in + b * channels + channel;
    if (a->groups == 1) { /* all channels belong to one set */
      T mean = mean_of(a, b % a->sets), rstd = rstd_of(a, b % a->sets);
      for (int64_t j = 0; j < width; j++) {
        sum[j] += (double)grad[j];
        dot[j] += (double)(grad[j] * ((x[j] - mean) * rstd));
      }
      continue;
    }
    for (int64_t j = 0; j < width; j++) {
      int64_t set = (b * a->groups + (channel + j) / depth_of(a)) % a->sets;
      sum[j] += (double)grad[j];
      dot[j] += (double)(grad[j] * ((x[j] - mean_of(a, set)) * rstd_of(a, set)));
    }
  }
  for (int64_t j = 0; j < width; j++) store_weights(a, channel + j, sum[j], dot[j]);
}

/* Computes the gradients of the weights of layers (sets, length): row after row, as PyTorch adds them, with FMA. */
static void panel_weights_of_layers(call a, tocha_stop stop, int64_t channel, int64_t width) {
  T sum[PANEL] = {0}, dot[PANEL] = {0};
  for (int64_t b = 0; b < a->sets && !tocha_ends_at(b * PANEL, stop); b++) {
    const T *restrict grad = (const T *)a->grad + b * a->length + channel;
    const T *restrict x = (const T *)a->in + b * a->length + channel;
    T rstd = rstd_of(a, b), shift = -rstd * mean_of(a, b);
    for (int64_t j = 0; j < width; j++) {
      sum[j] += grad[j];
      dot[j] = FMA(grad[j], FMA(rstd, x[j], shift), dot[j]);
    }
  }
  for (int64_t j = 0; j < width; j++) store_weights(a, channel + j, (double)sum[j], (double)dot[j]);
}

/* Computes the gradients of the weights of layers (sets, length) in 16 bits: row after row, in sums of the 16-bit type, as
 * PyTorch does. */
static void panel_weights_in_16_bits(call a, tocha_stop stop, int64_t channel, int64_t width) {
  float sum[PANEL] = {0}, dot[PANEL] = {0};
  bool bfloat16 = a->kept == TOCHA_BFLOAT16;
  for (int64_t b = 0; b < a->sets && !tocha_ends_at(b * PANEL, stop); b++) {
    const T *restrict grad = (const T *)a->grad + b * a->length + channel;
    const T *restrict x = (const T *)a->in + b * a->length + channel;
    T mean = mean_of(a, b), rstd = rstd_of(a, b);
    for (int64_t j = 0; j < width; j++) {
      sum[j] = tocha_through_16_bits(sum[j] + (float)grad[j], bfloat16);
      dot[j] = tocha_through_16_bits(dot[j] + (float)(grad[j] * ((x[j] - mean) * rstd)), bfloat16);
    }
  }
  for (int64_t j = 0; j < width; j++) store_weights(a, channel + j, (double)sum[j], (double)dot[j]);
}

static void channel_weights(call a, tocha_stop stop, int64_t channel) {
  double sum = 0, dot = 0;
  int64_t channels = a->groups * depth_of(a), batch = a->runs * a->sets / a->groups;
  for (int64_t b = 0; b < batch; b++) {
    int64_t set = (b * a->groups + channel / depth_of(a)) % a->sets;
    int64_t at = (b * channels + channel) * a->inner;
    double one = 0, one_dot = 0;
    sums_of((const T *)a->grad + at, (const T *)a->in + at, NULL, a->inner, mean_of(a, set), &one,
            &one_dot, stop);
    sum += one;
    dot += one_dot * (double)rstd_of(a, set);
  }
  store_weights(a, channel, sum, dot);
}

static void weights(const tocha_norm_args *a, int64_t begin, int64_t end, tocha_stop stop) {
  int64_t step = a->inner == 1 ? PANEL : 1;
  for (int64_t channel = begin; channel < end; channel += step) {
    if (step == 1)
      channel_weights(a, stop, channel);
    else if (a->kept == TOCHA_FLOAT16 || a->kept == TOCHA_BFLOAT16)
      panel_weights_in_16_bits(a, stop, channel, end - channel < step ? end - channel : step);
    else if (a->one_pass && a->groups == 1)
      panel_weights_of_layers(a, stop, channel, end - channel < step ? end - channel : step);
    else
      panel_weights(a, stop, channel, end - channel < step ? end - channel : step);
  }
}

const tocha_norm_loops TOCHA_LOOPS(norm) = {forward, backward, weights};
