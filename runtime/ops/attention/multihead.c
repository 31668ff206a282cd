/* multihead.c: multi_head_attention_forward of torch.nn.functional: projections around attention, composed of operators. */
#include <math.h>
#include <stdio.h>

#include "attention/implementations.h"
#include "core/internal.h"
#include "tensor/iterator.h"
#include "tocha/ops/add.h"
#include "tocha/ops/baddbmm.h"
#include "tocha/ops/bmm.h"
#include "tocha/ops/cat.h"
#include "tocha/ops/constant_pad_nd.h"
#include "tocha/ops/contiguous.h"
#include "tocha/ops/dropout.h"
#include "tocha/ops/expand.h"
#include "tocha/ops/linear.h"
#include "tocha/ops/masked_fill_.h"
#include "tocha/ops/mean.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/narrow.h"
#include "tocha/ops/permute.h"
#include "tocha/ops/repeat.h"
#include "tocha/ops/reshape.h"
#include "tocha/ops/scaled_dot_product_attention.h"
#include "tocha/ops/select.h"
#include "tocha/ops/softmax.h"
#include "tocha/ops/squeeze.h"
#include "tocha/ops/transpose.h"
#include "tocha/ops/unbind.h"
#include "tocha/ops/unflatten.h"
#include "tocha/ops/unsqueeze.h"
#include "tocha/ops/view.h"
#include "tocha/ops/zeros.h"
#include "tocha/ops/zeros_like.h"

typedef long long ll;
typedef tocha_tensor tensor;

/* One call: its sizes, and its intermediate tensors. */
typedef struct heads_call {
  tocha_context *cx;
  bool batched;
  bool
      batch_major; /* the rows of the result before the last projection: (N, L) instead of (L, N) */
  int64_t targets, sources, batch, width, heads, each; /* each: width of a head */
  tensor *q, *k, *v, *mask, *padding;
} heads_call;

/* Writes the shape of a tensor as Python prints it, and returns the text. */
static const char *shape_of(const tensor *t, char *text, size_t size) {
  int at = snprintf(text, size, "torch.Size(");
  tocha_shape_text(t->ndim, t->sizes, text + at, size - (size_t)at);
  size_t end = 0;
  while (text[end]) end++;
  if (end + 1 < size) {
    text[end] = ')';
    text[end + 1] = 0;
  }
  return text;
}

static bool refuse(tocha_context *cx, const char *words) {
  tocha_fail(cx, TOCHA_ASSERTION_ERROR, "%s", words);
  return false;
}

/* --- checks ---------------------------------------------------------------------------------------------- */

static bool check_dims(tocha_context *cx, int dims, const tensor *key, const tensor *value,
                       const tensor *padding, const tensor *mask) {
  const char *kind = dims == 3 ? "batched (3-D)" : "unbatched (2-D)";
  if (key->ndim != dims || value->ndim != dims)
    tocha_fail(cx, TOCHA_ASSERTION_ERROR,
               "For %s `query`, expected `key` and `value` to be %d-D but found %d-D and %d-D "
               "tensors respectively",
               kind, dims, key->ndim, value->ndim);
  else if (padding && padding->ndim != dims - 1)
    tocha_fail(cx, TOCHA_ASSERTION_ERROR,
               "For %s `query`, expected `key_padding_mask` to be `None` or %d-D but found %d-D "
               "tensor instead",
               kind, dims - 1, padding->ndim);
  else if (mask && mask->ndim != 2 && mask->ndim != 3)
    tocha_fail(
        cx, TOCHA_ASSERTION_ERROR,
        "For %s `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found %d-D tensor "
        "instead",
        kind, mask->ndim);
  return !tocha_failed(cx);
}

static bool check_shapes(tocha_context *cx, const tensor *query, const tensor *key,
                         const tensor *value, const tensor *padding, const tensor *mask,
                         int64_t heads) {
  char text[300];
  if (query->ndim != 2 && query->ndim != 3) {
    tocha_fail(cx, TOCHA_ASSERTION_ERROR,
               "query should be unbatched 2D or batched 3D tensor but received %d-D query tensor",
               query->ndim);
    return false;
  }
  if (!check_dims(cx, query->ndim, key, value, padding, mask)) return false;
  if (query->ndim == 3 || !mask || mask->ndim != 3) return true;
  if (mask->sizes[0] == heads && mask->sizes[1] == query->sizes[0] &&
      mask->sizes[2] == key->sizes[0])
    return true;
  tocha_fail(cx, TOCHA_ASSERTION_ERROR,
             "Expected `attn_mask` shape to be (%lld, %lld, %lld) but got %s", (ll)heads,
             (ll)query->sizes[0], (ll)key->sizes[0], shape_of(mask, text, sizeof text));
  return false;
}

static bool check_widths(heads_call *c, const tensor *key, const tensor *value, int64_t expected,
                         bool separate) {
  char a[300], b[300];
  tocha_context *cx = c->cx;
  if (c->width != expected)
    tocha_fail(cx, TOCHA_ASSERTION_ERROR, "was expecting embedding dimension of %lld, but got %lld",
               (ll)expected, (ll)c->width);
  else if (c->each * c->heads != c->width)
    tocha_fail(cx, TOCHA_ASSERTION_ERROR, "embed_dim %lld not divisible by num_heads %lld",
               (ll)c->width, (ll)c->heads);
  else if (separate && (key->sizes[0] != value->sizes[0] || key->sizes[1] != value->sizes[1]))
    tocha_fail(cx, TOCHA_ASSERTION_ERROR,
               "key's sequence and batch dims torch.Size([%lld, %lld]) do not match value's "
               "torch.Size([%lld, %lld])",
               (ll)key->sizes[0], (ll)key->sizes[1], (ll)value->sizes[0], (ll)value->sizes[1]);
  else if (!separate && !tocha_same_sizes(key, value))
    tocha_fail(cx, TOCHA_ASSERTION_ERROR, "key shape %s does not match value shape %s",
               shape_of(key, a, sizeof a), shape_of(value, b, sizeof b));
  return !tocha_failed(cx);
}

/* Returns mask as numbers to add; a bool mask gives -inf where it is true. Returns NULL for NULL, and on failure. */
static tensor *canonical(tocha_context *cx, tensor *mask, const char *name, tocha_dtype dtype) {
  if (!mask || tocha_dtype_is_floating(mask->dtype)) return mask;
  if (mask->dtype != TOCHA_BOOL)
    return tocha_fail(cx, TOCHA_ASSERTION_ERROR, "only bool and floating types of %s are supported",
                      name);
  tocha_device none = {TOCHA_NO_DEVICE, -1};
  tensor *zeros = tocha_zeros_like_full(cx, mask, dtype, none, false, NULL);
  return tocha_masked_fill_(cx, zeros, mask, tocha_float(-INFINITY));
}

/* --- projections ------------------------------------------------------------------------------------------- */

/* Returns `rows` rows of t from `first` on; NULL for NULL. */
static tensor *part(tocha_context *cx, tensor *t, int64_t first, int64_t rows) {
  return t ? tocha_narrow(cx, t, 0, first, rows) : NULL;
}

/* Returns true if the batch of x (L, N, E) is the outermost dimension in memory, as in the transpose of (N, L, E). */
static bool is_batch_major(const tensor *x) {
  return x->sizes[1] > 1 && x->strides[1] > x->strides[0];
}

/* Projects x (L, N, E) to query, key and value by one product. Its rows are in the order in which they lie in memory, so that x
 * is not copied. The parts are views, (N, heads, L, E / heads), or `apart`, copied by one kernel, (N * heads, L, E / heads). */
static bool project_self(heads_call *c, tensor *x, tensor *weight, tensor *bias, bool apart) {
  tocha_context *cx = c->cx;
  const int64_t sizes[5] = {c->batch_major ? c->batch : c->targets,
                            c->batch_major ? c->targets : c->batch, 3, c->heads, c->each};
  const int64_t order[5] = {2, !c->batch_major, 3, c->batch_major, 4};
  const int64_t rows[4] = {3, c->batch * c->heads, c->targets, c->each};
  tocha_tensors parts;
  if (c->batch_major) x = tocha_transpose(cx, x, 0, 1);
  if (x && tocha_is_contiguous(x) && (!bias || bias->ndim == 1)) { /* spares linear two views */
    const int64_t flat[2] = {c->batch * c->targets, x->sizes[2]};
    x = tocha_view(cx, x, 2, flat);
  }
  tensor *all = tocha_view(cx, tocha_linear(cx, x, weight, bias), 5, sizes);
  all = tocha_permute(cx, all, 5, order);
  if (apart) all = tocha_view(cx, tocha_contiguous(cx, all), 4, rows);
  if (!tocha_unbind(cx, all, 0, &parts)) return false;
  c->q = parts.items[0], c->k = parts.items[1], c->v = parts.items[2];
  tocha_tensors_free(cx, &parts);
  return true;
}

/* Projects x (L, N, E) to `count` tensors at once: (count, L, N, E). */
static tensor *packed(tocha_context *cx, tensor *x, tensor *weight, tensor *bias, int64_t count,
                      int64_t width) {
  int64_t sizes[2] = {count, width};
  tensor *t = tocha_unflatten(cx, tocha_linear(cx, x, weight, bias), -1, 2, sizes);
  t = tocha_transpose(cx, tocha_unsqueeze(cx, t, 0), 0, -2);
  return tocha_contiguous(cx, tocha_squeeze_dim(cx, t, -2));
}

static void project_packed(heads_call *c, tensor *query, tensor *key, tensor *value, tensor *weight,
                           tensor *bias) {
  tocha_context *cx = c->cx;
  int64_t e = c->width;
  if (key == value && query == key) {
    tensor *all = packed(cx, query, weight, bias, 3, e);
    c->q = tocha_select(cx, all, 0, 0);
    c->k = tocha_select(cx, all, 0, 1);
    c->v = tocha_select(cx, all, 0, 2);
    return;
  }
  c->q = tocha_linear(cx, query, part(cx, weight, 0, e), part(cx, bias, 0, e));
  if (key == value) {
    tensor *both = packed(cx, key, part(cx, weight, e, 2 * e), part(cx, bias, e, 2 * e), 2, e);
    c->k = tocha_select(cx, both, 0, 0);
    c->v = tocha_select(cx, both, 0, 1);
    return;
  }
  c->k = tocha_linear(cx, key, part(cx, weight, e, e), part(cx, bias, e, e));
  c->v = tocha_linear(cx, value, part(cx, weight, 2 * e, e), part(cx, bias, 2 * e, e));
}

static bool check_weight(heads_call *c, const char *name, const tensor *weight, const tensor *x) {
  char text[300];
  int64_t in = x->sizes[2];
  if (weight->ndim == 2 && weight->sizes[0] == c->width && weight->sizes[1] == in) return true;
  tocha_fail(c->cx, TOCHA_ASSERTION_ERROR, "expecting %s weights shape of (%lld, %lld), but got %s",
             name, (ll)c->width, (ll)in, shape_of(weight, text, sizeof text));
  return false;
}

static void project_apart(heads_call *c, tensor *query, tensor *key, tensor *value,
                          tensor *const *weights, tensor *bias) {
  tocha_context *cx = c->cx;
  int64_t e = c->width, third = bias ? (bias->sizes[0] + 2) / 3 : 0;
  const char *missing[3] = {"use_separate_proj_weight is True but q_proj_weight is None",
                            "use_separate_proj_weight is True but k_proj_weight is None",
                            "use_separate_proj_weight is True but v_proj_weight is None"};
  for (int i = 0; i < 3; i++)
    if (!weights[i] && !refuse(cx, missing[i])) return;
  if (!check_weight(c, "query", weights[0], query) || !check_weight(c, "key", weights[1], key) ||
      !check_weight(c, "value", weights[2], value))
    return;
  if (bias && third != e) {
    tocha_fail(cx, TOCHA_ASSERTION_ERROR,
               "expecting query bias shape of (%lld,), but got torch.Size([%lld])", (ll)e,
               (ll)third);
    return;
  }
  c->q = tocha_linear(cx, query, weights[0], part(cx, bias, 0, e));
  c->k = tocha_linear(cx, key, weights[1], part(cx, bias, e, e));
  c->v = tocha_linear(cx, value, weights[2], part(cx, bias, 2 * e, e));
}

/* --- masks and further keys ---------------------------------------------------------------------------------- */

static bool shape_mask(heads_call *c) {
  char text[300];
  tensor *m = c->mask;
  if (!m) return true;
  int64_t rows = c->batch * c->heads, at = m->ndim - 2;
  bool ok = m->sizes[at] == c->targets && m->sizes[at + 1] == c->sources;
  if (m->ndim == 2 && !ok)
    tocha_fail(c->cx, TOCHA_RUNTIME_ERROR,
               "The shape of the 2D attn_mask is %s, but should be (%lld, %lld).",
               shape_of(m, text, sizeof text), (ll)c->targets, (ll)c->sources);
  else if (m->ndim == 3 && !(ok && m->sizes[0] == rows))
    tocha_fail(c->cx, TOCHA_RUNTIME_ERROR,
               "The shape of the 3D attn_mask is %s, but should be (%lld, %lld, %lld).",
               shape_of(m, text, sizeof text), (ll)rows, (ll)c->targets, (ll)c->sources);
  else if (m->ndim == 2)
    c->mask = tocha_unsqueeze(c->cx, m, 0);
  return !tocha_failed(c->cx);
}

/* Widens the masks by one more key, which they do not hide. */
static void widen_masks(heads_call *c) {
  const int64_t right[2] = {0, 1};
  const tocha_scalar zero = tocha_int(0);
  if (c->mask) c->mask = tocha_constant_pad_nd(c->cx, c->mask, 2, right, zero);
  if (c->padding) c->padding = tocha_constant_pad_nd(c->cx, c->padding, 2, right, zero);
}

static tensor *with_bias(heads_call *c, tensor *t, tensor *bias) {
  const int64_t times[3] = {1, c->batch, 1};
  tensor *both[2] = {t, tocha_repeat(c->cx, bias, 3, times)};
  return both[0] && both[1] ? tocha_cat(c->cx, 2, both, 0) : NULL;
}

static bool add_biases(heads_call *c, tensor *bias_k, tensor *bias_v, const tensor *static_k,
                       const tensor *static_v) {
  if (!bias_k && !bias_v) return true;
  if (!bias_v) return refuse(c->cx, "bias_k is set but bias_v is None");
  if (!bias_k) return refuse(c->cx, "bias_v is set but bias_k is None");
  if (static_k) return refuse(c->cx, "bias cannot be added to static key.");
  if (static_v) return refuse(c->cx, "bias cannot be added to static value.");
  c->k = with_bias(c, c->k, bias_k);
  c->v = with_bias(c, c->v, bias_v);
  widen_masks(c);
  return !tocha_failed(c->cx);
}

/* Returns t (L, N, E) as (N * heads, L, E / heads), or `given`, which has that shape already. */
static tensor *split_heads(heads_call *c, tensor *t, tensor *given, const char *name) {
  int64_t rows = c->batch * c->heads;
  if (given && given->sizes[0] != rows)
    return tocha_fail(c->cx, TOCHA_ASSERTION_ERROR, "expecting %s.size(0) of %lld, but got %lld",
                      name, (ll)rows, (ll)given->sizes[0]);
  if (given && given->sizes[2] != c->each)
    return tocha_fail(c->cx, TOCHA_ASSERTION_ERROR, "expecting %s.size(2) of %lld, but got %lld",
                      name, (ll)c->each, (ll)given->sizes[2]);
  if (given || !t) return given;
  int64_t sizes[3] = {t->sizes[0], rows, c->each};
  return tocha_transpose(c->cx, tocha_view(c->cx, t, 3, sizes), 0, 1);
}

static tensor *with_zeros(heads_call *c, tensor *t) {
  if (!t) return NULL;
  int64_t sizes[3] = {c->batch * c->heads, 1, c->each};
  tensor *both[2] = {t, tocha_zeros_full(c->cx, 3, sizes, (tocha_dtype)t->dtype, t->device, false)};
  return both[1] ? tocha_cat(c->cx, 2, both, 1) : NULL;
}

static bool merge_padding(heads_call *c) {
  if (!c->padding) return true;
  if (c->padding->sizes[0] != c->batch || c->padding->sizes[1] != c->sources) {
    bool batch = c->padding->sizes[0] != c->batch;
    tocha_fail(c->cx, TOCHA_ASSERTION_ERROR,
               batch ? "Expected key_padded_mask.shape[0] to be %lld, but got %lld"
                     : "Expected key_padded_mask.shape[1] to be %lld, but got %lld",
               (ll)(batch ? c->batch : c->sources), (ll)c->padding->sizes[batch ? 0 : 1]);
    return false;
  }
  int64_t apart[4] = {c->batch, 1, 1, c->sources}, spread[4] = {-1, c->heads, -1, -1};
  int64_t rows[3] = {c->batch * c->heads, 1, c->sources};
  tensor *t = tocha_expand(c->cx, tocha_view(c->cx, c->padding, 4, apart), 4, spread);
  t = tocha_reshape(c->cx, t, 3, rows);
  c->mask = c->mask ? tocha_add(c->cx, c->mask, t) : t;
  return !tocha_failed(c->cx);
}

/* --- attention --------------------------------------------------------------------------------------------- */

/* Applies the last projection to out (L * N, E), or (N * L, E) if it is batch-major, and returns (L, N, E). */
static tensor *project_out(heads_call *c, tensor *out, tensor *weight, tensor *bias) {
  out = tocha_linear(c->cx, out, weight, bias);
  if (!out) return NULL;
  int64_t sizes[3] = {c->batch_major ? c->batch : c->targets,
                      c->batch_major ? c->targets : c->batch, out->sizes[1]};
  out = tocha_view(c->cx, out, 3, sizes);
  if (c->batch_major) out = tocha_transpose(c->cx, out, 0, 1);
  return c->batched ? out : tocha_squeeze_dim(c->cx, out, 1);
}

/* Returns the result before the last projection, (L * N, E), and sets *weights to the attention weights. */
static tensor *attend_with_weights(heads_call *c, double dropout_p, bool average,
                                   tensor **weights) {
  tocha_context *cx = c->cx;
  int64_t flat[2] = {c->targets * c->batch, c->width}, dim = 1;
  int64_t sizes[4] = {c->batch, c->heads, c->targets, c->sources};
  tensor *q = tocha_mul_full(cx, c->q, tocha_number(tocha_float(sqrt(1.0 / (double)c->each))));
  tensor *k = tocha_transpose(cx, c->k, -2, -1);
  tensor *w = c->mask ? tocha_baddbmm(cx, c->mask, q, k) : tocha_bmm(cx, q, k);
  w = tocha_softmax(cx, w, -1, TOCHA_NO_DTYPE);
  if (dropout_p > 0) w = tocha_dropout(cx, w, tocha_float(dropout_p), true, false);
  tensor *out = tocha_transpose(cx, tocha_bmm(cx, w, c->v), 0, 1);
  w = tocha_view(cx, w, 4, sizes);
  c->batch_major = false;
  if (average) w = tocha_mean_dim(cx, w, 1, &dim, false);
  *weights = c->batched ? w : tocha_squeeze_dim(cx, w, 0);
  return *weights ? tocha_reshape(cx, out, 2, flat) : NULL;
}

static tensor *by_batch(heads_call *c, tensor *t, int64_t length) {
  if (t && t->ndim == 4) return t;
  int64_t sizes[4] = {c->batch, c->heads, length, c->each};
  return tocha_view(c->cx, t, 4, sizes);
}

static tensor *attend(heads_call *c, double dropout_p, bool causal) {
  tocha_context *cx = c->cx;
  int64_t flat[2] = {c->targets * c->batch, c->width};
  const int64_t order[4] = {2, 0, 1, 3}, of_batch[4] = {0, 2, 1, 3};
  tensor *mask = c->mask;
  if (mask && mask->sizes[0] == 1) {
    mask = tocha_unsqueeze(cx, mask, 0);
  } else if (mask) {
    int64_t sizes[4] = {c->batch, c->heads, -1, c->sources};
    mask = tocha_view(cx, mask, 4, sizes);
  }
  tensor *q = by_batch(c, c->q, c->targets), *k = by_batch(c, c->k, c->sources);
  tensor *v = by_batch(c, c->v, c->sources);
  if (tocha_failed(cx)) return NULL;
  tensor *out =
      tocha_scaled_dot_product_attention_full(cx, q, k, v, mask, dropout_p, causal, NULL, false);
  return tocha_reshape(cx, tocha_permute(cx, out, 4, c->batch_major ? of_batch : order), 2, flat);
}

static bool prepare_masks(heads_call *c, tensor *query, tensor *padding, tensor *mask,
                          bool need_weights, bool *causal) {
  tocha_dtype dtype = (tocha_dtype)query->dtype;
  if (padding && mask && padding->dtype != mask->dtype &&
      (padding->dtype == TOCHA_BOOL || tocha_dtype_is_floating(padding->dtype)))
    tocha_warn(c->cx, "Support for mismatched key_padding_mask and attn_mask is deprecated. Use "
                      "same type for both instead.");
  c->padding = canonical(c->cx, padding, "key_padding_mask", dtype);
  if (tocha_failed(c->cx)) return false;
  if (*causal && !mask) {
    tocha_fail(
        c->cx, TOCHA_RUNTIME_ERROR,
        "Need attn_mask if specifying the is_causal hint. You may use the Transformer module "
        "method `generate_square_subsequent_mask` to create this mask.");
    return false;
  }
  if (*causal && !padding && !need_weights) return true; /* is_causal replaces the mask */
  c->mask = canonical(c->cx, mask, "attn_mask", dtype);
  if (padding) *causal = false;
  return !tocha_failed(c->cx);
}

/* Adds a batch of one to query, key and value. Tensors that are the same stay the same. */
static void add_batch(tocha_context *cx, tensor **query, tensor **key, tensor **value,
                      tensor **padding) {
  bool same = *query == *key, both = *key == *value;
  *query = tocha_unsqueeze(cx, *query, 1);
  *key = same ? *query : tocha_unsqueeze(cx, *key, 1);
  *value = both ? *key : tocha_unsqueeze(cx, *value, 1);
  if (*padding) *padding = tocha_unsqueeze(cx, *padding, 0);
}

static void set_sizes(heads_call *c, const tensor *query, const tensor *key) {
  c->targets = query->sizes[0];
  c->batch = query->sizes[1];
  c->width = query->sizes[2];
  c->sources = key->sizes[0];
  c->each = c->heads > 0 ? c->width / c->heads : 0;
}

/* Splits the heads into batches, adds the further keys, and merges the masks into one. */
static bool prepare_heads(heads_call *c, tensor *static_k, tensor *static_v, bool add_zeros) {
  c->q = split_heads(c, c->q, NULL, "query");
  c->k = split_heads(c, c->k, static_k, "static_k");
  c->v = split_heads(c, c->v, static_v, "static_v");
  if (add_zeros) {
    c->k = with_zeros(c, c->k);
    c->v = with_zeros(c, c->v);
    widen_masks(c);
  }
  if (tocha_failed(c->cx)) return false;
  c->sources = c->k->sizes[1];
  return merge_padding(c);
}

bool tocha_op_multi_head_attention_forward(
    tocha_context *cx, tensor *query, tensor *key, tensor *value, int64_t embed_dim_to_check,
    int64_t num_heads, tensor *in_proj_weight, tensor *in_proj_bias, tensor *bias_k, tensor *bias_v,
    bool add_zero_attn, double dropout_p, tensor *out_proj_weight, tensor *out_proj_bias,
    bool training, tensor *key_padding_mask, bool need_weights, tensor *attn_mask,
    bool use_separate_proj_weight, tensor *q_proj_weight, tensor *k_proj_weight,
    tensor *v_proj_weight, tensor *static_k, tensor *static_v, bool average_attn_weights,
    bool is_causal, tensor **attn_output, tensor **attn_output_weights) {
  heads_call c = {.cx = cx, .batched = query->ndim == 3, .heads = num_heads};
  if (!check_shapes(cx, query, key, value, key_padding_mask, attn_mask, num_heads)) return false;
  if (!c.batched) add_batch(cx, &query, &key, &value, &key_padding_mask);
  if (tocha_failed(cx)) return false;
  set_sizes(&c, query, key);
  if (!prepare_masks(&c, query, key_padding_mask, attn_mask, need_weights, &is_causal) ||
      !check_widths(&c, key, value, embed_dim_to_check, use_separate_proj_weight))
    return false;
  tensor *const weights[3] = {q_proj_weight, k_proj_weight, v_proj_weight};
  const bool extra = bias_k || bias_v || static_k || static_v || add_zero_attn;
  const bool alone = query == key && key == value && !extra && !use_separate_proj_weight &&
                     in_proj_weight && in_proj_weight->ndim == 2 &&
                     in_proj_weight->sizes[0] == 3 * c.width;
  c.batch_major = alone && is_batch_major(query);
  if (alone)
    project_self(&c, query, in_proj_weight, in_proj_bias, need_weights);
  else if (use_separate_proj_weight)
    project_apart(&c, query, key, value, weights, in_proj_bias);
  else if (!in_proj_weight)
    return refuse(cx, "use_separate_proj_weight is False but in_proj_weight is None");
  else
    project_packed(&c, query, key, value, in_proj_weight, in_proj_bias);
  if (tocha_failed(cx) || !shape_mask(&c)) return false;
  if (alone ? !merge_padding(&c)
            : !add_biases(&c, bias_k, bias_v, static_k, static_v) ||
                  !prepare_heads(&c, static_k, static_v, add_zero_attn))
    return false;
  if (!training) dropout_p = 0;
  *attn_output_weights = NULL;
  tensor *out = need_weights
                    ? attend_with_weights(&c, dropout_p, average_attn_weights, attn_output_weights)
                    : attend(&c, dropout_p, is_causal);
  *attn_output = project_out(&c, out, out_proj_weight, out_proj_bias);
  return *attn_output != NULL;
}
