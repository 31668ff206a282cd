/* overlap.h: checks that a tensor that is written shares no memory with itself or with what is
 * read, by PyTorch's rules and in its words. */
#ifndef TOCHA_OVERLAP_H
#define TOCHA_OVERLAP_H

#include "core/internal.h"

/* Fails if writing to t would write one place twice, as in an expanded tensor. */
bool tocha_check_no_overlap(tocha_context *cx, const tocha_tensor *t);
/* The overlap of the memory of two tensors, by PyTorch's rule. PARTIAL: two gapless stretches of
 * one storage that overlap and are not the same layout. UNKNOWN: a tensor has gaps. */
typedef enum tocha_overlap {
  TOCHA_OVERLAP_NONE,
  TOCHA_OVERLAP_FULL, /* the same elements */
  TOCHA_OVERLAP_PARTIAL,
  TOCHA_OVERLAP_UNKNOWN
} tocha_overlap;
tocha_overlap tocha_overlap_of(const tocha_tensor *a, const tocha_tensor *b);
/* Fails with PyTorch's error about a tensor that is written while it is read. */
bool tocha_refuse_overlap(tocha_context *cx);
/* Fails if `read` shares memory with `written`. */
bool tocha_check_apart(tocha_context *cx, const tocha_tensor *written, const tocha_tensor *read);

#endif
