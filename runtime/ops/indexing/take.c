/* take.c: take and put_: the elements of a tensor seen in one dimension. */
#include "indexing/implementations.h"
#include "ops/indexing/index.h"
#include "tensor/copy.h"
#include "tensor/overlap.h"
#include "tocha/ops/put.h"
#include "tocha/ops/reshape.h"
#include "tocha/ops/take.h"
#include "tocha/ops/view.h"
#include "tocha/ops/zeros.h"

static bool write(tocha_context *cx, const tocha_indexed *x, tocha_tensor *values, bool accumulate,
                  tocha_scalar scale) {
  if (values->storage == x->self->storage && !(values = tocha_copy_rows(cx, values))) return false;
  return accumulate ? tocha_index_add_values(cx, x, values, scale)
                    : tocha_index_put_values(cx, x, values);
}

/* Describes the elements of t (row-major) at index, both seen in one dimension. Fails if a position is out of range. */
static bool index_flat(tocha_context *cx, const char *name, tocha_tensor *t, tocha_tensor *index,
                       tocha_indexed *x) {
  int64_t one = 1, bad;
  if (index->dtype != TOCHA_INT64) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s(): Expected a long tensor for index, but got %s", name,
               tocha_dtype_scalar_type(index->dtype));
    return false;
  }
  tocha_tensor *flat = tocha_alias(cx, t, 1, &t->numel, &one, t->offset);
  tocha_tensor *dense = tocha_as_rows(cx, index, TOCHA_NO_DTYPE);
  tocha_tensor *at = dense ? tocha_alias(cx, dense, 1, &dense->numel, &one, dense->offset) : NULL;
  if (!flat || !at) return false;
  if (tocha_index_dimension(cx, "take", flat, 0, at, true, x, &bad)) return true;
  if (tocha_failed(cx)) return false;
  if (t->numel == 0)
    tocha_fail(cx, TOCHA_INDEX_ERROR, "%s(): %s an empty tensor", name,
               *name == 't' ? "tried to take from" : "Tried to put elements into");
  else
    tocha_fail(cx, TOCHA_INDEX_ERROR,
               "out of range: tried to access index %lld on a tensor of %lld elements.",
               (long long)bad, (long long)t->numel);
  return false;
}

tocha_tensor *tocha_op_take(tocha_context *cx, tocha_tensor *self, tocha_tensor *index) {
  tocha_indexed x;
  tocha_tensor *rows = tocha_as_rows(cx, self, TOCHA_NO_DTYPE);
  if (!rows || !index_flat(cx, "take", rows, index, &x)) return NULL;
  tocha_tensor *out = tocha_index_get(cx, &x);
  return out ? tocha_view(cx, out, index->ndim, index->sizes) : NULL;
}

tocha_tensor *tocha_op_take_backward(tocha_context *cx, tocha_tensor *grad_output, int sizes_count,
                                     const int64_t *sizes, tocha_tensor *index) {
  tocha_indexed x;
  int64_t one = 1;
  tocha_tensor *t = tocha_new(cx, sizes_count, sizes, grad_output->dtype, grad_output->device);
  if (!t || !tocha_fill_data(cx, t, tocha_int(0)) || !index_flat(cx, "take", t, index, &x))
    return NULL;
  tocha_tensor *rows = tocha_as_rows(cx, grad_output, TOCHA_NO_DTYPE);
  rows = rows ? tocha_alias(cx, rows, 1, &rows->numel, &one, rows->offset) : NULL;
  return rows && write(cx, &x, rows, true, tocha_int(1)) ? t : NULL;
}

tocha_tensor *tocha_op_put_(tocha_context *cx, tocha_tensor *self, tocha_tensor *index,
                            tocha_tensor *source, bool accumulate) {
  tocha_indexed x;
  int64_t one = 1;
  if (index->dtype == TOCHA_INT64 && self->dtype != source->dtype)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "put_(): self and source expected to have the same dtype, but got self.dtype "
                      "= %s and source.dtype = %s",
                      tocha_dtype_scalar_type((tocha_dtype)self->dtype),
                      tocha_dtype_scalar_type((tocha_dtype)source->dtype));
  if (index->dtype == TOCHA_INT64 && index->numel != source->numel)
    return tocha_fail(cx, TOCHA_INDEX_ERROR,
                      "put_(): Expected source and index to have the same number of elements, but "
                      "got source.numel() = %lld, index.numel() = %lld",
                      (long long)source->numel, (long long)index->numel);
  if (!tocha_check_no_overlap(cx, self) || !tocha_check_apart(cx, self, index) ||
      !tocha_check_apart(cx, self, source))
    return NULL;
  tocha_tensor *rows = tocha_as_rows(cx, self, TOCHA_NO_DTYPE);
  tocha_tensor *values = tocha_as_rows(cx, source, TOCHA_NO_DTYPE);
  values = values ? tocha_alias(cx, values, 1, &values->numel, &one, values->offset) : NULL;
  if (!rows || !values || !index_flat(cx, "put_", rows, index, &x)) return NULL;
  if (index->numel == 0 || !tocha_has_elements(self)) return self;
  if (!write(cx, &x, values, accumulate, tocha_int(1))) return NULL;
  return rows->storage == self->storage || tocha_copy_data(cx, self, rows) ? self : NULL;
}

bool tocha_put_rule(tocha_backward_frame *f) {
  tocha_context *cx = f->cx;
  tocha_tensor *grad = f->grads[0], *index = f->args[1].tensor;
  if (!grad) return true;
  if (tocha_wants_grad(f, 0))
    f->out[0] =
        f->args[3].value.flag
            ? grad
            : tocha_put_full(cx, grad, index,
                             tocha_zeros_full(cx, index->ndim, index->sizes,
                                              (tocha_dtype)grad->dtype, grad->device, false),
                             false);
  if (tocha_wants_grad(f, 1)) {
    tocha_shape shape = tocha_edge_shape(f, 1);
    f->out[1] = tocha_reshape(cx, tocha_take(cx, grad, index), shape.ndim, shape.sizes);
  }
  return !tocha_failed(cx);
}
