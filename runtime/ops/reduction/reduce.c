/* reduce.c: sum, mean, prod, amax, amin, max, min, all, any and counts. Their backward is in
 * reduce_backward.c, the walk in reduce_walk.c, the order of sums in reduce_loops.c. */
#include <math.h>
#include <string.h>

#include "tensor/copy.h"
#include "device/devices.h"
#include "ops/reduction/kernels.h"
#include "ops/indexing/kernels.h"
#include "tensor/iterator.h"
#include "ops/reduction/reduce_device.h"
#include "reduction/implementations.h"
#include "tocha/ops/div.h"
#include "tocha/ops/eq.h"
#include "tocha/ops/maximum.h"
#include "tocha/ops/minimum.h"
#include "tocha/ops/nansum.h"
#include "tocha/ops/ne.h"
#include "tocha/ops/sum.h"
#include "tocha/ops/view.h"
#include "tocha/ops/zero_where.h"

/* The type sums of d have: bool and integers sum to int64. */
static tocha_dtype sum_dtype(tocha_dtype d, tocha_dtype asked) {
  if (asked != TOCHA_NO_DTYPE) return asked;
  return tocha_dtype_is_floating(d) ? d : TOCHA_INT64;
}

static tocha_tensor *new_result(tocha_context *cx, const tocha_tensor *self, const tocha_reduced *r,
                                tocha_dtype dtype) {
  return tocha_new(cx, r->ndim, r->sizes, dtype, self->device);
}

/* Reduces self, whose values are first converted to value_dtype, into a result of compute type. */
static tocha_tensor *fold(tocha_context *cx, tocha_tensor *self, const tocha_reduced *r,
                          tocha_dtype compute, const tocha_plane_loop *loops,
                          tocha_scalar identity) {
  tocha_tensor *out = new_result(cx, self, r, compute);
  if (!out || out->device.type == TOCHA_META) return out;
  self = tocha_as_dtype(cx, self, compute);
  if (!self) return NULL;
  tocha_fill_rows(out, identity);
  tocha_plane_loop loop = loops[tocha_reduce_index(compute)];
  return tocha_reduce_run(cx, out, self, r, loop, identity) ? out : NULL;
}

/* The same on a device, straight from the type of self to that of the result; what is to be added
 * as an integer is one first. */
static tocha_tensor *reduce_on_device(tocha_context *cx, tocha_tensor *self, const tocha_reduced *r,
                                      tocha_dtype result, const tocha_device_reduce *what) {
  bool converts = what->compute == TOCHA_INT64 && what->operation != TOCHA_REDUCE_COUNT &&
                  (tocha_dtype_is_floating(self->dtype) || result == TOCHA_BOOL);
  if (converts) self = tocha_as_dtype(cx, self, result == TOCHA_BOOL ? result : TOCHA_INT64);
  tocha_tensor *out = self ? new_result(cx, self, r, result) : NULL;
  return out && tocha_reduce_on_device(cx, what, self, r, out, NULL) ? out : NULL;
}

/* --- sum, mean, prod -------------------------------------------------------------------------------- */

typedef struct count_args {
  const tocha_reduce_loops *loops;
  const uint8_t *data;
  int64_t n;
  int64_t *totals; /* one a row; for a single row one a part */
  int64_t part;    /* 0: whole rows */
} count_args;

static void count_rows(void *user, int64_t begin, int64_t end) {
  const count_args *j = user;
  for (int64_t i = begin; i < end; i++) {
    if (j->part == 0) {
      j->totals[i] = j->loops->count(j->data + i * j->n, j->n);
    } else {
      int64_t from = i * j->part, left = j->n - from;
      if (left > 0) j->totals[i] = j->loops->count(j->data + from, left < j->part ? left : j->part);
    }
  }
}

/* Sums of bytes along the last dimensions without converting them first. NULL: not that case. */
static tocha_tensor *count_bytes(tocha_context *cx, tocha_tensor *self, const tocha_reduced *r) {
  if (self->device.type == TOCHA_META || !tocha_is_contiguous(self) || self->numel == 0)
    return NULL;
  bool reduced = true; /* only trailing dimensions may go */
  for (int i = self->ndim - 1; i >= 0; i--) {
    bool goes = r->mask >> i & 1;
    if (goes && !reduced) return NULL;
    if (!goes) reduced = false;
  }
  tocha_tensor *out = new_result(cx, self, r, TOCHA_INT64);
  if (!out) return NULL;
  int64_t parts[64] = {0};
  count_args j = {tocha_reduce_loops_of(cx), (const uint8_t *)tocha_bytes(self), r->count,
                  (int64_t *)tocha_bytes(out), 0};
  if (out->numel > 1 || self->numel < TOCHA_GRAIN) {
    tocha_parallel_for(cx, out->numel, TOCHA_GRAIN / r->count + 1, count_rows, &j);
    return out;
  }
  j.totals = parts;
  j.part = (j.n + 63) / 64;
  tocha_parallel_for(cx, 64, 1, count_rows, &j);
  int64_t total = 0;
  for (int i = 0; i < 64; i++) total += parts[i];
  *(int64_t *)tocha_bytes(out) = total;
  return out;
}

static tocha_tensor *sum_over(tocha_context *cx, tocha_tensor *self, const tocha_reduced *r,
                              tocha_dtype result) {
  tocha_dtype compute = tocha_reduce_dtype(result);
  if (tocha_is_on_device(self)) {
    tocha_device_reduce what = {.operation = TOCHA_REDUCE_SUM, .compute = compute};
    return reduce_on_device(cx, self, r, result, &what);
  }
  if (compute == TOCHA_INT64 && (self->dtype == TOCHA_BOOL || self->dtype == TOCHA_UINT8)) {
    tocha_tensor *count = count_bytes(cx, self, r);
    if (count || tocha_failed(cx)) return tocha_as_dtype(cx, count, result);
  }
  if (result != compute && result == TOCHA_BOOL) self = tocha_as_dtype(cx, self, TOCHA_BOOL);
  if (!self) return NULL;
  const tocha_plane_loop *loops = tocha_reduce_loops_of(cx)->sum;
  return tocha_as_dtype(cx, fold(cx, self, r, compute, loops, tocha_int(0)), result);
}

tocha_tensor *tocha_op_sum_dim_IntList(tocha_context *cx, tocha_tensor *self, int dim_count,
                                       const int64_t *dim, bool keepdim, tocha_dtype dtype) {
  tocha_reduced r;
  if (!tocha_reduced_of(cx, self, dim_count, dim, keepdim, &r)) return NULL;
  return sum_over(cx, self, &r, sum_dtype(self->dtype, dtype));
}

tocha_tensor *tocha_op_sum(tocha_context *cx, tocha_tensor *self, tocha_dtype dtype) {
  return tocha_op_sum_dim_IntList(cx, self, 0, NULL, false, dtype);
}

tocha_tensor *tocha_op_mean_dim(tocha_context *cx, tocha_tensor *self, int dim_count,
                                const int64_t *dim, bool keepdim, tocha_dtype dtype) {
  tocha_dtype result = dtype == TOCHA_NO_DTYPE ? (tocha_dtype)self->dtype : dtype;
  if (!tocha_dtype_is_floating(result)) {
    tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR,
               "mean(): could not infer output dtype. %s dtype must be either a floating point or "
               "complex dtype. Got: %s",
               dtype == TOCHA_NO_DTYPE ? "Input" : "Optional", tocha_dtype_scalar_type(result));
    return tocha_hint(cx, "convert the tensor first: x:float():mean()");
  }
  tocha_reduced r;
  if (!tocha_reduced_of(cx, self, dim_count, dim, keepdim, &r)) return NULL;
  tocha_dtype compute = tocha_reduce_dtype(result);
  if (tocha_is_on_device(self)) {
    tocha_device_reduce what = {
        .operation = TOCHA_REDUCE_SUM, .end = TOCHA_FINAL_MEAN, .compute = compute};
    return reduce_on_device(cx, self, &r, result, &what);
  }
  tocha_tensor *out = fold(cx, self, &r, compute, tocha_reduce_loops_of(cx)->sum, tocha_int(0));
  if (!out) return NULL;
  if (out->device.type != TOCHA_META) {
    for (int64_t i = 0; i < out->numel; i++) {
      if (compute == TOCHA_FLOAT32)
        ((float *)tocha_bytes(out))[i] /= (float)r.count;
      else
        ((double *)tocha_bytes(out))[i] /= (double)r.count;
    }
  }
  return tocha_as_dtype(cx, out, result);
}

tocha_tensor *tocha_op_mean(tocha_context *cx, tocha_tensor *self, tocha_dtype dtype) {
  return tocha_op_mean_dim(cx, self, 0, NULL, false, dtype);
}

static tocha_tensor *product(tocha_context *cx, tocha_tensor *self, int dims, const int64_t *dim,
                             bool keepdim, tocha_dtype dtype) {
  tocha_reduced r;
  if (!tocha_reduced_of(cx, self, dims, dim, keepdim, &r)) return NULL;
  tocha_dtype result = sum_dtype(self->dtype, dtype), compute = tocha_reduce_dtype(result);
  if (tocha_is_on_device(self)) {
    tocha_device_reduce what = {.operation = TOCHA_REDUCE_PRODUCT, .compute = compute};
    return reduce_on_device(cx, self, &r, result, &what);
  }
  if (result == TOCHA_BOOL) self = tocha_as_dtype(cx, self, result);
  if (!self) return NULL;
  const tocha_plane_loop *loops = tocha_reduce_loops_of(cx)->prod;
  return tocha_as_dtype(cx, fold(cx, self, &r, compute, loops, tocha_int(1)), result);
}

tocha_tensor *tocha_op_prod(tocha_context *cx, tocha_tensor *self, tocha_dtype dtype) {
  return product(cx, self, 0, NULL, false, dtype);
}

tocha_tensor *tocha_op_prod_dim_int(tocha_context *cx, tocha_tensor *self, int64_t dim,
                                    bool keepdim, tocha_dtype dtype) {
  return product(cx, self, 1, &dim, keepdim, dtype);
}

/* nansum on a device: in one pass, but for sums asked for as integers. */
static tocha_tensor *nansum_on_device(tocha_context *cx, tocha_tensor *self, const tocha_reduced *r,
                                      tocha_dtype result) {
  tocha_device_reduce what = {.operation = TOCHA_REDUCE_SUM,
                              .map = TOCHA_MAP_NO_NAN,
                              .compute = tocha_reduce_dtype(result)};
  if (!tocha_dtype_is_floating(result)) {
    self = tocha_zero_where(cx, self, tocha_ne(cx, self, self));
    return self ? sum_over(cx, self, r, result) : NULL;
  }
  return reduce_on_device(cx, self, r, result, &what);
}

/* A copy of self in which NaN is zero. */
static tocha_tensor *without_nan(tocha_context *cx, tocha_tensor *self, tocha_dtype compute) {
  tocha_tensor *copy = tocha_new_like(cx, self, compute);
  if (!copy || !tocha_copy_data(cx, copy, self)) return NULL;
  if (copy->device.type == TOCHA_META) return copy;
  float *f = (float *)tocha_bytes(copy);
  double *d = (double *)tocha_bytes(copy);
  for (int64_t i = 0; i < copy->numel; i++) {
    if (compute == TOCHA_FLOAT32)
      f[i] = f[i] == f[i] ? f[i] : 0;
    else
      d[i] = d[i] == d[i] ? d[i] : 0;
  }
  return copy;
}

tocha_tensor *tocha_op_nansum(tocha_context *cx, tocha_tensor *self, int dim_count,
                              const int64_t *dim, bool keepdim, tocha_dtype dtype) {
  tocha_dtype result = sum_dtype(self->dtype, dtype);
  if (tocha_dtype_is_floating(self->dtype) && tocha_is_on_device(self)) {
    tocha_reduced r;
    if (!tocha_reduced_of(cx, self, dim_count, dim, keepdim, &r)) return NULL;
    return nansum_on_device(cx, self, &r, result);
  }
  if (tocha_dtype_is_floating(self->dtype))
    self = without_nan(cx, self, tocha_reduce_dtype(self->dtype));
  return self ? tocha_op_sum_dim_IntList(cx, self, dim_count, dim, keepdim, result) : NULL;
}

tocha_tensor *tocha_op_nanmean(tocha_context *cx, tocha_tensor *self, int dim_count,
                               const int64_t *dim, bool keepdim, tocha_dtype dtype) {
  if (!tocha_dtype_is_floating(self->dtype))
    return tocha_fail(
        cx, TOCHA_NOT_IMPLEMENTED_ERROR,
        "nanmean(): expected input to have floating point or complex dtype but got %s",
        tocha_dtype_scalar_type(self->dtype));
  tocha_tensor *known = tocha_eq(cx, self, self);
  tocha_tensor *count =
      tocha_sum_dim_IntList_full(cx, known, dim_count, dim, keepdim, TOCHA_NO_DTYPE);
  tocha_tensor *total = tocha_nansum_full(cx, self, dim_count, dim, keepdim, dtype);
  return tocha_div(cx, total, count);
}

/* --- extremes ------------------------------------------------------------------------------------------ */

static tocha_scalar lowest(tocha_dtype compute, bool max) {
  if (compute != TOCHA_INT64) return tocha_float(max ? -INFINITY : INFINITY);
  return tocha_int(max ? INT64_MIN : INT64_MAX);
}

static bool check_not_empty(tocha_context *cx, const tocha_tensor *self, const tocha_reduced *r,
                            const char *name, bool full) {
  if (self->numel > 0) return true;
  if (full) {
    bool hinted = name[0] != 'a' || name[1] != 'r'; /* argmax and argmin say less */
    tocha_fail(cx, hinted ? TOCHA_RUNTIME_ERROR : TOCHA_INDEX_ERROR,
               "%s(): Expected reduction dim to be specified for input.numel() == 0.%s", name,
               hinted ? " Specify the reduction dim with the 'dim' argument." : "");
    return false;
  }
  for (int i = 0; i < self->ndim; i++) {
    if (!(r->mask >> i & 1) || self->sizes[i] != 0) continue;
    tocha_fail(cx, TOCHA_INDEX_ERROR, "%s(): Expected reduction dim %d to have non-zero size.",
               name, i);
    return false;
  }
  return true;
}

static tocha_tensor *extreme(tocha_context *cx, tocha_tensor *self, int dims, const int64_t *dim,
                             bool keepdim, bool max, const char *name) {
  tocha_reduced r;
  if (!tocha_reduced_of(cx, self, dims, dim, keepdim, &r) ||
      !check_not_empty(cx, self, &r, name, dims == 0))
    return NULL;
  const tocha_reduce_loops *loops = tocha_reduce_loops_of(cx);
  tocha_dtype compute = tocha_reduce_dtype(self->dtype);
  if (tocha_is_on_device(self)) {
    tocha_device_reduce what = {.operation = TOCHA_REDUCE_EXTREME, .compute = compute, .max = max};
    return reduce_on_device(cx, self, &r, self->dtype, &what);
  }
  tocha_tensor *out =
      fold(cx, self, &r, compute, max ? loops->max : loops->min, lowest(compute, max));
  return tocha_as_dtype(cx, out, self->dtype);
}

tocha_tensor *tocha_op_amax(tocha_context *cx, tocha_tensor *self, int dim_count,
                            const int64_t *dim, bool keepdim) {
  return extreme(cx, self, dim_count, dim, keepdim, true, "amax");
}
tocha_tensor *tocha_op_amin(tocha_context *cx, tocha_tensor *self, int dim_count,
                            const int64_t *dim, bool keepdim) {
  return extreme(cx, self, dim_count, dim, keepdim, false, "amin");
}
tocha_tensor *tocha_op_max(tocha_context *cx, tocha_tensor *self) {
  return extreme(cx, self, 0, NULL, false, true, "max");
}
tocha_tensor *tocha_op_min(tocha_context *cx, tocha_tensor *self) {
  return extreme(cx, self, 0, NULL, false, false, "min");
}
tocha_tensor *tocha_op_max_other(tocha_context *cx, tocha_tensor *self, tocha_tensor *other) {
  return tocha_maximum(cx, self, other);
}
tocha_tensor *tocha_op_min_other(tocha_context *cx, tocha_tensor *self, tocha_tensor *other) {
  return tocha_minimum(cx, self, other);
}

bool tocha_op_aminmax(tocha_context *cx, tocha_tensor *self, const int64_t *dim, bool keepdim,
                      tocha_tensor **min, tocha_tensor **max) {
  if (self->numel == 0) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "aminmax(): cannot compute aminmax over an empty dimension as the operation has no "
               "identity.");
    return false;
  }
  *min = extreme(cx, self, dim ? 1 : 0, dim, keepdim, false, "aminmax");
  *max = extreme(cx, self, dim ? 1 : 0, dim, keepdim, true, "aminmax");
  return *min && *max;
}

/* --- all, any, count_nonzero ---------------------------------------------------------------------------- */

static tocha_tensor *truth(tocha_context *cx, tocha_tensor *self, int dims, const int64_t *dim,
                           bool keepdim, bool all) {
  tocha_reduced r;
  if (!tocha_reduced_of(cx, self, dims, dim, keepdim, &r)) return NULL;
  tocha_dtype result = self->dtype == TOCHA_UINT8 ? TOCHA_UINT8 : TOCHA_BOOL;
  if (tocha_is_on_device(self)) {
    tocha_device_reduce what = {.operation = TOCHA_REDUCE_COUNT,
                                .end = all ? TOCHA_FINAL_ALL : TOCHA_FINAL_ANY,
                                .compute = TOCHA_INT64};
    return reduce_on_device(cx, self, &r, result, &what);
  }
  tocha_tensor *flags = tocha_as_dtype(cx, self, TOCHA_BOOL), *count;
  if (!flags) return NULL;
  if (flags->device.type == TOCHA_META) return new_result(cx, self, &r, result);
  count = sum_over(cx, flags, &r, TOCHA_INT64);
  if (!count) return NULL;
  int64_t *counts = (int64_t *)tocha_bytes(count), full = r.count;
  for (int64_t i = 0; i < count->numel; i++) counts[i] = all ? counts[i] == full : counts[i] > 0;
  return tocha_as_dtype(cx, count, result);
}

tocha_tensor *tocha_op_all(tocha_context *cx, tocha_tensor *self, int dim_count, const int64_t *dim,
                           bool keepdim) {
  return truth(cx, self, dim_count, dim, keepdim, true);
}
tocha_tensor *tocha_op_any(tocha_context *cx, tocha_tensor *self, int dim_count, const int64_t *dim,
                           bool keepdim) {
  return truth(cx, self, dim_count, dim, keepdim, false);
}

tocha_tensor *tocha_op_count_nonzero(tocha_context *cx, tocha_tensor *self, int dim_count,
                                     const int64_t *dim) {
  tocha_reduced r;
  if (!tocha_reduced_of(cx, self, dim_count, dim, false, &r)) return NULL;
  if (tocha_is_on_device(self)) {
    tocha_device_reduce what = {.operation = TOCHA_REDUCE_COUNT, .compute = TOCHA_INT64};
    return reduce_on_device(cx, self, &r, TOCHA_INT64, &what);
  }
  tocha_tensor *flags = tocha_as_dtype(cx, self, TOCHA_BOOL);
  return flags ? sum_over(cx, flags, &r, TOCHA_INT64) : NULL;
}

/* --- sum_to_size ------------------------------------------------------------------------------------------ */

tocha_tensor *tocha_op_sum_to_size(tocha_context *cx, tocha_tensor *self, int size_count,
                                   const int64_t *size) {
  int64_t dims[TOCHA_MAX_DIMS], leading = self->ndim - size_count;
  int count = 0;
  bool fits = leading >= 0;
  for (int i = 0; fits && i < self->ndim; i++) {
    if (i < leading || (size[i - leading] == 1 && self->sizes[i] != 1))
      dims[count++] = i;
    else
      fits = size[i - leading] == self->sizes[i];
  }
  if (!fits) {
    char a[256], b[256];
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "size {%s} is not expandable to size {%s}.",
                      tocha_shape_text(size_count, size, a, sizeof a),
                      tocha_shape_text(self->ndim, self->sizes, b, sizeof b));
  }
  tocha_tensor *out = self;
  if (count) out = tocha_sum_dim_IntList(cx, self, count, dims, true);
  return leading > 0 ? tocha_view(cx, out, size_count, size) : out;
}

/* --- argmax, argmin, max(dim), min(dim) ------------------------------------------------------------------- */

typedef struct position_args {
  const tocha_reduce_loops *loops;
  int type;
  bool max;
  int64_t item;
  tocha_rows rows;
  const char *in;
  char *values;
  int64_t *indices;
} position_args;

static void find_positions(void *user, int64_t begin, int64_t end) {
  const position_args *j = user;
  int64_t n = j->rows.n, inner = j->rows.inner, item = j->item;
  for (int64_t o = begin; o < end; o++) {
    const char *in = j->in + o * n * inner * item;
    char *values = j->values + o * inner * item;
    int64_t *indices = j->indices + o * inner;
    if (inner == 1) {
      indices[0] = (j->max ? j->loops->argmax : j->loops->argmin)[j->type](in, n);
      memcpy(values, in + indices[0] * item, (size_t)item);
      continue;
    }
    memcpy(values, in, (size_t)(inner * item));
    memset(indices, 0, (size_t)inner * sizeof *indices);
    for (int64_t i = 1; i < n; i++)
      (j->max ? j->loops->step_max : j->loops->step_min)[j->type](values, indices,
                                                                  in + i * inner * item, inner, i);
  }
}

typedef struct part_args {
  const position_args *j;
  int64_t part;
  _Alignas(8) char values[64 * 8]; /* the extreme of each part */
  int64_t indices[64];
} part_args;

static void find_part(void *user, int64_t begin, int64_t end) {
  part_args *p = user;
  const position_args *j = p->j;
  for (int64_t i = begin; i < end; i++) {
    int64_t at = i * p->part, left = j->rows.n - at, n = left < p->part ? left : p->part;
    int64_t best =
        at + (j->max ? j->loops->argmax : j->loops->argmin)[j->type](j->in + at * j->item, n);
    p->indices[i] = best;
    memcpy(p->values + i * j->item, j->in + best * j->item, (size_t)j->item);
  }
}

/* One long row in one part a thread, then the first extreme among the parts'. */
static bool find_in_parts(tocha_context *cx, const position_args *j, int64_t parts) {
  part_args p = {.j = j, .part = (j->rows.n + parts - 1) / parts};
  parts = (j->rows.n + p.part - 1) / p.part;
  if (!tocha_parallel_for(cx, parts, 1, find_part, &p)) return false;
  int64_t best = (j->max ? j->loops->argmax : j->loops->argmin)[j->type](p.values, parts);
  j->indices[0] = p.indices[best];
  memcpy(j->values, p.values + best * j->item, (size_t)j->item);
  return true;
}

/* values (in the compute type) and indices of the first extreme along dim. */
static bool positions(tocha_context *cx, tocha_tensor *self, int64_t dim, const tocha_reduced *r,
                      bool max, tocha_tensor **values, tocha_tensor **indices) {
  tocha_dtype compute = tocha_reduce_dtype(self->dtype);
  bool device = tocha_is_on_device(self);
  *indices = new_result(cx, self, r, TOCHA_INT64);
  *values = new_result(cx, self, r, device ? (tocha_dtype)self->dtype : compute);
  if (!*indices || !*values) return false;
  if (device) {
    tocha_device_reduce what = {.operation = TOCHA_REDUCE_POSITION, .compute = compute, .max = max};
    return tocha_reduce_on_device(cx, &what, self, r, *values, *indices);
  }
  if (self->device.type == TOCHA_META || (*values)->numel == 0) return true;
  self = tocha_as_rows(cx, self, compute);
  if (!self) return false;
  position_args j = {tocha_reduce_loops_of(cx),
                     tocha_reduce_index(compute),
                     max,
                     (int64_t)tocha_dtype_size(compute),
                     tocha_rows_around(self, dim),
                     tocha_bytes(self),
                     tocha_bytes(*values),
                     (int64_t *)tocha_bytes(*indices)};
  int64_t each = j.rows.n * j.rows.inner, threads = cx->threads < 64 ? cx->threads : 64;
  if (j.rows.outer * j.rows.inner == 1 && threads > 1 && each >= 2 * TOCHA_GRAIN)
    return find_in_parts(cx, &j, threads);
  return tocha_parallel_for(cx, j.rows.outer, TOCHA_GRAIN / each + 1, find_positions, &j);
}

static bool extreme_along(tocha_context *cx, tocha_tensor *self, int64_t dim, bool keepdim,
                          bool max, tocha_tensor **values, tocha_tensor **indices) {
  tocha_reduced r;
  if (!tocha_wrap_dim(cx, &dim, self->ndim)) return false;
  if (!tocha_reduced_of(cx, self, 1, &dim, keepdim, &r) ||
      !check_not_empty(cx, self, &r, max ? "max" : "min", false) ||
      !positions(cx, self, dim, &r, max, values, indices))
    return false;
  *values = tocha_as_dtype(cx, *values, self->dtype);
  return *values != NULL;
}

bool tocha_op_max_dim(tocha_context *cx, tocha_tensor *self, int64_t dim, bool keepdim,
                      tocha_tensor **values, tocha_tensor **indices) {
  return extreme_along(cx, self, dim, keepdim, true, values, indices);
}
bool tocha_op_min_dim(tocha_context *cx, tocha_tensor *self, int64_t dim, bool keepdim,
                      tocha_tensor **values, tocha_tensor **indices) {
  return extreme_along(cx, self, dim, keepdim, false, values, indices);
}

static tocha_tensor *position(tocha_context *cx, tocha_tensor *self, const int64_t *dim,
                              bool keepdim, bool max) {
  const char *name = max ? "argmax" : "argmin";
  tocha_tensor *values, *indices;
  tocha_reduced r;
  int64_t at = dim ? *dim : 0;
  if (self->dtype == TOCHA_BOOL)
    return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "%s(): does not support bool input", name);
  if ((dim && !tocha_wrap_dim(cx, &at, self->ndim)) ||
      !tocha_reduced_of(cx, self, dim ? 1 : 0, &at, keepdim, &r) ||
      !check_not_empty(cx, self, &r, name, !dim))
    return NULL;
  if (!dim && self->device.type != TOCHA_META) { /* over the elements in order */
    int64_t stride = 1, size = self->numel;
    tocha_dtype type = self->dtype;
    self = tocha_as_rows(cx, self, tocha_is_on_device(self) ? type : tocha_reduce_dtype(type));
    self = self ? tocha_alias(cx, self, 1, &size, &stride, self->offset) : NULL;
    if (!self) return NULL;
  }
  return positions(cx, self, at, &r, max, &values, &indices) ? indices : NULL;
}

tocha_tensor *tocha_op_argmax(tocha_context *cx, tocha_tensor *self, const int64_t *dim,
                              bool keepdim) {
  return position(cx, self, dim, keepdim, true);
}
tocha_tensor *tocha_op_argmin(tocha_context *cx, tocha_tensor *self, const int64_t *dim,
                              bool keepdim) {
  return position(cx, self, dim, keepdim, false);
}
