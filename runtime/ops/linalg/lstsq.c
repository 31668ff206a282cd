/* lstsq.c: least squares. */
#include <string.h>

#include "linalg/implementations.h"
#include "ops/linalg/matrices.h"
#include "tensor/copy.h"
#include "tensor/transfer.h"
#include "tocha/ops/narrow.h"
#include "tocha/ops/pow.h"
#include "tocha/ops/squeeze.h"
#include "tocha/ops/sum.h"
#include "tocha/ops/unsqueeze.h"

static const char *const drivers[] = {[TOCHA_GELS] = "gels",
                                      [TOCHA_GELSY] = "gelsy",
                                      [TOCHA_GELSD] = "gelsd",
                                      [TOCHA_GELSS] = "gelss"};

/* The tensors of one call. a is overwritten; x holds B, then the solution. */
typedef struct problem {
  tocha_tensor *a, *x, *rank, *values, *info;
  tocha_gels_driver driver;
  double rcond;
} problem;

static bool run(tocha_context *cx, const problem *p) {
  tocha_stream *stream = tocha_stream_of(cx, p->a->device);
  tocha_gels_args args = {.a = tocha_matrix_batch_of(p->a),
                          .x = tocha_matrix_batch_of(p->x),
                          .rank = p->rank ? (int64_t *)(void *)tocha_bytes(p->rank) : NULL,
                          .info = tocha_info_of(p->info),
                          .rcond = p->rcond,
                          .batch = tocha_matrix_count(p->a),
                          .dtype = p->a->dtype,
                          .driver = (int8_t)p->driver};
  if (p->values) args.values = tocha_vector_batch_of(p->values);
  return stream && tocha_launched(cx, stream->kernels->linalg->gels(stream, &args)) &&
         tocha_check_info(cx, p->info, TOCHA_FAILS_FULL_RANK, "torch.linalg.lstsq");
}

/* --- checks -------------------------------------------------------------------------------------------------- */

static bool read_driver(tocha_context *cx, const char *name, tocha_gels_driver *driver) {
  *driver = TOCHA_GELSY;
  if (!name) return true;
  for (int i = 0; i < TOCHA_COUNT(drivers); i++) {
    if (strcmp(name, drivers[i]) != 0) continue;
    *driver = (tocha_gels_driver)i;
    return true;
  }
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)");
  return false;
}

static bool check(tocha_context *cx, const tocha_tensor *a, const tocha_tensor *b) {
  const char *message = NULL;
  if (a->ndim < 2) {
    message = "input must have at least 2 dimensions.";
  } else if (b->ndim < 1) {
    message = "other must have at least 1 dimension.";
  } else if (a->dtype != b->dtype) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "torch.linalg.lstsq: Expected input and other to have the same dtype, but got "
               "input's dtype %s and other's dtype %s",
               tocha_dtype_scalar_type((tocha_dtype)a->dtype),
               tocha_dtype_scalar_type((tocha_dtype)b->dtype));
    return false;
  } else if (a->ndim != b->ndim && a->ndim != b->ndim + 1) {
    message = "input.dim() must be greater or equal to other.dim() and (input.dim() - "
              "other.dim()) <= 1";
  } else if (tocha_holds_vectors(a, b)) {
    if (tocha_row_count(a) != b->sizes[b->ndim - 1])
      message = "input.size(-2) should match other.size(-1)";
  } else if (tocha_row_count(a) != tocha_row_count(b)) {
    message = "input.size(-2) should match other.size(-2)";
  }
  return !message || tocha_fail(cx, TOCHA_RUNTIME_ERROR, "torch.linalg.lstsq: %s", message) != NULL;
}

static bool check_type(tocha_context *cx, const tocha_tensor *a, bool has_rcond) {
  if (has_rcond || tocha_linalg_takes((tocha_dtype)a->dtype))
    return tocha_check_real(cx, a, NULL, "linalg_lstsq_cpu");
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "This function doesn't handle types other than float and double");
  return false;
}

/* --- the operator -------------------------------------------------------------------------------------------- */

/* Returns the residuals (..., K): the sums of squares of the rows of x below the first N. Returns an empty tensor if these are
 * not residuals: if a matrix does not have full rank or no more rows than columns, or if the driver is gelsy. */
static tocha_tensor *residuals_of(tocha_context *cx, const problem *p) {
  int64_t m = tocha_row_count(p->a), n = tocha_column_count(p->a), rows = -2;
  bool full = m > n && p->driver != TOCHA_GELSY, ranked = p->rank && tocha_has_elements(p->rank);
  const tocha_tensor *rank = full && ranked ? tocha_on_host(cx, p->rank) : NULL;
  for (int64_t i = 0; full && rank && i < rank->numel; i++)
    full = ((const int64_t *)(const void *)tocha_bytes(rank))[i] == n;
  if (!full) return tocha_new_nothing(cx, p->a, (tocha_dtype)p->a->dtype);
  tocha_tensor *rest = tocha_narrow(cx, p->x, -2, n, m - n);
  return tocha_sum_dim_IntList(cx, tocha_pow_scalar(cx, rest, tocha_int(2)), 1, &rows, false);
}

/* Returns B (..., M, K) in the first rows of zeros (..., max(M, N), K), because the solution may have more rows. */
static tocha_tensor *memory_for_solution(tocha_context *cx, const tocha_tensor *a,
                                         tocha_tensor *b) {
  int64_t m = tocha_row_count(a), n = tocha_column_count(a);
  tocha_tensor *x = tocha_new_matrices(cx, b, m > n ? m : n, tocha_column_count(b), true);
  if (!x || !tocha_has_elements(x)) return x;
  tocha_tensor *top = tocha_narrow(cx, x, -2, 0, m);
  return tocha_fill_data(cx, x, tocha_int(0)) && top && tocha_copy_data(cx, top, b) ? x : NULL;
}

/* Returns the part of t that belongs to the batches of self; the batches of t are the broadcast ones. Returns zeros if t has no
 * elements, because b has an empty batch dimension and nothing was computed. */
static tocha_tensor *of_batches(tocha_context *cx, tocha_tensor *t, const tocha_tensor *self) {
  int64_t sizes[TOCHA_MAX_DIMS];
  for (int d = 0; d < t->ndim; d++) sizes[d] = d < self->ndim - 2 ? self->sizes[d] : t->sizes[d];
  if (t->numel) return tocha_alias(cx, t, t->ndim, sizes, t->strides, t->offset);
  tocha_tensor *zeros = tocha_new(cx, t->ndim, sizes, (tocha_dtype)t->dtype, t->device);
  return zeros && (!tocha_has_elements(zeros) || tocha_fill_data(cx, zeros, tocha_int(0))) ? zeros
                                                                                           : NULL;
}

bool tocha_op_lstsq(tocha_context *cx, tocha_tensor *self, tocha_tensor *b, const double *rcond,
                    const char *driver, tocha_tensor **solution, tocha_tensor **residuals,
                    tocha_tensor **rank, tocha_tensor **singular_values) {
  problem p = {.rank = NULL};
  if (!check(cx, self, b) || !read_driver(cx, driver, &p.driver) ||
      !check_type(cx, self, rcond != NULL))
    return false;
  bool vectors = tocha_holds_vectors(self, b);
  tocha_tensor *a = self, *right = vectors ? tocha_unsqueeze(cx, b, -1) : b;
  if (!vectors && b->ndim < self->ndim) { /* all sizes of b but the last count as batches */
    tocha_tensor *columns = tocha_unsqueeze(cx, b, -1);
    if (!columns || !tocha_broadcast_batches(cx, &a, &columns)) return false;
  }
  if (!right || !tocha_broadcast_batches(cx, &a, &right)) return false;
  int64_t m = tocha_row_count(a), n = tocha_column_count(a), k = m < n ? m : n;
  tocha_dtype dtype = (tocha_dtype)a->dtype;
  bool has_values = p.driver == TOCHA_GELSD || p.driver == TOCHA_GELSS;
  p.rcond = rcond ? *rcond : tocha_epsilon(dtype) * (double)(m > n ? m : n);
  p.a = tocha_copy_matrices(cx, a, true);
  p.x = memory_for_solution(cx, a, right);
  p.info = tocha_new_numbers(cx, a, TOCHA_INT32);
  if (has_values) p.values = tocha_new_vectors(cx, a, k, tocha_dtype_real(dtype));
  if (p.driver != TOCHA_GELS) p.rank = tocha_new_numbers(cx, a, TOCHA_INT64);
  if (!p.a || !p.x || !p.info || tocha_failed(cx)) return false;
  if (tocha_has_elements(p.a) && tocha_has_elements(p.x)) {
    if (!run(cx, &p)) return false;
  } else if (a->device.type != TOCHA_META &&
             (!tocha_fill_data(cx, p.x, tocha_int(0)) ||
              (p.rank && !tocha_fill_data(cx, p.rank, tocha_int(0))))) {
    return false;
  }
  *residuals = residuals_of(cx, &p);
  *solution = tocha_narrow(cx, p.x, -2, 0, n);
  if (vectors) *solution = tocha_squeeze_dim(cx, *solution, -1);
  if (vectors && m > n && (*residuals)->ndim == self->ndim - 1)
    *residuals = tocha_squeeze_dim(cx, *residuals, -1);
  *rank = p.rank ? of_batches(cx, p.rank, self) : tocha_new_nothing(cx, a, TOCHA_INT64);
  *singular_values =
      p.values ? of_batches(cx, p.values, self) : tocha_new_nothing(cx, a, tocha_dtype_real(dtype));
  return !tocha_failed(cx);
}
