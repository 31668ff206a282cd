/* sort.c: order: sort, argsort, topk, kthvalue, median, mode, unique, bincount, histc. NaN is the
 * greatest number; equal elements keep their order. */
#include <math.h>
#include <string.h>

#include "tensor/copy.h"
#include "device/devices.h"
#include "ops/indexing/kernels.h"
#include "tensor/iterator.h"
#include "ops/reduction/reduce.h"
#include "ops/sorting/sort_device.h"
#include "sorting/implementations.h"
#include "tocha/ops/aminmax.h"
#include "tocha/ops/index_add_.h"

/* --- sorting keys ---------------------------------------------------------------------------------------- */

/* An element as a signed integer of the same order (NaN above everything), and where it was. */
typedef struct entry {
  int64_t key, index;
} entry;

static int64_t key_of_double(double x) {
  int64_t bits;
  if (x != x) return INT64_MAX;
  if (x == 0) x = 0; /* -0 equals 0 */
  memcpy(&bits, &x, sizeof bits);
  return bits >= 0 ? bits : INT64_MIN - bits;
}

static int64_t key_at(const char *data, tocha_dtype type, int64_t i) {
  if (type == TOCHA_FLOAT32) return key_of_double(((const float *)data)[i]);
  if (type == TOCHA_FLOAT64) return key_of_double(((const double *)data)[i]);
  return ((const int64_t *)data)[i];
}

static bool before(entry a, entry b, bool descending) {
  return descending ? a.key > b.key : a.key < b.key;
}

static bool is_set(const atomic_int *stop) {
  return atomic_load_explicit(stop, memory_order_relaxed);
}

/* A stable merge sort, bottom up from runs of 16; the result is in a. Unfinished once *stop is set:
 * the caller's result is then thrown away. */
static void sort_entries(const atomic_int *stop, entry *a, entry *work, int64_t n,
                         bool descending) {
  enum { RUN_LENGTH = 16 };
  for (int64_t from = 0; from < n; from += RUN_LENGTH) {
    int64_t end = from + RUN_LENGTH < n ? from + RUN_LENGTH : n;
    if (from % 65536 == 0 && from && is_set(stop)) return;
    for (int64_t i = from + 1; i < end; i++) {
      entry e = a[i];
      int64_t k = i;
      for (; k > from && before(e, a[k - 1], descending); k--) a[k] = a[k - 1];
      a[k] = e;
    }
  }
  entry *source = a, *target = work;
  for (int64_t width = RUN_LENGTH; width < n; width *= 2) {
    for (int64_t from = 0; from < n; from += 2 * width) {
      if (width >= 1024 && is_set(stop)) return;
      int64_t middle = from + width < n ? from + width : n;
      int64_t end = from + 2 * width < n ? from + 2 * width : n, x = from, y = middle;
      for (int64_t k = from; k < end; k++) {
        if (!(k & 0xffff) && is_set(stop)) return;
        bool second = x >= middle || (y < end && before(source[y], source[x], descending));
        target[k] = second ? source[y++] : source[x++];
      }
    }
    entry *t = source;
    source = target;
    target = t;
  }
  if (source != a) memcpy(a, source, (size_t)n * sizeof *a);
}

/* Puts the k first of the order at the front, in any order (quickselect, median of three). */
static void select_first(entry *a, int64_t n, int64_t k, bool descending) {
  int64_t low = 0, high = n - 1;
  while (low < high) {
    entry x = a[low], y = a[(low + high) / 2], z = a[high];
    entry pivot = before(x, y, descending) ? (before(y, z, descending)   ? y
                                              : before(x, z, descending) ? z
                                                                         : x)
                                           : (before(x, z, descending)   ? x
                                              : before(y, z, descending) ? z
                                                                         : y);
    int64_t i = low, j = high;
    while (i <= j) {
      while (before(a[i], pivot, descending)) i++;
      while (before(pivot, a[j], descending)) j--;
      if (i <= j) {
        entry t = a[i];
        a[i++] = a[j];
        a[j--] = t;
      }
    }
    if (k - 1 <= j)
      high = j;
    else if (k - 1 >= i)
      low = i;
    else
      return;
  }
}

/* --- along a dimension -------------------------------------------------------------------------------------- */

enum { DO_SORT, DO_TOPK, DO_KTH, DO_MODE };

typedef struct sort_args {
  int task;
  int64_t k;
  bool descending, skip_nan;
  tocha_dtype type;
  tocha_rows rows;
  int64_t results; /* elements of one row of the result */
  const char *in;
  char *values;
  int64_t *indices;
  entry *work;            /* 2 * n for each part */
  int64_t each;           /* rows in one part */
  const atomic_int *stop; /* the context's interrupt flag */
} sort_args;

static void put(const sort_args *j, int64_t row, int64_t place, int64_t from) {
  int64_t outer = row / j->rows.inner, column = row % j->rows.inner;
  size_t item = tocha_dtype_size(j->type);
  int64_t to = (outer * j->results + place) * j->rows.inner + column;
  int64_t source = (outer * j->rows.n + from) * j->rows.inner + column;
  memcpy(j->values + (size_t)to * item, j->in + (size_t)source * item, item);
  j->indices[to] = from;
}

/* The median's position: of an odd or even count the lower middle; NaN wins unless skipped. */
static int64_t kth_of(const sort_args *j, const entry *a, int64_t n) {
  if (j->k > 0) return j->k;
  int64_t known = n;
  if (j->type != TOCHA_INT64) {
    known = 0;
    for (int64_t i = 0; i < n; i++) known += a[i].key != INT64_MAX;
    if (known < n && !j->skip_nan) return n;
    if (known == 0) return 1;
  }
  return (known + 1) / 2;
}

static void find_mode(const sort_args *j, int64_t row, entry *a, int64_t n) {
  int64_t best = 0, best_count = 0;
  for (int64_t i = 0; i < n;) {
    int64_t end = i;
    while (end < n && a[end].key == a[i].key) end++;
    if (end - i > best_count) {
      best_count = end - i;
      best = a[end - 1].index;
    }
    i = end;
  }
  put(j, row, 0, best);
}

static void one_row(const sort_args *j, int64_t row, entry *a, entry *work) {
  int64_t n = j->rows.n;
  int64_t first = row / j->rows.inner * n * j->rows.inner + row % j->rows.inner;
  for (int64_t i = 0; i < n; i++) {
    if (!(i & 0xffff) && is_set(j->stop)) return;
    a[i].key = key_at(j->in, j->type, first + i * j->rows.inner);
    a[i].index = i;
  }
  int64_t k = j->task == DO_TOPK ? j->k : 0;
  if (j->task == DO_TOPK) {
    if (k < n && k > 0) select_first(a, n, k, j->descending);
    sort_entries(j->stop, a, work, k, j->descending);
    for (int64_t i = 0; i < k; i++) put(j, row, i, a[i].index);
    return;
  }
  if (j->task == DO_KTH) {
    k = kth_of(j, a, n);
    sort_entries(j->stop, a, work, n, false);
    put(j, row, 0, a[k - 1].index);
    return;
  }
  sort_entries(j->stop, a, work, n, j->descending);
  if (j->task == DO_MODE) {
    find_mode(j, row, a, n);
    return;
  }
  for (int64_t i = 0; i < n; i++) put(j, row, i, a[i].index);
}

static void run_parts(void *user, int64_t begin, int64_t end) {
  const sort_args *j = user;
  int64_t rows = j->rows.outer * j->rows.inner;
  for (int64_t part = begin; part < end; part++) {
    entry *a = j->work + part * 2 * j->rows.n;
    int64_t last = (part + 1) * j->each < rows ? (part + 1) * j->each : rows;
    for (int64_t row = part * j->each; row < last; row++) one_row(j, row, a, a + j->rows.n);
  }
}

/* results: the size of dim in the result; 0 with keepdim false: dim goes. */
static bool along(tocha_context *cx, tocha_tensor *self, int64_t dim, sort_args *j, bool drop,
                  tocha_tensor **values, tocha_tensor **indices) {
  static const int tasks[] = {[DO_SORT] = TOCHA_ORDER_SORT,
                              [DO_TOPK] = TOCHA_ORDER_TOP,
                              [DO_KTH] = TOCHA_ORDER_KTH,
                              [DO_MODE] = TOCHA_ORDER_MODE};
  int64_t sizes[TOCHA_MAX_DIMS];
  int n = 0;
  tocha_dtype compute = tocha_reduce_dtype(self->dtype), type = self->dtype;
  if (tocha_is_on_device(self)) {
    tocha_order o = {.task = j->task == DO_KTH && j->k == 0 ? TOCHA_ORDER_MEDIAN : tasks[j->task],
                     .k = j->k,
                     .descending = j->descending,
                     .skip_nan = j->skip_nan,
                     .drop = drop};
    return tocha_order_on_device(cx, self, dim, &o, values, indices);
  }
  for (int i = 0; i < self->ndim; i++)
    if (i != dim || !drop) sizes[n++] = i == dim ? j->results : self->sizes[i];
  *values = tocha_new(cx, n, sizes, compute, self->device);
  *indices = tocha_new(cx, n, sizes, TOCHA_INT64, self->device);
  if (!*values || !*indices) return false;
  if (self->device.type != TOCHA_META && (*values)->numel > 0) {
    self = tocha_as_rows(cx, self, compute);
    if (!self) return false;
    j->type = compute;
    j->stop = &cx->interrupted;
    j->rows = tocha_rows_around(self, dim);
    j->in = tocha_bytes(self);
    j->values = tocha_bytes(*values);
    j->indices = (int64_t *)tocha_bytes(*indices);
    int64_t rows = j->rows.outer * j->rows.inner, parts = cx->threads < rows ? cx->threads : rows;
    if (self->numel < TOCHA_GRAIN / 8) parts = 1;
    j->each = (rows + parts - 1) / parts;
    size_t bytes = (size_t)(parts * 2 * j->rows.n) * sizeof(entry);
    j->work = tocha_allocate(cx, bytes);
    if (!j->work) return false;
    bool ok = tocha_parallel_for(cx, parts, 1, run_parts, j);
    tocha_deallocate(cx, j->work, bytes);
    if (!ok) return false;
  }
  *values = tocha_as_dtype(cx, *values, type);
  return *values != NULL;
}

static int64_t size_along(const tocha_tensor *self, int64_t dim) {
  return self->ndim ? self->sizes[dim] : 1;
}

bool tocha_op_sort_stable(tocha_context *cx, tocha_tensor *self, const bool *stable, int64_t dim,
                          bool descending, tocha_tensor **values, tocha_tensor **indices) {
  (void)stable; /* it always is */
  if (!tocha_wrap_dim(cx, &dim, self->ndim)) return false;
  sort_args j = {.task = DO_SORT, .descending = descending, .results = size_along(self, dim)};
  return along(cx, self, dim, &j, false, values, indices);
}

bool tocha_op_sort(tocha_context *cx, tocha_tensor *self, int64_t dim, bool descending,
                   tocha_tensor **values, tocha_tensor **indices) {
  return tocha_op_sort_stable(cx, self, NULL, dim, descending, values, indices);
}

tocha_tensor *tocha_op_argsort(tocha_context *cx, tocha_tensor *self, int64_t dim, bool descending,
                               bool stable) {
  (void)stable;
  tocha_tensor *values, *indices;
  return tocha_op_sort(cx, self, dim, descending, &values, &indices) ? indices : NULL;
}

bool tocha_op_topk(tocha_context *cx, tocha_tensor *self, int64_t k, int64_t dim, bool largest,
                   bool sorted, tocha_tensor **values, tocha_tensor **indices) {
  (void)sorted;
  if (!tocha_wrap_dim(cx, &dim, self->ndim)) return false;
  if (k < 0 || k > size_along(self, dim)) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "selected index k out of range");
    return false;
  }
  if (self->dtype == TOCHA_BOOL) {
    tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "topk does not support bool dtypes on CPU");
    return false;
  }
  if (self->ndim == 0) k = 1; /* k of 0 too: the number itself */
  sort_args j = {.task = DO_TOPK, .k = k, .descending = largest, .results = k};
  return along(cx, self, dim, &j, self->ndim == 0, values, indices);
}

bool tocha_op_kthvalue(tocha_context *cx, tocha_tensor *self, int64_t k, int64_t dim, bool keepdim,
                       tocha_tensor **values, tocha_tensor **indices) {
  if (!tocha_wrap_dim(cx, &dim, self->ndim)) return false;
  if (k < 1 || k > size_along(self, dim)) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "kthvalue(): selected number k out of range for dimension %d", (int)dim);
    return false;
  }
  if (self->dtype == TOCHA_BOOL) {
    tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"kthvalue_cpu\" not implemented for 'Bool'");
    return false;
  }
  sort_args j = {.task = DO_KTH, .k = k, .results = 1};
  return along(cx, self, dim, &j, !keepdim, values, indices);
}

/* --- median, mode ----------------------------------------------------------------------------------------------- */

static bool median_along(tocha_context *cx, tocha_tensor *self, int64_t dim, bool keepdim, int task,
                         bool skip_nan, const char *name, tocha_tensor **values,
                         tocha_tensor **indices) {
  if (!tocha_wrap_dim(cx, &dim, self->ndim)) return false;
  if (self->dtype == TOCHA_BOOL && task == DO_KTH) {
    tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"median_out\" not implemented for 'Bool'");
    return false;
  }
  if (size_along(self, dim) == 0) {
    tocha_fail(cx, TOCHA_INDEX_ERROR, "%s(): Expected reduction dim %d to have non-zero size.",
               name, (int)dim);
    return false;
  }
  sort_args j = {.task = task, .skip_nan = skip_nan, .results = 1};
  return along(cx, self, dim, &j, !keepdim, values, indices);
}

static tocha_tensor *median_all(tocha_context *cx, tocha_tensor *self, bool skip_nan) {
  tocha_tensor *values, *indices;
  if (self->numel == 0) {
    tocha_tensor *out = tocha_new(cx, 0, NULL, self->dtype, self->device);
    return out && tocha_fill_data(cx, out, tocha_float(NAN)) ? out : NULL;
  }
  if (self->dtype == TOCHA_BOOL)
    return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"median_cpu\" not implemented for 'Bool'");
  int64_t stride = 1, size = self->numel;
  self = tocha_as_rows(cx, self, self->dtype);
  self = self ? tocha_alias(cx, self, 1, &size, &stride, self->offset) : NULL;
  if (!self) return NULL;
  return median_along(cx, self, 0, false, DO_KTH, skip_nan, "median", &values, &indices) ? values
                                                                                         : NULL;
}

tocha_tensor *tocha_op_median(tocha_context *cx, tocha_tensor *self) {
  return median_all(cx, self, false);
}
tocha_tensor *tocha_op_nanmedian(tocha_context *cx, tocha_tensor *self) {
  return median_all(cx, self, true);
}
bool tocha_op_median_dim(tocha_context *cx, tocha_tensor *self, int64_t dim, bool keepdim,
                         tocha_tensor **values, tocha_tensor **indices) {
  return median_along(cx, self, dim, keepdim, DO_KTH, false, "median", values, indices);
}
bool tocha_op_nanmedian_dim(tocha_context *cx, tocha_tensor *self, int64_t dim, bool keepdim,
                            tocha_tensor **values, tocha_tensor **indices) {
  return median_along(cx, self, dim, keepdim, DO_KTH, true, "nanmedian", values, indices);
}
bool tocha_op_mode(tocha_context *cx, tocha_tensor *self, int64_t dim, bool keepdim,
                   tocha_tensor **values, tocha_tensor **indices) {
  return median_along(cx, self, dim, keepdim, DO_MODE, false, "mode", values, indices);
}

/* --- unique ------------------------------------------------------------------------------------------------------- */

bool tocha_op__unique2(tocha_context *cx, tocha_tensor *self, bool sorted, bool return_inverse,
                       bool return_counts, tocha_tensor **output, tocha_tensor **inverse,
                       tocha_tensor **counts) {
  (void)sorted; /* in order in any case */
  tocha_dtype type = self->dtype, compute = tocha_reduce_dtype(type);
  int64_t n = self->numel, found = 0, none = 0;
  if (!tocha_check_values(cx, self, "_unique2")) return false;
  if (tocha_is_on_device(self)) {
    if (!tocha_unique_on_device(cx, self, output, inverse, counts)) return false;
    if (!return_inverse) *inverse = tocha_new(cx, 1, &none, TOCHA_INT64, self->device);
    if (!return_counts) *counts = tocha_new(cx, 1, &none, TOCHA_INT64, self->device);
    return *inverse && *counts;
  }
  tocha_tensor *rows = tocha_as_rows(cx, self, compute);
  *inverse = tocha_new(cx, self->ndim, self->sizes, TOCHA_INT64, self->device);
  size_t bytes = (size_t)(2 * n + 2) * sizeof(entry);
  entry *a = rows && *inverse ? tocha_allocate(cx, bytes) : NULL;
  if (!a) return false;
  for (int64_t i = 0; i < n; i++) {
    a[i].key = key_at(tocha_bytes(rows), compute, i);
    a[i].index = i;
  }
  sort_entries(&cx->interrupted, a, a + n, n, false);
  if (tocha_interrupted(cx)) {
    tocha_deallocate(cx, a, bytes);
    return false;
  }
  int64_t *group = (int64_t *)(a + n); /* where each group begins */
  int64_t *where = n ? (int64_t *)tocha_bytes(*inverse) : NULL;
  bool floating = compute != TOCHA_INT64;
  for (int64_t i = 0; i < n; i++) { /* NaN never equals NaN */
    bool fresh = i == 0 || a[i].key != a[i - 1].key || (floating && a[i].key == INT64_MAX);
    if (fresh) group[found++] = i;
    where[a[i].index] = found - 1;
  }
  group[found] = n;
  tocha_tensor *out = tocha_new(cx, 1, n ? &found : &none, compute, self->device);
  *counts = tocha_new(cx, 1, n ? &found : &none, TOCHA_INT64, self->device);
  size_t item = tocha_dtype_size(compute);
  for (int64_t k = 0; out && *counts && k < found; k++) {
    memcpy(tocha_bytes(out) + (size_t)k * item,
           tocha_bytes(rows) + (size_t)a[group[k]].index * item, item);
    ((int64_t *)tocha_bytes(*counts))[k] = group[k + 1] - group[k];
  }
  tocha_deallocate(cx, a, bytes);
  *output = tocha_as_dtype(cx, out, type);
  if (!return_inverse) *inverse = tocha_new(cx, 1, &none, TOCHA_INT64, self->device);
  if (!return_counts) *counts = tocha_new(cx, 1, &none, TOCHA_INT64, self->device);
  return *output && *inverse && *counts;
}

/* --- bincount, histc ------------------------------------------------------------------------------------------------ */

tocha_tensor *tocha_op_bincount(tocha_context *cx, tocha_tensor *self, tocha_tensor *weights,
                                int64_t minlength) {
  if (!tocha_check_values(cx, self, "bincount")) return NULL;
  if (tocha_dtype_is_floating(self->dtype) || self->dtype == TOCHA_BOOL)
    return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"bincount_cpu\" not implemented for '%s'",
                      tocha_dtype_scalar_type(self->dtype));
  tocha_tensor *in = tocha_as_rows(cx, self, TOCHA_INT64);
  if (!in) return NULL;
  bool on_device = tocha_is_on_device(in);
  const int64_t *x = (const int64_t *)tocha_bytes(in); /* on the host, to be looked at */
  int64_t size = minlength, negative = self->ndim != 1;
  if (on_device && in->numel && !negative) {
    int64_t least, greatest;
    if (!tocha_integer_range(cx, in, &least, &greatest)) return NULL;
    negative = least < 0;
    if (greatest >= size) size = greatest + 1;
  }
  for (int64_t i = 0; !on_device && i < in->numel && !negative; i++) {
    negative = x[i] < 0;
    if (x[i] >= size) size = x[i] + 1;
  }
  if (negative)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "bincount only supports 1-d non-negative integral inputs.");
  if (minlength < 0) return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "minlength should be >= 0");
  if (weights && (weights->ndim != 1 || weights->numel != in->numel))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "weights should be 1-d and have the same length as input");
  tocha_dtype type = !weights                          ? TOCHA_INT64
                     : weights->dtype == TOCHA_FLOAT32 ? TOCHA_FLOAT32
                                                       : TOCHA_FLOAT64;
  tocha_tensor *out = tocha_new(cx, 1, &size, type, self->device);
  if (weights) weights = tocha_as_rows(cx, weights, type);
  if (!out || tocha_failed(cx) || !tocha_fill_data(cx, out, tocha_int(0))) return NULL;
  if (on_device) return tocha_count_on_device(cx, out, in, weights) ? out : NULL;
  for (int64_t i = 0; i < in->numel; i++) {
    if (type == TOCHA_INT64)
      ((int64_t *)tocha_bytes(out))[x[i]]++;
    else if (type == TOCHA_FLOAT32)
      ((float *)tocha_bytes(out))[x[i]] += ((const float *)tocha_bytes(weights))[i];
    else
      ((double *)tocha_bytes(out))[x[i]] += ((const double *)tocha_bytes(weights))[i];
  }
  return out;
}

/* low..high, where they are equal those of the data. in: dense float64, on a device self. */
static bool histogram_range(tocha_context *cx, tocha_tensor *in, double *low, double *high) {
  if (*low == *high && in->numel && tocha_is_on_device(in)) {
    tocha_tensor *least, *greatest;
    tocha_scalar a, b;
    if (!tocha_aminmax_full(cx, in, NULL, false, &least, &greatest) || !tocha_item(cx, least, &a) ||
        !tocha_item(cx, greatest, &b))
      return false;
    *low = tocha_scalar_real(a);
    *high = tocha_scalar_real(b);
  } else if (*low == *high && in->numel) {
    const double *x = (const double *)tocha_bytes(in);
    *low = *high = x[0];
    for (int64_t i = 1; i < in->numel; i++) {
      *low = x[i] < *low ? x[i] : *low;
      *high = x[i] > *high ? x[i] : *high;
    }
  }
  if (*low == *high) {
    *low -= 1;
    *high += 1;
  }
  if (*low < *high) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "torch.histc: max must be larger than min");
  return false;
}

tocha_tensor *tocha_op_histc(tocha_context *cx, tocha_tensor *self, int64_t bins, tocha_scalar min,
                             tocha_scalar max) {
  if (!tocha_dtype_is_floating(self->dtype))
    return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"histogram_cpu\" not implemented for '%s'",
                      tocha_dtype_scalar_type(self->dtype));
  if (bins <= 0) return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "torch.histc: bins must be > 0");
  if (self->device.type == TOCHA_META) return tocha_new(cx, 1, &bins, self->dtype, self->device);
  double low = tocha_scalar_real(min), high = tocha_scalar_real(max);
  bool on_device = tocha_is_on_device(self);
  tocha_tensor *in = tocha_as_rows(cx, self, on_device ? (tocha_dtype)self->dtype : TOCHA_FLOAT64);
  tocha_tensor *out =
      tocha_new(cx, 1, &bins, on_device ? TOCHA_INT64 : TOCHA_FLOAT64, self->device);
  if (!in || !out || !histogram_range(cx, in, &low, &high) ||
      !tocha_fill_data(cx, out, tocha_int(0)))
    return NULL;
  if (on_device) {
    if (!tocha_histogram_on_device(cx, out, in, low, high)) return NULL;
    return tocha_as_dtype(cx, out, self->dtype);
  }
  const double *x = (const double *)tocha_bytes(in);
  double *count = (double *)tocha_bytes(out);
  for (int64_t i = 0; i < in->numel; i++) {
    if (!(x[i] >= low && x[i] <= high)) continue;
    int64_t bin = (int64_t)((x[i] - low) / (high - low) * (double)bins);
    count[bin < bins ? bin : bins - 1]++;
  }
  return tocha_as_dtype(cx, out, self->dtype);
}
