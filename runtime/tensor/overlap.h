/* overlap.h: what may not share memory with what is written. PyTorch's rules and words. */
#ifndef TOCHA_OVERLAP_H
#define TOCHA_OVERLAP_H

#include "core/internal.h"

/* An error (and false) when writing to t would write one place twice (an expanded tensor). */
bool tocha_check_no_overlap(tocha_context *cx, const tocha_tensor *t);
/* How the memory of two tensors meets, by PyTorch's rule: PARTIAL are two gapless stretches of one storage that meet
 * without being the same layout; what has gaps is UNKNOWN. */
typedef enum tocha_overlap {
  TOCHA_OVERLAP_NONE,
  TOCHA_OVERLAP_FULL, /* the same elements */
  TOCHA_OVERLAP_PARTIAL,
  TOCHA_OVERLAP_UNKNOWN
} tocha_overlap;
tocha_overlap tocha_overlap_of(const tocha_tensor *a, const tocha_tensor *b);
/* PyTorch's error of what is written while it is read: false. */
bool tocha_refuse_overlap(tocha_context *cx);
/* An error (and false) when read shares memory with what is written. */
bool tocha_check_apart(tocha_context *cx, const tocha_tensor *written, const tocha_tensor *read);

#endif
