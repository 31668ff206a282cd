/* reduce_device.c: plans of reductions for the kernels of a device.
 *
 * The plan (who reads what, in how many parts) depends on shapes and strides only, not on the GPU:
 * so the order of a floating-point sum is the same everywhere. */
#include "ops/reduction/reduce_device.h"
#include "device/devices.h"
#include "ops/reduction/kernels.h"

#include <string.h>
#include "tensor/copy.h"

enum { MOST_THREADS = 512, THREADS = 256, BLOCKS = 1024, EACH = 8, STATE_WORDS = 3 };

/* --- dimensions --------------------------------------------------------------------------------------- */

typedef struct dims {
  int count;
  int64_t size[TOCHA_MAX_DIMS], stride[TOCHA_MAX_DIMS], out[TOCHA_MAX_DIMS];
} dims;

/* Adds a dimension where its stride puts it: small ones inside, dimensions without a step outside;
 * of equal ones the one that came first stays inside. */
static void add_dim(dims *d, int64_t size, int64_t stride, int64_t out) {
  int at = d->count;
  while (at > 0 && stride != 0 && (d->stride[at - 1] == 0 || d->stride[at - 1] > stride)) {
    d->size[at] = d->size[at - 1];
    d->stride[at] = d->stride[at - 1];
    d->out[at] = d->out[at - 1];
    at--;
  }
  d->size[at] = size;
  d->stride[at] = stride;
  d->out[at] = out;
  d->count++;
}

static void collapse(dims *d) {
  int n = 0;
  for (int i = 1; i < d->count; i++) {
    if (d->stride[i] == d->stride[n] * d->size[n] && d->out[i] == d->out[n] * d->size[n]) {
      d->size[n] *= d->size[i];
    } else {
      n++;
      d->size[n] = d->size[i];
      d->stride[n] = d->stride[i];
      d->out[n] = d->out[i];
    }
  }
  if (d->count) d->count = n + 1;
}

/* The kept and the reduced dimensions of self, and where each output goes. */
static void split(const tocha_tensor *self, const tocha_reduced *r, dims *kept, dims *reduced) {
  int64_t item = (int64_t)tocha_dtype_size((tocha_dtype)self->dtype), out = 1;
  kept->count = reduced->count = 0;
  for (int i = self->ndim - 1; i >= 0; i--) {
    bool goes = r->mask >> i & 1;
    if (self->sizes[i] != 1)
      add_dim(goes ? reduced : kept, self->sizes[i], self->strides[i] * item, goes ? 0 : out);
    if (!goes) out *= self->sizes[i];
  }
  collapse(kept);
  collapse(reduced);
  if (reduced->count == 0) add_dim(reduced, 1, item, 0);
}

/* self with the reduced dimensions last, as (outputs, count), copied. */
static tocha_tensor *gathered(tocha_context *cx, tocha_tensor *self, const tocha_reduced *r,
                              tocha_reduced *flat) {
  int64_t sizes[TOCHA_MAX_DIMS], strides[TOCHA_MAX_DIMS], both[2] = {1, r->count}, dense[2];
  int n = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < self->ndim; i++) {
      if ((int)(r->mask >> i & 1) != pass) continue;
      if (!pass) both[0] *= self->sizes[i];
      sizes[n] = self->sizes[i];
      strides[n++] = self->strides[i];
    }
  }
  tocha_tensor *transposed = tocha_alias(cx, self, n, sizes, strides, self->offset);
  transposed = tocha_as_rows(cx, transposed, (tocha_dtype)self->dtype);
  if (!transposed) return NULL;
  *flat = *r;
  flat->mask = 2;
  tocha_row_major_strides(2, both, dense);
  return tocha_alias(cx, transposed, 2, both, dense, transposed->offset);
}

/* --- reductions ----------------------------------------------------------------------------------------- */

static int power_of_two_from(int64_t n, int most) {
  int power = 1;
  while (power < n && power < most) power *= 2;
  return power;
}

/* Threads and parts. An output of `columns` lies beside others, whose elements neighbouring threads
 * read; else the threads of one output read neighbouring elements. */
static void plan(tocha_reduce_args *j) {
  int lanes;
  j->columns = j->kept_dims > 0 && j->kept_strides[0] != 0 &&
               (j->reduced_strides[0] == 0 || j->kept_strides[0] < j->reduced_strides[0]);
  if (j->columns) {
    j->threads_x = power_of_two_from(j->outputs, 32);
    lanes = power_of_two_from((j->count + EACH - 1) / EACH, MOST_THREADS / j->threads_x);
    j->threads_y = lanes;
  } else {
    lanes = power_of_two_from((j->count + EACH - 1) / EACH, MOST_THREADS);
    j->threads_x = lanes;
    int rows = lanes < THREADS ? THREADS / lanes : 1, least = lanes < 32 ? 32 / lanes : 1;
    int wanted = power_of_two_from(j->outputs, rows);
    j->threads_y = wanted < least ? least : wanted;
  }
  int64_t each = j->columns ? j->threads_x : j->threads_y;
  int64_t blocks = (j->outputs + each - 1) / each;
  int64_t parts = BLOCKS / blocks, most = j->count / (EACH * (int64_t)lanes);
  if (parts > most) parts = most;
  if (parts < 1) parts = 1;
  j->part = ((j->count + parts - 1) / parts + 63) / 64 * 64; /* whole vectors */
  j->parts = j->count ? (int32_t)((j->count + j->part - 1) / j->part) : 1;
}

static void fill_dims(tocha_reduce_args *j, const dims *kept, const dims *reduced) {
  j->kept_dims = kept->count;
  j->reduced_dims = reduced->count;
  for (int d = 0; d < kept->count; d++) {
    j->kept_sizes[d] = kept->size[d];
    j->kept_strides[d] = kept->stride[d];
    j->out_strides[d] = kept->out[d];
  }
  for (int d = 0; d < reduced->count; d++) {
    j->reduced_sizes[d] = reduced->size[d];
    j->reduced_strides[d] = reduced->stride[d];
  }
}

static bool launch_reduce(tocha_context *cx, tocha_reduce_args *j, tocha_device device) {
  tocha_stream *q = tocha_stream_of(cx, device);
  plan(j);
  if (q && j->parts > 1) {
    int64_t words = j->outputs * j->parts * STATE_WORDS;
    tocha_tensor *work = tocha_new(cx, 1, &words, TOCHA_INT64, device);
    if (!work) return false;
    j->work = tocha_bytes(work);
  }
  return q && tocha_launched(cx, q->kernels->reduction->reduce(q, j));
}

bool tocha_reduce_on_device(tocha_context *cx, const tocha_device_reduce *what, tocha_tensor *self,
                            const tocha_reduced *reduced, tocha_tensor *out, tocha_tensor *second) {
  dims kept, gone;
  tocha_reduced flat;
  tocha_reduce_args j;
  const tocha_tensor *shape = out ? out : second;
  if (shape->numel == 0) return true;
  split(self, reduced, &kept, &gone);
  if (kept.count > TOCHA_LAYOUT_DIMS || gone.count > TOCHA_LAYOUT_DIMS) {
    self = gathered(cx, self, reduced, &flat);
    if (!self) return false;
    split(self, &flat, &kept, &gone);
  }
  memset(&j, 0, sizeof j);
  fill_dims(&j, &kept, &gone);
  j.in = self->numel ? tocha_bytes(self) : NULL;
  j.out = out ? tocha_bytes(out) : NULL;
  j.second = second ? tocha_bytes(second) : NULL;
  j.outputs = shape->numel;
  j.count = reduced->count;
  j.number = what->number;
  j.operation = what->operation;
  j.map = what->map;
  j.end = what->end;
  j.compute = what->compute;
  j.in_dtype = (int8_t)self->dtype;
  j.out_dtype = out ? (int8_t)out->dtype : 0;
  j.second_dtype = second ? (int8_t)second->dtype : 0;
  j.max = what->max;
  return launch_reduce(cx, &j, self->device);
}
