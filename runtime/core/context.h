/* context.h: the structure behind tocha_context. */
#ifndef TOCHA_CORE_CONTEXT_H
#define TOCHA_CORE_CONTEXT_H

#include <stdarg.h>
#include <stdatomic.h>

#include "core/allocator.h"
#include "core/interruption.h"
#include "core/refcount.h"
#include "random/random.h"
#include "tocha/confine.h"
#include "tocha/context.h"
#include "tocha/tensor.h"

typedef struct tocha_autograd_meta tocha_autograd_meta; /* core/autograd_meta.h */

typedef struct tocha_error_state {
  tocha_error_info info;
  char message[16384], hint[512], op[64], path[512];
  uint64_t number; /* of errors so far */
} tocha_error_state;

/* Functions of higher folders that core/ calls without including their headers; passed by
 * tocha_open (open.c). */
typedef struct tocha_hooks {
  /* Allocates memory of a device, and sets its deleter. Returns NULL with an error if it fails
   * (device/devices.c). */
  void *(*allocate)(tocha_context *cx, tocha_device device, uint64_t bytes,
                    void (**deleter)(void *user, void *data), void **user);
  /* Replaces the index "the current one" by a number. Fails if the device is missing. */
  bool (*resolve_device)(tocha_context *cx, tocha_device *device);
  void (*free_autograd)(tocha_tensor *t);  /* frees the autograd part of a tensor */
  void (*shared)(tocha_tensor *t);         /* called when a tensor with TOCHA_FLAG_WATCHED gets
                                            * another owner */
  void (*close)(tocha_context *cx);        /* frees what the folders keep in a context */
  const struct tocha_call_hooks *call;     /* dispatch/call.h */
  const struct tocha_kernels *cpu_kernels; /* device/kernels.h */
} tocha_hooks;

struct tocha_context {
  tocha_options options;
  const tocha_hooks *hooks;
  tocha_allocator allocator;
  tocha_error_state error;
  tocha_interruption interrupted;
  atomic_long live; /* live tensors and storages; the context is freed when it is closed and this
                     * is 0 */
  _Atomic(struct tocha_loan *) loans; /* given back by other threads (core/loans.h) */
  atomic_bool loans_closed;           /* the context is closed: who gives back also releases */
  atomic_bool loans_taken;            /* a thread releases the list of the closed context */
  bool closed;
  bool confined;                 /* tocha_confine */
  tocha_confinement confinement; /* zeros unless confined */
  bool grad_enabled;
  bool inference;
  bool anomaly; /* torch.autograd.set_detect_anomaly */
  bool anomaly_ignores_nan;
  int passes;                       /* running backward passes, one within another */
  struct tocha_pass_end *pass_ends; /* autograd/pass_end.c */
  int pass_end_count, pass_end_capacity;
  tocha_node *evaluating; /* in anomaly mode: the node whose backward is running */
  char *(*forward_trace)(void *user);
  void *forward_trace_user;
  const struct tocha_saving_hooks *saving_hooks; /* for tensors that are saved; NULL: none */
  const struct tocha_saving_hooks *paused_hooks; /* hooks that are not called now; only compared */
  int below_autograd;           /* > 0 inside the kernel of a recorded operator: operators below
                                 * record no nodes */
  int depth;                    /* nesting of operators, for error reports */
  struct tocha_autocast_state { /* amp/autocast.c */
    uint8_t active;             /* bit per tocha_device_type: a region is open for it */
    bool cache_off;
    uint8_t dtype[TOCHA_DEVICE_TYPE_COUNT]; /* 0: the device type's own */
    int nesting;
    struct tocha_cast_entry *entries; /* the casts of weights */
    size_t capacity, count;
  } autocast;
  struct tocha_product_switches {       /* ops/matmul/precision.c */
    uint8_t precision;                  /* tocha_matmul_precision */
    bool whole_float16, whole_bfloat16; /* sums of 16-bit products stay in float32 */
    bool of_cudnn;                      /* products now take their precision from `cudnn` */
  } products;
  struct tocha_cudnn_switches { /* ops/matmul/precision.c */
    bool on[4];                 /* by tocha_cudnn_switch */
    int64_t benchmark_limit;    /* plans that benchmark measures; 0: all of them */
  } cudnn;
  bool deterministic; /* no kernel whose bits differ from run to run */
  tocha_dtype default_dtype;
  tocha_device default_device;
  bool odd_bools;                /* a storage has had odd_bools */
  bool float8;                   /* a float8 dtype was used: dispatch/float8.c checks the calls */
  struct tocha_devices *devices; /* device/devices.h; NULL until first used */
  struct tocha_stream *cpu;      /* device/devices.h; created by tocha_open */
  tocha_byte_counts gpu_bytes;   /* in storages on GPUs */
  bool host_random;              /* the CPU's generator draws the random numbers of all devices */
  bool device_seeded; /* torch.manual_seed was called: device_seed is for GPUs first used later */
  uint64_t device_seed;
  int threads;
  uint8_t isa;    /* tocha_isa: the set whose loops are called */
  uint8_t digits; /* tocha_digits, never DEFAULT; only code in a family's cpu/digits/ reads it */
  struct tocha_onednn_convolutions
      *onednn_convolutions;    /* ops/convolution/cpu/onednn.c; NULL until first used */
  struct tocha_onednn *onednn; /* ops/matmul/cpu/onednn.c; NULL until first used */
  uint64_t next_sequence;      /* the next autograd node's */
  tocha_generator generator;
  tocha_tensor **scope_items; /* the tensors of all open scopes, a stack */
  size_t scope_count, scope_capacity;
  tocha_tensor *free_tensors; /* pooled headers, linked through `context` */
  tocha_node *free_nodes;
  tocha_node *dying_nodes; /* queue of the iterative destruction of graphs (autograd/node.c) */
  bool destroying_nodes;
  tocha_autograd_meta
      *cyclic_leaves; /* list of leaves whose gradient has a graph (autograd/node.h) */
  struct tocha_module **module_calls; /* the modules being called, outermost first (nn/forward.c) */
  int module_call_count, module_call_capacity;
  struct tocha_distributed *distributed; /* distributed/group.h; NULL until first used */
  void (*close_distributed)(tocha_context *cx);
  bool (*release_memory)(void *user);
  void *release_memory_user;
  tocha_print_options print;
};

tocha_context *tocha_context_new(const tocha_options *options, const tocha_hooks *hooks);
void tocha_context_destroy(tocha_context *cx); /* called by tocha_context_release alone */
/* Counts a live storage, header or node, which keeps the context alive. */
static inline void tocha_context_retain(tocha_context *cx) {
  atomic_fetch_add_explicit(&cx->live, 1, memory_order_relaxed);
}
static inline void tocha_context_release(tocha_context *cx) {
  if (atomic_fetch_sub_explicit(&cx->live, 1, memory_order_acq_rel) == 1) tocha_context_destroy(cx);
}

/* Returns true if an error is pending: an inlined tocha_failed, for the checks of every operator. */
static inline bool tocha_has_failed(const tocha_context *cx) {
  return !cx || cx->error.info.code != TOCHA_OK;
}

/* Fails, unless an error is pending, because a program in C passed NULL for a parameter. Returns
 * NULL. */
void *tocha_refuse_none(tocha_context *cx, const char *function, const char *parameter,
                        const char *type);

/* Sets the operator that failed, for the error's report. The first one set stays. */
void tocha_set_error_op(tocha_context *cx, const char *op);

#define TOCHA_COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

#endif
