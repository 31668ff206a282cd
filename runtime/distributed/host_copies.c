/* host_copies.c: copies of a GPU's tensors. */
#include "distributed/host_copies.h"

#include <stdlib.h>

#include "tensor/copy.h"
#include "tensor/geometry.h"
#include "tocha/device.h"
#include "tocha/ops/as_strided.h"

/* A list of tensors, and their copies. */
struct tocha_host_copies {
  struct tocha_host_copies *next;
  int count;
  bool writes;
  tocha_tensor *pairs[]; /* the copies, then the tensors */
};

/* Returns a row-major copy in page-locked memory, which the caller releases. */
static tocha_tensor *copy_of(tocha_context *cx, tocha_tensor *t, bool reads) {
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_tensor *copy = tocha_new(cx, t->ndim, t->sizes, (tocha_dtype)t->dtype, tocha_cpu());
  tocha_tensor *pinned = copy ? tocha_pin_memory(cx, copy) : NULL;
  if (pinned && reads && t->numel && !tocha_copy_data(cx, pinned, t)) pinned = NULL;
  return tocha_scope_take(cx, scope, pinned);
}

/* Adds an empty list. Returns NULL with an error. */
static struct tocha_host_copies *new_list(tocha_context *cx, tocha_work *w, int count,
                                          bool writes) {
  struct tocha_host_copies *c = calloc(1, sizeof *c + 2 * (size_t)count * sizeof *c->pairs);
  if (!c) return tocha_fail(cx, TOCHA_MEMORY_ERROR, "no memory for copies of tensors");
  c->next = w->copies;
  w->copies = c;
  c->writes = writes;
  return c;
}

tocha_tensor **tocha_copies_of(tocha_context *cx, tocha_work *w, int count,
                               tocha_tensor *const *tensors, bool reads, bool writes) {
  struct tocha_host_copies *c = new_list(cx, w, count, writes);
  if (!c) return NULL;
  for (int i = 0; i < count; i++) {
    tocha_tensor *copy = copy_of(cx, tensors[i], reads);
    if (!copy) return NULL;
    c->pairs[c->count] = copy;
    c->pairs[count + c->count++] = tensors[i]; /* the operation keeps it */
  }
  return c->pairs;
}

/* Fills the list with parts of new memory. Returns false with an error. */
static bool pack(tocha_context *cx, struct tocha_host_copies *c, int count,
                 tocha_tensor *const *tensors, bool reads) {
  int64_t elements = 0, offset = 0, strides[TOCHA_MAX_DIMS];
  for (int i = 0; i < count; i++) elements += tensors[i]->numel;
  tocha_tensor *flat =
      tocha_new(cx, 1, &elements, (tocha_dtype)tensors[0]->dtype, tensors[0]->device);
  for (int i = 0; flat && i < count; i++) {
    tocha_tensor *t = tensors[i];
    tocha_row_major_strides(t->ndim, t->sizes, strides);
    tocha_tensor *part = tocha_as_strided(cx, flat, t->ndim, t->sizes, t->ndim, strides, &offset);
    if (!part) return false;
    c->pairs[c->count] = tocha_retain(part);
    c->pairs[count + c->count++] = t; /* the operation keeps it */
    if (reads && t->numel && !tocha_copy_data(cx, part, t)) return false;
    offset += t->numel;
  }
  return flat != NULL;
}

tocha_tensor **tocha_packed_copies_of(tocha_context *cx, tocha_work *w, int count,
                                      tocha_tensor *const *tensors, bool reads, bool writes) {
  struct tocha_host_copies *c = new_list(cx, w, count, writes);
  if (!c) return NULL;
  tocha_scope scope = tocha_scope_begin(cx);
  bool records = tocha_set_grad_enabled(cx, false);
  bool packed = pack(cx, c, count, tensors, reads);
  tocha_set_grad_enabled(cx, records);
  tocha_scope_end(cx, scope, NULL);
  return packed ? c->pairs : NULL;
}

bool tocha_copies_return(tocha_context *cx, tocha_work *w) {
  for (struct tocha_host_copies *c = w->copies; c; c = c->next)
    for (int i = 0; c->writes && i < c->count; i++)
      if (c->pairs[i]->numel && !tocha_copy_data(cx, c->pairs[c->count + i], c->pairs[i]))
        return false;
  return true;
}

bool tocha_copies_use_on(tocha_context *cx, tocha_work *w, tocha_stream *stream) {
  for (struct tocha_host_copies *c = w->copies; c; c = c->next)
    for (int i = 0; i < c->count; i++)
      if (!tocha_record_stream(cx, c->pairs[i], stream)) return false;
  return true;
}

void tocha_copies_free(tocha_work *w) {
  while (w->copies) {
    struct tocha_host_copies *c = w->copies;
    w->copies = c->next;
    for (int i = 0; i < c->count; i++) tocha_release(c->pairs[i]);
    free(c);
  }
}
