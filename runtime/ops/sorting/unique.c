/* unique.c: the different elements of a tensor. */
#include "device/devices.h"
#include "ops/sorting/sort.h"
#include "sorting/implementations.h"
#include "tensor/copy.h"
#include "tensor/scratch.h"
#include "tensor/transfer.h"
#include "tocha/ops/sub.h"

/* What a kernel finds in n sorted elements: of values and starts, the first `count` (and one more). */
typedef struct found {
  tocha_tensor *values,
      *starts; /* 1-D: n and n + 2 elements; the last of starts is the count's place */
  int64_t count;
} found;

static bool find(tocha_context *cx, tocha_tensor *sorted, tocha_tensor *order,
                 tocha_tensor *inverse, found *f) {
  int64_t n = sorted->numel, places = n + 2;
  f->values = tocha_new(cx, 1, &n, sorted->dtype, sorted->device);
  f->starts = tocha_new(cx, 1, &places, TOCHA_INT64, sorted->device);
  tocha_stream *s = tocha_stream_of(cx, sorted->device);
  if (!s || !f->values || !f->starts) return false;
  const tocha_sorting_kernels *kernels = s->kernels->sorting;
  tocha_unique_args args = {.sorted = tocha_bytes(sorted),
                            .order = (const int64_t *)(void *)tocha_bytes(order),
                            .values = tocha_bytes(f->values),
                            .starts = (int64_t *)(void *)tocha_bytes(f->starts),
                            .inverse = (int64_t *)(void *)tocha_bytes(inverse),
                            .n = n,
                            .dtype = sorted->dtype};
  args.count = args.starts + n + 1;
  return tocha_new_scratch(cx, sorted->device, kernels->unique_scratch(s, &args), &args.scratch) &&
         tocha_launched(cx, kernels->unique(s, &args)) &&
         tocha_read_bytes(cx, sorted->device, args.count, &f->count, sizeof f->count);
}

/* Elements first..first + count of t (1-D, dense). */
static tocha_tensor *part(tocha_context *cx, tocha_tensor *t, int64_t first, int64_t count) {
  int64_t one = 1;
  return tocha_alias(cx, t, 1, &count, &one, first);
}

/* The elements of self (not empty) in order, and where they were. */
static bool sort(tocha_context *cx, tocha_tensor *self, tocha_tensor **sorted,
                 tocha_tensor **order) {
  int64_t n = self->numel;
  tocha_tensor *rows = tocha_as_rows(cx, self, TOCHA_NO_DTYPE);
  *sorted = tocha_new(cx, 1, &n, self->dtype, self->device);
  *order = tocha_new(cx, 1, &n, TOCHA_INT64, self->device);
  tocha_sort_args args = {.outer = 1, .n = n, .inner = 1, .kept = n};
  return rows && *sorted && *order && tocha_sort_rows(cx, rows, &args, *sorted, *order);
}

bool tocha_op__unique2(tocha_context *cx, tocha_tensor *self, bool sorted, bool return_inverse,
                       bool return_counts, tocha_tensor **output, tocha_tensor **inverse,
                       tocha_tensor **counts) {
  (void)sorted; /* in order in any case */
  int64_t none = 0;
  found f = {NULL, NULL, 0};
  if (!tocha_check_values(cx, self, "_unique2")) return false;
  tocha_tensor *elements, *order;
  tocha_tensor *numbers = tocha_new(cx, self->ndim, self->sizes, TOCHA_INT64, self->device);
  if (!numbers) return false;
  if (self->numel &&
      (!sort(cx, self, &elements, &order) || !find(cx, elements, order, numbers, &f)))
    return false;
  *output = f.count ? tocha_copy_rows(cx, part(cx, f.values, 0, f.count))
                    : tocha_new(cx, 1, &none, self->dtype, self->device);
  *inverse = return_inverse ? numbers : tocha_new(cx, 1, &none, TOCHA_INT64, self->device);
  *counts = return_counts && f.count
                ? tocha_sub(cx, part(cx, f.starts, 1, f.count), part(cx, f.starts, 0, f.count))
                : tocha_new(cx, 1, &none, TOCHA_INT64, self->device);
  return *output && *inverse && *counts;
}

bool tocha_grad_unique(tocha_backward_frame *f) {
  tocha_fail(f->cx, TOCHA_RUNTIME_ERROR, "the derivative for '_unique2' is not implemented.");
  return false;
}
