/* copy.c: copying values between tensors: copy_, clone, contiguous, to, fill_, item. */
#include "tensor/copy.h"

#include <math.h>
#include <string.h>

#include "device/devices.h"
#include "tensor/convert.h"
#include "ops/pointwise/elementwise.h"
#include "tensor/iterator.h"
#include "creation/implementations.h"
#include "tocha/ops/clone.h"
#include "tocha/ops/index_add_.h"
#include "tocha/ops/to_copy.h"
#include "creation/implementations.h"
#include "tocha/ops/clone.h"
#include "tocha/ops/index_add_.h"
#include "tocha/ops/to_copy.h"

/* --- the strided copy ------------------------------------------------------------------------------ */

typedef struct copy_args {
  tocha_converter convert;
  int64_t item; /* bytes of an element where nothing is converted, else 0 */
} copy_args;

static void copy_run(void *user, char *const *data, const int64_t *strides, int64_t n) {
  const copy_args *args = user;
  if (args->item && strides[0] == args->item && strides[1] == args->item)
    memcpy(data[0], data[1], (size_t)(n * args->item));
  else
    args->convert(data[0], strides[0], data[1], strides[1], n);
}

/* Copies where the two sides are dense along different dimensions: rows of the target by columns
 * of the source, in tiles that fit the first cache. */
typedef struct transpose_args {
  const tocha_iterator *it;
  int64_t item;
  int64_t bands;  /* along dimension 0 of the iterator, TILE elements each */
  int source_dim; /* the dimension along which the source is dense; the target's is 0 */
} transpose_args;

enum { TILE = 32 };

#define TRANSPOSE_TILE(type)                                                                       \
  static void transpose_##type(char *target, int64_t target_stride, const char *source,            \
                               int64_t source_stride, int64_t rows, int64_t columns) {             \
    for (int64_t j = 0; j < columns; j++) {                                                        \
      type *to = (type *)(target + j * target_stride);                                             \
      const char *from = source + j * (int64_t)sizeof(type);                                       \
      for (int64_t i = 0; i < rows; i++) to[i] = *(const type *)(from + i * source_stride);        \
    }                                                                                              \
  }
TRANSPOSE_TILE(uint8_t)
TRANSPOSE_TILE(uint16_t)
TRANSPOSE_TILE(uint32_t)
TRANSPOSE_TILE(uint64_t)

static void transpose_tile(const transpose_args *args, char *target, const char *source,
                           int64_t rows, int64_t columns) {
  int64_t target_stride = args->it->strides[args->source_dim][0];
  int64_t source_stride = args->it->strides[0][1];
  switch (args->item) {
  case 1:
    transpose_uint8_t(target, target_stride, source, source_stride, rows, columns);
    break;
  case 2:
    transpose_uint16_t(target, target_stride, source, source_stride, rows, columns);
    break;
  case 4:
    transpose_uint32_t(target, target_stride, source, source_stride, rows, columns);
    break;
  default:
    transpose_uint64_t(target, target_stride, source, source_stride, rows, columns);
  }
}

static void transpose_bands(void *user, int64_t begin, int64_t end) {
  const transpose_args *args = user;
  const tocha_iterator *it = args->it;
  for (int64_t band = begin; band < end; band++) {
    int64_t first = band % args->bands * TILE, outer = band / args->bands;
    int64_t rows = it->sizes[0] - first < TILE ? it->sizes[0] - first : TILE;
    char *target = it->data[0] + first * it->strides[0][0];
    const char *source = it->data[1] + first * it->strides[0][1];
    for (int d = 1; d < it->ndim; d++) {
      if (d == args->source_dim) continue;
      int64_t at = outer % it->sizes[d];
      outer /= it->sizes[d];
      target += at * it->strides[d][0];
      source += at * it->strides[d][1];
    }
    int64_t columns = it->sizes[args->source_dim];
    for (int64_t j = 0; j < columns; j += TILE)
      transpose_tile(args, target + j * it->strides[args->source_dim][0], source + j * args->item,
                     rows, columns - j < TILE ? columns - j : TILE);
  }
}

/* Whether the walk is a transposition worth its tiles; fills args. */
static bool is_transpose(const tocha_iterator *it, int64_t item, transpose_args *args) {
  if (it->numel < 1024 || it->ndim < 2 || it->strides[0][0] != item || it->strides[0][1] == item)
    return false;
  for (int d = 1; d < it->ndim; d++) {
    if (it->strides[d][1] != item || it->sizes[d] < 4 || it->sizes[0] < 4) continue;
    args->it = it;
    args->item = item;
    args->source_dim = d;
    args->bands = (it->sizes[0] + TILE - 1) / TILE;
    return true;
  }
  return false;
}

/* As tocha_copy_data; not blocking: a copy between host and device may still be under way. */
static bool copy_values(tocha_context *cx, tocha_tensor *target, tocha_tensor *source,
                        bool blocking) {
  if (target->device.type == TOCHA_META) return true;
  if (source->device.type == TOCHA_META) {
    tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "Cannot copy out of meta tensor; no data!");
    return false;
  }
  if (target->numel == 0) return true;
  if (tocha_is_on_device(target) || tocha_is_on_device(source))
    return tocha_copy_across(cx, target, source, blocking);
  copy_args args = {tocha_conversion(target->dtype, source->dtype), 0};
  if (target->dtype == source->dtype) {
    args.item = (int64_t)tocha_dtype_size(target->dtype);
    if (target->numel <= 4096 && target->numel == source->numel && tocha_is_contiguous(target) &&
        tocha_is_contiguous(source)) {
      memcpy(tocha_bytes(target), tocha_bytes(source), (size_t)(target->numel * args.item));
      return true;
    }
  }
  tocha_iterator it;
  transpose_args transpose;
  tocha_tensor *both[2] = {target, source};
  tocha_iterator_begin(&it, cx, target->ndim, target->sizes, 2, both);
  if (args.item && is_transpose(&it, args.item, &transpose)) {
    int64_t tile_rows = it.numel / it.sizes[0] / it.sizes[transpose.source_dim] * transpose.bands;
    int64_t grain = TOCHA_GRAIN / (TILE * it.sizes[transpose.source_dim]) + 1;
    return tocha_parallel_for(cx, tile_rows, grain, transpose_bands, &transpose);
  }
  return tocha_iterator_run(&it, copy_run, &args);
}

bool tocha_copy_data(tocha_context *cx, tocha_tensor *target, tocha_tensor *source) {
  return copy_values(cx, target, source, true);
}

/* --- geometry --------------------------------------------------------------------------------------- */

bool tocha_set_geometry(tocha_context *cx, tocha_tensor *t, int ndim, const int64_t *sizes,
                        const int64_t *strides, int64_t offset) {
  int64_t new_sizes[TOCHA_MAX_DIMS], new_strides[TOCHA_MAX_DIMS]; /* sizes may be t's own */
  memcpy(new_sizes, sizes, (size_t)ndim * sizeof *sizes);
  memcpy(new_strides, strides, (size_t)ndim * sizeof *strides);
  if (ndim != t->ndim) {
    int64_t *block = NULL;
    if (ndim > TOCHA_INLINE_DIMS) {
      block = tocha_allocate(cx, 2 * (size_t)ndim * sizeof *block);
      if (!block) return false;
    }
    if (t->ndim > TOCHA_INLINE_DIMS)
      tocha_deallocate(cx, t->sizes, 2 * (size_t)t->ndim * sizeof *t->sizes);
    t->ndim = (uint8_t)ndim;
    t->sizes = block ? block : t->dims;
    t->strides = block ? block + ndim : t->dims + TOCHA_INLINE_DIMS;
  }
  memcpy(t->sizes, new_sizes, (size_t)ndim * sizeof *sizes);
  memcpy(t->strides, new_strides, (size_t)ndim * sizeof *strides);
  t->offset = offset;
  tocha_tensor_finish(t);
  return true;
}

/* Makes out row-major with the sizes of result, in new memory where its own is too small (views
 * of the old memory keep that). */
static bool resize_out(tocha_context *cx, tocha_tensor *out, const tocha_tensor *result) {
  int64_t strides[TOCHA_MAX_DIMS];
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
  size_t item = tocha_dtype_size(out->dtype);
  size_t bytes = ((size_t)out->offset + (size_t)result->numel) * item;
  if (bytes > out->storage->bytes) {
    tocha_storage *storage = tocha_storage_new(cx, (size_t)result->numel * item, out->device);
    if (!storage) return false;
    tocha_storage_release(out->storage);
    out->storage = storage;
    out->offset = 0;
  }
  tocha_row_major_strides(result->ndim, result->sizes, strides);
  return tocha_set_geometry(cx, out, result->ndim, result->sizes, strides, out->offset);
}

static int category(tocha_dtype d) {
  return d == TOCHA_BOOL ? 0 : tocha_dtype_is_floating(d) ? 2 : 1;
}

static bool check_castable(tocha_context *cx, tocha_dtype from, tocha_dtype to) {
  if (category(from) <= category(to)) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "result type %s can't be cast to the desired output type %s",
             tocha_dtype_scalar_type(from), tocha_dtype_scalar_type(to));
  return false;
}

tocha_tensor *tocha_write_out(tocha_context *cx, tocha_tensor *result, tocha_tensor *out) {
  if (!result || !out || result == out) return result;
  if (!tocha_device_equal(result->device, out->device)) {
    char a[24], b[24];
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Attempting to copy from device %s to device %s, but cross-device copies are "
                      "not allowed!",
                      tocha_device_text(result->device, a), tocha_device_text(out->device, b));
  }
  if (!check_castable(cx, result->dtype, out->dtype)) return NULL;
  if (!tocha_same_sizes(result, out)) {
    if (!resize_out(cx, out, result)) return NULL;
  } else if (!tocha_check_no_overlap(cx, out)) {
    return NULL;
  }
  return tocha_copy_data(cx, out, result) ? out : NULL;
}

tocha_tensor *tocha_write_self(tocha_context *cx, tocha_tensor *result, tocha_tensor *self) {
  char a[256], b[256];
  if (!result || !self || result == self) return result;
  if (!check_castable(cx, result->dtype, self->dtype)) return NULL;
  if (!tocha_same_sizes(result, self))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "output with shape %s doesn't match the broadcast shape %s",
                      tocha_shape_text(self->ndim, self->sizes, a, sizeof a),
                      tocha_shape_text(result->ndim, result->sizes, b, sizeof b));
  if (!tocha_check_no_overlap(cx, self)) return NULL;
  return tocha_copy_data(cx, self, result) ? self : NULL;
}

/* --- clone, contiguous, to -------------------------------------------------------------------------- */

typedef enum memory_format { PRESERVE, CONTIGUOUS, CHANNELS_LAST } memory_format;

static bool read_format(tocha_context *cx, const char *text, memory_format *format) {
  if (text && strncmp(text, "torch.", 6) == 0) text += 6;
  if (!text || strcmp(text, "preserve_format") == 0)
    *format = PRESERVE;
  else if (strcmp(text, "contiguous_format") == 0)
    *format = CONTIGUOUS;
  else if (strcmp(text, "channels_last") == 0)
    *format = CHANNELS_LAST;
  else
    return tocha_fail(cx, TOCHA_TYPE_ERROR,
                      "argument 'memory_format' must be torch.memory_format, not str") != NULL;
  return true;
}

/* Strides of (N, C, H, W) with the channels innermost. */
static bool channels_last(tocha_context *cx, const tocha_tensor *t, int64_t *strides) {
  if (t->ndim != 4) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "required rank 4 tensor to use channels_last format");
    return false;
  }
  const int64_t *s = t->sizes;
  strides[1] = 1;
  strides[3] = s[1] > 1 ? s[1] : 1;
  strides[2] = strides[3] * (s[3] > 1 ? s[3] : 1);
  strides[0] = strides[2] * (s[2] > 1 ? s[2] : 1);
  return true;
}

static bool has_format(tocha_context *cx, const tocha_tensor *t, memory_format format, bool *has) {
  int64_t strides[TOCHA_MAX_DIMS];
  *has = tocha_is_contiguous(t);
  if (format != CHANNELS_LAST) return true;
  if (!channels_last(cx, t, strides)) return false;
  *has = true;
  for (int i = 0; i < 4; i++) *has = *has && (t->sizes[i] == 1 || t->strides[i] == strides[i]);
  return true;
}

tocha_tensor *tocha_converted(tocha_context *cx, tocha_tensor *self, tocha_dtype dtype,
                              bool row_major) {
  if (dtype == TOCHA_NO_DTYPE) dtype = self->dtype;
  tocha_tensor *copy =
      row_major ? tocha_new_like(cx, self, dtype)
                : tocha_new_output(cx, self->ndim, self->sizes, dtype, self->device, 1, &self);
  return copy && tocha_copy_data(cx, copy, self) ? copy : NULL;
}

tocha_tensor *tocha_as_rows(tocha_context *cx, tocha_tensor *self, tocha_dtype dtype) {
  if (!self) return NULL;
  if (dtype == TOCHA_NO_DTYPE) dtype = self->dtype;
  if (self->dtype == dtype && tocha_is_contiguous(self)) return self;
  return tocha_converted(cx, self, dtype, true);
}

tocha_tensor *tocha_with_dim_moved(tocha_context *cx, const tocha_tensor *self, int from, int to) {
  int64_t sizes[TOCHA_MAX_DIMS], strides[TOCHA_MAX_DIMS];
  for (int i = 0, rest = 0; i < self->ndim; i++) {
    if (rest == from) rest++;
    int source = i == to ? from : rest++;
    sizes[i] = self->sizes[source];
    strides[i] = self->strides[source];
  }
  return tocha_alias(cx, self, self->ndim, sizes, strides, self->offset);
}

bool tocha_is_dense(const tocha_tensor *t) {
  int64_t expected = 1;
  if (tocha_is_contiguous(t)) return true;
  for (int placed = 0; placed < t->ndim; placed++) {
    int found = -1;
    for (int i = 0; i < t->ndim && found < 0; i++)
      if (t->sizes[i] != 1 && t->strides[i] == expected) found = i;
    if (found < 0) break;
    expected *= t->sizes[found];
  }
  return expected == t->numel;
}

tocha_tensor *tocha_op_clone(tocha_context *cx, tocha_tensor *self, const char *memory_format_) {
  memory_format format;
  int64_t strides[TOCHA_MAX_DIMS];
  if (!read_format(cx, memory_format_, &format)) return NULL;
  if (format != CHANNELS_LAST) return tocha_converted(cx, self, self->dtype, format == CONTIGUOUS);
  if (!channels_last(cx, self, strides)) return NULL;
  tocha_tensor *copy =
      tocha_new_strided(cx, self->ndim, self->sizes, strides, self->dtype, self->device);
  return copy && tocha_copy_data(cx, copy, self) ? copy : NULL;
}

tocha_tensor *tocha_op_contiguous(tocha_context *cx, tocha_tensor *self,
                                  const char *memory_format_) {
  memory_format format;
  bool has;
  if (!read_format(cx, memory_format_, &format) || !has_format(cx, self, format, &has)) return NULL;
  if (has) return self;
  return tocha_clone_full(cx, self,
                          format == CHANNELS_LAST ? "channels_last" : "contiguous_format");
}

tocha_tensor *tocha_op_to_copy(tocha_context *cx, tocha_tensor *self, tocha_dtype dtype,
                               tocha_device device, bool non_blocking) {
  if (dtype == TOCHA_NO_DTYPE) dtype = self->dtype;
  if (device.type == TOCHA_NO_DEVICE) device = self->device;
  tocha_tensor *copy = tocha_new_output(cx, self->ndim, self->sizes, dtype, device, 1, &self);
  return copy && copy_values(cx, copy, self, !non_blocking) ? copy : NULL;
}

bool tocha_to_copy_backward(tocha_backward_frame *f) {
  if (!f->grads[0]) return true;
  tocha_shape s = tocha_edge_shape(f, 0);
  f->out[0] = tocha_to_copy_full(f->cx, f->grads[0], s.dtype, s.device, false);
  return f->out[0] != NULL;
}

/* "cpu" and "cpu:0" are the same place; so are "cuda" and the current cuda device. */
static bool same_device(tocha_device asked, tocha_device have) {
  return asked.type == TOCHA_NO_DEVICE ||
         (asked.type == have.type &&
          (asked.index == have.index || asked.type == TOCHA_CPU || asked.type == TOCHA_META));
}

tocha_tensor *tocha_op_to(tocha_context *cx, tocha_tensor *self, tocha_device device,
                          tocha_dtype dtype, bool non_blocking, bool copy) {
  bool same_dtype = dtype == TOCHA_NO_DTYPE || dtype == self->dtype;
  device = tocha_concrete_device(cx, device);
  if (!copy && same_dtype && same_device(device, self->device)) return self;
  return tocha_to_copy_full(cx, self, dtype, device, non_blocking);
}

tocha_tensor *tocha_op_to_dtype(tocha_context *cx, tocha_tensor *self, tocha_dtype dtype,
                                bool non_blocking, bool copy) {
  return tocha_op_to(cx, self, self->device, dtype, non_blocking, copy);
}

tocha_tensor *tocha_op_to_other(tocha_context *cx, tocha_tensor *self, tocha_tensor *other,
                                bool non_blocking, bool copy) {
  return tocha_op_to(cx, self, other->device, other->dtype, non_blocking, copy);
}

tocha_tensor *tocha_op_type_as(tocha_context *cx, tocha_tensor *self, tocha_tensor *other) {
  return tocha_op_to(cx, self, other->device, other->dtype, false, false);
}

/* x:float(), x:long(), ... */
#define TO_METHOD(name, dtype)                                                                     \
  tocha_tensor *tocha_op_##name##_method(tocha_context *cx, tocha_tensor *self) {                  \
    return tocha_op_to(cx, self, self->device, dtype, false, false);                               \
  }
TO_METHOD(float, TOCHA_FLOAT32)
TO_METHOD(double, TOCHA_FLOAT64)
TO_METHOD(half, TOCHA_FLOAT16)
TO_METHOD(bfloat16, TOCHA_BFLOAT16)
TO_METHOD(int, TOCHA_INT32)
TO_METHOD(long, TOCHA_INT64)
TO_METHOD(short, TOCHA_INT16)
TO_METHOD(char, TOCHA_INT8)
TO_METHOD(byte, TOCHA_UINT8)

tocha_tensor *tocha_op_bool_method(tocha_context *cx, tocha_tensor *self) {
  return tocha_op_to(cx, self, self->device, TOCHA_BOOL, false, false);
}

tocha_tensor *tocha_op_cpu_method(tocha_context *cx, tocha_tensor *self) {
  return tocha_op_to(cx, self, tocha_cpu(), TOCHA_NO_DTYPE, false, false);
}

/* detach shares memory and version with self but is no differentiable view of it. */
tocha_tensor *tocha_op_detach(tocha_context *cx, tocha_tensor *self) {
  return tocha_shallow(cx, self);
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
  if (!tocha_check_no_overlap(cx, self)) return NULL;
  if (self->storage == src->storage && self->storage->data &&
      (self->offset != src->offset || !tocha_same_sizes(self, src) ||
       memcmp(self->strides, src->strides, self->ndim * sizeof *self->strides) != 0)) {
    src = tocha_converted(cx, src, src->dtype, false); /* overlapping views */
    if (!src) return NULL;
  }
  return copy_values(cx, self, src, !non_blocking) ? self : NULL;
}

static bool in_range(tocha_scalar s, double low, double high, int64_t low_int, int64_t high_int) {
  if (s.kind == TOCHA_SCALAR_FLOAT) return s.value.real >= low && s.value.real <= high;
  return s.value.integer >= low_int && s.value.integer <= high_int;
}

bool tocha_check_fits(tocha_context *cx, tocha_scalar value, tocha_dtype dtype) {
  double real = tocha_scalar_real(value), size = fabs(real);
  const char *name;
  bool fits;
  switch (dtype) {
  case TOCHA_UINT8: /* negative integers wrap */
    name = "uint8_t", fits = in_range(value, 0, 255, -255, 255);
    break;
  case TOCHA_INT8:
    name = "int8_t", fits = in_range(value, -128, 127, -128, 127);
    break;
  case TOCHA_INT16:
    name = "int16_t", fits = in_range(value, -32768, 32767, -32768, 32767);
    break;
  case TOCHA_INT32:
    name = "int", fits = in_range(value, INT32_MIN, INT32_MAX, INT32_MIN, INT32_MAX);
    break;
  case TOCHA_INT64:
    name = "int64_t", fits = in_range(value, -0x1p63, 0x1p63, INT64_MIN, INT64_MAX);
    break;
  case TOCHA_FLOAT16:
    name = "c10::Half", fits = !(size > 65504) || isinf(real);
    break;
  case TOCHA_BFLOAT16:
    name = "c10::BFloat16", fits = !(size > 0x1.fep127) || isinf(real);
    break;
  case TOCHA_FLOAT32:
    name = "float", fits = !(size > 0x1.fffffep127) || isinf(real);
    break;
  default:
    return true;
  }
  if (!fits)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "value cannot be converted to type %s without overflow",
               name);
  return fits;
}

typedef struct fill_args {
  char *data;
  int64_t item;
  const char *element;
} fill_args;

static void fill_part(void *user, int64_t begin, int64_t end) {
  const fill_args *args = user;
  char *at = args->data + begin * args->item;
  size_t total = (size_t)((end - begin) * args->item), done = (size_t)args->item;
  bool same = true; /* all bytes of the element */
  for (int64_t i = 1; i < args->item; i++) same = same && args->element[i] == args->element[0];
  if (same) {
    memset(at, (unsigned char)args->element[0], total);
    return;
  }
  memcpy(at, args->element, done);
  while (done < total) { /* doubling what is there, up to a piece that stays in the cache */
    size_t piece = done < 4096 ? done : 4096;
    if (piece > total - done) piece = total - done;
    memcpy(at + done, at, piece);
    done += piece;
  }
}

static void fill_run(void *user, char *const *data, const int64_t *strides, int64_t n) {
  const fill_args *args = user;
  for (int64_t i = 0; i < n; i++)
    memcpy(data[0] + i * strides[0], args->element, (size_t)args->item);
}

static bool launch_fill(tocha_stream *stream, const tocha_strided_layout *layout, void *user) {
  tocha_fill_args *work = user;
  work->layout = *layout;
  return stream->kernels->fill(stream, work);
}

bool tocha_fill_data(tocha_context *cx, tocha_tensor *t, tocha_scalar value) {
  if (t->device.type == TOCHA_META || t->numel == 0) return true;
  int64_t element = 0;
  tocha_store_scalar(&element, t->dtype, value);
  if (tocha_is_on_device(t)) {
    tocha_fill_args work = {.element = (uint64_t)element};
    return tocha_launch_strided(cx, t->ndim, t->sizes, 1, &t, launch_fill, &work);
  }
  fill_args args = {tocha_bytes(t), (int64_t)tocha_dtype_size(t->dtype), (const char *)&element};
  if (tocha_is_contiguous(t)) {
    if (t->numel <= TOCHA_GRAIN) {
      fill_part(&args, 0, t->numel);
      return true;
    }
    return tocha_parallel_for(cx, t->numel, TOCHA_GRAIN, fill_part, &args);
  }
  tocha_iterator it;
  tocha_iterator_begin(&it, cx, t->ndim, t->sizes, 1, &t);
  return tocha_iterator_run(&it, fill_run, &args);
}

tocha_tensor *tocha_op_fill_(tocha_context *cx, tocha_tensor *self, tocha_scalar value) {
  if (!tocha_check_fits(cx, value, self->dtype)) return NULL;
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
  tocha_tensor *t =
      tocha_new_output(cx, self->ndim, self->sizes, self->dtype, self->device, 1, &self);
  return t ? tocha_op_fill_(cx, t, value) : NULL;
}

tocha_tensor *tocha_op_fill_tensor(tocha_context *cx, tocha_tensor *self, tocha_tensor *value) {
  tocha_tensor *t =
      tocha_new_output(cx, self->ndim, self->sizes, self->dtype, self->device, 1, &self);
  return t ? tocha_op_fill__tensor(cx, t, value) : NULL;
}

tocha_tensor *tocha_op_zero_(tocha_context *cx, tocha_tensor *self) {
  return tocha_fill_data(cx, self, tocha_int(0)) ? self : NULL;
}
