/* exponential.c: the exponential of square matrices, all of a batch at once. The host waits for the device once, for the norms. */
#include <math.h>

#include "linalg/implementations.h"
#include "ops/linalg/matrices.h"
#include "ops/linalg/rules.h"
#include "tensor/copy.h"
#include "tocha/ops/abs.h"
#include "tocha/ops/amax.h"
#include "tocha/ops/cat.h"
#include "tocha/ops/eye.h"
#include "tocha/ops/gt.h"
#include "tocha/ops/matrix_exp.h"
#include "tocha/ops/reshape.h"
#include "tocha/ops/sum.h"
#include "tocha/ops/where.h"
#include "tocha/ops/zeros_like.h"

/* Returns the sum of the powers 0 to 3 of a, with the coefficients 1 / k! from k = first on. */
static tocha_tensor *part_of_series(tocha_context *cx, tocha_tensor *const powers[5], int first) {
  tocha_tensor *sum = NULL;
  double factorial = 1;
  for (int k = 2; k <= first; k++) factorial *= k;
  for (int k = 0; k < 4; k++) {
    if (k > 0) factorial *= first + k;
    tocha_tensor *term = tocha_mul_full(cx, powers[k], tocha_number(tocha_float(1 / factorial)));
    sum = sum ? tocha_add(cx, sum, term) : term;
    if (!sum) return NULL;
  }
  return sum;
}

/* Returns the exponential series up to the power 19, by Horner's rule in powers of a^4. */
static tocha_tensor *series(tocha_context *cx, tocha_tensor *a) {
  tocha_tensor *one =
      tocha_eye_full(cx, tocha_row_count(a), NULL, (tocha_dtype)a->dtype, a->device, false);
  tocha_tensor *powers[5] = {one, a};
  for (int k = 2; k < 5; k++)
    if (!(powers[k] = tocha_matmul(cx, powers[k - 1], a))) return NULL;
  tocha_tensor *sum = one ? part_of_series(cx, powers, 16) : NULL;
  for (int first = 12; sum && first >= 0; first -= 4)
    sum = tocha_add(cx, part_of_series(cx, powers, first), tocha_matmul(cx, sum, powers[4]));
  return sum;
}

/* The number of times each matrix is halved, so that its series is exact to the dtype. minimum, maximum: over the batch. */
typedef struct halvings {
  tocha_tensor *times, *factors; /* (batch, 1, 1), on the matrices' device: s, and 1 / 2^s */
  int64_t minimum, maximum;
} halvings;

static bool count_halvings(tocha_context *cx, tocha_tensor *matrices, halvings *h) {
  int64_t rows = 1, columns = 2, sizes[3] = {matrices->sizes[0], 1, 1};
  tocha_dtype type = (tocha_dtype)matrices->dtype;
  double exact = type == TOCHA_FLOAT64 ? 1 : 3;
  tocha_tensor *norms = tocha_sum_dim_IntList(cx, tocha_abs(cx, matrices), 1, &rows, true);
  norms = norms ? tocha_amax(cx, norms, 1, &columns, true) : NULL;
  if (!norms) return false;
  norms = tocha_copy_as(cx, norms, TOCHA_FLOAT64, tocha_cpu(), TOCHA_CONTIGUOUS_FORMAT);
  tocha_tensor *times = tocha_new(cx, 3, sizes, TOCHA_FLOAT64, tocha_cpu());
  tocha_tensor *factors = tocha_new(cx, 3, sizes, TOCHA_FLOAT64, tocha_cpu());
  if (!norms || !times || !factors) return false;
  const double *norm = (const double *)tocha_bytes(norms);
  for (int64_t i = 0; i < sizes[0]; i++) {
    int64_t s = isfinite(norm[i]) && norm[i] > exact ? (int64_t)ceil(log2(norm[i] / exact)) : 0;
    ((double *)tocha_bytes(times))[i] = (double)s;
    ((double *)tocha_bytes(factors))[i] = ldexp(1, -(int)s);
    h->minimum = i && h->minimum < s ? h->minimum : s;
    h->maximum = i && h->maximum > s ? h->maximum : s;
  }
  h->times = tocha_copy_as(cx, times, type, matrices->device, TOCHA_CONTIGUOUS_FORMAT);
  h->factors = tocha_copy_as(cx, factors, type, matrices->device, TOCHA_CONTIGUOUS_FORMAT);
  return h->times && h->factors;
}

/* Returns exp(a) = exp(a / 2^s)^(2^s) for each matrix a. */
static tocha_tensor *exponential(tocha_context *cx, tocha_tensor *matrices) {
  halvings h = {0};
  if (!count_halvings(cx, matrices, &h)) return NULL;
  tocha_tensor *x = tocha_mul(cx, matrices, h.factors);
  x = x ? series(cx, x) : NULL;
  for (int64_t i = 0; x && i < h.maximum; i++) {
    tocha_tensor *square = tocha_matmul(cx, x, x);
    tocha_tensor *wanted =
        i < h.minimum ? NULL : tocha_gt_full(cx, h.times, tocha_number(tocha_int(i)));
    if (!square || tocha_failed(cx)) return NULL;
    x = wanted ? tocha_where(cx, wanted, square, x) : square;
  }
  return x;
}

tocha_tensor *tocha_op_matrix_exp(tocha_context *cx, tocha_tensor *self) {
  if (!tocha_check_square(cx, self, "linalg.matrix_exp", "A")) return NULL;
  if (!tocha_dtype_is_floating((tocha_dtype)self->dtype))
    return tocha_check_real(cx, self, "linalg.matrix_exp", NULL) ? self : NULL;
  int64_t n = tocha_row_count(self), sizes[3] = {tocha_matrix_count(self), n, n};
  tocha_dtype type = self->dtype == TOCHA_FLOAT64 ? TOCHA_FLOAT64 : TOCHA_FLOAT32;
  tocha_tensor *x = tocha_as_rows(cx, self, type);
  if (tocha_has_elements(self)) {
    x = x ? exponential(cx, tocha_reshape(cx, x, 3, sizes)) : NULL;
    x = x ? tocha_reshape(cx, x, self->ndim, self->sizes) : NULL;
  } else {
    x = x ? tocha_new_like(cx, x, type) : NULL;
  }
  return x ? tocha_as_dtype(cx, x, (tocha_dtype)self->dtype) : NULL;
}

/* Returns the gradient, the upper right block of the exponential of [[A', G], [0, A']]. */
bool tocha_matrix_exp_rule(tocha_backward_frame *f) {
  tocha_context *cx = f->cx;
  tocha_tensor *A = f->args[0].tensor, *grad = f->grads[0];
  if (!grad) return true;
  if (A->numel == 0) {
    f->out[0] = grad;
    return true;
  }
  int64_t n = tocha_row_count(A);
  tocha_tensor *a = tocha_adjoint_of(cx, A), *none = tocha_zeros_like(cx, A);
  if (!a || !none) return false;
  tocha_tensor *top = tocha_cat(cx, 2, (tocha_tensor *[]){a, grad}, -1);
  tocha_tensor *bottom = tocha_cat(cx, 2, (tocha_tensor *[]){none, a}, -1);
  tocha_tensor *whole =
      top && bottom ? tocha_cat(cx, 2, (tocha_tensor *[]){top, bottom}, -2) : NULL;
  tocha_tensor *e = whole ? tocha_matrix_exp(cx, whole) : NULL;
  f->out[0] = tocha_part(cx, tocha_part(cx, e, -2, 0, n), -1, n, n);
  return f->out[0] != NULL;
}
