/* attention.c: scaled_dot_product_attention: checks the operands, and goes the way that is chosen (backends.c): by kernels
 * (flash.c, fused.c), or by products of whole matrices, which are here. */
#include <math.h>

#include "attention/implementations.h"
#include "ops/attention/attention.h"
#include "device/devices.h"
#include "tensor/copy.h"
#include "tensor/iterator.h"
#include "tocha/ops/private/safe_softmax.h"
#include "tocha/ops/private/scaled_dot_product_fused_attention.h"
#include "tocha/ops/private/scaled_dot_product_flash_attention_for_cpu.h"
#include "tocha/ops/add.h"
#include "tocha/ops/all.h"
#include "tocha/ops/dropout.h"
#include "tocha/ops/eq.h"
#include "tocha/ops/logical_not.h"
#include "tocha/ops/masked_fill.h"
#include "tocha/ops/matmul.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/ones.h"
#include "tocha/ops/repeat_interleave.h"
#include "tocha/ops/softmax.h"
#include "tocha/ops/squeeze.h"
#include "tocha/ops/to_copy.h"
#include "tocha/ops/transpose.h"
#include "tocha/ops/tril.h"
#include "tocha/ops/unsqueeze.h"
#include "tocha/ops/zeros.h"

/* --- checks -------------------------------------------------------------------------------------------- */

static bool refuse(tocha_context *cx, const char *what, const char *name, const char *q,
                   const char *k, const char *v) {
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "Expected query, key, and value to have the same %s, but got query.%s: %s key.%s: %s "
             "and value.%s: %s instead.",
             what, name, q, name, k, name, v);
  return false;
}

static bool check_causal(tocha_context *cx, const tocha_tensor *mask, bool causal) {
  if (!causal || !mask) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "_scaled_dot_product_attention: Explicit attn_mask should not be set when "
             "is_causal=True");
  return false;
}

static bool check_inputs(tocha_context *cx, const tocha_tensor *q, const tocha_tensor *k,
                         const tocha_tensor *v, const tocha_tensor *mask, bool causal) {
  if (q->dtype != k->dtype || q->dtype != v->dtype)
    return refuse(cx, "dtype", "dtype", tocha_dtype_cpp_name(q->dtype),
                  tocha_dtype_cpp_name(k->dtype), tocha_dtype_cpp_name(v->dtype));
  if (q->ndim < 2 || k->ndim < 2 || v->ndim < 2) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Expected query, key, and value to all be  at least 2 dimensional, but got "
               "query.dim: %d key.dim: %d and value.dim: %d instead.",
               q->ndim, k->ndim, v->ndim);
    return false;
  }
  if (!check_causal(cx, mask, causal)) return false;
  if (mask && mask->dtype != TOCHA_BOOL && mask->dtype != q->dtype &&
      mask->dtype != TOCHA_FLOAT32) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Expected attn_mask dtype to be bool or float or to match query dtype, but got "
               "attn_mask.dtype: %s and  query.dtype: %s instead.",
               tocha_dtype_cpp_name(mask->dtype), tocha_dtype_cpp_name(q->dtype));
    return false;
  }
  if (!tocha_dtype_is_floating(q->dtype))
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "expected scalar type Float but found %s",
               tocha_dtype_scalar_type(q->dtype));
  return !tocha_failed(cx);
}

/* --- masks and heads ------------------------------------------------------------------------------------ */

double tocha_attention_scale(const tocha_tensor *query, const double *scale) {
  return scale ? *scale : 1 / sqrt((double)query->sizes[query->ndim - 1]);
}

tocha_tensor *tocha_added_mask(tocha_context *cx, tocha_tensor *mask, tocha_dtype dtype) {
  if (!mask || mask->dtype != TOCHA_BOOL) return mask;
  tocha_tensor *zeros = tocha_zeros_full(cx, mask->ndim, mask->sizes, dtype, mask->device, false);
  return tocha_masked_fill_full(cx, zeros, tocha_logical_not(cx, mask),
                                tocha_number(tocha_float(-INFINITY)));
}

tocha_tensor *tocha_causal_mask(tocha_context *cx, const tocha_tensor *query,
                                const tocha_tensor *key) {
  int64_t sizes[2] = {query->sizes[query->ndim - 2], key->sizes[key->ndim - 2]};
  return tocha_tril(cx, tocha_ones_full(cx, 2, sizes, TOCHA_BOOL, query->device, false), 0);
}

tocha_tensor *tocha_for_each_head(tocha_context *cx, tocha_tensor *keys, int64_t heads) {
  if (!keys || keys->sizes[keys->ndim - 3] == heads) return keys;
  int64_t dim = -3;
  return tocha_repeat_interleave_full(cx, keys, heads / keys->sizes[keys->ndim - 3], &dim, NULL);
}

static bool check_groups(tocha_context *cx, const tocha_tensor *q, const tocha_tensor *k,
                         const tocha_tensor *v) {
  int64_t heads, a, b;
  if (!tocha_size_of(cx, q, -3, &heads) || !tocha_size_of(cx, k, -3, &a) ||
      !tocha_size_of(cx, v, -3, &b))
    return false;
  bool ok = a > 0 && b > 0 && heads % a == 0 && heads % b == 0;
  if (!ok)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Number of heads in key and value must divide the number of heads in query");
  return ok;
}

/* --- by whole matrices ---------------------------------------------------------------------------------- */

tocha_tensor *tocha_op__safe_softmax(tocha_context *cx, tocha_tensor *self, int64_t dim,
                                     tocha_dtype dtype) {
  tocha_tensor *out = tocha_softmax(cx, self, dim, dtype);
  tocha_tensor *hidden = tocha_eq_full(cx, self, tocha_number(tocha_float(-INFINITY)));
  hidden = tocha_all(cx, hidden, 1, &dim, true);
  return tocha_masked_fill_full(cx, out, hidden, tocha_number(tocha_int(0)));
}

static tocha_tensor *in_float32(tocha_context *cx, tocha_tensor *t) {
  if (!t || !tocha_dtype_is_floating(t->dtype) || tocha_dtype_size(t->dtype) != 2) return t;
  return tocha_to_copy_full(cx, t, TOCHA_FLOAT32, t->device, false);
}

static tocha_tensor *by_matrices(tocha_context *cx, tocha_tensor *query, tocha_tensor *key,
                                 tocha_tensor *value, tocha_tensor *mask, double dropout_p,
                                 bool causal, const double *scale, bool groups) {
  tocha_dtype dtype = (tocha_dtype)query->dtype;
  double factor = tocha_attention_scale(query, scale), root = sqrt(fabs(factor));
  if (groups && !check_groups(cx, query, key, value)) return NULL;
  query = in_float32(cx, query);
  key = in_float32(cx, key);
  value = in_float32(cx, value);
  if (causal) mask = tocha_causal_mask(cx, query, key);
  mask = tocha_added_mask(cx, mask, (tocha_dtype)query->dtype);
  if (tocha_failed(cx)) return NULL;
  if (groups) {
    int64_t heads = query->sizes[query->ndim - 3];
    key = tocha_for_each_head(cx, key, heads);
    value = tocha_for_each_head(cx, value, heads);
  }
  tocha_operand signed_root = tocha_number(tocha_float(factor < 0 ? -root : root));
  query = tocha_mul_full(cx, query, signed_root);
  key = tocha_mul_full(cx, tocha_transpose(cx, key, -2, -1), tocha_number(tocha_float(root)));
  tocha_tensor *weights = tocha_matmul(cx, query, key);
  if (mask) weights = tocha_add_(cx, weights, mask);
  weights = tocha_private_safe_softmax(cx, weights, -1, TOCHA_NO_DTYPE);
  if (dropout_p > 0) weights = tocha_dropout_torch(cx, weights, dropout_p, true);
  tocha_tensor *out = tocha_matmul(cx, weights, value);
  if (!out || (tocha_dtype)out->dtype == dtype) return out;
  return tocha_to_copy_full(cx, out, dtype, out->device, false);
}

/* --- the operator ----------------------------------------------------------------------------------------- */

/* Computes attention in one kernel. */
static tocha_tensor *by_fused_kernel(tocha_context *cx, tocha_tensor *q, tocha_tensor *k,
                                     tocha_tensor *v, tocha_tensor *mask, double dropout_p,
                                     bool causal, const double *scale) {
  tocha_tensor *out, *logsumexp, *drawn = NULL;
  if (dropout_p > 0) {
    const int64_t seed_and_offset = 2;
    drawn = tocha_new(cx, 1, &seed_and_offset, TOCHA_INT64, q->device);
    if (!drawn) return NULL;
  }
  bool ok = tocha_private_scaled_dot_product_fused_attention_full(
      cx, q, k, v, dropout_p, causal, mask, scale, drawn, &out, &logsumexp);
  return ok ? out : NULL;
}

/* Adds a dimension of size 1 to tensors of three dimensions. */
static bool add_dimension(tocha_context *cx, int64_t dim, tocha_tensor **q, tocha_tensor **k,
                          tocha_tensor **v, tocha_tensor **mask) {
  *q = tocha_unsqueeze(cx, *q, dim);
  *k = tocha_unsqueeze(cx, *k, dim);
  *v = tocha_unsqueeze(cx, *v, dim);
  if (*mask && (*mask)->ndim == 3) *mask = tocha_unsqueeze(cx, *mask, dim);
  return !tocha_failed(cx);
}

tocha_tensor *tocha_op_scaled_dot_product_attention(tocha_context *cx, tocha_tensor *query,
                                                    tocha_tensor *key, tocha_tensor *value,
                                                    tocha_tensor *attn_mask, double dropout_p,
                                                    bool is_causal, const double *scale,
                                                    bool enable_gqa) {
  if (!check_inputs(cx, query, key, value, attn_mask, is_causal)) return NULL;
  tocha_tensor *q = query, *k = key, *v = value, *mask = attn_mask, *out, *logsumexp;
  bool single = query->ndim == 3 && key->ndim == 3 && value->ndim == 3;
  /* (N, L, E): one head */
  if (single && !add_dimension(cx, 1, &q, &k, &v, &mask)) return NULL;
  tocha_attention_choice choice = {q, k, v, mask, dropout_p, enable_gqa, scale};
  tocha_attention_way way = tocha_choose_attention(cx, &choice);
  if (tocha_failed(cx)) return NULL;
  if (way == TOCHA_ATTENTION_BY_KERNEL) {
    out = by_fused_kernel(cx, q, k, v, mask, dropout_p, is_causal, scale);
    return out && single ? tocha_squeeze_dim(cx, out, 1) : out;
  }
  if (way == TOCHA_ATTENTION_BY_MATRICES) {
    q = query, k = key, v = value, mask = attn_mask;
    /* (H, L, E): one element of a batch, so that messages count dimensions as PyTorch does */
    if (single && !add_dimension(cx, 0, &q, &k, &v, &mask)) return NULL;
    out = by_matrices(cx, q, k, v, mask, dropout_p, is_causal, scale, enable_gqa);
    return out && single ? tocha_squeeze_dim(cx, out, 0) : out;
  }
  mask = tocha_added_mask(cx, mask, (tocha_dtype)q->dtype);
  if (tocha_failed(cx) || !tocha_private_scaled_dot_product_flash_attention_for_cpu_full(
                              cx, q, k, v, dropout_p, is_causal, mask, scale, &out, &logsumexp))
    return NULL;
  return single ? tocha_squeeze_dim(cx, out, 1) : out;
}
