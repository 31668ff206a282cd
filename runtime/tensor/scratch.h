/* scratch.h: memory for intermediate results of a kernel. */
#ifndef TOCHA_SCRATCH_H
#define TOCHA_SCRATCH_H

#include "core/internal.h"

/* Sets *scratch to memory of the device that lives until the scope ends, or to NULL for 0 bytes.
 * Returns false with an error if memory is short. */
static inline bool tocha_new_scratch(tocha_context *cx, tocha_device device, uint64_t bytes,
                                     void **scratch) {
  *scratch = NULL;
  if (bytes == 0) return true;
  int64_t words = (int64_t)(bytes / 8 + (bytes % 8 > 0));
  tocha_tensor *t = tocha_new(cx, 1, &words, TOCHA_INT64, device);
  if (t) *scratch = tocha_bytes(t);
  return t != NULL;
}

#endif
