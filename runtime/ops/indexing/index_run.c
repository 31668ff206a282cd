/* index_run.c: reads, writes and adds to the elements that index tensors select. */
#include <string.h>

#include "device/devices.h"
#include "ops/indexing/index.h"
#include "tensor/copy.h"
#include "tensor/strided.h"
#include "tocha/ops/arange.h"

void tocha_index_value_strides(const tocha_indexed *x, const tocha_tensor *values,
                               int64_t *strides) {
  for (int d = 0; d < x->ndim; d++) {
    int own = d - (x->ndim - values->ndim);
    strides[d] = own < 0 || values->sizes[own] == 1 ? 0 : values->strides[own];
  }
}

/* Computes the strides of index tensor k over x's dimensions. */
static void axis_strides(const tocha_indexed *x, int k, int64_t *strides) {
  const tocha_tensor *index = x->index[k];
  for (int d = 0; d < x->ndim; d++) {
    int own = d - (x->index_end - index->ndim);
    strides[d] = own < 0 || own >= index->ndim || index->sizes[own] == 1 ? 0 : index->strides[own];
  }
}

bool tocha_indexed_is_empty(const tocha_indexed *x) {
  for (int d = 0; d < x->ndim; d++)
    if (x->sizes[d] == 0) return true;
  return false;
}

/* Fails if an indexed dimension has size 0, because a kernel needs a valid position to continue with after an error. */
static bool check_sizes(tocha_context *cx, const tocha_indexed *x) {
  for (int k = 0; k < x->axes; k++) {
    if (x->axis[k].size > 0) continue;
    tocha_fail(cx, TOCHA_INDEX_ERROR, "index is out of bounds for dimension with size 0");
    return false;
  }
  return true;
}

/* --- positions ------------------------------------------------------------------------------- */

typedef struct check_call {
  tocha_check_index_args args;
  int64_t *bad;
  bool in_range;
} check_call;

static bool launch_check(tocha_stream *stream, const tocha_strided_layout *layout, void *user) {
  check_call *c = user;
  c->args.layout = layout;
  if (c->in_range) c->in_range = stream->kernels->indexing->check_index(stream, &c->args, c->bad);
  return true;
}

bool tocha_check_index(tocha_context *cx, tocha_tensor *index, int64_t size, bool wraps,
                       int64_t *bad) {
  if (!tocha_has_elements(index)) return true;
  tocha_stream *s = tocha_stream_of(cx, index->device);
  if (!s || !s->kernels->indexing->check_index) return s != NULL;
  check_call c = {{.size = size, .wraps = wraps}, bad, true};
  tocha_strided_operand operand = {tocha_bytes(index), index->strides, index->dtype};
  return tocha_launch_in_order(cx, index->device, index->ndim, index->sizes, 1, &operand,
                               launch_check, &c) &&
         c.in_range;
}

uint64_t tocha_position_dims(const tocha_indexed *x) {
  uint64_t mask = 0;
  int64_t strides[TOCHA_MAX_DIMS];
  for (int d = 0; d < x->ndim; d++)
    if (x->sizes[d] != 1 && x->strides[d] == 0) mask |= (uint64_t)1 << d;
  for (int k = 0; k < x->axes; k++) {
    axis_strides(x, k, strides);
    for (int d = 0; d < x->ndim; d++)
      if (x->sizes[d] != 1 && strides[d] != 0) mask |= (uint64_t)1 << d;
  }
  return mask;
}

static bool launch_keys(tocha_stream *stream, const tocha_strided_layout *layout, void *user) {
  tocha_index_keys_args *args = user;
  args->layout = layout;
  return stream->kernels->indexing->index_keys(stream, args);
}

/* Copies the entries of the dimensions in mask from `all` to `some`, and returns their number. */
static int restrict_to(uint64_t mask, int ndim, const int64_t *all, int64_t *some) {
  int n = 0;
  for (int d = 0; d < ndim; d++)
    if (mask >> d & 1) some[n++] = all[d];
  return n;
}

bool tocha_index_make_keys(tocha_context *cx, const tocha_indexed *x, uint64_t mask, int64_t unit,
                           bool based, tocha_tensor *keys) {
  int64_t sizes[TOCHA_MAX_DIMS], all[TOCHA_MAX_DIMS], strides[2 + TOCHA_INDEX_AXES][TOCHA_MAX_DIMS];
  tocha_strided_operand operands[2 + TOCHA_INDEX_AXES];
  int ndim = restrict_to(mask, x->ndim, x->sizes, sizes);
  tocha_row_major_strides(ndim, sizes, strides[0]);
  operands[0] = (tocha_strided_operand){tocha_bytes(keys), strides[0], keys->dtype};
  for (int first = 0; first < x->axes; first += TOCHA_INDEX_AXES) {
    int n = x->axes - first < TOCHA_INDEX_AXES ? x->axes - first : TOCHA_INDEX_AXES;
    tocha_index_keys_args args = {.axes = n,
                                  .wraps = x->wraps,
                                  .based = based && first == 0,
                                  .adds = first > 0,
                                  .base = tocha_bytes(x->self),
                                  .unit = unit * (int64_t)tocha_dtype_size(x->self->dtype),
                                  .op = x->op};
    for (int k = 0; k < n; k++) {
      tocha_tensor *index = x->index[first + k];
      axis_strides(x, first + k, all);
      restrict_to(mask, x->ndim, all, strides[1 + k]);
      operands[1 + k] = (tocha_strided_operand){tocha_bytes(index), strides[1 + k], index->dtype};
      args.axis[k] = x->axis[first + k];
      args.axis[k].step /= unit;
    }
    restrict_to(mask, x->ndim, x->strides, strides[1 + n]);
    operands[1 + n] = (tocha_strided_operand){tocha_bytes(x->self), strides[1 + n], x->self->dtype};
    if (!tocha_launch_in_order(cx, keys->device, ndim, sizes, 1 + n + args.based, operands,
                               launch_keys, &args))
      return false;
  }
  return true;
}

/* --- elements -------------------------------------------------------------------------------- */

static bool launch_index(tocha_stream *stream, const tocha_strided_layout *layout, void *user) {
  tocha_index_args *args = user;
  args->layout = layout;
  return stream->kernels->indexing->index(stream, args);
}

/* Runs the kernel for at most TOCHA_INDEX_AXES axes and at least one element. */
static bool run_few(tocha_context *cx, const tocha_indexed *x, tocha_tensor *values, int action,
                    tocha_scalar scale) {
  int64_t strides[1 + TOCHA_INDEX_AXES][TOCHA_MAX_DIMS];
  tocha_strided_operand operands[2 + TOCHA_INDEX_AXES];
  if (x->self->dtype == TOCHA_BOOL) scale = tocha_boolean(tocha_scalar_real(scale) != 0);
  tocha_index_args args = {.action = action,
                           .axes = x->axes,
                           .wraps = x->wraps,
                           .scale = tocha_scalar_real(scale),
                           .op = x->op};
  if (!tocha_dtype_is_floating(x->self->dtype))
    args.integer_scale =
        scale.kind == TOCHA_SCALAR_FLOAT ? (int64_t)scale.value.real : scale.value.integer;
  tocha_index_value_strides(x, values, strides[0]);
  operands[0] = (tocha_strided_operand){tocha_bytes(values), strides[0], values->dtype};
  operands[1] = (tocha_strided_operand){tocha_bytes(x->self), x->strides, x->self->dtype};
  for (int k = 0; k < x->axes; k++) {
    tocha_tensor *index = x->index[k];
    axis_strides(x, k, strides[1 + k]);
    operands[2 + k] = (tocha_strided_operand){tocha_bytes(index), strides[1 + k], index->dtype};
    args.axis[k] = x->axis[k];
    args.axis[k].step *= (int64_t)tocha_dtype_size(x->self->dtype);
  }
  return tocha_launch_in_order(cx, x->self->device, x->ndim, x->sizes, 2 + x->axes, operands,
                               launch_index, &args);
}

/* Runs the kernel for more axes than it accepts: they become one axis, whose positions are their sums. */
static bool run_many(tocha_context *cx, const tocha_indexed *given, tocha_tensor *values,
                     int action, tocha_scalar scale) {
  tocha_indexed x = *given;
  int64_t count = 1, strides[TOCHA_MAX_DIMS];
  uint64_t mask = tocha_position_dims(given);
  for (int d = x.ndim - 1; d >= 0; d--) {
    strides[d] = mask >> d & 1 ? count : 0;
    if (mask >> d & 1) count *= x.sizes[d];
  }
  tocha_tensor *keys = tocha_new(cx, 1, &count, TOCHA_INT64, x.self->device);
  if (!keys || !tocha_index_make_keys(cx, given, mask, 1, false, keys)) return false;
  x.index[0] = tocha_alias(cx, keys, x.ndim, x.sizes, strides, 0);
  x.axis[0] = (tocha_index_axis){.size = INT64_MAX, .step = 1};
  x.axes = 1;
  x.index_end = x.ndim;
  x.wraps = false;
  return x.index[0] && run_few(cx, &x, values, action, scale);
}

/* Runs the kernel with copies of the index tensors, because they share the memory that is written. */
static bool run_separately(tocha_context *cx, const tocha_indexed *given, tocha_tensor *values,
                           int action, tocha_scalar scale) {
  tocha_indexed x = *given;
  for (int k = 0; k < x.axes; k++)
    if (!(x.index[k] = tocha_copy_rows(cx, x.index[k]))) return false;
  return x.axes <= TOCHA_INDEX_AXES ? run_few(cx, &x, values, action, scale)
                                    : run_many(cx, &x, values, action, scale);
}

static bool run(tocha_context *cx, const tocha_indexed *x, tocha_tensor *values, int action,
                tocha_scalar scale) {
  if (x->self->device.type == TOCHA_META || tocha_indexed_is_empty(x)) return true;
  if (!check_sizes(cx, x)) return false;
  for (int k = 0; k < x->axes && action != TOCHA_INDEX_GET; k++)
    if (x->index[k]->storage == x->self->storage)
      return run_separately(cx, x, values, action, scale);
  return x->axes <= TOCHA_INDEX_AXES ? run_few(cx, x, values, action, scale)
                                     : run_many(cx, x, values, action, scale);
}

bool tocha_index_get_into(tocha_context *cx, const tocha_indexed *x, tocha_tensor *values) {
  return run(cx, x, values, TOCHA_INDEX_GET, tocha_int(1));
}

tocha_tensor *tocha_index_get(tocha_context *cx, const tocha_indexed *x) {
  tocha_tensor *out = tocha_new(cx, x->ndim, x->sizes, x->self->dtype, x->self->device);
  return out && tocha_index_get_into(cx, x, out) ? out : NULL;
}

bool tocha_index_put_values(tocha_context *cx, const tocha_indexed *x, tocha_tensor *values) {
  return run(cx, x, values, TOCHA_INDEX_PUT, tocha_int(1));
}

/* Adds to a copy of self in float32, and rounds its elements once, as PyTorch does on a GPU. */
static bool add_float8(tocha_context *cx, const tocha_indexed *x, tocha_tensor *values,
                       tocha_scalar scale) {
  tocha_tensor *self = x->self;
  tocha_indexed wide = *x;
  wide.self =
      tocha_new_strided(cx, self->ndim, self->sizes, self->strides, TOCHA_FLOAT32, self->device);
  values = tocha_as_dtype(cx, values, TOCHA_FLOAT32);
  return wide.self && values && tocha_copy_data(cx, wide.self, self) &&
         tocha_index_add_values(cx, &wide, values, scale) && tocha_copy_data(cx, self, wide.self);
}

bool tocha_index_add_values(tocha_context *cx, const tocha_indexed *x, tocha_tensor *values,
                            tocha_scalar scale) {
  tocha_dtype dtype = x->self->dtype;
  if (x->self->device.type == TOCHA_META || tocha_indexed_is_empty(x)) return true;
  if (!check_sizes(cx, x)) return false;
  tocha_stream *s = tocha_stream_of(cx, x->self->device);
  if (!s) return false;
  if (tocha_is_float8(dtype) && s->kernels->indexing->accumulate)
    return add_float8(cx, x, values, scale);
  bool exact = dtype == TOCHA_INT64 || dtype == TOCHA_INT32;
  if (s->kernels->indexing->accumulate && !exact)
    return tocha_index_accumulate(cx, x, values, scale);
  return run(cx, x, values, TOCHA_INDEX_ADD, scale);
}

bool tocha_add_at_places(tocha_context *cx, tocha_tensor *memory, tocha_tensor *source,
                         const int64_t *strides, int64_t offset) {
  tocha_tensor *all =
      tocha_arange_full(cx, tocha_int(memory->numel), TOCHA_INT64, memory->device, false);
  tocha_tensor *places =
      all ? tocha_alias(cx, all, source->ndim, source->sizes, strides, offset) : NULL;
  if (!places) return false;
  tocha_indexed x = {.op = "as_strided", .self = memory, .ndim = source->ndim, .axes = 1};
  memcpy(x.sizes, source->sizes, (size_t)source->ndim * sizeof *x.sizes);
  x.index_end = x.ndim;
  x.index[0] = places;
  x.axis[0] = (tocha_index_axis){.size = memory->numel, .step = 1};
  return tocha_index_add_values(cx, &x, source, tocha_int(1));
}
