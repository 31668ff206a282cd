/* reduce.c: dimensions, dtypes and results of reductions, and the call of the kernel. */
#include "ops/reduction/reduce.h"

#include <string.h>

#include "device/devices.h"
#include "tensor/copy.h"
#include "tensor/scratch.h"

/* --- dimensions and dtypes ------------------------------------------------------------------------------ */

bool tocha_reduced_of(tocha_context *cx, const tocha_tensor *self, int dims_count,
                      const int64_t *dims, bool keepdim, tocha_reduced *reduced) {
  reduced->mask = 0;
  for (int i = 0; i < dims_count; i++) {
    int64_t dim = dims[i];
    if (!tocha_wrap_dim(cx, &dim, self->ndim)) return false;
    if (reduced->mask >> dim & 1) {
      tocha_fail(cx, TOCHA_RUNTIME_ERROR, "dim %d appears multiple times in the list of dims",
                 (int)dim);
      return false;
    }
    reduced->mask |= (uint64_t)1 << dim;
  }
  if (dims_count == 0) reduced->mask = ~(uint64_t)0;
  reduced->count = 1;
  reduced->ndim = 0;
  for (int i = 0; i < self->ndim; i++) {
    bool is_reduced = reduced->mask >> i & 1;
    if (is_reduced) reduced->count *= self->sizes[i];
    if (!is_reduced || keepdim) reduced->sizes[reduced->ndim++] = is_reduced ? 1 : self->sizes[i];
  }
  return true;
}

bool tocha_check_not_empty(tocha_context *cx, const tocha_tensor *self,
                           const tocha_reduced *reduced, const char *name) {
  if (self->numel > 0) return true;
  for (int i = 0; i < self->ndim; i++) {
    if (!(reduced->mask >> i & 1) || self->sizes[i] != 0) continue;
    tocha_fail(cx, TOCHA_INDEX_ERROR, "%s(): Expected reduction dim %d to have non-zero size.",
               name, i);
    return false;
  }
  return true;
}

tocha_dtype tocha_reduce_dtype(tocha_dtype d) {
  if (d == TOCHA_FLOAT64) return d;
  return tocha_dtype_is_floating(d) ? TOCHA_FLOAT32 : TOCHA_INT64;
}

tocha_tensor *tocha_new_reduced(tocha_context *cx, const tocha_tensor *self,
                                const tocha_reduced *reduced, tocha_dtype dtype) {
  return tocha_new(cx, reduced->ndim, reduced->sizes, dtype, self->device);
}

/* --- the kernel ----------------------------------------------------------------------------------------- */

static void describe(tocha_reduce_args *args, const tocha_tensor *self, uint64_t mask) {
  int64_t item = (int64_t)tocha_dtype_size((tocha_dtype)self->dtype);
  args->in = self->numel ? tocha_bytes(self) : NULL;
  args->in_dtype = self->dtype;
  args->ndim = self->ndim;
  args->reduced = mask;
  for (int i = 0; i < self->ndim; i++) {
    args->sizes[i] = self->sizes[i];
    args->strides[i] = self->strides[i] * item;
  }
}

/* Returns self with the dimensions of *mask last, row-major (copied if necessary). Updates *mask to
 * their new places. */
static tocha_tensor *in_rows(tocha_context *cx, tocha_tensor *self, uint64_t *mask,
                             tocha_dtype dtype) {
  int64_t sizes[TOCHA_MAX_DIMS], strides[TOCHA_MAX_DIMS];
  int n = 0;
  uint64_t last = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < self->ndim; i++) {
      if ((int)(*mask >> i & 1) != pass) continue;
      if (pass) last |= (uint64_t)1 << n;
      sizes[n] = self->sizes[i];
      strides[n++] = self->strides[i];
    }
  }
  *mask = last;
  return tocha_as_rows(cx, tocha_alias(cx, self, n, sizes, strides, self->offset), dtype);
}

/* Converts self to the dtype and layout that the device needs, and describes the result in args. */
static bool bring_input(tocha_context *cx, tocha_tensor *self, tocha_reduce_input input,
                        tocha_reduce_args *args) {
  tocha_dtype dtype = (tocha_dtype)input.dtype;
  uint64_t mask = args->reduced;
  tocha_tensor *brought = input.layout == TOCHA_ELEMENTS_IN_ROWS ? in_rows(cx, self, &mask, dtype)
                          : input.layout == TOCHA_ELEMENTS_DENSE ? tocha_as_rows(cx, self, dtype)
                                                                 : tocha_as_dtype(cx, self, dtype);
  if (!brought) return false;
  if (brought != self) describe(args, brought, mask);
  return true;
}

bool tocha_run_reduction(tocha_context *cx, const tocha_reduce_call *call) {
  if (tocha_is_float8(call->self->dtype)) {
    tocha_reduce_call wide = *call;
    wide.self = tocha_as_dtype(cx, call->self, TOCHA_FLOAT32);
    return wide.self && tocha_run_reduction(cx, &wide);
  }
  const tocha_tensor *out = call->out, *second = call->second, *any = out ? out : second;
  if (!tocha_has_elements(any)) return true;
  tocha_reduce_args args;
  memset(&args, 0, offsetof(tocha_reduce_args, sizes)); /* the long arrays are set by describe */
  args.reduction = call->reduction;
  args.out = out ? tocha_bytes(out) : NULL;
  args.second = second ? tocha_bytes(second) : NULL;
  args.outputs = any->numel;
  args.count = call->reduced->count;
  args.number = call->number;
  args.out_dtype = out ? out->dtype : 0;
  args.second_dtype = second ? second->dtype : 0;
  args.compute = (int32_t)call->compute;
  args.max = call->max;
  tocha_stream *s = tocha_stream_of(cx, call->self->device);
  if (!s) return false;
  const tocha_reduction_kernels *kernels = s->kernels->reduction;
  describe(&args, call->self, call->reduced->mask);
  return bring_input(cx, call->self, kernels->reduce_input(s, &args), &args) &&
         tocha_new_scratch(cx, call->self->device, kernels->reduce_scratch(s, &args),
                           &args.scratch) &&
         tocha_launched(cx, kernels->reduce(s, &args));
}

/* --- by a row --------------------------------------------------------------------------------------------- */

/* Returns the dtype of the result, or TOCHA_NO_DTYPE with an error. */
static inline tocha_dtype result_dtype(tocha_context *cx, const tocha_reduction *reduction,
                                       const char *name, tocha_dtype self, tocha_dtype asked) {
  tocha_dtype dtype = asked == TOCHA_NO_DTYPE ? self : asked;
  switch (reduction->result) {
  case TOCHA_RESULT_WIDENED:
    return asked == TOCHA_NO_DTYPE && !tocha_dtype_is_floating(self) ? TOCHA_INT64 : dtype;
  case TOCHA_RESULT_INT64:
    return TOCHA_INT64;
  case TOCHA_RESULT_TRUTH:
    return self == TOCHA_UINT8 ? TOCHA_UINT8 : TOCHA_BOOL;
  case TOCHA_RESULT_FLOATING:
    if (tocha_dtype_is_floating(dtype)) return dtype;
    tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR,
               "%s(): could not infer output dtype. %s dtype must be either a floating point or "
               "complex dtype. Got: %s",
               name, asked == TOCHA_NO_DTYPE ? "Input" : "Optional",
               tocha_dtype_scalar_type(dtype));
    tocha_hint(cx, "convert the tensor first: x:float():%s()", name);
    return TOCHA_NO_DTYPE;
  default:
    return dtype;
  }
}

/* Fails if a dimension in `over`, or the whole tensor, has no elements. Names the dimension as the
 * caller gave it, unlike tocha_check_not_empty. */
static bool check_has_elements(tocha_context *cx, const tocha_reduce_over *over, const char *name) {
  const tocha_tensor *t = over->self;
  if (over->dim_count == 0 && t->numel == 0) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "%s(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
               "reduction dim with the 'dim' argument.",
               name);
    return false;
  }
  for (int i = 0; i < over->dim_count && t->ndim > 0; i++) {
    int64_t d = over->dim[i];
    if (t->sizes[d < 0 ? d + t->ndim : d] != 0) continue;
    tocha_fail(cx, TOCHA_INDEX_ERROR, "%s(): Expected reduction dim %lld to have non-zero size.",
               name, (long long)d);
    return false;
  }
  return true;
}

tocha_tensor *tocha_reduce(tocha_context *cx, const tocha_reduction *reduction, const char *name,
                           tocha_reduce_over over, tocha_dtype dtype, double number) {
  tocha_reduced reduced;
  tocha_tensor *self = over.self;
  tocha_dtype result = result_dtype(cx, reduction, name, (tocha_dtype)self->dtype, dtype);
  if (result == TOCHA_NO_DTYPE ||
      !tocha_reduced_of(cx, self, over.dim_count, over.dim, over.keepdim, &reduced) ||
      (reduction->wants_elements && !check_has_elements(cx, &over, name)))
    return NULL;
  tocha_dtype compute = tocha_reduce_dtype(reduction->counts ? (tocha_dtype)self->dtype : result);
  bool floating = tocha_dtype_is_floating((tocha_dtype)self->dtype);
  /* Converts elements before they are added as integers. */
  if (!reduction->counts && compute == TOCHA_INT64 && (floating || result == TOCHA_BOOL))
    self = tocha_as_dtype(cx, self, result == TOCHA_BOOL ? TOCHA_BOOL : TOCHA_INT64);
  tocha_tensor *out = self ? tocha_new_reduced(cx, self, &reduced, result) : NULL;
  tocha_reduce_call call = {reduction, self, &reduced, compute, number, false, out, NULL};
  return out && tocha_run_reduction(cx, &call) ? out : NULL;
}

bool tocha_reduce_by_row(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                         tocha_results *results) {
  tocha_reduce_over over = {.self = args[0].tensor};
  tocha_dtype dtype = TOCHA_NO_DTYPE;
  double number = 0;
  for (int i = 1; i < op->parameter_count; i++) {
    switch (op->parameters[i].kind) {
    case TOCHA_KIND_DIMS:
      over.dim_count = args[i].count;
      over.dim = args[i].value.ints;
      break;
    case TOCHA_KIND_DIM:
      over.dim_count = args[i].given;
      over.dim = &args[i].value.integer;
      break;
    case TOCHA_KIND_BOOL:
      over.keepdim = args[i].value.flag;
      break;
    case TOCHA_KIND_DTYPE:
      if (args[i].given) dtype = args[i].value.dtype;
      break;
    default:
      number = args[i].value.real;
    }
  }
  const tocha_reduction *reduction = tocha_operator_of(op)->reduction;
  return (results->fixed[0] = tocha_reduce(cx, reduction, op->lua_name, over, dtype, number));
}
