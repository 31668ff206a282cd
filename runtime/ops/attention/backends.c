/* backends.c: the choice between the ways to compute attention, and the switches for them. */
#include "device/devices.h"
#include "ops/attention/attention.h"
#include "tocha/attention.h"

typedef long long ll;

/* --- switches -------------------------------------------------------------------------------------------- */

enum { ALL = 15, OF_CPU = 1 << TOCHA_ATTENTION_MATH | 1 << TOCHA_ATTENTION_FLASH };

void tocha_set_attention_backends(tocha_context *cx, uint32_t allowed, bool matrices_first) {
  tocha_devices *devices = tocha_devices_of(cx);
  if (!devices) return;
  devices->attention.forbidden = (uint8_t)(~allowed & ALL);
  devices->attention.matrices_first = matrices_first;
}

uint32_t tocha_attention_backends(const tocha_context *cx) {
  return cx && cx->devices ? ~(uint32_t)cx->devices->attention.forbidden & ALL : ALL;
}

static bool allows(const tocha_context *cx, tocha_attention_backend backend) {
  return tocha_attention_backends(cx) >> backend & 1;
}

/* --- what each way takes ---------------------------------------------------------------------------------- */

static bool fits(const tocha_tensor *mask, int dim, int64_t size) {
  return mask->sizes[dim] == 1 || mask->sizes[dim] == size;
}

/* Returns true if the mask for q (N, H, L, E) and k (N, H', S, E) is (L, S) or (N, H, L, S), of which any size may be 1. */
static bool has_mask_shape(const tocha_tensor *mask, const tocha_tensor *q, const tocha_tensor *k) {
  if (mask->ndim != 2 && mask->ndim != 4) return false;
  bool ok = fits(mask, mask->ndim - 2, q->sizes[2]) && fits(mask, mask->ndim - 1, k->sizes[2]);
  return ok && (mask->ndim == 2 || (fits(mask, 0, q->sizes[0]) && fits(mask, 1, q->sizes[1])));
}

static bool is_empty(const tocha_tensor *q, const tocha_tensor *k, const tocha_tensor *v) {
  return !q->numel || !k->numel || !v->numel;
}

/* Returns true if the kernels that go by blocks have the right shapes for this call. */
static bool takes(const tocha_tensor *q, const tocha_tensor *k, const tocha_tensor *v,
                  const tocha_tensor *mask, bool groups) {
  if (q->ndim != 4 || k->ndim != 4 || v->ndim != 4) return false;
  if (!tocha_dtype_is_floating(q->dtype) || is_empty(q, k, v)) return false;
  if (mask && mask->autograd && tocha_requires_grad(mask)) return false;
  int64_t heads = k->sizes[1];
  bool head_ok = heads == q->sizes[1] || heads == 1 || (groups && q->sizes[1] % heads == 0);
  return head_ok && v->sizes[1] == heads && k->sizes[0] == q->sizes[0] &&
         v->sizes[0] == q->sizes[0] && v->sizes[2] == k->sizes[2] && q->sizes[3] == k->sizes[3] &&
         q->sizes[3] == v->sizes[3] && (!mask || has_mask_shape(mask, q, k));
}

static tocha_attention_way way_on_cpu(const tocha_context *cx, const tocha_attention_choice *c) {
  if (allows(cx, TOCHA_ATTENTION_FLASH) && c->dropout_p == 0 &&
      takes(c->query, c->key, c->value, c->mask, c->groups))
    return TOCHA_ATTENTION_BY_BLOCKS;
  return allows(cx, TOCHA_ATTENTION_MATH) ? TOCHA_ATTENTION_BY_MATRICES : TOCHA_ATTENTION_BY_NONE;
}

/* Returns the way of a backend of CUDA other than MATH. */
static tocha_attention_way way_of(tocha_context *cx, tocha_attention_backend backend,
                                  const tocha_attention_choice *c) {
  bool efficient = backend == TOCHA_ATTENTION_EFFICIENT;
  if (!allows(cx, backend) || backend == TOCHA_ATTENTION_CUDNN || (c->mask && !efficient) ||
      !takes(c->query, c->key, c->value, c->mask, c->groups))
    return TOCHA_ATTENTION_BY_NONE;
  if (tocha_attention_fuses(cx, c->query, c->key, c->value, c->mask, c->dropout_p, c->scale))
    return TOCHA_ATTENTION_BY_KERNEL;
  return efficient && c->dropout_p == 0 ? TOCHA_ATTENTION_BY_BLOCKS : TOCHA_ATTENTION_BY_NONE;
}

static tocha_attention_way way_on_device(tocha_context *cx, const tocha_attention_choice *c) {
  bool matrices = allows(cx, TOCHA_ATTENTION_MATH);
  if (matrices && cx->devices->attention.matrices_first) return TOCHA_ATTENTION_BY_MATRICES;
  tocha_attention_way way = way_of(cx, TOCHA_ATTENTION_FLASH, c);
  if (way == TOCHA_ATTENTION_BY_NONE) way = way_of(cx, TOCHA_ATTENTION_EFFICIENT, c);
  return way == TOCHA_ATTENTION_BY_NONE && matrices ? TOCHA_ATTENTION_BY_MATRICES : way;
}

/* --- the choice ------------------------------------------------------------------------------------------- */

static void warn_of_cpu(tocha_context *cx, const tocha_attention_choice *c) {
  const tocha_tensor *q = c->query, *k = c->key, *v = c->value;
  tocha_warn(cx, "Flash attention kernel not used because:");
  if (c->dropout_p != 0)
    tocha_warn(cx, "Both fused kernels do not support non-zero dropout.");
  else if (q->ndim != 4 || k->ndim != 4 || v->ndim != 4)
    tocha_warn(cx,
               "All fused kernels requires query, key and value to be 4 dimensional, but got Query "
               "dim: %d, Key dim: %d, Value dim: %d instead.",
               q->ndim, k->ndim, v->ndim);
  else if (c->mask && !has_mask_shape(c->mask, q, k))
    tocha_warn(cx, "Please use the following attn mask shapes: 2d - ({Q_seq_len, 1}  x "
                   "{KV_seq_len, 1}); 4d - ({Batch, 1} x {Num_heads, 1} x {Q_seq_len, 1}  x "
                   "{KV_seq_len, 1})");
  else if (q->sizes[3] != k->sizes[3] || q->sizes[3] != v->sizes[3])
    tocha_warn(cx,
               "Flash attention requires q,k,v to have the same last dimension. Got "
               "Query.size(-1): %lld, Key.size(-1): %lld, Value.size(-1): %lld instead.",
               (ll)q->sizes[3], (ll)k->sizes[3], (ll)v->sizes[3]);
}

tocha_attention_way tocha_choose_attention(tocha_context *cx, const tocha_attention_choice *c) {
  bool device = tocha_is_on_device(c->query);
  if (is_empty(c->query, c->key, c->value)) return TOCHA_ATTENTION_BY_MATRICES;
  tocha_attention_way way = device ? way_on_device(cx, c) : way_on_cpu(cx, c);
  if (way != TOCHA_ATTENTION_BY_NONE || tocha_failed(cx)) return way;
  if (!(tocha_attention_backends(cx) & (device ? ALL : OF_CPU))) {
    tocha_fail(
        cx, TOCHA_RUNTIME_ERROR,
        "No viable backend for scaled_dot_product_attention was found. This is likely due to "
        "turning off both the math kernel and the fused kernels.");
    tocha_hint(cx, "of the backends that may be used, none is for this device");
    return way;
  }
  if (!device) warn_of_cpu(cx, c);
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             device ? "No available kernel. Aborting execution."
                    : "No available kernel.  Aborting execution.");
  tocha_hint(cx, "SDPBackend.MATH computes every call, and is switched off");
  return way;
}

bool tocha_can_use_attention(tocha_context *cx, tocha_attention_backend backend,
                             tocha_tensor *query, tocha_tensor *key, tocha_tensor *value,
                             tocha_tensor *attn_mask, double dropout_p, bool enable_gqa) {
  if (!cx) return false;
  const char *missing = !value ? "value" : NULL;
  if (!key) missing = "key";
  if (!query) missing = "query";
  if (missing) return tocha_refuse_none(cx, "can_use_attention", missing, "Tensor");
  if (backend < TOCHA_ATTENTION_MATH || backend > TOCHA_ATTENTION_CUDNN) return false;
  tocha_attention_choice c = {query, key, value, attn_mask, dropout_p, enable_gqa, NULL};
  return tocha_is_on_device(query) && query->dtype == key->dtype && query->dtype == value->dtype &&
         way_of(cx, backend, &c) != TOCHA_ATTENTION_BY_NONE;
}
