/* fused.c: attention of 16-bit tensors by a device's kernels for the whole, which read and write them as they are, and draw
 * the words of dropout. */
#include "attention/implementations.h"
#include "device/devices.h"
#include "dispatch/call.h"
#include "ops/attention/attention.h"
#include "random/random.h"
#include "tensor/copy.h"
#include "tensor/output.h"
#include "tocha/ops/private/scaled_dot_product_flash_attention_for_cpu.h"
#include "tocha/ops/private/scaled_dot_product_flash_attention_for_cpu_backward.h"
#include "tocha/ops/private/scaled_dot_product_fused_attention_backward.h"

/* The options of a call. drawn: two int64, the seed and the offset of the words that decide what dropout_p drops. */
typedef struct options {
  double dropout_p, scale;
  bool causal;
  const tocha_tensor *drawn;
} options;

static tocha_attention_args args_of(const tocha_tensor *q, const tocha_tensor *k,
                                    const tocha_tensor *v, const tocha_tensor *mask,
                                    const options *o) {
  return (tocha_attention_args){.query = tocha_heads_of(q),
                                .key = tocha_heads_of(k),
                                .value = tocha_heads_of(v),
                                .mask = tocha_score_mask_of(mask),
                                .mask_dtype = mask ? (int8_t)mask->dtype : TOCHA_NO_DTYPE,
                                .batch = q->sizes[0],
                                .heads = q->sizes[1],
                                .key_heads = k->sizes[1],
                                .queries = q->sizes[2],
                                .keys = k->sizes[2],
                                .width = q->sizes[3],
                                .scale = o->scale,
                                .causal = o->causal,
                                .dtype = (int8_t)q->dtype,
                                .dropout = o->dropout_p,
                                .drawn = o->drawn ? tocha_bytes(o->drawn) : NULL};
}

/* Returns the kernels that compute this call, or NULL if the device has none. */
static const tocha_attention_kernels *kernels_for(tocha_stream *stream,
                                                  const tocha_attention_args *args) {
  const tocha_attention_kernels *kernels = stream ? stream->kernels->attention : NULL;
  return kernels && kernels->takes && kernels->takes(stream, args) ? kernels : NULL;
}

bool tocha_attention_fuses(tocha_context *cx, const tocha_tensor *q, const tocha_tensor *k,
                           const tocha_tensor *v, const tocha_tensor *mask, double dropout_p,
                           const double *scale) {
  if (!tocha_is_on_device(q)) return false;
  options o = {.dropout_p = dropout_p, .scale = tocha_attention_scale(q, scale)};
  tocha_attention_args args = args_of(q, k, v, mask, &o);
  return kernels_for(tocha_stream_of(cx, q->device), &args) != NULL;
}

/* Fails if a call with dropout has no place on its device for what it draws. */
static bool check_drawn(tocha_context *cx, const tocha_tensor *query, const options *o) {
  const tocha_tensor *drawn = o->drawn;
  if (o->dropout_p == 0 ||
      (drawn && drawn->dtype == TOCHA_INT64 && drawn->numel == 2 && tocha_is_contiguous(drawn) &&
       tocha_device_equal(drawn->device, query->device)))
    return true;
  return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                    "attention with dropout needs two int64 on the device of query");
}

/* Returns t, or a copy if the kernels cannot read its rows, which are of whole pieces of 16 bytes. */
static tocha_tensor *aligned(tocha_context *cx, tocha_tensor *t) {
  int64_t numbers = 16 / (int64_t)tocha_dtype_size((tocha_dtype)t->dtype);
  bool ok = t->strides[3] == 1 && (uintptr_t)tocha_bytes(t) % 16 == 0;
  for (int d = 0; d < 3; d++) ok = ok && (t->sizes[d] == 1 || t->strides[d] % numbers == 0);
  return ok ? t : tocha_as_rows(cx, t, (tocha_dtype)t->dtype);
}

tocha_tensor *tocha_new_heads(tocha_context *cx, const tocha_tensor *like, tocha_dtype dtype) {
  tocha_tensor *out = tocha_new_copy_of(cx, like, dtype, like->device);
  return out && out->strides[3] != 1 ? tocha_new_like(cx, like, dtype) : out;
}

static tocha_tensor *new_like(tocha_context *cx, const tocha_tensor *t) {
  return tocha_new_heads(cx, t, (tocha_dtype)t->dtype);
}

static tocha_tensor *new_rows(tocha_context *cx, const tocha_tensor *query) {
  return tocha_new(cx, 3, query->sizes, TOCHA_FLOAT32, query->device);
}

/* Runs what has no such kernel another way, which cannot drop. */
static bool compute_otherwise(tocha_context *cx, tocha_tensor *query, tocha_tensor *key,
                              tocha_tensor *value, tocha_tensor *mask, const options *o,
                              tocha_tensor **output, tocha_tensor **logsumexp) {
  mask = tocha_added_mask(cx, mask, (tocha_dtype)query->dtype);
  return !tocha_failed(cx) &&
         tocha_private_scaled_dot_product_flash_attention_for_cpu_full(
             cx, query, key, value, o->dropout_p, o->causal, mask, &o->scale, output, logsumexp);
}

bool tocha_op__scaled_dot_product_fused_attention(tocha_context *cx, tocha_tensor *query,
                                                  tocha_tensor *key, tocha_tensor *value,
                                                  double dropout_p, bool is_causal,
                                                  tocha_tensor *attn_mask, const double *scale,
                                                  tocha_tensor *drawn, tocha_tensor **output,
                                                  tocha_tensor **logsumexp) {
  if (!tocha_check_heads(cx, query, key, value, attn_mask)) return false;
  options o = {dropout_p, tocha_attention_scale(query, scale), is_causal, drawn};
  tocha_attention_args args = args_of(query, key, value, attn_mask, &o);
  tocha_stream *stream = tocha_stream_of(cx, query->device);
  const tocha_attention_kernels *kernels = kernels_for(stream, &args);
  if (tocha_failed(cx)) return false;
  if (!kernels) return compute_otherwise(cx, query, key, value, attn_mask, &o, output, logsumexp);
  if (!check_drawn(cx, query, &o)) return false;
  query = aligned(cx, query);
  key = aligned(cx, key);
  value = aligned(cx, value);
  if (tocha_failed(cx)) return false;
  *output = new_like(cx, query);
  *logsumexp = new_rows(cx, query);
  if (!*output || !*logsumexp) return false;
  args = args_of(query, key, value, attn_mask, &o);
  args.out = tocha_heads_of(*output);
  args.logsumexp = tocha_bytes(*logsumexp);
  if (dropout_p > 0 && !(args.generator = tocha_generator_for(cx, query->device, NULL)))
    return false;
  return tocha_launched(cx, kernels->fused(stream, &args));
}

bool tocha_op__scaled_dot_product_fused_attention_backward(
    tocha_context *cx, tocha_tensor *grad_out, tocha_tensor *query, tocha_tensor *key,
    tocha_tensor *value, tocha_tensor *out, tocha_tensor *logsumexp, double dropout_p,
    bool is_causal, tocha_tensor *attn_mask, const double *scale, tocha_tensor *drawn,
    tocha_tensor **grad_query, tocha_tensor **grad_key, tocha_tensor **grad_value) {
  if (!tocha_check_heads(cx, query, key, value, attn_mask)) return false;
  options o = {dropout_p, tocha_attention_scale(query, scale), is_causal, drawn};
  tocha_attention_args args = args_of(query, key, value, attn_mask, &o);
  tocha_stream *stream = tocha_stream_of(cx, query->device);
  const tocha_attention_kernels *kernels = kernels_for(stream, &args);
  if (tocha_failed(cx)) return false;
  if (!kernels) {
    attn_mask = tocha_added_mask(cx, attn_mask, (tocha_dtype)query->dtype);
    return !tocha_failed(cx) &&
           tocha_private_scaled_dot_product_flash_attention_for_cpu_backward_full(
               cx, grad_out, query, key, value, out, logsumexp, is_causal, attn_mask, &o.scale,
               grad_query, grad_key, grad_value);
  }
  if (!check_drawn(cx, query, &o) ||
      !tocha_check_attention_gradient(cx, grad_out, query, out, logsumexp, TOCHA_FLOAT32))
    return false;
  grad_out = aligned(cx, grad_out);
  out = aligned(cx, out);
  query = aligned(cx, query);
  key = aligned(cx, key);
  value = aligned(cx, value);
  tocha_tensor *means = new_rows(cx, query);
  if (tocha_failed(cx)) return false;
  *grad_query = new_like(cx, query);
  *grad_key = new_like(cx, key);
  *grad_value = new_like(cx, value);
  if (tocha_failed(cx)) return false;
  args = args_of(query, key, value, attn_mask, &o);
  args.out = tocha_heads_of(out);
  args.grad = tocha_heads_of(grad_out);
  args.grad_query = tocha_heads_of(*grad_query);
  args.grad_key = tocha_heads_of(*grad_key);
  args.grad_value = tocha_heads_of(*grad_value);
  args.logsumexp = tocha_bytes(logsumexp);
  args.means = tocha_bytes(means);
  return tocha_launched(cx, kernels->fused_backward(stream, &args));
}

bool tocha_grad_fused_attention(tocha_backward_frame *f) {
  const tocha_arg *a = f->args;
  tocha_context *cx = f->cx;
  tocha_tensor *q = a[0].tensor, *k = a[1].tensor, *v = a[2].tensor, *mask = a[5].tensor;
  const double *scale = a[6].given ? &a[6].value.real : NULL;
  double dropout_p = a[3].value.real;
  bool causal = a[4].value.flag;
  if (!f->grads[0]) return true;
  if (tocha_grad_enabled(cx) && dropout_p == 0) {
    mask = tocha_added_mask(cx, mask, (tocha_dtype)q->dtype);
    return !tocha_failed(cx) && tocha_compose_attention_gradient(f, q, k, v, mask, causal, scale);
  }
  return tocha_private_scaled_dot_product_fused_attention_backward_full(
      cx, f->grads[0], q, k, v, f->results[0], f->results[1], dropout_p, causal, mask, scale,
      a[7].tensor, &f->out[0], &f->out[1], &f->out[2]);
}
