/* copy.c: the operators that copy: copy_, clone, contiguous, to, fill_, fill_diagonal_. */
#include "tensor/copy.h"

#include <math.h>
#include <string.h>

#include "device/devices.h"
#include "tensor/geometry.h"
#include "tensor/iterator.h"
#include "tensor/output.h"
#include "creation/implementations.h"
#include "ops/creation/factory.h"
#include "tocha/ops/as_strided.h"
#include "tocha/ops/clone.h"
#include "tocha/ops/contiguous.h"
#include "tocha/ops/fill_.h"
#include "tocha/ops/to_copy.h"

/* --- clone, contiguous, to -------------------------------------------------------------------------- */

bool tocha_read_memory_format(tocha_context *cx, const char *op, const char *text,
                              tocha_named_format *format) {
  if (!text || strcmp(text, "torch.preserve_format") == 0)
    *format = TOCHA_FORMAT_PRESERVE;
  else if (strcmp(text, "torch.contiguous_format") == 0)
    *format = TOCHA_FORMAT_CONTIGUOUS;
  else if (strcmp(text, "torch.channels_last") == 0)
    *format = TOCHA_FORMAT_CHANNELS_LAST;
  else if (strcmp(text, "torch.channels_last_3d") == 0)
    *format = TOCHA_FORMAT_CHANNELS_LAST_3D;
  else
    return tocha_fail(cx, TOCHA_TYPE_ERROR,
                      "%s(): argument 'memory_format' must be torch.memory_format, not str",
                      op) != NULL;
  return true;
}

bool tocha_check_channels_last(tocha_context *cx, tocha_named_format format, int ndim,
                               const int64_t *sizes, int64_t *strides) {
  bool volumes = format == TOCHA_FORMAT_CHANNELS_LAST_3D;
  if (ndim != (volumes ? 5 : 4)) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "required rank %d tensor to use channels_last%s format",
               volumes ? 5 : 4, volumes ? "_3d" : "");
    return false;
  }
  tocha_channels_last_strides(ndim, sizes, strides);
  return true;
}

static bool has_format(tocha_context *cx, const tocha_tensor *t, tocha_named_format format,
                       bool *has) {
  int64_t strides[TOCHA_MAX_DIMS];
  *has = tocha_is_contiguous(t);
  if (!tocha_format_is_channels_last(format)) return true;
  if (!tocha_check_channels_last(cx, format, t->ndim, t->sizes, strides)) return false;
  *has = tocha_has_channels_last_strides(t);
  return true;
}

tocha_tensor *tocha_op_clone(tocha_context *cx, tocha_tensor *self, const char *memory_format_) {
  tocha_named_format format;
  int64_t strides[TOCHA_MAX_DIMS];
  if (!tocha_read_memory_format(cx, "clone", memory_format_, &format)) return NULL;
  if (!tocha_format_is_channels_last(format))
    return tocha_copy_as(cx, self, TOCHA_NO_DTYPE, tocha_its_device(),
                         format == TOCHA_FORMAT_CONTIGUOUS ? TOCHA_CONTIGUOUS_FORMAT
                                                           : TOCHA_PRESERVE_FORMAT);
  if (!tocha_check_channels_last(cx, format, self->ndim, self->sizes, strides)) return NULL;
  tocha_tensor *copy =
      tocha_new_strided(cx, self->ndim, self->sizes, strides, self->dtype, self->device);
  return copy && tocha_copy_data(cx, copy, self) ? copy : NULL;
}

tocha_tensor *tocha_op_contiguous(tocha_context *cx, tocha_tensor *self,
                                  const char *memory_format_) {
  tocha_named_format format;
  bool has;
  if (!tocha_read_memory_format(cx, "contiguous", memory_format_, &format) ||
      !has_format(cx, self, format, &has))
    return NULL;
  if (has) return self;
  return tocha_clone_full(
      cx, self, tocha_format_is_channels_last(format) ? memory_format_ : "torch.contiguous_format");
}

tocha_tensor *tocha_op_to_copy(tocha_context *cx, tocha_tensor *self, tocha_dtype dtype,
                               tocha_device device, bool non_blocking) {
  if (dtype == TOCHA_NO_DTYPE) dtype = self->dtype;
  if (device.type == TOCHA_NO_DEVICE) device = self->device;
  tocha_tensor *copy = tocha_new_copy_of(cx, self, dtype, device);
  return copy && tocha_copy_values(cx, copy, self, !non_blocking) ? copy : NULL;
}

bool tocha_to_copy_backward(tocha_backward_frame *f) {
  if (!f->grads[0]) return true;
  tocha_shape s = tocha_edge_shape(f, 0);
  f->out[0] = tocha_to_copy_full(f->cx, f->grads[0], s.dtype, s.device, false);
  return f->out[0] != NULL;
}

/* Returns true if a tensor on `have` is already on the device `asked`. "cpu" and "cpu:0" are the same device. */
static bool same_device(tocha_device asked, tocha_device have) {
  return asked.type == TOCHA_NO_DEVICE ||
         (asked.type == have.type &&
          (asked.index == have.index || asked.type == TOCHA_CPU || asked.type == TOCHA_META));
}

/* Returns t in a memory format; preserve_format and NULL mean its own. A tensor that was not copied counts as contiguous
 * whatever its strides are, unless they are channels_last. */
static tocha_tensor *in_format(tocha_context *cx, const char *op, tocha_tensor *t, bool copied,
                               const char *text) {
  tocha_named_format format;
  if (!t || !tocha_read_memory_format(cx, op, text, &format)) return NULL;
  bool channels_last = (t->ndim == 4 || t->ndim == 5) && tocha_has_channels_last_strides(t);
  bool stays = format == TOCHA_FORMAT_CONTIGUOUS && !copied && !channels_last;
  return stays || format == TOCHA_FORMAT_PRESERVE ? t : tocha_contiguous_full(cx, t, text);
}

tocha_tensor *tocha_op_converted(tocha_context *cx, tocha_tensor *self, tocha_device device,
                                 tocha_dtype dtype, bool non_blocking, bool copy,
                                 const char *format, const char *name) {
  bool same_dtype = dtype == TOCHA_NO_DTYPE || dtype == self->dtype;
  device = tocha_concrete_device(cx, device);
  bool copies = copy || !same_dtype || !same_device(device, self->device);
  if (copies) self = tocha_to_copy_full(cx, self, dtype, device, non_blocking);
  return format ? in_format(cx, name, self, copies, format) : self;
}

/* --- x:float(), x:long(), ... ------------------------------------------------------------------ */

tocha_tensor *tocha_op_to_named_dtype(tocha_context *cx, tocha_tensor *self, const char *format,
                                      int dtype, const char *name) {
  return tocha_op_converted(cx, self, self->device, (tocha_dtype)dtype, false, false, format, name);
}

tocha_tensor *tocha_op_cpu_method(tocha_context *cx, tocha_tensor *self, const char *format) {
  return tocha_op_converted(cx, self, tocha_cpu(), TOCHA_NO_DTYPE, false, false, format, "cpu");
}

/* Returns a tensor that shares memory and version with self, but is not a differentiable view of it. */
tocha_tensor *tocha_op_detach(tocha_context *cx, tocha_tensor *self) {
  tocha_tensor *t = tocha_shallow(cx, self);
  /* an inference tensor has no version to share */
  bool fresh = self->flags & TOCHA_FLAG_INFERENCE && !cx->inference;
  if (t && fresh) t->flags |= TOCHA_FLAG_UNTRACKED;
  return t;
}

tocha_tensor *tocha_op_variable_data(tocha_context *cx, tocha_tensor *self) {
  tocha_tensor *t = tocha_shallow(cx, self);
  if (t) t->flags |= TOCHA_FLAG_UNTRACKED;
  return t;
}

/* --- writing into a tensor -------------------------------------------------------------------------- */

tocha_tensor *tocha_op_copy_(tocha_context *cx, tocha_tensor *self, tocha_tensor *src,
                             bool non_blocking) {
  int ndim;
  int64_t sizes[TOCHA_MAX_DIMS];
  tocha_tensor *both[2] = {self, src};
  if (!tocha_broadcast_sizes(cx, 2, both, &ndim, sizes)) return NULL;
  if (ndim != self->ndim || memcmp(sizes, self->sizes, (size_t)ndim * sizeof *sizes) != 0) {
    char a[256], b[256];
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "output with shape %s doesn't match the broadcast shape %s",
                      tocha_shape_text(self->ndim, self->sizes, a, sizeof a),
                      tocha_shape_text(ndim, sizes, b, sizeof b));
  }
  if (self->storage == src->storage && self->storage->data &&
      (self->offset != src->offset || !tocha_same_sizes(self, src) ||
       memcmp(self->strides, src->strides, self->ndim * sizeof *self->strides) != 0)) {
    src = tocha_copy_as(cx, src, TOCHA_NO_DTYPE, tocha_its_device(),
                        TOCHA_PRESERVE_FORMAT); /* the views may overlap */
    if (!src) return NULL;
  }
  return tocha_copy_values(cx, self, src, !non_blocking) ? self : NULL;
}

tocha_tensor *tocha_op_fill_(tocha_context *cx, tocha_tensor *self, tocha_scalar value) {
  if (!tocha_check_fill(cx, self, value)) return NULL;
  return tocha_fill_data(cx, self, value) ? self : NULL;
}

tocha_tensor *tocha_op_fill__tensor(tocha_context *cx, tocha_tensor *self, tocha_tensor *value) {
  if (value->ndim != 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "fill_ only supports 0-dimension value tensor but got tensor with %d "
                      "dimensions.",
                      value->ndim);
  return tocha_copy_data(cx, self, value) ? self : NULL;
}

tocha_tensor *tocha_op_fill(tocha_context *cx, tocha_tensor *self, tocha_scalar value) {
  tocha_tensor *t = tocha_new_copy_of(cx, self, self->dtype, self->device);
  return t ? tocha_op_fill_(cx, t, value) : NULL;
}

tocha_tensor *tocha_op_fill_tensor(tocha_context *cx, tocha_tensor *self, tocha_tensor *value) {
  tocha_tensor *t = tocha_new_copy_of(cx, self, self->dtype, self->device);
  return t ? tocha_op_fill__tensor(cx, t, value) : NULL;
}

tocha_tensor *tocha_op_zero_(tocha_context *cx, tocha_tensor *self) {
  return tocha_fill_data(cx, self, tocha_int(0)) ? self : NULL;
}

/* Writes value to the two-dimensional view of self that begins at self's row `row`. */
static bool fill_strided(tocha_context *cx, tocha_tensor *self, const int64_t sizes[2],
                         const int64_t strides[2], int64_t row, tocha_scalar value) {
  int64_t offset = self->offset + row * self->strides[0];
  tocha_tensor *view = tocha_as_strided_full(cx, self, 2, sizes, 2, strides, &offset);
  return view && tocha_fill_(cx, view, value);
}

/* Writes value to the diagonals of a tall matrix: one in each block of columns + 1 rows, and one in the rest. */
static bool fill_wrapped(tocha_context *cx, tocha_tensor *self, int64_t step, tocha_scalar value) {
  int64_t columns = self->sizes[1], rows = columns + 1, blocks = self->sizes[0] / rows;
  int64_t rest = self->sizes[0] - blocks * rows, strides[2] = {rows * self->strides[0], step};
  return fill_strided(cx, self, (int64_t[2]){blocks, columns}, strides, 0, value) &&
         (rest == 0 ||
          fill_strided(cx, self, (int64_t[2]){1, rest}, strides, blocks * rows, value));
}

tocha_tensor *tocha_op_fill_diagonal_(tocha_context *cx, tocha_tensor *self,
                                      tocha_scalar fill_value, bool wrap) {
  if (self->ndim < 2) return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "dimensions must larger than 1");
  int64_t size = self->sizes[0], step = self->strides[0];
  for (int i = 1; i < self->ndim; i++) {
    if (self->ndim > 2 && self->sizes[i] != size)
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "all dimensions of input must be of equal length");
    if (self->sizes[i] < size) size = self->sizes[i];
    step += self->strides[i];
  }
  bool wraps = wrap && self->ndim == 2 && self->sizes[0] > self->sizes[1] + 1 && size > 0;
  bool done =
      wraps ? fill_wrapped(cx, self, step, fill_value)
            : fill_strided(cx, self, (int64_t[2]){1, size}, (int64_t[2]){0, step}, 0, fill_value);
  return done ? self : NULL;
}
