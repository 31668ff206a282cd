/* tensor.h: the structure behind tocha_tensor, and functions that create headers and views. */
#ifndef TOCHA_CORE_TENSOR_H
#define TOCHA_CORE_TENSOR_H

#include <string.h>

#include "core/dtype.h"
#include "core/storage.h"

enum { TOCHA_INLINE_DIMS = 5 };

enum tocha_tensor_flags {
  TOCHA_FLAG_INFERENCE = 1,        /* made in inference mode: no version, never recorded */
  TOCHA_FLAG_PARAMETER = 2,        /* an nn.Parameter: prints and registers as one */
  TOCHA_FLAG_UNTRACKED = 4,        /* made by .data: its writes do not count as versions */
  TOCHA_FLAG_CONTIGUOUS = 8,       /* row-major without gaps (kept by tocha_tensor_set_shape) */
  TOCHA_FLAG_FREED = 16,           /* after t:free(): any use is an error */
  TOCHA_FLAG_VIEW_NO_GRAD = 32,    /* a view made in no_grad mode */
  TOCHA_FLAG_VIEW_INFERENCE = 64,  /* a view made in inference mode */
  TOCHA_FLAG_VIEW_MULTIPLE = 128,  /* a view made by an operator that returns several views */
  TOCHA_FLAG_VIEW_CUSTOM = 512,    /* a view made by a function of the host's own */
  TOCHA_FLAG_BUFFER = 1024,        /* an nn.Buffer: registers as one */
  TOCHA_FLAG_TRANSIENT = 2048,     /* a buffer that is not part of state dicts */
  TOCHA_FLAG_WATCHED = 256,        /* its next owner is reported to the hooks (autograd/hooks.c) */
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
  uint32_t view_version; /* write count when grad_fn was created (autograd/view.c); views only */
  tocha_context *context;
  tocha_storage *storage;
  int64_t offset; /* elements from the storage's start */
  int64_t numel;
  int64_t *sizes, *strides;      /* in dims, or in one heap block for more than TOCHA_INLINE_DIMS */
  tocha_autograd_meta *autograd; /* NULL: no autograd */
  tocha_tensor *base;     /* owner of the storage this is a differentiable view of, or NULL */
  uint32_t version_start; /* added to the storage's count of writes: see tocha_write_count */
  int64_t dims[2 * TOCHA_INLINE_DIMS];
};

/* Creates a header without storage in the innermost scope. Fill its sizes and strides, then call
 * tocha_tensor_finish. */
tocha_tensor *tocha_tensor_header(tocha_context *cx, int ndim, tocha_dtype dtype,
                                  tocha_device device);
/* Computes numel and flags from sizes and strides; fails (numel 0) if numel overflows. */
void tocha_tensor_finish(tocha_tensor *t);
/* Returns a tensor that shares the storage of t, without autograd: the basis of every view. */
tocha_tensor *tocha_alias(tocha_context *cx, const tocha_tensor *t, int ndim, const int64_t *sizes,
                          const int64_t *strides, int64_t offset);
/* Returns the same view again, as a new header without autograd. */
tocha_tensor *tocha_shallow(tocha_context *cx, const tocha_tensor *t);
/* Does the same, in no scope: the caller owns the only reference. */
tocha_tensor *tocha_own_shallow(tocha_context *cx, const tocha_tensor *t);
/* Creates a row-major tensor without defined values, of the sizes of `like`. If `like` is
 * row-major, its numel and flags are reused. */
tocha_tensor *tocha_new_like(tocha_context *cx, const tocha_tensor *like, tocha_dtype dtype);
/* Creates a tensor without defined values, with these strides (dense, any order of dimensions). */
tocha_tensor *tocha_new_strided(tocha_context *cx, int ndim, const int64_t *sizes,
                                const int64_t *strides, tocha_dtype dtype, tocha_device device);
/* Returns a * b modulo 2^64, for strides of tensors that are refused afterwards. */
static inline int64_t tocha_wrapping_product(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a * (uint64_t)b);
}
/* Sets *span to the number of elements from the first to the last of these sizes (none of them negative) and strides. Fails with
 * PyTorch's message for a negative stride, or if the number overflows. */
bool tocha_span(tocha_context *cx, int ndim, const int64_t *sizes, const int64_t *strides,
                int64_t *span);
void tocha_row_major_strides(int ndim, const int64_t *sizes, int64_t *strides);
/* Returns the number of writes to t. The count continues if t is given another storage (x.data = y). */
static inline uint32_t tocha_write_count(const tocha_tensor *t) {
  return t->version_start + t->storage->version;
}
/* Gives t another storage and takes over the caller's reference to it. The count of writes to t continues. */
void tocha_tensor_set_storage(tocha_tensor *t, tocha_storage *storage);
/* Counts a write to t (in-place operators call it once each). */
void tocha_bump_version(tocha_tensor *t);
/* Copies the sizes and strides of `from` to a header with as many dimensions. The room in a header is copied as a
 * whole, which is shorter than a loop over the dimensions. */
static inline void tocha_copy_dims(tocha_tensor *to, const tocha_tensor *from) {
  if (from->ndim <= TOCHA_INLINE_DIMS)
    memcpy(to->dims, from->dims, sizeof to->dims);
  else
    memcpy(to->sizes, from->sizes, 2 * (size_t)from->ndim * sizeof *to->sizes);
}

/* Returns the name of t's type in PyTorch's messages: "torch.FloatTensor", "CPUBoolType". */
const char *tocha_type_text(const tocha_tensor *t, char text[32]);

static inline char *tocha_bytes(const tocha_tensor *t) {
  return (char *)t->storage->data + t->offset * tocha_item_size((tocha_dtype)t->dtype);
}

/* Sets *size to the size of a dimension that t must have. Fails with PyTorch's IndexError if t
 * has no such dimension. */
bool tocha_size_of(tocha_context *cx, const tocha_tensor *t, int dim, int64_t *size);

/* Frees the pooled headers (tocha_close). */
void tocha_tensor_pool_clear(tocha_context *cx);

#endif
