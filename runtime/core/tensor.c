/* tensor.c: tensor headers: creation, sharing, release, and access to their fields. */
#include <string.h>

#include "core/internal.h"

/* --- headers ------------------------------------------------------------------------------------ */

static tocha_tensor *take_header(tocha_context *cx) {
  tocha_tensor *t = cx->free_tensors;
  if (t)
    cx->free_tensors = (tocha_tensor *)(void *)t->context;
  else
    t = tocha_allocate(cx, sizeof *t);
  return t;
}

static void give_header(tocha_context *cx, tocha_tensor *t) {
  if (TOCHA_EXACT) {
    tocha_deallocate(cx, t, sizeof *t);
    return;
  }
  t->context = (tocha_context *)(void *)cx->free_tensors;
  cx->free_tensors = t;
}

void tocha_tensor_pool_clear(tocha_context *cx) {
  while (cx->free_tensors) tocha_deallocate(cx, take_header(cx), sizeof(tocha_tensor));
}

static bool refuse_kind(tocha_context *cx, int ndim, tocha_dtype dtype) {
  if (ndim < 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "tensors of less than 0 dimensions (got %d)", ndim);
  if (ndim > TOCHA_MAX_DIMS)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "only tensors with up to %d dims are supported",
                      TOCHA_MAX_DIMS);
  return tocha_fail(cx, TOCHA_TYPE_ERROR, "there is no dtype %d", (int)dtype);
}

static inline bool is_possible(tocha_context *cx, int ndim, tocha_dtype dtype) {
  bool possible =
      ndim >= 0 && ndim <= TOCHA_MAX_DIMS && dtype >= 0 && (int)dtype < TOCHA_DTYPE_COUNT;
  return possible || refuse_kind(cx, ndim, dtype);
}

static bool has_sizes(tocha_context *cx, int ndim, const int64_t *sizes) {
  return ndim <= 0 || sizes || tocha_refuse_none(cx, "tensor", "size", "tuple of ints");
}

/* Adds a new tensor, or NULL, to the innermost scope. Returns NULL if memory is short. */
static inline tocha_tensor *in_scope(tocha_context *cx, tocha_tensor *t) {
  if (!t || cx->scope_count == cx->scope_capacity) return t ? tocha_scope_push(cx, t) : NULL;
  return cx->scope_items[cx->scope_count++] = t;
}

/* Returns a header in no scope, or NULL with an error set. */
static inline tocha_tensor *new_header(tocha_context *cx, int ndim, tocha_dtype dtype,
                                       tocha_device device) {
  if (!is_possible(cx, ndim, dtype)) return NULL;
  if (tocha_is_float8(dtype)) cx->float8 = true;
  tocha_tensor *t = take_header(cx);
  if (!t) return NULL;
  tocha_refcount_init(&t->references);
  t->dtype = (uint8_t)dtype;
  t->ndim = (uint8_t)ndim;
  t->flags = cx->inference ? TOCHA_FLAG_INFERENCE : 0;
  t->device = device;
  if (device.type == TOCHA_CPU) t->device.index = -1; /* there is only one: "cpu:0" is the same */
  t->view_version = 0;
  t->version_start = 0;
  t->context = cx;
  t->storage = NULL;
  t->offset = 0;
  t->numel = 0;
  t->autograd = NULL;
  t->base = NULL;
  t->sizes = t->dims;
  t->strides = t->dims + TOCHA_INLINE_DIMS;
  if (ndim > TOCHA_INLINE_DIMS) {
    t->sizes = tocha_allocate(cx, 2 * (uint64_t)ndim * sizeof *t->sizes);
    if (!t->sizes) {
      give_header(cx, t);
      return NULL;
    }
    t->strides = t->sizes + ndim;
  }
  tocha_context_retain(cx);
  return t;
}

tocha_tensor *tocha_tensor_header(tocha_context *cx, int ndim, tocha_dtype dtype,
                                  tocha_device device) {
  return in_scope(cx, new_header(cx, ndim, dtype, device));
}

static void destroy(tocha_tensor *t) {
  tocha_context *cx = t->context;
  if (t->autograd) cx->hooks->free_autograd(t);
  tocha_tensor *base = t->base;
  if (t->storage) tocha_storage_release(t->storage);
  if (t->ndim > TOCHA_INLINE_DIMS)
    tocha_deallocate(cx, t->sizes, 2 * (uint64_t)t->ndim * sizeof *t->sizes);
  give_header(cx, t);
  if (base) tocha_release(base);
  tocha_context_release(cx);
}

tocha_tensor *tocha_retain(tocha_tensor *tensor) {
  if (!tensor) return NULL;
  tocha_refcount_retain(&tensor->references);
  if (tensor->flags & TOCHA_FLAG_WATCHED) tensor->context->hooks->shared(tensor);
  return tensor;
}

void tocha_release(tocha_tensor *tensor) {
  if (tensor && tocha_refcount_release(&tensor->references)) destroy(tensor);
}

void tocha_tensor_set_storage(tocha_tensor *t, tocha_storage *storage) {
  tocha_storage *gone = t->storage;
  t->version_start += gone->version - storage->version;
  t->storage = storage;
  t->flags |= TOCHA_FLAG_CHANGED_LOOK;
  tocha_storage_release(gone);
}

void tocha_tensor_forget(tocha_tensor *t) {
  if (!t) return;
  tocha_storage *empty = tocha_storage_new(t->context, 0, t->device);
  if (!empty) return; /* memory is short even for that: the tensor keeps its storage */
  tocha_tensor_set_storage(t, empty);
  t->offset = 0;
  for (int i = 0; i < t->ndim; i++) t->sizes[i] = 0;
  if (t->ndim == 0) {
    t->ndim = 1;
    t->sizes[0] = 0;
    t->strides[0] = 1;
  }
  tocha_tensor_finish(t);
  t->flags |= TOCHA_FLAG_FREED;
}

/* Counts the elements from the front, as PyTorch does: after a size of 0 the product cannot overflow. Returns 0, with an error, if their
 * number overflows. */
static int64_t count_elements(const tocha_tensor *t) {
  int64_t numel = 1;
  bool overflow = false;
  for (int i = 0; i < t->ndim; i++) overflow |= __builtin_mul_overflow(numel, t->sizes[i], &numel);
  if (!overflow) return numel;
  tocha_fail(t->context, TOCHA_RUNTIME_ERROR, "numel: integer multiplication overflow");
  return 0;
}

void tocha_tensor_finish(tocha_tensor *t) {
  int64_t numel = 1; /* the product of the sizes after i: the stride of i if t is contiguous */
  bool contiguous = true;
  for (int i = t->ndim - 1; i >= 0; i--) {
    int64_t size = t->sizes[i];
    if (size == 1) continue;
    if (t->strides[i] != numel) contiguous = false;
    if (size > 0 && !__builtin_mul_overflow(numel, size, &numel)) continue;
    numel = count_elements(t);
    break;
  }
  t->numel = numel;
  if (contiguous || numel == 0)
    t->flags |= TOCHA_FLAG_CONTIGUOUS;
  else
    t->flags &= (uint16_t)~TOCHA_FLAG_CONTIGUOUS;
}

void tocha_row_major_strides(int ndim, const int64_t *sizes, int64_t *strides) {
  int64_t stride = 1;
  for (int i = ndim - 1; i >= 0; i--) {
    strides[i] = stride;
    stride = tocha_wrapping_product(stride, sizes[i] > 1 ? sizes[i] : 1);
  }
}

bool tocha_span(tocha_context *cx, int ndim, const int64_t *sizes, const int64_t *strides,
                int64_t *span) {
  char a[256], b[256];
  bool empty = false;
  *span = 1;
  for (int i = 0; i < ndim; i++) {
    int64_t step = 0;
    empty |= sizes[i] == 0;
    if (strides[i] < 0 || __builtin_mul_overflow(sizes[i] ? sizes[i] - 1 : 0, strides[i], &step) ||
        __builtin_add_overflow(*span, step, span))
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                        "Storage size calculation overflowed with sizes=%s and strides=%s",
                        tocha_shape_text(ndim, sizes, a, sizeof a),
                        tocha_shape_text(ndim, strides, b, sizeof b));
  }
  if (empty) *span = 0;
  return true;
}

/* Counts the bytes that sizes x dtype need. Fails with PyTorch's message if a size is negative
 * or the product overflows. */
static bool count_bytes(tocha_context *cx, int ndim, const int64_t *sizes, tocha_dtype dtype,
                        uint64_t *bytes) {
  int64_t total = 1, stride = 1;
  bool overflow = false, stride_overflow = false;
  char text[256];
  for (int i = 0; i < ndim; i++) {
    if (sizes[i] < 0) {
      tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                 "Trying to create tensor with negative dimension %lld: %s", (long long)sizes[i],
                 tocha_shape_text(ndim, sizes, text, sizeof text));
      return false;
    }
    overflow |= __builtin_mul_overflow(total, sizes[i], &total);
  }
  overflow |= __builtin_mul_overflow(total, tocha_item_size(dtype), &total);
  if (overflow) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Storage size calculation overflowed with sizes=%s",
               tocha_shape_text(ndim, sizes, text, sizeof text));
    return false;
  }
  for (int i = ndim - 1; i > 0; i--)
    stride_overflow |= __builtin_mul_overflow(stride, sizes[i] > 1 ? sizes[i] : 1, &stride);
  if (stride_overflow) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Stride calculation overflowed");
    return false;
  }
  *bytes = (uint64_t)total;
  return true;
}

/* Replaces the index "the current one" of a GPU by a number. Fails if the device is missing. */
static inline bool resolve(tocha_context *cx, tocha_device *device) {
  return device->type == TOCHA_CPU || device->type == TOCHA_META ||
         cx->hooks->resolve_device(cx, device);
}

tocha_tensor *tocha_new_strided(tocha_context *cx, int ndim, const int64_t *sizes,
                                const int64_t *strides, tocha_dtype dtype, tocha_device device) {
  uint64_t bytes;
  if (tocha_has_failed(cx) || !resolve(cx, &device)) return NULL;
  if (!is_possible(cx, ndim, dtype) || !has_sizes(cx, ndim, sizes) ||
      !has_sizes(cx, ndim, strides) || !count_bytes(cx, ndim, sizes, dtype, &bytes))
    return NULL;
  tocha_tensor *t = tocha_tensor_header(cx, ndim, dtype, device);
  if (!t) return NULL;
  for (int i = 0; i < ndim; i++) {
    t->sizes[i] = sizes[i];
    t->strides[i] = strides[i];
  }
  tocha_tensor_finish(t);
  t->storage = tocha_storage_new(cx, bytes, device);
  return t->storage ? t : NULL;
}

/* Returns a new row-major tensor of `numel` elements, all of whose sizes are positive. */
static tocha_tensor *new_dense(tocha_context *cx, int ndim, const int64_t *sizes, tocha_dtype dtype,
                               tocha_device device, int64_t numel, uint64_t bytes) {
  tocha_tensor *t = tocha_tensor_header(cx, ndim, dtype, device);
  if (!t) return NULL;
  for (int64_t i = ndim - 1, stride = 1; i >= 0; i--) {
    t->sizes[i] = sizes[i];
    t->strides[i] = stride;
    stride *= sizes[i];
  }
  t->numel = numel;
  t->flags |= TOCHA_FLAG_CONTIGUOUS;
  t->storage = tocha_storage_new(cx, bytes, device);
  return t->storage ? t : NULL;
}

/* Counts the elements of a tensor and its bytes. Returns false if a size is not positive, or if the bytes overflow. */
static inline bool count_dense(int ndim, const int64_t *sizes, tocha_dtype dtype, int64_t *numel,
                               int64_t *bytes) {
  *numel = 1;
  for (int i = 0; i < ndim; i++)
    if (sizes[i] <= 0 || __builtin_mul_overflow(*numel, sizes[i], numel)) return false;
  return !__builtin_mul_overflow(*numel, tocha_item_size(dtype), bytes);
}

tocha_tensor *tocha_new(tocha_context *cx, int ndim, const int64_t *size, tocha_dtype dtype,
                        tocha_device device) {
  int64_t strides[TOCHA_MAX_DIMS], numel, bytes;
  if (tocha_has_failed(cx) || !is_possible(cx, ndim, dtype) || !has_sizes(cx, ndim, size))
    return NULL;
  if (count_dense(ndim, size, dtype, &numel, &bytes))
    return resolve(cx, &device) ? new_dense(cx, ndim, size, dtype, device, numel, (uint64_t)bytes)
                                : NULL;
  tocha_row_major_strides(ndim, size, strides);
  return tocha_new_strided(cx, ndim, size, strides, dtype, device);
}

tocha_tensor *tocha_new_like(tocha_context *cx, const tocha_tensor *like, tocha_dtype dtype) {
  int64_t bytes;
  if (!(like->flags & TOCHA_FLAG_CONTIGUOUS) || !like->numel || tocha_has_failed(cx) ||
      __builtin_mul_overflow(like->numel, tocha_item_size(dtype), &bytes))
    return tocha_new(cx, like->ndim, like->sizes, dtype, like->device);
  return new_dense(cx, like->ndim, like->sizes, dtype, like->device, like->numel, (uint64_t)bytes);
}

/* Makes v, which has no flags yet, share the storage of t, and inherit `flags` besides those
 * that all views inherit. */
static inline void share_storage(tocha_tensor *v, const tocha_tensor *t, uint16_t flags) {
  v->storage = tocha_storage_retain(t->storage);
  v->version_start = t->version_start;
  v->flags = t->flags & (TOCHA_FLAG_UNTRACKED | TOCHA_FLAG_INFERENCE | flags);
}

tocha_tensor *tocha_alias(tocha_context *cx, const tocha_tensor *t, int ndim, const int64_t *sizes,
                          const int64_t *strides, int64_t offset) {
  tocha_tensor *v = tocha_tensor_header(cx, ndim, t->dtype, t->device);
  if (!v) return NULL;
  for (int i = 0; i < ndim; i++) {
    v->sizes[i] = sizes[i];
    v->strides[i] = strides[i];
  }
  share_storage(v, t, 0);
  v->offset = offset;
  tocha_tensor_finish(v);
  return v->numel == 0 && tocha_has_failed(cx) ? NULL : v; /* more elements than can be counted */
}

tocha_tensor *tocha_shallow(tocha_context *cx, const tocha_tensor *t) {
  return in_scope(cx, tocha_own_shallow(cx, t));
}

tocha_tensor *tocha_own_shallow(tocha_context *cx, const tocha_tensor *t) {
  tocha_tensor *v = new_header(cx, t->ndim, t->dtype, t->device);
  if (!v) return NULL;
  tocha_copy_dims(v, t);
  share_storage(v, t, TOCHA_FLAG_CONTIGUOUS);
  v->offset = t->offset;
  v->numel = t->numel;
  return v;
}

/* --- host memory ---------------------------------------------------------------------------------- */

tocha_tensor *tocha_from_memory(tocha_context *cx, void *data, int ndim, const int64_t *size,
                                tocha_dtype dtype, void (*deleter)(void *user, void *data),
                                void *user) {
  uint64_t bytes;
  int64_t strides[TOCHA_MAX_DIMS];
  if (tocha_has_failed(cx) || !is_possible(cx, ndim, dtype) || !has_sizes(cx, ndim, size) ||
      !count_bytes(cx, ndim, size, dtype, &bytes))
    return NULL;
  if (bytes && !data) return tocha_refuse_none(cx, "from_memory", "data", "an address");
  tocha_tensor *t = tocha_tensor_header(cx, ndim, dtype, tocha_cpu());
  if (!t) return NULL;
  tocha_row_major_strides(ndim, size, strides);
  memcpy(t->sizes, size, (size_t)ndim * sizeof *size);
  memcpy(t->strides, strides, (size_t)ndim * sizeof *size);
  tocha_tensor_finish(t);
  t->storage = tocha_storage_of_memory(cx, data, bytes, tocha_cpu(), deleter, user);
  if (!t->storage) return NULL;
  if (dtype == TOCHA_BOOL) tocha_storage_note_odd_bools(t->storage);
  return t;
}

tocha_tensor *tocha_from_values(tocha_context *cx, const void *values, int ndim,
                                const int64_t *size, tocha_dtype dtype) {
  tocha_tensor *t = tocha_new(cx, ndim, size, dtype, tocha_cpu());
  if (t && t->numel && !values) return tocha_refuse_none(cx, "from_values", "values", "an address");
  if (t && t->numel) memcpy(tocha_bytes(t), values, (size_t)t->numel * tocha_dtype_size(dtype));
  return t;
}

/* --- access to the fields --------------------------------------------------------------------- */

int tocha_ndim(const tocha_tensor *tensor) { return tensor ? tensor->ndim : 0; }
const int64_t *tocha_sizes(const tocha_tensor *tensor) { return tensor ? tensor->sizes : NULL; }
const int64_t *tocha_strides(const tocha_tensor *tensor) { return tensor ? tensor->strides : NULL; }
int64_t tocha_storage_offset(const tocha_tensor *tensor) { return tensor ? tensor->offset : 0; }
int64_t tocha_numel(const tocha_tensor *tensor) { return tensor ? tensor->numel : 0; }
tocha_dtype tocha_dtype_of(const tocha_tensor *tensor) {
  return tensor ? tensor->dtype : TOCHA_NO_DTYPE;
}
tocha_device tocha_device_of(const tocha_tensor *tensor) {
  return tensor ? tensor->device : tocha_no_device();
}
bool tocha_is_contiguous(const tocha_tensor *tensor) {
  if (!tensor) return false;
  return tensor->flags & TOCHA_FLAG_CONTIGUOUS;
}
uint32_t tocha_version_of(const tocha_tensor *tensor) {
  return tensor ? tocha_write_count(tensor) : 0;
}

void *tocha_data(const tocha_tensor *tensor) {
  if (!tensor) return NULL;
  return tensor->numel && tensor->storage->data ? tocha_bytes(tensor) : NULL;
}

bool tocha_same_sizes(const tocha_tensor *a, const tocha_tensor *b) {
  if (!a) return false;
  if (a->ndim != b->ndim) return false;
  for (int i = 0; i < a->ndim; i++)
    if (a->sizes[i] != b->sizes[i]) return false;
  return true;
}

void tocha_bump_version(tocha_tensor *t) {
  if (!(t->flags & TOCHA_FLAG_UNTRACKED)) t->storage->version++;
}

bool tocha_same_storage(const tocha_tensor *a, const tocha_tensor *b) {
  if (!a) return false;
  return a->storage == b->storage;
}
bool tocha_is_forgotten(const tocha_tensor *t) { return t && t->flags & TOCHA_FLAG_FREED; }

/* --- tensors without data ------------------------------------------------------------------------- */

bool tocha_is_uninitialized(const tocha_tensor *t) {
  return t && t->flags & TOCHA_FLAG_UNINITIALIZED;
}

const char *tocha_uninitialized_name(const tocha_tensor *t) {
  return t && t->flags & TOCHA_FLAG_PARAMETER ? "UninitializedParameter" : "UninitializedBuffer";
}

bool tocha_refuse_without_data(tocha_context *cx, const tocha_tensor *t, const char *user) {
  if (!tocha_is_uninitialized(t)) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "this tensor was freed with free() and has no data");
    return false;
  }
  tocha_fail(cx, TOCHA_VALUE_ERROR,
             "Attempted to use an uninitialized parameter in %s. This error happens when you are "
             "using a `LazyModule` or explicitly manipulating `torch.nn.parameter.%s` objects. "
             "When using LazyModules Call `forward` with a dummy batch to initialize the "
             "parameters before calling torch functions",
             user, tocha_uninitialized_name(t));
  tocha_hint(cx, "its sizes follow from the first batch: call net(x) once before");
  return false;
}

bool tocha_refuse_uninitialized_shape(tocha_context *cx) {
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "Can't access the shape of an uninitialized parameter or buffer. This error usually "
             "happens in `load_state_dict` when trying to load an uninitialized parameter into an "
             "initialized one. Call `forward` to initialize the parameters before accessing their "
             "attributes.");
  return false;
}
