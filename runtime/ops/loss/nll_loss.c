/* nll_loss.c: negative log likelihood over (N, C, inner) and its gradient.
 *
 * loss = -w[t] x[n, t, i]; the mean divides by the sum of w[t] over targets that are not ignored.
 * The sum over targets is PyTorch's cascade of eight levels. */
#include <string.h>

#include "device/devices.h"
#include "ops/indexing/kernels.h"
#include "ops/loss/kernels.h"
#include "tensor/copy.h"
#include "ops/loss/loss.h"
#include "ops/reduction/reduce.h"
#include "loss/implementations.h"
#include "tocha/ops/index_add_.h"

enum { LEVELS = 8 };

typedef struct frame {
  int64_t n, classes, inner;
  const int64_t *target;
  const double *weight; /* NULL: ones */
  int64_t ignored;
} frame;

/* Reads shapes; false with PyTorch's text. self: (C), (N, C) or (N, C, ...). */
static bool shape_of(tocha_context *cx, int ndim, const int64_t *sizes, const tocha_tensor *target,
                     int64_t ignore_index, frame *f) {
  f->n = ndim > 1 ? sizes[0] : 1;
  f->classes = sizes[ndim > 1 ? 1 : 0];
  f->inner = 1;
  for (int i = 2; i < ndim; i++) f->inner *= sizes[i];
  f->ignored = ignore_index;
  f->weight = NULL;
  if (target->numel != f->n * f->inner) {
    tocha_fail(cx, TOCHA_VALUE_ERROR,
               "Expected input batch_size (%lld) to match target batch_size (%lld).",
               (long long)f->n, target->ndim ? (long long)target->sizes[0] : 0LL);
    return false;
  }
  return true;
}

/* The same with targets, which are checked, and weights. */
static bool frame_of(tocha_context *cx, int ndim, const int64_t *sizes, tocha_tensor *target,
                     tocha_tensor *weight, int64_t ignore_index, frame *f) {
  if (!shape_of(cx, ndim, sizes, target, ignore_index, f)) return false;
  tocha_tensor *t = tocha_as_rows(cx, target, TOCHA_INT64);
  if (!t) return false;
  f->target = (const int64_t *)tocha_bytes(t);
  if (weight) {
    tocha_tensor *w = tocha_as_rows(cx, weight, TOCHA_FLOAT64);
    if (!w) return false;
    f->weight = (const double *)tocha_bytes(w);
  }
  for (int64_t i = 0; i < f->n * f->inner; i++) {
    int64_t c = f->target[i];
    if (c == ignore_index || (c >= 0 && c < f->classes)) continue;
    tocha_fail(cx, TOCHA_INDEX_ERROR, "Target %lld is out of bounds.", (long long)c);
    tocha_hint(cx, "class labels count from 0: there are %lld classes, 0 to %lld",
               (long long)f->classes, (long long)f->classes - 1);
    return false;
  }
  return true;
}

static double weight_at(const frame *f, int64_t i) {
  if (f->target[i] == f->ignored) return 0;
  return f->weight ? f->weight[f->target[i]] : 1;
}

static int64_t offset_of(const frame *f, int64_t i) {
  return (i / f->inner * f->classes + f->target[i]) * f->inner + i % f->inner;
}

#define CASCADE(suffix, T)                                                                         \
  static T sum_##suffix(const frame *f, const T *x, T *total_weight) {                             \
    T loss[LEVELS] = {0}, weight[LEVELS] = {0}, total = 0;                                         \
    int64_t count = f->n * f->inner, ignored = 0;                                                  \
    int bits = 0;                                                                                  \
    while (((int64_t)1 << bits) < count) bits++;                                                   \
    int power = bits / LEVELS > 4 ? bits / LEVELS : 4;                                             \
    int64_t mask = ((int64_t)1 << power) - 1;                                                      \
    for (int64_t i = 0; i < count; i++) {                                                          \
      if (f->target[i] == f->ignored) {                                                            \
        ignored++;                                                                                 \
        continue;                                                                                  \
      }                                                                                            \
      T w = (T)weight_at(f, i);                                                                    \
      loss[0] -= f->weight ? x[offset_of(f, i)] * w : x[offset_of(f, i)];                          \
      weight[0] += w;                                                                              \
      for (int j = 0; j + 1 < LEVELS; j++) {                                                       \
        if (i & (mask << (j * power))) break;                                                      \
        loss[j + 1] += loss[j];                                                                    \
        weight[j + 1] += weight[j];                                                                \
        loss[j] = weight[j] = 0;                                                                   \
      }                                                                                            \
    }                                                                                              \
    *total_weight = 0;                                                                             \
    for (int j = 0; j < LEVELS; j++) {                                                             \
      total += loss[j];                                                                            \
      *total_weight += weight[j];                                                                  \
    }                                                                                              \
    if (!f->weight) *total_weight = (T)(count - ignored);                                          \
    return total;                                                                                  \
  }

CASCADE(float32, float)
CASCADE(float64, double)

static void each_loss(const frame *f, const tocha_tensor *x, tocha_tensor *out) {
  for (int64_t i = 0; i < f->n * f->inner; i++) {
    bool ignored = f->target[i] == f->ignored;
    double w = weight_at(f, i);
    if (x->dtype == TOCHA_FLOAT32)
      ((float *)tocha_bytes(out))[i] =
          ignored ? 0 : -((const float *)tocha_bytes(x))[offset_of(f, i)] * (float)w;
    else
      ((double *)tocha_bytes(out))[i] =
          ignored ? 0 : -((const double *)tocha_bytes(x))[offset_of(f, i)] * w;
  }
}

/* --- on a device ------------------------------------------------------------------------------------- */

enum { PART = 4096, PARTS = 512 };

/* x (forward) or grad (backward) are given; out is there, of dtype type. Targets are checked by the
 * kernel. */
static bool run_on_device(tocha_context *cx, const frame *f, tocha_tensor *x, tocha_tensor *grad,
                          tocha_tensor *target, tocha_tensor *weight, int64_t reduction,
                          tocha_tensor *out) {
  tocha_stream *q = tocha_stream_of(cx, out->device);
  tocha_dtype type = out->dtype;
  int64_t parts = f->n * f->inner / PART;
  parts = parts < 1 ? 1 : parts > PARTS ? PARTS : parts;
  int64_t words = 2 * (parts + 1);
  tocha_tensor *work = tocha_new(cx, 1, &words, TOCHA_INT64, out->device);
  target = tocha_as_rows(cx, target, target->dtype == TOCHA_UINT8 ? TOCHA_UINT8 : TOCHA_INT64);
  if (weight) weight = tocha_as_rows(cx, weight, weight->dtype);
  if (x) x = tocha_as_rows(cx, x, type);
  if (grad) grad = tocha_as_rows(cx, grad, type);
  if (!q || tocha_failed(cx)) return false;
  tocha_nll_args j = {.x = x ? tocha_bytes(x) : NULL,
                      .target = tocha_bytes(target),
                      .weight = weight ? tocha_bytes(weight) : NULL,
                      .grad = grad ? tocha_bytes(grad) : NULL,
                      .out = tocha_bytes(out),
                      .work = tocha_bytes(work),
                      .n = f->n,
                      .classes = f->classes,
                      .inner = f->inner,
                      .ignored = f->ignored,
                      .parts = parts,
                      .reduction = (int32_t)reduction,
                      .dtype = (int8_t)type,
                      .target_dtype = (int8_t)target->dtype,
                      .weight_dtype = weight ? (int8_t)weight->dtype : 0,
                      .backward = grad != NULL};
  return tocha_launched(cx, q->kernels->loss->nll_loss(q, &j));
}

/* --- the operators ----------------------------------------------------------------------------------- */

tocha_tensor *tocha_op__nll_loss(tocha_context *cx, tocha_tensor *self, tocha_tensor *target,
                                 tocha_tensor *weight, int64_t reduction, int64_t ignore_index) {
  tocha_dtype type = self->dtype, compute = tocha_reduce_dtype(type);
  if (!tocha_dtype_is_floating(type))
    return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR,
                      "\"nll_loss_out_frame\" not implemented for '%s'",
                      tocha_dtype_scalar_type(type));
  bool each = reduction == TOCHA_REDUCTION_NONE;
  bool device = tocha_is_on_device(self);
  tocha_tensor *out = tocha_new(cx, each ? target->ndim : 0, each ? target->sizes : NULL,
                                device ? type : compute, self->device);
  frame f;
  if (!out || out->device.type == TOCHA_META) return out;
  if (device)
    return shape_of(cx, self->ndim, self->sizes, target, ignore_index, &f) &&
                   run_on_device(cx, &f, self, NULL, target, weight, reduction, out)
               ? out
               : NULL;
  if (!frame_of(cx, self->ndim, self->sizes, target, weight, ignore_index, &f)) return NULL;
  tocha_tensor *x = tocha_as_rows(cx, self, compute);
  if (!x) return NULL;
  if (each) {
    each_loss(&f, x, out);
  } else if (compute == TOCHA_FLOAT32) {
    float total, sum = sum_float32(&f, (const float *)tocha_bytes(x), &total);
    *(float *)tocha_bytes(out) = reduction == TOCHA_REDUCTION_MEAN ? sum / total : sum;
  } else {
    double total, sum = sum_float64(&f, (const double *)tocha_bytes(x), &total);
    *(double *)tocha_bytes(out) = reduction == TOCHA_REDUCTION_MEAN ? sum / total : sum;
  }
  return tocha_as_dtype(cx, out, type);
}

/* Zeros of `sizes`, and -w[t] * grad (/ the sum of w, for the mean) at the targets. */
tocha_tensor *tocha_op__nll_loss_backward(tocha_context *cx, tocha_tensor *grad_output,
                                          int sizes_count, const int64_t *sizes,
                                          tocha_tensor *target, tocha_tensor *weight,
                                          int64_t reduction, int64_t ignore_index) {
  tocha_dtype type = grad_output->dtype, compute = tocha_reduce_dtype(type);
  bool device = tocha_is_on_device(grad_output);
  tocha_tensor *out =
      tocha_new(cx, sizes_count, sizes, device ? type : compute, grad_output->device);
  frame f;
  if (!out || out->device.type == TOCHA_META) return tocha_as_dtype(cx, out, type);
  if (device)
    return shape_of(cx, sizes_count, sizes, target, ignore_index, &f) &&
                   tocha_fill_data(cx, out, tocha_int(0)) &&
                   run_on_device(cx, &f, NULL, grad_output, target, weight, reduction, out)
               ? out
               : NULL;
  if (!frame_of(cx, sizes_count, sizes, target, weight, ignore_index, &f)) return NULL;
  tocha_tensor *grad = tocha_as_rows(cx, grad_output, compute);
  if (!grad) return NULL;
  memset(tocha_bytes(out), 0, (size_t)out->numel * tocha_dtype_size(compute));
  bool each = reduction == TOCHA_REDUCTION_NONE;
  double total = 1;
  int64_t count = f.n * f.inner;
  if (reduction == TOCHA_REDUCTION_MEAN) {
    total = 0;
    for (int64_t i = 0; i < count; i++) total += weight_at(&f, i);
    if (compute == TOCHA_FLOAT32) total = (float)total;
  }
  for (int64_t i = 0; i < count; i++) {
    if (f.target[i] == f.ignored) continue;
    int64_t from = each ? i : 0;
    double w = weight_at(&f, i);
    if (compute == TOCHA_FLOAT32) {
      float g = ((const float *)tocha_bytes(grad))[from] / (float)total;
      ((float *)tocha_bytes(out))[offset_of(&f, i)] = -(float)w * g;
    } else {
      double g = ((const double *)tocha_bytes(grad))[from] / total;
      ((double *)tocha_bytes(out))[offset_of(&f, i)] = -w * g;
    }
  }
  return tocha_as_dtype(cx, out, type);
}
