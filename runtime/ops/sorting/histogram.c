/* histogram.c: counts values in bins (histc), and the range of integers. */
#include <math.h>

#include "device/devices.h"
#include "ops/sorting/sort.h"
#include "sorting/implementations.h"
#include "tensor/copy.h"
#include "tensor/transfer.h"
#include "tocha/ops/aminmax.h"

bool tocha_integer_range(tocha_context *cx, tocha_tensor *in, int64_t *minimum, int64_t *maximum) {
  if (!tocha_has_elements(in)) return true;
  int64_t two = 2, range[2];
  tocha_tensor *out = tocha_new(cx, 1, &two, TOCHA_INT64, in->device);
  tocha_stream *s = out ? tocha_stream_of(cx, in->device) : NULL;
  if (!s) return false;
  tocha_integer_range_args args = {(const int64_t *)(void *)tocha_bytes(in),
                                   (int64_t *)(void *)tocha_bytes(out), in->numel};
  if (!tocha_launched(cx, s->kernels->sorting->integer_range(s, &args)) ||
      !tocha_read_bytes(cx, in->device, args.range, range, sizeof range))
    return false;
  *minimum = range[0];
  *maximum = range[1];
  return true;
}

static bool refuse_range(tocha_context *cx) {
  return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "torch.histc: max must be larger than min");
}

/* Replaces an empty range low..high by the range of the data. Fails if the range is not finite. */
static bool histogram_range(tocha_context *cx, tocha_tensor *in, double *low, double *high) {
  if (*low == *high && in->numel) {
    tocha_tensor *minimum, *maximum;
    tocha_scalar a, b;
    if (!tocha_aminmax_full(cx, in, NULL, false, &minimum, &maximum) ||
        !tocha_item(cx, minimum, &a) || !tocha_item(cx, maximum, &b))
      return false;
    *low = tocha_scalar_real(a);
    *high = tocha_scalar_real(b);
  }
  if (*low == *high) {
    *low -= 1;
    *high += 1;
  }
  if (isfinite(*low) && isfinite(*high)) return *low < *high || refuse_range(cx);
  return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "torch.histc: range of [%g, %g] is not finite", *low,
                    *high);
}

static bool check_counted(tocha_context *cx, const tocha_tensor *self) {
  if (tocha_dtype_is_floating(self->dtype)) return true;
  return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"%s_cpu\" not implemented for '%s'",
                    self->dtype == TOCHA_BOOL ? "linspace" : "histogram",
                    tocha_dtype_scalar_type(self->dtype));
}

tocha_tensor *tocha_op_histc(tocha_context *cx, tocha_tensor *self, int64_t bins, tocha_scalar min,
                             tocha_scalar max) {
  if (bins <= 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "torch.histogram(): bins must be > 0, but got %lld for dimension 0",
                      (long long)bins);
  if (self->device.type == TOCHA_META) return tocha_new(cx, 1, &bins, self->dtype, self->device);
  double low = tocha_scalar_real(min), high = tocha_scalar_real(max);
  tocha_tensor *in = tocha_as_rows(cx, self, TOCHA_NO_DTYPE);
  tocha_tensor *out = tocha_new(cx, 1, &bins, TOCHA_INT64, self->device);
  tocha_stream *s = tocha_stream_of(cx, self->device);
  if (!in || !out || !s || !histogram_range(cx, in, &low, &high) ||
      !tocha_check_fits(cx, min, self->dtype) || !tocha_check_fits(cx, max, self->dtype) ||
      !check_counted(cx, self) || !tocha_fill_data(cx, out, tocha_int(0)))
    return NULL;
  tocha_histogram_args args = {.in = tocha_bytes(in),
                               .counts = (int64_t *)(void *)tocha_bytes(out),
                               .n = in->numel,
                               .bins = bins,
                               .low = low,
                               .high = high,
                               .dtype = in->dtype};
  if (in->numel && !tocha_launched(cx, s->kernels->sorting->histogram(s, &args))) return NULL;
  return tocha_as_dtype(cx, out, self->dtype);
}
