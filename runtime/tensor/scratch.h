/* scratch.h: memory for what a kernel keeps between its parts. */
#ifndef TOCHA_SCRATCH_H
#define TOCHA_SCRATCH_H

#include "core/internal.h"

/* *scratch = memory of the device, in the scope; NULL for 0 bytes. false, with an error, where memory
 * lacks. */
static inline bool tocha_new_scratch(tocha_context *cx, tocha_device device, size_t bytes,
                                     void **scratch) {
  *scratch = NULL;
  if (bytes == 0) return true;
  int64_t words = (int64_t)(bytes + 7) / 8;
  tocha_tensor *t = tocha_new(cx, 1, &words, TOCHA_INT64, device);
  if (t) *scratch = tocha_bytes(t);
  return t != NULL;
}

#endif
