/* mm.c: the products that are operators of their own: mm, bmm, mv, dot and their add forms. Each checks its operands and then
 * runs one product (gemm.h). */
#include <string.h>

#include "matmul/implementations.h"
#include "ops/matmul/gemm.h"
#include "ops/pointwise/elementwise.h"
#include "tensor/copy.h"
#include "tensor/geometry.h"
#include "tensor/overlap.h"
#include "tocha/ops/mm.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/t.h"

typedef long long ll;

/* Fails for bool on any device, and for integers on a device other than the CPU. */
static bool check_type(tocha_context *cx, const tocha_tensor *t, const char *kernel,
                       const char *device_kernel) {
  if (tocha_is_on_device(t) && !tocha_dtype_is_floating(t->dtype)) {
    tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"%s\" not implemented for '%s'", device_kernel,
               tocha_dtype_scalar_type(t->dtype));
    tocha_hint(cx, "multiply as floating numbers, x:float() (float64 holds integers up to 2^53)");
    return false;
  }
  if (t->dtype != TOCHA_BOOL) return true;
  tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"%s\" not implemented for 'Bool'", kernel);
  return false;
}

/* Checks the dtype of the factors a and b, unless there is nothing to multiply on the CPU. */
static bool check_factor_types(tocha_context *cx, const tocha_tensor *a, const tocha_tensor *b,
                               const char *kernel, const char *device_kernel) {
  bool nothing = !tocha_is_on_device(a) && (a->numel == 0 || b->numel == 0);
  return nothing || check_type(cx, a, kernel, device_kernel);
}

/* Fails if bool would only be multiplied by beta, because the sum is over no terms. addmv does not check this. */
static bool check_added_truth(tocha_context *cx, const tocha_tensor *a, const tocha_tensor *b) {
  bool only_added = a->dtype == TOCHA_BOOL && a->sizes[a->ndim - 1] == 0 &&
                    a->sizes[a->ndim - 2] != 0 && b->sizes[b->ndim - 1] != 0;
  return !only_added ||
         tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                    "result type Long can't be cast to the desired output type Bool") != NULL;
}

/* --- mm, addmm --------------------------------------------------------------------------------------- */

static bool check_matrices(tocha_context *cx, const char *name, const tocha_tensor *a,
                           const tocha_tensor *b) {
  if (a->ndim != 2 || b->ndim != 2) {
    bool first = a->ndim != 2;
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s: %s must be a matrix, got %d-D tensor", name,
               first ? "self" : "mat2", first ? a->ndim : b->ndim);
    return false;
  }
  if (a->sizes[1] != b->sizes[0]) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "%s: mat1 and mat2 shapes cannot be multiplied (%lldx%lld and %lldx%lld)", name,
               (ll)a->sizes[0], (ll)a->sizes[1], (ll)b->sizes[0], (ll)b->sizes[1]);
    tocha_hint(cx, "the last size of the first must be the first size of the second; a transpose "
                   "(t, mT) of one of them may be missing");
    return false;
  }
  return true;
}

tocha_tensor *tocha_op_mm(tocha_context *cx, tocha_tensor *self, tocha_tensor *mat2) {
  if (!check_matrices(cx, "mm", self, mat2)) return NULL;
  if (self->dtype != mat2->dtype)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "expected m1 and m2 to have the same dtype, but got: %s != %s",
                      tocha_dtype_cpp_name(self->dtype), tocha_dtype_cpp_name(mat2->dtype));
  if (!check_factor_types(cx, self, mat2, "addmm_impl_cpu_", "addmm_cuda")) return NULL;
  return tocha_gemm(cx, NULL, self, mat2, tocha_int(0), tocha_int(1), false);
}

static bool check_added_types(tocha_context *cx, const tocha_tensor *self, const tocha_tensor *mat1,
                              const tocha_tensor *mat2) {
  bool first = self->dtype == mat2->dtype;
  if (first && mat1->dtype == mat2->dtype) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s and mat2 must have the same dtype, but got %s and %s",
             first ? "mat1" : "self", tocha_dtype_scalar_type((first ? mat1 : self)->dtype),
             tocha_dtype_scalar_type(mat2->dtype));
  if (mat2->dtype == TOCHA_FLOAT32) tocha_hint(cx, "make both float32: x:float()");
  return false;
}

/* Fails if beta or alpha does not fit into the dtype or its wider type, as `fits` (TOCHA_FITS_...) says. */
static bool check_factors(tocha_context *cx, tocha_dtype dtype, int fits, tocha_scalar beta,
                          tocha_scalar alpha) {
  return tocha_check_number(cx, alpha, dtype, fits) && tocha_check_number(cx, beta, dtype, fits);
}

tocha_tensor *tocha_op_addmm(tocha_context *cx, tocha_tensor *self, tocha_tensor *mat1,
                             tocha_tensor *mat2, tocha_scalar beta, tocha_scalar alpha) {
  if (!check_added_types(cx, self, mat1, mat2) || !check_matrices(cx, "addmm", mat1, mat2) ||
      !check_factor_types(cx, mat1, mat2, "addmm_impl_cpu_", "addmm_cuda") ||
      !check_added_truth(cx, mat1, mat2) ||
      !check_factors(cx, self->dtype, TOCHA_FITS_WIDE, beta, alpha))
    return NULL;
  return tocha_gemm(cx, self, mat1, mat2, beta, alpha, false);
}

/* --- bmm, baddbmm, addbmm ------------------------------------------------------------------------------ */

static bool check_batches(tocha_context *cx, const tocha_tensor *a, const tocha_tensor *b) {
  if (a->ndim != 3 || b->ndim != 3) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s must be a 3D tensor",
               a->ndim != 3 ? "batch1" : "batch2");
    return false;
  }
  if (a->sizes[0] != b->sizes[0] || a->sizes[2] != b->sizes[1]) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Expected size for first two dimensions of batch2 tensor to be: [%lld, %lld] but "
               "got: [%lld, %lld].",
               (ll)a->sizes[0], (ll)a->sizes[2], (ll)b->sizes[0], (ll)b->sizes[1]);
    return false;
  }
  return true;
}

static bool check_batch_types(tocha_context *cx, const tocha_tensor *a, const tocha_tensor *b,
                              const char *kernel) {
  if (a->dtype == b->dtype) return check_factor_types(cx, a, b, kernel, "baddbmm_cuda");
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "expected scalar type %s but found %s",
             tocha_dtype_scalar_type(a->dtype), tocha_dtype_scalar_type(b->dtype));
  return false;
}

tocha_tensor *tocha_op_bmm(tocha_context *cx, tocha_tensor *self, tocha_tensor *mat2) {
  if (!check_batches(cx, self, mat2) || !check_batch_types(cx, self, mat2, "bmm")) return NULL;
  return tocha_gemm(cx, NULL, self, mat2, tocha_int(0), tocha_int(1), false);
}

/* Checks the operands of baddbmm. PyTorch expands self first, to sizes that the batches may not have. */
static bool check_baddbmm(tocha_context *cx, const tocha_tensor *self, const tocha_tensor *batch1,
                          const tocha_tensor *batch2) {
  int64_t sizes[3];
  if (!tocha_size_of(cx, batch1, 0, &sizes[0]) || !tocha_size_of(cx, batch1, 1, &sizes[1]) ||
      !tocha_size_of(cx, batch2, 2, &sizes[2]) || !tocha_check_expand(cx, self, 3, sizes))
    return false;
  if (self->dtype == batch1->dtype) return check_batches(cx, batch1, batch2);
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "Input dtypes must be the same, got: input %s, batch1: %s, batch2: %s",
             tocha_dtype_cpp_name(self->dtype), tocha_dtype_cpp_name(batch1->dtype),
             tocha_dtype_cpp_name(batch2->dtype));
  return false;
}

tocha_tensor *tocha_op_baddbmm(tocha_context *cx, tocha_tensor *self, tocha_tensor *batch1,
                               tocha_tensor *batch2, tocha_scalar beta, tocha_scalar alpha) {
  if (!check_baddbmm(cx, self, batch1, batch2) ||
      !check_batch_types(cx, batch1, batch2, "baddbmm") || !check_added_truth(cx, batch1, batch2) ||
      !check_factors(cx, batch1->dtype, TOCHA_FITS_WIDE, beta, alpha))
    return NULL;
  return tocha_gemm(cx, self, batch1, batch2, beta, alpha, false);
}

/* Checks the operands of addbmm. PyTorch expands self before it checks the batches. */
static bool check_addbmm(tocha_context *cx, const tocha_tensor *self, const tocha_tensor *batch1,
                         const tocha_tensor *batch2) {
  int64_t sizes[2];
  if (!tocha_size_of(cx, batch1, 1, &sizes[0]) || !tocha_size_of(cx, batch2, 2, &sizes[1]) ||
      !tocha_check_expand(cx, self, 2, sizes))
    return false;
  const int64_t *a = batch1->sizes, *b = batch2->sizes;
  if (batch1->ndim != 3 || batch2->ndim != 3)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s must be a 3D tensor",
               batch1->ndim != 3 ? "batch1" : "batch2");
  else if (a[0] != b[0])
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "batch1 and batch2 must have same number of batches, got %lld and %lld", (ll)a[0],
               (ll)b[0]);
  else if (a[2] != b[1])
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Incompatible matrix sizes for bmm (%lldx%lld and %lldx%lld)", (ll)a[1], (ll)a[2],
               (ll)b[1], (ll)b[2]);
  return !tocha_failed(cx);
}

tocha_tensor *tocha_op_addbmm(tocha_context *cx, tocha_tensor *self, tocha_tensor *batch1,
                              tocha_tensor *batch2, tocha_scalar beta, tocha_scalar alpha) {
  if (!check_addbmm(cx, self, batch1, batch2) || !check_added_types(cx, self, batch1, batch2) ||
      !check_factor_types(cx, batch1, batch2, "addmm_impl_cpu_", "addmm_cuda") ||
      !check_added_truth(cx, batch1, batch2) ||
      !check_factors(cx, self->dtype, TOCHA_FITS_WIDE, beta, alpha))
    return NULL;
  return tocha_gemm(cx, self, batch1, batch2, beta, alpha, true);
}

/* --- in place: self must have the product's shape already ------------------------------------------------- */

static bool check_result(tocha_context *cx, const tocha_tensor *self, int ndim,
                         const int64_t *sizes) {
  char a[256], b[256];
  if (self->ndim == ndim && memcmp(self->sizes, sizes, (size_t)ndim * sizeof *sizes) == 0)
    return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "Bad in-place call: input tensor size %s and output tensor size %s should match",
             tocha_shape_text(self->ndim, self->sizes, a, sizeof a),
             tocha_shape_text(ndim, sizes, b, sizeof b));
  return false;
}

tocha_tensor *tocha_op_addmm_inplace(tocha_context *cx, tocha_tensor *self, tocha_tensor *mat1,
                                     tocha_tensor *mat2, tocha_scalar beta, tocha_scalar alpha) {
  if (mat1->dtype == mat2->dtype && self->dtype == mat2->dtype) {
    if (!check_matrices(cx, "addmm", mat1, mat2)) return NULL;
    const int64_t sizes[2] = {mat1->sizes[0], mat2->sizes[1]};
    if (!check_result(cx, self, 2, sizes)) return NULL;
  }
  return tocha_op_addmm(cx, self, mat1, mat2, beta, alpha);
}

tocha_tensor *tocha_op_baddbmm_inplace(tocha_context *cx, tocha_tensor *self, tocha_tensor *batch1,
                                       tocha_tensor *batch2, tocha_scalar beta,
                                       tocha_scalar alpha) {
  if (!check_baddbmm(cx, self, batch1, batch2)) return NULL;
  const int64_t sizes[3] = {batch1->sizes[0], batch1->sizes[1], batch2->sizes[2]};
  if (!check_result(cx, self, 3, sizes)) return NULL;
  if (self->dtype != batch2->dtype)
    return tocha_fail(
        cx, TOCHA_RUNTIME_ERROR,
        "Bad in-place call: input tensor dtype %s and output tensor dtype %s should match",
        tocha_dtype_cpp_name(self->dtype), tocha_dtype_cpp_name(batch2->dtype));
  return tocha_op_baddbmm(cx, self, batch1, batch2, beta, alpha);
}

/* Computes addbmm into self. Unlike the other products in place, it gives self the shape of the result. */
tocha_tensor *tocha_op_addbmm_inplace(tocha_context *cx, tocha_tensor *self, tocha_tensor *batch1,
                                      tocha_tensor *batch2, tocha_scalar beta, tocha_scalar alpha) {
  if (!tocha_check_no_overlap(cx, self)) return NULL;
  tocha_tensor *out = tocha_op_addbmm(cx, self, batch1, batch2, beta, alpha);
  if (!out || tocha_same_sizes(out, self)) return out;
  return tocha_resize(cx, self, out->ndim, out->sizes) ? out : NULL;
}

/* --- mv, addmv, dot ------------------------------------------------------------------------------------ */

/* Returns a vector as a matrix of one column, without recording. */
static tocha_tensor *as_column(tocha_context *cx, tocha_tensor *v) {
  int64_t sizes[2] = {v->sizes[0], 1}, strides[2] = {v->strides[0], 1};
  return tocha_alias(cx, v, 2, sizes, strides, v->offset);
}

static bool check_vector(tocha_context *cx, const tocha_tensor *self, int64_t self_size,
                         const tocha_tensor *mat, const tocha_tensor *vec) {
  int self_ndim = self ? self->ndim : 1;
  if (mat->ndim != 2 || vec->ndim != 1 || self_ndim > 1) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "vector + matrix @ vector expected, got %d, %d, %d",
               self_ndim, mat->ndim, vec->ndim);
    return false;
  }
  if (mat->sizes[1] != vec->sizes[0] || (mat->sizes[0] != self_size && self_size != 1)) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "size mismatch, got input (%lld), mat (%lldx%lld), vec (%lld)", (ll)self_size,
               (ll)mat->sizes[0], (ll)mat->sizes[1], (ll)vec->sizes[0]);
    return false;
  }
  tocha_dtype type = self ? self->dtype : vec->dtype;
  if (mat->dtype != vec->dtype || mat->dtype != type) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "addmv input tensors must have the same dtype, but got %s, %s, and %s",
               tocha_dtype_scalar_type(type), tocha_dtype_scalar_type(mat->dtype),
               tocha_dtype_scalar_type(vec->dtype));
    return false;
  }
  return check_factor_types(cx, mat, vec, "addmv_impl_cpu", "addmv_impl_cuda");
}

static tocha_tensor *flattened(tocha_context *cx, tocha_tensor *column) {
  if (!column) return NULL;
  int64_t stride = 1;
  return tocha_alias(cx, column, 1, column->sizes, &stride, column->offset);
}

tocha_tensor *tocha_op_mv(tocha_context *cx, tocha_tensor *self, tocha_tensor *vec) {
  int64_t size;
  if (!tocha_size_of(cx, self, 0, &size) || !check_vector(cx, NULL, size, self, vec)) return NULL;
  return flattened(
      cx, tocha_gemm(cx, NULL, self, as_column(cx, vec), tocha_int(0), tocha_int(1), false));
}

tocha_tensor *tocha_op_addmv(tocha_context *cx, tocha_tensor *self, tocha_tensor *mat,
                             tocha_tensor *vec, tocha_scalar beta, tocha_scalar alpha) {
  int64_t size = self->ndim ? self->sizes[0] : 1;
  if (!check_vector(cx, self, size, mat, vec) ||
      !check_factors(cx, (tocha_dtype)mat->dtype, TOCHA_FITS_OWN, beta, alpha))
    return NULL;
  if (mat->numel == 0 && tocha_scalar_real(beta) != 0)
    return tocha_as_dtype(cx, tocha_mul_full(cx, self, tocha_number(beta)), mat->dtype);
  if (self->ndim) self = as_column(cx, self);
  return flattened(cx, tocha_gemm(cx, self, mat, as_column(cx, vec), beta, alpha, false));
}

tocha_tensor *tocha_op_addmv_inplace(tocha_context *cx, tocha_tensor *self, tocha_tensor *mat,
                                     tocha_tensor *vec, tocha_scalar beta, tocha_scalar alpha) {
  if (!check_vector(cx, self, self->ndim ? self->sizes[0] : 1, mat, vec) ||
      !check_result(cx, self, 1, mat->sizes))
    return NULL;
  return tocha_op_addmv(cx, self, mat, vec, beta, alpha);
}

/* Launches the inner product of a and b into out, which has the dtype that is multiplied in. */
static bool launch_dot(tocha_context *cx, tocha_tensor *a, tocha_tensor *b, tocha_tensor *out) {
  tocha_stream *stream = tocha_stream_of(cx, out->device);
  int64_t scratch = stream ? stream->kernels->matmul->dot_scratch : 0;
  tocha_tensor *memory = scratch ? tocha_new(cx, 1, &scratch, TOCHA_FLOAT64, out->device) : out;
  a = tocha_as_dtype(cx, a, out->dtype);
  b = tocha_as_dtype(cx, b, out->dtype);
  if (!stream || !memory || !a || !b) return false;
  tocha_dot_args args = {.a = tocha_bytes(a),
                         .b = tocha_bytes(b),
                         .out = tocha_bytes(out),
                         .scratch = (double *)(void *)tocha_bytes(memory),
                         .n = a->numel,
                         .a_stride = a->strides[0],
                         .b_stride = b->strides[0],
                         .dtype = (int8_t)out->dtype};
  return tocha_launched(cx, stream->kernels->matmul->dot(stream, &args));
}

tocha_tensor *tocha_op_dot(tocha_context *cx, tocha_tensor *self, tocha_tensor *other) {
  if (self->ndim != 1 || other->ndim != 1)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "1D tensors expected, but got %dD and %dD tensors",
                      self->ndim, other->ndim);
  if (self->dtype != other->dtype)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "dot : expected both vectors to have same dtype, but found %s and %s",
                      tocha_dtype_scalar_type(self->dtype), tocha_dtype_scalar_type(other->dtype));
  if (self->numel != other->numel)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "inconsistent tensor size, expected tensor [%lld] and src [%lld] to have the "
                      "same number of elements, but got %lld and %lld elements respectively",
                      (ll)self->numel, (ll)other->numel, (ll)self->numel, (ll)other->numel);
  if (!check_type(cx, self, "dot", "dot")) return NULL;
  tocha_tensor *out =
      tocha_new(cx, 0, NULL, tocha_gemm_dtype(self->device, self->dtype), self->device);
  if (!out || out->device.type == TOCHA_META) return tocha_as_dtype(cx, out, self->dtype);
  return launch_dot(cx, self, other, out) ? tocha_as_dtype(cx, out, self->dtype) : NULL;
}

/* --- gradients ------------------------------------------------------------------------------------------ */

static tocha_tensor *scaled(tocha_context *cx, tocha_tensor *t, tocha_scalar factor) {
  if (!t || tocha_scalar_real(factor) == 1) return t;
  return tocha_mul_full(cx, t, tocha_number(factor));
}

/* Return the gradient of a product's first or second factor. The gradient is column-major if the factor is. */
static tocha_tensor *grad_of_first(tocha_context *cx, tocha_tensor *grad, bool by_columns,
                                   tocha_tensor *mat2) {
  if (by_columns) return tocha_t(cx, tocha_mm(cx, mat2, tocha_t(cx, grad)));
  return tocha_mm(cx, grad, tocha_t(cx, mat2));
}

static tocha_tensor *grad_of_second(tocha_context *cx, tocha_tensor *grad, tocha_tensor *mat1,
                                    bool by_columns) {
  if (by_columns) return tocha_t(cx, tocha_mm(cx, tocha_t(cx, grad), mat1));
  return tocha_mm(cx, tocha_t(cx, mat1), grad);
}

/* Computes the gradients of self @ mat2; arguments: self, mat2. */
bool tocha_mm_backward(tocha_backward_frame *f) {
  tocha_tensor *grad = f->grads[0];
  const tocha_arg *a = &f->args[0], *b = &f->args[1];
  if (!grad) return true;
  if (tocha_wants_grad(f, 0)) f->out[0] = grad_of_first(f->cx, grad, a->count, b->tensor);
  if (tocha_wants_grad(f, 1)) f->out[1] = grad_of_second(f->cx, grad, a->tensor, b->count);
  return !tocha_failed(f->cx);
}

/* Computes the gradients of beta * self + alpha * mat1 @ mat2; arguments: self, mat1, mat2, beta, alpha. */
bool tocha_addmm_backward(tocha_backward_frame *f) {
  tocha_context *cx = f->cx;
  tocha_tensor *grad = f->grads[0];
  const tocha_arg *a = &f->args[1], *b = &f->args[2];
  if (!grad) return true;
  tocha_scalar beta = f->args[3].value.scalar, alpha = f->args[4].value.scalar;
  if (tocha_wants_grad(f, 0)) f->out[0] = scaled(cx, grad, beta);
  if (tocha_wants_grad(f, 1))
    f->out[1] = scaled(cx, grad_of_first(cx, grad, a->count, b->tensor), alpha);
  if (tocha_wants_grad(f, 2))
    f->out[2] = scaled(cx, grad_of_second(cx, grad, a->tensor, b->count), alpha);
  return !tocha_failed(cx);
}
