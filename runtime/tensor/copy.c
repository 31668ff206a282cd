/* copy.c: values into tensors: strided copies with conversion, transpositions in tiles, fills; a tensor in
 * another dtype, device or layout. */
#include "tensor/copy.h"
#include "device/devices.h"

#include <math.h>
#include <string.h>

#include "tensor/convert.h"
#include "tensor/iterator.h"
#include "tensor/kernels.h"
#include "tensor/parallel.h"
#include "tensor/strided.h"
#include "tensor/transfer.h"

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

bool tocha_copy_values(tocha_context *cx, tocha_tensor *target, tocha_tensor *source,
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
  return tocha_copy_values(cx, target, source, true);
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

/* --- the same tensor in another dtype, device or layout ------------------------------------------- */

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

tocha_tensor *tocha_as_dtype(tocha_context *cx, tocha_tensor *t, tocha_dtype dtype) {
  if (!t || t->dtype == dtype) return t;
  tocha_tensor *copy = tocha_new_output(cx, t->ndim, t->sizes, dtype, t->device, 1, &t);
  return copy && tocha_copy_data(cx, copy, t) ? copy : NULL;
}

tocha_rows tocha_rows_around(const tocha_tensor *t, int64_t dim) {
  tocha_rows r = {1, 1, 1};
  for (int i = 0; i < t->ndim; i++) {
    if (i < dim) r.outer *= t->sizes[i];
    if (i == dim) r.n = t->sizes[i];
    if (i > dim) r.inner *= t->sizes[i];
  }
  return r;
}

tocha_tensor *tocha_to_device(tocha_context *cx, tocha_tensor *t, tocha_device device) {
  tocha_tensor *copy =
      tocha_new_output(cx, t->ndim, t->sizes, (tocha_dtype)t->dtype, device, 1, &t);
  return copy && tocha_copy_data(cx, copy, t) ? copy : NULL;
}

/* --- fills ------------------------------------------------------------------------------------------ */

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
  return stream->kernels->tensor->fill(stream, work);
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

void tocha_fill_rows(tocha_tensor *t, tocha_scalar value) {
  if (t->device.type == TOCHA_META || t->numel == 0) return;
  size_t item = tocha_dtype_size(t->dtype), done = item, all = (size_t)t->numel * item;
  char *data = tocha_bytes(t);
  tocha_store_scalar(data, t->dtype, value);
  while (done < all) { /* doubling */
    size_t part = done < all - done ? done : all - done;
    memcpy(data + done, data, part);
    done += part;
  }
}

tocha_dtype tocha_kernel_dtype(tocha_device device, tocha_dtype dtype) {
  bool half = dtype == TOCHA_FLOAT16 || dtype == TOCHA_BFLOAT16;
  return half && device.type != TOCHA_CUDA ? TOCHA_FLOAT32 : dtype;
}
