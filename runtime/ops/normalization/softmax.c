/* softmax.c: softmax, log_softmax and their backward operators; softmin. 16-bit types are computed in float32. */
#include <math.h>
#include <string.h>

#include "tensor/copy.h"
#include "device/devices.h"
#include "ops/normalization/kernels.h"
#include "tensor/iterator.h"
#include "normalization/implementations.h"
#include "tocha/ops/log_softmax.h"
#include "tocha/ops/neg.h"
#include "tocha/ops/softmax.h"

/* Runs the kernel on `in` along dim: the input, or, if the forward's result is given, the gradient. Returns the result in
 * `dtype`. */
static tocha_tensor *run(tocha_context *cx, tocha_tensor *in, tocha_tensor *result, int64_t dim,
                         tocha_dtype dtype, bool log) {
  if (!in) return NULL;
  tocha_dtype compute = tocha_kernel_dtype(in->device, dtype);
  in = tocha_as_rows(cx, tocha_as_dtype(cx, in, dtype), compute);
  tocha_tensor *out = in ? tocha_new_like(cx, in, compute) : NULL;
  if (!out || !tocha_has_elements(out)) return tocha_as_dtype(cx, out, dtype);
  if (result && !(result = tocha_as_rows(cx, result, compute))) return NULL;
  tocha_rows r = tocha_rows_around(in, dim);
  tocha_softmax_args args = {tocha_bytes(in),
                             result ? tocha_bytes(result) : NULL,
                             tocha_bytes(out),
                             r.outer,
                             r.n,
                             r.inner,
                             (int8_t)compute,
                             log,
                             dim >= in->ndim - 1,
                             dtype == compute ? 0 : (int8_t)dtype};
  tocha_stream *s = tocha_stream_of(cx, in->device);
  bool ok = s && tocha_launched(cx, s->kernels->normalization->softmax(s, &args));
  return ok ? tocha_as_dtype(cx, out, dtype) : NULL;
}

tocha_tensor *tocha_op_softmax(tocha_context *cx, tocha_tensor *self, int64_t dim,
                               tocha_dtype dtype, bool log) {
  if (dtype == TOCHA_NO_DTYPE) dtype = self->dtype;
  if (!tocha_wrap_dim(cx, &dim, self->ndim)) return NULL;
  if (!tocha_dtype_is_floating(dtype) && self->numel == 0) return tocha_new_like(cx, self, dtype);
  if (!tocha_dtype_is_floating(dtype)) {
    bool last = self->ndim == 0 || dim == self->ndim - 1;
    if (tocha_is_on_device(self))
      return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR,
                        "\"host_softmax\" not implemented for '%s'",
                        tocha_dtype_scalar_type(dtype));
    return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR,
                      "\"%ssoftmax%s_kernel_impl\" not implemented "
                      "for '%s'",
                      log ? "log_" : "", last ? "_lastdim" : "", tocha_dtype_scalar_type(dtype));
  }
  return run(cx, self, NULL, dim, dtype, log);
}

tocha_tensor *tocha_op__softmax_backward(tocha_context *cx, tocha_tensor *grad,
                                         tocha_tensor *output, int64_t dim, bool log) {
  if (!tocha_wrap_dim(cx, &dim, output->ndim)) return NULL;
  return run(cx, grad, output, dim, (tocha_dtype)output->dtype, log);
}

/* --- torch.nn.functional's forms ----------------------------------------------------------------------- */

/* Returns dim, or, with a warning, PyTorch's choice if dim is NULL. */
static int64_t implicit_dim(tocha_context *cx, const char *name, const tocha_tensor *input,
                            const int64_t *dim) {
  if (dim) return *dim;
  tocha_warn(cx,
             "Implicit dimension choice for %s has been deprecated. Change the call to include "
             "dim=X as an argument.",
             name);
  return input->ndim == 0 || input->ndim == 1 || input->ndim == 3 ? 0 : 1;
}

tocha_tensor *tocha_op_softmax_functional(tocha_context *cx, tocha_tensor *input,
                                          const int64_t *dim, int64_t stacklevel,
                                          tocha_dtype dtype) {
  (void)stacklevel;
  return tocha_softmax(cx, input, implicit_dim(cx, "softmax", input, dim), dtype);
}

tocha_tensor *tocha_op_log_softmax_functional(tocha_context *cx, tocha_tensor *input,
                                              const int64_t *dim, int64_t stacklevel,
                                              tocha_dtype dtype) {
  (void)stacklevel;
  return tocha_log_softmax(cx, input, implicit_dim(cx, "log_softmax", input, dim), dtype);
}

tocha_tensor *tocha_op_softmin(tocha_context *cx, tocha_tensor *input, const int64_t *dim,
                               int64_t stacklevel, tocha_dtype dtype) {
  (void)stacklevel;
  return tocha_softmax(cx, tocha_neg(cx, input), implicit_dim(cx, "softmin", input, dim), dtype);
}
