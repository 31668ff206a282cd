/* index_plan.c: what indexing with tensors has in common: masks, broadcasting, bounds, rows. */
#include "ops/indexing/index.h"
#include "device/devices.h"
#include "ops/indexing/kernels.h"

#include <string.h>

#include "tensor/convert.h"
#include "tensor/copy.h"
#include "ops/indexing/index_device.h"
#include "tensor/iterator.h"
#include "shape/implementations.h"
#include "tocha/ops/index_add_.h"

/* --- masks -------------------------------------------------------------------------------------------- */

tocha_tensor *tocha_coordinates(tocha_context *cx, tocha_tensor *t) {
  if (t->device.type == TOCHA_META)
    return tocha_fail(
        cx, TOCHA_NOT_IMPLEMENTED_ERROR,
        "The register_meta function for torch.nonzero() raises unimplemented by default, as "
        "a correct data-independent implementation does not exist. This implementation "
        "returns a fake value, assuming all elements of the tensor are non-zero. To enable "
        "this registration, please set "
        "'torch.fx.experimental._config.meta_nonzero_assume_all_nonzero' to True.");
  if (tocha_is_on_device(t)) return tocha_coordinates_on_device(cx, t);
  tocha_tensor *flags = tocha_as_rows(cx, t, TOCHA_BOOL);
  if (!flags) return NULL;
  const uint8_t *flag = flags->numel ? (const uint8_t *)tocha_bytes(flags) : NULL;
  int64_t count = 0, at = 0, position[TOCHA_MAX_DIMS] = {0};
  int n = t->ndim;
  for (int64_t i = 0; i < flags->numel; i++) count += flag[i] != 0;
  tocha_tensor *out = tocha_new(cx, 2, (const int64_t[]){n, count}, TOCHA_INT64, t->device);
  if (!out || out->numel == 0) return out;
  int64_t *to = (int64_t *)(void *)tocha_bytes(out), inner = t->sizes[n - 1];
  for (int64_t i = 0; i < flags->numel; i += inner) {
    for (int64_t k = 0; k < inner; k++) {
      if (!flag[i + k]) continue;
      for (int d = 0; d < n - 1; d++) to[d * count + at] = position[d];
      to[(n - 1) * count + at++] = k;
    }
    for (int d = n - 2; d >= 0; d--) {
      if (++position[d] < t->sizes[d]) break;
      position[d] = 0;
    }
  }
  return out;
}

static bool is_mask(const tocha_tensor *t) {
  return t && (t->dtype == TOCHA_BOOL || t->dtype == TOCHA_UINT8);
}

/* indices with masks replaced by the coordinates of what they keep: *total entries, those beyond
 * it NULL. */
static bool expand_masks(tocha_context *cx, tocha_tensor *self, int count,
                         tocha_tensor *const *indices, tocha_tensor **expanded, int *total) {
  char a[256], b[256];
  int n = 0;
  for (int i = 0; i < count; i++) {
    tocha_tensor *t = indices[i];
    int covers = is_mask(t) ? t->ndim : 1;
    if (n + covers > self->ndim) {
      tocha_fail(cx, TOCHA_INDEX_ERROR, "too many indices for tensor of dimension %d", self->ndim);
      return false;
    }
    if (!is_mask(t)) {
      if (t && t->dtype != TOCHA_INT64 && t->dtype != TOCHA_INT32) {
        tocha_fail(cx, TOCHA_INDEX_ERROR,
                   "tensors used as indices must be long, int, byte or bool tensors");
        return false;
      }
      expanded[n++] = t;
      continue;
    }
    for (int d = 0; d < covers; d++) {
      if (t->sizes[d] == self->sizes[n + d]) continue;
      tocha_fail(cx, TOCHA_INDEX_ERROR,
                 "The shape of the mask %s at index %d does not match the shape of the indexed "
                 "tensor %s at index %d",
                 tocha_shape_text(t->ndim, t->sizes, a, sizeof a), d,
                 tocha_shape_text(self->ndim, self->sizes, b, sizeof b), n + d);
      return false;
    }
    tocha_tensor *coordinates = tocha_coordinates(cx, t);
    if (!coordinates) return false;
    int64_t length = coordinates->sizes[1], one = 1;
    for (int d = 0; d < covers; d++) {
      expanded[n] = tocha_alias(cx, coordinates, 1, &length, &one, d * length);
      if (!expanded[n++]) return false;
    }
  }
  *total = n;
  return true;
}

/* --- offsets ------------------------------------------------------------------------------------------ */

/* Adds index * stride to every offset; false, and *bad the index, where one is out of range.
 * index: any strides over the shape of the offsets (ndim, sizes). */
static bool add_offsets(const tocha_tensor *index, int ndim, const int64_t *sizes, int64_t size,
                        int64_t stride, bool negative_allowed, int64_t *offsets, int64_t count,
                        int64_t *bad) {
  int64_t position[TOCHA_MAX_DIMS] = {0}, at = index->offset;
  bool wide = index->dtype == TOCHA_INT64;
  const void *data = index->storage->data;
  for (int64_t k = 0; k < count; k++) {
    int64_t i = wide ? ((const int64_t *)data)[at] : ((const int32_t *)data)[at];
    if (i < (negative_allowed ? -size : 0) || i >= size) {
      *bad = i;
      return false;
    }
    offsets[k] += (i < 0 ? i + size : i) * stride;
    for (int d = ndim - 1; d >= 0; d--) {
      int own = d - (ndim - index->ndim);
      int64_t step = own < 0 || index->sizes[own] == 1 ? 0 : index->strides[own];
      at += step;
      if (++position[d] < sizes[d]) break;
      at -= step * sizes[d];
      position[d] = 0;
    }
  }
  return true;
}

/* Fills in everything but the offsets. indexed[d]: dimension d is picked from; first: where the
 * index shape goes among the picked tensor's dimensions. */
static void lay_out(tocha_index_plan *p, tocha_tensor *self, const bool *indexed, int first,
                    int index_ndim, const int64_t *index_sizes) {
  int n = 0;
  p->self = self;
  p->outer_ndim = p->inner_ndim = 0;
  p->outer_count = p->inner_count = p->index_count = 1;
  for (int d = 0; d < self->ndim; d++) {
    if (indexed[d]) continue;
    if (d < first) {
      p->outer_sizes[p->outer_ndim] = self->sizes[d];
      p->outer_strides[p->outer_ndim++] = self->strides[d];
      p->outer_count *= self->sizes[d];
    } else {
      p->inner_sizes[p->inner_ndim] = self->sizes[d];
      p->inner_strides[p->inner_ndim++] = self->strides[d];
      p->inner_count *= self->sizes[d];
    }
  }
  for (int i = 0; i < p->outer_ndim; i++) p->sizes[n++] = p->outer_sizes[i];
  p->index_ndim = index_ndim;
  for (int i = 0; i < index_ndim; i++) {
    p->index_sizes[i] = p->sizes[n++] = index_sizes[i];
    p->index_count *= index_sizes[i];
  }
  for (int i = 0; i < p->inner_ndim; i++) p->sizes[n++] = p->inner_sizes[i];
  p->ndim = n;
  int64_t expected = 1;
  p->inner_dense = true;
  for (int i = p->inner_ndim - 1; i >= 0; i--) {
    if (p->inner_sizes[i] != 1 && p->inner_strides[i] != expected) p->inner_dense = false;
    expected *= p->inner_sizes[i];
  }
}

/* A zeroed array of offsets, as a temporary of the scope. */
static int64_t *new_offsets(tocha_context *cx, int64_t count) {
  tocha_tensor *t = tocha_new(cx, 1, &count, TOCHA_INT64, tocha_cpu());
  if (!t || !tocha_fill_data(cx, t, tocha_int(0))) return NULL;
  return (int64_t *)t->storage->data;
}

static bool broadcast_indices(tocha_context *cx, int total, tocha_tensor *const *indices, int *ndim,
                              int64_t *sizes) {
  char text[1024] = "", one[256];
  size_t used = 0;
  if (tocha_broadcast_sizes(cx, total, indices, ndim, sizes)) return true;
  tocha_clear_error(cx);
  for (int i = 0; i < total && used < sizeof text - 300; i++) {
    if (!indices[i]) continue;
    tocha_shape_text(indices[i]->ndim, indices[i]->sizes, one, sizeof one);
    size_t length = strlen(one);
    if (used) {
      memcpy(text + used, ", ", 3);
      used += 2;
    }
    memcpy(text + used, one, length + 1);
    used += length;
  }
  tocha_fail(cx, TOCHA_INDEX_ERROR,
             "shape mismatch: indexing tensors could not be broadcast together with shapes %s",
             text);
  return false;
}

/* The index tensors for the kernels of a device; expanded: one a dimension. */
static void plan_axes(int total, tocha_tensor *const *expanded, tocha_index_plan *plan) {
  plan->axes = 0;
  for (int d = 0; d < total; d++) {
    if (!expanded[d]) continue;
    tocha_index_axis axis = {plan->self->sizes[d], plan->self->strides[d], plan->axes};
    plan->index[plan->axes] = expanded[d];
    plan->axis[plan->axes++] = axis;
  }
}

bool tocha_plan_indices(tocha_context *cx, const char *op, tocha_tensor *self, int count,
                        tocha_tensor *const *indices, tocha_index_plan *plan) {
  tocha_tensor *expanded[TOCHA_MAX_DIMS] = {NULL};
  bool indexed[TOCHA_MAX_DIMS] = {false}, adjacent = true;
  int total, ndim, first = -1, last = -1;
  int64_t sizes[TOCHA_MAX_DIMS], bad = 0;
  tocha_tensor *here[TOCHA_MAX_DIMS];
  if (!tocha_place_indices(cx, self, count, indices, here) ||
      !expand_masks(cx, self, count, here, expanded, &total) ||
      !broadcast_indices(cx, total, expanded, &ndim, sizes))
    return false;
  for (int d = 0; d < total; d++) {
    if (!expanded[d]) continue;
    indexed[d] = true;
    if (first < 0) first = d;
    adjacent = adjacent && (last < 0 || last == d - 1);
    last = d;
  }
  lay_out(plan, self, indexed, adjacent && first > 0 ? first : 0, ndim, sizes);
  plan->offsets = NULL;
  plan->op = op;
  plan->wraps = true;
  plan->on_device = tocha_is_on_device(self);
  if (plan->on_device) {
    plan_axes(total, expanded, plan);
    return true;
  }
  if (self->device.type == TOCHA_META) return true;
  int64_t *offsets = new_offsets(cx, plan->index_count);
  if (!offsets) return false;
  plan->offsets = offsets;
  for (int d = 0, place = -1; d < total; d++) {
    if (!expanded[d]) continue;
    place++; /* PyTorch counts the dimensions that are indexed */
    if (add_offsets(expanded[d], ndim, sizes, self->sizes[d], self->strides[d], true, offsets,
                    plan->index_count, &bad))
      continue;
    tocha_fail(cx, TOCHA_INDEX_ERROR, "index %lld is out of bounds for dimension %d with size %lld",
               (long long)bad, place, (long long)self->sizes[d]);
    return false;
  }
  return true;
}

/* index as the one axis of a plan for kernels. */
static void plan_axis(tocha_index_plan *plan, tocha_tensor *index, int64_t count,
                      tocha_index_axis axis) {
  plan->index_ndim = 1; /* also for a 0-dim tensor, which may be picked from several times */
  plan->index_sizes[0] = count;
  plan->axes = 1;
  plan->index[0] = index;
  plan->axis[0] = axis;
}

bool tocha_plan_dimension(tocha_context *cx, const char *op, tocha_tensor *self, int64_t dim,
                          tocha_tensor *index, bool wraps, tocha_index_plan *plan, int64_t *bad) {
  bool indexed[TOCHA_MAX_DIMS] = {false};
  int64_t count = index->numel;
  int64_t size = self->ndim ? self->sizes[dim] : 1, stride = self->ndim ? self->strides[dim] : 0;
  indexed[dim] = true;
  lay_out(plan, self, indexed, (int)dim, self->ndim ? 1 : 0, &count);
  if (self->ndim == 0) plan->index_count = count;
  plan->offsets = NULL;
  plan->op = op;
  plan->wraps = wraps;
  plan->on_device = tocha_is_on_device(self);
  *bad = 0;
  if (plan->on_device) {
    plan_axis(plan, index, count, (tocha_index_axis){size, stride, (int32_t)dim});
    return size > 0 || count == 0;
  }
  if (self->device.type == TOCHA_META) return true;
  int64_t *offsets = new_offsets(cx, count);
  if (!offsets) return false;
  plan->offsets = offsets;
  return add_offsets(index, 1, &count, size, stride, wraps, offsets, count, bad);
}

/* --- rows --------------------------------------------------------------------------------------------- */

#define ADD_LOOP(type)                                                                             \
  for (int64_t i = 0; i < n; i++)                                                                  \
  *(type *)(void *)(target + i * target_stride) +=                                                 \
      (type)((type)scale * *(const type *)(const void *)(source + i * source_stride))

void tocha_add_elements(tocha_dtype dtype, char *target, int64_t target_stride, const char *source,
                        int64_t source_stride, int64_t n, double scale) {
  switch (dtype) {
  case TOCHA_FLOAT32:
    ADD_LOOP(float);
    break;
  case TOCHA_FLOAT64:
    ADD_LOOP(double);
    break;
  case TOCHA_INT64:
    ADD_LOOP(int64_t);
    break;
  case TOCHA_INT32:
    ADD_LOOP(int32_t);
    break;
  case TOCHA_INT16:
    ADD_LOOP(int16_t);
    break;
  case TOCHA_INT8:
    ADD_LOOP(int8_t);
    break;
  case TOCHA_UINT8:
    ADD_LOOP(uint8_t);
    break;
  default: /* bool and the half types */
    for (int64_t i = 0; i < n; i++) {
      char *at = target + i * target_stride;
      float sum = (float)tocha_scalar_real(tocha_load_scalar(at, dtype)) +
                  (float)scale * (float)tocha_scalar_real(
                                     tocha_load_scalar(source + i * source_stride, dtype));
      tocha_store_scalar(at, dtype, tocha_float(sum));
    }
  }
}

typedef struct row_args {
  const tocha_index_plan *plan;
  char *packed; /* the picked tensor's data */
  int64_t item;
  int64_t step; /* bytes from one packed element to the next; 0: one value for all */
  enum { GET, PUT, ADD } action;
  double scale;
} row_args;

static void move_run(const row_args *j, char *own, int64_t own_step, char *packed, int64_t n) {
  if (j->action == ADD) {
    tocha_add_elements((tocha_dtype)j->plan->self->dtype, own, own_step, packed, j->step, n,
                       j->scale);
    return;
  }
  char *to = j->action == GET ? packed : own;
  const char *from = j->action == GET ? own : packed;
  int64_t to_step = j->action == GET ? j->step : own_step;
  int64_t from_step = j->action == GET ? own_step : j->step;
  if (to_step == j->item && from_step == j->item) {
    memcpy(to, from, (size_t)(n * j->item));
    return;
  }
  switch (j->item) {
  case 4:
    for (int64_t i = 0; i < n; i++) memcpy(to + i * to_step, from + i * from_step, 4);
    break;
  case 8:
    for (int64_t i = 0; i < n; i++) memcpy(to + i * to_step, from + i * from_step, 8);
    break;
  default:
    for (int64_t i = 0; i < n; i++) memcpy(to + i * to_step, from + i * from_step, (size_t)j->item);
  }
}

/* One row: its elements in row-major order of the inner dimensions. */
static void move_row(const row_args *j, char *own, char *packed) {
  const tocha_index_plan *p = j->plan;
  if (p->inner_dense) {
    move_run(j, own, j->item, packed, p->inner_count);
    return;
  }
  int last = p->inner_ndim - 1;
  int64_t position[TOCHA_MAX_DIMS] = {0}, n = p->inner_sizes[last];
  for (int64_t done = 0; done < p->inner_count; done += n) {
    move_run(j, own, p->inner_strides[last] * j->item, packed, n);
    packed += n * j->step;
    for (int d = last - 1; d >= 0; d--) {
      own += p->inner_strides[d] * j->item;
      if (++position[d] < p->inner_sizes[d]) break;
      own -= p->inner_sizes[d] * p->inner_strides[d] * j->item;
      position[d] = 0;
    }
  }
}

static void move_rows(void *user, int64_t begin, int64_t end) {
  const row_args *j = user;
  const tocha_index_plan *p = j->plan;
  for (int64_t row = begin; row < end; row++) {
    int64_t outer = row / p->index_count, offset = p->offsets[row % p->index_count];
    for (int d = p->outer_ndim - 1; d >= 0; d--) {
      offset += outer % p->outer_sizes[d] * p->outer_strides[d];
      outer /= p->outer_sizes[d];
    }
    move_row(j, tocha_bytes(p->self) + offset * j->item,
             j->packed + row * p->inner_count * j->step);
  }
}

tocha_tensor *tocha_plan_get(tocha_context *cx, const tocha_index_plan *plan) {
  if (plan->on_device) return tocha_plan_get_on_device(cx, plan);
  tocha_tensor *out = tocha_new(cx, plan->ndim, plan->sizes, plan->self->dtype, plan->self->device);
  if (!out || out->numel == 0 || !plan->offsets) return out;
  int64_t item = (int64_t)tocha_dtype_size(out->dtype);
  row_args args = {plan, tocha_bytes(out), item, item, GET, 1};
  int64_t rows = plan->outer_count * plan->index_count;
  return tocha_parallel_for(cx, rows, 4 * TOCHA_GRAIN / plan->inner_count + 1, move_rows, &args)
             ? out
             : NULL;
}

/* Rows are written in order on one thread: an index that occurs twice has a defined outcome. */
bool tocha_plan_put(tocha_context *cx, const tocha_index_plan *plan, tocha_tensor *values,
                    bool accumulate, tocha_scalar scale) {
  if (plan->on_device) return tocha_plan_put_on_device(cx, plan, values, accumulate, scale);
  int64_t rows = plan->outer_count * plan->index_count;
  if (rows == 0 || plan->inner_count == 0 || !plan->offsets) return true;
  int64_t item = (int64_t)tocha_dtype_size(plan->self->dtype);
  row_args args = {plan,
                   tocha_bytes(values),
                   item,
                   values->numel == 1 ? 0 : item,
                   accumulate ? ADD : PUT,
                   tocha_scalar_real(scale)};
  move_rows(&args, 0, rows);
  return !tocha_interrupted(cx);
}

tocha_tensor *tocha_plan_values(tocha_context *cx, const tocha_index_plan *plan,
                                tocha_tensor *values) {
  tocha_dtype dtype = (tocha_dtype)plan->self->dtype;
  if (values->numel == 1)
    return tocha_copy_as(cx, values, dtype, tocha_its_device(), TOCHA_CONTIGUOUS_FORMAT);
  if (plan->on_device && values->storage != plan->self->storage)
    return tocha_op_expand(cx, values, plan->ndim, plan->sizes, false);
  tocha_tensor *dense = tocha_new(cx, plan->ndim, plan->sizes, dtype, values->device);
  return dense && tocha_copy_data(cx, dense, values) ? dense : NULL;
}
