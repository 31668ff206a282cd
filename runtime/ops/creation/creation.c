/* creation.c: tensors made from sizes and numbers: zeros, full, arange, linspace, eye, tril. */
#include <math.h>
#include <string.h>

#include "device/devices.h"
#include "ops/creation/kernels.h"
#include "tensor/convert.h"
#include "tensor/copy.h"
#include "tensor/iterator.h"
#include "ops/creation/sequence.h"
#include "creation/implementations.h"
#include "tocha/ops/diag_embed.h"
#include "tocha/ops/diagonal_copy.h"
#include "tocha/ops/index_add_.h"

/* --- what every factory does ----------------------------------------------------------------------- */

static tocha_device resolve_device(const tocha_context *cx, tocha_device device) {
  return device.type == TOCHA_NO_DEVICE ? cx->default_device : device;
}

static tocha_dtype dispatch_dtype(tocha_dtype dtype, tocha_dtype otherwise) {
  return dtype == TOCHA_NO_DTYPE ? otherwise : dtype;
}

static tocha_tensor *finish(tocha_context *cx, tocha_tensor *t, bool requires_grad) {
  if (!t || !requires_grad) return t;
  if (!tocha_dtype_is_floating((tocha_dtype)t->dtype))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Only Tensors of floating point and complex dtype can require gradients");
  return tocha_set_requires_grad(cx, t, true);
}

static tocha_tensor *filled(tocha_context *cx, tocha_tensor *t, tocha_scalar value,
                            bool requires_grad) {
  if (!t || !tocha_check_fits(cx, value, (tocha_dtype)t->dtype)) return NULL;
  return tocha_fill_data(cx, t, value) ? finish(cx, t, requires_grad) : NULL;
}

/* Uninitialized, with the sizes of like and its order of dimensions. */
static tocha_tensor *empty_like(tocha_context *cx, tocha_tensor *like, tocha_dtype dtype,
                                tocha_device device) {
  if (device.type == TOCHA_NO_DEVICE) device = like->device;
  return tocha_new_output(cx, like->ndim, like->sizes, dispatch_dtype(dtype, like->dtype), device,
                          1, &like);
}

static tocha_dtype dtype_of_number(const tocha_context *cx, tocha_scalar value) {
  if (value.kind == TOCHA_SCALAR_BOOL) return TOCHA_BOOL;
  return value.kind == TOCHA_SCALAR_INT ? TOCHA_INT64 : cx->default_dtype;
}

/* --- constant values --------------------------------------------------------------------------------- */

tocha_tensor *tocha_op_empty(tocha_context *cx, int size_count, const int64_t *size,
                             tocha_dtype dtype, tocha_device device, bool requires_grad) {
  tocha_tensor *t = tocha_new(cx, size_count, size, dispatch_dtype(dtype, cx->default_dtype),
                              resolve_device(cx, device));
  return finish(cx, t, requires_grad);
}

tocha_tensor *tocha_op_zeros(tocha_context *cx, int size_count, const int64_t *size,
                             tocha_dtype dtype, tocha_device device, bool requires_grad) {
  for (int i = 0; i < size_count; i++)
    if (size[i] < 0)
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "zeros: Dimension size must be non-negative.");
  tocha_tensor *t = tocha_new(cx, size_count, size, dispatch_dtype(dtype, cx->default_dtype),
                              resolve_device(cx, device));
  return filled(cx, t, tocha_int(0), requires_grad);
}

tocha_tensor *tocha_op_ones(tocha_context *cx, int size_count, const int64_t *size,
                            tocha_dtype dtype, tocha_device device, bool requires_grad) {
  tocha_tensor *t = tocha_new(cx, size_count, size, dispatch_dtype(dtype, cx->default_dtype),
                              resolve_device(cx, device));
  return filled(cx, t, tocha_int(1), requires_grad);
}

tocha_tensor *tocha_op_full(tocha_context *cx, int size_count, const int64_t *size,
                            tocha_scalar fill_value, tocha_dtype dtype, tocha_device device,
                            bool requires_grad) {
  tocha_tensor *t =
      tocha_new(cx, size_count, size, dispatch_dtype(dtype, dtype_of_number(cx, fill_value)),
                resolve_device(cx, device));
  return filled(cx, t, fill_value, requires_grad);
}

tocha_tensor *tocha_op_scalar_tensor(tocha_context *cx, tocha_scalar s, tocha_dtype dtype,
                                     tocha_device device, bool requires_grad) {
  tocha_tensor *t =
      tocha_new(cx, 0, NULL, dispatch_dtype(dtype, cx->default_dtype), resolve_device(cx, device));
  return filled(cx, t, s, requires_grad);
}

tocha_tensor *tocha_op_empty_like(tocha_context *cx, tocha_tensor *self, tocha_dtype dtype,
                                  tocha_device device, bool requires_grad) {
  return finish(cx, empty_like(cx, self, dtype, device), requires_grad);
}

tocha_tensor *tocha_op_zeros_like(tocha_context *cx, tocha_tensor *self, tocha_dtype dtype,
                                  tocha_device device, bool requires_grad) {
  return filled(cx, empty_like(cx, self, dtype, device), tocha_int(0), requires_grad);
}

tocha_tensor *tocha_op_ones_like(tocha_context *cx, tocha_tensor *self, tocha_dtype dtype,
                                 tocha_device device, bool requires_grad) {
  return filled(cx, empty_like(cx, self, dtype, device), tocha_int(1), requires_grad);
}

tocha_tensor *tocha_op_full_like(tocha_context *cx, tocha_tensor *self, tocha_scalar fill_value,
                                 tocha_dtype dtype, tocha_device device, bool requires_grad) {
  return filled(cx, empty_like(cx, self, dtype, device), fill_value, requires_grad);
}

tocha_tensor *tocha_op_new_empty(tocha_context *cx, tocha_tensor *self, int size_count,
                                 const int64_t *size, tocha_dtype dtype, tocha_device device,
                                 bool requires_grad) {
  if (device.type == TOCHA_NO_DEVICE) device = self->device;
  tocha_tensor *t = tocha_new(cx, size_count, size, dispatch_dtype(dtype, self->dtype), device);
  return finish(cx, t, requires_grad);
}

tocha_tensor *tocha_op_new_full(tocha_context *cx, tocha_tensor *self, int size_count,
                                const int64_t *size, tocha_scalar fill_value, tocha_dtype dtype,
                                tocha_device device, bool requires_grad) {
  tocha_tensor *t = tocha_op_new_empty(cx, self, size_count, size, dtype, device, false);
  return filled(cx, t, fill_value, requires_grad);
}

tocha_tensor *tocha_op_new_zeros(tocha_context *cx, tocha_tensor *self, int size_count,
                                 const int64_t *size, tocha_dtype dtype, tocha_device device,
                                 bool requires_grad) {
  return tocha_op_new_full(cx, self, size_count, size, tocha_int(0), dtype, device, requires_grad);
}

tocha_tensor *tocha_op_new_ones(tocha_context *cx, tocha_tensor *self, int size_count,
                                const int64_t *size, tocha_dtype dtype, tocha_device device,
                                bool requires_grad) {
  return tocha_op_new_full(cx, self, size_count, size, tocha_int(1), dtype, device, requires_grad);
}

tocha_tensor *tocha_op_empty_strided(tocha_context *cx, int size_count, const int64_t *size,
                                     int stride_count, const int64_t *stride, tocha_dtype dtype,
                                     tocha_device device, bool requires_grad) {
  char a[256], b[256];
  if (size_count != stride_count)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "dimensionality of sizes (%d) must match dimensionality of strides (%d)",
                      size_count, stride_count);
  int64_t span = 1;
  for (int i = 0; i < size_count; i++) {
    if (size[i] < 0) return tocha_new(cx, size_count, size, TOCHA_FLOAT32, tocha_cpu());
    int64_t step = 0;
    if (stride[i] < 0 || __builtin_mul_overflow(size[i] ? size[i] - 1 : 0, stride[i], &step) ||
        __builtin_add_overflow(span, step, &span))
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                        "Storage size calculation overflowed with sizes=%s and strides=%s",
                        tocha_shape_text(size_count, size, a, sizeof a),
                        tocha_shape_text(stride_count, stride, b, sizeof b));
  }
  for (int i = 0; i < size_count; i++)
    if (size[i] == 0) span = 0;
  tocha_tensor *memory =
      tocha_new(cx, 1, &span, dispatch_dtype(dtype, cx->default_dtype), resolve_device(cx, device));
  if (!memory) return NULL;
  return finish(cx, tocha_alias(cx, memory, size_count, size, stride, 0), requires_grad);
}

/* --- ranges ------------------------------------------------------------------------------------------ */

/* Values are computed by PyTorch in runs: the first of each run as start + index * step rounded to
 * the type, the others from it. RUN is the width of the vectors that it is built for. */
enum { RUN = 8 };

typedef struct range_args {
  char *data;
  tocha_dtype dtype;
  bool integers; /* start and step are whole numbers of an integer type */
  int64_t start_integer, step_integer;
  double start, step;
  int64_t count;
} range_args;

static void range_part(void *user, int64_t begin, int64_t end) {
  const range_args *j = user;
  size_t item = tocha_dtype_size(j->dtype);
  for (int64_t i = begin; i < end; i++) {
    char *at = j->data + (size_t)i * item;
    if (j->integers) {
      int64_t value =
          (int64_t)((uint64_t)j->start_integer + (uint64_t)i * (uint64_t)j->step_integer);
      if (j->dtype == TOCHA_INT64)
        *(int64_t *)(void *)at = value;
      else
        tocha_store_scalar(at, j->dtype, tocha_int(value));
    } else if (j->dtype == TOCHA_FLOAT32) {
      int64_t run = i < j->count / (2 * RUN) * (2 * RUN) ? i / RUN * RUN : i;
      float base = (float)(j->start + j->step * (double)run);
      *(float *)(void *)at = (float)((double)base + j->step * (double)(i - run));
    } else {
      tocha_store_scalar(at, j->dtype, tocha_float(j->start + j->step * (double)i));
    }
  }
}

static bool start_sequence(tocha_context *cx, tocha_tensor *t, tocha_sequence_args args) {
  tocha_stream *q = tocha_stream_of(cx, t->device);
  args.out = tocha_bytes(t);
  args.count = t->numel;
  args.dtype = (int8_t)t->dtype;
  return q && tocha_launched(cx, q->kernels->creation->sequence(q, &args));
}

static bool whole(tocha_scalar s) { return s.kind != TOCHA_SCALAR_FLOAT; }

/* The number of values, or -1 with PyTorch's error. */
static int64_t range_length(tocha_context *cx, tocha_scalar start, tocha_scalar stop,
                            tocha_scalar step) {
  double a = tocha_scalar_real(start), b = tocha_scalar_real(stop), s = tocha_scalar_real(step);
  if (!(s > 0 || s < 0)) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "step must be nonzero");
    return -1;
  }
  if (!isfinite(a) || !isfinite(b)) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "unsupported range: %g -> %g", isnan(a) ? fabs(a) : a,
               isnan(b) ? fabs(b) : b); /* nan has no sign in PyTorch's text */
    return -1;
  }
  if ((s > 0 && b < a) || (s < 0 && b > a)) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "upper bound and lower bound inconsistent with step sign");
    return -1;
  }
  if (whole(start) && whole(stop) && whole(step)) {
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

tocha_tensor *tocha_op_arange_start(tocha_context *cx, tocha_scalar start, tocha_scalar stop,
                                    tocha_scalar step, tocha_dtype dtype, tocha_device device,
                                    bool requires_grad) {
  bool integers = whole(start) && whole(stop) && whole(step);
  dtype = dispatch_dtype(dtype, integers ? TOCHA_INT64 : cx->default_dtype);
  int64_t n = range_length(cx, start, stop, step);
  if (n < 0) return NULL;
  device = resolve_device(cx, device);
  if (dtype == TOCHA_BOOL)
    return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"arange_%s\" not implemented for 'Bool'",
                      device.type == TOCHA_CUDA ? "cuda" : "cpu");
  tocha_tensor *t = tocha_new(cx, 1, &n, dtype, device);
  if (!t) return NULL;
  if (t->device.type != TOCHA_META && n > 0) {
    bool whole_type = tocha_dtype_is_integer(dtype);
    range_args args = {tocha_bytes(t),          dtype, whole_type, 0, 0, tocha_scalar_real(start),
                       tocha_scalar_real(step), n};
    if (whole_type) {
      args.start_integer = to_integer(start);
      args.step_integer = to_integer(step);
    }
    if (tocha_is_on_device(t)
            ? !start_sequence(cx, t,
                              (tocha_sequence_args){.kind = TOCHA_SEQUENCE_RANGE,
                                                    .whole_start = args.start_integer,
                                                    .whole_step = args.step_integer,
                                                    .start = args.start,
                                                    .step = args.step})
            : !tocha_parallel_for(cx, n, TOCHA_GRAIN, range_part, &args))
      return NULL;
  }
  return finish(cx, t, requires_grad);
}

tocha_tensor *tocha_op_arange(tocha_context *cx, tocha_scalar stop, tocha_dtype dtype,
                              tocha_device device, bool requires_grad) {
  return tocha_op_arange_start(cx, tocha_int(0), stop, tocha_int(1), dtype, device, requires_grad);
}

static double linspace_value(tocha_dtype dtype, double start, double stop, int64_t steps,
                             int64_t i) {
  bool single = dtype == TOCHA_FLOAT32 || dtype == TOCHA_FLOAT16 || dtype == TOCHA_BFLOAT16;
  return tocha_linspace_value(single, start, stop, steps, i);
}

static tocha_tensor *new_steps(tocha_context *cx, int64_t steps, tocha_dtype dtype,
                               tocha_device device) {
  if (steps < 0) return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "number of steps must be non-negative");
  return tocha_new(cx, 1, &steps, dispatch_dtype(dtype, cx->default_dtype),
                   resolve_device(cx, device));
}

/* Evenly spaced values are not defined in bool. */
static bool check_spaced(tocha_context *cx, const tocha_tensor *t, const char *name) {
  if (!t) return false;
  if (t->dtype != TOCHA_BOOL) return true;
  tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"%s_%s\" not implemented for 'Bool'", name,
             tocha_is_on_device(t) ? "cuda" : "cpu");
  return false;
}

tocha_tensor *tocha_op_linspace(tocha_context *cx, tocha_scalar start, tocha_scalar stop,
                                int64_t steps, tocha_dtype dtype, tocha_device device,
                                bool requires_grad) {
  tocha_tensor *t = new_steps(cx, steps, dtype, device);
  if (!check_spaced(cx, t, "linspace")) return NULL;
  dtype = (tocha_dtype)t->dtype;
  double a = tocha_scalar_real(start), b = tocha_scalar_real(stop);
  if (tocha_is_on_device(t)) {
    tocha_sequence_args args = {.kind = TOCHA_SEQUENCE_LINEAR, .start = a, .stop = b};
    if (steps > 0 && !start_sequence(cx, t, args)) return NULL;
  } else if (t->device.type != TOCHA_META) {
    for (int64_t i = 0; i < steps; i++)
      tocha_store_scalar(tocha_bytes(t) + (size_t)i * tocha_dtype_size(dtype), dtype,
                         tocha_float(linspace_value(dtype, a, b, steps, i)));
  }
  return finish(cx, t, requires_grad);
}

tocha_tensor *tocha_op_logspace(tocha_context *cx, tocha_scalar start, tocha_scalar stop,
                                int64_t steps, double base, tocha_dtype dtype, tocha_device device,
                                bool requires_grad) {
  tocha_tensor *t = new_steps(cx, steps, dtype, device);
  if (!check_spaced(cx, t, "logspace")) return NULL;
  dtype = (tocha_dtype)t->dtype;
  double a = tocha_scalar_real(start), b = tocha_scalar_real(stop);
  if (tocha_is_on_device(t)) {
    tocha_sequence_args args = {
        .kind = TOCHA_SEQUENCE_LOGARITHMIC, .start = a, .stop = b, .base = base};
    if (steps > 0 && !start_sequence(cx, t, args)) return NULL;
  } else if (t->device.type != TOCHA_META) {
    for (int64_t i = 0; i < steps; i++)
      tocha_store_scalar(tocha_bytes(t) + (size_t)i * tocha_dtype_size(dtype), dtype,
                         tocha_float(pow(base, linspace_value(dtype, a, b, steps, i))));
  }
  return finish(cx, t, requires_grad);
}

/* --- matrices ---------------------------------------------------------------------------------------- */

tocha_tensor *tocha_op_eye(tocha_context *cx, int64_t n, const int64_t *m, tocha_dtype dtype,
                           tocha_device device, bool requires_grad) {
  int64_t size[2] = {n, m ? *m : n};
  for (int i = 0; i < 2; i++)
    if (size[i] < 0)
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s must be greater or equal to 0, got %lld",
                        i ? "m" : "n", (long long)size[i]);
  tocha_tensor *t = tocha_op_zeros(cx, 2, size, dtype, device, false);
  if (!t) return NULL;
  int64_t count = size[0] < size[1] ? size[0] : size[1], stride = size[1] + 1;
  tocha_tensor *diagonal = tocha_alias(cx, t, 1, &count, &stride, 0);
  if (!diagonal || !tocha_fill_data(cx, diagonal, tocha_int(1))) return NULL;
  return finish(cx, t, requires_grad);
}

typedef struct triangle_args {
  const tocha_tensor *in, *out; /* out: row-major */
  int64_t diagonal, item;
  bool upper;
} triangle_args;

static void triangle_rows(void *user, int64_t begin, int64_t end) {
  const triangle_args *j = user;
  const tocha_tensor *in = j->in;
  int n = in->ndim;
  int64_t rows = in->sizes[n - 2], columns = in->sizes[n - 1];
  int64_t step = in->strides[n - 1] * j->item;
  for (int64_t r = begin; r < end; r++) {
    int64_t row = r % rows, outer = r / rows, offset = row * in->strides[n - 2];
    for (int d = n - 3; d >= 0; d--) {
      offset += outer % in->sizes[d] * in->strides[d];
      outer /= in->sizes[d];
    }
    int64_t edge = row + j->diagonal + (j->upper ? 0 : 1); /* the first column of the right part */
    edge = edge < 0 ? 0 : edge > columns ? columns : edge;
    int64_t first = j->upper ? edge : 0, last = j->upper ? columns : edge;
    char *to = tocha_bytes(j->out) + r * columns * j->item;
    const char *from = tocha_bytes(in) + offset * j->item;
    memset(to, 0, (size_t)(first * j->item));
    memset(to + last * j->item, 0, (size_t)((columns - last) * j->item));
    if (step == j->item) {
      memcpy(to + first * j->item, from + first * step, (size_t)((last - first) * j->item));
    } else {
      for (int64_t c = first; c < last; c++)
        memcpy(to + c * j->item, from + c * step, (size_t)j->item);
    }
  }
}

static tocha_tensor *triangle_on_device(tocha_context *cx, tocha_tensor *out, tocha_tensor *self,
                                        int64_t diagonal, bool upper) {
  tocha_stream *q = tocha_stream_of(cx, out->device);
  self = tocha_as_rows(cx, self, TOCHA_NO_DTYPE);
  if (!q || !self) return NULL;
  tocha_triangle_args args = {tocha_bytes(out),
                              tocha_bytes(self),
                              out->numel,
                              out->sizes[out->ndim - 2],
                              out->sizes[out->ndim - 1],
                              diagonal,
                              (int32_t)tocha_dtype_size(out->dtype),
                              upper};
  return tocha_launched(cx, q->kernels->creation->triangle(q, &args)) ? out : NULL;
}

static tocha_tensor *triangle(tocha_context *cx, tocha_tensor *self, int64_t diagonal, bool upper) {
  if (self->ndim < 2)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s: input tensor must have at least 2 dimensions",
                      upper ? "triu" : "tril");
  tocha_tensor *out = tocha_new_like(cx, self, self->dtype);
  if (!out || out->device.type == TOCHA_META || out->numel == 0) return out;
  int64_t columns = self->sizes[self->ndim - 1], rows = self->sizes[self->ndim - 2];
  if (diagonal < -rows - 1) diagonal = -rows - 1; /* beyond the corners nothing changes */
  if (diagonal > columns + 1) diagonal = columns + 1;
  if (tocha_is_on_device(out)) return triangle_on_device(cx, out, self, diagonal, upper);
  triangle_args args = {self, out, diagonal, (int64_t)tocha_dtype_size(self->dtype), upper};
  if (!tocha_parallel_for(cx, self->numel / columns, TOCHA_GRAIN / columns + 1, triangle_rows,
                          &args))
    return NULL;
  return out;
}

tocha_tensor *tocha_op_tril(tocha_context *cx, tocha_tensor *self, int64_t diagonal) {
  return triangle(cx, self, diagonal, false);
}

tocha_tensor *tocha_op_triu(tocha_context *cx, tocha_tensor *self, int64_t diagonal) {
  return triangle(cx, self, diagonal, true);
}

static int64_t between(int64_t value, int64_t least, int64_t most) {
  return value < least ? least : value > most ? most : value;
}

static tocha_tensor *triangle_indices(tocha_context *cx, int64_t rows, int64_t columns,
                                      int64_t offset, bool upper, tocha_device device) {
  if (rows < 0 || columns < 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s must be non-negative, got%lld",
                      rows < 0 ? "row" : "col", (long long)(rows < 0 ? rows : columns));
  if (rows > INT64_MAX / 4 || columns > INT64_MAX / 4)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "numel: integer multiplication overflow");
  offset = between(offset, -rows - 1, columns + 1);
  /* Rows begin..end have any, and from..to of them as many as there are columns; between the two
   * parts the number changes by one from row to row. */
  int64_t begin = upper ? 0 : between(-offset, 0, rows);
  int64_t end = upper ? between(columns - offset, 0, rows) : rows;
  int64_t from = upper ? begin : between(columns - offset - 1, begin, end);
  int64_t to = upper ? between(-offset, begin, end) : end;
  int64_t sloped = end - begin - (to - from),
          narrowest = upper ? columns - (end - 1) - offset : begin + offset + 1;
  double estimate = (double)(to - from) * (double)columns + (double)sloped * (double)columns;
  if (estimate > 1e15)
    return tocha_new(cx, 2, (const int64_t[]){2, INT64_MAX / 32}, TOCHA_INT64, /* refused */
                     resolve_device(cx, device));
  int64_t count = (to - from) * columns + sloped * narrowest + sloped * (sloped - 1) / 2, at = 0;
  tocha_tensor *t =
      tocha_new(cx, 2, (const int64_t[]){2, count}, TOCHA_INT64, resolve_device(cx, device));
  if (!t || t->device.type == TOCHA_META || count == 0) return t;
  int64_t *out = (int64_t *)(void *)tocha_bytes(t);
  if (tocha_is_on_device(t)) {
    tocha_stream *q = tocha_stream_of(cx, t->device);
    tocha_triangle_indices_args args = {out, count, rows, columns, offset, upper};
    return q && tocha_launched(cx, q->kernels->creation->triangle_indices(q, &args)) ? t : NULL;
  }
  for (int64_t r = begin; r < end; r++) {
    int64_t edge = between(r + offset + !upper, 0, columns);
    int64_t first = upper ? edge : 0, last = upper ? columns : edge;
    for (int64_t c = first; c < last; c++, at++) {
      out[at] = r;
      out[count + at] = c;
    }
  }
  return t;
}

tocha_tensor *tocha_op_tril_indices(tocha_context *cx, int64_t row, int64_t col, int64_t offset,
                                    tocha_device device) {
  return triangle_indices(cx, row, col, offset, false, device);
}

tocha_tensor *tocha_op_triu_indices(tocha_context *cx, int64_t row, int64_t col, int64_t offset,
                                    tocha_device device) {
  return triangle_indices(cx, row, col, offset, true, device);
}

/* A vector (its last dimension) along a diagonal of a new matrix. */
tocha_tensor *tocha_op_diag_embed(tocha_context *cx, tocha_tensor *self, int64_t offset,
                                  int64_t dim1, int64_t dim2) {
  int64_t sizes[TOCHA_MAX_DIMS], strides[TOCHA_MAX_DIMS];
  int n = self->ndim + 1;
  if (self->ndim == 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "diag_embed(): expected at least one dimension");
  if (!tocha_wrap_dim(cx, &dim1, n) || !tocha_wrap_dim(cx, &dim2, n)) return NULL;
  if (dim1 == dim2)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "diagonal dimensions cannot be identical %lld, %lld",
                      (long long)dim1, (long long)dim2);
  int64_t width;
  if (offset == INT64_MIN ||
      __builtin_add_overflow(self->sizes[self->ndim - 1], offset < 0 ? -offset : offset, &width))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "diag_embed(): offset %lld is out of range",
                      (long long)offset);
  for (int i = 0, from = 0; i < n; i++)
    sizes[i] = i == dim1 || i == dim2 ? width : self->sizes[from++];
  tocha_tensor *out = tocha_new(cx, n, sizes, self->dtype, self->device);
  if (!out || !tocha_fill_data(cx, out, tocha_int(0))) return NULL;
  int at = 0;
  for (int i = 0; i < n; i++)
    if (i != dim1 && i != dim2) strides[at++] = out->strides[i];
  strides[at] = out->strides[dim1] + out->strides[dim2];
  int64_t first = offset < 0 ? -offset * out->strides[dim1] : offset * out->strides[dim2];
  tocha_tensor *diagonal = tocha_alias(cx, out, self->ndim, self->sizes, strides, first);
  return diagonal && tocha_copy_data(cx, diagonal, self) ? out : NULL;
}

tocha_tensor *tocha_op_diag(tocha_context *cx, tocha_tensor *self, int64_t diagonal) {
  if (self->ndim == 1) return tocha_diag_embed(cx, self, diagonal, 0, 1);
  if (self->ndim == 2) return tocha_diagonal_copy(cx, self, diagonal, 0, 1);
  return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "diag(): Supports 1D or 2D tensors. Got %dD",
                    self->ndim);
}
