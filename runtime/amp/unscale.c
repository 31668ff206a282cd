/* unscale.c: the two operators gradient scaling is made of: unscaling all gradients of a device
 * while looking for infinities, in one pass, and the update of the scale. On the CPU each is one
 * loop; elsewhere they start without waiting for the device. */
#include <math.h>
#include <string.h>

#include "amp/unscale_device.h"
#include "device/devices.h"
#include "tensor/convert.h"
#include "tensor/copy.h"
#include "tensor/iterator.h"
#include "amp/implementations.h"
#include "tocha/ops/add.h"
#include "tocha/ops/all.h"
#include "tocha/ops/copy_.h"
#include "tocha/ops/eq.h"
#include "tocha/ops/index_add_.h"
#include "tocha/ops/isfinite.h"
#include "tocha/ops/logical_and.h"
#include "tocha/ops/logical_not.h"
#include "tocha/ops/logical_or.h"
#include "tocha/ops/maximum.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/multiply.h"
#include "tocha/ops/reshape.h"
#include "tocha/ops/to.h"
#include "tocha/ops/where.h"

/* --- unscaling on the CPU ------------------------------------------------------------------- */

enum { CHUNK = 2048 };

typedef struct segment {
  char *data;
  int64_t begin; /* position of its first element among all elements */
  tocha_dtype dtype;
} segment;

typedef struct pass {
  const segment *segments;
  int count;
  int64_t total;
  float inverse;
  atomic_int found;
} pass;

/* Multiplies n floats; whether one of them was infinite or NaN before. */
static bool scale_floats(float *x, int64_t n, float inverse) {
  uint32_t bad = 0;
  for (int64_t i = 0; i < n; i++) {
    uint32_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    bad |= (bits & 0x7F800000u) == 0x7F800000u;
    x[i] *= inverse;
  }
  return bad;
}

static bool scale_doubles(double *x, int64_t n, double inverse) {
  uint64_t bad = 0;
  for (int64_t i = 0; i < n; i++) {
    uint64_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    bad |= (bits & 0x7FF0000000000000u) == 0x7FF0000000000000u;
    x[i] *= inverse;
  }
  return bad;
}

/* The half types, a piece at a time through float32. */
static bool scale_halves(char *x, int64_t n, float inverse, tocha_dtype dtype) {
  tocha_converter widen = tocha_conversion(TOCHA_FLOAT32, dtype);
  tocha_converter narrow = tocha_conversion(dtype, TOCHA_FLOAT32);
  float wide[CHUNK];
  bool bad = false;
  for (int64_t i = 0; i < n; i += CHUNK) {
    int64_t m = n - i < CHUNK ? n - i : CHUNK;
    widen((char *)wide, 4, x + 2 * i, 2, m);
    bad |= scale_floats(wide, m, inverse);
    narrow(x + 2 * i, 2, (const char *)wide, 4, m);
  }
  return bad;
}

static bool scale_segment(const segment *s, int64_t from, int64_t to, float inverse) {
  char *at = s->data + from * (int64_t)tocha_dtype_size(s->dtype);
  if (s->dtype == TOCHA_FLOAT32) return scale_floats((float *)(void *)at, to - from, inverse);
  if (s->dtype == TOCHA_FLOAT64)
    return scale_doubles((double *)(void *)at, to - from, (double)inverse);
  return scale_halves(at, to - from, inverse, s->dtype);
}

static void run_part(void *user, int64_t begin, int64_t end) {
  pass *p = user;
  int low = 0, high = p->count;
  while (high - low > 1) { /* the segment that holds begin */
    int middle = (low + high) / 2;
    if (p->segments[middle].begin <= begin)
      low = middle;
    else
      high = middle;
  }
  bool bad = false;
  for (; low < p->count && p->segments[low].begin < end; low++) {
    const segment *s = &p->segments[low];
    int64_t stop = low + 1 < p->count ? p->segments[low + 1].begin : p->total;
    int64_t from = begin > s->begin ? begin : s->begin, to = end < stop ? end : stop;
    bad |= scale_segment(s, from - s->begin, to - s->begin, p->inverse);
  }
  if (bad) atomic_store_explicit(&p->found, 1, memory_order_relaxed);
}

/* Fills the segments; gradients with gaps are brought together in copies (NULL: none). */
static bool gather(tocha_context *cx, int count, tocha_tensor *const *tensors, segment *segments,
                   tocha_tensor **copies, pass *p) {
  for (int i = 0; i < count; i++) {
    tocha_tensor *t = tensors[i];
    copies[i] = NULL;
    if (t->numel == 0) continue;
    if (!tocha_is_dense(t)) {
      copies[i] = tocha_new_like(cx, t, (tocha_dtype)t->dtype);
      if (!copies[i] || !tocha_copy_data(cx, copies[i], t)) return false;
      t = copies[i];
    }
    segment *s = &segments[p->count++];
    s->data = tocha_bytes(t);
    s->begin = p->total;
    s->dtype = (tocha_dtype)t->dtype;
    p->total += t->numel;
  }
  return true;
}

static bool unscale_on_cpu(tocha_context *cx, int count, tocha_tensor *const *tensors,
                           tocha_tensor *found_inf, const tocha_tensor *inv_scale) {
  size_t bytes = (size_t)count * (sizeof(segment) + sizeof(tocha_tensor *));
  segment *segments = tocha_allocate(cx, bytes);
  if (!segments) return false;
  tocha_tensor **copies = (tocha_tensor **)(void *)(segments + count);
  pass p = {.segments = segments, .inverse = *(const float *)tocha_data(inv_scale)};
  atomic_init(&p.found, 0);
  bool ok = gather(cx, count, tensors, segments, copies, &p) &&
            tocha_parallel_for(cx, p.total, TOCHA_GRAIN, run_part, &p);
  for (int i = 0; ok && i < count; i++) {
    if (copies[i]) ok = tocha_copy_data(cx, tensors[i], copies[i]);
    tocha_bump_version(tensors[i]);
  }
  if (ok && atomic_load(&p.found)) *(float *)tocha_data(found_inf) = 1;
  tocha_deallocate(cx, segments, bytes);
  return ok;
}

/* --- anywhere ------------------------------------------------------------------------------- */

static bool unscale_by_operators(tocha_context *cx, int count, tocha_tensor *const *tensors,
                                 tocha_tensor *found_inf, tocha_tensor *inv_scale) {
  for (int i = 0; i < count; i++) {
    tocha_scope scope = tocha_scope_begin(cx);
    tocha_tensor *finite = tocha_all(cx, tocha_isfinite(cx, tensors[i]), 0, NULL, false);
    tocha_tensor *bad =
        tocha_to_dtype(cx, tocha_logical_not(cx, finite), TOCHA_FLOAT32, false, false);
    bad = tocha_reshape(cx, bad, found_inf->ndim, found_inf->sizes);
    bool ok = tocha_copy_(cx, found_inf, tocha_maximum(cx, found_inf, bad), false) &&
              tocha_mul__full(cx, tensors[i], tocha_operand_of(inv_scale));
    tocha_scope_end(cx, scope, NULL);
    if (!ok) return false;
  }
  return true;
}

static bool check_one(tocha_context *cx, const tocha_tensor *t, tocha_dtype dtype,
                      const char *name) {
  if (t->numel != 1)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s must be a 1-element tensor.", name);
  else if ((tocha_dtype)t->dtype != dtype)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s must be %s tensor.", name,
               dtype == TOCHA_INT32 ? "an int" : "a float");
  return !tocha_failed(cx);
}

tocha_tensor *tocha_op__amp_foreach_non_finite_check_and_unscale_(tocha_context *cx, int self_count,
                                                                  tocha_tensor *const *self,
                                                                  tocha_tensor *found_inf,
                                                                  tocha_tensor *inv_scale) {
  if (!check_one(cx, inv_scale, TOCHA_FLOAT32, "inv_scale") ||
      !check_one(cx, found_inf, TOCHA_FLOAT32, "found_inf"))
    return NULL;
  bool on_cpu = found_inf->device.type == TOCHA_CPU && inv_scale->device.type == TOCHA_CPU;
  for (int i = 0; i < self_count; i++) {
    if (!tocha_dtype_is_floating((tocha_dtype)self[i]->dtype))
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                        "\"_amp_foreach_non_finite_check_and_unscale_\" not implemented for '%s'",
                        tocha_dtype_scalar_type((tocha_dtype)self[i]->dtype));
    if (!tocha_check_no_overlap(cx, self[i])) return NULL;
    on_cpu = on_cpu && self[i]->device.type == TOCHA_CPU;
  }
  bool on_device = tocha_on_one_device(self_count, self) &&
                   tocha_device_equal(self[0]->device, found_inf->device) &&
                   tocha_device_equal(self[0]->device, inv_scale->device);
  bool recording = tocha_set_grad_enabled(cx, false);
  bool ok = on_cpu      ? unscale_on_cpu(cx, self_count, self, found_inf, inv_scale)
            : on_device ? tocha_scale_list(cx, self_count, self, inv_scale, found_inf)
                        : unscale_by_operators(cx, self_count, self, found_inf, inv_scale);
  tocha_set_grad_enabled(cx, recording);
  if (ok && (on_cpu || on_device)) tocha_bump_version(found_inf);
  return ok ? found_inf : NULL;
}

/* --- the scale ------------------------------------------------------------------------------ */

static void update_on_cpu(float *scale, int32_t *tracker, bool found, double growth, double backoff,
                          int64_t interval) {
  if (found) {
    *scale = (float)(*scale * backoff);
    *tracker = 0;
    return;
  }
  if (*tracker + (int64_t)1 != interval) {
    ++*tracker;
    return;
  }
  float larger = (float)(*scale * growth);
  if (isfinite(larger)) *scale = larger;
  *tracker = 0;
}

/* scale * factor, multiplied in float64 and rounded once. */
static tocha_tensor *multiplied(tocha_context *cx, tocha_tensor *scale, double factor) {
  tocha_tensor *wide = tocha_to_dtype(cx, scale, TOCHA_FLOAT64, false, false);
  wide = wide ? tocha_mul_full(cx, wide, tocha_number(tocha_float(factor))) : NULL;
  return tocha_to_dtype(cx, wide, TOCHA_FLOAT32, false, false);
}

static bool update_by_operators(tocha_context *cx, tocha_tensor *scale, tocha_tensor *tracker,
                                tocha_tensor *found_inf, double growth, double backoff,
                                int64_t interval) {
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_tensor *found = tocha_to_dtype(cx, found_inf, TOCHA_BOOL, false, false);
  tocha_tensor *counted = tocha_add_full(cx, tracker, tocha_number(tocha_int(1)), tocha_int(1));
  tocha_tensor *full = tocha_eq_full(cx, counted, tocha_number(tocha_int(interval)));
  tocha_tensor *larger = multiplied(cx, scale, growth);
  tocha_tensor *grows = tocha_logical_and(cx, full, tocha_isfinite(cx, larger));
  tocha_tensor *kept = tocha_where(cx, grows, larger, scale);
  tocha_tensor *next = tocha_where(cx, found, multiplied(cx, scale, backoff), kept);
  tocha_tensor *reset = tocha_logical_or(cx, found, full);
  tocha_tensor *steps = tocha_mul(cx, counted, tocha_logical_not(cx, reset));
  bool ok = tocha_copy_(cx, scale, next, false) && tocha_copy_(cx, tracker, steps, false);
  tocha_scope_end(cx, scope, NULL);
  return ok;
}

tocha_tensor *tocha_op__amp_update_scale_(tocha_context *cx, tocha_tensor *self,
                                          tocha_tensor *growth_tracker, tocha_tensor *found_inf,
                                          double scale_growth_factor, double scale_backoff_factor,
                                          int64_t growth_interval) {
  if (!check_one(cx, growth_tracker, TOCHA_INT32, "growth_tracker") ||
      !check_one(cx, self, TOCHA_FLOAT32, "current_scale") ||
      !check_one(cx, found_inf, TOCHA_FLOAT32, "found_inf"))
    return NULL;
  bool on_cpu = self->device.type == TOCHA_CPU && growth_tracker->device.type == TOCHA_CPU &&
                found_inf->device.type == TOCHA_CPU;
  if (on_cpu) {
    update_on_cpu(tocha_data(self), tocha_data(growth_tracker),
                  *(const float *)tocha_data(found_inf) != 0, scale_growth_factor,
                  scale_backoff_factor, growth_interval);
    tocha_bump_version(self);
    tocha_bump_version(growth_tracker);
    return self;
  }
  if (tocha_is_on_device(self) && tocha_device_equal(self->device, growth_tracker->device) &&
      tocha_device_equal(self->device, found_inf->device))
    return tocha_update_scale_on_device(cx, self, growth_tracker, found_inf, scale_growth_factor,
                                        scale_backoff_factor, growth_interval)
               ? self
               : NULL;
  bool recording = tocha_set_grad_enabled(cx, false);
  bool ok = update_by_operators(cx, self, growth_tracker, found_inf, scale_growth_factor,
                                scale_backoff_factor, growth_interval);
  tocha_set_grad_enabled(cx, recording);
  return ok ? self : NULL;
}
