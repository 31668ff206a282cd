/* search.c: places of values in sorted rows, and membership: searchsorted, bucketize, isin. */
#include <string.h>

#include "device/devices.h"
#include "ops/sorting/kernels.h"
#include "ops/sorting/sort.h"
#include "sorting/implementations.h"
#include "tensor/copy.h"

/* Returns t in the common dtype, then in the dtype of comparisons (float64 or int64), row-major. */
static tocha_tensor *comparable(tocha_context *cx, tocha_tensor *t, tocha_dtype common) {
  t = tocha_as_dtype(cx, t, common);
  return t ? tocha_as_rows(cx, t, tocha_dtype_is_floating(common) ? TOCHA_FLOAT64 : TOCHA_INT64)
           : NULL;
}

static bool search(tocha_context *cx, tocha_tensor *like, const tocha_search_args *args) {
  tocha_stream *s = tocha_stream_of(cx, like->device);
  return s && tocha_launched(cx, s->kernels->sorting->search(s, args));
}

static tocha_tensor *find(tocha_context *cx, tocha_tensor *rows, tocha_tensor *wanted,
                          tocha_tensor *order, bool right, bool small) {
  tocha_operand both[2] = {tocha_operand_of(rows), tocha_operand_of(wanted)};
  tocha_dtype common = tocha_result_type(cx, 2, both);
  tocha_tensor *out = tocha_new(cx, wanted->ndim, wanted->sizes, TOCHA_INT64, wanted->device);
  if (!out) return NULL;
  if (common == TOCHA_BOOL)
    return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR,
                      "\"searchsorted_out_%s\" not implemented for 'Bool'",
                      out->device.type == TOCHA_CUDA ? "cuda" : "cpu");
  if (!tocha_has_elements(out)) return small ? tocha_as_dtype(cx, out, TOCHA_INT32) : out;
  tocha_search_args args = {.n = out->numel,
                            .length = rows->sizes[rows->ndim - 1],
                            .count = wanted->ndim ? wanted->sizes[wanted->ndim - 1] : 1,
                            .real = tocha_dtype_is_floating(common),
                            .right = right,
                            .shared = rows->ndim == 1};
  rows = comparable(cx, rows, common);
  wanted = comparable(cx, wanted, common);
  if (order) order = tocha_as_rows(cx, order, TOCHA_INT64);
  if (!rows || !wanted || tocha_failed(cx)) return NULL;
  args.rows = tocha_bytes(rows);
  args.wanted = tocha_bytes(wanted);
  args.order = order ? (const int64_t *)(const void *)tocha_bytes(order) : NULL;
  args.out = (int64_t *)(void *)tocha_bytes(out);
  if (!search(cx, out, &args)) return NULL;
  return small ? tocha_as_dtype(cx, out, TOCHA_INT32) : out;
}

/* --- searchsorted ---------------------------------------------------------------------------------- */

static bool check_side(tocha_context *cx, const char *side, bool right) {
  if (!side) return true;
  if (strcmp(side, "left") != 0 && strcmp(side, "right") != 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "torch.searchsorted(): side can only be 'left' or 'right' but got %s", side);
  if (right && strcmp(side, "left") == 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "torch.searchsorted(): side and right can't be set to opposites, got side of "
                      "left while right was True");
  return true;
}

static bool check_sorter(tocha_context *cx, const tocha_tensor *rows, tocha_tensor *sorter) {
  char a[256], b[256];
  if (!sorter) return true;
  if (!tocha_same_sizes(rows, sorter))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "torch.searchsorted(): boundary and sorter must have the same size, but got "
                      "boundary tensor %sand got sorter tensor %s",
                      tocha_shape_text(rows->ndim, rows->sizes, a, sizeof a),
                      tocha_shape_text(sorter->ndim, sorter->sizes, b, sizeof b));
  if (sorter->dtype != TOCHA_INT64)
    return tocha_fail(
        cx, TOCHA_RUNTIME_ERROR,
        "torch.searchsorted(): sorter must be a tensor of long dtype but got dtype %s",
        tocha_dtype_scalar_type(sorter->dtype));
  int64_t minimum = 0, maximum = 0;
  tocha_tensor *order = tocha_as_rows(cx, sorter, TOCHA_INT64);
  if (!order || !tocha_integer_range(cx, order, &minimum, &maximum)) return false;
  if (!tocha_has_elements(order) || (minimum >= 0 && maximum < rows->sizes[rows->ndim - 1]))
    return true;
  return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "torch.searchsorted(): sorter index out of range");
}

static bool check_rows(tocha_context *cx, const tocha_tensor *rows, const tocha_tensor *wanted) {
  char a[256], b[256];
  if (wanted->ndim == 0 && rows->ndim != 1)
    return tocha_fail(
        cx, TOCHA_RUNTIME_ERROR,
        "torch.searchsorted(): input value can be a scalar only when boundaries tensor "
        "dimension is 1, but we got boundaries tensor dim(%d) and input value's dim(%d) "
        "numel(%lld)",
        rows->ndim, wanted->ndim, (long long)wanted->numel);
  if (rows->ndim == 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "torch.searchsorted(): boundaries tensor should have positive dimension, but "
                      "got 0 dimension");
  bool match = rows->ndim == wanted->ndim;
  for (int d = 0; match && d < rows->ndim - 1; d++) match = rows->sizes[d] == wanted->sizes[d];
  if (match || rows->ndim == 1) return true;
  return tocha_fail(
      cx, TOCHA_RUNTIME_ERROR,
      "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 "
      "dimensions of boundaries tensor and input value tensor must match, but we got "
      "boundaries tensor %s and input value tensor %s",
      tocha_shape_text(rows->ndim, rows->sizes, a, sizeof a),
      tocha_shape_text(wanted->ndim, wanted->sizes, b, sizeof b));
}

tocha_tensor *tocha_op_searchsorted(tocha_context *cx, tocha_tensor *sorted_sequence,
                                    tocha_tensor *self, bool out_int32, bool right,
                                    const char *side, tocha_tensor *sorter) {
  sorter = tocha_own_rows(cx, sorter, TOCHA_NO_DTYPE);
  if (tocha_failed(cx) || !check_side(cx, side, right) ||
      !check_sorter(cx, sorted_sequence, sorter) || !check_rows(cx, sorted_sequence, self))
    return NULL;
  right = right || (side && strcmp(side, "right") == 0);
  return find(cx, sorted_sequence, self, sorter, right, out_int32);
}

static tocha_tensor *as_tensor(tocha_context *cx, tocha_scalar value, const tocha_tensor *like) {
  tocha_dtype dtype = value.kind == TOCHA_SCALAR_FLOAT  ? cx->default_dtype
                      : value.kind == TOCHA_SCALAR_BOOL ? TOCHA_BOOL
                                                        : TOCHA_INT64;
  tocha_tensor *t = tocha_new(cx, 0, NULL, dtype, like->device);
  return t && tocha_fill_data(cx, t, value) ? t : NULL;
}

tocha_tensor *tocha_op_searchsorted_scalar(tocha_context *cx, tocha_tensor *sorted_sequence,
                                           tocha_scalar self, bool out_int32, bool right,
                                           const char *side, tocha_tensor *sorter) {
  tocha_tensor *t = as_tensor(cx, self, sorted_sequence);
  return t ? tocha_op_searchsorted(cx, sorted_sequence, t, out_int32, right, side, sorter) : NULL;
}

tocha_tensor *tocha_op_bucketize(tocha_context *cx, tocha_tensor *self, tocha_tensor *boundaries,
                                 bool out_int32, bool right) {
  if (boundaries->ndim != 1)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "boundaries tensor must be 1 dimension, but got dim(%d)", boundaries->ndim);
  return find(cx, boundaries, self, NULL, right, out_int32);
}

tocha_tensor *tocha_op_bucketize_scalar(tocha_context *cx, tocha_scalar self,
                                        tocha_tensor *boundaries, bool out_int32, bool right) {
  tocha_tensor *t = as_tensor(cx, self, boundaries);
  return t ? tocha_op_bucketize(cx, t, boundaries, out_int32, right) : NULL;
}

/* --- isin ------------------------------------------------------------------------------------------ */

tocha_tensor *tocha_op_isin(tocha_context *cx, tocha_tensor *elements, tocha_tensor *test_elements,
                            bool assume_unique, bool invert) {
  (void)assume_unique;
  tocha_operand both[2] = {tocha_operand_of(elements), tocha_operand_of(test_elements)};
  tocha_dtype common = tocha_result_type(cx, 2, both);
  const tocha_tensor *of_bool = elements->dtype == TOCHA_BOOL ? elements : test_elements;
  if (of_bool->dtype == TOCHA_BOOL)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Unsupported input type encountered for isin(): Bool");
  tocha_tensor *out = tocha_new(cx, elements->ndim, elements->sizes, TOCHA_BOOL, elements->device);
  if (!out || !tocha_has_elements(out)) return out;
  tocha_tensor *wanted = comparable(cx, elements, common);
  tocha_tensor *known = comparable(cx, test_elements, common), *order;
  int64_t one = 1;
  if (!wanted || !known) return NULL;
  known = tocha_alias(cx, known, 1, &known->numel, &one, known->offset);
  if (!known || !tocha_op_sort_stable(cx, known, NULL, 0, false, &known, &order)) return NULL;
  tocha_search_args args = {.rows = tocha_bytes(known),
                            .wanted = tocha_bytes(wanted),
                            .found = (bool *)(void *)tocha_bytes(out),
                            .n = out->numel,
                            .length = known->numel,
                            .real = tocha_dtype_is_floating(common),
                            .shared = true,
                            .invert = invert};
  return search(cx, out, &args) ? out : NULL;
}

static bool check_number(tocha_context *cx, tocha_scalar number) {
  return number.kind != TOCHA_SCALAR_BOOL ||
         tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR,
                    "Unsupported input type encountered for isin(): Bool");
}

tocha_tensor *tocha_op_isin_element(tocha_context *cx, tocha_tensor *elements,
                                    tocha_scalar test_element, bool assume_unique, bool invert) {
  tocha_tensor *t = check_number(cx, test_element) ? as_tensor(cx, test_element, elements) : NULL;
  return t ? tocha_op_isin(cx, elements, t, assume_unique, invert) : NULL;
}

tocha_tensor *tocha_op_isin_number(tocha_context *cx, tocha_scalar element,
                                   tocha_tensor *test_elements, bool assume_unique, bool invert) {
  tocha_tensor *t = check_number(cx, element) ? as_tensor(cx, element, test_elements) : NULL;
  return t ? tocha_op_isin(cx, t, test_elements, assume_unique, invert) : NULL;
}
