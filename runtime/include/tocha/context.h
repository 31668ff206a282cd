/* context.h: the context that all work belongs to: errors, scopes, modes, threads, log,
 * interrupt.
 *
 * A context is used by one thread at a time (except for tocha_interrupt), and two contexts never
 * share mutable state. Close a context after use. Tensors that outlive it keep its memory pools
 * alive until the last of them is released. No other use of a closed context is allowed, and
 * none can be detected.
 *
 * Passing NULL for an object is an error, or returns 0, false or NULL from functions that cannot
 * fail. With NULL for the context, as tocha_open may return it, functions do no work, and
 * tocha_failed(NULL) is true. While an error is pending, functions do no work, so an expression of many calls needs
 * one test at its end.
 *
 * A host that lets floating point trap (feenableexcept) must switch traps off around calls: 1 /
 * 0 is an infinity here, and vector code computes lanes that it does not use. After fork the
 * child may go on using its copy of a context, unless it uses a GPU. */
#ifndef TOCHA_CONTEXT_H
#define TOCHA_CONTEXT_H

#include "tocha/types.h"
#include "tocha/version.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- life ------------------------------------------------------------------------------------ */

/* The digits that the CPU computes if the order of a sum, its library or a step's rounding is
 * free to choose. */
typedef enum tocha_digits {
  TOCHA_DIGITS_DEFAULT, /* in tocha_options: those that TOCHA_DIGITS names in the environment, else PyTorch's */
  TOCHA_DIGITS_PYTORCH, /* those of PyTorch's CPU, to the last bit if its order is known */
  TOCHA_DIGITS_FAST /* those of the fastest way; they differ from PyTorch's in the last places */
} tocha_digits;

/* What a context leaves alone in its process: bits of tocha_options.refuse. docs/embedding.md lists
 * all that the library does to a process. A refusal holds for this context alone; what an earlier
 * context has opened or read for the process (TOCHA_ISA, OpenBLAS) stays so. */
enum {
  /* Opens and calls no shared library: products, convolutions and linear algebra are Tocha's own code,
   * there are no GPUs, and JPEG, WebP, bzip2 and xz are errors. */
  TOCHA_REFUSE_LIBRARIES = 1,
  /* Reads no environment variable. A library that is opened may read its own. */
  TOCHA_REFUSE_ENVIRONMENT = 2,
  /* Starts no thread, and registers no handler of fork; the number of threads is 1 for good. OpenBLAS
   * may be a build that starts its own: refuse it, too. */
  TOCHA_REFUSE_THREADS = 4,
  /* Takes no random bytes from the system: the first seed is that of PyTorch's new generators. */
  TOCHA_REFUSE_ENTROPY = 8,
  /* Maps no file into memory: tocha_from_file fails, and checkpoints are read instead. */
  TOCHA_REFUSE_MAPPING = 16,
  TOCHA_REFUSE_ALL = 31
};

/* Choices of a host for a context. Zero-initialize; zero means the default. */
typedef struct tocha_options {
  /* Allocates all memory, as realloc does (size 0 frees). NULL: the C library's functions. */
  void *(*allocate)(void *user, void *pointer, size_t old_size, size_t new_size);
  void *allocate_user;
  /* Receives warnings and notes. NULL: they are dropped. */
  void (*log)(void *user, int level, const char *message);
  void *log_user;
  int threads; /* of one operator; 0: as many as the process may use cores */
  tocha_digits digits;
  uint32_t refuse;      /* TOCHA_REFUSE_... */
  uint64_t reserved[8]; /* zeros; later versions add options in their place */
} tocha_options;

enum { TOCHA_LOG_WARNING = 1, TOCHA_LOG_NOTE = 2 };

/* Returns a new context; `options` may be NULL. Returns NULL if memory is short, or if a build
 * of TOCHA_LOOPS=native runs on another processor (tocha_instruction_set() is then "none"). */
TOCHA_API tocha_context *tocha_open(const tocha_options *options);
TOCHA_API void tocha_close(tocha_context *cx);
TOCHA_API uint32_t tocha_refused(const tocha_context *cx); /* the bits of `refuse` */
/* Returns the version of the library that runs, as text and as a number like
 * TOCHA_VERSION_NUMBER; the macros of version.h are those of the headers that a program was compiled with. */
TOCHA_API const char *tocha_version(void);
TOCHA_API int tocha_version_number(void);
/* Frees a text, or the bytes of a file, that a function gave to its caller. NULL is allowed. */
TOCHA_API void tocha_free(void *block);
/* Returns a copy of a text that tocha_free frees, or NULL if memory is short: for functions of a host
 * that return a text to the library. */
TOCHA_API char *tocha_new_text(const char *text);
/* Returns the instruction set that the library uses on this processor ("avx2"), true if it
 * multiplies bfloat16 matrices by dedicated instructions, or the version of oneDNN or OpenBLAS
 * ("OpenBLAS 0.3.21, kernels for SkylakeX"). The last two open these libraries, write to `text`, and return NULL without them. */
TOCHA_API const char *tocha_instruction_set(void);
TOCHA_API bool tocha_has_bfloat16_products(void);
TOCHA_API const char *tocha_onednn_version(tocha_context *cx, char *text, size_t capacity);
TOCHA_API const char *tocha_blas_version(char *text, size_t capacity);

/* --- errors ---------------------------------------------------------------------------------- */

/* The kind of a failure, named after the Python exception PyTorch raises for it. */
typedef enum tocha_error_code {
  TOCHA_OK,
  TOCHA_RUNTIME_ERROR,
  TOCHA_INDEX_ERROR,
  TOCHA_TYPE_ERROR,
  TOCHA_VALUE_ERROR,
  TOCHA_KEY_ERROR,
  TOCHA_ATTRIBUTE_ERROR,
  TOCHA_NOT_IMPLEMENTED_ERROR,
  TOCHA_MEMORY_ERROR,
  TOCHA_INTERRUPTED,
  TOCHA_ASSERTION_ERROR,
  TOCHA_OS_ERROR,
  TOCHA_FILE_NOT_FOUND_ERROR,
  TOCHA_EOF_ERROR,
  TOCHA_BUFFER_ERROR,
  /* Of torch.distributed: all are RuntimeErrors in PyTorch. */
  TOCHA_DISTRIBUTED_ERROR, /* DistError */
  TOCHA_BACKEND_ERROR,     /* DistBackendError: the library that moves bytes, or a rank that died */
  TOCHA_STORE_ERROR,       /* DistStoreError: a store waited in vain, or lost its server */
  TOCHA_NETWORK_ERROR      /* DistNetworkError: no connection */
} tocha_error_code;

/* The pending error. The first failure stays until tocha_clear_error; while it is pending, every
 * operator returns NULL at once. The strings belong to the context and live until the error is
 * cleared. */
typedef struct tocha_error_info {
  tocha_error_code code;
  const char *message; /* in PyTorch's words; "" if there is no error */
  const char *hint;    /* the known cure of a common mistake, or "" */
  const char *op;      /* the operator that failed, or "" */
  const char *path;    /* the place: frames of tocha_fail_in, innermost first, or "" */
} tocha_error_info;

TOCHA_API const tocha_error_info *tocha_error(const tocha_context *cx);
/* Returns the number of errors so far, by which a language binding knows the error that it has set. */
TOCHA_API uint64_t tocha_error_number(const tocha_context *cx);
TOCHA_API bool tocha_failed(const tocha_context *cx);
/* Writes the pending error to `text`, cut to fit, as tocha prints it: the message, then lines "in PATH"
 * and "hint: HINT" if it has them. Without an error, or without a context, it is "". Returns `text`. */
TOCHA_API const char *tocha_error_text(const tocha_context *cx, char *text, size_t capacity);
TOCHA_API void tocha_clear_error(tocha_context *cx);
/* Records a failure (unless one is pending) and returns NULL, so that it can be returned. */
TOCHA_API void *tocha_fail(tocha_context *cx, tocha_error_code code, const char *format, ...)
    TOCHA_PRINTF(3, 4);
/* Adds a hint to the pending error if it has none; returns NULL. */
TOCHA_API void *tocha_hint(tocha_context *cx, const char *format, ...) TOCHA_PRINTF(2, 3);
/* Adds a frame ("linear", "net.encoder.3 (Linear)") to the pending error's path; returns NULL. */
TOCHA_API void *tocha_fail_in(tocha_context *cx, const char *where);
TOCHA_API void tocha_warn(tocha_context *cx, const char *format, ...) TOCHA_PRINTF(2, 3);

/* --- scopes ---------------------------------------------------------------------------------- */

/* Results of operators belong to the innermost scope and are released when it ends, unless they
 * were retained (tocha_retain) or passed to the outer scope by tocha_scope_end. */
typedef struct tocha_scope {
  size_t mark;
} tocha_scope;

TOCHA_API tocha_scope tocha_scope_begin(tocha_context *cx);
/* Ends the scope; `result` (may be NULL) passes to the outer one. Returns `result`. */
TOCHA_API tocha_tensor *tocha_scope_end(tocha_context *cx, tocha_scope scope, tocha_tensor *result);
/* Ends the scope; `result` (may be NULL) passes to the caller, who releases it. This costs less than
 * tocha_retain and tocha_scope_end. Returns `result`. */
TOCHA_API tocha_tensor *tocha_scope_take(tocha_context *cx, tocha_scope scope,
                                         tocha_tensor *result);

/* --- modes ----------------------------------------------------------------------------------- */

TOCHA_API bool tocha_grad_enabled(const tocha_context *cx);
TOCHA_API bool tocha_set_grad_enabled(tocha_context *cx, bool enabled); /* returns the old one */
TOCHA_API bool tocha_inference_mode(const tocha_context *cx);
TOCHA_API bool tocha_set_inference_mode(tocha_context *cx, bool enabled); /* returns the old one */
TOCHA_API tocha_dtype tocha_default_dtype(const tocha_context *cx);
/* Sets float32, float64 or a half type; fails for any other. */
TOCHA_API bool tocha_set_default_dtype(tocha_context *cx, tocha_dtype dtype);
TOCHA_API tocha_device tocha_default_device(const tocha_context *cx);
TOCHA_API bool tocha_set_default_device(tocha_context *cx, tocha_device device);

/* Asks for kernels that give the same bits on each run (the default is false). It changes sums that
 * a GPU's kernels add in no fixed order: the gradient of grid_sample. */
TOCHA_API void tocha_set_deterministic(tocha_context *cx, bool deterministic);
TOCHA_API bool tocha_deterministic(const tocha_context *cx);

/* The precision of products of float32 matrices on CUDA: HIGH and MEDIUM may use TensorFloat-32. */
typedef enum tocha_matmul_precision {
  TOCHA_MATMUL_HIGHEST, /* the default */
  TOCHA_MATMUL_HIGH,
  TOCHA_MATMUL_MEDIUM
} tocha_matmul_precision;
TOCHA_API void tocha_set_matmul_precision(tocha_context *cx, tocha_matmul_precision precision);
TOCHA_API tocha_matmul_precision tocha_get_matmul_precision(const tocha_context *cx);
/* Allows products of float16 or bfloat16 on CUDA to sum parts in that type (the default), or
 * forbids it. */
TOCHA_API void tocha_set_reduced_precision(tocha_context *cx, tocha_dtype dtype, bool allowed);
TOCHA_API bool tocha_reduced_precision(const tocha_context *cx, tocha_dtype dtype);

/* The switches of cuDNN, which computes convolutions on CUDA if it is there. */
typedef enum tocha_cudnn_switch {
  TOCHA_CUDNN_ENABLED,   /* cuDNN may be called; on by default */
  TOCHA_CUDNN_BENCHMARK, /* the first call of a shape measures several plans and keeps the fastest */
  TOCHA_CUDNN_DETERMINISTIC, /* only plans that give the same result every time */
  TOCHA_CUDNN_TF32           /* float32 convolutions and recurrent layers may use TensorFloat-32, by
                              * whatever library; on by default */
} tocha_cudnn_switch;
TOCHA_API void tocha_set_cudnn(tocha_context *cx, tocha_cudnn_switch which, bool on);
TOCHA_API bool tocha_get_cudnn(const tocha_context *cx, tocha_cudnn_switch which);
/* Sets how many plans TOCHA_CUDNN_BENCHMARK measures: 10 by default, 0 for all. */
TOCHA_API void tocha_set_cudnn_benchmark_limit(tocha_context *cx, int64_t limit);
TOCHA_API int64_t tocha_get_cudnn_benchmark_limit(const tocha_context *cx);

/* Sets the digits of all later computations; DEFAULT means the same as in tocha_options. */
TOCHA_API void tocha_set_digits(tocha_context *cx, tocha_digits digits);
/* Returns the context's choice, never DEFAULT. */
TOCHA_API tocha_digits tocha_get_digits(const tocha_context *cx);

/* --- random numbers, threads, interruption ------------------------------------------------------ */

/* Returns the context's generator for the CPU. Its seed is random unless tocha_manual_seed sets one. */
TOCHA_API tocha_generator *tocha_default_generator(tocha_context *cx);
TOCHA_API void tocha_manual_seed(tocha_context *cx, uint64_t seed);
TOCHA_API int tocha_threads(const tocha_context *cx);
/* Sets the number of threads, which is limited to at least 1 and at most a few times the cores. */
TOCHA_API void tocha_set_threads(tocha_context *cx, int threads);
/* Asks the running operator to stop; it fails with TOCHA_INTERRUPTED between two chunks of work.
 * May be called from a signal handler and from any thread. */
TOCHA_API void tocha_interrupt(tocha_context *cx);
/* Sets the function that operators which run long ask about every 50 ms if they should stop, as
 * after tocha_interrupt; NULL: none. It is called on the thread that called the operator, and calls
 * no function of the context but tocha_interrupt. For hosts without signals and threads. */
TOCHA_API void tocha_on_poll(tocha_context *cx, bool (*poll)(void *user), void *user);
/* Returns true if a stop was requested; then sets the error and clears the request. A host calls
 * it between two pieces of its own work. */
TOCHA_API bool tocha_interrupted(tocha_context *cx);
/* Clears a request to stop that no operator has seen. Returns true if there was one. */
TOCHA_API bool tocha_forget_interrupt(tocha_context *cx);
/* Chooses if the CPU's generator draws the random numbers of all devices, so that they are the
 * same on every device. */
TOCHA_API void tocha_set_host_random(tocha_context *cx, bool enabled);

/* Options of print for tensors: torch.set_printoptions. */
typedef struct tocha_print_options {
  int precision, threshold, edgeitems, linewidth;
  int sci_mode; /* -1: decided by the values */
} tocha_print_options;
/* Returns the context's own options, to read and to change. */
TOCHA_API tocha_print_options *tocha_printing(tocha_context *cx);

/* --- memory ------------------------------------------------------------------------------------ */

typedef struct tocha_memory_statistics {
  size_t allocated;     /* bytes in live storages */
  size_t max_allocated; /* the highest value of `allocated` since the last reset */
  size_t reserved;      /* bytes taken from the system: live and cached */
  uint64_t total;       /* bytes allocated since the context was opened */
  size_t collections;   /* times the pressure callback ran because memory was short */
} tocha_memory_statistics;

TOCHA_API tocha_memory_statistics tocha_memory(const tocha_context *cx, tocha_device device);
TOCHA_API void tocha_reset_peak_memory(tocha_context *cx, tocha_device device);
/* Bytes in live storages, and bytes allocated since the context was opened. */
typedef struct tocha_byte_counts {
  size_t live;
  uint64_t total;
} tocha_byte_counts;
TOCHA_API uint64_t
tocha_total_bytes(const tocha_context *cx); /* allocated by the host and all GPUs */
TOCHA_API tocha_byte_counts tocha_host_bytes(const tocha_context *cx);
TOCHA_API tocha_byte_counts tocha_gpu_bytes(const tocha_context *cx); /* all GPUs together */
/* Returns the number of tensors that the open scopes keep alive. */
TOCHA_API size_t tocha_scope_size(const tocha_context *cx);
/* Makes the n-th allocation from now on fail, once, for tests; -1: none. */
TOCHA_API void tocha_fail_allocation(tocha_context *cx, int64_t n);
/* Gives cached blocks back to the system. */
TOCHA_API void tocha_empty_cache(tocha_context *cx);
/* Sets the function that is called when an allocation fails after the caches were flushed. It
 * releases what it can, and returns true if memory may have become free. A language binding
 * collects garbage in it. */
TOCHA_API void tocha_on_memory_pressure(tocha_context *cx, bool (*release)(void *user), void *user);

#ifdef __cplusplus
}
#endif
#endif
