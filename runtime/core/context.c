/* context.c: opening and closing contexts, their modes, and scopes. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/internal.h"
#include "core/isa.h"
#include "core/process.h"
#include "platform/platform.h"
#include "tocha/amp.h"

/* Returns the number of threads of a new context. */
static int processors(const tocha_context *cx) {
  if (tocha_refuses(cx, TOCHA_REFUSE_THREADS)) return 1;
  long n = platform_usable_processors();
  const char *limit = tocha_environment(cx, "OMP_NUM_THREADS");
  long asked = limit ? strtol(limit, NULL, 10) : 0;
  if (asked > 0) n = asked;
  return n < 1 ? 1 : n > 1024 ? 1024 : (int)n;
}

static void free_context(tocha_context *cx) {
  if (cx->options.allocate)
    cx->options.allocate(cx->options.allocate_user, cx, sizeof *cx, 0);
  else
    free(cx);
}

uint64_t tocha_first_seed(const tocha_context *cx) {
  static const uint64_t of_new_generators = 67280421310721; /* PyTorch's default_rng_seed_val */
  return tocha_refuses(cx, TOCHA_REFUSE_ENTROPY) ? of_new_generators : tocha_random_seed();
}

tocha_context *tocha_context_new(const tocha_options *options, const tocha_hooks *hooks) {
  tocha_context *cx = options->allocate
                          ? options->allocate(options->allocate_user, NULL, 0, sizeof *cx)
                          : malloc(sizeof *cx);
  if (!cx) return NULL;
  memset(cx, 0, sizeof *cx);
  cx->options = *options;
  cx->hooks = hooks;
  cx->isa = (uint8_t)tocha_choose_isa(cx);
  if (cx->isa == TOCHA_ISA_COUNT) {
    free_context(cx);
    return NULL;
  }
  cx->allocator.fail_after = -1;
  cx->grad_enabled = true;
  cx->default_dtype = TOCHA_FLOAT32;
  cx->cudnn.on[TOCHA_CUDNN_ENABLED] = cx->cudnn.on[TOCHA_CUDNN_TF32] = true;
  cx->cudnn.benchmark_limit = 10;
  cx->default_device = tocha_cpu();
  tocha_set_threads(cx, options->threads > 0 ? options->threads : processors(cx));
  tocha_set_digits(cx, options->digits);
  cx->print.precision = 4;
  cx->print.threshold = 1000;
  cx->print.edgeitems = 3;
  cx->print.linewidth = 80;
  cx->print.sci_mode = -1;
  atomic_init(&cx->live, 1); /* the caller's */
  tocha_clear_error(cx);
  tocha_generator_seed(&cx->generator, tocha_first_seed(cx));
  return cx;
}

void tocha_context_destroy(tocha_context *cx) {
  cx->hooks->close(cx);
  tocha_deallocate(cx, cx->scope_items, cx->scope_capacity * sizeof *cx->scope_items);
  tocha_tensor_pool_clear(cx);
  tocha_empty_cache(cx);
  tocha_confinement confinement = cx->confinement;
  free_context(cx);
  if (confinement.close) confinement.close(confinement.user);
}

/* --- scopes ------------------------------------------------------------------------------------- */

tocha_scope tocha_scope_begin(tocha_context *cx) {
  tocha_scope s = {cx ? cx->scope_count : 0};
  return s;
}

tocha_tensor *tocha_scope_push(tocha_context *cx, tocha_tensor *t) {
  if (!cx) return NULL;
  if (cx->scope_count == cx->scope_capacity) {
    size_t capacity = cx->scope_capacity ? 2 * cx->scope_capacity : 64;
    tocha_tensor **items = tocha_allocate(cx, capacity * sizeof *items);
    if (!items) {
      tocha_release(t);
      return NULL;
    }
    if (cx->scope_items) {
      memcpy(items, cx->scope_items, cx->scope_count * sizeof *items);
      tocha_deallocate(cx, cx->scope_items, cx->scope_capacity * sizeof *items);
    }
    cx->scope_items = items;
    cx->scope_capacity = capacity;
  }
  cx->scope_items[cx->scope_count++] = t;
  return t;
}

tocha_tensor *tocha_scope_end(tocha_context *cx, tocha_scope scope, tocha_tensor *result) {
  if (!cx) return NULL;
  tocha_retain(result);
  while (cx->scope_count > scope.mark) tocha_release(cx->scope_items[--cx->scope_count]);
  return result ? tocha_scope_push(cx, result) : NULL;
}

tocha_tensor *tocha_scope_take(tocha_context *cx, tocha_scope scope, tocha_tensor *result) {
  if (!cx) return NULL;
  if (cx->scope_count == scope.mark + 1 && cx->scope_items[scope.mark] == result)
    cx->scope_count--; /* its reference passes to the caller */
  else {
    tocha_retain(result);
    while (cx->scope_count > scope.mark) tocha_release(cx->scope_items[--cx->scope_count]);
  }
  return result;
}

/* --- modes -------------------------------------------------------------------------------------- */

bool tocha_grad_enabled(const tocha_context *cx) {
  return cx && cx->grad_enabled && !cx->inference;
}

bool tocha_set_grad_enabled(tocha_context *cx, bool enabled) {
  if (!cx) return false;
  bool old = cx->grad_enabled;
  cx->grad_enabled = enabled;
  return old;
}

bool tocha_inference_mode(const tocha_context *cx) { return cx && cx->inference; }

bool tocha_set_inference_mode(tocha_context *cx, bool enabled) {
  if (!cx) return false;
  bool old = cx->inference;
  cx->inference = enabled;
  return old;
}

bool tocha_autocast_available(tocha_device_type device) {
  return device == TOCHA_CPU || device == TOCHA_CUDA || device == TOCHA_MPS;
}

bool tocha_autocast_enabled(const tocha_context *cx, tocha_device_type device) {
  return cx && tocha_autocast_available(device) && cx->autocast.active & 1u << device;
}

tocha_dtype tocha_default_dtype(const tocha_context *cx) {
  return cx ? cx->default_dtype : TOCHA_NO_DTYPE;
}

bool tocha_set_default_dtype(tocha_context *cx, tocha_dtype dtype) {
  if (!tocha_dtype_is_floating(dtype)) {
    tocha_fail(cx, TOCHA_TYPE_ERROR, "only floating-point types are supported as the default type");
    return false;
  }
  if (tocha_is_float8(dtype))
    return tocha_fail(cx, TOCHA_TYPE_ERROR, "couldn't find storage object %sStorage",
                      tocha_dtype_scalar_type(dtype));
  cx->default_dtype = dtype;
  return true;
}

tocha_device tocha_default_device(const tocha_context *cx) {
  return cx ? cx->default_device : tocha_cpu();
}

tocha_generator *tocha_default_generator(tocha_context *cx) { return cx ? &cx->generator : NULL; }
int tocha_threads(const tocha_context *cx) { return cx ? cx->threads : 0; }
/* Returns the maximum number of threads. More than a few threads per core would only fail to
 * start (and OpenMP would then end the process). */
static int max_threads(void) {
  int cores = platform_processors();
  return cores < 16 ? 64 : cores > 1024 ? 4096 : 4 * cores;
}

void tocha_set_threads(tocha_context *cx, int threads) {
  if (!cx) return;
  int maximum = tocha_refuses(cx, TOCHA_REFUSE_THREADS) ? 1 : max_threads();
  int allowed = cx->confinement.threads;
  if (allowed > 0 && allowed < maximum) maximum = allowed;
  cx->threads = threads < 1 ? 1 : threads > maximum ? maximum : threads;
}

/* Returns the digits that TOCHA_DIGITS names; PyTorch's if it names none. */
static tocha_digits digits_of_environment(const tocha_context *cx) {
  const char *name = tocha_environment(cx, "TOCHA_DIGITS");
  return name && strcmp(name, "fast") == 0 ? TOCHA_DIGITS_FAST : TOCHA_DIGITS_PYTORCH;
}

void tocha_set_deterministic(tocha_context *cx, bool deterministic) {
  if (cx) cx->deterministic = deterministic;
}

bool tocha_deterministic(const tocha_context *cx) { return cx && cx->deterministic; }

void tocha_set_digits(tocha_context *cx, tocha_digits digits) {
  if (!cx) return;
  if (digits != TOCHA_DIGITS_PYTORCH && digits != TOCHA_DIGITS_FAST)
    digits = digits_of_environment(cx);
  cx->digits = (uint8_t)digits;
}

tocha_digits tocha_get_digits(const tocha_context *cx) {
  return cx ? (tocha_digits)cx->digits : TOCHA_DIGITS_DEFAULT;
}

tocha_print_options *tocha_printing(tocha_context *cx) { return cx ? &cx->print : NULL; }
void tocha_set_host_random(tocha_context *cx, bool enabled) {
  if (cx) cx->host_random = enabled;
}

uint64_t tocha_total_bytes(const tocha_context *cx) {
  return cx ? cx->allocator.statistics.total + cx->gpu_bytes.total : 0;
}
tocha_byte_counts tocha_host_bytes(const tocha_context *cx) {
  if (!cx) return (tocha_byte_counts){0};
  tocha_byte_counts bytes = {cx->allocator.statistics.allocated, cx->allocator.statistics.total};
  return bytes;
}
tocha_byte_counts tocha_gpu_bytes(const tocha_context *cx) {
  return cx ? cx->gpu_bytes : (tocha_byte_counts){0};
}
size_t tocha_scope_size(const tocha_context *cx) { return cx ? cx->scope_count : 0; }
void tocha_fail_allocation(tocha_context *cx, int64_t n) {
  if (cx) cx->allocator.fail_after = n;
}
