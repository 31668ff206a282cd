/* dlpack.c: tensors for other libraries and of them, in the structs of DLPack. */
#include "tensor/dlpack.h"

#include <stdlib.h>
#include <string.h>

#include "core/internal.h"
#include "core/loans.h"
#include "tocha/device.h"
#include "tocha/dlpack.h"

/* --- dtypes and devices -------------------------------------------------------------------------- */

static uint8_t type_code(tocha_dtype dtype) {
  static const uint8_t codes_of_float8[] = {DLPACK_FLOAT8_E4M3FN, DLPACK_FLOAT8_E5M2,
                                            DLPACK_FLOAT8_E4M3FNUZ, DLPACK_FLOAT8_E5M2FNUZ,
                                            DLPACK_FLOAT8_E8M0FNU};
  if (tocha_is_float8(dtype)) return codes_of_float8[dtype - TOCHA_FLOAT8_E4M3FN];
  if (dtype == TOCHA_BOOL) return DLPACK_BOOL;
  if (dtype == TOCHA_BFLOAT16) return DLPACK_BFLOAT;
  if (tocha_dtype_is_floating(dtype)) return DLPACK_FLOAT;
  return dtype == TOCHA_UINT8 ? DLPACK_UINT : DLPACK_INT;
}

static uint8_t bits_of(tocha_dtype dtype) { return (uint8_t)(8 * tocha_dtype_size(dtype)); }

/* Returns the dtype, or TOCHA_NO_DTYPE with PyTorch's error if Tocha has no such elements. */
static tocha_dtype dtype_of(tocha_context *cx, const dlpack_tensor *t) {
  static const char *const names[] = {"kInt",    "kUInt",    "kFloat", NULL,
                                      "kBFloat", "kComplex", "kDLBool"};
  if (t->lanes != 1) {
    tocha_fail(cx, TOCHA_BUFFER_ERROR, "ATen does not support lanes != 1 for dtype code%d",
               t->type_code);
    return TOCHA_NO_DTYPE;
  }
  for (tocha_dtype dtype = 0; dtype < TOCHA_DTYPE_COUNT; dtype++)
    if (type_code(dtype) == t->type_code && bits_of(dtype) == t->bits) return dtype;
  const char *name = t->type_code < TOCHA_COUNT(names) ? names[t->type_code] : NULL;
  if (name)
    tocha_fail(cx, TOCHA_BUFFER_ERROR, "Unsupported %s bits %d", name, t->bits);
  else
    tocha_fail(cx, TOCHA_BUFFER_ERROR, "Unsupported code %d", t->type_code);
  return TOCHA_NO_DTYPE;
}

bool tocha_dlpack_device_of(tocha_context *cx, const tocha_tensor *tensor,
                            tocha_dlpack_device *device) {
  if (tocha_failed(cx)) return false;
  if (!tensor) return tocha_refuse_none(cx, "dlpack_device_of", "tensor", "Tensor");
  if (!device) return tocha_refuse_none(cx, "dlpack_device_of", "device", "tocha_dlpack_device");
  bool cuda = tensor->device.type == TOCHA_CUDA;
  if (!cuda && tensor->device.type != TOCHA_CPU) {
    char text[24];
    return tocha_fail(cx, TOCHA_VALUE_ERROR, "Unknown device type %s for Dlpack",
                      tocha_device_text(tensor->device, text));
  }
  device->type = cuda                          ? TOCHA_DLPACK_CUDA
                 : tocha_is_pinned(cx, tensor) ? TOCHA_DLPACK_CUDA_HOST
                                               : TOCHA_DLPACK_CPU;
  device->index = cuda ? tensor->device.index : 0;
  return true;
}

/* Returns the device, or one of type TOCHA_NO_DEVICE with an error. */
static tocha_device device_of(tocha_context *cx, const dlpack_tensor *t) {
  tocha_device device = tocha_cpu();
  if (t->device_type == TOCHA_DLPACK_CPU || t->device_type == TOCHA_DLPACK_CUDA_HOST) return device;
  device.type = TOCHA_CUDA;
  device.index = (int16_t)t->device_index;
  if (t->device_type == TOCHA_DLPACK_CUDA && t->device_index == device.index)
    return cx->hooks->resolve_device(cx, &device) ? device : tocha_no_device();
  tocha_fail(cx, TOCHA_BUFFER_ERROR, "Unsupported device_type: %d", t->device_type);
  return tocha_no_device();
}

/* --- for other libraries --------------------------------------------------------------------------- */

/* The block that a struct of DLPack lies in and points to. The loan is its first member, so giving
 * the loan back frees the whole block. */
typedef struct lent_tensor {
  tocha_loan loan;
  struct DLManagedTensor unversioned;
  struct DLManagedTensorVersioned versioned;
  int64_t dims[]; /* sizes, then strides */
} lent_tensor;

static void delete_unversioned(struct DLManagedTensor *self) {
  lent_tensor *lent = self->owner;
  tocha_give_back(&lent->loan);
}

static void delete_versioned(struct DLManagedTensorVersioned *self) {
  lent_tensor *lent = self->owner;
  tocha_give_back(&lent->loan);
}

static bool can_lend(tocha_context *cx, const tocha_tensor *t) {
  if (tocha_failed(cx)) return false;
  if (!t) return tocha_refuse_none(cx, "to_dlpack", "tensor", "Tensor");
  if (t->flags & TOCHA_FLAGS_WITHOUT_DATA) return tocha_refuse_without_data(cx, t, "to_dlpack");
  char text[24];
  return t->device.type == TOCHA_CPU || t->device.type == TOCHA_CUDA ||
         tocha_fail(cx, TOCHA_BUFFER_ERROR, "Cannot pack tensors on %s",
                    tocha_device_text(t->device, text));
}

/* Returns a description of the tensor in a block that owns its storage, or NULL with an error. */
static lent_tensor *lend(tocha_context *cx, tocha_tensor *t, dlpack_tensor *description) {
  tocha_dlpack_device device;
  if (!can_lend(cx, t) || !tocha_dlpack_device_of(cx, t, &device)) return NULL;
  size_t side = t->ndim * sizeof *t->sizes;
  lent_tensor *lent = malloc(sizeof *lent + 2 * side);
  if (!lent) return tocha_fail(cx, TOCHA_MEMORY_ERROR, "there is no memory to lend a tensor");
  memset(lent, 0, sizeof *lent);
  memcpy(lent->dims, t->sizes, side);
  memcpy(lent->dims + t->ndim, t->strides, side);
  tocha_lend(&lent->loan, t->storage);
  tocha_dtype dtype = (tocha_dtype)t->dtype;
  if (dtype == TOCHA_BOOL) tocha_storage_note_odd_bools(t->storage);
  *description = (dlpack_tensor){.data = t->storage->data ? tocha_bytes(t) : NULL,
                                 .device_type = device.type,
                                 .device_index = device.index,
                                 .ndim = t->ndim,
                                 .type_code = type_code(dtype),
                                 .bits = bits_of(dtype),
                                 .lanes = 1,
                                 .sizes = lent->dims,
                                 .strides = lent->dims + t->ndim};
  return lent;
}

struct DLManagedTensorVersioned *tocha_to_dlpack(tocha_context *cx, tocha_tensor *tensor,
                                                 bool read_only) {
  dlpack_tensor description;
  lent_tensor *lent = lend(cx, tensor, &description);
  if (!lent) return NULL;
  lent->versioned = (struct DLManagedTensorVersioned){.major = 1,
                                                      .minor = 0,
                                                      .owner = lent,
                                                      .deleter = delete_versioned,
                                                      .flags = read_only ? DLPACK_READ_ONLY : 0,
                                                      .tensor = description};
  return &lent->versioned;
}

struct DLManagedTensor *tocha_to_dlpack_unversioned(tocha_context *cx, tocha_tensor *tensor) {
  dlpack_tensor description;
  lent_tensor *lent = lend(cx, tensor, &description);
  if (!lent) return NULL;
  lent->unversioned = (struct DLManagedTensor){description, lent, delete_unversioned};
  return &lent->unversioned;
}

/* --- of other libraries ------------------------------------------------------------------------------ */

/* Returns true if the sizes can be those of a tensor, and then sets its strides and its span in elements. */
static bool has_shape(tocha_context *cx, const dlpack_tensor *t, int64_t *strides, int64_t *span) {
  char text[256];
  if (t->ndim < 0 || t->ndim > TOCHA_MAX_DIMS || (t->ndim > 0 && !t->sizes))
    return tocha_fail(cx, TOCHA_BUFFER_ERROR, "a DLPack tensor of %d dimensions %s", t->ndim,
                      t->ndim > TOCHA_MAX_DIMS ? "has too many of them" : "has no sizes");
  for (int i = 0; i < t->ndim; i++)
    if (t->sizes[i] < 0)
      return tocha_fail(
          cx, TOCHA_RUNTIME_ERROR, "Trying to create tensor with negative dimension %lld: %s",
          (long long)t->sizes[i], tocha_shape_text(t->ndim, t->sizes, text, sizeof text));
  if (t->strides)
    memcpy(strides, t->strides, (size_t)t->ndim * sizeof *strides);
  else
    tocha_row_major_strides(t->ndim, t->sizes, strides);
  return tocha_span(cx, t->ndim, t->sizes, strides, span);
}

static tocha_tensor *borrow(tocha_context *cx, const dlpack_tensor *t,
                            void (*deleter)(void *user, void *data), void *managed) {
  int64_t strides[TOCHA_MAX_DIMS], span, bytes;
  if (!has_shape(cx, t, strides, &span)) return NULL;
  tocha_dtype dtype = dtype_of(cx, t);
  if (dtype == TOCHA_NO_DTYPE) return NULL;
  tocha_device device = device_of(cx, t);
  if (device.type == TOCHA_NO_DEVICE) return NULL;
  if (__builtin_mul_overflow(span, (int64_t)tocha_dtype_size(dtype), &bytes) || (bytes && !t->data))
    return tocha_fail(cx, TOCHA_BUFFER_ERROR, "a DLPack tensor without memory for its elements");
  tocha_tensor *r = tocha_tensor_header(cx, t->ndim, dtype, device);
  if (!r) return NULL;
  for (int i = 0; i < t->ndim; i++) {
    r->sizes[i] = t->sizes[i];
    r->strides[i] = strides[i];
  }
  tocha_tensor_finish(r);
  if (tocha_failed(cx)) return NULL; /* more elements than can be counted */
  void *data = t->data ? (char *)t->data + t->byte_offset : NULL;
  r->storage = tocha_storage_of_memory(cx, data, (uint64_t)bytes, device, deleter, managed);
  if (!r->storage) return NULL;
  r->storage->any_thread = true;
  if (dtype == TOCHA_BOOL) tocha_storage_note_odd_bools(r->storage);
  return r;
}

void tocha_dlpack_free(struct DLManagedTensorVersioned *managed) {
  if (managed && managed->deleter) managed->deleter(managed);
}

void tocha_dlpack_free_unversioned(struct DLManagedTensor *managed) {
  if (managed && managed->deleter) managed->deleter(managed);
}

static void release_versioned(void *user, void *data) {
  (void)data;
  tocha_dlpack_free(user);
}

static void release_unversioned(void *user, void *data) {
  (void)data;
  tocha_dlpack_free_unversioned(user);
}

tocha_tensor *tocha_from_dlpack(tocha_context *cx, struct DLManagedTensorVersioned *managed) {
  if (tocha_failed(cx)) return NULL;
  if (!managed) return tocha_refuse_none(cx, "from_dlpack", "managed", "DLManagedTensorVersioned");
  if (managed->major > 1)
    return tocha_fail(cx, TOCHA_BUFFER_ERROR, "Unsupported DLPack version %u.%u", managed->major,
                      managed->minor);
  return borrow(cx, &managed->tensor, release_versioned, managed);
}

tocha_tensor *tocha_from_dlpack_unversioned(tocha_context *cx, struct DLManagedTensor *managed) {
  if (tocha_failed(cx)) return NULL;
  if (!managed) return tocha_refuse_none(cx, "from_dlpack", "managed", "DLManagedTensor");
  return borrow(cx, &managed->tensor, release_unversioned, managed);
}
