/* reflectors.c: products of reflections, each I - tau v v': geqrf, householder_product, ormqr. Column i of a matrix holds the
 * elements of v below the diagonal; v is 1 on the diagonal and 0 above. */
#include "linalg/implementations.h"
#include "ops/linalg/matrices.h"
#include "ops/linalg/rules.h"
#include "tensor/copy.h"
#include "tocha/ops/cat.h"
#include "tocha/ops/eye.h"
#include "tocha/ops/squeeze.h"
#include "tocha/ops/zeros_like.h"

/* --- geqrf ------------------------------------------------------------------------------------------------- */

bool tocha_op_geqrf(tocha_context *cx, tocha_tensor *self, tocha_tensor **a, tocha_tensor **tau) {
  if (self->ndim < 2)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "torch.geqrf: input must have at least 2 dimensions.");
  if (!tocha_check_real(cx, self, NULL, "geqrf_cpu")) return false;
  int64_t m = tocha_row_count(self), n = tocha_column_count(self);
  *a = tocha_copy_matrices(cx, self, true);
  *tau = tocha_new_vectors(cx, self, m < n ? m : n, (tocha_dtype)self->dtype);
  if (!*a || !*tau) return false;
  if (!tocha_has_elements(self)) return true;
  tocha_stream *stream = tocha_stream_of(cx, self->device);
  tocha_geqrf_args args = {.a = tocha_matrix_batch_of(*a),
                           .tau = tocha_vector_batch_of(*tau),
                           .batch = tocha_matrix_count(self),
                           .dtype = self->dtype};
  return stream && tocha_launched(cx, stream->kernels->linalg->geqrf(stream, &args));
}

/* --- householder_product ------------------------------------------------------------------------------------- */

/* Fails unless tau has the batch dimensions of input. */
static bool check_tau(tocha_context *cx, const char *name, const tocha_tensor *input,
                      const tocha_tensor *tau) {
  char text[256];
  if (input->ndim - tau->ndim != 1)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "torch.%s: Expected tau to have one dimension less than input, but got "
                      "tau.ndim equal to %d and input.ndim is equal to %d",
                      name, tau->ndim, input->ndim);
  for (int d = 0; d < input->ndim - 2; d++)
    if (tau->sizes[d] != input->sizes[d])
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                        "torch.%s: Expected batch dimensions of tau to be equal to "
                        "input.shape[:-2], but got %s",
                        name, tocha_shape_text(tau->ndim - 1, tau->sizes, text, sizeof text));
  return true;
}

static bool check_product(tocha_context *cx, const tocha_tensor *input, const tocha_tensor *tau) {
  const char *words = NULL;
  if (input->ndim < 2)
    words = "input must have at least 2 dimensions.";
  else if (tocha_row_count(input) < tocha_column_count(input))
    words = "input.shape[-2] must be greater than or equal to input.shape[-1]";
  else if (tau->ndim && tocha_column_count(input) < tau->sizes[tau->ndim - 1])
    words = "input.shape[-1] must be greater than or equal to tau.shape[-1]";
  if (input->ndim >= 2 && tau->ndim == 0)
    return tocha_fail(cx, TOCHA_INDEX_ERROR,
                      "Dimension specified as -1 but tensor has no dimensions");
  if (words)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "torch.linalg.householder_product: %s", words);
  if (!check_tau(cx, "linalg.householder_product", input, tau)) return false;
  if (tau->dtype != input->dtype)
    return tocha_fail(
        cx, TOCHA_RUNTIME_ERROR,
        "torch.linalg.householder_product: tau dtype %s does not match input dtype %s",
        tocha_dtype_scalar_type((tocha_dtype)tau->dtype),
        tocha_dtype_scalar_type((tocha_dtype)input->dtype));
  return tocha_check_real(cx, input, NULL, "orgqr_cpu");
}

tocha_tensor *tocha_op_householder_product(tocha_context *cx, tocha_tensor *input,
                                           tocha_tensor *tau) {
  if (!check_product(cx, input, tau)) return NULL;
  tocha_tensor *out = tocha_copy_matrices(cx, input, true);
  tocha_tensor *factors = tocha_as_rows(cx, tau, TOCHA_NO_DTYPE);
  if (!out || !factors || !tocha_has_elements(out)) return out;
  tocha_stream *stream = tocha_stream_of(cx, out->device);
  tocha_orgqr_args args = {.a = tocha_matrix_batch_of(out),
                           .tau = tocha_vector_batch_of(factors),
                           .batch = tocha_matrix_count(out),
                           .dtype = out->dtype};
  return stream && tocha_launched(cx, stream->kernels->linalg->orgqr(stream, &args)) ? out : NULL;
}

/* --- ormqr ----------------------------------------------------------------------------------------------------- */

static bool check_dtype(tocha_context *cx, const tocha_tensor *input, const tocha_tensor *t,
                        const char *name) {
  return t->dtype == input->dtype ||
         tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                    "torch.ormqr: Expected input and %s to have the same dtype, but input has "
                    "dtype%s and %s has dtype %s",
                    name, tocha_dtype_scalar_type((tocha_dtype)input->dtype), name,
                    tocha_dtype_scalar_type((tocha_dtype)t->dtype));
}

static bool check_other(tocha_context *cx, const tocha_tensor *input, const tocha_tensor *tau,
                        const tocha_tensor *other, bool left) {
  char text[256];
  const char *few = input->ndim < 2 ? "input" : other->ndim < 2 ? "other" : NULL;
  if (few)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "torch.ormqr: %s must have at least 2 dimensions.",
                      few);
  int64_t size = left ? tocha_row_count(other) : tocha_column_count(other);
  int64_t columns = tocha_column_count(input), k = size < columns ? size : columns;
  if (tau->ndim == 0)
    return tocha_fail(cx, TOCHA_INDEX_ERROR,
                      "Dimension specified as -1 but tensor has no dimensions");
  if (size != tocha_row_count(input))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "torch.ormqr: other.shape[-%d] must be equal to input.shape[-2]",
                      left ? 2 : 1);
  if (tau->sizes[tau->ndim - 1] != k)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "torch.ormqr: tau.shape[-1] must be equal to min(other.shape[-%d], "
                      "input.shape[-1])",
                      left ? 2 : 1);
  if (input->ndim - tau->ndim == 1 && input->ndim != other->ndim)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "torch.ormqr: Expected other to have the same number of dimensions as input, "
                      "but got other.ndim equal to %d and input.ndim is equal to %d",
                      other->ndim, input->ndim);
  if (!check_tau(cx, "ormqr", input, tau)) return false;
  for (int d = 0; d < input->ndim - 2; d++)
    if (other->sizes[d] != input->sizes[d])
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                        "torch.ormqr: Expected batch dimensions of other to be equal to "
                        "input.shape[:-2], but got %s",
                        tocha_shape_text(other->ndim - 2, other->sizes, text, sizeof text));
  return check_dtype(cx, input, tau, "tau") && check_dtype(cx, input, other, "other");
}

tocha_tensor *tocha_op_ormqr(tocha_context *cx, tocha_tensor *self, tocha_tensor *input2,
                             tocha_tensor *input3, bool left, bool transpose) {
  if (!check_other(cx, self, input2, input3, left) ||
      !tocha_check_real(cx, self, NULL, "ormqr_cpu"))
    return NULL;
  tocha_tensor *out = tocha_copy_matrices(cx, input3, true);
  tocha_tensor *a = tocha_copy_matrices(cx, self, true);
  tocha_tensor *tau = tocha_as_rows(cx, input2, TOCHA_NO_DTYPE);
  if (!out || !a || !tau || !tocha_has_elements(out) || tau->numel == 0) return out;
  tocha_stream *stream = tocha_stream_of(cx, out->device);
  tocha_ormqr_args args = {.a = tocha_matrix_batch_of(a),
                           .c = tocha_matrix_batch_of(out),
                           .tau = tocha_vector_batch_of(tau),
                           .batch = tocha_matrix_count(out),
                           .dtype = out->dtype,
                           .transposition = transpose ? TOCHA_TRANSPOSED : TOCHA_NOT_TRANSPOSED,
                           .left = left};
  return stream && tocha_launched(cx, stream->kernels->linalg->ormqr(stream, &args)) ? out : NULL;
}

/* --- gradients ------------------------------------------------------------------------------------------------- */

/* A product y = H(first) ... H(last) x of the reflections in order, or in reverse. */
typedef struct product {
  tocha_context *cx;
  tocha_tensor *v, *tau; /* v: unit lower triangular */
  int64_t count;
  bool reversed;
  /* the results: gradients of x, of the columns of v (m, 1) each, and of the factors (1, 1) each */
  tocha_tensor *grad_x, **grad_v, **grad_tau;
} product;

static tocha_tensor *column(const product *p, int64_t i) {
  return tocha_part(p->cx, p->v, -1, i, 1);
}

static tocha_tensor *factor(const product *p, int64_t i) {
  return tocha_unsqueeze(p->cx, tocha_narrow(p->cx, p->tau, -1, i, 1), -1);
}

static tocha_tensor *reflect(const product *p, int64_t i, tocha_tensor *x) {
  tocha_context *cx = p->cx;
  tocha_tensor *v = column(p, i), *t = factor(p, i);
  if (!v || !t || !x) return NULL;
  return tocha_sub(cx, x, tocha_mul(cx, t, tocha_matmul(cx, v, tocha_adjoint_times(cx, v, x))));
}

/* Computes the gradients of all factors, of all columns and of x. For one reflection H, with g the gradient of its result and b
 * its operand, the gradient of tau is -(g'v)'(b'v), and that of v is -tau (g b'v + b g'v). after: memory for p->count operands. */
static bool run_product(product *p, tocha_tensor *x, tocha_tensor *grad, tocha_tensor **after) {
  tocha_context *cx = p->cx;
  for (int64_t s = p->count - 1; s >= 0; s--) {
    after[s] = x;
    x = reflect(p, p->reversed ? p->count - 1 - s : s, x);
  }
  for (int64_t s = 0; s < p->count; s++) {
    int64_t i = p->reversed ? p->count - 1 - s : s;
    tocha_tensor *v = column(p, i), *t = factor(p, i), *b = after[s];
    if (!v || !t || !b || !grad) return false;
    tocha_tensor *bv = tocha_adjoint_times(cx, b, v), *gv = tocha_adjoint_times(cx, grad, v);
    if (!bv || !gv) return false;
    p->grad_tau[i] = tocha_neg(cx, tocha_adjoint_times(cx, gv, bv));
    tocha_tensor *both = tocha_add(cx, tocha_matmul(cx, grad, bv), tocha_matmul(cx, b, gv));
    p->grad_v[i] = both ? tocha_neg(cx, tocha_mul(cx, t, both)) : NULL;
    if (!(grad = reflect(p, i, grad))) return false;
  }
  p->grad_x = grad;
  return !tocha_failed(cx);
}

/* Returns the gradient of input: that of the columns of v below the diagonal, and zeros for columns that have no factor. */
static tocha_tensor *below_diagonal(const product *p, const tocha_tensor *input) {
  tocha_context *cx = p->cx;
  tocha_tensor *columns = tocha_tril(cx, tocha_cat(cx, (int)p->count, p->grad_v, -1), -1);
  int64_t more = tocha_column_count(input) - p->count;
  if (!columns || more == 0) return columns;
  tocha_tensor *rest = tocha_mul_full(
      cx, tocha_narrow(cx, (tocha_tensor *)input, -1, p->count, more), tocha_number(tocha_int(0)));
  return rest ? tocha_cat(cx, 2, (tocha_tensor *[]){columns, rest}, -1) : NULL;
}

/* Writes the gradients of input and tau to out[0] and out[1], and that of x to p->grad_x. */
static bool differentiate(tocha_backward_frame *f, product *p, tocha_tensor *input, tocha_tensor *x,
                          tocha_tensor *grad) {
  tocha_context *cx = p->cx;
  uint64_t bytes = (uint64_t)p->count * sizeof(tocha_tensor *);
  tocha_tensor **arrays = tocha_allocate(cx, 3 * bytes + sizeof *arrays);
  if (!arrays) return false;
  p->v = tocha_unit_lower(cx, tocha_part(cx, input, -1, 0, p->count));
  p->grad_v = arrays + p->count;
  p->grad_tau = arrays + 2 * p->count;
  bool ok = p->v && run_product(p, x, grad, arrays);
  if (ok && p->count > 0) {
    f->out[0] = below_diagonal(p, input);
    tocha_tensor *factors = tocha_cat(cx, (int)p->count, p->grad_tau, -2);
    f->out[1] = factors ? tocha_squeeze_dim(cx, factors, -1) : NULL;
  }
  tocha_deallocate(cx, arrays, 3 * bytes + sizeof *arrays);
  return ok && !tocha_failed(cx);
}

bool tocha_householder_rule(tocha_backward_frame *f) {
  tocha_tensor *input = f->args[0].tensor, *tau = f->args[1].tensor, *grad = f->grads[0];
  if (!grad || input->numel == 0) return true;
  int64_t n = tocha_column_count(input);
  product p = {.cx = f->cx, .tau = tau, .count = tau->sizes[tau->ndim - 1]};
  tocha_tensor *unit = tocha_eye_full(f->cx, tocha_row_count(input), &n, (tocha_dtype)input->dtype,
                                      input->device, false);
  return unit && differentiate(f, &p, input, unit, grad);
}

bool tocha_ormqr_rule(tocha_backward_frame *f) {
  tocha_context *cx = f->cx;
  tocha_tensor *input = f->args[0].tensor, *tau = f->args[1].tensor, *x = f->args[2].tensor;
  tocha_tensor *grad = f->grads[0];
  bool left = f->args[3].value.flag, transposed = f->args[4].value.flag;
  if (!grad) return true;
  /* an empty batch */
  if (input->numel == 0 && tocha_row_count(input) && tocha_column_count(input)) {
    f->out[2] = tocha_zeros_like(cx, x);
    return f->out[2] != NULL;
  }
  product p = {
      .cx = cx, .tau = tau, .count = tau->sizes[tau->ndim - 1], .reversed = left == transposed};
  if (!left) x = tocha_adjoint_of(cx, x), grad = tocha_adjoint_of(cx, grad);
  if (!x || !grad || !differentiate(f, &p, input, x, grad)) return false;
  f->out[2] = left ? p.grad_x : tocha_adjoint_of(cx, p.grad_x);
  return !tocha_failed(cx);
}
