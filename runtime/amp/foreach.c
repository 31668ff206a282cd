/* foreach.c: passes lists of tensors to the kernels of amp/kernels.h: one launch for each dtype,
 * with dense tensors. */
#include "amp/foreach.h"

#include "amp/kernels.h"
#include "tensor/copy.h"

static const tocha_dtype floating[] = {TOCHA_FLOAT32, TOCHA_FLOAT16, TOCHA_BFLOAT16, TOCHA_FLOAT64};

/* The items of one dtype, and, by tensor, dense copies of tensors with gaps (else NULL). */
typedef struct list {
  tocha_list_item *items;
  tocha_tensor **copies;
  uint64_t bytes;
  int count; /* number of items */
} list;

static bool new_list(tocha_context *cx, int count, list *l) {
  l->bytes = (uint64_t)count * (sizeof *l->items + sizeof *l->copies);
  l->items = tocha_allocate(cx, l->bytes);
  if (l->items) l->copies = (tocha_tensor **)(void *)(l->items + count);
  return l->items != NULL;
}

static void free_list(tocha_context *cx, list *l) { tocha_deallocate(cx, l->items, l->bytes); }

/* Lists the tensors of one dtype in their order. */
static bool collect(tocha_context *cx, int count, tocha_tensor *const *tensors, tocha_dtype dtype,
                    list *l) {
  int64_t begin = 0;
  l->count = 0;
  for (int i = 0; i < count; i++) {
    tocha_tensor *t = tensors[i];
    l->copies[i] = NULL;
    if (t->dtype != dtype) continue;
    if (!tocha_is_dense(t)) {
      t = l->copies[i] = tocha_as_rows(cx, t, dtype);
      if (!t) return false;
    }
    l->items[l->count++] = (tocha_list_item){tocha_bytes(t), t->numel, begin};
    begin += t->numel;
  }
  return true;
}

bool tocha_foreach_has_norm(tocha_context *cx, int count, tocha_tensor *const *tensors) {
  if (count == 0 || tensors[0]->device.type == TOCHA_META) return false;
  for (int i = 0; i < count; i++) {
    const tocha_tensor *t = tensors[i];
    if (!tocha_device_equal(t->device, tensors[0]->device) || !tocha_dtype_is_floating(t->dtype) ||
        tocha_requires_grad(t) || (t->flags & TOCHA_FLAGS_WITHOUT_DATA))
      return false;
  }
  tocha_stream *stream = tocha_stream_of(cx, tensors[0]->device);
  return stream && stream->kernels->amp->norms;
}

/* --- scaling --------------------------------------------------------------------------------- */

bool tocha_foreach_scale(tocha_context *cx, int count, tocha_tensor *const *tensors,
                         tocha_tensor *factor, const tocha_tensor *found) {
  list l;
  tocha_stream *stream = tocha_stream_of(cx, factor->device);
  if (!stream || !new_list(cx, count, &l)) return false;
  tocha_scope scope = tocha_scope_begin(cx);
  if (factor->dtype != TOCHA_FLOAT64) factor = tocha_as_dtype(cx, factor, TOCHA_FLOAT32);
  bool ok = factor != NULL;
  for (int d = 0; ok && d < TOCHA_COUNT(floating); d++) {
    ok = collect(cx, count, tensors, floating[d], &l);
    if (!ok || l.count == 0) continue;
    tocha_scale_list_args args = {.items = l.items,
                                  .count = l.count,
                                  .dtype = (int8_t)floating[d],
                                  .wide_factor = factor->dtype == TOCHA_FLOAT64,
                                  .factor = tocha_bytes(factor),
                                  .found = found ? (float *)(void *)tocha_bytes(found) : NULL};
    ok = tocha_launched(cx, stream->kernels->amp->scale_list(stream, &args));
    for (int i = 0; ok && i < count; i++)
      if (l.copies[i]) ok = tocha_copy_data(cx, tensors[i], l.copies[i]);
  }
  for (int i = 0; ok && i < count; i++) tocha_bump_version(tensors[i]);
  tocha_scope_end(cx, scope, NULL);
  free_list(cx, &l);
  return ok;
}

/* --- norms ----------------------------------------------------------------------------------- */

/* Computes a float64 norm for each tensor into norms, grouped by dtype. */
static bool compute_norms(tocha_context *cx, tocha_stream *stream, int count,
                          tocha_tensor *const *tensors, double order, tocha_tensor *norms) {
  list l;
  int64_t chunks = 0;
  for (int i = 0; i < count; i++) chunks += tensors[i]->numel / TOCHA_LIST_CHUNK + 1;
  tocha_tensor *partial = tocha_new(cx, 1, &chunks, TOCHA_FLOAT64, norms->device);
  if (!partial || !new_list(cx, count, &l)) return false;
  int done = 0;
  bool ok = true;
  for (int d = 0; ok && d < TOCHA_COUNT(floating); d++) {
    ok = collect(cx, count, tensors, floating[d], &l);
    if (!ok || l.count == 0) continue;
    tocha_norms_args args = {.items = l.items,
                             .count = l.count,
                             .dtype = (int8_t)floating[d],
                             .order = order,
                             .partial = (double *)(void *)tocha_bytes(partial),
                             .norms = (double *)(void *)tocha_bytes(norms) + done};
    ok = tocha_launched(cx, stream->kernels->amp->norms(stream, &args));
    done += l.count;
  }
  free_list(cx, &l);
  return ok;
}

tocha_tensor *tocha_foreach_norm(tocha_context *cx, int count, tocha_tensor *const *tensors,
                                 double order) {
  tocha_dtype dtype = tensors[0]->dtype;
  tocha_device device = tensors[0]->device;
  const int64_t n = count;
  for (int i = 0; i < count; i++) {
    const tocha_dtype own = tensors[i]->dtype;
    if (tocha_is_float8(own))
      return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"norm_cpu\" not implemented for '%s'",
                        tocha_dtype_scalar_type(own));
    dtype = tocha_promote_types(dtype, own);
  }
  tocha_stream *stream = tocha_stream_of(cx, device);
  tocha_tensor *total = stream ? tocha_new(cx, 0, NULL, dtype, device) : NULL;
  if (!total) return NULL;
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_tensor *norms = tocha_new(cx, 1, &n, TOCHA_FLOAT64, device);
  bool ok = norms && compute_norms(cx, stream, count, tensors, order, norms);
  if (ok) {
    tocha_total_norm_args args = {.norms = (const double *)(const void *)tocha_bytes(norms),
                                  .count = n,
                                  .order = order,
                                  .dtype = (int8_t)dtype,
                                  .total = tocha_bytes(total)};
    ok = tocha_launched(cx, stream->kernels->amp->total_norm(stream, &args));
  }
  tocha_scope_end(cx, scope, NULL);
  return ok ? total : NULL;
}
