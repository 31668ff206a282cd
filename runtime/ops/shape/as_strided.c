/* as_strided.c: the two linear maps behind the gradient of a view of arbitrary geometry. Each is
 * the gradient of the other.
 *
 * An input of geometry I (sizes, strides, offset) and an output of geometry O share memory: output
 * = input.as_strided(O). gather reads a tensor laid out as I through O. scatter adds a tensor of
 * O's shape into zeroed memory and reads that through I. If several elements of I share a place,
 * its gradient is divided equally among them. */
#include "ops/indexing/index.h"
#include "shape/implementations.h"
#include "tensor/copy.h"
#include "tocha/ops/clamp_min.h"
#include "tocha/ops/div.h"
#include "tocha/ops/ones.h"

typedef struct geometry {
  int ndim;
  const int64_t *sizes, *strides;
  int64_t offset;
} geometry;

/* Widens [*low, *high] to include all places of g. */
static void widen(const geometry *g, int64_t *low, int64_t *high) {
  int64_t last = g->offset;
  for (int i = 0; i < g->ndim; i++) {
    if (g->sizes[i] == 0) return;
    last += (g->sizes[i] - 1) * g->strides[i];
  }
  if (g->offset < *low) *low = g->offset;
  if (last > *high) *high = last;
}

/* Returns true if distinct elements are at distinct places. Sorting the strides gives a sufficient
 * test, which is exact for geometries made by views. */
static bool is_injective(const geometry *g) {
  int order[TOCHA_MAX_DIMS], n = 0;
  for (int i = 0; i < g->ndim; i++) {
    if (g->sizes[i] < 2) continue;
    int at = n++;
    for (; at && g->strides[order[at - 1]] > g->strides[i]; at--) order[at] = order[at - 1];
    order[at] = i;
  }
  int64_t reach = 0;
  for (int k = 0; k < n; k++) {
    if (g->strides[order[k]] <= reach) return false;
    reach += (g->sizes[order[k]] - 1) * g->strides[order[k]];
  }
  return true;
}

/* Returns zeroed memory for places low..high as a 1-D tensor of dtype. */
static tocha_tensor *new_memory(tocha_context *cx, const tocha_tensor *like, tocha_dtype dtype,
                                int64_t low, int64_t high) {
  int64_t count = high < low ? 0 : high - low + 1;
  tocha_tensor *memory = tocha_new(cx, 1, &count, dtype, like->device);
  return memory && tocha_fill_data(cx, memory, tocha_int(0)) ? memory : NULL;
}

/* Adds source's elements (ones if NULL) to the places of g in memory that begins at place `low`. */
static bool add_to(tocha_context *cx, tocha_tensor *memory, int64_t low, const geometry *g,
                   tocha_tensor *source) {
  source = source ? tocha_as_dtype(cx, source, memory->dtype)
                  : tocha_ones_full(cx, g->ndim, g->sizes, memory->dtype, memory->device, false);
  return source && tocha_add_at_places(cx, memory, source, g->strides, g->offset - low);
}

/* Divides each place's sum by the number of elements that share the place. */
static tocha_tensor *share_out(tocha_context *cx, tocha_tensor *sums, tocha_tensor *counts) {
  return tocha_div(cx, sums, tocha_clamp_min(cx, counts, tocha_int(1)));
}

/* Lays grad out in the places of `from` and reads it through `to`. share: divides the values of
 * shared places. */
static tocha_tensor *lay_and_read(tocha_context *cx, tocha_tensor *grad, const geometry *from,
                                  const geometry *to, bool share) {
  int64_t low = INT64_MAX, high = INT64_MIN;
  tocha_dtype dtype = grad->dtype;
  widen(from, &low, &high);
  widen(to, &low, &high);
  if (high < low) low = 0, high = -1;
  if (grad->device.type == TOCHA_META)
    return tocha_new(cx, to->ndim, to->sizes, dtype, grad->device);
  tocha_tensor *memory, *laid;
  if (is_injective(from)) {
    memory = new_memory(cx, grad, dtype, low, high);
    laid = memory
               ? tocha_alias(cx, memory, from->ndim, from->sizes, from->strides, from->offset - low)
               : NULL;
    if (!laid || !tocha_copy_data(cx, laid, grad)) return NULL;
  } else {
    tocha_dtype sum = dtype == TOCHA_FLOAT64 ? TOCHA_FLOAT64 : TOCHA_FLOAT32;
    memory = new_memory(cx, grad, sum, low, high);
    if (!memory || !add_to(cx, memory, low, from, grad)) return NULL;
  }
  if (share && !is_injective(to)) {
    tocha_tensor *counts = new_memory(cx, grad, TOCHA_FLOAT32, low, high);
    tocha_tensor *wide = new_memory(cx, grad, TOCHA_FLOAT64, low, high);
    if (!counts || !wide || !tocha_copy_data(cx, wide, memory) ||
        !add_to(cx, counts, low, to, NULL) || !(memory = share_out(cx, wide, counts)))
      return NULL;
  }
  tocha_tensor *seen = tocha_alias(cx, memory, to->ndim, to->sizes, to->strides, to->offset - low);
  tocha_tensor *result = seen ? tocha_new_like(cx, seen, dtype) : NULL;
  return result && tocha_copy_data(cx, result, seen) ? result : NULL;
}

tocha_tensor *tocha_op__as_strided_scatter(tocha_context *cx, tocha_tensor *self,
                                           int input_size_count, const int64_t *input_size,
                                           int input_stride_count, const int64_t *input_stride,
                                           int64_t input_offset, int size_count,
                                           const int64_t *size, int stride_count,
                                           const int64_t *stride, int64_t offset) {
  (void)input_stride_count, (void)stride_count;
  geometry input = {input_size_count, input_size, input_stride, input_offset};
  geometry output = {size_count, size, stride, offset};
  return lay_and_read(cx, self, &output, &input, true);
}

tocha_tensor *tocha_op__as_strided_gather(tocha_context *cx, tocha_tensor *self,
                                          int input_size_count, const int64_t *input_size,
                                          int input_stride_count, const int64_t *input_stride,
                                          int64_t input_offset, int size_count, const int64_t *size,
                                          int stride_count, const int64_t *stride, int64_t offset) {
  (void)input_stride_count, (void)stride_count;
  geometry input = {input_size_count, input_size, input_stride, input_offset};
  geometry output = {size_count, size, stride, offset};
  return lay_and_read(cx, self, &input, &output, false);
}
