/* pad_modes.c: padding with a tensor's own elements: reflected, replicated or circular. The result
 * consists of rows and columns of the input. Its gradient is computed dimension by dimension, as a
 * sum at positions. */
#include <string.h>

#include "device/devices.h"
#include "ops/shape/pad_formula.h"
#include "ops/shape/pad_modes.h"
#include "shape/implementations.h"
#include "tensor/geometry.h"
#include "tensor/copy.h"
#include "tocha/ops/private/pad_circular.h"
#include "tocha/ops/constant_pad_nd.h"
#include "tocha/ops/private/index_select_backward.h"
#include "tocha/ops/reflection_pad1d.h"
#include "tocha/ops/reflection_pad2d.h"
#include "tocha/ops/reflection_pad3d.h"
#include "tocha/ops/replication_pad1d.h"
#include "tocha/ops/replication_pad2d.h"
#include "tocha/ops/replication_pad3d.h"

static int64_t mode_of(const char *name) {
  return name[0] == 'c'   ? TOCHA_PAD_CIRCULAR
         : name[2] == 'f' ? TOCHA_PAD_REFLECT
                          : TOCHA_PAD_REPLICATE;
}

/* Returns a dimension of n elements. For circular padding, the period is the part that negative
 * padding leaves. */
static tocha_pad_axis axis_of(int64_t n, const int64_t *sides) {
  int64_t first = sides[0] < 0 ? -sides[0] : 0;
  return (tocha_pad_axis){.in = n,
                          .out = n + sides[0] + sides[1],
                          .before = sides[0],
                          .first = first,
                          .period = n - first + (sides[1] < 0 ? sides[1] : 0)};
}

/* Returns the source positions of a padded dimension of n elements, on the device. */
static tocha_tensor *positions(tocha_context *cx, const char *mode, int64_t n, const int64_t *sides,
                               tocha_device device) {
  tocha_pad_axis axis = axis_of(n, sides);
  tocha_device cpu = {TOCHA_CPU, 0};
  tocha_tensor *t = tocha_new(cx, 1, &axis.out, TOCHA_INT64, cpu);
  if (!t) return NULL;
  int64_t *at = (int64_t *)tocha_bytes(t);
  for (int64_t i = 0; i < axis.out; i++) at[i] = tocha_pad_source(mode_of(mode), &axis, i);
  return tocha_as_device(cx, t, device);
}

static int64_t product(const int64_t *sizes, int count) {
  int64_t n = 1;
  for (int d = 0; d < count; d++) n *= sizes[d];
  return n;
}

tocha_tensor *tocha_padded_places(tocha_context *cx, const char *mode, const int64_t *padded_sizes,
                                  const int64_t *sizes, int ndim, int first, int padded,
                                  const int64_t *pad, tocha_device device) {
  tocha_device cpu = {TOCHA_CPU, 0};
  int64_t n = product(padded_sizes + ndim - padded, padded - first);
  tocha_tensor *t = tocha_new(cx, 1, &n, TOCHA_INT64, cpu);
  if (!t) return NULL;
  int64_t *at = (int64_t *)tocha_bytes(t);
  for (int64_t r = 0; r < n; r++) {
    int64_t rest = r, step = 1;
    at[r] = 0;
    for (int i = first; i < padded; i++) {
      int d = ndim - 1 - i;
      tocha_pad_axis axis = axis_of(sizes[d], pad + 2 * i);
      at[r] += step * tocha_pad_source(mode_of(mode), &axis, rest % padded_sizes[d]);
      rest /= padded_sizes[d], step *= sizes[d];
    }
  }
  return tocha_as_device(cx, t, device);
}

/* Returns the arguments for a tensor of these sizes, with the padding of its last dimensions. */
static tocha_pad_args pad_args_of(const tocha_tensor *t, int ndim, const int64_t *sizes, int padded,
                                  const int64_t *pad, const char *mode) {
  const tocha_pad_axis single = {1, 1, 0, 0, 1};
  tocha_pad_args args = {.planes = product(sizes, ndim - padded),
                         .mode = mode_of(mode),
                         .dtype = t->dtype,
                         .axes = {single, single, single}};
  for (int i = 0; i < padded; i++) args.axes[2 - i] = axis_of(sizes[ndim - 1 - i], pad + 2 * i);
  return args;
}

static tocha_tensor *continued(tocha_context *cx, tocha_tensor *self, int count, const int64_t *pad,
                               const char *mode) {
  int64_t sizes[TOCHA_MAX_DIMS];
  int last = self->ndim - 1, padded = count / 2;
  memcpy(sizes, self->sizes, (size_t)self->ndim * sizeof *sizes);
  for (int i = 0; i < padded; i++) sizes[last - i] += pad[2 * i] + pad[2 * i + 1];
  tocha_tensor *in = tocha_as_rows(cx, self, (tocha_dtype)self->dtype);
  tocha_tensor *out = tocha_new(cx, self->ndim, sizes, (tocha_dtype)self->dtype, self->device);
  if (!in || !out) return NULL;
  if (!tocha_has_elements(out)) return out;
  tocha_stream *s = tocha_stream_of(cx, self->device);
  if (s && s->kernels->shape->pad && padded <= 3) {
    tocha_pad_args args = pad_args_of(self, self->ndim, self->sizes, padded, pad, mode);
    args.in = tocha_bytes(in);
    args.out = tocha_bytes(out);
    if (!tocha_launched(cx, s->kernels->shape->pad(s, &args))) return NULL;
    return strcmp(mode, "circular") == 0 ? out : tocha_in_format_of(cx, out, self);
  }
  tocha_tensor *column = positions(cx, mode, self->sizes[last], pad, self->device);
  tocha_tensor *row =
      tocha_padded_places(cx, mode, sizes, self->sizes, self->ndim, 1, padded, pad, self->device);
  if (!column || !row || !s) return NULL;
  tocha_pick_args args = {.in = tocha_bytes(in),
                          .out = tocha_bytes(out),
                          .row = (const int64_t *)(const void *)tocha_bytes(row),
                          .column = (const int64_t *)(const void *)tocha_bytes(column),
                          .planes = product(sizes, self->ndim - padded),
                          .rows = row->numel,
                          .columns = sizes[last],
                          .from_rows = product(self->sizes + self->ndim - padded, padded - 1),
                          .from_columns = self->sizes[last],
                          .bytes = (int64_t)tocha_dtype_size(self->dtype)};
  if (!tocha_launched(cx, s->kernels->shape->pick(s, &args))) return NULL;
  return strcmp(mode, "circular") == 0 ? out : tocha_in_format_of(cx, out, self);
}

/* Returns the gradient by one kernel. */
static tocha_tensor *gathered(tocha_context *cx, tocha_tensor *grad, int ndim, const int64_t *sizes,
                              int padded, const int64_t *pad, const char *mode) {
  tocha_tensor *in = tocha_as_rows(cx, grad, (tocha_dtype)grad->dtype);
  tocha_tensor *out = tocha_new(cx, ndim, sizes, (tocha_dtype)grad->dtype, grad->device);
  if (!in || !out || !tocha_has_elements(out)) return in ? out : NULL;
  tocha_stream *s = tocha_stream_of(cx, grad->device);
  if (!s) return NULL;
  tocha_pad_args args = pad_args_of(grad, ndim, sizes, padded, pad, mode);
  args.in = tocha_bytes(in);
  args.out = tocha_bytes(out);
  return tocha_launched(cx, s->kernels->shape->pad_backward(s, &args)) ? out : NULL;
}

static bool gathers(tocha_context *cx, const tocha_tensor *grad, int padded) {
  tocha_stream *s = grad->device.type == TOCHA_META ? NULL : tocha_stream_of(cx, grad->device);
  return s && s->kernels->shape->pad_backward && padded <= 3 &&
         tocha_dtype_is_floating((tocha_dtype)grad->dtype);
}

tocha_tensor *tocha_op__pad_backward(tocha_context *cx, tocha_tensor *grad_output, int sizes_count,
                                     const int64_t *sizes, int count, const int64_t *pad,
                                     const char *mode) {
  tocha_tensor *grad = grad_output;
  if (gathers(cx, grad, count / 2))
    return gathered(cx, grad, sizes_count, sizes, count / 2, pad, mode);
  for (int i = count / 2 - 1; i >= 0 && grad; i--) {
    int d = sizes_count - 1 - i;
    int64_t now[TOCHA_MAX_DIMS];
    if (pad[2 * i] == 0 && pad[2 * i + 1] == 0) continue;
    memcpy(now, grad->sizes, (size_t)grad->ndim * sizeof *now);
    now[d] = sizes[d];
    tocha_tensor *at = positions(cx, mode, sizes[d], pad + 2 * i, grad->device);
    grad = at ? tocha_private_index_select_backward(cx, grad, grad->ndim, now, d, at) : NULL;
  }
  return grad;
}

/* --- checks ------------------------------------------------------------------------------------------------- */

static bool check_input(tocha_context *cx, const tocha_tensor *self, int space) {
  char text[256];
  bool ok = self->ndim == space + 1 || self->ndim == space + 2;
  for (int d = self->ndim == space + 2; d < self->ndim; d++) ok = ok && self->sizes[d] != 0;
  if (!ok)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Expected %dD or %dD (batch mode) tensor with possibly 0 batch size and other "
               "non-zero dimensions for input, but got: %s",
               space + 1, space + 2, tocha_shape_text(self->ndim, self->sizes, text, sizeof text));
  return ok;
}

static bool check_reflection(tocha_context *cx, const tocha_tensor *self, int space,
                             const int64_t *pad) {
  char text[256];
  for (int i = 0; i < space; i++) {
    int d = self->ndim - 1 - i;
    if (pad[2 * i] < self->sizes[d] && pad[2 * i + 1] < self->sizes[d]) continue;
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Argument #%d: Padding size should be less than the corresponding input dimension, "
               "but got: padding (%lld, %lld) at dimension %d of input %s",
               4 + 2 * i, (long long)pad[2 * i], (long long)pad[2 * i + 1], d,
               tocha_shape_text(self->ndim, self->sizes, text, sizeof text));
    return false;
  }
  return true;
}

static bool check_output(tocha_context *cx, const tocha_tensor *self, int space,
                         const int64_t *pad) {
  int64_t in[3] = {0}, out[3] = {0};
  bool ok = true;
  if (!tocha_fits_int(cx, 2 * space, pad)) return false;
  for (int i = 0; i < space; i++) {
    in[i] = self->sizes[self->ndim - 1 - i];
    out[i] = in[i] + pad[2 * i] + pad[2 * i + 1];
    ok = ok && out[i] >= 1;
  }
  if (ok) return true;
  if (space == 1)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "input (W: %lld) is too small. Calculated output W: %lld",
               (long long)in[0], (long long)out[0]);
  else if (space == 2)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Calculated output H: %lld W: %lld must be >= 1 in every dimension (input H: %lld, "
               "W: %lld)",
               (long long)out[1], (long long)out[0], (long long)in[1], (long long)in[0]);
  else
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "input (D: %lld H: %lld, W: %lld) is too small. Calculated output D: %lld H: %lld "
               "W: %lld",
               (long long)in[2], (long long)in[1], (long long)in[0], (long long)out[2],
               (long long)out[1], (long long)out[0]);
  return false;
}

static tocha_tensor *pad_as(tocha_context *cx, tocha_tensor *self, int count, const int64_t *pad,
                            int space, const char *mode) {
  bool reflects = mode[2] == 'f';
  if (count != 2 * space)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "padding size is expected to be %d, but got: %d",
                      2 * space, count);
  if (!check_input(cx, self, space) || (reflects && !check_reflection(cx, self, space, pad)) ||
      !check_output(cx, self, space, pad))
    return NULL;
  if (self->dtype == TOCHA_BOOL)
    return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"%s_pad%dd\" not implemented for 'Bool'",
                      reflects ? "reflection" : "replication", space);
  return continued(cx, self, count, pad, mode);
}

#define PAD(op, space, mode)                                                                       \
  tocha_tensor *tocha_op_##op(tocha_context *cx, tocha_tensor *self, int n, const int64_t *pad) {  \
    return pad_as(cx, self, n, pad, space, mode);                                                  \
  }
PAD(reflection_pad1d, 1, "reflect")
PAD(reflection_pad2d, 2, "reflect")
PAD(reflection_pad3d, 3, "reflect")
PAD(replication_pad1d, 1, "replicate")
PAD(replication_pad2d, 2, "replicate")
PAD(replication_pad3d, 3, "replicate")

tocha_tensor *tocha_op__pad_circular(tocha_context *cx, tocha_tensor *self, int count,
                                     const int64_t *pad) {
  if (count < 2 || count > 6 || count / 2 > self->ndim)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "_pad_circular: %d numbers for %d dimensions", count,
                      self->ndim);
  for (int i = 0; i < count / 2; i++) {
    int64_t n = self->sizes[self->ndim - 1 - i], before = pad[2 * i], after = pad[2 * i + 1];
    if (before > n || after > n)
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                        "Padding value causes wrapping around more than once.");
    if (n + before + after < 0)
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                        "Negative padding value is resulting in an empty dimension");
  }
  return continued(cx, self, count, pad, "circular");
}

/* --- torch.nn.functional.pad ----------------------------------------------------------------------------------- */

typedef tocha_tensor *pad_function(tocha_context *cx, tocha_tensor *self, int n,
                                   const int64_t *pad);

static bool is_mode(const char *mode) {
  static const char *const modes[] = {"constant", "reflect", "replicate", "circular"};
  for (int i = 0; i < TOCHA_COUNT(modes); i++)
    if (strcmp(mode, modes[i]) == 0) return true;
  return false;
}

static pad_function *function_of(const char *mode, int space) {
  static pad_function *const reflection[] = {tocha_reflection_pad1d, tocha_reflection_pad2d,
                                             tocha_reflection_pad3d};
  static pad_function *const replication[] = {tocha_replication_pad1d, tocha_replication_pad2d,
                                              tocha_replication_pad3d};
  if (strcmp(mode, "reflect") == 0) return reflection[space - 1];
  if (strcmp(mode, "replicate") == 0) return replication[space - 1];
  return tocha_private_pad_circular;
}

tocha_tensor *tocha_op_pad(tocha_context *cx, tocha_tensor *input, int count, const int64_t *pad,
                           const char *mode, const double *value) {
  int space = count / 2;
  if (!is_mode(mode))
    return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "Unrecognised padding mode %s", mode);
  if (count % 2)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Padding length must be divisible by 2");
  if (space <= input->ndim && strcmp(mode, "constant") == 0)
    return tocha_constant_pad_nd(cx, input, count, pad, tocha_float(value ? *value : 0));
  if (space > input->ndim)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Padding length should be less than or equal to two times the input "
                      "dimension but got padding length %d and input of dimension %d",
                      count, input->ndim);
  if (value && *value != 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Padding mode \"%s\" doesn't take in value argument",
                      mode);
  bool fits = space >= 1 && space <= 3 && (input->ndim == space + 1 || input->ndim == space + 2);
  if (!fits)
    return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR,
                      "Padding size %d is not supported for %dD input tensor.\n"
                      "Supported combinations for non-constant padding:\n"
                      "  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
                      "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
                      "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)",
                      count, input->ndim);
  return function_of(mode, space)(cx, input, count, pad);
}
