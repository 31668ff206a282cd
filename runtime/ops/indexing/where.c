/* where.c: where, masked_fill_ and masked_scatter_: values by a condition. */
#include <string.h>

#include "device/devices.h"
#include "dispatch/float8.h"
#include "indexing/implementations.h"
#include "ops/indexing/index.h"
#include "tensor/copy.h"
#include "tensor/iterator.h"
#include "tensor/output.h"
#include "tensor/strided.h"
#include "tocha/ops/cat.h"
#include "tocha/ops/clone.h"
#include "tocha/ops/expand.h"
#include "tocha/ops/masked_fill.h"
#include "tocha/ops/masked_fill_.h"
#include "tocha/ops/masked_scatter_.h"
#include "tocha/ops/masked_select.h"
#include "tocha/ops/new_zeros.h"
#include "tocha/ops/reshape.h"
#include "tocha/ops/where.h"

/* An operand that a condition selects from: a tensor of out's dtype, or (NULL) one element. */
typedef struct side {
  tocha_tensor *tensor;
  uint64_t element;
} side;

static bool launch_where(tocha_stream *stream, const tocha_strided_layout *layout, void *user) {
  tocha_where_args *args = user;
  args->layout = layout;
  return stream->kernels->indexing->where(stream, args);
}

static bool select_into(tocha_context *cx, tocha_tensor *out, tocha_tensor *condition,
                        const side *a, const side *b) {
  if (!tocha_has_elements(out)) return true;
  tocha_where_args args = {.elements = {a->element, b->element},
                           .item = (int32_t)tocha_dtype_size(out->dtype)};
  tocha_tensor *all[4] = {out, condition, a->tensor, b->tensor};
  return tocha_launch_strided(cx, out->ndim, out->sizes, 4, all, launch_where, &args);
}

/* --- where ----------------------------------------------------------------------------------- */

/* Prepares operand o for the device. Numbers, and 0-dim tensors on another device, become elements. */
static bool prepare_side(tocha_context *cx, side *s, tocha_operand o, tocha_dtype dtype,
                         tocha_device device) {
  s->tensor = NULL;
  s->element = 0;
  if (o.tensor && tocha_device_equal(o.tensor->device, device))
    return (s->tensor = tocha_as_dtype(cx, o.tensor, dtype)) != NULL;
  if (o.tensor && !tocha_item(cx, o.tensor, &o.scalar)) return false;
  const tocha_tensor one = {.dtype = (uint8_t)dtype,
                            .numel = 1}; /* for the check that the number fits */
  if (!o.tensor && !tocha_check_fill(cx, &one, o.scalar)) return false;
  tocha_store_scalar(&s->element, dtype, o.scalar);
  return true;
}

/* Returns the device of the result: that of the tensors with dimensions, or the GPU if one of the tensors is there. */
static tocha_device device_of(const tocha_tensor *condition, tocha_operand self,
                              tocha_operand other) {
  tocha_device device = condition->device;
  if (self.tensor && (self.tensor->ndim || tocha_is_on_device(self.tensor)))
    device = self.tensor->device;
  if (other.tensor && tocha_is_on_device(other.tensor)) device = other.tensor->device;
  return device;
}

tocha_tensor *tocha_op_where(tocha_context *cx, tocha_tensor *condition, tocha_operand self,
                             tocha_operand other) {
  int ndim;
  int64_t sizes[TOCHA_MAX_DIMS];
  side a, b;
  if (condition->dtype != TOCHA_BOOL && condition->dtype != TOCHA_UINT8)
    return tocha_fail(
        cx, TOCHA_RUNTIME_ERROR,
        "where expected condition to be a boolean tensor, but got a tensor with dtype "
        "%s",
        tocha_dtype_scalar_type(condition->dtype));
  tocha_operand both[2] = {self, other};
  tocha_dtype type = tocha_result_type(cx, 2, both);
  if (type == TOCHA_NO_DTYPE) return tocha_refuse_float8_operands(cx, 2, both);
  tocha_device device = device_of(condition, self, other);
  if (!prepare_side(cx, &a, self, type, device) || !prepare_side(cx, &b, other, type, device) ||
      !(condition = tocha_as_device(cx, condition, device)))
    return NULL;
  tocha_tensor *shapes[3] = {condition, a.tensor, b.tensor};
  if (!tocha_broadcast_sizes(cx, 3, shapes, &ndim, sizes)) return NULL;
  tocha_tensor *out = tocha_new_output(cx, ndim, sizes, type, device, 3, shapes);
  return out && select_into(cx, out, condition, &a, &b) ? out : NULL;
}

/* --- masked_fill ----------------------------------------------------------------------------- */

static tocha_tensor *masked_fill(tocha_context *cx, tocha_tensor *self, tocha_tensor *mask,
                                 const side *value) {
  int ndim;
  int64_t sizes[TOCHA_MAX_DIMS];
  char a[256], b[256];
  if (mask->dtype != TOCHA_BOOL)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "masked_fill_ only supports boolean masks, but got mask with dtype %s",
                      tocha_dtype_cpp_name(mask->dtype));
  tocha_tensor *both[2] = {self, mask};
  if (!tocha_broadcast_sizes(cx, 2, both, &ndim, sizes)) return NULL;
  if (ndim != self->ndim || memcmp(sizes, self->sizes, (size_t)ndim * sizeof *sizes) != 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "output with shape %s doesn't match the broadcast shape %s",
                      tocha_shape_text(self->ndim, self->sizes, a, sizeof a),
                      tocha_shape_text(ndim, sizes, b, sizeof b));
  side own = {.tensor = self};
  return select_into(cx, self, mask, value, &own) ? self : NULL;
}

tocha_tensor *tocha_op_masked_fill_(tocha_context *cx, tocha_tensor *self, tocha_tensor *mask,
                                    tocha_scalar value) {
  side s = {NULL, 0};
  if (!tocha_check_fits(cx, value, self->dtype)) return NULL;
  tocha_store_scalar(&s.element, self->dtype, value);
  return masked_fill(cx, self, mask, &s);
}

tocha_tensor *tocha_op_masked_fill__tensor(tocha_context *cx, tocha_tensor *self,
                                           tocha_tensor *mask, tocha_tensor *value) {
  side s;
  if (value->ndim)
    return tocha_fail(
        cx, TOCHA_RUNTIME_ERROR,
        "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
        "%d dimension(s).",
        value->ndim);
  if (value->device.type == TOCHA_CPU) { /* read as a number */
    tocha_scalar number;
    return tocha_item(cx, value, &number) ? tocha_op_masked_fill_(cx, self, mask, number) : NULL;
  }
  if (!prepare_side(cx, &s, tocha_operand_of(value), self->dtype, self->device)) return NULL;
  return masked_fill(cx, self, mask, &s);
}

/* Returns a copy of self, expanded to the common shape of self and mask. */
static tocha_tensor *copy_for(tocha_context *cx, tocha_tensor *self, tocha_tensor *mask) {
  int ndim;
  int64_t sizes[TOCHA_MAX_DIMS];
  tocha_tensor *both[2] = {mask, self};
  if (!tocha_broadcast_sizes(cx, 2, both, &ndim, sizes)) return NULL;
  if (ndim != self->ndim || memcmp(sizes, self->sizes, (size_t)ndim * sizeof *sizes) != 0)
    self = tocha_expand(cx, self, ndim, sizes);
  return self ? tocha_clone_full(cx, self, "torch.contiguous_format") : NULL;
}

/* Resets the version of a copy that was written to, because the copy is a new tensor. */
static tocha_tensor *as_new(tocha_tensor *copy) {
  if (copy) copy->storage->version = 0;
  return copy;
}

tocha_tensor *tocha_op_masked_fill(tocha_context *cx, tocha_tensor *self, tocha_tensor *mask,
                                   tocha_operand value) {
  tocha_tensor *copy = copy_for(cx, self, mask);
  if (!copy) return NULL;
  return as_new(value.tensor ? tocha_masked_fill_tensor_(cx, copy, mask, value.tensor)
                             : tocha_masked_fill_(cx, copy, mask, value.scalar));
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

/* --- masked_scatter -------------------------------------------------------------------------- */

tocha_tensor *tocha_op_masked_scatter_(tocha_context *cx, tocha_tensor *self, tocha_tensor *mask,
                                       tocha_tensor *source) {
  int64_t count = 1, one = 1;
  tocha_indexed x;
  if (self->dtype != source->dtype)
    return tocha_fail(
        cx, TOCHA_RUNTIME_ERROR,
        "masked_scatter: expected self and source to have same dtypes but got%s and %s",
        tocha_dtype_scalar_type(self->dtype), tocha_dtype_scalar_type(source->dtype));
  if (!(mask = tocha_expand(cx, mask, self->ndim, self->sizes))) return NULL;
  if (mask->dtype != TOCHA_BOOL)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "masked_scatter_ only supports boolean masks, but got mask with dtype %s",
                      tocha_dtype_scalar_type(mask->dtype));
  if (!tocha_has_elements(self)) return self;
  tocha_tensor *to = self->ndim ? self : tocha_alias(cx, self, 1, &one, &one, self->offset);
  if (!mask->ndim) mask = tocha_alias(cx, mask, 1, &one, &one, mask->offset);
  if (!to || !mask || !tocha_index_tensors(cx, "masked_scatter_", to, 1, &mask, &x)) return NULL;
  for (int d = 0; d < x.ndim; d++) count *= x.sizes[d];
  if (source->numel < count)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Number of elements of source < number of ones in mask");
  tocha_tensor *rows = tocha_as_rows(cx, source, TOCHA_NO_DTYPE);
  tocha_tensor *values = rows ? tocha_alias(cx, rows, 1, &count, &one, rows->offset) : NULL;
  if (!values || count == 0) return values ? self : NULL;
  return tocha_index_put_values(cx, &x, values) ? self : NULL;
}

tocha_tensor *tocha_op_masked_scatter(tocha_context *cx, tocha_tensor *self, tocha_tensor *mask,
                                      tocha_tensor *source) {
  return as_new(tocha_masked_scatter_(cx, copy_for(cx, self, mask), mask, source));
}

/* Returns the gradient of masked_scatter's source: the elements that the mask selects, and zeros for the rest. */
tocha_tensor *tocha_op__masked_scatter_backward(tocha_context *cx, tocha_tensor *grad_output,
                                                tocha_tensor *mask, int sizes_count,
                                                const int64_t *sizes) {
  int64_t numel = 1;
  for (int d = 0; d < sizes_count; d++) numel *= sizes[d];
  tocha_tensor *both[2] = {tocha_masked_select(cx, grad_output, mask), NULL};
  if (!both[0]) return NULL;
  int64_t rest = numel - both[0]->numel;
  if (rest > 0 && grad_output->device.type != TOCHA_META) {
    if (!(both[1] = tocha_new_zeros(cx, grad_output, 1, &rest))) return NULL;
    both[0] = tocha_cat(cx, 2, both, 0);
  }
  return tocha_reshape(cx, both[0], sizes_count, sizes);
}
