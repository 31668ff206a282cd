/* index_device.c: picks on a device: moving, and adding by way of sorted keys. */
#include "ops/indexing/index_device.h"
#include "device/devices.h"
#include "tensor/strided.h"
#include "tensor/transfer.h"
#include "ops/indexing/kernels.h"
#include "ops/sorting/kernels.h"

#include <string.h>

#include "tensor/convert.h"
#include "tensor/copy.h"
#include "ops/sorting/sort_device.h"
#include "tocha/ops/arange.h"
#include "tocha/ops/index_add_.h"

/* --- axes ------------------------------------------------------------------------------------- */

/* A kernel has no harmless place to go on with in a dimension of size 0. */
static bool check_sizes(tocha_context *cx, const tocha_pick *p) {
  for (int k = 0; k < p->axes; k++) {
    if (p->axis[k].size > 0) continue;
    tocha_fail(cx, TOCHA_INDEX_ERROR, "index is out of bounds for dimension with size 0");
    return false;
  }
  return true;
}

/* Bit per dimension along which positions change, or meet. The others are lanes: what one position
 * stands for, side by side. */
static uint64_t position_dims(const tocha_pick *p) {
  uint64_t mask = 0;
  for (int d = 0; d < p->indexed->ndim; d++) {
    if (p->indexed->sizes[d] == 1) continue;
    bool varies = p->indexed->strides[d] == 0;
    for (int k = 0; k < p->axes; k++) varies = varies || p->index[k]->strides[d] != 0;
    if (varies) mask |= (uint64_t)1 << d;
  }
  return mask;
}

/* t, of the pick's shape, over the dimensions in mask only. */
static tocha_tensor *restricted(tocha_context *cx, const tocha_tensor *t, uint64_t mask) {
  int64_t sizes[TOCHA_MAX_DIMS], strides[TOCHA_MAX_DIMS];
  int n = 0;
  for (int d = 0; d < t->ndim; d++) {
    if (!(mask >> d & 1)) continue;
    sizes[n] = t->sizes[d];
    strides[n++] = t->strides[d];
  }
  return tocha_alias(cx, t, n, sizes, strides, t->offset);
}

static bool launch_keys(tocha_stream *stream, const tocha_strided_layout *layout, void *user) {
  tocha_index_keys_args *work = user;
  work->layout = *layout;
  return stream->kernels->indexing->index_keys(stream, work);
}

/* Positions over the dimensions in mask, in units of `unit` elements, into the dense keys. based:
 * the indexed tensor's own distance counts too. */
static bool make_keys(tocha_context *cx, const tocha_pick *p, uint64_t mask, int64_t unit,
                      bool based, tocha_tensor *keys) {
  tocha_tensor *shape = restricted(cx, p->indexed, mask), *all[TOCHA_LAYOUT_OPERANDS];
  int64_t strides[TOCHA_MAX_DIMS];
  if (!shape) return false;
  tocha_row_major_strides(shape->ndim, shape->sizes, strides);
  all[0] = tocha_alias(cx, keys, shape->ndim, shape->sizes, strides, keys->offset);
  for (int first = 0; first < p->axes; first += TOCHA_INDEX_AXES) {
    int n = p->axes - first < TOCHA_INDEX_AXES ? p->axes - first : TOCHA_INDEX_AXES;
    tocha_index_keys_args args = {.axes = n,
                                  .wraps = p->wraps,
                                  .based = based && first == 0,
                                  .adds = first > 0,
                                  .base = tocha_bytes(p->indexed),
                                  .unit = unit * (int64_t)tocha_dtype_size(p->indexed->dtype),
                                  .op = p->op};
    for (int k = 0; k < n; k++) {
      all[1 + k] = restricted(cx, p->index[first + k], mask);
      args.axis[k] = p->axis[first + k];
      args.axis[k].step /= unit;
    }
    all[1 + n] = shape;
    if (tocha_failed(cx) || !tocha_launch_strided(cx, shape->ndim, shape->sizes, 1 + n + args.based,
                                                  all, launch_keys, &args))
      return false;
  }
  return true;
}

/* More axes than a kernel takes become one, whose positions are the sums. */
static bool reduce_axes(tocha_context *cx, tocha_pick *p) {
  int64_t count = 1, strides[TOCHA_MAX_DIMS];
  if (p->axes <= TOCHA_INDEX_AXES) return true;
  uint64_t mask = position_dims(p);
  for (int d = p->indexed->ndim - 1; d >= 0; d--) {
    strides[d] = mask >> d & 1 ? count : 0;
    if (mask >> d & 1) count *= p->indexed->sizes[d];
  }
  tocha_tensor *keys = tocha_new(cx, 1, &count, TOCHA_INT64, p->indexed->device);
  if (!keys || !make_keys(cx, p, mask, 1, false, keys)) return false;
  p->index[0] = tocha_alias(cx, keys, p->indexed->ndim, p->indexed->sizes, strides, 0);
  p->axis[0] = (tocha_index_axis){.size = INT64_MAX, .step = 1};
  p->axes = 1;
  p->wraps = false;
  return p->index[0] != NULL;
}

/* --- moving ----------------------------------------------------------------------------------- */

static bool launch_index(tocha_stream *stream, const tocha_strided_layout *layout, void *user) {
  tocha_index_args *work = user;
  work->layout = *layout;
  return stream->kernels->indexing->index(stream, work);
}

static bool run_index(tocha_context *cx, tocha_pick *p, int action, int64_t scale) {
  if (p->indexed->numel == 0) return true;
  if (!check_sizes(cx, p) || !reduce_axes(cx, p)) return false;
  tocha_index_args args = {
      .action = action, .axes = p->axes, .wraps = p->wraps, .scale = scale, .op = p->op};
  tocha_tensor *all[TOCHA_LAYOUT_OPERANDS] = {p->picked, p->indexed};
  for (int k = 0; k < p->axes; k++) {
    all[2 + k] = p->index[k];
    args.axis[k] = p->axis[k];
    args.axis[k].step *= (int64_t)tocha_dtype_size(p->indexed->dtype);
  }
  return tocha_launch_strided(cx, p->indexed->ndim, p->indexed->sizes, 2 + p->axes, all,
                              launch_index, &args);
}

bool tocha_pick_move(tocha_context *cx, tocha_pick *pick, bool put) {
  return run_index(cx, pick, put ? TOCHA_INDEX_PUT : TOCHA_INDEX_GET, 1);
}

/* --- adding ----------------------------------------------------------------------------------- */

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

/* The unit that all positions are multiples of, and the greatest key in it. */
static int64_t unit_of(const tocha_pick *p, uint64_t mask, bool *based, int64_t *greatest) {
  int64_t unit = 0, reach = 0;
  *based = false;
  for (int k = 0; k < p->axes; k++) {
    if (p->axis[k].size < 2) continue;
    unit = common_divisor(unit, p->axis[k].step);
    reach += (p->axis[k].size - 1) * p->axis[k].step;
  }
  for (int d = 0; d < p->indexed->ndim; d++) {
    if (!(mask >> d & 1) || !p->indexed->strides[d]) continue;
    unit = common_divisor(unit, p->indexed->strides[d]);
    reach += (p->indexed->sizes[d] - 1) * p->indexed->strides[d];
    *based = true;
  }
  if (unit == 0) unit = 1;
  *greatest = reach / unit;
  return unit;
}

/* Whether t's elements along the dimensions in mask lie evenly, *step apart in row-major order. */
static bool is_even(const tocha_tensor *t, uint64_t mask, int64_t *step) {
  int64_t expected = 0;
  bool any = false;
  *step = 0;
  for (int d = t->ndim - 1; d >= 0; d--) {
    if (!(mask >> d & 1)) continue;
    if (any && t->strides[d] != expected) return false;
    if (!any) *step = t->strides[d];
    any = true;
    expected = t->strides[d] * t->sizes[d];
  }
  return true;
}

/* picked with its rows, one a position, evenly apart: itself, or a copy with positions outside. */
static tocha_tensor *even_rows(tocha_context *cx, tocha_tensor *picked, uint64_t mask,
                               int64_t *step) {
  int order[TOCHA_MAX_DIMS], n = 0;
  int64_t strides[TOCHA_MAX_DIMS], sizes[TOCHA_MAX_DIMS], places[TOCHA_MAX_DIMS], count = 1;
  if (is_even(picked, mask, step)) return picked;
  for (int pass = 1; pass >= 0; pass--)
    for (int d = 0; d < picked->ndim; d++)
      if ((int)(mask >> d & 1) == pass) order[n++] = d;
  for (int i = 0; i < n; i++) {
    sizes[i] = picked->sizes[order[i]];
    strides[i] = picked->strides[order[i]];
  }
  tocha_tensor *transposed = tocha_alias(cx, picked, n, sizes, strides, picked->offset);
  transposed = transposed ? tocha_copy_rows(cx, transposed) : NULL;
  if (!transposed) return NULL;
  for (int i = n - 1; i >= 0; i--) {
    places[order[i]] = count;
    count *= sizes[i];
  }
  transposed = tocha_alias(cx, transposed, picked->ndim, picked->sizes, places, 0);
  return transposed && is_even(transposed, mask, step) ? transposed : NULL;
}

static bool launch_accumulate(tocha_stream *stream, const tocha_strided_layout *layout,
                              void *user) {
  tocha_accumulate_args *work = user;
  work->lanes = *layout;
  return stream->kernels->indexing->accumulate(stream, work);
}

static int bits_of(int64_t greatest) {
  int bits = 1;
  while (bits < 63 && greatest >> bits) bits++;
  return bits;
}

bool tocha_pick_add(tocha_context *cx, tocha_pick *p, tocha_scalar scale) {
  tocha_dtype dtype = (tocha_dtype)p->indexed->dtype;
  int64_t whole =
      scale.kind == TOCHA_SCALAR_FLOAT ? (int64_t)scale.value.real : scale.value.integer;
  if (dtype == TOCHA_INT64 || dtype == TOCHA_INT32) return run_index(cx, p, TOCHA_INDEX_ADD, whole);
  if (p->indexed->numel == 0) return true;
  if (!check_sizes(cx, p)) return false;
  uint64_t mask = position_dims(p);
  bool based;
  int64_t greatest, step, unit = unit_of(p, mask, &based, &greatest), n = 1;
  for (int d = 0; d < p->indexed->ndim; d++)
    if (mask >> d & 1) n *= p->indexed->sizes[d];
  tocha_dtype wide = greatest > INT32_MAX ? TOCHA_INT64 : TOCHA_INT32;
  tocha_device device = p->indexed->device;
  tocha_tensor *keys = tocha_new(cx, 1, &n, wide, device);
  tocha_tensor *sorted = tocha_new(cx, 1, &n, wide, device);
  tocha_tensor *order = tocha_new(cx, 1, &n, TOCHA_INT64, device);
  tocha_tensor *values = even_rows(cx, p->picked, mask, &step);
  if (!order || !values || !make_keys(cx, p, mask, unit, based, keys)) return false;
  tocha_sort_args sort = {.rows = 1, .n = n, .kept = n, .bits = bits_of(greatest)};
  if (!tocha_sort_rows(cx, keys, &sort, sorted, order)) return false;

  int64_t item = (int64_t)tocha_dtype_size(dtype);
  tocha_tensor *both[2] = {restricted(cx, p->indexed, ~mask), restricted(cx, values, ~mask)};
  if (!both[0] || !both[1]) return false;
  tocha_accumulate_args args = {.keys = tocha_bytes(sorted),
                                .order = (const int64_t *)(void *)tocha_bytes(order),
                                .n = n,
                                .unit = unit * item,
                                .row = step * item,
                                .scale = tocha_scalar_real(scale),
                                .whole_scale = whole,
                                .wide = wide == TOCHA_INT64};
  int64_t parts = (n + TOCHA_ACCUMULATE_PART - 1) / TOCHA_ACCUMULATE_PART;
  if (parts > 1) {
    int64_t count = 2 * parts * both[0]->numel;
    tocha_tensor *partial = tocha_new(cx, 1, &count, TOCHA_FLOAT64, device);
    if (!partial) return false;
    args.partial = tocha_bytes(partial);
  }
  return tocha_launch_strided(cx, both[0]->ndim, both[0]->sizes, 2, both, launch_accumulate, &args);
}

bool tocha_add_at_places(tocha_context *cx, tocha_tensor *memory, tocha_tensor *source,
                         const int64_t *strides, int64_t offset) {
  int64_t still[TOCHA_MAX_DIMS] = {0};
  tocha_tensor *places =
      tocha_arange_full(cx, tocha_int(memory->numel), TOCHA_INT64, memory->device, false);
  if (!places) return false;
  tocha_pick p = {.op = "as_strided", .picked = source, .axes = 1};
  p.index[0] = tocha_alias(cx, places, source->ndim, source->sizes, strides, offset);
  p.indexed = tocha_alias(cx, memory, source->ndim, source->sizes, still, memory->offset);
  p.axis[0] = (tocha_index_axis){.size = memory->numel, .step = 1};
  return p.index[0] && p.indexed && tocha_pick_add(cx, &p, tocha_int(1));
}

/* --- plans ------------------------------------------------------------------------------------ */

bool tocha_place_indices(tocha_context *cx, const tocha_tensor *self, int count,
                         tocha_tensor *const *indices, tocha_tensor **moved) {
  char text[24];
  bool freed = self->flags & TOCHA_FLAG_FREED;
  for (int i = 0; i < count && !freed; i++)
    freed = indices[i] && indices[i]->flags & TOCHA_FLAG_FREED;
  if (freed || count > TOCHA_MAX_DIMS) {
    if (freed)
      tocha_fail(cx, TOCHA_RUNTIME_ERROR, "this tensor was freed with free() and has no data");
    else
      tocha_fail(cx, TOCHA_INDEX_ERROR, "too many indices for tensor of dimension %d", self->ndim);
    return false;
  }
  for (int i = 0; i < count; i++) {
    tocha_tensor *t = moved[i] = indices[i];
    if (!t || self->device.type == TOCHA_META || tocha_device_equal(t->device, self->device))
      continue;
    if (t->device.type != TOCHA_CPU) {
      tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                 "indices should be either on cpu or on the same device as the indexed tensor (%s)",
                 tocha_device_text(self->device, text));
      tocha_hint(cx, "move them: indices:to(\"%s\")", text);
      return false;
    }
    moved[i] = tocha_new(cx, t->ndim, t->sizes, (tocha_dtype)t->dtype, self->device);
    if (!moved[i] || !tocha_copy_data(cx, moved[i], t)) return false;
  }
  return true;
}

/* The plan as a pick between self and `picked`, which has the plan's shape, or is one element. */
static bool pick_of(tocha_context *cx, const tocha_index_plan *plan, tocha_tensor *picked,
                    tocha_pick *p) {
  int64_t sizes[TOCHA_MAX_DIMS], own[TOCHA_MAX_DIMS], other[TOCHA_MAX_DIMS];
  int64_t strides[TOCHA_MAX_DIMS];
  int n = 0, first = plan->outer_ndim, last = first + plan->index_ndim;
  for (int i = 0; i < plan->outer_ndim; i++, n++) {
    sizes[n] = plan->outer_sizes[i];
    own[n] = plan->outer_strides[i];
  }
  for (int i = 0; i < plan->index_ndim; i++, n++) {
    sizes[n] = plan->index_sizes[i];
    own[n] = 0;
  }
  for (int i = 0; i < plan->inner_ndim; i++, n++) {
    sizes[n] = plan->inner_sizes[i];
    own[n] = plan->inner_strides[i];
  }
  int64_t count = 1;
  for (int d = 0; d < n; d++) count *= sizes[d];
  if (picked->numel == 1 && count != 1)
    memset(other, 0, sizeof other);
  else if (picked->ndim == n)
    memcpy(other, picked->strides, (size_t)n * sizeof *other);
  else
    tocha_row_major_strides(n, sizes, other);
  p->op = plan->op;
  p->wraps = plan->wraps;
  p->axes = plan->axes;
  p->indexed = tocha_alias(cx, plan->self, n, sizes, own, plan->self->offset);
  p->picked = tocha_alias(cx, picked, n, sizes, other, picked->offset);
  for (int k = 0; k < plan->axes; k++) {
    tocha_tensor *t = plan->index[k];
    memset(strides, 0, sizeof strides);
    for (int i = 0; i < t->ndim; i++)
      if (t->sizes[i] != 1) strides[last - t->ndim + i] = t->strides[i];
    p->index[k] = tocha_alias(cx, t, n, sizes, strides, t->offset);
    p->axis[k] = plan->axis[k];
  }
  return !tocha_failed(cx);
}

tocha_tensor *tocha_plan_get_on_device(tocha_context *cx, const tocha_index_plan *plan) {
  tocha_pick p;
  tocha_tensor *out =
      tocha_new(cx, plan->ndim, plan->sizes, (tocha_dtype)plan->self->dtype, plan->self->device);
  if (!out || out->numel == 0) return out;
  return pick_of(cx, plan, out, &p) && tocha_pick_move(cx, &p, false) ? out : NULL;
}

bool tocha_plan_put_on_device(tocha_context *cx, const tocha_index_plan *plan, tocha_tensor *values,
                              bool accumulate, tocha_scalar scale) {
  tocha_pick p;
  if (plan->outer_count * plan->index_count * plan->inner_count == 0) return true;
  if (!pick_of(cx, plan, values, &p)) return false;
  return accumulate ? tocha_pick_add(cx, &p, scale) : tocha_pick_move(cx, &p, true);
}

/* --- masks ------------------------------------------------------------------------------------ */

/* How many of the dense flags are not zero; tiles: the counts before each tile. Waits. */
static bool count_nonzero(tocha_context *cx, tocha_tensor *flags, tocha_tensor **tiles,
                          int64_t *count) {
  int64_t n = flags->numel, one = 1, size = (n + TOCHA_NONZERO_TILE - 1) / TOCHA_NONZERO_TILE + 1;
  *count = 0;
  if (n == 0) return true;
  *tiles = tocha_new(cx, 1, &size, TOCHA_INT64, flags->device);
  tocha_stream *q = *tiles ? tocha_stream_of(cx, flags->device) : NULL;
  if (!q) return false;
  tocha_count_nonzero_args args = {.flags = tocha_bytes(flags),
                                   .n = n,
                                   .tiles = (int64_t *)(void *)tocha_bytes(*tiles),
                                   .dtype = flags->dtype};
  if (!tocha_launched(cx, q->kernels->indexing->count_nonzero(q, &args))) return false;
  tocha_tensor *last = tocha_alias(cx, *tiles, 0, &size, &one, size - 1);
  return last && tocha_read_element(cx, last, count);
}

static bool write_nonzero(tocha_context *cx, tocha_tensor *flags, tocha_write_nonzero_args *args,
                          tocha_tensor *tiles) {
  tocha_stream *q = tocha_stream_of(cx, flags->device);
  args->flags = tocha_bytes(flags);
  args->n = flags->numel;
  args->dtype = flags->dtype;
  args->tiles = (const int64_t *)(void *)tocha_bytes(tiles);
  return q && tocha_launched(cx, q->kernels->indexing->write_nonzero(q, args));
}

tocha_tensor *tocha_coordinates_on_device(tocha_context *cx, tocha_tensor *t) {
  tocha_tensor *flags = tocha_as_rows(cx, t, TOCHA_NO_DTYPE), *tiles;
  int64_t count;
  if (!flags || !count_nonzero(cx, flags, &tiles, &count)) return NULL;
  tocha_tensor *out = tocha_new(cx, 2, (const int64_t[]){t->ndim, count}, TOCHA_INT64, t->device);
  if (!out || out->numel == 0) return out;
  tocha_write_nonzero_args args = {
      .coordinates = (int64_t *)(void *)tocha_bytes(out), .count = count, .ndim = t->ndim};
  memcpy(args.sizes, t->sizes, (size_t)t->ndim * sizeof *args.sizes);
  return write_nonzero(cx, flags, &args, tiles) ? out : NULL;
}

tocha_tensor *tocha_masked_on_device(tocha_context *cx, tocha_tensor *self, tocha_tensor *mask) {
  tocha_tensor *tiles;
  int64_t count;
  self = tocha_as_rows(cx, self, TOCHA_NO_DTYPE);
  mask = tocha_as_rows(cx, mask, TOCHA_NO_DTYPE);
  if (!self || !mask || !count_nonzero(cx, mask, &tiles, &count)) return NULL;
  tocha_tensor *out = tocha_new(cx, 1, &count, (tocha_dtype)self->dtype, self->device);
  if (!out || count == 0) return out;
  tocha_write_nonzero_args args = {.source = tocha_bytes(self),
                                   .out = tocha_bytes(out),
                                   .count = count,
                                   .item = (int32_t)tocha_dtype_size((tocha_dtype)self->dtype)};
  return write_nonzero(cx, mask, &args, tiles) ? out : NULL;
}
