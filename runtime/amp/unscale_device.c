/* unscale_device.c: lists of gradients for the kernels of a device: by dtype, dense, in few
 * launches. */
#include "amp/unscale_device.h"
#include "device/devices.h"
#include "amp/kernels.h"

#include <string.h>

#include "tensor/copy.h"

static const tocha_dtype floating[] = {TOCHA_FLOAT32, TOCHA_FLOAT16, TOCHA_BFLOAT16, TOCHA_FLOAT64};

bool tocha_on_one_device(int count, tocha_tensor *const *tensors) {
  if (count == 0 || !tocha_is_on_device(tensors[0])) return false;
  for (int i = 1; i < count; i++)
    if (!tocha_device_equal(tensors[i]->device, tensors[0]->device)) return false;
  return true;
}

/* The tensors of one dtype in their order, those with gaps as dense copies; how many, or -1. */
static int gather(tocha_context *cx, int count, tocha_tensor *const *tensors, tocha_dtype dtype,
                  tocha_list_item *items, tocha_tensor **copies) {
  int n = 0;
  for (int i = 0; i < count; i++) {
    tocha_tensor *t = tensors[i];
    copies[i] = NULL;
    if (t->dtype != dtype) continue;
    tocha_tensor *rows = tocha_as_rows(cx, t, dtype);
    if (!rows) return -1;
    if (rows != t) copies[i] = rows;
    items[n].data = tocha_bytes(rows);
    items[n++].numel = t->numel;
  }
  return n;
}

/* The room for a list. */
typedef struct room {
  tocha_list_item *items;
  tocha_tensor **copies;
  size_t bytes;
} room;

static bool make_room(tocha_context *cx, int count, room *r) {
  r->bytes = (size_t)count * (sizeof *r->items + sizeof *r->copies);
  r->items = tocha_allocate(cx, r->bytes);
  if (r->items) r->copies = (tocha_tensor **)(void *)(r->items + count);
  return r->items != NULL;
}

/* --- scaling --------------------------------------------------------------------------------- */

bool tocha_scale_list(tocha_context *cx, int count, tocha_tensor *const *tensors,
                      tocha_tensor *factor, const tocha_tensor *found) {
  room r;
  tocha_stream *stream = tocha_stream_of(cx, tensors[0]->device);
  if (!stream || !make_room(cx, count, &r)) return false;
  tocha_scope scope = tocha_scope_begin(cx);
  bool ok = true;
  if (factor->dtype != TOCHA_FLOAT32 && factor->dtype != TOCHA_FLOAT64) { /* a 16-bit type */
    tocha_tensor *wider = tocha_new_like(cx, factor, TOCHA_FLOAT32);
    ok = wider && tocha_copy_data(cx, wider, factor);
    factor = wider;
  }
  for (int d = 0; ok && d < TOCHA_COUNT(floating); d++) {
    int n = gather(cx, count, tensors, floating[d], r.items, r.copies);
    tocha_scale_list_args args = {.items = r.items,
                                  .count = n,
                                  .dtype = (int8_t)floating[d],
                                  .wide_factor = factor->dtype == TOCHA_FLOAT64,
                                  .factor = tocha_bytes(factor),
                                  .found = found ? (float *)(void *)tocha_bytes(found) : NULL};
    ok = n == 0 || (n > 0 && tocha_launched(cx, stream->kernels->amp->scale_list(stream, &args)));
    for (int i = 0; ok && i < count; i++)
      if (r.copies[i]) ok = tocha_copy_data(cx, tensors[i], r.copies[i]);
  }
  for (int i = 0; ok && i < count; i++) tocha_bump_version(tensors[i]);
  tocha_scope_end(cx, scope, NULL);
  tocha_deallocate(cx, r.items, r.bytes);
  return ok;
}

/* --- norms ----------------------------------------------------------------------------------- */

/* norms: a float64 for each tensor. Their order is that of the dtypes. */
static bool compute_norms(tocha_context *cx, tocha_stream *stream, int count,
                          tocha_tensor *const *tensors, double order, tocha_tensor *norms) {
  room r;
  int64_t chunks = 0;
  for (int i = 0; i < count; i++) chunks += tensors[i]->numel / TOCHA_LIST_CHUNK + 1;
  tocha_tensor *partial = tocha_new(cx, 1, &chunks, TOCHA_FLOAT64, norms->device);
  if (!partial || !make_room(cx, count, &r)) return false;
  int done = 0;
  bool ok = true;
  for (int d = 0; ok && d < TOCHA_COUNT(floating); d++) {
    int n = gather(cx, count, tensors, floating[d], r.items, r.copies);
    tocha_norms_args args = {.items = r.items,
                             .count = n,
                             .dtype = (int8_t)floating[d],
                             .order = order,
                             .partial = (double *)(void *)tocha_bytes(partial),
                             .norms = (double *)(void *)tocha_bytes(norms) + done};
    ok = n == 0 || (n > 0 && tocha_launched(cx, stream->kernels->amp->norms(stream, &args)));
    done += n;
  }
  tocha_deallocate(cx, r.items, r.bytes);
  return ok;
}

tocha_tensor *tocha_norm_of_list(tocha_context *cx, int count, tocha_tensor *const *tensors,
                                 double order) {
  tocha_dtype dtype = tensors[0]->dtype;
  tocha_device device = tensors[0]->device;
  const int64_t n = count;
  for (int i = 1; i < count; i++) dtype = tocha_promote_types(dtype, tensors[i]->dtype);
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

/* --- the scale ------------------------------------------------------------------------------- */

bool tocha_update_scale_on_device(tocha_context *cx, tocha_tensor *scale, tocha_tensor *tracker,
                                  const tocha_tensor *found, double growth, double backoff,
                                  int64_t interval) {
  tocha_stream *stream = tocha_stream_of(cx, scale->device);
  tocha_update_scale_args args = {.scale = (float *)(void *)tocha_bytes(scale),
                                  .tracker = (int32_t *)(void *)tocha_bytes(tracker),
                                  .found = (const float *)(const void *)tocha_bytes(found),
                                  .growth = growth,
                                  .backoff = backoff,
                                  .interval = interval};
  if (!stream || !tocha_launched(cx, stream->kernels->amp->update_scale(stream, &args)))
    return false;
  tocha_bump_version(scale);
  tocha_bump_version(tracker);
  return true;
}
