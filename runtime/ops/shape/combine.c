/* combine.c: tensors composed of all combinations of other tensors' elements, and of blocks. */
#include "device/devices.h"
#include "shape/implementations.h"
#include "tensor/copy.h"
#include "tocha/ops/private/block_diag.h"
#include "tocha/ops/cat.h"
#include "tocha/ops/constant_pad_nd.h"
#include "tocha/ops/flatten.h"
#include "tocha/ops/index.h"
#include "tocha/ops/reshape.h"
#include "tocha/ops/slice.h"
#include "tocha/ops/stack.h"

/* Joins the blocks, each padded with zeros on the left and right to full rows of the result. */
tocha_tensor *tocha_op__block_diag(tocha_context *cx, int tensors_count,
                                   tocha_tensor *const *tensors, int rows_count,
                                   const int64_t *rows, int columns_count, const int64_t *columns) {
  (void)rows;
  if (rows_count != tensors_count || columns_count != tensors_count)
    return tocha_fail(cx, TOCHA_VALUE_ERROR, "_block_diag: a size of each block is expected");
  uint64_t bytes = (uint64_t)tensors_count * sizeof(tocha_tensor *);
  tocha_tensor **padded = tocha_allocate(cx, bytes), *out = NULL;
  if (!padded) return NULL;
  int64_t all = 0, at = 0;
  bool ok = true;
  for (int i = 0; i < tensors_count; i++) all += columns[i];
  for (int i = 0; ok && i < tensors_count; at += columns[i++]) {
    int64_t pad[2] = {at, all - at - columns[i]};
    ok = (padded[i] = tocha_constant_pad_nd(cx, tensors[i], 2, pad, tocha_int(0))) != NULL;
  }
  if (ok) out = tocha_cat(cx, tensors_count, padded, 0);
  tocha_deallocate(cx, padded, bytes);
  return out;
}

/* Writes the gradient of each block. The operator's arguments: tensors, rows, columns. */
bool tocha_block_diag_backward(tocha_backward_frame *f) {
  const int64_t *rows = f->args[1].value.ints, *columns = f->args[2].value.ints;
  int64_t row = 0, column = 0;
  if (!f->grads[0]) return true;
  for (int i = 0; i < f->edge_count; row += rows[i], column += columns[i], i++) {
    int64_t row_end = row + rows[i], column_end = column + columns[i];
    if (!tocha_wants_grad(f, i)) continue;
    tocha_tensor *block = tocha_slice(f->cx, f->grads[0], 0, &row, &row_end, 1);
    f->out[i] = tocha_slice(f->cx, block, 1, &column, &column_end, 1);
    if (!f->out[i]) return false;
  }
  return true;
}

tocha_tensor *tocha_op_block_diag(tocha_context *cx, int tensors_count,
                                  tocha_tensor *const *tensors) {
  int64_t none[2] = {1, 0};
  if (tensors_count == 0) return tocha_new(cx, 2, none, cx->default_dtype, tocha_cpu());
  uint64_t n = (uint64_t)tensors_count, bytes = n * (sizeof(tocha_tensor *) + 2 * sizeof(int64_t));
  int64_t *rows = tocha_allocate(cx, bytes), *columns = rows + n;
  if (!rows) return NULL;
  tocha_tensor **blocks = (tocha_tensor **)(void *)(columns + n), *out = NULL;
  bool ok = true;
  for (int i = 0; ok && i < tensors_count; i++) {
    tocha_tensor *t = tensors[i];
    ok = t->ndim <= 2;
    if (!ok) {
      tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                 "torch.block_diag: Input tensors must have 2 or fewer dimensions. Input %d "
                 "has %d dimensions",
                 i, t->ndim);
      break;
    }
    rows[i] = t->ndim == 2 ? t->sizes[0] : 1;
    columns[i] = t->ndim ? t->sizes[t->ndim - 1] : 1;
    blocks[i] = t->ndim == 2 ? t : tocha_reshape(cx, t, 2, (const int64_t[]){1, columns[i]});
    ok = blocks[i] != NULL;
  }
  if (ok)
    out = tocha_private_block_diag(cx, tensors_count, blocks, tensors_count, rows, tensors_count,
                                   columns);
  tocha_deallocate(cx, rows, bytes);
  return out;
}

tocha_tensor *tocha_op_cartesian_prod(tocha_context *cx, int tensors_count,
                                      tocha_tensor *const *tensors) {
  char shape[256];
  tocha_results grids = {.tensors = grids.fixed};
  for (int i = 0; i < tensors_count; i++)
    if (tensors[i]->ndim != 1)
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Expect a 1D vector, but got shape %s",
                        tocha_shape_text(tensors[i]->ndim, tensors[i]->sizes, shape, sizeof shape));
  if (tensors_count == 1) return tensors[0];
  bool ok = tocha_op_meshgrid(cx, tensors_count, tensors, "ij", &grids);
  for (int i = 0; ok && i < tensors_count; i++)
    ok = (grids.tensors[i] = tocha_flatten(cx, grids.tensors[i], 0, -1)) != NULL;
  tocha_tensor *out = ok ? tocha_stack(cx, tensors_count, grids.tensors, 1) : NULL;
  tocha_results_free(cx, &grids);
  return out;
}

/* --- combinations ---------------------------------------------------------------------------------- */

/* Returns the number of combinations of r out of n elements, or -1 if it is too large. */
static int64_t ways(int64_t n, int64_t r) {
  double estimate = 1;
  int64_t count = 1;
  if (r > n) return 0;
  if (r > n - r) r = n - r; /* the same number, in few enough steps to avoid overflow */
  for (int64_t i = 1; i <= r; i++) {
    estimate = estimate * (double)(n - r + i) / (double)i;
    if (estimate > 1e15) return -1;
    count = count * (n - r + i) / i;
  }
  return count;
}

/* Writes the indices of each combination, in order: rows (count, r). */
static void write_combinations(int64_t *rows, int64_t count, int64_t r, int64_t n, bool repeats) {
  for (int64_t j = 0; count && j < r; j++) rows[j] = repeats ? 0 : j;
  for (int64_t i = 1; i < count; i++) {
    int64_t *row = rows + i * r, j = r - 1;
    for (int64_t k = 0; k < r; k++) row[k] = row[k - r];
    while (row[j] == (repeats ? n - 1 : n - r + j)) j--;
    row[j]++;
    for (int64_t k = j + 1; k < r; k++) row[k] = repeats ? row[j] : row[k - 1] + 1;
  }
}

tocha_tensor *tocha_op_combinations(tocha_context *cx, tocha_tensor *self, int64_t r,
                                    bool with_replacement) {
  char shape[256];
  int64_t none = 0;
  if (self->ndim != 1)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Expect a 1D vector, but got shape %s",
                      tocha_shape_text(self->ndim, self->sizes, shape, sizeof shape));
  if (r < 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Expect a non-negative number, but got %lld",
                      (long long)r);
  if (r == 0) return tocha_new(cx, 1, &none, self->dtype, self->device);
  int64_t n = self->numel, sizes[2] = {n ? ways(with_replacement ? n + r - 1 : n, r) : 0, r};
  if (sizes[0] < 0 || sizes[0] > INT64_MAX / 8 / r)
    return tocha_fail(cx, TOCHA_MEMORY_ERROR, "combinations(): too many combinations");
  tocha_tensor *rows = tocha_new(cx, 2, sizes, TOCHA_INT64, tocha_cpu());
  if (!rows) return NULL;
  write_combinations((int64_t *)(void *)tocha_bytes(rows), sizes[0], r, n, with_replacement);
  rows = tocha_as_device(cx, rows, self->device);
  return rows ? tocha_index(cx, self, 1, &rows) : NULL;
}
