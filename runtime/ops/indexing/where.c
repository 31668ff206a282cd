/* where.c: choosing by condition: where, masked_fill_, masked_select, nonzero. */
#include <string.h>

#include "device/devices.h"
#include "tensor/strided.h"
#include "ops/indexing/kernels.h"
#include "tensor/convert.h"
#include "tensor/copy.h"
#include "ops/pointwise/elementwise.h"
#include "ops/indexing/index_device.h"
#include "tensor/iterator.h"
#include "indexing/implementations.h"
#include "shape/implementations.h"
#include "tocha/ops/clone.h"
#include "tocha/ops/expand.h"
#include "tocha/ops/index_add_.h"
#include "tocha/ops/index_backward.h"
#include "tocha/ops/masked_fill.h"
#include "tocha/ops/masked_fill_.h"
#include "tocha/ops/multiply.h"
#include "tocha/ops/reshape.h"
#include "tocha/ops/to_copy.h"
#include "tocha/ops/where.h"

/* --- where --------------------------------------------------------------------------------------------- */

#define CHOOSE(type)                                                                               \
  for (int64_t i = 0; i < n; i++) {                                                                \
    type a = *(const type *)(const void *)(data[2] + i * strides[2]);                              \
    type b = *(const type *)(const void *)(data[3] + i * strides[3]);                              \
    *(type *)(void *)(data[0] + i * strides[0]) =                                                  \
        *(const uint8_t *)(data[1] + i * strides[1]) ? a : b;                                      \
  }

static void where_run(void *user, char *const *data, const int64_t *strides, int64_t n) {
  switch (*(const size_t *)user) {
  case 1:
    CHOOSE(uint8_t) break;
  case 2:
    CHOOSE(uint16_t) break;
  case 4:
    CHOOSE(uint32_t) break;
  default:
    CHOOSE(uint64_t)
  }
}

/* An operand as a tensor of dtype. */
static tocha_tensor *as_tensor(tocha_context *cx, tocha_operand o, tocha_dtype dtype,
                               tocha_device device) {
  if (o.tensor) return tocha_as_dtype(cx, o.tensor, dtype);
  tocha_tensor *t = tocha_new(cx, 0, NULL, dtype, device);
  return t && tocha_check_fits(cx, o.scalar, dtype) && tocha_fill_data(cx, t, o.scalar) ? t : NULL;
}

/* --- the same on a device ------------------------------------------------------------------------------- */

/* One side of a choice: a tensor of out's dtype, or an element (in a 0-dim tensor without data). */
typedef struct side {
  tocha_tensor *tensor, stand_in;
  tocha_storage no_data;
  uint64_t element;
} side;

static void element_side(side *s, tocha_dtype dtype, uint64_t element) {
  memset(s, 0, sizeof *s);
  s->element = element;
  s->tensor = &s->stand_in;
  s->stand_in.storage = &s->no_data;
  s->stand_in.dtype = (uint8_t)dtype;
  s->stand_in.numel = 1;
  s->stand_in.sizes = s->stand_in.strides = s->stand_in.dims;
}

static bool launch_where(tocha_stream *stream, const tocha_strided_layout *layout, void *user) {
  tocha_where_args *args = user;
  args->layout = *layout;
  return stream->kernels->indexing->where(stream, args);
}

static bool where_sides(tocha_context *cx, tocha_tensor *out, tocha_tensor *condition,
                        const side *a, const side *b) {
  tocha_where_args args = {.elements = {a->element, b->element},
                           .item = (int32_t)tocha_dtype_size(out->dtype)};
  tocha_tensor *all[4] = {out, condition, a->tensor, b->tensor};
  return tocha_launch_strided(cx, out->ndim, out->sizes, 4, all, launch_where, &args);
}

/* Numbers, and 0-dim tensors of the CPU, go as elements. */
static bool prepare_side(tocha_context *cx, side *s, tocha_operand o, tocha_dtype dtype) {
  uint64_t element = 0;
  s->tensor = o.tensor;
  s->element = 0;
  if (o.tensor && tocha_is_on_device(o.tensor)) {
    s->tensor = tocha_as_dtype(cx, o.tensor, dtype);
    return s->tensor != NULL;
  }
  if (o.tensor && !tocha_item(cx, o.tensor, &o.scalar)) return false;
  if (!o.tensor && !tocha_check_fits(cx, o.scalar, dtype)) return false;
  tocha_store_scalar(&element, dtype, o.scalar);
  element_side(s, dtype, element);
  return true;
}

static tocha_tensor *where_on_device(tocha_context *cx, tocha_tensor *condition, tocha_operand self,
                                     tocha_operand other, tocha_dtype type, tocha_device device) {
  int ndim;
  int64_t sizes[TOCHA_MAX_DIMS];
  side a, b;
  if (!prepare_side(cx, &a, self, type) || !prepare_side(cx, &b, other, type)) return NULL;
  if (!tocha_is_on_device(condition) &&
      !(condition = tocha_to_copy_full(cx, condition, TOCHA_NO_DTYPE, device, false)))
    return NULL;
  tocha_tensor *shapes[3] = {condition, a.tensor, b.tensor};
  if (!tocha_broadcast_sizes(cx, 3, shapes, &ndim, sizes)) return NULL;
  tocha_tensor *out = tocha_new_output(cx, ndim, sizes, type, device, 3, shapes);
  if (!out || out->numel == 0) return out;
  return where_sides(cx, out, condition, &a, &b) ? out : NULL;
}

static bool fill_on_device(tocha_context *cx, tocha_tensor *self, tocha_tensor *mask,
                           const side *value) {
  side own = {.tensor = self};
  return where_sides(cx, self, mask, value, &own);
}

tocha_tensor *tocha_op_where(tocha_context *cx, tocha_tensor *condition, tocha_operand self,
                             tocha_operand other) {
  int ndim;
  int64_t sizes[TOCHA_MAX_DIMS];
  if (condition->dtype != TOCHA_BOOL && condition->dtype != TOCHA_UINT8)
    return tocha_fail(
        cx, TOCHA_RUNTIME_ERROR,
        "where expected condition to be a boolean tensor, but got a tensor with dtype "
        "%s",
        tocha_dtype_scalar_type(condition->dtype));
  tocha_operand both[2] = {self, other};
  tocha_dtype type = tocha_result_type(cx, 2, both);
  tocha_device device = condition->device;
  if (self.tensor && (self.tensor->ndim || tocha_is_on_device(self.tensor)))
    device = self.tensor->device;
  if (other.tensor && tocha_is_on_device(other.tensor)) device = other.tensor->device;
  if (device.type == TOCHA_CUDA) return where_on_device(cx, condition, self, other, type, device);
  tocha_tensor *a = as_tensor(cx, self, type, device), *b = as_tensor(cx, other, type, device);
  if (!a || !b) return NULL;
  tocha_tensor *shapes[3] = {condition, a, b};
  if (!tocha_broadcast_sizes(cx, 3, shapes, &ndim, sizes)) return NULL;
  tocha_tensor *out = tocha_new_output(cx, ndim, sizes, type, device, 3, shapes);
  if (!out || out->numel == 0 || device.type == TOCHA_META) return out;
  tocha_iterator it;
  tocha_tensor *all[4] = {out, condition, a, b};
  size_t item = tocha_dtype_size(type);
  tocha_iterator_begin(&it, cx, ndim, sizes, 4, all);
  return tocha_iterator_run(&it, where_run, &item) ? out : NULL;
}

tocha_tensor *tocha_op_where_self(tocha_context *cx, tocha_tensor *self, tocha_tensor *condition,
                                  tocha_operand other) {
  return tocha_where_full(cx, condition, tocha_operand_of(self), other);
}

/* --- masked_fill ---------------------------------------------------------------------------------------- */

typedef struct fill_args {
  size_t item;
  uint64_t element;
} fill_args;

#define FILL(type)                                                                                 \
  {                                                                                                \
    type value;                                                                                    \
    memcpy(&value, &j->element, sizeof value);                                                     \
    for (int64_t i = 0; i < n; i++)                                                                \
      if (*(const uint8_t *)(data[1] + i * strides[1]))                                            \
        *(type *)(void *)(data[0] + i * strides[0]) = value;                                       \
  }

static void masked_fill_run(void *user, char *const *data, const int64_t *strides, int64_t n) {
  const fill_args *j = user;
  switch (j->item) {
  case 1:
    FILL(uint8_t) break;
  case 2:
    FILL(uint16_t) break;
  case 4:
    FILL(uint32_t) break;
  default:
    FILL(uint64_t)
  }
}

/* value: NULL, or the 0-dim tensor of a device that holds the element. */
static tocha_tensor *masked_fill(tocha_context *cx, tocha_tensor *self, tocha_tensor *mask,
                                 uint64_t element, tocha_tensor *value) {
  int ndim;
  int64_t sizes[TOCHA_MAX_DIMS];
  char a[256], b[256];
  if (mask->dtype != TOCHA_BOOL)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "masked_fill_ only supports boolean masks, but got mask with dtype %s",
                      mask->dtype == TOCHA_FLOAT32 ? "float" : tocha_dtype_name(mask->dtype));
  tocha_tensor *both[2] = {self, mask};
  if (!tocha_broadcast_sizes(cx, 2, both, &ndim, sizes)) return NULL;
  if (ndim != self->ndim || memcmp(sizes, self->sizes, (size_t)ndim * sizeof *sizes) != 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "output with shape %s doesn't match the broadcast shape %s",
                      tocha_shape_text(self->ndim, self->sizes, a, sizeof a),
                      tocha_shape_text(ndim, sizes, b, sizeof b));
  if (self->numel == 0 || self->device.type == TOCHA_META) return self;
  if (tocha_is_on_device(self)) {
    side filling;
    element_side(&filling, self->dtype, element);
    if (value) filling.tensor = value;
    return fill_on_device(cx, self, mask, &filling) ? self : NULL;
  }
  tocha_iterator it;
  fill_args args = {tocha_dtype_size((tocha_dtype)self->dtype), element};
  tocha_iterator_begin(&it, cx, ndim, sizes, 2, both);
  return tocha_iterator_run(&it, masked_fill_run, &args) ? self : NULL;
}

tocha_tensor *tocha_op_masked_fill_(tocha_context *cx, tocha_tensor *self, tocha_tensor *mask,
                                    tocha_scalar value) {
  uint64_t element = 0;
  if (!tocha_check_fits(cx, value, (tocha_dtype)self->dtype)) return NULL;
  tocha_store_scalar(&element, (tocha_dtype)self->dtype, value);
  return masked_fill(cx, self, mask, element, NULL);
}

tocha_tensor *tocha_op_masked_fill__tensor(tocha_context *cx, tocha_tensor *self,
                                           tocha_tensor *mask, tocha_tensor *value) {
  uint64_t element = 0;
  if (value->ndim)
    return tocha_fail(
        cx, TOCHA_RUNTIME_ERROR,
        "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
        "%d dimension(s).",
        value->ndim);
  if (tocha_is_on_device(value) && tocha_is_on_device(self)) {
    value = tocha_as_dtype(cx, value, self->dtype);
    return value ? masked_fill(cx, self, mask, 0, value) : NULL;
  }
  if (value->device.type != TOCHA_META)
    tocha_store_scalar(&element, (tocha_dtype)self->dtype,
                       tocha_load_scalar(tocha_bytes(value), (tocha_dtype)value->dtype));
  return masked_fill(cx, self, mask, element, NULL);
}

/* A copy of self with mask's shape taken in. */
static tocha_tensor *copy_for(tocha_context *cx, tocha_tensor *self, tocha_tensor *mask) {
  int ndim;
  int64_t sizes[TOCHA_MAX_DIMS];
  tocha_tensor *both[2] = {mask, self};
  if (!tocha_broadcast_sizes(cx, 2, both, &ndim, sizes)) return NULL;
  if (ndim != self->ndim || memcmp(sizes, self->sizes, (size_t)ndim * sizeof *sizes) != 0)
    self = tocha_expand(cx, self, ndim, sizes);
  return self ? tocha_clone(cx, self) : NULL;
}

tocha_tensor *tocha_op_masked_fill(tocha_context *cx, tocha_tensor *self, tocha_tensor *mask,
                                   tocha_operand value) {
  tocha_tensor *copy = copy_for(cx, self, mask);
  if (!copy) return NULL;
  return value.tensor ? tocha_masked_fill__tensor(cx, copy, mask, value.tensor)
                      : tocha_masked_fill_(cx, copy, mask, value.scalar);
}

bool tocha_masked_fill_tensor_rule(tocha_backward_frame *f) {
  tocha_context *cx = f->cx;
  tocha_tensor *grad = f->grads[0], *mask = f->args[1].tensor;
  if (!grad) return true;
  if (tocha_wants_grad(f, 0))
    f->out[0] = tocha_masked_fill_full(cx, grad, mask, tocha_number(tocha_int(0)));
  if (tocha_wants_grad(f, 1))
    f->out[1] = tocha_where_full(cx, mask, tocha_operand_of(grad), tocha_number(tocha_int(0)));
  return !tocha_failed(cx);
}

/* --- masked_select, nonzero ----------------------------------------------------------------------------- */

/* self and mask seen in their common shape. */
static bool broadcast_pair(tocha_context *cx, tocha_tensor **self, tocha_tensor **mask) {
  int ndim;
  int64_t sizes[TOCHA_MAX_DIMS];
  tocha_tensor *both[2] = {*mask, *self};
  if (!tocha_broadcast_sizes(cx, 2, both, &ndim, sizes)) return false;
  *self = tocha_op_expand(cx, *self, ndim, sizes, false);
  *mask = tocha_op_expand(cx, *mask, ndim, sizes, false);
  return *self && *mask;
}

tocha_tensor *tocha_op_masked_select(tocha_context *cx, tocha_tensor *self, tocha_tensor *mask) {
  tocha_index_plan plan;
  if (mask->dtype != TOCHA_BOOL && mask->dtype != TOCHA_UINT8)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "masked_select: expected BoolTensor for mask");
  if (!tocha_check_values(cx, self, "masked_select")) return NULL;
  if (self->ndim == 0 && mask->ndim == 0) {
    self = tocha_op_unsqueeze(cx, self, 0);
    mask = tocha_op_unsqueeze(cx, mask, 0);
  }
  if (!self || !mask || !broadcast_pair(cx, &self, &mask)) return NULL;
  if (tocha_is_on_device(self)) return tocha_masked_on_device(cx, self, mask);
  return tocha_plan_indices(cx, "masked_select", self, 1, &mask, &plan) ? tocha_plan_get(cx, &plan)
                                                                        : NULL;
}

/* The shape is that of self and mask together; the engine sums it to self's. */
bool tocha_masked_select_rule(tocha_backward_frame *f) {
  tocha_context *cx = f->cx;
  tocha_shape s = tocha_edge_shape(f, 0);
  int64_t sizes[TOCHA_MAX_DIMS];
  tocha_tensor *mask = f->args[1].tensor;
  if (!f->grads[0]) return true;
  int ndim = s.ndim > mask->ndim ? s.ndim : mask->ndim;
  if (ndim == 0) ndim = 1;
  for (int i = 0; i < ndim; i++) {
    int own = i - (ndim - s.ndim), other = i - (ndim - mask->ndim);
    sizes[i] = own >= 0 && s.sizes[own] != 1 ? s.sizes[own] : other >= 0 ? mask->sizes[other] : 1;
  }
  mask = tocha_expand(cx, mask, ndim, sizes);
  if (mask) f->out[0] = tocha_index_backward(cx, f->grads[0], ndim, sizes, 1, &mask);
  if (f->out[0] && s.ndim == 0) f->out[0] = tocha_reshape(cx, f->out[0], ndim, sizes);
  return f->out[0] != NULL;
}

tocha_tensor *tocha_op_nonzero(tocha_context *cx, tocha_tensor *self) {
  if (self->ndim == 0) {
    tocha_scalar value = tocha_int(1);
    if (self->device.type != TOCHA_META && !tocha_item(cx, self, &value)) return NULL;
    bool zero = tocha_scalar_real(value) == 0;
    const int64_t sizes[2] = {!zero, 0}, strides[2] = {1, !zero};
    return tocha_new_strided(cx, 2, sizes, strides, TOCHA_INT64, self->device);
  }
  tocha_tensor *t = tocha_coordinates(cx, self);
  return t ? tocha_op_transpose(cx, t, 0, 1) : NULL;
}

bool tocha_op_nonzero_tuple(tocha_context *cx, tocha_tensor *self, bool as_tuple,
                            tocha_results *results) {
  if (!as_tuple) {
    if (!tocha_results_list(cx, results, 1)) return false;
    return (results->tensors[0] = tocha_op_nonzero(cx, self)) != NULL;
  }
  if (self->ndim == 0) self = tocha_op_unsqueeze(cx, self, 0);
  tocha_tensor *t = self ? tocha_coordinates(cx, self) : NULL;
  if (!t || !tocha_results_list(cx, results, self->ndim)) return false;
  int64_t length = t->sizes[1], one = 1;
  for (int d = 0; d < self->ndim; d++) {
    results->tensors[d] = tocha_alias(cx, t, 1, &length, &one, d * length);
    if (!results->tensors[d]) return false;
  }
  return true;
}

bool tocha_op_where_condition(tocha_context *cx, tocha_tensor *condition, tocha_results *results) {
  return tocha_op_nonzero_tuple(cx, condition, true, results);
}
