/* kernels.c: the CPU's kernels of random numbers. */
#include "ops/random/kernels.h"

#include <math.h>

#include "device/devices.h"
#include "ops/random/cpu/fill.h"
#include "tensor/convert.h"
#include "tensor/iterator.h"

/* --- bernoulli ----------------------------------------------------------------------------------- */

typedef struct trials {
  tocha_generator *generator;
  bool wide, refused; /* wide: the probabilities are float64 */
  tocha_converter load, store;
} trials;

static bool are_probabilities(const double *wide, const float *narrow, bool is_wide, int64_t n) {
  for (int64_t i = 0; i < n; i++) {
    double p = is_wide ? wide[i] : narrow[i];
    if (!(p >= 0 && p <= 1)) return false;
  }
  return true;
}

static void bernoulli_run(void *user, char *const *data, const int64_t *strides, int64_t n) {
  trials *t = user;
  double wide[TOCHA_RANDOM_BLOCK];
  float *narrow = (float *)wide;
  uint8_t samples[TOCHA_RANDOM_BLOCK];
  for (int64_t at = 0; at < n && !t->refused; at += TOCHA_RANDOM_BLOCK) {
    int64_t count = n - at < TOCHA_RANDOM_BLOCK ? n - at : TOCHA_RANDOM_BLOCK;
    t->load((char *)wide, t->wide ? 8 : 4, data[1] + at * strides[1], strides[1], count);
    t->refused = !are_probabilities(wide, narrow, t->wide, count);
    if (t->refused) return;
    if (t->wide)
      tocha_random_bernoulli_float64(t->generator, wide, samples, (size_t)count);
    else
      tocha_random_bernoulli_float32(t->generator, narrow, samples, (size_t)count);
    t->store(data[0] + at * strides[0], strides[0], (const char *)samples, 1, count);
  }
}

static bool bernoulli(tocha_stream *stream, const tocha_bernoulli_args *args) {
  tocha_context *cx = tocha_stream_context(stream);
  tocha_dtype out = (tocha_dtype)args->layout->dtype[0], p = (tocha_dtype)args->layout->dtype[1];
  trials t = {.generator = args->generator, .wide = p == TOCHA_FLOAT64};
  t.load = tocha_conversion(t.wide ? TOCHA_FLOAT64 : TOCHA_FLOAT32, p);
  t.store = tocha_conversion(out, TOCHA_UINT8);
  if (!tocha_run_layout_serial(cx, args->layout, bernoulli_run, &t)) return false;
  if (t.refused)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error "
               "message be improved?  If so, please report an enhancement request to PyTorch.)");
  return !t.refused;
}

/* --- dropout ------------------------------------------------------------------------------------- */

typedef struct dropout_call {
  tocha_generator *generator;
  double keep, scale;
  bool wide;
  tocha_converter load, store; /* input to float32, or float64 if wide, and back */
} dropout_call;

/* Computes (x * mask) * scale. Infinite elements and NaN become NaN if the mask is 0. */
static void mask_float32(float *x, const uint8_t *mask, int64_t n, float scale) {
  for (int64_t i = 0; i < n; i++) x[i] = x[i] * (float)mask[i] * scale;
}

static void mask_float64(double *x, const uint8_t *mask, int64_t n, double scale) {
  for (int64_t i = 0; i < n; i++) x[i] = x[i] * (double)mask[i] * scale;
}

static void dropout_run(void *user, char *const *data, const int64_t *strides, int64_t n) {
  const dropout_call *c = user;
  const int64_t item = c->wide ? 8 : 4;
  _Alignas(64) char x[TOCHA_RANDOM_BLOCK * 8];
  uint8_t samples[TOCHA_RANDOM_BLOCK];
  for (int64_t at = 0; at < n; at += TOCHA_RANDOM_BLOCK) {
    int64_t count = n - at < TOCHA_RANDOM_BLOCK ? n - at : TOCHA_RANDOM_BLOCK;
    uint8_t *mask = strides[2] == 1 ? (uint8_t *)data[2] + at : samples;
    tocha_random_bernoulli_scalar(c->generator, c->keep, mask, (size_t)count);
    c->load(x, item, data[1] + at * strides[1], strides[1], count);
    if (c->wide)
      mask_float64((double *)(void *)x, mask, count, c->scale);
    else
      mask_float32((float *)(void *)x, mask, count, (float)c->scale);
    c->store(data[0] + at * strides[0], strides[0], x, item, count);
    for (int64_t i = 0; mask == samples && i < count; i++)
      data[2][(at + i) * strides[2]] = (char)mask[i];
  }
}

static bool dropout(tocha_stream *stream, const tocha_dropout_args *args) {
  tocha_dtype dtype = (tocha_dtype)args->layout->dtype[0];
  bool wide = dtype == TOCHA_FLOAT64;
  tocha_dtype compute = wide ? TOCHA_FLOAT64 : TOCHA_FLOAT32;
  dropout_call c = {.generator = args->generator,
                    .keep = args->keep,
                    .scale = args->keep == 0 ? 0 : 1 / args->keep,
                    .wide = wide,
                    .load = tocha_conversion(compute, dtype),
                    .store = tocha_conversion(dtype, compute)};
  return tocha_run_layout_serial(tocha_stream_context(stream), args->layout, dropout_run, &c);
}

/* --- permutation and multinomial ----------------------------------------------------------------- */

static bool permutation(tocha_stream *stream, const tocha_permutation_args *args) {
  tocha_context *cx = tocha_stream_context(stream);
  tocha_random_permutation(args->generator, args->order, (size_t)args->n,
                           &cx->interrupted.requested);
  return !tocha_interrupted(cx);
}

static double weight_at(const void *weights, bool wide, int64_t i) {
  return wide ? ((const double *)weights)[i] : ((const float *)weights)[i];
}

static bool check_weights(tocha_stream *stream, const tocha_weights_args *args) {
  tocha_context *cx = tocha_stream_context(stream);
  for (int64_t i = 0; i < args->numel; i++) {
    double w = weight_at(args->weights, args->wide, i);
    if (w >= 0 && w < INFINITY) continue;
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s", w > 0 ? args->infinite_weight : args->invalid_weight);
    return false;
  }
  for (int64_t i = 0; i < args->rows; i++) {
    if (weight_at(args->sums, args->wide, i) > 0) continue;
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s", args->invalid_sum);
    return false;
  }
  return true;
}

static bool multinomial(tocha_stream *stream, const tocha_multinomial_args *args) {
  tocha_context *cx = tocha_stream_context(stream);
  size_t rows = (size_t)args->rows, categories = (size_t)args->categories;
  uint64_t bytes = categories * sizeof(double);
  double *workspace = tocha_allocate(cx, bytes);
  if (!workspace) return false;
  if (args->wide)
    tocha_random_multinomial_float64(args->generator, args->out, args->weights, rows, categories,
                                     (size_t)args->samples, args->replacement, workspace,
                                     &cx->interrupted.requested);
  else
    tocha_random_multinomial_float32(args->generator, args->out, args->weights, rows, categories,
                                     (size_t)args->samples, args->replacement, workspace,
                                     &cx->interrupted.requested);
  tocha_deallocate(cx, workspace, bytes);
  return !tocha_interrupted(cx);
}

extern const tocha_random_kernels tocha_cpu_random;
const tocha_random_kernels tocha_cpu_random = {.random = tocha_random_on_cpu,
                                               .bernoulli = bernoulli,
                                               .dropout = dropout,
                                               .permutation = permutation,
                                               .check_weights = check_weights,
                                               .multinomial = multinomial};
