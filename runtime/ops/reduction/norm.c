/* norm.c: norms of vectors, and torch.norm, which computes norms of vectors and matrices. */
#include <math.h>
#include <string.h>

#include "ops/reduction/reduce.h"
#include "reduction/implementations.h"
#include "tensor/copy.h"
#include "tocha/ops/matrix_norm.h"
#include "tocha/ops/vector_norm.h"

static const tocha_reduction *row_of(double ord) {
  if (ord == 0) return &tocha_reduction_count_nonzero;
  if (ord == 1) return &tocha_reduction_norm_1;
  if (ord == 2) return &tocha_reduction_norm_2;
  if (isinf(ord)) return ord > 0 ? &tocha_reduction_norm_inf : &tocha_reduction_norm_minus_inf;
  return &tocha_reduction_norm_p;
}

bool tocha_check_norm_dtype(tocha_context *cx, const char *name, tocha_dtype self,
                            tocha_dtype result) {
  if (!tocha_dtype_is_floating(result)) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s: dtype should be floating point or complex, but got %s",
               name, tocha_dtype_scalar_type(result));
    return false;
  }
  if (tocha_promote_types(self, result) == result) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "%s: the dtype of the input (%s) should be convertible without narrowing to the "
             "specified dtype (%s)",
             name, tocha_dtype_scalar_type(self), tocha_dtype_scalar_type(result));
  tocha_hint(cx, "convert the result instead: x:norm():to(torch.float32)");
  return false;
}

/* Fails if a norm of dtype `self` cannot have the dtype `result`: both must be floating point, and
 * result at least as wide. */
static bool check_dtypes(tocha_context *cx, tocha_dtype self, tocha_dtype result) {
  if (!tocha_dtype_is_floating(self)) {
    tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR,
               "linalg.vector_norm: Expected a floating point or complex tensor as input. Got %s",
               tocha_dtype_scalar_type(self));
    tocha_hint(cx, "convert the tensor first: x:float():norm()");
    return false;
  }
  return tocha_check_norm_dtype(cx, "linalg.vector_norm", self, result);
}

tocha_tensor *tocha_op_linalg_vector_norm(tocha_context *cx, tocha_tensor *self, double ord,
                                          int dim_count, const int64_t *dim, bool keepdim,
                                          tocha_dtype dtype) {
  tocha_reduced reduced;
  tocha_dtype result = dtype == TOCHA_NO_DTYPE ? (tocha_dtype)self->dtype : dtype;
  if (!check_dtypes(cx, self->dtype, result)) return NULL;
  if (!tocha_reduced_of(cx, self, dim_count, dim, keepdim, &reduced)) return NULL;
  if (reduced.count == 0 && (isinf(ord) || ord < 0))
    return tocha_fail(
        cx, TOCHA_RUNTIME_ERROR,
        "linalg.vector_norm cannot compute the %g norm on an empty tensor because the "
        "operation does not have an identity",
        ord);
  if (ord == 0 && result != self->dtype)
    self = tocha_as_dtype(cx, self, result); /* counts elements after the conversion */
  tocha_tensor *out = self ? tocha_new_reduced(cx, self, &reduced, result) : NULL;
  tocha_reduce_call call = {.reduction = row_of(ord),
                            .self = self,
                            .reduced = &reduced,
                            .compute = tocha_reduce_dtype(result),
                            .number = ord,
                            .out = out};
  return out && tocha_run_reduction(cx, &call) ? out : NULL;
}

/* --- norms by other names ----------------------------------------------------------------------------- */

tocha_tensor *tocha_op_norm(tocha_context *cx, tocha_tensor *self, const tocha_scalar *p,
                            int dim_count, const int64_t *dim, bool keepdim, tocha_dtype dtype) {
  double ord = p ? tocha_scalar_real(*p) : 2;
  return tocha_vector_norm_full(cx, self, ord, dim_count, dim, keepdim, dtype);
}

static const int64_t last_two[2] = {-2, -1};

tocha_tensor *tocha_op_norm_string(tocha_context *cx, tocha_tensor *self, const char *p,
                                   int dim_count, const int64_t *dim, bool keepdim,
                                   tocha_dtype dtype) {
  if (strcmp(p, "fro") == 0 && dim_count < 3)
    return tocha_vector_norm_full(cx, self, 2, dim_count, dim, keepdim, dtype);
  int64_t all[TOCHA_MAX_DIMS];
  for (int d = 0; d < self->ndim; d++) all[d] = d;
  return tocha_matrix_norm_str_ord_full(cx, self, p, dim_count ? dim_count : self->ndim,
                                        dim_count ? dim : all, keepdim, dtype);
}

static bool check_norm_dims(tocha_context *cx, int dim_count, const int64_t *dim) {
  char text[256];
  return dim_count <= 2 ||
         tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                    "linalg.norm: If dim is specified, it must be of length 1 or 2. Got %s",
                    tocha_shape_text(dim_count, dim, text, sizeof text));
}

/* Fails if self is not a vector or a matrix. Called if ord is given without dims. */
static bool check_plain(tocha_context *cx, const tocha_tensor *self) {
  if (self->ndim == 1 || self->ndim == 2) return true;
  return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                    "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. "
                    "Got %dD.",
                    self->ndim);
}

tocha_tensor *tocha_op_norm_linalg(tocha_context *cx, tocha_tensor *self, const tocha_scalar *ord,
                                   int dim_count, const int64_t *dim, bool keepdim,
                                   tocha_dtype dtype) {
  double p = ord ? tocha_scalar_real(*ord) : 2;
  if (ord && dim_count == 0 && !check_plain(cx, self)) return NULL;
  if (!check_norm_dims(cx, dim_count, dim)) return NULL;
  if (ord && dim_count == 0 && self->ndim == 2) {
    dim = last_two;
    dim_count = 2;
  }
  if (ord && dim_count == 2)
    return tocha_matrix_norm_full(cx, self, *ord, dim_count, dim, keepdim, dtype);
  return tocha_vector_norm_full(cx, self, p, dim_count, dim, keepdim, dtype);
}

tocha_tensor *tocha_op_norm_linalg_str(tocha_context *cx, tocha_tensor *self, const char *ord,
                                       int dim_count, const int64_t *dim, bool keepdim,
                                       tocha_dtype dtype) {
  if (!dim_count && !check_plain(cx, self)) return NULL;
  if (!check_norm_dims(cx, dim_count, dim)) return NULL;
  const int64_t *both = dim_count ? dim : last_two;
  return tocha_matrix_norm_str_ord_full(cx, self, ord, dim_count ? dim_count : 2, both, keepdim,
                                        dtype);
}
