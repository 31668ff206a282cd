/* elementwise.c: the engine of every elementwise operator: types, operands, outputs, and the kernel
 * that computes a formula. */
#include "ops/pointwise/elementwise.h"

#include <string.h>

#include "device/devices.h"
#include "ops/pointwise/float8.h"
#include "ops/pointwise/kernels.h"
#include "tensor/copy.h"
#include "tensor/geometry.h"
#include "tensor/iterator.h"
#include "tensor/output.h"
#include "tensor/overlap.h"
#include "tensor/strided.h"

enum { INPUTS = TOCHA_FORMULA_INPUTS, NUMBERS = TOCHA_FORMULA_NUMBERS };

/* Facts about the operands of a call, gathered in one pass. */
typedef struct operand_facts {
  const tocha_tensor *first; /* the first that is a tensor */
  bool one_dtype;            /* the tensors have first's dtype */
  bool dense;                /* the tensors are row-major, of one shape and dtype */
  bool numbers;              /* some are numbers */
  bool scalars;              /* some are 0-dim tensors on the CPU */
  bool elsewhere;            /* some are not on the CPU */
} operand_facts;

/* The state of one call that its stages share. */
typedef struct call {
  tocha_context *cx;
  tocha_formula_use *use;
  operand_facts seen;
  tocha_dtype compute, result;
  const tocha_operand *in; /* the operands; 0-dim tensors of another type are replaced by numbers */
  tocha_operand unwrapped[INPUTS];
  tocha_elementwise_args args;
} call;

static operand_facts look_at(int count, const tocha_operand *operands) {
  operand_facts s = {.dense = true, .one_dtype = true};
  for (int i = 0; i < count; i++) {
    const tocha_tensor *t = operands[i].tensor;
    if (!t) {
      s.numbers = true;
      continue;
    }
    if (!s.first) s.first = t;
    s.one_dtype = s.one_dtype && t->dtype == s.first->dtype;
    s.dense = s.dense && t->flags & TOCHA_FLAG_CONTIGUOUS && t->dtype == s.first->dtype &&
              (t == s.first || tocha_same_sizes(t, s.first));
    s.scalars = s.scalars || (t->ndim == 0 && t->device.type == TOCHA_CPU);
    s.elsewhere = s.elsewhere || t->device.type != TOCHA_CPU;
  }
  return s;
}

/* --- types ----------------------------------------------------------------------------------------- */

/* Returns true if the dtype of the first tensor is that of all tensors and of the result: no number is of a higher category (bool, integer,
 * floating point). */
static bool keeps_dtype(const tocha_formula_use *use, const operand_facts *seen,
                        tocha_dtype dtype) {
  if (!seen->one_dtype) return false;
  for (int i = 0; seen->numbers && i < use->count; i++) {
    if (use->operands[i].tensor || tocha_is_floating(dtype)) continue;
    tocha_scalar_kind kind = use->operands[i].scalar.kind;
    if (kind != TOCHA_SCALAR_BOOL && (kind != TOCHA_SCALAR_INT || dtype == TOCHA_BOOL))
      return false;
  }
  return true;
}

/* Returns the type that the formula's operands are converted to. */
static tocha_dtype common_type(const tocha_context *cx, const tocha_formula_use *use,
                               const operand_facts *seen) {
  int promotion = use->formula->promotion;
  tocha_dtype type;
  if (promotion == TOCHA_PROMOTION_WIDENED) {
    tocha_operand all[INPUTS + NUMBERS];
    for (int i = 0; i < use->count; i++) all[i] = use->operands[i];
    for (int i = 0; i < use->numbers; i++) all[use->count + i] = tocha_number(use->p[i]);
    type = tocha_result_type(cx, use->count + use->numbers, all);
  } else {
    const tocha_tensor *first = seen->first;
    type = first && keeps_dtype(use, seen, first->dtype)
               ? first->dtype
               : tocha_result_type(cx, use->count, use->operands);
  }
  bool becomes_floating =
      promotion == TOCHA_PROMOTION_FLOATING && type != TOCHA_NO_DTYPE && type < TOCHA_FLOAT16;
  return becomes_floating ? cx->default_dtype : type;
}

/* Returns the formula's compute type for operands of `type`, or NO_DTYPE if the formula does not
 * accept them. */
static tocha_dtype compute_type(const tocha_formula *f, tocha_dtype type) {
  if (type == TOCHA_BOOL) {
    if (f->types & TOCHA_TAKES_BOOL) return TOCHA_BOOL;
    return f->types & TOCHA_BOOL_AS_INT64 ? TOCHA_INT64 : TOCHA_NO_DTYPE;
  }
  if (type < TOCHA_FLOAT16) return f->types & TOCHA_TAKES_INT64 ? TOCHA_INT64 : TOCHA_NO_DTYPE;
  if (!(f->types & TOCHA_TAKES_FLOATS)) return TOCHA_NO_DTYPE;
  return type == TOCHA_FLOAT64 ? TOCHA_FLOAT64 : TOCHA_FLOAT32;
}

/* Fails because the formula has no loop for this type. Errors of the shapes and of out's dtype are
 * reported first. */
static tocha_tensor *refuse_bitwise(tocha_context *cx, const tocha_formula_use *use,
                                    const tocha_tensor *out) {
  int ndim;
  int64_t sizes[TOCHA_MAX_DIMS];
  tocha_tensor *inputs[INPUTS];
  for (int i = 0; i < use->count; i++) inputs[i] = use->operands[i].tensor;
  if (!tocha_broadcast_sizes(cx, use->count, inputs, &ndim, sizes)) return NULL;
  if (out && !tocha_check_castable(cx, use->type, out->dtype)) return NULL;
  return tocha_formula_not_implemented(cx, use->formula, use->type);
}

/* --- operands -------------------------------------------------------------------------------------- */

/* Replaces 0-dim CPU tensors by numbers if they have another type or the other operands are on a
 * device. Numbers are converted only once, to the common type. */
static void unwrap_scalars(call *c) {
  for (int i = 0; i < c->use->count; i++) {
    tocha_tensor *t = c->use->operands[i].tensor;
    c->unwrapped[i] = c->use->operands[i];
    if (!t || t->ndim || t->device.type != TOCHA_CPU ||
        (t->dtype == c->use->type && !c->seen.elsewhere))
      continue;
    c->unwrapped[i] = tocha_number(tocha_load_scalar(tocha_bytes(t), t->dtype));
    c->in = c->unwrapped;
  }
  if (c->in == c->unwrapped) c->seen = look_at(c->use->count, c->in);
}

/* Stores s as one element of the compute type. s is first rounded (or wrapped) to the operands'
 * common type, unless the formula keeps its precision. */
static void place_number(call *c, void *element, tocha_scalar s) {
  char narrow[8];
  tocha_dtype type = c->use->type;
  if (type != c->compute && !(tocha_dtype_is_floating(type) && c->use->formula->keeps_precision)) {
    tocha_store_scalar(narrow, type, s);
    s = tocha_load_scalar(narrow, type);
  }
  tocha_store_scalar(element, c->compute, s);
}

bool tocha_check_number(tocha_context *cx, tocha_scalar number, tocha_dtype type, int fits) {
  bool half = type == TOCHA_FLOAT16 || type == TOCHA_BFLOAT16;
  if (fits == TOCHA_FITS_REAL && !tocha_dtype_is_floating(type)) return true;
  return tocha_check_fits(cx, number, half && fits == TOCHA_FITS_WIDE ? TOCHA_FLOAT32 : type);
}

/* Returns true if every dtype can hold the number, which is the usual case. */
static inline bool is_small(tocha_scalar number) {
  double value = tocha_scalar_real(number);
  return value >= 0 && value <= INT8_MAX;
}

/* Fails if a number does not fit into the type that the formula names (`fits`). Numbers are not
 * checked on the meta device. */
static bool check_numbers(const call *c) {
  const tocha_formula_use *use = c->use;
  bool computes = !c->seen.first || c->seen.first->device.type != TOCHA_META;
  for (int i = 0; computes && i < use->numbers; i++)
    if (!is_small(use->p[i]) &&
        !tocha_check_number(c->cx, use->p[i], use->type, use->formula->fits))
      return false;
  return true;
}

/* Packs the formula's numbers. The others are zeros, because a kernel copies all of them. */
static void pack_numbers(tocha_elementwise_args *args, int count, const tocha_scalar *p) {
  char *number = (char *)args->numbers;
  memset(args->numbers, 0, sizeof args->numbers);
  for (int i = 0; i < count; i++, number += tocha_item_size(args->compute))
    tocha_store_scalar(number, args->compute, p[i]);
}

static void place_numbers(call *c) {
  const tocha_formula_use *use = c->use;
  pack_numbers(&c->args, use->numbers, use->p);
  memset(c->args.values, 0, sizeof c->args.values);
  if (!c->seen.numbers) return;
  for (int i = 0; i < use->count; i++)
    if (!c->in[i].tensor) place_number(c, &c->args.values[i + 1], c->in[i].scalar);
}

/* --- outputs --------------------------------------------------------------------------------------- */

/* Fails if a given out does not have the broadcast sizes (an in-place operand may not grow), cannot
 * hold the result's dtype, or overlaps itself. */
static bool check_out(call *c, tocha_tensor *out, int ndim, const int64_t *sizes) {
  if (out->ndim != ndim || memcmp(out->sizes, sizes, (size_t)ndim * sizeof *sizes) != 0) {
    char a[256], b[256];
    tocha_fail(c->cx, TOCHA_RUNTIME_ERROR,
               "output with shape %s doesn't match the broadcast shape %s",
               tocha_shape_text(out->ndim, out->sizes, a, sizeof a),
               tocha_shape_text(ndim, sizes, b, sizeof b));
    return false;
  }
  return tocha_check_castable(c->cx, c->result, out->dtype) && tocha_check_no_overlap(c->cx, out);
}

bool tocha_check_shapes(tocha_context *cx, const tocha_formula_use *use, const tocha_tensor *out,
                        bool *empty) {
  tocha_tensor *tensors[INPUTS];
  int64_t sizes[TOCHA_MAX_DIMS];
  char a[256], b[256];
  int count = 0, ndim = 0;
  for (int i = 0; i < use->count; i++)
    if (use->operands[i].tensor) tensors[count++] = use->operands[i].tensor;
  if (count && !tocha_broadcast_sizes(cx, count, tensors, &ndim, sizes)) return false;
  *empty = false;
  for (int i = 0; i < ndim; i++) *empty = *empty || sizes[i] == 0;
  bool same =
      !out || (out->ndim == ndim && memcmp(out->sizes, sizes, (size_t)ndim * sizeof *sizes) == 0);
  return same || tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                            "output with shape %s doesn't match the broadcast shape %s",
                            tocha_shape_text(out->ndim, out->sizes, a, sizeof a),
                            tocha_shape_text(ndim, sizes, b, sizeof b)) != NULL;
}

/* Returns true if no input shares out's memory, except for an input at the same address. All
 * tensors are dense. */
static bool disjoint_or_same(const call *c, const tocha_tensor *out) {
  for (int i = 0; i < c->use->count; i++) {
    const tocha_tensor *t = c->in[i].tensor;
    if (t && t->storage == out->storage && t->offset != out->offset) return false;
  }
  return true;
}

/* Copies inputs that are another view of out's memory and would change while they are read. Fails
 * if one overlaps out partially. */
static bool separate_overlaps(call *c, const tocha_tensor *out) {
  for (int i = 0; i < c->use->count; i++) {
    tocha_tensor *t = c->in[i].tensor;
    if (!t || t->storage != out->storage || t->numel == 0) continue;
    tocha_overlap overlap = tocha_overlap_of(t, out);
    if (overlap == TOCHA_OVERLAP_FULL || overlap == TOCHA_OVERLAP_NONE) continue;
    if (overlap == TOCHA_OVERLAP_PARTIAL) return tocha_refuse_overlap(c->cx);
    tocha_tensor *copy = tocha_new_like(c->cx, t, t->dtype);
    if (!copy || !tocha_copy_data(c->cx, copy, t)) return false;
    if (c->in != c->unwrapped) memcpy(c->unwrapped, c->in, sizeof *c->in * (size_t)c->use->count);
    c->in = c->unwrapped;
    c->unwrapped[i].tensor = copy;
  }
  return true;
}

/* Returns the output's device, which is the operands' device. CPU scalars do not count. */
static tocha_device device_of(const call *c) {
  tocha_device device = c->cx->default_device;
  bool found = false;
  for (int i = 0; i < c->use->count; i++) {
    const tocha_tensor *t = c->in[i].tensor;
    if (!t || (found && device.type != TOCHA_CPU)) continue;
    device = t->device;
    found = true;
  }
  return found ? device : tocha_cpu();
}

/* Returns true if the result, of these sizes, can be written into `into`. No input may share its
 * memory, unless all tensors are dense and the input has the same address. */
static bool can_take(const call *c, const tocha_tensor *into, int ndim, const int64_t *sizes,
                     bool dense) {
  if (into->dtype != c->result || into->ndim != ndim || !into->storage->data ||
      memcmp(into->sizes, sizes, (size_t)ndim * sizeof *sizes) != 0)
    return false;
  if (dense) return tocha_is_contiguous(into) && disjoint_or_same(c, into);
  for (int i = 0; i < ndim; i++)
    if (into->strides[i] == 0 && into->sizes[i] > 1) return false;
  for (int i = 0; i < c->use->count; i++)
    if (c->in[i].tensor && c->in[i].tensor->storage == into->storage) return false;
  return true;
}

/* --- running --------------------------------------------------------------------------------------- */

static bool launch(tocha_stream *stream, const tocha_strided_layout *layout, void *user) {
  tocha_elementwise_args *args = user;
  args->layout = layout;
  return stream->kernels->pointwise->elementwise(stream, args);
}

/* Returns the operand with the strides that its conversion to the common type has. On the CPU the
 * conversion is a copy. */
static tocha_tensor *converted(const call *c, tocha_tensor *t) {
  int64_t strides[TOCHA_MAX_DIMS];
  if (!t || t->dtype == c->use->type || t->device.type != TOCHA_CPU || tocha_is_dense(t)) return t;
  tocha_copy_strides(t, strides);
  return tocha_alias(c->cx, t, t->ndim, t->sizes, strides, 0);
}

static tocha_tensor *new_result(const call *c, int ndim, const int64_t *sizes,
                                tocha_tensor *const *in) {
  tocha_tensor *operands[INPUTS + 1] = {NULL}; /* NULL for a number */
  int64_t strides[TOCHA_MAX_DIMS];
  int count = c->use->count;
  tocha_device device = device_of(c);
  for (int i = 0; i < count; i++) operands[i] = converted(c, in[i]);
  switch (c->use->layout) {
  case TOCHA_LAID_ROWS:
    return tocha_new(c->cx, ndim, sizes, c->result, device);
  case TOCHA_LAID_COPY:
    if (!in[0] || in[0]->ndim != ndim) break; /* a number, or the result has more dimensions */
    return tocha_new_copy_of(c->cx, in[0], c->result, device);
  case TOCHA_LAID_FIRST:
    count = 1;
    break;
  case TOCHA_LAID_NUMBER:
    if (!in[0]) break;
    tocha_output_strides(ndim, sizes, count++, in, strides);
    operands[0] = tocha_alias(c->cx, in[0], ndim, sizes, strides, 0);
    if (!operands[0]) return NULL;
    break;
  }
  return tocha_new_output(c->cx, ndim, sizes, c->result, device, count, operands);
}

/* Runs the formula on operands of any shape and type. out and into may be NULL. */
static tocha_tensor *run_strided(call *c, tocha_tensor *out, tocha_tensor *into) {
  int ndim;
  int64_t sizes[TOCHA_MAX_DIMS];
  tocha_tensor *operands[1 + INPUTS]; /* the output, then the inputs, NULL for numbers */
  for (int i = 0; i < c->use->count; i++) operands[i + 1] = c->in[i].tensor;
  if (!tocha_broadcast_sizes(c->cx, c->use->count, operands + 1, &ndim, sizes)) return NULL;
  if (out) {
    if (!check_out(c, out, ndim, sizes) || !separate_overlaps(c, out)) return NULL;
    for (int i = 0; i < c->use->count; i++) operands[i + 1] = c->in[i].tensor;
  } else if (into && can_take(c, into, ndim, sizes, false)) {
    out = into;
  } else {
    out = new_result(c, ndim, sizes, operands + 1);
  }
  operands[0] = out;
  if (!out || !tocha_has_elements(out)) return out;
  return tocha_launch_strided(c->cx, ndim, sizes, c->use->count + 1, operands, launch, &c->args)
             ? out
             : NULL;
}

/* Returns true if the result of row-major operands of one shape may have other strides. Dimensions
 * of size 0 and 1 may have any stride, and some layouts keep it. */
static bool keeps_free_dims(const call *c) {
  const tocha_tensor *t = c->seen.first;
  bool possible = c->use->layout == TOCHA_LAID_OPERANDS
                      ? c->seen.numbers
                      : c->use->layout == TOCHA_LAID_COPY || c->use->layout == TOCHA_LAID_NUMBER;
  if (!possible) return false;
  for (int i = 0; i < t->ndim; i++)
    if (t->sizes[i] < 2) return true;
  return false;
}

/* Returns true if all tensors, including a given out, are dense, of one shape and of the compute
 * type, so that one run of the loop covers all elements. */
static bool is_one_run(const call *c, const tocha_tensor *out) {
  return c->seen.dense && c->seen.first && c->seen.first->dtype == c->compute &&
         !keeps_free_dims(c) && (c->compute == c->use->type || c->result == TOCHA_BOOL) &&
         (!out || (out->dtype == c->result && out->flags & TOCHA_FLAG_CONTIGUOUS &&
                   tocha_same_sizes(out, c->seen.first) && disjoint_or_same(c, out)));
}

static tocha_tensor *run_dense(call *c, tocha_tensor *out, tocha_tensor *into) {
  tocha_strided_layout layout;
  const tocha_tensor *shape = c->seen.first;
  if (!out && into && shape && can_take(c, into, shape->ndim, shape->sizes, true)) out = into;
  if (!out) out = tocha_new_like(c->cx, shape, c->result);
  if (!out || !tocha_has_elements(out)) return out;
  int64_t item = tocha_item_size(c->compute);
  c->args.layout = &layout;
  layout.ndim = 1;
  layout.operands = c->use->count + 1;
  layout.numel = layout.sizes[0] = out->numel;
  layout.data[0] = tocha_bytes(out);
  layout.strides[0][0] = c->result == TOCHA_BOOL ? 1 : item;
  layout.dtype[0] = (int8_t)out->dtype;
  for (int i = 0; i < c->use->count; i++) {
    const tocha_tensor *t = c->in[i].tensor;
    layout.data[i + 1] = t ? (char *)t->storage->data + t->offset * item : NULL;
    layout.strides[i + 1][0] = t ? item : 0;
    layout.dtype[i + 1] = (int8_t)c->compute;
  }
  tocha_stream *stream = tocha_stream_of(c->cx, out->device);
  bool ok =
      stream && tocha_launched(c->cx, stream->kernels->pointwise->elementwise(stream, &c->args));
  c->args.layout = NULL; /* layout is local to this function */
  return ok ? out : NULL;
}

static tocha_dtype result_type(const tocha_formula_use *use) {
  return use->formula->to_bool ? TOCHA_BOOL : use->type;
}

/* Keeps the error of a number (alpha, a divisor) only if the shapes and out's dtype are right.
 * Otherwise reports their error, as PyTorch does. Returns NULL. */
static tocha_tensor *refuse_numbers(tocha_context *cx, const tocha_formula_use *use,
                                    tocha_tensor *out) {
  bool empty;
  tocha_error_state error = cx->error;
  if (error.info.code != TOCHA_RUNTIME_ERROR) return NULL;
  tocha_clear_error(cx);
  if (tocha_check_shapes(cx, use, out, &empty) &&
      (!out || tocha_check_castable(cx, use->type, out->dtype)))
    cx->error = error;
  return NULL;
}

static tocha_tensor *run(tocha_context *cx, tocha_formula_use *use, tocha_tensor *out,
                         tocha_tensor *into);

/* Computes a formula of float8 tensors in float32. */
static tocha_tensor *run_float8(tocha_context *cx, tocha_formula_use *use, tocha_tensor *out) {
  tocha_operand operands[INPUTS];
  tocha_tensor *wide_out = out;
  if (!tocha_check_float8_use(cx, use, out)) return NULL;
  const tocha_dtype type = use->type;
  tocha_formula_use wide = *use;
  wide.operands = operands;
  for (int i = 0; i < use->count; i++) {
    operands[i] = use->operands[i];
    if (operands[i].tensor && tocha_is_float8(operands[i].tensor->dtype) &&
        !(operands[i].tensor = tocha_as_dtype(cx, operands[i].tensor, TOCHA_FLOAT32)))
      return NULL;
  }
  if (out && tocha_is_float8(out->dtype) && !(wide_out = tocha_new_like(cx, out, TOCHA_FLOAT32)))
    return NULL;
  tocha_tensor *result = run(cx, &wide, wide_out, NULL);
  if (!result) return NULL;
  if (out) return wide_out == out || tocha_copy_data(cx, out, result) ? out : NULL;
  return result->dtype == TOCHA_FLOAT32 ? tocha_as_dtype(cx, result, type) : result;
}

static tocha_tensor *run(tocha_context *cx, tocha_formula_use *use, tocha_tensor *out,
                         tocha_tensor *into) {
  call c;
  bool empty;
  c.cx = cx;
  c.use = use;
  c.seen = look_at(use->count, use->operands);
  use->type = common_type(cx, use, &c.seen);
  if (cx->float8 && tocha_uses_float8(use)) return run_float8(cx, use, out);
  if (use->formula->promotion == TOCHA_PROMOTION_BITWISE && tocha_dtype_is_floating(use->type))
    return tocha_check_shapes(cx, use, out, &empty) ? refuse_bitwise(cx, use, out) : NULL;
  use->layout = use->formula->layout;
  if (use->formula->prepare && !use->formula->prepare(cx, use))
    return use->formula->refuses_last ? refuse_numbers(cx, use, out) : NULL;
  c.compute = compute_type(use->formula, use->type);
  c.result = result_type(use);
  if (c.compute == TOCHA_NO_DTYPE)
    return tocha_check_shapes(cx, use, out, &empty) &&
                   (!out || tocha_check_castable(cx, c.result, out->dtype))
               ? tocha_formula_not_implemented(cx, use->formula, use->type)
               : NULL;
  if (use->formula->fits && !check_numbers(&c)) return NULL;
  c.in = use->operands;
  if (c.seen.scalars) unwrap_scalars(&c);
  c.args.formula = use->formula;
  c.args.compute = c.compute;
  place_numbers(&c);
  return is_one_run(&c, out) ? run_dense(&c, out, into) : run_strided(&c, out, into);
}

/* --- entry points ----------------------------------------------------------------------------- */

tocha_tensor *tocha_apply_formula(tocha_context *cx, const tocha_formula *formula, int count,
                                  const tocha_operand *operands, int numbers, const tocha_scalar *p,
                                  tocha_tensor *out) {
  tocha_formula_use use = {.formula = formula,
                           .type = TOCHA_NO_DTYPE,
                           .count = count,
                           .numbers = numbers,
                           .operands = operands,
                           .p = p};
  return run(cx, &use, out, NULL);
}

bool tocha_launch_formula(tocha_context *cx, tocha_stream *stream, const tocha_formula *formula,
                          const tocha_strided_layout *layout, int numbers, const tocha_scalar *p) {
  tocha_elementwise_args args = {.layout = layout,
                                 .formula = formula,
                                 .compute = compute_type(formula, (tocha_dtype)layout->dtype[0])};
  pack_numbers(&args, numbers, p);
  return tocha_launched(cx, stream->kernels->pointwise->elementwise(stream, &args));
}

tocha_tensor *tocha_apply_unary(tocha_context *cx, const tocha_formula *formula, tocha_tensor *self,
                                int numbers, const tocha_scalar *p) {
  tocha_operand in = tocha_operand_of(self);
  return tocha_apply_formula(cx, formula, 1, &in, numbers, p, NULL);
}

tocha_tensor *tocha_apply_binary(tocha_context *cx, const tocha_formula *formula, tocha_tensor *a,
                                 tocha_tensor *b) {
  tocha_operand in[2] = {tocha_operand_of(a), tocha_operand_of(b)};
  return tocha_apply_formula(cx, formula, 2, in, 0, NULL, NULL);
}

static tocha_scalar number_of(int kind, const tocha_arg *a) {
  switch (kind) {
  case TOCHA_KIND_SCALAR:
    return a->value.scalar;
  case TOCHA_KIND_FLOAT:
    return tocha_float(a->value.real);
  case TOCHA_KIND_BOOL:
    return tocha_boolean(a->value.flag);
  default:
    return tocha_int(a->value.integer);
  }
}

/* Keeps the error of an unsupported dtype only if out= is right. Otherwise reports out's error, as
 * PyTorch does. */
static void refuse_into(tocha_context *cx, const tocha_op *op, const tocha_formula_use *use,
                        tocha_tensor *into) {
  int ndim;
  int64_t sizes[TOCHA_MAX_DIMS];
  tocha_tensor *inputs[INPUTS];
  tocha_error_state error = cx->error;
  tocha_clear_error(cx);
  for (int i = 0; i < use->count; i++) inputs[i] = use->operands[i].tensor;
  if (tocha_broadcast_sizes(cx, use->count, inputs, &ndim, sizes) &&
      tocha_prepare_out(cx, op, result_type(use), ndim, sizes, into))
    cx->error = error;
}

bool tocha_elementwise(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                       tocha_results *results) {
  tocha_operand operands[INPUTS];
  tocha_scalar p[NUMBERS];
  const tocha_formula *formula = tocha_operator_of(op)->formula;
  int inputs = formula->inputs, numbers = op->parameter_count - inputs;
  tocha_formula_use use = {.formula = formula,
                           .float8 = &tocha_operator_of(op)->float8,
                           .type = TOCHA_NO_DTYPE,
                           .count = inputs,
                           .numbers = numbers,
                           .operands = operands,
                           .p = p};
  for (int i = 0; i < inputs; i++) operands[i] = tocha_arg_operand(&args[i]);
  for (int i = 0; i < numbers; i++)
    p[i] = number_of(op->parameters[inputs + i].kind, &args[inputs + i]);
  tocha_tensor *out = op->flags & TOCHA_OP_INPLACE ? args[0].tensor : NULL;
  results->fixed[0] = run(cx, &use, out, out ? NULL : results->into);
  if (!results->fixed[0] && results->into && tocha_error(cx)->code == TOCHA_NOT_IMPLEMENTED_ERROR &&
      use.type != TOCHA_NO_DTYPE)
    refuse_into(cx, op, &use, results->into);
  return results->fixed[0] != NULL;
}
