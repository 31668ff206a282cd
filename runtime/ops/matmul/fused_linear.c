/* fused_linear.c: computes a linear layer and its activation as one product. */
#include "ops/matmul/fused_linear.h"

#include <string.h>

#include "ops/matmul/gemm.h"

/* Returns true if a kernel could read t together with input, and nothing is recorded. */
static bool fits(tocha_context *cx, const tocha_tensor *t, const tocha_tensor *input) {
  return tocha_device_equal(t->device, input->device) && t->dtype == input->dtype &&
         !(t->flags & TOCHA_FLAGS_WITHOUT_DATA) &&
         !(tocha_grad_enabled(cx) && tocha_requires_grad(t));
}

static bool sizes_fit(const tocha_tensor *input, const tocha_tensor *weight,
                      const tocha_tensor *bias) {
  int n = input->ndim - 1;
  return n >= 1 && weight->ndim == 2 && tocha_is_contiguous(input) &&
         input->sizes[n] == weight->sizes[1] && input->numel > 0 && weight->numel > 0 &&
         (!bias ||
          (bias->ndim == 1 && bias->sizes[0] == weight->sizes[0] && tocha_is_contiguous(bias)));
}

bool tocha_linear_activated(tocha_context *cx, tocha_tensor *input, tocha_tensor *weight,
                            tocha_tensor *bias, tocha_activation activation, tocha_tensor **out) {
  tocha_matrices w;
  if (!input || !weight || input->device.type == TOCHA_META) return false;
  tocha_stream *stream = tocha_stream_of(cx, input->device);
  if (!stream || !stream->kernels->matmul->activates) return false;
  if (!fits(cx, input, input) || !fits(cx, weight, input) || (bias && !fits(cx, bias, input)) ||
      !tocha_dtype_is_floating(input->dtype) || !sizes_fit(input, weight, bias) ||
      !tocha_matrices_of(weight, &w))
    return false;
  int n = input->ndim - 1;
  int64_t sizes[TOCHA_MAX_DIMS];
  memcpy(sizes, input->sizes, (size_t)n * sizeof *sizes);
  sizes[n] = weight->sizes[0];
  *out = tocha_new(cx, n + 1, sizes, input->dtype, input->device);
  if (!*out) return true;
  tocha_gemm_args args = {.a = tocha_bytes(input),
                          .b = tocha_bytes(weight),
                          .bias = bias ? tocha_bytes(bias) : NULL,
                          .out = tocha_bytes(*out),
                          .batch = 1,
                          .m = input->numel / input->sizes[n],
                          .n = sizes[n],
                          .k = input->sizes[n],
                          .lda = input->sizes[n],
                          .ldb = w.ld,
                          .b_transposed = !w.transposed,
                          .alpha = tocha_int(1),
                          .beta = tocha_int(0),
                          .dtype = (int8_t)input->dtype,
                          .activation = (int8_t)activation};
  tocha_set_gemm_precision(cx, &args);
  if (!tocha_launched(cx, stream->kernels->matmul->gemm(stream, &args))) *out = NULL;
  return true;
}
