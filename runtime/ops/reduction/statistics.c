/* statistics.c: variance, standard deviation and norms. Variances are computed in float64 in two
 * passes. */
#include <math.h>
#include <string.h>

#include "tensor/copy.h"
#include "device/devices.h"
#include "ops/reduction/kernels.h"
#include "tensor/iterator.h"
#include "ops/reduction/reduce_device.h"
#include "reduction/implementations.h"
#include "tocha/ops/std.h"
#include "tocha/ops/var.h"

/* --- rows that lie apart --------------------------------------------------------------------------------- */

/* A tensor whose reduced dimensions were moved last and flattened: (outer, n), row-major. */
typedef struct gathered {
  int64_t outer, n;
  tocha_tensor *values;
} gathered;

static bool gather_rows(tocha_context *cx, tocha_tensor *self, const tocha_reduced *r,
                        tocha_dtype dtype, gathered *g) {
  int64_t sizes[TOCHA_MAX_DIMS], strides[TOCHA_MAX_DIMS];
  int n = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < self->ndim; i++) {
      if ((int)(r->mask >> i & 1) != pass) continue;
      sizes[n] = self->sizes[i];
      strides[n++] = self->strides[i];
    }
  }
  tocha_tensor *transposed = tocha_alias(cx, self, n, sizes, strides, self->offset);
  g->values = tocha_as_rows(cx, transposed, dtype);
  g->n = r->count;
  g->outer = 1;
  for (int i = 0; i < self->ndim; i++)
    if (!(r->mask >> i & 1)) g->outer *= self->sizes[i];
  return g->values != NULL;
}

struct moments;
typedef struct row_args {
  tocha_context *cx; /* norms */
  const gathered *g;
  const tocha_reduce_loops *loops;
  int type;                /* 0 float32, 1 float64 */
  double correction;       /* variance */
  bool root, full;         /* full: a single row, of all elements */
  double center;           /* its mean, where that was taken before */
  struct moments *moments; /* one a part */
  double p;                /* norm */
  int64_t parts;
  double *out, *mean; /* one a row */
} row_args;

static double element(const row_args *j, int64_t i) {
  const char *data = tocha_bytes(j->g->values);
  return j->type ? ((const double *)data)[i] : (double)((const float *)data)[i];
}

typedef struct moments {
  double count, mean, squares; /* squares: the sum of (x - mean)^2 */
} moments;

/* Long rows are taken in parts that stay in the cache. */
enum { PART = 1 << 14 };

static const void *place(const row_args *j, int64_t i) {
  return (const char *)tocha_bytes(j->g->values) + (size_t)i * (j->type ? 8 : 4);
}

static moments moments_of(const row_args *j, int64_t first, int64_t n) {
  const void *in = place(j, first);
  double mean = j->loops->deviations[j->type](in, n, 0, false) / (double)n;
  moments m = {(double)n, mean, j->loops->deviations[j->type](in, n, mean, true)};
  return m;
}

/* Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm" (1979). */
static moments joined(moments a, moments b) {
  double delta = b.mean - a.mean, count = a.count + b.count;
  moments m = {count, a.mean + delta * b.count / count,
               a.squares + b.squares + delta * delta * a.count * b.count / count};
  return m;
}

/* float64 rows one element after the other (Welford, 1962), the only row of a full reduction around
 * its mean: the orders PyTorch has, which the last digits show. */
static moments in_sequence(const row_args *j, int64_t first, int64_t n) {
  const double *in = place(j, first);
  moments m = {(double)n, 0, 0};
  if (j->full) {
    m.mean = j->center;
    for (int64_t i = 0; i < n; i++) m.squares += (in[i] - m.mean) * (in[i] - m.mean);
    return m;
  }
  for (int64_t i = 0; i < n; i++) {
    double delta = in[i] - m.mean;
    m.mean += delta / (double)(i + 1);
    m.squares += delta * (in[i] - m.mean);
  }
  return m;
}

static void finish_row(const row_args *j, int64_t r, moments m) {
  double left = (double)j->g->n - j->correction;
  double value = m.squares / (left > 0 ? left : 0);
  j->out[r] = j->root ? sqrt(value) : value;
  j->mean[r] = m.mean;
}

static void variance_rows(void *user, int64_t begin, int64_t end) {
  const row_args *j = user;
  int64_t n = j->g->n;
  for (int64_t r = begin; r < end; r++) {
    moments m;
    if (n == 0) {
      m = (moments){0, NAN, NAN};
    } else if (j->type && (!j->full || n < PART)) {
      m = in_sequence(j, r * n, n);
    } else {
      m = moments_of(j, r * n, n < PART ? n : PART);
      for (int64_t at = PART; at < n; at += PART)
        m = joined(m, moments_of(j, r * n + at, n - at < PART ? n - at : PART));
    }
    finish_row(j, r, m);
  }
}

static void variance_parts(void *user, int64_t begin, int64_t end) {
  const row_args *j = user;
  for (int64_t i = begin; i < end; i++) {
    int64_t at = i * PART, left = j->g->n - at;
    j->moments[i] = moments_of(j, at, left < PART ? left : PART);
  }
}

/* One long row: its parts on several threads. */
static bool variance_of_one(tocha_context *cx, row_args *j) {
  int64_t parts = (j->g->n + PART - 1) / PART;
  size_t bytes = (size_t)parts * sizeof *j->moments;
  j->moments = tocha_allocate(cx, bytes);
  if (!j->moments) return false;
  bool ok = tocha_parallel_for(cx, parts, 4, variance_parts, j);
  if (ok) {
    moments m = j->moments[0];
    for (int64_t i = 1; i < parts; i++) m = joined(m, j->moments[i]);
    finish_row(j, 0, m);
  }
  tocha_deallocate(cx, j->moments, bytes);
  return ok;
}

static bool run_variance(tocha_context *cx, row_args *j) {
  int64_t n = j->g->n, outer = j->g->outer;
  if (outer == 1 && n >= PART && (j->full || !j->type)) return variance_of_one(cx, j);
  if (j->type && j->full && n > 0) {
    tocha_tensor *mean = tocha_op_mean(cx, j->g->values, TOCHA_NO_DTYPE);
    if (!mean) return false;
    j->center = *(const double *)tocha_bytes(mean);
  }
  return tocha_parallel_for(cx, outer, TOCHA_GRAIN / (2 * n + 1) + 1, variance_rows, j);
}

static bool is_full(const tocha_tensor *self, const tocha_reduced *r) {
  for (int i = 0; i < self->ndim; i++)
    if (!(r->mask >> i & 1)) return false;
  return true;
}

/* float64 rows into a result of `dtype`. */
static tocha_tensor *result_of(tocha_context *cx, const tocha_tensor *self, const tocha_reduced *r,
                               tocha_tensor *values, tocha_dtype dtype) {
  tocha_tensor *out = tocha_new(cx, r->ndim, r->sizes, dtype, self->device);
  int64_t strides[TOCHA_MAX_DIMS];
  if (!out) return NULL;
  if (out->device.type == TOCHA_META) return out;
  tocha_row_major_strides(r->ndim, r->sizes, strides);
  values = tocha_alias(cx, values, r->ndim, r->sizes, strides, values->offset);
  return values && tocha_copy_data(cx, out, values) ? out : NULL;
}

typedef struct variance_call {
  const char *name;
  bool root;
  int dims;
  const int64_t *dim;
  double correction;
  bool keepdim;
} variance_call;

static bool variance_on_device(tocha_context *cx, tocha_tensor *self, const variance_call *c,
                               const tocha_reduced *r, tocha_tensor **value, tocha_tensor **mean) {
  tocha_device_reduce what = {.operation = TOCHA_REDUCE_MOMENTS,
                              .end = c->root ? TOCHA_FINAL_ROOT : TOCHA_FINAL_NONE,
                              .compute = tocha_reduce_dtype(self->dtype),
                              .number = c->correction};
  *value = tocha_new(cx, r->ndim, r->sizes, self->dtype, self->device);
  if (mean) *mean = tocha_new(cx, r->ndim, r->sizes, self->dtype, self->device);
  return *value && (!mean || *mean) &&
         tocha_reduce_on_device(cx, &what, self, r, *value, mean ? *mean : NULL);
}

static bool variance(tocha_context *cx, tocha_tensor *self, const variance_call *c,
                     tocha_tensor **value, tocha_tensor **mean) {
  tocha_reduced r;
  gathered g;
  if (!tocha_dtype_is_floating(self->dtype)) {
    tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "%s only support floating point and complex dtypes",
               mean ? c->name : "std and var");
    return false;
  }
  if (!tocha_reduced_of(cx, self, c->dims, c->dim, c->keepdim, &r)) return false;
  if ((double)r.count - c->correction <= 0)
    tocha_warn(cx,
               "%s(): degrees of freedom is <= 0. Correction should be strictly less than the "
               "reduction factor (input numel divided by output numel).",
               c->name);
  if (tocha_is_on_device(self)) return variance_on_device(cx, self, c, &r, value, mean);
  tocha_dtype compute = tocha_reduce_dtype(self->dtype);
  int64_t outer = 1;
  for (int i = 0; i < r.ndim; i++) outer *= r.sizes[i];
  tocha_tensor *out = tocha_new(cx, 1, &outer, TOCHA_FLOAT64, self->device);
  tocha_tensor *means = tocha_new(cx, 1, &outer, TOCHA_FLOAT64, self->device);
  if (!out || !means) return false;
  if (self->device.type != TOCHA_META) {
    if (!gather_rows(cx, self, &r, compute, &g)) return false;
    row_args j = {.g = &g,
                  .type = compute == TOCHA_FLOAT64,
                  .loops = tocha_reduce_loops_of(cx),
                  .correction = c->correction,
                  .root = c->root,
                  .full = !mean && is_full(self, &r),
                  .out = (double *)tocha_bytes(out),
                  .mean = (double *)tocha_bytes(means)};
    if (!run_variance(cx, &j)) return false;
  }
  *value = result_of(cx, self, &r, out, self->dtype);
  if (mean) *mean = result_of(cx, self, &r, means, self->dtype);
  return *value && (!mean || *mean);
}

static double correction_of(const tocha_scalar *correction) {
  return correction ? tocha_scalar_real(*correction) : 1;
}

tocha_tensor *tocha_op_var_correction(tocha_context *cx, tocha_tensor *self, int dim_count,
                                      const int64_t *dim, const tocha_scalar *correction,
                                      bool keepdim) {
  variance_call c = {"var", false, dim_count, dim, correction_of(correction), keepdim};
  tocha_tensor *out;
  return variance(cx, self, &c, &out, NULL) ? out : NULL;
}
tocha_tensor *tocha_op_std_correction(tocha_context *cx, tocha_tensor *self, int dim_count,
                                      const int64_t *dim, const tocha_scalar *correction,
                                      bool keepdim) {
  variance_call c = {"std", true, dim_count, dim, correction_of(correction), keepdim};
  tocha_tensor *out;
  return variance(cx, self, &c, &out, NULL) ? out : NULL;
}
bool tocha_op_var_mean_correction(tocha_context *cx, tocha_tensor *self, int dim_count,
                                  const int64_t *dim, const tocha_scalar *correction, bool keepdim,
                                  tocha_tensor **value, tocha_tensor **mean) {
  variance_call c = {"var_mean", false, dim_count, dim, correction_of(correction), keepdim};
  return variance(cx, self, &c, value, mean);
}
bool tocha_op_std_mean_correction(tocha_context *cx, tocha_tensor *self, int dim_count,
                                  const int64_t *dim, const tocha_scalar *correction, bool keepdim,
                                  tocha_tensor **value, tocha_tensor **mean) {
  variance_call c = {"std_mean", true, dim_count, dim, correction_of(correction), keepdim};
  return variance(cx, self, &c, value, mean);
}

/* The forms with `unbiased`: correction 1 or 0. */
tocha_tensor *tocha_op_var(tocha_context *cx, tocha_tensor *self, bool unbiased) {
  tocha_scalar correction = tocha_int(unbiased);
  return tocha_var_correction_full(cx, self, 0, NULL, &correction, false);
}
tocha_tensor *tocha_op_std(tocha_context *cx, tocha_tensor *self, bool unbiased) {
  tocha_scalar correction = tocha_int(unbiased);
  return tocha_std_correction_full(cx, self, 0, NULL, &correction, false);
}
tocha_tensor *tocha_op_var_dim(tocha_context *cx, tocha_tensor *self, int dim_count,
                               const int64_t *dim, bool unbiased, bool keepdim) {
  tocha_scalar correction = tocha_int(unbiased);
  return tocha_var_correction_full(cx, self, dim_count, dim, &correction, keepdim);
}
tocha_tensor *tocha_op_std_dim(tocha_context *cx, tocha_tensor *self, int dim_count,
                               const int64_t *dim, bool unbiased, bool keepdim) {
  tocha_scalar correction = tocha_int(unbiased);
  return tocha_std_correction_full(cx, self, dim_count, dim, &correction, keepdim);
}

/* --- norms -------------------------------------------------------------------------------------------------- */

/* One after the other, a long only row in one part a thread, as PyTorch adds them. */
static double abs_sum(const row_args *j, int64_t row) {
  int64_t n = j->g->n, parts = j->g->outer == 1 && n >= TOCHA_GRAIN ? j->parts : 1;
  int64_t part = (n + parts - 1) / parts;
  double total = 0;
  for (int64_t from = 0; from < n; from += part) {
    int64_t end = from + part < n ? from + part : n;
    double sum = 0;
    float single = 0;
    for (int64_t i = from; i < end; i++) {
      double size = fabs(element(j, row * n + i));
      sum += size;
      single += (float)size;
    }
    total = j->type ? total + sum : (double)((float)total + single);
  }
  return total;
}

typedef struct square_args {
  const row_args *j;
  const char *in;
  int64_t part;
  double sums[64];
} square_args;

static void square_parts(void *user, int64_t begin, int64_t end) {
  square_args *s = user;
  size_t item = s->j->type ? 8 : 4;
  for (int64_t i = begin; i < end; i++) {
    int64_t at = i * s->part, left = s->j->g->n - at;
    s->sums[i] = left <= 0 ? 0
                           : s->j->loops->square_sum[s->j->type](s->in + (size_t)at * item,
                                                                 left < s->part ? left : s->part);
  }
}

/* The sum of squares of n elements; the only row, where it is long, in one part a thread. */
static double square_sum(const row_args *j, const char *in, int64_t n) {
  int64_t threads = j->parts < 64 ? j->parts : 64;
  if (j->g->outer > 1 || threads < 2 || n < 2 * TOCHA_GRAIN)
    return j->loops->square_sum[j->type](in, n);
  square_args s = {.j = j, .in = in, .part = ((n + threads - 1) / threads + 15) / 16 * 16};
  tocha_parallel_for(j->cx, threads, 1, square_parts, &s);
  double total = 0;
  for (int64_t i = 0; i < threads; i++)
    total = j->type ? total + s.sums[i] : (double)((float)total + (float)s.sums[i]);
  return total;
}

static void norm_rows(void *user, int64_t begin, int64_t end) {
  const row_args *j = user;
  int64_t n = j->g->n;
  const char *data = tocha_bytes(j->g->values);
  size_t item = j->type ? 8 : 4;
  for (int64_t r = begin; r < end; r++) {
    double sum = j->p == -INFINITY ? INFINITY : 0;
    if (j->p == 2) {
      sum = square_sum(j, data + (size_t)(r * n) * item, n);
      j->out[r] = j->type ? sqrt(sum) : (double)sqrtf((float)sum);
      continue;
    }
    if (j->p == 1) {
      j->out[r] = abs_sum(j, r);
      continue;
    }
    for (int64_t i = 0; i < n; i++) {
      double size = fabs(element(j, r * n + i));
      if (j->p == INFINITY)
        sum = size > sum || size != size ? size : sum;
      else if (j->p == -INFINITY)
        sum = size < sum || size != size ? size : sum;
      else if (j->p == 0)
        sum += size != 0;
      else
        sum += pow(size, j->p);
    }
    j->out[r] = j->p == 0 || isinf(j->p) ? sum : pow(sum, 1 / j->p);
  }
}

static tocha_tensor *norm_on_device(tocha_context *cx, tocha_tensor *self, double ord,
                                    const tocha_reduced *r, tocha_dtype result) {
  tocha_device_reduce what = {.operation = TOCHA_REDUCE_SUM,
                              .compute = tocha_reduce_dtype(result),
                              .number = ord,
                              .map = TOCHA_MAP_POWER,
                              .end = TOCHA_FINAL_POWER};
  if (ord == 0) {
    what.operation = TOCHA_REDUCE_COUNT;
    what.map = what.end = 0;
  } else if (isinf(ord)) {
    what.operation = TOCHA_REDUCE_EXTREME;
    what.map = TOCHA_MAP_ABS;
    what.max = ord > 0;
  } else if (ord == 1) {
    what.map = TOCHA_MAP_ABS;
    what.end = TOCHA_FINAL_NONE;
  } else if (ord == 2) {
    what.map = TOCHA_MAP_SQUARE;
    what.end = TOCHA_FINAL_ROOT;
  }
  tocha_tensor *out = tocha_new(cx, r->ndim, r->sizes, result, self->device);
  return out && tocha_reduce_on_device(cx, &what, self, r, out, NULL) ? out : NULL;
}

tocha_tensor *tocha_op_linalg_vector_norm(tocha_context *cx, tocha_tensor *self, double ord,
                                          int dim_count, const int64_t *dim, bool keepdim,
                                          tocha_dtype dtype) {
  tocha_reduced r;
  gathered g;
  tocha_dtype result = dtype == TOCHA_NO_DTYPE ? (tocha_dtype)self->dtype : dtype;
  if (!tocha_dtype_is_floating(self->dtype)) {
    tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR,
               "linalg.vector_norm: Expected a floating point or complex tensor as input. Got %s",
               tocha_dtype_scalar_type(self->dtype));
    return tocha_hint(cx, "convert the tensor first: x:float():norm()");
  }
  if (!tocha_reduced_of(cx, self, dim_count, dim, keepdim, &r)) return NULL;
  if (r.count == 0 && (isinf(ord) || ord < 0))
    return tocha_fail(
        cx, TOCHA_RUNTIME_ERROR,
        "linalg.vector_norm cannot compute the %g norm on an empty tensor because the "
        "operation does not have an identity",
        ord);
  if (tocha_is_on_device(self)) return norm_on_device(cx, self, ord, &r, result);
  tocha_dtype compute = tocha_reduce_dtype(result);
  int64_t outer = 1;
  for (int i = 0; i < r.ndim; i++) outer *= r.sizes[i];
  tocha_tensor *out = tocha_new(cx, 1, &outer, TOCHA_FLOAT64, self->device);
  if (!out) return NULL;
  if (self->device.type != TOCHA_META) {
    if (!gather_rows(cx, self, &r, compute, &g)) return NULL;
    row_args j = {.cx = cx,
                  .g = &g,
                  .loops = tocha_reduce_loops_of(cx),
                  .type = compute == TOCHA_FLOAT64,
                  .p = ord,
                  .parts = cx->threads,
                  .out = (double *)tocha_bytes(out)};
    if (!tocha_parallel_for(cx, outer, TOCHA_GRAIN / (g.n + 1) + 1, norm_rows, &j)) return NULL;
  }
  return result_of(cx, self, &r, out, result);
}
