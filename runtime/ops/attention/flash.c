/* flash.c: attention in blocks of queries and keys, so that the scores are never all in memory, and its gradients. */
#include <string.h>

#include "attention/implementations.h"
#include "device/devices.h"
#include "dispatch/call.h"
#include "ops/attention/attention.h"
#include "tensor/copy.h"
#include "tocha/ops/private/safe_softmax.h"
#include "tocha/ops/private/scaled_dot_product_flash_attention_for_cpu_backward.h"
#include "tocha/ops/private/softmax_backward_data.h"
#include "tocha/ops/add.h"
#include "tocha/ops/matmul.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/sum.h"
#include "tocha/ops/transpose.h"
#include "tocha/ops/reshape.h"

/* --- the kernels' arguments ---------------------------------------------------------------------------- */

/* Returns t as kernels read it: in `dtype`, with contiguous rows whose distance a BLAS accepts. */
static tocha_tensor *ready(tocha_context *cx, tocha_tensor *t, tocha_dtype dtype) {
  t = tocha_as_dtype(cx, t, dtype);
  if (!t) return NULL;
  bool plain = t->strides[3] == 1 && t->strides[2] >= t->sizes[3] && t->strides[2] <= INT32_MAX;
  return plain ? t : tocha_as_rows(cx, t, dtype);
}

tocha_heads tocha_heads_of(const tocha_tensor *t) {
  if (!t) return (tocha_heads){0};
  return (tocha_heads){tocha_bytes(t), t->strides[0], t->strides[1], t->strides[2]};
}

tocha_score_mask tocha_score_mask_of(const tocha_tensor *mask) {
  tocha_score_mask m = {0};
  if (!mask) return m;
  int64_t *strides[4] = {&m.batch, &m.head, &m.row, &m.column};
  for (int d = 0, at = 4 - mask->ndim; d < mask->ndim; d++, at++)
    *strides[at] = mask->sizes[d] == 1 ? 0 : mask->strides[d];
  m.data = tocha_bytes(mask);
  return m;
}

static bool run(const tocha_attention_call *c) {
  tocha_stream *stream = tocha_stream_of(c->cx, c->query->device);
  if (!stream) return false;
  const tocha_attention_kernels *kernels = stream->kernels->attention;
  if (!kernels->forward)
    return c->grad ? tocha_attention_back_by_blocks(c) : tocha_attention_by_blocks(c);
  tocha_attention_args args = {.query = tocha_heads_of(c->query),
                               .key = tocha_heads_of(c->key),
                               .value = tocha_heads_of(c->value),
                               .out = tocha_heads_of(c->out),
                               .grad = tocha_heads_of(c->grad),
                               .grad_query = tocha_heads_of(c->grad_query),
                               .grad_key = tocha_heads_of(c->grad_key),
                               .grad_value = tocha_heads_of(c->grad_value),
                               .mask = tocha_score_mask_of(c->mask),
                               .logsumexp = tocha_bytes(c->logsumexp),
                               .batch = c->query->sizes[0],
                               .heads = c->query->sizes[1],
                               .key_heads = c->key->sizes[1],
                               .queries = c->query->sizes[2],
                               .keys = c->key->sizes[2],
                               .width = c->query->sizes[3],
                               .scale = c->scale,
                               .causal = c->causal,
                               .dtype = (int8_t)c->query->dtype,
                               .given = (int8_t)c->given};
  return tocha_launched(c->cx, (c->grad ? kernels->backward : kernels->forward)(stream, &args));
}

/* Returns the dtype that sums are computed in. */
static tocha_dtype compute_dtype(const tocha_tensor *t) {
  return t->dtype == TOCHA_FLOAT64 ? TOCHA_FLOAT64 : TOCHA_FLOAT32;
}

/* Returns the dtype that kernels read. A GPU reads 16-bit types without conversion. */
static tocha_dtype read_dtype(const tocha_tensor *t) {
  return tocha_is_on_device(t) ? (tocha_dtype)t->dtype : compute_dtype(t);
}

static bool prepare(tocha_attention_call *c, tocha_tensor *query, tocha_tensor *key,
                    tocha_tensor *value, tocha_tensor *mask) {
  tocha_dtype dtype = read_dtype(query);
  c->given = query->dtype == dtype ? 0 : (int)query->dtype;
  c->query = ready(c->cx, query, dtype);
  c->key = ready(c->cx, key, dtype);
  c->value = ready(c->cx, value, dtype);
  c->mask = tocha_as_dtype(c->cx, mask, compute_dtype(query));
  return !tocha_failed(c->cx);
}

bool tocha_check_heads(tocha_context *cx, const tocha_tensor *q, const tocha_tensor *k,
                       const tocha_tensor *v, const tocha_tensor *mask) {
  bool fits = q->ndim == 4 && k->ndim == 4 && v->ndim == 4;
  fits = fits && memcmp(k->sizes, v->sizes, 4 * sizeof *k->sizes) == 0 &&
         k->sizes[0] == q->sizes[0] && k->sizes[3] == q->sizes[3] && k->sizes[1] > 0 &&
         q->sizes[1] % k->sizes[1] == 0 && (k->sizes[2] > 0 || q->numel == 0) &&
         (!mask || mask->ndim <= 4);
  for (int d = 0; fits && mask && d < mask->ndim; d++) {
    int at = d + 4 - mask->ndim;
    int64_t size = at == 3 ? k->sizes[2] : q->sizes[at];
    fits = mask->sizes[d] == 1 || mask->sizes[d] == size;
  }
  if (!fits)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "attention: query, key, value and mask do not go together");
  return fits;
}

static bool has_sizes_of(const tocha_tensor *t, const tocha_tensor *like, int ndim) {
  return t->ndim == ndim && memcmp(t->sizes, like->sizes, (size_t)ndim * sizeof *t->sizes) == 0;
}

bool tocha_check_attention_gradient(tocha_context *cx, const tocha_tensor *grad_out,
                                    const tocha_tensor *query, const tocha_tensor *out,
                                    const tocha_tensor *logsumexp, tocha_dtype dtype) {
  if (!has_sizes_of(grad_out, query, 4) || !has_sizes_of(out, query, 4) ||
      !has_sizes_of(logsumexp, query, 3) || logsumexp->dtype != (uint8_t)dtype ||
      !tocha_is_contiguous(logsumexp))
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "attention: the gradient does not go with the query");
  return !tocha_failed(cx);
}

/* --- the operators ------------------------------------------------------------------------------------- */

bool tocha_op__scaled_dot_product_flash_attention_for_cpu(
    tocha_context *cx, tocha_tensor *query, tocha_tensor *key, tocha_tensor *value,
    double dropout_p, bool is_causal, tocha_tensor *attn_mask, const double *scale,
    tocha_tensor **output, tocha_tensor **logsumexp) {
  if (dropout_p != 0) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "scaled_dot_product_attention_flash_attention: Currently do not support dropout > "
               "0");
    return false;
  }
  if (!tocha_check_heads(cx, query, key, value, attn_mask)) return false;
  tocha_dtype dtype = compute_dtype(query);
  tocha_attention_call c = {
      .cx = cx, .scale = tocha_attention_scale(query, scale), .causal = is_causal};
  c.out = tocha_is_on_device(query) ? tocha_new_heads(cx, query, dtype)
                                    : tocha_new_like(cx, query, dtype);
  c.logsumexp = tocha_new(cx, 3, query->sizes, dtype, query->device);
  if (!c.out || !c.logsumexp) return false;
  if (tocha_has_elements(c.out) && (!prepare(&c, query, key, value, attn_mask) || !run(&c)))
    return false;
  *output = tocha_as_dtype(cx, c.out, (tocha_dtype)query->dtype);
  *logsumexp = c.logsumexp;
  return *output != NULL;
}

bool tocha_op__scaled_dot_product_flash_attention_for_cpu_backward(
    tocha_context *cx, tocha_tensor *grad_out, tocha_tensor *query, tocha_tensor *key,
    tocha_tensor *value, tocha_tensor *out, tocha_tensor *logsumexp, bool is_causal,
    tocha_tensor *attn_mask, const double *scale, tocha_tensor **grad_query,
    tocha_tensor **grad_key, tocha_tensor **grad_value) {
  if (!tocha_check_heads(cx, query, key, value, attn_mask)) return false;
  tocha_dtype dtype = compute_dtype(query), given = (tocha_dtype)query->dtype;
  if (!tocha_check_attention_gradient(cx, grad_out, query, out, logsumexp, dtype)) return false;
  tocha_attention_call c = {.cx = cx,
                            .logsumexp = logsumexp,
                            .grad_query = tocha_new_like(cx, query, dtype),
                            .grad_key = tocha_new_like(cx, key, dtype),
                            .grad_value = tocha_new_like(cx, value, dtype),
                            .scale = tocha_attention_scale(query, scale),
                            .causal = is_causal};
  if (tocha_failed(cx)) return false;
  if (tocha_has_elements(query)) {
    c.grad = ready(cx, grad_out, read_dtype(query));
    c.out = ready(cx, out, read_dtype(query));
    if (!prepare(&c, query, key, value, attn_mask) || !run(&c)) return false;
  }
  *grad_query = tocha_as_dtype(cx, c.grad_query, given);
  *grad_key = tocha_as_dtype(cx, c.grad_key, given);
  *grad_value = tocha_as_dtype(cx, c.grad_value, given);
  return *grad_query && *grad_key && *grad_value;
}

/* --- the gradient rule ---------------------------------------------------------------------------------- */

/* Returns a gradient (N, heads, S, E) summed over the query heads that share one head of keys. */
static tocha_tensor *sum_groups(tocha_context *cx, tocha_tensor *grad, const tocha_tensor *key) {
  int64_t heads = key->sizes[1], dim = 2;
  if (!grad || grad->sizes[1] == heads) return grad;
  int64_t sizes[5] = {key->sizes[0], heads, grad->sizes[1] / heads, key->sizes[2], key->sizes[3]};
  return tocha_sum_dim_IntList(cx, tocha_reshape(cx, grad, 5, sizes), 1, &dim, false);
}

static tocha_tensor *swapped(tocha_context *cx, tocha_tensor *t) {
  return tocha_transpose(cx, t, -2, -1);
}

bool tocha_compose_attention_gradient(tocha_backward_frame *f, tocha_tensor *q, tocha_tensor *k,
                                      tocha_tensor *v, tocha_tensor *mask, bool causal,
                                      const double *scale) {
  tocha_context *cx = f->cx;
  tocha_operand factor = tocha_number(tocha_float(tocha_attention_scale(q, scale)));
  tocha_tensor *keys = tocha_for_each_head(cx, k, q->sizes[1]), *grad = f->grads[0];
  tocha_tensor *values = tocha_for_each_head(cx, v, q->sizes[1]);
  if (causal) mask = tocha_added_mask(cx, tocha_causal_mask(cx, q, k), (tocha_dtype)q->dtype);
  tocha_tensor *scores = tocha_mul_full(cx, tocha_matmul(cx, q, swapped(cx, keys)), factor);
  if (mask) scores = tocha_add(cx, scores, mask);
  tocha_tensor *weights = tocha_private_safe_softmax(cx, scores, -1, TOCHA_NO_DTYPE);
  tocha_tensor *slopes = tocha_matmul(cx, grad, swapped(cx, values));
  slopes = tocha_private_softmax_backward_data(cx, slopes, weights, -1);
  slopes = tocha_mul_full(cx, slopes, factor);
  f->out[0] = tocha_matmul(cx, slopes, keys);
  f->out[1] = sum_groups(cx, tocha_matmul(cx, swapped(cx, slopes), q), k);
  f->out[2] = sum_groups(cx, tocha_matmul(cx, swapped(cx, weights), grad), v);
  return !tocha_failed(cx);
}

bool tocha_grad_flash_attention(tocha_backward_frame *f) {
  const tocha_arg *a = f->args;
  tocha_tensor *q = a[0].tensor, *k = a[1].tensor, *v = a[2].tensor, *mask = a[5].tensor;
  bool causal = a[4].value.flag;
  const double *scale = a[6].given ? &a[6].value.real : NULL;
  if (!f->grads[0]) return true;
  if (tocha_grad_enabled(f->cx))
    return tocha_compose_attention_gradient(f, q, k, v, mask, causal, scale);
  return tocha_private_scaled_dot_product_flash_attention_for_cpu_backward_full(
      f->cx, f->grads[0], q, k, v, f->results[0], f->results[1], causal, mask, scale, &f->out[0],
      &f->out[1], &f->out[2]);
}
