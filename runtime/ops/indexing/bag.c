/* bag.c: sums, means and maxima of bags of rows, and their gradients. embedding_bag.c has checked the arguments. */
#include "device/devices.h"
#include "indexing/implementations.h"
#include "ops/indexing/index.h"
#include "ops/indexing/kernels.h"
#include "ops/sorting/sort.h"
#include "tensor/copy.h"
#include "tocha/ops/private/embedding_bag_dense_backward.h"
#include "tocha/ops/arange.h"
#include "tocha/ops/clamp.h"
#include "tocha/ops/div.h"
#include "tocha/ops/eq.h"
#include "tocha/ops/index_add.h"
#include "tocha/ops/masked_fill.h"
#include "tocha/ops/narrow.h"
#include "tocha/ops/scatter_add.h"
#include "tocha/ops/searchsorted.h"
#include "tocha/ops/sub.h"
#include "tocha/ops/unsqueeze.h"
#include "tocha/ops/zeros.h"

/* Row-major tensors that a kernel reads. */
typedef struct bags {
  tocha_tensor *indices, *offsets, *scales;
} bags;

static const int64_t *integers(const tocha_tensor *t) {
  return (const int64_t *)(const void *)tocha_bytes(t);
}

static int64_t *integers_of(tocha_tensor *t) { return (int64_t *)(void *)tocha_bytes(t); }

static tocha_tensor *zeros(tocha_context *cx, int ndim, const int64_t *sizes, tocha_dtype dtype,
                           tocha_device device) {
  return tocha_zeros_full(cx, ndim, sizes, dtype, device, false);
}

/* Prepares the tensors that all kernels read. last: the last offset is a length and begins no bag. */
static bool gather_bags(tocha_context *cx, tocha_tensor *indices, tocha_tensor *offsets,
                        tocha_tensor *scales, bool last, bags *b) {
  b->indices = tocha_as_rows(cx, indices, TOCHA_INT64);
  b->offsets = tocha_as_rows(cx, offsets, TOCHA_INT64);
  b->scales = scales ? tocha_as_rows(cx, scales, TOCHA_NO_DTYPE) : NULL;
  if (last && b->offsets)
    b->offsets = tocha_narrow(cx, b->offsets, 0, 0, b->offsets->numel ? b->offsets->numel - 1 : 0);
  return !tocha_failed(cx);
}

static tocha_bag_args args_of(const bags *b, int64_t rows, int64_t columns, int64_t mode,
                              int64_t padding, tocha_dtype dtype) {
  return (tocha_bag_args){.indices = integers(b->indices),
                          .offsets = integers(b->offsets),
                          .scales = b->scales ? tocha_bytes(b->scales) : NULL,
                          .n = b->indices->numel,
                          .bags = b->offsets->numel,
                          .rows = rows,
                          .columns = columns,
                          .padding = padding,
                          .mode = (int32_t)mode,
                          .dtype = dtype,
                          .fused = padding < 0 && dtype != TOCHA_FLOAT64};
}

/* Returns the bag of each of n indices: the last bag that begins at or before the index. */
static tocha_tensor *bags_of(tocha_context *cx, tocha_tensor *offsets, int64_t n) {
  if (offsets->device.type == TOCHA_CPU) {
    tocha_tensor *out = tocha_new(cx, 1, &n, TOCHA_INT64, offsets->device);
    const int64_t *begins = out ? integers(offsets) : NULL;
    for (int64_t i = 0, bag = 0; out && i < n; bag++) {
      int64_t end = bag + 1 < offsets->numel && begins[bag + 1] < n ? begins[bag + 1] : n;
      for (; i < end; i++) integers_of(out)[i] = bag;
    }
    return out;
  }
  tocha_tensor *places = tocha_arange_full(cx, tocha_int(n), TOCHA_INT64, offsets->device, false);
  tocha_tensor *after = tocha_searchsorted_full(cx, offsets, places, false, true, NULL, NULL);
  return tocha_sub_full(cx, after, tocha_number(tocha_int(1)), tocha_int(1));
}

/* Returns true if offset2bag stays empty, as in PyTorch: one loop of the CPU adds up the rows and needs no bag for each index. */
static bool names_no_bags(const tocha_tensor *weight, int64_t mode, int64_t padding,
                          const tocha_tensor *scales) {
  return mode == TOCHA_BAG_SUM && padding < 0 && !tocha_is_on_device(weight) &&
         weight->dtype != TOCHA_FLOAT64 && weight->strides[1] == 1 &&
         (!scales || scales->strides[0] == 1);
}

bool tocha_op__embedding_bag(tocha_context *cx, tocha_tensor *weight, tocha_tensor *indices,
                             tocha_tensor *offsets, bool scale_grad_by_freq, int64_t mode,
                             tocha_tensor *per_sample_weights, bool include_last_offset,
                             int64_t padding_idx, tocha_tensor **output, tocha_tensor **offset2bag,
                             tocha_tensor **bag_size, tocha_tensor **max_indices) {
  (void)scale_grad_by_freq; /* only for the gradient */
  bags b;
  tocha_tensor *table = tocha_as_rows(cx, weight, TOCHA_NO_DTYPE);
  if (!table || !gather_bags(cx, indices, offsets, per_sample_weights, include_last_offset, &b))
    return false;
  const int64_t sizes[] = {b.offsets->numel, weight->sizes[1]};
  *output = tocha_new(cx, 2, sizes, (tocha_dtype)weight->dtype, weight->device);
  /* On the CPU, bag_size of sums without a gradient also counts the last offset, which begins no bag. */
  bool counts_last =
      mode == TOCHA_BAG_SUM && !tocha_is_on_device(weight) && !tocha_requires_grad(weight);
  const int64_t none = 0, *counted = counts_last ? offsets->sizes : sizes;
  *offset2bag = names_no_bags(weight, mode, padding_idx, per_sample_weights)
                    ? tocha_new(cx, 1, &none, TOCHA_INT64, weight->device)
                    : bags_of(cx, b.offsets, b.indices->numel);
  *bag_size = zeros(cx, 1, counted, TOCHA_INT64, weight->device);
  if (!*output || !*offset2bag || !*bag_size) return false;
  *max_indices = mode == TOCHA_BAG_MAX
                     ? tocha_new(cx, 2, sizes, TOCHA_INT64, weight->device)
                     : tocha_alias(cx, *bag_size, 1, counted, (*bag_size)->strides, 0);
  if (!*max_indices || sizes[0] == 0 || !tocha_has_elements(*bag_size)) return *max_indices != NULL;
  tocha_stream *s = tocha_stream_of(cx, weight->device);
  if (!s) return false;
  tocha_bag_args args =
      args_of(&b, weight->sizes[0], sizes[1], mode, padding_idx, (tocha_dtype)weight->dtype);
  args.table = tocha_bytes(table);
  args.out = tocha_bytes(*output);
  if (mode != TOCHA_BAG_SUM) args.sizes = integers_of(*bag_size);
  if (mode == TOCHA_BAG_MAX) args.from = integers_of(*max_indices);
  return tocha_launched(cx, s->kernels->indexing->embed_bags(s, &args));
}

/* Returns how often `indices` name each row, (rows). */
static tocha_tensor *counts_of(tocha_context *cx, tocha_tensor *indices, int64_t rows) {
  tocha_tensor *ones = tocha_new(cx, 1, indices->sizes, TOCHA_INT64, indices->device);
  if (!ones || !tocha_fill_data(cx, ones, tocha_int(1))) return NULL;
  tocha_tensor *none = zeros(cx, 1, &rows, TOCHA_INT64, indices->device);
  return tocha_index_add_full(cx, none, 0, indices, ones, tocha_int(1));
}

/* Sorts the indices into args->keys and args->order, for kernels that find the indices of a row by search. */
static bool sort_indices(tocha_context *cx, tocha_tensor *indices, tocha_bag_args *args) {
  tocha_sort_args sort = {.outer = 1,
                          .n = args->n,
                          .inner = 1,
                          .kept = args->n,
                          .bits = tocha_key_bits(args->rows - 1)};
  tocha_tensor *keys = tocha_new(cx, 1, indices->sizes, TOCHA_INT64, indices->device);
  tocha_tensor *order = keys ? tocha_new(cx, 1, keys->sizes, TOCHA_INT64, keys->device) : NULL;
  if (!order || (args->n && !tocha_sort_rows(cx, indices, &sort, keys, order))) return false;
  args->keys = integers(keys);
  args->order = integers(order);
  return true;
}

/* Fails unless grad has a row for each bag and the table's columns. */
static bool check_gradient(tocha_context *cx, const tocha_tensor *grad,
                           const tocha_bag_args *args) {
  if (grad->ndim == 2 && grad->sizes[0] >= args->bags && grad->sizes[1] == args->columns)
    return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "embedding_bag: the gradient needs %lld rows of %lld columns, one for each bag",
             (long long)args->bags, (long long)args->columns);
  return false;
}

tocha_tensor *tocha_op__embedding_bag_dense_backward(
    tocha_context *cx, tocha_tensor *grad_output, tocha_tensor *indices, tocha_tensor *offsets,
    tocha_tensor *bag_size, int count, const int64_t *sizes, bool scale_grad_by_freq, int64_t mode,
    tocha_tensor *per_sample_weights, bool include_last_offset, int64_t padding_idx) {
  bags b;
  if (count != 2) return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "a table has 2 sizes, got %d", count);
  tocha_tensor *grad = tocha_as_rows(cx, grad_output, TOCHA_NO_DTYPE), *counts = NULL;
  if (!grad || !gather_bags(cx, indices, offsets, per_sample_weights, include_last_offset, &b))
    return NULL;
  tocha_tensor *out = tocha_new(cx, 2, sizes, (tocha_dtype)grad->dtype, grad->device);
  tocha_tensor *of = bags_of(cx, b.offsets, b.indices->numel);
  if (!of || !out || !tocha_has_elements(out)) return of ? out : NULL;
  tocha_stream *s = tocha_stream_of(cx, grad->device);
  if (!s) return NULL;
  const tocha_indexing_kernels *kernels = s->kernels->indexing;
  tocha_bag_args args =
      args_of(&b, sizes[0], sizes[1], mode, padding_idx, (tocha_dtype)grad->dtype);
  if (!check_gradient(cx, grad, &args)) return NULL;
  if (scale_grad_by_freq && !(counts = counts_of(cx, b.indices, sizes[0]))) return NULL;
  if (kernels->joins_sorted && !sort_indices(cx, b.indices, &args)) return NULL;
  args.grad = tocha_bytes(grad);
  args.bag_of = integers(of);
  args.sizes = integers_of(bag_size);
  if (counts) args.counts = integers(counts);
  args.out = tocha_bytes(out);
  return tocha_launched(cx, kernels->embed_bags_grad(s, &args)) ? out : NULL;
}

tocha_tensor *tocha_op__embedding_bag_per_sample_weights_backward(
    tocha_context *cx, tocha_tensor *grad_output, tocha_tensor *weight, tocha_tensor *indices,
    tocha_tensor *offsets, bool include_last_offset, int64_t padding_idx) {
  bags b;
  tocha_tensor *grad = tocha_as_rows(cx, grad_output, TOCHA_NO_DTYPE);
  tocha_tensor *table = grad ? tocha_as_rows(cx, weight, TOCHA_NO_DTYPE) : NULL;
  if (!table || !gather_bags(cx, indices, offsets, NULL, include_last_offset, &b)) return NULL;
  tocha_tensor *out = tocha_new(cx, 1, b.indices->sizes, (tocha_dtype)grad->dtype, grad->device);
  tocha_tensor *of = bags_of(cx, b.offsets, b.indices->numel);
  if (!of || !out || !tocha_has_elements(out)) return of ? out : NULL;
  tocha_stream *s = tocha_stream_of(cx, grad->device);
  if (!s) return NULL;
  if (table->ndim != 2 || table->dtype != grad->dtype)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "embedding_bag: the table must be a matrix of the gradient's dtype");
  tocha_bag_args args = args_of(&b, table->sizes[0], table->sizes[1], TOCHA_BAG_SUM, padding_idx,
                                (tocha_dtype)grad->dtype);
  if (!check_gradient(cx, grad, &args)) return NULL;
  args.table = tocha_bytes(table);
  args.grad = tocha_bytes(grad);
  args.bag_of = integers(of);
  args.out = tocha_bytes(out);
  return tocha_launched(cx, s->kernels->indexing->embed_bags_scale_grad(s, &args)) ? out : NULL;
}

/* --- composed of operators ---------------------------------------------------------------------------- */

/* Returns the gradient of the table (sizes): the gradient of each maximum is added to the row that the maximum comes from.
 * Empty bags add nothing. */
static tocha_tensor *to_maxima(tocha_context *cx, tocha_tensor *grad, tocha_tensor *bag_size,
                               tocha_tensor *max_indices, const int64_t *sizes) {
  tocha_tensor *empty = tocha_eq_full(cx, bag_size, tocha_number(tocha_int(0)));
  grad =
      tocha_masked_fill_full(cx, grad, tocha_unsqueeze(cx, empty, 1), tocha_number(tocha_int(0)));
  if (!grad) return NULL;
  tocha_tensor *none = zeros(cx, 2, sizes, (tocha_dtype)grad->dtype, grad->device);
  if (sizes[0] == 0) return none;
  return tocha_scatter_add(cx, none, 0, max_indices, grad);
}

tocha_tensor *tocha_op__embedding_bag_backward(tocha_context *cx, tocha_tensor *grad_output,
                                               tocha_tensor *indices, tocha_tensor *offsets,
                                               tocha_tensor *bag_size, tocha_tensor *max_indices,
                                               int count, const int64_t *sizes,
                                               bool scale_grad_by_freq, int64_t mode,
                                               tocha_tensor *per_sample_weights,
                                               bool include_last_offset, int64_t padding_idx) {
  if (mode == TOCHA_BAG_MAX) return to_maxima(cx, grad_output, bag_size, max_indices, sizes);
  return tocha_private_embedding_bag_dense_backward_full(
      cx, grad_output, indices, offsets, bag_size, count, sizes, scale_grad_by_freq, mode,
      per_sample_weights, include_last_offset, padding_idx);
}

tocha_tensor *tocha_op__embedding_bag_by_frequency(tocha_context *cx, tocha_tensor *rows,
                                                   tocha_tensor *indices, bool scale_grad_by_freq) {
  if (!scale_grad_by_freq) return rows;
  const tocha_scalar one = tocha_int(1);
  tocha_tensor *list = tocha_as_rows(cx, indices, TOCHA_INT64);
  tocha_tensor *counts = list ? counts_of(cx, list, rows->sizes[0]) : NULL;
  counts = tocha_unsqueeze(cx, tocha_clamp(cx, counts, &one, NULL), 1);
  return counts ? tocha_div(cx, rows, tocha_as_dtype(cx, counts, rows->dtype)) : NULL;
}
