/* sort.c: order along a dimension: sort, argsort, topk, kthvalue, median, mode. NaN is the maximum,
 * and sorting is stable. */
#include "ops/sorting/sort.h"

#include <math.h>
#include <string.h>

#include "device/devices.h"
#include "sorting/implementations.h"
#include "tensor/copy.h"
#include "tensor/output.h"
#include "tensor/scratch.h"

bool tocha_sort_rows(tocha_context *cx, tocha_tensor *in, tocha_sort_args *args,
                     tocha_tensor *values, tocha_tensor *indices) {
  tocha_stream *s = tocha_stream_of(cx, in->device);
  if (!s) return false;
  const tocha_sorting_kernels *kernels = s->kernels->sorting;
  args->in = tocha_bytes(in);
  args->dtype = in->dtype;
  args->values = values ? tocha_bytes(values) : NULL;
  args->indices = indices ? (int64_t *)(void *)tocha_bytes(indices) : NULL;
  return tocha_new_scratch(cx, in->device, kernels->sort_scratch(s, args), &args->scratch) &&
         tocha_launched(cx, kernels->sort(s, args));
}

/* --- along a dimension ------------------------------------------------------------------------ */

/* The request along a dimension: all elements in order, or a task of tocha_select_args. */
typedef struct order {
  bool sort;
  int task;
  int64_t k;
  bool descending, sorted;
  bool drop; /* removes the dimension, whose size in the result would be 1 */
} order;

/* Runs the kernel on `in`, which is row-major, and writes the results into values and indices. */
static bool run(tocha_context *cx, tocha_tensor *in, int64_t dim, const order *o,
                tocha_tensor *values, tocha_tensor *indices) {
  tocha_rows r = tocha_rows_around(in, dim);
  if (o->sort) {
    tocha_sort_args args = {
        .outer = r.outer, .n = r.n, .inner = r.inner, .kept = r.n, .descending = o->descending};
    return tocha_sort_rows(cx, in, &args, values, indices);
  }
  tocha_stream *s = tocha_stream_of(cx, in->device);
  if (!s) return false;
  const tocha_sorting_kernels *kernels = s->kernels->sorting;
  tocha_select_args args = {.in = tocha_bytes(in),
                            .values = tocha_bytes(values),
                            .indices = (int64_t *)(void *)tocha_bytes(indices),
                            .outer = r.outer,
                            .n = r.n,
                            .inner = r.inner,
                            .k = o->k,
                            .dtype = in->dtype,
                            .task = o->task,
                            .descending = o->descending,
                            .sorted = o->sorted};
  return tocha_new_scratch(cx, in->device, kernels->select_scratch(s, &args), &args.scratch) &&
         tocha_launched(cx, kernels->select(s, &args));
}

/* Lays out *result, which is row-major, in self's memory format. */
static bool lay_out_as(tocha_context *cx, const tocha_tensor *self, tocha_tensor **result) {
  tocha_tensor *rows = *result;
  *result = tocha_new_copy_of(cx, self, rows->dtype, rows->device);
  if (!*result) return false;
  if (memcmp((*result)->strides, rows->strides, rows->ndim * sizeof *rows->strides) != 0)
    return tocha_copy_data(cx, *result, rows);
  *result = rows;
  return true;
}

static bool along(tocha_context *cx, tocha_tensor *self, int64_t dim, const order *o,
                  tocha_tensor **values, tocha_tensor **indices) {
  int64_t sizes[TOCHA_MAX_DIMS];
  int n = 0;
  for (int d = 0; d < self->ndim; d++) {
    if (d == dim && o->drop) continue;
    bool whole = d != dim || o->sort;
    sizes[n++] = whole ? self->sizes[d] : o->task == TOCHA_SELECT_TOP ? o->k : 1;
  }
  *values = tocha_new(cx, n, sizes, self->dtype, self->device);
  *indices = tocha_new(cx, n, sizes, TOCHA_INT64, self->device);
  if (!*values || !*indices) return false;
  if (tocha_has_elements(*values)) {
    tocha_tensor *in = tocha_as_rows(cx, self, TOCHA_NO_DTYPE);
    if (!in || !run(cx, in, dim, o, *values, *indices)) return false;
  }
  return !o->sort || (lay_out_as(cx, self, values) && lay_out_as(cx, self, indices));
}

static int64_t size_along(const tocha_tensor *self, int64_t dim) {
  return self->ndim ? self->sizes[dim] : 1;
}

bool tocha_op_sort_stable(tocha_context *cx, tocha_tensor *self, const bool *stable, int64_t dim,
                          bool descending, tocha_tensor **values, tocha_tensor **indices) {
  (void)stable; /* the sort is always stable */
  if (!tocha_wrap_dim(cx, &dim, self->ndim)) return false;
  order o = {.sort = true, .descending = descending};
  return along(cx, self, dim, &o, values, indices);
}

tocha_tensor *tocha_op_argsort(tocha_context *cx, tocha_tensor *self, int64_t dim,
                               bool descending) {
  tocha_tensor *values, *indices;
  return tocha_op_sort_stable(cx, self, NULL, dim, descending, &values, &indices) ? indices : NULL;
}

/* Ignores `stable`, because every sort is stable. */
tocha_tensor *tocha_op_argsort_stable(tocha_context *cx, tocha_tensor *self, bool stable,
                                      int64_t dim, bool descending) {
  (void)stable;
  return tocha_op_argsort(cx, self, dim, descending);
}

bool tocha_op_topk(tocha_context *cx, tocha_tensor *self, int64_t k, int64_t dim, bool largest,
                   bool sorted, tocha_tensor **values, tocha_tensor **indices) {
  if (!tocha_wrap_dim(cx, &dim, self->ndim)) return false;
  if (k < 0 || k > size_along(self, dim)) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "selected index k out of range");
    return false;
  }
  if (self->dtype == TOCHA_BOOL) {
    tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "topk does not support bool dtypes on CPU");
    return false;
  }
  if (self->ndim == 0) k = 1; /* with k = 0 too, the result is the number itself */
  order o = {.task = TOCHA_SELECT_TOP, .k = k, .descending = largest, .sorted = sorted};
  return along(cx, self, dim, &o, values, indices);
}

static bool check_not_empty(tocha_context *cx, const tocha_tensor *self, int64_t dim,
                            const char *name) {
  if (size_along(self, dim) > 0) return true;
  return tocha_fail(cx, TOCHA_INDEX_ERROR, "%s(): Expected reduction dim %d to have non-zero size.",
                    name, (int)dim);
}

bool tocha_op_kthvalue(tocha_context *cx, tocha_tensor *self, int64_t k, int64_t dim, bool keepdim,
                       tocha_tensor **values, tocha_tensor **indices) {
  if (!tocha_wrap_dim(cx, &dim, self->ndim) || !check_not_empty(cx, self, dim, "kthvalue"))
    return false;
  if (k < 1 || k > size_along(self, dim)) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "kthvalue(): selected number k out of range for dimension %d", (int)dim);
    return false;
  }
  if (self->dtype == TOCHA_BOOL) {
    tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"kthvalue_cpu\" not implemented for 'Bool'");
    return false;
  }
  order o = {.task = TOCHA_SELECT_KTH, .k = k, .drop = !keepdim};
  return along(cx, self, dim, &o, values, indices);
}

/* --- median, mode ----------------------------------------------------------------------------------------------- */

bool tocha_op_select_along(tocha_context *cx, tocha_tensor *self, int64_t dim, bool keepdim,
                           const char *name, int task, tocha_tensor **values,
                           tocha_tensor **indices) {
  if (!tocha_wrap_dim(cx, &dim, self->ndim) || !check_not_empty(cx, self, dim, name)) return false;
  if (self->dtype == TOCHA_BOOL && task != TOCHA_SELECT_MODE) {
    tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"median_out\" not implemented for 'Bool'");
    return false;
  }
  order o = {.task = task, .drop = !keepdim};
  return along(cx, self, dim, &o, values, indices);
}

tocha_tensor *tocha_op_select_one(tocha_context *cx, tocha_tensor *self, int task) {
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
  return tocha_op_select_along(cx, self, 0, false, "median", task, &values, &indices) ? values
                                                                                      : NULL;
}
