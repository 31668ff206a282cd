/* internal.h: the structures behind the public types, for libtocha's own files only. */
#ifndef TOCHA_INTERNAL_H
#define TOCHA_INTERNAL_H

#include <stdarg.h>
#include <stdatomic.h>

#include "core/refcount.h"
#include "random/random.h"
#include "tocha/context.h"
#include "tocha/tensor.h"

/* --- allocation ---------------------------------------------------------------------------------
 * allocator.c: host memory through the context's realloc hook, cached by size class. A block's
 * size must be given back with it. Blocks are aligned to 64 bytes. */

enum { TOCHA_SIZE_CLASSES = 192 };

typedef struct tocha_allocator {
  void *free_blocks[TOCHA_SIZE_CLASSES]; /* singly linked through their first word */
  tocha_memory_statistics statistics;
  size_t cached;      /* bytes in free_blocks */
  int64_t fail_after; /* tests: the allocation that fails, counted down; -1: none */
} tocha_allocator;

/* NULL, with TOCHA_MEMORY_ERROR, after flushing caches and asking the pressure callback. */
void *tocha_allocate(tocha_context *cx, size_t bytes);
void *tocha_allocate_zeroed(tocha_context *cx, size_t bytes);
void tocha_deallocate(tocha_context *cx, void *block, size_t bytes);
/* A copy of text, to be given back with tocha_deallocate_text; NULL where memory lacks. */
char *tocha_copy_text(tocha_context *cx, const char *text);
void tocha_deallocate_text(tocha_context *cx, char *text);

/* --- context -------------------------------------------------------------------------------------- */

typedef struct tocha_autograd_meta tocha_autograd_meta; /* autograd/node.h */

typedef struct tocha_error_state {
  tocha_error_info info;
  char message[16384], hint[512], op[64], path[512];
} tocha_error_state;

/* What the rooms above do for core/, which includes nothing of theirs; given by tocha_open (open.c). */
typedef struct tocha_hooks {
  /* Memory of a device and how it is released; NULL with an error (device/devices.c). */
  void *(*allocate)(tocha_context *cx, tocha_device device, size_t bytes,
                    void (**deleter)(void *user, void *data), void **user);
  /* An index in place of "the current one"; false, with an error, for a device that is not there. */
  bool (*resolve_device)(tocha_context *cx, tocha_device *device);
  void (*free_autograd)(tocha_tensor *t); /* the autograd part of a tensor that goes */
  void (*close)(tocha_context *cx);       /* what the rooms keep in a context that goes */
  const struct tocha_call_hooks *call;    /* dispatch/call.h */
} tocha_hooks;

struct tocha_context {
  tocha_options options;
  const tocha_hooks *hooks;
  tocha_allocator allocator;
  tocha_error_state error;
  atomic_int interrupted;
  atomic_long live; /* tensors and storages alive; the context goes when closed and zero */
  bool closed;
  bool grad_enabled;
  bool inference;
  bool anomaly;                 /* torch.autograd.set_detect_anomaly */
  int below_autograd;           /* > 0 inside the kernel of a recorded operator: nothing records */
  int depth;                    /* nesting of operators, for error reports */
  struct tocha_autocast_state { /* amp/autocast.c */
    uint8_t active;             /* bit per tocha_device_type: a region is open for it */
    bool cache_off;
    uint8_t dtype[TOCHA_DEVICE_TYPE_COUNT]; /* 0: the device type's own */
    int nesting;
    struct tocha_cast_entry *entries; /* the weights that were cast */
    size_t capacity, count;
  } autocast;
  struct tocha_product_switches {       /* ops/gemm_device.c */
    uint8_t precision;                  /* tocha_matmul_precision */
    bool whole_float16, whole_bfloat16; /* sums of 16-bit products stay in float32 */
  } products;
  tocha_dtype default_dtype;
  tocha_device default_device;
  struct tocha_devices *devices; /* device/devices.h; NULL until a device is asked for */
  struct tocha_stream *cpu;      /* device/devices.h; NULL until first used */
  struct {
    size_t allocated,
        total; /* bytes in storages of devices now, and since the context was opened */
  } device_bytes;
  bool host_random; /* random numbers for a device are drawn by the CPU's generator */
  bool
      device_seeded; /* torch.manual_seed was called: with device_seed, for GPUs first asked for later */
  uint64_t device_seed;
  int threads;
  uint8_t isa;                         /* tocha_isa: which loops */
  const struct tocha_cpu_loops *loops; /* the loops for this processor; NULL until first used */
  struct tocha_onednn *onednn;         /* ops/onednn.h; NULL until first asked for */
  uint64_t next_sequence;              /* of autograd nodes */
  tocha_generator generator;
  tocha_tensor **scope_items; /* everything that belongs to an open scope, a stack */
  size_t scope_count, scope_capacity;
  tocha_tensor *free_tensors; /* pooled headers, linked through `context` */
  tocha_node *free_nodes;
  tocha_node *dying_nodes; /* queue of the iterative destruction of graphs (autograd/node.c) */
  bool destroying_nodes;
  tocha_autograd_meta
      *cyclic_leaves; /* list of leaves whose gradient has a graph (autograd/node.h) */
  struct tocha_module **module_calls; /* the modules being called, outermost first (nn/forward.c) */
  int module_call_count, module_call_capacity;
  bool (*release_memory)(void *user);
  void *release_memory_user;
  struct tocha_print_options {
    int precision, threshold, edgeitems, linewidth;
    int sci_mode; /* -1: decided by the values */
  } print;
};

tocha_context *tocha_context_new(const tocha_options *options, const tocha_hooks *hooks);
void tocha_context_retain(tocha_context *cx); /* for each live storage or header */
void tocha_context_release(tocha_context *cx);
/* Between chunks of work: true (and the error set) when an interrupt was asked for. */
bool tocha_interrupted(tocha_context *cx);

/* --- storage ------------------------------------------------------------------------------------- */

typedef struct tocha_storage {
  tocha_refcount references;
  uint32_t version; /* in-place writes so far */
  tocha_device device;
  size_t bytes;
  void *data;
  tocha_context *context;
  void (*deleter)(void *user, void *data); /* memory that is not ours; NULL: it is */
  void *deleter_user;
  size_t block; /* bytes of the block that holds this header (and small data) */
} tocha_storage;

tocha_storage *tocha_storage_new(tocha_context *cx, size_t bytes, tocha_device device);
tocha_storage *tocha_storage_retain(tocha_storage *storage);
void tocha_storage_release(tocha_storage *storage);

/* --- tensor -------------------------------------------------------------------------------------- */

enum { TOCHA_INLINE_DIMS = 5 };

enum tocha_tensor_flags {
  TOCHA_FLAG_INFERENCE = 1,       /* made in inference mode: no version, never recorded */
  TOCHA_FLAG_PARAMETER = 2,       /* an nn.Parameter: prints and registers as one */
  TOCHA_FLAG_UNTRACKED = 4,       /* made by .data: its writes do not count as versions */
  TOCHA_FLAG_CONTIGUOUS = 8,      /* row-major without gaps (kept by tocha_tensor_set_shape) */
  TOCHA_FLAG_FREED = 16,          /* after t:free(): any use is an error */
  TOCHA_FLAG_VIEW_NO_GRAD = 32,   /* a view made in no_grad mode, ... */
  TOCHA_FLAG_VIEW_INFERENCE = 64, /* ... in inference mode, ... */
  TOCHA_FLAG_VIEW_MULTIPLE = 128  /* ... by an operator that returns several views */
};

struct tocha_tensor {
  tocha_refcount references;
  uint8_t dtype;
  uint8_t ndim;
  uint16_t flags;
  tocha_device device;
  uint32_t view_version; /* of the storage when grad_fn was made (autograd/view.c); views only */
  tocha_context *context;
  tocha_storage *storage;
  int64_t offset; /* elements from the storage's start */
  int64_t numel;
  int64_t *sizes, *strides;      /* into dims, or one heap block for more than TOCHA_INLINE_DIMS */
  tocha_autograd_meta *autograd; /* NULL: takes no part */
  tocha_tensor *base; /* owner of the storage this is a differentiable view of, or NULL */
  int64_t dims[2 * TOCHA_INLINE_DIMS];
};

/* A header without storage in the innermost scope; sizes and strides are to be filled, then
 * tocha_tensor_finish called. */
tocha_tensor *tocha_tensor_header(tocha_context *cx, int ndim, tocha_dtype dtype,
                                  tocha_device device);
/* Computes numel and flags from sizes and strides; fails (numel 0) where numel overflows. */
void tocha_tensor_finish(tocha_tensor *t);
/* t:free(): lets go of the memory now; t becomes empty and every operator refuses it. */
void tocha_tensor_forget(tocha_tensor *t);
/* A tensor that shares storage: the primitive of every view (core/views.c). No autograd. */
tocha_tensor *tocha_alias(tocha_context *cx, const tocha_tensor *t, int ndim, const int64_t *sizes,
                          const int64_t *strides, int64_t offset);
/* The same view again, as a new header without autograd. */
tocha_tensor *tocha_shallow(tocha_context *cx, const tocha_tensor *t);
/* Uninitialized, the sizes of `like`, row-major. */
tocha_tensor *tocha_new_like(tocha_context *cx, const tocha_tensor *like, tocha_dtype dtype);
/* Uninitialized with explicit strides (dense, any order of dimensions). */
tocha_tensor *tocha_new_strided(tocha_context *cx, int ndim, const int64_t *sizes,
                                const int64_t *strides, tocha_dtype dtype, tocha_device device);
/* a * b modulo 2^64: strides of tensors that are refused a moment later. */
static inline int64_t tocha_wrapping_product(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a * (uint64_t)b);
}
void tocha_row_major_strides(int ndim, const int64_t *sizes, int64_t *strides);
bool tocha_same_sizes(const tocha_tensor *a, const tocha_tensor *b);
/* Pushes t, whose one reference passes to it, onto the innermost scope. NULL (t released) where
 * memory lacks. */
tocha_tensor *tocha_scope_push(tocha_context *cx, tocha_tensor *t);
/* Counts a write to t (in-place operators call it once each). */
void tocha_bump_version(tocha_tensor *t);

static inline char *tocha_bytes(const tocha_tensor *t) {
  return (char *)t->storage->data + t->offset * (int64_t)tocha_dtype_size(t->dtype);
}

/* Frees the pooled headers (tocha_close). */
void tocha_tensor_pool_clear(tocha_context *cx);
/* --- messages ------------------------------------------------------------------------------------ */

/* "[2, 3]" into text (cut to fit); returns text. */
const char *tocha_shape_text(int ndim, const int64_t *sizes, char *text, size_t room);
void tocha_set_error_op(tocha_context *cx, const char *op);

/* Wraps dim in -ndim..ndim-1 (ndim 0 counts as 1). false with PyTorch's IndexError. */
bool tocha_wrap_dim(tocha_context *cx, int64_t *dim, int ndim);

#define TOCHA_COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

#endif
