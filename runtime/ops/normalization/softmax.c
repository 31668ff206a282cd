/* softmax.c: softmax, log_softmax and their backward operators; softmin; logsumexp. Half types go
 * through float32. */
#include <math.h>
#include <string.h>

#include "tensor/copy.h"
#include "tensor/iterator.h"
#include "ops/reduction/reduce_device.h"
#include "ops/normalization/softmax_loops.h"
#include "normalization/implementations.h"
#include "reduction/implementations.h"
#include "tocha/ops/add.h"
#include "tocha/ops/amax.h"
#include "tocha/ops/clone.h"
#include "tocha/ops/exp.h"
#include "tocha/ops/log.h"
#include "tocha/ops/log_softmax.h"
#include "tocha/ops/neg.h"
#include "tocha/ops/reshape.h"
#include "tocha/ops/softmax.h"
#include "tocha/ops/sub.h"
#include "tocha/ops/sum.h"
#include "normalization/implementations.h"
#include "reduction/implementations.h"
#include "tocha/ops/add.h"
#include "tocha/ops/amax.h"
#include "tocha/ops/clone.h"
#include "tocha/ops/exp.h"
#include "tocha/ops/log.h"
#include "tocha/ops/log_softmax.h"
#include "tocha/ops/neg.h"
#include "tocha/ops/reshape.h"
#include "tocha/ops/softmax.h"
#include "tocha/ops/sub.h"
#include "tocha/ops/sum.h"

extern const tocha_softmax_loops tocha_softmax_loops_baseline;
#ifdef TOCHA_X86_KERNELS
extern const tocha_kernels tocha_kernels_avx2, tocha_kernels_avx512;
extern const tocha_softmax_loops tocha_softmax_loops_avx2, tocha_softmax_loops_avx512;
#endif

static const tocha_softmax_loops *loops_of(tocha_context *cx) {
  if (!cx->kernels) cx->kernels = tocha_select_kernels();
#ifdef TOCHA_X86_KERNELS
#ifdef TOCHA_AVX512_KERNELS
  if (cx->kernels == &tocha_kernels_avx512) return &tocha_softmax_loops_avx512;
#endif
  if (cx->kernels == &tocha_kernels_avx2) return &tocha_softmax_loops_avx2;
#endif
  return &tocha_softmax_loops_baseline;
}

enum { COLUMNS = 256 };

typedef struct softmax_args {
  const tocha_softmax_loops *loops;
  const tocha_vector_math *math;
  int type; /* 0 float32, 1 float64 */
  int64_t item;
  bool log;
  tocha_rows rows;
  int64_t pieces;          /* of COLUMNS columns in one outer index */
  const char *in, *result; /* backward: the gradient, the forward's result */
  char *out;
} softmax_args;

static void run_rows(void *user, int64_t begin, int64_t end) {
  const softmax_args *j = user;
  int64_t at = begin * j->rows.n * j->item;
  if (j->result)
    j->loops->rows_backward[j->type](j->math, j->in + at, j->result + at, j->out + at, end - begin,
                                     j->rows.n, j->log);
  else
    j->loops->rows[j->type](j->math, j->in + at, j->out + at, end - begin, j->rows.n, j->log);
}

static void run_columns(void *user, int64_t begin, int64_t end) {
  const softmax_args *j = user;
  _Alignas(64) double work[2 * COLUMNS];
  int64_t n = j->rows.n, inner = j->rows.inner;
  for (int64_t i = begin; i < end; i++) {
    int64_t outer = i / j->pieces, column = i % j->pieces * COLUMNS;
    int64_t width = inner - column < COLUMNS ? inner - column : COLUMNS;
    int64_t at = (outer * n * inner + column) * j->item;
    if (j->result)
      j->loops->columns_backward[j->type](j->math, j->in + at, j->result + at, j->out + at, n,
                                          inner, width, j->log, work);
    else
      j->loops->columns[j->type](j->math, j->in + at, j->out + at, n, inner, width, j->log, work);
  }
}

/* in (and result, in backward) row-major in float32 or float64; a new tensor of the same kind. */
static tocha_tensor *run(tocha_context *cx, tocha_tensor *in, tocha_tensor *result, int64_t dim,
                         bool log) {
  tocha_tensor *out = tocha_new_like(cx, in, in->dtype);
  if (!out || out->numel == 0 || out->device.type == TOCHA_META) return out;
  softmax_args j = {.loops = loops_of(cx),
                    .type = in->dtype == TOCHA_FLOAT64,
                    .item = (int64_t)tocha_dtype_size(in->dtype),
                    .log = log,
                    .rows = tocha_rows_around(in, dim),
                    .in = tocha_bytes(in),
                    .out = tocha_bytes(out),
                    .result = result ? tocha_bytes(result) : NULL};
  j.math = cx->kernels->math;
  bool ok;
  if (j.rows.inner == 1) {
    int64_t grain = TOCHA_GRAIN / (8 * j.rows.n) + 1;
    if (j.rows.outer <= grain) {
      run_rows(&j, 0, j.rows.outer);
      return out;
    }
    ok = tocha_parallel_for(cx, j.rows.outer, grain, run_rows, &j);
  } else {
    j.pieces = (j.rows.inner + COLUMNS - 1) / COLUMNS;
    int64_t width = j.rows.inner < COLUMNS ? j.rows.inner : COLUMNS;
    ok = tocha_parallel_for(cx, j.rows.outer * j.pieces, TOCHA_GRAIN / (8 * j.rows.n * width) + 1,
                            run_columns, &j);
  }
  return ok ? out : NULL;
}

/* On a device: in and result of one dtype, any layout, any floating dtype. */
static tocha_tensor *run_on_device(tocha_context *cx, tocha_tensor *in, tocha_tensor *result,
                                   int64_t dim, bool log) {
  in = tocha_as_rows(cx, in, in ? (tocha_dtype)in->dtype : TOCHA_NO_DTYPE);
  tocha_tensor *out = in ? tocha_new_like(cx, in, in->dtype) : NULL;
  if (!out || out->numel == 0) return out;
  if (result) result = tocha_as_rows(cx, result, in->dtype);
  if (tocha_failed(cx)) return NULL;
  tocha_rows r = tocha_rows_around(in, dim);
  tocha_softmax_args j = {tocha_bytes(in),
                          result ? tocha_bytes(result) : NULL,
                          tocha_bytes(out),
                          r.outer,
                          r.n,
                          r.inner,
                          (int8_t)in->dtype,
                          log};
  tocha_stream *q = tocha_stream_of(cx, in->device);
  return q && tocha_launched(cx, q->kernels->softmax(q, &j)) ? out : NULL;
}

static tocha_tensor *forward(tocha_context *cx, tocha_tensor *self, int64_t dim, tocha_dtype dtype,
                             bool log) {
  if (dtype == TOCHA_NO_DTYPE) dtype = self->dtype;
  if (!tocha_wrap_dim(cx, &dim, self->ndim)) return NULL;
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
  tocha_dtype compute = tocha_reduce_dtype(dtype);
  if (tocha_is_on_device(self))
    return run_on_device(cx, tocha_as_dtype(cx, self, dtype), NULL, dim, log);
  if (dtype != self->dtype && dtype != compute) self = tocha_as_dtype(cx, self, dtype);
  self = tocha_as_rows(cx, self, compute);
  return self ? tocha_as_dtype(cx, run(cx, self, NULL, dim, log), dtype) : NULL;
}

tocha_tensor *tocha_op_softmax(tocha_context *cx, tocha_tensor *self, int64_t dim,
                               tocha_dtype dtype) {
  return forward(cx, self, dim, dtype, false);
}

tocha_tensor *tocha_op_log_softmax(tocha_context *cx, tocha_tensor *self, int64_t dim,
                                   tocha_dtype dtype) {
  return forward(cx, self, dim, dtype, true);
}

static tocha_tensor *backward(tocha_context *cx, tocha_tensor *grad, tocha_tensor *output,
                              int64_t dim, bool log) {
  tocha_dtype type = output->dtype, compute = tocha_reduce_dtype(type);
  if (!tocha_wrap_dim(cx, &dim, output->ndim)) return NULL;
  if (tocha_is_on_device(output))
    return run_on_device(cx, tocha_as_rows(cx, grad, type), output, dim, log);
  grad = tocha_as_rows(cx, grad, compute);
  output = tocha_as_rows(cx, output, compute);
  return grad && output ? tocha_as_dtype(cx, run(cx, grad, output, dim, log), type) : NULL;
}

tocha_tensor *tocha_op__softmax_backward_data(tocha_context *cx, tocha_tensor *grad_output,
                                              tocha_tensor *output, int64_t dim) {
  return backward(cx, grad_output, output, dim, false);
}

tocha_tensor *tocha_op__log_softmax_backward_data(tocha_context *cx, tocha_tensor *grad_output,
                                                  tocha_tensor *output, int64_t dim) {
  return backward(cx, grad_output, output, dim, true);
}

/* --- torch.nn.functional's forms ----------------------------------------------------------------------- */

/* The dimension that is taken where none is given, with PyTorch's warning. */
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

/* --- logsumexp --------------------------------------------------------------------------------------------- */

/* In one pass, see cuda/reduce_moments.cu. */
static tocha_tensor *logsumexp_on_device(tocha_context *cx, tocha_tensor *self, int dim_count,
                                         const int64_t *dim, bool keepdim) {
  tocha_reduced r;
  tocha_device_reduce what = {.operation = TOCHA_REDUCE_LOG_SUM_EXP,
                              .compute = tocha_reduce_dtype(self->dtype)};
  if (!tocha_reduced_of(cx, self, dim_count, dim, keepdim, &r)) return NULL;
  tocha_tensor *out = tocha_new(cx, r.ndim, r.sizes, self->dtype, self->device);
  return out && tocha_reduce_on_device(cx, &what, self, &r, out, NULL) ? out : NULL;
}

/* log sum exp(x - m) + m, m = max x (0 where that is infinite). */
tocha_tensor *tocha_op_logsumexp(tocha_context *cx, tocha_tensor *self, int dim_count,
                                 const int64_t *dim, bool keepdim) {
  if (!tocha_dtype_is_floating(self->dtype)) self = tocha_as_dtype(cx, self, cx->default_dtype);
  if (!self) return NULL;
  if (tocha_is_on_device(self)) return logsumexp_on_device(cx, self, dim_count, dim, keepdim);
  if (self->numel == 0)
    return tocha_log(cx, tocha_sum_dim_IntList(cx, tocha_exp(cx, self), dim_count, dim, keepdim));
  tocha_tensor *top = tocha_amax(cx, self, dim_count, dim, true);
  if (!top) return NULL;
  tocha_tensor *finite = tocha_as_rows(cx, top, TOCHA_FLOAT64);
  if (finite && finite == top) finite = tocha_clone(cx, top);
  if (!finite) return NULL;
  if (finite->device.type != TOCHA_META) {
    double *values = (double *)tocha_bytes(finite);
    for (int64_t i = 0; i < finite->numel; i++)
      if (isinf(values[i])) values[i] = 0;
  }
  finite = tocha_as_dtype(cx, finite, self->dtype);
  tocha_tensor *total = tocha_exp(cx, tocha_sub(cx, self, finite));
  total = tocha_log(cx, tocha_sum_dim_IntList(cx, total, dim_count, dim, keepdim));
  if (!total || !finite) return NULL;
  return tocha_add(cx, total, tocha_reshape(cx, finite, total->ndim, total->sizes));
}
