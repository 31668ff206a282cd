/* lstsq.c: least squares. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/implementations.h"
#include "ops/linalg/matrices.h"
#include "tensor/copy.h"
#include "tocha/ops/narrow.h"
#include "tocha/ops/pow.h"
#include "tocha/ops/squeeze.h"
#include "tocha/ops/sum.h"
#include "tocha/ops/unsqueeze.h"

enum driver { GELS, GELSY, GELSD, GELSS, DRIVERS };
static const char *const driver_names[DRIVERS] = {"gels", "gelsy", "gelsd", "gelss"};

typedef struct lstsq_job {
  tocha_lapack_job base;
  tocha_tensor *a, *x, *rank, *values, *info; /* a is overwritten; x: B, then the solution */
  enum driver driver;
  double rcond;
  int room, index_room;
} lstsq_job;

/* Calls the driver; room -1 asks for the room. */
static void call_driver(const lstsq_job *j, void *a, void *x, void *values, void *work, int room,
                        int *indices, int *rank, int *info) {
  const tocha_lapack *l = j->base.lapack;
  int m = (int)tocha_row_count(j->a), n = (int)tocha_column_count(j->a),
      columns = (int)tocha_column_count(j->x);
  int lda = m > 1 ? m : 1, ldx = (int)tocha_row_count(j->x);
  float single = (float)j->rcond;
  const void *rcond = j->a->dtype == TOCHA_FLOAT64 ? (const void *)&j->rcond : &single;
  if (j->driver == GELS)
    l->gels("N", &m, &n, &columns, a, &lda, x, &ldx, work, &room, info, 1);
  else if (j->driver == GELSY)
    l->gelsy(&m, &n, &columns, a, &lda, x, &ldx, indices, rcond, rank, work, &room, info);
  else if (j->driver == GELSD)
    l->gelsd(&m, &n, &columns, a, &lda, x, &ldx, values, rcond, rank, work, &room, indices, info);
  else
    l->gelss(&m, &n, &columns, a, &lda, x, &ldx, values, rcond, rank, work, &room, info);
}

static bool is_finite(const tocha_tensor *t, int64_t i) {
  tocha_dtype dtype = (tocha_dtype)t->dtype;
  const char *at = tocha_place(t, 2, i);
  for (int64_t k = tocha_row_count(t) * tocha_column_count(t); k > 0; k--) {
    if (!isfinite(tocha_scalar_real(tocha_load_scalar(at, dtype)))) return false;
    at += tocha_dtype_size(dtype);
  }
  return true;
}

static void solve_one(const tocha_lapack_job *base, int64_t i, char *work) {
  const lstsq_job *j = (const lstsq_job *)base;
  if (j->values &&
      !is_finite(j->a, i)) { /* its singular values do not converge, or write where nothing is */
    *(int *)(void *)tocha_place(j->info, 0, i) = 1;
    return;
  }
  size_t indices = ((size_t)j->index_room * sizeof(int) + 15) / 16 * 16;
  int rank = 0;
  memset(work, 0, indices);
  call_driver(j, tocha_place(j->a, 2, i), tocha_place(j->x, 2, i),
              j->values ? tocha_place(j->values, 1, i) : NULL, work + indices, j->room,
              (int *)(void *)work, &rank, (int *)tocha_place(j->info, 0, i));
  if (j->rank) *(int64_t *)(void *)tocha_place(j->rank, 0, i) = rank;
}

static bool run(tocha_context *cx, lstsq_job *j) {
  double answer = 1, unused = 0;
  int indices = 0, rank, info, n = (int)tocha_column_count(j->a);
  j->base.lapack = tocha_find_lapack(cx, (tocha_dtype)j->a->dtype);
  if (!j->base.lapack) return false;
  call_driver(j, &unused, &unused, &unused, &answer, -1, &indices, &rank, &info);
  j->room = tocha_answered(&answer, j->a->dtype);
  j->index_room = j->driver == GELSD && indices > n ? indices : n;
  j->base.one = solve_one;
  j->base.apart = (tocha_apart){sizeof *j, 5, 0};
  j->base.room = (size_t)j->index_room * sizeof(int) + 16 + (size_t)(j->room > 0 ? j->room : 1) * 8;
  double work =
      2.0 * (double)tocha_row_count(j->a) * (double)n * (double)(n + tocha_column_count(j->x));
  return tocha_run_lapack(cx, &j->base, tocha_matrix_count(j->a), work) &&
         tocha_check_info(cx, j->info, "torch.linalg.lstsq");
}

/* --- checks -------------------------------------------------------------------------------------------------- */

static bool read_driver(tocha_context *cx, const char *name, enum driver *driver) {
  *driver = GELSY;
  if (!name) return true;
  for (int i = 0; i < DRIVERS; i++) {
    if (strcmp(name, driver_names[i]) != 0) continue;
    *driver = (enum driver)i;
    return true;
  }
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)");
  return false;
}

/* Whether b holds vectors, one for each matrix of a. */
static bool holds_vectors(const tocha_tensor *a, const tocha_tensor *b) {
  return b->ndim == 1 || (a->ndim == b->ndim + 1 &&
                          memcmp(a->sizes, b->sizes, (size_t)b->ndim * sizeof *b->sizes) == 0);
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
  } else if (holds_vectors(a, b)) {
    if (tocha_row_count(a) != b->sizes[b->ndim - 1])
      message = "input.size(-2) should match other.size(-1)";
  } else if (tocha_row_count(a) != tocha_row_count(b)) {
    message = "input.size(-2) should match other.size(-2)";
  }
  return !message || tocha_fail(cx, TOCHA_RUNTIME_ERROR, "torch.linalg.lstsq: %s", message) != NULL;
}

static bool check_type(tocha_context *cx, const tocha_tensor *a, bool has_rcond) {
  bool real = a->dtype == TOCHA_FLOAT32 || a->dtype == TOCHA_FLOAT64;
  if (has_rcond || real) return tocha_check_real(cx, a, NULL, "linalg_lstsq_cpu");
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "This function doesn't handle types other than float and double");
  return false;
}

/* --- the operator -------------------------------------------------------------------------------------------- */

static tocha_tensor *nothing(tocha_context *cx, const tocha_tensor *like, tocha_dtype dtype) {
  int64_t none = 0;
  return tocha_new(cx, 1, &none, dtype, like->device);
}

/* The rows of x below n hold what is left of b: their squares are the residuals where A has full rank. */
static tocha_tensor *residuals_of(tocha_context *cx, const lstsq_job *j) {
  int64_t m = tocha_row_count(j->a), n = tocha_column_count(j->a), rows = -2;
  bool full = m > n && j->driver != GELSY;
  for (int64_t i = 0; full && j->rank && tocha_has_elements(j->rank) && i < j->rank->numel; i++)
    full = *(const int64_t *)(const void *)tocha_place(j->rank, 0, i) == n;
  if (!full) return nothing(cx, j->a, (tocha_dtype)j->a->dtype);
  tocha_tensor *rest = tocha_narrow(cx, j->x, -2, n, m - n);
  return tocha_sum_dim_IntList(cx, tocha_pow_scalar(cx, rest, tocha_int(2)), 1, &rows, false);
}

/* B with room for the solution, which may have more rows. */
static tocha_tensor *room_for_solution(tocha_context *cx, const tocha_tensor *a, tocha_tensor *b) {
  int64_t m = tocha_row_count(a), n = tocha_column_count(a);
  tocha_tensor *x = tocha_new_matrices(cx, b, m > n ? m : n, tocha_column_count(b), true);
  if (!x || !tocha_has_elements(x)) return x;
  tocha_tensor *top = tocha_narrow(cx, x, -2, 0, m);
  return tocha_fill_data(cx, x, tocha_int(0)) && top && tocha_copy_data(cx, top, b) ? x : NULL;
}

/* Returns the part of t (whose batches are the broadcast ones) that belongs to the batches of self; zeros if b had none, so that
 * nothing was computed. */
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
  lstsq_job j = {.rank = NULL};
  if (!check(cx, self, b) || !read_driver(cx, driver, &j.driver) ||
      !check_type(cx, self, rcond != NULL))
    return false;
  bool vectors = holds_vectors(self, b);
  tocha_tensor *a = self, *right = vectors ? tocha_unsqueeze(cx, b, -1) : b;
  if (!right || !tocha_broadcast_batches(cx, &a, &right)) return false;
  int64_t m = tocha_row_count(a), n = tocha_column_count(a), k = m < n ? m : n;
  tocha_dtype dtype = (tocha_dtype)a->dtype;
  bool has_values = j.driver == GELSD || j.driver == GELSS;
  j.rcond = rcond ? *rcond
                  : (dtype == TOCHA_FLOAT64 ? DBL_EPSILON : (double)FLT_EPSILON) *
                        (double)(m > n ? m : n);
  j.a = tocha_copy_matrices(cx, a, true);
  j.x = room_for_solution(cx, a, right);
  j.info = tocha_new_numbers(cx, a, TOCHA_INT32);
  if (has_values) j.values = tocha_new_vectors(cx, a, k, dtype);
  if (j.driver != GELS) j.rank = tocha_new_numbers(cx, a, TOCHA_INT64);
  if (!j.a || !j.x || !j.info || tocha_failed(cx)) return false;
  if (tocha_has_elements(j.a) && tocha_has_elements(j.x)) {
    if (!run(cx, &j)) return false;
  } else if (a->device.type != TOCHA_META &&
             (!tocha_fill_data(cx, j.x, tocha_int(0)) ||
              (j.rank && !tocha_fill_data(cx, j.rank, tocha_int(0))))) {
    return false;
  }
  *residuals = residuals_of(cx, &j);
  *solution = tocha_narrow(cx, j.x, -2, 0, n);
  if (vectors) *solution = tocha_squeeze_dim(cx, *solution, -1);
  if (vectors && m > n && (*residuals)->ndim == self->ndim - 1)
    *residuals = tocha_squeeze_dim(cx, *residuals, -1);
  *rank = j.rank ? of_batches(cx, j.rank, self) : nothing(cx, a, TOCHA_INT64);
  *singular_values = j.values ? of_batches(cx, j.values, self) : nothing(cx, a, dtype);
  return !tocha_failed(cx);
}
