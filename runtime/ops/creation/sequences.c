/* sequences.c: arange, linspace and logspace: evenly spaced values. */
#include <math.h>
#include <stdio.h>

#include "creation/implementations.h"
#include "device/devices.h"
#include "ops/creation/factory.h"
#include "ops/creation/kernels.h"
#include "tensor/copy.h"

/* Fills t with the values of the sequence, and returns it as a factory does. */
static tocha_tensor *filled(tocha_context *cx, tocha_tensor *t, tocha_sequence_args *args,
                            bool requires_grad) {
  if (!t) return NULL;
  if (tocha_has_elements(t)) {
    tocha_stream *s = tocha_stream_of(cx, t->device);
    args->out = tocha_bytes(t);
    args->count = t->numel;
    args->dtype = t->dtype;
    if (!s || !tocha_launched(cx, s->kernels->creation->sequence(s, args))) return NULL;
  }
  return tocha_factory_finish(cx, t, requires_grad);
}

/* Fails for bool, which has no sequences. */
static bool check_sequence(tocha_context *cx, const char *name, tocha_dtype dtype,
                           tocha_device device) {
  if (dtype != TOCHA_BOOL) return true;
  if (device.type == TOCHA_NO_DEVICE) device = cx->default_device;
  tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"%s_%s\" not implemented for 'Bool'", name,
             device.type == TOCHA_CUDA ? "cuda" : "cpu");
  return false;
}

/* --- arange ---------------------------------------------------------------------------------- */

static bool is_integer(tocha_scalar s) { return s.kind != TOCHA_SCALAR_FLOAT; }

/* Returns the number of values of arange, or -1 with an error. */
static int64_t range_length(tocha_context *cx, tocha_scalar start, tocha_scalar stop,
                            tocha_scalar step) {
  double a = tocha_scalar_real(start), b = tocha_scalar_real(stop), s = tocha_scalar_real(step);
  if (s == 0 || !isfinite(s)) {
    if (s == 0)
      tocha_fail(cx, TOCHA_RUNTIME_ERROR, "step must be nonzero");
    else
      tocha_fail(cx, TOCHA_RUNTIME_ERROR, "step must be finite but got %g", s);
    return -1;
  }
  if (!isfinite(a) || !isfinite(b)) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "unsupported range: %g -> %g", a, b);
    return -1;
  }
  if ((s > 0 && b < a) || (s < 0 && b > a)) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "upper bound and lower bound inconsistent with step sign");
    return -1;
  }
  if (is_integer(start) && is_integer(stop) && is_integer(step)) {
    int64_t width, by = step.value.integer;
    if (!__builtin_sub_overflow(stop.value.integer, start.value.integer, &width) && by != INT64_MIN)
      return width / by + (width % by != 0);
  }
  double length = ceil((b - a) / s);
  if (!(length < 0x1p63)) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "invalid size, possible overflow?");
    return -1;
  }
  return (int64_t)length;
}

static int64_t to_integer(tocha_scalar s) {
  return s.kind == TOCHA_SCALAR_FLOAT ? (int64_t)s.value.real : s.value.integer;
}

/* Fails if a number does not fit into the dtype that is computed in: int64 for integers, float32 for 16-bit floats. */
static bool check_range(tocha_context *cx, tocha_dtype dtype, tocha_scalar number) {
  tocha_dtype counted = tocha_dtype_is_integer(dtype)  ? TOCHA_INT64
                        : tocha_dtype_size(dtype) == 2 ? TOCHA_FLOAT32
                                                       : TOCHA_FLOAT64;
  return tocha_check_fits(cx, number, counted);
}

tocha_tensor *tocha_op_arange_start(tocha_context *cx, tocha_scalar start, tocha_scalar stop,
                                    tocha_scalar step, tocha_dtype dtype, tocha_device device,
                                    bool requires_grad) {
  bool integers = is_integer(start) && is_integer(stop) && is_integer(step);
  if (dtype == TOCHA_NO_DTYPE) dtype = integers ? TOCHA_INT64 : cx->default_dtype;
  if (!check_sequence(cx, "arange", dtype, device)) return NULL;
  int64_t n = range_length(cx, start, stop, step);
  if (n < 0 || !check_range(cx, dtype, start) || !check_range(cx, dtype, stop) ||
      !check_range(cx, dtype, step))
    return NULL;
  tocha_sequence_args args = {.kind = TOCHA_SEQUENCE_RANGE,
                              .start = tocha_scalar_real(start),
                              .step = tocha_scalar_real(step)};
  if (tocha_dtype_is_integer(dtype)) {
    args.integer_start = to_integer(start);
    args.integer_step = to_integer(step);
  }
  return filled(cx, tocha_factory_new(cx, 1, &n, dtype, dtype, device), &args, requires_grad);
}

/* --- linspace, logspace ---------------------------------------------------------------------- */

typedef struct spacing {
  tocha_scalar start, stop;
  int64_t steps;
  bool powers; /* the values are powers of base */
  double base;
} spacing;

/* Writes the value of a sequence of one value. It is written as a number, without the sequence's computation. */
static tocha_tensor *single(tocha_context *cx, tocha_tensor *t, const spacing *s) {
  tocha_scalar value =
      s->powers ? tocha_float(pow(s->base, tocha_scalar_real(s->start))) : s->start;
  /* 16-bit types are filled through float32 */
  bool half = t->dtype == TOCHA_FLOAT16 || t->dtype == TOCHA_BFLOAT16;
  tocha_dtype through = half ? TOCHA_FLOAT32 : (tocha_dtype)t->dtype;
  return tocha_check_fits(cx, value, through) && tocha_fill_data(cx, t, value) ? t : NULL;
}

static tocha_tensor *sequence(tocha_context *cx, const char *name, tocha_tensor *t,
                              const spacing *s) {
  tocha_sequence_args args = {.kind =
                                  s->powers ? TOCHA_SEQUENCE_LOGARITHMIC : TOCHA_SEQUENCE_LINEAR,
                              .start = tocha_scalar_real(s->start),
                              .stop = tocha_scalar_real(s->stop),
                              .base = s->base};
  if (!check_sequence(cx, name, t->dtype, t->device) || !tocha_check_fits(cx, s->start, t->dtype) ||
      !tocha_check_fits(cx, s->stop, t->dtype))
    return NULL;
  if (tocha_dtype_is_integer(t->dtype)) { /* the bounds are converted to the dtype first */
    args.start = trunc(args.start);
    args.stop = trunc(args.stop);
  }
  return filled(cx, t, &args, false);
}

static tocha_tensor *spaced(tocha_context *cx, const char *name, const spacing *s,
                            tocha_dtype dtype, tocha_device device, bool requires_grad) {
  if (s->steps < 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "number of steps must be non-negative");
  tocha_tensor *t = tocha_factory_new(cx, 1, &s->steps, dtype, cx->default_dtype, device);
  if (t && s->steps) t = s->steps == 1 ? single(cx, t, s) : sequence(cx, name, t, s);
  return t ? tocha_factory_finish(cx, t, requires_grad) : NULL;
}

tocha_tensor *tocha_op_linspace(tocha_context *cx, tocha_scalar start, tocha_scalar stop,
                                int64_t steps, tocha_dtype dtype, tocha_device device,
                                bool requires_grad) {
  spacing s = {start, stop, steps, false, 0};
  return spaced(cx, "linspace", &s, dtype, device, requires_grad);
}

tocha_tensor *tocha_op_logspace(tocha_context *cx, tocha_scalar start, tocha_scalar stop,
                                int64_t steps, double base, tocha_dtype dtype, tocha_device device,
                                bool requires_grad) {
  spacing s = {start, stop, steps, true, base};
  return spaced(cx, "logspace", &s, dtype, device, requires_grad);
}

/* --- between tensors ------------------------------------------------------------------------- */

static void say_dims(char *text, size_t size, const char *name, const tocha_tensor *t) {
  if (t) snprintf(text, size, "%s with %d dimension(s)", name, t->ndim);
}

/* Reads the bounds, numbers or 0-dim tensors. Fails if a tensor has dimensions. */
static bool bounds(tocha_context *cx, const char *name, tocha_operand start, tocha_operand stop,
                   tocha_scalar *first, tocha_scalar *last) {
  char a[48] = "", b[48] = "";
  tocha_tensor *s = start.tensor, *e = stop.tensor;
  if ((s && s->ndim) || (e && e->ndim)) {
    say_dims(a, sizeof a, "start", s);
    say_dims(b, sizeof b, "end", e);
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "%s only supports 0-dimensional start and end tensors, but got %s%s%s.", name, a,
               s && e ? " and " : "", b);
    return false;
  }
  *first = start.scalar;
  *last = stop.scalar;
  return (!s || tocha_item(cx, s, first)) && (!e || tocha_item(cx, e, last));
}

tocha_tensor *tocha_op_linspace_tensors(tocha_context *cx, tocha_operand start, tocha_operand stop,
                                        int64_t steps, tocha_dtype dtype, tocha_device device,
                                        bool requires_grad) {
  tocha_scalar first, last;
  if (!bounds(cx, "linspace", start, stop, &first, &last)) return NULL;
  return tocha_op_linspace(cx, first, last, steps, dtype, device, requires_grad);
}

tocha_tensor *tocha_op_logspace_tensors(tocha_context *cx, tocha_operand start, tocha_operand stop,
                                        int64_t steps, double base, tocha_dtype dtype,
                                        tocha_device device, bool requires_grad) {
  tocha_scalar first, last;
  if (!bounds(cx, "logspace", start, stop, &first, &last)) return NULL;
  return tocha_op_logspace(cx, first, last, steps, base, dtype, device, requires_grad);
}
