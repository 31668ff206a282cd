/* index_reduce.c: scatter_reduce and index_reduce: sums, products, means and extremes of elements by an index. */
#include <string.h>

#include "device/devices.h"
#include "indexing/implementations.h"
#include "ops/indexing/index.h"
#include "ops/indexing/kernels.h"
#include "ops/sorting/sort.h"
#include "tensor/copy.h"
#include "tensor/transfer.h"
#include "tensor/overlap.h"
#include "tocha/ops/private/without_derivative.h"
#include "tocha/ops/any.h"
#include "tocha/ops/bitwise_and.h"
#include "tocha/ops/div.h"
#include "tocha/ops/eq.h"
#include "tocha/ops/expand.h"
#include "tocha/ops/gather.h"
#include "tocha/ops/gt.h"
#include "tocha/ops/index_reduce.h"
#include "tocha/ops/masked_fill.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/ones_like.h"
#include "tocha/ops/scatter.h"
#include "tocha/ops/scatter_add.h"
#include "tocha/ops/scatter_reduce.h"
#include "tocha/ops/view.h"
#include "tocha/ops/where.h"
#include "tocha/ops/zeros_like.h"

typedef enum reduction {
  SUM = TOCHA_JOIN_SUM,
  PROD = TOCHA_JOIN_PROD,
  MEAN = TOCHA_JOIN_MEAN,
  AMAX = TOCHA_JOIN_AMAX,
  AMIN = TOCHA_JOIN_AMIN,
  NONE
} reduction;

static reduction named(const char *name) {
  static const char *const names[] = {"sum", "prod", "mean", "amax", "amin"};
  for (int i = 0; i < TOCHA_COUNT(names); i++)
    if (strcmp(name, names[i]) == 0) return (reduction)i;
  return NONE;
}

/* Returns t, with shape (1) if it is 0-dimensional. */
static tocha_tensor *as_vector(tocha_context *cx, tocha_tensor *t) {
  int64_t one = 1;
  return t->ndim ? t : tocha_alias(cx, t, 1, &one, &one, t->offset);
}

/* Returns the part of t that index covers: `along` elements of dimension dim, and of the others as many as index has. */
static tocha_tensor *covered(tocha_context *cx, tocha_tensor *t, const tocha_tensor *index,
                             int64_t dim, int64_t along) {
  int64_t sizes[TOCHA_MAX_DIMS];
  for (int d = 0; d < t->ndim; d++) sizes[d] = d == dim ? along : index->sizes[d];
  return tocha_alias(cx, t, t->ndim, sizes, t->strides, t->offset);
}

/* Sorts *index (dense) along dim. *order is set to the position that each entry had before. */
static bool sort_along(tocha_context *cx, int64_t dim, tocha_tensor **index, tocha_tensor **order) {
  tocha_tensor *in = *index;
  tocha_rows rows = tocha_rows_around(in, dim);
  tocha_sort_args args = {.outer = rows.outer, .n = rows.n, .inner = rows.inner, .kept = rows.n};
  *index = tocha_new(cx, in->ndim, in->sizes, TOCHA_INT64, in->device);
  *order = tocha_new(cx, in->ndim, in->sizes, TOCHA_INT64, in->device);
  return *index && *order && tocha_sort_rows(cx, in, &args, *index, *order);
}

/* Returns the dtype in which values of self's dtype are joined. A GPU's kernel only has the widest dtypes. */
static tocha_dtype join_type(const tocha_tensor *self) {
  if (!tocha_dtype_is_floating((tocha_dtype)self->dtype)) return TOCHA_INT64;
  return tocha_is_on_device(self) || self->dtype == TOCHA_FLOAT64 ? TOCHA_FLOAT64 : TOCHA_FLOAT32;
}

/* Joins src into out (dense) at index. All have the same sizes except along dim. by_row: index is a vector. */
static bool join(tocha_context *cx, tocha_join_args *args, tocha_tensor *out, int64_t dim,
                 tocha_tensor *index, tocha_tensor *src) {
  tocha_tensor *order = NULL, *counts = NULL;
  tocha_stream *s = tocha_stream_of(cx, out->device);
  if (!s) return false;
  const tocha_indexing_kernels *kernels = s->kernels->indexing;
  tocha_rows rows = tocha_rows_around(out, dim);
  if (kernels->joins_sorted) {
    if (!sort_along(cx, dim, &index, &order)) return false;
    args->order = (const int64_t *)(const void *)tocha_bytes(order);
  } else if (args->how == MEAN) {
    counts = tocha_new(cx, 1, args->by_row ? &rows.n : &out->numel, TOCHA_INT64, out->device);
    if (!counts || !tocha_fill_data(cx, counts, tocha_int(0))) return false;
    args->counts = (int64_t *)(void *)tocha_bytes(counts);
  }
  args->out = tocha_bytes(out);
  args->src = tocha_bytes(src);
  args->index = (const int64_t *)(const void *)tocha_bytes(index);
  args->outer = rows.outer;
  args->n = rows.n;
  args->m = src->sizes[dim];
  args->inner = rows.inner;
  return tocha_launched(cx, kernels->join(s, args));
}

/* Returns self with src joined in. index (checked) along dim is as large as the part of src that counts, or a vector for all
 * rows (by_row). Each step is rounded to the dtype `steps`. */
static tocha_tensor *reduce_at(tocha_context *cx, reduction how, tocha_tensor *self, int64_t dim,
                               tocha_tensor *index, bool by_row, tocha_tensor *src,
                               bool include_self, tocha_dtype steps) {
  tocha_dtype own = (tocha_dtype)self->dtype;
  if (!tocha_has_elements(self) || index->numel == 0)
    return tocha_copy_as(cx, self, own, tocha_its_device(), TOCHA_CONTIGUOUS_FORMAT);
  tocha_dtype type = join_type(self);
  tocha_tensor *out = tocha_copy_as(cx, self, type, tocha_its_device(), TOCHA_CONTIGUOUS_FORMAT);
  if (!out) return NULL;
  tocha_tensor *to = as_vector(cx, out), *at = as_vector(cx, index), *from = as_vector(cx, src);
  at = at ? tocha_as_rows(cx, at, TOCHA_INT64) : NULL;
  if (!to || !at || !from) return NULL;
  const tocha_tensor *like = by_row ? from : at;
  tocha_tensor *part = covered(cx, to, like, dim, to->sizes[dim]);
  from = covered(cx, from, like, dim, like->sizes[dim]);
  tocha_tensor *rows = part ? tocha_as_rows(cx, part, type) : NULL;
  from = from ? tocha_as_rows(cx, from, type) : NULL;
  tocha_join_args args = {.how = how,
                          .dtype = own,
                          .steps = steps,
                          .compute = type,
                          .by_row = by_row,
                          .fresh = !include_self};
  if (!rows || !from || !join(cx, &args, rows, dim, at, from)) return NULL;
  if (rows != part && !tocha_copy_data(cx, part, rows)) return NULL;
  return tocha_as_dtype(cx, out, own);
}

/* --- the operators ---------------------------------------------------------------------------------- */

tocha_tensor *tocha_op_scatter_reduce_two(tocha_context *cx, tocha_tensor *self, int64_t dim,
                                          tocha_tensor *index, tocha_tensor *src,
                                          const char *reduce, bool include_self) {
  reduction how = named(reduce);
  if (!tocha_wrap_dim(cx, &dim, self->ndim)) return NULL;
  if (!tocha_check_scatter(cx, self, dim, index, src)) return NULL;
  if (how == NONE)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "reduce argument must be either sum, prod, mean, amax or amin, got %s",
                      reduce);
  index = tocha_own_rows(cx, index, TOCHA_NO_DTYPE);
  if (!index || !tocha_check_scatter_index(cx, self, dim, index, src)) return NULL;
  if (how == MEAN && self->dtype == TOCHA_BOOL)
    return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR,
                      "\"scatter_gather_tensor_cpu_reduce_mean\" not implemented for 'Bool'");
  bool narrow = tocha_dtype_is_floating((tocha_dtype)self->dtype) && self->dtype != TOCHA_FLOAT64;
  return reduce_at(cx, how, self, dim, index, false, src, include_self,
                   narrow ? TOCHA_FLOAT32 : (tocha_dtype)self->dtype);
}

/* Computes scatter_reduce_. self may share no memory with the operands, which is checked before any value. */
tocha_tensor *tocha_op_scatter_reduce_inplace(tocha_context *cx, tocha_tensor *self, int64_t dim,
                                              tocha_tensor *index, tocha_tensor *src,
                                              const char *reduce, bool include_self) {
  if (!tocha_wrap_dim(cx, &dim, self->ndim) || !tocha_check_scatter(cx, self, dim, index, src) ||
      !tocha_check_no_overlap(cx, self) || !tocha_check_apart(cx, self, index) ||
      !tocha_check_apart(cx, self, src))
    return NULL;
  return tocha_op_scatter_reduce_two(cx, self, dim, index, src, reduce, include_self);
}

static bool check_index(tocha_context *cx, const tocha_tensor *self, int64_t dim,
                        const tocha_tensor *index, const tocha_tensor *source) {
  char a[256], b[256];
  int64_t count = source->ndim ? source->sizes[dim < source->ndim ? dim : 0] : 1;
  if (index->dtype != TOCHA_INT64 && index->dtype != TOCHA_INT32)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "index_reduce_(): Expected dtype int32/int64 for index but got: %s",
                      tocha_dtype_scalar_type((tocha_dtype)index->dtype));
  if (self->dtype != source->dtype)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "index_reduce_(): self (%s) and source (%s) must have the same scalar type",
                      tocha_dtype_scalar_type((tocha_dtype)self->dtype),
                      tocha_dtype_scalar_type((tocha_dtype)source->dtype));
  if (index->ndim > 1)
    return tocha_fail(cx, TOCHA_INDEX_ERROR,
                      "index_reduce_(): Index is supposed to be a vector, but got dim: %d with "
                      "type: %s and size: %s",
                      index->ndim, tocha_dtype_scalar_type((tocha_dtype)index->dtype),
                      tocha_shape_text(index->ndim, index->sizes, a, sizeof a));
  if (index->numel != count)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "index_reduce_(): Number of indices (%lld) should be equal to "
                      "source.size(dim): (%lld), for dim: %lld",
                      (long long)index->numel, (long long)count, (long long)dim);
  bool same = self->ndim == source->ndim || self->ndim == 0 || source->ndim == 0;
  for (int d = 0; same && d < self->ndim && d < source->ndim; d++)
    same = d == dim || self->sizes[d] == source->sizes[d];
  if (same && (self->ndim == source->ndim || self->ndim + source->ndim == 1)) return true;
  return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                    "source tensor shape must match self tensor shape, excluding the specified "
                    "dimension. Got self.shape = %s source.shape = %s",
                    tocha_shape_text(self->ndim, self->sizes, a, sizeof a),
                    tocha_shape_text(source->ndim, source->sizes, b, sizeof b));
}

/* Returns index (a vector) expanded to the sizes of like, along dimension dim. */
static tocha_tensor *spread(tocha_context *cx, tocha_tensor *index, int64_t dim,
                            const tocha_tensor *like) {
  int64_t sizes[TOCHA_MAX_DIMS];
  for (int d = 0; d < like->ndim; d++) sizes[d] = d == dim ? index->numel : 1;
  tocha_tensor *wide = tocha_as_rows(cx, index, TOCHA_NO_DTYPE);
  wide = wide ? tocha_view(cx, wide, like->ndim, sizes) : NULL;
  return wide ? tocha_expand(cx, wide, like->ndim, like->sizes) : NULL;
}

/* Fails if PyTorch has no bool kernel for a step of the reduction. */
static bool takes_bool(tocha_context *cx, reduction how, const tocha_tensor *self,
                       bool include_self) {
  const char *kernel = !include_self                    ? "index_reduce_func_exclude_input_init"
                       : self->ndim < 2                 ? "index_func_"
                       : how == MEAN && self->numel > 0 ? "div_floor_cpu"
                                                        : NULL;
  return !kernel ||
         tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"%s\" not implemented for 'Bool'", kernel);
}

tocha_tensor *tocha_op_index_reduce(tocha_context *cx, tocha_tensor *self, int64_t dim,
                                    tocha_tensor *index, tocha_tensor *source, const char *reduce,
                                    bool include_self) {
  reduction how = named(reduce);
  if (how == NONE || how == SUM)
    return tocha_fail(
        cx, TOCHA_RUNTIME_ERROR,
        "index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got %s.",
        reduce);
  if (!tocha_wrap_dim(cx, &dim, self->ndim) || !check_index(cx, self, dim, index, source))
    return NULL;
  if (self->dtype == TOCHA_BOOL && !takes_bool(cx, how, self, include_self)) return NULL;
  tocha_tensor *to = as_vector(cx, self), *from = as_vector(cx, source);
  tocha_tensor *at = to && from ? tocha_own_rows(cx, index, TOCHA_INT64) : NULL;
  if (!at) return NULL;
  int64_t minimum = 0, maximum = -1;
  if (from->numel && !tocha_integer_range(cx, at, &minimum, &maximum)) return NULL;
  if (minimum < 0 || maximum >= to->sizes[dim])
    return tocha_fail(cx, TOCHA_INDEX_ERROR, "index out of range in self");
  bool by_row = !tocha_is_on_device(self); /* a GPU sorts an index for each element */
  if (!by_row && !(at = spread(cx, at, dim, from))) return NULL;
  tocha_tensor *out =
      reduce_at(cx, how, to, dim, at, by_row, from, include_self, (tocha_dtype)self->dtype);
  return out ? tocha_view(cx, out, self->ndim, self->sizes) : NULL;
}

/* --- gradients -------------------------------------------------------------------------------------- */

/* One call of scatter_reduce, or of index_reduce with its index expanded to the sizes of source, for the gradient rules. */
typedef struct use {
  tocha_context *cx;
  tocha_tensor *self, *index, *source, *result, *grad, *grad_self, *grad_source;
  int64_t dim;
  const char *reduce;
  bool include_self, by_index;
  tocha_tensor *vector; /* index_reduce's index */
} use;

static tocha_tensor *at_index(const use *u, tocha_tensor *t) {
  return t ? tocha_gather(u->cx, t, u->dim, u->index) : NULL;
}

static tocha_tensor *added(const use *u, tocha_tensor *to, tocha_tensor *values) {
  return to && values ? tocha_scatter_add(u->cx, to, u->dim, u->index, values) : NULL;
}

static tocha_tensor *is_number(tocha_context *cx, tocha_tensor *t, int64_t value) {
  return tocha_eq_full(cx, t, tocha_number(tocha_int(value)));
}

static tocha_tensor *filled_where(tocha_context *cx, tocha_tensor *t, tocha_tensor *mask) {
  return tocha_masked_fill_full(cx, t, mask, tocha_number(tocha_int(1)));
}

static tocha_tensor *reduced_again(const use *u, tocha_tensor *self, tocha_tensor *source) {
  if (!self || !source) return NULL;
  if (u->by_index)
    return tocha_index_reduce_full(u->cx, self, u->dim, u->vector, source, u->reduce,
                                   u->include_self);
  return tocha_scatter_reduce_two_full(u->cx, self, u->dim, u->index, source, u->reduce,
                                       u->include_self);
}

tocha_tensor *tocha_op__without_derivative(tocha_context *cx, tocha_tensor *self,
                                           const char *reason) {
  (void)reason;
  return tocha_alias(cx, self, self->ndim, self->sizes, self->strides, self->offset);
}

bool tocha_without_derivative_rule(tocha_backward_frame *f) {
  return tocha_fail(f->cx, TOCHA_RUNTIME_ERROR, "%s", f->args[1].value.string);
}

/* Makes the second derivative of the gradient by source fail if two zeros are sent to the same element, which the steps of
 * product_rule would hide. */
static void refuse_second_derivative(use *u, tocha_tensor *zeros) {
  static const char *const reasons[2] = {
      "scatter_reduce(): Double backward is unsupported for src when >1 zeros in src are scattered "
      "to the same position in self",
      "index_reduce(): Double backward is unsupported for source when >1 zeros in source are "
      "scattered to the same position in self"};
  tocha_context *cx = u->cx;
  uint8_t meet = 0;
  if (!tocha_grad_enabled(cx) || !u->grad_source) return;
  tocha_tensor *several = tocha_gt_full(cx, zeros, tocha_number(tocha_int(1)));
  several = several ? tocha_any(cx, several, 0, NULL, false) : NULL;
  if (several && tocha_read_element(cx, several, &meet) && meet)
    u->grad_source = tocha_private_without_derivative(cx, u->grad_source, reasons[u->by_index]);
}

/* Computes the gradients of products. If exactly one factor is zero, only that factor has a gradient, the product of the
 * others. */
static void product_rule(use *u) {
  tocha_context *cx = u->cx;
  tocha_tensor *masked = filled_where(cx, u->self, is_number(cx, u->self, 0));
  tocha_tensor *others = reduced_again(u, masked, u->source);
  u->grad_self = tocha_div(cx, tocha_mul(cx, u->grad, others), masked);
  tocha_tensor *zero = is_number(cx, u->source, 0);
  tocha_tensor *zeros = at_index(u, added(u, tocha_zeros_like(cx, u->self),
                                          zero ? tocha_as_dtype(cx, zero, u->self->dtype) : NULL));
  tocha_tensor *single = zeros ? is_number(cx, zeros, 1) : NULL;
  single = single ? tocha_bitwise_and_full(cx, zero, tocha_operand_of(single)) : NULL;
  if (!single) return;
  tocha_tensor *without = reduced_again(u, u->self, filled_where(cx, u->source, single));
  tocha_tensor *alone = at_index(u, tocha_mul(cx, u->grad, without));
  tocha_tensor *usual = tocha_div(cx, at_index(u, tocha_mul(cx, u->grad, u->result)),
                                  filled_where(cx, u->source, zero));
  if (alone && usual)
    u->grad_source = tocha_where_full(cx, single, tocha_operand_of(alone), tocha_operand_of(usual));
  refuse_second_derivative(u, zeros);
}

static void mean_rule(use *u) {
  tocha_context *cx = u->cx;
  tocha_tensor *n = u->include_self ? tocha_ones_like(cx, u->grad) : tocha_zeros_like(cx, u->grad);
  n = added(u, n, tocha_ones_like(cx, u->source));
  n = n ? filled_where(cx, n, is_number(cx, n, 0)) : NULL;
  u->grad_self = tocha_div(cx, u->grad, n);
  u->grad_source = tocha_div(cx, at_index(u, u->grad), at_index(u, n));
}

/* Computes the gradients of extremes. Equal extremes share the gradient. */
static void extreme_rule(use *u) {
  tocha_context *cx = u->cx;
  tocha_tensor *value = at_index(u, u->result);
  if (!value) return;
  tocha_tensor *own = tocha_eq_full(cx, u->self, tocha_operand_of(u->result));
  tocha_tensor *theirs = tocha_eq_full(cx, u->source, tocha_operand_of(value));
  own = own ? tocha_as_dtype(cx, own, u->self->dtype) : NULL;
  theirs = theirs ? tocha_as_dtype(cx, theirs, u->self->dtype) : NULL;
  tocha_tensor *share = tocha_div(cx, u->grad, added(u, own, theirs));
  u->grad_self = tocha_mul(cx, own, share);
  u->grad_source = tocha_mul(cx, theirs, at_index(u, share));
}

static bool apply_rule(tocha_backward_frame *f, bool by_index) {
  tocha_context *cx = f->cx;
  use u = {.cx = cx,
           .self = f->args[0].tensor,
           .dim = f->args[1].value.integer,
           .index = f->args[2].tensor,
           .vector = f->args[2].tensor,
           .source = f->args[3].tensor,
           .reduce = f->args[4].value.string,
           .include_self = f->args[5].value.flag,
           .result = f->results[0],
           .grad = f->grads[0],
           .by_index = by_index};
  if (!u.grad) return true;
  int64_t dim = u.dim;
  if (!tocha_wrap_dim(cx, &dim, u.self->ndim)) return false;
  if (by_index && u.source->ndim) u.index = spread(cx, u.index, dim, u.source);
  if (by_index && !u.source->ndim) u.index = tocha_view(cx, u.index, 0, NULL);
  if (!u.index) return false;
  reduction how = named(u.reduce);
  if (how == PROD)
    product_rule(&u);
  else if (how == MEAN)
    mean_rule(&u);
  else if (how == SUM)
    u.grad_self = u.grad, u.grad_source = at_index(&u, u.grad);
  else
    extreme_rule(&u);
  if (!u.include_self && u.grad_self)
    u.grad_self = tocha_scatter_value(cx, u.grad_self, u.dim, u.index, tocha_int(0));
  if (tocha_wants_grad(f, 0)) f->out[0] = u.grad_self;
  if (tocha_wants_grad(f, 1)) f->out[1] = u.grad_source;
  return !tocha_failed(cx);
}

bool tocha_scatter_reduce_rule(tocha_backward_frame *f) { return apply_rule(f, false); }
bool tocha_index_reduce_rule(tocha_backward_frame *f) { return apply_rule(f, true); }
