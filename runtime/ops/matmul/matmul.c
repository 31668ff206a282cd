/* matmul.c: products composed of other operators: matmul in all its ranks, linear, outer, inner, chains. The operators that
 * they call record the gradients. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tensor/iterator.h"
#include "matmul/implementations.h"
#include "tocha/ops/add.h"
#include "tocha/ops/addmm.h"
#include "tocha/ops/bmm.h"
#include "tocha/ops/contiguous.h"
#include "tocha/ops/dot.h"
#include "tocha/ops/expand.h"
#include "tocha/ops/matmul.h"
#include "tocha/ops/mm.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/mv.h"
#include "tocha/ops/reshape.h"
#include "tocha/ops/squeeze.h"
#include "tocha/ops/squeeze_.h"
#include "tocha/ops/t.h"
#include "tocha/ops/to.h"
#include "tocha/ops/transpose.h"
#include "tocha/ops/unsafe_view.h"
#include "tocha/ops/unsqueeze.h"

/* --- matmul ------------------------------------------------------------------------------------------ */

/* Returns true if a product of one operand with three or more dimensions and another with at most two should be one large
 * matrix product: if that copies nothing, or saves the gradient a sum. */
static bool should_fold(tocha_tensor *a, tocha_tensor *b) {
  bool a_larger = a->ndim >= b->ndim;
  tocha_tensor *large = a_larger ? a : b, *small = a_larger ? b : a;
  int n = large->ndim;
  if (n < 3 || small->ndim > 2) return false;
  if (tocha_requires_grad(small)) return true;
  if (a->ndim == 2) return false;
  if (large->numel == 0) return true;
  int64_t sizes[TOCHA_MAX_DIMS], strides[TOCHA_MAX_DIMS];
  memcpy(sizes, large->sizes, (size_t)n * sizeof *sizes);
  memcpy(strides, large->strides, (size_t)n * sizeof *strides);
  if (!a_larger) { /* as for its transpose */
    sizes[n - 1] = large->sizes[n - 2];
    sizes[n - 2] = large->sizes[n - 1];
    strides[n - 1] = large->strides[n - 2];
    strides[n - 2] = large->strides[n - 1];
  }
  for (int i = 0; i < n - 2; i++)
    if (strides[i] != strides[i + 1] * sizes[i + 1]) return false;
  return true;
}

static tocha_tensor *folded_product(tocha_context *cx, tocha_tensor *a, tocha_tensor *b) {
  bool transposed = b->ndim > a->ndim;
  tocha_tensor *large = transposed ? tocha_transpose(cx, b, -2, -1) : a;
  tocha_tensor *small = !transposed ? b : a->ndim == 2 ? tocha_t(cx, a) : a;
  if (!large || !small) return NULL;
  int64_t sizes[TOCHA_MAX_DIMS], rows = 1;
  int n = large->ndim - 1;
  for (int i = 0; i < n; i++) rows *= sizes[i] = large->sizes[i];
  int64_t flat_sizes[2] = {rows, large->sizes[n]};
  tocha_tensor *flat = tocha_reshape(cx, large, 2, flat_sizes);
  if (small->ndim == 1) return tocha_unsafe_view(cx, tocha_mv(cx, flat, small), n, sizes);
  sizes[n] = small->sizes[1];
  tocha_tensor *out = tocha_unsafe_view(cx, tocha_mm(cx, flat, small), n + 1, sizes);
  return transposed ? tocha_contiguous(cx, tocha_transpose(cx, out, -2, -1)) : out;
}

/* Computes the broadcast shape of the batch dimensions of a and b. */
static bool batch_sizes(tocha_context *cx, const tocha_tensor *a, const tocha_tensor *b, int *ndim,
                        int64_t *sizes) {
  tocha_tensor x = *a, y = *b, *both[2] = {&x, &y};
  x.ndim = (uint8_t)(a->ndim > 2 ? a->ndim - 2 : 0);
  y.ndim = (uint8_t)(b->ndim > 2 ? b->ndim - 2 : 0);
  return tocha_broadcast_sizes(cx, 2, both, ndim, sizes);
}

static tocha_tensor *batched_product(tocha_context *cx, tocha_tensor *a, tocha_tensor *b) {
  int64_t sizes[TOCHA_MAX_DIMS], count = 1;
  int n;
  if (a->ndim == 3 && b->ndim == 3 && a->sizes[0] != b->sizes[0]) {
    if (a->sizes[0] == 1 && tocha_requires_grad(a))
      return tocha_matmul(cx, tocha_squeeze_dim(cx, a, 0), b);
    if (b->sizes[0] == 1 && tocha_requires_grad(b))
      return tocha_matmul(cx, a, tocha_squeeze_dim(cx, b, 0));
  }
  if (!batch_sizes(cx, a, b, &n, sizes)) return NULL;
  for (int i = 0; i < n; i++) count *= sizes[i];
  int64_t rows = a->ndim > 1 ? a->sizes[a->ndim - 2] : 1, inner = a->sizes[a->ndim - 1];
  int64_t b_rows = b->ndim > 1 ? b->sizes[b->ndim - 2] : b->sizes[0];
  int64_t columns = b->ndim > 1 ? b->sizes[b->ndim - 1] : 1;
  sizes[n] = rows;
  sizes[n + 1] = inner;
  int64_t a_flat[3] = {count, rows, inner}, b_flat[3] = {count, b_rows, columns};
  tocha_tensor *x = tocha_reshape(cx, tocha_expand(cx, a, n + 2, sizes), 3, a_flat), *y;
  sizes[n] = b_rows;
  sizes[n + 1] = columns;
  if (b->ndim == 1) {
    y = tocha_reshape(cx, tocha_expand(cx, b, n + 1, sizes), 2, b_flat);
    y = tocha_unsqueeze(cx, y, 2);
  } else {
    y = tocha_reshape(cx, tocha_expand(cx, b, n + 2, sizes), 3, b_flat);
  }
  tocha_tensor *out = tocha_bmm(cx, x, y);
  if (b->ndim == 1) out = tocha_squeeze_dim(cx, out, -1);
  if (a->ndim > 1) sizes[n++] = rows;
  if (b->ndim > 1) sizes[n++] = columns;
  return tocha_unsafe_view(cx, out, n, sizes);
}

tocha_tensor *tocha_op_matmul(tocha_context *cx, tocha_tensor *self, tocha_tensor *other) {
  if (self->ndim == 0 || other->ndim == 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "both arguments to matmul need to be at least 1D, but they are %dD and %dD",
                      self->ndim, other->ndim);
  if (self->ndim == 2 && other->ndim == 2) return tocha_mm(cx, self, other);
  if (self->ndim == 1 && other->ndim == 1) return tocha_dot(cx, self, other);
  if (self->ndim == 2 && other->ndim == 1) return tocha_mv(cx, self, other);
  if (self->ndim == 1 && other->ndim == 2)
    return tocha_squeeze_dim_(cx, tocha_mm(cx, tocha_unsqueeze(cx, self, 0), other), 0);
  return should_fold(self, other) ? folded_product(cx, self, other)
                                  : batched_product(cx, self, other);
}

/* --- linear ------------------------------------------------------------------------------------------ */

tocha_tensor *tocha_op_linear(tocha_context *cx, tocha_tensor *input, tocha_tensor *weight,
                              tocha_tensor *bias) {
  if (input->ndim == 0 || weight->ndim == 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "both arguments to linear need to be at least 1D, but they are %dD and %dD",
                      input->ndim, weight->ndim);
  tocha_tensor *transposed = tocha_t(cx, weight);
  if (!bias) return tocha_matmul(cx, input, transposed);
  if (input->ndim == 2) return tocha_addmm(cx, bias, input, transposed);
  /* addmm adds a bias of these shapes. Others, such as a number, are added afterwards. */
  bool row = bias->ndim == 1 || (bias->ndim == 2 && (bias->sizes[0] == 1 || bias->sizes[1] == 1));
  if (weight->ndim != 2 || !tocha_is_contiguous(input) || !row) {
    tocha_tensor *product = tocha_matmul(cx, input, transposed);
    return product ? tocha_add_(cx, product, bias) : NULL;
  }
  int64_t sizes[TOCHA_MAX_DIMS];
  int n = input->ndim - 1;
  memcpy(sizes, input->sizes, (size_t)n * sizeof *sizes);
  int64_t flat[2] = {1, input->sizes[n]};
  for (int i = 0; i < n; i++) flat[0] *= sizes[i];
  sizes[n] = weight->sizes[0];
  tocha_tensor *out = tocha_addmm(cx, bias, tocha_reshape(cx, input, 2, flat), transposed);
  return tocha_unsafe_view(cx, out, n + 1, sizes);
}

static bool check_bilinear_types(tocha_context *cx, const tocha_tensor *const *t) {
  char bias[48] = "";
  bool same = t[1]->dtype == t[0]->dtype && t[2]->dtype == t[0]->dtype &&
              (!t[3] || t[3]->dtype == t[0]->dtype);
  if (t[3]) snprintf(bias, sizeof bias, ", bias: %s", tocha_dtype_cpp_name(t[3]->dtype));
  return same || tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                            "All tensors must have the same dtype, got input1: %s, input2: %s, "
                            "weight: %s%s",
                            tocha_dtype_cpp_name(t[0]->dtype), tocha_dtype_cpp_name(t[1]->dtype),
                            tocha_dtype_cpp_name(t[2]->dtype), bias);
}

/* Fails unless dimension `dim` of t, the operand `name`, is as long as dimension k of weight. */
static bool fits_weight(tocha_context *cx, const char *name, const tocha_tensor *t, int dim,
                        const tocha_tensor *weight, int k) {
  int64_t own, expected;
  if (!tocha_size_of(cx, t, dim, &own) || !tocha_size_of(cx, weight, k, &expected)) return false;
  return own == expected || tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                                       "bilinear(): %s size does not match weight size: got %lld "
                                       "but expected %lld",
                                       name, (long long)own, (long long)expected);
}

static bool check_bilinear(tocha_context *cx, const tocha_tensor *input1,
                           const tocha_tensor *input2, const tocha_tensor *weight,
                           const tocha_tensor *bias) {
  if (!check_bilinear_types(cx, (const tocha_tensor *const[]){input1, input2, weight, bias}))
    return false;
  if (input1->ndim != input2->ndim)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "bilinear(): input dimensions do not match: got %d and %d", input1->ndim,
                      input2->ndim);
  for (int i = 0; i + 1 < input1->ndim; i++)
    if (input1->sizes[i] != input2->sizes[i])
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                        "bilinear(): input batch dimensions do not match at dim %d: got %lld and "
                        "%lld",
                        i, (long long)input1->sizes[i], (long long)input2->sizes[i]);
  if (!fits_weight(cx, "input1", input1, -1, weight, 1) ||
      !fits_weight(cx, "input2", input2, -1, weight, 2) ||
      (bias && !fits_weight(cx, "bias", bias, 0, weight, 0)))
    return false;
  if (weight->ndim != 3)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "number of dimensions must match");
  return input1->dtype != TOCHA_BOOL ||
         tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"bmm\" not implemented for 'Bool'");
}

tocha_tensor *tocha_op_bilinear(tocha_context *cx, tocha_tensor *input1, tocha_tensor *input2,
                                tocha_tensor *weight, tocha_tensor *bias) {
  int n = input1->ndim;
  if (!check_bilinear(cx, input1, input2, weight, bias)) return NULL;
  if (input1->dtype == TOCHA_BOOL)
    return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"bmm\" not implemented for 'Bool'");
  /* out[..., o] = x1[...] @ W[o] @ x2[...]: one product with W as (in1, out * in2), then one product for each row. */
  int64_t sizes[TOCHA_MAX_DIMS], outputs = weight->sizes[0], rows = 1;
  for (int d = 0; d < n - 1; d++) rows *= input1->sizes[d];
  int64_t flat1[2] = {rows, weight->sizes[1]}, flat2[3] = {rows, weight->sizes[2], 1};
  int64_t w_flat[2] = {weight->sizes[1], outputs * weight->sizes[2]};
  int64_t mid[3] = {rows, outputs, weight->sizes[2]};
  tocha_tensor *w = tocha_reshape(cx, tocha_transpose(cx, weight, 0, 1), 2, w_flat);
  tocha_tensor *x = tocha_mm(cx, tocha_reshape(cx, input1, 2, flat1), w);
  x = tocha_bmm(cx, tocha_reshape(cx, x, 3, mid), tocha_reshape(cx, input2, 3, flat2));
  memcpy(sizes, input1->sizes, (size_t)(n - 1) * sizeof *sizes);
  sizes[n - 1] = outputs;
  x = tocha_to_dtype(cx, tocha_reshape(cx, x, n, sizes), input1->dtype, false, false);
  return bias ? tocha_add(cx, x, bias) : x;
}

/* --- vectors, chains -------------------------------------------------------------------------------------- */

tocha_tensor *tocha_op_outer(tocha_context *cx, tocha_tensor *self, tocha_tensor *vec2) {
  if (self->ndim != 1 || vec2->ndim != 1)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "outer: Expected 1-D argument %s, but got %d-D",
                      self->ndim != 1 ? "self" : "vec2", self->ndim != 1 ? self->ndim : vec2->ndim);
  int64_t column[2] = {self->sizes[0], 1};
  return tocha_mul(cx, tocha_reshape(cx, self, 2, column), vec2);
}

tocha_tensor *tocha_op_inner(tocha_context *cx, tocha_tensor *self, tocha_tensor *other) {
  if (self->ndim == 0 || other->ndim == 0) return tocha_mul(cx, self, other);
  int64_t n = self->sizes[self->ndim - 1], sizes[TOCHA_MAX_DIMS];
  if (n != other->sizes[other->ndim - 1]) {
    char a[256], b[256];
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "inner() the last dimension must match on both input tensors but got shapes "
                      "%s and %s",
                      tocha_shape_text(self->ndim, self->sizes, a, sizeof a),
                      tocha_shape_text(other->ndim, other->sizes, b, sizeof b));
  }
  if (self->dtype != other->dtype)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "both inputs should have same dtype");
  int count = 0;
  int64_t a_flat[2] = {1, n}, b_flat[2] = {1, n};
  for (int i = 0; i < self->ndim - 1; i++) a_flat[0] *= sizes[count++] = self->sizes[i];
  for (int i = 0; i < other->ndim - 1; i++) b_flat[0] *= sizes[count++] = other->sizes[i];
  if (a_flat[0] == 1 && b_flat[0] == 1) /* the result is one number */
    return tocha_reshape(
        cx, tocha_dot(cx, tocha_reshape(cx, self, 1, &n), tocha_reshape(cx, other, 1, &n)), count,
        sizes);
  tocha_tensor *x = tocha_reshape(cx, self, 2, a_flat), *y = tocha_reshape(cx, other, 2, b_flat);
  return tocha_reshape(cx, tocha_mm(cx, x, tocha_t(cx, y)), count, sizes);
}

/* Returns the product of matrices i..j in the order given by split (n, n). */
static tocha_tensor *chain(tocha_context *cx, tocha_tensor *const *m, const int *split, int n,
                           int i, int j) {
  if (i == j) return m[i];
  int k = split[i * n + j];
  return tocha_mm(cx, chain(cx, m, split, n, i, k), chain(cx, m, split, n, k + 1, j));
}

enum { MAX_CHAIN = 16 };

/* Finds the order with the fewest multiplications, with cost(i, j) = min over k of cost(i, k) + cost(k+1, j) + rows(i) *
 * columns(k) * columns(j) (Cormen et al., Introduction to Algorithms, 15.2). split(i, j) becomes the best k. */
static void best_order(int n, tocha_tensor *const *m, int *split) {
  double cost[MAX_CHAIN * MAX_CHAIN] = {0};
  for (int length = 2; length <= n; length++) {
    for (int i = 0; i + length <= n; i++) {
      int j = i + length - 1;
      cost[i * n + j] = -1;
      for (int k = i; k < j; k++) {
        double c = cost[i * n + k] + cost[(k + 1) * n + j] +
                   (double)m[i]->sizes[0] * (double)m[k]->sizes[1] * (double)m[j]->sizes[1];
        if (cost[i * n + j] >= 0 && c >= cost[i * n + j]) continue;
        cost[i * n + j] = c;
        split[i * n + j] = k;
      }
    }
  }
}

static bool check_chain(tocha_context *cx, int n, tocha_tensor *const *m) {
  for (int end = 0; end < n; end += n - 1)
    if (m[end]->ndim != 1 && m[end]->ndim != 2)
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                        "multi_dot(): the %s tensor must be 1D or 2D but got %dD",
                        end ? "last" : "first", m[end]->ndim);
  for (int i = 1; i < n; i++) {
    if (i < n - 1 && m[i]->ndim != 2)
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "multi_dot(): tensor %d must be 2D but got %dD", i,
                        m[i]->ndim);
    if (m[i]->dtype != m[0]->dtype)
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                        "multi_dot(): all tensors must have be the same dtype but tensor 0 is %s "
                        "and tensor %d %s",
                        tocha_dtype_cpp_name(m[0]->dtype), i, tocha_dtype_cpp_name(m[i]->dtype));
  }
  for (int i = 0; i < n - 1; i++) {
    char a[64], b[64];
    const tocha_tensor *x = m[i], *y = m[i + 1];
    if (x->sizes[x->ndim - 1] != y->sizes[0])
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                        "multi_dot(): tensors %d and %d with shapes %s and %s cannot be multiplied",
                        i, i + 1, tocha_shape_text(x->ndim, x->sizes, a, sizeof a),
                        tocha_shape_text(y->ndim, y->sizes, b, sizeof b));
  }
  return true;
}

tocha_tensor *tocha_op_linalg_multi_dot(tocha_context *cx, int tensors_count,
                                        tocha_tensor *const *tensors) {
  int n = tensors_count, split[MAX_CHAIN * MAX_CHAIN];
  tocha_tensor *m[MAX_CHAIN];
  if (n < 2)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "multi_dot(): expected at least 2 tensors but got %d", n);
  if (n > MAX_CHAIN) { /* the first MAX_CHAIN in the best order, the others from the left */
    for (int i = 0; i < MAX_CHAIN; i++) m[i] = tensors[i];
    m[0] = tocha_op_linalg_multi_dot(cx, MAX_CHAIN, m);
    for (int i = MAX_CHAIN; m[0] && i < n; i++) m[0] = tocha_matmul(cx, m[0], tensors[i]);
    return m[0];
  }
  memcpy(m, tensors, (size_t)n * sizeof *m);
  if (!check_chain(cx, n, m)) return NULL;
  bool first = m[0]->ndim == 1, last = m[n - 1]->ndim == 1;
  if (first) m[0] = tocha_unsqueeze(cx, m[0], 0);
  if (last) m[n - 1] = tocha_unsqueeze(cx, m[n - 1], -1);
  if (!m[0] || !m[n - 1]) return NULL;
  best_order(n, m, split);
  tocha_tensor *out = chain(cx, m, split, n, 0, n - 1);
  if (!out) return NULL;
  int64_t sizes[2];
  int count = 0;
  if (!first) sizes[count++] = out->sizes[0];
  if (!last) sizes[count++] = out->sizes[1];
  return tocha_reshape(cx, out, count, sizes);
}
