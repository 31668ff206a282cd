/* staging.c: plans and carries out copies between tensors and packed memory. */
#include "distributed/staging.h"

#include <stdlib.h>
#include <string.h>

#include "platform/platform.h"

static int64_t bytes_of(const tocha_tensor *t) {
  return t->numel * tocha_item_size((tocha_dtype)t->dtype);
}

char *tocha_find_packed(int count, tocha_tensor *const *tensors) {
  char *first = NULL, *next = NULL;
  for (int i = 0; i < count; i++) {
    const tocha_tensor *t = tensors[i];
    if (!t->numel) continue;
    if (!(t->flags & TOCHA_FLAG_CONTIGUOUS) || (first && tocha_bytes(t) != next)) return NULL;
    if (!first) first = tocha_bytes(t);
    next = tocha_bytes(t) + bytes_of(t);
  }
  return first;
}

static bool describe(const tocha_tensor *t, char *packed, tocha_staged *s) {
  int64_t item = tocha_item_size((tocha_dtype)t->dtype);
  *s = (tocha_staged){
      .data = tocha_bytes(t), .packed = packed, .numel = t->numel, .item_size = item};
  if (t->flags & TOCHA_FLAG_CONTIGUOUS) return true;
  s->geometry = malloc(2 * (size_t)t->ndim * sizeof *s->geometry);
  if (!s->geometry) return false;
  s->ndim = t->ndim;
  for (int d = 0; d < t->ndim; d++) {
    s->geometry[d] = t->sizes[d];
    s->geometry[t->ndim + d] = t->strides[d] * item;
  }
  return true;
}

static bool add(tocha_staged **list, int *count, const tocha_tensor *t, char *packed) {
  tocha_staged *longer = realloc(*list, (size_t)(*count + 1) * sizeof *longer);
  if (!longer) return false;
  *list = longer;
  if (!describe(t, packed, &longer[*count])) return false;
  ++*count;
  return true;
}

/* Allocates packed memory, which the plan frees: blocks are chained through their first word. */
static char *allocate(tocha_context *cx, tocha_staging *s, int64_t bytes) {
  enum { ALIGNMENT = 64 };
  char *block = platform_allocate_aligned(ALIGNMENT, ALIGNMENT + (size_t)bytes);
  if (!block)
    return tocha_fail(cx, TOCHA_MEMORY_ERROR, "no memory for %lld bytes", (long long)bytes);
  memcpy(block, &s->packed, sizeof s->packed);
  s->packed = block;
  return block + ALIGNMENT;
}

void *tocha_stage(tocha_context *cx, tocha_staging *s, int count, tocha_tensor *const *tensors,
                  bool is_input, bool is_output) {
  static char no_elements;
  int64_t bytes = 0;
  for (int i = 0; i < count; i++) bytes += bytes_of(tensors[i]);
  if (!bytes) return &no_elements;
  char *packed = tocha_find_packed(count, tensors);
  if (packed) return packed;
  packed = allocate(cx, s, bytes);
  if (!packed) return NULL;
  char *at = packed;
  for (int i = 0; i < count; i++) {
    if ((is_input && !add(&s->inputs, &s->input_count, tensors[i], at)) ||
        (is_output && !add(&s->outputs, &s->output_count, tensors[i], at)))
      return tocha_fail(cx, TOCHA_MEMORY_ERROR, "no memory for a plan of copies");
    at += bytes_of(tensors[i]);
  }
  return packed;
}

/* Copies rows of the innermost dimension, in the order of packed memory. */
static void copy_strided(const tocha_staged *s, bool to_packed) {
  int inner = s->ndim - 1;
  const int64_t *sizes = s->geometry, *strides = s->geometry + s->ndim;
  int64_t index[64] = {0}, stride = strides[inner], item = s->item_size;
  char *row = s->data, *packed = s->packed;
  for (;;) {
    for (int64_t i = 0; i < sizes[inner]; i++, packed += item)
      to_packed ? memcpy(packed, row + i * stride, (size_t)item)
                : memcpy(row + i * stride, packed, (size_t)item);
    int d = inner - 1;
    for (; d >= 0; d--) {
      row += strides[d];
      if (++index[d] < sizes[d]) break;
      row -= strides[d] * sizes[d];
      index[d] = 0;
    }
    if (d < 0) return;
  }
}

static void copy(const tocha_staged *s, bool to_packed) {
  if (!s->numel) return;
  size_t bytes = (size_t)(s->numel * s->item_size);
  if (s->ndim)
    copy_strided(s, to_packed);
  else if (to_packed)
    memcpy(s->packed, s->data, bytes);
  else
    memcpy(s->data, s->packed, bytes);
}

void tocha_stage_inputs(const tocha_staging *s) {
  for (int i = 0; i < s->input_count; i++) copy(&s->inputs[i], true);
}

void tocha_stage_outputs(const tocha_staging *s) {
  for (int i = 0; i < s->output_count; i++) copy(&s->outputs[i], false);
}

void tocha_staging_free(tocha_staging *s) {
  for (int i = 0; i < s->input_count; i++) free(s->inputs[i].geometry);
  for (int i = 0; i < s->output_count; i++) free(s->outputs[i].geometry);
  free(s->inputs);
  free(s->outputs);
  while (s->packed) {
    void *block = s->packed;
    memcpy(&s->packed, block, sizeof s->packed);
    free(block);
  }
  *s = (tocha_staging){0};
}
