/* factories.c: new tensors of random numbers: rand, randn, randint, randperm, normal,
 * multinomial. */
#include <math.h>

#include "tensor/convert.h"
#include "device/devices.h"
#include "tensor/copy.h"
#include "tensor/transfer.h"
#include "ops/pointwise/elementwise.h"
#include "tensor/iterator.h"
#include "ops/random/philox_device.h"
#include "ops/random/fill.h"
#include "random/implementations.h"
#include "sorting/implementations.h"
#include "tocha/ops/index_add_.h"
#include "tocha/ops/multiply.h"

static tocha_tensor *fresh(tocha_context *cx, int ndim, const int64_t *size, tocha_dtype dtype,
                           tocha_device device) {
  return tocha_new(cx, ndim, size, dtype == TOCHA_NO_DTYPE ? cx->default_dtype : dtype,
                   device.type == TOCHA_NO_DEVICE ? cx->default_device : device);
}

static tocha_tensor *fresh_like(tocha_context *cx, tocha_tensor *like, tocha_dtype dtype,
                                tocha_device device) {
  return tocha_new_output(cx, like->ndim, like->sizes,
                          dtype == TOCHA_NO_DTYPE ? (tocha_dtype)like->dtype : dtype,
                          device.type == TOCHA_NO_DEVICE ? like->device : device, 1, &like);
}

/* t as the factory returns it, or NULL where filling it failed. */
static tocha_tensor *finish(tocha_context *cx, tocha_tensor *t, bool filled, bool requires_grad) {
  if (!t || !filled || !requires_grad) return filled ? t : NULL;
  if (!tocha_dtype_is_floating(t->dtype))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Only Tensors of floating point and complex dtype can require gradients");
  return tocha_set_requires_grad(cx, t, true);
}

tocha_tensor *tocha_op_rand(tocha_context *cx, int size_count, const int64_t *size,
                            tocha_generator *generator, tocha_dtype dtype, tocha_device device,
                            bool requires_grad) {
  tocha_tensor *t = fresh(cx, size_count, size, dtype, device);
  return finish(cx, t, t && tocha_fill_uniform(cx, t, 0, 1, generator), requires_grad);
}

tocha_tensor *tocha_op_randn(tocha_context *cx, int size_count, const int64_t *size,
                             tocha_generator *generator, tocha_dtype dtype, tocha_device device,
                             bool requires_grad) {
  tocha_tensor *t = fresh(cx, size_count, size, dtype, device);
  return finish(cx, t, t && tocha_fill_normal(cx, t, 0, 1, generator), requires_grad);
}

tocha_tensor *tocha_op_randint(tocha_context *cx, int64_t low, int64_t high, int size_count,
                               const int64_t *size, tocha_generator *generator, tocha_dtype dtype,
                               tocha_device device, bool requires_grad) {
  tocha_tensor *t =
      fresh(cx, size_count, size, dtype == TOCHA_NO_DTYPE ? TOCHA_INT64 : dtype, device);
  return finish(cx, t, t && tocha_fill_integers(cx, t, low, high, generator), requires_grad);
}

tocha_tensor *tocha_op_randint_high(tocha_context *cx, int64_t high, int size_count,
                                    const int64_t *size, tocha_generator *generator,
                                    tocha_dtype dtype, tocha_device device, bool requires_grad) {
  return tocha_op_randint(cx, 0, high, size_count, size, generator, dtype, device, requires_grad);
}

tocha_tensor *tocha_op_rand_like(tocha_context *cx, tocha_tensor *self, tocha_dtype dtype,
                                 tocha_device device, bool requires_grad) {
  tocha_tensor *t = fresh_like(cx, self, dtype, device);
  return finish(cx, t, t && tocha_fill_uniform(cx, t, 0, 1, NULL), requires_grad);
}

tocha_tensor *tocha_op_randn_like(tocha_context *cx, tocha_tensor *self, tocha_dtype dtype,
                                  tocha_device device, bool requires_grad) {
  tocha_tensor *t = fresh_like(cx, self, dtype, device);
  return finish(cx, t, t && tocha_fill_normal(cx, t, 0, 1, NULL), requires_grad);
}

tocha_tensor *tocha_op_randint_like(tocha_context *cx, tocha_tensor *self, int64_t low,
                                    int64_t high, tocha_dtype dtype, tocha_device device,
                                    bool requires_grad) {
  tocha_tensor *t = fresh_like(cx, self, dtype, device);
  return finish(cx, t, t && tocha_fill_integers(cx, t, low, high, NULL), requires_grad);
}

tocha_tensor *tocha_op_randint_like_high(tocha_context *cx, tocha_tensor *self, int64_t high,
                                         tocha_dtype dtype, tocha_device device,
                                         bool requires_grad) {
  return tocha_op_randint_like(cx, self, 0, high, dtype, device, requires_grad);
}

/* --- randperm ------------------------------------------------------------------------------------------ */

/* Floating types must hold every index exactly. */
static bool check_permutation(tocha_context *cx, int64_t n, tocha_dtype dtype) {
  static const struct {
    tocha_dtype dtype;
    int64_t most;
  } limits[] = {{TOCHA_FLOAT16, 2049}, {TOCHA_FLOAT32, 16777217}};
  if (dtype == TOCHA_BOOL) {
    tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"randperm\" not implemented for 'Bool'");
    return false;
  }
  for (int i = 0; i < TOCHA_COUNT(limits); i++) {
    if (limits[i].dtype != dtype || n <= limits[i].most) continue;
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "n cannot be greater than %lld for %s type.",
               (long long)limits[i].most, tocha_dtype_scalar_type(dtype));
    return false;
  }
  return n <= 0 || tocha_check_number(cx, tocha_int(n), dtype);
}

tocha_tensor *tocha_op_randperm(tocha_context *cx, int64_t n, tocha_generator *generator,
                                tocha_dtype dtype, tocha_device device, bool requires_grad) {
  if (dtype == TOCHA_NO_DTYPE) dtype = TOCHA_INT64;
  if (!check_permutation(cx, n, dtype)) return NULL;
  tocha_tensor *t = fresh(cx, 1, &n, dtype, device);
  if (!t) return NULL;
  if (t->device.type == TOCHA_META || n == 0) return finish(cx, t, true, requires_grad);
  if (tocha_is_on_device(t)) {
    tocha_tensor *order = tocha_permutation_on_device(cx, n, t->device, generator);
    return finish(cx, t, order && tocha_copy_data(cx, t, order), requires_grad);
  }
  tocha_generator *g = tocha_generator_for(cx, t->device, generator);
  tocha_tensor *order = dtype == TOCHA_INT64 ? t : fresh(cx, 1, &n, TOCHA_INT64, t->device);
  if (!g || !order) return NULL;
  tocha_random_permutation(g, (int64_t *)tocha_bytes(order), (size_t)n);
  return finish(cx, t, order == t || tocha_copy_data(cx, t, order), requires_grad);
}

/* --- normal -------------------------------------------------------------------------------------------- */

/* result = result * std + mean, each as given. */
static tocha_tensor *stretch(tocha_context *cx, tocha_tensor *result, const tocha_operand *std,
                             tocha_operand mean) {
  const tocha_scalar one = tocha_int(1);
  tocha_operand pair[2] = {tocha_operand_of(result)};
  if (std) {
    pair[1] = *std;
    if (!tocha_elementwise_row(cx, TOCHA_ROW_mul, 2, pair, 0, NULL, result)) return NULL;
  }
  pair[1] = mean;
  return tocha_elementwise_row(cx, TOCHA_ROW_add, 2, pair, 1, &one, result);
}

static bool check_std(tocha_context *cx, tocha_tensor *std) {
  if (std->device.type == TOCHA_META) return true;
  tocha_operand pair[2] = {tocha_operand_of(std), tocha_number(tocha_int(0))};
  tocha_tensor *fine = tocha_elementwise_row(cx, TOCHA_ROW_ge, 2, pair, 0, NULL, NULL);
  if (!fine) return false;
  if (!(fine = tocha_on_host(cx, fine))) return false;
  const uint8_t *truth = (const uint8_t *)tocha_bytes(fine);
  for (int64_t i = 0; i < fine->numel; i++) {
    if (truth[i]) continue;
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "normal expects all elements of std >= 0.0");
    return false;
  }
  return true;
}

tocha_tensor *tocha_op_normal(tocha_context *cx, tocha_tensor *mean, tocha_tensor *std,
                              tocha_generator *generator) {
  int ndim;
  int64_t sizes[TOCHA_MAX_DIMS];
  tocha_tensor *both[2] = {mean, std};
  tocha_operand spread = tocha_operand_of(std);
  if (!check_std(cx, std) || !tocha_broadcast_sizes(cx, 2, both, &ndim, sizes)) return NULL;
  tocha_tensor *t = tocha_new(cx, ndim, sizes, mean->dtype, mean->device);
  if (!t || !tocha_fill_normal(cx, t, 0, 1, generator)) return NULL;
  return stretch(cx, t, &spread, tocha_operand_of(mean));
}

tocha_tensor *tocha_op_normal_mean(tocha_context *cx, tocha_tensor *mean, double std,
                                   tocha_generator *generator) {
  tocha_tensor *t = tocha_new_like(cx, mean, mean->dtype);
  if (!t || !tocha_fill_normal(cx, t, 0, std, generator)) return NULL;
  return stretch(cx, t, NULL, tocha_operand_of(mean));
}

tocha_tensor *tocha_op_normal_std(tocha_context *cx, double mean, tocha_tensor *std,
                                  tocha_generator *generator) {
  tocha_operand spread = tocha_operand_of(std);
  if (!check_std(cx, std)) return NULL;
  tocha_tensor *t = tocha_new_like(cx, std, std->dtype);
  if (!t || !tocha_fill_normal(cx, t, 0, 1, generator)) return NULL;
  return stretch(cx, t, &spread, tocha_number(tocha_float(mean)));
}

tocha_tensor *tocha_op_normal_numbers(tocha_context *cx, double mean, double std, int size_count,
                                      const int64_t *size, tocha_generator *generator,
                                      tocha_dtype dtype, tocha_device device, bool requires_grad) {
  tocha_tensor *t = fresh(cx, size_count, size, dtype, device);
  return finish(cx, t, t && tocha_fill_normal(cx, t, mean, std, generator), requires_grad);
}

/* --- multinomial --------------------------------------------------------------------------------------- */

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

/* wide: weights as float64, rows x categories. */
static bool check_weights(tocha_context *cx, const double *wide, int64_t rows, int64_t categories) {
  for (int64_t row = 0; row < rows; row++) {
    double sum = 0;
    for (int64_t i = 0; i < categories; i++) {
      double w = wide[row * categories + i];
      if (!(w >= 0 && w < INFINITY)) {
        tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                   "probability tensor contains either `inf`, `nan` or element < 0");
        return false;
      }
      sum += w;
    }
    if (sum > 0) continue;
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "invalid multinomial distribution (sum of probabilities <= 0)");
    return false;
  }
  return true;
}

/* The greatest of weight / exponential draw win. Draws go along memory, as in PyTorch, which tells
 * for a matrix that lies column by column. */
static tocha_tensor *draw_along_memory(tocha_context *cx, tocha_tensor *self, int64_t num_samples,
                                       tocha_generator *generator) {
  tocha_tensor *values, *indices,
      *draws = tocha_new_output(cx, self->ndim, self->sizes, self->dtype, self->device, 1, &self);
  if (!draws || !tocha_op_exponential_(cx, draws, 1, generator)) return NULL;
  tocha_operand pair[2] = {tocha_operand_of(self), tocha_operand_of(draws)};
  tocha_tensor *share = tocha_elementwise_row(cx, TOCHA_ROW_true_divide, 2, pair, 0, NULL, NULL);
  if (!share || !tocha_op_topk(cx, share, num_samples, -1, true, true, &values, &indices))
    return NULL;
  return indices;
}

tocha_tensor *tocha_op_multinomial(tocha_context *cx, tocha_tensor *self, int64_t num_samples,
                                   bool replacement, tocha_generator *generator) {
  if (!check_samples(cx, self, num_samples, replacement)) return NULL;
  if (tocha_is_on_device(self) && self->numel > 0)
    return tocha_multinomial_on_device(cx, self, num_samples, replacement, generator);
  int64_t rows = self->ndim == 2 ? self->sizes[0] : 1, categories = self->sizes[self->ndim - 1];
  int64_t sizes[2] = {rows, num_samples};
  int ndim = self->ndim;
  tocha_tensor *out = tocha_new(cx, ndim, ndim == 2 ? sizes : sizes + 1, TOCHA_INT64, self->device);
  if (!out || out->numel == 0 || self->device.type == TOCHA_META) return out;
  tocha_dtype type = self->dtype == TOCHA_FLOAT64 ? TOCHA_FLOAT64 : TOCHA_FLOAT32;
  tocha_tensor *weights = tocha_new(cx, ndim, self->sizes, type, self->device);
  tocha_tensor *wide = tocha_new(cx, ndim, self->sizes, TOCHA_FLOAT64, self->device);
  tocha_tensor *work = tocha_new(cx, 1, &categories, TOCHA_FLOAT64, tocha_cpu());
  if (!weights || !wide || !work || !tocha_copy_data(cx, weights, self) ||
      !tocha_copy_data(cx, wide, self) ||
      !check_weights(cx, (double *)tocha_bytes(wide), rows, categories))
    return NULL;
  if ((!replacement || num_samples == 1) && ndim == 2 && self->strides[0] < self->strides[1])
    return draw_along_memory(cx, self, num_samples, generator);
  tocha_generator *g = tocha_generator_for(cx, self->device, generator);
  if (!g) return NULL;
  int64_t *chosen = (int64_t *)tocha_bytes(out);
  double *workspace = (double *)tocha_bytes(work);
  if (type == TOCHA_FLOAT64)
    tocha_random_multinomial_float64(g, chosen, (double *)tocha_bytes(weights), (size_t)rows,
                                     (size_t)categories, (size_t)num_samples, replacement,
                                     workspace);
  else
    tocha_random_multinomial_float32(g, chosen, (float *)tocha_bytes(weights), (size_t)rows,
                                     (size_t)categories, (size_t)num_samples, replacement,
                                     workspace);
  return out;
}
