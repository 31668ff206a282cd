/* sort_device.c: order on a device. Rows are made dense; which kernel does the work depends on
 * their length and number. */
#include "ops/sorting/sort_device.h"
#include "device/devices.h"
#include "tensor/transfer.h"
#include "ops/indexing/kernels.h"
#include "ops/sorting/kernels.h"

#include <string.h>

#include "tensor/copy.h"
#include "ops/indexing/index.h"
#include "ops/indexing/nonzero.h"
#include "tocha/ops/aminmax.h"
#include "tocha/ops/cat.h"
#include "tocha/ops/cumsum.h"
#include "tocha/ops/index_add_.h"
#include "tocha/ops/index_put_.h"
#include "tocha/ops/index_select.h"
#include "tocha/ops/ne.h"
#include "tocha/ops/sub.h"

/* --- sorting ---------------------------------------------------------------------------------- */

static void *new_block(tocha_context *cx, const tocha_tensor *like, tocha_dtype dtype,
                       int64_t count) {
  tocha_tensor *t = tocha_new(cx, 1, &count, dtype, like->device);
  return t ? tocha_bytes(t) : NULL;
}

/* Room for the passes over long rows, as temporaries of the scope. */
static bool make_workspace(tocha_context *cx, const tocha_tensor *in, tocha_sort_args *args) {
  tocha_dtype key = tocha_dtype_size((tocha_dtype)in->dtype) == 8 ? TOCHA_INT64 : TOCHA_INT32;
  int bits = args->bits ? args->bits : 8 * (int)tocha_dtype_size((tocha_dtype)in->dtype);
  int64_t tiles = (args->n + TOCHA_SORT_TILE - 1) / TOCHA_SORT_TILE;
  int64_t chunks = (tiles + TOCHA_SORT_CHUNK - 1) / TOCHA_SORT_CHUNK;
  int passes = (bits + 7) / 8;
  for (int i = 0; i < 2 && i < passes - 1; i++) {
    args->keys[i] = new_block(cx, in, key, args->rows * args->n);
    args->order[i] = new_block(cx, in, TOCHA_INT32, args->rows * args->n);
  }
  args->counts =
      new_block(cx, in, TOCHA_INT32, args->rows * (tiles + chunks + 1) * TOCHA_SORT_DIGITS);
  return !tocha_failed(cx);
}

bool tocha_sort_rows(tocha_context *cx, tocha_tensor *in, tocha_sort_args *args,
                     tocha_tensor *values, tocha_tensor *indices) {
  if (args->n > INT32_MAX) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "The dimension being sorted can not have more than INT_MAX elements.");
    return false;
  }
  if (args->n > TOCHA_SORT_BLOCK && !make_workspace(cx, in, args)) return false;
  tocha_stream *q = tocha_stream_of(cx, in->device);
  args->in = tocha_bytes(in);
  args->dtype = in->dtype;
  args->values = values ? tocha_bytes(values) : NULL;
  args->indices = indices ? (int64_t *)(void *)tocha_bytes(indices) : NULL;
  return q && tocha_launched(cx, q->kernels->sorting->sort(q, args));
}

/* --- along a dimension ------------------------------------------------------------------------ */

/* A block selects from a row by itself: a few very long rows are better sorted by all blocks. (Many
 * short ones are sorted as well, several by one block.) */
static bool is_long(int64_t rows, int64_t n) { return n > 65536 && rows < 32; }

static bool sort_prefix(tocha_context *cx, tocha_tensor *rows, const tocha_order *o, int64_t n,
                        int64_t kept, tocha_tensor *values, tocha_tensor *indices) {
  tocha_sort_args args = {
      .rows = rows->numel / n, .n = n, .kept = kept, .descending = o->descending};
  return tocha_sort_rows(cx, rows, &args, values, indices);
}

/* rows: dense, n > 0 in each; values and indices: the results, dense. */
static bool order_rows(tocha_context *cx, tocha_tensor *rows, const tocha_order *o, int64_t n,
                       tocha_tensor *values, tocha_tensor *indices) {
  int64_t count = rows->numel / n;
  bool few = o->task == TOCHA_ORDER_TOP &&
             (n <= TOCHA_SORT_BLOCK || o->k > TOCHA_SELECT_MOST || is_long(count, n));
  if (o->task == TOCHA_ORDER_SORT) return sort_prefix(cx, rows, o, n, n, values, indices);
  if (few) return sort_prefix(cx, rows, o, n, o->k, values, indices);
  tocha_select_args args = {.in = tocha_bytes(rows),
                            .values = tocha_bytes(values),
                            .indices = (int64_t *)(void *)tocha_bytes(indices),
                            .rows = count,
                            .n = n,
                            .k = o->k,
                            .dtype = rows->dtype,
                            .descending = o->descending};
  args.task = o->task == TOCHA_ORDER_TOP    ? TOCHA_SELECT_TOP
              : o->task == TOCHA_ORDER_MODE ? TOCHA_SELECT_MODE
              : o->task == TOCHA_ORDER_KTH  ? TOCHA_SELECT_KTH
              : o->skip_nan                 ? TOCHA_SELECT_NANMEDIAN
                                            : TOCHA_SELECT_MEDIAN;
  if (n > INT32_MAX || args.task == TOCHA_SELECT_MODE ||
      (args.task != TOCHA_SELECT_TOP && (n <= TOCHA_SORT_BLOCK || is_long(count, n)))) {
    tocha_tensor *sorted = tocha_new_like(cx, rows, TOCHA_INT64);
    if (!sorted || !sort_prefix(cx, rows, o, n, n, NULL, sorted)) return false;
    args.sorted = (const int64_t *)(void *)tocha_bytes(sorted);
  }
  tocha_stream *q = tocha_stream_of(cx, rows->device);
  return q && tocha_launched(cx, q->kernels->sorting->select(q, &args));
}

/* result, whose last dimension belongs at dim, as it is to be given back: dense. */
static tocha_tensor *move_back(tocha_context *cx, tocha_tensor *result, int64_t dim, bool drop) {
  int last = result->ndim - 1;
  if (drop && last >= 0)
    return tocha_set_geometry(cx, result, last, result->sizes, result->strides, result->offset)
               ? result
               : NULL;
  if (last < 0 || dim == last) return result;
  return tocha_as_rows(cx, tocha_with_dim_moved(cx, result, last, (int)dim), TOCHA_NO_DTYPE);
}

bool tocha_order_on_device(tocha_context *cx, tocha_tensor *self, int64_t dim, const tocha_order *o,
                           tocha_tensor **values, tocha_tensor **indices) {
  int64_t sizes[TOCHA_MAX_DIMS], n = self->ndim ? self->sizes[dim] : 1;
  int64_t results = o->task == TOCHA_ORDER_SORT ? n : o->task == TOCHA_ORDER_TOP ? o->k : 1;
  tocha_tensor *rows = tocha_with_dim_moved(cx, self, (int)dim, self->ndim - 1);
  if (!rows) return false;
  memcpy(sizes, rows->sizes, (size_t)rows->ndim * sizeof *sizes);
  if (rows->ndim) sizes[rows->ndim - 1] = results;
  *values = tocha_new(cx, rows->ndim, sizes, (tocha_dtype)self->dtype, self->device);
  *indices = tocha_new(cx, rows->ndim, sizes, TOCHA_INT64, self->device);
  if (!*values || !*indices) return false;
  if ((*values)->numel) {
    rows = tocha_as_rows(cx, rows, TOCHA_NO_DTYPE);
    if (!rows || !order_rows(cx, rows, o, n, *values, *indices)) return false;
  }
  bool drop = o->drop && self->ndim;
  *values = move_back(cx, *values, dim, drop);
  *indices = *values ? move_back(cx, *indices, dim, drop) : NULL;
  return *indices != NULL;
}

/* --- unique ----------------------------------------------------------------------------------- */

/* A bool tensor: whether element i of the sorted values begins a run. NaN never equals NaN. */
static tocha_tensor *beginnings(tocha_context *cx, tocha_tensor *sorted) {
  int64_t n = sorted->numel, less = n - 1, one = 1;
  tocha_tensor *fresh = tocha_new(cx, 1, &n, TOCHA_BOOL, sorted->device);
  if (!fresh || !tocha_fill_data(cx, fresh, tocha_int(1)) || n < 2) return fresh;
  tocha_tensor *left = tocha_alias(cx, sorted, 1, &less, &one, 0);
  tocha_tensor *right = tocha_alias(cx, sorted, 1, &less, &one, 1);
  tocha_tensor *rest = tocha_alias(cx, fresh, 1, &less, &one, 1);
  if (!left || !right || !rest) return NULL;
  tocha_tensor *differs = tocha_ne(cx, right, left);
  return differs && tocha_copy_data(cx, rest, differs) ? fresh : NULL;
}

bool tocha_unique_on_device(tocha_context *cx, tocha_tensor *self, tocha_tensor **output,
                            tocha_tensor **inverse, tocha_tensor **counts) {
  int64_t n = self->numel, one = 1, none = 0;
  *inverse = tocha_new(cx, self->ndim, self->sizes, TOCHA_INT64, self->device);
  if (n == 0) {
    *output = tocha_new(cx, 1, &none, (tocha_dtype)self->dtype, self->device);
    *counts = tocha_new(cx, 1, &none, TOCHA_INT64, self->device);
    return *output && *inverse && *counts;
  }
  tocha_tensor *rows = tocha_as_rows(cx, self, TOCHA_NO_DTYPE);
  tocha_tensor *sorted = tocha_new(cx, 1, &n, (tocha_dtype)self->dtype, self->device);
  tocha_tensor *order = tocha_new(cx, 1, &n, TOCHA_INT64, self->device);
  tocha_sort_args args = {.rows = 1, .n = n, .kept = n};
  if (!rows || !*inverse || !order || !tocha_sort_rows(cx, rows, &args, sorted, order))
    return false;
  tocha_tensor *fresh = beginnings(cx, sorted);
  tocha_tensor *group = fresh ? tocha_cumsum(cx, fresh, 0) : NULL;
  group = group ? tocha_sub_full(cx, group, tocha_number(tocha_int(1)), tocha_int(1)) : NULL;
  tocha_tensor *flat = group ? tocha_alias(cx, *inverse, 1, &n, &one, 0) : NULL;
  if (!flat || !tocha_index_put_(cx, flat, 1, &order, group, false)) return false;
  tocha_tensor *starts = tocha_coordinates(cx, fresh);
  if (!starts) return false;
  int64_t found = starts->sizes[1];
  starts = tocha_alias(cx, starts, 1, &found, &one, 0);
  *output = starts ? tocha_index_select(cx, sorted, 0, starts) : NULL;
  tocha_tensor *end = tocha_new(cx, 1, &one, TOCHA_INT64, self->device);
  if (!*output || !end || !tocha_fill_data(cx, end, tocha_int(n))) return false;
  int64_t less = found - 1;
  tocha_tensor *parts[2] = {tocha_alias(cx, starts, 1, &less, &one, 1), end};
  tocha_tensor *ends = parts[0] ? tocha_cat(cx, 2, parts, 0) : NULL;
  *counts = ends ? tocha_sub(cx, ends, starts) : NULL;
  return *counts != NULL;
}

/* --- counting --------------------------------------------------------------------------------- */

bool tocha_integer_range(tocha_context *cx, tocha_tensor *in, int64_t *least, int64_t *greatest) {
  tocha_tensor *low, *high;
  return tocha_aminmax_full(cx, in, NULL, false, &low, &high) &&
         tocha_read_element(cx, low, least) && tocha_read_element(cx, high, greatest);
}

bool tocha_count_on_device(tocha_context *cx, tocha_tensor *out, tocha_tensor *in,
                           tocha_tensor *weights) {
  int64_t still = 0, n = in->numel;
  if (!weights) {
    weights = tocha_new(cx, 0, NULL, (tocha_dtype)out->dtype, out->device);
    if (!weights || !tocha_fill_data(cx, weights, tocha_int(1))) return false;
    weights = tocha_alias(cx, weights, 1, &n, &still, 0);
  }
  tocha_indexed x;
  int64_t bad;
  return weights && tocha_index_dimension(cx, "bincount", out, 0, in, false, &x, &bad) &&
         tocha_index_add_values(cx, &x, weights, tocha_int(1));
}

bool tocha_histogram_on_device(tocha_context *cx, tocha_tensor *out, tocha_tensor *in, double low,
                               double high) {
  if (in->numel == 0) return true;
  tocha_stream *q = tocha_stream_of(cx, in->device);
  tocha_histogram_args args = {.in = tocha_bytes(in),
                               .counts = (int64_t *)(void *)tocha_bytes(out),
                               .n = in->numel,
                               .bins = out->numel,
                               .low = low,
                               .high = high,
                               .dtype = in->dtype};
  return q && tocha_launched(cx, q->kernels->sorting->histogram(q, &args));
}
