/* index_accumulate.c: adds values through index tensors on devices whose threads write in no fixed order. Rows are sorted by
 * their destinations, and the sum for each destination is computed by itself, so the sums are the same in every run. */
#include <string.h>

#include "device/devices.h"
#include "ops/indexing/index.h"
#include "ops/sorting/sort.h"
#include "tensor/copy.h"
#include "tensor/strided.h"

static int64_t common_divisor(int64_t a, int64_t b) {
  if (a < 0) a = -a;
  if (b < 0) b = -b;
  while (b) {
    int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* Returns the unit that all positions are multiples of, and sets *maximum to the largest key in that unit. *based: self's own
 * strides count. */
static int64_t unit_of(const tocha_indexed *x, uint64_t mask, bool *based, int64_t *maximum) {
  int64_t unit = 0, reach = 0;
  *based = false;
  for (int k = 0; k < x->axes; k++) {
    if (x->axis[k].size < 2) continue;
    unit = common_divisor(unit, x->axis[k].step);
    reach += (x->axis[k].size - 1) * x->axis[k].step;
  }
  for (int d = 0; d < x->ndim; d++) {
    if (!(mask >> d & 1) || !x->strides[d]) continue;
    unit = common_divisor(unit, x->strides[d]);
    reach += (x->sizes[d] - 1) * x->strides[d];
    *based = true;
  }
  if (unit == 0) unit = 1;
  *maximum = reach / unit;
  return unit;
}

/* Returns true if elements along the dimensions in mask are evenly spaced, *step apart in row-major order. */
static bool is_even(const tocha_indexed *x, const int64_t *strides, uint64_t mask, int64_t *step) {
  int64_t expected = 0;
  bool any = false;
  *step = 0;
  for (int d = x->ndim - 1; d >= 0; d--) {
    if (!(mask >> d & 1)) continue;
    if (any && strides[d] != expected) return false;
    if (!any) *step = strides[d];
    any = true;
    expected = strides[d] * x->sizes[d];
  }
  return true;
}

/* Returns values with evenly spaced rows, one for each position: values itself, or a copy with the positions outside. Writes
 * the strides of the result over x's dimensions. */
static tocha_tensor *even_rows(tocha_context *cx, const tocha_indexed *x, tocha_tensor *values,
                               uint64_t mask, int64_t *strides, int64_t *step) {
  int order[TOCHA_MAX_DIMS], n = 0;
  int64_t moved_strides[TOCHA_MAX_DIMS], sizes[TOCHA_MAX_DIMS], count = 1;
  tocha_index_value_strides(x, values, strides);
  if (is_even(x, strides, mask, step)) return values;
  for (int pass = 1; pass >= 0; pass--)
    for (int d = 0; d < x->ndim; d++)
      if ((int)(mask >> d & 1) == pass) order[n++] = d;
  for (int i = 0; i < n; i++) {
    sizes[i] = x->sizes[order[i]];
    moved_strides[i] = strides[order[i]];
  }
  tocha_tensor *moved = tocha_alias(cx, values, n, sizes, moved_strides, values->offset);
  moved = moved ? tocha_copy_rows(cx, moved) : NULL;
  for (int i = n - 1; i >= 0; i--) {
    strides[order[i]] = count;
    count *= sizes[i];
  }
  return moved && is_even(x, strides, mask, step) ? moved : NULL;
}

static bool launch_accumulate(tocha_stream *stream, const tocha_strided_layout *layout,
                              void *user) {
  tocha_accumulate_args *args = user;
  args->lanes = layout;
  return stream->kernels->indexing->accumulate(stream, args);
}

/* Launches the kernel for rows whose elements are along the dimensions in which positions do not change. */
static bool add_lanes(tocha_context *cx, const tocha_indexed *x, uint64_t mask,
                      tocha_tensor *values, const int64_t *value_strides,
                      tocha_accumulate_args *args) {
  int64_t sizes[TOCHA_MAX_DIMS], own[TOCHA_MAX_DIMS], other[TOCHA_MAX_DIMS], lanes = 1;
  int n = 0;
  for (int d = 0; d < x->ndim; d++) {
    if (mask >> d & 1) continue;
    sizes[n] = x->sizes[d];
    own[n] = x->strides[d];
    other[n++] = value_strides[d];
    lanes *= x->sizes[d];
  }
  int64_t parts = (args->n + TOCHA_ACCUMULATE_PART - 1) / TOCHA_ACCUMULATE_PART;
  if (parts > 1) {
    int64_t count = 2 * parts * lanes;
    tocha_tensor *partial = tocha_new(cx, 1, &count, TOCHA_FLOAT64, x->self->device);
    if (!partial) return false;
    args->partial = tocha_bytes(partial);
  }
  tocha_strided_operand both[2] = {{tocha_bytes(x->self), own, x->self->dtype},
                                   {tocha_bytes(values), other, values->dtype}};
  return tocha_launch_in_order(cx, x->self->device, n, sizes, 2, both, launch_accumulate, args);
}

bool tocha_index_accumulate(tocha_context *cx, const tocha_indexed *x, tocha_tensor *values,
                            tocha_scalar scale) {
  uint64_t mask = tocha_position_dims(x);
  bool based;
  int64_t strides[TOCHA_MAX_DIMS], maximum, step, n = 1;
  int64_t unit = unit_of(x, mask, &based, &maximum);
  for (int d = 0; d < x->ndim; d++)
    if (mask >> d & 1) n *= x->sizes[d];
  tocha_dtype wide = maximum > INT32_MAX ? TOCHA_INT64 : TOCHA_INT32;
  tocha_device device = x->self->device;
  tocha_tensor *keys = tocha_new(cx, 1, &n, wide, device);
  tocha_tensor *sorted = tocha_new(cx, 1, &n, wide, device);
  tocha_tensor *order = tocha_new(cx, 1, &n, TOCHA_INT64, device);
  values = even_rows(cx, x, values, mask, strides, &step);
  if (!order || !values || !tocha_index_make_keys(cx, x, mask, unit, based, keys)) return false;
  tocha_sort_args sort = {
      .outer = 1, .n = n, .inner = 1, .kept = n, .bits = tocha_key_bits(maximum)};
  if (!tocha_sort_rows(cx, keys, &sort, sorted, order)) return false;
  int64_t item = (int64_t)tocha_dtype_size(x->self->dtype);
  bool integer = !tocha_dtype_is_floating(x->self->dtype);
  tocha_accumulate_args args = {.keys = tocha_bytes(sorted),
                                .order = (const int64_t *)(void *)tocha_bytes(order),
                                .n = n,
                                .unit = unit * item,
                                .row = step * item,
                                .scale = tocha_scalar_real(scale),
                                .integer_scale = integer ? (int64_t)tocha_scalar_real(scale) : 0,
                                .wide = wide == TOCHA_INT64};
  return add_lanes(cx, x, mask, values, strides, &args);
}
