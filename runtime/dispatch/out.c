/* out.c: writes results into tensors of the caller: out=, and in-place forms without a formula. */
#include <stdio.h>
#include <string.h>

#include "core/confine.h"
#include "dispatch/call.h"
#include "tensor/copy.h"
#include "tensor/geometry.h"
#include "tensor/iterator.h"
#include "tensor/overlap.h"
#include "tocha/ops/copy_.h"
#include "tocha/ops/reshape.h"

/* Enlarges the storage of t, for all tensors that share it, and keeps its content at the
 * beginning. */
static bool grow(tocha_context *cx, tocha_tensor *t, uint64_t bytes) {
  int64_t capacity = (int64_t)(t->storage->bytes / tocha_dtype_size(t->dtype)), one = 1;
  if (!tocha_storage_is_resizable(t->storage))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Trying to resize storage that is not resizable");
  tocha_tensor *old = tocha_alias(cx, t, 1, &capacity, &one, 0);
  tocha_tensor *kept = tocha_alias(cx, t, 1, &capacity, &one, 0);
  tocha_storage *more = old && kept ? tocha_storage_new_apart(cx, bytes, t->device) : NULL;
  if (!more) return false;
  tocha_storage_release(kept->storage);
  kept->storage = more;
  tocha_clear_unwritten(kept);
  if (!tocha_copy_data(cx, kept, old)) return false;
  tocha_storage_take(t->storage, more);
  return true;
}

/* Computes the bytes that t's storage needs for these sizes. Fails if the number overflows. */
static bool count_bytes(tocha_context *cx, const tocha_tensor *t, int ndim, const int64_t *sizes,
                        int64_t *bytes) {
  int64_t numel = 1;
  char text[256];
  bool overflow = false;
  for (int i = 0; i < ndim; i++) overflow |= __builtin_mul_overflow(numel, sizes[i], &numel);
  if (overflow)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "numel: integer multiplication overflow");
  if (__builtin_add_overflow(numel, t->offset, bytes) ||
      __builtin_mul_overflow(*bytes, tocha_item_size((tocha_dtype)t->dtype), bytes))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Storage size calculation overflowed with sizes=%s",
                      tocha_shape_text(ndim, sizes, text, sizeof text));
  return true;
}

/* Gives t new sizes and strides, and more memory if its own is too small. */
static bool resize(tocha_context *cx, tocha_tensor *t, int ndim, const int64_t *sizes,
                   const int64_t *strides) {
  int64_t bytes;
  if (!count_bytes(cx, t, ndim, sizes, &bytes)) return false;
  if ((uint64_t)bytes > t->storage->bytes && !grow(cx, t, (uint64_t)bytes)) return false;
  return tocha_set_geometry(cx, t, ndim, sizes, strides, t->offset);
}

bool tocha_resize(tocha_context *cx, tocha_tensor *t, int ndim, const int64_t *sizes) {
  int64_t strides[TOCHA_MAX_DIMS];
  tocha_row_major_strides(ndim, sizes, strides);
  return resize(cx, t, ndim, sizes, strides);
}

/* Gives out the sizes of result, and its strides if it is dense and the rule does not require
 * row-major ones. */
static bool resize_out(tocha_context *cx, const tocha_out_rule *rule, tocha_tensor *out,
                       const tocha_tensor *result) {
  char a[256], b[256];
  if (out->numel > 0)
    tocha_warn(cx,
               "An output with one or more elements was resized since it had shape %s, which does "
               "not match the required output shape %s. This behavior is deprecated, and in a "
               "future PyTorch release outputs will not be resized unless they have zero elements. "
               "You can explicitly reuse an out tensor t by resizing it, inplace, to zero elements "
               "with t.resize_(0).",
               tocha_shape_text(out->ndim, out->sizes, a, sizeof a),
               tocha_shape_text(result->ndim, result->sizes, b, sizeof b));
  if (!rule->contiguous && tocha_is_dense(result))
    return resize(cx, out, result->ndim, result->sizes, result->strides);
  return tocha_resize(cx, out, result->ndim, result->sizes);
}

static int category(tocha_dtype d) {
  return d == TOCHA_BOOL ? 0 : tocha_dtype_is_floating(d) ? 2 : 1;
}

static bool castable(tocha_dtype from, tocha_dtype to) { return category(from) <= category(to); }

bool tocha_check_castable(tocha_context *cx, tocha_dtype from, tocha_dtype to) {
  if (castable(from, to)) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "result type %s can't be cast to the desired output type %s",
             tocha_dtype_scalar_type(from), tocha_dtype_scalar_type(to));
  return false;
}

tocha_tensor *tocha_write_self(tocha_context *cx, tocha_tensor *result, tocha_tensor *self,
                               bool structured) {
  if (!result || !self || result == self) return result;
  if (!tocha_same_sizes(result, self)) {
    char a[256], b[256];
    tocha_shape_text(self->ndim, self->sizes, a, sizeof a);
    tocha_shape_text(result->ndim, result->sizes, b, sizeof b);
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      structured ? "Bad in-place call: input tensor size %s and output tensor size "
                                   "%s should match"
                                 : "output with shape %s doesn't match the broadcast shape %s",
                      a, b);
  }
  if (!tocha_check_castable(cx, result->dtype, self->dtype)) return NULL;
  if (!tocha_check_no_overlap(cx, self)) return NULL;
  return tocha_copy_data(cx, self, result) ? self : NULL;
}

/* Counts a write. On a forbidden write to an inference tensor only the count fails, as in PyTorch:
 * the values are already written. */
bool tocha_count_write(tocha_context *cx, tocha_tensor *self) {
  bool counts = !(self->flags & TOCHA_FLAG_UNTRACKED); /* x.data has a separate count */
  if ((self->flags & TOCHA_FLAG_INFERENCE) && counts && !cx->inference) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Inplace update to inference tensor outside InferenceMode is not allowed."
               "You can make a clone to get a normal tensor before doing inplace update."
               "See https://github.com/pytorch/rfcs/pull/17 for more details.");
    return false;
  }
  tocha_bump_version(self);
  return true;
}

/* --- out= ------------------------------------------------------------------------------------------ */

/* Fails with the message of an entry for result number k, with the dtypes inserted. Returns
 * false. */
static bool refuse_dtype(tocha_context *cx, const tocha_out_rule *rule, int k, tocha_dtype result,
                         tocha_dtype out) {
  const struct {
    const char *name, *text;
  } places[] = {{"{out}", tocha_dtype_scalar_type(out)},
                {"{result}", tocha_dtype_scalar_type(result)},
                {"{out_c}", tocha_dtype_cpp_name(out)},
                {"{result_c}", tocha_dtype_cpp_name(result)}};
  const char *words = rule->words[k > 0 && rule->words[1] ? 1 : 0];
  if (rule->uncastable && !castable(result, out)) words = rule->uncastable;
  char text[512];
  size_t used = 0;
  while (*words && used + 32 < sizeof text) {
    const char *insert = NULL;
    for (int i = 0; i < TOCHA_COUNT(places) && !insert; i++) {
      size_t length = strlen(places[i].name);
      if (strncmp(words, places[i].name, length) != 0) continue;
      insert = places[i].text;
      words += length;
    }
    if (insert)
      used += (size_t)snprintf(text + used, sizeof text - used, "%s", insert);
    else
      text[used++] = *words++;
  }
  text[used] = '\0';
  tocha_fail(cx, rule->type_error ? TOCHA_TYPE_ERROR : TOCHA_RUNTIME_ERROR, "%s", text);
  return false;
}

static bool takes_dtype(const tocha_out_rule *rule, tocha_dtype result, tocha_dtype out) {
  return rule->dtype == TOCHA_OUT_SAME ? result == out
                                       : rule->dtype != TOCHA_OUT_CAST || castable(result, out);
}

/* Checks out's dtype before the inputs. The result has the dtype of the first argument, or the
 * common one of a list, or int64 if the operator draws indices. */
static bool check_first(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                        const tocha_tensor *out) {
  const tocha_out_rule *rule = tocha_operator_of(op)->out;
  tocha_dtype dtype = TOCHA_NO_DTYPE;
  tocha_tensor *t;
  tocha_tensor_place at = {0};
  while ((t = tocha_next_tensor(op, args, &at)) && at.parameter == 0)
    dtype = dtype == TOCHA_NO_DTYPE ? (tocha_dtype)t->dtype : tocha_promote_types(dtype, t->dtype);
  if (op->flags & TOCHA_OP_DRAWS) dtype = TOCHA_INT64;
  return dtype == TOCHA_NO_DTYPE || takes_dtype(rule, dtype, out->dtype) ||
         refuse_dtype(cx, rule, 0, dtype, out->dtype);
}

bool tocha_prepare_out(tocha_context *cx, const tocha_op *op, tocha_dtype dtype, int ndim,
                       const int64_t *sizes, tocha_tensor *out) {
  const tocha_out_rule *rule = tocha_operator_of(op)->out;
  if (!rule) return true;
  if (!takes_dtype(rule, dtype, out->dtype)) return refuse_dtype(cx, rule, 0, dtype, out->dtype);
  if (out->ndim == ndim && memcmp(out->sizes, sizes, (size_t)ndim * sizeof *sizes) == 0)
    return true;
  return tocha_resize(cx, out, ndim, sizes);
}

static bool write_out(tocha_context *cx, const tocha_out_rule *rule, int k, tocha_tensor *result,
                      tocha_tensor *out) {
  if (rule->copies && tocha_requires_grad(out) && !tocha_same_sizes(result, out))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "%s(): the 'out' tensor was specified and requires gradients, and its "
                      "shape does not match the expected result. Either remove the 'out' argument, "
                      "ensure it does not require gradients, or make sure its shape matches the "
                      "expected output.",
                      rule->copies) != NULL;
  if (!tocha_device_equal(result->device, out->device)) {
    char a[24], b[24];
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Attempting to copy from device %s to device %s, but cross-device copies are "
                      "not allowed!",
                      tocha_device_text(result->device, a),
                      tocha_device_text(out->device, b)) != NULL;
  }
  if (!takes_dtype(rule, result->dtype, out->dtype))
    return refuse_dtype(cx, rule, k, result->dtype, out->dtype);
  if (result == out) return true;
  if (rule->counted && result->numel == out->numel)
    result = tocha_reshape(cx, result, out->ndim, out->sizes);
  if (!result) return false;
  if (!tocha_same_sizes(result, out)) {
    if (!resize_out(cx, rule, out, result)) return false;
  } else if (!tocha_check_no_overlap(cx, out)) {
    return false;
  }
  return rule->copies ? tocha_copy_(cx, out, result, false) != NULL
                      : tocha_copy_data(cx, out, result);
}

/* Fails if out may not be written while the operator reads t. */
static bool check_memory(tocha_context *cx, const tocha_out_rule *rule, const tocha_tensor *out,
                         const tocha_tensor *t) {
  tocha_overlap overlap = tocha_overlap_of(out, t);
  if (overlap == TOCHA_OVERLAP_NONE || overlap == TOCHA_OVERLAP_UNKNOWN ||
      (overlap == TOCHA_OVERLAP_FULL && rule->memory == TOCHA_OUT_PARTIAL))
    return true;
  return tocha_refuse_overlap(cx);
}

static bool check_inputs(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                         const tocha_out_rule *rule, const tocha_tensor *out) {
  if (rule->memory == TOCHA_OUT_OVERLAPS) return true;
  if (!tocha_check_no_overlap(cx, out)) return false;
  tocha_tensor *read;
  tocha_tensor_place at = {0};
  while ((read = tocha_next_tensor(op, args, &at)))
    if (!check_memory(cx, rule, out, read)) return false;
  return true;
}

static bool check_distinct(tocha_context *cx, const tocha_out_rule *rule,
                           tocha_tensor *const *outs) {
  if (!rule->distinct) return true;
  tocha_overlap overlap = tocha_overlap_of(outs[0], outs[1]);
  return overlap == TOCHA_OVERLAP_NONE || overlap == TOCHA_OVERLAP_UNKNOWN ||
         tocha_fail(cx, TOCHA_VALUE_ERROR, "%s", rule->distinct) != NULL;
}

/* Replaces *args by a copy with out's dtype, if the operator has a dtype parameter that is omitted.
 * Fails if the dtypes do not agree. */
static bool take_dtype(tocha_context *cx, const tocha_op *op, const tocha_arg **args,
                       const tocha_out_rule *rule, const tocha_tensor *out, tocha_arg *with) {
  const tocha_tensor *self = (*args)[0].tensor;
  if (rule->dtype != TOCHA_OUT_DTYPE) return true;
  bool stands = !rule->floating || !self || tocha_dtype_is_floating(self->dtype);
  for (int i = 0; i < op->parameter_count; i++) {
    with[i] = (*args)[i];
    if (op->parameters[i].kind != TOCHA_KIND_DTYPE) continue;
    if (with[i].given && with[i].value.dtype != TOCHA_NO_DTYPE) {
      if (with[i].value.dtype == out->dtype) continue;
      static const tocha_out_rule exact = {
          .words = {"Expected out tensor to have dtype {result_c}, but got {out_c} instead"}};
      static const tocha_out_rule factory = {
          .words = {"dtype {result} does not match dtype of out parameter ({out})"}};
      return refuse_dtype(cx, self ? &exact : &factory, 0, with[i].value.dtype, out->dtype);
    }
    if (!stands) continue;
    with[i].value.dtype = out->dtype;
    with[i].given = true;
  }
  *args = with;
  if (self && rule->words[0] && !castable(self->dtype, out->dtype))
    return refuse_dtype(cx, rule, 0, self->dtype, out->dtype);
  return true;
}

/* Gives a refused out the shape of the result, which is computed without out, on the meta device if
 * possible. */
static void resize_refused(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                           const tocha_out_rule *rule, tocha_tensor *out) {
  tocha_arg with[TOCHA_MAX_PARAMETERS];
  tocha_results results;
  tocha_error_state error = cx->error;
  bool draws = op->flags & TOCHA_OP_DRAWS; /* running it again would draw more numbers */
  if (error.info.code == TOCHA_INTERRUPTED || error.info.code == TOCHA_MEMORY_ERROR) return;
  for (int i = 0; i < op->parameter_count; i++) {
    int kind = op->parameters[i].kind;
    with[i] = args[i];
    if (kind == TOCHA_KIND_DTYPE && args[i].given) return; /* the dtype was checked before */
    if (kind != TOCHA_KIND_DEVICE) continue;
    with[i].value.device = (tocha_device){TOCHA_META, -1};
    with[i].given = true;
    draws = false;
  }
  tocha_clear_error(cx);
  if (!draws && tocha_call_into(cx, op, with, &results, NULL) &&
      !tocha_same_sizes(results.fixed[0], out) &&
      (!rule->uncastable || castable(results.fixed[0]->dtype, out->dtype)))
    resize_out(cx, rule, out, results.fixed[0]);
  cx->error = error;
}

static bool any_requires_grad(const tocha_op *op, const tocha_arg *args) {
  tocha_tensor *t;
  tocha_tensor_place at = {0};
  while ((t = tocha_next_tensor(op, args, &at)))
    if (tocha_requires_grad(t)) return true;
  return false;
}

/* Fails if a call with out= would be recorded, because that is impossible. */
static bool check_grad(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                       const tocha_out_rule *rule, tocha_tensor *const *outs) {
  if (!rule->recorder || !tocha_grad_enabled(cx)) return true;
  bool composite = op->flags & TOCHA_OP_COMPOSITE; /* its operators would be recorded */
  bool records = !rule->only_out &&
                 (composite ? any_requires_grad(op, args) : tocha_would_record(cx, op, args));
  for (int k = 0; k < op->result_count; k++) records = records || tocha_requires_grad(outs[k]);
  return !records || tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                                "%s(): functions with out=... arguments don't support automatic "
                                "differentiation, but one of the arguments requires grad.",
                                rule->recorder) != NULL;
}

/* Replaces *args of a factory by a copy with out's device. Fails if the caller asks for another
 * type of device. */
static bool take_device(tocha_context *cx, const tocha_op *op, const tocha_arg **args,
                        const tocha_tensor *out, tocha_arg *with) {
  if (!(op->flags & TOCHA_OP_FACTORY)) return true;
  for (int i = 0; i < op->parameter_count; i++) {
    with[i] = (*args)[i];
    if (op->parameters[i].kind != TOCHA_KIND_DEVICE) continue;
    if (with[i].given && with[i].value.device.type != out->device.type) {
      char a[24], b[24];
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                        "device type %s does not match device type of out parameter (%s)",
                        tocha_device_text((tocha_device){with[i].value.device.type, -1}, a),
                        tocha_device_text((tocha_device){out->device.type, -1}, b)) != NULL;
    }
    with[i].value.device = out->device;
    with[i].given = true;
  }
  *args = with;
  return true;
}

/* Makes PyTorch's checks of the tensors before the operator computes. */
static bool check_outs(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                       const tocha_out_rule *rule, tocha_tensor *const *outs) {
  if ((rule->first && !check_first(cx, op, args, outs[0])) || !check_distinct(cx, rule, outs))
    return false;
  for (int k = 0; k < op->result_count; k++) {
    if (check_inputs(cx, op, args, rule, outs[k])) continue;
    tocha_fail_overlap(cx, op, args);
    return false;
  }
  return true;
}

static bool call_and_write(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                           const tocha_out_rule *rule, tocha_tensor *const *outs) {
  tocha_results results;
  if (!tocha_call_into(cx, op, args, &results, op->result_count == 1 ? outs[0] : NULL))
    return false;
  for (int k = 0; k < op->result_count; k++)
    if (!write_out(cx, rule, k, results.fixed[k], outs[k]) || !tocha_count_write(cx, outs[k]))
      return false;
  return true;
}

bool tocha_call_out(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                    tocha_tensor *const *outs) {
  if (!op || !args || !outs) return tocha_refuse_none(cx, "call_out", "op", "Op");
  for (int k = 0; k < op->result_count; k++)
    if (!outs[k]) return tocha_refuse_none(cx, op->name, "out", "Tensor");
  const tocha_out_rule *rule = tocha_operator_of(op)->out;
  if (!rule)
    return tocha_fail(cx, TOCHA_TYPE_ERROR, "%s() got an unexpected keyword argument 'out'",
                      op->name);
  tocha_arg with[TOCHA_MAX_PARAMETERS], placed[TOCHA_MAX_PARAMETERS];
  const tocha_arg *given = args;
  tocha_scope s = tocha_scope_begin(cx);
  /* compared first for factories, because PyTorch's argument parser compares the dtype */
  bool makes = op->parameter_count && !args[0].tensor;
  bool ok = (!makes || take_dtype(cx, op, &args, rule, outs[0], with)) &&
            take_device(cx, op, &args, outs[0], placed) && check_grad(cx, op, args, rule, outs);
  if (ok) {
    ok = (makes || take_dtype(cx, op, &args, rule, outs[0], with)) &&
         check_outs(cx, op, args, rule, outs) && call_and_write(cx, op, args, rule, outs);
    bool kept = !ok && rule->keeps && !check_first(cx, op, args, outs[0]); /* repeats its error */
    if (!ok && rule->resizes && !kept) resize_refused(cx, op, given, rule, outs[0]);
  }
  tocha_scope_end(cx, s, NULL);
  return ok;
}
