/* distributions.c: uniform_, normal_ and the other continuous distributions, and geometric_:
 * checks, followed by a fill. */
#include "ops/random/fill.h"
#include "tensor/overlap.h"
#include "random/implementations.h"

static bool fill(tocha_context *cx, tocha_tensor *t, tocha_distribution distribution, double a,
                 double b, tocha_generator *generator) {
  tocha_random_args args = {.distribution = distribution, .a = a, .b = b};
  return tocha_fill_random(cx, t, &args, generator);
}

/* --- uniform ------------------------------------------------------------------------------------- */

static bool check_uniform(tocha_context *cx, const tocha_tensor *t, double from, double to) {
  if (!tocha_dtype_is_floating(t->dtype)) {
    tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"check_uniform_bounds\" not implemented for '%s'",
               tocha_dtype_scalar_type(t->dtype));
    return false;
  }
  double maximum = tocha_dtype_max(t->dtype);
  if (!(from >= -maximum && from <= maximum))
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "from is out of bounds for %s",
               tocha_dtype_cpp_name(t->dtype));
  else if (!(to >= -maximum && to <= maximum))
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "to is out of bounds for %s",
               tocha_dtype_cpp_name(t->dtype));
  else if (from > to)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "uniform_ expects to return a [from, to) range, but found from=%g > to=%g", from,
               to);
  else if (to - from > maximum)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "uniform_ expects to-from <= std::numeric_limits<%s>::max(), but found to=%g and "
               "from=%g which result in to-from to exceed the limit",
               tocha_dtype_scalar_type(t->dtype), to, from);
  return !tocha_failed(cx);
}

bool tocha_fill_uniform(tocha_context *cx, tocha_tensor *t, double from, double to,
                        tocha_generator *generator) {
  return check_uniform(cx, t, from, to) &&
         fill(cx, t, TOCHA_DISTRIBUTION_UNIFORM, from, to, generator);
}

tocha_tensor *tocha_op_uniform_(tocha_context *cx, tocha_tensor *self, double from, double to,
                                tocha_generator *generator) {
  return tocha_fill_uniform(cx, self, from, to, generator) ? self : NULL;
}

/* --- normal -------------------------------------------------------------------------------------- */

bool tocha_fill_normal(tocha_context *cx, tocha_tensor *t, double mean, double std,
                       tocha_generator *generator) {
  if (!(std >= 0)) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "normal expects std >= 0.0, but found std %g", std);
    return false;
  }
  if (t->numel == 0) return true;
  if (!tocha_dtype_is_floating(t->dtype))
    return tocha_refuse_random_type(cx, "normal_kernel_", t) != NULL;
  return fill(cx, t, TOCHA_DISTRIBUTION_NORMAL, mean, std, generator);
}

tocha_tensor *tocha_op_normal_(tocha_context *cx, tocha_tensor *self, double mean, double std,
                               tocha_generator *generator) {
  return tocha_fill_normal(cx, self, mean, std, generator) ? self : NULL;
}

/* --- others -------------------------------------------------------------------------------------- */

tocha_tensor *tocha_op_exponential_(tocha_context *cx, tocha_tensor *self, double lambd,
                                    tocha_generator *generator) {
  if (!(lambd > 0))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "exponential_ expects lambda > 0.0, but found lambda=%g", lambd);
  if (self->numel == 0) return self; /* without elements any dtype is accepted */
  if (!tocha_check_no_overlap(cx, self)) return NULL;
  if (!tocha_dtype_is_floating(self->dtype))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Exponential distribution is a continuous probability distribution. dtype "
                      "must be a floating point but you specified %s",
                      tocha_dtype_scalar_type(self->dtype));
  return fill(cx, self, TOCHA_DISTRIBUTION_EXPONENTIAL, lambd, 0, generator) ? self : NULL;
}

tocha_tensor *tocha_op_geometric_(tocha_context *cx, tocha_tensor *self, double p,
                                  tocha_generator *generator) {
  if (!(p > 0 && p < 1))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "geometric_ expects p to be in (0, 1), but got p=%g",
                      p);
  if (self->numel == 0) return self; /* without elements any dtype is accepted */
  if (self->dtype == TOCHA_BOOL) return tocha_refuse_random_type(cx, "geometric_", self);
  return fill(cx, self, TOCHA_DISTRIBUTION_GEOMETRIC, p, 0, generator) ? self : NULL;
}

tocha_tensor *tocha_op_cauchy_(tocha_context *cx, tocha_tensor *self, double median, double sigma,
                               tocha_generator *generator) {
  if (!(sigma > 0))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "cauchy_ expects sigma > 0.0, but found sigma=%g",
                      sigma);
  if (!tocha_dtype_is_floating(self->dtype))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Cauchy distribution is a continuous probability distribution. dtype must be "
                      "a floating point but you specified %s",
                      tocha_dtype_cpp_name(self->dtype));
  return fill(cx, self, TOCHA_DISTRIBUTION_CAUCHY, median, sigma, generator) ? self : NULL;
}

tocha_tensor *tocha_op_log_normal_(tocha_context *cx, tocha_tensor *self, double mean, double std,
                                   tocha_generator *generator) {
  if (!(std > 0))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "log_normal_ expects std > 0.0, but found std=%g",
                      std);
  if (self->numel == 0) return self; /* without elements any dtype is accepted */
  if (!tocha_check_no_overlap(cx, self)) return NULL;
  if (!tocha_dtype_is_floating(self->dtype))
    return tocha_refuse_random_type(cx, "log_normal_", self);
  return fill(cx, self, TOCHA_DISTRIBUTION_LOG_NORMAL, mean, std, generator) ? self : NULL;
}
