/* factories.c: new tensors of random numbers: rand, randn, randint, randperm, normal. */
#include "ops/pointwise/elementwise.h"
#include "pointwise/formulas/add.h"
#include "pointwise/formulas/ge.h"
#include "pointwise/formulas/mul.h"
#include "ops/random/fill.h"
#include "ops/creation/factory.h"
#include "random/implementations.h"
#include "tensor/copy.h"
#include "tensor/iterator.h"
#include "tensor/output.h"
#include "tensor/transfer.h"

static tocha_tensor *fresh(tocha_context *cx, int ndim, const int64_t *size, tocha_dtype dtype,
                           tocha_device device) {
  return tocha_new(cx, ndim, size, dtype == TOCHA_NO_DTYPE ? cx->default_dtype : dtype,
                   device.type == TOCHA_NO_DEVICE ? cx->default_device : device);
}

/* Returns t with requires_grad set as asked, or NULL if t was not filled. */
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

tocha_tensor *tocha_op_rand_like(tocha_context *cx, tocha_tensor *self, tocha_dtype dtype,
                                 tocha_device device, bool requires_grad,
                                 const char *memory_format) {
  tocha_tensor *t = tocha_factory_like(cx, "rand_like", self, dtype, device, memory_format);
  return finish(cx, t, t && tocha_fill_uniform(cx, t, 0, 1, NULL), requires_grad);
}

tocha_tensor *tocha_op_randn_like(tocha_context *cx, tocha_tensor *self, tocha_dtype dtype,
                                  tocha_device device, bool requires_grad,
                                  const char *memory_format) {
  tocha_tensor *t = tocha_factory_like(cx, "randn_like", self, dtype, device, memory_format);
  return finish(cx, t, t && tocha_fill_normal(cx, t, 0, 1, NULL), requires_grad);
}

tocha_tensor *tocha_op_randint_like(tocha_context *cx, tocha_tensor *self, int64_t low,
                                    int64_t high, tocha_dtype dtype, tocha_device device,
                                    bool requires_grad, const char *memory_format) {
  tocha_tensor *t = tocha_factory_like(cx, "randint_like", self, dtype, device, memory_format);
  return finish(cx, t, t && tocha_fill_integers(cx, t, low, high, NULL), requires_grad);
}

/* --- randperm ------------------------------------------------------------------------------------------ */

/* Fails if a dtype cannot hold every index below n exactly. */
static bool check_permutation(tocha_context *cx, int64_t n, tocha_dtype dtype) {
  static const struct {
    tocha_dtype dtype;
    int64_t maximum;
  } limits[] = {{TOCHA_FLOAT16, 2049}, {TOCHA_FLOAT32, 16777217}};
  if (n >= 0 && dtype == TOCHA_BOOL) {
    tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"randperm\" not implemented for 'Bool'");
    return false;
  }
  for (int i = 0; i < TOCHA_COUNT(limits); i++) {
    if (limits[i].dtype != dtype || n <= limits[i].maximum) continue;
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "n cannot be greater than %lld for %s type.",
               (long long)limits[i].maximum, tocha_dtype_scalar_type(dtype));
    return false;
  }
  return n <= 0 || tocha_dtype_is_floating(dtype) || tocha_check_fits(cx, tocha_int(n), dtype);
}

tocha_tensor *tocha_op_randperm(tocha_context *cx, int64_t n, tocha_generator *generator,
                                tocha_dtype dtype, tocha_device device, bool requires_grad) {
  if (dtype == TOCHA_NO_DTYPE) dtype = TOCHA_INT64;
  if (!check_permutation(cx, n, dtype)) return NULL;
  tocha_tensor *t = fresh(cx, 1, &n, dtype, device);
  if (!t || !tocha_has_elements(t)) return finish(cx, t, t != NULL, requires_grad);
  tocha_tensor *order = dtype == TOCHA_INT64 ? t : tocha_new(cx, 1, &n, TOCHA_INT64, t->device);
  bool filled = order && tocha_fill_permutation(cx, order, generator) &&
                (order == t || tocha_copy_data(cx, t, order));
  return finish(cx, t, filled, requires_grad);
}

/* --- normal -------------------------------------------------------------------------------------------- */

/* Computes result = result * std + mean. std and mean may be tensors or numbers. */
static tocha_tensor *stretch(tocha_context *cx, tocha_tensor *result, const tocha_operand *std,
                             tocha_operand mean) {
  const tocha_scalar one = tocha_int(1);
  tocha_operand pair[2] = {tocha_operand_of(result)};
  if (std) {
    pair[1] = *std;
    if (!tocha_apply_formula(cx, &tocha_formula_mul, 2, pair, 0, NULL, result)) return NULL;
  }
  pair[1] = mean;
  return tocha_apply_formula(cx, &tocha_formula_add, 2, pair, 1, &one, result);
}

static bool check_std(tocha_context *cx, tocha_tensor *std) {
  if (std->device.type == TOCHA_META) return true;
  tocha_operand pair[2] = {tocha_operand_of(std), tocha_number(tocha_int(0))};
  tocha_tensor *fine = tocha_apply_formula(cx, &tocha_formula_ge, 2, pair, 0, NULL, NULL);
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
