/* overlap.c: checks that a tensor that is written shares no memory with itself or with what is
 * read. */
#include "tensor/overlap.h"

bool tocha_check_no_overlap(tocha_context *cx, const tocha_tensor *t) {
  for (int i = 0; t->numel && i < t->ndim; i++) {
    if (t->strides[i] == 0 && t->sizes[i] > 1) {
      tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                 "unsupported operation: more than one element of the written-to tensor refers to "
                 "a single memory location. Please clone() the tensor before performing the "
                 "operation.");
      return false;
    }
  }
  return true;
}

/* Returns true if t's elements fill a stretch of memory without gaps, from byte *begin to before
 * byte *end. */
static bool fills_stretch(const tocha_tensor *t, int64_t *begin, int64_t *end) {
  int64_t last = 0, item = tocha_item_size((tocha_dtype)t->dtype);
  for (int i = 0; i < t->ndim; i++) last += (t->sizes[i] - 1) * t->strides[i];
  *begin = t->offset * item;
  *end = (t->offset + last + 1) * item;
  return last + 1 == t->numel;
}

/* Returns true if both have the same elements in the same places. The stride of a dimension of
 * size 1 does not count. */
static bool is_same_layout(const tocha_tensor *a, const tocha_tensor *b) {
  if (a->offset != b->offset || a->dtype != b->dtype || !tocha_same_sizes(a, b)) return false;
  for (int i = 0; i < a->ndim; i++)
    if (a->sizes[i] > 1 && a->strides[i] != b->strides[i]) return false;
  return true;
}

tocha_overlap tocha_overlap_of(const tocha_tensor *a, const tocha_tensor *b) {
  int64_t a_begin, a_end, b_begin, b_end;
  if (a == b) return TOCHA_OVERLAP_FULL;
  if (a->storage != b->storage || a->numel == 0 || b->numel == 0) return TOCHA_OVERLAP_NONE;
  if (!fills_stretch(a, &a_begin, &a_end) || !fills_stretch(b, &b_begin, &b_end))
    return TOCHA_OVERLAP_UNKNOWN;
  if (is_same_layout(a, b)) return TOCHA_OVERLAP_FULL;
  return a_begin < b_end && b_begin < a_end ? TOCHA_OVERLAP_PARTIAL : TOCHA_OVERLAP_NONE;
}

bool tocha_refuse_overlap(tocha_context *cx) {
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "unsupported operation: some elements of the input tensor and the written-to tensor "
             "refer to a single memory location. Please clone() the tensor before performing the "
             "operation.");
  return false;
}

bool tocha_check_apart(tocha_context *cx, const tocha_tensor *written, const tocha_tensor *read) {
  tocha_overlap overlap = tocha_overlap_of(written, read);
  bool met = overlap == TOCHA_OVERLAP_FULL || overlap == TOCHA_OVERLAP_PARTIAL;
  return !met || tocha_refuse_overlap(cx);
}
