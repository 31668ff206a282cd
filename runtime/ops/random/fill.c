/* fill.c: operators that draw from a generator (core/random.h says which draws what).
 *
 * Tensors are filled in the order of their memory by one thread, as PyTorch fills them, so that
 * one seed gives one sequence on any number of threads. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tensor/convert.h"
#include "device/devices.h"
#include "tensor/copy.h"
#include "tensor/transfer.h"
#include "ops/random/kernels.h"
#include "ops/pointwise/elementwise.h"
#include "tensor/iterator.h"
#include "ops/random/philox_device.h"
#include "ops/random/fill.h"
#include "random/implementations.h"
#include "tocha/ops/index_add_.h"

enum { CHUNK = 1024 };

/* kernel: PyTorch's name, up to "cpu" or "cuda". */
static bool refuse_type(tocha_context *cx, const char *kernel, const tocha_tensor *t) {
  tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"%s%s\" not implemented for '%s'", kernel,
             tocha_is_on_device(t) ? "cuda" : "cpu", tocha_dtype_scalar_type(t->dtype));
  return false;
}

/* Where the CPU's generator draws for devices too: the tensor that is to be filled instead of t, with
 * its strides, on which the numbers depend. */
static tocha_tensor *on_host_instead(tocha_context *cx, tocha_tensor *t) {
  int64_t extent = 1;
  for (int i = 0; i < t->ndim; i++) extent += (t->sizes[i] - 1) * t->strides[i];
  tocha_tensor *memory = tocha_new(cx, 1, &extent, t->dtype, tocha_cpu());
  return memory ? tocha_alias(cx, memory, t->ndim, t->sizes, t->strides, 0) : NULL;
}

/* Whether t may be written and has anything to write; *empty says that there is nothing to do. */
static bool may_fill(tocha_context *cx, const tocha_tensor *t, bool *empty) {
  *empty = t->numel == 0 || t->device.type == TOCHA_META;
  return tocha_check_no_overlap(cx, t);
}

/* --- walking in the order of memory ---------------------------------------------------------------- */

/* Draws n samples (at most CHUNK) of `type` into out. */
typedef void (*draw_samples)(tocha_generator *g, void *out, int64_t n, const double *p);

typedef struct fill {
  tocha_generator *generator;
  draw_samples draw;
  const double *p;
  tocha_dtype type;        /* of the samples */
  tocha_converter convert; /* to the tensor's dtype */
} fill;

static void fill_run(void *user, char *const *data, const int64_t *strides, int64_t n) {
  const fill *f = user;
  int64_t item = (int64_t)tocha_dtype_size(f->type);
  _Alignas(64) char samples[CHUNK * 8];
  for (int64_t at = 0; at < n; at += CHUNK) {
    int64_t count = n - at < CHUNK ? n - at : CHUNK;
    f->draw(f->generator, samples, count, f->p);
    f->convert(data[0] + at * strides[0], strides[0], samples, item, count);
  }
}

static bool fill_with(tocha_context *cx, tocha_tensor *t, tocha_generator *generator,
                      draw_samples draw, tocha_dtype type, const double *p) {
  tocha_iterator it;
  fill f = {tocha_generator_for(cx, t->device, generator), draw, p, type,
            tocha_conversion(t->dtype, type)};
  if (!f.generator) return false;
  tocha_iterator_begin(&it, cx, t->ndim, t->sizes, 1, &t);
  return tocha_iterator_run_serial(&it, fill_run, &f);
}

/* Numbers of a distribution (TOCHA_DISTRIBUTION_...) with parameters p[0] and p[1]: on the CPU by draw, in
 * samples of type. */
static bool fill_distribution(tocha_context *cx, tocha_tensor *t, tocha_generator *generator,
                              int kind, draw_samples draw, tocha_dtype type, const double *p) {
  bool empty;
  if (!may_fill(cx, t, &empty)) return false;
  if (empty) return true;
  if (!tocha_is_on_device(t)) return fill_with(cx, t, generator, draw, type, p);
  if (cx->host_random) {
    tocha_tensor *host = on_host_instead(cx, t);
    return host && fill_with(cx, host, generator, draw, type, p) && tocha_copy_data(cx, t, host);
  }
  tocha_random_args args = {.kind = kind, .a = p[0], .b = p[1]};
  return tocha_random_on_device(cx, t, &args, generator);
}

/* --- uniform ------------------------------------------------------------------------------------------ */

static void draw_uniform_float32(tocha_generator *g, void *out, int64_t n, const double *p) {
  tocha_random_uniform_float32(g, out, (size_t)n, p[0], p[1]);
}
static void draw_uniform_float64(tocha_generator *g, void *out, int64_t n, const double *p) {
  tocha_random_uniform_float64(g, out, (size_t)n, p[0], p[1]);
}

/* Samples that a half type rounds up to the upper bound become the lower one. */
static void draw_uniform_half(tocha_generator *g, void *out, int64_t n, const double *p) {
  float *x = out, low = (float)p[0], high = (float)p[1];
  bool bfloat16 = p[2] != 0;
  uint16_t top = bfloat16 ? tocha_float_to_bfloat16(high) : tocha_float_to_half(high);
  tocha_random_uniform_float32(g, x, (size_t)n, p[0], p[1]);
  for (int64_t i = 0; i < n; i++)
    if ((bfloat16 ? tocha_float_to_bfloat16(x[i]) : tocha_float_to_half(x[i])) == top) x[i] = low;
}

static const struct {
  const char *c_name;
  double largest;
  int digits;
} of_type[TOCHA_DTYPE_COUNT] = {{"bool", 1, 1},           {"unsigned char", 255, 8},
                                {"signed char", 127, 7},  {"short int", 32767, 15},
                                {"int", INT32_MAX, 31},   {"long int", 0x1p63, 63},
                                {"c10::Half", 65504, 11}, {"c10::BFloat16", 0x1.fep127, 8},
                                {"float", FLT_MAX, 24},   {"double", DBL_MAX, 53}};

static bool check_uniform(tocha_context *cx, const tocha_tensor *t, double from, double to) {
  if (!tocha_dtype_is_floating(t->dtype)) {
    tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"check_uniform_bounds\" not implemented for '%s'",
               tocha_dtype_scalar_type(t->dtype));
    return false;
  }
  double most = of_type[t->dtype].largest;
  if (!(from >= -most && from <= most))
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "from is out of bounds for %s", of_type[t->dtype].c_name);
  else if (!(to >= -most && to <= most))
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "to is out of bounds for %s", of_type[t->dtype].c_name);
  else if (from > to)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "uniform_ expects to return a [from, to) range, but found from=%g > to=%g", from,
               to);
  else if (to - from > most)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "uniform_ expects to-from <= std::numeric_limits<%s>::max(), but found to=%g and "
               "from=%g which result in to-from to exceed the limit",
               tocha_dtype_scalar_type(t->dtype), to, from);
  return !tocha_failed(cx);
}

bool tocha_fill_uniform(tocha_context *cx, tocha_tensor *t, double from, double to,
                        tocha_generator *generator) {
  double p[3] = {from, to, t->dtype == TOCHA_BFLOAT16};
  if (!check_uniform(cx, t, from, to)) return false;
  if (t->dtype == TOCHA_FLOAT64)
    return fill_distribution(cx, t, generator, TOCHA_DISTRIBUTION_UNIFORM, draw_uniform_float64,
                             TOCHA_FLOAT64, p);
  return fill_distribution(cx, t, generator, TOCHA_DISTRIBUTION_UNIFORM,
                           t->dtype == TOCHA_FLOAT32 ? draw_uniform_float32 : draw_uniform_half,
                           TOCHA_FLOAT32, p);
}

tocha_tensor *tocha_op_uniform_(tocha_context *cx, tocha_tensor *self, double from, double to,
                                tocha_generator *generator) {
  return tocha_fill_uniform(cx, self, from, to, generator) ? self : NULL;
}

/* --- normal ------------------------------------------------------------------------------------------- */

static void draw_normal_float32(tocha_generator *g, void *out, int64_t n, const double *p) {
  tocha_random_normal_scalar_float32(g, out, (size_t)n, p[0], p[1]);
}
static void draw_normal_float64(tocha_generator *g, void *out, int64_t n, const double *p) {
  tocha_random_normal_scalar_float64(g, out, (size_t)n, p[0], p[1]);
}

/* Contiguous tensors from 16 elements on are drawn as a whole. */
static bool fill_normal_blocks(tocha_context *cx, tocha_tensor *t, double mean, double std,
                               tocha_generator *g) {
  size_t n = (size_t)t->numel;
  if (t->dtype == TOCHA_FLOAT32) {
    tocha_random_normal_float32(g, (float *)tocha_bytes(t), n, mean, std);
  } else if (t->dtype == TOCHA_FLOAT64) {
    tocha_random_normal_float64(g, (double *)tocha_bytes(t), n, mean, std);
  } else {
    float *samples = tocha_allocate(cx, n * sizeof *samples);
    if (!samples) return false;
    tocha_random_normal_reduced(g, samples, n, mean, std);
    tocha_conversion(t->dtype, TOCHA_FLOAT32)(tocha_bytes(t), 2, (const char *)samples, 4,
                                              t->numel);
    tocha_deallocate(cx, samples, n * sizeof *samples);
  }
  return !tocha_interrupted(cx);
}

bool tocha_fill_normal(tocha_context *cx, tocha_tensor *t, double mean, double std,
                       tocha_generator *generator) {
  double p[2] = {mean, std};
  if (!(std >= 0)) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "normal expects std >= 0.0, but found std %g", std);
    return false;
  }
  if (t->numel == 0) return true;
  if (!tocha_dtype_is_floating(t->dtype)) return refuse_type(cx, "normal_kernel_", t);
  if (tocha_is_on_device(t) && cx->host_random) {
    tocha_tensor *host = on_host_instead(cx, t);
    return host && tocha_fill_normal(cx, host, mean, std, generator) &&
           tocha_copy_data(cx, t, host);
  }
  if (t->numel >= 16 && tocha_is_contiguous(t) && t->device.type == TOCHA_CPU) {
    tocha_generator *g = tocha_generator_for(cx, t->device, generator);
    return g && fill_normal_blocks(cx, t, mean, std, g);
  }
  bool wide = t->dtype == TOCHA_FLOAT64;
  return fill_distribution(cx, t, generator, TOCHA_DISTRIBUTION_NORMAL,
                           wide ? draw_normal_float64 : draw_normal_float32,
                           wide ? TOCHA_FLOAT64 : TOCHA_FLOAT32, p);
}

tocha_tensor *tocha_op_normal_(tocha_context *cx, tocha_tensor *self, double mean, double std,
                               tocha_generator *generator) {
  return tocha_fill_normal(cx, self, mean, std, generator) ? self : NULL;
}

/* --- integers ------------------------------------------------------------------------------------------ */

typedef struct integers {
  tocha_generator *generator;
  int64_t from, to;
  enum { HALF_OPEN, INCLUSIVE, DIGITS } kind;
  int digits;
  bool floating;
  tocha_converter convert;
} integers;

static void integers_run(void *user, char *const *data, const int64_t *strides, int64_t n) {
  const integers *f = user;
  int64_t samples[CHUNK];
  for (int64_t at = 0; at < n; at += CHUNK) {
    int64_t count = n - at < CHUNK ? n - at : CHUNK;
    if (f->kind == HALF_OPEN)
      tocha_random_integers(f->generator, samples, (size_t)count, f->from, f->to);
    else if (f->kind == INCLUSIVE)
      tocha_random_integers_inclusive(f->generator, samples, (size_t)count, f->from, f->to);
    else
      tocha_random_digits(f->generator, samples, (size_t)count, f->digits, f->floating);
    f->convert(data[0] + at * strides[0], strides[0], (const char *)samples, 8, count);
  }
}

/* From 2^28 on, ranges take 64 bits a number, and so do the types of more than 32. */
static bool integers_on_device(tocha_context *cx, tocha_tensor *t, const integers *f,
                               tocha_generator *generator) {
  tocha_random_args args = {.kind = TOCHA_DISTRIBUTION_INTEGERS, .base = f->from};
  if (f->kind == DIGITS) {
    args.base = 0;
    args.range = ((uint64_t)1 << f->digits) + f->floating;
    args.wide = f->digits > 32;
  } else {
    bool full = f->kind == INCLUSIVE && f->from == INT64_MIN;
    if (full) args.base = 0;
    args.range = full ? 0 : (uint64_t)f->to - (uint64_t)f->from + (f->kind == INCLUSIVE);
    args.wide = full || args.range >= (uint64_t)1 << 28;
  }
  return tocha_random_on_device(cx, t, &args, generator);
}

static bool fill_integers(tocha_context *cx, tocha_tensor *t, integers *f,
                          tocha_generator *generator) {
  bool empty;
  if (!may_fill(cx, t, &empty)) return false;
  if (empty) return true;
  tocha_iterator it;
  f->digits = of_type[t->dtype].digits;
  f->floating = tocha_dtype_is_floating(t->dtype);
  if (tocha_is_on_device(t) && !cx->host_random) return integers_on_device(cx, t, f, generator);
  if (tocha_is_on_device(t)) {
    tocha_tensor *host = on_host_instead(cx, t);
    return host && fill_integers(cx, host, f, generator) && tocha_copy_data(cx, t, host);
  }
  f->generator = tocha_generator_for(cx, t->device, generator);
  if (!f->generator) return false;
  f->convert = tocha_conversion(t->dtype, TOCHA_INT64);
  tocha_iterator_begin(&it, cx, t->ndim, t->sizes, 1, &t);
  return tocha_iterator_run_serial(&it, integers_run, f);
}

static int64_t lowest(tocha_dtype dtype) {
  if (dtype <= TOCHA_UINT8) return 0;
  return dtype == TOCHA_INT64 ? INT64_MIN : -((int64_t)1 << of_type[dtype].digits);
}

/* The largest value random_ gives: the largest integer, or the last that counts in steps of one. */
static int64_t last_of(tocha_dtype dtype) {
  if (dtype == TOCHA_INT64) return INT64_MAX;
  int64_t power = (int64_t)1 << of_type[dtype].digits;
  return tocha_dtype_is_floating(dtype) ? power : power - 1;
}

static bool check_range(tocha_context *cx, const tocha_tensor *t, int64_t bound, const char *name) {
  tocha_dtype dtype = t->dtype;
  if (tocha_dtype_is_floating(dtype)) {
    if (fabs((double)bound) > of_type[dtype].largest) {
      tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s is out of bounds for %s", name,
                 of_type[dtype].c_name);
      return false;
    }
    int digits = of_type[dtype].digits;
    if (bound < -((int64_t)1 << digits) || bound > (int64_t)1 << digits)
      tocha_warn(cx,
                 "%s is out of bounds [-(2^%d), 2^%d]. Due to precision limitations %s can support "
                 "discrete uniform distribution only within this range. This warning will become "
                 "an error in version 1.7 release, please fix the code in advance",
                 name, digits, digits, of_type[dtype].c_name);
    return true;
  }
  if (bound >= lowest(dtype) && bound <= last_of(dtype)) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s is out of bounds for %s", name, of_type[dtype].c_name);
  return false;
}

/* An integer as the floating type would hold it. */
static int64_t through_type(int64_t value, tocha_dtype dtype) {
  char element[8];
  tocha_store_scalar(element, dtype, tocha_int(value));
  double real = tocha_scalar_real(tocha_load_scalar(element, dtype));
  return real >= 0x1p63 ? INT64_MAX : real < -0x1p63 ? INT64_MIN : (int64_t)real;
}

/* The distance between neighbours of value in a floating type of so many digits. */
static int64_t spacing(int64_t value, int digits) {
  int bits = 0;
  for (uint64_t rest = (uint64_t)(value < 0 ? -value : value); rest >>= 1;) bits++;
  return (int64_t)1 << (bits - digits + 1);
}

/* Bounds that rounding would move outwards move to the next number inside. */
static void move_bounds_inside(tocha_dtype dtype, int64_t *from, int64_t *to) {
  int digits = of_type[dtype].digits;
  int64_t above = through_type(*from + 1, dtype), below = through_type(*to - 1, dtype);
  if (above < *from) *from = above + spacing(*from + 1, digits);
  if (below >= *to) *to = below - spacing(*to - 1, digits);
}

bool tocha_fill_integers(tocha_context *cx, tocha_tensor *t, int64_t from, int64_t to,
                         tocha_generator *generator) {
  if (!tocha_check_no_overlap(cx, t)) return false;
  if (from >= to) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "random_ expects 'from' to be less than 'to', but got from=%" PRId64
               " >= to=%" PRId64,
               from, to);
    return false;
  }
  if (tocha_dtype_is_floating(t->dtype)) {
    move_bounds_inside(t->dtype, &from, &to);
    if (from >= to) {
      tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                 "random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, but "
                 "got from=%" PRId64 " >= to=%" PRId64,
                 from, to);
      return false;
    }
  }
  if (!check_range(cx, t, from, "from") || !check_range(cx, t, to - 1, "to - 1")) return false;
  integers f = {.kind = HALF_OPEN, .from = from, .to = to};
  return fill_integers(cx, t, &f, generator);
}

tocha_tensor *tocha_op_random_(tocha_context *cx, tocha_tensor *self, tocha_generator *generator) {
  integers f = {.kind = DIGITS};
  return fill_integers(cx, self, &f, generator) ? self : NULL;
}

tocha_tensor *tocha_op_random__to(tocha_context *cx, tocha_tensor *self, int64_t to,
                                  tocha_generator *generator) {
  return tocha_fill_integers(cx, self, 0, to, generator) ? self : NULL;
}

tocha_tensor *tocha_op_random__from(tocha_context *cx, tocha_tensor *self, int64_t from,
                                    const int64_t *to, tocha_generator *generator) {
  if (to) return tocha_fill_integers(cx, self, from, *to, generator) ? self : NULL;
  integers f = {.kind = INCLUSIVE, .from = from, .to = last_of(self->dtype)};
  if (!check_range(cx, self, from, "from")) return NULL;
  return fill_integers(cx, self, &f, generator) ? self : NULL;
}

/* --- one draw of double precision an element --------------------------------------------------------- */

static void draw_exponential(tocha_generator *g, void *out, int64_t n, const double *p) {
  for (int64_t i = 0; i < n; i++) ((double *)out)[i] = tocha_random_exponential_sample(g, p[0]);
}
static void draw_geometric(tocha_generator *g, void *out, int64_t n, const double *p) {
  for (int64_t i = 0; i < n; i++) ((double *)out)[i] = tocha_random_geometric_sample(g, p[0]);
}
static void draw_cauchy(tocha_generator *g, void *out, int64_t n, const double *p) {
  for (int64_t i = 0; i < n; i++) ((double *)out)[i] = tocha_random_cauchy_sample(g, p[0], p[1]);
}
static void draw_log_normal(tocha_generator *g, void *out, int64_t n, const double *p) {
  for (int64_t i = 0; i < n; i++)
    ((double *)out)[i] = tocha_random_log_normal_sample(g, p[0], p[1]);
}

tocha_tensor *tocha_op_exponential_(tocha_context *cx, tocha_tensor *self, double lambd,
                                    tocha_generator *generator) {
  double numbers[2] = {lambd, 0};
  if (!(lambd > 0))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "exponential_ expects lambda > 0.0, but found lambda=%g", lambd);
  if (!tocha_dtype_is_floating(self->dtype))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Exponential distribution is a continuous probability distribution. dtype "
                      "must be a floating point but you specified %s",
                      tocha_dtype_scalar_type(self->dtype));
  return fill_distribution(cx, self, generator, TOCHA_DISTRIBUTION_EXPONENTIAL, draw_exponential,
                           TOCHA_FLOAT64, numbers)
             ? self
             : NULL;
}

tocha_tensor *tocha_op_geometric_(tocha_context *cx, tocha_tensor *self, double p,
                                  tocha_generator *generator) {
  double numbers[2] = {p, 0};
  if (!(p > 0 && p < 1))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "geometric_ expects p to be in (0, 1), but got p=%g",
                      p);
  if (self->dtype == TOCHA_BOOL) return refuse_type(cx, "geometric_", self) ? self : NULL;
  return fill_distribution(cx, self, generator, TOCHA_DISTRIBUTION_GEOMETRIC, draw_geometric,
                           TOCHA_FLOAT64, numbers)
             ? self
             : NULL;
}

tocha_tensor *tocha_op_cauchy_(tocha_context *cx, tocha_tensor *self, double median, double sigma,
                               tocha_generator *generator) {
  double p[2] = {median, sigma};
  if (!(sigma > 0))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "cauchy_ expects sigma > 0.0, but found sigma=%g",
                      sigma);
  if (!tocha_dtype_is_floating(self->dtype))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Cauchy distribution is a continuous probability distribution. dtype must be "
                      "a floating point but you specified %s",
                      of_type[self->dtype].c_name);
  return fill_distribution(cx, self, generator, TOCHA_DISTRIBUTION_CAUCHY, draw_cauchy,
                           TOCHA_FLOAT64, p)
             ? self
             : NULL;
}

tocha_tensor *tocha_op_log_normal_(tocha_context *cx, tocha_tensor *self, double mean, double std,
                                   tocha_generator *generator) {
  double p[2] = {mean, std};
  if (!(std > 0))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "log_normal_ expects std > 0.0, but found std=%g",
                      std);
  if (!tocha_dtype_is_floating(self->dtype))
    return refuse_type(cx, "log_normal_", self) ? self : NULL;
  return fill_distribution(cx, self, generator, TOCHA_DISTRIBUTION_LOG_NORMAL, draw_log_normal,
                           TOCHA_FLOAT64, p)
             ? self
             : NULL;
}

/* --- bernoulli ----------------------------------------------------------------------------------------- */

/* p[0]: the probability; p[1]: the value of a success. */
static void draw_bernoulli(tocha_generator *g, void *out, int64_t n, const double *p) {
  uint8_t samples[CHUNK];
  float *x = out, value = (float)p[1];
  tocha_random_bernoulli_scalar(g, p[0], samples, (size_t)n);
  for (int64_t i = 0; i < n; i++) x[i] = samples[i] ? value : 0;
}

static void draw_bernoulli_wide(tocha_generator *g, void *out, int64_t n, const double *p) {
  uint8_t samples[CHUNK];
  double *x = out;
  tocha_random_bernoulli_scalar(g, p[0], samples, (size_t)n);
  for (int64_t i = 0; i < n; i++) x[i] = samples[i] ? p[1] : 0;
}

bool tocha_fill_bernoulli(tocha_context *cx, tocha_tensor *t, double p, double value,
                          tocha_generator *generator) {
  double numbers[2] = {p, value};
  if (!(p >= 0 && p <= 1)) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "bernoulli_ expects p to be in [0, 1], but got p=%g", p);
    return false;
  }
  bool wide = t->dtype == TOCHA_FLOAT64;
  return fill_distribution(cx, t, generator, TOCHA_DISTRIBUTION_BERNOULLI,
                           wide ? draw_bernoulli_wide : draw_bernoulli,
                           wide ? TOCHA_FLOAT64 : TOCHA_FLOAT32, numbers);
}

typedef struct bernoulli_trial {
  tocha_generator *generator;
  bool wide, refused;
  tocha_converter load, store;
} bernoulli_trial;

static void toss_run(void *user, char *const *data, const int64_t *strides, int64_t n) {
  bernoulli_trial *toss = user;
  double wide[CHUNK];
  float *narrow = (float *)wide;
  uint8_t samples[CHUNK];
  for (int64_t at = 0; at < n && !toss->refused; at += CHUNK) {
    int64_t count = n - at < CHUNK ? n - at : CHUNK;
    toss->load((char *)wide, toss->wide ? 8 : 4, data[1] + at * strides[1], strides[1], count);
    for (int64_t i = 0; i < count; i++) {
      double p = toss->wide ? wide[i] : narrow[i];
      if (!(p >= 0 && p <= 1)) toss->refused = true;
    }
    if (toss->refused) return;
    if (toss->wide)
      tocha_random_bernoulli_float64(toss->generator, wide, samples, (size_t)count);
    else
      tocha_random_bernoulli_float32(toss->generator, narrow, samples, (size_t)count);
    toss->store(data[0] + at * strides[0], strides[0], (const char *)samples, 1, count);
  }
}

/* A probability an element: p broadcasts to t. */
static bool fill_bernoulli_tensor(tocha_context *cx, tocha_tensor *t, tocha_tensor *p,
                                  tocha_generator *generator) {
  bool empty;
  if (!tocha_dtype_is_floating(p->dtype)) {
    if (tocha_is_on_device(t))
      tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                 "expected probabilities tensor to have floating type, got %s",
                 tocha_dtype_scalar_type(p->dtype));
    else
      tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR,
                 "\"bernoulli_tensor_cpu_p_\" not implemented for '%s'",
                 tocha_dtype_scalar_type(p->dtype));
    return false;
  }
  if (!may_fill(cx, t, &empty)) return false;
  if (empty) return true;
  if (tocha_is_on_device(t) && cx->host_random) {
    tocha_tensor *host = on_host_instead(cx, t);
    return host && (p = tocha_on_host(cx, p)) != NULL &&
           fill_bernoulli_tensor(cx, host, p, generator) && tocha_copy_data(cx, t, host);
  }
  if (tocha_is_on_device(t)) return tocha_bernoulli_on_device(cx, t, p, generator);
  bernoulli_trial toss = {tocha_generator_for(cx, t->device, generator), p->dtype == TOCHA_FLOAT64,
                          false, NULL, NULL};
  if (!toss.generator) return false;
  toss.load = tocha_conversion(toss.wide ? TOCHA_FLOAT64 : TOCHA_FLOAT32, p->dtype);
  toss.store = tocha_conversion(t->dtype, TOCHA_UINT8);
  tocha_iterator it;
  tocha_tensor *both[2] = {t, p};
  tocha_iterator_begin(&it, cx, t->ndim, t->sizes, 2, both);
  if (!tocha_iterator_run_serial(&it, toss_run, &toss)) return false;
  if (toss.refused)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error "
               "message be improved?  If so, please report an enhancement request to PyTorch.)");
  return !toss.refused;
}

tocha_tensor *tocha_op_bernoulli_(tocha_context *cx, tocha_tensor *self, double p,
                                  tocha_generator *generator) {
  return tocha_fill_bernoulli(cx, self, p, 1, generator) ? self : NULL;
}

tocha_tensor *tocha_op_bernoulli__tensor(tocha_context *cx, tocha_tensor *self, tocha_tensor *p,
                                         tocha_generator *generator) {
  char a[256], b[256];
  for (int i = 1; i <= p->ndim; i++) {
    int64_t have = p->sizes[p->ndim - i], want = i <= self->ndim ? self->sizes[self->ndim - i] : 1;
    if (have == want || (have == 1 && i <= self->ndim)) continue;
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "The expanded size of the tensor (%" PRId64 ") must match the existing size "
                      "(%" PRId64 ") at non-singleton dimension %d.  Target sizes: %s.  Tensor "
                      "sizes: %s",
                      want, have, self->ndim - i, tocha_shape_text(self->ndim, self->sizes, a, 256),
                      tocha_shape_text(p->ndim, p->sizes, b, 256));
  }
  return fill_bernoulli_tensor(cx, self, p, generator) ? self : NULL;
}

tocha_tensor *tocha_op_bernoulli(tocha_context *cx, tocha_tensor *self,
                                 tocha_generator *generator) {
  tocha_tensor *out = tocha_new_like(cx, self, self->dtype);
  return out && fill_bernoulli_tensor(cx, out, self, generator) ? out : NULL;
}

tocha_tensor *tocha_op_bernoulli_p(tocha_context *cx, tocha_tensor *self, double p,
                                   tocha_generator *generator) {
  tocha_tensor *out = tocha_new_like(cx, self, self->dtype);
  return out && tocha_fill_bernoulli(cx, out, p, 1, generator) ? out : NULL;
}
