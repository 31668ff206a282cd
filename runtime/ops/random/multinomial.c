/* multinomial.c: draws categories by weights. Without replacement, the categories with the largest
 * quotient of weight and exponential draw are chosen. With replacement, a uniform draw is looked up
 * in the running sum of the shares. */
#include "device/devices.h"
#include "ops/random/kernels.h"
#include "random/implementations.h"
#include "tensor/copy.h"
#include "tensor/iterator.h"
#include "tensor/output.h"
#include "tocha/ops/argmax.h"
#include "tocha/ops/contiguous.h"
#include "tocha/ops/cumsum.h"
#include "tocha/ops/div.h"
#include "tocha/ops/exponential_.h"
#include "tocha/ops/sum.h"
#include "tocha/ops/topk.h"

static bool check_samples(tocha_context *cx, const tocha_tensor *t, int64_t samples,
                          bool replacement) {
  if (!tocha_dtype_is_floating(t->dtype))
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "multinomial only supports floating-point dtypes for input, got: %s",
               tocha_dtype_scalar_type(t->dtype));
  else if (t->ndim != 1 && t->ndim != 2)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "prob_dist must be 1 or 2 dim");
  else if (samples <= 0)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "cannot sample n_sample <= 0 samples");
  else if (!replacement && samples > t->sizes[t->ndim - 1])
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "cannot sample n_sample > prob_dist.size(-1) samples without replacement");
  else if (t->sizes[t->ndim - 1] > (int64_t)1 << 24)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "number of categories cannot exceed 2^24");
  return !tocha_failed(cx);
}

/* Checks weights, which are dense. sums: of each row. one_by_one: the message distinguishes the
 * kinds of wrong weights. */
static bool check_weights(tocha_context *cx, tocha_stream *stream, tocha_tensor *weights,
                          tocha_tensor *sums, bool one_by_one) {
  static const char *const invalid =
      "probability tensor contains either `inf`, `nan` or element < 0";
  weights = weights && !tocha_is_dense(weights) ? tocha_contiguous(cx, weights) : weights;
  sums = sums ? tocha_contiguous(cx, sums) : NULL;
  if (!weights || !sums) return false;
  tocha_weights_args args = {
      .weights = tocha_bytes(weights),
      .sums = tocha_bytes(sums),
      .numel = weights->numel,
      .rows = sums->numel,
      .wide = weights->dtype == TOCHA_FLOAT64,
      .invalid_weight =
          one_by_one ? "invalid multinomial distribution (encountering probability entry < 0)"
                     : invalid,
      .infinite_weight = one_by_one ? "invalid multinomial distribution (encountering probability "
                                      "entry = infinity or NaN)"
                                    : invalid,
      .invalid_sum = "invalid multinomial distribution (sum of probabilities <= 0)"};
  return tocha_launched(cx, stream->kernels->random->check_weights(stream, &args));
}

/* --- by operators ------------------------------------------------------------------------------------- */

/* Draws distinct categories. The draws follow the order of weights' memory. */
static tocha_tensor *draw_distinct(tocha_context *cx, tocha_tensor *weights, int64_t samples,
                                   tocha_generator *generator) {
  const int64_t last = -1;
  tocha_tensor *values, *indices;
  tocha_tensor *draws = tocha_new_copy_of(cx, weights, weights->dtype, weights->device);
  draws = draws ? tocha_exponential_full_(cx, draws, 1, generator) : NULL;
  tocha_tensor *share = tocha_div(cx, weights, draws);
  if (!share) return NULL;
  if (samples == 1) return tocha_argmax(cx, share, &last, true);
  return tocha_topk(cx, share, samples, -1, true, true, &values, &indices) ? indices : NULL;
}

static bool launch_categorical(tocha_context *cx, tocha_stream *stream, tocha_tensor *weights,
                               tocha_tensor *sums, tocha_generator *generator, tocha_tensor *out) {
  int last = weights->ndim - 1;
  tocha_tensor *shares = tocha_contiguous(cx, tocha_div(cx, weights, sums));
  tocha_tensor *running = tocha_contiguous(cx, tocha_cumsum(cx, shares, -1));
  if (!shares || !running) return false;
  tocha_categorical_args args = {.sums = tocha_bytes(running),
                                 .shares = tocha_bytes(shares),
                                 .out = (int64_t *)tocha_bytes(out),
                                 .rows = out->numel / out->sizes[last],
                                 .categories = weights->sizes[last],
                                 .samples = out->sizes[last],
                                 .generator = generator,
                                 .wide = weights->dtype == TOCHA_FLOAT64};
  return tocha_launched(cx, stream->kernels->random->categorical(stream, &args));
}

/* --- by a kernel -------------------------------------------------------------------------------------- */

static bool launch_multinomial(tocha_context *cx, tocha_stream *stream, tocha_tensor *weights,
                               bool replacement, tocha_generator *generator, tocha_tensor *out) {
  int last = weights->ndim - 1;
  tocha_multinomial_args args = {.weights = tocha_bytes(weights),
                                 .out = (int64_t *)tocha_bytes(out),
                                 .rows = out->numel / out->sizes[last],
                                 .categories = weights->sizes[last],
                                 .samples = out->sizes[last],
                                 .generator = generator,
                                 .replacement = replacement,
                                 .wide = weights->dtype == TOCHA_FLOAT64};
  return tocha_launched(cx, stream->kernels->random->multinomial(stream, &args));
}

/* Returns true if a matrix is stored column by column, while a kernel would draw row by row. */
static bool is_by_columns(const tocha_tensor *t) {
  return t->ndim == 2 && t->strides[0] < t->strides[1];
}

tocha_tensor *tocha_op_multinomial(tocha_context *cx, tocha_tensor *self, int64_t num_samples,
                                   bool replacement, tocha_generator *generator) {
  const int64_t last = -1;
  if (!check_samples(cx, self, num_samples, replacement)) return NULL;
  int64_t sizes[2] = {self->sizes[0], num_samples};
  tocha_tensor *out =
      tocha_new(cx, self->ndim, self->ndim == 2 ? sizes : sizes + 1, TOCHA_INT64, self->device);
  if (!out || !tocha_has_elements(out)) return out;
  tocha_generator *g = tocha_generator_for(cx, self->device, generator);
  tocha_stream *stream = g ? tocha_stream_of(cx, self->device) : NULL;
  bool half = tocha_dtype_size(self->dtype) == 2;
  tocha_tensor *exact = half ? tocha_as_dtype(cx, self, TOCHA_FLOAT32) : self;
  if (!stream || !exact) return NULL;
  tocha_tensor *sums = tocha_sum_dim_IntList(cx, exact, 1, &last, true);
  bool distinct = !replacement || num_samples == 1;
  if (!sums || !check_weights(cx, stream, exact, sums, !distinct && !tocha_is_on_device(self)))
    return NULL;
  if (stream->kernels->random->multinomial && !(distinct && is_by_columns(self))) {
    exact = tocha_as_rows(cx, exact, TOCHA_NO_DTYPE);
    return exact && launch_multinomial(cx, stream, exact, replacement, g, out) ? out : NULL;
  }
  if (distinct) return draw_distinct(cx, self, num_samples, g);
  return launch_categorical(cx, stream, exact, sums, g, out) ? out : NULL;
}
