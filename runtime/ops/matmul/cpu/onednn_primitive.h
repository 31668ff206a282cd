/* onednn_primitive.h: oneDNN primitives that any thread may run, for products and convolutions.
 *
 * The library's own scratchpad belongs to the thread that made the primitive, and is missing or too small on other threads,
 * so the caller provides the scratchpad.
 *
 * Signals are blocked while oneDNN computes on this thread (tocha_hold_signals). Some of its kernels (jit_avx512_core_gemm of
 * 2.6) use the stack pointer's register for other values, so a signal handler would overwrite the program's memory. */
#ifndef TOCHA_ONEDNN_PRIMITIVE_H
#define TOCHA_ONEDNN_PRIMITIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Constants of dnnl_types.h, the same in versions 2 and 3. */
enum { TOCHA_ONEDNN_SUCCESS = 0, TOCHA_ONEDNN_SCRATCHPAD = 80, TOCHA_ONEDNN_ALIGNMENT = 64 };

typedef struct tocha_onednn_argument {
  int which;
  void *memory;
} tocha_onednn_argument;

typedef struct tocha_onednn_functions {
  int (*memory_create)(void **memory, const void *description, void *engine, void *data);
  int (*memory_destroy)(void *memory);
  int (*memory_get_memory_desc)(const void *memory, const void **description);
  size_t (*memory_desc_get_size)(const void *description);
  const void *(*primitive_desc_query_md)(const void *description, int what, int index);
  int (*primitive_desc_destroy)(void *description);
  int (*primitive_create)(void **primitive, const void *description);
  int (*primitive_destroy)(void *primitive);
  int (*primitive_execute)(const void *primitive, void *stream, int count,
                           const tocha_onednn_argument *arguments);
  int (*stream_wait)(void *stream);
  int (*attr_create)(void **attributes);
  int (*attr_set_scratchpad_mode)(void *attributes, int mode);
  int (*attr_destroy)(void *attributes);
} tocha_onednn_functions;

bool tocha_onednn_find_functions(void *library, tocha_onednn_functions *f);

/* Returns attributes for a primitive whose caller provides the scratchpad, or NULL on failure. */
void *tocha_onednn_attributes(const tocha_onednn_functions *f);

/* Makes the scratchpad that a description asks for: a memory object without memory (NULL if none is needed). *bytes is its
 * size, a multiple of the alignment. */
bool tocha_onednn_scratchpad(const tocha_onednn_functions *f, void *engine, const void *description,
                             void **scratchpad, size_t *bytes);

/* Returns a hash of a shape, a struct of int64_t, which selects a set of a cache of primitives. */
uint64_t tocha_onednn_hash(const void *shape, size_t bytes);

/* Runs a primitive on `data`, laid out as `objects`. Makes memory objects for the call, because `objects` are shared by all
 * threads. */
bool tocha_onednn_run(const tocha_onednn_functions *f, void *engine, void *stream,
                      const void *primitive, int count, const int *which, void *const *objects,
                      char *const *data);

#endif
