/* tensor.h: the structure behind tocha_tensor, and making headers and views. */
#ifndef TOCHA_CORE_TENSOR_H
#define TOCHA_CORE_TENSOR_H

#include "core/dtype.h"
#include "core/storage.h"

enum { TOCHA_INLINE_DIMS = 5 };

enum tocha_tensor_flags {
  TOCHA_FLAG_INFERENCE = 1,        /* made in inference mode: no version, never recorded */
  TOCHA_FLAG_PARAMETER = 2,        /* an nn.Parameter: prints and registers as one */
  TOCHA_FLAG_UNTRACKED = 4,        /* made by .data: its writes do not count as versions */
  TOCHA_FLAG_CONTIGUOUS = 8,       /* row-major without gaps (kept by tocha_tensor_set_shape) */
  TOCHA_FLAG_FREED = 16,           /* after t:free(): any use is an error */
  TOCHA_FLAG_VIEW_NO_GRAD = 32,    /* a view made in no_grad mode, ... */
  TOCHA_FLAG_VIEW_INFERENCE = 64,  /* ... in inference mode, ... */
  TOCHA_FLAG_VIEW_MULTIPLE = 128,  /* ... by an operator that returns several views */
  TOCHA_FLAG_VIEW_CUSTOM = 512,    /* ... by a function of the host's own */
  TOCHA_FLAG_BUFFER = 1024,        /* an nn.Buffer: registers as one, ... */
  TOCHA_FLAG_TRANSIENT = 2048,     /* ... that no state dict has */
  TOCHA_FLAG_WATCHED = 256,        /* its next owner is told of (autograd/hooks.c) */
  TOCHA_FLAG_UNINITIALIZED = 4096, /* a lazy module's parameter or buffer that has no sizes yet */
  TOCHA_FLAG_CHANGED_LOOK =
      8192 /* its sizes, strides, dtype, device or memory changed after it was made */
};
enum { TOCHA_FLAGS_WITHOUT_DATA = TOCHA_FLAG_FREED | TOCHA_FLAG_UNINITIALIZED };

struct tocha_tensor {
  tocha_refcount references;
  uint8_t dtype;
  uint8_t ndim;
  uint16_t flags;
  tocha_device device;
  uint32_t view_version; /* when grad_fn was made (autograd/view.c); views only */
  tocha_context *context;
  tocha_storage *storage;
  int64_t offset; /* elements from the storage's start */
  int64_t numel;
  int64_t *sizes, *strides;      /* into dims, or one heap block for more than TOCHA_INLINE_DIMS */
  tocha_autograd_meta *autograd; /* NULL: takes no part */
  tocha_tensor *base;     /* owner of the storage this is a differentiable view of, or NULL */
  uint32_t version_start; /* added to the storage's count of writes: see tocha_write_count */
  int64_t dims[2 * TOCHA_INLINE_DIMS];
};

/* A header without storage in the innermost scope; sizes and strides are to be filled, then
 * tocha_tensor_finish called. */
tocha_tensor *tocha_tensor_header(tocha_context *cx, int ndim, tocha_dtype dtype,
                                  tocha_device device);
/* Computes numel and flags from sizes and strides; fails (numel 0) where numel overflows. */
void tocha_tensor_finish(tocha_tensor *t);
/* A tensor that shares storage: the primitive of every view (core/views.c). No autograd. */
tocha_tensor *tocha_alias(tocha_context *cx, const tocha_tensor *t, int ndim, const int64_t *sizes,
                          const int64_t *strides, int64_t offset);
/* The same view again, as a new header without autograd. */
tocha_tensor *tocha_shallow(tocha_context *cx, const tocha_tensor *t);
/* Uninitialized, the sizes of `like`, row-major. Of a row-major one nothing is counted again. */
tocha_tensor *tocha_new_like(tocha_context *cx, const tocha_tensor *like, tocha_dtype dtype);
/* Uninitialized with explicit strides (dense, any order of dimensions). */
tocha_tensor *tocha_new_strided(tocha_context *cx, int ndim, const int64_t *sizes,
                                const int64_t *strides, tocha_dtype dtype, tocha_device device);
/* a * b modulo 2^64: strides of tensors that are refused a moment later. */
static inline int64_t tocha_wrapping_product(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a * (uint64_t)b);
}
void tocha_row_major_strides(int ndim, const int64_t *sizes, int64_t *strides);
/* Returns the number of writes to t. The count continues if t is given another storage (x.data = y). */
static inline uint32_t tocha_write_count(const tocha_tensor *t) {
  return t->version_start + t->storage->version;
}
/* Gives t another storage and takes over the caller's reference to it. The count of writes to t continues. */
void tocha_tensor_set_storage(tocha_tensor *t, tocha_storage *storage);
/* Counts a write to t (in-place operators call it once each). */
void tocha_bump_version(tocha_tensor *t);

/* "torch.FloatTensor", "CPUBoolType": what PyTorch's messages call t's type. */
const char *tocha_type_text(const tocha_tensor *t, char text[32]);

static inline char *tocha_bytes(const tocha_tensor *t) {
  return (char *)t->storage->data + t->offset * tocha_item_size((tocha_dtype)t->dtype);
}

/* The size of a dimension that t must have; false with PyTorch's IndexError where it has not. */
bool tocha_size_of(tocha_context *cx, const tocha_tensor *t, int dim, int64_t *size);

/* Frees the pooled headers (tocha_close). */
void tocha_tensor_pool_clear(tocha_context *cx);

#endif
